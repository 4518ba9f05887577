//! Initializers of global variables: from constants to bytes and relocations. Also aliases and other parts of the
//! module that are resolved once all constants are known.
//!
//! Trailing zeros are not written, so zero-filled data takes no memory. Relocations come out in ascending order,
//! because constants are walked in memory order.

use super::evaluate::{Base, Evaluator, Found, Sum};
use super::tables::{ModuleTables, ModuleValue};
use crate::error::{ReadError, ReadErrorKind};
use crate::limits;
use crate::llvm::codes;
use crate::llvm::constants::{Constant, ConstantKind, ConstantTable};
use crate::llvm::globals::{Pending, PendingRole};
use crate::llvm::types::{Kind, TypeId};
use frazil_ir::module::{InitEntry, RelocationTarget};
use frazil_ir::{
    Block, DataDef, DataId, DataRelocation, EntityRef, Linkage, Module, Refusal, SymbolData, SymbolId, SymbolKind,
};
use std::cell::Cell;

/// Completes symbols whose contents or targets are constants. Returns the refusals of those whose expressions an
/// object file cannot express.
///
/// # Errors
/// If a constant does not exist or is malformed.
pub fn resolve_pending(reader: &mut ModuleTables, pending: &[Pending]) -> Result<Vec<ReadError>, ReadError> {
    let mut module = std::mem::take(&mut reader.module);
    let result = resolve_all(reader, &mut module, pending);
    reader.module = module;
    result
}

fn resolve_all(reader: &ModuleTables, module: &mut Module, pending: &[Pending]) -> Result<Vec<ReadError>, ReadError> {
    let evaluator = evaluator(reader);
    let mut refusals = Vec::new();
    let mut resolved = Vec::new();
    for item in pending {
        if let Err(error) = resolve(reader, &evaluator, module, item) {
            let error = error.within(format!("symbol \"{}\"", module.display_name(item.symbol)));
            if !matches!(error.kind(), ReadErrorKind::Unsupported(_)) {
                return Err(error);
            }
            refusals.push(error);
        } else if matches!(item.role, PendingRole::Aliasee | PendingRole::Resolver) {
            resolved.push(*item);
        }
    }
    check_targets(reader, module, &resolved)?;
    shorten_aliases(module, pending)?;
    Ok(refusals)
}

fn evaluator<'a>(reader: &'a ModuleTables) -> Evaluator<'a> {
    Evaluator {
        types: &reader.types,
        values: &reader.values,
        constants: &reader.constants,
        local: None,
        steps: Cell::new(limits::evaluation_steps(reader.input_bytes)),
    }
}

/// The value of an integer constant.
pub fn integer_value(reader: &ModuleTables, value: u64) -> Option<i64> {
    evaluator(reader).sum(value)?.as_number()
}

/// The bits of a constant of type `i32`.
pub fn word_value(reader: &ModuleTables, value: u64) -> Option<u32> {
    let known = usize::try_from(value).ok().and_then(|value| reader.values.get(value));
    let Some(&ModuleValue::Constant(row)) = known else {
        return None;
    };
    let ty = reader.constants.rows.get(row as usize)?.ty;
    match reader.types.kind(ty) {
        Some(Kind::Integer(32)) => Some(integer_value(reader, value)? as u32),
        _ => None,
    }
}

