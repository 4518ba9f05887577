//! Where things are: the workspace, its target folder, the tools, and the compiler under test.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use pico_args::Arguments;

use crate::process;

/// The C compiler that makes the corpus.
pub const CLANG: &str = "clang-22";
/// The code generator that Frazil is compared with.
pub const LLC: &str = "llc-22";
/// The second linker that objects are tested with.
pub const LLD: &str = "ld.lld-22";
/// The third one.
pub const MOLD: &str = "mold";
/// Joins the bitcode files of a program to one.
pub const LLVM_LINK: &str = "llvm-link-22";
/// Prints bitcode as text; used to count instructions independently of Frazil.
pub const LLVM_DIS: &str = "llvm-dis-22";
/// The host's C compiler, which links every object, as a user would.
pub const CC: &str = "cc";

/// The compiler whose programs random ones are compared with, too.
pub const GCC: &str = "gcc";

/// The compiler of Rust programs.
pub const RUSTC: &str = "rustc";

/// The options of `llc-22` that every comparison uses, at every optimization level.
pub const LLC_OPTIONS: [&str; 2] = ["-filetype=obj", "-relocation-model=pic"];

/// The workspace's root folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is a folder of the workspace")
        .to_path_buf()
}

/// Cargo's output folder, in which everything that this program makes lies.
pub fn target_dir() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// The cargo that started this program.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Whether a program is in one of the folders of `PATH`.
pub fn is_on_path(name: &str) -> bool {
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|dir| dir.join(name).is_file()))
}

/// An error that says what to install, if a program is not there.
pub fn require(name: &str) -> Result<()> {
    ensure!(
        is_on_path(name),
        "`{name}` was not found; on Debian, `cargo xtask packages` installs it"
    );
    Ok(())
}

/// A command for one of the LLVM tools above, or an error that says what to install.
pub fn llvm_tool(name: &str) -> Result<Command> {
    require(name)?;
    Ok(Command::new(name))
}

/// The compiler under test: the option `--frazil PATH`, or a release build of this workspace.
pub fn frazil(arguments: &mut Arguments) -> Result<PathBuf> {
    let given: Option<OsString> = arguments.opt_value_from_os_str("--frazil", |s| Ok::<_, String>(s.to_owned()))?;
    if let Some(path) = given {
        // Absolute, because some tests start it from another folder.
        return Path::new(&path)
            .canonicalize()
            .with_context(|| format!("--frazil {}", Path::new(&path).display()));
    }
    let mut build = cargo();
    build.args(["build", "--quiet", "--release", "--package", "frazil"]);
    process::checked(&mut build)?;
    Ok(target_dir().join("release/frazil"))
}
