//! Hooks that go where the load or store that they stand at is deleted (contract 15).
//!
//! ```text
//! hook_call follows_next @on_load(v0) : (ptr)      hook_call @on_store(v0) : (ptr)
//! v1 = load i32 v0                             ->  store i32 v2, v0
//! hook_call @on_store(v0) : (ptr)
//! store i32 v2, v0
//! ```
//!
//! Method: the hooks of an access are those between it and the next instruction with an effect. [`Editor::remove`] and
//! [`Editor::replace`] remove them with it. A load that is moved leaves its hooks where they are, and from then on they
//! follow nothing: a hook stands for its place, and the program still loads.
//!
//! Only functions that are said to have such hooks are looked at ([`Function::note_following_hooks`]).

use super::Editor;
use crate::entities::Inst;
use crate::flags::CallFlags;
use crate::function::Function;
use crate::opcode::{Effects, Opcode};
use frazil_support::EntityRef;

/// How far hooks stand from their access at most: others for the same one and what computes their arguments are
/// between.
const MOST_STEPS: usize = 32;

/// Whether hooks may follow such an instruction.
pub(super) fn is_followed(op: Opcode) -> bool {
    use Opcode as O;
    matches!(
        op,
        O::Load | O::Store | O::AtomicLoad | O::AtomicStore | O::SpaceLoad | O::SpaceStore
    )
}

/// The hooks that follow a load or store, by position; none of another instruction.
fn followers(f: &Function, access: Inst) -> Vec<usize> {
    let mut found = Vec::new();
    let at = access.index();
    if is_followed(f.insts[at].op) {
        let before = (0..at).rev().take(MOST_STEPS);
        collect(f, before, CallFlags::FOLLOWS_NEXT, &mut found);
        let after = (at + 1..f.insts.len()).take(MOST_STEPS);
        collect(f, after, CallFlags::FOLLOWS_PREVIOUS, &mut found);
    }
    found
}

/// Finds hooks with a flag up to the next instruction with an effect, or of another block.
fn collect(f: &Function, positions: impl Iterator<Item = usize>, flag: CallFlags, found: &mut Vec<usize>) {
    for position in positions {
        let data = &f.insts[position];
        if data.op.is_hook_call() {
            if data.flags & flag.bits() != 0 {
                found.push(position);
            }
        } else if data.op.effects() != Effects::Pure || data.op == Opcode::Phi {
            break;
        }
    }
}

/// Makes the hooks of an access stay where they are.
#[cold]
pub(super) fn leave_followers(f: &mut Function, access: Inst) {
    for position in followers(f, access) {
        let follows = CallFlags::FOLLOWS_NEXT | CallFlags::FOLLOWS_PREVIOUS;
        f.insts[position].flags &= !follows.bits();
    }
}

impl Editor {
    /// Removes the hooks of an access that is deleted.
    #[cold]
    pub(super) fn remove_followers(&mut self, f: &mut Function, access: Inst) {
        for position in followers(f, access) {
            self.remove(f, Inst::new(position));
        }
    }
}
