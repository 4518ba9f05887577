//! Constants that cost instructions become values before the loops that use them.
//!
//! ```text
//! b0:                                        b0:
//!   jump b1                                    v9 = copy ptr @table
//! b1:                                          jump b1
//!   v1 = phi i64 [b0: 0, b1: v4]        =>   b1:
//!   v2 = ptr_index scale 4 ptr @table, v1      v1 = phi i64 [b0: 0, b1: v4]
//!   ...                                        v2 = ptr_index scale 4 ptr v9, v1
//! ```
//!
//! Method: the operands of the instructions in loops are examined. Costly are addresses of symbols where they cannot
//! be part of an access: with an index, as a number, or through a table of addresses; addresses of slots with an index
//! where the target has no address of both; integers that do not fit into 32 bits, or that no instruction has room for
//! where the target says which these are; floating-point numbers where an instruction takes no operand from memory;
//! vectors in arithmetic that takes them for what they are. The uses are sorted by loop and constant, and each loop
//! gets copies of its most used ones, as many as the options say. A copy stands before the outermost loop around its
//! uses that has no more than `max-blocks` blocks, or before the innermost one if that is larger; equal constants
//! share it. Floating-point numbers stay in loops with calls, which keep no register for them, and so do integers of
//! at most 32 bits.
//!
//! A `copy` of a constant is how such a value is written; it is computed anew where the register allocator runs out of
//! registers, so that it costs little even then. Passes that replace copies by what they copy must come earlier.
//!
//! Costs: a walk over the instructions in loops, and a register for each copy. Gains: an instruction for each round and
//! use, a load of an address in position-independent code.
//!
//! Source: LLVM's ConstantHoisting and MachineLICM have the same aim.

use crate::equal_constants::EqualConstants;
use crate::preheaders::{Preheaders, can_have_preheader};
use frazil_ir::edit::Editor;
use frazil_ir::loops::LoopTree;
use frazil_ir::pass::{FunctionPass, Level, Order, PassCx, PassError, PassInfo, Preserved, TargetFacts};
use frazil_ir::{
    ConstView, Effects, EntityRef, Format, Function, Inst, InstData, Linkage, Loop, Module, Opcode, Operand, SymbolId,
    Type, TypeData, Visibility,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "hoist-constants",
    summary: "computes costly constants once before the loops that use them",
    level: Level::Function,
    required: false,
    after: &[
        Order {
            pass: "mem2reg",
            reason: "more constants stand in loops when variables are values",
        },
        Order {
            pass: "fold",
            reason: "it would put the constants back where they are used",
        },
    ],
    before: &[Order {
        pass: "addr-fold",
        reason: "an address with a value as its base can be folded more than once",
    }],
};

/// What a recipe can set for `hoist-constants`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// How many integers and addresses at most are kept in registers for a loop.
    pub max_integers: u32,
    /// How many floating-point numbers at most are kept in registers for a loop.
    pub max_floats: u32,
    /// The largest loop, in blocks, that a constant leaves besides the innermost one.
    pub max_blocks: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_integers: 3,
            max_floats: 6,
            max_blocks: 32,
        }
    }
}

/// How many integer registers a target has for which the options are meant.
const FEW_REGISTERS: u8 = 16;

/// Moves constants that need instructions out of loops.
#[derive(Debug)]
pub struct HoistConstants {
    options: Options,
}

/// Makes the pass for one step of a recipe, as the registry asks for it.
pub fn make(options: Options) -> HoistConstants {
    HoistConstants { options }
}

/// A costly operand.
#[derive(Clone, Copy, Debug)]
struct Use {
    /// The loop that the constant leaves.
    id: u32,
    /// The constant, the same for all that are equal.
    constant: Operand,
    ty: Type,
    inst: Inst,
    slot: u32,
}

/// The uses of a constant in a loop: a range of the sorted uses.
#[derive(Clone, Copy, Debug)]
struct Group {
    id: u32,
    is_float: bool,
    first: u32,
    count: u32,
}

/// What is known of a loop before its uses are examined.
#[derive(Clone, Copy, Debug, Default)]
struct LoopRow {
    has_calls: bool,
    /// The loop before which its integers and addresses go.
    destination: Option<Loop>,
    /// The loop before which its floating-point numbers go.
    float_destination: Option<Loop>,
}

