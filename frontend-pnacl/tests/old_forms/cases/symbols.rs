//! Symbols, their linkage and contents.

use crate::Case;
use crate::maker::{Maker, text};
use frazil_frontend_pnacl::codes::{constants, function as code, module, types};

pub const CASES: &[Case] = &[
    Case {
        name: "aliases without an address space",
        old: aliases,
        today: "
@v = global i32 1, align 4

@a = alias i32, ptr @v
@h = hidden alias i32, ptr @v
@i = internal alias i32, ptr @v
",
    },
    Case {
        name: "linkages that are there no more",
        old: linkages,
        today: "
$c1 = comdat any

$c4 = comdat any

$c10 = comdat any

$c11 = comdat any

@dllimport = external dllimport global i32
@dllexport = dllexport global i32 1, align 4
@weak = extern_weak global i32
@linker_private = private global i32 1, align 4
@linker_private_weak = private global i32 1, align 4
@hide = global i32 1, align 4
@c1 = weak global i32 1, comdat, align 4
@c4 = linkonce global i32 1, comdat, align 4
@c10 = weak_odr global i32 1, comdat, align 4
@c11 = linkonce_odr global i32 1, comdat, align 4
@local = internal global i32 1, align 4
",
    },
    Case {
        name: "constructors without data that they are about",
        old: constructors,
        today: "
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @f, ptr null }]

define void @f() {
  ret void
}
",
    },
    Case {
        name: "constant addresses that do not say in what type",
        old: constant_addresses,
        today: "
@array = external global [4 x i32]
@p = global ptr getelementptr inbounds ([4 x i32], ptr @array, i64 0, i64 2)
@q = global ptr getelementptr ([4 x i32], ptr @array, i64 0, i64 1)

define ptr @f() {
  ret ptr getelementptr inbounds ([4 x i32], ptr @array, i64 0, i64 2)
}
",
    },
    Case {
        name: "a list of libraries, and a data layout as it was",
        old: layouts,
        today: r#"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v64:64:64-v128:128:128-a0:0:64-s0:64:64-f80:128:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define i64 @f(ptr %0) {
  %2 = alloca i64, align 8
  %3 = load i64, ptr %0, align 8
  ret i64 %3
}
"#,
    },
    Case {
        name: "a structure that is named before it is defined",
        old: recursive,
        today: "
%node = type { ptr, i32 }

define ptr @f(ptr %0) {
  %2 = getelementptr %node, ptr %0, i32 0, i32 0
  %3 = load ptr, ptr %2, align 8
  ret ptr %3
}
",
    },
];

fn aliases(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let i32 = made.integer(32);
    let pointer = made.pointer(i32);
    let variable = made.variable("v", pointer, Some(4));
    made.symbol("a", module::ALIAS_OLD, &[pointer, variable, 0]);
    made.symbol("h", module::ALIAS_OLD, &[pointer, variable, 0, 1]);
    // What is internal is not hidden, whatever it says.
    made.symbol("i", module::ALIAS_OLD, &[pointer, variable, 3, 1]);
    made.constants(&[(i32, constants::INTEGER, &[2])]);
    made.write()
}

fn linkages(version: u64) -> Vec<u8> {
    const COUNT: u64 = 11;
    let mut made = Maker::new(version);
    let i32 = made.integer(32);
    let pointer = made.pointer(i32);
    let mut add = |name, linkage, is_defined| {
        let contents = if is_defined { COUNT + 1 } else { 0 };
        let align = if is_defined { 3 } else { 0 };
        made.symbol(
            name,
            module::GLOBAL_VARIABLE,
            &[pointer, 0, contents, linkage, align, 0],
        );
    };
    add("dllimport", 5, false);
    add("dllexport", 6, true);
    add("weak", 7, false);
    add("linker_private", 13, true);
    add("linker_private_weak", 14, true);
    add("hide", 15, true);
    add("c1", 1, true);
    add("c4", 4, true);
    add("c10", 10, true);
    add("c11", 11, true);
    add("local", 3, true);
    made.constants(&[(i32, constants::INTEGER, &[2])]);
    made.write()
}

