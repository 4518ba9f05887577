//! Commands that tests start.

use std::process::Command;

/// Runs a command that must succeed, and returns what it prints to standard output.
///
/// # Panics
/// With its messages when it fails.
#[track_caller]
pub fn run(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}: {messages}", output.status);
    output.stdout
}
