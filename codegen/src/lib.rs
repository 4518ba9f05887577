//! The target-independent machine layer: machine instructions, code buffer, calling conventions, and the contexts
//! that the targets' lowering rules are written against.
//!
//! It knows no target by name, no file, no thread.

pub mod abi;
pub mod analyze;
mod annotate;
pub mod buffer;
pub mod check;
mod context;
pub mod desc;
pub mod error;
pub mod exceptions;
pub mod fast;
pub mod features;
mod finish;
pub mod frame;
pub mod inline_asm;
pub mod isa;
pub mod lower_ctx;
pub mod mfunc;
pub mod minst;
pub mod module_view;
pub mod optimize;
pub mod parallel_move;
pub mod pass;
pub mod print;
pub mod reg;
pub mod regalloc;
pub mod result;
pub mod select;
pub mod slot_access;
mod unit;
pub mod vectors;
pub mod verify;

pub use analyze::{Folder, Mark};
pub use buffer::{CodeBuffer, LogItem, PoolConstant, Reloc, ShortForm};
pub use context::clearing::Clearing;
pub use desc::{
    Addressing, ClassDesc, ConvDesc, ElfDesc, FixupDesc, OpDesc, ProtectionNote, RegDesc, RelocDesc, Role, SpecialArgs,
    TargetDesc,
};
pub use error::CodegenError;
pub use fast::FastState;
pub use isa::{
    Branch, CallTarget, CaseTable, CaseTest, FrameInfo, FrameSink, Guard, Isa, Join, Parts, StackProbes, SwitchValue,
    Target, TargetEntry,
};
pub use lower_ctx::{AreaArgument, CallSequence, FrameArea, GroupKind, ImmKind, LowerCtx, Src, VariadicArea};
pub use mfunc::{MFunc, PhiMove, RegSets, Term};
pub use minst::{Label, MInst, Mem, Ref, RefKind};
pub use module_view::{ModuleView, RelocationModel};
pub use print::AsmNames;
pub use reg::{PRegSet, Reg, RegClass};
pub use result::{CompiledFunction, UnwindOp};
pub use unit::Unit;
pub use vectors::VectorShape;
