//! The table of conversions: of floats, of floats and integers, and of integers to narrower ones.

use super::Arg;
use super::Arg::{A, Address, B, Imm, Kept, Mask, Rounding};
use crate::evex::Evex;
use crate::features::*;

/// The feature, row and operands of a conversion, by what its name has before the length.
pub(super) fn find(stem: &str) -> Option<(u8, Evex, &'static [Arg])> {
    let of_lanes = packed(stem).or_else(|| round(stem)).or_else(|| truncation(stem));
    of_lanes.or_else(|| lowest(stem))
}

const MASKED: &[Arg] = &[A, Kept, Mask, Rounding];

fn packed(stem: &str) -> Option<(u8, Evex, &'static [Arg])> {
    match stem {
        "mask.vcvtph2ps" => return Some((AVX512F, Evex::Vcvtph2ps, MASKED)),
        "mask.vcvtps2ph" => return Some((AVX512F, Evex::Vcvtps2ph, &[A, Imm, Kept, Mask])),
        "mask.cvtss2sd.round" => return Some((AVX512F, Evex::Vcvtss2sd, &[A, B, Kept, Mask, Rounding])),
        "mask.cvtsd2ss.round" => return Some((AVX512F, Evex::Vcvtsd2ss, &[A, B, Kept, Mask, Rounding])),
        _ => {}
    }
    let (feature, row) = match stem.strip_prefix("mask.cvt")? {
        "pd2dq" => (AVX512F, Evex::Vcvtpd2dq),
        "pd2ps" => (AVX512F, Evex::Vcvtpd2ps),
        "pd2qq" => (AVX512DQ, Evex::Vcvtpd2qq),
        "pd2udq" => (AVX512F, Evex::Vcvtpd2udq),
        "pd2uqq" => (AVX512DQ, Evex::Vcvtpd2uqq),
        "ps2dq" => (AVX512F, Evex::Vcvtps2dq),
        "ps2pd" => (AVX512F, Evex::Vcvtps2pd),
        "ps2qq" => (AVX512DQ, Evex::Vcvtps2qq),
        "ps2udq" => (AVX512F, Evex::Vcvtps2udq),
        "ps2uqq" => (AVX512DQ, Evex::Vcvtps2uqq),
        "qq2ps" => (AVX512DQ, Evex::Vcvtqq2ps),
        "uqq2ps" => (AVX512DQ, Evex::Vcvtuqq2ps),
        "tpd2dq" => (AVX512F, Evex::Vcvttpd2dq),
        "tpd2qq" => (AVX512DQ, Evex::Vcvttpd2qq),
        "tpd2udq" => (AVX512F, Evex::Vcvttpd2udq),
        "tpd2uqq" => (AVX512DQ, Evex::Vcvttpd2uqq),
        "tps2dq" => (AVX512F, Evex::Vcvttps2dq),
        "tps2qq" => (AVX512DQ, Evex::Vcvttps2qq),
        "tps2udq" => (AVX512F, Evex::Vcvttps2udq),
        "tps2uqq" => (AVX512DQ, Evex::Vcvttps2uqq),
        _ => return None,
    };
    Some((feature, row, MASKED))
}

/// Integers to floats of another rounding: the name has both types, of 512 bits or half of that.
fn round(stem: &str) -> Option<(u8, Evex, &'static [Arg])> {
    let (feature, row) = match stem {
        "sitofp.round.v16f32.v16i32" => (AVX512F, Evex::Vcvtdq2ps),
        "sitofp.round.v8f64.v8i64" => (AVX512DQ, Evex::Vcvtqq2pd),
        "sitofp.round.v8f32.v8i64" => (AVX512DQ, Evex::Vcvtqq2ps),
        "uitofp.round.v16f32.v16i32" => (AVX512F, Evex::Vcvtudq2ps),
        "uitofp.round.v8f64.v8i64" => (AVX512DQ, Evex::Vcvtuqq2pd),
        "uitofp.round.v8f32.v8i64" => (AVX512DQ, Evex::Vcvtuqq2ps),
        "sitofp.round.v32f16.v32i16" => (AVX512FP16, Evex::Vcvtw2ph),
        "sitofp.round.v16f16.v16i32" => (AVX512FP16, Evex::Vcvtdq2ph),
        "sitofp.round.v8f16.v8i64" => (AVX512FP16, Evex::Vcvtqq2ph),
        "uitofp.round.v32f16.v32i16" => (AVX512FP16, Evex::Vcvtuw2ph),
        "uitofp.round.v16f16.v16i32" => (AVX512FP16, Evex::Vcvtudq2ph),
        "uitofp.round.v8f16.v8i64" => (AVX512FP16, Evex::Vcvtuqq2ph),
        _ => return None,
    };
    Some((feature, row, &[A, Rounding]))
}

