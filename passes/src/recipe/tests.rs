//! Tests of recipes: extending, changing, and what is said about mistakes.

use super::*;
use crate::registry::{NoOptions, PassOptions};
use frazil_ir::Function;
use frazil_ir::pass::{FunctionPass, Level, Order, PassCx, PassError, PassInfo, Preserved};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A pass that does nothing.
struct Idle;

impl FunctionPass for Idle {
    fn run(&self, _: &mut Function, _: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        Ok(Preserved::unchanged())
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Window {
    window: u32,
    most_blocks: Option<u32>,
}

impl Default for Window {
    fn default() -> Self {
        Window {
            window: 256,
            most_blocks: None,
        }
    }
}

const fn info(name: &'static str) -> PassInfo {
    PassInfo {
        name,
        summary: "does nothing",
        level: Level::Function,
        required: false,
        after: &[],
        before: &[],
    }
}

fn idle<O: PassOptions>(_: O) -> Idle {
    Idle
}

fn registry() -> Registry {
    Registry::default().with(|registry| {
        registry.function(info("sroa"), idle::<NoOptions>);
        registry.function(info("local-cse"), idle::<Window>);
        registry.function(
            PassInfo {
                after: &[Order {
                    pass: "sroa",
                    reason: "it sees values only",
                }],
                before: &[Order {
                    pass: "dce",
                    reason: "it leaves dead code",
                }],
                ..info("licm")
            },
            idle::<NoOptions>,
        );
        registry.function(
            PassInfo {
                required: true,
                ..info("dce")
            },
            idle::<NoOptions>,
        );
    })
}

const BASE: &str = r#"
[recipe.base]
summary = "for tests"
passes = ["sroa", { pass = "local-cse", window = 64 }, "licm", "dce"]
"#;

/// The recipe `mine` of the base and a text, as names and settings.
fn resolved(text: &str, overrides: &Overrides) -> Result<Vec<String>, String> {
    let registry = registry();
    let mut book = Book::new(&registry);
    book.add("base.toml", BASE).expect("the base is right");
    book.add("my.toml", text).map_err(|error| error.to_string())?;
    let recipe = book.recipe("mine", overrides).map_err(|error| error.to_string())?;
    let steps = recipe.steps.iter().map(|step| {
        let settings = step.placed.settings.iter();
        let settings: Vec<String> = settings
            .map(|setting| format!(" {}={}", setting.key, setting.value))
            .collect();
        format!("{}{}", step.info.name, settings.concat())
    });
    Ok(steps.collect())
}

fn passes(text: &str) -> Vec<String> {
    resolved(&format!("[recipe.mine]\n{text}"), &Overrides::default()).expect("the recipe is right")
}

fn message(text: &str) -> String {
    resolved(&format!("[recipe.mine]\n{text}"), &Overrides::default()).expect_err("the recipe is wrong")
}

#[test]
fn a_recipe_changes_what_it_extends() {
    let base = ["sroa", "local-cse window=64", "licm", "dce"];
    assert_eq!(passes("extends = \"base\""), base);
    assert_eq!(
        passes("extends = \"base\"\ndisable = [\"licm\"]"),
        ["sroa", "local-cse window=64", "dce"]
    );
    let insert = "extends = 'base'\ninsert = [{ after = 'sroa', pass = 'local-cse', most-blocks = 2 }, \
        { before = 'dce', pass = 'sroa' }]";
    let inserted = [
        "sroa",
        "local-cse most-blocks=2",
        "local-cse window=64",
        "licm",
        "sroa",
        "dce",
    ];
    assert_eq!(passes(insert), inserted);
    assert_eq!(
        passes("extends = 'base'\nreplace = [{ old = 'licm', pass = 'local-cse' }]\nset.local-cse.window = 1"),
        ["sroa", "local-cse window=1", "local-cse window=1", "dce"]
    );
    assert_eq!(passes("passes = ['dce']"), ["dce"]);
}

#[test]
fn the_command_line_has_the_last_word() {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    let mine = "[recipe.mine]\nextends = 'base'";
    let overrides = Overrides {
        passes: None,
        disable: words(&["licm"]),
        set: words(&["local-cse.window=7"]),
    };
    let expected: Vec<String> = words(&["sroa", "local-cse window=7", "dce"]);
    assert_eq!(resolved(mine, &overrides), Ok(expected));
    let overrides = Overrides {
        passes: Some(words(&["dce", "dce"])),
        ..Overrides::default()
    };
    assert_eq!(resolved(mine, &overrides), Ok(words(&["dce", "dce"])));
    for (setting, expected) in [
        (
            "local-cse.window",
            "--set: expected `pass.option=value`, found `local-cse.window`",
        ),
        (
            "local-cse.window=x",
            "--set: pass `local-cse`: expected a whole number from 0 to 4294967295, found the text \"x\" (option `window`)",
        ),
        (
            "local-cse.windo=1",
            "--set: pass `local-cse`: unknown key `windo`; did you mean `window`?",
        ),
        ("lcm.x=1", "--set: no pass `lcm` in recipe mine; did you mean `licm`?"),
    ] {
        let overrides = Overrides {
            set: words(&[setting]),
            ..Overrides::default()
        };
        assert_eq!(resolved(mine, &overrides), Err(expected.to_owned()));
    }
}

#[test]
fn mistakes_are_named_with_file_line_and_the_nearest_name() {
    for (text, expected) in [
        (
            "passes = [\n'licn']",
            "my.toml:3:1: unknown pass `licn`; did you mean `licm`?",
        ),
        (
            "extents = 'base'",
            "my.toml:2:1: unknown key `extents`; did you mean `extends`?",
        ),
        (
            "extends = 'bas'",
            "my.toml:2:11: unknown recipe `bas`; did you mean `base`?",
        ),
        ("extends = 'mine'", "my.toml:2:11: mine extends mine, which never ends"),
        (
            "extends = 'base'\ndisable = ['lcm']",
            "my.toml:3:12: no pass `lcm` in recipe mine; did you mean `licm`?",
        ),
        (
            "extends = 'base'\ndisable = ['dce']",
            "my.toml:3:12: `dce` cannot be left out: code generation relies on it",
        ),
        (
            "extends = 'base'\ninsert = [{ pass = 'sroa' }]",
            "my.toml:3:11: expected either the key `after` or `before`",
        ),
        (
            "extends = 'base'\nreplace = [{ pass = 'sroa' }]",
            "my.toml:3:12: expected the key `old`: the pass to replace",
        ),
        (
            "passes = [{ name = 'sroa' }]",
            "my.toml:2:11: expected the key `pass`: the name of a pass",
        ),
        (
            "passes = ['sroa', { pass = 'local-cse', windw = 1 }]",
            "my.toml:2:41: pass `local-cse`: unknown key `windw`; did you mean `window`?",
        ),
        (
            "passes = [{ pass = 'local-cse', window = 'big' }]",
            "my.toml:2:33: pass `local-cse`: expected a whole number from 0 to 4294967295, found the text \"big\" (option `window`)",
        ),
        (
            "passes = [{ pass = 'licm', window = 1 }]",
            "my.toml:2:28: pass `licm`: unknown key `window`; there are none",
        ),
        (
            "passes = ['licm', 'sroa', 'dce']",
            "my.toml:2:11: `licm` must come after `sroa`: it sees values only",
        ),
        (
            "passes = ['dce', 'licm']",
            "my.toml:2:18: `licm` must come before `dce`: it leaves dead code",
        ),
        (
            "codegen = { mode = 'fats' }",
            "my.toml:2:20: unknown value `fats`; did you mean `fast`?",
        ),
        (
            "codegen = { mode = 'select', regaloc = { } }",
            "my.toml:2:30: unknown key `regaloc`; did you mean `regalloc`?",
        ),
        (
            "codegen = { mode = 'select' }",
            "recipe mine: `mach-passes` must say where `regalloc` is",
        ),
        (
            "mach-passes = ['regalloc']",
            "my.toml:2:16: machine passes need codegen mode `select`; mode `fast` makes code in one walk",
        ),
        (
            "codegen.mode = 'select'\nmach-passes = ['licm', 'regalloc']",
            "my.toml:3:16: `licm` works on the intermediate representation: it belongs in `passes`",
        ),
        (
            "codegen.mode = 'select'\nmach-passes = ['regalloc', 'regalloc']",
            "my.toml:3:28: `regalloc` stands in `mach-passes` twice",
        ),
    ] {
        assert_eq!(message(text), expected);
    }
    let error = resolved("[recipe.O2]\npasses = []", &Overrides::default());
    assert_eq!(
        error,
        Err("my.toml:1:9: recipe `O2` exists already; choose another name".to_owned())
    );
    let error = resolved("[recipe.mine\n", &Overrides::default()).expect_err("no TOML");
    assert!(error.starts_with("my.toml:1:"), "{error}");
}

#[test]
fn a_pass_may_stand_in_a_recipe_again_once_its_order_holds() {
    assert_eq!(passes("passes = ['sroa', 'dce', 'licm', 'dce', 'sroa']").len(), 5);
}

#[test]
fn the_built_in_recipes_are_right_and_the_first_has_no_passes() {
    for builtin in BUILTIN {
        let recipe = Recipe::find(builtin.name).unwrap_or_else(|error| panic!("{error}"));
        assert!(!recipe.summary.is_empty());
        assert_eq!(recipe.name, builtin.name);
        let file = builtin.file.rsplit('/').next().expect("a name");
        assert_eq!(file, format!("{}.toml", builtin.name.to_lowercase()));
    }
    let first = Recipe::find(BUILTIN[0].name).expect("just found");
    assert_eq!((first.steps.len(), first.codegen), (0, Codegen::Fast));
    let error = Recipe::find("om1").expect_err("names are exact");
    assert_eq!(error.to_string(), "unknown recipe `om1`; did you mean `Om1`?");
}

#[test]
fn a_recipe_explains_where_everything_comes_from() {
    let registry = registry();
    let mut book = Book::new(&registry);
    book.add("base.toml", BASE).expect("the base is right");
    book.add(
        "my.toml",
        "[recipe.mine]\nextends = 'base'\nset.local-cse.most-blocks = 3",
    )
    .expect("the recipe is right");
    let recipe = book.recipe("mine", &Overrides::default()).expect("the recipe is right");
    let expected = "mine: for tests\n\
        extends base\n\
        passes over the intermediate representation:\n   \
        1 sroa                 base.toml:4:11\n   \
        2 local-cse            base.toml:4:19\n       \
        most-blocks = 3 (my.toml:3:15)\n       \
        window = 64 (base.toml:4:41)\n   \
        3 licm                 base.toml:4:56\n       \
        after sroa: it sees values only\n       \
        before dce: it leaves dead code\n   \
        4 dce                  base.toml:4:64\n\
        machine code: fast\n";
    assert_eq!(explain(&recipe, &registry), expected);
    let list = list_passes(&registry);
    assert!(
        list.contains("local-cse: does nothing\n    most-blocks = (not set)\n    window = 256\n"),
        "{list}"
    );
    assert!(list.contains("dce [required]: does nothing\n"), "{list}");
}

#[test]
fn the_schema_has_an_alternative_for_each_pass() {
    let schema = schema::schema(&registry());
    let pass = &schema["$defs"]["Pass"]["anyOf"];
    let names = serde_json::json!(["sroa", "local-cse", "licm", "dce", "regalloc"]);
    assert_eq!(pass[0]["enum"], names);
    assert_eq!(pass[2]["properties"]["pass"]["const"], "local-cse");
    assert_eq!(pass[2]["properties"]["window"]["default"], 256);
    assert_eq!(pass[2]["additionalProperties"], false);
    assert_eq!(
        schema["$defs"]["Settings"]["properties"]["local-cse"]["properties"]["window"]["type"],
        "integer"
    );
    assert_eq!(
        schema["$defs"]["RecipeText"]["properties"]["passes"]["items"]["$ref"],
        "#/$defs/Pass"
    );
}

/// `BLESS=1 cargo test -p frazil-passes` writes the file anew.
#[test]
fn the_committed_schema_is_that_of_the_built_in_passes() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("recipes/recipe.schema.json");
    let text = schema::text(&Registry::builtin());
    if std::env::var_os("BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &text).expect("writable");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == text,
        "recipes/recipe.schema.json is not up to date; BLESS=1 writes it anew"
    );
}
