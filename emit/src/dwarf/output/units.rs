//! Writing of units: forms of attributes, places of entries, and the sections.

use super::TextId;
use super::abbreviations::{self, Abbreviations};
use super::address_ranges;
use super::addresses::{self, Addresses};
use super::bytes::{Bytes, Place, signed_bytes, unsigned_bytes};
use super::lists::{self, Form};
use super::macros;
use super::names;
use super::strings::{self, Strings};
use super::tree::{ROOT, Unit, Value};
use crate::error::EmitError;
use gimli::constants as dw;
use gimli::{DwForm, Encoding};

/// All units and what they share.
#[derive(Debug, Default)]
pub(in crate::dwarf) struct Dwarf {
    pub units: Vec<Unit>,
    pub strings: Strings,
    /// Those of line programs: names of directories and files.
    pub line_strings: Strings,
    /// The section of call frames, which does not depend on units.
    pub frames: Bytes,
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
}

/// What the first walk over a unit finds.
struct Layout {
    /// By entry: its offset from the start of the unit, 0 if it is not in it, and the number of its abbreviation.
    entries: Vec<(u32, u32)>,
    /// Where the unit starts and ends in the section, in bytes.
    start: u64,
    end: u64,
}

impl names::Places for &[Layout] {
    fn start(&self, unit: usize) -> u64 {
        self[unit].start
    }

    fn offset(&self, unit: usize, entry: u32) -> u32 {
        self[unit].entries[entry as usize].0
    }
}

/// The tables that grow while units are written.
#[derive(Default)]
struct Tables {
    abbreviations: Abbreviations,
    addresses: Addresses,
    /// Where the lists of the unit are that is being written.
    ranges: Vec<u64>,
    locations: Vec<u64>,
    description: Vec<u32>,
}

/// The sections that grow while units are written.
#[derive(Default)]
struct Growing {
    info: Bytes,
    /// Units of types: their places, the signatures that name their groups, and what they are.
    types: Vec<(u32, u64, Bytes)>,
    ranges: Bytes,
    locations: Bytes,
    address_ranges: Bytes,
    macros: Bytes,
}

