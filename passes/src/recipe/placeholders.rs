//! Parts of recipe files whose form only the registry knows: [`super::schema`] fills them in.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// Types whose schema depends on the registry.
macro_rules! placeholders {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        pub(super) struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!(true)
            }
        }
    )*};
}

placeholders! {
    /// A pass in a list.
    Pass
    /// A pass in `insert`.
    Insert
    /// A pass in `replace`.
    Replace
    /// The value of `set`.
    Settings
}
