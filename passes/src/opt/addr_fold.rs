//! Address arithmetic is copied to the loads and stores that use it, so that it costs no instruction.
//!
//! ```text
//! b0:                                b0:
//!   v2 = ptr_index scale 8 v0, v1      v5 = ptr_index scale 8 v0, v1
//!   v3 = ptr_add v2, 16                v6 = ptr_add v5, 16
//!   v4 = load i32 v3                   v4 = load i32 v6
//!   branch v4, b1, b2             =>   branch v4, b1, b2
//! b1:                                b1:
//!   store i32 1, v3                    v7 = ptr_index scale 8 v0, v1
//!                                      v8 = ptr_add v7, 16
//!                                      store i32 1, v8
//! ```
//!
//! Method: code generation computes an address within a load or store only if that is its single use and in the same
//! block. Two walks. The first goes from uses to definitions and finds the addresses that *dissolve*: every use of
//! them is as the address of an access, or in another address that dissolves, and the sum still fits base + index
//! times scale + displacement, or one of the two where the target does not have both. The second gives each access
//! whose address is shared, or stands in another block, a computation of its own, and removes those that are left
//! without a use. Constant distances are summed up on the way, also those added to an index.
//!
//! Where the target has no such scale, the index is multiplied once, where the address was, by what is missing:
//! 24 = 3 times 8.
//!
//! An address that is needed in a register anyway is left alone. One with an index takes the place of one register by
//! two; it dissolves only where that cannot hurt: not into a deeper loop, and into another block only if base and index
//! are used elsewhere, too. A symbol as the base of several indexed accesses would be computed for each of them.
//!
//! Costs: two walks over the instructions. Gains: an instruction and a register for each address that dissolves.
//!
//! Source: LLVM's CodeGenPrepare (address sinking), which searches for each access on its own.

use frazil_ir::domtree::DomTree;
use frazil_ir::edit::Editor;
use frazil_ir::loops::LoopTree;
use frazil_ir::pass::{FunctionPass, Level, PassCx, PassError, PassInfo, Preserved, TargetFacts};
use frazil_ir::typing::is_addition;
use frazil_ir::{Block, EntityRef, Function, Inst, InstData, Opcode, Operand, Type, Value};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "addr-fold",
    summary: "copies address arithmetic to the loads and stores that use it",
    level: Level::Function,
    required: false,
    after: &[],
    before: &[],
};

/// Displacements beyond this many bytes are not summed up: code generation adds frame offsets to them.
const MAX_DISPLACEMENT: i64 = 1 << 28;

/// Multiplied indices that are remembered for the rest of their block.
const MOST_SCALED: usize = 8;

/// Copies address arithmetic to the loads and stores that use it.
#[derive(Debug)]
pub struct AddrFold;

/// What the uses of an address ask of it.
#[derive(Clone, Copy, Default)]
struct Demand {
    /// Uses that could compute it themselves; of an index, those in addresses that dissolve.
    uses: u32,
    /// The deepest loop that one of them is in.
    depth: u32,
    /// The displacements that they add.
    low: i64,
    high: i64,
    /// Whether one of them has an index already.
    has_index: bool,
    /// Whether one of them is in another block.
    is_far: bool,
    dissolves: bool,
    /// The number of its sum, once that is known.
    form: u32,
}

/// A sum that an access can compute.
#[derive(Clone, Copy)]
struct Form {
    base: Operand,
    index: Option<(Operand, u16)>,
    displacement: i64,
    /// Whether code generation computes it within the access without our help: each part has one use, in this block.
    is_near: bool,
}

/// Memory that is kept from function to function.
#[derive(Default)]
struct Scratch {
    editor: Editor,
    demands: Vec<Demand>,
    order: Vec<Block>,
    /// The sums that the addresses are which dissolve.
    forms: Vec<Form>,
    /// Indices multiplied in this block: index and scale, and what they became.
    scaled: Vec<(Operand, u16, (Operand, u16))>,
    /// Instructions that may be left without a use, users first.
    unused: Vec<Inst>,
}

impl FunctionPass for AddrFold {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        let analyses = cx.analyses;
        let mut scratch: Box<Scratch> = cx.take_scratch();
        let any = function.insts().iter().any(is_address);
        let copies = if any {
            let dominators = analyses.get::<DomTree>(function);
            let loops = analyses.get::<LoopTree>(function);
            scratch.order.clear();
            scratch.order.extend(dominators.reverse_postorder());
            let found = scratch.find_dissolving(function, cx.target, loops);
            if found { scratch.rewrite(function, cx.target) } else { 0 }
        } else {
            0
        };
        cx.return_scratch(scratch);
        cx.count("copied", copies);
        Ok(if copies > 0 {
            Preserved::cfg()
        } else {
            Preserved::unchanged()
        })
    }
}

