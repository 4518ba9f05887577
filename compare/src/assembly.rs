//! Assembly text as both compilers write it (GNU syntax, AT&T operands), taken apart into functions, blocks and
//! instructions.
//!
//! Method: lines are told apart by their shape: labels end with a colon, directives begin with a dot, everything else
//! is an instruction. A function begins after `.type NAME,@function` with its label and ends with `.size`; a label
//! that is not the function's own begins a block. Spills and reloads are what the compilers' comments call so. The
//! frame is what pushes and the subtraction from the stack pointer take before the first jump or call, or what the call
//! frame information says if that is more.

use serde::Serialize;
use std::collections::BTreeMap;

/// A line of assembly text that is an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Its text, blanks made single.
    pub text: String,
    /// What the compiler says of it.
    pub comment: String,
    /// The line of the source that it comes from; 0 if that is not said.
    pub source: u32,
}

/// Instructions after one label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The label; empty for the first one.
    pub label: String,
    /// The instructions.
    pub lines: Vec<Line>,
}

/// What is counted of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub instructions: u64,
    /// Registers stored for want of registers.
    pub spills: u64,
    /// Such registers loaded again, or used from memory.
    pub reloads: u64,
    /// Bytes of the stack frame, saved registers included, the return address not.
    pub frame_bytes: u64,
}

/// The assembly of one function, and its counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// Its blocks, in the order of the text.
    pub blocks: Vec<Block>,
    pub counts: Counts,
}

/// Bytes of what a call pushes.
const RETURN_ADDRESS_BYTES: u64 = 8;
/// Bytes that a push takes.
const PUSH_BYTES: u64 = 8;

/// The functions of a text, by name.
pub fn parse(text: &str) -> BTreeMap<String, Function> {
    let mut functions = BTreeMap::new();
    let mut parser = Parser::default();
    for line in text.lines() {
        parser.line(line, &mut functions);
    }
    functions
}

#[derive(Default)]
struct Parser {
    /// The name that `.type` has announced.
    announced: Option<String>,
    open: Option<(String, Function)>,
    in_prologue: bool,
    source: u32,
}

impl Parser {
    fn line(&mut self, line: &str, functions: &mut BTreeMap<String, Function>) {
        let (code, comment) = split_comment(line);
        let code = code.trim();
        if code.is_empty() {
            return;
        }
        if let Some(label) = code.strip_suffix(':') {
            self.label(unquoted(label));
        } else if let Some(directive) = code.strip_prefix('.') {
            self.directive(directive, functions);
        } else {
            self.instruction(code, comment.trim());
        }
    }

    fn label(&mut self, label: &str) {
        if self.announced.as_deref() == Some(label) {
            self.open = self.announced.take().map(|name| {
                let blocks = vec![Block::default()];
                (
                    name,
                    Function {
                        blocks,
                        ..Function::default()
                    },
                )
            });
            (self.in_prologue, self.source) = (true, 0);
        } else if let Some((_, function)) = &mut self.open {
            // Labels for debug information and call frames begin no block.
            let begins_block = function.blocks.last().is_some_and(|block| !block.lines.is_empty());
            let is_block = !label.starts_with(".Ltmp") && !label.starts_with(".Lfunc_");
            match function.blocks.last_mut() {
                _ if !is_block => {}
                Some(last) if !begins_block => label.clone_into(&mut last.label),
                _ => function.blocks.push(Block {
                    label: label.to_owned(),
                    lines: Vec::new(),
                }),
            }
        }
    }

    fn directive(&mut self, directive: &str, functions: &mut BTreeMap<String, Function>) {
        let (name, rest) = directive.split_once(char::is_whitespace).unwrap_or((directive, ""));
        match name {
            "type" => {
                let (symbol, kind) = rest.trim().rsplit_once(',').unwrap_or(("", ""));
                if kind.trim() == "@function" {
                    self.announced = Some(unquoted(symbol.trim()).to_owned());
                }
            }
            "cfi_def_cfa_offset" => {
                // A frame that is set up after the first jump is seen by its description alone.
                let described = rest
                    .trim()
                    .parse::<u64>()
                    .unwrap_or(0)
                    .saturating_sub(RETURN_ADDRESS_BYTES);
                if let Some((_, function)) = &mut self.open {
                    function.counts.frame_bytes = function.counts.frame_bytes.max(described);
                }
            }
            "loc" => {
                let number = rest.split_whitespace().nth(1).and_then(|word| word.parse().ok());
                self.source = number.unwrap_or(0);
            }
            "size" => {
                if let Some((name, mut function)) = self.open.take() {
                    function.blocks.retain(|block| !block.lines.is_empty());
                    functions.insert(name, function);
                }
            }
            _ => {}
        }
    }

