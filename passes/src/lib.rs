//! Optimization passes, their registry, and recipes: named ways to compile a function.

pub mod constants;
pub mod equal_constants;
pub mod facts;
pub mod mach;
pub mod manager;
pub mod memory;
pub mod observe;
pub mod opt;
pub mod preheaders;
pub mod recipe;
pub mod registry;

pub use facts::target_facts;
pub use manager::{FunctionStep, Runner, Step, Subject};
pub use observe::{Dump, Listener, Moment, Observe};
pub use recipe::{Book, Codegen, Overrides, Recipe, RecipeError};
pub use registry::{Entry, Made, NoOptions, PassOptions, Registry, UnknownPass};
