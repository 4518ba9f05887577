//! That shared crates and the reader name no target: no processor, no register, no calling convention and no C library.
//!
//! Looked at are the names and literals of the code as `syn` reads it, so that comments may cite where a fact comes
//! from, and what is for tests may name what it likes. A name is cut into words at what is no letter or digit, and
//! where a capital follows a small letter. What a target's registers are called stands in a table here, because rules
//! must not depend on what they watch over; the names of target crates are those of the folders.

use super::{Problem, SourceFile};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::{Attribute, Item};

/// Where no target may be named.
const SHARED: [&str; 7] = [
    "codegen/src/",
    "emit/src/",
    "frontend-pnacl/src/",
    "instrument/src/",
    "ir/src/",
    "passes/src/",
    "support/src/",
];

/// Where targets are: each folder is one, and its name.
const TARGETS: &str = "targets/";

/// Words that begin the names of processors, calling conventions and C libraries.
const PLATFORMS: [&str; 16] = [
    "x86", "x64", "x87", "amd64", "i386", "i686", "aarch64", "arm64", "riscv", "riscv64", "powerpc", "wasm32", "sysv",
    "win64", "glibc", "musl",
];

/// Registers of x86 and of the instruction sets to come that have names of their own. Numbered ones count with any
/// number.
const REGISTERS: [&str; 29] = [
    "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "rip", "eax", "ebx", "ecx", "edx", "esi", "edi", "ebp",
    "esp", "eip", "rflags", "eflags", "mxcsr", "xmm", "ymm", "zmm", "cr3", "nzcv", "fpcr", "fpsr", "tpidr",
];

/// Registers whose names are too short to tell in code; they are found as whole literals.
const SHORT_REGISTERS: [&str; 14] = [
    "fs", "gs", "ss", "al", "bl", "cl", "dl", "ax", "bx", "cx", "dx", "sp", "bp", "lr",
];

/// What may be named: the file, or the start of its path, the name or a part of it, and the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "",
        "x86_fp80",
        "LLVM's name of a type that every reader and printer knows",
    ),
    ("", "X86Fp80", "the same"),
    ("", "X86_FP80", "the same"),
    ("ir/src/text/names.rs", "x86_f80", "the same type, in our text form"),
    ("", "X86F80", "the same"),
    ("", "X86_F80", "the same"),
    (
        "ir/src/refusal.rs",
        "x86_amx",
        "LLVM's name of a type, for readers of the list of refusals",
    ),
    ("ir/src/refusal.rs", "x86-tile-or-mmx", "a name that stays, in reports"),
    (
        "ir/src/runtime.rs",
        "__aarch64_",
        "names of functions in the compiler's run-time library, whatever calls them",
    ),
    ("frontend-pnacl/src/llvm/", "X86_MMX", "LLVM's name of a type"),
    ("frontend-pnacl/src/llvm/", "x86_amx", "LLVM's name of a type"),
    ("frontend-pnacl/src/llvm/", "X86_AMX", "the same"),
    (
        "ir/src/signature.rs",
        "x86_64_sysvcc",
        "LLVM's name of a convention, beside its number",
    ),
    ("ir/src/signature.rs", "win64cc", "the same"),
    ("ir/src/signature.rs", "x86_stdcallcc", "the same"),
    ("ir/src/signature.rs", "x86_fastcallcc", "the same"),
    ("ir/src/signature.rs", "x86_thiscallcc", "the same"),
    ("ir/src/signature.rs", "x86_vectorcallcc", "the same"),
    ("ir/src/signature.rs", "x86_intrcc", "the same"),
    ("ir/src/signature.rs", "x86_regcallcc", "the same"),
];

