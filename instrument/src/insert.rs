//! Puts calls of the hooks of tools in where tools ask for them.
//!
//! ```text
//! b0:                                          b0:
//!   v1 = load i32 v0                             hook_call @on_load(v0) : (ptr)
//!   branch v2, b1, b2                   ->       v1 = load i32 v0
//! b1:                                            branch v2, b1, b2
//!   return v1                                  b1:
//!                                                hook_call @on_block(1) : (i32)
//!                                                return v1
//! ```
//!
//! Method: all tools look at the function as it is and ask; then everything is put in by one batch of edits. A hook on
//! an edge goes to the end of the block that it comes from, or to the start of the one that it leads to, if there is no
//! other edge there; else it gets a block of its own. Where that cannot be (edges to landing pads, and of indirect
//! jumps), the hooks of all edges to the block become one at its start, whose arguments are phis.
//!
//! Right before a return, a call that must be a jump to its callee stays where it is: hooks between the two go before
//! it. Naked functions are left alone.
//!
//! Costs: one walk for each tool that asks for instructions, one commit. Without tools, nothing.

use crate::bind::Bound;
use crate::records;
use crate::request::{HookArg, Place, Request, Requests, View};
use crate::text::When;
use frazil_ir::loops::LoopTree;
use frazil_ir::module::SymbolKind;
use frazil_ir::pass::{FunctionPass, Level, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::{
    Block, CallFlags, ConstView, Editor, EntityRef, Function, Inst, InstData, Opcode, Operand, Param, SigId, Type,
    TypeData,
};
use frazil_passes::constants::{int_value, low_mask, sign_extended, zero_extended};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::PoisonError;

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "instrument",
    summary: "calls the hooks of tools where they ask for it",
    level: Level::Function,
    required: true,
    after: &[],
    before: &[],
};

/// What can be set.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// Of which tools hooks are put in.
    pub when: When,
}

/// Puts hooks of tools in.
#[derive(Debug)]
pub struct Instrument {
    options: Options,
}

/// Makes the pass for one step of a recipe, as the registry asks for it.
pub fn make(options: Options) -> Instrument {
    Instrument { options }
}

impl FunctionPass for Instrument {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        let module = cx.module;
        let Some(bound) = Bound::of(module) else {
            return Ok(Preserved::unchanged());
        };
        let SymbolKind::Function(id) = module.symbols[cx.head.symbol].kind else {
            return Ok(Preserved::unchanged());
        };
        if cx.head.naked {
            return Ok(Preserved::unchanged());
        }
        let mut state: Box<State> = cx.take_scratch();
        state.requests.clear();
        let mut data = Vec::new();
        for (index, tool) in bound.tools.all().iter().enumerate() {
            if tool.when != self.options.when {
                continue;
            }
            let view = View {
                function,
                module,
                head: cx.head,
                id,
                loops: cx.analyses.get::<LoopTree>(function),
                texts: &bound.texts,
                tool: index,
                own: bound.own(index, id),
            };
            let own = view.own;
            state.requests.first_hook = bound.parts[index].first_hook;
            tool.instrumenter.look(&view, &mut state.requests)?;
            let rows = std::mem::take(&mut state.requests.rows);
            if let Some(own) = own.filter(|_| !rows.is_empty()) {
                let address_bytes = (module.data_layout.pointer_bits / 8) as u8;
                data.extend(records::data(
                    &tool.name,
                    own,
                    &rows,
                    bound.texts.function(id),
                    address_bytes,
                ));
            }
            if tool.sites && !rows.is_empty() {
                let mut sites = bound.sites.lock().unwrap_or_else(PoisonError::into_inner);
                sites.push((index, id, rows));
            }
        }
        let count = state.requests.list.len() as u64;
        let mut preserved = Preserved::unchanged();
        if count > 0 {
            let mut editor: Box<Editor> = cx.take_scratch();
            editor.begin(function);
            let mut putter = Putter {
                function,
                editor: &mut editor,
                bound,
                pointer_bits: module.data_layout.pointer_bits,
                signatures: vec![None; bound.hooks.len()],
                words: Vec::new(),
            };
            putter.put(&state.requests)?;
            editor.commit(function);
            cx.return_scratch(editor);
            preserved = Preserved::none();
        }
        if !data.is_empty() {
            function.attachments.get_or_insert_default().data.extend(data);
        }
        cx.return_scratch(state);
        cx.count("hooks put in", count);
        Ok(preserved)
    }
}

