//! What instructions mean, for the validator of machine passes (Intel manual, volumes 1 and 2).
//!
//! Rows are told apart by mnemonic and form, so that the forms of one operation with registers, memory and immediates
//! mean the same here, whatever other tables say of them. Rows that only move bits and the arithmetic that passes
//! rewrite are carried out; all others are functions of as many bytes of their operands as they look at.
//!
//! A copy or reload of less than eight bytes leaves nothing above it that anybody may look at, though the processor
//! clears it; an extension, and any operation of four bytes, leaves zeros.

use crate::cond::Cond;
use crate::ops::{Form, Kind, Row, Width};
use crate::regs::{RAX, RCX};
use crate::table::{Op, ROWS};
use frazil_codegen::check::translation::{Bitwise, Contents, FunctionKey, Machine, Meaning, Term, Terms, function};
use frazil_codegen::{MInst, Reg};
use frazil_support::FxHashMap;
use std::sync::LazyLock;

/// The meanings of x86-64's rows.
#[derive(Clone, Copy, Debug)]
pub struct X86Meaning;

/// The first number of functions of which no row is the name.
const PARITY: u32 = 1 << 31;

fn row_of(inst: &MInst) -> Option<(Op, &'static Row)> {
    let op = Op::ALL.get(usize::from(inst.op)).copied()?;
    Some((op, &ROWS[usize::from(inst.op)]))
}

/// For each row the first one with the same mnemonic that computes on the same kind of registers.
static FIRST_OF_NAME: LazyLock<Vec<u32>> = LazyLock::new(|| {
    use crate::ops::Code;
    let flags = Code::LOCK | Code::FS | Code::COND;
    let mut firsts = FxHashMap::default();
    let rows = ROWS.iter().enumerate();
    rows.map(|(number, row)| {
        let key = (row.mnemonic, row.code.flags & flags, row.code.width != Width::Int);
        *firsts.entry(key).or_insert(number as u32)
    })
    .collect()
});

/// A number that says which operation an instruction is, the same for its forms with registers, memory and immediates.
fn operation_number(inst: &MInst) -> u32 {
    let number = FIRST_OF_NAME.get(usize::from(inst.op)).copied();
    number.unwrap_or(u32::from(inst.op))
}

impl Meaning for X86Meaning {
    fn execute(&self, inst: &MInst, machine: &mut Machine<'_>) -> bool {
        let Some((op, row)) = row_of(inst) else { return false };
        moves(op, inst, machine)
            || arithmetic(op, row, inst, machine)
            || shifts(op, row, inst, machine)
            || single_bits(op, row, inst, machine)
    }

    fn condition(&self, inst: &MInst, machine: &mut Machine<'_>) -> Option<Term> {
        use crate::ops::Code;
        let (_, row) = row_of(inst)?;
        if row.code.has(Code::COND) {
            return Some(condition(inst.condition(), machine));
        }
        // Who reads flags and has no condition reads the carry.
        let reads_carry = matches!(row.mnemonic, "adc" | "sbb" | "rcl" | "rcr");
        reads_carry.then(|| bit(machine, 1))
    }

    fn operand_bytes(&self, inst: &MInst, operand: usize) -> Option<u8> {
        let (op, row) = row_of(inst)?;
        match row.operands.get(operand).copied().flatten()?.kind {
            Kind::Sized => Some(inst.size),
            Kind::General(bytes) => Some(bytes),
            Kind::Vector => Some(vector_bytes(op, row, inst, operand)),
        }
    }

    fn implicit_bytes(&self, inst: &MInst, reg: Reg) -> Option<u8> {
        let (op, row) = row_of(inst)?;
        match op {
            Op::Mul8R | Op::Mul8M | Op::Imul8R | Op::Imul8M | Op::Div8R | Op::Div8M | Op::Idiv8R | Op::Idiv8M => {
                Some(2)
            }
            Op::Cwd => Some(2),
            Op::Cdq => Some(4),
            Op::Cqo => Some(8),
            _ if matches!(row.code.form, Form::RC | Form::MC | Form::StoreRRC) && reg == RCX => Some(1),
            _ if matches!(row.mnemonic, "mul" | "imul" | "div" | "idiv" | "cmpxchg") => Some(inst.size),
            _ => None,
        }
    }

    fn memory_bytes(&self, inst: &MInst) -> Option<u8> {
        let (op, row) = row_of(inst)?;
        row.code.form.has_mem().then(|| memory_bytes(op, row, inst))
    }

