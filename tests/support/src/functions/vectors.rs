//! Statements with vectors, for the generator of random functions: every kind of operation on types that fit into a
//! register of 16 bytes, shorter and odd ones and masks included, or on longer ones and those of odd elements, too.
//!
//! Indices are always in range and masks of shuffles whole, since both could give poison otherwise. The bits of
//! floating-point numbers are not examined.

use super::{F32, F64, Generator, TYPES, WIDTHS, literal as scalar_literal, type_name};
use crate::Random;

/// How many of the types, the first ones, fit into a register of 16 bytes.
pub const NARROW: usize = 24;

/// Element types by their place among all types, and numbers of lanes.
pub const VECTORS: [(usize, usize); 62] = [
    (I8, 16),
    (I16, 8),
    (I32, 4),
    (I64, 2),
    (F32, 4),
    (F64, 2),
    (I1, 16),
    (I1, 8),
    (I1, 4),
    (I1, 2),
    (I8, 8),
    (I16, 4),
    (I32, 2),
    (F32, 2),
    (I8, 4),
    (I16, 2),
    (I8, 2),
    (I32, 3),
    (F32, 3),
    (I1, 3),
    (I8, 7),
    (I1, 7),
    (I64, 1),
    (F64, 1),
    (I8, 32),
    (I8, 64),
    (I16, 16),
    (I16, 32),
    (I32, 8),
    (I32, 16),
    (I32, 64),
    (I64, 4),
    (I64, 8),
    (I64, 16),
    (F32, 8),
    (F32, 16),
    (F64, 4),
    (F64, 8),
    (I1, 32),
    (I1, 64),
    (I1, 1),
    (I1, 5),
    (I1, 20),
    (I1, 33),
    (I8, 20),
    (I8, 33),
    (I8, 5),
    (I16, 5),
    (I16, 24),
    (I32, 5),
    (I32, 6),
    (I32, 20),
    (I64, 3),
    (I64, 5),
    (F32, 5),
    (F64, 3),
    (I24, 4),
    (I24, 5),
    (I13, 4),
    (I13, 8),
    (I40, 3),
    (I128, 2),
];

const I1: usize = 0;
const I8: usize = 1;
const I13: usize = 2;
const I16: usize = 3;
const I24: usize = 4;
const I32: usize = 5;
const I40: usize = 6;
const I64: usize = 8;
const I128: usize = 9;

/// The types that a function of this number is passed and returns in another order.
fn passed_types(number: usize) -> Vec<usize> {
    let mut random = Random::new(number as u64 ^ 0x5a5a);
    // Some are refused: what LLVM returns in a way of its own.
    let may_be_passed = |ty: &usize| {
        let is_scalar = *ty < TYPES;
        is_scalar || of(*ty).0 != I128 && (!is_float(of(*ty).0) || of(*ty).1.is_power_of_two() || of(*ty) == (F32, 3))
    };
    (0..1 + random.below(5))
        .map(|_| random.below(TYPES + VECTORS.len()))
        .filter(may_be_passed)
        .collect()
}

/// A function that returns what it is passed, the last first.
pub fn passing_function(number: usize, _random: &mut Random) -> String {
    let types = passed_types(number);
    let names: Vec<String> = types.iter().map(|&ty| type_name(ty)).collect();
    let back: Vec<&str> = names.iter().rev().map(String::as_str).collect();
    let values: Vec<String> = (0..types.len()).rev().map(|value| format!("v{value}")).collect();
    format!(
        "func @pass_{number}({}) -> ({}) {{\nb0:\n  return {}\n}}\n\n",
        names.join(", "),
        back.join(", "),
        values.join(", ")
    )
}

fn of(ty: usize) -> (usize, usize) {
    VECTORS[ty - TYPES]
}

/// The type's name.
pub fn name(ty: usize) -> String {
    let (element, lanes) = of(ty);
    format!("<{lanes} x {}>", type_name(element))
}

/// A constant of the type.
pub fn literal(random: &mut Random, ty: usize) -> String {
    let (element, lanes) = of(ty);
    if random.below(5) == 0 {
        return format!("{} zero", name(ty));
    }
    let first = scalar_literal(random, element);
    let is_splat = random.below(3) == 0;
    let lanes: Vec<String> = (0..lanes)
        .map(|_| {
            if is_splat {
                first.clone()
            } else {
                scalar_literal(random, element)
            }
        })
        .collect();
    format!("{} [{}]", name(ty), lanes.join(", "))
}

fn bits(ty: usize) -> usize {
    match ty {
        TYPES.. => of(ty).1 * bits(of(ty).0),
        F32 => 32,
        F64 => 64,
        _ => WIDTHS[ty] as usize,
    }
}

