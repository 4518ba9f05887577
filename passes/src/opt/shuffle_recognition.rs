//! Trees of shifts, masks and ors that only move bits around become one instruction.
//!
//! ```text
//! v1 = shl i32 v0, 24                  v10 = bswap i32 v0
//! v2 = shl i32 v0, 8
//! v3 = and i32 v2, 16711680
//! v4 = lshr i32 v0, 8
//! v5 = and i32 v4, 65280          =>
//! v6 = lshr i32 v0, 24
//! v7 = or i32 v1, v3
//! v8 = or i32 v5, v6
//! v9 = or i32 v7, v8
//! ```
//!
//! Method: one walk in dominance order gives each integer of at most 64 bits a *picture*: which byte of which value
//! stands in each of its bytes, or zero. Shifts by whole bytes, masks of whole bytes, extensions, truncations, byte
//! swaps and rotations move the bytes of their operand's picture; `or`, `xor` and `add` of pictures of one value that
//! nowhere both have a byte put them together. If what is put together is the value itself, its bytes in reverse order,
//! or in rotated order, in the low bytes of the result and zeros above, it is replaced by `bswap` or `fshl`, with an
//! extension or truncation where the widths differ. Rotations by other numbers of bits, and by a variable, are
//! recognized at their `or`.
//!
//! What is left without a use stays for `dce`. Shuffles of vectors are for [`super::splat_recognition`].
//!
//! Costs: a picture of 16 bytes for each value, in functions that shift to the left or mask upper bytes. Gains: on
//! unoptimized bitcode of programs that read big-endian data or compute hashes, about ten instructions for one;
//! optimized bitcode has most of them recognized already.
//!
//! Source: the byte-swap pass of GCC (Thomas Preud'homme), which keeps the same kind of picture.

use frazil_ir::domtree::DomTree;
use frazil_ir::edit::Editor;
use frazil_ir::pass::{FunctionPass, Level, Order, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::{Block, EntityRef, Function, Inst, InstData, Opcode, Operand, Type, Value};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "shuffle-recognition",
    summary: "recognizes byte swaps and rotations in shifts, masks and ors",
    level: Level::Function,
    required: false,
    after: &[],
    before: &[Order {
        pass: "dce",
        reason: "what is recognized leaves its parts without a use",
    }],
};

/// Recognizes trees of shifts, masks and ors that only move bits.
#[derive(Debug)]
pub struct ShuffleRecognition;

/// Where the bytes of a value come from.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Picture {
    /// The value whose bytes they are; `NO_SOURCE` where nothing is known.
    source: u32,
    /// From the lowest byte on: zero, or one plus the number of the source's byte.
    bytes: u64,
}

const NO_SOURCE: u32 = u32::MAX;
const UNKNOWN: Picture = Picture {
    source: NO_SOURCE,
    bytes: 0,
};
/// Each byte of a value of 64 bits in its own place.
const IN_ORDER: u64 = 0x0807_0605_0403_0201;

/// Memory that is kept from function to function.
#[derive(Default)]
struct Scratch {
    editor: Editor,
    pictures: Vec<Picture>,
    order: Vec<Block>,
}

impl FunctionPass for ShuffleRecognition {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        let mut found = 0;
        if has_parts(function) {
            let analyses = cx.analyses;
            let mut scratch: Box<Scratch> = cx.take_scratch();
            let dominators = analyses.get::<DomTree>(function);
            scratch.order.clear();
            scratch.order.extend(dominators.reverse_postorder());
            found = scratch.walk(function);
            cx.return_scratch(scratch);
        }
        cx.count("recognized", found);
        Ok(if found > 0 {
            Preserved::cfg()
        } else {
            Preserved::unchanged()
        })
    }
}

impl Scratch {
    fn walk(&mut self, function: &mut Function) -> u64 {
        self.pictures.clear();
        self.pictures.resize(function.values().len(), UNKNOWN);
        self.editor.begin(function);
        let mut found = 0;
        for number in 0..self.order.len() {
            for position in function.block_insts(self.order[number]) {
                let data = function.insts()[position];
                let Some(bits) = byte_width(function, data.ty) else {
                    continue;
                };
                let picture = self.picture(function, &data, bits);
                let Some(result) = data
                    .first_result()
                    .filter(|_| data.op.results() == frazil_ir::Results::Ty)
                else {
                    continue;
                };
                self.pictures[result.index()] = picture;
                if is_join(&data) && self.rewrite(function, Inst::new(position), bits, picture) {
                    found += 1;
                }
            }
        }
        self.editor.commit(function);
        found
    }

