//! Instructions that read or write memory or the frame.

use super::memory::Byte;
use super::pure::arith_lane;
use super::value::{Scalar, Value, mask, scalar_bits};
use super::{Interpreter, Outcome, Stop};
use crate::flags::{MemFlags, RmwOp};
use crate::function::{Function, InstData};
use crate::opcode::Opcode;
use crate::operand::Operand;
use crate::types::{Type, TypeData, TypeTable};

impl Interpreter<'_> {
    /// Executes such an instruction and returns its results.
    pub(super) fn access(&mut self, function: &Function, data: &InstData) -> Outcome<Vec<Value>> {
        use Opcode as O;
        let flags = MemFlags(data.flags);
        match data.op {
            O::Load | O::AtomicLoad => {
                let address = self.address(data.a, flags)?;
                self.load(&function.types, data.ty, address).map(|value| vec![value])
            }
            O::Store | O::AtomicStore => {
                let value = self.operand(function, data.a, data.ty)?;
                let address = self.address(data.b, flags)?;
                self.store(&function.types, data.ty, address, &value)
                    .map(|()| Vec::new())
            }
            O::AtomicRmw => self.atomic_rmw(function, data),
            O::Cmpxchg => self.cmpxchg(function, data),
            O::MemCopy | O::MemMove | O::MemSet => self.bulk(function, data).map(|()| Vec::new()),
            O::StackAlloc => {
                let size = self.decided(data.a, TypeData::Int(self.pointer_bits()), "stack allocation of")?;
                let size = u64::try_from(size).unwrap_or(u64::MAX);
                let address = self.memory.allocate(size, flags.align_log2())?;
                self.frame().dynamic.push(address);
                Ok(vec![Value::bits(u128::from(address))])
            }
            O::StackSave => Ok(vec![Value::bits(u128::from(self.memory.next_address()))]),
            O::StackRestore => {
                let mark = self.decided(data.a, TypeData::Ptr(0), "stack restored from")? as u64;
                while let Some(address) = self.frame().dynamic.pop_if(|address| *address >= mark) {
                    self.memory.end_object(address);
                }
                Ok(Vec::new())
            }
            O::VaStart => {
                let list = self.address(data.a, MemFlags(0))?;
                self.va_start(list).map(|()| Vec::new())
            }
            O::VaCopy => {
                let to = self.address(data.a, MemFlags(0))?;
                let from = self.address(data.b, MemFlags(0))?;
                self.va_copy(to, from).map(|()| Vec::new())
            }
            O::ReadCycleCounter => Ok(vec![Value::bits(u128::from(u64::MAX - self.steps_left))]),
            _ => Err(Stop::Unsupported(format!("opcode {}", data.op.name()))),
        }
    }

    /// An address, aligned as the flags say.
    fn address(&self, operand: Operand, flags: MemFlags) -> Outcome<u64> {
        let address = self.decided(operand, TypeData::Ptr(0), "access through")? as u64;
        if address & ((1 << flags.align_log2()) - 1) != 0 {
            return Err(Stop::undefined(format!(
                "access at {address:#x}, which is not aligned as it says"
            )));
        }
        Ok(address)
    }

    pub(super) fn load(&self, types: &TypeTable, ty: Type, address: u64) -> Outcome<Value> {
        let size = types.store_bytes(ty, self.pointer_bits());
        let bytes = self.memory.read_bytes(address, size)?;
        self.value_of_bytes(types, ty, &bytes)
    }

    pub(super) fn store(&mut self, types: &TypeTable, ty: Type, address: u64, value: &Value) -> Outcome<()> {
        let bytes = self.to_bytes(types, ty, value)?;
        self.memory.write_bytes(address, &bytes)
    }

    /// Element bits, and how many lanes a type has (1 for scalars).
    fn lanes_of(&self, types: &TypeTable, ty: Type) -> Outcome<(u32, usize)> {
        let (element, lanes) = match types.data(ty) {
            TypeData::Vector { element, lanes } => (types.data(element), lanes as usize),
            scalar => (scalar, 1),
        };
        match scalar_bits(element, self.pointer_bits()) {
            Some(bits) if lanes == 1 || bits % 8 == 0 => Ok((bits, lanes)),
            Some(bits) if !self.module.data_layout.big_endian => Ok((bits, lanes)),
            Some(_) => Err(Stop::Unsupported(format!("{:?} in memory", types.data(ty)))),
            None => Err(Stop::Unsupported(format!("values of {element:?}"))),
        }
    }

    /// A value's bytes in memory.
    pub(super) fn to_bytes(&self, types: &TypeTable, ty: Type, value: &Value) -> Outcome<Vec<Byte>> {
        let (bits, lanes) = self.lanes_of(types, ty)?;
        if is_packed(bits, lanes) {
            return Ok(pack(value, bits, lanes));
        }
        let size = bits.div_ceil(8) as usize;
        let mut bytes = Vec::with_capacity(size * lanes);
        for index in 0..lanes {
            let (value, undef, poison) = match value.lane(index) {
                Scalar::Poison => (0, 0, true),
                Scalar::Bits { value, undef } => (value, undef, false),
            };
            let lane = |shift: usize| Byte {
                value: (value >> (8 * shift)) as u8,
                undef: (undef >> (8 * shift)) as u8,
                poison,
            };
            let first = bytes.len();
            bytes.extend((0..size).map(lane));
            if self.module.data_layout.big_endian {
                bytes[first..].reverse();
            }
        }
        Ok(bytes)
    }

    /// The value that bytes in memory are.
    pub(super) fn value_of_bytes(&self, types: &TypeTable, ty: Type, bytes: &[Byte]) -> Outcome<Value> {
        let (bits, lanes) = self.lanes_of(types, ty)?;
        if is_packed(bits, lanes) {
            return unpack(bytes, bits, lanes);
        }
        let size = bits.div_ceil(8) as usize;
        let mut scalars = Vec::with_capacity(lanes);
        for chunk in bytes.chunks_exact(size) {
            let mut chunk = chunk.to_vec();
            if self.module.data_layout.big_endian {
                chunk.reverse();
            }
            let word = |part: fn(&Byte) -> u8| {
                chunk
                    .iter()
                    .rev()
                    .fold(0u128, |word, byte| word << 8 | u128::from(part(byte)))
            };
            let (value, undef) = (word(|byte| byte.value), word(|byte| byte.undef));
            if value & !mask(bits) != 0 {
                return Err(Stop::undefined(format!(
                    "load of {bits} bits whose padding bits are not zero"
                )));
            }
            let poison = chunk.iter().any(|byte| byte.poison);
            scalars.push(match poison {
                true => Scalar::Poison,
                false => Scalar::Bits {
                    value,
                    undef: undef & mask(bits),
                },
            });
        }
        Ok(match types.data(ty) {
            TypeData::Vector { .. } => Value::Vector(scalars),
            _ => Value::Scalar(scalars.first().copied().unwrap_or(Scalar::Poison)),
        })
    }

    fn atomic_rmw(&mut self, function: &Function, data: &InstData) -> Outcome<Vec<Value>> {
        let flags = MemFlags(data.flags);
        let address = self.address(data.a, flags)?;
        let old = self.load(&function.types, data.ty, address)?;
        let operand = self.operand(function, data.b, data.ty)?;
        let ty = function.types.data(data.ty);
        let unknown = || Stop::Unsupported("an atomic operation".to_owned());
        let new = rmw(
            flags.rmw().ok_or_else(unknown)?,
            ty,
            self.pointer_bits(),
            old.lane(0),
            operand.lane(0),
        )?;
        self.store(&function.types, data.ty, address, &Value::Scalar(new))?;
        Ok(vec![old])
    }

    fn cmpxchg(&mut self, function: &Function, data: &InstData) -> Outcome<Vec<Value>> {
        let address = self.address(data.a, MemFlags(data.flags))?;
        let (expected, new) = function.ternary(data);
        let old = self.load(&function.types, data.ty, address)?;
        let expected = self.operand(function, expected, data.ty)?;
        let new = self.operand(function, new, data.ty)?;
        let (Some(found), Some(wanted)) = (old.known(), expected.known()) else {
            return Err(Stop::undefined("cmpxchg of undefined values"));
        };
        if found == wanted {
            self.store(&function.types, data.ty, address, &new)?;
        }
        Ok(vec![old, Value::Scalar(Scalar::bool(found == wanted))])
    }

    fn bulk(&mut self, function: &Function, data: &InstData) -> Outcome<()> {
        let (second, length) = function.ternary(data);
        let size = self.decided(length, function.types.data(data.ty), "length of")? as u64;
        if size == 0 {
            return Ok(());
        }
        let to = self.decided(data.a, TypeData::Ptr(0), "write through")? as u64;
        let bytes = if data.op == Opcode::MemSet {
            let byte = match self.operand(function, second, Type::I8)? {
                Value::Scalar(Scalar::Bits { value, undef }) => Byte {
                    value: value as u8,
                    undef: undef as u8,
                    poison: false,
                },
                _ => Byte {
                    value: 0,
                    undef: 0,
                    poison: true,
                },
            };
            // Reading first bounds the length by an object's size.
            let mut bytes = self.memory.read_bytes(to, size)?;
            bytes.fill(byte);
            bytes
        } else {
            let from = self.decided(second, TypeData::Ptr(0), "read through")? as u64;
            let apart = from == to || from.abs_diff(to) >= size;
            if data.op == Opcode::MemCopy && !apart {
                return Err(Stop::undefined("mem_copy of ranges that overlap in part"));
            }
            self.memory.read_bytes(from, size)?
        };
        self.memory.write_bytes(to, &bytes)
    }
}

