//! Gets the C code from the package registry through cargo, at the time it is needed; nothing of it is in this
//! repository.
//!
//! A scratch project that depends on every package of the table is written into the target folder, and
//! `cargo metadata` fetches the packages (checking their checksums) and says where they lie.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::programs::PROGRAMS;
use crate::{process, workspace};

/// Fetches all packages and returns the folder of each by name.
pub fn fetch_packages(corpus_dir: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let project = corpus_dir.join("sources");
    fs::create_dir_all(project.join("src"))?;
    fs::write(project.join("src/lib.rs"), "")?;
    fs::write(project.join("Cargo.toml"), manifest())?;
    let mut command = workspace::cargo();
    command
        .args(["metadata", "--quiet", "--format-version", "1", "--manifest-path"])
        .arg(project.join("Cargo.toml"));
    let outcome = process::checked(&mut command)?;
    package_folders(&outcome.stdout).context("reading what `cargo metadata` says")
}

/// The scratch project's manifest; `[workspace]` keeps it apart from this one.
fn manifest() -> String {
    let mut text =
        String::from("[package]\nname = \"corpus-sources\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n");
    for package in PROGRAMS.iter().filter_map(|program| program.package.as_ref()) {
        // What follows a plus sign tells people what is inside; cargo takes no notice of it.
        let version = package.version.split('+').next().unwrap_or_default();
        writeln!(text, "{} = \"={version}\"", package.name).expect("a string takes everything");
    }
    text
}

fn package_folders(metadata: &[u8]) -> Result<BTreeMap<String, PathBuf>> {
    let metadata: serde_json::Value = serde_json::from_slice(metadata)?;
    let packages = metadata["packages"].as_array().context("no list of packages")?;
    let mut folders = BTreeMap::new();
    for package in packages {
        let name = package["name"].as_str().context("a package without a name")?;
        let manifest = package["manifest_path"]
            .as_str()
            .context("a package without a manifest")?;
        let folder = Path::new(manifest).parent().context("a manifest without a folder")?;
        folders.insert(name.to_owned(), folder.to_path_buf());
    }
    Ok(folders)
}
