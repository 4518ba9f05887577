//! Tools that are ready for use: what tool files say, checked against the hooks.
//!
//! Everything that a tool file may have wrong is said here, with file and line, before anything is compiled.

use crate::hook_module::HookModule;
use crate::hook_object::{HookObject, Linked, module_of};
use crate::hooks::{Hook, type_word};
use crate::inserts::{Arg, Filters, Insert};
use crate::places::{Datum, KINDS, Kind, Nature, words_at};
use crate::prototypes;
use crate::records::tool_of_start;
use crate::request::Instrumenter;
use crate::text::{InsertText, Side, Source, When};
use frazil_ir::opcode::ALL;
use frazil_ir::{EntityRef, IntFlags, Opcode, SymbolId, Type};
use frazil_passes::RecipeError;
use frazil_passes::recipe::hint;
use regex_lite::Regex;
use std::sync::Arc;
use toml::{Spanned, Value};

/// Hooks, and what says where they are called.
#[derive(Debug)]
pub struct Tool {
    pub name: String,
    /// The name of its file in messages.
    pub file: String,
    /// Where the hooks come from, of which their object is made.
    pub hooks_path: String,
    pub when: When,
    /// Whether its hooks look at the program's memory.
    pub reads: bool,
    /// Whether a table of its places is wanted.
    pub sites: bool,
    /// Whether its counters may follow from others, so that not all are counted.
    pub derive: bool,
    pub module: HookModule,
    /// The object that its hooks are in, if they are machine code.
    pub object: Option<Linked>,
    pub hooks: Vec<Hook>,
    /// Texts that hooks are given.
    pub texts: Vec<String>,
    pub(crate) instrumenter: Box<dyn Instrumenter>,
}

/// The tools of one program.
#[derive(Debug, Default)]
pub struct Tools {
    tools: Vec<Arc<Tool>>,
}

impl Tools {
    /// Tools that can be used together.
    ///
    /// # Errors
    /// When two of them define the same function or data.
    pub fn new(tools: Vec<Arc<Tool>>) -> Result<Tools, RecipeError> {
        for (index, tool) in tools.iter().enumerate() {
            for other in &tools[..index] {
                if tool.name == other.name {
                    let message = format!(
                        "{}: the tool is called `{}` like that of {}; choose another name by `name = ...`",
                        tool.file, tool.name, other.file
                    );
                    return Err(RecipeError::new(message));
                }
                let others = other.defined();
                if let Some(name) = tool.defined().into_iter().find(|name| others.contains(name)) {
                    let message = format!(
                        "{}: the hooks define `{}`, which those of {} define, too: hooks are linked together, so make \
                         one of them static or rename it",
                        tool.file,
                        String::from_utf8_lossy(name),
                        other.file
                    );
                    return Err(RecipeError::new(message));
                }
            }
        }
        Ok(Tools { tools })
    }

    /// All of them, in order.
    pub fn all(&self) -> &[Arc<Tool>] {
        &self.tools
    }

    /// How hooks are called that were put in so far, and why, for people.
    pub fn explanations(&self) -> String {
        let known = |tool: &Tool| -> String {
            let hooks = tool.hooks.iter().filter_map(|hook| hook.known.get());
            hooks.map(|known| known.explanation.as_str()).collect()
        };
        let told = self
            .tools
            .iter()
            .map(|tool| (tool, known(tool)))
            .filter(|row| !row.1.is_empty());
        told.map(|(tool, text)| format!("tool {}:\n{text}", tool.name))
            .collect()
    }
}

impl Tool {
    /// A tool of a program in Rust: the functions of these names in the module are its hooks, and `instrumenter` says
    /// where. `path` is where the module comes from, of which the hooks' object is made.
    ///
    /// # Errors
    /// When a function cannot be a hook; the message says why.
    pub fn new(
        name: &str,
        (path, module): (&str, HookModule),
        hooks: &[&str],
        when: When,
        instrumenter: Box<dyn Instrumenter>,
    ) -> Result<Tool, RecipeError> {
        let list: Result<Vec<Hook>, String> = hooks.iter().map(|hook| Hook::find(&module, hook)).collect();
        Ok(Tool {
            name: name.to_owned(),
            file: name.to_owned(),
            hooks_path: path.to_owned(),
            when,
            reads: false,
            sites: false,
            derive: false,
            hooks: list.map_err(|message| RecipeError::new(format!("{name}: {message}")))?,
            module,
            object: None,
            texts: Vec::new(),
            instrumenter,
        })
    }

