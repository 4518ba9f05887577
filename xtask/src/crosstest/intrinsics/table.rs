//! LLVM's table of the processor's intrinsics (`IntrinsicsX86.td`, which the package with its headers brings), as far
//! as types of vectors, numbers and addresses go, and the functions that call them.

use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result};

use crate::{process, workspace};

/// A type of an operand or a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ty {
    Pointer,
    /// As many `bfloat`.
    Bfloats(u32),
    /// Lanes (1 for a number), whether they are floats, and their bits.
    Lanes(u32, bool, u32),
    /// A structure of these.
    Pair(Box<[Ty; 2]>),
}

impl Ty {
    /// From a word such as `llvm_v4f32_ty`.
    fn parse(word: &str) -> Option<Ty> {
        let name = word.trim().strip_prefix("llvm_")?.strip_suffix("_ty")?;
        match name {
            "ptr" => return Some(Ty::Pointer),
            "float" => return Some(Ty::Lanes(1, true, 32)),
            "double" => return Some(Ty::Lanes(1, true, 64)),
            _ => {}
        }
        let (lanes, element) = match name.strip_prefix('v') {
            Some(rest) => {
                let end = rest.find(|c: char| !c.is_ascii_digit())?;
                (rest[..end].parse().ok()?, &rest[end..])
            }
            None => (1, name),
        };
        if element == "bf16" {
            return Some(Ty::Bfloats(lanes));
        }
        let is_float = element.starts_with('f');
        let bits = element.strip_prefix(['i', 'f'])?.parse().ok()?;
        (!is_float || bits >= 32).then_some(Ty::Lanes(lanes, is_float, bits))
    }

    /// As LLVM writes it.
    fn text(&self) -> String {
        match self {
            Ty::Pointer => "ptr".to_owned(),
            Ty::Lanes(lanes, is_float, bits) => {
                let element = match (is_float, bits) {
                    (true, 32) => "float".to_owned(),
                    (true, _) => "double".to_owned(),
                    (false, bits) => format!("i{bits}"),
                };
                if *lanes == 1 {
                    element
                } else {
                    format!("<{lanes} x {element}>")
                }
            }
            Ty::Bfloats(lanes) => format!("<{lanes} x bfloat>"),
            Ty::Pair(pair) => format!("{{ {}, {} }}", pair[0].text(), pair[1].text()),
        }
    }

    fn bits(&self) -> u32 {
        match self {
            Ty::Pointer => 64,
            Ty::Lanes(lanes, _, bits) => lanes * bits,
            Ty::Bfloats(lanes) => lanes * 16,
            Ty::Pair(pair) => pair[0].bits() + pair[1].bits(),
        }
    }

    /// The bits of a lane that is a float, or 0.
    pub fn float_bits(&self) -> u32 {
        match self {
            Ty::Lanes(_, true, bits) => *bits,
            _ => 0,
        }
    }
}

/// A row of the table.
#[derive(Clone, Debug)]
pub struct Intrinsic {
    /// Without `llvm.x86.`.
    pub name: String,
    pub result: Option<Ty>,
    params: Vec<Ty>,
    /// The operands that must be constants.
    constants: Vec<usize>,
}

/// What is chosen of an intrinsic in one of its functions.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The values of its constants, in order.
    constants: Vec<u32>,
    /// Whether all bits of its masks are set.
    has_full_masks: bool,
}

/// Reads the table.
pub fn read() -> Result<Vec<Intrinsic>> {
    let printed = process::checked(workspace::llvm_tool("llvm-config-22")?.arg("--includedir"))?.stdout;
    let path = format!("{}/llvm/IR/IntrinsicsX86.td", String::from_utf8_lossy(&printed).trim());
    let text = fs::read_to_string(&path).with_context(|| path.clone())?;
    let mut all: Vec<Intrinsic> = text.split("\n  def int_x86_").skip(1).filter_map(parse).collect();
    all.extend(overloaded());
    Ok(all)
}

/// Those that the table has once for several types, which their names end with.
fn overloaded() -> Vec<Intrinsic> {
    let mut all = Vec::new();
    for length in [128, 256, 512] {
        for (is_float, bits) in [
            (false, 8),
            (false, 16),
            (false, 32),
            (false, 64),
            (true, 32),
            (true, 64),
        ] {
            let (lanes, letter) = (length / bits, if is_float { 'f' } else { 'i' });
            let (vector, mask) = (Ty::Lanes(lanes, is_float, bits), Ty::Lanes(lanes, false, 1));
            for operation in ["compress", "expand"] {
                all.push(Intrinsic {
                    name: format!("avx512.mask.{operation}.v{lanes}{letter}{bits}"),
                    result: Some(vector.clone()),
                    params: vec![vector.clone(), vector.clone(), mask.clone()],
                    constants: Vec::new(),
                });
            }
        }
    }
    for (lanes, from, to) in [(16, 32, 32), (8, 64, 64), (8, 64, 32)] {
        for operation in ["sitofp", "uitofp"] {
            all.push(Intrinsic {
                name: format!("avx512.{operation}.round.v{lanes}f{to}.v{lanes}i{from}"),
                result: Some(Ty::Lanes(lanes, true, to)),
                params: vec![Ty::Lanes(lanes, false, from), Ty::Lanes(1, false, 32)],
                constants: vec![1],
            });
        }
    }
    all
}

