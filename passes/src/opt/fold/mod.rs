//! Folds constants, and replaces operations by cheaper or more regular ones that give the same.
//!
//! ```text
//!   v1 = icmp_slt i32 v0, 10                     v1 = icmp_slt i32 v0, 10
//!   v2 = zext i32 v1                             branch v1, b1, b2
//!   v3 = icmp_ne i32 v2, 0               ->
//!   branch v3, b1, b2
//! ```
//!
//! Method: one walk over the instructions. Each is examined with its operands and the instructions that define them,
//! as they are after what was folded before, and rewritten until no rule applies. Rules by subject: [`integers`],
//! [`comparisons`], [`casts`], [`selects`], [`floats`].
//!
//! A rule never makes more instructions than there were, and never needs another one that it leaves alive to change;
//! where it looks through an instruction that others use too, it must shorten the way all the same. Constants come
//! second in operations that commute, and subtracting a constant becomes adding, so that other passes and targets have
//! fewer forms to know. Flags: where they made poison the result is free, so that rules may drop them; they are kept
//! where that is known to be right. Operations on vectors are left alone but for sums with extended masks, and so are
//! those on integers of more than 128 bits.
//!
//! Left to targets: multiplication by what is no power of two, signed division by powers of two, and division by other
//! constants, which depend on the instructions that there are.
//!
//! Costs: one walk, and a commit if anything was folded. Gains: most in unoptimized input, where conditions go through
//! integers and bytes; everywhere, what other passes bring together.

mod casts;
mod comparisons;
mod floats;
mod integers;
mod selects;

use crate::constants::int_value;
use crate::registry::NoOptions;
use frazil_ir::pass::{FunctionPass, Level, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::{Block, Editor, Effects, EntityRef, Format, Function, Inst, InstData, Opcode, Operand, Results, Type};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "fold",
    summary: "folds constants and replaces operations by cheaper ones that give the same",
    level: Level::Function,
    required: false,
    after: &[],
    before: &[],
};

/// Constant folding and algebraic simplification.
#[derive(Debug)]
pub struct Fold;

/// Makes the pass for one step of a recipe, as the registry asks for it.
pub fn make(_: NoOptions) -> Fold {
    Fold
}

/// An instruction is rewritten at most so often; each rule leads towards simpler ones, this bounds mistakes.
const MOST_REWRITES: u32 = 16;

impl FunctionPass for Fold {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        let mut editor: Box<Editor> = cx.take_scratch();
        editor.begin(function);
        let mut folder = Folder {
            f: function,
            editor: &mut editor,
            pointer_bits: cx.module.data_layout.pointer_bits,
            folded: 0,
            branches: 0,
            unused: Vec::new(),
        };
        folder.walk();
        let (folded, branches) = (folder.folded, folder.branches);
        let changed = editor.has_edits();
        editor.commit(function);
        cx.return_scratch(editor);
        cx.count("instructions folded", folded);
        cx.count("branches inverted", branches);
        Ok(match (changed, branches) {
            (false, _) => Preserved::unchanged(),
            (true, 0) => Preserved::cfg(),
            (true, _) => Preserved::none(),
        })
    }
}

/// What takes the place of an instruction.
#[derive(Clone, Copy, Debug)]
enum Folded {
    /// An operand: the instruction goes.
    To(Operand),
    /// Another instruction with the same result.
    Into(InstData),
}

/// What a rule says: nothing if it does not apply.
type Rule = Option<Folded>;

/// The walk, and what rules may ask and do.
struct Folder<'a> {
    f: &'a mut Function,
    editor: &'a mut Editor,
    pointer_bits: u32,
    folded: u64,
    branches: u64,
    /// Operands that may have lost their last use.
    unused: Vec<Operand>,
}

