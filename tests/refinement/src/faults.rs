//! Faults for the validator: wrong changes of a function, as a pass might make them.

use frazil_ir::function::for_each_operand_mut;
use frazil_ir::verify::verify_function;
use frazil_ir::{
    Effects, EntityRef, FastFlags, Format, Function, InstData, IntFlags, MemFlags, Module, Opcode, Operand,
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
    let mut places: Vec<usize> = (0..function.insts.len()).collect();
    random.shuffle(&mut places);
    for place in places {
        let mut faulty = function.clone();
        if !change(&mut faulty, place, kind, random) {
            continue;
        }
        faulty.recount_uses();
        faulty.compute_cfg();
        if verify_function(module, &faulty).is_ok() {
            return Some(faulty);
        }
    }
    None
}

/// Makes the change at an instruction, if it can be made there.
fn change(f: &mut Function, place: usize, kind: usize, random: &mut Random) -> bool {
    let data = f.insts[place];
    match kind {
        0 => change_constant(f, place, random),
        1 => change_predicate(&mut f.insts[place], random),
        2 => add_promise(&mut f.insts[place], random),
        3 if data.op == Opcode::Freeze => {
            f.insts[place].op = Opcode::Copy;
            true
        }
        4 => {
            let is_pair = data.op.format() == Format::Binary
                && matches!(data.op.effects(), Effects::Pure | Effects::Trap)
                && data.a != data.b
                && !matches!(data.op, Opcode::PtrAdd | Opcode::PtrIndex | Opcode::IsFpclass);
            if is_pair {
                (f.insts[place].a, f.insts[place].b) = (data.b, data.a);
            }
            is_pair
        }
        5 => change_operation(&mut f.insts[place], random),
        6 => {
            let op = match data.op {
                Opcode::Zext => Opcode::Sext,
                Opcode::Sext => Opcode::Zext,
                _ => return false,
            };
            (f.insts[place].op, f.insts[place].flags) = (op, 0);
            true
        }
        7 => {
            let is_access = matches!(data.op, Opcode::Load | Opcode::Store);
            let align = MemFlags(data.flags).align_log2();
            if is_access && align < 8 {
                f.insts[place].flags = (data.flags & !31) | (align as u16 + 1);
            }
            is_access && align < 8
        }
        8 => swap_accesses(f, place),
        9 if matches!(data.op, Opcode::Store) => {
            f.insts[place] = InstData::new(Opcode::Nop, frazil_ir::Type::VOID, 0, Operand::NONE, Operand::NONE);
            true
        }
        10 => swap_ways(f, place),
        11 => swap_columns(f, place),
        12 => change_operand(f, place, random),
        _ => false,
    }
}

fn change_constant(f: &mut Function, place: usize, random: &mut Random) -> bool {
    let mut data = f.insts[place];
    let mut changed = false;
    if data.op == Opcode::IsFpclass || data.op == Opcode::Shuffle {
        return false;
    }
    let (sign, pick) = (random.one_in(2), random.below(3));
    for_each_operand_mut(&mut f.pool, &mut data, |operand| {
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
                *operand = new;
                changed = true;
            }
        }
    });
    f.insts[place] = data;
    changed
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

fn change_predicate(data: &mut InstData, random: &mut Random) -> bool {
    if !data.op.is_icmp() {
        return false;
    }
    let old = data.op;
    data.op = random.pick(&COMPARISONS);
    data.op != old
}

fn add_promise(data: &mut InstData, random: &mut Random) -> bool {
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
    let Some(flag) = random.pick_if_any(&missing) else {
        return false;
    };
    data.flags |= flag;
    true
}

fn change_operation(data: &mut InstData, random: &mut Random) -> bool {
    use Opcode as O;
    let others: &[Opcode] = match data.op {
        O::Add | O::Sub | O::Mul => &[O::Add, O::Sub, O::Mul, O::Xor],
        O::And | O::Or | O::Xor => &[O::And, O::Or, O::Xor, O::Add],
        O::Shl | O::Lshr | O::Ashr => &[O::Shl, O::Lshr, O::Ashr],
        O::Udiv | O::Sdiv | O::Urem | O::Srem => &[O::Udiv, O::Sdiv, O::Urem, O::Srem],
        O::Smin | O::Smax | O::Umin | O::Umax => &[O::Smin, O::Smax, O::Umin, O::Umax],
        O::Fadd | O::Fsub => &[O::Fadd, O::Fsub],
        O::Fshl | O::Fshr => &[O::Fshl, O::Fshr],
        O::Ctlz | O::Cttz => &[O::Ctlz, O::Cttz],
        _ => return false,
    };
    let old = data.op;
    data.op = random.pick(others);
    data.flags &= IntFlags::empty().bits();
    data.op != old
}

/// An access with the instruction after it.
fn swap_accesses(f: &mut Function, place: usize) -> bool {
    let touches = |data: &InstData| !matches!(data.op.effects(), Effects::Pure | Effects::Trap | Effects::Control);
    let next = place + 1;
    let (Some(first), Some(second)) = (f.insts.get(place).copied(), f.insts.get(next).copied()) else {
        return false;
    };
    if !touches(&first) || !touches(&second) {
        return false;
    }
    for (position, data) in [(place, second), (next, first)] {
        f.insts[position] = data;
        for result in f.results(&data).collect::<Vec<_>>() {
            f.values[result.index()].def = position as u32;
        }
    }
    true
}

/// The targets of a branch, or the values of a select.
fn swap_ways(f: &mut Function, place: usize) -> bool {
    let data = f.insts[place];
    match data.op {
        Opcode::Branch if data.target() != data.else_target() => {
            f.insts[place] = InstData::branch(data.a, data.else_target(), data.target());
            true
        }
        Opcode::Select => {
            let (yes, no) = f.ternary(&data);
            let start = f.push_pool(&[no, yes]);
            f.insts[place].b = Operand::raw(start);
            yes != no
        }
        _ => false,
    }
}

fn swap_columns(f: &mut Function, place: usize) -> bool {
    let data = f.insts[place];
    if data.op != Opcode::Phi {
        return false;
    }
    let mut list = f.list(&data).to_vec();
    if list.len() < 2 || list[0] == list[1] {
        return false;
    }
    list.swap(0, 1);
    let start = f.push_pool(&list);
    f.insts[place].b = Operand::raw(start);
    true
}

/// A value with another one of its type in its place.
fn change_operand(f: &mut Function, place: usize, random: &mut Random) -> bool {
    let mut data = f.insts[place];
    let mut slots = Vec::new();
    f.for_each_operand(&data, |operand| slots.push(operand));
    let wanted = random.below(slots.len());
    let Some(old) = slots.get(wanted).and_then(|operand| operand.as_value()) else {
        return false;
    };
    let ty = f.value(old).ty;
    let others: Vec<usize> = (0..f.values.len())
        .filter(|&value| f.values[value].ty == ty && value != old.index())
        .filter(|&value| f.values[value].kind != frazil_ir::ValueKind::Forward)
        .collect();
    let Some(other) = random.pick_if_any(&others) else {
        return false;
    };
    let mut slot = 0;
    for_each_operand_mut(&mut f.pool, &mut data, |operand| {
        if slot == wanted {
            *operand = Operand::value(EntityRef::new(other));
        }
        slot += 1;
    });
    f.insts[place] = data;
    true
}
