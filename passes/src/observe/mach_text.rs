//! The text of a machine function between passes, and the graph of its blocks: for reading, not for parsing.
//!
//! An instruction is the name of its row in the target's op table, its width in bytes, and `written = read`, with what
//! it reads and writes besides in braces. [`HEAD`] says so at the top of each text; docs/options.md has it at length.

use frazil_codegen::desc::{OpDesc, Role, TargetDesc};
use frazil_codegen::mfunc::{INCOMING, MBlock, MEdge, MFunc, Term, for_each_register, op_desc, pseudo};
use frazil_codegen::minst::MInst;
use frazil_codegen::pass::{Details, MachPassCx};
use frazil_codegen::{PRegSet, Ref, RefKind, Reg};
use frazil_ir::Module;
use std::fmt::{self, Write};

/// What a reader must know of the texts.
const HEAD: &str =
    "; NAME.BYTES written = read {what else it reads and writes}; v1 is a virtual register, [..] memory, @f a symbol\n";

/// A machine function as text: blocks with their edges and moves, instructions with rows and registers.
pub(super) fn text(func: &MFunc, module: &Module, cx: &MachPassCx<'_>) -> String {
    let printer = Printer { func, module, cx };
    let mut text = HEAD.to_owned();
    for (number, block) in func.blocks.iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        printer.block(number, block, &mut text).expect("strings can be written");
    }
    text
}

/// The graph of its blocks for Graphviz.
pub(super) fn graph(func: &MFunc, module: &Module, cx: &MachPassCx<'_>) -> String {
    let printer = Printer { func, module, cx };
    let mut text = String::from("digraph {\n");
    for (number, block) in func.blocks.iter().enumerate() {
        let mut label = String::new();
        printer
            .block(number, block, &mut label)
            .expect("strings can be written");
        let label = super::graph::escaped(&label);
        text.push_str(&format!(
            "    {number} [label=\"{label}\" shape=box fontname=monospace]\n"
        ));
    }
    for (number, _) in func.blocks.iter().enumerate() {
        for edge in func.edges_of(number as u32) {
            text.push_str(&format!("    {number} -> {}\n", func.edges[edge].to));
        }
    }
    text.push_str("}\n");
    text
}

/// What is printed, and what gives things their names.
struct Printer<'a> {
    func: &'a MFunc,
    module: &'a Module,
    cx: &'a MachPassCx<'a>,
}

