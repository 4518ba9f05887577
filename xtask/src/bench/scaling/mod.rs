//! `cargo xtask bench --scaling`: do time and memory grow with the input, and no faster?
//!
//! Functions of several shapes and of 10,000 to 1,000,000 instructions are compiled. A cliff is a growth of CPU time
//! or of peak memory by more than [`TIME_LIMIT`] for ten times the size; a little more than ten is what caches cost.
//! The figures are those of the whole process. The smallest function of each shape is also run, and must return what it
//! returns when llc compiles it.
//!
//! Two ways count executed instructions in place of time, so that nothing else which the machine does decides whether
//! they pass, and their limit is [`LIMIT`]: `--counted` from 1,000 to 1,000,000 instructions, and `--quick` for a look.
//!
//! The report is a table and a plot, an SVG file in the target folder.

mod shapes;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::instructions;
use super::plot::{self, Panel, Series};
use crate::compiler::{Compiler, LlcLevel};
use crate::{process, workspace};
use shapes::{MEMORY_WORDS, SHAPES, Shape};

/// How many times more instructions may be executed for ten times the input. The goal is 11, which all shapes keep but
/// a switch in a loop: by O2 it takes 11.5 in the first decade, in which its variables begin to lack registers.
const LIMIT: f64 = 12.0;
/// How many times more memory may be used: arrays grow by doubling.
const MEMORY_LIMIT: f64 = 12.5;
/// The same for CPU time, which grows a little more where caches are too small for what fitted before.
const TIME_LIMIT: f64 = 14.0;

/// The sizes, two for each decade, and those that are counted, under valgrind, which takes its time.
const SIZES: [usize; 5] = [10_000, 31_623, 100_000, 316_228, 1_000_000];
const COUNTED_SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const QUICK_SIZES: [usize; 2] = [5_000, 50_000];

/// A growth that looks too large is measured so many times more before it is believed.
const SECOND_LOOKS: usize = 3;

/// The longest that one compilation may take.
const COMPILE_LIMIT: Duration = Duration::from_secs(120);

/// Which sizes are compiled, and what is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Timed,
    Counted,
    Quick,
}

/// What the work of a compilation is measured in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    CpuTime,
    Instructions,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::CpuTime => "time",
            Self::Instructions => "executed instructions",
        }
    }

    /// The greatest growth that is no cliff.
    fn limit(self) -> f64 {
        match self {
            Self::CpuTime => TIME_LIMIT,
            Self::Instructions => LIMIT,
        }
    }
}

/// What one size of a shape costs: the least of several runs.
#[derive(Clone, Copy)]
struct Cost {
    size: usize,
    /// Seconds of CPU time, or executed instructions.
    work: f64,
    peak_bytes: f64,
}

/// Measures every shape whose name contains `filter`. `Ok(false)` if there is a cliff or a wrong result.
pub fn measure(frazil: &Compiler, filter: &str, way: Way, repeat: usize) -> Result<bool> {
    let (sizes, unit): (&[usize], Unit) = match way {
        Way::Timed => (&SIZES, Unit::CpuTime),
        Way::Counted => (&COUNTED_SIZES, Unit::Instructions),
        Way::Quick => (&QUICK_SIZES, Unit::Instructions),
    };
    let dir = folder()?;
    let what = match unit {
        Unit::CpuTime => format!("CPU time and peak memory of compiling one function, the least of {repeat} runs"),
        Unit::Instructions => "executed instructions and peak memory of compiling one function".to_owned(),
    };
    println!("{frazil}: {what}");
    println!(
        "growth = for ten times the instructions; more than {} ({MEMORY_LIMIT} of memory) is a cliff",
        unit.limit()
    );
    let mut all = Vec::new();
    let mut problems = 0;
    for shape in SHAPES.iter().filter(|shape| shape.name.contains(filter)) {
        println!("\n{}: {}", shape.name, shape.summary);
        match measure_shape(shape, frazil, sizes, unit, repeat, &dir) {
            Ok((costs, cliffs)) => {
                all.push((shape, costs));
                problems += cliffs;
            }
            Err(error) => {
                println!("FAILED: {error:#}");
                problems += 1;
            }
        }
    }
    ensure!(problems > 0 || !all.is_empty(), "no shape's name contains `{filter}`");
    let path = dir.join(format!("{frazil}.svg"));
    if !all.is_empty() && unit == Unit::CpuTime {
        fs::write(&path, draw(&all)?)?;
        println!("\nplot: {}", path.display());
    }
    println!("{} shapes, {problems} problems", all.len());
    Ok(problems == 0)
}

