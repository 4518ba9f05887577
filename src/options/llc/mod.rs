//! The command line of llc, brought to that of Frazil.
//!
//! Called by llc's name, the program takes what build systems and LLVM's tests say to llc. Each option is one of four:
//! Frazil has it; it changes nothing here and is left out with a note ([`mod@harmless`]); it asks for what is done
//! anyway, and is left out; or it is refused with what it does and what to use instead ([`table`]). What is none of
//! them is refused with the nearest name. Nothing is left out without a word but what is done anyway.

mod harmless;
mod table;

use crate::diagnostics::{Error, Stage};
use clap::{Arg, ArgAction, Command};
use frazil_support::suggest::nearest;
use harmless::{harmless, wrong_value};
use std::ffi::{OsStr, OsString};
use table::{Answer, REFUSED, Refused, Takes, VALUES};

/// The command line for Frazil, and a note on what was left out of it.
pub(crate) struct Translated {
    pub words: Vec<OsString>,
    pub note: Option<String>,
}

/// Takes a command line of llc, without the program's name and with files of words replaced by their words.
///
/// # Errors
/// When an option is not taken.
pub(crate) fn translate(words: Vec<OsString>, command: &Command) -> Result<Translated, Error> {
    let mut translation = Translation {
        command,
        words: Vec::new(),
        left_out: Vec::new(),
        is_quiet: false,
    };
    let mut rest = words.into_iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            translation.words.push(word);
            translation.words.extend(rest);
            break;
        }
        match word.to_str().and_then(Spelled::of) {
            Some(option) => translation.take(&word, &option, &mut rest)?,
            None => translation.words.push(word),
        }
    }
    let note = (!translation.is_quiet && !translation.left_out.is_empty()).then(|| note(&translation.left_out));
    Ok(Translated {
        words: translation.words,
        note,
    })
}

/// An option as it is written.
struct Spelled<'a> {
    name: &'a str,
    value: Option<&'a str>,
}

impl<'a> Spelled<'a> {
    /// The option that a word is, with one dash or two.
    fn of(word: &'a str) -> Option<Spelled<'a>> {
        let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
        let (name, value) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (name, None),
        };
        // A level may follow its letter at once.
        match name.strip_prefix('O') {
            Some(level) if level.len() == 1 && value.is_none() => Some(Spelled {
                name: "O",
                value: Some(level),
            }),
            _ => (!name.is_empty()).then_some(Spelled { name, value }),
        }
    }
}

struct Translation<'a> {
    command: &'a Command,
    words: Vec<OsString>,
    /// What was left out, and why that changes nothing.
    left_out: Vec<(String, &'static str)>,
    /// Whether the note is not wanted.
    is_quiet: bool,
}

