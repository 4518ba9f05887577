//! Each rule that a file can break is broken once, and the message names it.

use super::maker::{Part, Pexe, constants, entry, integers, row, signed, ty};
use super::read;
use crate::pnacl::codes::{block, constants as constant, function as code, globals, module, types};

/// Expects that an executable is refused, with these words in the message.
pub(super) fn refused(pexe: &Pexe, words: &str) {
    match read(&pexe.write()) {
        Ok(_) => panic!("it is read; expected: {words}"),
        Err(error) => assert!(error.to_string().contains(words), "{error}; expected: {words}"),
    }
}

/// The same for a module that is changed.
pub(super) fn module_refused(change: impl FnOnce(&mut Pexe), words: &str) {
    let mut pexe = Pexe::new();
    change(&mut pexe);
    refused(&pexe, words);
}

/// The same for the body of a function that takes and returns `i32`s: parameters are values 2 and 3.
pub(super) fn body_refused(body: Vec<Part>, words: &str) {
    refused(&Pexe::with(ty::BINARY, body), words);
}

/// The same for one of several blocks.
fn blocks_refused(blocks: u64, body: Vec<Part>, words: &str) {
    refused(&Pexe::with_blocks(ty::BINARY, blocks, body), words);
}

#[test]
fn the_plain_module_is_read() {
    let (module, functions) = read(&Pexe::new().write()).expect("it breaks no rule");
    assert_eq!(
        (functions.len(), module.name(frazil_ir::EntityRef::new(0))),
        (1, &b"__pexe_start"[..])
    );
}

#[test]
fn headers() {
    module_refused(|pexe| pexe.header[12] = 1, "version 1 of the ABI");
    module_refused(|pexe| pexe.header[8] = 0x21, "field 0x21");
    module_refused(|pexe| pexe.header[6] = 12, "the fields of the header end at byte 16");
    module_refused(|pexe| pexe.header[0] = b'X', "does not begin as a PNaCl executable");
    module_refused(
        |pexe| pexe.header = b"PEXE\0\0\0\0".to_vec(),
        "does not name the version",
    );
}

#[test]
fn parts_of_modules_have_an_order() {
    module_refused(|pexe| pexe.version[0].1 = vec![2], "another version of its records");
    module_refused(|pexe| pexe.version.clear(), "does not say the version");
    module_refused(|pexe| pexe.version.push((9, vec![])), "record 9 in the module");
    module_refused(|pexe| pexe.globals = None, "without a block of variables");
    module_refused(
        |pexe| pexe.last.push((block::GLOBALS, vec![])),
        "the variables at this place",
    );
    module_refused(
        |pexe| pexe.last.push((block::SYMBOLS, vec![])),
        "the names at this place",
    );
    module_refused(|pexe| pexe.last.push((block::TYPES, vec![])), "the types at this place");
    module_refused(
        |pexe| pexe.last.push((9, vec![])),
        "block 9, which the ABI does not have",
    );
    module_refused(|pexe| pexe.after.push(block::MODULE), "an executable is one module");
    module_refused(|pexe| pexe.bodies.clear(), "0 bodies for 1 functions");
    module_refused(
        |pexe| pexe.bodies.push(pexe.bodies[0].clone()),
        "2 bodies for 1 functions",
    );
}

#[test]
fn types_are_those_of_the_abi() {
    let add = |row: (u64, Vec<u64>), words: &str| {
        module_refused(
            |pexe| {
                pexe.add_type(row);
            },
            words,
        );
    };
    add((types::INTEGER, vec![24]), "an integer of 24 bits");
    add((types::VECTOR, vec![3, ty::I32]), "a vector of 3");
    add((types::VECTOR, vec![4, ty::I64]), "a vector of 4");
    add((types::VECTOR, vec![2, ty::DOUBLE]), "a vector of 2");
    add((types::FUNCTION, vec![1, ty::VOID]), "variable arguments");
    add((types::FUNCTION, vec![0, ty::START]), "returns type 3");
    add((types::FUNCTION, vec![0, ty::VOID, ty::VOID]), "a parameter of type 0");
    add((types::FUNCTION, vec![0, ty::VOID, 99]), "a parameter of type 99");
    add((8, vec![ty::I32]), "a type of kind 8");
    add((types::FLOAT, vec![1]), "with 1 operands; expected 0");
    module_refused(|pexe| pexe.types[0].1 = vec![ty::COUNT + 1], "15 types; expected 16");
    module_refused(|pexe| pexe.types[0].1 = vec![1 << 40], "bits are left");
    module_refused(|pexe| drop(pexe.types.remove(0)), "a type before the number of types");
}