/// Whether lanes of a vector in memory share bytes.
fn is_packed(bits: u32, lanes: usize) -> bool {
    lanes > 1 && !bits.is_multiple_of(8)
}

/// The bytes of lanes that share them, the first lane in the lowest bits.
fn pack(value: &Value, bits: u32, lanes: usize) -> Vec<Byte> {
    let empty = Byte {
        value: 0,
        undef: 0,
        poison: false,
    };
    let mut bytes = vec![empty; (bits as usize * lanes).div_ceil(8)];
    for place in 0..bits as usize * lanes {
        let (byte, bit) = (&mut bytes[place / 8], place % 8);
        let of_lane = |word: u128| (word >> (place % bits as usize)) as u8 & 1;
        match value.lane(place / bits as usize) {
            Scalar::Poison => byte.poison = true,
            Scalar::Bits { value, undef } => {
                byte.value |= of_lane(value) << bit;
                byte.undef |= of_lane(undef) << bit;
            }
        }
    }
    bytes
}

/// The lanes that bytes hold; a byte with a poison bit makes all of its lanes poison.
fn unpack(bytes: &[Byte], bits: u32, lanes: usize) -> Outcome<Value> {
    let total = bits as usize * lanes;
    let spare = (total..bytes.len() * 8).any(|place| bytes[place / 8].value >> (place % 8) & 1 != 0);
    if spare {
        return Err(Stop::undefined("load of a vector whose padding bits are not zero"));
    }
    let lane = |index: usize| {
        let (mut value, mut undef) = (0, 0);
        for bit in 0..bits as usize {
            let place = index * bits as usize + bit;
            let byte = &bytes[place / 8];
            if byte.poison {
                return Scalar::Poison;
            }
            value |= u128::from(byte.value >> (place % 8) & 1) << bit;
            undef |= u128::from(byte.undef >> (place % 8) & 1) << bit;
        }
        Scalar::Bits { value, undef }
    };
    Ok(Value::Vector((0..lanes).map(lane).collect()))
}

