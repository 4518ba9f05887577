//! Debug information: what a debugger says of programs that Frazil compiled, beside what it says of those of `llc`.
//!
//! A session is a file of commands for gdb. Each program is compiled by clang at -O0 and linked from an object of the
//! fast path and one of `llc -O0`, or at -O2 with the optimizing recipes and `llc -O2`; the two sessions must read the
//! same, but for addresses. Variables of -O2 must have a location about as often as `llc`'s. The objects of all recipes
//! must satisfy `llvm-dwarfdump --verify`, and have the same code and data as without debug information.

use crate::{RECIPES, checking_frazil, in_repository};
use frazil_test_support::{Folder, run};
use object::{Object, ObjectSection, SectionKind};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs of which objects are looked at.
pub(crate) const PROGRAMS: [&str; 11] = [
    "types.c",
    "blocks.c",
    "classes.cpp",
    "optimised.c",
    "constants.c",
    "spilled.c",
    "calls.c",
    "labels.c",
    "wide.c",
    "lists.c",
    "trace.cpp",
];

pub(crate) fn source(name: &str) -> PathBuf {
    in_repository("tests/debug_information").join(name)
}

/// Has clang make bitcode of a program, with these words, unless it is bitcode of another version.
pub(crate) fn bitcode(name: &str, words: &[&str], folder: &Folder) -> PathBuf {
    if name.ends_with(".bc") {
        return source(name);
    }
    let bitcode = folder.path("program.bc");
    let compiler = if name.ends_with(".cpp") {
        "clang++-22"
    } else {
        "clang-22"
    };
    let mut clang = Command::new(compiler);
    clang.args(["-c", "-emit-llvm"]).args(words).arg(source(name));
    run(clang.arg("-o").arg(&bitcode));
    bitcode
}