    /// The tool of a file, with the module that it names.
    ///
    /// # Errors
    /// Everything that is wrong with the file: names that do not exist, arguments that do not match the hooks.
    pub fn of_file(source: &Source, module: HookModule) -> Result<Tool, RecipeError> {
        check_places(source, &module)?;
        if let Some(prototypes) = &source.tool.prototypes {
            let message = "the hooks' module says itself what hooks take: leave [prototypes] out";
            return Err(source.error(prototypes, message));
        }
        Tool::checked(source, (module, None), Vec::new())
    }

    /// The tool of a file that names an object.
    ///
    /// # Errors
    /// The same, and what is wrong with prototypes.
    pub fn of_object(source: &Source, object: &dyn HookObject) -> Result<Tool, RecipeError> {
        let mut hooks = Vec::new();
        let prototypes = source.tool.prototypes.iter().flat_map(|table| table.get_ref());
        for (number, (name, params)) in prototypes.clone().enumerate() {
            let signature = prototypes::signature(source, params)?;
            let found = object.look(name.get_ref()).map_err(|why| {
                let functions = object.functions();
                let hint = hint(name.get_ref(), functions.iter().map(String::as_str));
                let hint = if functions.contains(name.get_ref()) {
                    String::new()
                } else {
                    format!("; {hint}")
                };
                source.error(name, format!("`{}` {why}{hint}", name.get_ref()))
            })?;
            hooks.push(Hook::of_object(name.get_ref(), SymbolId::new(number), signature, found));
        }
        let module = module_of(prototypes.map(|(name, _)| name.get_ref().as_str()));
        let linked = Linked {
            target: object.target().to_owned(),
            defined: object.defined(),
        };
        Tool::checked(source, (module, Some(linked)), hooks)
    }

    /// The tool of a file, with the hooks that are known before its places are read.
    fn checked(
        source: &Source,
        (module, object): (HookModule, Option<Linked>),
        hooks: Vec<Hook>,
    ) -> Result<Tool, RecipeError> {
        let mut checker = Checker {
            source,
            module: &module,
            is_object: object.is_some(),
            hooks,
            texts: Vec::new(),
        };
        let inserts: Result<Vec<Insert>, RecipeError> =
            source.tool.insert.iter().map(|insert| checker.insert(insert)).collect();
        let (inserts, hooks, texts) = (inserts?, checker.hooks, checker.texts);
        if inserts.is_empty() {
            let message = format!("{}: no [[insert]] says where hooks are called", source.file);
            return Err(RecipeError::new(message));
        }
        if let Some(derive) = source.tool.derive.as_ref().filter(|derive| *derive.get_ref())
            && !inserts
                .iter()
                .any(|insert| insert.args.contains(&Arg::Datum(Datum::Counter)))
        {
            let message = "`derive` is for tools with counters, and no hook is given one: `args = [\"counter\"]`";
            return Err(source.error(derive, message));
        }
        Ok(Tool {
            name: source.name(),
            file: source.file.to_string(),
            hooks_path: source.tool.hooks.get_ref().clone(),
            when: source.tool.when,
            reads: source.tool.reads,
            sites: source.tool.sites,
            derive: source.tool.derive.as_ref().is_some_and(|derive| *derive.get_ref()),
            module,
            object,
            hooks,
            texts,
            instrumenter: Box::new(crate::find::Inserts::new(inserts, source.tool.sites)),
        })
    }

    /// The names that other objects may not define, too.
    fn defined(&self) -> Vec<&[u8]> {
        if let Some(object) = &self.object {
            return object.defined.iter().map(|name| name.as_bytes()).collect();
        }
        let is_hook = |symbol| self.hooks.iter().any(|hook| hook.symbol == symbol);
        let symbols = self.module.module.symbols.iter();
        symbols
            .filter(|(symbol, _)| !is_hook(*symbol))
            .filter(|(_, data)| data.is_defined() && !data.linkage.is_local() && !data.linkage.is_weak())
            .map(|(symbol, _)| self.module.module.name(symbol))
            .collect()
    }
}

