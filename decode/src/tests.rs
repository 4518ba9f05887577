//! Small functions, assembled by the machine's assembler, and what is found of them.

use crate::Object;
use crate::machines;
use frazil_test_support::{Folder, Random, run};
use std::process::Command;

/// Assembles a text and looks at its function `hook`.
fn found(assembler: &str, text: &str) -> String {
    let folder = Folder::new("decode");
    let source = folder.write("hook.s", format!(".text\n.globl hook\n{text}\n"));
    let object = folder.path("hook.o");
    run(Command::new(assembler).arg(source).arg("-o").arg(&object));
    let bytes = std::fs::read(object).expect("the assembler has written it");
    let object = Object::read(&bytes).expect("it is an object");
    match object.look("hook") {
        Ok(found) => found.in_words(),
        Err(error) => format!("`hook` {error}"),
    }
}

fn check(assembler: &str, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let found = found(assembler, text);
        let found = found.strip_prefix("machine code of ").unwrap_or(&found);
        let found = found.replace("that overwrites what the convention allows: ", "all: ");
        assert_eq!(found.replace("that overwrites ", ""), *expected, "{text}");
    }
}

const X86_64: &[(&str, &str)] = &[
    // A leaf; parts of registers are registers.
    ("hook: incq total(%rip)\n ret", "8 bytes nothing but flags"),
    ("hook: mov $1, %sil\n add %esi, total(%rip)\n ret", "10 bytes rsi"),
    // What callees save is not what calls overwrite, whether it is saved or not.
    (
        "hook: push %rbx\n mov %rdi, %rbx\n pop %rbx\n ret",
        "6 bytes nothing but flags",
    ),
    ("hook: push %rdi\n pop %rdi\n ret", "3 bytes rdi"),
    // Loops, and a branch over a return.
    ("hook: mov $9, %ecx\n1: dec %ecx\n jne 1b\n ret", "10 bytes rcx"),
    ("hook: mov $9, %ecx\n1: loop 1b\n ret", "8 bytes rcx"),
    (
        "hook: test %edi, %edi\n je 1f\n xor %eax, %eax\n ret\n1: xor %edx, %edx\n ret",
        "10 bytes rax, rdx",
    ),
    ("hook: jmp 2f\n1: ret\n2: xor %eax, %eax\n jmp 1b", "7 bytes rax"),
    // Where nothing leads, code counts only up to what branches lead over.
    ("hook: ret\n xor %eax, %eax\n ret", "1 bytes nothing but flags"),
    ("hook: ud2\n xor %eax, %eax", "2 bytes nothing but flags"),
    // Vectors, of any width, and what writes all of them.
    ("hook: addsd %xmm0, %xmm3\n ret", "5 bytes xmm3"),
    ("hook: vpxor %ymm1, %ymm2, %ymm9\n ret", "5 bytes xmm9"),
    (
        "hook: vzeroupper\n ret",
        "4 bytes xmm0, xmm1, xmm2, xmm3, xmm4, xmm5, xmm6, xmm7, xmm8, xmm9, xmm10, xmm11, xmm12, xmm13, xmm14, xmm15",
    ),
    (
        "hook: cmovs %rax, %r8\n xchg %rcx, %r9\n rep movsb\n ret",
        "10 bytes rcx, rsi, rdi, r8, r9",
    ),
    (
        "hook: lock cmpxchg %rdi, total(%rip)\n cpuid\n ret",
        "12 bytes rax, rcx, rdx",
    ),
    // Other functions of the object: by relocation, in another section, and without a relocation.
    (
        "hook: call part\n ret\n part: xor %r8d, %r8d\n ret",
        "6 bytes and one function more in the object r8",
    ),
    (
        "hook: jmp part\n .section .text.cold,\"ax\"\n nop\n part: call next\n ret\n next: xor %r9d, %r9d\n jmp part",
        "5 bytes and 2 functions more in the object r9",
    ),
    (
        "hook: je part\n ret\n .hidden part\n .globl part\n .section .text.cold,\"ax\"\n part: xor %r8d, %r8d\n ret",
        "7 bytes and one function more in the object r8",
    ),
    // A jump past the function's end is one to another.
    (
        ".type hook, @function\n hook: jmp part\n .size hook, .-hook\n call puts\n part: xor %r8d, %r8d\n ret",
        "2 bytes and one function more in the object r8",
    ),
    // What another object may define.
    (
        "hook: call puts\n ret",
        "0 bytes all: it calls `puts`, which another object may define",
    ),
    (
        "hook: jmp puts",
        "0 bytes all: it goes on in `puts`, which another object may define",
    ),
    (
        ".weak part\n hook: jmp part\n part: ret",
        "0 bytes all: it goes on in `part`, which another object may define",
    ),
    (
        ".type part, @gnu_indirect_function\n hook: jmp part\n part: ret",
        "0 bytes all: it goes on in `part`, which another object may define",
    ),
    (
        ".weak hook\n hook: ret",
        "1 bytes all: it is weak, so that another object may define it",
    ),
    // What cannot be followed.
    ("hook: jmp *%rdi", "0 bytes all: it has a computed jump"),
    ("hook: jmp *table(,%rdi,8)", "0 bytes all: it has a computed jump"),
    (
        "hook: nop\n call *%rdi\n ret",
        "1 bytes all: it calls through a pointer",
    ),
    (
        "hook: call *puts@GOTPCREL(%rip)\n ret",
        "0 bytes all: it calls through a pointer",
    ),
    (
        "hook: syscall\n ret",
        "0 bytes all: it has an instruction that goes to a system, or to elsewhere in an unusual way",
    ),
    (
        "hook: xrstor (%rdi)\n ret",
        "0 bytes all: it has an instruction of systems",
    ),
    ("hook: .byte 6", "0 bytes all: it has bytes that are no instruction"),
    ("hook: nop", "1 bytes all: it has no end"),
    (
        "hook: jmp 1f + 1\n1: mov $1, %eax\n ret",
        "8 bytes all: it branches into the middle of an instruction",
    ),
    (
        "hook: .fill 5000, 1, 0x90\n ret",
        "4096 bytes all: it is longer than 4096 bytes",
    ),
    (
        "hook: je 1f\n ret\n .fill 4100, 1, 0x90\n1: ret",
        "7 bytes and one function more in the object nothing but flags",
    ),
    // What is no function that can be called.
    (
        "call hook",
        "`hook` is only declared in the object: it must be defined there",
    ),
    (
        ".data\nhook: .quad 1",
        "`hook` is data of the object: expected a function",
    ),
    (
        ".type hook, @gnu_indirect_function\n hook: ret",
        "`hook` is chosen when the program starts (`ifunc`): expected a function",
    ),
];

