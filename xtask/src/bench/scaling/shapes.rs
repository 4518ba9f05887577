//! Functions of any size, as LLVM text: the shapes that compilers are slow for when something in them grows faster than
//! its input.
//!
//! Every shape is a function `i64 @f(ptr %p, i64 %n)`. `%p` points to [`MEMORY_WORDS`] integers; `i64 @g(i64, i64)` may
//! be called. Loops run `%n` times, and so do the loops in them, so that only 1 is a sensible number for nests. The
//! same shape and size always give the same text. It is written as it is made: a million instructions are 40 MB, and
//! what this program keeps in memory is counted for those that it starts.

use std::io::{Result, Write};

use frazil_test_support::Random;

/// How many 64-bit integers the functions read and write.
pub const MEMORY_WORDS: u64 = 1024;

/// A kind of function.
#[derive(Debug)]
pub struct Shape {
    /// In tables and file names.
    pub name: &'static str,
    /// What grows in it.
    pub summary: &'static str,
    write: fn(&mut Body<'_>, usize) -> Result<()>,
}

pub const SHAPES: [Shape; 11] = [
    Shape {
        name: "straight-line",
        summary: "one block",
        write: straight_line,
    },
    Shape {
        name: "many-blocks",
        summary: "branches that meet again, and a common way out",
        write: many_blocks,
    },
    Shape {
        name: "deep-loops",
        summary: "loops nested as deep as the root of the size, such nests one after another",
        write: deep_loops,
    },
    Shape {
        name: "huge-switch",
        summary: "one switch, half of it dense, with a block for each case, all of which meet in a phi",
        write: huge_switch,
    },
    Shape {
        name: "many-phis",
        summary: "a loop that rotates its phis, and blocks of 16 phis",
        write: many_phis,
    },
    Shape {
        name: "many-live",
        summary: "values that are all computed before any is used",
        write: many_live,
    },
    Shape {
        name: "switch-loop",
        summary: "a switch in a loop, whose cases change some of 20 variables",
        write: switch_loop,
    },
    Shape {
        name: "many-calls",
        summary: "calls, each of which is given what the one before it has returned",
        write: many_calls,
    },
    Shape {
        name: "landing-pads",
        summary: "calls that may throw, each with a landing pad of its own",
        write: landing_pads,
    },
    Shape {
        name: "stack-slots",
        summary: "variables in memory that stay there",
        write: stack_slots,
    },
    Shape {
        name: "many-functions",
        summary: "a module of functions of six instructions",
        write: many_functions,
    },
];

impl Shape {
    /// Writes a module with a function of about `size` instructions.
    pub fn write(&self, size: usize, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "target triple = \"x86_64-pc-linux-gnu\"\n")?;
        writeln!(
            out,
            "declare i64 @g(i64, i64)\ndeclare i32 @__gcc_personality_v0(...)\n"
        )?;
        writeln!(
            out,
            "define i64 @f(ptr %p, i64 %n) personality ptr @__gcc_personality_v0 {{\nentry:"
        )?;
        let mut body = Body {
            out,
            random: Random::new(1),
            instructions: 0,
            names: 0,
        };
        (self.write)(&mut body, size)?;
        writeln!(out, "}}")
    }
}

/// The function that is being written.
struct Body<'a> {
    out: &'a mut dyn Write,
    random: Random,
    instructions: usize,
    names: usize,
}

