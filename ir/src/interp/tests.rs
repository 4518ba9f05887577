//! What ends a run, and how undefined bits and poison travel. What operations compute is in the `run` file tests.

use super::{Interpreter, Limits, Outcome, Scalar, Stop, Value};
use crate::entities::FuncId;
use crate::text::parse_module;
use crate::verify::verify_function;
use frazil_support::EntityRef;

fn run(text: &str, arguments: &[u128]) -> Outcome<Vec<Value>> {
    let (module, functions) = parse_module(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    for function in &functions {
        assert_eq!(verify_function(&module, function), Ok(()), "{text}");
    }
    let limits = Limits {
        steps: 10_000,
        ..Limits::default()
    };
    let mut interpreter = Interpreter::new(&module, &functions, limits)?.with_external(|name, arguments, memory| {
        let address = arguments.first()?.known()? as u64;
        (name == "strlen").then(|| Ok(vec![Value::bits(memory.read_string(address)?.len() as u128)]))
    });
    interpreter.call(
        FuncId::new(0),
        arguments.iter().map(|&argument| Value::bits(argument)).collect(),
    )
}

/// Runs the lines as a function of two `i32`s and a pointer to 16 bytes that returns `i32`.
fn run_lines(lines: &str, arguments: [u128; 2]) -> Outcome<Value> {
    let text = format!("func @f(i32, i32) -> i32 {{\n v2 = slot 16 align 16\nb0: {lines}\n}}");
    Ok(run(&text, &arguments)?.remove(0))
}

#[test]
fn undefined_behavior_ends_the_run_with_its_kind_and_place() {
    let cases = [
        (
            "v3 = sdiv i32 v0, v1\n return v3",
            [1, 0],
            "division by zero (in f, instruction 0)",
        ),
        (
            "v3 = srem i32 v0, v1\n return v3",
            [1 << 31, 0xffff_ffff],
            "divided by -1",
        ),
        (
            "v3 = add nuw i32 v0, v1\n v4 = udiv i32 5, v3\n return v4",
            [0xffff_ffff, 1],
            "division by poison",
        ),
        (
            "v3 = ptr_add ptr v2, 13\n v4 = load i32 v3\n return v4",
            [0, 0],
            "outside of any live object",
        ),
        ("v4 = load i32 null\n return v4", [0, 0], "outside of any live object"),
        (
            "v3 = ptr_add ptr v2, 2\n v4 = load align 4 i32 v3\n return v4",
            [0, 0],
            "not aligned",
        ),
        (
            "v3 = load i32 v2\n v4 = icmp_eq i32 v3, 0\n branch v4, b1, b1\nb1: return 0",
            [0, 0],
            "branch on an undefined",
        ),
        (
            "v3 = shl i32 1, 32\n v4 = icmp_eq i32 v3, 0\n branch v4, b1, b1\nb1: return 0",
            [0, 0],
            "branch on poison",
        ),
        ("store i8 -1, v2\n v3 = load i1 v2\n return 0", [0, 0], "padding bits"),
        (
            "v3 = ptr_add ptr v2, 4\n mem_copy i64 v3, v2, 8\n return 0",
            [0, 0],
            "overlap",
        ),
        ("v3 = call v2() : () -> i32\n return v3", [0, 0], "no function"),
        (
            "v3 = call @f(v0) : (i32) -> i32\n return v3",
            [0, 0],
            "another signature",
        ),
        ("unreachable", [0, 0], "unreachable"),
    ];
    for (lines, arguments, message) in cases {
        match run_lines(lines, arguments) {
            Err(Stop::Undefined(found)) => assert!(found.contains(message), "{lines}: {found}"),
            other => panic!("{lines}: {other:?}"),
        }
    }
}

#[test]
fn memory_of_a_frame_ends_with_it_and_constants_cannot_be_written() {
    let text = "func @f() -> i32 {\nb0: v0 = call @g() : () -> ptr\n v1 = load i32 v0\n return v1\n}\n\
        func @g() -> ptr {\n v0 = slot 4\nb0: store i32 1, v0\n return v0\n}";
    assert!(matches!(run(text, &[]), Err(Stop::Undefined(message)) if message.contains("live object")));
    let text = "data @x constant size 4\nfunc @f() {\nb0: store i32 1, @x\n return\n}";
    assert!(matches!(run(text, &[]), Err(Stop::Undefined(message)) if message.contains("constant data")));
}

#[test]
fn limits_and_traps_end_the_run() {
    assert_eq!(
        run("func @f() {\nb0: jump b1\nb1: jump b1\n}", &[]),
        Err(Stop::Limit("steps".to_owned()))
    );
    let text = "func @f() {\nb0: call @f() : ()\n return\n}";
    assert_eq!(run(text, &[]), Err(Stop::Limit("call depth".to_owned())));
    let text = "func @f() {\nb0: v0 = stack_alloc i64 99999999999\n return\n}";
    assert_eq!(run(text, &[]), Err(Stop::Limit("memory".to_owned())));
    assert_eq!(run_lines("trap\n unreachable", [0, 0]), Err(Stop::Trap));
}

#[test]
fn undefined_bits_are_followed_one_by_one() {
    let bit_field = "v3 = load i32 v2\n v4 = and i32 v3, -8\n v5 = or i32 v4, 5\n store i32 v5, v2\n\
        v6 = load i32 v2\n v7 = and i32 v6, 7\n return v7";
    assert_eq!(run_lines(bit_field, [0, 0]), Ok(Value::bits(5)));
    let shifted = "store i16 v8, v2\n v3 = load i32 v2\n v4 = shl i32 v3, 16\n v5 = lshr i32 v4, 16\n return v5";
    let shifted = format!("v8 = trunc i16 v0\n {shifted}");
    assert_eq!(run_lines(&shifted, [0x1234_5678, 0]), Ok(Value::bits(0x5678)));
    let sum = "v3 = load i32 v2\n v4 = and i32 v3, -256\n v5 = add i32 v4, 3\n v6 = and i32 v5, 255\n return v6";
    assert_eq!(run_lines(sum, [0, 0]), Ok(Value::bits(3)));
    let frozen = "v3 = load i32 v2\n v4 = freeze i32 v3\n v5 = xor i32 v4, v4\n return v5";
    assert_eq!(run_lines(frozen, [0, 0]), Ok(Value::bits(0)));
}

#[test]
fn poison_goes_through_memory_but_not_through_what_is_not_chosen() {
    let stored = "v3 = add nsw i32 v0, v1\n store i32 v3, v2\n v4 = load i32 v2\n return v4";
    assert_eq!(run_lines(stored, [0x7fff_ffff, 1]), Ok(Value::Scalar(Scalar::Poison)));
    assert_eq!(run_lines(stored, [1, 1]), Ok(Value::bits(2)));
    let chosen = "v3 = add nsw i32 v0, v1\n v4 = select i32 true, 7, v3\n return v4";
    assert_eq!(run_lines(chosen, [0x7fff_ffff, 1]), Ok(Value::bits(7)));
    let frozen = "v3 = copy i32 poison\n v4 = freeze i32 v3\n v5 = icmp_eq i32 v4, v4\n v6 = zext i32 v5\n return v6";
    assert_eq!(run_lines(frozen, [0, 0]), Ok(Value::bits(1)));
}

#[test]
fn external_functions_are_asked_for() {
    let text = "symbol @strlen function\ndata @text constant { \"hello\\00\" }\n\
        func @f() -> i64 {\nb0: v0 = call @strlen(@text) : (ptr) -> i64\n return v0\n}";
    assert_eq!(run(text, &[]), Ok(vec![Value::bits(5)]));
    let unknown = text.replace("strlen", "unknown");
    assert!(matches!(run(&unknown, &[]), Err(Stop::Unsupported(message)) if message.contains("unknown")));
}

#[test]
fn relocations_aliases_and_block_addresses_have_addresses() {
    let text = "symbol @second alias data @table + 8\n\
        data @table align 8 size 24 relocations [0: 8 @f, 8: 8 block(@f, b1), 16: 4 @table minus @second]\n\
        func @f() -> i32 {\nb0: v0 = load align 8 ptr @second\n indirect_jump v0, [b1, b2]\n\
        b1: v1 = ptr_add ptr @table, 16\n v2 = load i32 v1\n return v2\nb2: return 1\n}";
    assert_eq!(run(text, &[]), Ok(vec![Value::bits(0xffff_fff8)]));
}
