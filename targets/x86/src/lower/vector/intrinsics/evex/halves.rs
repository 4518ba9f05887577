//! The table of intrinsics on half floats (AVX512-FP16).
//!
//! Source: as for the other [`names`](super::names). Pairs of halves that are complex numbers are lanes of 32 bits, of
//! which a mask has a bit each.

use super::Arg::{A, B, D, Imm, Kept, Mask, Rounding};
use super::names::{FUSED, LOWEST_IMM, MASKED_BINARY, MASKED_UNARY, MASKED_UNARY_IMM, entry, with_kind};
use super::{Arg, Entry, Kind};
use crate::evex::Evex;
use crate::features::AVX512FP16;

/// An intrinsic by what its name has before the length of vectors in bytes.
pub(super) fn find(stem: &str, bytes: u8) -> Option<Entry> {
    let found = lanes(stem)
        .or_else(|| complex(stem))
        .or_else(|| conversion(stem))
        .or_else(|| lowest(stem));
    if let Some((row, args)) = found {
        let entry = entry(AVX512FP16, row, bytes, args);
        return match stem.starts_with("maskz.") {
            true => with_kind(Kind::Zeroing, entry),
            false => entry,
        };
    }
    let (row, args) = to_mask(stem)?;
    with_kind(Kind::ToMask, entry(AVX512FP16, row, bytes, args))
}

/// What is done lane by lane, or to the lowest lane.
fn lanes(stem: &str) -> Option<(Evex, &'static [Arg])> {
    const BINARY: &[Arg] = &[A, B, Rounding];
    Some(match stem {
        "add.ph" => (Evex::Vaddph, BINARY),
        "sub.ph" => (Evex::Vsubph, BINARY),
        "mul.ph" => (Evex::Vmulph, BINARY),
        "div.ph" => (Evex::Vdivph, BINARY),
        "min.ph" => (Evex::Vminph, BINARY),
        "max.ph" => (Evex::Vmaxph, BINARY),
        "mask.add.sh.round" => (Evex::Vaddsh, MASKED_BINARY),
        "mask.sub.sh.round" => (Evex::Vsubsh, MASKED_BINARY),
        "mask.mul.sh.round" => (Evex::Vmulsh, MASKED_BINARY),
        "mask.div.sh.round" => (Evex::Vdivsh, MASKED_BINARY),
        "mask.min.sh.round" => (Evex::Vminsh, MASKED_BINARY),
        "mask.max.sh.round" => (Evex::Vmaxsh, MASKED_BINARY),
        "sqrt.ph" => (Evex::Vsqrtph, &[A, Rounding]),
        "mask.sqrt.sh" => (Evex::Vsqrtsh, MASKED_BINARY),
        "mask.rsqrt.ph" => (Evex::Vrsqrtph, MASKED_UNARY),
        "mask.rsqrt.sh" => (Evex::Vrsqrtsh, MASKED_BINARY),
        "mask.rcp.ph" => (Evex::Vrcpph, MASKED_UNARY),
        "mask.rcp.sh" => (Evex::Vrcpsh, MASKED_BINARY),
        "mask.reduce.ph" => (Evex::Vreduceph, MASKED_UNARY_IMM),
        "mask.reduce.sh" => (Evex::Vreducesh, LOWEST_IMM),
        "mask.rndscale.ph" => (Evex::Vrndscaleph, MASKED_UNARY_IMM),
        "mask.rndscale.sh" => (Evex::Vrndscalesh, LOWEST_IMM),
        "mask.getexp.ph" => (Evex::Vgetexpph, MASKED_UNARY),
        "mask.getexp.sh" => (Evex::Vgetexpsh, MASKED_BINARY),
        "mask.getmant.ph" => (Evex::Vgetmantph, MASKED_UNARY_IMM),
        "mask.getmant.sh" => (Evex::Vgetmantsh, &[A, B, Imm, Kept, Mask, Rounding]),
        "mask.scalef.ph" => (Evex::Vscalefph, MASKED_BINARY),
        "mask.scalef.sh" => (Evex::Vscalefsh, MASKED_BINARY),
        "vfmadd.ph" => (Evex::Vfmadd213ph, FUSED),
        "vfmadd.f16" => (Evex::Vfmadd213sh, FUSED),
        "vfmaddsub.ph" => (Evex::Vfmaddsub213ph, FUSED),
        _ => return None,
    })
}

