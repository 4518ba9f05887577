//! The options of `frazil compare`.

use clap::Parser;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  frazil compare sqlite.bc                              tables for -O0 and -O2
  frazil compare sqlite.bc --levels 2 --html page.html  a page with both assemblies side by side
  frazil compare bzip2.bc --run '{} input.txt'          also link, run and time the program
  frazil compare lib.bc --fail-if 'size>1.2'            status 3 if Frazil's code is more than 1.2 times as large

The exit status is 1 if a compiler or linker fails, or if the two programs do not do the same.";

/// Compares Frazil with LLVM's llc on one input.
#[derive(Debug, Parser)]
#[command(name = "frazil compare", bin_name = "frazil compare", after_help = EXAMPLES)]
pub struct Arguments {
    /// Bitcode, or text of LLVM's IR
    pub input: PathBuf,
    /// Levels of optimization: 2 compares -O2 with -O2, 0:2 Frazil's -O0 with llc's -O2
    #[arg(long, value_name = "LEVEL,...", value_delimiter = ',', default_value = "0,2")]
    pub levels: Vec<String>,
    /// Which llc, of any version [default: the newest of llc and llc-NN on PATH]
    #[arg(long, value_name = "PATH")]
    pub llc: Option<PathBuf>,
    /// How often each compiler runs, in turn; the shortest time counts
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub repeat: u32,
    /// Say each step on standard error, as is done on a terminal anyway
    #[arg(long)]
    pub progress: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
    /// Write a page with charts, a table to sort, and assemblies side by side
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// How many functions have their assembly on the page, the worst first, as long as it stays below 3 MB
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub most_functions: usize,
    /// How many functions the tables show, the worst first
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// Link a program both ways, run this command with its path for {}, compare what it prints, and time it
    #[arg(long, value_name = "COMMAND")]
    pub run: Option<String>,
    /// How programs are linked: a command in which {} stands for object and program, in this order
    #[arg(long, value_name = "COMMAND", default_value = "cc {} -o {} -lm -ldl -lpthread")]
    pub link: String,
    /// End with status 3 if a ratio (Frazil / llc) is out of bounds: time, memory, size, instructions, spills, reloads,
    /// frame or run, then < or >, then a number
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<String>,
}
