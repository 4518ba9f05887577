//! Whether outputs may be written where they are to go, before anything is compiled.
//!
//! What would destroy an input is refused, whatever name it goes by: files are told apart by device and inode. So are
//! two outputs in one file, objects on a terminal, and files in folders that do not exist. What only the attempt can
//! tell (permissions, full disks) is left to it.

use crate::diagnostics::{Error, Stage, reason};
use crate::input::is_standard_stream;
use crate::options::{Emit, Job};
use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, IsTerminal};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What tells a file from all others, whether it exists or not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identity {
    Existing { device: u64, inode: u64 },
    New { folder: PathBuf, name: PathBuf },
}

/// Refuses jobs that would write what they must not; `split` is the other file of one job.
///
/// # Errors
/// What is wrong with the first such output.
pub(crate) fn check(jobs: &[Job], emit: Emit, split: Option<&Path>) -> Result<(), Error> {
    if emit == Emit::Null {
        return Ok(());
    }
    let wrong = |message: String| Err(Error::new(Stage::Options, message));
    let to_standard = jobs.iter().filter(|job| is_standard_stream(&job.output)).count();
    if let Some(message) = refusal_of_stream(emit, to_standard, std::io::stdout().is_terminal()) {
        return wrong(message.to_owned());
    }
    let inputs = jobs.iter().filter(|job| !is_standard_stream(&job.input));
    let inputs: BTreeMap<Identity, &Job> = inputs
        .filter_map(|job| Some((regular_file(&job.input)?, job)))
        .collect();
    let mut outputs = BTreeMap::new();
    for job in jobs.iter().filter(|job| !is_standard_stream(&job.output)) {
        let output = job.output.display();
        let Some(identity) = identity(&job.output) else {
            // A device or a pipe takes anything; a folder does not exist.
            match no_folder(&job.output) {
                Some(reason) => return wrong(format!("{output}: cannot write the output: {reason}")),
                None => continue,
            }
        };
        if let Some(input) = inputs.get(&identity) {
            let input = input.input.display();
            return wrong(match input.to_string() == output.to_string() {
                true => format!("{output}: the output would replace the input; name another file with -o"),
                false => format!("{output}: the output is the same file as the input {input}; name another with -o"),
            });
        }
        if let Some(other) = outputs.insert(identity, job) {
            let (one, two) = (other.name(), job.name());
            return wrong(match one == two {
                true => format!("{one}: the input is named twice, and would be written to {output} twice"),
                false => format!("{one} and {two} would both be written to {output}"),
            });
        }
    }
    let Some((split, identity)) = split.and_then(|split| Some((split, identity(split)?))) else {
        return Ok(());
    };
    let name = split.display();
    match () {
        () if jobs.len() > 1 => wrong(format!("{name}: several inputs have their debug information there")),
        () if inputs.contains_key(&identity) => wrong(format!("{name}: debug information would replace the input")),
        () if outputs.contains_key(&identity) => wrong(format!("{name}: debug information would replace the output")),
        () => Ok(()),
    }
}

/// Why outputs of a kind do not go to standard output, so many of them and if it is a terminal.
fn refusal_of_stream(emit: Emit, count: usize, is_terminal: bool) -> Option<&'static str> {
    match (emit, count) {
        (_, 0) => None,
        (Emit::Obj, 2..) => {
            Some("several objects on standard output are no object file; name a folder with -o FOLDER/")
        }
        (Emit::Pexe, 2..) => Some("several executables on standard output are none; name a folder with -o FOLDER/"),
        (Emit::Pexe, 1) if is_terminal => {
            Some("an executable is not written to a terminal: name a file with -o, or send standard output to one")
        }
        (Emit::Obj, 1) if is_terminal => Some(
            "an object is not written to a terminal: name a file with -o, send standard output to one, or write text \
             with --emit asm",
        ),
        _ => None,
    }
}

