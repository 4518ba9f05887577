//! Relocation and fixup kinds.

use frazil_codegen::{FixupDesc, RefKind, RelocDesc};

/// The address of a symbol in 4 bytes.
pub const ABS32: u8 = 0;
/// The distance in words from a call to its target, in the upper 24 bits of the instruction.
pub const CALL24: u8 = 1;
/// The address of a symbol, zero-extended, in 8 bytes.
pub const ABS64: u8 = 2;

/// The relocation kinds.
pub static RELOCS: &[RelocDesc] = &[
    RelocDesc {
        name: "TESTISA_ABS32",
        elf_type: 1,
        size_bytes: 4,
        store_distance: None,
        store_addend: Some(store_number),
        reference: RefKind::Symbol,
        label_fixup: None,
    },
    RelocDesc {
        name: "TESTISA_CALL24",
        elf_type: 2,
        size_bytes: 4,
        store_distance: Some(patch_upper_24),
        store_addend: Some(patch_upper_24),
        reference: RefKind::Plt,
        label_fixup: None,
    },
    RelocDesc {
        name: "TESTISA_ABS64",
        elf_type: 3,
        size_bytes: 8,
        store_distance: None,
        store_addend: Some(store_zero_extended),
        reference: RefKind::Symbol,
        label_fixup: None,
    },
];

/// Distance in words, signed, in the top byte of a conditional branch.
pub const BRANCH8: u8 = 0;
/// Distance in words, signed, in the upper 24 bits of a jump.
pub const JUMP24: u8 = 1;
/// Distance in bytes in a word: the second word of a label's address, and entries of jump tables.
pub const WORD: u8 = 2;
/// Distance in words, signed, in the upper 13 bits of a load of a constant.
pub const LITERAL13: u8 = 3;

fn store_number(field: &mut [u8], addend: i64) -> bool {
    let (Some(field), Ok(number)) = (field.first_chunk_mut(), i32::try_from(addend)) else {
        return false;
    };
    *field = number.to_le_bytes();
    true
}

fn store_zero_extended(field: &mut [u8], addend: i64) -> bool {
    let Some(field) = field.first_chunk_mut() else {
        return false;
    };
    *field = addend.to_le_bytes();
    true
}

fn patch_branch(bytes: &mut [u8], distance_bytes: i64) -> bool {
    let words = i8::try_from(distance_bytes / 4);
    words.map(|words| bytes[3] = words.cast_unsigned()).is_ok()
}

fn patch_upper_24(bytes: &mut [u8], distance_bytes: i64) -> bool {
    let words = distance_bytes / 4;
    if words << 40 >> 40 != words {
        return false;
    }
    bytes[1..4].copy_from_slice(&words.to_le_bytes()[..3]);
    true
}

fn patch_upper_13(bytes: &mut [u8], distance_bytes: i64) -> bool {
    let words = distance_bytes / 4;
    if words << 51 >> 51 != words {
        return false;
    }
    let field = (words as u32) << 19;
    bytes[2] |= (field >> 16) as u8;
    bytes[3] = (field >> 24) as u8;
    true
}

fn patch_word(bytes: &mut [u8], distance_bytes: i64) -> bool {
    let word = i32::try_from(distance_bytes);
    word.map(|word| bytes[..4].copy_from_slice(&word.to_le_bytes())).is_ok()
}

/// The fixup kinds.
pub static FIXUPS: &[FixupDesc] = &[
    FixupDesc {
        name: "conditional branch",
        patch: patch_branch,
    },
    FixupDesc {
        name: "jump",
        patch: patch_upper_24,
    },
    FixupDesc {
        name: "label address",
        patch: patch_word,
    },
    FixupDesc {
        name: "constant",
        patch: patch_upper_13,
    },
];
