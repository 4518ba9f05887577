//! What a target says about itself as data: registers, op table, conventions, relocations, fixups, addressing.

use crate::features::FeatureTable;
use crate::reference::RefKind;
use crate::reg::{PRegSet, Reg, RegClass};
use crate::text::Text;
use crate::unwind::UnwindOp;
use frazil_ir::{ImmediateRule, Type};

/// How many slots for registers an instruction has ([`crate::minst`]).
pub const SLOTS: usize = 4;

/// What an instruction does with one of its register operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The slot is not used.
    None,
    /// Read.
    Use,
    /// Written; may share a register with a use.
    Def,
    /// Read and written.
    UseDef,
    /// Base of the memory operand (read).
    Base,
    /// Index of the memory operand (read), or the reference of a symbol operand.
    Index,
}

impl Role {
    /// Whether the register is read.
    #[inline]
    pub const fn reads(self) -> bool {
        !matches!(self, Role::None | Role::Def)
    }

    /// Whether the register is written.
    #[inline]
    pub const fn writes(self) -> bool {
        matches!(self, Role::Def | Role::UseDef)
    }
}

/// What is said of three slots, for rows that have an immediate in the place of the last one.
pub const fn before_immediate<T: Copy>([first, second, third]: [T; 3], nothing: T) -> [T; SLOTS] {
    [first, second, third, nothing]
}

/// One row of a target's op table, as far as shared code reads it.
#[derive(Clone, Copy, Debug)]
pub struct OpDesc {
    /// The name of the row, unique in the table.
    pub name: Text,
    /// What happens to the registers in the slots. The last slot is the instruction's immediate: a row that has a role
    /// for it has no immediate.
    pub roles: [Role; SLOTS],
    /// How many bytes of each register are read or written; 0 for the operation's size.
    pub widths: [u8; SLOTS],
    /// The classes of registers that may be in the slots, where the row says so.
    pub classes: [Option<RegClass>; SLOTS],
    /// Whether it reads the condition flags (contract 2).
    pub reads_flags: bool,
    /// Whether it writes the condition flags.
    pub writes_flags: bool,
    /// Registers it reads besides its operands.
    pub implicit_uses: PRegSet,
    /// Registers it writes besides its operands.
    pub implicit_defs: PRegSet,
    /// Whether it copies `regs[1]` to `regs[0]` and does nothing else.
    pub is_move: bool,
    /// Whether `imm` names registers that it uses and defines besides (calls); see [`crate::mfunc::RegSets`].
    pub has_sets: bool,
    /// Whether it reads its memory operand (and perhaps writes it, too).
    pub reads_memory: bool,
    /// Whether it writes its memory operand.
    pub writes_memory: bool,
    /// Whether it does nothing but compute registers and flags, from registers, flags, immediates and, if
    /// [`OpDesc::reads_memory`], memory. Without users of what it computes, it need not be there.
    pub is_pure: bool,
    /// Whether it rounds or raises floating-point exceptions: where the program looks at its floating-point
    /// environment, it is not pure ([`crate::mfunc::MFunc::is_pure`]).
    pub rounds: bool,
    /// Whether it does nothing but compute `regs[0]` from its immediate and its memory operand; see
    /// [`crate::mfunc::can_rematerialize`].
    pub is_rematerializable: bool,
    /// If it does nothing but load `regs[0]`, as reloads of values of four bytes and more do
    /// ([`crate::isa::Isa::reload`]): how many bytes; 0 for the operation's size.
    pub reload_bytes: Option<u8>,
    /// Whether its operands may be in [`TargetDesc::upper_registers`].
    pub names_upper: bool,
    /// The rows of the same operation with register operand 0, 1 or 2 in memory. Of the first two, the other one is in
    /// slot 0 then; with the third one in memory, the second is in slot 3.
    pub memory_forms: [Option<u16>; 3],
    /// How many bytes these rows access, if more than the operation's size.
    pub memory_bytes: u8,
}

