//! What several passes know about memory: slots that are variables, where variables need phis, which accesses may touch
//! the same bytes, which values lie where.

pub mod alias;
pub mod convert;
pub mod dom_order;
pub mod facts;
pub mod parts;
pub mod phis;
pub mod private;
pub mod slots;

use frazil_ir::{CallFlags, Function, Opcode};

/// Whether a function calls something that returns twice, as `setjmp` does, or does so itself. What memory held at the
/// first return it need not hold at the second.
pub fn calls_something_returning_twice(function: &Function) -> bool {
    let returns_twice = CallFlags::RETURNS_TWICE.bits();
    let mut insts = function.insts().iter();
    insts.any(|data| match data.op {
        Opcode::Call | Opcode::Invoke => data.flags & returns_twice != 0,
        op => op == Opcode::SjljSetjmp,
    })
}
