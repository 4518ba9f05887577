//! Which texts mean the same outside of the module's own assembly text.
//!
//! Method: wherever a statement may begin, by any reading of the text, there is nothing, an instruction, a label, or a
//! directive of a list. Not in the list is what asks what is defined (`.ifdef`), what gives symbols of the module
//! other meanings (`.set`, `.symver`), what knows of the place in the section (`.org`, `.subsection`), and macros,
//! which may hide all of these. Symbols whose attributes are changed are noted: they must turn out to be defined by
//! the assembly.

/// Directives that put something where they stand, or switch sections, and conditions on numbers.
const HARMLESS: &[&str] = &[
    "2byte",
    "4byte",
    "8byte",
    "align",
    "ascii",
    "asciz",
    "att_syntax",
    "balign",
    "byte",
    "code64",
    "data",
    "double",
    "else",
    "elseif",
    "endif",
    "endr",
    "fill",
    "float",
    "hword",
    "if",
    "ifb",
    "ifc",
    "ifeq",
    "ifeqs",
    "ifge",
    "ifgt",
    "ifle",
    "iflt",
    "ifnb",
    "ifnc",
    "ifne",
    "ifnes",
    "incbin",
    "int",
    "intel_syntax",
    "long",
    "nop",
    "nops",
    "octa",
    "p2align",
    "popsection",
    "previous",
    "pushsection",
    "quad",
    "rept",
    "section",
    "short",
    "single",
    "skip",
    "sleb128",
    "space",
    "string",
    "text",
    "uleb128",
    "value",
    "word",
    "zero",
];

/// Directives that take a subsection as argument, which would not stay where it is.
const WITHOUT_ARGUMENTS: &[&str] = &["data", "text"];

/// Directives whose every argument is a symbol.
const OF_SYMBOLS: &[&str] = &["global", "globl", "hidden", "internal", "local", "protected", "weak"];

/// Directives whose first argument is a symbol.
const OF_ONE_SYMBOL: &[&str] = &["size", "type"];

/// Whether a text may stand in a file of its own; appends the symbols that it says something of.
pub(super) fn may_stand_alone(text: &str, declared: &mut Vec<String>) -> bool {
    let mut rest = text;
    loop {
        // Behind a label or comment a statement begins, too. That strings are not looked for makes more statements of
        // a text than it has, never less.
        let end = rest.find(['\n', '\r', ';', ':']);
        let comment_end = rest.find("*/").map(|place| place + 1);
        let end = [end, comment_end].into_iter().flatten().min();
        let statement = &rest[..end.unwrap_or(rest.len())];
        let is_label = end.is_some_and(|end| rest.as_bytes()[end] == b':');
        if !is_harmless(statement.trim(), is_label, declared) {
            return false;
        }
        match end {
            Some(end) => rest = &rest[end + 1..],
            None => return true,
        }
    }
}

fn is_harmless(statement: &str, is_label: bool, declared: &mut Vec<String>) -> bool {
    let Some(rest) = statement.strip_prefix('.') else {
        // No instruction has one, assignments do.
        return !statement.contains('=');
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
    let (name, arguments) = rest.split_at(rest.find(|c| !is_name(c)).unwrap_or(rest.len()));
    let arguments = arguments.trim();
    if is_label && arguments.is_empty() {
        return true;
    }
    let name = name.to_ascii_lowercase();
    let name = name.as_str();
    let symbols = || {
        arguments
            .split(',')
            .map(|symbol| symbol.trim().trim_matches('"').to_owned())
    };
    match name {
        _ if arguments.starts_with('=') => false,
        _ if WITHOUT_ARGUMENTS.contains(&name) => arguments.is_empty() || arguments.starts_with('#'),
        _ if HARMLESS.contains(&name) => true,
        _ if OF_SYMBOLS.contains(&name) => {
            declared.extend(symbols());
            true
        }
        _ if OF_ONE_SYMBOL.contains(&name) => {
            declared.extend(symbols().next());
            true
        }
        "cfi_sections" => false,
        _ => name.starts_with("cfi_"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Option<Vec<String>> {
        let mut declared = Vec::new();
        may_stand_alone(text, &mut declared).then_some(declared)
    }

    #[test]
    fn instructions_labels_and_data_stand_alone() {
        for text in [
            "",
            "1: addl (%rax), %ecx\n\tjnz 1b",
            ".Lhere7:\n movl %fs:0x28, %eax # x",
            "lea .Lhere7(%rip), %rax; .pushsection .rodata, \"a\"; .quad 1b - .\n.popsection",
            ".if 1 - 1\n nop\n.else\n.rept 3\n.byte 0x90\n.endr\n.endif",
            ".section \"foo\",\"aw\"\n.previous\n.text",
            ".cfi_startproc\n.cfi_endproc",
        ] {
            assert_eq!(check(text), Some(Vec::new()), "{text}");
        }
        let declared = ["f", "g h", "f", "f"].map(str::to_owned).to_vec();
        let text = ".GLOBL f, \"g h\"\n.type f,@function\nf: ret\n.size f, .-f";
        assert_eq!(check(text), Some(declared));
    }

    #[test]
    fn what_depends_on_the_rest_of_the_module_does_not() {
        for text in [
            ".ifdef main\n.endif",
            "nop; .ifndef x",
            "a: .set b, c",
            "b = c",
            ". = . + 4",
            ".Lx=4",
            "/* x */ .macro m",
            ".subsection 1",
            ".text 1",
            ".org 8",
            ".symver a, a@B",
            ".cfi_sections .debug_frame",
            ".comm c, 4",
        ] {
            assert_eq!(check(text), None, "{text}");
        }
    }
}
