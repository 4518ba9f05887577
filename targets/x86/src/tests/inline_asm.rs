//! The encoder of inline assembly: what it makes of a text is what the assembler makes of it, and the text of every
//! sample of every row leads back to the sample's bytes.

use super::{assembler, bytes, row, samples};
use crate::inline_asm::X86Asm;
use crate::print::print_to;
use crate::regs::{R9, RAX, RBX, RDI, RDX, XMM0, XMM3, XMM15};
use crate::table::Op;
use frazil_codegen::inline_asm::{AsmLine, AsmOperand, AsmPiece, AsmPlace, AsmRules, AsmText};
use frazil_codegen::{AsmNames, Label, Mem, Ref, RefKind};
use std::fmt::{self, Write};

struct NoNames;

impl AsmNames for NoNames {
    fn write_label(&self, _: Label, out: &mut dyn Write) -> fmt::Result {
        out.write_str("label")
    }

    fn write_ref(&self, _: Ref, out: &mut dyn Write) -> fmt::Result {
        out.write_str("symbol")
    }
}

/// The bytes of a text, if it is encoded.
fn encoded<const W: u8>(text: &str, is_intel: bool) -> Option<Vec<u8>> {
    let lines = X86Asm::<W>.assemble(text, is_intel)?;
    let encode = |line: &AsmLine| match line {
        AsmLine::Inst(inst) => bytes::<W>(inst),
        AsmLine::Bytes(bytes) => bytes.clone(),
        AsmLine::Align(_) => Vec::new(),
    };
    Some(lines.iter().flat_map(encode).collect())
}

#[test]
fn texts_of_rows_give_the_bytes_of_rows() {
    check_rows::<8>();
    check_rows::<4>();
}

fn check_rows<const W: u8>() {
    let (mut read, mut all) = (0, 0);
    for inst in Op::ALL.iter().flat_map(|&op| samples::<W>(op as u16)) {
        let expected = bytes::<W>(&inst);
        let mut text = String::new();
        print_to::<W>(&inst, expected.len() as u8, &NoNames, &mut text).expect("a string takes all text");
        all += 1;
        if let Some(found) = encoded::<W>(&text, false) {
            assert_eq!(found, expected, "{} `{text}`", row(&inst).name);
            read += 1;
        }
    }
    assert!(read * 2 > all, "only {read} of {all} texts are encoded");
}

#[test]
fn idioms_give_the_bytes_that_the_assembler_gives() {
    let att = [
        "nop",
        "pause",
        "rep; nop",
        "cpuid",
        "rdtsc",
        "mfence",
        "bswap %r9",
        "xchgq %rbx, %rsi\n\tcpuid\n\txchgq %rbx, %rsi",
        "lock; xaddl %eax, (%rdi)",
        "lock cmpxchg16b (%rsi)",
        "cmp %ecx, %edx\ncmova %esi, %eax",
        "mov $0x7f, %al # a comment",
        "addl $4294967295, %eax",
        "imul $100, %rdx, %rax",
        "shlq %cl, %rax",
        "rorw $3, %bx",
        "movzbl %sil, %eax",
        "leaq -8(%rbp,%r12,8), %r13",
        "sqrtsd %xmm1, %xmm9",
        "setnz %r8b",
        ".byte 0xf3, 0x90, -1",
        "rep movsb",
    ];
    let intel = [
        "mov rsi, rbx\ncpuid\nxchg rsi, rbx",
        "lea rax, [rsi + 1*rcx + 7]",
        "mov dword ptr [rdi + 4*rax - 12], 5",
        "add r10d, dword ptr [rbp]",
        "cmovne eax, ecx",
        "lock xadd qword ptr [rdx], rax",
        "shl eax, cl",
        "bswap edi",
    ];
    check_idioms::<8>(assembler::GNU, &att, &intel);
}

