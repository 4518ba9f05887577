//! One random function of a program of `crosstest --frames`.
//!
//! A function is a chain of actions in the manner of one of several [styles](Style), each of which baits other defects.
//! What is computed on the chain dominates what follows; blocks beside it (early exits, the sides of a branch) take
//! from it, and only a phi gives back. A loop's body is a part of the chain, tested at its end.

use std::fmt::Write as _;

use frazil_test_support::Random;

/// How parameters are passed, in the order of the numbers that the part in C knows them by: type and attribute, and the
/// width of the value.
const KINDS: [(&str, u32); 11] = [
    ("i1", 1),
    ("i8", 8),
    ("i16", 16),
    ("i32", 32),
    ("i64", 64),
    ("i8 zeroext", 8),
    ("i8 signext", 8),
    ("i16 zeroext", 16),
    ("i16 signext", 16),
    ("i1 zeroext", 1),
    ("ptr", 64),
];
const I32: usize = 3;
const I64: usize = 4;
const POINTER: usize = 10;

/// Most parameters: what the part in C passes.
const MOST_PARAMETERS: usize = 8;

/// Widths of what is computed, the common ones more often.
const WIDTHS: [u32; 8] = [8, 16, 32, 32, 32, 64, 64, 64];

/// Memory in the frame; all of it is written before any of it is read.
const LOCAL: &str = "  %local = alloca [8 x i64], align 16
  call void @llvm.memset.p0.i64(ptr %local, i8 5, i64 64, i1 false)
";

/// What may come next on the chain.
#[derive(Clone, Copy, PartialEq)]
enum Action {
    Compute,
    Widen,
    Load,
    LoadGlobal,
    StoreGlobal,
    StoreOut,
    Local,
    Call,
    Touch,
    CallLeaf,
    Float,
    Exit,
    Branch,
    Loop,
}

/// A manner of functions: how many actions they have, and which.
struct Style {
    actions: (usize, usize),
    /// Loads at the start, which live to the end.
    loads: (usize, usize),
    /// How often an early exit comes after the first few actions.
    exits_early: bool,
    /// In front of that exit: what is computed, and then stores to global variables.
    computed: (usize, usize),
    stores: (usize, usize),
    weights: &'static [(Action, usize)],
}

use Action::*;

/// Returns early with what is computed of arguments; calls and what needs registers come later.
const BAIT: Style = Style {
    actions: (5, 14),
    loads: (0, 1),
    exits_early: true,
    computed: (0, 3),
    stores: (0, 1),
    weights: &[
        (Compute, 3),
        (Widen, 4),
        (StoreGlobal, 3),
        (LoadGlobal, 1),
        (Call, 5),
        (CallLeaf, 1),
        (Touch, 1),
        (Exit, 3),
        (Branch, 1),
        (Loop, 1),
    ],
};

/// Holds more values than there are registers, of mixed widths, over calls.
const PRESSURE: Style = Style {
    actions: (20, 50),
    loads: (8, 18),
    exits_early: false,
    computed: (0, 0),
    stores: (0, 0),
    weights: &[
        (Compute, 16),
        (Widen, 8),
        (Load, 2),
        (StoreOut, 2),
        (Call, 2),
        (Float, 1),
        (Branch, 1),
    ],
};

/// Names many global variables.
const GLOBALS: Style = Style {
    actions: (2, 16),
    loads: (0, 0),
    exits_early: true,
    computed: (0, 0),
    stores: (1, 6),
    weights: &[
        (StoreGlobal, 8),
        (LoadGlobal, 4),
        (Compute, 2),
        (Widen, 2),
        (Call, 3),
        (Exit, 3),
        (Branch, 1),
    ],
};

/// A little of everything.
const MIXED: Style = Style {
    actions: (10, 40),
    loads: (0, 10),
    exits_early: false,
    computed: (0, 0),
    stores: (0, 0),
    weights: &[
        (Compute, 8),
        (Widen, 5),
        (Load, 2),
        (LoadGlobal, 2),
        (StoreGlobal, 2),
        (StoreOut, 1),
        (Local, 3),
        (Call, 2),
        (Touch, 1),
        (CallLeaf, 1),
        (Float, 2),
        (Exit, 1),
        (Branch, 2),
        (Loop, 1),
    ],
};

#[derive(Clone)]
struct Value {
    name: String,
    bits: u32,
}

