//! What each instruction does.

use super::{Fault, Machine};
use crate::ops::Op;
use crate::regs::RA;

/// The fields of an instruction.
struct Fields {
    op: Op,
    /// Whether the width bit is set.
    wide: bool,
    d: usize,
    a: usize,
    b: usize,
    word: u32,
}

impl Fields {
    fn of(word: u32) -> Option<Fields> {
        let register = |bit: u32| (word >> bit & 31) as usize;
        Some(Fields {
            op: Op::from_number((word & 0xff) as u16)?,
            wide: word >> 8 & 1 != 0,
            d: register(9),
            a: register(14),
            b: register(19),
            word,
        })
    }

    fn displacement(&self) -> u32 {
        (self.word.cast_signed() >> 24).cast_unsigned()
    }

    fn immediate(&self) -> u32 {
        (self.word.cast_signed() >> 19).cast_unsigned()
    }

    fn jump_distance(&self) -> u32 {
        ((self.word.cast_signed() >> 8) * 4).cast_unsigned()
    }
}

impl Machine {
    /// Executes the instruction at `pc`.
    pub(super) fn step(&mut self) -> Result<(), Fault> {
        let pc = self.pc;
        let word = self.memory.load(pc, 4)? as u32;
        let fields = Fields::of(word).ok_or_else(|| Fault::Code(format!("no instruction at {pc:#x}: {word:#010x}")))?;
        self.pc = pc.wrapping_add(4);
        match fields.op {
            Op::Break => return Err(Fault::Trap),
            Op::Fence => {}
            Op::Lb | Op::Lh | Op::Lw | Op::Sb | Op::Sh | Op::Sw | Op::Fl | Op::Fs => self.access(&fields)?,
            Op::Beq | Op::Bne | Op::Blt | Op::Bge | Op::Bltu | Op::Bgeu => self.branch(&fields, pc),
            Op::J | Op::Jr | Op::Call | Op::Callr => self.jump(&fields, pc),
            Op::Li | Op::La | Op::Ll => self.constant(&fields, pc)?,
            Op::Flc => self.literal(&fields, pc)?,
            _ if (fields.op as u8) < Op::Li as u8 => self.integer(&fields)?,
            _ => self.float(&fields),
        }
        Ok(())
    }

    fn set(&mut self, register: usize, value: u32) {
        if register != 0 {
            self.ints[register] = value;
        }
    }

    fn constant(&mut self, fields: &Fields, pc: u32) -> Result<(), Fault> {
        if fields.op == Op::Li && !fields.wide {
            self.set(fields.d, fields.immediate());
            return Ok(());
        }
        let second = self.memory.load(pc.wrapping_add(4), 4)? as u32;
        self.pc = pc.wrapping_add(8);
        let base = if fields.op == Op::Ll { pc.wrapping_add(4) } else { 0 };
        self.set(fields.d, base.wrapping_add(second));
        Ok(())
    }

    fn literal(&mut self, fields: &Fields, pc: u32) -> Result<(), Fault> {
        let address = pc.wrapping_add(fields.immediate().wrapping_mul(4));
        let value = self.memory.load(address, if fields.wide { 8 } else { 4 })?;
        self.set_bits(fields.d, fields.wide, value);
        Ok(())
    }

    fn access(&mut self, fields: &Fields) -> Result<(), Fault> {
        let address = self.ints[fields.a].wrapping_add(fields.displacement());
        let float_bytes = if fields.wide { 8 } else { 4 };
        match fields.op {
            Op::Lb | Op::Lh | Op::Lw => {
                let bytes = 1 << (fields.op as u32 - Op::Lb as u32);
                let value = self.memory.load(address, bytes)? as u32;
                self.set(fields.d, value);
            }
            Op::Sb | Op::Sh | Op::Sw => {
                let bytes = 1 << (fields.op as u32 - Op::Sb as u32);
                self.memory.store(address, bytes, u64::from(self.ints[fields.d]))?;
            }
            Op::Fl => {
                let value = self.memory.load(address, float_bytes)?;
                self.set_bits(fields.d, fields.wide, value);
            }
            _ => self.memory.store(address, float_bytes, self.floats[fields.d])?,
        }
        Ok(())
    }

