//! Places of several objects are found by whichever linker has put them together: also those of functions that are in
//! both objects and are linked once, and where what nothing refers to is left out.

use super::{add_tool, build_from, clang, output};
use crate::in_repository;
use frazil_test_support::Folder;

const SHARED: &str = "\
template <class T> __attribute__((noinline)) T work(T n) {
    T sum = 0;
    for (T i = 0; i < n; i++)
        if (i % 3 == 0)
            sum += i;
        else
            sum ^= i;
    return sum;
}
";

const MAIN: &str = "\
#include \"shared.h\"
int other(int);
int main() { return work<int>(30) + other(12) == 7; }
";

const OTHER: &str = "\
#include \"shared.h\"
int other(int n) { return work<int>(n) + (int)work<long>(n); }
";

#[test]
fn places_of_all_objects_are_found() {
    let folder = Folder::new("instrument-linkers");
    folder.write("shared.h", SHARED);
    let modules = [("main", MAIN), ("other", OTHER)].map(|(name, text)| {
        let source = folder.write(&format!("{name}.cpp"), text);
        let bitcode = folder.path(&format!("{name}.bc"));
        clang(&["-O0", "-fPIE", "-c", "-emit-llvm"], &source, &bitcode);
        bitcode
    });
    let modules = modules.each_ref().map(std::path::PathBuf::as_path);
    let tool = in_repository("examples/instrument/block_profile");
    let text = std::fs::read_to_string(tool.with_extension("toml")).expect("the tool has a file");
    let mut told = Vec::new();
    for text in [text.clone(), text.replace("derive = true\n", "")] {
        add_tool(&folder, &tool, &text);
        for linker in ["-fuse-ld=bfd", "-fuse-ld=lld"] {
            for option in ["-Wl,--gc-sections", "-Wl,--no-gc-sections"] {
                let program = build_from(&folder, "O2", &modules, &["block_profile"], &[linker, option]);
                let found = output(&folder, &program);
                assert!(found.status.success(), "{linker} {option}: {found:?}");
                told.push(String::from_utf8_lossy(&found.stderr).into_owned());
            }
        }
    }
    // 30 rounds of one call and 12 of another are those of one function.
    let rounds = told[0].lines().next().expect("the profile has lines");
    assert!(
        rounds.trim_start().starts_with("44  ") && rounds.contains("work"),
        "{rounds}"
    );
    assert!(told.iter().all(|text| *text == told[0]), "{told:#?}");
}
