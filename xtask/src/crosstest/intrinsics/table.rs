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
            Ty::Pair(pair) => format!("{{ {}, {} }}", pair[0].text(), pair[1].text()),
        }
    }

    fn bits(&self) -> u32 {
        match self {
            Ty::Pointer => 64,
            Ty::Lanes(lanes, _, bits) => lanes * bits,
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
    /// The operand that must be a constant.
    constant: Option<usize>,
}

/// Reads the table.
pub fn read() -> Result<Vec<Intrinsic>> {
    let printed = process::checked(workspace::llvm_tool("llvm-config-22")?.arg("--includedir"))?.stdout;
    let path = format!("{}/llvm/IR/IntrinsicsX86.td", String::from_utf8_lossy(&printed).trim());
    let text = fs::read_to_string(&path).with_context(|| path.clone())?;
    Ok(text.split("\n  def int_x86_").skip(1).filter_map(parse).collect())
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
    let constant = rest
        .split_once("ImmArg<ArgIndex<")
        .and_then(|(_, rest)| rest.split('>').next()?.parse().ok());
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
        constant,
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

impl Intrinsic {
    /// The widest of its types.
    pub fn bits(&self) -> u32 {
        self.params.iter().chain(&self.result).map(Ty::bits).max().unwrap_or(0)
    }

    /// The values that its constant takes; one of no meaning if it has none.
    pub fn constants(&self) -> Vec<u32> {
        match self.constant {
            None => vec![0],
            Some(_) if self.name.contains("gather") => vec![1, 2, 4, 8],
            Some(_) if self.name.starts_with("avx.cmp.") => (0..32).collect(),
            Some(_) if self.name.contains(".cmp.") => (0..8).collect(),
            // The current rounding.
            Some(_)
                if ["avx512.max.", "avx512.min.", "avx512.vfmaddsub."]
                    .iter()
                    .any(|start| self.name.starts_with(start)) =>
            {
                vec![4]
            }
            Some(_) if self.name.contains("round") => vec![0, 1, 2, 3, 8, 9, 10, 11, 4, 12],
            Some(_) if self.name == "sha1rnds4" || self.name.starts_with("vcvtps2ph") => (0..4).collect(),
            Some(_) if self.name.contains("pternlog") => (0..256).collect(),
            Some(_) => vec![0, 1, 2, 4, 7, 0x10, 0x1b, 0x31, 0x3c, 0x5a, 0x81, 0xff],
        }
    }

    /// The line of LLVM's text that declares it.
    pub fn declaration(&self) -> String {
        let params: Vec<String> = (self.params.iter().enumerate())
            .map(|(index, ty)| match self.constant == Some(index) {
                true => format!("{} immarg", ty.text()),
                false => ty.text(),
            })
            .collect();
        let result = self.result.as_ref().map_or("void".to_owned(), Ty::text);
        format!("declare {result} @llvm.x86.{}({})", self.name, params.join(", "))
    }

    /// A function that loads operands from one address, and stores the result to another. What is stored to or loaded
    /// from by the intrinsic is there, too; indices are cut to what is there.
    pub fn function(&self, name: &str, constant: u32) -> String {
        let mut text = format!("define void {name}(ptr %in, ptr %out) #0 {{\n");
        let mut args = Vec::new();
        for (index, ty) in self.params.iter().enumerate() {
            let (word, at) = (ty.text(), 64 * index);
            if self.constant == Some(index) {
                args.push(format!("{word} {constant}"));
                continue;
            }
            if *ty == Ty::Pointer {
                let base = if self.result.is_some() { "%in" } else { "%out" };
                let _ = writeln!(text, "  %a{index} = getelementptr i8, ptr {base}, i64 512");
                args.push(format!("ptr %a{index}"));
                continue;
            }
            let _ = writeln!(text, "  %p{index} = getelementptr i8, ptr %in, i64 {at}");
            let is_index = self.name.contains("gather") && index == 2;
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
