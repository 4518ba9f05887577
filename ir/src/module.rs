//! A module without its function bodies: symbols, data with relocations, comdats, flags.
//!
//! All names are bytes in one string pool, all initialiser bytes lie in one buffer. Bodies are read on request
//! (see the reader crates) or stand in a list of their own (text form).

use crate::debug::ModuleDebug;
use crate::entities::{Block, ComdatId, DataId, FuncId, SymbolId};
use crate::refusal::Refusal;
use crate::signature::CallConv;
use frazil_support::sort::sort_by_key;
use frazil_support::{PrimaryMap, Str, StringPool};
use std::any::Any;
use std::sync::Arc;

/// Everything but the bodies of functions: symbols, data, signatures, flags.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// All names.
    pub strings: StringPool,
    /// The source file's name as the front end wrote it.
    pub source_name: Str,
    /// The target triple.
    pub triple: Str,
    /// What of the data layout matters here.
    pub data_layout: DataLayout,
    /// Module-level assembly; code generation refuses a module that has some.
    pub asm: Str,
    /// Everything that has a name.
    pub symbols: PrimaryMap<SymbolId, SymbolData>,
    /// Comdat groups.
    pub comdats: PrimaryMap<ComdatId, ComdatData>,
    /// Functions with bodies, in the order of the bodies.
    pub functions: PrimaryMap<FuncId, FunctionHead>,
    /// Data with contents.
    pub data: PrimaryMap<DataId, DataDef>,
    /// The bytes of all initialisers.
    pub bytes: Vec<u8>,
    /// The relocations of all initialisers, grouped by data definition and ascending by offset within one.
    pub relocations: Vec<DataRelocation>,
    /// Entries of `llvm.global_ctors`, in order.
    pub constructors: Vec<InitEntry>,
    /// Entries of `llvm.global_dtors`, in order.
    pub destructors: Vec<InitEntry>,
    /// Symbols in `llvm.used`.
    pub used: Vec<SymbolId>,
    /// Symbols in `llvm.compiler.used`.
    pub compiler_used: Vec<SymbolId>,
    pub flags: ModuleFlags,
    /// What is said to linkers and other tools.
    pub tools: ToolTexts,
    /// Its debug information, if it has some that is wanted.
    pub debug: Option<Box<ModuleDebug>>,
    /// What tools put into the functions, which is the business of the crate that has tools.
    pub instrumentation: Option<Arc<dyn Any + Send + Sync>>,
    /// What is attached to symbols, ascending by symbol. What is attached to functions with bodies stands there.
    pub(crate) attachments: Vec<(SymbolId, Attachments)>,
}

/// What is attached to a symbol and says more on where it is, in the few cases in which something is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attachments {
    /// Part of the name of the usual section, such as `hot`; empty for none.
    pub section_prefix: Vec<u8>,
    /// The symbol without which linkers leave this one out.
    pub associated: Option<SymbolId>,
    /// Whether the section that is asked for is not loaded.
    pub is_excluded: bool,
    /// The range in which the number is that the symbol stands for, if it does: the first, and the one after the last,
    /// which may have wrapped.
    pub absolute: Option<(u64, u64)>,
    /// Two words of 32 bits right before a function, by which its callers find out its type (`func_sanitize`).
    pub type_words: Option<(u32, u32)>,
    /// The sections that a variable goes to if its contents are of a kind, in the order of [`SECTION_ATTRIBUTES`].
    pub sections_by_kind: Option<Box<[Vec<u8>; 4]>>,
    /// Data that passes have made for a function.
    pub data: Vec<PlacedData>,
}

/// Data that is known only once a function is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedData {
    /// A symbol of the module that is declared as data and that no other object sees.
    pub symbol: SymbolId,
    /// The section, which can be written to at run time.
    pub section: Vec<u8>,
    /// Alignment as log2 of bytes.
    pub align_log2: u8,
    pub bytes: Vec<u8>,
    /// Ascending by offset.
    pub relocations: Vec<DataRelocation>,
}