impl Body<'_> {
    /// A name that nothing has yet.
    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn block(&mut self, label: &str) -> Result<()> {
        writeln!(self.out, "{label}:")
    }

    /// Writes an instruction without a result.
    fn effect(&mut self, text: &str) -> Result<()> {
        self.instructions += 1;
        writeln!(self.out, "  {text}")
    }

    /// Writes an instruction and returns its result.
    fn define(&mut self, text: &str) -> Result<String> {
        let name = self.name();
        self.define_as(&name, text)?;
        Ok(format!("%{name}"))
    }

    /// Writes an instruction whose result has a name that was used before.
    fn define_as(&mut self, name: &str, text: &str) -> Result<()> {
        self.effect(&format!("%{name} = {text}"))
    }

    /// An operation on integers that nothing folds away.
    fn operation(&mut self, left: &str, right: &str) -> Result<String> {
        let operation = ["add", "sub", "xor", "mul", "or", "and"][self.random.below(6)];
        self.define(&format!("{operation} i64 {left}, {right}"))
    }

    fn place(&mut self) -> Result<String> {
        let index = self.random.below(MEMORY_WORDS as usize);
        self.define(&format!("getelementptr i64, ptr %p, i64 {index}"))
    }

    fn load(&mut self) -> Result<String> {
        let place = self.place()?;
        self.define(&format!("load i64, ptr {place}"))
    }

    fn store(&mut self, value: &str) -> Result<()> {
        let place = self.place()?;
        self.effect(&format!("store i64 {value}, ptr {place}"))
    }

    fn jump(&mut self, label: &str) -> Result<()> {
        self.effect(&format!("br label %{label}"))
    }

    fn branch(&mut self, left: &str, right: &str, if_less: &str, otherwise: &str) -> Result<()> {
        let condition = self.define(&format!("icmp ult i64 {left}, {right}"))?;
        self.effect(&format!("br i1 {condition}, label %{if_less}, label %{otherwise}"))
    }

    fn phi(&mut self, sources: &[(&str, &str)]) -> Result<String> {
        let name = self.name();
        self.phi_as(&name, sources)?;
        Ok(format!("%{name}"))
    }

    fn phi_as(&mut self, name: &str, sources: &[(&str, &str)]) -> Result<()> {
        let sources = sources
            .iter()
            .map(|(value, block)| (value.to_string(), block.to_string()));
        self.long_phi(name, sources)
    }

    /// A phi with so many sources that they are made one by one.
    fn long_phi(&mut self, name: &str, sources: impl Iterator<Item = (String, String)>) -> Result<()> {
        self.instructions += 1;
        write!(self.out, "  %{name} = phi i64")?;
        for (index, (value, block)) in sources.enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(self.out, "{comma} [ {value}, %{block} ]")?;
        }
        writeln!(self.out)
    }
}

fn straight_line(body: &mut Body<'_>, size: usize) -> Result<()> {
    let mut window: Vec<String> = vec!["%n".to_owned()];
    for _ in 0..7 {
        window.push(body.load()?);
    }
    while body.instructions + 16 < size {
        let (left, right) = (body.random.below(8), body.random.below(8));
        let oldest = body.instructions % 8;
        window[oldest] = match body.random.below(8) {
            0 => body.load()?,
            1 => {
                body.store(&window[left])?;
                continue;
            }
            _ => body.operation(&window[left], &window[right])?,
        };
    }
    let mut sum = window[0].clone();
    for value in &window[1..] {
        sum = body.define(&format!("xor i64 {sum}, {value}"))?;
    }
    body.effect(&format!("ret i64 {sum}"))
}

fn many_blocks(body: &mut Body<'_>, size: usize) -> Result<()> {
    const LEAVES: usize = 16;
    let (mut x, mut y) = ("%n".to_owned(), body.load()?);
    let mut number = 0;
    while body.instructions + 8 < size {
        number += 1;
        let (left, right, join) = (format!("l{number}"), format!("r{number}"), format!("j{number}"));
        body.branch(&x, &y, &left, &right)?;
        body.block(&left)?;
        let first = body.operation(&x, &y)?;
        body.jump(&join)?;
        body.block(&right)?;
        let second = format!("s{number}");
        body.define_as(&second, &format!("sub i64 {y}, %n"))?;
        let second = format!("%{second}");
        body.store(&second)?;
        if number % LEAVES == 0 {
            body.branch(&second, "7", "out", &join)?;
        } else {
            body.jump(&join)?;
        }
        body.block(&join)?;
        let met = body.phi(&[(&first, &left), (&second, &right)])?;
        (x, y) = (y, met);
    }
    body.jump("out")?;
    body.block("out")?;
    let leaving = (1..=number / LEAVES).map(|group| (format!("%s{}", group * LEAVES), format!("r{}", group * LEAVES)));
    body.long_phi("result", leaving.chain([(y, format!("j{number}"))]))?;
    body.effect("ret i64 %result")
}

