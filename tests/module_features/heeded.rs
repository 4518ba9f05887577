//! Everything in a module that changes what llc writes, besides code: for each, whether Frazil does the same, refuses
//! it by name, or leaves it out, and why it may.
//!
//! The list is what LLVM 22 asks for below `llvm/lib/CodeGen` and `llvm/lib/Target/X86`: attributes of functions with
//! names, module flags, metadata of functions and variables, named metadata, operand bundles, processor features.

use super::object_file::ObjectFile;
use super::{by_frazil, by_llc, each_way, here};
use crate::{RECIPES, frazil};
use frazil_test_support::{Folder, run};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What becomes of something in a module.
enum Fate {
    /// These sections are those of llc, and there are no others.
    Same(&'static [&'static str]),
    /// Refused with this code and these words.
    Refused(&'static str, &'static str),
    /// Left out, and with it these sections of llc; why that does no harm.
    LeftOut(&'static [&'static str], &'static str),
}
use Fate::{LeftOut, Refused, Same};

/// A definition of a function with a named attribute.
macro_rules! with_attribute {
    ($attribute:literal) => {
        concat!("define void @f() ", $attribute, " { ret void }\n")
    };
}

/// A call by a pointer and a module flag.
macro_rules! with_flag {
    ($flag:literal) => {
        concat!(
            "define void @f(ptr %p) { call void %p()\n ret void }\n!llvm.module.flags = !{!0}\n!0 = !{i32 4, ",
            $flag,
            "}\n"
        )
    };
}

