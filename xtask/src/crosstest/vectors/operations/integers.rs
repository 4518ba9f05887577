//! Operations on integers: arithmetic, comparisons, intrinsics and reductions.

use super::super::maker::{Fill, Maker};
use super::super::types::{Element, Type};
use super::{Table, argument, flag, is_int, is_number, mask, same_type};

pub const TABLE: Table = &[
    (is_int, binary, &["add", "sub", "mul", "and", "or", "xor"]),
    (is_int, division, &["udiv", "urem"]),
    (is_number, division, &["sdiv", "srem"]),
    (is_int, shift, &["shl", "lshr", "ashr"]),
    (
        is_int,
        compare,
        &["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"],
    ),
    (is_int, one, &["ctpop", "bitreverse"]),
    (has_pairs_of_bytes, one, &["bswap"]),
    (is_int, flagged, &["ctlz", "cttz", "abs"]),
    (
        is_int,
        two,
        &[
            "smin", "smax", "umin", "umax", "uadd.sat", "sadd.sat", "usub.sat", "ssub.sat",
        ],
    ),
    (is_number, shift_saturating, &["ushl.sat", "sshl.sat"]),
    (is_int, three, &["fshl", "fshr"]),
    (
        is_int,
        overflow,
        &[
            "uadd.with.overflow",
            "sadd.with.overflow",
            "usub.with.overflow",
            "ssub.with.overflow",
            "umul.with.overflow",
            "smul.with.overflow",
        ],
    ),
    (is_number, three_way, &["scmp", "ucmp"]),
    (
        is_small,
        fixed_point,
        &["smul.fix", "umul.fix", "smul.fix.sat", "umul.fix.sat"],
    ),
    (
        is_int,
        reduce,
        &["add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"],
    ),
    (has_bytes, partial_reduce, &["vector.partial.reduce.add"]),
    (is_int, active_lanes, &["get.active.lane.mask"]),
    (is_int, trailing, &["experimental.cttz.elts"]),
    (is_int, steps, &["stepvector"]),
    (has_bytes, histogram, &["experimental.vector.histogram.add"]),
    (is_int, chain, &["chain"]),
];

fn has_pairs_of_bytes(element: Element) -> bool {
    element.int_bits().is_some_and(|bits| bits % 16 == 0)
}

fn has_bytes(element: Element) -> bool {
    matches!(element, Element::Int(8 | 16 | 32 | 64))
}

fn is_small(element: Element) -> bool {
    matches!(element, Element::Int(7 | 8 | 16 | 24 | 32))
}

fn binary(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let (a, b) = (maker.input(ty, Fill::Any), maker.operand(ty, Fill::Any));
    let (a, b) = if maker.below(2) == 0 { (a, b) } else { (b, a) };
    let result = maker.emit(&format!("{name} {ty} {a}, {b}"));
    maker.output(ty, &result);
}

fn division(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let bits = ty.element.bits();
    let a = maker.input(ty, Fill::Any);
    // Neither zero nor minus one, by which the smallest number cannot be divided.
    let divisor = match maker.below(3) {
        _ if bits < 4 => ty.splat(if bits == 1 { "true" } else { "1" }),
        0 => ty.splat(maker.random.pick(&["1", "3", "4", "5", "7"])),
        1 => {
            let b = maker.input(ty, Fill::Any);
            let down = maker.emit(&format!("lshr {ty} {b}, {}", ty.splat(&(bits / 2).to_string())));
            maker.emit(&format!("or {ty} {down}, {}", ty.splat("1")))
        }
        _ => {
            let b = maker.input(ty, Fill::Any);
            let near = maker.emit(&format!("add {ty} {b}, {}", ty.splat("1")));
            let is_bad = maker.emit(&format!("icmp ult {ty} {near}, {}", ty.splat("2")));
            maker.emit(&format!(
                "select {} {is_bad}, {ty} {}, {ty} {b}",
                ty.truth(),
                ty.splat("3")
            ))
        }
    };
    let result = maker.emit(&format!("{name} {ty} {a}, {divisor}"));
    maker.output(ty, &result);
}

/// A constant distance that is less than the width: of `llc-22`, constants that are multiples of the width but for zero
/// get something else.
pub fn constant_distance(maker: &mut Maker<'_>, ty: Type) -> String {
    let bits = ty.element.bits();
    let any = |maker: &mut Maker<'_>| maker.below(bits).to_string();
    match maker.below(2) {
        _ if bits == 1 => ty.splat("false"),
        0 => {
            let lane = any(maker);
            ty.splat(&lane)
        }
        _ => {
            let lanes: Vec<String> = (0..ty.lanes).map(|_| any(maker)).collect();
            ty.of_lanes(&lanes)
        }
    }
}