#[test]
fn idioms_of_32_bit_code_give_the_bytes_that_the_assembler_gives() {
    let att = [
        "nop",
        "cpuid",
        "rdtsc",
        "xchgl %ebx, %esi\n\tcpuid\n\txchgl %ebx, %esi",
        "lock; cmpxchg8b (%esi)",
        "lock; xaddl %eax, (%edi)",
        "incl %ecx; decw %dx; incb %al",
        "movl 4(%esp), %eax",
        "addl $4294967295, %eax",
        "mull %ecx",
        "shldl %cl, %eax, %edx",
        "leal -8(%ebp,%esi,8), %edi",
        "movzbl %bl, %eax",
        "sqrtsd %xmm1, %xmm7",
        "setnz %dl",
        "rep movsl",
        "bswap %edi",
    ];
    let intel = [
        "mov esi, ebx\ncpuid\nxchg esi, ebx",
        "lea eax, [esi + 1*ecx + 7]",
        "mov dword ptr [edi + 4*eax - 12], 5",
        "lock xadd dword ptr [edx], eax",
        "inc edi",
    ];
    check_idioms::<4>(assembler::GNU_32, &att, &intel);
}

fn check_idioms<const W: u8>(assembler: assembler::Assembler, att: &[&str], intel: &[&str]) {
    for (texts, is_intel) in [(att, false), (intel, true)] {
        for text in texts {
            let ours = encoded::<W>(text, is_intel).unwrap_or_else(|| panic!("`{text}` is not encoded"));
            let dialect = if is_intel { ".intel_syntax noprefix\n" } else { "" };
            let Some(theirs) = assembler::assemble(assembler, &format!("{dialect}{text}\n"), "idioms") else {
                return;
            };
            assert_eq!(ours, theirs.code, "{text}");
        }
    }
}

#[test]
fn what_is_not_understood_is_left_to_an_assembler() {
    for text in [
        "1: jmp 1b",
        "call foo",
        "movl foo(%rip), %eax",
        "mov $foo, %eax",
        "nosuch %eax",
        "addl %rax, %ecx",
        "addl $0x100000000, %eax",
        "addq $0x80000000, %rax",
        "inc (%rax)",
        "xchgl %eax, %eax",
        "xchgq %rcx, %rcx",
        "lock",
        ".pushsection .data",
        ".p2align 4,,15",
        "movl $010, %eax",
        "jmp *%rax",
        "vaddps %ymm0, %ymm1, %ymm2",
    ] {
        assert_eq!(encoded::<8>(text, false), None, "{text}");
    }
    for text in [
        "movl (%rax), %eax",
        "addq %rax, %rcx",
        "movb %sil, %al",
        "addl %r8d, %eax",
        "paddd %xmm8, %xmm0",
        "cqto",
        "rep movsq",
        "lock cmpxchg16b (%esi)",
        "pushq %rax",
        "incl counter",
    ] {
        assert_eq!(encoded::<4>(text, false), None, "{text}");
    }
}

/// Places of operands, modifiers, and what llc 22 prints for them in both dialects.
const MODIFIERS: &[(AsmPlace, &str, &str, &str)] = &[
    (AsmPlace::Immediate(42), "", "$42", "42"),
    (AsmPlace::Immediate(42), "V", "$42", "42"),
    (AsmPlace::Immediate(42), "c", "42", "42"),
    (AsmPlace::Immediate(42), "n", "-42", "-42"),
    (AsmPlace::Immediate(42), "s", "22", "22"),
    (AsmPlace::Register(RDI), "", "%edi", "edi"),
    (AsmPlace::Register(RDI), "b", "%dil", "dil"),
    (AsmPlace::Register(RDI), "q", "%rdi", "rdi"),
    (AsmPlace::Register(RDI), "V", "rdi", "rdi"),
    (AsmPlace::Register(RDI), "A", "*%edi", "edi"),
    (AsmPlace::Register(XMM0), "P", "%xmm0", "xmm0"),
    (AsmPlace::Register(XMM0), "t", "%ymm0", "ymm0"),
    (AsmPlace::Stack(1), "", "%st(1)", "st(1)"),
    (AsmPlace::Stack(0), "P", "%st(0)", "st(0)"),
];

