//! Words of assembly, as far as they may be names of symbols.
//!
//! No syntax of a target is known here. A word is a run of letters, digits and `_.$`; it is defined where a statement
//! begins with it and a colon or an equals sign, or where a directive says so, and exported by others. To take a word
//! for a name that is none costs only balance.

/// Directives that define the words after them, for the object that they stand in.
const DEFINING: [&[u8]; 7] = [b".set", b".equ", b".equiv", b".macro", b".comm", b".lcomm", b".local"];
/// Directives that let other objects see the words after them.
const EXPORTING: [&[u8]; 3] = [b".globl", b".global", b".weak"];

/// What a text says of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Used,
    Defined,
    Exported,
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$') || !byte.is_ascii()
}

/// The words of a text that are no numbers, each with its role there.
pub fn words(text: &[u8]) -> Vec<(&[u8], Role)> {
    let mut found = Vec::new();
    for statement in text.split(|&byte| matches!(byte, b'\n' | b';')) {
        let mut directive = Role::Used;
        let mut is_first = true;
        let mut rest = statement;
        while let Some(start) = rest.iter().position(|&byte| is_part(byte)) {
            let (before, from) = rest.split_at_checked(start).unwrap_or_default();
            is_first &= before
                .iter()
                .all(|&byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b':'));
            let length = from.iter().position(|&byte| !is_part(byte)).unwrap_or(from.len());
            let (word, after) = from.split_at_checked(length).unwrap_or_default();
            rest = after;
            // A dollar in front marks a number, or an operand of the text.
            let dollars = word.iter().take_while(|&&byte| byte == b'$').count();
            let word = word.get(dollars..).unwrap_or_default();
            if DEFINING.contains(&word) {
                directive = Role::Defined;
            } else if EXPORTING.contains(&word) {
                directive = Role::Exported;
            } else if word.first().is_some_and(|first| !first.is_ascii_digit()) {
                let is_label = is_first && matches!(after.trim_ascii_start().first(), Some(b':' | b'='));
                let role = if is_label { Role::Defined } else { directive };
                is_first &= is_label;
                found.push((word, role));
                // Only the first word of these is defined.
                if directive == Role::Defined {
                    directive = Role::Used;
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_roles() {
        let text =
            b".globl a, b\na: call c$d@PLT; .set e, f\n movl $$g, %eax\n h = 3; jmp 1f; mov %fs:0, %eax; i: j: nop";
        let found = words(text);
        let roles = |name: &str| -> Vec<Role> {
            let named = found.iter().filter(|row| row.0 == name.as_bytes());
            named.map(|row| row.1).collect()
        };
        assert_eq!(roles("a"), [Role::Exported, Role::Defined]);
        assert_eq!(roles("b"), [Role::Exported]);
        assert_eq!(roles("c$d"), [Role::Used]);
        assert_eq!(roles("e"), [Role::Defined]);
        assert_eq!(roles("f"), [Role::Used]);
        assert_eq!(roles("g"), [Role::Used]);
        assert_eq!(roles("h"), [Role::Defined]);
        assert_eq!(roles("fs"), [Role::Used]);
        assert_eq!([roles("i"), roles("j")].concat(), [Role::Defined; 2]);
        assert_eq!(roles("1f"), []);
    }
}
