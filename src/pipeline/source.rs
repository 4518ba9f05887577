//! Where functions come from: bitcode or an executable of PNaCl, body by body, or text of the intermediate
//! representation, all at once.

use crate::contents::Input;
use crate::diagnostics::{Diagnostic, Error, Excerpt, Stage};
use crate::machine;
use crate::options::{CodeModel, Emit, InputForm, Options};
use frazil_codegen::{RelocationModel, TargetEntry};
use frazil_frontend_pnacl::pnacl::function::PexeReader;
use frazil_frontend_pnacl::pnacl::is_pexe;
use frazil_frontend_pnacl::pnacl::module::PexeModule;
use frazil_frontend_pnacl::{BitcodeModule, FunctionReader, PlatformOf, ReadOptions};
use frazil_ir::module::FunctionHead;
use frazil_ir::{EntityRef, FuncId, Function, Module, Signature, text, verify};
use std::ops::Range;

/// How much of the input is given back to the system at once: a few times what it reads ahead.
const GIVEN_BACK_BYTES: usize = 256 << 10;

/// An input of so many bytes is given back once it is opened, too. Reading its pages again takes a thousandth of the
/// run.
const LARGE_BYTES: usize = 1 << 20;

/// What an instruction would take in bitcode.
const TEXT_INSTRUCTION_BYTES: u64 = 4;

/// An input that was opened.
pub(super) enum Opened<'a> {
    Bitcode {
        bitcode: Box<BitcodeModule<'a>>,
        input: Input<'a>,
    },
    Pexe {
        pexe: Box<PexeModule<'a>>,
        input: Input<'a>,
    },
    Text {
        module: Box<Module>,
        functions: Vec<Function>,
    },
}