#[test]
fn functions_are_those_of_the_abi() {
    let declare = |operands: Vec<u64>, words: &str| {
        module_refused(|pexe| pexe.functions.push((module::FUNCTION, operands)), words);
    };
    declare(vec![ty::I32, 0, 0, 0], "a function of i32");
    declare(vec![ty::START, 1, 0, 0], "calling convention 1");
    declare(vec![ty::START, 0, 2, 0], "whether a function is declared only");
    declare(vec![ty::START, 0, 0, 1], "linkage 1");
    declare(vec![ty::START, 0, 0], "a function of 3 operands");
    declare(vec![ty::START, 0, 1, 0], "no body, and is no intrinsic");
    let mut small = Pexe::new();
    let of = small.add_type((types::FUNCTION, vec![0, ty::I32, ty::I16]));
    small.functions.push((module::FUNCTION, vec![of, 0, 0, 3]));
    refused(&small, "a type that only intrinsics take");
    module_refused(|pexe| pexe.functions[0].1[0] = ty::BINARY, "_start takes one i32");
    let intrinsic = |name: &str, result, parameters: &[u64], words: &str| {
        module_refused(|pexe| pexe.add_intrinsic(name, result, parameters), words);
    };
    intrinsic("llvm.nothing", ty::VOID, &[], "the ABI has no such intrinsic");
    intrinsic("llvm.bswap.i32", ty::I32, &[ty::I64], "another type than the ABI says");
    intrinsic("llvm.trap", ty::I32, &[], "another type than the ABI says");
    intrinsic(
        "llvm.ctlz.i16",
        ty::I16,
        &[ty::I16, ty::I1],
        "the ABI has no such intrinsic",
    );
}

#[test]
fn names_are_of_one_value_each() {
    let name = |rows: Vec<(u64, Vec<u64>)>, words: &str| {
        let mut pexe = Pexe::with(ty::BINARY, vec![row(code::RETURN, [1])]);
        pexe.names.get_or_insert_default().extend(rows);
        refused(&pexe, words);
    };
    name(vec![entry(1, "_start")], "two values of the name _start");
    name(vec![entry(0, "other")], "value 0 has two names");
    name(vec![entry(1, "")], "an empty one");
    name(vec![entry(7, "seven")], "a name for value 7 of 2");
    name(vec![entry(1 << 52, "far")], "a name for value 4503599627370496 of 2");
    name(vec![(2, vec![0, 97])], "something else than a name");
}

#[test]
fn variables_are_what_their_records_say() {
    let globals = |rows: Vec<(u64, Vec<u64>)>, words: &str| {
        module_refused(|pexe| pexe.globals = Some(rows), words);
    };
    let count = |count| (globals::COUNT, vec![count]);
    let variable = || (globals::VARIABLE, vec![1, 0]);
    let zeros = || (globals::ZERO_FILL, vec![4]);
    globals(vec![variable(), zeros()], "before their number");
    globals(vec![count(1), count(1)], "a second count");
    globals(vec![count(1 << 40)], "bits are left");
    globals(vec![count(2), variable(), zeros()], "1 variables; expected 2");
    globals(vec![count(0), variable(), zeros()], "more variables than 0");
    globals(vec![count(1), variable()], "lacks 1 of its contents");
    globals(
        vec![count(1), (globals::VARIABLE, vec![32, 0]), zeros()],
        "aligned to 2^31",
    );
    globals(vec![count(1), zeros()], "expected a variable");
    let compound = |parts| (globals::COMPOUND, vec![parts]);
    globals(vec![count(1), variable(), compound(1), zeros()], "contents of 1 parts");
    globals(
        vec![count(1), variable(), compound(3), zeros(), zeros()],
        "lacks 1 of its contents",
    );
    globals(
        vec![count(1), variable(), compound(2), compound(2)],
        "expected bytes, zeros or an address",
    );
    globals(vec![count(1), variable(), (globals::DATA, vec![])], "no bytes");
    globals(
        vec![count(1), variable(), (globals::DATA, vec![256])],
        "larger than a byte",
    );
    globals(
        vec![count(1), variable(), (globals::RELOCATION, vec![2])],
        "the address of value 2 of 2",
    );
    globals(
        vec![count(1), variable(), (globals::RELOCATION, vec![0, 1 << 32])],
        "plus 4294967296",
    );
    globals(
        vec![count(1), variable(), (globals::ZERO_FILL, vec![1 << 33])],
        "larger than the address space",
    );
    globals(
        vec![
            count(1),
            variable(),
            compound(2),
            (globals::ZERO_FILL, vec![1 << 31]),
            (globals::DATA, vec![1]),
        ],
        "bytes of data, for the size of the file",
    );
}

