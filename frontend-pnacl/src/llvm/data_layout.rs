//! The data layout string: sizes and alignments of primitive types, as far as they decide where things lie.
//!
//! The meaning of the string and its defaults are in LLVM's Language Reference, "Data Layout".
//! Only little-endian layouts are taken. What code generation alone uses (native integer widths, mangling, stack
//! alignment) is left to it: the string stays in the module.

use crate::error::ReadError;
use frazil_ir::{Platform, Refusal};

/// Alignments are powers of two of bytes.
type AlignLog2 = u8;

/// Sizes and alignments of primitive types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataLayout {
    /// Width in bits and alignment, sorted by width.
    integers: Vec<(u32, AlignLog2)>,
    floats: Vec<(u32, AlignLog2)>,
    vectors: Vec<(u32, AlignLog2)>,
    aggregate: AlignLog2,
    /// Alignments that are preferred, where they may be other than the least, by letter and width as in the string.
    preferred: Vec<((char, u32), AlignLog2)>,
    /// Address space, width in bits, alignment, width of an index in bits.
    pointers: Vec<(u32, PointerLayout)>,
    /// The address space of `alloca`.
    pub alloca_space: u32,
    /// Natural alignment of the stack in bytes; 0 if not said.
    stack_align: u32,
}

/// How pointers of one address space are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerLayout {
    /// Size in bits.
    pub bits: u32,
    /// Alignment as log2 of bytes.
    pub align_log2: AlignLog2,
    /// Width in bits of the integers used in address arithmetic.
    pub index_bits: u32,
}

impl Default for DataLayout {
    fn default() -> DataLayout {
        DataLayout {
            integers: vec![(1, 0), (8, 0), (16, 1), (32, 2), (64, 2)],
            floats: vec![(16, 1), (32, 2), (64, 3), (128, 4)],
            vectors: vec![(64, 3), (128, 4)],
            aggregate: 0,
            preferred: vec![(('i', 64), 3), (('a', 0), 3)],
            pointers: vec![(
                0,
                PointerLayout {
                    bits: 64,
                    align_log2: 3,
                    index_bits: 64,
                },
            )],
            alloca_space: 0,
            stack_align: 0,
        }
    }
}

impl DataLayout {
    /// The layout of a module that has no string: the platform's, as for `llc`.
    pub fn of_platform(platform: Option<&Platform>) -> DataLayout {
        let text = platform.map_or("", |platform| platform.data_layout);
        DataLayout::parse(text.as_bytes(), platform, 0).unwrap_or_default()
    }

    /// Reads the string of a module.
    ///
    /// Alignments of integers that the platform's layouts lacked once are added, as LLVM's own reader does.
    ///
    /// # Errors
    /// If a specification cannot be understood; `place` is the bit where the string stands.
    pub fn parse(text: &[u8], platform: Option<&Platform>, place: u64) -> Result<DataLayout, ReadError> {
        let mut layout = DataLayout::default();
        let text =
            std::str::from_utf8(text).map_err(|_| ReadError::malformed(place, "a data layout that is no text"))?;
        for spec in text.split('-').filter(|spec| !spec.is_empty()) {
            if layout.apply(spec).is_none() {
                return Err(ReadError::malformed(
                    place,
                    format!("\"{spec}\" in the data layout is not understood"),
                ));
            }
            if spec == "E" {
                return Err(ReadError::unsupported(
                    Refusal::DataLayout,
                    place,
                    "a big-endian data layout",
                ));
            }
        }
        for &(bits, align_log2) in platform.map_or(&[] as &[_], |platform| platform.added_integer_aligns) {
            if !layout.integers.iter().any(|&(width, _)| width == bits) {
                set(&mut layout.integers, bits, align_log2);
            }
        }
        Ok(layout)
    }

