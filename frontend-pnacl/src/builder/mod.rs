//! From records to the IR: the half of the reader that does not depend on the dialect of bitcode.
//!
//! ```text
//!  records (crate::llvm)                        IR (frazil_ir::Function)
//!    "value 12 + value 7"  ->  Builder  ->  InstData, operands, blocks
//!                                 |
//!                     words: one Word for each value number
//! ```
//!
//! * [`values`]: the [`values::Builder`], which keeps one [`word`] for each value number of the file; [`state`] has
//!   its memory. [`classes`], [`consts`], [`aggregates`], [`gep`], [`phis`], [`pointers`], [`signatures`] and [`wide`]
//!   add methods to it.
//! * [`dominance`] and [`quick_tree`]: each use must be dominated by its definition.
//! * [`blocks`] and [`splits`]: operations that need a loop split the block that they are in.
//! * [`intrinsics`]: what calls of LLVM's intrinsics become; [`environment`]: the metadata that some of them take.
//! * [`data`]: initializers of global variables; [`evaluate`]: constant expressions as a symbol plus an offset.

pub mod aggregates;
pub mod blocks;
pub mod class;
pub mod classes;
pub mod consts;
pub mod data;
pub mod dominance;
pub mod elements;
pub mod environment;
pub mod evaluate;
pub mod gep;
pub mod intrinsics;
pub(crate) mod library_functions;
pub(crate) mod marks;
pub mod phis;
pub mod pointers;
pub mod quick_tree;
pub mod signatures;
pub mod splits;
pub mod state;
pub mod tables;
pub mod values;
pub mod vector_intrinsics;
pub mod wide;
pub mod word;
