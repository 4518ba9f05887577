//! Relocation and fixup kinds of AArch64.
//!
//! Relocations and their numbers are those of ELF for the Arm 64-bit Architecture, 5.7; addends are always beside the
//! field. A label field holds zeros before the label is known.

use frazil_codegen::{FixupDesc, RefKind, RelocDesc};

macro_rules! relocs {
    ($($name:ident $elf_name:literal $elf_type:literal $size:literal $store:expr, $reference:ident $label:expr,
        $operator:literal $doc:literal;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Index { $($name),* }
        $(#[doc = $doc] pub const $name: u8 = Index::$name as u8;)*
        /// Relocation kinds by index.
        pub static RELOCS: &[RelocDesc] = &[$(RelocDesc {
            name: $elf_name,
            elf_type: $elf_type,
            size_bytes: $size,
            store_distance: $store,
            store_addend: None,
            reference: RefKind::$reference,
            label_fixup: $label,
        }),*];
        /// What says in text that an operand has a relocation, by index; empty if nothing does.
        static OPERATORS: &[&str] = &[$($operator),*];
    };
}

relocs! {
    ABS64 "R_AARCH64_ABS64" 257 8 None, Symbol None, "" "Absolute address, 8 bytes.";
    ABS32 "R_AARCH64_ABS32" 258 4 None, Symbol None, "" "Absolute address, 4 bytes.";
    ABS16 "R_AARCH64_ABS16" 259 2 None, Symbol None, "" "Absolute address, 2 bytes.";
    PREL64 "R_AARCH64_PREL64" 260 8 Some(store_distance64), Symbol None, "" "Distance from the field, 8 bytes.";
    PREL32 "R_AARCH64_PREL32" 261 4 Some(store_distance32), Symbol None, "" "Distance from the field, 4 bytes.";
    PREL16 "R_AARCH64_PREL16" 262 2 None, Symbol None, "" "Distance from the field, 2 bytes.";
    PLT32 "R_AARCH64_PLT32" 314 4 Some(store_distance32), Plt None, "" "Distance from the field to a function or its linkage table entry, 4 bytes.";
    GOTPCREL32 "R_AARCH64_GOTPCREL32" 315 4 None, Got None, "" "Distance from the field to the symbol's slot of the global offset table, 4 bytes.";
    CALL26 "R_AARCH64_CALL26" 283 4 Some(patch_26), Plt Some(BRANCH26), "" "The distance of a call.";
    JUMP26 "R_AARCH64_JUMP26" 282 4 Some(patch_26), Plt Some(BRANCH26), "" "The distance of a branch.";
    CONDBR19 "R_AARCH64_CONDBR19" 280 4 Some(patch_19), Symbol Some(BRANCH19), "" "The distance of a conditional branch.";
    TSTBR14 "R_AARCH64_TSTBR14" 279 4 Some(patch_14), Symbol Some(BRANCH14), "" "The distance of a branch on a bit.";
    LD_PREL_LO19 "R_AARCH64_LD_PREL_LO19" 273 4 Some(patch_19), Symbol Some(LITERAL19), "" "The distance of a load near the instruction.";
    ADR_PREL_LO21 "R_AARCH64_ADR_PREL_LO21" 274 4 Some(patch_address), Symbol Some(ADDRESS21), "" "A near address.";
    ADR_PREL_PG_HI21 "R_AARCH64_ADR_PREL_PG_HI21" 275 4 None, Symbol None, "" "The distance of an address's page from that of the instruction.";
    ADD_ABS_LO12_NC "R_AARCH64_ADD_ABS_LO12_NC" 277 4 None, Symbol None, ":lo12:" "An address in its page, in a sum.";
    LDST8_ABS_LO12_NC "R_AARCH64_LDST8_ABS_LO12_NC" 278 4 None, Symbol None, ":lo12:" "The same in an access of a byte.";
    LDST16_ABS_LO12_NC "R_AARCH64_LDST16_ABS_LO12_NC" 284 4 None, Symbol None, ":lo12:" "The same of 2 bytes.";
    LDST32_ABS_LO12_NC "R_AARCH64_LDST32_ABS_LO12_NC" 285 4 None, Symbol None, ":lo12:" "The same of 4 bytes.";
    LDST64_ABS_LO12_NC "R_AARCH64_LDST64_ABS_LO12_NC" 286 4 None, Symbol None, ":lo12:" "The same of 8 bytes.";
    LDST128_ABS_LO12_NC "R_AARCH64_LDST128_ABS_LO12_NC" 299 4 None, Symbol None, ":lo12:" "The same of 16 bytes.";
    GOT_LD_PREL19 "R_AARCH64_GOT_LD_PREL19" 309 4 None, Got None, ":got:" "The distance of the symbol's slot of the global offset table.";
    ADR_GOT_PAGE "R_AARCH64_ADR_GOT_PAGE" 311 4 None, Got None, ":got:" "The distance of that slot's page.";
    LD64_GOT_LO12_NC "R_AARCH64_LD64_GOT_LO12_NC" 312 4 None, Got None, ":got_lo12:" "That slot in its page.";
    MOVW_UABS_G0 "R_AARCH64_MOVW_UABS_G0" 263 4 None, Symbol None, ":abs_g0:" "The lowest 16 bits of an address that has no more.";
    MOVW_UABS_G0_NC "R_AARCH64_MOVW_UABS_G0_NC" 264 4 None, Symbol None, ":abs_g0_nc:" "The lowest 16 bits of an address.";
    MOVW_UABS_G1_NC "R_AARCH64_MOVW_UABS_G1_NC" 266 4 None, Symbol None, ":abs_g1_nc:" "The 16 bits above these.";
    MOVW_UABS_G2_NC "R_AARCH64_MOVW_UABS_G2_NC" 268 4 None, Symbol None, ":abs_g2_nc:" "The 16 bits above these.";
    MOVW_UABS_G3 "R_AARCH64_MOVW_UABS_G3" 269 4 None, Symbol None, ":abs_g3:" "The highest 16 bits of an address.";
    TLSLE_ADD_TPREL_HI12 "R_AARCH64_TLSLE_ADD_TPREL_HI12" 549 4 None, TlsLocalExec None, ":tprel_hi12:" "Bits 12 to 23 of the offset from the thread pointer.";
    TLSLE_ADD_TPREL_LO12_NC "R_AARCH64_TLSLE_ADD_TPREL_LO12_NC" 551 4 None, TlsLocalExec None, ":tprel_lo12_nc:" "The lower 12 bits of it.";
    TLSLE_LDST8_TPREL_LO12_NC "R_AARCH64_TLSLE_LDST8_TPREL_LO12_NC" 553 4 None, TlsLocalExec None, ":tprel_lo12_nc:" "The same in an access of a byte.";
    TLSLE_LDST16_TPREL_LO12_NC "R_AARCH64_TLSLE_LDST16_TPREL_LO12_NC" 555 4 None, TlsLocalExec None, ":tprel_lo12_nc:" "The same of 2 bytes.";
    TLSLE_LDST32_TPREL_LO12_NC "R_AARCH64_TLSLE_LDST32_TPREL_LO12_NC" 557 4 None, TlsLocalExec None, ":tprel_lo12_nc:" "The same of 4 bytes.";
    TLSLE_LDST64_TPREL_LO12_NC "R_AARCH64_TLSLE_LDST64_TPREL_LO12_NC" 559 4 None, TlsLocalExec None, ":tprel_lo12_nc:" "The same of 8 bytes.";
    TLSLE_LDST128_TPREL_LO12_NC "R_AARCH64_TLSLE_LDST128_TPREL_LO12_NC" 571 4 None, TlsLocalExec None, ":tprel_lo12_nc:" "The same of 16 bytes.";
    TLSLD_ADD_DTPREL_HI12 "R_AARCH64_TLSLD_ADD_DTPREL_HI12" 528 4 None, TlsDtpOffset None, ":dtprel_hi12:" "Bits 12 to 23 of the offset in the module's block of thread-local storage.";
    TLSLD_ADD_DTPREL_LO12_NC "R_AARCH64_TLSLD_ADD_DTPREL_LO12_NC" 530 4 None, TlsDtpOffset None, ":dtprel_lo12_nc:" "The lower 12 bits of it.";
    TLSIE_ADR_GOTTPREL_PAGE21 "R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21" 541 4 None, TlsInitialExec None, ":gottprel:" "The distance of the page of the slot with the symbol's offset from the thread pointer.";
    TLSIE_LD64_GOTTPREL_LO12_NC "R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC" 542 4 None, TlsInitialExec None, ":gottprel_lo12:" "That slot in its page.";
    TLSIE_LD_GOTTPREL_PREL19 "R_AARCH64_TLSIE_LD_GOTTPREL_PREL19" 543 4 None, TlsInitialExec None, ":gottprel:" "The distance of that slot.";
    TLSDESC_ADR_PAGE21 "R_AARCH64_TLSDESC_ADR_PAGE21" 562 4 None, TlsGeneralDynamic None, ":tlsdesc:" "The distance of the page of the symbol's descriptor.";
    TLSDESC_LD64_LO12 "R_AARCH64_TLSDESC_LD64_LO12" 563 4 None, TlsGeneralDynamic None, ":tlsdesc_lo12:" "The descriptor in its page, in an access.";
    TLSDESC_ADD_LO12 "R_AARCH64_TLSDESC_ADD_LO12" 564 4 None, TlsGeneralDynamic None, ":tlsdesc_lo12:" "The same in a sum.";
    TLSDESC_CALL "R_AARCH64_TLSDESC_CALL" 569 4 None, TlsGeneralDynamic None, "" "Marks the call of a descriptor's function.";
}

/// What says in text that an operand has a relocation.
pub fn operator(kind: u8) -> &'static str {
    OPERATORS[usize::from(kind)]
}

/// The relocation of an instruction that makes the page of what a reference of this kind names.
pub fn page(kind: RefKind) -> u8 {
    match kind {
        RefKind::Got => ADR_GOT_PAGE,
        RefKind::TlsInitialExec => TLSIE_ADR_GOTTPREL_PAGE21,
        RefKind::TlsGeneralDynamic => TLSDESC_ADR_PAGE21,
        _ => ADR_PREL_PG_HI21,
    }
}

/// The relocation of an instruction that has a quarter of an address: the lowest one has the number 0.
pub fn quarter(number: i32) -> u8 {
    match number {
        0 => MOVW_UABS_G0_NC,
        1 => MOVW_UABS_G1_NC,
        2 => MOVW_UABS_G2_NC,
        _ => MOVW_UABS_G3,
    }
}

/// The relocation of an instruction that adds the place in the page.
pub fn low_sum(kind: RefKind) -> u8 {
    match kind {
        RefKind::TlsLocalExec => TLSLE_ADD_TPREL_LO12_NC,
        RefKind::TlsDtpOffset => TLSLD_ADD_DTPREL_LO12_NC,
        RefKind::TlsGeneralDynamic => TLSDESC_ADD_LO12,
        _ => ADD_ABS_LO12_NC,
    }
}

/// The relocation of an instruction that adds bits 12 to 23.
pub fn high_sum(kind: RefKind) -> u8 {
    match kind {
        RefKind::TlsDtpOffset => TLSLD_ADD_DTPREL_HI12,
        _ => TLSLE_ADD_TPREL_HI12,
    }
}

/// The relocation of an access of so many bytes at the place in the page.
pub fn low_access(kind: RefKind, bytes: u8) -> u8 {
    let log2 = bytes.trailing_zeros() as usize;
    match kind {
        RefKind::Got => LD64_GOT_LO12_NC,
        RefKind::TlsInitialExec => TLSIE_LD64_GOTTPREL_LO12_NC,
        RefKind::TlsGeneralDynamic => TLSDESC_LD64_LO12,
        RefKind::TlsLocalExec => [
            TLSLE_LDST8_TPREL_LO12_NC,
            TLSLE_LDST16_TPREL_LO12_NC,
            TLSLE_LDST32_TPREL_LO12_NC,
            TLSLE_LDST64_TPREL_LO12_NC,
            TLSLE_LDST128_TPREL_LO12_NC,
        ][log2],
        _ => [
            LDST8_ABS_LO12_NC,
            LDST16_ABS_LO12_NC,
            LDST32_ABS_LO12_NC,
            LDST64_ABS_LO12_NC,
            LDST128_ABS_LO12_NC,
        ][log2],
    }
}

/// The relocation of a load, or an address, of what is near the instruction.
pub fn near(kind: RefKind, is_load: bool) -> u8 {
    match kind {
        RefKind::Got => GOT_LD_PREL19,
        RefKind::TlsInitialExec => TLSIE_LD_GOTTPREL_PREL19,
        _ if is_load => LD_PREL_LO19,
        _ => ADR_PREL_LO21,
    }
}

/// Fixup: an unconditional branch.
pub const BRANCH26: u8 = 0;
/// Fixup: a conditional branch, or one on a register that is zero.
pub const BRANCH19: u8 = 1;
/// Fixup: a branch on a bit.
pub const BRANCH14: u8 = 2;
/// Fixup: the address of a label.
pub const ADDRESS21: u8 = 3;
/// Fixup: a load of what is near.
pub const LITERAL19: u8 = 4;

/// Fixup kinds by index.
pub static FIXUPS: &[FixupDesc] = &[
    FixupDesc {
        name: "branch",
        patch: patch_26,
    },
    FixupDesc {
        name: "conditional branch",
        patch: patch_19,
    },
    FixupDesc {
        name: "branch on a bit",
        patch: patch_14,
    },
    FixupDesc {
        name: "address of a label",
        patch: patch_address,
    },
    FixupDesc {
        name: "load of what is near",
        patch: patch_19,
    },
];

fn store_distance32(field: &mut [u8], distance_bytes: i64) -> bool {
    let (Some(field), Ok(value)) = (field.first_chunk_mut::<4>(), i32::try_from(distance_bytes)) else {
        return false;
    };
    *field = value.to_le_bytes();
    true
}

fn store_distance64(field: &mut [u8], distance_bytes: i64) -> bool {
    let Some(field) = field.first_chunk_mut::<8>() else {
        return false;
    };
    *field = distance_bytes.to_le_bytes();
    true
}

/// Puts a distance in words into so many bits at a place of an instruction.
fn patch_words(bytes: &mut [u8], distance_bytes: i64, bits: u32, place: u32) -> bool {
    let words = distance_bytes >> 2;
    let beyond = 1 << (bits - 1);
    let Some(field) = bytes.first_chunk_mut::<4>() else {
        return false;
    };
    if distance_bytes & 3 != 0 || words < -beyond || words >= beyond {
        return false;
    }
    let mask = ((1u32 << bits) - 1) << place;
    let word = u32::from_le_bytes(*field) & !mask | (words as u32) << place & mask;
    *field = word.to_le_bytes();
    true
}

fn patch_26(bytes: &mut [u8], distance_bytes: i64) -> bool {
    patch_words(bytes, distance_bytes, 26, 0)
}

fn patch_19(bytes: &mut [u8], distance_bytes: i64) -> bool {
    patch_words(bytes, distance_bytes, 19, 5)
}

fn patch_14(bytes: &mut [u8], distance_bytes: i64) -> bool {
    patch_words(bytes, distance_bytes, 14, 5)
}

/// Two bits of a distance in bytes are at the top of the instruction, the others above the register.
fn patch_address(bytes: &mut [u8], distance_bytes: i64) -> bool {
    let Some(field) = bytes.first_chunk_mut::<4>() else {
        return false;
    };
    if !(-(1 << 20)..1 << 20).contains(&distance_bytes) {
        return false;
    }
    let distance = distance_bytes as u32;
    let word = u32::from_le_bytes(*field) & !0x60ff_ffe0 | (distance & 3) << 29 | (distance >> 2 & 0x7_ffff) << 5;
    *field = word.to_le_bytes();
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each field at the borders of what it holds, in an instruction whose other bits are set and clear.
    #[test]
    fn fields_hold_what_reaches_and_leave_the_other_bits() {
        let fields = [
            (BRANCH26, 26, 0x03ff_ffff),
            (BRANCH19, 19, 0x00ff_ffe0),
            (BRANCH14, 14, 0x0007_ffe0),
            (LITERAL19, 19, 0x00ff_ffe0),
        ];
        for (kind, bits, mask) in fields {
            let patch = FIXUPS[usize::from(kind)].patch;
            let most = (1i64 << (bits + 1)) - 4;
            for before in [0u32, u32::MAX] {
                for distance in [0, 4, -4, most, -most - 4] {
                    let mut field = before.to_le_bytes();
                    assert!(patch(&mut field, distance), "{kind} {distance}");
                    let after = u32::from_le_bytes(field);
                    assert_eq!(after & !mask, before & !mask);
                    let value = ((after & mask) << (mask.leading_zeros())).cast_signed() >> (32 - bits);
                    assert_eq!(i64::from(value) * 4, distance);
                }
            }
            let mut field = [0; 4];
            assert!(!patch(&mut field, most + 4) && !patch(&mut field, -most - 8) && !patch(&mut field, 2));
        }
        let patch = FIXUPS[usize::from(ADDRESS21)].patch;
        let mut field = 0x1000_0003u32.to_le_bytes();
        assert!(patch(&mut field, -1));
        assert_eq!(u32::from_le_bytes(field), 0x70ff_ffe3);
        assert!(!patch(&mut field, 1 << 20) && patch(&mut field, -(1 << 20)));
    }
}
