//! Lists of variable arguments.
//!
//! What a list has, and how arguments are passed, is the platform's to say ([`crate::platform::ArgumentList`]), because
//! front ends and readers expand `va_arg` into accesses to it. Without a platform, or where it has no lists for
//! pointers of the module's width, `va_start` and `va_copy` are not supported.
//!
//! Each `va_start` gets new memory: for the arguments that have come in memory, and for the area of those that have
//! come in registers, if lists have one. Fixed parameters matter only by the registers that they take.

use super::memory::Byte;
use super::value::{Scalar, scalar_bits};
use super::{Interpreter, Outcome, Stop};
use crate::platform::{ArgumentList, ListForm, Passing, SavedRegisters};
use crate::signature::ParamKind;
use crate::types::TypeData;

/// Where an argument is.
enum Place {
    /// So many bytes from the start of the area for registers.
    Area(u64),
    /// So many bytes from the start of the memory for the others.
    Memory(u64),
}

/// Deals places to arguments in order.
struct Dealer {
    kinds: &'static [SavedRegisters],
    /// By kind of registers: where the next one is in the area.
    next: Vec<i64>,
    next_in_memory: i64,
}

impl Dealer {
    fn new(form: ListForm) -> Dealer {
        let kinds = match form {
            ListForm::NextArgument => &[],
            ListForm::SaveArea { registers, .. } => registers,
        };
        Dealer {
            kinds,
            next: kinds.iter().map(|kind| kind.start).collect(),
            next_in_memory: 0,
        }
    }

    /// The place in registers, if there are enough left.
    fn in_registers(&mut self, passing: Passing) -> Option<u64> {
        let registers = passing.registers?;
        let kind = self
            .kinds
            .iter()
            .position(|kind| kind.next_offset == registers.next_offset)?;
        let (place, used) = (self.next[kind], passing.bytes.max(registers.bytes));
        if place + used > registers.end {
            return None;
        }
        self.next[kind] += used;
        Some(place.cast_unsigned())
    }

    fn place(&mut self, passing: Passing) -> Place {
        if let Some(offset) = self.in_registers(passing) {
            return Place::Area(offset);
        }
        let place = (self.next_in_memory + passing.align - 1) & -passing.align;
        self.next_in_memory = place + passing.bytes;
        Place::Memory(place.cast_unsigned())
    }
}

impl Interpreter<'_> {
    /// The lists of the function that runs.
    fn argument_list(&self) -> Outcome<ArgumentList> {
        let facts = self.platform.and_then(|platform| platform.variadic);
        let facts = facts.filter(|facts| facts.pointer_bits == self.module.data_layout.pointer_bits);
        let facts = facts.ok_or_else(|| Stop::Unsupported("variable arguments of this platform".to_owned()))?;
        Ok(facts.list_of(self.function().signature.call_conv))
    }

    /// Fills a list, with new memory for the arguments.
    pub(super) fn va_start(&mut self, list: u64) -> Outcome<()> {
        let ArgumentList { form, passing, .. } = self.argument_list()?;
        let unknown = || Stop::Unsupported("how a variable argument is passed".to_owned());
        let function = self.function();
        let mut dealer = Dealer::new(form);
        for param in &function.signature.params {
            if matches!(param.kind, ParamKind::ByVal { .. }) {
                continue;
            }
            let ty = function.types.data(param.ty);
            let element = match ty {
                TypeData::Vector { element, .. } => Some(function.types.data(element)),
                _ => None,
            };
            dealer.in_registers(passing(ty, element).ok_or_else(unknown)?);
        }
        let first = dealer.next.clone();
        let varargs = std::mem::take(&mut self.frame().varargs);
        let mut placed = Vec::new();
        for (ty, value) in &varargs {
            let passing = passing(*ty, None).ok_or_else(unknown)?;
            let bits = scalar_bits(*ty, self.module.data_layout.pointer_bits).ok_or_else(unknown)?;
            let mut bytes = slot_bytes(value.lane(0), bits);
            bytes.truncate(passing.bytes as usize);
            placed.push((dealer.place(passing), bytes));
        }
        self.frame().varargs = varargs;
        let area_bytes = dealer.kinds.iter().map(|kind| kind.end).max().unwrap_or(0);
        let area = self.memory.allocate(area_bytes.cast_unsigned(), 4)?;
        let in_memory = self.memory.allocate(dealer.next_in_memory.cast_unsigned(), 4)?;
        self.frame().objects.extend([area, in_memory]);
        for (place, bytes) in placed {
            let address = match place {
                Place::Area(offset) => area + offset,
                Place::Memory(offset) => in_memory + offset,
            };
            self.memory.write_bytes(address, &bytes)?;
        }
        let at = |distance: i64| list.wrapping_add_signed(distance);
        match form {
            ListForm::NextArgument => self.write_pointer(list, in_memory),
            ListForm::SaveArea {
                next_in_memory,
                area: area_at,
                registers,
            } => {
                for (kind, next) in registers.iter().zip(first) {
                    self.memory.write(at(kind.next_offset), &(next as u32).to_le_bytes())?;
                }
                self.write_pointer(at(next_in_memory), in_memory)?;
                self.write_pointer(at(area_at), area)
            }
        }
    }

    /// Copies a list.
    pub(super) fn va_copy(&mut self, to: u64, from: u64) -> Outcome<()> {
        let bytes = self.memory.read_bytes(from, self.argument_list()?.bytes)?;
        self.memory.write_bytes(to, &bytes)
    }

    fn write_pointer(&mut self, place: u64, address: u64) -> Outcome<()> {
        let bytes = self.module.data_layout.pointer_bits as usize / 8;
        self.memory.write(place, &address.to_le_bytes()[..bytes])
    }
}

