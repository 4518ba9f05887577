//! Options about tools that instrument programs, and reading what they name.

use crate::diagnostics::{Error, Stage};
use crate::options::InputForm;
use crate::options::hook_objects::{Hooks, is_elf};
use crate::{input, llvm, recognize};
use clap::Args;
use frazil_decode::Object;
use frazil_frontend_pnacl::{BitcodeModule, FunctionReader, ReadOptions};
use frazil_instrument::{HookModule, Source, Tool, Tools};
use frazil_ir::{Function, text, verify};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the command line says about tools.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Instrumentation")]
pub struct InstrumentArguments {
    /// Have the hooks of a tool called at places of the program, as a TOML file says; may be given several times
    #[arg(long, value_name = "FILE")]
    pub instrument: Vec<PathBuf>,
    /// Print to standard error how each hook is called, and why
    #[arg(long)]
    pub explain_instrument: bool,
}

impl InstrumentArguments {
    /// The tools that are named, with their hooks, behind those of a driver; none if there are none.
    ///
    /// # Errors
    /// Everything that is wrong with a tool file or its hooks.
    pub fn tools(&self, of_driver: &[Arc<Tool>]) -> Result<Option<Arc<Tools>>, Error> {
        if self.instrument.is_empty() && of_driver.is_empty() {
            return Ok(None);
        }
        let mut tools = of_driver.to_vec();
        for path in &self.instrument {
            tools.push(Arc::new(read_tool(path)?));
        }
        let tools = Tools::new(tools).map_err(wrong)?;
        Ok(Some(Arc::new(tools)))
    }
}

/// The bytes of a tool's hooks as they are compiled, by what their file has, and whether they are text of the
/// intermediate representation.
pub(crate) fn hooks_input(path: &Path, bytes: Vec<u8>) -> Result<(Vec<u8>, InputForm), Error> {
    if recognize::is_frazil_text(&bytes) || path.extension().is_some_and(|extension| extension == "fzl") {
        return Ok((bytes, InputForm::Text));
    }
    if let Some(complaint) = recognize::complaint(path, &bytes) {
        return Err(Error::new(Stage::Read, complaint));
    }
    let bytes = match llvm::is_text(&bytes) {
        true => llvm::read(path, &bytes, &super::LlvmOptions::default())?,
        false => bytes,
    };
    Ok((bytes, InputForm::Bitcode))
}

fn wrong(error: frazil_passes::RecipeError) -> Error {
    Error::new(Stage::Options, error.to_string())
}

fn read_tool(path: &Path) -> Result<Tool, Error> {
    let text = input::read_text(path)?;
    let source = Source::parse(&path.display().to_string(), &text).map_err(wrong)?;
    let hooks = hooks_path(path, source.tool.hooks.get_ref());
    let unread = |message: String| wrong(source.error(&source.tool.hooks, message));
    let in_file = |error: &dyn Display| unread(format!("{}: {error}", hooks.display()));
    let bytes = input::read(&hooks).map_err(|error| in_file(&error))?;
    let tool = match is_elf(&bytes) {
        true => {
            let object = Object::read(&bytes).map_err(|error| in_file(&error))?;
            Tool::of_object(&source, &Hooks(object))
        }
        false => Tool::of_file(&source, hooks_of(&hooks, bytes).map_err(|error| in_file(&error))?),
    };
    let mut tool = tool.map_err(wrong)?;
    tool.hooks_path = hooks.display().to_string();
    Ok(tool)
}

/// The file that a tool file names, which stands beside it.
fn hooks_path(tool: &Path, hooks: &str) -> PathBuf {
    tool.parent().unwrap_or(Path::new("")).join(hooks)
}

/// The module of hooks with all of its functions, for a tool of a program in Rust: bitcode, or text that the command
/// takes.
///
/// # Errors
/// When the file cannot be read, or something in it is not supported.
pub fn read_hooks(path: &Path) -> Result<HookModule, Error> {
    hooks_of(path, input::read(path)?)
}

/// The same from what the file has.
fn hooks_of(path: &Path, bytes: Vec<u8>) -> Result<HookModule, Error> {
    let (bytes, form) = hooks_input(path, bytes)?;
    if form == InputForm::Text {
        return parse_hooks(&bytes);
    }
    let platform_of = |triple: &[u8]| crate::platform_of(triple);
    let bitcode = BitcodeModule::open(&bytes, &ReadOptions::new(&platform_of))?;
    let mut reader = FunctionReader::new(&bitcode);
    let mut function = Function::new();
    let mut functions = Vec::new();
    for id in bitcode.module().functions.keys() {
        reader.read(id, &mut function)?;
        functions.push(function.clone());
    }
    drop(reader);
    Ok(HookModule {
        module: bitcode.into_module(),
        functions,
    })
}

/// The same from text of the intermediate representation.
fn parse_hooks(bytes: &[u8]) -> Result<HookModule, Error> {
    let wrong = |message: String| Error::new(Stage::Read, message);
    let input = std::str::from_utf8(bytes).map_err(|error| wrong(error.to_string()))?;
    let (module, functions) = text::parse_module(input).map_err(|error| wrong(error.to_string()))?;
    verify::verify_module(&module).map_err(|errors| wrong(first_of(&errors)))?;
    for function in &functions {
        verify::verify_function(&module, function).map_err(|errors| wrong(first_of(&errors)))?;
    }
    Ok(HookModule { module, functions })
}

fn first_of(errors: &[verify::VerifyError]) -> String {
    errors.first().map_or(String::new(), ToString::to_string)
}
