//! The native reader against LLVM: the same module read by both, and what both say of it compared.
//!
//! Each module is a test of its own: those of the repository, and those that `cargo xtask corpus` has made in
//! `<target>/corpus`. [`view`] is what is compared, and how strictly; [`llvm`] and [`native`] fill it, each without
//! knowing the other.

mod constants;
mod llvm;
mod native;
mod view;

use libtest_mimic::{Arguments, Failed, Trial};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate is a folder of the workspace");
    // Cargo's folder for the files of tests lies in its target folder.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .expect("it has a parent");
    let folders = [
        ("modules", root.join("tests/modules")),
        ("bitcode", root.join("tests/filetests/bitcode")),
        ("corpus", target.join("corpus")),
    ];
    let trials = folders
        .iter()
        .flat_map(|(kind, folder)| {
            modules(folder).into_iter().map(move |path| {
                let name = format!("{kind}/{}", path.file_name().unwrap_or_default().display());
                Trial::test(name, move || check(&path))
            })
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Files whose intrinsics the native reader makes other instructions of, so that there is nothing to compare. What it
/// makes of them is a file test.
const EXPANDED: [&str; 3] = ["vector-intrinsics.bc", "vector-library.bc", "vector-predicated.bc"];

/// The bitcode files of a folder, in the order of their names; none if there is no such folder.
fn modules(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bc"))
        .filter(|path| EXPANDED.iter().all(|expanded| !path.ends_with(expanded)))
        .collect();
    files.sort();
    files
}

fn check(path: &Path) -> Result<(), Failed> {
    let bytes = fs::read(path)?;
    let native = native::view(&bytes)?;
    let llvm = llvm::view(&bytes)?;
    let differences = view::differences(&llvm, &native);
    if differences.is_empty() {
        return Ok(());
    }
    const SHOWN: usize = 20;
    let shown = differences[..differences.len().min(SHOWN)].join("\n");
    Err(format!("{} differences, such as\n{shown}", differences.len()).into())
}
