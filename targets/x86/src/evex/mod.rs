//! Rows with an EVEX prefix (Intel manual, volume 2, section 2.7), and those that move mask registers: which there are,
//! and which numbers they have.
//!
//! The [table] has a line for each operation. From a line follows a row for each length of vectors, or one for
//! all lengths if all operands are as long as the operation; and, for operations that take a mask, the same with one:
//!
//! ```text
//! vscalefps  zmm1, zmm2, zmm3            what the row writes is new
//! vscalefps  zmm1 {k1}, zmm2, zmm3       it is read, too: lanes without a bit in the mask keep what they have
//! ```
//!
//! The mask is always in the same register, [`MASK`], so that instructions need no fourth operand for it: rules move it
//! there right before, from wherever it is. Whether lanes without a bit become zero instead, and how results are
//! rounded, is in the instruction ([`aux`]); where a row reads its first operand anyway, a zeroing mask needs no row of
//! its own, but for loads, which would read it for nothing.
//!
//! An operand in memory stands in the place of the second source, where the first one is overwritten; it may be a
//! single lane that is read for all ([`aux::BROADCAST`]).
//!
//! Left out: operands in memory of most lines, and of all with a mask but for what accesses it lane by lane or writes
//! it.

mod table;

pub use table::Evex;

use crate::ops::{Access, Code, Effects, Form, Kind, NO, Operand, Row, aux, sizes};
use crate::regs::MASK;
use frazil_codegen::included::VECTORS;
use frazil_codegen::{MInst, Role, Text};
use table::LINES;

/// What an operand of a line is.
#[derive(Clone, Copy)]
enum Width {
    /// A vector of the operation's length.
    Full,
    /// The half, a quarter or an eighth of that.
    Part(u8),
    /// A register of 128 bits whatever the length.
    Low,
    /// A general register of so many bytes.
    General(u8),
    Mask,
}

/// A register operand of a line.
#[derive(Clone, Copy)]
struct Place {
    role: Role,
    width: Width,
}

/// The lengths of vectors that a line has rows for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lengths {
    /// Of 128, 256 and 512 bits.
    All,
    /// Of 256 and 512 bits.
    Long,
    /// Of 512 bits; shorter ones have a VEX prefix.
    Widest,
    /// Of 128 bits: the lowest lane is computed, or general registers are read or written.
    Lowest,
}

/// Whether there are rows with a mask, and others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Masks {
    No,
    Both,
    Always,
    /// Always, and it chooses between two operands, or between one and zero, so that all lanes are written.
    Chooses,
}

/// A line of the table.
#[derive(Clone, Copy)]
struct Line {
    name: &'static str,
    mnemonic: &'static str,
    code: Code,
    lengths: Lengths,
    places: [Option<Place>; 3],
    masks: Masks,
}

impl Line {
    /// The lengths of vectors, shortest first, as a set of bits.
    const fn lengths(&self) -> u8 {
        match self.lengths {
            Lengths::All => sizes::X | sizes::Y | sizes::Z,
            Lengths::Long => sizes::Y | sizes::Z,
            Lengths::Widest => sizes::Z,
            Lengths::Lowest => sizes::X,
        }
    }

    /// Whether one row does for all lengths.
    const fn is_uniform(&self) -> bool {
        let mut index = 0;
        while index < self.places.len() {
            if let Some(Place {
                width: Width::Part(_), ..
            }) = self.places[index]
            {
                return false;
            }
            index += 1;
        }
        true
    }

    /// How many rows there are without a mask, if there are any, and as many with one.
    const fn rows_per_mask(&self) -> usize {
        match self.is_uniform() {
            true => 1,
            false => self.lengths().count_ones() as usize,
        }
    }

    const fn row_count(&self) -> usize {
        match self.masks {
            Masks::Both => 2 * self.rows_per_mask(),
            _ => self.rows_per_mask(),
        }
    }

