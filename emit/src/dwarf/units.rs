//! Units of compilation: their root entries, source files and address ranges.
//!
//! A unit is made with its root when the module is opened; files are numbered when something first names them.
//! Addresses are ranges of sections: from the first function of a unit in a section to the end of the last that follows
//! it there.

use super::graph::Graph;
use super::output::{
    Address, Dwarf, EntryId, Expression, FileId, LineProgram, Location, Md5, PublicNames, Range, UNIT_DIRECTORY, Unit,
    Value, unsigned_bytes,
};
use super::{CodePlace, DebugWriter};
use frazil_ir::SymbolId;
use frazil_ir::debug::kind::{CompileUnit, File, Subprogram};
use frazil_ir::debug::{NodeId, NodeRef};
use frazil_ir::module::SymbolKind;
use frazil_support::FxHashMap;
use gimli::Encoding;
use gimli::constants as dw;

/// `emissionKind` of a unit of which nothing is written.
const NOTHING: u64 = 0;
/// `emissionKind` of a unit with lines alone.
const LINES_ONLY: u64 = 2;
/// `emissionKind` of a unit with lines for tools that need no debug information.
const DIRECTIVES_ONLY: u64 = 3;
/// `nameTableKind` of a unit that debuggers find by the index of its version.
const DEFAULT_NAMES: u64 = 0;
/// `nameTableKind` of a unit whose names are listed for GNU's linkers.
const GNU_NAMES: u64 = 1;
/// The first version with an index of names.
const FIRST_WITH_NAMES: u16 = 5;
/// The first version in which offsets in lists have as many bytes as they need.
const FIRST_WITH_SHORT_OFFSETS: u16 = 5;
/// What it takes to say what offsets count from: an operation, and the number of an address with two bytes.
const BASE_BYTES: u64 = 3;
/// The kind of a checksum that is MD5.
const MD5: u64 = 1;

/// The name of files that have none.
const UNKNOWN: &[u8] = b"<unknown>";

/// A range of a section, from a function on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sequence {
    pub first: SymbolId,
    pub section: u32,
    pub start: u64,
    pub end: u64,
}

/// A list that an entry is to have, of distances from the start of a function.
#[derive(Debug)]
pub(super) struct PendingList {
    pub entry: EntryId,
    pub place: CodePlace,
    pub ranges: Ranges,
}

/// A call whose entry is to be added to that of a function if it is known what is called.
#[derive(Debug)]
pub(super) struct PendingCall {
    pub entry: EntryId,
    pub parent: EntryId,
    /// `None` if the entry says it itself.
    pub callee: Option<SymbolId>,
}

#[derive(Debug)]
pub(super) enum Ranges {
    /// Where the code of the entry is.
    Code(Vec<(u64, u64)>),
    /// Where the variable is, and how that is described.
    Places(Vec<(u64, u64, Expression)>),
}

impl Ranges {
    /// How many bytes offsets take less if they count from the beginning of the function instead of a place so many
    /// bytes before.
    fn saved_bytes(&self, shift: u64) -> u64 {
        let saved = |(begin, end): (u64, u64)| {
            let bytes = |shift: u64| unsigned_bytes(begin + shift) + unsigned_bytes(end + shift);
            bytes(shift) - bytes(0)
        };
        match self {
            Ranges::Code(ranges) => ranges.iter().map(|&range| saved(range)).sum(),
            Ranges::Places(ranges) => ranges.iter().map(|row| saved((row.0, row.1))).sum(),
        }
    }
}

/// What is kept of a unit while it grows.
#[derive(Debug)]
pub(super) struct UnitState {
    /// Its place among all units.
    pub number: usize,
    node: NodeId,
    emission: u64,
    directory: Vec<u8>,
    /// The name of its file, and the number of that, in versions in which the table begins with it.
    name: Vec<u8>,
    primary: Option<FileId>,
    files: FxHashMap<NodeRef, FileId>,
    /// The ranges of code so far, the last one perhaps still growing.
    pub sequences: Vec<Sequence>,
    /// The variables that it says the places of.
    pub data: Vec<SymbolId>,
    /// Whether the last range may grow.
    pub is_open: bool,
    /// The entry of each node that has one.
    pub entries: FxHashMap<NodeId, EntryId>,
    /// Entries of functions and their blocks and variables apart from code, which inlined copies refer to.
    pub abstracts: FxHashMap<NodeId, EntryId>,
    /// Where entries have code, and where variables are, as distances from the function; added at the end.
    pub lists: Vec<PendingList>,
    /// Entries of calls without what is called, and the function that each is in.
    pub calls: Vec<PendingCall>,
    /// The type of the indices of arrays.
    pub index_type: Option<EntryId>,
    /// The unit whose line program names its files: itself, unless it is one of a type.
    pub lines: usize,
    /// The type that it is of, if it is one of a type.
    pub own_type: Option<NodeId>,
    /// The file that was asked for last: most rows are of the same.
    last_file: Option<(NodeRef, FileId)>,
}

