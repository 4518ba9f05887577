//! Which accesses to memory under a mask LLVM has intrinsics for. They have no opcodes and are known by name.

/// An intrinsic that accesses memory under a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Masked {
    Load,
    Store,
    Gather,
    Scatter,
    Expand,
    Compress,
}

impl Masked {
    /// The one with this name, if it is one.
    pub fn of(name: &str) -> Option<Masked> {
        let rest = name.strip_prefix("llvm.masked.")?;
        Some(match rest.split('.').next()? {
            "load" => Masked::Load,
            "store" => Masked::Store,
            "gather" => Masked::Gather,
            "scatter" => Masked::Scatter,
            "expandload" => Masked::Expand,
            "compressstore" => Masked::Compress,
            _ => return None,
        })
    }

    /// Whether its lanes lie side by side in memory, those that are off included.
    pub fn is_in_row(self) -> bool {
        matches!(self, Masked::Load | Masked::Store)
    }

    /// Whether it writes memory.
    pub fn is_store(self) -> bool {
        matches!(self, Masked::Store | Masked::Scatter | Masked::Compress)
    }
}
