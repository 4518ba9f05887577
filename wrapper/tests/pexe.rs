//! Programs that `frazil-pexe` makes of executables of PNaCl, for all of its machines. One executable is written here,
//! record by record; another is [a program in C](pexe/interfaces.c), which asks for most of the interfaces.

use frazil::{Emit, Options};
use frazil_frontend_pnacl::bitstream::writer::Writer;
use frazil_frontend_pnacl::pnacl::codes::{block, constants, function as code, globals, module, symbols, types};
use frazil_test_support::{Folder, run};
use std::process::Command;

/// A sign is the lowest bit.
fn signed(value: u64) -> u64 {
    value << 1
}

fn write_block(writer: &mut Writer, id: u64, rows: &[(u64, Vec<u64>)]) {
    writer.begin_block(id, 4);
    for (code, operands) in rows {
        writer.record(*code, operands);
    }
    writer.end_block();
}

/// An executable that asks for two interfaces, writes a text by one, and ends by the other.
///
/// Started with one argument and no environment, the query function is the word at 28 bytes of what it begins with.
fn hello() -> Vec<u8> {
    let text = |text: &str| text.bytes().map(u64::from).collect::<Vec<u64>>();
    let (files, basic) = (text("nacl-irt-fdio-0.1\0"), text("nacl-irt-basic-0.1\0"));
    let message = text("hello from a portable executable\n");
    let length = message.len() as u64;
    let mut writer = Writer::new(b"PEXE\x01\0\x08\0\x11\0\x04\0\x02\0\0\0", 0);
    writer.begin_block(block::MODULE, 3);
    writer.record(module::VERSION, &[1]);
    write_block(&mut writer, 0, &[]);
    write_block(
        &mut writer,
        block::TYPES,
        &[
            (types::COUNT, vec![3]),
            (types::VOID, vec![]),
            (types::INTEGER, vec![32]),
            (types::FUNCTION, vec![0, 0, 1]),
        ],
    );
    writer.record(module::FUNCTION, &[2, 0, 0, 0]);
    let variables = [
        (globals::COUNT, vec![4]),
        (globals::VARIABLE, vec![1, 1]),
        (globals::DATA, files),
        (globals::VARIABLE, vec![1, 1]),
        (globals::DATA, basic),
        (globals::VARIABLE, vec![1, 1]),
        (globals::DATA, message),
        (globals::VARIABLE, vec![3, 0]),
        (globals::ZERO_FILL, vec![64]),
    ];
    write_block(&mut writer, block::GLOBALS, &variables);
    let name = [vec![0], text("_start")].concat();
    write_block(&mut writer, block::SYMBOLS, &[(symbols::ENTRY, name)]);
    writer.begin_block(block::FUNCTION, 4);
    writer.record(code::DECLARE_BLOCKS, &[1]);
    // Values: the function 0, variables 1 to 4, the parameter 5, constants 6 to 12.
    let numbers = [28, 64, 16, 1, length, 42, 32];
    let mut rows = vec![(constants::SET_TYPE, vec![1])];
    rows.extend(numbers.map(|number| (constants::INTEGER, vec![signed(number)])));
    write_block(&mut writer, block::CONSTANTS, &rows);
    let (word, void) = (1, 0);
    // 13: where the query function is, 14: that function.
    writer.record(code::BINARY, &[13 - 5, 13 - 6, 0]);
    writer.record(code::LOAD, &[1, 1, word]);
    // 15: asked for the first interface, whose fifth function is at 16 bytes; 16: its place, 17: that function.
    writer.record(code::CALL_INDIRECT, &[0, 1, word, 15 - 1, 15 - 4, 15 - 7]);
    writer.record(code::BINARY, &[16 - 4, 16 - 8, 0]);
    writer.record(code::LOAD, &[1, 1, word]);
    // 18: the text is written; the number of bytes goes after the table, at 32 bytes.
    writer.record(code::BINARY, &[18 - 4, 18 - 12, 0]);
    writer.record(
        code::CALL_INDIRECT,
        &[0, 19 - 17, word, 19 - 9, 19 - 3, 19 - 10, 19 - 18],
    );
    // 20: asked for the second interface, whose first function ends the program.
    writer.record(code::CALL_INDIRECT, &[0, 20 - 14, word, 20 - 2, 20 - 4, 20 - 7]);
    writer.record(code::LOAD, &[21 - 4, 1, word]);
    writer.record(code::CALL_INDIRECT, &[0, 1, void, 22 - 11]);
    writer.record(code::UNREACHABLE, &[]);
    writer.end_block();
    writer.end_block();
    writer.finish()
}

