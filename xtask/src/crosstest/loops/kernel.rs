//! One function of a program of `crosstest --loops`: a nest of loops over arrays.
//!
//! A function has parameters that point to arrays of several types, which may overlap, a bound that only the caller
//! knows, scalars, and sometimes an array of its own. Loops count up, down or in steps, in variables of several types;
//! their bodies assign to elements with affine, masked or indirect indices, reduce, branch, leave early, and carry
//! values from one iteration to the next. Every index is in its array: the range of each loop's variable is known.

use std::fmt::Write as _;

use frazil_test_support::Random;

use crate::crosstest::expression::{Expr, Maker, TYPES, Type};

/// Elements of every array that a parameter points to. A power of two, for masks.
pub const LENGTH: usize = 128;
/// The largest bound that a caller gives.
pub const MOST_BOUND: usize = 40;
/// Elements of an array of the function's own.
const LOCAL_LENGTH: usize = 32;
/// How deep loops are nested.
const DEEPEST: usize = 3;

/// Types of loop variables by their places among all types; `int` comes most often.
const COUNTERS: [usize; 8] = [5, 5, 5, 4, 7, 6, 0, 3];

/// What a pointer of a parameter points to.
#[derive(Clone, Debug)]
pub enum Pointee {
    /// Elements of a type, by its place among all.
    Scalars(usize),
    /// Structures with fields of several types.
    Records,
}

/// The fields of structures, by name and type.
pub const FIELDS: [(&str, usize); 4] = [("a", 0), ("b", 5), ("c", 2), ("d", 7)];

/// A function: what callers must know, and its text.
#[derive(Debug)]
pub struct Kernel {
    pub name: String,
    pub pointers: Vec<Pointee>,
    /// Whether pointers must not overlap.
    pub is_restrict: bool,
    pub text: String,
}

/// An array that statements use.
#[derive(Clone)]
struct Array {
    name: String,
    /// The field that an index selects, if elements are structures.
    field: String,
    ty: Type,
    length: usize,
}

/// A loop variable with its range.
#[derive(Clone)]
struct Counter {
    name: String,
    ty: Type,
    low: i128,
    high: i128,
}

/// A scalar variable.
#[derive(Clone)]
struct Scalar {
    name: String,
    ty: Type,
    is_written: bool,
}

struct Builder<'r> {
    random: &'r mut Random,
    arrays: Vec<Array>,
    counters: Vec<Counter>,
    scalars: Vec<Scalar>,
    text: String,
    next: usize,
    indent: usize,
    /// Statements that may still be made.
    left: usize,
}

/// Makes a function of this name.
pub fn make(random: &mut Random, name: String) -> Kernel {
    let is_restrict = random.one_in(3);
    let favorite = random.below(TYPES.len());
    let pointers: Vec<Pointee> = (0..1 + random.below(3))
        .map(|_| match random.below(8) {
            0 => Pointee::Records,
            1..5 => Pointee::Scalars(favorite),
            _ => Pointee::Scalars(random.below(TYPES.len())),
        })
        .collect();
    let mut builder = Builder {
        random,
        arrays: Vec::new(),
        counters: Vec::new(),
        scalars: Vec::new(),
        text: String::new(),
        next: 0,
        indent: 1,
        left: 12,
    };
    let head = builder.parameters(&name, &pointers, is_restrict);
    builder.body();
    Kernel {
        name,
        pointers,
        is_restrict,
        text: format!("{head} {{\n{}}}\n\n", builder.text),
    }
}

