//! Panics of many kinds, each caught, with destructors on the way; see rust_panics.rs.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
struct Loud<'a>(&'static str, &'a Cell<u32>);
impl Drop for Loud<'_> {
    fn drop(&mut self) {
        self.1.set(self.1.get() + 1);
        println!("drop {} {}", self.0, std::thread::panicking());
    }
}
#[inline(never)]
fn work(n: u32, c: &Cell<u32>) -> u32 {
    let _a = Loud("a", c);
    let v: Vec<String> = (0..n).map(|i| format!("{i}")).collect();
    let _b = Loud("b", c);
    if n == 3 {
        panic!("three {}", v.len());
    }
    if n == 4 {
        let z = v[n as usize].len();
        println!("{z}");
    }
    if n == 5 {
        let x: Option<u32> = None;
        return x.unwrap();
    }
    if n == 6 {
        let d: u32 = v[0].parse().unwrap();
        return 10 / d;
    }
    if n == 7 {
        panic::panic_any(77u64);
    }
    if n == 8 {
        let r: Result<u32, String> = Err("bad".to_string());
        return r.expect("expected");
    }
    if n == 9 {
        let s = "äöü";
        return s[1..].len() as u32;
    }
    if n == 10 {
        let b: Box<dyn Fn() -> u32> = Box::new(|| panic!("in box"));
        return b();
    }
    v.iter().map(|s| s.len() as u32).sum()
}
struct PanicsOnDrop(bool);
impl Drop for PanicsOnDrop {
    fn drop(&mut self) {
        if self.0 {
            panic!("in drop");
        }
    }
}
fn main() {
    panic::set_hook(Box::new(|info| {
        println!("hook: {}", info.location().unwrap());
    }));
    let c = Cell::new(0);
    for n in 0..12 {
        let r = panic::catch_unwind(AssertUnwindSafe(|| work(n, &c)));
        match r {
            Ok(v) => println!("{n}: {v}"),
            Err(e) => {
                let text = e
                    .downcast_ref::<String>()
                    .cloned()
                    .or(e.downcast_ref::<&str>().map(|s| s.to_string()));
                println!("{n}: panic {:?} {:?}", text, e.downcast_ref::<u64>());
            }
        }
    }
    let mut total = 0;
    for i in 0..5 {
        let mut list: Vec<u64> = vec![1, 2, 3];
        let r = panic::catch_unwind(AssertUnwindSafe(|| {
            for k in 0..i {
                list.push(k);
                list[(k * 2) as usize] += 1;
            }
            list.iter().sum::<u64>()
        }));
        total += r.unwrap_or(100) + list.len() as u64;
    }
    println!("{total} {}", c.get());
    let r = panic::catch_unwind(|| {
        let _p = PanicsOnDrop(true);
        3
    });
    println!("{}", r.is_err());
    for i in 0..4 {
        let t = std::thread::spawn(move || {
            let _p = PanicsOnDrop(i == 2);
            if i == 1 {
                panic!("thread");
            }
            i * 2
        });
        match t.join() {
            Ok(v) => println!("ok {v}"),
            Err(_) => println!("thread panicked"),
        }
    }
    let r = panic::catch_unwind(|| {
        let r = panic::catch_unwind(|| panic!("inner"));
        panic::resume_unwind(r.unwrap_err());
    });
    println!("{:?}", r.unwrap_err().downcast_ref::<&str>());
    let mut v = vec![5, 3, 8, 1];
    let r = panic::catch_unwind(AssertUnwindSafe(|| {
        v.sort_by(|a, b| {
            if *a == 8 {
                panic!("cmp")
            }
            a.cmp(b)
        })
    }));
    v.sort();
    println!("{} {:?}", r.is_err(), v);
}