    fn function(&self, inst: &MInst) -> FunctionKey {
        [
            operation_number(inst) | u32::from(inst.size) << 16,
            inst.imm.cast_unsigned(),
            0,
            0,
        ]
    }

    fn memory_is_first(&self, inst: &MInst) -> bool {
        row_of(inst).is_some_and(|(_, row)| matches!(row.code.form, Form::MR | Form::M | Form::MI | Form::MC))
    }

    fn only_computes(&self, inst: &MInst) -> bool {
        row_of(inst).is_some_and(|(op, _)| matches!(op, Op::MulM | Op::Mul8M | Op::ImulM | Op::Imul8M))
    }

    fn keeps_flags(&self, inst: &MInst) -> bool {
        let Some((_, row)) = row_of(inst) else { return true };
        // A count of zero keeps all of them, rotations most, and bit tests all but the carry.
        matches!(row.code.form, Form::RC | Form::MC | Form::StoreRRC)
            || matches!(
                row.mnemonic,
                "rol" | "ror" | "rcl" | "rcr" | "bt" | "bts" | "btr" | "btc" | "shld" | "shrd"
            )
    }
}

/// How many bytes of a vector register an operand is.
fn vector_bytes(op: Op, row: &Row, inst: &MInst, operand: usize) -> u8 {
    use Op::{
        ComisRM, ComisRR, Cvtsd2siRM, Cvtsd2siRR, Cvtsd2ssRM, Cvtsd2ssRR, Cvtsi2sdRM, Cvtsi2sdRR, Cvtsi2ssRM,
        Cvtsi2ssRR, Cvtss2sdRM, Cvtss2sdRR, Cvtss2siRM, Cvtss2siRR, Cvttsd2siRM, Cvttsd2siRR, Cvttss2siRM, Cvttss2siRR,
        RcpssRR, RoundsdRMI, RoundsdRRI, RoundssRMI, RoundssRRI, RsqrtssRR, UcomisRM, UcomisRR,
    };
    match op {
        UcomisRR | UcomisRM | ComisRR | ComisRM => inst.size,
        RoundssRRI | RoundssRMI | RsqrtssRR | RcpssRR | Cvtsi2ssRR | Cvtsi2ssRM => 4,
        Cvttss2siRR | Cvttss2siRM | Cvtss2siRR | Cvtss2siRM => 4,
        RoundsdRRI | RoundsdRMI | Cvtsi2sdRR | Cvtsi2sdRM => 8,
        Cvttsd2siRR | Cvttsd2siRM | Cvtsd2siRR | Cvtsd2siRM => 8,
        Cvtss2sdRR | Cvtss2sdRM => [8, 4][operand.min(1)],
        Cvtsd2ssRR | Cvtsd2ssRM => [4, 8][operand.min(1)],
        _ if row.code.width == Width::Scalar => inst.size,
        _ => 16,
    }
}

/// How many bytes of memory a row accesses.
fn memory_bytes(op: Op, row: &Row, inst: &MInst) -> u8 {
    use Op::{
        CallM, ComisRM, Cvtsd2siRM, Cvtsd2ssRM, Cvtss2sdRM, Cvtss2siRM, Cvttsd2siRM, Cvttss2siRM, JmpM, MovhpMR,
        MovhpRM, MovlpMR, MovlpRM, MovsxBRM, MovsxWRM, MovsxdRM, MovzxBRM, MovzxWRM, PinsrwXMI, PopM, PushM,
        RoundsdRMI, RoundssRMI, UcomisRM,
    };
    match op {
        MovzxBRM | MovsxBRM => 1,
        MovzxWRM | MovsxWRM | PinsrwXMI => 2,
        MovsxdRM | Cvttss2siRM | Cvtss2siRM | Cvtss2sdRM | RoundssRMI => 4,
        Cvttsd2siRM | Cvtsd2siRM | Cvtsd2ssRM | RoundsdRMI | MovlpRM | MovhpRM | MovlpMR | MovhpMR => 8,
        UcomisRM | ComisRM => inst.size,
        PushM | PopM | CallM | JmpM => 8,
        _ if row.code.width == Width::Packed => 16,
        _ => inst.size,
    }
}

/// Makes what is above a copy insignificant.
fn end_copy(machine: &mut Machine<'_>, dst: Reg, bytes: u8) {
    if bytes == 4 {
        machine.clear_from(dst, 4);
    }
    machine.ignore_from(dst, bytes);
}

