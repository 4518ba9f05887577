//! Each rule is broken once.

use crate::debug::LocationId;
use crate::entities::Value;
use crate::function::Function;
use crate::operand::Operand;
use crate::text::parse_module;
use crate::verify::verify_function;
use frazil_support::EntityRef;

fn errors(text: &str) -> Vec<String> {
    let (module, bodies) = parse_module(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    match verify_function(&module, &bodies[0]) {
        Ok(()) => Vec::new(),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn good_functions_pass() {
    let text = "func @f(i32, ptr, <4 x i32>) -> i32 {\n v3 = slot 8 align 8\nb0: v4 = add nsw i32 v0, 5\n\
        v5 = icmp_eq ptr v1, null\n v11 = icmp_ne ptr v1, -1\n v6 = zext i64 v4\n v7 = ptr_index scale 4 ptr v1, v6\n\
        v8 = extract_element <4 x i32> v2, v6\n v9 = shuffle <2 x i32> v2, v2, <2 x i32> [7, i32 undef]\n\
        branch v5, b1, b2\nb1: jump b2\nb2: v10 = phi i32 [b0: v4, b1: 7]\n\
        switch i32 v10, default b3, [1: b3, -1: b4]\nb3: return v8\nb4: return 0\n}";
    assert_eq!(errors(text), Vec::<String>::new());
}

#[test]
fn every_broken_rule_is_named() {
    let cases = [
        ("v2 = add f32 v1, v1", "not an integer type"),
        ("v2 = fadd i32 v0, v0", "not a floating-point type"),
        ("v2 = add i32 v0, v1", "operand 1 has the wrong type"),
        ("v2 = fadd f32 v1, zero\n v3 = bitcast i64 v2", "different sizes"),
        ("v2 = zext i64 5", "immediate"),
        ("v2 = zext i16 v0", "does not convert"),
        ("v2 = trunc nuw i8 v1", "does not convert"),
        ("v2 = add flags 128 i32 v0, v0", "flag"),
        ("v2 = bswap i8 3", "16 bits"),
        ("v2 = load i32 v0", "operand 0"),
        ("v2 = load seq_cst i32 null", "ordering"),
        ("v2 = atomic_load release i32 null", "ordering"),
        ("v2 = atomic_rmw fadd seq_cst i32 null, 1", "operation"),
        ("fence monotonic", "ordering"),
        ("v2 = ptr_add ptr null, i32 8", "operand 1"),
        ("v2 = copy i8 i16 300", "operand 0"),
        ("v2 = is_fpclass f32 v1, 1024", "mask"),
        ("call null(1) : (i32, i32)", "signature"),
        ("call null(v0) : (f32)", "signature"),
        ("call asm \"\" \"\"() : ()", "inline assembly"),
        ("v2 = add i32 v3, 1\n v3 = add i32 1, 1", "not dominated"),
        ("v2 = copy i32 1\n v3 = phi i32 []", "phis come first"),
        ("v2, v3 = landing_pad []", "unwind target"),
        ("return v0\nb:", "signature"),
        ("return\nb: return\n jump b", "terminator"),
        ("v2 = scmp i8 1, 2", "immediate"),
        ("switch i32 v0, default b, [1: b, 1: b]\nb:", "same value"),
        ("switch i32 v0, default b, [v0: b]\nb:", "no constant"),
        ("v2 = extract_element i32 v0, 1", "not a vector"),
        ("v2 = reduce_add i32 <2 x i64> zero", "no vector of the type"),
        ("v2 = reduce_add f32 <2 x f32> zero", "wrong kind"),
        (
            "v2 = shuffle <1 x i32> <2 x i32> zero, <2 x i32> zero, <1 x i32> [4]",
            "lane",
        ),
    ];
    for (lines, message) in cases {
        let text = format!("func @f(i32, f32) {{\nb0: {lines}\n return\n}}");
        let found = errors(&text);
        assert!(found.iter().any(|error| error.contains(message)), "{lines}: {found:?}");
    }
}

#[test]
fn the_entry_has_no_predecessor_and_phis_have_a_column_for_each() {
    assert!(errors("func @f() {\nb0: jump b0\n}")[0].contains("entry"));
    let text = "func @f(i1) -> i32 {\nb0: branch v0, b1, b2\nb1: v1 = copy i32 5\n jump b2\n\
        b2: v2 = phi i32 [b0: v1, b1: 3]\n return v2\n}";
    assert!(errors(text)[0].contains("not dominated"));
}

#[test]
fn results_of_an_invoke_are_available_after_its_normal_edge_only() {
    let good = "func @f() -> i32 {\nb0: v0 = invoke @f() : () -> i32 to b1 unwind b2\nb1: return v0\n\
        b2: v1, v2 = landing_pad cleanup []\n resume v1, v2\n}";
    assert_eq!(errors(good), Vec::<String>::new());
    let bad = good.replace("resume v1, v2", "return v0");
    assert!(errors(&bad)[0].contains("not dominated"));
    let no_pad = good.replace("v1, v2 = landing_pad cleanup []\n resume v1, v2", "return 0");
    assert!(errors(&no_pad)[0].contains("begins with a landing pad"));
}

#[test]
fn results_of_an_invoke_are_available_in_and_after_a_loop_at_its_normal_edge() {
    let good = "func @f(i1) -> i32 {\nb0: branch v0, b1, b4\n\
        b1: v1 = invoke @f(v0) : (i1) -> i32 to b2 unwind b5\n\
        b2: v2 = phi i32 [b1: v1, b2: v3]\n v3 = add i32 v2, v1\n v4 = icmp_eq i32 v3, 9\n branch v4, b3, b2\n\
        b3: return v1\nb4: return 0\n\
        b5: v5, v6 = landing_pad cleanup []\n resume v5, v6\n}";
    assert_eq!(errors(good), Vec::<String>::new());
    // A second path into the loop, which does not contain the edge.
    let bad = good
        .replace("b4: return 0", "b4: jump b2")
        .replace("[b1: v1, b2: v3]", "[b1: v1, b2: v3, b4: 0]");
    let found = errors(&bad);
    assert!(
        found.iter().all(|error| error.contains("v1 is not dominated")),
        "{found:?}"
    );
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn an_empty_block_is_found() {
    assert!(errors("func @f() {\nb0:\n return\nb1:\n}")[0].contains("empty"));
    assert!(errors("func @f() {\n}")[0].contains("no blocks"));
}

#[test]
fn wrong_use_counts_are_found() {
    let (module, mut bodies) = parse_module("func @f(i32) -> i32 {\nb0: return v0\n}").expect("parses");
    bodies[0].values[0].uses = 2;
    let errors = verify_function(&module, &bodies[0]).expect_err("one is wrong");
    assert_eq!(errors[0].to_string(), "function f: v0 has 1 uses, but 2 are recorded");
}

/// A way of breaking a function.
type Damage = fn(&mut Function);

#[test]
fn broken_rules_of_debug_information_are_named() {
    let text = "debug dwarf 5\nn0 = other []\nfunc @f(i32) -> i32 {\n debug n0\nb0:\n at 1:1 n0\n\
        v1 = add i32 v0, 1\n value n0 = v1, none at 1:1 n0\n return v1\n}";
    let (module, bodies) = parse_module(text).expect("parses");
    assert_eq!(verify_function(&module, &bodies[0]), Ok(()));
    let cases: [(Damage, &str); 8] = [
        (|f| f.debug.is_on = false, "without debug information"),
        (|f| f.debug.column.push(LocationId(1)), "belong to instructions"),
        (|f| f.debug.column[0] = LocationId(2), "locations are known"),
        (|f| f.debug.values[0].location = LocationId(2), "location of a variable"),
        (|f| f.debug.values[0].before = 3, "before an instruction"),
        (
            |f| f.debug.values[0].operand = Operand::value(Value::new(7)),
            "is defined",
        ),
        (|f| f.debug.values[0].constant = 1, "exists"),
        (|f| f.debug.values[0].argument.index = 1, "one of them"),
    ];
    for (damage, message) in cases {
        let mut function = bodies[0].clone();
        damage(&mut function);
        let found = verify_function(&module, &function).expect_err(message);
        assert!(found.iter().any(|error| error.message.contains(message)), "{found:?}");
    }
}
