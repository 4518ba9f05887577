//! Writing of a unit: forms of attributes, places of entries, and the entries themselves.

use super::TextId;
use super::abbreviations::{self, Abbreviations};
use super::addresses::{self, Addresses};
use super::bytes::{Bytes, Place, signed_bytes, unsigned_bytes};
use super::lists::{self, Form};
use super::split::Halves;
use super::strings::{self, Strings};
use super::tree::{Half, ROOT, Unit, Value};
use crate::error::EmitError;
use gimli::constants as dw;
use gimli::{DwForm, Encoding};

/// What the first walk over a unit finds.
pub(super) struct Layout {
    /// By entry: its offset from the start of the unit, 0 if it is not in it, and the number of its abbreviation.
    pub entries: Vec<(u32, u32)>,
    /// Where the unit starts and ends in the section, in bytes.
    pub start: u64,
    pub end: u64,
}

/// The tables that grow while units are written.
#[derive(Default)]
pub(super) struct Tables {
    /// Those of the object, and those of the other file.
    pub abbreviations: [Abbreviations; 2],
    pub addresses: Addresses,
    /// Where the lists of the unit are that is being written.
    ranges: Vec<u64>,
    locations: Vec<u64>,
    /// Where those are that units of the other file share, before version 5.
    shared_ranges: Vec<u64>,
    shared_locations: Vec<u64>,
    description: Vec<u32>,
}

/// The sections that grow while units are written.
#[derive(Default)]
pub(super) struct Growing {
    pub info: Bytes,
    /// Units of types of the other file, before version 5.
    pub types: Bytes,
    pub ranges: Bytes,
    pub locations: Bytes,
    pub macros: Bytes,
    pub lines: Bytes,
}

impl Tables {
    /// Writes the lists of a unit, and says in its root where they are, and the tables that its attributes have numbers
    /// in.
    pub fn write_lists(&mut self, unit: &mut Unit, out: &mut Growing) {
        let Encoding {
            version, address_size, ..
        } = unit.encoding;
        let form = Form {
            version,
            address_bytes: address_size,
            is_split: false,
        };
        let is_new = version >= 5;
        let bases = [&out.ranges, &out.locations].map(|section| section.len() as u64 + lists::HEADER_BYTES);
        let (ranges, locations) = (std::mem::take(&mut unit.ranges), std::mem::take(&mut unit.locations));
        // Readers of old versions expect that the first entry with a list has the first one.
        let orders = match is_new {
            true => [ranges.len(), locations.len()].map(|count| (0..count as u32).collect()),
            false => unit.mentioned_lists([ranges.len(), locations.len()]),
        };
        let [order_of_ranges, order_of_locations] = orders.map(Vec::into_iter);
        if !ranges.is_empty() {
            let out = &mut out.ranges;
            self.ranges = form.write(&ranges, order_of_ranges, &mut self.addresses, out, Form::range);
            if is_new {
                unit.set(
                    unit.root(),
                    dw::DW_AT_rnglists_base,
                    Value::Base(Place::RangeLists, bases[0]),
                );
            }
        }
        if !locations.is_empty() {
            let out = &mut out.locations;
            self.locations = form.write(&locations, order_of_locations, &mut self.addresses, out, Form::location);
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
            let followers = [dw::DW_AT_stmt_list, dw::DW_AT_comp_dir];
            unit.set_before(&followers, dw::DW_AT_str_offsets_base, texts);
            // Types have no addresses.
            if unit.own_type.is_none() {
                let addresses = Value::Base(Place::Addresses, addresses::HEADER_BYTES);
                unit.set(unit.root(), dw::DW_AT_addr_base, addresses);
            }
        }
    }

