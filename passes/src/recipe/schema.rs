//! The JSON schema of recipe files, for editors.
//!
//! Method: `schemars` makes it of the types that serde reads. Which passes there are is known by the registry alone, so
//! the definitions of a pass in a list, in `insert`, in `replace` and in `set` are placeholders at first
//! ([`super::placeholders`]), which are filled with one alternative for each pass, made of its options' type.

use super::text::{FileText, REGALLOC};
use crate::registry::{Entry, Registry};
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

/// The schema of files with recipes of the registry's passes.
pub fn schema(registry: &Registry) -> Value {
    let mut generator = SchemaGenerator::default();
    let entries = registry.entries();
    let options: Vec<Map<String, Value>> = entries.iter().map(|entry| options(entry, &mut generator)).collect();
    let mut root = generator.into_root_schema_for::<FileText>().to_value();
    root["title"] = json!("Recipes of Frazil");
    let alternatives = |keys: &[(&str, Value)], required: &[&str]| -> Vec<Value> {
        let rows = entries.iter().zip(&options);
        rows.map(|(entry, options)| table(entry, options, keys, required))
            .collect()
    };
    let mut names: Vec<&str> = entries.iter().map(|entry| entry.info.name).collect();
    let anchor = json!({ "type": "string", "description": "a pass of the recipe that is extended" });
    let settings = entries.iter().zip(&options).map(|(entry, options)| {
        let schema = json!({ "type": "object", "properties": options, "additionalProperties": false });
        (entry.info.name.to_owned(), schema)
    });
    let definitions = &mut root["$defs"];
    definitions["Settings"] = json!({
        "type": "object",
        "properties": settings.collect::<Map<String, Value>>(),
        "additionalProperties": false,
    });
    let old = [("old", anchor.clone())];
    definitions["Replace"] = json!({ "anyOf": alternatives(&old, &["pass", "old"]) });
    let places = [("after", anchor.clone()), ("before", anchor)];
    definitions["Insert"] = json!({
        "anyOf": alternatives(&places, &["pass"]),
        "oneOf": [{ "required": ["after"] }, { "required": ["before"] }],
    });
    let mut pass = alternatives(&[], &["pass"]);
    names.push(REGALLOC);
    pass.insert(0, json!({ "enum": names }));
    definitions["Pass"] = json!({ "anyOf": pass });
    root
}

/// The schema as the text of a JSON file.
pub fn text(registry: &Registry) -> String {
    let mut text = serde_json::to_string_pretty(&schema(registry)).expect("a schema is JSON");
    text.push('\n');
    text
}

/// The options of a pass as properties.
fn options(entry: &Entry, generator: &mut SchemaGenerator) -> Map<String, Value> {
    let schema = entry.schema(generator).to_value();
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.cloned().unwrap_or_default()
}

/// A table that names a pass, with its options and these other keys.
fn table(entry: &Entry, options: &Map<String, Value>, keys: &[(&str, Value)], required: &[&str]) -> Value {
    let mut properties = Map::new();
    let name = json!({ "const": entry.info.name, "description": entry.info.summary });
    properties.insert("pass".to_owned(), name);
    properties.extend(keys.iter().map(|(key, schema)| ((*key).to_owned(), schema.clone())));
    properties.extend(options.clone());
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}
