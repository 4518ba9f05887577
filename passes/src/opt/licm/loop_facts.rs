//! What happens in each loop: what it writes, whether it may be left unseen, which block it always gets to.

use crate::memory::alias::{ALL, Address, Bytes, Resolver, Root};
use crate::memory::private::PrivateSlots;
use crate::preheaders::can_have_preheader;
use frazil_ir::SymbolKind;
use frazil_ir::domtree::DomTree;
use frazil_ir::edit::Editor;
use frazil_ir::loops::LoopTree;
use frazil_ir::{Block, Effects, EntityRef, Function, InstData, Loop, MemFlags, Module, Opcode, Operand, OperandKind};

/// Stores that are remembered for a loop; with more, everything counts as written.
const MOST_STORES: u32 = 16;

/// The end of a list.
const NONE: u32 = u32::MAX;

/// An instruction that reads memory or may trap.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// What it reads; nothing for a division.
    read: Option<(Address, Bytes)>,
    /// Whether nobody writes what it reads.
    is_constant: bool,
    /// Whether it can be made anywhere.
    is_safe: bool,
}

impl Access {
    /// The access that an instruction makes.
    pub fn new(
        function: &Function,
        module: &Module,
        data: &InstData,
        private: &PrivateSlots,
        editor: &mut Editor,
    ) -> Access {
        if data.op != Opcode::Load {
            return Access {
                read: None,
                is_constant: true,
                is_safe: false,
            };
        }
        let address = resolve(function, module, data.a, private, editor);
        let bytes = function.types().store_bytes(data.ty, module.data_layout.pointer_bits);
        let (size, is_constant) = match address.index {
            None => object(function, module, address.base),
            Some(_) => (0, false),
        };
        let end = u64::try_from(address.offset)
            .ok()
            .and_then(|start| start.checked_add(bytes));
        Access {
            read: Some((address, bytes)),
            is_constant: is_constant || is_constant_data(module, address.root),
            is_safe: end.is_some_and(|end| end <= size),
        }
    }
}

fn resolve(
    function: &Function,
    module: &Module,
    pointer: Operand,
    private: &PrivateSlots,
    editor: &mut Editor,
) -> Address {
    let mut resolver = Resolver {
        module,
        private,
        editor,
    };
    resolver.address(function, pointer)
}

/// The size of the object that begins at an address, as far as it is known, and whether it is constant data.
fn object(function: &Function, module: &Module, base: Operand) -> (u64, bool) {
    match base.kind() {
        OperandKind::Value(value) => (
            function.slot_of(value).map_or(0, |slot| slot_size(function, slot)),
            false,
        ),
        OperandKind::Symbol(symbol) => match module.symbols.get(symbol).map(|data| (data.kind, data.linkage)) {
            Some((SymbolKind::Data(id), linkage)) if !linkage.is_weak() => {
                (module.data[id].size, module.data[id].constant)
            }
            _ => (0, false),
        },
        _ => (0, false),
    }
}

fn slot_size(function: &Function, slot: frazil_ir::SlotId) -> u64 {
    function.slots()[slot.index()].size
}

fn is_constant_data(module: &Module, root: Operand) -> bool {
    let symbol = (!root.is_none()).then(|| root.as_symbol()).flatten();
    match symbol
        .and_then(|symbol| module.symbols.get(symbol))
        .map(|data| data.kind)
    {
        Some(SymbolKind::Data(id)) => module.data[id].constant,
        _ => false,
    }
}

/// What happens in a loop, those in it included.
#[derive(Clone, Copy, Debug)]
struct LoopSummary {
    /// Whether anything may be written that private slots do not hold, and the loop be left in the middle of a block.
    is_opaque: bool,
    first_store: u32,
    stores: u32,
    /// A block that every iteration, and every exit, passes; the header, or one that dominates less.
    always: Block,
    is_innermost: bool,
    can_leave: bool,
}

/// The facts about all loops of a function.
#[derive(Debug, Default)]
pub struct LoopFacts {
    rows: Vec<LoopSummary>,
    /// Stores with the next one of the same loop.
    stores: Vec<(Address, Bytes, u32)>,
    returns_twice: bool,
}

