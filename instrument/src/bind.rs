//! Tools and a program: the symbols of the program's module for hooks, for what the bodies of hooks name, and for
//! texts.
//!
//! What is private to the hooks' module (`static` in C) is there once for the whole program, although hooks are
//! inlined into many objects: in their own object it gets a name, `frazil.TOOL.NAME`, that other objects of the image
//! see and nobody else ([`promote`]). What is not private keeps its name and visibility.

use crate::hooks::HookCode;
use crate::known::convention;
use crate::records::{DerivedData, OwnData, Row};
use crate::texts::{Texts, add_text, define_opcode_names};
use crate::tool::{Tool, Tools};
use frazil_ir::debug::kind::File;
use frazil_ir::module::{SymbolData, TlsModel};
use frazil_ir::opcode::ALL;
use frazil_ir::{EntityRef, FuncId, Linkage, Module, SymbolId, SymbolKind, Visibility};
use frazil_passes::RecipeError;
use frazil_support::FxHashMap;
use serde_json::json;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};

/// The tools of a program and their symbols in its module.
#[derive(Debug)]
pub struct Bound {
    pub tools: Arc<Tools>,
    /// The hooks of all tools.
    pub(crate) hooks: Vec<BoundHook>,
    /// By tool: the number of its first hook, and its symbols by those of the hooks' module.
    pub(crate) parts: Vec<Part>,
    pub(crate) texts: Texts,
    /// By tool and function.
    own: FxHashMap<(usize, FuncId), OwnData>,
    /// The places of functions of tools that want a table of them.
    pub(crate) sites: Mutex<Vec<(usize, FuncId, Vec<Row>)>>,
    hooks_by_symbol: FxHashMap<SymbolId, usize>,
}

/// A hook in a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundHook {
    pub tool: usize,
    /// Its number in the tool.
    pub number: usize,
    pub symbol: SymbolId,
}

/// A tool in a program.
#[derive(Debug)]
pub(crate) struct Part {
    pub first_hook: usize,
    /// By symbol of the hooks' module.
    pub symbols: Vec<SymbolId>,
}

/// Adds what tools need to a module, before its functions are read, and notes the tools in it.
///
/// # Errors
/// When the module is that of a tool's hooks.
pub fn bind(tools: &Arc<Tools>, module: &mut Module) -> Result<(), RecipeError> {
    let mut names: FxHashMap<Vec<u8>, SymbolId> = FxHashMap::default();
    for (symbol, data) in module.symbols.iter() {
        let name = module.name(symbol);
        if !data.linkage.is_local() {
            names.insert(name.to_vec(), symbol);
        }
    }
    let mut bound = Bound {
        tools: Arc::clone(tools),
        hooks: Vec::new(),
        parts: Vec::new(),
        texts: Texts::default(),
        own: FxHashMap::default(),
        sites: Mutex::default(),
        hooks_by_symbol: FxHashMap::default(),
    };
    for tool in tools.all() {
        if is_same_module(&tool.module.module, module) {
            return Err(RecipeError::new(format!(
                "{}: this module has the hooks themselves, which are not instrumented: --emit hooks compiles them",
                tool.file
            )));
        }
        bound.add_tool(tool, module, &mut names)?;
    }
    bound.add_names(module);
    module.instrumentation = Some(Arc::new(bound));
    Ok(())
}

/// Whether two modules have the same functions, and some.
fn is_same_module(hooks: &Module, program: &Module) -> bool {
    let names = |module: &Module| -> Vec<Vec<u8>> {
        let functions = module.functions.values();
        functions.map(|head| module.name(head.symbol).to_vec()).collect()
    };
    let count = program.functions.len();
    count > 0 && count == hooks.functions.len() && names(hooks) == names(program)
}

impl Bound {
    /// The tools that a module is instrumented by.
    pub fn of(module: &Module) -> Option<&Bound> {
        module.instrumentation.as_ref()?.downcast_ref()
    }

