//! The constraint string of an inline assembly call, as LLVM writes it (Language Reference, "Inline Assembler
//! Expressions").
//!
//! Constraints stand in the order outputs, inputs, labels, clobbers, parted by commas. Here they are only taken apart;
//! what letters mean, a target says.

use super::wrong;
use crate::error::CodegenError;

/// What a constraint is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// `=`: written.
    Output,
    /// Nothing before it: read.
    Input,
    /// `!`: a block that the text may jump to.
    Label,
    /// `~`: a register or something else that the text overwrites.
    Clobber,
}

/// One thing that an operand may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// Letters that the target knows.
    Letter(String),
    /// A register, or a condition, by name.
    Named(String),
    /// The same as the operand with this number.
    SameAs(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Constraint {
    pub purpose: Purpose,
    /// `*`: the operand's address is passed.
    pub is_indirect: bool,
    /// `&`: written before all inputs are read.
    pub is_early: bool,
    /// What the operand may be, for each alternative of the whole text.
    pub alternatives: Vec<Vec<Code>>,
}

/// Takes a constraint string apart.
///
/// # Errors
/// When it is not written as LLVM writes it.
pub(crate) fn parse(text: &[u8]) -> Result<Vec<Constraint>, CodegenError> {
    let text = std::str::from_utf8(text).map_err(|_| wrong("a constraint string that is not UTF-8"))?;
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let constraints: Result<Vec<_>, _> = split(text).into_iter().map(parse_one).collect();
    let constraints = constraints?;
    let count = constraints.iter().map(|one| one.alternatives.len()).max().unwrap_or(1);
    let operands = constraints.iter().filter(|one| one.purpose != Purpose::Clobber);
    let mut operands = operands.filter(|one| one.purpose != Purpose::Label);
    if operands.any(|one| one.alternatives.len() != count && one.alternatives.len() != 1) {
        return Err(wrong(format!(
            "constraints `{text}` with different numbers of alternatives"
        )));
    }
    Ok(constraints)
}

/// The constraints between commas, those in braces left aside.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn parse_one(text: &str) -> Result<Constraint, CodegenError> {
    let (purpose, mut rest) = match text.as_bytes().first() {
        Some(b'~') => (Purpose::Clobber, &text[1..]),
        Some(b'=') => (Purpose::Output, &text[1..]),
        Some(b'!') => (Purpose::Label, &text[1..]),
        _ => (Purpose::Input, text),
    };
    let (mut is_indirect, mut is_early) = (false, false);
    loop {
        match rest.as_bytes().first() {
            Some(b'*') => is_indirect = true,
            Some(b'&') => is_early = true,
            // That two operands may be exchanged is no duty.
            Some(b'%') => {}
            _ => break,
        }
        rest = &rest[1..];
    }
    let alternatives: Result<Vec<_>, _> = rest.split('|').map(codes).collect();
    let constraint = Constraint {
        purpose,
        is_indirect,
        is_early,
        alternatives: alternatives?,
    };
    Ok(constraint)
}

fn codes(text: &str) -> Result<Vec<Code>, CodegenError> {
    let malformed = || wrong(format!("the constraint `{text}`"));
    let mut codes = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '{' => rest.find('}').ok_or_else(malformed)? + 1,
            '^' => 3,
            '@' => {
                let digit = rest[1..].chars().next().and_then(|digit| digit.to_digit(10));
                2 + digit.ok_or_else(malformed)? as usize
            }
            '0'..='9' => rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()),
            other => other.len_utf8(),
        };
        let code = rest.get(..length).ok_or_else(malformed)?;
        codes.push(match first {
            '{' => Code::Named(code[1..length - 1].to_owned()),
            '^' => Code::Letter(code[1..].to_owned()),
            '@' => Code::Letter(code[2..].to_owned()),
            '0'..='9' => Code::SameAs(code.parse().map_err(|_| malformed())?),
            _ => Code::Letter(code.to_owned()),
        });
        rest = &rest[length..];
    }
    Ok(codes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(text: &str) -> Vec<Code> {
        text.chars().map(|c| Code::Letter(c.to_string())).collect()
    }

    #[test]
    fn constraints_are_taken_apart() {
        let all = parse(b"=&r,=*m,{rax},0,^Yzrm,!i,~{memory},~{dirflag}").expect("well written");
        let purposes: Vec<Purpose> = all.iter().map(|one| one.purpose).collect();
        use Purpose::*;
        assert_eq!(purposes, [Output, Output, Input, Input, Input, Label, Clobber, Clobber]);
        assert!(all[0].is_early && !all[0].is_indirect && all[1].is_indirect);
        assert_eq!(all[2].alternatives, [[Code::Named("rax".to_owned())]]);
        assert_eq!(all[3].alternatives, [[Code::SameAs(0)]]);
        let expected: Vec<Code> = [Code::Letter("Yz".to_owned())]
            .into_iter()
            .chain(letters("rm"))
            .collect();
        assert_eq!(all[4].alternatives, [expected]);
        assert_eq!(all[6].alternatives, [[Code::Named("memory".to_owned())]]);
    }

    #[test]
    fn alternatives_are_parted_and_counted() {
        let all = parse(b"=r|m,r|ri").expect("well written");
        assert_eq!(all[0].alternatives, [letters("r"), letters("m")]);
        assert_eq!(all[1].alternatives, [letters("r"), letters("ri")]);
        assert!(parse(b"=r|m,r|i|m").is_err());
        assert!(parse(b"={rax").is_err());
        assert_eq!(parse(b""), Ok(Vec::new()));
    }
}
