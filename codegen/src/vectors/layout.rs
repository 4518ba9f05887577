//! How vectors that fit no register are spread over several values: the first question of legalisation.
//!
//! A vector of a type that the target compiles stays one value. Every other is *split* into vectors of as many lanes as
//! fill a register, the last one perhaps of fewer, or, where no register takes even one lane (odd widths of integers,
//! integers of 128 bits, targets without vectors), *scalarised* into a value for each lane.
//!
//! A vector of `i1` has no width of its own: its lanes are as wide as those of what is compared or selected with it
//! ([`super`]). All masks of a type are spread alike within a function, as most of the instructions that make or
//! take them want it, so that phis, whose operands would have to be converted on edges, never need another form.

use crate::abi::unsupported_type;
use crate::error::CodegenError;
use crate::isa::Isa;
use crate::unit::Unit;
use crate::vectors::shape::lane_bits;
use crate::vectors::width;
use frazil_ir::typing::is_cast;
use frazil_ir::{Function, InstData, Opcode, Operand, Results, Type, TypeData, TypeTable};
use std::cell::Cell;

/// How the values of a type are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// The type of a lane; of a scalar, the type itself.
    pub element: Type,
    /// Number of lanes; of a scalar, 1.
    pub lanes: u32,
    /// Lanes of each value but the last, which has the rest; 0 if each lane is a scalar.
    pub chunk: u32,
    /// Whether it is no vector.
    pub is_scalar: bool,
    /// Whether it is a mask whose lanes are integers, all ones or all zeros ([`super::promote`]), or which is the bits
    /// of integers.
    pub is_promoted: bool,
    /// Whether each value is an integer that has a bit for each of its lanes ([`super::mask_bits`]).
    pub is_bits: bool,
}

impl Layout {
    const fn scalar(ty: Type) -> Layout {
        Layout {
            element: ty,
            lanes: 1,
            chunk: 1,
            is_scalar: true,
            is_promoted: false,
            is_bits: false,
        }
    }

    /// Whether each lane is a value.
    pub fn is_scalarised(self) -> bool {
        self.chunk == 0
    }

    /// How many values there are.
    pub fn count(self) -> u32 {
        match self.chunk {
            0 => self.lanes,
            chunk => self.lanes.div_ceil(chunk),
        }
    }

    /// Whether it is one value of its own type.
    pub fn is_whole(self) -> bool {
        self.chunk >= self.lanes && !self.is_promoted
    }

    /// Lanes of a value by its number; 1 if each lane is a scalar.
    pub fn lanes_of(self, part: u32) -> u32 {
        match self.chunk {
            0 => 1,
            chunk => (self.lanes - part * chunk).min(chunk),
        }
    }
}

/// The layouts of all types of a function.
#[derive(Debug)]
pub(super) struct Layouts {
    by_type: Vec<Layout>,
    /// By type: whether it is spread over values with which nothing can be done.
    is_refused: Vec<bool>,
    /// By type: whether it is computed wide. Empty if none is.
    is_wide: Vec<bool>,
    /// By type: what masks become. Empty if there are none that become anything else.
    promoted: Vec<Option<Promoted>>,
    /// Whether [`Layouts::get`] tells how types that are computed wide, or promoted, are spread where they are not.
    is_narrow: Cell<bool>,
    register_bytes: u8,
}

/// What a mask becomes in the [first stage](super::promote).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Promoted {
    /// Vectors of these integers.
    Lanes(Type),
    /// Integers of its bits.
    Bits,
}

/// How often masks of a type are wanted in lanes of each width: scalars, then 1, 2, 4, 8, 16 ... lanes to a register.
type Votes = [u32; 10];

