//! Several workers at once, whose functions are appended in the order of the module.
//!
//! Method: the functions are cut into chunks of a few kilobytes of bitcode. Threads take one chunk after the other,
//! each with a worker of its own, and leave what became of it on a board; this thread takes the chunks from there in
//! the order of the module and gives them to the sink. So the output does not depend on how many threads there are, and
//! neither does which errors are reported. Functions that are large beside the rest are begun first, so that none of
//! them keeps the others waiting at the end.
//!
//! Invariants: nobody runs further ahead than a window of chunks, but for the large ones, so that what waits is
//! bounded; the lock of the board is held to take a chunk or to leave one, and never while something is compiled. The
//! buffers of code go back to the workers once they are appended.
//!
//! What is told to a listener is told in the order of the module: with one, or with a clock, all is done in one thread.

use super::sink::{Appended, Flow, Sink};
use super::source::Opened;
use super::worker::{Definition, Failure, Worker};
use crate::diagnostics::{Error, Stage};
use crate::entries::is_defined;
use crate::options::{LEAST_SHARED_BYTES, Options};
use crate::timing::Report;
use frazil_codegen::CompiledFunction;
use frazil_ir::{EntityRef, FuncId};
use frazil_passes::observe::Deaf;
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder, Scope, ScopedJoinHandle};

/// A chunk ends with the function that makes it as large as this.
const CHUNK_BYTES: u64 = 8 << 10;
/// And with so many functions.
const CHUNK_FUNCTIONS: usize = 64;
/// How many chunks each thread may be ahead of what is appended.
const WINDOW_PER_THREAD: usize = 4;
/// A chunk is large if so many of its size for each thread would be all of the module.
const LARGE_PARTS_PER_THREAD: u64 = 8;
/// How large the stacks of threads are: as those of main threads on Linux.
pub(crate) const STACK_BYTES: usize = 8 << 20;

/// How the work on a module is shared out.
#[derive(Debug)]
pub(super) struct Plan {
    /// The functions of each chunk, by number in the module.
    chunks: Vec<Range<usize>>,
    /// The chunks in the order in which they are begun: the large ones first.
    order: Vec<usize>,
    large: usize,
    threads: usize,
}

impl Plan {
    /// The plan for a module, if several threads are asked for and it is worth their while.
    pub fn new(opened: &Opened<'_>, options: &Options) -> Option<Plan> {
        let is_told = !options.observe.is_quiet() || options.measure;
        // One thread that compiles and one that writes take 12 % more time than one that does both: what is compiled
        // goes from processor to processor.
        if options.threads < 2 || is_told {
            return None;
        }
        let module = opened.module();
        let bytes = |number: usize| match is_defined(module, FuncId::new(number)) {
            true => opened.body_bytes(FuncId::new(number)),
            false => 0,
        };
        Plan::of_sizes(module.functions.len(), bytes, options.threads as usize)
    }

    /// The plan for so many functions of such sizes.
    fn of_sizes(functions: usize, bytes: impl Fn(usize) -> u64, threads: usize) -> Option<Plan> {
        let total: u64 = (0..functions).map(&bytes).sum();
        if total < LEAST_SHARED_BYTES {
            return None;
        }
        let (mut chunks, mut sizes) = (Vec::new(), Vec::new());
        let (mut start, mut size) = (0, 0);
        for number in 0..functions {
            size += bytes(number);
            let next = number + 1;
            if size >= CHUNK_BYTES || next - start == CHUNK_FUNCTIONS || next == functions {
                chunks.push(start..next);
                sizes.push(size);
                (start, size) = (next, 0);
            }
        }
        let threads = threads.min(chunks.len());
        let large_bytes = (total / (LARGE_PARTS_PER_THREAD * threads as u64)).max(2 * CHUNK_BYTES);
        let (mut order, rest): (Vec<usize>, Vec<usize>) =
            (0..chunks.len()).partition(|&chunk| sizes[chunk] >= large_bytes);
        order.sort_by_key(|&chunk| Reverse(sizes[chunk]));
        let large = order.len();
        order.extend(rest);
        Some(Plan {
            chunks,
            order,
            large,
            threads,
        })
    }

    /// How many chunks there are.
    fn len(&self) -> usize {
        self.chunks.len()
    }
}

