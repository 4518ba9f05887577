//! What becomes of hooks in a function: where additions are left (on the chords of the graph, in registers of loops,
//! and multiplied after them), and what is known of addresses that hooks check.

mod support;

use frazil_instrument::{HookModule, Source, Tool, Tools, add_steps_with, bind, decide::Options};
use frazil_ir::text::{parse_module, print_function};
use frazil_passes::observe::{Deaf, Observe};
use frazil_passes::{Runner, Subject};
use std::sync::Arc;
use support::{FACTS, recipe_of};

const HOOKS: &str = "\
data @total align 8 size 8
func @add(i64) {
b0:
  v1 = load align 8 i64 @total
  v2 = add i64 v1, v0
  store align 8 i64 v2, @total
  return
}
symbol @report function
func @check(ptr, i64) {
b0:
  v2 = ptrtoint i64 v0
  v3 = sub i64 v1, 1
  v4 = and i64 v2, v3
  v5 = icmp_eq i64 v4, 0
  branch v5, b2, b1
b1:
  call @report(v0) : (ptr)
  jump b2
b2:
  return
}
func @count(ptr) {
b0:
  v1 = load align 8 i64 v0
  v2 = add i64 v1, 1
  store align 8 i64 v2, v0
  return
}
";

/// A function with hooks of a tool file in it, and the sizes of its data.
fn expanded(tool: &str, program: &str, options: Options) -> (String, Vec<usize>) {
    expanded_after(&[], tool, program, options)
}

/// The same after these passes.
fn expanded_after(passes: &[&str], tool: &str, program: &str, options: Options) -> (String, Vec<usize>) {
    let (module, functions) = parse_module(HOOKS).expect("hooks");
    let source = Source::parse("sums.toml", &format!("hooks = \"sums.fzl\"\n{tool}")).expect("a tool file");
    let tool = Tool::of_file(&source, HookModule { module, functions }).expect("a tool");
    let tools = Arc::new(Tools::new(vec![Arc::new(tool)]).expect("tools"));
    let (mut module, mut functions) = parse_module(program).expect("a program");
    bind(&tools, &mut module).expect("another module");
    let passes: Vec<String> = passes.iter().map(|&pass| pass.to_owned()).collect();
    let mut recipe = recipe_of(&passes);
    add_steps_with(&mut recipe, &tools, options);
    let observe = Observe::default();
    let mut runner = Runner::new(&recipe, &observe, &module, FACTS).expect("a recipe that fits");
    let head = module.functions.values().next().expect("a function");
    let subject = Subject {
        number: 0,
        name: "f",
        head,
    };
    let function = &mut functions[0];
    runner.run(subject, function, &mut Deaf).expect("hooks are expanded");
    frazil_ir::verify::verify_function(&module, function).expect("valid code");
    let sizes = function
        .attachments
        .iter()
        .flat_map(|attachments| attachments.data.iter());
    let sizes = sizes.map(|data| data.bytes.len()).collect();
    let mut text = String::new();
    print_function(&module, function, &mut text).expect("a text");
    (text, sizes)
}

fn insert(kind: &str, amount: u32) -> String {
    format!("[[insert]]\nat = \"{kind}\"\ncall = \"add\"\nargs = [{amount}]\n")
}

/// How many numbers are written to memory.
fn updates(text: &str) -> usize {
    text.matches("  store").count()
}

/// The instructions of a block.
fn block<'t>(text: &'t str, name: &str) -> &'t str {
    let start = text.find(&format!("\n{name}:\n")).expect("the block is there") + name.len() + 3;
    let rest = &text[start..];
    &rest[..rest.find("\nb").unwrap_or(rest.len())]
}

const DIAMONDS: &str = "\
func @f(i1, i1) {
b0:
  branch v0, b1, b2
b1:
  jump b3
b2:
  jump b3
b3:
  branch v1, b4, b5
b4:
  jump b5
b5:
  return
}
";

#[test]
fn what_all_paths_add_is_added_once() {
    let (text, _) = expanded(&insert("block", 1), DIAMONDS, Options::default());
    assert_eq!(updates(&text), 2, "{text}");
    assert!(block(&text, "b0").contains("add i64 v2, 4"), "{text}");
    assert!(block(&text, "b4").contains(", 1\n"), "{text}");
    let each = Options {
        regions: false,
        ..Options::default()
    };
    assert_eq!(updates(&expanded(&insert("block", 1), DIAMONDS, each).0), 6);
}

/// A loop of two ways, with a variable that counts down by 4, and a call at one of its ends.
const COUNTING: &str = "\
symbol @other function
func @f(i32, i1) {
b0:
  jump b1
b1:
  v2 = phi i32 [b0: v0, b4: v3]
  v3 = add nsw i32 v2, -4
  branch v1, b2, b3
b2:
  jump b4
b3:
  jump b4
b4:
  v4 = icmp_sgt i32 v3, 0
  branch v4, b1, b5
b5:
  return
}
";

