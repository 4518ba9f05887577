//! How each hook is called: the criteria, and what `--explain-instrument` says of them.

use crate::analyze::{Analysis, Facts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Which bodies are inlined. The defaults are those of DynamoRIO's clean calls but for the registers, of which compiled
/// code has all.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// Whether hooks are inlined.
    pub inline: bool,
    /// Whether the part of a hook before its first branch is inlined alone where all of it is not.
    pub partial: bool,
    /// Whether hooks that only add to a number in memory are summed up.
    pub merge: bool,
    /// Whether sums are made over the whole function, and counters are derived from others where the tool allows it.
    pub regions: bool,
    /// Whether loops without calls add up in registers.
    pub carry: bool,
    /// Whether hooks that are called keep the registers of the program, so that their callers need not save any.
    pub preserve: bool,
    /// Whether hooks that call something are inlined.
    pub calls: bool,
    /// Whether hooks that go back somewhere are inlined.
    pub loops: bool,
    /// Whether hooks with floats in registers are inlined.
    pub floats: bool,
    /// At most so many instructions, after the passes that clean the hook.
    pub most_instructions: u32,
    /// At most so many blocks.
    pub most_blocks: u32,
    /// At most so many values that need registers at the same time.
    pub most_registers: u32,
    /// At most so many variables in memory.
    pub most_slots: u32,
    /// At most so many parameters.
    pub most_params: u32,
    /// The passes that clean hooks, in order.
    pub clean: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            inline: true,
            partial: true,
            merge: true,
            regions: true,
            carry: true,
            preserve: true,
            calls: false,
            loops: false,
            floats: false,
            most_instructions: 20,
            most_blocks: 8,
            most_registers: 6,
            most_slots: 1,
            most_params: 6,
            clean: CLEANING.iter().map(|&pass| pass.to_owned()).collect(),
        }
    }
}

/// The passes that clean hooks.
const CLEANING: &[&str] = &[
    "sroa",
    "mem2reg",
    "fold",
    "simplify-cfg",
    "local-cse",
    "redundant-load",
    "fold",
    "simplify-cfg",
    "dce",
];

/// How a hook is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// All of its body is put in its place.
    Inlined,
    /// The part before its first branch is.
    Partially,
    Called,
}

impl Options {
    /// How a hook is called, and why not otherwise.
    pub fn way(&self, analysis: &Analysis) -> (Way, Vec<String>) {
        let mut reasons = self.against(&analysis.facts);
        if reasons.is_empty() {
            return (Way::Inlined, reasons);
        }
        if !self.inline {
            return (Way::Called, reasons);
        }
        match &analysis.fast {
            _ if !self.partial => reasons.push("not partially: `partial` is false".to_owned()),
            Err(reason) => reasons.push(format!("not partially: {reason}")),
            Ok((_, facts)) => {
                // The call is that of the hook itself.
                let facts = Facts {
                    calls: 0,
                    ..facts.clone()
                };
                let against = self.against(&facts);
                if against.is_empty() {
                    return (Way::Partially, reasons);
                }
                reasons.extend(against.into_iter().map(|reason| format!("not partially: {reason}")));
            }
        }
        (Way::Called, reasons)
    }

    /// What speaks against inlining a body.
    fn against(&self, facts: &Facts) -> Vec<String> {
        let mut reasons = Vec::new();
        if !self.inline {
            reasons.push("`inline` is false".to_owned());
        }
        if let Some(obstacle) = facts.obstacle {
            reasons.push(obstacle.to_owned());
        }
        if facts.calls > 0 && !self.calls {
            reasons.push(format!("it calls ({} calls; a leaf is wanted)", facts.calls));
        }
        if facts.has_loops && !self.loops {
            reasons.push("it has a loop".to_owned());
        }
        if facts.has_floats && !self.floats {
            reasons.push("it has floats in registers".to_owned());
        }
        for (found, most, what) in [
            (facts.instructions, self.most_instructions, "instructions"),
            (facts.blocks, self.most_blocks, "blocks"),
            (facts.registers, self.most_registers, "values in registers at once"),
            (facts.slots, self.most_slots, "variables in memory"),
            (facts.used_params.len() as u32, self.most_params, "parameters"),
        ] {
            if found > most {
                reasons.push(format!("{found} {what}, more than {most}"));
            }
        }
        reasons
    }
}

/// What was decided about a hook, for people.
pub(crate) fn explain(name: &str, analysis: &Analysis, options: &Options) -> String {
    let (way, reasons) = options.way(analysis);
    let facts = &analysis.facts;
    let mut text = String::new();
    let what = match way {
        Way::Inlined if analysis.addition.is_some() && options.merge => "inlined; it is an addition, and summed up",
        Way::Inlined => "inlined",
        Way::Partially => "inlined partially, up to its first branch",
        Way::Called => "called",
    };
    // A string takes everything.
    let _ = writeln!(text, "hook {name}: {what}");
    for reason in reasons {
        let _ = writeln!(text, "  not inlined: {reason}");
    }
    let unused: Vec<String> = (facts.used_params.iter().enumerate())
        .filter(|(_, used)| !**used)
        .map(|(index, _)| index.to_string())
        .collect();
    let _ = writeln!(
        text,
        "  after cleaning: {} instructions, {} blocks, {} loads, {} stores, {} calls, {} values in registers, {} \
         variables in memory{}",
        facts.instructions,
        facts.blocks,
        facts.loads,
        facts.stores,
        facts.calls,
        facts.registers,
        facts.slots,
        match unused.is_empty() {
            true => String::new(),
            false => format!("; parameters {} do not matter", unused.join(", ")),
        }
    );
    text
}
