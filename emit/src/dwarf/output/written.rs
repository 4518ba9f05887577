//! Writing of all sections: units one after the other, and then the tables that they share.
//!
//! Units may be divided into halves for two files ([`split`]); what belongs to the other file has its own units, lists,
//! abbreviations and texts.

use super::address_ranges;
use super::bytes::{Bytes, Place};
use super::macros;
use super::names;
use super::public_names::{self, Names};
use super::split::{self, Halves};
use super::strings::Strings;
use super::tree::{Half, Unit, Value};
use super::units::{Growing, Layout, Tables, identity_offset, is_half};
use crate::error::EmitError;
use gimli::constants as dw;

/// All units and what they share.
#[derive(Debug, Default)]
pub(in crate::dwarf) struct Dwarf {
    pub units: Vec<Unit>,
    pub strings: Strings,
    /// Those of line programs: names of directories and files.
    pub line_strings: Strings,
    /// The section of call frames, which does not depend on units.
    pub frames: Bytes,
    /// The name of the file that has what linkers need not see; `None` if everything is in the object.
    pub split_name: Option<Vec<u8>>,
}

/// A section as it is to be written.
#[derive(Debug)]
pub(in crate::dwarf) struct Written {
    pub name: &'static str,
    /// What other sections call it; `None` if none names it.
    pub place: Option<Place>,
    pub contents: Bytes,
    /// Whether it holds texts that linkers may merge.
    pub is_texts: bool,
    /// The number that names its group, of which linkers keep one.
    pub group: Option<u64>,
    /// Whether it belongs to a file that no linker sees.
    pub is_split: bool,
}

/// What is found in the walks over all units.
#[derive(Default)]
struct Plan {
    layouts: Vec<Layout>,
    /// Those of the skeletons, by unit.
    skeletons: Vec<Option<Layout>>,
}

impl names::Places for &Plan {
    fn start(&self, unit: usize) -> u64 {
        self.skeletons[unit]
            .as_ref()
            .map_or(self.layouts[unit].start, |skeleton| skeleton.start)
    }

    fn offset(&self, unit: usize, entry: u32) -> u32 {
        self.layouts[unit].entries[entry as usize].0
    }
}

/// Everything while it is written.
struct Writing {
    tables: Tables,
    object: Growing,
    other: Growing,
    halves: Option<Halves>,
}

