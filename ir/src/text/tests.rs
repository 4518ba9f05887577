//! Round trips of hand-written modules, and errors for texts that are none.

use super::{parse_module, print_module};
use crate::debug::LocationId;
use crate::entities::Value;
use crate::function::{Function, ValueKind};
use crate::module::{Module, SymbolKind};
use frazil_support::EntityRef;
use frazil_test_support::Random;

const EVERYTHING: &str = r#"source "t \"quoted\".c"
triple "x86_64-unknown-linux-gnu"
layout pointer_bits 32 stack_align 8 big_endian
flags pic_level 2 pie_level 1 code_model 3 unwind_tables 2 direct_access_external_data 0 frame_pointer all guard_place other_segment guard_offset 20 stack_align 8 runtime_uses_got marks_branch_targets seals_functions allows_shadow_stack declares_marked_targets declares_signed_returns
asm ".globl x"
identification "somebody"
command_line "-O7"
dependent_library "m"
linker_option "first"
comdat @group largest
comdat @"odd name" any
symbol @printf function dso_local non_lazy_bind
symbol @table data internal hidden local_exec unnamed_addr comdat @group section ".mine" partition "part"
symbol @#2 data private
symbol @environ data external_weak
symbol @other alias data @table - 8
symbol @"\01_start" alias function @f
symbol @chosen ifunc @f
symbol @last data
symbol @distant data dso_local far
symbol @attached data is_absolute section_prefix "hot" associated @f excluded sections_by_kind "a" "" "c" ".d" absolute 0 256
data @table constant align 8 size 300 {
    "readable text, longer than a line of the printed form is allowed "
    "to be, so it is cut\n\00" zero 100 "end" } relocations [
    0: 8 @f + 4,
    8: 4 @environ - 3 minus @table,
    16: 8 block(@f, b2),
    24: 8 local_equivalent(@f),
    32: 8 no_cfi(@f)]
data @#2 size 4 { x"0001ff80" }
data @plain size 16
prefix_data @f constant size 12 { x"0102" } relocations [
    4: 8 @table]
prologue_data @f constant size 2 { x"9090" }
constructor 65535 @f
constructor 100 @f associated @table
destructor 7 @f
used [@table, @f]
compiler_used [@plain]

func @f(i32 signext v0, ptr byval(24, align 8) v1, i8 zeroext inreg v2, ptr sret v3, ...) -> (i32, i1 zeroext) fastcc no_unwind_table no_unwind no_red_zone no_tail_calls no_jump_tables naked cold no_return no_entry_mark marks_branch_targets signs_stored_return signs_by_second_key keeps_shadow_stack has_room_for_jump calls_fentry realigns_stack spares_wide_vectors align 64 frame_pointer non_leaf stack_protector strong stack_protector_bytes 16 stack_probe_size 4096 entry_filler 5 prefix_filler 3 stack_align 32 cleared_registers "used" stack_probe "inline-asm" target_cpu "znver1" target_features "+sse4.1" unsupported garbage_collection "x" personality @printf section_prefix "x" associated @table type_words 7 4294967295 {
  v4 = slot 16 align 8
  v9 = slot 3
b0:
  nop
  v5 = load align 4 volatile i32 v1
  v6, v7 = sadd_overflow i32 v5, v20
  store align 2 nontemporal i16 -5, v4
  branch v7, b1, b4
b1:
  v8 = phi nnan nsz f64 [b0: f64 1.5, b1: v10]
  v10 = fadd reassoc nnan ninf nsz arcp contract afn f64 v8, f64 -0.0
  v11 = fadd f32 f32 0x7fc00001, f32 inf
  v12 = icmp_slt samesign i24 i24 -5, 8388607
  v13 = select i32 v12, v0, -1
  v14 = zext nneg i128 i64 4294967295
  v15 = add nuw nsw i128 v14, i128 -170141183460469231731687303715884105728
  v16 = add i200 i200 0x0000000000000001000000000000000000000000000000000000000000000002, 3
  v17 = fptosi i8 x86_f80 0x3fff8000000000000000
  v18 = ptr_index scale 8 ptr v1, -3
  v19 = shuffle <2 x i32> <4 x i32> [1, 2, i32 undef, -4], <4 x i32> zero, <2 x i32> [0, i32 poison]
  switch i24 i24 5, default b2, [-1: b1, 3: b2, 4: b2]
b2:
  v20 = call tail no_unwind unmarked @printf(ptr @table + 8, null, f64 2.0, ptr @table - 4) : (ptr, ..., ptr, f64, ptr) -> i32
  call inline_asm asm sideeffect intel "nop" "~{memory}"() : ()
  v21, v22 = invoke v1(5, true) : cxx_fast_tlscc (i32, i1 signext) -> (i32, i1) to b3 unwind b5
b3:
  v23 = atomic_rmw umax align 4 acq_rel i32 v4, v21
  v24, v25 = cmpxchg align 8 seq_cst volatile weak ptr v4, null, ptr blockaddress(@f, b2)
  fence release single_thread
  prefetch locality 3 data v4
  mem_copy align 4 i32 v4, v9, 3
  v26 = extract_element <4 x i32> <4 x i32> zero, 3
  v27 = stack_alloc align 16 v0
  v28 = stack_save
  v29 = scmp i8 v0, 7
  va_start v4
  indirect_jump ptr blockaddress(@f, b4), [b4, b0x]
b4:
  return v6, true
b5:
  v30, v31 = landing_pad cleanup [catch(@table), filter(@table, null), filter()]
  resume v30, v31
b6:
  unreachable
}

