//! How far branches reach, and what islands have for labels that are farther away: a branch that reaches them.

use crate::encode;
use crate::relocs::BRANCH26;
use frazil_codegen::{Beyond, Islands, Reach};

const fn branch_reach(bits: u32) -> Reach {
    Reach {
        forward_bytes: (1 << (bits + 1)) - 4,
        backward_bytes: 1 << (bits + 1),
        beyond: Beyond::Veneer {
            put: encode::jump,
            bytes: 4,
            kind: BRANCH26,
        },
    }
}

/// What branches reach: unconditional ones 128 MiB, which no function has.
pub static ISLANDS: Islands = Islands {
    reach: &[None, Some(branch_reach(19)), Some(branch_reach(14)), None, None],
    jump: encode::jump,
    jump_bytes: 4,
    max_inst_bytes: crate::expand::MAX_BYTES,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relocs::FIXUPS;

    #[test]
    fn islands_come_in_time() {
        assert!(ISLANDS.is_sound());
        assert_eq!(ISLANDS.reach.len(), FIXUPS.len());
    }
}
