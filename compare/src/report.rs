//! The comparison as data: everything that tables, page and scripts show.

use crate::Error;
use crate::align::align;
use crate::assembly::{self, Counts, Function, Line};
use crate::compiler::{Compiler, Level, Output, Scratch};
use crate::measure::Cost;
use crate::object_file::{Sizes, sizes};
use crate::program::{self, ProgramCommands, Programs};
use crate::progress::Progress;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What is to be compared.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    pub input: &'a Path,
    /// How often each compiler runs.
    pub repeat: u32,
    /// What is linked and run, if anything is.
    pub program: Option<ProgramCommands<'a>>,
    /// How many functions keep their assembly.
    pub most_assembly: usize,
}

impl Settings<'_> {
    /// Steps of progress at each level.
    fn steps(&self) -> usize {
        const ASSEMBLIES: usize = 2;
        2 * self.repeat as usize + ASSEMBLIES + usize::from(self.program.is_some())
    }
}

/// A comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The input's path.
    pub input: String,
    pub frazil_version: String,
    pub llc_version: String,
    /// One comparison for each pair of levels.
    pub levels: Vec<Comparison>,
}

/// The comparison at one pair of levels.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    pub level: Level,
    /// Frazil's totals.
    pub frazil: Side,
    /// llc's totals.
    pub llc: Side,
    /// Frazil's figures over llc's, by name; figures that one side does not have are missing.
    pub ratios: BTreeMap<&'static str, f64>,
    /// All functions, the worst first: those by whose size Frazil's code exceeds llc's most.
    pub functions: Vec<FunctionRow>,
    /// The linked programs, if they were asked for.
    pub programs: Option<Programs>,
}

/// The totals of one compiler.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Side {
    /// Why there is nothing; `None` if everything worked.
    pub error: Option<String>,
    /// The least cost of compiling to an object, the whole process.
    pub cost: Option<Cost>,
    /// Bytes of code.
    pub text_bytes: Option<u64>,
    /// Sums over all functions; the frame is the sum of all frames.
    pub counts: Option<Counts>,
}

/// A function on both sides.
#[derive(Clone, Debug, Serialize)]
pub struct FunctionRow {
    pub name: String,
    pub frazil: Option<FunctionSide>,
    pub llc: Option<FunctionSide>,
    /// Both assemblies, for the worst functions of a page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<BlockRow>,
}

/// What one compiler has made of a function.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FunctionSide {
    /// Bytes of code.
    pub bytes: u64,
    #[serde(flatten)]
    pub counts: Counts,
}

/// Two blocks that belong together; one side may be empty.
#[derive(Clone, Debug, Serialize)]
pub struct BlockRow {
    /// Frazil's instructions.
    pub frazil: Vec<Line>,
    /// llc's instructions.
    pub llc: Vec<Line>,
}

/// One compiler's results at one level.
#[derive(Default)]
struct Results {
    side: Side,
    sizes: Sizes,
    functions: BTreeMap<String, Function>,
}

impl Report {
    /// Compares at each level.
    ///
    /// # Errors
    /// When the input cannot be read at all.
    pub fn make(
        settings: &Settings<'_>,
        levels: &[Level],
        frazil: &Compiler,
        llc: &Compiler,
        scratch: &Scratch,
        progress: &mut Progress,
    ) -> Result<Report, Error> {
        let input = settings.input.display().to_string();
        fs::metadata(settings.input).map_err(|error| Error::new(format!("{input}: {error}")))?;
        progress.expect(levels.len() * settings.steps());
        // All of it before anything is taken apart: a child begins with the memory of this process in its account.
        let costs: Vec<[Result<Cost, String>; 2]> = levels
            .iter()
            .enumerate()
            .map(|(number, level)| measure(settings, level, [frazil, llc], &objects(scratch, number), progress))
            .collect();
        let comparisons = levels.iter().zip(costs).enumerate().map(|(number, (level, costs))| {
            let objects = objects(scratch, number);
            compare(settings, level, [frazil, llc], costs, &objects, scratch, progress)
        });
        Ok(Report {
            input,
            frazil_version: frazil.version(),
            llc_version: llc.version(),
            levels: comparisons.collect(),
        })
    }