    fn instruction(&mut self, code: &str, comment: &str) {
        let Some((_, function)) = &mut self.open else { return };
        let text = code.split_whitespace().collect::<Vec<_>>().join(" ");
        let counts = &mut function.counts;
        counts.instructions += 1;
        counts.spills += u64::from(is_spill(comment));
        counts.reloads += u64::from(is_reload(comment));
        if self.in_prologue {
            match frame_bytes(&text) {
                Some(bytes) => counts.frame_bytes += bytes,
                None => self.in_prologue = !leaves(&text),
            }
        }
        if let Some(block) = function.blocks.last_mut() {
            block.lines.push(Line {
                text,
                comment: comment.to_owned(),
                source: self.source,
            });
        }
    }
}

/// Whether a comment says that the instruction stores a register for want of registers: llc's `8-byte Spill`, Frazil's
/// `spill`.
fn is_spill(comment: &str) -> bool {
    comment.ends_with("Spill") || comment.split("; ").any(|part| part == "spill")
}

fn is_reload(comment: &str) -> bool {
    comment.ends_with("Reload") || comment.split("; ").any(|part| part == "reload")
}

/// Bytes by which an instruction of a prologue moves the stack pointer down.
fn frame_bytes(text: &str) -> Option<u64> {
    let (mnemonic, operands) = text.split_once(' ')?;
    match mnemonic {
        "push" | "pushq" => Some(PUSH_BYTES),
        "sub" | "subq" => operands.strip_suffix(", %rsp")?.strip_prefix('$')?.parse().ok(),
        _ => None,
    }
}

/// Whether an instruction ends the prologue.
fn leaves(text: &str) -> bool {
    let mnemonic = text.split(' ').next().unwrap_or_default();
    mnemonic.starts_with('j') || mnemonic.starts_with("call") || mnemonic.starts_with("ret")
}

/// Code and comment of a line.
fn split_comment(line: &str) -> (&str, &str) {
    let mut quoted = false;
    for (at, letter) in line.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '#' if !quoted => return (&line[..at], &line[at + 1..]),
            _ => {}
        }
    }
    (line, "")
}

fn unquoted(name: &str) -> &str {
    name.strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'))
        .unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LLC: &str = "\t.type\tf,@function\nf:                     # @f\n\t.cfi_startproc\n# %bb.0:\n\tpushq\t%rbx\n\
        \tsubq\t$16, %rsp # imm = 0x10\n\t.loc\t1 7 3\n\tmovq\t%rdi, 8(%rsp)      # 8-byte Spill\n\tje\t.LBB0_2\n.Ltmp1:\n# \
        %bb.1:\n\tpushq\t%rax\n.LBB0_2:                  # %end\n\tmovq\t8(%rsp), %rax  # 8-byte Reload\n\tretq\n\
        .Lfunc_end0:\n\t.size\tf, .Lfunc_end0-f\n";
    const FRAZIL: &str = "\t.type\t\"g h\",@function\n\"g h\":\n\tpush\t%rbx\n.L..f0b0:\n\tmovq\t%rdi, 8(%rsp)\t# v1 = load; \
        spill; live rax\n.L..f0b1:\n\tret\t# return\n\t.size\t\"g h\", 9\n";

    #[test]
    fn functions_blocks_and_counts_of_both() {
        let functions = parse(LLC);
        let f = &functions["f"];
        let labels: Vec<&str> = f.blocks.iter().map(|block| block.label.as_str()).collect();
        assert_eq!(labels, ["", ".LBB0_2"]);
        assert_eq!(f.blocks[0].lines[2].source, 7);
        assert_eq!(
            f.counts,
            Counts {
                instructions: 7,
                spills: 1,
                reloads: 1,
                frame_bytes: 24
            }
        );
        let functions = parse(FRAZIL);
        let g = &functions["g h"];
        assert_eq!(g.blocks.len(), 3);
        assert_eq!(g.blocks[1].label, ".L..f0b0");
        assert_eq!(
            g.counts,
            Counts {
                instructions: 3,
                spills: 1,
                reloads: 0,
                frame_bytes: 8
            }
        );
    }
}
