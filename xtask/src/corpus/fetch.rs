//! Gets the C code from the package registry through cargo, at the time it is needed; nothing of it is in this
//! repository.
//!
//! A scratch project that depends on all packages is written into the target folder, and `cargo metadata` fetches
//! them (checking their checksums) and says where they lie.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::Package;
use crate::{process, workspace};

/// Fetches `packages` through the scratch project in `project` and returns the folder of each by name.
pub fn fetch_packages<'a>(
    project: &Path,
    packages: impl Iterator<Item = &'a Package>,
) -> Result<BTreeMap<String, PathBuf>> {
    write_project(project, packages, "")?;
    let mut command = workspace::cargo();
    command
        .args(["metadata", "--quiet", "--format-version", "1", "--manifest-path"])
        .arg(project.join("Cargo.toml"));
    let outcome = process::checked(&mut command)?;
    package_folders(&outcome.stdout).context("reading what `cargo metadata` says")
}

/// Writes a project with one library, whose code is `code`, that depends on `packages`. The `[workspace]` in its
/// manifest keeps it apart from this one.
pub fn write_project<'a>(project: &Path, packages: impl Iterator<Item = &'a Package>, code: &str) -> Result<()> {
    let mut manifest =
        String::from("[package]\nname = \"corpus-sources\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n");
    for package in packages {
        // What follows a plus sign tells people what is inside; cargo takes no notice of it.
        let version = package.version.split('+').next().unwrap_or_default();
        writeln!(manifest, "{} = \"={version}\"", package.name)?;
    }
    fs::create_dir_all(project.join("src"))?;
    fs::write(project.join("src/lib.rs"), code)?;
    fs::write(project.join("Cargo.toml"), manifest)?;
    Ok(())
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
