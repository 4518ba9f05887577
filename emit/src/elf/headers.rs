//! The section table of the file before sizes and offsets are known: which headers there are, under which numbers.

use super::ObjectBuilder;
use crate::section::SectionId;
use frazil_ir::{ComdatId, EntityRef};
use frazil_support::sort::sort;

/// What a section header describes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Body {
    Group(ComdatId),
    Section(SectionId),
    Relocations(SectionId),
    Symbols,
    ExtendedIndexes,
    Strings,
}

/// The section table before sizes and offsets are known.
#[derive(Debug, Default)]
pub(super) struct Headers {
    pub bodies: Vec<Body>,
    /// Header numbers by [`SectionId`]; 0 for sections that do not stand in the file.
    pub indexes: Vec<u32>,
    /// The members of groups by their header numbers, ascending.
    members: Vec<(ComdatId, u32)>,
    /// Header number of the symbol table.
    pub symbols: u32,
}

impl Headers {
    /// Numbers the headers of all sections that the object will have.
    pub fn new(builder: &ObjectBuilder<'_>) -> Headers {
        let mut headers = Headers {
            bodies: Vec::new(),
            indexes: vec![0; builder.placement.sections.len()],
            members: Vec::new(),
            symbols: 0,
        };
        let mut has_header = vec![false; builder.placement.group_count()];
        for (section, desc) in builder.placement.sections.iter() {
            if let Some(group) = desc.group
                && builder.contents.view(section).is_some()
                && !std::mem::replace(&mut has_header[group.index()], true)
            {
                headers.bodies.push(Body::Group(group));
            }
        }
        for (section, desc) in builder.placement.sections.iter() {
            if let Some(contents) = builder.contents.view(section) {
                headers.indexes[section.index()] = headers.push(Body::Section(section), desc.group);
                if !contents.relocations.is_empty() {
                    headers.push(Body::Relocations(section), desc.group);
                }
            }
        }
        sort(&mut headers.members);
        headers.symbols = headers.push(Body::Symbols, None);
        headers
    }

    /// The header number of a section.
    pub fn section_index(&self, section: SectionId) -> Option<u32> {
        Some(self.indexes[section.index()]).filter(|&index| index != 0)
    }

    /// Number of the header of the section table's entry at `position`.
    pub fn index_at(position: usize) -> u32 {
        position as u32 + 1
    }

    /// The groups with their header numbers.
    pub fn groups(&self) -> impl Iterator<Item = (ComdatId, u32)> {
        self.bodies
            .iter()
            .enumerate()
            .filter_map(|(position, body)| match *body {
                Body::Group(group) => Some((group, Headers::index_at(position))),
                _ => None,
            })
    }

    /// Adds a header and returns its number.
    pub fn push(&mut self, body: Body, group: Option<ComdatId>) -> u32 {
        self.bodies.push(body);
        let index = Headers::index_at(self.bodies.len() - 1);
        self.members.extend(group.map(|group| (group, index)));
        index
    }

    /// Header numbers of the members of a group.
    pub fn members(&self, group: ComdatId) -> impl ExactSizeIterator<Item = u32> {
        let start = self.members.partition_point(|(other, _)| *other < group);
        let end = self.members.partition_point(|(other, _)| *other <= group);
        self.members[start..end].iter().map(|(_, index)| *index)
    }
}