    fn branch(&mut self, fields: &Fields, pc: u32) {
        // The compared registers are in the first two fields.
        let (x, y) = (self.ints[fields.d], self.ints[fields.a]);
        let taken = match fields.op {
            Op::Beq => x == y,
            Op::Bne => x != y,
            Op::Blt => x.cast_signed() < y.cast_signed(),
            Op::Bge => x.cast_signed() >= y.cast_signed(),
            Op::Bltu => x < y,
            _ => x >= y,
        };
        if taken {
            self.pc = pc.wrapping_add(fields.displacement().wrapping_mul(4));
        }
    }

    fn jump(&mut self, fields: &Fields, pc: u32) {
        let target = match fields.op {
            Op::J | Op::Call => pc.wrapping_add(fields.jump_distance()),
            _ => self.ints[fields.d],
        };
        if matches!(fields.op, Op::Call | Op::Callr) {
            self.ints[RA.number() as usize] = pc.wrapping_add(4);
        }
        self.pc = target;
    }

    fn integer(&mut self, fields: &Fields) -> Result<(), Fault> {
        let x = self.ints[fields.a];
        let y = if (Op::Addi as u8..=Op::Sltiu as u8).contains(&(fields.op as u8)) {
            fields.immediate()
        } else {
            self.ints[fields.b]
        };
        if y == 0 && matches!(fields.op, Op::Div | Op::Divu | Op::Rem | Op::Remu) {
            return Err(Fault::DivisionByZero);
        }
        let value = match fields.op {
            Op::Add | Op::Addi => x.wrapping_add(y),
            Op::Sub => x.wrapping_sub(y),
            Op::And | Op::Andi => x & y,
            Op::Or | Op::Ori => x | y,
            Op::Xor | Op::Xori => x ^ y,
            Op::Sll | Op::Slli => x << (y & 31),
            Op::Srl | Op::Srli => x >> (y & 31),
            Op::Sra | Op::Srai => (x.cast_signed() >> (y & 31)).cast_unsigned(),
            Op::Slt => u32::from(x.cast_signed() < y.cast_signed()),
            Op::Sltu | Op::Sltiu => u32::from(x < y),
            Op::Mul => x.wrapping_mul(y),
            Op::Mulhu => ((u64::from(x) * u64::from(y)) >> 32) as u32,
            Op::Div => x.cast_signed().wrapping_div(y.cast_signed()).cast_unsigned(),
            Op::Divu => x / y,
            Op::Rem => x.cast_signed().wrapping_rem(y.cast_signed()).cast_unsigned(),
            Op::Remu => x % y,
            Op::Clz => x.leading_zeros(),
            Op::Ctz => x.trailing_zeros(),
            Op::Popc => x.count_ones(),
            Op::Bswap => x.swap_bytes(),
            Op::Brev => x.reverse_bits(),
            _ => x,
        };
        self.set(fields.d, value);
        Ok(())
    }

    /// Writes a float register. The upper half above a 4-byte float is rubbish, so that nothing relies on it.
    fn set_bits(&mut self, register: usize, wide: bool, bits: u64) {
        let rubbish = 0xdead_beef << 32;
        self.floats[register] = if wide { bits } else { bits & 0xffff_ffff | rubbish };
    }

    fn single(&self, register: usize) -> f32 {
        f32::from_bits(self.floats[register] as u32)
    }

    fn double(&self, register: usize) -> f64 {
        f64::from_bits(self.floats[register])
    }

    fn number(&self, register: usize, wide: bool) -> f64 {
        if wide {
            self.double(register)
        } else {
            f64::from(self.single(register))
        }
    }

    fn float(&mut self, fields: &Fields) {
        let wide = fields.wide;
        match fields.op {
            Op::Feq | Op::Flt | Op::Fle => {
                let (x, y) = (self.number(fields.a, wide), self.number(fields.b, wide));
                let holds = match fields.op {
                    Op::Feq => x == y,
                    Op::Flt => x < y,
                    _ => x <= y,
                };
                self.set(fields.d, u32::from(holds));
            }
            Op::Fadd | Op::Fsub | Op::Fmul | Op::Fdiv | Op::Fsqrt => self.arithmetic(fields),
            Op::Fneg | Op::Fabs | Op::Fsgnj | Op::Fmov | Op::Fclass => self.sign_and_class(fields),
            _ => self.convert(fields),
        }
    }