fn deep_loops(body: &mut Body<'_>, size: usize) -> Result<()> {
    /// How many instructions a loop of a nest has.
    const EACH_LOOP: usize = 9;
    let mut sum = "%n".to_owned();
    let mut before = "entry".to_owned();
    let deepest = size.isqrt();
    let mut nest = 0;
    // The last nest fills up what others leave: the sizes of two inputs have the ratio that was asked for.
    while body.instructions + EACH_LOOP < size {
        nest += 1;
        let depth = deepest.min((size - body.instructions) / EACH_LOOP);
        (sum, before) = loop_nest(body, nest, depth, sum, before)?;
    }
    body.effect(&format!("ret i64 {sum}"))
}

/// Loops in loops, written from outside to the inside and back. Returns the sum after them and the block it is in.
fn loop_nest(
    body: &mut Body<'_>,
    nest: usize,
    depth: usize,
    mut sum: String,
    mut before: String,
) -> Result<(String, String)> {
    let mut open = Vec::new();
    let invariant = body.load()?;
    for level in 0..depth {
        let head = format!("head{nest}.{level}");
        body.jump(&head)?;
        body.block(&head)?;
        let (counter, next, total, next_total) = (body.name(), body.name(), body.name(), body.name());
        let latch = format!("latch{nest}.{level}");
        body.phi_as(&counter, &[("0", &before), (&format!("%{next}"), &latch)])?;
        body.phi_as(&total, &[(&sum, &before), (&format!("%{next_total}"), &latch)])?;
        sum = body.operation(&format!("%{total}"), &format!("%{counter}"))?;
        open.push((head.clone(), latch, counter, next, next_total));
        before = head;
    }
    while let Some((head, latch, counter, next, next_total)) = open.pop() {
        body.jump(&latch)?;
        body.block(&latch)?;
        body.define_as(&next_total, &format!("xor i64 {sum}, {invariant}"))?;
        body.define_as(&next, &format!("add i64 %{counter}, 1"))?;
        let after = format!("after.{latch}");
        body.branch(&format!("%{next}"), "%n", &head, &after)?;
        body.block(&after)?;
        sum = format!("%{next_total}");
        before = after;
    }
    Ok((sum, before))
}

fn huge_switch(body: &mut Body<'_>, size: usize) -> Result<()> {
    let cases = size / 6;
    let selector = body.load()?;
    body.effect(&format!("switch i64 {selector}, label %other ["))?;
    for case in 0..cases {
        let value = if case < cases / 2 { case } else { case * 1_000_003 };
        writeln!(body.out, "    i64 {value}, label %c{case}")?;
    }
    writeln!(body.out, "  ]")?;
    for case in 0..cases {
        body.block(&format!("c{case}"))?;
        let value = body.load()?;
        let value = body.operation(&value, "%n")?;
        body.define_as(&format!("m{case}"), &format!("xor i64 {value}, {selector}"))?;
        body.jump("join")?;
    }
    body.block("other")?;
    body.jump("join")?;
    body.block("join")?;
    let sources = (0..cases).map(|case| (format!("%m{case}"), format!("c{case}")));
    body.long_phi("result", sources.chain([("%n".to_owned(), "other".to_owned())]))?;
    body.effect("ret i64 %result")
}

