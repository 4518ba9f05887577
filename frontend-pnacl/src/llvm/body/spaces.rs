//! Plain loads and stores in address spaces other than 0.
//!
//! What stands there need not be memory as other instructions know it, so such accesses have opcodes that no pass takes
//! for a load or store. Their pointers always carry their type, which tells the space.

use super::{alignment, stored_alignment};
use crate::builder::class::Class;
use crate::builder::values::Builder;
use crate::builder::word::Word;
use crate::error::ReadError;
use crate::llvm::body::context::Body;
use crate::llvm::types::TypeId;
use frazil_ir::{InstData, MemFlags, Opcode, Operand, Refusal, Type};

impl Builder<'_, '_> {
    /// The address of an access; in another space than 0, with its type.
    pub(in crate::llvm) fn typed_space(&mut self, address: Word) -> Operand {
        if address.ir_type() == Type::PTR {
            address.operand()
        } else {
            self.typed(address)
        }
    }
}

/// Appends a load; `align` is the field of the record.
#[cold]
pub(super) fn load(
    body: &mut Body<'_, '_>,
    address: Word,
    ty: TypeId,
    align: u64,
    volatile: bool,
) -> Result<(), ReadError> {
    let align_log2 = alignment(&body.build, align, ty)?;
    let Class::Scalar(ir_type) = body.build.class(ty)? else {
        return Err(body
            .build
            .unsupported(Refusal::AddressSpace, "a load of an aggregate in another address space"));
    };
    let flags = MemFlags::aligned(align_log2).with_volatile(volatile).0;
    let pointer = body.build.typed(address);
    let data = InstData::new(Opcode::SpaceLoad, ir_type, flags, pointer, Operand::NONE);
    body.build.define(data, ir_type, ty)
}

/// Appends a store; `align` is the field of the record.
#[cold]
pub(super) fn store(
    body: &mut Body<'_, '_>,
    address: Word,
    value: Word,
    align: u64,
    volatile: bool,
) -> Result<(), ReadError> {
    let build = &mut body.build;
    let align_log2 = stored_alignment(build, align, value)?;
    if !value.is_operand() {
        return Err(build.unsupported(
            Refusal::AddressSpace,
            "a store of an aggregate in another address space",
        ));
    }
    let flags = MemFlags::aligned(align_log2).with_volatile(volatile).0;
    let pointer = build.typed(address);
    let data = InstData::new(Opcode::SpaceStore, value.ir_type(), flags, value.operand(), pointer);
    build.function.push_inst(data);
    Ok(())
}