/// Memory that is kept from function to function.
#[derive(Default)]
struct Scratch {
    editor: Editor,
    equal: EqualConstants,
    rows: Vec<LoopRow>,
    uses: Vec<Use>,
    groups: Vec<Group>,
    preheaders: Preheaders,
}

impl FunctionPass for HoistConstants {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        let loops = cx.analyses.get::<LoopTree>(function);
        if loops.loops().next().is_none() {
            return Ok(Preserved::unchanged());
        }
        let mut scratch: Box<Scratch> = cx.take_scratch();
        scratch.editor.begin(function);
        scratch.equal.compute(function);
        scratch.describe_loops(function, loops, self.options);
        scratch.find_uses(function, (cx.module, cx.target), loops);
        scratch.group();
        // With more registers, more of them can hold constants.
        let more_integers = u32::from(cx.target.int_registers.saturating_sub(FEW_REGISTERS)) / 3;
        let (copies, made) = scratch.rewrite(function, loops, (self.options, more_integers));
        scratch.editor.commit(function);
        cx.return_scratch(scratch);
        cx.count("constants hoisted", copies);
        cx.count("pre-headers made", made);
        Ok(match (copies, made) {
            (0, _) => Preserved::unchanged(),
            (_, 0) => Preserved::cfg(),
            _ => Preserved::none(),
        })
    }
}

impl Scratch {
    fn describe_loops(&mut self, function: &Function, loops: &LoopTree, options: Options) {
        self.rows.clear();
        self.rows.resize(loops.loops().count(), LoopRow::default());
        for block in function.block_ids() {
            if let Some(id) = loops.innermost(block) {
                let mut insts = function.insts()[function.block_insts(block)].iter();
                self.rows[id.index()].has_calls |= insts.any(|data| matches!(data.op, Opcode::Call | Opcode::Invoke));
            }
        }
        for id in loops.loops().rev() {
            if let Some(parent) = loops.data(id).parent {
                self.rows[parent.index()].has_calls |= self.rows[id.index()].has_calls;
            }
        }
        for id in loops.loops() {
            let can_leave = can_have_preheader(function, loops, &self.editor, id);
            // The loop around was examined before.
            let around = loops
                .data(id)
                .parent
                .filter(|&parent| loops.blocks(parent).len() <= options.max_blocks as usize);
            let outer = around.map_or(LoopRow::default(), |parent| self.rows[parent.index()]);
            let own = can_leave.then_some(id);
            let row = &mut self.rows[id.index()];
            row.destination = outer.destination.or(own);
            row.float_destination = outer.float_destination.or(own).filter(|_| !row.has_calls);
        }
    }

    fn find_uses(&mut self, function: &Function, known: Known<'_>, loops: &LoopTree) {
        self.uses.clear();
        for block in function.block_ids() {
            let Some(innermost) = loops.innermost(block) else {
                continue;
            };
            let row = self.rows[innermost.index()];
            for position in function.block_insts(block) {
                let data = &function.insts()[position];
                let mut slot = 0;
                function.for_each_operand(data, |operand| {
                    if let Some(ty) = costly(function, known, data, slot, operand)
                        && let Some(id) = if is_in_float_register(ty) || is_cheap(operand) {
                            row.float_destination
                        } else {
                            row.destination
                        }
                    {
                        self.uses.push(Use {
                            id: id.as_u32(),
                            constant: if is_cheap(operand) {
                                operand
                            } else {
                                self.equal.first(operand)
                            },
                            ty,
                            inst: Inst::new(position),
                            slot,
                        });
                    }
                    slot += 1;
                });
            }
        }
    }

    /// Sorts the uses into groups, those of a loop beside one another, the largest first.
    fn group(&mut self) {
        self.uses
            .sort_by_key(|one| (one.id, one.constant.as_raw(), one.ty.index(), one.inst, one.slot));
        self.groups.clear();
        for (number, one) in self.uses.iter().enumerate() {
            match self.groups.last_mut() {
                Some(group)
                    if group.id == one.id
                        && self.uses[group.first as usize].constant == one.constant
                        && self.uses[group.first as usize].ty == one.ty =>
                {
                    group.count += 1;
                }
                _ => self.groups.push(Group {
                    id: one.id,
                    is_float: is_in_float_register(one.ty),
                    first: number as u32,
                    count: 1,
                }),
            }
        }
        self.groups
            .sort_by_key(|group| (group.id, group.is_float, std::cmp::Reverse(group.count), group.first));
    }