    fn arithmetic(&mut self, fields: &Fields) {
        macro_rules! compute {
            ($x:expr, $y:expr) => {
                match fields.op {
                    Op::Fadd => $x + $y,
                    Op::Fsub => $x - $y,
                    Op::Fmul => $x * $y,
                    Op::Fdiv => $x / $y,
                    _ => $x.sqrt(),
                }
            };
        }
        let bits = if fields.wide {
            compute!(self.double(fields.a), self.double(fields.b)).to_bits()
        } else {
            u64::from(compute!(self.single(fields.a), self.single(fields.b)).to_bits())
        };
        self.set_bits(fields.d, fields.wide, bits);
    }

    fn sign_and_class(&mut self, fields: &Fields) {
        let sign = if fields.wide { 1 << 63 } else { 1u64 << 31 };
        let (x, y) = (self.floats[fields.a], self.floats[fields.b]);
        let bits = match fields.op {
            Op::Fneg => x ^ sign,
            Op::Fabs => x & !sign,
            Op::Fsgnj => x & !sign | y & sign,
            Op::Fclass => {
                let class = if fields.wide {
                    class(x, 11, 52)
                } else {
                    class(x & 0xffff_ffff, 8, 23)
                };
                return self.set(fields.d, class);
            }
            _ => x,
        };
        self.set_bits(fields.d, fields.wide, bits);
    }

    fn convert(&mut self, fields: &Fields) {
        let wide = fields.wide;
        let (x, y) = (self.ints[fields.a], self.ints[fields.b]);
        let pair = u64::from(x) | u64::from(y) << 32;
        // The source of a split is the third operand.
        let (source, split) = (self.number(fields.a, wide), self.number(fields.b, wide));
        macro_rules! from {
            ($value:expr) => {
                if wide {
                    ($value as f64).to_bits()
                } else {
                    u64::from(($value as f32).to_bits())
                }
            };
        }
        let (bits, is_wide) = match fields.op {
            Op::ToW => return self.set(fields.d, (source as i32).cast_unsigned()),
            Op::ToWu => return self.set(fields.d, source as u32),
            Op::ToL => return self.set_pair(fields, (split as i64).cast_unsigned()),
            Op::ToLu => return self.set_pair(fields, split as u64),
            Op::F64ToInt => return self.set_pair(fields, self.floats[fields.b]),
            Op::F32ToInt => return self.set(fields.d, self.floats[fields.a] as u32),
            Op::IntToF32 => (u64::from(x), false),
            Op::IntToF64 => (pair, true),
            Op::FromW => (from!(x.cast_signed()), wide),
            Op::FromWu => (from!(x), wide),
            Op::FromL => (from!(pair.cast_signed()), wide),
            Op::FromLu => (from!(pair), wide),
            // The width bit of `fcvt` is the result's.
            _ if wide => (f64::from(self.single(fields.a)).to_bits(), true),
            _ => (u64::from((self.double(fields.a) as f32).to_bits()), false),
        };
        self.set_bits(fields.d, is_wide, bits);
    }

    /// Writes both halves; the two destinations are the first two operands.
    fn set_pair(&mut self, fields: &Fields, value: u64) {
        self.set(fields.d, value as u32);
        self.set(fields.a, (value >> 32) as u32);
    }
}

/// The class of a float with so many exponent and fraction bits.
fn class(bits: u64, exponent_bits: u32, fraction_bits: u32) -> u32 {
    let negative = bits >> (exponent_bits + fraction_bits) & 1 != 0;
    let exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
    let fraction = bits & ((1 << fraction_bits) - 1);
    let is_special = exponent == (1 << exponent_bits) - 1;
    let place = match (is_special, exponent, fraction) {
        (true, _, 0) => 0,
        (true, ..) => return 1 << (fraction >> (fraction_bits - 1)),
        (_, 0, 0) => 3,
        (_, 0, _) => 2,
        _ => 1,
    };
    if negative { 4 << place } else { 512 >> place }
}

#[cfg(test)]
mod tests {
    use super::class;

    #[test]
    fn classes_are_numbered_like_those_of_the_ir() {
        let of = |value: f64| class(value.to_bits(), 11, 52);
        assert_eq!(of(f64::NEG_INFINITY), 4);
        assert_eq!(of(-1.0), 8);
        assert_eq!(of(-1e-310), 16);
        assert_eq!((of(-0.0), of(0.0)), (32, 64));
        assert_eq!((of(1e-310), of(1.0), of(f64::INFINITY)), (128, 256, 512));
        assert_eq!(of(f64::from_bits(0x7ff8_0000_0000_0000)), 2);
        assert_eq!(of(f64::from_bits(0x7ff0_0000_0000_0001)), 1);
    }
}