impl PlacedData {
    /// As a definition whose contents are not the module's.
    pub fn def(&self) -> DataDef {
        DataDef {
            symbol: self.symbol,
            size: self.bytes.len() as u64,
            align_log2: self.align_log2,
            constant: false,
            first_byte: 0,
            byte_count: 0,
            first_relocation: 0,
            relocation_count: 0,
        }
    }
}

/// The attributes of a variable that name its section, for four kinds of contents: zero, constant, constant once
/// addresses are filled in, any other.
pub const SECTION_ATTRIBUTES: [&str; 4] = ["bss-section", "rodata-section", "relro-section", "data-section"];

/// What a module says to linkers and other tools, in sections of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolTexts {
    /// Who made it (`llvm.ident`).
    pub identifications: Vec<Str>,
    /// By which commands (`llvm.commandline`).
    pub command_lines: Vec<Str>,
    /// The libraries that it is to be linked with (`llvm.dependent-libraries`).
    pub dependent_libraries: Vec<Str>,
    /// Options for the linker, their parts one after the other (`llvm.linker.options`).
    pub linker_options: Vec<Str>,
}

impl Module {
    /// An empty module of a data layout.
    pub fn new(data_layout: DataLayout) -> Module {
        Module {
            data_layout,
            ..Module::default()
        }
    }

    /// Gives back the room for symbols and definitions that are not there. Call it when all are.
    pub fn shrink_to_fit(&mut self) {
        self.symbols.shrink_to_fit();
        self.functions.shrink_to_fit();
        self.data.shrink_to_fit();
        self.bytes.shrink_to_fit();
    }

    /// The name of a symbol of this module.
    pub fn name(&self, symbol: SymbolId) -> &[u8] {
        self.strings.bytes(self.symbols[symbol].name)
    }

    /// A symbol's name for messages; runtime functions included.
    pub fn display_name(&self, symbol: SymbolId) -> std::borrow::Cow<'_, str> {
        match self.symbols.get(symbol) {
            Some(data) => self.strings.display(data.name),
            None => crate::runtime::RuntimeFunction::from_symbol(symbol, self.symbols.len())
                .map_or("<unknown symbol>", |function| function.name())
                .into(),
        }
    }

    /// What is attached to a symbol.
    pub fn attachments_of(&self, symbol: SymbolId) -> Option<&Attachments> {
        if !self.symbols.get(symbol)?.has_attachments {
            return None;
        }
        let found = self.attachments.binary_search_by_key(&symbol, |row| row.0).ok()?;
        Some(&self.attachments[found].1)
    }

    /// Attaches something to symbols, each once and in any order, in place of what was attached before. What the
    /// symbols themselves say of it follows.
    pub fn set_attachments(&mut self, mut attachments: Vec<(SymbolId, Attachments)>) {
        for (symbol, _) in &self.attachments {
            let data = &mut self.symbols[*symbol];
            (data.has_attachments, data.is_absolute) = (false, false);
        }
        sort_by_key(&mut attachments, |row| row.0);
        for (symbol, attached) in &attachments {
            let data = &mut self.symbols[*symbol];
            (data.has_attachments, data.is_absolute) = (true, attached.absolute.is_some());
        }
        self.attachments = attachments;
    }

    /// The relocations of a data definition.
    pub fn data_relocations(&self, data: &DataDef) -> &[DataRelocation] {
        &self.relocations[data.first_relocation as usize..][..data.relocation_count as usize]
    }
}

/// What of the data layout string matters to code generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataLayout {
    /// Width of pointers in address space 0, in bits.
    pub pointer_bits: u32,
    /// Whether the most significant byte comes first.
    pub big_endian: bool,
    /// Natural alignment of the stack in bytes; 0 if not said.
    pub stack_align: u32,
}

impl Default for DataLayout {
    fn default() -> Self {
        DataLayout {
            pointer_bits: 64,
            big_endian: false,
            stack_align: 16,
        }
    }
}

