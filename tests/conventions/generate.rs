//! Random signatures, and the modules that use them.

use frazil_test_support::Random;
use frazil_test_support::machines::Machine;
use std::fmt::Write;

/// A convention, and what its signatures may have.
pub struct Convention {
    /// LLVM's word.
    pub word: &'static str,
    /// Most parameters.
    most: usize,
    /// Values of two registers.
    wide: bool,
    /// Swift's parameters.
    swift: bool,
    /// Integers of less than 32 bits, and the static chain.
    narrow: bool,
    /// Memory by value.
    by_value: bool,
    /// Its strictest alignment.
    strictest: usize,
    /// `x86_fp80`.
    extended: bool,
    /// Vectors of any length.
    vectors: bool,
    /// Floats that processors do not compute with, and vectors of them.
    floats: bool,
    /// Most floats among results: LLVM returns others in the x87 unit, which is refused for some conventions.
    float_results: usize,
    /// What a pointer takes on the stack.
    pointer_bytes: usize,
}

impl Convention {
    fn has(&self, ty: &str) -> bool {
        match ty {
            "i8" | "i16" => self.narrow,
            // LLVM's own callers lose the stack pointer where an argument is aligned.
            "i128" if self.word == "x86_stdcallcc" => false,
            "i128" | "<1 x i128>" | "<2 x i128>" if !self.wide => false,
            ty if IN_WORDS.contains(&ty) => self.wide && self.pointer_bytes == 4,
            ty if is_wide(ty) => self.wide,
            ty if ty.contains("x86_fp80") => self.extended && (self.floats || !is_vector(ty)),
            ty if is_exotic(ty) => self.floats,
            ty if is_vector(ty) => self.vectors,
            _ => true,
        }
    }
}

const fn convention(word: &'static str, most: usize, wide: bool, swift: bool) -> Convention {
    Convention {
        word,
        most,
        wide,
        swift,
        narrow: true,
        by_value: wide,
        strictest: 64,
        extended: wide,
        vectors: false,
        floats: false,
        float_results: usize::MAX,
        pointer_bytes: 8,
    }
}

/// Those that pass vectors that fit no register, and of odd elements.
pub const VECTOR_CONVENTIONS: &[Convention] = &[
    Convention {
        vectors: true,
        ..convention("ccc", 12, true, false)
    },
    Convention {
        vectors: true,
        ..convention("fastcc", 8, true, false)
    },
];

/// Those that pass floats that processors do not compute with.
pub const FLOAT_CONVENTIONS: &[Convention] = &[
    Convention {
        floats: true,
        ..convention("ccc", 12, true, false)
    },
    Convention {
        floats: true,
        vectors: true,
        ..convention("fastcc", 8, true, false)
    },
];

/// The conventions that are tried.
pub const CONVENTIONS: &[Convention] = &[
    convention("ccc", 16, true, true),
    convention("fastcc", 12, true, false),
    convention("preserve_mostcc", 10, true, false),
    Convention {
        extended: false,
        float_results: 2,
        ..convention("preserve_allcc", 10, true, false)
    },
    Convention {
        narrow: false,
        by_value: false,
        ..convention("preserve_nonecc", 6, true, false)
    },
    convention("swiftcc", 12, true, true),
    // LLVM's own code is wrong where these pass memory or wide integers on the stack.
    convention("tailcc", 12, false, false),
    convention("swifttailcc", 12, false, true),
    convention("x86_64_sysvcc", 8, true, false),
    Convention {
        float_results: 2,
        ..convention("win64cc", 10, false, false)
    },
];

/// Those of AArch64, for its own floats and vectors as well.
pub const AARCH64_CONVENTIONS: &[Convention] = &[
    on_aarch64(convention("ccc", 16, true, true)),
    on_aarch64(convention("fastcc", 12, true, false)),
    // LLVM's own code overwrites x9, which these keep, where it aligns the stack for memory by value.
    Convention {
        by_value: false,
        ..on_aarch64(convention("preserve_mostcc", 10, true, false))
    },
    Convention {
        by_value: false,
        ..on_aarch64(convention("preserve_allcc", 10, true, false))
    },
    on_aarch64(convention("swiftcc", 12, true, true)),
    // Callers by llc -O0 lose the stack pointer where these pass arguments on the stack.
    on_aarch64(convention("tailcc", 6, false, false)),
    on_aarch64(convention("swifttailcc", 6, false, true)),
    Convention {
        vectors: true,
        floats: true,
        ..on_aarch64(convention("ccc", 12, true, false))
    },
    Convention {
        vectors: true,
        floats: true,
        ..on_aarch64(convention("fastcc", 8, true, false))
    },
];