#[test]
fn blocks_of_functions_are_counted() {
    let plain = |body: Vec<Part>, words: &str| module_refused(|pexe| pexe.bodies[0] = body, words);
    let declare = || row(code::DECLARE_BLOCKS, [1]);
    plain(vec![], "0 blocks, the last of which may not be ended; expected 1");
    plain(vec![row(code::RETURN, [])], "before the number of blocks");
    plain(vec![row(code::DECLARE_BLOCKS, [0]), row(code::RETURN, [])], "0 blocks");
    plain(vec![declare(), declare(), row(code::RETURN, [])], "a second number");
    plain(
        vec![row(code::DECLARE_BLOCKS, [1 << 30]), row(code::RETURN, [])],
        "blocks in a function of this size",
    );
    plain(vec![declare()], "0 blocks, the last of which");
    plain(
        vec![declare(), row(code::RETURN, []), row(code::RETURN, [])],
        "after the last of 1 blocks",
    );
    plain(
        vec![row(code::DECLARE_BLOCKS, [2]), row(code::RETURN, [])],
        "1 blocks, the last of which may not be ended",
    );
    plain(
        vec![declare(), row(code::RETURN, []), Part::Block(15, vec![])],
        "block 15 at this place",
    );
    plain(
        vec![
            declare(),
            row(code::ALLOCA, [1, 1]),
            integers(ty::I32, &[4]),
            row(code::RETURN, []),
        ],
        "block 11 at this place",
    );
    plain(
        vec![declare(), row(99, []), row(code::RETURN, [])],
        "record 99 in a function",
    );
}

#[test]
fn constants_have_their_type() {
    let constant = |part: Part, words: &str| body_refused(vec![part, row(code::RETURN, [1])], words);
    constant(constants(ty::VOID, &[]), "constants of void");
    constant(constants(99, &[]), "constants of type 99");
    constant(constants(ty::I32, &[(constant::FLOAT, 0)]), "constant 6 of type i32");
    constant(
        constants(ty::FLOAT, &[(constant::INTEGER, 0)]),
        "constant 4 of type float",
    );
    constant(
        constants(ty::V4I32, &[(constant::INTEGER, 0)]),
        "constant 4 of type <4 x i32>",
    );
    constant(
        constants(ty::V4F32, &[(constant::FLOAT, 0)]),
        "constant 6 of type <4 x float>",
    );
    constant(constants(ty::I32, &[(2, 0)]), "constant 2 of type i32");
    let untyped = Part::Block(block::CONSTANTS, vec![(constant::INTEGER, vec![0])]);
    constant(untyped, "a constant before the type");
}