    fn apply(&mut self, spec: &str) -> Option<()> {
        let mut parts = spec.split(':');
        let head = parts.next()?;
        let kind = head.chars().next()?;
        let number = head.get(kind.len_utf8()..)?;
        match kind {
            'i' | 'f' | 'v' => {
                let (bits, least) = (number.parse().ok()?, align(parts.next()?)?);
                let list = match kind {
                    'i' => &mut self.integers,
                    'f' => &mut self.floats,
                    _ => &mut self.vectors,
                };
                set(list, bits, least);
                self.prefer((kind, bits), least, parts.next())?;
            }
            'a' => {
                self.aggregate = align(parts.next()?)?;
                self.prefer((kind, 0), self.aggregate, parts.next())?;
            }
            'A' => self.alloca_space = number.parse().ok()?,
            'p' => {
                let space = if number.is_empty() {
                    0
                } else {
                    number.trim_start_matches(['e', 'u']).parse().ok()?
                };
                let bits: u32 = parts.next()?.parse().ok()?;
                let align_log2 = align(parts.next()?)?;
                self.prefer((kind, space), align_log2, parts.next())?;
                let index_bits = match parts.next() {
                    Some(text) => text.parse().ok()?,
                    None => bits,
                };
                if !(8..=128).contains(&bits) || index_bits > bits {
                    return None;
                }
                self.pointers.retain(|&(other, _)| other != space);
                self.pointers.push((
                    space,
                    PointerLayout {
                        bits,
                        align_log2,
                        index_bits,
                    },
                ));
            }
            'S' => self.stack_align = 1 << align(number)?,
            // Endianness, mangling, native widths, program and global spaces, function pointers.
            'e' | 'E' | 'm' | 'n' | 'P' | 'G' | 'F' | 's' => {}
            _ => return None,
        }
        Some(())
    }

    /// Notes which alignment is preferred: the least one if none is said.
    fn prefer(&mut self, key: (char, u32), least: AlignLog2, said: Option<&str>) -> Option<()> {
        let preferred = said.map_or(Some(least), align)?;
        self.preferred.retain(|&(other, _)| other != key);
        self.preferred.push((key, preferred));
        Some(())
    }

    /// The alignment that is preferred for types of a letter and width of the string; `least` is the least one.
    pub fn preferred_align(&self, key: (char, u32), least: u8) -> u8 {
        let key = match key {
            ('i', bits) => {
                let listed = self.integers.iter().find(|&&(width, _)| width >= bits);
                ('i', listed.or(self.integers.last()).map_or(bits, |&(width, _)| width))
            }
            key => key,
        };
        let listed = self.preferred.iter().find(|&&(other, _)| other == key);
        listed.map_or(least, |&(_, preferred)| preferred.max(least))
    }

    /// What of the layout the IR keeps.
    pub fn for_module(&self) -> frazil_ir::module::DataLayout {
        frazil_ir::module::DataLayout {
            pointer_bits: self.pointer(0).bits,
            big_endian: false,
            stack_align: self.stack_align,
        }
    }

    /// How pointers of an address space are stored; one that is not mentioned is stored as space 0.
    pub fn pointer(&self, space: u32) -> PointerLayout {
        let find = |wanted| {
            self.pointers
                .iter()
                .find(|&&(space, _)| space == wanted)
                .map(|&(_, layout)| layout)
        };
        find(space).or_else(|| find(0)).unwrap_or(PointerLayout {
            bits: 64,
            align_log2: 3,
            index_bits: 64,
        })
    }

    /// Alignment of an integer: that of the next wider one listed, or else of the widest.
    pub fn integer_align(&self, bits: u32) -> u8 {
        let listed = self
            .integers
            .iter()
            .find(|&&(width, _)| width >= bits)
            .or(self.integers.last());
        listed.map_or(0, |&(_, align)| align)
    }

