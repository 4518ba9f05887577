//! The table of intrinsics of AVX, AVX2, FMA, F16C, BMI, SHA and GFNI.
//!
//! Vectors of 256 bits are two registers here, so a name stands for the instruction on 128 bits that each of its halves
//! is done with: the older one, where there is one that does the same, or one with a VEX prefix.

use super::kinds::{Kind, Needed};
use super::sse::{shift_by, sse41, ssse3};
use crate::cond::Cond;
use crate::features;
use crate::table::Op;

/// An intrinsic by its set of instructions and the rest of its name.
pub(super) fn find(set: &str, name: &str) -> Option<(Needed, Kind)> {
    Some(match set {
        "avx" => (Some(features::AVX), avx(name)?),
        "avx2" => (Some(features::AVX2), avx2(name)?),
        "fma" => (Some(features::FMA), fma(name)?),
        "vcvtps2ph" => (Some(features::F16C), half(name)?),
        "bmi" => bit_manipulation(name)?,
        _ => hashing(set)?,
    })
}

pub(super) fn avx(name: &str) -> Option<Kind> {
    if let Some(name) = name.strip_prefix("vtest") {
        return sign_test(name);
    }
    Some(match name {
        "vzeroupper" => Kind::Clearing(Op::VzeroupperAsked, 16),
        "vzeroall" => Kind::Clearing(Op::Vzeroall, 32),
        "vpermilvar.pd" | "vpermilvar.pd.256" => Kind::Three(Op::VpermilpdRRR),
        "vpermilvar.ps" | "vpermilvar.ps.256" => Kind::Three(Op::VpermilpsRRR),
        "addsub.pd.256" => Kind::Binary(Op::AddsubpdRR, 16),
        "addsub.ps.256" => Kind::Binary(Op::AddsubpsRR, 16),
        "blendv.pd.256" => Kind::Blend(Op::BlendvpdRR),
        "blendv.ps.256" => Kind::Blend(Op::BlendvpsRR),
        "cmp.pd.256" => Kind::ThreeImm(Op::VcmppRRRI, 8),
        "cmp.ps.256" => Kind::ThreeImm(Op::VcmppRRRI, 4),
        "cvt.pd2.ps.256" => Kind::Unary(Op::Cvtpd2psRR, 16),
        "cvt.pd2dq.256" => Kind::Unary(Op::Cvtpd2dqRR, 16),
        "cvt.ps2dq.256" => Kind::Unary(Op::Cvtps2dqRR, 16),
        "cvtt.pd2dq.256" => Kind::Unary(Op::Cvttpd2dqRR, 16),
        "cvtt.ps2dq.256" => Kind::Unary(Op::Cvttps2dqRR, 16),
        "dp.ps.256" => Kind::BinaryImm(Op::DppsRRI, 16),
        "hadd.pd.256" => Kind::Binary(Op::HaddpdRR, 16),
        "hadd.ps.256" => Kind::Binary(Op::HaddpsRR, 16),
        "hsub.pd.256" => Kind::Binary(Op::HsubpdRR, 16),
        "hsub.ps.256" => Kind::Binary(Op::HsubpsRR, 16),
        "ldu.dq.256" => Kind::Load(Op::LddquRM),
        "max.pd.256" => Kind::Binary(Op::MaxpRR, 8),
        "max.ps.256" => Kind::Binary(Op::MaxpRR, 4),
        "min.pd.256" => Kind::Binary(Op::MinpRR, 8),
        "min.ps.256" => Kind::Binary(Op::MinpRR, 4),
        "movmsk.pd.256" => Kind::Unary(Op::MovmskpRX, 8),
        "movmsk.ps.256" => Kind::Unary(Op::MovmskpRX, 4),
        "rcp.ps.256" => Kind::Unary(Op::RcppsRR, 16),
        "rsqrt.ps.256" => Kind::Unary(Op::RsqrtpsRR, 16),
        "round.pd.256" => Kind::UnaryImm(Op::RoundpdRRI, 16),
        "round.ps.256" => Kind::UnaryImm(Op::RoundpsRRI, 16),
        _ => return None,
    })
}

/// What is after `vtest`: a letter for the flag, and the type of lanes.
fn sign_test(name: &str) -> Option<Kind> {
    let row = match name.split_once('.')?.1 {
        "ps" => Op::VtestpsRR,
        "pd" => Op::VtestpdRR,
        _ => return None,
    };
    Some(Kind::Test(row, condition(name.split_once('.')?.0)?))
}

