//! Control flow, calls and exceptions.

use crate::Case;
use crate::maker::{Maker, signed};
use frazil_frontend_pnacl::codes::{constants, function as code, module, types};

pub const CASES: &[Case] = &[
    Case {
        name: "a loop, with uses before definitions",
        old: counting,
        today: "
define i32 @f(i32 %0) {
  br label %2

2:
  %3 = phi i32 [ 0, %1 ], [ %5, %2 ]
  %4 = icmp slt i32 %3, %0
  %5 = add nsw i32 %3, 1
  br i1 %4, label %2, label %6

6:
  ret i32 %5
}
",
    },
    Case {
        name: "calls whose function type is that of the callee",
        old: calls,
        today: "
declare i32 @g(i32, ...)

define i32 @f(ptr %0, i32 %1) {
  %3 = call i32 (i32, ...) @g(i32 %1, i32 %1)
  %4 = load ptr, ptr %0, align 8
  %5 = tail call i32 %4(i32 %3)
  ret i32 %5
}
",
    },
    Case {
        name: "landing pads that say who unwinds",
        old: unwinding,
        today: "
@info = external constant ptr

declare i32 @__gxx_personality_v0(...)

declare i32 @g(i32)

define i32 @f(i32 %0) personality ptr @__gxx_personality_v0 {
  %2 = invoke i32 @g(i32 %0)
          to label %3 unwind label %4

3:
  ret i32 %2

4:
  %5 = landingpad { ptr, i32 }
          cleanup
          catch ptr @info
  resume { ptr, i32 } %5
}
",
    },
    Case {
        name: "choices by one bit",
        old: selects,
        today: "
define i32 @f(i1 %0, i32 %1, i32 %2) {
  %4 = select i1 %0, i32 %1, i32 %2
  ret i32 %4
}
",
    },
    Case {
        name: "a switch with ranges",
        old: ranges,
        today: "
define i32 @f(i32 %0) {
  switch i32 %0, label %2 [
    i32 -1, label %3
    i32 3, label %3
    i32 4, label %3
    i32 5, label %3
    i32 9, label %4
  ]

2:
  ret i32 0

3:
  ret i32 1

4:
  ret i32 2
}
",
    },
    Case {
        name: "a function type with a number that means nothing",
        old: old_function_type,
        today: "
define i32 @f(i32 %0) {
  %2 = fadd fast float 1.000000e+00, 2.000000e+00
  ret i32 %0
}
",
    },
    Case {
        name: "inline assembly of three forms",
        old: assembly,
        today: r#"
define i32 @f(i32 %0, ptr %1) {
  %3 = call i32 asm sideeffect "a", "=r,r"(i32 %0)
  %4 = call i32 asm sideeffect alignstack inteldialect "b", "=r,r"(i32 %3)
  %5 = call i32 asm inteldialect "c", "=r,r"(i32 %4)
  call void asm sideeffect "d", "=*m"(ptr elementtype(i32) %1)
  ret i32 %5
}
"#,
    },
    Case {
        name: "intrinsics with other arguments",
        old: intrinsics,
        today: "
define i32 @f(ptr %0, ptr %1, i32 %2) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %0, ptr align 8 %1, i64 16, i1 false)
  %4 = call i32 @llvm.ctlz.i32(i32 %2, i1 false)
  %5 = call i64 @llvm.objectsize.i64.p0(ptr %0, i1 true, i1 false, i1 false)
  ret i32 %4
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg)

declare i32 @llvm.ctlz.i32(i32, i1 immarg)

declare i64 @llvm.objectsize.i64.p0(ptr, i1 immarg, i1 immarg, i1 immarg)
",
    },
    Case {
        name: "inline assembly that is given the addresses of blocks",
        old: labels,
        today: r#"
define i32 @f(i32 %0) {
  %2 = callbr i32 asm sideeffect "jmp ${2:l}", "=r,r,!X,~{cc}"(i32 %0)
          to label %3 [label %4]

3:
  ret i32 %2

4:
  ret i32 %0
}
"#,
    },
    Case {
        name: "constant expressions that are instructions today",
        old: expressions,
        today: "
@a = external global i8
@b = external global i8

define i64 @f() {
  %constexpr = sdiv i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @b to i64)), 8
  ret i64 %constexpr
}
",
    },
    Case {
        name: "vectors of MMX",
        old: mmx,
        today: "
define i64 @f(<1 x i64> %0) {
  %2 = bitcast <1 x i64> %0 to i64
  ret i64 %2
}
",
    },
];

