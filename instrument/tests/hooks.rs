//! What becomes of hooks: for each criterion one that fulfils all others, and the ways in which a hook may be divided.

mod support;

use frazil_instrument::analyze::Analysis;
use frazil_instrument::decide::{Options, Way};
use frazil_instrument::hooks::HookCode;
use frazil_instrument::{Hook, HookModule, known::Known};
use frazil_ir::text::parse_module;
use support::{FACTS, recipe_of};

fn known_with(text: &str, options: &Options) -> Known {
    let (module, functions) = parse_module(text).expect("a module");
    let module = HookModule { module, functions };
    let hook = Hook::find(&module, "hook").expect("a hook");
    let HookCode::Function(id) = hook.code else {
        unreachable!("the module has its body");
    };
    Known::of_function(&module, "hook", id, (&FACTS, &recipe_of(&options.clean)), options)
}

/// What is known of its body.
fn analysis(known: &Known) -> &Analysis {
    known.analysis.as_ref().expect("there is a body")
}

fn known(text: &str) -> Known {
    known_with(text, &Options::default())
}

/// What is said against a hook, which is called.
fn against(text: &str) -> String {
    let known = known(text);
    assert_eq!(known.way, Way::Called, "{}", known.explanation);
    let reasons = known
        .explanation
        .lines()
        .filter_map(|line| line.strip_prefix("  not inlined: "));
    let all = reasons
        .filter(|reason| !reason.starts_with("not partially"))
        .collect::<Vec<_>>();
    assert_eq!(
        all.len(),
        1,
        "a hook that fails one criterion alone: {}",
        known.explanation
    );
    all[0].to_owned()
}

const PLAIN: &str = "\
data @n align 8 size 8
func @hook(i64) {
b0:
  v1 = load align 8 i64 @n
  v2 = add i64 v1, v0
  store align 8 i64 v2, @n
  return
}
";

#[test]
fn what_fulfils_all_criteria_is_inlined_and_an_addition_is_known_as_one() {
    let known = known(PLAIN);
    assert_eq!(known.way, Way::Inlined);
    assert!(analysis(&known).addition.is_some());
    assert!(known.explanation.contains("it is an addition"), "{}", known.explanation);
    let other = PLAIN.replace("add i64", "xor i64");
    let known = self::known(&other);
    assert_eq!(known.way, Way::Inlined);
    assert!(analysis(&known).addition.is_none());
}

#[test]
fn an_atomic_addition_is_one_and_a_volatile_one_is_not() {
    let atomic = "\
data @n align 8 size 8
func @hook() {
b0:
  v0 = atomic_rmw add align 8 monotonic i64 @n, 1
  return
}
";
    assert!(analysis(&known(atomic)).addition.is_some());
    let volatile = PLAIN.replace("load align 8", "load align 8 volatile");
    assert!(analysis(&known(&volatile)).addition.is_none());
}

#[test]
fn each_criterion_has_a_hook_that_fails_it_alone() {
    let leaf = "symbol @other function\nfunc @hook() {\nb0:\n  call @other() : ()\n  return\n}\n";
    assert!(against(leaf).contains("a leaf is wanted"));
    let mut long = String::from("data @n align 8 size 8\nfunc @hook(i64) {\nb0:\n  v1 = load align 8 i64 @n\n");
    for number in 1..20 {
        long.push_str(&format!(
            "  v{} = {} i64 v{number}, v0\n",
            number + 1,
            ["mul", "xor"][number % 2]
        ));
    }
    long.push_str("  store align 8 i64 v20, @n\n  return\n}\n");
    assert!(against(&long).contains("21 instructions, more than 20"));
    let floats = "\
data @n align 8 size 8
func @hook(f64) {
b0:
  store align 8 f64 v0, @n
  return
}
";
    assert!(against(floats).contains("floats"));
    let vectors = "\
data @n align 16 size 16
func @hook() {
b0:
  v0 = load align 16 <2 x i64> @n
  store align 16 <2 x i64> v0, @n
  return
}
";
    assert!(against(vectors).contains("vectors"));
    let looping = "\
data @n align 8 size 8
func @hook(i64) {
b0:
  jump b1
b1:
  v1 = phi i64 [b0: v0, b1: v2]
  v2 = lshr i64 v1, 1
  store align 8 i64 v2, @n
  v3 = icmp_eq i64 v2, 0
  branch v3, b2, b1
b2:
  return
}
";
    assert!(against(looping).contains("loop"));
    let mut registers = String::from("data @n align 8 size 64\nfunc @hook() {\nb0:\n");
    for number in 0..7 {
        registers.push_str(&format!("  v{number} = ptr_add ptr @n, {}\n", 8 * number));
    }
    for number in 7..14 {
        registers.push_str(&format!("  v{number} = load align 8 i64 v{}\n", number - 7));
    }
    for number in 7..13 {
        registers.push_str(&format!("  store align 8 i64 v{}, v{}\n", number + 1, number - 7));
    }
    registers.push_str("  return\n}\n");
    assert!(
        against(&registers).contains("values in registers at once, more than 6"),
        "{registers}"
    );
    let slots = "\
symbol @keep data
func @hook() {
  v0 = slot 8 align 8
  v1 = slot 8 align 8
b0:
  store align 8 ptr v0, @keep
  store align 8 ptr v1, @keep
  return
}
";
    assert!(against(slots).contains("variables in memory, more than 1"));
    let params = "func @hook(i64, i64, i64, i64, i64, i64, i64) {\nb0:\n  return\n}\n";
    assert!(against(params).contains("7 parameters, more than 6"));
}