/// Who sees a symbol and how definitions of it in several objects combine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
// The variants are named as in LLVM's language reference.
pub enum Linkage {
    #[default]
    External,
    AvailableExternally,
    LinkOnceAny,
    LinkOnceOdr,
    WeakAny,
    WeakOdr,
    Appending,
    Internal,
    Private,
    ExternalWeak,
    Common,
}

impl Linkage {
    /// Whether the symbol is not seen outside the object.
    pub fn is_local(self) -> bool {
        matches!(self, Linkage::Internal | Linkage::Private)
    }

    /// Whether the symbol is weak in the object file.
    pub fn is_weak(self) -> bool {
        matches!(
            self,
            Linkage::LinkOnceAny | Linkage::LinkOnceOdr | Linkage::WeakAny | Linkage::WeakOdr | Linkage::ExternalWeak
        )
    }
}

/// Who sees a symbol at run time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
// The variants are those of ELF.
pub enum Visibility {
    #[default]
    Default,
    Hidden,
    Protected,
}

/// How a thread-local variable is reached. A later model is faster and holds in fewer images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
// The variants are the models of ELF.
pub enum TlsModel {
    #[default]
    NotThreadLocal,
    GeneralDynamic,
    LocalDynamic,
    InitialExec,
    LocalExec,
}

/// What a symbol names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SymbolKind {
    /// A function defined elsewhere.
    #[default]
    FunctionDeclaration,
    /// A function with a body.
    Function(FuncId),
    /// Data defined elsewhere.
    DataDeclaration,
    /// Data with contents.
    Data(DataId),
    /// Another name for `target` plus `offset` bytes.
    Alias {
        /// The aliased symbol.
        target: SymbolId,
        /// Bytes past it.
        offset: i64,
        /// Whether the alias is called rather than read.
        is_function: bool,
    },
    /// A function chosen at load time by `resolver`.
    Ifunc {
        /// The function that chooses.
        resolver: SymbolId,
    },
}

/// A name of the module that is a function, data, or a second name, and how linkers treat it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SymbolData {
    /// Its name; empty for private symbols without one.
    pub name: Str,
    /// What it names.
    pub kind: SymbolKind,
    pub linkage: Linkage,
    pub visibility: Visibility,
    /// Whether it is known to resolve within the linked image.
    pub dso_local: bool,
    /// Whether calls of it go through the global offset table, and not through a stub that binds it late
    /// (`nonlazybind`).
    pub non_lazy_bind: bool,
    /// Whether it is data that may lie more than 2 GiB from code: it has sections of its own and is reached through the
    /// global offset table.
    pub far: bool,
    /// Whether its address does not matter (`unnamed_addr`, not the local kind).
    pub unnamed_addr: bool,
    /// How it is reached if thread-local.
    pub tls: TlsModel,
    /// Whether it is a number and no place: code does not count on where it is.
    pub is_absolute: bool,
    /// Whether [`Module::attachments_of`] has more on it; [`Module::set_attachments`] sets it.
    pub has_attachments: bool,
    /// The section asked for; empty for the usual one.
    pub section: Str,
    /// The comdat it belongs to.
    pub comdat: Option<ComdatId>,
    /// The partition asked for; empty for none.
    pub partition: Str,
}

impl SymbolData {
    /// Whether the symbol is defined in this module.
    pub fn is_defined(&self) -> bool {
        !matches!(self.kind, SymbolKind::FunctionDeclaration | SymbolKind::DataDeclaration)
    }

    /// Whether it names code.
    pub fn is_function(&self) -> bool {
        matches!(
            self.kind,
            SymbolKind::FunctionDeclaration
                | SymbolKind::Function(_)
                | SymbolKind::Ifunc { .. }
                | SymbolKind::Alias { is_function: true, .. }
        )
    }
}

/// How linkers choose among comdat groups of one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
// The variants are named as in LLVM's language reference.
pub enum ComdatSelection {
    #[default]
    Any,
    ExactMatch,
    Largest,
    NoDeduplicate,
    SameSize,
}

