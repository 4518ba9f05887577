//! Programs in C++ that throw: `crosstest --exceptions N`.
//!
//! The functions of a program call each other and throw objects of several types through frames that have objects with
//! destructors, catch them by type, by a base's type or whatever they are, change variables before a call that throws
//! and look at them in the handler, throw on, throw anew, return and leave loops through cleanups, and throw out of
//! constructors whose members are destroyed then. Every destructor is seen in the sum that the program prints.
//!
//! Nothing is undefined: no destructor throws, and how often functions call is limited.

use std::fmt::Write as _;

use frazil_test_support::Random;

use super::expression::{HEAD, TYPES, Type};
use super::generated::{Build, Generator, Language, entry};
use super::variables::{Variables, some_type};

/// Functions of a program.
const FUNCTIONS: usize = 8;
/// How often each is called.
const CALLS: usize = 5;
/// How deep statements are nested.
const DEEPEST: usize = 3;
/// Statements of a function, those within others among them.
const STATEMENTS: usize = 22;

/// Its programs are compiled at two levels.
pub const GENERATOR: Generator = Generator {
    name: "exceptions",
    option: "--exceptions",
    language: Language::CPlusPlus,
    source,
    builds: &[Build::scalar("O0", ["O0"; 2]), Build::scalar("optimized", ["O1", "O2"])],
    host_part: None,
    functions: FUNCTIONS,
};

/// What programs have besides: classes whose objects are thrown, and classes whose destructors are seen.
const CLASSES: &str = "\
struct Base { u64 word; Base(u64 w) : word(w) {} Base(const Base &o) : word(o.word + 1) { mix(word); } virtual ~Base() { mix(word ^ 2); }
    virtual u64 what() const { return word; } };
struct Derived : Base { f64 number; Derived(u64 w) : Base(w), number((u32)w) {} u64 what() const override { return word + of_f64(number); } };
struct Other { u64 words[5]; Other(u64 w) { for (u64 &x : words) x = w++; } };
static i32 left;
struct Guard { u64 &word; u32 key; Guard(u64 &w, u32 k) : word(w), key(k) { mix(k); } ~Guard() { word += key; mix(word ^ key); } };
struct Part { u64 word; explicit Part(u64 w) : word(w) { mix(w); if ((w & 15) == 3) throw Derived(w); } ~Part() { mix(~word); } };
struct Whole { Part first; u32 key; Part parts[2]; Part last; Whole(u64 w, u32 k) try : first(w + 1), key(k), parts{Part(w >> 1), Part(w >> 2)}, last(w ^ k) { mix(key); }
    catch (const Base &e) { mix(e.what()); if (k & 1) throw; throw Other(k); }
    u64 value() const { return first.word + last.word; } };
struct Value { u64 word; Value(u64 w) : word(w) {} Value(const Value &o) : word(o.word * 3) {} ~Value() { mix(word + 5); } };
";

/// All of a program is in a namespace of its own, because the classes of programs have the same names.
fn source(seed: u64) -> String {
    let (random, entry) = (&mut Random::new(seed), entry(seed));
    let mut text = format!("extern \"C\" int printf(const char *, ...);\nnamespace of_{entry} {{\n{HEAD}{CLASSES}\n");
    for number in 0..FUNCTIONS {
        let _ = writeln!(text, "static u64 f{number}(u64 a, u32 b, i16 c);");
    }
    for number in 0..FUNCTIONS {
        text += &Function::new(random).text(number);
    }
    let _ = writeln!(text, "extern \"C\" int {entry}() {{");
    for number in 0..FUNCTIONS {
        text += "    sum = 0;\n";
        for _ in 0..CALLS {
            let (a, b, c) = (random.next_word(), random.below(20), random.below(9));
            let _ = writeln!(
                text,
                "    left = 60;\n    try {{ mix(f{number}({a}u, {b}, {c})); }}\n    \
                 catch (const Base &e) {{ mix(e.what() + 1); }}\n    catch (const Other &e) {{ mix(e.words[4]); }}\n    \
                 catch (i32 e) {{ mix(e); }}\n    catch (const char *e) {{ mix(e[0]); }}\n    catch (...) {{ mix(99); }}"
            );
        }
        let _ = writeln!(text, "    printf(\"{number} %016llx\\n\", sum);");
    }
    text + "    return 0;\n}\n}\n"
}

