//! Random programs for a machine of words, which are walked through when all fields are filled in: each branch must get
//! to its label over veneers, each load to its constant, and control from each instruction to the next one.

use super::*;
use crate::desc::FixupDesc;
use crate::minst::MInst;
use frazil_test_support::Random;

const SHORT: u8 = 0;
const JUMP: u8 = 1;
const FAR: u8 = 2;
const LITERAL: u8 = 3;

// The low byte of a word says what it is; the others are a distance in words, but for `FAR_JUMP`, after which comes a
// word with a distance in bytes.
const PLAIN: u8 = 0;
const BRANCH: u8 = 1;
const NEAR_JUMP: u8 = 2;
const FAR_JUMP: u8 = 3;
const LOAD: u8 = 4;

/// Stores a distance in words that is at most so many bytes away.
fn patch(bytes: &mut [u8], distance: i64, (backward, forward): (i64, i64)) -> bool {
    assert_eq!(distance % 4, 0);
    bytes[1..4].copy_from_slice(&(distance / 4).to_le_bytes()[..3]);
    (-backward..=forward).contains(&distance)
}

const FIXUPS: &[FixupDesc] = &[
    FixupDesc {
        name: "short",
        patch: |bytes, distance| patch(bytes, distance, (48, 60)),
    },
    FixupDesc {
        name: "jump",
        patch: |bytes, distance| patch(bytes, distance, (160, 200)),
    },
    FixupDesc {
        name: "far",
        patch: |bytes, distance| {
            bytes[..4].copy_from_slice(&(distance as i32).to_le_bytes());
            true
        },
    },
    FixupDesc {
        name: "literal",
        patch: |bytes, distance| patch(bytes, distance, (100, 88)),
    },
];

const ISLANDS: Islands = Islands {
    reach: &[
        Some(Reach {
            forward_bytes: 60,
            backward_bytes: 48,
            beyond: Beyond::Veneer {
                put: put_jump,
                bytes: 4,
                kind: JUMP,
            },
        }),
        Some(Reach {
            forward_bytes: 200,
            backward_bytes: 160,
            beyond: Beyond::Veneer {
                put: put_far,
                bytes: 8,
                kind: FAR,
            },
        }),
        None,
        Some(Reach {
            forward_bytes: 88,
            backward_bytes: 100,
            beyond: Beyond::Literal { max_bytes: 16 },
        }),
    ],
    jump: put_jump,
    jump_bytes: 4,
    max_inst_bytes: 8,
};

fn put_jump(buffer: &mut CodeBuffer, label: Label) {
    let start = buffer.offset();
    buffer.short_fixup(start, label, JUMP);
    buffer.put(&[NEAR_JUMP, 0, 0, 0]);
    buffer.finish_inst(&MInst::new(0, 0).with_label(label), start, Some(label));
}

fn put_far(buffer: &mut CodeBuffer, label: Label) {
    let start = buffer.offset();
    buffer.put(&[FAR_JUMP, 0, 0, 0, 0, 0, 0, 0]);
    buffer.fixup(start + 4, label, FAR);
    buffer.finish_inst(&MInst::new(0, 0).with_label(label), start, None);
}

/// What was emitted, to be found again.
enum What {
    /// So many bytes that control goes through.
    Plain(u32),
    Branch(Label),
    Jump(Label),
    Load(Vec<u8>),
}

struct Emitted {
    offset: u32,
    what: What,
}

struct Program {
    buffer: CodeBuffer,
    emitted: Vec<Emitted>,
}

impl Program {
    fn new(logging: bool) -> Program {
        let mut buffer = CodeBuffer::new(logging);
        buffer.use_islands(Some(&ISLANDS));
        Program {
            buffer,
            emitted: Vec::new(),
        }
    }

    fn note(&mut self, what: What) {
        let offset = self.buffer.offset();
        self.emitted.push(Emitted { offset, what });
    }

    fn plain(&mut self, words: u32) {
        self.buffer.make_room(4 * words);
        self.note(What::Plain(4 * words));
        self.buffer.put_raw(&vec![PLAIN; 4 * words as usize]);
    }

