//! Vectors that live over branches, loops and calls.

use std::fmt::Write as _;

use super::super::maker::{Fill, Maker};
use super::super::types::{Element, Type};
use super::{Table, any, is_float};

pub const TABLE: Table = &[
    (any, join, &["phi"]),
    (any, repeat, &["loop"]),
    (any, swap, &["phi-swap"]),
    (any, call, &["call", "invoke", "call-fastcc"]),
    (any, call_with_many, &["call-many"]),
    (is_float, call_by_pointer, &["call-pointer"]),
];

/// A condition by an input.
fn condition(maker: &mut Maker<'_>) -> String {
    maker.input(Type::scalar(Element::Int(1)), Fill::Any)
}

/// An operation whose result is another vector of the type.
fn changed(maker: &mut Maker<'_>, ty: Type, a: &str, b: &str) -> String {
    match ty.element {
        Element::Int(_) => maker.emit(&format!("xor {ty} {a}, {b}")),
        _ if ty.element.is_float() => maker.emit(&format!("fsub {ty} {a}, {b}")),
        _ => {
            let ints = ty.with(Element::Int(64));
            let distance = maker.emit(&format!("ptrtoint {ty} {b} to {ints}"));
            maker.emit(&format!("getelementptr i8, {ty} {a}, {ints} {distance}"))
        }
    }
}

fn join(maker: &mut Maker<'_>, _: &str, ty: Type) {
    let truth = condition(maker);
    let (a, b) = (maker.input(ty, Fill::Any), maker.operand(ty, Fill::Any));
    let _ = writeln!(maker.body, "  br i1 {truth}, label %then, label %join\nthen:");
    let other = changed(maker, ty, &a, &b);
    let _ = writeln!(maker.body, "  br label %join\njoin:");
    let result = maker.emit(&format!("phi {ty} [ {b}, %entry ], [ {other}, %then ]"));
    maker.output(ty, &result);
}

fn repeat(maker: &mut Maker<'_>, _: &str, ty: Type) {
    let (start, step) = (maker.operand(ty, Fill::Any), maker.input(ty, Fill::Any));
    let (sum, next, count) = (maker.fresh(), maker.fresh(), maker.fresh());
    let _ = writeln!(
        maker.body,
        "  br label %loop\nloop:\n  {sum} = phi {ty} [ {start}, %entry ], [ {next}, %loop ]\n  \
         {count} = phi i32 [ 0, %entry ], [ {count}.next, %loop ]"
    );
    let value = changed(maker, ty, &sum, &step);
    let _ = writeln!(
        maker.body,
        "  {next} = select i1 true, {ty} {value}, {ty} {sum}\n  {count}.next = add i32 {count}, 1\n  \
         {count}.end = icmp eq i32 {count}.next, 5\n  br i1 {count}.end, label %end, label %loop\nend:"
    );
    maker.output(ty, &next);
}

/// Two values that change places in each turn.
fn swap(maker: &mut Maker<'_>, _: &str, ty: Type) {
    let (a, b) = (maker.input(ty, Fill::Any), maker.input(ty, Fill::Any));
    let turns = maker.input(Type::scalar(Element::Int(8)), Fill::Any);
    let (x, y, count) = (maker.fresh(), maker.fresh(), maker.fresh());
    let _ = writeln!(
        maker.body,
        "  br label %loop\nloop:\n  {x} = phi {ty} [ {a}, %entry ], [ {y}, %loop ]\n  \
         {y} = phi {ty} [ {b}, %entry ], [ {x}, %loop ]\n  \
         {count} = phi i8 [ {turns}, %entry ], [ {count}.next, %loop ]\n  {count}.next = lshr i8 {count}, 1\n  \
         {count}.end = icmp eq i8 {count}.next, 0\n  br i1 {count}.end, label %end, label %loop\nend:"
    );
    maker.output(ty, &x);
    maker.output(ty, &y);
}

