//! Names, strings and section directives in the syntax of GNU `as`.

use crate::names::ObjectName;
use crate::placement::Placement;
use crate::section::SectionDesc;
use object::elf::{self, SectionFlags};
use std::fmt::{self, Display, Write};

/// A name, quoted if it has to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name<'a>(pub ObjectName<'a>);

impl Display for Name<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_name(self.0, out)
    }
}

/// Writes a name, quoted if it has to be.
pub(crate) fn write_name(name: ObjectName<'_>, out: &mut dyn Write) -> fmt::Result {
    let mut bytes = Vec::new();
    name.append_to(&mut bytes);
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$');
    let text = String::from_utf8_lossy(&bytes);
    if bytes.iter().all(plain) && !bytes.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'$') {
        return out.write_str(&text);
    }
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    write!(out, "\"{escaped}\"")
}

/// Bytes as a string in quotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quoted<'a>(pub &'a [u8]);

impl Display for Quoted<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_char('"')?;
        for &byte in self.0 {
            match byte {
                b'"' | b'\\' => write!(out, "\\{}", char::from(byte))?,
                b' '..=b'~' => out.write_char(char::from(byte))?,
                _ => write!(out, "\\{byte:03o}")?,
            }
        }
        out.write_char('"')
    }
}

/// Bytes added to an address: with its sign, or nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Addend(pub i64);

impl Display for Addend {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            Ok(())
        } else {
            write!(out, "{:+}", self.0)
        }
    }
}

const FLAG_LETTERS: [(SectionFlags, char); 9] = [
    (elf::SHF_ALLOC, 'a'),
    (elf::SHF_WRITE, 'w'),
    (elf::SHF_EXECINSTR, 'x'),
    (elf::SHF_MERGE, 'M'),
    (elf::SHF_STRINGS, 'S'),
    (elf::SHF_TLS, 'T'),
    (elf::SHF_GNU_RETAIN, 'R'),
    (elf::SHF_EXCLUDE, 'e'),
    (elf::SHF_LINK_ORDER, 'o'),
];

/// The directive that switches to a section; `unique` tells it from others of its name.
pub(super) fn section_directive(desc: &SectionDesc, placement: &Placement<'_>, unique: u32) -> String {
    let mut flags: String = FLAG_LETTERS
        .iter()
        .filter(|(flag, _)| desc.has(*flag))
        .map(|(_, letter)| letter)
        .collect();
    let far = placement.target.elf.far_sections;
    flags.extend(far.filter(|far| desc.has(SectionFlags(far.flag))).map(|far| far.letter));
    if desc.group.is_some() {
        flags.push('G');
    }
    let number;
    let kind = match desc.ty {
        elf::SHT_NOBITS => "nobits",
        elf::SHT_NOTE => "note",
        elf::SHT_INIT_ARRAY => "init_array",
        elf::SHT_FINI_ARRAY => "fini_array",
        elf::SHT_PREINIT_ARRAY => "preinit_array",
        elf::SHT_PROGBITS => "progbits",
        elf::SectionType(other) => {
            number = format!("{other:#x}");
            &number
        }
    };
    let mut text = format!(
        "\t.section\t{},\"{flags}\",@{kind}",
        Name(ObjectName::plain(&desc.name))
    );
    if desc.is_mergeable() {
        text.push_str(&format!(",{}", desc.entry_bytes));
    }
    if let Some(symbol) = desc.associated {
        match placement.module.symbols[symbol].is_defined() {
            true => text.push_str(&format!(",{}", Name(ObjectName::of_symbol(placement.module, symbol)))),
            false => text.push_str(",0"),
        }
    }
    if let Some(group) = desc.group {
        text.push_str(&format!(",{}", Name(ObjectName::plain(placement.group_name(group)))));
        if placement.group_is_comdat(group) {
            text.push_str(",comdat");
        }
    }
    if unique > 0 {
        text.push_str(&format!(",unique,{unique}"));
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_strings_are_quoted_where_needed() {
        let name = |text: &'static str| Name(ObjectName::plain(text.as_bytes())).to_string();
        assert_eq!(name("_ZN4core3fmt$x"), "_ZN4core3fmt$x");
        assert_eq!(name("a b"), "\"a b\"");
        assert_eq!(name("$a"), "\"$a\"");
        assert_eq!(name("a\"b"), "\"a\\\"b\"");
        assert_eq!(Quoted(b"a\"\n\x01z").to_string(), "\"a\\\"\\012\\001z\"");
        assert_eq!(format!("{}{}{}", Addend(0), Addend(4), Addend(-4)), "+4-4");
    }
}
