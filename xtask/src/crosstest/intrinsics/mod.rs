//! Every intrinsic of the processor in the families below, with random operands: what instruction does Frazil make of
//! it, and does that compute what llc's does?
//!
//! The list is LLVM's own: its table of intrinsics is read ([`table`]), and one function is made of each that loads
//! operands, calls it, and stores the result. An operand that must be constant takes several values, each in a function
//! of its own. The program calls all functions on the same random bytes and prints a hash of each result; numbers that
//! are none count as one. What has no result that depends on operands alone is [left out](LEFT_OUT).

mod table;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use frazil_test_support::machines;

use super::{RUN_LIMIT, build_program};
use crate::compiler::{Compiler, LlcLevel};
use crate::{machine, process, workspace};
use table::{Intrinsic, Ty};

/// How names of families begin.
const FAMILIES: [&str; 22] = [
    "sse.",
    "sse2.",
    "sse3.",
    "ssse3.",
    "sse41.",
    "sse42.",
    "avx.",
    "avx2.",
    "fma.",
    "avx512.",
    "avx512bf16.",
    "vcvtps2ph.",
    "bmi.",
    "sha1",
    "sha256",
    "aesni.",
    "pclmulqdq",
    "vgf2p8mulb.",
    "vgf2p8affineqb.",
    "vgf2p8affineinvqb.",
    "addcarry.",
    "subborrow.",
];

/// How names begin of what has no result, or one that the operands alone do not decide, and of later families.
const LEFT_OUT: [&str; 16] = [
    "sse.sfence",
    "sse.ldmxcsr",
    "sse.stmxcsr",
    "sse2.clflush",
    "sse2.lfence",
    "sse2.mfence",
    "sse2.pause",
    "sse3.monitor",
    "sse3.mwait",
    "avx.vzeroall",
    "avx.vzeroupper",
    // Dot products of processors after AVX-512.
    "avx2.vpdp",
    // Few processors have it.
    "avx512.vp2intersect",
    // Vectors of the first kind, which LLVM has given up.
    "sse.cvtpd2pi",
    "sse.cvtpi2pd",
    "sse.cvttpd2pi",
];

/// What the functions may use.
const FEATURES: &str = "+sse4.2,+avx2,+fma,+f16c,+bmi,+bmi2,+sha,+aes,+vaes,+pclmul,+vpclmulqdq,+adx,+crc32";

/// What they may use, too, where the processor has vectors of 512 bits.
const WIDE_FEATURES: &str = ",+gfni,+avx512f,+avx512vl,+avx512bw,+avx512dq,+avx512cd,+avx512vbmi,+avx512vbmi2,\
                             +avx512vnni,+avx512ifma,+avx512bitalg,+avx512bf16";

/// Whether an intrinsic needs them.
fn needs_wide_features(one: &Intrinsic) -> bool {
    one.bits() > 256 || ["avx512", "vgf2p8"].iter().any(|start| one.name.starts_with(start))
}

/// Whether this processor has what an intrinsic needs, if that is not what all have that are tried here: with AVX2, or
/// else with AVX-512.
fn is_available(one: &Intrinsic) -> bool {
    let is_wide = one.bits() > 128;
    match () {
        () if needs_wide_features(one) => machine::has_wide_vectors(),
        () if one.name.starts_with("sha") => machines::host_has("shani"),
        () if one.name.starts_with("aesni.") && is_wide => machines::host_has("vaes"),
        () if one.name.starts_with("pclmulqdq") && is_wide => machines::host_has("vpclmulqdq"),
        () => true,
    }
}

/// Rounds of random operands.
const ROUNDS: u32 = 64;

/// Tests all intrinsics whose names contain `filter`.
pub fn test(filter: &str, compilers: &[Compiler]) -> Result<bool> {
    let intrinsics = table::read()?;
    let mut chosen: Vec<&Intrinsic> = intrinsics
        .iter()
        .filter(|one| FAMILIES.iter().any(|family| one.name.starts_with(family)))
        .filter(|one| !LEFT_OUT.iter().any(|start| one.name.starts_with(start)) && one.name.contains(filter))
        .filter(|one| one.bits() <= 512)
        .collect();
    ensure!(!chosen.is_empty(), "no intrinsic's name contains `{filter}`");
    let all = chosen.len();
    chosen.retain(|one| is_available(one));
    if chosen.len() < all {
        let left_out = all - chosen.len();
        println!("{left_out} of {all} intrinsics are left out, for which this processor has no instructions");
    }
    let dir = workspace::target_dir().join("crosstest/intrinsics");
    fs::create_dir_all(&dir)?;
    let host = make_host(&dir)?;
    let expected = run(&chosen, &Compiler::Llc(LlcLevel::O0), &host, &dir)?;
    let (mut passed, mut failed) = (0, 0);
    for compiler in compilers {
        let found = run_each(&chosen, compiler, &host, &dir)?;
        for one in &chosen {
            match (expected.get(&one.name), found.get(&one.name)) {
                (Some(expected), Some(Ok(found))) if expected == found => passed += 1,
                (_, Some(Err(why))) => {
                    println!("{:<28} {compiler}: {why}", one.name);
                    failed += 1;
                }
                _ => {
                    println!("{:<28} {compiler}: other results than llc's", one.name);
                    failed += 1;
                }
            }
        }
    }
    println!("{} intrinsics: {passed} passed, {failed} failed", chosen.len());
    Ok(failed == 0)
}