/// Memory of the pass.
#[derive(Debug, Default)]
struct State {
    requests: Requests,
}

/// Where instructions are queued.
#[derive(Clone, Copy, Debug)]
enum Spot {
    Before(Inst),
    Start(Block),
    End(Block),
}

/// What puts hooks into a function.
struct Putter<'a> {
    function: &'a mut Function,
    editor: &'a mut Editor,
    bound: &'a Bound,
    pointer_bits: u32,
    /// The signatures of hooks in the function.
    signatures: Vec<Option<SigId>>,
    /// The operands of the call that is made.
    words: Vec<Operand>,
}

/// The words of a call before its arguments: how many these are, and the signature.
const CALL_WORDS: usize = 2;

impl<'a> Putter<'a> {
    fn put(&mut self, requests: &Requests) -> Result<(), PassError> {
        let mut order: Vec<(u32, u8, usize)> = Vec::new();
        let mut edges: Vec<(Block, Block, usize)> = Vec::new();
        for (index, request) in requests.list.iter().enumerate() {
            let (position, rank) = match request.place {
                Place::Start(block) => (self.head_end(block), 0),
                Place::After(inst) if self.function.inst(inst).op == Opcode::Invoke => {
                    let (normal, _) = self.function.invoke_targets(self.function.inst(inst));
                    edges.push((self.function.block_of(inst), normal, index));
                    continue;
                }
                Place::After(inst) => (inst.as_u32() + 1, 1),
                Place::Before(inst) => (inst.as_u32(), 2),
                Place::Edge(from, to) => {
                    edges.push((from, to, index));
                    continue;
                }
            };
            order.push((position, rank, index));
        }
        // What is asked for first at a place comes first there.
        order.sort_unstable();
        for (position, rank, index) in order {
            let request = &requests.list[index];
            let spot = match (rank, request.place) {
                (0, Place::Start(block)) => Spot::Start(block),
                _ => self.spot_before(Inst::new(position as usize)),
            };
            self.call(spot, request, requests.args_of(request))?;
        }
        edges.sort_by_key(|&(from, to, index)| (from, to, index));
        self.put_edges(requests, &edges)
    }

    /// The position of the first instruction of a block after phis and landing pad.
    fn head_end(&self, block: Block) -> u32 {
        let range = self.function.block_insts(block);
        let is_head = |op: Opcode| matches!(op, Opcode::Phi | Opcode::LandingPad);
        let mut positions = range.filter(|&position| !is_head(self.function.insts()[position].op));
        positions.next().expect("a block ends with its terminator") as u32
    }

    /// The place before an instruction, where nothing must stand between it and the one before it.
    fn spot_before(&self, inst: Inst) -> Spot {
        let insts = self.function.insts();
        let data = &insts[inst.index()];
        match data.op {
            Opcode::LandingPad => Spot::Start(self.function.block_of(inst)),
            Opcode::Return if inst.index() > 0 => {
                let start = self.function.block_insts(self.function.block_of(inst)).start;
                let before = (start..inst.index())
                    .rev()
                    .find(|&position| insts[position].op != Opcode::Nop);
                let jump = before.filter(|&position| is_jump_to_callee(&insts[position]));
                Spot::Before(jump.map_or(inst, Inst::new))
            }
            _ => Spot::Before(inst),
        }
    }