impl Printer<'_> {
    fn desc(&self) -> &'static TargetDesc {
        self.cx.hooks.desc()
    }

    fn block(&self, number: usize, block: &MBlock, out: &mut String) -> fmt::Result {
        write!(out, "block {number}: ; of b{}", block.source)?;
        match block.loop_depth {
            0 => out.write_char('\n')?,
            depth => writeln!(out, ", loop depth {depth}")?,
        }
        for index in block.start..block.end {
            // The labels of branches at the end are set when code is made.
            let is_branch = matches!(block.term, Term::Branch(_)) && block.end - index <= 2;
            self.inst(&self.func.insts[index as usize], is_branch, out)?;
        }
        let edges = self.func.edges_of(number as u32);
        if edges.is_empty() && block.term != Term::Return {
            writeln!(out, "  ; control does not come here")?;
        }
        for (index, edge) in edges.enumerate() {
            self.edge(block.term, index, edge, out)?;
        }
        Ok(())
    }

    /// Where control goes on, and the moves on the way.
    fn edge(&self, term: Term, index: usize, edge: usize, out: &mut String) -> fmt::Result {
        let MEdge { to, label, .. } = self.func.edges[edge];
        write!(out, "  -> block {to}")?;
        match (term, index) {
            (Term::Branch(_), 0) => out.write_str(" if taken")?,
            (Term::Branch(_), _) => out.write_str(" else")?,
            (Term::Invoke, 0) => out.write_str(" when the call returns")?,
            (Term::Invoke, _) => out.write_str(" when it unwinds")?,
            _ => {}
        }
        if let Some(label) = label {
            write!(out, " by label {}", label.0)?;
        }
        for (index, phi) in self.func.moves_of(edge).iter().enumerate() {
            let separator = if index == 0 { " with " } else { ", " };
            write!(out, "{separator}{} = {}", self.name(phi.dst), self.name(phi.src))?;
            let constant = phi.src.is_virtual().then(|| self.func.vreg(phi.src).constant).flatten();
            if let Some(number) = constant {
                let mut made = String::new();
                self.inst(&self.func.constants[number as usize], false, &mut made)?;
                write!(out, " ({})", made.trim())?;
            }
        }
        out.write_char('\n')
    }

    fn inst(&self, inst: &MInst, is_branch: bool, out: &mut String) -> fmt::Result {
        let desc = op_desc(self.cx.hooks.ops(), inst.op);
        out.write_str("  ")?;
        out.write_str(desc.name.as_str())?;
        if inst.op < pseudo::FIRST {
            write!(out, ".{}", inst.size)?;
        }
        let details = self.details(inst);
        if let Some(condition) = details.condition {
            write!(out, " {condition}")?;
        }
        let (written, mut read) = self.operands(inst, desc, &details);
        read.extend(details.immediate.map(|number| number.to_string()));
        if let Some((reference, bytes)) = details.reference {
            read.push(format!("{}{}", self.reference(reference), signed(bytes)));
        }
        read.extend(
            details
                .label
                .filter(|_| !is_branch)
                .map(|label| format!("label {}", label.0)),
        );
        let (written, read) = (written.join(", "), read.join(", "));
        match (written.is_empty(), read.is_empty()) {
            (true, true) => {}
            (true, false) => write!(out, " {read}")?,
            (false, true) => write!(out, " {written}")?,
            (false, false) => write!(out, " {written} = {read}")?,
        }
        self.implicit(inst, desc, out)?;
        out.write_char('\n')
    }

    /// What an instruction says besides its operands.
    fn details(&self, inst: &MInst) -> Details {
        match inst.op {
            pseudo::LABEL => Details {
                label: Some(inst.label()),
                ..Details::default()
            },
            pseudo::ASM_MEMORY..=pseudo::ASM_IN => Details {
                immediate: Some(i64::from(inst.imm)),
                ..Details::default()
            },
            op if op >= pseudo::FIRST => Details::default(),
            _ => self.cx.hooks.rules().details(inst),
        }
    }

    /// The operands that an instruction writes, and those that it reads.
    fn operands(&self, inst: &MInst, desc: &'static OpDesc, details: &Details) -> (Vec<String>, Vec<String>) {
        let (mut written, mut read) = (Vec::new(), Vec::new());
        for_each_register(inst, desc, |_, reg, role| match role {
            Role::Def => written.push(self.name(reg)),
            Role::UseDef => {
                written.push(self.name(reg));
                read.push(self.name(reg));
            }
            Role::Use => read.push(self.name(reg)),
            Role::Base | Role::Index | Role::None => {}
        });
        if !desc.roles.contains(&Role::Base) {
            return (written, read);
        }
        if details.reference.is_some() {
            // There is no address, at most a register that the reference is relative to.
            let base = inst.mem().base_reg();
            read.extend(base.is_register().then(|| self.name(base)));
            return (written, read);
        }
        let address = self.address(inst);
        if desc.writes_memory {
            written.push(address.clone());
        }
        if desc.reads_memory || !desc.writes_memory {
            read.push(address);
        }
        (written, read)
    }

    /// The memory operand.
    fn address(&self, inst: &MInst) -> String {
        let mem = inst.mem();
        let (base, index) = (mem.base_reg(), mem.index_reg());
        if let Some(reference) = mem.reference() {
            let from = match base.is_register() {
                true => format!("{} + ", self.name(base)),
                false => String::new(),
            };
            return format!("[{from}{}{}]", self.reference(reference), signed(mem.disp));
        }
        let mut parts = Vec::new();
        let mut bytes = mem.disp;
        if base == Reg::FRAME {
            let is_incoming = bytes > INCOMING / 2;
            bytes -= if is_incoming { INCOMING } else { 0 };
            parts.push(if is_incoming { "incoming" } else { "frame" }.to_owned());
        } else if base.is_register() {
            parts.push(self.name(base));
        }
        if index.is_register() {
            parts.push(format!("{} * {}", self.name(index), 1 << mem.scale_log2));
        }
        match parts.is_empty() {
            true => format!("[{bytes}]"),
            false => format!("[{}{}]", parts.join(" + "), signed(bytes)),
        }
    }

    /// What a reference names, and how it is reached.
    fn reference(&self, reference: Ref) -> String {
        let how = match reference.kind() {
            RefKind::Symbol => "",
            RefKind::Got => "(got)",
            RefKind::Plt => "(plt)",
            RefKind::TlsGeneralDynamic => "(tls descriptor)",
            RefKind::TlsLocalDynamic => "(tls descriptor of the module)",
            RefKind::TlsDtpOffset => "(tls offset in the module)",
            RefKind::TlsInitialExec => "(got slot of the tls offset)",
            RefKind::TlsLocalExec => "(tls offset)",
            RefKind::Constant => "constant ",
            RefKind::Label => "label ",
            RefKind::Block => "block of another function ",
            RefKind::Foreign => "what the assembler defined ",
            RefKind::Table => "jump table ",
        };
        match reference.as_symbol() {
            Some(symbol) => format!("@{}{how}", self.module.display_name(symbol)),
            None => format!("{how}{}", reference.number()),
        }
    }

    /// Registers that an instruction reads and writes besides its operands.
    fn implicit(&self, inst: &MInst, desc: &'static OpDesc, out: &mut String) -> fmt::Result {
        let sets = self.func.implicit(inst, desc);
        let mut separator = " {";
        for (word, set) in [("reads", sets.uses), ("writes", sets.defs)] {
            if set != PRegSet::EMPTY {
                write!(out, "{separator}{word} {}", self.set(set))?;
                separator = ", ";
            }
        }
        out.write_str(if separator == " {" { "" } else { "}" })
    }

    /// The names of a set's registers; of several that follow each other in the target's list, the first and the last.
    fn set(&self, set: PRegSet) -> String {
        let rows = self.desc().regs;
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (index, row) in rows.iter().enumerate().filter(|(_, row)| set.contains(row.reg)) {
            match runs.last_mut() {
                // The banks have names of different kinds.
                Some((_, last)) if *last + 1 == index && rows[*last].reg.bank() == row.reg.bank() => *last = index,
                _ => runs.push((index, index)),
            }
        }
        let names = runs.into_iter().map(|(first, last)| match last - first {
            0 => rows[first].name.to_owned(),
            1 => format!("{} {}", rows[first].name, rows[last].name),
            _ => format!("{} to {}", rows[first].name, rows[last].name),
        });
        names.collect::<Vec<_>>().join(" ")
    }

    /// The name of a register, virtual ones by number.
    fn name(&self, reg: Reg) -> String {
        if reg.is_virtual() {
            return format!("v{}", reg.virtual_index());
        }
        let row = self.desc().regs.iter().find(|row| row.reg == reg);
        row.map_or_else(|| "?".to_owned(), |row| row.name.to_owned())
    }
}

/// Bytes to add, with their sign; nothing for none.
fn signed(bytes: i32) -> String {
    match bytes {
        0 => String::new(),
        1.. => format!(" + {bytes}"),
        _ => format!(" - {}", bytes.unsigned_abs()),
    }
}