/// A function that is being made.
pub struct Function<'r> {
    random: &'r mut Random,
    /// With what the names of the program begin.
    entry: &'r str,
    number: usize,
    style: &'static Style,
    parameters: Vec<usize>,
    result: usize,
    body: String,
    /// Blocks after the chain.
    exits: String,
    /// The block that is being made.
    block: String,
    values: Vec<Value>,
    next: usize,
    /// How deep blocks beside the chain are nested.
    depth: usize,
    /// Values that are seen at the end.
    kept: Vec<String>,
    has_local: bool,
}

impl<'r> Function<'r> {
    /// A function of a program, with its signature decided.
    pub fn new(random: &'r mut Random, entry: &'r str, number: usize) -> Function<'r> {
        let style = [&BAIT, &BAIT, &PRESSURE, &PRESSURE, &GLOBALS, &MIXED][random.below(6)];
        let parameters = (0..1 + random.below(MOST_PARAMETERS))
            .map(|_| {
                if random.one_in(2) {
                    I32
                } else {
                    random.below(KINDS.len())
                }
            })
            .collect();
        Function {
            style,
            parameters,
            result: if random.one_in(2) { I64 } else { random.below(I64 + 1) },
            random,
            entry,
            number,
            body: String::new(),
            exits: String::new(),
            block: "entry".to_owned(),
            values: Vec::new(),
            next: 0,
            depth: 0,
            kept: Vec::new(),
            has_local: false,
        }
    }

    /// What the part in C must know: four bits for each parameter, and for the result in the highest four.
    pub fn kinds(&self) -> u64 {
        let parameters = self
            .parameters
            .iter()
            .rev()
            .fold(0, |kinds, &kind| kinds << 4 | kind as u64);
        parameters | (self.result as u64) << 60
    }

    /// The function's text.
    pub fn text(mut self) -> String {
        let mut list = Vec::new();
        for (index, &kind) in self.parameters.clone().iter().enumerate() {
            list.push(format!("{} %a{index}", KINDS[kind].0));
            if kind == POINTER {
                let word = self.emit(64, &format!("load i64, ptr %a{index}"));
                self.values.push(word);
            } else {
                self.values.push(Value {
                    name: format!("%a{index}"),
                    bits: KINDS[kind].1,
                });
            }
        }
        for _ in 0..self.between(self.style.loads) {
            self.act(Load);
        }
        if self.style.exits_early {
            for _ in 0..self.between(self.style.computed) {
                let action = self.random.pick(&[Widen, Widen, Compute, StoreGlobal, StoreGlobal]);
                self.act(action);
            }
            for _ in 0..self.between(self.style.stores) {
                self.store_number();
            }
            match self.random.below(3) {
                0 if self.style.stores.1 > 1 => self.refuse(),
                0 | 1 => self.bait(),
                _ => self.act(Exit),
            }
        }
        for _ in 0..self.between(self.style.actions) {
            let action = self.choose();
            self.act(action);
        }
        self.finish();
        let bits = KINDS[self.result].1;
        let local = if self.has_local { LOCAL } else { "" };
        let attributes = self.random.pick(&["", "nounwind ", "noinline nounwind "]);
        format!(
            "define i{bits} @{}.f{}({}) {attributes}{{\nentry:\n{local}{}{}}}\n\n",
            self.entry,
            self.number,
            list.join(", "),
            self.body,
            self.exits
        )
    }

    /// Lets what lives be seen, and returns. What is seen of the first values must be kept over all calls.
    fn finish(&mut self) {
        let first = self.parameters.len() + 6;
        for (place, value) in self.values.clone().into_iter().take(200).enumerate() {
            let is_kept = self.kept.contains(&value.name);
            let chances = match place {
                _ if is_kept || self.style.loads.1 > 8 => 1,
                _ if place < first => 2,
                _ => 4,
            };
            if self.random.one_in(chances) {
                self.store_out(&value, place);
            }
        }
        let result = self.operand(KINDS[self.result].1);
        self.line(&format!("ret i{} {}", result.bits, result.name));
    }

    fn between(&mut self, (least, most): (usize, usize)) -> usize {
        least + self.random.below(most - least + 1)
    }

    fn choose(&mut self) -> Action {
        let sum = self.style.weights.iter().map(|(_, weight)| weight).sum();
        let mut left = self.random.below(sum);
        for &(action, weight) in self.style.weights {
            if left < weight {
                return action;
            }
            left -= weight;
        }
        Compute
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "  {text}");
    }

    fn fresh(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    fn emit(&mut self, bits: u32, text: &str) -> Value {
        let name = format!("%v{}", self.fresh());
        self.line(&format!("{name} = {text}"));
        Value { name, bits }
    }

    fn begin_block(&mut self, label: &str) {
        let _ = writeln!(self.body, "{label}:");
        label.clone_into(&mut self.block);
    }

    /// Some value: one of the last, an early one, or any.
    fn some_value(&mut self) -> Value {
        let count = self.values.len();
        let index = match self.random.below(4) {
            0 => self.random.below(count.min(self.parameters.len() + 4)),
            1 => count - 1 - self.random.below(count.min(6)),
            _ => self.random.below(count),
        };
        self.values[index].clone()
    }

    fn resized(&mut self, value: &Value, bits: u32) -> Value {
        let widen = self.random.pick(&["zext", "sext"]);
        let cast = match bits.cmp(&value.bits) {
            std::cmp::Ordering::Equal => return value.clone(),
            std::cmp::Ordering::Less => "trunc",
            std::cmp::Ordering::Greater => widen,
        };
        self.emit(bits, &format!("{cast} i{} {} to i{bits}", value.bits, value.name))
    }

    fn operand(&mut self, bits: u32) -> Value {
        let same: Vec<usize> = (0..self.values.len())
            .filter(|&index| self.values[index].bits == bits)
            .collect();
        if let Some(index) = self.random.pick_if_any(&same)
            && !self.random.one_in(3)
        {
            return self.values[index].clone();
        }
        let value = self.some_value();
        self.resized(&value, bits)
    }

    fn act(&mut self, action: Action) {
        let bits = self.random.pick(&WIDTHS);
        let value = match action {
            Compute => self.compute(bits),
            Widen => self.widen(),
            Load => {
                let bits = self.random.pick(&[32, 64, 64]);
                let word = self.random.below(64);
                self.emit(
                    bits,
                    &format!("load volatile i{bits}, ptr getelementptr (i64, ptr @in, i64 {word})"),
                )
            }
            LoadGlobal => {
                let global = self.global();
                self.emit(bits, &format!("load i{bits}, ptr {global}"))
            }
            StoreGlobal => return self.store_global(),
            StoreOut => {
                let (value, place) = (self.some_value(), 200 + self.random.below(40));
                return self.store_out(&value, place);
            }
            Local => return self.local(),
            Call => {
                let (a, b) = (self.operand(bits), self.operand(bits));
                self.emit(
                    bits,
                    &format!("call i{bits} @ext{bits}(i{bits} {}, i{bits} {})", a.name, b.name),
                )
            }
            Touch => {
                self.has_local = true;
                return self.line("call void @touch(ptr %local)");
            }
            CallLeaf => return self.call_leaf(),
            Float => self.float(),
            Exit => return self.exit(),
            Branch => return self.branch(),
            Loop => return self.repeat(),
        };
        self.values.push(value);
    }

    fn compute(&mut self, bits: u32) -> Value {
        let a = self.operand(bits);
        let op = self
            .random
            .pick(&["add", "sub", "mul", "and", "or", "xor", "add", "xor"]);
        match self.random.below(8) {
            0 => {
                let distance = self.random.below(bits as usize);
                let op = self.random.pick(&["shl", "lshr", "ashr"]);
                self.emit(bits, &format!("{op} i{bits} {}, {distance}", a.name))
            }
            1 => {
                let b = self.operand(bits);
                let distance = self.emit(bits, &format!("and i{bits} {}, {}", b.name, bits - 1));
                let op = self.random.pick(&["shl", "lshr", "ashr"]);
                self.emit(bits, &format!("{op} i{bits} {}, {}", a.name, distance.name))
            }
            2 => {
                let number = self.random.pick(&[1, 3, 5, 8, 100, -1, -7, 127]);
                self.emit(bits, &format!("{op} i{bits} {}, {number}", a.name))
            }
            3 => {
                let b = self.operand(bits);
                let flag = self.condition();
                self.emit(
                    bits,
                    &format!("select i1 {}, i{bits} {}, i{bits} {}", flag.name, a.name, b.name),
                )
            }
            4 if self.random.one_in(3) => {
                let op = self.random.pick(&["udiv", "urem", "sdiv", "srem"]);
                let b = self.operand(bits);
                // Odd, and without its sign: neither zero nor minus one.
                let half = self.emit(bits, &format!("lshr i{bits} {}, 1", b.name));
                let odd = self.emit(bits, &format!("or i{bits} {}, 1", half.name));
                self.emit(bits, &format!("{op} i{bits} {}, {}", a.name, odd.name))
            }
            5 => self.condition(),
            _ => {
                let b = self.operand(bits);
                self.emit(bits, &format!("{op} i{bits} {}, {}", a.name, b.name))
            }
        }
    }

    /// A value in more bits, or in fewer.
    fn widen(&mut self) -> Value {
        let value = self.some_value();
        let wider: Vec<u32> = [8, 16, 32, 64].into_iter().filter(|&bits| bits > value.bits).collect();
        let bits = match self.random.pick_if_any(&wider) {
            Some(_) if self.random.one_in(2) => 64,
            Some(bits) => bits,
            None => self.random.pick(&[8, 16, 32, 32]),
        };
        self.resized(&value, bits)
    }

    /// A comparison of an early value with a small number, or of two values.
    fn condition(&mut self) -> Value {
        let a = self.some_value();
        if a.bits == 1 {
            return a;
        }
        let relation = self
            .random
            .pick(&["eq", "ne", "eq", "ne", "ult", "ugt", "slt", "sgt", "sle", "uge"]);
        let b = if self.random.one_in(3) {
            self.operand(a.bits).name
        } else {
            self.random.pick(&["0", "0", "1", "3", "-1"]).to_owned()
        };
        self.emit(1, &format!("icmp {relation} i{} {}, {b}", a.bits, a.name))
    }

    fn global(&mut self) -> String {
        format!("@{}.g{}", self.entry, self.random.below(super::GLOBALS))
    }

    fn store_global(&mut self) {
        let bits = self.random.pick(&WIDTHS);
        let value = if self.random.one_in(3) {
            self.random.below(100).to_string()
        } else {
            self.operand(bits).name
        };
        let global = self.global();
        self.line(&format!("store i{bits} {value}, ptr {global}"));
    }

    /// Stores a number or a parameter to a global variable: nothing that must be computed.
    fn store_number(&mut self) {
        let parameter = self.values[self.random.below(self.parameters.len())].clone();
        let global = self.global();
        let value = if self.random.one_in(3) {
            parameter.name
        } else {
            self.random.below(2).to_string()
        };
        self.line(&format!("store i{} {value}, ptr {global}", parameter.bits));
    }

    fn store_out(&mut self, value: &Value, place: usize) {
        let bits = value.bits;
        let volatile = self.random.pick(&["volatile ", "volatile ", ""]);
        self.line(&format!(
            "store {volatile}i{bits} {}, ptr getelementptr (i64, ptr @out, i64 {place})",
            value.name
        ));
    }

    /// Through a word of the frame.
    fn local(&mut self) {
        self.has_local = true;
        let (stored, loaded) = (self.random.pick(&[32, 64]), self.random.pick(&[8, 16, 32]));
        let value = self.operand(stored);
        let word = self.random.below(8);
        let place = self.emit(64, &format!("getelementptr i64, ptr %local, i64 {word}"));
        self.line(&format!("store i{stored} {}, ptr {}", value.name, place.name));
        let loaded = self.emit(loaded, &format!("load i{loaded}, ptr {}", place.name));
        self.values.push(loaded);
    }

    /// Calls a small function of the same module.
    fn call_leaf(&mut self) {
        let bits = self.random.pick(&[8, 16, 32, 64]);
        let (a, b) = (self.operand(bits), self.operand(32));
        let result = self.emit(64, &format!("call i64 @leaf{bits}(i{bits} {}, i32 {})", a.name, b.name));
        self.values.push(result);
    }

    /// Over a floating-point number, which lives over a call.
    fn float(&mut self) -> Value {
        let (a, b) = (self.some_value(), self.some_value());
        let conversion = self.random.pick(&["sitofp", "uitofp"]);
        let x = self.emit(0, &format!("{conversion} i{} {} to double", a.bits, a.name));
        let y = self.emit(0, &format!("{conversion} i{} {} to double", b.bits, b.name));
        if self.random.one_in(2) {
            self.act(Call);
        }
        let op = self.random.pick(&["fadd", "fmul"]);
        let z = self.emit(0, &format!("{op} double {}, {}", x.name, y.name));
        self.emit(64, &format!("bitcast double {} to i64", z.name))
    }

    /// Returns a number at once if a parameter says so, while another one is needed at the end.
    fn refuse(&mut self) {
        let (parameter, kept) = (self.random.below(self.parameters.len()), self.some_value());
        self.kept.push(kept.name);
        let Value { name, bits } = self.values[parameter].clone();
        let (flag, number) = (self.emit(1, &format!("icmp eq i{bits} {name}, 0")), self.fresh());
        self.line(&format!("br i1 {}, label %exit{number}, label %on{number}", flag.name));
        let result = KINDS[self.result].1;
        let _ = writeln!(self.exits, "exit{number}:\n  ret i{result} {}", number % 2);
        self.begin_block(&format!("on{number}"));
    }

    /// Returns early what is computed of a value that is needed at the end, too, so that calls between make it wait in
    /// a register that must be saved, or in the frame.
    fn bait(&mut self) {
        let value = self.some_value();
        self.kept.push(value.name.clone());
        let bits = KINDS[self.result].1;
        let computed = if bits > value.bits {
            self.resized(&value, bits)
        } else {
            let same = self.resized(&value, bits);
            let op = self.random.pick(&["add", "xor", "shl", "and"]);
            self.emit(
                bits,
                &format!("{op} i{bits} {}, {}", same.name, self.number % bits as usize),
            )
        };
        let flag = self.condition();
        let number = self.fresh();
        self.line(&format!("br i1 {}, label %exit{number}, label %on{number}", flag.name));
        let _ = writeln!(self.exits, "exit{number}:\n  ret i{bits} {}", computed.name);
        self.begin_block(&format!("on{number}"));
        if self.random.one_in(2) {
            let global = self.global();
            self.line(&format!("store i{bits} {}, ptr {global}", computed.name));
        }
        self.values.push(computed);
    }

    /// Returns early with something that is computed of what there is.
    fn exit(&mut self) {
        let flag = self.condition();
        let (number, bits) = (self.fresh(), KINDS[self.result].1);
        let (exit, on) = (format!("exit{number}"), format!("on{number}"));
        self.line(&format!("br i1 {}, label %{exit}, label %{on}", flag.name));
        let (chain, count) = (std::mem::take(&mut self.body), self.values.len());
        self.begin_block(&exit);
        for _ in 0..self.random.below(3) {
            let action = self.random.pick(&[Compute, Widen, StoreGlobal, LoadGlobal]);
            self.act(action);
        }
        let result = self.operand(bits);
        self.line(&format!("ret i{bits} {}", result.name));
        self.values.truncate(count);
        self.exits += &std::mem::replace(&mut self.body, chain);
        self.begin_block(&on);
    }

    /// Two sides and a phi, or more of them.
    fn branch(&mut self) {
        if self.depth > 1 {
            return;
        }
        let flag = self.condition();
        let number = self.fresh();
        self.line(&format!(
            "br i1 {}, label %then{number}, label %else{number}",
            flag.name
        ));
        let bits = self.random.pick(&WIDTHS);
        let count = self.values.len();
        let mut sides = Vec::new();
        for side in ["then", "else"] {
            self.begin_block(&format!("{side}{number}"));
            self.depth += 1;
            for _ in 0..self.random.below(4) {
                let action = self.choose();
                self.act(action);
            }
            self.depth -= 1;
            let value = self.operand(bits);
            self.line(&format!("br label %join{number}"));
            sides.push(format!("[ {}, %{} ]", value.name, self.block));
            self.values.truncate(count);
        }
        self.begin_block(&format!("join{number}"));
        let phi = self.emit(bits, &format!("phi i{bits} {}", sides.join(", ")));
        self.values.push(phi);
    }

    /// A loop that runs up to four times.
    fn repeat(&mut self) {
        if self.depth > 0 {
            return;
        }
        let value = self.operand(32);
        let times = self.emit(32, &format!("and i32 {}, 3", value.name));
        let (number, before) = (self.fresh(), self.block.clone());
        let bits = self.random.pick(&WIDTHS);
        let start = self.operand(bits);
        self.line(&format!("br label %loop{number}"));
        self.begin_block(&format!("loop{number}"));
        let phis = self.body.len();
        let sum = Value {
            name: format!("%sum{number}"),
            bits,
        };
        let index = Value {
            name: format!("%index{number}"),
            bits: 32,
        };
        self.values.extend([sum.clone(), index.clone()]);
        self.depth += 1;
        for _ in 0..1 + self.random.below(5) {
            let action = self.choose();
            self.act(action);
        }
        self.depth -= 1;
        let (last, op) = (self.operand(bits), self.random.pick(&["add", "xor", "mul"]));
        let next = self.emit(bits, &format!("{op} i{bits} {}, {}", sum.name, last.name));
        let more = self.emit(32, &format!("add i32 {}, 1", index.name));
        let flag = self.emit(1, &format!("icmp ult i32 {}, {}", index.name, times.name));
        let latch = self.block.clone();
        self.line(&format!(
            "br i1 {}, label %loop{number}, label %done{number}",
            flag.name
        ));
        let phis_text = format!(
            "  {} = phi i{bits} [ {}, %{before} ], [ {}, %{latch} ]\n  {} = phi i32 [ 0, %{before} ], [ {}, %{latch} ]\n",
            sum.name, start.name, next.name, index.name, more.name
        );
        self.body.insert_str(phis, &phis_text);
        self.begin_block(&format!("done{number}"));
        self.values.push(next);
    }
}
