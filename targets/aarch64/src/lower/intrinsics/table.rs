//! The table of intrinsics: what each is done by.
//!
//! Names and operands are LLVM's (`IntrinsicsAArch64.td`), meanings those of the Arm ARM, C7.2 and C6.2. Rows are in
//! the order of the names, without `llvm.aarch64.` and without the types that a name ends with.

use crate::features::{
    self, AES, BF16, COMPLXNUM, CRC, DOTPROD, FP16FML, FPTOINT, FULLFP16, I8MM, JSCONV, NEON, RAND, RDM, SHA2, SHA3,
    SM4,
};
use crate::table::Op;
use Kind::*;

/// What is done for a call. Operands are the arguments in their order, as the row of the op table has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The instruction of this row, with all arguments as its operands.
    Row(Op),
    /// The same; the last argument is its immediate, a constant.
    Constant(Op),
    /// The same with this immediate.
    Turned(Op, i32),
    /// The same; the last argument is a vector of equal constants.
    EqualLanes(Op),
    /// The same; the last two arguments are a vector and the number of its lane that counts.
    ByLane(Op),
    /// To integers: of vectors by the first, of a scalar to 32 or 64 bits by the others.
    ToInteger(Op, Op, Op),
    /// A scalar of all lanes, or of two.
    OverAll(Op, Op),
    /// An integer of twice the width of a lane from all lanes, or from two. What is above it is zero, as LLVM has it.
    WideOverAll(Op, Op),
    /// The sum of all lanes.
    Sum,
    /// A scalar or a vector of floats.
    Float(Op, Op),
    /// The same; halves have a row of their own.
    Halves(Op, Op),
    /// Several vectors from memory: of structures, or where a vector has one lane, one after another.
    Load(Op, Op),
    Store(Op, Op),
    /// One lane of several vectors.
    LoadLane(Op),
    StoreLane(Op),
    /// A table of several vectors, by how many.
    Table(Op, u8),
    /// The same; numbers out of range leave what is in the first argument.
    TableOver(Op, u8),
    /// An instruction without registers, and with the argument as immediate if there is one.
    Bare(Op),
    /// The system register of this number is read, or written.
    Read(i32),
    Write(i32),
    /// The system register of this number is read, and the flags say whether it had something.
    ReadRandom(i32),
    /// A hint of what is accessed soon.
    Prefetch,
}

/// A row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub name: &'static str,
    /// What a function must have for it.
    pub needs: u8,
    pub kind: Kind,
}

/// The intrinsic of this name.
pub(super) fn find(name: &str) -> Option<&'static Entry> {
    let index = ENTRIES.binary_search_by(|entry| entry.name.cmp(name)).ok()?;
    ENTRIES.get(index)
}

/// The number of a system register that programs may use, by the fields `op1`, `CRn`, `CRm` and `op2`.
pub(super) const fn system_register(op1: i32, crn: i32, crm: i32, op2: i32) -> i32 {
    // Of the field `op0`, which is 3, one bit is in the number.
    1 << 14 | op1 << 11 | crn << 7 | crm << 3 | op2
}

/// The floating-point control and status registers, and the random numbers.
pub(super) const FPCR: i32 = system_register(3, 4, 4, 0);
const FPSR: i32 = system_register(3, 4, 4, 1);
const RNDR: i32 = system_register(3, 2, 4, 0);
const RNDRRS: i32 = system_register(3, 2, 4, 1);

/// What every processor has.
const ALWAYS: u8 = features::FP_ARMV8;

macro_rules! entries {
    ($($name:literal $needs:ident $kind:expr;)*) => {
        static ENTRIES: &[Entry] = &[$(Entry { name: $name, needs: $needs, kind: $kind }),*];
    };
}

