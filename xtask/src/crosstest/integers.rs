//! Programs with integers of every width, whose text a generator makes: `crosstest --integers N`.
//!
//! Each program is a module of LLVM's text form with functions of two 64-bit numbers. A function computes with integers
//! of widths up to 1024 bits, most of them beyond 64, through branches, memory and calls with such arguments, and
//! returns a mixture of its last values; `main` prints what the functions return. Nothing is undefined: divisors are
//! not zero, distances of shifts are less than the width, and floats are in range.
//!
//! Left out is what llc-22 refuses itself: funnel shifts of more than 128 bits whose width is no power of two (of which
//! it takes a remainder), and
//! saturating conversions from floats to so many bits; and where the machine's library has no functions for them, all
//! conversions of such integers, divisions of 65 to 128 bits, which are done with more bits then, and funnel shifts of
//! more than 64 bits.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use frazil_test_support::Random;

use crate::machine;

use super::generated::{Build, Generator, Language, POSITION_INDEPENDENT, entry};

/// Functions of a program, and operations of a function.
const FUNCTIONS: usize = 4;
const OPERATIONS: usize = 24;
/// Bits of the widest integers that are converted to doubles and back, which have numbers of up to 1024 bits.
const MOST_CONVERTED_BITS: u32 = 902;
/// Widths up to which divisions are one instruction or a library's function, and those up to which they are the latter
/// where the machine's library has one; llc-22 calls it wherever.
const MOST_BITS_OF_WORDS: u32 = 64;
const MOST_BITS_OF_LIBRARY: u32 = 128;
/// The arguments with which each function is called.
const ARGUMENTS: [(i64, i64); 4] = [(0, 0), (1, -1), (0x0123_4567_89ab_cdef, -1000), (i64::MIN, 77)];

/// Its programs print what their functions return.
pub const GENERATOR: Generator = Generator {
    name: "integers",
    option: "--integers",
    language: Language::Llvm,
    source,
    builds: &[Build::ASSEMBLED],
    host_part: None,
    functions: FUNCTIONS,
};

/// How wide integers are at most that llc-22 divides without steps of its own.
fn most_divided_bits() -> u32 {
    if has_library() {
        MOST_BITS_OF_LIBRARY
    } else {
        MOST_BITS_OF_WORDS
    }
}

/// Whether the machine's library has functions for integers of 128 bits.
fn has_library() -> bool {
    machine::current().widest_converted_bits >= MOST_BITS_OF_LIBRARY
}

fn source(seed: u64) -> String {
    Maker::new(seed).program()
}

/// A value of the function that is made: its name and its width.
#[derive(Clone)]
struct Value {
    name: String,
    bits: u32,
}

struct Maker {
    random: Random,
    /// With what the names of the program begin.
    entry: String,
    body: String,
    values: Vec<Value>,
    next: usize,
    declarations: BTreeSet<String>,
    callees: BTreeSet<u32>,
}

impl Maker {
    fn new(seed: u64) -> Maker {
        Maker {
            random: Random::new(seed),
            entry: entry(seed),
            body: String::new(),
            values: Vec::new(),
            next: 0,
            declarations: BTreeSet::new(),
            callees: BTreeSet::new(),
        }
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.random.below(limit as usize) as u32
    }

    fn program(mut self) -> String {
        let entry = self.entry.clone();
        let mut functions = String::new();
        for number in 0..FUNCTIONS {
            functions += &self.function(number);
        }
        for bits in std::mem::take(&mut self.callees) {
            functions += &callee(bits, &entry);
        }
        let mut text = machine::current().module_head() + POSITION_INDEPENDENT;
        text.push_str("\n@text = private constant [9 x i8] c\"%016llx\\0a\\00\"\ndeclare i32 @printf(ptr, ...)\n");
        for declaration in &self.declarations {
            let _ = writeln!(text, "declare {declaration}");
        }
        text += &functions;
        let _ = writeln!(text, "define i32 @{entry}() {{");
        for number in 0..FUNCTIONS {
            for (index, (x, y)) in ARGUMENTS.iter().enumerate() {
                let name = format!("%r{number}.{index}");
                let _ = writeln!(text, "  {name} = call i64 @{entry}.f{number}(i64 {x}, i64 {y})");
                let _ = writeln!(
                    text,
                    "  %p{number}.{index} = call i32 (ptr, ...) @printf(ptr @text, i64 {name})"
                );
            }
        }
        text += "  ret i32 0\n}\n";
        text
    }