fn many_phis(body: &mut Body<'_>, size: usize) -> Result<()> {
    const WIDTH: usize = 16;
    body.jump("head")?;
    body.block("head")?;
    rotate(body, size / 8 / 4 * 4)?;
    body.block("start")?;
    let mut values: Vec<String> = (0..WIDTH).map(|index| format!("%q{index}")).collect();
    let mut before = "start".to_owned();
    let mut number = 0;
    while body.instructions + 2 * WIDTH + 8 < size {
        number += 1;
        let (other, join) = (format!("o{number}"), format!("j{number}"));
        body.branch(&values[0], &values[1], &other, &join)?;
        body.block(&other)?;
        let changed = body.operation(&values[2], &values[3])?;
        body.jump(&join)?;
        body.block(&join)?;
        let mut merged = Vec::new();
        for (index, value) in values.iter().enumerate() {
            let moved = if index == 0 {
                &changed
            } else {
                &values[(index + 5) % WIDTH]
            };
            merged.push(body.phi(&[(value, &before), (moved, &other)])?);
        }
        values = merged;
        before = join;
    }
    let mut sum = values[0].clone();
    for value in &values[1..] {
        sum = body.define(&format!("xor i64 {sum}, {value}"))?;
    }
    body.effect(&format!("ret i64 {sum}"))
}

/// A loop of one block, `head`, that is left to `start`. Of its `count` phis `%p0`, `%p1`, ..., half change places in
/// pairs, a quarter go around in one cycle, and a quarter get one of the sums `%q0`, `%q1`, ...: one parallel move of
/// them all.
fn rotate(body: &mut Body<'_>, count: usize) -> Result<()> {
    body.phi_as("counter", &[("0", "entry"), ("%next", "head")])?;
    for index in 0..count {
        let source = match index % 4 {
            0 => format!("%p{}", index + 1),
            1 => format!("%p{}", index - 1),
            2 => format!("%p{}", (index + 4) % count),
            _ => format!("%q{}", (index + 4) % count),
        };
        body.phi_as(
            &format!("p{index}"),
            &[(&index.to_string(), "entry"), (&source, "head")],
        )?;
    }
    for index in 0..count {
        body.define_as(
            &format!("q{index}"),
            &format!("add i64 %p{index}, %p{}", (index + 2) % count),
        )?;
    }
    body.define_as("next", "add i64 %counter, 1")?;
    body.branch("%next", "%n", "head", "start")
}

fn many_live(body: &mut Body<'_>, size: usize) -> Result<()> {
    const BLOCK: usize = 64;
    let count = size / 4;
    for index in 0..count {
        if index % BLOCK == 0 {
            let label = format!("make{index}");
            body.jump(&label)?;
            body.block(&label)?;
        }
        let loaded = body.load()?;
        body.define_as(&format!("kept{index}"), &format!("xor i64 {loaded}, %n"))?;
    }
    let mut sum = "%n".to_owned();
    for index in (0..count).rev() {
        if index % BLOCK == 0 {
            let label = format!("use{index}");
            body.jump(&label)?;
            body.block(&label)?;
        }
        sum = body.define(&format!("add i64 {sum}, %kept{index}"))?;
    }
    body.effect(&format!("ret i64 {sum}"))
}

