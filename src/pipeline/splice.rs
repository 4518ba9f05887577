//! Modules with assembly that only an assembler can encode: all texts go there in one call, what comes out is spliced
//! into the object.
//!
//! Method: from the first function with such a text on, code waits until all functions are compiled, so that their
//! order stays. Then the texts are assembled, and functions with texts are compiled once more, with the code of these:
//! whatever depends on lengths and places comes out as for any other code. Texts that must not be parted from the
//! rest of the module ([`frazil_emit::foreign`]), or that the assembler does not take, leave the whole module to it.

use super::{Job, Sink, Worker, in_function, panic_in};
use crate::assembler::{self, Source};
use crate::diagnostics::Error;
use crate::timing::Report;
use frazil_codegen::CompiledFunction;
use frazil_codegen::inline_asm::AsmCode;
use frazil_emit::TextFile;
use frazil_ir::{FuncId, Module};
use frazil_passes::Subject;
use frazil_passes::observe::Deaf;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What waits for an assembler.
pub(super) struct Waiting<'a> {
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
            file: TextFile::new(module)?,
            functions: Vec::new(),
        })
    }

    /// Takes over what was compiled; `false` if a text in it cannot be parted from the rest of the module.
    pub fn add(&mut self, number: usize, id: FuncId, code: &mut CompiledFunction) -> bool {
        let has_texts = !code.body.texts().is_empty();
        if has_texts && !self.file.add(id, &code.body) {
            return false;
        }
        let code = (!has_texts).then(|| mem::take(code));
        self.functions.push(WaitingFunction { number, id, code });
        true
    }
}

impl Job<'_> {
    /// Has the texts assembled, and appends all that waits to the object; `false` if the whole module must go to the
    /// assembler instead.
    #[cold]
    pub(super) fn splice(
        &mut self,
        waiting: Waiting<'_>,
        worker: &mut Worker<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<bool, Error> {
        let Sink::Object(builder) = sink else {
            return Ok(false);
        };
        let module = self.opened.module();
        let source = Source {
            module,
            text: waiting.file.text().as_bytes(),
            places: &[],
        };
        // What is wrong with a text is said when the whole module is assembled.
        let Ok(object) = assembler::assemble(&source, self.options.assembler.as_deref()) else {
            return Ok(false);
        };
        let Some(assembled) = waiting.file.read(&object, worker.target.desc()) else {
            return Ok(false);
        };
        let mut codes = builder.add_assembled(assembled)?.into_iter().peekable();
        for WaitingFunction { number, id, code } in waiting.functions {
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
            worker.clock.lap(&mut self.report.times.write);
        }
        Ok(true)
    }
}

impl Worker<'_> {
    /// Compiles a function once more, with the code of its texts.
    fn compile_with_texts(&mut self, number: usize, id: FuncId, codes: Vec<AsmCode>) -> Result<(), Error> {
        let module = self.view.module;
        let head = &module.functions[id];
        let name = module.display_name(head.symbol);
        let subject = Subject {
            number,
            name: &name,
            head,
        };
        self.code.body.set_assembled(codes);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            self.compile(id, subject, &mut Report::default(), &mut Deaf)
        }));
        self.code.body.set_assembled(Vec::new());
        match outcome {
            Ok(compiled) => compiled.map_err(|error| Error::from(in_function(error, &name))),
            Err(_) => Err(vec![panic_in(self.stage, self.runner.current_pass(), &name)].into()),
        }
    }
}