#[test]
fn functions_of_x86_64_are_followed() {
    check("as", X86_64);
}

const AARCH64: &[(&str, &str)] = &[
    (
        "hook: adrp x1, total\n ldr x2, [x1, :lo12:total]\n add x2, x2, 1\n str x2, [x1, :lo12:total]\n ret",
        "20 bytes x1, x2",
    ),
    (
        "hook: stp x19, x20, [sp, -16]!\n mov x19, x0\n ldp x19, x20, [sp], 16\n ret",
        "16 bytes nothing but flags",
    ),
    ("hook: mov w3, 9\n1: subs w3, w3, 1\n b.ne 1b\n ret", "16 bytes x3"),
    (
        "hook: cbz x0, 1f\n mov x1, 1\n ret\n1: tbnz x0, 3, 2f\n2: mov x2, 1\n ret",
        "24 bytes x1, x2",
    ),
    ("hook: ret\n mov x1, 1", "4 bytes nothing but flags"),
    // Addresses that are written back, pairs, lists and lanes.
    (
        "hook: ldr x1, [x2], 8\n str x3, [x4, 8]!\n ldr x5, [x6, x7]\n ret",
        "16 bytes x1, x2, x4, x5",
    ),
    (
        "hook: ldp x1, x2, [x3]\n ldpsw x4, x5, [x6, 8]!\n ret",
        "12 bytes x1, x2, x4, x5, x6",
    ),
    (
        "hook: ld2 {v1.4s, v2.4s}, [x1], 32\n st1 {v3.16b}, [x2]\n ret",
        "12 bytes x1, v1, v2",
    ),
    (
        "hook: fadd d1, d2, d3\n fmov x4, d5\n mov v6.d[1], x7\n umov w0, v1.b[1]\n ret",
        "20 bytes x0, x4, v1, v6",
    ),
    (
        "hook: cmp x0, 1\n csel x1, x2, x3, eq\n cinc w4, w5, lt\n fcmp d0, 0\n ret",
        "20 bytes x1, x4",
    ),
    ("hook: mrs x1, tpidr_el0\n madd x2, x3, x4, x5\n ret", "12 bytes x1, x2"),
    (
        "hook:\n1: ldaxr x1, [x2]\n add x1, x1, 1\n stlxr w3, x1, [x2]\n cbnz w3, 1b\n ret",
        "20 bytes x1, x3",
    ),
    (
        ".arch armv8.1-a\n hook: ldadd x1, x2, [x3]\n stadd x1, [x3]\n swpal x4, x5, [x6]\n ret",
        "16 bytes x1, x2, x4, x5",
    ),
    (
        ".arch armv8.1-a\n hook: casp x0, x1, x2, x3, [x4]\n cas w5, w6, [x7]\n ret",
        "12 bytes x0, x1, x2, x3, x5, x6",
    ),
    // The low halves of `v8` to `v15` are saved, and no value is ever in them.
    ("hook: movi v8.2d, 0\n movi v16.2d, 0\n ret", "12 bytes v16"),
    (
        "hook: bl part\n ret\n part: mov x7, 1\n ret",
        "8 bytes and one function more in the object x7",
    ),
    (
        "hook: b part\n .section .text.cold,\"ax\"\n nop\n part: mov x7, 1\n ret",
        "4 bytes and one function more in the object x7",
    ),
    (
        "hook: bl puts\n ret",
        "0 bytes all: it calls `puts`, which another object may define",
    ),
    (
        "hook: b puts",
        "0 bytes all: it goes on in `puts`, which another object may define",
    ),
    ("hook: br x0", "0 bytes all: it has a computed jump"),
    ("hook: blr x0\n ret", "0 bytes all: it calls through a pointer"),
    (
        "hook: svc 0\n ret",
        "0 bytes all: it has an instruction of which it is not known what it writes",
    ),
    (
        "hook: .inst 0xffffffff",
        "0 bytes all: it has bytes that are no known instruction",
    ),
    ("hook: nop", "4 bytes all: it has no end"),
    ("hook: brk 1", "4 bytes nothing but flags"),
];