impl Dwarf {
    /// Writes all sections; those that are empty are left out.
    ///
    /// # Errors
    /// When an entry refers to one that was added nowhere, or a section is too large for offsets of 4 bytes.
    pub fn write(mut self) -> Result<Vec<Written>, EmitError> {
        let encoding = self.units.first().map(|unit| unit.encoding);
        let mut units = std::mem::take(&mut self.units);
        let name = self.split_name.take();
        let mut writing = Writing {
            tables: Tables::default(),
            object: Growing::default(),
            other: Growing::default(),
            halves: (name.as_deref()).map(|name| Halves::divide(&mut units, &mut self.strings, name)),
        };
        let plan = self.lay_out(&mut units, &mut writing);
        let mut names = Bytes::default();
        let halves = writing.halves.as_mut();
        names::write(&units, &&plan, &mut self.strings, halves, &mut names);
        let public = public_sections(&units, &plan, &self.strings);
        let mut address_ranges = Bytes::default();
        // Units of types, each in a section of its own: their places and the signatures that name their groups.
        let mut types = Vec::new();
        for (number, unit) in units.iter().enumerate() {
            let bytes = unit.encoding.address_size;
            let start = names::Places::start(&&plan, number);
            address_ranges::write(start, &unit.addresses, bytes, &mut address_ranges);
            let mut alone = Bytes::default();
            let out = match (unit.half, unit.own_type) {
                (Half::Split, Some(_)) if unit.encoding.version < 5 => &mut writing.other.types,
                (Half::Split, _) => &mut writing.other.info,
                (_, Some(_)) => &mut alone,
                (_, None) => &mut writing.object.info,
            };
            let (layout, all) = (&plan.layouts[number], plan.layouts.as_slice());
            let texts_of_object = writing.halves.as_ref().map_or(&self.strings, |halves| &halves.texts);
            writing.tables.write_unit(unit, layout, all, texts_of_object, out)?;
            if let Some(own) = unit.own_type.filter(|_| unit.half == Half::Whole) {
                types.push((Place::TypeUnit(number as u32), own.signature, alone));
            }
            let skeleton = writing
                .halves
                .as_ref()
                .and_then(|halves| halves.skeletons[number].as_ref());
            if let Some((unit, layout)) = skeleton.zip(plan.skeletons[number].as_ref()) {
                let out = &mut writing.object.info;
                writing.tables.write_unit(unit, layout, &[], texts_of_object, out)?;
            }
        }
        let is_new = encoding.is_some_and(|encoding| encoding.version >= 5);
        let encoding = encoding.filter(|_| is_new);
        let mut other = match &name {
            Some(_) => self.other_sections(&mut writing, is_new)?,
            None => Vec::new(),
        };
        if let Some(name) = name.filter(|_| !other.is_empty()) {
            writing.identify(&units, &plan, &name, &mut other);
        }
        let [
            mut abbreviations,
            mut texts,
            mut text_offsets,
            mut addresses,
            mut line_texts,
        ] = [(); 5].map(|()| Bytes::default());
        writing.tables.abbreviations[0].write(&mut abbreviations);
        let strings = writing.halves.as_ref().map_or(&self.strings, |halves| &halves.texts);
        strings.write(&mut texts);
        if let (None, Some(_), Some(unit)) = (encoding, &writing.halves, units.first()) {
            let bytes = unit.encoding.address_size;
            writing.tables.addresses.write_gnu(bytes, &mut addresses);
        }
        if let Some(encoding) = encoding {
            strings.write_offsets(&mut text_offsets);
            writing.tables.addresses.write(encoding.address_size, &mut addresses);
            self.line_strings.write(&mut line_texts);
        }
        let [ranges, locations, macros, of_types] = match is_new {
            true => [".debug_rnglists", ".debug_loclists", ".debug_macro", ".debug_info"],
            false => [".debug_ranges", ".debug_loc", ".debug_macinfo", ".debug_types"],
        };
        let object = writing.object;
        let [public_plain_names, public_plain_types] = public.plain;
        let [public_gnu_names, public_gnu_types] = public.gnu;
        let sections = [
            (".debug_abbrev", Some(Place::Abbreviations), abbreviations),
            (".debug_info", Some(Place::Entries), object.info),
            (ranges, Some(Place::RangeLists), object.ranges),
            (locations, Some(Place::LocationLists), object.locations),
            (".debug_str_offsets", Some(Place::TextOffsets), text_offsets),
            (".debug_str", Some(Place::Texts), texts),
            (".debug_addr", Some(Place::Addresses), addresses),
            (".debug_line", Some(Place::Lines), object.lines),
            (".debug_line_str", Some(Place::LineTexts), line_texts),
            (".debug_frame", Some(Place::Frames), self.frames),
            (macros, Some(Place::Macros), object.macros),
            (".debug_names", None, names),
            (".debug_pubnames", None, public_plain_names),
            (".debug_pubtypes", None, public_plain_types),
            (".debug_gnu_pubnames", None, public_gnu_names),
            (".debug_gnu_pubtypes", None, public_gnu_types),
            (".debug_aranges", None, address_ranges),
        ];
        let mut written: Vec<Written> = sections
            .into_iter()
            .map(|(name, place, contents)| section(name, place, contents))
            .collect();
        written.extend(types.into_iter().map(|(place, signature, contents)| Written {
            group: Some(signature),
            ..section(of_types, Some(place), contents)
        }));
        written.extend(other);
        written.retain(|section| section.contents.len() > 0);
        let large = written
            .iter()
            .find(|section| u32::try_from(section.contents.len()).is_err());
        match large {
            Some(Written { name, .. }) => Err(EmitError::too_large(format!("{name}, more than 4 GiB"))),
            None => Ok(written),
        }
    }