impl<'a> Opened<'a> {
    /// Reads everything but the bodies of bitcode; all of a text.
    pub fn open(input: Input<'a>, options: &Options, targets: &[TargetEntry]) -> Result<Opened<'a>, Error> {
        if options.input_form == InputForm::Text {
            return Opened::parse(input.bytes, options);
        }
        if is_pexe(input.bytes) {
            return Opened::open_pexe(input, options, targets);
        }
        let platform_of = |triple: &[u8]| TargetEntry::platform_of(triple, targets);
        let mut bitcode = Box::new(BitcodeModule::open(input.bytes, &read_options(options, &platform_of))?);
        choose_code_model(&mut bitcode, options);
        change_heads(bitcode.heads_mut(), options);
        instrument(bitcode.module_mut(), options)?;
        let opened = Opened::Bitcode { bitcode, input };
        // Finding the bodies has touched all pages. Each comes again when its functions are read.
        if opened.is_large() {
            input.give_back(0..input.bytes.len());
        }
        Ok(opened)
    }

    /// Whether the input is so large that its memory, and that of its functions, matters.
    pub fn is_large(&self) -> bool {
        match self {
            Opened::Bitcode { input, .. } | Opened::Pexe { input, .. } => input.bytes.len() >= LARGE_BYTES,
            Opened::Text { .. } => false,
        }
    }

    /// Reads everything but the bodies of an executable of PNaCl. Its module names no triple, and everything is in the
    /// first 4 GiB of the address space.
    fn open_pexe(input: Input<'a>, options: &Options, targets: &[TargetEntry]) -> Result<Opened<'a>, Error> {
        let mut pexe = Box::new(PexeModule::open(input.bytes)?);
        let module = pexe.module_mut();
        module.data_layout.pointer_bits = pointer_bits(options, targets);
        if let Some(triple) = triple(options) {
            module.triple = module.strings.add(triple.as_bytes());
        }
        module.flags.code_model = options.code_model.map(CodeModel::number).or(module.flags.code_model);
        change_heads(module.functions.values_mut(), options);
        instrument(module, options)?;
        Ok(Opened::Pexe { pexe, input })
    }

    /// The same, with what of the module's symbols is refused instead of an error.
    pub fn open_tolerantly(
        input: &'a [u8],
        options: &Options,
        targets: &[TargetEntry],
    ) -> Result<(Opened<'a>, Vec<Diagnostic>), Error> {
        if options.input_form == InputForm::Text {
            return Ok((Opened::parse(input, options)?, Vec::new()));
        }
        if is_pexe(input) {
            return Ok((Opened::open_pexe(Input::from(input), options, targets)?, Vec::new()));
        }
        let platform_of = |triple: &[u8]| TargetEntry::platform_of(triple, targets);
        let mut bitcode = BitcodeModule::open_tolerantly(input, &read_options(options, &platform_of))?;
        choose_code_model(&mut bitcode, options);
        change_heads(bitcode.heads_mut(), options);
        let errors = bitcode.refusals().iter().cloned().map(Error::from);
        let refusals = errors.flat_map(|error| error.diagnostics().to_vec()).collect();
        let bitcode = Box::new(bitcode);
        let input = Input::from(input);
        Ok((Opened::Bitcode { bitcode, input }, refusals))
    }

    /// Texts say of each symbol whether it is far away, so the medium code model is not chosen for them.
    fn parse(input: &[u8], options: &Options) -> Result<Opened<'a>, Error> {
        if options.code_model == Some(CodeModel::Medium) || options.large_data_threshold.is_some() {
            let message = "--code-model medium and --large-data-threshold are for bitcode; text of the intermediate \
                           representation says `far` of each symbol";
            return Err(Error::new(Stage::Options, message));
        }
        let wrong = |message: String| Error::new(Stage::Read, message);
        let input = std::str::from_utf8(input).map_err(|error| {
            let valid = error.valid_up_to();
            wrong(format!("the text is no UTF-8 after {valid} bytes"))
        })?;
        let (mut module, mut functions) = text::parse_module(input).map_err(|error| misread(input, error))?;
        if let Some(triple) = triple(options) {
            module.triple = module.strings.add(triple.as_bytes());
        }
        module.flags.code_model = options.code_model.map(CodeModel::number).or(module.flags.code_model);
        change_heads(module.functions.values_mut(), options);
        verify::verify_module(&module).map_err(|errors| invalid(&errors))?;
        instrument(&mut module, options)?;
        if options.hooks_of.is_some() {
            for (function, head) in functions.iter_mut().zip(module.functions.values()) {
                let signature = function.take_signature();
                function.set_signature(Signature {
                    call_conv: head.call_conv,
                    ..signature
                });
            }
        }
        Ok(Opened::Text {
            module: Box::new(module),
            functions,
        })
    }

    /// Everything but the bodies of functions.
    pub fn module(&self) -> &Module {
        match self {
            Opened::Bitcode { bitcode, .. } => bitcode.module(),
            Opened::Pexe { pexe, .. } => pexe.module(),
            Opened::Text { module, .. } => module,
        }
    }

    /// How large a function is, in bytes of bitcode; of text, about as much.
    pub fn body_bytes(&self, id: FuncId) -> u64 {
        match self {
            Opened::Bitcode { .. } | Opened::Pexe { .. } => {
                let place = self.body_place(id);
                (place.end - place.start).div_ceil(8)
            }
            Opened::Text { functions, .. } => TEXT_INSTRUCTION_BYTES * functions[id.index()].insts().len() as u64,
        }
    }

    /// Where a function's body lies in the file, in bits.
    fn body_place(&self, id: FuncId) -> Range<u64> {
        match self {
            Opened::Bitcode { bitcode, .. } => bitcode.body_place(id),
            Opened::Pexe { pexe, .. } => pexe.body_place(id),
            Opened::Text { .. } => 0..0,
        }
    }

    /// Gives the memory of the input back to the system from a place up to the end of a function, if that is so much
    /// that it is worth a call; the place up to which all is given back then.
    pub fn give_back(&self, start: Option<usize>, id: FuncId) -> Option<usize> {
        let (Opened::Bitcode { input, .. } | Opened::Pexe { input, .. }) = self else {
            return None;
        };
        let place = self.body_place(id);
        let (body, end) = ((place.start / 8) as usize, (place.end / 8) as usize);
        let start = start.unwrap_or(body);
        if end < start.saturating_add(GIVEN_BACK_BYTES) {
            return Some(start);
        }
        input.give_back(start..end);
        Some(end)
    }

    /// What reads one function after the other.
    pub fn reader(&self) -> BodyReader<'_> {
        match self {
            Opened::Bitcode { bitcode, .. } => BodyReader::Bitcode(Box::new(FunctionReader::new(bitcode))),
            Opened::Pexe { pexe, .. } => BodyReader::Pexe(Box::new(PexeReader::new(pexe))),
            Opened::Text { module, functions } => BodyReader::Text { module, functions },
        }
    }
}

