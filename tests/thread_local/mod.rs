//! Thread-local variables of 32-bit code in libraries: linkers make of the general and the local dynamic model what the
//! image allows, which they know by the exact bytes, and programs with several threads print what they print when llc
//! compiles the bitcode.
//!
//! `users.c` and `other.c`, which has one of the variables that the former uses, are compiled for libraries. They
//! become part of executables (local exec), an executable and a library (initial exec), and a library that is linked or
//! loaded by a program that is running (as they are).

use crate::{RECIPES, checking_frazil, in_repository};
use frazil_test_support::machines::X86_32;
use frazil_test_support::{Folder, run};
use std::path::{Path, PathBuf};
use std::process::Command;

const CLANG: &str = "clang-22";

const LINKERS: &[&str] = &["i686-linux-gnu-ld.bfd", "ld.lld-22", "mold"];

/// The relocation that has a loader give the library function what it asks for.
const OF_DESCRIPTORS: &str = "R_386_TLS_DTPMOD32";

fn clang() -> Command {
    let mut command = Command::new(CLANG);
    command.arg(format!("--target={}", X86_32.triple));
    command
}

fn source(name: &str) -> PathBuf {
    in_repository("tests/thread_local").join(name)
}

/// The images that are made of two objects by one linker, and what the program prints.
struct Images<'a> {
    folder: &'a Folder,
    linker: &'a str,
}

impl Images<'_> {
    fn link(&self, name: &str, options: &[&str], inputs: &[&Path]) -> PathBuf {
        let image = self.folder.path(name);
        let mut command = clang();
        command.arg(format!("--ld-path={}", self.linker)).args(options);
        let rpath = self.folder.path("");
        command.arg(format!("-Wl,-rpath={}", rpath.display()));
        run(command.arg("-pthread").args(inputs).arg("-o").arg(&image));
        image
    }

    /// Whether a loader fills in descriptors of variables.
    fn has_descriptors(image: &Path) -> bool {
        let mut readelf = Command::new(format!("{}readelf", X86_32.utilities));
        let listing = run(readelf.arg("-rW").arg(image));
        String::from_utf8_lossy(&listing).contains(OF_DESCRIPTORS)
    }

    fn check(&self, [users, other]: [&Path; 2], [main, loading]: [&Path; 2], expected: &str) {
        let shown = |image: &Path| String::from_utf8(run(&mut X86_32.run(image))).expect("numbers");
        let fixed = self.link("fixed", &["-static"], &[main, users, other]);
        assert_eq!(shown(&fixed), expected, "static, {}", self.linker);

        let movable = self.link("movable", &["-pie"], &[main, users, other]);
        assert_eq!(shown(&movable), expected, "-pie, {}", self.linker);
        assert!(!Self::has_descriptors(&movable), "{}", self.linker);

        let library = self.link("libother.so", &["-shared"], &[other]);
        let user = self.link("user", &["-pie"], &[main, users, &library]);
        assert_eq!(shown(&user), expected, "initial exec, {}", self.linker);
        // mold leaves the general dynamic model to loaders here, also in the objects of llc.
        assert_eq!(Self::has_descriptors(&user), self.linker == "mold", "{}", self.linker);

        let library = self.link("libboth.so", &["-shared"], &[users, other]);
        assert!(Self::has_descriptors(&library), "{}", self.linker);
        let user = self.link("caller", &["-pie"], &[main, &library]);
        assert_eq!(shown(&user), expected, "a library, {}", self.linker);

        let loader = self.link("loader", &["-pie"], &[loading]);
        assert_eq!(shown(&loader), expected, "a library that is loaded, {}", self.linker);
    }
}

#[test]
fn linkers_make_the_best_of_the_dynamic_models_of_32_bit_code() {
    let folder = Folder::new("thread-local-32");
    let (main, loading) = (folder.path("main.o"), folder.path("loading.o"));
    run(clang().args(["-c", "-fPIE"]).arg(source("main.c")).arg("-o").arg(&main));
    let library = format!("-DLOADED=\"{}\"", folder.path("libboth.so").display());
    let mut command = clang();
    command.args(["-c", "-fPIE"]).arg(library).arg(source("main.c"));
    run(command.arg("-o").arg(&loading));
    let main = [&*main, &*loading];
    let objects = ["users.o", "other.o"].map(|name| folder.path(name));
    let mut expected = None;
    for level in ["-O0", "-O2"] {
        let modules = ["users", "other"].map(|name| {
            let bitcode = folder.path(name).with_extension("bc");
            let mut command = clang();
            command.args(["-c", "-emit-llvm", "-fPIC", level]);
            run(command.arg(source(name).with_extension("c")).arg("-o").arg(&bitcode));
            bitcode
        });
        let compile = |command: &dyn Fn() -> Command| {
            for (module, object) in modules.iter().zip(&objects) {
                let mut command = command();
                run(command
                    .args(["-relocation-model=pic", "-filetype=obj"])
                    .arg(module)
                    .arg("-o")
                    .arg(object));
            }
        };
        let objects = objects.each_ref().map(PathBuf::as_path);
        compile(&|| Command::new("llc-22"));
        let images = Images {
            folder: &folder,
            linker: LINKERS[0],
        };
        let program = images.link("expected", &["-pie"], &[main[0], objects[0], objects[1]]);
        let shown = String::from_utf8(run(&mut X86_32.run(&program))).expect("numbers");
        let expected = &*expected.get_or_insert(shown);
        for recipe in RECIPES {
            compile(&|| checking_frazil(recipe));
            for linker in LINKERS {
                let folder = &folder;
                Images { folder, linker }.check(objects, main, expected);
            }
        }
    }
}
