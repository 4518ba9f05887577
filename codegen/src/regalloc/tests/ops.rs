//! A made-up target: one operation for each habit that the allocator must know.

use crate::desc::{Addressing, ClassDesc, ElfDesc, OpDesc, Role, TargetDesc};
use crate::reg::{PRegSet, Reg};
use frazil_ir::module::ModuleFlags;

macro_rules! ops {
    ($($name:ident $roles:expr, $desc:expr;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "names of rows")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Op { $($name,)* }
        pub(crate) static OPS: &[OpDesc] = &[$(OpDesc { roles: $roles, ..$desc },)*];
    };
}

const fn plain(name: &'static str) -> OpDesc {
    OpDesc::plain(name)
}

const fn forms(name: &'static str, first: Option<Op>, second: Option<Op>) -> OpDesc {
    let mut desc = OpDesc::plain(name);
    if let Some(op) = first {
        desc.memory_forms[0] = Some(op as u16);
    }
    if let Some(op) = second {
        desc.memory_forms[1] = Some(op as u16);
    }
    desc
}

const fn third_form(name: &'static str, third: Op) -> OpDesc {
    let mut desc = OpDesc::plain(name);
    desc.memory_forms[2] = Some(third as u16);
    desc
}

use Role::{Base, Def, Index, Use, UseDef};
const NO: Role = Role::None;

pub(crate) const P0: Reg = Reg::physical(0, 0);
pub(crate) const P1: Reg = Reg::physical(0, 1);

ops! {
    Const [Def, NO, NO, NO], OpDesc { is_rematerializable: true, ..plain("const") };
    Move [Def, Use, NO, NO], OpDesc { is_move: true, ..forms("move", Some(Op::MoveToMem), Some(Op::MoveFromMem)) };
    MoveToMem [Use, Base, Index, NO], plain("move-to-mem");
    MoveFromMem [Def, Base, Index, NO], plain("move-from-mem");
    Three [Def, Use, Use, NO], plain("three");
    Two [UseDef, Use, NO, NO], forms("two", Some(Op::TwoToMem), Some(Op::TwoFromMem));
    TwoToMem [Use, Base, Index, NO], plain("two-to-mem");
    TwoFromMem [UseDef, Base, Index, NO], plain("two-from-mem");
    Fuse [UseDef, Use, Use, NO], third_form("fuse", Op::FuseFromMem);
    FuseFromMem [UseDef, Base, Index, Use], plain("fuse-from-mem");
    One [UseDef, NO, NO, NO], forms("one", Some(Op::OneMem), None);
    OneMem [NO, Base, Index, NO], plain("one-mem");
    Load [Def, Base, Index, NO], plain("load");
    Store [Use, Base, Index, NO], plain("store");
    Divide [Use, NO, NO, NO], OpDesc {
        implicit_uses: PRegSet::of(&[P0, P1]),
        implicit_defs: PRegSet::of(&[P0, P1]),
        ..forms("divide", Some(Op::DivideMem), None)
    };
    DivideMem [NO, Base, Index, NO], plain("divide-mem");
    Shift [UseDef, NO, NO, NO], OpDesc { implicit_uses: PRegSet::of(&[P1]), ..plain("shift") };
    Swap [UseDef, UseDef, NO, NO], plain("swap");
    Branch [Use, Use, NO, NO], plain("branch");
    Call [NO, NO, NO, NO], plain("call").with_sets();
    CallReg [Use, NO, NO, NO], plain("call-reg").with_sets();
    FloatMove [Def, Use, NO, NO], OpDesc { is_move: true, names_upper: true, ..plain("float-move") };
    Float [Def, Use, Use, NO], OpDesc { names_upper: true, ..plain("float") };
    ToFloat [Def, Use, NO, NO], plain("to-float");
    ToInt [Def, Use, NO, NO], plain("to-int");
}

/// The integer and float registers that calls preserve.
pub(crate) const SAVED: PRegSet = PRegSet::from_banks(0b1100_1000, 0b1000);

pub(crate) static DESC: TargetDesc = TargetDesc {
    name: "made-up",
    assembler_options: &[],
    regs: &[],
    relocs: &[],
    fixups: &[],
    classes: [
        ClassDesc {
            allocatable: PRegSet::from_banks(0xff, 0),
            scratch: Reg::physical(0, 60),
            bytes: 8,
        },
        ClassDesc {
            allocatable: PRegSet::from_banks(0, 0xf),
            scratch: Reg::physical(1, 60),
            bytes: 8,
        },
    ],
    masks: None,
    vector_bytes: 0,
    passed_vector_bytes: 0,
    home_registers: PRegSet::EMPTY,
    rule_registers: PRegSet::EMPTY,
    spare_registers: PRegSet::EMPTY,
    joins_comparisons: false,
    misprediction_cycles: 0,
    upper_registers: PRegSet::EMPTY,
    byte_registers: PRegSet::EMPTY,
    frame_pointer: Reg::physical(0, 62),
    stack_pointer: Reg::physical(0, 61),
    exception_registers: None,
    pushes_saved_registers: false,
    pushes_arguments: false,
    frame_pointer_is_optional: false,
    keeps_stack_aligned: false,
    link_register: None,
    protects_returns: false,
    moves_whole_registers: false,
    return_address_bytes: 0,
    guarded_systems: &[],
    red_zone_bytes: 0,
    patched_jump_bytes: 4,
    incoming_args_offset: 0,
    pointer_bytes: 8,
    features: &crate::features::FeatureTable::EMPTY,
    code_models: &[ModuleFlags::SMALL],
    addressing: Addressing {
        index_scales: 0,
        min_disp: 0,
        max_disp: 0,
        free_disps: None,
        index_with_disp: true,
        symbol_base: false,
    },
    free_immediates: None,
    register_stack: None,
    function_align_log2: 4,
    loop_line_log2: 0,
    constant_align_bytes: 8,
    elf: ElfDesc {
        machine: 0,
        is_64: true,
        little_endian: true,
        flags: 0,
        addends_in_fields: false,
        has_far_exception_tables: false,
        unwind_section_type: None,
        far_sections: None,
        abs64: None,
        abs32: None,
        abs16: None,
        abs8: None,
        plt32: None,
        pc32: None,
        pc64: None,
        thread_offset: None,
        return_address_column: 0,
        code_align: 1,
        data_align: 1,
        initial_unwind: &[],
        filler: 0,
        protection_note: None,
        no_operation: &[],
    },
};
