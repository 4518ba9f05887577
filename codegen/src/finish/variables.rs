//! Where variables are in code of the optimizing path: those that are in memory, in the function's stack slots or among
//! its arguments on the stack. [`crate::follow`] has those that registers or spill slots hold.

use crate::debug::{FrameDistances, Place, Shape, Spot, fixed_spot};
use crate::mfunc::INCOMING;
use frazil_ir::debug::DebugKind;
use frazil_ir::{EntityRef, Function, Operand, ParamKind, ValueKind};

/// Says where the variables of a function are. `slots` has for each stack slot its offset, and whether only its address
/// is there; `by_value` the offset of each argument that is passed in memory.
#[cold]
pub(crate) fn place_variables(
    function: &Function,
    slots: &[(i32, bool)],
    by_value: &[i32],
    distances: FrameDistances,
    places: &mut Vec<Place>,
) {
    let spot_of = |operand: Operand| -> Option<Spot> {
        let address = operand.as_value()?;
        let data = function.value(address);
        match data.kind {
            ValueKind::Slot if function.use_count(address) > 0 => {
                let &(offset, is_indirect) = slots.get(data.def as usize)?;
                let offset = offset + distances.areas?;
                Some(match is_indirect {
                    true => Spot::Frame(offset),
                    false => Spot::FrameAddress(offset),
                })
            }
            ValueKind::Param => {
                let param = function.signature().params.get(data.def as usize)?;
                let offset = by_value
                    .get(address.index())
                    .copied()
                    .filter(|&offset| offset >= INCOMING / 2);
                let is_there = matches!(param.kind, ParamKind::ByVal { .. });
                offset
                    .filter(|_| is_there)
                    .map(|offset| Spot::FrameAddress(offset - INCOMING + distances.incoming))
            }
            _ => None,
        }
    };
    for &value in &function.debug.values {
        if value.kind != DebugKind::Declare {
            continue;
        }
        let fixed = fixed_spot(function, &value);
        if let Some((spot, added)) = fixed.or_else(|| Some((spot_of(value.operand)?, 0))) {
            places.push(Place {
                value,
                part: None,
                range: None,
                spot,
                shape: Shape { added, bits: 0 },
            });
        }
    }
}
