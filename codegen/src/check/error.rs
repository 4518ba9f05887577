//! The errors of the checker.

use std::fmt;

/// Why an allocation is wrong: the place in the function and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckError {
    pub block: u32,
    /// The instruction as text, or what stands for one: an edge.
    pub inst: String,
    /// The register operand, if it is about one.
    pub operand: Option<u8>,
    pub fault: CheckFault,
}

/// How an allocation is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckFault {
    /// A place does not hold what an instruction reads there.
    Missing(Box<Missing>),
    /// A rule that holds whatever places contain is broken.
    Rule(String),
}

/// What an instruction does not find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What is read: a virtual register, a part of a value, the contents given to a fixed register.
    pub expected: String,
    /// Where it should be.
    pub place: String,
    pub found: String,
    /// Where that is so, when it is not the instruction itself.
    pub at: Option<String>,
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block {}, `{}`", self.block, self.inst)?;
        if let Some(operand) = self.operand {
            write!(f, ", operand {operand}")?;
        }
        match &self.fault {
            CheckFault::Rule(text) => write!(f, ": {text}"),
            CheckFault::Missing(missing) => {
                let Missing {
                    expected, place, found, ..
                } = &**missing;
                write!(f, ": expects {expected} in {place}, which holds {found}")?;
                missing.at.iter().try_for_each(|at| write!(f, " {at}"))
            }
        }
    }
}

impl std::error::Error for CheckError {}
