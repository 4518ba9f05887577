//! Which texts mean the same outside of the module's own assembly text.
//!
//! Method: wherever a statement may begin, by any reading of the text, there is nothing, an instruction, a label, or a
//! directive of a list. Not in the list is what gives symbols of the module other meanings (`.set`, `.symver`), and
//! what knows of the place in the section (`.org`, `.subsection`). Macros must be gone at the end of their text, and
//! make no statements of their arguments. Symbols whose attributes are changed are noted: they must turn out to be
//! defined by the assembly. Symbols that are asked for (`.ifdef`) are, too: the module itself must not have them.

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

/// Directives about macros.
const OF_MACROS: &[&str] = &["altmacro", "endm", "macro", "noaltmacro", "purgem"];

/// Symbols that texts say something of.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    /// Whose attributes are changed.
    pub declared: Vec<String>,
    pub asked: Vec<String>,
    macros: usize,
}

/// Whether a text may stand in a file of its own; notes the symbols that it says something of.
pub(super) fn may_stand_alone(text: &str, mentions: &mut Mentions) -> bool {
    // Arguments with separators may be statements where macros are.
    let may_hide = text.contains(';') && text.to_ascii_lowercase().contains(".macro");
    !may_hide && stands_alone(text, mentions) && mentions.macros == 0
}

fn stands_alone(text: &str, mentions: &mut Mentions) -> bool {
    let mut rest = text;
    loop {
        // After a label or comment a statement begins, too. That strings are not looked for makes more statements of
        // a text than it has, never less.
        let end = rest.find(['\n', '\r', ';', ':']);
        let comment_end = rest.find("*/").map(|place| place + 1);
        let end = [end, comment_end].into_iter().flatten().min();
        let statement = &rest[..end.unwrap_or(rest.len())];
        let is_label = end.is_some_and(|end| rest.as_bytes()[end] == b':');
        if !is_harmless(statement.trim(), is_label, mentions) {
            return false;
        }
        match end {
            Some(end) => rest = &rest[end + 1..],
            None => return true,
        }
    }
}

fn is_harmless(statement: &str, is_label: bool, mentions: &mut Mentions) -> bool {
    let Some(rest) = statement.strip_prefix('.') else {
        // No instruction has one, assignments do.
        return !statement.contains('=') && !statement.starts_with('\\');
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
            mentions.declared.extend(symbols());
            !arguments.contains('\\')
        }
        _ if OF_ONE_SYMBOL.contains(&name) => {
            mentions.declared.extend(symbols().next());
            !arguments.starts_with('\\')
        }
        "ifdef" | "ifndef" | "ifnotdef" => {
            mentions.asked.push(arguments.trim_matches('"').to_owned());
            !arguments.contains(['\\', '#', ' '])
        }
        _ if OF_MACROS.contains(&name) => {
            mentions.macros += usize::from(name == "macro");
            let is_gone = name == "purgem";
            mentions.macros.checked_sub(usize::from(is_gone)).is_some_and(|left| {
                mentions.macros = left;
                true
            })
        }
        "cfi_sections" => false,
        _ => name.starts_with("cfi_"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Option<Vec<String>> {
        let mut mentions = Mentions::default();
        may_stand_alone(text, &mut mentions).then_some(mentions.declared)
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
        let mut mentions = Mentions::default();
        let text = ".altmacro\n.macro m x\n.if \\x\n.ascii \"-\"\n.endif\n.endm\nm 1\n.purgem m\n.ifndef other\n.endif";
        assert!(may_stand_alone(text, &mut mentions));
        assert_eq!(mentions.asked, ["other"]);
        let declared = ["f", "g h", "f", "f"].map(str::to_owned).to_vec();
        let text = ".GLOBL f, \"g h\"\n.type f,@function\nf: ret\n.size f, .-f";
        assert_eq!(check(text), Some(declared));
    }

    #[test]
    fn what_depends_on_the_rest_of_the_module_does_not() {
        for text in [
            ".macro m\n.endm",
            ".macro m x\n\\x\n.endm\n.purgem m",
            ".macro m x\n.globl \\x\n.endm\n.purgem m",
            ".macro m x\nnop \\x\n.endm\nm \"; .symver\"\n.purgem m",
            ".purgem m",
            "a: .set b, c",
            "b = c",
            ". = . + 4",
            ".Lx=4",
            "/* x */ .org 4",
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
