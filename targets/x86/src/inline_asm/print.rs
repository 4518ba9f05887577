//! Operands as they stand in the text of inline assembly, in both dialects, with LLVM's modifiers.

use super::side;
use crate::regs::{VECTOR_BYTES, WIDE_VECTOR_BYTES, WIDEST_VECTOR_BYTES, name};
use frazil_codegen::inline_asm::{AsmOperand, AsmPiece, AsmPlace, AsmText};
use frazil_codegen::{Mem, Ref, RefKind, Reg};

/// Writes an operand, where general registers have `word_bytes`.
pub(super) fn print(
    operand: &AsmOperand,
    word_bytes: u8,
    modifier: Option<&str>,
    is_intel: bool,
    out: &mut AsmText,
) -> Result<(), String> {
    let mut printer = Printer {
        word_bytes,
        is_intel,
        out,
    };
    let modifier = modifier.unwrap_or_default();
    match operand.place {
        AsmPlace::Register(reg) => printer.register(reg, operand.bytes, modifier),
        AsmPlace::Side(side) if matches!(modifier, "" | "c" | "P" | "V") => {
            let percent = if modifier == "V" { "" } else { printer.percent() };
            let text = format!("{percent}{}", side::name(side));
            printer.out.push_str(&text);
            Ok(())
        }
        AsmPlace::Side(_) => Err(unknown(modifier)),
        AsmPlace::Stack(depth) => printer.stack_register(depth, modifier),
        AsmPlace::Memory(mem) => printer.memory_operand(mem, modifier),
        AsmPlace::Immediate(value) => printer.immediate(value, modifier),
        AsmPlace::Symbol(symbol, addend) => printer.symbol(Ref::symbol(RefKind::Symbol, symbol), addend, modifier),
        AsmPlace::Label(label) => {
            printer.out.pieces.push(AsmPiece::Label(label));
            Ok(())
        }
        AsmPlace::Nowhere => Err("it has no text".to_owned()),
    }
}

/// Writes memory.
pub(super) fn memory(mem: Mem, word_bytes: u8, is_intel: bool, out: &mut AsmText) -> Result<(), String> {
    let mut printer = Printer {
        word_bytes,
        is_intel,
        out,
    };
    printer.memory_operand(mem, "")
}

struct Printer<'a> {
    word_bytes: u8,
    is_intel: bool,
    out: &'a mut AsmText,
}