    fn add_tool(
        &mut self,
        tool: &Tool,
        module: &mut Module,
        names: &mut FxHashMap<Vec<u8>, SymbolId>,
    ) -> Result<(), RecipeError> {
        let theirs = &tool.module.module;
        let mut symbols = Vec::new();
        for (symbol, data) in theirs.symbols.iter() {
            let name = name_in_programs(tool, symbol);
            let known = names.get(&name).copied();
            symbols.push(match known {
                Some(known) if tool.object.is_some() => {
                    take_declaration(tool, module, known)?;
                    known
                }
                Some(known) => known,
                None => {
                    let added = add_symbol(module, data, &name, is_own(tool, symbol));
                    names.insert(name, added);
                    added
                }
            });
        }
        let first_hook = self.hooks.len();
        for (number, hook) in tool.hooks.iter().enumerate() {
            let symbol = symbols[hook.symbol.index()];
            self.hooks_by_symbol.insert(symbol, self.hooks.len());
            self.hooks.push(BoundHook {
                tool: self.parts.len(),
                number,
                symbol,
            });
        }
        let texts = tool.texts.iter().map(|text| add_text(module, text.as_bytes()));
        self.texts.of_tools.push(texts.collect());
        self.parts.push(Part { first_hook, symbols });
        Ok(())
    }

    /// Adds the program's names that some tool gives to its hooks.
    fn add_names(&mut self, module: &mut Module) {
        let wanted: Vec<_> = (self.tools.all().iter())
            .map(|tool| tool.instrumenter.names())
            .collect();
        let has_records = wanted.iter().any(|names| names.records);
        for (tool, _) in wanted.iter().enumerate().filter(|(_, names)| names.records) {
            for id in module.functions.keys().collect::<Vec<_>>() {
                let mut symbol = |what: &str| {
                    let name = format!(".frazil.{what}.{tool}.{}", id.index());
                    let name = module.strings.add(name.as_bytes());
                    module.symbols.push(SymbolData {
                        name,
                        kind: SymbolKind::DataDeclaration,
                        linkage: Linkage::Private,
                        dso_local: true,
                        ..SymbolData::default()
                    })
                };
                let own = OwnData {
                    counters: symbol("counters"),
                    records: symbol("records"),
                    derived: self.tools.all()[tool].derive.then(|| DerivedData {
                        hidden: symbol("hidden"),
                        sums: symbol("sums"),
                    }),
                };
                self.own.insert((tool, id), own);
            }
        }
        if has_records || wanted.iter().any(|names| names.functions) {
            for id in module.functions.keys().collect::<Vec<_>>() {
                let name = module.display_name(module.functions[id].symbol).into_owned();
                self.texts.functions.insert(id, add_text(module, name.as_bytes()));
            }
        }
        if wanted.iter().any(|names| names.opcodes) {
            self.texts.opcodes = ALL.iter().map(|op| add_text(module, op.name().as_bytes())).collect();
        }
        if has_records || wanted.iter().any(|names| names.files) {
            let mut files: Vec<Vec<u8>> = vec![Vec::new()];
            if let Some(debug) = module.debug.as_deref() {
                let nodes = debug.nodes.ids().filter_map(|id| debug.nodes.get::<File>(id));
                files.extend(nodes.map(|file| debug.nodes.text_at(file.name).to_vec()));
            }
            for file in files {
                if let Entry::Vacant(vacant) = self.texts.files.entry(file) {
                    let text = add_text(module, vacant.key());
                    vacant.insert(text);
                }
            }
        }
    }

    /// The symbols of a tool's data in a function, if it has some.
    pub(crate) fn own(&self, tool: usize, id: FuncId) -> Option<OwnData> {
        self.own.get(&(tool, id)).copied()
    }

    /// The hook that a symbol of the program's module is.
    pub(crate) fn hook_of(&self, symbol: SymbolId) -> Option<&BoundHook> {
        self.hooks_by_symbol.get(&symbol).map(|&index| &self.hooks[index])
    }
}

/// What a symbol of the hooks' module is called in objects.
fn name_in_programs(tool: &Tool, symbol: SymbolId) -> Vec<u8> {
    let theirs = &tool.module.module;
    match is_own(tool, symbol) {
        false => theirs.name(symbol).to_vec(),
        true => promoted_name(&tool.name, theirs.name(symbol), symbol),
    }
}

/// The name of what is private to the hooks of a tool.
fn promoted_name(tool: &str, name: &[u8], symbol: SymbolId) -> Vec<u8> {
    let mut text = format!("frazil.{tool}.").into_bytes();
    match name {
        [] => text.extend(format!("{}", symbol.index()).bytes()),
        name => text.extend_from_slice(name),
    }
    text
}

