//! A body that is being read, and the operands of its records.

use crate::bitstream::block::SubBlock;
use crate::bitstream::record::Record;
use crate::builder::values::Builder;
use crate::builder::word::Word;
use crate::error::ReadError;
use crate::llvm::attributes::Hooks;
use crate::llvm::metadata::Outer;
use crate::llvm::module::BitcodeModule;
use crate::llvm::old_forms::OldForms;
use crate::llvm::types::{Kind, TypeId};
use frazil_ir::debug::LocationId;
use frazil_ir::{EntityRef, InstData};

/// A body that is being read.
pub(crate) struct Body<'r, 'm> {
    pub(crate) build: Builder<'r, 'm>,
    pub(in crate::llvm) module: &'m BitcodeModule<'m>,
    /// Whether a block has been opened that no terminator has ended.
    pub(crate) open: bool,
    /// How many phis the block has so far.
    pub(in crate::llvm) phis: u32,
    /// Whether the block has calls that have left no instruction and no value.
    pub(crate) others: bool,
    /// Whether operand bundles that matter stand before the next call.
    pub(crate) bundles: bool,
    /// How many instructions there were and which value was the next at the operand bundles that wait for their call.
    pub(in crate::llvm) bundle_place: Option<(usize, u32)>,
    /// The same after a `musttail` call of an intrinsic that has become something else.
    pub(in crate::llvm) must_tail: Option<(usize, u32)>,
    /// How many constants are made at the beginning of the function. When more are wanted, the body is read again, and
    /// what this reading builds does not matter.
    pub(in crate::llvm) early: usize,
    /// Whether instructions are counted, because some of them are marked.
    pub(in crate::llvm) marks: bool,
    /// What its landing pads make and its resumes take, once there is one.
    pub(in crate::llvm) exception_type: Option<TypeId>,
    /// Whether operands are numbers of values, not distances.
    pub(in crate::llvm) has_numbers: bool,
    /// What is known of old forms of records.
    pub(in crate::llvm) old: OldForms,
    /// What the function returns.
    pub(in crate::llvm) result: TypeId,
    /// What is called where the function begins and returns.
    pub(in crate::llvm) hooks: Hooks,
    /// The function's own metadata.
    pub(in crate::llvm) metadata: Option<SubBlock>,
    pub(in crate::llvm) outer_metadata: &'r mut Option<Box<Outer<'m>>>,
    /// What is remembered of debug information, in modules that have some.
    pub(in crate::llvm) debug: DebugState,
}

/// What is remembered of debug information from record to record.
#[derive(Debug, Default)]
pub(in crate::llvm) struct DebugState {
    /// How many instructions there were before the last record of an instruction.
    pub(in crate::llvm) first: usize,
    /// The location that was given last.
    pub(super) last: LocationId,
    /// Which values of variables have which numbers of the file.
    pub(super) numbers: Vec<(usize, u64)>,
    /// Which values of variables are assignments, ascending, and the numbers of the addresses that these write.
    pub(super) assignments: Vec<(usize, Option<u64>)>,
    /// The value of a variable that the last record, a call, has named, and whose location follows.
    pub(super) unplaced: Option<usize>,
}

impl DebugState {
    /// Says that the record of an instruction follows, and how many instructions there are.
    #[inline]
    pub(in crate::llvm) fn begin(&mut self, first: usize) {
        self.first = first;
        self.unplaced = None;
    }
}

/// Operands of a record that are read one after another.
pub(crate) struct Operands<'r> {
    pub(crate) record: &'r Record,
    pub(crate) at: usize,
}

impl<'r> Operands<'r> {
    /// The next operand.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<u64, ReadError> {
        let value = self.record.operand(self.at)?;
        self.at += 1;
        Ok(value)
    }

    /// The next operand, or 0 if there are no more.
    #[inline]
    pub(crate) fn next_or_zero(&mut self) -> u64 {
        let value = self.record.operands().get(self.at).copied().unwrap_or(0);
        self.at += 1;
        value
    }

    /// All operands that are left.
    pub(crate) fn rest(&self) -> &'r [u64] {
        self.record.operands().get(self.at..).unwrap_or_default()
    }
}

impl Body<'_, '_> {
    /// An operand that carries its type if it is not defined yet.
    #[inline]
    pub(crate) fn value(&mut self, operands: &mut Operands<'_>) -> Result<Word, ReadError> {
        let number = self.number(operands.next()?);
        if number < self.build.next {
            return self.build.word(number);
        }
        let ty = self.build.type_id(operands.next()?)?;
        self.build.forward(number, ty)
    }

    /// An operand of the same type as `like`.
    #[inline]
    pub(crate) fn value_like(&mut self, operands: &mut Operands<'_>, like: Word) -> Result<Word, ReadError> {
        let number = self.number(operands.next()?);
        if number >= self.build.next {
            return if like.is_operand() {
                self.build.forward_scalar(number, like.ir_type(), like.ty())
            } else {
                self.build.forward(number, like.ty())
            };
        }
        let word = self.build.word(number)?;
        let same = if like.is_operand() {
            word.is_operand() && word.ir_type() == like.ir_type()
        } else {
            !word.is_operand() && word.ty() == like.ty()
        };
        if same {
            Ok(word)
        } else {
            Err(self.build.malformed("two operands of different types"))
        }
    }

    /// An operand whose type is known from the place.
    #[inline]
    pub(crate) fn value_of_type(&mut self, operands: &mut Operands<'_>, ty: TypeId) -> Result<Word, ReadError> {
        let number = self.number(operands.next()?);
        if number >= self.build.next {
            return self.build.forward(number, ty);
        }
        let word = self.build.word(number)?;
        self.build.expect_type(word, ty)?;
        Ok(word)
    }

