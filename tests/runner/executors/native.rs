//! Runs on the machine itself or in an emulator of one: the case is compiled to an object, linked with a C program by
//! a C compiler, and run.
//!
//! The C program makes each run in a process of its own, so that runs do not see each other's memory and a crash
//! ends only one. What a run stores comes back through shared memory.

use super::compiled::{INVALID, RESULT_BYTES, answer, object, run_name, text_with_runs};
use super::{Answer, Executor, Program};
use frazil::{RelocationModel, TargetEntry};
use frazil_ir::Module;
use frazil_test_support::Folder;
use frazil_test_support::machines::{self, HOST, Machine, host_has};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Position-independent code in a position-independent executable.
pub const X86_64: Executor = Executor {
    name: "x86_64",
    target: Some("x86_64"),
    by_default: true,
    is_built: || is_built(&HOST),
    is_available: || is_available(&HOST),
    run: |program| run(program, &HOST, RelocationModel::Pic, "-pie"),
};

/// Code for a fixed address.
pub const X86_64_STATIC: Executor = Executor {
    name: "x86_64-static",
    target: Some("x86_64"),
    by_default: false,
    is_built: || is_built(&HOST),
    is_available: || is_available(&HOST),
    run: |program| run(program, &HOST, RelocationModel::Static, "-no-pie"),
};

/// AArch64 in an emulator. Programs are linked statically, so that it starts them sooner.
pub const AARCH64: Executor = Executor {
    name: "aarch64",
    target: Some("aarch64"),
    by_default: true,
    is_built: || is_built(&machines::AARCH64),
    is_available: || is_available(&machines::AARCH64),
    run: |program| run(program, &machines::AARCH64, RelocationModel::Pic, "-static"),
};

/// Position-independent 32-bit code in a position-independent executable.
pub const X86_32: Executor = Executor {
    name: "x86_32",
    target: Some("x86_32"),
    by_default: true,
    is_built: || is_built(&machines::X86_32),
    is_available: || is_available(&machines::X86_32),
    run: |program| run(program, &machines::X86_32, RelocationModel::Pic, "-pie"),
};

/// 32-bit code for a fixed address.
pub const X86_32_STATIC: Executor = Executor {
    name: "x86_32-static",
    target: Some("x86_32"),
    by_default: false,
    is_built: || is_built(&machines::X86_32),
    is_available: || is_available(&machines::X86_32),
    run: |program| run(program, &machines::X86_32, RelocationModel::Static, "-no-pie"),
};

/// Results of a run, at most.
const MOST_RESULTS: usize = 16;

/// Bytes for the results of a run.
pub const RESULTS_BYTES: usize = MOST_RESULTS * RESULT_BYTES;

/// Whether this build makes code for a machine.
fn is_built(machine: &Machine) -> bool {
    frazil::targets().iter().any(|target| target.name == machine.target)
}

/// Whether its tools are there.
fn is_available(machine: &Machine) -> bool {
    let is_host = cfg!(all(target_arch = "x86_64", target_os = "linux"));
    let tools = [machine.compiler]
        .into_iter()
        .chain(machine.emulator().first().copied());
    (is_host || !machine.emulator().is_empty())
        && tools.into_iter().all(|tool| {
            let output = Command::new(tool).arg("--version").output();
            output.is_ok_and(|output| output.status.success())
        })
}

/// What a machine does not have, as in the messages of refusals.
fn limits(machine: &Machine) -> &'static [&'static str] {
    match machine.target {
        "x86_32" => &[
            INVALID,
            "type i",
            "an array of i",
            "an address in 8 bytes of data",
            "the address of a block that is not in the object",
        ],
        _ => &[],
    }
}