fn is_float(element: usize) -> bool {
    element == F32 || element == F64
}

/// The vector type with these lanes, if it is one that is generated.
fn find(element: usize, lanes: usize) -> Option<usize> {
    let place = VECTORS.iter().position(|&vector| vector == (element, lanes))?;
    Some(TYPES + place)
}

impl Generator<'_> {
    /// A vector type whose elements fit.
    fn vector_type(&mut self, fits: impl Fn(usize) -> bool) -> usize {
        loop {
            let ty = TYPES + self.random.below(self.vectors);
            if fits(of(ty).0) {
                return ty;
            }
        }
    }

    fn int_vector(&mut self) -> usize {
        self.vector_type(|element| !is_float(element))
    }

    fn float_vector(&mut self) -> usize {
        self.vector_type(is_float)
    }

    /// Another type that fits with one, if chance finds it.
    fn partner(&mut self, fits: impl Fn(usize) -> bool) -> Option<usize> {
        (0..40)
            .map(|_| TYPES + self.random.below(self.vectors))
            .find(|&ty| fits(ty))
    }

    pub(super) fn vector_statement(&mut self) {
        if self.vectors > NARROW && self.random.below(24) == 0 {
            return self.pass_vectors();
        }
        match self.random.below(16) {
            0..3 => self.vector_arithmetic(),
            3 => self.vector_division_or_shift(),
            4 | 5 => self.vector_compare(),
            6 => self.vector_select(),
            7 => self.vector_cast(),
            8 => self.vector_bitcast(),
            9 | 10 => self.vector_element(),
            11 => self.vector_shuffle(),
            12 => self.vector_reduction(),
            13 => self.vector_memory(),
            14 => self.vector_float(),
            _ => self.vector_bits(),
        }
    }

    /// Passes values to the function of this number that returns them.
    fn pass_vectors(&mut self) {
        let types = passed_types(self.number);
        let arguments: Vec<String> = types.iter().map(|&ty| self.operand(ty)).collect();
        let results: Vec<usize> = types.iter().map(|_| self.fresh()).collect();
        let names: Vec<String> = types.iter().map(|&ty| type_name(ty)).collect();
        let back: Vec<&str> = names.iter().rev().map(String::as_str).collect();
        let defined: Vec<String> = results.iter().map(|result| format!("v{result}")).collect();
        let defined = match defined.as_slice() {
            [] => String::new(),
            all => format!("{} = ", all.join(", ")),
        };
        let number = self.number;
        self.line(format!(
            "{defined}call @pass_{number}({}) : ({}) -> ({})",
            arguments.join(", "),
            names.join(", "),
            back.join(", ")
        ));
        for (&ty, &result) in types.iter().rev().zip(&results) {
            self.scope[ty].push(result);
        }
    }

    fn vector_arithmetic(&mut self) {
        let op = self.random.pick(&[
            "add", "sub", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax", "uadd_sat", "sadd_sat",
            "usub_sat", "ssub_sat",
        ]);
        let ty = self.int_vector();
        let (a, b) = (self.operand(ty), self.operand(ty));
        self.define(ty, format!("{op} {} {a}, {b}", name(ty)));
    }

    fn splat(ty: usize, value: usize) -> String {
        let lanes = vec![value.to_string(); of(ty).1];
        format!("{} [{}]", name(ty), lanes.join(", "))
    }

    fn vector_division_or_shift(&mut self) {
        let ty = self.vector_type(|element| (8..=64).contains(&bits(element)) && !is_float(element));
        let (a, b) = (self.operand(ty), self.operand(ty));
        let width = bits(of(ty).0);
        let amount = match self.random.below(4) {
            0 => {
                let op = self.random.pick(&["udiv", "urem", "sdiv", "srem"]);
                let small = self.hidden(format!("and {} {b}, {}", name(ty), Self::splat(ty, 63)));
                let odd = self.hidden(format!("or {} {small}, {}", name(ty), Self::splat(ty, 1)));
                self.define(ty, format!("{op} {} {a}, {odd}", name(ty)));
                return;
            }
            1 => self.hidden(format!("and {} {b}, {}", name(ty), Self::splat(ty, width - 1))),
            _ => Self::splat(ty, self.random.below(width)),
        };
        let op = self.random.pick(&["shl", "lshr", "ashr"]);
        self.define(ty, format!("{op} {} {a}, {amount}", name(ty)));
    }

    fn vector_compare(&mut self) {
        let ty = self.vector_type(|_| true);
        let (element, lanes) = of(ty);
        let Some(mask) = find(I1, lanes) else {
            return self.vector_arithmetic();
        };
        let (a, b) = (self.operand(ty), self.operand(ty));
        let op = if is_float(element) {
            let relation = self.random.pick(&[
                "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "uge", "ult", "ule",
                "une", "true",
            ]);
            format!("fcmp_{relation}")
        } else {
            let relation = self
                .random
                .pick(&["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"]);
            format!("icmp_{relation}")
        };
        self.define(mask, format!("{op} {} {a}, {b}", name(ty)));
    }

    fn vector_select(&mut self) {
        let ty = self.vector_type(|_| true);
        let condition = match find(I1, of(ty).1) {
            Some(mask) if self.random.below(3) > 0 => self.value(mask),
            _ => self.value(I1),
        };
        let (a, b) = (self.operand(ty), self.operand(ty));
        self.define(ty, format!("select {} {condition}, {a}, {b}", name(ty)));
    }

    fn vector_cast(&mut self) {
        let from = self.vector_type(|_| true);
        let Some(to) = self.partner(|ty| of(ty).1 == of(from).1 && ty != from) else {
            return self.vector_arithmetic();
        };
        let value = self.value(from);
        let (narrow, wide) = (bits(of(from).0), bits(of(to).0));
        let op = match (is_float(of(from).0), is_float(of(to).0)) {
            (true, true) if narrow < wide => "fpext",
            (true, true) => "fptrunc",
            (false, true) => self.random.pick(&["sitofp", "uitofp"]),
            (true, false) => self.random.pick(&["fptosi_sat", "fptoui_sat"]),
            (false, false) if narrow < wide => self.random.pick(&["zext", "sext"]),
            _ => "trunc",
        };
        self.define(to, format!("{op} {} {value}", name(to)));
    }

    /// Between integers and vectors of them with as many bits.
    fn vector_bitcast(&mut self) {
        let from = self.int_vector();
        let is_same = |ty: usize| bits(ty) == bits(from) && ty != from;
        let integer = (1..WIDTHS.len()).find(|&ty| is_same(ty));
        let vector = self.partner(|ty| is_same(ty) && !is_float(of(ty).0));
        let Some(to) = (if self.random.below(2) == 0 {
            vector.or(integer)
        } else {
            integer.or(vector)
        }) else {
            return self.vector_arithmetic();
        };
        let (from, to) = if self.random.below(2) == 0 {
            (from, to)
        } else {
            (to, from)
        };
        let value = self.value(from);
        self.define(to, format!("bitcast {} {value}", type_name(to)));
    }

    fn lane_index(&mut self, lanes: usize) -> String {
        if self.random.below(4) > 0 {
            return self.random.below(lanes).to_string();
        }
        let ty = [I8, I32, I64][self.random.below(3)];
        let index = self.value(ty);
        self.hidden(format!("urem {} {index}, {lanes}", type_name(ty)))
    }

    fn vector_element(&mut self) {
        let ty = self.vector_type(|_| true);
        let (element, lanes) = of(ty);
        let vector = self.value(ty);
        if self.random.below(2) == 0 {
            let index = self.lane_index(lanes);
            self.define(element, format!("extract_element {} {vector}, {index}", name(ty)));
        } else {
            let value = self.operand(element);
            let index = self.lane_index(lanes);
            self.define(ty, format!("insert_element {} {vector}, {value}, {index}", name(ty)));
        }
    }

    fn vector_shuffle(&mut self) {
        let from = self.vector_type(|_| true);
        let (element, from_lanes) = of(from);
        let Some(to) = self.partner(|ty| of(ty).0 == element) else {
            return self.vector_arithmetic();
        };
        let (a, b) = (self.value(from), self.operand(from));
        let (start, step) = (self.random.below(2 * from_lanes), self.random.below(3));
        let pattern = self.random.below(4);
        let mask: Vec<String> = (0..of(to).1)
            .map(|lane| {
                let index = match pattern {
                    0 => start + lane * step,
                    1 => lane / 2 + lane % 2 * from_lanes,
                    2 => lane / 2 + from_lanes / 2 + lane % 2 * from_lanes,
                    _ => self.random.below(2 * from_lanes),
                };
                (index % (2 * from_lanes)).to_string()
            })
            .collect();
        let mask = format!("<{} x i32> [{}]", of(to).1, mask.join(", "));
        self.define(to, format!("shuffle {} {a}, {b}, {mask}", name(to)));
    }

    fn vector_reduction(&mut self) {
        let ty = self.vector_type(|_| true);
        let element = of(ty).0;
        let vector = self.value(ty);
        if is_float(element) {
            let start = self.operand(element);
            let op = self.random.pick(&["reduce_fadd", "reduce_fmul"]);
            self.define(element, format!("{op} {} {start}, {vector}", type_name(element)));
            return;
        }
        let op = self
            .random
            .pick(&["add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"]);
        self.define(element, format!("reduce_{op} {} {vector}", type_name(element)));
    }

    fn vector_memory(&mut self) {
        let stored = self.vector_type(|_| true);
        // Loading floating-point numbers could give a NaN whose bits go on; bits beside a mask must be zero.
        let loaded = self.vector_type(|element| !is_float(element) && bits(element).is_multiple_of(8));
        let mut value = self.operand(stored);
        if is_float(of(stored).0) {
            let name = name(stored);
            let is_nan = self.hidden(format!("fcmp_uno {name} {value}, {value}"));
            value = self.hidden(format!("select {name} {is_nan}, {name} zero, {value}"));
        }
        let (to, from) = (self.place(), self.place());
        self.line(format!("store {} {value}, {to}", name(stored)));
        self.define(loaded, format!("load {} {from}", name(loaded)));
        if !bits(of(stored).0).is_multiple_of(8) {
            self.define(stored, format!("load {} {to}", name(stored)));
        }
    }

    fn vector_float(&mut self) {
        let ty = self.float_vector();
        if self.random.below(3) == 0 {
            let op = self
                .random
                .pick(&["fneg", "fabs", "fsqrt", "ffloor", "fceil", "ftrunc", "frint"]);
            let a = self.operand(ty);
            self.define(ty, format!("{op} {} {a}", name(ty)));
        } else {
            let op = self.random.pick(&["fadd", "fsub", "fmul", "fdiv"]);
            let (a, b) = (self.operand(ty), self.operand(ty));
            self.define(ty, format!("{op} {} {a}, {b}", name(ty)));
        }
    }

    fn vector_bits(&mut self) {
        let ty = self.int_vector();
        let a = self.operand(ty);
        let lanes = of(ty).1;
        match (self.random.below(4), find(I1, lanes)) {
            (0, Some(mask)) => {
                let op = self.random.pick(&["uadd", "sadd", "usub", "ssub", "umul", "smul"]);
                let b = self.operand(ty);
                let (result, flag) = (self.fresh(), self.fresh());
                self.line(format!("v{result}, v{flag} = {op}_overflow {} {a}, {b}", name(ty)));
                self.scope[ty].push(result);
                self.scope[mask].push(flag);
            }
            (1, _) => {
                let (b, c) = (self.operand(ty), self.operand(ty));
                let op = self.random.pick(&["fshl", "fshr"]);
                self.define(ty, format!("{op} {} {a}, {b}, {c}", name(ty)));
            }
            _ => {
                let op = self.random.pick(&["ctpop", "ctlz", "cttz", "bitreverse", "abs"]);
                self.define(ty, format!("{op} {} {a}", name(ty)));
            }
        }
    }

    /// Mixes some vectors of each type into the results.
    pub(super) fn mix_vectors(&mut self, mut sum: String, mut float: String) -> (String, String) {
        let is_wide = self.vectors > NARROW;
        for (place, (element, lanes)) in VECTORS.into_iter().enumerate().take(self.vectors) {
            // There are many types, and some of them have many lanes.
            let most = match is_wide {
                true => usize::from(self.random.below(3) == 0),
                false => 3,
            };
            for value in self.scope[TYPES + place].clone().into_iter().rev().take(most) {
                if is_float(element) {
                    let ty = type_name(element);
                    let mut reduced = self.hidden(format!("reduce_fadd {ty} 0.0, v{value}"));
                    if element == F32 {
                        reduced = self.hidden(format!("fpext f64 {reduced}"));
                    }
                    float = self.hidden(format!("fadd f64 {float}, {reduced}"));
                    continue;
                }
                for lane in 0..lanes {
                    let vector = name(TYPES + place);
                    let mut lane = self.hidden(format!("extract_element {vector} v{value}, {lane}"));
                    if element == I128 {
                        let high = self.hidden(format!("lshr i128 {lane}, 57"));
                        let mixed = self.hidden(format!("xor i128 {high}, {lane}"));
                        lane = self.hidden(format!("trunc i64 {mixed}"));
                    } else if element != I64 {
                        lane = self.hidden(format!("sext i64 {lane}"));
                    }
                    let turned = self.hidden(format!("fshl i64 {sum}, {sum}, 9"));
                    sum = self.hidden(format!("add i64 {turned}, {lane}"));
                }
            }
        }
        (sum, float)
    }
}
