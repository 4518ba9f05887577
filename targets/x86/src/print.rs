//! Assembly text of one machine instruction, in AT&T syntax for the GNU assembler.
//!
//! What is printed gives the bytes that [`crate::encode`] made when it is assembled: the encoder chooses as the
//! assembler does, and where it did not (branches to labels that were not bound yet) the text says so. Names of labels
//! and symbols come from the caller. It prints no line ends and no indentation.

use crate::cond::Cond;
use crate::ops::{Code, Form, Imm, Kind, ROWS, Row, Width};
use crate::regs::name;
use frazil_codegen::{Label, MInst, Ref, RefKind, Reg};
use std::fmt::Write;

/// Names for what instructions refer to.
pub trait Names {
    /// Appends the name of a label of the function.
    fn label(&self, label: Label, out: &mut String);
    /// Appends the name of the symbol or constant that a reference names, without regard to how it is reached.
    fn target(&self, reference: Ref, out: &mut String);
}

/// Appends the text of `inst`, which the encoder made into `encoded_bytes` bytes.
pub fn print(inst: &MInst, encoded_bytes: u8, names: &dyn Names, out: &mut String) {
    let row = &ROWS[usize::from(inst.op)];
    let mut printer = Printer { inst, row, names, out };
    if row.code.form == Form::Nop {
        return printer.filler(encoded_bytes);
    }
    printer.mnemonic(encoded_bytes);
    printer.operands();
}

struct Printer<'a> {
    inst: &'a MInst,
    row: &'a Row,
    names: &'a dyn Names,
    out: &'a mut String,
}