/// All units, in the order of the module.
#[derive(Debug, Default)]
pub(super) struct Units {
    units: Vec<UnitState>,
    /// The entries of types and declarations, each in the unit that named it first.
    pub shared: FxHashMap<NodeId, EntryId>,
    /// Nodes whose entries are to be filled in, in the order in which they were named.
    pub pending: Vec<(EntryId, NodeId)>,
}

impl Units {
    /// The units of a module, each with its root.
    pub fn new(graph: &Graph<'_>, nodes: &[NodeId], encoding: Encoding, dwarf: &mut Dwarf) -> Units {
        let mut units = Units::default();
        for &node in nodes {
            if let Some(unit) = graph.get::<CompileUnit>(node)
                && unit.emission != NOTHING
                && unit.emission != DIRECTIVES_ONLY
            {
                let unit = UnitState::new(graph, node, &unit, encoding, dwarf);
                units.units.push(unit);
            }
        }
        units
    }

    /// How many units have entries or lines.
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// What is kept of a unit, by its place among them.
    pub fn get(&mut self, unit: usize) -> &mut UnitState {
        &mut self.units[unit]
    }

    /// Adds a unit, which has the next place.
    pub fn push(&mut self, unit: UnitState) {
        debug_assert_eq!(unit.number, self.units.len(), "units have the places of their entries");
        self.units.push(unit);
    }

    /// Whether a unit has entries besides its root.
    pub fn has_entries(&self, unit: usize) -> bool {
        self.units[unit].emission != LINES_ONLY
    }

    /// The unit that a function belongs to.
    pub fn of_subprogram(&self, graph: &Graph<'_>, subprogram: NodeRef) -> Option<usize> {
        let unit = graph.at::<Subprogram>(subprogram)?.unit.node()?;
        self.units.iter().position(|state| state.node == unit)
    }

    /// Says that code follows which belongs to no unit.
    pub fn interrupt(&mut self) {
        self.units.iter_mut().for_each(|unit| unit.is_open = false);
    }

    /// Says that code of a unit follows; returns whether it continues the range before.
    pub fn continue_range(&mut self, unit: usize, place: CodePlace, end: u64) -> bool {
        for (number, other) in self.units.iter_mut().enumerate() {
            other.is_open &= number == unit;
        }
        let state = &mut self.units[unit];
        let last = state.sequences.last_mut();
        if let Some(last) = last.filter(|last| state.is_open && last.section == place.section) {
            last.end = end;
            return true;
        }
        state.is_open = true;
        state.sequences.push(Sequence {
            first: place.symbol,
            section: place.section,
            start: place.start,
            end,
        });
        false
    }

    /// Says in the root of a unit where its code is.
    pub fn set_ranges(&mut self, unit: usize, dwarf: &mut Dwarf) {
        let state = &self.units[unit];
        let out = &mut dwarf.units[state.number];
        let root = out.root();
        let start = |sequence: &Sequence| DebugWriter::address(sequence.first, 0);
        match state.sequences.as_slice() {
            [] => {}
            [only] => {
                out.set(root, dw::DW_AT_low_pc, Value::Address(start(only)));
                let length = Value::Unsigned(only.end - only.start);
                out.set(root, dw::DW_AT_high_pc, length);
            }
            several => {
                let ranges = several
                    .iter()
                    .map(|sequence| Range::Length(start(sequence), sequence.end - sequence.start));
                let list = out.add_ranges(ranges.collect());
                let zero = Address::number(0);
                out.set(root, dw::DW_AT_low_pc, Value::Address(zero));
                out.set(root, dw::DW_AT_ranges, list);
            }
        }
    }
}

