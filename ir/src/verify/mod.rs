//! The verifier, and the specification of the IR that it checks.
//!
//! # Functions
//!
//! A function is a list of blocks; block 0 is the entry and has no predecessors. A block is a contiguous range of
//! instructions, blocks follow one another without gaps, each is not empty and ends with its only terminator.
//! Phis come first in a block. A *value* is a parameter (values `0..params`, in order), the address of a stack slot, or
//! a result of an instruction. An instruction's results are consecutive values, `result` the first. Every use is
//! dominated by its definition: an operand by an earlier instruction of its block or by a block that dominates
//! its own; a phi operand must be available at the end of its column's predecessor; the results of an `invoke` are
//! available only where the normal edge is passed. Blocks that the entry does not reach may use anything.
//! `uses[v]` counts the operand slots that name `v`, in unreachable blocks too. A number below the count of values
//! that nothing defines is allowed as long as nothing uses it.
//!
//! A phi has one operand for each predecessor; predecessors are counted once however often a terminator names the
//! block, and stand in block order ([`crate::cfg`]). Phis of a block read their operands at the same time.
//!
//! # Types and operands
//!
//! Integers of 1 to 2^23 bits, binary floating-point formats, pointers, fixed vectors of these. No aggregates. Integer
//! and floating-point operations apply to vectors lane by lane. The bits of a register above a value's width are
//! undefined: they are no part of the value, for `i1` too; operations that care extend first. Only `zeroext` and
//! `signext` of a signature say anything about them, at calls, entries and returns.
//!
//! An operand is a value, an immediate, a constant or a symbol. An *immediate* stands where the type is known from
//! the instruction ([`crate::typing`]) and is an integer, sign-extended from the width of that type (a true `i1` is
//! -1), or the address that a pointer of any address space is (0 for null), sign-extended too. Floating-point
//! and vector operands are never immediates, and neither are operands whose type only they know: those of casts, of
//! `scmp` and `ucmp` (the first), of reductions and shuffles. Undef and poison are constants, not immediates. A symbol
//! operand is its address, a pointer.
//!
//! # Poison and undef
//!
//! *Undef* stands for any bit pattern of its type, another one for each use; memory that was never written holds it.
//! `freeze` picks one for good. *Poison* is the result of an operation whose promise was broken. An operation with a
//! poison operand gives poison; the exceptions are `phi` (only the operand that is taken counts), `select` (the
//! condition and the chosen operand count), and `freeze` (gives some fixed value). Storing poison poisons the bytes;
//! loading any poison byte gives poison. It is undefined behavior to branch, switch or jump on undef or poison, to
//! access memory through such a pointer, to divide by it, and to pass it as a size or alignment. Code generation may
//! compile undef and poison to any bits.
//!
//! # Integer arithmetic
//!
//! `add`, `sub`, `mul`, `shl` wrap around; with `nuw` (`nsw`) a result that is not the exact one of the operands read
//! unsigned (signed) is poison. `udiv`, `sdiv`, `urem`, `srem`: a zero divisor, and the most negative value divided by
//! -1 (remainder included), are undefined behavior; quotients round to zero, the remainder has the sign of the
//! dividend. `exact`: a remainder (or, for `lshr` and `ashr`, a nonzero bit shifted out) gives poison. A shift by the
//! width or more is poison, however the amount's bits may be read otherwise: it is unsigned. `or disjoint` of operands
//! with a common bit is poison.
//! `umul_high` and `smul_high` are the upper half of the product of twice as many bits, of integers of 8, 16, 32 or 64
//! bits. `byte_differences` takes integers of 64 bits, and is the sum of the eight differences of their bytes, read
//! unsigned and taken without sign. `word_products` takes integers of 32 bits, and is the sum of the two products of
//! their words, read signed, which wraps.
//! `…_overflow` give the wrapped result and whether it wrapped. `…_sat` clamp to the range of the type; the shift
//! amount of `ushl_sat` and `sshl_sat` obeys the rule of shifts. `abs` of the most negative value is itself, or poison
//! with `poison_special`; `ctlz` and `cttz` of zero are the width, or poison with `poison_special`. `bswap` takes
//! widths that are multiples of 16. `fshl a, b, c` is the upper half of `a:b` shifted left by `c` modulo the width,
//! `fshr` the lower half of `a:b` shifted right by `c` modulo the width.
//! `icmp_…` compare integers or pointers (unsigned addresses); `samesign` operands with different sign bits give
//! poison. `scmp` and `ucmp` give -1, 0 or 1.
//!
//! # Floating point
//!
//! IEEE 754, round to nearest even, exceptions unobserved; subnormals count. Which NaN an operation gives is open;
//! `copy`, `phi`, `select`, loads and stores, `fneg`, `fabs` and `fcopysign` touch no bit but the sign. `frem` is C's
//! `fmod`. `fmuladd` is `fma` or a rounded product and a sum. `frint` and `fnearbyint` round to even, `fround` halves
//! away from zero. `fminnum`, `fmaxnum` prefer a number over a NaN, the order of zeros is open; `fminimum`, `fmaximum`
//! give NaN for a NaN, and -0 is below +0. `fcmp_o…` are false and `fcmp_u…` true if an operand is NaN.
//! `nnan` and `ninf`: a NaN or infinite operand or result gives poison; the other fast-math flags permit
//! approximations. `is_fpclass` tests the ten classes of its mask (bit 0 signaling NaN, 1 quiet NaN, 2 -infinity,
//! 3 negative normal, 4 negative subnormal, 5 -0, 6 +0, 7 positive subnormal, 8 positive normal, 9 +infinity).
//!
//! `strict_…` operations compute what the plain one that their flags name computes, in the environment that the
//! program has set: they round as it says and raise the exceptions of the plain one, and no others, whether their
//! result is used or not. `strict_compare` raises invalid for signaling NaNs only or, `signaling`, for all. Their type
//! is no vector ([`crate::strict`]).
//!
//! # Casts
//!
//! The instruction's type is the result's; the operand carries its own. `trunc` narrows (with `nuw`, `nsw`: poison if
//! the value changes), `zext` and `sext` widen (`zext nneg` and `uitofp nneg`: a negative operand gives poison).
//! `fptoui` and `fptosi` round to zero and give poison if the result does not fit; `…_sat` clamp and give 0 for NaN.
//! `uitofp`, `sitofp`, `fptrunc` round to nearest even. `ptrtoint` and `inttoptr` cut or zero-extend. `bitcast` keeps
//! the bits between types of the same size.
//!
//! # Memory
//!
//! Byte-addressed. A load or store of a type touches its bits rounded up to bytes, in the byte order of the data
//! layout; stores write zeros into the padding bits of the last byte, loads of odd widths rely on them. Access
//! outside of a live object, through a null pointer, or to an address that is not aligned as the flags say is undefined
//! behavior. Volatile accesses are neither removed, added nor merged. `ptr_add` adds bytes and wraps; it may leave the
//! object. `ptr_index` adds a multiple. `mem_copy` ranges are equal or disjoint; a length of 0 touches nothing.
//! Stack slots and `stack_alloc` memory hold undef at first and live until the function returns (`stack_restore` ends
//! the `stack_alloc`s since its `stack_save`). Atomic accesses follow C11; `cmpxchg` compares bits.
//!
//! # Calls and control
//!
//! A call passes what its own signature says; calling a function whose signature passes values differently, which
//! overwrites registers that the call's signature `keeps`, or which does not exist, is undefined behavior. `byval`
//! parameters receive a copy. Variable arguments are those after `fixed_params`. Inline assembly is called as a
//! constant with the flag `inline_asm`; a text with label constraints has one more result, an `i32`: the number of the
//! label that it jumps to, counted from 1, or 0. `branch` goes to the first target if its condition is true. `switch`
//! cases are distinct constants. `unreachable`, and reaching `trap`, end the program; the first is undefined behavior.
//! `invoke` goes to the unwind target if the callee unwinds; that block begins (after its phis) with its only
//! `landing_pad`. A block that nothing leads to may have one, too. `indirect_jump` goes to one of its targets.
//!
//! # Hooks
//!
//! `hook_call` and `reading_hook_call` call a symbol that returns nothing: a tool's code, which is no part of the
//! program. That of a `hook_call` neither reads nor writes memory of the program, that of a `reading_hook_call` may
//! read it. Neither unwinds. They are executed as often as their places are, also where nothing else is left there.
//!
//! # Debug information
//!
//! It stands beside the code and means nothing for it. Locations and values of variables name what there is; values
//! stand in the order of the instructions before which they hold, and their operands count as no uses and need not
//! dominate anything.
//!
//! # What is checked
//!
//! All of the above that is a matter of form, and of types. [`verify_module`] checks what stands outside of functions.

