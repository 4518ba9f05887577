//! Intrinsics that stand for instructions without a rule of their own, as texts of assembly.
//!
//! A row says what a C programmer would write in an `asm` statement for the intrinsic: the results of the call are the
//! outputs, its arguments the inputs, in their order. Source: names and operands are LLVM's (`IntrinsicsX86.td`, and
//! the Language Reference for those of all targets), meanings those of the Intel manual, volume 2. Which features a
//! function must have is the front end's matter: it refuses the built-in function otherwise.
//!
//! What is worth a rule, since code quality matters, is in [`crate::lower`].

use frazil_codegen::inline_asm::flag;
use frazil_ir::AsmData;

/// A text. It may use the stack below the stack pointer where `flags` says so: then nothing else is there.
struct IntrinsicText {
    name: &'static str,
    template: &'static str,
    constraints: &'static str,
    flags: u8,
}

/// [`AsmData::flags`]: the text has side effects, so it is neither moved nor merged.
const SIDE_EFFECTS: u8 = 1;
/// The same: the text pushes.
const PUSHES: u8 = SIDE_EFFECTS | 2;

const fn row(name: &'static str, template: &'static str, constraints: &'static str) -> IntrinsicText {
    IntrinsicText {
        name,
        template,
        constraints,
        flags: SIDE_EFFECTS,
    }
}

const fn pushing(name: &'static str, template: &'static str, constraints: &'static str) -> IntrinsicText {
    IntrinsicText {
        flags: PUSHES,
        ..row(name, template, constraints)
    }
}

/// The text of an intrinsic, where general registers have so many bytes.
pub(super) fn text(name: &str, word_bytes: u8) -> Option<AsmData> {
    let own = match (word_bytes, name.strip_prefix("llvm.")) {
        (4, Some(name)) => IN_32_BITS.iter().find(|row| row.name == name),
        _ => None,
    };
    let found = own.or_else(|| of_both(name));
    found.map(|row| AsmData {
        template: row.template.as_bytes().to_vec(),
        constraints: row.constraints.as_bytes().to_vec(),
        flags: row.flags,
    })
}

/// That of 64-bit code, and of 32-bit code where it has no other.
fn of_both(name: &str) -> Option<&'static IntrinsicText> {
    match name.strip_prefix("llvm.x86.") {
        Some(name) => PROCESSOR.iter().find(|row| row.name == name),
        None => {
            let name = match name.strip_prefix("llvm.")? {
                // Its name up to LLVM 16.
                "flt.rounds" => "get.rounding",
                name => name,
            };
            COMMON.iter().find(|row| row.name == name)
        }
    }
}

/// Those of 32-bit code that have another text there, without `llvm.`.
const IN_32_BITS: &[IntrinsicText] = &[
    row(
        "canonicalize.f64",
        "movl $$0x3ff00000, %eax\n\tmovd %eax, %xmm1\n\tpsllq $$32, %xmm1\n\tmulsd %xmm1, $0",
        "=x,0,~{ax},~{xmm1}",
    ),
    pushing("get.rounding", GET_ROUNDING_32, "={ax},~{cx},~{flags},~{memory}"),
    // Its name up to LLVM 16.
    pushing("flt.rounds", GET_ROUNDING_32, "={ax},~{cx},~{flags},~{memory}"),
    pushing(
        "set.rounding",
        "leal 4($0,$0), %ecx\n\tmovl $$0xc9, %eax\n\tshll %cl, %eax\n\tandl $$0xc00, %eax\n\t\
         leal -8(%esp), %esp\n\tfnstcw (%esp)\n\tmovzwl (%esp), %ecx\n\tandl $$0xf3ff, %ecx\n\t\
         orl %eax, %ecx\n\tmovw %cx, (%esp)\n\tfldcw (%esp)\n\tshll $$3, %eax\n\tstmxcsr (%esp)\n\t\
         movl (%esp), %ecx\n\tandl $$0xffff9fff, %ecx\n\torl %eax, %ecx\n\tmovl %ecx, (%esp)\n\tldmxcsr (%esp)\n\t\
         leal 8(%esp), %esp",
        "r,~{ax},~{cx},~{flags},~{memory}",
    ),
    // Code that puts a number into ecx and jumps: mov ecx, NUMBER; jmp FUNCTION, which counts from its end.
    row(
        "init.trampoline",
        "movb $$0xb9, ($0)\n\tmovl $2, 1($0)\n\tmovb $$0xe9, 5($0)\n\tmovl $1, %eax\n\tsubl $0, %eax\n\t\
         subl $$10, %eax\n\tmovl %eax, 6($0)",
        "r,r,r,~{ax},~{flags},~{memory}",
    ),
    IntrinsicText {
        flags: SIDE_EFFECTS | flag::KEEPS_FRAME_POINTER,
        ..row("eh.unwind.init", "", "~{ebx},~{esi},~{edi}")
    },
    row("x86.rdtsc", "rdtsc", "=A"),
    row("x86.rdtscp", "rdtscp", "=A,={cx}"),
    row("x86.rdpmc", "rdpmc", "=A,{cx}"),
    row("x86.rdpru", "rdpru", "=A,{cx}"),
    row("x86.xgetbv", "xgetbv", "=A,{cx}"),
    row("x86.rdpid", "rdpid $0", "=r"),
    row("x86.invpcid", "invpcid ($1), $0", "r,r,~{memory}"),
    pushing("x86.flags.read.u32", "pushfl\n\tpopl $0", "=r,~{memory}"),
    pushing(
        "x86.flags.write.u32",
        "pushl $0\n\tpopfl",
        "r,~{flags},~{dirflag},~{memory}",
    ),
];