#[test]
fn rounds_are_counted_by_a_variable_of_the_loop() {
    let (text, _) = expanded(&insert("block", 1), COUNTING, Options::default());
    assert_eq!(updates(&text), 1, "{text}");
    let exit = block(&text, "b5");
    // Three blocks in each round, and the two around the loop.
    for line in ["sub i32 v0, v3", "zext i64", "lshr i64", ", 2\n", "mul i64", ", 3\n"] {
        assert!(exit.contains(line), "{line}: {text}");
    }
    // What wraps does not count, but in 64 bits.
    let wrapping = COUNTING.replace("add nsw", "add");
    let (text, _) = expanded(&insert("block", 1), &wrapping, Options::default());
    assert!(!text.contains("mul i64"), "{text}");
    assert!(block(&text, "b1").contains("phi i64 [b0: 0, b4: "), "{text}");
    let (text, _) = expanded(&insert("block", 1), &wrapping.replace("i32", "i64"), Options::default());
    assert!(text.contains("sub i64 v0, v3") && text.contains("mul i64"), "{text}");
}

#[test]
fn what_differs_from_round_to_round_is_carried_in_a_register() {
    let one_way = "[[insert]]\nat = \"branch\"\ncall = \"add\"\nargs = [7]\n";
    let longer = COUNTING
        .replace("b3:\n  jump b4", "b3:\n  branch v1, b4, b1")
        .replace("b4: v3]", "b3: v3, b4: v3]");
    let (text, _) = expanded(one_way, &longer, Options::default());
    assert_eq!(updates(&text), 1, "{text}");
    assert!(block(&text, "b1").contains("= phi i64 [b0: "), "{text}");
    assert!(block(&text, "b5").contains("  store align 8 i64"), "{text}");
    let in_memory = Options {
        carry: false,
        ..Options::default()
    };
    let (text, _) = expanded(one_way, &longer, in_memory);
    assert!(!text.contains("phi i64"), "{text}");
}

/// A loop with another in it that is entered at two places.
const TWO_ENTRIES: &str = "\
func @f(i1, i1, i1, i1) {
b0:
  jump b1
b1:
  branch v0, b2, b3
b2:
  branch v1, b3, b4
b3:
  branch v2, b2, b4
b4:
  branch v3, b1, b5
b5:
  return
}
";

#[test]
fn loops_with_irreducible_ones_in_them_add_to_memory() {
    let (text, _) = expanded(&insert("block", 1), TWO_ENTRIES, Options::default());
    assert!(updates(&text) > 0 && !text.contains("phi i64"), "{text}");
    let one_entry = TWO_ENTRIES.replace("branch v0, b2, b3", "jump b2");
    let (text, _) = expanded(&insert("block", 1), &one_entry, Options::default());
    assert!(text.contains("phi i64"), "{text}");
}

#[test]
fn calls_see_what_was_added_before_them() {
    let calling = COUNTING.replace("b2:\n", "b2:\n  call @other() : ()\n");
    let (text, _) = expanded(&insert("block", 1), &calling, Options::default());
    // It is paid in advance for the blocks up to the call, as often as it comes, and nothing is owed there.
    assert!(
        block(&text, "b0").contains(", 3\n") && block(&text, "b4").contains(", 3\n"),
        "{text}"
    );
    assert!(
        !block(&text, "b2").contains("  store") && !text.contains("phi i64"),
        "{text}"
    );
}

#[test]
fn counters_follow_from_others_where_the_tool_allows_it() {
    let tool = "[[insert]]\nat = \"block\"\ncall = \"count\"\nargs = [\"counter\"]\n";
    let (text, sizes) = expanded(tool, DIAMONDS, Options::default());
    assert_eq!((updates(&text), sizes), (6, vec![48, 192]), "{text}");
    let (text, sizes) = expanded(&format!("derive = true\n{tool}"), DIAMONDS, Options::default());
    assert_eq!(updates(&text), 3, "{text}");
    // Numbers, records, hidden numbers, and the sums.
    assert_eq!(sizes.len(), 4, "{sizes:?}");
    // In a block alone, nothing is saved.
    let straight = "func @f() {\nb0:\n  return\n}\n";
    let (text, sizes) = expanded(&format!("derive = true\n{tool}"), straight, Options::default());
    assert_eq!((updates(&text), sizes.len()), (1, 2), "{text}");
}

/// Accesses to elements of tables, in a loop, and through an address that is not known.
const ACCESSES: &str = "\
symbol @table data dso_local
data @table align 8 size 800
func @f(ptr, i64) {
  v2 = slot 64 align 4
b0:
  jump b1
b1:
  v3 = phi ptr [b0: @table, b1: v4]
  store align 4 i32 1, v3
  v5 = ptr_index scale 4 ptr v2, v1
  store align 4 i32 2, v5
  v4 = ptr_add ptr v3, 12
  v6 = icmp_eq ptr v4, v0
  branch v6, b2, b1
b2:
  store align 4 i32 3, v0
  return
}
";

