//! `cargo xtask bench --figure`: the README's figure, compile time against run time.
//!
//! What is drawn is in a committed file. `--measure` writes it anew: each module of optimized bitcode is compiled by
//! all compilers in turn, and the programs run in turn, so that whatever else the machine does falls on all alike; what
//! counts are ratios to llc, and their geometric means. Rows of compilers that are not measured here say where they
//! come from, and stay.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::compile_time::compile;
use super::plot::{self, Points, Series};
use super::run_time::measure_run;
use super::statistics::{geometric_mean, median};
use crate::compiler::{Compiler, LlcLevel};
use crate::corpus::{Level, Module};
use crate::{crosstest, process, workspace};

/// What was measured, in a form that people may edit.
const DATA: &str = "benches/figure.toml";

/// The drawing.
const FIGURE: &str = "docs/figure.svg";

const HEAD: &str = "\
# The data of docs/figure.svg, written by `cargo xtask bench --figure --measure`. `compile` is CPU time of the whole
# process, relative to llc -O0; `run` is user time of the compiled programs, relative to llc -O2.

";

/// What is known of some compilers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// When it was measured.
    pub date: String,
    /// On what, and with what beside it.
    machine: String,
    /// The modules, and how often each compilation and run was made.
    pub input: String,
    pub compiler: Vec<Row>,
}

/// One compiler in one mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    group: String,
    pub name: String,
    pub compile: f64,
    pub run: f64,
    /// Where the figures come from, if they are not measured with the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Draws the figure, after measuring anew if asked to.
pub fn make(measure: Option<(&[Module], &Compiler, usize)>) -> Result<bool> {
    let path = workspace::root().join(DATA);
    if let Some((modules, frazil, repeat)) = measure {
        let kept = read().map_or(Vec::new(), |data| data.compiler);
        let mut data = measured(modules, frazil, repeat)?;
        data.compiler
            .extend(kept.into_iter().filter(|row| row.source.is_some()));
        fs::write(&path, HEAD.to_owned() + &toml::to_string(&data)?)?;
        println!("data: {DATA}");
    }
    fs::write(workspace::root().join(FIGURE), drawing(&read()?)?)?;
    println!("figure: {FIGURE}");
    Ok(true)
}

/// The committed data.
pub fn read() -> Result<Data> {
    let text = fs::read_to_string(workspace::root().join(DATA)).context(DATA)?;
    toml::from_str(&text).context(DATA)
}

/// The compilers of the figure: their groups and their names there.
fn compilers(frazil: &Compiler) -> Vec<(&'static str, String, Compiler)> {
    let recipes = ["Om1", "O1", "O2"].map(|recipe| ("Frazil", format!("Frazil {recipe}"), frazil.with_recipe(recipe)));
    let levels = [
        (LlcLevel::O0, "llc -O0"),
        (LlcLevel::O1, "llc -O1"),
        (LlcLevel::O2, "llc -O2"),
    ];
    let levels = levels.map(|(level, name)| ("llc", name.to_owned(), Compiler::Llc(level)));
    recipes.into_iter().chain(levels).collect()
}

