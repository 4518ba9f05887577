//! What hooks count of a case's runs, beside what the interpreter executes: made for every case with `; test run`.
//!
//! A tool counts instructions, loads, stores and the like for each function, and blocks and edges one by one, in
//! numbers of a table that the program prints after each run. The hooks are additions, calls or bodies that are
//! inlined, or the blocks' own counters of which some follow from others, and are put in before or after the passes, in
//! turn: each case has one way on one machine, which its name chooses, and with the variable `FRAZIL_COUNT_ALL` all of
//! them. What the interpreter executes it tells an observer: of the functions as they are written for hooks that are
//! put in early, of those that the passes leave for the others.

use super::run::{compare, expected_results};
use super::{parsed, target};
use crate::runner::case::{Case, Expected, Run};
use crate::runner::executors::Program;
use crate::runner::executors::compiled::text_with_runs;
use crate::runner::executors::native::{
    RESULTS_BYTES, answer_of_line, leave_out, link_and_run, main_head, missing_feature,
};
use frazil::instrument::decide::Options as Criteria;
use frazil::instrument::places::KINDS as KIND_TABLE;
use frazil::instrument::{HookModule, Source, Tool, Tools, add_steps_with};
use frazil::{Driver, InputForm, Options, Recipe, RelocationModel};
use frazil_ir::interp::{Event, Interpreter, Limits, Value};
use frazil_ir::loops::LoopTree;
use frazil_ir::{Analysis, Block, CallFlags, EntityRef, FuncId, Function, InstData, Opcode};
use frazil_passes::observe::Deaf;
use frazil_passes::{Observe, Runner, Subject, target_facts};
use frazil_test_support::machines::{self, HOST, Machine};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;

/// Runs of a case that are counted; the others are like them.
const MOST_RUNS: usize = 24;

/// How many numbers the tool counts in.
const NUMBERS: usize = 8192;

/// The hooks: a number for each function and kind of place, one for each block and edge as far as there are numbers.
const HOOKS: &str = "\
data @tool_numbers align 8 size 65536

func @tool_count(i32, i32) {
b0:
  v2 = shl i32 v0, 6
  v3 = and i32 v1, 63
  v4 = or i32 v2, v3
  v5 = zext i64 v4
  v6 = ptr_index scale 8 ptr @tool_numbers, v5
  v7 = load align 8 i64 v6
  v8 = add i64 v7, 1
  store align 8 i64 v8, v6
  return
}

func @tool_block(i32, i32) {
b0:
  v2 = mul i32 v0, 97
  v3 = add i32 v2, v1
  v4 = and i32 v3, 2047
  v5 = or i32 v4, 4096
  v6 = zext i64 v5
  v7 = ptr_index scale 8 ptr @tool_numbers, v6
  v8 = load align 8 i64 v7
  v9 = add i64 v8, 1
  store align 8 i64 v9, v7
  return
}

func @tool_edge(i32, i32, i32) {
b0:
  v3 = mul i32 v0, 97
  v4 = mul i32 v1, 31
  v5 = mul i32 v2, 7
  v6 = add i32 v3, v4
  v7 = add i32 v6, v5
  v8 = and i32 v7, 2047
  v9 = or i32 v8, 2048
  v10 = zext i64 v9
  v11 = ptr_index scale 8 ptr @tool_numbers, v10
  v12 = load align 8 i64 v11
  v13 = add i64 v12, 1
  store align 8 i64 v13, v11
  return
}
";

/// The hook of places that have a counter of their own.
const OWN_HOOK: &str = "\
func @tool_place(ptr) {
b0:
  v1 = load align 8 i64 v0
  v2 = add i64 v1, 1
  store align 8 i64 v2, v0
  return
}
";

/// Kinds of places that are counted for each function, by their number.
const KINDS: &[&str] = &[
    "instruction",
    "load",
    "store",
    "call",
    "function-entry",
    "return",
    "branch",
    "switch",
    "atomic",
    "loop-iteration",
    "loop-entry",
    "copy",
    "indirect-call",
];