impl Printer<'_> {
    fn percent(&self) -> &'static str {
        if self.is_intel { "" } else { "%" }
    }

    /// What comes before a symbol in an address, which is relative to the next instruction in 64-bit code.
    fn before_symbol(&self) -> &'static str {
        match (self.is_intel, self.word_bytes) {
            (false, _) => "",
            (true, 4) => "[",
            (true, _) => "[rip + ",
        }
    }

    fn after_symbol(&self) -> &'static str {
        match (self.is_intel, self.word_bytes) {
            (true, _) => "]",
            (false, 4) => "",
            (false, _) => "(%rip)",
        }
    }

    fn general(&self, reg: Reg, bytes: u8) -> String {
        format!("{}{}", self.percent(), name(reg, bytes))
    }

    fn register(&mut self, reg: Reg, bytes: u8, modifier: &str) -> Result<(), String> {
        let text = if reg.bank() == 0 {
            self.general_register(reg, bytes, modifier)?
        } else {
            self.vector_register(reg, bytes, modifier)?
        };
        self.out.push_str(&text);
        Ok(())
    }

    fn general_register(&self, reg: Reg, bytes: u8, modifier: &str) -> Result<String, String> {
        let bytes = bytes.next_power_of_two().min(self.word_bytes);
        let text = match modifier {
            "" | "c" | "P" => self.general(reg, bytes),
            "b" => self.general(reg, 1),
            "w" => self.general(reg, 2),
            "k" => self.general(reg, 4),
            "q" => self.general(reg, 8),
            "h" => match reg.number() {
                number @ 0..=3 => format!("{}{}", self.percent(), ["ah", "ch", "dh", "bh"][number as usize]),
                _ => return Err(format!("{} has no second byte", name(reg, 8))),
            },
            "V" => name(reg, self.word_bytes).to_owned(),
            "n" => format!("-{}", self.general(reg, bytes)),
            "a" if self.is_intel => format!("[{}]", self.general(reg, self.word_bytes)),
            "a" => format!("({})", self.general(reg, bytes)),
            "A" if self.is_intel => self.general(reg, bytes),
            "A" => format!("*{}", self.general(reg, bytes)),
            "z" => size_letter(bytes).to_owned(),
            other => return Err(unknown(other)),
        };
        Ok(text)
    }

    fn vector_register(&self, reg: Reg, bytes: u8, modifier: &str) -> Result<String, String> {
        let percent = self.percent();
        let own = name(reg, bytes.max(VECTOR_BYTES));
        match modifier {
            "" | "c" | "P" => Ok(format!("{percent}{own}")),
            "x" => Ok(format!("{percent}{}", name(reg, VECTOR_BYTES))),
            "t" => Ok(format!("{percent}{}", name(reg, WIDE_VECTOR_BYTES))),
            "g" => Ok(format!("{percent}{}", name(reg, WIDEST_VECTOR_BYTES))),
            "V" => Ok(own.to_owned()),
            "n" => Ok(format!("-{percent}{own}")),
            "a" if !self.is_intel => Ok(format!("(%{own})")),
            "A" if !self.is_intel => Ok(format!("*%{own}")),
            other => Err(unknown(other)),
        }
    }

    fn stack_register(&mut self, depth: u8, modifier: &str) -> Result<(), String> {
        if !matches!(modifier, "" | "c" | "P") {
            return Err(unknown(modifier));
        }
        let text = format!("{}st({depth})", self.percent());
        self.out.push_str(&text);
        Ok(())
    }

    fn immediate(&mut self, value: i64, modifier: &str) -> Result<(), String> {
        let dollar = if self.is_intel { "" } else { "$" };
        let text = match modifier {
            "" | "b" | "h" | "w" | "k" | "q" | "x" | "t" | "g" | "A" | "V" => format!("{dollar}{value}"),
            "s" => (32i64.wrapping_sub(value) & 31).to_string(),
            "a" | "c" | "P" | "p" => value.to_string(),
            "n" => value.wrapping_neg().to_string(),
            other => return Err(unknown(other)),
        };
        self.out.push_str(&text);
        Ok(())
    }

    fn symbol(&mut self, reference: Ref, addend: i64, modifier: &str) -> Result<(), String> {
        match modifier {
            "" | "b" | "h" | "w" | "k" | "q" | "x" | "t" | "g" | "V" => {
                self.out.push_str(if self.is_intel { "offset " } else { "$" });
            }
            "c" | "P" | "p" | "a" => {}
            other => return Err(unknown(other)),
        }
        let is_address = modifier == "a";
        if is_address && self.is_intel {
            self.out.push_str(self.before_symbol());
        }
        self.out.pieces.push(AsmPiece::Name(reference));
        if addend != 0 {
            self.out.push_str(&format!("{addend:+}"));
        }
        if is_address {
            self.out.push_str(self.after_symbol());
        }
        Ok(())
    }

    fn memory_operand(&mut self, mut mem: Mem, modifier: &str) -> Result<(), String> {
        match modifier {
            "" | "b" | "h" | "w" | "k" | "q" | "x" | "t" | "g" | "a" | "P" | "p" => {}
            "H" => mem = mem.offset(8).ok_or("its displacement is too large")?,
            other => return Err(unknown(other)),
        }
        if self.is_intel {
            self.intel_memory(mem)
        } else {
            self.att_memory(mem)
        }
    }

    fn att_memory(&mut self, mem: Mem) -> Result<(), String> {
        if self.reference(mem, "")? {
            self.out.push_str(self.after_symbol());
            return Ok(());
        }
        let mut text = String::new();
        if mem.disp != 0 || mem.base_reg().is_none() {
            text.push_str(&mem.disp.to_string());
        }
        text.push('(');
        if !mem.base_reg().is_none() {
            text.push_str(&self.general(mem.base_reg(), self.word_bytes));
        }
        if !mem.index_reg().is_none() {
            text.push_str(&format!(
                ",{},{}",
                self.general(mem.index_reg(), self.word_bytes),
                1 << mem.scale_log2
            ));
        }
        text.push(')');
        self.out.push_str(&text);
        Ok(())
    }

    fn intel_memory(&mut self, mem: Mem) -> Result<(), String> {
        if self.reference(mem, self.before_symbol())? {
            self.out.push_str(self.after_symbol());
            return Ok(());
        }
        let mut terms = Vec::new();
        if !mem.base_reg().is_none() {
            terms.push(self.general(mem.base_reg(), self.word_bytes));
        }
        if !mem.index_reg().is_none() {
            terms.push(format!(
                "{}*{}",
                1 << mem.scale_log2,
                self.general(mem.index_reg(), self.word_bytes)
            ));
        }
        let mut text = format!("[{}", terms.join(" + "));
        match (mem.disp, terms.is_empty()) {
            (0, false) => {}
            (disp, true) => text.push_str(&disp.to_string()),
            (disp, false) => {
                let sign = if disp < 0 { '-' } else { '+' };
                text.push_str(&format!(" {sign} {}", disp.unsigned_abs()));
            }
        }
        text.push(']');
        self.out.push_str(&text);
        Ok(())
    }

    /// Writes the symbol of a memory operand, if it is one, after what comes before it.
    fn reference(&mut self, mem: Mem, before: &str) -> Result<bool, String> {
        let Some(reference) = mem.reference() else {
            return Ok(false);
        };
        self.out.push_str(before);
        match reference.kind() {
            RefKind::Symbol | RefKind::Constant => self.out.pieces.push(AsmPiece::Name(reference)),
            _ => return Err("its address is reached through a table".to_owned()),
        }
        if mem.disp != 0 {
            self.out.push_str(&format!("{:+}", mem.disp));
        }
        Ok(true)
    }
}

fn size_letter(bytes: u8) -> &'static str {
    match bytes {
        1 => "b",
        2 => "w",
        4 => "l",
        _ => "q",
    }
}

fn unknown(modifier: &str) -> String {
    format!("the modifier `{modifier}`")
}