impl OpDesc {
    /// Whether it can be a branch: does nothing but read registers and flags.
    pub fn is_branch(&self) -> bool {
        let only_reads = (self.roles.iter()).all(|role| matches!(role, Role::None | Role::Use));
        only_reads && !self.is_pure && !self.writes_flags
    }

    /// A row without operands and effects.
    pub const fn plain(name: &str) -> OpDesc {
        OpDesc {
            name: Text::new(name),
            roles: [Role::None; SLOTS],
            widths: [0; SLOTS],
            classes: [None; SLOTS],
            reads_flags: false,
            writes_flags: false,
            implicit_uses: PRegSet::EMPTY,
            implicit_defs: PRegSet::EMPTY,
            is_move: false,
            has_sets: false,
            reads_memory: false,
            writes_memory: false,
            is_pure: false,
            rounds: false,
            is_rematerializable: false,
            reload_bytes: None,
            names_upper: false,
            memory_forms: [None; 3],
            memory_bytes: 0,
        }
    }

    /// How many bytes of a register operand an operation of `size` bytes reads or writes.
    #[inline]
    pub const fn operand_bytes(&self, slot: usize, size: u8) -> u8 {
        match self.widths[slot] {
            0 => size,
            bytes => bytes,
        }
    }

    /// The same with [`OpDesc::has_sets`].
    #[must_use]
    pub const fn with_sets(mut self) -> OpDesc {
        self.has_sets = true;
        self
    }
}

/// A physical register.
#[derive(Clone, Copy, Debug)]
pub struct RegDesc {
    pub reg: Reg,
    /// Its usual name.
    pub name: &'static str,
    /// Its DWARF number, from the ABI document.
    pub dwarf: u16,
}

/// A kind of relocation of the target.
#[derive(Clone, Copy, Debug)]
pub struct RelocDesc {
    /// The ABI document's name.
    pub name: &'static str,
    /// The number in ELF files.
    pub elf_type: u32,
    /// Width of the field in bytes.
    pub size_bytes: u8,
    /// For a plain distance from the field to the target: stores the distance in bytes (the relocation's addend
    /// included) in the field, for a target in the same section whose place no linker can change. `false` when it is
    /// out of range. `None` for kinds whose value only a linker knows.
    pub store_distance: Option<fn(field: &mut [u8], distance_bytes: i64) -> bool>,
    /// For objects whose relocations have no addends of their own ([`ElfDesc::addends_in_fields`]): stores the addend
    /// in the field, in the form in which linkers look for it there. `false` when it is out of range. `None` elsewhere.
    pub store_addend: Option<fn(field: &mut [u8], addend: i64) -> bool>,
    /// How code that has this relocation reaches a symbol.
    pub reference: RefKind,
    /// The fixup that fills the field in when its target is a label of the function, if there is one: it adds the
    /// distance to what the field holds, and never makes a branch shorter.
    pub label_fixup: Option<u8>,
}

/// A kind of branch or label field that is filled in when the label's place is known.
#[derive(Clone, Copy, Debug)]
pub struct FixupDesc {
    /// For messages.
    pub name: &'static str,
    /// Writes the distance in bytes from the field's start to the label into the field's bytes (`bytes` starts at
    /// the field). `false` when it is out of range.
    pub patch: fn(bytes: &mut [u8], distance_bytes: i64) -> bool,
}

/// How a target's loads and stores may form addresses.
#[derive(Clone, Copy, Debug)]
pub struct Addressing {
    /// Log2 scales that an index may have, as a bit mask; 0 when there is no index.
    pub index_scales: u8,
    /// Smallest displacement in bytes.
    pub min_disp: i32,
    /// Largest displacement in bytes.
    pub max_disp: i32,
    /// Which displacements cost nothing, where those that accesses may have can cost an instruction; `None` where none
    /// does.
    pub free_disps: Option<FreeDisplacements>,
    /// Whether an address with an index may have a displacement as well at no cost.
    pub index_with_disp: bool,
    /// Whether a symbol (reached directly) plus displacement is an address of its own.
    pub symbol_base: bool,
}