impl LoopFacts {
    /// Finds them.
    pub fn compute(
        &mut self,
        function: &Function,
        module: &Module,
        loops: &LoopTree,
        tree: &DomTree,
        (private, editor): (&PrivateSlots, &mut Editor),
        returns_twice: bool,
    ) {
        self.returns_twice = returns_twice;
        self.rows.clear();
        self.stores.clear();
        for id in loops.loops() {
            let row = LoopSummary {
                is_opaque: false,
                first_store: NONE,
                stores: 0,
                always: loops.data(id).header,
                is_innermost: true,
                can_leave: can_have_preheader(function, loops, editor, id),
            };
            self.rows.push(row);
            if let Some(parent) = loops.data(id).parent {
                self.rows[parent.index()].is_innermost = false;
            }
        }
        for block in tree.reverse_postorder() {
            if let Some(id) = loops.innermost(block) {
                for data in &function.insts()[function.block_insts(block)] {
                    self.note(function, module, id, data, private, editor);
                }
            }
        }
        for id in loops.loops().rev() {
            if let Some(parent) = loops.data(id).parent {
                self.merge(id, parent);
            }
            if self.rows[id.index()].is_innermost {
                self.rows[id.index()].always = always(function, loops, tree, id);
            }
        }
    }

    /// Notes what an instruction does to its innermost loop.
    fn note(
        &mut self,
        function: &Function,
        module: &Module,
        id: Loop,
        data: &InstData,
        private: &PrivateSlots,
        editor: &mut Editor,
    ) {
        use Opcode as O;
        let is_plain = !MemFlags(data.flags).is_volatile();
        let (pointer, bytes) = match data.op {
            O::Store if is_plain => {
                let bytes = function.types().store_bytes(data.ty, module.data_layout.pointer_bits);
                (data.b, bytes)
            }
            O::MemSet | O::MemCopy | O::MemMove if is_plain => (data.a, ALL),
            O::Invoke => return self.rows[id.index()].is_opaque = true,
            _ => {
                let is_opaque = match data.op.effects() {
                    Effects::Any | Effects::Write => true,
                    Effects::Read => !is_plain,
                    _ => false,
                };
                self.rows[id.index()].is_opaque |= is_opaque;
                return;
            }
        };
        let address = resolve(function, module, pointer, private, editor);
        self.add(id, address, bytes);
    }

    fn add(&mut self, id: Loop, address: Address, bytes: Bytes) {
        let row = &mut self.rows[id.index()];
        row.stores += 1;
        if row.stores <= MOST_STORES {
            let next = std::mem::replace(&mut row.first_store, self.stores.len() as u32);
            self.stores.push((address, bytes, next));
        }
    }

    fn merge(&mut self, id: Loop, parent: Loop) {
        let row = self.rows[id.index()];
        self.rows[parent.index()].is_opaque |= row.is_opaque;
        if row.stores > MOST_STORES {
            self.rows[parent.index()].stores = row.stores;
            return;
        }
        let mut at = row.first_store;
        while at != NONE {
            let (address, bytes, next) = self.stores[at as usize];
            self.add(parent, address, bytes);
            at = next;
        }
    }

    /// Whether there is a place before the loop, or one can be made.
    pub fn can_leave(&self, id: Loop) -> bool {
        self.rows[id.index()].can_leave
    }

    /// Whether an access from `block` in the loop can be made once before it.
    pub fn allows(&self, tree: &DomTree, id: Loop, access: &Access, block: Block) -> bool {
        let row = &self.rows[id.index()];
        if let Some((address, bytes)) = &access.read
            && (self.returns_twice || !access.is_constant && self.may_write(row, address, *bytes))
        {
            return false;
        }
        let is_reached = !row.is_opaque && (block == row.always || tree.dominates(block, row.always));
        access.is_safe || is_reached
    }

    fn may_write(&self, row: &LoopSummary, address: &Address, bytes: Bytes) -> bool {
        if row.is_opaque && address.kind != Root::Private || row.stores > MOST_STORES {
            return true;
        }
        let mut at = row.first_store;
        while at != NONE {
            let (store, store_bytes, next) = &self.stores[at as usize];
            if address.may_overlap(bytes, store, *store_bytes) {
                return true;
            }
            at = *next;
        }
        false
    }
}

/// The last block on all paths from the header of a loop without inner ones that end a round or leave it.
fn always(function: &Function, loops: &LoopTree, tree: &DomTree, id: Loop) -> Block {
    let header = loops.data(id).header;
    if loops.data(id).irreducible {
        return header;
    }
    let mut found = None;
    let latches = function
        .predecessors(header)
        .iter()
        .copied()
        .filter(|&from| loops.contains(id, from));
    let exits = loops.exits(function.cfg(), id).map(|(from, _)| from);
    for end in latches.chain(exits) {
        let mut block = found.unwrap_or(end);
        while !tree.dominates(block, end) {
            match tree.parent(block) {
                Some(parent) => block = parent,
                None => return header,
            }
        }
        found = Some(block);
    }
    found.unwrap_or(header)
}
