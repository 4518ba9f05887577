//! The index of names (DWARF 5, section 6.1.1): from names to entries, so that debuggers need not read all units first.
//!
//! Method: a walk over the entries of all units that are to be indexed collects names and what they are names of
//! (section 6.1.1.1 says which). Names are numbered by bucket and hash, as the table has them.
//!
//! What is left out: the entries around an entry (`DW_IDX_parent`), which are optional.

use super::bytes::{Bytes, Place};
use super::split::Halves;
use super::strings::{Strings, TextId};
use super::tree::{ROOT, Unit, Value};
use frazil_support::FxBuildHasher;
use gimli::constants as dw;
use indexmap::{IndexMap, IndexSet};

/// The name of namespaces without one.
const ANONYMOUS: &[u8] = b"(anonymous namespace)";
/// What tells LLVM's debugger that nothing else is to be expected.
const AUGMENTATION: &[u8] = b"LLVM0700";
/// References from entry to entry on the way to a name: inlined code, its function, the declaration of that.
const MOST_REFERENCES: usize = 8;

/// Where units and their entries are.
pub(super) trait Places {
    /// The offset of a unit in its section.
    fn start(&self, unit: usize) -> u64;
    /// The offset of an entry in its unit.
    fn offset(&self, unit: usize, entry: u32) -> u32;
}

/// An entry that a name stands for.
struct Named {
    /// The number of its unit in the index.
    unit: u32,
    offset: u32,
    /// The number of its abbreviation here.
    abbreviation: u32,
}

/// The tag of an entry, and whether it is in the unit of a type.
type Shape = (dw::DwTag, bool);

/// Where the units of the index begin: those of compilation, and those of types.
#[derive(Default)]
struct Table {
    units: Vec<(Place, u64)>,
    types: Vec<(Place, u64)>,
}

impl Table {
    /// How an entry says which unit it is in; `None` where there is only one that it can be in.
    fn number_of_unit(&self, is_type: bool) -> Option<(dw::DwIdx, (dw::DwForm, u8))> {
        match is_type {
            true => Some((dw::DW_IDX_type_unit, unit_form(self.types.len()))),
            false if self.units.len() > 1 => Some((dw::DW_IDX_compile_unit, unit_form(self.units.len()))),
            false => None,
        }
    }
}

/// Writes the index; nothing if no unit is to be indexed.
///
/// Texts of units whose entries are in another file are not in the table that the index names: `halves` has that then.
pub(super) fn write(
    units: &[Unit],
    places: &impl Places,
    strings: &mut Strings,
    halves: Option<&mut Halves>,
    out: &mut Bytes,
) {
    let indexed = || units.iter().enumerate().filter(|(_, unit)| unit.is_indexed);
    if indexed().next().is_none() {
        return;
    }
    let mut names: IndexMap<TextId, Vec<Named>, FxBuildHasher> = IndexMap::default();
    let mut tags: IndexSet<Shape, FxBuildHasher> = IndexSet::default();
    let mut table = Table::default();
    for (place, unit) in indexed() {
        let list = match unit.own_type {
            None => &mut table.units,
            Some(_) => &mut table.types,
        };
        let number = list.len();
        list.push(match unit.own_type {
            None => (Place::Entries, places.start(place)),
            Some(_) => (Place::TypeUnit(place as u32), 0),
        });
        let mut next = Some(ROOT);
        while let Some(entry) = next {
            for name in names_of(units, unit, entry, strings).into_iter().flatten() {
                let shape = (unit.entries[entry as usize].tag, unit.own_type.is_some());
                let abbreviation = tags.insert_full(shape).0 as u32 + 1;
                names.entry(name).or_default().push(Named {
                    unit: number as u32,
                    offset: places.offset(place, entry),
                    abbreviation,
                });
            }
            next = unit.after(entry).0;
        }
    }
    match halves {
        None => write_table(
            &table,
            &names,
            &tags,
            |name| strings.text(name),
            |name| strings.offset(name),
            out,
        ),
        Some(halves) => {
            let known = halves.names(names.keys().copied(), strings);
            let offset = |name| halves.texts.offset(known[&name]);
            write_table(&table, &names, &tags, |name| strings.text(name), offset, out);
        }
    }
}

