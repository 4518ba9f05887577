//! Writes signatures and types.

use super::names::{EXTENSIONS, PARAM_KINDS, word_of, write_type};
use crate::signature::{CallConv, Extension, Param, ParamKind, Signature};
use crate::types::{Type, TypeTable};
use std::fmt::{self, Write};

/// Writes a signature as it stands after a call: `convention keeps(0x0, 0x0) (parameters) -> returns`.
///
/// # Errors
/// What `out` returns.
pub fn print_signature(types: &TypeTable, signature: &Signature, out: &mut dyn Write) -> fmt::Result {
    if signature.call_conv != CallConv::C {
        write_call_conv(out, signature.call_conv)?;
        out.write_char(' ')?;
    }
    if let Some(keeps) = &signature.keeps {
        let [first, second] = keeps.0;
        write!(out, "keeps({first:#x}, {second:#x}) ")?;
    }
    write_params(out, types, signature, false)?;
    write_returns(out, types, signature)
}

/// Writes a type.
///
/// # Errors
/// What `out` returns.
pub fn print_type(types: &TypeTable, ty: Type, out: &mut dyn Write) -> fmt::Result {
    write_type(out, types, ty)
}

/// Writes a calling convention.
pub(super) fn write_call_conv(out: &mut dyn Write, call_conv: CallConv) -> fmt::Result {
    write!(out, "{call_conv}")
}

fn write_param(out: &mut dyn Write, types: &TypeTable, param: &Param) -> fmt::Result {
    write_type(out, types, param.ty)?;
    if param.extension != Extension::None {
        write!(out, " {}", word_of(EXTENSIONS, param.extension))?;
    }
    if param.in_reg {
        out.write_str(" inreg")?;
    }
    if param.array > 0 {
        write!(out, " array({})", param.array)?;
    }
    if param.is_split {
        out.write_str(" split")?;
    }
    match param.kind {
        ParamKind::Normal => Ok(()),
        ParamKind::ByVal { size, align_log2 } => write!(out, " byval({size}, align {})", 1u64 << align_log2.min(63)),
        kind => write!(out, " {}", word_of(PARAM_KINDS, kind)),
    }
}

/// Writes parameters in parentheses, with the names of their values if that is wanted.
pub(super) fn write_params(
    out: &mut dyn Write,
    types: &TypeTable,
    signature: &Signature,
    with_names: bool,
) -> fmt::Result {
    out.write_char('(')?;
    for (index, param) in signature.params.iter().enumerate() {
        if index > 0 {
            out.write_str(", ")?;
        }
        if signature.variadic && index == signature.fixed_params as usize {
            out.write_str("..., ")?;
        }
        write_param(out, types, param)?;
        if with_names {
            write!(out, " v{index}")?;
        }
    }
    if signature.variadic && signature.fixed_params as usize >= signature.params.len() {
        out.write_str(if signature.params.is_empty() { "..." } else { ", ..." })?;
    }
    out.write_char(')')
}

/// Writes ` -> returns`, or nothing.
pub(super) fn write_returns(out: &mut dyn Write, types: &TypeTable, signature: &Signature) -> fmt::Result {
    match signature.returns.as_slice() {
        [] => Ok(()),
        [single] => {
            out.write_str(" -> ")?;
            write_param(out, types, single)
        }
        several => {
            out.write_str(" -> (")?;
            for (index, param) in several.iter().enumerate() {
                if index > 0 {
                    out.write_str(", ")?;
                }
                write_param(out, types, param)?;
            }
            out.write_char(')')
        }
    }
}
