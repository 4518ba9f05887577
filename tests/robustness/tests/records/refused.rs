//! Single records that once were accepted although LLVM refuses them, each put into a committed module.

use super::{Verdict, bases, reads_all, verdict};
use frazil::Options;
use frazil_robustness::blocks;
use frazil_robustness::records::{Node, Record, Tree, encode};
use frazil_test_support::Folder;

/// What is changed: the module, the kind of block, the code of the record, and its operands before and after.
struct Change {
    module: &'static str,
    block: u64,
    code: u64,
    change: fn(&[u64]) -> Option<Vec<u64>>,
}

/// Kinds of blocks.
const MODULE: u64 = 8;
const CONSTANTS: u64 = 11;
const FUNCTION: u64 = 12;
const TYPES: u64 = 17;
const ATTRIBUTE_GROUPS: u64 = 10;
const STRING_TABLE: u64 = 23;

/// Codes of records in these.
const GLOBAL_VARIABLE: u64 = 7;
const FUNCTION_OF_MODULE: u64 = 8;
const POINTER_TYPE: u64 = 8;
const FUNCTION_TYPE: u64 = 21;
const SET_TYPE: u64 = 1;
const INTEGER: u64 = 4;
const AGGREGATE: u64 = 7;
const ADDRESS: u64 = 31;
const GEP: u64 = 32;
const BINARY: u64 = 10;
const EXTRACT_ELEMENT: u64 = 6;
const INSERT_ELEMENT: u64 = 7;
const RETURN: u64 = 10;
const PHI: u64 = 16;
const CALL: u64 = 34;
const LOAD_ATOMIC: u64 = 41;
const STORE_ATOMIC: u64 = 45;
const EXCHANGE_IF: u64 = 46;
const UPDATE: u64 = 59;
const FENCE: u64 = 36;
const ATTRIBUTE_GROUP: u64 = 3;
const ALIAS: u64 = 14;
const ARRAY_TYPE: u64 = 11;

/// Numbers of orderings.
const UNORDERED: u64 = 1;
const MONOTONIC: u64 = 2;
const ACQUIRE: u64 = 3;
const RELEASE: u64 = 4;

fn instead(operands: &[u64], before: &[u64], after: &[u64]) -> Option<Vec<u64>> {
    (operands == before).then(|| after.to_vec())
}

/// With another operand at a place.
fn with(operands: &[u64], at: usize, after: u64) -> Option<Vec<u64>> {
    let mut operands = operands.to_vec();
    *operands.get_mut(at)? = after;
    Some(operands)
}

