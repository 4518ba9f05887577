//! Sequences carried out: what they leave in registers, and which address they access.

use super::{ROWS, addresses, encoded, samples};
use crate::expand::{MAX_BYTES, expand, number};
use crate::ops::{Form, aux};
use crate::regs::{SP, XZR};
use crate::table::Op;
use frazil_codegen::{MInst, Mem, Reg};

/// General registers with a number each that tells it from the others.
struct Machine {
    registers: [u64; 33],
}

impl Machine {
    fn new() -> Machine {
        let mut registers = [0; 33];
        for (index, register) in registers.iter_mut().enumerate() {
            *register = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(index as u64 + 1);
        }
        Machine { registers }
    }

    fn read(&self, reg: Reg) -> u64 {
        if reg == XZR {
            0
        } else {
            self.registers[reg.number() as usize]
        }
    }

    fn write(&mut self, reg: Reg, size: u8, value: u64) {
        if reg != XZR {
            self.registers[reg.number() as usize] = if size == 8 { value } else { value & 0xffff_ffff };
        }
    }

    fn address(&self, mem: Mem, form: Form, is_signed: bool) -> u64 {
        let index = match mem.index_reg() {
            Reg::NONE => 0,
            index => self.read(index),
        };
        let index = match form {
            Form::LoadExtend | Form::StoreExtend if is_signed => i64::from(index as i32).cast_unsigned(),
            Form::LoadExtend | Form::StoreExtend => index & 0xffff_ffff,
            _ => index,
        };
        let base = if mem.base_reg().is_none() {
            0
        } else {
            self.read(mem.base_reg())
        };
        let disp = i64::from(mem.disp).cast_unsigned();
        base.wrapping_add(index << mem.scale_log2).wrapping_add(disp)
    }

    /// Carries out an instruction; gives the address if it is an access.
    fn execute(&mut self, inst: &MInst) -> Option<u64> {
        let row = &ROWS[usize::from(inst.op)];
        let [first, second, third] = inst.regs();
        let op = Op::ALL[usize::from(inst.op)];
        let imm = u64::from(inst.imm.cast_unsigned());
        let value = match op {
            Op::Movz => imm << inst.disp,
            Op::Movn => !(imm << inst.disp),
            Op::Movk => self.read(first) & !(0xffff << inst.disp) | imm << inst.disp,
            Op::OrrI => self.read(second) | number(inst),
            Op::AddI => self.read(second).wrapping_add(imm),
            Op::SubI => self.read(second).wrapping_sub(imm),
            Op::Add => self.read(second).wrapping_add(self.read(third) << inst.imm),
            Op::AddExt => {
                let index = self.read(third);
                let index = match inst.imm >> 3 {
                    2 => index & 0xffff_ffff,
                    3 => index,
                    6 => i64::from(index as i32).cast_unsigned(),
                    other => panic!("extension {other}"),
                };
                self.read(second).wrapping_add(index << (inst.imm & 7))
            }
            _ if row.code.form.has_mem() => {
                return Some(self.address(inst.mem(), row.code.form, inst.aux & aux::SIGNED_INDEX != 0));
            }
            other => panic!("{other:?} is in no sequence of these tests"),
        };
        self.write(first, inst.size, value);
        None
    }
}

#[test]
fn constants_are_those_that_are_asked_for() {
    for inst in samples(Op::MovImm) {
        let mut machine = Machine::new();
        expand(&inst, &mut |single| assert_eq!(machine.execute(single), None));
        let expected = if inst.size == 8 {
            number(&inst)
        } else {
            number(&inst) & 0xffff_ffff
        };
        assert_eq!(machine.read(inst.reg(0)), expected);
    }
}

#[test]
fn accesses_are_where_the_operand_says_and_change_nothing_but_the_encoders_register() {
    for &op in Op::ALL {
        let row = &ROWS[op as usize];
        if !row.code.form.has_mem() {
            continue;
        }
        for inst in samples(op).into_iter().filter(|inst| !inst.is_symbol()) {
            let mut machine = Machine::new();
            let is_signed = inst.aux & aux::SIGNED_INDEX != 0;
            let expected = machine.address(inst.mem(), row.code.form, is_signed);
            let before = machine.registers;
            let mut accessed = None;
            expand(&inst, &mut |single| {
                // But for what is loaded into the stack pointer, which is copied there.
                let is_over = accessed.is_some() && row.code.form != Form::LoadStack;
                assert!(!is_over, "the access comes last: {inst:?}");
                accessed = machine.execute(single).or(accessed);
            });
            let mut after = machine.registers;
            after[17] = before[17];
            match row.code.form {
                Form::StoreStack => after[16] = before[16],
                Form::LoadStack => after[31] = before[31],
                _ => {}
            }
            if row.code.form == Form::Address {
                assert_eq!(machine.read(inst.reg(0)), expected, "{inst:?}");
                after[inst.reg(0).number() as usize] = before[inst.reg(0).number() as usize];
            } else {
                assert_eq!(accessed, Some(expected), "{inst:?}");
            }
            assert_eq!(after, before, "{inst:?}");
            assert!(encoded(&inst).bytes.len() as u32 <= MAX_BYTES, "{inst:?}");
        }
    }
}

/// The address may be made in a register that is part of it.
#[test]
fn an_address_may_overwrite_its_parts() {
    for mem in addresses(8) {
        for dst in [mem.base_reg(), mem.index_reg()] {
            if !dst.is_register() || dst == SP && !mem.index_reg().is_none() && mem.disp == i32::MAX {
                continue;
            }
            let mut inst = MInst::new(Op::Address as u16, 8).with_mem(mem);
            inst.set_reg(0, dst);
            let mut machine = Machine::new();
            let expected = machine.address(mem, Form::Address, false);
            expand(&inst, &mut |single| assert_eq!(machine.execute(single), None));
            assert_eq!(machine.read(dst), expected, "{inst:?}");
        }
    }
}
