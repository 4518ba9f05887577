//! Memory that is kept from use to use and lent out meanwhile.
//!
//! A method that fills a table of its own object, and then calls other methods of that object while it reads the table,
//! takes the table out and puts it back. [`Lent`] keeps it in a box, so that a pointer moves and not the table.

use std::ops::{Deref, DerefMut};

/// A table that is here, or lent out.
#[derive(Debug)]
pub(crate) struct Lent<T>(Option<Box<T>>);

impl<T: Default> Default for Lent<T> {
    fn default() -> Self {
        Lent(Some(Box::default()))
    }
}

impl<T: Default> Lent<T> {
    /// Takes the table out; a new one if it is lent out already.
    #[inline]
    pub(crate) fn take(&mut self) -> Box<T> {
        self.0.take().unwrap_or_default()
    }

    /// Puts the table back.
    #[inline]
    pub(crate) fn put(&mut self, table: Box<T>) {
        self.0 = Some(table);
    }
}

impl<T> Deref for Lent<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().expect("the table was put back")
    }
}

impl<T> DerefMut for Lent<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_deref_mut().expect("the table was put back")
    }
}
