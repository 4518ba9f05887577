//! The table of intrinsics of AVX-512 and its companions: from names to entries.
//!
//! Source: LLVM's `IntrinsicsX86.td` and, for their operands, the headers of clang. A name is made of what is done, the
//! type of lanes (`ps`, `pd`, or `ss` and `sd` for the lowest lane, `f32` and `f64` for scalars), and the length of
//! vectors in bits; the tables are by the first part.

use super::Arg::{A, B, D, Imm, Kept, Mask, Rounding};
use super::{Arg, Entry, Kind};
use crate::evex::Evex;
use crate::features::*;

pub(super) fn entry(feature: u8, row: Evex, bytes: u8, args: &'static [Arg]) -> Option<Entry> {
    Some(Entry {
        feature,
        row,
        bytes,
        kind: Kind::Plain,
        args,
    })
}

pub(super) fn with_kind(kind: Kind, entry: Option<Entry>) -> Option<Entry> {
    entry.map(|entry| Entry { kind, ..entry })
}

/// Rows for `ps`, `pd`, `ss` and `sd`.
type FloatRows = [Evex; 4];

/// What is made of an operation on floats: its feature, its rows, its operands on vectors and on the lowest lane.
type FloatLine = (u8, FloatRows, &'static [Arg], &'static [Arg]);

pub(super) const MASKED_UNARY: &[Arg] = &[A, Kept, Mask, Rounding];
pub(super) const MASKED_BINARY: &[Arg] = &[A, B, Kept, Mask, Rounding];
pub(super) const MASKED_UNARY_IMM: &[Arg] = &[A, Imm, Kept, Mask, Rounding];
pub(super) const LOWEST_IMM: &[Arg] = &[A, B, Kept, Mask, Imm, Rounding];
pub(super) const FUSED: &[Arg] = &[D, A, B, Rounding];
const FIXUP: &[Arg] = &[D, A, B, Imm, Mask, Rounding];

pub(super) fn floats(stem: &str, bytes: u8) -> Option<Entry> {
    match stem {
        "vfmaddsub.ps" => return entry(AVX512F, Evex::Vfmaddsub213ps, bytes, FUSED),
        "vfmaddsub.pd" => return entry(AVX512F, Evex::Vfmaddsub213pd, bytes, FUSED),
        _ => {}
    }
    let (operation, lane) = split_lane(stem)?;
    let (feature, rows, packed, lowest) = float_line(operation)?;
    let entry = entry(feature, rows[lane], bytes, if lane < 2 { packed } else { lowest });
    match operation {
        "maskz.fixupimm" => with_kind(Kind::Zeroing, entry),
        "mask.cmp" | "fpclass" | "mask.fpclass" | "vcomi" => with_kind(Kind::ToMask, entry),
        _ => entry,
    }
}

/// The operation and the place of the lanes' type in [`FloatRows`].
fn split_lane(stem: &str) -> Option<(&str, usize)> {
    let stem = stem.strip_suffix(".round").unwrap_or(stem);
    let (operation, lane) = stem.rsplit_once('.')?;
    let lane = match lane {
        "ps" => 0,
        "pd" => 1,
        "ss" | "f32" => 2,
        "sd" | "f64" => 3,
        _ => return None,
    };
    Some((operation, lane))
}

/// The four rows of an operation.
macro_rules! rows {
    ($ps:ident $pd:ident $ss:ident $sd:ident) => {
        [Evex::$ps, Evex::$pd, Evex::$ss, Evex::$sd]
    };
}