/// What gdb prints in a session with the program of an object, without addresses.
fn session(object: &Path, commands: &Path) -> String {
    let program = object.with_extension("program");
    run(Command::new("clang++-22").arg(object).arg("-o").arg(&program));
    let mut gdb = Command::new("gdb");
    gdb.args(["-q", "-nx", "-batch"]);
    for setting in [
        "set debuginfod enabled off",
        "set print address off",
        // Which of them are known depends on the registers.
        "set print entry-values no",
        "set pagination off",
    ] {
        gdb.args(["-ex", setting]);
    }
    let output = gdb.arg("-x").arg(commands).arg(&program).output().expect("gdb starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // What differs from program to program: addresses, and the number of the process.
    let kept = text.lines().map(|line| {
        let words = line.split(' ').map(|word| {
            let is_address = word.trim_start_matches('(').starts_with("0x7") || word.starts_with("0x5555");
            if is_address { "ADDRESS" } else { word }
        });
        words.collect::<Vec<_>>().join(" ")
    });
    let mut kept: Vec<String> = kept.filter(|line| !line.contains("process")).collect();
    kept.iter_mut().for_each(|line| line.push('\n'));
    kept.concat()
}

/// Compares sessions with the programs of the fast path and of `llc`.
fn compare(name: &str, commands: &str) {
    compare_level(name, commands, "Om1", "-O0");
}

/// Compares sessions with the programs of a recipe and of `llc` at a level, which clang has, too.
fn compare_level(name: &str, commands: &str, recipe: &str, level: &str) {
    compare_version(name, commands, recipe, (level, "-g"));
}

/// Compares sessions with programs of which clang has made bitcode with an option for debug information.
fn compare_version(name: &str, commands: &str, recipe: &str, options: (&str, &str)) {
    let (ours, theirs) = sessions(name, commands, recipe, options);
    let differing = ours
        .lines()
        .zip(theirs.lines())
        .position(|(ours, theirs)| ours != theirs);
    if let Some(line) = differing {
        let from = line.saturating_sub(5);
        let part = |text: &str| text.lines().skip(from).take(12).collect::<Vec<_>>().join("\n");
        panic!("{name}: line {line}\nours:\n{}\nllc's:\n{}", part(&ours), part(&theirs));
    }
    assert_eq!(ours.lines().count(), theirs.lines().count());
}

/// The session with the program of a recipe, and that with `llc`'s.
fn sessions(name: &str, commands: &str, recipe: &str, (level, option): (&str, &str)) -> (String, String) {
    let folder = Folder::new(name);
    let bitcode = bitcode(name, &[option, level], &folder);
    let (ours, theirs) = (folder.path("ours.o"), folder.path("theirs.o"));
    run(checking_frazil(recipe).arg(&bitcode).arg("-o").arg(&ours));
    let mut llc = Command::new("llc-22");
    // As clang has it do: calls say what they pass.
    llc.args([level, "-filetype=obj", "-relocation-model=pic", "-emit-call-site-info"]);
    run(llc.arg(&bitcode).arg("-o").arg(&theirs));
    let (ours, theirs) = (session(&ours, &source(commands)), session(&theirs, &source(commands)));
    assert!(theirs.lines().count() > 10, "{theirs}");
    (ours, theirs)
}

/// The sections of an object that are part of the program, each with its contents.
fn contents(object: &Path) -> Vec<(String, Vec<u8>)> {
    let bytes = std::fs::read(object).expect("the object is there");
    let file = object::File::parse(&*bytes).expect("an object");
    let kinds = [SectionKind::Debug, SectionKind::DebugString, SectionKind::Metadata];
    let sections = file.sections().filter(|section| {
        let name = section.name().unwrap_or_default();
        !kinds.contains(&section.kind()) && !name.contains(".debug_")
    });
    let described = sections.map(|section| {
        let data = section.data().expect("contents").to_vec();
        (section.name().unwrap_or_default().to_owned(), data)
    });
    described.filter(|(_, data)| !data.is_empty()).collect()
}

/// Checks the objects of all recipes.
fn check_objects(name: &str, words: &[&str]) {
    let folder = Folder::new(name);
    let bitcode = bitcode(name, words, &folder);
    for recipe in RECIPES {
        let (with, without) = (folder.path("with.o"), folder.path("without.o"));
        run(checking_frazil(recipe).arg(&bitcode).arg("-o").arg(&with));
        run(checking_frazil(recipe)
            .arg("--strip-debug")
            .arg(&bitcode)
            .arg("-o")
            .arg(&without));
        run(Command::new("llvm-dwarfdump-22").arg("--verify").arg(&with));
        let bytes = std::fs::read(&without).expect("the object is there");
        let has_debug = bytes.windows(7).any(|window| window == b".debug_");
        assert!(!has_debug, "{name} {recipe}: debug sections in spite of --strip-debug");
        assert_eq!(contents(&with), contents(&without), "{name} {recipe}");
    }
}

#[test]
fn sessions_with_types_and_variables_are_those_of_llc() {
    compare("types.c", "types.gdb");
}

#[test]
fn sessions_step_by_step_are_those_of_llc() {
    compare("blocks.c", "blocks.gdb");
}

#[test]
fn breakpoints_at_labels_are_those_of_llc() {
    compare("labels.c", "labels.gdb");
}

#[test]
fn variables_that_intrinsics_describe_are_those_of_llc() {
    compare("intrinsics.bc", "intrinsics.gdb");
}

#[test]
fn variables_in_registers_are_those_of_llc() {
    for recipe in ["O1", "O2", "Os"] {
        compare_level("optimised.c", "optimised.gdb", recipe, "-O2");
    }
}

/// Arguments come in registers, and a pass moves their copies to the block that needs them.
#[test]
fn arguments_that_are_copied_late_are_those_of_llc() {
    for recipe in ["O1", "O2", "Os"] {
        compare_level("moved.c", "moved.gdb", recipe, "-O2");
    }
}

#[test]
fn constants_and_assigned_variables_are_those_of_llc() {
    for recipe in ["O1", "O2", "Os"] {
        compare_level("constants.c", "constants.gdb", recipe, "-O2");
    }
}

/// What LLVM says to be computed from several values, with all of them known.
#[test]
fn variables_that_several_values_make_are_those_of_llc() {
    for recipe in ["O1", "O2", "Os"] {
        compare_level("lists.c", "lists.gdb", recipe, "-O2");
    }
}

/// The fast path keeps no value longer than code needs it, which says less than `llc`, but nothing else.
#[test]
fn values_of_optimised_programs_in_the_fast_path_are_those_of_llc() {
    for (name, commands, least) in [
        ("optimised.c", "optimised.gdb", 15),
        ("constants.c", "constants.gdb", 15),
        ("lists.c", "lists.gdb", 4),
    ] {
        let (ours, theirs) = sessions(name, commands, "Om1", ("-O2", "-g"));
        let printed = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(|line| line.starts_with('$'));
            lines.map(str::to_owned).collect()
        };
        let (ours, theirs) = (printed(&ours), printed(&theirs));
        assert_eq!(ours.len(), theirs.len(), "{name}");
        let known = ours
            .iter()
            .zip(&theirs)
            .filter(|(ours, _)| !ours.contains("<optimized out>"));
        let wrong: Vec<_> = known.clone().filter(|(ours, theirs)| ours != theirs).collect();
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
        assert!(known.count() >= least, "{name}: {ours:?}\n{theirs:?}");
    }
}

