//! Expressions of C and C++ without undefined behavior, for the programs of `crosstest --loops`, `--jumps` and
//! `--exceptions`.
//!
//! Every expression knows its type after promotion and the range of its values. Signed operations whose results fit
//! their type are written as they are, so that compilers may rely on it; the others are written in the unsigned type.
//! Distances of shifts are masked, divisors are positive, and floating-point numbers become integers only where they
//! are in range.

use frazil_test_support::Random;

/// Types, conversions and sums that every program has: `whole` makes integers of floating-point numbers, `of_u8` and so
/// on make sums of values of each type, `mix` puts one into the sum that the program prints.
pub const HEAD: &str = "\
typedef unsigned char u8; typedef signed char i8; typedef unsigned short u16; typedef short i16;
typedef unsigned u32; typedef int i32; typedef unsigned long long u64; typedef long long i64; typedef float f32; typedef double f64;
static inline i32 whole(f64 x) { return x > -1e9 && x < 1e9 ? (i32)x : 0; }
static inline u64 of_f64(f64 x) { u64 bits; __builtin_memcpy(&bits, &x, 8); return x == x ? bits : 1; }
static inline u64 of_f32(f32 x) { return of_f64(x); }
static inline u64 of_u8(u8 x) { return x; }
static inline u64 of_i8(i8 x) { return (u64)x; }
static inline u64 of_u16(u16 x) { return x; }
static inline u64 of_i16(i16 x) { return (u64)x; }
static inline u64 of_u32(u32 x) { return x; }
static inline u64 of_i32(i32 x) { return (u64)x; }
static inline u64 of_u64(u64 x) { return x; }
static inline u64 of_i64(i64 x) { return (u64)x; }
static u64 state, sum;
static void mix(u64 x) { sum = (sum ^ x) * 6364136223846793005u; sum ^= sum >> 31; }
";

/// A type of variables and of elements, with the name that programs give it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Type {
    pub name: &'static str,
    pub bits: u32,
    pub is_signed: bool,
    pub is_float: bool,
}

const fn integer(name: &'static str, bits: u32, is_signed: bool) -> Type {
    Type {
        name,
        bits,
        is_signed,
        is_float: false,
    }
}

const fn float(name: &'static str, bits: u32) -> Type {
    Type {
        name,
        bits,
        is_signed: true,
        is_float: true,
    }
}

const I32: Type = integer("i32", 32, true);
const U32: Type = integer("u32", 32, false);
const I64: Type = integer("i64", 64, true);
const U64: Type = integer("u64", 64, false);
const F32: Type = float("f32", 32);
const F64: Type = float("f64", 64);

/// All of them.
pub const TYPES: [Type; 10] = [
    integer("u8", 8, false),
    integer("i8", 8, true),
    integer("u16", 16, false),
    integer("i16", 16, true),
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
];

impl Type {
    /// The smallest and the largest value of an integer.
    pub fn range(self) -> (i128, i128) {
        if self.is_signed {
            (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1)
        } else {
            (0, (1 << self.bits) - 1)
        }
    }

    fn promoted(self) -> Type {
        if self.bits < 32 { I32 } else { self }
    }

    fn unsigned(self) -> Type {
        if self.bits == 64 { U64 } else { U32 }
    }

    fn holds(self, low: i128, high: i128) -> bool {
        let (least, most) = self.range();
        least <= low && high <= most
    }
}

/// An expression: its text, which stands anywhere, the type after promotion, and the range of an integer.
#[derive(Clone, Debug)]
pub struct Expr {
    pub text: String,
    pub ty: Type,
    pub low: i128,
    pub high: i128,
}

impl Expr {
    /// Something of a type, about which no more is known.
    pub fn of(text: String, ty: Type) -> Expr {
        let (low, high) = if ty.is_float { (0, 0) } else { ty.range() };
        Expr {
            text,
            ty: ty.promoted(),
            low,
            high,
        }
    }

    /// An integer in a range that its type has.
    pub fn within(text: String, ty: Type, low: i128, high: i128) -> Expr {
        Expr {
            text,
            ty: ty.promoted(),
            low,
            high,
        }
    }

    fn constant(value: i128) -> Expr {
        Expr::within(format!("({value})"), I32, value, value)
    }

    /// The value converted to a type of no fewer bits than `int` has.
    fn converted(&self, ty: Type) -> Expr {
        if self.ty == ty {
            return self.clone();
        }
        let text = format!("(({}){})", ty.name, self.text);
        if !ty.is_float && ty.holds(self.low, self.high) {
            return Expr::within(text, ty, self.low, self.high);
        }
        Expr::of(text, ty)
    }