const CHANGES: &[(&str, Change)] = &[
    (
        "a constant address from an integer",
        Change {
            module: "vector-addresses.bc",
            block: CONSTANTS,
            code: GEP,
            change: |operands| instead(operands, &[9, 0, 0, 0, 8, 5], &[9, 0, 0, 8, 8, 5]),
        },
    ),
    (
        "a landingpad of another type than the one before",
        Change {
            module: "classes-O0.bc",
            block: CONSTANTS,
            code: SET_TYPE,
            change: |operands| instead(operands, &[73], &[74]),
        },
    ),
    (
        "an atomic load that releases",
        Change {
            module: "atomics.bc",
            block: FUNCTION,
            code: LOAD_ATOMIC,
            // After address, type, alignment and whether it is volatile.
            change: |operands| with(operands, 4, RELEASE),
        },
    ),
    (
        "an atomic load without alignment",
        Change {
            module: "atomics.bc",
            block: FUNCTION,
            code: LOAD_ATOMIC,
            change: |operands| with(operands, 2, 0),
        },
    ),
    (
        "an atomic store that acquires",
        Change {
            module: "atomics.bc",
            block: FUNCTION,
            code: STORE_ATOMIC,
            change: |operands| with(operands, 4, ACQUIRE),
        },
    ),
    (
        "an atomic store without alignment",
        Change {
            module: "atomics.bc",
            block: FUNCTION,
            code: STORE_ATOMIC,
            change: |operands| with(operands, 2, 0),
        },
    ),
    (
        "a failed exchange that releases",
        Change {
            module: "atomics.bc",
            block: FUNCTION,
            code: EXCHANGE_IF,
            change: |operands| with(operands, 6, RELEASE),
        },
    ),
    (
        "an unordered update",
        Change {
            module: "atomics.bc",
            block: FUNCTION,
            code: UPDATE,
            change: |operands| with(operands, 4, UNORDERED),
        },
    ),
    (
        "a fence that orders nothing",
        Change {
            module: "operations.bc",
            block: FUNCTION,
            code: FENCE,
            change: |operands| with(operands, 0, MONOTONIC),
        },
    ),
    (
        "an attribute with a number that it has not",
        Change {
            module: "mixed-O2.bc",
            block: ATTRIBUTE_GROUPS,
            code: ATTRIBUTE_GROUP,
            change: |operands| match operands {
                [group, place, 0, kind, ..] => Some(vec![*group, *place, 1, *kind, 8]),
                _ => None,
            },
        },
    ),
    (
        "a hidden argument without a type",
        Change {
            module: "mixed-O2.bc",
            block: ATTRIBUTE_GROUPS,
            code: ATTRIBUTE_GROUP,
            // The shape with a type, and the kind.
            change: |operands| {
                let at = operands.windows(2).position(|pair| pair == [6, 29])?;
                let (before, rest) = operands.split_at(at);
                Some([before, &[5, 29], rest.get(3..)?].concat())
            },
        },
    ),
    (
        "a declared function with a garbage collector that is not there",
        Change {
            module: "constrained.bc",
            block: MODULE,
            code: FUNCTION_OF_MODULE,
            // After the place of the name.
            change: |operands| with(operands, 2 + 8, 1 << 31),
        },
    ),
    (
        "an operation on constants of another type",
        Change {
            module: "narrow-pointers.bc",
            block: CONSTANTS,
            code: BINARY,
            change: |operands| instead(operands, &[0, 26, 40], &[0, 20, 40]),
        },
    ),
    (
        "a parameter that is extended in two ways",
        Change {
            module: "mixed-O2.bc",
            block: ATTRIBUTE_GROUPS,
            code: ATTRIBUTE_GROUP,
            // The shape of attributes without more, and the kinds of both extensions.
            change: |operands| {
                let is_extended = operands.windows(2).any(|pair| pair == [0, 34]);
                is_extended.then(|| [operands, &[0, 24]].concat())
            },
        },
    ),
    (
        "an alias with the linkage of a declaration",
        Change {
            module: "module-level.bc",
            block: MODULE,
            code: ALIAS,
            // After name, type, address space and value.
            change: |operands| with(operands, 5, 7),
        },
    ),
    (
        "an array of what comes later and is no named structure",
        Change {
            module: "mixed-O2.bc",
            block: TYPES,
            code: ARRAY_TYPE,
            change: |operands| with(operands, 1, 30),
        },
    ),
    (
        "an address from what is said to be no pointer",
        Change {
            module: "classes-O2.bc",
            block: CONSTANTS,
            code: GEP,
            // After the type and flags.
            change: |operands| with(operands, 2, 1 << 20),
        },
    ),
    (
        "a pointer to what is no value",
        Change {
            module: "typed-pointers.bc",
            block: TYPES,
            code: POINTER_TYPE,
            change: |operands| instead(operands, &[7, 0], &[4, 0]),
        },
    ),
    (
        "a parameter that is a label",
        Change {
            module: "typed-pointers.bc",
            block: TYPES,
            code: FUNCTION_TYPE,
            change: |operands| instead(operands, &[0, 4, 12, 1], &[0, 4, 12, 22]),
        },
    ),
    (
        "a variable of appending linkage that is no array",
        Change {
            module: "narrow-pointers.bc",
            block: MODULE,
            code: GLOBAL_VARIABLE,
            change: |operands| {
                let is_scalar = operands[2] == 0;
                is_scalar.then(|| {
                    operands
                        .iter()
                        .enumerate()
                        .map(|(index, &word)| if index == 5 { 2 } else { word })
                        .collect()
                })
            },
        },
    ),
    (
        "an index of an address that is a pointer",
        Change {
            module: "gep.bc",
            block: CONSTANTS,
            code: SET_TYPE,
            change: |operands| instead(operands, &[2], &[0]),
        },
    ),
    (
        "an index of an extracted element that is a vector",
        Change {
            module: "operations.bc",
            block: FUNCTION,
            code: EXTRACT_ELEMENT,
            change: |operands| instead(operands, &[1, 11], &[1, 3]),
        },
    ),
    (
        "an index of an inserted element that is a vector",
        Change {
            module: "operations.bc",
            block: FUNCTION,
            code: INSERT_ELEMENT,
            change: |operands| instead(operands, &[14, 1, 5], &[14, 1, 4]),
        },
    ),
    (
        "a lane that neither vector of a shuffle has",
        Change {
            module: "operations.bc",
            block: CONSTANTS,
            code: INTEGER,
            change: |operands| instead(operands, &[6], &[1 << 20]),
        },
    ),
    (
        "an aggregate with an element that is not there",
        Change {
            module: "objects.bc",
            block: CONSTANTS,
            code: AGGREGATE,
            change: |operands| {
                let (_, rest) = operands.split_last()?;
                Some([rest, &[1 << 20]].concat())
            },
        },
    ),
    (
        "an aggregate with elements of other types",
        Change {
            module: "objects.bc",
            block: CONSTANTS,
            code: AGGREGATE,
            change: |operands| {
                let (first, rest) = operands.split_first()?;
                Some([rest, &[*first]].concat())
            },
        },
    ),
    (
        "an expression of a value that is not there",
        Change {
            module: "classes-O2.bc",
            block: CONSTANTS,
            code: ADDRESS,
            change: |operands| {
                let (_, rest) = operands.split_last()?;
                Some([rest, &[1 << 20]].concat())
            },
        },
    ),
    (
        "a value where nothing is returned",
        Change {
            module: "objects.bc",
            block: FUNCTION,
            code: RETURN,
            change: |operands| instead(operands, &[], &[23]),
        },
    ),
    (
        "a catch clause that is no pointer",
        Change {
            module: "calls.bc",
            block: CONSTANTS,
            code: SET_TYPE,
            change: |operands| instead(operands, &[23], &[24]),
        },
    ),
    (
        "fast-math flags of which none is set",
        Change {
            module: "atomics.bc",
            block: FUNCTION,
            code: CALL,
            change: |operands| match operands {
                [list, rest @ ..] => Some([&[*list, 1 << 17 | 1 << 15, 0], rest.get(1..)?].concat()),
                [] => None,
            },
        },
    ),
    (
        "a code model that there is not",
        Change {
            module: "classes-O2.bc",
            block: MODULE,
            code: GLOBAL_VARIABLE,
            change: |operands| {
                let (_, rest) = operands.split_last().filter(|_| operands.len() == 20)?;
                Some([rest, &[307]].concat())
            },
        },
    ),
    (
        "a function of the linkage of variables",
        Change {
            module: "mixed-O2.bc",
            block: MODULE,
            code: FUNCTION_OF_MODULE,
            change: |operands| {
                // After name, type, convention and whether it is a declaration.
                let mut operands = operands.to_vec();
                *operands.get_mut(5)? = 8;
                Some(operands)
            },
        },
    ),
    (
        "a phi with two values for one edge",
        Change {
            module: "mixed-O2.bc",
            block: FUNCTION,
            code: PHI,
            change: |operands| {
                let pair = operands.get(operands.len() - 2..).filter(|_| operands.len() % 2 == 1)?;
                Some([operands, pair].concat())
            },
        },
    ),
];

