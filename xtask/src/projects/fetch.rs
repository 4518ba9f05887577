//! The sources of projects: Debian's by `apt-get source`, those of crates through cargo.
//!
//! Sources come from the system's own package source, with a state of apt's that lies in the target folder, so that
//! nothing of the system changes.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::list::{Origin, Project};
use crate::corpus::{Package, fetch};
use crate::process;

/// Unpacking the largest source takes a minute.
const UNPACK_LIMIT: Duration = Duration::from_secs(600);

/// Gets the source of a project and returns its folder.
pub fn fetch(project: &Project, folder: &Path) -> Result<PathBuf> {
    for tool in project.tools {
        let found = env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|dir| dir.join(tool).is_file()));
        ensure!(found, "`{tool}` was not found, which {} is built with", project.name);
    }
    let unpacked = folder.join("source").join(project.name);
    if unpacked.join(".complete").is_file() {
        return Ok(unpacked);
    }
    match project.origin {
        Origin::Debian => fetch_from_debian(project.name, folder, &unpacked)?,
        Origin::Crate(version) => fetch_crate(project.name, version, folder, &unpacked)?,
    }
    fs::write(unpacked.join(".complete"), "")?;
    Ok(unpacked)
}

/// Copies a crate's sources, and keeps its manifest apart from this workspace.
pub fn fetch_crate(name: &'static str, version: &'static str, folder: &Path, unpacked: &Path) -> Result<()> {
    let package = Package { name, version };
    let folders = fetch::fetch_packages(&folder.join("crates"), [&package].into_iter())?;
    let source = folders.get(name).context("cargo does not know the crate")?;
    let _ = fs::remove_dir_all(unpacked);
    fs::create_dir_all(unpacked.parent().context("a folder")?)?;
    process::checked(Command::new("cp").arg("-r").arg(source).arg(unpacked))?;
    let manifest = unpacked.join("Cargo.toml");
    let text = fs::read_to_string(&manifest)?;
    fs::write(manifest, text + "\n[workspace]\n")?;
    Ok(())
}

/// Unpacks some folders of the upstream part of a source package, in the version of Debian's development branch, and
/// returns the folder that they are in.
pub fn fetch_files(name: &str, folders: &[&str], folder: &Path) -> Result<PathBuf> {
    let unpacked = folder.join("source").join(name);
    if unpacked.join(".complete").is_file() {
        return Ok(unpacked);
    }
    let found = download(name, folder, Some("sid"), &["--tar-only"])?;
    let archive = found
        .iter()
        .find(|path| path.to_string_lossy().contains(".orig.tar."))
        .context("apt-get gave no upstream part of the source")?;
    let _ = fs::remove_dir_all(&unpacked);
    fs::create_dir_all(&unpacked)?;
    let mut unpack = Command::new("tar");
    unpack.args(["--strip-components=1", "--wildcards", "-xf"]).arg(archive);
    unpack.arg("-C").arg(&unpacked);
    unpack.args(folders.iter().map(|folder| format!("*/{folder}/*")));
    ensure!(
        process::run(&mut unpack, UNPACK_LIMIT)?.success(),
        "tar cannot unpack {}",
        archive.display()
    );
    fs::write(unpacked.join(".complete"), "")?;
    Ok(unpacked)
}

/// Downloads the source of a package and returns the files, from a suite or those that the system uses.
fn download(name: &str, folder: &Path, suite: Option<&str>, more: &[&str]) -> Result<Vec<PathBuf>> {
    let state = folder.join("apt");
    let options = apt_options(&state, suite)?;
    if !state.join("updated").is_file() {
        process::checked(Command::new("apt-get").args(&options).arg("update"))?;
        fs::write(state.join("updated"), "")?;
    }
    let download = folder.join("download").join(name);
    let _ = fs::remove_dir_all(&download);
    fs::create_dir_all(&download)?;
    let mut source = Command::new("apt-get");
    source
        .args(&options)
        .args(["--download-only", "source", name])
        .args(more);
    process::checked(source.current_dir(&download))?;
    Ok(fs::read_dir(&download)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect())
}

