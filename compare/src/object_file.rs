//! Sizes of functions, from an object file's symbols.

use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};
use std::collections::BTreeMap;

/// What an object file says of its code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes in all sections of code.
    pub text_bytes: u64,
    /// Bytes of each function, by name.
    pub functions: BTreeMap<String, u64>,
}

/// Reads sizes.
///
/// # Errors
/// When the bytes are no object file.
pub fn sizes(bytes: &[u8]) -> Result<Sizes, String> {
    let file = object::File::parse(bytes).map_err(|error| format!("the object file cannot be read: {error}"))?;
    let code = file.sections().filter(|section| section.kind() == SectionKind::Text);
    let text_bytes = code.map(|section| section.size()).sum();
    let functions = file
        .symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition());
    let functions = functions.filter_map(|symbol| Some((symbol.name().ok()?.to_owned(), symbol.size())));
    Ok(Sizes {
        text_bytes,
        functions: functions.collect(),
    })
}
