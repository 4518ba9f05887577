//! Work for crates that many programs use, with tests of what a compiler must get right: panics, threads, backtraces.

use hashbrown::HashMap;
use rayon::prelude::*;
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Shape {
    Circle { radius: f64 },
    Polygon { corners: Vec<(i32, i32)>, name: Option<String> },
    Empty,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Scene {
    pub title: String,
    #[serde(default)]
    pub shapes: Vec<Shape>,
    pub counts: std::collections::BTreeMap<String, i64>,
    pub ratio: f32,
    pub id: u128,
}

/// A scene with `size` shapes.
pub fn scene(size: u32) -> Scene {
    let shape = |i: u32| match i % 3 {
        0 => Shape::Circle {
            radius: f64::from(i) / 7.0,
        },
        1 => Shape::Polygon {
            corners: (0..i as i32 % 9).map(|j| (j, -j * j)).collect(),
            name: i.is_multiple_of(2).then(|| format!("polygon \"{i}\"\n\u{e4}")),
        },
        _ => Shape::Empty,
    };
    Scene {
        title: "a scene".to_owned(),
        shapes: (0..size).map(shape).collect(),
        counts: (0..size % 10).map(|i| (format!("key {i}"), i64::from(i).pow(9) - 1000)).collect(),
        ratio: 0.1 + size as f32,
        id: u128::from(u64::MAX) * u128::from(size) + 3,
    }
}

/// How often each word is there, in the order of words.
pub fn words(text: &str) -> Vec<(String, usize)> {
    let word = Regex::new(r"(?i)\b[\p{Letter}']+\b").expect("a valid expression");
    let mut counts: HashMap<String, usize> = HashMap::new();
    for found in word.find_iter(text) {
        *counts.entry(found.as_str().to_lowercase()).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort();
    counts
}

/// Turns dates around.
pub fn dates(text: &str) -> String {
    let date = Regex::new(r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)").expect("a valid expression");
    date.replace_all(text, "$d.$m.$y").into_owned()
}

/// Steps of Collatz's sequence.
pub fn steps(mut n: u64) -> u32 {
    let mut count = 0;
    while n != 1 {
        n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
        count += 1;
    }
    count
}

/// The number below `limit` with the most steps, found by many threads.
pub fn most_steps(limit: u64) -> (u32, u64) {
    (1..limit)
        .into_par_iter()
        .map(|n| (steps(n), n))
        .reduce(|| (0, 0), |a, b| if (b.0, a.1) > (a.0, b.1) { b } else { a })
}

/// Tasks that send each other numbers.
pub async fn relay(tasks: u32) -> u64 {
    let (first, mut last) = tokio::sync::mpsc::channel::<u64>(4);
    for number in 0..tasks {
        let (sender, receiver) = tokio::sync::mpsc::channel(4);
        let mut before = std::mem::replace(&mut last, receiver);
        tokio::spawn(async move {
            while let Some(value) = before.recv().await {
                if value % 5 == 0 {
                    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
                }
                let _ = sender.send(value * 3 % 1_000_003 + u64::from(number)).await;
            }
        });
    }
    let feeder = tokio::spawn(async move {
        for value in 0..40 {
            first.send(value).await.expect("the first task listens");
        }
    });
    let mut sum = 0;
    while let Some(value) = last.recv().await {
        sum += value;
    }
    feeder.await.expect("it ends");
    sum
}

/// All of it, as text.
pub fn report() -> String {
    let mut text = String::new();
    let large = scene(25);
    let json = serde_json::to_string_pretty(&large).expect("it can be written");
    let back: Scene = serde_json::from_str(&json).expect("it can be read");
    writeln!(text, "{json}\nsame: {}", back == large).expect("memory");
    for wrong in ["{", "[1, 2,]", "{\"title\": 5}", "nul", "1e999", "\"\\ud800\""] {
        let error = serde_json::from_str::<Scene>(wrong).expect_err("it is wrong");
        let value = serde_json::from_str::<serde_json::Value>(wrong);
        writeln!(text, "{wrong}: {error}; {}", value.is_ok()).expect("memory");
    }
    writeln!(text, "{:?}", words("The dog's bone, the DOG and a Größe; größe 12.")).expect("memory");
    writeln!(text, "{}", dates("from 2026-11-20 to 2027-01-02")).expect("memory");
    writeln!(text, "{:?}", most_steps(30_000)).expect("memory");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(3)
        .enable_time()
        .build()
        .expect("threads");
    writeln!(text, "{}", runtime.block_on(relay(12))).expect("memory");
    let caught = std::panic::catch_unwind(|| scene(3).shapes[7].clone());
    writeln!(text, "caught: {}", caught.is_err()).expect("memory");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::backtrace::Backtrace;
    use std::cell::RefCell;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::{Arc, Barrier, Mutex, mpsc};
    use std::thread;

    #[test]
    fn values_survive_json() {
        let scene = scene(40);
        let text = serde_json::to_string(&scene).unwrap();
        assert_eq!(serde_json::from_str::<Scene>(&text).unwrap(), scene);
    }

    #[test]
    #[should_panic(expected = "attempt to add with overflow")]
    #[cfg(debug_assertions)]
    fn sums_are_checked() {
        let numbers = std::hint::black_box([i32::MAX, 1]);
        std::hint::black_box(numbers[0] + numbers[1]);
    }

    #[test]
    #[should_panic(expected = "index out of bounds: the len is 2 but the index is 5")]
    fn indices_are_checked() {
        let index = std::hint::black_box(5);
        std::hint::black_box(vec![1, 2][index]);
    }

    /// Counts how often it is dropped.
    struct Guard<'a>(&'a AtomicU32);

    impl Drop for Guard<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn deep(levels: u32, drops: &AtomicU32) -> u32 {
        let _guard = Guard(drops);
        assert!(levels > 0, "at the bottom");
        deep(levels - 1, drops) + 1
    }

    #[test]
    fn panics_drop_what_is_on_their_way() {
        let drops = AtomicU32::new(0);
        let error = catch_unwind(AssertUnwindSafe(|| deep(20, &drops))).unwrap_err();
        assert_eq!(*error.downcast::<&str>().unwrap(), "at the bottom");
        assert_eq!(drops.load(Ordering::SeqCst), 21);
    }

    #[test]
    fn panics_go_on_after_they_were_caught() {
        let outer = catch_unwind(|| {
            let inner = catch_unwind(|| resume_unwind(Box::new(17_u8))).unwrap_err();
            resume_unwind(Box::new(inner.downcast::<u8>().unwrap().wrapping_mul(2)))
        });
        assert_eq!(*outer.unwrap_err().downcast::<u8>().unwrap(), 34);
    }

    #[test]
    fn iterators_and_closures_are_dropped_in_panics() {
        let drops = AtomicU32::new(0);
        let result = catch_unwind(AssertUnwindSafe(|| {
            let guards: Vec<_> = (0..5).map(|_| Guard(&drops)).collect();
            guards.into_iter().enumerate().for_each(|(i, _guard)| assert!(i < 2));
        }));
        assert!(result.is_err());
        assert_eq!(drops.load(Ordering::SeqCst), 5);
    }

    #[test]
    fn a_panic_in_a_thread_is_the_threads() {
        let error = thread::spawn(|| panic!("only here {}", std::hint::black_box(5))).join().unwrap_err();
        assert_eq!(*error.downcast::<String>().unwrap(), "only here 5");
        let lock = Arc::new(Mutex::new(1));
        let other = Arc::clone(&lock);
        let _ = thread::spawn(move || {
            let _held = other.lock();
            panic!("with a lock")
        })
        .join();
        assert!(lock.is_poisoned());
    }

    thread_local! {
        static OWN: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
    }

    #[test]
    fn threads_have_memory_of_their_own() {
        let barrier = Arc::new(Barrier::new(4));
        let threads: Vec<_> = (0..4)
            .map(|number| {
                let barrier = Arc::clone(&barrier);
                thread::spawn(move || {
                    for i in 0..100 {
                        OWN.with_borrow_mut(|own| own.push(number * i));
                        if i % 10 == 0 {
                            barrier.wait();
                        }
                    }
                    OWN.with_borrow(|own| own.iter().sum::<u32>())
                })
            })
            .collect();
        let sums: Vec<u32> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert_eq!(sums, [0, 4950, 9900, 14850]);
        assert_eq!(OWN.with_borrow(Vec::len), 0);
    }

    #[test]
    fn threads_share_what_is_atomic() {
        let count = AtomicU32::new(0);
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            for number in 0..8 {
                let (count, sender) = (&count, sender.clone());
                scope.spawn(move || {
                    for _ in 0..1000 {
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                    sender.send(number).unwrap();
                });
            }
        });
        drop(sender);
        let mut numbers: Vec<u32> = receiver.iter().collect();
        numbers.sort_unstable();
        assert_eq!((numbers, count.into_inner()), ((0..8).collect(), 8000));
    }

    #[inline(never)]
    fn a_function_with_a_long_name() -> String {
        Backtrace::force_capture().to_string()
    }

    #[inline(never)]
    fn its_caller(take: fn() -> String) -> String {
        take() + "."
    }

    #[test]
    fn backtraces_name_functions() {
        let text = its_caller(std::hint::black_box(a_function_with_a_long_name));
        let inner = text.find("a_function_with_a_long_name").expect(&text);
        let outer = text.find("its_caller").expect(&text);
        let test = text.find("backtraces_name_functions").expect(&text);
        assert!(inner < outer && outer < test, "{text}");
    }

    #[test]
    fn wide_integers() {
        let a = std::hint::black_box(0x0123_4567_89ab_cdef_u128 << 60 | 0xfeed);
        let b = std::hint::black_box(-987_654_321_987_654_321_i128);
        assert_eq!(a / 1_000_000_007, 94_522_879_038_600_529_790_271_093);
        assert_eq!(a % 1_000_000_007, 42_547_130);
        assert_eq!(b * 1000 / 7, -141_093_474_569_664_903_000);
        assert_eq!(a as i128 * 3 - b * b, -691_892_420_640_111_108_373_978_735_066_636_698);
        assert_eq!(a.wrapping_mul(12345), 146_037_849_136_902_741_991_437_603_141_216_187_077);
        assert_eq!(format!("{a:x} {b}"), "123456789abcdef00000000000feed -987654321987654321");
        assert_eq!(a.checked_mul(a), None);
        assert_eq!((a as f64) as u128 >> 80, 78_187_493_530);
    }

    #[test]
    fn parallel_and_asynchronous_work() {
        assert_eq!(most_steps(10_000), (261, 6171));
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let first = runtime.block_on(relay(7));
        assert_eq!(first, runtime.block_on(relay(7)));
        let failed = runtime.block_on(async { tokio::spawn(async { panic!("in a task") }).await });
        assert!(failed.unwrap_err().is_panic());
        let sum = catch_unwind(|| (0..1000).into_par_iter().map(|i: u32| 10 / (999 - i)).sum::<u32>());
        assert!(sum.is_err(), "a division by zero in a thread of the pool");
    }
}