/// Products of complex numbers, the first operand of some conjugated, and sums of these.
fn complex(stem: &str) -> Option<(Evex, &'static [Arg])> {
    // The instruction overwrites what is added, which comes last.
    const ADDED: &[Arg] = &[A, B, D, Mask, Rounding];
    Some(match stem.strip_prefix("mask.").or(stem.strip_prefix("maskz."))? {
        "vfmadd.cph" => (Evex::Vfmaddcph, ADDED),
        "vfmadd.csh" => (Evex::Vfmaddcsh, ADDED),
        "vfcmadd.cph" => (Evex::Vfcmaddcph, ADDED),
        "vfcmadd.csh" => (Evex::Vfcmaddcsh, ADDED),
        "vfmul.cph" => (Evex::Vfmulcph, MASKED_BINARY),
        "vfmul.csh" => (Evex::Vfmulcsh, MASKED_BINARY),
        "vfcmul.cph" => (Evex::Vfcmulcph, MASKED_BINARY),
        "vfcmul.csh" => (Evex::Vfcmulcsh, MASKED_BINARY),
        _ => return None,
    })
}

fn conversion(stem: &str) -> Option<(Evex, &'static [Arg])> {
    match stem {
        "mask.vcvtsh2ss.round" => return Some((Evex::Vcvtsh2ss, MASKED_BINARY)),
        "mask.vcvtsh2sd.round" => return Some((Evex::Vcvtsh2sd, MASKED_BINARY)),
        "mask.vcvtss2sh.round" => return Some((Evex::Vcvtss2sh, MASKED_BINARY)),
        "mask.vcvtsd2sh.round" => return Some((Evex::Vcvtsd2sh, MASKED_BINARY)),
        _ => {}
    }
    let row = match stem.strip_prefix("mask.vcvt")? {
        "ph2w" => Evex::Vcvtph2w,
        "tph2w" => Evex::Vcvttph2w,
        "ph2uw" => Evex::Vcvtph2uw,
        "tph2uw" => Evex::Vcvttph2uw,
        "ph2dq" => Evex::Vcvtph2dq,
        "tph2dq" => Evex::Vcvttph2dq,
        "ph2udq" => Evex::Vcvtph2udq,
        "tph2udq" => Evex::Vcvttph2udq,
        "dq2ph" => Evex::Vcvtdq2ph,
        "udq2ph" => Evex::Vcvtudq2ph,
        "ph2qq" => Evex::Vcvtph2qq,
        "tph2qq" => Evex::Vcvttph2qq,
        "ph2uqq" => Evex::Vcvtph2uqq,
        "tph2uqq" => Evex::Vcvttph2uqq,
        "qq2ph" => Evex::Vcvtqq2ph,
        "uqq2ph" => Evex::Vcvtuqq2ph,
        "ph2psx" => Evex::Vcvtph2psx,
        "ps2phx" => Evex::Vcvtps2phx,
        "ph2pd" => Evex::Vcvtph2pd,
        "pd2ph" => Evex::Vcvtpd2ph,
        _ => return None,
    };
    Some((row, MASKED_UNARY))
}

/// Conversions of the lowest lane from and to general registers.
fn lowest(stem: &str) -> Option<(Evex, &'static [Arg])> {
    const INTO: &[Arg] = &[A, B, Rounding];
    Some(match stem {
        "vcvtsh2si32" => (Evex::Vcvtsh2siL, &[A, Rounding]),
        "vcvtsh2si64" => (Evex::Vcvtsh2siQ, &[A, Rounding]),
        "vcvtsh2usi32" => (Evex::Vcvtsh2usiL, &[A, Rounding]),
        "vcvtsh2usi64" => (Evex::Vcvtsh2usiQ, &[A, Rounding]),
        "vcvttsh2si32" => (Evex::Vcvttsh2siL, &[A, Rounding]),
        "vcvttsh2si64" => (Evex::Vcvttsh2siQ, &[A, Rounding]),
        "vcvttsh2usi32" => (Evex::Vcvttsh2usiL, &[A, Rounding]),
        "vcvttsh2usi64" => (Evex::Vcvttsh2usiQ, &[A, Rounding]),
        "vcvtsi2sh" => (Evex::Vcvtsi2shL, INTO),
        "vcvtsi642sh" => (Evex::Vcvtsi2shQ, INTO),
        "vcvtusi2sh" => (Evex::Vcvtusi2shL, INTO),
        "vcvtusi642sh" => (Evex::Vcvtusi2shQ, INTO),
        _ => return None,
    })
}

fn to_mask(stem: &str) -> Option<(Evex, &'static [Arg])> {
    const COMPARE: &[Arg] = &[A, B, Imm, Mask, Rounding];
    Some(match stem {
        "mask.cmp.ph" => (Evex::Vcmpph, COMPARE),
        "mask.cmp.sh" => (Evex::Vcmpsh, COMPARE),
        "vcomi.sh" => (Evex::Vcmpsh, &[A, B, Imm, Rounding]),
        "fpclass.ph" => (Evex::Vfpclassph, &[A, Imm]),
        "mask.fpclass.sh" => (Evex::Vfpclasssh, &[A, Imm, Mask]),
        _ => return None,
    })
}
