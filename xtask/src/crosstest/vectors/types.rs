//! The types of generated vectors: which elements there are, how many lanes, and what constants of them look like.

use std::fmt;

use frazil_test_support::Random;

/// The type of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// An integer of so many bits.
    Int(u32),
    Half,
    /// `bfloat`.
    Brain,
    Float,
    Double,
    /// `fp128`.
    Quad,
    Pointer,
}

/// Elements of which vectors are made, the commonest more than once.
const ELEMENTS: [Element; 26] = [
    Element::Int(1),
    Element::Int(8),
    Element::Int(16),
    Element::Int(32),
    Element::Int(64),
    Element::Float,
    Element::Double,
    Element::Int(1),
    Element::Int(8),
    Element::Int(16),
    Element::Int(32),
    Element::Int(64),
    Element::Float,
    Element::Double,
    Element::Int(3),
    Element::Int(7),
    Element::Int(24),
    Element::Int(33),
    Element::Int(48),
    Element::Int(128),
    Element::Half,
    Element::Half,
    Element::Brain,
    Element::Brain,
    Element::Quad,
    Element::Pointer,
];

/// Floating-point numbers, the commonest more than once.
pub const FLOATS: [Element; 8] = [
    Element::Float,
    Element::Float,
    Element::Double,
    Element::Double,
    Element::Half,
    Element::Half,
    Element::Brain,
    Element::Quad,
];

/// Constants of `fp128`, lower half first: 0, -0, 1, -1.5, 0.125 and the next number after 1.
const QUADS: [&str; 6] = [
    "0xL00000000000000000000000000000000",
    "0xL00000000000000008000000000000000",
    "0xL00000000000000003FFF000000000000",
    "0xL0000000000000000BFFF800000000000",
    "0xL00000000000000003FFC000000000000",
    "0xL00000000000000013FFF000000000000",
];

/// Numbers of lanes that registers have, and those beside them.
const LANES: [u32; 14] = [1, 2, 2, 3, 4, 4, 5, 7, 8, 8, 16, 16, 32, 64];

/// The most lanes of a vector.
pub const MOST_LANES: u32 = 64;

impl Element {
    /// Bits of a lane in memory.
    pub fn bits(self) -> u32 {
        match self {
            Element::Int(bits) => bits,
            Element::Half | Element::Brain => 16,
            Element::Float => 32,
            Element::Double | Element::Pointer => 64,
            Element::Quad => 128,
        }
    }

    /// The width of an integer.
    pub fn int_bits(self) -> Option<u32> {
        match self {
            Element::Int(bits) => Some(bits),
            _ => None,
        }
    }

    /// Whether lanes are floating-point numbers.
    pub fn is_float(self) -> bool {
        FLOATS.contains(&self)
    }

    /// The widest integers that all fit into a floating-point number, sign included, without becoming infinite.
    pub fn whole_bits(self) -> u32 {
        if self == Element::Half { 16 } else { 128 }
    }

    /// The constant 0, or `+0.0`.
    pub fn zero(self) -> &'static str {
        match self {
            Element::Int(1) => "false",
            Element::Int(_) => "0",
            Element::Quad => QUADS[0],
            Element::Pointer => "null",
            _ => "0.0",
        }
    }

    /// Whether lanes are apart in memory by what they are wide, by all rules.
    pub fn has_whole_bytes(self) -> bool {
        self.bits() >= 8 && self.bits().is_power_of_two()
    }

    /// Whether `llc-22` loads and stores vectors of so many lanes without a mistake: `<24 x i3>` and `<40 x i7>` are
    /// not what they were when they are loaded and stored.
    pub fn allows(self, lanes: u32) -> bool {
        let is_odd = matches!(self, Element::Int(2..)) && !self.has_whole_bytes();
        (1..=MOST_LANES).contains(&lanes) && !(is_odd && lanes.is_multiple_of(8) && !lanes.is_power_of_two())
    }

    /// One that is accepted.
    pub fn random(random: &mut Random, is_accepted: fn(Element) -> bool) -> Element {
        loop {
            let element = random.pick(&ELEMENTS);
            if is_accepted(element) {
                return element;
            }
        }
    }

    /// A constant of the type.
    pub fn literal(self, random: &mut Random) -> String {
        match self {
            Element::Int(1) => random.pick(&["true", "false"]).to_owned(),
            Element::Int(bits) => {
                let most = bits.min(62) - 1;
                let value = match random.below(4) {
                    0 => random.pick(&[0, 1, -1]),
                    1 => -(1 << most),
                    2 => (1 << most) - 1,
                    _ => (random.next_word() >> 2).cast_signed() >> (61 - most),
                };
                value.to_string()
            }
            Element::Half => {
                let numbers = ["0.0", "-0.0", "1.0", "-1.5", "3.0", "0.125", "-2048.0", "65504.0"];
                random.pick(&numbers).to_owned()
            }
            Element::Brain | Element::Float | Element::Double => {
                let numbers = ["0.0", "-0.0", "1.0", "-1.5", "3.0", "0.125", "-65536.0", "8388608.0"];
                random.pick(&numbers).to_owned()
            }
            Element::Quad => random.pick(&QUADS).to_owned(),
            Element::Pointer => "null".to_owned(),
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Int(bits) => write!(f, "i{bits}"),
            Element::Half => f.write_str("half"),
            Element::Brain => f.write_str("bfloat"),
            Element::Float => f.write_str("float"),
            Element::Double => f.write_str("double"),
            Element::Quad => f.write_str("fp128"),
            Element::Pointer => f.write_str("ptr"),
        }
    }
}

