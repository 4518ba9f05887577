//! Objects of small modules, read back with an independent reader.

use frazil_codegen::{
    Addressing, ClassDesc, CompiledFunction, ElfDesc, PRegSet, Ref, RefKind, Reg, RelocDesc, TargetDesc, UnwindOp,
};
use frazil_emit::{EmitError, EmitOptions, ObjectBuilder};
use frazil_ir::module::ModuleFlags;
use frazil_ir::{Module, RuntimeFunction, SymbolId, text};
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, SectionHeader, Sym};
use object::{Endianness, Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionIndex, SymbolKind};
use std::fmt::Write;

const ABS64: u8 = 0;
const ABS32: u8 = 1;
const PC32: u8 = 2;
const GOT: u8 = 3;

fn store(field: &mut [u8], distance: i64) -> bool {
    let Ok(value) = i32::try_from(distance) else {
        return false;
    };
    field[..4].copy_from_slice(&value.to_le_bytes());
    true
}

const fn reloc(name: &'static str, elf_type: u32, size_bytes: u8) -> RelocDesc {
    RelocDesc {
        name,
        elf_type,
        size_bytes,
        store_distance: if elf_type == 2 { Some(store) } else { None },
        store_addend: if size_bytes == 4 { Some(store) } else { None },
        reference: if elf_type == 9 { RefKind::Got } else { RefKind::Symbol },
        label_fixup: None,
    }
}

const CLASS: ClassDesc = ClassDesc {
    allocatable: PRegSet::EMPTY,
    scratch: Reg::NONE,
    bytes: 8,
};

/// A target with the relocation numbers of x86-64.
static TARGET: TargetDesc = TargetDesc {
    name: "test",
    assembler_options: &[],
    regs: &[],
    relocs: &[
        reloc("abs64", 1, 8),
        reloc("abs32", 10, 4),
        reloc("pc32", 2, 4),
        reloc("got", 9, 4),
    ],
    fixups: &[],
    classes: [CLASS, CLASS],
    masks: None,
    vector_bytes: 0,
    passed_vector_bytes: 0,
    home_registers: PRegSet::EMPTY,
    rule_registers: PRegSet::EMPTY,
    spare_registers: PRegSet::EMPTY,
    joins_comparisons: false,
    misprediction_cycles: 0,
    upper_registers: PRegSet::EMPTY,
    byte_registers: PRegSet::EMPTY,
    frame_pointer: Reg::NONE,
    stack_pointer: Reg::NONE,
    exception_registers: None,
    pushes_saved_registers: false,
    pushes_arguments: false,
    frame_pointer_is_optional: false,
    keeps_stack_aligned: false,
    link_register: None,
    protects_returns: false,
    moves_whole_registers: false,
    return_address_bytes: 0,
    guarded_systems: &[],
    red_zone_bytes: 0,
    patched_jump_bytes: 4,
    incoming_args_offset: 16,
    pointer_bytes: 8,
    features: &frazil_codegen::features::FeatureTable::EMPTY,
    code_models: &[ModuleFlags::SMALL],
    addressing: Addressing {
        index_scales: 0,
        min_disp: 0,
        max_disp: 0,
        free_disps: None,
        index_with_disp: true,
        symbol_base: false,
    },
    free_immediates: None,
    register_stack: None,
    function_align_log2: 4,
    loop_line_log2: 0,
    constant_align_bytes: 16,
    elf: ElfDesc {
        machine: 62,
        is_64: true,
        little_endian: true,
        flags: 0,
        addends_in_fields: false,
        has_far_exception_tables: false,
        unwind_section_type: None,
        far_sections: None,
        abs64: Some(ABS64),
        abs32: Some(ABS32),
        abs16: None,
        abs8: None,
        plt32: None,
        pc32: Some(PC32),
        pc64: None,
        thread_offset: None,
        return_address_column: 16,
        code_align: 1,
        data_align: -8,
        initial_unwind: &[UnwindOp::DefineCfa(7, 8), UnwindOp::SavedAt(16, -8)],
        filler: 0xcc,
        protection_note: None,
        no_operation: &[],
    },
};

