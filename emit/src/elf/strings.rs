//! The names of sections and symbols in one table, in which a name that ends another stands inside of it.
//!
//! Names of sections come first: that of its relocations ends with a section's own, and that of a function's own
//! section mostly with the function's. So for each of these functions one name stands in the table instead of three.
//! Other tails are not looked for: that would take sorting all names.

use super::headers::{Body, Headers};
use super::{Location, ObjectBuilder};
use crate::error::EmitError;
use crate::names::ObjectName;
use crate::section::SectionId;
use frazil_ir::EntityRef;
use frazil_support::FxHashMap;

/// Names one after the other, each ended by a zero byte.
#[derive(Debug)]
pub(super) struct Strings {
    pub bytes: Vec<u8>,
    /// Where the name of each header stands, in the order of the headers.
    pub of_headers: Vec<u32>,
    /// Where the name of each section stands, by [`SectionId`].
    of_sections: Vec<u32>,
}

impl Strings {
    /// A table with the names of all headers; it begins with the empty name.
    ///
    /// # Errors
    /// When they are too many.
    pub fn new(builder: &ObjectBuilder<'_>, headers: &Headers) -> Result<Strings, EmitError> {
        let mut strings = Strings {
            bytes: vec![0],
            of_headers: Vec::with_capacity(headers.bodies.len()),
            of_sections: vec![0; builder.placement.sections.len()],
        };
        let of_relocations: &[u8] = match builder.target.elf.addends_in_fields {
            false => b".rela",
            true => b".rel",
        };
        // Several sections may have one name.
        let mut known: FxHashMap<&[u8], u32> = FxHashMap::default();
        for (at, &body) in headers.bodies.iter().enumerate() {
            let name: &[u8] = match body {
                Body::Group(_) => b".group",
                Body::Section(section) | Body::Relocations(section) => &builder.placement.sections.desc(section).name,
                Body::Symbols => b".symtab",
                Body::ExtendedIndexes => b".symtab_shndx",
                Body::Strings => b".strtab",
            };
            let has_relocations = matches!(headers.bodies.get(at + 1), Some(Body::Relocations(_)));
            let before = if has_relocations { of_relocations } else { b"" };
            let own = match body {
                // They follow their section.
                Body::Relocations(_) => strings.of_headers[at - 1] - of_relocations.len() as u32,
                _ => match known.get(name) {
                    Some(&own) if !has_relocations || strings.is_after(own, before) => own,
                    _ => {
                        strings.bytes.extend_from_slice(before);
                        let own = strings.end()?;
                        strings.bytes.extend_from_slice(name);
                        strings.bytes.push(0);
                        known.insert(name, own);
                        own
                    }
                },
            };
            if let Body::Section(section) = body {
                strings.of_sections[section.index()] = own;
            }
            strings.of_headers.push(own);
        }
        Ok(strings)
    }

    /// Adds a name and returns its position.
    ///
    /// # Errors
    /// When there is a zero byte in it, or the table is too large.
    pub fn add(&mut self, name: ObjectName<'_>) -> Result<u32, EmitError> {
        if name.is_empty() {
            return Ok(0);
        }
        let start = self.end()?;
        name.append_to(&mut self.bytes);
        if self.bytes[start as usize..].contains(&0) {
            let text = String::from_utf8_lossy(&self.bytes[start as usize..]).into_owned();
            return Err(EmitError::malformed("a name with a zero byte", text));
        }
        self.bytes.push(0);
        Ok(start)
    }

    /// The same for what stands at a place: it may have a section that is called like it.
    ///
    /// # Errors
    /// As for [`Self::add`].
    pub fn add_at(&mut self, name: ObjectName<'_>, location: Location) -> Result<u32, EmitError> {
        let start = self.add(name)?;
        let Location::At(section, _) = location else {
            return Ok(start);
        };
        let own = &self.bytes[start as usize..];
        let section_name = self.of_sections[section.index()] as usize;
        let section_bytes = self.section_name_bytes(section);
        let Some(before) = section_bytes.checked_sub(own.len()).filter(|_| start > 0) else {
            return Ok(start);
        };
        let tail = section_name + before;
        if self.bytes[tail..tail + own.len()] == *own {
            self.bytes.truncate(start as usize);
            return Ok(tail as u32);
        }
        Ok(start)
    }

    /// How many bytes the name of a section takes with its end.
    fn section_name_bytes(&self, section: SectionId) -> usize {
        let name = &self.bytes[self.of_sections[section.index()] as usize..];
        name.iter().position(|&byte| byte == 0).map_or(0, |end| end + 1)
    }

    /// Whether what stands at a position comes right after some bytes.
    fn is_after(&self, position: u32, before: &[u8]) -> bool {
        self.bytes[..position as usize].ends_with(before)
    }

    fn end(&self) -> Result<u32, EmitError> {
        u32::try_from(self.bytes.len()).map_err(|_| EmitError::too_large("names, more than 4 GiB"))
    }
}
