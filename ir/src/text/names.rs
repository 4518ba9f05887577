//! Words of the text form that printer and parser share: flags, types, attributes.
//!
//! Every list of words is one table, read in one direction by the printer and in the other by the parser.

use super::lexer::is_plain_name;
use crate::flags::{CallFlags, FastFlags, FlagKind, IntFlags, MemFlags, Ordering, RMW_OPS, flag_kind};
use crate::module::{ComdatSelection, FramePointer, GuardPlace, Linkage, StackProtector, TlsModel, Visibility};
use crate::opcode::Opcode;
use crate::signature::{Extension, ParamKind};
use crate::strict::StrictFlags;
use crate::types::{Type, TypeData, TypeTable};
use std::fmt::{self, Write};

/// Words for single bits.
pub(super) type BitWords = &'static [(u16, &'static str)];

const INT_WORDS: BitWords = &[
    (IntFlags::NUW.bits(), "nuw"),
    (IntFlags::NSW.bits(), "nsw"),
    (IntFlags::EXACT.bits(), "exact"),
    (IntFlags::DISJOINT.bits(), "disjoint"),
    (IntFlags::NNEG.bits(), "nneg"),
    (IntFlags::SAMESIGN.bits(), "samesign"),
    (IntFlags::POISON_SPECIAL.bits(), "poison_special"),
];

const FAST_WORDS: BitWords = &[
    (FastFlags::REASSOC.bits(), "reassoc"),
    (FastFlags::NNAN.bits(), "nnan"),
    (FastFlags::NINF.bits(), "ninf"),
    (FastFlags::NSZ.bits(), "nsz"),
    (FastFlags::ARCP.bits(), "arcp"),
    (FastFlags::CONTRACT.bits(), "contract"),
    (FastFlags::AFN.bits(), "afn"),
];

const CALL_WORDS: BitWords = &[
    (CallFlags::TAIL.bits(), "tail"),
    (CallFlags::MUST_TAIL.bits(), "must_tail"),
    (CallFlags::NO_TAIL.bits(), "no_tail"),
    (CallFlags::RETURNS_TWICE.bits(), "returns_twice"),
    (CallFlags::NO_RETURN.bits(), "no_return"),
    (CallFlags::NO_UNWIND.bits(), "no_unwind"),
    (CallFlags::INTRINSIC.bits(), "intrinsic"),
    (CallFlags::INLINE_ASM.bits(), "inline_asm"),
    (CallFlags::BUNDLES.bits(), "bundles"),
    (CallFlags::UNMARKED.bits(), "unmarked"),
    (CallFlags::FOLLOWS_NEXT.bits(), "follows_next"),
    (CallFlags::FOLLOWS_PREVIOUS.bits(), "follows_previous"),
];

const MEM_WORDS: BitWords = &[(0x20, "volatile"), (0x40, "nontemporal"), (0x400, "single_thread")];

const CMPXCHG_WORDS: BitWords = &[(0x20, "volatile"), (0x40, "nontemporal"), (0x400, "weak")];

const PREFETCH_WORDS: BitWords = &[(1, "write"), (8, "data")];

const SIGNALING_WORDS: BitWords = &[(StrictFlags::SIGNALING, "signaling")];

/// The words for single flag bits of an opcode.
pub(super) fn bit_words(op: Opcode) -> BitWords {
    match flag_kind(op) {
        FlagKind::None | FlagKind::Scale => &[],
        FlagKind::Int(_) => INT_WORDS,
        FlagKind::Fast => FAST_WORDS,
        FlagKind::Call => CALL_WORDS,
        FlagKind::Prefetch => PREFETCH_WORDS,
        FlagKind::Strict if op == Opcode::StrictCompare => SIGNALING_WORDS,
        FlagKind::Strict => &[],
        FlagKind::Mem | FlagKind::Rmw if op == Opcode::Cmpxchg => CMPXCHG_WORDS,
        FlagKind::Mem | FlagKind::Rmw => MEM_WORDS,
    }
}

