//! `cargo xtask debug-sections`: the corpus with debug information, compiled under every recipe.
//!
//! For each module and recipe, `llvm-dwarfdump --verify` must find nothing, `readelf` and `gdb` must read all of it
//! without a warning but for those that they give of llc's object, too, and everything that is part of the program must
//! be the same bytes as with `--strip-debug`. A table shows the bytes of the debug sections beside those of llc at the
//! module's level.
//!
//! Not here: what the sections say (`debugger`, and the tests of debug information).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionKind, SymbolKind};
use pico_args::Arguments;

use crate::compiler::{Compiler, LlcLevel, RECIPES};
use crate::corpus::{self, Level, Module};
use crate::share::Share;
use crate::{process, workspace};

/// More than this is a hang; the verifier takes minutes for the largest modules on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(1800);

/// `cargo xtask debug-sections [FILTER]` with the options of [`Share`] and [`Compiler::list_from_arguments`].
pub fn command(mut arguments: Arguments) -> Result<bool> {
    let compilers = Compiler::list_from_arguments(&mut arguments, &RECIPES)?;
    let mut share = Share::from_arguments(&mut arguments)?;
    let modules = corpus::modules_at(&Level::WITH_DEBUG, &corpus::filter(arguments)?)?;
    let dir = workspace::target_dir().join("debug-sections");
    fs::create_dir_all(&dir)?;
    let total = modules.len() * compilers.len();
    let (mut made, mut failed) = (0, 0);
    let mut ratios: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    share.begin();
    println!(
        "{:<20} {:<11} {:>9} {:>9} {:>6}",
        "module", "", "debug kB", "llc's", "ratio"
    );
    for number in share.order(total) {
        if !share.has_time() {
            break;
        }
        let (module, compiler) = (&modules[number / compilers.len()], &compilers[number % compilers.len()]);
        made += 1;
        match check(module, compiler, &dir)? {
            Checked::Good { own_bytes, llc_bytes } => {
                let ratio = own_bytes as f64 / llc_bytes.max(1) as f64;
                ratios.entry(module.level.name()).or_default().push(ratio);
                let [own, theirs] = [own_bytes, llc_bytes].map(|bytes| bytes as f64 / 1000.0);
                let (name, compiler) = (module.name(), compiler.name());
                println!("{name:<20} {compiler:<11} {own:>9.1} {theirs:>9.1} {ratio:>6.3}");
            }
            Checked::Bad(reason) => {
                failed += 1;
                println!("{:<20} {:<11} FAILED: {reason}", module.name(), compiler.name());
            }
        }
    }
    println!();
    for (level, ratios) in ratios {
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        println!(
            "{level}: debug sections {mean:.3} of llc's, geometric mean of {}",
            ratios.len()
        );
    }
    println!("{}", share.report("modules and recipes", made, total));
    println!("{} passed, {failed} failed", made - failed);
    Ok(failed == 0)
}

/// What became of a module under a recipe.
enum Checked {
    Good {
        /// Bytes of the debug sections, and of llc's.
        own_bytes: u64,
        llc_bytes: u64,
    },
    Bad(String),
}

fn check(module: &Module, compiler: &Compiler, dir: &Path) -> Result<Checked> {
    let [with, without] = ["with.o", "without.o"].map(|name| dir.join(name));
    for (compiler, output) in [
        (compiler.clone(), &with),
        (compiler.with_option("--strip-debug"), &without),
    ] {
        let outcome = process::run(&mut compiler.command(&module.bitcode, output)?, TIME_LIMIT)?;
        if !outcome.success() {
            return Ok(Checked::Bad(outcome.first_error_line()));
        }
    }
    let (ours, plain) = (Sections::read(&with)?, Sections::read(&without)?);
    if plain.debug_bytes > 0 {
        return Ok(Checked::Bad("debug sections in spite of --strip-debug".to_owned()));
    }
    if let Some(name) = ours.first_difference(&plain) {
        return Ok(Checked::Bad(format!(
            "section {name} is not that without debug information"
        )));
    }
    if let Some(complaint) = refused_by_verifier(&with)? {
        return Ok(Checked::Bad(complaint));
    }
    let reference = reference(module, dir)?;
    let mut usual = None;
    for warning in warnings(&with)? {
        let usual = match &usual {
            Some(usual) => usual,
            None => usual.insert(warnings(&reference)?),
        };
        if !usual
            .iter()
            .any(|other| without_numbers(other) == without_numbers(&warning))
        {
            return Ok(Checked::Bad(warning));
        }
    }
    Ok(Checked::Good {
        own_bytes: ours.debug_bytes,
        llc_bytes: Sections::read(&reference)?.debug_bytes,
    })
}

