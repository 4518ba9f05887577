//! What is accessed, which typed pointers say.

use crate::Case;
use crate::maker::Maker;
use frazil_frontend_pnacl::codes::{constants, function as code, module, types};

pub const CASES: &[Case] = &[
    Case {
        name: "loads and stores that do not say of what type",
        old: loads,
        today: "
define i32 @f(ptr %0, ptr %1) {
  %3 = load i32, ptr %0, align 4
  %4 = load volatile ptr, ptr %1, align 8
  store i32 %3, ptr %4, align 4
  store volatile ptr %0, ptr %1, align 8
  %5 = load i32, ptr %4, align 4
  ret i32 %5
}
",
    },
    Case {
        name: "addresses whose type is computed",
        old: addresses,
        today: "
@array = external global [4 x { i32, i64 }]

define i64 @f(ptr %0, i64 %1) {
  %3 = getelementptr inbounds { i32, i64 }, ptr %0, i64 %1, i32 1
  %4 = load i64, ptr %3, align 8
  %5 = getelementptr [4 x { i32, i64 }], ptr @array, i64 0, i64 %1
  %6 = getelementptr { i32, i64 }, ptr %5, i64 0, i32 0
  %7 = load i32, ptr %6, align 4
  %8 = zext i32 %7 to i64
  %9 = add i64 %4, %8
  ret i64 %9
}
",
    },
    Case {
        name: "vectors of addresses",
        old: vector_addresses,
        today: "
define i32 @f(<2 x ptr> %0, <2 x i64> %1) {
  %3 = getelementptr i32, <2 x ptr> %0, <2 x i64> %1
  %4 = extractelement <2 x ptr> %3, i32 1
  %5 = load i32, ptr %4, align 4
  %6 = shufflevector <2 x ptr> %3, <2 x ptr> %0, <2 x i32> <i32 1, i32 2>
  %7 = extractelement <2 x ptr> %6, i32 0
  store i32 %5, ptr %7, align 4
  ret i32 %5
}
",
    },
    Case {
        name: "objects on the stack whose type is that of their address",
        old: stack,
        today: "
define i32 @f(i32 %0) {
  %2 = alloca i32, align 4
  %3 = alloca i32, i32 %0, align 16
  %4 = alloca { i32 }, align 8
  store i32 %0, ptr %2, align 4
  %5 = load i32, ptr %3, align 4
  %6 = getelementptr { i32 }, ptr %4, i32 0, i32 0
  store i32 %5, ptr %6, align 4
  ret i32 %5
}
",
    },
    Case {
        name: "atomic accesses that do not say of what type",
        old: atomics,
        today: "
define i32 @f(ptr %0, i32 %1) {
  %3 = load atomic i32, ptr %0 acquire, align 4
  store atomic i32 %1, ptr %0 release, align 4
  %4 = atomicrmw add ptr %0, i32 %1 seq_cst, align 4
  fence seq_cst
  ret i32 %4
}
",
    },
    Case {
        name: "exchanges that give what was there",
        old: exchanges,
        today: "
define i32 @f(ptr %0, i32 %1, i32 %2) {
  %4 = cmpxchg ptr %0, i32 %1, i32 %2 acq_rel acquire, align 4
  %5 = extractvalue { i32, i1 } %4, 0
  %6 = cmpxchg volatile ptr %0, i32 %5, i32 %2 seq_cst monotonic, align 4
  %7 = extractvalue { i32, i1 } %6, 0
  %8 = cmpxchg weak ptr %0, i32 %7, i32 %2 seq_cst seq_cst, align 4
  %9 = extractvalue { i32, i1 } %8, 0
  ret i32 %9
}
",
    },
    Case {
        name: "a thread-local variable, and a choice of addresses",
        old: choices,
        today: "
@local = external thread_local global i32
@other = external global i32

define i32 @f(i1 %0) {
  %2 = load i32, ptr @local, align 4
  %3 = select i1 %0, ptr @other, ptr @other
  %4 = load i32, ptr %3, align 4
  %5 = add i32 %2, %4
  ret i32 %5
}
",
    },
];

/// The alignment of four bytes, as records have it.
const ALIGN_4: u64 = 3;
const ALIGN_8: u64 = 4;

