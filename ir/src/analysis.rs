//! Analyses: facts about a function that several passes use, computed on demand and kept while they hold.
//!
//! Method: a worker has one [`AnalysisCache`]. An analysis is computed when a pass first asks for it, and stays until
//! a pass says that it did not preserve it ([`crate::pass::Preserved`]) or the next function begins; its memory is then
//! used again. Asking takes `&self`, so that a pass may hold several analyses while it changes the function.
//!
//! Invariant: within a pass, an analysis describes the function as it was when the pass, or an earlier one, first asked
//! for it. It is never computed anew before the pass is over; a pass that needs fresh facts about what it changed
//! computes them in its own scratch memory.

use crate::domtree::DomTree;
use crate::function::Function;
use std::any::{Any, TypeId};
use std::cell::{OnceCell, RefCell};

/// Facts about a function.
///
/// Equality is that of the facts: memory that is only used while computing must not count.
pub trait Analysis: Default + PartialEq + Send + 'static {
    /// The name in messages.
    const NAME: &'static str;
    /// Whether it depends on nothing but blocks and edges, so that it survives changes of instructions.
    const CFG_ONLY: bool;
    /// Computes it for a function, in the memory that it has from earlier functions.
    fn compute(&mut self, function: &Function);
}

impl Analysis for DomTree {
    const NAME: &'static str = "dominators";
    const CFG_ONLY: bool = true;

    fn compute(&mut self, function: &Function) {
        DomTree::compute(self, &function.cfg, function.blocks.len());
    }
}

/// A set of analyses: all, those of the control-flow graph, or none, and a few by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnalysisSet {
    family: Family,
    named: [Option<TypeId>; 4],
}

/// The part of a set that needs no names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    None,
    CfgOnly,
    All,
}

impl AnalysisSet {
    /// No analysis.
    pub const NONE: AnalysisSet = AnalysisSet::of_family(Family::None);
    /// Those that depend on nothing but blocks and edges.
    pub const CFG: AnalysisSet = AnalysisSet::of_family(Family::CfgOnly);
    /// All analyses.
    pub const ALL: AnalysisSet = AnalysisSet::of_family(Family::All);

    const fn of_family(family: Family) -> AnalysisSet {
        AnalysisSet {
            family,
            named: [None; 4],
        }
    }

    /// The set and one more analysis. There is room for four; what has no room is left out, which costs time only.
    #[must_use]
    pub fn with<A: Analysis>(mut self) -> AnalysisSet {
        if let Some(place) = self.named.iter_mut().find(|place| place.is_none()) {
            *place = Some(TypeId::of::<A>());
        }
        self
    }

    fn contains(&self, slot: &Slot) -> bool {
        match self.family {
            Family::All => true,
            Family::CfgOnly if slot.cfg_only => true,
            _ => self.named.contains(&Some(slot.id)),
        }
    }
}

/// Different analyses that passes may use; built-in ones are a handful.
const MOST_ANALYSES: usize = 32;

/// The analyses of the function that a worker works on.
#[derive(Default)]
pub struct AnalysisCache {
    slots: [OnceCell<Slot>; MOST_ANALYSES],
    /// Analyses that hold no more, for their memory.
    spare: RefCell<Vec<Slot>>,
}

/// An analysis and what must be known of it without its type.
struct Slot {
    id: TypeId,
    name: &'static str,
    cfg_only: bool,
    analysis: Box<dyn Any + Send>,
    /// Whether the analysis, computed anew, is what it was.
    holds: fn(&dyn Any, &Function) -> bool,
}

impl Slot {
    fn new<A: Analysis>() -> Slot {
        Slot {
            id: TypeId::of::<A>(),
            name: A::NAME,
            cfg_only: A::CFG_ONLY,
            analysis: Box::<A>::default(),
            holds: |analysis, function| {
                let mut anew = A::default();
                anew.compute(function);
                analysis.downcast_ref::<A>() == Some(&anew)
            },
        }
    }

    fn as_analysis<A: Analysis>(&self) -> &A {
        self.analysis.downcast_ref().expect("slots are found by type")
    }
}

