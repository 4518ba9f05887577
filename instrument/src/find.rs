//! The places that the tables `[[insert]]` of a tool file mean.
//!
//! Method: one walk over the blocks and one over the instructions. The tables for single instructions are looked
//! through for each instruction by a mask of its opcode, so that a table for loads costs nothing at additions.

use crate::inserts::{Arg, Filters, Insert};
use crate::places::{Datum, Kind};
use crate::request::{HookArg, Instrumenter, Names, Place, Requests, View};
use crate::text::Side;
use frazil_ir::flags::{FlagKind, flag_kind};
use frazil_ir::opcode::ALL;
use frazil_ir::typing::{SlotType, slot_type};
use frazil_ir::{
    Block, CallFlags, EntityRef, Format, Function, Inst, InstData, MemFlags, Opcode, Operand, PassError, SlotData,
    Type, TypeData,
};

/// The tables of a tool file.
#[derive(Debug)]
pub(crate) struct Inserts {
    list: Vec<Insert>,
    /// Whether all places have records, also those of hooks that are not given them.
    records: bool,
    /// By opcode: the tables that may mean an instruction with it.
    by_opcode: Vec<Vec<usize>>,
}

impl Inserts {
    /// These tables.
    pub fn new(list: Vec<Insert>, records: bool) -> Inserts {
        let takes = |insert: &Insert, op| insert.kind.is_instruction() && insert.takes(op);
        let of_opcode = |&op: &Opcode| (0..list.len()).filter(|&number| takes(&list[number], op)).collect();
        Inserts {
            by_opcode: ALL.iter().map(of_opcode).collect(),
            list,
            records,
        }
    }
}

