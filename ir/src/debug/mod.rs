//! Debug information: what a program was called in its source, and where its instructions and variables come from.
//!
//! In layers: [`word`] is what a field of a node may be, [`kind`] the table of all kinds of nodes with their fields,
//! [`metadata`] the table that nodes stand in, [`function`] what belongs to one function (locations of instructions,
//! values of variables), [`module`] what belongs to a module.
//!
//! Nodes are those of LLVM's debug metadata, in one layout whatever version wrote them. They refer to each other by
//! number and are never changed. What a function says besides nodes is dense columns beside its instructions: they are
//! no operands, count no uses and order nothing, so code is the same with and without them (contract 14).

pub mod function;
pub mod kind;
pub mod metadata;
pub mod module;
pub mod word;

pub use function::{Argument, DebugConstant, DebugKind, DebugValue, FunctionDebug, Location, LocationId};
pub use kind::{Entry, Kind};
pub use metadata::Metadata;
pub use module::ModuleDebug;
pub use word::{Bound, NodeId, NodeRef};
