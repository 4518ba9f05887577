//! `cargo xtask bench --executed --target NAME`: how many instructions the corpus executes on another machine, beside
//! what llc makes of the same bitcode.
//!
//! The emulator counts them with a [plugin](../../emulator/count_instructions.c). Programs are linked statically, their
//! object between two marks in each section of code, so that only its own code counts, wherever a compiler has put what
//! is executed seldom or once. Frazil's `O2` is compared with llc -O2, other recipes
//! with llc -O0. The workloads are the short ones, whose counts are the same in every run.

use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use object::{Object, ObjectSymbol};

use super::compile_time::text_size;
use super::statistics::geometric_mean;
use crate::compiler::{Compiler, LlcLevel};
use crate::corpus::{Module, Run};
use crate::{crosstest, machine, process, workspace};

/// The symbols before and after the object's code, with the number of the section after them.
const MARKS: [&str; 2] = ["measured_begin", "measured_end"];

/// The sections of code that linkers keep apart.
const CODE_SECTIONS: [&str; 5] = [".text.unlikely", ".text.exit", ".text.startup", ".text.hot", ".text"];

/// What programs may need of the system.
const LIBRARIES: [&str; 5] = ["-lstdc++", "-lm", "-lpthread", "-ldl", "-lgcc_eh"];

/// What a recipe is compared with, and the goal for the mean of executed instructions.
fn reference_of(frazil: &Compiler) -> (LlcLevel, f64) {
    match frazil.name().ends_with("O2") {
        true => (LlcLevel::O2, 1.05),
        false => (LlcLevel::O0, 0.9),
    }
}

/// Prints a row for each program and the means. `Ok(false)` if a program could not be made, or does something else.
pub fn measure(modules: &[Module], frazil: &Compiler) -> Result<bool> {
    let dir = machine::folder().join("bench/executed");
    fs::create_dir_all(&dir)?;
    let counter = Counter::build(&dir)?;
    let (level, goal) = reference_of(frazil);
    let reference = Compiler::Llc(level);
    println!("instructions executed by the programs' own code; relative = {frazil} / {reference}");
    let (mut executed, mut text, mut failed) = (Vec::new(), Vec::new(), 0);
    for module in modules {
        let has_work = module.program.runs.iter().any(|run| run.long.is_some());
        if !has_work {
            continue;
        }
        match counter.compare(module, [frazil, &reference]) {
            Ok(row) => {
                let relative = row.executed[0] as f64 / row.executed[1] as f64;
                let bytes = row.text[0] as f64 / row.text[1] as f64;
                println!(
                    "{:<16} {:>12} {:>12}  relative {relative:.3}  text {bytes:.3}",
                    module.name(),
                    row.executed[0],
                    row.executed[1]
                );
                executed.push(relative);
                text.push(bytes);
            }
            Err(error) => {
                println!("{:<16} {error:#}", module.name());
                failed += 1;
            }
        }
    }
    if let (Some(mean), Some(bytes)) = (geometric_mean(&executed), geometric_mean(&text)) {
        let largest = executed.iter().copied().fold(0.0, f64::max);
        println!(
            "executed instructions: geometric mean {mean:.3} (goal {goal}), largest {largest:.3}; text: {bytes:.3}; \
             {} programs",
            executed.len()
        );
    }
    if failed > 0 {
        println!("{failed} programs failed");
    }
    Ok(failed == 0)
}

/// Instructions and bytes of code by Frazil and by the reference.
struct Row {
    executed: [u64; 2],
    text: [u64; 2],
}

/// What counts: the plugin, and objects that mark where a program's own code begins and ends.
struct Counter {
    dir: PathBuf,
    plugin: PathBuf,
    marks: [PathBuf; 2],
}

impl Counter {
    fn build(dir: &Path) -> Result<Counter> {
        let plugin = dir.join("count_instructions.so");
        let source = workspace::root().join("xtask/emulator/count_instructions.c");
        process::checked(
            Command::new(workspace::CC)
                .args(["-shared", "-fPIC", "-O2", "-o"])
                .args([&plugin, &source]),
        )?;
        let mut marks = [PathBuf::new(), PathBuf::new()];
        for (mark, name) in marks.iter_mut().zip(MARKS) {
            let source = dir.join(format!("{name}.s"));
            let mut text = String::new();
            for (number, section) in CODE_SECTIONS.iter().enumerate() {
                let label = format!("{name}{number}");
                writeln!(text, ".section {section}, \"ax\", @progbits\n.globl {label}\n{label}:")?;
            }
            fs::write(&source, text)?;
            *mark = source.with_extension("o");
            process::checked(machine::cc().arg("-c").arg(&source).arg("-o").arg(&*mark))?;
        }
        Ok(Counter {
            dir: dir.to_owned(),
            plugin,
            marks,
        })
    }