#[test]
fn operands_are_defined_and_have_their_types() {
    let binary = |operands: [u64; 3], words: &str| {
        body_refused(vec![row(code::BINARY, operands), row(code::RETURN, [1])], words);
    };
    binary([0, 1, 0], "is not defined, and whose type is not declared");
    binary([1, u64::from(u32::MAX) - 5, 0], "is not defined");
    binary([1, 2, 13], "operation 13");
    body_refused(
        vec![row(code::BINARY, [1, 2]), row(code::RETURN, [1])],
        "binary operation with 2 operands; expected 3",
    );
    let mixed = vec![
        integers(ty::I64, &[1]),
        row(code::BINARY, [1, 2, 0]),
        row(code::RETURN, [1]),
    ];
    body_refused(mixed, "of type i32; expected i64");
    let bits = vec![
        integers(ty::I1, &[-1]),
        row(code::BINARY, [1, 1, 0]),
        row(code::RETURN, [2]),
    ];
    body_refused(bits, "operation 0 of operands of type i1");
    let floats = vec![
        constants(ty::DOUBLE, &[(constant::FLOAT, 0)]),
        row(code::BINARY, [1, 1, 7]),
        row(code::RETURN, [2]),
    ];
    body_refused(floats, "operation 7 of operands of type double");
    body_refused(vec![row(code::RETURN, [])], "a return of 0 values");
    body_refused(vec![row(code::RETURN, [1, 2])], "a return of 2 values");
}

#[test]
fn casts_fit_their_types() {
    let cast = |of: u64, operation: u64, words: &str| {
        body_refused(vec![row(code::CAST, [1, of, operation]), row(code::RETURN, [2])], words);
    };
    cast(ty::I64, 0, "cast 0 from i32 to i64");
    cast(ty::I8, 1, "cast 1 from i32 to i8");
    cast(ty::I32, 2, "cast 2 from i32 to i32");
    cast(ty::FLOAT, 3, "cast 3 from i32 to float");
    cast(ty::I64, 5, "cast 5 from i32 to i64");
    cast(ty::FLOAT, 7, "cast 7 from i32 to float");
    cast(ty::I32, 9, "cast 9");
    cast(ty::DOUBLE, 11, "cast 11 from i32 to double");
    cast(ty::VOID, 0, "cast 0 from i32 to void");
    cast(99, 0, "cast 0 from i32 to type 99");
    cast(ty::V4F32, 5, "cast 5 from i32 to <4 x float>");
}

#[test]
fn comparisons_and_selects_fit_their_types() {
    let compare = |predicate: u64, words: &str| {
        body_refused(
            vec![row(code::COMPARE, [1, 2, predicate]), row(code::RETURN, [2])],
            words,
        );
    };
    compare(0, "comparison 0 of operands of type i32");
    compare(42, "comparison 42");
    body_refused(
        vec![row(code::SELECT, [1, 2, 1]), row(code::RETURN, [1])],
        "a select by something of type i32",
    );
    let vector = vec![
        constants(ty::V4I1, &[(constant::UNDEFINED, 0)]),
        row(code::SELECT, [2, 3, 1]),
        row(code::RETURN, [1]),
    ];
    body_refused(vector, "a select by something of type <4 x i1>");
    let undefined = || constants(ty::V4I32, &[(constant::UNDEFINED, 0)]);
    let extract = vec![undefined(), row(code::EXTRACT_ELEMENT, [1, 2]), row(code::RETURN, [1])];
    body_refused(extract, "an element that no constant below 4 names");
    let beyond = vec![
        undefined(),
        integers(ty::I32, &[4]),
        row(code::EXTRACT_ELEMENT, [2, 1]),
        row(code::RETURN, [1]),
    ];
    body_refused(beyond, "an element that no constant below 4 names");
    body_refused(
        vec![row(code::EXTRACT_ELEMENT, [1, 2]), row(code::RETURN, [1])],
        "of something that is no vector",
    );
    body_refused(
        vec![row(code::INSERT_ELEMENT, [1, 2, 1]), row(code::RETURN, [1])],
        "for something that is no vector",
    );
    let wrong = vec![
        undefined(),
        constants(ty::FLOAT, &[(constant::FLOAT, 0)]),
        integers(ty::I32, &[0]),
        row(code::INSERT_ELEMENT, [3, 2, 1]),
        row(code::RETURN, [5]),
    ];
    body_refused(wrong, "of type float; expected i32");
}

