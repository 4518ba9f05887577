//! The sink that makes an object file. From the first function on that has a text of assembly for an assembler, code
//! waits ([`super::splice`]).

use super::sink::{Flow, Sink, write_split};
use super::splice::Waiting;
use super::worker::{Definition, Worker};
use crate::diagnostics::Error;
use crate::options::Options;
use frazil_codegen::{CompiledFunction, Target};
use frazil_emit::{EmitError, EmitOptions, ObjectBuilder};
use frazil_ir::Module;
use std::io::Write;

/// Code of more bitcode is not foreseen, so that no input takes much address space.
const MOST_EXPECTED_BYTES: u64 = 256 << 20;

/// Makes an object file.
pub(super) struct ObjectSink<'a> {
    builder: ObjectBuilder<'a>,
    module: &'a Module,
    options: &'a Options,
    /// What waits for an assembler, from the first function with a text for it on.
    waiting: Option<Waiting<'a>>,
}

impl<'a> ObjectSink<'a> {
    /// An object of a module whose functions have so many bytes of bitcode, of which code has two thirds; nothing if
    /// the module has assembly of its own that cannot be parted from the rest of it.
    ///
    /// # Errors
    /// What an object cannot express.
    pub fn new(
        module: &'a Module,
        target: &dyn Target,
        emit: EmitOptions,
        options: &'a Options,
        body_bytes: u64,
    ) -> Result<Option<ObjectSink<'a>>, EmitError> {
        let has_one_section = !emit.function_sections;
        let mut builder = ObjectBuilder::new(module, target.desc(), emit)?;
        if has_one_section {
            builder.expect_code(body_bytes.min(MOST_EXPECTED_BYTES) as usize / 4 * 3);
        }
        let mut sink = ObjectSink {
            builder,
            module,
            options,
            waiting: None,
        };
        let is_apart = module.asm.is_empty() || sink.wait();
        Ok(is_apart.then_some(sink))
    }

    /// Has what comes wait for an assembler; `false` if the module cannot be parted for that.
    fn wait(&mut self) -> bool {
        self.waiting = Waiting::new(self.module);
        self.waiting.is_some()
    }
}

impl Sink for ObjectSink<'_> {
    fn add(&mut self, definition: &Definition<'_>, code: &mut CompiledFunction) -> Result<Flow, EmitError> {
        if self.waiting.is_none() && !code.body.texts().is_empty() && !self.wait() {
            return Ok(Flow::NeedsAssembler);
        }
        match &mut self.waiting {
            Some(waiting) => Ok(waiting.add(definition, code)),
            None => {
                self.builder.add_function(definition.id, code)?;
                Ok(Flow::Continue)
            }
        }
    }

    fn finish(mut self, worker: &mut Worker<'_>, out: &mut dyn Write) -> Result<Flow, Error> {
        if let Some(waiting) = self.waiting.take() {
            let assembler = self.options.assembler.as_deref();
            if waiting.splice(&mut self.builder, worker, assembler)? == Flow::NeedsAssembler {
                return Ok(Flow::NeedsAssembler);
            }
        }
        worker.end_functions();
        let split = self.builder.finish(out)?;
        write_split(self.options, split)?;
        Ok(Flow::Continue)
    }
}