    fn branch(&mut self, label: Label) {
        self.buffer.make_room(ISLANDS.max_inst_bytes);
        self.note(What::Branch(label));
        let start = self.buffer.offset();
        self.buffer.short_fixup(start, label, SHORT);
        self.buffer.put(&[BRANCH, 0, 0, 0]);
        self.buffer
            .finish_inst(&MInst::new(0, 0).with_label(label), start, None);
    }

    fn jump(&mut self, label: Label) {
        self.buffer.make_room(ISLANDS.max_inst_bytes);
        self.note(What::Jump(label));
        put_jump(&mut self.buffer, label);
    }

    /// Binds a label, which drops a jump there.
    fn bind(&mut self, label: Label) {
        self.buffer.bind(label);
        let end = self.buffer.offset();
        self.emitted.retain(|emitted| emitted.offset < end);
    }

    fn load(&mut self, value: u64, len: usize) {
        let bytes = value.to_le_bytes()[..len].to_vec();
        let constant = self.buffer.constant(&bytes);
        self.buffer.make_room(ISLANDS.max_inst_bytes);
        self.note(What::Load(bytes));
        let start = self.buffer.offset();
        self.buffer.literal(start, constant, LITERAL);
        self.buffer.put(&[LOAD, 0, 0, 0]);
        self.buffer.finish_inst(&MInst::new(0, 0), start, None);
    }

    fn finish(&mut self) {
        self.buffer.finish_islands();
        assert_eq!(self.buffer.finish(FIXUPS, 0, None), Ok(()));
    }

    fn word(&self, offset: u32) -> [u8; 4] {
        let bytes = self
            .buffer
            .bytes
            .get(offset as usize..)
            .and_then(|rest| rest.first_chunk());
        *bytes.expect("control stays in the code")
    }

    /// Where the branch or load at an offset goes.
    fn target(&self, offset: u32) -> u32 {
        let word = self.word(offset);
        if word[0] == FAR_JUMP {
            return (offset + 4).wrapping_add(u32::from_le_bytes(self.word(offset + 4)));
        }
        let words = i32::from_le_bytes(word) >> 8;
        offset.wrapping_add_signed(4 * words)
    }

    /// Follows jumps from an offset to another one.
    fn expect_way(&self, from: u32, to: u32) {
        let mut at = from;
        for _ in 0..4 {
            if at == to {
                return;
            }
            let op = self.word(at)[0];
            assert!(op == NEAR_JUMP || op == FAR_JUMP, "control is lost at {at}: {op}");
            at = self.target(at);
        }
        panic!("from {from} on, {to} is not reached");
    }

    fn check(&self) {
        for (position, Emitted { offset, what }) in self.emitted.iter().enumerate() {
            let falls_to = match what {
                What::Plain(bytes) => Some(offset + bytes),
                What::Branch(_) | What::Load(_) => Some(offset + 4),
                What::Jump(_) => None,
            };
            if let (Some(next), Some(from)) = (self.emitted.get(position + 1), falls_to) {
                self.expect_way(from, next.offset);
            }
            match what {
                What::Plain(_) => {}
                What::Branch(label) | What::Jump(label) => {
                    let bound = self.buffer.label_offset(*label).expect("all labels are bound");
                    self.expect_way(self.target(*offset), bound);
                }
                What::Load(bytes) => {
                    let constant = self.target(*offset) as usize;
                    assert_eq!(&self.buffer.bytes[constant..constant + bytes.len()], bytes);
                }
            }
        }
    }
}

