//! A module, compiled by the fast path and laid out in the simulator's memory: how IR is run on this target.
//!
//! A function that is refused does not keep others from running: only a call of it gives the refusal.
//! Memory holds code, constants, data and the stack. Functions that the module only declares are those of the run-time
//! libraries where the name is one of theirs; calls of others stop the run by name.

use crate::isa::Variant::TestIsa;
use crate::regs::{A0, RA, SP};
use crate::relocs::{ABS32, ABS64, CALL24, RELOCS};
use crate::sim::{Fault, HOST_BASE, Host, Machine, Memory};
use frazil_codegen::abi::{ArgLayout, ArgPlace, PartPlace};
use frazil_codegen::{
    CodeBuffer, CodegenError, CompiledFunction, FastState, Isa, Label, ModuleView, Ref, RefKind, RelocationModel,
    Target, Unit,
};
use frazil_ir::module::RelocationTarget;
use frazil_ir::{
    Block, DataDef, EntityRef, FuncId, Function, Module, Param, Refusal, RuntimeFunction, Signature, SymbolId,
    SymbolKind, Type, TypeTable,
};
use thiserror::Error;

/// Where memory begins.
const MEMORY_START: u32 = 0x10000;
/// Room for the stack.
const STACK_BYTES: u32 = 1 << 17;

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProgramError {
    /// The module contains something that this target does not compile.
    #[error("{0}")]
    Unsupported(String),
    /// The run ended otherwise than by returning.
    #[error("{0}")]
    Fault(Fault),
    /// The module cannot be laid out.
    #[error("{0}")]
    Layout(String),
}

impl From<Fault> for ProgramError {
    fn from(fault: Fault) -> ProgramError {
        match fault {
            Fault::Refused(reason) => ProgramError::Unsupported(reason),
            other => ProgramError::Fault(other),
        }
    }
}

/// Compiles a function for the test target.
pub type Compile<'c> = dyn FnMut(usize, &Unit<'_>, &mut CompiledFunction) -> Result<(), CodegenError> + 'c;

/// A program, ready to run.
#[derive(Debug)]
pub struct Program<'a> {
    functions: &'a [Function],
    memory: Memory,
    hosts: Vec<Host>,
    entries: Vec<u32>,
}

impl<'a> Program<'a> {
    /// Compiles every function and lays the program out.
    ///
    /// # Errors
    /// Data that cannot be laid out or is not supported.
    pub fn new(module: &Module, functions: &'a [Function]) -> Result<Program<'a>, ProgramError> {
        let mut state = FastState::new();
        Self::compiled_by(module, functions, &mut |_, unit, out| {
            Target::compile_fast(&TestIsa, unit, &mut state, out)
        })
    }

    /// Lays out a program whose functions are compiled by `compile`, which is also told the function's number.
    ///
    /// # Errors
    /// As for [`Program::new`].
    pub fn compiled_by(
        module: &Module,
        functions: &'a [Function],
        compile: &mut Compile<'_>,
    ) -> Result<Program<'a>, ProgramError> {
        let mut linker = Linker::new(module);
        linker.add_code(functions, compile);
        linker.add_data()?;
        linker.relocate()?;
        let Linker {
            bytes,
            code_bytes,
            hosts,
            entries,
            ..
        } = linker;
        let mut bytes = bytes;
        bytes.resize(bytes.len().next_multiple_of(16) + STACK_BYTES as usize, 0xa5);
        Ok(Program {
            functions,
            memory: Memory::new(MEMORY_START, code_bytes, bytes),
            hosts,
            entries,
        })
    }

    /// Calls a function with the bits of its arguments, in fresh memory; gives the bits of its results, zero above
    /// their width.
    ///
    /// # Errors
    /// What stopped the machine.
    pub fn call(&self, function: FuncId, args: &[u128], steps: u64) -> Result<Vec<u128>, ProgramError> {
        let ir = &self.functions[function.index()];
        let places = ArgumentPlaces::new(ir.signature(), ir.types())?;
        let mut machine = Machine::new(self.memory.clone(), self.hosts.clone());
        let top = self.memory.end() & !15;
        let results = top - places.layout.return_bytes.next_multiple_of(16);
        let stack = results - places.layout.stack_bytes.next_multiple_of(16);
        machine.ints[SP.number() as usize] = stack;
        if places.layout.returns_in_memory {
            machine.ints[A0.number() as usize] = results;
        }
        for (place, &bits) in places.args().zip(args) {
            write_place(&mut machine, place, stack, bits)?;
        }
        machine.ints[RA.number() as usize] = HOST_BASE;
        machine.pc = self.entries[function.index()];
        machine.run(steps)?;
        if machine.ints[SP.number() as usize] != stack {
            return Err(Fault::Code("the stack pointer is not where it was".to_owned()).into());
        }
        let values = places.returns().zip(&ir.signature().returns).map(|(place, param)| {
            let bits = ir.types().bits(param.ty, 32) as u32;
            let value = read_place(&machine, place, results)?;
            Ok(if bits < 128 { value & ((1 << bits) - 1) } else { value })
        });
        values.collect()
    }
}