/// A function of the module that gets vectors and returns one, called or invoked.
fn call(maker: &mut Maker<'_>, name: &str, ty: Type) {
    let convention = if name == "call-fastcc" { "fastcc " } else { "" };
    let callee = format!("{}.callee", maker.name);
    let combine = match ty.element {
        Element::Int(_) => format!("  %r = sub {ty} %a, %b\n"),
        _ if ty.element.is_float() => format!("  %r = fdiv {ty} %a, %b\n"),
        _ => format!(
            "  %c = icmp ult {ty} %a, %b\n  %r = select {} %c, {ty} %b, {ty} %a\n",
            ty.truth()
        ),
    };
    let _ = write!(
        maker.others,
        "define internal {convention}{ty} @{callee}({ty} %a, i32 %n, {ty} %b) noinline {{\n{combine}  ret {ty} %r\n}}\n\n"
    );
    let (a, b) = (maker.input(ty, Fill::Any), maker.operand(ty, Fill::Any));
    let call = format!("{convention}{ty} @{callee}({ty} {a}, i32 7, {ty} {b})");
    if name != "invoke" {
        let result = maker.emit(&format!("call {call}"));
        let other = changed(maker, ty, &result, &a);
        maker.output(ty, &result);
        maker.output(ty, &other);
        return;
    }
    let result = maker.emit(&format!("invoke {call} to label %normal unwind label %pad\nnormal:"));
    maker.output(ty, &result);
    let _ = writeln!(
        maker.body,
        "  ret void\npad:\n  %pad.token = landingpad {{ ptr, i32 }} cleanup\n  resume {{ ptr, i32 }} %pad.token\nunused:"
    );
}

/// More vectors than there are registers.
fn call_with_many(maker: &mut Maker<'_>, _: &str, ty: Type) {
    let callee = format!("{}.callee", maker.name);
    let count = 4 + maker.below(7);
    let params: Vec<String> = (0..count).map(|index| format!("{ty} %p{index}")).collect();
    let (first, last) = (maker.below(count), count - 1);
    let _ = write!(
        maker.others,
        "define internal {{ {ty}, i64, {ty} }} @{callee}({}) noinline {{\n  \
         %x = insertvalue {{ {ty}, i64, {ty} }} poison, {ty} %p{first}, 0\n  \
         %y = insertvalue {{ {ty}, i64, {ty} }} %x, i64 77, 1\n  \
         %z = insertvalue {{ {ty}, i64, {ty} }} %y, {ty} %p{last}, 2\n  ret {{ {ty}, i64, {ty} }} %z\n}}\n\n",
        params.join(", ")
    );
    let values: Vec<String> = (0..3).map(|_| maker.input(ty, Fill::Any)).collect();
    let arguments: Vec<String> = (0..count as usize)
        .map(|index| format!("{ty} {}", values[index % 3]))
        .collect();
    let both = maker.emit(&format!(
        "call {{ {ty}, i64, {ty} }} @{callee}({})",
        arguments.join(", ")
    ));
    let all = format!("{{ {ty}, i64, {ty} }}");
    for (index, ty) in [(0, ty), (1, Type::scalar(Element::Int(64))), (2, ty)] {
        let value = maker.emit(&format!("extractvalue {all} {both}, {index}"));
        maker.output(ty, &value);
    }
}

fn call_by_pointer(maker: &mut Maker<'_>, _: &str, ty: Type) {
    let callee = format!("{}.callee", maker.name);
    let _ = write!(
        maker.others,
        "define internal void @{callee}(ptr %to, {ty} %a) noinline {{\n  %r = fneg {ty} %a\n  \
         store {ty} %r, ptr %to, align 1\n  ret void\n}}\n\
         @{callee}.address = internal global ptr @{callee}\n\n"
    );
    let a = maker.input(ty, Fill::Any);
    let address = maker.emit(&format!("load volatile ptr, ptr @{callee}.address"));
    let to = maker.output_address(ty);
    maker.line(&format!("call void {address}(ptr {to}, {ty} {a})"));
}