#[test]
fn functions_of_aarch64_are_followed() {
    check("aarch64-linux-gnu-as", AARCH64);
}

/// The registers that an operand of a disassembler names, by bank.
fn named(operand: &str) -> [u64; 2] {
    let mut banks = [0; 2];
    for word in operand.split(|letter: char| !letter.is_ascii_alphanumeric()) {
        let Some((bank, number)) = word.split_at_checked(1) else {
            continue;
        };
        let Ok(number) = number.parse::<u64>() else { continue };
        match bank {
            "x" | "w" if number < 31 => banks[0] |= 1 << number,
            "b" | "h" | "s" | "d" | "q" | "v" if number < 32 => banks[1] |= 1 << number,
            _ => {}
        }
    }
    banks
}

/// What an instruction certainly writes, as it is written in assembly: the first operand of operations that compute or
/// load something, two of pairs, and an address that is written back.
fn certainly_written(mnemonic: &str, operands: &str) -> [u64; 2] {
    let operand = |index| operands.split(", ").nth(index).map_or([0; 2], named);
    let join = |a: [u64; 2], b: [u64; 2]| [a[0] | b[0], a[1] | b[1]];
    let reads = [
        "st", "cb", "tb", "b", "ret", "pr", "fcmp", "fccmp", "ccm", "hint", "ldadd", "ldset", "ldclr", "swp",
    ];
    let computes = ["bic", "bfm", "bsl", "bit", "bif"];
    let is_read = reads.iter().any(|start| mnemonic.starts_with(start));
    let mut written = match is_read && !computes.iter().any(|start| mnemonic.starts_with(start)) {
        true => [0; 2],
        false => operand(0),
    };
    if mnemonic.starts_with("ldp") {
        written = join(written, operand(1));
    }
    match operands.split_once('[') {
        Some((_, address)) if address.ends_with('!') || address.contains("], ") => {
            join(written, named(address.split([',', ']']).next().unwrap_or_default()))
        }
        _ => written,
    }
}