fn counting(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let i32 = made.integer(32);
    let (_, function) = made.signature(i32, &[i32]);
    made.function("f", function, 0);
    let mut body = made.body(1, 3);
    body.constants(&[(i32, constants::NULL, &[]), (i32, constants::INTEGER, &[2])]);
    let (argument, zero, one) = (1, 2, 3);
    body.add(code::BRANCH, &[1]);
    let (phi, sum) = (body.next, body.next + 2);
    body.define(code::PHI, &[i32, body.incoming(zero), 0, body.incoming(sum), 1]);
    let less = body.define(code::COMPARE2, &[body.value(phi), body.value(argument), 40]);
    body.define(code::BINARY, &[body.value(phi), body.value(one), 0, 2]);
    body.add(code::BRANCH, &[1, 2, body.value(less)]);
    body.add(code::RETURN, &[body.value(sum)]);
    made.add(body);
    made.write()
}

fn calls(version: u64) -> Vec<u8> {
    const TAIL: u64 = 1;
    let mut made = Maker::new(version);
    let i32 = made.integer(32);
    let variadic = made.add_type(types::FUNCTION, &[1, i32, i32]);
    let variadic_pointer = made.pointer(variadic);
    let (_, plain) = made.signature(i32, &[i32]);
    let double = made.pointer(plain);
    let (_, function) = made.signature(i32, &[double, i32]);
    let callee = made.declaration("g", variadic_pointer, 0);
    made.function("f", function, 0);
    let mut body = made.body(2, 1);
    let (pointer, argument) = (2, 3);
    let operands = [0, 0, body.value(callee), body.value(argument), body.value(argument)];
    let first = body.define(code::CALL, &operands);
    let called = body.define(code::LOAD, &[body.value(pointer), 4, 0]);
    let last = body.define(code::CALL, &[0, TAIL, body.value(called), body.value(first)]);
    body.add(code::RETURN, &[body.value(last)]);
    made.add(body);
    made.write()
}

fn unwinding(version: u64) -> Vec<u8> {
    const CATCH: u64 = 0;
    let mut made = Maker::new(version);
    let (i8, i32) = (made.integer(8), made.integer(32));
    let i8_pointer = made.pointer(i8);
    let double = made.pointer(i8_pointer);
    let pair = made.structure(&[i8_pointer, i32]);
    let variadic = made.add_type(types::FUNCTION, &[1, i32]);
    let variadic_pointer = made.pointer(variadic);
    let (_, function) = made.signature(i32, &[i32]);
    let info = made.symbol("info", module::GLOBAL_VARIABLE, &[double, 1, 0, 0, 0, 0]);
    let personality = made.declaration("__gxx_personality_v0", variadic_pointer, 0);
    let callee = made.declaration("g", function, 0);
    made.function("f", function, 0);
    let mut body = made.body(1, 3);
    // As clang wrote them: addresses as other pointers.
    body.constants(&[
        (i8_pointer, constants::CAST, &[11, variadic_pointer, personality]),
        (i8_pointer, constants::CAST, &[11, double, info]),
    ]);
    let (argument, routine, clause) = (4, 5, 6);
    let operands = [0, 0, 1, 2, body.value(callee), body.value(argument)];
    let result = body.define(code::INVOKE, &operands);
    body.add(code::RETURN, &[body.value(result)]);
    let operands = [pair, body.value(routine), 1, 1, CATCH, body.value(clause)];
    let pad = body.define(code::LANDING_PAD_OLD, &operands);
    body.add(code::RESUME, &[body.value(pad)]);
    made.add(body);
    made.write()
}