/// Downloads and unpacks the source of a package.
fn fetch_from_debian(name: &str, folder: &Path, unpacked: &Path) -> Result<()> {
    let found = download(name, folder, None, &[])?;
    let description = found
        .iter()
        .find(|path| path.extension().is_some_and(|extension| extension == "dsc"))
        .context("apt-get gave no description of the source")?;
    let _ = fs::remove_dir_all(unpacked);
    fs::create_dir_all(unpacked.parent().context("a folder")?)?;
    let mut unpack = Command::new("dpkg-source");
    unpack.args(["--no-check", "-x"]).arg(description).arg(unpacked);
    process::checked(&mut unpack)?;
    Ok(())
}

/// Options that give apt a state of its own, in which the system's source of packages is one of sources, too, or
/// instead one of another suite's sources.
fn apt_options(state: &Path, suite: Option<&str>) -> Result<Vec<OsString>> {
    let lists = state.join("sources");
    for path in ["state/lists/partial", "cache/archives/partial", "sources"] {
        fs::create_dir_all(state.join(path))?;
    }
    let mut found = false;
    for (place, name) in [
        ("/etc/apt/sources.list.d/debian.sources", "system.sources"),
        ("/etc/apt/sources.list", "system.list"),
    ] {
        if let Ok(text) = fs::read_to_string(place) {
            let text = match suite {
                Some(suite) => of_suite(&text, suite),
                None => text,
            };
            let text: String = text.lines().map(of_sources).collect();
            found |= text.contains("deb-src");
            fs::write(lists.join(name), text)?;
        }
    }
    if !found {
        bail!("apt's sources of packages were not found where Debian has them");
    }
    let set = |name: &str, path: &Path| {
        let mut value = OsString::from(format!("{name}="));
        value.push(path);
        ["-o".into(), value]
    };
    Ok([
        set("Dir::State", &state.join("state")),
        set("Dir::State::status", Path::new("/var/lib/dpkg/status")),
        set("Dir::Cache", &state.join("cache")),
        set("Dir::Etc::sourcelist", Path::new("/dev/null")),
        set("Dir::Etc::sourceparts", &lists),
    ]
    .concat())
}

/// A list of package sources for another suite, without those that have security updates only.
fn of_suite(text: &str, suite: &str) -> String {
    let of_line = |line: &str| {
        let mut words = line.split(' ');
        match (words.next(), words.next()) {
            (Some("Suites:"), _) => format!("Suites: {suite}\n"),
            (Some("deb"), Some(place)) => format!("deb {place} {suite} main\n"),
            _ => format!("{line}\n"),
        }
    };
    let paragraphs = text.split("\n\n").filter(|paragraph| !paragraph.contains("-security"));
    paragraphs
        .map(|paragraph| paragraph.lines().map(of_line).collect::<String>() + "\n")
        .collect()
}

/// A line of a list of package sources, for sources instead of programs.
fn of_sources(line: &str) -> String {
    let line = match line.strip_prefix("deb ") {
        Some(rest) => format!("deb-src {rest}"),
        None => line
            .replace("Types: deb", "Types: deb-src")
            .replace("deb-src-src", "deb-src"),
    };
    line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_rewritten_for_a_suite() {
        let text = "Types: deb\nURIs: http://x/\nSuites: a a-updates\n\nTypes: deb\nSuites: a-security\n";
        assert_eq!(of_suite(text, "sid"), "Types: deb\nURIs: http://x/\nSuites: sid\n\n");
        assert_eq!(of_suite("deb http://x/ a main", "sid"), "deb http://x/ sid main\n\n");
    }

    #[test]
    fn lists_of_packages_become_lists_of_sources() {
        assert_eq!(of_sources("deb http://x y z"), "deb-src http://x y z\n");
        assert_eq!(of_sources("Types: deb"), "Types: deb-src\n");
        assert_eq!(of_sources("Types: deb deb-src"), "Types: deb-src deb-src\n");
        assert_eq!(of_sources("URIs: http://deb.x/"), "URIs: http://deb.x/\n");
    }
}