    fn function(&mut self, number: usize) -> String {
        self.body.clear();
        self.next = 0;
        self.values = ["%x", "%y"]
            .map(|name| Value {
                name: name.to_owned(),
                bits: 64,
            })
            .to_vec();
        for _ in 0..OPERATIONS {
            self.operation();
        }
        let mut hash = self.values[0].clone();
        for value in self.values.split_off(self.values.len().saturating_sub(6)) {
            for part in (0..value.bits).step_by(64) {
                let moved = self.emit(value.bits, &format!("lshr i{} {}, {part}", value.bits, value.name));
                let word = self.resized(&moved, 64, "zext");
                let mixed = self.emit(64, &format!("mul i64 {}, 6364136223846793005", hash.name));
                hash = self.emit(64, &format!("add i64 {}, {}", mixed.name, word.name));
            }
        }
        format!(
            "define i64 @{}.f{number}(i64 %x, i64 %y) {{\nentry:\n{}  ret i64 {}\n}}\n",
            self.entry, self.body, hash.name
        )
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    fn emit(&mut self, bits: u32, text: &str) -> Value {
        let name = self.fresh();
        let _ = writeln!(self.body, "  {name} = {text}");
        Value { name, bits }
    }

    /// The value in another width.
    fn resized(&mut self, value: &Value, bits: u32, widen: &str) -> Value {
        let cast = match bits.cmp(&value.bits) {
            std::cmp::Ordering::Equal => return value.clone(),
            std::cmp::Ordering::Less => "trunc",
            std::cmp::Ordering::Greater => widen,
        };
        self.emit(bits, &format!("{cast} i{} {} to i{bits}", value.bits, value.name))
    }

    fn width(&mut self) -> u32 {
        match self.below(10) {
            0 => 1 + self.below(64),
            1..3 => 65 + self.below(64),
            3..8 => self.random.pick(&[129, 160, 192, 193, 200, 256, 300, 320, 512]),
            8 => 129 + self.below(384),
            _ => 129 + self.below(896),
        }
    }

    /// One of the last values, in a width.
    fn operand(&mut self, bits: u32) -> Value {
        let count = self.values.len() as u32;
        let index = count - 1 - self.below(count.min(8));
        let value = self.values[index as usize].clone();
        let widen = self.random.pick(&["zext", "sext"]);
        self.resized(&value, bits, widen)
    }

    fn operation(&mut self) {
        let bits = self.width();
        let a = self.operand(bits);
        let b = self.operand(bits);
        let value = match self.below(12) {
            0..3 => {
                let op = self.random.pick(&["add", "sub", "mul", "and", "or", "xor"]);
                self.emit(bits, &format!("{op} i{bits} {}, {}", a.name, b.name))
            }
            3 => self.division(&a, &b),
            4 => self.shift(&a, &b),
            5 => self.comparison(&a, &b),
            6 => self.intrinsic(&a, &b),
            7 => self.checked(&a, &b),
            8 => self.counted(&a),
            9 => self.through_blocks(&a, &b),
            10 => self.through_memory_and_call(&a, &b),
            _ => self.through_float(&a),
        };
        self.values.push(value);
    }

    fn division(&mut self, a: &Value, b: &Value) -> Value {
        let bits = a.bits;
        let op = self.random.pick(&["udiv", "urem", "sdiv", "srem"]);
        // The smallest number by minus one is out of range.
        // Of constants, llc-22 makes divisions of 128 bits.
        let divisor = if bits < 4 || bits > most_divided_bits() && !has_library() || self.below(2) == 0 {
            let down = self.emit(bits, &format!("lshr i{bits} {}, {}", b.name, bits / 2));
            self.emit(bits, &format!("or i{bits} {}, 1", down.name))
        } else {
            Value {
                name: self.random.pick(&["3", "5", "7"]).to_owned(),
                bits,
            }
        };
        let dividend = self.emit(bits, &format!("lshr i{bits} {}, {}", a.name, u32::from(bits > 1)));
        if (MOST_BITS_OF_WORDS + 1..=MOST_BITS_OF_LIBRARY).contains(&bits) && !has_library() {
            // Neither is negative.
            let dividend = self.resized(&dividend, 2 * MOST_BITS_OF_LIBRARY, "zext");
            let divisor = self.resized(&divisor, 2 * MOST_BITS_OF_LIBRARY, "zext");
            let wide = self.emit(
                dividend.bits,
                &format!("{op} i{} {}, {}", dividend.bits, dividend.name, divisor.name),
            );
            return self.resized(&wide, bits, "zext");
        }
        self.emit(bits, &format!("{op} i{bits} {}, {}", dividend.name, divisor.name))
    }

    fn distance(&mut self, b: &Value) -> String {
        let bits = b.bits;
        if self.below(2) == 0 {
            return self.below(bits).to_string();
        }
        // Fits the type: the largest power of two that is not above the width, less one.
        let mask = if bits == 1 { 0 } else { (1 << bits.ilog2()) - 1 };
        self.emit(bits, &format!("and i{bits} {}, {mask}", b.name)).name
    }

    fn shift(&mut self, a: &Value, b: &Value) -> Value {
        let bits = a.bits;
        let op = self.random.pick(&["shl", "lshr", "ashr"]);
        let distance = self.distance(b);
        self.emit(bits, &format!("{op} i{bits} {}, {distance}", a.name))
    }

    fn comparison(&mut self, a: &Value, b: &Value) -> Value {
        let bits = a.bits;
        let predicate = self
            .random
            .pick(&["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"]);
        let flag = self.emit(1, &format!("icmp {predicate} i{bits} {}, {}", a.name, b.name));
        let other = self.emit(bits, &format!("xor i{bits} {}, {}", a.name, b.name));
        self.emit(
            bits,
            &format!("select i1 {}, i{bits} {}, i{bits} {}", flag.name, a.name, other.name),
        )
    }

    fn declare(&mut self, result: &str, name: &str, parameters: &str) {
        self.declarations.insert(format!("{result} @{name}({parameters})"));
    }

    fn intrinsic(&mut self, a: &Value, b: &Value) -> Value {
        let bits = a.bits;
        let ty = format!("i{bits}");
        let funnels = bits <= most_divided_bits() || bits.is_power_of_two();
        if funnels && self.below(3) == 0 {
            let name = format!("llvm.{}.{ty}", self.random.pick(&["fshl", "fshr"]));
            self.declare(&ty, &name, &format!("{ty}, {ty}, {ty}"));
            return self.emit(
                bits,
                &format!("call {ty} @{name}({ty} {}, {ty} {}, {ty} {})", a.name, b.name, b.name),
            );
        }
        let names = [
            "smin", "smax", "umin", "umax", "sadd.sat", "uadd.sat", "ssub.sat", "usub.sat",
        ];
        let name = format!("llvm.{}.{ty}", self.random.pick(&names));
        self.declare(&ty, &name, &format!("{ty}, {ty}"));
        self.emit(bits, &format!("call {ty} @{name}({ty} {}, {ty} {})", a.name, b.name))
    }

    fn checked(&mut self, a: &Value, b: &Value) -> Value {
        let bits = a.bits;
        let ty = format!("i{bits}");
        let pair = format!("{{ {ty}, i1 }}");
        let op = self.random.pick(&["sadd", "uadd", "ssub", "usub", "umul", "smul"]);
        let name = format!("llvm.{op}.with.overflow.{ty}");
        self.declare(&pair, &name, &format!("{ty}, {ty}"));
        let both = self.emit(0, &format!("call {pair} @{name}({ty} {}, {ty} {})", a.name, b.name));
        let result = self.emit(bits, &format!("extractvalue {pair} {}, 0", both.name));
        let flag = self.emit(1, &format!("extractvalue {pair} {}, 1", both.name));
        self.emit(
            bits,
            &format!("select i1 {}, {ty} {}, {ty} {}", flag.name, result.name, a.name),
        )
    }

    fn counted(&mut self, a: &Value) -> Value {
        let bits = a.bits;
        let ty = format!("i{bits}");
        let mut names = vec!["ctpop", "bitreverse", "ctlz", "cttz", "abs"];
        if bits.is_multiple_of(16) {
            names.push("bswap");
        }
        let op = self.random.pick(&names);
        let (parameter, argument) = match op {
            "ctlz" | "cttz" | "abs" => (", i1", ", i1 false"),
            _ => ("", ""),
        };
        let name = format!("llvm.{op}.{ty}");
        self.declare(&ty, &name, &format!("{ty}{parameter}"));
        self.emit(bits, &format!("call {ty} @{name}({ty} {}{argument})", a.name))
    }

    /// A branch or a switch, and a phi.
    fn through_blocks(&mut self, a: &Value, b: &Value) -> Value {
        let bits = a.bits;
        let number = self.next;
        let from = format!("from{number}");
        let _ = writeln!(self.body, "  br label %{from}\n{from}:");
        if bits > 8 && self.below(2) == 0 {
            let _ = writeln!(
                self.body,
                "  switch i{bits} {}, label %then{number} [ i{bits} 0, label %else{number} i{bits} -1, label %else{number} ]",
                a.name
            );
        } else {
            let flag = self.emit(1, &format!("icmp ugt i{bits} {}, {}", a.name, b.name));
            let _ = writeln!(
                self.body,
                "  br i1 {}, label %then{number}, label %else{number}",
                flag.name
            );
        }
        let _ = writeln!(self.body, "then{number}:");
        let quotient = self.division(a, b);
        let _ = writeln!(
            self.body,
            "  br label %join{number}\nelse{number}:\n  br label %join{number}\njoin{number}:"
        );
        self.emit(
            bits,
            &format!(
                "phi i{bits} [ {}, %then{number} ], [ {}, %else{number} ]",
                quotient.name, b.name
            ),
        )
    }

    /// Stored, loaded again, and passed to a function in all the registers that it needs.
    fn through_memory_and_call(&mut self, a: &Value, b: &Value) -> Value {
        let bits = a.bits;
        let slot = self.emit(64, &format!("alloca i{bits}"));
        let _ = writeln!(self.body, "  store i{bits} {}, ptr {}", a.name, slot.name);
        let loaded = self.emit(bits, &format!("load i{bits}, ptr {}", slot.name));
        self.callees.insert(bits);
        self.emit(
            bits,
            &format!(
                "call i{bits} @{}.g{bits}(i{bits} {}, i32 7, i{bits} {})",
                self.entry, loaded.name, b.name
            ),
        )
    }

    /// To a double, and back to at least as many bits as the double's number has.
    fn through_float(&mut self, a: &Value) -> Value {
        // More than the largest double has are out of range.
        let most = machine::current().widest_converted_bits.min(MOST_CONVERTED_BITS);
        let (to, from) = self.random.pick(&[("sitofp", "fptosi"), ("uitofp", "fptoui")]);
        let narrow = self.resized(a, a.bits.min(most - 2), "zext");
        let float = self.emit(0, &format!("{to} i{} {} to double", narrow.bits, narrow.name));
        let wide = narrow.bits + 2;
        let number = self.emit(wide, &format!("{from} double {} to i{wide}", float.name));
        self.resized(&number, a.bits, "zext")
    }
}

/// A function with integers of a width as arguments and result.
fn callee(bits: u32, entry: &str) -> String {
    format!(
        "define i{bits} @{entry}.g{bits}(i{bits} %a, i32 %n, i{bits} %b) noinline {{\n  \
         %s = sub i{bits} %b, %a\n  %m = xor i{bits} %s, -1\n  ret i{bits} %m\n}}\n"
    )
}