    /// The picture of what an instruction of `bits` bits computes.
    fn picture(&self, function: &Function, data: &InstData, bits: u32) -> Picture {
        let amount = data
            .b
            .as_imm()
            .filter(|&amount| (0..i64::from(bits)).contains(&amount) && amount % 8 == 0);
        match (data.op, amount) {
            (Opcode::Shl, Some(amount)) => self.moved(function, data.a, |bytes| (bytes << amount) & low_bytes(bits)),
            (Opcode::Lshr, Some(amount)) => self.moved(function, data.a, |bytes| bytes >> amount),
            (Opcode::And, _) => match data.b.as_imm().and_then(whole_bytes) {
                Some(mask) => self.moved(function, data.a, |bytes| bytes & mask & low_bytes(bits)),
                None => UNKNOWN,
            },
            (Opcode::Zext, _) => self.moved(function, data.a, |bytes| bytes),
            (Opcode::Trunc, _) => self.moved(function, data.a, |bytes| bytes & low_bytes(bits)),
            (Opcode::Bswap, _) => self.moved(function, data.a, |bytes| bytes.swap_bytes() >> (64 - bits)),
            (Opcode::Or | Opcode::Xor | Opcode::Add, _) => {
                let (left, right) = (self.of(function, data.a), self.of(function, data.b));
                let is_apart = left.source == right.source && occupied(left.bytes) & occupied(right.bytes) == 0;
                if is_apart {
                    Picture {
                        source: left.source,
                        bytes: left.bytes | right.bytes,
                    }
                } else {
                    UNKNOWN
                }
            }
            _ => UNKNOWN,
        }
    }

    /// The picture of an operand. A value of which nothing better is known shows itself.
    fn of(&self, function: &Function, operand: Operand) -> Picture {
        let Some(value) = operand.as_value() else {
            return UNKNOWN;
        };
        match self.pictures.get(value.index()) {
            Some(&picture) if picture != UNKNOWN => picture,
            _ => match byte_width(function, function.value(value).ty) {
                Some(bits) => Picture {
                    source: value.as_u32(),
                    bytes: IN_ORDER & low_bytes(bits),
                },
                None => UNKNOWN,
            },
        }
    }

    fn moved(&self, function: &Function, operand: Operand, bytes: impl Fn(u64) -> u64) -> Picture {
        let picture = self.of(function, operand);
        Picture {
            bytes: bytes(picture.bytes),
            ..picture
        }
    }

    /// Replaces an instruction that puts parts together, if the whole has a simpler form.
    fn rewrite(&mut self, function: &mut Function, inst: Inst, bits: u32, picture: Picture) -> bool {
        let data = *function.inst(inst);
        let Some((source, shuffle)) = recognized(function, picture).or_else(|| rotation(function, &data, bits)) else {
            return false;
        };
        let result = Value::new(data.result as usize);
        let width = shuffle.width();
        let mut operand = Operand::value(source);
        let source_bits = byte_width(function, function.value(source).ty).unwrap_or(width);
        let Some(ty) = Type::primitive_int(width) else {
            return false;
        };
        if source_bits > width {
            operand = self.unary(function, inst, Opcode::Trunc, ty, operand);
        }
        operand = match shuffle {
            Shuffle::Same(_) => operand,
            Shuffle::Swapped(_) => self.unary(function, inst, Opcode::Bswap, ty, operand),
            Shuffle::Rotated(_, amount) => {
                let rest = function.push_pool(&[operand, amount]);
                let data = InstData::new(Opcode::Fshl, ty, 0, operand, Operand::raw(rest));
                let rotated = self.editor.insert_before(function, inst, data, Some(ty));
                rotated.map_or(operand, Operand::value)
            }
        };
        if bits > width {
            operand = self.unary(function, inst, Opcode::Zext, data.ty, operand);
        }
        self.editor.replace_uses(function, result, operand);
        self.editor.remove(function, inst);
        true
    }

    fn unary(&mut self, function: &mut Function, at: Inst, op: Opcode, ty: Type, operand: Operand) -> Operand {
        let data = InstData::new(op, ty, 0, operand, Operand::NONE);
        let value = self.editor.insert_before(function, at, data, Some(ty));
        value.map_or(operand, Operand::value)
    }
}

/// What a value is, compared with its source's low bits; the first field is how many of them, the rest being zero.
#[derive(Clone, Copy)]
enum Shuffle {
    Same(u32),
    Swapped(u32),
    /// Rotated left by the second field.
    Rotated(u32, Operand),
}

impl Shuffle {
    fn width(self) -> u32 {
        match self {
            Shuffle::Same(bits) | Shuffle::Swapped(bits) | Shuffle::Rotated(bits, _) => bits,
        }
    }
}

