//! Which module of a crate may use which: there is no circle among them, so that each can be read, and tested, with
//! nothing in mind but those below it. The order that this makes is written down in [`LIST`], for newcomers.
//!
//! Method: a module is a file below a crate's `src`. It uses the modules that its paths lead to: those that begin with
//! `crate`, `super`, `self` or an imported name, in `use` items and anywhere else, followed through re-exports to where
//! things are defined. Test modules are left out. A module may name what is inside of it freely, since that is what it
//! is made of; strongly connected components of the rest are circles. What it does not see: methods that are called on
//! values, and paths that macros put together.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Item, UseTree, Visibility};

use super::{Problem, SourceFile};

/// A module's path below the crate's root; the root's is empty.
type Path = Vec<String>;

/// A module, and the paths in it as they are written.
#[derive(Debug, Default)]
struct Module {
    file: String,
    /// Paths that lead elsewhere.
    paths: BTreeSet<Path>,
    /// The names that it imports, and the paths that they stand for.
    imports: BTreeMap<String, Path>,
    /// Those of them that others see, too.
    exports: BTreeMap<String, Path>,
    /// Modules inside of it that only tests have.
    test_modules: BTreeSet<String>,
}

/// The modules of a crate.
type Modules = BTreeMap<Path, Module>;

/// The list of all modules in their order.
pub const LIST: &str = "docs/modules.md";

/// Checks all crates, and the list.
pub fn check(files: &[SourceFile], problems: &mut Vec<Problem>) {
    let crates = crates(files, problems);
    for (folder, modules) in &crates {
        let graph = uses(modules);
        for circle in circles(&graph) {
            let names: Vec<String> = circle.iter().map(|path| name(path)).collect();
            let mut message = format!("{} modules in a circle: {}", names.len(), names.join(", "));
            for from in &circle {
                for (to, how) in graph[from].iter().filter(|(to, _)| circle.contains(to)) {
                    let _ = write!(message, "\n    {} uses {} ({})", name(from), name(to), how.join("::"));
                }
            }
            problems.push(Problem {
                path: folder.clone(),
                line: 0,
                message,
            });
        }
    }
    if let Some(list) = files.iter().find(|file| file.path == LIST)
        && problems.is_empty()
        && list.text != text_of(&crates)
    {
        problems.push(list.problem(0, "is not up to date: run `cargo xtask modules`"));
    }
}

/// The text of the list.
pub fn list(files: &[SourceFile]) -> String {
    text_of(&crates(files, &mut Vec::new()))
}

fn text_of(crates: &BTreeMap<String, Modules>) -> String {
    let mut text = String::from(
        "# The order of modules\n\nMade by `cargo xtask modules`. In each crate, a module uses modules of lines before \
         its own, and what is inside of it.\n",
    );
    for (folder, modules) in crates.iter().filter(|(_, modules)| modules.len() > 1) {
        let _ = write!(text, "\n## {}\n\n", folder.trim_end_matches('/'));
        let graph = uses(modules);
        let mut levels: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let mut known = BTreeMap::new();
        for path in graph.keys() {
            levels
                .entry(level(&graph, path, &mut known))
                .or_default()
                .push(name(path));
        }
        for (number, (_, names)) in levels.into_iter().enumerate() {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let _ = writeln!(text, "{}. {}", number + 1, names.join(", "));
        }
    }
    text
}

/// The length of the longest path down from a module; modules in a circle are on one level.
fn level<'g>(graph: &'g Graph, path: &'g Path, known: &mut BTreeMap<&'g Path, usize>) -> usize {
    if let Some(&level) = known.get(path) {
        return level;
    }
    known.insert(path, 0);
    let used = graph.get(path).into_iter().flat_map(BTreeMap::keys);
    let below = used
        .filter(|used| graph.contains_key(*used))
        .map(|used| level(graph, used, known) + 1)
        .max();
    known.insert(path, below.unwrap_or(0));
    below.unwrap_or(0)
}

/// The modules that each module uses, with a path that leads there.
type Graph = BTreeMap<Path, BTreeMap<Path, Path>>;

