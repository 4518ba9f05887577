//! What an input is that cannot be compiled: how it is called, and what to do with it.
//!
//! Bytes decide where a format has a mark at its beginning. Text has none: what begins like text of LLVM's or Frazil's
//! IR is that, whatever its name; else the ending of the file's name says the language, and for text without one, how
//! its comments and directives look. What is not recognized is left to the readers, which say what they have found.

use std::path::Path;

/// Why an input is not compiled, and what to do; nothing if the readers have to look at it.
pub(crate) fn complaint(path: &Path, bytes: &[u8]) -> Option<String> {
    if bytes.is_empty() {
        return Some("the input is empty; expected LLVM bitcode or text of LLVM's IR".to_owned());
    }
    if let Some((_, what)) = MARKS.iter().find(|(mark, _)| bytes.starts_with(mark)) {
        return Some((*what).to_owned());
    }
    if bytes.starts_with(b"\x7fELF") {
        return Some(elf(bytes));
    }
    if !is_text(bytes) {
        return None;
    }
    let word = first_word(bytes);
    if is_word_of(LLVM_WORDS, &word) || is_word_of(FRAZIL_WORDS, &word) {
        return None;
    }
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let by_name = LANGUAGES.iter().find(|(endings, _)| endings.contains(&ending));
    if let Some((_, what)) = by_name {
        return Some((*what).to_owned());
    }
    let by_text = STARTS
        .iter()
        .find(|(starts, _)| starts.iter().any(|start| word.starts_with(start)));
    by_text.map(|(_, what)| (*what).to_owned())
}

/// Whether bytes are text, which only LLVM reads, rather than bitcode. Anything else is left to the bitcode reader,
/// which says what is wrong with it.
pub fn is_text(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 512;
    let start = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    let is_binary = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    !start.is_empty() && !is_bitcode(start) && !start.iter().any(is_binary)
}

/// Whether bytes begin as bitcode does: raw, in the wrapper of some systems, or PNaCl's.
fn is_bitcode(bytes: &[u8]) -> bool {
    const MAGICS: [&[u8]; 3] = [b"BC\xc0\xde", b"\xde\xc0\x17\x0b", b"PEXE"];
    MAGICS.iter().any(|magic| bytes.starts_with(magic))
}

/// Whether bytes are text as `--emit ir` writes it.
#[cfg(feature = "command")]
pub(crate) fn is_frazil_text(bytes: &[u8]) -> bool {
    is_text(bytes) && is_word_of(FRAZIL_WORDS, &first_word(bytes))
}

const FOR_LINKER: &str = "it is compiled already, so give it to the linker; Frazil compiles LLVM bitcode, which \
                          `clang -c -emit-llvm` writes";

/// What an ELF file is, by its header.
fn elf(bytes: &[u8]) -> String {
    let is_big = bytes.get(5) == Some(&2);
    let kind = match (bytes.get(16), bytes.get(17)) {
        (Some(&low), Some(&high)) => u16::from_le_bytes(if is_big { [high, low] } else { [low, high] }),
        _ => 0,
    };
    match kind {
        1 => format!("the input is an ELF object file: {FOR_LINKER}"),
        2 => format!("the input is an ELF program: {FOR_LINKER}"),
        // Programs that may be placed anywhere say the same.
        3 => format!("the input is a shared ELF library or program: {FOR_LINKER}"),
        _ => format!("the input is an ELF file: {FOR_LINKER}"),
    }
}

