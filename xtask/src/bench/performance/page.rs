//! The page on performance as text, and its plots.

use std::fmt::Write;

use anyhow::Result;

use super::{Data, Growth, ModuleData, PAGE, PassTimes};
use crate::bench::figure::{self, Row};
use crate::bench::memory;
use crate::bench::plot::{self, Panel, Series};
use crate::bench::statistics::geometric_mean;

/// The plots of growth, by recipe.
const GROWTH_PLOT: &str = "docs/performance-growth-RECIPE.svg";

/// The page and its plots: paths and contents.
pub fn files(data: &Data) -> Result<Vec<(String, String)>> {
    let mut files = vec![(PAGE.to_owned(), page(data)?)];
    for recipe in recipes(data) {
        let curves: Vec<&Growth> = data.growth.iter().filter(|growth| growth.recipe == recipe).collect();
        files.push((GROWTH_PLOT.replace("RECIPE", recipe), growth_plot(&curves)?));
    }
    Ok(files)
}

/// The recipes in the order in which they were measured.
fn recipes(data: &Data) -> Vec<&str> {
    let first = data.modules.first().into_iter();
    first
        .flat_map(|module| module.recipes.iter().map(|row| row.recipe.as_str()))
        .collect()
}

fn page(data: &Data) -> Result<String> {
    let mut text = String::new();
    writeln!(
        text,
        "# Performance\n\n\
         Made by `cargo xtask bench --performance` of [measured data](../benches/performance.json); with `--measure` it \
         measures anew. Measured on {} on {}. Times are CPU time of the whole process in one thread (user and system), \
         the least of several runs, unless a table says something else; absolute times are those of one machine, ratios \
         carry over. A test compares this page with the data.\n",
        data.date, data.machine
    )?;
    figure_section(&mut text)?;
    modules_section(&mut text, data)?;
    passes_section(&mut text, &data.passes)?;
    growth_section(&mut text, data)?;
    memory_section(&mut text, data)?;
    threads_section(&mut text, data)?;
    Ok(text.trim_end().to_owned() + "\n")
}

/// Compile time against run time, which the README shows, too.
fn figure_section(text: &mut String) -> Result<()> {
    let figure = figure::read()?;
    writeln!(
        text,
        "## Compile time and run time\n\n\
         ![compile time against run time](figure.svg)\n\n\
         Of optimized bitcode ({}), measured on {}: compile time relative to llc -O0, run time of the code relative to \
         llc -O2.\n\n\
         | Compiler | compile time | run time | |\n|---|---:|---:|---|",
        figure.input, figure.date
    )?;
    for Row {
        name,
        compile,
        run,
        source,
        ..
    } in &figure.compiler
    {
        let source = source.as_deref().unwrap_or_default();
        writeln!(text, "| {name} | {compile:.3} | {run:.3} | {source} |")?;
    }
    writeln!(text)?;
    Ok(())
}

fn modules_section(text: &mut String, data: &Data) -> Result<()> {
    writeln!(
        text,
        "## Modules\n\n\
         For each instruction of the module: nanoseconds of the whole process, and of these those of reading, compiling \
         and writing, measured from within. Then how many times less CPU time than llc it takes.\n"
    )?;
    for recipe in recipes(data) {
        writeln!(
            text,
            "### Recipe {recipe}\n\n\
             | Module | instructions | ms | ns each | read | compile | write | llc -O0 / Frazil | llc -O2 / Frazil |\n\
             |---|---:|---:|---:|---:|---:|---:|---:|---:|"
        )?;
        let mut ratios: [Vec<f64>; 2] = Default::default();
        for module in &data.modules {
            let Some(row) = module.recipes.iter().find(|row| row.recipe == recipe) else {
                continue;
            };
            let own = module.llc_ms.map(|theirs| theirs / row.ms);
            for (all, own) in ratios.iter_mut().zip(own) {
                all.push(own);
            }
            let [read, compile, write] = row.stages_ns;
            writeln!(
                text,
                "| {} | {} | {:.1} | {:.0} | {read:.0} | {compile:.0} | {write:.0} | {:.1} | {:.1} |",
                module.name,
                module.instructions,
                row.ms,
                row.ms * 1e6 / module.instructions as f64,
                own[0],
                own[1],
            )?;
        }
        let [fast, optimized] = ratios.map(|all| geometric_mean(&all).unwrap_or_default());
        writeln!(text, "| geometric mean | | | | | | | {fast:.1} | {optimized:.1} |\n")?;
    }
    Ok(())
}

fn passes_section(text: &mut String, all: &[PassTimes]) -> Result<()> {
    writeln!(
        text,
        "## Where the time goes\n\n\
         Nanoseconds for each instruction of the module, as `--time-passes` says them; reading the clock for each pass \
         and function costs time, too.\n"
    )?;
    for PassTimes { module, recipe, parts } in all {
        let sum: f64 = parts.iter().map(|(_, time)| time).sum();
        writeln!(
            text,
            "{module}, recipe {recipe}:\n\n| Part | ns | share |\n|---|---:|---:|"
        )?;
        for (name, time) in parts {
            writeln!(text, "| {name} | {time:.1} | {:.1} % |", time / sum * 100.0)?;
        }
        writeln!(text)?;
    }
    Ok(())
}

