//! Names of a unit for linkers that make indexes of programs: `.debug_pubnames` and `.debug_pubtypes` (DWARF 4, section
//! 6.1.1), and the same with what each name stands for, `.debug_gnu_pubnames` and `.debug_gnu_pubtypes` (of GDB, "Index
//! Section Format").
//!
//! Method: a walk over the entries of a unit collects what LLVM lists: functions with code and variables, namespaces,
//! enumerators and types that are in no function or class. Names of C++ begin with what they are in. Of several
//! entries of a name, the last counts; the order is that of entries.
//!
//! What is left out: types that other types contain, which debuggers find by those.

use super::bytes::{Bytes, Place};
use super::names::text_of;
use super::strings::Strings;
use super::tree::{NONE, PublicNames, ROOT, Unit, Value};
use frazil_support::{FxBuildHasher, FxHashMap};
use gimli::constants as dw;
use indexmap::IndexMap;

/// The version of the tables.
const VERSION: u16 = 2;
/// What entries have that only the compiler names.
const INDEX_TYPE: &[u8] = b"__ARRAY_SIZE_TYPE__";
/// The name of namespaces without one.
const ANONYMOUS: &[u8] = b"(anonymous namespace)";

/// What a name stands for, as GDB's index has it: bits 4 to 6.
mod kind {
    pub const TYPE: u8 = 1 << 4;
    pub const VARIABLE: u8 = 2 << 4;
    pub const FUNCTION: u8 = 3 << 4;
    /// Bit 7: it is known in its unit alone.
    pub const LOCAL: u8 = 1 << 7;
}

/// Names, each with the offset of its entry and what it stands for.
type Table = IndexMap<Vec<u8>, (u32, u8), FxBuildHasher>;

/// The four sections.
#[derive(Default)]
pub(super) struct Sections {
    pub plain: [Bytes; 2],
    pub gnu: [Bytes; 2],
}

/// Everything that names may depend on.
pub(super) struct Names<'u> {
    units: &'u [Unit],
    strings: &'u Strings,
    /// By signature, the unit of a type.
    types: FxHashMap<u64, &'u Unit>,
}