impl UnitState {
    fn new(graph: &Graph<'_>, node: NodeId, unit: &CompileUnit, encoding: Encoding, dwarf: &mut Dwarf) -> UnitState {
        let file: File = graph.at(unit.file).unwrap_or_default();
        let directory = path(graph.text(file.directory), b".");
        let name = path(graph.text(file.name), UNKNOWN);
        let [directory_text, name_text] = [&directory, &name].map(|text| dwarf.line_strings.add(text));
        let program = LineProgram::new(encoding, directory_text, (name_text, checksum(graph, &file)));
        let primary = program.first_file();
        let number = dwarf.units.len();
        let mut out = Unit::new(number, encoding, program);
        // Units with lines alone have no names.
        out.is_indexed =
            unit.name_table == DEFAULT_NAMES && encoding.version >= FIRST_WITH_NAMES && unit.emission != LINES_ONLY;
        out.public_names = match unit.name_table {
            _ if unit.emission == LINES_ONLY => None,
            GNU_NAMES => Some(PublicNames::Gnu),
            DEFAULT_NAMES if encoding.version < FIRST_WITH_NAMES => Some(PublicNames::Plain),
            _ => None,
        };
        let root = out.root();
        let producer = dwarf.strings.add(graph.text(unit.producer));
        let (name_id, comp_dir) = (dwarf.strings.add(&name), dwarf.strings.add(&directory));
        out.set(root, dw::DW_AT_producer, Value::Text(producer));
        if let Ok(language) = u16::try_from(unit.language) {
            out.set(root, dw::DW_AT_language, Value::Half(language));
        }
        out.set(root, dw::DW_AT_name, Value::Text(name_id));
        out.set(root, dw::DW_AT_comp_dir, Value::Text(comp_dir));
        dwarf.units.push(out);
        UnitState {
            number,
            node,
            emission: unit.emission,
            directory,
            name,
            primary,
            files: FxHashMap::default(),
            sequences: Vec::new(),
            data: Vec::new(),
            is_open: false,
            entries: FxHashMap::default(),
            abstracts: FxHashMap::default(),
            lists: Vec::new(),
            calls: Vec::new(),
            index_type: None,
            lines: number,
            own_type: None,
            last_file: None,
        }
    }

    /// The state of the unit of a type that is named in another unit; the type has an entry already.
    pub fn of_type(number: usize, own_type: NodeId, named_in: &UnitState, entry: EntryId) -> UnitState {
        UnitState {
            number,
            node: named_in.node,
            emission: named_in.emission,
            directory: Vec::new(),
            name: Vec::new(),
            primary: None,
            files: FxHashMap::default(),
            sequences: Vec::new(),
            data: Vec::new(),
            is_open: false,
            entries: std::iter::once((own_type, entry)).collect(),
            abstracts: FxHashMap::default(),
            lists: Vec::new(),
            calls: Vec::new(),
            index_type: None,
            lines: named_in.number,
            own_type: Some(own_type),
            last_file: None,
        }
    }

    /// The node that describes it.
    pub fn node(&self) -> NodeId {
        self.node
    }
}