fn resolve(
    reader: &ModuleTables,
    evaluator: &Evaluator<'_>,
    module: &mut Module,
    item: &Pending,
) -> Result<(), ReadError> {
    let Some(data) = module.symbols.get_mut(item.symbol) else {
        return Ok(());
    };
    match (item.role, data.kind) {
        (PendingRole::List, _) => resolve_list(evaluator, module, item)?,
        (PendingRole::Initializer, SymbolKind::Data(data)) => {
            let ty = reader.symbols.get(item.symbol.index()).map_or(0, |info| info.ty);
            let limit = limits::data_bytes(reader.input_bytes);
            write_initializer(evaluator, module, item, ty, data, limit)?;
        }
        (PendingRole::Aliasee, SymbolKind::Alias { is_function, .. }) => match evaluator.sum(item.value) {
            Some(Sum {
                base: Some(Base::Symbol(target)),
                minus: None,
                addend: offset,
                ..
            }) => {
                data.kind = SymbolKind::Alias {
                    target,
                    offset,
                    is_function,
                };
            }
            _ => {
                let message = "an alias of something else than a symbol and an offset";
                return Err(ReadError::unsupported(Refusal::Alias, item.place, message));
            }
        },
        (PendingRole::Resolver, _) => {
            let resolver = symbol_of(evaluator, item, Refusal::Alias, "a resolver")?;
            data.kind = SymbolKind::Ifunc { resolver };
        }
        (PendingRole::Personality, SymbolKind::Function(function)) => {
            let personality = symbol_of(evaluator, item, Refusal::Exception, "a personality routine")?;
            if let Some(head) = module.functions.get_mut(function) {
                head.personality = Some(personality);
            }
        }
        (PendingRole::PrefixData | PendingRole::PrologueData, SymbolKind::Function(function)) => {
            let limit = limits::data_bytes(reader.input_bytes);
            let data = entry_data(evaluator, module, item, limit)?;
            if let Some(head) = module.functions.get_mut(function) {
                match item.role {
                    PendingRole::PrefixData => head.prefix_data = Some(Box::new(data)),
                    _ => head.prologue_data = Some(Box::new(data)),
                }
            }
        }
        (PendingRole::PrefixData | PendingRole::PrologueData, SymbolKind::FunctionDeclaration)
            if matches!(evaluator.find(item.value), Found::Nothing) =>
        {
            let message = format!("value {} before a declared function, which is not there", item.value);
            return Err(ReadError::malformed(item.place, message));
        }
        _ => {}
    }
    Ok(())
}

fn write_initializer(
    evaluator: &Evaluator<'_>,
    module: &mut Module,
    item: &Pending,
    ty: TypeId,
    data: DataId,
    limit: u64,
) -> Result<(), ReadError> {
    let Some(&definition) = module.data.get(data) else {
        return Ok(());
    };
    let mut writer = Writer::new(evaluator, module, item.place, limit);
    writer.write(item.value, ty, 0, limits::CONSTANT_DEPTH)?;
    let written = writer.finish(definition);
    let is_common = module.symbols.get(item.symbol).map(|data| data.linkage) == Some(Linkage::Common);
    if is_common {
        let bytes = module.bytes.get(written.first_byte as usize..).unwrap_or_default();
        if written.relocation_count > 0 || bytes.iter().any(|&byte| byte != 0) {
            let message = "a variable of common linkage whose contents are not zero";
            return Err(ReadError::malformed(item.place, message));
        }
    }
    if let Some(definition) = module.data.get_mut(data) {
        *definition = written;
    }
    Ok(())
}

/// The prefix or prologue data of a function, which is as large as an array element of the constant's type.
#[cold]
fn entry_data(
    evaluator: &Evaluator<'_>,
    module: &mut Module,
    item: &Pending,
    limit: u64,
) -> Result<DataDef, ReadError> {
    let pointer_bytes = u64::from(module.data_layout.pointer_bits) / 8;
    let mut writer = Writer::new(evaluator, module, item.place, limit);
    let size = match evaluator.find(item.value) {
        Found::Row(_, constant) => {
            let (ty, layout) = (constant.ty, evaluator.types.layout(constant.ty));
            if !layout.sized {
                let message = format!("data of type {ty}, which has no size, at the entry of a function");
                return Err(ReadError::malformed(item.place, message));
            }
            writer.write(item.value, ty, 0, limits::CONSTANT_DEPTH)?;
            layout.stride()
        }
        _ => {
            writer.write_address(item.value, pointer_bytes, 0)?;
            pointer_bytes
        }
    };
    if size > limits::ENTRY_DATA_BYTES {
        let most = limits::ENTRY_DATA_BYTES;
        let message = format!("{size} bytes of data at the entry of a function; at most {most} are taken");
        return Err(ReadError::new(ReadErrorKind::TooLarge, item.place, message));
    }
    Ok(writer.finish(DataDef {
        symbol: item.symbol,
        size,
        align_log2: 0,
        constant: true,
        first_byte: 0,
        byte_count: 0,
        first_relocation: 0,
        relocation_count: 0,
    }))
}

