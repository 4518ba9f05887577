//! The symbol table: which symbols stand in it, in which order, under which numbers.
//!
//! Order: the source file, sections that relocations name, signatures of groups that no symbol defines, local symbols,
//! then the others, each in the order of the module. Private symbols and constants stand there only if a relocation
//! names them, undefined ones likewise.

use super::headers::Headers;
use super::strings::Strings;
use super::{Location, ObjectBuilder};
use crate::error::EmitError;
use crate::exceptions::Late;
use crate::foreign::ForeignSymbol;
use crate::names::ObjectName;
use crate::relocation_targets::{TargetId, TargetKind};
use crate::section::SectionId;
use frazil_ir::module::{TlsModel, Visibility};
use frazil_ir::{ComdatId, EntityRef, Linkage, SymbolData, SymbolKind};
use object::elf::{self, SymbolBind, SymbolInfo, SymbolOther, SymbolType, SymbolVisibility};
use object::write::elf::Sym;

/// A symbol with no name, place or kind.
const EMPTY: Sym = Sym {
    section: None,
    st_name: 0,
    st_info: SymbolInfo(0),
    st_other: SymbolOther(0),
    st_shndx: elf::SHN_UNDEF,
    st_value: 0,
    st_size: 0,
};

#[derive(Debug)]
pub(super) struct SymbolTable {
    pub symbols: Vec<Sym>,
    /// How many of them are local.
    pub local_count: u32,
    /// Numbers by [`TargetId`]; 0 for those that are not in the table.
    numbers: Vec<u32>,
    /// Numbers of the symbols of sections, by [`SectionId`].
    section_numbers: Vec<u32>,
    /// Numbers of the signatures of groups, by [`ComdatId`].
    signatures: Vec<u32>,
    /// Whether something needs the GNU ABI to be said in the header.
    pub needs_gnu_abi: bool,
}

impl SymbolTable {
    /// Numbers the symbols of a finished object.
    pub fn new(
        builder: &ObjectBuilder<'_>,
        headers: &Headers,
        named_sections: &[bool],
        strings: &mut Strings,
    ) -> Result<SymbolTable, EmitError> {
        let mut table = SymbolTable {
            symbols: Vec::with_capacity(builder.states.len()),
            local_count: 0,
            numbers: vec![0; builder.states.len()],
            section_numbers: vec![0; named_sections.len()],
            signatures: vec![0; builder.placement.group_count()],
            needs_gnu_abi: false,
        };
        table.symbols.push(EMPTY);
        table.add_file(builder, strings)?;
        for (index, _) in named_sections.iter().enumerate().filter(|(_, named)| **named) {
            table.section_numbers[index] = table.symbols.len() as u32;
            table.symbols.push(Sym {
                section: headers.section_index(SectionId::new(index)),
                st_info: SymbolInfo::new(elf::STB_LOCAL, elf::STT_SECTION),
                ..EMPTY
            });
        }
        let leaders = leaders(builder);
        table.add_signatures(builder, headers, &leaders, strings)?;
        table.add_targets(builder, headers, true, strings)?;
        table.local_count = table.symbols.len() as u32;
        table.add_targets(builder, headers, false, strings)?;
        for (signature, leader) in table.signatures.iter_mut().zip(&leaders) {
            *signature = leader.map_or(*signature, |leader| table.numbers[leader.index()]);
        }
        Ok(table)
    }

    /// The number of a target's symbol.
    #[inline]
    pub fn number(&self, target: TargetId) -> u32 {
        self.numbers[target.index()]
    }

    /// The number of a section's symbol.
    #[inline]
    pub fn section_number(&self, section: SectionId) -> u32 {
        self.section_numbers[section.index()]
    }

    /// The number of the symbol that names a group.
    pub fn signature(&self, group: ComdatId) -> u32 {
        self.signatures[group.index()]
    }

    /// Adds the signatures of groups that no symbol of the object defines.
    fn add_signatures(
        &mut self,
        builder: &ObjectBuilder<'_>,
        headers: &Headers,
        leaders: &[Option<TargetId>],
        strings: &mut Strings,
    ) -> Result<(), EmitError> {
        for (group, header) in headers.groups() {
            if leaders[group.index()].is_some() {
                continue;
            }
            self.signatures[group.index()] = self.symbols.len() as u32;
            self.symbols.push(Sym {
                section: Some(header),
                st_name: strings.add(ObjectName::plain(builder.placement.group_name(group)))?,
                st_info: SymbolInfo::new(elf::STB_LOCAL, elf::STT_NOTYPE),
                ..EMPTY
            });
        }
        Ok(())
    }

    fn add_file(&mut self, builder: &ObjectBuilder<'_>, strings: &mut Strings) -> Result<(), EmitError> {
        let path = builder.module.strings.bytes(builder.module.source_name);
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
        if name.is_empty() {
            return Ok(());
        }
        self.symbols.push(Sym {
            st_name: strings.add(ObjectName::plain(name))?,
            st_info: SymbolInfo::new(elf::STB_LOCAL, elf::STT_FILE),
            st_shndx: elf::SHN_ABS,
            ..EMPTY
        });
        Ok(())
    }

