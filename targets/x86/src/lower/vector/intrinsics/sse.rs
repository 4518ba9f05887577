//! The table of intrinsics of SSE to SSE4.2, AES, and of those that LLVM had once.

use super::kinds::{Kind, Needed, Parity, StringResult};
use crate::cond::Cond;
use crate::features;
use crate::table::Op;

pub(super) fn sse(name: &str) -> Option<Kind> {
    if let Some(kind) = low_comparison(name, ".ss", 4) {
        return Some(kind);
    }
    Some(match name {
        "cmp.ps" => Kind::BinaryImm(Op::CmppRRI, 4),
        "cmp.ss" => Kind::BinaryImm(Op::CmpsRRI, 4),
        "cvtss2si" => Kind::Unary(Op::Cvtss2siRR, 4),
        "cvtss2si64" => Kind::Unary(Op::Cvtss2siRR, 8),
        "cvttss2si" => Kind::Unary(Op::Cvttss2siRR, 4),
        "cvttss2si64" => Kind::Unary(Op::Cvttss2siRR, 8),
        "max.ps" => Kind::Binary(Op::MaxpRR, 4),
        "max.ss" => Kind::Binary(Op::MaxsRR, 4),
        "min.ps" => Kind::Binary(Op::MinpRR, 4),
        "min.ss" => Kind::Binary(Op::MinsRR, 4),
        "movmsk.ps" => Kind::Unary(Op::MovmskpRX, 4),
        "rcp.ps" => Kind::Unary(Op::RcppsRR, 16),
        "rcp.ss" => Kind::LowUnary(Op::RcpssRR, 4),
        "rsqrt.ps" => Kind::Unary(Op::RsqrtpsRR, 16),
        "rsqrt.ss" => Kind::LowUnary(Op::RsqrtssRR, 4),
        "ldmxcsr" => Kind::Memory(Op::LdmxcsrM),
        "stmxcsr" => Kind::Memory(Op::StmxcsrM),
        "sfence" => Kind::Bare(Op::Sfence),
        _ => return None,
    })
}

pub(super) fn sse2(name: &str) -> Option<Kind> {
    if let Some(kind) = low_comparison(name, ".sd", 8) {
        return Some(kind);
    }
    Some(match name {
        "cmp.pd" => Kind::BinaryImm(Op::CmppRRI, 8),
        "cmp.sd" => Kind::BinaryImm(Op::CmpsRRI, 8),
        "cvtpd2dq" => Kind::Unary(Op::Cvtpd2dqRR, 16),
        "cvtpd2ps" => Kind::Unary(Op::Cvtpd2psRR, 16),
        "cvtps2dq" => Kind::Unary(Op::Cvtps2dqRR, 16),
        "cvttpd2dq" => Kind::Unary(Op::Cvttpd2dqRR, 16),
        "cvttps2dq" => Kind::Unary(Op::Cvttps2dqRR, 16),
        "cvtsd2si" => Kind::Unary(Op::Cvtsd2siRR, 4),
        "cvtsd2si64" => Kind::Unary(Op::Cvtsd2siRR, 8),
        "cvttsd2si" => Kind::Unary(Op::Cvttsd2siRR, 4),
        "cvttsd2si64" => Kind::Unary(Op::Cvttsd2siRR, 8),
        "cvtsd2ss" => Kind::IntoLow(Op::Cvtsd2ssRR, 8, 4),
        "max.pd" => Kind::Binary(Op::MaxpRR, 8),
        "max.sd" => Kind::Binary(Op::MaxsRR, 8),
        "min.pd" => Kind::Binary(Op::MinpRR, 8),
        "min.sd" => Kind::Binary(Op::MinsRR, 8),
        "movmsk.pd" => Kind::Unary(Op::MovmskpRX, 8),
        "pmovmskb.128" => Kind::Unary(Op::PmovmskbRX, 16),
        "packssdw.128" => Kind::Binary(Op::PackssdwRR, 16),
        "packsswb.128" => Kind::Binary(Op::PacksswbRR, 16),
        "packuswb.128" => Kind::Binary(Op::PackuswbRR, 16),
        "pavg.b" => Kind::Binary(Op::PavgbRR, 16),
        "pavg.w" => Kind::Binary(Op::PavgwRR, 16),
        "pmadd.wd" => Kind::Binary(Op::PmaddwdRR, 16),
        "pmulh.w" => Kind::Binary(Op::PmulhwRR, 16),
        "pmulhu.w" => Kind::Binary(Op::PmulhuwRR, 16),
        "psad.bw" => Kind::Binary(Op::PsadbwRR, 16),
        "lfence" => Kind::Bare(Op::Lfence),
        "mfence" => Kind::Bare(Op::Mfence),
        "pause" => Kind::Bare(Op::Pause),
        _ => return shift_by(name),
    })
}

