//! The half that consumes code: a sink takes finished functions in the order of the module and makes the output of
//! them.
//!
//! There is one for each form of output: text here, objects in [`super::object_sink`]. What a sink cannot make is an
//! outcome ([`Flow::NeedsAssembler`]), not an error: the driver then chooses another one.

use super::worker::{Definition, Failure, Worker};
use crate::diagnostics::{Diagnostic, Error};
use crate::options::{Emit, Options};
use crate::output::Output;
use frazil_codegen::{CompiledFunction, Target};
use frazil_emit::asm::TextPlace;
use frazil_emit::{AsmBuilder, EmitError, EmitOptions};
use frazil_ir::Module;
use std::io::Write;
use std::ops::ControlFlow;

/// How it goes on.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Continue,
    /// There is assembly in the module that only an assembler can encode, and that cannot be parted from the rest of
    /// it: the whole module has to become assembly text.
    NeedsAssembler,
}

/// How a sink fares with one function after the other.
#[derive(Debug, Default)]
pub(super) struct Appended {
    failures: Vec<Diagnostic>,
    needs_assembler: bool,
}

impl Appended {
    /// Whether something was refused, so that there will be no output.
    pub fn has_failed(&self) -> bool {
        !self.failures.is_empty()
    }

    /// Notes what became of a function, and whether others are still wanted.
    pub fn note(&mut self, outcome: Result<Flow, Failure>) -> ControlFlow<()> {
        match outcome {
            Ok(Flow::Continue) => ControlFlow::Continue(()),
            Ok(Flow::NeedsAssembler) => {
                self.needs_assembler = true;
                ControlFlow::Break(())
            }
            Err(failure) => {
                self.failures.extend(failure.diagnostics);
                match failure.is_panic {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            }
        }
    }

    /// How it goes on after the last function.
    ///
    /// # Errors
    /// All that was refused.
    pub fn flow(self) -> Result<Flow, Error> {
        match self.needs_assembler {
            true => Ok(Flow::NeedsAssembler),
            false if self.failures.is_empty() => Ok(Flow::Continue),
            false => Err(self.failures.into()),
        }
    }
}

/// Where compiled functions go.
pub(super) trait Sink {
    /// Takes over the code of a function.
    ///
    /// # Errors
    /// What the form of output has no words for.
    fn add(&mut self, definition: &Definition<'_>, code: &mut CompiledFunction) -> Result<Flow, EmitError>;

    /// Completes the output and writes it, unless it cannot be made; the worker may have to compile functions once
    /// more for it.
    ///
    /// # Errors
    /// What data cannot be expressed, what an assembler complains of, and failures of the writer.
    fn finish(self, worker: &mut Worker<'_>, out: &mut dyn Write) -> Result<Flow, Error>;
}

/// Writes the file with what linkers need not see of debug information, if there is one.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write_split(options: &Options, bytes: Option<Vec<u8>>) -> Result<(), Error> {
    let path = options.split_output.as_deref().filter(|_| options.emit == Emit::Obj);
    let Some((path, bytes)) = path.zip(bytes) else {
        return Ok(());
    };
    let mut file = Output::new(path);
    let written = file.write_all(&bytes).and_then(|()| file.commit());
    written.map_err(|error| Error::output(&error).between(&format!("{}: ", path.display()), ""))
}

/// Makes assembly text.
pub(super) struct TextSink<'a> {
    builder: AsmBuilder<'a>,
    options: &'a Options,
}

impl<'a> TextSink<'a> {
    /// A text of a module.
    ///
    /// # Errors
    /// What the text cannot express.
    pub fn new(
        module: &'a Module,
        target: &'a dyn Target,
        emit: EmitOptions,
        options: &'a Options,
    ) -> Result<TextSink<'a>, EmitError> {
        let builder = AsmBuilder::new(module, target, emit)?;
        Ok(TextSink { builder, options })
    }

    /// Where assembly stands that users have written.
    pub fn places(&self) -> Vec<TextPlace> {
        self.builder.text_places().to_vec()
    }
}

impl Sink for TextSink<'_> {
    fn add(&mut self, definition: &Definition<'_>, code: &mut CompiledFunction) -> Result<Flow, EmitError> {
        self.builder.add_function(definition.id, code)?;
        Ok(Flow::Continue)
    }

    fn finish(self, _worker: &mut Worker<'_>, out: &mut dyn Write) -> Result<Flow, Error> {
        let split = self.builder.finish(out)?;
        write_split(self.options, split)?;
        Ok(Flow::Continue)
    }
}