/// A distance that is less than the width.
fn distance(maker: &mut Maker<'_>, ty: Type) -> String {
    let bits = ty.element.bits();
    match maker.below(4) {
        _ if bits == 1 => ty.splat("false"),
        0 | 1 => constant_distance(maker, ty),
        2 if ty.lanes > 1 => {
            let lane = maker.input(ty.lane(), Fill::Any);
            let inside = maker.emit(&format!("and {} {lane}, {}", ty.lane(), (1 << bits.ilog2()) - 1));
            let first = maker.emit(&format!("insertelement {ty} poison, {} {inside}, i32 0", ty.lane()));
            let zeros = Type::vector(Element::Int(32), ty.lanes);
            maker.emit(&format!(
                "shufflevector {ty} {first}, {ty} poison, {zeros} zeroinitializer"
            ))
        }
        _ => {
            let b = maker.input(ty, Fill::Any);
            let most = ty.splat(&((1 << bits.ilog2()) - 1).to_string());
            maker.emit(&format!("and {ty} {b}, {most}"))
        }
    }
}

fn shift(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let a = maker.operand(ty, Fill::Any);
    let b = distance(maker, ty);
    let result = maker.emit(&format!("{name} {ty} {a}, {b}"));
    maker.output(ty, &result);
}

fn compare(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let a = maker.input(ty, Fill::Any);
    // `llc-22` takes the upper half of a negative constant in `<1 x i128>` for zero.
    let b = match ty {
        Type {
            element: Element::Int(128),
            lanes: 1,
        } => maker.input(ty, Fill::Any),
        _ => maker.operand(ty, Fill::Any),
    };
    let truth = maker.emit(&format!("icmp {name} {ty} {a}, {b}"));
    spread(maker, ty, &truth);
}

/// Compares truth values as they are, as numbers, or by what they select.
pub fn spread(maker: &mut Maker<'_>, ty: Type, truth: &str) {
    let truths = ty.truth();
    match maker.below(4) {
        0 => maker.output(truths, truth),
        1 => {
            let wide = ty.with(Element::Int(maker.random.pick(&[8, 16, 32, 64])));
            let cast = maker.random.pick(&["sext", "zext"]);
            let result = maker.emit(&format!("{cast} {truths} {truth} to {wide}"));
            maker.output(wide, &result);
        }
        2 if ty.lanes > 1 => {
            let bits = Type::scalar(Element::Int(ty.lanes));
            let result = maker.emit(&format!("bitcast {truths} {truth} to {bits}"));
            maker.output(bits, &result);
        }
        _ => {
            let (a, b) = (maker.input(ty, Fill::Any), maker.operand(ty, Fill::Any));
            let result = maker.emit(&format!("select {truths} {truth}, {ty} {a}, {ty} {b}"));
            maker.output(ty, &result);
        }
    }
}

fn one(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let a = maker.input(ty, Fill::Any);
    let result = same_type(maker, name, ty, vec![a]);
    maker.output(ty, &result);
}

fn two(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let (a, b) = (maker.input(ty, Fill::Any), maker.operand(ty, Fill::Any));
    let result = same_type(maker, name, ty, vec![a, b]);
    maker.output(ty, &result);
}

fn three(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let (a, b) = (maker.input(ty, Fill::Any), maker.input(ty, Fill::Any));
    let c = match maker.below(4) {
        0 => constant_distance(maker, ty),
        _ => maker.input(ty, Fill::Any),
    };
    let result = same_type(maker, name, ty, vec![a, b, c]);
    maker.output(ty, &result);
}

fn shift_saturating(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let a = maker.input(ty, Fill::Any);
    let b = distance(maker, ty);
    let result = same_type(maker, name, ty, vec![a, b]);
    maker.output(ty, &result);
}

fn flagged(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let a = maker.input(ty, Fill::Any);
    let arguments = [argument(ty, a), flag("i1", "false")];
    let result = maker.call(&ty.to_string(), &format!("llvm.{name}.{}", ty.suffix()), &arguments);
    maker.output(ty, &result);
}

fn fixed_point(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let (a, b) = (maker.input(ty, Fill::Any), maker.operand(ty, Fill::Any));
    let scale = maker.below(ty.element.bits() - 1).to_string();
    let arguments = [argument(ty, a), argument(ty, b), flag("i32", &scale)];
    let result = maker.call(&ty.to_string(), &format!("llvm.{name}.{}", ty.suffix()), &arguments);
    maker.output(ty, &result);
}

/// Not by a constant: `llc-22` says of `<8 x i8>` that 85 - 128 overflows, if it is constant what is added.
fn overflow(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let (a, b) = (maker.input(ty, Fill::Any), maker.input(ty, Fill::Any));
    let pair = format!("{{ {ty}, {} }}", ty.truth());
    let arguments = [argument(ty, a), argument(ty, b)];
    let both = maker.call(&pair, &format!("llvm.{name}.{}", ty.suffix()), &arguments);
    let result = maker.emit(&format!("extractvalue {pair} {both}, 0"));
    maker.output(ty, &result);
    let truth = maker.emit(&format!("extractvalue {pair} {both}, 1"));
    maker.output(ty.truth(), &truth);
}

fn three_way(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let (a, b) = (maker.input(ty, Fill::Any), maker.operand(ty, Fill::Any));
    let result = ty.with(Element::Int(maker.random.pick(&[8, 16, 32, 64])));
    let arguments = [argument(ty, a), argument(ty, b)];
    let name = format!("llvm.{name}.{}.{}", result.suffix(), ty.suffix());
    let value = maker.call(&result.to_string(), &name, &arguments);
    maker.output(result, &value);
}