fn loads(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let i32 = made.integer(32);
    let pointer = made.pointer(i32);
    let double = made.pointer(pointer);
    let (_, function) = made.signature(i32, &[pointer, double]);
    made.function("f", function, 0);
    let mut body = made.body(2, 1);
    let loaded = body.define(code::LOAD, &[body.value(1), ALIGN_4, 0]);
    let address = body.define(code::LOAD, &[body.value(2), ALIGN_8, 1]);
    body.add(code::STORE_OLD, &[body.value(address), body.value(loaded), ALIGN_4, 0]);
    body.add(code::STORE_OLD, &[body.value(2), body.value(1), ALIGN_8, 1]);
    let last = body.define(code::LOAD, &[body.value(address), ALIGN_4, 0]);
    body.add(code::RETURN, &[body.value(last)]);
    made.add(body);
    made.write()
}

fn addresses(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let (i32, i64) = (made.integer(32), made.integer(64));
    let pair = made.structure(&[i32, i64]);
    let pair_pointer = made.pointer(pair);
    let array = made.array(4, pair);
    let array_pointer = made.pointer(array);
    made.pointer(i64);
    made.pointer(i32);
    let (_, function) = made.signature(i64, &[pair_pointer, i64]);
    let variable = made.symbol("array", module::GLOBAL_VARIABLE, &[array_pointer, 0, 0, 0, 0, 0]);
    made.function("f", function, 0);
    made.constants(&[
        (i64, constants::NULL, &[]),
        (i32, constants::NULL, &[]),
        (i32, constants::INTEGER, &[2]),
    ]);
    let (zero, field_zero, field_one, base, index) = (2, 3, 4, 5, 6);
    let mut body = made.body(2, 1);
    let v = |body: &crate::maker::Body, number| body.value(number);
    let first = body.define(
        code::INBOUNDS_GEP_OLD,
        &[v(&body, base), v(&body, index), v(&body, field_one)],
    );
    let loaded = body.define(code::LOAD, &[v(&body, first), ALIGN_8, 0]);
    let element = body.define(code::GEP_OLD, &[v(&body, variable), v(&body, zero), v(&body, index)]);
    let field = body.define(
        code::GEP_OLD,
        &[v(&body, element), v(&body, zero), v(&body, field_zero)],
    );
    let narrow = body.define(code::LOAD, &[v(&body, field), ALIGN_4, 0]);
    let wide = body.define(code::CAST, &[v(&body, narrow), i64, 1]);
    let sum = body.define(code::BINARY, &[v(&body, loaded), v(&body, wide), 0]);
    body.add(code::RETURN, &[v(&body, sum)]);
    made.add(body);
    made.write()
}

fn vector_addresses(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let (i32, i64) = (made.integer(32), made.integer(64));
    let pointer = made.pointer(i32);
    let pointers = made.add_type(types::VECTOR, &[2, pointer]);
    let indices = made.add_type(types::VECTOR, &[2, i64]);
    let mask = made.add_type(types::VECTOR, &[2, i32]);
    let (_, function) = made.signature(i32, &[pointers, indices]);
    made.function("f", function, 0);
    let mut body = made.body(2, 1);
    body.constants(&[
        (i32, constants::INTEGER, &[2]),
        (i32, constants::NULL, &[]),
        (mask, constants::DATA, &[1, 2]),
    ]);
    let (base, index, one, zero, lanes) = (1, 2, 3, 4, 5);
    let addresses = body.define(code::GEP_OLD, &[body.value(base), body.value(index)]);
    let address = body.define(code::EXTRACT_ELEMENT, &[body.value(addresses), body.value(one)]);
    let loaded = body.define(code::LOAD, &[body.value(address), ALIGN_4, 0]);
    let shuffled = body.define(
        code::SHUFFLE,
        &[body.value(addresses), body.value(base), body.value(lanes)],
    );
    let to = body.define(code::EXTRACT_ELEMENT, &[body.value(shuffled), body.value(zero)]);
    body.add(code::STORE_OLD, &[body.value(to), body.value(loaded), ALIGN_4, 0]);
    body.add(code::RETURN, &[body.value(loaded)]);
    made.add(body);
    made.write()
}

