//! Random functions that keep everything in stack slots, as unoptimized code does: with loops, parts of slots, copies,
//! fills, computed places, and pointers that passes cannot follow.

use super::Random;
use std::fmt::Write;

/// Sizes of the slots in bytes; the first two are the accumulator and the fuel that ends loops.
const MOST_SLOTS: usize = 7;

const TYPES: [(&str, usize); 7] = [
    ("i8", 1),
    ("i16", 2),
    ("i32", 4),
    ("f32", 4),
    ("i64", 8),
    ("f64", 8),
    ("ptr", 8),
];

/// The text of a function under construction. Values 0 to 4 are the parameters, the slots follow.
struct Writer<'r> {
    random: &'r mut Random,
    text: String,
    sizes: Vec<usize>,
    /// For each slot, pointers to its start that are values of their own.
    hidden: Vec<Option<usize>>,
    values: usize,
}

/// The first slot's value.
const FIRST_SLOT: usize = 5;

/// A function that returns what it collected from its slots.
pub fn in_slots(random: &mut Random) -> String {
    let mut sizes = vec![8, 4];
    let count = 3 + random.below(MOST_SLOTS - 2);
    sizes.extend((2..count).map(|_| [1, 2, 4, 4, 8, 8, 12, 16, 24][random.below(9)]));
    let mut writer = Writer {
        random,
        text: String::new(),
        hidden: vec![None; sizes.len()],
        values: FIRST_SLOT + sizes.len(),
        sizes,
    };
    writer.function();
    let body = writer.text;
    let data = "data @a align 8 size 24 { \"abcdefghijklmnopqrstuvwx\" }\n";
    format!("{data}func @f(i1, i8, i16, i32, i64) -> (i64, i64) {{\n{body}}}\n")
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        writeln!(self.text, "  {line}").expect("text grows");
    }

    fn define(&mut self, inst: &str) -> usize {
        let value = self.values;
        self.values += 1;
        self.line(&format!("v{value} = {inst}"));
        value
    }

    fn function(&mut self) {
        for slot in 0..self.sizes.len() {
            let size = self.sizes[slot];
            self.line(&format!("v{} = slot {size} align 8", FIRST_SLOT + slot));
        }
        self.text.push_str("b0:\n");
        self.line("store align 8 i64 v4, v5");
        self.line("store align 4 i32 12, v6");
        for slot in 2..self.sizes.len() {
            // What is not initialized here may be read as undef, which is then not compared.
            match self.random.below(8) {
                0 => {}
                1 | 2 if self.sizes[slot] == 4 => self.line(&format!("store i32 v3, v{}", FIRST_SLOT + slot)),
                3 | 4 => self.line(&format!(
                    "mem_copy i64 v{}, @a, {}",
                    FIRST_SLOT + slot,
                    self.sizes[slot]
                )),
                _ => self.line(&format!(
                    "mem_set i64 v{}, {slot}, {}",
                    FIRST_SLOT + slot,
                    self.sizes[slot]
                )),
            }
            if self.random.below(5) == 0 {
                self.hidden[slot] = Some(self.define(&format!("freeze ptr v{}", FIRST_SLOT + slot)));
            }
        }
        let blocks = 1 + self.random.below(7);
        self.line("jump b1");
        for block in 1..=blocks {
            self.block(block, blocks + 1);
        }
        writeln!(self.text, "b{}:", blocks + 1).expect("text grows");
        let first = self.define("load i64 v5");
        let last = self.load();
        self.line(&format!("return v{first}, v{last}"));
    }

    /// A block, which goes forward, or back as long as there is fuel.
    fn block(&mut self, block: usize, end: usize) {
        writeln!(self.text, "b{block}:").expect("text grows");
        for _ in 0..1 + self.random.below(5) {
            self.step();
        }
        let next = block + 1 + self.random.below(end - block);
        match self.random.below(4) {
            0 => self.line(&format!("jump b{next}")),
            1 => {
                let fuel = self.define("load align 4 i32 v6");
                let left = self.define(&format!("sub i32 v{fuel}, 1"));
                self.line(&format!("store align 4 i32 v{left}, v6"));
                let back = 1 + self.random.below(block);
                let is_left = self.define(&format!("icmp_sgt i32 v{left}, 0"));
                self.line(&format!("branch v{is_left}, b{back}, b{next}"));
            }
            2 => self.line(&format!("branch v0, b{next}, b{}", block + 1)),
            _ => {
                let value = self.load();
                let bit = self.define(&format!("and i64 v{value}, 1"));
                let is_odd = self.define(&format!("icmp_ne i64 v{bit}, 0"));
                self.line(&format!("branch v{is_odd}, b{next}, b{}", block + 1));
            }
        }
    }

    fn step(&mut self) {
        match self.random.below(10) {
            0..=3 => {
                let value = self.load();
                let sum = self.define("load align 8 i64 v5");
                let product = self.define(&format!("mul i64 v{sum}, 31"));
                let sum = self.define(&format!("add i64 v{product}, v{value}"));
                self.line(&format!("store align 8 i64 v{sum}, v5"));
            }
            4..=6 => self.store(),
            7 | 8 => self.copy(),
            _ => self.fill(),
        }
    }

    /// A slot with room for so many bytes, and a pointer to a place in it.
    fn place(&mut self, bytes: usize) -> (usize, String) {
        let fitting: Vec<usize> = (0..self.sizes.len())
            .filter(|&slot| slot != 1 && self.sizes[slot] >= bytes)
            .collect();
        let slot = fitting[self.random.below(fitting.len())];
        let room = self.sizes[slot] - bytes;
        let base = match self.hidden[slot] {
            Some(pointer) if self.random.below(2) == 0 => pointer,
            _ => FIRST_SLOT + slot,
        };
        let kind = self.random.below(16);
        if kind == 0 && room >= 4 {
            let bit = self.define("and i64 v4, 1");
            let pointer = self.define(&format!("ptr_index scale 4 ptr v{base}, v{bit}"));
            return (slot, format!("v{pointer}"));
        }
        let offset = match kind {
            1..=4 => self.random.below(room + 1),
            5..=10 => self.random.below(room / 4 + 1) * 4,
            _ => 0,
        };
        if offset == 0 {
            return (slot, format!("v{base}"));
        }
        (
            slot,
            format!("v{}", self.define(&format!("ptr_add ptr v{base}, {offset}"))),
        )
    }

    /// Loads something, as 64 bits.
    fn load(&mut self) -> usize {
        let (ty, bytes) = TYPES[self.random.below(TYPES.len())];
        let (_, place) = self.place(bytes);
        let value = self.define(&format!("load {ty} {place}"));
        match ty {
            "i64" => value,
            "ptr" => self.define(&format!("ptrtoint i64 v{value}")),
            "f64" => self.define(&format!("bitcast i64 v{value}")),
            "f32" => {
                let bits = self.define(&format!("bitcast i32 v{value}"));
                self.define(&format!("zext i64 v{bits}"))
            }
            _ => self.define(&format!("zext i64 v{value}")),
        }
    }

    fn store(&mut self) {
        let (ty, bytes) = TYPES[self.random.below(TYPES.len())];
        let value = match (ty, self.random.below(3)) {
            ("i8", 0) => "v1".to_owned(),
            ("i16", 0) => "v2".to_owned(),
            ("i32", 0) => "v3".to_owned(),
            ("i64", 0) => "v4".to_owned(),
            ("i8" | "i16" | "i32" | "i64", 1) => self.random.below(100).to_string(),
            ("f32", _) => "f32 1.5".to_owned(),
            ("f64", _) => "f64 -2.5".to_owned(),
            ("ptr", _) => ["null", "@a"][self.random.below(2)].to_owned(),
            _ => {
                // Loaded as it is, so that values go from slot to slot.
                let (_, from) = self.place(bytes);
                format!("v{}", self.define(&format!("load {ty} {from}")))
            }
        };
        let (_, place) = self.place(bytes);
        self.line(&format!("store {ty} {value}, {place}"));
    }

    fn copy(&mut self) {
        let bytes = [1, 2, 3, 4, 4, 8, 8, 12, 16][self.random.below(9)];
        if self.sizes.iter().all(|&size| size < bytes) {
            return;
        }
        let (to_slot, to) = self.place(bytes);
        let (op, from) = if self.random.below(4) == 0 {
            ("mem_copy", "@a".to_owned())
        } else {
            let (from_slot, from) = self.place(bytes);
            // Copies within a slot may overlap.
            let op = if from_slot == to_slot { "mem_move" } else { "mem_copy" };
            (op, from)
        };
        self.line(&format!("{op} i64 {to}, {from}, {bytes}"));
    }

    fn fill(&mut self) {
        let bytes = [1, 2, 4, 8][self.random.below(4)];
        let (_, to) = self.place(bytes);
        let byte = ["0", "-1", "7", "v1"][self.random.below(4)];
        self.line(&format!("mem_set i64 {to}, {byte}, {bytes}"));
    }
}
