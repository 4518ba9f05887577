//! The machine that code is made for: the target, and what the processor of each function can do.

use crate::diagnostics::{Diagnostic, Error, Stage};
use crate::options::Options;
use frazil_codegen::TargetEntry;
use frazil_codegen::features::{FeatureError, FeatureSet, FeatureTable};
use frazil_ir::module::FunctionHead;
use frazil_ir::{Module, Str};
use frazil_support::suggest::nearest;

/// The target of a name, or that of the triple.
pub(crate) fn target_entry<'a>(
    name: Option<&str>,
    triple: &str,
    targets: &'a [TargetEntry],
) -> Result<&'a TargetEntry, Error> {
    let wrong = |message: String| Error::new(Stage::Options, message);
    if let Err(error) = frazil_emit::format::check(triple) {
        let refusal = error.refusal();
        let diagnostic = Diagnostic::new(Stage::Options, error.to_string());
        return Err(Error::from(Diagnostic { refusal, ..diagnostic }));
    }
    let names = || targets.iter().flat_map(|target| [target.name, target.llc_name]);
    let list = || targets.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
    if let Some(name) = name {
        let found = targets
            .iter()
            .find(|target| target.name == name || target.llc_name == name);
        return found.ok_or_else(|| {
            let hint = match nearest(name, names()) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => format!("valid names: {}", list()),
            };
            wrong(format!("unknown target `{name}`; {hint}"))
        });
    }
    TargetEntry::of_triple(triple, targets).ok_or_else(|| {
        let what = match triple {
            "" => format!("no triple names a machine, and this one is {}", std::env::consts::ARCH),
            triple => format!("no target for the triple `{triple}`"),
        };
        wrong(format!("{what}; Frazil makes code for {} only", list()))
    })
}

/// Whether two pairs of strings say the same. Equal strings of different functions are not kept once.
fn same(module: &Module, one: (Str, Str), other: (Str, Str)) -> bool {
    let bytes = |string| module.strings.bytes(string);
    bytes(one.0) == bytes(other.0) && bytes(one.1) == bytes(other.1)
}

/// What processors can do, function by function.
pub(super) struct Machine<'a> {
    table: &'a FeatureTable,
    /// For functions that name no processor.
    default: FeatureSet,
    /// What the options add to the features that functions name.
    added: &'a str,
    /// The last answer and the words that it is for: functions of a module hardly differ.
    last: Option<((Str, Str), FeatureSet)>,
}

impl<'a> Machine<'a> {
    /// The machine that the options describe.
    pub fn new(table: &'a FeatureTable, options: &'a Options) -> Result<Machine<'a>, Error> {
        let wrong = |option: &str, error: FeatureError| Error::new(Stage::Options, format!("{option}: {error}"));
        let default = match &options.cpu {
            Some(name) => table.cpu(name).map_err(|error| wrong("--mcpu", error))?,
            None => table.base,
        };
        let added = &options.features;
        table
            .apply(default, added, true)
            .map_err(|error| wrong("--mattr", error))?;
        Ok(Machine {
            table,
            default,
            added,
            last: None,
        })
    }

    /// What a function may use.
    pub fn features(&mut self, module: &Module, head: &FunctionHead) -> Result<FeatureSet, Error> {
        let named = (head.target_cpu, head.target_features);
        match self.last {
            Some((last, features)) if same(module, last, named) => Ok(features),
            _ => {
                let features = self.resolve(module, named);
                // The user's words were checked when this was made; modules err only by what is not supported.
                let features = features.map_err(|error| match error.refusal() {
                    Some(refusal) => Error::from(Diagnostic::refusal(Stage::Compile, refusal, error.to_string(), None)),
                    None => Error::new(Stage::Compile, error.to_string()),
                })?;
                self.last = Some((named, features));
                Ok(features)
            }
        }
    }

    fn resolve(&self, module: &Module, (cpu, features): (Str, Str)) -> Result<FeatureSet, FeatureError> {
        // A processor that the table does not know has what all have, and what the function names besides.
        let cpu = module.strings.display(cpu);
        let base = match cpu.is_empty() {
            true => self.default,
            false => self.table.cpu(&cpu).unwrap_or(self.table.base),
        };
        let base = self.table.apply(base, &module.strings.display(features), false)?;
        self.table.apply(base, self.added, true)
    }
}