/// Displacements that an access has at no cost.
#[derive(Clone, Copy, Debug)]
pub struct FreeDisplacements {
    /// The smallest and the largest one of those of which all are free.
    pub min: i32,
    pub max: i32,
    /// So many times the size of the access is the largest one among its multiples from 0 on, which are free, too.
    pub max_multiple: u16,
}

impl FreeDisplacements {
    /// Whether an access of so many bytes has a displacement at no cost.
    #[inline]
    pub fn contains(&self, disp: i64, bytes: u32) -> bool {
        let (bytes, multiples) = (i64::from(bytes), i64::from(self.max_multiple));
        (i64::from(self.min) <= disp && disp <= i64::from(self.max))
            || (disp >= 0 && disp % bytes == 0 && disp / bytes <= multiples)
    }
}

/// Registers of a class as the allocators see them.
#[derive(Clone, Copy, Debug)]
pub struct ClassDesc {
    /// What values may live in.
    pub allocatable: PRegSet,
    /// Never allocated: for moves between memory and the breaking of cycles.
    pub scratch: Reg,
    /// Width of a register in bytes as far as values use it.
    pub bytes: u8,
}

/// Registers that form a stack, which instructions push to and pop from, like those of x86's x87 unit. Nothing is
/// there between instructions of the intermediate representation (contract 21).
#[derive(Clone, Copy, Debug)]
pub struct RegisterStack {
    /// For messages.
    pub name: &'static str,
    /// How many registers.
    pub count: u8,
    /// The types that only its instructions compute with. Texts of inline assembly and calls may have values of other
    /// types there, too.
    pub own_types: &'static [Type],
}

/// Registers of arguments that have one of their own; [`Reg::NONE`] where the convention has none.
#[derive(Clone, Copy, Debug)]
pub struct SpecialArgs {
    /// The static chain.
    pub nest: Reg,
    pub swift_self: Reg,
    /// Swift's error: both an argument and a result.
    pub swift_error: Reg,
    /// Swift's asynchronous context.
    pub swift_async: Reg,
    /// The pointer to memory for a struct; with none, it is dealt like others.
    pub struct_return: Reg,
}

impl SpecialArgs {
    /// None at all.
    pub const NONE: SpecialArgs = SpecialArgs {
        nest: Reg::NONE,
        swift_self: Reg::NONE,
        swift_error: Reg::NONE,
        swift_async: Reg::NONE,
        struct_return: Reg::NONE,
    };
}