fn run(
    program: &Program<'_>,
    machine: &Machine,
    relocation_model: RelocationModel,
    link_option: &'static str,
) -> Result<Vec<Answer>, String> {
    let target = frazil::targets().iter().find(|target| target.name == machine.target);
    let target = target.ok_or_else(|| format!("this build has no target {}", machine.target))?;
    if program.runs.is_empty() {
        return Ok(Vec::new());
    }
    let (object, left_out) = object_of_most(program, machine, target, relocation_model)?;
    if let (true, Some(limit)) = (object.is_empty(), left_out) {
        leave_out(limit, program.runs.len());
        return Ok(vec![Answer::Unsupported(limit.to_owned()); program.runs.len()]);
    }
    if let Some(feature) = missing_feature(machine, program.module) {
        leave_out(&feature, program.runs.len());
        let answer = Answer::Unsupported(format!("this processor has no {feature}"));
        return Ok(vec![answer; program.runs.len()]);
    }
    let output = linked_and_run(machine, link_option, main_program(program), &[object])?;
    let mut answers = answers(program, &output)?;
    for answer in &mut answers {
        match (&left_out, &*answer) {
            (Some(limit), Answer::Failed(reason)) if reason.starts_with("ended by signal 4 ") => {
                leave_out(limit, 1);
                *answer = Answer::Unsupported(format!("it needs what is refused: {limit}"));
            }
            _ => {}
        }
    }
    Ok(answers)
}

/// The object of a case, and what the machine does not have of it: functions that need that trap.
fn object_of_most(
    program: &Program<'_>,
    machine: &Machine,
    target: &TargetEntry,
    relocation_model: RelocationModel,
) -> Result<(Vec<u8>, Option<&'static str>), String> {
    let mut text = text_with_runs(program)?;
    let mut left_out = None;
    // A function whose signature is refused is so a second time, and goes.
    let mut trapping = BTreeSet::new();
    loop {
        let refused = match object(program, &text, target, relocation_model) {
            Ok(object) => return Ok((object, left_out)),
            Err(refused) => refused,
        };
        for line in refused.lines() {
            let limit = limits(machine).iter().find(|limit| line.contains(**limit));
            let Some(limit) = limit else {
                return Err(line.to_owned());
            };
            left_out = Some(*limit);
            let name = line.split_once(": ").map_or("", |(name, _)| name);
            let is_first = trapping.insert(name.to_owned());
            let Some(without) = without_body(&text, name, is_first) else {
                // It is the whole case that is refused.
                return Ok((Vec::new(), left_out));
            };
            text = without;
        }
    }
}

/// A text in which a function traps, or is not there at all.
fn without_body(text: &str, name: &str, is_kept: bool) -> Option<String> {
    let start = text.find(&format!("func @{name}("))?;
    let body = start + text[start..].find("{\n")?;
    let end = body + text[body..].find("\n}")? + 2;
    let head = if is_kept { &text[start..body] } else { "" };
    let trap = if is_kept {
        "{\nb0:\n  trap\n  unreachable\n}"
    } else {
        ""
    };
    Some([&text[..start], head, trap, &text[end..]].concat())
}

/// Runs that were compiled and not made, by the feature that the processor does not have.
static LEFT_OUT: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());

/// Notes runs that are not made.
pub fn leave_out(feature: &str, runs: usize) {
    let mut counts = LEFT_OUT.lock().unwrap_or_else(PoisonError::into_inner);
    *counts.entry(feature.to_owned()).or_default() += runs;
}

