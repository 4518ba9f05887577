//! What numbers instructions hold: logical immediates, float immediates, sums, and the shortest sequence for any
//! constant.
//!
//! A logical immediate (Arm ARM, C3.4.2 and `DecodeBitMasks`) is a run of ones, rotated, and repeated to fill the
//! register; 13 bits say which. Rows have these 13 bits as their immediate, so that a row means the same in 32 and 64
//! bits only where the encoding does.

use frazil_ir::Opcode;

/// The 13 bits (N, `immr`, `imms`) of a logical immediate for an operation of so many bytes; `None` if there are none.
/// Of 32 bits, the lower ones of `value` count.
pub const fn logical(value: u64, bytes: u8) -> Option<u16> {
    let value = if bytes < 8 {
        (value & 0xffff_ffff) | value << 32
    } else {
        value
    };
    if value == 0 || value == u64::MAX {
        return None;
    }
    // The shortest part that repeats.
    let mut size = 64;
    while size > 2 {
        let half = size / 2;
        let mask = (1u64 << half) - 1;
        if value & mask != value >> half & mask {
            break;
        }
        size = half;
    }
    let mask = u64::MAX >> (64 - size);
    let part = value & mask;
    let ones = part.count_ones();
    // How far the run must be turned to the right to begin at bit 0, so that turning it back gives the part.
    let lowest = if part & 1 == 0 {
        part.trailing_zeros()
    } else {
        // The run goes around: it begins above the zeros.
        let leading = (part << (64 - size)).leading_ones();
        if leading == size { 0 } else { size - leading }
    } % size;
    let run = rotate_right(part, lowest, size);
    if run != u64::MAX >> (64 - ones) {
        return None;
    }
    let immr = (size - lowest) % size;
    // `imms` has the size as leading ones before a zero, then the number of ones less one; N is set for 64 bits.
    let n = (size == 64) as u32;
    let imms = (!(2 * size - 1) & 0x3f) | (ones - 1);
    Some((n << 12 | immr << 6 | imms) as u16)
}

const fn rotate_right(value: u64, count: u32, size: u32) -> u64 {
    if count == 0 {
        return value;
    }
    let mask = u64::MAX >> (64 - size);
    (value >> count | value << (size - count)) & mask
}

/// The number that 13 bits stand for in an operation of so many bytes; `None` if they stand for none.
pub const fn logical_value(code: u16, bytes: u8) -> Option<u64> {
    let (n, immr, imms) = ((code >> 12 & 1) as u32, (code >> 6 & 63) as u32, (code & 63) as u32);
    if n == 1 && bytes < 8 || code >> 13 != 0 {
        return None;
    }
    let marked = n << 6 | (!imms & 0x3f);
    if marked < 2 {
        return None;
    }
    let size = 1 << (31 - marked.leading_zeros());
    let (ones, turn) = ((imms & (size - 1)) + 1, immr & (size - 1));
    if ones == size {
        return None;
    }
    let mut value = rotate_right(u64::MAX >> (64 - ones), turn, size);
    let mut filled = size;
    while filled < 64 {
        value |= value << filled;
        filled *= 2;
    }
    Some(if bytes < 8 { value & 0xffff_ffff } else { value })
}

/// Whether `add` and `sub` hold a number: 12 bits, or 12 bits shifted by 12.
pub const fn is_sum(value: u64) -> bool {
    value < 1 << 12 || value & 0xfff == 0 && value < 1 << 24
}

/// Whether an instruction has room for a constant operand of so many bits, or the zero register is it.
pub fn is_free(op: Opcode, slot: u32, bits: u32, value: i64) -> bool {
    let low = if bits >= 64 { u64::MAX } else { !(u64::MAX << bits) };
    let number = value.cast_unsigned() & low;
    let bytes = if bits > 32 { 8 } else { 4 };
    let is_signed = matches!(
        op,
        Opcode::IcmpSgt | Opcode::IcmpSge | Opcode::IcmpSlt | Opcode::IcmpSle
    );
    match op {
        _ if number == 0 => true,
        Opcode::IcmpUlt | Opcode::IcmpUge if number.is_power_of_two() => true,
        Opcode::IcmpUle | Opcode::IcmpUgt if number.wrapping_add(1).is_power_of_two() => true,
        Opcode::Add | Opcode::Sub if slot == 1 => is_sum(value.unsigned_abs()),
        op if op.is_icmp() && (is_signed || bits >= 32) => is_sum(value.unsigned_abs()),
        op if op.is_icmp() => is_sum(number),
        Opcode::And | Opcode::Or | Opcode::Xor => {
            // Above a narrower integer, anything may be.
            let sign = if bits < 32 { value.cast_unsigned() } else { number };
            number == low || logical(sign, bytes).is_some()
        }
        Opcode::Mul => {
            let is_shift = |value: u64| value.is_power_of_two();
            is_shift(number)
                || is_shift(number.wrapping_sub(1))
                || is_shift(number.wrapping_add(1) & low)
                || is_shift(number.wrapping_neg() & low)
        }
        // The quotient is made of multiplications and shifts.
        Opcode::Udiv | Opcode::Sdiv | Opcode::Urem | Opcode::Srem => slot == 1,
        // One follows from the zero register, and so do all ones.
        Opcode::Select => number == 1 || number == low,
        _ => false,
    }
}

