//! What processors can do: the names of features and processors, and sets of features.
//!
//! A target lists both in tables ([`FeatureTable`]). Code for a function may use what the function's processor and its
//! features allow; instructions beyond the target's base are used only then. A feature that a table names need not be
//! used by any rule: code without it runs on every machine that has it.
//!
//! Names are LLVM's, as modules carry them (`target-cpu`, `target-features`).

use frazil_ir::Refusal;
use frazil_support::suggest::nearest;

/// A set of a target's features, by [`Feature::bit`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeatureSet([u128; 2]);

impl FeatureSet {
    /// The set without features.
    pub const EMPTY: FeatureSet = FeatureSet([0; 2]);

    /// The set of some features' bits.
    pub const fn of(bits: &[u8]) -> FeatureSet {
        let mut set = [0; 2];
        let mut index = 0;
        while index < bits.len() {
            set[(bits[index] >> 7) as usize] |= 1u128 << (bits[index] & 127);
            index += 1;
        }
        FeatureSet(set)
    }

    /// Both sets together.
    pub const fn union(self, other: FeatureSet) -> FeatureSet {
        FeatureSet([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }

    /// Features of this set that are not in the other.
    #[must_use]
    pub const fn minus(self, other: FeatureSet) -> FeatureSet {
        FeatureSet([self.0[0] & !other.0[0], self.0[1] & !other.0[1]])
    }

    /// Whether the feature with this bit is in the set.
    #[inline]
    pub const fn has(self, bit: u8) -> bool {
        self.0[(bit >> 7) as usize] >> (bit & 127) & 1 != 0
    }
}

/// A row of a target's table of features.
#[derive(Clone, Copy, Debug)]
pub struct Feature {
    /// LLVM's name, without sign.
    pub name: &'static str,
    /// What it stands for.
    pub summary: &'static str,
    /// Its place in a [`FeatureSet`], any number of a byte.
    pub bit: u8,
    /// The features that every processor with it has, too.
    pub implies: FeatureSet,
}

/// A processor.
#[derive(Clone, Copy, Debug)]
pub struct Cpu {
    /// LLVM's name.
    pub name: &'static str,
    /// What it can do.
    pub features: FeatureSet,
}

/// The features and processors of a target.
#[derive(Clone, Copy, Debug)]
pub struct FeatureTable {
    /// What every processor has. Code relies on it, so none of it can be left out.
    pub base: FeatureSet,
    /// Names that stand for code of another form, such as calls that no processor predicts; none of it is made here.
    pub refused: &'static [&'static str],
    /// All features that have a name.
    pub features: &'static [Feature],
    /// Names that say what is fast or preferred and no more; no rule asks, so code is the same with and without them.
    pub tuning: &'static [&'static str],
    /// All processors that have a name, by each of their names.
    pub cpus: &'static [Cpu],
    /// Names of processors that cannot run code of this target, since their registers are narrower.
    pub narrow_cpus: &'static [&'static str],
    /// Asks the machine that this runs on; `None` if it is of another kind.
    pub native: Option<fn() -> FeatureSet>,
}

/// A name that a table does not have, or a feature that cannot be had or left out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FeatureError {
    /// There is nothing of this name, or not on this machine.
    #[error("{0}")]
    Unknown(String),
    /// A feature that code is not made with, or not without.
    #[error("not supported: {what}")]
    Unsupported {
        /// What is refused.
        refusal: Refusal,
        /// The feature of the processor.
        what: String,
    },
}

impl FeatureError {
    fn unsupported(refusal: Refusal, what: String) -> FeatureError {
        FeatureError::Unsupported { refusal, what }
    }

    /// What is refused, if that is what happened.
    pub fn refusal(&self) -> Option<Refusal> {
        match self {
            FeatureError::Unsupported { refusal, .. } => Some(*refusal),
            FeatureError::Unknown(_) => None,
        }
    }
}

impl FeatureTable {
    /// The table of a target whose processors are all alike.
    pub const EMPTY: FeatureTable = FeatureTable {
        base: FeatureSet::EMPTY,
        refused: &[],
        features: &[],
        tuning: &[],
        cpus: &[],
        narrow_cpus: &[],
        native: None,
    };

