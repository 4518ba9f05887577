//! What must be in the same part, whatever the balance.
//!
//! * Members of a comdat, which a linker keeps or drops together.
//! * An alias or ifunc, and what it stands for: both are one place.
//! * A function, and who has addresses of its blocks, since blocks have no names.
//! * A difference of addresses, and what is subtracted; if that is not the user itself, also what it is subtracted
//!   from. An object can hold only distances from where it stands.
//! * A variable, and the symbol that it is associated with, to whose section its own is linked.
//! * Variables of a section that the module names, because programs rely on their order; those of comdats and
//!   associated ones are not meant.
//! * Lists that linkers append (constructors), and what these name as keys, in the first part: they have an order, and
//!   an entry goes away with its key.
//! * Assembly, and local symbols that it names with all who use them, since nobody changes names in texts. The module's
//!   own text is in the first part, as are those who use what only it knows.

use crate::constants::Kind as ConstantKind;
use crate::graph::{Graph, Remarks};
use crate::groups::Groups;
use crate::record::linkage;
use crate::source::{Kind, Source, Symbol};
use crate::text::{self, Role};
use frazil_frontend_pnacl::{ReadError, ReadErrorKind};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

/// Lists that say what optimizers and linkers must not drop. They are in each part, since what they name is.
const LISTS_FOR_TOOLS: [&[u8]; 2] = [b"llvm.used", b"llvm.compiler.used"];

/// Lists of functions, of which each entry may name a key.
const LISTS_OF_FUNCTIONS: [&[u8]; 2] = [b"llvm.global_ctors", b"llvm.global_dtors"];

/// Variables in this section are for tools and not emitted.
pub const METADATA_SECTION: &[u8] = b"llvm.metadata";

/// Which nodes go together.
#[derive(Debug)]
pub struct Bonds {
    /// Nodes of the graph, and after them one that stands for the first part.
    pub groups: Groups,
    /// Symbols that are in each part.
    pub everywhere: Vec<bool>,
    /// Symbols that have names in texts.
    pub named_in_texts: Vec<bool>,
}

/// Looks for symbols behind constants, with a bound on all that is looked at.
struct Search<'g> {
    graph: &'g Graph,
    symbols: usize,
    /// By node, the search that has found it last.
    seen: Vec<u32>,
    search: u32,
    steps_left: u64,
}

impl<'g> Search<'g> {
    fn new(graph: &'g Graph, symbols: usize, steps: u64) -> Search<'g> {
        Search {
            graph,
            symbols,
            seen: vec![0; graph.len()],
            search: 0,
            steps_left: steps,
        }
    }

    /// Symbols that a node is or names, through constants only.
    fn from(&mut self, start: usize) -> Result<Vec<usize>, ReadError> {
        self.search += 1;
        let mut found = Vec::new();
        let mut pending = vec![start];
        while let Some(node) = pending.pop() {
            let Some(seen) = self.seen.get_mut(node) else { continue };
            if *seen == self.search {
                continue;
            }
            *seen = self.search;
            if node < self.symbols {
                found.push(node);
                continue;
            }
            let edges = self.graph.edges(node);
            pending.extend(edges.iter().map(|&edge| edge as usize));
            self.steps_left = self.steps_left.saturating_sub(1 + edges.len() as u64);
        }
        if self.steps_left == 0 {
            let message = "constants that share so many operands that what they name cannot be followed";
            return Err(ReadError::new(ReadErrorKind::TooLarge, 0, message));
        }
        Ok(found)
    }
}

/// How many constants may be looked at, given the size of the input in bytes.
fn search_steps(input_bytes: usize) -> u64 {
    64 * input_bytes as u64 + (1 << 16)
}

/// Finds what goes together.
///
/// # Errors
/// If constants are so entangled that it would take too long.
pub fn find(source: &Source<'_>, graph: &Graph, remarks: &Remarks) -> Result<Bonds, ReadError> {
    let symbols = source.symbols.len();
    let steps = search_steps(source.stream.bytes().len());
    let mut down = Search::new(graph, symbols, steps);
    let mut binder = Binder {
        source,
        graph,
        first_part: graph.len(),
        bonds: Bonds {
            groups: Groups::new(graph.len() + 1),
            everywhere: vec![false; symbols],
            named_in_texts: vec![false; symbols],
        },
        tied: Vec::new(),
    };
    binder.lists(&mut down)?;
    binder.comdats();
    binder.aliases(&mut down)?;
    binder.sections();
    binder.texts(remarks);
    let mut differences = Vec::new();
    for (number, constant) in source.constants.rows.iter().enumerate() {
        let node = symbols + number;
        match constant.kind {
            ConstantKind::BlockAddress => {
                binder.tied.push(node);
                for &function in graph.edges(node) {
                    binder.join(node, function as usize);
                }
            }
            ConstantKind::Difference => differences.push(node),
            ConstantKind::Plain | ConstantKind::Empty => {}
        }
    }
    for &(symbol, function) in &remarks.block_addresses {
        binder.join(symbol, function as usize);
    }
    if !binder.tied.is_empty() || !differences.is_empty() {
        let reversed = graph.reversed();
        binder.tie_users(&reversed);
        let mut up = Search::new(&reversed, symbols, steps);
        for difference in differences {
            binder.difference(difference, &mut down, &mut up)?;
        }
    }
    Ok(binder.bonds)
}

struct Binder<'a, 'm> {
    source: &'m Source<'a>,
    graph: &'m Graph,
    /// The node of the first part.
    first_part: usize,
    bonds: Bonds,
    /// Nodes whose users are to be where they are.
    tied: Vec<usize>,
}

impl Binder<'_, '_> {
    fn join(&mut self, a: usize, b: usize) {
        let is_everywhere = |node: usize| self.bonds.everywhere.get(node).copied().unwrap_or(false);
        if !is_everywhere(a) && !is_everywhere(b) {
            self.bonds.groups.join(a, b);
        }
    }