#[test]
fn what_a_disassembler_says_is_written_is() {
    let machine = machines::of_elf(object::elf::EM_AARCH64.0).expect("it is built in");
    let mut disassemble = Command::new("aarch64-linux-gnu-objdump");
    disassemble.args(["-d", "-M", "no-aliases", "/usr/aarch64-linux-gnu/lib/libm.so.6"]);
    let output = disassemble.output().expect("the disassembler starts");
    let (mut checked, mut unknown) = (0, 0);
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [_, word, mnemonic, operands @ ..] = &columns[..] else {
            continue;
        };
        let Ok(word) = u32::from_str_radix(word.trim(), 16) else {
            continue;
        };
        let Ok(decoded) = (machine.decode)(&word.to_le_bytes(), 0) else {
            unknown += 1;
            continue;
        };
        let operands = operands
            .first()
            .map_or("", |operands| operands.split(" //").next().unwrap_or_default());
        let wanted = certainly_written(mnemonic, operands);
        let found = [decoded.written.bank(0), decoded.written.bank(1)];
        assert!(
            wanted[0] & !found[0] == 0 && wanted[1] & !found[1] == 0,
            "{line}: {found:x?}"
        );
        checked += 1;
    }
    assert!(
        checked > 50_000 && unknown < checked / 200,
        "{checked} checked, {unknown} unknown"
    );
}

#[test]
fn values_stay_in_registers_that_are_not_overwritten() {
    let folder = Folder::new("decode-kept");
    let source = folder.write("hook.s", ".globl hook\nhook: mov $1, %esi\n addsd %xmm0, %xmm1\n ret\n");
    let object = folder.path("hook.o");
    run(Command::new("as").arg(source).arg("-o").arg(&object));
    let bytes = std::fs::read(object).expect("the assembler has written it");
    let object = Object::read(&bytes).expect("it is an object");
    let found = object.look("hook").expect("it is a function");
    let kept = found.keeps().expect("it was followed");
    // `rax`, `rcx`, `rdx`, `rdi`, `r8` to `r10`; `xmm0` and `xmm2` to `xmm14`.
    assert_eq!(kept.0, [0x0787, 0x7ffd]);
}

#[test]
fn any_bytes_are_decoded_without_a_panic() {
    let mut random = Random::new(1);
    for number in [object::elf::EM_X86_64.0, object::elf::EM_AARCH64.0] {
        let machine = machines::of_elf(number).expect("it is built in");
        for _ in 0..200_000 {
            let bytes = random.next_word().to_le_bytes();
            // What it says of nonsense does not matter.
            let _ = (machine.decode)(&bytes, random.next_word());
        }
        let _ = (machine.decode)(&[0x90], 0);
    }
}