const TABLE: &[(&str, Fate)] = &[
    // Attributes of functions.
    (with_attribute!("\"implicit-section-name\"=\"mine\""), Same(&["mine"])),
    (
        "define void @f() \"implicit-section-name\"=\"mine\" section \"own\" { ret void }\n",
        Same(&["mine"]),
    ),
    (
        with_attribute!("\"function-instrument\"=\"xray-always\""),
        Refused("FZ0212", "function-instrument"),
    ),
    (
        with_attribute!("\"xray-instruction-threshold\"=\"1\""),
        Refused("FZ0212", "xray-instruction-threshold"),
    ),
    (
        with_attribute!("\"instrument-function-entry\"=\"mcount\""),
        Refused("FZ0212", "instrument-function-entry"),
    ),
    (
        with_attribute!("\"instrument-function-exit-inlined\"=\"other\""),
        Refused("FZ0212", "instrument-function-exit-inlined"),
    ),
    (
        with_attribute!("\"branch-target-enforcement\""),
        Refused("FZ0212", "branch-target-enforcement"),
    ),
    (
        with_attribute!("\"sign-return-address\"=\"all\""),
        Refused("FZ0212", "sign-return-address"),
    ),
    (
        with_attribute!("\"no_caller_saved_registers\""),
        Refused("FZ0212", "no_caller_saved_registers"),
    ),
    (
        with_attribute!("\"no_callee_saved_registers\""),
        Refused("FZ0212", "no_callee_saved_registers"),
    ),
    (
        "declare void @g() \"no_callee_saved_registers\"\ndefine void @f() { call void @g()\n ret void }\n",
        Refused("FZ0212", "no_callee_saved_registers"),
    ),
    (
        "declare void @g() \"no_caller_saved_registers\"\ndefine void @f() { call void @g()\n ret void }\n",
        LeftOut(&[], "less is kept in registers over the call than might be"),
    ),
    (
        "declare void @g() \"dontcall-error\"=\"no\"\ndefine void @f() { call void @g()\n ret void }\n",
        Refused("FZ0212", "a call of @g, with the function attribute dontcall-error: no"),
    ),
    (
        "declare void @g() \"dontcall-warn\"=\"no\"\ndefine void @f() { call void @g()\n ret void }\n",
        LeftOut(&[], "a warning of llc; Frazil has none"),
    ),
    (
        "declare void @llvm.trap() cold\ndefine void @f() { call void @llvm.trap() \"trap-func-name\"=\"stop\"\n ret void }\n",
        Refused("FZ0211", "traps by a call of stop"),
    ),
    (
        with_attribute!("\"use-soft-float\"=\"true\""),
        Refused("FZ0212", "use-soft-float"),
    ),
    (with_attribute!("\"split-stack\""), Refused("FZ0212", "split-stack")),
    (with_attribute!("\"interrupt\""), Refused("FZ0212", "interrupt")),
    (
        with_attribute!("\"patchable-function\"=\"ms-hotpatch\""),
        Refused("FZ0212", "patchable-function"),
    ),
    (
        with_attribute!("presplitcoroutine"),
        Refused("FZ0212", "presplitcoroutine"),
    ),
    (with_attribute!("shadowcallstack"), Refused("FZ0212", "shadowcallstack")),
    (
        with_attribute!("speculative_load_hardening"),
        Refused("FZ0212", "speculative_load_hardening"),
    ),
    (with_attribute!("noimplicitfloat"), Refused("FZ0212", "noimplicitfloat")),
    (
        with_attribute!("fn_ret_thunk_extern"),
        Refused("FZ0212", "fn_ret_thunk_extern"),
    ),
    (
        with_attribute!("\"warn-stack-size\"=\"1\""),
        LeftOut(&[], "a warning of llc; Frazil has none"),
    ),
    (
        with_attribute!("\"no-realign-stack\""),
        LeftOut(&[], "frames are aligned all the same"),
    ),
    (
        with_attribute!("\"indirect-tls-seg-refs\""),
        LeftOut(
            &[],
            "the address of thread-local data is computed in registers in any case",
        ),
    ),
    (
        with_attribute!("\"denormal-fp-math\"=\"preserve-sign,preserve-sign\""),
        LeftOut(&[], "allows what is not done"),
    ),
    (
        with_attribute!("\"reciprocal-estimates\"=\"all\""),
        LeftOut(&[], "allows what is not done"),
    ),
    (
        with_attribute!("\"prefer-vector-width\"=\"128\""),
        LeftOut(&[], "512 allows wider vectors, and less forbids none"),
    ),
    (
        with_attribute!("\"min-legal-vector-width\"=\"0\""),
        LeftOut(&[], "wider vectors are refused by name"),
    ),
    (
        with_attribute!("hot"),
        LeftOut(&[], "sections by temperature are chosen by llc at higher levels only"),
    ),
    (
        with_attribute!("optnone noinline sanitize_address nobuiltin nomerge"),
        Same(&[".text"]),
    ),
    // Attributes of processors that harden code.
    (
        with_attribute!("\"target-features\"=\"+retpoline-indirect-calls\""),
        Refused("FZ0214", "retpoline-indirect-calls"),
    ),
    (
        with_attribute!("\"target-features\"=\"+retpoline-indirect-branches\""),
        Refused("FZ0214", "retpoline-indirect-branches"),
    ),
    (
        with_attribute!("\"target-features\"=\"+lvi-cfi\""),
        Refused("FZ0214", "lvi-cfi"),
    ),
    (
        with_attribute!("\"target-features\"=\"+lvi-load-hardening\""),
        Refused("FZ0214", "lvi-load-hardening"),
    ),
    (
        with_attribute!("\"target-features\"=\"+seses\""),
        Refused("FZ0214", "seses"),
    ),
    (
        with_attribute!("\"target-features\"=\"+harden-sls-ret\""),
        Refused("FZ0214", "harden-sls-ret"),
    ),
    (
        with_attribute!("\"target-features\"=\"+harden-sls-ijmp\""),
        Refused("FZ0214", "harden-sls-ijmp"),
    ),
    (
        with_attribute!("\"target-features\"=\"-harden-sls-ret,-retpoline\""),
        Same(&[".text"]),
    ),
    // Module flags.
    (
        with_flag!("!\"NumRegisterParameters\", i32 3"),
        Refused("FZ0309", "module flag \"NumRegisterParameters\""),
    ),
    (
        with_flag!("!\"kcfi\", i32 1"),
        Refused("FZ0309", "module flag \"kcfi\""),
    ),
    (
        with_flag!("!\"Objective-C Image Info Section\", !\"x\""),
        Refused("FZ0309", "Objective-C Image Info Section"),
    ),
    (
        with_flag!("!\"indirect_branch_cs_prefix\", i32 1"),
        LeftOut(&[], "it is for calls of thunks, which are refused (retpoline)"),
    ),
    (
        with_flag!("!\"SkipRaxSetup\", i32 1"),
        LeftOut(&[], "the register is set all the same"),
    ),
    (
        "define void @f() { ret void }\n!llvm.module.flags = !{!0}\n!0 = !{i32 5, !\"CG Profile\", !1}\n!1 = !{!2}\n!2 = !{ptr @f, ptr @f, i64 32}\n",
        LeftOut(
            &[".llvm.call-graph-profile"],
            "by it linkers order sections; any order is right",
        ),
    ),
    // What is attached to functions and variables.
    (
        "define void @f() !pcsections !0 { ret void }\n!0 = !{!\"sanmd!C\"}\n",
        Refused("FZ0212", "!pcsections"),
    ),
    (
        "define void @f() !func_sanitize !0 { ret void }\n!0 = !{i64 1, i64 2}\n",
        Refused("FZ0212", "!func_sanitize"),
    ),
    (
        "define void @f() !kcfi_type !0 { ret void }\n!0 = !{i32 5}\n",
        Same(&[".text"]),
    ),
    // A module whose only metadata is that of a function.
    (
        "define void @f() !section_prefix !0 { ret void }\n!0 = !{!\"section_prefix\", !\"hot\"}\n",
        Same(&[".text.hot."]),
    ),
    (
        "@x = global i32 0, !implicit.ref !0\n@y = global i32 0\n!0 = !{ptr @y}\n",
        Same(&[".bss"]),
    ),
    (
        "@x = constant i32 3, !type !0, !vcall_visibility !1\n!0 = !{i64 0, !\"x\"}\n!1 = !{i64 0}\n",
        Same(&[".rodata"]),
    ),
    (
        "define ptr @f() !prof !1 { %a = call ptr @g(i64 4), !heapallocsite !0, !callback !0, !nosanitize !0\n ret ptr %a }\ndeclare ptr @g(i64)\n!0 = !{}\n!1 = !{!\"function_entry_count\", i64 0}\n",
        LeftOut(&[], "for debuggers of another system, and for optimizers"),
    ),
    // Sections of variables by what they contain.
    (
        "@b = global i32 0 #0\n@d = global i32 1 #0\n@r = constant i32 2 #0\n@p = constant ptr @b #0\n@o = global i32 1, section \"own\" #0\n@t = thread_local global i32 0 #0\nattributes #0 = { \"bss-section\"=\"zeros\" \"data-section\"=\"others\" \"rodata-section\"=\"constants\" \"relro-section\"=\"addresses\" }\n",
        Same(&["zeros", "others", "constants", ".tbss"]),
    ),
    (
        "@p = dso_local constant ptr @b #0\n@b = global i32 0\n@z = global i32 0 #0\nattributes #0 = { \"relro-section\"=\"addresses\" }\n",
        Same(&[".rodata", ".bss"]),
    ),
    // Named metadata.
    (
        "@x = private constant [2 x i8] c\"ab\", section \".llvm.offloading\", align 8, !exclude !1\n@llvm.compiler.used = appending global [1 x ptr] [ptr @x], section \"llvm.metadata\"\n!llvm.embedded.objects = !{!0}\n!0 = !{ptr @x, !\".llvm.offloading\"}\n!1 = !{}\n",
        Same(&[".llvm.offloading"]),
    ),
    (
        "@x = private constant [2 x i8] c\"ab\", section \".llvm.lto\"\n@y = private constant [1 x i8] c\"y\", section \".llvmbc\"\n@z = private constant [1 x i8] c\"z\", section \".llvmcmd\"\n",
        Same(&[".llvm.lto", ".llvmbc", ".llvmcmd"]),
    ),
    (
        "!llvm.stats = !{!0}\n!0 = !{!\"a\", i64 7}\n",
        LeftOut(&[".llvm_stats"], "counts of what clang's passes did"),
    ),
    (
        "define void @f() { ret void }\n!llvm.pseudo_probe_desc = !{!0}\n!0 = !{i64 6699318081062747564, i64 4294967295, !\"f\"}\n",
        LeftOut(
            &[".pseudo_probe_desc"],
            "a profiler finds no probes, and uses addresses",
        ),
    ),
    // Operand bundles.
    (
        "declare void @g()\ndefine void @f() { call void @g() [ \"deopt\"(i32 1) ]\n ret void }\n",
        Refused("FZ0210", "operand bundles"),
    ),
    (
        "define void @f(ptr %p) { call void %p() [ \"kcfi\"(i32 5) ]\n ret void }\n",
        Refused("FZ0210", "operand bundles"),
    ),
    // Names that say nothing but that an address does not matter.
    (
        "@a = private unnamed_addr constant [4 x i8] c\"abc\\00\"\n@b = internal local_unnamed_addr constant [4 x i8] c\"abc\\00\"\n",
        Same(&[".rodata.str1.1", ".rodata"]),
    ),
];

