//! Operations on floating-point numbers.
//!
//! What may be done in one step or in two (`fmuladd`), or in any order, gets numbers for which that makes no
//! difference. Where a zero of either sign is right, zero is added.

use super::super::maker::{Fill, Maker};
use super::super::types::{Element, Type};
use super::integers::spread;
use super::{Table, argument, flag, is_float, same_type};

pub const TABLE: Table = &[
    (is_float, unary, &["fneg"]),
    (is_float, binary, &["fadd", "fsub", "fmul", "fdiv", "frem"]),
    (
        is_float,
        compare,
        &[
            "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "uge", "ult", "ule", "une",
            "true",
        ],
    ),
    (
        is_float,
        one,
        &[
            "sqrt",
            "fabs",
            "floor",
            "ceil",
            "trunc",
            "rint",
            "nearbyint",
            "round",
            "roundeven",
            "canonicalize",
            "sin",
            "cos",
            "tan",
            "exp",
            "exp2",
            "log",
            "log2",
            "log10",
        ],
    ),
    (is_float, two, &["copysign", "minimum", "maximum", "pow", "atan2"]),
    (is_float, either_zero, &["minnum", "maxnum", "minimumnum", "maximumnum"]),
    (is_float, three, &["fma"]),
    (is_float, exact_three, &["fmuladd"]),
    (is_float, with_integer, &["powi"]),
    (is_scaled, with_integers, &["ldexp"]),
    (is_float, to_integer, &["lrint", "llrint", "lround", "llround"]),
    (is_float, two_results, &["modf", "sincos"]),
    (is_single, two_results, &["frexp"]),
    (is_float, class, &["is.fpclass"]),
    (is_float, reduce_ordered, &["fadd", "fmul"]),
    (is_float, reduce_any_order, &["fadd", "fmul"]),
    (is_float, reduce, &["fmin", "fmax", "fminimum", "fmaximum"]),
    (is_float, negated_product, &["fma-negated"]),
];

/// Of doubles, `llc-22` gives the fractions for the exponents, too.
fn is_single(element: Element) -> bool {
    element == Element::Float
}

/// Of halves, `llc-22` takes the bits of the integers for floats where the processor can scale (`vscalefps`).
fn is_scaled(element: Element) -> bool {
    element.is_float() && element != Element::Half
}

fn unary(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let a = maker.input(ty, Fill::Any);
    let result = maker.emit(&format!("{name} {ty} {a}"));
    maker.output(ty, &result);
}

fn binary(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let (a, b) = (maker.input(ty, Fill::Any), maker.operand(ty, Fill::Any));
    let result = maker.emit(&format!("{name} {ty} {a}, {b}"));
    maker.output(ty, &result);
}

