//! Forms that LLVM 22 refuses, and what is said of them.

use crate::maker::Maker;
use frazil_frontend_pnacl::codes::{constants, function as code, module};

/// Name, maker, message.
pub type Refused = (&'static str, fn(u64) -> Vec<u8>, &'static str);

pub const ALL: &[Refused] = &[
    ("unwind", unwind, "unwind (instruction record 14)"),
    (
        "two personality routines",
        two_personalities,
        "another personality routine than the first",
    ),
    (
        "a module of a later version",
        later_version,
        "module version 3; expected 0 to 2",
    ),
    (
        "a pointer to nothing known",
        no_pointee,
        "an alias of type 0, which is no typed pointer",
    ),
];

/// LLVM 3.0 still had it.
fn unwind(version: u64) -> Vec<u8> {
    const UNWIND: u64 = 14;
    let mut made = Maker::new(version);
    let void = made.void();
    let (_, pointer) = made.signature(void, &[]);
    made.function("f", pointer, 0);
    let mut body = made.body(0, 1);
    body.add(UNWIND, &[]);
    made.add(body);
    made.write()
}

fn two_personalities(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let (void, i8, i32) = (made.void(), made.integer(8), made.integer(32));
    let i8_pointer = made.pointer(i8);
    let pair = made.structure(&[i8_pointer, i32]);
    let (_, pointer) = made.signature(void, &[]);
    made.function("f", pointer, 0);
    let callee = made.declaration("g", pointer, 0);
    let mut personalities = Vec::new();
    for name in ["p", "q"] {
        personalities.push(made.declaration(name, pointer, 0));
    }
    let mut body = made.body(0, 4);
    body.add(code::INVOKE, &[0, 0, 1, 2, body.value(callee)]);
    body.add(code::INVOKE, &[0, 0, 1, 3, body.value(callee)]);
    for personality in personalities {
        let pad = body.define(code::LANDING_PAD_OLD, &[pair, body.value(personality), 1, 0]);
        body.add(code::RESUME, &[body.value(pad)]);
    }
    made.add(body);
    made.write()
}

fn later_version(_: u64) -> Vec<u8> {
    Maker::new(3).write()
}

fn no_pointee(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let i32 = made.integer(32);
    let pointer = made.pointer(i32);
    let variable = made.variable("v", pointer, Some(2));
    made.symbol("a", module::ALIAS_OLD, &[i32, variable, 0]);
    made.constants(&[(i32, constants::INTEGER, &[2])]);
    made.write()
}
