//! Archives, objects with bitcode beside their code, and files of several modules: what is compiled is what each module
//! alone gives, and outputs are named after members.

use crate::{SAMPLE, frazil};
use frazil_test_support::{Folder, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Two modules that make a program, and a third one that nobody needs.
const SOURCES: [(&str, &str); 3] = [
    (
        "one",
        "int puts(const char *); int two(int); int main(void) { puts(\"both\"); return two(3); }",
    ),
    ("two", "int two(int x) { return x - 3; }"),
    ("three", "int three(int x) { return 3 * x; }"),
];

fn clang(folder: &Folder, name: &str, source: &str, options: &[&str], output: &str) -> PathBuf {
    let input = folder.write(&format!("{name}.c"), source);
    let output = folder.path(output);
    run(Command::new("clang-22")
        .args(["-O1", "-fPIC", "-c"])
        .args(options)
        .arg(input)
        .arg("-o")
        .arg(&output));
    output
}

/// The modules as files of bitcode, with an ending.
fn modules(folder: &Folder, ending: &str) -> Vec<PathBuf> {
    let each = SOURCES.iter();
    each.map(|(name, source)| clang(folder, name, source, &["-emit-llvm"], &format!("{name}.{ending}")))
        .collect()
}

/// What the modules give alone.
fn alone(folder: &Folder, modules: &[PathBuf]) -> Vec<Vec<u8>> {
    let output = folder.path("alone.o");
    let compile = |module| {
        run(frazil().arg(module).arg("-o").arg(&output));
        fs::read(&output).expect("it was written")
    };
    modules.iter().map(compile).collect()
}

/// Compiles a file of several modules to a folder, whose files must have these names and contents.
fn expect(folder: &Folder, input: &Path, names: &[&str], contents: &[Vec<u8>]) {
    let outputs = folder.path("outputs");
    let _ = fs::remove_dir_all(&outputs);
    for threads in ["0", "3"] {
        run(frazil()
            .arg(input)
            .args(["--threads", threads, "-o"])
            .arg(format!("{}/", outputs.display())));
        let mut found: Vec<String> = fs::read_dir(&outputs)
            .expect("the folder was made")
            .map(|entry| {
                entry
                    .expect("it can be read")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        found.sort();
        let mut sorted = names.to_vec();
        sorted.sort_unstable();
        assert_eq!(found, sorted, "{}", input.display());
        for (name, expected) in names.iter().zip(contents) {
            let written = fs::read(outputs.join(name)).expect("it is there");
            assert!(written == *expected, "{name} of {}", input.display());
        }
    }
}

/// What a command that fails says.
fn refused(command: &mut Command) -> String {
    let output = command.output().expect("it can be started");
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn members_of_archives_are_inputs() {
    let folder = Folder::new("archives");
    // As build systems name them for link-time optimization.
    let modules = modules(&folder, "c.o");
    let contents = alone(&folder, &modules);
    let names = ["one.c.o", "two.c.o", "three.c.o"];
    for (archive, options) in [("plain.a", "rcs"), ("thin.a", "rcsT")] {
        let archive = folder.path(archive);
        run(Command::new("llvm-ar-22").arg(options).arg(&archive).args(&modules));
        expect(&folder, &archive, &names, &contents);
    }
    let message = refused(frazil().arg(folder.path("plain.a")));
    assert!(message.contains("has 3 modules: name a folder"), "{message}");
    let message = refused(frazil().arg(folder.path("plain.a")).arg("-o").arg(folder.path("x.o")));
    assert!(message.contains("need a folder for their outputs"), "{message}");
    // The outputs of thin archives would be their members.
    let message = refused(frazil().arg(folder.path("thin.a")).arg("-o").arg(folder.path("")));
    assert!(message.contains("would replace the input"), "{message}");
    run(frazil().arg(folder.path("plain.a")).args(["--emit", "null"]));
}

#[test]
fn an_archive_of_one_module_is_like_the_module() {
    let folder = Folder::new("one-member");
    let modules = modules(&folder, "bc");
    let contents = alone(&folder, &modules);
    let (archive, output) = (folder.path("one.a"), folder.path("x.o"));
    run(Command::new("llvm-ar-22").arg("rcs").arg(&archive).arg(&modules[0]));
    run(frazil().arg(&archive).arg("-o").arg(&output));
    assert!(fs::read(&output).expect("it was written") == contents[0]);
    expect(&folder, &archive, &["one.o"], &contents);
    run(frazil()
        .stdin(fs::File::open(&archive).expect("it is there"))
        .arg("-o")
        .arg(&output));
    assert!(fs::read(&output).expect("it was written") == contents[0]);
}

#[test]
fn members_that_are_no_modules_are_refused_by_name() {
    let folder = Folder::new("mixed-archive");
    let module = clang(&folder, "one", SOURCES[0].1, &["-emit-llvm"], "one.bc");
    let object = clang(&folder, "two", SOURCES[1].1, &[], "two.o");
    let archive = folder.path("mixed.a");
    run(Command::new("llvm-ar-22")
        .arg("rcs")
        .arg(&archive)
        .args([&module, &object]));
    let outputs = format!("{}/", folder.path("outputs").display());
    let message = refused(frazil().arg(&archive).args(["-o", &outputs]));
    assert!(
        message.contains("mixed.a(two.o): the input is an ELF object file"),
        "{message}"
    );
    // The others are compiled.
    assert!(folder.path("outputs").join("one.o").exists());
    assert!(!folder.path("outputs").join("two.o").exists());
}

#[test]
fn objects_with_bitcode_are_inputs() {
    let folder = Folder::new("embedded");
    let mut fat = Vec::new();
    let mut embedded = Vec::new();
    for (name, source) in SOURCES {
        let options = ["-flto", "-ffat-lto-objects"];
        fat.push(clang(&folder, name, source, &options, &format!("{name}.fat.o")));
        embedded.push(clang(
            &folder,
            name,
            source,
            &["-fembed-bitcode=all"],
            &format!("{name}.emb.o"),
        ));
    }
    let output = folder.path("x.o");
    for (objects, section) in [(&fat, ".llvm.lto"), (&embedded, ".llvmbc")] {
        let mut modules = Vec::new();
        for object in objects {
            let module = object.with_extension("bc");
            run(Command::new("llvm-objcopy-22")
                .arg(format!("--dump-section={section}={}", module.display()))
                .arg(object)
                .arg("/dev/null"));
            modules.push(module);
        }
        let contents = alone(&folder, &modules);
        for (object, expected) in objects.iter().zip(&contents) {
            run(frazil().arg(object).arg("-o").arg(&output));
            assert!(
                fs::read(&output).expect("it was written") == *expected,
                "{}",
                object.display()
            );
        }
        // Linkers put the sections one behind the other.
        let linked = folder.path("linked.o");
        run(Command::new("ld").arg("-r").args(objects).arg("-o").arg(&linked));
        expect(&folder, &linked, &["linked.0.o", "linked.1.o", "linked.2.o"], &contents);
        // And archives have such objects as members.
        let archive = folder.path("objects.a");
        let _ = fs::remove_file(&archive);
        run(Command::new("llvm-ar-22")
            .arg("rcs")
            .arg(&archive)
            .args([&objects[0], &linked]));
        let first = objects[0]
            .file_name()
            .expect("it has one")
            .to_string_lossy()
            .into_owned();
        let all = [&contents[..1], &contents].concat();
        expect(
            &folder,
            &archive,
            &[&first, "linked.0.o", "linked.1.o", "linked.2.o"],
            &all,
        );
    }
    let marked = clang(&folder, "two", SOURCES[1].1, &["-fembed-bitcode=marker"], "marked.o");
    let message = refused(frazil().arg(&marked).arg("-o").arg(&output));
    assert!(message.contains("section .llvmbc has no bitcode"), "{message}");
}

#[test]
fn files_of_several_modules_are_inputs() {
    let folder = Folder::new("several");
    let modules = modules(&folder, "bc");
    let contents = alone(&folder, &modules);
    // With a table of strings for all, and each with its own.
    for options in [&[][..], &["-b"]] {
        let file = folder.path("all.bc");
        run(Command::new("llvm-cat-22")
            .args(options)
            .args(&modules)
            .arg("-o")
            .arg(&file));
        expect(&folder, &file, &["all.0.o", "all.1.o", "all.2.o"], &contents);
        let message = refused(frazil().stdin(fs::File::open(&file).expect("it is there")));
        assert!(message.contains("standard input has 3 modules"), "{message}");
    }
}

#[test]
fn the_objects_of_an_archive_are_linked_as_its_program() {
    let folder = Folder::new("archive-program");
    let modules = modules(&folder, "bc");
    let archive = folder.path("all.a");
    run(Command::new("llvm-ar-22").arg("rcs").arg(&archive).args(&modules));
    let outputs = folder.path("outputs");
    run(frazil()
        .arg(&archive)
        .arg("-O2")
        .arg("-o")
        .arg(format!("{}/", outputs.display())));
    let program = folder.path("program");
    run(Command::new("cc")
        .args(["one.o", "two.o"].map(|name| outputs.join(name)))
        .arg("-o")
        .arg(&program));
    assert_eq!(run(&mut Command::new(program)), b"both\n");
}

/// Bytes are changed everywhere in containers: nothing panics, and nothing takes long.
#[test]
fn damaged_containers_are_refused() {
    let folder = Folder::new("damaged-containers");
    let modules = vec![
        PathBuf::from(SAMPLE),
        folder.write("second.bc", fs::read(SAMPLE).expect("it is there")),
    ];
    let archive = folder.path("good.a");
    run(Command::new("llvm-ar-22").arg("rcs").arg(&archive).args(&modules));
    let object = clang(&folder, "two", SOURCES[1].1, &["-fembed-bitcode=all"], "embedded.o");
    for good in [archive, object] {
        let bytes = fs::read(&good).expect("it was made");
        let step = bytes.len() / 60 + 1;
        let places = (0..200.min(bytes.len()))
            .step_by(3)
            .chain((0..bytes.len()).step_by(step));
        for place in places {
            for (name, changed) in [
                ("cut", bytes[..place].to_vec()),
                ("bad", {
                    let mut changed = bytes.clone();
                    changed[place] ^= 0x15;
                    changed
                }),
            ] {
                let path = folder.write(name, changed);
                let outputs = format!("{}/", folder.path("outputs").display());
                let output = frazil().arg(&path).args(["-o", &outputs]).output();
                let output = output.expect("it can be started");
                let message = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(
                    output.status.code().is_some_and(|code| code < 2),
                    "{name} {place}: {message}"
                );
                assert!(!message.contains("panicked"), "{name} {place}: {message}");
            }
        }
    }
}
