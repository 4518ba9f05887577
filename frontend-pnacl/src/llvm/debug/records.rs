//! The records of nodes: which operand is which field, in all versions of LLVM from 3.7 on.
//!
//! Layouts are those of `llvm/lib/Bitcode/Writer/BitcodeWriter.cpp`. The first operand has flags: bit 0 says that a
//! node is distinct, which does not matter here, and others which version of the record it is. References to nodes are
//! numbers plus one, so that 0 is none.

use super::table::NodeReader;
use crate::bitstream::cursor::decode_signed;
use crate::bitstream::record::Record;
use crate::error::ReadError;
use crate::llvm::codes::metadata as code;
use frazil_ir::debug::kind::{
    BasicType, CompileUnit, CompositeType, DerivedType, Enumerator, File, GlobalExpression, GlobalVariable,
    ImportedEntity, LexicalBlock, LexicalBlockFile, LocalVariable, MacroFile, Namespace, SourceLabel, SourceLocation,
    SourceMacro, SourceModule, Subprogram, Subrange, SubroutineType, TemplateType, TemplateValue,
};
use frazil_ir::debug::{Bound, Kind, NodeRef};

/// The operands of a record; those that it does not have are 0.
#[derive(Clone, Copy)]
struct Fields<'r>(&'r [u64]);

impl Fields<'_> {
    fn number(self, index: usize) -> u64 {
        self.0.get(index).copied().unwrap_or(0)
    }

    fn node(self, index: usize) -> NodeRef {
        NodeRef::from_number(self.number(index))
    }

    /// A node whose number is not one more.
    fn plain_node(self, index: usize) -> NodeRef {
        NodeRef::from_number(self.number(index).saturating_add(1))
    }

    fn len(self) -> usize {
        self.0.len()
    }
}

/// Adds the node of a record.
///
/// # Errors
/// If the record is too short for what it is.
pub(super) fn node(reader: &mut NodeReader<'_>, record: &Record) -> Result<(), ReadError> {
    let fields = Fields(record.operands());
    let least = shortest(record.code());
    if fields.len() < least {
        let message = format!(
            "debug record {} with {} operands; expected at least {least}",
            record.code(),
            fields.len()
        );
        return Err(record.malformed(message));
    }
    match record.code() {
        code::NODE | code::DISTINCT_NODE => reader.add_words(Kind::List, fields.0),
        code::LOCATION => reader.add(&location(fields)),
        code::SUBRANGE => reader.add(&subrange(fields)),
        code::ENUMERATOR => reader.add(&enumerator(fields)),
        code::BASIC_TYPE => basic_type(reader, fields),
        code::FILE => reader.add(&file(fields)),
        code::DERIVED_TYPE => derived_type(reader, fields),
        code::COMPOSITE_TYPE => composite_type(reader, fields),
        code::SUBROUTINE_TYPE => reader.add(&SubroutineType {
            flags: fields.number(1),
            types: fields.node(2),
            convention: fields.number(3),
        }),
        code::COMPILE_UNIT => reader.add(&unit(fields)),
        code::SUBPROGRAM => reader.add(&subprogram(fields)),
        code::LEXICAL_BLOCK => reader.add(&LexicalBlock {
            scope: fields.node(1),
            file: fields.node(2),
            line: fields.number(3),
            column: fields.number(4),
        }),
        code::LEXICAL_BLOCK_FILE => reader.add(&LexicalBlockFile {
            scope: fields.node(1),
            file: fields.node(2),
            discriminator: fields.number(3),
        }),
        code::NAMESPACE => reader.add(&Namespace {
            scope: fields.node(1),
            name: fields.node(if fields.len() >= 5 { 3 } else { 2 }),
            exports: fields.number(0) >> 1 & 1,
        }),
        code::MODULE => {
            let first = if fields.len() >= 8 { 2 } else { 1 };
            reader.add(&SourceModule {
                scope: fields.node(first),
                name: fields.node(first + 1),
            });
        }
        code::TEMPLATE_TYPE => reader.add(&TemplateType {
            name: fields.node(1),
            ty: fields.node(2),
            is_default: fields.number(3),
        }),
        code::TEMPLATE_VALUE => reader.add(&template_value(fields)),
        code::GLOBAL_VARIABLE => global_variable(reader, fields),
        code::LOCAL_VARIABLE => reader.add(&local_variable(fields)),
        code::EXPRESSION => expression(reader, fields),
        code::GLOBAL_EXPRESSION => reader.add(&GlobalExpression {
            variable: fields.node(1),
            expression: fields.node(2),
        }),
        code::LABEL => reader.add(&SourceLabel {
            scope: fields.node(1),
            name: fields.node(2),
            file: fields.node(3),
            line: fields.number(4),
            column: fields.number(5),
        }),
        code::IMPORTED_ENTITY => reader.add(&ImportedEntity {
            tag: fields.number(1),
            scope: fields.node(2),
            entity: fields.node(3),
            line: fields.number(4),
            name: fields.node(5),
            file: fields.node(6),
            elements: fields.node(7),
        }),
        code::MACRO => reader.add(&SourceMacro {
            kind: fields.number(1),
            line: fields.number(2),
            name: fields.node(3),
            value: fields.node(4),
        }),
        code::MACRO_FILE => reader.add(&MacroFile {
            line: fields.number(2),
            file: fields.node(3),
            elements: fields.node(4),
        }),
        _ => reader.add_words(Kind::Other, &[]),
    }
    Ok(())
}