    fn put_edges(&mut self, requests: &Requests, edges: &[(Block, Block, usize)]) -> Result<(), PassError> {
        // The blocks with edges that have no place of their own, and how many hooks all edges to them share.
        let mut joined: Vec<(Block, Vec<usize>)> = Vec::new();
        let mut next = 0;
        while let Some(&(from, to, _)) = edges.get(next) {
            let end = next + edges[next..].partition_point(|edge| (edge.0, edge.1) == (from, to));
            let mut these: Vec<usize> = edges[next..end].iter().map(|edge| edge.2).collect();
            next = end;
            let edge_count = self.function.predecessors(to).len();
            if edge_count > 1 && self.has_stubborn_edge(to) {
                if !joined.iter().any(|row| row.0 == to) {
                    joined.push((to, self.shared(requests, edges, to)));
                }
                let shared = &joined.iter().find(|row| row.0 == to).expect("it is there now").1;
                take_shared(requests, shared, &mut these);
            }
            if these.is_empty() {
                continue;
            }
            let spot = if self.leads_there_alone(from) {
                self.spot_before(self.function.terminator(from))
            } else if edge_count == 1 {
                Spot::Start(to)
            } else if self.editor.can_split_edge(self.function, from, to) {
                Spot::End(self.editor.new_block_on_edge(self.function, from, to))
            } else {
                return Err(PassError::new(format!(
                    "a hook on the edge from block {} to block {}, which cannot have a block of its own, and not on all \
                     others to it: it comes from an indirect jump or leads to a landing pad",
                    from.index(),
                    to.index()
                )));
            };
            for index in these {
                let request = &requests.list[index];
                self.call(spot, request, requests.args_of(request))?;
            }
        }
        for (to, shared) in joined {
            self.join_edges(requests, edges, (to, &shared))?;
        }
        Ok(())
    }

    /// Whether what stands before a block's terminator is executed as often as its only edge.
    fn leads_there_alone(&self, from: Block) -> bool {
        let f = &*self.function;
        f.cfg().successors(from).len() == 1 && f.inst(f.terminator(from)).op != Opcode::Invoke
    }

    /// Whether an edge to a block can have no place of its own.
    fn has_stubborn_edge(&self, to: Block) -> bool {
        let f = &*self.function;
        f.predecessors(to)
            .iter()
            .any(|&from| !self.leads_there_alone(from) && !self.editor.can_split_edge(f, from, to))
    }

    /// The requests on the edges to a block, by predecessor.
    fn columns(&self, edges: &[(Block, Block, usize)], to: Block) -> Vec<Vec<usize>> {
        let of_edge = |&from: &Block| {
            let these = edges.iter().filter(|edge| (edge.0, edge.1) == (from, to));
            these.map(|edge| edge.2).collect()
        };
        self.function.predecessors(to).iter().map(of_edge).collect()
    }

    /// The hooks that all edges to a block have, each as often as all have it.
    fn shared(&self, requests: &Requests, edges: &[(Block, Block, usize)], to: Block) -> Vec<usize> {
        let columns = self.columns(edges, to);
        let hooks =
            |column: &[usize]| -> Vec<usize> { column.iter().map(|&index| requests.list[index].hook).collect() };
        let mut shared = hooks(&columns[0]);
        for column in &columns[1..] {
            let mut others = hooks(column);
            shared.retain(|hook| match others.iter().position(|other| other == hook) {
                Some(place) => {
                    others.remove(place);
                    true
                }
                None => false,
            });
        }
        shared
    }