impl Scratch {
    /// Walks from uses to definitions: blocks in postorder, instructions backwards. Returns whether any dissolves.
    fn find_dissolving(&mut self, function: &Function, target: &TargetFacts, loops: &LoopTree) -> bool {
        let mut found = false;
        self.demands.clear();
        self.demands.resize(function.values().len(), Demand::default());
        for number in (0..self.order.len()).rev() {
            let block = self.order[number];
            let depth = loops.depth(block);
            let range = function.block_insts(block);
            for position in range.clone().rev() {
                let data = &function.insts()[position];
                if !IS_OF_CONCERN[data.op as usize] {
                    continue;
                }
                if let Some(address) = accessed(data) {
                    let demand = Demand {
                        uses: 1,
                        depth,
                        ..Demand::default()
                    };
                    self.demand(function, &range, address, demand);
                } else if is_address(data) {
                    let value = Value::new(data.result as usize);
                    let own = self.demands[value.index()];
                    if let Some(passed_on) = dissolve(function, target, data, value, own, depth) {
                        self.demands[value.index()].dissolves = true;
                        self.demand(function, &range, data.a, passed_on);
                        if let Some(index) = data.b.as_value() {
                            self.demands[index.index()].uses += 1;
                        }
                        found = true;
                    }
                }
            }
        }
        found
    }

    /// Adds the demand of one use, which stands in the block of the instructions `here`.
    fn demand(&mut self, function: &Function, here: &std::ops::Range<usize>, address: Operand, demand: Demand) {
        let Some(value) = address.as_value() else { return };
        let Some(inst) = function.def_inst(value) else { return };
        let sum = &mut self.demands[value.index()];
        *sum = Demand {
            uses: sum.uses + 1,
            depth: sum.depth.max(demand.depth),
            low: sum.low.min(demand.low),
            high: sum.high.max(demand.high),
            has_index: sum.has_index | demand.has_index,
            is_far: sum.is_far | demand.is_far | !here.contains(&inst.index()),
            ..Demand::default()
        };
    }

    /// Walks from definitions to uses, and copies.
    fn rewrite(&mut self, function: &mut Function, target: &TargetFacts) -> u64 {
        self.forms.clear();
        self.unused.clear();
        self.editor.begin(function);
        let mut copies = 0;
        for number in 0..self.order.len() {
            let block = self.order[number];
            self.scaled.clear();
            for position in function.block_insts(block) {
                let data = function.insts()[position];
                if !IS_OF_CONCERN[data.op as usize] {
                    continue;
                }
                if is_address(&data) {
                    self.note_form(function, target, block, Inst::new(position));
                } else if let Some(address) = accessed(&data)
                    && let Some(form) = self.form_of(function, block, address)
                    && !form.is_near
                {
                    self.copy(function, Inst::new(position), address, form);
                    copies += 1;
                }
            }
        }
        if copies > 0 {
            self.remove_unused(function);
            self.editor.commit(function);
        }
        copies
    }

    /// The sum that an address is which dissolves, as a use in `block` finds it.
    fn form_of(&self, function: &Function, block: Block, address: Operand) -> Option<Form> {
        let value = address.as_value()?;
        let demand = self.demands.get(value.index()).filter(|demand| demand.dissolves)?;
        let mut form = *self.forms.get(demand.form as usize)?;
        let inst = function.def_inst(value)?;
        form.is_near &= function.use_count(value) == 1 && function.block_insts(block).contains(&inst.index());
        Some(form)
    }

    fn note_form(&mut self, function: &mut Function, target: &TargetFacts, block: Block, inst: Inst) {
        let data = *function.inst(inst);
        let value = data.result as usize;
        if !self.demands[value].dissolves {
            return;
        }
        let mut form = self.form_of(function, block, data.a).unwrap_or(Form {
            base: data.a,
            index: None,
            displacement: 0,
            is_near: true,
        });
        match fixed_bytes(&data) {
            Some(bytes) => form.displacement += bytes,
            None => {
                let scale = scale_of(&data);
                let (index, distance) = match target.index_with_displacement {
                    true => self.split_index(function, data.b),
                    false => (data.b, 0),
                };
                let bytes = distance.saturating_mul(i64::from(scale));
                let mut scaled = (data.b, scale);
                if distance != 0 && (form.displacement + bytes).abs() < MAX_DISPLACEMENT {
                    scaled.0 = index;
                    form.displacement += bytes;
                    form.is_near = false;
                }
                if !has_scale(target, scale) {
                    scaled = self.scale(function, inst, scaled);
                    form.is_near = false;
                }
                form.index = Some(scaled);
            }
        }
        self.demands[value].form = self.forms.len() as u32;
        self.forms.push(form);
    }

