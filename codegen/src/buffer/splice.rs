//! Texts of assembly in the buffer: the code that an assembler made of them, or the texts themselves.

use super::CodeBuffer;
use crate::desc::{FixupDesc, RelocDesc};
use crate::inline_asm::assembled::{AsmCode, AsmTarget, Splice};
use crate::inline_asm::text::AsmText;

impl CodeBuffer {
    /// Says what an assembler made of the texts of the next function, in their order; none if they are not assembled
    /// yet.
    pub fn set_assembled(&mut self, codes: Vec<AsmCode>) {
        self.assembled = codes;
        self.next_assembled = 0;
    }

    /// Puts a text here: its code, or if that is not known the text itself, which is an assembler's matter then.
    pub(crate) fn put_text(&mut self, text: AsmText, (relocs, fixups): (&[RelocDesc], &[FixupDesc])) {
        let known = self.assembled.get(self.next_assembled);
        match known.filter(|code| code.text == text).cloned() {
            Some(code) => {
                self.next_assembled += 1;
                self.splice(&code, relocs, fixups);
            }
            None => self.keep_text(text),
        }
    }

    fn splice(&mut self, code: &AsmCode, relocs: &[RelocDesc], fixups: &[FixupDesc]) {
        self.make_room(code.bytes.len() as u32);
        let start = self.new_label();
        self.bind(start);
        self.splices.push(Splice {
            number: code.number,
            start,
        });
        let origin = self.offset();
        self.put_raw(&code.bytes);
        for reloc in &code.relocs {
            let offset = origin + reloc.offset;
            match reloc.target {
                AsmTarget::Ref(target) => self.reloc(offset, reloc.kind, target, reloc.addend),
                AsmTarget::Label(label) => {
                    let fixup = relocs[usize::from(reloc.kind)].label_fixup;
                    let fixup = fixup.expect("relocations for labels have fixups");
                    let is_stored =
                        (fixups[usize::from(fixup)].patch)(&mut self.bytes[offset as usize..], reloc.addend);
                    debug_assert!(is_stored, "an addend that does not fit its field");
                    self.fixup(offset, label, fixup);
                }
            }
        }
    }
}