/// The modules in which the change was made to one of the records that it fits.
fn changed(trees: &[Tree], change: &Change) -> Vec<Vec<Tree>> {
    let mut found = Vec::new();
    for wanted in 0.. {
        let mut trees = trees.to_vec();
        let mut left = wanted;
        if !trees.iter_mut().any(|tree| apply(tree, change, &mut left)) {
            break;
        }
        found.push(trees);
    }
    found
}

/// Makes the change to the record that comes after `left` others; returns whether there was one.
fn apply(tree: &mut Tree, change: &Change, left: &mut usize) -> bool {
    let id = tree.id;
    tree.nodes.iter_mut().any(|node| match node {
        Node::Block(inner) => apply(inner, change, left),
        Node::Record(Record { code, operands, .. }) => {
            if id != change.block || *code != change.code {
                return false;
            }
            let Some(after) = (change.change)(operands) else {
                return false;
            };
            if *left > 0 {
                *left -= 1;
                return false;
            }
            *operands = after;
            true
        }
    })
}

#[test]
fn what_llvm_refuses_of_these_is_refused() {
    let folder = Folder::new("refused-records");
    let bases = bases();
    for (name, change) in CHANGES {
        let base = bases.iter().find(|base| base.name == change.module);
        let mut refused = 0;
        for trees in changed(&base.expect("it is there").trees, change) {
            let bytes = encode(&trees);
            if !matches!(verdict(&folder.write("module.bc", &bytes)), Verdict::Refused(_)) {
                continue;
            }
            match frazil::compile(&bytes, &Options::default()) {
                Err(error) => assert!(error.to_string().contains("[FZ0802]"), "{name}: {error}"),
                // Functions that need not be in the object are not compiled, but can be read.
                Ok(_) => assert!(!reads_all(&bytes), "{name} is accepted"),
            }
            refused += 1;
        }
        assert!(refused > 0, "{name}: LLVM refuses none");
    }
}

