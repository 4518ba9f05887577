//! `llvm.vp.*`: operations under a mask and for the first lanes only; the others are poison. Those that llc refuses for
//! x86 are left out.

use super::super::maker::{Fill, Maker};
use super::super::types::{Element, Type};
use super::casts::{float, width};
use super::floats::without_sign_of_zero;
use super::integers::constant_distance;
use super::memory::places;
use super::{Table, argument, is_float, is_int, mask};

pub const TABLE: Table = &[
    (
        is_int,
        binary,
        &[
            "vp.add",
            "vp.sub",
            "vp.mul",
            "vp.and",
            "vp.or",
            "vp.xor",
            "vp.smax",
            "vp.umin",
            "vp.sadd.sat",
            "vp.usub.sat",
        ],
    ),
    (is_int, unary, &["vp.ctpop", "vp.bitreverse"]),
    (is_int, special, &["vp.abs", "vp.ctlz", "vp.cttz"]),
    (is_int, three, &["vp.fshl", "vp.fshr"]),
    (is_float, binary, &["vp.fadd", "vp.fsub", "vp.fmul", "vp.fdiv"]),
    (is_float, unary, &["vp.fneg", "vp.fabs", "vp.sqrt"]),
    (is_float, three, &["vp.fma"]),
    (is_int, wider, &["vp.sext", "vp.zext"]),
    (is_int, to_float, &["vp.sitofp", "vp.uitofp"]),
    (is_float, to_int, &["vp.fptosi"]),
    (is_int, compare, &["vp.icmp"]),
    (is_float, compare, &["vp.fcmp"]),
    (is_int, reduce, &["vp.reduce.add", "vp.reduce.xor", "vp.reduce.umax"]),
    (is_float, reduce, &["vp.reduce.fadd"]),
    (
        is_chosen,
        reduce,
        &[
            "vp.reduce.fmax",
            "vp.reduce.fmin",
            "vp.reduce.fminimum",
            "vp.reduce.fmaximum",
        ],
    ),
    (has_whole_bytes, gather, &["vp.gather"]),
    (has_whole_bytes, scatter, &["vp.scatter"]),
    (has_whole_bytes, load, &["vp.load"]),
    (has_whole_bytes, store, &["vp.store"]),
    (is_int, select, &["vp.select", "vp.merge"]),
];

fn has_whole_bytes(element: Element) -> bool {
    element.has_whole_bytes()
}

/// Among lanes of `bfloat`, `llc-22` does not always choose the right one where there are NaNs.
fn is_chosen(element: Element) -> bool {
    element.is_float() && element != Element::Brain
}

/// A mask and a number of lanes.
fn predicate(maker: &mut Maker<'_>, ty: Type) -> (String, String) {
    let truth = mask(maker, ty);
    (truth, length(maker, ty))
}

fn length(maker: &mut Maker<'_>, ty: Type) -> String {
    if maker.below(3) == 0 {
        return (1 + maker.below(ty.lanes)).to_string();
    }
    let int = Type::scalar(Element::Int(32));
    let number = maker.input(int, Fill::Any);
    maker.emit(&format!("urem i32 {number}, {}", ty.lanes + 1))
}

/// Which lanes are no poison.
fn active(maker: &mut Maker<'_>, ty: Type, truth: &str, length: &str) -> String {
    let numbers = Type::vector(Element::Int(32), ty.lanes);
    let steps: Vec<String> = (0..ty.lanes).map(|lane| lane.to_string()).collect();
    let lanes = Type::vector(Element::Int(32), ty.lanes);
    let first = maker.emit(&format!("insertelement {numbers} poison, i32 {length}, i64 0"));
    let all = maker.emit(&format!(
        "shufflevector {numbers} {first}, {numbers} poison, {lanes} zeroinitializer"
    ));
    let inside = maker.emit(&format!("icmp ult {numbers} {}, {all}", numbers.of_lanes(&steps)));
    maker.emit(&format!("and {} {inside}, {truth}", ty.truth()))
}

fn finish(maker: &mut Maker<'_>, name: &str, ty: Type, operands: &[String]) {
    let arguments = operands.iter().map(|operand| argument(ty, operand.clone())).collect();
    finish_as(maker, &format!("{name}.{}", ty.suffix()), ty, arguments);
}

/// Calls an intrinsic with a mask and a length after these arguments.
fn finish_as(maker: &mut Maker<'_>, name: &str, ty: Type, mut arguments: Vec<(String, String)>) {
    let (truth, length) = predicate(maker, ty);
    arguments.push(argument(ty.truth(), truth.clone()));
    arguments.push(("i32".to_owned(), length.clone()));
    let value = maker.call(&ty.to_string(), &format!("llvm.{name}"), &arguments);
    chosen(maker, ty, &value, (&truth, &length));
}

fn chosen(maker: &mut Maker<'_>, ty: Type, value: &str, (truth, length): (&str, &str)) {
    let active = active(maker, ty, truth, length);
    let result = maker.emit(&format!(
        "select {} {active}, {ty} {value}, {ty} zeroinitializer",
        ty.truth()
    ));
    maker.output(ty, &result);
}

fn binary(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let operands = [maker.input(ty, Fill::Any), maker.operand(ty, Fill::Any)];
    finish(maker, name, ty, &operands);
}

