//! Faults for the validator: wrong changes of a function, as a pass might make them.

use frazil_ir::verify::verify_function;
use frazil_ir::{
    Editor, Effects, EntityRef, FastFlags, Format, Function, Inst, InstData, IntFlags, MemFlags, Module, Opcode,
    Operand,
};
use frazil_test_support::Random;

/// The kinds of faults.
pub const KINDS: [&str; 13] = [
    "another constant",
    "another predicate",
    "a promise added",
    "a freeze dropped",
    "operands swapped",
    "another operation",
    "another extension",
    "alignment raised",
    "accesses swapped",
    "a store dropped",
    "ways swapped",
    "phi columns swapped",
    "another operand",
];

/// The function with a fault of a kind at a random place, its graph computed; `None` without such a place, or if the
/// verifier would find it.
pub fn inject(module: &Module, function: &Function, kind: usize, random: &mut Random) -> Option<Function> {
    let mut places: Vec<usize> = (0..function.insts().len()).collect();
    random.shuffle(&mut places);
    let mut editor = Editor::default();
    for place in places {
        let mut faulty = function.clone();
        editor.begin(&faulty);
        if !change(&mut faulty, &mut editor, Inst::new(place), kind, random) {
            continue;
        }
        editor.commit(&mut faulty);
        if verify_function(module, &faulty).is_ok() {
            return Some(faulty);
        }
    }
    None
}

/// Makes the change at an instruction, if it can be made there.
fn change(f: &mut Function, editor: &mut Editor, at: Inst, kind: usize, random: &mut Random) -> bool {
    let old = *f.inst(at);
    let changed = match kind {
        0 => change_constant(f, old, random),
        1 => change_predicate(old, random),
        2 => add_promise(old, random),
        3 if old.op == Opcode::Freeze => Some(InstData {
            op: Opcode::Copy,
            ..old
        }),
        4 => swap_operands(old),
        5 => change_operation(old, random),
        6 => {
            let op = match old.op {
                Opcode::Zext => Opcode::Sext,
                Opcode::Sext => Opcode::Zext,
                _ => return false,
            };
            Some(InstData { op, flags: 0, ..old })
        }
        7 => {
            let is_access = matches!(old.op, Opcode::Load | Opcode::Store);
            let align = MemFlags(old.flags).align_log2();
            let flags = (old.flags & !31) | (align as u16 + 1);
            (is_access && align < 8).then_some(InstData { flags, ..old })
        }
        8 => return swap_accesses(f, editor, at),
        9 if old.op == Opcode::Store => {
            editor.remove(f, at);
            return true;
        }
        10 if old.op == Opcode::Branch => return swap_targets(f, at),
        10 => swap_values(f, old),
        11 => swap_columns(f, old),
        12 => change_operand(f, old, random),
        _ => None,
    };
    match changed {
        // A terminator of the same targets leaves the graph as it is.
        Some(new) if old.op.is_terminator() => {
            let block = f.block_ids().find(|&block| f.terminator(block) == at);
            editor.set_terminator(f, block.expect("blocks end with terminators"), new);
            true
        }
        Some(new) => {
            editor.replace(f, at, new);
            true
        }
        None => false,
    }
}

/// The operands of an instruction with two of them.
fn swap_operands(data: InstData) -> Option<InstData> {
    let is_pair = data.op.format() == Format::Binary
        && matches!(data.op.effects(), Effects::Pure | Effects::Trap)
        && data.a != data.b
        && !matches!(data.op, Opcode::PtrAdd | Opcode::PtrIndex | Opcode::IsFpclass);
    let (a, b) = (data.b, data.a);
    is_pair.then_some(InstData { a, b, ..data })
}

fn change_constant(f: &mut Function, data: InstData, random: &mut Random) -> Option<InstData> {
    let mut changed = false;
    if data.op == Opcode::IsFpclass || data.op == Opcode::Shuffle {
        return None;
    }
    let (sign, pick) = (random.one_in(2), random.below(3));
    let words = f.pooled(&data).to_vec();
    let new = f.copy_mapped(data, &words, |operand| {
        if let Some(number) = operand.as_imm()
            && !changed
            && pick != 2
        {
            // A true bit is -1.
            let other = match (data_is_bit(number), pick) {
                (true, 0) => !number,
                _ => number + if sign { 1 } else { -1 },
            };
            if let Some(new) = Operand::imm(other) {
                changed = true;
                return new;
            }
        }
        operand
    });
    changed.then_some(new)
}

fn data_is_bit(number: i64) -> bool {
    number == 0 || number == -1
}

const COMPARISONS: [Opcode; 10] = [
    Opcode::IcmpEq,
    Opcode::IcmpNe,
    Opcode::IcmpUgt,
    Opcode::IcmpUge,
    Opcode::IcmpUlt,
    Opcode::IcmpUle,
    Opcode::IcmpSgt,
    Opcode::IcmpSge,
    Opcode::IcmpSlt,
    Opcode::IcmpSle,
];