/// One definition, from its name on.
fn parse(text: &str) -> Option<Intrinsic> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let text_of_definition = text.split_once(">;").map_or(text, |(definition, _)| definition);
    let lists = &text_of_definition[text_of_definition.find("Intrinsic<")? + "Intrinsic<".len()..];
    let (results, rest) = list(lists)?;
    let (params, rest) = list(rest)?;
    let types = |words: Vec<&str>| words.into_iter().map(Ty::parse).collect::<Option<Vec<_>>>();
    let results = types(results)?;
    let constants = rest.split("ImmArg<ArgIndex<").skip(1);
    let constants = constants
        .filter_map(|rest| rest.split('>').next()?.parse().ok())
        .collect();
    // The name says itself where dots are, or they stand for underscores.
    let name = match rest.split('"').nth(1) {
        Some(name) if name.starts_with("llvm.x86.") => name["llvm.x86.".len()..].to_owned(),
        _ => text[..end].replace('_', "."),
    };
    let result = match <[Ty; 2]>::try_from(results.clone()) {
        Ok(pair) => Some(Ty::Pair(Box::new(pair))),
        Err(_) => results.into_iter().next(),
    };
    Some(Intrinsic {
        name,
        result,
        params: types(params)?,
        constants,
    })
}

/// The words of the next list in brackets, and what comes after it.
fn list(text: &str) -> Option<(Vec<&str>, &str)> {
    let (inside, rest) = text.split_once('[')?.1.split_once(']')?;
    Some((
        inside
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .collect(),
        rest,
    ))
}

/// Lines that load a mask from its address, whose bits are those of a number of whole bytes.
fn load_mask(index: usize, lanes: u32) -> String {
    let bits = lanes.max(8);
    let mut text = format!("  %i{index} = load i{bits}, ptr %p{index}, align 1\n");
    let _ = match lanes < bits {
        true => writeln!(text, "  %n{index} = trunc i{bits} %i{index} to i{lanes}"),
        false => writeln!(text, "  %n{index} = add i{bits} %i{index}, 0"),
    };
    let _ = writeln!(text, "  %a{index} = bitcast i{lanes} %n{index} to <{lanes} x i1>");
    text
}

impl Intrinsic {
    /// The widest of its types.
    pub fn bits(&self) -> u32 {
        self.params.iter().chain(&self.result).map(Ty::bits).max().unwrap_or(0)
    }

    /// The functions that are made of it: its constants take all of their values, each with one of the others'.
    pub fn variants(&self) -> Vec<Variant> {
        let values: Vec<Vec<u32>> = self.constants.iter().map(|&index| self.values(index)).collect();
        let count = values.iter().map(Vec::len).max().unwrap_or(1);
        let of = |number: usize, has_full_masks: bool| Variant {
            constants: values.iter().map(|values| values[number % values.len()]).collect(),
            has_full_masks,
        };
        let mut variants: Vec<Variant> = (0..count).map(|number| of(number, false)).collect();
        if (0..self.params.len()).any(|index| self.is_mask(index)) {
            variants.push(of(0, true));
        }
        variants
    }

    /// Whether an operand is a mask: a vector of bits, or a number that stands for one.
    fn is_mask(&self, index: usize) -> bool {
        let is_one = match self.params[index] {
            Ty::Lanes(1, false, 8 | 16) => self.name.starts_with("avx512") && !self.name.contains("broadcastm"),
            Ty::Lanes(1, false, 32 | 64) => self.name.contains(".mask.pmov"),
            Ty::Lanes(_, false, 1) => true,
            _ => false,
        };
        is_one && !self.constants.contains(&index)
    }

    /// Whether a constant says how results are rounded: the last operand of most.
    fn is_rounding(&self, index: usize) -> bool {
        const OTHERS: [&str; 5] = ["fpclass", "dbpsadbw", "pternlog", "gather", "scatter"];
        self.name.starts_with("avx512.")
            && index + 1 == self.params.len()
            && !OTHERS.iter().any(|name| self.name.contains(name))
    }