    /// Makes the copies. Returns how many, and how many pre-headers.
    fn rewrite(
        &mut self,
        function: &mut Function,
        loops: &LoopTree,
        (options, more_integers): (Options, u32),
    ) -> (u64, u64) {
        let mut copies = 0;
        let mut taken = 0;
        self.preheaders.begin(loops);
        for number in 0..self.groups.len() {
            let group = self.groups[number];
            let last = number.checked_sub(1).map(|last| self.groups[last]);
            if last.is_none_or(|last| (last.id, last.is_float) != (group.id, group.is_float)) {
                taken = 0;
            }
            if taken
                >= if group.is_float {
                    options.max_floats
                } else {
                    options.max_integers + more_integers
                }
            {
                continue;
            }
            taken += 1;
            let id = Loop::new(group.id as usize);
            let block = self.preheaders.get(function, loops, &mut self.editor, id);
            let first = self.uses[group.first as usize];
            let copy = InstData::new(Opcode::Copy, first.ty, 0, first.constant, Operand::NONE);
            let value = self.editor.insert_at_end(function, block, copy, Some(first.ty));
            let value = Operand::value(value.expect("a copy has a result"));
            for index in group.first..group.first + group.count {
                let one = self.uses[index as usize];
                self.set_operand(function, one.inst, one.slot, value);
            }
            copies += 1;
        }
        (copies, self.preheaders.made())
    }

    /// Puts a value in the place of a constant.
    fn set_operand(&mut self, function: &mut Function, inst: Inst, slot: u32, operand: Operand) {
        let mut data = *function.inst(inst);
        match slot {
            0 => data.a = operand,
            1 if data.op.format() == Format::Binary => data.b = operand,
            _ => {
                let (second, third) = function.ternary(&data);
                let words = if slot == 1 { [operand, third] } else { [second, operand] };
                data.b = Operand::raw(function.push_pool(&words));
            }
        }
        self.editor.replace(function, inst, data);
    }
}

/// Whether a costly operand costs no more than one instruction.
fn is_cheap(operand: Operand) -> bool {
    operand.as_imm().is_some() || operand.as_value().is_some()
}

/// What is known besides the function.
type Known<'a> = (&'a Module, &'a TargetFacts);

/// The type of a constant of at most 32 bits that the instruction has no room for.
fn costly_immediate(function: &Function, target: &TargetFacts, data: &InstData, slot: u32, imm: i64) -> Option<Type> {
    let rule = target.free_immediates?;
    let is_data = match data.op {
        Opcode::Store => slot == 0,
        Opcode::Select => slot > 0,
        op if op.is_icmp() => true,
        Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::And | Opcode::Or | Opcode::Xor => true,
        Opcode::Udiv | Opcode::Sdiv | Opcode::Urem | Opcode::Srem => true,
        _ => false,
    };
    let bits = function.types().int_bits(data.ty).filter(|&bits| bits <= 64)?;
    (is_data && !(rule.0)(data.op, slot, bits, imm)).then_some(data.ty)
}