    /// Makes one hook at the start of a block of each that all edges to it share.
    fn join_edges(
        &mut self,
        requests: &Requests,
        edges: &[(Block, Block, usize)],
        (to, shared): (Block, &[usize]),
    ) -> Result<(), PassError> {
        let predecessors = self.function.predecessors(to).to_vec();
        let mut columns = self.columns(edges, to);
        for column in &mut columns {
            *column = take_shared(requests, shared, column);
        }
        for number in 0..shared.len() {
            let request = requests.list[columns[0][number]];
            let mut operands = vec![Operand::NONE; CALL_WORDS];
            for (index, param) in self.params(&request).iter().enumerate() {
                let ty = param.ty;
                let mut values = Vec::new();
                for (column, &from) in columns.iter().zip(&predecessors) {
                    let arg = requests.args_of(&requests.list[column[number]])[index];
                    let spot = self.spot_before(self.function.terminator(from));
                    values.push(self.converted(spot, arg, ty)?);
                }
                let same = values.iter().all(|&operand| operand == values[0]);
                operands.push(match same {
                    true => values[0],
                    false => Operand::value(self.editor.insert_phi(self.function, to, ty, &values)),
                });
            }
            self.call_with(Spot::Start(to), &request, &mut operands);
        }
        Ok(())
    }