/// Emits `steps` random things, with labels that are about `distance` of them away, in either direction.
fn random_program(random: &mut Random, steps: usize, distance: usize) -> Program {
    let mut program = Program::new(random.below(2) == 0);
    let mut bound = Vec::new();
    // Labels that wait, with the steps at which they are bound.
    let mut open: Vec<(usize, Label)> = Vec::new();
    for step in 0..steps {
        while let Some(found) = open.iter().position(|&(at, _)| at <= step) {
            let (_, label) = open.swap_remove(found);
            program.bind(label);
            bound.push(label);
        }
        let choice = random.below(10);
        match choice {
            0..4 => program.plain(1),
            4 if random.below(20) == 0 => program.plain(random.below(60) as u32 + 1),
            4 => program.load(random.below(4) as u64, if random.below(2) == 0 { 4 } else { 8 }),
            _ => {
                let is_backward = random.below(3) == 0 && !bound.is_empty();
                let label = if is_backward {
                    let back = random.below(distance.min(bound.len()));
                    bound[bound.len() - 1 - back]
                } else if random.below(3) == 0 && !open.is_empty() {
                    open[random.below(open.len())].1
                } else {
                    let label = program.buffer.new_label();
                    open.push((step + 1 + random.below(distance), label));
                    label
                };
                if choice < 9 {
                    program.branch(label);
                } else {
                    program.jump(label);
                }
            }
        }
    }
    open.sort_unstable();
    for (_, label) in open {
        program.bind(label);
    }
    program.plain(1);
    program.finish();
    program
}

#[test]
fn every_branch_of_a_random_program_reaches_its_label() {
    let mut random = Random::new(1);
    let mut islands = 0;
    for round in 0..2000 {
        let distance = [2, 6, 20, 100, 400][round % 5];
        let program = random_program(&mut random, 20 + round % 300, distance);
        program.check();
        islands += program.buffer.island_count();
    }
    assert!(islands > 5000, "{islands} islands");
}

/// Fields enter and leave queues once, and what islands add is in proportion to the fields.
#[test]
fn islands_are_as_many_as_fields_at_most() {
    let mut random = Random::new(2);
    for distance in [5, 50, 500, 5000] {
        let program = random_program(&mut random, 20_000, distance);
        program.check();
        let fields = program.buffer.fixups.len() as u32;
        let code: u32 = (program.emitted.iter())
            .map(|emitted| {
                if let What::Plain(bytes) = emitted.what {
                    bytes
                } else {
                    4
                }
            })
            .sum();
        let added = program.buffer.offset() - code;
        assert!(program.buffer.island_count() <= fields);
        let most = fields * (ISLANDS.jump_bytes + ISLANDS.largest_cost());
        assert!(added <= most, "{added} bytes for {fields} fields");
        assert!(program.buffer.islands.queues.iter().all(VecDeque::is_empty));
        assert_eq!(program.buffer.islands.bytes, 0);
    }
}

#[test]
fn code_within_reach_has_no_islands() {
    let mut program = Program::new(false);
    for _ in 0..1000 {
        let (top, end) = (program.buffer.new_label(), program.buffer.new_label());
        program.bind(top);
        program.branch(end);
        program.plain(1);
        program.branch(top);
        program.bind(end);
    }
    program.plain(1);
    program.finish();
    program.check();
    assert_eq!(program.buffer.island_count(), 0);
}

#[test]
fn the_log_says_where_branches_go_with_their_veneers() {
    let mut program = Program::new(true);
    let far = program.buffer.new_label();
    program.branch(far);
    program.plain(100);
    program.bind(far);
    program.plain(1);
    program.finish();
    program.check();
    let labels: Vec<Label> = (program.buffer.log().iter())
        .filter_map(|(_, item)| match item {
            LogItem::Inst(inst, _) => Some(inst.label()),
            _ => None,
        })
        .collect();
    // The branch, the jump over the island, the veneer of the branch and its own.
    assert_eq!(labels.len(), 4, "{labels:?}");
    assert_eq!(labels.iter().filter(|&&label| label == far).count(), 1);
    assert_eq!(program.buffer.island_count(), 1);
}

#[test]
fn a_table_whose_fields_are_too_short_is_found() {
    assert!(ISLANDS.is_sound());
    let with = |forward_bytes, max_inst_bytes| {
        let mut reach = ISLANDS.reach.to_vec();
        reach[usize::from(SHORT)].as_mut().expect("it is short").forward_bytes = forward_bytes;
        Islands {
            reach: reach.leak(),
            max_inst_bytes,
            ..ISLANDS
        }
    };
    assert!(!with(60, 100).is_sound(), "an instruction that is too long");
    assert!(!with(12, 8).is_sound(), "a field that is too short");
    assert!(!with(300, 8).is_sound(), "a veneer that does not reach farther");
}
