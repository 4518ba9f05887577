//! Hand-written allocations of small functions: the right ones pass, each fault is named.

use super::*;
use crate::desc::{Addressing, ClassDesc, ElfDesc, OpDesc, RegDesc, Role, SLOTS, TargetDesc, before_immediate};
use crate::mfunc::{INCOMING, MBlock, MEdge, PhiMove, RegSets, Term, pseudo};
use crate::minst::{MInst, Mem};
use crate::reg::{PRegSet, Reg, RegClass};
use crate::regalloc::{
    AllocMove, AllocatorOptions, EdgeMove, Edit, MemoryOperand, MoveSource, NO_REG, RegOrSlot, SlotData, SpillSlot,
};
use frazil_ir::module::ModuleFlags;

const A: Reg = Reg::physical(0, 0);
const B: Reg = Reg::physical(0, 1);
const C: Reg = Reg::physical(0, 2);
const SCRATCH: Reg = Reg::physical(0, 3);
const FLOAT: Reg = Reg::physical(1, 0);
const NONE: Reg = Reg::NONE;

static REGS: [RegDesc; 5] = [
    register(A, "a"),
    register(B, "b"),
    register(C, "c"),
    register(SCRATCH, "s"),
    register(FLOAT, "f"),
];

const fn register(reg: Reg, name: &'static str) -> RegDesc {
    RegDesc { reg, name, dwarf: 0 }
}

