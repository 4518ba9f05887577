//! The table of rows with an EVEX prefix, and of those on mask registers alone: a line for each operation.
//!
//! Columns: name, mnemonic, form, encoding, lengths, register operands, masks (see [`super`]). Encodings are those of
//! the Intel manual, volume 2. Operands are `D` defined, `U` used or `M` both, and then what they are: `F` a vector of
//! the operation's length, `H`, `Q` and `E` the half, a quarter and an eighth of it, `L` one of 128 bits, `K` a mask,
//! or a general register of so many bits. Names end with `M` where the result is in
//! memory, with `L` or `Z` where it is loaded, with `F` where the
//! second operand is in memory, with `I` where a constant
//! distinguishes the line, and with the size or the direction of general registers where there are several.

use super::{Lengths::*, Line, Masks::*, Place, Width};
use crate::ops::Imm::Byte;
use crate::ops::{Code, Form, evex, vex};
use crate::unit::Unit;
use frazil_codegen::Role::{Def, Use, UseDef};

const fn place(role: frazil_codegen::Role, width: Width) -> Place {
    Place { role, width }
}

const DF: Place = place(Def, Width::Full);
const UF: Place = place(Use, Width::Full);
const MF: Place = place(UseDef, Width::Full);
const DH: Place = place(Def, Width::Part(2));
const UH: Place = place(Use, Width::Part(2));
const MH: Place = place(UseDef, Width::Part(2));
const DQ: Place = place(Def, Width::Part(4));
const UQ: Place = place(Use, Width::Part(4));
const UE: Place = place(Use, Width::Part(8));
const DE: Place = place(Def, Width::Part(8));
const DL: Place = place(Def, Width::Low);
const UL: Place = place(Use, Width::Low);
const ML: Place = place(UseDef, Width::Low);
const DK: Place = place(Def, Width::Mask);
const UK: Place = place(Use, Width::Mask);
const D32: Place = place(Def, Width::General(4));
const U32: Place = place(Use, Width::General(4));
const D64: Place = place(Def, Width::General(8));
const U64: Place = place(Use, Width::General(8));

impl Code {
    const fn w(self) -> Code {
        self.flag(Code::W)
    }

    /// With its second operand in memory: the first one is the result.
    const fn folded(self) -> Code {
        self.flag(Code::OWN_IS_FIRST)
    }

    const fn repeats(self) -> Code {
        self.flag(Code::BROADCASTS)
    }

    const fn long(self) -> Code {
        self.flag(Code::LONG)
    }

    const fn rounds(self) -> Code {
        self.flag(Code::ROUNDS)
    }

    const fn silences(self) -> Code {
        self.flag(Code::SILENCES)
    }

    const fn zeroes(self) -> Code {
        self.flag(Code::ZEROES)
    }

    const fn or_vex(self) -> Code {
        self.flag(Code::PREFERRED_VEX)
    }

    const fn apart(self) -> Code {
        self.flag(Code::APART)
    }

    const fn written(self) -> Code {
        self.flag(Code::OWN_IS_WRITTEN)
    }
}

const fn places(given: &[Place]) -> [Option<Place>; 3] {
    let mut places = [None; 3];
    let mut index = 0;
    while index < given.len() {
        places[index] = Some(given[index]);
        index += 1;
    }
    places
}