impl Layouts {
    /// Decides for a function.
    pub fn of<I: Isa>(isa: &I, unit: &Unit<'_>) -> Layouts {
        let function = unit.function;
        let types = function.types();
        let register_bytes = isa.desc().vector_bytes;
        let count = usize::from(Type::FIRST_EXTRA) + types.extra_len();
        let by_type = (0..count)
            .map(|index| {
                let ty = Type::from_index(index as u8);
                let TypeData::Vector { element, lanes } = types.data(ty) else {
                    return Layout::scalar(ty);
                };
                let parts = isa.parts(types, ty);
                let is_legal = parts.count > 0 && !parts.is_wide_vector();
                let chunk = match is_legal {
                    true => lanes,
                    false => widest(types, element, register_bytes),
                };
                Layout {
                    element,
                    lanes,
                    chunk,
                    is_scalar: false,
                    is_promoted: false,
                    is_bits: false,
                }
            })
            .collect();
        let mut layouts = Layouts {
            by_type,
            is_refused: Vec::new(),
            is_wide: width::choose(isa, unit),
            promoted: Vec::new(),
            is_narrow: Cell::new(false),
            register_bytes,
        };
        let votes = layouts.votes(function);
        layouts.choose_masks(&votes);
        let of_elements = layouts.by_type.iter().map(|layout| {
            let element = layout.element;
            !layout.is_whole() && isa.parts(types, element).count == 0
        });
        layouts.is_refused = of_elements.collect();
        layouts
    }

    /// Those of the [first stage](super::promote), in which registers have this many bytes: only vectors that are cut
    /// and masks that are promoted are spread.
    pub fn of_first_stage(
        function: &Function,
        register_bytes: u8,
        promoted: Vec<Option<Promoted>>,
        is_cut: impl Fn(Type) -> bool,
    ) -> Layouts {
        let types = function.types();
        let of_type = |(index, promoted): (usize, &Option<Promoted>)| {
            let ty = Type::from_index(index as u8);
            let TypeData::Vector { element, lanes } = types.data(ty) else {
                return Layout::scalar(ty);
            };
            let chunk = match promoted {
                &Some(Promoted::Lanes(integer)) => widest(types, integer, register_bytes),
                _ if is_cut(ty) => widest(types, element, register_bytes),
                _ => lanes,
            };
            Layout {
                element,
                lanes,
                chunk,
                is_scalar: false,
                is_promoted: false,
                is_bits: false,
            }
        };
        let by_type: Vec<Layout> = promoted.iter().enumerate().map(of_type).collect();
        let mut layouts = Layouts {
            is_refused: vec![false; by_type.len()],
            by_type,
            is_wide: Vec::new(),
            promoted,
            is_narrow: Cell::new(false),
            register_bytes,
        };
        let mut votes = layouts.votes(function);
        for (votes, promoted) in votes.iter_mut().zip(&layouts.promoted) {
            if matches!(promoted, Some(Promoted::Lanes(_))) {
                *votes = Votes::default();
            }
        }
        layouts.choose_masks(&votes);
        // No integer has the bits of lanes that are values of their own.
        for (promoted, layout) in layouts.promoted.iter_mut().zip(&layouts.by_type) {
            *promoted = promoted.filter(|_| !layout.is_scalarised());
        }
        layouts
    }

    /// Whether a type is computed wide.
    #[inline]
    pub fn is_wide(&self, ty: Type) -> bool {
        self.is_wide.get(ty.index()).is_some_and(|&is_wide| is_wide)
    }

    /// Whether a type is that of masks which are vectors of integers, or the bits of integers.
    #[inline]
    pub fn is_promoted(&self, ty: Type) -> bool {
        self.promoted.get(ty.index()).is_some_and(Option::is_some)
    }

    /// Whether masks are integers of their bits.
    pub fn has_bits(&self) -> bool {
        self.promoted.contains(&Some(Promoted::Bits))
    }

    /// Whether any masks are vectors of integers, or the bits of integers.
    pub fn has_promoted(&self) -> bool {
        !self.promoted.is_empty()
    }

    /// Whether [`Layouts::get`] tells how types are spread where they are not computed wide, or promoted.
    pub fn is_narrow(&self) -> bool {
        self.is_narrow.get()
    }

    /// Whether any type is computed wide.
    pub fn has_wide(&self) -> bool {
        !self.is_wide.is_empty()
    }

    /// Begins or ends the mode in which types that are computed wide are spread.
    pub fn set_narrow(&self, is_narrow: bool) {
        self.is_narrow.set(is_narrow);
    }

    /// The layout of a type whatever the mode is: that of the values of the new function.
    pub fn real(&self, ty: Type) -> Layout {
        let layout = self.by_type[ty.index()];
        let promoted = self.promoted.get(ty.index()).copied().flatten();
        if let Some(promoted) = promoted {
            let element = match promoted {
                Promoted::Lanes(integer) => integer,
                Promoted::Bits => layout.element,
            };
            return Layout {
                element,
                is_promoted: true,
                is_bits: promoted == Promoted::Bits,
                ..layout
            };
        }
        match self.is_wide(ty) {
            true => Layout {
                chunk: layout.lanes,
                ..layout
            },
            false => layout,
        }
    }

