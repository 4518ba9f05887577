//! What is known at a point of a function: what places hold, and which values variables have.

use crate::check::flow::{Name, Place};

/// What is known at a point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// Which places hold which names, ascending.
    pub held: Vec<(Place, Name)>,
    /// Which variables have which values, by their numbers, ascending.
    pub bound: Vec<(u32, u32)>,
}

impl State {
    /// Says that a place holds a name.
    pub fn add(&mut self, place: Place, name: Name) {
        if let Err(at) = self.held.binary_search(&(place, name)) {
            self.held.insert(at, (place, name));
        }
    }

    /// Says that nothing is known of a place.
    pub fn lose_place(&mut self, place: Place) {
        self.held.retain(|pair| pair.0 != place);
    }

    /// Keeps what another state has, too; says whether anything was lost.
    pub fn meet(&mut self, other: &State) -> bool {
        let before = (self.held.len(), self.bound.len());
        self.held.retain(|pair| other.held.binary_search(pair).is_ok());
        self.bound.retain(|pair| other.bound.binary_search(pair).is_ok());
        before != (self.held.len(), self.bound.len())
    }
}

/// The places that hold a name.
pub(super) fn holders(state: &State, name: Name) -> impl Iterator<Item = Place> + '_ {
    state.held.iter().filter(move |pair| pair.1 == name).map(|pair| pair.0)
}
