//! Divisions by zero end the program, whoever uses the result, and blocks with divisions are split without a trace.

use super::maker::{Part, Pexe, constants, integers, row, signed, ty};
use super::read;
use crate::pnacl::codes::{constants as constant, function as code};
use frazil_ir::interp::{Interpreter, Limits, Stop, Value};
use frazil_ir::{FuncId, Opcode};
use frazil_support::EntityRef;

/// Divisions and remainders by their numbers.
const OPERATIONS: [u64; 4] = [3, 4, 5, 6];

/// What the last function returns of two integers.
fn run(pexe: &Pexe, arguments: [i64; 2]) -> Result<i32, Stop> {
    let (module, functions) = read(&pexe.write()).unwrap_or_else(|error| panic!("{error}"));
    let mut interpreter = Interpreter::new(&module, &functions, Limits::default()).expect("data fit memory");
    let last = FuncId::new(functions.len() - 1);
    let arguments = arguments.map(|word| Value::bits(u128::from(word as u32)));
    let results = interpreter.call(last, arguments.to_vec())?;
    Ok(results[0].known().expect("it is defined") as i32)
}

fn traps(pexe: &Pexe, arguments: [i64; 2]) {
    assert_eq!(run(pexe, arguments), Err(Stop::Trap), "{pexe:?} of {arguments:?}");
}

#[test]
fn zero_traps_though_nobody_uses_the_result() {
    for operation in OPERATIONS {
        let words = Pexe::with(
            ty::BINARY,
            vec![row(code::BINARY, [2, 1, operation]), row(code::RETURN, [3])],
        );
        traps(&words, [7, 0]);
        assert_eq!(run(&words, [7, 2]), Ok(7));
        for (of, cast) in [(ty::I8, 0), (ty::I16, 0), (ty::I64, 2)] {
            let others = Pexe::with(
                ty::BINARY,
                vec![
                    row(code::CAST, [1, of, cast]),
                    row(code::BINARY, [1, 1, operation]),
                    row(code::RETURN, [4]),
                ],
            );
            traps(&others, [7, 0]);
            assert_eq!(run(&others, [7, 3]), Ok(7));
        }
        let constant = |divisor: i64| {
            Pexe::with(
                ty::BINARY,
                vec![
                    integers(ty::I32, &[divisor]),
                    row(code::BINARY, [3, 1, operation]),
                    row(code::RETURN, [4]),
                ],
            )
        };
        traps(&constant(0), [7, 1]);
        assert_eq!(run(&constant(1 << 30), [7, 0]), Ok(7));
    }
}

#[test]
fn one_lane_of_zero_traps() {
    for operation in OPERATIONS {
        // Values 2 and 3; 4 undefined, 5 to 8 the lanes; all but the last are the first parameter.
        let body = vec![
            constants(ty::V4I32, &[(constant::UNDEFINED, 0)]),
            integers(ty::I32, &[0, 1, 2, 3]),
            row(code::INSERT_ELEMENT, [5, 7, 4]),
            row(code::INSERT_ELEMENT, [1, 8, 4]),
            row(code::INSERT_ELEMENT, [1, 9, 4]),
            row(code::INSERT_ELEMENT, [1, 9, 4]),
            row(code::BINARY, [1, 1, operation]),
            row(code::EXTRACT_ELEMENT, [1, 9]),
            row(code::RETURN, [1]),
        ];
        let pexe = Pexe::with(ty::BINARY, body);
        traps(&pexe, [7, 0]);
        assert!(run(&pexe, [7, 3]).is_ok());
    }
}

#[test]
fn constants_cost_nothing_and_others_share_one_trap() {
    let count = |body: Vec<Part>| {
        let (_, functions) = read(&Pexe::with(ty::BINARY, body).write()).expect("it breaks no rule");
        let function = &functions[1];
        let traps = function.insts().iter().filter(|inst| inst.op == Opcode::Trap);
        (function.blocks().len(), function.insts().len(), traps.count())
    };
    let constant = vec![
        integers(ty::I32, &[3]),
        row(code::BINARY, [2, 1, 4]),
        row(code::RETURN, [1]),
    ];
    assert_eq!(count(constant), (1, 2, 0));
    let twice = vec![
        row(code::BINARY, [2, 1, 4]),
        row(code::BINARY, [1, 2, 4]),
        row(code::RETURN, [1]),
    ];
    assert_eq!(count(twice), (4, 9, 1));
}

#[test]
fn split_blocks_are_those_of_the_file_to_phis_and_branches() {
    // Remainders until one is 0: values 2 and 3, the constant 4, phis 5 and 6, the remainder 7.
    let euclid = vec![
        integers(ty::I32, &[0]),
        row(code::BRANCH, [1]),
        row(code::PHI, [ty::I32, signed(3), 0, signed(-1), 1]),
        row(code::FORWARD_TYPE, [7, ty::I32]),
        row(code::PHI, [ty::I32, signed(3), 0, signed(-1), 1]),
        row(code::BINARY, [2, 1, 5]),
        row(code::COMPARE, [1, 4, 33]),
        row(code::BRANCH, [1, 2, 1]),
        row(code::RETURN, [3]),
    ];
    // The first phi names the second, which must be declared before.
    let mut body = euclid;
    body.insert(2, row(code::FORWARD_TYPE, [6, ty::I32]));
    let pexe = Pexe::with_blocks(ty::BINARY, 3, body);
    assert_eq!(run(&pexe, [12, 18]), Ok(6));
    assert_eq!(run(&pexe, [17, 5]), Ok(1));
    traps(&pexe, [17, 0]);
}

#[test]
fn a_switch_and_memory_after_a_split_are_what_they_were() {
    // Values 2 and 3, the constants 4 and 5, the quotient 6, memory 7 (a slot all the same), the remainder 8, and 9,
    // which is read.
    let body = vec![
        integers(ty::I32, &[4, 10]),
        row(code::BINARY, [4, 3, 4]),
        row(code::ALLOCA, [3, 3]),
        row(code::STORE, [1, 2, 1]),
        row(code::BINARY, [6, 5, 5]),
        row(code::LOAD, [2, 1, ty::I32]),
        Part::Record(
            code::SWITCH,
            [
                vec![ty::I32, 1, 1, 2],
                vec![1, 1, signed(2), 2],
                vec![1, 1, signed(3), 3],
            ]
            .concat(),
        ),
        row(code::RETURN, [2]),
        row(code::BRANCH, [3]),
        row(code::PHI, [ty::I32, signed(1), 0, signed(5), 2]),
        row(code::RETURN, [1]),
    ];
    let pexe = Pexe::with_blocks(ty::BINARY, 4, body);
    let (_, functions) = read(&pexe.write()).expect("it breaks no rule");
    assert_eq!(functions[1].slots().len(), 1);
    assert_eq!(run(&pexe, [20, 10]), Ok(10));
    assert_eq!(run(&pexe, [31, 10]), Ok(3));
    assert_eq!(run(&pexe, [10, 10]), Ok(0));
    traps(&pexe, [10, 0]);
}
