//! What hooks in objects take, as tool files say it: LLVM's words for types, `signext` after those of narrow integers
//! that are extended by their sign.

use crate::text::Source;
use frazil_ir::{Extension, Param, Signature, Type};
use frazil_passes::RecipeError;
use toml::Spanned;

/// The words for types, as the IR has them.
const TYPES: [(&str, Type); 8] = [
    ("i1", Type::I1),
    ("i8", Type::I8),
    ("i16", Type::I16),
    ("i32", Type::I32),
    ("i64", Type::I64),
    ("ptr", Type::PTR),
    ("float", Type::F32),
    ("double", Type::F64),
];

/// The signature of a hook.
///
/// # Errors
/// When a word is none of a type that hooks can take.
pub(crate) fn signature(source: &Source, params: &[Spanned<String>]) -> Result<Signature, RecipeError> {
    let params: Result<Vec<Param>, RecipeError> = params.iter().map(|word| param(source, word)).collect();
    let params = params?;
    Ok(Signature {
        fixed_params: params.len() as u32,
        params,
        ..Signature::default()
    })
}

fn param(source: &Source, word: &Spanned<String>) -> Result<Param, RecipeError> {
    let text = word.get_ref().as_str();
    let (name, is_signed) = match text.strip_suffix(" signext") {
        Some(name) => (name, true),
        None => (text, false),
    };
    let found = TYPES.iter().find(|row| row.0 == name).map(|row| row.1);
    let is_narrow = |ty| matches!(ty, Type::I1 | Type::I8 | Type::I16);
    let Some(ty) = found.filter(|&ty| !is_signed || is_narrow(ty)) else {
        return Err(source.error(word, message(text)));
    };
    let extension = match is_signed {
        true => Extension::Sign,
        // Callees may rely on it, and none minds.
        false if is_narrow(ty) => Extension::Zero,
        false => Extension::None,
    };
    Ok(Param {
        extension,
        ..Param::plain(ty)
    })
}

fn message(found: &str) -> String {
    let words: Vec<&str> = TYPES.iter().map(|row| row.0).collect();
    format!(
        "`{found}` is no type that a hook can take; expected {}, or `i1`, `i8` or `i16` with ` signext` after it",
        words.join(", ")
    )
}
