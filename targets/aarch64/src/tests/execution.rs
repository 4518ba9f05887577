//! Instructions on registers carried out in an emulator: which registers they read and write, flags included, must be
//! what rows say.
//!
//! A program runs each sample from many states of all registers, and again with other contents of one register that the
//! sample names, or other flags. What differs from the state before is written; what makes a difference elsewhere, or
//! to what is written, is read. Some readings show for few contents only: the emulator may find fewer than a row says,
//! of a twentieth of the samples, but none more, and all writings.

use super::{all_rows, encoded, samples};
use crate::ops::Form;
use crate::regs::{SP, XZR};
use crate::table::{OP_DESCS, Op};
use frazil_codegen::{MInst, Reg, Role};
use frazil_test_support::Folder;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

/// The flags among registers, whose numbers are those of general registers, then this, then vectors.
const FLAGS: usize = 32;

/// Whether instructions of a row do nothing but compute registers and flags, on a processor that the emulator has.
fn is_computing(op: Op) -> bool {
    // FEAT_CSSC is later than the emulator.
    let is_later = matches!(
        op,
        Op::Ctz | Op::Cnt | Op::Abs | Op::Smax | Op::Umax | Op::Smin | Op::Umin
    );
    let desc = &OP_DESCS[op as usize];
    let form = crate::table::ROWS[op as usize].code.form;
    let is_sequence = form == Form::Constant || form.has_mem() || form.has_symbol();
    desc.is_pure && !desc.reads_memory && !is_later && !is_sequence && !names_place(form)
}

/// Whether a form refers to a place in the program.
fn names_place(form: Form) -> bool {
    matches!(form, Form::AddressLabel | Form::SumLow | Form::SumHigh)
}

/// Two samples of each row, size and width of lanes, whose registers differ from each other.
fn chosen() -> Vec<MInst> {
    let mut chosen = Vec::new();
    for op in all_rows().filter(|&op| is_computing(op)) {
        let mut counts: BTreeMap<(u8, u8), u32> = BTreeMap::new();
        for inst in samples(op) {
            let regs: Vec<Reg> = inst.regs().into_iter().filter(|reg| reg.is_physical()).collect();
            let is_apart = (1..regs.len()).all(|index| !regs[..index].contains(&regs[index]));
            let count = counts.entry((inst.size, inst.aux)).or_default();
            if is_apart && !regs.contains(&SP) && !regs.contains(&XZR) && *count < 2 {
                *count += 1;
                chosen.push(inst);
            }
        }
    }
    chosen
}

fn index(reg: Reg) -> usize {
    reg.number() as usize + if reg.bank() == 0 { 0 } else { FLAGS + 1 }
}

/// The registers that a sample names, with the flags, and among them which are read and written, as bits.
fn expected(inst: &MInst) -> (Vec<usize>, u32, u32) {
    let desc = &OP_DESCS[usize::from(inst.op)];
    let mut named = vec![FLAGS];
    let (mut reads, mut writes) = (u32::from(desc.reads_flags), u32::from(desc.writes_flags));
    for (slot, role) in desc
        .roles
        .into_iter()
        .enumerate()
        .filter(|(_, role)| *role != Role::None)
    {
        let bit = 1 << named.len();
        named.push(index(inst.reg(slot)));
        reads |= if role == Role::Def { 0 } else { bit };
        writes |= if role == Role::Use { 0 } else { bit };
    }
    (named, reads, writes)
}

/// The code of all samples, and what brings registers there and back.
fn assembly(samples: &[MInst]) -> String {
    let mut text = ".text\n.global run\nrun: stp x29, x30, [sp, #-160]!\n".to_owned();
    let saved: Vec<String> = (19..29)
        .step_by(2)
        .map(|n| format!("x{n}, x{}, [sp, #{}]", n + 1, 8 * n - 136))
        .collect();
    let floats: Vec<String> = (8..16)
        .step_by(2)
        .map(|n| format!("d{n}, d{}, [sp, #{}]", n + 1, 8 * n + 32))
        .collect();
    let kept = || saved.iter().chain(&floats);
    kept().for_each(|pair| text.push_str(&format!("stp {pair}\n")));
    text.push_str("mov x28, x0\nmov x29, x1\nldr x9, [x28, #256]\nmsr nzcv, x9\n");
    let moves = |text: &mut String, verb: &str| {
        (0..32).for_each(|n| text.push_str(&format!("{verb} q{n}, [x28, #{}]\n", 272 + 16 * n)));
        (0..28)
            .chain([30])
            .for_each(|n| text.push_str(&format!("{verb} x{n}, [x28, #{}]\n", 8 * n)));
    };
    moves(&mut text, "ldr");
    text.push_str("br x29\nback:\n");
    moves(&mut text, "str");
    text.push_str("mrs x9, nzcv\nstr x9, [x28, #256]\n");
    kept().for_each(|pair| text.push_str(&format!("ldp {pair}\n")));
    text.push_str("ldp x29, x30, [sp], #160\nret\n");
    let mut table = ".data\n.global words\nwords:\n".to_owned();
    for (number, inst) in samples.iter().enumerate() {
        let word = u32::from_le_bytes(*encoded(inst).bytes.first_chunk().expect("it is one instruction"));
        let _ = writeln!(text, "w{number}: .inst {word:#x}\nb back");
        let _ = writeln!(table, ".quad w{number}");
    }
    text + &table
}