fn copy_int(machine: &mut Machine<'_>, dst: Reg, contents: &Contents, bytes: u8) {
    machine.put(dst, contents);
    end_copy(machine, dst, bytes);
}

/// Rows that only move bits.
fn moves(op: Op, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    let [first, second, _] = inst.regs();
    let size = inst.size;
    match op {
        Op::MovRR => {
            let is_zero_above = size == 4 && machine.may_count_on_zero(second, 1);
            let contents = machine.contents(second, size);
            copy_int(machine, first, &contents, size);
            if is_zero_above {
                machine.clear_from(first, 4);
            }
        }
        Op::MovzxLRM => {
            let contents = machine.load(inst.mem(), 4);
            let value = machine.term_of(&contents);
            machine.write_result(first, 4, value);
        }
        Op::MovRM | Op::BitsRM => {
            let contents = machine.load(inst.mem(), size);
            copy_int(machine, first, &contents, size);
        }
        Op::MovMR => {
            let contents = machine.contents(first, size);
            machine.store(inst.mem(), &contents);
        }
        Op::MovzxLRR => {
            let value = machine.read(second, 4);
            machine.write_result(first, 4, value);
        }
        Op::MovRI => {
            let value = constant(machine, inst);
            machine.write_result(first, size, value);
        }
        Op::MovMI => {
            let value = constant(machine, inst);
            let contents = machine.contents_of(value);
            machine.store(inst.mem(), &contents);
        }
        Op::MovabsRI => {
            let number = u64::from(inst.imm.cast_unsigned()) | u64::from(inst.disp.cast_unsigned()) << 32;
            let value = machine.terms.constant(64, number);
            machine.write(first, 8, value);
        }
        Op::MovabsRRef | Op::LeaRM => {
            let address = machine.address(inst.mem());
            let value = machine.terms.part(address, 0, u16::from(size.min(8)) * 8);
            let significant = significant_bits_of_address(inst, machine);
            machine.write_result(first, size.min(8), value);
            machine.limit_significance(first, significant);
        }
        Op::MovzxBRR | Op::MovzxWRR | Op::MovsxBRR | Op::MovsxWRR | Op::MovsxdRR => extend(op, inst, None, machine),
        Op::MovzxBRM | Op::MovzxWRM | Op::MovsxBRM | Op::MovsxWRM | Op::MovsxdRM => {
            let contents = machine.load(inst.mem(), memory_bytes(op, &ROWS[op as usize], inst));
            let loaded = machine.term_of(&contents);
            extend(op, inst, Some(loaded), machine);
        }
        Op::Cdqe | Op::Cwde => {
            let value = machine.read(RAX, if op == Op::Cdqe { 4 } else { 2 });
            let (bytes, width) = if op == Op::Cdqe { (8, 64) } else { (4, 32) };
            let value = machine.terms.sign_extend(value, width);
            machine.write_result(RAX, bytes, value);
        }
        Op::XchgRR => {
            let contents = [first, second].map(|reg| machine.contents(reg, size));
            copy_int(machine, first, &contents[1], size);
            copy_int(machine, second, &contents[0], size);
        }
        _ => return vector_moves(op, inst, machine),
    }
    true
}

/// How many low bits of an address that is computed as a number are significant.
fn significant_bits_of_address(inst: &MInst, machine: &mut Machine<'_>) -> u8 {
    let mem = inst.mem();
    let mut significant = u8::MAX;
    if mem.base_reg().is_register() && mem.base_reg() != Reg::FRAME {
        significant = machine.significant_bits(mem.base_reg());
    }
    if mem.reference().is_none() && mem.index_reg().is_register() {
        let bits = machine.significant_bits(mem.index_reg());
        significant = significant.min(bits.saturating_add(mem.scale_log2));
    }
    significant
}

fn constant(machine: &mut Machine<'_>, inst: &MInst) -> Term {
    let width = u16::from(inst.size) * 8;
    machine.terms.constant(width, i64::from(inst.imm).cast_unsigned())
}