/// How formats begin, and what is said of them.
const MARKS: &[(&[u8], &str)] = &[
    (
        b"!<arch>\n",
        "the input is an archive; Frazil compiles its members one by one: take them out with `ar x`",
    ),
    (
        b"!<thin>\n",
        "the input is a thin archive, which only names its members: `ar t` lists them; give them to Frazil",
    ),
    (
        b"\x1f\x8b",
        "the input is compressed by gzip: pipe it through `gzip -dc` first",
    ),
    (
        b"\x28\xb5\x2f\xfd",
        "the input is compressed by zstd: pipe it through `zstd -dc` first",
    ),
    (
        b"\xfd7zXZ\0",
        "the input is compressed by xz: pipe it through `xz -dc` first",
    ),
    (
        b"BZh",
        "the input is compressed by bzip2: pipe it through `bzip2 -dc` first",
    ),
    (b"PK\x03\x04", "the input is a zip archive: unpack it first"),
    (
        b"CPCH",
        "the input is a precompiled header or module of clang; Frazil compiles what is made with it, as bitcode",
    ),
    (
        b"rust\0\0\0",
        "the input is metadata of a Rust crate (.rmeta), without code: `rustc --emit=llvm-bc` writes bitcode",
    ),
    (
        b"\0asm",
        "the input is a WebAssembly module: Frazil reads LLVM bitcode, from which such modules are made",
    ),
    (
        b"\xcf\xfa\xed\xfe",
        "the input is a Mach-O file, for Apple's systems: Frazil reads LLVM bitcode, which `clang -c -emit-llvm` writes",
    ),
    (
        b"\xca\xfe\xba\xbe",
        "the input is a Mach-O file for several machines, or a Java class: Frazil reads LLVM bitcode",
    ),
    (
        b"MZ",
        "the input is a program for Windows: Frazil reads LLVM bitcode, which `clang -c -emit-llvm` writes",
    ),
    (
        b"\x64\x86",
        "the input is an object file for Windows (COFF): Frazil reads LLVM bitcode, which `clang -c -emit-llvm` writes",
    ),
];

const C: &str = "the input is C source: compile it with frazil-cc, which is clang with Frazil as its back end, or make \
                 bitcode of it with `clang -c -emit-llvm`";
const CPP: &str = "the input is C++ source: compile it with frazil-c++, which is clang++ with Frazil as its back end, \
                   or make bitcode of it with `clang++ -c -emit-llvm`";
const OBJECTIVE_C: &str = "the input is source of Objective-C: make bitcode of it with `clang -c -emit-llvm`";
const ASSEMBLY: &str = "the input is assembly text, which is for an assembler: `as` or `clang -c`";
const RUST: &str = "the input is Rust source: make bitcode of it with `rustc --emit=llvm-bc`, or see README.md, \"For \
                    Rust crates\"";
const MIR: &str = "the input is LLVM's machine code as text (MIR), which only llc reads: Frazil takes the IR that it \
                   was made of, as bitcode or .ll";
const OTHER: &str = "the input is source text: have the language's own compiler write LLVM bitcode first";

/// Endings of names, and what such files are.
const LANGUAGES: &[(&[&str], &str)] = &[
    (&["c", "h", "i"], C),
    (&["cc", "cpp", "cxx", "c++", "C", "CPP", "hpp", "hh", "hxx", "ii"], CPP),
    (&["m", "mm"], OBJECTIVE_C),
    (&["s", "S", "asm"], ASSEMBLY),
    (&["rs"], RUST),
    (&["mir"], MIR),
    (
        &["swift"],
        "the input is Swift source: make bitcode of it with `swiftc -emit-bc`",
    ),
    (
        &["f", "F", "for", "f90", "F90", "f95", "f03", "f08"],
        "the input is Fortran source: make bitcode of it with `flang -c -emit-llvm`",
    ),
    (
        &["zig"],
        "the input is Zig source: make bitcode of it with `zig build-obj -femit-llvm-bc`",
    ),
    (
        &["d"],
        "the input is D source: make bitcode of it with `ldc2 -c --output-bc`",
    ),
    (&["cu", "cl", "go", "hs", "java", "jl", "kt", "ml", "nim", "py"], OTHER),
    (
        &["toml"],
        "the input is a TOML file: recipes are read with --recipe-file FILE, beside an input",
    ),
];

