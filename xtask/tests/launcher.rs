//! What the launcher says of a program's memory is the program's, however large the one is that asks.

use std::process::{Command, Stdio};

/// Runs `true` through the launcher and returns the numbers of its report.
fn report() -> Vec<u64> {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["measured", "10000", "true"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text.lines().last().unwrap().strip_prefix("measured: ").unwrap();
    line.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

#[test]
fn memory_of_who_asks_does_not_count() {
    let large = vec![1u8; 256 << 20];
    let numbers = report();
    assert_eq!(large.iter().map(|&byte| u64::from(byte)).sum::<u64>(), 256 << 20);
    assert_eq!(numbers[0], 0, "the program succeeds");
    assert!((1 << 16..32 << 20).contains(&numbers[3]), "{} bytes", numbers[3]);
}