/// How many operands a record has at least.
fn shortest(record_code: u64) -> usize {
    match record_code {
        code::LOCATION | code::LEXICAL_BLOCK | code::LABEL => 5,
        code::SUBRANGE | code::ENUMERATOR | code::FILE | code::SUBROUTINE_TYPE | code::NAMESPACE => 3,
        code::TEMPLATE_TYPE | code::GLOBAL_EXPRESSION => 3,
        code::TEMPLATE_VALUE | code::MACRO | code::MACRO_FILE => 5,
        code::BASIC_TYPE | code::IMPORTED_ENTITY => 6,
        code::DERIVED_TYPE => 12,
        code::COMPOSITE_TYPE => 16,
        code::COMPILE_UNIT => 14,
        code::SUBPROGRAM => 18,
        code::LEXICAL_BLOCK_FILE => 4,
        code::GLOBAL_VARIABLE => 11,
        code::LOCAL_VARIABLE => 8,
        code::EXPRESSION => 1,
        _ => 0,
    }
}

fn location(fields: Fields<'_>) -> SourceLocation {
    SourceLocation {
        line: fields.number(1),
        column: fields.number(2),
        scope: fields.plain_node(3),
        inlined_at: fields.node(4),
        is_implicit: fields.number(5),
    }
}

/// In version 0, both are numbers; in version 1, the first is a node; in version 2, all four are.
fn subrange(fields: Fields<'_>) -> Subrange {
    let node = |index| fields.node(index).node().map_or(Bound::None, Bound::Node);
    let number = |value: u64| Bound::Number(value.cast_signed());
    match fields.number(0) >> 1 {
        // A count of -1 is none.
        0 if fields.number(1) == u64::MAX => Subrange {
            lower: number(decode_signed(fields.number(2)).cast_unsigned()),
            ..Subrange::default()
        },
        0 => Subrange {
            count: number(fields.number(1)),
            lower: number(decode_signed(fields.number(2)).cast_unsigned()),
            ..Subrange::default()
        },
        1 => Subrange {
            count: node(1),
            lower: number(decode_signed(fields.number(2)).cast_unsigned()),
            ..Subrange::default()
        },
        _ => Subrange {
            count: node(1),
            lower: node(2),
            upper: node(3),
            stride: node(4),
        },
    }
}

/// A value of one word, or with bit 2 of the flags its width and words at the end.
fn enumerator(fields: Fields<'_>) -> Enumerator {
    const IS_UNSIGNED: u64 = 2;
    const IS_WIDE: u64 = 4;
    let is_wide = fields.number(0) & IS_WIDE != 0;
    let low = decode_signed(fields.number(if is_wide { 3 } else { 1 }));
    // Narrow values have zeros above.
    let above = if is_wide {
        64_u64.saturating_sub(fields.number(1)) as u32
    } else {
        0
    };
    let is_signed = fields.number(0) & IS_UNSIGNED == 0;
    let low = if is_signed && above < 64 {
        low << above >> above
    } else {
        low
    };
    let has_high = is_wide && fields.len() > 4;
    let high = if has_high {
        decode_signed(fields.number(4))
    } else {
        low >> 63
    };
    Enumerator {
        flags: fields.number(0) >> 1 & 1,
        low: low.cast_unsigned(),
        high: high.cast_unsigned(),
        name: fields.node(2),
    }
}

/// Bit 1 of the flags says that the size is a node.
fn basic_type(reader: &mut NodeReader<'_>, fields: Fields<'_>) {
    const SIZE_IS_NODE: u64 = 2;
    let size = number_or_node(reader, fields, 3, SIZE_IS_NODE);
    reader.nodes.push(&BasicType {
        tag: fields.number(1),
        name: fields.node(2),
        size,
        align: fields.number(4),
        encoding: fields.number(5),
        flags: fields.number(6),
    });
}

/// A number, which with a flag is a node. Those that are only known when the program runs are 0.
fn number_or_node(reader: &NodeReader<'_>, fields: Fields<'_>, index: usize, flag: u64) -> u64 {
    match fields.number(0) & flag {
        0 => fields.number(index),
        _ => reader.integer(fields.number(index)),
    }
}