const GET_ROUNDING_32: &str = "leal -8(%esp), %esp\n\tfnstcw (%esp)\n\tmovzwl (%esp), %ecx\n\tleal 8(%esp), %esp\n\t\
    shrl $$9, %ecx\n\tandl $$6, %ecx\n\tmovl $$0x2d, %eax\n\tshrl %cl, %eax\n\tandl $$3, %eax";

/// Intrinsics of all targets.
const COMMON: &[IntrinsicText] = &[
    // A product with one is quiet and as the unit's modes want denormal numbers.
    row(
        "canonicalize.f32",
        "movl $$0x3f800000, %eax\n\tmovd %eax, %xmm1\n\tmulss %xmm1, $0",
        "=x,0,~{ax},~{xmm1}",
    ),
    row(
        "canonicalize.f64",
        "movabsq $$0x3ff0000000000000, %rax\n\tmovq %rax, %xmm1\n\tmulsd %xmm1, $0",
        "=x,0,~{ax},~{xmm1}",
    ),
    // The control word counts modes in another order than C: a table of two bits for each.
    pushing(
        "get.rounding",
        "leaq -8(%rsp), %rsp\n\tfnstcw (%rsp)\n\tmovzwl (%rsp), %ecx\n\tleaq 8(%rsp), %rsp\n\t\
         shrl $$9, %ecx\n\tandl $$6, %ecx\n\tmovl $$0x2d, %eax\n\tshrl %cl, %eax\n\tandl $$3, %eax",
        "={ax},~{cx},~{flags},~{memory}",
    ),
    // Both the x87 unit's and that of SSE.
    pushing(
        "set.rounding",
        "leal 4($0,$0), %ecx\n\tmovl $$0xc9, %eax\n\tshll %cl, %eax\n\tandl $$0xc00, %eax\n\t\
         leaq -8(%rsp), %rsp\n\tfnstcw (%rsp)\n\tmovzwl (%rsp), %ecx\n\tandl $$0xf3ff, %ecx\n\t\
         orl %eax, %ecx\n\tmovw %cx, (%rsp)\n\tfldcw (%rsp)\n\tshll $$3, %eax\n\tstmxcsr (%rsp)\n\t\
         movl (%rsp), %ecx\n\tandl $$0xffff9fff, %ecx\n\torl %eax, %ecx\n\tmovl %ecx, (%rsp)\n\tldmxcsr (%rsp)\n\t\
         leaq 8(%rsp), %rsp",
        "r,~{ax},~{cx},~{flags},~{memory}",
    ),
    // Code that puts a number into r10 and jumps: movabs r11, FUNCTION; movabs r10, NUMBER; jmp r11.
    row(
        "init.trampoline",
        "movw $$0xbb49, ($0)\n\tmovq $1, 2($0)\n\tmovw $$0xba49, 10($0)\n\tmovq $2, 12($0)\n\t\
         movw $$0xff49, 20($0)\n\tmovb $$0xe3, 22($0)",
        "r,r,r,~{memory}",
    ),
    // All registers that a caller keeps values in come to memory; the frame pointer when the frame is set up.
    IntrinsicText {
        flags: SIDE_EFFECTS | flag::KEEPS_FRAME_POINTER,
        ..row("eh.unwind.init", "", "~{rbx},~{r12},~{r13},~{r14},~{r15}")
    },
];