/// Compiles all functions into a sink by the threads of a plan; `worker` compiles nothing, but stands for them.
///
/// # Errors
/// When a thread has ended for no reason that a function gives.
pub(super) fn compile_all<S: Sink>(
    plan: &Plan,
    worker: &mut Worker<'_>,
    sink: &mut S,
    appended: &mut Appended,
) -> Result<(), Error> {
    let board = Board::new(plan);
    let outcome = thread::scope(|scope| {
        let (threads, outcome) = match board.start(scope, worker) {
            Ok(threads) => (threads, board.append_all(worker, sink, appended)),
            Err(error) => (Vec::new(), Err(error)),
        };
        // Nothing is wanted any more.
        board.end_at(0);
        for thread in threads {
            if let Ok(report) = thread.join() {
                worker.report.add(&report);
            }
        }
        outcome
    });
    if worker.options().ends_process {
        std::mem::forget(board);
    }
    outcome
}

/// What became of a function.
struct Done {
    number: usize,
    id: FuncId,
    outcome: Result<CompiledFunction, Failure>,
}

/// Where threads take chunks from and leave them.
struct Board<'p> {
    plan: &'p Plan,
    state: Mutex<State>,
    /// Something can be begun, or nothing will be any more.
    work: Condvar,
    /// Something was left.
    done: Condvar,
}

struct State {
    /// How many of the plan's order have been begun.
    begun: usize,
    /// How many chunks have been taken to be appended.
    appended: usize,
    results: Vec<Option<Vec<Done>>>,
    /// Buffers to use again.
    free: Vec<CompiledFunction>,
    /// Chunks from this one on are not wanted any more.
    end: usize,
    /// Whether a thread has ended without leaving what it had begun.
    is_broken: bool,
}

impl<'p> Board<'p> {
    fn new(plan: &'p Plan) -> Board<'p> {
        Board {
            plan,
            state: Mutex::new(State {
                begun: 0,
                appended: 0,
                results: plan.chunks.iter().map(|_| None).collect(),
                free: Vec::new(),
                end: plan.len(),
                is_broken: false,
            }),
            work: Condvar::new(),
            done: Condvar::new(),
        }
    }

    /// Starts the plan's threads; fewer where the system gives no more.
    fn start<'s, 'e, 'w: 's>(
        &'s self,
        scope: &'s Scope<'s, 'e>,
        first: &Worker<'w>,
    ) -> Result<Vec<ScopedJoinHandle<'s, Report>>, Error> {
        let mut threads = Vec::new();
        while threads.len() < self.plan.threads {
            let worker = first.another()?;
            let builder = Builder::new().stack_size(STACK_BYTES);
            match builder.spawn_scoped(scope, move || self.work(worker)) {
                Ok(thread) => threads.push(thread),
                Err(error) if threads.is_empty() => {
                    let message = format!("no thread could be started ({error}); --threads 0 does without");
                    return Err(Error::new(Stage::Options, message));
                }
                Err(_) => break,
            }
        }
        Ok(threads)
    }

    /// Gives what the threads have compiled to the sink, in the order of the module.
    fn append_all<S: Sink>(&self, worker: &mut Worker<'_>, sink: &mut S, appended: &mut Appended) -> Result<(), Error> {
        let mut free = Vec::new();
        for chunk in 0..self.plan.len() {
            let Some(all) = self.take(chunk, &mut free) else {
                return Err(Error::new(
                    Stage::Internal,
                    "a thread has ended before its work was done",
                ));
            };
            for Done { number, id, outcome } in all {
                let definition = Definition::new(worker.module(), number, id);
                let outcome = outcome.and_then(|mut code| {
                    worker.stage = Stage::Write;
                    let added = worker.guarded(&definition.name, |_| match appended.has_failed() {
                        true => Ok(Flow::Continue),
                        false => Ok(sink.add(&definition, &mut code)?),
                    });
                    free.push(code);
                    added
                });
                if appended.note(outcome).is_break() {
                    return Ok(());
                }
                worker.give_back(id);
            }
        }
        Ok(())
    }

