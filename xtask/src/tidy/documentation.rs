//! Documentation of items: public ones have some, and none repeats what the item's name and type say already.
//!
//! Structs, enums, traits, functions and methods that are `pub` must have documentation, in the sources of all crates;
//! fields and variants need none, since often their name says it all. (Modules are checked by `sources`.) A comment of
//! one line says nothing if each of its words is in the item's name or type, or in the name of the structure or enum
//! that it is in, or is an article, a pronoun or the like; the words are compared without endings, and abbreviations
//! count as what they stand for. So `/// The number of bytes.` is refused above `bytes: u32`, but `/// At most 16.` is
//! not. Some sentences say nothing anywhere ([`EMPTY_SENTENCES`]).
//!
//! What it does not see: items in macros and in the bodies of functions.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Field, ImplItem, Item, Lit, Meta, Signature, TraitItem, Visibility};

use super::{Problem, SourceFile};

/// Words that say nothing about an item.
const EMPTY_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "been", "do", "does", "for", "has", "have", "how", "in", "is", "it",
    "its", "of", "on", "one", "some", "that", "the", "their", "them", "there", "these", "they", "this", "those",
    "what", "where", "whether", "which", "who", "whose",
];

/// Sentences that say nothing about any item, without articles and pronouns.
const EMPTY_SENTENCES: &[&str] = &[
    "arguments",
    "block",
    "called",
    "counted",
    "differs",
    "everything else",
    "file",
    "function",
    "instruction",
    "makes pass",
    "many",
    "module",
    "name",
    "nothing",
    "number",
    "operand",
    "options",
    "pass",
    "register",
    "result",
    "slot",
    "target",
    "text",
    "type",
    "value",
    "work memory",
    "wrong",
];

/// Abbreviations in names, and the words that they stand for.
const ABBREVIATIONS: &[(&str, &str)] = &[
    ("addr", "address"),
    ("arg", "argument"),
    ("asm", "assembly"),
    ("attr", "attribute"),
    ("buf", "buffer"),
    ("const", "constant"),
    ("conv", "convention"),
    ("cx", "context"),
    ("def", "definition"),
    ("desc", "description"),
    ("dest", "destination"),
    ("dst", "destination"),
    ("freq", "frequency"),
    ("func", "function"),
    ("imm", "immediate"),
    ("inst", "instruction"),
    ("int", "integer"),
    ("len", "length"),
    ("mach", "machine"),
    ("mem", "memory"),
    ("minst", "machine instruction"),
    ("occ", "occurrence"),
    ("op", "operation"),
    ("param", "parameter"),
    ("pos", "position"),
    ("pred", "predecessor"),
    ("ptr", "pointer"),
    ("reg", "register"),
    ("sig", "signature"),
    ("src", "source"),
    ("succ", "successor"),
    ("ty", "type"),
    ("vreg", "virtual register"),
];

/// Checks all Rust files.
pub fn check(files: &[SourceFile], problems: &mut Vec<Problem>) {
    for file in files.iter().filter(|file| file.is_rust()) {
        // What cannot be parsed is reported by `modules`, or is the input of a test.
        let Ok(parsed) = file.syntax() else {
            continue;
        };
        let is_source = file.path.starts_with("src/") || file.path.contains("/src/");
        let mut checker = Checker {
            file,
            is_source,
            problems,
        };
        parsed.items.iter().for_each(|item| checker.item(item));
    }
}

/// Checks one file.
struct Checker<'a> {
    file: &'a SourceFile,
    /// Whether it is of a crate's sources, whose public items need documentation.
    is_source: bool,
    problems: &'a mut Vec<Problem>,
}

