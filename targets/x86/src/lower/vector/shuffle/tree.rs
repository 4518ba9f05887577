//! Masks of bytes, the trees of instructions that carry them out, and what these cost.
//!
//! Costs are numbers of instructions; registers that have to be copied are not counted.

use crate::table::Op;

/// In a mask: any byte will do.
pub const ANY: u8 = 0xff;
/// In a mask: a byte must be zero.
pub const ZERO: u8 = 0xfe;

/// For each byte of the result its number in the first operand, or 16 more than that in the second one.
pub type Mask = [u8; 16];

/// What may be used beyond SSE2.
#[derive(Clone, Copy, Debug)]
pub struct Extras {
    pub ssse3: bool,
    pub sse41: bool,
}

/// An instruction, or few, with one operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// 32-bit lanes.
    Lanes(i32),
    /// Words of the low half.
    LowWords(i32),
    /// Words of the high half.
    HighWords(i32),
    /// Up by some bytes; zeros come in.
    Up(u8),
    /// Down by some bytes; zeros come in.
    Down(u8),
    /// The low half, with zeros above.
    LowHalf,
    /// The bytes of each word exchanged.
    SwapBytes,
    /// The low or high bytes, each twice.
    Double(Op),
    /// Low or high lanes, with zeros between them.
    Widen(Op),
    /// Low lanes, with zeros between them, by one instruction.
    Extend(Op),
    /// Bytes where the mask has ones, others zero.
    Keep(u128),
    /// The upper byte of each word, as a word.
    UpperBytes,
    /// The lower word of each 32-bit lane, sign-extended.
    LowerWords,
    /// The upper word of each 32-bit lane, sign-extended.
    UpperWords,
    /// Bytes by `pshufb`.
    Bytes(Mask),
}

/// An instruction, or few, with two operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Join {
    /// Lanes of both in turn.
    Interleave(Op),
    /// Two 32-bit lanes of the first one, then two of the second one.
    TwoLanes(i32),
    /// A half of the first one, then a half of the second one.
    TwoHalves(i32),
    /// The lowest 32 bits of the second one, the others of the first one.
    LowLane,
    /// Bytes of the first one where the mask has ones.
    Blend(u128),
    /// Words of the second one where the immediate has ones.
    BlendWords(i32),
    /// The second one moved down by some bytes, and the first one above it.
    Align(u8),
    Or,
    /// The low bytes of both operands' words, which have nothing else.
    Pack,
    /// The low words of both operands' 32-bit lanes, which are sign-extended words.
    PackWords,
}

/// A tree of instructions whose root gives the result.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    Zero,
    /// An operand: `false` stands for the first one.
    Input(bool),
    Step(Step, Box<Plan>),
    Join(Join, Box<[Plan; 2]>),
}

impl Plan {
    /// A step after this plan.
    pub fn then(self, step: Step) -> Plan {
        Plan::Step(step, Box::new(self))
    }

    /// This plan's result joined with another one's.
    pub fn join(self, join: Join, other: Plan) -> Plan {
        Plan::Join(join, Box::new([self, other]))
    }

    /// Twice the number of instructions; a table for `pshufb` is half an instruction more.
    pub fn cost(&self) -> u32 {
        match self {
            Plan::Zero | Plan::Input(_) => 0,
            Plan::Step(step, of) => {
                let own = match step {
                    Step::Bytes(_) => 3,
                    Step::SwapBytes => 6,
                    Step::Widen(_) | Step::LowerWords => 4,
                    _ => 2,
                };
                own + of.cost()
            }
            Plan::Join(join, of) => {
                let own = if matches!(join, Join::Blend(_)) { 6 } else { 2 };
                own + of[0].cost() + of[1].cost()
            }
        }
    }
}

/// Rows that interleave, with the bytes of a lane and whether they take the upper halves.
pub const INTERLEAVES: [(Op, usize, bool); 8] = [
    (Op::PunpcklbwRR, 1, false),
    (Op::PunpcklwdRR, 2, false),
    (Op::PunpckldqRR, 4, false),
    (Op::PunpcklqdqRR, 8, false),
    (Op::PunpckhbwRR, 1, true),
    (Op::PunpckhwdRR, 2, true),
    (Op::PunpckhdqRR, 4, true),
    (Op::PunpckhqdqRR, 8, true),
];

/// Rows that extend low lanes with zeros: bytes before and after.
pub const EXTENSIONS: [(Op, usize, usize); 6] = [
    (Op::PmovzxbwRR, 1, 2),
    (Op::PmovzxbdRR, 1, 4),
    (Op::PmovzxbqRR, 1, 8),
    (Op::PmovzxwdRR, 2, 4),
    (Op::PmovzxwqRR, 2, 8),
    (Op::PmovzxdqRR, 4, 8),
];

/// Whether a pattern gives what the mask asks for.
pub fn fits(mask: &Mask, pattern: impl Fn(usize) -> u8) -> bool {
    (0..)
        .zip(mask)
        .all(|(index, &byte)| byte == ANY || byte == pattern(index))
}

/// The plan with the least cost, the first of several.
pub fn cheapest(plans: impl IntoIterator<Item = Option<Plan>>) -> Option<Plan> {
    plans.into_iter().flatten().min_by_key(Plan::cost)
}

/// Which byte of an operand an interleaving puts into a place.
pub fn interleaved(index: usize, bytes: usize, is_upper: bool) -> usize {
    index / bytes / 2 * bytes + index % bytes + if is_upper { 8 } else { 0 }
}