impl Dwarf {
    /// Writes all sections; those that are empty are left out.
    ///
    /// # Errors
    /// When an entry refers to one that was added nowhere, or a section is too large for offsets of 4 bytes.
    pub fn write(mut self) -> Result<Vec<Written>, EmitError> {
        let (mut tables, mut out) = (Tables::default(), Growing::default());
        let mut lines = Bytes::default();
        let encoding = self.units.first().map(|unit| unit.encoding);
        let mut units = std::mem::take(&mut self.units);
        let mut layouts: Vec<Layout> = Vec::with_capacity(units.len());
        let mut names_files: Vec<bool> = units.iter().map(Unit::names_files).collect();
        for (number, unit) in units.iter().enumerate() {
            if let Some(own) = unit.own_type {
                names_files[own.lines] |= names_files[number];
            }
        }
        let mut line_offsets: Vec<Option<u64>> = Vec::with_capacity(units.len());
        let mut end = 0;
        for (number, unit) in units.iter_mut().enumerate() {
            let start = match unit.own_type {
                Some(own) => {
                    line_offsets.push(line_offsets[own.lines]);
                    0
                }
                None => {
                    let offset = lines.len() as u64;
                    let has_lines = !unit.line_program.is_empty() || names_files[number];
                    if has_lines {
                        unit.line_program.write(&self.line_strings, &mut lines);
                    }
                    line_offsets.push(has_lines.then_some(offset));
                    self.write_macros(unit, offset, &mut out.macros);
                    end
                }
            };
            if let Some(offset) = line_offsets[number] {
                unit.set(unit.root(), dw::DW_AT_stmt_list, Value::Base(Place::Lines, offset));
            }
            tables.write_lists(unit, &mut out);
            let layout = tables.lay_out(unit, start);
            if unit.own_type.is_none() {
                end = layout.end;
            }
            layouts.push(layout);
        }
        let mut names = Bytes::default();
        names::write(&units, &layouts.as_slice(), &mut self.strings, &mut names);
        for (number, unit) in units.into_iter().enumerate() {
            let start = layouts[number].start;
            address_ranges::write(
                start,
                &unit.addresses,
                unit.encoding.address_size,
                &mut out.address_ranges,
            );
            let mut of_type = Bytes::default();
            let own = unit.own_type;
            let section = if own.is_some() { &mut of_type } else { &mut out.info };
            tables.write_unit(&unit, &layouts, number, &self.strings, section)?;
            out.types.extend(own.map(|own| (number as u32, own.signature, of_type)));
        }
        let is_new = encoding.is_some_and(|encoding| encoding.version >= 5);
        let [
            mut abbreviations,
            mut texts,
            mut text_offsets,
            mut addresses,
            mut line_texts,
        ] = [(); 5].map(|()| Bytes::default());
        tables.abbreviations.write(&mut abbreviations);
        self.strings.write(&mut texts);
        if let Some(encoding) = encoding.filter(|_| is_new) {
            self.strings.write_offsets(&mut text_offsets);
            tables.addresses.write(encoding.address_size, &mut addresses);
            self.line_strings.write(&mut line_texts);
        }
        let [ranges, locations, macros] = match is_new {
            true => [".debug_rnglists", ".debug_loclists", ".debug_macro"],
            false => [".debug_ranges", ".debug_loc", ".debug_macinfo"],
        };
        let of_types = if is_new { ".debug_info" } else { ".debug_types" };
        let sections = [
            (".debug_abbrev", Some(Place::Abbreviations), abbreviations),
            (".debug_info", Some(Place::Entries), out.info),
            (ranges, Some(Place::RangeLists), out.ranges),
            (locations, Some(Place::LocationLists), out.locations),
            (".debug_str_offsets", Some(Place::TextOffsets), text_offsets),
            (".debug_str", Some(Place::Texts), texts),
            (".debug_addr", Some(Place::Addresses), addresses),
            (".debug_line", Some(Place::Lines), lines),
            (".debug_line_str", Some(Place::LineTexts), line_texts),
            (".debug_frame", Some(Place::Frames), self.frames),
            (macros, Some(Place::Macros), out.macros),
            (".debug_names", None, names),
            (".debug_aranges", None, out.address_ranges),
        ];
        let alone = sections.map(|(name, place, contents)| (name, place, contents, None));
        let types = std::mem::take(&mut out.types).into_iter();
        let types = types.map(|(unit, signature, contents)| {
            let place = Some(Place::TypeUnit(unit));
            (of_types, place, contents, Some(signature))
        });
        let mut written = Vec::new();
        let sections = alone.into_iter().chain(types);
        for (name, place, contents, group) in sections.filter(|(_, _, contents, _)| contents.len() > 0) {
            if u32::try_from(contents.len()).is_err() {
                return Err(EmitError::too_large(format!("{name}, more than 4 GiB")));
            }
            written.push(Written {
                name,
                place,
                contents,
                is_texts: matches!(place, Some(Place::Texts | Place::LineTexts)),
                group,
            });
        }
        Ok(written)
    }

    /// Writes the macros of a unit whose line program is at an offset.
    fn write_macros(&self, unit: &mut Unit, lines: u64, out: &mut Bytes) {
        let macros = std::mem::take(&mut unit.macros);
        if macros.is_empty() {
            return;
        }
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
}

impl Tables {
    /// Writes the lists of a unit, and says in its root where they are, and the tables that its attributes have numbers
    /// in.
    fn write_lists(&mut self, unit: &mut Unit, out: &mut Growing) {
        let Encoding {
            version, address_size, ..
        } = unit.encoding;
        let form = Form {
            version,
            address_bytes: address_size,
        };
        let is_new = version >= 5;
        let bases = [&out.ranges, &out.locations].map(|section| section.len() as u64 + lists::HEADER_BYTES);
        let (ranges, locations) = (std::mem::take(&mut unit.ranges), std::mem::take(&mut unit.locations));
        if !ranges.is_empty() {
            self.ranges = form.write(&ranges, &mut self.addresses, &mut out.ranges, Form::range);
            if is_new {
                unit.set(
                    unit.root(),
                    dw::DW_AT_rnglists_base,
                    Value::Base(Place::RangeLists, bases[0]),
                );
            }
        }
        if !locations.is_empty() {
            self.locations = form.write(&locations, &mut self.addresses, &mut out.locations, Form::location);
            if is_new {
                unit.set(
                    unit.root(),
                    dw::DW_AT_loclists_base,
                    Value::Base(Place::LocationLists, bases[1]),
                );
            }
        }
        if is_new {
            let texts = Value::Base(Place::TextOffsets, strings::HEADER_BYTES);
            unit.set(unit.root(), dw::DW_AT_str_offsets_base, texts);
            // Types have no addresses.
            if unit.own_type.is_none() {
                let addresses = Value::Base(Place::Addresses, addresses::HEADER_BYTES);
                unit.set(unit.root(), dw::DW_AT_addr_base, addresses);
            }
        }
    }

