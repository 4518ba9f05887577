//! `cargo xtask bench --pexe`: how fast executables of PNaCl are compiled, beside the same modules as bitcode of LLVM.
//!
//! The modules are those of the corpus for 32-bit x86, whose pointers have the width of PNaCl's, and Frazil's own
//! writer makes executables of them; what that refuses (variable arguments, vectors, exceptions) is counted and left
//! out. An executable has everything in it and knows no variable arguments and frozen values, so that the module is
//! [changed](fitted) first: what it declares is defined, by a body that is worth nothing, calls have the types of their
//! arguments, and frozen values are sums with zero. Nothing is run here. Both forms of that are
//! compiled for the same target in turn. Nanoseconds for each instruction are of what is read, compiled and written, by
//! Frazil's own clock and count: an executable has more instructions than the bitcode that it is made of.
//!
//! Megabytes of an executable are those of the file. Its records are as compact as they come, without the abbreviations
//! by which PNaCl's own tools made files shorter.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::statistics::{geometric_mean, median};
use crate::compiler::Compiler;
use crate::corpus::Module;
use crate::{machine, process, workspace};

/// How much longer an instruction of an executable may take than one of bitcode.
const GOAL: f64 = 1.15;

/// What one form of a module takes.
struct Figures {
    cpu_seconds: f64,
    /// For each instruction that is read.
    nanoseconds: f64,
    instructions: u64,
}

/// Prints a row for each module that has the form of an executable, and the means.
pub fn measure(modules: &[Module], frazil: &Compiler, pairs: usize) -> Result<bool> {
    println!(
        "{frazil}: medians of {pairs} interleaved pairs; ns/instruction by --time-passes; ratio = executable / bitcode"
    );
    println!(
        "{:<12} {:>9} {:>20} {:>10} {:>10} {:>20} {:>7}",
        "module", "pexe kB", "instr. pexe/bitcode", "CPU ms", "MB/s", "ns/instr. pexe/bc", "ratio"
    );
    let folder = machine::folder().join("bench");
    fs::create_dir_all(&folder)?;
    let (mut ratios, mut speeds, mut refused) = (Vec::new(), Vec::new(), 0);
    for module in modules {
        let whole = folder.join(format!("{}-whole.bc", module.name()));
        make_whole(module, &whole)?;
        let executable = folder.join(format!("{}.pexe", module.name()));
        if !write(module, &whole, frazil, &executable)? {
            refused += 1;
            continue;
        }
        let object = folder.join("pexe.o");
        let (mut of_executable, mut of_bitcode) = (Vec::new(), Vec::new());
        for _ in 0..pairs {
            of_executable.push(compile(frazil, &executable, &object)?);
            of_bitcode.push(compile(frazil, &whole, &object)?);
        }
        let [ours, theirs] = [&of_executable, &of_bitcode]
            .map(|samples| median(&samples.iter().map(|figures| figures.nanoseconds).collect::<Vec<_>>()));
        let seconds = median(
            &of_executable
                .iter()
                .map(|figures| figures.cpu_seconds)
                .collect::<Vec<_>>(),
        );
        let megabytes = fs::metadata(&executable)?.len() as f64 / 1e6;
        println!(
            "{:<12} {:>9.1} {:>10} /{:>8} {:>10.2} {:>10.1} {:>10.1} /{:>8.1} {:>7.3}",
            module.name(),
            megabytes * 1e3,
            of_executable[0].instructions,
            of_bitcode[0].instructions,
            seconds * 1e3,
            megabytes / seconds,
            ours,
            theirs,
            ours / theirs,
        );
        // A program without a package is all start-up.
        if module.program.package.is_some() {
            ratios.push(ours / theirs);
            speeds.push(megabytes / seconds);
        }
    }
    let (Some(ratio), Some(speed)) = (geometric_mean(&ratios), geometric_mean(&speeds)) else {
        println!("no module has the form of an executable ({refused} left out)");
        return Ok(false);
    };
    println!(
        "geometric mean: {speed:.1} MB/s, {ratio:.3} times the ns/instruction of bitcode (goal {GOAL}); {} modules, {refused} left out",
        ratios.len()
    );
    Ok(true)
}

/// Makes bitcode of a module in which all that it declares is defined.
fn make_whole(module: &Module, whole: &Path) -> Result<()> {
    let text = whole.with_extension("ll");
    let mut disassemble = workspace::llvm_tool(workspace::LLVM_DIS)?;
    process::checked(disassemble.arg(module.bitcode()?).arg("-o").arg(&text))?;
    let lines: Vec<String> = fs::read_to_string(&text)?.lines().map(fitted).collect();
    fs::write(&text, lines.join("\n"))?;
    let mut assemble = workspace::llvm_tool("llvm-as-22")?;
    process::checked(assemble.arg(&text).arg("-o").arg(whole)).map(drop)
}