fn constructors(version: u64) -> Vec<u8> {
    const APPENDING: u64 = 2;
    let mut made = Maker::new(version);
    let (void, i32) = (made.void(), made.integer(32));
    let (_, function) = made.signature(void, &[]);
    let entry = made.structure(&[i32, function]);
    let list = made.array(1, entry);
    let pointer = made.pointer(list);
    made.symbol(
        "llvm.global_ctors",
        module::GLOBAL_VARIABLE,
        &[pointer, 0, 5, APPENDING, 0, 0],
    );
    let routine = made.function("f", function, 0);
    made.constants(&[
        (i32, constants::INTEGER, &[2 * 65535]),
        (entry, constants::AGGREGATE, &[2, routine]),
        (list, constants::AGGREGATE, &[3]),
    ]);
    let mut body = made.body(0, 1);
    body.add(code::RETURN, &[]);
    made.add(body);
    made.write()
}

fn constant_addresses(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let (i32, i64) = (made.integer(32), made.integer(64));
    let pointer = made.pointer(i32);
    let double = made.pointer(pointer);
    let array = made.array(4, i32);
    let array_pointer = made.pointer(array);
    let (_, function) = made.signature(pointer, &[]);
    let variable = made.symbol("array", module::GLOBAL_VARIABLE, &[array_pointer, 0, 0, 0, 0, 0]);
    made.symbol("p", module::GLOBAL_VARIABLE, &[double, 0, 8, 0, 0, 0]);
    made.symbol("q", module::GLOBAL_VARIABLE, &[double, 0, 9, 0, 0, 0]);
    made.function("f", function, 0);
    let (zero, one, two) = (4, 5, 6);
    made.constants(&[
        (i64, constants::NULL, &[]),
        (i64, constants::INTEGER, &[2]),
        (i64, constants::INTEGER, &[4]),
        (
            pointer,
            constants::INBOUNDS_GEP,
            &[array_pointer, variable, i64, zero, i64, two],
        ),
        (
            pointer,
            constants::GEP_OLD,
            &[array_pointer, variable, i64, zero, i64, one],
        ),
    ]);
    let mut body = made.body(0, 1);
    body.add(code::RETURN, &[body.value(7)]);
    made.add(body);
    made.write()
}

fn layouts(version: u64) -> Vec<u8> {
    const LIBRARY: u64 = 6;
    let mut made = Maker::new(version);
    let (i32, i64) = (made.integer(32), made.integer(64));
    let pointer = made.pointer(i64);
    let (_, function) = made.signature(i64, &[pointer]);
    let layout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v64:64:64-v128:128:128-\
                  a0:0:64-s0:64:64-f80:128:128-n8:16:32:64-S128";
    made.first = vec![
        text(module::TRIPLE, &[], "x86_64-unknown-linux-gnu"),
        text(module::DATA_LAYOUT, &[], layout),
        text(LIBRARY, &[], "c"),
    ];
    made.function("f", function, 0);
    let mut body = made.body(1, 1);
    body.constants(&[(i32, constants::INTEGER, &[2])]);
    body.define(code::ALLOCA, &[pointer, i32, 2, 0]);
    let loaded = body.define(code::LOAD, &[body.value(1), 0, 0]);
    body.add(code::RETURN, &[body.value(loaded)]);
    made.add(body);
    made.write()
}

fn recursive(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let i32 = made.integer(32);
    // A pointer to the type after the name, which is no type.
    let pointer = made.add_type(types::POINTER, &[2, 0]);
    let characters: Vec<u64> = "node".bytes().map(u64::from).collect();
    made.name_type(&characters);
    made.add_type(types::STRUCT_NAMED, &[0, pointer, i32]);
    made.pointer(pointer);
    let (_, function) = made.signature(pointer, &[pointer]);
    made.function("f", function, 0);
    let mut body = made.body(1, 1);
    body.constants(&[(i32, constants::NULL, &[])]);
    let field = body.define(code::GEP_OLD, &[body.value(1), body.value(2), body.value(2)]);
    let loaded = body.define(code::LOAD, &[body.value(field), 4, 0]);
    body.add(code::RETURN, &[body.value(loaded)]);
    made.add(body);
    made.write()
}
