//! Recipes: named ways to compile a function.

pub mod recipe;

pub use recipe::{Codegen, Recipe, UnknownRecipe};