/// How texts begin, and what they are then.
const STARTS: &[(&[&str], &str)] = &[
    (&["---"], MIR),
    (
        &["//", "/*", "#include", "#define", "#if", "#pragma", "#line"],
        "the input looks like C or C++ source: compile it with frazil-cc or frazil-c++, or make bitcode of it with \
         `clang -c -emit-llvm`",
    ),
    (
        &["#!"],
        "the input is a script; expected LLVM bitcode or text of LLVM's IR",
    ),
    (&[".text", ".file", ".globl", ".section", ".intel_syntax"], ASSEMBLY),
];

/// How text of LLVM's IR begins, after comments; one letter stands for all that begins with it.
const LLVM_WORDS: &[&str] = &[
    "@",
    "%",
    "!",
    "$",
    "^",
    "attributes",
    "declare",
    "define",
    "module",
    "source_filename",
    "target",
    "uselistorder",
    "uselistorder_bb",
];

/// How text of Frazil's IR begins (`frazil_ir::text`).
const FRAZIL_WORDS: &[&str] = &[
    "asm",
    "command_line",
    "compiler_used",
    "comdat",
    "constructor",
    "data",
    "dependent_library",
    "destructor",
    "flags",
    "func",
    "identification",
    "layout",
    "linker_option",
    "prefix_data",
    "prologue_data",
    "source",
    "symbol",
    "triple",
    "used",
];

fn is_word_of(words: &[&str], word: &str) -> bool {
    words.iter().any(|known| match known.len() {
        1 => word.starts_with(known),
        _ => *known == word,
    })
}

/// The first word of a text after blank lines and comments of LLVM's IR.
fn first_word(bytes: &[u8]) -> String {
    let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut said = lines.filter(|line| !line.is_empty() && !line.starts_with(b";"));
    let line = said.next().unwrap_or_default();
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'=';
    let end = line.iter().position(is_end).unwrap_or(line.len());
    String::from_utf8_lossy(&line[..end]).into_owned()
}

#[cfg(all(test, feature = "command"))]
mod tests {
    use super::*;

    #[test]
    fn text_is_recognized_by_what_it_says_before_its_name() {
        let of = |name: &str, text: &str| complaint(Path::new(name), text.as_bytes());
        assert_eq!(of("a.c", "; ModuleID = 'a'\ndefine void @f() {\n"), None);
        assert_eq!(of("a.c", "int f;\n").as_deref(), Some(C));
        assert_eq!(of("a.ll", "int f;\n"), None, "LLVM says what is wrong with it");
        assert!(of("-", "#include <stdio.h>\n").is_some_and(|what| what.contains("frazil-cc")));
        assert_eq!(of("-", "--- |\n").as_deref(), Some(MIR));
        assert!(is_frazil_text(b"; a comment\n\nfunc @f() {\n"));
        assert!(!is_frazil_text(b"target triple = \"x\"\n"));
        assert!(!is_frazil_text(b"BC\xc0\xde"));
    }

    /// Every text that is printed begins with a word of the list.
    #[test]
    fn what_is_printed_is_recognized() {
        use frazil_ir::text;
        for source in [
            "func @f() {\nb0:\n  return\n}\n",
            "data @d size 4 { zero 4 }\n",
            "source \"x.c\"\n",
            "triple \"x86_64\"\n",
            "layout pointer_bits 32 stack_align 16\n",
            "flags pic_level 2\n",
            "comdat @c any\n",
            "symbol @s function\n",
            "identification \"x\"\n",
            "command_line \"x\"\n",
            "dependent_library \"x\"\n",
            "linker_option \"x\"\n",
        ] {
            let (module, functions) = text::parse_module(source).expect("the text parses");
            let mut printed = String::new();
            text::print_module(&module, &functions, &mut printed).expect("strings can be written");
            assert!(is_frazil_text(printed.as_bytes()), "{printed}");
        }
    }
}