impl Translation<'_> {
    fn take(
        &mut self,
        word: &OsStr,
        option: &Spelled<'_>,
        rest: &mut impl Iterator<Item = OsString>,
    ) -> Result<(), Error> {
        let name = option.name;
        match name {
            "w" | "W" | "no-warn" => self.is_quiet = is_true(option)?,
            "h" | "help" | "help-hidden" | "help-list" | "help-list-hidden" => self.words.push("--help".into()),
            "x" => match value(option, rest)?.to_str() {
                Some("ir") => {}
                _ => {
                    return Err(refused(
                        word,
                        "reads machine code as text",
                        "write text of LLVM's IR, or .fzl",
                    ));
                }
            },
            _ => {
                if let Some((_, kind)) = DEBUG_SECTIONS.iter().find(|row| row.0 == name) {
                    return self.take_debug_sections(kind, option);
                }
                if let Some(own) = find(self.command, name) {
                    return self.take_own(own, option, rest);
                }
                if let Some(row) = REFUSED.iter().find(|row| row.is_named(name)) {
                    return take_refused(row, word, option, rest);
                }
                let Some((why, takes)) = harmless(name) else {
                    return Err(self.unknown(word, name));
                };
                let mut said = word.to_string_lossy().into_owned();
                match (takes, option.value) {
                    (Takes::Flag, _) => drop(is_true(option)?),
                    (Takes::Value, None) => {
                        let value = value(option, rest)?;
                        said = format!("{said} {}", value.to_string_lossy());
                        expect_value(name, &value)?;
                    }
                    (Takes::Value, Some(value)) => expect_value(name, value.as_ref())?,
                    _ => {}
                }
                self.left_out.push((said, why));
            }
        }
        Ok(())
    }

    /// An option that Frazil has.
    fn take_own(
        &mut self,
        own: &Arg,
        option: &Spelled<'_>,
        rest: &mut impl Iterator<Item = OsString>,
    ) -> Result<(), Error> {
        let name = option.name;
        let full = match own.get_long() {
            Some(long) => OsString::from(format!("--{long}")),
            None => OsString::from(format!("-{name}")),
        };
        if !takes_value(own) || own.is_require_equals_set() && is_true(option).is_ok() {
            // The last word counts.
            self.words.retain(|word| *word != full);
            if is_true(option)? {
                self.words.push(full);
            }
            return Ok(());
        }
        let value = value(option, rest)?;
        let value = match value.to_str() {
            Some(text) => match VALUES.iter().find(|row| (row.0, row.1) == (name, text)) {
                Some((_, _, Answer::Same(ours))) => (*ours).into(),
                Some((_, _, Answer::Refused(does, instead))) => {
                    let message = format!("-{name}={text}: not supported: this value {does}; {instead}");
                    return Err(Error::new(Stage::Options, message));
                }
                None if name == "mattr" => with_signs(text).into(),
                None => value,
            },
            None => value,
        };
        // llc takes an empty name as none at all.
        if value.is_empty() && EMPTY_IS_NONE.contains(&name) {
            return Ok(());
        }
        let mut whole = full;
        if own.get_long().is_some() {
            whole.push("=");
        }
        whole.push(value);
        self.words.push(whole);
        Ok(())
    }

    /// A kind of debug sections, of which llc has an option for each; the last word counts.
    fn take_debug_sections(&mut self, kind: &str, option: &Spelled<'_>) -> Result<(), Error> {
        let word = OsString::from(format!("--debug-sections={kind}"));
        self.words.retain(|other| *other != word);
        if is_true(option)? {
            self.words.push(word);
        }
        Ok(())
    }

    /// What is no option at all, or one of those of llc of which it is not known what they change.
    fn unknown(&self, word: &OsStr, name: &str) -> Error {
        let own = self.command.get_arguments().flat_map(names_of);
        let mut all: Vec<String> = own.collect();
        all.extend(REFUSED.iter().map(|row| row.name.to_owned()));
        all.extend(harmless::names().map(str::to_owned));
        all.extend(DEBUG_SECTIONS.iter().map(|row| row.0.to_owned()));
        let hint = nearest(name, all.iter().map(String::as_str))
            .map_or(String::new(), |near| format!("; did you mean `-{near}`?"));
        let message = format!(
            "{}: no option that frazil-llc knows{hint} (--help lists its own, docs/llc.md what it takes of llc's)",
            word.display()
        );
        Error::new(Stage::Options, message)
    }
}

/// Options for debug sections that are kinds of one option here.
const DEBUG_SECTIONS: &[(&str, &str)] = &[
    ("force-dwarf-frame-section", "frames"),
    ("generate-arange-section", "aranges"),
    ("generate-type-units", "type-units"),
];

/// Options without which an empty value is the same.
const EMPTY_IS_NONE: &[&str] = &["mcpu", "mattr", "mtriple", "march"];