    /// Writes lines, macros and lists of units, says in their roots where these are, and foresees where entries stand.
    fn lay_out(&self, units: &mut [Unit], writing: &mut Writing) -> Plan {
        let mut plan = Plan::default();
        let mut names_files: Vec<bool> = units.iter().map(Unit::names_files).collect();
        for (number, unit) in units.iter().enumerate() {
            if let Some(own) = unit.own_type {
                names_files[own.lines] |= names_files[number];
            }
        }
        if let (Some(halves), Some(unit)) = (&writing.halves, units.first()) {
            let (object, other) = (&mut writing.object, &mut writing.other);
            writing.tables.write_shared_lists(halves, unit.encoding, object, other);
        }
        // By unit, where its line program is in the object, and where the files are in the other file.
        let mut lines: Vec<Option<u64>> = vec![None; units.len()];
        let mut files: Vec<Option<u64>> = vec![None; units.len()];
        let (mut end, mut other_end, mut other_types_end) = (0, 0, 0);
        let shares_ranges = writing.halves.as_ref().is_some_and(|halves| !halves.ranges.is_empty());
        for number in 0..units.len() {
            let offset = match units[number].own_type {
                None => {
                    let program = &units[number].line_program;
                    if !program.is_empty() || names_files[number] {
                        lines[number] = Some(writing.object.lines.len() as u64);
                        program.write(&self.line_strings, &mut writing.object.lines);
                    }
                    self.write_macros(&mut units[number], lines[number].unwrap_or(0), writing);
                    lines[number]
                }
                Some(own) if units[number].half == Half::Split => {
                    let out = &mut writing.other.lines;
                    Some(*files[own.lines].get_or_insert_with(|| {
                        let offset = out.len() as u64;
                        units[own.lines].line_program.write_files(&self.line_strings, out);
                        offset
                    }))
                }
                Some(own) => lines[own.lines],
            };
            let unit = &mut units[number];
            let skeletons = writing.halves.as_mut().map(|halves| &mut halves.skeletons);
            let mut skeleton = skeletons.and_then(|skeletons| skeletons[number].as_mut());
            let described = skeleton.as_deref_mut().unwrap_or(unit);
            if described.public_names.is_some() {
                described.set(described.root(), dw::DW_AT_GNU_pubnames, Value::Present);
            }
            if let Some(offset) = offset {
                let value = Value::Base(Place::Lines, offset);
                described.set_before(&[dw::DW_AT_comp_dir], dw::DW_AT_stmt_list, value);
            }
            if described.half == Half::Skeleton && described.encoding.version < 5 && shares_ranges {
                let ranges = Value::Base(Place::RangeLists, 0);
                described.set(described.root(), dw::DW_AT_GNU_ranges_base, ranges);
            }
            if described.half != Half::Split {
                writing.tables.write_lists(described, &mut writing.object);
            }
            let layout = match (unit.half, unit.own_type) {
                (Half::Split, Some(_)) if unit.encoding.version < 5 => {
                    let layout = writing.tables.lay_out(unit, other_types_end);
                    other_types_end = layout.end;
                    layout
                }
                (Half::Split, _) => {
                    let layout = writing.tables.lay_out(unit, other_end);
                    other_end = layout.end;
                    layout
                }
                (_, Some(_)) => writing.tables.lay_out(unit, 0),
                (_, None) => {
                    let layout = writing.tables.lay_out(unit, end);
                    end = layout.end;
                    layout
                }
            };
            plan.layouts.push(layout);
            let skeleton = skeleton.map(|skeleton| writing.tables.lay_out(skeleton, end));
            end = skeleton.as_ref().map_or(end, |layout| layout.end);
            plan.skeletons.push(skeleton);
        }
        plan
    }

    /// Writes the macros of a unit whose line program is at an offset.
    fn write_macros(&self, unit: &mut Unit, lines: u64, writing: &mut Writing) {
        let macros = std::mem::take(&mut unit.macros);
        if macros.is_empty() {
            return;
        }
        // The file has no line table; debuggers take that of the skeleton.
        let (lines, out) = match unit.half {
            Half::Split => (0, &mut writing.other.macros),
            _ => (lines, &mut writing.object.macros),
        };
        let program = &unit.line_program;
        let (name, offset) = match unit.encoding.version {
            5.. => (dw::DW_AT_macros, macros::write(&macros, lines, program, out)),
            _ => {
                let start = macros::write_old(&macros, &self.line_strings, program, out);
                (dw::DW_AT_macro_info, start)
            }
        };
        unit.set(unit.root(), name, Value::Base(Place::Macros, offset));
    }

