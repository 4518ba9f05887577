//! Vectors that are put together of the same lane again and again become one splat.
//!
//! ```text
//! v1 = load f64 v0                                   v1 = load f64 v0
//! v2 = load <4 x f64> v0                             v6 = insert_element <4 x f64> poison, v1, 0
//! v3 = shuffle v2, poison, [0, 0, poison, poison]    v5 = shuffle v6, poison, zero
//! v4 = insert_element v3, v1, 2                =>
//! v5 = insert_element v4, v1, 3
//! ```
//!
//! Vectorizers of straight code make such chains of what they have found in loads of one lane and of several lanes at
//! the same place.
//!
//! Method: from the last instruction of a block to the first, the lanes of each insertion and shuffle are followed
//! through the insertions, shuffles and extractions that they come from, down to a scalar or a lane of another vector.
//! Two of these are the same if they are one value, or loaded from the same place of memory in this block, with nothing
//! between that may write. If all lanes are the same but for those that are poison, the vector becomes a splat of the
//! scalar, which targets load from memory together with the splat, or of the vector's lane. It must be worth it: only
//! what has no other use counts as saved.
//!
//! Addresses are compared by their base, without multiples, so `local-cse` makes them comparable. What is left without
//! a use stays for `dce`. Other shuffles than splats stay as they are: whether one shuffle of any lanes is better than
//! two simple ones, only targets know.
//!
//! Costs: a look at the instructions of functions with vectors, and for each insertion a walk over its chain. Gains:
//! one instruction for up to four in small products of matrices, where it also has wide registers used.

use frazil_ir::edit::Editor;
use frazil_ir::pass::{FunctionPass, Level, Order, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::{
    Block, ConstKind, ConstView, Effects, EntityRef, Function, Inst, InstData, MemFlags, Opcode, Operand, OperandKind,
    Ordering, Type, TypeData, Value,
};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "splat-recognition",
    summary: "makes vectors whose lanes are all the same at once",
    level: Level::Function,
    required: false,
    after: &[Order {
        pass: "local-cse",
        reason: "equal addresses are one value then",
    }],
    before: &[Order {
        pass: "dce",
        reason: "what is recognized leaves its parts without a use",
    }],
};

/// Steps through insertions and shuffles that a lane is followed.
const MOST_STEPS: usize = 32;
/// Steps of address arithmetic that are followed.
const MOST_OFFSETS: usize = 4;
/// Vectors of more lanes are left alone.
const MOST_LANES: u32 = 64;
/// Instructions that must be saved, for the one that makes the splat.
const LEAST_SAVED: u32 = 2;

/// Recognizes chains of insertions and shuffles that make a splat.
#[derive(Debug)]
pub struct SplatRecognition;

/// Where a lane comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Poison,
    Scalar(Value),
    Lane(Value, u32),
}

/// Where in memory a lane was loaded from.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    base: Operand,
    offset: i64,
    /// How many instructions before it in the block may write to memory.
    writes: u32,
}

/// Memory that is kept from function to function.
#[derive(Default)]
struct Scratch {
    editor: Editor,
    /// The instructions of the chain that was followed last.
    chain: Vec<Inst>,
    /// By instruction of the function: whether it belongs to a chain that became a splat.
    is_replaced: Vec<bool>,
    /// By place in the block [`Scratch::counted`]: how many instructions before may write to memory.
    writes: Vec<u32>,
    counted: Option<Block>,
}

impl FunctionPass for SplatRecognition {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        let mut found = 0;
        if function.has_vectors() && function.insts().iter().any(is_later_insertion) {
            let mut scratch: Box<Scratch> = cx.take_scratch();
            found = scratch.walk(function);
            cx.return_scratch(scratch);
        }
        cx.count("splats", found);
        Ok(match found {
            0 => Preserved::unchanged(),
            _ => Preserved::cfg(),
        })
    }
}

/// Whether a lane is inserted into a vector that is not poison as a whole, as in all chains that are looked for.
fn is_later_insertion(data: &InstData) -> bool {
    data.op == Opcode::InsertElement && data.a.as_value().is_some()
}

impl Scratch {
    fn walk(&mut self, function: &mut Function) -> u64 {
        self.editor.begin(function);
        self.is_replaced.clear();
        self.is_replaced.resize(function.insts().len(), false);
        self.counted = None;
        let mut found = 0;
        for block in function.block_ids().rev() {
            for position in function.block_insts(block).rev() {
                let data = function.insts()[position];
                if is_rearrangement(&data)
                    && !self.is_replaced[position]
                    && let Some(source) = self.repeated(function, block, Inst::new(position))
                    && self.splat(function, Inst::new(position), source)
                {
                    found += 1;
                }
            }
        }
        self.editor.commit(function);
        found
    }