    /// The values that a constant takes.
    fn values(&self, index: usize) -> Vec<u32> {
        let name = &self.name;
        // Where nothing is rounded, exceptions may be kept silent.
        const EXACT: [&str; 13] = [
            "max", "min", "getexp", "getmant", "rndscale", "reduce", "range", "fixupimm", "cmp", "comi", "ps2pd",
            "cvtt", "ph2ps",
        ];
        match () {
            () if self.is_rounding(index) => {
                match name.contains("ss2sd") || EXACT.iter().any(|exact| name.contains(exact)) {
                    true => vec![4, 8],
                    false => vec![4, 8, 9, 10, 11],
                }
            }
            () if name.contains("gather") || name.contains("scatter") => vec![1, 2, 4, 8],
            () if name.starts_with("avx.cmp.") || name.starts_with("avx512.") && name.contains("cmp.") => {
                (0..32).collect()
            }
            () if name.contains("comi.") => (0..32).collect(),
            () if name.contains(".cmp.") => (0..8).collect(),
            () if name.contains("getmant") => (0..12).collect(),
            () if name.contains("range") => (0..16).collect(),
            () if name.contains("round") => vec![0, 1, 2, 3, 8, 9, 10, 11, 4, 12],
            () if name == "sha1rnds4" || name.contains("vcvtps2ph") => (0..4).collect(),
            () if name.contains("pternlog") => (0..256).collect(),
            () => vec![0, 1, 2, 4, 7, 0x10, 0x1b, 0x31, 0x3c, 0x5a, 0x81, 0xff],
        }
    }

    /// The line of LLVM's text that declares it.
    pub fn declaration(&self) -> String {
        let params: Vec<String> = (self.params.iter().enumerate())
            .map(|(index, ty)| match self.constants.contains(&index) {
                true => format!("{} immarg", ty.text()),
                false => ty.text(),
            })
            .collect();
        let result = self.result.as_ref().map_or("void".to_owned(), Ty::text);
        format!("declare {result} @llvm.x86.{}({})", self.name, params.join(", "))
    }

    /// A function that loads operands from one address, and stores the result to another. What is stored to or loaded
    /// from by the intrinsic is there, too; indices are cut to what is there.
    pub fn function(&self, name: &str, variant: &Variant) -> String {
        let mut text = format!("define void {name}(ptr %in, ptr %out) #0 {{\n");
        let mut args = Vec::new();
        for (index, ty) in self.params.iter().enumerate() {
            let (word, at) = (ty.text(), 64 * index);
            if let Some(number) = self.constants.iter().position(|&constant| constant == index) {
                args.push(format!("{word} {}", variant.constants[number]));
                continue;
            }
            if variant.has_full_masks && self.is_mask(index) {
                args.push(match ty {
                    Ty::Lanes(1, ..) => format!("{word} -1"),
                    _ => format!("{word} splat (i1 true)"),
                });
                continue;
            }
            if *ty == Ty::Pointer {
                let base = if self.result.is_some() { "%in" } else { "%out" };
                let _ = writeln!(text, "  %a{index} = getelementptr i8, ptr {base}, i64 512");
                args.push(format!("ptr %a{index}"));
                continue;
            }
            let _ = writeln!(text, "  %p{index} = getelementptr i8, ptr %in, i64 {at}");
            if let &Ty::Lanes(lanes, false, 1) = ty {
                text += &load_mask(index, lanes);
                args.push(format!("{word} %a{index}"));
                continue;
            }
            let is_index = (self.name.contains("gather") || self.name.contains("scatter")) && index == 2;
            let target = if is_index { "all" } else { "a" };
            let _ = writeln!(text, "  %{target}{index} = load {word}, ptr %p{index}, align 1");
            if is_index && let Ty::Lanes(lanes, _, bits) = ty {
                let masks = vec![format!("i{bits} 15"); *lanes as usize].join(", ");
                let _ = writeln!(text, "  %a{index} = and {word} %all{index}, <{masks}>");
            }
            args.push(format!("{word} %a{index}"));
        }
        let call = format!("@llvm.x86.{}({})", self.name, args.join(", "));
        match &self.result {
            &Some(Ty::Lanes(lanes, false, 1)) if lanes > 1 => {
                let word = format!("<{lanes} x i1>");
                let _ = writeln!(
                    text,
                    "  %r = call {word} {call}\n  %bits = bitcast {word} %r to i{lanes}"
                );
                let stored = match lanes < 8 {
                    true => format!("  %stored = zext i{lanes} %bits to i8\n  store i8 %stored, ptr %out, align 1"),
                    false => format!("  store i{lanes} %bits, ptr %out, align 1"),
                };
                let _ = writeln!(text, "{stored}");
            }
            Some(ty) => {
                let word = ty.text();
                let _ = writeln!(text, "  %r = call {word} {call}\n  store {word} %r, ptr %out, align 1");
            }
            None => {
                let _ = writeln!(text, "  call void {call}");
            }
        }
        text + "  ret void\n}\n"
    }
}