func @g(i32 v0) {
b0:
  v1 = call $fmod(f64 1e300, f64 -5e-324) : (f64, f64) -> f64
  jump b1
b1:
  return
}
"#;

/// In the canonical form.
const DEBUG: &str = r#"symbol @f function
symbol @table data
data @table size 4
debug dwarf 5 units [n2] attached [@f n4, @table n9]
n0 = text "t \"quoted\".c"
n1 = file (name n0, directory n0)
n2 = unit (language 12, file n1)
n3 = list [n2, none, n7]
n4 = subprogram (scope n1, name n0, line 3, unit n2)
n5 = expression [4101, 0, 4101, 1, 34, 159]
n6 = subrange (count 7, lower -1, upper n8)
n7 = other []
n8 = expression []
n9 = global_expression (variable n7)

func @f(i32 v0, ptr v1) -> i32 {
  debug n4
  n10 = location (line 7, scope n4)
  n11 = variable (scope n4, name n0, parameter 1)
  v2 = slot 4 align 4
b0:
  declare n11 = v2, n8 at 0:0 n4
  value n11 = v0, n5 at 3:1 n4 argument 0 of 2
  value n11 = integer 1152921504606846976, n5 at 3:1 n4 argument 1 of 2
  at 3:4 n4
  v3 = add i32 v0, 1
  jump b1
b1:
  value n11 = v4, n8 at 3:1 n4 in n10
  label n7 = none, none
  at 4:0 n4 in n10
  v4 = add i32 v3, 1
  value n11 = symbol @table + 8, n8
  value n11 = symbol @table - 8, n8
  value n11 = bytes 7 1 16, n8
  value n11 = f64 1.5, n8
  value n11 = none, n8
  value n11 = @table, n8
  address n11 = -5, n8
  at none
  return v4
}
"#;

fn print(module: &Module, bodies: &[Function]) -> String {
    let mut text = String::new();
    print_module(module, bodies, &mut text).expect("a string takes everything");
    text
}

