//! Operations that move lanes: elements, shuffles, parts of vectors, selections.

use super::super::maker::{Fill, Maker};
use super::super::types::{Element, MOST_LANES, Type, lanes};
use super::{Table, any, argument, flag, mask};

pub const TABLE: Table = &[
    (any, select, &["select"]),
    (any, select_whole, &["select-whole"]),
    (any, extract, &["extractelement"]),
    (any, insert, &["insertelement"]),
    (any, build, &["build", "build-pairs"]),
    (any, shuffle, &["shufflevector", "shufflevector-two"]),
    (any, splat, &["splat"]),
    (any, insert_part, &["vector.insert"]),
    (any, extract_part, &["vector.extract"]),
    (any, reverse, &["vector.reverse"]),
    (any, splice, &["vector.splice"]),
    (any, interleave, &["vector.interleave"]),
    (any, deinterleave, &["vector.deinterleave"]),
    (has_whole_bytes, compress, &["experimental.vector.compress"]),
    (any, constant, &["constant"]),
];

fn select(maker: &mut Maker<'_>, _: &str, ty: Type) {
    let truth = mask(maker, ty);
    let (a, b) = (maker.input(ty, Fill::Any), maker.operand(ty, Fill::Any));
    let (a, b) = if maker.below(2) == 0 { (a, b) } else { (b, a) };
    let result = maker.emit(&format!("select {} {truth}, {ty} {a}, {ty} {b}", ty.truth()));
    maker.output(ty, &result);
}

fn select_whole(maker: &mut Maker<'_>, _: &str, ty: Type) {
    let truth = maker.input(Type::scalar(Element::Int(1)), Fill::Any);
    let (a, b) = (maker.input(ty, Fill::Any), maker.operand(ty, Fill::Any));
    let result = maker.emit(&format!("select i1 {truth}, {ty} {a}, {ty} {b}"));
    maker.output(ty, &result);
}

/// The number of a lane with its type: constant, or in range by a remainder.
fn index(maker: &mut Maker<'_>, lanes: u32) -> String {
    if maker.below(2) == 0 {
        return format!("i32 {}", maker.below(lanes));
    }
    let ty = Type::scalar(Element::Int(maker.random.pick(&[8, 32, 64, 64])));
    let number = maker.input(ty, Fill::Any);
    let inside = maker.emit(&format!("urem {ty} {number}, {lanes}"));
    format!("{ty} {inside}")
}

fn extract(maker: &mut Maker<'_>, op: &str, ty: Type) {
    let a = maker.operand(ty, Fill::Any);
    let index = index(maker, ty.lanes);
    let result = maker.emit(&format!("{op} {ty} {a}, {index}"));
    maker.output(ty.lane(), &result);
}

fn insert(maker: &mut Maker<'_>, op: &str, ty: Type) {
    let (a, lane) = (maker.operand(ty, Fill::Any), maker.operand(ty.lane(), Fill::Any));
    let index = index(maker, ty.lanes);
    let result = maker.emit(&format!("{op} {ty} {a}, {} {lane}, {index}", ty.lane()));
    maker.output(ty, &result);
}

/// A vector of scalars, in turn, or of those of another vector in pairs.
fn build(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let mut vector = "poison".to_owned();
    let source = maker.input(ty, Fill::Any);
    let scalars: Vec<String> = (0..2).map(|_| maker.input(ty.lane(), Fill::Any)).collect();
    for lane in 0..ty.lanes {
        let from = if name == "build" { lane / 2 } else { lane ^ 1 };
        let value = match maker.below(2) {
            0 if from < ty.lanes => maker.emit(&format!("extractelement {ty} {source}, i64 {from}")),
            _ => scalars[lane as usize % 2].clone(),
        };
        vector = maker.emit(&format!(
            "insertelement {ty} {vector}, {} {value}, i64 {lane}",
            ty.lane()
        ));
    }
    maker.output(ty, &vector);
}

