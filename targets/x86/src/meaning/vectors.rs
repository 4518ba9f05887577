//! Rows on vector registers: moves, shuffles, and operations that treat each lane by itself.
//!
//! A vector is four words of 32 bits, of each of which it is known whether anybody may look at it.

use super::moves::copy_int;
use super::{X86Meaning, memory_bytes};
use crate::ops::Form;
use crate::rows::ROWS;
use crate::table::Op;
use frazil_codegen::check::translation::{Bitwise, Contents, Machine, Meaning, Term, Terms};
use frazil_codegen::{MInst, Mem, RefKind, Role};

pub(super) fn moves(op: Op, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    let [first, second, _] = inst.regs();
    let size = inst.size;
    match op {
        Op::MovapRR | Op::MovupRR | Op::MovdqaRR | Op::MovdquRR => machine.copy(first, second, 16),
        Op::MovapRM | Op::MovupRM | Op::MovdqaRM | Op::MovdquRM => {
            let contents = machine.load(inst.mem(), 16);
            machine.put(first, &contents);
        }
        Op::MovapMR | Op::MovupMR | Op::MovdqaMR | Op::MovdquMR => {
            let contents = machine.contents(first, 16);
            machine.store(inst.mem(), &contents);
        }
        Op::VmovupYRR | Op::VmovupZRR => machine.copy(first, second, size),
        Op::VmovapLowRR => machine.copy(first, second, 16),
        Op::VmovapYRR => {
            machine.copy(first, second, 16);
            machine.clear_from(first, 16);
        }
        Op::VmovupYRM | Op::VmovupZRM => {
            let contents = machine.load(inst.mem(), size);
            machine.put(first, &contents);
        }
        Op::VmovupYMR | Op::VmovupZMR => {
            let contents = machine.contents(first, size);
            machine.store(inst.mem(), &contents);
        }
        Op::Vinsertf128RRRI | Op::Vinsertf64x4RRRI if inst.imm == 1 => {
            let half = size / 2;
            let upper = machine.contents(inst.reg(2), half);
            machine.copy(first, second, half);
            machine.put_from(first, u32::from(half) / 4, &upper);
        }
        Op::Vextractf128RRI | Op::Vextractf64x4RRI => {
            let half = size / 2;
            match inst.imm & 1 {
                0 => machine.copy(first, second, half),
                _ => {
                    let both = machine.contents(second, size);
                    machine.put(first, &both.upper(usize::from(half) / 4));
                }
            }
            machine.ignore_from(first, half);
        }
        Op::VbroadcastssYRR | Op::VpbroadcastdYRR | Op::VbroadcastsdYRR | Op::VpbroadcastqYRR => {
            let words = match op {
                Op::VbroadcastssYRR | Op::VpbroadcastdYRR => 1,
                _ => 2,
            };
            let lane = machine.contents(second, words * 4);
            for word in (0..u32::from(size) / 4).step_by(usize::from(words)) {
                machine.put_from(first, word, &lane);
            }
        }
        Op::MovsRR => machine.copy(first, second, size),
        Op::MovsRM | Op::BitsXM | Op::MovdXM | Op::MovqXM => {
            let bytes = memory_bytes(op, &ROWS[op as usize], inst);
            let contents = machine.load(inst.mem(), bytes);
            machine.put(first, &contents);
            machine.clear_from(first, bytes);
            if op == Op::MovsRM && machine.is_slot(inst.mem()) {
                machine.ignore_from(first, bytes);
            }
        }
        Op::MovsMR | Op::MovdMX | Op::MovqMX => {
            let contents = machine.contents(first, memory_bytes(op, &ROWS[op as usize], inst));
            machine.store(inst.mem(), &contents);
        }
        Op::MovdXR => {
            machine.copy(first, second, size);
            machine.clear_from(first, size);
        }
        Op::MovdRX => {
            let contents = machine.contents(second, size);
            copy_int(machine, first, &contents, size);
            if size == 4 {
                machine.clear_from(first, 4);
            }
        }
        Op::MovqXX => {
            machine.copy(first, second, 8);
            machine.clear_from(first, 8);
        }
        Op::ZeroX | Op::VxorpsYS => machine.clear_from(first, 0),
        Op::OnesX => {
            let ones = machine.terms.constant(64, u64::MAX);
            let value = machine.terms.concat(&[ones, ones]);
            machine.write(first, 16, value);
        }
        _ => {
            return half_words(op, inst, machine)
                || shuffles(op, inst, machine)
                || halves(op, inst, machine)
                || extensions(op, inst, machine)
                || lanes(op, inst, machine);
        }
    }
    true
}