fn selects(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let (i1, i32) = (made.integer(1), made.integer(32));
    let (_, function) = made.signature(i32, &[i1, i32, i32]);
    made.function("f", function, 0);
    let mut body = made.body(3, 1);
    let chosen = body.define(code::SELECT_OLD, &[body.value(2), body.value(3), body.value(1)]);
    body.add(code::RETURN, &[body.value(chosen)]);
    made.add(body);
    made.write()
}

fn ranges(version: u64) -> Vec<u8> {
    const MARK: u64 = 0x4b5 << 16;
    let mut made = Maker::new(version);
    let i32 = made.integer(32);
    let (_, function) = made.signature(i32, &[i32]);
    made.function("f", function, 0);
    let mut body = made.body(1, 4);
    body.constants(&[
        (i32, constants::NULL, &[]),
        (i32, constants::INTEGER, &[2]),
        (i32, constants::INTEGER, &[4]),
    ]);
    let head = [MARK, i32, body.value(1), 1, 2];
    let first = [2, 1, signed(-1), 0, signed(3), signed(5), 2];
    let second = [1, 1, signed(9), 3];
    body.add(code::SWITCH, &[&head[..], &first, &second].concat());
    for constant in 2..5 {
        body.add(code::RETURN, &[body.value(constant)]);
    }
    made.add(body);
    made.write()
}

fn old_function_type(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let i32 = made.integer(32);
    let float = made.add_type(types::FLOAT, &[]);
    let function = made.add_type(types::FUNCTION_OLD, &[0, 77, i32, i32]);
    let pointer = made.pointer(function);
    made.function("f", pointer, 0);
    let mut body = made.body(1, 1);
    body.constants(&[
        (float, constants::FLOAT, &[u64::from(1f32.to_bits())]),
        (float, constants::FLOAT, &[u64::from(2f32.to_bits())]),
    ]);
    // Up to LLVM 5, one bit stood for all of what fast arithmetic may do.
    body.define(code::BINARY, &[body.value(2), body.value(3), 0, 1]);
    body.add(code::RETURN, &[body.value(1)]);
    made.add(body);
    made.write()
}

fn assembly(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let (void, i32) = (made.void(), made.integer(32));
    let pointer = made.pointer(i32);
    let (_, of_value) = made.signature(i32, &[i32]);
    let (_, of_pointer) = made.signature(void, &[pointer]);
    let (_, function) = made.signature(i32, &[i32, pointer]);
    made.function("f", function, 0);
    let form = |flags: u64, text: u8, constraints: &str| {
        let length = constraints.len() as u64;
        let constraints = constraints.bytes().map(u64::from);
        let start = [flags, 1, u64::from(text), length];
        start.into_iter().chain(constraints).collect::<Vec<u64>>()
    };
    let mut body = made.body(2, 1);
    body.constants(&[
        (of_value, constants::INLINE_ASM_OLD, &form(1, b'a', "=r,r")),
        (of_value, constants::INLINE_ASM_OLD2, &form(7, b'b', "=r,r")),
        (of_value, constants::INLINE_ASM_OLD3, &form(4, b'c', "=r,r")),
        (of_pointer, constants::INLINE_ASM_OLD, &form(1, b'd', "=*m")),
    ]);
    let mut last = 1;
    for text in 3..6 {
        last = body.define(code::CALL, &[0, 0, body.value(text), body.value(last)]);
    }
    body.add(code::CALL, &[0, 0, body.value(6), body.value(2)]);
    body.add(code::RETURN, &[body.value(last)]);
    made.add(body);
    made.write()
}