/// Checks that hooks which look for places (`FRAZIL_PLACES`) look for those of this tool.
fn check_places(source: &Source, module: &HookModule) -> Result<(), RecipeError> {
    let name = source.name();
    let own = crate::records::section("__start_frazil_counters", &name);
    let own = tool_of_start(&own).unwrap_or_default();
    let names = module.module.symbols.keys().map(|symbol| module.module.name(symbol));
    let Some(other) = names.filter_map(tool_of_start).find(|&other| other != own) else {
        return Ok(());
    };
    let other = String::from_utf8_lossy(other);
    let message = format!(
        "the hooks look for the places of a tool `{other}` (FRAZIL_PLACES), and this one is called `{name}`: say \
         `name = \"{other}\"`, or change the hooks"
    );
    Err(match &source.tool.name {
        Some(name) => source.error(name, message),
        None => source.error(&source.tool.hooks, message),
    })
}

/// What checks the tables of a file.
struct Checker<'a> {
    source: &'a Source,
    module: &'a HookModule,
    /// Whether the hooks are those that have a prototype.
    is_object: bool,
    hooks: Vec<Hook>,
    texts: Vec<String>,
}

impl Checker<'_> {
    fn insert(&mut self, insert: &Spanned<InsertText>) -> Result<Insert, RecipeError> {
        let source = self.source;
        let text = insert.get_ref();
        let Some(kind) = Kind::from_word(text.at.get_ref()) else {
            let message = format!(
                "unknown kind of place `{}`; {}",
                text.at.get_ref(),
                hint(text.at.get_ref(), KINDS.iter().map(|row| row.0))
            );
            return Err(source.error(&text.at, message));
        };
        let hook = self.hook(&text.call)?;
        let params: Vec<Type> = (self.hooks[hook].signature.params.iter())
            .map(|param| param.ty)
            .collect();
        if text.args.len() != params.len() {
            let message = format!(
                "the hook `{}` takes {}, found {} in `args`",
                text.call.get_ref(),
                counted(params.len(), "argument"),
                text.args.len()
            );
            return Err(match text.args.first() {
                Some(first) => source.error(first, message),
                None => source.error(&text.call, message),
            });
        }
        let side = self.side(kind, text)?;
        let mut args = Vec::new();
        for (index, (arg, &ty)) in text.args.iter().zip(&params).enumerate() {
            let parsed = self.arg(arg)?;
            self.check_arg((kind, side), arg, &parsed, (index, ty))?;
            args.push(parsed);
        }
        Ok(Insert {
            kind,
            side,
            hook,
            args,
            follows: self.follows(kind, text)?,
            filters: self.filters(kind, text)?,
        })
    }

    /// Whether hooks go where their loads or stores are deleted.
    fn follows(&self, kind: Kind, text: &InsertText) -> Result<bool, RecipeError> {
        let Some(follows) = text.follows.as_ref().filter(|follows| *follows.get_ref()) else {
            return Ok(false);
        };
        let message = match (kind, self.source.tool.when) {
            (Kind::Load | Kind::Store, When::Early) => return Ok(true),
            (Kind::Load | Kind::Store, When::Late) => {
                "`follows` is for hooks that are put in before the passes: `when = \"early\"`".to_owned()
            }
            _ => format!(
                "`follows` is for hooks at a `load` or a `store`, found one at a `{}`",
                kind.word()
            ),
        };
        Err(self.source.error(follows, message))
    }

    /// The number of the hook of this name.
    fn hook(&mut self, name: &Spanned<String>) -> Result<usize, RecipeError> {
        let known = self.hooks.iter().position(|hook| hook.name == *name.get_ref());
        if let Some(known) = known {
            return Ok(known);
        }
        if self.is_object {
            let message = format!(
                "the hooks are machine code, which does not say what `{0}` takes: expected its parameters in \
                 [prototypes], as `{0} = [\"i64\", \"ptr\"]`",
                name.get_ref()
            );
            return Err(self.source.error(name, message));
        }
        let found = Hook::find(self.module, name.get_ref());
        self.hooks
            .push(found.map_err(|message| self.source.error(name, message))?);
        Ok(self.hooks.len() - 1)
    }

    fn side(&self, kind: Kind, text: &InsertText) -> Result<Side, RecipeError> {
        match &text.place {
            None => Ok(Side::Before),
            Some(place) if !kind.is_instruction() => {
                let message = format!(
                    "a place of the kind `{}` has no before and after: leave `place` out",
                    kind.word()
                );
                Err(self.source.error(place, message))
            }
            Some(place) if *place.get_ref() == Side::After && kind.is_terminator() => {
                let message = format!("nothing comes after a `{}` in its block: say \"before\"", kind.word());
                Err(self.source.error(place, message))
            }
            Some(place) => Ok(*place.get_ref()),
        }
    }

    fn arg(&mut self, arg: &Spanned<Value>) -> Result<Arg, RecipeError> {
        let source = self.source;
        match arg.get_ref() {
            Value::Integer(number) => Ok(Arg::Int(i128::from(*number))),
            Value::Boolean(truth) => Ok(Arg::Int(i128::from(*truth))),
            Value::String(word) => match Datum::from_word(word) {
                Some(datum) => Ok(Arg::Datum(datum)),
                None => {
                    let words = crate::places::DATA.iter().map(|row| row.0);
                    let message = format!(
                        "unknown argument `{word}`; {}; a text is written {{ text = \"{word}\" }}",
                        hint(word, words)
                    );
                    Err(source.error(arg, message))
                }
            },
            Value::Table(table) => match (table.len(), table.get("text")) {
                (1, Some(Value::String(text))) if !text.contains('\0') => {
                    let known = self.texts.iter().position(|other| other == text);
                    Ok(Arg::Text(known.unwrap_or_else(|| {
                        self.texts.push(text.clone());
                        self.texts.len() - 1
                    })))
                }
                _ => Err(source.error(
                    arg,
                    "expected a table of one text without a zero, as { text = \"a text\" }",
                )),
            },
            _ => Err(source.error(
                arg,
                "expected a number, true or false, the name of what is known at the place, or { text = \"a text\" }",
            )),
        }
    }

    /// Refuses an argument that is not known at the place, or none of the parameter's type.
    fn check_arg(
        &self,
        (kind, side): (Kind, Side),
        spanned: &Spanned<Value>,
        arg: &Arg,
        (index, ty): (usize, Type),
    ) -> Result<(), RecipeError> {
        let error = |message: String| Err(self.source.error(spanned, message));
        let is_integer = !matches!(ty, Type::PTR | Type::F32 | Type::F64);
        let wrong = |what: &str| {
            error(format!(
                "{what} for parameter {index} of the hook, which is {}",
                type_word(ty)
            ))
        };
        match arg {
            Arg::Int(_) if !is_integer => wrong("a number"),
            Arg::Int(number) => {
                let bits = int_bits(ty);
                let fits = *number >= -(1 << (bits - 1).min(126)) && *number < 1 << bits;
                match fits {
                    true => Ok(()),
                    false => wrong(&format!("the number {number} is too large")),
                }
            }
            Arg::Text(_) if ty != Type::PTR => wrong("a text"),
            Arg::Text(_) => Ok(()),
            Arg::Datum(datum) => {
                let Value::String(word) = spanned.get_ref() else {
                    return Ok(());
                };
                if !datum.is_known_at(kind) {
                    return error(format!(
                        "`{word}` is not known at a `{}`; known there: {}",
                        kind.word(),
                        words_at(kind).join(", ")
                    ));
                }
                if datum.comes_after(kind) && side == Side::Before {
                    return error(format!(
                        "`{word}` is known only after a `{}`: say place = \"after\"",
                        kind.word()
                    ));
                }
                match datum.nature() {
                    Nature::Number if !is_integer => wrong(&format!("`{word}` is a number:")),
                    Nature::Own if ty != Type::PTR => wrong(&format!("`{word}` is a pointer:")),
                    Nature::Text if ty != Type::PTR => wrong(&format!("`{word}` is a text:")),
                    Nature::Pointer if ty != Type::PTR && ty != Type::I64 => wrong(&format!("`{word}` is an address:")),
                    _ => Ok(()),
                }
            }
        }
    }

    fn filters(&self, kind: Kind, text: &InsertText) -> Result<Filters, RecipeError> {
        let source = self.source;
        let regex = |pattern: &Option<Spanned<String>>| match pattern {
            None => Ok(None),
            Some(pattern) => match Regex::new(pattern.get_ref()) {
                Ok(regex) => Ok(Some(regex)),
                Err(error) => {
                    let message = format!("`{}` is no regular expression: {error}", pattern.get_ref());
                    Err(source.error(pattern, message))
                }
            },
        };
        let senseless = |item: &Spanned<String>, what: &str| {
            let message = format!("a place of the kind `{}` has no {what} to choose by", kind.word());
            Err(source.error(item, message))
        };
        let has_callee = matches!(kind, Kind::Call | Kind::IndirectCall);
        if let Some(callees) = text.callees.as_ref().filter(|_| !has_callee) {
            return senseless(callees, "callee");
        }
        let mut opcodes = Vec::new();
        for name in text.opcodes.iter().flatten() {
            if !kind.is_instruction() {
                return senseless(name, "opcode");
            }
            let Some(op) = Opcode::from_name(name.get_ref()) else {
                let message = format!(
                    "unknown opcode `{}`; {}",
                    name.get_ref(),
                    hint(name.get_ref(), ALL.iter().map(|op| op.name()))
                );
                return Err(source.error(name, message));
            };
            if !kind.takes(op) {
                let message = format!("`{}` is no instruction of the kind `{}`", op.name(), kind.word());
                return Err(source.error(name, message));
            }
            opcodes.push(op);
        }
        let mut flags = IntFlags::empty();
        for name in text.flags.iter().flatten() {
            if kind != Kind::Instruction {
                return senseless(name, "flag");
            }
            let found = IntFlags::from_name(&name.get_ref().to_uppercase());
            let Some(flag) = found.filter(|_| !name.get_ref().contains(char::is_uppercase)) else {
                let message = format!(
                    "unknown flag `{}`; {}",
                    name.get_ref(),
                    hint(name.get_ref(), ["nuw", "nsw", "exact", "disjoint", "nneg", "samesign"])
                );
                return Err(source.error(name, message));
            };
            flags |= flag;
        }
        if let Some(bits) = text.bits.as_ref().filter(|_| kind != Kind::Instruction) {
            let message = format!("a place of the kind `{}` has no width to choose by", kind.word());
            return Err(source.error(bits, message));
        }
        let accesses = matches!(kind, Kind::Load | Kind::Store | Kind::Atomic);
        if let Some(sizes) = text
            .sizes
            .as_ref()
            .filter(|_| !accesses && kind != Kind::StackAllocation)
        {
            let message = format!("a place of the kind `{}` has no size to choose by", kind.word());
            return Err(source.error(sizes, message));
        }
        if let Some(spaces) = text.address_spaces.as_ref().filter(|_| !accesses) {
            let message = format!(
                "a place of the kind `{}` has no address space to choose by",
                kind.word()
            );
            return Err(source.error(spaces, message));
        }
        if let Some(lines) = text
            .lines
            .as_ref()
            .filter(|lines| lines.get_ref().0 > lines.get_ref().1)
        {
            return Err(source.error(lines, "the first line is after the last"));
        }
        Ok(Filters {
            functions: regex(&text.functions)?,
            not_functions: regex(&text.not_functions)?,
            callees: regex(&text.callees)?,
            files: regex(&text.files)?,
            lines: text.lines.as_ref().map(|lines| *lines.get_ref()),
            opcodes,
            flags: flags.bits(),
            bits: text.bits.as_ref().map_or(Vec::new(), |bits| bits.get_ref().clone()),
            sizes: text.sizes.as_ref().map_or(Vec::new(), |sizes| sizes.get_ref().clone()),
            address_spaces: (text.address_spaces.as_ref()).map_or(Vec::new(), |spaces| spaces.get_ref().clone()),
        })
    }
}

/// The bits of an integer type of a hook's parameter.
fn int_bits(ty: Type) -> u32 {
    match ty {
        Type::I1 => 1,
        Type::I8 => 8,
        Type::I16 => 16,
        Type::I32 => 32,
        _ => 64,
    }
}

fn counted(count: usize, what: &str) -> String {
    match count {
        0 => format!("no {what}"),
        1 => format!("one {what}"),
        _ => format!("{count} {what}s"),
    }
}
