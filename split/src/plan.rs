//! Which part each symbol is in, and which symbols others must see.
//!
//! Groups of functions are taken in the order of the module, and cut where a part has its share of the bytes of bodies:
//! neighbors, which often use each other, stay together, and functions stay in order. Variables go with the first
//! function that uses them; what nobody uses is distributed by its size. Constants without identity, such as strings,
//! are in each part that uses them. All of this depends on nothing but the module.

use crate::bind::{Bonds, is_for_tools};
use crate::constants::Kind as ConstantKind;
use crate::graph::Graph;
use crate::record::linkage;
use crate::source::Source;
use frazil_frontend_pnacl::bitstream::block::SubBlock;

/// What is known of symbols after the division.
#[derive(Debug)]
pub struct Plan {
    /// The part of each symbol that is defined.
    parts: Vec<u32>,
    /// Symbols that are in each part.
    everywhere: Vec<bool>,
    /// Symbols that other parts name.
    pub is_shared: Vec<bool>,
    /// Copies of symbols in other parts than their own: symbol and part, sorted.
    copies: Vec<(u32, u32)>,
    /// Symbols that are used and not defined in a part: symbol and part, sorted.
    uses: Vec<(u32, u32)>,
}

/// Bytes of a constant that may be in several parts.
const MOST_COPIED_BYTES: u64 = 1 << 10;

/// What a symbol weighs besides its contents.
const SYMBOL_BYTES: u64 = 16;

impl Plan {
    /// Whether a symbol that is defined is defined in a part.
    pub fn is_in(&self, symbol: usize, part: u32) -> bool {
        self.parts.get(symbol) == Some(&part)
            || self.everywhere.get(symbol) == Some(&true)
            || self.copies.binary_search(&(symbol as u32, part)).is_ok()
    }

    /// Whether code or data of a part uses a symbol that is not defined there.
    pub fn is_used(&self, symbol: usize, part: u32) -> bool {
        self.uses.binary_search(&(symbol as u32, part)).is_ok()
    }

    /// Distributes the symbols of a module to so many parts.
    pub fn make(source: &Source<'_>, graph: &Graph, mut bonds: Bonds, parts: u32) -> Plan {
        let symbols = source.symbols.len();
        let roots: Vec<usize> = (0..symbols).map(|symbol| bonds.groups.root(symbol)).collect();
        let mut planner = Planner {
            source,
            graph,
            first_group: bonds.groups.root(graph.len()),
            roots,
            members: Vec::new(),
            assigned: vec![None; graph.len() + 1],
            seen: vec![0; graph.len()],
        };
        planner.sort_members();
        planner.distribute(parts, &bonds.everywhere);
        let mut plan = Plan {
            parts: planner
                .roots
                .iter()
                .map(|&root| planner.part_of(root).unwrap_or(0))
                .collect(),
            everywhere: bonds.everywhere,
            is_shared: vec![false; symbols],
            copies: Vec::new(),
            uses: Vec::new(),
        };
        let can_copy = planner.copyable(&plan);
        plan.see_uses(source, graph, parts, &can_copy);
        // Texts have the names that are there.
        let named = bonds.named_in_texts.iter().zip(&source.symbols);
        for (shared, (named, symbol)) in plan.is_shared.iter_mut().zip(named) {
            *shared &= !named || !linkage::is_local(symbol.linkage);
        }
        plan
    }

