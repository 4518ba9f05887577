//! The list of built-in targets behind cargo features.
