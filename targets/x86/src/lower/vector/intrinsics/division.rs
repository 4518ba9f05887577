//! How intrinsics on 256 and 512 bits are done with instructions on 128, or at once, and those that access memory lane
//! by lane with none.

use frazil_codegen::{Division, Question, Test};

/// How an intrinsic on 256 or 512 bits, or one that accesses memory lane by lane, is done.
pub fn division(name: &str) -> Option<Division> {
    if let Some(access) = name.strip_prefix("llvm.masked.") {
        return super::evex::is_masked(access).then_some(Division::Whole);
    }
    let name = name.strip_prefix("llvm.x86.")?;
    if super::find_evex(name).is_some() {
        return Some(Division::Whole);
    }
    if let Some(division) = special(name) {
        return Some(division);
    }
    super::find(name).map(|_| Division::Parts)
}

/// Lanes of the first operand in the order of the second one.
const PERMUTE: Division = Division::Permute { lanes: 0, order: 1 };

fn special(name: &str) -> Option<Division> {
    let (set, rest) = name.split_once('.')?;
    match (set, rest) {
        ("avx" | "avx2", _) if rest.starts_with("maskload.") => return Some(Division::MaskedLoad),
        ("avx" | "avx2", _) if rest.starts_with("maskstore.") => return Some(Division::MaskedStore),
        ("sse2", "maskmov.dqu") => return Some(Division::MaskedStoreOfValues),
        ("avx2", _) if rest.starts_with("gather.") => return Some(Division::Gather),
        ("avx", _) if rest.ends_with(".256") => {
            if let Some(division) = whole_test(rest) {
                return Some(division);
            }
        }
        _ => {}
    }
    Some(match name {
        "avx.cvt.pd2.ps.256" | "avx.cvt.pd2dq.256" | "avx.cvtt.pd2dq.256" | "vcvtps2ph.256" => Division::LowerHalves,
        "avx.movmsk.pd.256" | "avx.movmsk.ps.256" | "avx2.pmovmskb" => Division::Bits,
        "avx.ldu.dq.256" => Division::Load,
        "avx2.permd" | "avx2.permps" => PERMUTE,
        "avx2.mpsadbw" => Division::PartsOfConstant(3),
        _ => return None,
    })
}

/// `ptest` and `vtest` of 256 bits.
fn whole_test(name: &str) -> Option<Division> {
    let name = name.strip_suffix(".256")?;
    let (flag, signs) = match name.strip_prefix("ptest") {
        Some(flag) => (flag, false),
        None => (name.strip_prefix("vtest")?.split_once('.')?.0, true),
    };
    let question = match flag {
        "z" => Question::NoneInBoth,
        "c" => Question::NoneInSecond,
        "nzc" => Question::Some,
        _ => return None,
    };
    Some(Division::Test(Test { question, signs }))
}
