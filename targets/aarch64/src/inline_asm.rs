//! Inline assembly: what GNU's constraint letters, register names and LLVM's operand modifiers mean on AArch64
//! (GCC manual, "Constraints for Particular Machines"; LLVM Language Reference, "Supported Constraint Code List" and
//! "Asm template argument modifiers").
//!
//! Texts are left to an assembler. Memory is a register in brackets always, which is the only form that all
//! instructions take. Registers of scalable vectors are refused.

use crate::build::cset;
use crate::cond::Cond;
use crate::immediates;
use crate::regs::*;
use frazil_codegen::features::FeatureSet;
use frazil_codegen::inline_asm::{
    AsmClass, AsmLine, AsmOperand, AsmPiece, AsmPlace, AsmRules, AsmSide, AsmStack, AsmText,
};
use frazil_codegen::{MInst, Mem, PRegSet, Ref, RefKind, Reg, RegClass};
use frazil_ir::{AsmData, SymbolId, Type};

/// The rules of AArch64.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AArch64Asm;

impl AsmRules for AArch64Asm {
    fn class(&self, letter: &str) -> Option<AsmClass> {
        let vectors = |numbers| AsmClass::Register(RegClass::Float, PRegSet::from_banks(0, numbers));
        let number = |accepts| AsmClass::Immediate {
            accepts,
            is_unsigned: false,
            symbols: false,
        };
        Some(match letter {
            "r" => AsmClass::Register(RegClass::Int, PRegSet::EMPTY),
            "w" => vectors(0),
            "x" => vectors(0xffff),
            "y" => vectors(0xff),
            "m" | "o" | "V" | "Q" => AsmClass::Memory,
            "p" => AsmClass::Address,
            "i" => AsmClass::Immediate {
                accepts: |_| true,
                is_unsigned: false,
                symbols: true,
            },
            "n" => number(|_| true),
            "s" | "S" => AsmClass::Symbol,
            "I" => number(|value| immediates::is_sum(value.cast_unsigned())),
            "J" => number(|value| immediates::is_sum(value.wrapping_neg().cast_unsigned())),
            "K" => number(|value| immediates::logical(value.cast_unsigned(), 4).is_some()),
            "L" => number(|value| immediates::logical(value.cast_unsigned(), 8).is_some()),
            "M" => number(|value| immediates::constant(value.cast_unsigned(), 4).as_slice().len() == 1),
            "N" => number(|value| immediates::constant(value.cast_unsigned(), 8).as_slice().len() == 1),
            "Z" => number(|value| value == 0),
            "g" => AsmClass::Any,
            "X" => AsmClass::Everything,
            "Y" | "E" | "F" => AsmClass::Unsupported("a floating-point constant as operand"),
            "Upa" | "Upl" | "Uph" | "Uci" | "Ucj" => AsmClass::Unsupported("an operand of scalable vectors"),
            _ => return None,
        })
    }

    fn register(&self, name: &str) -> Option<Reg> {
        let name = name.to_ascii_lowercase();
        match name.as_str() {
            "sp" | "wsp" => return Some(SP),
            "fp" => return Some(FP),
            "lr" => return Some(LR),
            _ => {}
        }
        let (letter, number) = name.split_at_checked(1)?;
        let number = number.parse::<u8>().ok().filter(|_| !number.starts_with('+'))?;
        match letter {
            "x" | "w" | "r" if number < 31 => Some(x(number)),
            "v" | "q" | "d" | "s" | "h" | "b" if number < 32 => Some(v(number)),
            _ => None,
        }
    }

    fn overwritten(&self, name: &str) -> Option<Reg> {
        self.register(name)
    }

    fn side(&self, _: &str) -> Option<AsmSide> {
        None
    }

    fn whole_of_side(&self, _: AsmSide) -> Option<Reg> {
        None
    }

    fn side_holds(&self, _: u8, _: Type, _: u8, _: FeatureSet) -> Result<(), &'static str> {
        Err("there are no such registers")
    }

    fn move_side(&self, _: AsmSide, _: u8, _: Mem, _: bool, _: bool, _: &mut AsmText) -> Result<(), String> {
        Err("there are no such registers".to_owned())
    }

    fn stack(&self) -> Option<&'static dyn AsmStack> {
        None
    }

    fn condition(&self, name: &str) -> Option<u8> {
        Cond::named(name.strip_prefix("@cc")?).map(|cond| cond as u8)
    }

    fn set_condition(&self, condition: u8, dst: Reg) -> MInst {
        cset(dst, Cond::from_number(condition))
    }

    fn has_bare_memory(&self) -> bool {
        true
    }

    fn print_operand(
        &self,
        operand: &AsmOperand,
        modifier: Option<&str>,
        is_intel: bool,
        out: &mut AsmText,
    ) -> Result<(), String> {
        let modifier = modifier.unwrap_or_default();
        if is_intel {
            return Err("there is no dialect of Intel".to_owned());
        }
        match operand.place {
            AsmPlace::Register(reg) => out.push_str(&register(reg, modifier)?),
            AsmPlace::Memory(mem) => memory(mem, modifier, out)?,
            AsmPlace::Immediate(value) => out.push_str(&immediate(value, modifier)?),
            AsmPlace::Symbol(symbol_id, addend) => symbol(symbol_id, addend, modifier, out)?,
            AsmPlace::Label(label) => out.pieces.push(AsmPiece::Label(label)),
            AsmPlace::Side(_) | AsmPlace::Stack(_) | AsmPlace::Nowhere => return Err("it has no text".to_owned()),
        }
        Ok(())
    }

    fn intrinsic(&self, _: &str) -> Option<AsmData> {
        None
    }

    fn comment(&self) -> &'static str {
        "//"
    }

    fn filler(&self) -> fn(&mut [u8]) {
        |bytes| {
            // Where whole ones fit.
            let place = bytes.len() % 4;
            bytes[..place].fill(0);
            for word in bytes[place..].chunks_exact_mut(4) {
                word.copy_from_slice(&crate::encode::NO_OPERATION);
            }
        }
    }

    fn assemble(&self, _: &str, _: bool) -> Option<Vec<AsmLine>> {
        None
    }
}