fn file(fields: Fields<'_>) -> File {
    File {
        name: fields.node(1),
        directory: fields.node(2),
        checksum_kind: fields.number(3),
        checksum: fields.node(4),
        source: fields.node(5),
    }
}

/// Bit 1 of the flags says that size and offset are nodes.
fn derived_type(reader: &mut NodeReader<'_>, fields: Fields<'_>) {
    const SIZE_IS_NODE: u64 = 2;
    let size = number_or_node(reader, fields, 7, SIZE_IS_NODE);
    let offset = number_or_node(reader, fields, 9, SIZE_IS_NODE);
    reader.nodes.push(&DerivedType {
        tag: fields.number(1),
        name: fields.node(2),
        file: fields.node(3),
        line: fields.number(4),
        scope: fields.node(5),
        base: fields.node(6),
        size,
        align: fields.number(8),
        offset,
        flags: fields.number(10),
        extra: fields.node(11),
        address_space: fields.number(12),
        annotations: fields.node(13),
    });
}

/// Bit 2 of the flags says that size and offset are nodes.
fn composite_type(reader: &mut NodeReader<'_>, fields: Fields<'_>) {
    const SIZE_IS_NODE: u64 = 4;
    let size = number_or_node(reader, fields, 7, SIZE_IS_NODE);
    let offset = number_or_node(reader, fields, 9, SIZE_IS_NODE);
    reader.nodes.push(&CompositeType {
        tag: fields.number(1),
        name: fields.node(2),
        file: fields.node(3),
        line: fields.number(4),
        scope: fields.node(5),
        base: fields.node(6),
        size,
        align: fields.number(8),
        offset,
        flags: fields.number(10),
        elements: fields.node(11),
        runtime_language: fields.number(12),
        vtable_holder: fields.node(13),
        template_params: fields.node(14),
        identifier: fields.node(15),
        discriminator: fields.node(16),
        data_location: fields.node(17),
        associated: fields.node(18),
        allocated: fields.node(19),
        rank: fields.node(20),
        annotations: fields.node(21),
    });
}

fn unit(fields: Fields<'_>) -> CompileUnit {
    CompileUnit {
        language: fields.number(1),
        file: fields.node(2),
        producer: fields.node(3),
        is_optimized: fields.number(4),
        flags: fields.node(5),
        runtime_version: fields.number(6),
        split_name: fields.node(7),
        emission: fields.number(8),
        enums: fields.node(9),
        retained: fields.node(10),
        globals: fields.node(12),
        imported: fields.node(13),
        split_id: fields.number(14),
        macros: fields.node(15),
        split_inlining: if fields.len() > 16 { fields.number(16) } else { 1 },
        profiling: fields.number(17),
        name_table: fields.number(18),
        ranges_base: fields.number(19),
        sysroot: fields.node(20),
        sdk: fields.node(21),
    }
}

/// Bit 1 of the flags says that there is a unit, bit 2 that what was several operands is one of flags.
fn subprogram(fields: Fields<'_>) -> Subprogram {
    const HAS_UNIT: u64 = 2;
    const HAS_FLAGS: u64 = 4;
    /// In the flags of old records.
    const OLD_MAIN: u64 = 1 << 21;
    let (has_unit, has_flags) = (fields.number(0) & HAS_UNIT != 0, fields.number(0) & HAS_FLAGS != 0);
    // By how much operands are further on, in the middle and at the end.
    let (middle, end) = match has_flags {
        true => (0, 0),
        false if fields.len() >= 19 => (2, 3),
        false => (2, 2),
    };
    let flags = fields.number(11 + middle);
    let sp_flags = match has_flags {
        true => fields.number(9),
        // Virtuality, local to the unit, a definition, optimized.
        false => fields.number(11) & 3 | fields.number(7) << 2 | fields.number(8) << 3 | fields.number(14) << 4,
    };
    Subprogram {
        scope: fields.node(1),
        name: fields.node(2),
        linkage_name: fields.node(3),
        file: fields.node(4),
        line: fields.number(5),
        ty: fields.node(6),
        scope_line: fields.number(7 + middle),
        containing_type: fields.node(8 + middle),
        virtual_index: fields.number(10 + middle),
        flags: flags & !OLD_MAIN,
        sp_flags,
        unit: if has_unit { fields.node(12 + end) } else { NodeRef::NONE },
        template_params: fields.node(13 + end),
        declaration: fields.node(14 + end),
        retained: fields.node(15 + end),
        this_adjustment: if has_flags || fields.len() >= 20 {
            fields.number(16 + end)
        } else {
            0
        },
        thrown: if has_flags || fields.len() >= 21 {
            fields.node(17 + end)
        } else {
            NodeRef::NONE
        },
        annotations: if has_flags { fields.node(18) } else { NodeRef::NONE },
        target_name: if has_flags { fields.node(19) } else { NodeRef::NONE },
    }
}

