//! What of its input a compiler may refuse: one table of features, with codes that stay.
//!
//! Whoever refuses something says which feature it is, where it makes the message; errors of all crates carry a
//! [`Refusal`], and none can be made without. Words are for people and may change, codes are for scripts and do not:
//! a code is never given to another feature. Most rows say what is not compiled, in whole or in part; two are about
//! input that is not valid. What belongs to no other row is one of the last three, by who refuses it.
//!
//! Not here: printing the table (`frazil --list-codes`), and the messages.

use crate::types::{Type, TypeData, TypeTable};

macro_rules! refusals {
    ($($variant:ident $code:literal $name:literal $summary:literal;)*) => {
        /// A feature that is refused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Refusal {
            $(#[doc = $summary] $variant,)*
        }

        impl Refusal {
            /// All of them, by code.
            pub const ALL: &[Refusal] = &[$(Refusal::$variant,)*];

            /// The code, in messages and reports.
            pub const fn code(self) -> &'static str {
                match self {
                    $(Refusal::$variant => $code,)*
                }
            }

            /// The name, in reports; in the text form, with underscores.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Refusal::$variant => $name,)*
                }
            }

            /// What it is.
            pub const fn summary(self) -> &'static str {
                match self {
                    $(Refusal::$variant => $summary,)*
                }
            }
        }
    };
}

refusals! {
    TooLarge "FZ0001" "too-large" "A limit of Frazil or of the file format";
    ScalableVector "FZ0101" "scalable-vector" "Vectors of a length that only the processor knows";
    TileOrMmx "FZ0102" "x86-tile-or-mmx" "The type x86_amx";
    TargetType "FZ0103" "target-type" "Target extension types";
    ExoticFloat "FZ0104" "exotic-float" "Floats other than float and double";
    Vector "FZ0105" "vector" "Vectors";
    WideInteger "FZ0106" "wide-integer" "Operations on wide integers";
    GarbageCollection "FZ0201" "garbage-collection" "GC strategies and statepoints";
    Funclet "FZ0202" "funclet" "Exceptions by funclets, as Windows has them";
    Exception "FZ0203" "exception" "Forms of exception handling";
    InlineAssembly "FZ0204" "inline-assembly" "Inline assembly and callbr";
    TailCall "FZ0205" "tail-call" "Calls that must be jumps";
    CallingConvention "FZ0206" "calling-convention" "Calling conventions and how parameters are passed";
    ThreadLocal "FZ0208" "thread-local" "Forms of thread-local variables";
    Atomic "FZ0209" "atomic" "Atomic operations";
    OperandBundle "FZ0210" "operand-bundle" "Operand bundles";
    Intrinsic "FZ0211" "intrinsic" "Intrinsics";
    FunctionAttribute "FZ0212" "function-attribute" "Attributes of functions";
    Stack "FZ0213" "stack" "Forms of stack probes and stack allocation";
    ProcessorFeature "FZ0214" "processor-feature"
        "Code without what every processor of the target has, or hardened against what processors do";
    AddressSpace "FZ0215" "address-space" "Address spaces";
    ModuleAssembly "FZ0301" "module-assembly" "Module-level assembly";
    Comdat "FZ0302" "comdat" "Selection kinds of comdats that ELF does not have";
    CodeModel "FZ0304" "code-model" "Code models";
    Initializer "FZ0305" "initializer" "Contents of variables that no relocation expresses";
    Alias "FZ0306" "alias" "Forms of aliases and ifuncs";
    DataLayout "FZ0307" "data-layout" "Byte orders and widths of pointers";
    OldFormat "FZ0308" "old-format" "Formats of old versions of LLVM";
    ModuleFlag "FZ0309" "module-flag" "Module flags that change the code";
    ObjectFormat "FZ0310" "object-format" "Object files of another format than ELF";
    UndominatedUse "FZ0801" "undominated-use" "Uses of values whose definitions do not dominate them";
    InvalidInput "FZ0802" "invalid-input" "Input that is no bitcode, or contradicts itself or the format";
    Bitcode "FZ0901" "bitcode" "Other things in bitcode";
    Instruction "FZ0902" "instruction" "Other instructions and operands";
    ObjectFile "FZ0903" "object-file" "Other things in object files";
}

impl Refusal {
    /// The feature with this name.
    pub fn from_name(name: &str) -> Option<Refusal> {
        Refusal::ALL.iter().copied().find(|refusal| refusal.name() == name)
    }

    /// What a refused type is for.
    pub fn of_type(types: &TypeTable, ty: Type) -> Refusal {
        match types.data(ty) {
            TypeData::Vector { element, .. } => match Refusal::of_type(types, element) {
                // Vectors of them come with them.
                Refusal::ExoticFloat => Refusal::ExoticFloat,
                _ => Refusal::Vector,
            },
            TypeData::F16 | TypeData::BF16 | TypeData::X86F80 | TypeData::F128 => Refusal::ExoticFloat,
            TypeData::Int(_) => Refusal::WideInteger,
            TypeData::Ptr(space) if space != 0 => Refusal::AddressSpace,
            _ => Refusal::Instruction,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes of what is compiled by now, or was never given to anything.
    const RETIRED: &[&str] = &["FZ0207", "FZ0303"];

    #[test]
    fn codes_ascend_and_names_stand_once() {
        assert!(Refusal::ALL.is_sorted_by_key(|refusal| refusal.code()));
        for (index, refusal) in Refusal::ALL.iter().enumerate() {
            let others = &Refusal::ALL[index + 1..];
            assert!(
                others
                    .iter()
                    .all(|other| other.code() != refusal.code() && other.name() != refusal.name()),
                "{refusal:?}"
            );
            assert!(!RETIRED.contains(&refusal.code()), "{refusal:?}");
            assert_eq!(Refusal::from_name(refusal.name()), Some(*refusal));
        }
        assert_eq!(Refusal::from_name("everything"), None);
    }

    #[test]
    fn types_are_refused_for_what_is_unusual_in_them() {
        let mut types = TypeTable::default();
        let mut vector = |element| {
            types
                .intern(TypeData::Vector { element, lanes: 8 })
                .expect("there is room")
        };
        let (ints, halves) = (vector(Type::I32), vector(Type::F16));
        assert_eq!(Refusal::of_type(&types, ints), Refusal::Vector);
        assert_eq!(Refusal::of_type(&types, halves), Refusal::ExoticFloat);
        assert_eq!(Refusal::of_type(&types, Type::F128), Refusal::ExoticFloat);
        assert_eq!(Refusal::of_type(&types, Type::I128), Refusal::WideInteger);
        assert_eq!(Refusal::of_type(&types, Type::PTR), Refusal::Instruction);
    }
}
