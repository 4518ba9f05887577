//! Proofs that a function after a pass refines the one before.
//!
//! Method: from the entry on, all paths of both functions to their next events are paired. For each pair that can
//! happen together, the events must be the same and agree, and the function after the pass must not have met undefined
//! behavior that the one before had not met. Then both get the same answer, and the pair goes on. Conditions of one
//! pair are one question to the solver. Undefined behavior counts from where it is met: an event before it is seen.

use crate::floats;
use crate::solver::{Answer, Solver};
use crate::symbolic::memory::{Memories, Objects, Origin};
use crate::symbolic::{
    CHOICES, Choice, Event, Executor, Lane, Outcome, Side, State, Stop, Unsupported, Value, are_alike,
};
use crate::terms::evaluate::{Evaluator, Model};
use crate::terms::text::Writer;
use crate::terms::{Node, Op, Role, Term, Terms};
use frazil_ir::{Block, Function, Module};
use frazil_support::{EntityRef, FxHashMap};
use std::time::{Duration, Instant};

/// What is tried.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How often a block is entered on a path.
    pub most_visits: u8,
    /// The parameter that is undefined, if one is.
    pub undefined_parameter: Option<usize>,
    /// Pairs of paths to look at.
    pub most_pairs: usize,
    /// The time for a proof.
    pub time_limit: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            most_visits: 2,
            undefined_parameter: None,
            most_pairs: 400,
            time_limit: Duration::from_secs(5),
        }
    }
}

/// How a proof ended.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The function after the pass refines the one before.
    Proved,
    /// The same, but for loops that go on longer than they were followed.
    Bounded,
    /// It does not.
    Refuted(Box<Counterexample>),
    /// Not known, and why.
    Unproved(String),
}

/// Inputs for which a function after a pass does something else.
#[derive(Clone, Debug)]
pub struct Counterexample {
    pub what: String,
    /// The parameters, lane by lane; `None` for poison.
    pub parameters: Vec<Vec<Option<u128>>>,
    /// What the events on the way answered, lane by lane.
    pub answers: Vec<Vec<Vec<Option<u128>>>>,
    /// Bytes that memory had at first, by address.
    pub memory: Vec<(u64, u8)>,
}

/// Parts of an undefined value that are examined one by one, at most.
const MOST_PARTS: u32 = 200;

/// Why a pair of paths is not in order.
enum Failure {
    Refuted(Box<Counterexample>),
    Open(String),
}

impl From<Unsupported> for Failure {
    fn from(Unsupported(what): Unsupported) -> Failure {
        Failure::Open(what)
    }
}

/// Whether `after` refines `before`, both functions of `module` with their graphs.
pub fn prove(module: &Module, before: &Function, after: &Function, solver: &mut Solver, options: &Options) -> Verdict {
    if module.data_layout.pointer_bits > 64 {
        return Verdict::Unproved("wide pointers".to_owned());
    }
    let end = Instant::now() + options.time_limit;
    let mut last = String::new();
    for choice in CHOICES {
        let mut terms = Terms::default();
        let (objects, slots) = match Objects::new(&mut terms, module, before, after) {
            Ok(found) => found,
            Err(Unsupported(what)) => return Verdict::Unproved(what),
        };
        let mut prover = Prover {
            memories: Memories::new(module.data_layout.pointer_bits),
            terms,
            solver,
            module,
            functions: [before, after],
            objects: &objects,
            slots: &slots,
            options,
            choice,
            end,
            chose: false,
            bounded: false,
            pairs: 0,
            parts_left: 0,
            chosen: FxHashMap::default(),
            parameters: Vec::new(),
            answers: Vec::new(),
        };
        match prover.whole() {
            Ok(()) if prover.bounded => return Verdict::Bounded,
            Ok(()) => return Verdict::Proved,
            Err(Failure::Refuted(found)) if objects.is_unmatched => {
                return Verdict::Unproved(format!("slots that cannot be matched: {}", found.what));
            }
            Err(Failure::Refuted(found)) if !prover.chose => return Verdict::Refuted(found),
            Err(Failure::Refuted(found)) => last = format!("free choices: {}", found.what),
            Err(Failure::Open(what)) => return Verdict::Unproved(what),
        }
    }
    Verdict::Unproved(last)
}