    /// Finds what is used in other parts than its own.
    fn see_uses(&mut self, source: &Source<'_>, graph: &Graph, parts: u32, can_copy: &[bool]) {
        let mut users: Vec<Vec<u32>> = vec![Vec::new(); parts as usize];
        for (number, symbol) in source.symbols.iter().enumerate() {
            let is_user = symbol.is_defined && self.everywhere.get(number) == Some(&false);
            if is_user
                && !is_for_tools(source, symbol)
                && let Some(list) = self.parts.get(number).and_then(|&part| users.get_mut(part as usize))
            {
                list.push(number as u32);
            }
        }
        let mut seen = vec![0; graph.len()];
        let mut pending = Vec::new();
        for (part, users) in (0u32..).zip(users) {
            pending.extend(users.iter().flat_map(|&user| graph.edges(user as usize)));
            while let Some(node) = pending.pop() {
                match seen.get_mut(node as usize) {
                    Some(seen) if *seen != part + 1 => *seen = part + 1,
                    _ => continue,
                }
                let index = node as usize;
                let Some(symbol) = source.symbols.get(index) else {
                    pending.extend(graph.edges(index));
                    continue;
                };
                if !symbol.is_defined {
                    self.uses.push((node, part));
                } else if self.parts.get(index) == Some(&part) {
                    continue;
                } else if can_copy.get(index) == Some(&true) {
                    self.copies.push((node, part));
                } else if let Some(shared) = self.is_shared.get_mut(index) {
                    *shared = true;
                    self.uses.push((node, part));
                }
            }
        }
        self.copies.sort_unstable();
        self.uses.sort_unstable();
        if parts == 1 {
            return;
        }
        // Every part has all metadata, debug information of what it does not have included.
        for &value in &source.metadata.values {
            let shared = usize::try_from(value)
                .ok()
                .and_then(|value| self.is_shared.get_mut(value));
            if let Some(shared) = shared {
                *shared = true;
            }
        }
    }
}

struct Planner<'a, 'm> {
    source: &'m Source<'a>,
    graph: &'m Graph,
    /// The group of the first part.
    first_group: usize,
    /// The group of each symbol.
    roots: Vec<usize>,
    /// Symbols that are defined, with their groups before them, sorted.
    members: Vec<(usize, usize)>,
    /// The parts of groups.
    assigned: Vec<Option<u32>>,
    /// Constants whose users have been followed.
    seen: Vec<u8>,
}

/// A group of symbols.
struct Group {
    root: usize,
    /// The number of its first symbol that is defined.
    first: usize,
    bytes: u64,
    has_code: bool,
}

impl Planner<'_, '_> {
    fn sort_members(&mut self) {
        let symbols = self.source.symbols.iter().enumerate().zip(&self.roots);
        let defined = symbols.filter(|((_, symbol), _)| symbol.is_defined);
        self.members = defined.map(|((number, _), &root)| (root, number)).collect();
        self.members.sort_unstable();
    }

    fn part_of(&self, root: usize) -> Option<u32> {
        self.assigned.get(root).copied().flatten()
    }

    fn assign(&mut self, root: usize, part: u32) {
        if let Some(slot) = self.assigned.get_mut(root) {
            *slot = Some(part);
        }
    }

    fn bytes_of(&self, symbol: usize) -> u64 {
        let Some(data) = self.source.symbols.get(symbol) else {
            return 0;
        };
        let contents = match data.body {
            Some(SubBlock { start, end, .. }) => (end - start) / 8,
            None => self.contents(symbol).map_or(0, |constant| constant.bytes),
        };
        contents + SYMBOL_BYTES
    }

    /// What a variable is initialized with, if that is a constant.
    fn contents(&self, symbol: usize) -> Option<&crate::constants::Constant> {
        let value = *self.graph.edges(symbol).first()? as usize;
        self.source
            .constants
            .rows
            .get(value.checked_sub(self.source.symbols.len())?)
    }

    fn distribute(&mut self, parts: u32, everywhere: &[bool]) {
        let mut groups: Vec<Group> = Vec::new();
        for &(root, symbol) in &self.members {
            if everywhere.get(symbol) == Some(&true) {
                continue;
            }
            let has_code = self.source.symbols.get(symbol).is_some_and(|data| data.body.is_some());
            let bytes = self.bytes_of(symbol);
            match groups.last_mut() {
                Some(group) if group.root == root => {
                    group.bytes += bytes;
                    group.has_code |= has_code;
                }
                _ => groups.push(Group {
                    root,
                    first: symbol,
                    bytes,
                    has_code,
                }),
            }
        }
        // The first part's group comes first.
        groups.sort_by_key(|group| (group.root != self.first_group, group.first));
        let (code, data): (Vec<Group>, Vec<Group>) = groups
            .into_iter()
            .partition(|group| group.has_code || group.root == self.first_group);
        self.cut(&code, parts);
        self.assign(self.first_group, 0);
        let mut pending: Vec<usize> = Vec::new();
        for group in &code {
            pending.push(group.root);
            self.follow(&mut pending);
        }
        let rest: Vec<Group> = data
            .into_iter()
            .filter(|group| self.part_of(group.root).is_none())
            .collect();
        self.cut(&rest, parts);
    }

