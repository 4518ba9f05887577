//! Where functions come from.

use frazil_frontend_pnacl::{BitcodeModule, FunctionReader, ReadOptions};
use frazil_ir::text::parse_module;
use frazil_ir::{EntityRef, FuncId, Function, FunctionHead, Module};
use frazil_refinement::window;
use frazil_test_support::Random;
use std::path::{Path, PathBuf};

const FILE_TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../filetests");
const MODULES_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../modules");
/// The committed modules that everyday runs take windows from.
const MODULES: [&str; 5] = [
    "mixed-O0.bc",
    "mixed-O2.bc",
    "rust-O3.bc",
    "classes-O0.bc",
    "classes-O2.bc",
];
/// Instructions of a window, at most.
const MOST_INSTRUCTIONS: usize = 12;
/// Instructions of a function that is taken as a whole, at most.
const SMALL_FUNCTION: usize = 60;

/// The files below a folder, in order.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "fzl") {
            found.push(path);
        }
    }
}

/// The functions of the file tests of passes and runs, with their graphs.
pub fn file_tests() -> Vec<(&'static Module, Vec<Function>)> {
    let mut paths = Vec::new();
    for folder in ["opt", "run"] {
        files(&Path::new(FILE_TESTS).join(folder), &mut paths);
    }
    let read = |path: &PathBuf| {
        let source = std::fs::read_to_string(path).expect("readable");
        // Those that are bitcode have no text of their own.
        let (module, mut functions) = parse_module(&source).ok()?;
        functions.iter_mut().for_each(Function::compute_cfg);
        let module: &'static Module = Box::leak(Box::new(module));
        Some((module, functions))
    };
    paths.iter().filter_map(read).collect()
}

/// A module with its functions, which are read when they are wanted.
pub struct Source {
    module: Module,
    functions: Vec<Option<Function>>,
}

/// The modules that windows are taken from.
pub fn modules() -> Vec<Source> {
    let paths: Vec<PathBuf> = match std::env::var("FRAZIL_REFINEMENT_MODULES") {
        Ok(paths) => paths.lines().map(PathBuf::from).collect(),
        Err(_) => MODULES.map(|name| Path::new(MODULES_FOLDER).join(name)).into(),
    };
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Source {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let module = BitcodeModule::open(
        &bytes,
        &ReadOptions::new(&|_| Some(&frazil_target_x86::platform::PLATFORM)),
    )
    .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = FunctionReader::new(&module);
    let functions = (0..module.module().functions.len()).map(|index| {
        let mut function = Function::new();
        // What is refused has no windows.
        reader.read(FuncId::new(index), &mut function).ok()?;
        function.compute_cfg();
        Some(function)
    });
    let functions = functions.collect();
    Source {
        module: module.module().clone(),
        functions,
    }
}

/// Windows and small functions, at random.
pub struct Windows<'a> {
    places: Vec<(&'a Source, usize)>,
}

impl<'a> Windows<'a> {
    /// Of these modules.
    pub fn new(sources: &'a mut [Source]) -> Windows<'a> {
        let mut places = Vec::new();
        for source in sources.iter() {
            // As many as there are instructions, so that each is as likely.
            for (index, function) in source.functions.iter().enumerate() {
                let count = function.as_ref().map_or(0, |function| function.insts().len() / 4 + 1);
                places.extend(std::iter::repeat_n((source, index), count));
            }
        }
        Windows { places }
    }

    pub fn next(&mut self, random: &mut Random) -> Option<(&'a Module, &'a FunctionHead, Function)> {
        for _ in 0..10_000 {
            let (source, index) = random.pick_if_any(&self.places)?;
            let function = source.functions[index].as_ref()?;
            let head = &source.module.functions[FuncId::new(index)];
            if function.insts().len() <= SMALL_FUNCTION && random.one_in(3) {
                return Some((&source.module, head, function.clone()));
            }
            let start = random.below(function.insts().len());
            let length = 2 + random.below(MOST_INSTRUCTIONS - 1);
            let end = (start + length).min(function.insts().len());
            // Up to the end of the block.
            let stops = (start..end).find(|&position| function.insts()[position].op.is_terminator());
            let range = start..stops.unwrap_or(end);
            if range.len() < 2 {
                continue;
            }
            if let Some(window) = window::straight(&source.module, function, range) {
                return Some((&source.module, head, window));
            }
        }
        None
    }
}
