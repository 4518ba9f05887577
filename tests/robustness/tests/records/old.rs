//! Records that only old versions of LLVM write, made of those of a newer one. LLVM 22 must accept what is made, and it
//! must give the same object.

use super::{Verdict, bases, verdict};
use frazil::{Emit, Options, Recipe};
use frazil_robustness::records::{Node, Record, Tree, encode};
use frazil_test_support::Folder;
use std::sync::Arc;

/// Blocks of attributes, functions, constants and metadata.
const ATTRIBUTE_GROUPS: u64 = 10;
const FUNCTION: u64 = 12;
const CONSTANTS: u64 = 11;
const METADATA: u64 = 15;

/// A committed module.
fn named(name: &str) -> Vec<Tree> {
    let found = bases().into_iter().find(|base| base.name == name);
    found.expect("it is there").trees
}

/// A module that LLVM 14 wrote.
fn module() -> Vec<Tree> {
    named("old-expressions.bc")
}

/// Checks that LLVM accepts a module, and that it gives the same object as another.
fn expect_same(trees: &[Tree], before: &[Tree]) {
    let folder = Folder::new("old-records");
    let path = folder.write("module.bc", encode(trees));
    match verdict(&path) {
        Verdict::Accepted => {}
        Verdict::Refused(said) => panic!("LLVM refuses it: {said}"),
        Verdict::Crashed => panic!("LLVM falls over"),
    }
    assert!(compiled(trees, Emit::Obj) == compiled(before, Emit::Obj));
}

