//! Recipes and the pass registry.
