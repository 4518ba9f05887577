//! Every committed module, read as if pointers had 32 bits: what is read must be IR that the verifier accepts, so no
//! width of a distance, a size or an address is taken for granted.
//!
//! Nothing is compiled: no target has such pointers yet. A module may say things that only hold with wider pointers
//! (`llvm.ptrmask` with a mask of 64 bits, lists of variable arguments); such functions are refused, and counted
//! against a limit.

use frazil_frontend_pnacl::{BitcodeModule, FunctionReader, ReadOptions};
use frazil_ir::{Function, verify};
use std::fs;
use std::path::{Path, PathBuf};

/// The layout of x86-64 with pointers and integers of a narrower machine.
const LAYOUT: &str = "e-m:e-p:32:32-i64:64-i128:128-f80:128-n8:16:32-S128";

/// How many of a thousand functions that are read with wide pointers must be read with narrow ones.
const LEAST_PER_MILLE: usize = 985;

/// How many modules there are at least.
const LEAST_MODULES: usize = 40;

/// What became of the functions of a module, or of several.
#[derive(Default)]
struct Outcome {
    read: usize,
    refused: Vec<String>,
    invalid: Vec<String>,
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("its entries can be read").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "bc") {
            found.push(path);
        }
    }
}

/// Reads a module and verifies it.
fn read(path: &Path, data_layout: Option<&str>) -> Outcome {
    let mut outcome = Outcome::default();
    let bytes = fs::read(path).expect("the module can be read");
    let options = ReadOptions {
        data_layout,
        ..ReadOptions::new(&frazil::platform_of)
    };
    let shown = path.file_name().unwrap_or_default().to_string_lossy();
    let module = match BitcodeModule::open(&bytes, &options) {
        Ok(module) => module,
        Err(error) => {
            outcome.refused.push(format!("{shown}: {error}"));
            return outcome;
        }
    };
    if let Err(errors) = verify::verify_module(module.module()) {
        outcome.invalid.push(format!("{shown}: {}", errors[0]));
    }
    let mut reader = FunctionReader::new(&module);
    let mut function = Function::new();
    for (id, head) in &module.module().functions {
        if let Err(error) = reader.read(id, &mut function) {
            outcome.refused.push(format!("{shown}: {error}"));
            continue;
        }
        outcome.read += 1;
        if let Err(errors) = verify::verify_function(module.module(), &function) {
            let name = module.module().display_name(head.symbol);
            outcome.invalid.push(format!("{shown}: {name}: {}", errors[0]));
        }
    }
    outcome
}

#[test]
fn modules_are_read_with_narrow_pointers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in ["tests", "examples"] {
        collect(&root.join(folder), &mut paths);
    }
    paths.sort();
    assert!(paths.len() >= LEAST_MODULES, "{} modules", paths.len());
    let (mut wide, mut narrow) = (Outcome::default(), Outcome::default());
    for path in &paths {
        for (all, layout) in [(&mut wide, None), (&mut narrow, Some(LAYOUT))] {
            let outcome = read(path, layout);
            all.read += outcome.read;
            all.refused.extend(outcome.refused);
            all.invalid.extend(outcome.invalid);
        }
    }
    eprintln!(
        "{} modules: {} functions with wide pointers, {} with narrow ones, which also refuse {}",
        paths.len(),
        wide.read,
        narrow.read,
        narrow.refused.join("\n")
    );
    assert!(wide.invalid.is_empty(), "{}", wide.invalid.join("\n"));
    assert!(narrow.invalid.is_empty(), "{}", narrow.invalid.join("\n"));
    assert!(narrow.read * 1000 >= wide.read * LEAST_PER_MILLE, "too few are read");
}