/// The bitcode of a row of the table.
fn row(folder: &Folder, text: &str) -> PathBuf {
    let (source, module) = (folder.path("row.ll"), folder.path("row.bc"));
    folder.write(
        "row.ll",
        format!("target triple = \"x86_64-unknown-linux-gnu\"\n{text}"),
    );
    run(Command::new("llvm-as-22").arg(source).arg("-o").arg(&module));
    module
}

/// Names of sections that are not in every object, or empty ones that llc always has.
fn section_names(object: &Path) -> Vec<String> {
    let usual = [".strtab", ".symtab", ".shstrtab", ".note.GNU-stack", ".eh_frame"];
    ObjectFile::read(object).names(|name| !usual.contains(&name) && !name.starts_with(".rel"))
}

#[test]
fn what_llc_heeds_is_heeded_refused_or_harmless() {
    let folder = Folder::new("module-features-heeded");
    for (text, fate) in TABLE {
        let module = row(&folder, text);
        for recipe in RECIPES {
            let way = format!("{recipe}: {text}");
            if let Refused(code, words) = fate {
                let mut command = frazil();
                command.args(["--recipe", recipe]).arg(&module);
                let output = command.arg("-o").arg(folder.path("a.o")).output().expect("it starts");
                let message = String::from_utf8_lossy(&output.stderr);
                assert!(!output.status.success(), "{way}");
                assert!(
                    message.contains(words) && message.contains(&format!("[{code}]")),
                    "{way}: {message}"
                );
                continue;
            }
            let reference = by_llc(&folder, &module, &["-O0"]);
            let object = by_frazil(&folder, &module, recipe, false, &[]);
            let mut expected = section_names(&reference);
            match fate {
                Same(names) => {
                    for name in *names {
                        assert!(expected.contains(&(*name).to_owned()), "{way}: llc has {expected:?}");
                    }
                    let (reference, object) = (ObjectFile::read(&reference), ObjectFile::read(&object));
                    for name in names.iter().filter(|name| !name.starts_with(".text")) {
                        assert_eq!(object.sections_of(name), reference.sections_of(name), "{way}");
                    }
                }
                LeftOut(names, reason) => {
                    assert!(!reason.is_empty());
                    for name in *names {
                        let found = expected.iter().position(|other| other == name);
                        expected.remove(found.unwrap_or_else(|| panic!("{way}: llc has no {name}")));
                    }
                }
                Refused(..) => {}
            }
            // llc has a section for code, used or not.
            let plain =
                |names: Vec<String>| -> Vec<String> { names.into_iter().filter(|name| name != ".text").collect() };
            assert_eq!(plain(section_names(&object)), plain(expected), "{way}");
        }
    }
}

