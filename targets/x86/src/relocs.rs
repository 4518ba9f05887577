//! Relocation and fixup kinds of x86.
//!
//! Relocation numbers of 64-bit code are those of the System V ABI for x86-64, table 4.10; those of 32-bit code
//! ([`in_32_bits`]) are the ones of the System V ABI for Intel386, table 4.9, and its supplements. A label field holds,
//! before the label is known, the number to be added to the distance from the field's start to the label: -4 for a
//! field that ends its instruction, less when an immediate follows.

use frazil_codegen::{FixupDesc, RefKind, RelocDesc, ShortForm};

/// Stores an addend in a field; `false` when it is out of range.
type StoreAddend = fn(&mut [u8], i64) -> bool;

macro_rules! relocs {
    (addends: $size_bytes:ident $addend:expr; $($name:ident $elf_name:literal $elf_type:literal $size:literal $store:expr, $reference:ident $label:expr, $doc:literal;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Index { $($name),* }
        $(#[doc = $doc] pub const $name: u8 = Index::$name as u8;)*
        const fn store_addend($size_bytes: u8) -> Option<StoreAddend> {
            $addend
        }
        /// Relocation kinds by index.
        pub static RELOCS: &[RelocDesc] = &[$(RelocDesc {
            name: $elf_name,
            elf_type: $elf_type,
            size_bytes: $size,
            store_distance: $store,
            store_addend: store_addend($size),
            reference: RefKind::$reference,
            label_fixup: $label,
        }),*];
    };
}

relocs! {
    addends: _size_bytes None;
    ABS64 "R_X86_64_64" 1 8 None, Symbol None, "Absolute address, 8 bytes.";
    ABS32 "R_X86_64_32" 10 4 None, Symbol None, "Absolute address that fits 4 bytes zero-extended.";
    ABS32S "R_X86_64_32S" 11 4 None, Symbol None, "Absolute address that fits 4 bytes sign-extended.";
    ABS16 "R_X86_64_16" 12 2 None, Symbol None, "The low 2 bytes of an absolute address.";
    ABS8 "R_X86_64_8" 14 1 None, Symbol None, "The low byte of an absolute address.";
    PC32 "R_X86_64_PC32" 2 4 Some(store_distance32), Symbol Some(REL32), "Distance from the field, 4 bytes.";
    PC64 "R_X86_64_PC64" 24 8 Some(store_distance64), Symbol None, "Distance from the field, 8 bytes.";
    // Texts of assembly with branches to labels are not encoded apart from these, since near ones are shorter.
    PLT32 "R_X86_64_PLT32" 4 4 Some(store_distance32), Plt None, "Distance from the field to the function or its linkage table entry.";
    GOTPCREL "R_X86_64_GOTPCREL" 9 4 None, Got None, "Distance from the field to the symbol's slot of the global offset table.";
    GOTPCRELX "R_X86_64_GOTPCRELX" 41 4 None, Got None, "The same in an instruction without REX that the linker may rewrite.";
    REX_GOTPCRELX "R_X86_64_REX_GOTPCRELX" 42 4 None, Got None, "The same in an instruction with REX that the linker may rewrite.";
    TLSGD "R_X86_64_TLSGD" 19 4 None, TlsGeneralDynamic None, "Distance to the general-dynamic descriptor of a thread-local symbol.";
    TLSLD "R_X86_64_TLSLD" 20 4 None, TlsLocalDynamic None, "Distance to the local-dynamic descriptor of the module.";
    DTPOFF32 "R_X86_64_DTPOFF32" 21 4 None, TlsDtpOffset None, "Offset in the module's block of thread-local storage, 4 bytes.";
    DTPOFF64 "R_X86_64_DTPOFF64" 17 8 None, TlsDtpOffset None, "Offset in the module's block of thread-local storage, 8 bytes.";
    GOTTPOFF "R_X86_64_GOTTPOFF" 22 4 None, TlsInitialExec None, "Distance to the slot with the symbol's offset from the thread pointer.";
    TPOFF32 "R_X86_64_TPOFF32" 23 4 None, TlsLocalExec None, "Offset from the thread pointer.";
}

/// The relocations of 32-bit code. Addends are in the fields.
pub mod in_32_bits {
    use super::{REL32, StoreAddend, store_distance32, store_number};
    use frazil_codegen::{RefKind, RelocDesc};

    relocs! {
        addends: size_bytes Some(match size_bytes {
            1 => store_number::<1>,
            2 => store_number::<2>,
            _ => store_number::<4>,
        });
        ABS32 "R_386_32" 1 4 None, Symbol None, "Absolute address.";
        ABS16 "R_386_16" 20 2 None, Symbol None, "The low 2 bytes of an absolute address.";
        ABS8 "R_386_8" 22 1 None, Symbol None, "The low byte of an absolute address.";
        PC32 "R_386_PC32" 2 4 Some(store_distance32), Symbol Some(REL32), "Distance from the field.";
        PLT32 "R_386_PLT32" 4 4 Some(store_distance32), Plt None, "Distance from the field to the function or its linkage table entry.";
        GOT32 "R_386_GOT32" 3 4 None, Got None, "Distance of the symbol's slot from the global offset table, or its address.";
        GOT32X "R_386_GOT32X" 43 4 None, Got None, "The same in an instruction that the linker may rewrite.";
        GOTPC "R_386_GOTPC" 10 4 None, Symbol None, "Distance from the field to the global offset table.";
        GOTOFF "R_386_GOTOFF" 9 4 None, Symbol None, "Distance of the symbol from the global offset table.";
        TLS_GD "R_386_TLS_GD" 18 4 None, TlsGeneralDynamic None, "Distance of the general-dynamic descriptor of a thread-local symbol from the global offset table.";
        TLS_LDM "R_386_TLS_LDM" 19 4 None, TlsLocalDynamic None, "Distance of the local-dynamic descriptor of the module from the global offset table.";
        TLS_LDO "R_386_TLS_LDO_32" 32 4 None, TlsDtpOffset None, "Offset in the module's block of thread-local storage.";
        TLS_IE "R_386_TLS_IE" 15 4 None, TlsInitialExec None, "Address of the slot with the symbol's offset from the thread pointer.";
        TLS_GOTIE "R_386_TLS_GOTIE" 16 4 None, TlsInitialExec None, "Distance of that slot from the global offset table.";
        TLS_LE "R_386_TLS_LE" 17 4 None, TlsLocalExec None, "Offset from the thread pointer.";
    }
}

/// Fixup: a signed 4-byte distance.
pub const REL32: u8 = 0;
/// Fixup: a signed byte distance.
pub const REL8: u8 = 1;
/// Fixup: as [`REL32`], in an unconditional branch.
pub const JUMP32: u8 = 2;
/// Fixup: as [`REL32`], in a conditional branch.
pub const CONDITIONAL32: u8 = 3;

/// The short branches: `E9` becomes `EB`, `0F 80` and the following become `70` and the following. Their fields count
/// from their ends.
pub static SHORT_FORMS: &[ShortForm] = &[
    short_form(JUMP32, 1, |branch| [branch[0], branch[1]] = [0xeb, 0xff]),
    short_form(CONDITIONAL32, 2, |branch| {
        [branch[0], branch[1]] = [branch[1] - 0x10, 0xff];
    }),
];

const fn short_form(long: u8, lead_bytes: u8, rewrite: fn(&mut [u8])) -> ShortForm {
    ShortForm {
        long,
        lead_bytes,
        field_bytes: 4,
        short: REL8,
        short_bytes: 2,
        short_lead_bytes: 1,
        min_distance: i8::MIN as i32,
        max_distance: i8::MAX as i32,
        rewrite,
    }
}

/// Fixup kinds by index.
pub static FIXUPS: &[FixupDesc] = &[
    FixupDesc {
        name: "rel32",
        patch: add_distance32,
    },
    FixupDesc {
        name: "rel8",
        patch: add_distance8,
    },
    FixupDesc {
        name: "jump",
        patch: add_distance32,
    },
    FixupDesc {
        name: "conditional jump",
        patch: add_distance32,
    },
];

fn store_distance32(field: &mut [u8], distance_bytes: i64) -> bool {
    let (Some(field), Ok(value)) = (field.first_chunk_mut::<4>(), i32::try_from(distance_bytes)) else {
        return false;
    };
    *field = value.to_le_bytes();
    true
}

/// Stores an addend in a field of `BYTES` bytes, where linkers look for it.
fn store_number<const BYTES: usize>(field: &mut [u8], addend: i64) -> bool {
    let Some(field) = field.first_chunk_mut::<BYTES>() else {
        return false;
    };
    let (bytes, above) = (addend.to_le_bytes(), addend >> (8 * BYTES - 1));
    field.copy_from_slice(&bytes[..BYTES]);
    // Signed or unsigned.
    matches!(above, -1..=1)
}

fn store_distance64(field: &mut [u8], distance_bytes: i64) -> bool {
    let Some(field) = field.first_chunk_mut::<8>() else {
        return false;
    };
    *field = distance_bytes.to_le_bytes();
    true
}

fn add_distance32(bytes: &mut [u8], distance_bytes: i64) -> bool {
    let Some(field) = bytes.first_chunk_mut::<4>() else {
        return false;
    };
    let Ok(value) = i32::try_from(i64::from(i32::from_le_bytes(*field)) + distance_bytes) else {
        return false;
    };
    *field = value.to_le_bytes();
    true
}

fn add_distance8(bytes: &mut [u8], distance_bytes: i64) -> bool {
    let Some(field) = bytes.first_mut() else {
        return false;
    };
    let Ok(value) = i8::try_from(i64::from(field.cast_signed()) + distance_bytes) else {
        return false;
    };
    *field = value.cast_unsigned();
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_add_the_distance_and_refuse_what_does_not_fit() {
        let mut field = (-4i32).to_le_bytes();
        assert!((FIXUPS[usize::from(REL32)].patch)(&mut field, 0x1000));
        assert_eq!(i32::from_le_bytes(field), 0xffc);
        assert!(!(FIXUPS[usize::from(REL32)].patch)(&mut field, i64::from(i32::MAX)));
        let mut byte = [0xff];
        assert!((FIXUPS[usize::from(REL8)].patch)(&mut byte, 128));
        assert_eq!(byte, [127]);
        assert!(!(FIXUPS[usize::from(REL8)].patch)(&mut byte, 1));
    }

    #[test]
    fn distances_in_a_section_are_stored_in_the_width_of_the_field() {
        for row in RELOCS {
            let Some(store) = row.store_distance else { continue };
            let mut field = vec![0xcc; usize::from(row.size_bytes)];
            assert!(store(&mut field, -2), "{}", row.name);
            assert_eq!(field[0], 0xfe);
            assert!(field[1..].iter().all(|&byte| byte == 0xff), "{}", row.name);
            assert_eq!(store(&mut field, 1 << 31), row.size_bytes == 8, "{}", row.name);
        }
    }
}
