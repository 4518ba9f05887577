//! The machine that code is made for: the target, and what the processor of each function can do.

use crate::diagnostics::{Diagnostic, Error, Stage};
use frazil_codegen::features::{FeatureError, FeatureSet, FeatureTable};
use frazil_codegen::{ModuleView, RelocationModel, TargetEntry};
use frazil_frontend_pnacl::BitcodeModule;
use frazil_ir::module::FunctionHead;
use frazil_ir::{DataDef, Module, Str};
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

/// What to do with a module for another machine or system.
pub(crate) const COMPILE_FOR_OURS: &str =
    ": have the front end compile for that, as `clang --target=x86_64-linux-gnu` does";

/// The features in lists, in order, with their signs.
///
/// # Errors
/// When one has no sign.
pub(crate) fn feature_list(lists: &[String]) -> Result<String, Error> {
    let words = lists.iter().flat_map(|list| list.split(','));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    match words.iter().find(|word| !word.starts_with(['+', '-'])) {
        Some(word) => {
            let message = format!("--mattr: `{word}` has no sign: +{word} uses the feature, -{word} does not");
            Err(Error::new(Stage::Options, message))
        }
        None => Ok(words.join(",")),
    }
}

/// Where code may be placed: what is wanted, or else what the module says.
pub(crate) fn relocation_model(module: &Module, wanted: Option<RelocationModel>) -> RelocationModel {
    let of_module = match module.flags.pic_level {
        None | Some(0) => RelocationModel::Static,
        Some(_) => RelocationModel::Pic,
    };
    wanted.unwrap_or(of_module)
}

/// Marks what is far away in the code model that is asked for, or the module's. What a loader relocates and protects
/// then stays near, as with LLVM, since linkers have one such part only.
pub(crate) fn choose_code_model(
    bitcode: &mut BitcodeModule<'_>,
    relocation_model: RelocationModel,
    (code_model, large_data_threshold): (Option<u8>, Option<u64>),
) {
    let stays_near = |module: &Module, data: &DataDef| {
        data.constant && ModuleView::new(module, relocation_model).is_filled_at_load(data)
    };
    bitcode.choose_code_model(code_model, large_data_threshold, stays_near);
}

/// Whether two pairs of strings say the same. Equal strings of different functions are not kept once.
fn same(module: &Module, one: (Str, Str), other: (Str, Str)) -> bool {
    let bytes = |string| module.strings.bytes(string);
    bytes(one.0) == bytes(other.0) && bytes(one.1) == bytes(other.1)
}

/// What processors can do, function by function.
pub(crate) struct Machine<'a> {
    table: &'a FeatureTable,
    /// For functions that name no processor.
    default: FeatureSet,
    /// What the options add to the features that functions name.
    added: &'a str,
    /// The last answer and the words that it is for: functions of a module hardly differ.
    last: Option<((Str, Str), FeatureSet)>,
}

impl<'a> Machine<'a> {
    /// The machine that the options describe: a processor for functions that name none, and features for all, each
    /// with its sign.
    pub fn new(table: &'a FeatureTable, cpu: Option<&str>, added: &'a str) -> Result<Machine<'a>, Error> {
        let wrong = |option: &str, error: FeatureError| Error::new(Stage::Options, format!("{option}: {error}"));
        let default = match cpu {
            Some(name) => table.cpu(name).map_err(|error| wrong("--mcpu", error))?,
            None => table.base,
        };
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
