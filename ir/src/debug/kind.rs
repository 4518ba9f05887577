//! The kinds of nodes, and the fields of each.
//!
//! One table gives for each kind its name in texts and a structure with its fields, one word each and in this order.
//! Names and meaning are those of LLVM's debug metadata (`llvm/IR/DebugInfoMetadata.h`); sizes and offsets are in bits,
//! tags and encodings are DWARF's numbers. Kinds without fields have words of their own: [`Kind::Text`] none (its bytes
//! stand apart), [`Kind::List`] references, [`Kind::Expression`] numbers.

use super::word::{Bound, Form, NodeRef, Word};

/// A kind of node with fields.
pub trait Entry: Sized {
    const KIND: Kind;
    /// Appends the words of its fields.
    fn write(&self, words: &mut Vec<u64>);
    /// Takes the fields from words; missing ones are zero.
    fn read(words: &[u64]) -> Self;
}

/// What is known of a kind.
#[derive(Clone, Copy, Debug)]
pub struct KindDesc {
    pub kind: Kind,
    /// Its name in texts.
    pub name: &'static str,
    /// Names and forms of the fields.
    pub fields: &'static [(&'static str, Form)],
    /// What further words are.
    pub rest: Option<Form>,
}

macro_rules! kinds {
    (
        plain { $($(#[$plain_doc:meta])* $plain:ident $plain_name:literal $rest:expr;)* }
        $($(#[$doc:meta])* $kind:ident $name:literal { $($field:ident: $form:ty,)* })*
    ) => {
        /// What a node is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Kind {
            $($(#[$plain_doc])* $plain,)*
            $($(#[$doc])* $kind,)*
        }

        /// All kinds, by number.
        pub static KINDS: &[KindDesc] = &[
            $(KindDesc { kind: Kind::$plain, name: $plain_name, fields: &[], rest: $rest },)*
            $(KindDesc {
                kind: Kind::$kind,
                name: $name,
                fields: &[$((stringify!($field), <$form as Word>::FORM)),*],
                rest: None,
            },)*
        ];

        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $kind { $(pub $field: $form),* }

            impl Entry for $kind {
                const KIND: Kind = Kind::$kind;

                fn write(&self, words: &mut Vec<u64>) {
                    words.extend([$(self.$field.to_word()),*]);
                }

                fn read(words: &[u64]) -> $kind {
                    let mut words = words.iter().copied();
                    $kind { $($field: Word::from_word(words.next().unwrap_or(0))),* }
                }
            }
        )*
    };
}

kinds! {
    plain {
        /// Characters.
        Text "text" None;
        /// Nodes.
        List "list" Some(Form::Node);
        /// A DWARF expression with LLVM's additions.
        Expression "expression" Some(Form::Number);
        /// A node of which nothing is kept, so that others have their numbers.
        Other "other" None;
    }
    /// A constant integer of up to 128 bits, sign-extended.
    Integer "integer" { low: u64, high: u64, bits: u64, }
    /// The address of a symbol, by number.
    Symbol "symbol" { symbol: u64, }
    /// A value of the function, by its number in the file.
    Local "local" { value: u64, }
    /// A place in the source.
    SourceLocation "location" { line: u64, column: u64, scope: NodeRef, inlined_at: NodeRef, is_implicit: u64, }
    /// A source file.
    File "file" { name: NodeRef, directory: NodeRef, checksum_kind: u64, checksum: NodeRef, source: NodeRef, }
    /// A unit of compilation.
    CompileUnit "unit" {
        language: u64, file: NodeRef, producer: NodeRef, is_optimized: u64, flags: NodeRef, runtime_version: u64,
        split_name: NodeRef, emission: u64, enums: NodeRef, retained: NodeRef, globals: NodeRef, imported: NodeRef,
        macros: NodeRef, split_id: u64, split_inlining: u64, profiling: u64, name_table: u64, ranges_base: u64,
        sysroot: NodeRef, sdk: NodeRef,
    }
    /// A function.
    Subprogram "subprogram" {
        scope: NodeRef, name: NodeRef, linkage_name: NodeRef, file: NodeRef, line: u64, ty: NodeRef, scope_line: u64,
        containing_type: NodeRef, virtual_index: u64, this_adjustment: u64, flags: u64, sp_flags: u64, unit: NodeRef,
        template_params: NodeRef, declaration: NodeRef, retained: NodeRef, thrown: NodeRef, annotations: NodeRef,
        target_name: NodeRef,
    }
    /// A block of statements.
    LexicalBlock "block" { scope: NodeRef, file: NodeRef, line: u64, column: u64, }
    /// The part of a scope that comes from another file, or has another discriminator.
    LexicalBlockFile "block_file" { scope: NodeRef, file: NodeRef, discriminator: u64, }
    /// A namespace.
    Namespace "namespace" { scope: NodeRef, name: NodeRef, exports: u64, }
    /// A module of the source language.
    SourceModule "module" { scope: NodeRef, name: NodeRef, }
    /// A type without parts.
    BasicType "basic" { tag: u64, name: NodeRef, size: u64, align: u64, encoding: u64, flags: u64, }
    /// A type that is made of one other, or a member of a type.
    DerivedType "derived" {
        tag: u64, name: NodeRef, file: NodeRef, line: u64, scope: NodeRef, base: NodeRef, size: u64, align: u64,
        offset: u64, flags: u64, extra: NodeRef, address_space: u64, annotations: NodeRef,
    }
    /// A type with members, elements or enumerators.
    CompositeType "composite" {
        tag: u64, name: NodeRef, file: NodeRef, line: u64, scope: NodeRef, base: NodeRef, size: u64, align: u64,
        offset: u64, flags: u64, elements: NodeRef, runtime_language: u64, vtable_holder: NodeRef,
        template_params: NodeRef, identifier: NodeRef, discriminator: NodeRef, data_location: NodeRef,
        associated: NodeRef, allocated: NodeRef, rank: NodeRef, annotations: NodeRef,
    }
    /// The type of functions: what they return, then their parameters.
    SubroutineType "subroutine" { flags: u64, convention: u64, types: NodeRef, }
    /// A named value of an enumeration; bit 0 of the flags says that it is unsigned.
    Enumerator "enumerator" { flags: u64, low: u64, high: u64, name: NodeRef, }
    /// A range of indices.
    Subrange "subrange" { count: Bound, lower: Bound, upper: Bound, stride: Bound, }
    /// A type parameter of a template.
    TemplateType "template_type" { name: NodeRef, ty: NodeRef, is_default: u64, }
    /// A value parameter of a template.
    TemplateValue "template_value" { tag: u64, name: NodeRef, ty: NodeRef, is_default: u64, value: NodeRef, }
    /// A variable outside of functions, or static.
    GlobalVariable "global" {
        scope: NodeRef, name: NodeRef, linkage_name: NodeRef, file: NodeRef, line: u64, ty: NodeRef, is_local: u64,
        is_definition: u64, declaration: NodeRef, template_params: NodeRef, align: u64, annotations: NodeRef,
    }
    /// A variable and what is done with its address.
    GlobalExpression "global_expression" { variable: NodeRef, expression: NodeRef, }
    /// A variable of a function; a parameter has its number.
    LocalVariable "variable" {
        scope: NodeRef, name: NodeRef, file: NodeRef, line: u64, ty: NodeRef, parameter: u64, flags: u64, align: u64,
        annotations: NodeRef,
    }
    /// A macro of the preprocessor, defined or undefined: one of DWARF's `DW_MACINFO_*`.
    SourceMacro "macro" { kind: u64, line: u64, name: NodeRef, value: NodeRef, }
    /// A file in which macros are defined, and the line that includes it.
    MacroFile "macro_file" { line: u64, file: NodeRef, elements: NodeRef, }
    /// A label of the source.
    SourceLabel "label" { scope: NodeRef, name: NodeRef, file: NodeRef, line: u64, column: u64, }
    /// A declaration that another scope brings in.
    ImportedEntity "imported" {
        tag: u64, scope: NodeRef, entity: NodeRef, line: u64, name: NodeRef, file: NodeRef, elements: NodeRef,
    }
}

impl Kind {
    /// What is known of it.
    pub fn desc(self) -> &'static KindDesc {
        &KINDS[self as usize]
    }

    /// The kind of this name in texts.
    pub fn from_name(name: &str) -> Option<Kind> {
        KINDS.iter().find(|desc| desc.name == name).map(|desc| desc.kind)
    }

    /// What the word at a position is.
    pub fn form(self, position: usize) -> Form {
        let desc = self.desc();
        let field = desc.fields.get(position).map(|field| field.1);
        field.or(desc.rest).unwrap_or(Form::Number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_rows_of_the_table() {
        for (number, desc) in KINDS.iter().enumerate() {
            assert_eq!(desc.kind as usize, number);
            assert_eq!(Kind::from_name(desc.name), Some(desc.kind));
        }
    }

    #[test]
    fn entries_are_written_and_read() {
        let block = LexicalBlock {
            scope: NodeRef::from_number(4),
            file: NodeRef::NONE,
            line: 7,
            column: 3,
        };
        let mut words = Vec::new();
        block.write(&mut words);
        assert_eq!(words, [4, 0, 7, 3]);
        assert_eq!(LexicalBlock::read(&words), block);
        assert_eq!(LexicalBlock::read(&words[..3]).column, 0);
        assert_eq!(Kind::LexicalBlock.form(1), Form::Node);
        assert_eq!(Kind::LexicalBlock.form(2), Form::Number);
        assert_eq!(Kind::List.form(9), Form::Node);
    }
}