/// The lowest lane, from or to a general register.
fn lowest(stem: &str) -> Option<(u8, Evex, &'static [Arg])> {
    let row = match stem {
        "vcvtss2si32" => Evex::Vcvtss2siL,
        "vcvtss2si64" => Evex::Vcvtss2siQ,
        "vcvtss2usi32" => Evex::Vcvtss2usiL,
        "vcvtss2usi64" => Evex::Vcvtss2usiQ,
        "vcvtsd2si32" => Evex::Vcvtsd2siL,
        "vcvtsd2si64" => Evex::Vcvtsd2siQ,
        "vcvtsd2usi32" => Evex::Vcvtsd2usiL,
        "vcvtsd2usi64" => Evex::Vcvtsd2usiQ,
        "cvttss2si" => Evex::Vcvttss2siL,
        "cvttss2si64" => Evex::Vcvttss2siQ,
        "cvttss2usi" => Evex::Vcvttss2usiL,
        "cvttss2usi64" => Evex::Vcvttss2usiQ,
        "cvttsd2si" => Evex::Vcvttsd2siL,
        "cvttsd2si64" => Evex::Vcvttsd2siQ,
        "cvttsd2usi" => Evex::Vcvttsd2usiL,
        "cvttsd2usi64" => Evex::Vcvttsd2usiQ,
        "cvtsi2ss32" => Evex::Vcvtsi2ssL,
        "cvtsi2ss64" => Evex::Vcvtsi2ssQ,
        "cvtsi2sd64" => Evex::Vcvtsi2sdQ,
        "cvtusi2ss" => Evex::Vcvtusi2ssL,
        "cvtusi642ss" => Evex::Vcvtusi2ssQ,
        "cvtusi642sd" => Evex::Vcvtusi2sdQ,
        _ => return None,
    };
    let args: &[Arg] = match stem.contains("2s") && !stem.contains("2si") {
        true => &[A, B, Rounding],
        false => &[A, Rounding],
    };
    Some((AVX512F, row, args))
}

/// Integers to narrower ones, into a register or into memory.
fn truncation(stem: &str) -> Option<(u8, Evex, &'static [Arg])> {
    let rest = stem.strip_prefix("mask.pmov")?;
    let (name, is_stored) = match rest.strip_suffix(".mem") {
        Some(name) => (name, true),
        None => (rest, false),
    };
    let (feature, [row, stored]) = match name {
        ".qb" => (AVX512F, [Evex::Vpmovqb, Evex::VpmovqbM]),
        "s.qb" => (AVX512F, [Evex::Vpmovsqb, Evex::VpmovsqbM]),
        "us.qb" => (AVX512F, [Evex::Vpmovusqb, Evex::VpmovusqbM]),
        ".qw" => (AVX512F, [Evex::Vpmovqw, Evex::VpmovqwM]),
        "s.qw" => (AVX512F, [Evex::Vpmovsqw, Evex::VpmovsqwM]),
        "us.qw" => (AVX512F, [Evex::Vpmovusqw, Evex::VpmovusqwM]),
        ".qd" => (AVX512F, [Evex::Vpmovqd, Evex::VpmovqdM]),
        "s.qd" => (AVX512F, [Evex::Vpmovsqd, Evex::VpmovsqdM]),
        "us.qd" => (AVX512F, [Evex::Vpmovusqd, Evex::VpmovusqdM]),
        ".db" => (AVX512F, [Evex::Vpmovdb, Evex::VpmovdbM]),
        "s.db" => (AVX512F, [Evex::Vpmovsdb, Evex::VpmovsdbM]),
        "us.db" => (AVX512F, [Evex::Vpmovusdb, Evex::VpmovusdbM]),
        ".dw" => (AVX512F, [Evex::Vpmovdw, Evex::VpmovdwM]),
        "s.dw" => (AVX512F, [Evex::Vpmovsdw, Evex::VpmovsdwM]),
        "us.dw" => (AVX512F, [Evex::Vpmovusdw, Evex::VpmovusdwM]),
        ".wb" => (AVX512BW, [Evex::Vpmovwb, Evex::VpmovwbM]),
        "s.wb" => (AVX512BW, [Evex::Vpmovswb, Evex::VpmovswbM]),
        "us.wb" => (AVX512BW, [Evex::Vpmovuswb, Evex::VpmovuswbM]),
        _ => return None,
    };
    match is_stored {
        true => Some((feature, stored, &[Address, A, Mask])),
        false => Some((feature, row, &[A, Kept, Mask])),
    }
}