impl<'u> Names<'u> {
    /// For the units of a module.
    pub fn new(units: &'u [Unit], strings: &'u Strings) -> Names<'u> {
        let types = units.iter().filter_map(|unit| Some((unit.own_type?.signature, unit)));
        Names {
            units,
            strings,
            types: types.collect(),
        }
    }

    /// Writes the names of a unit, whose place and length in the object and whose entries' places are known.
    pub fn write(&self, unit: &Unit, (start, length): (u64, u64), place: impl Fn(u32) -> u32, out: &mut Sections) {
        let Some(form) = unit.public_names else { return };
        let (mut names, mut types) = (Table::default(), Table::default());
        let is_qualified = is_of_cpp(unit);
        // What is in units of types alone has no place in this one, but that of its root.
        let number = unit.root().unit();
        let of_types = self
            .units
            .iter()
            .filter(|of_type| of_type.own_type.is_some_and(|own| own.lines == number));
        for of_type in of_types {
            let mut next = Some(ROOT);
            while let Some(entry) = next {
                if let Some((_, is_type)) = self.kind(of_type, entry) {
                    let table = if is_type { &mut types } else { &mut names };
                    let name = self.full_name(of_type, entry, is_qualified);
                    table.extend(name.map(|name| (name, (place(ROOT), kind::TYPE))));
                }
                next = of_type.after(entry).0;
            }
        }
        let mut next = Some(ROOT);
        while let Some(entry) = next {
            if let Some((kind, is_type)) = self.kind(unit, entry) {
                let table = if is_type { &mut types } else { &mut names };
                if let Some(name) = self.full_name(unit, entry, is_qualified) {
                    // What counts is the last one, in its place.
                    table.shift_remove(&name);
                    table.insert(name, (place(entry), kind));
                }
            }
            next = unit.after(entry).0;
        }
        let sections = match form {
            PublicNames::Plain => &mut out.plain,
            PublicNames::Gnu => &mut out.gnu,
        };
        for (table, out) in [names, types].iter().zip(sections) {
            let part = out.begin_part();
            out.u16(VERSION);
            out.offset_in(Place::Entries, start);
            out.u32(length as u32);
            for (name, &(offset, kind)) in table {
                out.u32(offset);
                if form == PublicNames::Gnu {
                    out.u8(kind);
                }
                out.bytes.extend_from_slice(name);
                out.u8(0);
            }
            out.u32(0);
            out.end_part(part);
        }
    }

    /// What an entry is, and whether it is a type; `None` if it is not listed.
    fn kind(&self, unit: &Unit, entry: u32) -> Option<(u8, bool)> {
        let data = &unit.entries[entry as usize];
        let value = |name: dw::DwAt| {
            let mut attributes = unit.attributes_of(entry);
            attributes
                .find(|attribute| attribute.name == name)
                .map(|attribute| &attribute.value)
        };
        let has = |name: dw::DwAt| value(name).is_some();
        if has(dw::DW_AT_declaration) && !has(dw::DW_AT_signature) {
            return None;
        }
        let tag_of = |entry: u32| unit.entries.get(entry as usize).map(|entry| entry.tag);
        let is_in_namespace = |entry: u32| match tag_of(entry) {
            Some(tag) => matches!(
                tag,
                dw::DW_TAG_compile_unit | dw::DW_TAG_type_unit | dw::DW_TAG_namespace | dw::DW_TAG_module
            ),
            None => false,
        };
        let is_outside = is_in_namespace(data.parent);
        let local = match self.is_external(unit, entry) {
            true => 0,
            false => kind::LOCAL,
        };
        match data.tag {
            dw::DW_TAG_subprogram if !has(dw::DW_AT_abstract_origin) => Some((kind::FUNCTION | local, false)),
            dw::DW_TAG_variable => {
                let has_address =
                    matches!(value(dw::DW_AT_location), Some(Value::Expression(place)) if place.has_addresses());
                (is_outside || has_address).then_some((kind::VARIABLE | local, false))
            }
            dw::DW_TAG_namespace => Some((kind::TYPE, false)),
            dw::DW_TAG_enumerator => {
                let of_type = unit.entries.get(data.parent as usize)?;
                is_in_namespace(of_type.parent).then_some((kind::VARIABLE | kind::LOCAL, false))
            }
            dw::DW_TAG_class_type | dw::DW_TAG_structure_type | dw::DW_TAG_union_type | dw::DW_TAG_enumeration_type
                if is_outside =>
            {
                let local = if is_of_cpp(unit) { 0 } else { kind::LOCAL };
                Some((kind::TYPE | local, true))
            }
            dw::DW_TAG_typedef | dw::DW_TAG_base_type | dw::DW_TAG_subrange_type | dw::DW_TAG_template_alias
                if is_outside =>
            {
                Some((kind::TYPE | kind::LOCAL, true))
            }
            // What a name of these stands for, indexes do not say.
            dw::DW_TAG_unspecified_type | dw::DW_TAG_pointer_type if is_outside => Some((0, true)),
            _ => None,
        }
    }

    /// Whether other units know what an entry describes, which the declaration says if there is one.
    fn is_external(&self, unit: &Unit, entry: u32) -> bool {
        let declared = self.declaration(unit, entry);
        let (unit, entry) = declared.unwrap_or((unit, entry));
        let mut attributes = unit.attributes_of(entry);
        attributes.any(|attribute| attribute.name == dw::DW_AT_external)
    }

    /// The declaration that an entry completes.
    fn declaration<'a>(&'a self, unit: &'a Unit, entry: u32) -> Option<(&'a Unit, u32)> {
        unit.attributes_of(entry).find_map(|attribute| match attribute.value {
            Value::Entry(other) if attribute.name == dw::DW_AT_specification => {
                Some((self.units.get(other.unit())?, other.number))
            }
            _ => None,
        })
    }

    /// The name of an entry, with what it is in if that is part of it; `None` if it has none.
    fn full_name(&self, unit: &Unit, entry: u32, is_qualified: bool) -> Option<Vec<u8>> {
        let own = self.name(unit, entry)?;
        if own == INDEX_TYPE {
            return None;
        }
        let mut parts = vec![own];
        let (mut unit, entry) = self.declaration(unit, entry).unwrap_or((unit, entry));
        let mut around = unit.entries[entry as usize].parent;
        // Enumerators are in what their type is in.
        if unit.entries[entry as usize].tag == dw::DW_TAG_enumerator {
            around = unit.entries[around as usize].parent;
        }
        while is_qualified && around != NONE && around != ROOT {
            parts.extend(self.name(unit, around));
            (unit, around) = self.declaration(unit, around).unwrap_or((unit, around));
            around = unit.entries[around as usize].parent;
        }
        parts.reverse();
        Some(parts.join(b"::".as_slice()))
    }

    /// The name of one entry.
    fn name<'a>(&'a self, unit: &'a Unit, entry: u32) -> Option<&'a [u8]> {
        let signature = unit.attributes_of(entry).find_map(|attribute| match attribute.value {
            Value::Signature(signature) => Some(signature),
            _ => None,
        });
        let of_type = signature.and_then(|signature| self.types.get(&signature));
        let (unit, entry) = match of_type.and_then(|unit| Some((*unit, unit.own_type?.entry))) {
            Some(found) => found,
            None => (unit, entry),
        };
        match text_of(self.units, unit, entry, dw::DW_AT_name) {
            Some(text) => Some(self.strings.text(text)),
            None => (unit.entries[entry as usize].tag == dw::DW_TAG_namespace).then_some(ANONYMOUS),
        }
    }
}

/// Whether a unit is in a language whose names say what they are in.
fn is_of_cpp(unit: &Unit) -> bool {
    let language = unit.attributes_of(ROOT).find_map(|attribute| match attribute.value {
        Value::Half(language) if attribute.name == dw::DW_AT_language => Some(dw::DwLang(language)),
        _ => None,
    });
    matches!(
        language,
        Some(
            dw::DW_LANG_C_plus_plus
                | dw::DW_LANG_C_plus_plus_03
                | dw::DW_LANG_C_plus_plus_11
                | dw::DW_LANG_C_plus_plus_14
                | dw::DW_LANG_C_plus_plus_17
                | dw::DW_LANG_C_plus_plus_20
                | dw::DW_LANG_ObjC_plus_plus
        )
    )
}