/// The same with addends in fields, and the relocation numbers of 32-bit x86.
static ADDENDS_IN_FIELDS: TargetDesc = TargetDesc {
    relocs: &[
        reloc("none", 0, 8),
        reloc("abs32", 1, 4),
        reloc("pc32", 2, 4),
        reloc("got", 3, 4),
    ],
    pointer_bytes: 4,
    elf: ElfDesc {
        machine: 3,
        is_64: false,
        addends_in_fields: true,
        abs64: None,
        ..TARGET.elf
    },
    ..TARGET
};

/// The object of a module whose functions consist of 16 bytes of 0x90, changed by `code`. `BODY` in the text stands
/// for a function body.
fn object(
    module: &str,
    options: EmitOptions,
    code: impl Fn(&Module, &str, &mut CompiledFunction),
) -> Result<Vec<u8>, EmitError> {
    object_for(&TARGET, module, options, code)
}

fn object_for(
    target: &'static TargetDesc,
    module: &str,
    options: EmitOptions,
    code: impl Fn(&Module, &str, &mut CompiledFunction),
) -> Result<Vec<u8>, EmitError> {
    let module = module.replace("BODY", "{\nb0:\n  return\n}");
    let (module, _) = text::parse_module(&module).expect("valid text");
    let mut builder = ObjectBuilder::new(&module, target, options)?;
    for (id, head) in module.functions.iter() {
        let mut function = CompiledFunction::new(false);
        function.align_log2 = 4;
        function.body.put(&[0x90; 16]);
        code(&module, &module.display_name(head.symbol), &mut function);
        builder.add_function(id, &function)?;
    }
    let mut out = Vec::new();
    builder.finish(&mut out)?;
    Ok(out)
}

fn plain(module: &str) -> String {
    describe(&object(module, EmitOptions::default(), |_, _, _| {}).expect("written"))
}

fn refusal(module: &str) -> String {
    object(module, EmitOptions::default(), |_, _, _| {})
        .expect_err("refused")
        .to_string()
}

fn symbol(module: &Module, name: &str) -> SymbolId {
    let found = module
        .symbols
        .keys()
        .find(|symbol| module.name(*symbol) == name.as_bytes());
    found.expect("the module has the symbol")
}

/// Sections, symbols and relocations as lines of text, without the tables that every object has.
fn describe(bytes: &[u8]) -> String {
    let header = FileHeader64::<Endianness>::parse(bytes).expect("an ELF header");
    let endian = header.endian().expect("an endianness");
    let sections = header.sections(endian, bytes).expect("sections");
    let symbols = sections.symbols(endian, bytes, elf::SHT_SYMTAB).expect("symbols");
    let name = |index: SectionIndex| {
        let section = sections.section(index).expect("in the table");
        String::from_utf8_lossy(sections.section_name(endian, section).expect("named")).into_owned()
    };
    let symbol_name = |index: object::SymbolIndex| {
        let symbol = symbols.symbol(index).expect("in the table");
        let section = symbols.symbol_section(endian, symbol, index).expect("valid");
        match section {
            Some(section) if symbol.st_type() == elf::STT_SECTION => name(section),
            _ => String::from_utf8_lossy(symbols.symbol_name(endian, symbol).expect("named")).into_owned(),
        }
    };
    let mut out = String::new();
    for (index, section) in sections.enumerate() {
        if index.0 == 0 {
            continue;
        }
        let name = name(index);
        let table = [".symtab", ".strtab", ".note.GNU-stack", ".eh_frame", ".rela.eh_frame"].contains(&&*name);
        if table {
            continue;
        }
        if let Ok(Some((relocations, _))) = section.rela(endian, bytes) {
            for relocation in relocations {
                let place = relocation.r_offset.get(endian);
                let kind = relocation.r_type(endian, false).0;
                let target = symbol_name(object::SymbolIndex(relocation.r_sym(endian, false) as usize));
                let addend = relocation.r_addend.get(endian);
                writeln!(out, "  {place:#x}: {kind} {target}{addend:+}").expect("a string");
            }
            continue;
        }
        let (size, align) = (section.sh_size(endian), section.sh_addralign(endian));
        let (kind, flags) = (section.sh_type(endian).0, section.sh_flags(endian).0);
        write!(out, "{name} type {kind} flags {flags:#x} size {size} align {align}").expect("a string");
        if let Ok(Some((group, members))) = section.group(endian, bytes) {
            let signature = symbol_name(object::SymbolIndex(section.sh_info(endian) as usize));
            let members = members
                .iter()
                .map(|member| member.get(endian).to_string())
                .collect::<Vec<_>>();
            write!(out, " {} {signature} of {}", group.0, members.join(" ")).expect("a string");
        }
        out.push('\n');
    }
    for (index, symbol) in symbols.enumerate() {
        if index.0 == 0 || symbol.st_type() == elf::STT_SECTION {
            continue;
        }
        let place = match symbols.symbol_section(endian, symbol, index).expect("valid") {
            Some(section) => format!("{}+{:#x}", name(section), symbol.st_value(endian)),
            None => format!("{:#x} {}", symbol.st_shndx(endian).0, symbol.st_value(endian)),
        };
        let (bind, kind, visibility) = (symbol.st_bind().0, symbol.st_type().0, symbol.st_visibility().0);
        let (name, size) = (symbol_name(index), symbol.st_size(endian));
        writeln!(
            out,
            "{name}: bind {bind} type {kind} visibility {visibility} size {size} at {place}"
        )
        .expect("text");
    }
    out
}