/// A line of text with what an executable can have instead of what it cannot.
fn fitted(line: &str) -> String {
    let mut line = line.to_owned();
    let of_variable = ", ...) @";
    if let Some(end) = line.find(of_variable)
        && let Some(start) = line[..end].rfind('(')
    {
        line.replace_range(start..end + of_variable.len() - 1, "");
    }
    if line.starts_with("declare ") {
        line = line.replace(", ...)", ")");
    }
    if let Some(start) = line.find("= freeze i") {
        line.replace_range(start.."= freeze".len() + start, "= add");
        line.push_str(", 0");
    }
    defined(&line)
}

/// A line of text in which a declaration has become a definition.
fn defined(line: &str) -> String {
    if let Some(declared) = line.strip_prefix("declare ")
        && !declared.contains("@llvm.")
    {
        // Metadata of a declaration comes before what it is about.
        return format!("define {declared} {{\n  unreachable\n}}");
    }
    let is_variable = line.starts_with('@');
    match line.split_once(" = external ") {
        Some((name, rest)) if is_variable => {
            let (what, align) = rest
                .split_once(", align")
                .map_or((rest, ""), |(what, _)| (what, ", align 4"));
            format!("{name} = {what} zeroinitializer{align}")
        }
        _ => line.to_owned(),
    }
}

/// Makes an executable of a module; false if it has no such form.
fn write(module: &Module, whole: &Path, frazil: &Compiler, executable: &Path) -> Result<bool> {
    let Compiler::Frazil { path, .. } = frazil else {
        unreachable!("the options name a recipe of Frazil");
    };
    let mut command = Command::new(path);
    command.args(["--emit", "pexe", "-o"]).arg(executable).arg(whole);
    let outcome = process::run(&mut command, process::TIME_LIMIT)?;
    if !outcome.success() {
        println!("{:<12} {}", module.name(), outcome.first_error_line());
    }
    Ok(outcome.success())
}

/// Compiles once.
fn compile(frazil: &Compiler, input: &Path, object: &Path) -> Result<Figures> {
    let mut command = frazil.command(input, object)?;
    let target = format!("--target={}", machine::current().target);
    let outcome = process::run(command.args([&target, "--time-passes", "--stats"]), process::TIME_LIMIT)?;
    ensure!(outcome.success(), "{}: {}", input.display(), outcome.first_error_line());
    let report = String::from_utf8_lossy(&outcome.stderr);
    let (nanoseconds, instructions) = whole(&report).with_context(|| format!("no time for the whole in:\n{report}"))?;
    Ok(Figures {
        cpu_seconds: outcome.cpu_time().as_secs_f64(),
        nanoseconds,
        instructions,
    })
}

/// What the report says of the whole: nanoseconds for each instruction, and how many instructions.
fn whole(report: &str) -> Option<(f64, u64)> {
    let after = |name: &str, place: usize| {
        let mut lines = report.lines().map(str::split_whitespace);
        lines.find_map(|mut words| (words.next() == Some(name)).then(|| words.nth(place)).flatten())
    };
    Some((
        after("total", 1)?.parse().ok()?,
        after("instructions", 0)?.parse().ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_become_definitions() {
        assert_eq!(
            defined("declare i32 @f(ptr) #1"),
            "define i32 @f(ptr) #1 {\n  unreachable\n}"
        );
        assert_eq!(defined("declare void @llvm.trap()"), "declare void @llvm.trap()");
        assert_eq!(
            defined("@x = external dso_local global ptr, align 4"),
            "@x = dso_local global ptr zeroinitializer, align 4"
        );
        assert_eq!(defined("  call void @g()"), "  call void @g()");
    }

    #[test]
    fn what_executables_cannot_have_is_replaced() {
        assert_eq!(
            fitted("  %1 = call i32 (ptr, ...) @printf(ptr @x, i32 3)"),
            "  %1 = call i32 @printf(ptr @x, i32 3)"
        );
        assert_eq!(
            fitted("declare i32 @g(ptr, ...)"),
            "define i32 @g(ptr) {\n  unreachable\n}"
        );
        assert_eq!(fitted("  %2 = freeze i32 %1"), "  %2 = add i32 %1, 0");
    }

    #[test]
    fn reads_the_report() {
        let report =
            "stage   ms  ns/instruction\nread 1.2 12.5\ntotal    1.250   12.5\n\nfunctions 3\ninstructions  70\n";
        assert_eq!(whole(report), Some((12.5, 70)));
        assert_eq!(whole("total 1.2 3.4\n"), None);
    }
}