fn template_value(fields: Fields<'_>) -> TemplateValue {
    let has_default = fields.len() >= 6;
    TemplateValue {
        tag: fields.number(1),
        name: fields.node(2),
        ty: fields.node(3),
        is_default: if has_default { fields.number(4) } else { 0 },
        value: fields.node(if has_default { 5 } else { 4 }),
    }
}

/// Version 2 has template parameters; version 0, of LLVM up to 3.9, named its variable or constant itself.
fn global_variable(reader: &mut NodeReader<'_>, fields: Fields<'_>) {
    let version = fields.number(0) >> 1;
    let is_new = version >= 2;
    reader.nodes.push(&GlobalVariable {
        scope: fields.node(1),
        name: fields.node(2),
        linkage_name: fields.node(3),
        file: fields.node(4),
        line: fields.number(5),
        ty: fields.node(6),
        is_local: fields.number(7),
        is_definition: fields.number(8),
        declaration: fields.node(if is_new { 9 } else { 10 }),
        template_params: if is_new { fields.node(10) } else { NodeRef::NONE },
        align: fields.number(11),
        annotations: if is_new { fields.node(12) } else { NodeRef::NONE },
    });
}

/// Without an alignment, which bit 1 of the flags tells, longer records begin with a tag.
fn local_variable(fields: Fields<'_>) -> LocalVariable {
    const HAS_ALIGNMENT: u64 = 2;
    let has_alignment = fields.number(0) & HAS_ALIGNMENT != 0;
    let first = if !has_alignment && fields.len() > 8 { 2 } else { 1 };
    LocalVariable {
        scope: fields.node(first),
        name: fields.node(first + 1),
        file: fields.node(first + 2),
        line: fields.number(first + 3),
        ty: fields.node(first + 4),
        parameter: fields.number(first + 5),
        flags: fields.number(first + 6),
        align: if has_alignment { fields.number(8) } else { 0 },
        annotations: if has_alignment { fields.node(9) } else { NodeRef::NONE },
    }
}

/// Version 3 has the operations of LLVM 6 and later; older ones are brought to that form (`upgradeDIExpression` in
/// `llvm/lib/Bitcode/Reader/MetadataLoader.cpp`). Up to version 1, an indirection stood first, and meant nothing in
/// declarations: which of both is meant is not known here.
fn expression(reader: &mut NodeReader<'_>, fields: Fields<'_>) {
    const VERSION: u64 = 3;
    let version = fields.number(0) >> 1;
    let words = fields.0.get(1..).unwrap_or_default();
    let upgraded = match version {
        VERSION.. => Some(words.to_vec()),
        0 | 1 if words.first() == Some(&dw::DW_OP_deref) => None,
        _ => upgraded(version, words),
    };
    match upgraded {
        Some(words) => reader.nodes.push_words(Kind::Expression, &words),
        None => reader.nodes.push_words(Kind::Other, &[]),
    };
}

/// Operations of versions up to 2, in which additions had an operand.
fn upgraded(version: u64, words: &[u64]) -> Option<Vec<u64>> {
    let mut words = words.to_vec();
    if version == 0
        && let [.., last, _, _] = words.as_mut_slice()
        && *last == dw::DW_OP_bit_piece
    {
        *last = dw::DW_OP_LLVM_fragment;
    }
    let mut out = Vec::new();
    let mut rest = words.as_slice();
    while let Some((&operation, after)) = rest.split_first() {
        let count = match operation {
            dw::DW_OP_constu | dw::DW_OP_plus | dw::DW_OP_minus => 1,
            dw::DW_OP_LLVM_fragment => 2,
            _ => 0,
        };
        let operands = after.get(..count)?;
        match (operation, operands) {
            (dw::DW_OP_plus, &[number]) => out.extend([dw::DW_OP_plus_uconst, number]),
            (dw::DW_OP_minus, &[number]) => out.extend([dw::DW_OP_constu, number, dw::DW_OP_minus]),
            _ => {
                out.push(operation);
                out.extend(operands);
            }
        }
        rest = after.get(count..)?;
    }
    Some(out)
}

/// Operations of expressions (DWARF 5, section 7.7.1; `llvm/include/llvm/BinaryFormat/Dwarf.def`).
#[allow(non_upper_case_globals, reason = "the names of the standard")]
mod dw {
    pub const DW_OP_deref: u64 = 0x06;
    pub const DW_OP_constu: u64 = 0x10;
    pub const DW_OP_minus: u64 = 0x1c;
    pub const DW_OP_plus: u64 = 0x22;
    pub const DW_OP_plus_uconst: u64 = 0x23;
    pub const DW_OP_bit_piece: u64 = 0x9d;
    pub const DW_OP_LLVM_fragment: u64 = 0x1000;
}