    /// What is appended by linkers.
    fn lists(&mut self, search: &mut Search<'_>) -> Result<(), ReadError> {
        for (number, symbol) in self.source.symbols.iter().enumerate() {
            if symbol.linkage != linkage::APPENDING {
                continue;
            }
            let name = self.source.name(symbol);
            if LISTS_FOR_TOOLS.contains(&name) {
                if let Some(everywhere) = self.bonds.everywhere.get_mut(number) {
                    *everywhere = true;
                }
                continue;
            }
            self.join(number, self.first_part);
            if !LISTS_OF_FUNCTIONS.contains(&name) {
                continue;
            }
            for &list in self.graph.edges(number) {
                for &entry in self.graph.edges(list as usize) {
                    let &[_, _, key] = self.graph.edges(entry as usize) else {
                        continue;
                    };
                    for symbol in search.from(key as usize)? {
                        self.join(symbol, self.first_part);
                    }
                }
            }
        }
        Ok(())
    }

    fn comdats(&mut self) {
        let mut first: HashMap<u64, usize> = HashMap::new();
        for (number, symbol) in self.source.symbols.iter().enumerate() {
            if symbol.comdat == 0 {
                continue;
            }
            match first.entry(symbol.comdat) {
                Entry::Occupied(known) => {
                    let known = *known.get();
                    self.join(known, number);
                }
                Entry::Vacant(unknown) => {
                    unknown.insert(number);
                }
            }
        }
    }

    fn aliases(&mut self, search: &mut Search<'_>) -> Result<(), ReadError> {
        for (number, symbol) in self.source.symbols.iter().enumerate() {
            if matches!(symbol.kind, Kind::Alias | Kind::Ifunc) {
                for &target in self.graph.edges(number) {
                    for target in search.from(target as usize)? {
                        self.join(number, target);
                    }
                }
            }
        }
        Ok(())
    }

    /// Variables of one section, and those that are linked to a symbol.
    fn sections(&mut self) {
        let associated = &self.source.metadata.associated;
        for &(symbol, other) in associated {
            let symbols = self.source.symbols.len() as u64;
            if symbol < symbols && other < symbols {
                self.join(symbol as usize, other as usize);
            }
        }
        let linked: HashSet<u64> = associated.iter().map(|row| row.0).collect();
        let mut first: HashMap<u64, usize> = HashMap::new();
        for (number, symbol) in self.source.symbols.iter().enumerate() {
            let is_alone = symbol.section == 0 || symbol.comdat != 0 || !symbol.is_defined;
            let is_linked = linked.contains(&(number as u64));
            if is_alone || symbol.kind != Kind::Variable || is_for_tools(self.source, symbol) || is_linked {
                continue;
            }
            let known = *first.entry(symbol.section).or_insert(number);
            self.join(known, number);
        }
    }

