//! Executables that are damaged are refused, or are well-formed all the same; reading them never panics.

use super::maker::{Part, Pexe, integers, row, signed, ty};
use super::read;
use crate::pnacl::codes::{function as code, globals};
use frazil_test_support::Random;

/// How many damaged files are read.
const CASES: usize = 10_000;

/// Executables with most of what there is.
fn originals() -> Vec<Vec<u8>> {
    let rows = vec![
        (globals::COUNT, vec![2]),
        (globals::VARIABLE, vec![3, 1]),
        (globals::DATA, vec![11, 0, 0, 0]),
        (globals::VARIABLE, vec![3, 1]),
        (globals::COMPOUND, vec![2]),
        (globals::RELOCATION, vec![2, 4]),
        (globals::ZERO_FILL, vec![8]),
    ];
    let body = vec![
        integers(ty::I32, &[0, 1, 16]),
        row(code::ALLOCA, [1, 5]),
        row(code::BRANCH, [1]),
        row(code::FORWARD_TYPE, [12, ty::I32]),
        row(code::PHI, [ty::I32, signed(4), 0, signed(-2), 1]),
        row(code::PHI, [ty::I32, signed(8), 0, signed(8), 1]),
        row(code::BINARY, [2, 5, 0]),
        row(code::STORE, [4, 1, 1]),
        row(code::LOAD, [4, 1, ty::I32]),
        row(code::CALL, [0, 13, 2, 1]),
        row(code::COMPARE, [1, 2, 33]),
        row(code::BRANCH, [1, 2, 1]),
        Part::Record(
            code::SWITCH,
            [vec![ty::I32, 2, 3, 1], vec![1, 1, signed(7), 3]].concat(),
        ),
        row(code::RETURN, [3]),
    ];
    let mut large = Pexe::with_blocks(ty::BINARY, 4, body);
    large.globals = Some(rows);
    let mut atomic = Pexe::with(
        ty::BINARY,
        vec![
            integers(ty::I32, &[6, 1]),
            row(code::CALL, [0, 6, 1, 3, 4, 2]),
            row(code::CAST, [1, ty::DOUBLE, 6]),
            row(code::CAST, [1, ty::I32, 4]),
            row(code::CALL_INDIRECT, [0, 1, ty::I32, 2]),
            row(code::RETURN, [1]),
        ],
    );
    atomic.add_intrinsic("llvm.nacl.atomic.rmw.i32", ty::I32, &[ty::I32; 4]);
    [large, atomic, Pexe::new()].iter().map(Pexe::write).collect()
}

#[test]
fn damaged_executables_are_refused_or_well_formed() {
    let originals = originals();
    for bytes in &originals {
        assert!(read(bytes).is_ok(), "{:?}", read(bytes).err());
    }
    let mut random = Random::new(1);
    let mut read_all_the_same = 0;
    for _ in 0..CASES {
        let mut bytes = originals[random.below(originals.len())].clone();
        for _ in 0..1 + random.below(3) {
            // The header is tried elsewhere.
            let place = 16 + random.below(bytes.len() - 16);
            match random.below(3) {
                0 => bytes[place] ^= 1 << random.below(8),
                1 => bytes[place] = random.below(256) as u8,
                _ => bytes.truncate(place / 4 * 4),
            }
            if bytes.len() <= 16 {
                break;
            }
        }
        read_all_the_same += usize::from(read(&bytes).is_ok());
    }
    assert!(
        (CASES / 100..CASES / 2).contains(&read_all_the_same),
        "{read_all_the_same} of {CASES} are read"
    );
}