#[test]
fn memory_is_accessed_as_the_abi_allows() {
    let load = |alignment: u64, of: u64, words: &str| {
        body_refused(vec![row(code::LOAD, [1, alignment, of]), row(code::RETURN, [2])], words);
    };
    load(3, ty::I32, "an access to memory of type i32 with 3");
    load(0, ty::I32, "with 0 for its alignment");
    load(1, ty::I1, "of type i1");
    load(2, ty::DOUBLE, "of type double with 2");
    load(1, ty::V4I32, "of type <4 x i32> with 1");
    load(1, ty::V4I1, "of type <4 x i1>");
    load(1, ty::VOID, "of type void");
    let store = vec![row(code::STORE, [1, 2, 2]), row(code::RETURN, [1])];
    body_refused(store, "an access to memory of type i32 with 2");
    let float = vec![
        constants(ty::FLOAT, &[(constant::FLOAT, 0)]),
        row(code::LOAD, [1, 1, ty::I32]),
        row(code::RETURN, [1]),
    ];
    body_refused(float, "of type float as an address");
    let size = vec![
        integers(ty::I64, &[8]),
        row(code::ALLOCA, [1, 1]),
        row(code::RETURN, [2]),
    ];
    body_refused(size, "an alloca whose size is no i32");
    body_refused(
        vec![row(code::ALLOCA, [1, 31]), row(code::RETURN, [2])],
        "aligned to more than 2^29",
    );
}

#[test]
fn branches_lead_to_blocks_but_the_first() {
    blocks_refused(
        2,
        vec![row(code::BRANCH, [0]), row(code::RETURN, [1])],
        "block 0, the entry",
    );
    blocks_refused(2, vec![row(code::BRANCH, [2]), row(code::RETURN, [1])], "block 2 of 2");
    blocks_refused(
        2,
        vec![row(code::BRANCH, [1, 1, 1]), row(code::RETURN, [1])],
        "a branch by something that is no i1",
    );
    blocks_refused(
        2,
        vec![row(code::BRANCH, [1, 1]), row(code::RETURN, [1])],
        "br with 2 operands",
    );
    let switch = |operands: Vec<u64>, words: &str| {
        blocks_refused(
            2,
            vec![Part::Record(code::SWITCH, operands), row(code::RETURN, [1])],
            words,
        );
    };
    switch(vec![ty::I32, 1, 1], "a switch of 3 operands");
    switch(vec![ty::I32, 1, 1, 1], "a switch of 1 cases with 0 numbers");
    switch(
        vec![ty::I32, 1, 1, 1, 1, 2, signed(5), 1],
        "does not begin with 1 and 1",
    );
    switch(
        vec![ty::I32, 1, 1, 1, 2, 1, signed(5), 1],
        "does not begin with 1 and 1",
    );
    switch(vec![ty::I32, 1, 0, 0], "block 0, the entry");
    switch(vec![ty::I64, 1, 1, 0], "of type i32; expected i64");
    let twice = vec![ty::I32, 1, 1, 2, 1, 1, signed(5), 1, 1, 1, signed(5), 1];
    switch(twice, "two cases for 5");
    let flag = vec![
        row(code::COMPARE, [1, 2, 32]),
        row(code::SWITCH, [ty::I1, 1, 1, 0]),
        row(code::RETURN, [2]),
    ];
    blocks_refused(2, flag, "a switch on a value of type i1");
    body_refused(vec![row(code::UNREACHABLE, [1])], "unreachable with 1 operands");
}