    /// What all lanes of a vector are, if they are the same and it is worth saying so; a scalar if there is one.
    fn repeated(&mut self, function: &Function, block: Block, inst: Inst) -> Option<Source> {
        let data = function.inst(inst);
        let (lanes, lane_bytes) = shape(function, data.ty)?;
        self.chain.clear();
        let mut found = Source::Poison;
        for lane in 0..lanes {
            let source = self.source(function, inst, lane)?;
            match (found, source) {
                (_, Source::Poison) => continue,
                (Source::Poison, _) => {}
                _ if found == source => continue,
                _ => {
                    let place = self.place(function, block, found, lane_bytes)?;
                    if self.place(function, block, source, lane_bytes)? != place {
                        return None;
                    }
                }
            }
            if !matches!(found, Source::Scalar(_)) {
                found = source;
            }
        }
        let saved: u32 = self.chain.iter().map(|&part| cost(function, part)).sum();
        (found != Source::Poison && saved >= LEAST_SAVED).then_some(found)
    }

    /// Where a lane of what an instruction makes comes from. Notes in the chain what it came through, if that has no
    /// other use.
    fn source(&mut self, function: &Function, inst: Inst, lane: u32) -> Option<Source> {
        self.note(inst);
        let (mut inst, mut lane, mut is_saved) = (inst, lane, true);
        for _ in 0..MOST_STEPS {
            let data = function.inst(inst);
            let (vector, of_vector) = match data.op {
                Opcode::InsertElement => {
                    let (scalar, index) = function.ternary(data);
                    match index.as_imm()? {
                        index if index == i64::from(lane) => match self.extracted(function, scalar)? {
                            (vector, Some(of_vector)) => (Operand::value(vector), of_vector),
                            (scalar, None) => return Some(Source::Scalar(scalar)),
                        },
                        index if (0..i64::from(shape(function, data.ty)?.0)).contains(&index) => (data.a, lane),
                        _ => return None,
                    }
                }
                Opcode::Shuffle => match shuffled(function, data, lane)? {
                    Some(from) => from,
                    None => return Some(Source::Poison),
                },
                _ => return Some(Source::Lane(data.first_result()?, lane)),
            };
            let value = match vector.kind() {
                OperandKind::Value(value) => value,
                OperandKind::Const(id) if function.constant(id).1 == ConstView::Poison => return Some(Source::Poison),
                _ => return None,
            };
            let Some(next) = function.def_inst(value) else {
                return Some(Source::Lane(value, of_vector));
            };
            is_saved &= function.use_count(value) == 1 && is_rearrangement(function.inst(next));
            if is_saved {
                self.note(next);
            }
            (inst, lane) = (next, of_vector);
        }
        None
    }

    fn note(&mut self, inst: Inst) {
        if !self.chain.contains(&inst) {
            self.chain.push(inst);
        }
    }

    /// The vector and lane that a scalar is taken from, or the scalar without a lane. Constants are left to others.
    fn extracted(&self, function: &Function, scalar: Operand) -> Option<(Value, Option<u32>)> {
        let value = scalar.as_value()?;
        let data = function.def_inst(value).map(|inst| function.inst(inst));
        if let Some(data) = data.filter(|data| data.op == Opcode::ExtractElement)
            && let (Some(vector), Some(index)) = (data.a.as_value(), data.b.as_imm())
            && let Some((lanes, _)) = shape(function, function.value(vector).ty)
            && (0..i64::from(lanes)).contains(&index)
        {
            return Some((vector, Some(index as u32)));
        }
        Some((value, None))
    }

    /// Where in memory a lane comes from, if it was loaded in this block.
    fn place(&mut self, function: &Function, block: Block, source: Source, lane_bytes: u32) -> Option<Place> {
        let (value, lane) = match source {
            Source::Poison => return None,
            Source::Scalar(value) => (value, 0),
            Source::Lane(value, lane) => (value, lane),
        };
        let inst = function.def_inst(value)?;
        let range = function.block_insts(block);
        let data = function.inst(inst);
        if !range.contains(&inst.index()) || !is_plain_load(data) {
            return None;
        }
        let (mut base, mut offset) = (data.a, i64::from(lane * lane_bytes));
        for _ in 0..MOST_OFFSETS {
            let step = base.as_value().and_then(|value| function.def_inst(value));
            let step = step
                .map(|inst| function.inst(inst))
                .filter(|data| data.op == Opcode::PtrAdd);
            let Some((next, distance)) = step.and_then(|data| Some((data.a, data.b.as_imm()?))) else {
                break;
            };
            (base, offset) = (next, offset.wrapping_add(distance));
        }
        self.count_writes(function, block);
        Some(Place {
            base,
            offset,
            writes: self.writes[inst.index() - range.start],
        })
    }