impl Printer<'_> {
    /// The assembler would shorten the displacement of a longer no-operation, so they are bytes.
    fn filler(&mut self, encoded_bytes: u8) {
        let mut buf = frazil_codegen::CodeBuffer::new(false);
        crate::encode::encode(self.inst, &mut buf);
        debug_assert_eq!(buf.bytes.len(), usize::from(encoded_bytes));
        let mut separator = ".byte\t";
        for byte in buf.bytes {
            self.text(format_args!("{separator}{byte:#04x}"));
            separator = ", ";
        }
    }

    fn text(&mut self, arguments: std::fmt::Arguments<'_>) {
        self.out.write_fmt(arguments).expect("a string takes all text");
    }

    fn mnemonic(&mut self, encoded_bytes: u8) {
        let Row { code, mnemonic, .. } = self.row;
        if code.has(Code::LOCK) {
            self.out.push_str("lock ");
        }
        if code.form == Form::Branch && encoded_bytes > 2 {
            self.out.push_str("{disp32} ");
        }
        self.out.push_str(mnemonic);
        if code.has(Code::COND) {
            self.out.push_str(Cond::from_number(self.inst.condition()).name());
        }
        if !code.has(Code::PLAIN) {
            self.out.push_str(match (code.width, self.inst.size) {
                (Width::Int, 1) => "b",
                (Width::Int, 2) => "w",
                (Width::Int, 4) => "l",
                (Width::Int, _) => "q",
                (Width::Scalar | Width::Packed, 4) => "s",
                (Width::Scalar | Width::Packed, _) => "d",
                (Width::Fixed, _) => "",
            });
        }
    }

    fn operands(&mut self) {
        let separator = if self.row.code.form.has_no_operands() { "" } else { "\t" };
        self.out.push_str(separator);
        if self.row.code.has(Code::STAR) {
            self.out.push('*');
        }
        match self.row.code.form {
            Form::None | Form::NoneModRm | Form::Nop => {}
            Form::StoreRR | Form::LoadRR | Form::Exchange => {
                self.register(1);
                self.then_register(0);
            }
            Form::Same => {
                self.register(0);
                self.then_register(0);
            }
            Form::RM => {
                self.memory();
                self.then_register(0);
            }
            Form::MR => {
                self.register(0);
                self.out.push_str(", ");
                self.memory();
            }
            Form::R | Form::O => self.register(0),
            Form::M => self.memory(),
            Form::RI | Form::OI => {
                self.immediate();
                self.then_register(0);
            }
            Form::MI => {
                self.immediate();
                self.out.push_str(", ");
                self.memory();
            }
            Form::RC => {
                self.out.push_str("%cl");
                self.then_register(0);
            }
            Form::MC => {
                self.out.push_str("%cl, ");
                self.memory();
            }
            Form::LoadRRI | Form::StoreRRI => {
                self.immediate();
                self.then_register(1);
                self.then_register(0);
            }
            Form::RMI => {
                self.immediate();
                self.out.push_str(", ");
                self.memory();
                self.then_register(0);
            }
            Form::StoreRRC => {
                self.out.push_str("%cl");
                self.then_register(1);
                self.then_register(0);
            }
            Form::OI64 => {
                let low = i64::from(self.inst.imm.cast_unsigned());
                self.text(format_args!("${}", i64::from(self.inst.disp) << 32 | low));
                self.then_register(0);
            }
            Form::ORef => {
                self.out.push('$');
                self.reference(Ref(self.inst.regs[2].0), self.inst.disp);
                self.then_register(0);
            }
            Form::RBaseRef => {
                self.reference(Ref(self.inst.imm.cast_unsigned()), self.inst.disp);
                self.text(format_args!("(%{})", name(self.inst.regs[1], 8)));
                self.then_register(0);
            }
            Form::I => self.immediate(),
            Form::Branch | Form::ShortBranch => self.names.label(self.inst.label(), self.out),
            Form::BranchRef => self.reference(Ref(self.inst.regs[2].0), self.inst.disp),
        }
    }

    fn register(&mut self, slot: usize) {
        let width_bytes = match self.row.operands[slot].expect("the form has this operand").kind {
            Kind::Sized => self.inst.size,
            Kind::General(bytes) => bytes,
            Kind::Vector => 16,
        };
        self.text(format_args!("%{}", name(self.inst.regs[slot], width_bytes)));
    }

    fn then_register(&mut self, slot: usize) {
        self.out.push_str(", ");
        self.register(slot);
    }

    fn immediate(&mut self) {
        let imm = self.inst.imm;
        let value = match (self.row.code.imm, self.inst.size) {
            (Imm::Byte | Imm::Shift, _) => i32::from(imm as u8),
            (Imm::Word, _) => i32::from(imm as u16),
            (_, 1) => i32::from(imm as i8),
            (_, 2) => i32::from(imm as i16),
            _ => imm,
        };
        self.text(format_args!("${value}"));
    }

    fn memory(&mut self) {
        if self.row.code.has(Code::FS) {
            self.out.push_str("%fs:");
        }
        let mem = self.inst.mem();
        if let Some(reference) = mem.reference() {
            self.reference(reference, mem.disp);
            if !matches!(reference.kind(), RefKind::TlsLocalExec | RefKind::TlsDtpOffset) {
                self.out.push_str("(%rip)");
            }
            return;
        }
        if mem.disp != 0 || mem.base.is_none() {
            self.text(format_args!("{}", mem.disp));
        }
        if mem.base.is_none() && mem.index.is_none() {
            return;
        }
        self.out.push('(');
        if !mem.base.is_none() {
            self.address_register(mem.base);
        }
        if !mem.index.is_none() {
            self.out.push(',');
            self.address_register(mem.index);
            self.text(format_args!(",{}", 1 << (mem.scale_log2 & 3)));
        }
        self.out.push(')');
    }

    fn address_register(&mut self, reg: Reg) {
        self.text(format_args!("%{}", name(reg, 8)));
    }

    /// The name of what a reference names, how it is reached, and the addend.
    fn reference(&mut self, reference: Ref, addend: i32) {
        if reference.kind() == RefKind::Label {
            self.names.label(Label(reference.number()), self.out);
        } else {
            self.names.target(reference, self.out);
        }
        self.out.push_str(match reference.kind() {
            RefKind::Symbol | RefKind::Constant | RefKind::Label => "",
            RefKind::Got => "@GOTPCREL",
            RefKind::Plt => "@PLT",
            RefKind::TlsGeneralDynamic => "@TLSGD",
            RefKind::TlsLocalDynamic => "@TLSLD",
            RefKind::TlsDtpOffset => "@DTPOFF",
            RefKind::TlsInitialExec => "@GOTTPOFF",
            RefKind::TlsLocalExec => "@TPOFF",
        });
        if addend != 0 {
            self.text(format_args!("{addend:+}"));
        }
    }
}
