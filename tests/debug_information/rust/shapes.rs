//! Enumerations with and without contents, references to them, slices and text.

use std::fmt::Display;

#[derive(Debug, Clone, PartialEq)]
enum Shape {
    Circle(f64),
    Rectangle { width: u32, height: u32 },
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left = -3,
    Right = 7,
}

struct Named<T> {
    name: &'static str,
    contents: T,
}

fn area(shape: &Shape) -> f64 {
    match shape {
        Shape::Circle(radius) => {
            let square = radius * radius;
            square * 3.0
        }
        Shape::Rectangle { width, height } => (*width * *height) as f64,
        Shape::Nothing => 0.0,
    }
}

fn describe<T: Display>(named: &Named<T>) -> String {
    let length = named.name.len();
    let text = format!("{}: {} ({length})", named.name, named.contents);
    text
}

fn first_negative(numbers: &[i64]) -> Option<(usize, i64)> {
    for (index, &number) in numbers.iter().enumerate() {
        if number < 0 {
            return Some((index, number));
        }
    }
    None
}

fn opposite(side: Side) -> Side {
    match side {
        Side::Left => Side::Right,
        Side::Right => Side::Left,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    // gdb 13 ends by an assertion of its own at an array of these.
    let shapes = vec![
        Shape::Circle(2.0),
        Shape::Rectangle { width: 3, height: 4 },
        Shape::Nothing,
    ];
    let mut total = 0.0;
    for (index, shape) in shapes.iter().enumerate() {
        let own = area(shape);
        total += own * index as f64;
    }
    let numbers = vec![5, 3, -8, 1];
    let found = first_negative(&numbers);
    let nothing = first_negative(&numbers[..2]);
    let (wide, unsigned) = (-(1i128 << 90), u128::MAX - 5);
    let named = Named {
        name: "weight",
        contents: total,
    };
    let text = describe(&named);
    let side = opposite(Side::Left);
    let letter = text.chars().nth(2).unwrap_or('?');
    let is_good = found == Some((2, -8)) && nothing.is_none() && letter == 'i' && side == opposite(opposite(side));
    let sum = wide.wrapping_add(unsigned as i128);
    i32::from(!is_good) + (sum == 0) as i32
}
