//! The target-independent machine layer: machine instructions, code buffer, calling conventions, and the contexts
//! that the targets' lowering rules are written against.
//!
//! It knows no target by name, no file, no thread.

pub mod abi;
pub mod analyze;
mod annotate;
pub mod atomic_calls;
pub mod branch;
pub mod buffer;
pub mod check;
mod context;
pub mod debug;
pub mod desc;
pub mod division;
pub mod error;
pub mod exceptions;
pub mod extended;
pub mod fast;
pub mod features;
mod finish;
mod floats;
mod follow;
pub mod frame;
pub mod frame_info;
mod halt;
pub mod included;
pub mod inline_asm;
pub mod isa;
mod lent;
pub mod lower_ctx;
pub mod mfunc;
pub mod minst;
pub mod module_view;
pub mod optimize;
pub mod pairs;
pub mod parallel_move;
pub mod parts;
pub mod pass;
pub mod print;
pub mod reference;
pub mod reg;
pub mod regalloc;
pub mod result;
pub mod select;
pub mod slot_access;
pub mod target;
mod text;
mod unit;
pub mod unwind;
mod variables;
pub mod vectors;
pub mod verify;

pub use analyze::{Folder, Mark};
pub use branch::{Branch, BranchMarks, CallTarget, CaseTable, CaseTest, Join, SwitchValue};
pub use buffer::{
    Beyond, CodeBuffer, Islands, LocationMark, LogItem, MarkPlace, PoolConstant, Reach, Reloc, ShortForm,
};
pub use context::refusals::refuse_code_model;
pub use desc::{
    Addressing, ClassDesc, ConvDesc, ElfDesc, FarSections, FixupDesc, FreeDisplacements, OpDesc, ProtectionNote,
    RegDesc, RegisterStack, RelocDesc, Role, SpecialArgs, TargetDesc, ThreadOffset,
};
pub use error::CodegenError;
pub use fast::FastState;
pub use floats::{ClassRange, NAN_CLASSES, class_ranges, long_arithmetic};
pub use frame_info::{Clearing, FrameInfo, FrameSink, Guard, ReturnProtection, StackProbes};
pub use halt::Halt;
pub use isa::{HalfConversions, Isa, Push};
pub use lower_ctx::{AreaArgument, CallSequence, FrameArea, GroupKind, ImmKind, LowerCtx, Src, VariadicArea};
pub use mfunc::{MFunc, PhiMove, RegSets, Term};
pub use minst::{MInst, Mem};
pub use module_view::{ModuleView, RelocationModel};
pub use parts::Parts;
pub use print::AsmNames;
pub use reference::{Label, Ref, RefKind};
pub use reg::{PRegSet, Reg, RegClass};
pub use result::CompiledFunction;
pub use target::{Target, TargetEntry};
pub use text::Text;
pub use unit::Unit;
pub use unwind::UnwindOp;
pub use vectors::{Division, Question, Test, VectorShape};
