//! What the reader refuses, and that its messages say what was found and where; and what it must not mind.

use frazil_frontend_pnacl::{BitcodeModule, FunctionReader, ReadError, ReadErrorKind, ReadOptions};
use frazil_ir::{Function, Refusal};
use std::path::Path;

fn module(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/modules")
        .join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Reads everything.
fn read(bytes: &[u8]) -> Result<usize, ReadError> {
    let module = BitcodeModule::open(bytes, &ReadOptions::new(&|_| None))?;
    let mut reader = FunctionReader::new(&module);
    let mut function = Function::new();
    let mut instructions = 0;
    for id in module.module().functions.keys() {
        reader.read(id, &mut function)?;
        instructions += function.insts().len();
    }
    Ok(instructions)
}

#[test]
fn a_second_module_is_refused() {
    let mut bytes = module("mixed-O0.bc");
    bytes.extend_from_slice(&module("mixed-O2.bc")[4..]);
    let error = read(&bytes).unwrap_err();
    assert_eq!(error.kind(), ReadErrorKind::Unsupported(Refusal::Bitcode));
    assert!(error.message().starts_with("a second module in the file"), "{error}");
}

#[test]
fn zero_words_behind_the_last_block_are_padding() {
    let mut bytes = module("mixed-O0.bc");
    let instructions = read(&bytes).unwrap();
    bytes.extend_from_slice(&[0; 12]);
    assert_eq!(read(&bytes).unwrap(), instructions);
}

/// LLVM looks for no block in less than a block takes.
#[test]
fn a_few_bytes_behind_the_last_block_are_padding() {
    let mut bytes = module("mixed-O0.bc");
    let instructions = read(&bytes).unwrap();
    bytes.extend_from_slice(b"rubbish!");
    assert_eq!(read(&bytes).unwrap(), instructions);
    bytes.extend_from_slice(b"more");
    read(&bytes).unwrap_err();
}

#[test]
fn a_wrapped_module_is_read_like_the_module() {
    let bytes = module("mixed-O0.bc");
    let mut wrapped = Vec::new();
    for word in [0x0b17_c0de, 0, 20, bytes.len() as u32, 0x0100_0007] {
        wrapped.extend_from_slice(&u32::to_le_bytes(word));
    }
    wrapped.extend_from_slice(&bytes);
    wrapped.extend_from_slice(b"something, else!");
    assert_eq!(read(&wrapped).unwrap(), read(&bytes).unwrap());
}

#[test]
fn a_cut_module_is_an_error_inside_the_file() {
    let bytes = module("mixed-O0.bc");
    for length in (0..bytes.len()).step_by(517) {
        let error = read(&bytes[..length]).unwrap_err();
        assert!(error.bit_offset() <= 8 * length as u64, "{length} bytes: {error}");
    }
}

#[test]
fn errors_in_a_body_name_the_function() {
    let mut bytes = module("mixed-O0.bc");
    let opened = BitcodeModule::open(&bytes, &ReadOptions::new(&|_| None)).unwrap();
    let first = opened.module().functions.keys().next().unwrap();
    let name = opened
        .module()
        .display_name(opened.module().functions[first].symbol)
        .into_owned();
    // The last words of a body are its end and its last records.
    let body = opened.body_place(first);
    let last = (body.end / 8) as usize;
    bytes[last - 12..last].fill(0xff);
    let error = read(&bytes).unwrap_err();
    let path: Vec<&str> = error.block_path().collect();
    assert_eq!(path[..2], ["the module", &format!("function 0 \"{name}\"")]);
    assert!((body.start..=body.end).contains(&error.bit_offset()), "{error}");
}

#[test]
fn functions_may_take_turns() {
    let bytes = module("mixed-O0.bc");
    let module = BitcodeModule::open(&bytes, &ReadOptions::new(&|_| None)).unwrap();
    let text = |function: &Function| {
        let mut text = String::new();
        frazil_ir::text::print_function(module.module(), function, &mut text).unwrap();
        text
    };
    let mut alone = FunctionReader::new(&module);
    let mut reader = FunctionReader::new(&module);
    let mut turns = [Function::new(), Function::new(), Function::new()];
    for (number, id) in module.module().functions.keys().enumerate() {
        let mut fresh = Function::new();
        alone.read(id, &mut fresh).unwrap();
        let function = &mut turns[number % 3 % 2 + number % 2];
        reader.read(id, function).unwrap();
        assert_eq!(text(function), text(&fresh));
    }
}