fn change_predicate(data: InstData, random: &mut Random) -> Option<InstData> {
    if !data.op.is_icmp() {
        return None;
    }
    let op = random.pick(&COMPARISONS);
    (op != data.op).then_some(InstData { op, ..data })
}

fn add_promise(data: InstData, random: &mut Random) -> Option<InstData> {
    let allowed = match frazil_ir::flags::flag_kind(data.op) {
        frazil_ir::flags::FlagKind::Int(flags) => flags.bits(),
        frazil_ir::flags::FlagKind::Fast if data.op != Opcode::Phi && data.op != Opcode::Select => {
            (FastFlags::NNAN | FastFlags::NINF).bits()
        }
        _ => 0,
    };
    let missing: Vec<u16> = (0..16)
        .map(|bit| 1 << bit)
        .filter(|bit| allowed & !data.flags & bit != 0)
        .collect();
    let flags = data.flags | random.pick_if_any(&missing)?;
    Some(InstData { flags, ..data })
}

fn change_operation(data: InstData, random: &mut Random) -> Option<InstData> {
    use Opcode as O;
    let others: &[Opcode] = match data.op {
        O::Add | O::Sub | O::Mul => &[O::Add, O::Sub, O::Mul, O::Xor],
        O::And | O::Or | O::Xor => &[O::And, O::Or, O::Xor, O::Add],
        O::Shl | O::Lshr | O::Ashr => &[O::Shl, O::Lshr, O::Ashr],
        O::Udiv | O::Sdiv | O::Urem | O::Srem => &[O::Udiv, O::Sdiv, O::Urem, O::Srem],
        O::Smin | O::Smax | O::Umin | O::Umax => &[O::Smin, O::Smax, O::Umin, O::Umax],
        O::Fadd | O::Fsub => &[O::Fadd, O::Fsub],
        O::Fshl | O::Fshr => &[O::Fshl, O::Fshr],
        O::UaddCarry | O::UsubBorrow => &[O::UaddCarry, O::UsubBorrow],
        O::Ctlz | O::Cttz => &[O::Ctlz, O::Cttz],
        _ => return None,
    };
    let op = random.pick(others);
    let flags = IntFlags::empty().bits();
    (op != data.op).then_some(InstData { op, flags, ..data })
}

/// An access with the instruction after it.
fn swap_accesses(f: &mut Function, editor: &mut Editor, at: Inst) -> bool {
    let touches = |data: &InstData| {
        !data.op.is_terminator() && !matches!(data.op.effects(), Effects::Pure | Effects::Trap | Effects::Control)
    };
    let next = Inst::new(at.index() + 1);
    if next.index() == f.insts().len() || !touches(f.inst(at)) || !touches(f.inst(next)) {
        return false;
    }
    editor.move_before(f, next, at);
    true
}

/// The targets of a branch.
fn swap_targets(f: &mut Function, at: Inst) -> bool {
    let (yes, no) = (f.inst(at).target(), f.inst(at).else_target());
    f.renumber_targets(at, |target| {
        if target == yes.as_u32() {
            no.as_u32()
        } else {
            yes.as_u32()
        }
    });
    f.compute_cfg();
    yes != no
}

/// The values of a select.
fn swap_values(f: &mut Function, data: InstData) -> Option<InstData> {
    if data.op != Opcode::Select {
        return None;
    }
    let (yes, no) = f.ternary(&data);
    let b = Operand::raw(f.push_pool(&[no, yes]));
    (yes != no).then_some(InstData { b, ..data })
}

fn swap_columns(f: &mut Function, data: InstData) -> Option<InstData> {
    if data.op != Opcode::Phi {
        return None;
    }
    let mut list = f.list(&data).to_vec();
    if list.len() < 2 || list[0] == list[1] {
        return None;
    }
    list.swap(0, 1);
    let b = Operand::raw(f.push_pool(&list));
    Some(InstData { b, ..data })
}

/// A value with another one of its type in its place.
fn change_operand(f: &mut Function, data: InstData, random: &mut Random) -> Option<InstData> {
    let mut slots = Vec::new();
    f.for_each_operand(&data, |operand| slots.push(operand));
    let wanted = random.below(slots.len());
    let old = slots.get(wanted).and_then(|operand| operand.as_value())?;
    let ty = f.value(old).ty;
    let others: Vec<usize> = (0..f.values().len())
        .filter(|&value| f.values()[value].ty == ty && value != old.index())
        .filter(|&value| f.values()[value].kind != frazil_ir::ValueKind::Forward)
        .collect();
    let other = random.pick_if_any(&others)?;
    let words = f.pooled(&data).to_vec();
    let mut slot = 0;
    Some(f.copy_mapped(data, &words, |operand| {
        slot += 1;
        match slot == wanted + 1 {
            true => Operand::value(EntityRef::new(other)),
            false => operand,
        }
    }))
}
