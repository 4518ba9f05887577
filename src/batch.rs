//! The files of one command line, compiled one after the other, or several at once where there are threads for it.
//!
//! A file that cannot be compiled does not keep the others from it. What is said of files is said in their order, and
//! what takes longer than a moment shows a bar on a terminal.

use crate::contents::{self, Contents, Input};
use crate::diagnostics::{Diagnostic, Error, Stage};
use crate::driver::Driver;
use crate::dump::{self, Printer};
use crate::options::InputForm;
use crate::options::{Arguments, Emit, Job, Options, ReportForm};
use crate::pipeline::STACK_BYTES;
use crate::timing::Clock;
use crate::{Report, containers, destination, heap, input, llvm, output, recognize, refusals};
use frazil_frontend_pnacl::ReadErrorKind;
use frazil_passes::observe::FunctionFilter;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// Shorter than this, nobody wants to see a bar.
const PATIENCE: Duration = Duration::from_secs(1);

impl Driver {
    /// Compiles all inputs that the arguments name and returns whether all of it worked; messages about single inputs
    /// are printed.
    ///
    /// # Errors
    /// When the arguments are wrong as a whole.
    pub(crate) fn compile_all(&self, arguments: &Arguments) -> Result<bool, Error> {
        if arguments.emit == Some(Emit::Hooks) {
            return self.compile_hooks(arguments);
        }
        let recipe = self.recipe(arguments, None)?;
        let emit = arguments.emit(&recipe)?;
        let jobs = containers::expand(arguments.jobs(emit)?, arguments, emit)?;
        if arguments.inputs.is_empty() && std::io::stdin().is_terminal() {
            let message = "no input: name a file, or - to type one; --help shows the options";
            return Err(Error::new(Stage::Options, message));
        }
        let mut options = self.options(arguments, recipe)?;
        options.ends_process = jobs.len() == 1;
        if let Some(folder) = arguments.output_folder() {
            let unmade = |message| Error::new(Stage::Options, format!("-o {}: {message}", folder.display()));
            destination::make_folder(folder).map_err(unmade)?;
        }
        if arguments.list_unsupported.is_none() {
            destination::check(&jobs, emit, arguments.debug.split_dwarf_output.as_deref())?;
        }
        let folder = &arguments.observe.dump_dir;
        folder.as_deref().map_or(Ok(()), dump::prepare)?;
        heap::prepare(jobs.iter().map(|job| input::size(&job.input)).max().unwrap_or(0));
        let mut progress = Progress::of(jobs.len());
        let mut all_worked = true;
        let is_told = options.measure || !options.observe.is_quiet() || arguments.list_unsupported.is_some();
        if jobs.len() > 1 && options.threads > 0 && !is_told {
            all_worked = self.compile_several(arguments, &options, &jobs, &mut progress);
            progress.finish();
            explain_tools(arguments, &options);
            return Ok(all_worked);
        }
        for job in &jobs {
            progress.begin(job);
            let outcome = match arguments.list_unsupported {
                Some(form) => self.list_file(arguments, &mut options, job, form).map(|is_supported| {
                    all_worked &= is_supported;
                    String::new()
                }),
                None => self.compile_file(arguments, &mut options, job),
            };
            all_worked &= progress.end(job, outcome);
        }
        progress.finish();
        explain_tools(arguments, &options);
        Ok(all_worked)
    }

    /// Compiles the hooks of all tools, each to an object of its own, and returns whether all of it worked.
    fn compile_hooks(&self, arguments: &Arguments) -> Result<bool, Error> {
        let wrong = |message: &str| Err(Error::new(Stage::Options, message));
        if !arguments.inputs.is_empty() {
            return wrong(
                "--emit hooks compiles the hooks that the files of --instrument name: leave other inputs out",
            );
        }
        let mut options = self.options(arguments, self.recipe(arguments, None)?)?;
        let Some(tools) = options.instrument.take() else {
            return wrong("--emit hooks: --instrument must name a tool file");
        };
        options.emit = Emit::Obj;
        // The hooks themselves are not instrumented.
        options.recipe = self.recipe(arguments, None)?.into();
        let inputs: Vec<PathBuf> = tools.all().iter().map(|tool| tool.hooks_path.clone().into()).collect();
        let jobs = arguments.jobs_of(&inputs, Emit::Hooks)?;
        let mut all_worked = true;
        for (number, job) in jobs.iter().enumerate() {
            options.hooks_of = Some((Arc::clone(&tools), number));
            let outcome = match tools.all()[number].object {
                // It is linked as it is.
                Some(_) => copy(job),
                None => self.compile_file(arguments, &mut options, job),
            };
            all_worked &= Progress::of(1).end(job, outcome);
        }
        Ok(all_worked)
    }

