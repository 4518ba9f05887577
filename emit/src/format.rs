//! Which object files are written, and which are not: those of systems that do not have ELF, and of x32.

use crate::error::EmitError;
use frazil_ir::Refusal;
use object::elf::{self, OsAbi};

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

/// Formats that a triple may end with; ELF is the only other one that is no system's of its own.
const OTHER_FORMATS: &[&str] = &["coff", "goff", "macho", "wasm"];

/// Systems with a number of their own in the header of their files, as LLVM gives it (`getOSABI` in
/// `llvm/MC/MCELFObjectWriter.h`).
const OS_ABIS: &[(&str, OsAbi)] = &[
    ("freebsd", elf::ELFOSABI_FREEBSD),
    ("ps4", elf::ELFOSABI_FREEBSD),
    ("openbsd", elf::ELFOSABI_OPENBSD),
    ("solaris", elf::ELFOSABI_SOLARIS),
    ("hermit", elf::ELFOSABI_STANDALONE),
];

/// Whether the object files of a triple are written; systems that are not known are taken to have ELF.
///
/// # Errors
/// The system or the format, if it is another one.
pub fn check(triple: &str) -> Result<(), EmitError> {
    let other = |refusal, what: String| {
        Err(EmitError::OtherFormat {
            refusal,
            what,
            triple: triple.to_owned(),
        })
    };
    let parts: Vec<&str> = triple.split('-').skip(1).collect();
    let system = parts
        .iter()
        .find_map(|part| OTHER_SYSTEMS.iter().find(|system| part.starts_with(**system)));
    if let Some(system) = system {
        return other(Refusal::ObjectFormat, format!("object files of {system}"));
    }
    let Some(last) = parts.last() else { return Ok(()) };
    if let Some(format) = OTHER_FORMATS.iter().find(|format| last.ends_with(**format)) {
        return other(Refusal::ObjectFormat, format!("object files in the format {format}"));
    }
    match last.ends_with("x32") {
        true => other(Refusal::DataLayout, "x32, with pointers of 32 bits".to_owned()),
        false => Ok(()),
    }
}

/// The number of the triple's system in the header of its files, if it has one of its own.
pub(crate) fn os_abi(triple: &[u8]) -> Option<OsAbi> {
    let mut parts = triple.split(|&byte| byte == b'-').skip(1);
    parts.find_map(|part| {
        let row = OS_ABIS.iter().find(|(system, _)| part.starts_with(system.as_bytes()));
        row.map(|&(_, number)| number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_found_wherever_they_stand() {
        assert_eq!(os_abi(b"x86_64-unknown-freebsd14.1"), Some(elf::ELFOSABI_FREEBSD));
        assert_eq!(os_abi(b"x86_64-openbsd"), Some(elf::ELFOSABI_OPENBSD));
        for none in [
            &b""[..],
            b"x86_64",
            b"x86_64-unknown-linux-gnu",
            b"x86_64-unknown-kfreebsd-gnu",
        ] {
            assert_eq!(os_abi(none), None);
        }
    }

    #[test]
    fn other_formats_are_refused_by_name() {
        for (triple, message) in [
            ("x86_64-pc-windows-msvc", "object files of windows"),
            ("x86_64-apple-macosx10.4.0", "object files of macos"),
            ("x86_64-pc-linux-coff", "object files in the format coff"),
            ("x86_64-unknown-linux-gnux32", "x32, with pointers of 32 bits"),
        ] {
            let message = format!("not supported: {message} (triple `{triple}`); Frazil writes 64-bit ELF");
            assert_eq!(check(triple).expect_err("another format").to_string(), message);
        }
        for triple in [
            "",
            "x86_64",
            "x86_64-unknown-linux-gnu",
            "x86_64-unknown-freebsd",
            "x86_64-none-elf",
        ] {
            assert!(check(triple).is_ok(), "{triple}");
        }
    }
}
