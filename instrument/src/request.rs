//! What says where hooks are called: it looks at a function and asks for hooks at places.
//!
//! A tool file is one such [`Instrumenter`]; a program in Rust may bring others. Nothing is edited while one looks: the
//! pass [`crate::insert`] puts in afterwards what all have asked for.

use crate::places::Kind;
use crate::records::{COUNTER_BYTES, OwnData, RECORD_BYTES, Row};
use crate::texts::Texts;
use frazil_ir::debug::kind::{File, LexicalBlock, LexicalBlockFile, Subprogram};
use frazil_ir::debug::{Location, NodeRef};
use frazil_ir::loops::LoopTree;
use frazil_ir::module::FunctionHead;
use frazil_ir::{Block, FuncId, Function, Inst, Module, Opcode, Operand, PassError, SymbolId, Type};
use std::borrow::Cow;
use std::fmt;

/// Says where the hooks of a tool are called.
pub trait Instrumenter: fmt::Debug + Send + Sync {
    /// Looks at a function and asks for hooks.
    ///
    /// # Errors
    /// When the function has a place that cannot have the hook; the message says why.
    fn look(&self, view: &View<'_>, requests: &mut Requests) -> Result<(), PassError>;

    /// What of the program's names hooks are given as texts, so that the object has them.
    fn names(&self) -> Names {
        Names::default()
    }
}

/// Names of the program that hooks are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Names {
    pub functions: bool,
    /// Of the source.
    pub files: bool,
    pub opcodes: bool,
    /// Whether places have counters and records.
    pub records: bool,
}

/// A function that is looked at.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub function: &'a Function,
    pub module: &'a Module,
    pub head: &'a FunctionHead,
    /// The function's number in its module.
    pub id: FuncId,
    pub loops: &'a LoopTree,
    pub(crate) texts: &'a Texts,
    /// Which tool looks.
    pub(crate) tool: usize,
    /// The symbols of its counters and records in this function, if it has some.
    pub(crate) own: Option<OwnData>,
}

impl<'a> View<'a> {
    /// The function's name.
    pub fn name(&self) -> Cow<'a, str> {
        self.module.display_name(self.head.symbol)
    }

    /// A text of [`crate::Tool::texts`], as an argument.
    pub fn text(&self, number: usize) -> HookArg {
        HookArg::Symbol(self.texts.of_tools[self.tool][number])
    }

    /// The function's name as an argument, if [`Names::functions`] asked for it.
    pub fn function_name(&self) -> HookArg {
        HookArg::of_name(self.texts.function(self.id))
    }

    /// The name of an operation as an argument, if [`Names::opcodes`] asked for it.
    pub fn opcode_name(&self, op: Opcode) -> HookArg {
        HookArg::of_name(self.texts.opcode(op))
    }

    /// The name of the source file of an instruction as an argument, if [`Names::files`] asked for it.
    pub fn file_name(&self, inst: Inst) -> HookArg {
        HookArg::of_name(self.texts.file(self.file_of(inst).unwrap_or_default()))
    }

    /// A counter and a record of a place of a kind, if [`Names::records`] asked for them: the record has the line and
    /// file of an instruction. Each call makes new ones.
    pub fn record(&self, requests: &mut Requests, kind: Kind, inst: Inst, block: Block) -> Option<(HookArg, HookArg)> {
        let own = self.own?;
        let number = requests.rows.len();
        requests.rows.push(Row {
            kind,
            line: self.line_of(inst).unwrap_or(0),
            file: self.texts.file(self.file_of(inst).unwrap_or_default()),
            block: frazil_ir::EntityRef::index(block) as u32,
        });
        let at = |symbol: SymbolId, bytes: usize| HookArg::Inside(symbol, (number * bytes) as i64);
        Some((at(own.counters, COUNTER_BYTES), at(own.records, RECORD_BYTES)))
    }

    fn location_of(&self, inst: Inst) -> Option<&'a Location> {
        let debug = &self.function.debug;
        if !debug.is_on() {
            return None;
        }
        debug.location(debug.location_of(frazil_ir::EntityRef::index(inst)))
    }

    /// The line in the source that an instruction comes from, counted from 1.
    pub fn line_of(&self, inst: Inst) -> Option<u32> {
        self.location_of(inst)
            .map(|location| location.line)
            .filter(|&line| line > 0)
    }

    /// The name of the source file that an instruction comes from.
    pub fn file_of(&self, inst: Inst) -> Option<&'a [u8]> {
        let scope = self.location_of(inst)?.scope;
        let file: NodeRef = (self.node::<LexicalBlockFile>(scope).map(|entry| entry.file))
            .or_else(|| self.node::<LexicalBlock>(scope).map(|entry| entry.file))
            .or_else(|| self.node::<Subprogram>(scope).map(|entry| entry.file))?;
        let name = self.node::<File>(file)?.name;
        let (nodes, shared) = (&self.function.debug.nodes, self.module.debug.as_deref()?);
        let is_own = name.node().is_some_and(|node| node.as_u32() >= nodes.first());
        Some(if is_own {
            nodes.text_at(name)
        } else {
            shared.nodes.text_at(name)
        })
    }

    /// A node of the debug information, the function's or the module's.
    fn node<E: frazil_ir::debug::Entry>(&self, node: NodeRef) -> Option<E> {
        let nodes = &self.function.debug.nodes;
        match node.node()?.as_u32() >= nodes.first() {
            true => nodes.at(node),
            false => self.module.debug.as_deref()?.nodes.at(node),
        }
    }
}

