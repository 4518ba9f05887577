//! What the solver is told about floating-point operations, when it is not enough that equal operands give equal
//! results.
//!
//! An operation is a function on bits. Each of its applications gets an axiom: read as a number, the result is what the
//! solver's theory of floating point says. Which NaN a result is stays open, since all are one number there.

use crate::terms::{Op, Term, Terms};
use frazil_ir::TypeData;
use std::fmt::Write;

/// Axioms for applications of functions that are floating-point operations.
pub fn axioms(terms: &Terms, applications: &[Term]) -> String {
    let mut text = String::new();
    for &term in applications {
        if let Some(axiom) = axiom(terms, term) {
            writeln!(text, "(assert {axiom})").expect("strings can be written to");
        }
    }
    text
}

/// Whether a term is an operation on floating-point numbers.
pub fn is_operation(terms: &Terms, term: Term) -> bool {
    match terms.operation(term) {
        Some((Op::Function(number), _)) => {
            let name = &terms.functions[number as usize].name;
            name.contains(':') || name == "is_fpclass"
        }
        _ => false,
    }
}

/// Whether any NaN may take the place of another one that an operation gives, and any zero that of another one.
pub fn freedom(terms: &Terms, term: Term) -> Option<(TypeData, bool)> {
    let (Op::Function(number), _) = terms.operation(term)? else {
        return None;
    };
    let name = &terms.functions[number as usize].name;
    let ty = match name.rsplit(':').next()? {
        "F32" => TypeData::F32,
        "F64" => TypeData::F64,
        _ => return None,
    };
    Some((ty, name.contains(" nsz:")))
}

/// Whether the solver is told all about such an operation.
pub fn is_known(terms: &Terms, term: Term) -> bool {
    axiom(terms, term).is_some()
}

/// The solver's sort of a format.
fn sort(format: &str) -> Option<&'static str> {
    match format {
        "F32" => Some("8 24"),
        "F64" => Some("11 53"),
        _ => None,
    }
}

fn axiom(terms: &Terms, term: Term) -> Option<String> {
    let (Op::Function(number), operands) = terms.operation(term)? else {
        return None;
    };
    let data = &terms.functions[number as usize];
    let mut parts = data.name.split(':');
    let (name, first) = (parts.next()?, parts.next()?);
    let second = parts.next();
    let (name, any_zero) = match name.strip_suffix(" nsz") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let number_of = |term: Term, sort: &str| format!("((_ to_fp {sort}) t{})", term.0);
    let is = |sort: &str, value: String| format!("(= {} {value})", number_of(term, sort));
    if let Some(to) = second {
        let from = operands[0];
        return match (name, sort(first), sort(to)) {
            ("fptrunc" | "fpext", Some(source), Some(target)) => Some(is(
                target,
                format!("((_ to_fp {target}) RNE {})", number_of(from, source)),
            )),
            ("sitofp", None, Some(target)) => Some(is(target, format!("((_ to_fp {target}) RNE t{})", from.0))),
            ("uitofp", None, Some(target)) => {
                Some(is(target, format!("((_ to_fp_unsigned {target}) RNE t{})", from.0)))
            }
            _ => None,
        };
    }
    let sort = sort(first)?;
    let values: Vec<String> = operands[..data.arguments.len()]
        .iter()
        .map(|&operand| number_of(operand, sort))
        .collect();
    let list = values.join(" ");
    let value = match name {
        "fadd" => format!("(fp.add RNE {list})"),
        "fsub" => format!("(fp.sub RNE {list})"),
        "fmul" => format!("(fp.mul RNE {list})"),
        "fdiv" => format!("(fp.div RNE {list})"),
        "fsqrt" => format!("(fp.sqrt RNE {list})"),
        "fma" => format!("(fp.fma RNE {list})"),
        "ffloor" => format!("(fp.roundToIntegral RTN {list})"),
        "fceil" => format!("(fp.roundToIntegral RTP {list})"),
        "ftrunc" => format!("(fp.roundToIntegral RTZ {list})"),
        "frint" | "fnearbyint" | "froundeven" => format!("(fp.roundToIntegral RNE {list})"),
        "fround" => format!("(fp.roundToIntegral RNA {list})"),
        _ => return None,
    };
    if any_zero {
        let result = number_of(term, sort);
        return Some(format!(
            "(or (fp.eq {result} {value}) (and (fp.isNaN {result}) (fp.isNaN {value})))"
        ));
    }
    Some(is(sort, value))
}
