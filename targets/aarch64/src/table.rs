//! The op table: one row for each machine instruction, and for sequences that are one step to shared code.
//!
//! [`crate::ops`] explains the columns. Words are those of the Arm ARM, C6.2 and C7.2, with fields for operands clear.
//! Rows on vectors are in [`crate::vector_rows`] and have numbers after these.

use crate::ops::operands::*;
use crate::ops::sizes::*;
use crate::ops::{AGAIN, CALL, COPY, Effects, FR, FRW, FW, Form, NO, RELOAD, RND, Row, VectorForm, pad};
use crate::regs::{SCRATCH, SP, TEMP, x};
use crate::vector_rows::vector_rows;
use crate::words::*;
use frazil_codegen::OpDesc;

/// What the descriptor's function leaves alone is everything but these (ELF for the Arm 64-bit Architecture, 9.4.5).
const DESCRIPTOR: Effects = Effects {
    writes_flags: true,
    ..CALL.defs(&[x(0), x(1), x(30)])
};

/// Makes the enum and the table from rows. A row is
/// `Name "mnemonic" Form encoding, sizes, lanes, [register operands], effects;`.
macro_rules! op_table {
    ($($name:ident $mnemonic:literal $form:expr, $code:expr, $sizes:expr, $lanes:expr, [$($operand:expr),*],
        $effects:expr;)*) => {
        /// A row of the op table: a machine instruction or a sequence.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u16)]
        pub enum Op {
            $(#[doc = concat!("`", $mnemonic, "`, form `", stringify!($form), "`.")] $name,)*
        }

        impl Op {
            /// All rows in order.
            pub const ALL: &[Op] = &[$(Op::$name),*];
        }

        /// The rows by [`Op`].
        pub static ROWS: [Row; Op::ALL.len()] = [$(Row {
            name: frazil_codegen::Text::new(stringify!($name)),
            mnemonic: frazil_codegen::Text::new($mnemonic),
            sizes: $sizes,
            lanes: $lanes,
            code: $code.finish($form),
            operands: pad(&[$($operand),*]),
            effects: $effects,
        }),*];
    };
}

vector_rows! { op_table;
    // Sequences.
    MovImm "mov" Form::Constant, int(0), WX, 0, [D], AGAIN;
    LoadAddress "adrp" Form::SymbolAddress, fixed(0), D8, 0, [D64], AGAIN;
    LoadWholeAddress "movz" Form::WholeAddress, fixed(0), D8, 0, [D64], AGAIN;
    LoadGot "adrp" Form::TableSlot, fixed(0), D8, 0, [D64], AGAIN;
    TlsLocalExec "mrs" Form::ThreadOffset, fixed(0), D8, 0, [D64], AGAIN;
    TlsDescCall "adrp" Form::DescriptorCall, fixed(0), D8, 0, [], DESCRIPTOR;
    Address "add" Form::Address, fixed(0), D8, 0, [D64], NO;
    StrStack "str" Form::StoreStack, fixed(0), D8, 0, [], NO.uses(&[SP]).defs(&[SCRATCH]);
    LdrStack "ldr" Form::LoadStack, fixed(0), D8, 0, [], NO.defs(&[SP]);
    LoadConstant "ldr" Form::Load, float_access(0x3c40_0000), SDQ | H2, 0, [DF], AGAIN;
    // Of a constant that may be anywhere.
    LoadFarConstant "ldr" Form::Load, float_access(0x3c40_0000), SDQ | H2, 0, [DF], AGAIN;

    // Arithmetic and logic, shifted.
    Add "add" Form::RrrShift, int(0x0b00_0000), WX, 0, [D, U, U], NO;
    Adds "adds" Form::RrrShift, int(0x2b00_0000), WX, 0, [D, U, U], FW;
    Sub "sub" Form::RrrShift, int(0x4b00_0000), WX, 0, [D, U, U], NO;
    Subs "subs" Form::RrrShift, int(0x6b00_0000), WX, 0, [D, U, U], FW;
    And "and" Form::RrrShift, int(0x0a00_0000), WX, 0, [D, U, U], NO;
    Bic "bic" Form::RrrShift, int(0x0a20_0000), WX, 0, [D, U, U], NO;
    Orr "orr" Form::RrrShift, int(0x2a00_0000), WX, 0, [D, U, U], NO;
    Orn "orn" Form::RrrShift, int(0x2a20_0000), WX, 0, [D, U, U], NO;
    Eor "eor" Form::RrrShift, int(0x4a00_0000), WX, 0, [D, U, U], NO;
    Eon "eon" Form::RrrShift, int(0x4a20_0000), WX, 0, [D, U, U], NO;
    Ands "ands" Form::RrrShift, int(0x6a00_0000), WX, 0, [D, U, U], FW;
    Bics "bics" Form::RrrShift, int(0x6a20_0000), WX, 0, [D, U, U], FW;
    Cmp "cmp" Form::CompareShift, int(0x6b00_001f), WX, 0, [U, U], FW;
    Cmn "cmn" Form::CompareShift, int(0x2b00_001f), WX, 0, [U, U], FW;
    Tst "tst" Form::CompareShift, int(0x6a00_001f), WX, 0, [U, U], FW;

    // Extended.
    AddExt "add" Form::RrrExtend, int(0x0b20_0000), WX, 0, [DS, US, U], NO;
    AddsExt "adds" Form::RrrExtend, int(0x2b20_0000), WX, 0, [D, US, U], FW;
    SubExt "sub" Form::RrrExtend, int(0x4b20_0000), WX, 0, [DS, US, U], NO;
    SubsExt "subs" Form::RrrExtend, int(0x6b20_0000), WX, 0, [D, US, U], FW;
    CmpExt "cmp" Form::CompareExtend, int(0x6b20_001f), WX, 0, [US, U], FW;
    CmnExt "cmn" Form::CompareExtend, int(0x2b20_001f), WX, 0, [US, U], FW;

    // With immediates.
    AddI "add" Form::Rri, int(0x1100_0000), WX, 0, [DS, US], NO;
    AddsI "adds" Form::Rri, int(0x3100_0000), WX, 0, [D, US], FW;
    SubI "sub" Form::Rri, int(0x5100_0000), WX, 0, [DS, US], NO;
    SubsI "subs" Form::Rri, int(0x7100_0000), WX, 0, [D, US], FW;
    CmpI "cmp" Form::CompareImm, int(0x7100_001f), WX, 0, [US], FW;
    CmnI "cmn" Form::CompareImm, int(0x3100_001f), WX, 0, [US], FW;
    AndI "and" Form::RriLogical, int(0x1200_0000), WX, 0, [DS, U], NO;
    OrrI "orr" Form::RriLogical, int(0x3200_0000), WX, 0, [DS, U], NO;
    EorI "eor" Form::RriLogical, int(0x5200_0000), WX, 0, [DS, U], NO;
    AndsI "ands" Form::RriLogical, int(0x7200_0000), WX, 0, [D, U], FW;
    TstI "tst" Form::CompareLogical, int(0x7200_001f), WX, 0, [U], FW;
    Movn "movn" Form::Wide, int(0x1280_0000), WX, 0, [D], AGAIN;
    Movz "movz" Form::Wide, int(0x5280_0000), WX, 0, [D], AGAIN;
    Movk "movk" Form::Wide, int(0x7280_0000), WX, 0, [M], NO;

    // Copies, and extensions, which are no copies.
    Mov "mov" Form::Copy, int(0x2a00_03e0), WX, 0, [DS, US], COPY;
    Uxtb "uxtb" Form::Rr, fixed(0x5300_1c00), WX, 0, [DC, U8], NO;
    Uxth "uxth" Form::Rr, fixed(0x5300_3c00), WX, 0, [DC, U16], NO;
    // The upper half is cleared.
    Uxtw "mov" Form::Copy, fixed(0x2a00_03e0), D8, 0, [DC, U32], NO;
    Sxtb "sxtb" Form::Rr, twice(0x1300_1c00), WX, 0, [D, U8], NO;
    Sxth "sxth" Form::Rr, twice(0x1300_3c00), WX, 0, [D, U16], NO;
    Sxtw "sxtw" Form::Rr, fixed(0x9340_7c00), D8, 0, [D64, U32], NO;

    // Fields of bits and shifts.
    Sbfm "sbfm" Form::Bitfield, twice(0x1300_0000), WX, 0, [D, U], NO;
    Bfm "bfm" Form::Bitfield, twice(0x3300_0000), WX, 0, [M, U], NO;
    Ubfm "ubfm" Form::Bitfield, twice(0x5300_0000), WX, 0, [D, U], NO;
    LslI "lsl" Form::ShiftLeft, twice(0x5300_0000), WX, 0, [D, U], NO;
    LsrI "lsr" Form::ShiftRight, twice(0x5300_0000), WX, 0, [D, U], NO;
    AsrI "asr" Form::ShiftRight, twice(0x1300_0000), WX, 0, [D, U], NO;
    RorI "ror" Form::Rotate, twice(0x1380_0000), WX, 0, [D, U], NO;
    Extr "extr" Form::Extract, twice(0x1380_0000), WX, 0, [D, U, U], NO;
    Lslv "lsl" Form::Rrr, int(0x1ac0_2000), WX, 0, [D, U, U], NO;
    Lsrv "lsr" Form::Rrr, int(0x1ac0_2400), WX, 0, [D, U, U], NO;
    Asrv "asr" Form::Rrr, int(0x1ac0_2800), WX, 0, [D, U, U], NO;
    Rorv "ror" Form::Rrr, int(0x1ac0_2c00), WX, 0, [D, U, U], NO;
    Clz "clz" Form::Rr, int(0x5ac0_1000), WX, 0, [D, U], NO;
    Cls "cls" Form::Rr, int(0x5ac0_1400), WX, 0, [D, U], NO;
    Rbit "rbit" Form::Rr, int(0x5ac0_0000), WX, 0, [D, U], NO;
    Rev "rev" Form::Rr, reverse(0x5ac0_0800), WX, 0, [D, U], NO;
    Rev16 "rev16" Form::Rr, int(0x5ac0_0400), WX, 0, [D, U], NO;
    Rev32 "rev32" Form::Rr, fixed(0xdac0_0800), D8, 0, [D64, U64], NO;
    // With FEAT_CSSC.
    Ctz "ctz" Form::Rr, int(0x5ac0_1800), WX, 0, [D, U], NO;
    Cnt "cnt" Form::Rr, int(0x5ac0_1c00), WX, 0, [D, U], NO;
    Abs "abs" Form::Rr, int(0x5ac0_2000), WX, 0, [D, U], NO;
    Smax "smax" Form::Rrr, int(0x1ac0_6000), WX, 0, [D, U, U], NO;
    Umax "umax" Form::Rrr, int(0x1ac0_6400), WX, 0, [D, U, U], NO;
    Smin "smin" Form::Rrr, int(0x1ac0_6800), WX, 0, [D, U, U], NO;
    Umin "umin" Form::Rrr, int(0x1ac0_6c00), WX, 0, [D, U, U], NO;

    // Products, quotients, long sums.
    Mul "mul" Form::Rrr, int(0x1b00_7c00), WX, 0, [D, U, U], NO;
    Mneg "mneg" Form::Rrr, int(0x1b00_fc00), WX, 0, [D, U, U], NO;
    Madd "madd" Form::Accumulate, int(0x1b00_0000), WX, 0, [M, U, U], NO;
    Msub "msub" Form::Accumulate, int(0x1b00_8000), WX, 0, [M, U, U], NO;
    Smull "smull" Form::Rrr, fixed(0x9b20_7c00), D8, 0, [D64, U32, U32], NO;
    Umull "umull" Form::Rrr, fixed(0x9ba0_7c00), D8, 0, [D64, U32, U32], NO;
    Smnegl "smnegl" Form::Rrr, fixed(0x9b20_fc00), D8, 0, [D64, U32, U32], NO;
    Umnegl "umnegl" Form::Rrr, fixed(0x9ba0_fc00), D8, 0, [D64, U32, U32], NO;
    Smaddl "smaddl" Form::Accumulate, fixed(0x9b20_0000), D8, 0, [M64, U32, U32], NO;
    Smsubl "smsubl" Form::Accumulate, fixed(0x9b20_8000), D8, 0, [M64, U32, U32], NO;
    Umaddl "umaddl" Form::Accumulate, fixed(0x9ba0_0000), D8, 0, [M64, U32, U32], NO;
    Umsubl "umsubl" Form::Accumulate, fixed(0x9ba0_8000), D8, 0, [M64, U32, U32], NO;
    Smulh "smulh" Form::Rrr, fixed(0x9b40_7c00), D8, 0, [D64, U64, U64], NO;
    Umulh "umulh" Form::Rrr, fixed(0x9bc0_7c00), D8, 0, [D64, U64, U64], NO;
    Udiv "udiv" Form::Rrr, int(0x1ac0_0800), WX, 0, [D, U, U], NO;
    Sdiv "sdiv" Form::Rrr, int(0x1ac0_0c00), WX, 0, [D, U, U], NO;
    Adc "adc" Form::Rrr, int(0x1a00_0000), WX, 0, [D, U, U], FR;
    Adcs "adcs" Form::Rrr, int(0x3a00_0000), WX, 0, [D, U, U], FRW;
    Sbc "sbc" Form::Rrr, int(0x5a00_0000), WX, 0, [D, U, U], FR;
    Sbcs "sbcs" Form::Rrr, int(0x7a00_0000), WX, 0, [D, U, U], FRW;
    Crc32b "crc32b" Form::Rrr, fixed(0x1ac0_4000), S4, 0, [D32, U32, U32], NO;
    Crc32h "crc32h" Form::Rrr, fixed(0x1ac0_4400), S4, 0, [D32, U32, U32], NO;
    Crc32w "crc32w" Form::Rrr, fixed(0x1ac0_4800), S4, 0, [D32, U32, U32], NO;
    Crc32x "crc32x" Form::Rrr, fixed(0x9ac0_4c00), D8, 0, [D32, U32, U64], NO;
    Crc32cb "crc32cb" Form::Rrr, fixed(0x1ac0_5000), S4, 0, [D32, U32, U32], NO;
    Crc32ch "crc32ch" Form::Rrr, fixed(0x1ac0_5400), S4, 0, [D32, U32, U32], NO;
    Crc32cw "crc32cw" Form::Rrr, fixed(0x1ac0_5800), S4, 0, [D32, U32, U32], NO;
    Crc32cx "crc32cx" Form::Rrr, fixed(0x9ac0_5c00), D8, 0, [D32, U32, U64], NO;

    // By conditions.
    Csel "csel" Form::Select, int(0x1a80_0000), WX, 0, [D, U, U], FR;
    Csinc "csinc" Form::Select, int(0x1a80_0400), WX, 0, [D, U, U], FR;
    Csinv "csinv" Form::Select, int(0x5a80_0000), WX, 0, [D, U, U], FR;
    Csneg "csneg" Form::Select, int(0x5a80_0400), WX, 0, [D, U, U], FR;
    Cset "cset" Form::Set, int(0x1a9f_07e0), WX, 0, [D], FR;
    Csetm "csetm" Form::Set, int(0x5a9f_03e0), WX, 0, [D], FR;
    Ccmp "ccmp" Form::CompareIf, int(0x7a40_0000), WX, 0, [U, U], FRW;
    Ccmn "ccmn" Form::CompareIf, int(0x3a40_0000), WX, 0, [U, U], FRW;
    CcmpI "ccmp" Form::CompareImmIf, int(0x7a40_0800), WX, 0, [U], FRW;
    CcmnI "ccmn" Form::CompareImmIf, int(0x3a40_0800), WX, 0, [U], FRW;

    // Addresses.
    Adr "adr" Form::AddressLabel, fixed(0x1000_0000), D8, 0, [D64], NO;
    AdrRef "adr" Form::PageRef, fixed(0x1000_0000), D8, 0, [D64], AGAIN;
    Adrp "adrp" Form::PageRef, fixed(0x9000_0000), D8, 0, [D64], AGAIN;
    MovzRef "movz" Form::WideRef, fixed(0xd280_0000), D8, 0, [D64], NO;
    MovkRef "movk" Form::WideRef, fixed(0xf280_0000), D8, 0, [M64], NO;
    AddLow "add" Form::SumLow, fixed(0x9100_0000), D8, 0, [DS, US], NO;
    AddHigh "add" Form::SumHigh, fixed(0x9140_0000), D8, 0, [DS, US], NO;

    // Branches.
    B "b" Form::Branch, fixed(0x1400_0000), D8, 0, [], NO;
    Bcond "b." Form::BranchIf, fixed(0x5400_0000), D8, 0, [], FR;
    Cbz "cbz" Form::BranchZero, int(0x3400_0000), WX, 0, [U], NO;
    Cbnz "cbnz" Form::BranchZero, int(0x3500_0000), WX, 0, [U], NO;
    Tbz "tbz" Form::BranchBit, fixed(0x3600_0000), WX, 0, [U], NO;
    Tbnz "tbnz" Form::BranchBit, fixed(0x3700_0000), WX, 0, [U], NO;
    CbnzTemp "cbnz" Form::BranchZero, fixed(0x3500_0000 | TEMP.number()), S4, 0, [], NO.uses(&[TEMP]);
    BSym "b" Form::BranchRef, fixed(0x1400_0000), D8, 0, [], NO;
    Bl "bl" Form::BranchRef, fixed(0x9400_0000), D8, 0, [], CALL;
    Br "br" Form::BranchReg, fixed(0xd61f_0000), D8, 0, [U64], NO;
    BrTail "br" Form::BranchReg, fixed(0xd61f_0000), D8, 0, [U64], NO;
    BrTailMarked "br" Form::BranchMarked, fixed(0), D8, 0, [U64], NO;
    Blr "blr" Form::BranchReg, fixed(0xd63f_0000), D8, 0, [U64], CALL;
    BlrDesc "blr" Form::DescriptorBranch, fixed(0xd63f_0020), D8, 0, [], DESCRIPTOR;
    Ret "ret" Form::BranchFixed, fixed(0xd65f_03c0), D8, 0, [], NO.uses(&[x(30)]);
    RetPopping "ret" Form::ReturnPopping, fixed(0), D8, 0, [], NO.uses(&[x(30)]);
    RetReg "ret" Form::BranchReg, fixed(0xd65f_0000), D8, 0, [U64], NO;
    // With FEAT_PAuth.
    Retaa "retaa" Form::BranchFixed, fixed(0xd65f_0bff), D8, 0, [], NO.uses(&[x(30)]);
    Retab "retab" Form::BranchFixed, fixed(0xd65f_0fff), D8, 0, [], NO.uses(&[x(30)]);

    // The system.
    Udf "udf" Form::Imm(0, 16), fixed(0x0000_0000), D8, 0, [], NO;
    Svc "svc" Form::Imm(5, 16), fixed(0xd400_0001), D8, 0, [], NO;
    Brk "brk" Form::Imm(5, 16), fixed(0xd420_0000), D8, 0, [], NO;
    Hlt "hlt" Form::Imm(5, 16), fixed(0xd440_0000), D8, 0, [], NO;
    Hint "hint" Form::Imm(5, 7), fixed(0xd503_201f), D8, 0, [], NO;
    Nop "nop" Form::None, fixed(0xd503_201f), D8, 0, [], NO;
    Paciasp "paciasp" Form::None, fixed(0xd503_233f), D8, 0, [], NO.uses(&[x(30)]).defs(&[x(30)]);
    Autiasp "autiasp" Form::None, fixed(0xd503_23bf), D8, 0, [], NO.uses(&[x(30)]).defs(&[x(30)]);
    Pacibsp "pacibsp" Form::None, fixed(0xd503_237f), D8, 0, [], NO.uses(&[x(30)]).defs(&[x(30)]);
    Autibsp "autibsp" Form::None, fixed(0xd503_23ff), D8, 0, [], NO.uses(&[x(30)]).defs(&[x(30)]);
    Xpaclri "xpaclri" Form::None, fixed(0xd503_20ff), D8, 0, [], NO.uses(&[x(30)]).defs(&[x(30)]);
    Clrex "clrex" Form::None, fixed(0xd503_3f5f), D8, 0, [], NO;
    Dsb "dsb" Form::Imm(8, 4), fixed(0xd503_309f), D8, 0, [], NO;
    Dmb "dmb" Form::Imm(8, 4), fixed(0xd503_30bf), D8, 0, [], NO;
    Isb "isb" Form::None, fixed(0xd503_3fdf), D8, 0, [], NO;
    Sb "sb" Form::None, fixed(0xd503_30ff), D8, 0, [], NO;
    Mrs "mrs" Form::ReadSystem, fixed(0xd530_0000), D8, 0, [D64], NO;
    Msr "msr" Form::WriteSystem, fixed(0xd510_0000), D8, 0, [U64], NO;
    // A random number; the flags say whether there was one.
    MrsFlags "mrs" Form::ReadSystem, fixed(0xd530_0000), D8, 0, [D64], FW;

    // Loads and stores.
    Ldr "ldr" Form::Load, access(0x3840_0000), BHSD, 0, [D], RELOAD;
    Str "str" Form::Store, access(0x3800_0000), BHSD, 0, [U], NO;
    LdrUb "ldrb" Form::Load, fixed(0x3840_0000).access(1), WX, 0, [DC], NO;
    LdrUh "ldrh" Form::Load, fixed(0x7840_0000).access(2), WX, 0, [DC], NO;
    LdrUw "ldr" Form::Load, fixed(0xb840_0000).access(4), D8, 0, [DC], NO;
    LdrSb "ldrsb" Form::Load, signed(0x3880_0000).access(1), WX, 0, [D], NO;
    LdrSh "ldrsh" Form::Load, signed(0x7880_0000).access(2), WX, 0, [D], NO;
    LdrSw "ldrsw" Form::Load, fixed(0xb880_0000).access(4), D8, 0, [D], NO;
    LdrF "ldr" Form::Load, float_access(0x3c40_0000), BHSDQ, 0, [DF], RELOAD;
    StrF "str" Form::Store, float_access(0x3c00_0000), BHSDQ, 0, [UF], NO;
    Prfm "prfm" Form::Prefetch, fixed(0xf880_0000).access(8), D8, 0, [], NO;
    // The same with an index of 32 bits.
    LdrX "ldr" Form::LoadExtend, access(0x3840_0000), BHSD, 0, [D], NO;
    StrX "str" Form::StoreExtend, access(0x3800_0000), BHSD, 0, [U], NO;
    LdrUbX "ldrb" Form::LoadExtend, fixed(0x3840_0000).access(1), WX, 0, [DC], NO;
    LdrUhX "ldrh" Form::LoadExtend, fixed(0x7840_0000).access(2), WX, 0, [DC], NO;
    LdrUwX "ldr" Form::LoadExtend, fixed(0xb840_0000).access(4), D8, 0, [DC], NO;
    LdrSbX "ldrsb" Form::LoadExtend, signed(0x3880_0000).access(1), WX, 0, [D], NO;
    LdrShX "ldrsh" Form::LoadExtend, signed(0x7880_0000).access(2), WX, 0, [D], NO;
    LdrSwX "ldrsw" Form::LoadExtend, fixed(0xb880_0000).access(4), D8, 0, [D], NO;
    LdrFX "ldr" Form::LoadExtend, float_access(0x3c40_0000), BHSDQ, 0, [DF], NO;
    StrFX "str" Form::StoreExtend, float_access(0x3c00_0000), BHSDQ, 0, [UF], NO;
    // With a base that is written.
    LdrPre "ldr" Form::LoadBefore, access(0x3840_0c00), BHSD, 0, [D, M64], NO;
    StrPre "str" Form::StoreBefore, access(0x3800_0c00), BHSD, 0, [U, M64], NO;
    LdrPost "ldr" Form::LoadAfter, access(0x3840_0400), BHSD, 0, [D, M64], NO;
    StrPost "str" Form::StoreAfter, access(0x3800_0400), BHSD, 0, [U, M64], NO;
    LdrFPre "ldr" Form::LoadBefore, float_access(0x3c40_0c00), BHSDQ, 0, [DF, M64], NO;
    StrFPre "str" Form::StoreBefore, float_access(0x3c00_0c00), BHSDQ, 0, [UF, M64], NO;
    LdrFPost "ldr" Form::LoadAfter, float_access(0x3c40_0400), BHSDQ, 0, [DF, M64], NO;
    StrFPost "str" Form::StoreAfter, float_access(0x3c00_0400), BHSDQ, 0, [UF, M64], NO;
    // Pairs.
    Ldp "ldp" Form::LoadPair, pair(0x2940_0000), WX, 0, [D, U64, D], NO;
    Stp "stp" Form::StorePair, pair(0x2900_0000), WX, 0, [U, U64, U], NO;
    Ldpsw "ldpsw" Form::LoadPair, fixed(0x6940_0000).access(4), D8, 0, [D, U64, D], NO;
    LdpF "ldp" Form::LoadPair, float_pair(0x2d40_0000), SDQ, 0, [DF, U64, DF], NO;
    StpF "stp" Form::StorePair, float_pair(0x2d00_0000), SDQ, 0, [UF, U64, UF], NO;
    LdpPre "ldp" Form::LoadPairBefore, pair(0x29c0_0000), WX, 0, [D, M64, D], NO;
    StpPre "stp" Form::StorePairBefore, pair(0x2980_0000), WX, 0, [U, M64, U], NO;
    LdpPost "ldp" Form::LoadPairAfter, pair(0x28c0_0000), WX, 0, [D, M64, D], NO;
    StpPost "stp" Form::StorePairAfter, pair(0x2880_0000), WX, 0, [U, M64, U], NO;
    LdpFPre "ldp" Form::LoadPairBefore, float_pair(0x2dc0_0000), SDQ, 0, [DF, M64, DF], NO;
    StpFPre "stp" Form::StorePairBefore, float_pair(0x2d80_0000), SDQ, 0, [UF, M64, UF], NO;
    LdpFPost "ldp" Form::LoadPairAfter, float_pair(0x2cc0_0000), SDQ, 0, [DF, M64, DF], NO;
    StpFPost "stp" Form::StorePairAfter, float_pair(0x2c80_0000), SDQ, 0, [UF, M64, UF], NO;
    // What is near the instruction.
    LdrLit "ldr" Form::LoadLiteral, exclusive(0x1800_0000), WX, 0, [D], NO;
    LdrswLit "ldrsw" Form::LoadLiteral, fixed(0x9800_0000).access(4), D8, 0, [D], NO;
    LdrFLit "ldr" Form::LoadLiteral, float_pair(0x1c00_0000), SDQ, 0, [DF], NO;

    // Ordered, exclusive and atomic accesses.
    Ldar "ldar" Form::LoadOrdered, access(0x08df_fc00), BHSD, 0, [D, U64], NO;
    Stlr "stlr" Form::StoreOrdered, access(0x089f_fc00), BHSD, 0, [U, U64], NO;
    Ldapr "ldapr" Form::LoadOrdered, access(0x38bf_c000), BHSD, 0, [D, U64], NO;
    Ldxr "ldxr" Form::LoadOrdered, access(0x085f_7c00), BHSD, 0, [D, U64], NO;
    Stxr "stxr" Form::StoreExclusive, access(0x0800_7c00), BHSD, 0, [D32, U64, U], NO;
    Ldxp "ldxp" Form::LoadExclusivePair, exclusive(0x887f_0000), WX, 0, [D, U64, D], NO;
    Stxp "stxp" Form::StoreExclusivePair, exclusive(0x8820_0000), WX, 0, [U, U64, U], NO.defs(&[TEMP]);
    // With FEAT_LSE.
    Ldadd "ldadd" Form::Modify, access(0x3820_0000), BHSD, 0, [D, U64, U], NO;
    Ldclr "ldclr" Form::Modify, access(0x3820_1000), BHSD, 0, [D, U64, U], NO;
    Ldeor "ldeor" Form::Modify, access(0x3820_2000), BHSD, 0, [D, U64, U], NO;
    Ldset "ldset" Form::Modify, access(0x3820_3000), BHSD, 0, [D, U64, U], NO;
    Ldsmax "ldsmax" Form::Modify, access(0x3820_4000), BHSD, 0, [D, U64, U], NO;
    Ldsmin "ldsmin" Form::Modify, access(0x3820_5000), BHSD, 0, [D, U64, U], NO;
    Ldumax "ldumax" Form::Modify, access(0x3820_6000), BHSD, 0, [D, U64, U], NO;
    Ldumin "ldumin" Form::Modify, access(0x3820_7000), BHSD, 0, [D, U64, U], NO;
    Swp "swp" Form::Modify, access(0x3820_8000), BHSD, 0, [D, U64, U], NO;
    Cas "cas" Form::CompareExchange, access(0x08a0_7c00), BHSD, 0, [M, U64, U], NO;
    Casp "casp" Form::CompareExchangePair, fixed(0x4820_7c02), D8, 0, [], NO.uses(&[x(0), x(1), x(2), x(3)]).defs(&[x(0), x(1)]);

    // Scalar floats.
    Fmov "fmov" Form::CopyFloat, float(0x1e20_4000), BHSDQ, 0, [DF, UF], COPY;
    Fabs "fabs" Form::Rr, float(0x1e20_c000), HSD, 0, [DF, UF], NO;
    Fneg "fneg" Form::Rr, float(0x1e21_4000), HSD, 0, [DF, UF], NO;
    Fsqrt "fsqrt" Form::Rr, float(0x1e21_c000), HSD, 0, [DF, UF], RND;
    Frintn "frintn" Form::Rr, float(0x1e24_4000), HSD, 0, [DF, UF], RND;
    Frintp "frintp" Form::Rr, float(0x1e24_c000), HSD, 0, [DF, UF], RND;
    Frintm "frintm" Form::Rr, float(0x1e25_4000), HSD, 0, [DF, UF], RND;
    Frintz "frintz" Form::Rr, float(0x1e25_c000), HSD, 0, [DF, UF], RND;
    Frinta "frinta" Form::Rr, float(0x1e26_4000), HSD, 0, [DF, UF], RND;
    Frintx "frintx" Form::Rr, float(0x1e27_4000), HSD, 0, [DF, UF], RND;
    // With FEAT_FRINTTS.
    Frint32z "frint32z" Form::Rr, float(0x1e28_4000), S4 | D8, 0, [DF, UF], RND;
    Frint32x "frint32x" Form::Rr, float(0x1e28_c000), S4 | D8, 0, [DF, UF], RND;
    Frint64z "frint64z" Form::Rr, float(0x1e29_4000), S4 | D8, 0, [DF, UF], RND;
    Frint64x "frint64x" Form::Rr, float(0x1e29_c000), S4 | D8, 0, [DF, UF], RND;
    Frinti "frinti" Form::Rr, float(0x1e27_c000), HSD, 0, [DF, UF], RND;
    Fadd "fadd" Form::Rrr, float(0x1e20_2800), HSD, 0, [DF, UF, UF], RND;
    Fsub "fsub" Form::Rrr, float(0x1e20_3800), HSD, 0, [DF, UF, UF], RND;
    Fmul "fmul" Form::Rrr, float(0x1e20_0800), HSD, 0, [DF, UF, UF], RND;
    Fnmul "fnmul" Form::Rrr, float(0x1e20_8800), HSD, 0, [DF, UF, UF], RND;
    Fdiv "fdiv" Form::Rrr, float(0x1e20_1800), HSD, 0, [DF, UF, UF], RND;
    Fmax "fmax" Form::Rrr, float(0x1e20_4800), HSD, 0, [DF, UF, UF], RND;
    Fmin "fmin" Form::Rrr, float(0x1e20_5800), HSD, 0, [DF, UF, UF], RND;
    Fmaxnm "fmaxnm" Form::Rrr, float(0x1e20_6800), HSD, 0, [DF, UF, UF], RND;
    Fminnm "fminnm" Form::Rrr, float(0x1e20_7800), HSD, 0, [DF, UF, UF], RND;
    Fmadd "fmadd" Form::Accumulate, float(0x1f00_0000), HSD, 0, [MF, UF, UF], RND;
    Fmsub "fmsub" Form::Accumulate, float(0x1f00_8000), HSD, 0, [MF, UF, UF], RND;
    Fnmadd "fnmadd" Form::Accumulate, float(0x1f20_0000), HSD, 0, [MF, UF, UF], RND;
    Fnmsub "fnmsub" Form::Accumulate, float(0x1f20_8000), HSD, 0, [MF, UF, UF], RND;
    Fcmp "fcmp" Form::CompareFloat, float(0x1e20_2000), HSD, 0, [UF, UF], FW.rounds();
    Fcmpe "fcmpe" Form::CompareFloat, float(0x1e20_2010), HSD, 0, [UF, UF], FW.rounds();
    FcmpZ "fcmp" Form::CompareFloatZero, float(0x1e20_2008), HSD, 0, [UF], FW.rounds();
    FcmpeZ "fcmpe" Form::CompareFloatZero, float(0x1e20_2018), HSD, 0, [UF], FW.rounds();
    Fccmp "fccmp" Form::CompareIf, float(0x1e20_0400), HSD, 0, [UF, UF], FRW.rounds();
    Fccmpe "fccmpe" Form::CompareIf, float(0x1e20_0410), HSD, 0, [UF, UF], FRW.rounds();
    Fcsel "fcsel" Form::Select, float(0x1e20_0c00), HSD, 0, [DF, UF, UF], FR;
    FmovI "fmov" Form::FloatImm, float(0x1e20_1000), HSD, 0, [DF], AGAIN;
    FcvtSD "fcvt" Form::Rr, fixed(0x1e62_4000), S4, 0, [DFS, UFD], RND;
    FcvtDS "fcvt" Form::Rr, fixed(0x1e22_c000), D8, 0, [DFD, UFS], RND;
    FcvtHS "fcvt" Form::Rr, fixed(0x1e23_c000), H2, 0, [DFH, UFS], RND;
    FcvtSH "fcvt" Form::Rr, fixed(0x1ee2_4000), S4, 0, [DFS, UFH], RND;
    FcvtHD "fcvt" Form::Rr, fixed(0x1e63_c000), H2, 0, [DFH, UFD], RND;
    FcvtDH "fcvt" Form::Rr, fixed(0x1ee2_c000), D8, 0, [DFD, UFH], RND;
    // With FEAT_BF16: a bfloat of a float.
    Bfcvt "bfcvt" Form::Rr, fixed(0x1e63_4000), H2, 0, [DFH, UFS], RND;

    // Between general registers and floats; the size is that of the float.
    FmovFromInt "fmov" Form::Rr, float_int(0x1e27_0000), HSD, 0, [DF, U], NO;
    FmovToInt "fmov" Form::Rr, float_int(0x1e26_0000), HSD, 0, [D, UF], NO;
    FmovHighFromInt "fmov" Form::Rr, fixed(0x9eaf_0000), D8, 0, [MU, U64], NO;
    FmovHighToInt "fmov" Form::Rr, fixed(0x9eae_0000), D8, 0, [D64, UU], NO;
    ScvtfW "scvtf" Form::Rr, float(0x1e22_0000), HSD, 0, [DF, U32], RND;
    ScvtfX "scvtf" Form::Rr, float(0x9e22_0000), HSD, 0, [DF, U64], RND;
    UcvtfW "ucvtf" Form::Rr, float(0x1e23_0000), HSD, 0, [DF, U32], RND;
    UcvtfX "ucvtf" Form::Rr, float(0x9e23_0000), HSD, 0, [DF, U64], RND;
    FcvtnsW "fcvtns" Form::Rr, float(0x1e20_0000), HSD, 0, [D32, UF], RND;
    FcvtnsX "fcvtns" Form::Rr, float(0x9e20_0000), HSD, 0, [D64, UF], RND;
    FcvtnuW "fcvtnu" Form::Rr, float(0x1e21_0000), HSD, 0, [D32, UF], RND;
    FcvtnuX "fcvtnu" Form::Rr, float(0x9e21_0000), HSD, 0, [D64, UF], RND;
    FcvtasW "fcvtas" Form::Rr, float(0x1e24_0000), HSD, 0, [D32, UF], RND;
    FcvtasX "fcvtas" Form::Rr, float(0x9e24_0000), HSD, 0, [D64, UF], RND;
    FcvtauW "fcvtau" Form::Rr, float(0x1e25_0000), HSD, 0, [D32, UF], RND;
    FcvtauX "fcvtau" Form::Rr, float(0x9e25_0000), HSD, 0, [D64, UF], RND;
    FcvtpsW "fcvtps" Form::Rr, float(0x1e28_0000), HSD, 0, [D32, UF], RND;
    FcvtpsX "fcvtps" Form::Rr, float(0x9e28_0000), HSD, 0, [D64, UF], RND;
    FcvtpuW "fcvtpu" Form::Rr, float(0x1e29_0000), HSD, 0, [D32, UF], RND;
    FcvtpuX "fcvtpu" Form::Rr, float(0x9e29_0000), HSD, 0, [D64, UF], RND;
    FcvtmsW "fcvtms" Form::Rr, float(0x1e30_0000), HSD, 0, [D32, UF], RND;
    FcvtmsX "fcvtms" Form::Rr, float(0x9e30_0000), HSD, 0, [D64, UF], RND;
    FcvtmuW "fcvtmu" Form::Rr, float(0x1e31_0000), HSD, 0, [D32, UF], RND;
    FcvtmuX "fcvtmu" Form::Rr, float(0x9e31_0000), HSD, 0, [D64, UF], RND;
    FcvtzsW "fcvtzs" Form::Rr, float(0x1e38_0000), HSD, 0, [D32, UF], RND;
    FcvtzsX "fcvtzs" Form::Rr, float(0x9e38_0000), HSD, 0, [D64, UF], RND;
    FcvtzuW "fcvtzu" Form::Rr, float(0x1e39_0000), HSD, 0, [D32, UF], RND;
    FcvtzuX "fcvtzu" Form::Rr, float(0x9e39_0000), HSD, 0, [D64, UF], RND;
    // With FEAT_JSCVT.
    Fjcvtzs "fjcvtzs" Form::Rr, fixed(0x1e7e_0000), D8, 0, [D32, UFD], FW.rounds();
}

/// The rows by [`Op`] as shared code sees them.
pub static OP_DESCS: [OpDesc; ROWS.len()] = {
    let mut descs = [ROWS[0].desc(); ROWS.len()];
    let mut index = 0;
    while index < descs.len() {
        descs[index] = ROWS[index].desc();
        index += 1;
    }
    descs
};