/// LLVM falls over them.
#[test]
fn casts_of_what_cannot_be_cast_are_refused() {
    const CAST: u64 = 11;
    const TRUNCATE: u64 = 0;
    let bases = bases();
    let base = bases
        .iter()
        .find(|base| base.name == "globals.bc")
        .expect("it is there");
    let change = Change {
        module: "globals.bc",
        block: CONSTANTS,
        code: CAST,
        // Value 0 is a variable's address.
        change: |operands| {
            operands
                .starts_with(&[TRUNCATE])
                .then(|| vec![TRUNCATE, operands[1], 0])
        },
    };
    let found = changed(&base.trees, &change);
    assert!(!found.is_empty());
    for trees in found {
        let error = frazil::compile(&encode(&trees), &Options::default())
            .err()
            .map(|error| error.to_string());
        assert!(error.is_some_and(|error| error.contains("a cast of value 0")));
    }
}

/// LLVM looks for strings in records of their own code only.
#[test]
fn names_in_records_of_another_code_are_not_found() {
    let folder = Folder::new("refused-strings");
    let bases = bases();
    let base = bases
        .iter()
        .find(|base| base.name == "mixed-O2.bc")
        .expect("it is there");
    let mut trees = base.trees.clone();
    let table = trees.iter_mut().find(|tree| tree.id == STRING_TABLE);
    for node in &mut table.expect("it is there").nodes {
        if let Node::Record(record) = node {
            record.code += 1;
        }
    }
    let bytes = encode(&trees);
    let verdict = verdict(&folder.write("module.bc", &bytes));
    assert!(matches!(verdict, Verdict::Refused(_)), "LLVM takes it");
    let error = frazil::compile(&bytes, &Options::default())
        .err()
        .map(|error| error.to_string());
    assert!(error.is_some_and(|error| error.contains("of a string table of 0 bytes")));
}

