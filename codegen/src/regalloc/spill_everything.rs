//! The simplest allocator: every virtual register has a slot, and registers only within one instruction.

use super::*;
/// Temporary.
#[derive(Debug, Default)]
pub struct RegAllocState;

/// Temporary: everything in slots.
pub fn allocate(
    func: &crate::mfunc::MFunc,
    input: &AllocatorInput<'_>,
    _state: &mut RegAllocState,
    out: &mut Allocation,
) -> Result<(), crate::error::CodegenError> {
    use crate::desc::Role;
    use crate::mfunc::{for_each_register, op_desc};
    out.regs.resize(func.insts.len(), [NO_REG; 3]);
    for vreg in &func.vregs {
        out.slots.push(vreg.bytes.max(4));
    }
    let slot = |reg: Reg| Place::Slot(SpillSlot(reg.virtual_index() as u32));
    // live fixed before each inst
    let mut live_in = vec![PRegSet::EMPTY; func.insts.len() + 1];
    for block in &func.blocks {
        let mut live = PRegSet::EMPTY;
        for i in (block.start..block.end).rev() {
            let inst = &func.insts[i as usize];
            let desc = op_desc(input.ops, inst.op);
            let sets = func.implicit(inst, desc);
            let mut defs = sets.defs;
            let mut uses = sets.uses;
            for_each_register(inst, desc, |_, reg, role| {
                if reg.is_physical() {
                    if matches!(role, Role::Def | Role::UseDef) {
                        defs.insert(reg);
                    }
                    if role != Role::Def {
                        uses.insert(reg);
                    }
                }
            });
            live_in[i as usize] = live.union(uses).union(defs);
            live = live.minus(defs).union(uses);
        }
    }
    let mut i = 0u32;
    let n = func.insts.len() as u32;
    let mut g = 0;
    while i < n {
        let (start, end) = if g < func.groups.len() && func.groups[g].start == i {
            g += 1;
            (i, func.groups[g - 1].end)
        } else {
            (i, i + 1)
        };
        let mut busy = PRegSet::EMPTY;
        for j in start..end {
            busy = busy.union(live_in[j as usize]);
        }
        let mut map: Vec<(Reg, Reg, bool, bool)> = vec![];
        for j in start..end {
            let inst = &func.insts[j as usize];
            let desc = op_desc(input.ops, inst.op);
            for_each_register(inst, desc, |k, reg, role| {
                if reg.is_virtual() {
                    let use_ = role != Role::Def;
                    let def = matches!(role, Role::Def | Role::UseDef);
                    let entry = match map.iter_mut().find(|e| e.0 == reg) {
                        Some(e) => {
                            if use_ && !e.2 && !e.3 {
                                e.2 = true;
                            }
                            e.3 |= def;
                            *e
                        }
                        None => {
                            let class = func.vreg(reg).class as usize;
                            let free = input.allocatable.minus(busy).bank(class);
                            assert!(free != 0, "no register");
                            let p = Reg::physical(class as u8, free.trailing_zeros() as u8);
                            busy.insert(p);
                            out.written.insert(p);
                            map.push((reg, p, use_, def));
                            (reg, p, use_, def)
                        }
                    };
                    out.regs[j as usize][k] = entry.1.0 as u8;
                }
            });
        }
        for &(v, p, use_, _) in &map {
            if use_ {
                out.edits.push(Edit {
                    point: start * 2,
                    action: AllocMove {
                        vreg: v,
                        source: MoveSource::Place(slot(v)),
                        dest: Place::Reg(p),
                    },
                });
            }
        }
        for &(v, p, _, def) in &map {
            if def {
                out.edits.push(Edit {
                    point: end * 2 - 1,
                    action: AllocMove {
                        vreg: v,
                        source: MoveSource::Place(Place::Reg(p)),
                        dest: slot(v),
                    },
                });
            }
        }
        i = end;
    }
    for (e, _) in func.edges.iter().enumerate() {
        for m in func.moves_of(e) {
            let source = if func.vreg(m.src).constant.is_some() {
                MoveSource::Rematerialize(m.src)
            } else {
                MoveSource::Place(slot(m.src))
            };
            out.edge_moves.push(EdgeMove {
                edge: e as u32,
                action: AllocMove {
                    vreg: m.dst,
                    source,
                    dest: slot(m.dst),
                },
            });
        }
    }
    Ok(())
}
