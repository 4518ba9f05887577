//! What is looked at in the objects of one module: they are valid, tools read them without a warning, and they are the
//! same program as without debug information.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionFlags, SectionKind, SymbolKind};

use super::subjects::Subject;
use crate::compiler::{Compiler, LlcLevel};
use crate::corpus::Level;
use crate::{machine, process, workspace};

/// More than this is a hang; the verifier takes minutes for the largest modules on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(1800);

/// What became of a module under a recipe.
#[derive(Debug)]
pub enum Checked {
    /// The bytes of the debug sections.
    Good(u64),
    /// Frazil refuses the module, with debug information and without.
    Refused(String),
    Bad(String),
}

/// Compiles a module by each compiler and looks at the objects, which it makes in `dir`; llc's is in `kept`.
pub fn check(
    subject: &Subject,
    bitcode: &Path,
    compilers: &[Compiler],
    dir: &Path,
    kept: &Path,
) -> Result<Vec<Checked>> {
    let mut found = Vec::new();
    let mut objects = Vec::new();
    for compiler in compilers {
        let object = dir.join(format!("{}.o", compiler.name()));
        let checked = same_program(bitcode, compiler, &object, &dir.join("without.o"))?;
        if let Checked::Good(_) = checked {
            objects.push((found.len(), object));
        }
        found.push(checked);
    }
    let all: Vec<&Path> = objects.iter().map(|row| row.1.as_path()).collect();
    if all.is_empty() || (refused_by_verifier(&all)?.is_none() && warnings(&all)?.is_empty()) {
        return Ok(found);
    }
    let mut usual = None;
    for (number, object) in &objects {
        if let Some(complaint) = complaint(subject, bitcode, object, kept, &mut usual)? {
            found[*number] = Checked::Bad(complaint);
        }
    }
    Ok(found)
}

/// Whether the program is the same with debug information as without.
fn same_program(bitcode: &Path, compiler: &Compiler, with: &Path, without: &Path) -> Result<Checked> {
    let mut errors = Vec::new();
    for (compiler, output) in [
        (compiler.clone(), with),
        (compiler.with_option("--strip-debug"), without),
    ] {
        let outcome = process::run(&mut compiler.command(bitcode, output)?, TIME_LIMIT)?;
        if !outcome.success() {
            errors.push(outcome.first_error_line());
        }
    }
    if let [first, rest @ ..] = errors.as_slice() {
        let is_refused = rest == [first.clone()] && first.contains("not supported");
        return Ok(match is_refused {
            true => Checked::Refused(first.clone()),
            false => Checked::Bad(first.clone()),
        });
    }
    let (ours, plain) = (Sections::read(with)?, Sections::read(without)?);
    if plain.debug_bytes > 0 {
        return Ok(Checked::Bad("debug sections in spite of --strip-debug".to_owned()));
    }
    Ok(match ours.first_difference(&plain) {
        Some(name) => Checked::Bad(format!("section {name} is not that without debug information")),
        None => Checked::Good(ours.debug_bytes),
    })
}

/// What is wrong with an object that tools do not warn of in llc's, too, whose warnings are `usual`.
fn complaint(
    subject: &Subject,
    bitcode: &Path,
    object: &Path,
    dir: &Path,
    usual: &mut Option<Vec<String>>,
) -> Result<Option<String>> {
    if let Some(complaint) = refused_by_verifier(&[object])? {
        return Ok(Some(complaint));
    }
    for warning in warnings(&[object])? {
        let usual = match usual {
            Some(usual) => usual,
            None => usual.insert(warnings(&[&reference(subject, bitcode, dir)?])?),
        };
        let same = |other: &String| without_numbers(other) == without_numbers(&warning);
        if !usual.iter().any(same) {
            return Ok(Some(warning));
        }
    }
    Ok(None)
}

/// The bytes of the debug sections of an object.
pub fn debug_bytes(object: &Path) -> Result<u64> {
    Ok(Sections::read(object)?.debug_bytes)
}

/// llc's object, which is made once where it is known what the bitcode depends on.
pub fn reference(subject: &Subject, bitcode: &Path, dir: &Path) -> Result<PathBuf> {
    let level = match subject.level {
        Level::O0Debug => LlcLevel::O0,
        _ => LlcLevel::O2,
    };
    let (object, recipe) = (
        dir.join(subject.name.clone() + ".o"),
        dir.join(subject.name.clone() + ".recipe"),
    );
    let wanted = match &subject.recipe_file {
        Some(file) => fs::read(file)?,
        None => fs::read(bitcode)?,
    };
    if fs::read(&recipe).ok().as_ref() != Some(&wanted) {
        process::checked(&mut Compiler::Llc(level).command(bitcode, &object)?)?;
        fs::write(&recipe, wanted)?;
    }
    Ok(object)
}

/// What LLVM's verifier finds in objects, if it finds anything.
fn refused_by_verifier(objects: &[&Path]) -> Result<Option<String>> {
    let mut verify = workspace::llvm_tool("llvm-dwarfdump-22")?;
    let verified = process::run(verify.args(["--quiet", "--verify"]).args(objects), TIME_LIMIT)?;
    if verified.success() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&verified.stdout).into_owned();
    let line = text.lines().find(|line| line.contains("error")).unwrap_or("no reason");
    Ok(Some(format!("llvm-dwarfdump --verify: {line}")))
}

/// What the tools of users say against objects.
fn warnings(objects: &[&Path]) -> Result<Vec<String>> {
    // Nobody reads what it shows, which is too much to keep.
    let mut readelf = Command::new("sh");
    readelf
        .args(["-c", "exec \"$0\" --debug-dump=\"$@\" >/dev/null"])
        .arg(machine::utility("readelf"))
        .arg("info,abbrev,decodedline,loc,Ranges,aranges,str")
        .args(objects);
    let mut gdb = Command::new(machine::current().debugger);
    gdb.args(["-nx", "-batch"]);
    for object in objects {
        gdb.args(["-ex", &format!("file {}", object.display())]);
        gdb.args(["-ex", "maintenance expand-symtabs"]);
    }
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
            // Rust's names of scripts for gdb are data of the program in a section with such a name.
            let is_loaded = match section.flags() {
                SectionFlags::Elf { sh_flags, .. } => sh_flags.contains(object::elf::SHF_ALLOC),
                _ => false,
            };
            let is_debug = name.contains(".debug_") && !is_loaded;
            // Symbols have other numbers where sections of debug information have symbols, too.
            let is_table = section.kind() == SectionKind::Metadata;
            if is_debug {
                debug_bytes += if is_table { 0 } else { section.size() };
            } else if !is_table && section.size() > 0 {
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
