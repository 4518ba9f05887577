//! Sets of nodes that stay together: union by the lower number, with path halving.

/// Disjoint sets of numbers.
#[derive(Debug)]
pub struct Groups {
    parents: Vec<u32>,
}

impl Groups {
    /// Each of `count` numbers on its own.
    pub fn new(count: usize) -> Groups {
        Groups {
            parents: (0..count as u32).collect(),
        }
    }

    /// The lowest number of the set.
    pub fn root(&mut self, number: usize) -> usize {
        let mut number = number;
        loop {
            let parent = self.parent(number);
            if parent == number {
                return number;
            }
            let above = self.parent(parent);
            if let Some(slot) = self.parents.get_mut(number) {
                *slot = above as u32;
            }
            number = above;
        }
    }

    fn parent(&self, number: usize) -> usize {
        self.parents.get(number).map_or(number, |&parent| parent as usize)
    }

    /// Makes one set of those of two numbers.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if let Some(slot) = self.parents.get_mut(a.max(b)) {
            *slot = a.min(b) as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_named_by_their_lowest_number() {
        let mut groups = Groups::new(6);
        for (a, b) in [(5, 3), (4, 5), (1, 2)] {
            groups.join(a, b);
        }
        let roots: Vec<usize> = (0..6).map(|number| groups.root(number)).collect();
        assert_eq!(roots, [0, 1, 1, 3, 3, 3]);
    }
}
