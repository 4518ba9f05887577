//! Random functions as text: arithmetic at many widths, casts, memory, branches, loops, switches and calls, without
//! undefined behavior, poison, or results that are open (the bits of a NaN).
//!
//! Method: statements are generated one after another into structured regions; the values that are defined on every
//! way to a place are kept by type and picked from. Divisors are made odd and positive, shift amounts are reduced
//! below the width, conversions from floating point saturate. Some statements are [expressions](trees) whose inner
//! values nothing else uses. The same seed gives the same text.

mod trees;
mod vectors;

use crate::Random;
use std::fmt::Write;
use vectors::{NARROW, VECTORS};

/// Widths of integers that are generated.
const WIDTHS: [u32; 10] = [1, 8, 13, 16, 24, 32, 40, 63, 64, 128];

/// The widest integer by its place in [`WIDTHS`], and the widest one that all machines have.
const WIDE: usize = WIDTHS.len() - 1;
const WORD: usize = WIDE - 1;

/// Types of values: integers by their place in [`WIDTHS`], then `f32` and `f64`.
const F32: usize = WIDTHS.len();
const F64: usize = F32 + 1;
const TYPES: usize = F64 + 1;

/// A number of a type as a literal: small ones and the ends of the range are common.
fn literal(random: &mut Random, ty: usize) -> String {
    if ty >= TYPES {
        return vectors::literal(random, ty);
    }
    if ty >= F32 {
        let numbers = [
            "0.0",
            "1.0",
            "-1.5",
            "1e10",
            "0.1",
            "-3.75e-3",
            "inf",
            "123456.75",
            "-1e-30",
            "7.0",
        ];
        return random.pick(&numbers).to_owned();
    }
    let bits = WIDTHS[ty];
    let wide = u128::from(random.next_word()) << 64 | u128::from(random.next_word());
    let value = match random.below(4) {
        0 => wide & 15,
        1 => 0u128.wrapping_sub(wide & 15),
        2 => 1u128 << (bits - 1) | (wide & 1),
        _ => wide,
    };
    let spare = 128 - bits;
    ((value << spare).cast_signed() >> spare).to_string()
}

fn type_name(ty: usize) -> String {
    match ty {
        F32 => "f32".to_owned(),
        F64 => "f64".to_owned(),
        TYPES.. => vectors::name(ty),
        _ => format!("i{}", WIDTHS[ty]),
    }
}

/// A function's parameter types, fixed so that functions can call each other.
const PARAMS: [usize; 8] = [8, 5, 1, 4, F64, 9, F32, 3];

/// The parameters as written in a signature.
pub fn params() -> String {
    params_of(WIDE)
}

/// The same with integers up to this one.
fn params_of(widest: usize) -> String {
    PARAMS.map(|ty| type_name(narrowed(ty, widest))).join(", ")
}

/// Literal arguments for a function.
pub fn arguments(random: &mut Random) -> String {
    PARAMS.map(|ty| literal(random, ty)).join(", ")
}

/// The same for a [narrow function](narrow_function).
pub fn narrow_arguments(random: &mut Random) -> String {
    PARAMS.map(|ty| literal(random, narrowed(ty, WORD))).join(", ")
}

/// A function that returns an `i64` mixed of all it computed, and an `f64`. It calls functions of lower numbers.
///
/// Addresses are computed with pointers of `pointer_bits` bits.
pub fn function(number: usize, statements: usize, pointer_bits: u32, random: &mut Random) -> String {
    function_of(number, statements, (pointer_bits, WIDE), 0, random)
}

/// The same with integers of 64 bits at most. Functions call others with as wide integers only.
pub fn narrow_function(number: usize, statements: usize, pointer_bits: u32, random: &mut Random) -> String {
    function_of(number, statements, (pointer_bits, WORD), 0, random)
}