impl Checker<'_> {
    fn item(&mut self, item: &Item) {
        match item {
            Item::Struct(item) => {
                self.documented(&item.attrs, &item.vis, &item.ident, &TokenStream::new());
                let name = item.ident.to_string();
                item.fields.iter().for_each(|field| self.field(field, &name));
            }
            Item::Enum(item) => {
                self.documented(&item.attrs, &item.vis, &item.ident, &TokenStream::new());
                let name = item.ident.to_string();
                for variant in &item.variants {
                    let (variant_name, fields) = (variant.ident.to_string(), variant.fields.to_token_stream());
                    self.empty(&variant.attrs, &[&name, &variant_name, &type_words(&fields)]);
                    variant.fields.iter().for_each(|field| self.field(field, &variant_name));
                }
            }
            Item::Trait(item) => {
                self.documented(&item.attrs, &item.vis, &item.ident, &TokenStream::new());
                for part in &item.items {
                    if let TraitItem::Fn(function) = part {
                        self.function(&function.attrs, &item.vis, &function.sig);
                    }
                }
            }
            Item::Fn(item) => self.function(&item.attrs, &item.vis, &item.sig),
            Item::Impl(item) if item.trait_.is_none() => {
                for part in &item.items {
                    if let ImplItem::Fn(function) = part {
                        self.function(&function.attrs, &function.vis, &function.sig);
                    }
                }
            }
            Item::Mod(item) if !is_for_tests(&item.attrs) => {
                let items = item.content.iter().flat_map(|(_, items)| items);
                items.for_each(|item| self.item(item));
            }
            Item::Const(item) => self.empty(&item.attrs, &[&item.ident.to_string(), &type_words(&item.ty)]),
            Item::Static(item) => self.empty(&item.attrs, &[&item.ident.to_string(), &type_words(&item.ty)]),
            Item::Type(item) => self.empty(&item.attrs, &[&item.ident.to_string(), &type_words(&item.ty)]),
            _ => {}
        }
    }

    /// Checks a field of a structure or variant with this name.
    fn field(&mut self, field: &Field, owner: &str) {
        let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
        self.empty(&field.attrs, &[owner, &name, &type_words(&field.ty)]);
    }

    fn function(&mut self, attributes: &[Attribute], visibility: &Visibility, signature: &Signature) {
        self.documented(attributes, visibility, &signature.ident, &signature.output);
    }

    /// Checks an item that needs documentation if it is public.
    fn documented(&mut self, attributes: &[Attribute], visibility: &Visibility, name: &syn::Ident, ty: &impl ToTokens) {
        let is_public = matches!(visibility, Visibility::Public(_));
        if self.is_source && is_public && documentation(attributes).is_empty() && !is_for_tests(attributes) {
            let message = format!("`{name}` is public and has no documentation");
            self.problems.push(self.file.problem(name.span().start().line, message));
        }
        self.empty(attributes, &[&name.to_string(), &type_words(ty)]);
    }

    /// Refuses documentation of one line that says nothing, beside these words.
    fn empty(&mut self, attributes: &[Attribute], known: &[&str]) {
        if let [(line, text)] = &documentation(attributes)[..]
            && says_nothing(text, known)
        {
            let message = format!("`{}` says no more than the item's name and type", text.trim());
            self.problems.push(self.file.problem(*line, message));
        }
    }
}

/// Whether an item exists in tests only.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .any(|attribute| attribute.path().is_ident("cfg") && attribute.to_token_stream().to_string().contains("test"))
}

/// The lines of documentation, with their numbers.
fn documentation(attributes: &[Attribute]) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    for attribute in attributes {
        if let Meta::NameValue(pair) = &attribute.meta
            && pair.path.is_ident("doc")
        {
            let text = match &pair.value {
                Expr::Lit(ExprLit {
                    lit: Lit::Str(text), ..
                }) => text.value(),
                // Made by a macro.
                other => other.to_token_stream().to_string(),
            };
            lines.push((attribute.span().start().line, text));
        }
    }
    lines
}

/// The identifiers in a type.
fn type_words(ty: &impl ToTokens) -> String {
    fn collect(tokens: TokenStream, words: &mut String) {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    words.push_str(&ident.to_string());
                    words.push(' ');
                }
                TokenTree::Group(group) => collect(group.stream(), words),
                _ => {}
            }
        }
    }
    let mut words = String::new();
    collect(ty.to_token_stream(), &mut words);
    words
}

