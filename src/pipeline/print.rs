//! Text of the intermediate representation, as it is after the passes of the recipe.

use super::source::Opened;
use super::worker::{Compiled, Definition, Worker, definitions, run_passes, runner};
use super::{Job, choose_target};
use crate::diagnostics::{Error, Stage, in_function};
use crate::timing::{Clock, Report};
use frazil_ir::{Function, text};
use frazil_passes::target_facts;
use std::io::Write;

impl Job<'_> {
    /// Prints the module as text, with the functions that are available elsewhere.
    pub(super) fn print(&mut self, opened: &Opened<'_>, out: &mut dyn Write) -> Result<Report, Error> {
        let module = opened.module();
        let mut text = String::new();
        let unprintable = |_| Error::new(Stage::Write, "the module cannot be printed");
        text::print_module_head(module, &mut text).map_err(unprintable)?;
        let mut report = self.for_each_function(opened, |_, function| {
            text::print_function(module, function, &mut text).map_err(unprintable)
        })?;
        let mut clock = Clock::start(self.options.measure);
        out.write_all(text.as_bytes()).map_err(|error| Error::output(&error))?;
        clock.lap(&mut report.times.write);
        Ok(report)
    }

    /// Reads all functions, those that are available elsewhere, too, and runs the passes of the recipe over each before
    /// it is handed over.
    pub(super) fn for_each_function(
        &mut self,
        opened: &Opened<'_>,
        mut take: impl FnMut(&Definition<'_>, &Function) -> Result<(), Error>,
    ) -> Result<Report, Error> {
        let (options, module) = (self.options, opened.module());
        let mut report = Report::default();
        let mut clock = Clock::start(options.measure);
        let mut reader = opened.reader();
        let observe = &options.observe;
        let is_watched = observe.prints() || observe.start_before.is_some() || observe.stop_after.is_some();
        let mut runner = match options.recipe.steps.is_empty() && !is_watched {
            // Then the target does not matter.
            true => None,
            false => {
                let target = choose_target(options, module, self.targets)?;
                Some(runner(options, module, target_facts(target.desc()))?)
            }
        };
        let mut function = Function::new();
        for (number, id) in module.functions.keys().enumerate() {
            let definition = Definition::new(module, number, id);
            let named = |error| Error::from(in_function(error, &definition.name));
            reader.read(id, &mut function).map_err(named)?;
            clock.lap(&mut report.times.read);
            report.count(&function);
            if let Some(runner) = &mut runner {
                run_passes(runner, definition.subject(), &mut function, self.listener).map_err(named)?;
                clock.lap(&mut report.times.optimize);
            }
            take(&definition, &function)?;
            clock.lap(&mut report.times.write);
        }
        if let Some(runner) = &runner {
            report.add_passes(runner);
        }
        Ok(report)
    }

    /// Prints machine code as it is after the pass over it that is to be the last.
    pub(super) fn print_machine(&mut self, opened: &Opened<'_>, out: &mut dyn Write) -> Result<Report, Error> {
        let (options, module) = (self.options, opened.module());
        let target = choose_target(options, module, self.targets)?;
        let mut worker = Worker::new(opened, options, &*target, false)?;
        let (mut text, mut failures) = (String::new(), Vec::new());
        for definition in definitions(module) {
            let outcome = worker.guarded(&definition.name, |worker| worker.compile(&definition, self.listener));
            match outcome {
                Ok(Compiled::Stopped) => {
                    text.push_str(&format!("; @{}\n{}\n", definition.name, worker.stopped()));
                }
                Ok(Compiled::Code) => {
                    let message = "machine code is written as text only after a pass over it that is the last";
                    return Err(Error::new(Stage::Options, message));
                }
                Err(failure) => {
                    failures.extend(failure.diagnostics);
                    if failure.is_panic {
                        break;
                    }
                }
            }
        }
        if !failures.is_empty() {
            return Err(failures.into());
        }
        out.write_all(text.as_bytes()).map_err(|error| Error::output(&error))?;
        worker.clock.lap(&mut worker.report.times.write);
        Ok(worker.into_report())
    }
}
