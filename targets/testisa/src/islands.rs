//! How far branches and loads of constants reach, and what islands have for what is farther away.

use crate::build::jump;
use crate::encode::{encode, far_jump};
use crate::relocs::{JUMP24, WORD};
use frazil_codegen::{Beyond, Islands, Reach};

const fn islands(reach: &'static [Option<Reach>]) -> Islands {
    Islands {
        reach,
        jump: |out, label| encode(&jump(label), out),
        jump_bytes: 4,
        // An access whose displacement is formed before it.
        max_inst_bytes: 16,
    }
}

const fn branch_reach(forward_bytes: u32, backward_bytes: u32) -> Reach {
    Reach {
        forward_bytes,
        backward_bytes,
        beyond: Beyond::Veneer {
            put: |out, label| encode(&jump(label), out),
            bytes: 4,
            kind: JUMP24,
        },
    }
}

const fn literal_reach(forward_bytes: u32, backward_bytes: u32) -> Reach {
    Reach {
        forward_bytes,
        backward_bytes,
        // Only floats are constants in memory.
        beyond: Beyond::Literal { max_bytes: 8 },
    }
}

/// What the fields of the machine reach; jumps reach everything.
pub static ISLANDS: Islands = islands(&[
    Some(branch_reach(4 * 127, 4 * 128)),
    None,
    None,
    Some(literal_reach(4 * 4095, 4 * 4096)),
]);

/// The same as if fields had few bits, so that small functions need islands and chains of veneers.
pub static NEAR_ISLANDS: Islands = islands(&[
    Some(branch_reach(84, 72)),
    Some(Reach {
        forward_bytes: 144,
        backward_bytes: 136,
        beyond: Beyond::Veneer {
            put: far_jump,
            bytes: 12,
            kind: WORD,
        },
    }),
    None,
    Some(literal_reach(96, 64)),
]);
