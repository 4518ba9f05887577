//! What LLVM says of a module.

use crate::constants;
use crate::view::{FunctionView, View};
use frazil_frontend_llvm::{Context, ReadError, Source, read};
use inkwell::types::AnyTypeEnum;
use inkwell::values::{FunctionValue, InstructionOpcode as Llvm, InstructionValue};
use inkwell::{AtomicOrdering, FloatPredicate, IntPredicate};

/// The operations that are counted, by the names of our opcodes.
#[rustfmt::skip]
pub const OPERATIONS: &[&str] = &[
    "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "and", "or", "xor", "shl", "lshr", "ashr",
    "fadd", "fsub", "fmul", "fdiv", "frem", "fneg",
    "icmp_eq", "icmp_ne", "icmp_ugt", "icmp_uge", "icmp_ult", "icmp_ule", "icmp_sgt", "icmp_sge", "icmp_slt", "icmp_sle",
    "fcmp_false", "fcmp_oeq", "fcmp_ogt", "fcmp_oge", "fcmp_olt", "fcmp_ole", "fcmp_one", "fcmp_ord", "fcmp_uno",
    "fcmp_ueq", "fcmp_ugt", "fcmp_uge", "fcmp_ult", "fcmp_ule", "fcmp_une", "fcmp_true",
    "trunc", "zext", "sext", "fptoui", "fptosi", "uitofp", "sitofp", "fptrunc", "fpext", "ptrtoint", "inttoptr",
    "load", "store", "atomic_load", "atomic_store", "atomic_rmw", "cmpxchg", "fence", "stack_alloc",
    "extract_element", "insert_element", "shuffle", "phi", "select", "freeze",
    "call", "invoke", "landing_pad",
    "jump", "branch", "switch", "return", "resume", "indirect_jump", "unreachable",
];

/// What an address computation with indices that are no constants may be expanded to.
const INDEX_ARITHMETIC: &[&str] = &["add", "mul", "shl", "sext", "zext", "trunc"];

/// How the names of intrinsics begin.
const INTRINSIC: &[u8] = b"llvm.";

/// How the names of those begin that are told of their environment.
const CONSTRAINED: &[u8] = b"llvm.experimental.constrained.";

/// Reads the whole module.
pub fn view(bytes: &[u8]) -> Result<View, ReadError> {
    let context = Context::create();
    let module = read(&context, &Source::new("module", bytes.to_vec()))?;
    let mut view = View::default();
    for function in module.get_functions() {
        if function.count_basic_blocks() > 0 {
            view.functions.push(function_view(function));
        } else if !is_intrinsic(function) {
            view.declarations.insert(name_of(function));
        }
    }
    view.data = constants::data(&module);
    Ok(view)
}

fn name_of(function: FunctionValue<'_>) -> String {
    function.get_name().to_string_lossy().into_owned()
}

fn is_intrinsic(function: FunctionValue<'_>) -> bool {
    function.get_name().to_bytes().starts_with(INTRINSIC)
}

fn function_view(function: FunctionValue<'_>) -> FunctionView {
    let mut view = FunctionView {
        name: name_of(function),
        blocks: function.count_basic_blocks() as usize,
        ..FunctionView::default()
    };
    for block in function.get_basic_block_iter() {
        for instruction in block.get_instructions() {
            count(instruction, &mut view);
        }
    }
    view
}

fn count(instruction: InstructionValue<'_>, view: &mut FunctionView) {
    view.is_split |= constants::has_wide_integers(instruction) || constants::may_be_loop(instruction);
    constants::add_expression_operations(instruction, &mut view.expansions);
    match instruction.get_opcode() {
        Llvm::GetElementPtr => {
            view.expansions.extend(INDEX_ARITHMETIC);
            if instruction.get_type().is_vector_type() {
                view.expansions.extend(["insert_element", "shuffle"]);
            }
        }
        Llvm::Alloca => {
            view.count("stack_alloc");
            // The size of an element times a number that is no constant.
            view.expansions.extend(["mul", "zext", "trunc"]);
        }
        Llvm::Call | Llvm::Invoke => count_call(instruction, view),
        _ => {
            if let Some(operation) = operation(instruction) {
                if works_on_aggregate(instruction) {
                    view.expansions.insert(operation);
                } else {
                    view.count(operation);
                }
            }
        }
    }
}

/// Intrinsics are instructions of their own with us, and some expand to several.
fn count_call(instruction: InstructionValue<'_>, view: &mut FunctionView) {
    // The callee is the last operand.
    let callee = instruction.get_operand(instruction.get_num_operands() - 1);
    let callee = callee.and_then(|operand| operand.value()).expect("a call has a callee");
    let name = callee.get_name().to_bytes();
    if name.starts_with(b"llvm.load.relative") {
        // Distances have the width of pointers.
        view.expansions.extend(["load", "sext", "trunc"]);
    } else if name.starts_with(b"llvm.ptrmask") {
        view.expansions.extend(["ptrtoint", "and", "inttoptr"]);
    } else if name.starts_with(b"llvm.memset.element") {
        // A byte that is an argument.
        view.expansions.insert("zext");
    } else if name.starts_with(b"llvm.frexp") || name.starts_with(b"llvm.modf") {
        // Calls of library functions that give their second result through a pointer.
        view.expansions.extend(["stack_alloc", "load"]);
    } else if let Some(operation) = name.strip_prefix(CONSTRAINED) {
        // A plain instruction in the default environment. Vectors are taken apart in others, and odd integers widened.
        let operations = OPERATIONS.iter().filter(|name| is_constrained(operation, name));
        view.expansions.extend(operations);
        view.expansions
            .extend(["extract_element", "insert_element", "zext", "sext"]);
    } else if name.starts_with(INTRINSIC) {
    } else if instruction.get_opcode() == Llvm::Invoke {
        view.count("invoke");
    } else {
        view.count("call");
    }
}