struct Function<'r> {
    random: &'r mut Random,
    variables: Variables,
    text: String,
    indent: usize,
    next: usize,
    /// Statements that may still be made.
    left: usize,
    /// Loops around, and handlers.
    loops: usize,
    handlers: usize,
}

fn word() -> Type {
    TYPES[6]
}

impl<'r> Function<'r> {
    fn new(random: &'r mut Random) -> Function<'r> {
        let mut variables = Variables::default();
        variables.add("a", word(), true);
        variables.add("b", TYPES[4], true);
        variables.add("c", TYPES[3], true);
        Function {
            random,
            variables,
            text: String::new(),
            indent: 1,
            next: 0,
            left: STATEMENTS,
            loops: 0,
            handlers: 0,
        }
    }

    fn text(mut self, number: usize) -> String {
        self.line("if (--left < 0) return a;");
        // What guards change.
        self.line("u64 seen = a;");
        self.variables.add("seen", word(), false);
        for _ in 0..1 + self.random.below(6) {
            self.declare();
        }
        while self.left > 0 {
            self.statement();
        }
        let sum = self.variables.sum();
        format!(
            "__attribute__((noinline)) static u64 f{number}(u64 a, u32 b, i16 c) {{\n{}    return {sum};\n}}\n\n",
            self.text
        )
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:width$}{text}", "", width = 4 * self.indent);
    }