/// A calling convention as data.
#[derive(Clone, Copy, Debug)]
pub struct ConvDesc {
    /// For messages.
    pub name: &'static str,
    /// Registers of integer arguments, in order; [`Reg::NONE`] for one that arguments cannot be passed in here.
    pub int_args: &'static [Reg],
    /// Registers of floating-point arguments, in order.
    pub float_args: &'static [Reg],
    /// Registers of vector arguments that are not variable, in order, where floats have none
    /// ([`ConvDesc::float_args`] is empty then).
    pub vector_args: &'static [Reg],
    /// Whether only arguments that the signature marks `inreg` have registers of [`ConvDesc::int_args`], and none in
    /// signatures with variable arguments.
    pub only_in_reg: bool,
    /// Registers of integer results, in order.
    pub int_returns: &'static [Reg],
    /// Registers of floating-point results, in order.
    pub float_returns: &'static [Reg],
    /// Registers of results that are floats of 16 bits, the same ones in order and perhaps more.
    pub narrow_returns: &'static [Reg],
    /// Registers of vector results, the same ones in order and perhaps more.
    pub vector_returns: &'static [Reg],
    /// The types of results that are returned on the register stack ([`TargetDesc::register_stack`]), from its top on,
    /// or refused if [`ConvDesc::stack_returns`] is empty. Floats for which there are no registers are returned there,
    /// too.
    pub stack_returned: &'static [Type],
    /// How many results may be there, two at most, each with a register that no other result has: shared code takes it
    /// for the result's place, and [`crate::isa::Isa::take_stack_results`] and
    /// [`crate::isa::Isa::give_stack_results`] bring the result from the stack after calls and to it before returns.
    pub stack_returns: &'static [Reg],
    /// Types of more bytes than general registers whose arguments are always in memory, aligned to their size.
    pub memory_args: &'static [Type],
    /// How many bytes such an argument takes if that is less than its register has, aligned to a slot; 0 elsewhere. It
    /// is passed like memory by value then.
    pub short_memory_bytes: u32,
    /// The strictest alignment of a result in memory that is no vector.
    pub result_align: u32,
    /// Registers that keep their value over a call, those of its results left out where they are among them.
    pub callee_saved: PRegSet,
    /// Those of them that nothing of a call writes: neither its arguments, results nor the callee's address. Registers
    /// of [`SpecialArgs`] count as written only by calls that have such an argument.
    pub kept_by_calls: PRegSet,
    /// Bytes that each argument on the stack takes at least.
    pub stack_slot_bytes: u32,
    /// What scalars on the stack are aligned to at most.
    pub stack_scalar_align: u32,
    /// Whether an integer of 128 bits that is several values is on the stack, from an aligned place on.
    pub aligns_words: bool,
    /// A register for the first integer of at most 16 bits that comes when those of integer arguments are taken; none
    /// elsewhere.
    pub narrow_arg: Reg,
    /// Alignment of the stack at a call.
    pub stack_align: u32,
    /// The register that holds the callee of an indirect call: no argument register, not callee-saved.
    pub indirect_callee: Reg,
    /// Registers of arguments that have one of their own.
    pub special: SpecialArgs,
    /// Whether memory can be passed by value, on the stack.
    pub passes_memory: bool,
    /// Whether a callee takes its arguments off the stack.
    pub callee_pops: bool,
    /// Whether that is so that functions with more or fewer of them may take each other's place: calls do if they can.
    pub tail_calls: bool,
    /// Whether a callee takes the address of the memory for a struct or for results off the stack, if it is there, and
    /// leaves the other arguments to its caller.
    pub pops_result_pointer: bool,
    /// Bytes of the return address that a call pushes below its arguments: what a callee takes off the stack keeps it
    /// aligned with it.
    pub pushed_address_bytes: u32,
    /// Bytes of the narrowest integer argument; narrower ones are refused.
    pub narrowest_bytes: u8,
    /// Whether integer and floating-point arguments count positions together: the third argument has the third
    /// register of its class.
    pub shares_positions: bool,
    /// Bytes of the argument area below the first argument on the stack, which belong to the callee.
    pub shadow_bytes: u32,
    /// Whether the pointer to memory for a struct or for results is never in a register of integer arguments.
    pub stacks_struct_pointer: bool,
    /// Whether the pointer to memory for a struct or for results is also returned in the first integer result register.
    pub returns_struct_pointer: bool,
    /// Whether it is the C convention but for the registers of results: calls between such functions may be jumps.
    pub is_plain: bool,
    /// Whether callees preserve vector registers in the processor's full width, however wide that is.
    pub preserves_wide_vectors: bool,
    /// Whether an integer of 128 bits goes to registers only if all of it fits, and on the stack is aligned to its
    /// size.
    pub keeps_pairs: bool,
    /// Whether such an integer also begins at every second register only, and takes those that are left from later
    /// arguments if it goes to the stack.
    pub pairs_begin_even: bool,
    /// Whether an `i1` is passed and returned with zeros above it, also where the signature does not say so.
    pub extends_bool: bool,
    /// What vectors of no more bytes take on the stack, and are widened to if they have fewer; 0 where every vector is
    /// passed as wide as a register.
    pub short_vector_bytes: u8,
    /// A register that tells a variadic callee an upper bound of the float registers used; none if not needed.
    pub variadic_count: Reg,
}