    /// What became of a chunk, once that is known; nothing if that will never be. Buffers that are free go back.
    fn take(&self, chunk: usize, free: &mut Vec<CompiledFunction>) -> Option<Vec<Done>> {
        let mut state = self.lock();
        state.free.append(free);
        loop {
            if let Some(done) = state.results[chunk].take() {
                state.appended = chunk + 1;
                drop(state);
                self.work.notify_all();
                return Some(done);
            }
            if state.is_broken {
                return None;
            }
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Says that chunks from this one on are not wanted any more.
    fn end_at(&self, chunk: usize) {
        let mut state = self.lock();
        state.end = state.end.min(chunk);
        drop(state);
        self.work.notify_all();
    }

    /// Compiles one chunk after the other.
    fn work(&self, mut worker: Worker<'_>) -> Report {
        let broken = OnPanic(self);
        let mut buffers = Vec::new();
        let mut lost = Report::default();
        while let Some(chunk) = self.begin(&mut buffers) {
            let mut all = Vec::new();
            for number in self.plan.chunks[chunk].clone() {
                let id = FuncId::new(number);
                let Some(definition) = Definition::find(worker.module(), number, id) else {
                    continue;
                };
                worker.code = buffers.pop().unwrap_or_else(|| worker.new_code());
                let compiled = worker.guarded(&definition.name, |worker| worker.make_code(&definition, &mut Deaf));
                let is_panic = compiled.as_ref().is_err_and(|failure| failure.is_panic);
                let outcome = compiled.map(|()| std::mem::take(&mut worker.code));
                all.push(Done { number, id, outcome });
                if is_panic {
                    // Nothing is known of its state.
                    let new = worker.another().expect("the first was made in the same way");
                    lost.add(&std::mem::replace(&mut worker, new).report);
                    self.end_at(chunk + 1);
                    break;
                }
            }
            self.leave(chunk, all);
        }
        std::mem::forget(broken);
        let mut report = worker.into_report();
        report.add(&lost);
        report
    }

    /// The next chunk to be compiled, and buffers for it; nothing if there is none.
    fn begin(&self, buffers: &mut Vec<CompiledFunction>) -> Option<usize> {
        let mut state = self.lock();
        let window = WINDOW_PER_THREAD * self.plan.threads;
        loop {
            let chunk = *self.plan.order.get(state.begun)?;
            let is_large = state.begun < self.plan.large;
            if state.is_broken || chunk >= state.end && !is_large {
                return None;
            }
            if chunk >= state.end {
                state.begun += 1;
                continue;
            }
            if is_large || chunk < state.appended + window {
                state.begun += 1;
                let wanted = self.plan.chunks[chunk].len();
                let kept = state.free.len().saturating_sub(wanted.saturating_sub(buffers.len()));
                buffers.extend(state.free.drain(kept..));
                return Some(chunk);
            }
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn leave(&self, chunk: usize, all: Vec<Done>) {
        let mut state = self.lock();
        state.results[chunk] = Some(all);
        drop(state);
        self.done.notify_all();
    }

    /// Nobody panics while holding the lock.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells everybody if its thread ends by a panic that no function is to blame for.
struct OnPanic<'b>(&'b Board<'b>);

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        debug_assert!(thread::panicking(), "it is forgotten otherwise");
        self.0.lock().is_broken = true;
        self.0.work.notify_all();
        self.0.done.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_is_in_one_chunk_and_large_ones_are_begun_first() {
        let bytes = |number: usize| match number {
            500 => 90_000,
            900 => 200_000,
            _ => 300,
        };
        let plan = Plan::of_sizes(1000, bytes, 2).expect("it is large enough");
        let all: Vec<usize> = plan.chunks.iter().cloned().flatten().collect();
        assert!(all.into_iter().eq(0..1000));
        assert_eq!(plan.large, 2);
        let first: Vec<bool> = [900, 500]
            .iter()
            .zip(&plan.order)
            .map(|(number, &chunk)| plan.chunks[chunk].contains(number))
            .collect();
        assert_eq!(first, [true, true]);
        assert!(plan.order[2..].is_sorted());
        let mut begun = plan.order.clone();
        begun.sort_unstable();
        assert!(begun.into_iter().eq(0..plan.len()));
    }

    #[test]
    fn small_modules_have_no_plan_and_few_chunks_few_threads() {
        assert!(Plan::of_sizes(10, |_| 6000, 8).is_none());
        let plan = Plan::of_sizes(3, |_| 30_000, 8).expect("it is large enough");
        assert_eq!((plan.len(), plan.threads), (3, 3));
    }
}