/// Where the convention puts arguments and results of a signature.
#[derive(Debug)]
pub(crate) struct ArgumentPlaces {
    layout: ArgLayout,
}

impl ArgumentPlaces {
    fn new(signature: &Signature, types: &TypeTable) -> Result<ArgumentPlaces, ProgramError> {
        let isa = TestIsa;
        let conv = isa
            .convention(signature.call_conv)
            .ok_or_else(|| ProgramError::Unsupported("a calling convention".to_owned()))?;
        let mut layout = ArgLayout::default();
        layout
            .compute(signature, conv, conv.stack_align, types, |ty| isa.parts(types, ty))
            .map_err(refusal)?;
        Ok(ArgumentPlaces { layout })
    }

    /// Of plain parameters of primitive types.
    pub(crate) fn plain(params: &[Type], returns: Type) -> ArgumentPlaces {
        let signature = Signature {
            params: params.iter().map(|&ty| Param::plain(ty)).collect(),
            returns: vec![Param::plain(returns)],
            fixed_params: params.len() as u32,
            ..Signature::default()
        };
        Self::new(&signature, &TypeTable::default()).expect("primitive types can be passed")
    }

    pub(crate) fn args(&self) -> impl Iterator<Item = &ArgPlace> {
        self.layout.args.iter()
    }

    pub(crate) fn returns(&self) -> impl Iterator<Item = &ArgPlace> {
        self.layout.returns.iter()
    }
}

/// Bits that a part has at most.
fn part_bits(place: &ArgPlace) -> u32 {
    if place.parts.float { 64 } else { 32 }
}

/// The bits at a place; `memory` is what its stack offsets count from.
pub(crate) fn read_place(machine: &Machine, place: &ArgPlace, memory: u32) -> Result<u128, Fault> {
    let mut value = 0u128;
    for (index, part) in place.places[..usize::from(place.parts.count)].iter().enumerate() {
        let bits = match *part {
            PartPlace::Reg(reg) if place.parts.float => machine.floats[reg.number() as usize],
            PartPlace::Reg(reg) => u64::from(machine.ints[reg.number() as usize]),
            PartPlace::Stack(offset) => machine.memory.load(memory + offset, u32::from(place.parts.bytes))?,
        };
        value |= u128::from(bits) << (part_bits(place) * index as u32);
    }
    Ok(value)
}

/// Puts bits at a place; what lies above the value's width is rubbish.
pub(crate) fn write_place(machine: &mut Machine, place: &ArgPlace, memory: u32, value: u128) -> Result<(), Fault> {
    for (index, part) in place.places[..usize::from(place.parts.count)].iter().enumerate() {
        let bits = (value >> (part_bits(place) * index as u32)) as u64;
        match *part {
            PartPlace::Reg(reg) if place.parts.float => machine.floats[reg.number() as usize] = bits,
            PartPlace::Reg(reg) => machine.ints[reg.number() as usize] = bits as u32,
            PartPlace::Stack(offset) => {
                machine
                    .memory
                    .store(memory + offset, u32::from(place.parts.bytes.max(4)), bits)?
            }
        }
    }
    Ok(())
}

/// A function that is not valid is refused: with pointers of 32 bits, one written for wider ones may not be.
fn check_valid(module: &Module, function: &Function) -> Result<(), CodegenError> {
    match frazil_ir::verify::verify_function(module, function) {
        Ok(()) => Ok(()),
        Err(errors) => Err(CodegenError::unsupported(
            Refusal::Instruction,
            format!("an invalid function: {}", errors[0]),
        )),
    }
}

fn refusal(error: CodegenError) -> ProgramError {
    ProgramError::Unsupported(error.to_string())
}

