//! Puts physical registers and addresses into inline assembly texts.
//!
//! Method: the instructions of a text's group come one after the other; those of operands are kept until the text
//! itself comes. What the target encodes by its own table goes into the buffer like other instructions, unless
//! assembly text is wanted, which gets every text as it was written.

use crate::buffer::CodeBuffer;
use crate::error::CodegenError;
use crate::inline_asm::template::expand;
use crate::inline_asm::{AsmLine, AsmOperand, AsmPlace, AsmSite};
use crate::isa::Isa;
use crate::mfunc::pseudo;
use crate::minst::MInst;

/// The operand that an instruction of a group names.
pub(super) fn operand_place(inst: &MInst) -> AsmPlace {
    match inst.op {
        pseudo::ASM_MEMORY => AsmPlace::Memory(inst.mem()),
        _ => AsmPlace::Register(inst.regs[0]),
    }
}

/// Emits a text whose operands in registers and memory are `operands`.
///
/// # Errors
/// When the template asks for something that is not there.
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
    for &(number, place) in operands {
        let old = site.operands[number as usize];
        site.operands[number as usize] = AsmOperand { place, ..old };
    }
    let rules = isa.asm_rules().expect("texts were refused otherwise");
    let text = expand(&site, rules)?;
    let lines = match text.as_plain() {
        Some(plain) if !buf.is_logging() => rules.assemble(plain, text.is_intel),
        _ => None,
    };
    let Some(lines) = lines else {
        let desc = isa.desc();
        buf.put_text(text, (desc.relocs, desc.fixups), rules.filler());
        return Ok(());
    };
    for line in lines {
        match line {
            AsmLine::Inst(inst) => isa.encode(&inst, buf),
            AsmLine::Bytes(bytes) => buf.put_raw(&bytes),
            AsmLine::Align(log2) => buf.align(log2, rules.filler()),
        }
    }
    Ok(())
}
