//! A function of a generated module while its text is made.
//!
//! A function gets the address of its inputs and that of its outputs, each of which has a place of its own. What an
//! input may be, and how an output is compared, the [driver](super) reads in the module's table.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use frazil_test_support::Random;

use super::types::{Element, Type};

/// Bytes between inputs, and between outputs: as many as the longest vector has.
pub const PLACE: usize = 1024;
/// The most inputs, and the most outputs.
pub const PLACES: usize = 4;

/// What an input may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Borders and any numbers, all bits of integers and addresses; floats with quiet NaNs only.
    Any,
    /// Floats that are small integers, so that the order of sums does not matter.
    Small,
    /// Floats whose integral part is a signed integer of so many bits, or of as many as are finite.
    Signed(u32),
    /// The same without sign.
    Unsigned(u32),
}

/// A function while it is made.
pub struct Maker<'a> {
    pub random: &'a mut Random,
    /// Instructions, and blocks between them.
    pub body: String,
    /// What the instructions call, for all functions of a module.
    pub declarations: &'a mut BTreeSet<String>,
    /// Functions and variables that belong to this one.
    pub others: String,
    /// The name of the function.
    pub name: String,
    /// By place, what the driver is told.
    pub inputs: Vec<u64>,
    pub outputs: Vec<u64>,
    next: usize,
}

impl<'a> Maker<'a> {
    /// A function of this name without instructions.
    pub fn new(name: String, random: &'a mut Random, declarations: &'a mut BTreeSet<String>) -> Maker<'a> {
        Maker {
            random,
            body: String::new(),
            declarations,
            others: String::new(),
            name,
            inputs: Vec::new(),
            outputs: Vec::new(),
            next: 0,
        }
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u32) -> u32 {
        self.random.below(limit as usize) as u32
    }

    /// A name that is not used yet.
    pub fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    /// Appends an instruction without result.
    pub fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "  {text}");
    }

    /// Appends an instruction; returns its result.
    pub fn emit(&mut self, text: &str) -> String {
        let name = self.fresh();
        let _ = writeln!(self.body, "  {name} = {text}");
        name
    }

    /// Appends a call of an intrinsic with these arguments; returns its result.
    pub fn call(&mut self, result: &str, name: &str, arguments: &[(String, String)]) -> String {
        let call = self.call_text(result, name, arguments);
        self.emit(&call)
    }

    /// A call of an intrinsic, which is declared. Arguments have types and operands.
    pub fn call_text(&mut self, result: &str, name: &str, arguments: &[(String, String)]) -> String {
        let types: Vec<&str> = arguments.iter().map(|(ty, _)| ty.as_str()).collect();
        let operands: Vec<String> = arguments
            .iter()
            .map(|(ty, operand)| format!("{ty} {operand}"))
            .collect();
        self.declarations
            .insert(format!("declare {result} @{name}({})", types.join(", ")));
        format!("call {result} @{name}({})", operands.join(", "))
    }

    /// The address of an input that is filled like a value of this type.
    pub fn input_address(&mut self, ty: Type, fill: Fill) -> String {
        let most = ty.element.whole_bits();
        let brain = if ty.element == Element::Brain { 4 } else { 0 };
        let (kind, limit): (u64, u32) = match (fill, ty.element.is_float()) {
            (_, false) => (0, 0),
            (Fill::Any, true) => (1, 0),
            (Fill::Small, true) => (2, 3),
            (Fill::Signed(bits), true) => (2, bits.min(most) - 1),
            (Fill::Unsigned(bits), true) => (3, bits.min(most - 1)),
        };
        // Wider scalars, which casts have, are filled piece by piece.
        let width = u64::from(ty.element.bits().min(128));
        let description = kind | brain | width << 8 | u64::from(limit) << 16 | u64::from(ty.bits()) << 32;
        let offset = self.inputs.len() * PLACE;
        assert!(self.inputs.len() < PLACES, "{}: too many inputs", self.name);
        self.inputs.push(description);
        self.emit(&format!("getelementptr i8, ptr %in, i64 {offset}"))
    }

    /// An input in a register.
    pub fn input(&mut self, ty: Type, fill: Fill) -> String {
        let address = self.input_address(ty, fill);
        let align = self.alignment(ty);
        self.emit(&format!("load {ty}, ptr {address}{align}"))
    }

    /// An operand that may be constant.
    pub fn operand(&mut self, ty: Type, fill: Fill) -> String {
        if fill == Fill::Any && self.random.below(5) == 0 {
            return ty.literal(self.random);
        }
        self.input(ty, fill)
    }

    fn alignment(&mut self, ty: Type) -> &'static str {
        // Places have no more than 64 bytes.
        match self.random.below(3) {
            0 if ty.bytes() <= 64 => "",
            0 | 1 => ", align 1",
            _ => ", align 8",
        }
    }

    /// The address of an output of this type.
    pub fn output_address(&mut self, ty: Type) -> String {
        let kind: u64 = match ty.element {
            Element::Float => 1,
            Element::Double => 2,
            Element::Half => 3,
            Element::Brain => 4,
            Element::Quad => 5,
            Element::Int(_) | Element::Pointer => 0,
        };
        let offset = self.outputs.len() * PLACE;
        assert!(self.outputs.len() < PLACES, "{}: too many outputs", self.name);
        self.outputs.push(kind | u64::from(ty.bytes()) << 32);
        self.emit(&format!("getelementptr i8, ptr %out, i64 {offset}"))
    }

    /// Compares a value.
    pub fn output(&mut self, ty: Type, value: &str) {
        let address = self.output_address(ty);
        let align = self.alignment(ty);
        self.line(&format!("store {ty} {value}, ptr {address}{align}"));
    }

    /// Compares the lanes of a vector that are said to be good.
    pub fn output_lanes(&mut self, ty: Type, value: &str, is_good: &[bool]) {
        if is_good.iter().all(|good| *good) {
            return self.output(ty, value);
        }
        let lanes: Vec<String> = is_good.iter().map(bool::to_string).collect();
        let mask = ty.truth().of_lanes(&lanes);
        let chosen = self.emit(&format!(
            "select {} {mask}, {ty} {value}, {ty} zeroinitializer",
            ty.truth()
        ));
        self.output(ty, &chosen);
    }

    /// The function's text.
    pub fn text(&self, attributes: usize) -> String {
        let personality = match self.body.contains("landingpad") {
            true => " personality ptr @__gxx_personality_v0",
            false => "",
        };
        format!(
            "{}define void @{}(ptr %in, ptr %out) #{attributes}{personality} {{\nentry:\n{}  ret void\n}}\n",
            self.others.replace("noinline", &format!("noinline #{attributes}")),
            self.name,
            self.body
        )
    }

    /// Its row in the module's table.
    pub fn row(&self, number: u64) -> String {
        let words = |list: &[u64]| {
            let word = |place: usize| format!("i64 {}", list.get(place).copied().unwrap_or(0));
            (0..PLACES).map(word).collect::<Vec<_>>().join(", ")
        };
        format!(
            "%row {{ ptr @{}, i64 {number}, [4 x i64] [{}], [4 x i64] [{}] }}",
            self.name,
            words(&self.inputs),
            words(&self.outputs)
        )
    }
}
