//! What an assembler made of a text, and where it stands in a function.

use super::AsmText;
use crate::buffer::CodeBuffer;
use crate::desc::{FixupDesc, RelocDesc};
use crate::minst::{Label, Ref};

/// The code of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsmCode {
    /// The text.
    pub text: AsmText,
    /// Its number in the module.
    pub number: u32,
    /// The bytes. Nothing in them is to be moved or made shorter.
    pub bytes: Vec<u8>,
    /// What their start must be aligned to, as a power of two.
    pub align_log2: u8,
    /// What is to be filled in, ascending by offset.
    pub relocs: Vec<AsmReloc>,
}

/// A field of a text's code that has an address or distance in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsmReloc {
    /// Where, in bytes from the start of the text's code.
    pub offset: u32,
    /// Index into the target's relocation table.
    pub kind: u8,
    /// What it points at.
    pub target: AsmTarget,
    /// Added to the target's address.
    pub addend: i64,
}

/// What the code of a text points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsmTarget {
    /// A symbol, a constant of the function, or what the assembler defined.
    Ref(Ref),
    /// A label of the function.
    Label(Label),
}

/// Where the code of a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Splice {
    /// The text's number in the module.
    pub number: u32,
    /// Bound to its first byte.
    pub start: Label,
}

impl CodeBuffer {
    /// Says what an assembler made of the texts of the next function, in their order; none if they are not assembled
    /// yet.
    pub fn set_assembled(&mut self, codes: Vec<AsmCode>) {
        self.assembled = codes;
        self.next_assembled = 0;
    }

    /// Puts a text here: its code, or if that is not known the text itself, which is an assembler's matter then.
    pub(crate) fn put_text(
        &mut self,
        text: AsmText,
        (relocs, fixups): (&[RelocDesc], &[FixupDesc]),
        fill: fn(&mut [u8]),
    ) {
        let known = self.assembled.get(self.next_assembled);
        match known.filter(|code| code.text == text).cloned() {
            Some(code) => {
                self.next_assembled += 1;
                self.splice(&code, relocs, fixups, fill);
            }
            None => self.keep_text(text),
        }
    }

    fn splice(&mut self, code: &AsmCode, relocs: &[RelocDesc], fixups: &[FixupDesc], fill: fn(&mut [u8])) {
        if code.align_log2 > 0 {
            // What comes before is filler, so that alignments within hold.
            self.align(code.align_log2, fill);
        }
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
