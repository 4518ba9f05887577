//! Variables of the function that is compiled whose places change, and what is known of these. The memory is kept from
//! function to function; functions without debug information do not touch it.

use super::reaching::Reaching;
use crate::debug::{Shape, Spot};
use frazil_ir::Value;
use frazil_ir::debug::DebugValue;

/// A variable in memory whose address is a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Followed {
    pub value: DebugValue,
    pub address: Value,
    /// Since which offset the address is where it is now.
    pub since: Option<(u32, Spot)>,
}

/// A place of a variable that is not over yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub variable: u32,
    /// Its number in the function's list.
    pub value: u32,
    pub start: u32,
    /// The offset up to which it is certain.
    pub certain: u32,
    pub now: Now,
}

/// Where a value is at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Now {
    pub spot: Spot,
    pub shape: Shape,
    /// Whether the next instruction may put it elsewhere.
    pub is_passing: bool,
}

/// Values of variables that are followed.
#[derive(Debug, Default)]
pub(super) struct Variables {
    /// Those whose addresses are values, in all of the function.
    pub followed: Vec<Followed>,
    pub reaching: Option<Reaching>,
    /// Ascending by variable.
    pub open: Vec<Open>,
    /// Parameters that come in registers, with these.
    pub on_entry: Vec<(Value, u16)>,
    /// Whether debuggers may know what these were.
    pub describes_calls: bool,
}

impl Variables {
    /// Forgets the function before.
    pub fn clear(&mut self) {
        self.followed.clear();
        self.reaching = None;
        self.open.clear();
        self.on_entry.clear();
        self.describes_calls = false;
    }
}