/// The tool file.
fn tool_text(way: Way) -> String {
    let mut text = format!("hooks = \"hooks.fzl\"\nwhen = \"{}\"\n", way.when);
    let not = "not-functions = \"^run_compiled_\"\n";
    if way.is_derived() {
        text.push_str("derive = true\n");
        for kind in ["block", "edge"] {
            text.push_str(&format!(
                "[[insert]]\nat = \"{kind}\"\ncall = \"tool_place\"\nargs = [\"counter\"]\n{not}"
            ));
        }
        return text;
    }
    for (number, kind) in KINDS.iter().enumerate() {
        text.push_str(&format!(
            "[[insert]]\nat = \"{kind}\"\ncall = \"tool_count\"\nargs = [{number}, \"function\"]\n{not}"
        ));
    }
    for (kind, args) in [
        ("block", "\"function\", \"block\""),
        ("edge", "\"function\", \"from\", \"to\""),
    ] {
        text.push_str(&format!(
            "[[insert]]\nat = \"{kind}\"\ncall = \"tool_{kind}\"\nargs = [{args}]\n{not}"
        ));
    }
    text
}

/// A way to count.
#[derive(Clone, Copy)]
struct Way {
    recipe: &'static str,
    when: &'static str,
    how: &'static str,
}

const RECIPES: [&str; 2] = ["Om1", "O2"];
const WHENS: [&str; 2] = ["late", "early"];
const HOWS: [&str; 4] = ["merged", "inlined", "called", "derived"];

impl Way {
    fn is_derived(self) -> bool {
        self.how == "derived"
    }
}

/// The ways by which a case is counted, as parts of its trials.
pub fn parts(name: &str) -> Vec<String> {
    let hash = name.bytes().fold(7_usize, |hash, byte| {
        hash.wrapping_mul(31).wrapping_add(usize::from(byte))
    });
    let mut parts = Vec::new();
    let machines = ["x86_64", "aarch64"];
    for machine in machines {
        let all = RECIPES.iter().flat_map(|recipe| {
            let hows = WHENS.iter().flat_map(|when| HOWS.iter().map(move |how| (when, how)));
            hows.map(move |(when, how)| format!("{machine} {recipe} {when} {how}"))
        });
        let all: Vec<String> = all.collect();
        match std::env::var_os("FRAZIL_COUNT_ALL") {
            Some(_) => parts.extend(all),
            None if machine == machines[hash % 2] => parts.push(all[hash / 2 % all.len()].clone()),
            None => {}
        }
    }
    parts
}

/// Whether a case can be counted: the machine is one of its targets and may run it.
pub fn is_for(case: &Case, part: &str) -> bool {
    let machine = part.split(' ').next().unwrap_or_default();
    let is_target = case.targets.is_empty() || case.targets.iter().any(|target| target == machine);
    let is_skipped = case
        .skips
        .iter()
        .any(|skip| skip.executor == machine || skip.executor == "interp");
    is_target && !is_skipped && case.c_code.is_empty()
}

