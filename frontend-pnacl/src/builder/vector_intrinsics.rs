//! The table of LLVM's intrinsics that move lanes, or work on the first lanes under a mask (`llvm.vp.*`).
//!
//! They become other instructions on vectors when they are read ([`crate::llvm`]), so that nobody else knows them.

use super::library_functions::ByType;
use frazil_ir::Opcode;

/// What such an intrinsic does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorIntrinsic {
    /// The lanes in reverse.
    Reverse,
    /// As many lanes as one operand has of both, from a place on. A negative place counts from the first one's end.
    Splice,
    SpliceLeft,
    /// The place counts from the first operand's end.
    SpliceRight,
    /// A shorter vector in place of some lanes.
    Insert,
    /// Some lanes.
    Extract,
    /// The lanes of so many vectors in turn.
    Interleave(u32),
    /// Every so manyth lane, from each of the first ones on.
    Deinterleave(u32),
    /// The numbers of the lanes.
    Steps,
    /// Which lanes are below an end, if the first has a number.
    Active,
    /// The number of the first lane that is not zero.
    FirstActive,
    /// The lanes that a mask chooses, and then others.
    Compress,
    /// The sum of all lanes, in fewer lanes.
    PartialSum,
    /// Adds to memory for each lane.
    Histogram,
    /// The extreme lane by this operation.
    Extreme(Opcode),
    /// The same operation without mask and length: other lanes are poison.
    Predicated(Opcode),
    /// The same for a division, which must not see the other lanes.
    PredicatedDivision(Opcode),
    /// The same for an operation whose second argument says whether a special input gives poison.
    PredicatedSpecial(Opcode),
    /// The same for a test for classes of floats.
    PredicatedClass,
    /// The same for a conversion.
    PredicatedCast(Opcode),
    /// The same for a comparison, whose predicate is in metadata.
    PredicatedCompare,
    /// The same for a library function.
    PredicatedLibrary(ByType),
    /// The same for a conversion to the nearest integer.
    PredicatedNearest(ByType),
    /// A reduction to a start value by this operation; the second one joins both.
    PredicatedReduction(Opcode, Opcode),
    /// The same of floats by an operation that targets do not reduce by.
    PredicatedExtreme(Opcode),
    /// A selection whose other lanes are poison.
    PredicatedSelect,
    /// The number of the first active lane that is not zero, or the length.
    PredicatedFirstActive,
    /// The first lanes in reverse.
    PredicatedReverse,
    /// The first lanes of one vector from a place on, and after them the first ones of another.
    PredicatedSplice,
    /// The same scalar in each lane.
    PredicatedSplat,
    /// A selection whose lanes beyond the length are those of the second vector.
    Merge,
    Load,
    Store,
    /// A load with an address for each lane.
    Gather,
    Scatter,
    /// A load of lanes that are a number of bytes apart.
    StridedLoad,
    StridedStore,
}

use VectorIntrinsic as V;

impl VectorIntrinsic {
    /// The one with this name without types.
    pub fn from_name(name: &str) -> Option<VectorIntrinsic> {
        let is_old = name.starts_with("experimental.");
        let name = name.strip_prefix("experimental.").unwrap_or(name);
        if let Some(name) = name.strip_prefix("vp.") {
            return predicated(name);
        }
        Some(match name {
            "get.active.lane.mask" => V::Active,
            "cttz.elts" => V::FirstActive,
            "stepvector" => V::Steps,
            _ => return of_vectors(name.strip_prefix("vector.")?, is_old),
        })
    }
}

fn of_vectors(name: &str, is_old: bool) -> Option<VectorIntrinsic> {
    let factor = |digits: &str| digits.parse().ok().filter(|factor| (2..=8).contains(factor));
    if let Some(digits) = name.strip_prefix("interleave") {
        return factor(digits).map(V::Interleave);
    }
    if let Some(digits) = name.strip_prefix("deinterleave") {
        return factor(digits).map(V::Deinterleave);
    }
    Some(match name {
        "reverse" => V::Reverse,
        "splice" => V::Splice,
        "splice.left" => V::SpliceLeft,
        "splice.right" => V::SpliceRight,
        "insert" => V::Insert,
        "extract" => V::Extract,
        "compress" => V::Compress,
        "partial.reduce.add" => V::PartialSum,
        "histogram.add" if is_old => V::Histogram,
        "reduce.fminimum" => V::Extreme(Opcode::Fminimum),
        "reduce.fmaximum" => V::Extreme(Opcode::Fmaximum),
        _ => return None,
    })
}

