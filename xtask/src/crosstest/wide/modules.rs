//! Bitcode of a code base, a module for each source file, and llc's objects of it.
//!
//! A module is made again when its recipe (the command, the compiler's version, our own driver and configuration) has
//! changed; the recipe is kept beside it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::code_bases::CodeBase;
use super::sources::Sources;
use crate::corpus::Level;
use crate::{machine, parallel, process, workspace};

/// A source file of a code base as bitcode, with llc's object to compare with.
#[derive(Debug)]
pub struct Module {
    /// The number and the name of the source file, without ending.
    pub name: String,
    pub bitcode: PathBuf,
    /// llc's object.
    pub reference_object: PathBuf,
}

/// All that is made of a code base.
#[derive(Debug)]
pub struct Made {
    pub modules: Vec<Module>,
    /// Objects of the code base's assembly.
    pub extra_objects: Vec<PathBuf>,
}

/// The folder of the modules.
pub fn folder(code_base: &CodeBase, level: Level) -> PathBuf {
    let name = format!("{}-{}", code_base.name, level.name());
    machine::folder().join("corpus/wide").join(name)
}

/// Makes what is not there yet.
pub fn make(code_base: &'static CodeBase, level: Level) -> Result<Made> {
    let folder = folder(code_base, level);
    let sources = Sources::prepare(code_base, &folder)?;
    let version = process::checked(workspace::llvm_tool(workspace::CLANG)?.arg("--version"))?;
    let version = String::from_utf8_lossy(&version.stdout);
    let context = format!("{version}{:?}", code_base.configuration);
    let maker = Maker {
        sources: &sources,
        level,
        folder: &folder,
        context,
    };
    let driver = workspace::root().join(code_base.driver);
    let files: Vec<_> = sources.files.iter().chain([&driver]).enumerate().collect();
    let modules = parallel::map(&files, |(number, source)| maker.module(*number, source));
    let extra_objects = code_base.assembly.iter().map(|source| maker.assemble(source));
    Ok(Made {
        modules: modules.into_iter().collect::<Result<_>>()?,
        extra_objects: extra_objects.collect::<Result<_>>()?,
    })
}

struct Maker<'a> {
    sources: &'a Sources,
    level: Level,
    folder: &'a Path,
    /// What all recipes have in them.
    context: String,
}

impl Maker<'_> {
    fn module(&self, number: usize, source: &Path) -> Result<Module> {
        let stem = source.file_stem().unwrap_or_default().display();
        let name = format!("{number:03}-{stem}");
        let path = |ending: &str| self.folder.join(format!("{name}.{ending}"));
        let (bitcode, recipe_file, reference_object) = (path("bc"), path("recipe"), path("llc.o"));
        let mut clang = self.sources.clang(source, self.level)?;
        clang.args(["-emit-llvm", "-o"]).arg(&bitcode);
        let mut recipe = format!("{clang:?}\n{}", self.context);
        if !source.starts_with(&self.sources.package_dir) {
            // A package of one version never changes, our own files do.
            recipe.push_str(&fs::read_to_string(source)?);
        }
        if fs::read_to_string(&recipe_file).ok().as_ref() != Some(&recipe) {
            process::checked(&mut clang)?;
            let mut llc = super::reference().command(&bitcode, &reference_object)?;
            process::checked(llc.args(["--function-sections", "--data-sections"]))?;
            // Last, so that a run which was interrupted is repeated.
            fs::write(&recipe_file, recipe)?;
        }
        Ok(Module {
            name,
            bitcode,
            reference_object,
        })
    }

    fn assemble(&self, source: &str) -> Result<PathBuf> {
        let source = self.sources.package_dir.join(source);
        let stem = source.file_stem().unwrap_or_default().display();
        let object = self.folder.join(format!("assembly-{stem}.o"));
        let mut clang = self.sources.clang(&source, self.level)?;
        process::checked(clang.arg("-o").arg(&object))?;
        Ok(object)
    }
}