/// What is told about an option of llc to those who call the program by its own name, if it is one.
pub(crate) fn hint(word: &str) -> Option<Error> {
    let name = Spelled::of(word)?.name;
    let is_refused = REFUSED.iter().any(|row| row.is_named(name));
    let is_kind = DEBUG_SECTIONS.iter().any(|row| row.0 == name);
    (is_refused || is_kind || harmless(name).is_some()).then(|| {
        let message = format!(
            "-{name} is an option of llc: called by the name frazil-llc, this program takes llc's options, or says \
             what to use instead"
        );
        Error::new(Stage::Options, message)
    })
}

/// The option of this long name, or of this letter.
fn find<'c>(command: &'c Command, name: &str) -> Option<&'c Arg> {
    command
        .get_arguments()
        .find(|option| names_of(option).any(|known| known == name))
}

fn names_of(option: &Arg) -> impl Iterator<Item = String> {
    let letter = option.get_short().map(String::from);
    let long = option.get_long().map(str::to_owned);
    let aliases = option.get_all_aliases().unwrap_or_default();
    let aliases = aliases.into_iter().map(str::to_owned);
    letter.into_iter().chain(long).chain(aliases)
}

fn takes_value(option: &Arg) -> bool {
    matches!(option.get_action(), ArgAction::Set | ArgAction::Append)
}

/// The value of an option, which may be the next word.
fn value(option: &Spelled<'_>, rest: &mut impl Iterator<Item = OsString>) -> Result<OsString, Error> {
    let given = option.value.map(OsString::from).or_else(|| rest.next());
    given.ok_or_else(|| Error::new(Stage::Options, format!("-{}: a value must follow", option.name)))
}

/// The truth value of an option that needs none, as LLVM reads it.
fn is_true(option: &Spelled<'_>) -> Result<bool, Error> {
    match option.value {
        None | Some("" | "1" | "true" | "TRUE" | "True") => Ok(true),
        Some("0" | "false" | "FALSE" | "False") => Ok(false),
        Some(other) => {
            let message = format!("-{}={other}: expected 1 or 0, true or false", option.name);
            Err(Error::new(Stage::Options, message))
        }
    }
}

/// A value that llc takes, too, of an option that changes nothing.
fn expect_value(name: &str, value: &OsStr) -> Result<(), Error> {
    match wrong_value(name, &value.to_string_lossy()) {
        Some(wrong) => Err(Error::new(Stage::Options, format!("-{name}: {wrong}"))),
        None => Ok(()),
    }
}

/// Features as llc takes them: in any case, and used if there is no sign.
fn with_signs(list: &str) -> String {
    let words = list.split(',').map(|word| match word {
        "" | "help" => word.to_owned(),
        word if word.starts_with(['+', '-']) => word.to_lowercase(),
        word => format!("+{}", word.to_lowercase()),
    });
    words.collect::<Vec<_>>().join(",")
}

fn take_refused(
    row: &Refused,
    word: &OsStr,
    option: &Spelled<'_>,
    rest: &mut impl Iterator<Item = OsString>,
) -> Result<(), Error> {
    let given = match row.takes {
        Takes::Flag => OsString::from(if is_true(option)? { "1" } else { "0" }),
        Takes::Value => value(option, rest)?,
        Takes::Anything => option.value.unwrap_or_default().into(),
    };
    match row.done.iter().any(|done| given == *done) {
        true => Ok(()),
        false => Err(refused(word, row.does, row.instead)),
    }
}

fn refused(word: &OsStr, does: &str, instead: &str) -> Error {
    let message = format!("{}: not supported: in llc, it {does}; {instead}", word.display());
    Error::new(Stage::Options, message)
}