/// Makes one trial.
pub fn run(case: &Case, part: &str) -> Result<(), String> {
    let words: Vec<&str> = part.split(' ').collect();
    let [machine, recipe, when, how] = words[..] else {
        return Err("the part has four words".to_owned());
    };
    let known = |list: &[&'static str], word: &str| list.iter().copied().find(|known| *known == word);
    let way = Way {
        recipe: known(&RECIPES, recipe).ok_or("recipe")?,
        when: known(&WHENS, when).ok_or("when")?,
        how: known(&HOWS, how).ok_or("how")?,
    };
    let machine = match machine {
        "x86_64" => &HOST,
        _ => &machines::AARCH64,
    };
    let (module, functions) = parsed(&case.source)?;
    let runs: Vec<&Run> = (case.runs.iter())
        .filter(|run| matches!(run.expected, Expected::Results(_)))
        .take(MOST_RUNS)
        .collect();
    if runs.is_empty() {
        return Ok(());
    }
    let expected = expected_results(case, &module, &functions, &runs)?;
    let program = Program {
        case,
        module: &module,
        functions: &functions,
        runs: &runs,
        recipe: Some(way.recipe),
    };
    let text = text_with_runs(&program)?;
    let counted = interpreted(&text, runs.len(), machine, way)?;
    if let Some(feature) = missing_feature(machine, &module) {
        leave_out(&feature, runs.len());
        return Ok(());
    }
    let output = executed(&text, runs.len(), machine, way)?;
    let heads = module.functions.values();
    let names: Vec<String> = heads
        .map(|head| module.display_name(head.symbol).into_owned())
        .collect();
    for (index, line) in output.lines().enumerate().take(runs.len()) {
        let (results, numbers) = line.split_once('|').ok_or("the program printed something else")?;
        let answers = answer_of_line(&program, index, results)?;
        compare(&runs[index].expected, &answers, &expected[index])
            .map_err(|message| format!("{}: {message}", runs[index].text))?;
        let Some(mut wanted) = counted[index].clone() else {
            continue;
        };
        let found = match way.is_derived() {
            false => pairs_of(numbers).collect(),
            true => {
                wanted.retain(|&number, _| number >= block_number(0, 0));
                let mut sums: BTreeMap<usize, u64> = BTreeMap::new();
                for (place, count) in pairs_of::<String>(numbers) {
                    *sums.entry(number_of_place(&names, &place)?).or_default() += count;
                }
                sums
            }
        };
        if wanted != found {
            let differs = |number: &usize| wanted.get(number) != found.get(number);
            let first: Vec<String> = (wanted.keys().chain(found.keys()))
                .filter(|number| differs(number))
                .take(6)
                .map(|number| format!("{number}: {:?} instead of {:?}", found.get(number), wanted.get(number)))
                .collect();
            return Err(format!("{}: {}", runs[index].text, first.join(", ")));
        }
    }
    Ok(())
}

/// What the program has printed: numbers or places, and counts.
fn pairs_of<K: FromStr>(text: &str) -> impl Iterator<Item = (K, u64)> + '_ {
    text.split_whitespace().filter_map(|pair| {
        let (key, count) = pair.rsplit_once(':')?;
        Some((key.parse().ok()?, count.parse().ok()?))
    })
}

/// The number of a block that is told as `FUNCTION/BLOCK`.
fn number_of_place(names: &[String], place: &str) -> Result<usize, String> {
    let (name, block) = place.rsplit_once('/').ok_or("a place without a block")?;
    let function = names.iter().position(|known| known == name);
    let function = function.ok_or_else(|| format!("the record names a function {name}"))?;
    Ok(block_number(
        function,
        block.parse().map_err(|_| "a block without a number")?,
    ))
}

/// What a program prints whose hooks count.
fn executed(text: &str, runs: usize, machine: &Machine, way: Way) -> Result<String, String> {
    let source = Source::parse("counted.toml", &tool_text(way)).map_err(|error| error.to_string())?;
    let hooks_text = if way.is_derived() { OWN_HOOK } else { HOOKS };
    let (hooks, bodies) = parsed(hooks_text)?;
    let module = HookModule {
        module: hooks,
        functions: bodies,
    };
    let tool = Tool::of_file(&source, module).map_err(|error| error.to_string())?;
    let tools = Arc::new(Tools::new(vec![Arc::new(tool)]).map_err(|error| error.to_string())?);
    let mut recipe = Recipe::find(way.recipe).map_err(|error| error.to_string())?;
    let criteria = Criteria {
        merge: way.how == "merged" || way.is_derived(),
        inline: way.how != "called",
        ..Criteria::default()
    };
    add_steps_with(&mut recipe, &tools, criteria);
    let options = Options {
        target: Some(machine.target.to_owned()),
        input_form: InputForm::Text,
        relocation_model: Some(RelocationModel::Pic),
        ..Options::default()
    };
    let hooks = Options {
        hooks_of: Some((Arc::clone(&tools), 0)),
        ..options.clone()
    };
    let options = Options {
        recipe: Arc::new(recipe),
        instrument: Some(tools),
        ..options
    };
    let driver = Driver::builtin();
    let object = driver
        .compile(text.as_bytes(), &options)
        .map_err(|error| error.to_string())?;
    let hooks = driver
        .compile(hooks_text.as_bytes(), &hooks)
        .map_err(|error| error.to_string())?;
    link_and_run(machine, main_program(runs, way), &[object, hooks])
}