#[track_caller]
fn check(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|found| found == *line), "no line `{line}` in\n{text}");
    }
}

#[test]
fn data_goes_to_the_sections_that_llvm_uses() {
    let text = plain(
        r#"symbol @text data private unnamed_addr
           symbol @wide data private unnamed_addr
           symbol @table data unnamed_addr
           symbol @zero data
           symbol @common data common
           symbol @tls data general_dynamic
           symbol @tbss data internal local_exec
           symbol @mine data section "mine"
           symbol @kept data internal
           symbol @gone data available_externally
           data @text constant size 6 { "hello\00" }
           data @wide constant align 8 size 8 { x"0102030405060708" }
           data @table constant align 4 size 12 { x"00" zero 11 }
           data @pointer constant align 8 size 8 { zero 8 } relocations [0: 8 @zero]
           data @zero align 4 size 400 {}
           data @common align 16 size 40 {}
           data @tls align 4 size 4 { x"01000000" }
           data @tbss align 4 size 4 {}
           data @mine align 4 size 4 {}
           data @kept align 4 size 4 { x"01000000" }
           data @gone align 4 size 4 { x"01000000" }
           used [@kept]"#,
    );
    check(
        &text,
        &[
            ".rodata.str1.1 type 1 flags 0x32 size 6 align 1",
            ".rodata.cst8 type 1 flags 0x12 size 8 align 8",
            ".rodata type 1 flags 0x2 size 12 align 4",
            ".data.rel.ro type 1 flags 0x3 size 8 align 8",
            "  0x0: 1 zero+0",
            ".bss type 8 flags 0x3 size 400 align 4",
            ".tdata type 1 flags 0x403 size 4 align 4",
            ".tbss type 8 flags 0x403 size 4 align 4",
            "mine type 1 flags 0x3 size 4 align 4",
            ".data.kept type 1 flags 0x200003 size 4 align 4",
            "common: bind 1 type 1 visibility 0 size 40 at 0xfff2 16",
            "tls: bind 1 type 6 visibility 0 size 4 at .tdata+0x0",
            "kept: bind 0 type 1 visibility 0 size 4 at .data.kept+0x0",
        ],
    );
    assert!(!text.contains("gone") && !text.contains(".Ltext"), "{text}");
}