/// What tells a regular file that exists from others.
fn regular_file(path: &Path) -> Option<Identity> {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some(Identity::Existing {
        device: metadata.dev(),
        inode: metadata.ino(),
    })
}

/// What tells a file from others; nothing for devices, pipes, and where there is no folder for it.
fn identity(path: &Path) -> Option<Identity> {
    if path.exists() {
        return regular_file(path);
    }
    Some(Identity::New {
        folder: fs::canonicalize(folder_of(path))
            .ok()
            .filter(|folder| folder.is_dir())?,
        name: PathBuf::from(path.file_name()?),
    })
}

/// Why there is no folder for a file, if there is none.
fn no_folder(path: &Path) -> Option<String> {
    let folder = folder_of(path);
    match fs::metadata(folder) {
        Ok(metadata) if !metadata.is_dir() => Some(format!("{} is no folder", folder.display())),
        Err(error) if error.kind() == ErrorKind::NotFound => Some(format!("there is no folder {}", folder.display())),
        _ => None,
    }
}

/// Makes a folder, and those that it is in.
///
/// # Errors
/// Why that cannot be.
pub(crate) fn make_folder(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => "there is a file of this name".to_owned(),
        _ => format!("cannot make the folder: {}", reason(&error)),
    })
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_test_support::Folder;
    use std::os::unix::fs::symlink;

    /// What is said of one input and output.
    fn refusal(input: &Path, output: &Path) -> Option<String> {
        let (input, output) = (input.to_owned(), output.to_owned());
        check(&[Job::new(input, output)], Emit::Obj, None)
            .err()
            .map(|error| error.to_string())
    }

    #[test]
    fn an_input_is_not_replaced_by_any_of_its_names() {
        let folder = Folder::new("same");
        let input = folder.write("in.bc", "bitcode");
        let (link, hard, other) = (folder.path("link.bc"), folder.path("hard.bc"), folder.path("out.o"));
        symlink("in.bc", &link).expect("links work");
        fs::hard_link(&input, &hard).expect("links work");
        for output in [&input, &link, &hard, &folder.path("../").join(folder.path("in.bc"))] {
            assert!(refusal(&input, output).is_some(), "{}", output.display());
        }
        assert!(refusal(&link, &input).is_some_and(|message| message.contains("is the same file as the input")));
        assert_eq!(refusal(&input, &other), None);
        assert_eq!(refusal(&input, Path::new("/dev/null")), None);
    }

    #[test]
    fn outputs_are_told_apart_by_what_they_are_and_not_by_their_names() {
        let folder = Folder::new("outputs");
        let job = |input: &str, output: &str| Job::new(folder.path(input), folder.path(output));
        let refused = |jobs: &[Job]| check(jobs, Emit::Obj, None).is_err();
        assert!(refused(&[job("a.bc", "x.o"), job("b.bc", "./x.o")]));
        assert!(!refused(&[job("a.bc", "x.o"), job("b.bc", "y.o")]));
        folder.write("x.o", "");
        symlink("x.o", folder.path("y.o")).expect("links work");
        assert!(refused(&[job("a.bc", "x.o"), job("b.bc", "y.o")]));
    }

    #[test]
    fn objects_do_not_go_to_terminals_and_texts_do() {
        assert!(refusal_of_stream(Emit::Obj, 1, true).is_some());
        assert!(refusal_of_stream(Emit::Obj, 2, false).is_some());
        assert!(refusal_of_stream(Emit::Pexe, 1, true).is_some());
        assert!(refusal_of_stream(Emit::Pexe, 2, false).is_some());
        for (emit, count, is_terminal) in [
            (Emit::Obj, 1, false),
            (Emit::Pexe, 1, false),
            (Emit::Obj, 0, true),
            (Emit::Asm, 1, true),
            (Emit::Ir, 2, true),
        ] {
            assert_eq!(refusal_of_stream(emit, count, is_terminal), None);
        }
    }
}
