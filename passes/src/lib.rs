//! Optimization passes, their registry, and recipes: named ways to compile a function.

mod builtin;
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
pub use manager::{Runner, Subject};
pub use observe::{Dump, Listener, Moment, Observe};
pub use recipe::{Book, Codegen, FunctionStep, MachStep, Overrides, Recipe, RecipeError, Step};
pub use registry::{Entry, Made, NoOptions, PassOptions, Registry, UnknownPass};