/// Whether a hook is divided, and why not if not.
fn division(text: &str) -> Result<(), String> {
    let known = known(text);
    match (known.way, &analysis(&known).fast) {
        (Way::Partially, _) => Ok(()),
        (_, Err(reason)) => Err((*reason).to_owned()),
        (way, Ok(_)) => Err(format!("{way:?}: {}", known.explanation)),
    }
}

/// A hook with this before its branch, on the side that is taken if a number is 0, and on the other one.
fn branching(before: &str, zero: &str, other: &str) -> String {
    format!(
        "symbol @rare function\ndata @n align 8 size 8\ndata @m align 8 size 8\nfunc @hook(i64) {{\nb0:\n{before}  v1 = load \
         align 8 i64 @n\n  v2 = icmp_eq i64 v1, 0\n  branch v2, b1, b2\nb1:\n{zero}  jump b3\nb2:\n{other}  jump b3\nb3:\n  \
         return\n}}\n"
    )
}

const RARE: &str = "  call @rare() : ()\n";

#[test]
fn hooks_are_divided_at_their_first_branch() {
    assert_eq!(division(&branching("", RARE, "")), Ok(()));
    assert_eq!(division(&branching("", "", RARE)), Ok(()));
    // Effects on the side that returns are its own.
    assert_eq!(division(&branching("", RARE, "  store align 8 i64 v0, @m\n")), Ok(()));
    // What is stored before the branch waits for the fast path.
    let stored = "  store align 8 i64 v0, @m\n";
    assert_eq!(division(&branching(stored, RARE, "")), Ok(()));
    let known = known(&branching(stored, RARE, ""));
    let (fast, _) = analysis(&known).fast.as_ref().expect("divided");
    let blocks: Vec<usize> = fast.block_ids().map(|block| fast.block_insts(block).len()).collect();
    assert_eq!(blocks, [3, 2, 2], "a load, a comparison and a branch; a store; a call");
}

/// Checks an address, then whether that was said before.
const CHECKER: &str = "\
data @m align 8 size 8
symbol @report function
func @hook(i64, ptr) {
b0:
  v2 = and i64 v0, 3
  v3 = icmp_eq i64 v2, 0
  branch v3, b3, b1
b1:
  v4 = load align 8 i64 v1
  v5 = icmp_ne i64 v4, 0
  branch v5, b3, b2
b2:
  store align 8 i64 1, v1
  call @report(v0) : (i64)
  jump b3
b3:
  return
}
";

#[test]
fn a_second_branch_is_on_the_fast_path_if_it_only_looks() {
    let shape = |text: &str| -> Vec<usize> {
        let known = known(text);
        let (fast, _) = analysis(&known)
            .fast
            .as_ref()
            .unwrap_or_else(|error| panic!("{error}: {text}"));
        fast.block_ids().map(|block| fast.block_insts(block).len()).collect()
    };
    assert_eq!(shape(CHECKER), [3, 1, 3, 1, 2]);
    // What is stored before the second branch would be stored twice.
    let storing = CHECKER.replace("  v5 =", "  store align 8 i64 7, v1\n  v5 =");
    assert_eq!(shape(&storing), [3, 1, 2]);
    let deferring = CHECKER.replace("b0:\n", "b0:\n  store align 8 i64 7, @m\n");
    assert_eq!(shape(&deferring), [3, 2, 2]);
}

#[test]
fn what_cannot_be_deferred_is_not_divided() {
    let refused = |text: &str, reason: &str| {
        let found = division(text).expect_err(reason);
        assert!(found.contains(reason), "{found}");
    };
    // The condition may see what is stored.
    let buffer = "\
symbol @rare function
data @n align 8 size 8
func @hook(ptr) {
b0:
  store align 8 i64 7, v0
  v1 = load align 8 i64 @n
  v2 = icmp_eq i64 v1, 0
  branch v2, b1, b2
b1:
  call @rare() : ()
  return
b2:
  return
}
";
    refused(buffer, "may be loaded");
    refused(&branching("  call @rare() : ()\n", RARE, ""), "calls before");
    refused(&branching("", RARE, RARE), "no side");
    let divided = branching("", RARE, "").replace("load align 8 i64 @n\n", "udiv i64 7, v0\n");
    refused(&divided, "divides before");
    let volatile = branching("", RARE, "").replace("load align 8 i64", "load align 8 volatile i64");
    refused(&volatile, "volatile");
    let looping = "\
symbol @rare function
data @n align 8 size 8
func @hook(i64) {
b0:
  jump b1
b1:
  v1 = load align 8 i64 @n
  store align 8 i64 v0, @n
  v2 = icmp_eq i64 v1, 0
  branch v2, b1, b2
b2:
  call @rare() : ()
  return
}
";
    refused(looping, "first block");
}

#[test]
fn options_change_what_is_inlined() {
    let called = Options {
        inline: false,
        ..Options::default()
    };
    assert_eq!(known_with(PLAIN, &called).way, Way::Called);
    let whole = Options {
        partial: false,
        ..Options::default()
    };
    assert_eq!(known_with(&branching("", RARE, ""), &whole).way, Way::Called);
    let calls = Options {
        calls: true,
        ..Options::default()
    };
    assert_eq!(known_with(&branching("", RARE, ""), &calls).way, Way::Inlined);
    let unclean = Options {
        clean: Vec::new(),
        most_instructions: 3,
        ..Options::default()
    };
    assert_eq!(known_with(PLAIN, &unclean).way, Way::Inlined);
}

#[test]
fn hooks_keep_registers_by_what_they_call() {
    assert_eq!(known(PLAIN).entry.call_conv.to_string(), "preserve_allcc");
    assert_eq!(
        known(&branching("", RARE, "")).entry.call_conv.to_string(),
        "preserve_mostcc"
    );
}