    /// Everything that went wrong, a line each: compilers and linkers that failed, and programs that disagree.
    pub fn failures(&self) -> Vec<String> {
        let mut failures = Vec::new();
        for comparison in &self.levels {
            let level = comparison.level.name();
            let first = |reason: &str| reason.lines().next().unwrap_or_default().to_owned();
            for (name, side) in [("frazil", &comparison.frazil), ("llc", &comparison.llc)] {
                if let Some(reason) = &side.error {
                    failures.push(format!("{level}: {name} gave nothing: {}", first(reason)));
                }
            }
            let Some(programs) = &comparison.programs else {
                continue;
            };
            let sides = [
                ("frazil", &comparison.frazil, &programs.frazil),
                ("llc", &comparison.llc, &programs.llc),
            ];
            for (name, side, program) in sides {
                if let (None, Some(reason)) = (&side.error, &program.error) {
                    failures.push(format!("{level}: {name}'s program: {}", first(reason)));
                }
            }
            if programs.agree == Some(false) {
                failures.push(format!(
                    "{level}: the programs differ in what they print or how they end"
                ));
            }
        }
        failures
    }

    /// The report for scripts.
    pub fn json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data");
        text.push('\n');
        text
    }
}

/// The objects of both compilers at a level.
fn objects(scratch: &Scratch, level: usize) -> [PathBuf; 2] {
    ["frazil", "llc"].map(|name| scratch.file(&format!("{name}-{level}.o")))
}

/// Compiles with both, in turn, so that what else the machine does is shared fairly.
fn measure(
    settings: &Settings<'_>,
    level: &Level,
    compilers: [&Compiler; 2],
    objects: &[PathBuf; 2],
    progress: &mut Progress,
) -> [Result<Cost, String>; 2] {
    let levels = [&level.frazil, &level.llc];
    let mut run = |number: usize, time: u32| {
        let name = compilers[number].name();
        progress.step(&format!("{}: {name}, run {time} of {}", level.name(), settings.repeat));
        let outcome = compilers[number].compile(levels[number], Output::Object, settings.input, &objects[number]);
        outcome.map(|outcome| outcome.cost)
    };
    let mut costs = [run(0, 1), run(1, 1)];
    for time in 2..=settings.repeat {
        for (number, cost) in costs.iter_mut().enumerate() {
            if let Ok(least) = cost {
                *cost = run(number, time).map(|cost| cost.least(*least));
            }
        }
    }
    let failed = costs.iter().filter(|cost| cost.is_err()).count();
    progress.skip(failed * (settings.repeat as usize - 1));
    costs
}

fn compare(
    settings: &Settings<'_>,
    level: &Level,
    [frazil, llc]: [&Compiler; 2],
    [frazil_cost, llc_cost]: [Result<Cost, String>; 2],
    objects: &[PathBuf; 2],
    scratch: &Scratch,
    progress: &mut Progress,
) -> Comparison {
    progress.step(&format!("{}: assembly of frazil", level.name()));
    let ours = results(settings, frazil, &level.frazil, frazil_cost, &objects[0], scratch);
    progress.step(&format!("{}: assembly of llc", level.name()));
    let theirs = results(settings, llc, &level.llc, llc_cost, &objects[1], scratch);
    let programs = settings.program.map(|plan| {
        progress.step(&format!("{}: programs", level.name()));
        let has_object = [&ours, &theirs].map(|results| results.side.error.is_none());
        program::compare(&plan, objects, has_object, settings.repeat, scratch)
    });
    let mut functions = rows(&ours, &theirs);
    for row in functions.iter_mut().take(settings.most_assembly) {
        row.blocks = blocks(ours.functions.get(&row.name), theirs.functions.get(&row.name));
    }
    Comparison {
        level: level.clone(),
        ratios: ratios(&ours.side, &theirs.side, programs.as_ref()),
        frazil: ours.side,
        llc: theirs.side,
        functions,
        programs,
    }
}