/// The same; it computes with vectors, too, that fit into a register of 16 bytes.
pub fn vector_function(number: usize, statements: usize, pointer_bits: u32, random: &mut Random) -> String {
    function_of(number, statements, (pointer_bits, WIDE), NARROW, random)
}

/// The same with vectors of any length and of odd elements, which are passed to another function and come back.
pub fn wide_vector_function(number: usize, statements: usize, pointer_bits: u32, random: &mut Random) -> String {
    let mut text = vectors::passing_function(number, random);
    text.push_str(&function_of(
        number,
        statements,
        (pointer_bits, WIDE),
        VECTORS.len(),
        random,
    ));
    text
}

fn function_of(
    number: usize,
    statements: usize,
    (pointer_bits, widest): (u32, usize),
    vectors: usize,
    random: &mut Random,
) -> String {
    // Room for the longest vector after the last place.
    let room = if vectors > NARROW { 320 } else { 64 };
    let params = PARAMS.map(|ty| narrowed(ty, widest));
    let mut generator = Generator {
        random,
        number,
        text: format!("func @random_{number}({}) -> (i64, f64) {{\n", params_of(widest)),
        next_value: PARAMS.len() + 2,
        next_label: 1,
        label: 0,
        scope: [const { Vec::new() }; TYPES + VECTORS.len()],
        calls_left: 2,
        depth: 0,
        pointer_bits,
        widest,
        vectors,
    };
    for (value, ty) in params.into_iter().enumerate() {
        generator.scope[ty].push(value);
    }
    let _ = writeln!(
        generator.text,
        "  v8 = slot {room} align 16\n  v9 = slot 16 align 8\nb0:"
    );
    generator.line(format!("mem_set i64 v8, 17, {room}"));
    generator.line("mem_set i64 v9, -1, 16".to_owned());
    generator.statements(statements);
    generator.finish()
}

/// The type, or the widest integer instead of a wider one.
fn narrowed(ty: usize, widest: usize) -> usize {
    if ty == WIDE { widest } else { ty }
}

struct Generator<'r> {
    random: &'r mut Random,
    number: usize,
    text: String,
    next_value: usize,
    next_label: usize,
    label: usize,
    /// Values that are defined here, by type; vectors come last.
    scope: [Vec<usize>; TYPES + VECTORS.len()],
    calls_left: usize,
    depth: usize,
    pointer_bits: u32,
    /// The widest integer by its place in [`WIDTHS`].
    widest: usize,
    /// How many of the types of vectors there are.
    vectors: usize,
}

