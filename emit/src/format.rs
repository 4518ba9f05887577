//! Which object files are not written: those of systems that do not have ELF.

use crate::error::EmitError;
use frazil_ir::Refusal;

/// Systems whose object files are not ELF, as they begin in a triple.
const OTHER_SYSTEMS: &[&str] = &[
    "windows",
    "win32",
    "cygwin",
    "uefi",
    "darwin",
    "macos",
    "ios",
    "tvos",
    "watchos",
    "xros",
    "driverkit",
    "aix",
];

/// Whether the system of a triple has ELF files; systems that are not known are taken to have them.
///
/// # Errors
/// The system, if it has other object files.
pub fn check(triple: &str) -> Result<(), EmitError> {
    let system = triple
        .split('-')
        .find_map(|part| OTHER_SYSTEMS.iter().find(|system| part.starts_with(**system)));
    match system {
        None => Ok(()),
        Some(&system) => Err(EmitError::OtherFormat {
            refusal: Refusal::ObjectFormat,
            system,
            triple: triple.to_owned(),
        }),
    }
}
