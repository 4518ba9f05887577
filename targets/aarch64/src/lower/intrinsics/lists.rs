//! Intrinsics with several vectors in registers that follow each other: structures in memory, and tables.
//!
//! The registers are always those of [`LIST`], to which values are brought before and from which results are taken
//! after the instruction.

use super::super::result;
use super::{Call, Geometry, list_len};
use crate::build::*;
use crate::regs::{LIST, VECTOR_BYTES};
use crate::table::{Op, ROWS};
use frazil_codegen::{CodegenError, LowerCtx, MInst, PRegSet, Reg};
use frazil_ir::{EntityRef, Type, Value};

impl Call {
    /// The registers of an instruction.
    fn list(op: Op) -> &'static [Reg] {
        &LIST[..usize::from(list_len(op))]
    }

    /// The size and lanes of an access to vectors of this type.
    fn accessed<C: LowerCtx>(&self, cx: &C, op: Op, ty: Option<&Type>) -> Result<Geometry, CodegenError> {
        let geometry = ty.and_then(|&ty| self.geometry(cx, ty));
        geometry
            .filter(|found| ROWS[op as usize].has_lanes(found.size, found.lane_log2))
            .ok_or_else(|| self.refuse("of these types"))
    }

    /// Which of two instructions is meant: that for vectors of one lane has its lanes one after another.
    fn chosen<C: LowerCtx>(&self, cx: &C, op: Op, of_one_lane: Op, ty: Option<&Type>) -> Op {
        let geometry = ty.and_then(|&ty| self.geometry(cx, ty));
        match geometry {
            Some(Geometry { size: 8, lane_log2: 3 }) => of_one_lane,
            _ => op,
        }
    }

    /// The value of a result by its number.
    fn value(&self, index: usize) -> Value {
        Value::new(result(&self.data).index() + index)
    }

    /// Takes the first arguments into the list.
    fn use_list<C: LowerCtx>(&self, cx: &mut C, first: usize, list: &[Reg]) -> Result<(), CodegenError> {
        if self.args.len() < first + list.len() {
            return Err(self.refuse("with other operands"));
        }
        for (&arg, &reg) in self.args[first..].iter().zip(list) {
            cx.use_fixed(arg, 0, reg);
        }
        Ok(())
    }

    fn access<C: LowerCtx>(&self, cx: &mut C, op: Op, geometry: Geometry, imm: i32) -> Result<(), CodegenError> {
        let pointer = *self.args.last().ok_or_else(|| self.refuse("without an address"))?;
        let base = cx.use_reg(pointer, 0);
        let inst = MInst::new(op as u16, geometry.size).with_regs([Reg::NONE, base, Reg::NONE]);
        cx.emit(inst.with_aux(geometry.lane_log2).with_imm(imm));
        Ok(())
    }

    pub(super) fn load<C: LowerCtx>(&self, cx: &mut C, op: Op, of_one_lane: Op) -> Result<(), CodegenError> {
        let op = self.chosen(cx, op, of_one_lane, self.results.first());
        let geometry = self.accessed(cx, op, self.results.first())?;
        let list = Self::list(op);
        cx.claim(PRegSet::of(list));
        self.access(cx, op, geometry, 0)?;
        self.define(cx, list);
        Ok(())
    }

    fn define<C: LowerCtx>(&self, cx: &mut C, list: &[Reg]) {
        for (index, &reg) in list.iter().enumerate() {
            cx.def_fixed(self.value(index), 0, reg);
        }
    }

    pub(super) fn store<C: LowerCtx>(&self, cx: &mut C, op: Op, of_one_lane: Op) -> Result<(), CodegenError> {
        let op = self.chosen(cx, op, of_one_lane, self.params.first());
        let geometry = self.accessed(cx, op, self.params.first())?;
        self.use_list(cx, 0, Self::list(op))?;
        self.access(cx, op, geometry, 0)
    }

    /// The number of the lane, which comes after the vectors.
    fn lane(&self, list: &[Reg]) -> Result<i32, CodegenError> {
        let lane = self.args.get(list.len()).and_then(|arg| arg.as_imm());
        let lane = lane.ok_or_else(|| self.refuse("with a lane that is no constant"))?;
        i32::try_from(lane).map_err(|_| self.refuse("with a lane out of range"))
    }

    /// What an instruction with one lane of vectors of this type has: all of their registers.
    fn lane_geometry<C: LowerCtx>(&self, cx: &C, op: Op) -> Result<Geometry, CodegenError> {
        let refused = || self.refuse("of these types");
        let ty = *self.params.first().ok_or_else(refused)?;
        let found = Geometry {
            size: VECTOR_BYTES,
            ..self.geometry(cx, ty).ok_or_else(refused)?
        };
        let is_known = ROWS[op as usize].has_lanes(found.size, found.lane_log2);
        is_known.then_some(found).ok_or_else(refused)
    }

    pub(super) fn load_lane<C: LowerCtx>(&self, cx: &mut C, op: Op) -> Result<(), CodegenError> {
        let list = Self::list(op);
        let (geometry, lane) = (self.lane_geometry(cx, op)?, self.lane(list)?);
        self.use_list(cx, 0, list)?;
        self.access(cx, op, geometry, lane)?;
        self.define(cx, list);
        Ok(())
    }

    pub(super) fn store_lane<C: LowerCtx>(&self, cx: &mut C, op: Op) -> Result<(), CodegenError> {
        let list = Self::list(op);
        let (geometry, lane) = (self.lane_geometry(cx, op)?, self.lane(list)?);
        self.use_list(cx, 0, list)?;
        self.access(cx, op, geometry, lane)
    }

    /// Bytes of a table of `count` vectors by their numbers. Those that are out of range are zero, or what the first
    /// argument has.
    pub(super) fn look_up<C: LowerCtx>(
        &self,
        cx: &mut C,
        op: Op,
        count: u8,
        is_over: bool,
    ) -> Result<(), CodegenError> {
        let first = usize::from(is_over);
        let geometry = self
            .geometry(cx, self.result_type()?)
            .ok_or_else(|| self.refuse("of these types"))?;
        self.use_list(cx, first, &LIST[..usize::from(count)])?;
        let numbers = *self.args.last().ok_or_else(|| self.refuse("with other operands"))?;
        let numbers = cx.use_reg(numbers, 0);
        let dst = if is_over {
            let start = cx.use_last(self.args[0], 0);
            cx.def_reuse(result(&self.data), 0, start)
        } else {
            cx.def(result(&self.data), 0)
        };
        cx.emit(rr(op, geometry.size, dst, numbers));
        Ok(())
    }
}
