//! How functions protect their control flow, as their attributes say.

use frazil_ir::module::{FunctionHead, ReturnSigning};

/// What the attributes of a function ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Protection {
    /// It keeps return addresses on a stack of their own, too.
    pub shadow_call_stack: bool,
    marks_branch_targets: bool,
    signs_return: ReturnSigning,
    signs_by_second_key: bool,
}

impl Protection {
    /// Notes an attribute with a name, if it is one of these; `false` if its value is unknown.
    pub fn note(&mut self, name: &[u8], value: &[u8]) -> bool {
        match name {
            b"branch-target-enforcement" => self.marks_branch_targets = value != b"false",
            b"sign-return-address-key" => self.signs_by_second_key = value == b"b_key",
            b"sign-return-address" => {
                self.signs_return = match value {
                    b"none" => ReturnSigning::None,
                    b"non-leaf" => ReturnSigning::NonLeaf,
                    b"all" => ReturnSigning::All,
                    _ => return false,
                };
            }
            _ => {}
        }
        true
    }

    /// Says so of a function with a body.
    pub fn apply(self, head: &mut FunctionHead) {
        head.marks_branch_targets = self.marks_branch_targets;
        head.signs_return = self.signs_return;
        head.signs_by_second_key = self.signs_by_second_key;
        head.keeps_shadow_stack = self.shadow_call_stack;
    }
}
