//! Rules about the type of an instruction, and about what else its opcode wants.

use super::Verifier;
use super::constants::is_float;
use crate::constant::ConstView;
use crate::flags::{MemFlags, Ordering, RmwOp};
use crate::function::InstData;
use crate::opcode::Opcode;
use crate::operand::Operand;
use crate::types::{Type, TypeData};
use crate::typing::{is_cast, is_reduction};

type Rule = Result<(), &'static str>;

fn require(holds: bool, message: &'static str) -> Rule {
    if holds { Ok(()) } else { Err(message) }
}

impl Verifier<'_> {
    fn scalar(&self, ty: Type) -> TypeData {
        self.function.types.data(self.function.types.scalar(ty))
    }

    fn lanes(&self, ty: Type) -> Option<u32> {
        match self.function.types.data(ty) {
            TypeData::Vector { lanes, .. } => Some(lanes),
            _ => None,
        }
    }

    /// Checks the instruction's own type, as far as the opcode restricts it.
    pub(super) fn type_rules(&self, data: &InstData) -> Rule {
        use Opcode as O;
        let op = data.op;
        let scalar = self.scalar(data.ty);
        let is_int = matches!(scalar, TypeData::Int(_));
        let is_pointer = matches!(scalar, TypeData::Ptr(_));
        if op.fixed_type().is_none() {
            require(data.ty != Type::VOID, "the type is void")?;
        }
        match op {
            O::Bswap => require(
                matches!(scalar, TypeData::Int(bits) if bits % 16 == 0),
                "no multiple of 16 bits wide",
            ),
            O::UmulHigh | O::SmulHigh => {
                let is_done = matches!(scalar, TypeData::Int(8 | 16 | 32 | 64));
                require(is_done, "not an integer type of 8, 16, 32 or 64 bits")
            }
            O::UaddCarry | O::UsubBorrow => {
                let is_done = matches!(self.function.types.data(data.ty), TypeData::Int(32 | 64));
                require(is_done, "not an integer type of 32 or 64 bits")
            }
            O::ByteDifferences => require(matches!(scalar, TypeData::Int(64)), "not an integer type of 64 bits"),
            O::WordProducts => require(matches!(scalar, TypeData::Int(32)), "not an integer type of 32 bits"),
            _ if (O::Add as u8..=O::Fshr as u8).contains(&(op as u8)) => require(is_int, "not an integer type"),
            _ if op.is_icmp() => require(is_int || is_pointer, "neither an integer nor a pointer type"),
            _ if op.is_fcmp() => require(is_float(scalar), "not a floating-point type"),
            _ if (O::Fadd as u8..=O::IsFpclass as u8).contains(&(op as u8)) => {
                require(is_float(scalar), "not a floating-point type")?;
                let is_mask = |operand: Operand| operand.as_imm().is_some_and(|mask| (0..1024).contains(&mask));
                require(op != O::IsFpclass || is_mask(data.b), "no mask of ten bits")
            }
            O::Scmp | O::Ucmp => {
                require(is_int, "not an integer type")?;
                let operand = self.operand_type(data.a)?;
                let compared = self.scalar(operand);
                let comparable = matches!(compared, TypeData::Int(_) | TypeData::Ptr(_));
                require(
                    comparable && self.lanes(operand) == self.lanes(data.ty),
                    "operands that cannot be compared so",
                )
            }
            _ if is_cast(op) => self.cast_rules(data),
            _ if op.is_strict() => {
                let plain = data.without_strictness();
                require(plain.is_some(), "no operation of this opcode")?;
                require(self.lanes(data.ty).is_none(), "a vector type")?;
                plain.map_or(Ok(()), |plain| self.type_rules(&plain))
            }
            O::PtrAdd | O::PtrIndex => require(is_pointer, "not a pointer type"),
            O::TlsAddr => require(self.is_symbol(data.a), "no thread-local symbol"),
            O::ExtractElement | O::InsertElement => require(self.lanes(data.ty).is_some(), "not a vector type"),
            O::Shuffle => self.shuffle_rules(data),
            _ if is_reduction(op) => self.reduction_rules(data),
            O::MemCopy | O::MemMove | O::MemSet | O::SpaceCopy | O::SpaceSet => require(
                self.function.types.int_bits(data.ty).is_some(),
                "the length is no integer",
            ),
            O::Switch => require(self.function.types.int_bits(data.ty).is_some(), "not an integer type"),
            O::EhTypeidFor | O::SjljSetjmp => require(data.ty == Type::I32, "the type is not i32"),
            O::ReadCycleCounter => require(is_int, "not an integer type"),
            O::FrameAddress | O::ReturnAddress => require(
                data.a.as_imm().is_some_and(|level| level >= 0),
                "the level is no immediate",
            ),
            O::Load => self.plain_access(data, data.a),
            O::Store => self.plain_access(data, data.b),
            O::AtomicLoad | O::AtomicStore | O::AtomicRmw | O::Cmpxchg | O::Fence => self.atomic_rules(data),
            _ => Ok(()),
        }
    }

    fn operand_type(&self, operand: Operand) -> Result<Type, &'static str> {
        self.function
            .operand_type(operand)
            .ok_or("an immediate where the operand's type must be known")
    }

    fn is_symbol(&self, operand: Operand) -> bool {
        operand.as_symbol().is_some()
            || operand
                .as_const()
                .is_some_and(|id| matches!(self.function.constant(id).1, ConstView::Symbol(..)))
    }

    fn cast_rules(&self, data: &InstData) -> Rule {
        use Opcode as O;
        let from_type = self.operand_type(data.a)?;
        let (from, to) = (self.scalar(from_type), self.scalar(data.ty));
        let pointer_bits = self.module.data_layout.pointer_bits;
        let bits = |ty| self.function.types.bits(ty, pointer_bits);
        let scalar_bits = |ty| bits(self.function.types.scalar(ty));
        let is_int = |ty: TypeData| matches!(ty, TypeData::Int(_));
        let is_pointer = |ty: TypeData| matches!(ty, TypeData::Ptr(_));
        let fits = match data.op {
            O::Trunc => is_int(from) && is_int(to) && scalar_bits(from_type) > scalar_bits(data.ty),
            O::Zext | O::Sext => is_int(from) && is_int(to) && scalar_bits(from_type) < scalar_bits(data.ty),
            O::Fptoui | O::Fptosi | O::FptouiSat | O::FptosiSat | O::Lrint => is_float(from) && is_int(to),
            O::Uitofp | O::Sitofp => is_int(from) && is_float(to),
            O::Fptrunc => is_float(from) && is_float(to) && scalar_bits(from_type) > scalar_bits(data.ty),
            O::Fpext => is_float(from) && is_float(to) && scalar_bits(from_type) < scalar_bits(data.ty),
            O::Ptrtoint => is_pointer(from) && is_int(to),
            O::Inttoptr => is_int(from) && is_pointer(to),
            O::Addrspacecast => is_pointer(from) && is_pointer(to),
            O::Bitcast => return require(bits(from_type) == bits(data.ty), "types of different sizes"),
            _ => true,
        };
        require(fits, "a cast between types that it does not convert")?;
        require(
            self.lanes(from_type) == self.lanes(data.ty),
            "vectors of different lengths",
        )
    }

    fn shuffle_rules(&self, data: &InstData) -> Rule {
        let source = self.operand_type(data.a)?;
        let (_, mask) = self.function.ternary(data);
        let Some((source_lanes, lanes)) = self.lanes(source).zip(self.lanes(data.ty)) else {
            return Err("not a vector type");
        };
        let scalars = &self.function.types;
        require(
            scalars.scalar(source) == scalars.scalar(data.ty),
            "vectors of different elements",
        )?;
        let Some(id) = mask.as_const() else {
            return Err("the mask is no constant");
        };
        let (mask_type, view) = self.function.constant(id);
        require(
            self.lanes(mask_type) == Some(lanes),
            "the mask is not as long as the result",
        )?;
        let ConstView::Vector(entries) = view else {
            return Ok(());
        };
        let in_range = entries.iter().all(|entry| {
            entry
                .as_imm()
                .is_none_or(|lane| (0..2 * i64::from(source_lanes)).contains(&lane))
        });
        require(in_range, "the mask names a lane that does not exist")
    }

    fn reduction_rules(&self, data: &InstData) -> Rule {
        let takes_start = matches!(data.op, Opcode::ReduceFadd | Opcode::ReduceFmul);
        let vector = self.operand_type(if takes_start { data.b } else { data.a })?;
        let is_vector_of_it = self.lanes(vector).is_some() && self.function.types.scalar(vector) == data.ty;
        require(is_vector_of_it, "the operand is no vector of the type")?;
        let wants_float = (Opcode::ReduceFmin as u8..=Opcode::ReduceFmul as u8).contains(&(data.op as u8));
        require(
            is_float(self.scalar(data.ty)) == wants_float,
            "a reduction of the wrong kind of type",
        )
    }

    /// Other address spaces have accesses of their own.
    fn plain_access(&self, data: &InstData, pointer: Operand) -> Rule {
        let ordering = MemFlags(data.flags).ordering();
        require(ordering == Ordering::NotAtomic, "an ordering")?;
        let ty = self.function.operand_type(pointer).unwrap_or(Type::PTR);
        let is_elsewhere = matches!(self.function.types.data(ty), TypeData::Ptr(1..));
        require(!is_elsewhere, "a pointer into another address space")
    }

    fn atomic_rules(&self, data: &InstData) -> Rule {
        use Ordering as Order;
        let flags = MemFlags(data.flags);
        let ordering = flags.ordering();
        let allowed: &[Ordering] = match data.op {
            Opcode::AtomicLoad => &[
                Order::Unordered,
                Order::Monotonic,
                Order::Acquire,
                Order::SequentiallyConsistent,
            ],
            Opcode::AtomicStore => &[
                Order::Unordered,
                Order::Monotonic,
                Order::Release,
                Order::SequentiallyConsistent,
            ],
            Opcode::Fence => &[
                Order::Acquire,
                Order::Release,
                Order::AcquireRelease,
                Order::SequentiallyConsistent,
            ],
            _ => &[
                Order::Monotonic,
                Order::Acquire,
                Order::Release,
                Order::AcquireRelease,
                Order::SequentiallyConsistent,
            ],
        };
        require(
            allowed.contains(&ordering),
            "an ordering that the instruction cannot have",
        )?;
        if data.op == Opcode::Fence {
            return Ok(());
        }
        let bits = self.function.types.bits(data.ty, self.module.data_layout.pointer_bits);
        require(bits.is_power_of_two() && bits >= 8, "not a power of two of bytes wide")?;
        if data.op != Opcode::AtomicRmw {
            return Ok(());
        }
        let Some(op) = flags.rmw() else {
            return Err("an operation that does not exist");
        };
        let wants_float = matches!(
            op,
            RmwOp::Fadd | RmwOp::Fsub | RmwOp::Fmax | RmwOp::Fmin | RmwOp::Fmaximum | RmwOp::Fminimum
        );
        let fits = op == RmwOp::Xchg || is_float(self.scalar(data.ty)) == wants_float;
        require(fits, "an operation that the type does not have")
    }
}