/// A comdat group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComdatData {
    pub name: Str,
    /// How linkers choose.
    pub selection: ComdatSelection,
}

/// Which functions keep a frame pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
// The variants are the values of the attribute.
pub enum FramePointer {
    #[default]
    None,
    NonLeaf,
    All,
}

/// Which frames are guarded against writes beyond their arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
// The variants are LLVM's attributes ssp, sspstrong and sspreq.
pub enum StackProtector {
    #[default]
    None,
    Basic,
    Strong,
    Required,
}

/// Which functions sign the return address while it is in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
// The variants are LLVM's values of the attribute `sign-return-address`.
pub enum ReturnSigning {
    #[default]
    None,
    /// Those that store it.
    NonLeaf,
    All,
}

/// Where the value is that guards frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GuardPlace {
    /// Where the target's thread pointer leads.
    #[default]
    Thread,
    /// The same, said in so many words: by the segment `fs` of x86, in the kernel's code model too.
    OwnSegment,
    /// The same by the other segment of x86, `gs`.
    OtherSegment,
    /// In a variable; code generation refuses it.
    Variable,
}

/// What is known of a defined function besides its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionHead {
    pub symbol: SymbolId,
    pub call_conv: CallConv,
    /// Alignment asked for, as log2 of bytes; 0 for the target's.
    pub align_log2: u8,
    /// Whether unwind tables are needed (`uwtable`, or the function may unwind).
    pub unwind_table: bool,
    /// Whether it does not unwind.
    pub no_unwind: bool,
    /// Whether a frame pointer is kept.
    pub frame_pointer: FramePointer,
    /// Whether the area below the stack pointer must not be used.
    pub no_red_zone: bool,
    /// Whether calls keep their caller's frame, those apart that must not (`disable-tail-calls`).
    pub no_tail_calls: bool,
    /// Whether switches are no jumps by tables (`no-jump-tables`).
    pub no_jump_tables: bool,
    /// Whether prologue and epilogue are left out.
    pub naked: bool,
    /// Whether speed does not matter (`cold`).
    pub cold: bool,
    /// Whether it never returns.
    pub no_return: bool,
    /// Whether its entry is not marked as a place to which indirect branches may lead (`nocf_check`).
    pub no_entry_mark: bool,
    /// Whether places in it to which indirect branches may lead are marked, also if the module does not say so for all
    /// functions (`branch-target-enforcement`).
    pub marks_branch_targets: bool,
    /// Whether it signs its return address (`sign-return-address`).
    pub signs_return: ReturnSigning,
    /// Whether it does so with the second of two keys (`sign-return-address-key`).
    pub signs_by_second_key: bool,
    /// Whether it keeps its return address on a stack of its own, too (`shadowcallstack`).
    pub keeps_shadow_stack: bool,
    /// How many instructions that do nothing, the shortest there are, it begins with, to be written over
    /// (`patchable-function-entry`).
    pub entry_filler: u32,
    /// How many such instructions stand before it (`patchable-function-prefix`).
    pub prefix_filler: u32,
    /// Whether its first instruction has room for a short jump (`prologue-short-redirect`).
    pub has_room_for_jump: bool,
    /// Whether it first calls `__fentry__` (`fentry-call`).
    pub calls_fentry: bool,
    /// Data that ends where it begins (`prefix`); the definition has the function's symbol.
    pub prefix_data: Option<Box<DataDef>>,
    /// Data that it begins with, which is executed (`prologue`); the definition has the function's symbol.
    pub prologue_data: Option<Box<DataDef>>,
    /// Which registers are zero when the function is left: the value of `zero-call-used-regs`; empty for none.
    pub cleared_registers: Str,
    /// Large frames must touch each page (`probe-stack`), with the function to call or `inline-asm`.
    pub stack_probe: Str,
    /// The page size of stack probes in bytes; 0 for the target's.
    pub stack_probe_size: u32,
    /// What its frame is aligned to in bytes, if more than others (`alignstack`); 0 if it does not say.
    pub stack_align: u32,
    /// Whether it aligns the stack pointer anew, since callers may not have aligned it (`stackrealign`).
    pub realigns_stack: bool,
    /// Whether it does without vectors of more than 256 bits where a processor's would be slow
    /// (`min-legal-vector-width`), and is not said to prefer them (`prefer-vector-width`).
    pub spares_wide_vectors: bool,
    /// Whether its frame is guarded.
    pub stack_protector: StackProtector,
    /// Size in bytes from which on memory in the frame makes [`StackProtector::Basic`] guard it; 0 for the default.
    pub stack_protector_bytes: u32,
    /// Attributes and the like that code generation does not know yet: what the function is refused for, and their
    /// names, comma-separated.
    pub unsupported: Option<(Refusal, Str)>,
    /// The processor to compile for; empty for the command's.
    pub target_cpu: Str,
    /// The processor features to compile for; empty for the command's.
    pub target_features: Str,
    /// The personality routine.
    pub personality: Option<SymbolId>,
    /// Whether data, or another function, has addresses of its blocks.
    pub has_block_addresses: bool,
}

