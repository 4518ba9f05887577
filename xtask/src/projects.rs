//! Builds whole projects from Debian's sources with `frazil-cc` and `frazil-c++` as their compilers, and runs their own
//! tests.
//!
//! Sources come by `apt-get source` from the system's own package source, with a state of apt's that lies in the target
//! folder, so that nothing of the system changes. Each project is built at -O0 and at -O2 without vectorizers, without
//! the wrapper's fallback: one file that Frazil refuses fails the build.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use pico_args::Arguments;

use crate::{process, workspace};

/// A project: how it is configured, built and tested, in its own folder, with `CC`, `CXX`, `CFLAGS` and
/// `CXXFLAGS` in the environment.
struct Project {
    /// The name of the source package.
    name: &'static str,
    /// What has to be installed.
    tools: &'static [&'static str],
    /// Shell commands.
    steps: &'static [&'static str],
}

const PROJECTS: &[Project] = &[
    Project {
        name: "zlib",
        tools: &["make"],
        steps: &["./configure", "make", "make check"],
    },
    Project {
        name: "libyaml",
        tools: &["make", "cmake", "ctest"],
        steps: &[
            "cmake -S . -B build",
            "cmake --build build",
            "ctest --test-dir build --output-on-failure",
        ],
    },
    // Keeps its last error in a thread's own memory.
    Project {
        name: "json-c",
        tools: &["make", "cmake", "ctest"],
        steps: &[
            "cmake -S . -B build -DDISABLE_WERROR=ON",
            "cmake --build build",
            "ctest --test-dir build --output-on-failure",
        ],
    },
    // C++ with exceptions; the second half of its tests reads and writes files.
    Project {
        name: "libjsoncpp",
        tools: &["make", "cmake", "ctest", "python3"],
        steps: &[
            "cmake -S . -B build -DJSONCPP_WITH_POST_BUILD_UNITTEST=OFF",
            "cmake --build build",
            "ctest --test-dir build --output-on-failure",
        ],
    },
];

/// The levels of optimization, with what keeps LLVM from making vectors.
const LEVELS: [(&str, &str); 2] = [("O0", "-O0"), ("O2", "-O2 -fno-vectorize -fno-slp-vectorize")];

/// Runs `cargo xtask projects [FILTER]`.
pub fn command(mut arguments: Arguments) -> Result<bool> {
    let filter: Option<String> = arguments.opt_free_from_str()?;
    let rest = arguments.finish();
    ensure!(rest.is_empty(), "unexpected argument `{}`", rest[0].to_string_lossy());
    let folder = workspace::target_dir().join("projects");
    let compilers = compilers(&folder)?;
    let (mut passed, mut failed) = (0, 0);
    for project in PROJECTS {
        if filter
            .as_ref()
            .is_some_and(|filter| !project.name.contains(filter.as_str()))
        {
            continue;
        }
        let source = fetch(project, &folder)?;
        for (name, flags) in LEVELS {
            let copy = folder.join(format!("{}-{name}", project.name));
            match build(project, &source, &copy, &compilers, flags) {
                Ok(seconds) => {
                    println!("{:<12} {name}  ok, {seconds:.1} s", project.name);
                    passed += 1;
                }
                Err(error) => {
                    println!("{:<12} {name}  FAILED\n{error:#}", project.name);
                    failed += 1;
                }
            }
        }
    }
    ensure!(passed + failed > 0, "no project of that name");
    println!("projects: {passed} passed, {failed} failed");
    Ok(failed == 0)
}

/// A release build of the wrapper, by both of its names: for C and for C++.
fn compilers(folder: &Path) -> Result<[PathBuf; 2]> {
    let mut build = workspace::cargo();
    build.args(["build", "--quiet", "--release", "--package", "frazil-cc"]);
    process::checked(&mut build)?;
    let compiler = workspace::target_dir().join("release/frazil-cc");
    let plus_plus = folder.join("bin/frazil-c++");
    fs::create_dir_all(folder.join("bin"))?;
    let _ = fs::remove_file(&plus_plus);
    std::os::unix::fs::symlink(&compiler, &plus_plus)?;
    Ok([compiler, plus_plus])
}

/// Gets the source of a project and returns its folder.
fn fetch(project: &Project, folder: &Path) -> Result<PathBuf> {
    for tool in project.tools {
        let found = env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|dir| dir.join(tool).is_file()));
        ensure!(found, "`{tool}` was not found, which {} is built with", project.name);
    }
    let unpacked = folder.join("source").join(project.name);
    if unpacked.join(".complete").is_file() {
        return Ok(unpacked);
    }
    let state = folder.join("apt");
    let options = apt_options(&state)?;
    if !state.join("updated").is_file() {
        process::checked(Command::new("apt-get").args(&options).arg("update"))?;
        fs::write(state.join("updated"), "")?;
    }
    let download = folder.join("download").join(project.name);
    let _ = fs::remove_dir_all(&download);
    fs::create_dir_all(&download)?;
    let mut source = Command::new("apt-get");
    source.args(&options).args(["--download-only", "source", project.name]);
    process::checked(source.current_dir(&download))?;
    let description = fs::read_dir(&download)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "dsc"))
        .context("apt-get gave no description of the source")?;
    let _ = fs::remove_dir_all(&unpacked);
    fs::create_dir_all(unpacked.parent().context("a folder")?)?;
    let mut unpack = Command::new("dpkg-source");
    unpack.args(["--no-check", "-x"]).arg(description).arg(&unpacked);
    process::checked(&mut unpack)?;
    fs::write(unpacked.join(".complete"), "")?;
    Ok(unpacked)
}

/// Options that give apt a state of its own, in which the system's source of packages is one of sources, too.
fn apt_options(state: &Path) -> Result<Vec<OsString>> {
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

/// Builds a fresh copy and runs its tests; returns the seconds that all of it took.
fn build(project: &Project, source: &Path, copy: &Path, compilers: &[PathBuf; 2], flags: &str) -> Result<f64> {
    let _ = fs::remove_dir_all(copy);
    process::checked(Command::new("cp").arg("-a").arg(source).arg(copy))?;
    let start = std::time::Instant::now();
    for step in project.steps {
        let mut shell = Command::new("sh");
        shell.args(["-c", step]).current_dir(copy);
        shell
            .env("CC", &compilers[0])
            .env("CXX", &compilers[1])
            .env("CFLAGS", flags)
            .env("CXXFLAGS", flags)
            .env_remove("FRAZIL_CC_FALLBACK");
        process::checked(&mut shell).with_context(|| format!("`{step}` in {}", copy.display()))?;
    }
    Ok(start.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_packages_become_lists_of_sources() {
        assert_eq!(of_sources("deb http://x y z"), "deb-src http://x y z\n");
        assert_eq!(of_sources("Types: deb"), "Types: deb-src\n");
        assert_eq!(of_sources("Types: deb deb-src"), "Types: deb-src deb-src\n");
        assert_eq!(of_sources("URIs: http://deb.x/"), "URIs: http://deb.x/\n");
    }
}