/// The target as data.
#[derive(Clone, Copy, Debug)]
pub struct TargetDesc {
    /// The name in `--target`, which is also an architecture in triples.
    pub name: &'static str,
    /// Assemblers that accept only what the least processor has, by what their names contain, with the options by which
    /// they accept all: functions of one module are for several processors. So a text that the processor of its
    /// function lacks is not refused, where LLVM would.
    pub assembler_options: &'static [(&'static str, &'static [&'static str])],
    /// Registers by number, gaps left out.
    pub regs: &'static [RegDesc],
    /// Relocation kinds; instructions name them by index.
    pub relocs: &'static [RelocDesc],
    /// Fixup kinds; the code buffer names them by index.
    pub fixups: &'static [FixupDesc],
    /// The integer and the float class.
    pub classes: [ClassDesc; 2],
    /// The class of mask registers, which functions with some features have ([`crate::isa::Isa::has_masks`]): no
    /// convention knows of them, and they are lost in every call.
    pub masks: Option<ClassDesc>,
    /// Width in bytes of the float registers that hold vectors, 0 if none do: what [`crate::isa::Isa::parts`] says of
    /// every vector that has a register, at most those of a constant's bits (16).
    pub vector_bytes: u8,
    /// Width in bytes of the widest vectors that are passed in one register, although there are not instructions for
    /// every operation on them ([`Parts::is_wide_vector`](crate::Parts::is_wide_vector)); 0 if there are none.
    pub passed_vector_bytes: u8,
    /// Registers that may be home registers of a value or stack slot: callee-saved integer registers, and
    /// float registers, which only functions without calls use so (runtime
    /// calls save them). No rule claims any of them, but for atomic accesses of 128
    /// bits, beside which there are no homes.
    pub home_registers: PRegSet,
    /// Registers that only rules use, within the instructions of one rule: never allocated, in no convention, and lost
    /// in every call, since the rules of the callee use them, too. Scratch registers are none of them.
    pub rule_registers: PRegSet,
    /// Registers that some platforms keep to themselves: the optimizing path gives them to values where
    /// [`Isa::has_spare_registers`](crate::isa::Isa::has_spare_registers) says that this one does not. They are in no
    /// convention, and lost in every call.
    pub spare_registers: PRegSet,
    /// Whether a comparison can depend on the flags of another one, so that what needs both takes one instruction for
    /// each.
    pub joins_comparisons: bool,
    /// What a wrongly predicted branch costs, in cycles, if choices in loops may become branches; 0 if they stay.
    pub misprediction_cycles: u8,
    /// Registers that only functions with some features have ([`crate::isa::Isa::has_upper_registers`]), and that only
    /// some instructions can name ([`OpDesc::names_upper`]): no convention knows of them, and they are lost in every
    /// call.
    pub upper_registers: PRegSet,
    /// The general registers whose lowest byte an instruction can name by itself, if others need more instructions for
    /// that; else empty.
    pub byte_registers: PRegSet,
    /// The register that frame slots are addressed from.
    pub frame_pointer: Reg,
    pub stack_pointer: Reg,
    /// Where unwinders leave the exception and the selector when they enter a landing pad; `None` if the target has no
    /// exceptions. Neither is callee-saved, a scratch register or a home register.
    pub exception_registers: Option<[Reg; 2]>,
    /// Whether an optimized function saves integer registers of its caller by pushing them, a register's width each,
    /// so that they lie between the frame pointer's place and the areas of the function.
    pub pushes_saved_registers: bool,
    /// Whether [`crate::isa::Isa::push`] has pushes for arguments of the width of a register, which then are stored
    /// from the last one to the first.
    pub pushes_arguments: bool,
    /// Whether an optimized function may do without the frame pointer, which then is a register like others and among
    /// the callee-saved ones.
    pub frame_pointer_is_optional: bool,
    /// Whether the stack pointer must be a multiple of the stack's alignment at all times, and not only at calls.
    pub keeps_stack_aligned: bool,
    /// The register in which a call leaves the return address, if it does not push it: functions that call something
    /// save it like a callee-saved register, or with the frame pointer, above the caller's. In such functions the
    /// optimizing path gives it to values; instructions that call overwrite it, as their rows say.
    pub link_register: Option<Reg>,
    /// Whether functions can sign return addresses, keep them on a stack of their own, and mark places to which
    /// indirect branches lead one by one.
    pub protects_returns: bool,
    /// Whether integers are copied, spilled and reloaded with all bits of their register in functions of the selecting
    /// context, so that zeros which an instruction has left above one stay ([`crate::isa::Isa::clears_above`]).
    pub moves_whole_registers: bool,
    /// What a call pushes onto the stack, in bytes.
    pub return_address_bytes: u8,
    /// Parts of triples that name the systems whose threads hold a value to guard frames with, or that have it in a
    /// variable, where the target's prologue takes it from. Functions that ask for a guard are refused elsewhere.
    pub guarded_systems: &'static [&'static str],
    /// What a function that calls nothing may use below the stack pointer, in bytes.
    pub red_zone_bytes: u32,
    /// How long the jump is that may be written over a function's first instruction while the program runs.
    pub patched_jump_bytes: u32,
    /// Where incoming stack arguments begin, in bytes from the frame pointer.
    pub incoming_args_offset: i32,
    /// Size of a pointer in bytes.
    pub pointer_bytes: u8,
    /// What processors can do besides what all of them can.
    pub features: &'static FeatureTable,
    /// The code models that there is code for, by LLVM's numbers ([`frazil_ir::module::ModuleFlags`]), in the order in
    /// which they are recommended.
    pub code_models: &'static [u8],
    /// Address forms.
    pub addressing: Addressing,
    /// Which constant integers instructions take at no cost, where that is not every one of 32 bits.
    pub free_immediates: Option<ImmediateRule>,
    /// The registers that form a stack, if there are such. [`crate::inline_asm::AsmRules::stack`] then says how texts
    /// of inline assembly use them.
    pub register_stack: Option<RegisterStack>,
    /// Alignment of functions as log2 of bytes.
    pub function_align_log2: u8,
    /// Bytes of the lines that short loops should not be in more of than they have to, as log2; 0 if that does not
    /// matter.
    pub loop_line_log2: u8,
    /// What constants that code reads from memory are aligned to at most, in bytes; shorter ones to their size.
    pub constant_align_bytes: u8,
    /// ELF header fields.
    pub elf: ElfDesc,
}