    /// Compiles several inputs at once, each in one thread unless there are fewer inputs than threads. Returns whether
    /// all of it worked.
    fn compile_several(&self, arguments: &Arguments, options: &Options, jobs: &[Job], progress: &mut Progress) -> bool {
        let threads = (options.threads as usize).min(jobs.len());
        let next = AtomicUsize::new(0);
        let (sender, receiver) = mpsc::channel();
        let work = |sender: Sender<(usize, Result<String, Error>)>| {
            let mut options = Options {
                threads: match options.threads / threads as u32 {
                    1 => 0,
                    several => several,
                },
                ..options.clone()
            };
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(number) else { return };
                let outcome = self.compile_file(arguments, &mut options, job);
                if sender.send((number, outcome)).is_err() {
                    return;
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                let sender = sender.clone();
                // Those that the system gives do the work of the others.
                let _ = thread::Builder::new()
                    .stack_size(STACK_BYTES)
                    .spawn_scoped(scope, || work(sender));
            }
            let told = scope.spawn(|| progress.tell(jobs, receiver));
            work(sender);
            told.join().unwrap_or(false)
        })
    }

    /// Compiles one input and returns what was asked for about the run.
    fn compile_file(&self, arguments: &Arguments, options: &mut Options, job: &Job) -> Result<String, Error> {
        let start = Clock::start(options.measure);
        let contents = read_input(arguments, options, job)?;
        let out = match options.emit {
            Emit::Null => output::Output::nowhere(),
            _ => output::Output::new(&job.output),
        };
        let (_, text) = self.compile_bytes(arguments, options, (&job.name(), contents.input()), start, out)?;
        Ok(text)
    }

    /// Compiles a module with a name for messages, which has been read since `start`, and returns what was asked for
    /// about the run, too.
    pub(crate) fn compile_bytes(
        &self,
        arguments: &Arguments,
        options: &Options,
        (input_name, input): (&str, Input<'_>),
        start: Clock,
        mut out: output::Output,
    ) -> Result<(Report, String), Error> {
        let opening = start.elapsed();
        let observe = &arguments.observe;
        let mut printer = Printer::new(observe.dump_dir.clone(), observe.proves_machine_passes());
        let outcome = self.compile_input(input, options, &mut printer, &mut out);
        let has_printed = printer.has_printed();
        let printed = printer.finish();
        let output_name = out.name();
        let named = |error: Error| error.about_output(&output_name);
        let mut report = outcome.map_err(named)?;
        printed?;
        input.check_unchanged()?;
        let start = Clock::start(options.measure);
        out.commit().map_err(|error| named(Error::output(&error)))?;
        report.times.read += opening;
        report.times.write += start.elapsed();
        if let Some(sites) = &report.sites {
            write_sites(&output_name, sites)?;
        }
        let mut text = String::new();
        if options.observe.prints()
            && !has_printed
            && let Some(why) = nothing_printed(options)
        {
            text.push_str(&format!("frazil: note: {input_name}: nothing was printed: {why}\n"));
        }
        match arguments.observe.time_passes {
            Some(ReportForm::Text) => text.push_str(&report.times_text(arguments.observe.time_functions)),
            Some(ReportForm::Json) => text.push_str(&report.json()),
            None => {}
        }
        if arguments.observe.stats {
            text.push_str(&report.counts_text());
        }
        Ok((report, text))
    }
}

impl Driver {
    /// Prints what of an input is not supported; returns whether that is nothing.
    fn list_file(
        &self,
        arguments: &Arguments,
        options: &mut Options,
        job: &Job,
        form: ReportForm,
    ) -> Result<bool, Error> {
        let contents = read_input(arguments, options, job)?;
        let found = self.list_unsupported(contents.input().bytes, options)?;
        let text = match form {
            ReportForm::Text => refusals::text(&job.name(), &found),
            ReportForm::Json => refusals::json(&job.name(), &found),
        };
        // A closed standard output is no reason to fail.
        let _ = std::io::stdout().write_all(text.as_bytes());
        Ok(found.is_empty())
    }
}

/// The contents of an input, and what of it is compiled.
struct Opened {
    contents: Contents,
    /// The bytes, if not all.
    range: Option<Range<usize>>,
}

impl Opened {
    fn input(&self) -> Input<'_> {
        let whole = Input::from(&self.contents);
        let part = self.range.clone().and_then(|range| whole.part(range));
        part.unwrap_or(whole)
    }
}