/// The crates by their source folders.
fn crates(files: &[SourceFile], problems: &mut Vec<Problem>) -> BTreeMap<String, Modules> {
    let roots = files.iter().filter_map(|file| {
        let folder = file
            .path
            .strip_suffix("lib.rs")
            .or_else(|| file.path.strip_suffix("main.rs"))?;
        (folder == "src/" || folder.ends_with("/src/")).then(|| folder.to_owned())
    });
    let mut crates: BTreeMap<String, Modules> = roots.map(|folder| (folder, Modules::new())).collect();
    for file in files.iter().filter(|file| file.is_rust()) {
        let Some((folder, modules)) = crates
            .iter_mut()
            .find(|(folder, _)| file.path.starts_with(folder.as_str()))
        else {
            continue;
        };
        match file.syntax() {
            Ok(syntax) => {
                let path = module_path(&file.path[folder.len()..]);
                let module = modules.entry(path).or_default();
                module.file.clone_from(&file.path);
                syntax.items.iter().for_each(|item| module.read(item));
            }
            Err(error) => problems.push(file.problem(error.span().start().line, format!("cannot be parsed: {error}"))),
        }
    }
    for modules in crates.values_mut() {
        let tests: Vec<Path> = modules
            .iter()
            .flat_map(|(path, module)| module.test_modules.iter().map(|name| child(path, name)))
            .collect();
        modules.retain(|path, _| !tests.iter().any(|test| path.starts_with(test)));
    }
    crates
}

/// The module that a file below `src` holds.
fn module_path(file: &str) -> Path {
    let mut path: Path = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if path
        .last()
        .is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str()))
    {
        path.pop();
    }
    path
}

fn child(path: &[String], name: &str) -> Path {
    let mut path = path.to_vec();
    path.push(name.to_owned());
    path
}

fn name(path: &[String]) -> String {
    if path.is_empty() {
        return "the root".to_owned();
    }
    path.join("::")
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    let is_test = |attribute: &Attribute| attribute.meta.to_token_stream().to_string() == "cfg (test)";
    attributes.iter().any(is_test)
}

impl Module {
    fn read(&mut self, item: &Item) {
        match item {
            Item::Mod(module) if is_for_tests(&module.attrs) => {
                self.test_modules.insert(module.ident.to_string());
            }
            Item::Mod(module) => {
                // What stands in the file belongs to it.
                let inner = module.content.iter().flat_map(|(_, items)| items);
                inner.for_each(|item| self.read(item));
            }
            Item::Use(item) => {
                let is_export = !matches!(item.vis, Visibility::Inherited);
                self.read_use(&mut Vec::new(), &item.tree, is_export);
            }
            item => self.read_tokens(item.to_token_stream()),
        }
    }

    fn read_use(&mut self, prefix: &mut Path, tree: &UseTree, is_export: bool) {
        let (part, renamed) = match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.read_use(prefix, &path.tree, is_export);
                prefix.pop();
                return;
            }
            UseTree::Group(group) => {
                group
                    .items
                    .iter()
                    .for_each(|tree| self.read_use(prefix, tree, is_export));
                return;
            }
            UseTree::Name(name) => (name.ident.to_string(), name.ident.to_string()),
            UseTree::Rename(rename) => (rename.ident.to_string(), rename.rename.to_string()),
            UseTree::Glob(_) => {
                self.paths.insert(prefix.clone());
                return;
            }
        };
        let path = match part == "self" {
            true => prefix.clone(),
            false => child(prefix, &part),
        };
        if is_export {
            self.exports.insert(renamed.clone(), path.clone());
        }
        self.imports.insert(renamed, path.clone());
        self.paths.insert(path);
    }

    /// Finds paths among tokens, those of macros included.
    fn read_tokens(&mut self, tokens: TokenStream) {
        let mut path: Path = Vec::new();
        // How many colons have come since the last word of the path.
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() => colons += 1,
                TokenTree::Ident(ident) => {
                    let word = ident.to_string();
                    if colons == 2 {
                        path.push(word);
                    } else {
                        self.end_path(&mut path);
                        path.push(word);
                    }
                    colons = 0;
                }
                other => {
                    self.end_path(&mut path);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.read_tokens(group.stream());
                    }
                }
            }
        }
        self.end_path(&mut path);
    }

    fn end_path(&mut self, path: &mut Path) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.paths.insert(path);
        }
    }
}

fn uses(modules: &Modules) -> Graph {
    let of = |from: &Path, module: &Module| {
        let mut used = BTreeMap::new();
        for path in &module.paths {
            let first = path.first().and_then(|first| module.imports.get(first));
            // A path in a `use` item is its own import.
            let whole: Path = match first.filter(|import| import.as_slice() != path.as_slice()) {
                Some(import) => import.iter().chain(&path[1..]).cloned().collect(),
                None => path.clone(),
            };
            if let Some(to) = resolve(modules, from, &whole, 0).filter(|to| !to.starts_with(from)) {
                used.entry(to).or_insert_with(|| path.clone());
            }
        }
        used
    };
    modules
        .iter()
        .map(|(path, module)| (path.clone(), of(path, module)))
        .collect()
}

