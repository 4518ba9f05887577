//! What becomes of each hook of a function, and the additions that some of them are.

use crate::bind::{Bound, BoundHook};
use crate::decide::Way;
use crate::known::Known;
use crate::merge::{Cell, Gathered, Update};
use crate::splice::site;
use frazil_ir::pass::PassError;
use frazil_ir::{ConstView, EntityRef, Function, Inst, InstData, Opcode, Operand, SymbolId, Type};
use frazil_support::FxHashSet;

/// What becomes of the hook at an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// It is an addition, which is made elsewhere.
    Sum,
    Whole,
    Fast,
    Call,
}

/// The plans of a function.
#[derive(Debug, Default)]
pub(crate) struct Plans {
    /// In the order of the hooks.
    pub list: Vec<Plan>,
    pub gathered: Gathered,
    /// By block: whether it has calls, or hooks that are no additions.
    pub is_busy: Vec<bool>,
    /// By block: whether it may be divided by what is inlined.
    pub is_divided: Vec<bool>,
    /// Addresses that hooks are given which are no additions.
    pub given: FxHashSet<(SymbolId, i64)>,
}

impl Plans {
    /// Forgets everything and begins with a function of so many blocks.
    pub fn clear(&mut self, blocks: usize) {
        self.list.clear();
        self.gathered.clear();
        self.given.clear();
        for flags in [&mut self.is_busy, &mut self.is_divided] {
            flags.clear();
            flags.resize(blocks, false);
        }
    }

    /// Makes the plans. `known` says what is known of the hook that an instruction calls.
    pub fn make<'k>(
        &mut self,
        f: &Function,
        bound: Option<&'k Bound>,
        merges: bool,
        mut known: impl FnMut(&InstData) -> Result<Option<(&'k BoundHook, &'k Known)>, PassError>,
    ) -> Result<(), PassError> {
        let mut summed: FxHashSet<SymbolId> = FxHashSet::default();
        let mut seen: Vec<Operand> = Vec::new();
        for data in f.insts().iter().filter(|data| data.op.is_hook_call()) {
            if seen.contains(&data.a) {
                continue;
            }
            seen.push(data.a);
            if let (Some((hook, known)), Some(bound)) = (known(data)?, bound)
                && let Some(analysis) = known.analysis.as_ref().filter(|analysis| analysis.addition.is_some())
            {
                let symbols = analysis.facts.symbols.iter();
                summed.extend(symbols.map(|symbol| bound.parts[hook.tool].symbols[symbol.index()]));
            }
        }
        let derives = bound.is_some_and(|bound| bound.tools.all().iter().any(|tool| tool.derive));
        for block in f.block_ids() {
            let range = f.block_insts(block);
            self.gathered.begin_part(block, Inst::new(range.end - 1));
            for position in range {
                let data = &f.insts()[position];
                let inst = Inst::new(position);
                if !data.op.is_hook_call() {
                    if may_look_at_sums(data) {
                        self.is_busy[block.index()] = true;
                        self.end_part(f, inst);
                    }
                    continue;
                }
                let hook = known(data)?;
                let addition = hook.filter(|_| merges).and_then(|row| addition(f, bound, data, row));
                if let Some((cell, amount)) = addition {
                    self.gathered.add(cell, amount);
                    self.gathered.parts.last_mut().expect("it has begun").anchor = inst;
                    self.list.push(Plan::Sum);
                    continue;
                }
                if derives {
                    self.note_given(f, data);
                }
                self.is_busy[block.index()] = true;
                let plan = match hook.map(|(_, known)| known.way) {
                    Some(Way::Inlined) => Plan::Whole,
                    Some(Way::Partially) => Plan::Fast,
                    Some(Way::Called) | None => Plan::Call,
                };
                self.is_divided[block.index()] |= plan != Plan::Call;
                self.list.push(plan);
                if hook.is_none_or(|row| looks_at(bound, row, &summed)) {
                    self.end_part(f, inst);
                }
            }
        }
        Ok(())
    }

    /// A call ends what can be summed up before it. After a terminator, there is nothing.
    fn end_part(&mut self, f: &Function, at: Inst) {
        let gathered = &mut self.gathered;
        let part = gathered.parts.last_mut().expect("each block has a part");
        let block = part.block;
        let end = Inst::new(f.block_insts(block).end - 1);
        if at == end {
            return;
        }
        // The place is the last addition's, or that of the call.
        if part.anchor == end {
            part.anchor = at;
        }
        gathered.begin_part(block, end);
    }

    /// Divides updates in those of numbers of a symbol that can be derived, all of the same kind, and others.
    pub fn derivable(&self, symbol: SymbolId, updates: Vec<Update>) -> (Vec<Update>, Vec<Update>) {
        let mut count = vec![0; self.gathered.cells.len()];
        updates.iter().for_each(|update| count[update.cell as usize] += 1);
        let mut like = None;
        updates.into_iter().partition(|update| {
            let cell = self.gathered.cells[update.cell as usize];
            let is_plain = cell.address.symbol == symbol
                && cell.access.0 == Type::I64
                && count[update.cell as usize] == 1
                && update.amount == 1
                && !self.given.contains(&(symbol, cell.address.addend));
            is_plain && *like.get_or_insert(cell.access) == cell.access
        })
    }

    fn note_given(&mut self, f: &Function, data: &InstData) {
        for operand in f.call(data).args {
            if let Some(symbol) = operand.as_symbol() {
                self.given.insert((symbol, 0));
            } else if let Some(id) = operand.as_const()
                && let ConstView::Symbol(symbol, addend) = f.constant(id).1
            {
                self.given.insert((symbol, addend));
            }
        }
    }
}

/// The addition that a hook is for what it is given.
fn addition(
    f: &Function,
    bound: Option<&Bound>,
    data: &InstData,
    (hook, known): (&BoundHook, &Known),
) -> Option<(Cell, i128)> {
    let analysis = known.analysis.as_ref()?;
    let addition = analysis.addition?;
    let symbols = &bound?.parts[hook.tool].symbols;
    let body = &analysis.body;
    let site = site(f, f.call(data).args, symbols);
    let address = site.address(body, addition.address, 0)?;
    let amount = site.number(body, addition.amount, 0)?;
    let access = body.inst(addition.access);
    let cell = Cell {
        address,
        access: (addition.ty, access.flags, access.op),
    };
    Some((cell, amount))
}

/// Whether a hook that is no addition may look at numbers that others add to.
fn looks_at(bound: Option<&Bound>, (hook, known): (&BoundHook, &Known), summed: &FxHashSet<SymbolId>) -> bool {
    let (Some(bound), Some(analysis)) = (bound, &known.analysis) else {
        return true;
    };
    let facts = &analysis.facts;
    let symbols = &bound.parts[hook.tool].symbols;
    let mut named = facts.symbols.iter().map(|symbol| symbols[symbol.index()]);
    facts.calls > 0 || facts.has_unknown_accesses || named.any(|symbol| summed.contains(&symbol))
}

/// Whether a counter that is not up to date may be seen during an instruction, or never be brought up to date after it.
fn may_look_at_sums(data: &InstData) -> bool {
    use Opcode as O;
    matches!(
        data.op,
        O::Call | O::Invoke | O::Trap | O::Debugtrap | O::SjljSetjmp | O::SjljLongjmp
    )
}
