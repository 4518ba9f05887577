//! Records that only old versions of LLVM write, made of those of a newer one.

use super::bases;
use frazil::{Emit, Options};
use frazil_robustness::records::{Node, Record, Tree, encode};

/// Blocks of functions and of constants.
const FUNCTION: u64 = 12;
const CONSTANTS: u64 = 11;

/// A module that LLVM 14 wrote.
fn module() -> Vec<Tree> {
    let found = bases().into_iter().find(|base| base.name == "old-expressions.bc");
    found.expect("it is there").trees
}

fn compiled(trees: &[Tree], emit: Emit) -> Vec<u8> {
    let options = Options {
        emit,
        ..Options::default()
    };
    frazil::compile(&encode(trees), &options).expect("it is supported")
}

/// Replaces records of a kind of block by others; returns how many.
fn replace(trees: &mut [Tree], block: u64, change: &impl Fn(&Record) -> Option<Vec<Record>>) -> usize {
    let mut count = 0;
    for tree in trees {
        let nodes = std::mem::take(&mut tree.nodes);
        for node in nodes {
            match node {
                Node::Record(record) => match change(&record).filter(|_| tree.id == block) {
                    Some(others) => {
                        tree.nodes.extend(others.into_iter().map(Node::Record));
                        count += 1;
                    }
                    None => tree.nodes.push(Node::Record(record)),
                },
                Node::Block(mut inner) => {
                    count += replace(std::slice::from_mut(&mut inner), block, change);
                    tree.nodes.push(Node::Block(inner));
                }
            }
        }
    }
    count
}

fn record(code: u64, operands: &[u64]) -> Record {
    Record {
        code,
        operands: operands.to_vec(),
        blob: None,
    }
}

/// Until version 12, the value of an `atomicrmw` has the type that the pointer points to.
#[test]
fn atomic_operations_of_old_versions_are_read() {
    const OLD: u64 = 38;
    const NEW: u64 = 59;
    let mut trees = module();
    let before = compiled(&trees, Emit::Obj);
    let change = |found: &Record| (found.code == NEW).then(|| vec![record(OLD, &found.operands)]);
    assert_eq!(replace(&mut trees, FUNCTION, &change), 1);
    assert!(compiled(&trees, Emit::Obj) == before);
}

/// LLVM 14 resolves these expressions into elements; its predecessors wrote them as they were.
#[test]
fn expressions_of_vectors_are_read() {
    const AGGREGATE: u64 = 7;
    const INSERT_ELEMENT: u64 = 15;
    const SHUFFLE: u64 = 16;
    const DATA: u64 = 22;
    let mut trees = module();
    let change = |found: &Record| match (found.code, found.operands.as_slice()) {
        // Value 12 is the vector, 13 the number 0, of type 0, and 15 the number 3.
        (AGGREGATE, [14, 15]) => Some(vec![record(INSERT_ELEMENT, &[12, 15, 0, 13])]),
        // The mask becomes value 17.
        (AGGREGATE, [14, 16]) => Some(vec![record(DATA, &[1, 0]), record(SHUFFLE, &[12, 12, 17])]),
        _ => None,
    };
    assert_eq!(replace(&mut trees, CONSTANTS, &change), 2);
    let text = String::from_utf8(compiled(&trees, Emit::Ir)).expect("it is text");
    for line in [
        "insert_element <2 x i32> v0, 3, 0",
        "shuffle <2 x i32> v0, v1, <2 x i32> [1, 0]",
    ] {
        assert!(text.contains(line), "no {line}:\n{text}");
    }
    compiled(&trees, Emit::Obj);
}

/// What the pointer points to is not said where it is a stack object or computed.
#[test]
fn atomic_operations_take_their_values_types() {
    let options = Options {
        emit: Emit::Ir,
        ..Options::default()
    };
    let text = frazil::compile(include_bytes!("old-atomics.bc"), &options).expect("it is supported");
    let text = String::from_utf8(text).expect("it is text");
    for line in [
        "atomic_rmw add align 4 seq_cst i32 v1, 3",
        "atomic_rmw xchg align 8 acquire i64 v2, v1",
    ] {
        assert!(text.contains(line), "no {line}:\n{text}");
    }
}
