//! Damages files in the ways in which files get damaged, and in the ways in which an attacker would.
//!
//! A case is determined by its seed, its number and the modules it starts from, so that a failing one can be repeated
//! alone. Most kinds of damage know nothing of what the bytes mean, but that bitcode counts the lengths of blocks in
//! words of 32 bits; one exchanges whole blocks and puts the lengths right ([`blocks`]).

pub mod blocks;
pub mod record_damage;
pub mod records;

pub use frazil_test_support::Random;

/// A module to start from.
#[derive(Clone, Debug)]
pub struct Module {
    bytes: Vec<u8>,
    /// Empty if the bytes are no bitcode.
    blocks: Vec<blocks::Place>,
}

impl Module {
    /// Finds the blocks in `bytes`.
    pub fn new(bytes: Vec<u8>) -> Module {
        let blocks = blocks::find(&bytes).unwrap_or_default();
        Module { bytes, blocks }
    }

    /// The kinds of the blocks that the byte `at` is in.
    fn kinds_around(&self, at: usize) -> impl Iterator<Item = u64> {
        let around = self.blocks.iter().filter(move |place| place.body.contains(&at));
        around.map(|place| place.id)
    }
}

/// The kinds of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Damage {
    /// One to eight single bits.
    FlipBits,
    /// The end is missing.
    Truncate,
    /// A piece of this or another module in place of a piece of the same length.
    Overwrite,
    /// A piece of this or another module between two bytes.
    Insert,
    /// A piece is missing.
    Delete,
    /// A word is replaced by an extreme number.
    ExtremeWord,
    /// Two pieces of the same length change places.
    Swap,
}

impl Damage {
    /// Whether what is not damaged is no longer where it was.
    fn moves_bytes(self) -> bool {
        matches!(self, Damage::Truncate | Damage::Insert | Damage::Delete)
    }
}

const KINDS: [Damage; 7] = [
    Damage::FlipBits,
    Damage::Truncate,
    Damage::Overwrite,
    Damage::Insert,
    Damage::Delete,
    Damage::ExtremeWord,
    Damage::Swap,
];

/// Numbers at the borders of what a length or an index can be.
const EXTREMES: [u32; 8] = [0, 1, 0x7f, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];

/// A damaged module, and how it came about.
#[derive(Clone, Debug)]
pub struct Case {
    /// The damaged bytes.
    pub bytes: Vec<u8>,
    /// Which of the modules it was made from.
    pub module: usize,
    /// For reports, such as `FlipBits, Truncate`.
    pub description: String,
    exchange: Option<Exchange>,
    /// The module after an exchange and before any other damage; nothing if that has moved bytes.
    before: Option<Module>,
}

/// One block in place of another.
#[derive(Clone, Debug)]
struct Exchange {
    /// Which of the module's blocks it is.
    index: usize,
    /// What was in it.
    body: Vec<u8>,
}

impl Case {
    /// The damaged bytes with all blocks of these kinds, and what is in them, as they were before; nothing if bytes
    /// have moved, so that nobody knows where the blocks are. What a block begins with is not part of it.
    pub fn repaired(&self, is_repaired: impl Fn(u64) -> bool) -> Option<Vec<u8>> {
        let before = self.before.as_ref()?;
        let mut bytes = self.bytes.clone();
        for place in before.blocks.iter().filter(|place| is_repaired(place.id)) {
            bytes[place.body.clone()].copy_from_slice(&before.bytes[place.body.clone()]);
        }
        let exchanged = self
            .exchange
            .as_ref()
            .map(|exchange| (exchange, &before.blocks[exchange.index]));
        match exchanged.filter(|(_, place)| before.kinds_around(place.body.start).any(&is_repaired)) {
            Some((exchange, place)) => Some(blocks::replace(&bytes, place, &exchange.body)),
            None => Some(bytes),
        }
    }
}

/// Case number `number` of the series that `seed` starts, made from one of `modules`, of which there must be one.
pub fn case(seed: u64, number: u64, modules: &[Module]) -> Case {
    let mut random = Random::of_series(seed, number);
    let module = random.below(modules.len());
    let mut description = String::new();
    let mut before = modules[module].clone();
    let mut exchange = None;
    if let Some((bytes, exchanged, what)) = exchange_block(&modules[module], modules, &mut random) {
        description = what;
        exchange = Some(exchanged);
        before = Module::new(bytes);
    }
    let mut bytes = before.bytes.clone();
    // Most cases have one damage: the deeper the damage is found, the more code has run before.
    let first = usize::from(description.is_empty());
    let times = first + usize::from(random.below(4) == 0) * random.below(4);
    let mut has_moved = false;
    for _ in 0..times {
        let kind = KINDS[random.below(KINDS.len())];
        damage(kind, &mut bytes, modules, &mut random);
        has_moved |= kind.moves_bytes();
        if !description.is_empty() {
            description.push_str(", ");
        }
        description.push_str(&format!("{kind:?}"));
    }
    // Without blocks, the exchange has left no well-formed container.
    let is_known = !has_moved && (exchange.is_none() || !before.blocks.is_empty());
    Case {
        bytes,
        module,
        description,
        exchange,
        before: is_known.then_some(before),
    }
}