    /// Makes a module's program by both compilers, and counts.
    fn compare(&self, module: &Module, compilers: [&Compiler; 2]) -> Result<Row> {
        let mut row = Row {
            executed: [0; 2],
            text: [0; 2],
        };
        let mut outputs: [Vec<Vec<u8>>; 2] = Default::default();
        for (number, compiler) in compilers.into_iter().enumerate() {
            let (object, program) = self.link(module, compiler)?;
            row.text[number] = text_size(&object)?;
            for run in module.program.runs.iter().filter(|run| run.long.is_some()) {
                let (count, output) = self.count(&program, run)?;
                row.executed[number] += count;
                outputs[number].push(output);
            }
        }
        ensure!(outputs[0] == outputs[1], "the programs do not print the same");
        ensure!(row.executed[1] > 0, "no instruction was counted");
        Ok(row)
    }

    /// The object of a module, and the program with it between the marks.
    fn link(&self, module: &Module, compiler: &Compiler) -> Result<(PathBuf, PathBuf)> {
        let dir = self.dir.join(module.name());
        fs::create_dir_all(&dir)?;
        let object = dir.join(format!("{}.o", compiler.name()));
        let program = dir.join(compiler.name());
        let compiled = compiler.run(&mut compiler.command(module.bitcode()?, &object)?)?;
        ensure!(compiled.success(), "{compiler}: {}", compiled.first_error_line());
        let host_part = crosstest::compile_host_part(module, &dir)?;
        let [begin, end] = &self.marks;
        let objects = [begin, &object, end].into_iter().chain(&host_part);
        let mut link = machine::cc();
        link.arg("-static")
            .args(objects)
            .arg("-o")
            .arg(&program)
            .args(LIBRARIES);
        let linked = process::run(&mut link, process::TIME_LIMIT)?;
        ensure!(linked.success(), "linking: {}", linked.first_error_line());
        Ok((object, program))
    }

    /// How many instructions of its own a program executes, and what it prints.
    fn count(&self, program: &Path, run: &Run) -> Result<(u64, Vec<u8>)> {
        let own_code = own_code(program)?;
        let report = program.with_extension("counts");
        let usual = crosstest::run_command(program, run, run.short);
        let [emulator, options @ ..] = machine::current().true_emulator() else {
            bail!("there is no emulator that counts what programs of this machine execute");
        };
        let mut command = Command::new(emulator);
        let plugin = format!("{},report={}", self.plugin.display(), report.display());
        command.arg("-plugin").arg(plugin).args(options);
        command.args(usual.get_args().skip_while(|&argument| argument != program));
        command.envs(usual.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let outcome = process::run(&mut command, machine::limit(process::TIME_LIMIT))?;
        let has_ended = outcome.status.is_some_and(|status| status.code().is_some());
        ensure!(has_ended, "{}: {}", run.name, outcome.ending());
        let text = fs::read_to_string(&report).with_context(|| report.display().to_string())?;
        let count = count_in(&own_code, &text).with_context(|| report.display().to_string())?;
        Ok((count, outcome.stdout))
    }
}

/// The instructions of a report that were executed at some addresses.
fn count_in(addresses: &[Range<u64>], report: &str) -> Result<u64> {
    let mut count = 0;
    for line in report.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let ["block", address, instructions, executions] = fields[..] else {
            bail!("expected a block, found {line}");
        };
        let address = u64::from_str_radix(address.trim_start_matches("0x"), 16)?;
        if addresses.iter().any(|range| range.contains(&address)) {
            count += instructions.parse::<u64>()? * executions.parse::<u64>()?;
        }
    }
    Ok(count)
}

/// The addresses between the marks of each section.
fn own_code(program: &Path) -> Result<Vec<Range<u64>>> {
    let bytes = fs::read(program)?;
    let file = object::File::parse(&*bytes)?;
    let address = |name: String| {
        let found = file.symbols().find(|symbol| symbol.name() == Ok(&name));
        found.map(|symbol| symbol.address())
    };
    let ranges = (0..CODE_SECTIONS.len()).map(|number| match MARKS.map(|mark| address(format!("{mark}{number}"))) {
        [Some(begin), Some(end)] => Ok(begin..end),
        _ => bail!(
            "{}: the marks of {} are missing",
            program.display(),
            CODE_SECTIONS[number]
        ),
    });
    ranges.collect()
}

#[cfg(test)]
mod tests {
    use super::count_in;

    #[test]
    fn blocks_at_the_addresses_are_counted() {
        let report = "block 0x1000 3 10\nblock 0x1ffc 1 5\nblock 0x2000 7 1\nblock 0x3000 2 4\n";
        assert_eq!(
            count_in(&[0x1000..0x2000, 0x3000..0x3004], report).expect("it is a report"),
            43
        );
        assert!(count_in(&[], "in-range 5").is_err());
    }
}
