//! Integers of 65 to 128 bits in two registers, low part first.
//!
//! Chains through the carry flag rely on contract 2: whatever the context inserts between their instructions leaves the
//! flags alone.

use super::arith::{IMM32, alu, apply};
use super::compare::Test;
use super::{result, second_result};
use crate::build::*;
use crate::cond::Cond;
use crate::ops::Op;
use frazil_codegen::{CodegenError, LowerCtx};
use frazil_ir::{InstData, Opcode};
