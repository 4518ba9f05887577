//! LLVM's global variables as bytes and addresses.
//!
//! Initializers are walked through LLVM's C interface, since inkwell has no form for constants of any shape. All layout
//! questions (sizes, offsets of fields) go to LLVM, so that nothing here repeats what the native reader computes.
#![allow(unsafe_code)]

use crate::view::{AddressView, DataView};
use inkwell::module::Module;
use inkwell::values::{AsValueRef, GlobalValue, InstructionOpcode, InstructionValue};
use llvm_sys::core::{
    LLVMConstBitCast, LLVMConstIntGetZExtValue, LLVMDisposeMessage, LLVMGetAggregateElement, LLVMGetAlignment,
    LLVMGetArrayLength2, LLVMGetConstOpcode, LLVMGetElementType, LLVMGetIntTypeWidth, LLVMGetNumOperands,
    LLVMGetOperand, LLVMGetTypeContext, LLVMGetTypeKind, LLVMGetValueKind, LLVMGetValueName2, LLVMGetVectorSize,
    LLVMGlobalGetValueType, LLVMIntTypeInContext, LLVMPrintValueToString, LLVMTypeOf,
};
use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::target::{
    LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMSizeOfTypeInBits, LLVMStoreSizeOfType,
    LLVMTargetDataRef,
};
use llvm_sys::{LLVMOpcode, LLVMTypeKind, LLVMValueKind};
use std::collections::BTreeSet;
use std::ffi::CStr;

/// All variables with contents, without LLVM's own lists.
pub fn data(module: &Module<'_>) -> Vec<DataView> {
    // SAFETY: the module is alive, and the layout belongs to it.
    let layout = unsafe { LLVMGetModuleDataLayout(module.as_mut_ptr()) };
    module
        .get_globals()
        .filter(|global| global.get_initializer().is_some() && !global.get_name().to_bytes().starts_with(b"llvm."))
        .map(|global| variable(layout, global))
        .collect()
}

fn variable(layout: LLVMTargetDataRef, global: GlobalValue<'_>) -> DataView {
    let initializer = global.get_initializer().expect("it was asked for");
    // SAFETY: global and layout belong to one living module.
    let size = unsafe { LLVMABISizeOfType(layout, LLVMGlobalGetValueType(global.as_value_ref())) };
    let mut writer = Writer {
        layout,
        bytes: vec![0; usize::try_from(size).expect("it fits in memory")],
        addresses: Vec::new(),
    };
    writer.write(initializer.as_value_ref(), 0);
    DataView {
        name: global.get_name().to_string_lossy().into_owned(),
        size,
        alignment: u64::from(global.get_alignment()),
        bytes: writer.bytes,
        addresses: writer.addresses,
    }
}

/// The contents of a variable, as far as they are known.
struct Writer {
    layout: LLVMTargetDataRef,
    bytes: Vec<u8>,
    addresses: Vec<AddressView>,
}

impl Writer {
    /// Writes a constant at an offset in bytes.
    fn write(&mut self, value: LLVMValueRef, offset: u64) {
        use LLVMValueKind as Kind;
        // SAFETY: in this whole implementation all values are constants of a module that is alive, each is asked only
        // what its kind has, and the layout belongs to the same module.
        match unsafe { LLVMGetValueKind(value) } {
            Kind::LLVMConstantIntValueKind => self.write_integer(value, offset),
            Kind::LLVMConstantFPValueKind => self.write_float(value, offset),
            Kind::LLVMConstantStructValueKind => self.write_struct(value, offset),
            Kind::LLVMConstantArrayValueKind | Kind::LLVMConstantDataArrayValueKind => {
                let (count, stride) = unsafe {
                    let ty = LLVMTypeOf(value);
                    let element = LLVMGetElementType(ty);
                    (LLVMGetArrayLength2(ty), LLVMABISizeOfType(self.layout, element))
                };
                self.write_elements(value, count, stride, offset);
            }
            Kind::LLVMConstantVectorValueKind | Kind::LLVMConstantDataVectorValueKind => {
                let (count, bits) = unsafe {
                    let ty = LLVMTypeOf(value);
                    let bits = LLVMSizeOfTypeInBits(self.layout, LLVMGetElementType(ty));
                    (u64::from(LLVMGetVectorSize(ty)), bits)
                };
                if bits % 8 == 0 {
                    self.write_elements(value, count, bits / 8, offset);
                } else {
                    self.write_bits(value, count, bits, offset);
                }
            }
            Kind::LLVMConstantAggregateZeroValueKind
            | Kind::LLVMConstantPointerNullValueKind
            | Kind::LLVMUndefValueValueKind
            | Kind::LLVMPoisonValueKind => {}
            _ => self.write_address(value, offset),
        }
    }