/// More re-exports of re-exports are none.
const MOST_EXPORTS: u32 = 8;

/// The module in which a path ends that is written in `from`; `None` if it leads out of the crate.
fn resolve(modules: &Modules, from: &Path, path: &[String], exports: u32) -> Option<Path> {
    let (mut place, mut rest) = match path.first()?.as_str() {
        "crate" => (Path::new(), &path[1..]),
        "super" | "self" => (from.clone(), path),
        first if modules.contains_key(&child(from, first)) => (from.clone(), path),
        _ => return None,
    };
    while let Some(word) = rest.first().filter(|word| ["super", "self"].contains(&word.as_str())) {
        if word == "super" {
            place.pop();
        }
        rest = &rest[1..];
    }
    while let Some(word) = rest.first() {
        let inner = child(&place, word);
        if modules.contains_key(&inner) {
            (place, rest) = (inner, &rest[1..]);
            continue;
        }
        let export = modules.get(&place).and_then(|module| module.exports.get(word));
        let target = export.filter(|export| export.as_slice() != path && exports < MOST_EXPORTS);
        return target
            .and_then(|export| resolve(modules, &place, export, exports + 1))
            .or(Some(place));
    }
    Some(place)
}

/// Modules that use each other, directly or through others.
fn circles(graph: &Graph) -> Vec<Vec<Path>> {
    let mut numbers: BTreeMap<&Path, NodeIndex> = BTreeMap::new();
    let mut directed: DiGraph<&Path, ()> = DiGraph::new();
    for path in graph.keys() {
        numbers.insert(path, directed.add_node(path));
    }
    for (from, used) in graph {
        for to in used.keys().filter(|to| numbers.contains_key(to)) {
            directed.add_edge(numbers[from], numbers[to], ());
        }
    }
    let components = tarjan_scc(&directed)
        .into_iter()
        .filter(|component| component.len() > 1);
    let mut circles: Vec<Vec<Path>> = components
        .map(|component| component.into_iter().map(|node| directed[node].clone()).collect())
        .collect();
    circles.iter_mut().for_each(|circle| circle.sort());
    circles.sort();
    circles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<SourceFile> = files
            .iter()
            .map(|(path, text)| SourceFile::new(format!("one/src/{path}"), *text))
            .collect();
        let mut problems = Vec::new();
        check(&files, &mut problems);
        problems.iter().map(|problem| problem.message.clone()).collect()
    }

    #[test]
    fn a_parent_may_name_its_children_and_they_may_name_it() {
        let root = ("lib.rs", "mod a; pub use a::b::Thing;");
        let parent = ("a/mod.rs", "mod b; fn f() { b::g() } pub struct Other;");
        assert!(
            found(&[
                root,
                parent,
                ("a/b.rs", "use super::Other; pub fn g() {} pub struct Thing;")
            ])
            .is_empty()
        );
    }

    #[test]
    fn circles_are_found_through_re_exports_and_in_macros() {
        let root = ("lib.rs", "mod a; mod b; pub use a::Thing;");
        let (a, b) = (
            ("a.rs", "pub struct Thing; fn f() { println!(\"{}\", crate::b::g()) }"),
            ("b.rs", "use crate::Thing; pub fn g() -> u8 { 1 }"),
        );
        let messages = found(&[root, a, b]);
        assert_eq!(
            messages,
            ["2 modules in a circle: a, b\n    a uses b (crate::b::g)\n    b uses a (crate::Thing)"]
        );
    }

    #[test]
    fn circles_are_found_through_imported_modules() {
        let root = ("lib.rs", "mod a; mod b;");
        let a = ("a/mod.rs", "pub mod c;");
        let c = ("a/c.rs", "use crate::b::g; pub fn f() {}");
        let b = ("b.rs", "use crate::a; pub fn g() { a::c::f() }");
        let messages = found(&[root, a, c, b]);
        assert_eq!(messages.len(), 1, "{messages:?}");
        assert!(
            messages[0].starts_with("2 modules in a circle: a::c, b\n"),
            "{messages:?}"
        );
    }

    #[test]
    fn tests_may_use_what_they_like() {
        let root = ("lib.rs", "mod a; mod b;");
        let a = ("a.rs", "#[cfg(test)] mod tests; use crate::b::g;");
        let tests = ("a/tests.rs", "use crate::b::g;");
        let b = ("b.rs", "pub fn g() {} #[cfg(test)] mod tests { use crate::a::f; }");
        assert!(found(&[root, a, tests, b]).is_empty());
    }
}