    /// The features of a processor; `native` is the one that this runs on.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn cpu(&self, name: &str) -> Result<FeatureSet, FeatureError> {
        if name == "native" {
            let native = self.native.map(|ask| ask().union(self.base));
            return native.ok_or_else(|| FeatureError::Unknown("this machine is no such processor".to_owned()));
        }
        match self.cpus.iter().find(|cpu| cpu.name == name) {
            Some(cpu) => Ok(self.closed(cpu.features.union(self.base))),
            None if self.narrow_cpus.contains(&name) => Err(FeatureError::Unknown(format!(
                "processor `{name}` has no registers of 64 bits"
            ))),
            None => Err(FeatureError::Unknown(unknown(
                "processor",
                name,
                self.cpus.iter().map(|cpu| cpu.name),
            ))),
        }
    }

    /// Adds and takes away the features of a list such as `+popcnt,-bmi`, from left to right. Names that the table
    /// does not have are an error if the user has written them (`strict`), and add nothing else: modules name many
    /// features that no code here depends on.
    ///
    /// # Errors
    /// When a feature of the base is taken away, or a name is not known and `strict` is set.
    pub fn apply(&self, set: FeatureSet, list: &str, strict: bool) -> Result<FeatureSet, FeatureError> {
        let mut set = set;
        for word in list.split(',').filter(|word| !word.is_empty()) {
            let name = word.trim_start_matches(['+', '-']);
            let feature = self.features.iter().find(|feature| feature.name == name);
            match feature {
                Some(feature) if word.starts_with('-') => set = self.without(set, feature)?,
                // A set is always closed.
                Some(feature) if set.has(feature.bit) => {}
                Some(feature) => set = self.closed(set.union(FeatureSet::of(&[feature.bit]))),
                None if word.starts_with('+') && self.refused.contains(&name) => {
                    let what = format!("feature {name}");
                    return Err(FeatureError::unsupported(Refusal::ProcessorFeature, what));
                }
                None if strict && !self.refused.contains(&name) && !self.tuning.contains(&name) => {
                    let names = self.features.iter().map(|feature| feature.name);
                    let names = names.chain(self.tuning.iter().copied());
                    return Err(FeatureError::Unknown(unknown("feature", name, names)));
                }
                None => {}
            }
        }
        Ok(set)
    }

    /// The set and all that it implies.
    fn closed(&self, set: FeatureSet) -> FeatureSet {
        let mut closed = set;
        // Chains of implications are short, and a table may be in any order.
        loop {
            let before = closed;
            for feature in self.features.iter().filter(|feature| before.has(feature.bit)) {
                closed = closed.union(feature.implies);
            }
            if closed == before {
                return closed;
            }
        }
    }

    /// The set without a feature and without those that imply it.
    fn without(&self, set: FeatureSet, feature: &Feature) -> Result<FeatureSet, FeatureError> {
        if self.base.has(feature.bit) {
            let what = format!("code without feature {}", feature.name);
            return Err(FeatureError::unsupported(Refusal::ProcessorFeature, what));
        }
        let implying = self
            .features
            .iter()
            .filter(|other| self.closed(FeatureSet::of(&[other.bit])).has(feature.bit));
        let gone = implying.fold(FeatureSet::of(&[feature.bit]), |gone, other| {
            gone.union(FeatureSet::of(&[other.bit]))
        });
        Ok(set.minus(gone))
    }
}

fn unknown<'a>(kind: &str, name: &str, names: impl Iterator<Item = &'a str>) -> String {
    let hint = nearest(name, names).map_or(String::new(), |nearest| format!("; did you mean `{nearest}`?"));
    format!("unknown {kind} `{name}`{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: Feature = Feature {
        name: "base",
        summary: "",
        bit: 0,
        implies: FeatureSet::EMPTY,
    };
    const TABLE: FeatureTable = FeatureTable {
        base: FeatureSet::of(&[0]),
        refused: &["hard"],
        features: &[
            ROW,
            Feature {
                name: "more",
                bit: 1,
                implies: FeatureSet::of(&[2]),
                ..ROW
            },
            Feature {
                name: "some",
                bit: 2,
                ..ROW
            },
        ],
        tuning: &["quick"],
        cpus: &[Cpu {
            name: "fast",
            features: FeatureSet::of(&[1]),
        }],
        narrow_cpus: &["old"],
        native: None,
    };

    #[test]
    fn what_a_feature_implies_comes_and_goes_with_it() {
        let all = FeatureSet::of(&[0, 1, 2]);
        assert_eq!(TABLE.cpu("fast"), Ok(all));
        assert_eq!(TABLE.apply(TABLE.base, "+more,+unheard-of", false), Ok(all));
        assert_eq!(TABLE.apply(all, "-some", true), Ok(TABLE.base));
        assert_eq!(TABLE.apply(all, "-more,", true), Ok(FeatureSet::of(&[0, 2])));
    }

    #[test]
    fn sets_hold_any_bit() {
        for bit in 0..=u8::MAX {
            let set = FeatureSet::of(&[bit]);
            assert!((0..=u8::MAX).all(|other| set.has(other) == (other == bit)));
            assert_eq!(set.union(FeatureSet::of(&[3])).minus(set).has(3), bit != 3);
        }
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        let error = |result: Result<FeatureSet, FeatureError>| result.expect_err("refused").to_string();
        assert_eq!(
            error(TABLE.cpu("fest")),
            "unknown processor `fest`; did you mean `fast`?"
        );
        assert_eq!(
            error(TABLE.apply(TABLE.base, "+mor", true)),
            "unknown feature `mor`; did you mean `more`?"
        );
        assert_eq!(
            error(TABLE.apply(TABLE.base, "-base", false)),
            "not supported: code without feature base"
        );
        assert_eq!(
            error(TABLE.apply(TABLE.base, "+hard", false)),
            "not supported: feature hard"
        );
        assert_eq!(TABLE.apply(TABLE.base, "-hard,+quick", true), Ok(TABLE.base));
        assert_eq!(error(TABLE.cpu("old")), "processor `old` has no registers of 64 bits");
        assert_eq!(error(TABLE.cpu("native")), "this machine is no such processor");
    }
}
