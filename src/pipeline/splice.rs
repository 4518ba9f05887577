//! Modules with assembly that only an assembler can encode: all texts go there in one call, and what comes out is
//! spliced into the object.
//!
//! Method: from the first function with such a text on, code waits until all functions are compiled, so that their
//! order stays. Then the texts are assembled, and functions with texts are compiled once more, with the code of these:
//! whatever depends on lengths and places comes out as for any other code. Texts that must not be parted from the
//! rest of the module ([`frazil_emit::foreign`]), or that the assembler does not take, leave the whole module to it.

use super::sink::Flow;
use super::worker::{Definition, Worker};
use crate::assembler::{self, Source};
use crate::diagnostics::Error;
use frazil_codegen::CompiledFunction;
use frazil_emit::{ObjectBuilder, TextFile};
use frazil_ir::{FuncId, Module};
use std::mem;
use std::path::Path;

/// What waits for an assembler.
pub(super) struct Waiting<'a> {
    module: &'a Module,
    file: TextFile<'a>,
    functions: Vec<WaitingFunction>,
}

struct WaitingFunction {
    number: usize,
    id: FuncId,
    /// The code, unless there are texts in it.
    code: Option<CompiledFunction>,
}

impl<'a> Waiting<'a> {
    /// Waits with the module's own assembly; nothing if that cannot be parted from the rest of the module.
    pub fn new(module: &'a Module) -> Option<Waiting<'a>> {
        Some(Waiting {
            module,
            file: TextFile::new(module)?,
            functions: Vec::new(),
        })
    }

    /// Takes over what was compiled, unless a text in it cannot be parted from the rest of the module.
    pub fn add(&mut self, definition: &Definition<'_>, code: &mut CompiledFunction) -> Flow {
        let has_texts = !code.body.texts().is_empty();
        if has_texts && !self.file.add(definition.id, &code.body) {
            return Flow::NeedsAssembler;
        }
        self.functions.push(WaitingFunction {
            number: definition.number,
            id: definition.id,
            code: (!has_texts).then(|| mem::take(code)),
        });
        Flow::Continue
    }

    /// Has the texts assembled, and appends all that waits to the object, unless the whole module must go to the
    /// assembler.
    #[cold]
    pub fn splice(
        self,
        builder: &mut ObjectBuilder<'_>,
        worker: &mut Worker<'_>,
        named_assembler: Option<&Path>,
    ) -> Result<Flow, Error> {
        let source = Source {
            module: self.module,
            target: worker.target().desc(),
            text: self.file.text().as_bytes(),
            places: &[],
        };
        // What is wrong with a text is said when the whole module is assembled.
        let Ok(object) = assembler::assemble(&source, named_assembler) else {
            return Ok(Flow::NeedsAssembler);
        };
        let Some(assembled) = self.file.read(&object, worker.target().desc()) else {
            return Ok(Flow::NeedsAssembler);
        };
        let mut codes = builder.add_assembled(assembled)?.into_iter().peekable();
        for WaitingFunction { number, id, code } in self.functions {
            if let Some(code) = code {
                builder.add_function(id, &code)?;
                continue;
            }
            let mut own = Vec::new();
            while let Some((_, code)) = codes.next_if(|(function, _)| *function == id) {
                own.push(code);
            }
            worker.compile_with_texts(number, id, own)?;
            builder.add_function(id, &worker.code)?;
            worker.clock.lap(&mut worker.report.times.write);
        }
        Ok(Flow::Continue)
    }
}
