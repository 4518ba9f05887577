//! The part of an input that is compiled: all of it, or a module in it.

use crate::diagnostics::{Diagnostic, Error, Stage};
use frazil_frontend_pnacl::ReadErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The part of a file that is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The bytes; without them, all.
    pub(crate) range: Option<Range<u64>>,
    /// Which of several modules of a stream there it is, counted from 0.
    pub(crate) number: Option<usize>,
    /// Which of several modules of the file or member it is, counted from 0.
    pub(crate) ordinal: Option<usize>,
    /// The member of an archive.
    pub(crate) member: Option<PathBuf>,
    /// Why there is no such part.
    pub(crate) complaint: Option<String>,
}

impl Part {
    /// Whether it is all of the file.
    pub fn is_whole(&self) -> bool {
        *self == Part::default()
    }

    /// Its name in messages, given the file's.
    pub fn name_in(&self, file: String) -> String {
        let name = match &self.member {
            Some(member) => format!("{file}({})", member.display()),
            None => file,
        };
        match self.ordinal {
            Some(ordinal) => format!("{name} (module {ordinal})"),
            None => name,
        }
    }

    /// The path by whose ending it is seen what it may be, given the file's.
    pub fn path_in(&self, file: &Path) -> PathBuf {
        self.member.clone().unwrap_or_else(|| file.to_owned())
    }

    /// Which of several modules of its stream it is.
    pub fn number(&self) -> Option<usize> {
        self.number
    }

    /// The bytes of a file of so many, if not all.
    ///
    /// # Errors
    /// If there are no such bytes, or there was no such part at all.
    pub fn range(&self, length: usize) -> Result<Option<Range<usize>>, Error> {
        let wrong = |message: String| {
            let refusal = ReadErrorKind::NotBitcode.refusal();
            Error::from(Diagnostic::refusal(Stage::Read, refusal, message, None))
        };
        if let Some(complaint) = &self.complaint {
            return Err(wrong(complaint.clone()));
        }
        let Some(range) = &self.range else { return Ok(None) };
        let place = |number| usize::try_from(number).ok().filter(|&number| number <= length);
        match (place(range.start), place(range.end)) {
            (Some(start), Some(end)) if start <= end => Ok(Some(start..end)),
            _ => Err(wrong(format!(
                "bytes {} to {} of {length}, as the container says: it is damaged, or was changed",
                range.start, range.end
            ))),
        }
    }

    /// These bytes.
    pub(crate) fn of(range: Range<u64>) -> Part {
        Part {
            range: Some(range),
            ..Part::default()
        }
    }

    /// No part, for a reason.
    pub(crate) fn refused(complaint: String) -> Part {
        Part {
            complaint: Some(complaint),
            ..Part::default()
        }
    }

    /// The same part of a member that begins at `start`.
    pub(crate) fn within(self, member: &Path, start: u64, length: u64) -> Part {
        let inner = self.range.unwrap_or(0..length);
        let shifted = inner.start.saturating_add(start)..inner.end.saturating_add(start);
        Part {
            range: Some(shifted),
            member: Some(member.to_owned()),
            ..self
        }
    }
}