#[test]
fn operands_are_written_as_modifiers_say() {
    for &(place, modifier, att, intel) in MODIFIERS {
        let operand = AsmOperand {
            place,
            bytes: 4,
            is_output: false,
        };
        for (expected, is_intel) in [(att, false), (intel, true)] {
            let mut out = AsmText::default();
            X86Asm::<8>
                .print_operand(&operand, Some(modifier), is_intel, &mut out)
                .expect("llc writes it, too");
            assert_eq!(out.as_plain(), Some(expected), "{place:?} {modifier}");
        }
    }
    let stack = AsmOperand {
        place: AsmPlace::Stack(0),
        bytes: 8,
        is_output: false,
    };
    let refused = X86Asm::<8>.print_operand(&stack, Some("b"), false, &mut AsmText::default());
    assert_eq!(refused, Err("the modifier `b`".to_owned()));
}

#[test]
fn parts_of_registers_are_overwritten_with_them() {
    for (name, expected) in [
        ("rbx", Some(RBX)),
        ("ah", Some(RAX)),
        ("DH", Some(RDX)),
        ("r9w", Some(R9)),
        ("ymm3", Some(XMM3)),
        ("zmm15", Some(XMM15)),
        ("mm0", None),
        ("k1", None),
        ("ymm", None),
        ("nothing", None),
    ] {
        assert_eq!(X86Asm::<8>.overwritten(name), expected, "{name}");
    }
    for (name, expected) in [
        ("ebx", Some(RBX)),
        ("ah", Some(RAX)),
        ("dx", Some(RDX)),
        ("xmm3", Some(XMM3)),
        ("rbx", None),
        ("r9d", None),
        ("sil", None),
        ("xmm15", None),
    ] {
        assert_eq!(X86Asm::<4>.overwritten(name), expected, "{name}");
    }
}

/// The same in 32-bit code, as llc 22 prints them; addresses are of four bytes.
#[test]
fn operands_of_32_bit_code_are_written_as_modifiers_say() {
    let memory = |base| AsmPlace::Memory(Mem::indexed(base, RDX, 2, -8));
    let symbol = AsmPlace::Memory(Mem::symbol(Ref::new(RefKind::Symbol, 3), 4));
    for (place, modifier, bytes, att, intel) in [
        (AsmPlace::Register(RDI), "", 4, "%edi", "edi"),
        (AsmPlace::Register(RDI), "V", 4, "edi", "edi"),
        (AsmPlace::Register(RDI), "a", 4, "(%edi)", "[edi]"),
        (AsmPlace::Register(RAX), "", 8, "%eax", "eax"),
        (AsmPlace::Register(RAX), "b", 4, "%al", "al"),
        (AsmPlace::Register(RAX), "h", 4, "%ah", "ah"),
        (AsmPlace::Register(RAX), "w", 4, "%ax", "ax"),
        (memory(RBX), "", 4, "-8(%ebx,%edx,4)", "[ebx + 4*edx - 8]"),
        (memory(RBX), "H", 8, "0(%ebx,%edx,4)", "[ebx + 4*edx]"),
        (symbol, "", 4, "symbol+4", "[symbol+4]"),
    ] {
        let operand = AsmOperand {
            place,
            bytes,
            is_output: false,
        };
        for (expected, is_intel) in [(att, false), (intel, true)] {
            let mut out = AsmText::default();
            let printed = X86Asm::<4>.print_operand(&operand, Some(modifier), is_intel, &mut out);
            printed.expect("llc writes it, too");
            let text: String = (out.pieces.iter())
                .map(|piece| match piece {
                    AsmPiece::Text(text) => text.as_str(),
                    _ => "symbol",
                })
                .collect();
            assert_eq!(text, expected.trim_start_matches('0'), "{place:?} {modifier}");
        }
    }
}