/// Rows that move halves of words, or make lanes half as wide, or twice.
fn halves(op: Op, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    let packed_bits = match op {
        Op::PackssdwRR | Op::PackssdwRM | Op::PackusdwRR | Op::PackusdwRM => 32,
        Op::PacksswbRR | Op::PacksswbRM | Op::PackuswbRR | Op::PackuswbRM => 16,
        Op::PshuflwRRI | Op::Vcvtph2psRR | Op::Vcvtps2phRRI => 0,
        Op::PshufbRR | Op::PshufbRM => return bytes_by_table(op, inst, machine),
        Op::PunpcklbwRR | Op::PunpcklbwRM => return interleave(op, inst, (8, 0), machine),
        Op::PunpcklwdRR | Op::PunpcklwdRM => return interleave(op, inst, (16, 0), machine),
        Op::PunpckhbwRR | Op::PunpckhbwRM => return interleave(op, inst, (8, 2), machine),
        Op::PunpckhwdRR | Op::PunpckhwdRM => return interleave(op, inst, (16, 2), machine),
        _ => return false,
    };
    let [first, second] = vector_operands(op, inst, machine);
    let key = X86Meaning.function(inst);
    let words: [VectorWord; 4] = match op {
        // Each word of the result is made of two.
        _ if packed_bits > 0 => {
            let sources = [first, second].concat();
            [0, 2, 4, 6].map(|index| {
                let [low, high] = [sources[index], sources[index + 1]].map(|(term, is_significant)| {
                    let lanes: Vec<Term> = (0..32 / packed_bits)
                        .map(|lane| {
                            let lane = machine.terms.part(term, lane * packed_bits, packed_bits);
                            machine.terms.apply(key, packed_bits / 2, &[lane])
                        })
                        .collect();
                    (machine.terms.concat(&lanes), is_significant)
                });
                pair_of(low, high, machine)
            })
        }
        Op::PshuflwRRI => {
            let selector = |index: u32| inst.imm.cast_unsigned() >> (index * 2) & 3;
            let half = |machine: &mut Machine<'_>, index: u32| {
                let (term, is_significant) = second[selector(index) as usize / 2];
                let part = machine.terms.part(term, selector(index) as u16 % 2 * 16, 16);
                (part, is_significant)
            };
            let [low, high] = [0, 2].map(|index| pair_of(half(machine, index), half(machine, index + 1), machine));
            [low, high, second[2], second[3]]
        }
        Op::Vcvtph2psRR => [0, 1, 2, 3].map(|lane| {
            let (term, is_significant) = second[lane / 2];
            let half = machine.terms.part(term, lane as u16 % 2 * 16, 16);
            (machine.terms.apply(key, 32, &[half]), is_significant)
        }),
        Op::Vcvtps2phRRI => {
            let half = |machine: &mut Machine<'_>, lane: usize| {
                let (term, is_significant) = second[lane];
                (machine.terms.apply(key, 16, &[term]), is_significant)
            };
            let [low, high] = [0, 2].map(|lane| pair_of(half(machine, lane), half(machine, lane + 1), machine));
            let zero = (machine.terms.constant(32, 0), true);
            [low, high, zero, zero]
        }
        _ => return false,
    };
    write_vector(inst, &words, machine);
    true
}