    /// Chooses the abbreviations of all entries, and with them their places in a unit that starts at an offset.
    fn lay_out(&mut self, unit: &Unit, start: u64) -> Layout {
        let mut entries = vec![(0, 0); unit.entries.len()];
        let mut offset = header_bytes(unit);
        let mut next = Some(ROOT);
        while let Some(number) = next {
            let entry = &unit.entries[number as usize];
            let mut description = std::mem::take(&mut self.description);
            description.clear();
            description.push(abbreviations::head(entry.tag.0, entry.has_children()));
            let mut bytes = 0;
            for attribute in unit.attributes_of(number) {
                let (form, size) = self.form(unit, &attribute.value);
                description.push(abbreviations::attribute(attribute.name.0, form.0));
                bytes += size;
            }
            let abbreviation = self.abbreviations.number(&description);
            self.description = description;
            entries[number as usize] = (offset as u32, abbreviation as u32);
            let (after, ended) = unit.after(number);
            offset += unsigned_bytes(abbreviation) + bytes + u64::from(ended);
            next = after;
        }
        let end = start + offset;
        Layout { entries, start, end }
    }

    fn write_unit(
        &mut self,
        unit: &Unit,
        layouts: &[Layout],
        number: usize,
        strings: &Strings,
        out: &mut Bytes,
    ) -> Result<(), EmitError> {
        let (version, layout) = (unit.encoding.version, &layouts[number]);
        let part = out.begin_part();
        out.u16(version);
        if version >= 5 {
            out.u8(match unit.own_type {
                Some(_) => dw::DW_UT_type.0,
                None => dw::DW_UT_compile.0,
            });
            out.u8(unit.encoding.address_size);
            out.offset_in(Place::Abbreviations, 0);
        } else {
            out.offset_in(Place::Abbreviations, 0);
            out.u8(unit.encoding.address_size);
        }
        if let Some(own) = unit.own_type {
            out.number(own.signature, 8);
            out.u32(layout.entries[own.entry as usize].0);
        }
        let mut next = Some(ROOT);
        while let Some(number) = next {
            let (offset, abbreviation) = layout.entries[number as usize];
            debug_assert_eq!(
                out.len() - part + 4,
                offset as usize,
                "the second walk does what the first foresaw"
            );
            out.unsigned(abbreviation.into());
            for attribute in unit.attributes_of(number) {
                if let Value::Entry(entry) = attribute.value
                    && layouts[entry.unit()].entries[entry.number as usize].0 == 0
                {
                    let what = "debug information: an entry that refers to one which is in no unit";
                    return Err(EmitError::malformed(what, ""));
                }
                self.write_value(unit, layouts, strings, &attribute.value, out);
            }
            let (after, ended) = unit.after(number);
            out.bytes.resize(out.len() + ended as usize, 0);
            next = after;
        }
        out.end_part(part);
        Ok(())
    }

