//! Accesses to memory lane by lane under a mask: `llvm.masked.load`, `store`, `gather`, `scatter`, `expandload` and
//! `compressstore`, which have no opcode and are known by name.
//!
//! Lanes whose mask is false touch no memory; those of a load are those of its last operand. A lane whose mask is
//! poison or undefined could be accessed or not, which is undefined behavior, as a branch on it would be. Lanes are
//! accessed in order, so of several stores to one place the last one counts.
//!
//! Alignments are immediates before LLVM 22 and attributes since; the latter are not kept and not checked.

use super::value::{Scalar, Value};
use super::{Interpreter, Outcome, Stop};
use crate::function::Function;
use crate::masked::Masked;
use crate::signature::Signature;
use crate::types::{Type, TypeData};

/// Whether an intrinsic is an access under a mask.
pub(super) fn is_masked(name: &str) -> bool {
    Masked::of(name).is_some()
}

impl Interpreter<'_> {
    /// Does the access that a call of an intrinsic is; returns what it has loaded.
    pub(super) fn masked_access(
        &mut self,
        caller: &Function,
        signature: &Signature,
        name: &str,
        mut arguments: Vec<Value>,
    ) -> Outcome<Vec<Value>> {
        let unknown = || Stop::Unsupported(format!("the form of {name}"));
        let kind = Masked::of(name).ok_or_else(unknown)?;
        let alignment_place = if kind.is_store() { 2 } else { 1 };
        let alignment = match arguments.len() {
            4 => arguments.remove(alignment_place).known().unwrap_or(0).max(1),
            _ => 1,
        };
        let [first, second, third] = arguments.try_into().map_err(|_| unknown())?;
        let (value, addresses, mask) = match kind.is_store() {
            true => (first, second, third),
            false => (third, first, second),
        };
        let param = if kind.is_store() {
            signature.params.first()
        } else {
            signature.returns.first()
        };
        let vector = param.map(|param| caller.types.data(param.ty));
        let Some(TypeData::Vector { element, .. }) = vector else {
            return Err(unknown());
        };
        // How far apart lanes of other widths are, LLVM is not of one mind about.
        let bits = caller.types.bits(element, self.pointer_bits());
        if bits < 8 || !bits.is_power_of_two() {
            return Err(unknown());
        }
        let (mut next, mut loaded) = (addresses.lane(0), value.lanes().to_vec());
        for (index, lane) in loaded.iter_mut().enumerate() {
            let is_on = mask.lane(index).known();
            let is_on = is_on.ok_or_else(|| Stop::undefined("access under a mask that is not defined"))? == 1;
            if is_on {
                // Of a vector in one piece, its address is aligned, not those of lanes.
                let (address, aligned) = match kind {
                    Masked::Gather | Masked::Scatter => (addresses.lane(index), addresses.lane(index)),
                    _ => (next, addresses.lane(0)),
                };
                if aligned
                    .known()
                    .is_some_and(|address| !address.is_multiple_of(alignment))
                {
                    return Err(Stop::undefined("access under a mask that is not aligned as it says"));
                }
                self.masked_lane(caller, kind, element, address, lane)?;
            }
            if is_on || matches!(kind, Masked::Load | Masked::Store) {
                next = match next {
                    Scalar::Bits { value, undef: 0 } => Scalar::defined(value + u128::from(bits / 8)),
                    other => other,
                };
            }
        }
        Ok(match kind.is_store() {
            true => Vec::new(),
            false => vec![Value::Vector(loaded)],
        })
    }

    /// Loads or stores a lane.
    fn masked_lane(
        &mut self,
        caller: &Function,
        kind: Masked,
        element: Type,
        address: Scalar,
        lane: &mut Scalar,
    ) -> Outcome<()> {
        let known = address.known();
        let address = known.ok_or_else(|| Stop::undefined("access through an address that is not defined"))?;
        if kind.is_store() {
            return self.store(&caller.types, element, address as u64, &Value::Scalar(*lane));
        }
        *lane = self.load(&caller.types, element, address as u64)?.lane(0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entities::FuncId;
    use crate::interp::Limits;
    use crate::text::parse_module;
    use frazil_support::EntityRef;

    /// Runs the lines as a function of a mask of four lanes, with `v1` the address of 1, 2, 3 and 4 as `i16` and `v2`
    /// that of as many nines. Returns the lanes of `v3`, and the nines.
    fn run(mask: [u128; 4], lines: &str) -> Outcome<[Vec<Scalar>; 2]> {
        let text = format!(
            "symbol @llvm.masked.load.v4i16.p0 function
symbol @llvm.masked.store.v4i16.p0 function
symbol @llvm.masked.gather.v4i16.v4p0 function
symbol @llvm.masked.scatter.v4i16.v4p0 function
symbol @llvm.masked.expandload.v4i16 function
symbol @llvm.masked.compressstore.v4i16 function
func @f(<4 x i1>) -> (<4 x i16>, <4 x i16>) {{
  v1 = slot 8 align 8
  v2 = slot 8 align 8
b0:
  store align 8 <4 x i16> <4 x i16> [1, 2, 3, 4], v1
  store align 8 <4 x i16> <4 x i16> [9, 9, 9, 9], v2
  {lines}
  v9 = load align 8 <4 x i16> v2
  return v3, v9
}}"
        );
        let (module, functions) = parse_module(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let mut interpreter = Interpreter::new(&module, &functions, Limits::default())?;
        let mask = mask.map(|lane| {
            if lane > 1 {
                Scalar::Poison
            } else {
                Scalar::defined(lane)
            }
        });
        let results = interpreter.call(FuncId::new(0), vec![Value::Vector(mask.to_vec())])?;
        let lanes: Vec<Vec<Scalar>> = results.iter().map(|value| value.lanes().to_vec()).collect();
        Ok(lanes.try_into().expect("there are two results"))
    }

    fn numbers(lanes: [u128; 4]) -> Vec<Scalar> {
        lanes.map(Scalar::defined).to_vec()
    }

    const LOAD: &str = "v3 = call intrinsic @llvm.masked.load.v4i16.p0(v1, v0, <4 x i16> [5, 6, 7, 8]) \
                        : (ptr, <4 x i1>, <4 x i16>) -> <4 x i16>";

    #[test]
    fn loads_leave_lanes_that_are_off() {
        assert_eq!(
            run([0, 1, 0, 1], LOAD).map(|found| found[0].clone()),
            Ok(numbers([5, 2, 7, 4]))
        );
        let expand = LOAD.replace("load.v4i16.p0", "expandload.v4i16");
        assert_eq!(
            run([0, 1, 0, 1], &expand).map(|found| found[0].clone()),
            Ok(numbers([5, 1, 7, 2]))
        );
        // Of LLVM 21 and before.
        let aligned = LOAD.replace("(v1, ", "(v1, i32 2, ").replace("(ptr, ", "(ptr, i32, ");
        assert_eq!(
            run([1, 1, 0, 0], &aligned).map(|found| found[0].clone()),
            Ok(numbers([1, 2, 7, 8]))
        );
    }

    #[test]
    fn stores_leave_memory_of_lanes_that_are_off() {
        let store = "v3 = load align 8 <4 x i16> v1
  call intrinsic @llvm.masked.store.v4i16.p0(v3, v2, v0) : (<4 x i16>, ptr, <4 x i1>)";
        assert_eq!(
            run([0, 1, 1, 0], store).map(|found| found[1].clone()),
            Ok(numbers([9, 2, 3, 9]))
        );
        let compress = store.replace("store.v4i16.p0", "compressstore.v4i16");
        assert_eq!(
            run([0, 1, 1, 0], &compress).map(|found| found[1].clone()),
            Ok(numbers([2, 3, 9, 9]))
        );
    }

    /// The distances of lanes 0 to 3 are 6, 4, 0 and 0 bytes.
    const ADDRESSES: &str = "v4 = ptr_add ptr v1, 6
  v5 = ptr_add ptr v1, 4
  v6 = insert_element <4 x ptr> <4 x ptr> poison, v4, 0
  v7 = insert_element <4 x ptr> v6, v5, 1
  v8 = insert_element <4 x ptr> v7, v1, 2
  v10 = insert_element <4 x ptr> v8, v1, 3";

    #[test]
    fn each_lane_has_its_address() {
        let gather = format!(
            "{ADDRESSES}\n  v3 = call intrinsic @llvm.masked.gather.v4i16.v4p0(v10, v0, <4 x i16> [5, 6, 7, 8]) \
             : (<4 x ptr>, <4 x i1>, <4 x i16>) -> <4 x i16>"
        );
        assert_eq!(
            run([1, 0, 1, 1], &gather).map(|found| found[0].clone()),
            Ok(numbers([4, 6, 1, 1]))
        );
        let scatter = format!(
            "{}\n  call intrinsic @llvm.masked.scatter.v4i16.v4p0(<4 x i16> [5, 6, 7, 8], v10, v0) \
             : (<4 x i16>, <4 x ptr>, <4 x i1>)\n  v3 = load align 8 <4 x i16> v2",
            ADDRESSES.replace("ptr v1", "ptr v2").replace(", v1, ", ", v2, ")
        );
        assert_eq!(
            run([1, 0, 1, 1], &scatter).map(|found| found[0].clone()),
            Ok(numbers([8, 9, 9, 5]))
        );
    }

    #[test]
    fn what_decides_or_is_accessed_must_be_defined() {
        let poison = run([0, 1, 2, 0], LOAD);
        assert!(
            matches!(&poison, Err(Stop::Undefined(what)) if what.contains("mask")),
            "{poison:?}"
        );
        let outside = LOAD.replace("(v1", "(null");
        assert!(matches!(run([0, 1, 0, 0], &outside), Err(Stop::Undefined(_))));
        let aligned = LOAD.replace("(v1, ", "(v1, i32 64, ").replace("(ptr, ", "(ptr, i32, ");
        let beside = aligned
            .replace("v3 = ", "v4 = ptr_add ptr v1, 2\n  v3 = ")
            .replace("(v1, ", "(v4, ");
        assert!(matches!(run([1, 0, 0, 0], &beside), Err(Stop::Undefined(_))));
        assert_eq!(
            run([0; 4], &outside).map(|found| found[0].clone()),
            Ok(numbers([5, 6, 7, 8]))
        );
    }
}