/// An argument in its slots: the bits above its width are undefined.
fn slot_bytes(scalar: Scalar, bits: u32) -> Vec<Byte> {
    let (value, undef, poison) = match scalar {
        Scalar::Poison => (0, 0, true),
        Scalar::Bits { value, undef } => (value, undef | !super::value::mask(bits), false),
    };
    let size = bits.div_ceil(64) as usize * 8;
    (0..size)
        .map(|index| Byte {
            value: (value >> (8 * index)) as u8,
            undef: (undef >> (8 * index)) as u8,
            poison,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entities::FuncId;
    use crate::interp::{Limits, Value};
    use crate::platform::{Platform, VariadicFacts};
    use crate::text::parse_module;
    use frazil_support::EntityRef;

    /// Lists that are the address of the next argument.
    static PLAIN: Platform = platform(ArgumentList {
        form: ListForm::NextArgument,
        bytes: 4,
        passing: |ty, _| passing(ty, None),
    });

    /// Lists with an area for one integer register.
    static WITH_AREA: Platform = platform(ArgumentList {
        form: ListForm::SaveArea {
            next_in_memory: 0,
            area: 4,
            registers: &[ONE],
        },
        bytes: 12,
        passing: |ty, _| passing(ty, matches!(ty, TypeData::Int(_)).then_some(ONE)),
    });

    const ONE: SavedRegisters = SavedRegisters {
        next_offset: 8,
        bytes: 4,
        start: 16,
        end: 20,
    };

    fn passing(ty: TypeData, registers: Option<SavedRegisters>) -> Option<Passing> {
        let bytes = if ty == TypeData::F64 { 8 } else { 4 };
        Some(Passing {
            registers,
            bytes,
            align: bytes,
        })
    }

    const fn platform(list: ArgumentList) -> Platform {
        Platform {
            data_layout: "",
            widest_integer_bits: 128,
            added_integer_aligns: &[],
            passes_arrays_whole: false,
            variadic: Some(VariadicFacts {
                pointer_bits: 32,
                list,
                lists_of_conventions: &[],
            }),
            named_registers: &[],
            guard_registers: &[],
            memory_letters: "",
            float_environment: None,
            former_intrinsics: &[],
        }
    }

    /// What a function returns that `body` makes of its list of three variable arguments, 7, 2.5 and 9.
    fn run(platform: Option<&'static Platform>, body: &str) -> Outcome<Vec<Value>> {
        let text = format!(
            "layout pointer_bits 32 stack_align 8
func @f() -> i32 {{
b0:
  v0 = call @g(7, f64 0x4004000000000000, 9) : (i32, f64, i32) -> i32
  return v0
}}
func @g(...) -> i32 {{
  v0 = slot 12 align 4
b0:
  va_start v0
  {body}
}}"
        );
        let (module, functions) = parse_module(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let mut interpreter = Interpreter::new(&module, &functions, Limits::default())?;
        interpreter.platform = platform;
        interpreter.call(FuncId::new(0), Vec::new())
    }

    #[test]
    fn lists_are_as_the_platform_has_them() {
        // The last one is after a gap for the alignment of the second.
        let plain = "v1 = load align 4 ptr v0\n v2 = ptr_add ptr v1, 16\n v3 = load align 4 i32 v2\n return v3";
        assert_eq!(run(Some(&PLAIN), plain), Ok(vec![Value::bits(9)]));
        // The first one is in the register, the others are in memory.
        for (address, offset, expected) in [(4, 16, 7), (0, 8, 9)] {
            let body = format!(
                "v1 = ptr_add ptr v0, {address}\n v2 = load align 4 ptr v1\n v3 = ptr_add ptr v2, {offset}\n \
                 v4 = load align 4 i32 v3\n return v4"
            );
            assert_eq!(run(Some(&WITH_AREA), &body), Ok(vec![Value::bits(expected)]));
        }
        let next = "v1 = ptr_add ptr v0, 8\n v2 = load align 4 i32 v1\n return v2";
        assert_eq!(run(Some(&WITH_AREA), next), Ok(vec![Value::bits(16)]));
    }

    #[test]
    fn without_a_platform_there_are_none() {
        let result = run(None, "return 0");
        assert!(matches!(result, Err(Stop::Unsupported(_))), "{result:?}");
    }
}