/// Checks the shared crates.
pub fn check(files: &[SourceFile], problems: &mut Vec<Problem>) {
    let targets = target_crates(files);
    let mut needed = BTreeSet::new();
    let tests = test_files(files);
    for file in files
        .iter()
        .filter(|file| is_shared(file) && !tests.contains(&file.path))
    {
        // What cannot be parsed is reported with the modules.
        let Ok(syntax) = file.syntax() else {
            continue;
        };
        let mut names = Names::default();
        syntax.items.iter().for_each(|item| names.read_item(item));
        for (line, name) in names.found {
            if foreign_word(&name, &targets).is_none() {
                continue;
            }
            let mut rest = name;
            for (number, (path, allowed, _)) in EXCEPTIONS.iter().enumerate() {
                if file.path.starts_with(path) && rest.contains(allowed) {
                    rest = rest.replace(allowed, " ");
                    needed.insert(number);
                }
            }
            if let Some(word) = foreign_word(&rest, &targets) {
                let message =
                    format!("names `{word}`, which a target knows: an operation that targets lower, or a fact");
                problems.push(file.problem(line, message));
            }
        }
    }
    for (number, (path, name, _)) in EXCEPTIONS.iter().enumerate() {
        if !needed.contains(&number) {
            problems.push(Problem {
                path: "xtask/src/tidy/target_names.rs".to_owned(),
                line: 0,
                message: format!("lists `{name}` in `{path}` as an exception, which nothing needs"),
            });
        }
    }
}

fn is_shared(file: &SourceFile) -> bool {
    file.is_rust() && SHARED.iter().any(|folder| file.path.starts_with(folder))
}

/// The names of the folders that have a crate for a target.
fn target_crates(files: &[SourceFile]) -> BTreeSet<String> {
    let folders = files.iter().filter_map(|file| {
        let (folder, rest) = file.path.strip_prefix(TARGETS)?.split_once('/')?;
        (rest == "Cargo.toml").then(|| folder.to_owned())
    });
    folders.collect()
}

/// Files that hold a module that another file declares for tests.
fn test_files(files: &[SourceFile]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in files.iter().filter(|file| is_shared(file)) {
        let Ok(syntax) = file.syntax() else {
            continue;
        };
        let folder = match file.path.rsplit_once('/') {
            Some((folder, "mod.rs" | "lib.rs")) => folder.to_owned(),
            _ => file.path.trim_end_matches(".rs").to_owned(),
        };
        for item in &syntax.items {
            if let Item::Mod(module) = item
                && module.content.is_none()
                && is_for_tests(&module.attrs)
            {
                let inner = format!("{folder}/{}", module.ident);
                let inside = files.iter().map(|file| &file.path);
                let inside = inside.filter(|path| {
                    path.strip_prefix(&inner)
                        .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
                });
                found.extend(inside.cloned());
            }
        }
    }
    found
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    let is_test = |attribute: &Attribute| attribute.meta.to_token_stream().to_string() == "cfg (test)";
    attributes.iter().any(is_test)
}

/// The names and literals of a file with their lines, without what is for tests and without documentation.
#[derive(Default)]
struct Names {
    found: Vec<(usize, String)>,
}

impl Names {
    fn read_item(&mut self, item: &Item) {
        let attributes: &[Attribute] = match item {
            Item::Mod(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Struct(item) => &item.attrs,
            Item::Static(item) => &item.attrs,
            Item::Const(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            _ => &[],
        };
        if !is_for_tests(attributes) {
            self.read_tokens(item.to_token_stream());
        }
    }

    /// Attributes are left out: documentation is one.
    fn read_tokens(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == '#' => {
                    tokens.next_if(|next| matches!(next, TokenTree::Punct(punct) if punct.as_char() == '!'));
                    tokens.next_if(|next| matches!(next, TokenTree::Group(_)));
                }
                TokenTree::Group(group) => self.read_tokens(group.stream()),
                TokenTree::Ident(ident) => self.found.push((ident.span().start().line, ident.to_string())),
                TokenTree::Literal(literal) => self.found.push((literal.span().start().line, literal.to_string())),
                TokenTree::Punct(_) => {}
            }
        }
    }
}