    /// The value number of an operand.
    #[inline]
    pub(crate) fn number(&self, operand: u64) -> u32 {
        match self.has_numbers {
            false => self.distant(operand),
            true => operand as u32,
        }
    }

    /// The number of the value that is so many before the next one.
    #[inline]
    pub(in crate::llvm) fn distant(&self, distance: u64) -> u32 {
        self.build.next.wrapping_sub(distance as u32)
    }

    /// A checked block number; the entry block is nobody's target.
    #[inline]
    pub(crate) fn target(&self, number: u64) -> Result<frazil_ir::Block, ReadError> {
        if number > 0 && number < u64::from(self.build.block_count) {
            return Ok(frazil_ir::Block::new(number as usize));
        }
        let message = format!(
            "a branch to block {number}; expected 1 to {}",
            self.build.block_count.saturating_sub(1)
        );
        Err(self.build.malformed(message))
    }

    /// Whether the block has anything but so many phis; so may do what constants are made of, which the second reading
    /// makes elsewhere.
    pub(in crate::llvm) fn is_behind_others(&self, phis: u32) -> bool {
        let is_first = self.build.at_phis() && self.build.state.uses.is_value_of_block(phis, self.build.next);
        self.others || !is_first && self.build.state.early.len() == self.early
    }

    /// Whether the block has anything but phis.
    pub(in crate::llvm) fn is_behind_phis(&self) -> bool {
        self.is_behind_others(self.phis)
    }

    /// Whether instructions of a type may have fast-math flags.
    pub(in crate::llvm) fn may_be_float(&self, ty: TypeId) -> bool {
        let types = &self.build.module.types;
        let mut ty = ty;
        if let Some(Kind::Struct { members, .. }) = types.kind(ty) {
            match types.members(members) {
                [first, rest @ ..] if rest.iter().all(|member| member == first) => ty = *first,
                _ => return false,
            }
        }
        while let Some(&Kind::Array { element, .. }) = types.kind(ty) {
            ty = element;
        }
        if let Some(&Kind::Vector { element, .. }) = types.kind(ty) {
            ty = element;
        }
        matches!(types.kind(ty), Some(Kind::Float(_) | Kind::Other(_)))
    }

    /// Notes a `musttail` call of an intrinsic that has become something else: a return must follow.
    #[cold]
    pub(in crate::llvm) fn note_must_tail(&mut self, result: TypeId) -> Result<(), ReadError> {
        let is_same = self.build.module.types.is_same(result, self.result);
        if self.must_tail.is_some() || !is_same {
            return Err(self.not_returned());
        }
        self.must_tail = Some(self.here());
        Ok(())
    }

    /// A return, which returns what a `musttail` call just before it does.
    #[inline]
    pub(in crate::llvm) fn take_must_tail(&mut self, operands: &Operands<'_>) -> Result<(), ReadError> {
        match self.must_tail.take() {
            Some(place) if place != self.here() || !self.returns_last(operands) => Err(self.not_returned()),
            _ => Ok(()),
        }
    }

    /// Whether a return has nothing or the last value.
    fn returns_last(&self, operands: &Operands<'_>) -> bool {
        match *operands.rest() {
            [] => true,
            [value] => self.number(value) == self.distant(1),
            _ => false,
        }
    }

    #[cold]
    pub(in crate::llvm) fn not_returned(&self) -> ReadError {
        self.build
            .malformed("a musttail call of an intrinsic that is not followed by a return of its result")
    }

    pub(in crate::llvm) fn here(&self) -> (usize, u32) {
        (self.build.function.insts().len(), self.build.next)
    }

    /// A call takes the operand bundles before it; between them, there must be nothing.
    #[inline]
    pub(in crate::llvm) fn take_bundles(&mut self) -> Result<(), ReadError> {
        match self.bundle_place.take() {
            Some(place) if place != self.here() => Err(self.lost_bundles()),
            _ => Ok(()),
        }
    }

    #[cold]
    pub(in crate::llvm) fn lost_bundles(&self) -> ReadError {
        self.build.malformed("operand bundles that no call follows")
    }
}

impl Body<'_, '_> {
    /// What an address points to, where a record does not say it.
    ///
    /// # Errors
    /// If it is not known. If it could be, the body is to be read once more.
    #[cold]
    pub(in crate::llvm) fn pointee(&mut self, address: Word) -> Result<TypeId, ReadError> {
        let types = &self.build.module.types;
        let mut kind = types.kind(address.ty());
        if let Some(&Kind::Vector { element, .. }) = kind {
            kind = types.kind(element);
        }
        if let Some(&Kind::Pointer {
            pointee: Some(pointee), ..
        }) = kind
        {
            return Ok(pointee);
        }
        self.old.wants_tracking = true;
        let message = "an access that does not say of what type, by an address that does not point to one";
        Err(self.build.malformed(message))
    }
}

/// Appends a terminator.
#[inline]
pub(in crate::llvm) fn terminate(body: &mut Body<'_, '_>, data: InstData) {
    body.build.function.push_inst(data);
    body.open = false;
}

/// Whether the word is a function's or another symbol's address; used by calls.
pub(super) fn pointee_function(body: &Body<'_, '_>, word: Word) -> Option<u32> {
    match body.build.module.types.kind(word.ty()) {
        Some(&Kind::Pointer { pointee, .. }) => pointee,
        _ => None,
    }
}
