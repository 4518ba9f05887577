//! The template of a text: operands, alternatives of dialects, and the special words of LLVM's printer
//! (`EmitInlineAsmStr` in LLVM's documentation of inline assembly: `$0`, `${0:b}`, `$$`, `{att|intel}` as `$(`, `$|`,
//! `$)`, `${:uid}`, `${:private}`, `${:comment}`).

use super::{AsmOperand, AsmPiece, AsmRules, AsmSite, AsmText, flag, wrong};
use crate::error::CodegenError;

/// What labels that do not leave the object begin with.
const PRIVATE_PREFIX: &str = ".L";

/// Puts the operands into the template.
///
/// # Errors
/// When the template is not written as LLVM writes it, or an operand cannot stand where it is asked for.
pub(crate) fn expand(site: &AsmSite, rules: &dyn AsmRules) -> Result<AsmText, CodegenError> {
    let template = std::str::from_utf8(&site.data.template).map_err(|_| wrong("a template that is not UTF-8"))?;
    let is_intel = site.data.flags & flag::INTEL != 0;
    let mut expander = Expander {
        rules,
        operands: &site.operands,
        variant: u32::from(is_intel),
        alternative: None,
        text: AsmText {
            pieces: Vec::new(),
            is_intel,
            may_unwind: site.data.flags & flag::MAY_UNWIND != 0,
        },
    };
    expander.run(template)?;
    Ok(expander.text)
}

struct Expander<'a> {
    rules: &'a dyn AsmRules,
    operands: &'a [AsmOperand],
    /// Which of the alternatives is wanted.
    variant: u32,
    alternative: Option<u32>,
    text: AsmText,
}

impl Expander<'_> {
    fn run(&mut self, template: &str) -> Result<(), CodegenError> {
        let mut rest = template;
        while let Some(place) = rest.find('$') {
            self.push(&rest[..place]);
            rest = self.special(&rest[place + 1..])?;
        }
        self.push(rest);
        match self.alternative {
            None => Ok(()),
            Some(_) => Err(wrong("a template that ends within alternatives")),
        }
    }

    fn is_wanted(&self) -> bool {
        self.alternative.is_none_or(|number| number == self.variant)
    }

    fn push(&mut self, text: &str) {
        if self.is_wanted() && !text.is_empty() {
            self.text.push_str(text);
        }
    }

    /// Handles what stands after a dollar sign and returns what follows.
    fn special<'t>(&mut self, rest: &'t str) -> Result<&'t str, CodegenError> {
        let Some(first) = rest.chars().next() else {
            return Err(wrong("a template that ends with a dollar sign"));
        };
        let after = &rest[first.len_utf8()..];
        match first {
            '$' => self.push("$"),
            '(' if self.alternative.is_none() => self.alternative = Some(0),
            '|' => match &mut self.alternative {
                Some(number) => *number += 1,
                None => self.push("|"),
            },
            ')' if self.alternative.take().is_none() => self.push("}"),
            ')' => {}
            '{' => {
                let Some(end) = after.find('}') else {
                    return Err(wrong("a template with an open brace"));
                };
                self.braced(&after[..end])?;
                return Ok(&after[end + 1..]);
            }
            '0'..='9' => {
                let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                self.operand(&rest[..length], None)?;
                return Ok(&rest[length..]);
            }
            other => return Err(wrong(format!("`${other}` in a template"))),
        }
        Ok(after)
    }

    fn braced(&mut self, inside: &str) -> Result<(), CodegenError> {
        let (number, modifier) = match inside.split_once(':') {
            Some((number, modifier)) => (number, Some(modifier)),
            None => (inside, None),
        };
        if !number.is_empty() {
            return self.operand(number, modifier);
        }
        if !self.is_wanted() {
            return Ok(());
        }
        match modifier {
            Some("uid") => self.text.pieces.push(AsmPiece::UniqueNumber),
            Some("private") => self.text.push_str(PRIVATE_PREFIX),
            Some("comment") => self.text.push_str(self.rules.comment()),
            _ => return Err(wrong(format!("`${{{inside}}}` in a template"))),
        }
        Ok(())
    }

    fn operand(&mut self, number: &str, modifier: Option<&str>) -> Result<(), CodegenError> {
        let operand = number
            .parse::<usize>()
            .ok()
            .and_then(|number| self.operands.get(number));
        let Some(operand) = operand else {
            return Err(wrong(format!(
                "the template names operand {number}, which is not there"
            )));
        };
        if !self.is_wanted() {
            return Ok(());
        }
        let printed = (self.rules).print_operand(operand, modifier, self.text.is_intel, &mut self.text);
        printed.map_err(|message| wrong(format!("operand {number}: {message}")))
    }
}
