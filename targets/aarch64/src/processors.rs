//! The table of features and processors.

use frazil_codegen::features::FeatureTable;

/// The table.
pub static FEATURES: FeatureTable = FeatureTable::EMPTY;
