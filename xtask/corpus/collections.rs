//! The standard library's collections, strings, closures and iterators, and panics that are caught.
#![crate_type = "lib"]

use std::collections::{BTreeMap, BinaryHeap, HashMap, VecDeque};
use std::fmt::Write;
use std::panic::{catch_unwind, resume_unwind};

struct Random(u32);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 % limit
    }
}

/// Shortest paths in a grid with walls.
fn ways(random: &mut Random, side: usize) -> u64 {
    let costs: Vec<u32> = (0..side * side).map(|_| random.below(10)).collect();
    let mut best = vec![u64::MAX; side * side];
    let mut queue = BinaryHeap::from([(std::cmp::Reverse(0_u64), 0_usize)]);
    best[0] = 0;
    while let Some((std::cmp::Reverse(cost), at)) = queue.pop() {
        if cost > best[at] {
            continue;
        }
        let (x, y) = (at % side, at / side);
        let neighbors = [
            (x > 0).then(|| at - 1),
            (x + 1 < side).then(|| at + 1),
            (y > 0).then(|| at - side),
            (y + 1 < side).then(|| at + side),
        ];
        for next in neighbors.into_iter().flatten().filter(|&next| costs[next] != 0) {
            let cost = cost + u64::from(costs[next]);
            if cost < best[next] {
                best[next] = cost;
                queue.push((std::cmp::Reverse(cost), next));
            }
        }
    }
    best.iter().filter(|&&cost| cost != u64::MAX).fold(0, |sum, cost| sum * 31 % 1_000_003 + cost)
}

#[derive(Debug)]
enum Token {
    Number(i64),
    Name(String),
    Sign(char),
}

#[derive(Debug)]
enum Problem {
    Unknown(char),
    Missing { at: usize },
}

fn tokens(text: &str) -> Result<Vec<Token>, Problem> {
    let mut found = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((at, first)) = rest.next() {
        match first {
            ' ' => {}
            '0'..='9' => {
                let mut number = i64::from(first.to_digit(10).ok_or(Problem::Missing { at })?);
                while let Some(digit) = rest.peek().and_then(|(_, c)| c.to_digit(10)) {
                    number = number.wrapping_mul(10).wrapping_add(digit.into());
                    rest.next();
                }
                found.push(Token::Number(number));
            }
            'a'..='z' => {
                let mut name = String::from(first);
                while let Some((_, letter)) = rest.next_if(|(_, c)| c.is_alphanumeric()) {
                    name.push(letter);
                }
                found.push(Token::Name(name));
            }
            '+' | '-' | '*' | '(' | ')' => found.push(Token::Sign(first)),
            _ => return Err(Problem::Unknown(first)),
        }
    }
    found.is_empty().then(|| Err(Problem::Missing { at: text.len() })).unwrap_or(Ok(found))
}

fn texts(random: &mut Random, count: u32) -> String {
    let mut names: HashMap<String, usize> = HashMap::new();
    let (mut sum, mut wrong) = (0_i64, BTreeMap::new());
    for _ in 0..count {
        let text: String = (0..random.below(60)).map(|_| char::from(b"ab1+27 c-9*xy(z)0a "[random.below(19) as usize])).collect();
        let text = if random.below(50) == 0 { text + "?" } else { text };
        match tokens(&text) {
            Ok(list) => {
                for token in list {
                    match token {
                        Token::Number(number) => sum = sum.wrapping_mul(31).wrapping_add(number),
                        Token::Name(name) => *names.entry(name).or_default() += 1,
                        Token::Sign(sign) => sum ^= i64::from(u32::from(sign)),
                    }
                }
            }
            Err(problem) => *wrong.entry(format!("{problem:?}")).or_insert(0) += 1,
        }
    }
    let mut names: Vec<_> = names.into_iter().filter(|(_, count)| *count > 1).collect();
    names.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    names.truncate(5);
    format!("{sum} {names:?} {wrong:?}")
}

/// Panics at some depth, with things to drop on the way.
fn descend(depth: u32, log: &mut VecDeque<u32>) -> u32 {
    let kept: Box<[u32]> = (0..depth).collect();
    if depth == 0 {
        resume_unwind(Box::new(log.len()));
    }
    log.push_back(depth);
    descend(depth - 1, log) + kept.len() as u32
}

/// The program's entry, as C calls it.
#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let Some(size) = std::env::args().nth(1).and_then(|size| size.parse::<u32>().ok()) else {
        return 2;
    };
    let mut random = Random(2_463_534_242);
    let mut report = String::new();
    let _ = writeln!(report, "ways: {}", ways(&mut random, 10 + 2 * size.isqrt() as usize));
    let _ = writeln!(report, "texts: {}", texts(&mut random, size * 6));
    let mut caught = 0;
    for i in 0..size / 10 {
        let result = catch_unwind(|| descend(i % 20, &mut VecDeque::new()));
        caught += result.expect_err("it panics").downcast::<usize>().map_or(0, |length| *length);
    }
    let _ = writeln!(report, "caught: {caught}");
    print!("{report}");
    0
}