fn stack(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let i32 = made.integer(32);
    let pointer = made.pointer(i32);
    let single = made.structure(&[i32]);
    let single_pointer = made.pointer(single);
    let (_, function) = made.signature(i32, &[i32]);
    made.function("f", function, 0);
    made.constants(&[(i32, constants::INTEGER, &[2]), (i32, constants::NULL, &[])]);
    let (one, zero, argument) = (1, 2, 3);
    let mut body = made.body(1, 1);
    let object = body.define(code::ALLOCA, &[pointer, i32, one, ALIGN_4]);
    let array = body.define(code::ALLOCA, &[pointer, i32, argument, 5]);
    // Without an alignment, it is the one that the data layout prefers.
    let aggregate = body.define(code::ALLOCA, &[single_pointer, i32, one, 0]);
    body.add(code::STORE_OLD, &[body.value(object), body.value(argument), ALIGN_4, 0]);
    let loaded = body.define(code::LOAD, &[body.value(array), ALIGN_4, 0]);
    let field = body.define(
        code::GEP_OLD,
        &[body.value(aggregate), body.value(zero), body.value(zero)],
    );
    body.add(code::STORE_OLD, &[body.value(field), body.value(loaded), ALIGN_4, 0]);
    body.add(code::RETURN, &[body.value(loaded)]);
    made.add(body);
    made.write()
}

fn atomics(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let i32 = made.integer(32);
    let pointer = made.pointer(i32);
    let (_, function) = made.signature(i32, &[pointer, i32]);
    made.function("f", function, 0);
    let mut body = made.body(2, 1);
    let (address, value) = (1, 2);
    // Volatile, ordering, and the scope of all threads.
    body.define(code::ATOMIC_LOAD, &[body.value(address), ALIGN_4, 0, 3, 1]);
    body.add(
        code::ATOMIC_STORE_OLD,
        &[body.value(address), body.value(value), ALIGN_4, 0, 4, 1],
    );
    let old = body.define(
        code::ATOMIC_RMW_OLD,
        &[body.value(address), body.value(value), 1, 0, 6, 1],
    );
    body.add(code::FENCE, &[6, 1]);
    body.add(code::RETURN, &[body.value(old)]);
    made.add(body);
    made.write()
}

fn exchanges(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let i32 = made.integer(32);
    let i1 = made.integer(1);
    made.structure(&[i32, i1]);
    let pointer = made.pointer(i32);
    let (_, function) = made.signature(i32, &[pointer, i32, i32]);
    made.function("f", function, 0);
    let mut body = made.body(3, 1);
    let (address, expected, new) = (1, 2, 3);
    let exchange = |body: &mut crate::maker::Body, expected, rest: &[u64]| {
        let operands = [body.value(address), body.value(expected), body.value(new)];
        body.define(code::CMPXCHG_OLD, &[&operands, rest].concat())
    };
    // Up to 3.4; 3.4 with what holds if it fails; 3.5 with a flag.
    let first = exchange(&mut body, expected, &[0, 5, 1]);
    let second = exchange(&mut body, first, &[1, 6, 1, 2]);
    let both = exchange(&mut body, second, &[0, 6, 1, 6, 1]);
    let third = body.define(code::EXTRACT_VALUE, &[body.value(both), 0]);
    body.add(code::RETURN, &[body.value(third)]);
    made.add(body);
    made.write()
}

fn choices(version: u64) -> Vec<u8> {
    let mut made = Maker::new(version);
    let (i1, i32) = (made.integer(1), made.integer(32));
    let pointer = made.pointer(i32);
    let (_, function) = made.signature(i32, &[i1]);
    let local = made.symbol("local", module::GLOBAL_VARIABLE, &[pointer, 0, 0, 0, 0, 0, 0, 1]);
    let other = made.symbol("other", module::GLOBAL_VARIABLE, &[pointer, 0, 0, 0, 0, 0, 0, 0]);
    made.function("f", function, 0);
    let mut body = made.body(1, 1);
    let condition = 3;
    let first = body.define(code::LOAD, &[body.value(local), ALIGN_4, 0]);
    let chosen = body.define(
        code::SELECT_OLD,
        &[body.value(other), body.value(other), body.value(condition)],
    );
    let second = body.define(code::LOAD, &[body.value(chosen), ALIGN_4, 0]);
    let sum = body.define(code::BINARY, &[body.value(first), body.value(second), 0]);
    body.add(code::RETURN, &[body.value(sum)]);
    made.add(body);
    made.write()
}