/// Those of 32-bit x86.
pub const X86_32_CONVENTIONS: &[Convention] = &[
    in_32_bits(convention("ccc", 16, true, false)),
    in_32_bits(convention("fastcc", 12, true, false)),
    in_32_bits(convention("coldcc", 10, true, false)),
    // LLVM's own code is wrong where this passes memory.
    Convention {
        by_value: false,
        ..in_32_bits(convention("tailcc", 12, false, false))
    },
    popping(convention("x86_stdcallcc", 12, true, false)),
    popping(convention("x86_fastcallcc", 12, true, false)),
    popping(convention("x86_thiscallcc", 12, true, false)),
    in_32_bits(Convention {
        vectors: true,
        ..convention("ccc", 10, false, false)
    }),
    in_32_bits(Convention {
        vectors: true,
        ..convention("fastcc", 10, false, false)
    }),
];

/// With pointers of 4 bytes.
const fn in_32_bits(mut row: Convention) -> Convention {
    row.pointer_bytes = 4;
    row.by_value = true;
    row.extended = true;
    row
}

/// A convention whose callees take arguments off the stack. LLVM's own callers lose the stack pointer where the frame
/// is realigned for an argument.
const fn popping(row: Convention) -> Convention {
    let mut row = in_32_bits(row);
    row.strictest = 4;
    row
}

/// Without floats of x87.
const fn on_aarch64(mut row: Convention) -> Convention {
    row.extended = false;
    row
}

/// Types by name and size in bytes.
const TYPES: [(&str, usize); 60] = [
    ("i8", 1),
    ("i16", 2),
    ("i32", 4),
    ("i64", 8),
    ("float", 4),
    ("double", 8),
    ("ptr", 8),
    ("i128", 16),
    ("x86_fp80", 10),
    ("<4 x i32>", 16),
    ("<8 x i32>", 32),
    ("<4 x i64>", 32),
    ("<16 x i64>", 128),
    ("<8 x float>", 32),
    ("<16 x float>", 64),
    ("<8 x i64>", 64),
    ("<9 x i32>", 36),
    ("<16 x i17>", 34),
    ("<32 x i8>", 32),
    ("<4 x ptr>", 32),
    ("<2 x i32>", 8),
    ("<4 x i8>", 4),
    ("<3 x i16>", 6),
    ("<3 x float>", 12),
    ("<5 x i32>", 20),
    ("<3 x i64>", 24),
    ("<7 x i16>", 14),
    ("<1 x i64>", 8),
    ("<2 x i24>", 6),
    ("<4 x i24>", 12),
    ("<8 x i1>", 1),
    ("<16 x i1>", 2),
    ("<32 x i1>", 4),
    ("<4 x i1>", 1),
    ("<1 x ptr>", 8),
    ("<3 x ptr>", 24),
    ("<2 x ptr>", 16),
    ("<1 x i8>", 1),
    ("<64 x i1>", 8),
    ("<8 x i16>", 16),
    ("half", 2),
    ("bfloat", 2),
    ("fp128", 16),
    ("<8 x half>", 16),
    ("<4 x bfloat>", 8),
    ("<3 x half>", 6),
    ("<3 x bfloat>", 6),
    ("<9 x half>", 18),
    ("<16 x half>", 32),
    ("<5 x bfloat>", 10),
    ("<2 x fp128>", 32),
    ("<2 x x86_fp80>", 20),
    ("<3 x double>", 24),
    ("<2 x i128>", 32),
    ("<1 x i128>", 16),
    ("i192", 24),
    ("i256", 32),
    ("i72", 9),
    ("i96", 12),
    ("i160", 20),
];

