//! More rules that a file can break, each broken once: numbers of operands, parts at the wrong place, and what
//! intrinsics and vectors take.

use super::maker::{Part, Pexe, constants, integers, row, ty};
use super::rules::{body_refused, intrinsic_refused, module_refused, refused};
use crate::pnacl::codes::{block, constants as constant, function as code, globals, module, types};

#[test]
fn parts_stand_where_they_belong() {
    module_refused(
        |pexe| {
            pexe.late.push(Part::Record(module::FUNCTION, vec![ty::START, 0, 0, 3]));
        },
        "record 8 in the module at this place",
    );
    module_refused(
        |pexe| pexe.late.push(Part::Record(module::VERSION, vec![1])),
        "record 1 in the module at this place",
    );
    module_refused(
        |pexe| pexe.late.push(Part::Block(block::CONSTANTS, vec![])),
        "block 11, which the ABI does not have",
    );
    module_refused(
        |pexe| pexe.late.push(Part::Block(0, vec![])),
        "block 0, which the ABI does not have",
    );
    module_refused(
        |pexe| pexe.types.insert(1, (types::COUNT, vec![ty::COUNT])),
        "or a second count",
    );
    module_refused(
        |pexe| pexe.globals = Some(vec![(globals::COUNT, vec![1])]),
        "0 variables; expected 1",
    );
}

#[test]
fn records_of_variables_have_their_operands() {
    let globals = |rows: Vec<(u64, Vec<u64>)>, words: &str| {
        let rows = [vec![(globals::COUNT, vec![1])], rows].concat();
        module_refused(|pexe| pexe.globals = Some(rows), words);
    };
    let variable = || (globals::VARIABLE, vec![1, 0]);
    globals(vec![(globals::VARIABLE, vec![1])], "record 0");
    globals(
        vec![(globals::VARIABLE, vec![1, 0, 0])],
        "record 0 of 3 operands among the variables; expected 2",
    );
    globals(vec![variable(), (globals::ZERO_FILL, vec![])], "record 2");
    globals(
        vec![variable(), (globals::ZERO_FILL, vec![4, 4])],
        "record 2 of 2 operands among the variables; expected 1",
    );
    globals(vec![variable(), (globals::COMPOUND, vec![])], "record 1");
    globals(
        vec![variable(), (globals::COMPOUND, vec![2, 2])],
        "record 1 of 2 operands among the variables; expected 1",
    );
    globals(vec![variable(), (globals::RELOCATION, vec![])], "record 4");
    globals(
        vec![variable(), (globals::RELOCATION, vec![0, 4, 4])],
        "record 4 of 3 operands among the variables; expected 2",
    );
    globals(vec![variable(), (99, vec![1])], "expected bytes, zeros or an address");
}

#[test]
fn functions_return_what_is_passed() {
    for (result, parameter) in [(ty::I8, ty::I32), (ty::I32, ty::I1), (ty::V4I32, ty::I8)] {
        let mut pexe = Pexe::new();
        let of = pexe.add_type((types::FUNCTION, vec![0, result, parameter]));
        pexe.functions.push((module::FUNCTION, vec![of, 0, 0, 3]));
        refused(&pexe, "a type that only intrinsics take");
    }
    let mut pexe = Pexe::new();
    let of = pexe.add_type((types::FUNCTION, vec![0, ty::I32]));
    pexe.functions[0].1[0] = of;
    refused(&pexe, "_start takes one i32 and returns nothing");
}

#[test]
fn records_of_instructions_have_their_operands() {
    let count = |code: u64, operands: Vec<u64>, words: &str| {
        body_refused(vec![Part::Record(code, operands), row(code::RETURN, [1])], words);
    };
    count(code::BINARY, vec![1, 1, 0, 0, 0], "with 5 operands");
    count(code::CAST, vec![1, ty::I64], "cast with 2 operands");
    count(code::COMPARE, vec![1, 1], "comparison with 2 operands");
    count(code::SELECT, vec![1, 1], "select with 2 operands");
    count(code::EXTRACT_ELEMENT, vec![1], "extractelement with 1 operands");
    count(code::INSERT_ELEMENT, vec![1, 1], "insertelement with 2 operands");
    count(code::ALLOCA, vec![1], "alloca with 1 operands");
    count(code::LOAD, vec![1, 1], "load with 2 operands");
    count(code::STORE, vec![1, 1], "store with 2 operands");
    count(code::BRANCH, vec![], "br with 0 operands");
}

