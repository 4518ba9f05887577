//! What is known of a hook and how it is called, found when it is first wanted.

use crate::analyze::{Analysis, facts_of};
use crate::decide::{Options, Way, explain};
use crate::hook_module::HookModule;
use crate::hook_object::MachineHook;
use frazil_ir::{CallConv, EntityRef, FuncId, Signature, TargetFacts};
use frazil_passes::Recipe;

/// What is known of a hook.
#[derive(Debug)]
pub struct Known {
    /// Of its body; nothing for machine code.
    pub analysis: Option<Analysis>,
    pub way: Way,
    /// That of a call that knows which registers it keeps.
    pub entry: Signature,
    /// What was decided and why, for people.
    pub explanation: String,
}

impl Known {
    /// Looks at a function of a tool's module that is a hook.
    pub fn of_function(
        module: &HookModule,
        name: &str,
        hook: FuncId,
        (target, cleaner): (&TargetFacts, &Recipe),
        options: &Options,
    ) -> Known {
        let analysis = Analysis::new(module, hook, target, cleaner);
        let (way, _) = options.way(&analysis);
        Known {
            explanation: explain(name, &analysis, options),
            way,
            entry: Signature {
                call_conv: convention(module, hook),
                ..analysis.body.signature().clone()
            },
            analysis: Some(analysis),
        }
    }

    /// What the object's analysis says of a hook.
    pub fn of_machine(name: &str, hook: &MachineHook, signature: &Signature) -> Known {
        Known {
            analysis: None,
            way: Way::Called,
            entry: Signature {
                keeps: hook.keeps.map(Box::new),
                ..signature.clone()
            },
            explanation: format!("hook {name}: called; {}\n", hook.found),
        }
    }
}

/// The convention of a hook in its object. It keeps all registers that it does not need for its results, of which it
/// has none, so that a call costs what the hook overwrites: if it calls nothing, also registers of floats and vectors;
/// otherwise it would have to save all of them each time.
pub fn convention(module: &HookModule, hook: FuncId) -> CallConv {
    let function = &module.functions[hook.index()];
    match facts_of(function).calls {
        0 => PRESERVE_ALL,
        _ => PRESERVE_MOST,
    }
}

/// LLVM's numbers of the conventions (`llvm/IR/CallingConv.h`).
const PRESERVE_MOST: CallConv = CallConv(14);
const PRESERVE_ALL: CallConv = CallConv(15);