/// The shuffle that a picture shows.
fn recognized(function: &Function, picture: Picture) -> Option<(Value, Shuffle)> {
    if picture.source == NO_SOURCE || picture.bytes == 0 {
        return None;
    }
    let source = Value::new(picture.source as usize);
    let source_bits = byte_width(function, function.value(source).ty)?;
    let width = (64 - picture.bytes.leading_zeros()).next_multiple_of(8);
    if width > source_bits || !matches!(width, 16 | 32 | 64) {
        return None;
    }
    let in_order = IN_ORDER & low_bytes(width);
    if picture.bytes == in_order {
        return Some((source, Shuffle::Same(width)));
    }
    if picture.bytes == in_order.swap_bytes() >> (64 - width) {
        return Some((source, Shuffle::Swapped(width)));
    }
    (8..width).step_by(8).find_map(|amount| {
        let rotated = (in_order << amount | in_order >> (width - amount)) & low_bytes(width);
        let amount = Operand::imm(i64::from(amount)).filter(|_| picture.bytes == rotated)?;
        Some((source, Shuffle::Rotated(width, amount)))
    })
}

/// A rotation by any number of bits: the `or` of the left and the right part of one value.
fn rotation(function: &Function, data: &InstData, bits: u32) -> Option<(Value, Shuffle)> {
    if !matches!(bits, 8 | 16 | 32 | 64) {
        return None;
    }
    let (left, right) = (defining(function, data.a)?, defining(function, data.b)?);
    let (left, right) = match (left.op, right.op) {
        (Opcode::Shl, Opcode::Lshr) => (left, right),
        (Opcode::Lshr, Opcode::Shl) => (right, left),
        _ => return None,
    };
    let source = left.a.as_value().filter(|_| left.a == right.a)?;
    let fills_up = match (left.b.as_imm(), right.b.as_imm()) {
        (Some(left), Some(right)) => left > 0 && right > 0 && left + right == i64::from(bits),
        _ => {
            let pairs = [(left.b, right.b), (right.b, left.b)];
            data.op == Opcode::Or
                && pairs
                    .iter()
                    .any(|&(one, other)| is_complement(function, one, other, bits))
        }
    };
    fills_up.then_some((source, Shuffle::Rotated(bits, left.b)))
}

/// Whether `rest` is the width less `amount`: `width - amount`, where an amount of zero makes the shift by the rest
/// poison, or both masked to the bits of an amount, `rest` of the negated one.
fn is_complement(function: &Function, amount: Operand, rest: Operand, bits: u32) -> bool {
    let Some(other) = defining(function, rest) else {
        return false;
    };
    let mask = i64::from(bits) - 1;
    match other.op {
        Opcode::Sub => other.a.as_imm() == Some(i64::from(bits)) && other.b == amount,
        Opcode::And if other.b.as_imm() == Some(mask) => {
            let (Some(own), Some(negated)) = (defining(function, amount), defining(function, other.a)) else {
                return false;
            };
            let is_negated = negated.op == Opcode::Sub && negated.a == Operand::ZERO;
            is_negated && own.op == Opcode::And && own.b.as_imm() == Some(mask) && own.a == negated.b
        }
        _ => false,
    }
}

fn defining(function: &Function, operand: Operand) -> Option<InstData> {
    Some(*function.inst(function.def_inst(operand.as_value()?)?))
}

/// Whether there may be something to recognize: parts for higher places, and somewhere two parts that are joined.
fn has_parts(function: &Function) -> bool {
    let is_part = |operand: Operand| {
        let data = operand.as_value().and_then(|value| function.def_inst(value));
        data.is_some_and(|inst| {
            use Opcode as O;
            matches!(
                function.inst(inst).op,
                O::Shl | O::Lshr | O::And | O::Zext | O::Trunc | O::Bswap
            )
        })
    };
    let insts = function.insts();
    insts.iter().any(makes_upper_part)
        && insts
            .iter()
            .any(|data| is_join(data) && is_part(data.a) && is_part(data.b))
}

/// Whether an instruction makes what all that is recognized has among its parts: bits that were moved up, or those of
/// some bytes without the lowest one.
fn makes_upper_part(data: &InstData) -> bool {
    match data.op {
        Opcode::Shl | Opcode::Bswap => true,
        Opcode::And => {
            let mask = data.b.as_imm().and_then(whole_bytes);
            mask.is_some_and(|mask| mask & 0xff == 0)
        }
        _ => false,
    }
}

fn is_join(data: &InstData) -> bool {
    matches!(data.op, Opcode::Or | Opcode::Xor | Opcode::Add)
}

/// The width of an integer type of 1 to 8 bytes.
fn byte_width(function: &Function, ty: Type) -> Option<u32> {
    function
        .types()
        .int_bits(ty)
        .filter(|&bits| bits % 8 == 0 && bits <= 64)
}

fn low_bytes(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// An immediate as a mask, if each of its bytes is all ones or zero.
fn whole_bytes(mask: i64) -> Option<u64> {
    let bytes = mask.to_le_bytes();
    bytes
        .iter()
        .all(|&byte| byte == 0 || byte == 0xff)
        .then_some(mask.cast_unsigned())
}

/// All bits of the bytes that are not zero.
fn occupied(bytes: u64) -> u64 {
    let ones = bytes.to_le_bytes().map(|byte| if byte == 0 { 0 } else { 0xff });
    u64::from_le_bytes(ones)
}
