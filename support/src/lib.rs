//! Small shared containers; knows nothing of compilers.
//!
//! Everything here is a dense, index-based container that can be cleared and used again for the next function.
//! `cranelift-entity` is re-exported under our own path, so that it can be replaced in one place.

pub mod byte_buffer;
pub mod epoch_map;
pub mod id_table;
pub mod sort;
pub mod strings;
pub mod suggest;

pub use byte_buffer::ByteBuffer;
pub use cranelift_entity::{EntityRef, PrimaryMap, entity_impl};
pub use epoch_map::EpochMap;
pub use id_table::{IdTable, WordHasher};
pub use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
pub use strings::{Str, StringPool};

/// Whether a build has what is faster and larger where there is something that is slower and smaller, too.
pub const SPEED: bool = cfg!(feature = "speed");
