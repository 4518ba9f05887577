//! Substitutes physical registers and addresses into inline assembly texts.
//!
//! Method: the instructions of a text's group arrive one after the other; those that describe operands are collected
//! until the text itself arrives. If all statements of a text are in the target's op table, they are encoded into the
//! buffer like other instructions, except when assembly text is written, which keeps every text as the user wrote it
//! unless it aligns what follows.

use crate::buffer::CodeBuffer;
use crate::context::frame_code::put_inst;
use crate::error::CodegenError;
use crate::inline_asm::template::expand;
use crate::inline_asm::{AsmLine, AsmOperand, AsmPlace, AsmRules, AsmSite, AsmText, wrong};
use crate::isa::Isa;
use crate::mfunc::pseudo;
use crate::minst::{MInst, Mem};

/// The place of the operand that a pseudo-instruction of a text's group names.
pub(super) fn operand_place(inst: &MInst) -> AsmPlace {
    match inst.op {
        pseudo::ASM_MEMORY => AsmPlace::Memory(inst.mem()),
        _ => AsmPlace::Register(inst.reg(0)),
    }
}

/// Emits a text; `operands` are those in registers and memory, by their numbers.
///
/// # Errors
/// When the template names an operand or modifier that does not exist.
pub(super) fn emit_text<I: Isa>(
    isa: &I,
    site: &AsmSite,
    operands: &[(u32, AsmPlace)],
    buf: &mut CodeBuffer,
) -> Result<(), CodegenError> {
    let mut site = AsmSite {
        data: site.data.clone(),
        operands: site.operands.clone(),
    };
    let mut sides = Vec::new();
    for &(number, place) in operands {
        let old = site.operands[number as usize];
        match (old.place, place) {
            (AsmPlace::Side(_), AsmPlace::Memory(mem)) => sides.push((old, mem)),
            _ => site.operands[number as usize] = AsmOperand { place, ..old },
        }
    }
    let rules = isa.asm_rules().expect("texts were refused otherwise");
    let mut text = expand(&site, rules)?;
    if !sides.is_empty() {
        text = with_sides(text, &sides, rules)?;
    }
    let lines = text.as_plain().and_then(|plain| rules.assemble(plain, text.is_intel));
    // Assemblers have filler of their own, so what is aligned is written as it was encoded.
    let is_kept = |lines: &Vec<AsmLine>| {
        let aligns = lines.iter().any(|line| matches!(line, AsmLine::Align(_)));
        !buf.is_logging() || aligns
    };
    let Some(lines) = lines.filter(is_kept) else {
        let desc = isa.desc();
        buf.put_text(text, (desc.relocs, desc.fixups));
        return Ok(());
    };
    for line in lines {
        match line {
            AsmLine::Inst(inst) => put_inst(isa, &inst, buf),
            AsmLine::Bytes(bytes) => {
                buf.make_room(bytes.len() as u32);
                buf.put_raw(&bytes);
            }
            AsmLine::Align(log2) => buf.align(log2, rules.filler()),
        }
    }
    Ok(())
}

/// A text with additional instructions before and after it, which load and store its operands in side registers.
#[cold]
fn with_sides(text: AsmText, sides: &[(AsmOperand, Mem)], rules: &dyn AsmRules) -> Result<AsmText, CodegenError> {
    let mut whole = AsmText {
        pieces: Vec::new(),
        ..text
    };
    let moves = |is_store: bool, out: &mut AsmText| {
        for (operand, mem) in sides.iter().filter(|(operand, _)| operand.is_output == is_store) {
            let AsmPlace::Side(side) = operand.place else { continue };
            out.push_str("\n\t");
            rules
                .move_side(side, operand.bytes, *mem, is_store, out.is_intel, out)
                .map_err(wrong)?;
        }
        out.push_str("\n\t");
        Ok::<(), CodegenError>(())
    };
    moves(false, &mut whole)?;
    whole.append(AsmText {
        pieces: text.pieces,
        ..AsmText::default()
    });
    moves(true, &mut whole)?;
    Ok(whole)
}
