//! What an assembler made of the module's own texts, in the object: sections beside code, and symbols.
//!
//! Symbols that the module does not know, and places without name, are numbered like what exception tables point at.
//! Where those in a text's code are is known when the function is appended that has the text.

use super::{Location, Naming, ObjectBuilder, PendingRelocation};
use crate::error::EmitError;
use crate::exceptions::Late;
use crate::foreign::{Assembled, ForeignSymbol, SymbolLocation};
use crate::relocation_targets::TargetId;
use crate::section::SectionId;
use frazil_codegen::inline_asm::AsmCode;
use frazil_codegen::{CodeBuffer, Label, Ref, RefKind};
use frazil_ir::module::Visibility;
use frazil_ir::{EntityRef, FuncId, SymbolId};
use frazil_support::FxHashMap;
use object::elf::{SymbolInfo, SymbolOther};

/// What is known of what an assembler defined or named.
#[derive(Debug, Default)]
pub(super) struct Foreign {
    /// Whether the module's own assembly is in the object.
    pub is_there: bool,
    pub symbols: Vec<ForeignSymbol>,
    pub locations: Vec<Location>,
    /// How symbols of the module are described that are defined by assembly.
    pub adopted: FxHashMap<TargetId, (SymbolInfo, SymbolOther)>,
    /// The place of the first symbol among what is numbered late.
    first_late: usize,
    /// What waits for the code of each text.
    waiting: FxHashMap<u32, Vec<Waiting>>,
}

/// Something whose place is known when a text has one.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    what: Definition,
    place: SymbolLocation,
}

/// What is defined.
#[derive(Clone, Copy, Debug)]
enum Definition {
    Foreign(usize),
    Adopted(TargetId),
}

impl ObjectBuilder<'_> {
    /// Adds what an assembler made of the module's texts, and returns the code of each text with its function, in
    /// order. Functions with texts must come later, with this code in them.
    ///
    /// # Errors
    /// When a limit of the file format is passed.
    pub fn add_assembled(&mut self, assembled: Assembled) -> Result<Vec<(FuncId, AsmCode)>, EmitError> {
        self.foreign.is_there = true;
        for number in 0..assembled.symbols.len() {
            let (place, _) = self.targets.add_late(Late::Foreign(number as u32));
            self.foreign.first_late = place - number;
        }
        let mut starts = Vec::new();
        let mut relocs = Vec::new();
        for section in assembled.sections {
            let mut desc = section.desc;
            desc.group = section.group.map(|name| self.placement.more_group(&name));
            let id = self.placement.sections.intern(desc);
            let desc = self.placement.sections.desc(id);
            let start = self.contents.align(desc, id, section.align_log2)?;
            self.contents.append(desc, id, &section.bytes, section.size)?;
            starts.push((id, start));
            relocs.push(section.relocs);
        }
        for (&(section, start), relocs) in starts.iter().zip(&relocs) {
            for &(offset, kind, target, addend) in relocs {
                self.push_foreign_relocation(section, (start + offset, kind), target, addend);
            }
        }
        for (number, symbol) in assembled.symbols.iter().enumerate() {
            self.foreign.locations.push(Location::Elsewhere);
            self.define(Definition::Foreign(number), symbol.place, &starts);
        }
        for (symbol, foreign) in &assembled.adopted {
            self.adopt(*symbol, foreign, &starts);
        }
        self.foreign.symbols = assembled.symbols;
        Ok(assembled.codes)
    }

    /// Says where a symbol of the module is that is defined by assembly, and what it is.
    fn adopt(&mut self, symbol: SymbolId, foreign: &ForeignSymbol, starts: &[(SectionId, u64)]) {
        let target = self.targets.symbol(self.module, symbol);
        let mut other = foreign.other;
        if let Some(data) = self.module.symbols.get(symbol)
            && other.0 == 0
        {
            other = match data.visibility {
                Visibility::Default => other,
                Visibility::Hidden => other.with_visibility(object::elf::STV_HIDDEN),
                Visibility::Protected => other.with_visibility(object::elf::STV_PROTECTED),
            };
        }
        self.foreign.adopted.insert(target, (foreign.info, other));
        let state = &mut self.states[target.index()];
        state.size = foreign.size;
        state.local = foreign.is_local();
        self.define(Definition::Adopted(target), foreign.place, starts);
    }

    fn define(&mut self, what: Definition, place: SymbolLocation, starts: &[(SectionId, u64)]) {
        match place {
            SymbolLocation::Elsewhere => {}
            SymbolLocation::Section(number, offset) => {
                let (section, start) = starts[number];
                self.set_location(what, Location::At(section, start + offset));
            }
            SymbolLocation::Text(text, _) | SymbolLocation::Label(text, _) => {
                let waiting = self.foreign.waiting.entry(text).or_default();
                waiting.push(Waiting { what, place });
            }
        }
    }

    fn set_location(&mut self, what: Definition, location: Location) {
        match what {
            Definition::Foreign(number) => self.foreign.locations[number] = location,
            Definition::Adopted(target) => self.states[target.index()].location = location,
        }
    }

    /// Says where everything is that the texts of a function define; its body was appended at `start`.
    #[cold]
    pub(super) fn place_texts(&mut self, section: SectionId, start: u64, body: &CodeBuffer) {
        let offset = |label: Label| start + u64::from(body.label_offset(label).expect("labels of texts are bound"));
        for splice in body.splices() {
            for Waiting { what, place } in self.foreign.waiting.remove(&splice.number).unwrap_or_default() {
                let place = match place {
                    SymbolLocation::Text(_, within) => offset(splice.start) + within,
                    SymbolLocation::Label(_, label) => offset(label),
                    SymbolLocation::Elsewhere | SymbolLocation::Section(..) => continue,
                };
                self.set_location(what, Location::At(section, place));
            }
        }
    }

    /// Adds a relocation that an assembler made.
    #[cold]
    pub(super) fn push_foreign_relocation(
        &mut self,
        section: SectionId,
        (offset, kind): (u64, u8),
        target: Ref,
        addend: i64,
    ) {
        let is_foreign = target.kind() == RefKind::Foreign;
        let is_plain = matches!(
            self.target.relocs[usize::from(kind)].reference,
            RefKind::Symbol | RefKind::Plt
        );
        let named = match target.as_symbol() {
            Some(symbol) => self.targets.symbol(self.module, symbol),
            None => TargetId::new(0),
        };
        let relocations = &mut self.contents.section(section).relocations;
        if is_foreign {
            let place = self.foreign.first_late + target.number() as usize;
            self.late_relocations.push((Some(section), relocations.len(), place));
        }
        relocations.push(PendingRelocation {
            offset,
            addend,
            target: named,
            kind,
            naming: if is_plain { Naming::Any } else { Naming::Symbol },
        });
    }
}