/// The first word of a name or literal that belongs to a target.
fn foreign_word(name: &str, targets: &BTreeSet<String>) -> Option<String> {
    let literal = name.trim_start_matches('b').trim_matches('"');
    if name.ends_with('"') && SHORT_REGISTERS.contains(&literal) {
        return Some(literal.to_owned());
    }
    words(name).into_iter().find(|word| {
        let is_platform = PLATFORMS
            .iter()
            .copied()
            .chain(targets.iter().map(String::as_str))
            .any(|platform| word == platform || platform.len() > 3 && word.starts_with(platform));
        let unnumbered = word.trim_end_matches(|digit: char| digit.is_ascii_digit());
        is_platform || word.starts_with("x86") || REGISTERS.contains(&word.as_str()) || REGISTERS.contains(&unnumbered)
    })
}

/// The words of a name, in small letters.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for character in name.chars() {
        if !character.is_ascii_alphanumeric() || was_small && character.is_ascii_uppercase() {
            words.push(String::new());
        }
        if let (true, Some(word)) = (character.is_ascii_alphanumeric(), words.last_mut()) {
            word.push(character.to_ascii_lowercase());
        }
        was_small = character.is_ascii_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, code: &str) -> Vec<String> {
        let files = [
            SourceFile::new(path, code),
            SourceFile::new("targets/newisa/Cargo.toml", ""),
        ];
        let mut problems = Vec::new();
        check(&files, &mut problems);
        problems.retain(|problem| problem.path == path);
        let word = |problem: Problem| problem.message.split('`').nth(1).unwrap_or_default().to_owned();
        problems.into_iter().map(word).collect()
    }

    #[test]
    fn finds_targets_and_registers_in_names_and_literals() {
        for (code, word) in [
            ("const RSP_SLOT: u8 = 7;", "rsp"),
            ("fn f() { g(\"movq %rbp, $0\") }", "rbp"),
            ("fn f(s: &[u8]) -> bool { s.starts_with(b\"x86_64\") }", "x86"),
            ("fn is_x86() {}", "x86"),
            ("struct X86Layout;", "x86layout"),
            ("enum List { SysvArea }", "sysv"),
            ("fn f() { matches!(name, b\"xmm0\") }", "xmm0"),
            ("macro_rules! m { () => { g(\"fs\") } }", "fs"),
            ("use frazil_target_newisa::Isa;", "newisa"),
            ("const GLIBC_FENV: u64 = 32;", "glibc"),
            ("fn f() { let aarch64_rule = 1; }", "aarch64"),
        ] {
            assert_eq!(found("frontend-pnacl/src/builder/some.rs", code), [word], "{code}");
            assert!(found("targets/newisa/src/some.rs", code).is_empty(), "{code}");
        }
    }

    #[test]
    fn comments_and_tests_may_name_them() {
        for code in [
            "//! As on x86-64.\n/// In rsp.\nfn f() {} // rbp",
            "#[cfg(test)] mod tests { const TRIPLE: &str = \"x86_64\"; }",
            "macro_rules! m { () => { /// As x86 has it.\nfn f() {} } }",
            "fn harmless(alarm: fs::File) { sp(\"an fs\") }",
            "const T: &str = \"x86_fp80\";",
        ] {
            assert!(found("codegen/src/some.rs", code).is_empty(), "{code}");
        }
    }

    #[test]
    fn exceptions_excuse_nothing_else() {
        let code = "const T: &str = \"x86_fp80 in rsp\"; const C: &str = \"win64cc\";";
        assert_eq!(found("codegen/src/some.rs", code), ["rsp", "win64cc"]);
        let code = "const C: &str = \"win64cc\"; const D: &str = \"win64cc, x86_64\";";
        assert_eq!(found("ir/src/signature.rs", code), ["x86"]);
    }

    #[test]
    fn unneeded_exceptions_are_found() {
        let mut problems = Vec::new();
        check(&[], &mut problems);
        assert_eq!(problems.len(), EXCEPTIONS.len());
    }
}
