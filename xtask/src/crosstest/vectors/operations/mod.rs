//! The operations of generated functions: tables of names with what makes a function of each on a type of vectors.

mod casts;
mod control;
mod floats;
mod integers;
pub mod lanes;
mod memory;
mod predicated;

use super::maker::{Fill, Maker};
use super::types::{Element, Type};

/// What generated functions do, and on which types they can do it.
pub struct Operation {
    /// As LLVM calls it, for the most part.
    pub name: &'static str,
    /// On which elements it works.
    pub accepts: fn(Element) -> bool,
    /// Makes the function.
    pub make: fn(&mut Maker<'_>, &str, Type),
}

type Table = &'static [(
    fn(Element) -> bool,
    fn(&mut Maker<'_>, &str, Type),
    &'static [&'static str],
)];

/// The rows of all tables, in an order that stays.
pub fn all() -> Vec<Operation> {
    let tables: [Table; 7] = [
        integers::TABLE,
        floats::TABLE,
        casts::TABLE,
        lanes::TABLE,
        memory::TABLE,
        control::TABLE,
        predicated::TABLE,
    ];
    let rows = tables.into_iter().flatten();
    let operations = rows.flat_map(|&(accepts, make, names)| {
        let operation = move |&name| Operation { name, accepts, make };
        names.iter().map(operation)
    });
    operations.collect()
}

fn any(_: Element) -> bool {
    true
}

fn is_int(element: Element) -> bool {
    element.int_bits().is_some()
}

fn is_float(element: Element) -> bool {
    element.is_float()
}

/// Integers of more than one bit.
fn is_number(element: Element) -> bool {
    element.int_bits().is_some_and(|bits| bits > 1)
}

fn no_pointer(element: Element) -> bool {
    element != Element::Pointer
}

/// An operand with its type, as arguments of intrinsics are given.
fn argument(ty: Type, operand: String) -> (String, String) {
    (ty.to_string(), operand)
}

/// A constant argument.
fn flag(ty: &str, word: &str) -> (String, String) {
    (ty.to_owned(), word.to_owned())
}

/// A condition for each lane.
fn mask(maker: &mut Maker<'_>, ty: Type) -> String {
    match maker.below(4) {
        0 => ty.truth().literal(maker.random),
        1 => maker.input(ty.truth(), Fill::Any),
        _ => {
            let compared = Type::vector(Element::Int(maker.random.pick(&[8, 16, 32, 64])), ty.lanes);
            let value = maker.input(compared, Fill::Any);
            maker.emit(&format!("icmp slt {compared} {value}, zeroinitializer"))
        }
    }
}

/// A call of the intrinsic of this name whose operands and result have the type.
fn same_type(maker: &mut Maker<'_>, name: &str, ty: Type, operands: Vec<String>) -> String {
    let arguments: Vec<_> = operands.into_iter().map(|operand| argument(ty, operand)).collect();
    maker.call(&ty.to_string(), &format!("llvm.{name}.{}", ty.suffix()), &arguments)
}
