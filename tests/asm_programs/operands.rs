//! Every constraint letter, register name, condition and operand modifier of x86 on values of many types: rows of
//! [a table](operands.txt), each of which becomes a function of a module. What the functions compute must be what they
//! compute when `llc` compiles them, and what `llc` refuses must be refused.

use crate::{checking_frazil, in_repository};
use frazil_test_support::{Folder, run};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// The recipes of both paths to machine code.
const RECIPES: [&str; 2] = ["Om1", "O2"];

const HEAD: &str = "\
target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"
target triple = \"x86_64-unknown-linux-gnu\"
@cell = internal global [8 x i64] [i64 1234605616436508552, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8], align 16
define void @place() {
  br label %there
there:
  ret void
}
";

const DRIVER: &str = "\
#include <stdio.h>
#include <string.h>
extern void (*const rows[])(unsigned char *);
extern const int count;
int main(void) {
  static unsigned char out[64] __attribute__((aligned(64)));
  for (int row = 0; row < count; row++) {
    memset(out, 0x11, sizeof out);
    rows[row](out);
    for (unsigned i = 0; i < sizeof out; i++) printf(\"%02x\", out[i]);
    puts(\"\");
  }
  return 0;
}
";

/// A call of inline assembly.
#[derive(Clone, Debug)]
struct AsmCall {
    is_intel: bool,
    result: String,
    constraints: String,
    template: String,
    arguments: String,
}

/// What is under a heading of the table: target features, and rows or what stands for several.
#[derive(Default)]
struct Table {
    values: BTreeMap<String, String>,
    suffixes: BTreeMap<String, String>,
    /// Rows by features.
    accepted: BTreeMap<String, Vec<AsmCall>>,
    refused: Vec<AsmCall>,
}

impl Table {
    fn read() -> Table {
        let text = std::fs::read_to_string(in_repository("tests/asm_programs/operands.txt")).expect("readable");
        let (mut table, mut heading) = (Table::default(), String::new());
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix("== ") {
                heading = name.to_owned();
                continue;
            }
            if heading == "types" {
                let mut words = line.splitn(3, " ;; ");
                let mut next = || words.next().expect("type, suffix and value").to_owned();
                let (ty, suffix, value) = (next(), next(), next());
                table.suffixes.insert(ty.clone(), suffix);
                table.values.insert(ty, value);
                continue;
            }
            let rows = table.expand(line);
            match heading.strip_prefix("features") {
                Some(features) => table
                    .accepted
                    .entry(features.trim().to_owned())
                    .or_default()
                    .extend(rows),
                None => table.refused.extend(rows),
            }
        }
        table
    }

    /// The rows that a line stands for: one for each pair of a code and a type.
    fn expand(&self, line: &str) -> Vec<AsmCall> {
        let (head, row) = line
            .strip_prefix('[')
            .and_then(|line| line.split_once("] "))
            .expect("a line begins with codes and types");
        let (codes, types) = head.rsplit_once('|').expect("codes and types are parted");
        let mut rows = Vec::new();
        for code in codes.split(' ') {
            for ty in types.split(' ') {
                rows.push(self.row(row, code, &ty.replace('~', " ")));
            }
        }
        rows
    }

    fn row(&self, text: &str, code: &str, ty: &str) -> AsmCall {
        let letters = match code.as_bytes() {
            [b'Y' | b'W' | b'j', _] => format!("^{code}"),
            _ => code.replace('~', " "),
        };
        let known = |map: &BTreeMap<String, String>| map.get(ty).cloned().unwrap_or_default();
        let of_code = self.values.get(&letters).cloned().unwrap_or_default();
        let text = text
            .replace("@VL", &of_code)
            .replace("@T", ty)
            .replace("@V", &known(&self.values))
            .replace("@S", &known(&self.suffixes))
            .replace("@N", code.trim_matches(['{', '}']))
            .replace("@L", &letters);
        let (is_intel, text) = match text.strip_prefix("intel ") {
            Some(text) => (true, text.to_owned()),
            None => (false, text),
        };
        let mut fields = text.splitn(4, " ;; ").map(|field| field.trim().to_owned());
        let mut next = || fields.next().unwrap_or_default();
        AsmCall {
            is_intel,
            result: next(),
            constraints: next(),
            template: next().replace("\\n", "\\0A").replace("\\t", "\\09"),
            arguments: next(),
        }
    }
}

/// The arguments of a call, parted at commas outside of brackets.
fn arguments(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (place, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..place].trim());
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// The function of a row. Arguments that begin with `load` come from memory, by which they are no constants.
fn function(row: &AsmCall, number: usize) -> String {
    let (mut globals, mut body, mut words) = (String::new(), String::new(), Vec::new());
    for (index, argument) in arguments(&row.arguments).into_iter().enumerate() {
        let Some(argument) = argument.strip_prefix("load ") else {
            words.push(argument.replace("%there)", "%next)"));
            continue;
        };
        let end = match argument.starts_with('<') {
            true => argument.find('>').expect("a vector type ends") + 1,
            false => argument.find(' ').expect("a value follows"),
        };
        let (ty, value) = argument.split_at(end);
        writeln!(globals, "@row{number}.{index} = internal global {ty}{value}, align 16").expect("a string");
        writeln!(body, "  %a{index} = load volatile {ty}, ptr @row{number}.{index}").expect("a string");
        words.push(format!("{ty} %a{index}"));
    }
    let words = words.join(", ").replace("@place, %next", "@place, %there");
    let dialect = if row.is_intel { "inteldialect " } else { "" };
    let call = format!(
        "call {} asm sideeffect {dialect}\"{}\", \"{}\"({words})",
        row.result, row.template, row.constraints
    );
    let call = match row.result.as_str() {
        "void" => format!("  {call}\n"),
        result => format!("  %r = {call}\n  store {result} %r, ptr %out, align 1\n"),
    };
    let head = "noinline nounwind #0 {\n  %second = getelementptr i8, ptr %out, i64 32\n  br label %next\nnext:\n";
    let text = format!("{globals}define void @row{number}(ptr %out) {head}{body}{call}  ret void\n}}\n");
    text.replace("@row)", &format!("@row{number})"))
        .replace("@row,", &format!("@row{number},"))
}

fn module(rows: &[AsmCall], features: &str) -> String {
    let mut text = HEAD.to_owned();
    let mut names = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        text.push_str(&function(row, number));
        names.push(format!("ptr @row{number}"));
    }
    let count = rows.len();
    let names = names.join(", ");
    writeln!(
        text,
        "@rows = constant [{count} x ptr] [{names}]\n@count = constant i32 {count}"
    )
    .expect("a string");
    writeln!(text, "attributes #0 = {{ \"target-features\"=\"{features}\" }}").expect("a string");
    text
}