/// Lanes of so many bits of both operands in turn, from a word on.
fn interleave(op: Op, inst: &MInst, (bits, from): (u16, usize), machine: &mut Machine<'_>) -> bool {
    let [first, second] = vector_operands(op, inst, machine);
    let words = [0, 1, 2, 3].map(|index: usize| {
        let sources = [first, second].map(|words| words[from + index / 2]);
        let start = index as u16 % 2 * 16;
        let mut lanes = Vec::with_capacity(4);
        for lane in 0..16 / bits {
            lanes.extend(sources.map(|(term, _)| machine.terms.part(term, start + lane * bits, bits)));
        }
        (machine.terms.concat(&lanes), sources[0].1 && sources[1].1)
    });
    write_vector(inst, &words, machine);
    true
}

/// Rows that make lanes wider, of the lower bytes of their operand.
fn extensions(op: Op, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    let row = &ROWS[op as usize];
    let kind = row.mnemonic.as_str().strip_prefix("pmov").unwrap_or_default();
    let (from, to): (u16, u16) = match kind.get(2..) {
        Some("bw") => (8, 16),
        Some("bd") => (8, 32),
        Some("bq") => (8, 64),
        Some("wd") => (16, 32),
        Some("wq") => (16, 64),
        Some("dq") => (32, 64),
        _ => return false,
    };
    let count = 128 / to;
    let bytes = (count * from / 8) as u8;
    let source = match row.code.form {
        Form::RM => machine.load(inst.mem(), bytes),
        _ => machine.contents(inst.reg(1), bytes),
    };
    let all = machine.term_of(&source);
    let key = X86Meaning.function(inst);
    let lanes: Vec<Term> = (0..count)
        .map(|lane| {
            let lane = machine.terms.part(all, lane * from, from);
            match kind.starts_with('z') {
                true => machine.terms.zero_extend(lane, to),
                false => machine.terms.apply(key, to, &[lane]),
            }
        })
        .collect();
    let value = machine.terms.concat(&lanes);
    let words = [0, 1, 2, 3].map(|word: u16| {
        let first = word * 32 / to * from / 32;
        let is_significant = source.is_significant(usize::from(first));
        (machine.terms.part(value, word * 32, 32), is_significant)
    });
    write_vector(inst, &words, machine);
    true
}

/// Bytes put together by a table that is known.
fn bytes_by_table(op: Op, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    let is_constant = |mem: Mem| {
        matches!(
            mem.reference().map(|reference| reference.kind()),
            Some(RefKind::Constant)
        )
    };
    // Other memory is read once.
    if op == Op::PshufbRM && !is_constant(inst.mem()) {
        return false;
    }
    let [source, table] = vector_operands(op, inst, machine);
    let Some(table) = known_words(&table, machine) else {
        return false;
    };
    let words = table.map(|entries| {
        let mut is_significant = true;
        let bytes = [0, 1, 2, 3].map(|byte| {
            let entry = entries >> (byte * 8) & 0xff;
            if entry & 0x80 != 0 {
                return machine.terms.constant(8, 0);
            }
            let (term, may_look) = source[entry as usize % 16 / 4];
            // As in [`pair_of`].
            is_significant &= byte > 0 || may_look;
            machine.terms.part(term, entry as u16 % 4 * 8, 8)
        });
        (machine.terms.concat(&bytes), is_significant)
    });
    write_vector(inst, &words, machine);
    true
}

/// The values of words that are constants.
fn known_words(words: &[VectorWord; 4], machine: &Machine<'_>) -> Option<[u64; 4]> {
    let mut values = [0; 4];
    for (value, &(term, _)) in values.iter_mut().zip(words) {
        *value = machine.terms.as_constant(term)?;
    }
    Some(values)
}

/// The word of two halves, the lower one first. A word may be looked at when its lower half may: that alone is one
/// lane, and a higher one that nobody may look at is made of what differs.
fn pair_of(low: VectorWord, high: VectorWord, machine: &mut Machine<'_>) -> VectorWord {
    let word = machine.terms.concat(&[low.0, high.0]);
    (word, low.1)
}

