//! Rust beyond C: enums with data, traits, closures, 128-bit integers, unwinding, slices, checked arithmetic, atomics.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

pub enum Shape {
    Nothing,
    Circle { radius: f64 },
    Text(String),
    Numbers(Vec<u16>, Option<char>),
}

pub trait Measure {
    fn size(&self) -> usize;
    fn describe(&self) -> String {
        format!("size {}", self.size())
    }
}

impl Measure for Shape {
    fn size(&self) -> usize {
        match self {
            Shape::Nothing => 0,
            Shape::Circle { radius } => *radius as usize,
            Shape::Text(text) => text.bytes().filter(u8::is_ascii_alphanumeric).count(),
            Shape::Numbers(numbers, last) => numbers.len() + last.map_or(0, char::len_utf8),
        }
    }
}

static COUNTER: AtomicU64 = AtomicU64::new(5);

#[inline(never)]
pub fn wide(a: u128, b: i128) -> (u128, i128, bool) {
    let (sum, over) = a.overflowing_add(b as u128);
    (sum.rotate_left(17) / 7, b.saturating_mul(3) >> 5, over)
}

#[inline(never)]
pub fn checked(values: &[i32], at: usize) -> Option<i32> {
    values.get(at)?.checked_mul(1000)?.checked_add(values[at / 2])
}

pub fn boxed(shapes: Vec<Box<dyn Measure>>) -> Result<usize, String> {
    let mut text = String::new();
    for shape in &shapes {
        write!(text, "{};", shape.describe()).map_err(|e| e.to_string())?;
    }
    if text.is_empty() { Err("nothing".to_owned()) } else { Ok(text.len()) }
}

pub fn caught(n: u32) -> Result<u32, ()> {
    std::panic::catch_unwind(move || if n > 3 { panic!("too many: {n}") } else { n * 2 }).map_err(drop)
}

pub fn longest<'a>(texts: &[&'a str]) -> (&'a str, char) {
    let mut best = ("", '\0');
    for text in texts {
        COUNTER.fetch_max(text.len() as u64, Ordering::AcqRel);
        if let Some(last) = text.as_bytes().last()
            && text.len() > best.0.len()
        {
            best = (text, char::from(*last));
        }
    }
    best
}