    fn count_writes(&mut self, function: &Function, block: Block) {
        if self.counted == Some(block) {
            return;
        }
        self.counted = Some(block);
        self.writes.clear();
        let mut writes = 0;
        for data in &function.insts()[function.block_insts(block)] {
            self.writes.push(writes);
            let is_quiet = matches!(data.op.effects(), Effects::Pure | Effects::Trap | Effects::Hook);
            writes += u32::from(!is_quiet && !is_plain_load(data));
        }
    }

    /// Replaces an instruction by a splat. `false` if the function has no room for the type of its mask.
    fn splat(&mut self, function: &mut Function, inst: Inst, source: Source) -> bool {
        let ty = function.inst(inst).ty;
        let TypeData::Vector { lanes, .. } = function.types().data(ty) else {
            return false;
        };
        let mask = TypeData::Vector {
            element: Type::I32,
            lanes,
        };
        let Ok(mask) = function.intern_type(mask) else {
            return false;
        };
        let poison = |function: &mut Function, ty| Operand::constant(function.push_plain_const(ConstKind::Poison, ty));
        let (vector, mask) = match source {
            Source::Poison => return false,
            Source::Scalar(scalar) => {
                let rest = function.push_pool(&[Operand::value(scalar), Operand::ZERO]);
                let nothing = poison(function, ty);
                let data = InstData::new(Opcode::InsertElement, ty, 0, nothing, Operand::raw(rest));
                let Some(vector) = self.editor.insert_before(function, inst, data, Some(ty)) else {
                    return false;
                };
                (vector, function.push_plain_const(ConstKind::Zero, mask))
            }
            Source::Lane(vector, lane) => {
                let Some(lane) = Operand::imm(i64::from(lane)) else {
                    return false;
                };
                let chosen = [lane; MOST_LANES as usize];
                (vector, function.push_vector_const(mask, &chosen[..lanes as usize]))
            }
        };
        let nothing = poison(function, function.value(vector).ty);
        let rest = function.push_pool(&[nothing, Operand::constant(mask)]);
        let data = InstData::new(Opcode::Shuffle, ty, 0, Operand::value(vector), Operand::raw(rest));
        self.editor.replace(function, inst, data);
        for part in &self.chain {
            // What has been made just now is no part of a chain, though it may be followed from another block.
            if let Some(is_replaced) = self.is_replaced.get_mut(part.index()) {
                *is_replaced = true;
            }
        }
        true
    }
}

fn is_rearrangement(data: &InstData) -> bool {
    matches!(data.op, Opcode::InsertElement | Opcode::Shuffle)
}

/// The number of lanes of a vector and the bytes of each, if these are whole.
fn shape(function: &Function, ty: Type) -> Option<(u32, u32)> {
    let TypeData::Vector { lanes, element } = function.types().data(ty) else {
        return None;
    };
    let bits = function.types().bits(element, function.types().pointer_bits());
    let is_whole = matches!(bits, 8 | 16 | 32 | 64) && lanes <= MOST_LANES;
    is_whole.then_some((lanes, bits as u32 / 8))
}

/// The vector and the lane of it that a shuffle takes one of its lanes from; `Some(None)` if that is poison.
fn shuffled(function: &Function, data: &InstData, lane: u32) -> Option<Option<(Operand, u32)>> {
    let (second, mask) = function.ternary(data);
    let chosen = match function.constant(mask.as_const()?).1 {
        ConstView::Zero => 0,
        ConstView::Vector(lanes) => match lanes.get(lane as usize)?.as_imm() {
            Some(lane) => u32::try_from(lane).ok()?,
            None => return Some(None),
        },
        _ => return None,
    };
    let (lanes, _) = shape(function, function.operand_type(data.a)?)?;
    Some(Some(match chosen.checked_sub(lanes) {
        None => (data.a, chosen),
        Some(of_second) => (second, of_second),
    }))
}

/// About how many instructions an insertion or a shuffle takes: a scalar already is the first lane of a vector.
fn cost(function: &Function, inst: Inst) -> u32 {
    let data = function.inst(inst);
    u32::from(data.op != Opcode::InsertElement || data.a.as_value().is_some())
}

fn is_plain_load(data: &InstData) -> bool {
    let flags = MemFlags(data.flags);
    data.op == Opcode::Load && !flags.is_volatile() && flags.ordering() == Ordering::NotAtomic
}
