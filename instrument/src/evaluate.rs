//! What the body of a hook computes for arguments that are known.

use frazil_ir::typing::is_cast;
use frazil_ir::{ConstView, Function, InstData, Opcode, Operand, SymbolId, TypeData};
use frazil_passes::constants::{evaluate_compare, evaluate_int, int_value, sign_extended, zero_extended};

/// An address that is known but for where the linker puts a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KnownAddress {
    /// In the program's module.
    pub symbol: SymbolId,
    pub addend: i64,
    /// Whether it is in the memory of the thread.
    pub is_thread_local: bool,
}

/// The bits of a type of integers or pointers.
fn bits_of(body: &Function, ty: frazil_ir::Type) -> Option<u32> {
    match body.types().data(ty) {
        TypeData::Int(bits) if bits <= 64 => Some(bits),
        TypeData::Ptr(0) => Some(64),
        _ => None,
    }
}

/// The number that an instruction of a body gives, sign-extended, if its operands are numbers that `known` knows.
pub fn result_of(body: &Function, data: &InstData, known: impl Fn(Operand) -> Option<i128>) -> Option<i128> {
    use Opcode as O;
    if body.result_count(data) != 1 {
        return None;
    }
    let bits = bits_of(body, data.ty)?;
    if is_cast(data.op) {
        let from = bits_of(body, body.operand_type(data.a)?)?;
        let value = known(data.a)?;
        return match data.op {
            O::Trunc | O::Sext => Some(sign_extended(value, bits)),
            O::Zext | O::Ptrtoint | O::Inttoptr => Some(sign_extended(zero_extended(value, from).cast_signed(), bits)),
            _ => None,
        };
    }
    match data.op {
        O::Copy | O::Freeze => known(data.a),
        O::Select => {
            let (yes, no) = body.ternary(data);
            known(match known(data.a)? {
                0 => no,
                _ => yes,
            })
        }
        O::And | O::Mul if known(data.a) == Some(0) || known(data.b) == Some(0) => Some(0),
        _ if data.op.is_icmp() => {
            let truth = evaluate_compare(data.op, bits, known(data.a)?, known(data.b)?)?;
            Some(-i128::from(truth))
        }
        O::Phi | O::Load | O::PtrIndex => None,
        O::PtrAdd => Some(sign_extended(known(data.a)?.wrapping_add(known(data.b)?), bits)),
        _ => match data.op.format() {
            frazil_ir::Format::Binary => evaluate_int(data.op, bits, known(data.a)?, known(data.b)?),
            frazil_ir::Format::Unary => evaluate_int(data.op, bits, known(data.a)?, 0),
            _ => None,
        },
    }
}

/// A site's arguments for a hook.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// The program's function.
    pub function: &'a Function,
    pub args: &'a [Operand],
    /// Symbols of the program's module by those of the hooks'.
    pub symbols: &'a [SymbolId],
}

impl Site<'_> {
    /// The number that an operand of a body is, for what the site gives.
    pub fn number(&self, body: &Function, operand: Operand, depth: u32) -> Option<i128> {
        let Some(value) = operand.as_value() else {
            return int_value(body, operand);
        };
        if let Some(&arg) = self.args.get(frazil_ir::EntityRef::index(value)) {
            return int_value(self.function, arg);
        }
        let inst = body.def_inst(value).filter(|_| depth < 16)?;
        result_of(body, body.inst(inst), |operand| self.number(body, operand, depth + 1))
    }

    /// The address that an operand of a body is, for what the site gives.
    pub fn address(&self, body: &Function, operand: Operand, depth: u32) -> Option<KnownAddress> {
        let of_symbol = |symbol: SymbolId, addend: i64| KnownAddress {
            symbol,
            addend,
            is_thread_local: false,
        };
        let mapped = |symbol: SymbolId| self.symbols[frazil_ir::EntityRef::index(symbol)];
        if let Some(symbol) = operand.as_symbol() {
            return Some(of_symbol(mapped(symbol), 0));
        }
        if let Some(id) = operand.as_const() {
            return match body.constant(id).1 {
                ConstView::Symbol(symbol, addend) => Some(of_symbol(mapped(symbol), addend)),
                _ => None,
            };
        }
        let value = operand.as_value()?;
        if let Some(&arg) = self.args.get(frazil_ir::EntityRef::index(value)) {
            if let Some(symbol) = arg.as_symbol() {
                return Some(of_symbol(symbol, 0));
            }
            return match self.function.constant(arg.as_const()?).1 {
                ConstView::Symbol(symbol, addend) => Some(of_symbol(symbol, addend)),
                _ => None,
            };
        }
        let data = body.inst(body.def_inst(value).filter(|_| depth < 16)?);
        let scale = match data.op {
            Opcode::TlsAddr => {
                return Some(KnownAddress {
                    is_thread_local: true,
                    ..of_symbol(mapped(data.a.as_symbol()?), 0)
                });
            }
            Opcode::PtrAdd => 1,
            Opcode::PtrIndex => i128::from(data.flags),
            _ => return None,
        };
        let base = self.address(body, data.a, depth + 1)?;
        let distance = self.number(body, data.b, depth + 1)?.checked_mul(scale)?;
        Some(KnownAddress {
            addend: base.addend.checked_add(i64::try_from(distance).ok()?)?,
            ..base
        })
    }
}
