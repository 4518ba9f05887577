//! Frazil's intermediate representation: one dense, index-based SSA form per function.
//!
//! Readers produce it, passes change it, code generation consumes it, and it is never turned into pointers.
//! It knows no target, no file, no thread, no environment variable.

pub mod analysis;
pub mod builder;
pub mod cfg;
mod cfg_build;
pub mod constant;
pub mod debug;
pub mod domtree;
pub mod edit;
pub mod entities;
pub mod flags;
pub mod function;
pub mod included;
pub mod indirect;
#[cfg(feature = "interp")]
pub mod interp;
pub mod loops;
pub mod masked;
pub mod module;
pub mod opcode;
pub mod operand;
pub mod pass;
#[cfg(feature = "petgraph")]
pub mod petgraph_view;
pub mod platform;
pub mod refusal;
pub mod rewrite;
pub mod runtime;
pub mod signature;
pub mod strict;
pub mod text;
pub mod types;
pub mod typing;
pub mod verify;

pub use analysis::{Analysis, AnalysisCache, AnalysisSet};
pub use cfg::{Cfg, Edge};
pub use constant::{AsmData, ConstData, ConstKind, ConstView};
pub use edit::Editor;
pub use entities::{Block, ComdatId, ConstId, DataId, FuncId, Inst, Loop, SigId, SlotId, SymbolId, Value};
pub use flags::{CallFlags, FastFlags, IntFlags, MemFlags, Ordering, RmwOp};
pub use function::{BlockData, CallView, Function, InstData, SlotData, ValueData, ValueKind};
pub use module::{DataDef, DataRelocation, FunctionHead, Linkage, Module, SymbolData, SymbolKind, Visibility};
pub use opcode::{Effects, Format, Opcode, Results};
pub use operand::{Operand, OperandKind};
pub use pass::{
    FunctionPass, ImmediateRule, Level, Order, PassCx, PassError, PassInfo, PassState, Preserved, Statistics,
    TargetFacts,
};
pub use platform::Platform;
pub use refusal::Refusal;
pub use runtime::{AtomicUpdate, RuntimeFunction};
pub use signature::{CallConv, Extension, Param, ParamKind, RegisterSet, Signature};
pub use strict::StrictFlags;
pub use types::{TableIdentity, Type, TypeData, TypeTable};

/// The entity and map types of `frazil-support`, for crates that need no other part of it.
pub use frazil_support::{EntityRef, PrimaryMap, Str, StringPool};
