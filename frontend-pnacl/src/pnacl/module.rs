//! An executable without the bodies of its functions: types, functions, data and names.

use super::codes::{block as id, module as code, symbols};
use super::globals;
use super::header;
use super::intrinsics::{self, Action, Intrinsic, Ty};
use super::types::{Kind, Types};
use crate::bitstream::block::{BLOCKINFO_ID, Block, BlockInfo, Item, SubBlock, next_top_level};
use crate::bitstream::cursor::Cursor;
use crate::bitstream::record::Record;
use crate::error::{ReadError, ReadErrorKind};
use frazil_ir::module::{DataLayout, FunctionHead, SymbolData};
use frazil_ir::{FuncId, Linkage, Module, SymbolId, SymbolKind};
use frazil_support::{EntityRef, FxHashMap};
use std::collections::HashSet;
use std::ops::Range;

/// The function that the run-time library calls, and its name in the file, which the system's libraries have, too.
const START: (&[u8], &[u8]) = (b"_start", b"__pexe_start");

/// What is known of a function besides its symbol.
#[derive(Clone, Debug)]
pub struct FunctionInfo {
    /// The number of its type.
    pub ty: u32,
    pub is_defined: bool,
    pub intrinsic: Option<Intrinsic>,
    /// Where it is declared.
    place: u64,
}

/// Everything but the bodies of an executable's functions.
#[derive(Debug)]
pub struct PexeModule<'a> {
    pub(super) stream: Cursor<'a>,
    pub(super) block_info: BlockInfo,
    pub(super) types: Types,
    /// By value: functions come first.
    pub(super) functions: Vec<FunctionInfo>,
    /// How many functions and variables there are, whose values are the first ones of each function.
    pub(super) symbols: u32,
    /// The functions of the run-time library, by name.
    pub(super) library: FxHashMap<&'static str, SymbolId>,
    pub(super) bodies: Vec<SubBlock>,
    module: Module,
}

/// How far the module block has come: its parts have an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Start,
    Types,
    Globals,
    Names,
    Bodies,
}

