//! Forms of records that only LLVM 3.0 to 3.7 wrote, one difference at a time: each is read like the module that LLVM
//! 22 writes of the text beside it, or refused as LLVM 22 refuses it.
//!
//! That a form is genuine LLVM's own reader says: `llvm-dis-22` gives the same text for both modules, but for the names
//! of the files.

mod cases;
mod maker;
mod refused;

use frazil_frontend_pnacl::{BitcodeModule, FunctionReader, ReadError, ReadOptions};
use frazil_ir::{EntityRef, FuncId, Function, verify};
use frazil_test_support::{Folder, run};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A difference: how an old version wrote something, and the text of it for today's.
pub struct Case {
    pub name: &'static str,
    /// Makes the module for a version of module records: 0 or 1.
    pub old: fn(u64) -> Vec<u8>,
    pub today: &'static str,
}

/// Module and functions as text, without what names files, intrinsics and nothing else.
fn read(bytes: &[u8]) -> Result<String, ReadError> {
    let opened = BitcodeModule::open(bytes, &ReadOptions::new(&|_| None))?;
    let mut reader = FunctionReader::new(&opened);
    let mut functions = Vec::new();
    for index in 0..opened.module().functions.len() {
        let mut function = Function::new();
        reader.read(FuncId::new(index), &mut function)?;
        functions.push(function);
    }
    let mut text = String::new();
    frazil_ir::text::print_module(opened.module(), &functions, &mut text).expect("strings can be written");
    Ok(lines_without(&text, &["source ", "symbol @llvm."]))
}

fn lines_without(text: &str, starts: &[&str]) -> String {
    let is_left = |line: &&str| !starts.iter().any(|start| line.starts_with(start));
    text.lines().filter(is_left).map(|line| format!("{line}\n")).collect()
}

/// What LLVM reads.
fn disassembled(path: &Path) -> String {
    let output = run(Command::new("llvm-dis-22").arg("-o").arg("-").arg(path));
    lines_without(
        &String::from_utf8_lossy(&output),
        &["; ModuleID", "source_filename", "target datalayout"],
    )
}

#[test]
fn old_forms_are_read_like_what_is_written_today() {
    let folder = Folder::new("old-forms");
    let (old, today) = (folder.path("old.bc"), folder.path("today.bc"));
    let mut wrong = Vec::new();
    for case in cases::ALL.iter().copied().flatten() {
        fs::write(folder.path("today.ll"), case.today).expect("the folder is there");
        run(Command::new("llvm-as-22")
            .arg(folder.path("today.ll"))
            .arg("-o")
            .arg(&today));
        let written = fs::read(&today).expect("llvm-as-22 has written it");
        let expected = read(&written).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let expected_by_llvm = disassembled(&today);
        for version in [0, 1] {
            let made = (case.old)(version);
            fs::write(&old, &made).expect("the folder is there");
            let name = format!("{}, version {version}", case.name);
            let found = disassembled(&old);
            if found != expected_by_llvm {
                wrong.push(format!("{name}: LLVM reads\n{found}and not\n{expected_by_llvm}"));
            }
            match read(&made) {
                Ok(found) if found == expected => {}
                Ok(found) => wrong.push(format!("{name}:\n{found}and not\n{expected}")),
                Err(error) => wrong.push(format!("{name}: {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_llvm_refuses_is_refused_by_name() {
    let folder = Folder::new("old-forms-refused");
    let old = folder.path("old.bc");
    for &(name, make, message) in refused::ALL {
        for version in [0, 1] {
            let made = make(version);
            fs::write(&old, &made).expect("the folder is there");
            let output = Command::new("llvm-dis-22").arg("-o").arg("-").arg(&old).output();
            let output = output.expect("LLVM's tools are installed");
            assert!(!output.status.success(), "{name}: LLVM reads it");
            let error = read(&made).expect_err(name);
            assert!(error.to_string().contains(message), "{name}: {error}");
        }
    }
}

/// Damaged modules are refused, or functions that are read of them are well-formed.
#[test]
fn damaged_modules_do_no_harm() {
    let mut read_once = 0;
    // The text of inline assembly may become the operand of anything.
    let has_no_text = |case: &&Case| !case.name.starts_with("inline assembly");
    for case in cases::ALL.iter().copied().flatten().filter(has_no_text) {
        for version in [0, 1] {
            let made = (case.old)(version);
            for bit in 32..made.len() * 8 {
                let mut damaged = made.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                read_once += usize::from(reads(&damaged));
            }
            for length in (4..made.len()).step_by(4) {
                reads(&made[..length]);
            }
        }
    }
    assert!(read_once > 0, "no damage was without consequences");
}

/// Whether all functions of a module are read; they are verified.
fn reads(bytes: &[u8]) -> bool {
    let Ok(opened) = BitcodeModule::open(bytes, &ReadOptions::new(&|_| None)) else {
        return false;
    };
    let mut reader = FunctionReader::new(&opened);
    let mut function = Function::new();
    let mut all = true;
    for index in 0..opened.module().functions.len() {
        match reader.read(FuncId::new(index), &mut function) {
            Ok(()) => verify::verify_function(opened.module(), &function).expect("what is read is well-formed"),
            Err(_) => all = false,
        }
    }
    all
}