/// What compiling a shape costs as it grows.
pub struct Curve {
    pub shape: &'static str,
    /// Instructions, seconds of CPU time, and bytes of peak memory.
    pub points: Vec<(usize, f64, f64)>,
}

/// The cost of each shape at some sizes, one run each.
pub fn curves(frazil: &Compiler, sizes: &[usize]) -> Result<Vec<Curve>> {
    let dir = folder()?;
    let object = dir.join("measured.o");
    let mut curves = Vec::new();
    for shape in &SHAPES {
        let mut points = Vec::new();
        for &size in sizes {
            let cost = timed(frazil, &make_input(shape, size, &dir)?, size, &object, 1)?;
            points.push((size, cost.work, cost.peak_bytes));
        }
        let shape = shape.name;
        curves.push(Curve { shape, points });
    }
    Ok(curves)
}

/// Where bitcode of shapes is kept.
fn folder() -> Result<PathBuf> {
    let dir = workspace::target_dir().join("bench/scaling");
    fs::create_dir_all(&dir)?;
    Ok(dir)
}

/// Prints the rows of a shape. Returns its costs, and how many growths are cliffs.
fn measure_shape(
    shape: &Shape,
    frazil: &Compiler,
    sizes: &[usize],
    unit: Unit,
    repeat: usize,
    dir: &Path,
) -> Result<(Vec<Cost>, usize)> {
    let object = dir.join("measured.o");
    let inputs: Vec<PathBuf> = sizes
        .iter()
        .map(|&size| make_input(shape, size, dir))
        .collect::<Result<_>>()?;
    check_result(frazil, &inputs[0], dir)?;
    let mut costs: Vec<Cost> = Vec::new();
    let mut cliffs = 0;
    for (&size, input) in sizes.iter().zip(&inputs) {
        let measured = |size, input| match unit {
            Unit::CpuTime => timed(frazil, input, size, &object, repeat),
            Unit::Instructions => counted(frazil, input, size, &object),
        };
        let mut cost = measured(size, input)?;
        // The same size a decade before; the sizes of half decades are rounded.
        let earlier = costs
            .iter()
            .position(|earlier| (size as f64 / earlier.size as f64 - 10.0).abs() < 0.1);
        let mut growths = earlier.map(|index| growths(costs[index], cost));
        let second_looks = if unit == Unit::CpuTime { SECOND_LOOKS } else { 0 };
        for _ in 0..second_looks {
            let (Some(index), Some(now)) = (earlier, growths) else {
                break;
            };
            if cliffs_of(now, unit) == 0 {
                break;
            }
            cost = least(cost, measured(size, input)?);
            costs[index] = least(costs[index], measured(costs[index].size, &inputs[index])?);
            growths = Some(self::growths(costs[index], cost));
        }
        print_cost(cost, unit);
        if let Some([work, memory]) = growths {
            let found = cliffs_of([work, memory], unit);
            cliffs += found;
            print!(
                "   growth: {} {work:>5.1}, memory {memory:>5.1}{}",
                unit.name(),
                if found > 0 { "  CLIFF" } else { "" }
            );
        }
        println!();
        costs.push(cost);
    }
    Ok((costs, cliffs))
}

/// Prints the beginning of a row.
fn print_cost(cost: Cost, unit: Unit) {
    let size = cost.size;
    print!("{size:>9} instructions ");
    match unit {
        Unit::CpuTime => print!(
            "{:>10.2} ms {:>9.1} ns/instruction",
            cost.work * 1e3,
            cost.work * 1e9 / size as f64
        ),
        Unit::Instructions => print!(
            "{:>10.2} million executed {:>9.0} each",
            cost.work / 1e6,
            cost.work / size as f64
        ),
    }
    print!(" {:>9.1} MB", cost.peak_bytes / 1e6);
}

/// How much more work and memory `after` takes than `before`.
fn growths(before: Cost, after: Cost) -> [f64; 2] {
    [after.work / before.work, after.peak_bytes / before.peak_bytes]
}

/// How many of the growths of work and memory are too large.
fn cliffs_of([work, memory]: [f64; 2], unit: Unit) -> usize {
    usize::from(work > unit.limit()) + usize::from(memory > MEMORY_LIMIT)
}

fn least(a: Cost, b: Cost) -> Cost {
    Cost {
        size: a.size,
        work: a.work.min(b.work),
        peak_bytes: a.peak_bytes.min(b.peak_bytes),
    }
}

