//! Options of clang's that are orders to its code generator, and so to Frazil.
//!
//! What bitcode says (attributes of functions, flags of the module) needs no look here: Frazil obeys or refuses it when
//! it reads it. But clang keeps some options to itself until it makes code. [`TABLE`] lists them as its compiler proper
//! takes them, after its driver has settled which of several opposites counts. Frazil refuses them by the name that the
//! user knows, since objects are to hold other things than those it makes. Options for the code that make no difference
//! to an ELF object are not in the table.

use crate::plan::{CodeKind, Job};

/// How a row of the table matches words.
#[derive(Clone, Copy, Debug)]
enum Match {
    /// The word is this.
    Is,
    /// The word begins so.
    Begins,
}

/// An option for the code generator.
#[derive(Clone, Copy, Debug)]
struct Row {
    how: Match,
    /// As the compiler proper takes it.
    word: &'static str,
    /// As the user knows it; empty if that is the same.
    name: &'static str,
    /// What it asks for that Frazil does not do.
    why: &'static str,
    /// The architecture for which Frazil does it all the same, as triples begin; empty if there is none.
    done_for: &'static str,
}

const fn is(word: &'static str, name: &'static str, why: &'static str) -> Row {
    Row::new(Match::Is, word, name, why)
}

const fn begins(word: &'static str, name: &'static str, why: &'static str) -> Row {
    Row::new(Match::Begins, word, name, why)
}

impl Row {
    const fn new(how: Match, word: &'static str, name: &'static str, why: &'static str) -> Row {
        let done_for = "";
        Row {
            how,
            word,
            name,
            why,
            done_for,
        }
    }

    const fn but_for(mut self, architecture: &'static str) -> Row {
        self.done_for = architecture;
        self
    }

    fn matches(&self, word: &str, triple: &str) -> bool {
        let is_meant = match self.how {
            Match::Is => word == self.word,
            Match::Begins => word.starts_with(self.word),
        };
        is_meant && (self.done_for.is_empty() || !triple.starts_with(self.done_for))
    }
}

/// All of them.
#[rustfmt::skip]
const TABLE: &[Row] = &[
    is("-fno-use-init-array", "", "constructors are in .init_array"),
    is("-fno-zero-initialized-in-bss", "", "zeros are in .bss"),
    is("-fno-unique-section-names", "", "sections of functions and data are named after them"),
    is("-fseparate-named-sections", "", "what is in one named section is one section"),
    begins("-fbasic-block-sections=", "", "blocks have no sections of their own"),
    is("-fbasic-block-address-map", "", "there is no map of blocks"),
    is("-fsplit-machine-functions", "", "functions are one piece"),
    is("-femulated-tls", "", "thread-local data is the linker's and the system's"),
    is("-enable-tlsdesc", "-mtls-dialect=gnu2", "thread-local data is accessed the traditional way").but_for("aarch64"),
    is("-fstack-size-section", "", "there is no section of stack sizes"),
    is("-stack-usage-file", "-fstack-usage", "sizes of stack frames are not listed by function"),
    begins("-exception-model=sjlj", "-fsjlj-exceptions", "exceptions unwind by tables"),
    is("-fexperimental-call-graph-section", "", "there is no section of calls"),
    begins("-falign-loops=", "", "loops are not aligned"),
    is("-mrelax-all", "", "branches are as short as they can be"),
    is("-mrelax-relocations=no", "-Wa,-mrelax-relocations=no", "accesses by the global offset table may be relaxed"),
    is("-msave-temp-labels", "-Wa,-L", "local labels are not kept"),
    is("-massembler-fatal-warnings", "-Wa,--fatal-warnings", "no assembler warns"),
    is("-massembler-no-warn", "-Wa,--no-warn", "no assembler warns"),
    is("-msse2avx", "-Wa,-msse2avx", "inline assembly is encoded as it is written"),
    is("--crel", "-Wa,--crel", "relocations are in RELA sections"),
    is("-mmapsyms=implicit", "-Wa,-mmapsyms=implicit", "there are no mapping symbols"),
    begins("-fbinutils-version=", "", "objects are the same for all linkers"),
    is("-mskip-rax-setup", "", "calls with variable arguments set %al"),
    is("-mindirect-branch-cs-prefix", "", "indirect branches have no prefix"),
    is("-fsplit-dwarf-inlining", "", "skeletons of units do not say which code was inlined"),
    is("-fxray-instrument", "", "functions have no places for XRay"),
    is("-fsplit-stack", "", "stacks are in one piece"),
    is("-msoft-float", "", "floating-point numbers are in registers"),
    is("-no-implicit-float", "-mno-implicit-float", "copies may use vector registers"),
    is("-mno-tls-direct-seg-refs", "", "thread-local data is accessed by its segment"),
    is("-fpseudo-probe-for-profiling", "", "there is no section of probes"),
    is("+retpoline-indirect-branches", "-mretpoline", "indirect branches are plain"),
    is("+retpoline-external-thunk", "-mretpoline-external-thunk", "indirect branches are plain"),
    is("+lvi-load-hardening", "-mlvi-hardening", "loads are not hardened"),
    is("+lvi-cfi", "-mlvi-cfi", "indirect branches are plain"),
    is("+seses", "-mseses", "loads are not hardened"),
    is("+harden-sls-ret", "-mharden-sls=return", "nothing follows returns"),
    is("+harden-sls-ijmp", "-mharden-sls=indirect-jmp", "nothing follows indirect branches"),
    is("-mcmodel=large", "", "code and data are at most 2 GiB apart, but for data of the medium code model").but_for("aarch64"),
    is("-mspeculative-load-hardening", "", "loads are not hardened"),
    begins("-mfunction-return=thunk-extern", "", "functions return by `ret`"),
    begins("-fembed-bitcode=", "-fembed-bitcode", "objects hold no bitcode"),
    begins("-fthinlto-index=", "", "LLVM makes the code of what is linked so"),
    begins("-flto", "-flto", "LLVM would make the code when linking"),
];

