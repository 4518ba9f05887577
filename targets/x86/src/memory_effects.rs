//! Which rows with a memory operand do not both read and write it, though their form would allow it.
//!
//! Forms with a memory destination are taken to read and write it, those with a memory source to read it; here are
//! the others. The rows' test compares all of them with an independent decoder.

use crate::table::Op::{self, *};

/// Rows of a form with a memory destination that only read it.
pub(crate) static ONLY_READ: &[Op] = &[
    CmpMR, CmpMI, TestMR, TestMI, MulM, Mul8M, ImulM, Imul8M, DivM, Div8M, IdivM, Idiv8M, BtMI, PushM, JmpM, CallM,
    LdmxcsrM, FldcwM, FldsM, FldlM, FldtM, FildlM, FildqM, FaddsM, FsubsM, ClflushM,
];

/// Rows that only write it.
pub(crate) static ONLY_WRITTEN: &[Op] = &[
    MovMR, MovMI, MovFsMR, SetM, MovntiMR, MovbeMR, PopM, StmxcsrM, FnstcwM, MovsMR, MovapMR, MovupMR, MovdqaMR,
    MovdquMR, MovdMX, MovqMX, MovlpMR, MovhpMR, MovntpMR, MovntdqMR, FstpsM, FstplM, FstptM, FistplM, FistpqM,
];

/// Rows that only compute its address, or hint at it.
pub(crate) static UNTOUCHED: &[Op] = &[LeaRM, PrefetchntaM, Prefetcht0M, Prefetcht1M, Prefetcht2M, PrefetchwM];