#[test]
fn phis_have_a_value_for_each_predecessor() {
    let phi = |operands: Vec<u64>, words: &str| {
        let body = vec![
            row(code::BRANCH, [1]),
            Part::Record(code::PHI, operands),
            row(code::RETURN, [1]),
        ];
        blocks_refused(2, body, words);
    };
    phi(vec![ty::I32], "a phi without a type of values");
    phi(vec![ty::I32, signed(1)], "a value without a block");
    phi(vec![ty::VOID, signed(1), 0], "a phi without a type of values");
    phi(vec![ty::I64, signed(1), 0], "of type i32 for a phi of i64");
    phi(vec![ty::I32, signed(1), 2], "block 2 of 2");
    phi(vec![ty::I32, signed(1), 1], "a block that is no predecessor");
    phi(vec![ty::I32, signed(-3), 0], "is not defined");
    phi(vec![ty::I32, signed(1), 0, signed(2), 0], "or two for one");
    body_refused(
        vec![row(code::PHI, [ty::I32, signed(1), 0]), row(code::RETURN, [1])],
        "a phi in the entry block",
    );
    let late = vec![
        row(code::BRANCH, [1]),
        row(code::BINARY, [1, 1, 0]),
        row(code::PHI, [ty::I32, signed(2), 0]),
        row(code::RETURN, [1]),
    ];
    blocks_refused(2, late, "after other instructions");
    let missing = vec![
        row(code::COMPARE, [1, 2, 32]),
        row(code::BRANCH, [1, 2, 1]),
        row(code::BRANCH, [2]),
        row(code::PHI, [ty::I32, signed(2), 0]),
        row(code::RETURN, [1]),
    ];
    blocks_refused(3, missing, "lacks a value for a predecessor");
}

#[test]
fn forward_references_are_declared_once_and_defined() {
    let forward = |rows: Vec<Part>, words: &str| blocks_refused(2, rows, words);
    let done = || [row(code::BRANCH, [1]), row(code::RETURN, [1])];
    let with = |part: Part| [vec![part], done().to_vec()].concat();
    forward(
        with(row(code::FORWARD_TYPE, [9, ty::I32])),
        "value 9 is used and never defined",
    );
    forward(
        with(row(code::FORWARD_TYPE, [3, ty::I32])),
        "value 3 as a forward reference",
    );
    forward(
        with(row(code::FORWARD_TYPE, [1 << 31, ty::I32])),
        "as a forward reference",
    );
    forward(
        with(row(code::FORWARD_TYPE, [9, ty::VOID])),
        "a forward reference of void",
    );
    let twice = vec![
        row(code::FORWARD_TYPE, [9, ty::I32]),
        row(code::FORWARD_TYPE, [9, ty::I32]),
    ];
    forward([twice, done().to_vec()].concat(), "a second type of value 9");
    let other = vec![row(code::FORWARD_TYPE, [4, ty::I64]), row(code::BINARY, [1, 2, 0])];
    forward(
        [other, done().to_vec()].concat(),
        "of type i32; expected i64, as was declared",
    );
    // Value 5 is used in the entry block and defined after it.
    let late = vec![
        row(code::FORWARD_TYPE, [5, ty::I32]),
        row(code::BINARY, [1, u64::from(u32::MAX), 0]),
        row(code::BRANCH, [1]),
        row(code::BINARY, [1, 2, 0]),
        row(code::RETURN, [1]),
    ];
    forward(late, "does not dominate that use");
}

#[test]
fn calls_fit_their_functions() {
    let call = |part: Part, words: &str| body_refused(vec![part, row(code::RETURN, [1])], words);
    // Function 1 is this one itself, value 4 the next.
    call(row(code::CALL, [0]), "a call of 1 operands");
    call(row(code::CALL, [2, 3, 1, 2]), "calling convention 1");
    call(row(code::CALL, [0, 2, 1, 2]), "a call of value 2, which is no function");
    call(row(code::CALL, [0, 3, 1]), "with 1 arguments; expected 2");
    call(row(code::CALL_INDIRECT, [0, 1]), "an indirect call of 2 operands");
    call(row(code::CALL_INDIRECT, [2, 1, ty::VOID]), "calling convention 1");
    call(
        row(code::CALL_INDIRECT, [0, 1, ty::I8]),
        "an indirect call that returns i8",
    );
    let small = vec![
        integers(ty::I16, &[1]),
        row(code::CALL_INDIRECT, [0, 2, ty::I32, 1]),
        row(code::RETURN, [1]),
    ];
    body_refused(small, "an argument of type i16");
    let wide = vec![
        integers(ty::I64, &[1]),
        row(code::CALL, [0, 4, 1, 2]),
        row(code::RETURN, [1]),
    ];
    body_refused(wide, "argument 0 of another type");
    let double = vec![
        constants(ty::DOUBLE, &[(constant::FLOAT, 0)]),
        row(code::CALL_INDIRECT, [0, 1, ty::I32]),
        row(code::RETURN, [1]),
    ];
    body_refused(double, "of type double as an address");
}