fn symbol_of(evaluator: &Evaluator<'_>, item: &Pending, refusal: Refusal, what: &str) -> Result<SymbolId, ReadError> {
    match evaluator.sum(item.value) {
        Some(Sum {
            base: Some(Base::Symbol(symbol)),
            minus: None,
            addend: 0,
            ..
        }) => Ok(symbol),
        _ => Err(ReadError::unsupported(
            refusal,
            item.place,
            format!("{what} that is not a symbol"),
        )),
    }
}

/// Refuses aliases of symbols that are not defined here or may be replaced, and ifuncs whose resolver is no suitable
/// function.
fn check_targets(reader: &ModuleTables, module: &Module, resolved: &[Pending]) -> Result<(), ReadError> {
    for item in resolved {
        let Some(data) = module.symbols.get(item.symbol) else {
            continue;
        };
        let message = match data.kind {
            SymbolKind::Alias { target, .. } => wrong_aliasee(reader, module, data, target),
            SymbolKind::Ifunc { resolver } => wrong_resolver(reader, module, resolver),
            _ => None,
        };
        if let Some(message) = message {
            let name = module.display_name(item.symbol);
            let error = ReadError::malformed(item.place, message);
            return Err(error.within(format!("symbol \"{name}\"")));
        }
    }
    Ok(())
}

/// The message if LLVM's verifier would refuse an alias of this symbol.
fn wrong_aliasee(reader: &ModuleTables, module: &Module, alias: &SymbolData, target: SymbolId) -> Option<&'static str> {
    let data = module.symbols.get(target)?;
    let is_elsewhere = data.linkage == Linkage::AvailableExternally;
    if alias.linkage == Linkage::AvailableExternally {
        return (!is_elsewhere).then_some("an alias that is defined elsewhere of what is defined here");
    }
    let has_contents = reader.symbols.get(target.index()).is_some_and(|info| info.has_contents);
    let may_be_replaced = matches!(data.linkage, Linkage::WeakAny | Linkage::LinkOnceAny);
    match data.kind {
        _ if is_elsewhere => Some("an alias of what is defined elsewhere"),
        SymbolKind::FunctionDeclaration => Some("an alias of a declaration"),
        SymbolKind::DataDeclaration if !has_contents => Some("an alias of a declaration"),
        SymbolKind::Alias { .. } if may_be_replaced => Some("an alias of an alias that a linker may replace"),
        _ => None,
    }
}

/// The message if LLVM's verifier would refuse this resolver of an ifunc: it must be a function with a body that
/// returns a pointer, or an alias of one.
fn wrong_resolver(reader: &ModuleTables, module: &Module, resolver: SymbolId) -> Option<&'static str> {
    let mut at = resolver;
    // A longer chain of aliases is a cycle, which is refused elsewhere.
    for _ in 0..module.symbols.len() {
        match module.symbols.get(at)?.kind {
            SymbolKind::Alias { target, .. } => at = target,
            _ => break,
        }
    }
    let data = module.symbols.get(at)?;
    let result = match reader.types.kind(reader.symbols.get(at.index())?.ty) {
        Some(Kind::Function { result, .. }) => reader.types.kind(*result),
        _ => None,
    };
    let is_defined = matches!(data.kind, SymbolKind::Function(_)) && data.linkage != Linkage::AvailableExternally;
    match result {
        _ if !is_defined => Some("an ifunc whose resolver is no function with a body"),
        Some(Kind::Pointer { .. }) => None,
        _ => Some("an ifunc whose resolver returns no pointer"),
    }
}

