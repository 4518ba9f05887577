//! From a recipe's lists of names to passes that are made and in an order that they can work in.

use super::draft::{Draft, Placed, Setting};
use super::origin::{RecipeError, plain};
use super::step::Step;
use super::text::REGALLOC;
use super::text::{CodegenText, Mode};
use super::{Codegen, Recipe};
use crate::registry::{Entry, Made, Registry};
use frazil_codegen::optimize::MachRecipe;
use frazil_codegen::regalloc::AllocatorOptions;
use frazil_ir::pass::{Level, Order};

/// Makes the passes of a recipe.
pub(super) fn resolve(registry: &Registry, draft: Draft) -> Result<Recipe, RecipeError> {
    let codegen = codegen(&draft.codegen);
    check_regalloc(&draft, &codegen)?;
    let mut entries = Vec::new();
    for (list, level) in [(&draft.passes, Level::Function), (&draft.mach_passes, Level::Mach)] {
        for placed in list.iter().filter(|placed| placed.name != REGALLOC) {
            entries.push((placed, entry(registry, placed, level)?));
        }
    }
    check_orders(&entries)?;
    let before_regalloc = draft.mach_passes.iter().position(|placed| placed.name == REGALLOC);
    let entries: Vec<&Entry> = entries.into_iter().map(|(_, entry)| entry).collect();
    let placed = (draft.passes.into_iter().chain(draft.mach_passes)).filter(|placed| placed.name != REGALLOC);
    let (mut steps, mut mach_steps) = (Vec::new(), Vec::new());
    for (placed, entry) in placed.zip(entries) {
        let (info, made) = (entry.info, make(entry, &placed)?);
        match made {
            Made::Function(pass) => steps.push(Step { info, pass, placed }),
            Made::Mach(pass) => mach_steps.push(Step { info, pass, placed }),
        }
    }
    Ok(Recipe {
        steps,
        mach_after: mach_steps.split_off(before_regalloc.unwrap_or(0)),
        mach_before: mach_steps,
        name: draft.name,
        summary: draft.summary,
        extends: draft.extends,
        codegen,
        analyses: registry.analyses().to_vec(),
    })
}

fn codegen(text: &CodegenText) -> Codegen {
    match text.mode.unwrap_or_default() {
        Mode::Fast => Codegen::Fast,
        Mode::Select => {
            let default = AllocatorOptions::default();
            Codegen::Select(MachRecipe {
                allocator: AllocatorOptions {
                    split: text.regalloc.split.unwrap_or(default.split),
                    memory_operands: text.regalloc.memory_operands.unwrap_or(default.memory_operands),
                    rematerialize: text.regalloc.rematerialize.unwrap_or(default.rematerialize),
                },
                for_size: text.for_size.unwrap_or(false),
            })
        }
    }
}

/// Registers are allocated once, by the way of making machine code that has machine passes.
fn check_regalloc(draft: &Draft, codegen: &Codegen) -> Result<(), RecipeError> {
    let marks: Vec<&Placed> = draft
        .mach_passes
        .iter()
        .filter(|placed| placed.name == REGALLOC)
        .collect();
    match (codegen, draft.mach_passes.first(), &marks[..]) {
        (Codegen::Fast, None, _) | (Codegen::Select(_), _, [_]) => Ok(()),
        (Codegen::Fast, Some(first), _) => Err(RecipeError::at(
            &first.place,
            "machine passes need codegen mode `select`; mode `fast` makes code in one walk",
        )),
        (Codegen::Select(_), _, [_, second, ..]) => Err(RecipeError::at(
            &second.place,
            "`regalloc` stands in `mach-passes` twice",
        )),
        (Codegen::Select(_), _, []) => Err(RecipeError::new(format!(
            "recipe {}: `mach-passes` must say where `regalloc` is",
            draft.name
        ))),
    }
}

/// The registered pass of a place in a list.
fn entry<'a>(registry: &'a Registry, placed: &Placed, level: Level) -> Result<&'a Entry, RecipeError> {
    let found = registry.find(&placed.name);
    let entry = found.map_err(|error| RecipeError::at(&placed.place, error.to_string()))?;
    if entry.info.level == level {
        return Ok(entry);
    }
    let (works_on, list) = match entry.info.level {
        Level::Function => ("the intermediate representation", "passes"),
        Level::Mach => ("machine code", "mach-passes"),
    };
    let message = format!("`{}` works on {works_on}: it belongs in `{list}`", placed.name);
    Err(RecipeError::at(&placed.place, message))
}

/// Makes a pass from its options, and says of each option that does not fit what is wrong with it.
fn make(entry: &Entry, placed: &Placed) -> Result<Made, RecipeError> {
    let table = |settings: &[Setting]| {
        let pairs = settings
            .iter()
            .map(|setting| (setting.key.clone(), setting.value.clone()));
        pairs.collect::<toml::Table>()
    };
    entry.make(table(&placed.settings)).map_err(|error| {
        // All options have defaults, so each can be tried alone.
        let culprit = placed
            .settings
            .iter()
            .find_map(|setting| Some((setting, entry.make(table(std::slice::from_ref(setting))).err()?)));
        match culprit {
            Some((setting, error)) => {
                let message = format!("pass `{}`: {}", placed.name, plain(error.message()));
                let named = match message.contains(&format!("`{}`", setting.key)) {
                    true => message,
                    false => format!("{message} (option `{}`)", setting.key),
                };
                RecipeError::at(&setting.place, named)
            }
            None => RecipeError::at(
                &placed.place,
                format!("pass `{}`: {}", placed.name, plain(error.message())),
            ),
        }
    })
}

/// Checks that each pass stands where it and the others want it. If a pass stands in the list several times, it is
/// enough that one of the others comes before its first place, or after its last.
fn check_orders(list: &[(&Placed, &Entry)]) -> Result<(), RecipeError> {
    let first = |name: &str| list.iter().position(|(_, entry)| entry.info.name == name);
    let last = |name: &str| list.iter().rposition(|(_, entry)| entry.info.name == name);
    for (placed, entry) in list {
        let name = entry.info.name;
        for Order { pass, reason } in entry.info.after {
            if first(pass) > first(name) {
                let message = format!("`{name}` must come after `{pass}`: {reason}");
                return Err(RecipeError::at(&placed.place, message));
            }
        }
        for Order { pass, reason } in entry.info.before {
            if last(pass).is_some_and(|other| Some(other) < last(name)) {
                let message = format!("`{name}` must come before `{pass}`: {reason}");
                return Err(RecipeError::at(&placed.place, message));
            }
        }
    }
    Ok(())
}