    /// What is stored of the value in a variable of a type.
    pub fn stored(&self, ty: Type) -> String {
        if self.ty.is_float && !ty.is_float {
            return format!("({})whole({})", ty.name, self.text);
        }
        format!("({}){}", ty.name, self.text)
    }

    fn integer(self) -> Expr {
        if self.ty.is_float {
            return Expr::within(format!("whole({})", self.text), I32, -1_000_000_000, 1_000_000_000);
        }
        self
    }
}

/// The type in which two integers are computed with.
fn common(a: Type, b: Type) -> Type {
    match (a.bits.max(b.bits), a, b) {
        (64, a, b) if (a.bits == 64 && !a.is_signed) || (b.bits == 64 && !b.is_signed) => U64,
        (64, ..) => I64,
        (_, a, b) if a.is_signed && b.is_signed => I32,
        _ => U32,
    }
}

/// Nothing is computed of an expression with a longer text: some operations name an operand twice.
const LONGEST: usize = 160;

/// Makes expressions of leaves that the caller gives.
pub struct Maker<'r> {
    pub random: &'r mut Random,
}

impl Maker<'_> {
    /// An expression of leaves.
    pub fn expression(&mut self, depth: usize, leaf: &mut dyn FnMut(&mut Random) -> Expr) -> Expr {
        if depth == 0 || self.random.one_in(6) {
            return if self.random.one_in(5) {
                self.number()
            } else {
                leaf(self.random)
            };
        }
        let a = self.expression(depth - 1, leaf);
        if a.text.len() > LONGEST {
            return a;
        }
        match self.random.below(16) {
            0 => self.cast(&a),
            1 => self.unary(a),
            2 => {
                let flag = self.condition(depth - 1, leaf);
                let b = self.expression(depth - 1, leaf);
                self.choice(&flag, a, b)
            }
            3 => {
                let b = leaf(self.random);
                self.extreme(a, b)
            }
            4 | 5 => {
                let b = leaf(self.random);
                self.shift(a, b)
            }
            6 => {
                let b = leaf(self.random);
                self.division(a, b)
            }
            7 | 8 => {
                let b = self.expression(depth - 1, leaf);
                self.bitwise(a, b)
            }
            _ => {
                let b = self.expression(depth - 1, leaf);
                self.sum(a, b)
            }
        }
    }

    /// A comparison, as the text of an expression of type `int`.
    pub fn condition(&mut self, depth: usize, leaf: &mut dyn FnMut(&mut Random) -> Expr) -> String {
        let a = self.expression(depth.min(1), leaf);
        let b = if self.random.one_in(2) {
            self.number()
        } else {
            leaf(self.random)
        };
        let relation = self.random.pick(&["<", ">", "<=", ">=", "==", "!="]);
        if self.random.one_in(6) {
            return format!("(({} & 3) == 1)", a.integer().text);
        }
        format!("({} {relation} {})", a.text, b.text)
    }

    fn number(&mut self) -> Expr {
        Expr::constant(
            self.random
                .pick(&[0, 1, 2, 3, 5, 7, 10, 16, 100, 127, 255, 1000, -1, -3, -128, 30000]),
        )
    }

    fn cast(&mut self, a: &Expr) -> Expr {
        let ty = self.random.pick(&TYPES);
        let value = if ty.is_float { a.clone() } else { a.clone().integer() };
        let text = format!("(({}){})", ty.name, value.text);
        if !ty.is_float && ty.holds(value.low, value.high) {
            return Expr::within(text, ty, value.low, value.high);
        }
        Expr::of(text, ty)
    }

    fn unary(&mut self, a: Expr) -> Expr {
        if a.ty.is_float {
            let (name, ty) = (self.random.pick(&["-", "__builtin_fabs"]), a.ty);
            return Expr::of(format!("(({}){name}({}))", ty.name, a.text), ty);
        }
        match self.random.below(3) {
            0 => Expr::of(format!("(~{})", a.text), a.ty),
            1 if a.ty.is_signed && a.low > a.ty.range().0 => {
                let text = format!("({0} < 0 ? -{0} : {0})", a.text);
                Expr::within(text, a.ty, 0, a.low.abs().max(a.high.abs()))
            }
            _ => {
                let zero = Expr::constant(0);
                self.arithmetic("-", zero, a)
            }
        }
    }

    fn choice(&mut self, flag: &str, a: Expr, b: Expr) -> Expr {
        let (a, b) = self.same(a, b);
        let text = format!("({flag} ? {} : {})", a.text, b.text);
        if a.ty.is_float {
            return Expr::of(text, a.ty);
        }
        Expr::within(text, a.ty, a.low.min(b.low), a.high.max(b.high))
    }

    /// The smaller or the larger one.
    fn extreme(&mut self, a: Expr, b: Expr) -> Expr {
        let (a, b) = self.same(a, b);
        let relation = self.random.pick(&["<", ">"]);
        let flag = format!("({} {relation} {})", a.text, b.text);
        self.choice(&flag, a, b)
    }

    /// Both in the type that C computes with.
    fn same(&mut self, a: Expr, b: Expr) -> (Expr, Expr) {
        let ty = match (a.ty.is_float, b.ty.is_float) {
            (true, true) => self.random.pick(&[a.ty, b.ty]),
            (true, false) => a.ty,
            (false, true) => b.ty,
            (false, false) => common(a.ty, b.ty),
        };
        (a.converted(ty), b.converted(ty))
    }

    fn sum(&mut self, a: Expr, b: Expr) -> Expr {
        let op = self.random.pick(&["+", "-", "*", "+"]);
        self.arithmetic(op, a, b)
    }

    fn arithmetic(&mut self, op: &str, a: Expr, b: Expr) -> Expr {
        let (a, b) = self.same(a, b);
        if a.ty.is_float {
            return Expr::of(format!("({} {op} {})", a.text, b.text), a.ty);
        }
        let ends = |x: i128, y: i128| match op {
            "+" => x.checked_add(y),
            "-" => x.checked_sub(y),
            _ => x.checked_mul(y),
        };
        let corners = [
            ends(a.low, b.low),
            ends(a.low, b.high),
            ends(a.high, b.low),
            ends(a.high, b.high),
        ];
        let fits = corners.iter().all(|end| end.is_some_and(|end| a.ty.holds(end, end)));
        if fits {
            let ends: Vec<i128> = corners.into_iter().flatten().collect();
            let (low, high) = (ends.iter().min().copied(), ends.iter().max().copied());
            let text = format!("({} {op} {})", a.text, b.text);
            return Expr::within(text, a.ty, low.unwrap_or(0), high.unwrap_or(0));
        }
        let ty = a.ty.unsigned();
        Expr::of(format!("({} {op} {})", a.converted(ty).text, b.converted(ty).text), ty)
    }

    fn bitwise(&mut self, a: Expr, b: Expr) -> Expr {
        let op = self.random.pick(&["&", "|", "^"]);
        let (a, b) = self.same(a.integer(), b.integer());
        let text = format!("({} {op} {})", a.text, b.text);
        if op == "&" && b.low >= 0 {
            return Expr::within(text, a.ty, 0, b.high);
        }
        Expr::of(text, a.ty)
    }

    fn shift(&mut self, a: Expr, b: Expr) -> Expr {
        let a = a.integer();
        let most = a.ty.bits - 1;
        let distance = if self.random.one_in(2) {
            self.random.below(most as usize + 1).to_string()
        } else {
            format!("({} & {most})", b.integer().text)
        };
        if self.random.one_in(2) {
            return Expr::of(format!("({} >> {distance})", a.text), a.ty);
        }
        let ty = a.ty.unsigned();
        Expr::of(format!("({} << {distance})", a.converted(ty).text), ty)
    }

    fn division(&mut self, a: Expr, b: Expr) -> Expr {
        if a.ty.is_float {
            return Expr::of(format!("({} / 3)", a.text), a.ty);
        }
        let op = self.random.pick(&["/", "%"]);
        let (divisor, ty) = if self.random.one_in(2) {
            (self.random.pick(&["3", "7", "10", "16", "255"]).to_owned(), a.ty)
        } else {
            // It may have the wider type, in which it is positive, too.
            let b = b.integer();
            (format!("(({} & 63) + 1)", b.text), common(a.ty, b.ty))
        };
        Expr::of(format!("({} {op} {divisor})", a.text), ty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn maker_with(random: &mut Random) -> Maker<'_> {
        Maker { random }
    }

    #[test]
    fn signed_results_that_may_not_fit_are_computed_unsigned() {
        let mut random = Random::new(1);
        let mut maker = maker_with(&mut random);
        let byte = || Expr::of("b".to_owned(), TYPES[1]);
        let word = || Expr::of("w".to_owned(), I32);
        assert_eq!(maker.arithmetic("*", byte(), byte()).text, "(b * b)");
        assert_eq!(maker.arithmetic("+", word(), word()).text, "(((u32)w) + ((u32)w))");
        let difference = maker.arithmetic("-", byte(), byte());
        assert_eq!((difference.low, difference.high), (-255, 255));
    }
}
