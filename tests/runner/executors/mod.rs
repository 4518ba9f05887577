//! What can execute a case's runs. A new way to run code is a file here and a row in [`EXECUTORS`].

pub mod compiled;
pub mod interp;
pub mod native;
pub mod testisa;

use super::case::{Case, Run};
use super::recipe::Checked;
use frazil_ir::{Function, Module, TypeData};
use frazil_passes::recipe::BUILTIN;

/// A case's runs, ready to be made.
pub struct Program<'a> {
    pub case: &'a Case,
    pub module: &'a Module,
    /// The module's functions.
    pub functions: &'a [Function],
    /// The runs to make.
    pub runs: &'a [&'a Run],
    /// The recipe to compile by; without one, the code is run as it is written.
    pub recipe: Option<&'a str>,
}

impl Program<'_> {
    /// The recipe, with all checks.
    pub fn checked_recipe(&self) -> Result<Checked, String> {
        Checked::find(self.recipe.ok_or("compiled code needs a recipe")?)
    }
}

/// A result of a run.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    pub ty: TypeData,
    /// Its bits, zero above its width.
    pub value: u128,
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.ty {
            TypeData::F32 => write!(f, "{:?}", f32::from_bits(self.value as u32)),
            TypeData::F64 => write!(f, "{:?}", f64::from_bits(self.value as u64)),
            TypeData::Int(bits @ 1..=128) => {
                let spare = 128 - bits;
                write!(
                    f,
                    "{} = {:#x}",
                    (self.value << spare).cast_signed() >> spare,
                    self.value
                )
            }
            _ => write!(f, "{:#x}", self.value),
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug)]
pub enum Answer {
    /// With these results.
    Results(Vec<Found>),
    /// With a result that is poison or undefined in part.
    Poison,
    /// In undefined behavior.
    Undefined(String),
    /// Not at all: the executor does not know this construct, and does not pretend to.
    Unsupported(String),
    /// Otherwise: a crash, a construct that is not supported.
    Failed(String),
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Answer::Results(found) => found.iter().try_for_each(|result| write!(f, "{result} ")),
            Answer::Poison => f.write_str("poison"),
            Answer::Undefined(message) => write!(f, "undefined behavior: {message}"),
            Answer::Unsupported(message) | Answer::Failed(message) => f.write_str(message),
        }
    }
}

/// A way to run code.
pub struct Executor {
    /// Its name in titles of trials and in `; skip` lines.
    pub name: &'static str,
    /// The target that it runs code of, by the name in `; target` lines; `None` if it runs the IR itself.
    pub target: Option<&'static str>,
    /// Whether it makes the runs of every case, or only of those with a line `; also <name>`.
    pub by_default: bool,
    /// Whether this build has its target.
    pub is_built: fn() -> bool,
    /// Whether what it needs besides is there.
    pub is_available: fn() -> bool,
    /// Makes the runs, each with fresh memory.
    pub run: fn(&Program<'_>) -> Result<Vec<Answer>, String>,
}

impl Executor {
    /// The recipes by which it makes the runs; without one, as they are written.
    pub fn recipes(&self) -> Vec<Option<&'static str>> {
        let all = BUILTIN.iter().map(|recipe| Some(recipe.name));
        match self.target {
            Some(_) => all.collect(),
            None => std::iter::once(None).chain(all).collect(),
        }
    }
}

/// The executor and the recipe that the name of a trial's part consists of.
pub fn of_part(part: &str) -> Option<(&'static Executor, Option<&str>)> {
    let (name, recipe) = match part.split_once(' ') {
        Some((name, recipe)) => (name, Some(recipe)),
        None => (part, None),
    };
    let executor = EXECUTORS.iter().find(|executor| executor.name == name)?;
    Some((executor, recipe))
}

/// All executors.
pub const EXECUTORS: &[Executor] = &[
    interp::EXECUTOR,
    native::X86_64,
    native::X86_64_STATIC,
    native::X86_32,
    native::X86_32_STATIC,
    native::AARCH64,
    testisa::AS_IT_IS,
    testisa::NEAR,
    testisa::NEAR_FRAMELESS,
];