/// Refuses aliases that name each other in a cycle, and shortens long chains: the aliases at their beginning skip
/// others.
fn shorten_aliases(module: &mut Module, pending: &[Pending]) -> Result<(), ReadError> {
    // By symbol: how many aliases follow it up to the end of its chain, if that is known.
    let mut known: Vec<Option<usize>> = Vec::new();
    let mut chain = Vec::new();
    for item in pending.iter().filter(|item| item.role == PendingRole::Aliasee) {
        known.resize(module.symbols.len(), None);
        let mut at = item.symbol;
        let mut following = loop {
            match module.symbols.get(at).map(|data| data.kind) {
                Some(SymbolKind::Alias { target, .. }) => {
                    if let Some(Some(following)) = known.get(at.index()) {
                        break *following;
                    }
                    chain.push(at);
                    at = target;
                }
                _ => break 0,
            }
            if chain.len() > pending.len() {
                let name = module.display_name(item.symbol);
                return Err(ReadError::malformed(
                    item.place,
                    format!("the alias \"{name}\" leads to itself and to no definition"),
                ));
            }
        };
        while let Some(alias) = chain.pop() {
            following += 1;
            if following > limits::ALIAS_CHAIN {
                skip_alias(module, alias);
                following -= 1;
            }
            if let Some(slot) = known.get_mut(alias.index()) {
                *slot = Some(following);
            }
        }
    }
    Ok(())
}

/// Makes an alias of an alias name the target of the latter.
fn skip_alias(module: &mut Module, alias: SymbolId) {
    let Some(SymbolKind::Alias {
        target: first,
        offset,
        is_function,
    }) = module.symbols.get(alias).map(|data| data.kind)
    else {
        return;
    };
    let next = module.symbols.get(first).map(|data| data.kind);
    if let Some(SymbolKind::Alias {
        target, offset: more, ..
    }) = next
        && let Some(data) = module.symbols.get_mut(alias)
    {
        let offset = offset.wrapping_add(more);
        data.kind = SymbolKind::Alias {
            target,
            offset,
            is_function,
        };
    }
}

/// Reads a list that LLVM keeps as a variable of appending linkage.
fn resolve_list(evaluator: &Evaluator<'_>, module: &mut Module, item: &Pending) -> Result<(), ReadError> {
    let name = module.name(item.symbol).to_vec();
    let Found::Row(table, constant) = evaluator.find(item.value) else {
        return Err(ReadError::malformed(item.place, "a list that is no constant"));
    };
    let elements = if constant.kind == ConstantKind::Aggregate {
        table.words(constant)
    } else {
        &[]
    };
    match name.as_slice() {
        b"llvm.global_ctors" | b"llvm.global_dtors" => {
            for &element in elements {
                let entry = init_entry(evaluator, element, item)?;
                let Some(entry) = entry else { continue };
                let constructors = name == b"llvm.global_ctors";
                if constructors {
                    module.constructors.push(entry)
                } else {
                    module.destructors.push(entry)
                }
            }
        }
        b"llvm.used" | b"llvm.compiler.used" => {
            for &element in elements {
                let Some(Sum {
                    base: Some(Base::Symbol(symbol)),
                    minus: None,
                    addend: 0,
                    ..
                }) = evaluator.sum(element)
                else {
                    let message = "an element of a list of used symbols that is none";
                    return Err(ReadError::malformed(item.place, message));
                };
                if name == b"llvm.used" {
                    module.used.push(symbol)
                } else {
                    module.compiler_used.push(symbol)
                }
            }
        }
        // Other lists are annotations for tools.
        _ => {}
    }
    Ok(())
}

/// An entry `{ priority, function, associated data }` of a list of constructors; `None` if it has no function.
fn init_entry(evaluator: &Evaluator<'_>, value: u64, item: &Pending) -> Result<Option<InitEntry>, ReadError> {
    let malformed = || {
        ReadError::unsupported(
            Refusal::Bitcode,
            item.place,
            "a constructor entry that is not a priority and a function",
        )
    };
    let Found::Row(table, constant) = evaluator.find(value) else {
        return Err(malformed());
    };
    if constant.kind != ConstantKind::Aggregate {
        return if constant.kind == ConstantKind::Null {
            Ok(None)
        } else {
            Err(malformed())
        };
    }
    let words = table.words(constant);
    let [priority, function, rest @ ..] = words else {
        return Err(malformed());
    };
    let priority = evaluator
        .sum(*priority)
        .and_then(|sum| sum.as_number())
        .ok_or_else(malformed)?;
    let function = match evaluator.sum(*function) {
        Some(Sum {
            base: Some(Base::Symbol(function)),
            minus: None,
            addend: 0,
            ..
        }) => function,
        Some(sum) if sum.as_number() == Some(0) => return Ok(None),
        _ => return Err(malformed()),
    };
    let associated = rest
        .first()
        .and_then(|&value| evaluator.sum(value))
        .and_then(|sum| match sum.base {
            Some(Base::Symbol(symbol)) => Some(symbol),
            _ => None,
        });
    Ok(Some(InitEntry {
        priority: priority as u32,
        function,
        associated,
    }))
}