/// Shifts of all lanes by a count in a vector, or by a number.
pub(super) fn shift_by(name: &str) -> Option<Kind> {
    Some(match name {
        "psll.w" => Kind::Binary(Op::PsllwRR, 16),
        "psll.d" => Kind::Binary(Op::PslldRR, 16),
        "psll.q" => Kind::Binary(Op::PsllqRR, 16),
        "psrl.w" => Kind::Binary(Op::PsrlwRR, 16),
        "psrl.d" => Kind::Binary(Op::PsrldRR, 16),
        "psrl.q" => Kind::Binary(Op::PsrlqRR, 16),
        "psra.w" => Kind::Binary(Op::PsrawRR, 16),
        "psra.d" => Kind::Binary(Op::PsradRR, 16),
        "pslli.w" => Kind::Shift(Op::PsllwRI, Op::PsllwRR),
        "pslli.d" => Kind::Shift(Op::PslldRI, Op::PslldRR),
        "pslli.q" => Kind::Shift(Op::PsllqRI, Op::PsllqRR),
        "psrli.w" => Kind::Shift(Op::PsrlwRI, Op::PsrlwRR),
        "psrli.d" => Kind::Shift(Op::PsrldRI, Op::PsrldRR),
        "psrli.q" => Kind::Shift(Op::PsrlqRI, Op::PsrlqRR),
        "psrai.w" => Kind::Shift(Op::PsrawRI, Op::PsrawRR),
        "psrai.d" => Kind::Shift(Op::PsradRI, Op::PsradRR),
        _ => return None,
    })
}

/// What LLVM up to 8 had intrinsics for and makes of other operations now (`AutoUpgrade.cpp`).
pub(super) fn former(name: &str) -> Option<(Needed, Kind)> {
    const BITS: u32 = 8;
    let everywhere = match name {
        "sse.add.ss" => Kind::Binary(Op::AddsRR, 4),
        "sse.sub.ss" => Kind::Binary(Op::SubsRR, 4),
        "sse.mul.ss" => Kind::Binary(Op::MulsRR, 4),
        "sse.div.ss" => Kind::Binary(Op::DivsRR, 4),
        "sse2.add.sd" => Kind::Binary(Op::AddsRR, 8),
        "sse2.sub.sd" => Kind::Binary(Op::SubsRR, 8),
        "sse2.mul.sd" => Kind::Binary(Op::MulsRR, 8),
        "sse2.div.sd" => Kind::Binary(Op::DivsRR, 8),
        "sse.sqrt.ss" => Kind::IntoLow(Op::SqrtsRR, 4, 4),
        "sse2.sqrt.sd" => Kind::IntoLow(Op::SqrtsRR, 8, 8),
        "sse.cvtsi2ss" => Kind::IntoLow(Op::Cvtsi2ssRR, 4, 4),
        "sse.cvtsi642ss" => Kind::IntoLow(Op::Cvtsi2ssRR, 8, 4),
        "sse2.cvtsi2sd" => Kind::IntoLow(Op::Cvtsi2sdRR, 4, 8),
        "sse2.cvtsi642sd" => Kind::IntoLow(Op::Cvtsi2sdRR, 8, 8),
        "sse2.cvtss2sd" => Kind::IntoLow(Op::Cvtss2sdRR, 4, 8),
        "sse2.cvtdq2pd" => Kind::Unary(Op::Cvtdq2pdRR, 16),
        "sse2.cvtps2pd" => Kind::Unary(Op::Cvtps2pdRR, 16),
        "sse2.pmulu.dq" => Kind::Binary(Op::PmuludqRR, 16),
        "sse2.pcmpeq.b" => Kind::Binary(Op::PcmpeqbRR, 16),
        "sse2.pcmpeq.w" => Kind::Binary(Op::PcmpeqwRR, 16),
        "sse2.pcmpeq.d" => Kind::Binary(Op::PcmpeqdRR, 16),
        "sse2.pcmpgt.b" => Kind::Binary(Op::PcmpgtbRR, 16),
        "sse2.pcmpgt.w" => Kind::Binary(Op::PcmpgtwRR, 16),
        "sse2.pcmpgt.d" => Kind::Binary(Op::PcmpgtdRR, 16),
        "sse2.pshuf.d" => Kind::UnaryImm(Op::PshufdRRI, 16),
        "sse2.pshufl.w" => Kind::UnaryImm(Op::PshuflwRRI, 16),
        "sse2.pshufh.w" => Kind::UnaryImm(Op::PshufhwRRI, 16),
        "sse2.psll.dq" => Kind::ShiftBytes(Op::PslldqRI, BITS),
        "sse2.psrl.dq" => Kind::ShiftBytes(Op::PsrldqRI, BITS),
        "sse2.psll.dq.bs" => Kind::ShiftBytes(Op::PslldqRI, 1),
        "sse2.psrl.dq.bs" => Kind::ShiftBytes(Op::PsrldqRI, 1),
        "sse.storeu.ps" => Kind::Store(Op::MovupMR, 4),
        "sse2.storeu.pd" => Kind::Store(Op::MovupMR, 8),
        "sse2.storeu.dq" => Kind::Store(Op::MovdquMR, 16),
        "sse2.storel.dq" => Kind::Store(Op::MovqMX, 8),
        "sse41.movntdqa" => return Some((Some(features::SSE4_1), Kind::Load(Op::MovntdqaRM))),
        _ => return None,
    };
    Some((None, everywhere))
}

