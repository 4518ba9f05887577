//! What is particular to the machine: forms of branches and addresses, alignment, faults, refusals. What instructions
//! of the IR compute is in the `run` file tests.

use crate::program::{Program, ProgramError};
use crate::sim::Fault;
use frazil_ir::text::parse_module;
use frazil_ir::{EntityRef, FuncId};
use std::fmt::Write;

/// Runs the first function of a text, which is completed by the machine's layout.
fn run(text: &str, arguments: &[u128]) -> Result<Vec<u128>, ProgramError> {
    let text = format!("layout pointer_bits 32\n{text}");
    let (module, functions) = parse_module(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    Program::new(&module, &functions)?.call(FuncId::new(0), arguments, 100_000)
}

/// Runs lines as a function of two `i32`s that returns one, with a slot of 16 bytes as `v2`.
fn run_lines(lines: &str, arguments: [u128; 2]) -> Result<u128, ProgramError> {
    let text = format!("func @f(i32, i32) -> i32 {{\n v2 = slot 16 align 16\nb0: {lines}\n}}");
    run(&text, &arguments).map(|results| results[0])
}

fn fault(result: Result<u128, ProgramError>) -> Fault {
    match result {
        Err(ProgramError::Fault(fault)) => fault,
        other => panic!("no fault: {other:?}"),
    }
}

#[test]
fn faults_stop_the_machine_and_say_why() {
    let divide = "v3 = udiv i32 v0, v1\n return v3";
    assert_eq!(run_lines(divide, [7, 2]), Ok(3));
    assert_eq!(fault(run_lines(divide, [7, 0])), Fault::DivisionByZero);
    assert_eq!(fault(run_lines("trap\n unreachable", [0, 0])), Fault::Trap);
    let endless = "jump b1\nb1: jump b1";
    assert_eq!(fault(run_lines(endless, [0, 0])), Fault::Steps);
    let load = "v3 = inttoptr ptr v0\n v4 = load align 4 i32 v3\n return v4";
    for (address, message) in [
        (0, "outside of memory"),
        (0xffff_fffc, "outside of memory"),
        (0x10002, "not aligned"),
    ] {
        match fault(run_lines(load, [address, 0])) {
            Fault::Memory(found) => assert!(found.contains(message), "{address:#x}: {found}"),
            other => panic!("{address:#x}: {other}"),
        }
    }
    let store = "v3 = inttoptr ptr v0\n store align 4 i32 7, v3\n return 0";
    assert!(matches!(fault(run_lines(store, [0x10000, 0])), Fault::Memory(found) if found.contains("to code")));
    let call = "v3 = inttoptr ptr v0\n v4 = call v3() : () -> i32\n return v4";
    assert!(matches!(fault(run_lines(call, [0x20, 0])), Fault::Code(_)));
}

#[test]
fn unknown_functions_stop_the_run_only_when_called() {
    let text = "symbol @elsewhere function\nfunc @f(i32) -> i32 {\nb0: v1 = icmp_eq i32 v0, 0\n branch v1, b1, b2\n\
        b1: return 5\nb2: v2 = call @elsewhere(v0) : (i32) -> i32\n return v2\n}";
    assert_eq!(run(text, &[0]), Ok(vec![5]));
    assert_eq!(
        run(text, &[1]),
        Err(ProgramError::Fault(Fault::Unknown("elsewhere".to_owned())))
    );
}

#[test]
fn what_is_not_compiled_is_refused_by_name_when_called() {
    let text = "func @f(i32) -> i32 {\nb0: v1 = call @g(v0) : (i32) -> i32\n return v1\n}\n\
        func @g(i32) -> i32 {\n v1 = slot 16 align 8\nb0: va_start v1\n return 0\n}";
    match run(text, &[1]) {
        Err(ProgramError::Unsupported(reason)) => assert!(reason.contains("va_start"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

/// Pointers of another width are refused where there are some, and only there.
#[test]
fn modules_with_wide_pointers_run_where_no_pointer_occurs() {
    let text = "func @f(i64) -> i64 {\nb0: v1 = add i64 v0, 1\n return v1\n}\n\
        func @g(ptr) -> i64 {\nb0: v1 = load i64 v0\n return v1\n}";
    let (module, functions) = parse_module(text).expect("the text is right");
    let program = Program::new(&module, &functions).expect("there is no data");
    assert_eq!(
        program.call(FuncId::new(0), &[0xffff_ffff], 100),
        Ok(vec![0x1_0000_0000])
    );
    match program.call(FuncId::new(1), &[0], 100) {
        Err(ProgramError::Unsupported(reason)) => assert!(reason.contains("pointers of 64 bits"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

/// A loop whose body has `count` instructions, so that branches to its start and over it become long.
fn long_loop(count: usize) -> String {
    let mut text = String::from("jump b1\nb1: v3 = phi i32 [b0: 0, b3: v4]\n v4 = add i32 v3, 1\n");
    text.push_str(" v5 = icmp_ult i32 v4, v0\n branch v5, b2, b3\nb2: v6 = mul i32 v4, v1\n");
    for index in 0..count {
        let _ = writeln!(text, " v{} = xor i32 v{}, v{}", index + 7, index + 6, 3 + index % 2);
    }
    let _ = writeln!(text, " store align 4 i32 v{}, v2\n jump b3", count + 6);
    let (compare, result) = (count + 7, count + 8);
    let _ = writeln!(text, "b3: v{compare} = icmp_ult i32 v4, v0\n branch v{compare}, b1, b4");
    let _ = writeln!(text, "b4: v{result} = load align 4 i32 v2\n return v{result}");
    text
}

#[test]
fn branches_reach_any_distance() {
    for count in [0, 10, 60, 61, 62, 63, 64, 65, 66, 120, 124, 126, 128, 130, 1000, 5000] {
        let mixed = (0..count).fold(9 * 3, |value, index| value ^ [8, 9][index % 2]);
        assert_eq!(run_lines(&long_loop(count), [10, 3]), Ok(mixed), "{count}");
    }
}

/// Slots at and beyond the reach of a displacement, read and written at every distance around its end.
#[test]
fn frames_larger_than_displacements_reach() {
    for size in [64, 120, 128, 136, 5000, 70000] {
        for distance in [0, size - 8, size - 4] {
            let text = format!(
                "func @f(i32, i64) -> (i32, i64) {{\n v2 = slot {size} align 8\n v3 = slot 8 align 8\n\
                 b0: v4 = ptr_add ptr v2, {distance}\n store align 8 i64 v1, v3\n store align 4 i32 v0, v4\n\
                 v5 = load align 4 i32 v4\n v6 = load align 8 i64 v3\n return v5, v6\n}}"
            );
            assert_eq!(run(&text, &[7, 1 << 40]), Ok(vec![7, 1 << 40]), "{size} {distance}");
        }
    }
}

/// The second argument lies in the last argument register and on the stack.
#[test]
fn arguments_are_split_between_registers_and_stack() {
    let text = "func @f(i64, i128, f64, i8) -> (i128, i64, f64, i8) {\nb0: return v1, v0, v2, v3\n}";
    let wide = 0x1111_2222_3333_4444_5555_6666_7777_8888;
    let arguments = [1 << 50, wide, 1.5f64.to_bits().into(), 0x80];
    assert_eq!(
        run(text, &arguments),
        Ok(vec![wide, 1 << 50, 1.5f64.to_bits().into(), 0x80])
    );
    let caller = format!(
        "func @g(i64, i128, f64, i8) -> (i128, i64, f64, i8) {{\nb0: v4, v5, v6, v7 = call @f(v0, v1, v2, v3) : \
         (i64, i128, f64, i8) -> (i128, i64, f64, i8)\n return v4, v5, v6, v7\n}}\n{text}"
    );
    assert_eq!(run(&caller, &arguments), run(text, &arguments));
}

#[test]
fn every_row_keeps_its_number_and_has_a_name_of_its_own() {
    use crate::ops::{ALL, Op, ROWS};
    for (number, &op) in ALL.iter().enumerate() {
        assert_eq!(Op::from_number(number as u16), Some(op));
        assert_eq!(ROWS.iter().filter(|row| row.name == op.row().name).count(), 1, "{op:?}");
    }
    assert_eq!(Op::from_number(ALL.len() as u16), None);
}
