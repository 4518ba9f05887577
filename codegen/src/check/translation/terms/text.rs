//! Texts of terms, to be read by people.

use super::{Tag, Term, Terms, coefficient};

impl Terms {
    /// A text of a term, of which `depth` levels are shown; deeper terms appear by their numbers.
    pub(in crate::check::translation) fn text(&self, term: Term, depth: u32) -> String {
        let node = self.node(term);
        if depth == 0 {
            return format!("t{}", term.0);
        }
        let inner = |arg: u32| self.text(Term(arg), depth - 1);
        let args = self.args(term);
        match node.tag {
            Tag::Symbol => {
                let origins = ["entry", "phi", "event", "undefined", "frame", "reference", "restored"];
                let [_, a, b, c] = node.data;
                format!("{}({a},{b},{c})", origins[node.data[0] as usize])
            }
            Tag::Constant => format!("{:#x}", self.as_constant(term).unwrap_or(0)),
            Tag::Part => format!(
                "{}[{}..{}]",
                inner(args[0]),
                node.data[0],
                node.data[0] + u32::from(node.width)
            ),
            Tag::Concat => {
                let pieces: Vec<String> = args.iter().rev().map(|&arg| inner(arg)).collect();
                format!("({})", pieces.join(" : "))
            }
            Tag::Sum => {
                let constant = u64::from(node.data[0]) | u64::from(node.data[1]) << 32;
                let shift = 64 - node.width.min(64);
                let mut text = format!("({}", (constant << shift).cast_signed() >> shift);
                for arg in args.chunks_exact(3) {
                    text.push_str(&format!(" + {}*{}", coefficient(arg), inner(arg[0])));
                }
                text + ")"
            }
            Tag::SignExtend => format!("sext{}({})", node.width, inner(args[0])),
            Tag::Choice => {
                let candidates: Vec<String> = args.iter().map(|&arg| inner(arg)).collect();
                format!("one of {{{}}}", candidates.join(", "))
            }
            Tag::Apply => {
                let args: Vec<String> = args.iter().map(|&arg| inner(arg)).collect();
                format!("f{:?}({})", node.data, args.join(", "))
            }
        }
    }
}