#[test]
fn switches_jump_by_no_tables_where_functions_forbid_it() {
    let folder = Folder::new("module-features-no-tables");
    let cases: String = (0..9).map(|case| format!("i32 {case}, label %b{case} ")).collect();
    let blocks: String = (0..9)
        .map(|case| format!("b{case}:\n ret i32 {}\n", case * case % 7 + 50))
        .collect();
    for (attribute, has_table) in [
        ("", true),
        ("\"no-jump-tables\"=\"true\"", false),
        ("\"no-jump-tables\"=\"false\"", true),
    ] {
        let text = format!(
            "define i32 @f(i32 %x) {attribute} {{\n switch i32 %x, label %none [ {cases} ]\n{blocks}none:\n ret i32 0\n}}\n"
        );
        let module = row(&folder, &text);
        for recipe in RECIPES {
            let object = by_frazil(&folder, &module, recipe, false, &[]);
            let code = run(Command::new("objdump").args(["-d", "--no-show-raw-insn"]).arg(&object));
            let jumps = String::from_utf8_lossy(&code).contains("jmp    *");
            assert_eq!(jumps, has_table, "{recipe}, {attribute}");
        }
    }
}

#[test]
fn words_for_types_stand_before_functions() {
    each_way("type-words.ll", &[], |way, reference, object| {
        let before = |object: &Path| {
            let file = ObjectFile::read(object);
            let lengths = [
                ("typed", 8),
                ("filled", 11),
                ("behind_number", 14),
                ("behind_address", 16),
                ("untyped", 4),
            ];
            lengths.map(|(name, bytes)| file.bytes_at(name, bytes, 0))
        };
        assert_eq!(before(object), before(reference), "{way}");
        assert_eq!(address_before(object, "behind_address"), -16, "{way}");
    });
}