#[test]
fn code_relocations_name_sections_or_symbols_or_are_resolved() {
    let module = r#"
        symbol @first function internal
        symbol @second function
        symbol @text data private unnamed_addr
        symbol @variable data internal
        symbol @memcpy function
        data @text constant size 3 { "ab\00" }
        data @variable align 4 size 8 { x"00000000" zero 3 x"01" }
        func @first() BODY
        func @second() BODY"#;
    let code = |module: &Module, name: &str, function: &mut CompiledFunction| {
        if name == "first" {
            return;
        }
        function.prologue.put(&[0x55]);
        let one = function.body.constant(&1f64.to_le_bytes());
        let runtime = |runtime: RuntimeFunction| runtime.symbol(module.symbols.len());
        let direct = |symbol| Ref::symbol(RefKind::Symbol, symbol);
        let body = &mut function.body;
        body.reloc(0, PC32, direct(symbol(module, "first")), -4);
        body.reloc(1, ABS64, direct(symbol(module, "variable")), 4);
        body.reloc(2, PC32, direct(symbol(module, "text")), -4);
        body.reloc(3, PC32, one, -4);
        body.reloc(4, GOT, Ref::symbol(RefKind::Got, symbol(module, "variable")), -4);
        body.reloc(5, PC32, Ref::symbol(RefKind::Plt, runtime(RuntimeFunction::Memcpy)), -4);
        body.reloc(6, PC32, Ref::symbol(RefKind::Plt, runtime(RuntimeFunction::Memset)), -4);
        body.reloc(7, PC32, direct(symbol(module, "second")), -4);
    };
    let bytes = object(module, EmitOptions::default(), code).expect("written");
    let distance = (-(17i32 + 4)).to_le_bytes();
    let start = bytes
        .windows(18)
        .position(|window| window[0] == 0x55 && window[1..5] == distance);
    assert!(start.is_some(), "the distance to a local function is stored");
    check(
        &describe(&bytes),
        &[
            "  0x12: 1 .data+4",
            "  0x13: 2 .Ltext-4",
            "  0x14: 2 .L..c0-4",
            "  0x15: 9 variable-4",
            "  0x16: 2 memcpy-4",
            "  0x17: 2 memset-4",
            "  0x18: 2 second-4",
            "first: bind 0 type 2 visibility 0 size 16 at .text+0x0",
            "second: bind 1 type 2 visibility 0 size 17 at .text+0x10",
            "memset: bind 1 type 0 visibility 0 size 0 at 0x0 0",
            ".rodata.cst8 type 1 flags 0x12 size 8 align 8",
        ],
    );
}

#[test]
fn groups_hold_their_sections_and_name_a_symbol() {
    let text = plain(
        r#"comdat @leader any
           comdat @other no_deduplicate
           symbol @leader function link_once_odr comdat @leader
           symbol @data data link_once_odr hidden comdat @leader
           symbol @alone function internal comdat @other
           data @data align 4 size 4 { x"01000000" }
           data @table align 8 size 8 { zero 8 } relocations [0: 8 @data]
           func @leader() BODY
           func @alone() BODY"#,
    );
    check(
        &text,
        &[
            ".group type 17 flags 0x0 size 12 align 4 1 leader of 3 5",
            ".group type 17 flags 0x0 size 8 align 4 0 other of 4",
            ".text.leader type 1 flags 0x206 size 16 align 16",
            ".data.data type 1 flags 0x203 size 4 align 4",
            "leader: bind 2 type 2 visibility 0 size 16 at .text.leader+0x0",
            "data: bind 2 type 1 visibility 2 size 4 at .data.data+0x0",
            "other: bind 0 type 0 visibility 0 size 0 at .group+0x0",
        ],
    );
}

#[test]
fn constructors_aliases_and_indirect_functions() {
    let text = plain(
        r#"symbol @f function internal
           symbol @variable data
           symbol @inner alias data @variable + 4
           symbol @outer alias data @inner + 2 internal
           symbol @chosen ifunc @f
           data @variable align 4 size 8 { x"0100000002000000" }
           func @f() BODY
           constructor 65535 @f
           constructor 101 @f
           destructor 65535 @f"#,
    );
    check(
        &text,
        &[
            ".init_array.101 type 14 flags 0x3 size 8 align 8",
            ".init_array type 14 flags 0x3 size 8 align 8",
            ".fini_array type 15 flags 0x3 size 8 align 8",
            "inner: bind 1 type 1 visibility 0 size 8 at .data+0x4",
            "outer: bind 0 type 1 visibility 0 size 8 at .data+0x6",
            "chosen: bind 1 type 10 visibility 0 size 16 at .text+0x0",
        ],
    );
}

