//! `--emit pexe`: what clang makes for a machine with pointers of 32 bits becomes an executable of PNaCl, by name, and
//! by every recipe; and that becomes an object.

use crate::frazil;
use frazil_test_support::{Folder, run};
use std::fs;
use std::process::Command;

const PROGRAM: &str = "\
static int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static int twice(int x) { return 2 * x; }
static int (*const functions[])(int) = {twice, twice};
struct pair { short a; char b; long long c; };
long long g(struct pair *p, unsigned n, float x) {
    struct pair copy = *p;
    copy.c += functions[n % 2](table[n & 7]) + (int)(x * 1.5f);
    for (unsigned i = 0; i < n; i++)
        copy.c ^= copy.a / (short)(i + 1) + (p->b << (i & 3));
    *p = copy;
    return copy.c;
}
void _start(int info) { struct pair *p = (struct pair *)info; g(p, p->a, 2.5f); }
";

#[test]
fn what_is_compiled_for_32_bits_becomes_an_executable() {
    let folder = Folder::new("executables");
    let source = folder.write("in.c", PROGRAM);
    for level in ["-O0", "-O2"] {
        let words = [
            "--target=i386-unknown-linux-gnu",
            level,
            "-ffreestanding",
            "-fno-pic",
            "-c",
            "-emit-llvm",
        ];
        let mut clang = Command::new("clang-22");
        run(clang.args(words).arg(&source).arg("-o").arg(folder.path("in.bc")));
        run(frazil().arg(folder.path("in.bc")).args(["--emit", "pexe"]));
        let executable = fs::read(folder.path("in.pexe")).expect("it is named after the input");
        assert!(frazil::is_pexe(&executable));
        for recipe in ["Om1", "O2"] {
            let mut compile = frazil();
            compile.arg(folder.path("in.pexe")).arg("-o").arg(folder.path("in.o"));
            run(compile.args(["--recipe", recipe]));
        }
    }
    // Passes ask no target that the triple would have to name.
    run(frazil()
        .arg(folder.path("in.bc"))
        .args(["--recipe", "O1", "--emit", "pexe"]));
}
