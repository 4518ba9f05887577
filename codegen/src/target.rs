//! The object-safe half of a target, which drivers hold: every [`Isa`] compiles functions by the shared contexts.

use crate::desc::TargetDesc;
use crate::error::CodegenError;
use crate::fast::FastState;
use crate::included;
use crate::isa::Isa;
use crate::minst::MInst;
use crate::optimize::{MachRecipe, OptimizeState};
use crate::pass::MachPasses;
use crate::print::AsmNames;
use crate::result::CompiledFunction;
use crate::unit::Unit;
use frazil_ir::{Platform, Refusal};
use std::fmt;

/// The object-safe half, what the driver holds; implemented for every [`Isa`].
pub trait Target: Send + Sync {
    /// The target as data.
    fn desc(&self) -> &'static TargetDesc;
    /// Compiles a function by the fast path.
    ///
    /// # Errors
    /// A construct that is not compiled, by name and place.
    fn compile_fast(
        &self,
        unit: &Unit<'_>,
        state: &mut FastState,
        out: &mut CompiledFunction,
    ) -> Result<(), CodegenError>;
    /// Compiles a function by the optimizing path.
    ///
    /// # Errors
    /// A construct that is not compiled, by name and place.
    fn compile_optimized(
        &self,
        unit: &Unit<'_>,
        recipe: &MachRecipe,
        passes: &mut dyn MachPasses,
        state: &mut OptimizeState,
        out: &mut CompiledFunction,
    ) -> Result<(), CodegenError>;
    /// Everything in a function that is not compiled, as far as choosing instructions shows it. What is in `out` then
    /// means nothing.
    fn refusals(&self, unit: &Unit<'_>, state: &mut OptimizeState, out: &mut CompiledFunction) -> Vec<CodegenError>;
    /// Writes an instruction as assembly text; see [`Isa::print`].
    ///
    /// # Errors
    /// As the writer's; always in builds without [text](included::TEXT).
    fn print(&self, inst: &MInst, len: u8, names: &dyn AsmNames, out: &mut dyn fmt::Write) -> fmt::Result;
}

impl<I: Isa> Target for I {
    fn desc(&self) -> &'static TargetDesc {
        Isa::desc(self)
    }

    fn compile_fast(
        &self,
        unit: &Unit<'_>,
        state: &mut FastState,
        out: &mut CompiledFunction,
    ) -> Result<(), CodegenError> {
        crate::fast::compile(self, unit, state, out)
    }

    fn compile_optimized(
        &self,
        unit: &Unit<'_>,
        recipe: &MachRecipe,
        passes: &mut dyn MachPasses,
        state: &mut OptimizeState,
        out: &mut CompiledFunction,
    ) -> Result<(), CodegenError> {
        if !included::OPTIMIZING_PATH {
            return Err(without_optimizing_path());
        }
        crate::optimize::compile(self, unit, recipe, passes, state, out)
    }

    fn refusals(&self, unit: &Unit<'_>, state: &mut OptimizeState, out: &mut CompiledFunction) -> Vec<CodegenError> {
        if !included::OPTIMIZING_PATH {
            return vec![without_optimizing_path()];
        }
        crate::optimize::refusals(self, unit, state, out)
    }

    fn print(&self, inst: &MInst, len: u8, names: &dyn AsmNames, out: &mut dyn fmt::Write) -> fmt::Result {
        match included::TEXT {
            true => Isa::print(self, inst, len, names, out),
            false => Err(fmt::Error),
        }
    }
}

#[cold]
fn without_optimizing_path() -> CodegenError {
    included::without_selection(Refusal::Instruction, "the optimizing path")
}

/// What a target crate exports.
#[derive(Clone, Copy)]
pub struct TargetEntry {
    /// The name in `--target`.
    pub name: &'static str,
    /// What `llc` calls it, in `-march`.
    pub llc_name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// Architecture names at the start of a triple that mean this target.
    pub triple_prefixes: &'static [&'static str],
    /// What readers must know of it.
    pub platform: &'static Platform,
    /// Makes the target.
    pub new: fn() -> Box<dyn Target>,
}

impl TargetEntry {
    /// The target of the architecture that a triple begins with. Without a triple, LLVM's tools compile for the machine
    /// that they run on.
    pub fn of_triple<'t>(triple: &str, targets: &'t [TargetEntry]) -> Option<&'t TargetEntry> {
        let architecture = match triple {
            "" => std::env::consts::ARCH,
            triple => triple.split('-').next().unwrap_or_default(),
        };
        targets
            .iter()
            .find(|target| target.triple_prefixes.contains(&architecture))
    }

    /// The platform of a triple; without a triple and a target for this machine, the first target's.
    pub fn platform_of(triple: &[u8], targets: &[TargetEntry]) -> Option<&'static Platform> {
        let found = std::str::from_utf8(triple).ok();
        let found = found.and_then(|triple| TargetEntry::of_triple(triple, targets));
        let default = || targets.first().filter(|_| triple.is_empty());
        found.or_else(default).map(|target| target.platform)
    }
}

impl fmt::Debug for TargetEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
