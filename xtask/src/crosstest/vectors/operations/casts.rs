//! Casts between vectors, and the same bits as another type.

use super::super::maker::{Fill, Maker};
use super::super::types::{Element, FLOATS, Type};
use super::{Table, any, argument, is_float, is_int, is_number, no_pointer};

pub const TABLE: Table = &[
    (is_number, narrower, &["trunc"]),
    (is_int, wider, &["zext", "sext"]),
    (is_int, to_float, &["sitofp", "uitofp"]),
    (is_float, to_int, &["fptosi", "fptoui"]),
    (is_float, to_int_saturating, &["fptosi.sat", "fptoui.sat"]),
    (is_float, to_nearest, &["lrint", "llrint"]),
    (is_float, between_floats, &["fptrunc", "fpext"]),
    (is_int, pointers, &["ptrtoint", "inttoptr"]),
    (no_pointer, bits, &["bitcast"]),
    (any, freeze, &["freeze"]),
];

/// Widths to which is cast.
const WIDTHS: [u32; 12] = [1, 3, 7, 8, 16, 24, 32, 33, 48, 64, 64, 128];

fn cast(maker: &mut Maker<'_>, op: &str, (from, fill): (Type, Fill), to: Type) {
    let a = maker.operand(from, fill);
    let result = maker.emit(&format!("{op} {from} {a} to {to}"));
    maker.output(to, &result);
}

pub(super) fn width(maker: &mut Maker<'_>, lanes: u32, fits: impl Fn(u32) -> bool) -> Element {
    loop {
        let element = Element::Int(maker.random.pick(&WIDTHS));
        if fits(element.bits()) && element.allows(lanes) {
            return element;
        }
    }
}

fn narrower(maker: &mut Maker<'_>, op: &str, ty: Type) {
    let to = width(maker, ty.lanes, |bits| bits < ty.element.bits());
    cast(maker, op, (ty, Fill::Any), ty.with(to));
}

fn wider(maker: &mut Maker<'_>, op: &str, ty: Type) {
    let ty = if ty.element == Element::Int(128) {
        ty.truth()
    } else {
        ty
    };
    let to = width(maker, ty.lanes, |bits| bits > ty.element.bits());
    cast(maker, op, (ty, Fill::Any), ty.with(to));
}

pub(super) fn float(maker: &mut Maker<'_>) -> Element {
    maker.random.pick(&FLOATS)
}

fn to_float(maker: &mut Maker<'_>, op: &str, ty: Type) {
    let to = float(maker);
    cast(maker, op, (ty, Fill::Any), ty.with(to));
}

fn to_int(maker: &mut Maker<'_>, op: &str, ty: Type) {
    let to = width(maker, ty.lanes, |_| true);
    let bits = to.bits();
    let fill = match op {
        // The largest float has less bits than an integer of 128.
        "fptoui" => Fill::Unsigned(bits.min(127)),
        _ => Fill::Signed(bits),
    };
    cast(maker, op, (ty, fill), ty.with(to));
}

fn to_int_saturating(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let to = ty.with(width(maker, ty.lanes, |_| true));
    let a = maker.input(ty, Fill::Any);
    let name = format!("llvm.{name}.{}.{}", to.suffix(), ty.suffix());
    let result = maker.call(&to.to_string(), &name, &[argument(ty, a)]);
    maker.output(to, &result);
}

fn to_nearest(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let bits = match name {
        "lrint" => maker.random.pick(&[32, 64]),
        _ => 64,
    };
    let to = ty.with(Element::Int(bits));
    let a = maker.input(ty, Fill::Signed(bits - 1));
    let name = format!("llvm.{name}.{}.{}", to.suffix(), ty.suffix());
    let result = maker.call(&to.to_string(), &name, &[argument(ty, a)]);
    maker.output(to, &result);
}

/// A `bfloat` as an `fp128` is something else by `llc-22`, when it is one of several.
fn between_floats(maker: &mut Maker<'_>, op: &str, ty: Type) {
    let (wide, narrow) = loop {
        let (wide, narrow) = (float(maker), float(maker));
        let is_mistaken = op == "fpext" && (wide, narrow) == (Element::Quad, Element::Brain);
        if wide.bits() > narrow.bits() && !is_mistaken {
            break (wide, narrow);
        }
    };
    let (from, to) = if op == "fptrunc" {
        (wide, narrow)
    } else {
        (narrow, wide)
    };
    cast(maker, op, (ty.with(from), Fill::Any), ty.with(to));
}

fn pointers(maker: &mut Maker<'_>, op: &str, ty: Type) {
    let addresses = ty.with(Element::Pointer);
    match op {
        "ptrtoint" => cast(maker, op, (addresses, Fill::Any), ty),
        _ => cast(maker, op, (ty, Fill::Any), addresses),
    }
}

/// To another type of as many bits: a vector of some other elements, or a scalar.
fn bits(maker: &mut Maker<'_>, op: &str, ty: Type) {
    let total = ty.bits();
    // Of more than 1024 bits there are none.
    let mut found = Vec::from_iter((total <= 1024).then_some(Type::scalar(Element::Int(total))));
    let elements = WIDTHS
        .map(Element::Int)
        .into_iter()
        .chain([Element::Half, Element::Float, Element::Double]);
    for element in elements {
        if total.is_multiple_of(element.bits()) && element.allows(total / element.bits()) && element != ty.element {
            found.push(Type::vector(element, total / element.bits()));
        }
    }
    let to = if found.is_empty() {
        ty
    } else {
        maker.random.pick(&found)
    };
    let (from, to) = if maker.below(2) == 0 { (ty, to) } else { (to, ty) };
    cast(maker, op, (from, Fill::Any), to);
}

fn freeze(maker: &mut Maker<'_>, op: &str, ty: Type) {
    let a = maker.input(ty, Fill::Any);
    let result = maker.emit(&format!("{op} {ty} {a}"));
    maker.output(ty, &result);
}