/// Compiles and runs everything.
fn measured(modules: &[Module], frazil: &Compiler, repeat: usize) -> Result<Data> {
    let compilers = compilers(frazil);
    let reference = |name: &str| compilers.iter().position(|(_, other, _)| other == name);
    let base_of_compiling = reference("llc -O0").expect("it is among them");
    let base_of_running = reference("llc -O2").expect("it is among them");
    let (mut compiling, mut running) = (vec![Vec::new(); compilers.len()], vec![Vec::new(); compilers.len()]);
    let mut names = Vec::new();
    let is_wanted =
        |module: &&Module| module.level == Level::O2 && module.program.runs.iter().any(|run| run.long.is_some());
    for module in modules.iter().filter(is_wanted) {
        let folder = workspace::target_dir().join("bench/figure").join(module.name());
        let mut programs = Vec::new();
        for (_, _, compiler) in &compilers {
            let built = crosstest::build_module(module, compiler, &folder)?;
            programs.push(built.program.with_context(|| built.problem.clone())?);
        }
        let object = folder.join("measured.o");
        let mut ratios = vec![Vec::new(); compilers.len()];
        for _ in 0..repeat {
            let mut seconds = Vec::new();
            for (_, _, compiler) in &compilers {
                seconds.push(compile(module, compiler, &object)?.cpu_seconds);
            }
            for (ratios, own) in ratios.iter_mut().zip(&seconds) {
                ratios.push(own / seconds[base_of_compiling]);
            }
        }
        for (all, ratios) in compiling.iter_mut().zip(&ratios) {
            all.push(median(ratios));
        }
        for run in module.program.runs {
            let Some(sizes) = run.long else { continue };
            let seconds = measure_run(&programs, run, sizes, repeat)?;
            for (all, own) in running.iter_mut().zip(&seconds) {
                all.push(own / seconds[base_of_running]);
            }
        }
        println!("{}", module.name());
        names.push(module.name());
    }
    ensure!(!names.is_empty(), "no module of optimized bitcode has a long run");
    let mean = |ratios: &[f64]| (geometric_mean(ratios).expect("there is one for each module") * 1e3).round() / 1e3;
    let rows = compilers.iter().zip(compiling.iter().zip(&running));
    Ok(Data {
        date: line_of(Command::new("date").arg("+%F"))?,
        machine: machine()?,
        input: format!(
            "{}, C by clang without vectorizers; {repeat} times each",
            names.join(", ")
        ),
        compiler: rows
            .map(|((group, name, _), (compiling, running))| Row {
                group: (*group).to_owned(),
                name: name.clone(),
                compile: mean(compiling),
                run: mean(running),
                source: None,
            })
            .collect(),
    })
}

/// The processor, and the version of llc.
pub fn machine() -> Result<String> {
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find(|line| line.starts_with("model name"));
    let model = model
        .and_then(|line| line.split_once(": "))
        .map_or("unknown", |(_, model)| model);
    let version = process::checked(workspace::llvm_tool(workspace::LLC)?.arg("--version"))?;
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let version = version
        .lines()
        .find(|line| line.contains("LLVM version"))
        .unwrap_or_default();
    Ok(format!("{model}, {}", version.trim()))
}

/// What a command prints, on one line.
pub fn line_of(command: &mut Command) -> Result<String> {
    let output = process::checked(command)?.stdout;
    Ok(String::from_utf8(output)?.trim().to_owned())
}

fn drawing(data: &Data) -> Result<String> {
    let mut groups: Vec<(&str, Vec<&Row>)> = Vec::new();
    for row in &data.compiler {
        match groups.iter_mut().find(|(group, _)| *group == row.group) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((&row.group, vec![row])),
        }
    }
    let all = |of: fn(&Row) -> f64| data.compiler.iter().map(of);
    let (low, high) = all(|row| row.compile).fold((1.0, 1.0), |(low, high): (f64, f64), x| (low.min(x), high.max(x)));
    let top = all(|row| row.run).fold(1.0, f64::max);
    let name = |row: &&Row| row.name.clone() + if row.source.is_some() { " (see text)" } else { "" };
    plot::points(&Points {
        title: "From optimized bitcode to fast code: both axes, less is better",
        x_label: "compile time, relative to llc -O0",
        y_label: "run time of the code, relative to llc -O2",
        axes: [low * 0.7..high * 2.0, 0.0..top * 1.15],
        names: groups.iter().map(|(_, rows)| rows.iter().map(name).collect()).collect(),
        groups: groups
            .iter()
            .map(|(group, rows)| Series {
                name: group,
                points: rows.iter().map(|row| (row.compile, row.run)).collect(),
            })
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_figure_is_that_of_the_committed_data() {
        let committed = fs::read_to_string(workspace::root().join(FIGURE)).expect("the figure is committed");
        let drawn = drawing(&read().expect("the data is committed")).expect("it can be drawn");
        assert!(committed == drawn, "`cargo xtask bench --figure` draws another figure");
    }
}