/// Integers that only 32-bit code takes apart differently from wider ones.
const IN_WORDS: [&str; 3] = ["i72", "i96", "i160"];

/// Whether a type is an integer that is extended.
fn is_narrow((name, bytes): (&str, usize)) -> bool {
    bytes < 4 && !is_vector(name) && !is_exotic(name)
}

/// Whether a type is, or is a vector of, a float that processors do not compute with.
fn is_exotic(ty: &str) -> bool {
    ["half", "bfloat", "fp128", "x86_fp80>"]
        .iter()
        .any(|name| ty.contains(name))
}

/// Whether a type is an integer of more than 128 bits.
fn is_wide(ty: &str) -> bool {
    ["i192", "i256"].contains(&ty)
}

fn is_vector(ty: &str) -> bool {
    ty.starts_with('<')
}

/// What follows a load or store of a type. Places are aligned to 16 bytes, vectors may want more.
fn alignment(ty: &str) -> &'static str {
    if is_vector(ty) { ", align 1" } else { "" }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Plain,
    SignExtended,
    ZeroExtended,
    InReg,
    Nest,
    SwiftSelf,
    SwiftError,
    SwiftAsync,
    /// With size and alignment.
    ByVal(usize, usize),
    StructReturn(usize),
}

#[derive(Clone, Copy)]
struct Param {
    ty: (&'static str, usize),
    kind: Kind,
    /// Where its value is in the memory that is compared.
    offset: usize,
}

impl Param {
    /// Bytes in the memory that is compared.
    fn bytes(&self) -> usize {
        match self.kind {
            Kind::ByVal(size, _) | Kind::StructReturn(size) => size,
            Kind::SignExtended | Kind::ZeroExtended => 4,
            _ => self.ty.1,
        }
    }

    fn written(&self) -> String {
        let ty = self.ty.0;
        match self.kind {
            Kind::Plain => ty.into(),
            Kind::SignExtended => format!("{ty} signext"),
            Kind::ZeroExtended => format!("{ty} zeroext"),
            Kind::InReg => format!("{ty} inreg"),
            Kind::Nest => "ptr nest".into(),
            Kind::SwiftSelf => "ptr swiftself".into(),
            Kind::SwiftError => "ptr swifterror".into(),
            Kind::SwiftAsync => "ptr swiftasync".into(),
            Kind::ByVal(size, align) => format!("ptr byval([{size} x i8]) align {align}"),
            Kind::StructReturn(size) => format!("ptr sret([{size} x i8])"),
        }
    }
}

pub struct Case {
    params: Vec<Param>,
    results: Vec<Param>,
    /// The error that the callee leaves, with where it is compared.
    is_indirect: bool,
    /// What is sent and what is returned.
    sent: Vec<u8>,
    returned: Vec<u8>,
}

impl Case {
    pub fn random(random: &mut Random, convention: &Convention) -> Case {
        let mut params = Vec::new();
        let pointer = ("ptr", convention.pointer_bytes);
        let sized = |(name, bytes): (&'static str, usize)| match name.contains("ptr") {
            true => (name, bytes / 8 * convention.pointer_bytes),
            false => (name, bytes),
        };
        let types: Vec<_> = TYPES.into_iter().filter(|ty| convention.has(ty.0)).map(sized).collect();
        let types = types.as_slice();
        let mut used = Vec::new();
        for _ in 0..random.below(convention.most + 1) {
            let mut param = Param {
                ty: random.pick(types),
                kind: Kind::Plain,
                offset: 0,
            };
            param.kind = special(random, convention, &param, &mut used);
            if !matches!(
                param.kind,
                Kind::Plain | Kind::SignExtended | Kind::ZeroExtended | Kind::InReg
            ) {
                param.ty = pointer;
            }
            params.push(param);
        }
        if convention.word == "x86_thiscallcc" {
            let (ty, kind) = (pointer, Kind::Plain);
            params.insert(0, Param { ty, kind, offset: 0 });
        }
        let mut results = Vec::new();
        if random.below(5) == 0 {
            let kind = Kind::StructReturn(1 + random.below(40));
            let ty = pointer;
            params.insert(0, Param { ty, kind, offset: 0 });
        } else {
            let most = random.pick(&[1, 2, 3, 6]);
            let mut floats = 0;
            for _ in 0..random.below(most + 1) {
                let (ty, kind) = (random.pick(types), Kind::Plain);
                floats += usize::from(ty.0 == "float" || ty.0 == "double");
                let ty = if floats > convention.float_results {
                    TYPES[3]
                } else {
                    ty
                };
                results.push(Param { ty, kind, offset: 0 });
            }
            // Structures of wider integers, padded as LLVM pads them, are refused as results.
            if results.len() > 1 {
                let is_word = |ty: &str| convention.pointer_bytes == 4 && (ty == "i128" || IN_WORDS.contains(&ty));
                for result in results
                    .iter_mut()
                    .filter(|result| is_wide(result.ty.0) || is_word(result.ty.0))
                {
                    result.ty = TYPES[3];
                }
            }
            if let [only] = results.as_mut_slice()
                && is_narrow(only.ty)
            {
                only.kind = random.pick(&[Kind::Plain, Kind::SignExtended, Kind::ZeroExtended]);
            }
        }
        let (sent, returned) = (place(random, &mut params), place(random, &mut results));
        let is_indirect = random.below(3) == 0;
        Case {
            params,
            results,
            is_indirect,
            sent,
            returned,
        }
    }