fn float_line(operation: &str) -> Option<FloatLine> {
    const BINARY: &[Arg] = &[A, B, Rounding];
    const COMPARE: &[Arg] = &[A, B, Imm, Mask, Rounding];
    Some(match operation {
        "add" | "mask.add" => (AVX512F, rows!(Vaddps Vaddpd Vaddss Vaddsd), BINARY, MASKED_BINARY),
        "sub" | "mask.sub" => (AVX512F, rows!(Vsubps Vsubpd Vsubss Vsubsd), BINARY, MASKED_BINARY),
        "mul" | "mask.mul" => (AVX512F, rows!(Vmulps Vmulpd Vmulss Vmulsd), BINARY, MASKED_BINARY),
        "div" | "mask.div" => (AVX512F, rows!(Vdivps Vdivpd Vdivss Vdivsd), BINARY, MASKED_BINARY),
        "min" | "mask.min" => (AVX512F, rows!(Vminps Vminpd Vminss Vminsd), BINARY, MASKED_BINARY),
        "max" | "mask.max" => (AVX512F, rows!(Vmaxps Vmaxpd Vmaxss Vmaxsd), BINARY, MASKED_BINARY),
        "sqrt" | "mask.sqrt" => (
            AVX512F,
            rows!(Vsqrtps Vsqrtpd Vsqrtss Vsqrtsd),
            &[A, Rounding],
            MASKED_BINARY,
        ),
        "vfmadd" => (
            AVX512F,
            rows!(Vfmadd213ps Vfmadd213pd Vfmadd213ss Vfmadd213sd),
            FUSED,
            FUSED,
        ),
        "mask.scalef" => (
            AVX512F,
            rows!(Vscalefps Vscalefpd Vscalefss Vscalefsd),
            MASKED_BINARY,
            MASKED_BINARY,
        ),
        "mask.getexp" => (
            AVX512F,
            rows!(Vgetexpps Vgetexppd Vgetexpss Vgetexpsd),
            MASKED_UNARY,
            MASKED_BINARY,
        ),
        "rcp14" => (
            AVX512F,
            rows!(Vrcp14ps Vrcp14pd Vrcp14ss Vrcp14sd),
            MASKED_UNARY,
            MASKED_BINARY,
        ),
        "rsqrt14" => (
            AVX512F,
            rows!(Vrsqrt14ps Vrsqrt14pd Vrsqrt14ss Vrsqrt14sd),
            MASKED_UNARY,
            MASKED_BINARY,
        ),
        "mask.getmant" => (
            AVX512F,
            rows!(Vgetmantps Vgetmantpd Vgetmantss Vgetmantsd),
            MASKED_UNARY_IMM,
            &[A, B, Imm, Kept, Mask, Rounding],
        ),
        "mask.rndscale" => (
            AVX512F,
            rows!(Vrndscaleps Vrndscalepd Vrndscaless Vrndscalesd),
            MASKED_UNARY_IMM,
            LOWEST_IMM,
        ),
        "mask.reduce" => (
            AVX512DQ,
            rows!(Vreduceps Vreducepd Vreducess Vreducesd),
            MASKED_UNARY_IMM,
            LOWEST_IMM,
        ),
        "mask.range" => (
            AVX512DQ,
            rows!(Vrangeps Vrangepd Vrangess Vrangesd),
            &[A, B, Imm, Kept, Mask, Rounding],
            LOWEST_IMM,
        ),
        "mask.fixupimm" | "maskz.fixupimm" => (
            AVX512F,
            rows!(Vfixupimmps Vfixupimmpd Vfixupimmss Vfixupimmsd),
            FIXUP,
            FIXUP,
        ),
        "mask.cmp" => (AVX512F, rows!(Vcmpps Vcmppd Vcmpss Vcmpsd), COMPARE, COMPARE),
        "vcomi" => (AVX512F, rows!(Vcmpps Vcmppd Vcmpss Vcmpsd), &[], &[A, B, Imm, Rounding]),
        "fpclass" | "mask.fpclass" => (
            AVX512DQ,
            rows!(Vfpclassps Vfpclasspd Vfpclassss Vfpclasssd),
            &[A, Imm],
            &[A, Imm, Mask],
        ),
        _ => return None,
    })
}