    /// The sections of the file that no linker sees; none if all units are whole.
    fn other_sections(&self, writing: &mut Writing, is_new: bool) -> Result<Vec<Written>, EmitError> {
        let other = std::mem::take(&mut writing.other);
        if other.info.len() == 0 {
            return Ok(Vec::new());
        }
        let [mut abbreviations, mut texts, mut text_offsets] = [(); 3].map(|()| Bytes::default());
        writing.tables.abbreviations[1].write(&mut abbreviations);
        self.strings.write(&mut texts);
        match is_new {
            true => self.strings.write_offsets(&mut text_offsets),
            false => self.strings.write_gnu_offsets(&mut text_offsets),
        }
        let [locations, macros] = match is_new {
            true => [".debug_loclists.dwo", ".debug_macro.dwo"],
            false => [".debug_loc.dwo", ".debug_macinfo.dwo"],
        };
        let sections = [
            (".debug_info.dwo", other.info),
            (".debug_types.dwo", other.types),
            (".debug_abbrev.dwo", abbreviations),
            (".debug_str_offsets.dwo", text_offsets),
            (".debug_str.dwo", texts),
            (locations, other.locations),
            // Before version 5, the object has them.
            (".debug_rnglists.dwo", other.ranges),
            (".debug_line.dwo", other.lines),
            (macros, other.macros),
        ];
        let mut written = Vec::new();
        for (name, mut contents) in sections {
            split::settle(&mut contents)?;
            written.push(Written {
                is_texts: name == ".debug_str.dwo",
                is_split: true,
                ..section(name, None, contents)
            });
        }
        Ok(written)
    }
}

/// The names of all units that are to be listed.
fn public_sections(units: &[Unit], plan: &Plan, strings: &Strings) -> public_names::Sections {
    let mut out = public_names::Sections::default();
    if units.iter().all(|unit| unit.public_names.is_none()) {
        return out;
    }
    let names = Names::new(units, strings);
    for (number, unit) in units.iter().enumerate() {
        let layout = &plan.layouts[number];
        let described = plan.skeletons[number].as_ref().unwrap_or(layout);
        let place = (described.start, described.end - described.start);
        names.write(unit, place, |entry| layout.entries[entry as usize].0, &mut out);
    }
    out
}

impl Writing {
    /// Gives the halves of each unit the number by which they find each other. The first of the other sections has the
    /// units.
    fn identify(&mut self, units: &[Unit], plan: &Plan, name: &[u8], other: &mut [Written]) {
        let Some((info, rest)) = other.split_first_mut() else {
            return;
        };
        for (number, unit) in units.iter().enumerate().filter(|(_, unit)| is_half(unit)) {
            let version = unit.encoding.version;
            let layout = &plan.layouts[number];
            let own = &info.contents.bytes[layout.start as usize..layout.end as usize];
            let rest = rest.iter().map(|section| section.contents.bytes.as_slice());
            let identity = split::identity(name, std::iter::once(own).chain(rest));
            put_identity(&mut info.contents, identity_offset(version, layout), identity);
            if let Some(skeleton) = &plan.skeletons[number] {
                let at = identity_offset(version, skeleton);
                put_identity(&mut self.object.info, at, identity);
            }
            debug_assert!(unit.half == Half::Split, "skeletons are not among the units");
        }
    }
}

/// Fills in the number of a half at an offset.
fn put_identity(out: &mut Bytes, at: u64, identity: u64) {
    let at = at as usize;
    out.bytes[at..at + 8].copy_from_slice(&identity.to_le_bytes());
}

/// A section of the object, in no group.
fn section(name: &'static str, place: Option<Place>, contents: Bytes) -> Written {
    Written {
        name,
        place,
        contents,
        is_texts: matches!(place, Some(Place::Texts | Place::LineTexts)),
        group: None,
        is_split: false,
    }
}
