//! Frazil: a fast compiler back end. The library behind the `frazil` command.