#[test]
fn checks_of_what_is_known_are_left_out() {
    let tool = "[[insert]]\nat = \"store\"\ncall = \"check\"\nargs = [\"address\", \"size\"]\n";
    let (text, _) = expanded(tool, ACCESSES, Options::default());
    assert_eq!(text.matches("  call").count(), 1, "{text}");
    // Steps of 6 bytes do not keep the low bits, nor does a table that is aligned to less.
    for (from, to) in [
        ("v3, 12", "v3, 6"),
        ("table align 8", "table align 2"),
        ("slot 64 align 4", "slot 64 align 1"),
    ] {
        let (text, _) = expanded(tool, &ACCESSES.replace(from, to), Options::default());
        assert_eq!(text.matches("  call").count(), 2, "{from}: {text}");
    }
    // Data that others may define otherwise may lie elsewhere.
    let weak = ACCESSES.replace("data dso_local", "data");
    let (text, _) = expanded(tool, &weak, Options::default());
    assert_eq!(text.matches("  call").count(), 2, "{text}");
}

/// Loads and stores of which passes delete some: a value that is known, one that nobody needs, and one that is stored
/// again.
const REPEATED: &str = "\
func @f(ptr, ptr, i32) -> i32 {
b0:
  v3 = load i32 v0
  v4 = load i32 v0
  v5 = load i32 v1
  v6 = add i32 v3, v4
  store i32 v6, v1
  store i32 v6, v1
  return v6
}
";

/// Passes that delete loads and stores.
const DELETING: &[&str] = &["redundant-load", "dce"];

#[test]
fn early_hooks_stay_where_their_loads_are_deleted_unless_they_follow_them() {
    let none = Options {
        regions: false,
        ..Options::default()
    };
    let early = |kind: &str, more: &str| format!("when = \"early\"\n{}{more}", insert(kind, 1));
    let total = |tool: &str| {
        let text = expanded_after(DELETING, tool, REPEATED, none.clone()).0;
        let mut added = (1..9).filter(|number| text.contains(&format!(", {number}\n")));
        assert_eq!(text.matches("  store align 8 i64").count(), 1, "{text}");
        added.next().expect("an addition of a number")
    };
    assert_eq!(total(&early("load", "")), 3);
    assert_eq!(total(&early("load", "follows = true\n")), 1);
    assert_eq!(total(&early("store", "")), 2);
    assert_eq!(total(&early("store", "follows = true\n")), 1);
    // On the other side, too, and with what computes the arguments between hooks of two tables.
    assert_eq!(total(&early("load", "follows = true\nplace = \"after\"\n")), 1);
    let sizes = format!(
        "{}follows = true\n",
        insert("load", 1).replace("args = [1]", "args = [\"address\"]")
    );
    let both = format!("{}follows = true\n{sizes}", early("load", ""));
    let text = expanded_after(DELETING, &both, REPEATED, none).0;
    assert_eq!(text.matches("ptrtoint").count(), 1, "{text}");
}

#[test]
fn hooks_of_a_variable_that_leaves_memory_go_with_its_loads_and_stores() {
    // The second load becomes a conversion, which stands in its place.
    let program = "\
func @f(i32) -> f32 {
  v1 = slot 4 align 4
b0:
  store align 4 i32 v0, v1
  v2 = load align 4 i32 v1
  v3 = add i32 v2, 1
  store align 4 i32 v3, v1
  v4 = load align 4 f32 v1
  return v4
}
";
    let none = Options {
        regions: false,
        ..Options::default()
    };
    for kind in ["load", "store"] {
        let tool = |more: &str| format!("when = \"early\"\n{}{more}", insert(kind, 1));
        let expanded = |more: &str| expanded_after(&["mem2reg"], &tool(more), program, none.clone()).0;
        let (stays, goes) = (expanded(""), expanded("follows = true\n"));
        assert!(!stays.contains("slot"), "{stays}");
        assert!(stays.contains(", 2\n") && updates(&stays) == 1, "{stays}");
        assert_eq!(updates(&goes), 0, "{goes}");
    }
}

#[test]
fn a_hook_stays_where_its_load_is_moved_away() {
    let program = "\
data @x align 4 size 4
func @f(i32) -> i32 {
b0:
  jump b1
b1:
  v1 = phi i32 [b0: v0, b1: v3]
  v2 = load align 4 i32 @x
  v3 = sub i32 v1, v2
  v4 = icmp_sgt i32 v3, 0
  branch v4, b1, b2
b2:
  return v3
}
";
    let tool = format!("when = \"early\"\n{}follows = true\n", insert("load", 1));
    let none = Options {
        regions: false,
        carry: false,
        ..Options::default()
    };
    let (text, _) = expanded_after(&["licm", "redundant-load", "dce"], &tool, program, none);
    assert!(block(&text, "b0").contains("@x"), "{text}");
    assert!(block(&text, "b1").contains("store"), "{text}");
}