/// Tags that there are not, and bundles that no call follows.
#[test]
fn bundles_of_nothing_are_refused() {
    const BUNDLE: u64 = 55;
    let folder = Folder::new("refused-bundles");
    let bases = bases();
    let base = bases
        .iter()
        .find(|base| base.name == "mixed-O2.bc")
        .expect("it is there");
    // The tag 1 is there; before a return and before calls.
    for (before, tag) in [(CALL, 1 << 20), (RETURN, 1)] {
        let mut trees = base.trees.clone();
        let mut inserted = 0;
        for tree in &mut trees {
            insert_before(tree, before, &[tag], BUNDLE, &mut inserted);
        }
        assert!(inserted > 0);
        let bytes = encode(&trees);
        let verdict = verdict(&folder.write("module.bc", &bytes));
        assert!(matches!(verdict, Verdict::Refused(_)), "LLVM takes tag {tag}");
        let error = frazil::compile(&bytes, &Options::default())
            .err()
            .map(|error| error.to_string());
        assert!(error.is_some_and(|error| error.contains("operand bundle")), "tag {tag}");
    }
}

/// Inserts a record before all those of functions that have a code.
fn insert_before(tree: &mut Tree, before: u64, operands: &[u64], code: u64, inserted: &mut usize) {
    let is_function = tree.id == FUNCTION;
    for node in std::mem::take(&mut tree.nodes) {
        match node {
            Node::Block(mut inner) => {
                insert_before(&mut inner, before, operands, code, inserted);
                tree.nodes.push(Node::Block(inner));
            }
            Node::Record(record) => {
                if is_function && record.code == before {
                    let operands = operands.to_vec();
                    let blob = None;
                    tree.nodes.push(Node::Record(Record { code, operands, blob }));
                    *inserted += 1;
                }
                tree.nodes.push(Node::Record(record));
            }
        }
    }
}

/// What a module has once: synchronisation scopes, types, attributes and their lists, tags of bundles.
const ONCE: [u64; 5] = [26, 17, 10, 9, 21];

#[test]
fn blocks_that_stand_there_twice_are_refused() {
    let folder = Folder::new("refused-blocks");
    let bases = bases();
    let base = bases
        .iter()
        .find(|base| base.name == "mixed-O2.bc")
        .expect("it is there");
    for id in ONCE {
        let mut trees = base.trees.clone();
        let module = trees.iter_mut().find(|tree| tree.id == MODULE).expect("it is there");
        let is_one = |node: &Node| matches!(node, Node::Block(inner) if inner.id == id);
        let at = module.nodes.iter().position(is_one).expect("it is there");
        module.nodes.insert(at, module.nodes[at].clone());
        let bytes = encode(&trees);
        let verdict = verdict(&folder.write("module.bc", &bytes));
        assert!(matches!(verdict, Verdict::Refused(_)), "LLVM takes two blocks {id}");
        let error = frazil::compile(&bytes, &Options::default())
            .err()
            .map(|error| error.to_string());
        assert!(error.is_some_and(|error| error.contains("a second ")), "block {id}");
    }
}

/// The block of a function is a word longer, so that the next ones are not where the index of functions says.
#[test]
fn functions_that_are_not_where_the_index_says_are_refused() {
    let folder = Folder::new("refused-places");
    let bases = bases();
    let base = bases
        .iter()
        .find(|base| base.name == "mixed-O2.bc")
        .expect("it is there");
    let places = blocks::find(&base.bytes).expect("it has blocks");
    let function = places.iter().find(|place| place.id == FUNCTION).expect("it is there");
    let longer = [&base.bytes[function.body.clone()], &[0; 4]].concat();
    let bytes = blocks::replace(&base.bytes, function, &longer);
    let verdict = verdict(&folder.write("module.bc", &bytes));
    assert!(matches!(verdict, Verdict::Refused(_)), "LLVM takes it");
    let error = frazil::compile(&bytes, &Options::default())
        .err()
        .map(|error| error.to_string());
    assert!(error.is_some_and(|error| error.contains("as the index of functions says")));
}