impl FunctionHead {
    /// A head with no attributes.
    pub fn new(symbol: SymbolId) -> FunctionHead {
        FunctionHead {
            symbol,
            call_conv: CallConv::C,
            align_log2: 0,
            unwind_table: true,
            no_unwind: false,
            frame_pointer: FramePointer::None,
            no_red_zone: false,
            no_tail_calls: false,
            no_jump_tables: false,
            naked: false,
            cold: false,
            no_return: false,
            no_entry_mark: false,
            marks_branch_targets: false,
            signs_return: ReturnSigning::None,
            signs_by_second_key: false,
            keeps_shadow_stack: false,
            entry_filler: 0,
            prefix_filler: 0,
            has_room_for_jump: false,
            calls_fentry: false,
            prefix_data: None,
            prologue_data: None,
            cleared_registers: Str::EMPTY,
            stack_probe: Str::EMPTY,
            stack_probe_size: 0,
            stack_align: 0,
            realigns_stack: false,
            spares_wide_vectors: false,
            stack_protector: StackProtector::None,
            stack_protector_bytes: 0,
            unsupported: None,
            target_cpu: Str::EMPTY,
            target_features: Str::EMPTY,
            personality: None,
            has_block_addresses: false,
        }
    }
}

/// Data with contents: a definition, or what stands at the entry of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataDef {
    pub symbol: SymbolId,
    /// Size in bytes.
    pub size: u64,
    /// Alignment as log2 of bytes.
    pub align_log2: u8,
    /// Whether it is never written.
    pub constant: bool,
    /// Where its bytes start in [`Module::bytes`]; they are `byte_count` many, the rest is zero.
    pub first_byte: u64,
    /// How many bytes are given: 0 for zero-filled data, else at most `size`.
    pub byte_count: u64,
    /// Where its relocations start in [`Module::relocations`].
    pub first_relocation: u32,
    /// How many relocations it has.
    pub relocation_count: u32,
}

/// What a relocation in data points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocationTarget {
    Symbol(SymbolId),
    Block(FuncId, Block),
    /// The symbol, or a stub for it in this object if it lies elsewhere (`dso_local_equivalent`).
    LocalEquivalent(SymbolId),
    /// The symbol itself, past any control-flow-integrity jump table (`no_cfi`).
    NoCfi(SymbolId),
}

/// A relocation in data: `size` bytes at `offset` hold target plus addend, minus `minus` where that is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataRelocation {
    /// Bytes from the start of the data definition.
    pub offset: u64,
    /// Width of the field in bytes.
    pub size: u8,
    /// What it points at.
    pub target: RelocationTarget,
    /// Added to it.
    pub addend: i64,
    /// A symbol or block whose address is subtracted (differences of addresses).
    pub minus: Option<RelocationTarget>,
}