impl Instrumenter for Inserts {
    fn look(&self, view: &View<'_>, requests: &mut Requests) -> Result<(), PassError> {
        let name = view.name();
        let active: Vec<Active<'_>> = (self.list.iter())
            .map(|insert| Active {
                insert,
                is_here: insert.filters.takes_function(&name),
                sites: 0,
            })
            .collect();
        let mut finder = Finder {
            view,
            requests,
            active,
            records: self.records,
            args: Vec::new(),
        };
        finder.blocks()?;
        if !finder
            .active
            .iter()
            .any(|active| active.is_here && active.insert.kind.is_instruction())
        {
            return Ok(());
        }
        for block in view.function.block_ids() {
            for position in view.function.block_insts(block) {
                let data = &view.function.insts()[position];
                for &number in &self.by_opcode[data.op as usize] {
                    if finder.active[number].is_here {
                        finder.instruction(number, block, Inst::new(position), data)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn names(&self) -> Names {
        let wants = |datum| self.list.iter().any(|insert| insert.args.contains(&Arg::Datum(datum)));
        Names {
            functions: wants(Datum::FunctionName),
            files: wants(Datum::File),
            opcodes: wants(Datum::OpcodeName),
            records: self.records || wants(Datum::Counter) || wants(Datum::Record),
        }
    }
}

impl Insert {
    /// Whether an instruction with this opcode may be meant.
    fn takes(&self, op: Opcode) -> bool {
        self.kind.takes(op) && (self.filters.opcodes.is_empty() || self.filters.opcodes.contains(&op))
    }
}

impl Filters {
    fn takes_function(&self, name: &str) -> bool {
        let matches = self.functions.as_ref().is_none_or(|regex| regex.is_match(name));
        matches && !self.not_functions.as_ref().is_some_and(|regex| regex.is_match(name))
    }

    /// Whether the place in the source is one that is meant.
    fn takes_location(&self, view: &View<'_>, inst: Inst) -> bool {
        if let Some((first, last)) = self.lines
            && !view.line_of(inst).is_some_and(|line| (first..=last).contains(&line))
        {
            return false;
        }
        let name = || String::from_utf8_lossy(view.file_of(inst).unwrap_or_default());
        self.files.as_ref().is_none_or(|regex| regex.is_match(&name()))
    }
}

/// A table for the current function.
struct Active<'a> {
    insert: &'a Insert,
    /// Whether the function is one that it means.
    is_here: bool,
    /// Places so far.
    sites: u32,
}

/// What the data of a place are taken from.
#[derive(Clone, Copy)]
struct Site<'a> {
    place: Place,
    block: Block,
    /// The instruction that gives line and file, and the other data if it is the place.
    inst: Inst,
    from: Option<Block>,
    slot: Option<&'a SlotData>,
}

struct Finder<'a, 'v> {
    view: &'a View<'v>,
    requests: &'a mut Requests,
    active: Vec<Active<'a>>,
    records: bool,
    /// What a hook is given.
    args: Vec<HookArg>,
}

impl Finder<'_, '_> {
    /// Places that are no single instructions, and slots.
    fn blocks(&mut self) -> Result<(), PassError> {
        let f = self.view.function;
        let entry = Block::new(0);
        let start = |block: Block| Site {
            place: Place::Start(block),
            block,
            inst: first_of(f, block),
            from: None,
            slot: None,
        };
        for number in 0..self.active.len() {
            if !self.active[number].is_here {
                continue;
            }
            match self.active[number].insert.kind {
                Kind::FunctionEntry => self.ask(number, start(entry))?,
                Kind::FunctionExit => {
                    for block in f.block_ids() {
                        let inst = f.terminator(block);
                        if matches!(f.inst(inst).op, Opcode::Return | Opcode::Resume) {
                            let place = Place::Before(inst);
                            self.ask(
                                number,
                                Site {
                                    place,
                                    inst,
                                    ..start(block)
                                },
                            )?;
                        }
                    }
                }
                Kind::Block => {
                    for block in f.block_ids() {
                        self.ask(number, start(block))?;
                    }
                }
                Kind::Edge => {
                    for from in f.block_ids() {
                        for edge in f.cfg().successors(from) {
                            self.ask_edge(number, from, edge.target)?;
                        }
                    }
                }
                Kind::Line => {
                    for block in f.block_ids() {
                        self.ask_lines(number, block)?;
                    }
                }
                Kind::LoopIteration => {
                    for id in self.view.loops.loops() {
                        self.ask(number, start(self.view.loops.data(id).header))?;
                    }
                }
                Kind::LoopEntry => {
                    for id in self.view.loops.loops() {
                        let header = self.view.loops.data(id).header;
                        for &from in f.predecessors(header) {
                            if !self.view.loops.contains(id, from) {
                                self.ask_edge(number, from, header)?;
                            }
                        }
                    }
                }
                Kind::StackAllocation => {
                    for slot in f.slots() {
                        let sizes = &self.active[number].insert.filters.sizes;
                        if sizes.is_empty() || sizes.contains(&slot.size) {
                            self.ask(
                                number,
                                Site {
                                    slot: Some(slot),
                                    ..start(entry)
                                },
                            )?;
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Asks for a hook before each instruction of a block that comes from another line than the one before it. What
    /// comes from no line belongs to the line before.
    fn ask_lines(&mut self, number: usize, block: Block) -> Result<(), PassError> {
        let f = self.view.function;
        let mut last = None;
        for position in f.block_insts(block) {
            let inst = Inst::new(position);
            let line = self.view.line_of(inst);
            if matches!(f.inst(inst).op, Opcode::Phi | Opcode::Nop) || line.is_none() || line == last {
                continue;
            }
            last = line;
            let site = Site {
                place: Place::Before(inst),
                block,
                inst,
                from: None,
                slot: None,
            };
            self.ask(number, site)?;
        }
        Ok(())
    }

    fn ask_edge(&mut self, number: usize, from: Block, to: Block) -> Result<(), PassError> {
        let inst = self.view.function.terminator(from);
        let site = Site {
            place: Place::Edge(from, to),
            block: to,
            inst,
            from: Some(from),
            slot: None,
        };
        self.ask(number, site)
    }

    fn instruction(&mut self, number: usize, block: Block, inst: Inst, data: &InstData) -> Result<(), PassError> {
        let insert = self.active[number].insert;
        if !self.takes(insert, inst, data) {
            return Ok(());
        }
        let place = match insert.side {
            Side::Before => Place::Before(inst),
            Side::After if data.op == Opcode::Invoke => Place::After(inst),
            // Of what ends a block, there is only a before.
            Side::After if data.op.is_terminator() => Place::Before(inst),
            Side::After => Place::After(inst),
        };
        let site = Site {
            place,
            block,
            inst,
            from: None,
            slot: None,
        };
        self.ask(number, site)
    }

    /// Whether the filters on instructions take one.
    fn takes(&self, insert: &Insert, inst: Inst, data: &InstData) -> bool {
        let f = self.view.function;
        if matches!(insert.kind, Kind::Call | Kind::IndirectCall) {
            let flags = CallFlags::from_bits_retain(data.flags);
            if flags.intersects(CallFlags::INLINE_ASM | CallFlags::INTRINSIC) {
                return false;
            }
            if insert.kind == Kind::IndirectCall && data.a.as_symbol().is_some() {
                return false;
            }
            if let Some(callees) = &insert.filters.callees {
                let name = data.a.as_symbol().map(|symbol| self.view.module.display_name(symbol));
                if !name.is_some_and(|name| callees.is_match(&name)) {
                    return false;
                }
            }
        }
        let flags = insert.filters.flags;
        if flags != 0 && (!matches!(flag_kind(data.op), FlagKind::Int(_)) || data.flags & flags != flags) {
            return false;
        }
        let bits = &insert.filters.bits;
        if !bits.is_empty() && !f.types().int_bits(data.ty).is_some_and(|width| bits.contains(&width)) {
            return false;
        }
        let sizes = &insert.filters.sizes;
        if !sizes.is_empty() && !size_of(self.view, inst, data).is_some_and(|size| sizes.contains(&size)) {
            return false;
        }
        let spaces = &insert.filters.address_spaces;
        if spaces.is_empty() {
            return true;
        }
        let ty = address_of(data)
            .and_then(|operand| f.operand_type(operand))
            .unwrap_or(Type::PTR);
        matches!(f.types().data(ty), TypeData::Ptr(space) if spaces.contains(&space))
    }

    /// Asks for the hook of a table at a place.
    fn ask(&mut self, number: usize, site: Site<'_>) -> Result<(), PassError> {
        let insert = self.active[number].insert;
        if !insert.filters.takes_location(self.view, site.inst) {
            return Ok(());
        }
        let count = self.active[number].sites;
        self.active[number].sites += 1;
        let wants = |datum| insert.args.contains(&Arg::Datum(datum));
        let own = match self.records || wants(Datum::Counter) || wants(Datum::Record) {
            true => self.view.record(self.requests, insert.kind, site.inst, site.block),
            false => None,
        };
        let nothing = HookArg::Value(Operand::ZERO, Type::PTR);
        let (counter, record) = own.unwrap_or((nothing, nothing));
        let mut args = std::mem::take(&mut self.args);
        args.clear();
        for arg in &insert.args {
            args.push(match *arg {
                Arg::Datum(Datum::Counter) => counter,
                Arg::Datum(Datum::Record) => record,
                Arg::Int(number) => HookArg::Int(number),
                Arg::Text(text) => self.view.text(text),
                Arg::Datum(datum) => self.datum(datum, insert, &site, count)?,
            });
        }
        match insert.follows {
            true => self.requests.call_that_follows(site.place, insert.hook, &args),
            false => self.requests.call(site.place, insert.hook, &args),
        }
        self.args = args;
        Ok(())
    }

    fn datum(&self, datum: Datum, insert: &Insert, site: &Site<'_>, count: u32) -> Result<HookArg, PassError> {
        let (view, f) = (self.view, self.view.function);
        let data = f.inst(site.inst);
        let number = |number: usize| HookArg::Int(number as i128);
        let missing = || {
            PassError::new(format!(
                "a hook at a `{}` is given `{}`, which this `{}` does not have: choose other places by filters, as \
                 `callees` or `opcodes`",
                insert.kind.word(),
                datum.word(),
                data.op.name()
            ))
        };
        Ok(match datum {
            Datum::Function => number(view.id.index()),
            Datum::Counter | Datum::Record => return Err(missing()),
            Datum::FunctionName => view.function_name(),
            Datum::Site => HookArg::Int(i128::from(count)),
            Datum::Line => HookArg::Int(i128::from(view.line_of(site.inst).unwrap_or(0))),
            Datum::File => view.file_name(site.inst),
            Datum::Block => number(site.block.index()),
            Datum::Instructions => number(instructions_of(f, site.block)),
            Datum::From => number(site.from.map_or(0, EntityRef::index)),
            Datum::To => number(site.block.index()),
            Datum::Opcode => number(data.op as usize),
            Datum::OpcodeName => view.opcode_name(data.op),
            Datum::Size => match (site.slot, data.op) {
                (Some(slot), _) => HookArg::Int(i128::from(slot.size)),
                (None, Opcode::StackAlloc) => HookArg::Value(data.a, Type::I64),
                _ => HookArg::Int(i128::from(size_of(view, site.inst, data).unwrap_or(0))),
            },
            Datum::Alignment => {
                let log2 = site
                    .slot
                    .map_or(MemFlags(data.flags).align_log2(), |slot| u32::from(slot.align_log2));
                HookArg::Int(1 << log2)
            }
            Datum::Address => match (site.slot, data.op) {
                (Some(slot), _) => HookArg::Value(Operand::value(slot.address), Type::PTR),
                (None, Opcode::StackAlloc) => HookArg::Value(result_of(data).ok_or_else(missing)?, Type::PTR),
                (None, Opcode::Fence) => HookArg::Value(Operand::ZERO, Type::PTR),
                _ => self.pointer(address_of(data).ok_or_else(missing)?),
            },
            Datum::Source => match data.op {
                Opcode::MemSet | Opcode::SpaceSet => HookArg::Value(Operand::ZERO, Type::PTR),
                _ => self.pointer(f.ternary(data).0),
            },
            Datum::Length => HookArg::Value(f.ternary(data).1, data.ty),
            Datum::Value => self.value(insert.kind, data).ok_or_else(missing)?,
            Datum::Condition => HookArg::Value(data.a, Type::I1),
            Datum::Callee => HookArg::Value(data.a, Type::PTR),
            Datum::ArgumentCount if insert.kind == Kind::FunctionEntry => number(f.param_count()),
            Datum::ArgumentCount => number(f.call(data).args.len()),
            Datum::Bits => {
                let bits = view.module.data_layout.pointer_bits;
                HookArg::Int(i128::from(f.types().bits(data.ty, bits)))
            }
            Datum::Operand(index) => {
                let is_plain = matches!(data.op.format(), Format::Unary | Format::Binary | Format::Ternary)
                    && data.op.effects() != frazil_ir::Effects::Any;
                let (mut slot, mut found) = (0, None);
                f.for_each_operand(data, |operand| {
                    if slot == index {
                        found = Some(operand);
                    }
                    slot += 1;
                });
                let operand = found.filter(|_| is_plain).ok_or_else(missing)?;
                let bits = view.module.data_layout.pointer_bits;
                let ty = match f.operand_type(operand) {
                    Some(ty) => ty,
                    None => match slot_type(f, data, index as usize, bits) {
                        SlotType::Exact(ty) => ty,
                        SlotType::Condition => Type::I1,
                        _ => Type::I64,
                    },
                };
                HookArg::Value(operand, ty)
            }
            Datum::Result => {
                let value = data
                    .first_result()
                    .filter(|_| f.result_count(data) > 0)
                    .ok_or_else(missing)?;
                HookArg::Value(Operand::value(value), f.value(value).ty)
            }
            Datum::Argument(index) if insert.kind == Kind::FunctionEntry => {
                let param = f.signature().params.get(index as usize).ok_or_else(missing)?;
                HookArg::Value(Operand::value(frazil_ir::Value::new(index as usize)), param.ty)
            }
            Datum::Argument(index) => {
                let call = f.call(data);
                let (&operand, param) = (call.args.get(index as usize))
                    .zip(f.sig(call.sig).params.get(index as usize))
                    .ok_or_else(missing)?;
                HookArg::Value(operand, param.ty)
            }
        })
    }

    fn pointer(&self, operand: Operand) -> HookArg {
        let ty = self.view.function.operand_type(operand).unwrap_or(Type::PTR);
        HookArg::Value(operand, ty)
    }

    fn value(&self, kind: Kind, data: &InstData) -> Option<HookArg> {
        let f = self.view.function;
        match kind {
            Kind::Load => Some(HookArg::Value(result_of(data)?, data.ty)),
            Kind::Store | Kind::Switch => Some(HookArg::Value(data.a, data.ty)),
            _ if data.op == Opcode::Return => {
                let operand = f.list(data).first()?;
                Some(HookArg::Value(*operand, f.signature().returns.first()?.ty))
            }
            _ => None,
        }
    }
}

/// The first instruction of a block that is no phi.
fn first_of(f: &Function, block: Block) -> Inst {
    let range = f.block_insts(block);
    let mut positions = range.filter(|&position| f.insts()[position].op != Opcode::Phi);
    Inst::new(positions.next().expect("a block ends with its terminator"))
}

/// How many instructions a block has that are counted: no phis, no hooks.
fn instructions_of(f: &Function, block: Block) -> usize {
    let insts = &f.insts()[f.block_insts(block)];
    insts.iter().filter(|data| Kind::Instruction.takes(data.op)).count()
}

fn result_of(data: &InstData) -> Option<Operand> {
    data.first_result().map(Operand::value)
}

/// The address that an instruction accesses.
fn address_of(data: &InstData) -> Option<Operand> {
    use Opcode as O;
    match data.op {
        O::Load | O::AtomicLoad | O::SpaceLoad => Some(data.a),
        O::Store | O::AtomicStore | O::SpaceStore => Some(data.b),
        O::AtomicRmw | O::Cmpxchg | O::SpaceRmw | O::SpaceCmpxchg => Some(data.a),
        O::MemCopy | O::MemMove | O::MemSet | O::SpaceCopy | O::SpaceSet => Some(data.a),
        _ => None,
    }
}

/// The bytes that an instruction accesses or allocates, if that is known when the program is compiled.
fn size_of(view: &View<'_>, _: Inst, data: &InstData) -> Option<u64> {
    match data.op {
        Opcode::Fence => None,
        Opcode::StackAlloc => data.a.as_imm().and_then(|size| u64::try_from(size).ok()),
        _ => {
            let bits = view.module.data_layout.pointer_bits;
            Some(view.function.types().store_bytes(data.ty, bits))
        }
    }
}
