//! Who uses whom: a directed graph of the module's symbols and constants, numbered as values are.
//!
//! A symbol uses what its record names and what its body does, a constant its operands. Edges are in one array, those
//! of a node together. The reverse graph is made only for modules in which something ties users together.

use crate::body::{self, Listener, Surroundings};
use crate::source::Source;
use frazil_frontend_pnacl::ReadError;
use frazil_frontend_pnacl::bitstream::record::Record;
use frazil_frontend_pnacl::codes::block as id;

/// Edges of nodes, by number.
#[derive(Debug, Default)]
pub struct Graph {
    /// Where the edges of a node begin; one more than there are nodes.
    starts: Vec<usize>,
    targets: Vec<u32>,
}

impl Graph {
    /// Where the edges of a node lead.
    pub fn edges(&self, node: usize) -> &[u32] {
        match (self.starts.get(node), self.starts.get(node.wrapping_add(1))) {
            (Some(&start), Some(&end)) => self.targets.get(start..end).unwrap_or_default(),
            _ => &[],
        }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The graph with all edges turned around.
    pub fn reversed(&self) -> Graph {
        let mut starts = vec![0usize; self.starts.len()];
        for &target in &self.targets {
            if let Some(count) = starts.get_mut(target as usize + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut targets = vec![0; self.targets.len()];
        for node in 0..self.len() {
            for &target in self.edges(node) {
                let Some(place) = next.get_mut(target as usize) else {
                    continue;
                };
                if let Some(slot) = targets.get_mut(*place) {
                    *slot = node as u32;
                }
                *place += 1;
            }
        }
        Graph { starts, targets }
    }
}

/// What bodies say besides whom they use.
#[derive(Debug, Default)]
pub struct Remarks {
    /// Functions, and those of whose blocks they have the address.
    pub block_addresses: Vec<(usize, u64)>,
    /// Functions, and texts of inline assembly in them.
    pub texts: Vec<(usize, Vec<u8>)>,
}

/// Collects the uses of one function at a time.
struct Collector<'g> {
    symbol: usize,
    targets: &'g mut Vec<u32>,
    /// By node, the last symbol that uses it, plus one.
    seen: &'g mut [u32],
    remarks: &'g mut Remarks,
}

impl Listener for Collector<'_> {
    fn value(&mut self, value: u64) {
        let Some(seen) = self.seen.get_mut(value as usize) else {
            return;
        };
        let stamp = self.symbol as u32 + 1;
        if *seen != stamp {
            *seen = stamp;
            self.targets.push(value as u32);
        }
    }

    fn block_address(&mut self, function: u64) {
        self.remarks.block_addresses.push((self.symbol, function));
    }

    fn assembly(&mut self, text: Vec<u8>) {
        self.remarks.texts.push((self.symbol, text));
    }
}

/// Makes the graph of a module.
///
/// # Errors
/// If a body is malformed, or has something that is not known.
pub fn make(source: &Source<'_>) -> Result<(Graph, Remarks), ReadError> {
    let nodes = source.values();
    let mut graph = Graph::default();
    let mut remarks = Remarks::default();
    let mut seen = vec![0; nodes];
    let mut record = Record::default();
    let check = |value: u64| match usize::try_from(value) {
        Ok(node) if node < nodes => Ok(node as u32),
        _ => Err(ReadError::malformed(
            source.module.start,
            format!("value {value} of {nodes}, in a symbol or constant"),
        )),
    };
    for (number, symbol) in source.symbols.iter().enumerate() {
        graph.starts.push(graph.targets.len());
        for value in symbol.values.iter().filter_map(|value| value.checked_sub(1)) {
            graph.targets.push(check(value)?);
        }
        let Some(body) = &symbol.body else { continue };
        let mut collector = Collector {
            symbol: number,
            targets: &mut graph.targets,
            seen: &mut seen,
            remarks: &mut remarks,
        };
        let around = Surroundings {
            types: &source.types,
            block_info: &source.block_info,
            values: nodes as u64,
        };
        let within = |error: ReadError| {
            let name = String::from_utf8_lossy(source.name(symbol)).into_owned();
            error
                .within(format!("function \"{name}\""))
                .within(id::name(id::MODULE))
        };
        let Some(ty) = source.types.function_type(symbol.ty) else {
            let message = format!("a function of type {}, which is no function type", symbol.ty);
            return Err(within(ReadError::malformed(body.start, message)));
        };
        let parameters = ty.parameters.len() as u64;
        body::walk(
            around,
            source.stream.clone(),
            body,
            parameters,
            &mut record,
            &mut collector,
        )
        .map_err(within)?;
    }
    for constant in &source.constants.rows {
        graph.starts.push(graph.targets.len());
        for &value in source.constants.operands(constant) {
            graph.targets.push(check(value)?);
        }
    }
    graph.starts.push(graph.targets.len());
    Ok((graph, remarks))
}
