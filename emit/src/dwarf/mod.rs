//! DWARF sections of a module's debug information, versions 2 to 5 as the module asks for (DWARF 5, or 4).
//!
//! Method: functions are added as they are compiled: their rows go to the line program of their unit at once
//! ([`lines`]), and their scopes and variables become entries ([`scopes`], [`variables`]). Types, namespaces and
//! declarations become entries when something first names them ([`entries`]), and are filled in at the end, one after
//! the other without recursion ([`types`], [`members`], [`subprograms`]). Types have one entry for all units, or, where
//! that is asked for, a unit of their own ([`type_units`]). Then all is written ([`output`], [`sections`]).
//!
//! Addresses are relocations against symbols, offsets between sections relocations
//! against sections. Order follows the module and its functions, never that of a hash table.
//!
//! Names are indexed or listed as each unit asks for it ([`output`]).
//!
//! What is left out: skeletons that say which code was inlined; split units before version 4. A variable whose place is
//! not certain has an entry without location; a label without code has none.

mod attributes;
mod call_sites;
mod entries;
mod expressions;
mod frames;
mod globals;
mod graph;
mod line_directives;
mod lines;
mod macros;
mod members;
mod output;
mod scope_tree;
mod scopes;
mod sections;
mod subprograms;
mod type_units;
mod types;
mod units;
mod variables;

pub(crate) use output::{LineRow, SourceFile};
pub use sections::{DebugSection, DebugTarget};

use crate::error::EmitError;
use frazil_codegen::{CompiledFunction, TargetDesc, ThreadOffset};
use frazil_ir::debug::{Kind, ModuleDebug, NodeId};
use frazil_ir::{Module, Refusal, SymbolId};
use frazil_support::FxHashMap;
use gimli::{Encoding, Format};
use graph::Graph;
use output::{Address, Dwarf, EntryId, Expression};
use std::sync::{Arc, OnceLock};
use type_units::TypeUnits;
use units::Units;

/// The debug information of modules without.
static NONE: OnceLock<ModuleDebug> = OnceLock::new();

/// The version of modules that say none.
const DEFAULT_VERSION: u16 = 5;
/// How many attributes a unit gets for each node of its module, about.
const ATTRIBUTES_PER_NODE: usize = 3;
/// The first version that has units of types.
const FIRST_WITH_TYPE_UNITS: u16 = 4;
/// The first version in which units are split; before version 5, in GNU's way.
const FIRST_WITH_SPLIT_UNITS: u16 = 4;

/// Where the code of a function is.
#[derive(Clone, Copy, Debug)]
pub struct CodePlace {
    pub symbol: SymbolId,
    /// Its section, by number.
    pub section: u32,
    /// Offset in bytes from the start of the section.
    pub start: u64,
    /// Whether it is in the unwind table.
    pub has_frame_table: bool,
}

/// What is made besides what the module asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebugOptions {
    /// Whether `.debug_frame` has all functions, with debug information or without.
    pub all_frames: bool,
    /// Whether `.debug_aranges` says where the code and data of each unit are.
    pub address_ranges: bool,
    /// Whether types that have one name in all of a program stand in units of their own.
    pub type_units: bool,
    /// Where what linkers need not see goes to; `None` for the object, among everything else.
    pub split: Option<SplitDebug>,
}

impl DebugOptions {
    /// Whether there is to be another file.
    pub fn has_file(&self) -> bool {
        self.split.as_ref().is_some_and(|split| split.is_file)
    }
}

/// A file that has what linkers need not see of debug information.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitDebug {
    /// Its name, as debuggers look for it.
    pub name: Arc<[u8]>,
    /// Whether there is such a file; else the object has sections in it that a tool can take out.
    pub is_file: bool,
}

/// The debug information of an object while it is made.
#[derive(Debug)]
pub struct DebugWriter<'a> {
    module: &'a Module,
    graph: Graph<'a>,
    dwarf: Dwarf,
    units: Units,
    frames: frames::Frames,
    /// Nodes that are attached to symbols of the module.
    variables: FxHashMap<NodeId, SymbolId>,
    /// The nodes of functions, those without code included.
    subprograms: FxHashMap<SymbolId, NodeId>,
    /// The places of variables whose entries are not filled in yet.
    places_of_globals: Vec<(EntryId, Expression)>,
    has_address_ranges: bool,
    type_units: TypeUnits,
    /// Whether units may name entries of each other.
    shares_entries: bool,
    version: u16,
    /// How the target says where thread-local variables are.
    thread_offset: Option<ThreadOffset>,
}