/// The C program: one line `status bytes|number:count ...` for each run, or `status bytes|function/block:count ...`.
fn main_program(runs: usize, way: Way) -> String {
    let mut text = main_head("", runs);
    let (reset, print) = if way.is_derived() {
        text.push_str(include_str!("../../../examples/instrument/frazil.h"));
        text.push_str("FRAZIL_PLACES(counted)\n");
        let block = KIND_TABLE
            .iter()
            .position(|row| row.0 == "block")
            .expect("blocks are places");
        let print = format!(
            "frazil_settle();\n\
             \x20           for (uint64_t n = 0; n < frazil_place_count(); n++) {{\n\
             \x20               const struct frazil_record *record = &frazil_records()[n];\n\
             \x20               if (record->kind != {block} || !frazil_counters()[n]) continue;\n\
             \x20               printf(\"%s/%u:%lu \", record->function, record->block, frazil_counters()[n]);\n\
             \x20           }}"
        );
        ("", print)
    } else {
        text.push_str(&format!("extern unsigned long tool_numbers[{NUMBERS}];\n"));
        let print = format!(
            "for (unsigned n = 0; n < {NUMBERS}; n++) if (tool_numbers[n]) printf(\"%u:%lu \", n, tool_numbers[n]);"
        );
        ("memset(tool_numbers, 0, sizeof tool_numbers);", print)
    };
    text.push_str(&format!(
        "int main(void) {{\n\
         \x20   unsigned char *results = mmap(0, {RESULTS_BYTES}, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);\n\
         \x20   for (unsigned index = 0; index < {runs}; index++) {{\n\
         \x20       int status = 0;\n\
         \x20       memset(results, 0xa5, {RESULTS_BYTES});\n\
         \x20       {reset}\n\
         \x20       fflush(stdout);\n\
         \x20       if (fork() == 0) {{\n\
         \x20           alarm(10);\n\
         \x20           runs[index](results);\n\
         \x20           printf(\"0 \");\n\
         \x20           for (unsigned byte = 0; byte < {RESULTS_BYTES}; byte++) printf(\"%02x\", results[byte]);\n\
         \x20           printf(\"|\");\n\
         \x20           {print}\n\
         \x20           printf(\"\\n\");\n\
         \x20           fflush(stdout);\n\
         \x20           _exit(0);\n\
         \x20       }}\n\
         \x20       wait(&status);\n\
         \x20       if (status) printf(\"%d |\\n\", status);\n\
         \x20   }}\n\
         \x20   return 0;\n\
         }}\n"
    ));
    text
}