fn switch_loop(body: &mut Body<'_>, size: usize) -> Result<()> {
    const VARIABLES: usize = 20;
    let cases = size.saturating_sub(3 * VARIABLES) / 5;
    for index in 0..VARIABLES {
        body.define_as(&format!("variable{index}"), "alloca i64")?;
        body.effect(&format!("store i64 {index}, ptr %variable{index}"))?;
    }
    body.jump("head")?;
    body.block("head")?;
    body.phi_as("counter", &[("0", "entry"), ("%next", "latch")])?;
    let selector = body.load()?;
    body.effect(&format!("switch i64 {selector}, label %latch ["))?;
    for case in 0..cases {
        writeln!(body.out, "    i64 {case}, label %c{case}")?;
    }
    writeln!(body.out, "  ]")?;
    for case in 0..cases {
        body.block(&format!("c{case}"))?;
        let [left, right, to] = [0; 3].map(|_| body.random.below(VARIABLES));
        let left = body.define(&format!("load i64, ptr %variable{left}"))?;
        let right = body.define(&format!("load i64, ptr %variable{right}"))?;
        let result = body.operation(&left, &right)?;
        body.effect(&format!("store i64 {result}, ptr %variable{to}"))?;
        body.jump("latch")?;
    }
    body.block("latch")?;
    body.define_as("next", "add i64 %counter, 1")?;
    body.branch("%next", "%n", "head", "out")?;
    body.block("out")?;
    let mut sum = "%n".to_owned();
    for index in 0..VARIABLES {
        let value = body.define(&format!("load i64, ptr %variable{index}"))?;
        sum = body.define(&format!("xor i64 {sum}, {value}"))?;
    }
    body.effect(&format!("ret i64 {sum}"))
}

fn many_calls(body: &mut Body<'_>, size: usize) -> Result<()> {
    let mut result = body.load()?;
    while body.instructions + 2 < size {
        result = body.define(&format!("call i64 @g(i64 {result}, i64 %n)"))?;
    }
    body.effect(&format!("ret i64 {result}"))
}

fn landing_pads(body: &mut Body<'_>, size: usize) -> Result<()> {
    let mut result = body.load()?;
    let mut number = 0;
    while body.instructions + 4 < size {
        number += 1;
        let (next, pad) = (format!("next{number}"), format!("pad{number}"));
        let call = format!("invoke i64 @g(i64 {result}, i64 %n) to label %{next} unwind label %{pad}");
        let called = body.define(&call)?;
        body.block(&pad)?;
        let caught = body.define("landingpad { ptr, i32 } cleanup")?;
        body.store(&result)?;
        body.effect(&format!("resume {{ ptr, i32 }} {caught}"))?;
        body.block(&next)?;
        result = called;
    }
    body.effect(&format!("ret i64 {result}"))
}

fn stack_slots(body: &mut Body<'_>, size: usize) -> Result<()> {
    let count = size / 4;
    for index in 0..count {
        body.define_as(&format!("slot{index}"), "alloca i64")?;
    }
    let mut sum = "%n".to_owned();
    for index in 0..count {
        body.effect(&format!("store volatile i64 {sum}, ptr %slot{index}"))?;
        let other = body.random.below(index + 1);
        let value = body.define(&format!("load volatile i64, ptr %slot{other}"))?;
        sum = body.define(&format!("add i64 {value}, {index}"))?;
    }
    body.effect(&format!("ret i64 {sum}"))
}

fn many_functions(body: &mut Body<'_>, size: usize) -> Result<()> {
    const EACH: usize = 6;
    let first = body.define("call i64 @f0(ptr %p, i64 %n)")?;
    body.effect(&format!("ret i64 {first}"))?;
    for number in 0..size / EACH {
        writeln!(body.out, "}}\n\ndefine i64 @f{number}(ptr %p, i64 %n) {{")?;
        let loaded = body.load()?;
        let result = body.operation(&loaded, "%n")?;
        body.store(&result)?;
        body.effect(&format!("ret i64 {result}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_about_the_size_that_was_asked_for_and_grow_like_it() {
        for shape in &SHAPES {
            let counts = [10_000, 30_000].map(|size| {
                let mut text = Vec::new();
                shape.write(size, &mut text).unwrap();
                let text = String::from_utf8(text).unwrap();
                let instructions = text
                    .lines()
                    .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
                    .count();
                let off = (instructions as f64 / size as f64 - 1.0).abs();
                assert!(off < 0.2, "{} of {size}: {instructions} instructions", shape.name);
                instructions as f64
            });
            let growth = counts[1] / counts[0];
            assert!((growth - 3.0).abs() < 0.03, "{}: {growth} times", shape.name);
        }
    }
}
