//! The checker bites: faults are put into allocations of random functions, by both paths, and whatever
//! changes a result in the simulator must have been rejected.
//!
//! Method: each function is compiled without a fault (the checker must accept) and run; then once for each kind of
//! fault with one fault of that kind at a random place. A fault that the checker accepts must not be seen in any run.
//! Faults that are not seen and accepted are equivalent allocations, and counted apart.
//!
//! `FRAZIL_FAULT_FUNCTIONS` says how many functions are tried by each path ([`DEFAULT_FUNCTIONS`] else);
//! `FRAZIL_FAULT_SEED` where to begin; `FRAZIL_FAULT_SECONDS` when to stop at the latest, each test taking its part.
//! `cargo xtask allocation-faults` tries 10,000.

mod fast;
mod linear_scan;
mod machine_passes;
mod subject;
mod targets;

use frazil_allocators::allocate;
use frazil_ir::platform::WIDEST_INTEGER_BITS;
use frazil_test_support::Random;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use subject::{Answers, Compiled, Subject};

/// Functions that are tried by an everyday run.
const DEFAULT_FUNCTIONS: u64 = 50;

/// How the faults of a kind ended.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// Rejected, and seen in a run.
    rejected: usize,
    /// Rejected, but not seen.
    unseen: usize,
    /// Accepted, and not seen.
    equivalent: usize,
    /// Accepted, but seen.
    missed: usize,
    /// Functions without a place for such a fault.
    absent: usize,
}

/// A path through the compiler, with a fault or without.
trait Way {
    /// The kinds of faults by name.
    fn kinds(&self) -> &'static [&'static str];
    /// Compiles the subject; `fault` is a kind, and what chooses the place.
    fn compile(&mut self, subject: &Subject, fault: Option<(usize, Random)>) -> Compiled;
    /// How many bits the pointers of its subjects have.
    fn pointer_bits(&self) -> u32 {
        32
    }
    /// How many bits the widest integers of its subjects have.
    fn widest_integer_bits(&self) -> u32 {
        WIDEST_INTEGER_BITS
    }
}

fn number_from_environment(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is no number")),
        Err(_) => default,
    }
}

/// How many functions are tried.
fn functions_wanted() -> u64 {
    number_from_environment("FRAZIL_FAULT_FUNCTIONS", DEFAULT_FUNCTIONS)
}

/// The seeds of the functions, until `share` of the time is over.
fn seeds(share: f64) -> impl Iterator<Item = u64> {
    let first = number_from_environment("FRAZIL_FAULT_SEED", 1);
    let seconds = number_from_environment("FRAZIL_FAULT_SECONDS", u64::from(u32::MAX));
    let limit = Duration::from_secs_f64(seconds as f64 * share);
    let start = Instant::now();
    (first..first + functions_wanted()).take_while(move |_| start.elapsed() < limit)
}

/// Tries all kinds of faults on random functions in this share of the time. The result is how many were rejected and
/// seen.
fn try_faults(title: &str, way: &mut dyn Way, share: f64) -> usize {
    try_faults_in(title, way, seeds(share))
}

/// The same on the functions of these seeds.
fn try_faults_in(title: &str, way: &mut dyn Way, seeds: impl Iterator<Item = u64>) -> usize {
    let mut functions = 0;
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let mut misses = Vec::new();
    for seed in seeds {
        functions += 1;
        let subject = Subject::new(seed, way.pointer_bits(), way.widest_integer_bits());
        let wanted = match way.compile(&subject, None) {
            Compiled::Accepted(answers) => answers,
            Compiled::Rejected(error, _) => panic!("{title}, seed {seed}: {error}\n{}", subject.text),
            Compiled::Absent => panic!("{title}, seed {seed}: it does not compile\n{}", subject.text),
        };
        for (kind, &name) in way.kinds().iter().enumerate() {
            let random = Random::new(seed << 8 | kind as u64);
            let count = counts.entry(name).or_default();
            match way.compile(&subject, Some((kind, random))) {
                Compiled::Absent => count.absent += 1,
                Compiled::Rejected(_, found) if differs(&wanted, &found) => count.rejected += 1,
                Compiled::Rejected(..) => count.unseen += 1,
                Compiled::Accepted(found) if differs(&wanted, &found) => {
                    count.missed += 1;
                    misses.push(format!("seed {seed}, {name}"));
                }
                Compiled::Accepted(_) => count.equivalent += 1,
            }
        }
    }
    report(title, functions, &counts);
    assert!(
        misses.is_empty(),
        "{title}: accepted, but seen in a run: {}",
        misses.join("; ")
    );
    counts.values().map(|count| count.rejected).sum()
}

/// Whether a run that comes to an end without the fault gives something else with it.
fn differs(wanted: &Answers, found: &Answers) -> bool {
    let mut runs = wanted.iter().zip(found);
    runs.any(|(wanted, found)| wanted.is_ok() && wanted != found)
}

