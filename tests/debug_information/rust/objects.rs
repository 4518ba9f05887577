//! Objects with virtual functions, closures that hold what is around them, boxes, reference counts, and drops.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

trait Animal {
    fn legs(&self) -> u32;
    fn twice(&self) -> u32 {
        let once = self.legs();
        once * 2
    }
}

struct Dog {
    missing: u32,
}

struct Bird;

impl Animal for Dog {
    fn legs(&self) -> u32 {
        let all = 4;
        all - self.missing
    }
}

impl Animal for Bird {
    fn legs(&self) -> u32 {
        2
    }
}

struct Counted<'a> {
    drops: &'a Cell<u32>,
    weight: u32,
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        let before = self.drops.get();
        self.drops.set(before + self.weight);
    }
}

fn apply(function: &dyn Fn(i32) -> i32, start: i32) -> i32 {
    let once = function(start);
    let twice = function(once);
    twice - once
}

fn pick(number: i32) -> Result<i32, String> {
    let half = if number % 2 == 0 {
        number / 2
    } else {
        return Err(String::from("odd"));
    };
    let quarter = pick_again(half)?;
    Ok(quarter + 1)
}

fn pick_again(number: i32) -> Result<i32, String> {
    if number > 10 {
        return Err("large".to_owned());
    }
    Ok(number / 2)
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let animals: Vec<Box<dyn Animal>> = vec![Box::new(Dog { missing: 1 }), Box::new(Bird)];
    let mut legs = 0;
    for animal in &animals {
        legs += animal.twice();
    }
    let drops = Cell::new(0);
    {
        let first = Counted {
            drops: &drops,
            weight: 3,
        };
        let second = Counted {
            drops: &drops,
            weight: first.weight + 4,
        };
        let _ = second.weight;
    }
    let offset = 5;
    let factor = 3;
    let change = apply(&|value| value * factor + offset, 2);
    let shared = Rc::new(RefCell::new(vec![1u8, 2]));
    let other = Rc::clone(&shared);
    other.borrow_mut().push(9);
    let count = Rc::strong_count(&shared);
    let mut words = BTreeMap::new();
    for (place, word) in "b a c a b a".split(' ').enumerate() {
        let entry = words.entry(word).or_insert(0usize);
        *entry += place;
    }
    let good = pick(12);
    let odd = pick(7);
    let large = pick(50);
    let mut steps = 0;
    let result = loop {
        steps += 1;
        if steps % 5 == 0 {
            continue;
        }
        if steps > 6 {
            break steps * 2;
        }
    };
    let is_good = legs == 10
        && drops.get() == 10
        && change == 27
        && count == 2
        && words["a"] == 9
        && good == Ok(4)
        && odd.is_err()
        && large.is_err();
    i32::from(!is_good) + result - 14
}
