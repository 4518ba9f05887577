//! `; test object`: what the object file of the module contains, as a list, for each target of the case.

use super::{Check, parsed, target, target_parts};
use crate::runner::bless;
use crate::runner::case::{Case, Test};
use crate::runner::executors::compiled::compile;
use frazil::RelocationModel;
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SymbolFlags, SymbolSection};
use std::fmt::Write;

pub const CHECK: Check = Check {
    name: "object",
    parts: target_parts,
    run,
};

fn run(case: &Case, _: &Test, part: &str) -> Result<(), String> {
    let (module, functions) = parsed(&case.source)?;
    let bytes = compile(&module, &functions, target(part)?, RelocationModel::Pic)?;
    let list = list(&bytes).map_err(|error| error.to_string())?;
    bless::output(case, &format!("object {part}"), &list)
}

/// Sections with their relocations, then symbols.
fn list(bytes: &[u8]) -> object::Result<String> {
    let file = object::File::parse(bytes)?;
    let mut text = String::new();
    for section in file.sections() {
        let (name, size, align) = (section.name()?, section.size(), section.align());
        let _ = writeln!(
            text,
            "section {name}: {:?}, {size} bytes, align {align}",
            section.kind()
        );
        for (offset, relocation) in section.relocations() {
            let target = match relocation.target() {
                RelocationTarget::Symbol(index) => symbol_name(&file, index)?,
                other => format!("{other:?}"),
            };
            let _ = writeln!(
                text,
                "  {offset:#x}: {:?} {target} {:+}",
                relocation.flags(),
                relocation.addend()
            );
        }
    }
    for symbol in file
        .symbols()
        .filter(|symbol| !symbol.name().unwrap_or_default().is_empty())
    {
        let place = match symbol.section() {
            SymbolSection::Section(index) => file.section_by_index(index)?.name()?.to_owned(),
            other => format!("{other:?}"),
        };
        let flags = match symbol.flags() {
            SymbolFlags::Elf { st_info, st_other } => format!("info {st_info:#x}, other {st_other}"),
            other => format!("{other:?}"),
        };
        let (name, address, size) = (symbol.name()?, symbol.address(), symbol.size());
        let _ = writeln!(text, "symbol {name}: {place} at {address:#x}, {size} bytes, {flags}");
    }
    Ok(text)
}

/// A symbol's name, or that of its section.
fn symbol_name(file: &object::File<'_>, index: object::SymbolIndex) -> object::Result<String> {
    let symbol = file.symbol_by_index(index)?;
    let name = symbol.name()?;
    match symbol.section_index() {
        Some(section) if name.is_empty() => Ok(file.section_by_index(section)?.name()?.to_owned()),
        _ => Ok(name.to_owned()),
    }
}