/// The distance from a function of the one address of 8 bytes in code.
fn address_before(object: &Path, function: &str) -> i64 {
    let list = |word: &str| {
        let text = run(Command::new("readelf").args([word, "-W"]).arg(object));
        String::from_utf8(text).expect("text")
    };
    let number = |text: &str| i64::from_str_radix(text, 16).expect("a number");
    let (relocations, symbols) = (list("-r"), list("-s"));
    let of_code = relocations.split("'.rela.text'").nth(1).expect("relocations of code");
    let place = of_code
        .lines()
        .find(|line| line.contains("R_X86_64_64"))
        .expect("an address");
    let start = symbols
        .lines()
        .find(|line| line.ends_with(&format!(" {function}")))
        .expect("the symbol");
    let start = start.split_whitespace().nth(1).expect("its value");
    number(place.split_whitespace().next().expect("an offset")) - number(start)
}

#[test]
fn calls_of_functions_of_other_types_are_found() {
    let folder = Folder::new("module-features-typed");
    let (module, program) = (folder.path("module.bc"), folder.path("program"));
    let mut clang = Command::new("clang-22");
    clang.args([
        "-O1",
        "-fsanitize=function",
        "-fsanitize-trap=function",
        "-emit-llvm",
        "-c",
    ]);
    run(clang.arg(here("typed.c")).arg("-o").arg(&module));
    for recipe in RECIPES {
        for as_text in [false, true] {
            let object = by_frazil(&folder, &module, recipe, as_text, &["-relocation-model=pic"]);
            run(Command::new("cc").arg(object).arg("-o").arg(&program));
            assert_eq!(run(&mut Command::new(&program)), b"42\n", "{recipe}");
            let wrong = Command::new(&program).arg("x").status().expect("it starts");
            assert_eq!(wrong.signal(), Some(4), "{recipe}");
        }
    }
}