    fn add_targets(
        &mut self,
        builder: &ObjectBuilder<'_>,
        headers: &Headers,
        local: bool,
        strings: &mut Strings,
    ) -> Result<(), EmitError> {
        for (index, state) in builder.states.iter().enumerate() {
            if state.local != local {
                continue;
            }
            let target = TargetId::new(index);
            let kind = builder.targets.kind(target);
            let data = match kind {
                TargetKind::Symbol(symbol) => Some(&builder.module.symbols[symbol]),
                _ => None,
            };
            let defined = state.location != Location::Elsewhere;
            let foreign = foreign_symbol(builder, kind);
            let named = data.is_some_and(|data| data.linkage != Linkage::Private)
                || foreign.is_some_and(|symbol| !symbol.name.is_empty());
            if !(state.used || defined && named) {
                continue;
            }
            let mut symbol = Sym {
                st_name: strings.add_at(
                    match foreign {
                        Some(foreign) => ObjectName::plain(&foreign.name),
                        None => ObjectName::of_target(builder.module, &builder.targets, target),
                    },
                    state.location,
                )?,
                st_info: SymbolInfo::new(binding(data, local), symbol_type(builder, target, defined)),
                st_other: SymbolOther::default().with_visibility(visibility(data, local)),
                st_size: state.size,
                ..EMPTY
            };
            if matches!(kind, TargetKind::Late(Late::Personality(_))) {
                symbol.st_info = SymbolInfo::new(elf::STB_WEAK, elf::STT_OBJECT);
                symbol.st_other = SymbolOther::default().with_visibility(elf::STV_HIDDEN);
            }
            let foreign = foreign.map(|foreign| (foreign.info, foreign.other));
            let adopted = || builder.foreign.adopted.get(&target).copied();
            if let Some((info, other)) = foreign.or_else(adopted) {
                (symbol.st_info, symbol.st_other) = (info, other);
            }
            match state.location {
                Location::Elsewhere => {}
                Location::Common(align_log2) => {
                    symbol.st_shndx = elf::SHN_COMMON;
                    symbol.st_value = 1u64 << align_log2.min(63);
                }
                Location::At(section, offset) => {
                    symbol.section = headers.section_index(section);
                    symbol.st_value = offset;
                }
            }
            self.needs_gnu_abi |= symbol.st_info.st_type() == elf::STT_GNU_IFUNC;
            self.numbers[index] = self.symbols.len() as u32;
            self.symbols.push(symbol);
        }
        Ok(())
    }
}

/// What an assembler defined or named, if a target is that.
fn foreign_symbol<'b>(builder: &'b ObjectBuilder<'_>, kind: TargetKind) -> Option<&'b ForeignSymbol> {
    match kind {
        TargetKind::Late(Late::Foreign(number)) => builder.foreign.symbols.get(number as usize),
        _ => None,
    }
}

/// For each group the symbol of its name, if the object defines it.
fn leaders(builder: &ObjectBuilder<'_>) -> Vec<Option<TargetId>> {
    let module = builder.module;
    let mut leaders = vec![None; builder.placement.group_count()];
    for (index, state) in builder.states.iter().enumerate().skip(builder.targets.first_late()) {
        // Pointers to personality routines, and what users' assembly puts there, are in other groups than the module's.
        // No symbol stands for the group of a type unit.
        if let TargetKind::Late(Late::DebugSection(_)) = builder.targets.kind(TargetId::new(index)) {
            continue;
        }
        let Location::At(section, _) = state.location else {
            continue;
        };
        let group = builder.placement.sections.desc(section).group;
        let is_its_name = |group: ComdatId| {
            let foreign = foreign_symbol(builder, builder.targets.kind(TargetId::new(index)));
            foreign.is_none_or(|symbol| symbol.name == builder.placement.group_name(group))
        };
        let group = group.filter(|&group| group.index() >= module.comdats.len() && is_its_name(group));
        if let Some(group) = group {
            leaders[group.index()] = Some(TargetId::new(index));
        }
    }
    for (symbol, data) in module.symbols.iter() {
        let Some(group) = data.comdat else { continue };
        let state = &builder.states[symbol.index()];
        let same = module.name(symbol) == builder.placement.group_name(group);
        if same && data.linkage != Linkage::Private && state.location != Location::Elsewhere {
            leaders[group.index()] = Some(TargetId::new(symbol.index()));
        }
    }
    leaders
}

fn binding(data: Option<&SymbolData>, local: bool) -> SymbolBind {
    match data {
        _ if local => elf::STB_LOCAL,
        Some(data) if data.linkage.is_weak() => elf::STB_WEAK,
        _ => elf::STB_GLOBAL,
    }
}

fn visibility(data: Option<&SymbolData>, local: bool) -> SymbolVisibility {
    match data.map(|data| data.visibility) {
        _ if local => elf::STV_DEFAULT,
        Some(Visibility::Hidden) => elf::STV_HIDDEN,
        Some(Visibility::Protected) => elf::STV_PROTECTED,
        _ => elf::STV_DEFAULT,
    }
}

fn symbol_type(builder: &ObjectBuilder<'_>, target: TargetId, defined: bool) -> SymbolType {
    let TargetKind::Symbol(symbol) = builder.targets.kind(target) else {
        return elf::STT_NOTYPE;
    };
    let data = &builder.module.symbols[symbol];
    match data.kind {
        _ if data.tls != TlsModel::NotThreadLocal => elf::STT_TLS,
        _ if !defined => elf::STT_NOTYPE,
        SymbolKind::Ifunc { .. } => elf::STT_GNU_IFUNC,
        _ if data.is_function() => elf::STT_FUNC,
        _ => elf::STT_OBJECT,
    }
}