/// `comieq.ss` and its kin: quiet (`ucomi`) or not, of the lowest lanes.
pub(super) fn low_comparison(name: &str, suffix: &str, size: u8) -> Option<Kind> {
    let name = name.strip_suffix(suffix)?;
    let (row, relation) = match name.strip_prefix("ucomi") {
        Some(relation) => (Op::UcomisRR, relation),
        None => (Op::ComisRR, name.strip_prefix("comi")?),
    };
    // Carry is set for less, zero for equal, all of carry, zero and parity for unordered.
    let (is_swapped, cond, parity) = match relation {
        "eq" => (false, Cond::E, Parity::Clears),
        "neq" => (false, Cond::Ne, Parity::Sets),
        "gt" => (false, Cond::A, Parity::Ignored),
        "ge" => (false, Cond::Ae, Parity::Ignored),
        "lt" => (true, Cond::A, Parity::Ignored),
        "le" => (true, Cond::Ae, Parity::Ignored),
        _ => return None,
    };
    Some(Kind::Compare(row, size, is_swapped, cond, parity))
}

pub(super) fn sse3(name: &str) -> Option<Kind> {
    Some(match name {
        "addsub.ps" => Kind::Binary(Op::AddsubpsRR, 16),
        "addsub.pd" => Kind::Binary(Op::AddsubpdRR, 16),
        "hadd.ps" => Kind::Binary(Op::HaddpsRR, 16),
        "hadd.pd" => Kind::Binary(Op::HaddpdRR, 16),
        "hsub.ps" => Kind::Binary(Op::HsubpsRR, 16),
        "hsub.pd" => Kind::Binary(Op::HsubpdRR, 16),
        "ldu.dq" => Kind::Load(Op::LddquRM),
        _ => return None,
    })
}

pub(super) fn ssse3(name: &str) -> Option<Kind> {
    let row = match name {
        "phadd.w" => Op::PhaddwRR,
        "phadd.d" => Op::PhadddRR,
        "phadd.sw" => Op::PhaddswRR,
        "phsub.w" => Op::PhsubwRR,
        "phsub.d" => Op::PhsubdRR,
        "phsub.sw" => Op::PhsubswRR,
        "pmadd.ub.sw" => Op::PmaddubswRR,
        "pmul.hr.sw" => Op::PmulhrswRR,
        "pshuf.b" => Op::PshufbRR,
        "psign.b" => Op::PsignbRR,
        "psign.w" => Op::PsignwRR,
        "psign.d" => Op::PsigndRR,
        "pabs.b" => return Some(Kind::Unary(Op::PabsbRR, 16)),
        "pabs.w" => return Some(Kind::Unary(Op::PabswRR, 16)),
        "pabs.d" => return Some(Kind::Unary(Op::PabsdRR, 16)),
        _ => return None,
    };
    Some(Kind::Binary(row, 16))
}