/// Something between the functions and their index has become shorter.
#[test]
fn an_index_that_is_not_where_the_module_says_is_refused() {
    const SUMMARY: u64 = 20;
    let folder = Folder::new("refused-index");
    let bases = bases();
    let base = bases
        .iter()
        .find(|base| base.name == "rust-O3.bc")
        .expect("it is there");
    let places = blocks::find(&base.bytes).expect("it has blocks");
    let summary = places.iter().find(|place| place.id == SUMMARY).expect("it is there");
    let bytes = blocks::replace(&base.bytes, summary, &[0; 4]);
    let verdict = verdict(&folder.write("module.bc", &bytes));
    assert!(matches!(verdict, Verdict::Refused(_)), "LLVM takes it");
    let error = frazil::compile(&bytes, &Options::default())
        .err()
        .map(|error| error.to_string());
    assert!(error.is_some_and(|error| error.contains("no symbol table at word")));
}

#[test]
fn functions_in_other_address_spaces_are_refused() {
    let bases = bases();
    let base = bases
        .iter()
        .find(|base| base.name == "mixed-O2.bc")
        .expect("it is there");
    let change = Change {
        module: "mixed-O2.bc",
        block: MODULE,
        code: FUNCTION_OF_MODULE,
        change: |operands| {
            let mut operands = operands.to_vec();
            *operands.get_mut(18)? = 10;
            Some(operands)
        },
    };
    let found = changed(&base.trees, &change);
    assert!(!found.is_empty());
    for trees in found {
        let error = frazil::compile(&encode(&trees), &Options::default())
            .err()
            .map(|error| error.to_string());
        assert!(error.is_some_and(|error| error.contains("in address space 10")));
    }
}

#[test]
fn intrinsics_with_bodies_are_refused() {
    let folder = Folder::new("refused-intrinsics");
    let bases = bases();
    let base = bases
        .iter()
        .find(|base| base.name == "mixed-O2.bc")
        .expect("it is there");
    // In the table of strings, which ends with the names of functions.
    let name = b"main";
    let at = base
        .bytes
        .windows(name.len())
        .rposition(|bytes| bytes == name)
        .expect("it is there");
    let mut bytes = base.bytes.clone();
    // Names overlap in the table without harm.
    bytes[at - 1..at + 4].copy_from_slice(b"llvm.");
    let mut trees = frazil_robustness::records::decode(&bytes).expect("it is well-formed");
    let module = trees.iter_mut().find(|tree| tree.id == MODULE).expect("it is there");
    let mut moved = 0;
    for node in &mut module.nodes {
        if let Node::Record(record) = node
            && record.code == FUNCTION_OF_MODULE
            && record.operands[1] == name.len() as u64
        {
            record.operands[0] -= 1;
            record.operands[1] += 1;
            moved += 1;
        }
    }
    assert!(moved > 0);
    let bytes = encode(&trees);
    let verdict = verdict(&folder.write("module.bc", &bytes));
    assert!(matches!(verdict, Verdict::Refused(_)), "LLVM takes it");
    let error = frazil::compile(&bytes, &Options::default())
        .err()
        .map(|error| error.to_string());
    assert!(error.is_some_and(|error| error.contains("with a body")));
}

/// A block whose end mark comes before its length is over: LLVM reads on after the mark.
#[test]
fn blocks_that_end_before_their_length_are_refused() {
    let folder = Folder::new("refused-block-ends");
    let bases = bases();
    let base = bases
        .iter()
        .find(|base| base.name == "mixed-O0.bc")
        .expect("it is there");
    let places = blocks::find(&base.bytes).expect("it is well-formed");
    let place = places.iter().find(|place| place.id == CONSTANTS).expect("it is there");
    let mut body = base.bytes[place.body.clone()].to_vec();
    body.extend_from_slice(&[0; 4]);
    let bytes = blocks::replace(&base.bytes, place, &body);
    let verdict = verdict(&folder.write("module.bc", &bytes));
    assert!(matches!(verdict, Verdict::Refused(_)), "LLVM takes it");
    let error = frazil::compile(&bytes, &Options::default())
        .err()
        .map(|error| error.to_string());
    assert!(error.is_some_and(|error| error.contains("which its length says")));
}