/// Options for each machine, and the byte of ELF headers that says how wide addresses are.
const MACHINES: [(&str, u8); 2] = [("--target=x86_64", 2), ("-m32", 1)];

/// Makes a program of an executable by a recipe for a machine, and returns its bytes.
fn make(folder: &Folder, name: &str, [machine, recipe]: &[&str; 2]) -> Vec<u8> {
    let mut make = Command::new(env!("CARGO_BIN_EXE_frazil-pexe"));
    make.arg(folder.path(&format!("{name}.pexe")))
        .args([machine, &format!("--recipe={recipe}")[..], "-o"])
        .arg(folder.path(name));
    run(&mut make);
    std::fs::read(folder.path(name)).expect("there is a program")
}

#[test]
fn a_program_finds_its_interfaces_writes_and_ends() {
    let folder = Folder::new("pexe");
    let options = Options {
        emit: Emit::Pexe,
        ..Options::default()
    };
    let again = frazil::compile(&hello(), &options).expect("what is read can be written");
    // By name, the first is written record by record, the second by Frazil.
    folder.write("hello.pexe", hello());
    folder.write("again.pexe", again);
    for (name, recipe) in [("hello", "Om1"), ("hello", "O2"), ("again", "Om1"), ("again", "O2")] {
        for (machine, class) in MACHINES {
            let made = make(&folder, name, &[machine, recipe]);
            assert_eq!(made.get(4), Some(&class), "{recipe} {machine}");
            let mut program = Command::new(folder.path(name));
            let output = program.env_clear().output().expect("it can be started");
            assert_eq!(
                String::from_utf8_lossy(&output.stdout),
                "hello from a portable executable\n",
                "{recipe} {machine}"
            );
            assert_eq!(output.status.code(), Some(42), "{recipe} {machine}");
        }
    }
}

#[test]
fn interfaces_mean_the_same_on_all_machines() {
    let folder = Folder::new("pexe-interfaces");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pexe/interfaces.c");
    let mut clang = Command::new("clang-22");
    clang
        .args(["--target=i386-linux-gnu", "-O1", "-ffreestanding", "-emit-llvm"])
        .args(["-Wno-int-to-pointer-cast", "-c", source, "-o"])
        .arg(folder.path("interfaces.bc"));
    run(&mut clang);
    let options = Options {
        emit: Emit::Pexe,
        ..Options::default()
    };
    let bitcode = std::fs::read(folder.path("interfaces.bc")).expect("clang has written it");
    let executable = frazil::compile(&bitcode, &options).expect("it has nothing that executables cannot have");
    folder.write("interfaces.pexe", executable);
    for recipe in ["Om1", "O2"] {
        for (machine, _) in MACHINES {
            make(&folder, "interfaces", &[machine, recipe]);
            let mut program = Command::new(folder.path("interfaces"));
            let output = program.arg(folder.path("file")).output().expect("it can be started");
            let text = String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.code(), Some(0), "{recipe} {machine}: {text}");
            // Each line says something good or bad.
            assert_eq!(text.lines().count(), 19, "{recipe} {machine}: {text}");
            assert!(
                text.lines().all(|line| line.starts_with("+ ")),
                "{recipe} {machine}: {text}"
            );
        }
    }
}

#[test]
fn mistakes_are_named_and_leave_nothing() {
    let folder = Folder::new("pexe-mistakes");
    let mut damaged = hello();
    damaged[12] = 1;
    folder.write("old.pexe", damaged);
    folder.write("text.pexe", "int main(void) { return 0; }\n");
    let refused = |words: &[&str]| {
        let mut make = Command::new(env!("CARGO_BIN_EXE_frazil-pexe"));
        let output = make
            .current_dir(folder.path(""))
            .args(words)
            .output()
            .expect("it can be started");
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(refused(&["old.pexe"]).contains("version 1 of the ABI; expected version 2"));
    assert!(refused(&["text.pexe"]).contains("is no executable of PNaCl"));
    assert!(refused(&["none.pexe"]).contains("cannot read none.pexe"));
    assert!(refused(&[]).contains("no executable is named"));
    assert!(refused(&["text.pexe", "other.pexe"]).contains("`other.pexe` is one executable too many"));
    assert!(refused(&["--recipe=none", "old.pexe"]).contains("none"));
    assert!(refused(&["--target", "aarch64", "old.pexe"]).contains("made for x86_64 and x86_32 only"));
    assert!(refused(&["old.pexe", "-o", "old.pexe"]).contains("its own output"));
    assert!(!folder.path("old").exists() && !folder.path("text").exists());
}