/// Words for memory orderings.
pub(super) const ORDERING_WORDS: [(Ordering, &str); 6] = [
    (Ordering::Unordered, "unordered"),
    (Ordering::Monotonic, "monotonic"),
    (Ordering::Acquire, "acquire"),
    (Ordering::Release, "release"),
    (Ordering::AcquireRelease, "acq_rel"),
    (Ordering::SequentiallyConsistent, "seq_cst"),
];

/// Writes the flags of an instruction, each word after a blank. Bits without a word are written as a number.
pub(super) fn write_flags(out: &mut dyn Write, op: Opcode, flags: u16) -> fmt::Result {
    let mut rest = flags;
    match flag_kind(op) {
        FlagKind::Mem | FlagKind::Rmw => rest = write_memory_flags(out, op, flags)?,
        FlagKind::Scale => {
            write!(out, " scale {flags}")?;
            rest = 0;
        }
        FlagKind::Prefetch => {
            write!(out, " locality {}", (flags >> 1) & 3)?;
            rest &= !6;
        }
        FlagKind::Strict => {
            if let Some(plain) = StrictFlags(flags).operation() {
                write!(out, " {}", plain.name())?;
                rest &= StrictFlags::SIGNALING;
            }
        }
        _ => {}
    }
    for (bit, word) in bit_words(op) {
        if rest & bit != 0 {
            write!(out, " {word}")?;
            rest &= !bit;
        }
    }
    if rest != 0 {
        write!(out, " flags {rest:#x}")?;
    }
    Ok(())
}

/// Writes operation, alignment and ordering; what remains are single bits.
fn write_memory_flags(out: &mut dyn Write, op: Opcode, flags: u16) -> Result<u16, fmt::Error> {
    let memory = MemFlags(flags);
    let mut rest = flags & !0x39f;
    if flag_kind(op) == FlagKind::Rmw
        && let Some(rmw) = memory.rmw()
    {
        write!(out, " {}", RMW_OPS[rmw as usize].1)?;
        rest &= 0x7ff;
    }
    if memory.align_log2() != 0 {
        write!(out, " align {}", 1u64 << memory.align_log2())?;
    }
    let ordering_bits = (flags >> 7) & 7;
    match ORDERING_WORDS.iter().find(|row| row.0 as u16 == ordering_bits) {
        Some((_, word)) => write!(out, " {word}")?,
        None => rest |= flags & 0x380,
    }
    Ok(rest)
}

/// A table of words for the variants of a field; the first is the default and is not written.
pub(super) type Words<T> = &'static [(T, &'static str)];

pub(super) const LINKAGES: Words<Linkage> = &[
    (Linkage::External, "external"),
    (Linkage::AvailableExternally, "available_externally"),
    (Linkage::LinkOnceAny, "link_once_any"),
    (Linkage::LinkOnceOdr, "link_once_odr"),
    (Linkage::WeakAny, "weak_any"),
    (Linkage::WeakOdr, "weak_odr"),
    (Linkage::Appending, "appending"),
    (Linkage::Internal, "internal"),
    (Linkage::Private, "private"),
    (Linkage::ExternalWeak, "external_weak"),
    (Linkage::Common, "common"),
];

pub(super) const VISIBILITIES: Words<Visibility> = &[
    (Visibility::Default, "default"),
    (Visibility::Hidden, "hidden"),
    (Visibility::Protected, "protected"),
];

pub(super) const TLS_MODELS: Words<TlsModel> = &[
    (TlsModel::NotThreadLocal, "not_thread_local"),
    (TlsModel::GeneralDynamic, "general_dynamic"),
    (TlsModel::LocalDynamic, "local_dynamic"),
    (TlsModel::InitialExec, "initial_exec"),
    (TlsModel::LocalExec, "local_exec"),
];

pub(super) const COMDAT_SELECTIONS: Words<ComdatSelection> = &[
    (ComdatSelection::Any, "any"),
    (ComdatSelection::ExactMatch, "exact_match"),
    (ComdatSelection::Largest, "largest"),
    (ComdatSelection::NoDeduplicate, "no_deduplicate"),
    (ComdatSelection::SameSize, "same_size"),
];