/// A mask of a shuffle: for each lane of the result its source, or none.
fn shuffle_mask(maker: &mut Maker<'_>, from_lanes: u32, lanes: u32, is_two: bool) -> Vec<Option<u32>> {
    let all = if is_two { 2 * from_lanes } else { from_lanes };
    let (start, step, pattern) = (maker.below(all), maker.below(4), maker.below(9));
    let poison = maker.random.pick(&[0, 0, 3, 8]);
    (0..lanes)
        .map(|lane| {
            let source = match pattern {
                0 => start + lane * step,
                1 => lane / 2 + lane % 2 * from_lanes,
                2 => lane / 2 + from_lanes / 2 + lane % 2 * from_lanes,
                3 => (lane ^ step) + start / 4 * 4,
                4 => lane + maker.below(2) * from_lanes,
                _ => maker.below(all),
            };
            (poison == 0 || maker.below(poison) > 0).then_some(source % all)
        })
        .collect()
}

fn shuffled(maker: &mut Maker<'_>, from: Type, lanes: u32, is_two: bool) {
    let indices = shuffle_mask(maker, from.lanes, lanes, is_two);
    let a = maker.input(from, Fill::Any);
    let b = match is_two {
        true => maker.operand(from, Fill::Any),
        false => "poison".to_owned(),
    };
    let words: Vec<String> = (indices.iter())
        .map(|index| index.map_or("poison".to_owned(), |index| index.to_string()))
        .collect();
    let numbers = Type::vector(Element::Int(32), lanes);
    let (to, mask) = (Type { lanes, ..from }, numbers.of_lanes(&words));
    let result = maker.emit(&format!("shufflevector {from} {a}, {from} {b}, {numbers} {mask}"));
    let is_good: Vec<bool> = indices.iter().map(Option::is_some).collect();
    maker.output_lanes(to, &result, &is_good);
}

fn shuffle(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let lanes = match maker.below(2) {
        0 => ty.lanes,
        _ => lanes(maker.random, ty.element),
    };
    shuffled(maker, ty, lanes, name == "shufflevector-two");
}

/// A shuffle of vectors of 64 to 512 bits.
pub fn shuffle_of_registers(maker: &mut Maker<'_>) {
    let element = Element::random(maker.random, |element| element.has_whole_bytes());
    let bits = maker.random.pick(&[64, 128, 128, 256, 512]);
    let lanes = |bits: u32| (bits / element.bits()).max(1);
    let to = match maker.below(3) {
        0 => maker.random.pick(&[64, 128, 256, 512]),
        _ => bits,
    };
    let is_two = maker.below(2) == 0;
    shuffled(maker, Type::vector(element, lanes(bits)), lanes(to), is_two);
}

fn splat(maker: &mut Maker<'_>, _: &str, ty: Type) {
    let lane = maker.input(ty.lane(), Fill::Any);
    let first = maker.emit(&format!("insertelement {ty} poison, {} {lane}, i64 0", ty.lane()));
    let zeros = Type::vector(Element::Int(32), ty.lanes);
    let result = maker.emit(&format!(
        "shufflevector {ty} {first}, {ty} poison, {zeros} zeroinitializer"
    ));
    maker.output(ty, &result);
}

/// A shorter vector, and a place for it in this one: multiples of its own lanes.
fn part(maker: &mut Maker<'_>, ty: Type) -> (Type, u32) {
    let mut lanes = 1 + maker.below(ty.lanes);
    while !ty.element.allows(lanes) {
        lanes -= 1;
    }
    let place = maker.below(ty.lanes / lanes) * lanes;
    (Type { lanes, ..ty }, place)
}

/// Parts of other numbers of lanes than powers of two `llc-22` inserts wrongly: it changes lanes behind them.
fn insert_part(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let (mut part, mut place) = part(maker, ty);
    while !part.lanes.is_power_of_two() {
        (part, place) = self::part(maker, ty);
    }
    let (a, b) = (maker.operand(ty, Fill::Any), maker.input(part, Fill::Any));
    let name = format!("llvm.{name}.{}.{}", ty.suffix(), part.suffix());
    let arguments = [argument(ty, a), argument(part, b), flag("i64", &place.to_string())];
    let result = maker.call(&ty.to_string(), &name, &arguments);
    maker.output(ty, &result);
}