    /// Assigns groups in their order, each part with its share.
    fn cut(&mut self, groups: &[Group], parts: u32) {
        let total: u64 = groups.iter().map(|group| group.bytes).sum();
        let mut before = 0;
        for group in groups {
            // The part in whose share the middle of the group is.
            let middle = u128::from(before) + u128::from(group.bytes / 2);
            let part = middle * u128::from(parts) / u128::from(total.max(1));
            self.assign(group.root, (part as u32).min(parts - 1));
            before += group.bytes;
        }
    }

    /// Takes groups of data that are used to where they are used, and what these use.
    fn follow(&mut self, pending: &mut Vec<usize>) {
        while let Some(root) = pending.pop() {
            let Some(part) = self.part_of(root) else { continue };
            let first = self.members.partition_point(|member| member.0 < root);
            let members = self.members.get(first..).unwrap_or_default();
            let members = members.iter().take_while(|member| member.0 == root);
            let mut nodes: Vec<u32> = members.flat_map(|member| self.graph.edges(member.1)).copied().collect();
            while let Some(node) = nodes.pop() {
                let index = node as usize;
                let Some(symbol) = self.source.symbols.get(index) else {
                    // Whoever comes first takes what is behind a constant.
                    if let Some(seen) = self.seen.get_mut(index)
                        && *seen == 0
                    {
                        *seen = 1;
                        nodes.extend(self.graph.edges(index));
                    }
                    continue;
                };
                let Some(&used) = self.roots.get(index) else { continue };
                if symbol.is_defined && self.part_of(used).is_none() {
                    self.assign(used, part);
                    pending.push(used);
                }
            }
        }
    }

    /// Which symbols may be in several parts: small constants of their module alone that name nothing, whose address
    /// does not matter, and that nothing else is tied to or says something of.
    fn copyable(&self, plan: &Plan) -> Vec<bool> {
        let mut alone = vec![0u32; self.graph.len() + 1];
        for root in &self.roots {
            if let Some(count) = alone.get_mut(*root) {
                *count += 1;
            }
        }
        let metadata = &self.source.metadata;
        let mut can_copy: Vec<bool> = (self.source.symbols.iter().enumerate())
            .map(|(number, symbol)| {
                let is_alone = self
                    .roots
                    .get(number)
                    .is_some_and(|&root| root != self.first_group && alone.get(root) == Some(&1));
                symbol.is_defined
                    && symbol.has_no_identity
                    && linkage::is_local(symbol.linkage)
                    && is_alone
                    && plan.everywhere.get(number) == Some(&false)
                    && metadata.attached.binary_search(&(number as u64)).is_err()
                    && self.is_small(number)
            })
            .collect();
        for &value in &metadata.values {
            let known = usize::try_from(value).ok().and_then(|value| can_copy.get_mut(value));
            if let Some(known) = known {
                *known = false;
            }
        }
        can_copy
    }

    /// Whether a variable has little contents and no names in it.
    fn is_small(&self, symbol: usize) -> bool {
        let Some(contents) = self.contents(symbol) else {
            return false;
        };
        let symbols = self.source.symbols.len() as u64;
        let is_plain = |constant: &crate::constants::Constant| constant.kind == ConstantKind::Plain;
        let operands = self.source.constants.operands(contents);
        // Elements that are made of others are looked into no further.
        let has_names = operands.iter().any(|&value| {
            let row = value.checked_sub(symbols).and_then(|row| usize::try_from(row).ok());
            let element = row.and_then(|row| self.source.constants.rows.get(row));
            element.is_none_or(|element| !is_plain(element) || !element.operands.is_empty())
        });
        is_plain(contents) && contents.bytes <= MOST_COPIED_BYTES && !has_names
    }
}