/// What the interpreter counts in each run, if it can make it.
fn interpreted(
    text: &str,
    runs: usize,
    machine: &Machine,
    way: Way,
) -> Result<Vec<Option<BTreeMap<usize, u64>>>, String> {
    let (module, mut functions) = parsed(text)?;
    let target = target(machine.target)?;
    if way.when == "late" {
        let recipe = Recipe::find(way.recipe).map_err(|error| error.to_string())?;
        let observe = Observe::default();
        let facts = target_facts((target.new)().desc());
        let mut runner = Runner::new(&recipe, &observe, &module, facts).map_err(|error| error.to_string())?;
        for (function, head) in functions.iter_mut().zip(module.functions.values()) {
            let subject = Subject {
                number: 0,
                name: "",
                head,
            };
            runner
                .run(subject, function, &mut Deaf)
                .map_err(|error| error.to_string())?;
        }
    }
    let loops: Vec<LoopTree> = functions.iter().map(loops_of).collect();
    let first_run = functions.len() - runs;
    let mut counted = Vec::new();
    for index in 0..runs {
        let numbers: RefCell<BTreeMap<usize, u64>> = RefCell::default();
        let observer = |event: Event| {
            let mut numbers = numbers.borrow_mut();
            let mut add = |number: usize| *numbers.entry(number).or_default() += 1;
            match event {
                Event::Enter { function } if function < first_run => {
                    add(number_of("function-entry", function));
                    add(block_number(function, 0));
                }
                Event::Inst { function, position } if function < first_run => {
                    count_inst(
                        &functions[function],
                        function,
                        &functions[function].insts()[position],
                        &mut add,
                    );
                }
                Event::Edge { function, from, to } if function < first_run => {
                    add(block_number(function, to.index()));
                    add(2048 + ((function * 97 + from.index() * 31 + to.index() * 7) & 2047));
                    count_loops(&loops[function], function, (from, to), &mut add);
                }
                _ => {}
            }
        };
        let id = FuncId::new(first_run + index);
        let outcome = Interpreter::new(&module, &functions, Limits::default()).and_then(|interpreter| {
            let mut interpreter = interpreter.with_platform(target.platform).with_observer(observer);
            let results = interpreter.memory().allocate(RESULTS_BYTES as u64, 4)?;
            interpreter.call(id, vec![Value::bits(u128::from(results))])
        });
        counted.push(outcome.is_ok().then(|| numbers.into_inner()));
    }
    Ok(counted)
}

fn loops_of(function: &Function) -> LoopTree {
    let mut loops = LoopTree::default();
    Analysis::compute(&mut loops, function);
    loops
}

/// The number that a kind of place has in a function.
fn number_of(kind: &str, function: usize) -> usize {
    let kind = KINDS
        .iter()
        .position(|known| *known == kind)
        .expect("a kind of the table");
    (kind << 6) | (function & 63)
}

fn block_number(function: usize, block: usize) -> usize {
    4096 | ((function * 97 + block) & 2047)
}

fn count_inst(f: &Function, function: usize, data: &InstData, add: &mut impl FnMut(usize)) {
    use Opcode as O;
    if data.op == O::Nop {
        return;
    }
    add(number_of("instruction", function));
    let flags = CallFlags::from_bits_retain(data.flags);
    let is_call =
        matches!(data.op, O::Call | O::Invoke) && !flags.intersects(CallFlags::INLINE_ASM | CallFlags::INTRINSIC);
    let is_atomic = matches!(
        data.op,
        O::AtomicLoad | O::AtomicStore | O::AtomicRmw | O::Cmpxchg | O::Fence | O::SpaceRmw | O::SpaceCmpxchg
    );
    for (kind, is_one) in [
        ("load", matches!(data.op, O::Load | O::AtomicLoad | O::SpaceLoad)),
        ("store", matches!(data.op, O::Store | O::AtomicStore | O::SpaceStore)),
        ("call", is_call),
        ("indirect-call", is_call && f.call(data).callee.as_symbol().is_none()),
        ("return", data.op == O::Return),
        ("branch", data.op == O::Branch),
        ("switch", data.op == O::Switch),
        ("atomic", is_atomic),
        (
            "copy",
            matches!(
                data.op,
                O::MemCopy | O::MemMove | O::MemSet | O::SpaceCopy | O::SpaceSet
            ),
        ),
    ] {
        if is_one {
            add(number_of(kind, function));
        }
    }
}

/// Counts the loops whose header an edge leads to.
fn count_loops(loops: &LoopTree, function: usize, (from, to): (Block, Block), add: &mut impl FnMut(usize)) {
    for id in loops.loops().filter(|&id| loops.data(id).header == to) {
        add(number_of("loop-iteration", function));
        if !loops.contains(id, from) {
            add(number_of("loop-entry", function));
        }
    }
}
