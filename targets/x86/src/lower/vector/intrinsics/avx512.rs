//! The table of intrinsics of AVX-512 that do with 512 bits what older instructions do with less.
//!
//! Vectors of 512 bits are several registers, so that a name stands for the instruction on 128 bits that each part is
//! done with. What has a mask, or what no older instruction does, is in [`mod@super::evex`].

use super::avx::{avx, avx2};
use super::kinds::{Kind, Needed};
use super::sse::ssse3;
use crate::features;
use crate::table::Op;

/// An intrinsic by the rest of its name.
pub(super) fn find(name: &str) -> Option<(Needed, Kind)> {
    let name = name.strip_suffix(".512")?;
    if let Some(kind) = words(name) {
        return Some((Some(features::AVX512BW), kind));
    }
    let kind = match name {
        "psll.d" | "psll.q" | "psrl.d" | "psrl.q" | "psra.d" => avx2(name)?,
        "pslli.d" | "pslli.q" | "psrli.d" | "psrli.q" | "psrai.d" => avx2(name)?,
        "psllv.d" | "psllv.q" | "psrlv.d" | "psrlv.q" | "psrav.d" => avx2(name)?,
        "vpermilvar.ps" | "vpermilvar.pd" => avx(name)?,
        _ => return None,
    };
    Some((Some(features::AVX512F), kind))
}

/// On bytes and words.
fn words(name: &str) -> Option<Kind> {
    match name {
        "packssdw" | "packsswb" | "packuswb" | "packusdw" => avx2(name),
        "pavg.b" | "pavg.w" | "pmulh.w" | "pmulhu.w" | "psad.bw" => avx2(name),
        "psll.w" | "psrl.w" | "psra.w" | "pslli.w" | "psrli.w" | "psrai.w" => avx2(name),
        "pshuf.b" | "pmul.hr.sw" => ssse3(name),
        "pmaddubs.w" => Some(Kind::Binary(Op::PmaddubswRR, 16)),
        "pmaddw.d" => Some(Kind::Binary(Op::PmaddwdRR, 16)),
        _ => None,
    }
}
