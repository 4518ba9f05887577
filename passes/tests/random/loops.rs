//! Random functions of nested loops that compute with their counters and access memory by computed addresses.

use super::Random;
use std::fmt::Write;

/// The text of a function under construction.
struct Writer<'r> {
    random: &'r mut Random,
    text: String,
    /// Numbers of values that the current place may use.
    visible: Vec<usize>,
    /// Pointers to 128 bytes that it may use.
    pointers: Vec<usize>,
    values: usize,
    block: usize,
    blocks: usize,
}

/// A function that returns what its loops computed and left in memory.
pub fn nested(random: &mut Random) -> String {
    let mut writer = Writer {
        random,
        text: String::new(),
        visible: vec![4],
        pointers: vec![5],
        values: 7,
        block: 0,
        blocks: 1,
    };
    writer.line("store i64 v4, v5");
    writer.line("mem_set align 8 i64 v6, 3, 128");
    writer.line("mem_set align 8 i64 v5, 7, 128");
    let pointer = writer.define("freeze ptr v6");
    writer.pointers.push(pointer);
    writer.statements(5, 0);
    let last = writer.value();
    let sum = writer.define("load i64 v5");
    let more = writer.load();
    let sum = writer.define(&format!("add i64 v{sum}, {last}"));
    let sum = writer.define(&format!("xor i64 v{sum}, {more}"));
    writer.line(&format!("return v{sum}"));
    let body = &writer.text;
    format!(
        "data @numbers align 8 {{ i64 3 i64 -5 i64 7 i64 11 i64 0 i64 1 i64 2 i64 -1 i64 3 i64 -5 i64 7 i64 11 i64 0 \
         i64 1 i64 2 i64 -1 }}\n\
         func @f(i1, i8, i16, i32, i64) -> i64 {{\n  v5 = slot 128 align 8\n  v6 = slot 128 align 8\nb0:\n{body}}}\n"
    )
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        writeln!(self.text, "  {line}").expect("text grows");
    }

    fn define(&mut self, line: &str) -> usize {
        let value = self.values;
        self.values += 1;
        self.line(&format!("v{value} = {line}"));
        value
    }

    fn number(&mut self, line: &str) {
        let value = self.define(line);
        self.visible.push(value);
    }

    fn value(&mut self) -> String {
        if self.random.below(6) == 0 {
            return (self.random.below(40) as i64 - 8).to_string();
        }
        let from = if self.random.below(2) == 0 {
            self.visible.len().saturating_sub(4)
        } else {
            0
        };
        format!("v{}", self.visible[from + self.random.below(self.visible.len() - from)])
    }

    fn open(&mut self, block: usize) {
        writeln!(self.text, "b{block}:").expect("text grows");
        self.block = block;
    }

    fn new_block(&mut self) -> usize {
        self.blocks += 1;
        self.blocks - 1
    }

    /// An address within one of the objects.
    fn address(&mut self) -> String {
        let known = self.random.below(self.pointers.len() + 1);
        let base = self
            .pointers
            .get(known)
            .map_or("@numbers".to_owned(), |pointer| format!("v{pointer}"));
        if self.random.below(4) == 0 {
            return base;
        }
        let (index, most) = (self.value(), [1, 3, 7][self.random.below(3)]);
        let index = self.define(&format!("and i64 {index}, {most}"));
        let mut address = match self.random.below(4) {
            0 => {
                let index = self.define(&format!("add i64 v{index}, 1"));
                let address = self.define(&format!("ptr_index scale 8 ptr {base}, v{index}"));
                format!("v{}", self.define(&format!("ptr_add ptr v{address}, -8")))
            }
            1 => {
                let bytes = self.define(&format!("shl i64 v{index}, 3"));
                format!("v{}", self.define(&format!("ptr_add ptr {base}, v{bytes}")))
            }
            _ => {
                let scale = if most > 3 { 8 } else { [8, 16, 24][self.random.below(3)] };
                format!(
                    "v{}",
                    self.define(&format!("ptr_index scale {scale} ptr {base}, v{index}"))
                )
            }
        };
        for _ in 0..self.random.below(3) {
            let bytes = 8 * self.random.below(4);
            address = format!("v{}", self.define(&format!("ptr_add ptr {address}, {bytes}")));
        }
        address
    }

    fn load(&mut self) -> String {
        let address = self.address();
        self.number(&format!("load i64 {address}"));
        format!("v{}", self.visible[self.visible.len() - 1])
    }

    fn statements(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        let (a, b) = (self.value(), self.value());
        match self.random.below(14) {
            0..=3 => {
                let op = self.random.pick(&["add", "sub", "mul", "and", "or", "xor", "smax"]);
                self.number(&format!("{op} i64 {a}, {b}"));
            }
            4 => {
                let divisor = self.define(&format!("or i64 {b}, 1"));
                self.number(&format!("udiv i64 {a}, v{divisor}"));
            }
            5 => {
                let (up, down) = [(8, 56), (13, 51), (32, 32)][self.random.below(3)];
                let up = self.define(&format!("shl i64 {a}, {up}"));
                let down = self.define(&format!("lshr i64 {a}, {down}"));
                self.number(&format!("or i64 v{up}, v{down}"));
            }
            6 | 7 => drop(self.load()),
            8 => {
                let address = self.address();
                self.line(&format!("store i64 {a}, {address}"));
                if self.random.below(2) == 0 {
                    self.number(&format!("load i64 {address}"));
                }
            }
            9 => {
                let condition = self.define(&format!("icmp_slt i64 {a}, {b}"));
                self.number(&format!("select i64 v{condition}, {b}, {a}"));
                let other = self.value();
                self.number(&format!("select i64 v{condition}, {other}, {a}"));
            }
            10 | 11 if depth < 3 => self.choice(&a, &b, depth),
            _ if depth < 3 => self.repeat(&a, depth),
            _ => self.number(&format!("add i64 {a}, 1311768467463790320")),
        }
    }

    /// Two arms that meet again.
    fn choice(&mut self, a: &str, b: &str, depth: usize) {
        let masked = self.define(&format!("and i64 {a}, 4"));
        let condition = self.define(&format!("icmp_eq i64 v{masked}, 0"));
        let (yes, no) = (self.new_block(), self.new_block());
        let meet = self.new_block();
        self.line(&format!("branch v{condition}, b{yes}, b{no}"));
        let mut columns = Vec::new();
        for way in [yes, no] {
            let outside = (self.visible.clone(), self.pointers.clone());
            self.open(way);
            self.statements(2, depth + 1);
            let value = self.value();
            columns.push(format!("b{}: {value}", self.block));
            self.line(&format!("jump b{meet}"));
            (self.visible, self.pointers) = outside;
        }
        self.open(meet);
        self.number(&format!("phi i64 [{}]", columns.join(", ")));
        self.number(&format!("select i64 v{condition}, {b}, 5"));
    }

    /// A loop with a counter and a sum.
    fn repeat(&mut self, start: &str, depth: usize) {
        let (before, header, after) = (self.block, self.new_block(), self.new_block());
        self.line(&format!("jump b{header}"));
        self.open(header);
        let place = self.text.len();
        let (counter, sum) = (self.values, self.values + 1);
        self.values += 2;
        let outside = (self.visible.clone(), self.pointers.clone());
        self.visible.extend([counter, sum]);
        if self.random.below(3) == 0 {
            let pointer = self.define("ptr_add ptr v5, 0");
            self.pointers.push(pointer);
        }
        self.statements(4, depth + 1);
        let (step, result) = (self.random.below(3) + 1, self.value());
        let next = self.define(&format!("add i64 v{counter}, {step}"));
        let last = self.define(&format!("add i64 v{sum}, {result}"));
        let rounds = self.random.below(5);
        let condition = self.define(&format!("icmp_ult i64 v{next}, {rounds}"));
        self.line(&format!("branch v{condition}, b{header}, b{after}"));
        let latch = self.block;
        let phis = format!(
            "  v{counter} = phi i64 [b{before}: 0, b{latch}: v{next}]\n  v{sum} = phi i64 [b{before}: {start}, b{latch}: v{last}]\n"
        );
        self.text.insert_str(place, &phis);
        (self.visible, self.pointers) = outside;
        self.open(after);
        self.visible.extend([next, last]);
    }
}