fn growth_section(text: &mut String, data: &Data) -> Result<()> {
    writeln!(
        text,
        "## Growth\n\n\
         How CPU time grows for ten times the size, for functions (and one module of small functions) of the shapes of \
         `cargo xtask bench --scaling`. A little more than ten is what caches cost.\n"
    )?;
    for recipe in recipes(data) {
        let plot = GROWTH_PLOT.replace("RECIPE", recipe);
        let plot = plot.strip_prefix("docs/").unwrap_or(&plot);
        writeln!(text, "### Recipe {recipe}\n\n![growth of recipe {recipe}]({plot})\n")?;
        let curves: Vec<&Growth> = data.growth.iter().filter(|growth| growth.recipe == recipe).collect();
        let Some(first) = curves.first() else { continue };
        let sizes = first.points.iter().map(|(size, ..)| *size);
        let steps: Vec<String> = (sizes.clone().zip(sizes.skip(1)))
            .map(|(from, to)| format!("{from} to {to}"))
            .collect();
        writeln!(text, "| Shape | {} | MB at the end |", steps.join(" | "))?;
        writeln!(text, "|---|{}---:|", "---:|".repeat(steps.len()))?;
        for growth in curves {
            let times = growth.points.iter().map(|(_, seconds, _)| *seconds);
            let ratios: Vec<String> = (times.clone().zip(times.skip(1)))
                .map(|(before, after)| format!("{:.1}", after / before))
                .collect();
            let peak = growth.points.last().map_or(0.0, |(.., bytes)| bytes / 1e6);
            writeln!(text, "| {} | {} | {peak:.0} |", growth.shape, ratios.join(" | "))?;
        }
        writeln!(text)?;
    }
    Ok(())
}

fn growth_plot(curves: &[&Growth]) -> Result<String> {
    let panel = |title, of: fn(&(usize, f64, f64)) -> f64| Panel {
        title,
        series: curves
            .iter()
            .map(|growth| Series {
                name: &growth.shape,
                points: growth.points.iter().map(|point| (point.0 as f64, of(point))).collect(),
            })
            .collect(),
    };
    let panels = [
        panel("CPU time in seconds", |point| point.1),
        panel("peak memory in MB", |point| point.2 / 1e6),
    ];
    plot::lines(&panels, "instructions")
}

fn memory_section(text: &mut String, data: &Data) -> Result<()> {
    writeln!(
        text,
        "## Memory\n\n\
         Peak memory in MB of one thread, the program itself included, beside the goal: the output, 10 MB, and 64 \
         bytes for each byte of the largest function's bitcode.\n\n\
         | Module | bitcode | largest function | {} | llc -O0 |\n|---|---:|---:|{}---:|",
        recipes(data)
            .iter()
            .map(|recipe| format!("{recipe} | its goal"))
            .collect::<Vec<_>>()
            .join(" | "),
        "---:|---:|".repeat(recipes(data).len())
    )?;
    let mb = |bytes: u64| bytes as f64 / 1e6;
    for module in &data.modules {
        let ModuleData {
            name,
            bitcode_bytes,
            largest_body_bytes,
            llc_peak_bytes,
            recipes,
            ..
        } = module;
        write!(
            text,
            "| {name} | {:.2} | {:.3} |",
            mb(*bitcode_bytes),
            mb(*largest_body_bytes)
        )?;
        for row in recipes {
            let allowed = memory::allowed(row.object_bytes, *largest_body_bytes, 1);
            write!(text, " {:.1} | {:.1} |", mb(row.peak_bytes), mb(allowed))?;
        }
        writeln!(text, " {:.1} |", mb(*llc_peak_bytes))?;
    }
    writeln!(text)?;
    Ok(())
}

fn threads_section(text: &mut String, data: &Data) -> Result<()> {
    writeln!(
        text,
        "## Threads\n\n\
         Milliseconds on the clock, and of CPU time in brackets, with so many threads beside the one that writes. The \
         output is the same for any number.\n"
    )?;
    let Some(first) = data.threads.first() else {
        return Ok(());
    };
    let numbers: Vec<String> = first.points.iter().map(|(number, ..)| number.to_string()).collect();
    writeln!(text, "| Module | Recipe | {} |", numbers.join(" | "))?;
    writeln!(text, "|---|---|{}", "---:|".repeat(numbers.len()))?;
    for threads in &data.threads {
        let cells: Vec<String> = (threads.points.iter())
            .map(|(_, clock, cpu)| format!("{clock:.0} ({cpu:.0})"))
            .collect();
        writeln!(
            text,
            "| {} | {} | {} |",
            threads.module,
            threads.recipe,
            cells.join(" | ")
        )?;
    }
    Ok(())
}