    fn fresh(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    fn declare(&mut self) {
        let (name, ty) = (format!("v{}", self.fresh()), some_type(self.random));
        let value = self.variables.value(self.random, ty);
        self.line(&format!("{} {name} = {value};", ty.name));
        self.variables.add(&name, ty, true);
    }

    /// Statements in braces.
    fn block(&mut self) {
        let count = self.variables.count();
        self.indent += 1;
        for _ in 0..1 + self.random.below(3) {
            self.statement();
        }
        self.indent -= 1;
        self.variables.leave(count);
    }

    fn statement(&mut self) {
        self.left = self.left.saturating_sub(1);
        let may_nest = self.indent <= DEEPEST && self.left > 0;
        match self.random.below(20) {
            0..3 => self.assign(),
            3..7 => self.call(),
            7 | 8 => self.throw(),
            9 | 10 => self.guard(),
            11 => self.construct(),
            12..15 if may_nest => self.attempt(),
            15 if may_nest => self.repeat(),
            16 if may_nest => self.branch(),
            17 if self.random.one_in(3) => self.leave(),
            18 => self.declare(),
            _ => self.look(),
        }
    }

    fn assign(&mut self) {
        if let Some(variable) = self.variables.assigned(self.random) {
            let value = self.variables.value(self.random, variable.ty);
            self.line(&format!("{} = {value};", variable.name));
        }
    }

    fn look(&mut self) {
        let value = self.variables.value(self.random, word());
        self.line(&format!("mix({value});"));
    }

    /// The text of a call of a function of the program.
    fn called(&mut self) -> String {
        let callee = self.random.below(FUNCTIONS);
        let values = [word(), TYPES[4], TYPES[3]].map(|ty| self.variables.value(self.random, ty));
        format!("f{callee}({})", values.join(", "))
    }

    fn call(&mut self) {
        let called = self.called();
        match self.variables.assigned(self.random) {
            // A temporary object lives over the call.
            _ if self.random.one_in(4) => {
                let value = self.variables.value(self.random, word());
                self.line(&format!("mix(Value({value}).word ^ {called});"));
            }
            Some(variable) => {
                let value = super::expression::Expr::of(called, word()).stored(variable.ty);
                self.line(&format!("{} = {value};", variable.name));
            }
            None => self.line(&format!("mix({called});")),
        }
    }

    fn throw(&mut self) {
        let condition = self.variables.condition(self.random);
        if self.handlers > 0 && self.random.one_in(2) {
            return self.line(&format!("if ({condition}) throw;"));
        }
        let value = self.variables.value(self.random, word());
        let thrown = match self.random.below(6) {
            0 | 1 => format!("Derived({value})"),
            2 => format!("Base({value})"),
            3 => format!("Other({value})"),
            4 => format!("(i32)({value})"),
            _ => "\"text\"".to_owned(),
        };
        self.line(&format!("if ({condition}) throw {thrown};"));
    }

    /// An object whose destructor changes `seen`.
    fn guard(&mut self) {
        let (number, key) = (self.fresh(), self.variables.value(self.random, TYPES[4]));
        self.line(&format!("Guard g{number}(seen, {key});"));
    }

    /// An object whose constructor may throw, on the stack or on the heap.
    fn construct(&mut self) {
        let number = self.fresh();
        let (value, key) = (
            self.variables.value(self.random, word()),
            self.variables.value(self.random, TYPES[4]),
        );
        if self.random.one_in(3) {
            self.line(&format!(
                "{{ Whole *w = new Whole({value}, {key}); mix(w->value()); delete w; }}"
            ));
        } else {
            self.line(&format!("Whole w{number}({value}, {key}); mix(w{number}.value());"));
        }
    }

    fn attempt(&mut self) {
        self.line("try {");
        self.block();
        let handlers = [
            ("const Derived &e", "mix(e.what() + 7);"),
            ("const Base &e", "mix(e.what() + 8);"),
            ("Base e", "mix(e.what() + 9);"),
            ("Other &e", "e.words[2]++; mix(e.words[2]);"),
            ("i32 e", "mix(e);"),
            ("const char *e", "mix(e[1]);"),
            ("...", "mix(77);"),
        ];
        let mut used: Vec<usize> = (0..1 + self.random.below(2))
            .map(|_| self.random.below(handlers.len()))
            .collect();
        used.sort_unstable();
        used.dedup();
        for index in used {
            let (parameter, look) = handlers[index];
            self.line(&format!("}} catch ({parameter}) {{"));
            self.indent += 1;
            self.line(look);
            let sum = self.variables.sum();
            self.line(&format!("mix({sum});"));
            self.indent -= 1;
            self.handlers += 1;
            self.block();
            self.handlers -= 1;
        }
        self.line("}");
    }

    fn repeat(&mut self) {
        let (number, times) = (self.fresh(), 1 + self.random.below(4));
        self.line(&format!(
            "for (u32 turn{number} = 0; turn{number} < {times}; turn{number}++) {{"
        ));
        let count = self.variables.count();
        self.variables.add(&format!("turn{number}"), TYPES[4], false);
        self.loops += 1;
        self.block();
        self.loops -= 1;
        self.variables.leave(count);
        self.line("}");
    }

    fn branch(&mut self) {
        let condition = self.variables.condition(self.random);
        self.line(&format!("if ({condition}) {{"));
        self.block();
        if self.random.one_in(2) {
            self.line("} else {");
            self.block();
        }
        self.line("}");
    }

    /// Leaves a loop or the function through all cleanups on the way.
    fn leave(&mut self) {
        let condition = self.variables.condition(self.random);
        let how = match (self.loops, self.random.below(3)) {
            (1.., 0) => "break".to_owned(),
            (1.., 1) => "continue".to_owned(),
            _ => format!("return {}", self.variables.value(self.random, word())),
        };
        self.line(&format!("if ({condition}) {how};"));
    }
}