    /// The row of some lengths, a set of bits.
    const fn row(&self, lengths: u8, is_masked: bool) -> Row {
        let mut operands = [None; 3];
        let mut index = 0;
        while index < operands.len() {
            if let Some(place) = self.places[index] {
                let keeps = is_masked && index == 0 && !matches!(self.masks, Masks::Chooses);
                operands[index] = Some(operand(place, lengths, keeps));
            }
            index += 1;
        }
        Row {
            name: Text::new(self.name),
            mnemonic: Text::new(self.mnemonic),
            sizes: lengths,
            code: if is_masked {
                self.code.flag(Code::MASKED)
            } else {
                self.code
            },
            operands,
            effects: self.effects(is_masked),
        }
    }

    const fn effects(&self, is_masked: bool) -> Effects {
        let mut effects = if is_masked { NO.uses(&[MASK]) } else { NO };
        match self.code.form {
            // What is loaded counts as done.
            Form::Gather => effects = effects.defs(&[MASK]),
            Form::Scatter => effects = effects.defs(&[MASK]).writes_memory(),
            Form::MR => effects.memory = Some(Access::Write),
            _ => {}
        }
        effects
    }
}

/// The operand of a row. If lanes keep what they have, what is written is read, too, unless it is a mask itself.
const fn operand(place: Place, lengths: u8, keeps: bool) -> Operand {
    let kind = match place.width {
        Width::Full => Kind::Full,
        Width::Low => Kind::Vector,
        Width::Part(parts) => match lengths / parts {
            32 => Kind::Wide,
            _ => Kind::Vector,
        },
        Width::General(bytes) => Kind::General(bytes),
        Width::Mask => Kind::Mask,
    };
    let role = match place.role {
        Role::Def if keeps && !matches!(kind, Kind::Mask) => Role::UseDef,
        role => role,
    };
    Operand { role, kind }
}

/// How many rows follow from the table.
pub(crate) const COUNT: usize = {
    let (mut count, mut line) = (0, 0);
    while line < LINES.len() {
        count += LINES[line].row_count();
        line += 1;
    }
    count
};

/// The first row of each line, among those that follow from the table.
const FIRST: [u16; LINES.len()] = {
    let mut first = [0; LINES.len()];
    let (mut next, mut line) = (0, 0);
    while line < LINES.len() {
        first[line] = next;
        next += LINES[line].row_count() as u16;
        line += 1;
    }
    first
};

/// All rows that follow from the table.
pub(crate) const fn rows() -> [Row; COUNT] {
    let mut rows = [LINES[0].row(sizes::X, false); COUNT];
    let (mut next, mut number) = (0, 0);
    while number < LINES.len() {
        let line = &LINES[number];
        let mut mask = match line.masks {
            Masks::Always | Masks::Chooses => 1,
            _ => 0,
        };
        while mask < 2 && !(mask == 1 && matches!(line.masks, Masks::No)) {
            if line.is_uniform() {
                rows[next] = line.row(line.lengths(), mask == 1);
                next += 1;
            } else {
                let mut length = sizes::X;
                while length <= sizes::Z {
                    if line.lengths() & length != 0 {
                        rows[next] = line.row(length, mask == 1);
                        next += 1;
                    }
                    length *= 2;
                }
            }
            mask += 1;
        }
        number += 1;
    }
    rows
}