fn parse(text: &str) -> (Module, Vec<Function>) {
    parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn everything() -> String {
    EVERYTHING.replace("b0x", "b3")
}

#[test]
fn a_module_with_everything_round_trips() {
    let (module, bodies) = parse(&everything());
    let printed = print(&module, &bodies);
    let (again, bodies_again) = parse(&printed);
    assert_eq!(print(&again, &bodies_again), printed);
    assert_eq!(again.symbols.len(), module.symbols.len());
    for (left, right) in bodies.iter().zip(&bodies_again) {
        assert_eq!(left.insts, right.insts);
        assert_eq!(left.values, right.values);
        assert_eq!(left.pool, right.pool);
        assert_eq!(left.blocks, right.blocks);
        assert_eq!(left.slots, right.slots);
        assert_eq!(left.const_words, right.const_words);
    }
}

#[test]
fn debug_information_round_trips() {
    let (module, bodies) = parse(DEBUG);
    assert_eq!(print(&module, &bodies), DEBUG);
    let debug = &bodies[0].debug;
    let located: Vec<bool> = (0..4).map(|inst| debug.location_of(inst) != LocationId::NONE).collect();
    assert_eq!(located, [true, true, true, false]);
    let before: Vec<u32> = debug.values.iter().map(|value| value.before).collect();
    assert_eq!(before, [0, 0, 0, 2, 2, 3, 3, 3, 3, 3, 3, 3]);
    let uses: Vec<u32> = bodies[0].values[..5].iter().map(|value| value.uses).collect();
    assert_eq!(uses, [1, 0, 0, 1, 1], "values of variables are no uses");
    assert_eq!(crate::verify::verify_function(&module, &bodies[0]), Ok(()));
}

#[test]
fn what_is_wrong_with_debug_information_is_named() {
    for (right, wrong, message) in [
        ("n1 = file", "n3 = file", "expected n1, the next node"),
        ("  n10 = location", "  n11 = location", "expected n10, the next node"),
        ("n1 = file", "n1 = floor", "expected a kind of node"),
        ("(name n0, d", "(title n0, d", "expected a field of this kind of node"),
        ("(name n0, d", "(name 0, d", "expected a node"),
        ("language 12", "language n1", "expected a number"),
        ("  debug n4\n", "", "a line `debug` stands before"),
        ("debug dwarf 5", "debug", "expected `dwarf`"),
        ("[@f n4, @table n9]", "[@table n9, @f n4]", "order of symbols"),
        ("argument 0 of 2", "argument 0 of 256", "too large"),
    ] {
        let text = DEBUG.replace(right, wrong);
        let error = parse_module(&text).expect_err(wrong);
        assert!(error.message.contains(message), "{wrong}: {error}");
    }
}

#[test]
fn what_is_written_in_the_canonical_form_is_printed_unchanged() {
    let (module, bodies) = parse(&everything());
    let printed = print(&module, &bodies);
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    let (expected, found) = (lines(&everything()), lines(&printed));
    let function = |lines: &[String]| -> Vec<String> {
        lines
            .iter()
            .skip_while(|line| !line.starts_with("func @f"))
            .cloned()
            .collect()
    };
    assert_eq!(function(&found), function(&expected));
    assert_eq!(found[..16], expected[..16]);
}

#[test]
fn numbers_take_the_width_of_their_place() {
    let (_, bodies) = parse("func @f(i8, i1) -> i8 {\nb: v2 = and i8 v0, 255\n v3 = xor i1 v1, 1\n return 0x80\n}");
    let function = &bodies[0];
    assert_eq!(function.insts[0].b.as_imm(), Some(-1));
    assert_eq!(function.insts[1].b.as_imm(), Some(-1));
    assert_eq!(function.list(&function.insts[2])[0].as_imm(), Some(-128));
}

#[test]
fn phi_operands_are_sorted_by_predecessor() {
    let text = "func @f(i1) -> i32 {\nin: branch v0, right, left\nleft: jump out\nright: jump out\n\
                out: v1 = phi i32 [right: 2, left: 1]\n return v1\n}";
    let (_, bodies) = parse(text);
    let function = &bodies[0];
    let phi = function.inst(function.def_inst(Value::new(1)).expect("defined"));
    let operands: Vec<_> = function.list(phi).iter().map(|operand| operand.as_imm()).collect();
    assert_eq!(operands, [Some(1), Some(2)]);
}

#[test]
fn forward_references_and_gaps_in_the_numbers_are_allowed() {
    let text = "func @f() -> i32 {\nb0: jump b2\nb1: return v9\nb2: v9 = copy i32 5\n jump b1\n}";
    let (_, bodies) = parse(text);
    assert_eq!(bodies[0].values[9].uses, 1);
    assert_eq!(bodies[0].values[4].kind, ValueKind::Forward);
}

#[test]
fn symbols_get_their_numbers_from_their_first_place() {
    let (module, _) = parse("func @a() {\nb: call @c() : ()\n return\n}\ndata @b size 4\nsymbol @c function\n");
    let names: Vec<_> = module
        .symbols
        .keys()
        .map(|id| module.display_name(id).into_owned())
        .collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert!(matches!(
        module.symbols.values().next().expect("one").kind,
        SymbolKind::Function(_)
    ));
}

#[test]
fn errors_name_the_place() {
    let cases = [
        ("func @f() {\nb0:\n  v0 = frobnicate i32 1\n}", (3, 8), "an opcode"),
        ("func @f() {\nb0:\n  return @g\n}", (3, 10), "a symbol"),
        ("func @f() {\nb0:\n  jump b1\n}", (3, 8), "a label"),
        ("func @f() {\nb0:\n  v0 = copy i8 256\n}", (3, 16), "fits"),
        ("func @f(i32 v1) {\n}", (1, 13), "`v0`"),
        ("data @x size 2 {\n  \"abc\" }\n", (2, 10), "more bytes"),
        (
            "symbol @f function\nfunc @f() {\nb: v0 = phi i32 []\n v0 = copy i32 1\n}",
            (4, 17),
            "twice",
        ),
        ("func @f() {\nb0:\n", (3, 1), "expected"),
        ("data @x size 4 {\"a\" zero 99999999999}\n", (1, 26), "zeros"),
        ("func @f() {\nb0: v99999999 = copy i32 1\n}", (2, 5), "far above"),
    ];
    for (text, place, message) in cases {
        let error = parse_module(text).expect_err(text);
        assert!(error.message.contains(message), "{error} for {text}");
        assert_eq!((error.line, error.column), place, "{error} for {text}");
    }
}

#[test]
fn damaged_texts_are_errors_or_modules_but_never_panics() {
    let text = everything().into_bytes();
    let mut random = Random::new(1);
    let mut next = |bound| random.below(bound);
    for _ in 0..3000 {
        let mut damaged = text.clone();
        for _ in 0..=next(3) {
            let place = next(damaged.len());
            match next(4) {
                0 => damaged[place] = b"0123456789vbi<>[](){}:,=-@$\"\n x"[next(31)],
                1 => drop(damaged.remove(place)),
                2 => damaged.truncate(place.max(1)),
                _ => {
                    let from = next(damaged.len());
                    let end = (from + next(40)).min(damaged.len());
                    let piece = damaged[from..end].to_vec();
                    damaged.splice(place..place, piece);
                }
            }
        }
        let damaged = String::from_utf8_lossy(&damaged);
        if let Ok((module, bodies)) = parse_module(&damaged) {
            let printed = print(&module, &bodies);
            let (again, bodies_again) = parse(&printed);
            assert_eq!(print(&again, &bodies_again), printed);
            for body in &bodies {
                let found = crate::verify::verify_function(&module, body);
                assert_eq!(crate::verify::verify_function(&again, body), found);
            }
        }
    }
}

#[test]
fn the_example_of_the_head_comment_is_a_module() {
    let lines = include_str!("mod.rs")
        .lines()
        .map(|line| line.trim_start_matches("//!").trim());
    let example = lines
        .skip_while(|line| *line != "```text")
        .skip(1)
        .take_while(|line| *line != "```");
    let (module, bodies) = parse(&example.collect::<Vec<_>>().join("\n"));
    assert_eq!(crate::verify::verify_module(&module), Ok(()));
    assert_eq!(crate::verify::verify_function(&module, &bodies[0]), Ok(()));
}

#[test]
fn negative_numbers_of_odd_wide_types_are_printed_as_they_are_read() {
    let text = "func @f(i328 v0) -> i328 {\nb0:\n  v1 = add i328 v0, i328 -170141183460469231731687303715884105728\n  return v1\n}\n";
    let (module, bodies) = parse(text);
    let printed = print(&module, &bodies);
    let (again, bodies_again) = parse(&printed);
    assert_eq!(print(&again, &bodies_again), printed);
}