impl Generator<'_> {
    fn line(&mut self, text: String) {
        let _ = writeln!(self.text, "  {text}");
    }

    fn fresh(&mut self) -> usize {
        self.next_value += 1;
        self.next_value - 1
    }

    /// Defines a value that can be used from here on.
    fn define(&mut self, ty: usize, instruction: String) -> usize {
        let value = self.fresh();
        self.line(format!("v{value} = {instruction}"));
        self.scope[ty].push(value);
        value
    }

    /// Defines a value that is only an intermediate one.
    fn hidden(&mut self, instruction: String) -> String {
        let value = self.fresh();
        self.line(format!("v{value} = {instruction}"));
        format!("v{value}")
    }

    fn open_label(&mut self, label: usize) {
        self.label = label;
        let _ = writeln!(self.text, "b{label}:");
    }

    fn fresh_label(&mut self) -> usize {
        self.next_label += 1;
        self.next_label - 1
    }

    /// An operand: mostly a value, recent ones more often, else a literal.
    fn operand(&mut self, ty: usize) -> String {
        let values = self.scope[ty].len();
        if values == 0 || self.random.below(6) == 0 {
            return literal(self.random, ty);
        }
        let back = self.random.below(values).min(self.random.below(values));
        format!("v{}", self.scope[ty][values - 1 - back])
    }

    /// An operand that is a value, for places that take no literal.
    fn value(&mut self, ty: usize) -> String {
        if self.scope[ty].is_empty() {
            let literal = literal(self.random, ty);
            self.define(ty, format!("copy {} {literal}", type_name(ty)));
        }
        let values = &self.scope[ty];
        format!("v{}", values[self.random.below(values.len())])
    }

    fn int_type(&mut self) -> usize {
        narrowed(self.random.below(WIDTHS.len()), self.widest)
    }

    fn float_type(&mut self) -> usize {
        F32 + self.random.below(2)
    }

    fn statements(&mut self, count: usize) {
        for _ in 0..count {
            if self.vectors > 0 && self.random.below(3) > 0 {
                self.vector_statement();
                continue;
            }
            match self.random.below(26) {
                0..7 => self.arithmetic(),
                7..9 => self.division_or_shift(),
                9..11 => self.compare_and_select(),
                11..14 => self.cast(),
                14..16 => self.float(),
                16..18 => self.memory(),
                18 => self.bits(),
                19 => self.overflow(),
                20 => self.call(),
                21 if self.depth < 3 => self.diamond(),
                22 if self.depth < 2 => self.counted_loop(),
                23 if self.depth < 3 => self.switch(),
                24..26 => self.tree(),
                _ => self.arithmetic(),
            }
        }
    }

    fn arithmetic(&mut self) {
        let op = self.random.pick(&[
            "add", "sub", "mul", "and", "or", "xor", "add", "sub", "smin", "umax", "uadd_sat", "ssub_sat", "smax",
            "umin",
        ]);
        let ty = self.int_type();
        let (a, b) = (self.operand(ty), self.operand(ty));
        self.define(ty, format!("{op} {} {a}, {b}", type_name(ty)));
    }

    fn division_or_shift(&mut self) {
        let ty = self.int_type();
        let (name, bits) = (type_name(ty), WIDTHS[ty]);
        let (a, b) = (self.operand(ty), self.operand(ty));
        let is_division = self.random.below(2) == 0 && (8..128).contains(&bits);
        if is_division {
            let op = self.random.pick(&["udiv", "urem", "sdiv", "srem"]);
            let small = self.hidden(format!("and {name} {b}, 63"));
            let odd = self.hidden(format!("or {name} {small}, 1"));
            self.define(ty, format!("{op} {name} {a}, {odd}"));
        } else {
            let op = self.random.pick(&["shl", "lshr", "ashr"]);
            let amount = match bits {
                1 => "0".to_owned(),
                _ if bits.is_power_of_two() => self.hidden(format!("and {name} {b}, {}", bits - 1)),
                _ => self.hidden(format!("urem {name} {b}, {bits}")),
            };
            self.define(ty, format!("{op} {name} {a}, {amount}"));
        }
    }

    fn condition(&mut self) -> usize {
        if self.random.below(5) == 0 {
            let ty = self.float_type();
            let op = self
                .random
                .pick(&["oeq", "ogt", "ole", "une", "ult", "uno", "one", "ueq"]);
            let (a, b) = (self.operand(ty), self.operand(ty));
            return self.define(0, format!("fcmp_{op} {} {a}, {b}", type_name(ty)));
        }
        let ty = self.int_type();
        let op = self
            .random
            .pick(&["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"]);
        let (a, b) = (self.operand(ty), self.operand(ty));
        self.define(0, format!("icmp_{op} {} {a}, {b}", type_name(ty)))
    }

    fn compare_and_select(&mut self) {
        let condition = self.condition();
        let ty = self.any_type();
        let (a, b) = (self.operand(ty), self.operand(ty));
        self.define(ty, format!("select {} v{condition}, {a}, {b}", type_name(ty)));
    }

    fn cast(&mut self) {
        let from = narrowed(self.random.below(TYPES), self.widest);
        let to = narrowed(self.random.below(TYPES), self.widest);
        let value = self.value(from);
        let is_float = |ty| ty >= F32;
        let op = match (is_float(from), is_float(to)) {
            (true, true) if from < to => "fpext",
            (true, true) if from > to => "fptrunc",
            (false, true) => self.random.pick(&["sitofp", "uitofp"]),
            (true, false) if WIDTHS[to] <= 64 => self.random.pick(&["fptosi_sat", "fptoui_sat"]),
            (false, false) if from < to => self.random.pick(&["zext", "sext"]),
            (false, false) if from > to => "trunc",
            _ => return,
        };
        self.define(to, format!("{op} {} {value}", type_name(to)));
    }

    fn float(&mut self) {
        let ty = self.float_type();
        let name = type_name(ty);
        if self.random.below(3) == 0 {
            let op = self
                .random
                .pick(&["fneg", "fabs", "fsqrt", "ffloor", "fceil", "ftrunc", "frint"]);
            let a = self.operand(ty);
            self.define(ty, format!("{op} {name} {a}"));
        } else {
            let op = self.random.pick(&["fadd", "fsub", "fmul", "fdiv"]);
            let (a, b) = (self.operand(ty), self.operand(ty));
            self.define(ty, format!("{op} {name} {a}, {b}"));
        }
    }

    /// A store and a load of whole bytes, at constant or computed places of the slots.
    fn memory(&mut self) {
        let whole: Vec<usize> = (1..F32)
            .filter(|&ty| WIDTHS[ty].is_multiple_of(8) && narrowed(ty, self.widest) == ty)
            .chain([F32, F64])
            .collect();
        let (stored, loaded) = (
            whole[self.random.below(whole.len())],
            whole[self.random.below(whole.len())],
        );
        let mut value = self.operand(stored);
        if stored >= F32 {
            // Integers are loaded from there, and the sign of a NaN that an operation makes is open.
            let name = type_name(stored);
            let is_nan = self.hidden(format!("fcmp_uno {name} {value}, {value}"));
            value = self.hidden(format!("select {name} {is_nan}, 0.0, {value}"));
        }
        let (to, from) = (self.place(), self.place());
        self.line(format!("store {} {value}, {to}", type_name(stored)));
        // Loading floating-point numbers could give a NaN whose bits go on to memory; the integers are enough.
        if loaded < F32 {
            self.define(loaded, format!("load {} {from}", type_name(loaded)));
        }
    }

    /// An address in the first slot, with room for 16 bytes.
    fn place(&mut self) -> String {
        match self.random.below(5) {
            0..2 => {
                let offset = self.random.below(48);
                return self.hidden(format!("ptr_add ptr v8, {offset}"));
            }
            2 => {
                let (scale, index) = (self.random.pick(&[1, 2, 3, 4, 8, 12]), self.random.below(4));
                return self.hidden(format!("ptr_index scale {scale} ptr v8, {index}"));
            }
            _ => {}
        }
        let index = self.value(8);
        let mut masked = self.hidden(format!("and i64 {index}, 31"));
        if self.pointer_bits < 64 {
            masked = self.hidden(format!("trunc i{} {masked}", self.pointer_bits));
        }
        self.hidden(format!("ptr_index scale 1 ptr v8, {masked}"))
    }

    fn bits(&mut self) {
        let ty = self.int_type();
        let name = type_name(ty);
        let a = self.operand(ty);
        if self.random.below(3) == 0 {
            let (b, c) = (self.operand(ty), self.operand(ty));
            let op = self.random.pick(&["fshl", "fshr"]);
            self.define(ty, format!("{op} {name} {a}, {b}, {c}"));
        } else {
            let op = self.random.pick(&["ctpop", "ctlz", "cttz", "bitreverse", "abs"]);
            self.define(ty, format!("{op} {name} {a}"));
        }
    }

    fn overflow(&mut self) {
        let flag = self.overflow_alone();
        self.scope[0].push(flag);
    }

    /// An operation that may overflow; the bit that says so, which nothing else uses.
    fn overflow_alone(&mut self) -> usize {
        let ty = self.int_type();
        let op = self.random.pick(&["uadd", "sadd", "usub", "ssub", "umul", "smul"]);
        let (a, b) = (self.operand(ty), self.operand(ty));
        let (result, flag) = (self.fresh(), self.fresh());
        self.line(format!("v{result}, v{flag} = {op}_overflow {} {a}, {b}", type_name(ty)));
        self.scope[ty].push(result);
        flag
    }

    fn call(&mut self) {
        if self.number == 0 || self.calls_left == 0 || self.depth > 0 {
            return self.arithmetic();
        }
        self.calls_left -= 1;
        let callee = self.random.below(self.number);
        let arguments = PARAMS.map(|ty| self.operand(narrowed(ty, self.widest))).join(", ");
        let (int, float) = (self.fresh(), self.fresh());
        self.line(format!(
            "v{int}, v{float} = call @random_{callee}({arguments}) : ({}) -> (i64, f64)",
            params_of(self.widest)
        ));
        self.scope[8].push(int);
        self.scope[F64].push(float);
    }

    /// Statements in a region of their own; the label where it ends, and an operand of each type from it.
    fn region(&mut self, label: usize, types: &[usize]) -> (usize, Vec<String>) {
        let outside: Vec<usize> = self.scope.iter().map(Vec::len).collect();
        self.open_label(label);
        self.depth += 1;
        let count = self.random.below(5);
        self.statements(count);
        self.depth -= 1;
        let operands = types.iter().map(|&ty| self.operand(ty)).collect();
        for (values, length) in self.scope.iter_mut().zip(outside) {
            values.truncate(length);
        }
        (self.label, operands)
    }

    /// Phis that join the operands of several regions, at the label in hand.
    fn join(&mut self, types: &[usize], regions: &[(usize, Vec<String>)]) {
        for (index, &ty) in types.iter().enumerate() {
            let columns: Vec<String> = regions
                .iter()
                .map(|(label, operands)| format!("b{label}: {}", operands[index]))
                .collect();
            self.define(ty, format!("phi {} [{}]", type_name(ty), columns.join(", ")));
        }
    }

    fn some_types(&mut self) -> Vec<usize> {
        (0..1 + self.random.below(3)).map(|_| self.any_type()).collect()
    }

    fn any_type(&mut self) -> usize {
        narrowed(self.random.below(TYPES + self.vectors), self.widest)
    }

    fn diamond(&mut self) {
        let (yes, no, after) = (self.fresh_label(), self.fresh_label(), self.fresh_label());
        let types = self.some_types();
        let condition = match self.random.below(4) {
            0 => self.overflow_alone(),
            _ => self.condition(),
        };
        self.line(format!("branch v{condition}, b{yes}, b{no}"));
        let mut regions = Vec::new();
        for label in [yes, no] {
            regions.push(self.region(label, &types));
            self.line(format!("jump b{after}"));
        }
        self.open_label(after);
        self.join(&types, &regions);
    }

    fn switch(&mut self) {
        let ty = self.random.below(WIDTHS.len() - 1);
        let value = self.value(ty);
        let count = (1 + self.random.below(6)).min(1 << WIDTHS[ty].min(4));
        let first = if WIDTHS[ty] >= 16 {
            self.random.below(200) as i64 - 100
        } else {
            0
        };
        let value = match WIDTHS[ty] {
            1 => value,
            _ => {
                let name = type_name(ty);
                let low = self.hidden(format!("and {name} {value}, 7"));
                self.hidden(format!("add {name} {low}, {first}"))
            }
        };
        let labels: Vec<usize> = (0..count).map(|_| self.fresh_label()).collect();
        let (default, after) = (self.fresh_label(), self.fresh_label());
        let types = self.some_types();
        let cases = labels.iter().zip(0i64..).map(|(label, index)| {
            let case = if WIDTHS[ty] == 1 { -index } else { first + index };
            format!("{case}: b{label}")
        });
        let cases = cases.collect::<Vec<_>>().join(", ");
        self.line(format!(
            "switch {} {value}, default b{default}, [{cases}]",
            type_name(ty)
        ));
        let mut regions = Vec::new();
        for label in labels.into_iter().chain([default]) {
            regions.push(self.region(label, &types));
            self.line(format!("jump b{after}"));
        }
        self.open_label(after);
        self.join(&types, &regions);
    }

    /// A loop of up to eight rounds that carries values around; some of them swap places.
    fn counted_loop(&mut self) {
        let (head, after) = (self.fresh_label(), self.fresh_label());
        let before = self.label;
        let types = self.some_types();
        let starts: Vec<String> = types.iter().map(|&ty| self.operand(ty)).collect();
        let rounds = 1 + self.random.below(8);
        self.line(format!("jump b{head}"));
        let place = self.text.len();
        let (counter, next) = (self.fresh(), self.fresh());
        let phis: Vec<usize> = types.iter().map(|_| self.fresh()).collect();
        let outside: Vec<usize> = self.scope.iter().map(Vec::len).collect();
        for (&ty, &phi) in types.iter().zip(&phis) {
            self.scope[ty].push(phi);
        }
        self.depth += 1;
        self.label = head;
        let count = 1 + self.random.below(5);
        self.statements(count);
        self.depth -= 1;
        let mut ends: Vec<String> = types.iter().map(|&ty| self.operand(ty)).collect();
        if types.len() > 1 && types[0] == types[1] {
            (ends[0], ends[1]) = (format!("v{}", phis[1]), format!("v{}", phis[0]));
        }
        let end = self.label;
        self.line(format!("v{next} = add i32 v{counter}, 1"));
        let condition = self.hidden(format!("icmp_ult i32 v{next}, {rounds}"));
        self.line(format!("branch {condition}, b{head}, b{after}"));
        let mut lines = format!("b{head}:\n  v{counter} = phi i32 [b{before}: 0, b{end}: v{next}]\n");
        for (index, &ty) in types.iter().enumerate() {
            let (start, last, name) = (&starts[index], &ends[index], type_name(ty));
            let _ = writeln!(
                lines,
                "  v{} = phi {name} [b{before}: {start}, b{end}: {last}]",
                phis[index]
            );
        }
        self.text.insert_str(place, &lines);
        for (values, length) in self.scope.iter_mut().zip(outside) {
            values.truncate(length);
        }
        self.open_label(after);
        for (&ty, &phi) in types.iter().zip(&phis) {
            self.scope[ty].push(phi);
        }
    }

    /// Mixes what was computed into the results.
    fn finish(mut self) -> String {
        let mut sum = self.hidden("load i64 v8".to_owned());
        for (ty, bits) in WIDTHS.into_iter().enumerate() {
            for value in self.scope[ty].clone().into_iter().rev().take(4) {
                let value = match bits {
                    64 => format!("v{value}"),
                    128 => {
                        let high = self.hidden(format!("lshr i128 v{value}, 57"));
                        let mixed = self.hidden(format!("xor i128 {high}, v{value}"));
                        self.hidden(format!("trunc i64 {mixed}"))
                    }
                    _ => self.hidden(format!("sext i64 v{value}")),
                };
                let turned = self.hidden(format!("fshl i64 {sum}, {sum}, 9"));
                sum = self.hidden(format!("add i64 {turned}, {value}"));
            }
        }
        let mut float = "0.0".to_owned();
        for value in self.scope[F64].clone().into_iter().rev().take(3) {
            float = self.hidden(format!("fadd f64 {float}, v{value}"));
        }
        if self.vectors > 0 {
            (sum, float) = self.mix_vectors(sum, float);
        }
        self.line(format!("return {sum}, {float}"));
        self.text.push_str("}\n\n");
        self.text
    }
}