impl Evex {
    const fn line(self) -> &'static Line {
        &LINES[self as usize]
    }

    /// Whether only the lowest lane is computed, whatever else there is.
    pub fn is_of_lowest(self) -> bool {
        self.line().lengths == Lengths::Lowest
    }

    /// Whether an instruction may name a rounding mode.
    pub fn rounds(self) -> bool {
        self.line().code.has(Code::ROUNDS)
    }

    /// Whether an instruction may ask not to raise exceptions.
    pub fn silences(self) -> bool {
        self.line().code.has(Code::ROUNDS | Code::SILENCES)
    }

    /// Whether there are rows for vectors of so many bytes.
    pub fn has_length(self, bytes: u8) -> bool {
        self.line().lengths() & bytes != 0
    }

    /// The line with the second operand in memory, and the first one as its result.
    pub fn in_memory(self) -> Option<Evex> {
        Some(match self {
            Evex::Vaddps => Evex::VaddpsF,
            Evex::Vaddpd => Evex::VaddpdF,
            Evex::Vmulps => Evex::VmulpsF,
            Evex::Vmulpd => Evex::VmulpdF,
            Evex::Vsubps => Evex::VsubpsF,
            Evex::Vsubpd => Evex::VsubpdF,
            Evex::Vdivps => Evex::VdivpsF,
            Evex::Vdivpd => Evex::VdivpdF,
            Evex::Vpandd => Evex::VpanddF,
            Evex::Vpord => Evex::VpordF,
            Evex::Vpxord => Evex::VpxordF,
            Evex::Vpaddd => Evex::VpadddF,
            Evex::Vpaddq => Evex::VpaddqF,
            Evex::Vpsubd => Evex::VpsubdF,
            Evex::Vpsubq => Evex::VpsubqF,
            Evex::Vpmulld => Evex::VpmulldF,
            Evex::Vpmullq => Evex::VpmullqF,
            Evex::Vpaddb => Evex::VpaddbF,
            Evex::Vpaddw => Evex::VpaddwF,
            Evex::Vpsubb => Evex::VpsubbF,
            Evex::Vpsubw => Evex::VpsubwF,
            Evex::Vpmullw => Evex::VpmullwF,
            _ => return None,
        })
    }

    /// Whether one lane in memory may be read for all lanes.
    pub fn broadcasts(self) -> bool {
        self.line().code.has(Code::BROADCASTS)
    }

    /// Whether no other operand may be the register that is written.
    pub fn is_apart(self) -> bool {
        self.line().code.has(Code::APART)
    }

    /// Whether there are rows with a mask, and others.
    pub fn may_have_mask(self) -> bool {
        self.line().masks == Masks::Both
    }

    /// Whether there is no row without a mask.
    pub fn needs_mask(self) -> bool {
        matches!(self.line().masks, Masks::Always | Masks::Chooses)
    }

    /// Its first row, by its number among those that follow from the table.
    pub(crate) const fn first_row(self) -> u16 {
        FIRST[self as usize]
    }

    /// The row for vectors of so many bytes, by its number among those that follow from the table.
    pub(crate) fn row(self, bytes: u8, is_masked: bool) -> u16 {
        if !VECTORS {
            unreachable!("a row for vectors in a build without");
        }
        let line = self.line();
        debug_assert!(line.lengths() & bytes != 0, "{self:?} has no vectors of {bytes} bytes");
        debug_assert!(
            line.masks == Masks::Both || is_masked == (line.masks != Masks::No),
            "{self:?}"
        );
        let mut row = self.first_row();
        if is_masked && line.masks == Masks::Both {
            row += line.rows_per_mask() as u16;
        }
        if !line.is_uniform() {
            row += (line.lengths() & (bytes - 1)).count_ones() as u16;
        }
        row
    }
}

impl Code {
    /// Bytes of the lane that an instruction reads for all lanes, if it does so.
    pub const fn broadcast_bytes(&self, inst: &MInst) -> Option<u8> {
        match self.has(Code::BROADCASTS) && inst.aux & aux::BROADCAST != 0 {
            true => Some(if self.has(Code::W) { 8 } else { 4 }),
            false => None,
        }
    }
}

/// The bits of [`aux`](frazil_codegen::MInst::aux) for a rounding mode (0 to 3: to nearest, down, up, to zero) without
/// exceptions.
pub fn rounding(mode: u8) -> u8 {
    aux::SILENT | (mode & 3) << aux::ROUNDING_BIT
}