/// Relocations as lines: section, place, kind, target, and the number in the field. Read by the common interface of
/// `object`, which knows of both forms.
fn relocations_in_fields(bytes: &[u8]) -> Vec<String> {
    let file = object::File::parse(bytes).expect("an object");
    let mut lines = Vec::new();
    for section in file.sections() {
        let (name, data) = (section.name().expect("named"), section.data().expect("there"));
        for (offset, relocation) in section.relocations() {
            assert!(
                relocation.has_implicit_addend() && relocation.addend() == 0,
                "{relocation:?}"
            );
            let RelocationTarget::Symbol(symbol) = relocation.target() else {
                panic!("{relocation:?}");
            };
            let symbol = file.symbol_by_index(symbol).expect("in the table");
            let section = symbol.section_index().filter(|_| symbol.kind() == SymbolKind::Section);
            let section = section.map(|index| file.section_by_index(index).expect("in the table"));
            let target = match &section {
                Some(section) => section.name(),
                None => symbol.name(),
            };
            let target = target.expect("named");
            let field = data[offset as usize..]
                .first_chunk()
                .copied()
                .expect("within the section");
            let (kind, field) = (relocation.kind(), i32::from_le_bytes(field));
            lines.push(format!("{name} {offset:#x}: {kind:?} {target} {field:+}"));
        }
    }
    lines
}

#[test]
fn addends_are_in_fields_where_the_target_says_so() {
    let module = r#"
        symbol @outside data
        symbol @variable data internal
        data @variable align 4 size 8 { x"0000000000000001" }
        data @table align 4 size 12 { x"ffffffffffffffff" } relocations [0: 4 @outside + 12, 4: 4 @variable + 4]
        func @first() BODY"#;
    let code = |module: &Module, _: &str, function: &mut CompiledFunction| {
        let direct = |name| Ref::symbol(RefKind::Symbol, symbol(module, name));
        function.body.reloc(0, PC32, direct("outside"), -4);
        function.body.reloc(4, ABS32, direct("variable"), 6);
        function.body.reloc(8, ABS32, direct("first"), 0);
    };
    let bytes = object_for(&ADDENDS_IN_FIELDS, module, EmitOptions::default(), code).expect("written");
    let found = relocations_in_fields(&bytes);
    for line in [
        ".text 0x0: Relative outside -4",
        ".text 0x4: Absolute .data +6",
        ".text 0x8: Absolute first +0",
        ".data 0x8: Absolute outside +12",
        ".data 0xc: Absolute .data +4",
    ] {
        assert!(
            found.iter().any(|one| one == line),
            "no line `{line}` in\n{}",
            found.join("\n")
        );
    }
    let header = elf::FileHeader32::<Endianness>::parse(&*bytes).expect("an ELF header");
    let endian = header.endian().expect("an endianness");
    let sections = header.sections(endian, &*bytes).expect("sections");
    for (_, section) in sections.enumerate() {
        let name = sections.section_name(endian, section).expect("named");
        assert_eq!(section.sh_type(endian) == elf::SHT_REL, name.starts_with(b".rel."));
        assert_ne!(section.sh_type(endian), elf::SHT_RELA);
    }
}