impl DebugWriter<'_> {
    /// Notes the addresses of a unit: those of its code, and those of its variables.
    pub(super) fn add_address_ranges(&mut self, unit: usize) {
        let state = self.units.get(unit);
        let code = state.sequences.iter();
        let mut ranges: Vec<(Address, u64)> = code
            .map(|sequence| (DebugWriter::address(sequence.first, 0), sequence.end - sequence.start))
            .collect();
        for &symbol in &state.data {
            let data = self.module.symbols.get(symbol).map(|data| data.kind);
            if let Some(SymbolKind::Data(data)) = data
                && let Some(size @ 1..) = self.module.data.get(data).map(|data| data.size)
            {
                ranges.push((DebugWriter::address(symbol, 0), size));
            }
        }
        self.unit(unit).addresses = ranges;
    }

    /// Adds the lists of ranges of a unit. If its code is one range, distances count from its start; else each list
    /// begins with the address that they count from, and so in a file of its own, which does not say that start.
    pub(super) fn add_lists(&mut self, unit: usize) {
        let is_split = self.dwarf.split_name.is_some();
        let state = self.units.get(unit);
        let only = match state.sequences.as_slice() {
            [only] if !is_split => Some(*only),
            _ => None,
        };
        for PendingList { entry, place, ranges } in std::mem::take(&mut state.lists) {
            let only = only.filter(|only| {
                let shift = place.start.saturating_sub(only.start);
                let is_near = only.section == place.section && only.start <= place.start;
                is_near && (self.version < FIRST_WITH_SHORT_OFFSETS || ranges.saved_bytes(shift) <= BASE_BYTES)
            });
            let shift = only.map_or(0, |only| place.start - only.start);
            let address = DebugWriter::address(place.symbol, 0);
            let out = self.unit(unit);
            let (name, value) = match ranges {
                Ranges::Code(ranges) => {
                    let pairs = ranges
                        .into_iter()
                        .map(|(begin, end)| Range::Offsets(begin + shift, end + shift));
                    let base = only.is_none().then_some(Range::Base(address));
                    let list = out.add_ranges(base.into_iter().chain(pairs).collect());
                    (dw::DW_AT_ranges, list)
                }
                Ranges::Places(ranges) => {
                    let pairs = ranges
                        .into_iter()
                        .map(|(begin, end, place)| Location::Offsets(begin + shift, end + shift, place));
                    let base = only.is_none().then_some(Location::Base(address));
                    let list = out.add_locations(base.into_iter().chain(pairs).collect());
                    (dw::DW_AT_location, list)
                }
            };
            self.set(unit, entry, name, value);
        }
    }

    /// The file of code whose file is not known: that of the unit, or one without a name.
    pub(super) fn some_file(&mut self, unit: usize) -> FileId {
        let node = self.units.get(unit).node();
        let of_unit = self.graph.get::<CompileUnit>(node).map(|data| data.file);
        if let Some(file) = of_unit.and_then(|file| self.file(unit, file)) {
            return file;
        }
        let name = self.dwarf.line_strings.add(UNKNOWN);
        let unit = self.units.get(unit).lines;
        self.unit(unit).line_program.add_file(name, UNIT_DIRECTORY, None)
    }

    /// The number of a source file in a unit.
    pub(super) fn file(&mut self, unit: usize, node: NodeRef) -> Option<FileId> {
        let unit = self.units.get(unit).lines;
        let state = self.units.get(unit);
        if let Some((_, known)) = state.last_file.filter(|&(last, _)| last == node) {
            return Some(known);
        }
        if let Some(&known) = state.files.get(&node) {
            state.last_file = Some((node, known));
            return Some(known);
        }
        let file: File = self.graph.at(node)?;
        let mut directory = self.graph.text(file.directory);
        let mut name = self.graph.text(file.name);
        // As LLVM does: what is in the unit's directory may have a directory of its own in its name.
        if directory == state.directory {
            directory = b"";
        }
        if let Some(primary) = state.primary.filter(|_| directory.is_empty() && name == state.name) {
            state.files.insert(node, primary);
            return Some(primary);
        }
        if directory.is_empty()
            && let Some(slash) = name.iter().rposition(|&byte| byte == b'/')
            && slash + 1 < name.len()
        {
            (directory, name) = (&name[..slash.max(1)], &name[slash + 1..]);
        }
        let checksum = checksum(&self.graph, &file);
        let strings = &mut self.dwarf.line_strings;
        let program = &mut self.dwarf.units[state.number].line_program;
        let directory = match directory {
            b"" => UNIT_DIRECTORY,
            other => program.add_directory(strings.add(other)),
        };
        let number = program.add_file(strings.add(path(name, UNKNOWN)), directory, checksum);
        self.units.get(unit).files.insert(node, number);
        Some(number)
    }
}

/// The checksum of a file, if it is one that the line table has room for.
fn checksum(graph: &Graph<'_>, file: &File) -> Option<Md5> {
    let text = graph.text(file.checksum);
    if file.checksum_kind != MD5 || text.len() != 32 {
        return None;
    }
    let mut md5 = [0; 16];
    for (byte, digits) in md5.iter_mut().zip(text.chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(md5)
}

/// A path, or what stands for an empty one.
fn path(text: &[u8], empty: &[u8]) -> Vec<u8> {
    if text.is_empty() { empty.to_vec() } else { text.to_vec() }
}