/// llc's object, which is made once.
fn reference(module: &Module, dir: &Path) -> Result<PathBuf> {
    let level = match module.level {
        Level::O0Debug => LlcLevel::O0,
        _ => LlcLevel::O2,
    };
    let (object, recipe) = (dir.join(module.name() + ".o"), dir.join(module.name() + ".recipe"));
    let wanted = fs::read(module.recipe_file())?;
    if fs::read(&recipe).ok().as_ref() != Some(&wanted) {
        process::checked(&mut Compiler::Llc(level).command(&module.bitcode, &object)?)?;
        fs::write(&recipe, wanted)?;
    }
    Ok(object)
}

/// What LLVM's verifier finds in an object, if it finds anything.
fn refused_by_verifier(object: &Path) -> Result<Option<String>> {
    let mut verify = workspace::llvm_tool("llvm-dwarfdump-22")?;
    let verified = process::run(verify.args(["--quiet", "--verify"]).arg(object), TIME_LIMIT)?;
    if verified.success() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&verified.stdout).into_owned();
    let line = text.lines().find(|line| line.contains("error")).unwrap_or("no reason");
    Ok(Some(format!("llvm-dwarfdump --verify: {line}")))
}

/// What the tools of users say against an object.
fn warnings(object: &Path) -> Result<Vec<String>> {
    // Nobody reads what it shows, which is too much to keep.
    let mut readelf = Command::new("sh");
    readelf
        .args(["-c", "exec readelf --debug-dump=\"$0\" \"$1\" >/dev/null"])
        .arg("info,abbrev,decodedline,loc,Ranges,aranges,str")
        .arg(object);
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-batch", "-ex", "maintenance expand-symtabs"])
        .arg(object);
    let mut found = Vec::new();
    for (name, mut command) in [("readelf", readelf), ("gdb", gdb)] {
        let outcome = process::run(&mut command, TIME_LIMIT)?;
        if !outcome.success() {
            found.push(format!("{name} failed: {}", outcome.ending()));
        }
        let text = String::from_utf8_lossy(&outcome.stderr).into_owned();
        let warnings = text.lines().filter(|line| line.to_lowercase().contains("warning"));
        found.extend(warnings.map(|line| format!("{name}: {line}")));
    }
    Ok(found)
}

/// A warning without the offsets in it.
fn without_numbers(warning: &str) -> String {
    let words = warning.split(' ');
    let kept = words.filter(|word| !word.starts_with(|first: char| first.is_ascii_digit()));
    kept.collect::<Vec<_>>().join(" ")
}

/// A relocation: where, of which kind, to which symbol or section, and the addend.
type Relocation = (u64, String, String, i64);

/// A section that is part of the program.
#[derive(PartialEq, Eq)]
struct Section {
    name: String,
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
}

/// The contents of an object.
struct Sections {
    program: Vec<Section>,
    debug_bytes: u64,
}

impl Sections {
    fn read(path: &Path) -> Result<Sections> {
        let bytes = fs::read(path)?;
        let file = object::File::parse(&*bytes).with_context(|| path.display().to_string())?;
        let (mut program, mut debug_bytes) = (Vec::new(), 0);
        for section in file.sections() {
            let name = section.name()?.to_owned();
            // Symbols have other numbers where sections of debug information have symbols, too.
            let is_table = section.kind() == SectionKind::Metadata;
            if name.starts_with(".debug_") {
                debug_bytes += section.size();
            } else if !is_table && !name.contains(".debug_") && section.size() > 0 {
                program.push(Section {
                    name,
                    bytes: section.data()?.to_vec(),
                    relocations: relocations(&file, &section)?,
                });
            }
        }
        Ok(Sections { program, debug_bytes })
    }

    /// The name of a section that is not the same in another object.
    fn first_difference<'a>(&'a self, other: &'a Sections) -> Option<&'a str> {
        let count = self.program.len().max(other.program.len());
        let at = (0..count).find(|&at| self.program.get(at) != other.program.get(at))?;
        let section = self.program.get(at).or_else(|| other.program.get(at))?;
        Some(&section.name)
    }
}

fn relocations(file: &object::File<'_>, section: &object::Section<'_, '_>) -> Result<Vec<Relocation>> {
    let mut found = Vec::new();
    for (offset, relocation) in section.relocations() {
        let target = match relocation.target() {
            RelocationTarget::Symbol(index) => {
                let symbol = file.symbol_by_index(index)?;
                match symbol.section_index().filter(|_| symbol.kind() == SymbolKind::Section) {
                    Some(section) => file.section_by_index(section)?.name()?.to_owned(),
                    None => symbol.name()?.to_owned(),
                }
            }
            other => format!("{other:?}"),
        };
        found.push((offset, format!("{:?}", relocation.flags()), target, relocation.addend()));
    }
    Ok(found)
}
