//! `cargo xtask bench`: how fast Frazil compiles, and how fast what it compiled runs, beside `llc-22`.
//!
//! The compilers run in turn on the same input, so that whatever else the machine does falls on all alike, and a
//! pair of neighboring runs gives one ratio. Times are CPU time of the whole process as the kernel accounts it, not
//! time on the clock.

mod clean_ups;
mod compile_time;
mod executables;
mod executed;
mod figure;
mod history;
mod instructions;
mod instrumenting;
mod kernels;
mod memory;
mod overheads;
mod passes;
mod performance;
mod plot;
mod reference;
mod rivals;
mod run_time;
mod scaling;
mod sizes;
mod stages;
mod start_up;
mod statistics;

use anyhow::{Result, bail, ensure};
use pico_args::Arguments;

use crate::compiler::{Compiler, LlcLevel};
use crate::{corpus, machine};

/// What is measured when the command line names no recipe.
const RECIPE: &str = "O2";

/// `cargo xtask bench [--target NAME] [--level NAME]... [--repeat N] [FILTER]`,
/// `cargo xtask bench --run-time [--level NAME]... [--against llc-O0|llc-O1|llc-O2]... [--repeat N] [FILTER]`,
/// `cargo xtask bench --executed --target NAME [--level NAME]... [FILTER]`,
/// `cargo xtask bench --pexe [--target x86_32] [--level NAME]... [--repeat N] [FILTER]`,
/// `cargo xtask bench --passes [FILTER]`, `cargo xtask bench --start-up [--repeat N]`,
/// `cargo xtask bench --kernels [--processor NAME] [--repeat N] [FILTER]`,
/// `cargo xtask bench --overheads [--rivals] [--tool NAME]... [--way NAME]... [--repeat N] [FILTER]`,
/// `cargo xtask bench --clean-ups [--more PASS]... [FILTER]`, `cargo xtask bench --instrumenting [FILTER]`,
/// `cargo xtask bench --figure [--measure [--repeat N] [FILTER]]`,
/// `cargo xtask bench --performance [--measure [--repeat N] [FILTER]]`,
/// `cargo xtask bench --scaling [--counted|--quick] [--repeat N] [SHAPE]`,
/// `cargo xtask bench --memory [FILTER]`, `cargo xtask bench --sizes [--quick]`,
/// `cargo xtask bench --history` and `cargo xtask bench --instructions [--bless]`, with the options of
/// [`Compiler::from_arguments`].
pub fn command(mut arguments: Arguments) -> Result<bool> {
    machine::select(&mut arguments)?;
    if arguments.contains("--instructions") {
        ensure!(machine::is_host(), "--instructions counts those of this machine");
        let bless = arguments.contains("--bless");
        let frazil = Compiler::from_arguments_or(&mut arguments, RECIPE)?;
        ensure!(arguments.finish().is_empty(), "too many arguments");
        return instructions::check(&frazil, bless);
    }
    if arguments.contains("--sizes") {
        ensure!(machine::is_host(), "--sizes runs what it builds");
        let quick = arguments.contains("--quick");
        let frazil = Compiler::from_arguments_or(&mut arguments, RECIPE)?;
        ensure!(arguments.finish().is_empty(), "too many arguments");
        return sizes::check(&frazil, quick);
    }
    if arguments.contains("--history") {
        ensure!(arguments.finish().is_empty(), "too many arguments");
        return history::show();
    }
    // Each question takes its word out of the arguments.
    let (figure, measures) = (arguments.contains("--figure"), arguments.contains("--measure"));
    let performance = arguments.contains("--performance");
    ensure!(
        figure || performance || !measures,
        "--measure goes with --figure or --performance"
    );
    if (figure || performance) && !measures {
        ensure!(arguments.finish().is_empty(), "too many arguments");
        return match figure {
            true => figure::make(None),
            false => performance::make(None),
        };
    }
    if arguments.contains("--memory") {
        ensure!(machine::is_host(), "--memory measures modules for this machine");
        let frazil = Compiler::from_arguments_or(&mut arguments, RECIPE)?;
        return memory::measure(&frazil, &corpus::filter(arguments)?);
    }
    let pexe = arguments.contains("--pexe");
    let scaling = arguments.contains("--scaling");
    let passes = arguments.contains("--passes");
    let start_up = arguments.contains("--start-up");
    let run_time = arguments.contains("--run-time");
    let kernels = arguments.contains("--kernels");
    let overheads = arguments.contains("--overheads");
    let is_about_this_machine = scaling || passes || start_up || kernels || overheads || figure || performance;
    let executed = arguments.contains("--executed");
    ensure!(
        machine::is_host() || !is_about_this_machine,
        "--target is for the time that compiling takes, for --run-time, and for --executed"
    );
    ensure!(
        machine::runs_programs() || !run_time,
        "--run-time measures programs of this processor: take --executed"
    );
    ensure!(
        !executed || !machine::is_host(),
        "--executed counts in an emulator: name a --target"
    );
    if arguments.contains("--clean-ups") {
        let more: Vec<String> = arguments.values_from_str("--more")?;
        let frazil = Compiler::from_arguments_or(&mut arguments, RECIPE)?;
        return clean_ups::measure(&corpus::filter(arguments)?, &frazil, &more);
    }
    if arguments.contains("--instrumenting") {
        let frazil = Compiler::from_arguments_or(&mut arguments, RECIPE)?;
        return instrumenting::measure(&corpus::filter(arguments)?, &frazil);
    }
    let levels = corpus::Level::from_arguments(&mut arguments)?;
    let against: Vec<LlcLevel> = arguments.values_from_str("--against")?;
    let repeat: Option<usize> = arguments.opt_value_from_str("--repeat")?;
    ensure!(repeat != Some(0), "--repeat must be at least 1");
    let frazil = Compiler::from_arguments_or(&mut arguments, RECIPE)?;
    if scaling {
        let way = match (arguments.contains("--counted"), arguments.contains("--quick")) {
            (true, true) => bail!("--counted and --quick exclude each other"),
            (true, false) => scaling::Way::Counted,
            (false, true) => scaling::Way::Quick,
            (false, false) => scaling::Way::Timed,
        };
        return scaling::measure(&frazil, &corpus::filter(arguments)?, way, repeat.unwrap_or(5));
    }
    if start_up {
        ensure!(arguments.finish().is_empty(), "too many arguments");
        start_up::measure(&frazil, repeat.unwrap_or(50), start_up::GOAL)?;
        return Ok(true);
    }
    if kernels {
        let processor: Option<String> = arguments.opt_value_from_str("--processor")?;
        let filter = corpus::filter(arguments)?;
        return kernels::measure(&frazil, &filter, processor.as_deref(), repeat.unwrap_or(5));
    }
    if overheads {
        let wanted = overheads::Wanted::from_arguments(&mut arguments)?;
        let (filter, repeat) = (corpus::filter(arguments)?, repeat.unwrap_or(3));
        if !wanted.only_rivals {
            overheads::measure(&filter, &frazil, &wanted, repeat)?;
        }
        rivals::measure(&filter, &frazil, &wanted, repeat)?;
        return Ok(true);
    }
    if figure {
        let modules = corpus::modules_to_run(&corpus::filter(arguments)?)?;
        return figure::make(Some((&modules, &frazil, repeat.unwrap_or(5))));
    }
    if performance {
        let modules = corpus::modules(&corpus::filter(arguments)?)?;
        return performance::make(Some((&modules, &frazil, repeat.unwrap_or(5))));
    }
    if run_time {
        let modules = corpus::modules_at(&levels, &corpus::filter(arguments)?)?;
        return run_time::measure(&modules, &frazil, &against, repeat.unwrap_or(5));
    }
    if executed {
        return executed::measure(&corpus::modules_at(&levels, &corpus::filter(arguments)?)?, &frazil);
    }
    let modules = corpus::modules_to_compile(&levels, &corpus::filter(arguments)?)?;
    if passes {
        return passes::measure(&modules, &frazil);
    }
    if pexe {
        return executables::measure(&modules, &frazil, repeat.unwrap_or(5));
    }
    compile_time::measure(&modules, &frazil, repeat.unwrap_or(9))
}