/// An intrinsic as value 1, and a body of function 2, whose parameters are values 3 and 4.
pub(super) fn intrinsic_refused(name: &str, result: u64, parameters: &[u64], body: Vec<Part>, words: &str) {
    let mut pexe = Pexe::with(ty::BINARY, body);
    pexe.add_intrinsic(name, result, parameters);
    refused(&pexe, words);
}

#[test]
fn intrinsics_take_constants_where_the_abi_says_so() {
    let done = || row(code::RETURN, [1]);
    let one = |part: Part| vec![part, done()];
    let address = vec![row(code::BINARY, [1, 4, 0]), done()];
    intrinsic_refused(
        "llvm.stacksave",
        ty::I32,
        &[],
        address,
        "the address of function 1, which is an intrinsic",
    );
    let flag = vec![
        row(code::COMPARE, [1, 2, 32]),
        row(code::CALL, [0, 5, 2, 1]),
        row(code::RETURN, [3]),
    ];
    intrinsic_refused(
        "llvm.ctlz.i32",
        ty::I32,
        &[ty::I32, ty::I1],
        flag,
        "a flag for zero that is no constant",
    );
    let load = |order: i64| vec![integers(ty::I32, &[order]), row(code::CALL, [0, 5, 2, 1]), done()];
    for (order, words) in [
        (2, "memory order 2"),
        (7, "memory order 7"),
        (4, "does not have"),
        (5, "does not have"),
    ] {
        intrinsic_refused(
            "llvm.nacl.atomic.load.i32",
            ty::I32,
            &[ty::I32, ty::I32],
            load(order),
            words,
        );
    }
    let variable = one(row(code::CALL, [0, 4, 1, 2]));
    intrinsic_refused(
        "llvm.nacl.atomic.load.i32",
        ty::I32,
        &[ty::I32, ty::I32],
        variable,
        "a memory order that is no constant",
    );
    let store = vec![
        integers(ty::I32, &[3]),
        row(code::CALL, [0, 5, 2, 3, 1]),
        row(code::RETURN, [2]),
    ];
    let parameters = [ty::I32, ty::I32, ty::I32];
    intrinsic_refused(
        "llvm.nacl.atomic.store.i32",
        ty::VOID,
        &parameters,
        store,
        "does not have",
    );
    let update = vec![integers(ty::I32, &[7, 6]), row(code::CALL, [0, 6, 2, 3, 4, 1]), done()];
    let parameters = [ty::I32, ty::I32, ty::I32, ty::I32];
    intrinsic_refused(
        "llvm.nacl.atomic.rmw.i32",
        ty::I32,
        &parameters,
        update,
        "atomic operation 7",
    );
    let exchange = vec![
        integers(ty::I32, &[3, 6]),
        row(code::CALL, [0, 6, 3, 4, 4, 2, 1]),
        done(),
    ];
    let parameters = [ty::I32, ty::I32, ty::I32, ty::I32, ty::I32];
    intrinsic_refused(
        "llvm.nacl.atomic.cmpxchg.i32",
        ty::I32,
        &parameters,
        exchange,
        "a stronger memory order",
    );
    let copy = vec![
        integers(ty::I32, &[3]),
        integers(ty::I1, &[0]),
        row(code::CALL, [0, 6, 3, 4, 3, 2, 1]),
        row(code::RETURN, [3]),
    ];
    let parameters = [ty::I32, ty::I32, ty::I32, ty::I32, ty::I1];
    intrinsic_refused(
        "llvm.memcpy.p0i8.p0i8.i32",
        ty::VOID,
        &parameters,
        copy,
        "an alignment of 3",
    );
    let parameters = [ty::I32, ty::I32];
    let size = one(row(code::CALL, [0, 4, 1, 2]));
    intrinsic_refused(
        "llvm.nacl.atomic.is.lock.free",
        ty::I1,
        &parameters,
        size,
        "a size that is no constant",
    );
}