/// The results of all intrinsics, or, if the module of all cannot be compiled, of each in a module of its own.
fn run_each(
    chosen: &[&Intrinsic],
    compiler: &Compiler,
    host: &Path,
    dir: &Path,
) -> Result<BTreeMap<String, Result<String>>> {
    if let Ok(all) = run(chosen, compiler, host, dir) {
        return Ok(all.into_iter().map(|(name, hash)| (name, Ok(hash))).collect());
    }
    let mut results = BTreeMap::new();
    for one in chosen {
        let result = run(&[one], compiler, host, dir);
        let result = result.and_then(|mut all| all.remove(&one.name).context("nothing is printed"));
        results.insert(one.name.clone(), result);
    }
    Ok(results)
}

/// What the program of these intrinsics prints, by name.
fn run(chosen: &[&Intrinsic], compiler: &Compiler, host: &Path, dir: &Path) -> Result<BTreeMap<String, String>> {
    let text = dir.join("all.ll");
    fs::write(&text, module(chosen)?)?;
    let bitcode = dir.join("all.bc");
    let mut assemble = workspace::llvm_tool("llvm-as-22")?;
    process::checked(assemble.arg(&text).arg("-o").arg(&bitcode))?;
    let built = build_program(&bitcode, Some(host), compiler, dir)?;
    let Some(program) = built.program else {
        bail!("{}", built.problem)
    };
    let outcome = process::run(&mut Command::new(program), RUN_LIMIT)?;
    ensure!(outcome.success(), "{}", outcome.ending());
    let printed = String::from_utf8(outcome.stdout)?;
    let lines = printed.lines().filter_map(|line| line.split_once(' '));
    Ok(lines.map(|(name, hash)| (name.to_owned(), hash.to_owned())).collect())
}

/// The part that calls the functions, which `cc` compiles.
fn make_host(dir: &Path) -> Result<std::path::PathBuf> {
    let (source, object) = (dir.join("host.c"), dir.join("host.o"));
    fs::write(&source, include_str!("host.c").replace("ROUNDS", &ROUNDS.to_string()))?;
    let mut command = Command::new(workspace::CC);
    process::checked(command.args(["-c", "-O1", "-w"]).arg(&source).arg("-o").arg(&object))?;
    Ok(object)
}

/// The module with a function for each intrinsic and each of its constants, and a table of them.
fn module(chosen: &[&Intrinsic]) -> Result<String> {
    let mut text = String::from("target triple = \"x86_64-unknown-linux-gnu\"\n");
    let (mut names, mut rows) = (String::new(), Vec::new());
    for (index, one) in chosen.iter().enumerate() {
        let name = format!("{}\\00", one.name);
        let _ = writeln!(
            names,
            "@name{index} = constant [{} x i8] c\"{name}\"",
            one.name.len() + 1
        );
        let _ = writeln!(text, "{}", one.declaration());
        for (number, variant) in one.variants().into_iter().enumerate() {
            let function = format!("@f{index}_{number}");
            text += &one.function(&function, &variant);
            let kind = one.result.as_ref().map_or(0, Ty::float_bits);
            rows.push(format!("%row {{ ptr @name{index}, ptr {function}, i64 {kind} }}"));
        }
    }
    rows.push("%row zeroinitializer".to_owned());
    let _ = writeln!(text, "%row = type {{ ptr, ptr, i64 }}\n{names}");
    let _ = writeln!(text, "@table = global [{} x %row] [{}]", rows.len(), rows.join(", "));
    let more = match machine::has_wide_vectors() {
        true => WIDE_FEATURES,
        false => "",
    };
    let _ = writeln!(
        text,
        "attributes #0 = {{ nounwind \"target-features\"=\"{FEATURES}{more}\" }}"
    );
    Ok(text)
}
