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

// What `cargo xtask new-pass` starts from is compiled here, so that it fits what there is.
#[cfg(test)]
#[path = "../templates/mach.rs"]
mod mach_template;
#[cfg(test)]
#[path = "../templates/opt.rs"]
mod opt_template;

pub use facts::target_facts;
pub use manager::{Runner, Subject};
pub use observe::{Dump, Listener, Moment, Observe};
pub use recipe::{Book, Codegen, FunctionStep, MachStep, Overrides, Recipe, RecipeError, Step};
pub use registry::{Entry, Made, NoOptions, PassOptions, Registry, UnknownPass};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_of_passes_can_be_registered() {
        let function = Registry::default().with(|registry| registry.function(opt_template::INFO, opt_template::make));
        assert!(function.find("new-pass").is_ok());
        let machine = Registry::default()
            .with(|registry| registry.mach(mach_template::INFO, |NoOptions {}| mach_template::NewPass));
        assert!(machine.find("new-pass").is_ok());
    }
}