/// What brings a 64-bit result together.
macro_rules! in_edx_eax {
    ($instruction:literal) => {
        concat!($instruction, "\n\tshlq $$32, %rdx\n\torq %rdx, %rax")
    };
}

/// Intrinsics of this processor, without `llvm.x86.`.
const PROCESSOR: &[IntrinsicText] = &[
    // Time, randomness, identification.
    row("rdtsc", in_edx_eax!("rdtsc"), "={ax},~{dx},~{flags}"),
    row("rdtscp", in_edx_eax!("rdtscp"), "={ax},={cx},~{dx},~{flags}"),
    row("rdpmc", in_edx_eax!("rdpmc"), "={ax},{cx},~{dx},~{flags}"),
    row("rdpru", in_edx_eax!("rdpru"), "={ax},{cx},~{dx},~{flags}"),
    row("rdrand.16", "rdrand $0", "=r,={@ccc},~{flags}"),
    row("rdrand.32", "rdrand $0", "=r,={@ccc},~{flags}"),
    row("rdrand.64", "rdrand $0", "=r,={@ccc},~{flags}"),
    row("rdseed.16", "rdseed $0", "=r,={@ccc},~{flags}"),
    row("rdseed.32", "rdseed $0", "=r,={@ccc},~{flags}"),
    row("rdseed.64", "rdseed $0", "=r,={@ccc},~{flags}"),
    row("rdpid", "rdpid ${0:q}", "=r"),
    // Long addition: the carry comes in as a byte that is not zero, and goes out as one.
    row(
        "addcarry.32",
        "addb $$-1, $0\n\tadcl $4, $1\n\tsetb $0",
        "=&r,=&r,0,1,r,~{flags}",
    ),
    row(
        "addcarry.64",
        "addb $$-1, $0\n\tadcq $4, $1\n\tsetb $0",
        "=&r,=&r,0,1,r,~{flags}",
    ),
    row(
        "subborrow.32",
        "addb $$-1, $0\n\tsbbl $4, $1\n\tsetb $0",
        "=&r,=&r,0,1,r,~{flags}",
    ),
    row(
        "subborrow.64",
        "addb $$-1, $0\n\tsbbq $4, $1\n\tsetb $0",
        "=&r,=&r,0,1,r,~{flags}",
    ),
    // Bits.
    row("bmi.bextr.32", "bextrl $2, $1, $0", "=r,r,r,~{flags}"),
    row("bmi.bextr.64", "bextrq $2, $1, $0", "=r,r,r,~{flags}"),
    row("bmi.bzhi.32", "bzhil $2, $1, $0", "=r,r,r,~{flags}"),
    row("bmi.bzhi.64", "bzhiq $2, $1, $0", "=r,r,r,~{flags}"),
    row("bmi.pdep.32", "pdepl $2, $1, $0", "=r,r,r"),
    row("bmi.pdep.64", "pdepq $2, $1, $0", "=r,r,r"),
    row("bmi.pext.32", "pextl $2, $1, $0", "=r,r,r"),
    row("bmi.pext.64", "pextq $2, $1, $0", "=r,r,r"),
    row("tbm.bextri.u32", "bextrl $2, $1, $0", "=r,r,i,~{flags}"),
    row("tbm.bextri.u64", "bextrq $2, $1, $0", "=r,r,i,~{flags}"),
    // Hashes.
    row("sha1msg1", "sha1msg1 $2, $0", "=x,0,x"),
    row("sha1msg2", "sha1msg2 $2, $0", "=x,0,x"),
    row("sha1nexte", "sha1nexte $2, $0", "=x,0,x"),
    row("sha1rnds4", "sha1rnds4 $3, $2, $0", "=x,0,x,i"),
    row("sha256msg1", "sha256msg1 $2, $0", "=x,0,x"),
    row("sha256msg2", "sha256msg2 $2, $0", "=x,0,x"),
    row("sha256rnds2", "sha256rnds2 %xmm0, $2, $0", "=x,0,x,{xmm0}"),
    row("vgf2p8affineqb.128", "gf2p8affineqb $3, $2, $0", "=x,0,x,i"),
    row("vgf2p8affineinvqb.128", "gf2p8affineinvqb $3, $2, $0", "=x,0,x,i"),
    row("vgf2p8mulb.128", "gf2p8mulb $2, $0", "=x,0,x"),
    // The cache.
    row("sse2.clflush", "clflush ($0)", "r,~{memory}"),
    row("clflushopt", "clflushopt ($0)", "r,~{memory}"),
    row("clwb", "clwb ($0)", "r,~{memory}"),
    row("cldemote", "cldemote ($0)", "r,~{memory}"),
    row("clzero", "clzero", "{ax},~{memory}"),
    row("wbinvd", "wbinvd", "~{memory}"),
    row("wbnoinvd", "wbnoinvd", "~{memory}"),
    // Stores past the cache.
    row("directstore32", "movdiri $1, ($0)", "r,r,~{memory}"),
    row("directstore64", "movdiri $1, ($0)", "r,r,~{memory}"),
    row("movdir64b", "movdir64b ($1), $0", "r,r,~{memory}"),
    row("enqcmd", "enqcmd ($2), $1", "={@ccz},r,r,~{memory},~{flags}"),
    row("enqcmds", "enqcmds ($2), $1", "={@ccz},r,r,~{memory},~{flags}"),
    // State of the processor.
    row("xgetbv", in_edx_eax!("xgetbv"), "={ax},{cx},~{dx},~{flags}"),
    row("xsetbv", "xsetbv", "{cx},{dx},{ax},~{memory}"),
    row("fxsave", "fxsave ($0)", "r,~{memory}"),
    row("fxsave64", "fxsave64 ($0)", "r,~{memory}"),
    row("fxrstor", "fxrstor ($0)", "r,~{memory}"),
    row("fxrstor64", "fxrstor64 ($0)", "r,~{memory}"),
    row("xsave", "xsave ($0)", "r,{dx},{ax},~{memory}"),
    row("xsave64", "xsave64 ($0)", "r,{dx},{ax},~{memory}"),
    row("xsavec", "xsavec ($0)", "r,{dx},{ax},~{memory}"),
    row("xsavec64", "xsavec64 ($0)", "r,{dx},{ax},~{memory}"),
    row("xsaveopt", "xsaveopt ($0)", "r,{dx},{ax},~{memory}"),
    row("xsaveopt64", "xsaveopt64 ($0)", "r,{dx},{ax},~{memory}"),
    row("xsaves", "xsaves ($0)", "r,{dx},{ax},~{memory}"),
    row("xsaves64", "xsaves64 ($0)", "r,{dx},{ax},~{memory}"),
    row("xrstor", "xrstor ($0)", "r,{dx},{ax},~{memory}"),
    row("xrstor64", "xrstor64 ($0)", "r,{dx},{ax},~{memory}"),
    row("xrstors", "xrstors ($0)", "r,{dx},{ax},~{memory}"),
    row("xrstors64", "xrstors64 ($0)", "r,{dx},{ax},~{memory}"),
    row("rdfsbase.32", "rdfsbasel $0", "=r"),
    row("rdfsbase.64", "rdfsbaseq $0", "=r"),
    row("rdgsbase.32", "rdgsbasel $0", "=r"),
    row("rdgsbase.64", "rdgsbaseq $0", "=r"),
    row("wrfsbase.32", "wrfsbasel $0", "r,~{memory}"),
    row("wrfsbase.64", "wrfsbaseq $0", "r,~{memory}"),
    row("wrgsbase.32", "wrgsbasel $0", "r,~{memory}"),
    row("wrgsbase.64", "wrgsbaseq $0", "r,~{memory}"),
    row(
        "rdpkru",
        "xorl %ecx, %ecx\n\trdpkru",
        "={ax},~{cx},~{dx},~{flags},~{memory}",
    ),
    row(
        "wrpkru",
        "xorl %ecx, %ecx\n\txorl %edx, %edx\n\twrpkru",
        "{ax},~{cx},~{dx},~{flags},~{memory}",
    ),
    pushing("flags.read.u64", "pushfq\n\tpopq $0", "=r,~{memory}"),
    pushing(
        "flags.write.u64",
        "pushq $0\n\tpopfq",
        "r,~{flags},~{dirflag},~{memory}",
    ),
    row("serialize", "serialize", "~{memory}"),
    row("hreset", "hreset $$0", "{ax},~{memory}"),
    row("invpcid", "invpcid ($1), ${0:q}", "r,r,~{memory}"),
    row("avx.vzeroupper", "vzeroupper", ""),
    row("avx.vzeroall", "vzeroall", ALL_VECTORS),
    // Shadow stacks.
    row("rdsspd", "rdsspd $0", "=r,0"),
    row("rdsspq", "rdsspq $0", "=r,0"),
    row("incsspd", "incsspd $0", "r,~{memory}"),
    row("incsspq", "incsspq $0", "r,~{memory}"),
    row("saveprevssp", "saveprevssp", "~{memory}"),
    row("rstorssp", "rstorssp ($0)", "r,~{flags},~{memory}"),
    row("wrssd", "wrssd $0, ($1)", "r,r,~{memory}"),
    row("wrssq", "wrssq $0, ($1)", "r,r,~{memory}"),
    row("wrussd", "wrussd $0, ($1)", "r,r,~{memory}"),
    row("wrussq", "wrussq $0, ($1)", "r,r,~{memory}"),
    row("setssbsy", "setssbsy", "~{memory}"),
    row("clrssbsy", "clrssbsy ($0)", "r,~{flags},~{memory}"),
    // Waiting, interrupts, traces.
    row("sse3.monitor", "monitor", "{ax},{cx},{dx},~{memory}"),
    row("sse3.mwait", "mwait", "{cx},{ax},~{memory}"),
    row("monitorx", "monitorx", "{ax},{cx},{dx},~{memory}"),
    row("mwaitx", "mwaitx", "{cx},{ax},{bx},~{memory}"),
    row("umonitor", "umonitor $0", "r,~{memory}"),
    row("umwait", "umwait $1", "={@ccc},r,{dx},{ax},~{flags},~{memory}"),
    row("tpause", "tpause $1", "={@ccc},r,{dx},{ax},~{flags},~{memory}"),
    row("int", "int $0", "i,~{memory}"),
    row("clui", "clui", "~{memory}"),
    row("stui", "stui", "~{memory}"),
    row("testui", "testui", "={@ccc},~{flags},~{memory}"),
    row("senduipi", "senduipi $0", "r,~{memory}"),
    row("ptwrite32", "ptwritel $0", "r"),
    row("ptwrite64", "ptwriteq $0", "r"),
    row("llwpcb", "llwpcb $0", "r,~{memory}"),
    row("slwpcb", "slwpcb $0", "=r"),
    row("lwpins32", "lwpins $3, $2, $1", "={@ccc},r,r,i,~{flags},~{memory}"),
    row("lwpins64", "lwpins $3, $2, $1", "={@ccc},r,r,i,~{flags},~{memory}"),
    row("lwpval32", "lwpval $2, $1, $0", "r,r,i,~{memory}"),
    row("lwpval64", "lwpval $2, $1, $0", "r,r,i,~{memory}"),
    // Transactions. The processor comes back after the first one with a status if a transaction fails.
    row(
        "xbegin",
        "movl $$-1, %eax\n\t.byte 0xc7, 0xf8, 0, 0, 0, 0",
        "={ax},~{memory}",
    ),
    row("xend", "xend", "~{memory}"),
    row("xabort", "xabort $0", "i,~{memory}"),
    row("xtest", "xtest", "={@ccnz},~{flags}"),
];

/// All vector registers as overwritten.
const ALL_VECTORS: &str = "~{xmm0},~{xmm1},~{xmm2},~{xmm3},~{xmm4},~{xmm5},~{xmm6},~{xmm7},\
    ~{xmm8},~{xmm9},~{xmm10},~{xmm11},~{xmm12},~{xmm13},~{xmm14},~{xmm15}";