/// In every third case: `base` with one of its blocks replaced by another of the same kind, from any module, or
/// emptied; what was replaced; and a text that describes it.
fn exchange_block(base: &Module, modules: &[Module], random: &mut Random) -> Option<(Vec<u8>, Exchange, String)> {
    if random.below(3) != 0 || base.blocks.is_empty() {
        return None;
    }
    let index = random.below(base.blocks.len());
    let place = &base.blocks[index];
    let other = &modules[random.below(modules.len())];
    let fits = |from: &&blocks::Place| from.id == place.id && from.width == place.width;
    let candidates: Vec<&blocks::Place> = other.blocks.iter().filter(fits).collect();
    let body = base.bytes[place.body.clone()].to_vec();
    let exchange = Exchange { index, body };
    if candidates.is_empty() || random.below(8) == 0 {
        // One word of zeros is the end mark of a block of any width.
        let bytes = blocks::replace(&base.bytes, place, &[0; 4]);
        return Some((bytes, exchange, format!("empty block {}", place.id)));
    }
    let from = candidates[random.below(candidates.len())];
    let bytes = blocks::replace(&base.bytes, place, &other.bytes[from.body.clone()]);
    Some((bytes, exchange, format!("other block {}", place.id)))
}

fn damage(kind: Damage, bytes: &mut Vec<u8>, modules: &[Module], random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    match kind {
        Damage::FlipBits => {
            for _ in 0..=random.below(8) {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
        }
        Damage::Truncate => bytes.truncate(random.below(bytes.len())),
        Damage::Overwrite => {
            let piece = piece(&modules[random.below(modules.len())].bytes, random).to_vec();
            let at = position(bytes.len(), random);
            let length = piece.len().min(bytes.len() - at);
            bytes[at..at + length].copy_from_slice(&piece[..length]);
        }
        Damage::Insert => {
            let piece = piece(&modules[random.below(modules.len())].bytes, random).to_vec();
            let at = position(bytes.len(), random);
            bytes.splice(at..at, piece);
        }
        Damage::Delete => {
            let at = position(bytes.len(), random);
            let length = (1 + random.below(64)).min(bytes.len() - at);
            bytes.drain(at..at + length);
        }
        Damage::ExtremeWord => {
            let at = position(bytes.len(), random) & !3;
            let word = EXTREMES[random.below(EXTREMES.len())].to_le_bytes();
            let length = word.len().min(bytes.len() - at);
            bytes[at..at + length].copy_from_slice(&word[..length]);
        }
        Damage::Swap => {
            let length = 4 * (1 + random.below(16));
            let (a, b) = (position(bytes.len(), random), position(bytes.len(), random));
            let (low, high) = (a.min(b), a.max(b));
            let length = length.min(high - low).min(bytes.len() - high);
            for offset in 0..length {
                bytes.swap(low + offset, high + offset);
            }
        }
    }
}

/// A place in a file of `length` bytes; every second time at the start of a word.
fn position(length: usize, random: &mut Random) -> usize {
    let at = random.below(length);
    if random.below(2) == 0 { at & !3 } else { at }
}

/// A piece of `from`: mostly short, now and then up to a kilobyte.
fn piece<'a>(from: &'a [u8], random: &mut Random) -> &'a [u8] {
    if from.is_empty() {
        return from;
    }
    let limit = if random.below(4) == 0 { 1024 } else { 64 };
    let start = position(from.len(), random);
    let length = (1 + random.below(limit)).min(from.len() - start);
    &from[start..start + length]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modules() -> Vec<Module> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../modules");
        let bitcode = std::fs::read(folder.join("mixed-O2.bc")).unwrap();
        [(0..=255).collect(), vec![7; 1000], vec![1, 2, 3], bitcode]
            .map(Module::new)
            .to_vec()
    }

    #[test]
    fn a_case_can_be_repeated() {
        let modules = modules();
        for number in 0..200 {
            assert_eq!(case(1, number, &modules).bytes, case(1, number, &modules).bytes);
        }
        assert_ne!(case(1, 5, &modules).bytes, case(2, 5, &modules).bytes);
    }

    #[test]
    fn nearly_every_case_is_damaged() {
        let modules = modules();
        let changed = (0..1000)
            .map(|number| case(3, number, &modules))
            .filter(|case| case.bytes != modules[case.module].bytes)
            .count();
        assert!(changed > 800, "{changed}");
    }

    #[test]
    fn blocks_are_repaired_unless_bytes_have_moved() {
        let modules = modules();
        let mut partly = 0;
        for number in 0..1000 {
            let case = case(6, number, &modules);
            let was_moved = |kind: &Damage| kind.moves_bytes() && case.description.contains(&format!("{kind:?}"));
            let functions = case.repaired(|id| id == 12);
            assert_eq!(functions.is_none(), KINDS.iter().any(was_moved), "{}", case.description);
            assert!(case.repaired(|_| false).is_none_or(|bytes| bytes == case.bytes));
            let undamaged = &modules[case.module].bytes;
            partly += usize::from(functions.is_some_and(|bytes| bytes != case.bytes && bytes != *undamaged));
            let is_only_body = case.description == "other block 12" || case.description == "empty block 12";
            assert!(!is_only_body || case.repaired(|id| id == 12).as_ref() == Some(undamaged));
        }
        assert!(partly > 0);
    }

    #[test]
    fn every_kind_occurs() {
        let modules = modules();
        let all: String = (0..400).map(|number| case(4, number, &modules).description).collect();
        for kind in KINDS {
            assert!(all.contains(&format!("{kind:?}")), "{kind:?}");
        }
        assert!(all.contains("other block") && all.contains("empty block"));
    }

    #[test]
    fn empty_modules_are_no_trouble() {
        for number in 0..200 {
            case(5, number, &[Vec::new(), vec![1]].map(Module::new));
        }
    }
}
