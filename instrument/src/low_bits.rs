//! How many of the lowest bits of a value are known to be zeros: what addresses of variables and of elements of tables
//! have, so that a check of them is decided while the program is compiled.
//!
//! Method: the operands of sums, products and phis are looked at, a few steps deep. A phi that is met again says
//! nothing new: all that comes into the circle was, or will be, looked at, and no step in it makes fewer zeros of more.

use frazil_ir::{ConstView, EntityRef, Function, Module, Opcode, Operand, SymbolId, SymbolKind, Value};
use frazil_passes::constants::int_value;

/// As many as a value can have.
const ALL: u32 = 64;

/// At most so many values are looked at.
const MOST_LOOKED_AT: usize = 24;

/// The number of zeros at the low end of an integer or address of a hook's body, for what a site gives.
pub(crate) fn low_zeros(body: &Function, operand: Operand, site: (&Function, &Module, &[Operand])) -> u32 {
    Looker {
        f: body,
        site: Some(site),
        module: None,
        seen: Vec::new(),
        looked_at: 0,
    }
    .of(operand)
}

/// The same of an operand of a function of the program.
pub(crate) fn low_zeros_of_argument(f: &Function, module: &Module, operand: Operand) -> u32 {
    Looker {
        f,
        site: None,
        module: Some(module),
        seen: Vec::new(),
        looked_at: 0,
    }
    .of(operand)
}

struct Looker<'a> {
    f: &'a Function,
    /// What stands for the parameters of `f`, if that is the body of a hook: operands of a function of the program.
    site: Option<(&'a Function, &'a Module, &'a [Operand])>,
    /// The module of `f`, if its symbols are looked at.
    module: Option<&'a Module>,
    /// The phis on the way.
    seen: Vec<Value>,
    looked_at: usize,
}

impl Looker<'_> {
    fn of(&mut self, operand: Operand) -> u32 {
        if let Some(number) = int_value(self.f, operand) {
            return number.trailing_zeros().min(ALL);
        }
        if let Some(symbol) = operand.as_symbol() {
            return self.of_symbol(symbol);
        }
        if let Some(id) = operand.as_const() {
            return match self.f.constant(id).1 {
                ConstView::Symbol(symbol, addend) => self.of_symbol(symbol).min(addend.trailing_zeros()),
                _ => 0,
            };
        }
        let Some(value) = operand.as_value() else { return 0 };
        if let Some((f, module, args)) = self.site
            && let Some(&arg) = args.get(value.index())
        {
            return low_zeros_of_argument(f, module, arg);
        }
        if let Some(slot) = self.f.slot_of(value) {
            return u32::from(self.f.slots()[slot.index()].align_log2);
        }
        self.looked_at += 1;
        match self.f.def_inst(value) {
            Some(inst) if self.looked_at <= MOST_LOOKED_AT => self.of_inst(value, *self.f.inst(inst)),
            _ => 0,
        }
    }

    fn of_inst(&mut self, value: Value, data: frazil_ir::InstData) -> u32 {
        use Opcode as O;
        match data.op {
            O::Copy | O::Zext | O::Sext | O::Ptrtoint | O::Inttoptr => self.of(data.a),
            O::Add | O::Sub | O::PtrAdd | O::Or | O::Xor => self.of(data.a).min(self.of(data.b)),
            O::And => self.of(data.a).max(self.of(data.b)),
            O::PtrIndex => {
                let scale = u32::from(data.flags).trailing_zeros();
                self.of(data.a).min(self.of(data.b).saturating_add(scale).min(ALL))
            }
            O::Mul => self.of(data.a).saturating_add(self.of(data.b)).min(ALL),
            O::Shl => {
                let distance = int_value(self.f, data.b).and_then(|bits| u32::try_from(bits).ok());
                self.of(data.a).saturating_add(distance.unwrap_or(0)).min(ALL)
            }
            O::Select => {
                let (yes, no) = self.f.ternary(&data);
                self.of(yes).min(self.of(no))
            }
            O::Phi if self.seen.contains(&value) => ALL,
            O::Phi => {
                self.seen.push(value);
                let operands = self.f.list(&data).to_vec();
                operands.into_iter().fold(ALL, |least, operand| match least {
                    0 => 0,
                    _ => least.min(self.of(operand)),
                })
            }
            _ => 0,
        }
    }

    /// Of the address of data that this object defines for good.
    fn of_symbol(&self, symbol: SymbolId) -> u32 {
        let Some(module) = self.module else { return 0 };
        let data = &module.symbols[symbol];
        match data.kind {
            SymbolKind::Data(id) if data.dso_local && !data.linkage.is_weak() => u32::from(module.data[id].align_log2),
            _ => 0,
        }
    }
}
