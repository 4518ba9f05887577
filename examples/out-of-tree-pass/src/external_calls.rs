//! A tool without a tool file: calls a hook before each call of a function that the program does not define, if that
//! has a name and an argument at all. A program decides here what no filter of tool files says.
//!
//! The hook is given the name of the calling function and the number of arguments.

use frazil::instrument::{HookArg, Instrumenter, Names, Place, Requests, Tool, View, When};
use frazil::ir::{EntityRef, Inst, Opcode, PassError, SymbolKind};
use std::path::Path;

/// What says where the hook is called.
#[derive(Debug)]
struct ExternalCalls;

impl Instrumenter for ExternalCalls {
    fn look(&self, view: &View<'_>, requests: &mut Requests) -> Result<(), PassError> {
        for (position, data) in view.function.insts().iter().enumerate() {
            if data.op != Opcode::Call {
                continue;
            }
            let call = view.function.call(data);
            let callee = call
                .callee
                .as_symbol()
                .and_then(|symbol| view.module.symbols.get(symbol));
            let is_external = callee.is_some_and(|symbol| symbol.kind == SymbolKind::FunctionDeclaration);
            if is_external && !call.args.is_empty() {
                let args = [view.function_name(), HookArg::Int(call.args.len() as i128)];
                requests.call(Place::Before(Inst::new(position)), 0, &args);
            }
        }
        Ok(())
    }

    fn names(&self) -> Names {
        Names {
            functions: true,
            ..Names::default()
        }
    }
}

/// The tool with the hooks of a file, which has the function `external_call`.
///
/// # Errors
/// When the file cannot be read, or has no such hook.
pub fn tool(hooks: &Path) -> Result<Tool, Box<dyn std::error::Error>> {
    let module = frazil::read_hooks(hooks)?;
    let path = hooks.display().to_string();
    let tool = Tool::new(
        "acme-calls",
        (&path, module),
        &["external_call"],
        When::Early,
        Box::new(ExternalCalls),
    )?;
    Ok(tool)
}