/// The eight bits of a float immediate (Arm ARM, `VFPExpandImm`), from the bits of a float of 2, 4 or 8 bytes.
pub const fn float(bits: u64, bytes: u8) -> Option<u8> {
    let (exponent_bits, fraction_bits) = float_fields(bytes);
    let sign = bits >> (exponent_bits + fraction_bits) & 1;
    let exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
    let fraction = bits & ((1 << fraction_bits) - 1);
    let eighth = fraction >> (fraction_bits - 4);
    if fraction != eighth << (fraction_bits - 4) {
        return None;
    }
    let code = (sign << 7 | (exponent >> (exponent_bits - 1) & 1 ^ 1) << 6 | (exponent & 3) << 4 | eighth) as u8;
    if float_bits(code, bytes) == bits {
        Some(code)
    } else {
        None
    }
}

/// The bits of the float of 2, 4 or 8 bytes that eight bits stand for.
pub const fn float_bits(code: u8, bytes: u8) -> u64 {
    let (exponent_bits, fraction_bits) = float_fields(bytes);
    let code = code as u64;
    let high = code >> 6 & 1;
    let repeated = if high == 1 {
        (1u64 << (exponent_bits - 3)) - 1
    } else {
        0
    };
    let exponent = (high ^ 1) << (exponent_bits - 1) | repeated << 2 | code >> 4 & 3;
    code >> 7 << (exponent_bits + fraction_bits) | exponent << fraction_bits | (code & 15) << (fraction_bits - 4)
}

/// How many bits exponent and fraction have.
const fn float_fields(bytes: u8) -> (u32, u32) {
    match bytes {
        2 => (5, 10),
        4 => (8, 23),
        _ => (11, 52),
    }
}

/// An instruction of a sequence that makes a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Sixteen bits at a multiple of sixteen, zeros elsewhere.
    Zeros { imm: u16, quarter: u8 },
    /// The complement of that.
    Ones { imm: u16, quarter: u8 },
    /// A logical immediate, by its 13 bits.
    Logical(u16),
    /// Sixteen bits at a multiple of sixteen; the others stay.
    Keep { imm: u16, quarter: u8 },
}

/// The instructions that make a constant, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    steps: [Step; 4],
    count: usize,
}

impl Steps {
    const NONE: Steps = Steps {
        steps: [Step::Logical(0); 4],
        count: 0,
    };

    fn push(&mut self, step: Step) {
        self.steps[self.count] = step;
        self.count += 1;
    }

    /// Those that there are, from the first on.
    pub fn as_slice(&self) -> &[Step] {
        &self.steps[..self.count]
    }
}

/// The shortest of the sequences that begin with 16 bits, their complement or a logical immediate and go on by
/// replacing 16 bits at a time. Of 4 bytes, the lower ones of `value` count.
pub fn constant(value: u64, bytes: u8) -> Steps {
    let quarters = if bytes > 4 { 4 } else { 2 };
    let value = if quarters == 2 { value & 0xffff_ffff } else { value };
    let quarter = |index: u8| (value >> (16 * index)) as u16;
    let differing = |fill: u16| (0..quarters).filter(|&index| quarter(index) != fill).count();
    let (not_zeros, not_ones) = (differing(0), differing(u16::MAX));
    if not_zeros.min(not_ones) > 1 {
        if let Some(code) = logical(value, bytes) {
            let mut steps = Steps::NONE;
            steps.push(Step::Logical(code));
            return steps;
        }
        if not_zeros.min(not_ones) > 2
            && let Some(steps) = logical_and_more(value)
        {
            return steps;
        }
    }
    let fill = if not_ones < not_zeros { u16::MAX } else { 0 };
    let mut steps = Steps::NONE;
    for index in 0..quarters {
        let imm = quarter(index);
        // Something must be there even if all is filler.
        if imm == fill && !(index + 1 == quarters && steps.count == 0) {
            continue;
        }
        let quarter = if imm == fill { 0 } else { index };
        steps.push(match (steps.count, fill) {
            (0, 0) => Step::Zeros { imm, quarter },
            (0, _) => Step::Ones { imm: !imm, quarter },
            _ => Step::Keep { imm, quarter },
        });
    }
    steps
}

