//! The SMT solver: a process that is asked one question after the other in SMT-LIB text.
//!
//! It is Debian's program `z3`, over pipes: nothing is linked, any version of the last years does, and a solver that
//! hangs, dies or does not read is ended and started anew. Questions do not build on one another, because solvers are
//! best at bit vectors when they see all of a question at once.

use crate::floats;
use crate::terms::evaluate::{Evaluator, Model};
use crate::terms::text::Writer;
use crate::terms::{Node, Op, Term, Terms};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

pub const PROGRAM: &str = "z3";

/// Questions come by standard input; the memory is in megabytes.
const OPTIONS: [&str; 3] = ["-in", "-smt2", "-memory:1500"];

/// What the solver says.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The condition never holds.
    Never,
    /// It holds for these values.
    Holds(Model),
    /// It does not know, and why: out of time, mostly.
    Unknown(String),
}

/// A solver that is running, and what it was asked.
#[derive(Debug)]
pub struct Solver {
    process: Option<Process>,
    /// The time for a question.
    pub time_limit: Duration,
    /// Questions so far.
    pub questions: u64,
    /// The time that they took.
    pub time: Duration,
}

/// What is written and read goes through threads, so that a solver that does not read, or does not answer, costs time
/// only until the limit.
#[derive(Debug)]
struct Process {
    child: Child,
    texts: Sender<String>,
    lines: Receiver<String>,
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may be gone already, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Process {
    fn start(program: &str, args: &[&str]) -> Process {
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{program}: {error}; on Debian: apt-get install z3"));
        let mut input = child.stdin.take().expect("standard input is a pipe");
        let (texts, questions) = channel::<String>();
        // It ends when the process does: writing fails then.
        std::thread::spawn(move || {
            for text in questions {
                if input.write_all(text.as_bytes()).and_then(|()| input.flush()).is_err() {
                    break;
                }
            }
        });
        let output = child.stdout.take().expect("standard output is a pipe");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Process { child, texts, lines }
    }

    fn tell(&self, text: String) -> Result<(), String> {
        self.texts.send(text).map_err(|_| "the solver is gone".to_owned())
    }

    /// The next answer: lines until the parentheses are closed.
    fn answer(&mut self, limit: Duration) -> Result<String, String> {
        let end = Instant::now() + limit;
        let mut text = String::new();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).map_err(|_| "time is over".to_owned())?;
            text.push_str(&line);
            text.push('\n');
            if text.matches('(').count() == text.matches(')').count() && !text.trim().is_empty() {
                return Ok(text);
            }
        }
    }
}

impl Solver {
    /// One that gives up on a question after this time.
    pub fn new(time_limit: Duration) -> Solver {
        Solver {
            process: None,
            time_limit,
            questions: 0,
            time: Duration::ZERO,
        }
    }

    /// Whether a condition holds for any values; with `exact_floats`, what floating-point operations give is known.
    pub fn ask(&mut self, terms: &Terms, condition: Term, exact_floats: bool) -> Answer {
        match terms.constant_of(condition) {
            Some(0) => return Answer::Never,
            Some(_) => return Answer::Holds(Model::default()),
            None => {}
        }
        self.questions += 1;
        let start = Instant::now();
        let answer = self.question(terms, condition, exact_floats);
        self.time += start.elapsed();
        answer.unwrap_or_else(|reason| {
            self.process = None;
            Answer::Unknown(reason)
        })
    }

    fn question(&mut self, terms: &Terms, condition: Term, exact_floats: bool) -> Result<Answer, String> {
        let mut writer = Writer::default();
        writer.define(terms, condition);
        let axioms = if exact_floats {
            floats::axioms(terms, &writer.applications)
        } else {
            String::new()
        };
        let text = format!(
            "(reset)\n(set-option :timeout {})\n(set-option :produce-models true)\n{}{axioms}(assert (= t{} #b1))\n(check-sat)\n",
            self.time_limit.as_millis(),
            writer.text,
            condition.0
        );
        // The solver's own limit does not hold in all of its parts.
        let limit = 2 * self.time_limit + Duration::from_secs(1);
        let process = self.process.get_or_insert_with(|| Process::start(PROGRAM, &OPTIONS));
        process.tell(text)?;
        let answer = process.answer(limit)?;
        match answer.trim() {
            "unsat" => Ok(Answer::Never),
            "sat" => {
                let model = read_model(process, terms, &writer, limit)?;
                Ok(Answer::Holds(model))
            }
            "unknown" => Ok(Answer::Unknown("the solver gave up".to_owned())),
            other => Err(format!("the solver says: {other}")),
        }
    }
}