fn predicated(name: &str) -> Option<VectorIntrinsic> {
    if let Some(name) = name.strip_prefix("reduce.") {
        let (reduction, join) = match name {
            "add" => (Opcode::ReduceAdd, Opcode::Add),
            "mul" => (Opcode::ReduceMul, Opcode::Mul),
            "and" => (Opcode::ReduceAnd, Opcode::And),
            "or" => (Opcode::ReduceOr, Opcode::Or),
            "xor" => (Opcode::ReduceXor, Opcode::Xor),
            "smin" => (Opcode::ReduceSmin, Opcode::Smin),
            "smax" => (Opcode::ReduceSmax, Opcode::Smax),
            "umin" => (Opcode::ReduceUmin, Opcode::Umin),
            "umax" => (Opcode::ReduceUmax, Opcode::Umax),
            "fadd" => (Opcode::ReduceFadd, Opcode::Fadd),
            "fmul" => (Opcode::ReduceFmul, Opcode::Fmul),
            "fmin" => (Opcode::ReduceFmin, Opcode::Fminnum),
            "fmax" => (Opcode::ReduceFmax, Opcode::Fmaxnum),
            "fminimum" => return Some(V::PredicatedExtreme(Opcode::Fminimum)),
            "fmaximum" => return Some(V::PredicatedExtreme(Opcode::Fmaximum)),
            _ => return None,
        };
        return Some(V::PredicatedReduction(reduction, join));
    }
    Some(V::Predicated(match name {
        "add" => Opcode::Add,
        "sub" => Opcode::Sub,
        "mul" => Opcode::Mul,
        "and" => Opcode::And,
        "or" => Opcode::Or,
        "xor" => Opcode::Xor,
        "shl" => Opcode::Shl,
        "lshr" => Opcode::Lshr,
        "ashr" => Opcode::Ashr,
        "fadd" => Opcode::Fadd,
        "fsub" => Opcode::Fsub,
        "fmul" => Opcode::Fmul,
        "fdiv" => Opcode::Fdiv,
        "frem" => Opcode::Frem,
        "fneg" => Opcode::Fneg,
        "roundtozero" => Opcode::Ftrunc,
        "udiv" => return Some(V::PredicatedDivision(Opcode::Udiv)),
        "urem" => return Some(V::PredicatedDivision(Opcode::Urem)),
        "sdiv" => return Some(V::PredicatedDivision(Opcode::Sdiv)),
        "srem" => return Some(V::PredicatedDivision(Opcode::Srem)),
        "select" => return Some(V::PredicatedSelect),
        "merge" => return Some(V::Merge),
        "load" => return Some(V::Load),
        "store" => return Some(V::Store),
        "gather" => return Some(V::Gather),
        "scatter" => return Some(V::Scatter),
        "strided.load" => return Some(V::StridedLoad),
        "strided.store" => return Some(V::StridedStore),
        "icmp" | "fcmp" => return Some(V::PredicatedCompare),
        "cttz.elts" => return Some(V::PredicatedFirstActive),
        "reverse" => return Some(V::PredicatedReverse),
        "splice" => return Some(V::PredicatedSplice),
        "splat" => return Some(V::PredicatedSplat),
        _ => return cast(name).map(V::PredicatedCast),
    }))
}

fn cast(name: &str) -> Option<Opcode> {
    Some(match name {
        "trunc" => Opcode::Trunc,
        "zext" => Opcode::Zext,
        "sext" => Opcode::Sext,
        "fptoui" => Opcode::Fptoui,
        "fptosi" => Opcode::Fptosi,
        "uitofp" => Opcode::Uitofp,
        "sitofp" => Opcode::Sitofp,
        "fptrunc" => Opcode::Fptrunc,
        "fpext" => Opcode::Fpext,
        "ptrtoint" => Opcode::Ptrtoint,
        "inttoptr" => Opcode::Inttoptr,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known() {
        for (name, expected) in [
            ("vector.interleave3", Some(V::Interleave(3))),
            ("experimental.vector.deinterleave2", Some(V::Deinterleave(2))),
            ("vector.interleave9", None),
            ("vp.add", Some(V::Predicated(Opcode::Add))),
            ("vp.trunc", Some(V::PredicatedCast(Opcode::Trunc))),
            ("vp.roundtozero", Some(V::Predicated(Opcode::Ftrunc))),
            ("experimental.vp.strided.load", Some(V::StridedLoad)),
            ("vp.load.ff", None),
            ("experimental.cttz.elts", Some(V::FirstActive)),
            ("vector.reduce.fmaximum", Some(V::Extreme(Opcode::Fmaximum))),
            ("reverse", None),
        ] {
            assert_eq!(VectorIntrinsic::from_name(name), expected, "{name}");
        }
    }
}