/// Rows that take a half of a word out of a vector, or put it there.
fn half_words(op: Op, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    let index = inst.imm.cast_unsigned() as u16 % 8;
    match op {
        Op::PextrwRXI => {
            let vector = machine.read(inst.reg(1), 16);
            let half = machine.terms.part(vector, index * 16, 16);
            let value = machine.terms.zero_extend(half, 32);
            machine.write_result(inst.reg(0), 4, value);
        }
        Op::PinsrwXRI => {
            let half = machine.read(inst.reg(1), 2);
            let mut words = vector_operands(op, inst, machine)[0];
            let (word, _) = &mut words[usize::from(index / 2)];
            let kept = machine.terms.part(*word, (1 - index % 2) * 16, 16);
            let halves = if index.is_multiple_of(2) {
                [half, kept]
            } else {
                [kept, half]
            };
            *word = machine.terms.concat(&halves);
            write_vector(inst, &words, machine);
        }
        _ => return false,
    }
    true
}

/// A word of a vector, and whether anybody may look at it.
type VectorWord = (Term, bool);

/// The words of the first and of the second operand of a row on whole vector registers.
fn vector_operands(op: Op, inst: &MInst, machine: &mut Machine<'_>) -> [[VectorWord; 4]; 2] {
    let row = &ROWS[op as usize];
    let second = match row.code.form {
        Form::RM | Form::RMI => machine.load(inst.mem(), 16),
        Form::RI => machine.contents(inst.reg(0), 16),
        Form::ThreeM => machine.contents(inst.reg(3), 16),
        _ => machine.contents(inst.reg(1), 16),
    };
    let first = machine.contents(inst.reg(0), 16);
    [first, second].map(|contents| words_of(&contents, machine))
}

/// The words of what a register of vectors holds, and which of them anybody may look at.
fn words_of(contents: &Contents, machine: &mut Machine<'_>) -> [VectorWord; 4] {
    let vector = machine.term_of(contents);
    [0, 1, 2, 3].map(|word| {
        let term = machine.terms.part(vector, word * 32, 32);
        (term, contents.is_significant(usize::from(word)))
    })
}

/// A bitwise operation of two words. Nobody may look at the result if nobody may at one of them, unless the other one
/// alone makes it, or both are the same.
fn bitwise_word(operation: Bitwise, words: [VectorWord; 2], machine: &mut Machine<'_>) -> VectorWord {
    let [(a, a_counts), (b, b_counts)] = words;
    let decides = |terms: &Terms, (term, counts): VectorWord| {
        let value = terms.as_constant(term).filter(|_| counts);
        match operation {
            Bitwise::And => value == Some(0),
            Bitwise::Or => value == Some(u64::from(u32::MAX)),
            Bitwise::Xor => a == b,
        }
    };
    let is_decided = words.into_iter().any(|word| decides(machine.terms, word));
    let term = machine.terms.bitwise(operation, a, b);
    (term, a_counts && b_counts || is_decided)
}

/// Writes a vector register; nobody may look at words that come of such at which nobody may.
fn write_vector(inst: &MInst, words: &[VectorWord], machine: &mut Machine<'_>) {
    let terms: Vec<Term> = words.iter().map(|&(term, _)| term).collect();
    let value = machine.terms.concat(&terms);
    machine.write(inst.reg(0), 16, value);
    for (word, &(_, is_significant)) in words.iter().enumerate() {
        if !is_significant {
            machine.ignore_word(inst.reg(0), word as u32);
        }
    }
}

