//! Inline assembly: what GNU's constraint letters, register names and LLVM's operand modifiers mean on x86
//! (GCC manual, "Constraints for Particular Machines"; LLVM Language Reference, "Supported Constraint Code List" and
//! "Asm template argument modifiers").
//!
//! MMX registers, mask registers and second bytes are side registers ([`side`]). As overwritten registers the first two
//! need nothing: no value is in one. Vectors have the name of the register of their width.

mod assemble;
mod intrinsics;
mod parse;
mod print;
mod side;
mod x87;

use crate::build::r;
use crate::cond::Cond;
use crate::regs::*;
use crate::table::Op;
use frazil_codegen::features::FeatureSet;
use frazil_codegen::inline_asm::{AsmClass, AsmLine, AsmOperand, AsmRules, AsmSide, AsmStack, AsmText};
use frazil_codegen::{MInst, Mem, PRegSet, Reg, RegClass};
use frazil_ir::{AsmData, Type};
use x87::X87;

/// The rules where general registers have `W` bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct X86Asm<const W: u8>;

const BY_LETTER: PRegSet = PRegSet::of(&[RAX, RCX, RDX, RBX]);
const LEGACY: PRegSet = PRegSet::of(&[RAX, RCX, RDX, RBX, RSI, RDI]);

impl<const W: u8> AsmRules for X86Asm<W> {
    fn class(&self, letter: &str) -> Option<AsmClass> {
        let general = |regs: &[Reg]| AsmClass::Register(RegClass::Int, PRegSet::of(regs));
        let constant = |accepts, is_unsigned, symbols| AsmClass::Immediate {
            accepts,
            is_unsigned,
            symbols,
        };
        let number = |accepts| constant(accepts, true, false);
        let found = match letter {
            // Of 32-bit code, only these have a byte.
            "q" if W == 4 => AsmClass::Register(RegClass::Int, BY_LETTER),
            "r" | "q" | "l" | "jr" | "jR" => general(&[]),
            "Q" => AsmClass::Register(RegClass::Int, BY_LETTER),
            "R" => AsmClass::Register(RegClass::Int, LEGACY),
            "a" => general(&[RAX]),
            "b" => general(&[RBX]),
            "c" => general(&[RCX]),
            "d" => general(&[RDX]),
            "S" => general(&[RSI]),
            "D" => general(&[RDI]),
            "A" => AsmClass::Pair(RAX, RDX),
            "x" | "v" | "Yi" | "Yt" | "Y2" | "Yv" => AsmClass::Register(RegClass::Float, PRegSet::EMPTY),
            "Yz" | "Y0" => AsmClass::Register(RegClass::Float, PRegSet::of(&[XMM0])),
            "m" | "o" | "V" | "<" | ">" => AsmClass::Memory,
            "p" => AsmClass::Address,
            "i" => constant(|_| true, false, true),
            "n" => constant(|_| true, false, false),
            "s" | "Ws" => AsmClass::Symbol,
            "e" => constant(|value| i32::try_from(value).is_ok(), false, true),
            "Z" => constant(|value| u32::try_from(value).is_ok(), true, true),
            "I" => number(|value| (0..=31).contains(&value)),
            "J" => number(|value| (0..=63).contains(&value)),
            "K" => constant(|value| i8::try_from(value).is_ok(), false, false),
            "L" => number(|value| [0xff, 0xffff, 0xffff_ffff].contains(&value)),
            "M" => number(|value| (0..=3).contains(&value)),
            "N" => number(|value| (0..=255).contains(&value)),
            "O" => number(|value| (0..=127).contains(&value)),
            "g" => AsmClass::Any,
            "X" => AsmClass::Everything,
            "f" => AsmClass::Stack,
            "y" | "Ym" => side::MMX_CLASS,
            "k" => side::MASK_CLASS,
            "Yk" => side::PREDICATE_CLASS,
            "C" | "G" | "E" | "F" => AsmClass::Unsupported("a floating-point constant as operand"),
            _ => return None,
        };
        Some(found)
    }

    fn register(&self, name: &str) -> Option<Reg> {
        let name = name.to_ascii_lowercase();
        let vector = || {
            let number = ["xmm", "ymm", "zmm"].iter().find_map(|kind| name.strip_prefix(kind))?;
            let count = if W == 4 { 8 } else { 32 };
            let number = number.parse::<u8>().ok().filter(|number| *number < count)?;
            Some(Reg::physical(1, number))
        };
        parse::register(&name, W).map(|(reg, _)| reg).or_else(vector)
    }

    fn overwritten(&self, name: &str) -> Option<Reg> {
        let name = name.to_ascii_lowercase();
        let whole = || side::named(&name).and_then(side::whole);
        self.register(&name).or_else(whole)
    }

    fn side(&self, name: &str) -> Option<AsmSide> {
        side::named(&name.to_ascii_lowercase())
    }

    fn whole_of_side(&self, side: AsmSide) -> Option<Reg> {
        side::whole(side)
    }

    fn side_holds(&self, bank: u8, ty: Type, bytes: u8, features: FeatureSet) -> Result<(), &'static str> {
        side::holds(bank, ty, bytes, features)
    }

    fn move_side(
        &self,
        side: AsmSide,
        bytes: u8,
        mem: Mem,
        is_store: bool,
        is_intel: bool,
        out: &mut AsmText,
    ) -> Result<(), String> {
        let mut memory = AsmText {
            is_intel,
            ..AsmText::default()
        };
        print::memory(mem, W, is_intel, &mut memory)?;
        side::write_move(side, bytes, memory, is_store, is_intel, out);
        Ok(())
    }

    fn stack(&self) -> Option<&'static dyn AsmStack> {
        Some(&X87)
    }

    fn condition(&self, name: &str) -> Option<u8> {
        let name = name.strip_prefix("@cc")?;
        Cond::from_name(name).map(Cond::number)
    }

    fn set_condition(&self, condition: u8, dst: Reg) -> MInst {
        r(Op::SetR, 1, dst).with_condition(condition)
    }

    fn print_operand(
        &self,
        operand: &AsmOperand,
        modifier: Option<&str>,
        is_intel: bool,
        out: &mut AsmText,
    ) -> Result<(), String> {
        print::print(operand, W, modifier, is_intel, out)
    }

    fn intrinsic(&self, name: &str) -> Option<AsmData> {
        intrinsics::text(name, W)
    }

    fn can_name(&self, mem: Mem) -> bool {
        // An address that is relative takes instructions of its own in 32-bit code.
        W == 8 || mem.reference().is_none() || mem.scale_log2 == 0
    }

    fn comment(&self) -> &'static str {
        "#"
    }

    fn filler(&self) -> fn(&mut [u8]) {
        crate::encode::fill
    }

    fn assemble(&self, text: &str, is_intel: bool) -> Option<Vec<AsmLine>> {
        assemble::assemble(text, W, is_intel)
    }
}