static TARGET: TargetDesc = TargetDesc {
    name: "test",
    assembler_options: &[],
    regs: &REGS,
    relocs: &[],
    fixups: &[],
    classes: [
        ClassDesc {
            allocatable: PRegSet::of(&[A, B, C]),
            scratch: SCRATCH,
            bytes: 8,
        },
        ClassDesc {
            allocatable: PRegSet::of(&[FLOAT]),
            scratch: FLOAT,
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
    frame_pointer: SCRATCH,
    stack_pointer: SCRATCH,
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
    function_align_log2: 0,
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

const fn row(name: &'static str, roles: [Role; 3]) -> OpDesc {
    OpDesc {
        roles: before_immediate(roles, Role::None),
        ..OpDesc::plain(name)
    }
}

const ADD: u16 = 0;
const MOV: u16 = 1;
const LI: u16 = 2;
const CALL: u16 = 3;
const CMP: u16 = 4;
const BRANCH: u16 = 5;
const ADD_MEMORY: u16 = 6;
const NEG: u16 = 7;
const RELOAD: u16 = 8;
const STORE: u16 = 9;

static OPS: [OpDesc; 10] = [
    OpDesc {
        memory_forms: [None, Some(ADD_MEMORY), None],
        ..row("add", [Role::Def, Role::Use, Role::Use])
    },
    OpDesc {
        is_move: true,
        ..row("mov", [Role::Def, Role::Use, Role::None])
    },
    OpDesc {
        is_rematerializable: true,
        ..row("li", [Role::Def, Role::None, Role::None])
    },
    OpDesc {
        writes_flags: true,
        ..row("call", [Role::None; 3]).with_sets()
    },
    OpDesc {
        writes_flags: true,
        ..row("cmp", [Role::Use, Role::Use, Role::None])
    },
    OpDesc {
        reads_flags: true,
        ..row("branch", [Role::None; 3])
    },
    row("add-memory", [Role::Def, Role::Base, Role::Index]),
    row("neg", [Role::UseDef, Role::None, Role::None]),
    OpDesc {
        reads_memory: true,
        reload_bytes: Some(0),
        ..row("reload", [Role::Def, Role::Base, Role::Index])
    },
    OpDesc {
        writes_memory: true,
        ..row("store", [Role::Use, Role::Base, Role::Index])
    },
];

fn inst(op: u16, regs: &[Reg]) -> MInst {
    let mut all = [Reg::NONE; 3];
    all[..regs.len()].copy_from_slice(regs);
    MInst::new(op, 8).with_regs(all)
}

fn v(number: u32) -> Reg {
    Reg::virtual_number(number)
}

/// A function made of blocks, each with its instructions, its end and its successors.
fn function(vregs: usize, blocks: &[(&[MInst], Term, &[u32])]) -> MFunc {
    let mut func = MFunc::default();
    for _ in 0..vregs {
        func.new_vreg(RegClass::Int, 8, u32::MAX);
    }
    for (number, (insts, term, successors)) in blocks.iter().enumerate() {
        let (start, first_edge) = (func.insts.len() as u32, func.edges.len() as u32);
        func.insts.extend_from_slice(insts);
        func.blocks.push(MBlock {
            start,
            end: func.insts.len() as u32,
            first_edge,
            edge_count: successors.len() as u32,
            term: *term,
            loop_depth: 0,
            loop_end: number as u32 + 1,
            source: number as u32,
        });
        for &to in *successors {
            func.edges.push(MEdge {
                from: number as u32,
                to,
                label: None,
                first_move: 0,
                move_count: 0,
            });
        }
    }
    func
}

/// Gives registers to the virtual register operands, one list for each instruction.
fn registers(func: &MFunc, lists: &[&[Reg]]) -> Allocation {
    let mut allocation = Allocation {
        slots: vec![SlotData::of_bytes(8); 2],
        ..Allocation::default()
    };
    assert_eq!(lists.len(), func.insts.len());
    for list in lists {
        let mut regs = [NO_REG; SLOTS];
        for (place, reg) in regs.iter_mut().zip(*list) {
            if !reg.is_none() {
                *place = reg.0 as u8;
            }
        }
        allocation.regs.push(regs);
    }
    allocation
}

fn check(func: &MFunc, allocation: &Allocation) -> Result<(), String> {
    check_with_upper(func, allocation, PRegSet::EMPTY)
}

/// The same where only some instructions can name some registers.
fn check_with_upper(func: &MFunc, allocation: &Allocation, upper: PRegSet) -> Result<(), String> {
    let options = AllocatorOptions::default();
    let input = AllocatorInput {
        lends_scratch: false,
        desc: &TARGET,
        ops: &OPS,
        allocatable: PRegSet::of(&[A, B, C, FLOAT]),
        upper,
        callee_saved: PRegSet::of(&[C]),
        reuse_slots: true,
        for_size: false,
        options: &options,
    };
    check_allocation(func, &input, allocation).map_err(|error| error.to_string())
}

/// Asserts that an allocation is rejected with this message.
fn rejects(func: &MFunc, allocation: &Allocation, message: &str) {
    assert_eq!(check(func, allocation), Err(message.to_owned()));
}

fn slot(number: u32) -> RegOrSlot {
    RegOrSlot::Slot(SpillSlot(number))
}

fn carry(vreg: Reg, source: RegOrSlot, dest: RegOrSlot) -> AllocMove {
    AllocMove {
        vreg,
        source: MoveSource::Kept(source),
        dest,
    }
}

/// Three constants, of which the first is live across the definitions of the others.
fn straight() -> MFunc {
    let code = [
        inst(LI, &[v(0)]),
        inst(LI, &[v(1)]),
        inst(ADD, &[v(2), v(0), v(1)]),
        inst(ADD, &[v(2), v(2), v(0)]),
    ];
    function(3, &[(&code, Term::Stop, &[])])
}

#[test]
fn values_stay_where_they_are_used() {
    let func = straight();
    let good = registers(&func, &[&[A], &[B], &[B, A, B], &[A, B, A]]);
    assert_eq!(check(&func, &good), Ok(()));
    let mut swapped = good.clone();
    swapped.regs[2][1] = B.0 as u8;
    rejects(
        &func,
        &swapped,
        "block 0, `2: add v2,v0,v1`, operand 1: expects v0 in b, which holds v1",
    );
    let overwritten = registers(&func, &[&[A], &[A], &[B, A, A], &[A, B, A]]);
    rejects(
        &func,
        &overwritten,
        "block 0, `2: add v2,v0,v1`, operand 1: expects v0 in a, which holds v1",
    );
}

#[test]
fn classes_allocatable_registers_and_saved_registers_are_obeyed() {
    let func = straight();
    let mut allocation = registers(&func, &[&[A], &[B], &[B, A, B], &[A, B, A]]);
    allocation.regs[0][0] = FLOAT.0 as u8;
    rejects(
        &func,
        &allocation,
        "block 0, `0: li v0`, operand 0: is in a register of another class",
    );
    allocation.regs[0][0] = SCRATCH.0 as u8;
    rejects(
        &func,
        &allocation,
        "block 0, `0: li v0`, operand 0: is in a register that may not be allocated",
    );
    allocation.regs[0][0] = A.0 as u8;
    assert_eq!(
        check_with_upper(&func, &allocation, PRegSet::of(&[B])),
        Err("block 0, `1: li v1`, operand 0: is in a register that the instruction cannot name".to_owned())
    );
    allocation.regs[0][0] = NO_REG;
    rejects(&func, &allocation, "block 0, `0: li v0`, operand 0: has no register");
    let mut allocation = registers(&func, &[&[C], &[B], &[B, C, B], &[A, B, C]]);
    rejects(
        &func,
        &allocation,
        "block 0, `0: li v0`: a register that must be saved is written, but not said to be",
    );
    allocation.written.insert(C);
    assert_eq!(check(&func, &allocation), Ok(()));
}

#[test]
fn spills_and_reloads_carry_values_through_slots() {
    let func = straight();
    let spilled = |store: u32, load: u32| {
        let mut allocation = registers(&func, &[&[A], &[A], &[B, B, A], &[A, B, A]]);
        allocation.edits = vec![
            Edit {
                point: Edit::after(0),
                action: carry(v(0), RegOrSlot::Reg(A), slot(store)),
            },
            Edit {
                point: Edit::before(2),
                action: carry(v(0), slot(load), RegOrSlot::Reg(B)),
            },
            Edit {
                point: Edit::before(3),
                action: carry(v(0), slot(load), RegOrSlot::Reg(A)),
            },
        ];
        allocation
    };
    let good = spilled(1, 1);
    assert_eq!(check(&func, &good), Ok(()));
    let lost = "block 0, `2: add v2,v0,v1`, operand 1: expects v0 in b, which holds nothing known";
    rejects(&func, &spilled(0, 1), lost);
    let mut small = good.clone();
    small.slots[1].bytes = 4;
    rejects(
        &func,
        &small,
        "block 0, `0: li v0`: a move of v0 is in a slot that is too small",
    );
    let mut dropped = good.clone();
    dropped.edits.remove(2);
    rejects(
        &func,
        &dropped,
        "block 0, `3: add v2,v2,v0`, operand 2: expects v0 in a, which holds v1",
    );
    // Computing it anew serves as well, but not something that is no constant.
    let mut remade = good;
    remade.edits.remove(0);
    for edit in &mut remade.edits {
        edit.action.source = MoveSource::Rematerialize(v(0));
    }
    assert_eq!(check(&func, &remade), Ok(()));
    remade.edits[1].action.source = MoveSource::Rematerialize(v(2));
    rejects(
        &func,
        &remade,
        "block 0, `3: add v2,v2,v0`: computes a virtual register anew that no single instruction makes anywhere",
    );
}

#[test]
fn moves_at_one_point_happen_at_once() {
    let func = straight();
    let mut allocation = registers(&func, &[&[A], &[B], &[C, B, A], &[A, C, B]]);
    allocation.written.insert(C);
    allocation.edits = [(v(0), A, B), (v(1), B, A)]
        .map(|(vreg, from, to)| Edit {
            point: Edit::before(2),
            action: carry(vreg, RegOrSlot::Reg(from), RegOrSlot::Reg(to)),
        })
        .to_vec();
    assert_eq!(check(&func, &allocation), Ok(()));
    allocation.edits[1].action.dest = RegOrSlot::Reg(B);
    rejects(
        &func,
        &allocation,
        "block 0, `2: add v2,v0,v1`: two moves at one point write the same place",
    );
}

#[test]
fn memory_operands_need_a_form_and_the_value() {
    let func = straight();
    let mut allocation = registers(&func, &[&[A], &[B], &[B, NONE, B], &[A, B, A]]);
    allocation.edits.push(Edit {
        point: Edit::after(0),
        action: carry(v(0), RegOrSlot::Reg(A), slot(0)),
    });
    let in_slot = |operand, number| MemoryOperand {
        inst: 2,
        operand,
        slot: SpillSlot(number),
    };
    allocation.memory_operands = vec![in_slot(1, 0)];
    assert_eq!(check(&func, &allocation), Ok(()));
    allocation.memory_operands = vec![in_slot(1, 1)];
    let lost = "block 0, `2: add v2,v0,v1`, operand 1: expects v0 in slot 1, which holds nothing known";
    rejects(&func, &allocation, lost);
    let mut narrow = straight();
    narrow.vregs[0].bytes = 4;
    allocation.memory_operands = vec![in_slot(1, 0)];
    let wide = "block 0, `2: add v2,v0,v1`, operand 1: is in memory, of which the instruction reads more than the register has";
    rejects(&narrow, &allocation, wide);
    let mut allocation = registers(&func, &[&[A], &[B], &[B, A], &[A, B, A]]);
    allocation.memory_operands = vec![in_slot(2, 0)];
    let formless = "block 0, `2: add v2,v0,v1`, operand 2: is in memory, for which the instruction has no form";
    rejects(&func, &allocation, formless);
}

#[test]
fn arguments_are_in_their_homes_as_long_as_nothing_writes_there() {
    let access = |op: u16, reg: Reg, place: i32| inst(op, &[reg]).with_mem(Mem::base(Reg::FRAME, INCOMING + place));
    let code = [
        access(RELOAD, v(0), 16),
        inst(LI, &[v(1)]),
        inst(ADD, &[v(2), v(0), v(1)]),
        access(STORE, v(2), 24),
    ];
    let mut func = function(3, &[(&code, Term::Stop, &[])]);
    func.argument_places = vec![(INCOMING + 16, 8), (INCOMING + 8, 8)];
    let mut good = registers(&func, &[&[A], &[A], &[B, NONE, A], &[B]]);
    good.slots[1].home = Some(INCOMING + 16);
    good.memory_operands.push(MemoryOperand {
        inst: 2,
        operand: 1,
        slot: SpillSlot(1),
    });
    assert_eq!(check(&func, &good), Ok(()));
    let mut unloaded = good.clone();
    unloaded.deleted.push(0);
    assert_eq!(check(&func, &unloaded), Ok(()));
    let mut elsewhere = unloaded.clone();
    elsewhere.slots[1].home = Some(INCOMING + 8);
    let lost = "block 0, `2: add v2,v0,v1`, operand 1: expects v0 in slot 1, which holds nothing known";
    rejects(&func, &elsewhere, lost);
    let mut too_wide = func.clone();
    too_wide.insts[0].size = 4;
    rejects(&too_wide, &unloaded, lost);
    elsewhere.slots[1].home = Some(INCOMING + 12);
    let message = "block 0, `0: reload v0 [1073741840, 0]`, operand 0: a slot is at the place of no argument";
    rejects(&func, &elsewhere, message);
    let mut stored = good.clone();
    stored.edits.push(Edit {
        point: Edit::after(0),
        action: carry(v(0), RegOrSlot::Reg(A), slot(1)),
    });
    let message = "block 0, `0: reload v0 [1073741840, 0]`: stores to the place of an argument";
    rejects(&func, &stored, message);
    // A tail call's argument, or the address of something that is copied there.
    let mut overwritten = func.clone();
    overwritten.insts[3].disp = INCOMING + 20;
    let message = "block 0, `0: reload v0 [1073741840, 0]`, operand 0: the place of an argument serves as a slot, but may be written";
    rejects(&overwritten, &good, message);
}

#[test]
fn nothing_stands_before_the_arguments() {
    let entry = MInst::new(pseudo::ENTRY, 0);
    let code = [entry, inst(MOV, &[v(0), A]), inst(ADD, &[v(1), v(0), v(0)])];
    let mut func = function(2, &[(&code, Term::Stop, &[])]);
    func.sets.push(RegSets::new(PRegSet::EMPTY, PRegSet::of(&[A, B])));
    let lists: [&[Reg]; 3] = [&[], &[C, NONE], &[B, C, C]];
    let mut allocation = registers(&func, &lists);
    allocation.written = PRegSet::of(&[B, C]);
    assert_eq!(check(&func, &allocation), Ok(()));
    let moved_at = |point: u32| {
        let mut moved = allocation.clone();
        moved.edits.push(Edit {
            point,
            action: carry(v(0), RegOrSlot::Reg(B), RegOrSlot::Reg(A)),
        });
        check(&func, &moved).unwrap_err()
    };
    let misplaced = moved_at(Edit::before(0));
    assert!(misplaced.contains("before the entry"), "{misplaced}");
    let overwritten = moved_at(Edit::after(0));
    assert!(overwritten.contains("`1: mov"), "{overwritten}");
}

#[test]
fn calls_overwrite_and_fixed_registers_keep_their_contents() {
    let call = inst(CALL, &[]).with_imm(0);
    let code = [
        inst(LI, &[v(0)]),
        inst(LI, &[v(1)]),
        inst(MOV, &[A, v(1)]),
        call,
        inst(MOV, &[v(2), A]),
        inst(ADD, &[v(2), v(2), v(0)]),
    ];
    let mut func = function(3, &[(&code, Term::Stop, &[])]);
    func.sets.push(RegSets::new(PRegSet::of(&[A]), PRegSet::of(&[A, B])));
    let allocate = |kept: Reg, other: Reg| {
        let lists: [&[Reg]; 6] = [&[kept], &[other], &[NONE, other], &[], &[A], &[A, A, kept]];
        let mut allocation = registers(&func, &lists);
        allocation.written = PRegSet::of(&[C]);
        allocation
    };
    assert_eq!(check(&func, &allocate(C, A)), Ok(()));
    let clobbered = "block 0, `5: add v2,v2,v0`, operand 2: expects v0 in b, which holds what the function put into b";
    rejects(&func, &allocate(B, A), clobbered);
    // A reload into the argument's register between its move and the call.
    let mut overwritten = allocate(C, B);
    overwritten.edits.push(Edit {
        point: Edit::after(2),
        action: carry(v(0), RegOrSlot::Reg(C), RegOrSlot::Reg(A)),
    });
    rejects(
        &func,
        &overwritten,
        "block 0, `3: call`: expects what the function put into a in a, which holds v0",
    );
}

/// A loop whose two phis exchange their values.
fn swapping_loop() -> MFunc {
    let mut func = function(
        4,
        &[
            (&[inst(LI, &[v(0)]), inst(LI, &[v(1)])], Term::Jump, &[1]),
            (
                &[inst(CMP, &[v(2), v(3)]), inst(BRANCH, &[])],
                Term::Branch(None),
                &[1, 2],
            ),
            (&[inst(ADD, &[v(2), v(2), v(3)])], Term::Stop, &[]),
        ],
    );
    let moves = [(v(2), v(0)), (v(3), v(1)), (v(2), v(3)), (v(3), v(2))];
    func.phi_moves = moves.map(|(dst, src)| PhiMove { dst, src }).to_vec();
    func.edges[0].move_count = 2;
    func.edges[1].first_move = 2;
    func.edges[1].move_count = 2;
    func
}

#[test]
fn phis_get_their_values_on_edges_all_at_once() {
    let func = swapping_loop();
    // On the first edge nothing moves: the phis are where the constants are.
    let mut allocation = registers(&func, &[&[A], &[B], &[A, B], &[], &[A, A, B]]);
    let edge_move = |edge, vreg, from, to| EdgeMove {
        edge,
        action: carry(vreg, RegOrSlot::Reg(from), RegOrSlot::Reg(to)),
    };
    allocation.edge_moves = vec![edge_move(1, v(2), B, A), edge_move(1, v(3), A, B)];
    assert_eq!(check(&func, &allocation), Ok(()));
    allocation.edge_moves.pop();
    // The second phi would be the second constant, which the first iteration left in that register.
    let lost =
        "block 2, `4: add v2,v2,v3`, operand 2: expects v3 (there v0) in b, which holds v1 at the end of block 0";
    rejects(&func, &allocation, lost);
    allocation.edge_moves.clear();
    assert!(check(&func, &allocation).is_err());
}

#[test]
fn a_name_defined_anew_is_gone_elsewhere() {
    let code = [
        inst(LI, &[v(0)]),
        inst(MOV, &[v(1), v(0)]),
        inst(NEG, &[v(0)]),
        inst(ADD, &[v(2), v(0), v(1)]),
    ];
    let func = function(3, &[(&code, Term::Stop, &[])]);
    let good = registers(&func, &[&[A], &[B, A], &[A], &[A, A, B]]);
    assert_eq!(check(&func, &good), Ok(()));
    // The copy holds the old value.
    let stale = registers(&func, &[&[A], &[B, A], &[A], &[A, B, B]]);
    rejects(
        &func,
        &stale,
        "block 0, `3: add v2,v0,v1`, operand 1: expects v0 in b, which holds v1",
    );
    // Both share a register, and one of them is changed.
    let shared = registers(&func, &[&[A], &[A, A], &[A], &[A, A, A]]);
    rejects(
        &func,
        &shared,
        "block 0, `3: add v2,v0,v1`, operand 2: expects v1 in a, which holds v0",
    );
}

#[test]
fn copies_may_share_a_place_or_be_deleted() {
    let code = [
        inst(LI, &[v(0)]),
        inst(MOV, &[v(1), v(0)]),
        inst(ADD, &[v(2), v(0), v(1)]),
    ];
    let func = function(3, &[(&code, Term::Stop, &[])]);
    let mut allocation = registers(&func, &[&[A], &[A, A], &[A, A, A]]);
    assert_eq!(check(&func, &allocation), Ok(()));
    allocation.deleted.push(1);
    assert_eq!(check(&func, &allocation), Ok(()));
    allocation.regs[2] = [A.0 as u8, A.0 as u8, B.0 as u8, NO_REG];
    assert!(check(&func, &allocation).is_err());
    allocation.deleted = vec![2];
    allocation.regs[2] = [A.0 as u8, A.0 as u8, A.0 as u8, NO_REG];
    assert_eq!(check(&func, &allocation), Ok(()), "nobody needs v2");
}

#[test]
fn groups_are_one_instruction() {
    let code = [
        inst(LI, &[v(0)]),
        inst(LI, &[v(1)]),
        inst(pseudo::LABEL, &[]),
        inst(ADD, &[v(2), v(0), v(1)]),
        inst(ADD, &[v(2), v(2), v(1)]),
    ];
    let mut func = function(3, &[(&code, Term::Stop, &[])]);
    func.groups.push(2..5);
    let mut good = registers(&func, &[&[A], &[B], &[], &[C, A, B], &[C, C, B]]);
    good.written.insert(C);
    assert_eq!(check(&func, &good), Ok(()));
    let early = registers(&func, &[&[A], &[B], &[], &[A, A, B], &[A, A, B]]);
    rejects(
        &func,
        &early,
        "block 0, `3: add v2,v0,v1`, operand 0: shares a register with something else that its group uses or defines",
    );
    good.edits.push(Edit {
        point: Edit::after(3),
        action: carry(v(0), RegOrSlot::Reg(A), slot(0)),
    });
    assert!(
        check(&func, &good)
            .expect_err("inside")
            .contains("an edit stands inside a group")
    );
}

#[test]
fn flags_and_branches_stand_together() {
    let func = swapping_loop();
    let mut allocation = registers(&func, &[&[A], &[B], &[A, B], &[], &[A, A, B]]);
    let action = carry(v(2), RegOrSlot::Reg(A), slot(0));
    allocation.edits.push(Edit {
        point: Edit::after(3),
        action,
    });
    rejects(
        &func,
        &allocation,
        "block 1, `3: branch`: an edit stands before the entry's arguments, or after the branches of its block",
    );
}