/// Writes the bytes and relocations of one initializer.
struct Writer<'w, 'e> {
    evaluator: &'w Evaluator<'e>,
    module: &'w mut Module,
    /// The index of the definition's first byte in the module's bytes.
    start: usize,
    first_relocation: usize,
    limit: u64,
    place: u64,
}

impl<'w, 'e> Writer<'w, 'e> {
    fn new(evaluator: &'w Evaluator<'e>, module: &'w mut Module, place: u64, limit: u64) -> Writer<'w, 'e> {
        Writer {
            start: module.bytes.len(),
            first_relocation: module.relocations.len(),
            evaluator,
            module,
            limit,
            place,
        }
    }

    /// The definition with the ranges of what was written.
    fn finish(self, definition: DataDef) -> DataDef {
        DataDef {
            first_byte: self.start as u64,
            byte_count: (self.module.bytes.len() - self.start) as u64,
            first_relocation: self.first_relocation as u32,
            relocation_count: (self.module.relocations.len() - self.first_relocation) as u32,
            ..definition
        }
    }
}

impl Writer<'_, '_> {
    /// Writes constant number `value`, which must have type `ty`, at byte `offset` of the definition.
    fn write(&mut self, value: u64, ty: TypeId, offset: u64, depth: u32) -> Result<(), ReadError> {
        let too_complex = || {
            ReadError::new(
                ReadErrorKind::TooLarge,
                self.place,
                "an initialiser that is too complex",
            )
        };
        let depth = depth.checked_sub(1).ok_or_else(too_complex)?;
        if !self.evaluator.step() {
            return Err(too_complex());
        }
        let types = self.evaluator.types;
        let (table, constant) = match self.evaluator.find(value) {
            Found::Row(table, constant) => (table, constant),
            Found::Symbol(_) if matches!(types.kind(ty), Some(Kind::Pointer { .. })) => {
                return self.write_sum(value, ty, offset);
            }
            Found::Symbol(_) => {
                let message = format!("the address of a symbol as an initialiser of type {ty}, which is no pointer");
                return Err(ReadError::malformed(self.place, message));
            }
            Found::Nothing => {
                let message = format!("value {value}, which is no constant, as an initialiser");
                return Err(ReadError::malformed(self.place, message));
            }
        };
        if !types.is_same(constant.ty, ty) {
            let message = format!("an initialiser of type {} where type {ty} is expected", constant.ty);
            return Err(ReadError::malformed(self.place, message));
        }
        match constant.kind {
            ConstantKind::Null | ConstantKind::Undef | ConstantKind::Poison => Ok(()),
            ConstantKind::Integer if matches!(types.kind(ty), Some(Kind::Integer(_))) => {
                let sign = if constant.payload() >> 63 == 1 { u64::MAX } else { 0 };
                self.write_words(&[constant.payload(), sign], sign, ty, offset)
            }
            // Writers leave out upper words that are zero.
            ConstantKind::WideInteger => self.write_words(table.words(constant), 0, ty, offset),
            ConstantKind::Float => self.write_words(table.words(constant), 0, ty, offset),
            ConstantKind::Bytes => self.put(table.bytes(constant), offset),
            ConstantKind::Data => self.write_data(table, constant, offset),
            ConstantKind::Aggregate => self.write_aggregate(table, constant, offset, depth),
            _ => self.write_sum(value, ty, offset),
        }
    }

    fn write_data(&mut self, table: &ConstantTable, constant: &Constant, offset: u64) -> Result<(), ReadError> {
        let Some(Kind::Array { element, .. } | Kind::Vector { element, .. }) = self.evaluator.types.kind(constant.ty)
        else {
            return Err(ReadError::malformed(self.place, "data of a type that has no elements"));
        };
        let bytes = self.evaluator.types.layout(*element).stride();
        let words = table.words(constant);
        let size = self.evaluator.types.layout(constant.ty).stride();
        if bytes > 8 || bytes.saturating_mul(words.len() as u64) > size {
            return Err(ReadError::malformed(
                self.place,
                format!("{} elements of data in {size} bytes", words.len()),
            ));
        }
        for (index, word) in words.iter().enumerate() {
            let word = word.to_le_bytes();
            self.put(
                word.get(..bytes as usize).unwrap_or_default(),
                offset + index as u64 * bytes,
            )?;
        }
        Ok(())
    }

