//! The half that consumes code: a sink takes finished functions in the order of the module and makes the output of
//! them.
//!
//! There is one for each form of output: text here, objects in [`super::object_sink`]. What a sink cannot make is an
//! outcome ([`Flow::NeedsAssembler`]), not an error: the driver then chooses another one.

use super::worker::{Definition, Worker};
use crate::diagnostics::Error;
use frazil_codegen::{CompiledFunction, Target};
use frazil_emit::asm::TextPlace;
use frazil_emit::{AsmBuilder, EmitError, EmitOptions};
use frazil_ir::Module;
use std::io::Write;

/// How it goes on.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Continue,
    /// There is assembly in the module that only an assembler can encode, and that cannot be parted from the rest of
    /// it: the whole module has to become assembly text.
    NeedsAssembler,
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

/// Makes assembly text.
pub(super) struct TextSink<'a> {
    builder: AsmBuilder<'a>,
}

impl<'a> TextSink<'a> {
    /// A text of a module.
    ///
    /// # Errors
    /// What the text cannot express.
    pub fn new(module: &'a Module, target: &'a dyn Target, options: EmitOptions) -> Result<TextSink<'a>, EmitError> {
        let builder = AsmBuilder::new(module, target, options)?;
        Ok(TextSink { builder })
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
        self.builder.finish(out)?;
        Ok(Flow::Continue)
    }
}
