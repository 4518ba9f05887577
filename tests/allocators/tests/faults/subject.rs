//! What is compiled: a random function that calls another one, and the arguments that it is run with.

use frazil_codegen::CodegenError;
use frazil_ir::platform::WIDEST_INTEGER_BITS;
use frazil_ir::{EntityRef, FuncId, Function, Module};
use frazil_target_testisa::program::{Compile, Program};
use frazil_test_support::{Random, functions};

/// The function that gets faults; the other one is called by it.
pub const FAULTY: usize = 1;
/// Runs of each program.
const RUNS: usize = 3;
/// Statements of the faulty function, at most.
const STATEMENTS: usize = 40;
/// Instructions that a run may execute.
const MOST_STEPS: u64 = 200_000;

/// What the runs gave; a run that was stopped gives why.
pub type Answers = Vec<Result<Vec<u128>, String>>;

/// What came of compiling.
pub enum Compiled {
    /// The checker has accepted it.
    Accepted(Answers),
    /// The checker has rejected it; what came out gave this all the same.
    Rejected(String, Answers),
    /// There was nothing to compile: no place for the fault, or code that cannot be encoded.
    Absent,
}

/// A program.
pub struct Subject {
    pub text: String,
    pub module: Module,
    pub functions: Vec<Function>,
    arguments: Vec<Vec<u128>>,
}

impl Subject {
    /// The subject of a seed, for a target whose pointers and widest integers have so many bits.
    pub fn new(seed: u64, pointer_bits: u32, widest_integer_bits: u32) -> Subject {
        let function = match widest_integer_bits {
            WIDEST_INTEGER_BITS => functions::function,
            _ => functions::narrow_function,
        };
        let mut generator = Random::new(seed);
        let mut random = Random::new(seed);
        let statements = 4 + random.below(STATEMENTS);
        let text = format!(
            "layout pointer_bits {pointer_bits} stack_align 16\n{}\n{}",
            function(0, 4, pointer_bits, &mut generator),
            function(FAULTY, statements, pointer_bits, &mut generator)
        );
        let arguments = (0..RUNS).map(|_| arguments(&mut random)).collect();
        Subject::of(text, arguments)
    }

    /// A program of one's own, whose second function is the one that gets faults, and the arguments of its runs.
    pub fn of(text: String, arguments: Vec<Vec<u128>>) -> Subject {
        let (module, functions) = frazil_ir::text::parse_module(&text).expect("the program can be parsed");
        Subject {
            text,
            module,
            functions,
            arguments,
        }
    }

    /// Compiles the program, `compile` its functions, and makes the runs. What it says of the faulty one is
    /// the verdict; any other refusal makes the program useless.
    pub fn run(&self, compile: &mut Compile<'_>) -> Compiled {
        let mut verdict = Ok(());
        let program = Program::compiled_by(&self.module, &self.functions, &mut |number, unit, out| {
            let result = compile(number, unit, out);
            if number != FAULTY {
                return result;
            }
            verdict = result;
            match &verdict {
                // The code is there all the same.
                Ok(()) | Err(CodegenError::WrongAllocation(_) | CodegenError::WrongTranslation { .. }) => Ok(()),
                Err(other) => Err(other.clone()),
            }
        });
        let Ok(program) = program else { return Compiled::Absent };
        let call = |arguments: &Vec<u128>| {
            let results = program.call(FuncId::new(FAULTY), arguments, MOST_STEPS);
            results.map_err(|error| error.to_string())
        };
        match verdict {
            Ok(()) => Compiled::Accepted(self.arguments.iter().map(call).collect()),
            Err(error @ (CodegenError::WrongAllocation(_) | CodegenError::WrongTranslation { .. })) => {
                Compiled::Rejected(error.to_string(), self.arguments.iter().map(call).collect())
            }
            Err(_) => Compiled::Absent,
        }
    }
}

/// Arguments for the parameters of [`functions::params`]: small numbers and any.
fn arguments(random: &mut Random) -> Vec<u128> {
    let mut integer = |bits: u32| {
        let wide = (0..4).fold(0u128, |bits, _| bits << 32 | random.below(1 << 32) as u128);
        let value = if random.below(2) == 0 { wide & 15 } else { wide };
        if bits < 128 { value & ((1 << bits) - 1) } else { value }
    };
    let [a, b, c, d] = [64, 32, 8, 24].map(&mut integer);
    let double = (integer(20) as f64 / 8.0).to_bits();
    let wide = integer(128);
    let single = (integer(12) as f32 / 4.0).to_bits();
    vec![a, b, c, d, double.into(), wide, single.into(), integer(16)]
}