/// A constructor or destructor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InitEntry {
    /// Lower runs first; 65535 is the default.
    pub priority: u32,
    /// What runs.
    pub function: SymbolId,
    /// Data without which the entry is to be dropped.
    pub associated: Option<SymbolId>,
}

/// Module flags that matter to code generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModuleFlags {
    /// 0 static, 1 small PIC, 2 big PIC; `None` if the module does not say.
    pub pic_level: Option<u8>,
    /// 0 none, 1 small PIE, 2 big PIE; `None` if the module does not say.
    pub pie_level: Option<u8>,
    /// LLVM's number of the code model; `None` if the module does not say.
    pub code_model: Option<u8>,
    /// 0 none, 1 synchronous, 2 asynchronous unwind tables.
    pub unwind_tables: u8,
    /// Where the guard of frames is.
    pub guard_place: GuardPlace,
    /// Its distance from the thread pointer in bytes; `None` for the target's.
    pub guard_offset: Option<i32>,
    /// Frame pointers for functions that do not say.
    pub frame_pointer: FramePointer,
    /// Whether calls of functions of the run-time library go through the global offset table (`RtLibUseGOT`).
    pub runtime_uses_got: bool,
    /// Whether any symbol is bound early ([`SymbolData::non_lazy_bind`]).
    pub binds_early: bool,
    /// Whether direct access to external data is assumed or denied; `None` if the module does not say.
    pub direct_access_external_data: Option<bool>,
    /// Whether places to which indirect branches may lead are marked (`cf-protection-branch`).
    pub marks_branch_targets: bool,
    /// Whether only functions whose address is taken are such places, of all that are seen elsewhere (`ibt-seal`).
    pub seals_functions: bool,
    /// Whether the code gets along with a shadow stack (`cf-protection-return`, `guarded-control-stack`), which the
    /// object says.
    pub allows_shadow_stack: bool,
    /// Whether the object says that such places are marked, which functions say of themselves
    /// (`branch-target-enforcement`).
    pub declares_marked_targets: bool,
    /// Whether the object says that return addresses are signed, which functions say of themselves
    /// (`sign-return-address`).
    pub declares_signed_returns: bool,
    /// How stacks are aligned in bytes, where that is not what the convention says (`override-stack-alignment`).
    pub stack_align: Option<u32>,
}

impl ModuleFlags {
    /// LLVM's numbers of code models (`llvm/Support/CodeGen.h`): all symbols within a megabyte.
    pub const TINY: u8 = 0;
    /// All symbols within two or four gigabytes.
    pub const SMALL: u8 = 1;
    /// The same, at addresses that are negative.
    pub const KERNEL: u8 = 2;
    /// Code and small data as in the small model, large data anywhere.
    pub const MEDIUM: u8 = 3;
    /// Code and data anywhere.
    pub const LARGE: u8 = 4;

    /// The name of a code model by LLVM's number.
    pub fn code_model_name(number: u8) -> Option<&'static str> {
        ["tiny", "small", "kernel", "medium", "large"]
            .get(usize::from(number))
            .copied()
    }

    /// Whether the code model is the tiny one.
    pub fn is_tiny(&self) -> bool {
        self.code_model == Some(ModuleFlags::TINY)
    }

    /// Whether the code model is the large one.
    pub fn is_large(&self) -> bool {
        self.code_model == Some(ModuleFlags::LARGE)
    }

    /// Whether the code model is that of kernels.
    pub fn is_for_kernel(&self) -> bool {
        self.code_model == Some(ModuleFlags::KERNEL)
    }

    /// Where the guard of frames is. In kernels, the segment of threads is the other one.
    pub fn place_of_guard(&self) -> GuardPlace {
        match self.guard_place {
            GuardPlace::Thread if self.is_for_kernel() => GuardPlace::OtherSegment,
            place => place,
        }
    }
}