    /// Alignment of a floating-point type of this many bits, its natural one if it is not listed.
    pub fn float_align(&self, bits: u32) -> u8 {
        let listed = self.floats.iter().find(|&&(width, _)| width == bits);
        listed.map_or_else(|| natural_align(u64::from(bits)), |&(_, align)| align)
    }

    /// Alignment of a vector of this many bits, its natural one if it is not listed.
    pub fn vector_align(&self, bits: u64) -> u8 {
        let listed = self.vectors.iter().find(|&&(width, _)| u64::from(width) == bits);
        listed.map_or_else(|| natural_align(bits), |&(_, align)| align)
    }

    /// The least alignment of a structure.
    pub fn aggregate_align(&self) -> u8 {
        self.aggregate
    }
}

fn natural_align(bits: u64) -> u8 {
    bits.div_ceil(8).next_power_of_two().trailing_zeros() as u8
}

fn align(bits: &str) -> Option<AlignLog2> {
    match bits.parse::<u32>().ok()? {
        0 => Some(0),
        bits if bits.is_multiple_of(8) && (bits / 8).is_power_of_two() => Some((bits / 8).trailing_zeros() as u8),
        _ => None,
    }
}

fn set(list: &mut Vec<(u32, AlignLog2)>, bits: u32, align: AlignLog2) {
    match list.binary_search_by_key(&bits, |&(width, _)| width) {
        Ok(index) => {
            if let Some(entry) = list.get_mut(index) {
                entry.1 = align;
            }
        }
        Err(index) => list.insert(index, (bits, align)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some platform.
    static PLATFORM: Platform = Platform {
        data_layout: "e-m:e-i64:64-i128:128-f80:128",
        widest_integer_bits: 128,
        added_integer_aligns: &[(128, 4)],
        passes_arrays_whole: false,
        variadic: None,
        named_registers: &[],
        guard_registers: &[],
        memory_letters: "",
        float_environment: None,
        former_intrinsics: &[],
    };

    #[test]
    fn strings_are_read_and_completed() {
        let linux = b"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128";
        let layout = DataLayout::parse(linux, Some(&PLATFORM), 0).unwrap();
        assert_eq!(layout.integer_align(24), 2);
        assert_eq!(layout.integer_align(64), 3);
        assert_eq!(layout.integer_align(128), 4);
        assert_eq!(layout.integer_align(200), 4);
        assert_eq!(layout.float_align(80), 4);
        assert_eq!(layout.vector_align(256), 5);
        assert_eq!(layout.pointer(270).bits, 32);
        assert_eq!(layout.pointer(9).bits, 64);
    }

    #[test]
    fn what_is_preferred_is_the_least_unless_it_is_said() {
        let layout = DataLayout::parse(b"e-i32:16:64-p:64:64", None, 0).unwrap();
        assert_eq!(layout.preferred_align(('i', 24), 1), 3);
        assert_eq!(layout.preferred_align(('i', 64), 2), 3);
        assert_eq!(layout.preferred_align(('a', 0), 2), 3);
        assert_eq!(layout.preferred_align(('p', 0), 3), 3);
        let layout = DataLayout::parse(b"e-i64:64-a:0", None, 0).unwrap();
        assert_eq!(layout.preferred_align(('i', 64), 3), 3);
        assert_eq!(layout.preferred_align(('a', 0), 2), 2);
    }

    #[test]
    fn modules_without_string_have_the_layout_of_their_platform() {
        let layout = DataLayout::of_platform(Some(&PLATFORM));
        assert_eq!(layout.integer_align(64), 3);
        assert_eq!(layout.integer_align(128), 4);
        assert_eq!(layout.float_align(80), 4);
        assert_eq!(DataLayout::of_platform(None).integer_align(64), 2);
    }

    #[test]
    fn nonsense_is_named() {
        let error = DataLayout::parse(b"e-i64:7", None, 5).unwrap_err();
        assert!(error.message().contains("i64:7"), "{error}");
        assert!(DataLayout::parse(b"E", None, 5).is_err());
    }
}