    /// The parameters of the hook that is asked for.
    fn params(&self, request: &Request) -> &'a [Param] {
        let bound: &'a Bound = self.bound;
        let hook = &bound.hooks[request.hook];
        &bound.tools.all()[hook.tool].hooks[hook.number].signature.params
    }

    fn call(&mut self, spot: Spot, request: &Request, args: &[HookArg]) -> Result<(), PassError> {
        let params = self.params(request);
        if params.len() != args.len() {
            return Err(PassError::new(format!(
                "a hook with {} parameters is given {} arguments",
                params.len(),
                args.len()
            )));
        }
        let mut operands = std::mem::take(&mut self.words);
        operands.clear();
        operands.extend([Operand::NONE; CALL_WORDS]);
        for (&arg, param) in args.iter().zip(params) {
            operands.push(self.converted(spot, arg, param.ty)?);
        }
        self.call_with(spot, request, &mut operands);
        self.words = operands;
        Ok(())
    }

    /// Calls a hook; the first words are those of the call, the operands come after them.
    fn call_with(&mut self, spot: Spot, request: &Request, words: &mut [Operand]) {
        let hook = self.bound.hooks[request.hook];
        let tool = &self.bound.tools.all()[hook.tool];
        let sig = match self.signatures[request.hook] {
            Some(sig) => sig,
            None => {
                let sig = self.function.push_sig(tool.hooks[hook.number].signature.clone());
                self.signatures[request.hook] = Some(sig);
                sig
            }
        };
        words[0] = Operand::raw((words.len() - CALL_WORDS) as u32);
        words[1] = Operand::raw(sig.as_u32());
        let start = self.function.push_pool(words);
        let op = match tool.reads {
            true => Opcode::ReadingHookCall,
            false => Opcode::HookCall,
        };
        let mut flags = CallFlags::NO_UNWIND;
        if request.follows {
            self.function.note_following_hooks();
            flags |= match request.place {
                Place::After(_) => CallFlags::FOLLOWS_PREVIOUS,
                _ => CallFlags::FOLLOWS_NEXT,
            };
        }
        let callee = Operand::symbol(hook.symbol);
        self.queue(
            spot,
            InstData::new(op, Type::VOID, flags.bits(), callee, Operand::raw(start)),
            None,
        );
    }

    fn queue(&mut self, spot: Spot, data: InstData, result: Option<Type>) -> Option<frazil_ir::Value> {
        match spot {
            Spot::Before(inst) => self.editor.insert_before(self.function, inst, data, result),
            Spot::Start(block) => self.editor.insert_after_phis(self.function, block, data, result),
            Spot::End(block) => self.editor.insert_at_end(self.function, block, data, result),
        }
    }

    fn cast(&mut self, spot: Spot, op: Opcode, ty: Type, operand: Operand) -> Operand {
        let data = InstData::new(op, ty, 0, operand, Operand::NONE);
        Operand::value(self.queue(spot, data, Some(ty)).expect("a cast has a result"))
    }

    /// What a hook is given, as a value of its parameter's type.
    fn converted(&mut self, spot: Spot, arg: HookArg, ty: Type) -> Result<Operand, PassError> {
        let (operand, from) = match arg {
            HookArg::Int(number) => {
                let bits = self.function.types().int_bits(ty).unwrap_or(64);
                return Ok(self.function.int_operand(ty, sign_extended(number, bits)));
            }
            HookArg::Symbol(symbol) | HookArg::Inside(symbol, 0) => (Operand::symbol(symbol), Type::PTR),
            HookArg::Inside(symbol, bytes) => {
                let constant = self.function.push_symbol_const(Type::PTR, symbol, bytes);
                (Operand::constant(constant), Type::PTR)
            }
            HookArg::Value(operand, from) => (operand, from),
        };
        if from == ty {
            return Ok(operand);
        }
        let types = self.function.types();
        let wanted = match types.data(ty) {
            TypeData::Int(bits) => bits,
            TypeData::Ptr(_) => self.pointer_bits,
            _ => return Err(self.unfit(from)),
        };
        // A constant that is no typed one is a number.
        if let (Some(number), TypeData::Int(bits)) = (int_value(self.function, operand), types.data(from))
            && bits <= 128
        {
            let number = zero_extended(number, bits).cast_signed();
            return Ok(self
                .function
                .int_operand(ty, sign_extended(number & low_mask(wanted).cast_signed(), wanted)));
        }
        let (number, bits) = match types.data(from) {
            TypeData::Int(bits) => (operand, bits),
            TypeData::Ptr(_) if operand.as_imm().is_some() || self.is_number(operand) => {
                let number = int_value(self.function, operand).unwrap_or(0);
                return Ok(self.function.int_operand(ty, sign_extended(number, wanted)));
            }
            TypeData::Ptr(_) => {
                let bits = self.pointer_bits;
                let int = Type::primitive_int(bits).unwrap_or(Type::I64);
                (self.cast(spot, Opcode::Ptrtoint, int, operand), bits)
            }
            TypeData::F32 => (self.cast(spot, Opcode::Bitcast, Type::I32, operand), 32),
            TypeData::F64 => (self.cast(spot, Opcode::Bitcast, Type::I64, operand), 64),
            TypeData::F16 | TypeData::BF16 => (self.cast(spot, Opcode::Bitcast, Type::I16, operand), 16),
            _ => return Err(self.unfit(from)),
        };
        let int = Type::primitive_int(wanted).unwrap_or(Type::I64);
        let number = match bits.cmp(&wanted) {
            std::cmp::Ordering::Less => self.cast(spot, Opcode::Zext, int, number),
            std::cmp::Ordering::Equal => number,
            std::cmp::Ordering::Greater => self.cast(spot, Opcode::Trunc, int, number),
        };
        Ok(match ty {
            Type::PTR => self.cast(spot, Opcode::Inttoptr, ty, number),
            _ => number,
        })
    }

    /// Whether an operand is a number as an address.
    fn is_number(&self, operand: Operand) -> bool {
        let constant = operand.as_const().map(|id| self.function.constant(id).1);
        matches!(constant, Some(ConstView::Int(_)))
    }

    fn unfit(&self, from: Type) -> PassError {
        let mut text = String::new();
        // A string takes everything.
        let _ = frazil_ir::text::print_type(self.function.types(), from, &mut text);
        PassError::new(format!(
            "a hook would be given a value of type {text}, which its parameter cannot be: choose other places by filters, \
             as `sizes`"
        ))
    }
}

/// Takes the requests for shared hooks out of those of an edge; they are returned in the order of the hooks.
fn take_shared(requests: &Requests, shared: &[usize], these: &mut Vec<usize>) -> Vec<usize> {
    let mut taken = Vec::new();
    for hook in shared {
        let place = these.iter().position(|&index| requests.list[index].hook == *hook);
        taken.extend(place.map(|place| these.remove(place)));
    }
    taken
}

/// Whether nothing may stand between a call and the return after it.
fn is_jump_to_callee(data: &InstData) -> bool {
    data.op == Opcode::Call && data.flags & CallFlags::MUST_TAIL.bits() != 0
}