fn unary(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let operands = [maker.input(ty, Fill::Any)];
    finish(maker, name, ty, &operands);
}

fn three(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let (a, b) = (maker.input(ty, Fill::Any), maker.input(ty, Fill::Any));
    let c = match ty.element.is_float() {
        true => ty.literal(maker.random),
        false => constant_distance(maker, ty),
    };
    finish(maker, name, ty, &[a, b, c]);
}

/// With a special input that is none.
fn special(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let a = maker.input(ty, Fill::Any);
    let arguments = vec![argument(ty, a), ("i1".to_owned(), "false".to_owned())];
    finish_as(maker, &format!("{name}.{}", ty.suffix()), ty, arguments);
}

fn cast(maker: &mut Maker<'_>, name: &str, (from, fill): (Type, Fill), to: Type) {
    let a = maker.input(from, fill);
    let name = format!("{name}.{}.{}", to.suffix(), from.suffix());
    finish_as(maker, &name, to, vec![argument(from, a)]);
}

fn wider(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let ty = if ty.element == Element::Int(128) {
        ty.truth()
    } else {
        ty
    };
    let to = width(maker, ty.lanes, |bits| bits > ty.element.bits());
    cast(maker, name, (ty, Fill::Any), ty.with(to));
}

fn to_float(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let to = float(maker);
    cast(maker, name, (ty, Fill::Any), ty.with(to));
}

fn to_int(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let to = width(maker, ty.lanes, |_| true);
    cast(maker, name, (ty, Fill::Signed(to.bits())), ty.with(to));
}

fn compare(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let (a, b) = (maker.input(ty, Fill::Any), maker.operand(ty, Fill::Any));
    let predicate = match ty.element.is_float() {
        true => maker.random.pick(&["oeq", "ult", "uno", "one", "uge"]),
        false => maker.random.pick(&["eq", "ne", "ult", "uge", "slt", "sgt"]),
    };
    let arguments = vec![
        argument(ty, a),
        argument(ty, b),
        ("metadata".to_owned(), format!("!\"{predicate}\"")),
    ];
    finish_as(maker, &format!("{name}.{}", ty.suffix()), ty.truth(), arguments);
}

fn gather(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let base = maker.input_address(Type { lanes: 64, ..ty }, Fill::Any);
    let (of_addresses, address) = places(maker, &base, ty);
    let name = format!("{name}.{}.{}", ty.suffix(), of_addresses.suffix());
    finish_as(maker, &name, ty, vec![argument(of_addresses, address)]);
}

fn scatter(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let value = maker.input(ty, Fill::Any);
    let base = maker.output_address(Type { lanes: 64, ..ty });
    let (of_addresses, address) = places(maker, &base, ty);
    let (truth, length) = predicate(maker, ty);
    let arguments = [
        argument(ty, value),
        argument(of_addresses, address),
        argument(ty.truth(), truth),
        ("i32".to_owned(), length),
    ];
    let name = format!("llvm.{name}.{}.{}", ty.suffix(), of_addresses.suffix());
    let call = maker.call_text("void", &name, &arguments);
    maker.line(&call);
}

fn reduce(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let fill = match name {
        "vp.reduce.fadd" => Fill::Small,
        _ => Fill::Any,
    };
    let (start, a) = (maker.operand(ty.lane(), fill), maker.input(ty, fill));
    let (truth, length) = predicate(maker, ty);
    let arguments = [
        argument(ty.lane(), start),
        argument(ty, a),
        argument(ty.truth(), truth),
        ("i32".to_owned(), length),
    ];
    let name = format!("llvm.{name}.{}", ty.suffix());
    let result = maker.call(&ty.lane().to_string(), &name, &arguments);
    match ty.element.is_float() {
        true => without_sign_of_zero(maker, ty.lane(), &result),
        false => maker.output(ty.lane(), &result),
    }
}

fn load(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let from = maker.input_address(ty, Fill::Any);
    let (truth, length) = predicate(maker, ty);
    let arguments = [
        ("ptr".to_owned(), from),
        argument(ty.truth(), truth.clone()),
        ("i32".to_owned(), length.clone()),
    ];
    let value = maker.call(&ty.to_string(), &format!("llvm.{name}.{}.p0", ty.suffix()), &arguments);
    chosen(maker, ty, &value, (&truth, &length));
}

fn store(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let value = maker.input(ty, Fill::Any);
    let to = maker.output_address(ty);
    let (truth, length) = predicate(maker, ty);
    let arguments = [
        argument(ty, value),
        ("ptr".to_owned(), to),
        argument(ty.truth(), truth),
        ("i32".to_owned(), length),
    ];
    let call = maker.call_text("void", &format!("llvm.{name}.{}.p0", ty.suffix()), &arguments);
    maker.line(&call);
}

fn select(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let (a, b) = (maker.input(ty, Fill::Any), maker.operand(ty, Fill::Any));
    let (truth, length) = predicate(maker, ty);
    let arguments = [
        argument(ty.truth(), truth),
        argument(ty, a),
        argument(ty, b),
        ("i32".to_owned(), length.clone()),
    ];
    let value = maker.call(&ty.to_string(), &format!("llvm.{name}.{}", ty.suffix()), &arguments);
    if name == "vp.merge" {
        return maker.output(ty, &value);
    }
    let every = ty.truth().splat("true");
    chosen(maker, ty, &value, (&every, &length));
}