    /// An index without the constant that is added to it, if all uses of that sum are as indices of addresses that
    /// dissolve.
    fn split_index(&self, function: &Function, index: Operand) -> (Operand, i64) {
        let is_index_alone = |value: Value| {
            let demand = self.demands.get(value.index());
            demand.is_some_and(|demand| demand.uses == function.use_count(value))
        };
        let added = index.as_value().filter(|&value| is_index_alone(value));
        if let Some(inst) = added.and_then(|value| function.def_inst(value)) {
            let data = function.inst(inst);
            if let (true, Some(distance)) = (is_distance(data), data.b.as_imm()) {
                let distance = if data.op == Opcode::Sub { -distance } else { distance };
                return (data.a, distance);
            }
        }
        (index, 0)
    }

    /// Multiplies an index by the part of its scale that no address form has.
    fn scale(&mut self, function: &mut Function, at: Inst, (index, scale): (Operand, u16)) -> (Operand, u16) {
        if let Some(same) = self.scaled.iter().find(|row| (row.0, row.1) == (index, scale)) {
            return same.2;
        }
        let twos = scale.trailing_zeros();
        let (odd, ty) = (scale >> twos, function.operand_type(index).unwrap_or(Type::I64));
        // Powers of two come as the shift of the index, to be shared with others.
        let kept = if odd == 1 { 0 } else { twos.min(3) };
        let mut scaled = index;
        let steps = [
            (Opcode::Mul, i64::from(odd), odd > 1),
            (Opcode::Shl, i64::from(twos - kept), twos > kept),
        ];
        for (op, by, _) in steps.into_iter().filter(|step| step.2) {
            let by = Operand::imm(by).expect("a scale is small");
            let data = InstData::new(op, ty, 0, scaled, by);
            let value = self.editor.insert_before(function, at, data, Some(ty));
            scaled = value.map_or(scaled, Operand::value);
        }
        if self.scaled.len() < MOST_SCALED {
            self.scaled.push((index, scale, (scaled, 1 << kept)));
        }
        (scaled, 1 << kept)
    }

    /// Computes an address anew before its user.
    fn copy(&mut self, function: &mut Function, user: Inst, address: Operand, form: Form) {
        let mut pointer = form.base;
        if let Some((index, scale)) = form.index {
            let data = match scale {
                1 => InstData::new(Opcode::PtrAdd, Type::PTR, 0, pointer, index),
                _ => InstData::new(Opcode::PtrIndex, Type::PTR, scale, pointer, index),
            };
            let copy = self.editor.insert_before(function, user, data, Some(Type::PTR));
            pointer = copy.map_or(pointer, Operand::value);
        }
        if form.displacement != 0 {
            let bytes = Operand::imm(form.displacement).expect("displacements are bounded");
            let data = InstData::new(Opcode::PtrAdd, Type::PTR, 0, pointer, bytes);
            let copy = self.editor.insert_before(function, user, data, Some(Type::PTR));
            pointer = copy.map_or(pointer, Operand::value);
        }
        let mut data = *function.inst(user);
        *accessed_mut(&mut data) = pointer;
        self.editor.replace(function, user, data);
        self.note_unused(function, address);
    }

    fn note_unused(&mut self, function: &Function, operand: Operand) {
        if let Some(value) = operand.as_value()
            && function.use_count(value) == 0
            && let Some(inst) = function.def_inst(value)
        {
            self.unused.push(inst);
        }
    }

    /// Removes what has no use any more, and what only that used.
    fn remove_unused(&mut self, function: &mut Function) {
        while let Some(inst) = self.unused.pop() {
            let data = *function.inst(inst);
            if is_address(&data) || is_distance(&data) {
                self.editor.remove(function, inst);
                self.note_unused(function, data.a);
                self.note_unused(function, data.b);
            }
        }
    }
}

