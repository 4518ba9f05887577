//! Follows a function: where it ends, and what it writes until then.
//!
//! ```text
//! f:    test  rdi, rdi
//!       je    1f               the furthest branch so far leads to 1
//!       mov   rax, [rdi]
//!       ret                    not the end: 1 is further
//! 1:    jmp   g                out of the function, and nothing leads past it: the end
//! ```
//!
//! Method: instructions are decoded one after the other, also those that control may not reach, so that every place in
//! between is known. A branch to a place after the start, within 4,096 bytes and within the function if the symbol
//! has a size, leads on in it; where it leads must be the start of an instruction that was decoded. Any other branch or
//! jump leaves the function. What is called or jumped to in the same object is followed in the same way, up to a depth.

use crate::machine::{Decoded, Flow, Machine};
use crate::object::{Object, Place, Target};
use frazil_codegen::PRegSet;

/// Functions that are longer are not followed. DynamoRIO's bound for forward branches.
const MOST_BYTES: u64 = 4096;

/// So deep are calls followed.
const MOST_DEPTH: u32 = 16;

/// What follows a function and those that it calls.
pub(crate) struct Walk<'a> {
    object: &'a Object<'a>,
    machine: &'static Machine,
    /// The functions that were looked at, or are being looked at.
    pub seen: Vec<Place>,
    /// What all of them write.
    pub written: PRegSet,
}

/// One function that is followed.
struct Function<'a> {
    section: usize,
    start: u64,
    /// Branches to places from here on leave it.
    bound: u64,
    code: &'a [u8],
    at: u64,
    /// The furthest place that it branches to.
    furthest: u64,
    /// Where instructions start, ascending.
    starts: Vec<u64>,
    targets: Vec<u64>,
}

impl<'a> Walk<'a> {
    /// For functions of an object, none of which was followed yet.
    pub fn new(object: &'a Object<'a>, machine: &'static Machine) -> Walk<'a> {
        Walk {
            object,
            machine,
            seen: Vec::new(),
            written: PRegSet::EMPTY,
        }
    }

    /// Follows a function; how many bytes of it, and why what it writes is not known, if that is so.
    pub fn follow(&mut self, place: Place, depth: u32) -> (u64, Result<(), String>) {
        self.seen.push(place);
        let Some(code) = self.object.code(place.section) else {
            return (0, Err("it is in no section of code".to_owned()));
        };
        let mut function = Function {
            section: place.section,
            start: place.offset,
            bound: place.offset.saturating_add(match self.object.size_at(place) {
                0 => MOST_BYTES,
                size => size.min(MOST_BYTES),
            }),
            code,
            at: place.offset,
            furthest: place.offset,
            starts: Vec::new(),
            targets: Vec::new(),
        };
        let outcome = self.instructions(&mut function, depth);
        (function.at - function.start, outcome)
    }

    fn instructions(&mut self, function: &mut Function<'_>, depth: u32) -> Result<(), String> {
        loop {
            let decoded = self.next(function)?;
            self.written = self.written.union(decoded.written);
            let ends = match self.target(function, &decoded)? {
                None => matches!(decoded.flow, Flow::Return | Flow::Stop),
                Some(Target::Elsewhere(name)) => return Err(leaves(&decoded.flow, &name)),
                Some(Target::Here(place)) => {
                    let is_call = matches!(decoded.flow, Flow::Call(_));
                    let is_inside =
                        place.section == function.section && (function.start..function.bound).contains(&place.offset);
                    if is_inside && !is_call {
                        function.furthest = function.furthest.max(place.offset);
                        function.targets.push(place.offset);
                    } else {
                        self.other(place, depth)?;
                    }
                    matches!(decoded.flow, Flow::Jump(_))
                }
            };
            function.at += decoded.bytes;
            if ends && function.at > function.furthest {
                break;
            }
        }
        let is_start = |target: &u64| function.starts.binary_search(target).is_ok();
        match function.targets.iter().all(is_start) {
            true => Ok(()),
            false => Err("it branches into the middle of an instruction".to_owned()),
        }
    }

    fn next(&mut self, function: &mut Function<'_>) -> Result<Decoded, String> {
        if function.at - function.start >= MOST_BYTES {
            return Err(format!("it is longer than {MOST_BYTES} bytes"));
        }
        let rest = usize::try_from(function.at).ok().and_then(|at| function.code.get(at..));
        let Some(rest) = rest.filter(|rest| !rest.is_empty()) else {
            return Err("it has no end".to_owned());
        };
        function.starts.push(function.at);
        (self.machine.decode)(rest, function.at)
    }

    /// Where an instruction leads, if it is a branch of any kind.
    fn target(&self, function: &Function<'_>, decoded: &Decoded) -> Result<Option<Target>, String> {
        let (Flow::Branch(offset) | Flow::Jump(offset) | Flow::Call(offset)) = decoded.flow else {
            return Ok(None);
        };
        let inst = function.at..function.at + decoded.bytes;
        let section = function.section;
        match self.object.relocated_target(section, inst, self.machine)? {
            Some(target) => Ok(Some(target)),
            None => Ok(Some(Target::Here(Place { section, offset }))),
        }
    }

    /// Another function of the object.
    fn other(&mut self, place: Place, depth: u32) -> Result<(), String> {
        if self.seen.contains(&place) {
            return Ok(());
        }
        if depth == MOST_DEPTH {
            return Err(format!(
                "it calls functions that call others, more than {MOST_DEPTH} deep"
            ));
        }
        self.follow(place, depth + 1).1
    }
}

fn leaves(flow: &Flow, name: &str) -> String {
    let how = if matches!(flow, Flow::Call(_)) {
        "calls"
    } else {
        "goes on in"
    };
    format!("it {how} `{name}`, which another object may define")
}