#[test]
fn addends_that_no_field_holds_are_refused() {
    let module = "symbol @outside data\nfunc @first() BODY";
    for (kind, addend) in [(ABS32, 1 << 40), (ABS64, 0)] {
        let code = |module: &Module, _: &str, function: &mut CompiledFunction| {
            let target = Ref::symbol(RefKind::Symbol, symbol(module, "outside"));
            function.body.reloc(0, kind, target, addend);
        };
        let error = object_for(&ADDENDS_IN_FIELDS, module, EmitOptions::default(), code).expect_err("refused");
        let expected = "too large: the distance from @outside in the field of a relocation";
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn differences_are_numbers_or_distances() {
    let text = plain(
        r#"data @a align 4 size 8 { zero 8 } relocations [0: 4 @b minus @a, 4: 4 @f + 2 minus @a]
           data @b align 4 size 4 { x"07000000" }
           func @f() BODY"#,
    );
    check(&text, &["  0x4: 2 f+6"]);
    assert_eq!(text.matches("  0x").count(), 1, "{text}");
}

#[test]
fn what_objects_cannot_hold_is_refused_by_name() {
    let data = "data @d align 8 size 8 { zero 8 } relocations";
    for (module, message) in [
        (
            "asm \"nop\"",
            "not supported: module-level assembly without an assembler (@llvm.module.asm)",
        ),
        (
            "comdat @c largest",
            "not supported: comdat selection Largest in ELF (@c)",
        ),
        (
            "symbol @a alias data @b\nsymbol @b alias data @a",
            "malformed module: an alias of itself (@a)",
        ),
        (
            "symbol @a alias data @b\nsymbol @b function",
            "malformed module: an alias of something that is not defined in the object (@a)",
        ),
        (
            "symbol @d data section \".bss.x\"\ndata @d size 1 { x\"01\" }",
            "malformed module: contents in section .bss.x (@d)",
        ),
        (
            &format!("symbol @x data internal\n{data} [0: 8 @x]"),
            "malformed module: a reference to a local symbol that has no definition (@x)",
        ),
        (
            &format!("symbol @x data\n{data} [0: 8 @x minus @x]"),
            "not supported: a difference from the address of a symbol of another object (@d)",
        ),
        (
            &format!("symbol @x data\n{data} [0: 8 @x minus @d]"),
            "not supported: a distance in 8 bytes of data (@d)",
        ),
        (
            "data @huge size 0x100000000000 { x\"01\" }",
            "too large: section .data, more than 1 GiB of contents",
        ),
    ] {
        assert_eq!(refusal(module), message, "{module}");
    }
}

#[test]
fn each_definition_can_have_a_section_of_its_own() {
    let options = EmitOptions {
        function_sections: true,
        data_sections: true,
        ..EmitOptions::default()
    };
    let module = r#"symbol @"a b" data private
        data @"a b" align 4 size 4 { x"01000000" }
        func @f() BODY"#;
    let text = describe(&object(module, options, |_, _, _| {}).expect("written"));
    check(
        &text,
        &[
            ".text.f type 1 flags 0x6 size 16 align 16",
            ".data..La b type 1 flags 0x3 size 4 align 4",
        ],
    );
}

/// The names of a function, of its section and of the relocations of that are one text.
#[test]
fn names_that_end_others_stand_inside_of_them() {
    let options = EmitOptions {
        function_sections: true,
        ..EmitOptions::default()
    };
    let module = "symbol @outside function\nfunc @caller_of_it() BODY\nfunc @other() BODY\nfunc @r() BODY";
    let bytes = object(module, options, |module, name, function| {
        if name != "other" {
            let target = Ref::symbol(RefKind::Symbol, symbol(module, "outside"));
            function.body.reloc(0, PC32, target, -4);
        }
    });
    let bytes = bytes.expect("written");
    let count = |text: &[u8]| bytes.windows(text.len()).filter(|window| *window == text).count();
    for (text, times) in [
        (&b".rela.text.caller_of_it\0"[..], 1),
        (b"caller_of_it\0", 1),
        (b".text.other\0", 1),
        (b"other\0", 1),
        (b".rela.text.r\0", 1),
        (b".strtab\0", 1),
    ] {
        assert_eq!(count(text), times, "{}", String::from_utf8_lossy(text));
    }
    let text = describe(&bytes);
    check(&text, &[".text.caller_of_it type 1 flags 0x6 size 16 align 16"]);
    for name in ["caller_of_it", "other", "r"] {
        assert!(text.contains(&format!("{name} ")), "{text}");
    }
}