mod constants;
mod debug;
mod dominance;
mod inst_types;
mod module;
mod operands;
mod structure;
#[cfg(test)]
mod tests;

pub use module::verify_module;

use crate::cfg::Cfg;
use crate::entities::{Block, Inst};
use crate::function::Function;
use crate::module::Module;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The function's name; empty for what stands outside of functions.
    pub function: String,
    pub block: Option<Block>,
    /// The instruction with the name of its opcode.
    pub inst: Option<(Inst, &'static str)>,
    /// Which rule, and how it is broken.
    pub message: String,
}

impl std::fmt::Display for VerifyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.function.is_empty() {
            write!(f, "function {}: ", self.function)?;
        }
        if let Some(block) = self.block {
            write!(f, "{block:?}: ")?;
        }
        if let Some((inst, name)) = self.inst {
            write!(f, "{inst:?} ({name}): ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for VerifyError {}

/// No more errors than this are collected for a function.
const MOST_ERRORS: usize = 50;

/// Checks a function. Its [`Function::cfg`] is not read; the graph is computed anew.
///
/// # Errors
/// Every broken rule found, up to a limit; later rules are checked only if those hold that they rely on.
pub fn verify_function(module: &Module, function: &Function) -> Result<(), Vec<VerifyError>> {
    let mut verifier = Verifier {
        module,
        function,
        cfg: Cfg::default(),
        block: None,
        inst: None,
        errors: Vec::new(),
    };
    verifier.structure();
    if verifier.errors.is_empty() {
        verifier.cfg.compute(function);
        verifier.graph();
        verifier.constants();
        verifier.types();
        verifier.use_counts();
        verifier.debug();
    }
    if verifier.errors.is_empty() {
        verifier.dominance();
    }
    if verifier.errors.is_empty() {
        Ok(())
    } else {
        Err(verifier.errors)
    }
}

/// The state of a verification: where it is, and what it found.
struct Verifier<'a> {
    module: &'a Module,
    function: &'a Function,
    cfg: Cfg,
    block: Option<Block>,
    inst: Option<Inst>,
    errors: Vec<VerifyError>,
}

impl Verifier<'_> {
    fn error(&mut self, message: impl Into<String>) {
        if self.errors.len() >= MOST_ERRORS {
            return;
        }
        let name = self
            .function
            .symbol
            .map(|symbol| self.module.display_name(symbol).into_owned());
        self.errors.push(VerifyError {
            function: name.unwrap_or_else(|| "without a name".to_owned()),
            block: self.block,
            inst: self.inst.map(|inst| (inst, self.function.inst(inst).op.name())),
            message: message.into(),
        });
    }

    /// Records a broken rule unless it holds.
    fn check(&mut self, holds: bool, message: &str) {
        if !holds {
            self.error(message);
        }
    }

    fn too_many(&self) -> bool {
        self.errors.len() >= MOST_ERRORS
    }
}