impl TargetDesc {
    /// The registers of a class, as the target's table has them.
    #[inline]
    ///
    /// # Panics
    /// If it is the class of masks, and the target has no such registers.
    pub fn class(&self, class: RegClass) -> &ClassDesc {
        match class {
            RegClass::Mask => self.masks.as_ref().expect("who asks has a mask"),
            _ => &self.classes[class.bank()],
        }
    }

    /// The classes that the target has.
    pub fn each_class(&self) -> impl Iterator<Item = RegClass> + use<> {
        let masks = self.masks.map(|_| RegClass::Mask);
        [RegClass::Int, RegClass::Float].into_iter().chain(masks)
    }

    /// The mask registers that values may live in.
    pub fn mask_registers(&self) -> PRegSet {
        self.masks.map_or(PRegSet::EMPTY, |class| class.allocatable)
    }

    /// Bytes of the widest part that registers of a class hold.
    pub fn widest_bytes(&self, class: RegClass) -> u8 {
        match class {
            RegClass::Int | RegClass::Mask => self.class(class).bytes,
            RegClass::Float => self.class(class).bytes.max(self.passed_vector_bytes),
        }
    }

    /// Whether only instructions of the register stack compute with a type.
    pub fn is_for_stack(&self, ty: Type) -> bool {
        self.register_stack.is_some_and(|stack| stack.own_types.contains(&ty))
    }

    /// The DWARF number of a register.
    pub fn dwarf_number(&self, reg: Reg) -> Option<u16> {
        self.regs.iter().find(|row| row.reg == reg).map(|row| row.dwarf)
    }
}