#[test]
fn values_in_memory_have_types_for_it() {
    let flag = vec![
        integers(ty::I1, &[0]),
        row(code::STORE, [2, 1, 1]),
        row(code::RETURN, [2]),
    ];
    body_refused(flag, "an access to memory of type i1");
    let lane = vec![
        constants(ty::V4I32, &[(constant::UNDEFINED, 0)]),
        integers(ty::I64, &[1]),
        row(code::EXTRACT_ELEMENT, [2, 1]),
        row(code::RETURN, [1]),
    ];
    body_refused(lane, "an element that no constant below 4 names");
    let negative = vec![
        constants(ty::V4I32, &[(constant::UNDEFINED, 0)]),
        integers(ty::I32, &[-1]),
        row(code::EXTRACT_ELEMENT, [2, 1]),
        row(code::RETURN, [1]),
    ];
    body_refused(negative, "an element that no constant below 4 names");
    let vectors = vec![
        constants(ty::V4F32, &[(constant::UNDEFINED, 0)]),
        row(code::BINARY, [1, 1, 10]),
        row(code::RETURN, [2]),
    ];
    body_refused(vectors, "operation 10 of operands of type <4 x float>");
    let flags = vec![
        constants(ty::V4I1, &[(constant::UNDEFINED, 0)]),
        row(code::BINARY, [1, 1, 3]),
        row(code::RETURN, [2]),
    ];
    body_refused(flags, "operation 3 of operands of type <4 x i1>");
    let lanes = vec![
        constants(ty::V4I1, &[(constant::UNDEFINED, 0)]),
        row(code::CAST, [1, ty::I32, 1]),
        row(code::RETURN, [1]),
    ];
    body_refused(lanes, "cast 1 from <4 x i1> to i32");
}

#[test]
fn orders_and_flags_of_intrinsics_are_those_of_the_abi() {
    let done = || row(code::RETURN, [1]);
    for (order, words) in [(1, "memory order 1"), (2, "memory order 2"), (0, "memory order 0")] {
        let fence = vec![
            integers(ty::I32, &[order]),
            row(code::CALL, [0, 5, 1]),
            row(code::RETURN, [1]),
        ];
        intrinsic_refused("llvm.nacl.atomic.fence", ty::VOID, &[ty::I32], fence, words);
        let update = vec![
            integers(ty::I32, &[1, order]),
            row(code::CALL, [0, 6, 2, 3, 4, 1]),
            done(),
        ];
        intrinsic_refused("llvm.nacl.atomic.rmw.i32", ty::I32, &[ty::I32; 4], update, words);
    }
    for failure in [4, 5] {
        let exchange = vec![
            integers(ty::I32, &[6, failure]),
            row(code::CALL, [0, 6, 3, 4, 4, 2, 1]),
            done(),
        ];
        intrinsic_refused(
            "llvm.nacl.atomic.cmpxchg.i32",
            ty::I32,
            &[ty::I32; 5],
            exchange,
            "which this operation does not have",
        );
    }
    let parameters = [ty::I32, ty::I32, ty::I32, ty::I32, ty::I1];
    let alignment = vec![
        integers(ty::I1, &[0]),
        row(code::CALL, [0, 5, 3, 2, 2, 2, 1]),
        row(code::RETURN, [2]),
    ];
    intrinsic_refused(
        "llvm.memmove.p0i8.p0i8.i32",
        ty::VOID,
        &parameters,
        alignment,
        "an alignment that is no constant",
    );
    let volatile = vec![
        integers(ty::I32, &[1]),
        row(code::COMPARE, [1, 2, 32]),
        row(code::CALL, [0, 6, 4, 3, 3, 2, 1]),
        row(code::RETURN, [3]),
    ];
    intrinsic_refused(
        "llvm.memcpy.p0i8.p0i8.i32",
        ty::VOID,
        &parameters,
        volatile,
        "a flag for volatile accesses that is no constant",
    );
    let address = vec![
        constants(ty::FLOAT, &[(constant::FLOAT, 0)]),
        integers(ty::I32, &[6]),
        row(code::CALL, [0, 6, 2, 1]),
        done(),
    ];
    intrinsic_refused(
        "llvm.nacl.atomic.load.i32",
        ty::I32,
        &[ty::I32; 2],
        address,
        "of type float as an address",
    );
    let size = vec![
        integers(ty::I32, &[1]),
        row(code::CALL, [0, 5, 1]),
        row(code::RETURN, [1]),
    ];
    intrinsic_refused(
        "llvm.nacl.setjmp",
        ty::I32,
        &[ty::I64],
        size,
        "another type than the ABI says",
    );
}