/// Whether a constrained intrinsic, without the beginning of its name, may be an instruction with this name of ours.
fn is_constrained(intrinsic: &[u8], name: &str) -> bool {
    let kind = intrinsic.split(|&byte| byte == b'.').next().unwrap_or_default();
    kind == name.as_bytes() || kind.starts_with(b"fcmp") && name.starts_with("fcmp_")
}

/// Whether the value that is loaded, stored, merged or chosen is one that the native reader splits.
fn works_on_aggregate(instruction: InstructionValue<'_>) -> bool {
    let is_aggregate = |ty| matches!(ty, AnyTypeEnum::StructType(_) | AnyTypeEnum::ArrayType(_));
    match instruction.get_opcode() {
        Llvm::Load | Llvm::Phi | Llvm::Select | Llvm::Freeze => is_aggregate(instruction.get_type()),
        Llvm::Store => {
            let stored = instruction.get_operand(0).and_then(|operand| operand.value());
            stored.is_some_and(|value| value.is_struct_value() || value.is_array_value())
        }
        _ => false,
    }
}

fn is_atomic(instruction: InstructionValue<'_>) -> bool {
    instruction
        .get_atomic_ordering()
        .is_ok_and(|ordering| ordering != AtomicOrdering::NotAtomic)
}

/// Our name of the instruction's operation; `None` if it is not compared.
#[rustfmt::skip]
fn operation(instruction: InstructionValue<'_>) -> Option<&'static str> {
    Some(match instruction.get_opcode() {
        Llvm::Add => "add", Llvm::Sub => "sub", Llvm::Mul => "mul",
        Llvm::UDiv => "udiv", Llvm::SDiv => "sdiv", Llvm::URem => "urem", Llvm::SRem => "srem",
        Llvm::And => "and", Llvm::Or => "or", Llvm::Xor => "xor",
        Llvm::Shl => "shl", Llvm::LShr => "lshr", Llvm::AShr => "ashr",
        Llvm::FAdd => "fadd", Llvm::FSub => "fsub", Llvm::FMul => "fmul",
        Llvm::FDiv => "fdiv", Llvm::FRem => "frem", Llvm::FNeg => "fneg",
        Llvm::ICmp => return instruction.get_icmp_predicate().map(integer_comparison),
        Llvm::FCmp => return instruction.get_fcmp_predicate().map(float_comparison),
        Llvm::Trunc => "trunc", Llvm::ZExt => "zext", Llvm::SExt => "sext",
        Llvm::FPToUI => "fptoui", Llvm::FPToSI => "fptosi", Llvm::UIToFP => "uitofp", Llvm::SIToFP => "sitofp",
        Llvm::FPTrunc => "fptrunc", Llvm::FPExt => "fpext",
        Llvm::PtrToInt => "ptrtoint", Llvm::IntToPtr => "inttoptr",
        Llvm::Load => if is_atomic(instruction) { "atomic_load" } else { "load" },
        Llvm::Store => if is_atomic(instruction) { "atomic_store" } else { "store" },
        Llvm::AtomicRMW => "atomic_rmw", Llvm::AtomicCmpXchg => "cmpxchg", Llvm::Fence => "fence",
        Llvm::ExtractElement => "extract_element", Llvm::InsertElement => "insert_element",
        Llvm::ShuffleVector => "shuffle",
        Llvm::Phi => "phi", Llvm::Select => "select", Llvm::Freeze => "freeze",
        Llvm::LandingPad => "landing_pad",
        Llvm::Br => if instruction.is_conditional() == Ok(true) { "branch" } else { "jump" },
        Llvm::Switch => "switch", Llvm::Return => "return", Llvm::Resume => "resume",
        Llvm::IndirectBr => "indirect_jump", Llvm::Unreachable => "unreachable",
        _ => return None,
    })
}

#[rustfmt::skip]
fn integer_comparison(predicate: IntPredicate) -> &'static str {
    match predicate {
        IntPredicate::EQ => "icmp_eq", IntPredicate::NE => "icmp_ne",
        IntPredicate::UGT => "icmp_ugt", IntPredicate::UGE => "icmp_uge",
        IntPredicate::ULT => "icmp_ult", IntPredicate::ULE => "icmp_ule",
        IntPredicate::SGT => "icmp_sgt", IntPredicate::SGE => "icmp_sge",
        IntPredicate::SLT => "icmp_slt", IntPredicate::SLE => "icmp_sle",
    }
}

#[rustfmt::skip]
fn float_comparison(predicate: FloatPredicate) -> &'static str {
    match predicate {
        FloatPredicate::PredicateFalse => "fcmp_false", FloatPredicate::PredicateTrue => "fcmp_true",
        FloatPredicate::OEQ => "fcmp_oeq", FloatPredicate::ONE => "fcmp_one",
        FloatPredicate::OGT => "fcmp_ogt", FloatPredicate::OGE => "fcmp_oge",
        FloatPredicate::OLT => "fcmp_olt", FloatPredicate::OLE => "fcmp_ole",
        FloatPredicate::ORD => "fcmp_ord", FloatPredicate::UNO => "fcmp_uno",
        FloatPredicate::UEQ => "fcmp_ueq", FloatPredicate::UNE => "fcmp_une",
        FloatPredicate::UGT => "fcmp_ugt", FloatPredicate::UGE => "fcmp_uge",
        FloatPredicate::ULT => "fcmp_ult", FloatPredicate::ULE => "fcmp_ule",
    }
}
