//! Every refusal says what it is for: a value of `Refusal`, given where the refusal is made.
//!
//! The constructors of errors ask for one, so that the compiler finds most of what is missing. Here is what it cannot
//! find: an error that can be `Unsupported` without a `Refusal`, a function of the name `unsupported` that takes none,
//! a message that begins with "not supported" where none is named, and a choice of one in the root package, which
//! prints refusals and has nothing to choose by but their words.
//!
//! Method: each function and each variant of an enum is looked at by itself. Tests are left out.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, ImplItem, Item, ItemEnum, Signature};

use super::{Problem, SourceFile};

/// The crates that refuse.
const REFUSING: &[&str] = &[
    "frontend-pnacl/src/",
    "codegen/src/",
    "targets/",
    "emit/src/",
    "passes/src/",
];

/// The root package, which only prints.
const PRINTING: &str = "src/";

/// Files whose `Unsupported` is no refusal of the compiler's.
const EXCEPTIONS: &[(&str, &str)] = &[(
    "targets/testisa/src/program.rs",
    "what the simulator cannot run is counted by the tests that start it",
)];

const TYPE: &str = "Refusal";

/// Checks all crates that refuse, and the root package.
pub fn check(files: &[SourceFile], problems: &mut Vec<Problem>) {
    for file in files
        .iter()
        .filter(|file| file.is_rust() && !file.path.ends_with("tests.rs"))
    {
        let is_printing = file.path.starts_with(PRINTING);
        if !is_printing && !REFUSING.iter().any(|folder| file.path.starts_with(folder)) {
            continue;
        }
        // What cannot be parsed is reported with the modules.
        let Ok(parsed) = file.syntax() else {
            continue;
        };
        let mut found = Vec::new();
        for item in &parsed.items {
            check_item(item, is_printing, &mut found);
        }
        let excused = EXCEPTIONS.iter().any(|row| row.0 == file.path);
        match (excused, found.is_empty()) {
            (false, _) => problems.extend(found.into_iter().map(|(line, message)| file.problem(line, message))),
            (true, false) => {}
            (true, true) => {
                problems.push(file.problem(0, "is an exception in xtask/src/tidy/refusals.rs without need"))
            }
        }
    }
}

/// Lines and messages.
type Found = Vec<(usize, String)>;

fn check_item(item: &Item, is_printing: bool, found: &mut Found) {
    match item {
        Item::Mod(inner) if !is_test(&inner.attrs) => {
            for item in inner.content.iter().flat_map(|content| &content.1) {
                check_item(item, is_printing, found);
            }
        }
        Item::Mod(_) => {}
        Item::Fn(function) if is_test(&function.attrs) => {}
        Item::Fn(function) => {
            check_signature(&function.sig, found);
            check_tokens(function, is_printing, found);
        }
        Item::Impl(block) => {
            for item in &block.items {
                if let ImplItem::Fn(function) = item {
                    check_signature(&function.sig, found);
                }
                check_tokens(item, is_printing, found);
            }
        }
        Item::Enum(item) => check_enum(item, is_printing, found),
        other => check_tokens(other, is_printing, found),
    }
}

/// Whether something is there for tests only.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = attribute.meta.to_token_stream().to_string();
        text == "test" || text == "cfg (test)"
    })
}

fn check_signature(signature: &Signature, found: &mut Found) {
    if signature.ident == "unsupported" && !names_type(signature.inputs.to_token_stream()) {
        let message = format!("makes a refusal without being given a `{TYPE}`");
        found.push((line(signature), message));
    }
}

fn check_enum(item: &ItemEnum, is_printing: bool, found: &mut Found) {
    let name = item.ident.to_string();
    let is_error = name.ends_with("Error") || name.ends_with("ErrorKind");
    for variant in &item.variants {
        if is_error && variant.ident == "Unsupported" && !names_type(variant.fields.to_token_stream()) {
            found.push((line(variant), format!("`{name}::Unsupported` has no `{TYPE}`")));
        } else {
            check_tokens(variant, is_printing, found);
        }
    }
}