/// How options of LLVM's begin that are for its middle end, which clang runs: they do what they do.
const FOR_MIDDLE_END: &[&str] = &[
    "-asan-",
    "-msan-",
    "-tsan-",
    "-hwasan-",
    "-dfsan-",
    "-sanitizer-coverage-",
    "-inline",
    "-instcombine-",
    "-loop-",
    "-licm-",
    "-jump-threading-",
    "-simplifycfg-",
    "-sroa-",
    "-unroll-",
    "-force-vector-",
    "-vectorize-",
    "-slp-",
    "-pgo-",
    "-sample-profile-",
    "-runtime-counter-relocation",
    "-vp-counters-per-site",
    "-enable-value-profiling",
    "-enable-name-compression",
    "-do-counter-promotion",
    "-disable-vp",
    "-memprof-",
];

/// Options of LLVM's for its code that Frazil has, too.
const OBEYED: &[&str] = &["-generate-arange-section", "-generate-type-units"];

/// How LLVM is told that assembly text is Intel's.
const INTEL_TEXT: &str = "-x86-asm-syntax=intel";

/// The first order of a job that Frazil cannot obey, in words for the user.
pub fn refusal(job: &Job) -> Option<String> {
    let triple = job
        .value("-triple")
        .and_then(|triple| triple.to_str())
        .unwrap_or_default();
    let mut words = job.options().iter();
    while let Some(word) = words.next() {
        // What cannot be read is a name.
        let Some(text) = word.to_str() else { continue };
        if text == "-mllvm" {
            let option = words.next().map(|option| option.to_string_lossy());
            match llvm_refusal(option.as_deref().unwrap_or_default(), job) {
                None => continue,
                refusal => return refusal,
            }
        }
        if let Some(row) = TABLE.iter().find(|row| row.matches(text, triple)) {
            let name = if row.name.is_empty() { text } else { row.name };
            return Some(format!("the option {name}: {}", row.why));
        }
    }
    None
}

/// Why an option of LLVM's that follows `-mllvm` is refused.
fn llvm_refusal(option: &str, job: &Job) -> Option<String> {
    if option == INTEL_TEXT {
        // In an object there is no text, and inline assembly says itself what it is written in.
        let is_text = job.code_kind() == Some(CodeKind::Assembly);
        return is_text.then(|| "the option -masm=intel: assembly text is AT&T's".to_owned());
    }
    let is_known = OBEYED.contains(&option) || FOR_MIDDLE_END.iter().any(|start| option.starts_with(start));
    (!is_known).then(|| format!("the option -mllvm {option}: it may be one for the code that LLVM makes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(words: &str) -> Option<String> {
        let words = format!("clang -cc1 -emit-obj {words} -x c a.c");
        refusal(&Job {
            words: words.split(' ').map(Into::into).collect(),
        })
    }

    #[test]
    fn orders_are_refused_by_the_name_that_users_know() {
        let has = |words: &str, text: &str| {
            let message = refused(words).unwrap_or_default();
            assert!(
                message.starts_with(&format!("the option {text}: ")),
                "{words}: {message}"
            );
        };
        has("-O2 -stack-usage-file a.su", "-fstack-usage");
        has("-fbasic-block-sections=all", "-fbasic-block-sections=all");
        has("-g -fsplit-dwarf-inlining", "-fsplit-dwarf-inlining");
        has("-mllvm -enable-machine-outliner", "-mllvm -enable-machine-outliner");
        assert_eq!(refused("-O2 -mllvm -inline-threshold=10 -ffunction-sections"), None);
        assert_eq!(refused("-inline-asm=intel -mllvm -x86-asm-syntax=intel"), None);
        has("-mllvm -x86-asm-syntax=intel -S", "-masm=intel");
        has("-triple x86_64-pc-linux-gnu -enable-tlsdesc", "-mtls-dialect=gnu2");
        assert_eq!(refused("-triple aarch64-unknown-linux-gnu -enable-tlsdesc"), None);
    }

    #[test]
    fn no_row_is_hidden_by_one_before_it() {
        for (index, row) in TABLE.iter().enumerate() {
            let hidden = TABLE[..index].iter().any(|earlier| match earlier.how {
                Match::Is => row.word == earlier.word,
                Match::Begins => row.word.starts_with(earlier.word),
            });
            assert!(!hidden && !row.why.is_empty(), "{row:?}");
        }
    }
}