/// A place in memory that an address belongs to.
#[derive(Debug)]
struct Pending {
    /// Offset from the start of memory.
    offset: u32,
    kind: u8,
    target: Target32,
    addend: i64,
}

/// What a relocation points at.
#[derive(Clone, Copy, Debug)]
enum Target32 {
    Symbol(SymbolId),
    /// At this offset in memory.
    Offset(u32),
}

/// Lays a program out.
struct Linker<'a> {
    module: &'a Module,
    bytes: Vec<u8>,
    code_bytes: u32,
    hosts: Vec<Host>,
    /// Address of each function with a body.
    entries: Vec<u32>,
    /// Addresses of blocks that data may name.
    blocks: Vec<(FuncId, Block, u32)>,
    /// Address of each data definition.
    data: Vec<u32>,
    pending: Vec<Pending>,
    /// Addresses that were given to symbols outside of the program.
    host_addresses: Vec<(SymbolId, u32)>,
}

impl<'a> Linker<'a> {
    fn new(module: &'a Module) -> Linker<'a> {
        Linker {
            module,
            bytes: Vec::new(),
            code_bytes: 0,
            hosts: vec![Host::Exit],
            entries: Vec::new(),
            blocks: Vec::new(),
            data: Vec::new(),
            pending: Vec::new(),
            host_addresses: Vec::new(),
        }
    }

    fn here(&self) -> u32 {
        MEMORY_START + self.bytes.len() as u32
    }

    fn align(&mut self, log2: u8) {
        let len = self.bytes.len().next_multiple_of(1 << log2.min(16));
        self.bytes.resize(len, 0);
    }

    fn add_code(&mut self, functions: &[Function], compile: &mut Compile<'_>) {
        let view = ModuleView::new(self.module, RelocationModel::Static);
        let mut out = CompiledFunction::new(false);
        for (number, (function, head)) in functions.iter().zip(self.module.functions.values()).enumerate() {
            let unit = Unit { function, head, view };
            let compiled = check_valid(self.module, function).and_then(|()| compile(number, &unit, &mut out));
            if let Err(error) = compiled {
                self.entries.push(HOST_BASE + 4 * self.hosts.len() as u32);
                self.hosts.push(Host::Refused(error.to_string()));
                continue;
            }
            self.align(4);
            self.entries.push(self.here());
            self.add_buffer(&out.prologue);
            let body = self.add_buffer(&out.body);
            self.add_constants(&out.body, body);
            self.add_blocks(FuncId::new(number), &out.body, body);
        }
        self.align(4);
        self.code_bytes = self.bytes.len() as u32;
    }

    /// Appends code; returns its offset.
    fn add_buffer(&mut self, buffer: &CodeBuffer) -> u32 {
        let offset = self.bytes.len() as u32;
        self.bytes.extend_from_slice(&buffer.bytes);
        offset
    }

    /// Appends the constants of a function whose body lies at `body`, and notes the body's relocations.
    fn add_constants(&mut self, buffer: &CodeBuffer, body: u32) {
        let mut offsets = Vec::new();
        for constant in &buffer.constants {
            self.align(3);
            offsets.push(self.bytes.len() as u32);
            self.bytes
                .extend_from_slice(&constant.bytes[..usize::from(constant.len)]);
        }
        for reloc in &buffer.relocs {
            self.pending.push(Pending {
                offset: body + reloc.offset,
                kind: reloc.kind,
                target: code_target(reloc.target, &offsets),
                addend: reloc.addend,
            });
        }
    }

    /// Notes the addresses of blocks of a function whose body lies at `body`.
    fn add_blocks(&mut self, function: FuncId, buffer: &CodeBuffer, body: u32) {
        let Some((first, count)) = buffer.block_addresses else {
            return;
        };
        for number in 0..count {
            if let Some(offset) = buffer.label_offset(Label(first.0 + number)) {
                let address = MEMORY_START + body + offset;
                self.blocks.push((function, Block::new(number as usize), address));
            }
        }
    }

    fn add_data(&mut self) -> Result<(), ProgramError> {
        for data in self.module.data.values() {
            self.align(data.align_log2);
            let offset = self.bytes.len();
            self.data.push(self.here());
            let first = data.first_byte as usize;
            self.bytes
                .extend_from_slice(&self.module.bytes[first..first + data.byte_count as usize]);
            self.bytes.resize(offset + data.size as usize, 0);
        }
        for (data, &address) in self.module.data.values().zip(&self.data.clone()) {
            self.add_data_relocations(data, address - MEMORY_START)?;
        }
        Ok(())
    }

    fn add_data_relocations(&mut self, data: &DataDef, start: u32) -> Result<(), ProgramError> {
        for reloc in self.module.data_relocations(data) {
            let target = match (reloc.target, reloc.minus) {
                (RelocationTarget::Symbol(symbol), None) => Target32::Symbol(symbol),
                (RelocationTarget::Block(function, block), None) => {
                    let found = self.blocks.iter().find(|row| (row.0, row.1) == (function, block));
                    // A function that was refused has no blocks: going there gives the refusal.
                    match found {
                        Some(row) => Target32::Offset(row.2 - MEMORY_START),
                        None => Target32::Symbol(self.module.functions[function].symbol),
                    }
                }
                _ => {
                    let what = "a difference of addresses in data";
                    return Err(ProgramError::Unsupported(what.to_owned()));
                }
            };
            let kind = match reloc.size {
                4 => ABS32,
                8 => ABS64,
                size => return Err(ProgramError::Unsupported(format!("an address of {size} bytes in data"))),
            };
            self.pending.push(Pending {
                offset: start + reloc.offset as u32,
                kind,
                target,
                addend: reloc.addend,
            });
        }
        Ok(())
    }

    /// The address of a symbol.
    fn address(&mut self, symbol: SymbolId) -> Result<u32, ProgramError> {
        let Some(data) = self.module.symbols.get(symbol) else {
            let function = RuntimeFunction::from_symbol(symbol, self.module.symbols.len());
            let function = function.ok_or_else(|| ProgramError::Layout("an unknown symbol".to_owned()))?;
            return Ok(self.host(symbol, Host::Runtime(function)));
        };
        match data.kind {
            SymbolKind::Function(id) => Ok(self.entries[id.index()]),
            SymbolKind::Data(id) => Ok(self.data[id.index()]),
            SymbolKind::Alias { target, offset, .. } => Ok(self.address(target)?.wrapping_add(offset as u32)),
            SymbolKind::FunctionDeclaration => {
                let name = self.module.display_name(symbol).into_owned();
                let function = RuntimeFunction::from_name(&name);
                Ok(self.host(symbol, function.map_or(Host::Named(name), Host::Runtime)))
            }
            SymbolKind::DataDeclaration | SymbolKind::Ifunc { .. } => Err(ProgramError::Layout(format!(
                "@{} is not defined",
                self.module.display_name(symbol)
            ))),
        }
    }

    fn host(&mut self, symbol: SymbolId, host: Host) -> u32 {
        if let Some(&(_, address)) = self.host_addresses.iter().find(|entry| entry.0 == symbol) {
            return address;
        }
        let address = HOST_BASE + 4 * self.hosts.len() as u32;
        self.hosts.push(host);
        self.host_addresses.push((symbol, address));
        address
    }

    fn relocate(&mut self) -> Result<(), ProgramError> {
        for reloc in std::mem::take(&mut self.pending) {
            let target = match reloc.target {
                Target32::Symbol(symbol) => self.address(symbol)?,
                Target32::Offset(offset) => MEMORY_START + offset,
            };
            let value = i64::from(target) + reloc.addend;
            let place = i64::from(MEMORY_START + reloc.offset);
            let row = &RELOCS[usize::from(reloc.kind)];
            let from = reloc.offset as usize;
            let field = &mut self.bytes[from..from + usize::from(row.size_bytes)];
            match row.store_distance {
                Some(store) if reloc.kind == CALL24 => {
                    if !store(field, value - place) {
                        return Err(ProgramError::Layout("a call is too far".to_owned()));
                    }
                }
                _ => field.copy_from_slice(&i64::from(value as u32).to_le_bytes()[..field.len()]),
            }
        }
        Ok(())
    }
}

/// What a relocation of code points at; `constants` are the offsets of the function's.
fn code_target(reference: Ref, constants: &[u32]) -> Target32 {
    match (reference.kind(), reference.as_symbol()) {
        (RefKind::Constant, _) => Target32::Offset(constants[reference.number() as usize]),
        (_, Some(symbol)) => Target32::Symbol(symbol),
        _ => Target32::Offset(0),
    }
}