fn extend(op: Op, inst: &MInst, loaded: Option<Term>, machine: &mut Machine<'_>) {
    let (is_signed, bytes) = match op {
        Op::MovzxBRR | Op::MovzxBRM => (false, 1),
        Op::MovzxWRR | Op::MovzxWRM => (false, 2),
        Op::MovsxBRR | Op::MovsxBRM => (true, 1),
        Op::MovsxWRR | Op::MovsxWRM => (true, 2),
        _ => (true, 4),
    };
    let narrow = loaded.unwrap_or_else(|| machine.read(inst.reg(1), bytes));
    let width = u16::from(inst.size) * 8;
    let value = match is_signed {
        true => machine.terms.sign_extend(narrow, width),
        false => machine.terms.zero_extend(narrow, width),
    };
    machine.write_result(inst.reg(0), inst.size, value);
}

fn vector_moves(op: Op, inst: &MInst, machine: &mut Machine<'_>) -> bool {
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
        }
        Op::MovqXX => {
            machine.copy(first, second, 8);
            machine.clear_from(first, 8);
        }
        Op::ZeroX => machine.clear_from(first, 0),
        Op::OnesX => {
            let ones = machine.terms.constant(64, u64::MAX);
            let value = machine.terms.concat(&[ones, ones]);
            machine.write(first, 16, value);
        }
        _ => return half_words(op, inst, machine) || shuffles(op, inst, machine) || lanes(op, inst, machine),
    }
    true
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
        _ => machine.contents(inst.reg(1), 16),
    };
    let first = machine.contents(inst.reg(0), 16);
    [first, second].map(|contents| {
        let vector = machine.term_of(&contents);
        [0, 1, 2, 3].map(|word| {
            let term = machine.terms.part(vector, word * 32, 32);
            (term, contents.is_significant(usize::from(word)))
        })
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
    let bitwise = match row.mnemonic {
        "andp" | "pand" => Some(Bitwise::And),
        "orp" | "por" => Some(Bitwise::Or),
        "xorp" | "pxor" => Some(Bitwise::Xor),
        _ => None,
    };
    let lane_words = match row.mnemonic {
        "andp" | "pand" | "orp" | "por" | "xorp" | "pxor" | "andnp" | "pandn" => 1,
        "addp" | "subp" | "mulp" | "divp" | "minp" | "maxp" | "sqrtp" | "cmpp" => usize::from(inst.size / 4),
        "paddb" | "paddw" | "paddd" | "psubb" | "psubw" | "psubd" | "pcmpeqb" | "pcmpeqw" | "pcmpeqd" => 1,
        "pcmpgtb" | "pcmpgtw" | "pcmpgtd" | "pminub" | "pmaxub" | "pminsw" | "pmaxsw" | "pmullw" => 1,
        "paddq" | "psubq" => 2,
        "psrld" | "psrad" | "pslld" | "psrlw" | "psraw" | "psllw" if row.code.form == Form::RI => 1,
        "psrlq" | "psllq" if row.code.form == Form::RI => 2,
        _ => return false,
    };
    let key = X86Meaning.function(inst);
    let [first, second] = vector_operands(op, inst, machine);
    let mut words = Vec::with_capacity(4);
    for lane in (0..4).step_by(lane_words) {
        let range = lane..lane + lane_words;
        let inputs = [&first[range.clone()], &second[range]].concat();
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

/// Where the operands of an operation are: the first one is the destination, too.
struct Operands {
    first: Term,
    second: Option<Term>,
    is_memory: bool,
    /// How many low bits of all of them are significant (contract 1): the low bits of what is computed from those below
    /// them alone are, too.
    significant: u8,
}

fn operands(row: &Row, inst: &MInst, machine: &mut Machine<'_>) -> Option<Operands> {
    let size = inst.size;
    let width = u16::from(size) * 8;
    let (register, other) = (inst.reg(0), inst.reg(1));
    let immediate = |machine: &mut Machine<'_>| {
        let value = i64::from(inst.imm).cast_unsigned();
        machine.terms.constant(width, value)
    };
    let mut significant = u8::MAX;
    let mut memory = |machine: &mut Machine<'_>| {
        let contents = machine.load(inst.mem(), size);
        significant = machine.significant_bits_of(&contents);
        machine.term_of(&contents)
    };
    let (first, second, is_memory) = match row.code.form {
        Form::StoreRR | Form::LoadRR => (machine.read(register, size), Some(machine.read(other, size)), false),
        Form::RM => {
            let loaded = memory(machine);
            (machine.read(register, size), Some(loaded), false)
        }
        Form::MR => (memory(machine), Some(machine.read(register, size)), true),
        Form::RI => (machine.read(register, size), Some(immediate(machine)), false),
        Form::MI => (memory(machine), Some(immediate(machine)), true),
        Form::R => (machine.read(register, size), None, false),
        Form::M => (memory(machine), None, true),
        _ => return None,
    };
    let registers: &[Reg] = match row.code.form {
        Form::StoreRR | Form::LoadRR => &[register, other],
        Form::MI | Form::M => &[],
        _ => &[register],
    };
    for &reg in registers {
        significant = significant.min(machine.significant_bits(reg));
    }
    Some(Operands {
        first,
        second,
        is_memory,
        significant,
    })
}

fn put_result(machine: &mut Machine<'_>, inst: &MInst, operands: &Operands, value: Term) {
    if operands.is_memory {
        let contents = machine.contents_of(value);
        machine.store(inst.mem(), &contents);
    } else {
        machine.write_result(inst.reg(0), inst.size, value);
    }
}

/// Puts the result of an operation each of whose bits depends on nothing but the bits of the operands up to it.
fn put_low_bits(machine: &mut Machine<'_>, inst: &MInst, operands: &Operands, value: Term) {
    put_result(machine, inst, operands, value);
    if !operands.is_memory {
        machine.limit_significance(inst.reg(0), operands.significant);
    }
}

/// Additions, subtractions, comparisons and bitwise operations, with the flags that they leave.
fn arithmetic(op: Op, row: &Row, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    if op == Op::ZeroR {
        let zero = machine.terms.constant(u16::from(inst.size) * 8, 0);
        machine.write_result(inst.reg(0), inst.size, zero);
        bitwise_flags(machine, zero);
        return true;
    }
    if row.code.flags & (crate::ops::Code::LOCK | crate::ops::Code::FS) != 0 {
        return false;
    }
    let name = row.mnemonic;
    if !matches!(
        name,
        "add" | "sub" | "cmp" | "and" | "or" | "xor" | "test" | "not" | "neg" | "inc" | "dec" | "cmov"
    ) {
        return products(op, inst, machine) || name == "set" && sets(row, inst, machine);
    }
    let Some(operands) = operands(row, inst, machine) else {
        return false;
    };
    let Operands { first: a, second, .. } = operands;
    let width = u16::from(inst.size) * 8;
    let b = second.unwrap_or(a);
    let minus_one = u64::MAX;
    match name {
        "add" => {
            let value = machine.terms.sum(width, 0, &[(1, a), (1, b)]);
            put_low_bits(machine, inst, &operands, value);
            sum_flags(machine, value, a, b, true);
        }
        "sub" | "cmp" => {
            let value = machine.terms.sum(width, 0, &[(1, a), (minus_one, b)]);
            if name == "sub" {
                put_low_bits(machine, inst, &operands, value);
            }
            difference_flags(machine, value, a, b, true);
        }
        "and" | "or" | "xor" | "test" => {
            let operation = match name {
                "or" => Bitwise::Or,
                "xor" => Bitwise::Xor,
                _ => Bitwise::And,
            };
            let value = machine.terms.bitwise(operation, a, b);
            if name != "test" {
                put_low_bits(machine, inst, &operands, value);
            }
            bitwise_flags(machine, value);
        }
        "not" => {
            let ones = machine.terms.constant(width, minus_one);
            let value = machine.terms.bitwise(Bitwise::Xor, a, ones);
            put_low_bits(machine, inst, &operands, value);
        }
        "neg" => {
            let value = machine.terms.sum(width, 0, &[(minus_one, a)]);
            put_low_bits(machine, inst, &operands, value);
            let zero = machine.terms.constant(width, 0);
            difference_flags(machine, value, zero, a, true);
        }
        "inc" | "dec" => {
            let one = machine.terms.constant(width, 1);
            let factor = if name == "inc" { 1 } else { minus_one };
            let value = machine.terms.sum(width, factor, &[(1, a)]);
            put_low_bits(machine, inst, &operands, value);
            match name {
                "inc" => sum_flags(machine, value, a, one, false),
                _ => difference_flags(machine, value, a, one, false),
            }
        }
        _ => {
            let condition = condition(inst.condition(), machine);
            let value = machine
                .terms
                .apply([function::SELECT, 0, 0, 0], width, &[condition, b, a]);
            put_low_bits(machine, inst, &operands, value);
        }
    }
    true
}

/// Lower halves of products.
fn products(op: Op, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    let size = inst.size;
    let mut significant = u8::MAX;
    let factors = match op {
        Op::ImulRR => {
            let bits = [0, 1].map(|operand| machine.significant_bits(inst.reg(operand)));
            significant = bits[0].min(bits[1]);
            [machine.read(inst.reg(0), size), machine.read(inst.reg(1), size)]
        }
        Op::ImulRM => {
            let contents = machine.load(inst.mem(), size);
            [machine.read(inst.reg(0), size), machine.term_of(&contents)]
        }
        Op::ImulRRI => {
            significant = machine
                .significant_bits(inst.reg(1))
                .saturating_add(inst.imm.trailing_zeros() as u8);
            [machine.read(inst.reg(1), size), constant(machine, inst)]
        }
        Op::ImulRMI => {
            let contents = machine.load(inst.mem(), size);
            [machine.term_of(&contents), constant(machine, inst)]
        }
        _ => return false,
    };
    let value = machine.terms.product(factors[0], factors[1]);
    machine.write_result(inst.reg(0), size, value);
    machine.limit_significance(inst.reg(0), significant);
    let key = [operation_number(inst), u32::from(size), 0, 0];
    let flags = [0, 1, 2].map(|part| machine.terms.apply([key[0], key[1], part, 1], 8, &factors));
    machine.set_flags(Some(flags[0]), Some(flags[1]), Some(flags[2]));
    true
}

/// A byte that says whether a condition holds.
fn sets(row: &Row, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    let condition = condition(inst.condition(), machine);
    let value = machine.terms.zero_extend(condition, 8);
    if row.code.form == Form::M {
        let contents = machine.contents_of(value);
        machine.store(inst.mem(), &contents);
    } else {
        machine.write(inst.reg(0), 1, value);
        machine.ignore_from(inst.reg(0), 1);
    }
    true
}

/// Shifts by constants.
fn shifts(op: Op, row: &Row, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    if !matches!(
        op,
        Op::ShlRI | Op::ShlMI | Op::ShrRI | Op::ShrMI | Op::SarRI | Op::SarMI
    ) {
        return false;
    }
    let width = u16::from(inst.size) * 8;
    let count = (inst.imm & if inst.size == 8 { 63 } else { 31 }) as u16;
    let Some(operands) = operands(row, inst, machine) else {
        return false;
    };
    let x = operands.first;
    if count == 0 {
        put_result(machine, inst, &operands, x);
        return true;
    }
    let kept = width.saturating_sub(count);
    let value = match row.mnemonic {
        _ if kept == 0 && row.mnemonic != "sar" => machine.terms.constant(width, 0),
        "shl" => machine.terms.sum(width, 0, &[(1 << count, x)]),
        "shr" => {
            let part = machine.terms.part(x, count, kept);
            machine.terms.zero_extend(part, width)
        }
        _ => {
            let part = machine.terms.part(x, count.min(width - 1), kept.max(1));
            machine.terms.sign_extend(part, width)
        }
    };
    put_result(machine, inst, &operands, value);
    if row.mnemonic == "shl" && !operands.is_memory {
        machine.limit_significance(inst.reg(0), operands.significant.saturating_add(count as u8));
    }
    let number = operation_number(inst);
    let flags = [1, 2].map(|part| {
        machine
            .terms
            .apply([number, u32::from(inst.size), u32::from(count), part], 8, &[x])
    });
    machine.set_flags(Some(value), Some(flags[0]), Some(flags[1]));
    true
}

/// Setting a bit, and searching for the lowest one, which does not depend on what is above a bit that is set.
fn single_bits(op: Op, row: &Row, inst: &MInst, machine: &mut Machine<'_>) -> bool {
    if !matches!(
        op,
        Op::BtsRI | Op::BtsMI | Op::BsfRR | Op::BsfRM | Op::TzcntRR | Op::TzcntRM
    ) {
        return false;
    }
    let Some(operands) = operands(row, inst, machine) else {
        return false;
    };
    let width = u16::from(inst.size) * 8;
    if matches!(op, Op::BtsRI | Op::BtsMI) {
        let number = inst.imm.cast_unsigned() as u16 % width;
        let bit = machine.terms.constant(width, 1 << number);
        let value = machine.terms.bitwise(Bitwise::Or, operands.first, bit);
        let carry = machine.terms.part(operands.first, number, 1);
        put_result(machine, inst, &operands, value);
        machine.set_flags(None, Some(carry), None);
        return true;
    }
    let source = operands.second.unwrap_or(operands.first);
    let source = machine.terms.up_to_lowest_one(source);
    let key = [operation_number(inst), u32::from(inst.size)];
    let value = machine.terms.apply([key[0], key[1], 0, 2], width, &[source]);
    machine.write_result(inst.reg(0), inst.size, value);
    let flags = [0, 1, 2].map(|part| machine.terms.apply([key[0], key[1], part, 1], 8, &[source]));
    machine.set_flags(Some(flags[0]), Some(flags[1]), Some(flags[2]));
    true
}

fn bitwise_flags(machine: &mut Machine<'_>, value: Term) {
    let zero = machine.terms.constant(1, 0);
    machine.set_flags(Some(value), Some(zero), Some(zero));
}

fn sum_flags(machine: &mut Machine<'_>, value: Term, a: Term, b: Term, writes_carry: bool) {
    let (a, b) = (a.min(b), a.max(b));
    let carry = machine.terms.apply([function::CARRY, 0, 0, 0], 1, &[a, b]);
    let overflow = machine.terms.apply([function::OVERFLOW, 0, 0, 0], 1, &[a, b]);
    machine.set_flags(Some(value), writes_carry.then_some(carry), Some(overflow));
}

fn difference_flags(machine: &mut Machine<'_>, value: Term, a: Term, b: Term, writes_carry: bool) {
    // Nothing is borrowed to take zero away.
    let (carry, overflow) = if machine.terms.as_constant(b) == Some(0) {
        let zero = machine.terms.constant(1, 0);
        (zero, zero)
    } else {
        (
            machine.terms.apply([function::BORROW, 0, 0, 0], 1, &[a, b]),
            machine
                .terms
                .apply([function::SUBTRACTION_OVERFLOW, 0, 0, 0], 1, &[a, b]),
        )
    };
    machine.set_flags(Some(value), writes_carry.then_some(carry), Some(overflow));
}

/// Carry (1) or overflow (2) as one bit.
fn bit(machine: &mut Machine<'_>, part: u32) -> Term {
    let flag = machine.flag(part);
    machine.terms.part(flag, 0, 1)
}

/// A condition as one bit.
fn condition(code: u8, machine: &mut Machine<'_>) -> Term {
    let result = machine.flag(0);
    let width = machine.terms.width(result);
    let zero = machine.terms.is_zero(result);
    let sign = machine.terms.part(result, width - 1, 1);
    // Conditions come in pairs, the second of which is the opposite of the first.
    let holds = match Cond::from_number(code & !1) {
        Cond::O => bit(machine, 2),
        Cond::B => bit(machine, 1),
        Cond::E => zero,
        Cond::Be => {
            let carry = bit(machine, 1);
            machine.terms.bitwise(Bitwise::Or, carry, zero)
        }
        Cond::S => sign,
        Cond::P => {
            let low = machine.terms.part(result, 0, 8);
            machine.terms.apply([PARITY, 0, 0, 0], 1, &[low])
        }
        Cond::L => {
            let overflow = bit(machine, 2);
            machine.terms.bitwise(Bitwise::Xor, sign, overflow)
        }
        _ => {
            let overflow = bit(machine, 2);
            let less = machine.terms.bitwise(Bitwise::Xor, sign, overflow);
            machine.terms.bitwise(Bitwise::Or, less, zero)
        }
    };
    if code & 1 == 0 {
        return holds;
    }
    let one = machine.terms.constant(1, 1);
    machine.terms.bitwise(Bitwise::Xor, holds, one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_codegen::RegClass;

    /// Reads and writes of a class that has no such width would be wrong without a word.
    #[test]
    fn operands_are_as_wide_as_registers_can_be() {
        for (number, row) in ROWS.iter().enumerate() {
            for size in [1, 2, 4, 8, 16].into_iter().filter(|size| row.sizes & size != 0) {
                let inst = MInst::new(number as u16, size);
                for operand in 0..2 {
                    let Some(bytes) = X86Meaning.operand_bytes(&inst, operand) else {
                        continue;
                    };
                    let class = row.desc().classes[operand];
                    let most = if class == Some(RegClass::Float) { 16 } else { 8 };
                    assert!(matches!(bytes, 1 | 2 | 4 | 8 | 16) && bytes <= most, "{}", row.name);
                }
            }
        }
    }
}
