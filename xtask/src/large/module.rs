//! The module: functions of megabytes that jump and call far, in LLVM's text, and what they return.
//!
//! A function has [`BLOCKS`] blocks. It begins in the one that its argument names, goes through [`STEPS`] of them, each
//! of which changes the number that is carried along and decides by it whether the next one or the one half a function
//! away follows. Then it calls the function that is as far from the module's end as itself from its beginning, until
//! the depth is used up. Between the branches are sums of long vectors, which are much code of little text, and change
//! nothing but a variable.

use std::fmt::Write as _;

/// Blocks of a function; a power of two.
const BLOCKS: u64 = 64;

/// The type of what is computed between the branches.
const VECTOR: &str = "<64 x i64>";

/// How many blocks one call goes through.
const STEPS: u64 = 6;

/// How deep calls go.
const DEPTH: u64 = 3;

/// The factor of a well-known generator of random numbers (Knuth, MMIX).
const FACTOR: u64 = 6_364_136_223_846_793_005;

/// So many functions with so much code.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub functions: u64,
    /// Pairs of operations on vectors in each block.
    pub operations: u64,
}

impl Shape {
    /// The module's text, without what names the machine. `main` calls each function and prints what it returns.
    pub fn text(&self) -> String {
        let mut out = String::new();
        put(&mut out, format_args!("@wide = global {VECTOR} zeroinitializer\n"));
        out += "@format = constant [6 x i8] c\"%llx\\0A\\00\"\ndeclare i32 @printf(ptr, ...)\n";
        for function in 0..self.functions {
            self.put_function(function, &mut out);
        }
        out += "define i32 @main() {\n";
        for function in 0..self.functions {
            put(
                &mut out,
                format_args!(
                    "  %r{function} = call i64 @f{function}(i64 {}, i64 {DEPTH})\n  \
                 call i32 (ptr, ...) @printf(ptr @format, i64 %r{function})\n",
                    argument(function)
                ),
            );
        }
        out += "  ret i32 0\n}\n";
        out
    }

    /// What the program prints.
    pub fn output(&self) -> String {
        let results = (0..self.functions).map(|function| self.result(function, argument(function), DEPTH));
        results.map(|result| format!("{result:x}\n")).collect()
    }

    /// What a function returns.
    fn result(&self, function: u64, argument: u64, depth: u64) -> u64 {
        let (mut value, mut block) = (argument, argument % BLOCKS);
        for _ in 0..STEPS {
            value = value.wrapping_mul(FACTOR).wrapping_add(summand(function, block));
            let is_far = value >> 63 == 1;
            block = if is_far { far(block) } else { next(block) };
        }
        match depth {
            0 => value,
            _ => value.wrapping_add(self.result(self.callee(function), value, depth - 1)),
        }
    }

    /// The function that a function calls.
    fn callee(&self, function: u64) -> u64 {
        self.functions - 1 - function
    }

    fn put_function(&self, function: u64, out: &mut String) {
        put(
            out,
            format_args!("define i64 @f{function}(i64 %x, i64 %depth) noinline {{\nentry:\n"),
        );
        put(
            out,
            format_args!("  %way = and i64 %x, {}\n  switch i64 %way, label %b0 [\n", BLOCKS - 1),
        );
        for block in 1..BLOCKS {
            put(out, format_args!("    i64 {block}, label %b{block}\n"));
        }
        *out += "  ]\n";
        for block in 0..BLOCKS {
            self.put_block(function, block, out);
        }
        let results: Vec<String> = (0..BLOCKS).map(|block| format!("[ %w{block}, %b{block} ]")).collect();
        put(
            out,
            format_args!(
                "last:\n  %r = phi i64 {}\n  %done = icmp eq i64 %depth, 0\n  \
             br i1 %done, label %return, label %call\n\
             call:\n  %less = sub i64 %depth, 1\n  %c = call i64 @f{}(i64 %r, i64 %less)\n  \
             %sum = add i64 %c, %r\n  ret i64 %sum\n\
             return:\n  ret i64 %r\n}}\n",
                results.join(", "),
                self.callee(function)
            ),
        );
    }

    /// A block, and the two that decide which one follows.
    fn put_block(&self, function: u64, block: u64, out: &mut String) {
        // Half a function away is the same in both directions.
        let (before, far) = ((block + BLOCKS - 1) % BLOCKS, far(block));
        put(
            out,
            format_args!(
                "b{block}:\n  %v{block} = phi i64 [ %x, %entry ], [ %w{far}, %t{far} ], [ %w{before}, %e{before} ]\n  \
             %s{block} = phi i64 [ {STEPS}, %entry ], [ %n{far}, %t{far} ], [ %n{before}, %e{before} ]\n"
            ),
        );
        for number in 0..self.operations {
            let name = format!("{block}.{number}");
            put(
                out,
                format_args!(
                    "  %l{name} = load volatile {VECTOR}, ptr @wide\n  %m{name} = add {VECTOR} %l{name}, %l{name}\n  \
                     %k{name} = xor {VECTOR} %l{name}, %m{name}\n  store volatile {VECTOR} %k{name}, ptr @wide\n"
                ),
            );
        }
        put(
            out,
            format_args!(
                "  %p{block} = mul i64 %v{block}, {FACTOR}\n  %w{block} = add i64 %p{block}, {}\n  \
             %n{block} = sub i64 %s{block}, 1\n  %z{block} = icmp eq i64 %n{block}, 0\n  \
             br i1 %z{block}, label %last, label %t{block}\n\
             t{block}:\n  %h{block} = icmp slt i64 %w{block}, 0\n  \
             br i1 %h{block}, label %b{far}, label %e{block}\n\
             e{block}:\n  br label %b{}\n",
                summand(function, block),
                next(block)
            ),
        );
    }
}

/// What `main` gives a function.
fn argument(function: u64) -> u64 {
    function * 7 + 1
}

/// What a block adds to the number.
fn summand(function: u64, block: u64) -> u64 {
    function * BLOCKS + block + 1
}

fn next(block: u64) -> u64 {
    (block + 1) % BLOCKS
}

fn far(block: u64) -> u64 {
    (block + BLOCKS / 2) % BLOCKS
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("strings take all");
}