/// Makes the enum and the lines.
macro_rules! evex_table {
    ($($name:ident $mnemonic:literal $form:ident $code:expr, $lengths:ident, [$($place:ident),*], $masks:ident;)*) => {
        /// An operation with an EVEX prefix, or one on mask registers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u16)]
        pub enum Evex {
            $(#[doc = concat!("`", $mnemonic, "`, form [`Form::", stringify!($form), "`].")] $name,)*
        }

        /// The lines by [`Evex`].
        pub(super) const LINES: &[Line] = &[$(Line {
            name: stringify!($name),
            mnemonic: $mnemonic,
            code: $code.finish(Form::$form),
            lengths: $lengths,
            places: places(&[$($place),*]),
            masks: $masks,
        }),*];
    };
}

evex_table! {
    // Arithmetic of floats.
    Vaddps "vaddps" Three evex(1, 0, 0x58).rounds().or_vex(), All, [DF, UF, UF], Both;
    Vaddpd "vaddpd" Three evex(1, 0x66, 0x58).w().rounds().or_vex(), All, [DF, UF, UF], Both;
    Vaddss "vaddss" Three evex(1, 0xf3, 0x58).rounds().or_vex(), Lowest, [DL, UL, UL], Both;
    Vaddsd "vaddsd" Three evex(1, 0xf2, 0x58).w().rounds().or_vex(), Lowest, [DL, UL, UL], Both;
    Vmulps "vmulps" Three evex(1, 0, 0x59).rounds().or_vex(), All, [DF, UF, UF], Both;
    Vmulpd "vmulpd" Three evex(1, 0x66, 0x59).w().rounds().or_vex(), All, [DF, UF, UF], Both;
    Vmulss "vmulss" Three evex(1, 0xf3, 0x59).rounds().or_vex(), Lowest, [DL, UL, UL], Both;
    Vmulsd "vmulsd" Three evex(1, 0xf2, 0x59).w().rounds().or_vex(), Lowest, [DL, UL, UL], Both;
    Vsubps "vsubps" Three evex(1, 0, 0x5c).rounds().or_vex(), All, [DF, UF, UF], Both;
    Vsubpd "vsubpd" Three evex(1, 0x66, 0x5c).w().rounds().or_vex(), All, [DF, UF, UF], Both;
    Vsubss "vsubss" Three evex(1, 0xf3, 0x5c).rounds().or_vex(), Lowest, [DL, UL, UL], Both;
    Vsubsd "vsubsd" Three evex(1, 0xf2, 0x5c).w().rounds().or_vex(), Lowest, [DL, UL, UL], Both;
    Vdivps "vdivps" Three evex(1, 0, 0x5e).rounds().or_vex(), All, [DF, UF, UF], Both;
    Vdivpd "vdivpd" Three evex(1, 0x66, 0x5e).w().rounds().or_vex(), All, [DF, UF, UF], Both;
    Vdivss "vdivss" Three evex(1, 0xf3, 0x5e).rounds().or_vex(), Lowest, [DL, UL, UL], Both;
    Vdivsd "vdivsd" Three evex(1, 0xf2, 0x5e).w().rounds().or_vex(), Lowest, [DL, UL, UL], Both;
    Vminps "vminps" Three evex(1, 0, 0x5d).silences().or_vex(), All, [DF, UF, UF], Both;
    Vminpd "vminpd" Three evex(1, 0x66, 0x5d).w().silences().or_vex(), All, [DF, UF, UF], Both;
    Vminss "vminss" Three evex(1, 0xf3, 0x5d).silences().or_vex(), Lowest, [DL, UL, UL], Both;
    Vminsd "vminsd" Three evex(1, 0xf2, 0x5d).w().silences().or_vex(), Lowest, [DL, UL, UL], Both;
    Vmaxps "vmaxps" Three evex(1, 0, 0x5f).silences().or_vex(), All, [DF, UF, UF], Both;
    Vmaxpd "vmaxpd" Three evex(1, 0x66, 0x5f).w().silences().or_vex(), All, [DF, UF, UF], Both;
    Vmaxss "vmaxss" Three evex(1, 0xf3, 0x5f).silences().or_vex(), Lowest, [DL, UL, UL], Both;
    Vmaxsd "vmaxsd" Three evex(1, 0xf2, 0x5f).w().silences().or_vex(), Lowest, [DL, UL, UL], Both;
    Vsqrtps "vsqrtps" LoadRR evex(1, 0, 0x51).rounds(), Widest, [DF, UF], No;
    Vsqrtpd "vsqrtpd" LoadRR evex(1, 0x66, 0x51).w().rounds(), Widest, [DF, UF], No;
    Vsqrtss "vsqrtss" Three evex(1, 0xf3, 0x51).rounds().or_vex(), Lowest, [DL, UL, UL], Both;
    Vsqrtsd "vsqrtsd" Three evex(1, 0xf2, 0x51).w().rounds().or_vex(), Lowest, [DL, UL, UL], Both;
    Vfmadd213ps "vfmadd213ps" Three evex(2, 0x66, 0xa8).rounds(), Widest, [MF, UF, UF], No;
    Vfmadd213pd "vfmadd213pd" Three evex(2, 0x66, 0xa8).w().rounds(), Widest, [MF, UF, UF], No;
    Vfmaddsub213ps "vfmaddsub213ps" Three evex(2, 0x66, 0xa6).rounds(), Widest, [MF, UF, UF], No;
    Vfmaddsub213pd "vfmaddsub213pd" Three evex(2, 0x66, 0xa6).w().rounds(), Widest, [MF, UF, UF], No;
    Vfmadd213ss "vfmadd213ss" Three evex(2, 0x66, 0xa9).rounds().or_vex(), Lowest, [ML, UL, UL], No;
    Vfmadd213sd "vfmadd213sd" Three evex(2, 0x66, 0xa9).w().rounds().or_vex(), Lowest, [ML, UL, UL], No;
    Vscalefps "vscalefps" Three evex(2, 0x66, 0x2c).rounds(), All, [DF, UF, UF], Both;
    Vscalefpd "vscalefpd" Three evex(2, 0x66, 0x2c).w().rounds(), All, [DF, UF, UF], Both;
    Vscalefss "vscalefss" Three evex(2, 0x66, 0x2d).rounds(), Lowest, [DL, UL, UL], Both;
    Vscalefsd "vscalefsd" Three evex(2, 0x66, 0x2d).w().rounds(), Lowest, [DL, UL, UL], Both;
    Vgetexpps "vgetexpps" LoadRR evex(2, 0x66, 0x42).silences(), All, [DF, UF], Both;
    Vgetexppd "vgetexppd" LoadRR evex(2, 0x66, 0x42).w().silences(), All, [DF, UF], Both;
    Vgetexpss "vgetexpss" Three evex(2, 0x66, 0x43).silences(), Lowest, [DL, UL, UL], Both;
    Vgetexpsd "vgetexpsd" Three evex(2, 0x66, 0x43).w().silences(), Lowest, [DL, UL, UL], Both;
    Vrcp14ps "vrcp14ps" LoadRR evex(2, 0x66, 0x4c), All, [DF, UF], Both;
    Vrcp14pd "vrcp14pd" LoadRR evex(2, 0x66, 0x4c).w(), All, [DF, UF], Both;
    Vrcp14ss "vrcp14ss" Three evex(2, 0x66, 0x4d), Lowest, [DL, UL, UL], Both;
    Vrcp14sd "vrcp14sd" Three evex(2, 0x66, 0x4d).w(), Lowest, [DL, UL, UL], Both;
    Vrsqrt14ps "vrsqrt14ps" LoadRR evex(2, 0x66, 0x4e), All, [DF, UF], Both;
    Vrsqrt14pd "vrsqrt14pd" LoadRR evex(2, 0x66, 0x4e).w(), All, [DF, UF], Both;
    Vrsqrt14ss "vrsqrt14ss" Three evex(2, 0x66, 0x4f), Lowest, [DL, UL, UL], Both;
    Vrsqrt14sd "vrsqrt14sd" Three evex(2, 0x66, 0x4f).w(), Lowest, [DL, UL, UL], Both;
    Vgetmantps "vgetmantps" LoadRRI evex(3, 0x66, 0x26).imm(Byte).silences(), All, [DF, UF], Both;
    Vgetmantpd "vgetmantpd" LoadRRI evex(3, 0x66, 0x26).imm(Byte).w().silences(), All, [DF, UF], Both;
    Vgetmantss "vgetmantss" ThreeI evex(3, 0x66, 0x27).imm(Byte).silences(), Lowest, [DL, UL, UL], Both;
    Vgetmantsd "vgetmantsd" ThreeI evex(3, 0x66, 0x27).imm(Byte).w().silences(), Lowest, [DL, UL, UL], Both;
    Vrangeps "vrangeps" ThreeI evex(3, 0x66, 0x50).imm(Byte).silences(), All, [DF, UF, UF], Both;
    Vrangepd "vrangepd" ThreeI evex(3, 0x66, 0x50).imm(Byte).w().silences(), All, [DF, UF, UF], Both;
    Vrangess "vrangess" ThreeI evex(3, 0x66, 0x51).imm(Byte).silences(), Lowest, [DL, UL, UL], Both;
    Vrangesd "vrangesd" ThreeI evex(3, 0x66, 0x51).imm(Byte).w().silences(), Lowest, [DL, UL, UL], Both;
    Vfixupimmps "vfixupimmps" ThreeI evex(3, 0x66, 0x54).imm(Byte).silences().zeroes(), All, [MF, UF, UF], Both;
    Vfixupimmpd "vfixupimmpd" ThreeI evex(3, 0x66, 0x54).imm(Byte).w().silences().zeroes(), All, [MF, UF, UF], Both;
    Vfixupimmss "vfixupimmss" ThreeI evex(3, 0x66, 0x55).imm(Byte).silences().zeroes(), Lowest, [ML, UL, UL], Both;
    Vfixupimmsd "vfixupimmsd" ThreeI evex(3, 0x66, 0x55).imm(Byte).w().silences().zeroes(), Lowest, [ML, UL, UL], Both;
    Vreduceps "vreduceps" LoadRRI evex(3, 0x66, 0x56).imm(Byte).silences(), All, [DF, UF], Both;
    Vreducepd "vreducepd" LoadRRI evex(3, 0x66, 0x56).imm(Byte).w().silences(), All, [DF, UF], Both;
    Vreducess "vreducess" ThreeI evex(3, 0x66, 0x57).imm(Byte).silences(), Lowest, [DL, UL, UL], Both;
    Vreducesd "vreducesd" ThreeI evex(3, 0x66, 0x57).imm(Byte).w().silences(), Lowest, [DL, UL, UL], Both;
    Vrndscaleps "vrndscaleps" LoadRRI evex(3, 0x66, 0x08).imm(Byte).silences(), All, [DF, UF], Both;
    Vrndscalepd "vrndscalepd" LoadRRI evex(3, 0x66, 0x09).imm(Byte).w().silences(), All, [DF, UF], Both;
    Vrndscaless "vrndscaless" ThreeI evex(3, 0x66, 0x0a).imm(Byte).silences(), Lowest, [DL, UL, UL], Both;
    Vrndscalesd "vrndscalesd" ThreeI evex(3, 0x66, 0x0b).imm(Byte).w().silences(), Lowest, [DL, UL, UL], Both;
    // Arithmetic with the second operand in memory.
    VaddpsF "vaddps" RM evex(1, 0, 0x58).folded().repeats(), Widest, [MF], No;
    VaddpdF "vaddpd" RM evex(1, 0x66, 0x58).w().folded().repeats(), Widest, [MF], No;
    VmulpsF "vmulps" RM evex(1, 0, 0x59).folded().repeats(), Widest, [MF], No;
    VmulpdF "vmulpd" RM evex(1, 0x66, 0x59).w().folded().repeats(), Widest, [MF], No;
    VsubpsF "vsubps" RM evex(1, 0, 0x5c).folded().repeats(), Widest, [MF], No;
    VsubpdF "vsubpd" RM evex(1, 0x66, 0x5c).w().folded().repeats(), Widest, [MF], No;
    VdivpsF "vdivps" RM evex(1, 0, 0x5e).folded().repeats(), Widest, [MF], No;
    VdivpdF "vdivpd" RM evex(1, 0x66, 0x5e).w().folded().repeats(), Widest, [MF], No;
    VpanddF "vpandd" RM evex(1, 0x66, 0xdb).folded().repeats(), Widest, [MF], No;
    VpordF "vpord" RM evex(1, 0x66, 0xeb).folded().repeats(), Widest, [MF], No;
    VpxordF "vpxord" RM evex(1, 0x66, 0xef).folded().repeats(), Widest, [MF], No;
    VpadddF "vpaddd" RM evex(1, 0x66, 0xfe).folded().repeats(), Widest, [MF], No;
    VpaddqF "vpaddq" RM evex(1, 0x66, 0xd4).w().folded().repeats(), Widest, [MF], No;
    VpsubdF "vpsubd" RM evex(1, 0x66, 0xfa).folded().repeats(), Widest, [MF], No;
    VpsubqF "vpsubq" RM evex(1, 0x66, 0xfb).w().folded().repeats(), Widest, [MF], No;
    VpmulldF "vpmulld" RM evex(2, 0x66, 0x40).folded().repeats(), Widest, [MF], No;
    VpmullqF "vpmullq" RM evex(2, 0x66, 0x40).w().folded().repeats(), Widest, [MF], No;
    VpaddbF "vpaddb" RM evex(1, 0x66, 0xfc).folded(), Widest, [MF], No;
    VpaddwF "vpaddw" RM evex(1, 0x66, 0xfd).folded(), Widest, [MF], No;
    VpsubbF "vpsubb" RM evex(1, 0x66, 0xf8).folded(), Widest, [MF], No;
    VpsubwF "vpsubw" RM evex(1, 0x66, 0xf9).folded(), Widest, [MF], No;
    VpmullwF "vpmullw" RM evex(1, 0x66, 0xd5).folded(), Widest, [MF], No;
    // Comparisons and classes, whose result is a mask.
    Vcmpps "vcmpps" ThreeI evex(1, 0, 0xc2).imm(Byte).silences(), All, [DK, UF, UF], Both;
    Vcmppd "vcmppd" ThreeI evex(1, 0x66, 0xc2).imm(Byte).w().silences(), All, [DK, UF, UF], Both;
    Vcmpss "vcmpss" ThreeI evex(1, 0xf3, 0xc2).imm(Byte).silences(), Lowest, [DK, UL, UL], Both;
    Vcmpsd "vcmpsd" ThreeI evex(1, 0xf2, 0xc2).imm(Byte).w().silences(), Lowest, [DK, UL, UL], Both;
    Vfpclassps "vfpclassps" LoadRRI evex(3, 0x66, 0x66).imm(Byte), All, [DK, UF], Both;
    Vfpclasspd "vfpclasspd" LoadRRI evex(3, 0x66, 0x66).imm(Byte).w(), All, [DK, UF], Both;
    Vfpclassss "vfpclassss" LoadRRI evex(3, 0x66, 0x67).imm(Byte), Lowest, [DK, UL], Both;
    Vfpclasssd "vfpclasssd" LoadRRI evex(3, 0x66, 0x67).imm(Byte).w(), Lowest, [DK, UL], Both;
    Vpshufbitqmb "vpshufbitqmb" Three evex(2, 0x66, 0x8f), All, [DK, UF, UF], Both;
    Vpcmpb "vpcmpb" ThreeI evex(3, 0x66, 0x3f).imm(Byte), All, [DK, UF, UF], No;
    Vpcmpub "vpcmpub" ThreeI evex(3, 0x66, 0x3e).imm(Byte), All, [DK, UF, UF], No;
    Vpcmpw "vpcmpw" ThreeI evex(3, 0x66, 0x3f).imm(Byte).w(), All, [DK, UF, UF], No;
    Vpcmpuw "vpcmpuw" ThreeI evex(3, 0x66, 0x3e).imm(Byte).w(), All, [DK, UF, UF], No;
    Vpcmpd "vpcmpd" ThreeI evex(3, 0x66, 0x1f).imm(Byte), All, [DK, UF, UF], No;
    Vpcmpud "vpcmpud" ThreeI evex(3, 0x66, 0x1e).imm(Byte), All, [DK, UF, UF], No;
    Vpcmpq "vpcmpq" ThreeI evex(3, 0x66, 0x1f).imm(Byte).w(), All, [DK, UF, UF], No;
    Vpcmpuq "vpcmpuq" ThreeI evex(3, 0x66, 0x1e).imm(Byte).w(), All, [DK, UF, UF], No;
    // Mask registers; what names no vector has a VEX prefix.
    KmovbKR "kmovb" LoadRR vex(1, 0x66, 0x92), Lowest, [DK, U32], No;
    KmovbKK "kmovb" LoadRR vex(1, 0x66, 0x90), Lowest, [DK, UK], No;
    KmovwKR "kmovw" LoadRR vex(1, 0, 0x92), Lowest, [DK, U32], No;
    KmovwRK "kmovw" LoadRR vex(1, 0, 0x93), Lowest, [D32, UK], No;
    KmovdKR "kmovd" LoadRR vex(1, 0xf2, 0x92), Lowest, [DK, U32], No;
    KmovdRK "kmovd" LoadRR vex(1, 0xf2, 0x93), Lowest, [D32, UK], No;
    KmovqKR "kmovq" LoadRR vex(1, 0xf2, 0x92).w(), Lowest, [DK, U64], No;
    KmovqRK "kmovq" LoadRR vex(1, 0xf2, 0x93).w(), Lowest, [D64, UK], No;
    KmovwKK "kmovw" LoadRR vex(1, 0, 0x90), Lowest, [DK, UK], No;
    KmovdKK "kmovd" LoadRR vex(1, 0x66, 0x90).w(), Lowest, [DK, UK], No;
    KmovqKK "kmovq" LoadRR vex(1, 0, 0x90).w(), Lowest, [DK, UK], No;
    KmovqL "kmovq" RM vex(1, 0, 0x90).w().unit(Unit::Lane(8)), Lowest, [DK], No;
    KmovqM "kmovq" MR vex(1, 0, 0x91).w().unit(Unit::Lane(8)), Lowest, [UK], No;
    Knotd "knotd" LoadRR vex(1, 0x66, 0x44).w(), Lowest, [DK, UK], No;
    Knotq "knotq" LoadRR vex(1, 0, 0x44).w(), Lowest, [DK, UK], No;
    Kandd "kandd" Three vex(1, 0x66, 0x41).w().long(), Lowest, [DK, UK, UK], No;
    Kandq "kandq" Three vex(1, 0, 0x41).w().long(), Lowest, [DK, UK, UK], No;
    Kord "kord" Three vex(1, 0x66, 0x45).w().long(), Lowest, [DK, UK, UK], No;
    Korq "korq" Three vex(1, 0, 0x45).w().long(), Lowest, [DK, UK, UK], No;
    Kxord "kxord" Three vex(1, 0x66, 0x47).w().long(), Lowest, [DK, UK, UK], No;
    Kxorq "kxorq" Three vex(1, 0, 0x47).w().long(), Lowest, [DK, UK, UK], No;
    Vpbroadcastmb2q "vpbroadcastmb2q" LoadRR evex(2, 0xf3, 0x2a).w(), All, [DF, UK], No;
    Vpbroadcastmw2d "vpbroadcastmw2d" LoadRR evex(2, 0xf3, 0x3a), All, [DF, UK], No;
    Vpmovm2b "vpmovm2b" LoadRR evex(2, 0xf3, 0x28), All, [DF, UK], No;
    Vpmovm2w "vpmovm2w" LoadRR evex(2, 0xf3, 0x28).w(), All, [DF, UK], No;
    Vpmovm2d "vpmovm2d" LoadRR evex(2, 0xf3, 0x38), All, [DF, UK], No;
    Vpmovm2q "vpmovm2q" LoadRR evex(2, 0xf3, 0x38).w(), All, [DF, UK], No;
    // Integers.
    Vpermi2b "vpermi2b" Three evex(2, 0x66, 0x75).zeroes(), All, [MF, UF, UF], Both;
    Vpermi2w "vpermi2w" Three evex(2, 0x66, 0x75).w().zeroes(), All, [MF, UF, UF], Both;
    Vpermi2d "vpermi2d" Three evex(2, 0x66, 0x76).zeroes(), All, [MF, UF, UF], Both;
    Vpermi2q "vpermi2q" Three evex(2, 0x66, 0x76).w().zeroes(), All, [MF, UF, UF], Both;
    Vpermi2ps "vpermi2ps" Three evex(2, 0x66, 0x77).zeroes(), All, [MF, UF, UF], Both;
    Vpermi2pd "vpermi2pd" Three evex(2, 0x66, 0x77).w().zeroes(), All, [MF, UF, UF], Both;
    Vpermb "vpermb" Three evex(2, 0x66, 0x8d), All, [DF, UF, UF], Both;
    Vpermw "vpermw" Three evex(2, 0x66, 0x8d).w(), All, [DF, UF, UF], Both;
    Vpermd "vpermd" Three evex(2, 0x66, 0x36), Widest, [DF, UF, UF], No;
    Vpermq "vpermq" Three evex(2, 0x66, 0x36).w(), Long, [DF, UF, UF], No;
    Vpermps "vpermps" Three evex(2, 0x66, 0x16), Widest, [DF, UF, UF], No;
    Vpermpd "vpermpd" Three evex(2, 0x66, 0x16).w(), Long, [DF, UF, UF], No;
    Vpsrlvw "vpsrlvw" Three evex(2, 0x66, 0x10).w(), All, [DF, UF, UF], No;
    Vpsravw "vpsravw" Three evex(2, 0x66, 0x11).w(), All, [DF, UF, UF], No;
    Vpsllvw "vpsllvw" Three evex(2, 0x66, 0x12).w(), All, [DF, UF, UF], No;
    Vpsravq "vpsravq" Three evex(2, 0x66, 0x46).w(), All, [DF, UF, UF], No;
    Vpsraq "vpsraq" Three evex(1, 0x66, 0xe2).w(), All, [DF, UF, UL], No;
    VpsraqI "vpsraq" LoadRRI evex(1, 0x66, 0x72).digit(4).imm(Byte).w().written(), All, [DF, UF], No;
    Vpmultishiftqb "vpmultishiftqb" Three evex(2, 0x66, 0x83).w(), All, [DF, UF, UF], No;
    Vpmadd52luq "vpmadd52luq" Three evex(2, 0x66, 0xb4).w().or_vex(), All, [MF, UF, UF], No;
    Vpmadd52huq "vpmadd52huq" Three evex(2, 0x66, 0xb5).w().or_vex(), All, [MF, UF, UF], No;
    Vpdpbusd "vpdpbusd" Three evex(2, 0x66, 0x50).or_vex(), All, [MF, UF, UF], No;
    Vpdpbusds "vpdpbusds" Three evex(2, 0x66, 0x51).or_vex(), All, [MF, UF, UF], No;
    Vpdpwssd "vpdpwssd" Three evex(2, 0x66, 0x52).or_vex(), All, [MF, UF, UF], No;
    Vpdpwssds "vpdpwssds" Three evex(2, 0x66, 0x53).or_vex(), All, [MF, UF, UF], No;
    Vpconflictd "vpconflictd" LoadRR evex(2, 0x66, 0xc4), All, [DF, UF], No;
    Vpconflictq "vpconflictq" LoadRR evex(2, 0x66, 0xc4).w(), All, [DF, UF], No;
    Vplzcntd "vplzcntd" LoadRR evex(2, 0x66, 0x44), All, [DF, UF], No;
    Vplzcntq "vplzcntq" LoadRR evex(2, 0x66, 0x44).w(), All, [DF, UF], No;
    Vpopcntb "vpopcntb" LoadRR evex(2, 0x66, 0x54), All, [DF, UF], No;
    Vpopcntw "vpopcntw" LoadRR evex(2, 0x66, 0x54).w(), All, [DF, UF], No;
    Vpopcntd "vpopcntd" LoadRR evex(2, 0x66, 0x55), All, [DF, UF], No;
    Vpopcntq "vpopcntq" LoadRR evex(2, 0x66, 0x55).w(), All, [DF, UF], No;
    VproldI "vprold" LoadRRI evex(1, 0x66, 0x72).digit(1).imm(Byte).written(), All, [DF, UF], No;
    VprolqI "vprolq" LoadRRI evex(1, 0x66, 0x72).digit(1).imm(Byte).w().written(), All, [DF, UF], No;
    Vprolvd "vprolvd" Three evex(2, 0x66, 0x15), All, [DF, UF, UF], No;
    Vprolvq "vprolvq" Three evex(2, 0x66, 0x15).w(), All, [DF, UF, UF], No;
    Vprorvd "vprorvd" Three evex(2, 0x66, 0x14), All, [DF, UF, UF], No;
    Vprorvq "vprorvq" Three evex(2, 0x66, 0x14).w(), All, [DF, UF, UF], No;
    Vpternlogd "vpternlogd" ThreeI evex(3, 0x66, 0x25).imm(Byte), All, [MF, UF, UF], No;
    Vpternlogq "vpternlogq" ThreeI evex(3, 0x66, 0x25).imm(Byte).w(), All, [MF, UF, UF], No;
    Vdbpsadbw "vdbpsadbw" ThreeI evex(3, 0x66, 0x42).imm(Byte), All, [DF, UF, UF], No;
    // Conversions of floats and integers.
    Vcvtps2pd "vcvtps2pd" LoadRR evex(1, 0, 0x5a).silences().or_vex(), All, [DF, UH], Both;
    Vcvtpd2ps "vcvtpd2ps" LoadRR evex(1, 0x66, 0x5a).w().rounds().or_vex(), All, [DH, UF], Both;
    Vcvtdq2ps "vcvtdq2ps" LoadRR evex(1, 0, 0x5b).rounds().or_vex(), All, [DF, UF], Both;
    Vcvtps2dq "vcvtps2dq" LoadRR evex(1, 0x66, 0x5b).rounds().or_vex(), All, [DF, UF], Both;
    Vcvttps2dq "vcvttps2dq" LoadRR evex(1, 0xf3, 0x5b).silences().or_vex(), All, [DF, UF], Both;
    Vcvtqq2ps "vcvtqq2ps" LoadRR evex(1, 0, 0x5b).w().rounds(), All, [DH, UF], Both;
    Vcvtqq2pd "vcvtqq2pd" LoadRR evex(1, 0xf3, 0xe6).w().rounds(), All, [DF, UF], Both;
    Vcvtpd2dq "vcvtpd2dq" LoadRR evex(1, 0xf2, 0xe6).w().rounds().or_vex(), All, [DH, UF], Both;
    Vcvttpd2dq "vcvttpd2dq" LoadRR evex(1, 0x66, 0xe6).w().silences().or_vex(), All, [DH, UF], Both;
    Vcvttps2udq "vcvttps2udq" LoadRR evex(1, 0, 0x78).silences(), All, [DF, UF], Both;
    Vcvttpd2udq "vcvttpd2udq" LoadRR evex(1, 0, 0x78).w().silences(), All, [DH, UF], Both;
    Vcvttps2uqq "vcvttps2uqq" LoadRR evex(1, 0x66, 0x78).silences(), All, [DF, UH], Both;
    Vcvttpd2uqq "vcvttpd2uqq" LoadRR evex(1, 0x66, 0x78).w().silences(), All, [DF, UF], Both;
    Vcvtps2udq "vcvtps2udq" LoadRR evex(1, 0, 0x79).rounds(), All, [DF, UF], Both;
    Vcvtpd2udq "vcvtpd2udq" LoadRR evex(1, 0, 0x79).w().rounds(), All, [DH, UF], Both;
    Vcvtps2uqq "vcvtps2uqq" LoadRR evex(1, 0x66, 0x79).rounds(), All, [DF, UH], Both;
    Vcvtpd2uqq "vcvtpd2uqq" LoadRR evex(1, 0x66, 0x79).w().rounds(), All, [DF, UF], Both;
    Vcvttps2qq "vcvttps2qq" LoadRR evex(1, 0x66, 0x7a).silences(), All, [DF, UH], Both;
    Vcvttpd2qq "vcvttpd2qq" LoadRR evex(1, 0x66, 0x7a).w().silences(), All, [DF, UF], Both;
    Vcvtps2qq "vcvtps2qq" LoadRR evex(1, 0x66, 0x7b).rounds(), All, [DF, UH], Both;
    Vcvtpd2qq "vcvtpd2qq" LoadRR evex(1, 0x66, 0x7b).w().rounds(), All, [DF, UF], Both;
    Vcvtuqq2pd "vcvtuqq2pd" LoadRR evex(1, 0xf3, 0x7a).w().rounds(), All, [DF, UF], Both;
    Vcvtudq2ps "vcvtudq2ps" LoadRR evex(1, 0xf2, 0x7a).rounds(), All, [DF, UF], Both;
    Vcvtuqq2ps "vcvtuqq2ps" LoadRR evex(1, 0xf2, 0x7a).w().rounds(), All, [DH, UF], Both;
    Vcvtph2ps "vcvtph2ps" LoadRR evex(2, 0x66, 0x13).silences().or_vex(), All, [DF, UH], Both;
    Vcvtps2ph "vcvtps2ph" StoreRRI evex(3, 0x66, 0x1d).imm(Byte).silences().or_vex(), All, [DH, UF], Both;
    Vcvtss2sd "vcvtss2sd" Three evex(1, 0xf3, 0x5a).silences().or_vex(), Lowest, [DL, UL, UL], Both;
    Vcvtsd2ss "vcvtsd2ss" Three evex(1, 0xf2, 0x5a).w().rounds().or_vex(), Lowest, [DL, UL, UL], Both;
    Vcvtss2siL "vcvtss2si" LoadRR evex(1, 0xf3, 0x2d).rounds().or_vex(), Lowest, [D32, UL], No;
    Vcvtss2siQ "vcvtss2si" LoadRR evex(1, 0xf3, 0x2d).w().rounds().or_vex(), Lowest, [D64, UL], No;
    Vcvttss2siL "vcvttss2si" LoadRR evex(1, 0xf3, 0x2c).silences().or_vex(), Lowest, [D32, UL], No;
    Vcvttss2siQ "vcvttss2si" LoadRR evex(1, 0xf3, 0x2c).w().silences().or_vex(), Lowest, [D64, UL], No;
    Vcvtss2usiL "vcvtss2usi" LoadRR evex(1, 0xf3, 0x79).rounds(), Lowest, [D32, UL], No;
    Vcvtss2usiQ "vcvtss2usi" LoadRR evex(1, 0xf3, 0x79).w().rounds(), Lowest, [D64, UL], No;
    Vcvttss2usiL "vcvttss2usi" LoadRR evex(1, 0xf3, 0x78).silences(), Lowest, [D32, UL], No;
    Vcvttss2usiQ "vcvttss2usi" LoadRR evex(1, 0xf3, 0x78).w().silences(), Lowest, [D64, UL], No;
    Vcvtsi2ssL "vcvtsi2ss" Three evex(1, 0xf3, 0x2a).rounds().or_vex(), Lowest, [DL, UL, U32], No;
    Vcvtsi2ssQ "vcvtsi2ss" Three evex(1, 0xf3, 0x2a).w().rounds().or_vex(), Lowest, [DL, UL, U64], No;
    Vcvtusi2ssL "vcvtusi2ss" Three evex(1, 0xf3, 0x7b).rounds(), Lowest, [DL, UL, U32], No;
    Vcvtusi2ssQ "vcvtusi2ss" Three evex(1, 0xf3, 0x7b).w().rounds(), Lowest, [DL, UL, U64], No;
    Vcvtsd2siL "vcvtsd2si" LoadRR evex(1, 0xf2, 0x2d).rounds().or_vex(), Lowest, [D32, UL], No;
    Vcvtsd2siQ "vcvtsd2si" LoadRR evex(1, 0xf2, 0x2d).w().rounds().or_vex(), Lowest, [D64, UL], No;
    Vcvttsd2siL "vcvttsd2si" LoadRR evex(1, 0xf2, 0x2c).silences().or_vex(), Lowest, [D32, UL], No;
    Vcvttsd2siQ "vcvttsd2si" LoadRR evex(1, 0xf2, 0x2c).w().silences().or_vex(), Lowest, [D64, UL], No;
    Vcvtsd2usiL "vcvtsd2usi" LoadRR evex(1, 0xf2, 0x79).rounds(), Lowest, [D32, UL], No;
    Vcvtsd2usiQ "vcvtsd2usi" LoadRR evex(1, 0xf2, 0x79).w().rounds(), Lowest, [D64, UL], No;
    Vcvttsd2usiL "vcvttsd2usi" LoadRR evex(1, 0xf2, 0x78).silences(), Lowest, [D32, UL], No;
    Vcvttsd2usiQ "vcvttsd2usi" LoadRR evex(1, 0xf2, 0x78).w().silences(), Lowest, [D64, UL], No;
    Vcvtsi2sdQ "vcvtsi2sd" Three evex(1, 0xf2, 0x2a).w().rounds().or_vex(), Lowest, [DL, UL, U64], No;
    Vcvtusi2sdQ "vcvtusi2sd" Three evex(1, 0xf2, 0x7b).w().rounds(), Lowest, [DL, UL, U64], No;
    Vcvtne2ps2bf16 "vcvtne2ps2bf16" Three evex(2, 0xf2, 0x72), All, [DF, UF, UF], No;
    Vcvtneps2bf16 "vcvtneps2bf16" LoadRR evex(2, 0xf3, 0x72).or_vex(), All, [DH, UF], Both;
    Vdpbf16ps "vdpbf16ps" Three evex(2, 0xf3, 0x52), All, [MF, UF, UF], No;
    // Truncations: as they are, to the nearest signed and to the nearest unsigned number.
    Vpmovqb "vpmovqb" StoreRR evex(2, 0xf3, 0x32), All, [DE, UF], Both;
    VpmovqbM "vpmovqb" MR evex(2, 0xf3, 0x32).unit(Unit::Eighth), All, [UF], Both;
    Vpmovsqb "vpmovsqb" StoreRR evex(2, 0xf3, 0x22), All, [DE, UF], Both;
    VpmovsqbM "vpmovsqb" MR evex(2, 0xf3, 0x22).unit(Unit::Eighth), All, [UF], Both;
    Vpmovusqb "vpmovusqb" StoreRR evex(2, 0xf3, 0x12), All, [DE, UF], Both;
    VpmovusqbM "vpmovusqb" MR evex(2, 0xf3, 0x12).unit(Unit::Eighth), All, [UF], Both;
    Vpmovqw "vpmovqw" StoreRR evex(2, 0xf3, 0x34), All, [DQ, UF], Both;
    VpmovqwM "vpmovqw" MR evex(2, 0xf3, 0x34).unit(Unit::Quarter), All, [UF], Both;
    Vpmovsqw "vpmovsqw" StoreRR evex(2, 0xf3, 0x24), All, [DQ, UF], Both;
    VpmovsqwM "vpmovsqw" MR evex(2, 0xf3, 0x24).unit(Unit::Quarter), All, [UF], Both;
    Vpmovusqw "vpmovusqw" StoreRR evex(2, 0xf3, 0x14), All, [DQ, UF], Both;
    VpmovusqwM "vpmovusqw" MR evex(2, 0xf3, 0x14).unit(Unit::Quarter), All, [UF], Both;
    Vpmovqd "vpmovqd" StoreRR evex(2, 0xf3, 0x35), All, [DH, UF], Both;
    VpmovqdM "vpmovqd" MR evex(2, 0xf3, 0x35).unit(Unit::Half), All, [UF], Both;
    Vpmovsqd "vpmovsqd" StoreRR evex(2, 0xf3, 0x25), All, [DH, UF], Both;
    VpmovsqdM "vpmovsqd" MR evex(2, 0xf3, 0x25).unit(Unit::Half), All, [UF], Both;
    Vpmovusqd "vpmovusqd" StoreRR evex(2, 0xf3, 0x15), All, [DH, UF], Both;
    VpmovusqdM "vpmovusqd" MR evex(2, 0xf3, 0x15).unit(Unit::Half), All, [UF], Both;
    Vpmovdb "vpmovdb" StoreRR evex(2, 0xf3, 0x31), All, [DQ, UF], Both;
    VpmovdbM "vpmovdb" MR evex(2, 0xf3, 0x31).unit(Unit::Quarter), All, [UF], Both;
    Vpmovsdb "vpmovsdb" StoreRR evex(2, 0xf3, 0x21), All, [DQ, UF], Both;
    VpmovsdbM "vpmovsdb" MR evex(2, 0xf3, 0x21).unit(Unit::Quarter), All, [UF], Both;
    Vpmovusdb "vpmovusdb" StoreRR evex(2, 0xf3, 0x11), All, [DQ, UF], Both;
    VpmovusdbM "vpmovusdb" MR evex(2, 0xf3, 0x11).unit(Unit::Quarter), All, [UF], Both;
    Vpmovdw "vpmovdw" StoreRR evex(2, 0xf3, 0x33), All, [DH, UF], Both;
    VpmovdwM "vpmovdw" MR evex(2, 0xf3, 0x33).unit(Unit::Half), All, [UF], Both;
    Vpmovsdw "vpmovsdw" StoreRR evex(2, 0xf3, 0x23), All, [DH, UF], Both;
    VpmovsdwM "vpmovsdw" MR evex(2, 0xf3, 0x23).unit(Unit::Half), All, [UF], Both;
    Vpmovusdw "vpmovusdw" StoreRR evex(2, 0xf3, 0x13), All, [DH, UF], Both;
    VpmovusdwM "vpmovusdw" MR evex(2, 0xf3, 0x13).unit(Unit::Half), All, [UF], Both;
    Vpmovwb "vpmovwb" StoreRR evex(2, 0xf3, 0x30), All, [DH, UF], Both;
    VpmovwbM "vpmovwb" MR evex(2, 0xf3, 0x30).unit(Unit::Half), All, [UF], Both;
    Vpmovswb "vpmovswb" StoreRR evex(2, 0xf3, 0x20), All, [DH, UF], Both;
    VpmovswbM "vpmovswb" MR evex(2, 0xf3, 0x20).unit(Unit::Half), All, [UF], Both;
    Vpmovuswb "vpmovuswb" StoreRR evex(2, 0xf3, 0x10), All, [DH, UF], Both;
    VpmovuswbM "vpmovuswb" MR evex(2, 0xf3, 0x10).unit(Unit::Half), All, [UF], Both;
    // Lanes of a mask together, and apart.
    Vcompressps "vcompressps" StoreRR evex(2, 0x66, 0x8a), All, [DF, UF], Always;
    Vcompresspd "vcompresspd" StoreRR evex(2, 0x66, 0x8a).w(), All, [DF, UF], Always;
    Vpcompressd "vpcompressd" StoreRR evex(2, 0x66, 0x8b), All, [DF, UF], Always;
    Vpcompressq "vpcompressq" StoreRR evex(2, 0x66, 0x8b).w(), All, [DF, UF], Always;
    Vpcompressb "vpcompressb" StoreRR evex(2, 0x66, 0x63), All, [DF, UF], Always;
    Vpcompressw "vpcompressw" StoreRR evex(2, 0x66, 0x63).w(), All, [DF, UF], Always;
    Vexpandps "vexpandps" LoadRR evex(2, 0x66, 0x88), All, [DF, UF], Always;
    Vexpandpd "vexpandpd" LoadRR evex(2, 0x66, 0x88).w(), All, [DF, UF], Always;
    Vpexpandd "vpexpandd" LoadRR evex(2, 0x66, 0x89), All, [DF, UF], Always;
    Vpexpandq "vpexpandq" LoadRR evex(2, 0x66, 0x89).w(), All, [DF, UF], Always;
    Vpexpandb "vpexpandb" LoadRR evex(2, 0x66, 0x62), All, [DF, UF], Always;
    Vpexpandw "vpexpandw" LoadRR evex(2, 0x66, 0x62).w(), All, [DF, UF], Always;
    // Memory under a mask.
    Vmovdqu8L "vmovdqu8" RM evex(1, 0xf2, 0x6f), All, [MF], Always;
    Vmovdqu8M "vmovdqu8" MR evex(1, 0xf2, 0x7f), All, [UF], Always;
    Vmovdqu16L "vmovdqu16" RM evex(1, 0xf2, 0x6f).w(), All, [MF], Always;
    Vmovdqu16M "vmovdqu16" MR evex(1, 0xf2, 0x7f).w(), All, [UF], Always;
    Vmovdqu32L "vmovdqu32" RM evex(1, 0xf3, 0x6f), All, [MF], Always;
    Vmovdqu32M "vmovdqu32" MR evex(1, 0xf3, 0x7f), All, [UF], Always;
    Vmovdqu64L "vmovdqu64" RM evex(1, 0xf3, 0x6f).w(), All, [MF], Always;
    Vmovdqu64M "vmovdqu64" MR evex(1, 0xf3, 0x7f).w(), All, [UF], Always;
    // The same with zeros in the other lanes.
    Vmovdqu8Z "vmovdqu8" RM evex(1, 0xf2, 0x6f).zeroes(), All, [DF], Chooses;
    Vmovdqu16Z "vmovdqu16" RM evex(1, 0xf2, 0x6f).w().zeroes(), All, [DF], Chooses;
    Vmovdqu32Z "vmovdqu32" RM evex(1, 0xf3, 0x6f).zeroes(), All, [DF], Chooses;
    Vmovdqu64Z "vmovdqu64" RM evex(1, 0xf3, 0x6f).w().zeroes(), All, [DF], Chooses;
    VpexpanddL "vpexpandd" RM evex(2, 0x66, 0x89).unit(Unit::Lane(4)), All, [MF], Always;
    VpexpandqL "vpexpandq" RM evex(2, 0x66, 0x89).unit(Unit::Lane(8)).w(), All, [MF], Always;
    VpcompressdM "vpcompressd" MR evex(2, 0x66, 0x8b).unit(Unit::Lane(4)), All, [UF], Always;
    VpcompressqM "vpcompressq" MR evex(2, 0x66, 0x8b).unit(Unit::Lane(8)).w(), All, [UF], Always;
    // Memory by lane. The length is that of the longer of values and indices.
    Vpgatherdd "vpgatherdd" Gather evex(2, 0x66, 0x90).apart().unit(Unit::Lane(4)), All, [MF, UF], Always;
    Vpgatherdq "vpgatherdq" Gather evex(2, 0x66, 0x90).apart().unit(Unit::Lane(8)).w(), All, [MF, UH], Always;
    Vpgatherqd "vpgatherqd" Gather evex(2, 0x66, 0x91).apart().unit(Unit::Lane(4)), All, [MH, UF], Always;
    Vpgatherqq "vpgatherqq" Gather evex(2, 0x66, 0x91).apart().unit(Unit::Lane(8)).w(), All, [MF, UF], Always;
    Vgatherdps "vgatherdps" Gather evex(2, 0x66, 0x92).apart().unit(Unit::Lane(4)), All, [MF, UF], Always;
    Vgatherdpd "vgatherdpd" Gather evex(2, 0x66, 0x92).apart().unit(Unit::Lane(8)).w(), All, [MF, UH], Always;
    Vgatherqps "vgatherqps" Gather evex(2, 0x66, 0x93).apart().unit(Unit::Lane(4)), All, [MH, UF], Always;
    Vgatherqpd "vgatherqpd" Gather evex(2, 0x66, 0x93).apart().unit(Unit::Lane(8)).w(), All, [MF, UF], Always;
    Vpscatterdd "vpscatterdd" Scatter evex(2, 0x66, 0xa0).unit(Unit::Lane(4)), All, [UF, UF], Always;
    Vpscatterdq "vpscatterdq" Scatter evex(2, 0x66, 0xa0).unit(Unit::Lane(8)).w(), All, [UF, UH], Always;
    Vpscatterqd "vpscatterqd" Scatter evex(2, 0x66, 0xa1).unit(Unit::Lane(4)), All, [UH, UF], Always;
    Vpscatterqq "vpscatterqq" Scatter evex(2, 0x66, 0xa1).unit(Unit::Lane(8)).w(), All, [UF, UF], Always;
    Vscatterdps "vscatterdps" Scatter evex(2, 0x66, 0xa2).unit(Unit::Lane(4)), All, [UF, UF], Always;
    Vscatterdpd "vscatterdpd" Scatter evex(2, 0x66, 0xa2).unit(Unit::Lane(8)).w(), All, [UF, UH], Always;
    Vscatterqps "vscatterqps" Scatter evex(2, 0x66, 0xa3).unit(Unit::Lane(4)), All, [UH, UF], Always;
    Vscatterqpd "vscatterqpd" Scatter evex(2, 0x66, 0xa3).unit(Unit::Lane(8)).w(), All, [UF, UF], Always;
    // What shorter vectors have instructions with a VEX prefix for, if there is no mask.
    Vpaddb "vpaddb" Three evex(1, 0x66, 0xfc).or_vex(), All, [DF, UF, UF], Both;
    Vpaddw "vpaddw" Three evex(1, 0x66, 0xfd).or_vex(), All, [DF, UF, UF], Both;
    Vpaddd "vpaddd" Three evex(1, 0x66, 0xfe).or_vex(), All, [DF, UF, UF], Both;
    Vpaddq "vpaddq" Three evex(1, 0x66, 0xd4).w().or_vex(), All, [DF, UF, UF], Both;
    Vpsubb "vpsubb" Three evex(1, 0x66, 0xf8).or_vex(), All, [DF, UF, UF], Both;
    Vpsubw "vpsubw" Three evex(1, 0x66, 0xf9).or_vex(), All, [DF, UF, UF], Both;
    Vpsubd "vpsubd" Three evex(1, 0x66, 0xfa).or_vex(), All, [DF, UF, UF], Both;
    Vpsubq "vpsubq" Three evex(1, 0x66, 0xfb).w().or_vex(), All, [DF, UF, UF], Both;
    Vpmullw "vpmullw" Three evex(1, 0x66, 0xd5).or_vex(), All, [DF, UF, UF], Both;
    Vpmulld "vpmulld" Three evex(2, 0x66, 0x40).or_vex(), All, [DF, UF, UF], Both;
    Vpmullq "vpmullq" Three evex(2, 0x66, 0x40).w(), All, [DF, UF, UF], Both;
    Vpaddusb "vpaddusb" Three evex(1, 0x66, 0xdc).or_vex(), All, [DF, UF, UF], Both;
    Vpaddusw "vpaddusw" Three evex(1, 0x66, 0xdd).or_vex(), All, [DF, UF, UF], Both;
    Vpaddsb "vpaddsb" Three evex(1, 0x66, 0xec).or_vex(), All, [DF, UF, UF], Both;
    Vpaddsw "vpaddsw" Three evex(1, 0x66, 0xed).or_vex(), All, [DF, UF, UF], Both;
    Vpsubusb "vpsubusb" Three evex(1, 0x66, 0xd8).or_vex(), All, [DF, UF, UF], Both;
    Vpsubusw "vpsubusw" Three evex(1, 0x66, 0xd9).or_vex(), All, [DF, UF, UF], Both;
    Vpsubsb "vpsubsb" Three evex(1, 0x66, 0xe8).or_vex(), All, [DF, UF, UF], Both;
    Vpsubsw "vpsubsw" Three evex(1, 0x66, 0xe9).or_vex(), All, [DF, UF, UF], Both;
    Vpminub "vpminub" Three evex(1, 0x66, 0xda).or_vex(), All, [DF, UF, UF], Both;
    Vpminuw "vpminuw" Three evex(2, 0x66, 0x3a).or_vex(), All, [DF, UF, UF], Both;
    Vpminud "vpminud" Three evex(2, 0x66, 0x3b).or_vex(), All, [DF, UF, UF], Both;
    Vpminuq "vpminuq" Three evex(2, 0x66, 0x3b).w(), All, [DF, UF, UF], Both;
    Vpmaxub "vpmaxub" Three evex(1, 0x66, 0xde).or_vex(), All, [DF, UF, UF], Both;
    Vpmaxuw "vpmaxuw" Three evex(2, 0x66, 0x3e).or_vex(), All, [DF, UF, UF], Both;
    Vpmaxud "vpmaxud" Three evex(2, 0x66, 0x3f).or_vex(), All, [DF, UF, UF], Both;
    Vpmaxuq "vpmaxuq" Three evex(2, 0x66, 0x3f).w(), All, [DF, UF, UF], Both;
    Vpminsb "vpminsb" Three evex(2, 0x66, 0x38).or_vex(), All, [DF, UF, UF], Both;
    Vpminsw "vpminsw" Three evex(1, 0x66, 0xea).or_vex(), All, [DF, UF, UF], Both;
    Vpminsd "vpminsd" Three evex(2, 0x66, 0x39).or_vex(), All, [DF, UF, UF], Both;
    Vpminsq "vpminsq" Three evex(2, 0x66, 0x39).w(), All, [DF, UF, UF], Both;
    Vpmaxsb "vpmaxsb" Three evex(2, 0x66, 0x3c).or_vex(), All, [DF, UF, UF], Both;
    Vpmaxsw "vpmaxsw" Three evex(1, 0x66, 0xee).or_vex(), All, [DF, UF, UF], Both;
    Vpmaxsd "vpmaxsd" Three evex(2, 0x66, 0x3d).or_vex(), All, [DF, UF, UF], Both;
    Vpmaxsq "vpmaxsq" Three evex(2, 0x66, 0x3d).w(), All, [DF, UF, UF], Both;
    Vpandd "vpandd" Three evex(1, 0x66, 0xdb), All, [DF, UF, UF], Both;
    Vpandq "vpandq" Three evex(1, 0x66, 0xdb).w(), All, [DF, UF, UF], Both;
    Vpord "vpord" Three evex(1, 0x66, 0xeb), All, [DF, UF, UF], Both;
    Vporq "vporq" Three evex(1, 0x66, 0xeb).w(), All, [DF, UF, UF], Both;
    Vpxord "vpxord" Three evex(1, 0x66, 0xef), All, [DF, UF, UF], Both;
    Vpxorq "vpxorq" Three evex(1, 0x66, 0xef).w(), All, [DF, UF, UF], Both;
    Vpsllvd "vpsllvd" Three evex(2, 0x66, 0x47), Widest, [DF, UF, UF], No;
    Vpsllvq "vpsllvq" Three evex(2, 0x66, 0x47).w(), Widest, [DF, UF, UF], No;
    Vpsrlvd "vpsrlvd" Three evex(2, 0x66, 0x45), Widest, [DF, UF, UF], No;
    Vpsrlvq "vpsrlvq" Three evex(2, 0x66, 0x45).w(), Widest, [DF, UF, UF], No;
    Vpsravd "vpsravd" Three evex(2, 0x66, 0x46), Widest, [DF, UF, UF], No;
    Vpshufb "vpshufb" Three evex(2, 0x66, 0x00), Widest, [DF, UF, UF], No;
    VmovntpsM "vmovntps" MR evex(1, 0, 0x2b), Widest, [UF], No;
    Vpabsb "vpabsb" LoadRR evex(2, 0x66, 0x1c), Widest, [DF, UF], No;
    Vpabsw "vpabsw" LoadRR evex(2, 0x66, 0x1d), Widest, [DF, UF], No;
    Vpabsd "vpabsd" LoadRR evex(2, 0x66, 0x1e), Widest, [DF, UF], No;
    Vpabsq "vpabsq" LoadRR evex(2, 0x66, 0x1f).w(), All, [DF, UF], No;
    VpsllwI "vpsllw" LoadRRI evex(1, 0x66, 0x71).digit(6).imm(Byte).written(), Widest, [DF, UF], No;
    VpsrlwI "vpsrlw" LoadRRI evex(1, 0x66, 0x71).digit(2).imm(Byte).written(), Widest, [DF, UF], No;
    VpsrawI "vpsraw" LoadRRI evex(1, 0x66, 0x71).digit(4).imm(Byte).written(), Widest, [DF, UF], No;
    VpslldI "vpslld" LoadRRI evex(1, 0x66, 0x72).digit(6).imm(Byte).written(), Widest, [DF, UF], No;
    VpsrldI "vpsrld" LoadRRI evex(1, 0x66, 0x72).digit(2).imm(Byte).written(), Widest, [DF, UF], No;
    VpsradI "vpsrad" LoadRRI evex(1, 0x66, 0x72).digit(4).imm(Byte).written(), Widest, [DF, UF], No;
    VpsllqI "vpsllq" LoadRRI evex(1, 0x66, 0x73).digit(6).imm(Byte).written().w(), Widest, [DF, UF], No;
    VpsrlqI "vpsrlq" LoadRRI evex(1, 0x66, 0x73).digit(2).imm(Byte).written().w(), Widest, [DF, UF], No;
    Vpmovzxbw "vpmovzxbw" LoadRR evex(2, 0x66, 0x30), Widest, [DF, UH], No;
    Vpmovzxbd "vpmovzxbd" LoadRR evex(2, 0x66, 0x31), Widest, [DF, UQ], No;
    Vpmovzxbq "vpmovzxbq" LoadRR evex(2, 0x66, 0x32), Widest, [DF, UE], No;
    Vpmovzxwd "vpmovzxwd" LoadRR evex(2, 0x66, 0x33), Widest, [DF, UH], No;
    Vpmovzxwq "vpmovzxwq" LoadRR evex(2, 0x66, 0x34), Widest, [DF, UQ], No;
    Vpmovzxdq "vpmovzxdq" LoadRR evex(2, 0x66, 0x35), Widest, [DF, UH], No;
    Vpmovsxbw "vpmovsxbw" LoadRR evex(2, 0x66, 0x20), Widest, [DF, UH], No;
    Vpmovsxbd "vpmovsxbd" LoadRR evex(2, 0x66, 0x21), Widest, [DF, UQ], No;
    Vpmovsxbq "vpmovsxbq" LoadRR evex(2, 0x66, 0x22), Widest, [DF, UE], No;
    Vpmovsxwd "vpmovsxwd" LoadRR evex(2, 0x66, 0x23), Widest, [DF, UH], No;
    Vpmovsxwq "vpmovsxwq" LoadRR evex(2, 0x66, 0x24), Widest, [DF, UQ], No;
    Vpmovsxdq "vpmovsxdq" LoadRR evex(2, 0x66, 0x25), Widest, [DF, UH], No;
    Vbroadcastss "vbroadcastss" LoadRR evex(2, 0x66, 0x18), Widest, [DF, UL], No;
    Vbroadcastsd "vbroadcastsd" LoadRR evex(2, 0x66, 0x19).w(), Widest, [DF, UL], No;
    Vpbroadcastb "vpbroadcastb" LoadRR evex(2, 0x66, 0x78), Widest, [DF, UL], No;
    Vpbroadcastw "vpbroadcastw" LoadRR evex(2, 0x66, 0x79), Widest, [DF, UL], No;
    Vpbroadcastd "vpbroadcastd" LoadRR evex(2, 0x66, 0x58), Widest, [DF, UL], No;
    Vpbroadcastq "vpbroadcastq" LoadRR evex(2, 0x66, 0x59).w(), Widest, [DF, UL], No;
    Vcvtdq2pd "vcvtdq2pd" LoadRR evex(1, 0xf3, 0xe6).or_vex(), All, [DF, UH], No;
    Vcvtudq2pd "vcvtudq2pd" LoadRR evex(1, 0xf3, 0x7a), All, [DF, UH], No;
    // Choices by a mask.
    Vpblendmd "vpblendmd" Three evex(2, 0x66, 0x64), All, [DF, UF, UF], Chooses;
    Vpblendmq "vpblendmq" Three evex(2, 0x66, 0x64).w(), All, [DF, UF, UF], Chooses;
    Vpblendmb "vpblendmb" Three evex(2, 0x66, 0x66), All, [DF, UF, UF], Chooses;
    Vpblendmw "vpblendmw" Three evex(2, 0x66, 0x66).w(), All, [DF, UF, UF], Chooses;
    // Half floats.
    Vaddph "vaddph" Three evex(5, 0, 0x58).rounds(), Widest, [DF, UF, UF], No;
    Vaddsh "vaddsh" Three evex(5, 0xf3, 0x58).rounds(), Lowest, [DL, UL, UL], Both;
    Vmulph "vmulph" Three evex(5, 0, 0x59).rounds(), Widest, [DF, UF, UF], No;
    Vmulsh "vmulsh" Three evex(5, 0xf3, 0x59).rounds(), Lowest, [DL, UL, UL], Both;
    Vsubph "vsubph" Three evex(5, 0, 0x5c).rounds(), Widest, [DF, UF, UF], No;
    Vsubsh "vsubsh" Three evex(5, 0xf3, 0x5c).rounds(), Lowest, [DL, UL, UL], Both;
    Vdivph "vdivph" Three evex(5, 0, 0x5e).rounds(), Widest, [DF, UF, UF], No;
    Vdivsh "vdivsh" Three evex(5, 0xf3, 0x5e).rounds(), Lowest, [DL, UL, UL], Both;
    Vminph "vminph" Three evex(5, 0, 0x5d).silences(), All, [DF, UF, UF], No;
    Vminsh "vminsh" Three evex(5, 0xf3, 0x5d).silences(), Lowest, [DL, UL, UL], Both;
    Vmaxph "vmaxph" Three evex(5, 0, 0x5f).silences(), All, [DF, UF, UF], No;
    Vmaxsh "vmaxsh" Three evex(5, 0xf3, 0x5f).silences(), Lowest, [DL, UL, UL], Both;
    Vsqrtph "vsqrtph" LoadRR evex(5, 0, 0x51).rounds(), Widest, [DF, UF], No;
    Vsqrtsh "vsqrtsh" Three evex(5, 0xf3, 0x51).rounds(), Lowest, [DL, UL, UL], Both;
    Vfmadd213ph "vfmadd213ph" Three evex(6, 0x66, 0xa8).rounds(), Widest, [MF, UF, UF], No;
    Vfmadd213sh "vfmadd213sh" Three evex(6, 0x66, 0xa9).rounds(), Lowest, [ML, UL, UL], No;
    Vfmaddsub213ph "vfmaddsub213ph" Three evex(6, 0x66, 0xa6).rounds(), All, [MF, UF, UF], No;
    Vscalefph "vscalefph" Three evex(6, 0x66, 0x2c).rounds(), All, [DF, UF, UF], Both;
    Vscalefsh "vscalefsh" Three evex(6, 0x66, 0x2d).rounds(), Lowest, [DL, UL, UL], Both;
    Vgetexpph "vgetexpph" LoadRR evex(6, 0x66, 0x42).silences(), All, [DF, UF], Both;
    Vgetexpsh "vgetexpsh" Three evex(6, 0x66, 0x43).silences(), Lowest, [DL, UL, UL], Both;
    Vrcpph "vrcpph" LoadRR evex(6, 0x66, 0x4c), All, [DF, UF], Both;
    Vrcpsh "vrcpsh" Three evex(6, 0x66, 0x4d), Lowest, [DL, UL, UL], Both;
    Vrsqrtph "vrsqrtph" LoadRR evex(6, 0x66, 0x4e), All, [DF, UF], Both;
    Vrsqrtsh "vrsqrtsh" Three evex(6, 0x66, 0x4f), Lowest, [DL, UL, UL], Both;
    Vgetmantph "vgetmantph" LoadRRI evex(3, 0, 0x26).imm(Byte).silences(), All, [DF, UF], Both;
    Vgetmantsh "vgetmantsh" ThreeI evex(3, 0, 0x27).imm(Byte).silences(), Lowest, [DL, UL, UL], Both;
    Vreduceph "vreduceph" LoadRRI evex(3, 0, 0x56).imm(Byte).silences(), All, [DF, UF], Both;
    Vreducesh "vreducesh" ThreeI evex(3, 0, 0x57).imm(Byte).silences(), Lowest, [DL, UL, UL], Both;
    Vrndscaleph "vrndscaleph" LoadRRI evex(3, 0, 0x08).imm(Byte).silences(), All, [DF, UF], Both;
    Vrndscalesh "vrndscalesh" ThreeI evex(3, 0, 0x0a).imm(Byte).silences(), Lowest, [DL, UL, UL], Both;
    Vfpclassph "vfpclassph" LoadRRI evex(3, 0, 0x66).imm(Byte), All, [DK, UF], Both;
    Vfpclasssh "vfpclasssh" LoadRRI evex(3, 0, 0x67).imm(Byte), Lowest, [DK, UL], Both;
    Vcmpph "vcmpph" ThreeI evex(3, 0, 0xc2).imm(Byte).silences(), All, [DK, UF, UF], Both;
    Vcmpsh "vcmpsh" ThreeI evex(3, 0xf3, 0xc2).imm(Byte).silences(), Lowest, [DK, UL, UL], Both;
    Vcvtph2psx "vcvtph2psx" LoadRR evex(6, 0x66, 0x13).silences(), All, [DF, UH], Both;
    Vcvtps2phx "vcvtps2phx" LoadRR evex(5, 0x66, 0x1d).rounds(), All, [DH, UF], Both;
    Vcvtph2pd "vcvtph2pd" LoadRR evex(5, 0, 0x5a).silences(), All, [DF, UQ], Both;
    Vcvtpd2ph "vcvtpd2ph" LoadRR evex(5, 0x66, 0x5a).w().rounds(), All, [DQ, UF], Both;
    Vcvtph2w "vcvtph2w" LoadRR evex(5, 0x66, 0x7d).rounds(), All, [DF, UF], Both;
    Vcvttph2w "vcvttph2w" LoadRR evex(5, 0x66, 0x7c).silences(), All, [DF, UF], Both;
    Vcvtph2uw "vcvtph2uw" LoadRR evex(5, 0, 0x7d).rounds(), All, [DF, UF], Both;
    Vcvttph2uw "vcvttph2uw" LoadRR evex(5, 0, 0x7c).silences(), All, [DF, UF], Both;
    Vcvtw2ph "vcvtw2ph" LoadRR evex(5, 0xf3, 0x7d).rounds(), All, [DF, UF], Both;
    Vcvtuw2ph "vcvtuw2ph" LoadRR evex(5, 0xf2, 0x7d).rounds(), All, [DF, UF], Both;
    Vcvtph2dq "vcvtph2dq" LoadRR evex(5, 0x66, 0x5b).rounds(), All, [DF, UH], Both;
    Vcvttph2dq "vcvttph2dq" LoadRR evex(5, 0xf3, 0x5b).silences(), All, [DF, UH], Both;
    Vcvtph2udq "vcvtph2udq" LoadRR evex(5, 0, 0x79).rounds(), All, [DF, UH], Both;
    Vcvttph2udq "vcvttph2udq" LoadRR evex(5, 0, 0x78).silences(), All, [DF, UH], Both;
    Vcvtdq2ph "vcvtdq2ph" LoadRR evex(5, 0, 0x5b).rounds(), All, [DH, UF], Both;
    Vcvtudq2ph "vcvtudq2ph" LoadRR evex(5, 0xf2, 0x7a).rounds(), All, [DH, UF], Both;
    Vcvtph2qq "vcvtph2qq" LoadRR evex(5, 0x66, 0x7b).rounds(), All, [DF, UQ], Both;
    Vcvttph2qq "vcvttph2qq" LoadRR evex(5, 0x66, 0x7a).silences(), All, [DF, UQ], Both;
    Vcvtph2uqq "vcvtph2uqq" LoadRR evex(5, 0x66, 0x79).rounds(), All, [DF, UQ], Both;
    Vcvttph2uqq "vcvttph2uqq" LoadRR evex(5, 0x66, 0x78).silences(), All, [DF, UQ], Both;
    Vcvtqq2ph "vcvtqq2ph" LoadRR evex(5, 0, 0x5b).w().rounds(), All, [DQ, UF], Both;
    Vcvtuqq2ph "vcvtuqq2ph" LoadRR evex(5, 0xf2, 0x7a).w().rounds(), All, [DQ, UF], Both;
    Vcvtsh2ss "vcvtsh2ss" Three evex(6, 0, 0x13).silences(), Lowest, [DL, UL, UL], Both;
    Vcvtss2sh "vcvtss2sh" Three evex(5, 0, 0x1d).rounds(), Lowest, [DL, UL, UL], Both;
    Vcvtsh2sd "vcvtsh2sd" Three evex(5, 0xf3, 0x5a).silences(), Lowest, [DL, UL, UL], Both;
    Vcvtsd2sh "vcvtsd2sh" Three evex(5, 0xf2, 0x5a).w().rounds(), Lowest, [DL, UL, UL], Both;
    Vcvtsh2siL "vcvtsh2si" LoadRR evex(5, 0xf3, 0x2d).rounds(), Lowest, [D32, UL], No;
    Vcvtsh2siQ "vcvtsh2si" LoadRR evex(5, 0xf3, 0x2d).w().rounds(), Lowest, [D64, UL], No;
    Vcvttsh2siL "vcvttsh2si" LoadRR evex(5, 0xf3, 0x2c).silences(), Lowest, [D32, UL], No;
    Vcvttsh2siQ "vcvttsh2si" LoadRR evex(5, 0xf3, 0x2c).w().silences(), Lowest, [D64, UL], No;
    Vcvtsh2usiL "vcvtsh2usi" LoadRR evex(5, 0xf3, 0x79).rounds(), Lowest, [D32, UL], No;
    Vcvtsh2usiQ "vcvtsh2usi" LoadRR evex(5, 0xf3, 0x79).w().rounds(), Lowest, [D64, UL], No;
    Vcvttsh2usiL "vcvttsh2usi" LoadRR evex(5, 0xf3, 0x78).silences(), Lowest, [D32, UL], No;
    Vcvttsh2usiQ "vcvttsh2usi" LoadRR evex(5, 0xf3, 0x78).w().silences(), Lowest, [D64, UL], No;
    Vcvtsi2shL "vcvtsi2sh" Three evex(5, 0xf3, 0x2a).rounds(), Lowest, [DL, UL, U32], No;
    Vcvtsi2shQ "vcvtsi2sh" Three evex(5, 0xf3, 0x2a).w().rounds(), Lowest, [DL, UL, U64], No;
    Vcvtusi2shL "vcvtusi2sh" Three evex(5, 0xf3, 0x7b).rounds(), Lowest, [DL, UL, U32], No;
    Vcvtusi2shQ "vcvtusi2sh" Three evex(5, 0xf3, 0x7b).w().rounds(), Lowest, [DL, UL, U64], No;
    Vfmaddcph "vfmaddcph" Three evex(6, 0xf3, 0x56).apart().rounds().zeroes(), All, [MF, UF, UF], Both;
    Vfmaddcsh "vfmaddcsh" Three evex(6, 0xf3, 0x57).apart().rounds().zeroes(), Lowest, [ML, UL, UL], Both;
    Vfcmaddcph "vfcmaddcph" Three evex(6, 0xf2, 0x56).apart().rounds().zeroes(), All, [MF, UF, UF], Both;
    Vfcmaddcsh "vfcmaddcsh" Three evex(6, 0xf2, 0x57).apart().rounds().zeroes(), Lowest, [ML, UL, UL], Both;
    Vfmulcph "vfmulcph" Three evex(6, 0xf3, 0xd6).apart().rounds(), All, [DF, UF, UF], Both;
    Vfmulcsh "vfmulcsh" Three evex(6, 0xf3, 0xd7).apart().rounds(), Lowest, [DL, UL, UL], Both;
    Vfcmulcph "vfcmulcph" Three evex(6, 0xf2, 0xd6).apart().rounds(), All, [DF, UF, UF], Both;
    Vfcmulcsh "vfcmulcsh" Three evex(6, 0xf2, 0xd7).apart().rounds(), Lowest, [DL, UL, UL], Both;
}