/// A vector, or a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    pub element: Element,
    /// Number of lanes; 0 for a scalar.
    pub lanes: u32,
}

impl Type {
    /// So many lanes of an element.
    pub const fn vector(element: Element, lanes: u32) -> Type {
        Type { element, lanes }
    }

    /// An element by itself.
    pub const fn scalar(element: Element) -> Type {
        Type { element, lanes: 0 }
    }

    /// A vector of as many truth values as this has lanes, or one.
    pub fn truth(self) -> Type {
        self.with(Element::Int(1))
    }

    /// The same with other elements.
    pub fn with(self, element: Element) -> Type {
        Type { element, ..self }
    }

    /// Its element as a scalar.
    pub fn lane(self) -> Type {
        Type::scalar(self.element)
    }

    /// Bits of the value.
    pub fn bits(self) -> u32 {
        self.element.bits() * self.lanes.max(1)
    }

    /// Bytes of the value in memory.
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// What names of overloaded intrinsics call it.
    pub fn suffix(self) -> String {
        let element = match self.element {
            Element::Int(bits) => format!("i{bits}"),
            Element::Half => "f16".to_owned(),
            Element::Brain => "bf16".to_owned(),
            Element::Float => "f32".to_owned(),
            Element::Double => "f64".to_owned(),
            Element::Quad => "f128".to_owned(),
            Element::Pointer => "p0".to_owned(),
        };
        match self.lanes {
            0 => element,
            lanes => format!("v{lanes}{element}"),
        }
    }

    /// A constant of the type.
    pub fn literal(self, random: &mut Random) -> String {
        if self.lanes == 0 {
            return self.element.literal(random);
        }
        let first = self.element.literal(random);
        let pattern = random.below(3);
        let lanes: Vec<String> = (0..self.lanes)
            .map(|_| match pattern {
                0 => first.clone(),
                _ => self.element.literal(random),
            })
            .collect();
        self.of_lanes(&lanes)
    }

    /// A constant with the same in each of its lanes.
    pub fn splat(self, lane: &str) -> String {
        match self.lanes {
            0 => lane.to_owned(),
            lanes => self.of_lanes(&vec![lane.to_owned(); lanes as usize]),
        }
    }

    /// A constant of these lanes.
    pub fn of_lanes(self, lanes: &[String]) -> String {
        let lanes: Vec<String> = lanes.iter().map(|lane| format!("{} {lane}", self.element)).collect();
        format!("<{}>", lanes.join(", "))
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lanes {
            0 => self.element.fmt(f),
            lanes => write!(f, "<{lanes} x {}>", self.element),
        }
    }
}

/// A number of lanes of such elements.
pub fn lanes(random: &mut Random, element: Element) -> u32 {
    loop {
        let lanes = match random.below(3) {
            0 => 1 + random.below(MOST_LANES as usize) as u32,
            _ => random.pick(&LANES),
        };
        if element.allows(lanes) {
            return lanes;
        }
    }
}
