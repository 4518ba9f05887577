//! Measures what the page on performance says.
//!
//! Compilers run in turn, `repeat` times, and the least time of each counts: whatever else the machine does only adds
//! to it. llc -O2 takes so long that one run of it says enough.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{Data, Growth, ModuleData, PassTimes, RecipeData, Threads};
use crate::bench::compile_time::{Sample, compile};
use crate::bench::{figure, memory, scaling, stages};
use crate::compiler::{Compiler, LlcLevel};
use crate::corpus::Module;
use crate::{process, workspace};

/// The recipes of the page.
pub const RECIPES: [&str; 2] = ["Om1", "O2"];

/// The sizes of the functions whose growth is shown.
const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// How many threads compile beside the one that writes.
const THREADS: [u32; 4] = [0, 1, 2, 4];

/// The module whose passes are timed, and that is compiled by threads.
const LARGEST: &str = "sqlite";

/// How many passes are named; the others are one row.
const NAMED_PARTS: usize = 16;

/// Measures everything.
pub fn measure(modules: &[Module], frazil: &Compiler, repeat: usize) -> Result<Data> {
    let dir = workspace::target_dir().join("bench/performance");
    fs::create_dir_all(&dir)?;
    let object = dir.join("measured.o");
    let mut data = Data {
        date: figure::line_of(Command::new("date").arg("+%F"))?,
        machine: figure::machine()?,
        modules: Vec::new(),
        passes: Vec::new(),
        growth: Vec::new(),
        threads: Vec::new(),
    };
    for module in modules {
        println!("{}", module.name());
        data.modules.push(measure_module(module, frazil, &object, repeat)?);
    }
    for module in modules.iter().filter(|module| module.name().starts_with(LARGEST)) {
        for recipe in RECIPES {
            println!("{} {recipe}: passes and threads", module.name());
            let frazil = frazil.with_recipe(recipe);
            data.passes.push(pass_times(module, &frazil, &object)?);
            data.threads.push(threads(module, &frazil, &object, repeat)?);
        }
    }
    for recipe in RECIPES {
        println!("growth by {recipe}");
        for scaling::Curve { shape, points } in scaling::curves(&frazil.with_recipe(recipe), &SIZES)? {
            let (shape, recipe) = (shape.to_owned(), recipe.to_owned());
            data.growth.push(Growth { shape, recipe, points });
        }
    }
    Ok(data)
}

fn measure_module(module: &Module, frazil: &Compiler, object: &Path, repeat: usize) -> Result<ModuleData> {
    // All in one thread, as CPU time is meant, and the peak of one worker.
    let compilers = RECIPES.map(|recipe| frazil.with_recipe(recipe).with_option("--threads=0"));
    let least = |known: Option<Sample>, sample: Sample| match known {
        Some(known) if known.cpu_seconds <= sample.cpu_seconds => known,
        _ => sample,
    };
    let (mut ours, mut theirs) = ([None, None], None);
    for _ in 0..repeat {
        for (known, compiler) in ours.iter_mut().zip(&compilers) {
            *known = Some(least(known.take(), compile(module, compiler, object)?));
        }
        theirs = Some(least(theirs, compile(module, &Compiler::Llc(LlcLevel::O0), object)?));
    }
    let optimized = compile(module, &Compiler::Llc(LlcLevel::O2), object)?;
    let mut recipes = Vec::new();
    for (sample, compiler) in ours.into_iter().zip(&compilers) {
        let sample = sample.context("at least one run is made")?;
        let stages_ns = stages::measure(module, compiler, object, repeat)?.map(rounded);
        recipes.push(RecipeData {
            recipe: compiler.recipe().unwrap_or_default().to_owned(),
            ms: rounded(sample.cpu_seconds * 1e3),
            stages_ns,
            peak_bytes: sample.peak_bytes as u64,
            object_bytes: fs::metadata(object)?.len(),
        });
    }
    let theirs = theirs.context("at least one run is made")?;
    let bytes = fs::read(module.bitcode()?)?;
    Ok(ModuleData {
        name: module.name(),
        instructions: module.instructions()?,
        bitcode_bytes: bytes.len() as u64,
        largest_body_bytes: memory::largest_body(&bytes)?,
        llc_ms: [theirs.cpu_seconds, optimized.cpu_seconds].map(|seconds| rounded(seconds * 1e3)),
        llc_peak_bytes: theirs.peak_bytes as u64,
        recipes,
    })
}

/// Figures of four digits: more are noise.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

fn pass_times(module: &Module, frazil: &Compiler, object: &Path) -> Result<PassTimes> {
    let mut command = frazil.command(module.bitcode()?, object)?;
    let outcome = process::checked(command.arg("--time-passes=json"))?;
    let report: Value = serde_json::from_slice(&outcome.stderr).context("the report is no JSON")?;
    let instructions = module.instructions()? as f64;
    let time = |value: &Value| value.as_f64().unwrap_or_default() / instructions;
    let mut parts: Vec<(String, f64)> = Vec::new();
    let mut named = 0.0;
    for pass in report["passes"].as_array().into_iter().flatten() {
        named += time(&pass["time"]);
        parts.push((
            pass["name"].as_str().unwrap_or_default().to_owned(),
            time(&pass["time"]),
        ));
    }
    let times = &report["times"];
    let compiling = time(&times["optimize"]) + time(&times["compile"]);
    let rest = if parts.is_empty() { "compile" } else { "between passes" };
    parts.push((rest.to_owned(), (compiling - named).max(0.0)));
    parts.push(("read".to_owned(), time(&times["read"])));
    parts.push(("write".to_owned(), time(&times["write"])));
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    if parts.len() > NAMED_PARTS {
        let others = parts.drain(NAMED_PARTS..);
        let (count, sum) = others.fold((0, 0.0), |(count, sum), (_, time)| (count + 1, sum + time));
        parts.push((format!("{count} others"), sum));
    }
    Ok(PassTimes {
        module: module.name(),
        recipe: frazil.recipe().unwrap_or_default().to_owned(),
        parts: parts.into_iter().map(|(name, time)| (name, rounded(time))).collect(),
    })
}

fn threads(module: &Module, frazil: &Compiler, object: &Path, repeat: usize) -> Result<Threads> {
    let mut points = Vec::new();
    for threads in THREADS {
        let compiler = frazil.with_option(&format!("--threads={threads}"));
        let (mut clock, mut cpu) = (f64::MAX, f64::MAX);
        for _ in 0..repeat {
            let mut command = compiler.command(module.bitcode()?, object)?;
            // Waited for by the system, since a look now and then would be too coarse.
            let start = Instant::now();
            ensure!(command.status()?.success(), "{command:?} failed");
            clock = clock.min(start.elapsed().as_secs_f64() * 1e3);
            cpu = cpu.min(
                process::run(&mut command, process::TIME_LIMIT)?
                    .cpu_time()
                    .as_secs_f64()
                    * 1e3,
            );
        }
        points.push((threads, rounded(clock), rounded(cpu)));
    }
    Ok(Threads {
        module: module.name(),
        recipe: frazil.recipe().unwrap_or_default().to_owned(),
        points,
    })
}
