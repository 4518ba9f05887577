//! Objects with compressed debug sections: decompressed, they are those without.

use super::{frazil, in_repository};
use frazil_test_support::{Folder, run};
use object::{Object, ObjectSection, SectionFlags};
use std::path::Path;
use std::process::Command;

/// The debug sections of an object, each with its flags and bytes as they are in the file.
fn debug_sections(path: &Path) -> Vec<(String, u64, Vec<u8>)> {
    let bytes = std::fs::read(path).expect("the object is there");
    let file = object::File::parse(&*bytes).expect("an object");
    let named = file.sections().filter_map(|section| {
        let name = section.name().ok().filter(|name| name.starts_with(".debug_"))?;
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
            return None;
        };
        Some((name.to_owned(), sh_flags.0, section.data().ok()?.to_vec()))
    });
    named.collect()
}

#[test]
fn compressed_sections_are_the_others_when_decompressed() {
    for (option, kind) in [
        ("--compress-debug-sections", object::elf::ELFCOMPRESS_ZLIB),
        ("--compress-debug-sections=zstd", object::elf::ELFCOMPRESS_ZSTD),
    ] {
        compress_and_decompress(option, kind.0);
    }
}

/// Compresses with an option, which is to say that sections are of a kind, and has a tool undo that.
fn compress_and_decompress(option: &str, kind: u32) {
    let folder = Folder::new("compressed-debug");
    let [bitcode, plain, compressed, back] =
        ["spilled.bc", "plain.o", "compressed.o", "back.o"].map(|name| folder.path(name));
    // Not one with thread-local variables: readelf warns of their relocations in objects of every compiler.
    let source = in_repository("tests/debug_information/spilled.c");
    run(Command::new("clang-22")
        .args(["-g", "-O1", "-c", "-emit-llvm", "-o"])
        .arg(&bitcode)
        .arg(source));
    run(frazil().arg(&bitcode).arg("-o").arg(&plain));
    run(frazil().arg(option).arg(&bitcode).arg("-o").arg(&compressed));
    let (before, after) = (debug_sections(&plain), debug_sections(&compressed));
    let is_compressed = |flags: u64| flags & object::elf::SHF_COMPRESSED.0 != 0;
    assert!(before.iter().all(|&(_, flags, _)| !is_compressed(flags)));
    let smaller = before.iter().zip(&after).filter(|(before, after)| {
        assert_eq!(before.0, after.0);
        assert_eq!(is_compressed(after.1), before.2.len() > after.2.len(), "{}", before.0);
        assert!(
            !is_compressed(after.1) || after.2.starts_with(&kind.to_le_bytes()),
            "{option}"
        );
        is_compressed(after.1)
    });
    assert!(smaller.count() >= 3, "{after:?}");
    run(Command::new("llvm-dwarfdump-22").arg("--verify").arg(&compressed));
    run(Command::new("llvm-objcopy-22")
        .arg("--decompress-debug-sections")
        .arg(&compressed)
        .arg(&back));
    assert_eq!(debug_sections(&back), before, "{option}");
    let shown = |object: &Path| {
        let output = Command::new("readelf")
            .arg("--debug-dump=info,line")
            .arg(object)
            .output();
        let output = output.expect("readelf is installed");
        assert!(
            output.stderr.is_empty(),
            "{option}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output.stdout
    };
    assert_eq!(shown(&back), shown(&plain), "{option}");
}