    fn write_integer(&mut self, value: LLVMValueRef, offset: u64) {
        // SAFETY: see `write`.
        let bits = unsafe { LLVMSizeOfTypeInBits(self.layout, LLVMTypeOf(value)) };
        let number = match bits {
            0..=64 => u128::from(unsafe { LLVMConstIntGetZExtValue(value) }),
            _ => wide_integer(value),
        };
        let size = bits.div_ceil(8) as usize;
        assert!(size <= size_of::<u128>(), "an integer of {bits} bits");
        let mask = if bits >= 128 { u128::MAX } else { (1 << bits) - 1 };
        let at = offset as usize;
        self.bytes[at..at + size].copy_from_slice(&(number & mask).to_le_bytes()[..size]);
    }

    /// A floating-point number is the integer with the same bits.
    fn write_float(&mut self, value: LLVMValueRef, offset: u64) {
        // SAFETY: see `write`.
        let integer = unsafe {
            let ty = LLVMTypeOf(value);
            let bits = LLVMSizeOfTypeInBits(self.layout, ty) as u32;
            LLVMConstBitCast(value, LLVMIntTypeInContext(LLVMGetTypeContext(ty), bits))
        };
        self.write_integer(integer, offset);
    }

    fn write_struct(&mut self, value: LLVMValueRef, offset: u64) {
        // SAFETY: see `write`.
        unsafe {
            for index in 0..LLVMGetNumOperands(value) as u32 {
                let start = LLVMOffsetOfElement(self.layout, LLVMTypeOf(value), index);
                self.write(LLVMGetAggregateElement(value, index), offset + start);
            }
        }
    }

    fn write_elements(&mut self, value: LLVMValueRef, count: u64, stride: u64, offset: u64) {
        for index in 0..count {
            // SAFETY: see `write`; the index is below the number of elements.
            let element = unsafe { LLVMGetAggregateElement(value, index as u32) };
            self.write(element, offset + index * stride);
        }
    }

    /// A vector of `i1`: one bit each, the first the lowest.
    fn write_bits(&mut self, value: LLVMValueRef, count: u64, bits: u64, offset: u64) {
        for index in 0..count {
            // SAFETY: see `write`; the index is below the number of elements.
            let element = number_behind(unsafe { LLVMGetAggregateElement(value, index as u32) });
            // SAFETY: see `write`.
            let width = unsafe { LLVMSizeOfTypeInBits(self.layout, LLVMTypeOf(element)) };
            let number = match width {
                // SAFETY: the element is an integer of at most 64 bits.
                0..=64 => u128::from(unsafe { LLVMConstIntGetZExtValue(element) }),
                _ => wide_integer(element),
            };
            for bit in 0..bits {
                let at = index * bits + bit;
                self.bytes[(offset + at / 8) as usize] |= ((number >> bit) as u8 & 1) << (at % 8);
            }
        }
    }

    fn write_address(&mut self, value: LLVMValueRef, offset: u64) {
        // SAFETY: see `write`.
        let size = unsafe { LLVMStoreSizeOfType(self.layout, LLVMTypeOf(value)) };
        let (target, addend) = base(value);
        self.addresses.push(AddressView {
            offset,
            size,
            target,
            addend,
        });
    }
}

/// The number that was made a pointer, and that an integer; which extends by zeros.
fn number_behind(mut value: LLVMValueRef) -> LLVMValueRef {
    // SAFETY: the value and its operands belong to a living module and are asked only what their kinds have.
    unsafe {
        while LLVMGetValueKind(value) == LLVMValueKind::LLVMConstantExprValueKind {
            let opcode = LLVMGetConstOpcode(value);
            assert!(
                matches!(opcode, LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMIntToPtr),
                "{opcode:?}"
            );
            value = LLVMGetOperand(value, 0);
        }
    }
    value
}

/// An integer of more than 64 bits, which the C interface gives as text only: type and decimal number.
fn wide_integer(value: LLVMValueRef) -> u128 {
    // SAFETY: the value is an integer of a living module; the text is copied before it is given back.
    let text = unsafe {
        let text = LLVMPrintValueToString(value);
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        copy
    };
    let digits = text.rsplit(' ').next().expect("a split has a last part");
    let signed = digits.parse::<i128>().map(|number| number as u128);
    signed
        .or_else(|_| digits.parse())
        .unwrap_or_else(|_| panic!("{text} is no decimal number"))
}

