//! Rules about the types of operands.

use super::Verifier;
use crate::constant::ConstKind;
use crate::entities::Inst;
use crate::flags::{CallFlags, flag_kind};
use crate::function::InstData;
use crate::opcode::{Format, Opcode};
use crate::operand::{Operand, OperandKind};
use crate::signature::{Param, ParamKind, Signature};
use crate::types::{Type, TypeData};
use crate::typing::{SlotType, is_result_type, slot_type};
use frazil_support::EntityRef;

impl Verifier<'_> {
    /// Checks flags and types of every instruction.
    pub(super) fn types(&mut self) {
        let function = self.function;
        self.signature_rules(&function.signature);
        for signature in &function.sigs {
            self.signature_rules(signature);
        }
        for block in function.block_ids() {
            self.block = Some(block);
            for position in function.block_insts(block) {
                self.inst = Some(Inst::new(position));
                self.inst_rules(&function.insts[position]);
            }
        }
        (self.block, self.inst) = (None, None);
    }

    fn signature_rules(&mut self, signature: &Signature) {
        let count = signature.params.len();
        let fixed = signature.fixed_params as usize;
        let counts_fit = if signature.variadic {
            fixed <= count
        } else {
            fixed == count
        };
        self.check(
            counts_fit,
            "a signature has more fixed parameters than parameters, or fewer without being variadic",
        );
        self.check(
            signature.keeps.is_none() || signature.returns.is_empty() && !signature.variadic,
            "a signature that says which registers are kept returns nothing and takes no variable arguments",
        );
        let all = signature.params.iter().chain(&signature.returns);
        let has_void = all.clone().any(|param| param.ty == Type::VOID);
        self.check(!has_void, "a signature has a parameter or return value of type void");
        let are_arrays_whole = (0..count).all(|index| is_array_whole(&signature.params[index..]));
        let has_returned = signature.returns.iter().any(|param| param.array > 0);
        self.check(
            are_arrays_whole && !has_returned,
            "a signature has an array that is no run of plain parameters of one type",
        );
    }

    fn inst_rules(&mut self, data: &InstData) {
        if data.flags & !flag_kind(data.op).allowed_bits() != 0 {
            self.error("a flag that the opcode does not have");
        }
        if let Some(fixed) = data.op.fixed_type()
            && fixed != data.ty
        {
            return self.error("the instruction's type is not the one of its opcode");
        }
        if let Err(message) = self.type_rules(data) {
            return self.error(message);
        }
        for (index, value) in self.function.results(data).enumerate() {
            let actual = self.function.value(value).ty;
            if !is_result_type(self.function, data, index, actual) {
                self.error(format!("result {value:?} has the wrong type"));
            }
        }
        match data.op.format() {
            Format::Call | Format::Invoke => self.call_rules(data),
            Format::LandingPad => self.clause_rules(data),
            _ if data.op == Opcode::Return => {
                let returns = &self.function.signature.returns;
                self.arguments(self.function.list(data), returns, "returned value");
            }
            Format::Switch => self.switch_rules(data),
            _ => self.slots(data),
        }
    }

    fn slots(&mut self, data: &InstData) {
        let mut operands = [Operand::NONE; 3];
        let mut count = 0;
        let mut bad = None;
        self.function.for_each_operand(data, |operand| {
            if count < operands.len() {
                operands[count] = operand;
            }
            if bad.is_none() && !self.slot_fits(data, count, operand, operands[0]) {
                bad = Some(count);
            }
            count += 1;
        });
        if let Some(slot) = bad {
            self.error(format!(
                "operand {slot} has the wrong type, or is an immediate where none may stand"
            ));
        }
    }

    fn slot_fits(&self, data: &InstData, slot: usize, operand: Operand, first: Operand) -> bool {
        let types = &self.function.types;
        let own = self.function.operand_type(operand);
        if self.is_asm(operand) {
            return false;
        }
        match slot_type(self.function, data, slot, self.module.data_layout.pointer_bits) {
            SlotType::Exact(ty) => self.fits(operand, ty) || self.is_vector_of_offsets(data, slot, own),
            SlotType::Pointer => match own {
                Some(ty) => matches!(types.data(ty), TypeData::Ptr(_)),
                None => true,
            },
            SlotType::AnyInt => own.is_none_or(|ty| types.int_bits(ty).is_some()),
            SlotType::Condition => match (own.map(|ty| types.data(ty)), types.data(data.ty)) {
                (None, _) => self.fits(operand, Type::I1),
                (Some(TypeData::Int(1)), _) => true,
                (Some(TypeData::Vector { element: Type::I1, lanes }), TypeData::Vector { lanes: wanted, .. }) => {
                    lanes == wanted
                }
                _ => false,
            },
            SlotType::LikeFirst => match self.function.operand_type(first) {
                Some(ty) => self.fits(operand, ty),
                None => false,
            },
            SlotType::Carried => own.is_some(),
            SlotType::Mask => operand.as_const().is_some_and(|id| {
                let element = Type::I32;
                matches!(types.data(self.function.consts[id.index()].ty), TypeData::Vector { element: found, .. } if found == element)
            }),
        }
    }

    /// Vectors of pointers take vectors of offsets.
    fn is_vector_of_offsets(&self, data: &InstData, slot: usize, own: Option<Type>) -> bool {
        let types = &self.function.types;
        let lanes_of = |ty| match types.data(ty) {
            TypeData::Vector { lanes, element } => Some((lanes, element)),
            _ => None,
        };
        let is_address = matches!(data.op, Opcode::PtrAdd | Opcode::PtrIndex) && slot == 1;
        match (is_address, lanes_of(data.ty), own.and_then(lanes_of)) {
            (true, Some((lanes, _)), Some((offsets, element))) => lanes == offsets && types.int_bits(element).is_some(),
            _ => false,
        }
    }

    /// Whether an operand may stand where `ty` is wanted.
    pub(super) fn fits(&self, operand: Operand, ty: Type) -> bool {
        match operand.kind() {
            OperandKind::Imm(value) => match self.function.types.data(ty) {
                TypeData::Int(bits) => {
                    let spare = 64u32.saturating_sub(bits);
                    (i64::from(value) << spare) >> spare == i64::from(value)
                }
                TypeData::Ptr(_) => true,
                _ => false,
            },
            _ => self.function.operand_type(operand) == Some(ty) && !self.is_asm(operand),
        }
    }

    fn is_asm(&self, operand: Operand) -> bool {
        operand
            .as_const()
            .is_some_and(|id| self.function.consts[id.index()].kind == ConstKind::Asm)
    }

    fn arguments(&mut self, operands: &[Operand], params: &[Param], what: &str) {
        if operands.len() != params.len() {
            let message = format!(
                "there are {} operands, the signature has {}",
                operands.len(),
                params.len()
            );
            return self.error(message);
        }
        for (index, (&operand, param)) in operands.iter().zip(params).enumerate() {
            if !self.fits(operand, param.ty) {
                self.error(format!("{what} {index} has another type than the signature says"));
            }
        }
    }

    fn call_rules(&mut self, data: &InstData) {
        let call = self.function.call(data);
        let params = &self.function.sig(call.sig).params;
        self.arguments(call.args, params, "argument");
        if data.op.is_hook_call() {
            let is_plain = call.callee.as_symbol().is_some() && self.function.sig(call.sig).returns.is_empty();
            return self.check(is_plain, "a hook is a symbol, and returns nothing");
        }
        let follows = CallFlags::FOLLOWS_NEXT | CallFlags::FOLLOWS_PREVIOUS;
        self.check(
            data.flags & follows.bits() == 0,
            "a call that is no hook follows nothing",
        );
        let is_asm = data.flags & CallFlags::INLINE_ASM.bits() != 0;
        if is_asm || self.is_asm(call.callee) {
            return self.check(
                is_asm && self.is_asm(call.callee),
                "inline assembly and its flag stand together",
            );
        }
        let is_pointer = match self.function.operand_type(call.callee) {
            Some(ty) => matches!(self.function.types.data(ty), TypeData::Ptr(_)),
            None => true,
        };
        self.check(is_pointer, "the callee is no pointer");
    }

    fn switch_rules(&mut self, data: &InstData) {
        if !self.fits(data.a, data.ty) {
            return self.error("the switch's operand has another type than the switch");
        }
        let (_, cases) = self.function.switch(data);
        let mut seen = frazil_support::FxHashSet::default();
        for pair in cases.chunks_exact(2) {
            let words: Vec<u64> = match pair[0].kind() {
                OperandKind::Imm(value) => vec![i64::from(value).cast_unsigned()],
                OperandKind::Const(id) => match self.function.constant(id).1 {
                    crate::ConstView::Int(words) => words.to_vec(),
                    _ => Vec::new(),
                },
                _ => Vec::new(),
            };
            let words = shortest(words);
            if words.is_empty() || !self.fits(pair[0], data.ty) {
                return self.error("a case is no constant of the switch's type");
            }
            if !seen.insert(words) {
                return self.error("two cases have the same value");
            }
        }
    }

    fn clause_rules(&mut self, data: &InstData) {
        let mut words = self.function.landing_pad_clauses(data);
        while let Some((header, rest)) = words.split_first() {
            let (operands, rest) = rest.split_at((header.as_raw() >> 2) as usize);
            words = rest;
            let all_exist = operands.iter().all(|&operand| self.is_clause_operand(operand));
            self.check(all_exist, "a clause names what is no constant pointer");
        }
    }

    fn is_clause_operand(&self, operand: Operand) -> bool {
        if operand.is_none() {
            return false;
        }
        match operand.kind() {
            OperandKind::Value(_) => false,
            OperandKind::Imm(value) => value == 0,
            OperandKind::Const(id) => id.index() < self.function.consts.len() && self.fits(operand, Type::PTR),
            OperandKind::Symbol(symbol) => symbol.index() < self.module.symbols.len(),
        }
    }
}

/// Little-endian words of a sign-extended integer without those that only repeat the sign.
fn shortest(mut words: Vec<u64>) -> Vec<u64> {
    while let [.., below, top] = words[..] {
        if top != (below.cast_signed() >> 63).cast_unsigned() {
            break;
        }
        words.pop();
    }
    words
}

/// Whether the parameters that the first one says to be an array's elements are: of one type, plain, and no beginning
/// of another one.
fn is_array_whole(params: &[Param]) -> bool {
    let Some((first, rest)) = params.split_first() else {
        return true;
    };
    let count = usize::from(first.array);
    let Some(rest) = rest.get(..count.saturating_sub(1)) else {
        return false;
    };
    let is_plain = |param: &Param| param.kind == ParamKind::Normal;
    let is_element = |param: &Param| is_plain(param) && param.ty == first.ty && param.array == 0;
    count == 0 || count > 1 && is_plain(first) && rest.iter().all(is_element)
}