pub(super) fn integers(stem: &str, bytes: u8) -> Option<Entry> {
    const TWO: &[Arg] = &[A, B];
    const THREE: &[Arg] = &[D, A, B];
    // The instruction overwrites the indices, which stand between the tables.
    const PERMUTE_TWO: &[Arg] = &[A, D, B];
    // The indices come first in the instruction.
    const PERMUTE: &[Arg] = &[B, A];
    const TABLE: &[Arg] = &[D, A, B, Imm];
    let (feature, row, args): (_, _, &[Arg]) = match stem {
        "psllv.w" => (AVX512BW, Evex::Vpsllvw, TWO),
        "psrlv.w" => (AVX512BW, Evex::Vpsrlvw, TWO),
        "psrav.w" => (AVX512BW, Evex::Vpsravw, TWO),
        "psrav.q" => (AVX512F, Evex::Vpsravq, TWO),
        "psra.q" => (AVX512F, Evex::Vpsraq, TWO),
        "psrai.q" => return with_kind(Kind::ShiftRight, entry(AVX512F, Evex::Vpsraq, bytes, &[])),
        "pmultishift.qb" => (AVX512VBMI, Evex::Vpmultishiftqb, TWO),
        "vpmadd52h.uq" => (AVX512IFMA, Evex::Vpmadd52huq, THREE),
        "vpmadd52l.uq" => (AVX512IFMA, Evex::Vpmadd52luq, THREE),
        "vpdpbusd" => (AVX512VNNI, Evex::Vpdpbusd, THREE),
        "vpdpbusds" => (AVX512VNNI, Evex::Vpdpbusds, THREE),
        "vpdpwssd" => (AVX512VNNI, Evex::Vpdpwssd, THREE),
        "vpdpwssds" => (AVX512VNNI, Evex::Vpdpwssds, THREE),
        "conflict.d" => (AVX512CD, Evex::Vpconflictd, &[A]),
        "conflict.q" => (AVX512CD, Evex::Vpconflictq, &[A]),
        "dbpsadbw" => (AVX512BW, Evex::Vdbpsadbw, &[A, B, Imm]),
        "pternlog.d" => (AVX512F, Evex::Vpternlogd, TABLE),
        "pternlog.q" => (AVX512F, Evex::Vpternlogq, TABLE),
        "vpermi2var.d" => (AVX512F, Evex::Vpermi2d, PERMUTE_TWO),
        "vpermi2var.q" => (AVX512F, Evex::Vpermi2q, PERMUTE_TWO),
        "vpermi2var.ps" => (AVX512F, Evex::Vpermi2ps, PERMUTE_TWO),
        "vpermi2var.pd" => (AVX512F, Evex::Vpermi2pd, PERMUTE_TWO),
        "vpermi2var.hi" => (AVX512BW, Evex::Vpermi2w, PERMUTE_TWO),
        "vpermi2var.qi" => (AVX512VBMI, Evex::Vpermi2b, PERMUTE_TWO),
        "permvar.si" => (AVX512F, Evex::Vpermd, PERMUTE),
        "permvar.di" => (AVX512F, Evex::Vpermq, PERMUTE),
        "permvar.sf" => (AVX512F, Evex::Vpermps, PERMUTE),
        "permvar.df" => (AVX512F, Evex::Vpermpd, PERMUTE),
        "permvar.hi" => (AVX512BW, Evex::Vpermw, PERMUTE),
        "permvar.qi" => (AVX512VBMI, Evex::Vpermb, PERMUTE),
        _ => return None,
    };
    entry(feature, row, bytes, args)
}

pub(super) fn masks(stem: &str, bytes: u8) -> Option<Entry> {
    if let Some(lanes) = stem.strip_prefix("kadd.") {
        let feature = if matches!(lanes, "b" | "w") { AVX512DQ } else { AVX512BW };
        return with_kind(Kind::SumOfMasks, entry(feature, Evex::KmovwKR, bytes, &[]));
    }
    if let Some((test, lanes)) = stem.strip_prefix("ktest").and_then(|rest| rest.split_once('.')) {
        let (feature, mask_bytes) = match lanes {
            "b" => (AVX512DQ, 1),
            "w" => (AVX512DQ, 2),
            "d" => (AVX512BW, 4),
            "q" => (AVX512BW, 8),
            _ => return None,
        };
        let kind = Kind::TestOfMasks(mask_bytes, test == "c");
        return with_kind(kind, entry(feature, Evex::KmovwKR, bytes, &[]));
    }
    match stem {
        "vpshufbitqmb" => with_kind(Kind::ToMask, entry(AVX512BITALG, Evex::Vpshufbitqmb, bytes, &[A, B])),
        "broadcastmb" => with_kind(Kind::FromMask, entry(AVX512CD, Evex::Vpbroadcastmb2q, bytes, &[])),
        "broadcastmw" => with_kind(Kind::FromMask, entry(AVX512CD, Evex::Vpbroadcastmw2d, bytes, &[])),
        _ => None,
    }
}

