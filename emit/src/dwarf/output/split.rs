//! Units in two halves (DWARF 5, sections 3.1.2, 3.1.3 and 7.3.2): a skeleton in the object, which says where the code
//! is and names a file, and in that file everything that linkers need not touch.
//!
//! Method: the root of a unit keeps what describes the program; addresses and the directory go to a skeleton. Lists of
//! all units become one, because units of the file do not say where theirs begin. Texts have a table for each half.
//! Units that have nothing but a root stay whole, and units of types go to the file.
//!
//! Version 4 has GNU's form of it (of the GCC wiki, "DebugFission"), which differs in names and forms of attributes,
//! has no headers of tables, the number of a unit as an attribute, and all lists of ranges in the object.
//!
//! Invariant: no linker fills in anything in the file. Addresses are numbers of the object's table, and offsets are
//! known, since the file has one table of each kind.

use super::bytes::{Bytes, Place, Target};
use super::lists::{Lists, Location, Range};
use super::strings::Strings;
use super::tree::{Half, ROOT, Unit, Value};
use super::{LineProgram, TextId};
use crate::error::EmitError;
use frazil_support::FxHashMap;
use gimli::constants as dw;
use md5::{Digest, Md5};

/// What stays in the object, and what the units of the file share.
#[derive(Debug, Default)]
pub(super) struct Halves {
    /// By unit, what stays of it, unless it is whole.
    pub skeletons: Vec<Option<Unit>>,
    /// The texts of the object.
    pub texts: Strings,
    pub ranges: Lists<Range>,
    pub locations: Lists<Location>,
}

impl Halves {
    /// Divides the units of a module, whose texts are in one table before; the file has a name.
    pub fn divide(units: &mut [Unit], texts: &mut Strings, name: &[u8]) -> Halves {
        let mut halves = Halves::default();
        let has_types = units.iter().any(|unit| unit.own_type.is_some());
        let file = texts.add(name);
        for unit in units {
            // The index of names would need signatures instead of places.
            unit.is_indexed &= !has_types;
            let skeleton = match unit.own_type {
                Some(_) => {
                    unit.half = Half::Split;
                    None
                }
                None if unit.entries[ROOT as usize].has_children() => Some(halves.skeleton(unit, texts, name)),
                None => {
                    halves.keep_whole(unit, texts);
                    None
                }
            };
            if unit.half == Half::Split {
                if unit.encoding.version >= 5 {
                    unit.set(unit.root(), dw::DW_AT_dwo_name, Value::Text(file));
                } else if unit.own_type.is_none() {
                    unit.set(unit.root(), dw::DW_AT_GNU_dwo_name, Value::Text(file));
                    // The first one, so that it is known where it is.
                    let first = unit.attributes_of(ROOT).next().map(|attribute| attribute.name);
                    unit.set_before(first.as_slice(), dw::DW_AT_GNU_dwo_id, Value::Identity);
                }
                halves.move_lists(unit);
            }
            halves.skeletons.push(skeleton);
        }
        halves
    }

    /// Takes from the root of a unit what is to stay in the object.
    fn skeleton(&mut self, unit: &mut Unit, texts: &Strings, name: &[u8]) -> Unit {
        unit.half = Half::Split;
        let mut skeleton = Unit::skeleton(unit, LineProgram::for_numbers(unit.encoding));
        skeleton.public_names = unit.public_names;
        let root = skeleton.root();
        let is_new = unit.encoding.version >= 5;
        if !is_new {
            skeleton.set(root, dw::DW_AT_GNU_dwo_id, Value::Identity);
            skeleton.set(root, dw::DW_AT_GNU_addr_base, Value::Base(Place::Addresses, 0));
        }
        if let Some(Value::Text(directory)) = unit.take(ROOT, dw::DW_AT_comp_dir) {
            let directory = Value::Text(self.texts.add(texts.text(directory)));
            skeleton.set(root, dw::DW_AT_comp_dir, directory);
        }
        let named = if is_new {
            dw::DW_AT_dwo_name
        } else {
            dw::DW_AT_GNU_dwo_name
        };
        skeleton.set(root, named, Value::Text(self.texts.add(name)));
        for attribute in [dw::DW_AT_low_pc, dw::DW_AT_high_pc, dw::DW_AT_ranges] {
            match unit.take(ROOT, attribute) {
                Some(Value::Ranges(number)) => {
                    let list = unit.ranges.get_index(number as usize).cloned().unwrap_or_default();
                    let list = skeleton.add_ranges(list);
                    skeleton.set(root, attribute, list);
                }
                Some(value) => skeleton.set(root, attribute, value),
                None => {}
            }
        }
        skeleton
    }

    /// Puts the texts of a unit that stays in the object into the table there.
    fn keep_whole(&mut self, unit: &mut Unit, texts: &Strings) {
        for attribute in &mut unit.attributes {
            if let Value::Text(text) = &mut attribute.value {
                *text = self.texts.add(texts.text(*text));
            }
        }
    }

    /// Puts the lists of a unit of the file among those of all.
    fn move_lists(&mut self, unit: &mut Unit) {
        let ranges = std::mem::take(&mut unit.ranges).into_iter();
        let ranges: Vec<u32> = ranges.map(|list| self.ranges.insert_full(list).0 as u32).collect();
        let locations = std::mem::take(&mut unit.locations).into_iter();
        let locations: Vec<u32> = locations
            .map(|list| self.locations.insert_full(list).0 as u32)
            .collect();
        for attribute in &mut unit.attributes {
            match &mut attribute.value {
                Value::Ranges(list) => *list = ranges[*list as usize],
                Value::Locations(list) => *list = locations[*list as usize],
                _ => {}
            }
        }
    }

    /// The texts of the object that are the same as some of the file.
    pub fn names(&mut self, names: impl IntoIterator<Item = TextId>, texts: &Strings) -> FxHashMap<TextId, TextId> {
        let pairs = names.into_iter().map(|name| (name, self.texts.add(texts.text(name))));
        pairs.collect()
    }
}

/// What tells the file that belongs to a unit from others: the start of the MD5 sum of all that is in it.
pub(super) fn identity<'b>(name: &[u8], parts: impl IntoIterator<Item = &'b [u8]>) -> u64 {
    let mut sum = Md5::new_with_prefix(name);
    parts.into_iter().for_each(|part| sum.update(part));
    let sum = sum.finalize();
    u64::from_le_bytes(*sum.first_chunk().expect("a sum has 16 bytes"))
}

/// Fills in the fields of a section of the file.
///
/// # Errors
/// When one would be an address.
pub(super) fn settle(contents: &mut Bytes) -> Result<(), EmitError> {
    for field in std::mem::take(&mut contents.fields) {
        if let Target::Address(_) = field.target {
            let what = "debug information: an address in a file that no linker sees";
            return Err(EmitError::malformed(what, ""));
        }
        let (start, bytes) = (field.offset as usize, usize::from(field.bytes));
        contents.bytes[start..start + bytes].copy_from_slice(&field.addend.to_le_bytes()[..bytes]);
    }
    Ok(())
}