/// One note on all that was left out, by reasons.
fn note(left_out: &[(String, &'static str)]) -> String {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (word, why) in left_out {
        match reasons.iter_mut().find(|(reason, _)| reason == why) {
            Some((_, words)) => words.push(word),
            None => reasons.push((why, vec![word])),
        }
    }
    let parts = reasons
        .iter()
        .map(|(why, words)| format!("{} ({why})", words.join(", ")));
    let parts: Vec<String> = parts.collect();
    format!(
        "these options of llc change nothing here: {}; -w leaves this note out",
        parts.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Arguments;
    use clap::CommandFactory;

    fn translated(words: &str) -> Result<Translated, Error> {
        let words = words.split(' ').map(OsString::from).collect();
        translate(words, &Arguments::command())
    }

    fn taken(words: &str) -> String {
        let taken = translated(words).expect("taken");
        assert_eq!(taken.note, None, "{words}");
        let words: Vec<_> = taken.words.iter().map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }

    #[test]
    fn what_frazil_has_is_taken_in_every_spelling() {
        assert_eq!(
            taken("-mtriple x86_64 --filetype obj -O3 -O 1 -O=0 -o - -"),
            "--mtriple=x86_64 --emit=obj -O3 -O1 -O0 --output=- -"
        );
        assert_eq!(
            taken("-mcpu= -mattr=AVX,-bmi,help -mattr -avx"),
            "--mattr=+avx,-bmi,help --mattr=-avx"
        );
        assert_eq!(
            taken("-stats -verify-machineinstrs=0 -stats=false -x ir in.ll"),
            "in.ll"
        );
        assert_eq!(
            taken("-function-sections=0 -time-passes -- -stats"),
            "--time-passes -- -stats"
        );
        assert_eq!(taken("-relocation-model=dynamic-no-pic"), "--relocation-model=pic");
        assert_eq!(taken("-emulated-tls=0 -x86-asm-syntax att -unique-section-names"), "");
    }

    #[test]
    fn one_note_names_what_changes_nothing() {
        let words = "-fast-isel -regalloc greedy -dwarf-version=4 --global-isel=0 -aarch64-x=2 in.ll";
        let taken = translated(words).expect("taken");
        assert_eq!(taken.words, ["in.ll"]);
        assert_eq!(
            taken.note.as_deref(),
            Some(
                "these options of llc change nothing here: -fast-isel, --global-isel=0 (how LLVM selects \
                 instructions); -regalloc greedy (how LLVM allocates registers and lays out frames); -dwarf-version=4 \
                 (how LLVM writes debug information); -aarch64-x=2 (without effect for this machine in llc, \
                 too); -w leaves this note out"
            )
        );
        for quiet in ["-w", "-W", "-no-warn"] {
            assert_eq!(translated(&format!("-fast-isel {quiet}")).expect("taken").note, None);
        }
    }

    #[test]
    fn the_rest_is_refused_with_advice() {
        let refused = |words: &str| translated(words).err().expect("refused").to_string();
        assert_eq!(
            refused("-show-mc-encoding"),
            "-show-mc-encoding: not supported: in llc, it writes the bytes of each instruction into assembly text; \
             write an object (-filetype=obj) and look at it: llvm-objdump -d --show-all-symbols"
        );
        assert_eq!(refused("-stats=maybe"), "-stats=maybe: expected 1 or 0, true or false");
        assert_eq!(
            refused("-fast-isel=maybe"),
            "-fast-isel=maybe: expected 1 or 0, true or false"
        );
        assert_eq!(refused("-regalloc"), "-regalloc: a value must follow");
        assert!(
            refused("-fast-isle").contains("did you mean `-fast-isel`?"),
            "{}",
            refused("-fast-isle")
        );
        assert!(refused("-opaque-pointers").contains("no option that frazil-llc knows"));
        assert!(refused("-O4").contains("use -O3"));
    }

    #[test]
    fn no_option_is_in_two_tables() {
        let command = Arguments::command();
        let mut names: Vec<&str> = REFUSED.iter().map(|row| row.name).chain(harmless::names()).collect();
        for name in &names {
            assert!(find(&command, name).is_none(), "{name} is one of Frazil's");
        }
        for row in REFUSED {
            assert!(
                harmless(row.name).is_none(),
                "{} is refused and changes nothing",
                row.name
            );
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "a name is there twice");
    }
}
