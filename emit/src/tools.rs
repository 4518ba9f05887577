//! Sections that say something to linkers and other tools about the object as a whole: which protection of control
//! flow its code allows, who made it, what it wants to be linked with. Their contents are those of LLVM.

use crate::section::SectionDesc;
use frazil_codegen::TargetDesc;
use frazil_ir::Module;
use frazil_support::Str;
use object::elf::{self, SectionFlags, SectionType};

/// The section that says who made the object; assemblers fill it by a directive of its own.
pub(crate) const IDENTIFICATIONS: &[u8] = b".comment";
/// Options for the linker, in pairs of texts (LLVM's extensions, `llvm/BinaryFormat/ELF.h`).
const SHT_LLVM_LINKER_OPTIONS: SectionType = SectionType(0x6fff_4c01);
/// Names of libraries.
const SHT_LLVM_DEPENDENT_LIBRARIES: SectionType = SectionType(0x6fff_4c04);
/// The note of properties of programs (Linux extensions to the System V ABI, section "Program property").
const NT_GNU_PROPERTY_TYPE_0: u32 = 5;

/// A section with all its contents.
#[derive(Debug)]
pub(crate) struct ToolSection {
    pub desc: SectionDesc,
    pub align_log2: u8,
    pub bytes: Vec<u8>,
}

/// The sections that a module asks for.
pub(crate) fn sections(module: &Module, target: &TargetDesc) -> Vec<ToolSection> {
    let mut found = Vec::new();
    let strings = elf::SHF_MERGE | elf::SHF_STRINGS;
    let tools = &module.tools;
    let options = (b".linker-options".as_slice(), SHT_LLVM_LINKER_OPTIONS, elf::SHF_EXCLUDE);
    add_texts(&mut found, module, options, &tools.linker_options, false);
    let libraries = (b".deplibs".as_slice(), SHT_LLVM_DEPENDENT_LIBRARIES, strings);
    add_texts(&mut found, module, libraries, &tools.dependent_libraries, false);
    let makers = (IDENTIFICATIONS, elf::SHT_PROGBITS, strings);
    add_texts(&mut found, module, makers, &tools.identifications, true);
    let commands = (b".GCC.command.line".as_slice(), elf::SHT_PROGBITS, strings);
    add_texts(&mut found, module, commands, &tools.command_lines, true);
    found.extend(properties(module, target));
    found
}

/// Adds a section of texts, each ended by a zero byte; `leads` says whether a zero byte comes first, too.
fn add_texts(
    found: &mut Vec<ToolSection>,
    module: &Module,
    (name, ty, flags): (&[u8], SectionType, SectionFlags),
    texts: &[Str],
    leads: bool,
) {
    if texts.is_empty() {
        return;
    }
    let mut bytes = if leads { vec![0] } else { Vec::new() };
    for &text in texts {
        bytes.extend_from_slice(module.strings.bytes(text));
        bytes.push(0);
    }
    let mut desc = SectionDesc::new(name, ty, flags);
    desc.entry_bytes = u64::from(desc.is_mergeable());
    found.push(ToolSection {
        desc,
        align_log2: 0,
        bytes,
    });
}

/// The note on protection of control flow, if the module says something of it.
fn properties(module: &Module, target: &TargetDesc) -> Option<ToolSection> {
    let note = target.elf.protection_note?;
    let flags = &module.flags;
    let mut bits = 0;
    if flags.marks_branch_targets || flags.declares_marked_targets && target.protects_returns {
        bits |= note.marked_targets;
    }
    if flags.allows_shadow_stack {
        bits |= note.shadow_stack;
    }
    if flags.declares_signed_returns {
        bits |= note.signed_returns;
    }
    if bits == 0 {
        return None;
    }
    let word = u32::from(target.pointer_bytes);
    let mut bytes = Vec::new();
    let mut put = |value: u32| {
        bytes.extend(match target.elf.little_endian {
            true => value.to_le_bytes(),
            false => value.to_be_bytes(),
        });
    };
    // Lengths of the owner's name and of the contents; the property is filled up to a word.
    [4, 8 + word, NT_GNU_PROPERTY_TYPE_0].into_iter().for_each(&mut put);
    put(if target.elf.little_endian {
        u32::from_le_bytes(*b"GNU\0")
    } else {
        u32::from_be_bytes(*b"GNU\0")
    });
    [note.property, 4, bits].into_iter().for_each(&mut put);
    bytes.resize(bytes.len().next_multiple_of(word as usize), 0);
    Some(ToolSection {
        desc: SectionDesc::new(b".note.gnu.property", elf::SHT_NOTE, elf::SHF_ALLOC),
        align_log2: word.trailing_zeros() as u8,
        bytes,
    })
}
