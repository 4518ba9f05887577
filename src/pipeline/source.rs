//! Where functions come from: bitcode, body by body, or text of the intermediate representation, all at once.

use crate::diagnostics::{Diagnostic, Error, Stage};
use frazil_frontend_pnacl::{BitcodeModule, FunctionReader};
use frazil_ir::{FuncId, Function, Module, text, verify};

/// The form of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputForm {
    /// LLVM bitcode.
    #[default]
    Bitcode,
    /// Text of Frazil's intermediate representation, as `--emit ir` writes it.
    Text,
}

/// An input that was opened.
pub(super) enum Opened<'a> {
    Bitcode(Box<BitcodeModule<'a>>),
    Text {
        module: Box<Module>,
        functions: Vec<Function>,
    },
}

impl<'a> Opened<'a> {
    /// Reads everything but the bodies of bitcode; all of a text.
    pub fn open(input: &'a [u8], form: InputForm) -> Result<Opened<'a>, Error> {
        if form == InputForm::Bitcode {
            return Ok(Opened::Bitcode(Box::new(BitcodeModule::open(input)?)));
        }
        Opened::parse(input)
    }

    /// The same, with what of the module's symbols is refused instead of an error.
    pub fn open_tolerantly(input: &'a [u8], form: InputForm) -> Result<(Opened<'a>, Vec<Diagnostic>), Error> {
        if form == InputForm::Text {
            return Ok((Opened::parse(input)?, Vec::new()));
        }
        let bitcode = BitcodeModule::open_tolerantly(input)?;
        let errors = bitcode.refusals().iter().cloned().map(Error::from);
        let refusals = errors.flat_map(|error| error.diagnostics().to_vec()).collect();
        Ok((Opened::Bitcode(Box::new(bitcode)), refusals))
    }

    fn parse(input: &[u8]) -> Result<Opened<'a>, Error> {
        let wrong = |message: String| Error::new(Stage::Read, message);
        let input = std::str::from_utf8(input).map_err(|error| wrong(error.to_string()))?;
        let (module, functions) = text::parse_module(input).map_err(|error| wrong(error.to_string()))?;
        verify::verify_module(&module).map_err(|errors| invalid(&errors))?;
        Ok(Opened::Text {
            module: Box::new(module),
            functions,
        })
    }

    /// The module.
    pub fn module(&self) -> &Module {
        match self {
            Opened::Bitcode(bitcode) => bitcode.module(),
            Opened::Text { module, .. } => module,
        }
    }

    /// What reads one function after the other.
    pub fn reader(&self) -> BodyReader<'_> {
        match self {
            Opened::Bitcode(bitcode) => BodyReader::Bitcode(Box::new(FunctionReader::new(bitcode))),
            Opened::Text { module, functions } => BodyReader::Text { module, functions },
        }
    }
}

/// Gives one function after the other.
pub(super) enum BodyReader<'a> {
    Bitcode(Box<FunctionReader<'a>>),
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
            BodyReader::Text { module, functions } => {
                function.clone_from(&functions[id.as_u32() as usize]);
                verify::verify_function(module, function).map_err(|errors| invalid(&errors))
            }
        }
    }
}

/// The first thing that is wrong with a text.
fn invalid(errors: &[verify::VerifyError]) -> Error {
    let first = errors.first().map_or(String::new(), ToString::to_string);
    Error::new(Stage::Read, format!("the text is no valid module: {first}"))
}