/// Looks for messages without a value, and in the root package for values.
fn check_tokens(unit: &(impl ToTokens + Spanned), is_printing: bool, found: &mut Found) {
    let tokens = unit.to_token_stream();
    if is_printing {
        if let Some(row) = row_named_in(tokens) {
            let message = format!("chooses `{TYPE}::{row}`; that is said where the refusal is made, in another crate");
            found.push((line(unit), message));
        }
    } else if says_unsupported(tokens.clone()) && !names_type(tokens) {
        let message = format!("says \"not supported\" and names no `{TYPE}`");
        found.push((line(unit), message));
    }
}

fn line(unit: &impl Spanned) -> usize {
    unit.span().start().line
}

fn names_type(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == TYPE,
        TokenTree::Group(group) => names_type(group.stream()),
        _ => false,
    })
}

fn says_unsupported(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Literal(literal) => literal.to_string().starts_with("\"not supported"),
        TokenTree::Group(group) => says_unsupported(group.stream()),
        _ => false,
    })
}

/// The row of the table that is named: what follows the type and begins a word, unlike constants and functions.
fn row_named_in(tokens: TokenStream) -> Option<String> {
    let mut previous = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                if let Some(row) = row_named_in(group.stream()) {
                    return Some(row);
                }
                previous.clear();
            }
            TokenTree::Ident(ident) => {
                let ident = ident.to_string();
                let is_row = ident.starts_with(char::is_uppercase) && ident.contains(char::is_lowercase);
                if is_row && previous.ends_with(&[TYPE.to_owned(), ":".to_owned(), ":".to_owned()]) {
                    return Some(ident);
                }
                previous.push(ident);
            }
            other => previous.push(other.to_string()),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(path: &str, text: &str) -> Vec<String> {
        let file = SourceFile::new(path, text);
        let mut problems = Vec::new();
        check(&[file], &mut problems);
        problems.iter().map(Problem::to_string).collect()
    }

    #[test]
    fn errors_and_constructors_need_a_value() {
        let good = "pub enum ReadError { Unsupported(Refusal), Malformed }\n\
                    enum Operand { Unsupported(u8) }\n\
                    impl ReadError { fn unsupported(refusal: Refusal) -> ReadError { ReadError::Unsupported(refusal) } }\n\
                    #[cfg(test)]\nmod tests { fn text() -> &'static str { \"not supported: x\" } }\n";
        assert_eq!(messages("emit/src/error.rs", good), Vec::<String>::new());
        let bad = "pub enum ReadError {\n    Unsupported(String),\n    Malformed,\n}\n\
                   fn unsupported(message: &str) -> String {\n    format!(\"{message}\")\n}\n";
        let expected = [
            "emit/src/error.rs:2: `ReadError::Unsupported` has no `Refusal`",
            "emit/src/error.rs:5: makes a refusal without being given a `Refusal`",
        ];
        assert_eq!(messages("emit/src/error.rs", bad), expected);
        assert_eq!(messages("xtask/src/error.rs", bad), Vec::<String>::new());
    }

    #[test]
    fn messages_need_a_value() {
        let says = |rest: &str| {
            format!(
                "fn refuse() -> String {{\n    let text = format!(\"not supported: {{}}\", 1);\n    {rest}text\n}}\n"
            )
        };
        let expected = ["codegen/src/a.rs:1: says \"not supported\" and names no `Refusal`"];
        assert_eq!(messages("codegen/src/a.rs", &says("")), expected);
        let named = says("let _ = Refusal::Vector; ");
        assert_eq!(messages("codegen/src/a.rs", &named), Vec::<String>::new());
        let attribute = "enum E {\n    A,\n    #[error(\"not supported: {0}\")]\n    B(String),\n}\n";
        let expected = ["targets/x86/src/a.rs:3: says \"not supported\" and names no `Refusal`"];
        assert_eq!(messages("targets/x86/src/a.rs", attribute), expected);
    }

    #[test]
    fn the_root_package_chooses_none() {
        let prints = "fn list() { for row in Refusal::ALL { print(Refusal::code(row)); } }\n";
        assert_eq!(messages("src/refusals.rs", prints), Vec::<String>::new());
        let by_words = "impl Diagnostic {\n    fn refusal(message: &str) -> Refusal {\n        \
                        if message.contains(\"atomic\") { Refusal::Atomic } else { Refusal::Instruction }\n    }\n}\n";
        let expected = [
            "src/diagnostics.rs:2: chooses `Refusal::Atomic`; that is said where the refusal is made, in another crate",
        ];
        assert_eq!(messages("src/diagnostics.rs", by_words), expected);
    }
}