/// A logical immediate of 64 bits but for 16 bits, which are replaced.
fn logical_and_more(value: u64) -> Option<Steps> {
    for replaced in 0..4u8 {
        let shift = 16 * replaced;
        for like in 0..4u8 {
            let filler = value >> (16 * like) & 0xffff;
            for filler in [filler, 0, 0xffff] {
                let candidate = value & !(0xffff << shift) | filler << shift;
                if let Some(code) = logical(candidate, 8) {
                    let mut steps = Steps::NONE;
                    steps.push(Step::Logical(code));
                    steps.push(Step::Keep {
                        imm: (value >> shift) as u16,
                        quarter: replaced,
                    });
                    return Some(steps);
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// All numbers that there are, made from the definition: runs of ones, rotated, repeated.
    fn all_logical(bytes: u8) -> BTreeMap<u64, u16> {
        let mut all = BTreeMap::new();
        for code in 0..1 << 13 {
            if let Some(value) = logical_value(code, bytes) {
                all.entry(value).or_insert(code);
            }
        }
        all
    }

    #[test]
    fn every_logical_immediate_is_found_and_no_other() {
        let (all, all_32) = (all_logical(8), all_logical(4));
        // Sizes of 2 to 64 bits: size * (size - 1) runs each.
        assert_eq!(all.len(), 5334);
        assert_eq!(all_32.len(), 1302);
        for (numbers, bytes) in [(&all, 8), (&all_32, 4)] {
            for &value in numbers.keys() {
                let code = logical(value, bytes).expect("it was made from one");
                assert_eq!(logical_value(code, bytes), Some(value), "{value:#x}");
                for bit in 0..8 * u32::from(bytes) {
                    let other = value ^ 1 << bit;
                    assert_eq!(
                        logical(other, bytes).is_some(),
                        numbers.contains_key(&other),
                        "{other:#x}"
                    );
                }
            }
        }
        assert_eq!(
            (logical(0, 8), logical(u64::MAX, 8), logical(0xffff_ffff, 4)),
            (None, None, None)
        );
        assert_eq!(logical(0xff, 8), Some(0x1007));
    }

    #[test]
    fn floats_of_eight_bits_go_there_and_back() {
        for code in 0..=255 {
            for bytes in [2, 4, 8] {
                let bits = float_bits(code, bytes);
                assert_eq!(float(bits, bytes), Some(code));
                assert_eq!(float(bits ^ 1, bytes), None);
            }
            let value = f64::from_bits(float_bits(code, 8));
            assert_eq!(value as f32, f32::from_bits(float_bits(code, 4) as u32));
            assert!((0.125..=31.0).contains(&value.abs()));
        }
        assert_eq!(float(1.0f64.to_bits(), 8), Some(0x70));
        assert_eq!(float(0, 8), None);
        assert_eq!(float(u64::from(f32::INFINITY.to_bits()), 4), None);
    }

    fn carried_out(steps: &Steps, bytes: u8) -> u64 {
        let mut value = 0u64;
        for step in steps.as_slice() {
            match *step {
                Step::Zeros { imm, quarter } => value = u64::from(imm) << (16 * quarter),
                Step::Ones { imm, quarter } => value = !(u64::from(imm) << (16 * quarter)),
                Step::Logical(code) => value = logical_value(code, bytes).expect("it is one"),
                Step::Keep { imm, quarter } => {
                    value = value & !(0xffff << (16 * quarter)) | u64::from(imm) << (16 * quarter);
                }
            }
        }
        if bytes > 4 { value } else { value & 0xffff_ffff }
    }

    #[test]
    fn constants_are_made_of_few_steps() {
        let chunks = [0u64, 1, 0x8000, 0xffff, 0x7fff, 0xfffe, 0x1234, 0x5555];
        for a in chunks {
            for b in chunks {
                for c in chunks {
                    for d in chunks {
                        let value = a << 48 | b << 32 | c << 16 | d;
                        for bytes in [4, 8] {
                            let steps = constant(value, bytes);
                            let expected = if bytes > 4 { value } else { value & 0xffff_ffff };
                            assert_eq!(carried_out(&steps, bytes), expected, "{value:#x} {steps:?}");
                            assert!(steps.as_slice().len() <= usize::from(bytes / 2));
                        }
                    }
                }
            }
        }
        for (value, count) in [
            (0, 1),
            (u64::MAX, 1),
            (0xffff_0000, 1),
            (0x1_0001, 2),
            (0x5555_5555_5555_5555, 1),
            (0x5555_5555_1234_5555, 2),
            (0x1234_5678_9abc_def0, 4),
        ] {
            assert_eq!(constant(value, 8).as_slice().len(), count, "{value:#x}");
        }
    }
}