    fn result_type(&self) -> String {
        match self.results.as_slice() {
            [] => "void".into(),
            [one] => one.ty.0.into(),
            several => {
                let types: Vec<&str> = several.iter().map(|result| result.ty.0).collect();
                format!("{{ {} }}", types.join(", "))
            }
        }
    }

    fn written_results(&self) -> String {
        let extension = match self.results.as_slice() {
            [one] if one.kind == Kind::SignExtended => "signext ",
            [one] if one.kind == Kind::ZeroExtended => "zeroext ",
            _ => "",
        };
        extension.to_owned() + &self.result_type()
    }

    /// The function as LLVM declares it, for messages.
    pub fn declaration(&self, convention: &str, number: usize) -> String {
        let params: Vec<String> = self.params.iter().map(Param::written).collect();
        format!(
            "{convention} {} @f{number}({})",
            self.written_results(),
            params.join(", ")
        )
    }

    /// The memory parameter that stands for results.
    fn struct_return(&self) -> Option<&Param> {
        self.params
            .iter()
            .find(|param| matches!(param.kind, Kind::StructReturn(_)))
    }
}

/// What is special about a parameter, each of those that can be there once at most once.
fn special(random: &mut Random, convention: &Convention, param: &Param, used: &mut Vec<usize>) -> Kind {
    let choice = random.below(20);
    let is_first = !used.contains(&choice);
    used.push(choice);
    match choice {
        0 if is_first && convention.narrow && convention.word != "x86_thiscallcc" => Kind::Nest,
        1 if is_first && convention.swift => Kind::SwiftSelf,
        2 if is_first && convention.swift && convention.word != "swifttailcc" => Kind::SwiftError,
        3 if is_first && convention.swift => Kind::SwiftAsync,
        4 | 5 if convention.by_value => {
            let align = random.pick(&[4, 8, 16, 32, 64]);
            Kind::ByVal(1 + random.below(70), align.min(convention.strictest))
        }
        6 => Kind::InReg,
        // Where only these have registers, there are more of them.
        13..=16 if convention.pointer_bytes == 4 => Kind::InReg,
        7..=9 if is_narrow(param.ty) => Kind::SignExtended,
        10..=12 if is_narrow(param.ty) => Kind::ZeroExtended,
        _ => Kind::Plain,
    }
}

/// Places values in the memory that is compared, and fills it as it must be.
fn place(random: &mut Random, params: &mut [Param]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for param in params {
        let align = match param.kind {
            Kind::ByVal(_, align) => align.max(16),
            _ => 16,
        };
        bytes.resize(bytes.len().next_multiple_of(align), 0);
        param.offset = bytes.len();
        let mut value: Vec<u8> = (0..param.bytes()).map(|_| random.next_word() as u8).collect();
        if let Kind::SignExtended | Kind::ZeroExtended = param.kind {
            let width = param.ty.1;
            let fill = if param.kind == Kind::SignExtended && value[width - 1] >= 0x80 {
                0xff
            } else {
                0
            };
            value[width..].fill(fill);
        }
        if param.ty.0 == "<4 x i1>" {
            // What is above a mask is zero.
            value[0] &= 15;
        }
        if ["float", "double", "half", "bfloat"].contains(&param.ty.0) {
            // No NaN: moves through x87 or conversions could change it.
            let last = value.len() - 1;
            value[last] = 0x40;
        }
        bytes.extend(value);
    }
    bytes.resize(bytes.len().next_multiple_of(16).max(16), 0);
    bytes
}

/// Values that callees and callers hold in registers: so many of each class.
const HELD: usize = 12;

fn hold(text: &mut String, name: &str) {
    for index in 0..HELD {
        let _ = writeln!(text, "  %{name}i{index}a = getelementptr i64, ptr @pool, i64 {index}");
        let _ = writeln!(text, "  %{name}i{index} = load volatile i64, ptr %{name}i{index}a");
        let _ = writeln!(text, "  %{name}d{index} = load volatile double, ptr %{name}i{index}a");
    }
}

/// Writes what is held to the memory that `sink` points to.
fn let_go(text: &mut String, name: &str, sink: &str) {
    for index in 0..HELD {
        let _ = writeln!(
            text,
            "  %{name}i{index}s = getelementptr i64, ptr {sink}, i64 {}",
            2 * index
        );
        let _ = writeln!(text, "  store volatile i64 %{name}i{index}, ptr %{name}i{index}s");
        let _ = writeln!(
            text,
            "  %{name}d{index}s = getelementptr i64, ptr {sink}, i64 {}",
            2 * index + 1
        );
        let _ = writeln!(text, "  store volatile double %{name}d{index}, ptr %{name}d{index}s");
    }
}

/// What both modules begin with, after what says for which machine they are.
const HEAD: &str = "\n\
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n\
    @pool = external global [64 x i64]\n@callee_sink = external global [64 x i64]\n";

fn at(text: &mut String, name: &str, base: &str, offset: usize) {
    let _ = writeln!(text, "  %{name} = getelementptr i8, ptr {base}, i64 {offset}");
}

/// The module with the functions.
pub fn callees(machine: &Machine, convention: &str, cases: &[Case]) -> String {
    let mut text = machine.module_head() + HEAD;
    for (number, case) in cases.iter().enumerate() {
        let _ = writeln!(
            text,
            "@got{number} = external global [0 x i8]\n@ret{number} = external global [0 x i8]"
        );
        let params: Vec<String> = (case.params.iter().enumerate())
            .map(|(index, param)| format!("{} %p{index}", param.written()))
            .collect();
        let (results, params) = (case.written_results(), params.join(", "));
        let _ = writeln!(text, "define {convention} {results} @f{number}({params}) {{");
        hold(&mut text, "h");
        for (index, param) in case.params.iter().enumerate() {
            receive(&mut text, number, index, param);
        }
        let_go(&mut text, "h", "@callee_sink");
        give_back(&mut text, number, case);
        text.push_str("}\n\n");
    }
    text
}

/// Writes an argument to the memory that is compared.
fn receive(text: &mut String, number: usize, index: usize, param: &Param) {
    at(text, &format!("g{index}"), &format!("@got{number}"), param.offset);
    let ty = param.ty.0;
    let _ = match param.kind {
        Kind::ByVal(size, align) => writeln!(
            text,
            "  call void @llvm.memcpy.p0.p0.i64(ptr %g{index}, ptr %p{index}, i64 {size}, i1 false)\n  \
             %i{index} = ptrtoint ptr %p{index} to i64\n  %j{index} = and i64 %i{index}, {}\n  \
             %k{index} = trunc i64 %j{index} to i8\n  %b{index} = load i8, ptr %g{index}\n  \
             %c{index} = xor i8 %k{index}, %b{index}\n  store i8 %c{index}, ptr %g{index}",
            align - 1
        ),
        Kind::StructReturn(size) => writeln!(
            text,
            "  call void @llvm.memcpy.p0.p0.i64(ptr %p{index}, ptr @ret{number}, i64 {size}, i1 false)"
        ),
        Kind::SwiftError => writeln!(
            text,
            "  %e{index} = load ptr, ptr %p{index}\n  store ptr %e{index}, ptr %g{index}\n  \
             %n{index} = getelementptr i8, ptr %e{index}, i64 77\n  store ptr %n{index}, ptr %p{index}"
        ),
        Kind::SignExtended => writeln!(
            text,
            "  %e{index} = sext {ty} %p{index} to i32\n  store i32 %e{index}, ptr %g{index}"
        ),
        Kind::ZeroExtended => writeln!(
            text,
            "  %e{index} = zext {ty} %p{index} to i32\n  store i32 %e{index}, ptr %g{index}"
        ),
        _ => writeln!(text, "  store {ty} %p{index}, ptr %g{index}{}", alignment(ty)),
    };
}

fn give_back(text: &mut String, number: usize, case: &Case) {
    for (index, result) in case.results.iter().enumerate() {
        at(text, &format!("r{index}a"), &format!("@ret{number}"), result.offset);
        let ty = result.ty.0;
        let _ = writeln!(text, "  %r{index} = load {ty}, ptr %r{index}a{}", alignment(ty));
    }
    let ty = case.result_type();
    match case.results.as_slice() {
        [] => text.push_str("  ret void\n"),
        [_] => {
            let _ = writeln!(text, "  ret {ty} %r0");
        }
        several => {
            let mut last = "poison".to_owned();
            for (index, result) in several.iter().enumerate() {
                let _ = writeln!(
                    text,
                    "  %a{index} = insertvalue {ty} {last}, {} %r{index}, {index}",
                    result.ty.0
                );
                last = format!("%a{index}");
            }
            let _ = writeln!(text, "  ret {ty} {last}");
        }
    }
}

/// The module with the callers.
pub fn callers(machine: &Machine, convention: &str, cases: &[Case]) -> String {
    let mut text = machine.module_head() + HEAD;
    for (number, case) in cases.iter().enumerate() {
        let params: Vec<String> = case.params.iter().map(Param::written).collect();
        let (results, params) = (case.written_results(), params.join(", "));
        let _ = writeln!(
            text,
            "@in{number} = external global [0 x i8]\n@res{number} = external global [0 x i8]\n\
             @error{number} = external global ptr\n@live{number} = external global [0 x i8]\n\
             declare {convention} {results} @f{number}({params})\n@fp{number} = global ptr @f{number}\n\
             define void @call{number}() {{"
        );
        hold(&mut text, "h");
        let args: Vec<String> = (case.params.iter().enumerate())
            .map(|(index, param)| send(&mut text, number, index, param))
            .collect();
        let callee = if case.is_indirect {
            let _ = writeln!(text, "  %fp = load volatile ptr, ptr @fp{number}");
            "%fp".to_owned()
        } else {
            format!("@f{number}")
        };
        let name = if case.results.is_empty() { "" } else { "%r = " };
        let _ = writeln!(
            text,
            "  {name}call {convention} {results} {callee}({})",
            args.join(", ")
        );
        take(&mut text, number, case);
        let_go(&mut text, "h", &format!("@live{number}"));
        text.push_str("  ret void\n}\n\n");
    }
    text
}

/// Loads an argument; returns it as it stands in the call.
fn send(text: &mut String, number: usize, index: usize, param: &Param) -> String {
    let source = format!("@in{number}");
    at(text, &format!("s{index}"), &source, param.offset);
    let (ty, written) = (param.ty.0, param.written());
    match param.kind {
        Kind::ByVal(..) => format!("{written} %s{index}"),
        Kind::StructReturn(_) => format!("{written} @res{number}"),
        Kind::SwiftError => {
            let _ = writeln!(
                text,
                "  %x{index} = alloca swifterror ptr\n  %v{index} = load ptr, ptr %s{index}\n  \
                 store ptr %v{index}, ptr %x{index}"
            );
            format!("{written} %x{index}")
        }
        _ => {
            let _ = writeln!(text, "  %v{index} = load {ty}, ptr %s{index}{}", alignment(ty));
            format!("{written} %v{index}")
        }
    }
}

/// Writes results to the memory that is compared.
fn take(text: &mut String, number: usize, case: &Case) {
    for (index, result) in case.results.iter().enumerate() {
        let ty = result.ty.0;
        at(text, &format!("t{index}"), &format!("@res{number}"), result.offset);
        let value = if case.results.len() == 1 {
            "%r".to_owned()
        } else {
            let _ = writeln!(text, "  %u{index} = extractvalue {} %r, {index}", case.result_type());
            format!("%u{index}")
        };
        let _ = match result.kind {
            Kind::SignExtended => writeln!(
                text,
                "  %y{index} = sext {ty} {value} to i32\n  store i32 %y{index}, ptr %t{index}"
            ),
            Kind::ZeroExtended => writeln!(
                text,
                "  %y{index} = zext {ty} {value} to i32\n  store i32 %y{index}, ptr %t{index}"
            ),
            _ => writeln!(text, "  store {ty} {value}, ptr %t{index}{}", alignment(ty)),
        };
    }
    if let Some(index) = case.params.iter().position(|param| param.kind == Kind::SwiftError) {
        let _ = writeln!(
            text,
            "  %w = load ptr, ptr %x{index}\n  store ptr %w, ptr @error{number}"
        );
    }
}

/// The C program that calls the callers and prints the numbers of functions where something is wrong. llc -O0 moves a
/// `bfloat` by a function that the run-time library of old compilers has not.
pub fn main(cases: &[Case]) -> String {
    let mut text = "#include <stdio.h>\n#include <string.h>\n\
        long long pool[64], callee_sink[64];\n\
        float __truncsfbf2(float f) { unsigned b; memcpy(&b, &f, 4); b >>= 16; memcpy(&f, &b, 4); return f; }\n"
        .to_owned();
    let list = |bytes: &[u8]| bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
    for (number, case) in cases.iter().enumerate() {
        let returned = match case.struct_return() {
            Some(param) => case.sent[param.offset..param.offset + param.bytes()].to_vec(),
            None => case.returned.clone(),
        };
        let (sent, size) = (list(&case.sent), case.sent.len());
        let _ = writeln!(
            text,
            "_Alignas(64) unsigned char in{number}[{size}] = {{{sent}}}, got{number}[{size}];\n\
             _Alignas(16) unsigned char ret{number}[{0}] = {{{1}}}, res{number}[{0}];\n\
             char *error{number}; long long live{number}[{2}]; void call{number}(void);",
            returned.len(),
            list(&returned),
            2 * HELD
        );
    }
    text.push_str("int main(void) {\n  for (int i = 0; i < 64; i++) pool[i] = 0x4008000000000000LL + i * 12345;\n");
    for (number, case) in cases.iter().enumerate() {
        let _ = writeln!(text, "  call{number}();");
        for (index, param) in case.params.iter().enumerate() {
            if matches!(param.kind, Kind::StructReturn(_)) {
                continue;
            }
            let (offset, bytes) = (param.offset, param.bytes());
            let _ = writeln!(
                text,
                "  if (memcmp(in{number} + {offset}, got{number} + {offset}, {bytes})) puts(\"{number} argument {index}\");"
            );
        }
        let _ = writeln!(
            text,
            "  if (memcmp(ret{number}, res{number}, sizeof ret{number})) puts(\"{number} result\");\n  \
             for (int i = 0; i < {HELD}; i++)\n    \
             if (live{number}[2 * i] != pool[i] || live{number}[2 * i + 1] != pool[i]) puts(\"{number} lost a value\");"
        );
        if let Some(param) = case.params.iter().find(|param| param.kind == Kind::SwiftError) {
            let _ = writeln!(
                text,
                "  if (error{number} != *(char **)(in{number} + {}) + 77) puts(\"{number} error\");",
                param.offset
            );
        }
    }
    text.push_str("  return 0;\n}\n");
    text
}