impl<'a> DebugWriter<'a> {
    /// The writer for a module, if it has debug information or something is asked for without.
    pub fn new(module: &'a Module, target: &'static TargetDesc, options: &DebugOptions) -> Option<DebugWriter<'a>> {
        let debug = match module.debug.as_deref() {
            Some(debug) => debug,
            None if options.all_frames => NONE.get_or_init(ModuleDebug::default),
            None => return None,
        };
        let version = match debug.dwarf_version {
            version @ 2..=5 => version.into(),
            _ => DEFAULT_VERSION,
        };
        let encoding = Encoding {
            format: Format::Dwarf32,
            version,
            address_size: target.pointer_bytes,
        };
        let has_type_units = options.type_units && version >= FIRST_WITH_TYPE_UNITS;
        let graph = Graph::new(&debug.nodes);
        let mut dwarf = Dwarf {
            split_name: options.split.as_ref().map(|split| split.name.to_vec()),
            ..Dwarf::default()
        };
        let is_split = dwarf.split_name.is_some();
        let is_function = |node: NodeId| debug.nodes.kind(node) == Some(Kind::Subprogram);
        let subprograms = debug
            .variables
            .iter()
            .copied()
            .filter(|row| is_function(row.1))
            .collect();
        let units = Units::new(&graph, &debug.units, encoding, &mut dwarf);
        if let [unit] = dwarf.units.as_mut_slice() {
            unit.expect_attributes(debug.nodes.next() as usize * ATTRIBUTES_PER_NODE);
        }
        Some(DebugWriter {
            module,
            graph,
            dwarf,
            units,
            frames: frames::Frames::new(target, version, options),
            variables: debug.variables.iter().map(|&(symbol, node)| (node, symbol)).collect(),
            subprograms,
            places_of_globals: Vec::new(),
            has_address_ranges: options.address_ranges,
            type_units: TypeUnits::new(has_type_units),
            shares_entries: !has_type_units && !is_split,
            version,
            thread_offset: target.elf.thread_offset,
        })
    }

    /// Adds what debuggers want to know of a compiled function, in the order of the module.
    pub fn add_function(&mut self, place: CodePlace, code: &CompiledFunction) {
        self.frames.add(place, code);
        let function = &code.debug.function;
        let moved = self.graph.append(&function.nodes);
        let subprogram = moved.reference(function.subprogram);
        let unit = self.units.of_subprogram(&self.graph, subprogram);
        let Some((unit, subprogram)) = unit.zip(subprogram.node()) else {
            self.units.interrupt();
            return;
        };
        let scopes = scope_tree::ScopeTree::new(&self.graph, moved, subprogram, code);
        self.subprograms.insert(place.symbol, subprogram);
        self.add_rows(unit, place, code, &scopes);
        if self.units.has_entries(unit) {
            self.add_entries(unit, place, code, &scopes);
        }
    }

    /// Says that code follows of which nothing is told.
    pub fn pass_over(&mut self) {
        self.units.interrupt();
    }

    /// Completes and writes the sections.
    ///
    /// # Errors
    /// If the debug information contradicts itself so that it cannot be written, or is to be split in a version for
    /// which there is no form of that here.
    pub fn finish(mut self) -> Result<Vec<DebugSection>, EmitError> {
        self.complete()?;
        self.write()
    }

    /// Adds what no function names; then the sections are to be written.
    ///
    /// # Errors
    /// If there is no form of split debug information in its version.
    pub(crate) fn complete(&mut self) -> Result<(), EmitError> {
        if self.dwarf.split_name.is_some() && self.version < FIRST_WITH_SPLIT_UNITS {
            let what = format!(
                "split debug information of DWARF {}, only that of DWARF 4 and 5",
                self.version
            );
            return Err(EmitError::unsupported(Refusal::ObjectFile, what, ".debug_info.dwo"));
        }
        self.units.interrupt();
        for unit in 0..self.units.len() {
            self.add_unit_lists(unit);
        }
        for unit in 0..self.units.len() {
            self.add_call_sites(unit);
        }
        self.fill_entries();
        self.place_globals();
        for unit in 0..self.units.len() {
            self.add_lists(unit);
            self.units.set_ranges(unit, &mut self.dwarf);
            if self.has_address_ranges {
                self.add_address_ranges(unit);
            }
        }
        Ok(())
    }

    /// Writes the sections.
    ///
    /// # Errors
    /// If the debug information contradicts itself so that it cannot be written.
    pub(crate) fn write(mut self) -> Result<Vec<DebugSection>, EmitError> {
        self.dwarf.frames = self.frames.finish();
        sections::write(self.dwarf)
    }

    /// The address of a symbol.
    fn address(symbol: SymbolId, addend: i64) -> Address {
        Address::after(symbol, addend)
    }
}
