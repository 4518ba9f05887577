//! The description of 32-bit x86, as far as it is different from that of 64-bit code.
//!
//! Eight general registers, of which four have bytes that can be named; every argument is on the stack, and relocations
//! keep their addends in the fields that they change.

use crate::regs::*;
use crate::relocs::in_32_bits;
use frazil_codegen::{ClassDesc, ElfDesc, PRegSet, TargetDesc, ThreadOffset, UnwindOp};
use frazil_ir::module::ModuleFlags;

/// The description of 32-bit code, given that of 64-bit code.
pub(crate) const fn description(desc: TargetDesc) -> TargetDesc {
    TargetDesc {
        name: "x86_32",
        assembler_options: &[("as", &["--32"]), ("gcc", &["-m32"])],
        regs: &REGS_32,
        relocs: in_32_bits::RELOCS,
        classes: [
            ClassDesc {
                allocatable: PRegSet::of(&[RAX, RCX, RDX, RBX, RSI]),
                scratch: scratch_of(4),
                bytes: 4,
            },
            ClassDesc {
                allocatable: PRegSet::of(&[XMM0, XMM1, XMM2, XMM3, XMM4, XMM5, XMM6]),
                scratch: scratch_float_of(4),
                bytes: VECTOR_BYTES,
            },
        ],
        home_registers: PRegSet::of(&[XMM5, XMM6]),
        upper_registers: PRegSet::EMPTY,
        byte_registers: PRegSet::of(&[RAX, RCX, RDX, RBX]),
        masks: None,
        pushes_arguments: true,
        return_address_bytes: 4,
        red_zone_bytes: 0,
        incoming_args_offset: 8,
        pointer_bytes: 4,
        code_models: &[ModuleFlags::SMALL],
        elf: ElfDesc {
            machine: 3,
            is_64: false,
            addends_in_fields: true,
            unwind_section_type: None,
            far_sections: None,
            abs64: None,
            abs32: Some(in_32_bits::ABS32),
            abs16: Some(in_32_bits::ABS16),
            abs8: Some(in_32_bits::ABS8),
            plt32: Some(in_32_bits::PLT32),
            pc32: Some(in_32_bits::PC32),
            pc64: None,
            thread_offset: Some(ThreadOffset {
                relocation: in_32_bits::TLS_LDO,
                suffix: "@DTPOFF",
            }),
            return_address_column: DWARF_RETURN_ADDRESS_32,
            data_align: -4,
            initial_unwind: &[
                UnwindOp::DefineCfa(4, 4),
                UnwindOp::SavedAt(DWARF_RETURN_ADDRESS_32, -4),
            ],
            ..desc.elf
        },
        ..desc
    }
}