struct Prover<'a> {
    terms: Terms,
    memories: Memories,
    solver: &'a mut Solver,
    module: &'a Module,
    functions: [&'a Function; 2],
    objects: &'a Objects,
    slots: &'a [Vec<u32>; 2],
    options: &'a Options,
    choice: Choice,
    end: Instant,
    /// Whether the function before was free in something.
    chose: bool,
    bounded: bool,
    pairs: usize,
    /// Parts that an undefined value may still be divided into.
    parts_left: u32,
    /// Terms with numbers for their undefined bits.
    chosen: FxHashMap<Term, Term>,
    parameters: Vec<Value>,
    /// What the events of the path answered.
    answers: Vec<Vec<Value>>,
}

/// One thing that must hold of a pair of paths.
struct Goal {
    what: String,
    holds: Term,
}

impl Prover<'_> {
    fn side(&self, index: usize) -> Side<'_> {
        Side {
            module: self.module,
            function: self.functions[index],
            is_before: index == 0,
            objects: self.objects,
            slots: &self.slots[index],
        }
    }

    fn executor(&mut self, index: usize) -> Executor<'_, '_> {
        let side = Side {
            module: self.module,
            function: self.functions[index],
            is_before: index == 0,
            objects: self.objects,
            slots: &self.slots[index],
        };
        Executor {
            terms: &mut self.terms,
            memories: &mut self.memories,
            side,
            choice: self.choice,
            most_visits: self.options.most_visits,
            end: self.end,
            renames: index == 1 || self.options.undefined_parameter.is_some(),
            chose: false,
        }
    }

    fn whole(&mut self) -> Result<(), Failure> {
        let states = [self.start(0)?, self.start(1)?];
        let [before, after] = states;
        self.explore(before, after)
    }

    /// The state at a function's entry.
    fn start(&mut self, index: usize) -> Outcome<State> {
        let function = self.functions[index];
        let pointer_bits = self.module.data_layout.pointer_bits;
        let mut values: Vec<Option<Value>> = vec![None; function.values().len()];
        if index == 0 {
            for (number, param) in function.signature().params.iter().enumerate() {
                let shape = crate::symbolic::shape_of(function.types(), param.ty, pointer_bits)?;
                let mut value = Value::new();
                for lane in 0..shape.lanes {
                    if self.options.undefined_parameter == Some(number) {
                        let bits = self.terms.fresh("undef", shape.bits, Role::Undef);
                        value.push(Lane::defined(&mut self.terms, bits));
                        continue;
                    }
                    let name = format!("parameter {number} lane {lane}");
                    value.push(Lane {
                        bits: self.terms.fresh(&name, shape.bits, Role::Given),
                        poison: self.terms.fresh(&format!("{name} is poison"), 1, Role::Given),
                    });
                }
                self.parameters.push(value);
            }
        }
        for (number, value) in self.parameters.iter().enumerate() {
            values[number] = Some(value.clone());
        }
        for (slot, data) in function.slots().iter().enumerate() {
            let object = &self.objects.all[self.slots[index][slot] as usize];
            let address = object.address;
            values[data.address.index()] = Some(vec![Lane::defined(&mut self.terms, address)]);
        }
        debug_assert!(self.side(index).slots.len() == function.slots().len());
        Ok(State {
            block: Block::new(0),
            position: function.blocks()[0].start as usize,
            values,
            memory: self.memories.start(),
            escaped: 0,
            stored: 0,
            path: Vec::new(),
            undefined: Vec::new(),
            visits: vec![0; function.blocks().len()],
            picks: 0,
            decisions: 0,
            epoch: 0,
            steps: 3000,
        })
    }

    fn run(&mut self, index: usize, state: State) -> Outcome<Vec<(State, Stop)>> {
        let mut executor = self.executor(index);
        let paths = executor.run(state);
        let chose = executor.chose;
        self.chose |= chose;
        paths
    }

    /// All pairs of paths from here on.
    fn explore(&mut self, before: State, after: State) -> Result<(), Failure> {
        let (left, right) = (self.run(0, before)?, self.run(1, after)?);
        for (before, before_stop) in &left {
            for (after, after_stop) in &right {
                let is_opposite = |terms: &mut Terms, condition: Term| {
                    let opposite = terms.not(condition);
                    before.path.contains(&opposite)
                };
                if after
                    .path
                    .iter()
                    .any(|&condition| is_opposite(&mut self.terms, condition))
                {
                    continue;
                }
                self.pairs += 1;
                if self.pairs > self.options.most_pairs {
                    return Err(Failure::Open("many pairs of paths".to_owned()));
                }
                self.pair(before, before_stop, after, after_stop)?;
            }
        }
        Ok(())
    }

    fn pair(&mut self, before: &State, before_stop: &Stop, after: &State, after_stop: &Stop) -> Result<(), Failure> {
        let mut next = None;
        let goals = self.goals(before, before_stop, after, after_stop, true, &mut next);
        let Some((goals, is_stronger)) = goals else {
            return Ok(());
        };
        let mut outcome = self.check(before, after, goals);
        if is_stronger && outcome.is_err() {
            // Memory may agree although writes differ.
            let goals = self.goals(before, before_stop, after, after_stop, false, &mut next);
            outcome = goals.map_or(Ok(()), |(goals, _)| self.check(before, after, goals));
        }
        outcome?;
        match next {
            Some((event, other)) => self.go_on(before, event, after, other),
            None => Ok(()),
        }
    }

    /// What must hold of a pair of paths, nothing if it need not be examined, and the events that it goes on from.
    /// With `by_writes`, memory may be compared write by write, which is easier and asks for more; whether it is.
    fn goals<'s>(
        &mut self,
        before: &State,
        before_stop: &'s Stop,
        after: &State,
        after_stop: &'s Stop,
        by_writes: bool,
        next: &mut Option<(&'s Event, &'s Event)>,
    ) -> Option<(Vec<Goal>, bool)> {
        let mut is_stronger = false;
        let mut goals = Vec::new();
        let no = self.terms.bool(false);
        let never = |what: &str| Goal {
            what: what.to_owned(),
            holds: no,
        };
        match (before_stop, after_stop) {
            (Stop::Undefined, _) => return None,
            (Stop::Bound, _) | (_, Stop::Bound) => {
                self.bounded = true;
                return None;
            }
            (_, Stop::Undefined) => goals.push(never("undefined behavior after the pass")),
            (Stop::Return(values), Stop::Return(others)) => {
                for (number, (value, other)) in values.iter().zip(others).enumerate() {
                    self.values_agree(&format!("result {number}"), value, other, &mut goals);
                }
                is_stronger = self.memory_agrees(before, after, 0, by_writes, &mut goals);
            }
            (Stop::Event(event), Stop::Event(other)) if event.key == other.key => {
                for (number, (value, other)) in event.operands.iter().zip(&other.operands).enumerate() {
                    let what = format!("operand {number} of {}", first_word(&event.key));
                    self.values_agree(&what, value, other, &mut goals);
                }
                if event.touches_memory {
                    let escaped = before.escaped | after.escaped;
                    is_stronger = self.memory_agrees(before, after, escaped, by_writes, &mut goals);
                }
                if !event.ends {
                    *next = Some((event, other));
                }
            }
            (Stop::Event(event), Stop::Event(other)) => {
                goals.push(never(&format!(
                    "{} instead of {}",
                    first_word(&other.key),
                    first_word(&event.key)
                )));
            }
            (Stop::Event(event), Stop::Return(_)) => {
                goals.push(never(&format!("no {} after the pass", first_word(&event.key))));
            }
            (Stop::Return(_), Stop::Event(event)) => {
                goals.push(never(&format!("{} only after the pass", first_word(&event.key))));
            }
        }
        // What the function before has met, too, is allowed.
        let only_after: Vec<Term> = after
            .undefined
            .iter()
            .copied()
            .filter(|condition| !before.undefined.contains(condition))
            .collect();
        let met = self.terms.any(&only_after);
        goals.push(Goal {
            what: "undefined behavior after the pass".to_owned(),
            holds: self.terms.not(met),
        });
        Some((goals, is_stronger))
    }

    /// Both functions go on after an event, with the same answer.
    fn go_on(&mut self, before: &State, event: &Event, after: &State, other: &Event) -> Result<(), Failure> {
        let (mut before, mut after) = (before.clone(), after.clone());
        let number = self.answers.len() as u32 + 1;
        let mut answers = Vec::new();
        for widths in &event.results {
            let mut value = Value::new();
            for &width in widths {
                value.push(Lane {
                    bits: self.terms.fresh("answer", width, Role::Given),
                    poison: self.terms.fresh("answer is poison", 1, Role::Given),
                });
            }
            answers.push(value);
        }
        for (state, event) in [(&mut before, event), (&mut after, other)] {
            if event.touches_memory {
                state.memory = self.memories.unknown(state.memory, number, state.escaped);
                state.epoch = number;
            }
            for (index, value) in answers.iter().enumerate() {
                state.values[event.first_result + index] = Some(value.clone());
            }
        }
        // Proved up to here.
        after.undefined.clear();
        self.answers.push(answers);
        let outcome = match (event.targets, other.targets) {
            (Some(targets), Some(others)) => self
                .go_to(&before, targets.0, &after, others.0)
                .and_then(|()| self.go_to(&before, targets.1, &after, others.1)),
            _ => {
                before.position += 1;
                after.position += 1;
                self.explore(before, after)
            }
        };
        self.answers.pop();
        outcome
    }

    fn go_to(&mut self, before: &State, target: Block, after: &State, other: Block) -> Result<(), Failure> {
        let (mut before, mut after) = (before.clone(), after.clone());
        let first = self.executor(0).enter(&mut before, target)?;
        let second = self.executor(1).enter(&mut after, other)?;
        if !first || !second {
            self.bounded = true;
            return Ok(());
        }
        self.explore(before, after)
    }

    fn values_agree(&mut self, what: &str, value: &Value, other: &Value, goals: &mut Vec<Goal>) {
        if value.len() != other.len() {
            let holds = self.terms.bool(false);
            goals.push(Goal {
                what: format!("{what} has another type"),
                holds,
            });
            return;
        }
        for (&before, &after) in value.iter().zip(other) {
            let holds = self.refines(before, after);
            goals.push(Goal {
                what: what.to_owned(),
                holds,
            });
        }
    }

    /// Bytes anywhere must agree, but those of slots that are not among `escaped`. Whether what is asked for is more.
    fn memory_agrees(
        &mut self,
        before: &State,
        after: &State,
        escaped: u64,
        by_writes: bool,
        goals: &mut Vec<Goal>,
    ) -> bool {
        let differences = (self.memories).differences(self.objects, before.memory, after.memory, escaped);
        let mut add = |prover: &mut Self, old: Lane, new: Lane| {
            let holds = prover.refines(old, new);
            goals.push(Goal {
                what: "memory".to_owned(),
                holds,
            });
        };
        if let Some(differences) = differences
            && (by_writes || differences.is_empty())
        {
            differences.iter().for_each(|&(old, new)| add(self, old, new));
            return !differences.is_empty();
        }
        let bits = self.module.data_layout.pointer_bits;
        let place = (self.terms.named("any address", bits, Role::Given), Origin::Elsewhere);
        let [old, new] = [before, after].map(|state| {
            self.memories
                .read(&mut self.terms, self.objects, state.memory, place, escaped)
        });
        add(self, old, new);
        false
    }

    /// Whether a lane after the pass may take the place of one before.
    fn refines(&mut self, before: Lane, after: Lane) -> Term {
        let mut seen = Vec::new();
        self.parts_left = MOST_PARTS;
        let bits = self.refines_bits(before.bits, after.bits, &mut seen);
        let defined = self.terms.not(after.poison);
        let both = self.terms.and(defined, bits);
        let poison = self.with_choice(before.poison);
        let holds = self.terms.or(poison, both);
        match self.chosen_alike(before, after) {
            Some(other) => self.terms.or(holds, other),
            None => holds,
        }
    }

    /// The same if the undefined bits before the pass are chosen as those after it: one after the other, or all as one.
    fn chosen_alike(&mut self, before: Lane, after: Lane) -> Option<Term> {
        if !self.terms.has_undef(before.bits) {
            return None;
        }
        let own = self.terms.vars_of(before.bits, &[Role::Undef]);
        let others = self.terms.vars_of(after.bits, &[Role::Undef, Role::Picked]);
        let chosen: FxHashMap<Term, Term> = match &others[..] {
            _ if own.len() == others.len() => own.iter().copied().zip(others).collect(),
            [one] => own.iter().map(|&var| (var, *one)).collect(),
            _ => return None,
        };
        if chosen
            .iter()
            .any(|(&var, &other)| self.terms.width(var) != self.terms.width(other))
        {
            return None;
        }
        self.chose = true;
        let mut choose = |_: &mut Terms, var: Term| chosen.get(&var).copied().unwrap_or(var);
        let bits = self.terms.with_other_undefs(before.bits, &mut choose);
        let poison = self.terms.with_other_undefs(before.poison, &mut choose);
        let poison = self.with_choice(poison);
        let (defined, equal) = (self.terms.not(after.poison), self.terms.eq(bits, after.bits));
        let both = self.terms.and(defined, equal);
        Some(self.terms.or(poison, both))
    }

    fn with_choice(&mut self, term: Term) -> Term {
        if !self.terms.has_undef(term) {
            return term;
        }
        self.chose = true;
        let ones = self.choice == Choice::Ones;
        self.terms.rewrite(term, &mut self.chosen, &mut |terms, var| {
            let width = terms.width(var);
            terms.constant(width, if ones { u128::MAX } else { 0 })
        })
    }

    /// Whether undefined bits before the pass can be what is there after it.
    fn refines_bits(&mut self, before: Term, after: Term, seen: &mut Vec<Term>) -> Term {
        if !self.terms.has_undef(before) {
            let equal = self.terms.eq(before, after);
            return match floats::freedom(&self.terms, before) {
                Some((ty, zeros)) => {
                    let alike = are_alike(&mut self.terms, ty, zeros, before, after);
                    self.terms.or(equal, alike)
                }
                None => equal,
            };
        }
        let may_divide = self.parts_left > 0;
        self.parts_left = self.parts_left.saturating_sub(1);
        match self.terms.node(before) {
            Node::Var(_) if !seen.contains(&before) => {
                seen.push(before);
                self.terms.bool(true)
            }
            Node::Apply(Op::Concat, [high, low, _]) if may_divide => {
                let (split, width) = (self.terms.width(low), self.terms.width(before));
                let upper = self.terms.extract(after, split, width - split);
                let lower = self.terms.extract(after, 0, split);
                let (upper, lower) = (
                    self.refines_bits(high, upper, seen),
                    self.refines_bits(low, lower, seen),
                );
                self.terms.and(upper, lower)
            }
            Node::Apply(Op::Ite, [condition, yes, no]) if may_divide && !self.terms.has_undef(condition) => {
                let mut other = seen.clone();
                let (yes, no) = (
                    self.refines_bits(yes, after, seen),
                    self.refines_bits(no, after, &mut other),
                );
                seen.extend(other);
                self.terms.ite(condition, yes, no)
            }
            _ => {
                let before = self.with_choice(before);
                self.terms.eq(before, after)
            }
        }
    }

    /// Asks whether all goals hold on a pair of paths.
    fn check(&mut self, before: &State, after: &State, goals: Vec<Goal>) -> Result<(), Failure> {
        let holds: Vec<Term> = goals.iter().map(|goal| goal.holds).collect();
        let all = self.terms.all(&holds);
        if self.terms.is_true(all) {
            return Ok(());
        }
        if Instant::now() > self.end {
            return Err(Failure::Open("out of time".to_owned()));
        }
        let mut condition = self.terms.not(all);
        let mut both = before.path.clone();
        both.extend(&after.path);
        both.extend(&self.objects.axioms);
        for &undefined in &before.undefined {
            let undefined = self.with_choice(undefined);
            both.push(self.terms.not(undefined));
        }
        both.sort_unstable();
        both.dedup();
        for term in both {
            let term = if self.terms.has_undef(term) {
                self.with_choice(term)
            } else {
                term
            };
            condition = self.terms.and(condition, term);
        }
        match self.solver.ask(&self.terms, condition, false) {
            Answer::Never => Ok(()),
            Answer::Unknown(reason) => Err(Failure::Open(reason)),
            Answer::Holds(model) => self.look_closer(condition, &goals, &model),
        }
    }

    /// With what is known of floating point, where that matters.
    fn look_closer(&mut self, condition: Term, goals: &[Goal], model: &Model) -> Result<(), Failure> {
        let mut writer = Writer::default();
        writer.define(&self.terms, condition);
        let floats: Vec<Term> = (writer.applications.iter().copied())
            .filter(|&term| floats::is_operation(&self.terms, term))
            .collect();
        if floats.is_empty() {
            return Err(Failure::Refuted(self.counterexample(goals, model)));
        }
        let is_known = floats.iter().all(|&term| floats::is_known(&self.terms, term));
        match self.solver.ask(&self.terms, condition, true) {
            Answer::Never => Ok(()),
            Answer::Unknown(reason) => Err(Failure::Open(format!("floating point: {reason}"))),
            Answer::Holds(model) if is_known => Err(Failure::Refuted(self.counterexample(goals, &model))),
            Answer::Holds(_) => Err(Failure::Open("floating point".to_owned())),
        }
    }

    fn counterexample(&self, goals: &[Goal], model: &Model) -> Box<Counterexample> {
        let mut evaluator = Evaluator::new(&self.terms, model);
        let failed: Vec<&str> = goals
            .iter()
            .filter(|goal| evaluator.value(goal.holds) == 0)
            .map(|goal| goal.what.as_str())
            .collect();
        let mut lanes = |value: &Value| -> Vec<Option<u128>> {
            value
                .iter()
                .map(|lane| (evaluator.value(lane.poison) == 0).then(|| evaluator.value(lane.bits)))
                .collect()
        };
        let parameters = self.parameters.iter().map(&mut lanes).collect();
        let answers = self
            .answers
            .iter()
            .map(|values| values.iter().map(&mut lanes).collect())
            .collect();
        let mut memory: Vec<(u64, u8)> = model
            .functions
            .iter()
            .filter(|((number, _), _)| self.terms.functions[*number as usize].name == "memory")
            .map(|((_, arguments), &value)| (arguments[0] as u64, value as u8))
            .collect();
        memory.sort_unstable();
        Box::new(Counterexample {
            what: failed.join(", "),
            parameters,
            answers,
            memory,
        })
    }
}

fn first_word(key: &str) -> &str {
    key.split(' ').next().unwrap_or_default()
}