/// Whether a line of documentation has no word but those of the item's name and type.
fn says_nothing(text: &str, known: &[&str]) -> bool {
    // Code and links point somewhere, a second clause says more, and numbers are facts.
    if text.contains(['`', '[', ';', ':']) || text.contains(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let said: Vec<String> = words(text)
        .into_iter()
        .filter(|word| !EMPTY_WORDS.contains(&word.as_str()))
        .collect();
    let sentence = said.join(" ");
    if EMPTY_SENTENCES.contains(&sentence.as_str()) {
        return true;
    }
    let known = known.iter().flat_map(|text| words(text)).map(|word| stem(&word));
    let known: BTreeSet<String> = known.flat_map(|word| words(&word)).collect();
    said.iter().all(|word| known.contains(&stem(word)))
}

/// The words of a text or of a name, in lower case.
fn words(text: &str) -> Vec<String> {
    // A letter and a word are one abbreviation.
    let text = text.replace("VReg", "vreg").replace("MInst", "minst");
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for c in text.replace("'s", "").chars() {
        if !c.is_alphanumeric() || (was_lower && c.is_uppercase()) {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// A word without the ending of a plural or verb, abbreviations in full.
fn stem(word: &str) -> String {
    let mut stem = match word {
        _ if word.len() > 4 && word.ends_with("ies") => format!("{}y", &word[..word.len() - 3]),
        _ if word.ends_with("sses") => word[..word.len() - 2].to_owned(),
        _ if word.len() > 2 && word.ends_with('s') && !word.ends_with("ss") => word[..word.len() - 1].to_owned(),
        _ => word.to_owned(),
    };
    if let Some((_, full)) = ABBREVIATIONS.iter().find(|(short, _)| *short == stem) {
        stem = (*full).to_owned();
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(path: &str, text: &str) -> Vec<(usize, String)> {
        let file = SourceFile::new(path, text);
        let mut problems = Vec::new();
        check(&[file], &mut problems);
        problems
            .into_iter()
            .map(|problem| (problem.line, problem.message))
            .collect()
    }

    fn lines(text: &str) -> Vec<usize> {
        messages("ir/src/a.rs", text)
            .into_iter()
            .map(|(line, _)| line)
            .collect()
    }

    #[test]
    fn public_items_need_documentation() {
        let text = "pub struct A;\npub enum B {}\npub trait C {\n    fn d();\n}\npub fn e() {}\nimpl A {\n    pub fn f() {}\n}\n";
        assert_eq!(lines(text), [1, 2, 3, 4, 6, 8]);
        assert_eq!(messages("ir/tests/a.rs", text), []);
        assert_eq!(
            messages("ir/src/a.rs", "pub struct A;")[0].1,
            "`A` is public and has no documentation"
        );
    }

    #[test]
    fn fields_variants_and_what_is_not_public_need_none() {
        let text = "/// Why.\npub struct A {\n    pub a: u32,\n}\n/// Why.\npub enum B {\n    C { d: u32 },\n}\nstruct E;\n\
                    pub(crate) fn f() {}\ntrait G {\n    fn h();\n}\nimpl I for A {\n    fn h() {}\n}\n\
                    #[cfg(test)]\nmod tests {\n    pub fn j() {}\n}\n";
        assert_eq!(lines(text), [0usize; 0]);
    }

    #[test]
    fn what_names_and_types_say_is_not_repeated() {
        for text in [
            "/// A loop.\nstruct Loop;",
            "struct A {\n    /// The arguments of the call.\n    call_args: Vec<Operand>,\n}",
            "struct A {\n    /// The registers.\n    saved: RegSet,\n}",
            "struct A {\n    /// Size in bytes.\n    size_bytes: u64,\n}",
            "enum A {\n    /// In a register.\n    Reg(Reg),\n}",
            "/// The entry's address.\nfn entry_addr() -> u64 { 0 }",
            "struct PhiMove {\n    /// The phi's virtual register.\n    dest: VReg,\n}",
            "/// The pass.\npub struct LocalCse;",
            "/// Its name.\nconst WHO: &str = \"\";",
        ] {
            assert_eq!(lines(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn units_ranges_errors_and_sources_are_kept() {
        for text in [
            "struct A {\n    /// Size in bytes.\n    size: u64,\n}",
            "struct A {\n    /// The size; at most 16.\n    size: u64,\n}",
            "struct A {\n    /// The size, or zero.\n    size: u64,\n}",
            "struct A {\n    /// The type, see [`B`].\n    ty: Type,\n}",
            "struct A {\n    /// By block.\n    blocks: Vec<u32>,\n}",
            "/// A loop.\n///\n/// With a header.\nstruct Loop;",
            "/// A new label.\nfn label() -> Label { Label }",
        ] {
            assert_eq!(lines(text), [0usize; 0], "{text}");
        }
    }

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(words("FrameInfo, a_b's MInst"), ["frame", "info", "a", "b", "minst"]);
        assert_eq!(stem("entries"), "entry");
        assert_eq!(stem("addresses"), "address");
        assert_eq!(stem("regs"), "register");
    }
}