    /// Writes the lists that the units of the other file share. Before version 5, ranges are in the object, whose
    /// section is empty so far.
    pub fn write_shared_lists(&mut self, halves: &Halves, encoding: Encoding, object: &mut Growing, out: &mut Growing) {
        if encoding.version < 5 {
            let form = Form {
                version: encoding.version,
                address_bytes: encoding.address_size,
                is_split: false,
            };
            debug_assert_eq!(object.ranges.len(), 0, "offsets count from the start of the section");
            let order = 0..halves.ranges.len() as u32;
            let (addresses, ranges) = (&mut self.addresses, &mut object.ranges);
            self.shared_ranges = form.write(&halves.ranges, order, addresses, ranges, Form::range);
            self.shared_locations = form.write_gnu_locations(&halves.locations, addresses, &mut out.locations);
            return;
        }
        let form = Form {
            version: encoding.version,
            address_bytes: encoding.address_size,
            is_split: true,
        };
        if !halves.ranges.is_empty() {
            let order = 0..halves.ranges.len() as u32;
            form.write(&halves.ranges, order, &mut self.addresses, &mut out.ranges, Form::range);
        }
        if !halves.locations.is_empty() {
            form.write(
                &halves.locations,
                0..halves.locations.len() as u32,
                &mut self.addresses,
                &mut out.locations,
                Form::location,
            );
        }
    }