fn intrinsics(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let (void, i1, i8, i32, i64) = (
        made.void(),
        made.integer(1),
        made.integer(8),
        made.integer(32),
        made.integer(64),
    );
    let pointer = made.pointer(i8);
    let (_, copy) = made.signature(void, &[pointer, pointer, i64, i32, i1]);
    let (_, count) = made.signature(i32, &[i32]);
    let (_, size) = made.signature(i64, &[pointer, i1]);
    let (_, function) = made.signature(i32, &[pointer, pointer, i32]);
    let copy = made.declaration("llvm.memcpy.p0i8.p0i8.i64", copy, 0);
    made.function("f", function, 0);
    let count = made.declaration("llvm.ctlz.i32", count, 0);
    let size = made.declaration("llvm.objectsize.i64", size, 0);
    let mut body = made.body(3, 1);
    body.constants(&[
        (i64, constants::INTEGER, &[32]),
        (i32, constants::INTEGER, &[16]),
        (i1, constants::NULL, &[]),
        (i1, constants::INTEGER, &[3]),
    ]);
    let (to, from, value, length, align, no, yes) = (4, 5, 6, 7, 8, 9, 10);
    let arguments = [to, from, length, align, no].map(|number| body.value(number));
    body.add(code::CALL, &[&[0, 0, body.value(copy)], &arguments[..]].concat());
    let counted = body.define(code::CALL, &[0, 0, body.value(count), body.value(value)]);
    body.define(code::CALL, &[0, 0, body.value(size), body.value(to), body.value(yes)]);
    body.add(code::RETURN, &[body.value(counted)]);
    made.add(body);
    made.write()
}

fn labels(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let (i8, i32) = (made.integer(8), made.integer(32));
    let address = made.pointer(i8);
    let (text_type, text_pointer) = made.signature(i32, &[i32, address]);
    let (_, pointer) = made.signature(i32, &[i32]);
    let function = made.function("f", pointer, 0);
    let mut body = made.body(1, 3);
    let characters = |text: &str| {
        let length = std::iter::once(text.len() as u64);
        length.chain(text.bytes().map(u64::from)).collect::<Vec<u64>>()
    };
    let form = [vec![1], characters("jmp ${2:l}"), characters("=r,r,X,~{cc}")].concat();
    body.constants(&[
        (text_pointer, constants::INLINE_ASM_OLD2, &form),
        (address, constants::BLOCK_ADDRESS, &[pointer, function, 2]),
    ]);
    let (argument, text, target) = (1, 2, 3);
    let head = [0, 1 << 15, 1, 1, 2, text_type];
    let operands = [text, argument, target].map(|number| body.value(number));
    let result = body.define(code::CALL_BRANCH, &[&head[..], &operands].concat());
    body.add(code::RETURN, &[body.value(result)]);
    body.add(code::RETURN, &[body.value(argument)]);
    made.add(body);
    made.write()
}

fn expressions(version: u64) -> Vec<u8> {
    const POINTER_TO_INTEGER: u64 = 9;
    let mut made = Maker::new(version);
    let (i8, i64) = (made.integer(8), made.integer(64));
    let address = made.pointer(i8);
    let (_, function) = made.signature(i64, &[]);
    for name in ["a", "b"] {
        made.symbol(name, module::GLOBAL_VARIABLE, &[address, 0, 0, 0, 0, 0]);
    }
    made.function("f", function, 0);
    let (a, b, first) = (0, 1, 3);
    let mut body = made.body(0, 1);
    body.constants(&[
        (i64, constants::CAST, &[POINTER_TO_INTEGER, address, a]),
        (i64, constants::CAST, &[POINTER_TO_INTEGER, address, b]),
        (i64, constants::BINARY, &[1, first, first + 1]),
        (i64, constants::INTEGER, &[16]),
        (i64, constants::BINARY, &[4, first + 2, first + 3]),
    ]);
    body.add(code::RETURN, &[body.value(first + 4)]);
    made.add(body);
    made.write()
}

fn mmx(version: u64) -> Vec<u8> {
    const BITCAST: u64 = 11;
    let mut made = Maker::new(version);
    let (i64, vector) = (made.integer(64), made.add_type(types::X86_MMX, &[]));
    let (_, function) = made.signature(i64, &[vector]);
    made.function("f", function, 0);
    let mut body = made.body(1, 1);
    let cast = body.define(code::CAST, &[body.value(1), i64, BITCAST]);
    body.add(code::RETURN, &[body.value(cast)]);
    made.add(body);
    made.write()
}