/// What a compiler made, taken apart.
fn results(
    settings: &Settings<'_>,
    compiler: &Compiler,
    level: &str,
    cost: Result<Cost, String>,
    object: &Path,
    scratch: &Scratch,
) -> Results {
    let attempt = || -> Result<Results, String> {
        let cost = cost?;
        let bytes = fs::read(object).map_err(|error| error.to_string())?;
        let sizes = sizes(&bytes)?;
        let path = scratch.file(&format!("{}.s", compiler.name()));
        compiler.compile(level, Output::Assembly, settings.input, &path)?;
        let text = fs::read(&path).map_err(|error| error.to_string())?;
        let functions = assembly::parse(&String::from_utf8_lossy(&text));
        let mut counts = Counts::default();
        for function in functions.values() {
            counts.instructions += function.counts.instructions;
            counts.spills += function.counts.spills;
            counts.reloads += function.counts.reloads;
            counts.frame_bytes += function.counts.frame_bytes;
        }
        let side = Side {
            error: None,
            cost: Some(cost),
            text_bytes: Some(sizes.text_bytes),
            counts: Some(counts),
        };
        Ok(Results { side, sizes, functions })
    };
    attempt().unwrap_or_else(|error| Results {
        side: Side {
            error: Some(error),
            ..Side::default()
        },
        ..Results::default()
    })
}

fn rows(ours: &Results, theirs: &Results) -> Vec<FunctionRow> {
    let names: BTreeSet<&String> = ours
        .sizes
        .functions
        .keys()
        .chain(theirs.sizes.functions.keys())
        .collect();
    let side = |results: &Results, name: &str| {
        let bytes = *results.sizes.functions.get(name)?;
        let counts = results
            .functions
            .get(name)
            .map(|function| function.counts)
            .unwrap_or_default();
        Some(FunctionSide { bytes, counts })
    };
    let mut rows: Vec<FunctionRow> = names
        .into_iter()
        .map(|name| FunctionRow {
            name: name.clone(),
            frazil: side(ours, name),
            llc: side(theirs, name),
            blocks: Vec::new(),
        })
        .collect();
    let excess = |row: &FunctionRow| {
        let bytes = |side: &Option<FunctionSide>| side.map_or(0, |side| side.bytes.cast_signed());
        bytes(&row.llc) - bytes(&row.frazil)
    };
    // The names are sorted already, and stay so among equals.
    rows.sort_by_key(excess);
    rows
}

fn blocks(ours: Option<&Function>, theirs: Option<&Function>) -> Vec<BlockRow> {
    let (Some(ours), Some(theirs)) = (ours, theirs) else {
        let lines = |function: Option<&Function>| {
            let blocks = function.map(|function| function.blocks.iter());
            blocks
                .into_iter()
                .flatten()
                .flat_map(|block| block.lines.clone())
                .collect()
        };
        return vec![BlockRow {
            frazil: lines(ours),
            llc: lines(theirs),
        }];
    };
    let labelled = |function: &Function, index: Option<usize>| match index.and_then(|index| function.blocks.get(index))
    {
        Some(block) => {
            let label = (!block.label.is_empty()).then(|| Line {
                text: format!("{}:", block.label),
                comment: String::new(),
                source: 0,
            });
            label.into_iter().chain(block.lines.iter().cloned()).collect()
        }
        None => Vec::new(),
    };
    let pairs = align(&ours.blocks, &theirs.blocks);
    let rows = pairs.into_iter().map(|(left, right)| BlockRow {
        frazil: labelled(ours, left),
        llc: labelled(theirs, right),
    });
    rows.collect()
}

/// Names of ratios, as conditions use them.
pub const RATIOS: [&str; 8] = [
    "time",
    "memory",
    "size",
    "instructions",
    "spills",
    "reloads",
    "frame",
    "run",
];

fn ratios(ours: &Side, theirs: &Side, programs: Option<&Programs>) -> BTreeMap<&'static str, f64> {
    let cost = |side: &Side, of: fn(&Cost) -> f64| side.cost.as_ref().map(of);
    let count = |side: &Side, of: fn(&Counts) -> u64| side.counts.as_ref().map(|counts| of(counts) as f64);
    let figures = |side: &Side| {
        [
            cost(side, |cost| cost.time_ms),
            cost(side, |cost| cost.peak_bytes as f64),
            side.text_bytes.map(|bytes| bytes as f64),
            count(side, |counts| counts.instructions),
            count(side, |counts| counts.spills),
            count(side, |counts| counts.reloads),
            count(side, |counts| counts.frame_bytes),
        ]
    };
    let mut ratios = BTreeMap::new();
    for ((name, ours), theirs) in RATIOS.into_iter().zip(figures(ours)).zip(figures(theirs)) {
        if let (Some(ours), Some(theirs)) = (ours, theirs)
            && theirs > 0.0
        {
            ratios.insert(name, ours / theirs);
        }
    }
    ratios.extend(programs.and_then(Programs::ratio).map(|ratio| ("run", ratio)));
    ratios
}
