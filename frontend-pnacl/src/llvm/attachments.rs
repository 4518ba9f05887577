//! What is attached to symbols: where they are placed, and what else is said of them.

use super::metadata::Attached;
use crate::builder::data::{integer_value, word_value};
use crate::builder::tables::{ModuleTables, ModuleValue};
use frazil_ir::module::Attachments;

/// Takes over one attachment.
pub(crate) fn attach(module: &ModuleTables, what: Attached, attachments: &mut Attachments) {
    match what {
        Attached::SectionPrefix(text) => attachments.section_prefix = text,
        Attached::Absolute(low, high) => {
            let number = |value| integer_value(module, value).map(i64::cast_unsigned);
            attachments.absolute = number(low).zip(number(high));
        }
        Attached::Associated(value) => {
            let known = usize::try_from(value).ok().and_then(|value| module.values.get(value));
            if let Some(&ModuleValue::Symbol(symbol)) = known {
                attachments.associated = Some(symbol);
            }
        }
        Attached::Exclude => attachments.is_excluded = true,
        Attached::TypeWords(first, second) => {
            let word = |value| word_value(module, value);
            attachments.type_words = word(first).zip(word(second));
        }
        Attached::Unsupported(_) => {}
    }
}

/// Why something attached to a function cannot be compiled, if that is so.
pub(crate) fn refusal(module: &ModuleTables, what: &Attached) -> Option<String> {
    match what {
        Attached::Unsupported(name) => Some(format!("metadata !{name} of a function")),
        Attached::TypeWords(first, second) => {
            let is_word = |value| word_value(module, value).is_some();
            let fits = is_word(*first) && is_word(*second);
            (!fits).then(|| "metadata !func_sanitize that is not two integers of 32 bits".to_owned())
        }
        _ => None,
    }
}
