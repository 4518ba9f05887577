//! What llc makes of the corpus. That never changes between runs of the benchmark, so it is kept in the target folder
//! and made again only when the module, llc or its options have changed.

use std::fs;
use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::compiler::{Compiler, LlcLevel};
use crate::corpus::Module;
use crate::crosstest;
use crate::{machine, process, workspace};

/// An object of llc and the program that was linked of it.
pub struct Reference {
    pub object: PathBuf,
    pub program: PathBuf,
}

/// What llc makes of `module` at `level`.
pub fn make(module: &Module, level: LlcLevel) -> Result<Reference> {
    let compiler = Compiler::Llc(level);
    let dir = machine::folder()
        .join("bench/reference")
        .join(format!("{}-{compiler}", module.name()));
    let reference = Reference {
        object: dir.join(format!("{compiler}.o")),
        program: dir.join(compiler.name()),
    };
    let stamp_file = dir.join("stamp");
    let stamp = stamp(module, &compiler)?;
    if fs::read_to_string(&stamp_file).ok().as_ref() != Some(&stamp) {
        let built = crosstest::build_module(module, &compiler, &dir)?;
        if built.program.is_none() {
            bail!(built.problem);
        }
        // Last, so that a run which was interrupted is repeated.
        fs::write(&stamp_file, stamp)?;
    }
    Ok(reference)
}

/// All that the object depends on, as text.
fn stamp(module: &Module, compiler: &Compiler) -> Result<String> {
    let version = process::checked(workspace::llvm_tool(workspace::LLC)?.arg("--version"))?;
    let command = compiler.command(module.bitcode()?, "object".as_ref())?;
    let recipe = fs::read_to_string(module.recipe_file())?;
    Ok(format!(
        "{}{command:?}\n{recipe}",
        String::from_utf8_lossy(&version.stdout)
    ))
}