/// The type of an operand that costs an instruction or more where it stands.
fn costly(
    function: &Function,
    (module, target): Known<'_>,
    data: &InstData,
    slot: u32,
    operand: Operand,
) -> Option<Type> {
    if operand.is_none() {
        return None;
    }
    if let Some(value) = operand.as_value() {
        // The address of a slot is counted from the stack pointer, which leaves no room for an index.
        let is_base =
            slot == 0 && (data.op == Opcode::PtrIndex || data.op == Opcode::PtrAdd && data.b.as_value().is_some());
        let is_costly = is_base && !target.index_with_displacement && function.slot_of(value).is_some();
        return is_costly.then_some(Type::PTR);
    }
    if let Some(imm) = operand.as_imm() {
        return costly_immediate(function, target, data, slot, imm);
    }
    use Opcode as O;
    let is_plain = matches!(data.op.effects(), Effects::Pure | Effects::Read | Effects::Write)
        && matches!(data.op.format(), Format::Unary | Format::Binary | Format::Ternary);
    if !is_plain
        || matches!(
            data.op,
            O::Copy | O::TlsAddr | O::EhTypeidFor | O::MemCopy | O::MemMove | O::MemSet
        )
    {
        return None;
    }
    if let Some(symbol) = operand.as_symbol() {
        return is_costly_address((module, target), symbol, data, slot).then_some(Type::PTR);
    }
    match function.constant(operand.as_const()?) {
        (ty, ConstView::Int(&[word])) => {
            let bits = function.types().int_bits(ty).filter(|&bits| bits <= 64)?;
            let value = word.cast_signed();
            // The lower half is taken by a move of half width.
            let is_half = data.op == O::And && word == u64::from(u32::MAX);
            let is_free = match target.free_immediates {
                Some(rule) => (rule.0)(data.op, slot, bits, value),
                None => bits < 64 || i32::try_from(value).is_ok() || is_half,
            };
            (!is_free).then_some(ty)
        }
        (ty, ConstView::Float(words)) => {
            let takes_memory = target.reaches_symbols
                && slot == 1
                && (data.op.is_fcmp() || matches!(data.op, O::Fadd | O::Fsub | O::Fmul | O::Fdiv));
            let is_zero = words.iter().all(|&word| word == 0);
            (is_in_float_register(ty) && !takes_memory && !is_zero).then_some(ty)
        }
        (ty, ConstView::Symbol(symbol, _)) if ty == Type::PTR => {
            is_costly_address((module, target), symbol, data, slot).then_some(ty)
        }
        (ty, ConstView::Vector(lanes)) => is_costly_vector(function, data, (ty, lanes)).then_some(ty),
        _ => None,
    }
}

/// Whether constants of a type that [`costly`] names are in registers for floats.
fn is_in_float_register(ty: Type) -> bool {
    matches!(ty, Type::F32 | Type::F64) || ty.index() >= usize::from(Type::FIRST_EXTRA)
}

/// Whether a vector must be loaded, and no rule for the operation wants to see what is in it.
fn is_costly_vector(function: &Function, data: &InstData, (ty, lanes): (Type, &[Operand])) -> bool {
    use Opcode as O;
    let is_asked = match data.op {
        O::Fadd | O::Fsub | O::Fmul | O::Fdiv | O::Fma | O::Fmuladd => true,
        O::Add | O::Sub | O::Mul | O::And | O::Or | O::Xor => true,
        O::Smin | O::Smax | O::Umin | O::Umax => true,
        // Of an order without signs, the signs of constants are turned beforehand.
        O::IcmpEq | O::IcmpNe | O::IcmpSgt | O::IcmpSge | O::IcmpSlt | O::IcmpSle => true,
        // What a condition chooses: the condition is no such vector.
        O::Select => true,
        op => op.is_fcmp(),
    };
    let types = function.types();
    let TypeData::Vector { element, lanes: count } = types.data(ty) else {
        return false;
    };
    let lane_bits = match element {
        Type::F32 => 32,
        Type::F64 => 64,
        _ => types
            .int_bits(element)
            .filter(|&bits| matches!(bits, 8 | 16 | 32 | 64))
            .unwrap_or(u32::MAX),
    };
    let is_made_without_memory = [0, -1]
        .iter()
        .any(|&all| lanes.iter().all(|lane| lane.as_imm() == Some(all)));
    let fits = lane_bits
        .checked_mul(count)
        .is_some_and(|bits| matches!(bits, 128 | 256));
    is_asked && fits && !is_made_without_memory
}

/// Whether the address of a symbol costs something as this operand: alone, or since it must be loaded.
fn is_costly_address((module, target): Known<'_>, symbol: SymbolId, data: &InstData, slot: u32) -> bool {
    let Some(row) = module.symbols.get(symbol) else {
        return false;
    };
    let is_near = row.linkage != Linkage::ExternalWeak
        && (row.dso_local || row.linkage.is_local() || row.visibility != Visibility::Default);
    let is_address = match data.op {
        Opcode::Load | Opcode::AtomicLoad => true,
        Opcode::Store | Opcode::AtomicStore => slot == 1,
        Opcode::PtrAdd => data.b.as_imm().is_some(),
        _ => false,
    };
    !is_near || !is_address || !target.reaches_symbols
}
