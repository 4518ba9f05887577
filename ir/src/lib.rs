//! Frazil's SSA intermediate representation: text form, verifier, interpreter.