/// The bitcode or text of an input; what it is is noted in the options.
fn read_input(arguments: &Arguments, options: &mut Options, job: &Job) -> Result<Opened, Error> {
    let contents = contents::open(&job.input)?;
    let part = containers::part_of(job, &contents)?;
    options.module = part.number();
    let opened = Opened {
        range: part.range(contents.len())?,
        contents,
    };
    let bytes = opened.input().bytes;
    if let Some(complaint) = recognize::complaint(&part.path_in(&job.input), bytes) {
        return Err(Error::from(Diagnostic::refusal(
            Stage::Read,
            ReadErrorKind::NotBitcode.refusal(),
            complaint,
            None,
        )));
    }
    options.input_form = match job.is_frazil_text() || recognize::is_frazil_text(bytes) {
        true => InputForm::Text,
        false => InputForm::Bitcode,
    };
    let is_llvm = options.input_form == InputForm::Bitcode;
    if is_llvm && (arguments.llvm_passes.is_some() || llvm::is_text(bytes)) {
        if options.module.is_some() {
            let message = "--llvm-passes takes files with one module: llvm-modextract takes one out of several";
            return Err(Error::new(Stage::Options, message));
        }
        // What is only a part of a file has no name that LLVM could read it by.
        let name = if opened.range.is_some() {
            Path::new("-")
        } else {
            &job.input
        };
        let contents = Contents::Read(llvm::read(name, bytes, &arguments.llvm())?);
        return Ok(Opened { contents, range: None });
    }
    Ok(opened)
}

/// Copies an input to its output.
fn copy(job: &Job) -> Result<String, Error> {
    let bytes = input::read(&job.input)?;
    let mut out = output::Output::new(&job.output);
    let name = out.name();
    let written = out.write_all(&bytes).and_then(|()| out.commit());
    written.map_err(|error| Error::output(&error).about_output(&name))?;
    Ok(String::new())
}

/// Writes the table of the places of tools beside an output; for one that is no file there is no place.
fn write_sites(output: &str, sites: &str) -> Result<(), Error> {
    if !Path::new(output).is_file() {
        return Ok(());
    }
    let mut out = output::Output::new(Path::new(&format!("{output}.sites.json")));
    let written = out.write_all(sites.as_bytes()).and_then(|()| out.commit());
    written.map_err(|error| Error::output(&error).about_output(&format!("{output}.sites.json")))
}

/// Says how hooks were called, if that is wanted.
fn explain_tools(arguments: &Arguments, options: &Options) {
    if let Some(tools) = options
        .instrument
        .as_ref()
        .filter(|_| arguments.instrument.explain_instrument)
    {
        // There is no other place for it.
        let _ = std::io::stderr().write_all(tools.explanations().as_bytes());
    }
}

/// Why nothing was printed although something was to be.
fn nothing_printed(options: &Options) -> Option<&'static str> {
    let observe = &options.observe;
    if options.recipe.places().next().is_none() && !observe.print_input {
        return Some("the recipe has no passes; --recipe O1, O2 and Os have some, --emit ir prints what was read");
    }
    match &observe.functions {
        // By LLVM's option, many modules are searched for a function.
        FunctionFilter::Names(_) => None,
        FunctionFilter::All if observe.print_changed => Some("no pass changed a function"),
        FunctionFilter::All => Some("no function came to these passes"),
        FunctionFilter::Number(_) | FunctionFilter::Pattern(_) => {
            Some("no function that came to these passes is one that --filter-func means")
        }
    }
}

/// A bar for many files, on a terminal only.
struct Progress {
    files: usize,
    told: usize,
    since: Instant,
    /// From when it has taken a while.
    bar: Option<ProgressBar>,
}

impl Progress {
    fn of(files: usize) -> Progress {
        Progress {
            files,
            told: 0,
            since: Instant::now(),
            bar: None,
        }
    }

    fn begin(&mut self, job: &Job) {
        // One file has no middle to show.
        if self.bar.is_none() && self.files > 1 && self.since.elapsed() > PATIENCE {
            // Draws nothing if standard error is no terminal.
            let bar = ProgressBar::with_draw_target(Some(self.files as u64), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{wide_msg} [{bar:30}] {pos}/{len}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_position(self.told as u64);
            self.bar = Some(bar);
        }
        if let Some(bar) = &self.bar {
            bar.set_message(job.name());
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Says what became of files in their order, as soon as it is known of those before them, too. Returns whether all
    /// of it worked.
    fn tell(&mut self, jobs: &[Job], outcomes: Receiver<(usize, Result<String, Error>)>) -> bool {
        let mut waiting = BTreeMap::new();
        let (mut told, mut all_worked) = (0, true);
        for (number, outcome) in outcomes {
            waiting.insert(number, outcome);
            while let Some(outcome) = waiting.remove(&told) {
                self.begin(&jobs[told]);
                all_worked &= self.end(&jobs[told], outcome);
                told += 1;
            }
        }
        all_worked && told == jobs.len()
    }

    /// Says what became of a file; returns whether it worked.
    fn end(&mut self, job: &Job, outcome: Result<String, Error>) -> bool {
        match outcome {
            Ok(text) => {
                self.print(|| {
                    let _ = std::io::stderr().write_all(text.as_bytes());
                });
                true
            }
            Err(error) => {
                self.print(|| error.print(&job.name()));
                false
            }
        }
    }

    /// Counts a file, and prints about it without disturbing the bar.
    fn print(&mut self, print: impl FnOnce()) {
        self.told += 1;
        match &self.bar {
            Some(bar) => {
                bar.inc(1);
                bar.suspend(print);
            }
            None => print(),
        }
    }
}