pub(super) fn sse41(name: &str) -> Option<Kind> {
    Some(match name {
        "blendvpd" => Kind::Blend(Op::BlendvpdRR),
        "blendvps" => Kind::Blend(Op::BlendvpsRR),
        "pblendvb" => Kind::Blend(Op::PblendvbRR),
        "dppd" => Kind::BinaryImm(Op::DppdRRI, 16),
        "dpps" => Kind::BinaryImm(Op::DppsRRI, 16),
        "insertps" => Kind::BinaryImm(Op::InsertpsRRI, 16),
        "mpsadbw" => Kind::BinaryImm(Op::MpsadbwRRI, 16),
        "packusdw" => Kind::Binary(Op::PackusdwRR, 16),
        "pmuldq" => Kind::Binary(Op::PmuldqRR, 16),
        "phminposuw" => Kind::Unary(Op::PhminposuwRR, 16),
        "ptestc" => Kind::Test(Op::PtestRR, Cond::B),
        "ptestnzc" => Kind::Test(Op::PtestRR, Cond::A),
        "ptestz" => Kind::Test(Op::PtestRR, Cond::E),
        "round.ps" => Kind::UnaryImm(Op::RoundpsRRI, 16),
        "round.pd" => Kind::UnaryImm(Op::RoundpdRRI, 16),
        "round.ss" => Kind::IntoLowImm(Op::RoundssRRI, 4, 4),
        "round.sd" => Kind::IntoLowImm(Op::RoundsdRRI, 8, 8),
        _ => return None,
    })
}

pub(super) fn sse42(name: &str) -> Option<(Needed, Kind)> {
    let crc = |row, size| Some((Some(features::SSE4_2), Kind::Binary(row, size)));
    match name {
        "crc32.32.8" => return crc(Op::Crc32BRR, 1),
        "crc32.32.16" => return crc(Op::Crc32WRR, 2),
        "crc32.32.32" => return crc(Op::Crc32RR, 4),
        "crc32.64.64" => return crc(Op::Crc32RR, 8),
        _ => {}
    }
    let (has_lengths, rest) = match name.strip_prefix("pcmpestr") {
        Some(rest) => (true, rest),
        None => (false, name.strip_prefix("pcmpistr")?),
    };
    let index = if has_lengths {
        Op::PcmpestriRRI
    } else {
        Op::PcmpistriRRI
    };
    let mask = if has_lengths {
        Op::PcmpestrmRRI
    } else {
        Op::PcmpistrmRRI
    };
    let (row, wanted) = match rest {
        "m128" => (mask, StringResult::Mask),
        "i128" => (index, StringResult::Index),
        "ia128" => (index, StringResult::Flag(Cond::A)),
        "ic128" => (index, StringResult::Flag(Cond::B)),
        "io128" => (index, StringResult::Flag(Cond::O)),
        "is128" => (index, StringResult::Flag(Cond::S)),
        "iz128" => (index, StringResult::Flag(Cond::E)),
        _ => return None,
    };
    Some((Some(features::SSE4_2), Kind::Strings(row, has_lengths, wanted)))
}

pub(super) fn aes(name: &str) -> Option<Kind> {
    Some(match name {
        "aesenc" => Kind::Binary(Op::AesencRR, 16),
        "aesenclast" => Kind::Binary(Op::AesenclastRR, 16),
        "aesdec" => Kind::Binary(Op::AesdecRR, 16),
        "aesdeclast" => Kind::Binary(Op::AesdeclastRR, 16),
        "aesimc" => Kind::Unary(Op::AesimcRR, 16),
        "aeskeygenassist" => Kind::UnaryImm(Op::AeskeygenassistRRI, 16),
        _ => return None,
    })
}