    /// Assembly of the module and of functions.
    fn texts(&mut self, remarks: &Remarks) {
        if self.source.assembly.is_empty() && remarks.texts.is_empty() {
            return;
        }
        let mut names: HashMap<&[u8], usize> = HashMap::new();
        for (number, symbol) in self.source.symbols.iter().enumerate() {
            let name = self.source.name(symbol);
            // With this in front, a name is taken as it is.
            let name = name.strip_prefix(b"\x01").unwrap_or(name);
            if !name.is_empty() {
                names.insert(name, number);
            }
        }
        let own = std::iter::once((self.first_part, self.source.assembly.as_slice()));
        let others = remarks.texts.iter().map(|(symbol, text)| (*symbol, text.as_slice()));
        let texts: Vec<_> = own
            .chain(others)
            .map(|(owner, text)| (owner, text::words(text)))
            .collect();
        let words = || {
            texts
                .iter()
                .flat_map(|(owner, words)| words.iter().map(|&word| (*owner, word)))
        };
        let mut definitions: HashMap<&[u8], usize> = HashMap::new();
        let mut exported: HashSet<&[u8]> = HashSet::new();
        for (owner, (word, role)) in words() {
            match role {
                Role::Defined => {
                    definitions.entry(word).or_insert(owner);
                }
                Role::Exported => {
                    exported.insert(word);
                }
                Role::Used => {}
            }
        }
        for (owner, (word, _)) in words() {
            if let Some(&other) = definitions.get(word) {
                self.join(owner, other);
            }
            let Some(&symbol) = names.get(word) else { continue };
            let Some(data) = self.source.symbols.get(symbol) else {
                continue;
            };
            if let Some(named) = self.bonds.named_in_texts.get_mut(symbol) {
                *named = true;
            }
            let is_known_outside = match data.is_defined {
                true => !linkage::is_local(data.linkage),
                false => exported.contains(word) || !definitions.contains_key(word),
            };
            if data.is_defined && (owner == self.first_part || !is_known_outside) {
                self.join(owner, symbol);
            }
            if !is_known_outside {
                self.join(owner, symbol);
                self.tied.push(symbol);
            }
        }
    }

    /// Joins what is tied with all that uses it, through constants, too.
    fn tie_users(&mut self, reversed: &Graph) {
        let mut is_tied = vec![false; self.graph.len()];
        let mut pending = std::mem::take(&mut self.tied);
        while let Some(node) = pending.pop() {
            match is_tied.get_mut(node) {
                Some(tied) if !*tied => *tied = true,
                _ => continue,
            }
            for &user in reversed.edges(node) {
                self.join(user as usize, node);
                if user as usize >= self.source.symbols.len() {
                    pending.push(user as usize);
                }
            }
        }
    }

    /// Joins the users of a difference with what is subtracted.
    fn difference(&mut self, node: usize, down: &mut Search<'_>, up: &mut Search<'_>) -> Result<(), ReadError> {
        let &[from, subtracted] = self.graph.edges(node) else {
            return Ok(());
        };
        let subtracted = down.from(subtracted as usize)?;
        if subtracted.is_empty() {
            return Ok(());
        }
        for user in up.from(node)? {
            let is_own_place = subtracted == [user];
            for &symbol in &subtracted {
                self.join(user, symbol);
            }
            if !is_own_place {
                for symbol in down.from(from as usize)? {
                    self.join(user, symbol);
                }
            }
        }
        Ok(())
    }
}

/// Whether a variable is not emitted.
pub fn is_for_tools(source: &Source<'_>, symbol: &Symbol) -> bool {
    let section = usize::try_from(symbol.section)
        .ok()
        .and_then(|section| section.checked_sub(1));
    section
        .and_then(|section| source.sections.get(section))
        .is_some_and(|name| name == METADATA_SECTION)
}