/// What the object writer must know.
#[derive(Clone, Copy, Debug)]
pub struct ElfDesc {
    /// `e_machine`.
    pub machine: u16,
    /// Whether it is a 64-bit ELF file.
    pub is_64: bool,
    /// Whether the least significant byte comes first.
    pub little_endian: bool,
    /// `e_flags`.
    pub flags: u32,
    /// Whether relocations leave their addends in the fields that they are for (`SHT_REL`), as 32-bit ABIs mostly have
    /// it, instead of having them beside (`SHT_RELA`).
    pub addends_in_fields: bool,
    /// Whether pointers to exception tables and in them are distances of 8 bytes, and those to symbols lead through
    /// pointers in data, wherever code may be placed. Elsewhere, they have 4 bytes, and addresses in code for a fixed
    /// place.
    pub has_far_exception_tables: bool,
    /// The type that assemblers give sections of unwind tables, where it is not that of other contents.
    pub unwind_section_type: Option<u32>,
    /// How sections are marked that may lie farther away than code usually reaches, if the ABI has such sections.
    pub far_sections: Option<FarSections>,
    /// Relocation index of an absolute address of 8 bytes in data; also used for 4 bytes when that is none.
    pub abs64: Option<u8>,
    /// Relocation index of an absolute address of 4 bytes in data.
    pub abs32: Option<u8>,
    /// Relocation index of the low 2 bytes of an absolute address in data.
    pub abs16: Option<u8>,
    /// Relocation index of the low byte of an absolute address in data.
    pub abs8: Option<u8>,
    /// Relocation index of a 4-byte distance from the field to a function or its entry of the procedure linkage table.
    pub plt32: Option<u8>,
    /// Relocation index of a 4-byte distance from the field to a symbol.
    pub pc32: Option<u8>,
    /// Relocation index of an 8-byte distance from the field to a symbol.
    pub pc64: Option<u8>,
    /// How debug information says where a thread-local variable is, if the ABI has a way.
    pub thread_offset: Option<ThreadOffset>,
    /// DWARF number of the return address column.
    pub return_address_column: u16,
    /// `code_alignment_factor` of call frame information.
    pub code_align: u8,
    /// `data_alignment_factor` of call frame information.
    pub data_align: i8,
    /// The call frame description that holds at the first instruction of every function.
    pub initial_unwind: &'static [UnwindOp],
    /// Bytes for filling between functions.
    pub filler: u8,
    /// The shortest instruction that does nothing; empty if there is none.
    pub no_operation: &'static [u8],
    /// How objects say which protection of control flow their code allows.
    pub protection_note: Option<ProtectionNote>,
}

impl ElfDesc {
    /// The bytes of an instruction that does nothing, or without one, of what else fills space.
    pub fn filler_unit(&self) -> Vec<u8> {
        match self.no_operation {
            [] => vec![self.filler],
            unit => unit.to_vec(),
        }
    }

    /// How many bytes so many instructions have that do nothing.
    pub fn filler_bytes(&self, count: u32) -> u64 {
        self.no_operation.len().max(1) as u64 * u64::from(count)
    }
}

/// An offset in the thread-local storage of a module, in data.
#[derive(Clone, Copy, Debug)]
pub struct ThreadOffset {
    /// Relocation index of a field as wide as an address.
    pub relocation: u8,
    /// What assembly has after the name of the variable.
    pub suffix: &'static str,
}

/// Sections for far data. Each is called like the usual one with an `l` after the dot.
#[derive(Clone, Copy, Debug)]
pub struct FarSections {
    /// The flag in section headers.
    pub flag: u64,
    /// The letter for it in assembly.
    pub letter: char,
}

/// A property of an object in `.note.gnu.property` that linkers take the intersection of.
#[derive(Clone, Copy, Debug)]
pub struct ProtectionNote {
    /// The type of the property.
    pub property: u32,
    /// The bit that says that targets of indirect branches are marked.
    pub marked_targets: u32,
    /// The bit that says that a shadow stack may be kept.
    pub shadow_stack: u32,
    /// The bit that says that return addresses are signed; 0 where none are.
    pub signed_returns: u32,
}
