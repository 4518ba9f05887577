//! Places of arguments that were found for calls before, by signature.
//!
//! Method: a table in which each signature of the function's list has one row, which it shares with others; the last
//! one of them has it. Lists stay as they are from function to function, so that most calls find their row filled. Only
//! signatures of primitive types are kept, whose places depend on nothing of the function.
//!
//! Invariant: a row's layout is that of its signature in the list with the noted identity.

use crate::abi::ArgLayout;
use crate::desc::ConvDesc;
use frazil_ir::{EntityRef, Function, SigId, Signature, TableIdentity, Type};

/// How many signatures can be known at a time; nine of ten calls of SQLite find theirs.
const ROWS: usize = 256;

/// What a row's places were found for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    sig: SigId,
    conv: &'static ConvDesc,
    stack_align: u32,
}

impl Key {
    /// The key of a call in a convention, from a function with this alignment of the stack.
    #[inline]
    pub fn new(sig: SigId, conv: &'static ConvDesc, stack_align: u32) -> Key {
        Key { sig, conv, stack_align }
    }

    #[inline]
    fn row(self) -> usize {
        self.sig.index() % ROWS
    }

    #[inline]
    fn is(self, other: Key) -> bool {
        self.sig == other.sig && std::ptr::eq(self.conv, other.conv) && self.stack_align == other.stack_align
    }
}

/// The layouts that are known.
#[derive(Debug, Default)]
pub(super) struct Layouts {
    /// The list of signatures that keys are of.
    list: Option<TableIdentity>,
    rows: Vec<Option<(Key, Box<ArgLayout>)>>,
}

impl Layouts {
    /// Starts a function: what is known of another list of signatures is forgotten.
    pub fn begin(&mut self, function: &Function) {
        let identity = function.types().identity();
        if self.list.as_ref() != Some(identity) {
            self.list = Some(identity.note());
            self.rows.clear();
            self.rows.resize_with(ROWS, || None);
        }
    }

    /// Takes the layout of a signature out, and says whether it is known; else it is memory for one.
    #[inline]
    pub fn take(&mut self, key: Key) -> (Box<ArgLayout>, bool) {
        match self.rows.get_mut(key.row()).and_then(Option::take) {
            Some((known, layout)) => (layout, known.is(key)),
            None => (Box::default(), false),
        }
    }

    /// Puts a layout where it is found again.
    #[inline]
    pub fn put(&mut self, key: Key, layout: Box<ArgLayout>) {
        if let Some(row) = self.rows.get_mut(key.row()) {
            *row = Some((key, layout));
        }
    }
}

/// Whether the places for a signature follow from it alone.
pub(super) fn is_kept(signature: &Signature) -> bool {
    let is_primitive = |ty: Type| ty.index() < usize::from(Type::FIRST_EXTRA);
    let mut types = signature.params.iter().chain(&signature.returns).map(|param| param.ty);
    signature.keeps.is_none() && types.all(is_primitive)
}
