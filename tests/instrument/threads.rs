//! Programs with several threads count as much as with one: by atomic additions, and by numbers of each thread that
//! are added up where a thread ends.

use super::{build, clang};
use crate::in_repository;
use frazil_test_support::Folder;
use std::process::Command;

/// Hooks of both kinds. What a thread has counted is added up when it leaves `run`.
const HOOKS: &str = "\
#include <stdint.h>
#include <stdio.h>

static uint64_t executed;
static _Thread_local uint64_t own;

void count_atomic(void) {
    __atomic_fetch_add(&executed, 1, __ATOMIC_RELAXED);
}

void count_own(void) {
    own++;
}

void end(void) {
    __atomic_fetch_add(&executed, own, __ATOMIC_RELAXED);
    own = 0;
}

__attribute__((destructor)) static void report(void) {
    fprintf(stderr, \"%llu\", (unsigned long long)executed);
}
";

#[test]
fn threads_count_what_one_thread_counts() {
    let folder = Folder::new("instrument-threads");
    let hooks = folder.write("hooks.c", HOOKS);
    let options = ["-O2", "-fPIC", "-Wall", "-Werror", "-c", "-emit-llvm"];
    clang(&options, &hooks, &folder.path("hooks.bc"));
    let insert = |at: &str, call: &str, functions: &str| {
        format!("[[insert]]\nat = \"{at}\"\ncall = \"{call}\"\nfunctions = \"^({functions})$\"\n")
    };
    let atomic = insert("instruction", "count_atomic", "work");
    let own = insert("instruction", "count_own", "work") + &insert("function-exit", "end", "run");
    let source = in_repository("tests/instrument/threads.c");
    for (name, inserts) in [("atomic", atomic), ("own", own)] {
        folder.write(&format!("{name}.toml"), format!("hooks = \"hooks.bc\"\n{inserts}"));
        for level in ["-O0", "-O2"] {
            let bitcode = folder.path("threads.bc");
            // What is inlined into `run` would be counted elsewhere.
            clang(&[level, "-fPIE", "-fno-inline", "-c", "-emit-llvm"], &source, &bitcode);
            for recipe in ["Om1", "O2"] {
                let program = build(&folder, recipe, &bitcode, &[name]);
                let told = |words: &[&str]| {
                    let output = Command::new(&program).args(words).output().expect("the program runs");
                    assert!(output.status.success());
                    let counted = String::from_utf8_lossy(&output.stderr).into_owned();
                    (counted, output.stdout)
                };
                let alone = told(&[]);
                assert!(alone.0.parse::<u64>().is_ok_and(|count| count > 100_000), "{alone:?}");
                assert_eq!(told(&["threads"]), alone, "{name} {level} {recipe}");
            }
        }
    }
}