/// With version 4, gdb shows the frames that tail calls have taken; with version 5, only those that calls return to.
#[test]
fn frames_that_tail_calls_have_taken_are_those_of_llc() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        for recipe in ["O1", "O2", "Os"] {
            compare_version("calls.c", "calls.gdb", recipe, ("-O2", version));
        }
    }
}

/// In a comparison that `qsort` calls, a signal handler, a destructor while an exception is thrown, and functions that
/// were inlined.
#[test]
fn backtraces_are_those_of_llc() {
    compare("trace.cpp", "trace.gdb");
    for recipe in ["O1", "O2", "Os"] {
        compare_level("trace.cpp", "trace.gdb", recipe, "-O2");
    }
}

/// What a callee has not kept, the call says, or nobody: `llc` takes the unsigned number for a negative one.
#[test]
fn values_at_the_entry_of_functions_are_what_was_passed() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        let folder = Folder::new("entries");
        let bitcode = bitcode("calls.c", &[version, "-O2"], &folder);
        let object = folder.path("ours.o");
        run(checking_frazil("O2").arg(&bitcode).arg("-o").arg(&object));
        let text = session(&object, &source("entries.gdb"));
        let frames = text
            .lines()
            .filter_map(|line| line.split_once("forget (")?.1.split_once(", fourth@entry"));
        let mut frames: Vec<&str> = frames.map(|(arguments, _)| arguments).collect();
        frames.dedup();
        let expected = [
            "first@entry=2, second@entry=4026531840, third@entry=4000000000",
            "first@entry=-7, second@entry=-7, third@entry=5",
            "first@entry=<optimized out>, second@entry=<optimized out>, third@entry=4026531840",
            "first@entry=5, second@entry=6, third@entry=4000000000",
            "first@entry=<optimized out>, second@entry=<optimized out>, third@entry=6",
        ];
        assert_eq!(frames, expected, "{text}");
    }
}

/// Debuggers compute with 64 bits; a negative constant of more has all of them.
#[test]
fn wide_constants_that_passes_find_are_complete() {
    let folder = Folder::new("wide-constants");
    let bitcode = bitcode("constants.c", &["-g", "-O0"], &folder);
    let (object, commands) = (folder.path("ours.o"), folder.path("commands.gdb"));
    run(checking_frazil("O2").arg(&bitcode).arg("-o").arg(&object));
    std::fs::write(&commands, "break use\nrun\nup\nprint negative\n").expect("written");
    let text = session(&object, &commands);
    assert!(text.contains("$1 = -3\n"), "{text}");
}

/// Integers that several registers hold have all of their bits, or are said to be lost.
#[test]
fn integers_in_several_registers_are_put_together() {
    for recipe in ["O1", "O2", "Os"] {
        let folder = Folder::new("wide");
        let bitcode = bitcode("wide.c", &["-g", "-O2"], &folder);
        let object = folder.path("ours.o");
        run(checking_frazil(recipe).arg(&bitcode).arg("-o").arg(&object));
        let text = session(&object, &source("wide.gdb"));
        let values = text
            .lines()
            .filter_map(|line| line.strip_prefix('$')?.split_once(" = "));
        let values: Vec<&str> = values.map(|(_, value)| value).collect();
        let expected = [
            (0, "1208925819614629174706171"),
            (1, "340282366920938463463374607431768211455"),
            (4, "3626777458843887524118513"),
            (5, "340282366920938463463374607431768211455"),
            (6, "10880332376531662572355540"),
            (7, "3802951800684688204490093887487"),
            (9, "32640997129594987717066622"),
        ];
        for (number, value) in expected {
            assert_eq!(values.get(number), Some(&value), "{recipe}: {text}");
        }
    }
}

/// A register of an integer that is nowhere is said to be lost, the last one too: debuggers show zeros for bytes that
/// are not described.
#[test]
fn lost_parts_of_integers_are_described() {
    let folder = Folder::new("lost-parts");
    let bitcode = bitcode("wide.c", &["-g", "-O0"], &folder);
    let object = folder.path("ours.o");
    run(checking_frazil("Os").arg(&bitcode).arg("-o").arg(&object));
    let lists = location_lists(&object);
    let mut is_lost = false;
    for line in lists.lines().filter(|line| line.contains("DW_OP_piece")) {
        let sizes = line
            .split("DW_OP_piece 0x")
            .skip(1)
            .map(|rest| rest.split(|letter: char| !letter.is_ascii_hexdigit()).next());
        let sizes = sizes.map(|digits| u64::from_str_radix(digits.unwrap_or_default(), 16).expect("a number"));
        assert_eq!(sizes.sum::<u64>(), 16, "{line}");
        is_lost |= line.ends_with("DW_OP_piece 0x8, DW_OP_piece 0x8");
    }
    assert!(is_lost, "{lists}");
}

