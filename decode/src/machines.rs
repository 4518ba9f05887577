//! The machines that this build contains, one for each target that hooks can be compiled for.

use crate::machine::Machine;

/// The machine with this number in ELF files.
pub(crate) fn of_elf(number: u16) -> Option<&'static Machine> {
    let machines: &[&'static Machine] = &[
        #[cfg(feature = "x86")]
        &*crate::x86::MACHINE,
        #[cfg(feature = "aarch64")]
        &*crate::aarch64::MACHINE,
    ];
    let mut machines = machines.iter().copied();
    machines.find(|machine| machine.desc.elf.machine == number)
}