/// Where a hook is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Before(Inst),
    /// For a call that has two ways on, only where it has returned.
    After(Inst),
    /// After the phis of a block, and its landing pad.
    Start(Block),
    /// Whenever control goes from the first block to the second.
    Edge(Block, Block),
}

/// What a hook is given at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookArg {
    /// A number, cut to the parameter's width.
    Int(i128),
    /// A value of the program of this type, brought to the parameter's: integers are cut or get zeros in front, and
    /// floats that become integers keep their bits.
    Value(Operand, Type),
    /// The address of a symbol of the program's module.
    Symbol(SymbolId),
    /// So many bytes further.
    Inside(SymbolId, i64),
}

impl HookArg {
    /// A name, or null if the object does not have it.
    fn of_name(symbol: Option<SymbolId>) -> HookArg {
        match symbol {
            Some(symbol) => HookArg::Symbol(symbol),
            None => HookArg::Value(Operand::ZERO, Type::PTR),
        }
    }
}

/// A hook at a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub place: Place,
    /// Among the hooks of all tools.
    pub hook: usize,
    /// Where its arguments are among all.
    pub args: (u32, u32),
    /// Whether it goes where a pass deletes the load or store that it stands at.
    pub follows: bool,
}

/// What was asked for in a function.
#[derive(Debug, Default)]
pub struct Requests {
    pub(crate) list: Vec<Request>,
    pub(crate) args: Vec<HookArg>,
    /// Counters and records of the tool that looks.
    pub(crate) rows: Vec<Row>,
    /// The number of the tool's first hook among those of all tools.
    pub(crate) first_hook: usize,
}

impl Requests {
    /// Asks for a hook, by its number among those of the tool. There is one argument for each of its parameters.
    pub fn call(&mut self, place: Place, hook: usize, args: &[HookArg]) {
        self.push(place, hook, args, false);
    }

    /// The same for a hook before or after a load or store, which goes where a pass deletes that.
    pub fn call_that_follows(&mut self, place: Place, hook: usize, args: &[HookArg]) {
        self.push(place, hook, args, true);
    }

    fn push(&mut self, place: Place, hook: usize, args: &[HookArg], follows: bool) {
        let start = self.args.len() as u32;
        self.args.extend_from_slice(args);
        self.list.push(Request {
            place,
            hook: self.first_hook + hook,
            args: (start, args.len() as u32),
            follows,
        });
    }

    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.args.clear();
        self.rows.clear();
    }

    pub(crate) fn args_of(&self, request: &Request) -> &[HookArg] {
        let (start, count) = request.args;
        &self.args[start as usize..(start + count) as usize]
    }
}