fn write_table<'a>(
    table: &Table,
    names: &IndexMap<TextId, Vec<Named>, FxBuildHasher>,
    shapes: &IndexSet<Shape, FxBuildHasher>,
    text: impl Fn(TextId) -> &'a [u8],
    offset: impl Fn(TextId) -> u64,
    out: &mut Bytes,
) {
    let mut hashed: Vec<(u32, TextId, &[Named])> = names
        .iter()
        .map(|(&name, entries)| (hash(text(name)), name, entries.as_slice()))
        .collect();
    let mut hashes: Vec<u32> = hashed.iter().map(|name| name.0).collect();
    hashes.sort_unstable();
    hashes.dedup();
    let buckets = bucket_count(hashes.len() as u32);
    // Stable: names with one hash are in the order of the units.
    hashed.sort_by_key(|&(hash, ..)| (hash % buckets, hash));
    let abbreviations = abbreviation_table(shapes, table);
    let part = out.begin_part();
    out.u16(5);
    out.u16(0);
    let (units, types) = (table.units.len() as u32, table.types.len() as u32);
    for number in [units, types, 0, buckets, hashed.len() as u32] {
        out.u32(number);
    }
    out.u32(abbreviations.len() as u32);
    out.u32(AUGMENTATION.len() as u32);
    out.bytes.extend_from_slice(AUGMENTATION);
    for &(place, start) in table.units.iter().chain(&table.types) {
        out.offset_in(place, start);
    }
    write_buckets(&hashed, buckets, out);
    hashed.iter().for_each(|name| out.u32(name.0));
    for name in &hashed {
        out.offset_in(Place::Texts, offset(name.1));
    }
    let mut pool = Bytes::default();
    for (_, _, entries) in &hashed {
        out.u32(pool.len() as u32);
        for entry in *entries {
            pool.unsigned(entry.abbreviation.into());
            let is_type = shapes
                .get_index(entry.abbreviation as usize - 1)
                .is_some_and(|shape| shape.1);
            if let Some((_, (_, bytes))) = table.number_of_unit(is_type) {
                pool.number(entry.unit.into(), bytes);
            }
            pool.u32(entry.offset);
        }
        pool.u8(0);
    }
    out.bytes.extend_from_slice(&abbreviations.bytes);
    out.bytes.extend_from_slice(&pool.bytes);
    out.end_part(part);
}

/// By bucket, the number of its first name; 0 if it is empty.
fn write_buckets(hashed: &[(u32, TextId, &[Named])], buckets: u32, out: &mut Bytes) {
    let mut next = 0;
    for bucket in 0..buckets {
        let is_here = |at: usize| hashed.get(at).is_some_and(|name| name.0 % buckets == bucket);
        out.u32(if is_here(next) { next as u32 + 1 } else { 0 });
        while is_here(next) {
            next += 1;
        }
    }
}

/// Abbreviations of the index: one for each tag, with the unit if there are several, and the place in it.
fn abbreviation_table(shapes: &IndexSet<Shape, FxBuildHasher>, table: &Table) -> Bytes {
    let mut out = Bytes::default();
    for (number, &(tag, is_type)) in (1..).zip(shapes) {
        out.unsigned(number);
        out.unsigned(tag.0.into());
        if let Some((name, (form, _))) = table.number_of_unit(is_type) {
            out.unsigned(name.0.into());
            out.unsigned(form.0.into());
        }
        out.unsigned(dw::DW_IDX_die_offset.0.into());
        out.unsigned(dw::DW_FORM_ref4.0.into());
        out.u16(0);
    }
    out.u8(0);
    out
}

/// The form of the number of a unit among so many.
fn unit_form(units: usize) -> (dw::DwForm, u8) {
    match units {
        0..=0x100 => (dw::DW_FORM_data1, 1),
        0x101..=0x1_0000 => (dw::DW_FORM_data2, 2),
        _ => (dw::DW_FORM_data4, 4),
    }
}

/// As many buckets as LLVM takes for so many hashes.
fn bucket_count(hashes: u32) -> u32 {
    match hashes {
        1025.. => hashes / 4,
        17.. => hashes / 2,
        few => few.max(1),
    }
}

/// The names that an entry is found by: its own and the linkers', if they are not the same.
fn names_of(units: &[Unit], unit: &Unit, entry: u32, strings: &mut Strings) -> [Option<TextId>; 2] {
    let tag = unit.entries[entry as usize].tag;
    if !is_indexed(unit, entry, tag) {
        return [None; 2];
    }
    let name = text_of(units, unit, entry, dw::DW_AT_name);
    if tag == dw::DW_TAG_namespace && name.is_none() {
        return [Some(strings.add(ANONYMOUS)), None];
    }
    let linkage = text_of(units, unit, entry, dw::DW_AT_linkage_name);
    [name, linkage.filter(|_| linkage != name)]
}

