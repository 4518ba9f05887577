//! From records to the IR: what does not depend on the dialect of bitcode.
//!
//! [`values`] has the numbered values of a function, each a [`word`], and the builder, whose memory is in [`state`].
//! [`classes`], [`consts`], [`aggregates`], [`gep`], [`phis`], [`pointers`] and [`signatures`] extend the builder;
//! [`intrinsics`] says what calls of intrinsics become, [`environment`] what some of them are told by metadata.
//! [`data`] makes initialisers of constants, [`evaluate`] knows what sums of addresses and numbers constants stand for.

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
pub(crate) mod marks;
pub mod phis;
pub mod pointers;
pub mod quick_tree;
pub mod signatures;
pub mod splits;
pub mod state;
pub mod tables;
pub mod values;
pub mod wide;
pub mod word;