/// The least CPU time and memory of some runs.
fn timed(frazil: &Compiler, input: &Path, size: usize, object: &Path, repeat: usize) -> Result<Cost> {
    let mut cost = run_once(frazil, input, size, object)?;
    for _ in 1..repeat {
        cost = least(cost, run_once(frazil, input, size, object)?);
    }
    Ok(cost)
}

/// The executed instructions and the memory of a run.
fn counted(frazil: &Compiler, input: &Path, size: usize, object: &Path) -> Result<Cost> {
    let run = run_once(frazil, input, size, object)?;
    let work = instructions::count_of(&frazil.command(input, object)?)? as f64;
    Ok(Cost { work, ..run })
}

fn run_once(frazil: &Compiler, input: &Path, size: usize, object: &Path) -> Result<Cost> {
    let outcome = process::run_measured(&frazil.command(input, object)?, COMPILE_LIMIT)?;
    ensure!(
        outcome.success(),
        "{size} instructions: {}: {}",
        outcome.ending(),
        outcome.first_error_line()
    );
    Ok(Cost {
        size,
        work: outcome.cpu_time().as_secs_f64(),
        peak_bytes: outcome.peak_bytes as f64,
    })
}

/// The bitcode of a shape, which is made once and kept. Its values have no names, as in what compilers write.
fn make_input(shape: &Shape, size: usize, dir: &Path) -> Result<PathBuf> {
    let name = format!("{}-{size}", shape.name);
    let (text, made_from, bitcode) = (
        dir.join("new.ll"),
        dir.join(format!("{name}.ll")),
        dir.join(format!("{name}.bc")),
    );
    let mut out = BufWriter::new(File::create(&text)?);
    shape.write(size, &mut out)?;
    out.flush()?;
    drop(out);
    if bitcode.is_file() && same_contents(&text, &made_from)? {
        return Ok(bitcode);
    }
    let mut opt = workspace::llvm_tool("opt-22")?;
    opt.args(["-passes=strip", "-o"]).arg(&bitcode).arg(&text);
    process::checked(&mut opt).with_context(|| name)?;
    // Last, so that a run which was interrupted is repeated.
    fs::rename(&text, &made_from)?;
    Ok(bitcode)
}

/// Compares files through another program: what this one keeps in memory is counted for those that it starts.
fn same_contents(a: &Path, b: &Path) -> Result<bool> {
    Ok(process::run(Command::new("cmp").arg("-s").arg(a).arg(b), process::TIME_LIMIT)?.success())
}

/// Runs the function as `frazil` and as llc compile it.
fn check_result(frazil: &Compiler, input: &Path, dir: &Path) -> Result<()> {
    let main = dir.join("main.c");
    fs::write(
        &main,
        format!(
            "#include <stdio.h>\n\
             long f(long *memory, long n);\n\
             long g(long a, long b) {{ return a * 3 + b; }}\n\
             int main(void) {{\n\
                 static long memory[{MEMORY_WORDS}];\n\
                 unsigned long sum = 0;\n\
                 for (int i = 0; i < {MEMORY_WORDS}; i++) memory[i] = i * 40503L % 9973;\n\
                 sum += (unsigned long)f(memory, 1);\n\
                 for (int i = 0; i < {MEMORY_WORDS}; i++) sum = sum * 31 + (unsigned long)memory[i];\n\
                 printf(\"%lu\\n\", sum);\n\
             }}\n"
        ),
    )?;
    let mut results = Vec::new();
    for compiler in [frazil, &Compiler::Llc(LlcLevel::O0)] {
        let (object, program) = (dir.join("checked.o"), dir.join("checked"));
        process::checked(&mut compiler.command(input, &object)?)?;
        process::checked(
            Command::new(workspace::CC)
                .arg("-no-pie")
                .arg(&main)
                .arg(&object)
                .arg("-o")
                .arg(&program),
        )?;
        results.push(process::checked(&mut Command::new(&program))?.stdout);
    }
    ensure!(
        results[0] == results[1],
        "the result is not that of llc: {}",
        input.display()
    );
    Ok(())
}

/// The plot of all shapes.
fn draw(all: &[(&Shape, Vec<Cost>)]) -> Result<String> {
    let panel = |title, of: fn(&Cost) -> f64| Panel {
        title,
        series: all
            .iter()
            .map(|(shape, costs)| Series {
                name: shape.name,
                points: costs.iter().map(|cost| (cost.size as f64, of(cost))).collect(),
            })
            .collect(),
    };
    let panels = [
        panel("CPU time in seconds", |cost| cost.work),
        panel("peak memory in MB", |cost| cost.peak_bytes / 1e6),
    ];
    plot::lines(&panels, "instructions")
}