    /// The form of an attribute, and how many bytes it takes.
    fn form(&mut self, unit: &Unit, value: &Value) -> (DwForm, u64) {
        let version = unit.encoding.version;
        let address_bytes = unit.encoding.address_size;
        let is_new = version >= 5;
        let offset = match version {
            4.. => (dw::DW_FORM_sec_offset, 4),
            _ => (dw::DW_FORM_data4, 4),
        };
        match value {
            Value::Address(address) if is_new => (dw::DW_FORM_addrx, unsigned_bytes(self.addresses.number(*address))),
            Value::Address(_) => (dw::DW_FORM_addr, address_bytes.into()),
            Value::Unsigned(number) => (dw::DW_FORM_udata, unsigned_bytes(*number)),
            Value::Signed(number) => (dw::DW_FORM_sdata, signed_bytes(*number)),
            Value::Byte(_) => (dw::DW_FORM_data1, 1),
            Value::Half(_) => (dw::DW_FORM_data2, 2),
            Value::Present if version >= 4 => (dw::DW_FORM_flag_present, 0),
            Value::Present => (dw::DW_FORM_flag, 1),
            Value::Expression(expression) => {
                let bytes = expression.byte_count(address_bytes);
                let form = if version >= 4 {
                    dw::DW_FORM_exprloc
                } else {
                    dw::DW_FORM_block
                };
                (form, unsigned_bytes(bytes) + bytes)
            }
            Value::Entry(entry) if unit.has(*entry) => (dw::DW_FORM_ref4, 4),
            Value::Entry(_) => (dw::DW_FORM_ref_addr, reference_bytes(unit.encoding).into()),
            Value::Signature(_) => (dw::DW_FORM_ref_sig8, 8),
            Value::Text(text) if is_new => text_form(*text),
            Value::Text(_) => (dw::DW_FORM_strp, 4),
            Value::File(file) => (dw::DW_FORM_udata, unsigned_bytes(unit.line_program.file_number(*file))),
            Value::Ranges(list) if is_new => (dw::DW_FORM_rnglistx, unsigned_bytes((*list).into())),
            Value::Locations(list) if is_new => (dw::DW_FORM_loclistx, unsigned_bytes((*list).into())),
            Value::Ranges(_) | Value::Locations(_) | Value::Base(..) => offset,
        }
    }

    fn write_value(&mut self, unit: &Unit, layouts: &[Layout], strings: &Strings, value: &Value, out: &mut Bytes) {
        let version = unit.encoding.version;
        let address_bytes = unit.encoding.address_size;
        let is_new = version >= 5;
        match value {
            Value::Address(address) if is_new => out.unsigned(self.addresses.number(*address)),
            Value::Address(address) if address.symbol.is_none() => {
                out.number(address.addend.cast_unsigned(), address_bytes);
            }
            Value::Address(address) => out.address(*address, address_bytes),
            Value::Unsigned(number) => out.unsigned(*number),
            Value::Signed(number) => out.signed(*number),
            Value::Byte(number) => out.u8(*number),
            Value::Half(number) => out.u16(*number),
            Value::Present if version >= 4 => {}
            Value::Present => out.u8(1),
            Value::Expression(expression) => {
                out.unsigned(expression.byte_count(address_bytes));
                expression.write(version, address_bytes, out);
            }
            Value::Entry(entry) => {
                let layout = &layouts[entry.unit()];
                let offset = layout.entries[entry.number as usize].0;
                match unit.has(*entry) {
                    true => out.u32(offset),
                    false => {
                        let offset = layout.start + u64::from(offset);
                        out.offset_of_bytes(Place::Entries, offset, reference_bytes(unit.encoding));
                    }
                }
            }
            Value::Signature(signature) => out.number(*signature, 8),
            Value::Text(text) if is_new => out.number(text.number(), text_form(*text).1 as u8),
            Value::Text(text) => out.offset_in(Place::Texts, strings.offset(*text)),
            Value::File(file) => out.unsigned(unit.line_program.file_number(*file)),
            Value::Ranges(list) | Value::Locations(list) if is_new => out.unsigned((*list).into()),
            Value::Ranges(list) => out.offset_in(Place::RangeLists, self.ranges[*list as usize]),
            Value::Locations(list) => out.offset_in(Place::LocationLists, self.locations[*list as usize]),
            Value::Base(place, offset) => out.offset_in(*place, *offset),
        }
    }
}

/// Bytes of a reference to an entry of another unit (version 2 has it as an address, section 7.5.4 there).
fn reference_bytes(encoding: Encoding) -> u8 {
    if encoding.version > 2 { 4 } else { encoding.address_size }
}

/// Bytes of the header of a unit.
fn header_bytes(unit: &Unit) -> u64 {
    let all = if unit.encoding.version >= 5 { 12 } else { 11 };
    // The signature and the place of the type.
    all + if unit.own_type.is_some() { 12 } else { 0 }
}

/// The form of a text by its number.
fn text_form(text: TextId) -> (DwForm, u64) {
    match text.number() {
        0..0x100 => (dw::DW_FORM_strx1, 1),
        0x100..0x1_0000 => (dw::DW_FORM_strx2, 2),
        0x1_0000..0x100_0000 => (dw::DW_FORM_strx3, 3),
        _ => (dw::DW_FORM_strx4, 4),
    }
}