/// Whether an entry is one that the index has, as LLVM reads the standard.
fn is_indexed(unit: &Unit, entry: u32, tag: dw::DwTag) -> bool {
    let value = |name: dw::DwAt| {
        let mut attributes = unit.attributes_of(entry);
        attributes
            .find(|attribute| attribute.name == name)
            .map(|attribute| &attribute.value)
    };
    if value(dw::DW_AT_declaration).is_some() {
        return false;
    }
    match tag {
        dw::DW_TAG_compile_unit
        | dw::DW_TAG_type_unit
        | dw::DW_TAG_module
        | dw::DW_TAG_formal_parameter
        | dw::DW_TAG_template_value_parameter
        | dw::DW_TAG_template_type_parameter
        | dw::DW_TAG_GNU_template_parameter_pack
        | dw::DW_TAG_GNU_template_template_param
        | dw::DW_TAG_member
        | dw::DW_TAG_enumerator
        | dw::DW_TAG_imported_declaration => false,
        dw::DW_TAG_subprogram | dw::DW_TAG_inlined_subroutine | dw::DW_TAG_label => {
            value(dw::DW_AT_low_pc).is_some() || value(dw::DW_AT_ranges).is_some()
        }
        dw::DW_TAG_variable => match value(dw::DW_AT_location) {
            Some(Value::Expression(place)) => place.has_addresses(),
            _ => false,
        },
        _ => true,
    }
}

/// A text of an entry, or of what it completes.
pub(super) fn text_of(units: &[Unit], unit: &Unit, entry: u32, name: dw::DwAt) -> Option<TextId> {
    let (mut unit, mut entry) = (unit, entry);
    for _ in 0..MOST_REFERENCES {
        let mut origin = None;
        for attribute in unit.attributes_of(entry) {
            match (&attribute.value, attribute.name) {
                (&Value::Text(text), found) if found == name => return Some(text),
                (&Value::Entry(other), dw::DW_AT_specification | dw::DW_AT_abstract_origin) => origin = Some(other),
                _ => {}
            }
        }
        let other = origin?;
        (unit, entry) = (units.get(other.unit())?, other.number);
    }
    None
}

/// The hash of a name (DWARF 5, section 7.33): D. J. Bernstein's, of the letters without regard to their case.
fn hash(name: &[u8]) -> u32 {
    let add = |hash: u32, byte: u8| hash.wrapping_mul(33).wrapping_add(byte.into());
    const SEED: u32 = 5381;
    if name.is_ascii() {
        let bytes = name.iter().map(u8::to_ascii_lowercase);
        return bytes.fold(SEED, add);
    }
    let text = String::from_utf8_lossy(name);
    text.chars().map(folded).fold(SEED, |hash, letter| {
        letter.encode_utf8(&mut [0; 4]).bytes().fold(hash, add)
    })
}

/// The letter that stands for a letter in any case (Unicode's `CaseFolding.txt`, those of status C and S).
fn folded(letter: char) -> char {
    match letter {
        // The dotted and the dotless i, as the standard adds.
        '\u{130}' | '\u{131}' => 'i',
        '\u{b5}' => '\u{3bc}',
        '\u{17f}' => 's',
        '\u{345}' | '\u{1fbe}' => '\u{3b9}',
        '\u{3c2}' => '\u{3c3}',
        '\u{3d0}' => '\u{3b2}',
        '\u{3d1}' => '\u{3b8}',
        '\u{3d5}' => '\u{3c6}',
        '\u{3d6}' => '\u{3c0}',
        '\u{3f0}' => '\u{3ba}',
        '\u{3f1}' => '\u{3c1}',
        '\u{3f5}' => '\u{3b5}',
        '\u{1e9b}' => '\u{1e61}',
        // Cherokee is written in capitals.
        '\u{13a0}'..='\u{13f5}' => letter,
        '\u{13f8}'..='\u{13fd}' | '\u{ab70}'..='\u{abbf}' => only(letter.to_uppercase(), letter),
        _ => only(letter.to_lowercase(), letter),
    }
}

/// The one letter of a conversion, or the letter itself if it becomes several.
fn only(mut converted: impl Iterator<Item = char>, letter: char) -> char {
    match (converted.next(), converted.next()) {
        (Some(one), None) => one,
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_llvm() {
        // `caseFoldingDjbHash` in LLVM's unit tests (`llvm/unittests/Support/DJBTest.cpp`).
        assert_eq!(hash(b""), 5381);
        assert_eq!(hash(b"f"), 177_675);
        assert_eq!(hash(b"foo"), hash(b"FoO"));
        assert_eq!(hash("\u{c0}".as_bytes()), hash("\u{e0}".as_bytes()));
        assert_eq!(hash("\u{130}".as_bytes()), hash(b"i"));
        assert_eq!(hash("ς".as_bytes()), hash("Σ".as_bytes()));
    }

    #[test]
    fn buckets_grow_with_names() {
        assert_eq!([0, 1, 16, 17, 1024, 1025].map(bucket_count), [1, 1, 16, 8, 512, 256]);
    }
}
