//! What is known of a hook and how it is called, found when it is first wanted.

use crate::analyze::Analysis;
use crate::decide::{Options, Way, explain};
use crate::tool::Tool;
use frazil_ir::TargetFacts;
use frazil_passes::Recipe;

/// What is known of a hook.
#[derive(Debug)]
pub struct Known {
    pub analysis: Analysis,
    pub way: Way,
    /// What was decided and why, for people.
    pub explanation: String,
}

impl Known {
    /// Looks at a hook of a tool.
    pub fn new(tool: &Tool, hook: usize, target: &TargetFacts, cleaner: &Recipe, options: &Options) -> Known {
        let hook = &tool.hooks[hook];
        let analysis = Analysis::new(&tool.module, hook.function, target, cleaner);
        let (way, _) = options.way(&analysis);
        Known {
            explanation: explain(&hook.name, &analysis, options),
            analysis,
            way,
        }
    }
}