impl Folder<'_> {
    fn walk(&mut self) {
        for block in self.f.block_ids() {
            for position in self.f.block_insts(block) {
                let inst = Inst::new(position);
                let data = self.f.inst(inst);
                match data.op.effects() {
                    Effects::Pure if data.op != Opcode::Phi && data.op != Opcode::Nop => self.rewrite(inst),
                    Effects::Trap => self.rewrite(inst),
                    _ if data.op == Opcode::Branch => self.invert_branch(block, inst),
                    _ => {}
                }
            }
        }
    }

    /// Applies rules to an instruction until none applies.
    fn rewrite(&mut self, inst: Inst) {
        for _ in 0..MOST_REWRITES {
            let mut data = *self.f.inst(inst);
            self.resolve_words(&mut data);
            if data.op.results() == Results::TyAndBool {
                return self.fold_overflow(inst, &data);
            }
            match self.rule(inst, &data) {
                None => return,
                Some(Folded::To(operand)) => {
                    let result = data.first_result().expect("what is folded has a result");
                    if operand == Operand::value(result) {
                        // Out of reach, where values may be defined by themselves.
                        return;
                    }
                    let operands = self.operands(inst);
                    self.editor.replace_uses(self.f, result, operand);
                    self.editor.remove(self.f, inst);
                    self.drop_unused(&operands);
                    self.folded += 1;
                    return;
                }
                Some(Folded::Into(new)) => {
                    let operands = self.operands(inst);
                    self.editor.replace(self.f, inst, new);
                    self.drop_unused(&operands);
                }
            }
            self.folded += 1;
        }
    }

    /// The operands of an instruction, at most three.
    fn operands(&mut self, inst: Inst) -> [Operand; 3] {
        let mut operands = [Operand::NONE; 3];
        let mut next = operands.iter_mut();
        self.f.for_each_operand(self.f.inst(inst), |operand| {
            if let Some(place) = next.next() {
                *place = self.editor.resolve(operand);
            }
        });
        operands
    }

    /// Removes the instructions that define these operands if nothing uses them any more, so that use counts tell who
    /// is alone.
    fn drop_unused(&mut self, operands: &[Operand]) {
        self.unused.extend_from_slice(operands);
        while let Some(operand) = self.unused.pop() {
            let Some(value) = operand.as_value().filter(|value| self.f.use_count(*value) == 0) else {
                continue;
            };
            let Some(inst) = self.f.def_inst(value) else { continue };
            let data = *self.f.inst(inst);
            let one_result = !matches!(data.op.results(), Results::TyAndBool);
            if matches!(data.op.effects(), Effects::Pure | Effects::Trap) && one_result {
                let operands = self.operands(inst);
                self.editor.remove(self.f, inst);
                self.unused.extend_from_slice(&operands);
            }
        }
    }

    /// Follows replacements in the operand words of an instruction.
    fn resolve_words(&mut self, data: &mut InstData) {
        match data.op.format() {
            Format::Unary | Format::Branch | Format::Ternary => data.a = self.editor.resolve(data.a),
            Format::Binary => {
                data.a = self.editor.resolve(data.a);
                data.b = self.editor.resolve(data.b);
            }
            _ => {}
        }
    }

    fn rule(&mut self, inst: Inst, data: &InstData) -> Rule {
        use Opcode as O;
        match data.op {
            O::Copy => Some(Folded::To(data.a)),
            O::Freeze => self.fold_freeze(data),
            O::Select => self.fold_select(inst, data),
            O::Fshl | O::Fshr => self.fold_funnel_shift(data),
            O::PtrAdd | O::PtrIndex => self.fold_address(data),
            op if op.is_icmp() => self.fold_compare(data),
            op if op.is_fcmp() => self.fold_float_compare(data),
            op if frazil_ir::typing::is_cast(op) => self.fold_cast(inst, data),
            op if (O::Add as u8..=O::Bitreverse as u8).contains(&(op as u8)) => self.fold_integer(inst, data),
            op if (O::Fadd as u8..=O::Fmaximum as u8).contains(&(op as u8)) => self.fold_float(data),
            _ => None,
        }
    }

    /// Branches on the opposite the other way round.
    fn invert_branch(&mut self, block: Block, inst: Inst) {
        let data = *self.f.inst(inst);
        let mut condition = self.editor.resolve(data.a);
        let mut ways = (data.target(), data.else_target());
        let mut changed = false;
        for _ in 0..MOST_REWRITES {
            let Some(opposite) = self.negated(condition) else { break };
            (condition, ways, changed) = (opposite, (ways.1, ways.0), true);
        }
        if changed {
            let branch = InstData::branch(condition, ways.0, ways.1);
            self.editor.set_terminator(self.f, block, branch);
            self.branches += 1;
        }
    }

    fn fold_freeze(&mut self, data: &InstData) -> Rule {
        if int_value(self.f, data.a).is_some() || data.a.as_symbol().is_some() {
            return Some(Folded::To(data.a));
        }
        let def = self.def(data.a)?;
        (def.op == Opcode::Freeze).then_some(Folded::To(data.a))
    }

    /// The instruction that defines an operand, its operand words resolved.
    fn def(&mut self, operand: Operand) -> Option<InstData> {
        let inst = self.f.def_inst(operand.as_value()?)?;
        let mut data = *self.f.inst(inst);
        self.resolve_words(&mut data);
        Some(data)
    }

    /// The same, if it is of this opcode.
    fn def_of(&mut self, operand: Operand, op: Opcode) -> Option<InstData> {
        self.def(operand).filter(|data| data.op == op)
    }

    /// Whether an operand is a value with one use, so that what defines it goes when the use does.
    fn has_one_use(&self, operand: Operand) -> bool {
        operand.as_value().is_some_and(|value| self.f.use_count(value) == 1)
    }

    /// The operands of a `Ternary` instruction after the first.
    fn ternary(&mut self, data: &InstData) -> (Operand, Operand) {
        let (second, third) = self.f.ternary(data);
        (self.editor.resolve(second), self.editor.resolve(third))
    }

    /// The width of a scalar integer type of at most 128 bits.
    fn int_bits(&self, ty: Type) -> Option<u32> {
        self.f.types().int_bits(ty).filter(|&bits| bits <= 128)
    }

    /// The type of an operand that is a value or a typed constant.
    fn type_of(&self, operand: Operand) -> Option<Type> {
        self.f.operand_type(operand)
    }

    fn int(&self, operand: Operand) -> Option<i128> {
        int_value(self.f, operand)
    }

    fn is_int(&self, operand: Operand, value: i128) -> bool {
        self.int(operand) == Some(value)
    }

    /// The operand that an integer is.
    fn constant(&mut self, ty: Type, value: i128) -> Operand {
        self.f.int_operand(ty, value)
    }

    fn int_result(&mut self, ty: Type, value: i128) -> Rule {
        Some(Folded::To(self.constant(ty, value)))
    }

    fn bool_result(value: bool) -> Rule {
        Some(Folded::To(bool_operand(value)))
    }

    /// What an operand is the opposite of, if it is an `i1`.
    fn negated(&mut self, operand: Operand) -> Option<Operand> {
        let data = self.def_of(operand, Opcode::Xor)?;
        (data.ty == Type::I1 && self.is_int(data.b, -1)).then_some(data.a)
    }
}

/// An instruction with one operand and without flags.
fn unary(op: Opcode, ty: Type, a: Operand) -> Rule {
    Some(Folded::Into(InstData::new(op, ty, 0, a, Operand::NONE)))
}

/// An instruction with two operands.
fn binary(op: Opcode, ty: Type, flags: u16, a: Operand, b: Operand) -> Rule {
    Some(Folded::Into(InstData::new(op, ty, flags, a, b)))
}

/// The opposite of an `i1`.
fn not(operand: Operand) -> Rule {
    binary(Opcode::Xor, Type::I1, 0, operand, bool_operand(true))
}

fn bool_operand(value: bool) -> Operand {
    Operand::imm(-i64::from(value)).expect("0 and -1 are small")
}