/// What treats lanes by the bits of a mask: gathers, scatters, compressions and expansions.
pub(super) fn by_lane(stem: &str, bytes: u8) -> Option<Entry> {
    let name = stem.strip_prefix("mask.").unwrap_or(stem);
    if let Some(rest) = name.strip_prefix("gather") {
        let (index, bytes) = indexed(rest.strip_prefix('3').unwrap_or(rest), bytes)?;
        let rows = match index.split_at_checked(1)? {
            ("d", "pd") => Evex::Vgatherdpd,
            ("d", "ps") => Evex::Vgatherdps,
            ("d", "pq") => Evex::Vpgatherdq,
            ("d", "pi") => Evex::Vpgatherdd,
            ("q", "pd") => Evex::Vgatherqpd,
            ("q", "ps") => Evex::Vgatherqps,
            ("q", "pq") => Evex::Vpgatherqq,
            ("q", "pi") => Evex::Vpgatherqd,
            _ => return None,
        };
        return with_kind(Kind::Gather, entry(AVX512F, rows, bytes, &[]));
    }
    if let Some(rest) = name.strip_prefix("scatter") {
        let (index, bytes) = indexed(rest, bytes)?;
        let rows = match index.split_at_checked(1)? {
            ("d", "pd") => Evex::Vscatterdpd,
            ("d", "ps") => Evex::Vscatterdps,
            ("d", "pq") => Evex::Vpscatterdq,
            ("d", "pi") => Evex::Vpscatterdd,
            ("q", "pd") => Evex::Vscatterqpd,
            ("q", "ps") => Evex::Vscatterqps,
            ("q", "pq") => Evex::Vpscatterqq,
            ("q", "pi") => Evex::Vpscatterqd,
            _ => return None,
        };
        return with_kind(Kind::Scatter, entry(AVX512F, rows, bytes, &[]));
    }
    let (operation, ty) = stem.strip_prefix("mask.")?.split_once(".v")?;
    let lanes_end = ty.find(|letter: char| !letter.is_ascii_digit())?;
    let (lanes, lane) = ty.split_at(lanes_end);
    let (feature, [compress, expand], lane_bytes) = match lane {
        "i8" => (AVX512VBMI2, [Evex::Vpcompressb, Evex::Vpexpandb], 1),
        "i16" => (AVX512VBMI2, [Evex::Vpcompressw, Evex::Vpexpandw], 2),
        "i32" => (AVX512F, [Evex::Vpcompressd, Evex::Vpexpandd], 4),
        "i64" => (AVX512F, [Evex::Vpcompressq, Evex::Vpexpandq], 8),
        "f32" => (AVX512F, [Evex::Vcompressps, Evex::Vexpandps], 4),
        "f64" => (AVX512F, [Evex::Vcompresspd, Evex::Vexpandpd], 8),
        _ => return None,
    };
    let bytes = lanes.parse::<u8>().ok()?.checked_mul(lane_bytes)?;
    let row = match operation {
        "compress" => compress,
        "expand" => expand,
        _ => return None,
    };
    matches!(bytes, 16 | 32 | 64).then(|| entry(feature, row, bytes, &[A, Kept, Mask]))?
}

/// The width of indices and the type of values, as `dpd` or `qpi`, and the length. Names of shorter vectors say it as
/// in `siv4.df`: indices of 32 bits (`div`: of 64), four of them, and doubles.
fn indexed(rest: &str, bytes: u8) -> Option<(&'static str, u8)> {
    if let Some(index) = rest.strip_prefix('.') {
        let known = ["dpd", "dps", "dpq", "dpi", "qpd", "qps", "qpq", "qpi"];
        return known
            .into_iter()
            .find(|&name| name == index && bytes == 64)
            .map(|name| (name, bytes));
    }
    let (shape, ty) = rest.split_once('.')?;
    let (index, count) = shape.split_at_checked(3)?;
    let count: u8 = count.parse().ok()?;
    let name = match (index, ty) {
        ("siv", "df") => "dpd",
        ("siv", "sf") => "dps",
        ("siv", "di") => "dpq",
        ("siv", "si") => "dpi",
        ("div", "df") => "qpd",
        ("div", "sf") => "qps",
        ("div", "di") => "qpq",
        ("div", "si") => "qpi",
        _ => return None,
    };
    let lane_bytes = if ty.starts_with('d') { 8 } else { 4 };
    let bytes = count.checked_mul(lane_bytes)?;
    matches!(bytes, 16 | 32).then_some((name, bytes))
}