/// How many runs were left out, by feature.
pub fn left_out() -> BTreeMap<String, usize> {
    LEFT_OUT.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A feature that functions of a module are compiled for and that this processor does not have. Looked for are those
/// of vectors of 512 bits: no emulator has them, and all others are in every processor that tests run on.
pub fn missing_feature(machine: &Machine, module: &Module) -> Option<String> {
    if !machine.emulator().is_empty() {
        return None;
    }
    module.functions.values().find_map(|head| {
        let named = module.strings.display(head.target_features);
        let wanted = named.split(',').filter_map(|feature| feature.strip_prefix('+'));
        let mut missing = wanted.filter(|feature| feature.starts_with("avx512") && !host_has(feature));
        missing.next().map(str::to_owned)
    })
}

/// What a C program prints that is linked with objects, in the way that is usual for a machine.
pub fn link_and_run(machine: &Machine, main: String, objects: &[Vec<u8>]) -> Result<String, String> {
    let link_option = match machine.emulator() {
        [] => "-pie",
        _ => "-static",
    };
    linked_and_run(machine, link_option, main, objects)
}

fn linked_and_run(
    machine: &Machine,
    link_option: &'static str,
    main: String,
    objects: &[Vec<u8>],
) -> Result<String, String> {
    let main = compiled(machine.compiler, main, link_option)?;
    let folder = Folder::new("filetests");
    let program_path = folder.path("case");
    let mut link = Command::new(machine.compiler);
    link.args([link_option, "-o"])
        .arg(&program_path)
        .arg(folder.write("main.o", &*main));
    for (index, object) in objects.iter().enumerate() {
        link.arg(folder.write(&format!("case{index}.o"), object));
    }
    output_of(link.arg("-lm"))?;
    output_of(&mut machine.run(&program_path))
}

/// The object of a C program. Those of a case are the same under every recipe, and many cases share one, so that each
/// is compiled once.
fn compiled(compiler: &'static str, text: String, link_option: &'static str) -> Result<Arc<[u8]>, String> {
    type Object = OnceLock<Result<Arc<[u8]>, String>>;
    type Key = (&'static str, &'static str, String);
    static OBJECTS: Mutex<BTreeMap<Key, Arc<Object>>> = Mutex::new(BTreeMap::new());
    let key = (compiler, link_option, text);
    let mut objects = OBJECTS.lock().unwrap_or_else(PoisonError::into_inner);
    let object = Arc::clone(objects.entry(key.clone()).or_default());
    drop(objects);
    let compile = || {
        let folder = Folder::new("filetests-main");
        let (source, object) = (folder.write("main.c", key.2), folder.path("main.o"));
        let mut command = Command::new(compiler);
        command.args(["-w", "-O1", link_option, "-c", "-o"]);
        output_of(command.arg(&object).arg(source))?;
        let bytes = std::fs::read(object).map_err(|error| error.to_string())?;
        Ok(Arc::from(bytes))
    };
    object.get_or_init(compile).clone()
}

/// Runs a command; its standard output if it succeeds, else its messages.
fn output_of(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{}: {messages}", output.status))
}

/// The beginning of a C program that makes runs: what it includes, and `runs`, the functions that make them.
pub fn main_head(c_code: &str, count: usize) -> String {
    let mut text = String::from(
        "#include <stdarg.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         #include <sys/mman.h>\n#include <sys/wait.h>\n#include <unistd.h>\n",
    );
    text.push_str(c_code);
    for index in 0..count {
        let _ = writeln!(text, "void {}(unsigned char *);", run_name(index));
    }
    text.push_str("static void (*const runs[])(unsigned char *) = {\n");
    for index in 0..count {
        let _ = writeln!(text, "    {},", run_name(index));
    }
    text.push_str("};\n");
    text
}

/// The C program: one line `status bytes` for each run.
fn main_program(program: &Program<'_>) -> String {
    let mut text = main_head(&program.case.c_code, program.runs.len());
    let bytes = RESULTS_BYTES;
    let _ = write!(
        text,
        "int main(void) {{\n\
         \x20   unsigned char *results = mmap(0, {bytes}, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);\n\
         \x20   for (unsigned index = 0; index < sizeof runs / sizeof *runs; index++) {{\n\
         \x20       int status = 0;\n\
         \x20       memset(results, 0xa5, {bytes});\n\
         \x20       fflush(stdout);\n\
         \x20       if (fork() == 0) {{ alarm(2); runs[index](results); fflush(stdout); _exit(0); }}\n\
         \x20       wait(&status);\n\
         \x20       printf(\"%d \", status);\n\
         \x20       for (unsigned byte = 0; byte < {bytes}; byte++) printf(\"%02x\", results[byte]);\n\
         \x20       printf(\"\\n\");\n\
         \x20   }}\n\
         \x20   return 0;\n\
         }}\n"
    );
    text
}

fn answers(program: &Program<'_>, output: &str) -> Result<Vec<Answer>, String> {
    let lines = output.lines().enumerate().take(program.runs.len());
    lines
        .map(|(index, line)| answer_of_line(program, index, line))
        .collect()
}

/// The answer of a run that a line `status bytes` gives.
pub fn answer_of_line(program: &Program<'_>, index: usize, line: &str) -> Result<Answer, String> {
    let (status, digits) = line.split_once(' ').ok_or("the program printed something else")?;
    if status != "0" {
        let status: i32 = status.parse().map_err(|_| "the program printed something else")?;
        return Ok(Answer::Failed(format!(
            "ended by signal {} or status {}",
            status & 0x7f,
            status >> 8
        )));
    }
    let pairs = (0..digits.len() / 2).map(|pair| u8::from_str_radix(&digits[2 * pair..2 * pair + 2], 16));
    let bytes = pairs
        .collect::<Result<Vec<u8>, _>>()
        .map_err(|error| error.to_string())?;
    answer(program, index, &bytes)
}