/// Of three `fp128`, `llc-22 -O1` for AArch64 compares the first ones only.
fn compare(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let is_mistaken = (ty.element, ty.lanes) == (Element::Quad, 3);
    let ty = if is_mistaken { Type { lanes: 4, ..ty } } else { ty };
    let (a, b) = (maker.input(ty, Fill::Any), maker.operand(ty, Fill::Any));
    let truth = maker.emit(&format!("fcmp {name} {ty} {a}, {b}"));
    spread(maker, ty, &truth);
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

pub(super) fn without_sign_of_zero(maker: &mut Maker<'_>, ty: Type, value: &str) {
    let result = maker.emit(&format!("fadd {ty} {value}, {}", ty.splat(ty.element.zero())));
    maker.output(ty, &result);
}

fn either_zero(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let (a, b) = (maker.input(ty, Fill::Any), maker.operand(ty, Fill::Any));
    let result = same_type(maker, name, ty, vec![a, b]);
    without_sign_of_zero(maker, ty, &result);
}

fn three(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let operands = (0..3).map(|_| maker.input(ty, Fill::Any)).collect();
    let result = same_type(maker, name, ty, operands);
    maker.output(ty, &result);
}

fn exact_three(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let operands = (0..3).map(|_| maker.input(ty, Fill::Small)).collect();
    let result = same_type(maker, name, ty, operands);
    maker.output(ty, &result);
}

fn negated_product(maker: &mut Maker<'_>, _: &str, ty: Type) {
    let mut operands: Vec<String> = (0..3).map(|_| maker.input(ty, Fill::Any)).collect();
    for operand in &mut operands {
        if maker.below(2) == 0 {
            *operand = maker.emit(&format!("fneg {ty} {operand}"));
        }
    }
    let result = same_type(maker, "fma", ty, operands);
    maker.output(ty, &result);
}

fn with_integer(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let int = Type::scalar(Element::Int(32));
    let (a, number) = (maker.input(ty, Fill::Any), maker.input(int, Fill::Any));
    let small = maker.emit(&format!("srem {int} {number}, 20"));
    let name = format!("llvm.{name}.{}.i32", ty.suffix());
    let result = maker.call(&ty.to_string(), &name, &[argument(ty, a), argument(int, small)]);
    maker.output(ty, &result);
}

fn with_integers(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let ints = ty.with(Element::Int(32));
    let (a, b) = (maker.input(ty, Fill::Any), maker.input(ints, Fill::Any));
    let name = format!("llvm.{name}.{}.{}", ty.suffix(), ints.suffix());
    let result = maker.call(&ty.to_string(), &name, &[argument(ty, a), argument(ints, b)]);
    maker.output(ty, &result);
}

fn to_integer(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let ints = ty.with(Element::Int(64));
    let a = maker.input(ty, Fill::Signed(31));
    let name = format!("llvm.{name}.{}.{}", ints.suffix(), ty.suffix());
    let result = maker.call(&ints.to_string(), &name, &[argument(ty, a)]);
    maker.output(ints, &result);
}

fn two_results(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let fill = if name == "frexp" { Fill::Signed(31) } else { Fill::Any };
    let a = maker.input(ty, fill);
    let second = if name == "frexp" { ty.with(Element::Int(32)) } else { ty };
    let pair = format!("{{ {ty}, {second} }}");
    let name = match name {
        "frexp" => format!("llvm.{name}.{}.{}", ty.suffix(), second.suffix()),
        _ => format!("llvm.{name}.{}", ty.suffix()),
    };
    let both = maker.call(&pair, &name, &[argument(ty, a)]);
    for (index, ty) in [(0, ty), (1, second)] {
        let result = maker.emit(&format!("extractvalue {pair} {both}, {index}"));
        maker.output(ty, &result);
    }
}

fn class(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let a = maker.input(ty, Fill::Any);
    // No signalling NaN alone: what those are, loads may change.
    let classes = (maker.below(1024) | 3).to_string();
    let arguments = [argument(ty, a), flag("i32", &classes)];
    let name = format!("llvm.{name}.{}", ty.suffix());
    let truth = maker.call(&ty.truth().to_string(), &name, &arguments);
    spread(maker, ty, &truth);
}

fn reduce_ordered(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let (start, a) = (maker.operand(ty.lane(), Fill::Any), maker.input(ty, Fill::Any));
    let name = format!("llvm.vector.reduce.{name}.{}", ty.suffix());
    let result = maker.call(
        &ty.lane().to_string(),
        &name,
        &[argument(ty.lane(), start), argument(ty, a)],
    );
    maker.output(ty.lane(), &result);
}

/// Sums and products of small integers do not depend on the order, or are infinite in any.
fn reduce_any_order(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let ty = match (name, ty.element) {
        ("fmul", _) => Type::vector(Element::Double, ty.lanes.min(16)),
        // Numbers of eight digits.
        (_, Element::Brain) => Type::vector(ty.element, ty.lanes.min(16)),
        _ => ty,
    };
    let (start, a) = (maker.input(ty.lane(), Fill::Small), maker.input(ty, Fill::Small));
    let name = format!("llvm.vector.reduce.{name}.{}", ty.suffix());
    let arguments = [argument(ty.lane(), start), argument(ty, a)];
    let call = maker.call_text(&ty.lane().to_string(), &name, &arguments);
    let result = maker.emit(&call.replacen("call", "call reassoc", 1));
    without_sign_of_zero(maker, ty.lane(), &result);
}

fn reduce(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let a = maker.input(ty, Fill::Any);
    let name = format!("llvm.vector.reduce.{name}.{}", ty.suffix());
    let result = maker.call(&ty.lane().to_string(), &name, &[argument(ty, a)]);
    without_sign_of_zero(maker, ty.lane(), &result);
}