/// The new value of a read-modify-write operation.
fn rmw(op: RmwOp, ty: TypeData, pointer_bits: u32, old: Scalar, operand: Scalar) -> Outcome<Scalar> {
    use Opcode as O;
    let arith = |op| arith_lane(op, 0, ty, old, operand);
    let known = old.known().zip(operand.known());
    let bits = scalar_bits(ty, pointer_bits).unwrap_or(128);
    let undef = Scalar::undef(bits);
    match op {
        RmwOp::Xchg => Ok(operand),
        RmwOp::Add => arith(O::Add),
        RmwOp::Sub => arith(O::Sub),
        RmwOp::And => arith(O::And),
        RmwOp::Or => arith(O::Or),
        RmwOp::Xor => arith(O::Xor),
        RmwOp::Nand => arith_lane(O::Xor, 0, ty, arith(O::And)?, Scalar::defined(mask(bits))),
        RmwOp::Max => arith(O::Smax),
        RmwOp::Min => arith(O::Smin),
        RmwOp::Umax => arith(O::Umax),
        RmwOp::Umin => arith(O::Umin),
        RmwOp::Fadd => arith(O::Fadd),
        RmwOp::Fsub => arith(O::Fsub),
        RmwOp::Fmax => arith(O::Fmaxnum),
        RmwOp::Fmin => arith(O::Fminnum),
        RmwOp::Fmaximum => arith(O::Fmaximum),
        RmwOp::Fminimum => arith(O::Fminimum),
        RmwOp::UsubSat => arith(O::UsubSat),
        RmwOp::UincWrap => Ok(known.map_or(undef, |(a, b)| Scalar::defined(if a >= b { 0 } else { a + 1 }))),
        RmwOp::UdecWrap => Ok(known.map_or(undef, |(a, b)| Scalar::defined(if a == 0 || a > b { b } else { a - 1 }))),
        RmwOp::UsubCond => Ok(known.map_or(undef, |(a, b)| Scalar::defined(if a >= b { a - b } else { a }))),
    }
}