fn reduce(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let a = maker.input(ty, Fill::Any);
    let name = format!("llvm.vector.reduce.{name}.{}", ty.suffix());
    let result = maker.call(&ty.lane().to_string(), &name, &[argument(ty, a)]);
    maker.output(ty.lane(), &result);
}

/// How lanes are joined is free, but each lane of the result is not: only their sum is compared.
fn partial_reduce(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let factor = maker.random.pick(&[1, 2, 4]);
    let lanes = (ty.lanes / factor).max(1);
    let (start, long) = (
        Type::vector(ty.element, lanes),
        Type::vector(ty.element, lanes * factor),
    );
    let (a, b) = (maker.input(start, Fill::Any), maker.input(long, Fill::Any));
    let name = format!("llvm.{name}.{}.{}", start.suffix(), long.suffix());
    let arguments = [argument(start, a), argument(long, b)];
    let partial = maker.call(&start.to_string(), &name, &arguments);
    let name = format!("llvm.vector.reduce.add.{}", start.suffix());
    let result = maker.call(&start.lane().to_string(), &name, &[argument(start, partial)]);
    maker.output(start.lane(), &result);
}

fn active_lanes(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let index = Type::scalar(Element::Int(maker.random.pick(&[32, 64])));
    let base = maker.input(index, Fill::Any);
    let distance = maker.input(index, Fill::Any);
    let near = maker.emit(&format!("and {index} {distance}, 63"));
    let end = maker.emit(&format!("add {index} {base}, {near}"));
    let truth = ty.truth();
    let name = format!("llvm.{name}.{}.{}", truth.suffix(), index.suffix());
    let arguments = [argument(index, base), argument(index, end)];
    let result = maker.call(&truth.to_string(), &name, &arguments);
    spread(maker, ty, &result);
}

fn trailing(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let (argument_type, value) = match maker.below(2) {
        0 => (ty, maker.input(ty, Fill::Any)),
        _ => (ty.truth(), mask(maker, ty)),
    };
    let result = Type::scalar(Element::Int(maker.random.pick(&[16, 32, 64])));
    let name = format!("llvm.{name}.{}.{}", result.suffix(), argument_type.suffix());
    let arguments = [argument(argument_type, value), flag("i1", "false")];
    let number = maker.call(&result.to_string(), &name, &arguments);
    maker.output(result, &number);
}

fn steps(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let bits = ty.element.bits();
    let ty = if bits < 8 { ty.with(Element::Int(8)) } else { ty };
    let value = maker.call(&ty.to_string(), &format!("llvm.{name}.{}", ty.suffix()), &[]);
    let other = maker.input(ty, Fill::Any);
    let result = maker.emit(&format!("add {ty} {value}, {other}"));
    maker.output(ty, &result);
}

/// Counts in the output, where several lanes may count the same.
fn histogram(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let counter = ty.element;
    let numbers = Type::vector(Element::Int(64), ty.lanes);
    let index = maker.input(numbers, Fill::Any);
    let inside = maker.emit(&format!("and {numbers} {index}, {}", numbers.splat("7")));
    let counters = maker.output_address(Type::vector(counter, 8));
    let address = maker.emit(&format!("getelementptr {counter}, ptr {counters}, {numbers} {inside}"));
    let truth = mask(maker, ty);
    let step = maker.input(ty.lane(), Fill::Any);
    let addresses = Type::vector(Element::Pointer, ty.lanes);
    let name = format!("llvm.{name}.{}.{}", addresses.suffix(), ty.lane().suffix());
    let arguments = [
        argument(addresses, address),
        argument(ty.lane(), step),
        argument(ty.truth(), truth),
    ];
    let call = maker.call_text("void", &name, &arguments);
    maker.line(&call);
}

/// Several operations in a row, so that values stay in registers between them.
fn chain(maker: &mut Maker<'_>, _: &str, ty: Type) {
    let mut values = vec![maker.input(ty, Fill::Any), maker.input(ty, Fill::Any)];
    for _ in 0..6 {
        let [a, b] = [0; 2].map(|_| values[maker.random.below(values.len())].clone());
        let value = match maker.below(4) {
            0 | 1 => {
                let op = maker.random.pick(&["add", "sub", "mul", "and", "or", "xor"]);
                maker.emit(&format!("{op} {ty} {a}, {b}"))
            }
            2 => {
                let predicate = maker.random.pick(&["slt", "ugt", "eq", "sge"]);
                let truth = maker.emit(&format!("icmp {predicate} {ty} {a}, {b}"));
                maker.emit(&format!("select {} {truth}, {ty} {b}, {ty} {a}", ty.truth()))
            }
            _ => {
                let name = maker.random.pick(&["smin", "umax", "uadd.sat", "ssub.sat"]);
                same_type(maker, name, ty, vec![a, b])
            }
        };
        values.push(value);
    }
    let last = values.len() - 1;
    maker.output(ty, &values[last]);
}
