//! `cargo xtask bench --memory`: is the memory of a compilation bounded by its output and the largest function?
//!
//! What is [allowed] is the output, 10 MB, and for each worker 64 bytes for each byte of bitcode of the largest
//! function. Peaks are those of the whole process, the program itself and what it maps of its input included. Measured
//! are the corpus, with debug information and without, and modules that are large by what they have much of: small
//! functions, code, and data. With threads, two workers compile beside the thread that writes.
//!
//! What is large is made for the run and removed after it.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, anyhow, ensure};
use frazil_frontend_pnacl::{BitcodeModule, ReadOptions};

use crate::compiler::Compiler;
use crate::corpus::{self, Level};
use crate::{process, workspace};

/// What a compilation may take besides its output and what the largest function needs.
const ALLOWED_BYTES: u64 = 10_000_000;
/// What each worker may take for each byte of bitcode of the largest function.
const ALLOWED_PER_BODY_BYTE: u64 = 64;

/// The numbers of threads beside the one that writes.
const THREADS: [u64; 2] = [0, 2];

/// The longest that one compilation may take.
const LIMIT: Duration = Duration::from_secs(300);

/// A module that is made for this.
struct Large {
    name: &'static str,
    write: fn(&mut dyn Write) -> std::io::Result<()>,
}

const LARGE: [Large; 3] = [
    Large {
        name: "200,000 small functions",
        write: |out| functions(out, 200_000, 1),
    },
    Large {
        name: "200 MB of functions",
        write: |out| functions(out, 16_000, 900),
    },
    Large {
        name: "200 MB of data",
        write: data,
    },
];

/// The peak that is allowed to a compilation with an output of so many bytes and a largest function of `body_bytes` of
/// bitcode, by so many workers.
pub fn allowed(object_bytes: u64, body_bytes: u64, workers: u64) -> u64 {
    object_bytes + ALLOWED_BYTES + workers * ALLOWED_PER_BODY_BYTE * body_bytes
}

/// The bytes of the largest body of a function.
pub fn largest_body(bitcode: &[u8]) -> Result<u64> {
    let module = BitcodeModule::open(bitcode, &ReadOptions::new(&|_| None));
    let module = module.map_err(|error| anyhow!("{error}"))?;
    let places = module.module().functions.keys().map(|id| module.body_place(id));
    Ok(places.map(|place| (place.end - place.start) / 8).max().unwrap_or(0))
}

/// Prints a row for each module whose name contains `filter` and each number of threads. `Ok(false)` if one takes more
/// than is allowed.
pub fn measure(frazil: &Compiler, filter: &str) -> Result<bool> {
    let dir = workspace::target_dir().join("bench/memory");
    fs::create_dir_all(&dir)?;
    println!("{frazil}: peak memory in MB, and what is allowed");
    let mut exceeded = 0;
    let is_wanted = |name: &str| name.contains(filter);
    let levels = [&Level::EACH[..], &Level::WITH_DEBUG[..]].concat();
    // A filter may name only what is made here.
    let modules = match LARGE.iter().any(|large| is_wanted(large.name)) && !filter.is_empty() {
        true => Vec::new(),
        false => corpus::modules_at(&levels, filter)?,
    };
    for module in &modules {
        exceeded += check(&module.name(), module.bitcode()?, frazil, &dir)?;
    }
    for large in LARGE.iter().filter(|large| is_wanted(large.name)) {
        let bitcode = make(large, &dir)?;
        exceeded += check(large.name, &bitcode, frazil, &dir)?;
        fs::remove_file(&bitcode)?;
    }
    println!("{exceeded} take more than is allowed");
    Ok(exceeded == 0)
}

/// Prints the rows of a module, and returns how many exceed what is allowed.
fn check(name: &str, bitcode: &Path, frazil: &Compiler, dir: &Path) -> Result<usize> {
    let object = dir.join("measured.o");
    let body_bytes = largest_body(&fs::read(bitcode)?)?;
    let mut exceeded = 0;
    for threads in THREADS {
        let command = frazil
            .with_option(&format!("--threads={threads}"))
            .command(bitcode, &object)?;
        let outcome = process::run_measured(&command, LIMIT)?;
        ensure!(
            outcome.success(),
            "{name}: {}: {}",
            outcome.ending(),
            outcome.first_error_line()
        );
        let allowed = allowed(fs::metadata(&object)?.len(), body_bytes, threads.max(1));
        let is_good = outcome.peak_bytes <= allowed;
        println!(
            "{name:<24} {threads} threads {:>8.2} of {:>8.2} MB{}",
            outcome.peak_bytes as f64 / 1e6,
            allowed as f64 / 1e6,
            if is_good { "" } else { ": TOO MUCH" }
        );
        exceeded += usize::from(!is_good);
    }
    fs::remove_file(&object)?;
    Ok(exceeded)
}

/// The bitcode of a large module.
fn make(large: &Large, dir: &Path) -> Result<PathBuf> {
    let (text, bitcode) = (dir.join("large.ll"), dir.join("large.bc"));
    let mut out = BufWriter::new(File::create(&text)?);
    writeln!(out, "target triple = \"x86_64-pc-linux-gnu\"\n")?;
    (large.write)(&mut out)?;
    out.flush()?;
    process::checked(workspace::llvm_tool("llvm-as-22")?.arg(&text).arg("-o").arg(&bitcode))?;
    fs::remove_file(&text)?;
    Ok(bitcode)
}

/// Functions of as many calls, each of which is given what the one before it has returned.
fn functions(out: &mut dyn Write, count: usize, calls: usize) -> std::io::Result<()> {
    writeln!(out, "declare i64 @g(i64, i64)")?;
    for number in 0..count {
        // The block has a name: it would take a number.
        writeln!(
            out,
            "define i64 @f{number}(i64 %0, i64 %1) {{\nentry:\n  %2 = xor i64 %0, %1"
        )?;
        for value in 2..calls + 2 {
            writeln!(out, "  %{} = call i64 @g(i64 %{value}, i64 %1)", value + 1)?;
        }
        writeln!(out, "  ret i64 %{}\n}}", calls + 2)?;
    }
    Ok(())
}

/// An array of integers that are all different, between functions.
fn data(out: &mut dyn Write) -> std::io::Result<()> {
    const INTEGERS: u64 = 30_000_000;
    const FACTOR: u64 = 6_364_136_223_846_793_005;
    write!(out, "@data = global [{INTEGERS} x i64] [")?;
    for number in 0..INTEGERS {
        let comma = if number > 0 { "," } else { "" };
        write!(out, "{comma}i64 {}", number.wrapping_mul(FACTOR) as i64)?;
    }
    writeln!(out, "]")?;
    functions(out, 1_000, 10)
}