fn extract_part(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let (part, place) = part(maker, ty);
    let a = maker.input(ty, Fill::Any);
    let name = format!("llvm.{name}.{}.{}", part.suffix(), ty.suffix());
    let arguments = [argument(ty, a), flag("i64", &place.to_string())];
    let result = maker.call(&part.to_string(), &name, &arguments);
    maker.output(part, &result);
}

fn reverse(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let a = maker.input(ty, Fill::Any);
    let result = maker.call(
        &ty.to_string(),
        &format!("llvm.{name}.{}", ty.suffix()),
        &[argument(ty, a)],
    );
    maker.output(ty, &result);
}

fn splice(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let (a, b) = (maker.input(ty, Fill::Any), maker.operand(ty, Fill::Any));
    let place = i64::from(maker.below(2 * ty.lanes)) - i64::from(ty.lanes);
    let arguments = [argument(ty, a), argument(ty, b), flag("i32", &place.to_string())];
    let result = maker.call(&ty.to_string(), &format!("llvm.{name}.{}", ty.suffix()), &arguments);
    maker.output(ty, &result);
}

/// A vector that is put together of some others, lane by lane, or taken apart.
fn parts(maker: &mut Maker<'_>, ty: Type) -> (u32, Type, Type) {
    let factor = maker.random.pick(&[2, 2, 2, 3, 4]);
    let mut lanes = ty.lanes.min(MOST_LANES / factor);
    while !ty.element.allows(lanes) || !ty.element.allows(lanes * factor) {
        lanes -= 1;
    }
    (
        factor,
        Type { lanes, ..ty },
        Type {
            lanes: lanes * factor,
            ..ty
        },
    )
}

fn interleave(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let (factor, short, long) = parts(maker, ty);
    let arguments: Vec<_> = (0..factor)
        .map(|_| argument(short, maker.input(short, Fill::Any)))
        .collect();
    let name = format!("llvm.{name}{factor}.{}", long.suffix());
    let result = maker.call(&long.to_string(), &name, &arguments);
    maker.output(long, &result);
}

fn deinterleave(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let (factor, short, long) = parts(maker, ty);
    let a = maker.input(long, Fill::Any);
    let name = format!("llvm.{name}{factor}.{}", long.suffix());
    let all = vec![short.to_string(); factor as usize].join(", ");
    let all = format!("{{ {all} }}");
    let both = maker.call(&all, &name, &[argument(long, a)]);
    for index in 0..factor {
        let value = maker.emit(&format!("extractvalue {all} {both}, {index}"));
        maker.output(short, &value);
    }
}

fn has_whole_bytes(element: Element) -> bool {
    element.has_whole_bytes()
}

/// Truth values, odd widths and other numbers of lanes than powers of two `llc-22` compresses wrongly, or it writes
/// beyond its frame.
fn compress(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let lanes = 1 << ty.lanes.ilog2();
    let ty = Type { lanes, ..ty };
    let a = maker.input(ty, Fill::Any);
    let truth = mask(maker, ty);
    let other = maker.operand(ty, Fill::Any);
    let arguments = [argument(ty, a), argument(ty.truth(), truth), argument(ty, other)];
    let result = maker.call(&ty.to_string(), &format!("llvm.{name}.{}", ty.suffix()), &arguments);
    maker.output(ty, &result);
}

/// Constants by themselves, and some of whose lanes are poison.
fn constant(maker: &mut Maker<'_>, _: &str, ty: Type) {
    let value = ty.literal(maker.random);
    maker.output(ty, &value);
    let is_good: Vec<bool> = (0..ty.lanes).map(|_| maker.below(3) > 0).collect();
    let lanes: Vec<String> = (is_good.iter())
        .map(|is_good| match is_good {
            true => ty.element.literal(maker.random),
            false => "poison".to_owned(),
        })
        .collect();
    let a = maker.input(ty, Fill::Any);
    let words: Vec<String> = is_good.iter().map(bool::to_string).collect();
    let result = maker.emit(&format!(
        "select {} {}, {ty} {}, {ty} {a}",
        ty.truth(),
        ty.truth().of_lanes(&words),
        ty.of_lanes(&lanes)
    ));
    maker.output(ty, &result);
}