/// A slot that holds the address of a variable, or something from which that is computed, as rustc has it for what
/// closures hold, becomes a value: the load from the slot is done then, and the others are not.
#[test]
fn what_slots_point_at_is_found_when_they_are_values() {
    let folder = Folder::new("closure");
    let source = folder.write(
        "held.c",
        "struct env { int *first; long *second; };
         long f(struct env *held, int value) { return *held->first * value + *held->second; }",
    );
    let [text, bitcode, object] = ["held.ll", "held.bc", "held.o"].map(|name| folder.path(name));
    run(Command::new("clang-22")
        .args([
            "-S",
            "-emit-llvm",
            "-g",
            "-O0",
            "-Xclang",
            "-disable-O0-optnone",
            "-fno-discard-value-names",
        ])
        .arg(&source)
        .arg("-o")
        .arg(&text));
    let plain = std::fs::read_to_string(&text).expect("clang has made it");
    let shown = |expression: &str| {
        let changed = plain
            .lines()
            .map(|line| match line.contains("#dbg_declare(ptr %held.addr") {
                true => line.replace("!DIExpression()", &format!("!DIExpression({expression})")) + "\n",
                false => format!("{line}\n"),
            });
        let changed: String = changed.collect();
        assert!(changed != plain, "{plain}");
        std::fs::write(&text, changed).expect("written");
        run(Command::new("llvm-as-22").arg(&text).arg("-o").arg(&bitcode));
        run(checking_frazil("O2").arg(&bitcode).arg("-o").arg(&object));
        let output = run(Command::new("llvm-dwarfdump-22").args(["--name", "held"]).arg(&object));
        String::from_utf8_lossy(&output).into_owned()
    };
    let direct = shown("DW_OP_deref");
    assert!(direct.contains("DW_OP_breg5 RDI+0)"), "{direct}");
    let indirect = shown("DW_OP_deref, DW_OP_plus_uconst, 8, DW_OP_deref");
    assert!(
        indirect.contains("DW_OP_breg5 RDI+0, DW_OP_plus_uconst 0x8, DW_OP_deref)"),
        "{indirect}"
    );
    // Elsewhere in the slot, nothing is certain.
    let elsewhere = shown("DW_OP_plus_uconst, 8, DW_OP_deref");
    assert!(!elsewhere.contains("DW_AT_location"), "{elsewhere}");
}

/// What `llvm-dwarfdump` counts in an object: variables with a location, bytes of their scopes, and how many of these
/// bytes have one.
fn statistics(object: &Path) -> [f64; 3] {
    let output = run(Command::new("llvm-dwarfdump-22").arg("--statistics").arg(object));
    let text = String::from_utf8_lossy(&output);
    let scope = "sum_all_variables(#bytes in parent scope";
    let keys = [
        "#source variables with location".to_owned(),
        format!("{scope})"),
        format!("{scope} covered by DW_AT_location)"),
    ];
    keys.map(|key| {
        let (_, rest) = text.split_once(&format!("\"{key}\": ")).expect("it is counted");
        let digits = rest.split(|character: char| !character.is_ascii_digit());
        digits.take(1).collect::<String>().parse().expect("a number")
    })
}