/// What comes out by a recipe that heeds all flags.
fn compiled(trees: &[Tree], emit: Emit) -> Vec<u8> {
    let name = if emit == Emit::Obj { "O2" } else { "Om1" };
    let options = Options {
        emit,
        recipe: Arc::new(Recipe::find(name).expect("it is built in")),
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
    let change = |found: &Record| (found.code == NEW).then(|| vec![record(OLD, &found.operands)]);
    assert_eq!(replace(&mut trees, FUNCTION, &change), 1);
    expect_same(&trees, &module());
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

/// One by one, the strings that a record has together: their lengths, and their characters from a byte on.
fn strings(record: &Record) -> Vec<Vec<u8>> {
    let &[count, start] = record.operands.as_slice() else {
        panic!("a count and a start")
    };
    let blob = record.blob.as_ref().expect("it has one");
    let (lengths, mut characters) = blob.split_at(start as usize);
    let bit = |at: usize| u64::from(lengths[at / 8] >> (at % 8) & 1);
    let mut at = 0;
    let mut texts = Vec::new();
    for _ in 0..count {
        let (mut length, mut shift) = (0, 0);
        loop {
            length |= (0..5).map(|index| bit(at + index) << index).sum::<u64>() << shift;
            (at, shift) = (at + 6, shift + 5);
            if bit(at - 1) == 0 {
                break;
            }
        }
        let (text, rest) = characters.split_at(length as usize);
        texts.push(text.to_vec());
        characters = rest;
    }
    texts
}

/// Up to version 3.8, each string of metadata is a record. The flags of these modules, what `llvm.ident` says, the
/// sections of functions and the modes of rounding, which functions have as metadata of their own, show in the object.
#[test]
fn strings_of_metadata_are_read_one_by_one() {
    const STRING_OLD: u64 = 1;
    const STRINGS: u64 = 35;
    for (name, count) in [
        ("mixed-O0-clang14.bc", 1),
        ("module-level.bc", 1),
        ("constrained.bc", 4),
    ] {
        let before = named(name);
        let mut trees = before.clone();
        let change = |found: &Record| {
            let texts = (found.code == STRINGS).then(|| strings(found))?;
            let operands = |text: &Vec<u8>| text.iter().map(|&byte| byte.into()).collect::<Vec<u64>>();
            Some(texts.iter().map(|text| record(STRING_OLD, &operands(text))).collect())
        };
        assert_eq!(replace(&mut trees, METADATA, &change), count, "{name}");
        expect_same(&trees, &before);
    }
}

/// The shape of an attribute whose name and value are texts.
const STRING_WITH_VALUE: u64 = 4;

fn text_attribute(name: &str, value: &str) -> Vec<u64> {
    let texts = [name, value].map(|text| text.bytes().map(u64::from).chain([0]).collect::<Vec<u64>>());
    [vec![STRING_WITH_VALUE], texts.concat()].concat()
}

/// A module that says which functions keep a frame pointer by these attributes, and how many groups do.
fn with_frame_pointers(attributes: &[(&str, &str)]) -> (Vec<Tree>, usize) {
    let now = text_attribute("frame-pointer", "all");
    let said: Vec<u64> = attributes
        .iter()
        .flat_map(|(name, value)| text_attribute(name, value))
        .collect();
    let mut trees = named("mixed-O0-clang14.bc");
    let count = replace(&mut trees, ATTRIBUTE_GROUPS, &|found: &Record| {
        let at = found.operands.windows(now.len()).position(|window| window == now)?;
        let mut operands = found.operands.clone();
        operands.splice(at..at + now.len(), said.iter().copied());
        Some(vec![record(found.code, &operands)])
    });
    (trees, count)
}

/// Up to version 9, two attributes say what one says now, and win over it.
#[test]
fn old_attributes_of_frame_pointers_are_read() {
    const ALL: &str = "no-frame-pointer-elim";
    const OF_CALLERS: &str = "no-frame-pointer-elim-non-leaf";
    const NOW: &str = "frame-pointer";
    let objects = ["all", "non-leaf", "none"].map(|value| compiled(&with_frame_pointers(&[(NOW, value)]).0, Emit::Obj));
    assert!(objects[0] != objects[1] && objects[1] != objects[2]);
    for (said, now) in [
        (&[(ALL, "true")][..], "all"),
        (&[(ALL, "true"), (OF_CALLERS, "")], "all"),
        (&[(NOW, "none"), (ALL, "true")], "all"),
        (&[(OF_CALLERS, "")], "non-leaf"),
        (&[(ALL, "false"), (OF_CALLERS, "")], "non-leaf"),
        (&[(NOW, "all"), (OF_CALLERS, "false")], "non-leaf"),
        (&[(ALL, "false")], "none"),
        (&[(NOW, "all"), (ALL, "")], "none"),
    ] {
        let (trees, count) = with_frame_pointers(said);
        assert!(count > 0, "no group says it");
        expect_same(&trees, &with_frame_pointers(&[(NOW, now)]).0);
    }
}

/// Checks a change of records in every committed module that has such and is supported; returns in how many.
fn change_everywhere(change: &impl Fn(&mut Vec<Tree>) -> usize) -> usize {
    let mut changed = 0;
    for base in bases() {
        let mut trees = base.trees.clone();
        if change(&mut trees) > 0 && frazil::compile(&base.bytes, &Options::default()).is_ok() {
            expect_same(&trees, &base.trees);
            changed += 1;
        }
    }
    changed
}

/// The same for records of a kind of block and a code.
fn replace_everywhere(block: u64, code: u64, change: &impl Fn(&[u64]) -> Option<Record>) -> usize {
    let change = |found: &Record| {
        let operands = Some(&found.operands).filter(|_| found.code == code)?;
        Some(vec![change(operands)?])
    };
    change_everywhere(&|trees| replace(trees, block, &change))
}

/// Drops blocks of a kind; returns how many.
fn drop_blocks(trees: &mut Vec<Tree>, id: u64) -> usize {
    let before = trees.len();
    trees.retain(|tree| tree.id != id);
    let mut count = before - trees.len();
    for tree in trees {
        tree.nodes.retain(|node| {
            let is_kept = !matches!(node, Node::Block(inner) if inner.id == id);
            count += usize::from(!is_kept);
            is_kept
        });
    }
    count
}

/// Who wrote a file, it says since version 3.8; names of synchronisation scopes since version 6; which functions have
/// blocks whose addresses other functions take since version 15.
#[test]
fn what_old_versions_do_not_write_is_not_needed() {
    const IDENTIFICATION: u64 = 13;
    const SCOPE_NAMES: u64 = 26;
    const BLOCK_ADDRESS_USERS: u64 = 60;
    assert!(change_everywhere(&|trees| drop_blocks(trees, IDENTIFICATION)) > 10);
    assert!(change_everywhere(&|trees| drop_blocks(trees, SCOPE_NAMES)) > 10);
    let drop = |found: &Record| (found.code == BLOCK_ADDRESS_USERS).then(Vec::new);
    assert!(change_everywhere(&|trees| replace(trees, FUNCTION, &drop)) > 0);
}

/// Symbols have got more fields over time, which say nothing when they are zero.
#[test]
fn records_of_symbols_may_be_short() {
    const MODULE: u64 = 8;
    // The code, and the fields that there were first, with the place of the name.
    for (code, least) in [(7, 2 + 6), (8, 2 + 8), (14, 2 + 4), (18, 2 + 4)] {
        let shorten = |operands: &[u64]| {
            let used = operands
                .iter()
                .rposition(|&operand| operand != 0)
                .map_or(0, |at| at + 1);
            (operands.len() > used.max(least)).then(|| record(code, &operands[..used.max(least)]))
        };
        assert!(replace_everywhere(MODULE, code, &shorten) > 0, "code {code}");
    }
}

/// Up to version 10, alignments of these are not said.
#[test]
fn atomic_operations_need_no_alignment() {
    const ATOMIC_RMW: u64 = 59;
    const CMPXCHG: u64 = 46;
    // Integers of 16 and 32 bytes whose natural alignment is said: what becomes of them, and that plus one.
    const OPERATION: usize = 2;
    const ADDITION: u64 = 1;
    const MAXIMUM: u64 = 7;
    let is_natural = |found: &Record| match (found.code, found.operands.as_slice()) {
        (ATOMIC_RMW, operands) => {
            matches!(operands.get(OPERATION), Some(&(ADDITION | MAXIMUM))) && operands.last() == Some(&5)
        }
        (CMPXCHG, operands) => operands.last() == Some(&6),
        _ => false,
    };
    let change = |found: &Record| {
        let (_, rest) = found.operands.split_last().filter(|_| is_natural(found))?;
        Some(vec![record(found.code, rest)])
    };
    let before = named("atomics.bc");
    let mut trees = before.clone();
    assert_eq!(replace(&mut trees, FUNCTION, &change), 3);
    expect_same(&trees, &before);
}

/// Texts as constants.
#[test]
fn texts_have_three_forms() {
    const STRING: u64 = 8;
    const C_STRING: u64 = 9;
    const DATA: u64 = 22;
    for code in [STRING, DATA] {
        let with_end = |operands: &[u64]| Some(record(code, &[operands, &[0]].concat()));
        assert!(replace_everywhere(CONSTANTS, C_STRING, &with_end) > 3);
    }
    let data = |operands: &[u64]| Some(record(DATA, operands));
    assert!(replace_everywhere(CONSTANTS, STRING, &data) > 0);
}

/// Addresses as constants: forms of versions up to 3.6, 3.9, 14 and 18, in modules of typed pointers and others.
#[test]
fn constant_addresses_have_many_forms() {
    const GEP_OLD: u64 = 12;
    const INBOUNDS_GEP: u64 = 20;
    const GEP_INRANGE_OLD: u64 = 24;
    const GEP: u64 = 32;
    // From typed ones: the source type, and pairs of a type and a value.
    for (code, flags) in [(GEP_OLD, 0), (INBOUNDS_GEP, 1)] {
        let split = |operands: &[u64]| (operands.len() % 2 == 1).then(|| (operands[0], operands[1..].to_vec()));
        let untyped = |found: &Record| {
            let (_, pairs) = split(&found.operands).filter(|_| found.code == code)?;
            Some(vec![record(code, &pairs)])
        };
        let with_range = |operands: &[u64]| {
            let (source, pairs) = split(operands)?;
            Some(record(
                GEP_INRANGE_OLD,
                &[&[source, flags | 1 << 1], &pairs[..]].concat(),
            ))
        };
        let now = |operands: &[u64]| {
            let (source, pairs) = split(operands)?;
            Some(record(GEP, &[&[source, flags], &pairs[..]].concat()))
        };
        let least = usize::from(flags == 1);
        let mut changed = 0;
        for name in ["old-expressions.bc", "mixed-O0-clang14.bc"] {
            let before = named(name);
            let mut trees = before.clone();
            changed += replace(&mut trees, CONSTANTS, &untyped);
            expect_same(&trees, &before);
        }
        assert!(changed >= least);
        assert!(replace_everywhere(CONSTANTS, code, &with_range) >= least);
        assert!(replace_everywhere(CONSTANTS, code, &now) >= least);
    }
    // Flags and source type stand in front.
    let then = |operands: &[u64]| {
        let (&[source, flags], pairs) = operands.split_first_chunk()?;
        let code = if flags & 1 == 0 { GEP_OLD } else { INBOUNDS_GEP };
        Some(record(code, &[&[source], pairs].concat()))
    };
    assert!(replace_everywhere(CONSTANTS, GEP, &then) > 3);
}

/// Calls say the type of what they call since version 3.7; without, it is that of the function that is called, or what
/// a typed pointer points to.
#[test]
fn calls_need_no_type_where_it_is_known() {
    const CALL: u64 = 34;
    const EXPLICIT_TYPE: u64 = 1 << 15;
    const FAST_MATH: u64 = 1 << 17;
    let change = |found: &Record| {
        let &[attributes, word, ref rest @ ..] = found.operands.as_slice() else {
            return None;
        };
        if found.code != CALL || word & EXPLICIT_TYPE == 0 {
            return None;
        }
        let at = usize::from(word & FAST_MATH != 0);
        let head = [attributes, word & !EXPLICIT_TYPE];
        Some(vec![record(CALL, &[&head, &rest[..at], &rest[at + 1..]].concat())])
    };
    for name in ["mixed-O0-clang14.bc", "classes-O0.bc", "rust-O3.bc"] {
        let before = named(name);
        let mut trees = before.clone();
        assert!(replace(&mut trees, FUNCTION, &change) > 10);
        expect_same(&trees, &before);
    }
}

/// Up to version 3.8, names of kinds stand among the metadata.
#[test]
fn kinds_of_metadata_may_stand_among_it() {
    const KINDS: u64 = 22;
    let changed = change_everywhere(&|trees| {
        let mut count = 0;
        for tree in trees {
            let mut kinds = Vec::new();
            tree.nodes.retain(|node| match node {
                Node::Block(inner) if inner.id == KINDS => {
                    kinds.extend(inner.nodes.clone());
                    false
                }
                _ => true,
            });
            for node in &mut tree.nodes {
                if let Node::Block(inner) = node
                    && inner.id == METADATA
                {
                    count += kinds.len();
                    inner.nodes.splice(..0, kinds.drain(..));
                }
            }
        }
        count
    });
    assert!(changed > 3);
}

/// Nodes that differ from others of the same operands: it does not matter for what nodes say of code.
#[test]
fn distinct_nodes_are_nodes() {
    const NODE: u64 = 3;
    const DISTINCT_NODE: u64 = 5;
    let distinct = |operands: &[u64]| Some(record(DISTINCT_NODE, operands));
    assert!(replace_everywhere(METADATA, NODE, &distinct) > 3);
}

/// Places of debug information have got more fields.
#[test]
fn places_in_sources_may_be_short() {
    const DEBUG_LOCATION: u64 = 35;
    const FIELDS: usize = 4;
    let shorten = |operands: &[u64]| (operands.len() > FIELDS).then(|| record(DEBUG_LOCATION, &operands[..FIELDS]));
    assert!(replace_everywhere(FUNCTION, DEBUG_LOCATION, &shorten) > 0);
}
