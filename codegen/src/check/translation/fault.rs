//! The errors of the validator.

use std::fmt;
use thiserror::Error;

/// A difference between the code before a pass and after it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct TranslationFault {
    pub message: String,
    /// The block and the instruction in the function before.
    pub before: Option<(u32, u32)>,
    /// The block and the instruction in the function after.
    pub after: Option<(u32, u32)>,
}

impl TranslationFault {
    pub(super) fn of(message: impl Into<String>) -> TranslationFault {
        TranslationFault {
            message: message.into(),
            before: None,
            after: None,
        }
    }
}

impl fmt::Display for TranslationFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        for (which, place) in [("before", self.before), ("after", self.after)] {
            if let Some((block, inst)) = place {
                write!(f, "; {which}: block {block}, instruction {inst}")?;
            }
        }
        Ok(())
    }
}