/// Rows that put words of their operands together.
fn shuffles(op: Op, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    // Which words: 0 to 3 of the first operand, 4 to 7 of the second.
    let selector = |index: u32| (inst.imm.cast_unsigned() >> (index * 2) & 3) as usize;
    let words = match (op, inst.size) {
        (Op::UnpcklpRR | Op::UnpcklpRM, 4) | (Op::PunpckldqRR | Op::PunpckldqRM, _) => [0, 4, 1, 5],
        (Op::UnpcklpRR | Op::UnpcklpRM, _) | (Op::PunpcklqdqRR | Op::PunpcklqdqRM | Op::MovlhpsRR, _) => [0, 1, 4, 5],
        (Op::UnpckhpRR | Op::UnpckhpRM, 8) | (Op::PunpckhqdqRR | Op::PunpckhqdqRM, _) => [2, 3, 6, 7],
        (Op::UnpckhpRR | Op::UnpckhpRM, _) => [2, 6, 3, 7],
        (Op::MovhlpsRR, _) => [6, 7, 2, 3],
        (Op::PshufdRRI | Op::PshufdRMI, _) => [0, 1, 2, 3].map(|index| 4 + selector(index)),
        (Op::ShufpRRI | Op::ShufpRMI, 4) => [selector(0), selector(1), 4 + selector(2), 4 + selector(3)],
        _ => return false,
    };
    let [first, second] = vector_operands(op, inst, machine);
    let all = [first, second].concat();
    write_vector(inst, &words.map(|word| all[word]), machine);
    true
}

/// Rows that do the same with each word, or with each half of 64 bits, so that what a scalar leaves above it matters
/// to nothing but what stands above it again.
fn lanes(op: Op, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    let row = &ROWS[op as usize];
    let bitwise = match row.mnemonic.as_str() {
        "andp" | "pand" => Some(Bitwise::And),
        "orp" | "por" => Some(Bitwise::Or),
        "xorp" | "pxor" => Some(Bitwise::Xor),
        _ => None,
    };
    let lane_words = match row.mnemonic.as_str() {
        "andp" | "pand" | "orp" | "por" | "xorp" | "pxor" | "andnp" | "pandn" => 1,
        "addp" | "subp" | "mulp" | "divp" | "minp" | "maxp" | "sqrtp" | "cmpp" => usize::from(inst.size / 4),
        "vfmadd132p" | "vfmadd213p" | "vfmadd231p" => usize::from(inst.size / 4),
        "cvtdq2ps" | "cvtps2dq" | "cvttps2dq" | "rcpps" | "rsqrtps" => 1,
        "paddb" | "paddw" | "paddd" | "psubb" | "psubw" | "psubd" | "pcmpeqb" | "pcmpeqw" | "pcmpeqd" => 1,
        "pcmpgtb" | "pcmpgtw" | "pcmpgtd" | "pminub" | "pmaxub" | "pminsw" | "pmaxsw" | "pmullw" => 1,
        "paddq" | "psubq" => 2,
        "psrld" | "psrad" | "pslld" | "psrlw" | "psraw" | "psllw" if row.code.form == Form::RI => 1,
        "psrlq" | "psllq" if row.code.form == Form::RI => 2,
        _ => return false,
    };
    let key = X86Meaning.function(inst);
    // What a square root writes it does not read.
    let reads_first = row.operands[0].is_some_and(|operand| operand.role != Role::Def);
    let [first, second] = vector_operands(op, inst, machine);
    let third = match row.code.form {
        Form::Three => Some(machine.contents(inst.reg(2), 16)),
        Form::ThreeM => Some(machine.load(inst.mem(), 16)),
        _ => None,
    };
    let third = third.map(|contents| words_of(&contents, machine));
    let mut words = Vec::with_capacity(4);
    for lane in (0..4).step_by(lane_words) {
        let range = lane..lane + lane_words;
        let mut inputs = match reads_first {
            true => [&first[range.clone()], &second[range.clone()]].concat(),
            false => second[range.clone()].to_vec(),
        };
        inputs.extend(third.iter().flat_map(|third| &third[range.clone()]));
        let is_significant = inputs.iter().all(|&(_, is_significant)| is_significant);
        if let Some(operation) = bitwise {
            words.push(bitwise_word(operation, [first[lane], second[lane]], machine));
            continue;
        }
        let args: Vec<Term> = inputs.iter().map(|&(term, _)| term).collect();
        let value = machine.terms.apply(key, lane_words as u16 * 32, &args);
        for word in 0..lane_words as u16 {
            words.push((machine.terms.part(value, word * 32, 32), is_significant));
        }
    }
    write_vector(inst, &words, machine);
    true
}