    fn write_aggregate(
        &mut self,
        table: &ConstantTable,
        constant: &Constant,
        offset: u64,
        depth: u32,
    ) -> Result<(), ReadError> {
        let types = self.evaluator.types;
        let elements = table.words(constant);
        let expected = match types.kind(constant.ty) {
            Some(Kind::Struct { members, .. }) => members.len() as u64,
            Some(Kind::Array { count, .. }) => *count,
            Some(Kind::Vector { count, .. }) => u64::from(*count),
            _ => 0,
        };
        if expected != elements.len() as u64 {
            let message = format!(
                "a constant of {} elements where {expected} are expected",
                elements.len()
            );
            return Err(ReadError::malformed(self.place, message));
        }
        match types.kind(constant.ty) {
            Some(Kind::Struct { members, .. }) => {
                let fields = types.members(members).iter().zip(types.offsets(members));
                for (&value, (&ty, &distance)) in elements.iter().zip(fields) {
                    self.write(value, ty, offset + distance, depth)?;
                }
            }
            Some(&Kind::Array { element, .. }) => {
                let stride = types.layout(element).stride();
                for (index, &value) in elements.iter().enumerate() {
                    self.write(value, element, offset + index as u64 * stride, depth)?;
                }
            }
            Some(&Kind::Vector { element, .. }) => {
                let bits = types.layout(element).bits;
                if !bits.is_multiple_of(8) {
                    return self.write_bit_vector(elements, bits, constant.ty, offset);
                }
                for (index, &value) in elements.iter().enumerate() {
                    self.write(value, element, offset + index as u64 * (bits / 8), depth)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes a vector whose elements are not whole bytes: they are packed, the first one in the lowest bits.
    fn write_bit_vector(&mut self, elements: &[u64], bits: u64, ty: TypeId, offset: u64) -> Result<(), ReadError> {
        let total = self.evaluator.types.layout(ty).bits;
        let mut bytes = vec![0u8; total.div_ceil(8) as usize];
        for (index, &value) in elements.iter().enumerate() {
            let (words, upper) = self.element_words(value)?;
            let word = |bit: u64| words.get((bit / 64) as usize).copied().unwrap_or(upper);
            for bit in (0..bits).filter(|&bit| word(bit) >> (bit % 64) & 1 == 1) {
                let at = index as u64 * bits + bit;
                if let Some(byte) = bytes.get_mut((at / 8) as usize) {
                    *byte |= 1 << (at % 8);
                }
            }
        }
        self.put(&bytes, offset)
    }

    /// The words of an integer element of a vector, the lowest first, and the value of all further words.
    fn element_words(&self, value: u64) -> Result<(Vec<u64>, u64), ReadError> {
        if let Found::Row(table, constant) = self.evaluator.find(value) {
            match constant.kind {
                ConstantKind::Undef | ConstantKind::Poison => return Ok((Vec::new(), 0)),
                ConstantKind::WideInteger => return Ok((table.words(constant).to_vec(), 0)),
                _ => {}
            }
        }
        let sum = self.evaluator.sum(value);
        match sum.and_then(|sum| Some((sum.as_number()?, sum.upper_bits()))) {
            Some((number, upper)) => Ok((vec![number.cast_unsigned()], upper)),
            None => Err(self.not_a_sum(value)),
        }
    }

    /// Writes a number of a type's width from words, the lowest first; further words have the value `sign`.
    fn write_words(&mut self, words: &[u64], sign: u64, ty: TypeId, offset: u64) -> Result<(), ReadError> {
        let layout = self.evaluator.types.layout(ty);
        let count = layout.bits.div_ceil(64);
        for index in 0..count {
            let word = words.get(index as usize).copied().unwrap_or(sign);
            let bits = (layout.bits - index * 64).min(64);
            let word = if bits < 64 { word & ((1 << bits) - 1) } else { word };
            let bytes = word.to_le_bytes();
            self.put(
                bytes.get(..bits.div_ceil(8) as usize).unwrap_or_default(),
                offset + index * 8,
            )?;
        }
        Ok(())
    }

    /// Writes a number, or an address plus or minus one.
    fn write_sum(&mut self, value: u64, ty: TypeId, offset: u64) -> Result<(), ReadError> {
        if let Some(sum) = self.evaluator.sum(value)
            && let Some(number) = sum.as_number()
        {
            return self.write_words(&[number.cast_unsigned()], sum.upper_bits(), ty, offset);
        }
        self.write_address(value, self.evaluator.types.layout(ty).store_bytes(), offset)
    }

    /// Writes an address into a field of `size` bytes, as a relocation.
    fn write_address(&mut self, value: u64, size: u64, offset: u64) -> Result<(), ReadError> {
        let Some(sum) = self.evaluator.sum(value) else {
            return Err(self.not_a_sum(value));
        };
        let Some(base) = sum.base else {
            return Err(self.not_a_sum(value));
        };
        let target = self.relocation_target(base)?;
        let minus = sum.minus.map(|base| self.relocation_target(base)).transpose()?;
        if !(1..=8).contains(&size) || self.module.relocations.len() >= u32::MAX as usize {
            return Err(ReadError::unsupported(
                Refusal::Initializer,
                self.place,
                format!("an address in a field of {size} bytes"),
            ));
        }
        self.extend(offset + size)?;
        let relocation = DataRelocation {
            offset,
            size: size as u8,
            target,
            addend: sum.addend,
            minus,
        };
        self.module.relocations.push(relocation);
        Ok(())
    }

    fn relocation_target(&mut self, base: Base) -> Result<RelocationTarget, ReadError> {
        let (symbol, block) = match base {
            Base::Symbol(symbol) => return Ok(RelocationTarget::Symbol(symbol)),
            Base::LocalEquivalent(symbol) => return Ok(RelocationTarget::LocalEquivalent(symbol)),
            Base::NoCfi(symbol) => return Ok(RelocationTarget::NoCfi(symbol)),
            Base::Block(symbol, block) => (symbol, block),
        };
        if let Some(SymbolKind::Function(function)) = self.module.symbols.get(symbol).map(|data| data.kind)
            && let Some(head) = self.module.functions.get_mut(function)
        {
            head.has_block_addresses = true;
            return Ok(RelocationTarget::Block(function, Block::new(block as usize)));
        }
        let message = "the address of a block of a function without body";
        Err(ReadError::malformed(self.place, message))
    }

    #[cold]
    fn not_a_sum(&self, value: u64) -> ReadError {
        let what = match self.evaluator.find(value) {
            Found::Row(_, constant) if constant.kind == ConstantKind::Other => {
                codes::constants::name(constant.payload())
            }
            _ => "constant expression",
        };
        let message = format!("a {what} in an initialiser that is not a symbol plus or minus a number or a symbol");
        ReadError::unsupported(Refusal::Initializer, self.place, message)
    }

    /// Makes sure that the definition has at least `end` bytes.
    fn extend(&mut self, end: u64) -> Result<(), ReadError> {
        let needed = self.start as u64 + end;
        if needed > self.limit {
            let message = format!("initialised data of {needed} bytes; at most {} are taken", self.limit);
            return Err(ReadError::new(ReadErrorKind::TooLarge, self.place, message));
        }
        if self.module.bytes.len() < needed as usize {
            self.module.bytes.resize(needed as usize, 0);
        }
        Ok(())
    }

    /// Writes bytes, but leaves out trailing zeros.
    fn put(&mut self, bytes: &[u8], offset: u64) -> Result<(), ReadError> {
        let given = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let Some(bytes) = bytes.get(..given).filter(|bytes| !bytes.is_empty()) else {
            return Ok(());
        };
        self.extend(offset + bytes.len() as u64)?;
        let start = self.start + offset as usize;
        if let Some(target) = self.module.bytes.get_mut(start..start + bytes.len()) {
            target.copy_from_slice(bytes);
        }
        Ok(())
    }
}