    /// Refuses a type whose lanes the target cannot compute with, not even one by one.
    pub fn check(&self, types: &TypeTable, ty: Type) -> Result<(), CodegenError> {
        match self.is_refused[ty.index()] {
            true => Err(unsupported_type(types, ty)),
            false => Ok(()),
        }
    }

    /// How a type is spread where it is not computed wide.
    pub fn narrow(&self, ty: Type) -> Layout {
        self.by_type[ty.index()]
    }

    /// The layout of a type of the function that this was made for.
    #[inline]
    pub fn get(&self, ty: Type) -> Layout {
        match self.is_narrow.get() {
            true => self.by_type[ty.index()],
            false => self.real(ty),
        }
    }

    /// Bytes of a vector register.
    pub fn register_bytes(&self) -> u8 {
        self.register_bytes
    }

    fn votes(&self, function: &Function) -> Vec<Votes> {
        let mut votes = vec![Votes::default(); self.by_type.len()];
        for data in function.insts() {
            self.vote(function, data, &mut votes);
        }
        votes
    }

    fn choose_masks(&mut self, votes: &[Votes]) {
        for (layout, votes) in self.by_type.iter_mut().zip(votes) {
            let best = (0..votes.len()).filter(|&index| votes[index] > 0);
            let Some(best) = best.max_by_key(|&index| (votes[index], usize::MAX - index)) else {
                continue;
            };
            layout.chunk = match best {
                0 => 0,
                index => (1 << (index - 1)).min(layout.chunk.max(1)),
            };
        }
    }

    /// Notes what an instruction wants of the mask that it makes or takes.
    fn vote(&self, function: &Function, data: &InstData, votes: &mut [Votes]) {
        let Some((mask, other)) = mask_and_other(function, data) else {
            return;
        };
        // What extends a mask to lanes of twice the width has it in one register.
        let is_extended = is_cast(data.op) && self.is_wide(other);
        // Comparisons of wide values and selects of them are done together.
        if self.is_wide(other) && !is_extended {
            return;
        }
        let (mask_layout, other) = (self.by_type[mask.index()], self.by_type[other.index()]);
        if mask_layout.is_scalar || mask_layout.element != Type::I1 || other.element == Type::I1 {
            return;
        }
        let chunk = match other.is_whole() || is_extended {
            true => u32::MAX,
            false => other.chunk,
        };
        let index = match chunk {
            0 => 0,
            chunk => 1 + chunk.min(mask_layout.chunk.max(1).next_power_of_two()).ilog2() as usize,
        };
        votes[mask.index()][index.min(Votes::default().len() - 1)] += 1;
    }
}

/// The type of the mask that an instruction makes or takes, and that of the lanes which it belongs to.
pub(super) fn mask_and_other(function: &Function, data: &InstData) -> Option<(Type, Type)> {
    let types = function.types();
    let TypeData::Vector { element, .. } = types.data(data.ty) else {
        return None;
    };
    let type_of = |operand: Operand| function.operand_type(operand);
    let (mask, other) = match data.op {
        Opcode::Select => (type_of(data.a), Some(data.ty)),
        op if is_cast(op) && op != Opcode::Bitcast => match element {
            Type::I1 => (Some(data.ty), type_of(data.a)),
            _ => (type_of(data.a), Some(data.ty)),
        },
        op if op.results() == Results::Bool => {
            let result = data.first_result().map(|value| function.value(value).ty);
            (result, Some(data.ty))
        }
        _ => return None,
    };
    mask.zip(other)
}

/// The most lanes of an element type that a register takes; 0 if it does not take one.
fn widest(types: &TypeTable, element: Type, register_bytes: u8) -> u32 {
    let bytes = u32::from(register_bytes);
    // A mask has at most as many lanes as the register has bytes.
    if element == Type::I1 {
        return bytes;
    }
    match lane_bits(types, element) {
        Some(bits @ ..=64) => bytes * 8 / bits,
        _ => 0,
    }
}