#[test]
fn code_in_far_sections_is_far() {
    let text = "define void @f() section \".ltext\" { ret void }\n\
        define void @g() section \".ltext.x\" { call void @f()\n ret void }\n\
        define dso_local void @h() section \".ltextual\" { ret void }\n\
        @a = alias void (), ptr @f\n\
        declare void @e() section \".ltext\"\n\
        define ptr @near() { ret ptr @h }\n\
        define ptr @far() { call void @f()\n ret ptr @f }\n\
        define ptr @outside() { ret ptr @e }\n\
        define ptr @other() { ret ptr @a }\n";
    let folder = Folder::new("module-features-far-code");
    let module = row(&folder, text);
    for words in [&[][..], &["-code-model=medium"], &["-relocation-model=pic"]] {
        let reference = by_llc(&folder, &module, &[&["-O0"], words].concat());
        let count = |object: &Path, kind: &str| {
            let text = run(Command::new("objdump").arg("-r").arg(object));
            String::from_utf8_lossy(&text).matches(kind).count()
        };
        assert_eq!(count(&reference, "_PLT32"), 2, "llc calls far functions like others");
        for recipe in RECIPES {
            for as_text in [false, true] {
                let object = by_frazil(&folder, &module, recipe, as_text, words);
                let way = format!("{recipe}, {words:?}, as text: {as_text}");
                for name in [".ltext", ".ltext.x", ".ltextual"] {
                    let flags = |object: &Path| ObjectFile::read(object).sections_of(name)[0].flags;
                    assert_eq!(flags(&object), flags(&reference), "{way}: {name}");
                }
                // Their addresses are in the table of offsets, and so is that of the alias.
                assert_eq!((count(&object, "_PLT32"), count(&object, "GOTPCREL")), (2, 3), "{way}");
            }
        }
    }
}

#[test]
fn registers_by_name_hold_what_assembly_finds_in_them() {
    let folder = Folder::new("module-features-registers-main");
    let program = folder.path("program");
    each_way("registers.ll", &[], |way, reference, object| {
        let output = |object: &Path| {
            let mut link = Command::new("clang-22");
            run(link
                .args(["-w", "-O1"])
                .arg(here("registers.c"))
                .arg(object)
                .arg("-o")
                .arg(&program));
            String::from_utf8(run(&mut Command::new(&program))).expect("text")
        };
        assert_eq!(output(reference), "1 1\n0 0\n16\n", "llc");
        assert_eq!(output(object), "1 1\n0 0\n16\n", "{way}");
    });
}

#[test]
fn registers_that_may_hold_anything_are_refused_by_llc_too() {
    let folder = Folder::new("module-features-registers-refused");
    let rows = [
        ("rax", "i64", "register \"rax\" by name"),
        ("r12", "i64", "register \"r12\" by name"),
        ("rsp", "i32", "with another width than its own"),
        ("rbp", "i64", "in a function without frame pointer"),
    ];
    for (register, ty, expected) in rows {
        let text = format!(
            "declare {ty} @llvm.read_register.{ty}(metadata)\n\
             define {ty} @f() {{ %v = call {ty} @llvm.read_register.{ty}(metadata !0)\n ret {ty} %v }}\n\
             !0 = !{{!\"{register}\"}}\n"
        );
        let module = row(&folder, &text);
        let by = |mut command: Command| {
            let output = command.arg(&module).arg("-o").arg(folder.path("a.o")).output();
            let output = output.expect("it starts");
            assert!(!output.status.success(), "{text}");
            String::from_utf8_lossy(&output.stderr).into_owned()
        };
        by(Command::new("llc-22"));
        let message = by(frazil());
        assert!(message.contains(expected) && message.contains("[FZ0211]"), "{message}");
    }
}
