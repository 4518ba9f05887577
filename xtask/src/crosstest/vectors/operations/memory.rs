//! Memory: plain accesses, accesses under a mask, and vectors of addresses.

use super::super::maker::{Fill, Maker};
use super::super::types::{Element, Type};
use super::{Table, any, argument, flag, mask};

pub const TABLE: Table = &[
    (any, copy, &["load-store"]),
    (any, through_slot, &["alloca"]),
    (has_whole_bytes, masked_load, &["masked.load"]),
    (has_whole_bytes, masked_store, &["masked.store"]),
    (has_whole_bytes, gather, &["masked.gather"]),
    (has_whole_bytes, scatter, &["masked.scatter"]),
    (has_whole_bytes, expand, &["masked.expandload"]),
    (has_whole_bytes, compress, &["masked.compressstore"]),
    (any, addresses, &["getelementptr"]),
    (any, compare_addresses, &["icmp-ptr"]),
];

fn has_whole_bytes(element: Element) -> bool {
    element.has_whole_bytes()
}

fn copy(maker: &mut Maker<'_>, _: &str, ty: Type) {
    let (from, to) = (maker.input_address(ty, Fill::Any), maker.output_address(ty));
    let volatile = maker.random.pick(&["", "", "volatile "]);
    let align = maker.random.pick(&[1, 2, 4, 8, 16, 32, 64]);
    let value = maker.emit(&format!("load {volatile}{ty}, ptr {from}, align {align}"));
    maker.line(&format!("store {volatile}{ty} {value}, ptr {to}, align {align}"));
}

fn through_slot(maker: &mut Maker<'_>, _: &str, ty: Type) {
    let value = maker.input(ty, Fill::Any);
    let slot = maker.emit(&format!("alloca {ty}"));
    maker.line(&format!("store {ty} {value}, ptr {slot}"));
    let loaded = maker.emit(&format!("load volatile {ty}, ptr {slot}"));
    maker.output(ty, &loaded);
}

fn masked_load(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let from = maker.input_address(ty, Fill::Any);
    let truth = mask(maker, ty);
    let other = maker.operand(ty, Fill::Any);
    let arguments = [
        flag("ptr align 1", &from),
        argument(ty.truth(), truth),
        argument(ty, other),
    ];
    let result = call_at(
        maker,
        &ty.to_string(),
        &format!("llvm.{name}.{}.p0", ty.suffix()),
        &arguments,
    );
    let result = maker.emit(&result);
    maker.output(ty, &result);
}

/// A call whose first pointer carries an alignment, which is not declared.
fn call_at(maker: &mut Maker<'_>, result: &str, name: &str, arguments: &[(String, String)]) -> String {
    let plain: Vec<_> = arguments
        .iter()
        .map(|(ty, operand)| (ty.replace(" align 1", ""), operand.clone()))
        .collect();
    maker.call_text(result, name, &plain);
    let operands: Vec<String> = arguments
        .iter()
        .map(|(ty, operand)| format!("{ty} {operand}"))
        .collect();
    format!("call {result} @{name}({})", operands.join(", "))
}

fn masked_store(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let value = maker.operand(ty, Fill::Any);
    let truth = mask(maker, ty);
    let to = maker.output_address(ty);
    let arguments = [
        argument(ty, value),
        flag("ptr align 1", &to),
        argument(ty.truth(), truth),
    ];
    let call = call_at(maker, "void", &format!("llvm.{name}.{}.p0", ty.suffix()), &arguments);
    maker.line(&call);
}

/// Addresses of elements of this type from some base on, by numbers of other lanes.
pub(super) fn places(maker: &mut Maker<'_>, base: &str, ty: Type) -> (Type, String) {
    let index = Type::vector(Element::Int(maker.random.pick(&[8, 16, 32, 64])), ty.lanes);
    let numbers = maker.input(index, Fill::Any);
    let inside = maker.emit(&format!("and {index} {numbers}, {}", index.splat("63")));
    let address = maker.emit(&format!("getelementptr {}, ptr {base}, {index} {inside}", ty.element));
    (ty.with(Element::Pointer), address)
}

fn gather(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let all = Type { lanes: 64, ..ty };
    let base = maker.input_address(all, Fill::Any);
    let (of_addresses, address) = places(maker, &base, ty);
    let truth = mask(maker, ty);
    let other = ty.literal(maker.random);
    let arguments = [
        argument(of_addresses, address),
        argument(ty.truth(), truth),
        argument(ty, other),
    ];
    let name = format!("llvm.{name}.{}.{}", ty.suffix(), of_addresses.suffix());
    let result = maker.call(&ty.to_string(), &name, &arguments);
    maker.output(ty, &result);
}

fn scatter(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let value = maker.input(ty, Fill::Any);
    let base = maker.output_address(Type { lanes: 64, ..ty });
    let (of_addresses, address) = places(maker, &base, ty);
    let truth = mask(maker, ty);
    let arguments = [
        argument(ty, value),
        argument(of_addresses, address),
        argument(ty.truth(), truth),
    ];
    let name = format!("llvm.{name}.{}.{}", ty.suffix(), of_addresses.suffix());
    let call = maker.call_text("void", &name, &arguments);
    maker.line(&call);
}

fn expand(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let from = maker.input_address(ty, Fill::Any);
    let truth = mask(maker, ty);
    let other = maker.operand(ty, Fill::Any);
    let arguments = [flag("ptr", &from), argument(ty.truth(), truth), argument(ty, other)];
    let result = maker.call(&ty.to_string(), &format!("llvm.{name}.{}", ty.suffix()), &arguments);
    maker.output(ty, &result);
}

fn compress(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let value = maker.operand(ty, Fill::Any);
    let truth = mask(maker, ty);
    let to = maker.output_address(ty);
    let arguments = [argument(ty, value), flag("ptr", &to), argument(ty.truth(), truth)];
    let call = maker.call_text("void", &format!("llvm.{name}.{}", ty.suffix()), &arguments);
    maker.line(&call);
}

/// Addresses from bases of lanes or of all, by distances of lanes or of all.
fn addresses(maker: &mut Maker<'_>, op: &str, ty: Type) {
    let pointers = ty.with(Element::Pointer);
    let index = Type::vector(Element::Int(maker.random.pick(&[8, 16, 32, 64])), ty.lanes);
    let source = maker
        .random
        .pick(&["i8", "i16", "i24", "i32", "i64", "[3 x i8]", "{ i8, i64 }", "double"]);
    let form = maker.below(3);
    let base = match form {
        0 => maker.input(pointers.lane(), Fill::Any),
        _ => maker.input(pointers, Fill::Any),
    };
    let base_type = if form == 0 { pointers.lane() } else { pointers };
    let index = if form == 1 { index.lane() } else { index };
    let numbers = maker.operand(index, Fill::Any);
    let result = maker.emit(&format!("{op} {source}, {base_type} {base}, {index} {numbers}"));
    maker.output(pointers, &result);
}

fn compare_addresses(maker: &mut Maker<'_>, _: &str, ty: Type) {
    let pointers = ty.with(Element::Pointer);
    let (a, b) = (maker.input(pointers, Fill::Any), maker.operand(pointers, Fill::Any));
    let predicate = maker.random.pick(&["eq", "ne", "ult", "sgt"]);
    let truth = maker.emit(&format!("icmp {predicate} {pointers} {a}, {b}"));
    maker.output(ty.truth(), &truth);
}