entries! {
    "break" ALWAYS Bare(Op::Brk);
    "clrex" ALWAYS Bare(Op::Clrex);
    "cls" ALWAYS Row(Op::Cls);
    "cls64" ALWAYS Row(Op::Cls);
    "crc32b" CRC Row(Op::Crc32b);
    "crc32cb" CRC Row(Op::Crc32cb);
    "crc32ch" CRC Row(Op::Crc32ch);
    "crc32cw" CRC Row(Op::Crc32cw);
    "crc32cx" CRC Row(Op::Crc32cx);
    "crc32h" CRC Row(Op::Crc32h);
    "crc32w" CRC Row(Op::Crc32w);
    "crc32x" CRC Row(Op::Crc32x);
    "crypto.aesd" AES Row(Op::Aesd);
    "crypto.aese" AES Row(Op::Aese);
    "crypto.aesimc" AES Row(Op::Aesimc);
    "crypto.aesmc" AES Row(Op::Aesmc);
    "crypto.bcaxs" SHA3 Row(Op::Bcax);
    "crypto.bcaxu" SHA3 Row(Op::Bcax);
    "crypto.eor3s" SHA3 Row(Op::Eor3);
    "crypto.eor3u" SHA3 Row(Op::Eor3);
    "crypto.rax1" SHA3 Row(Op::Rax1);
    "crypto.sha1c" SHA2 Row(Op::Sha1c);
    "crypto.sha1h" SHA2 Row(Op::Sha1h);
    "crypto.sha1m" SHA2 Row(Op::Sha1m);
    "crypto.sha1p" SHA2 Row(Op::Sha1p);
    "crypto.sha1su0" SHA2 Row(Op::Sha1su0);
    "crypto.sha1su1" SHA2 Row(Op::Sha1su1);
    "crypto.sha256h" SHA2 Row(Op::Sha256h);
    "crypto.sha256h2" SHA2 Row(Op::Sha256h2);
    "crypto.sha256su0" SHA2 Row(Op::Sha256su0);
    "crypto.sha256su1" SHA2 Row(Op::Sha256su1);
    "crypto.sha512h" SHA3 Row(Op::Sha512h);
    "crypto.sha512h2" SHA3 Row(Op::Sha512h2);
    "crypto.sha512su0" SHA3 Row(Op::Sha512su0);
    "crypto.sha512su1" SHA3 Row(Op::Sha512su1);
    "crypto.sm3partw1" SM4 Row(Op::Sm3partw1);
    "crypto.sm3partw2" SM4 Row(Op::Sm3partw2);
    "crypto.sm3ss1" SM4 Row(Op::Sm3ss1);
    "crypto.sm3tt1a" SM4 Constant(Op::Sm3tt1a);
    "crypto.sm3tt1b" SM4 Constant(Op::Sm3tt1b);
    "crypto.sm3tt2a" SM4 Constant(Op::Sm3tt2a);
    "crypto.sm3tt2b" SM4 Constant(Op::Sm3tt2b);
    "crypto.sm4e" SM4 Row(Op::Sm4e);
    "crypto.sm4ekey" SM4 Row(Op::Sm4ekey);
    "crypto.xar" SHA3 Constant(Op::Xar);
    "dmb" ALWAYS Bare(Op::Dmb);
    "dsb" ALWAYS Bare(Op::Dsb);
    "fjcvtzs" JSCONV Row(Op::Fjcvtzs);
    "frint32x" FPTOINT Row(Op::Frint32x);
    "frint32z" FPTOINT Row(Op::Frint32z);
    "frint64x" FPTOINT Row(Op::Frint64x);
    "frint64z" FPTOINT Row(Op::Frint64z);
    "get.fpcr" ALWAYS Read(FPCR);
    "get.fpsr" ALWAYS Read(FPSR);
    "hint" ALWAYS Bare(Op::Hint);
    "isb" ALWAYS Bare(Op::Isb);
    "neon.abs" NEON Row(Op::AbsV);
    "neon.addp" NEON Row(Op::AddpV);
    "neon.bfdot" BF16 Row(Op::Bfdot);
    "neon.bfmlalb" BF16 Row(Op::Bfmlalb);
    "neon.bfmlalt" BF16 Row(Op::Bfmlalt);
    "neon.bfmmla" BF16 Row(Op::Bfmmla);
    "neon.cls" NEON Row(Op::ClsV);
    "neon.fabd" NEON Row(Op::FabdV);
    "neon.facge" NEON Row(Op::FacgeV);
    "neon.facgt" NEON Row(Op::FacgtV);
    "neon.faddp" NEON Row(Op::FaddpV);
    "neon.faddv" NEON Sum;
    "neon.fcvtas" NEON ToInteger(Op::FcvtasV, Op::FcvtasW, Op::FcvtasX);
    "neon.fcvtau" NEON ToInteger(Op::FcvtauV, Op::FcvtauW, Op::FcvtauX);
    "neon.fcvtms" NEON ToInteger(Op::FcvtmsV, Op::FcvtmsW, Op::FcvtmsX);
    "neon.fcvtmu" NEON ToInteger(Op::FcvtmuV, Op::FcvtmuW, Op::FcvtmuX);
    "neon.fcvtns" NEON ToInteger(Op::FcvtnsV, Op::FcvtnsW, Op::FcvtnsX);
    "neon.fcvtnu" NEON ToInteger(Op::FcvtnuV, Op::FcvtnuW, Op::FcvtnuX);
    "neon.fcvtps" NEON ToInteger(Op::FcvtpsV, Op::FcvtpsW, Op::FcvtpsX);
    "neon.fcvtpu" NEON ToInteger(Op::FcvtpuV, Op::FcvtpuW, Op::FcvtpuX);
    "neon.fcvtxn" NEON Row(Op::FcvtxnV);
    "neon.fcvtzs" NEON ToInteger(Op::FcvtzsV, Op::FcvtzsW, Op::FcvtzsX);
    "neon.fcvtzu" NEON ToInteger(Op::FcvtzuV, Op::FcvtzuW, Op::FcvtzuX);
    "neon.fmax" NEON Float(Op::FmaxV, Op::Fmax);
    "neon.fmaxnm" NEON Float(Op::FmaxnmV, Op::Fmaxnm);
    "neon.fmaxnmp" NEON Row(Op::FmaxnmpV);
    "neon.fmaxnmv" NEON OverAll(Op::Fmaxnmv, Op::FmaxnmpS);
    "neon.fmaxp" NEON Row(Op::FmaxpV);
    "neon.fmaxv" NEON OverAll(Op::Fmaxv, Op::FmaxpS);
    "neon.fmin" NEON Float(Op::FminV, Op::Fmin);
    "neon.fminnm" NEON Float(Op::FminnmV, Op::Fminnm);
    "neon.fminnmp" NEON Row(Op::FminnmpV);
    "neon.fminnmv" NEON OverAll(Op::Fminnmv, Op::FminnmpS);
    "neon.fminp" NEON Row(Op::FminpV);
    "neon.fminv" NEON OverAll(Op::Fminv, Op::FminpS);
    "neon.fmlal" FP16FML Row(Op::Fmlal);
    "neon.fmlal2" FP16FML Row(Op::Fmlal2);
    "neon.fmlsl" FP16FML Row(Op::Fmlsl);
    "neon.fmlsl2" FP16FML Row(Op::Fmlsl2);
    "neon.fmulx" NEON Row(Op::FmulxV);
    "neon.frecpe" NEON Row(Op::FrecpeV);
    "neon.frecps" NEON Row(Op::FrecpsV);
    "neon.frecpx" NEON Halves(Op::Frecpx, Op::FrecpxH);
    "neon.frint32x" FPTOINT Float(Op::Frint32xV, Op::Frint32x);
    "neon.frint32z" FPTOINT Float(Op::Frint32zV, Op::Frint32z);
    "neon.frint64x" FPTOINT Float(Op::Frint64xV, Op::Frint64x);
    "neon.frint64z" FPTOINT Float(Op::Frint64zV, Op::Frint64z);
    "neon.frsqrte" NEON Row(Op::FrsqrteV);
    "neon.frsqrts" NEON Row(Op::FrsqrtsV);
    "neon.ld1x2" NEON Load(Op::Ld1x2, Op::Ld1x2);
    "neon.ld1x3" NEON Load(Op::Ld1x3, Op::Ld1x3);
    "neon.ld1x4" NEON Load(Op::Ld1x4, Op::Ld1x4);
    "neon.ld2" NEON Load(Op::Ld2, Op::Ld1x2);
    "neon.ld2lane" NEON LoadLane(Op::Ld2Lane);
    "neon.ld2r" NEON Load(Op::Ld2r, Op::Ld2r);
    "neon.ld3" NEON Load(Op::Ld3, Op::Ld1x3);
    "neon.ld3lane" NEON LoadLane(Op::Ld3Lane);
    "neon.ld3r" NEON Load(Op::Ld3r, Op::Ld3r);
    "neon.ld4" NEON Load(Op::Ld4, Op::Ld1x4);
    "neon.ld4lane" NEON LoadLane(Op::Ld4Lane);
    "neon.ld4r" NEON Load(Op::Ld4r, Op::Ld4r);
    "neon.pmul" NEON Row(Op::PmulV);
    "neon.pmull" NEON Row(Op::PmullV);
    "neon.pmull64" AES Row(Op::Pmull64);
    "neon.raddhn" NEON Row(Op::RaddhnV);
    "neon.rshrn" NEON Constant(Op::RshrnV);
    "neon.rsubhn" NEON Row(Op::RsubhnV);
    "neon.sabd" NEON Row(Op::SabdV);
    "neon.saddlp" NEON Row(Op::SaddlpV);
    "neon.saddlv" NEON WideOverAll(Op::Saddlv, Op::SaddlpV);
    "neon.scalar.sqxtn" NEON Row(Op::SqxtnV);
    "neon.scalar.sqxtun" NEON Row(Op::SqxtunV);
    "neon.scalar.uqxtn" NEON Row(Op::UqxtnV);
    "neon.sdot" DOTPROD Row(Op::Sdot);
    "neon.shadd" NEON Row(Op::ShaddV);
    "neon.shsub" NEON Row(Op::ShsubV);
    "neon.smax" NEON Row(Op::SmaxV);
    "neon.smaxp" NEON Row(Op::SmaxpV);
    "neon.smin" NEON Row(Op::SminV);
    "neon.sminp" NEON Row(Op::SminpV);
    "neon.smmla" I8MM Row(Op::Smmla);
    "neon.smull" NEON Row(Op::SmullV);
    "neon.sqabs" NEON Row(Op::SqabsV);
    "neon.sqadd" NEON Row(Op::SqaddV);
    "neon.sqdmulh" NEON Row(Op::SqdmulhV);
    "neon.sqdmulh.lane" NEON ByLane(Op::SqdmulhV);
    "neon.sqdmulh.laneq" NEON ByLane(Op::SqdmulhV);
    "neon.sqdmull" NEON Row(Op::SqdmullV);
    "neon.sqdmulls.scalar" NEON Row(Op::SqdmullV);
    "neon.sqneg" NEON Row(Op::SqnegV);
    "neon.sqrdmlah" RDM Row(Op::SqrdmlahV);
    "neon.sqrdmlsh" RDM Row(Op::SqrdmlshV);
    "neon.sqrdmulh" NEON Row(Op::SqrdmulhV);
    "neon.sqrdmulh.lane" NEON ByLane(Op::SqrdmulhV);
    "neon.sqrdmulh.laneq" NEON ByLane(Op::SqrdmulhV);
    "neon.sqrshl" NEON Row(Op::SqrshlV);
    "neon.sqrshrn" NEON Constant(Op::SqrshrnV);
    "neon.sqrshrun" NEON Constant(Op::SqrshrunV);
    "neon.sqshl" NEON Row(Op::SqshlV);
    "neon.sqshlu" NEON EqualLanes(Op::SqshluV);
    "neon.sqshrn" NEON Constant(Op::SqshrnV);
    "neon.sqshrun" NEON Constant(Op::SqshrunV);
    "neon.sqsub" NEON Row(Op::SqsubV);
    "neon.sqxtn" NEON Row(Op::SqxtnV);
    "neon.sqxtun" NEON Row(Op::SqxtunV);
    "neon.srhadd" NEON Row(Op::SrhaddV);
    "neon.srshl" NEON Row(Op::SrshlV);
    "neon.sshl" NEON Row(Op::SshlV);
    "neon.st1x2" NEON Store(Op::St1x2, Op::St1x2);
    "neon.st1x3" NEON Store(Op::St1x3, Op::St1x3);
    "neon.st1x4" NEON Store(Op::St1x4, Op::St1x4);
    "neon.st2" NEON Store(Op::St2, Op::St1x2);
    "neon.st2lane" NEON StoreLane(Op::St2Lane);
    "neon.st3" NEON Store(Op::St3, Op::St1x3);
    "neon.st3lane" NEON StoreLane(Op::St3Lane);
    "neon.st4" NEON Store(Op::St4, Op::St1x4);
    "neon.st4lane" NEON StoreLane(Op::St4Lane);
    "neon.suqadd" NEON Row(Op::SuqaddV);
    "neon.tbl1" NEON Row(Op::Tbl);
    "neon.tbl2" NEON Table(Op::Tbl2, 2);
    "neon.tbl3" NEON Table(Op::Tbl3, 3);
    "neon.tbl4" NEON Table(Op::Tbl4, 4);
    "neon.tbx1" NEON Row(Op::Tbx);
    "neon.tbx2" NEON TableOver(Op::Tbx2, 2);
    "neon.tbx3" NEON TableOver(Op::Tbx3, 3);
    "neon.tbx4" NEON TableOver(Op::Tbx4, 4);
    "neon.uabd" NEON Row(Op::UabdV);
    "neon.uaddlp" NEON Row(Op::UaddlpV);
    "neon.uaddlv" NEON WideOverAll(Op::Uaddlv, Op::UaddlpV);
    "neon.udot" DOTPROD Row(Op::Udot);
    "neon.uhadd" NEON Row(Op::UhaddV);
    "neon.uhsub" NEON Row(Op::UhsubV);
    "neon.umax" NEON Row(Op::UmaxV);
    "neon.umaxp" NEON Row(Op::UmaxpV);
    "neon.umin" NEON Row(Op::UminV);
    "neon.uminp" NEON Row(Op::UminpV);
    "neon.ummla" I8MM Row(Op::Ummla);
    "neon.umull" NEON Row(Op::UmullV);
    "neon.uqadd" NEON Row(Op::UqaddV);
    "neon.uqrshl" NEON Row(Op::UqrshlV);
    "neon.uqrshrn" NEON Constant(Op::UqrshrnV);
    "neon.uqshl" NEON Row(Op::UqshlV);
    "neon.uqshrn" NEON Constant(Op::UqshrnV);
    "neon.uqsub" NEON Row(Op::UqsubV);
    "neon.uqxtn" NEON Row(Op::UqxtnV);
    "neon.urecpe" NEON Row(Op::UrecpeV);
    "neon.urhadd" NEON Row(Op::UrhaddV);
    "neon.urshl" NEON Row(Op::UrshlV);
    "neon.ursqrte" NEON Row(Op::UrsqrteV);
    "neon.usdot" I8MM Row(Op::Usdot);
    "neon.ushl" NEON Row(Op::UshlV);
    "neon.usmmla" I8MM Row(Op::Usmmla);
    "neon.usqadd" NEON Row(Op::UsqaddV);
    "neon.vcadd.rot270" COMPLXNUM Turned(Op::FcaddV, 3);
    "neon.vcadd.rot90" COMPLXNUM Turned(Op::FcaddV, 1);
    "neon.vcmla.rot0" COMPLXNUM Turned(Op::FcmlaV, 0);
    "neon.vcmla.rot180" COMPLXNUM Turned(Op::FcmlaV, 2);
    "neon.vcmla.rot270" COMPLXNUM Turned(Op::FcmlaV, 3);
    "neon.vcmla.rot90" COMPLXNUM Turned(Op::FcmlaV, 1);
    "neon.vcvtfp2fxs" NEON Constant(Op::FcvtzsFixedV);
    "neon.vcvtfp2fxu" NEON Constant(Op::FcvtzuFixedV);
    "neon.vcvtfp2hf" NEON Row(Op::FcvtnV);
    "neon.vcvtfxs2fp" NEON Constant(Op::ScvtfFixedV);
    "neon.vcvtfxu2fp" NEON Constant(Op::UcvtfFixedV);
    "neon.vcvthf2fp" NEON Row(Op::FcvtlV);
    "neon.vsli" NEON Constant(Op::SliV);
    "neon.vsri" NEON Constant(Op::SriV);
    "prefetch" ALWAYS Prefetch;
    "rndr" RAND ReadRandom(RNDR);
    "rndrrs" RAND ReadRandom(RNDRRS);
    "set.fpcr" ALWAYS Write(FPCR);
    "set.fpsr" ALWAYS Write(FPSR);
    "sisd.fabd" NEON Row(Op::FabdV);
    "sisd.fcvtxn" NEON Row(Op::FcvtxnS);
}

/// What arithmetic with halves needs besides.
pub(super) const HALF_ARITHMETIC: u8 = FULLFP16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_order() {
        for pair in ENTRIES.windows(2) {
            assert!(pair[0].name < pair[1].name, "{} {}", pair[0].name, pair[1].name);
        }
        assert_eq!(
            find("neon.sqdmulh.lane").map(|entry| entry.kind),
            Some(ByLane(Op::SqdmulhV))
        );
        assert!(find("neon.sqdmulh.").is_none());
    }
}