fn condition(name: &str) -> Option<Cond> {
    Some(match name {
        "c" => Cond::B,
        "nzc" => Cond::A,
        "z" => Cond::E,
        _ => return None,
    })
}

pub(super) fn avx2(name: &str) -> Option<Kind> {
    if let Some(row) = variable_shift(name.strip_suffix(".256").unwrap_or(name)) {
        return Some(Kind::Three(row));
    }
    Some(match name {
        "packssdw" => Kind::Binary(Op::PackssdwRR, 16),
        "packsswb" => Kind::Binary(Op::PacksswbRR, 16),
        "packuswb" => Kind::Binary(Op::PackuswbRR, 16),
        "pavg.b" => Kind::Binary(Op::PavgbRR, 16),
        "pavg.w" => Kind::Binary(Op::PavgwRR, 16),
        "pmadd.wd" => Kind::Binary(Op::PmaddwdRR, 16),
        "pmovmskb" => Kind::Unary(Op::PmovmskbRX, 16),
        "pmulh.w" => Kind::Binary(Op::PmulhwRR, 16),
        "pmulhu.w" => Kind::Binary(Op::PmulhuwRR, 16),
        "psad.bw" => Kind::Binary(Op::PsadbwRR, 16),
        "mpsadbw" | "packusdw" | "pblendvb" => return sse41(name),
        _ => {
            if let Some(kind) = shift_by(name) {
                return Some(kind);
            }
            return ssse3(name);
        }
    })
}

fn variable_shift(name: &str) -> Option<Op> {
    Some(match name {
        "psllv.d" => Op::VpsllvdRRR,
        "psllv.q" => Op::VpsllvqRRR,
        "psrlv.d" => Op::VpsrlvdRRR,
        "psrlv.q" => Op::VpsrlvqRRR,
        "psrav.d" => Op::VpsravdRRR,
        _ => return None,
    })
}

fn fma(name: &str) -> Option<Kind> {
    let size = match name.strip_prefix("vfmaddsub.")? {
        "ps" | "ps.256" => 4,
        "pd" | "pd.256" => 8,
        _ => return None,
    };
    Some(Kind::Fused(Op::FmaddsubpRRR, size))
}

fn half(name: &str) -> Option<Kind> {
    matches!(name, "128" | "256").then_some(Kind::UnaryImm(Op::Vcvtps2phRRI, 16))
}

fn bit_manipulation(name: &str) -> Option<(Needed, Kind)> {
    let (name, bits) = name.split_once('.')?;
    let size = match bits {
        "32" => 4,
        "64" => 8,
        _ => return None,
    };
    let (feature, row) = match name {
        "bextr" => (features::BMI, Op::BextrRRR),
        "bzhi" => (features::BMI2, Op::BzhiRRR),
        "pdep" => (features::BMI2, Op::PdepRRR),
        "pext" => (features::BMI2, Op::PextRRR),
        _ => return None,
    };
    Some((Some(feature), Kind::ThreeSized(row, size)))
}

/// SHA and Galois fields, whose names have no set of instructions before them.
fn hashing(name: &str) -> Option<(Needed, Kind)> {
    Some(match name {
        "sha1msg1" => (Some(features::SHA), Kind::Binary(Op::Sha1msg1RR, 16)),
        "sha1msg2" => (Some(features::SHA), Kind::Binary(Op::Sha1msg2RR, 16)),
        "sha1nexte" => (Some(features::SHA), Kind::Binary(Op::Sha1nexteRR, 16)),
        "sha1rnds4" => (Some(features::SHA), Kind::BinaryImm(Op::Sha1rnds4RRI, 16)),
        "sha256msg1" => (Some(features::SHA), Kind::Binary(Op::Sha256msg1RR, 16)),
        "sha256msg2" => (Some(features::SHA), Kind::Binary(Op::Sha256msg2RR, 16)),
        "sha256rnds2" => (Some(features::SHA), Kind::Blend(Op::Sha256rnds2RR)),
        "vgf2p8mulb" => (Some(features::GFNI), Kind::Binary(Op::Gf2p8mulbRR, 16)),
        "vgf2p8affineqb" => (Some(features::GFNI), Kind::BinaryImm(Op::Gf2p8affineqbRRI, 16)),
        "vgf2p8affineinvqb" => (Some(features::GFNI), Kind::BinaryImm(Op::Gf2p8affineinvqbRRI, 16)),
        _ => return None,
    })
}