/// Prints what each sample reads, writes, and whether it writes what it does not name.
const PROGRAM: &str = r#"
typedef struct { uint64_t x[32], nzcv, pad; unsigned __int128 v[32]; } __attribute__((aligned(16))) S;
extern void *words[]; void run(S *, void *);
static uint64_t z = 88172645463325252ull;
static uint64_t rnd(void) { z ^= z << 13; z ^= z >> 7; z ^= z << 17; return z; }
static int eq(S *s, S *t, int k) { return k < 32 ? s->x[k] == t->x[k] : k == 32 ? s->nzcv == t->nzcv : s->v[k - 33] == t->v[k - 33]; }
static void put(S *s, int k, S *t) { if (k < 32) s->x[k] = t->x[k]; else if (k == 32) s->nzcv = t->nzcv; else s->v[k - 33] = t->v[k - 33]; }
static void fill(S *s, int mode) {
  uint64_t *p = (uint64_t *)s;
  for (unsigned i = 0; i < sizeof *s / 8; i++) {
    uint64_t a = rnd();
    if (mode % 3 == 1) a &= 0x00000fff00000fffull;
    if (mode % 3 == 2) a = ((a & 0x800fffff800fffffull) | 0x3ff000003ff00000ull) ^ (rnd() & 0x0030000000300000ull);
    p[i] = a;
  }
  s->nzcv = (rnd() & 15) << 28;
}
int main(void) {
  for (unsigned i = 0; i < sizeof named / sizeof *named; i++) {
    unsigned reads = 0, writes = 0, other = 0, count = named[i][0];
    unsigned char *regs = named[i] + 1;
    for (int k = 0; k < 24; k++) {
      S a, o; fill(&a, k); o = a; run(&o, words[i]);
      for (int q = 0; q < 65; q++) {
        if (q == 28 || q == 29 || q == 31 || eq(&a, &o, q)) continue;
        unsigned found = 0;
        for (unsigned j = 0; j < count; j++) if (regs[j] == q) { writes |= 1u << j; found = 1; }
        other |= !found;
      }
      for (unsigned j = 0; j < count; j++) {
        S b = a, f, p; fill(&f, k + rnd() % 3); put(&b, regs[j], &f); p = b; run(&p, words[i]);
        for (int q = 0; q < 65; q++) {
          if (q == 28 || q == 29 || q == 31 || eq(&o, &p, q)) continue;
          if (q != regs[j] || !eq(&a, &o, q) || !eq(&b, &p, q)) reads |= 1u << j;
        }
      }
    }
    printf("%u %u %u\n", reads, writes, other);
  }
}
"#;

fn succeeds(command: &mut Command) -> String {
    let output = command.output().expect("the tool is installed");
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn an_emulator_reads_and_writes_the_registers_that_rows_say() {
    for tool in ["aarch64-linux-gnu-gcc", "qemu-aarch64"] {
        let version = Command::new(tool).arg("--version").output();
        if !version.is_ok_and(|output| output.status.success()) {
            assert!(std::env::var_os("CI").is_none(), "there is no {tool}");
            eprintln!("skipped: there is no {tool}");
            return;
        }
    }
    let samples = chosen();
    let mut program = "#include <stdio.h>\n#include <stdint.h>\nstatic unsigned char named[][6] = {\n".to_owned();
    for inst in &samples {
        let (named, ..) = expected(inst);
        let numbers: Vec<String> = named.iter().map(usize::to_string).collect();
        let _ = writeln!(program, "{{ {}, {} }},", named.len(), numbers.join(", "));
    }
    program.push_str("};\n");
    program.push_str(PROGRAM);
    let folder = Folder::new("execution");
    let sources = [folder.write("m.c", program), folder.write("t.s", assembly(&samples))];
    let executable = folder.path("t");
    let mut compiler = Command::new("aarch64-linux-gnu-gcc");
    succeeds(
        compiler
            .args(["-O1", "-w", "-static", "-o"])
            .arg(&executable)
            .args(sources),
    );
    let said = succeeds(Command::new("qemu-aarch64").args(["-cpu", "max"]).arg(&executable));
    assert_eq!(said.lines().count(), samples.len());
    let (mut wrong, mut fewer) = (Vec::new(), 0);
    for (inst, line) in samples.iter().zip(said.lines()) {
        let numbers: Vec<u32> = line.split(' ').map(|word| word.parse().expect("a number")).collect();
        let (_, reads, writes) = expected(inst);
        // Ones that are put where they are, or nothing, change nothing.
        let is_idle = numbers[1] == 0 && inst.imm == 0;
        if numbers[0] & !reads != 0 || numbers[1] != writes && !is_idle || numbers[2] != 0 {
            wrong.push(format!(
                "{} {inst:?}: {line}, not {reads} {writes} 0",
                super::row(inst).name
            ));
        }
        fewer += usize::from(numbers[0] != reads);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(fewer * 20 < samples.len(), "{fewer} of {} read less", samples.len());
    assert!(samples.len() > 3000, "{}", samples.len());
}