/// Whether the uses of an address can compute it, and what they then demand of its base.
fn dissolve(
    function: &Function,
    target: &TargetFacts,
    data: &InstData,
    value: Value,
    own: Demand,
    depth: u32,
) -> Option<Demand> {
    if own.uses == 0 || own.uses != function.use_count(value) || is_place(function, data.a) && data.b.as_imm().is_some()
    {
        return None;
    }
    let mut sum = own;
    match fixed_bytes(data) {
        Some(_) if own.has_index && !target.index_with_displacement => return None,
        Some(bytes) => {
            sum.low += bytes;
            sum.high += bytes;
        }
        None => {
            // A scale that the target lacks needs a multiplication, which stays; all smaller ones are needed then.
            let scale = scale_of(data);
            if (own.low, own.high) != (0, 0) && !target.index_with_displacement {
                return None;
            }
            let fits = has_scale(target, scale) || (scale > 0 && target.index_scales & 15 == 15);
            if !fits || own.has_index || own.depth > depth || data.b.as_value().is_none() {
                return None;
            }
            if data.a.as_symbol().is_some() && own.uses > 1 {
                return None;
            }
            // What the index is multiplied to has no other use, but takes the register that the address had.
            let index_lives = is_used_elsewhere(function, data.b) || !has_scale(target, scale);
            if own.is_far && !(has_other_uses(function, data.a) && index_lives) {
                return None;
            }
            sum.has_index = true;
        }
    }
    (sum.low > -MAX_DISPLACEMENT && sum.high < MAX_DISPLACEMENT).then_some(sum)
}

/// What an address adds to its base, if that is a constant: other passes leave such indices, too.
fn fixed_bytes(data: &InstData) -> Option<i64> {
    Some(data.b.as_imm()? * i64::from(scale_of(data)))
}

fn has_scale(target: &TargetFacts, scale: u16) -> bool {
    scale.is_power_of_two() && u32::from(target.index_scales) >> scale.trailing_zeros() & 1 == 1
}

/// Whether an operand takes no register or has another use.
fn has_other_uses(function: &Function, operand: Operand) -> bool {
    operand
        .as_value()
        .is_none_or(|value| function.use_count(value) > 1 || function.slot_of(value).is_some())
}

/// Whether an index has another use, or is the extension of what has one and costs nothing.
fn is_used_elsewhere(function: &Function, index: Operand) -> bool {
    let extended = index
        .as_value()
        .and_then(|value| function.def_inst(value))
        .map(|inst| function.inst(inst));
    has_other_uses(function, index)
        || extended.is_some_and(|data| data.op == Opcode::Zext && has_other_uses(function, data.a))
}

/// Whether an operand is the address of a slot or symbol, from which code generation counts distances anyway.
fn is_place(function: &Function, operand: Operand) -> bool {
    match operand.as_value() {
        Some(value) => function.slot_of(value).is_some(),
        None => true,
    }
}

/// Whether an instruction adds a constant to an index. Indices have the width of pointers, so the sum wraps alike.
fn is_distance(data: &InstData) -> bool {
    (is_addition(data) || data.op == Opcode::Sub) && data.a.as_value().is_some() && data.b.as_imm().is_some()
}

/// Which operations compute addresses or access memory; most do neither, which one look tells.
const IS_OF_CONCERN: [bool; Opcode::COUNT] = {
    use Opcode as O;
    let concerned = [
        O::PtrAdd,
        O::PtrIndex,
        O::Load,
        O::Store,
        O::AtomicLoad,
        O::AtomicStore,
        O::AtomicRmw,
        O::Cmpxchg,
        O::Prefetch,
    ];
    let mut table = [false; Opcode::COUNT];
    let mut index = 0;
    while index < concerned.len() {
        table[concerned[index] as usize] = true;
        index += 1;
    }
    table
};

/// Whether an instruction computes an address that an access may be able to compute itself.
#[inline]
fn is_address(data: &InstData) -> bool {
    matches!(data.op, Opcode::PtrAdd | Opcode::PtrIndex) && data.ty == Type::PTR && !data.a.is_none()
}

/// The factor of the index of a `ptr_add` or `ptr_index`.
fn scale_of(data: &InstData) -> u16 {
    if data.op == Opcode::PtrIndex { data.flags } else { 1 }
}

/// The address of a load, store or other access that has an address form.
#[inline]
fn accessed(data: &InstData) -> Option<Operand> {
    match data.op {
        Opcode::Load | Opcode::AtomicLoad | Opcode::AtomicRmw | Opcode::Cmpxchg | Opcode::Prefetch => Some(data.a),
        Opcode::Store | Opcode::AtomicStore => Some(data.b),
        _ => None,
    }
}

fn accessed_mut(data: &mut InstData) -> &mut Operand {
    match data.op {
        Opcode::Store | Opcode::AtomicStore => &mut data.b,
        _ => &mut data.a,
    }
}