/// Makes the module of a tool's hooks what the programs want that it is linked with: what is private and the hooks get
/// names that the objects see which hooks are inlined into, and hooks keep the registers of their callers.
///
/// Only an object that is made so has the names of the hooks: hooks that another compiler has made, which would
/// overwrite registers, do not link.
pub fn promote(tool: &Tool, module: &mut Module) {
    for symbol in module.symbols.keys().collect::<Vec<_>>() {
        let data = &module.symbols[symbol];
        if !data.is_defined() || !is_own(tool, symbol) {
            continue;
        }
        let name = promoted_name(&tool.name, module.name(symbol), symbol);
        let name = module.strings.add(&name);
        let data = &mut module.symbols[symbol];
        data.name = name;
        data.linkage = Linkage::External;
        data.visibility = Visibility::Hidden;
        data.dso_local = true;
        data.comdat = None;
    }
    for hook in &tool.hooks {
        if let HookCode::Function(id) = hook.code {
            module.functions[id].call_conv = convention(&tool.module, id);
        }
    }
    define_opcode_names(module);
}

/// Whether a symbol of the hooks' module is called otherwise in objects: what is private, and hooks.
fn is_own(tool: &Tool, symbol: SymbolId) -> bool {
    let theirs = &tool.module.module;
    let is_hook = || tool.object.is_none() && tool.hooks.iter().any(|hook| hook.symbol == symbol);
    theirs.symbols.get(symbol).is_some_and(|data| data.linkage.is_local()) || is_hook()
}

/// Makes what the program declares the hook of an object.
fn take_declaration(tool: &Tool, module: &mut Module, symbol: SymbolId) -> Result<(), RecipeError> {
    if module.symbols[symbol].kind != SymbolKind::FunctionDeclaration {
        return Err(RecipeError::new(format!(
            "{}: the program has a `{}` of its own, which would be called instead of the hook: rename one of them",
            tool.file,
            module.display_name(symbol)
        )));
    }
    let data = &mut module.symbols[symbol];
    data.linkage = Linkage::External;
    data.visibility = Visibility::Hidden;
    data.dso_local = true;
    Ok(())
}

/// Adds a declaration of what the hooks' module has.
fn add_symbol(module: &mut Module, theirs: &SymbolData, name: &[u8], is_private: bool) -> SymbolId {
    let is_hidden = is_private || theirs.visibility != Visibility::Default;
    // Where the program may be a shared library, what others see may be elsewhere.
    let is_executable = module.flags.pic_level.unwrap_or(0) == 0 || module.flags.pie_level.unwrap_or(0) > 0;
    let data = SymbolData {
        name: module.strings.add(name),
        kind: match theirs.is_function() {
            true => SymbolKind::FunctionDeclaration,
            false => SymbolKind::DataDeclaration,
        },
        linkage: match theirs.linkage {
            Linkage::ExternalWeak => Linkage::ExternalWeak,
            _ => Linkage::External,
        },
        visibility: match is_private {
            true => Visibility::Hidden,
            false => theirs.visibility,
        },
        dso_local: is_hidden || (theirs.is_defined() && is_executable),
        tls: match theirs.tls {
            // The offset of what lies in another object is not known when that is compiled.
            TlsModel::LocalDynamic if !is_hidden => TlsModel::GeneralDynamic,
            other => other,
        },
        ..SymbolData::default()
    };
    module.symbols.push(data)
}

impl Bound {
    /// The places of tools that want a table of them, as JSON: for each tool and function, in the order of the module,
    /// the kind, block, line and file of each place. Nothing if no tool wants one.
    pub fn sites(&self, module: &Module) -> Option<String> {
        if !self.tools.all().iter().any(|tool| tool.sites) {
            return None;
        }
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        sites.sort_by_key(|(tool, id, _)| (*tool, id.index()));
        let functions = sites.iter().map(|(tool, id, rows)| {
            let text_of = |file: Option<SymbolId>| {
                let found = self.texts.files.iter().find(|(_, symbol)| Some(**symbol) == file);
                found.map(|(name, _)| String::from_utf8_lossy(name).into_owned())
            };
            let rows: Vec<_> = (rows.iter())
                .map(|row| {
                    json!({
                        "kind": row.kind.word(),
                        "block": row.block,
                        "line": row.line,
                        "file": text_of(row.file).unwrap_or_default(),
                    })
                })
                .collect();
            json!({
                "tool": self.tools.all()[*tool].name,
                "function": module.display_name(module.functions[*id].symbol),
                "number": id.index(),
                "sites": rows,
            })
        });
        let functions: Vec<_> = functions.collect();
        Some(format!("{:#}\n", json!(functions)))
    }
}