#[allow(clippy::print_stdout, reason = "what the test found is shown with --nocapture")]
fn report(title: &str, functions: u64, counts: &BTreeMap<&str, Count>) {
    println!("{title}: ran {functions} of {} functions", functions_wanted());
    println!(
        "{:<22} {:>9} {:>9} {:>11} {:>7} {:>7}",
        "fault", "rejected", "unseen", "equivalent", "missed", "absent"
    );
    for (name, count) in counts {
        let Count {
            rejected,
            unseen,
            equivalent,
            missed,
            absent,
        } = count;
        println!("{name:<22} {rejected:>9} {unseen:>9} {equivalent:>11} {missed:>7} {absent:>7}");
    }
}

/// What the fuzz target `allocators` does, on bytes of a generator.
#[test]
fn both_allocators_satisfy_the_checker() {
    for seed in seeds(0.1) {
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..random.below(2000)).map(|_| random.below(256) as u8).collect();
        allocate(&bytes);
    }
}

/// A function whose spill slots are so far away that a store needs the encoder's register, where a rule used it, too.
const FAR_SLOTS: &str = include_str!("far_slots.fzl");

/// Both paths give the same results for a program.
fn agree(title: &str, subject: &Subject) {
    let mut fast = fast::Fast::default();
    let mut scan = linear_scan::LinearScan::default();
    let (Compiled::Accepted(wanted), Compiled::Accepted(found)) =
        (fast.compile(subject, None), scan.compile(subject, None))
    else {
        panic!("{title} does not compile\n{}", subject.text);
    };
    let is_same = !differs(&wanted, &found);
    assert!(is_same, "{title}: {wanted:?}, {found:?}\n{}", subject.text);
}

/// Without faults, both paths give the same results: what is compared with them is no accident.
#[test]
fn both_ways_agree_without_faults() {
    for seed in seeds(0.1) {
        agree(&format!("seed {seed}"), &Subject::new(seed, 32, WIDEST_INTEGER_BITS));
    }
}

#[test]
fn both_ways_agree_where_slots_are_far_away() {
    let double = u128::from(13385.125f64.to_bits());
    let single = u128::from(1.25f32.to_bits());
    let arguments = vec![2, 2_759_635_098, 62, 8_988_972, double, 7 << 100, single, 2];
    agree("far_slots.fzl", &Subject::of(FAR_SLOTS.to_owned(), vec![arguments]));
}

/// What a conditional copy leaves in a register is not known to be what it copied.
const CHOICE: &str = "layout pointer_bits 32 stack_align 16
func @other() -> i32 {
b0:
  return 0
}
func @choice(i32, f64, f64) -> f64 {
b0:
  v3 = icmp_eq i32 v0, 0
  v4 = select f64 v3, v1, v2
  v5 = fadd f64 v4, v1
  v6 = fsub f64 v5, v2
  return v6
}
";

/// What a call gives is there when it comes back, not only when the room for its arguments is given back.
const RESULT: &str = "layout pointer_bits 32 stack_align 16
func @other() -> i32 {
b0:
  return 0
}
func @result(i128, f64) -> f64 {
b0:
  v2 = uitofp f64 v0
  v3 = fadd f64 v2, v1
  return v3
}
";

/// No copy over an allocatable register after any instruction of a function may be accepted and seen.
fn clobber_everywhere(text: &str, runs: &[Vec<u128>]) {
    let subject = Subject::of(text.to_owned(), runs.to_vec());
    let mut fast = fast::Fast::default();
    let Compiled::Accepted(wanted) = fast.compile(&subject, None) else {
        panic!("it does not compile without a fault");
    };
    let mut seen = 0;
    fast.clobber_everywhere(&subject, &mut |compiled| match compiled {
        Compiled::Accepted(found) => assert!(!differs(&wanted, &found), "accepted, but seen in a run"),
        Compiled::Rejected(_, found) => seen += usize::from(differs(&wanted, &found)),
        Compiled::Absent => {}
    });
    assert!(seen > 0, "no fault was seen");
}

#[test]
fn copies_in_groups_need_not_happen() {
    let bits = |value: f64| u128::from(value.to_bits());
    let runs = [0, 1].map(|chosen| vec![chosen, bits(1.5), bits(2.25)]);
    clobber_everywhere(CHOICE, &runs);
}

#[test]
fn results_are_there_when_a_call_comes_back() {
    clobber_everywhere(RESULT, &[vec![1 << 70, u128::from(1.5f64.to_bits())]]);
}

#[test]
fn the_fast_path_is_checked() {
    try_faults("fast path", &mut fast::Fast::default(), 0.2);
}

#[test]
fn the_linear_scan_is_checked() {
    try_faults("linear scan", &mut linear_scan::LinearScan::default(), 0.2);
}

#[test]
fn machine_passes_are_validated() {
    let mut passes = machine_passes::MachinePasses::of("Os");
    try_faults("machine passes of Os", &mut passes, 0.2);
}

/// An instruction that wrote a register of a rule was moved over a call, in which such registers are lost.
#[test]
fn what_the_validator_missed_once_is_found() {
    let mut passes = machine_passes::MachinePasses::of("Os");
    try_faults_in("machine passes of Os", &mut passes, 859..860);
}