pub(super) const STACK_PROTECTORS: Words<StackProtector> = &[
    (StackProtector::None, "none"),
    (StackProtector::Basic, "basic"),
    (StackProtector::Strong, "strong"),
    (StackProtector::Required, "required"),
];

pub(super) const GUARD_PLACES: Words<GuardPlace> = &[
    (GuardPlace::Thread, "thread"),
    (GuardPlace::OwnSegment, "own_segment"),
    (GuardPlace::OtherSegment, "other_segment"),
    (GuardPlace::Variable, "variable"),
];

pub(super) const FRAME_POINTERS: Words<FramePointer> = &[
    (FramePointer::None, "none"),
    (FramePointer::NonLeaf, "non_leaf"),
    (FramePointer::All, "all"),
];

pub(super) const EXTENSIONS: Words<Extension> = &[
    (Extension::None, "noext"),
    (Extension::Zero, "zeroext"),
    (Extension::Sign, "signext"),
];

/// Parameter kinds without a payload; `byval` has its own form.
pub(super) const PARAM_KINDS: Words<ParamKind> = &[
    (ParamKind::Normal, "normal"),
    (ParamKind::StructReturn, "sret"),
    (ParamKind::Nest, "nest"),
    (ParamKind::SwiftSelf, "swift_self"),
    (ParamKind::SwiftError, "swift_error"),
    (ParamKind::SwiftAsync, "swift_async"),
    (ParamKind::InAlloca, "inalloca"),
    (ParamKind::Preallocated, "preallocated"),
];

/// Words for the flag bits of inline assembly.
pub(super) const ASM_FLAGS: [(u8, &str); 4] = [(1, "sideeffect"), (2, "alignstack"), (4, "intel"), (8, "unwind")];

/// The variant that a word stands for.
pub(super) fn variant_of<T: Copy>(words: Words<T>, word: &str) -> Option<T> {
    words.iter().find(|row| row.1 == word).map(|row| row.0)
}

/// The word of a variant.
pub(super) fn word_of<T: Copy + PartialEq>(words: Words<T>, variant: T) -> &'static str {
    words.iter().find(|row| row.0 == variant).map_or("unknown", |row| row.1)
}

/// The primitive types with a word of their own.
pub(super) const PRIMITIVE_TYPES: [(Type, &str); 8] = [
    (Type::VOID, "void"),
    (Type::F16, "f16"),
    (Type::BF16, "bf16"),
    (Type::F32, "f32"),
    (Type::F64, "f64"),
    (Type::X86_F80, "x86_f80"),
    (Type::F128, "f128"),
    (Type::PTR, "ptr"),
];

pub(super) fn write_type(out: &mut dyn Write, types: &TypeTable, ty: Type) -> fmt::Result {
    match types.data(ty) {
        TypeData::Int(bits) => write!(out, "i{bits}"),
        TypeData::Ptr(space) if space != 0 => write!(out, "ptr({space})"),
        TypeData::Vector { element, lanes } => {
            write!(out, "<{lanes} x ")?;
            write_type(out, types, element)?;
            out.write_char('>')
        }
        _ => out.write_str(
            PRIMITIVE_TYPES
                .iter()
                .find(|row| row.0 == ty)
                .map_or("void", |row| row.1),
        ),
    }
}

/// Writes bytes in quotes.
pub(super) fn write_quoted(out: &mut dyn Write, bytes: &[u8]) -> fmt::Result {
    out.write_char('"')?;
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => write!(out, "\\{}", char::from(byte))?,
            b'\n' => out.write_str("\\n")?,
            b'\t' => out.write_str("\\t")?,
            b' '..=b'~' => out.write_char(char::from(byte))?,
            _ => write!(out, "\\{byte:02x}")?,
        }
    }
    out.write_char('"')
}

/// Writes the name of a symbol or comdat, with quotes where they are needed.
pub(super) fn write_name(out: &mut dyn Write, name: &[u8]) -> fmt::Result {
    out.write_char('@')?;
    if is_plain_name(name) {
        out.write_str(std::str::from_utf8(name).map_err(|_| fmt::Error)?)
    } else {
        write_quoted(out, name)
    }
}
