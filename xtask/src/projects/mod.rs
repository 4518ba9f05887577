//! Builds whole [projects](list) from Debian's sources and crates with `frazil-cc`, `frazil-c++` and `frazil-link` as
//! their compilers, and runs their own tests, which must find what they find when clang or rustc makes all of the code.
//!
//! Each project is built at -O0, -O2 and -O3 without the wrapper's fallback: one file that Frazil refuses fails the
//! build; and at -O3 for this processor with the fallback, whose uses are counted. (Crates may use it at all levels.)
//!
//! What has passed with the same compiler is not done again: [results] are kept in the target folder. With
//! `--minutes`, a share is made.

pub mod fetch;
mod list;
mod results;

pub use fetch::fetch_crate;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use pico_args::Arguments;

use crate::share::Share;
use crate::{process, workspace};
use list::{Origin, PROJECTS, Project};
use results::Results;

/// More than this is a hang.
const STEP_LIMIT: Duration = Duration::from_secs(1800);

/// What the wrapper says about a file that clang compiles.
const FALLBACK: &str = "compiled by clang, because Frazil says";

/// A level of optimization: options for clang and for rustc.
struct Level {
    name: &'static str,
    clang: &'static str,
    rustc: &'static str,
    may_fall_back: bool,
}

const LEVELS: [Level; 4] = [
    Level {
        name: "O0",
        clang: "-O0",
        rustc: "-Copt-level=0",
        may_fall_back: false,
    },
    Level {
        name: "O2",
        clang: "-O2",
        rustc: "-Copt-level=2",
        may_fall_back: false,
    },
    Level {
        name: "O3",
        clang: "-O3",
        rustc: "-Copt-level=3",
        may_fall_back: false,
    },
    Level {
        name: "O3-native",
        clang: "-O3 -march=native",
        rustc: "-Copt-level=3 -Ctarget-cpu=native",
        may_fall_back: true,
    },
];

/// Who makes the code.
struct Compilers {
    c: PathBuf,
    plus_plus: PathBuf,
    /// The linker for rustc, if it makes the code.
    linker: Option<PathBuf>,
    /// By which results are known.
    key: String,
}

/// Runs `cargo xtask projects [--level NAME] [FILTER]`, with the options of [`Share`].
pub fn command(mut arguments: Arguments) -> Result<bool> {
    let mut share = Share::from_arguments(&mut arguments)?;
    let level: Option<String> = arguments.opt_value_from_str("--level")?;
    let filter: Option<String> = arguments.opt_free_from_str()?;
    let rest = arguments.finish();
    ensure!(rest.is_empty(), "unexpected argument `{}`", rest[0].to_string_lossy());
    let folder = workspace::target_dir().join("projects");
    let ours = compilers(&folder)?;
    let theirs = reference();
    let mut results = Results::read(folder.join("results"));
    let chosen = |project: &&Project| {
        filter
            .as_ref()
            .is_none_or(|filter| project.name.contains(filter.as_str()))
    };
    let projects: Vec<&Project> = PROJECTS.iter().filter(chosen).collect();
    ensure!(!projects.is_empty(), "no project of that name");
    let levels: Vec<&Level> = LEVELS
        .iter()
        .filter(|known| level.as_ref().is_none_or(|level| known.name == level))
        .collect();
    ensure!(!levels.is_empty(), "levels are O0, O2, O3 and O3-native");
    let total = projects.len() * levels.len();
    let (mut made, mut failed) = (0, 0);
    share.begin();
    for number in share.order(total) {
        if !share.has_time() {
            break;
        }
        made += 1;
        let (project, level) = (projects[number / levels.len()], levels[number % levels.len()]);
        let outcome = compare(project, level, &ours, &theirs, &folder, &mut results);
        match outcome {
            Ok(text) => println!("{:<18} {:<9}  ok, {text}", project.name, level.name),
            Err(error) => {
                println!("{:<18} {:<9}  FAILED\n{error:#}", project.name, level.name);
                failed += 1;
            }
        }
    }
    println!("{}: {failed} failed", share.report("builds of projects", made, total));
    Ok(failed == 0)
}

/// Builds and tests a project at a level, unless it is known to pass, and says what was found.
fn compare(
    project: &Project,
    level: &Level,
    ours: &Compilers,
    theirs: &Compilers,
    folder: &Path,
    results: &mut Results,
) -> Result<String> {
    let how = results::digest_of(&(project.steps, project.counts, level.clang, level.rustc));
    let key = |who: &Compilers| format!("{} {} {how} {}", project.name, level.name, who.key);
    if let Some(found) = results.get(&key(ours)) {
        return Ok(format!("before: {}", brief(found)));
    }
    let source = fetch::fetch(project, folder)?;
    let copy = folder.join(format!("{}-{}", project.name, level.name));
    let expected = match results.get(&key(theirs)) {
        Some(known) => known.to_owned(),
        None => {
            let built = build(project, &source, &copy, theirs, level).context("by clang or rustc alone")?;
            results.add(&key(theirs), &built.counts)?;
            built.counts
        }
    };
    let built = build(project, &source, &copy, ours, level)?;
    ensure!(
        built.counts == expected,
        "the tests find `{}` instead of `{expected}`",
        built.counts
    );
    fs::remove_dir_all(&copy)?;
    let found = format!("{}; {} by clang", built.counts, built.fallbacks);
    results.add(&key(ours), &found)?;
    let found = format!("{}; {} by clang", brief(&built.counts), built.fallbacks);
    Ok(format!("{found}; {:.1} s", built.seconds))
}