impl Builder<'_> {
    /// Declares the parameters; the head of the function.
    fn parameters(&mut self, name: &str, pointers: &[Pointee], is_restrict: bool) -> String {
        let restrict = if is_restrict { "restrict " } else { "" };
        let mut list = Vec::new();
        for (index, pointee) in pointers.iter().enumerate() {
            let name = format!("p{index}");
            match pointee {
                Pointee::Scalars(ty) => {
                    list.push(format!("{} *{restrict}{name}", TYPES[*ty].name));
                    self.add_array(name, String::new(), TYPES[*ty], LENGTH);
                }
                Pointee::Records => {
                    list.push(format!("struct record *{restrict}{name}"));
                    for (field, ty) in FIELDS {
                        self.add_array(name.clone(), format!(".{field}"), TYPES[ty], LENGTH);
                    }
                }
            }
        }
        list.push("i32 n".to_owned());
        for name in ["x", "y"] {
            let ty = self.random.pick(&TYPES);
            list.push(format!("{} {name}", ty.name));
            self.scalars.push(Scalar {
                name: name.to_owned(),
                ty,
                is_written: false,
            });
        }
        format!("__attribute__((noinline)) u64 {name}({})", list.join(", "))
    }

    fn add_array(&mut self, name: String, field: String, ty: Type, length: usize) {
        self.arrays.push(Array {
            name,
            field,
            ty,
            length,
        });
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:width$}{text}", "", width = 4 * self.indent);
    }

    fn fresh(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    fn body(&mut self) {
        for _ in 0..1 + self.random.below(3) {
            let (ty, name) = (self.random.pick(&TYPES), format!("s{}", self.fresh()));
            let start = match self.random.below(3) {
                0 => self.random.pick(&["0", "1", "100"]).to_owned(),
                parameter => {
                    let value = self.scalars[parameter - 1].clone();
                    Expr::of(value.name, value.ty).stored(ty)
                }
            };
            self.line(&format!("{} {name} = {start};", ty.name));
            self.scalars.push(Scalar {
                name,
                ty,
                is_written: true,
            });
        }
        if self.random.one_in(4) {
            self.local_array();
        }
        for _ in 0..1 + self.random.below(2) {
            self.repeat();
        }
        let sums: Vec<String> = self
            .scalars
            .iter()
            .filter(|scalar| scalar.is_written)
            .map(|scalar| format!("of_{}({})", scalar.ty.name, scalar.name))
            .collect();
        self.line(&format!("return {};", sums.join(" * 31 + ")));
    }

    /// An array of the function's own, which a loop fills.
    fn local_array(&mut self) {
        let ty = self.random.pick(&TYPES);
        let factor = self.random.pick(&[1, 3, 7]);
        self.line(&format!("{} local[{LOCAL_LENGTH}];", ty.name));
        self.line(&format!(
            "for (i32 l = 0; l < {LOCAL_LENGTH}; l++) local[l] = ({})(l * {factor});",
            ty.name
        ));
        self.add_array("local".to_owned(), String::new(), ty, LOCAL_LENGTH);
    }

    /// An element of an array, as an lvalue.
    fn element(&mut self, array: &Array) -> String {
        let index = self.index(array.length);
        format!("{}[{index}]{}", array.name, array.field)
    }

    /// An index below `length`: affine in the loop variables if that fits, else masked, or read from an array.
    fn index(&mut self, length: usize) -> String {
        let length = length as i128;
        let Some(inner) = self.counters.last().cloned() else {
            return self.random.below(length as usize).to_string();
        };
        if self.random.one_in(10) {
            let outer = self.random.below(self.counters.len());
            let counter = self.counters[outer].clone();
            return self.indirect(&counter, length);
        }
        let counter = if self.random.one_in(4) {
            let any = self.random.below(self.counters.len());
            self.counters[any].clone()
        } else {
            inner.clone()
        };
        let factor = self.random.pick(&[1, 1, 1, 1, 2, 3, -1]);
        let (mut text, mut low, mut high) = (format!("(i64){}", counter.name), counter.low, counter.high);
        if factor != 1 {
            text = format!("{text} * {factor}");
            (low, high) = ((low * factor).min(high * factor), (low * factor).max(high * factor));
        }
        if self.counters.len() > 1 && self.random.one_in(2) {
            let outer = self.counters[self.counters.len() - 2].clone();
            let factor = self.random.pick(&[1, 4, 8, 11]);
            text = format!("{text} + (i64){} * {factor}", outer.name);
            low += (outer.low * factor).min(outer.high * factor);
            high += (outer.low * factor).max(outer.high * factor);
        }
        if high - low >= length {
            return format!("({text}) & {}", length - 1);
        }
        // Any offset with which both ends are in the array; often the smallest.
        let room = length - 1 - (high - low);
        let most = if self.random.one_in(2) { room.min(2) } else { room };
        let offset = self.random.below(most as usize + 1) as i128 - low;
        match offset {
            0 => text,
            _ => format!("{text} + {offset}"),
        }
    }

    /// An index that is read from an array of integers.
    fn indirect(&mut self, counter: &Counter, length: i128) -> String {
        let integers: Vec<usize> = (0..self.arrays.len())
            .filter(|&index| !self.arrays[index].ty.is_float)
            .collect();
        match self.random.pick_if_any(&integers) {
            Some(index) => {
                let array = &self.arrays[index];
                let mask = array.length - 1;
                format!(
                    "{}[(u64){} & {mask}]{} & {}",
                    array.name,
                    counter.name,
                    array.field,
                    length - 1
                )
            }
            None => format!("(u64){} & {}", counter.name, length - 1),
        }
    }

    /// An expression of elements, loop variables and scalars.
    fn expression(&mut self, depth: usize) -> Expr {
        let leaves = self.leaves();
        let mut leaf = |random: &mut Random| leaves[random.below(leaves.len())].clone();
        Maker { random: self.random }.expression(depth, &mut leaf)
    }

    fn condition(&mut self) -> String {
        let leaves = self.leaves();
        let mut leaf = |random: &mut Random| leaves[random.below(leaves.len())].clone();
        Maker { random: self.random }.condition(1, &mut leaf)
    }

    /// What the next expression may name: some elements, a loop variable and a scalar.
    fn leaves(&mut self) -> Vec<Expr> {
        let mut leaves = Vec::new();
        for _ in 0..3 {
            let array = self.some_array();
            let element = self.element(&array);
            leaves.push(Expr::of(element, array.ty));
        }
        if let Some(counter) = self.counters.last()
            && self.random.one_in(2)
        {
            leaves.push(Expr::within(
                counter.name.clone(),
                counter.ty,
                counter.low,
                counter.high,
            ));
        }
        let scalar = self.some_scalar();
        leaves.push(Expr::of(scalar.name, scalar.ty));
        leaves
    }

    fn some_array(&mut self) -> Array {
        let index = self.random.below(self.arrays.len());
        self.arrays[index].clone()
    }

    fn some_scalar(&mut self) -> Scalar {
        let index = self.random.below(self.scalars.len());
        self.scalars[index].clone()
    }

    /// A loop with statements.
    fn repeat(&mut self) {
        let (name, low, high) = (
            format!("at{}", self.fresh()),
            self.random.below(3) as i128,
            MOST_BOUND as i128,
        );
        let ty = TYPES[self.random.pick(&COUNTERS)];
        let counter = ty.name;
        // The inner ones are shorter, so that a nest ends soon.
        let is_inner = !self.counters.is_empty();
        let constant = self.random.pick(if is_inner {
            &[3, 4, 7, 8, 16]
        } else {
            &[8, 15, 32, 33, 40]
        });
        let uses_bound = self.random.one_in(2);
        let bound = match (uses_bound, is_inner) {
            (true, false) => "n".to_owned(),
            (true, true) => "(n & 7)".to_owned(),
            _ => constant.to_string(),
        };
        let end = match (uses_bound, is_inner) {
            (true, false) => high,
            (true, true) => 7,
            _ => constant,
        };
        let step = self.random.pick(&[1, 1, 1, 1, 2, 3]);
        let head = match self.random.below(6) {
            0 => format!("for ({counter} {name} = ({counter}){bound}; {name}-- > 0;)"),
            1 => format!("for ({counter} {name} = {low}; {name} <= {bound}; {name} += {step})"),
            _ => format!("for ({counter} {name} = {low}; {name} < {bound}; {name} += {step})"),
        };
        self.line(&format!("{head} {{"));
        self.indent += 1;
        self.counters.push(Counter {
            name,
            ty,
            low: 0,
            high: end,
        });
        for _ in 0..1 + self.random.below(3) {
            self.statement();
        }
        self.counters.pop();
        self.indent -= 1;
        self.line("}");
    }

    fn statement(&mut self) {
        if self.left == 0 {
            return self.assign();
        }
        self.left -= 1;
        match self.random.below(14) {
            0..4 => self.assign(),
            4..7 => self.reduce(),
            7 | 8 => self.branch(),
            9 if self.counters.len() < DEEPEST => self.repeat(),
            10 => self.update(),
            11 => self.temporary(),
            12 if self.random.one_in(2) => {
                let (condition, how) = (self.condition(), self.random.pick(&["break", "continue"]));
                self.line(&format!("if ({condition}) {how};"));
            }
            _ => self.assign(),
        }
    }

    fn assign(&mut self) {
        let array = self.some_array();
        let element = self.element(&array);
        let value = self.expression(3);
        let value = value.stored(array.ty);
        self.line(&format!("{element} = {value};"));
    }

    /// An element is computed of itself.
    fn update(&mut self) {
        let array = self.some_array();
        let element = self.element(&array);
        let value = self.expression(2);
        let own = Expr::of(element.clone(), array.ty);
        let mut leaf = |_: &mut Random| own.clone();
        let sum = Maker { random: self.random }.expression(1, &mut leaf);
        let (sum, value) = (sum.stored(array.ty), value.stored(array.ty));
        let op = self
            .random
            .pick(if array.ty.is_float { &["+", "-"] } else { &["^", "|"] });
        self.line(&format!("{element} = ({})({sum} {op} {value});", array.ty.name));
    }

    /// A scalar takes something of every iteration.
    fn reduce(&mut self) {
        let written: Vec<usize> = (0..self.scalars.len())
            .filter(|&index| self.scalars[index].is_written)
            .collect();
        let Some(index) = self.random.pick_if_any(&written) else {
            return self.assign();
        };
        let Scalar { name, ty, .. } = self.scalars[index].clone();
        let value = self.expression(2);
        let value = value.stored(ty);
        let condition = if self.random.one_in(4) {
            format!("if {} ", self.condition())
        } else {
            String::new()
        };
        let (wide, own) = if ty.is_float {
            (ty.name, name.clone())
        } else {
            ("u64", format!("(u64){name}"))
        };
        let text = match self.random.below(6) {
            0 => format!("{name} = {value} > {name} ? {value} : {name};"),
            1 => format!("{name} = {value} < {name} ? {value} : {name};"),
            2 if !ty.is_float => format!("{name} ^= {value};"),
            3 if !ty.is_float => format!("{name} |= {value} & 85;"),
            // What was in the iteration before.
            4 => {
                let array = self.some_array();
                let element = self.element(&array);
                let before = Expr::of(name.clone(), ty).stored(array.ty);
                format!("{{ {element} = {before}; {name} = {value}; }}")
            }
            _ => format!("{name} = ({})({own} + ({wide}){value});", ty.name),
        };
        self.line(&format!("{condition}{text}"));
    }

    fn branch(&mut self) {
        let condition = self.condition();
        self.line(&format!("if ({condition}) {{"));
        self.side();
        if self.random.one_in(2) {
            self.line("} else {");
            self.side();
        }
        self.line("}");
    }

    /// The statements of one side of a branch.
    fn side(&mut self) {
        self.indent += 1;
        for _ in 0..1 + self.random.below(2) {
            self.statement();
        }
        self.indent -= 1;
    }

    /// A variable of one iteration, or of one side of a branch; only the next statement sees it.
    fn temporary(&mut self) {
        let (name, ty) = (format!("t{}", self.fresh()), self.random.pick(&TYPES));
        let value = self.expression(2);
        let value = value.stored(ty);
        self.line(&format!("{} {name} = {value};", ty.name));
        self.scalars.push(Scalar {
            name,
            ty,
            is_written: false,
        });
        self.assign();
        self.reduce();
        self.scalars.pop();
    }
}