impl AnalysisCache {
    /// An analysis of `function`, which must be the one that the cache is for.
    ///
    /// # Panics
    /// When passes use more than 32 different analyses.
    pub fn get<A: Analysis>(&self, function: &Function) -> &A {
        let id = TypeId::of::<A>();
        for place in &self.slots {
            match place.get() {
                Some(slot) if slot.id == id => return slot.as_analysis(),
                Some(_) => {}
                None => return place.get_or_init(|| self.computed::<A>(function)).as_analysis(),
            }
        }
        panic!("more than {MOST_ANALYSES} analyses are in use");
    }

    fn computed<A: Analysis>(&self, function: &Function) -> Slot {
        let mut spare = self.spare.borrow_mut();
        let place = spare.iter().position(|slot| slot.id == TypeId::of::<A>());
        let mut slot = place.map_or_else(Slot::new::<A>, |place| spare.swap_remove(place));
        let analysis: Option<&mut A> = slot.analysis.downcast_mut();
        analysis.expect("slots are found by type").compute(function);
        slot
    }

    /// Forgets the analyses that are not in `kept`.
    pub fn retain(&mut self, kept: AnalysisSet) {
        if kept.family == Family::All {
            return;
        }
        let spare = self.spare.get_mut();
        let mut free = 0;
        for index in 0..MOST_ANALYSES {
            let Some(slot) = self.slots[index].take() else { break };
            if kept.contains(&slot) {
                self.slots[free] = OnceCell::from(slot);
                free += 1;
            } else {
                spare.push(slot);
            }
        }
    }

    /// Forgets everything: another function comes, or unknown changes were made.
    pub fn clear(&mut self) {
        self.retain(AnalysisSet::NONE);
    }

    /// The name of an analysis that is kept but is not what computing it anew gives.
    pub fn find_stale(&self, function: &Function) -> Option<&'static str> {
        let mut slots = self.slots.iter().map_while(OnceCell::get);
        slots
            .find(|slot| !(slot.holds)(&*slot.analysis, function))
            .map(|slot| slot.name)
    }
}

impl std::fmt::Debug for AnalysisCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.slots.iter().map_while(OnceCell::get).map(|slot| slot.name);
        f.debug_list().entries(names).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts instructions, and how often it was computed.
    #[derive(Default)]
    struct Size {
        insts: usize,
        computed: u32,
    }

    impl PartialEq for Size {
        fn eq(&self, other: &Size) -> bool {
            self.insts == other.insts
        }
    }

    impl Analysis for Size {
        const NAME: &'static str = "size";
        const CFG_ONLY: bool = false;

        fn compute(&mut self, function: &Function) {
            self.insts = function.insts.len();
            self.computed += 1;
        }
    }

    fn function(text: &str) -> Function {
        crate::text::parse_module(text).expect("parses").1.remove(0)
    }

    #[test]
    fn an_analysis_is_computed_once_and_again_when_it_was_not_kept() {
        let function = function("func @f() {\nb0: jump b1\nb1: return\n}");
        let mut cache = AnalysisCache::default();
        let dominators = cache.get::<DomTree>(&function);
        assert_eq!(dominators.reverse_postorder().count(), 2);
        assert_eq!(cache.get::<Size>(&function).computed, 1);
        assert_eq!(cache.get::<Size>(&function).computed, 1);
        cache.retain(AnalysisSet::NONE.with::<Size>());
        assert_eq!(format!("{cache:?}"), "[\"size\"]");
        cache.retain(AnalysisSet::CFG);
        assert_eq!(format!("{cache:?}"), "[]");
        let again = cache.get::<Size>(&function);
        assert_eq!(again.computed, 2, "its memory is used again");
    }

    #[test]
    fn what_holds_no_more_is_named() {
        let before = function("func @f() {\nb0: jump b1\nb1: return\n}");
        let after = function("func @f() {\nb0: return\n}");
        let mut cache = AnalysisCache::default();
        cache.get::<DomTree>(&before);
        cache.get::<Size>(&before);
        assert_eq!(cache.find_stale(&before), None);
        assert_eq!(cache.find_stale(&after), Some("dominators"));
        cache.retain(AnalysisSet::NONE.with::<Size>());
        assert_eq!(cache.find_stale(&after), Some("size"));
        cache.clear();
        assert_eq!(cache.find_stale(&after), None);
    }
}
