//! Registers that hold values only within texts: MMX registers, mask registers, and the second bytes of `rax`, `rcx`,
//! `rdx` and `rbx`.
//!
//! MMX registers are those of the x87 unit under other names, and its stack is empty around texts; that a text with MMX
//! registers is to end with `emms` is the programmer's matter, as it is for LLVM.

use crate::features;
use crate::regs::{RAX, RBX, RCX, RDX};
use frazil_codegen::Reg;
use frazil_codegen::features::FeatureSet;
use frazil_codegen::inline_asm::{AsmClass, AsmPiece, AsmSide, AsmText};
use frazil_ir::Type;

/// [`AsmSide::bank`] of `mm0` to `mm7`.
const MMX: u8 = 0;
/// Of `k0` to `k7`.
const MASK: u8 = 1;
/// Of `ah`, `ch`, `dh` and `bh`.
const SECOND_BYTE: u8 = 2;

/// Any MMX register.
pub(super) const MMX_CLASS: AsmClass = AsmClass::Side(MMX, 0xff);
/// Any mask register.
pub(super) const MASK_CLASS: AsmClass = AsmClass::Side(MASK, 0xff);
/// A mask register that instructions can be predicated with, which `k0` stands for none of.
pub(super) const PREDICATE_CLASS: AsmClass = AsmClass::Side(MASK, 0xfe);

const NAMES: [&[&str]; 3] = [
    &["mm0", "mm1", "mm2", "mm3", "mm4", "mm5", "mm6", "mm7"],
    &["k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"],
    &["ah", "ch", "dh", "bh"],
];

/// The registers that second bytes are parts of.
const WHOLE: [Reg; 4] = [RAX, RCX, RDX, RBX];

/// The name of a register.
pub(super) fn name(side: AsmSide) -> &'static str {
    NAMES[usize::from(side.bank)][usize::from(side.number)]
}

/// The register with a name in small letters.
pub(super) fn named(name: &str) -> Option<AsmSide> {
    NAMES.iter().zip(0..).find_map(|(names, bank)| {
        let number = names.iter().position(|known| *known == name)? as u8;
        Some(AsmSide { bank, number })
    })
}

/// The register that a register is a part of.
pub(super) fn whole(side: AsmSide) -> Option<Reg> {
    (side.bank == SECOND_BYTE).then(|| WHOLE[usize::from(side.number)])
}

/// Whether values of a type of so many bytes can be in registers of a bank.
pub(super) fn holds(bank: u8, ty: Type, bytes: u8, features: FeatureSet) -> Result<(), &'static str> {
    let is_float = matches!(ty, Type::F32 | Type::X86_F80);
    match bank {
        MMX if !features.has(features::MMX) => Err("an MMX register without the feature `mmx`"),
        MMX if bytes > 8 || is_float => Err("an operand that MMX registers cannot hold"),
        MASK if !features.has(features::AVX512F) => Err("a mask register without the feature `avx512f`"),
        MASK if bytes > 2 && !features.has(features::AVX512BW) => {
            Err("a mask register of more than 16 bits without the feature `avx512bw`")
        }
        MASK if bytes > 8 || is_float || ty == Type::F64 => Err("an operand that mask registers cannot hold"),
        SECOND_BYTE if bytes != 1 => Err("an operand that the second byte of a register cannot hold"),
        _ => Ok(()),
    }
}

/// Writes what loads a register from a place in the frame of at least 8 bytes, or stores it there.
pub(super) fn write_move(side: AsmSide, bytes: u8, memory: AsmText, is_store: bool, is_intel: bool, out: &mut AsmText) {
    let (mnemonic, size) = match (side.bank, bytes) {
        (MMX, 0..=4) => ("movd", "dword ptr "),
        (MMX, _) => ("movq", "qword ptr "),
        (MASK, 0..=2) => ("kmovw", "word ptr "),
        (MASK, 3..=4) => ("kmovd", "dword ptr "),
        (MASK, _) => ("kmovq", "qword ptr "),
        _ if is_intel => ("mov", "byte ptr "),
        _ => ("movb", "byte ptr "),
    };
    let register = format!("{}{}", if is_intel { "" } else { "%" }, name(side));
    let memory = AsmText {
        pieces: match is_intel {
            true => std::iter::once(AsmPiece::Text(size.to_owned()))
                .chain(memory.pieces)
                .collect(),
            false => memory.pieces,
        },
        ..AsmText::default()
    };
    out.push_str(mnemonic);
    out.push_str(" ");
    if is_store == is_intel {
        out.append(memory);
        out.push_str(", ");
        out.push_str(&register);
    } else {
        out.push_str(&register);
        out.push_str(", ");
        out.append(memory);
    }
}