/// Asks for the values of variables and of applied functions.
fn read_model(process: &mut Process, terms: &Terms, writer: &Writer, limit: Duration) -> Result<Model, String> {
    let mut model = Model::default();
    let vars = writer.vars.iter().map(|&number| terms.variable(number));
    let wanted: Vec<Term> = vars.chain(writer.applications.iter().copied()).collect();
    if wanted.is_empty() {
        return Ok(model);
    }
    let names: Vec<String> = wanted.iter().map(|term| format!("t{}", term.0)).collect();
    process.tell(format!("(get-value ({}))\n", names.join(" ")))?;
    let answer = process.answer(limit)?;
    let words: Vec<&str> = answer
        .split(|letter: char| letter.is_whitespace() || letter == '(' || letter == ')')
        .filter(|word| !word.is_empty())
        .collect();
    let mut applied = Vec::new();
    for pair in words.chunks_exact(2) {
        let (Some(number), Some(value)) = (pair[0].strip_prefix('t'), parse_bits(pair[1])) else {
            return Err(format!("no values: {answer}"));
        };
        let term = Term(number.parse().map_err(|_| format!("no values: {answer}"))?);
        match terms.node(term) {
            Node::Var(number) => {
                model.vars.insert(number, value);
            }
            _ => applied.push((term, value)),
        }
    }
    // Arguments of functions may be made of what functions give: the terms made first come first.
    applied.sort_unstable();
    for (term, value) in applied {
        if let Some((Op::Function(number), operands)) = terms.operation(term) {
            let mut evaluator = Evaluator::new(terms, &model);
            let count = terms.operand_count(Op::Function(number));
            let arguments = operands[..count]
                .iter()
                .map(|&operand| evaluator.value(operand))
                .collect();
            model.functions.insert((number, arguments), value);
        }
    }
    Ok(model)
}

fn parse_bits(word: &str) -> Option<u128> {
    if let Some(digits) = word.strip_prefix("#x") {
        return u128::from_str_radix(digits, 16).ok();
    }
    u128::from_str_radix(word.strip_prefix("#b")?, 2).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::Role;

    /// More than a pipe holds.
    const LONG_TEXT_BYTES: usize = 1 << 20;

    #[test]
    fn a_solver_that_does_not_read_costs_no_more_than_its_time() {
        let mut process = Process::start("sleep", &["60"]);
        process.tell(" ".repeat(LONG_TEXT_BYTES)).expect("it is taken");
        let answer = process.answer(Duration::from_millis(50));
        assert_eq!(answer.expect_err("it says nothing"), "time is over");
    }

    #[test]
    fn answers_are_right_and_come_with_values() {
        let mut terms = Terms::default();
        let mut solver = Solver::new(Duration::from_secs(10));
        let x = terms.fresh("x", 32, Role::Given);
        let three = terms.constant(32, 3);
        let product = terms.binary(Op::Mul, x, three);
        let twenty_one = terms.constant(32, 21);
        let applied = terms.function("f", 8, &[product]);
        let number = terms.constant(8, 200);
        let (first, second) = (terms.eq(product, twenty_one), terms.eq(applied, number));
        let both = terms.and(first, second);
        let Answer::Holds(model) = solver.ask(&terms, both, false) else {
            panic!("3 x is 21 for x = 7");
        };
        assert_eq!(Evaluator::new(&terms, &model).value(both), 1);
        assert_eq!(model.vars[&0], 7);
        let four = terms.constant(32, 4);
        let even = terms.binary(Op::Mul, x, four);
        let odd = terms.eq(even, twenty_one);
        assert!(matches!(solver.ask(&terms, odd, false), Answer::Never));
    }
}
