//! Terms as SMT-LIB text.

use super::{Node, Op, Term, Terms};
use std::fmt::Write;

/// Writes declarations and definitions of terms, each once.
#[derive(Debug, Default)]
pub struct Writer {
    /// The text so far.
    pub text: String,
    /// The variables that were declared, by number.
    pub vars: Vec<u32>,
    /// The applications of functions that nothing is known of.
    pub applications: Vec<Term>,
    done: Vec<bool>,
    declared: Vec<bool>,
}

impl Writer {
    /// Makes the name `t<number>` of a term known.
    pub fn define(&mut self, terms: &Terms, term: Term) {
        let mut waiting = vec![(term, false)];
        self.done.resize(self.done.len().max(term.0 as usize + 1), false);
        while let Some((term, is_ready)) = waiting.pop() {
            let index = term.0 as usize;
            self.done.resize(self.done.len().max(index + 1), false);
            if self.done[index] {
                continue;
            }
            match terms.node(term) {
                Node::Apply(op, operands) if !is_ready => {
                    waiting.push((term, true));
                    let operands = &operands[..terms.operand_count(op)];
                    waiting.extend(operands.iter().map(|&operand| (operand, false)));
                }
                node => {
                    self.done[index] = true;
                    self.write(terms, term, node);
                }
            }
        }
    }

    fn write(&mut self, terms: &Terms, term: Term, node: Node) {
        let width = terms.width(term);
        let name = term.0;
        let text = &mut self.text;
        let done = match node {
            Node::Const(value) => {
                writeln!(text, "(define-fun t{name} () (_ BitVec {width}) (_ bv{value} {width}))")
            }
            Node::Var(number) => {
                self.vars.push(number);
                writeln!(text, "(declare-fun t{name} () (_ BitVec {width}))")
            }
            Node::Apply(op, operands) => {
                let count = terms.operand_count(op);
                if let Op::Function(number) = op {
                    self.applications.push(term);
                    declare(text, &mut self.declared, terms, number);
                }
                let operands: Vec<String> = operands[..count]
                    .iter()
                    .map(|operand| format!("t{}", operand.0))
                    .collect();
                let value = operation(terms, op, width, terms.width(first(node)), &operands);
                writeln!(text, "(define-fun t{name} () (_ BitVec {width}) {value})")
            }
        };
        done.expect("strings can be written to");
    }
}

fn first(node: Node) -> Term {
    match node {
        Node::Apply(_, operands) => operands[0],
        _ => unreachable!("an operation"),
    }
}

fn declare(text: &mut String, declared: &mut Vec<bool>, terms: &Terms, number: u32) {
    let index = number as usize;
    declared.resize(declared.len().max(index + 1), false);
    if std::mem::replace(&mut declared[index], true) {
        return;
    }
    let data = &terms.functions[index];
    let arguments: Vec<String> = data
        .arguments
        .iter()
        .map(|width| format!("(_ BitVec {width})"))
        .collect();
    writeln!(
        text,
        "(declare-fun f{number} ({}) (_ BitVec {}))",
        arguments.join(" "),
        data.width
    )
    .expect("strings can be written to");
}

fn operation(terms: &Terms, op: Op, width: u32, from: u32, operands: &[String]) -> String {
    let list = operands.join(" ");
    let test = |name: &str| format!("(ite ({name} {list}) #b1 #b0)");
    match op {
        Op::Not => format!("(bvnot {list})"),
        Op::And => format!("(bvand {list})"),
        Op::Or => format!("(bvor {list})"),
        Op::Xor => format!("(bvxor {list})"),
        Op::Add => format!("(bvadd {list})"),
        Op::Mul => format!("(bvmul {list})"),
        Op::Udiv => format!("(bvudiv {list})"),
        Op::Urem => format!("(bvurem {list})"),
        Op::Sdiv => format!("(bvsdiv {list})"),
        Op::Srem => format!("(bvsrem {list})"),
        Op::Shl => format!("(bvshl {list})"),
        Op::Lshr => format!("(bvlshr {list})"),
        Op::Ashr => format!("(bvashr {list})"),
        Op::Concat => format!("(concat {list})"),
        Op::Extract(low) => format!("((_ extract {} {low}) {list})", low + width - 1),
        Op::Zext => format!("((_ zero_extend {}) {list})", width - from),
        Op::Sext => format!("((_ sign_extend {}) {list})", width - from),
        Op::Ite => format!("(ite (= {} #b1) {} {})", operands[0], operands[1], operands[2]),
        Op::Eq => test("="),
        Op::Ult => test("bvult"),
        Op::Slt => test("bvslt"),
        // Without extensions of one solver: the product in twice the width has its upper half in order.
        Op::UmulFits | Op::SmulFits => {
            let extend = if op == Op::UmulFits {
                "zero_extend"
            } else {
                "sign_extend"
            };
            let wide = |operand: &str| format!("((_ {extend} {from}) {operand})");
            let product = format!("(bvmul {} {})", wide(&operands[0]), wide(&operands[1]));
            let low = format!("((_ extract {} 0) {product})", from - 1);
            format!("(ite (= {product} {}) #b1 #b0)", wide(&low))
        }
        Op::Function(number) => {
            debug_assert_eq!(terms.functions[number as usize].width, width);
            format!("(f{number} {list})")
        }
    }
}