/// clang and rustc by themselves.
fn reference() -> Compilers {
    Compilers {
        c: workspace::CLANG.into(),
        plus_plus: workspace::CLANG.replace("clang", "clang++").into(),
        linker: None,
        key: workspace::CLANG.to_owned(),
    }
}

/// Copies of a release build of the wrapper, by all of its names: the compilers stay the same to the end of the run,
/// whatever is built meanwhile.
fn compilers(folder: &Path) -> Result<Compilers> {
    let mut build = workspace::cargo();
    build.args(["build", "--quiet", "--release", "--package", "frazil-cc"]);
    process::checked(&mut build)?;
    let (release, copies) = (workspace::target_dir().join("release"), folder.join("bin"));
    fs::create_dir_all(&copies)?;
    for name in ["frazil-cc", "frazil-link"] {
        let copy = copies.join(name);
        let _ = fs::remove_file(&copy);
        fs::copy(release.join(name), &copy).with_context(|| format!("{name} in {}", release.display()))?;
    }
    let (c, linker) = (copies.join("frazil-cc"), copies.join("frazil-link"));
    let plus_plus = copies.join("frazil-c++");
    let _ = fs::remove_file(&plus_plus);
    std::os::unix::fs::symlink(&c, &plus_plus)?;
    Ok(Compilers {
        key: results::digest(&[&c, &linker])?,
        c,
        plus_plus,
        linker: Some(linker),
    })
}

/// What came of building and testing a project.
struct Built {
    /// The lines about tests, joined.
    counts: String,
    /// How many files or modules clang compiled in Frazil's place.
    fallbacks: usize,
    seconds: f64,
}

/// Builds a fresh copy and runs its tests.
fn build(project: &Project, source: &Path, copy: &Path, compilers: &Compilers, level: &Level) -> Result<Built> {
    let _ = fs::remove_dir_all(copy);
    process::checked(Command::new("cp").arg("-a").arg(source).arg(copy))?;
    let may_fall_back = level.may_fall_back || project.origin != Origin::Debian;
    let log = copy.join("frazil-link.log");
    let mut rustflags = level.rustc.to_owned();
    if let Some(linker) = &compilers.linker {
        rustflags += &format!(" -Clinker-plugin-lto -Clinker={}", linker.display());
    }
    let start = Instant::now();
    let (mut lines, mut fallbacks) = (Vec::new(), 0);
    for step in project.steps {
        let mut shell = Command::new("sh");
        shell.args(["-c", step]).current_dir(copy);
        shell
            .env("CC", &compilers.c)
            .env("CXX", &compilers.plus_plus)
            .env("CFLAGS", level.clang)
            .env("CXXFLAGS", level.clang)
            .env("RUSTFLAGS", &rustflags)
            .env("FRAZIL_LINK_LOG", &log)
            .env("FRAZIL_CC_FALLBACK", if may_fall_back { "1" } else { "0" })
            .env_remove("CARGO_TARGET_DIR");
        let outcome = process::run(&mut shell, STEP_LIMIT)?;
        let (out, err) = (
            String::from_utf8_lossy(&outcome.stdout).into_owned(),
            String::from_utf8_lossy(&outcome.stderr).into_owned(),
        );
        if !outcome.success() {
            bail!("`{step}` in {}: {}\n{out}\n{err}", copy.display(), outcome.ending());
        }
        fallbacks += err.lines().filter(|line| line.contains(FALLBACK)).count();
        // Steps before the last one build.
        lines = counts(project.counts, &out);
    }
    ensure!(!lines.is_empty(), "the tests do not say what they found");
    let modules = fs::read_to_string(&log).unwrap_or_default();
    fallbacks += modules.lines().filter(|line| line.starts_with("clang ")).count();
    Ok(Built {
        counts: lines.join(", "),
        fallbacks,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// The beginning and the end of what tests found.
fn brief(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.len() {
        0..24 => words.join(" "),
        count => format!("{} ... {}", words[..8].join(" "), words[count - 12..].join(" ")),
    }
}

/// The lines of an output that have a word, without the time that tests took.
fn counts(word: &str, output: &str) -> Vec<String> {
    let lines = output.lines().filter(|line| line.contains(word));
    lines
        .map(|line| line.split("; 0 measured").next().unwrap_or(line).trim().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_no_counts() {
        let output = "running 2 tests\ntest result: ok. 2 passed; 0 failed; 0 measured; finished in 0.01s\n";
        assert_eq!(counts("test result:", output), ["test result: ok. 2 passed; 0 failed"]);
    }
}
