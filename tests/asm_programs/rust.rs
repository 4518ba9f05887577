//! Inline assembly as rustc writes it: Intel's syntax, operands by name, symbols, constants, labels, both with and
//! without what calls overwrite. The functions are called by `rust.c`.
#![no_std]
#![crate_type = "lib"]
use core::arch::asm;

#[unsafe(no_mangle)]
pub extern "C" fn check(results: &mut [u64; 14]) {
    *results = [
        u64::from(cpuid() > 0),
        mul(1 << 63, 6) as u64,
        (mul(1 << 63, 6) >> 64) as u64,
        add(1, 2),
        call(5),
        u64::from(lea(&[1, 2, 3, 4], 2)),
        u64::from(count(5)),
        u64::from(byte(0x12)),
        root(16.0) as u64,
        u64::from(constant()),
        u64::from(att(4)),
        many([1, 2, 3, 4, 5, 6]),
        u64::from(label(3)) * 1000 + u64::from(label(0)),
        u64::from(unsafe { global(9) }),
    ];
}

fn cpuid() -> u32 {
    core::arch::x86_64::__cpuid(0).eax
}
fn mul(a: u64, b: u64) -> u128 {
    let lo: u64;
    let hi: u64;
    unsafe {
        asm!("mul {}", in(reg) a, inlateout("rax") b => lo, lateout("rdx") hi, options(pure, nomem, nostack));
    }
    ((hi as u128) << 64) | lo as u128
}
fn add(a: u64, b: u64) -> u64 {
    let mut x = a;
    unsafe {
        asm!("add {0}, {1}", inout(reg) x, in(reg) b);
    }
    x
}
extern "C" fn triple(x: u64) -> u64 {
    x * 3
}
fn call(x: u64) -> u64 {
    let r: u64;
    unsafe {
        asm!("call {f}", f = sym triple, in("rdi") x, out("rax") r, clobber_abi("C"));
    }
    r
}
fn lea(p: &[u32; 4], i: usize) -> u32 {
    let r: u32;
    unsafe {
        asm!("mov {0:e}, dword ptr [{1} + {2}*4]", out(reg) r, in(reg) p.as_ptr(), in(reg) i, options(readonly, nostack, preserves_flags));
    }
    r
}
fn count(n: u32) -> u32 {
    let mut x = 0u32;
    unsafe {
        asm!("2:", "add {x:e}, 3", "dec {n:e}", "jnz 2b", x = inout(reg) x, n = inout(reg) n => _);
    }
    x
}
fn byte(a: u8) -> u8 {
    let mut b = a;
    unsafe {
        asm!("rol {}, 4", inout(reg_byte) b);
    }
    b
}
fn root(a: f64) -> f64 {
    let r: f64;
    unsafe {
        asm!("sqrtsd {}, {}", out(xmm_reg) r, in(xmm_reg) a);
    }
    r
}
fn constant() -> u32 {
    let r: u32;
    unsafe {
        asm!("mov {0:e}, {1}", out(reg) r, const 5 * 7);
    }
    r
}
fn att(a: u32) -> u32 {
    let r: u32;
    unsafe {
        asm!("leal 3({0:r}), {1:e}", in(reg) a, out(reg) r, options(att_syntax));
    }
    r
}
fn many(v: [u64; 6]) -> u64 {
    let mut s: u64 = 0;
    unsafe {
        asm!("add {s}, {a}", "add {s}, {b}", "add {s}, {c}", "add {s}, {d}", "add {s}, {e}", "add {s}, {f}", s = inout(reg) s, a = in(reg) v[0], b = in(reg) v[1], c = in(reg) v[2], d = in(reg) v[3], e = in(reg) v[4], f = in(reg) v[5]);
    }
    s
}
fn label(x: u32) -> u32 {
    unsafe {
        asm!("test {0:e}, {0:e}", "jz {1}", in(reg) x, label { return 100; });
    }
    x
}
core::arch::global_asm!(".globl global", "global:", "lea eax, [rdi + rdi*4]", "ret");
unsafe extern "C" {
    fn global(x: u32) -> u32;
}