    /// Chooses the abbreviations of all entries, and with them their places in a unit that starts at an offset.
    pub fn lay_out(&mut self, unit: &Unit, start: u64) -> Layout {
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
            let table = &mut self.abbreviations[usize::from(unit.half == Half::Split)];
            let abbreviation = table.number(&description);
            self.description = description;
            entries[number as usize] = (offset as u32, abbreviation as u32);
            let (after, ended) = unit.after(number);
            offset += unsigned_bytes(abbreviation) + bytes + u64::from(ended);
            next = after;
        }
        let end = start + offset;
        Layout { entries, start, end }
    }

    /// Writes a unit as it was laid out.
    ///
    /// # Errors
    /// When an entry refers to one that was added nowhere.
    pub fn write_unit(
        &mut self,
        unit: &Unit,
        layout: &Layout,
        layouts: &[Layout],
        strings: &Strings,
        out: &mut Bytes,
    ) -> Result<(), EmitError> {
        let version = unit.encoding.version;
        let part = out.begin_part();
        out.u16(version);
        if version >= 5 {
            out.u8(unit_type(unit).0);
            out.u8(unit.encoding.address_size);
            out.offset_in(Place::Abbreviations, 0);
        } else {
            out.offset_in(Place::Abbreviations, 0);
            out.u8(unit.encoding.address_size);
        }
        if has_identity(unit) {
            out.number(0, 8);
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
            Value::Address(address) if unit.half == Half::Split => {
                let bytes = unsigned_bytes(self.addresses.number(*address));
                (dw::DW_FORM_GNU_addr_index, bytes)
            }
            Value::Address(_) => (dw::DW_FORM_addr, address_bytes.into()),
            Value::Unsigned(number) => (dw::DW_FORM_udata, unsigned_bytes(*number)),
            Value::Signed(number) => (dw::DW_FORM_sdata, signed_bytes(*number)),
            Value::Byte(_) => (dw::DW_FORM_data1, 1),
            Value::Half(_) => (dw::DW_FORM_data2, 2),
            Value::Present if version >= 4 => (dw::DW_FORM_flag_present, 0),
            Value::Present => (dw::DW_FORM_flag, 1),
            Value::Expression(expression) => {
                let bytes = match unit.half {
                    Half::Split => expression.indexed_byte_count(&mut self.addresses),
                    _ => expression.byte_count(address_bytes),
                };
                (expression_form(version), unsigned_bytes(bytes) + bytes)
            }
            Value::FrameOffset(offset) => (expression_form(version), 2 + signed_bytes((*offset).into())),
            Value::Entry(entry) if unit.has(*entry) => (dw::DW_FORM_ref4, 4),
            Value::Entry(_) => (dw::DW_FORM_ref_addr, reference_bytes(unit.encoding).into()),
            Value::Signature(_) => (dw::DW_FORM_ref_sig8, 8),
            Value::Text(text) if is_new => text_form(*text),
            Value::Text(text) if unit.half == Half::Split => (dw::DW_FORM_GNU_str_index, unsigned_bytes(text.number())),
            Value::Text(_) => (dw::DW_FORM_strp, 4),
            Value::File(file) => (dw::DW_FORM_udata, unsigned_bytes(unit.line_program.file_number(*file))),
            Value::Ranges(list) if is_new => (dw::DW_FORM_rnglistx, unsigned_bytes((*list).into())),
            Value::Locations(list) if is_new => (dw::DW_FORM_loclistx, unsigned_bytes((*list).into())),
            Value::Ranges(_) | Value::Locations(_) | Value::Base(..) => offset,
            Value::Identity => (dw::DW_FORM_data8, 8),
        }
    }

    fn write_value(&mut self, unit: &Unit, layouts: &[Layout], strings: &Strings, value: &Value, out: &mut Bytes) {
        let version = unit.encoding.version;
        let address_bytes = unit.encoding.address_size;
        let is_new = version >= 5;
        match value {
            Value::Address(address) if is_new || unit.half == Half::Split => {
                out.unsigned(self.addresses.number(*address));
            }
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
            Value::Expression(expression) if unit.half == Half::Split => {
                out.unsigned(expression.indexed_byte_count(&mut self.addresses));
                expression.write_indexed(version, &mut self.addresses, out);
            }
            Value::Expression(expression) => {
                out.unsigned(expression.byte_count(address_bytes));
                expression.write(version, address_bytes, out);
            }
            Value::FrameOffset(offset) => {
                let offset = i64::from(*offset);
                out.unsigned(1 + signed_bytes(offset));
                out.u8(dw::DW_OP_fbreg.0);
                out.signed(offset);
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
            Value::Text(text) if unit.half == Half::Split => out.unsigned(text.number()),
            Value::Text(text) => out.offset_in(Place::Texts, strings.offset(*text)),
            Value::File(file) => out.unsigned(unit.line_program.file_number(*file)),
            Value::Ranges(list) | Value::Locations(list) if is_new => out.unsigned((*list).into()),
            // They count from where the skeleton says that the ranges of the file begin.
            Value::Ranges(list) if unit.half == Half::Split => out.u32(self.shared_ranges[*list as usize] as u32),
            Value::Locations(list) if unit.half == Half::Split => {
                out.offset_in(Place::LocationLists, self.shared_locations[*list as usize]);
            }
            Value::Ranges(list) => out.offset_in(Place::RangeLists, self.ranges[*list as usize]),
            Value::Locations(list) => out.offset_in(Place::LocationLists, self.locations[*list as usize]),
            Value::Base(place, offset) => out.offset_in(*place, *offset),
            Value::Identity => out.number(0, 8),
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
    let of_type = if unit.own_type.is_some() { 12 } else { 0 };
    all + of_type + if has_identity(unit) { 8 } else { 0 }
}

/// Where the number stands that a skeleton and its other half have in common, in the section of either: in the header,
/// and before version 5 in the first attribute of the root.
pub(super) fn identity_offset(version: u16, layout: &Layout) -> u64 {
    let (root, abbreviation) = layout.entries[ROOT as usize];
    match version {
        5.. => layout.start + 12,
        _ => layout.start + u64::from(root) + unsigned_bytes(abbreviation.into()),
    }
}

/// Whether a unit has that number.
pub(super) fn is_half(unit: &Unit) -> bool {
    unit.half != Half::Whole && unit.own_type.is_none()
}

/// Whether that number is in its header.
fn has_identity(unit: &Unit) -> bool {
    is_half(unit) && unit.encoding.version >= 5
}

/// What a unit is (DWARF 5, section 7.5.1).
fn unit_type(unit: &Unit) -> dw::DwUt {
    match (unit.half, unit.own_type.is_some()) {
        (Half::Whole, false) => dw::DW_UT_compile,
        (Half::Skeleton, _) => dw::DW_UT_skeleton,
        (Half::Split, false) => dw::DW_UT_split_compile,
        (Half::Whole, true) => dw::DW_UT_type,
        (Half::Split, true) => dw::DW_UT_split_type,
    }
}

fn expression_form(version: u16) -> DwForm {
    match version {
        4.. => dw::DW_FORM_exprloc,
        _ => dw::DW_FORM_block,
    }
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