/// How bitcode is read. The data layout is the module's, but for one that is compiled for another triple than its own:
/// then it is the platform's, as with llc.
fn read_options<'o>(options: &'o Options, platform_of: PlatformOf<'o>) -> ReadOptions<'o> {
    let triple = triple(options);
    let platform = triple.and_then(|triple| platform_of(triple.as_bytes()));
    ReadOptions {
        triple,
        data_layout: platform.map(|platform| platform.data_layout),
        reads_debug: options.keeps_debug,
        number: options.module,
        ..ReadOptions::new(platform_of)
    }
}

/// The triple that stands for the module's, on which more depends than the target.
fn triple(options: &Options) -> Option<&str> {
    options.triple.as_deref().filter(|triple| !triple.is_empty())
}

/// Marks what is far away in the code model that is asked for, or the module's.
fn choose_code_model(bitcode: &mut BitcodeModule<'_>, options: &Options) {
    let relocation_model = relocation_model(bitcode.module(), options);
    let code_model = options.code_model.map(CodeModel::number);
    machine::choose_code_model(bitcode, relocation_model, (code_model, options.large_data_threshold));
}

/// Adds the symbols that tools need, or makes those of a tool's own module known to other objects.
fn instrument(module: &mut Module, options: &Options) -> Result<(), Error> {
    if let Some(tools) = &options.instrument {
        let bound = frazil_instrument::bind(tools, module);
        bound.map_err(|error| Error::new(Stage::Options, error.to_string()))?;
    }
    if let Some((tools, number)) = &options.hooks_of {
        frazil_instrument::promote(&tools.all()[*number], module);
    }
    Ok(())
}

/// How wide the pointers of a module are that says nothing of its machine.
fn pointer_bits(options: &Options, targets: &[TargetEntry]) -> u32 {
    if options.emit == Emit::Pexe {
        return 32;
    }
    let entry = machine::target_entry(options.target.as_deref(), triple(options).unwrap_or_default(), targets);
    // A target that is not there is refused where code is made for it.
    entry.map_or(64, |entry| 8 * u32::from((entry.new)().desc().pointer_bytes))
}

/// Adds what the options say of every function.
fn change_heads<'h>(heads: impl Iterator<Item = &'h mut FunctionHead>, options: &Options) {
    if !options.disable_tail_calls && !options.realign_stack {
        return;
    }
    for head in heads {
        head.no_tail_calls |= options.disable_tail_calls;
        head.realigns_stack |= options.realign_stack;
    }
}

/// Where code may be placed.
pub(super) fn relocation_model(module: &Module, options: &Options) -> RelocationModel {
    machine::relocation_model(module, options.relocation_model)
}

/// Gives one function after the other.
pub(super) enum BodyReader<'a> {
    Bitcode(Box<FunctionReader<'a>>),
    Pexe(Box<PexeReader<'a>>),
    Text {
        module: &'a Module,
        functions: &'a [Function],
    },
}

impl BodyReader<'_> {
    /// Reads a function.
    pub fn read(&mut self, id: FuncId, function: &mut Function) -> Result<(), Error> {
        match self {
            BodyReader::Bitcode(reader) => Ok(reader.read(id, function)?),
            BodyReader::Pexe(reader) => Ok(reader.read(id, function)?),
            BodyReader::Text { module, functions } => {
                function.clone_from(&functions[id.as_u32() as usize]);
                verify::verify_function(module, function).map_err(|errors| invalid(&errors))
            }
        }
    }
}

/// The first thing that is wrong with a text. Whoever reads a function adds its name.
fn invalid(errors: &[verify::VerifyError]) -> Error {
    let first = errors.first().map_or(String::new(), |error| {
        let function = String::new();
        verify::VerifyError {
            function,
            ..error.clone()
        }
        .to_string()
    });
    Error::new(Stage::Read, format!("the text is no valid module: {first}"))
}

/// What is wrong with the form of a text, and the line in which it is.
#[cold]
fn misread(input: &str, error: text::ParseError) -> Error {
    let line = input
        .lines()
        .nth(error.line.saturating_sub(1) as usize)
        .unwrap_or_default();
    let before = line.get(..error.column.saturating_sub(1) as usize).unwrap_or(line);
    // What tabs make of a column is not known here, so they stand before the caret, too.
    let blank: String = before
        .chars()
        .map(|letter| if letter == '\t' { '\t' } else { ' ' })
        .collect();
    Error::from(Diagnostic {
        excerpt: Some(Excerpt {
            line: error.line,
            column: error.column,
            text: format!("{line}\n{blank}^"),
        }),
        ..Diagnostic::new(Stage::Read, error.message)
    })
}