fn assembled(folder: &Folder, text: String) -> std::path::PathBuf {
    let bitcode = folder.path("rows.bc");
    let text = folder.write("rows.ll", text);
    run(Command::new("llvm-as-22").arg(&text).arg("-o").arg(&bitcode));
    bitcode
}

fn llc(bitcode: &Path, object: &Path) -> Command {
    let mut llc = Command::new("llc-22");
    llc.args(["-O0", "-filetype=obj", "-relocation-model=pic"]);
    llc.arg(bitcode).arg("-o").arg(object);
    llc
}

/// What the functions of an object compute, a line for each.
fn lines(folder: &Folder, object: &Path) -> Vec<String> {
    let (driver, program) = (folder.write("driver.c", DRIVER), folder.path("program"));
    let mut link = Command::new("cc");
    run(link.arg(object).arg(driver).arg("-o").arg(&program));
    let output = Command::new(&program).output().expect("the program starts");
    assert!(output.status.success(), "{}", output.status);
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn operands_are_where_llc_has_them() {
    let table = Table::read();
    let folder = Folder::new("operands");
    for (features, rows) in &table.accepted {
        let bitcode = assembled(&folder, module(rows, features));
        let object = folder.path("rows.o");
        run(&mut llc(&bitcode, &object));
        // Not every machine that runs the tests has instructions for mask registers.
        let is_run = !features.contains("avx512");
        let expected = is_run.then(|| lines(&folder, &object));
        for recipe in RECIPES {
            run(checking_frazil(recipe).arg(&bitcode).arg("-o").arg(&object));
            let Some(expected) = &expected else { continue };
            let found = lines(&folder, &object);
            assert_eq!(found.len(), rows.len());
            for ((row, found), expected) in rows.iter().zip(&found).zip(expected) {
                assert_eq!(found, expected, "{recipe}: {row:?}");
            }
        }
    }
}

#[test]
fn operands_that_llc_refuses_are_refused_by_name() {
    let table = Table::read();
    let folder = Folder::new("refused-operands");
    for row in &table.refused {
        let bitcode = assembled(&folder, module(std::slice::from_ref(row), ""));
        let object = folder.path("rows.o");
        let theirs = llc(&bitcode, &object).output().expect("llc starts");
        assert!(!theirs.status.success(), "llc accepts {row:?}");
        let ours = checking_frazil("O2").arg(&bitcode).arg("-o").arg(&object).output();
        let ours = ours.expect("frazil starts");
        let message = String::from_utf8_lossy(&ours.stderr).into_owned();
        assert!(!ours.status.success(), "accepted: {row:?}");
        assert!(
            message.contains("not supported: inline assembly: "),
            "{row:?}: {message}"
        );
    }
}
