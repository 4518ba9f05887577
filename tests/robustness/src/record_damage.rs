//! Damages single records: one operand, one code, one length, one place.

use crate::Random;
use crate::records::{Node, Record, Tree};

/// The kinds of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Damage {
    /// An operand is another number.
    Operand,
    /// The record is another one with the same operands.
    Code,
    /// An operand is missing.
    Shorter,
    /// There is an operand more.
    Longer,
    /// The record is missing.
    Missing,
    /// The record is there twice.
    Twice,
    /// The record stands after its successor.
    Later,
    /// A record of the same kind of block stands before this one.
    Foreign,
}

const KINDS: [Damage; 12] = [
    Damage::Operand,
    Damage::Operand,
    Damage::Operand,
    Damage::Operand,
    Damage::Operand,
    Damage::Code,
    Damage::Shorter,
    Damage::Longer,
    Damage::Missing,
    Damage::Twice,
    Damage::Later,
    Damage::Foreign,
];

/// A module with a damaged record.
#[derive(Clone, Debug)]
pub struct Damaged {
    /// Its blocks.
    pub trees: Vec<Tree>,
    /// What kind of block the record is in.
    pub block: u64,
    /// The codes of the records that stood and stand there.
    pub codes: [u64; 2],
    /// What was done.
    pub description: String,
}

/// Damages a record, of which there must be one.
pub fn damage(trees: &[Tree], random: &mut Random) -> Damaged {
    damage_of(trees, random, |_, _| true)
}

/// Damages one of the records that are wanted, given the kind of block and the code. There must be one.
pub fn damage_of(trees: &[Tree], random: &mut Random, is_wanted: impl Fn(u64, u64) -> bool) -> Damaged {
    // Records in a block count as much as the logarithm of their number, so that the few records of the module and of
    // attributes are damaged as well as the many of function bodies.
    let mut blocks = Vec::new();
    for (index, tree) in trees.iter().enumerate() {
        find_blocks(tree, &mut vec![index], &is_wanted, &mut blocks);
    }
    let weight = |records: usize| records.ilog2() as usize + 1;
    let total: usize = blocks.iter().map(|(_, records)| weight(*records)).sum();
    let mut at = random.below(total.max(1));
    let path = blocks.iter().find(|(_, records)| {
        let found = at < weight(*records);
        at = at.saturating_sub(weight(*records));
        found
    });
    let (path, _) = path.expect("there is a record");
    let mut trees = trees.to_vec();
    let others: Vec<Record> = {
        let id = block_at(&mut trees, path).id;
        let mut others = Vec::new();
        for tree in &trees {
            tree.visit(&mut |block, record| {
                if block == id {
                    others.push(record.clone());
                }
            });
        }
        others
    };
    let block = block_at(&mut trees, path);
    let records: Vec<usize> = (0..block.nodes.len())
        .filter(|&index| matches!(&block.nodes[index], Node::Record(record) if is_wanted(block.id, record.code)))
        .collect();
    let at = records[random.below(records.len())];
    let kind = KINDS[random.below(KINDS.len())];
    let before = block.nodes[at].clone();
    let id = block.id;
    damage_node(kind, &mut block.nodes, at, &others, random);
    let after = block.nodes.get(at).cloned();
    let description = match &after {
        Some(after) if *after != before => format!("{kind:?}, item {at}: {} to {}", show(&before), show(after)),
        _ => format!("{kind:?}, item {at}: {}", show(&before)),
    };
    let code = |node: &Node| match node {
        Node::Record(record) => record.code,
        Node::Block(_) => 0,
    };
    Damaged {
        codes: [code(&before), after.as_ref().map_or(0, code)],
        block: id,
        description,
        trees,
    }
}

fn show(node: &Node) -> String {
    match node {
        Node::Record(record) => format!("{} {:?}", record.code, record.operands),
        Node::Block(tree) => format!("block {}", tree.id),
    }
}

fn find_blocks(
    tree: &Tree,
    path: &mut Vec<usize>,
    is_wanted: &impl Fn(u64, u64) -> bool,
    blocks: &mut Vec<(Vec<usize>, usize)>,
) {
    let mut records = 0;
    for (index, node) in tree.nodes.iter().enumerate() {
        match node {
            // What has no operands but a blob is a table of strings.
            Node::Record(record) => {
                let can_change = record.blob.is_none() || !record.operands.is_empty();
                records += usize::from(can_change && is_wanted(tree.id, record.code));
            }
            Node::Block(inner) => {
                path.push(index);
                find_blocks(inner, path, is_wanted, blocks);
                path.pop();
            }
        }
    }
    if records > 0 {
        blocks.push((path.clone(), records));
    }
}

fn block_at<'a>(trees: &'a mut [Tree], path: &[usize]) -> &'a mut Tree {
    let (&first, rest) = path.split_first().expect("a path leads to a tree");
    rest.iter()
        .fold(&mut trees[first], |tree, &index| match &mut tree.nodes[index] {
            Node::Block(inner) => inner,
            Node::Record(_) => unreachable!("a path leads through blocks"),
        })
}

fn damage_node(kind: Damage, nodes: &mut Vec<Node>, at: usize, others: &[Record], random: &mut Random) {
    let copy = nodes[at].clone();
    let Node::Record(record) = &mut nodes[at] else { return };
    let other = &others[random.below(others.len())];
    let count = record.operands.len();
    match kind {
        Damage::Operand if count > 0 => {
            // The first operands say more than the elements of long lists.
            let reach = if random.below(2) == 0 { count.min(8) } else { count };
            let index = random.below(reach);
            record.operands[index] = number(record.operands[index], &record.operands, index, others, random);
        }
        Damage::Code | Damage::Operand => {
            record.code = if random.below(4) == 0 {
                random.below(70) as u64
            } else {
                other.code
            };
        }
        Damage::Shorter if count > 0 => {
            let index = if random.below(2) == 0 {
                count - 1
            } else {
                random.below(count)
            };
            record.operands.remove(index);
        }
        Damage::Longer | Damage::Shorter => {
            let index = if random.below(2) == 0 {
                count
            } else {
                random.below(count + 1)
            };
            let value = number(random.below(8) as u64, &record.operands, index, others, random);
            record.operands.insert(index, value);
        }
        Damage::Missing => {
            nodes.remove(at);
        }
        Damage::Twice => nodes.insert(at, copy),
        Damage::Later => {
            if at + 1 < nodes.len() {
                nodes.swap(at, at + 1);
            }
        }
        Damage::Foreign => nodes.insert(at, Node::Record(other.clone())),
    }
}

/// Another number in place of `old`.
fn number(old: u64, operands: &[u64], index: usize, others: &[Record], random: &mut Random) -> u64 {
    match random.below(9) {
        0 => old.wrapping_add(1),
        1 => old.wrapping_sub(1),
        2 => old ^ 1 << random.below(20),
        3 => random.below(8) as u64,
        4 => random.below(64) as u64,
        5 => 1 << random.below(64),
        6 => (1 << (1 + random.below(63))) - 1,
        7 => operands[random
            .below(operands.len().max(1))
            .min(operands.len().saturating_sub(1))..]
            .first()
            .copied()
            .unwrap_or(old),
        _ => {
            let other = &others[random.below(others.len())].operands;
            other.get(index).or(other.last()).copied().unwrap_or(old)
        }
    }
}