/// The symbol that an address is relative to, and the distance, as far as the shape of the constant says so.
fn base(value: LLVMValueRef) -> (Option<String>, Option<i64>) {
    use LLVMValueKind as Kind;
    // SAFETY: the value is a constant of a living module and is asked only what its kind has; names are copied.
    unsafe {
        match LLVMGetValueKind(value) {
            Kind::LLVMFunctionValueKind
            | Kind::LLVMGlobalAliasValueKind
            | Kind::LLVMGlobalIFuncValueKind
            | Kind::LLVMGlobalVariableValueKind => {
                let mut length = 0;
                let name = LLVMGetValueName2(value, &raw mut length).cast::<u8>();
                let name = std::slice::from_raw_parts(name, length);
                (Some(String::from_utf8_lossy(name).into_owned()), Some(0))
            }
            Kind::LLVMConstantExprValueKind => match LLVMGetConstOpcode(value) {
                LLVMOpcode::LLVMGetElementPtr => (base(LLVMGetOperand(value, 0)).0, None),
                LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMIntToPtr => {
                    base(LLVMGetOperand(value, 0))
                }
                _ => (None, None),
            },
            _ => (None, None),
        }
    }
}

/// The widest integers that the native reader leaves whole, in bits.
const WHOLE_BITS: u32 = 128;

/// Whether an instruction makes or takes an integer that the native reader splits into words.
pub fn has_wide_integers(instruction: InstructionValue<'_>) -> bool {
    let user = instruction.as_value_ref();
    // SAFETY: the instruction and its operands belong to a living module, and every value has a type.
    unsafe {
        let is_wide = |value: LLVMValueRef| {
            let ty = LLVMTypeOf(value);
            LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMIntegerTypeKind && LLVMGetIntTypeWidth(ty) > WHOLE_BITS
        };
        is_wide(user) || (0..LLVMGetNumOperands(user) as u32).any(|index| is_wide(LLVMGetOperand(user, index)))
    }
}

/// Whether an instruction is an atomic operation of which the native reader may make a loop.
pub fn may_be_loop(instruction: InstructionValue<'_>) -> bool {
    if instruction.get_opcode() != InstructionOpcode::AtomicRMW {
        return false;
    }
    let update = instruction.as_value_ref();
    // SAFETY: the instruction belongs to a living module, and read-modify-writes have an alignment.
    unsafe {
        let ty = LLVMTypeOf(update);
        let aligned_bytes = match LLVMGetTypeKind(ty) {
            LLVMTypeKind::LLVMIntegerTypeKind => LLVMGetIntTypeWidth(ty) / 8,
            LLVMTypeKind::LLVMFloatTypeKind => 4,
            LLVMTypeKind::LLVMDoubleTypeKind => 8,
            _ => return true,
        };
        aligned_bytes >= 16 || LLVMGetAlignment(update) < aligned_bytes
    }
}

/// Adds the operations that an instruction's constant expressions consist of, besides address computations.
pub fn add_expression_operations(instruction: InstructionValue<'_>, operations: &mut BTreeSet<&'static str>) {
    add_operand_operations(instruction.as_value_ref(), operations);
}

fn add_operand_operations(user: LLVMValueRef, operations: &mut BTreeSet<&'static str>) {
    use LLVMOpcode as Llvm;
    // SAFETY: the value and its operands belong to a living module and are asked only what their kinds have.
    unsafe {
        for index in 0..LLVMGetNumOperands(user) as u32 {
            let value = LLVMGetOperand(user, index);
            match LLVMGetValueKind(value) {
                // What old expressions take out of a vector made of an address, LLVM folds.
                LLVMValueKind::LLVMConstantExprValueKind => {
                    operations.insert("extract_element");
                }
                // Elements that are no numbers are inserted one by one.
                LLVMValueKind::LLVMConstantVectorValueKind => {
                    operations.insert("insert_element");
                    add_operand_operations(value, operations);
                    continue;
                }
                _ => continue,
            }
            operations.extend(match LLVMGetConstOpcode(value) {
                Llvm::LLVMAdd => Some("add"),
                Llvm::LLVMSub => Some("sub"),
                Llvm::LLVMXor => Some("xor"),
                Llvm::LLVMTrunc => Some("trunc"),
                Llvm::LLVMPtrToInt => Some("ptrtoint"),
                Llvm::LLVMIntToPtr => Some("inttoptr"),
                _ => None,
            });
            add_operand_operations(value, operations);
        }
    }
}