fn unknown(modifier: &str) -> String {
    format!("the modifier `{modifier}`")
}

/// A register as a modifier names it; without one, the whole of it.
fn register(reg: Reg, modifier: &str) -> Result<String, String> {
    let of_vector = |width: u8| format!("{}{}", scalar_letter(width), reg.number());
    Ok(match (reg.bank(), modifier) {
        (0, "" | "x" | "c") => name(reg, 8).to_owned(),
        (0, "w") => name(reg, 4).to_owned(),
        (0, "a") => format!("[{}]", name(reg, 8)),
        (1, "" | "c") => name(reg, VECTOR_BYTES).to_owned(),
        (1, "b") => of_vector(1),
        (1, "h") => of_vector(2),
        (1, "s") => of_vector(4),
        (1, "d") => of_vector(8),
        (1, "q") => of_vector(16),
        (_, other) => return Err(unknown(other)),
    })
}

fn immediate(value: i64, modifier: &str) -> Result<String, String> {
    Ok(match (modifier, value) {
        ("w", 0) => name(XZR, 4).to_owned(),
        ("x", 0) => name(XZR, 8).to_owned(),
        ("" | "c" | "a" | "w" | "x", value) => value.to_string(),
        ("n", value) => value.wrapping_neg().to_string(),
        (other, _) => return Err(unknown(other)),
    })
}

fn symbol(symbol: SymbolId, addend: i64, modifier: &str, out: &mut AsmText) -> Result<(), String> {
    if !matches!(modifier, "" | "c" | "a") {
        return Err(unknown(modifier));
    }
    out.pieces.push(AsmPiece::Name(Ref::symbol(RefKind::Symbol, symbol)));
    if addend != 0 {
        out.push_str(&format!("{addend:+}"));
    }
    Ok(())
}

fn memory(mem: Mem, modifier: &str, out: &mut AsmText) -> Result<(), String> {
    if !matches!(modifier, "" | "a") {
        return Err(unknown(modifier));
    }
    let base = mem.base_reg();
    if !base.is_physical() || mem != Mem::base(base, 0) {
        return Err("memory that is more than a register".to_owned());
    }
    out.push_str(&format!("[{}]", name(base, 8)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_has_several_letters() {
        for letter in ["m", "o", "V", "Q"] {
            assert!(matches!(AArch64Asm.class(letter), Some(AsmClass::Memory)), "{letter}");
        }
    }

    #[test]
    fn registers_have_the_names_of_their_parts() {
        let rules = AArch64Asm;
        for (name, reg) in [
            ("x3", x(3)),
            ("W30", LR),
            ("d8", v(8)),
            ("q31", v(31)),
            ("sp", SP),
            ("fp", FP),
        ] {
            assert_eq!(rules.register(name), Some(reg), "{name}");
        }
        for name in ["x31", "v32", "z0", "p0", "", "é1", "x+1", "xzr"] {
            assert_eq!(rules.register(name), None, "{name}");
        }
    }

    #[test]
    fn operands_are_printed_as_modifiers_say() {
        let print = |place, modifier| {
            let mut text = AsmText::default();
            let operand = AsmOperand {
                place,
                bytes: 4,
                is_output: false,
            };
            let printed = AArch64Asm.print_operand(&operand, modifier, false, &mut text);
            printed.map(|()| text.as_plain().unwrap_or_default().to_owned())
        };
        let register = |reg, modifier| print(AsmPlace::Register(reg), modifier);
        assert_eq!(register(x(5), None).as_deref(), Ok("x5"));
        assert_eq!(register(x(5), Some("w")).as_deref(), Ok("w5"));
        assert_eq!(register(v(7), None).as_deref(), Ok("v7"));
        assert_eq!(register(v(7), Some("d")).as_deref(), Ok("d7"));
        assert!(register(v(7), Some("w")).is_err());
        assert_eq!(print(AsmPlace::Immediate(0), Some("w")).as_deref(), Ok("wzr"));
        assert_eq!(print(AsmPlace::Immediate(-4), None).as_deref(), Ok("-4"));
        assert_eq!(print(AsmPlace::Memory(Mem::base(SP, 0)), None).as_deref(), Ok("[sp]"));
        assert!(print(AsmPlace::Memory(Mem::base(SP, 8)), None).is_err());
    }
}