/// Variables of -O2 have a location in nearly as much of their scopes as those of `llc -O2`.
fn check_coverage(names: &[&str]) {
    let (mut all, mut expected) = ([0.0; 3], [0.0; 3]);
    for name in names {
        let folder = Folder::new(name);
        let bitcode = bitcode(name, &["-g", "-O2"], &folder);
        let (ours, theirs) = (folder.path("ours.o"), folder.path("theirs.o"));
        run(checking_frazil("O2").arg(&bitcode).arg("-o").arg(&ours));
        let mut llc = Command::new("llc-22");
        llc.args(["-O2", "-filetype=obj", "-relocation-model=pic"]);
        run(llc.arg(&bitcode).arg("-o").arg(&theirs));
        for (sums, object) in [(&mut all, ours), (&mut expected, theirs)] {
            let counts = statistics(&object);
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }
    assert!(all[0] >= 0.95 * expected[0], "{all:?} {expected:?}");
    assert!(
        all[2] / all[1] >= 0.95 * expected[2] / expected[1],
        "{all:?} {expected:?}"
    );
}

#[test]
fn variables_of_optimised_programs_have_locations() {
    check_coverage(&PROGRAMS);
}

/// Moves of edges are changed by passes over physical registers, and shared.
#[test]
fn variables_in_spill_slots_have_locations() {
    check_coverage(&["spilled.c"]);
}

/// The text form carries debug information: what is compiled from it is the same object.
#[test]
fn objects_of_texts_have_the_same_debug_information() {
    for (name, level) in [
        ("types.c", "-O0"),
        ("classes.cpp", "-O0"),
        ("lists.c", "-O2"),
        ("calls.c", "-O2"),
    ] {
        let folder = Folder::new(name);
        let bitcode = bitcode(name, &["-g", level], &folder);
        let text = folder.path("program.fzl");
        run(checking_frazil("Om1")
            .args(["--emit", "ir"])
            .arg(&bitcode)
            .arg("-o")
            .arg(&text));
        for recipe in ["Om1", "O2"] {
            let objects = [(&bitcode, "binary.o"), (&text, "text.o")].map(|(input, output)| {
                let object = folder.path(output);
                run(checking_frazil(recipe).arg(input).arg("-o").arg(&object));
                std::fs::read(object).expect("the object is there")
            });
            assert!(objects[0] == objects[1], "{name} {recipe}");
        }
    }
}

/// What `llvm-dwarfdump` shows of the lists of locations of an object.
fn location_lists(object: &Path) -> String {
    let output = run(Command::new("llvm-dwarfdump-22").arg("--debug-loclists").arg(object));
    String::from_utf8_lossy(&output).into_owned()
}

/// Debuggers know what a function was called with from descriptions of calls, which unoptimised input asks for none of.
#[test]
fn values_at_the_entry_are_named_where_calls_are_described() {
    for (level, is_named) in [("-O0", false), ("-O2", true)] {
        let folder = Folder::new("entry-values");
        let bitcode = bitcode("calls.c", &["-g", level], &folder);
        let object = folder.path("ours.o");
        run(checking_frazil("O2").arg(&bitcode).arg("-o").arg(&object));
        let lists = location_lists(&object);
        assert!(lists.contains("DW_OP_reg"), "{level}: {lists}");
        assert_eq!(lists.contains("DW_OP_entry_value"), is_named, "{level}: {lists}");
    }
}

/// Lists of functions far after the beginning of the unit count from the function, where that is shorter.
#[test]
fn lists_of_distant_functions_count_from_these() {
    let folder = Folder::new("distant");
    let (source, bitcode) = (folder.path("many.c"), folder.path("many.bc"));
    let functions = (0..1500).map(|number| {
        format!("int f{number}(int a, int b) {{ int c = a * b; use(c); int d = c ^ b; use(d); return a + c * d; }}\n")
    });
    let text: String = functions.collect();
    std::fs::write(&source, format!("void use(int);\n{text}")).expect("written");
    run(Command::new("clang-22")
        .args(["-c", "-emit-llvm", "-g", "-O2"])
        .arg(&source)
        .arg("-o")
        .arg(&bitcode));
    let (ours, theirs) = (folder.path("ours.o"), folder.path("theirs.o"));
    run(checking_frazil("O2").arg(&bitcode).arg("-o").arg(&ours));
    run(Command::new("llc-22")
        .args(["-O2", "-filetype=obj"])
        .arg(&bitcode)
        .arg("-o")
        .arg(&theirs));
    run(Command::new("llvm-dwarfdump-22").arg("--verify").arg(&ours));
    let lists = location_lists(&ours);
    let bases = lists.matches("DW_LLE_base_addressx").count();
    assert!((2000..9000).contains(&bases), "{bases} lists have a base of their own");
    let bytes = |object: &Path| {
        let contents = std::fs::read(object).expect("the object is there");
        let file = object::File::parse(&*contents).expect("an object");
        file.section_by_name(".debug_loclists").expect("it is there").size()
    };
    let (ours, theirs) = (bytes(&ours), bytes(&theirs));
    assert!(ours < theirs, "{ours} bytes, llc {theirs}");
}

#[test]
fn objects_are_valid_and_have_the_same_code_as_without() {
    for name in PROGRAMS {
        for level in ["-O0", "-O2"] {
            check_objects(name, &["-g", level]);
        }
        check_objects(name, &["-g", "-gdwarf-4", "-O1", "-ffunction-sections"]);
        check_objects(name, &["-gline-tables-only", "-O2"]);
    }
    for version in ["-gdwarf-2", "-gdwarf-3"] {
        check_objects("optimised.c", &["-g", version, "-O2"]);
    }
}