impl<'a> PexeModule<'a> {
    /// Reads an executable up to its functions.
    ///
    /// # Errors
    /// If the file is none, is cut off, or breaks a rule of the ABI.
    pub fn open(bytes: &'a [u8]) -> Result<PexeModule<'a>, ReadError> {
        let header = header::read(bytes)?;
        let mut cursor = Cursor::new(bytes);
        if header.pads_records {
            cursor.pad_records();
        }
        cursor.seek(8 * header.end as u64);
        let Some(outer) = next_top_level(&mut cursor)? else {
            return Err(ReadError::malformed(cursor.position(), "no module after the header"));
        };
        if outer.id != id::MODULE {
            let message = format!("block {} after the header; expected a module", outer.id);
            return Err(ReadError::malformed(outer.start, message));
        }
        if let Some(second) = next_top_level(&mut cursor)? {
            let message = format!("block {} after the module; an executable is one module", second.id);
            return Err(ReadError::malformed(second.start, message));
        }
        let mut this = PexeModule {
            stream: cursor.clone(),
            block_info: BlockInfo::default(),
            types: Types::default(),
            functions: Vec::new(),
            symbols: 0,
            library: FxHashMap::default(),
            bodies: Vec::new(),
            module: Module::new(DataLayout::default()),
        };
        this.read_module(&mut cursor, &outer)
            .map_err(|error| error.within("the module"))?;
        Ok(this)
    }

    /// The module without bodies.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The same, to add symbols to: those that there are keep their numbers.
    pub fn module_mut(&mut self) -> &mut Module {
        &mut self.module
    }

    /// Where a function's body lies in the file, in bits from its beginning.
    pub fn body_place(&self, function: FuncId) -> Range<u64> {
        self.bodies
            .get(function.index())
            .map_or(0..0, |body| body.start..body.end)
    }

    fn read_module(&mut self, cursor: &mut Cursor<'a>, header: &SubBlock) -> Result<(), ReadError> {
        let mut record = Record::default();
        let mut block = Block::enter(cursor, header, &[]);
        let (mut part, mut version, mut has_info) = (Part::Start, false, false);
        loop {
            let place = cursor.position();
            let item = block.next_restricted(cursor, &mut record)?;
            let next = match item {
                Item::End => break,
                Item::Record if record.code() == code::VERSION && part == Part::Start && !version => {
                    if record.operands() != [1] {
                        return Err(record.malformed("a module of another version of its records than 1"));
                    }
                    version = true;
                    continue;
                }
                Item::Record if record.code() == code::FUNCTION && part == Part::Types => {
                    self.declare(&record)?;
                    continue;
                }
                Item::Record => {
                    let message = format!("record {} in the module at this place", record.code());
                    return Err(record.malformed(message));
                }
                Item::Block(inner) if inner.id == BLOCKINFO_ID && part == Part::Start && !has_info => {
                    has_info = true;
                    let outcome = self.block_info.read(cursor, &inner);
                    outcome
                        .and_then(|()| self.block_info.check_restricted(inner.start))
                        .map_err(|error| error.within("blockinfo"))?;
                    continue;
                }
                Item::Block(inner) => inner,
            };
            let after = cursor.position();
            let new = match next.id {
                id::TYPES => Part::Types,
                id::GLOBALS => Part::Globals,
                id::SYMBOLS => Part::Names,
                id::FUNCTION => Part::Bodies,
                other => {
                    return Err(ReadError::malformed(
                        place,
                        format!("block {other}, which the ABI does not have"),
                    ));
                }
            };
            let is_next = new > part && (part >= Part::Types || new == Part::Types);
            let is_another_body = new == Part::Bodies && part == Part::Bodies;
            if !(is_next || is_another_body) {
                let message = format!(
                    "{} at this place: types come first, then functions, variables, names, bodies",
                    name(next.id)
                );
                return Err(ReadError::malformed(place, message));
            }
            if new >= Part::Names && part < Part::Globals {
                return Err(ReadError::malformed(
                    place,
                    "a module without a block of variables, which comes before names",
                ));
            }
            if new == Part::Bodies && part < Part::Bodies {
                self.check_functions()?;
            }
            part = new;
            let entered = |cursor: &mut Cursor<'a>, info| Block::enter(cursor, &next, info);
            let outcome = match new {
                Part::Types => {
                    let block = entered(cursor, self.block_info.abbreviations(next.id));
                    self.types.read(cursor, block)
                }
                Part::Globals => {
                    let block = entered(cursor, self.block_info.abbreviations(next.id));
                    globals::read(cursor, block, &mut self.module)
                }
                Part::Names => self.read_names(cursor, &next),
                _ => {
                    self.bodies.push(next);
                    Ok(())
                }
            };
            outcome.map_err(|error| error.within(name(next.id)))?;
            cursor.seek(after);
        }
        if part < Part::Bodies {
            self.check_functions()?;
        }
        let (bodies, functions) = (self.bodies.len(), self.module.functions.len());
        if bodies != functions {
            let message = format!("{bodies} bodies for {functions} functions that have one");
            return Err(ReadError::malformed(header.start, message));
        }
        match version {
            true => Ok(()),
            false => Err(ReadError::malformed(
                header.start,
                "the module does not say the version of its records",
            )),
        }
    }

    fn declare(&mut self, record: &Record) -> Result<(), ReadError> {
        let &[ty, convention, is_declaration, linkage] = record.operands() else {
            let message = format!("a function of {} operands; expected 4", record.operands().len());
            return Err(record.malformed(message));
        };
        let ty = u32::try_from(ty).unwrap_or(u32::MAX);
        if self.types.function(ty).is_none() {
            return Err(record.malformed(format!("a function of {}", self.types.name(ty))));
        }
        if convention != 0 {
            return Err(record.malformed(format!(
                "calling convention {convention}; the ABI has 0 only, that of C"
            )));
        }
        let linkage = match linkage {
            0 => Linkage::External,
            3 => Linkage::Internal,
            other => return Err(record.malformed(format!("linkage {other}; expected 0, external, or 3, internal"))),
        };
        let symbol = SymbolId::new(self.module.symbols.len());
        let is_defined = match is_declaration {
            0 => true,
            1 => false,
            other => return Err(record.malformed(format!("{other} in place of whether a function is declared only"))),
        };
        let kind = match is_defined {
            true => SymbolKind::Function(self.module.functions.push(FunctionHead {
                no_unwind: true,
                unwind_table: false,
                ..FunctionHead::new(symbol)
            })),
            false => SymbolKind::FunctionDeclaration,
        };
        self.module.symbols.push(SymbolData {
            kind,
            linkage,
            dso_local: true,
            ..SymbolData::default()
        });
        self.functions.push(FunctionInfo {
            ty,
            is_defined,
            intrinsic: None,
            place: record.start(),
        });
        Ok(())
    }

    /// Reads the names of functions and variables.
    fn read_names(&mut self, cursor: &mut Cursor<'a>, header: &SubBlock) -> Result<(), ReadError> {
        let mut record = Record::default();
        // Names come from the file, which may choose them so that others collide.
        let mut seen: HashSet<Vec<u8>> = HashSet::new();
        let mut block = Block::enter(cursor, header, self.block_info.abbreviations(id::SYMBOLS));
        loop {
            match block.next_restricted(cursor, &mut record)? {
                Item::End => return Ok(()),
                Item::Record if record.code() == symbols::ENTRY => {}
                Item::Record | Item::Block(_) => {
                    return Err(record.malformed("something else than a name in the module's table of names"));
                }
            }
            let (value, name) = (record.operand(0)?, record.text(1));
            let count = self.module.symbols.len();
            let known = (value < count as u64).then(|| SymbolId::new(value as usize));
            let Some(symbol) = known.and_then(|id| self.module.symbols.get(id)) else {
                return Err(record.malformed(format!("a name for value {value} of {count}")));
            };
            if !symbol.name.is_empty() || name.is_empty() {
                return Err(record.malformed(format!("value {value} has two names, or an empty one")));
            }
            let is_data = !symbol.is_function();
            let shown = String::from_utf8_lossy(&name).into_owned();
            let own = if name == START.0 { START.1 } else { &name };
            let own = self.module.strings.add(own);
            if let Some(data) = self.module.symbols.get_mut(SymbolId::new(value as usize)) {
                data.name = own;
                if is_data {
                    data.linkage = Linkage::Internal;
                }
            }
            if !seen.insert(name) {
                return Err(record.malformed(format!("two values of the name {shown}")));
            }
        }
    }

    /// What the ABI says of functions, once their names are known.
    fn check_functions(&mut self) -> Result<(), ReadError> {
        self.symbols = self.module.symbols.len() as u32;
        for number in 0..self.functions.len() {
            let symbol = SymbolId::new(number);
            let name = self.module.name(symbol).to_vec();
            let Some(info) = self.functions.get(number) else { break };
            let wrong = |what: &str| {
                let message = format!("function {number} \"{}\": {what}", String::from_utf8_lossy(&name));
                ReadError::malformed(info.place, message)
            };
            let (result, parameters) = self.types.function(info.ty).unwrap_or((0, &[]));
            let intrinsic = intrinsics::find(&name);
            if let Some(intrinsic) = &intrinsic {
                let (types, expected) = (&self.types, intrinsic.parameters);
                let is_same = parameters.len() == expected.len()
                    && parameters
                        .iter()
                        .zip(expected)
                        .all(|(&own, &expected)| is_type(types, own, expected))
                    && is_type(types, result, intrinsic.result);
                if !is_same || info.is_defined {
                    return Err(wrong("an intrinsic has another type than the ABI says, or a body"));
                }
            } else if name.starts_with(b"llvm.") {
                return Err(wrong("the ABI has no such intrinsic"));
            } else if !info.is_defined {
                return Err(wrong(
                    "it has no body, and is no intrinsic; an executable depends on no others",
                ));
            } else if !parameters.iter().all(|&ty| self.types.is_passed(ty))
                || !(self.types.kind(result) == Some(&Kind::Void) || self.types.is_passed(result))
            {
                return Err(wrong(
                    "a parameter or result of a type that only intrinsics take: i1, i8 or i16",
                ));
            } else if name == START.1 {
                let is_start = matches!(parameters, &[ty] if self.types.is_integer(ty, 32));
                if !is_start || self.types.kind(result) != Some(&Kind::Void) {
                    return Err(wrong("_start takes one i32 and returns nothing"));
                }
            }
            if let Some(info) = self.functions.get_mut(number) {
                info.intrinsic = intrinsic;
            }
            if name.is_empty() {
                let own = self.module.strings.add(format!("f{number}").as_bytes());
                if let Some(data) = self.module.symbols.get_mut(symbol) {
                    (data.name, data.linkage) = (own, Linkage::Internal);
                }
            }
        }
        self.declare_library();
        Ok(())
    }

    /// Declares the functions of the run-time library that intrinsics are.
    fn declare_library(&mut self) {
        let actions = self
            .functions
            .iter()
            .filter_map(|info| Some(info.intrinsic.as_ref()?.action));
        let names: Vec<&'static str> = actions.filter_map(intrinsics::library_function).collect();
        for name in names {
            let text = self.module.strings.add(name.as_bytes());
            let module = &mut self.module;
            self.library.entry(name).or_insert_with(|| {
                module.symbols.push(SymbolData {
                    name: text,
                    dso_local: true,
                    ..SymbolData::default()
                })
            });
        }
    }

    /// The function of the run-time library that an action is.
    pub(super) fn library_symbol(&self, action: Action) -> Option<SymbolId> {
        self.library.get(intrinsics::library_function(action)?).copied()
    }

    /// An error in a function, with its name.
    #[cold]
    pub(super) fn in_function(&self, function: FuncId, error: ReadError) -> ReadError {
        let name = self
            .module
            .functions
            .get(function)
            .map(|head| self.module.display_name(head.symbol));
        let name = name.unwrap_or_default();
        error
            .within(format!("function {} \"{name}\"", function.index()))
            .within("the module")
    }

    /// A function without body, which nobody reads.
    #[cold]
    pub(super) fn no_body(function: FuncId) -> ReadError {
        ReadError::new(
            ReadErrorKind::Malformed,
            0,
            format!("function {} has no body", function.index()),
        )
    }
}

/// What a block is, for messages.
fn name(block: u64) -> &'static str {
    match block {
        id::TYPES => "the types",
        id::GLOBALS => "the variables",
        id::SYMBOLS => "the names",
        id::FUNCTION => "a function",
        id::CONSTANTS => "the constants",
        _ => "a block",
    }
}

fn is_type(types: &Types, own: u32, expected: Ty) -> bool {
    match expected {
        Ty::Void => types.kind(own) == Some(&Kind::Void),
        Ty::I(bits) => types.is_integer(own, bits),
        Ty::F32 => types.kind(own) == Some(&Kind::Float),
        Ty::F64 => types.kind(own) == Some(&Kind::Double),
        Ty::V4F32 => types.lanes(own) == 4 && types.scalar(own) == Some(&Kind::Float),
    }
}
