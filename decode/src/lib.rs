//! What functions overwrite that are there as machine code only: hooks in an object that another compiler has made.
//!
//! [`Object::look`] finds a function in the object's symbol table and follows it, as DynamoRIO's analysis of clean
//! calls does: instructions are decoded one after the other, by decoders that others have written, up to the return or
//! jump out of the function that no forward branch leads past. The registers that they write are what a call of the
//! function overwrites, at most all that its convention allows. Functions of the same object that it calls or jumps to
//! count as parts of it. Where that cannot be known (a call of what is elsewhere, a computed jump, bytes that are no
//! instruction, an instruction whose effects are not all registers), the function overwrites what the convention
//! allows, and [`Found::registers`] says why.
//!
//! Everything here may only err on the side of more registers: what is not recognized is overwritten.

#[cfg(feature = "aarch64")]
mod aarch64;
mod found;
mod machine;
mod machines;
mod object;
#[cfg(test)]
mod tests;
mod walk;
#[cfg(feature = "x86")]
mod x86;

pub use found::Found;
pub use object::Object;
