//! A module of a crate uses only modules above it in `lib.rs`.
//!
//! In: the sources of each crate below `engine/`. Out: each path that names a module below, however it is written: `crate::value`,
//! `crate::{value, wire}`, `super::super::value`, or a name that `lib.rs` gives again (`crate::Bundle` is `load`). Exceptions
//! are named here, and one that nothing needs is a breach too.

use super::{Source, none, sources};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Modules that use one below them, each with its crate and the reason.
const UPWARD: &[(&str, &str, &str, &str)] = &[
    ("engine/json", "map", "value", "a value can be a map, and a map holds values"),
    ("engine", "autogen", "load", "the rules that autogen makes are decoded as written ones are"),
    ("engine", "policy", "body", "a policy of a kind that another crate evaluates holds what evaluates it"),
    ("engine", "load", "body", "exceptions are brought to policies that another crate evaluates"),
    (
        "engine",
        "rules",
        "body",
        "a rule in a language that the engine does not know is evaluated by another crate",
    ),
    ("engine", "load", "functions", "a function that does not exist is named when a policy is loaded"),
    ("engine", "load", "matching", "user info is loaded into the type that matching compares"),
];

/// What `lib.rs` says.
struct Order<'t> {
    /// The modules, in their order.
    modules: Vec<&'t str>,
    /// Names of the root, and the module that each comes from.
    given_again: Vec<(&'t str, &'t str)>,
}

impl<'t> Order<'t> {
    fn of(lib: &'t str) -> Self {
        let declared = |line: &'t str| {
            let line = line.strip_prefix("pub ").unwrap_or(line);
            line.strip_prefix("mod ")?.strip_suffix(';')
        };
        let given = |line: &'t str| line.strip_prefix("pub use ")?.strip_suffix(';')?.split_once("::");
        let names = |(module, names): (&'t str, &'t str)| {
            let names = names.trim_start_matches('{').trim_end_matches('}');
            names.split(", ").map(|name| (name, module)).collect::<Vec<_>>()
        };
        Order {
            modules: lib.lines().filter_map(declared).collect(),
            given_again: lib.lines().filter_map(given).flat_map(names).collect(),
        }
    }

    /// How far down a module stands; of a name that is given again, the module that it comes from.
    fn place(&self, name: &str) -> Option<(usize, &'t str)> {
        let from = self.given_again.iter().find(|(given, _)| *given == name).map(|(_, module)| *module);
        let known = self.modules.iter().position(|module| *module == name);
        let place = known.or_else(|| self.modules.iter().position(|module| Some(*module) == from))?;
        Some((place, self.modules.get(place)?))
    }
}

/// Crates whose modules are not in order yet. A crate in order that is named here is a breach too.
const NOT_IN_ORDER: &[&str] = &["engine/compare", "engine/convert", "engine/jmespath"];

#[test]
fn modules_use_only_those_above_them() {
    let all = sources("rs");
    let roots = all.iter().filter_map(|source| {
        let root = source.path.strip_suffix("/src/lib.rs")?;
        root.starts_with("engine").then_some((root, source))
    });
    let mut needed = BTreeSet::new();
    let mut breaches = String::new();
    let mut crates = 0;
    for (root, lib) in roots {
        crates += 1;
        let found = breaches_of(root, &lib.text, &all, &mut needed);
        match (NOT_IN_ORDER.contains(&root), found.is_empty()) {
            (true, true) => _ = writeln!(breaches, "{root} is in order: take it out of NOT_IN_ORDER"),
            (true, false) => {}
            (false, _) => breaches.push_str(&found),
        }
    }
    assert!(crates > 15, "the crates are not found any more");
    for (root, from, to, _) in UPWARD.iter().filter(|exception| !needed.contains(exception)) {
        let file = file!();
        let _ =
            writeln!(breaches, "{file}: `{from}` of {root} does not use `{to}`: the exception is not needed");
    }
    none(&breaches);
}

/// Each use of a module below in one crate, but for the exceptions, which are noted as needed.
fn breaches_of(
    root: &str,
    lib: &str,
    all: &[Source],
    needed: &mut BTreeSet<&'static (&'static str, &'static str, &'static str, &'static str)>,
) -> String {
    let order = Order::of(lib);
    let mut breaches = String::new();
    for source in all {
        let inner = source.path.strip_prefix(root).and_then(|inner| inner.strip_prefix("/src/"));
        let Some(inner) = inner.filter(|inner| !inner.contains("tests")) else { continue };
        let (module, depth) = module_of(inner);
        let Some((own, _)) = order.place(module) else { continue };
        // Tests, which stand last in a file, use what they like.
        let code = source.text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for (line, name) in named_modules(code, depth) {
            let Some((_, used)) = order.place(name).filter(|(place, _)| *place > own) else { continue };
            let is_exception =
                |(of, from, to, _): &&(&str, &str, &str, &str)| *of == root && *from == module && *to == used;
            if let Some(exception) = UPWARD.iter().find(is_exception) {
                needed.insert(exception);
            } else {
                let words = format!("`{module}` uses `{used}`, which stands below it in lib.rs");
                let _ = writeln!(breaches, "{}:{line}: {words}", source.path);
            }
        }
    }
    breaches
}

/// The module of a file below `src`, and how many modules deep the file is: `sieve`, 2 of `sieve/images.rs`.
fn module_of(inner: &str) -> (&str, usize) {
    let path = inner.strip_suffix(".rs").unwrap_or(inner);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    (path.split('/').next().unwrap_or(path), path.split('/').count())
}

/// Every name below the crate's root that a file uses, with its line.
fn named_modules(text: &str, depth: usize) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (start, word, levels) in text
        .match_indices("crate::")
        .map(|(at, word)| (at, word, 0))
        .chain(supers(text).map(|at| (at, "", depth)))
    {
        let (before, rest) = (text.get(..start).unwrap_or(""), text.get(start + word.len()..).unwrap_or(""));
        let is_comment = before.rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with("//"));
        // `engine_crate::` is another word, and `super::super::` has been read from its beginning.
        let goes_on = before.ends_with(|last: char| last.is_alphanumeric() || last == '_' || last == ':');
        if is_comment || goes_on {
            continue;
        }
        let mut names = Vec::new();
        roots(rest, levels, &mut names);
        let line = before.matches('\n').count() + 1;
        found.extend(names.into_iter().map(|name| (line, name)));
    }
    found
}

fn supers(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices("super::").map(|(at, _)| at)
}

/// The first names of a path or of a group of paths, as far as they stand at the root: `levels` modules lie above.
fn roots<'t>(path: &'t str, levels: usize, found: &mut Vec<&'t str>) {
    let path = path.trim_start();
    if let Some(rest) = path.strip_prefix("super::") {
        if let Some(levels) = levels.checked_sub(1) {
            roots(rest, levels, found);
        }
    } else if let Some(group) = path.strip_prefix('{') {
        for member in members(group) {
            roots(member, levels, found);
        }
    } else if levels == 0 {
        let end = path.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(path.len());
        found.extend(path.get(..end).filter(|name| !name.is_empty()));
    }
}

/// The members of a group, which begins behind its bracket.
fn members(group: &str) -> Vec<&str> {
    let (mut found, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, letter) in group.char_indices().filter(|(_, letter)| matches!(letter, '{' | '}' | ',')) {
        match letter {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' if depth > 0 => {}
            _ => {
                found.extend(group.get(start..at));
                start = at + 1;
                if letter == '}' {
                    break;
                }
            }
        }
    }
    found
}

#[test]
fn each_way_to_name_a_module_is_read() {
    let text = "use crate::value;\n// crate::wire\nuse crate::{\n    load::{self, check},\n    wire,\n};\n\
                use super::super::run::run;\nuse super::{other, super::psa};\nfn f() { crate::mesh::f(super::g()) }\n\
                use super::super::{report, sieve::{a, b}};\nmy_crate::cluster::f();\n";
    let names: Vec<&str> = named_modules(text, 2).into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["value", "load", "wire", "mesh", "run", "psa", "report", "sieve"]);
    assert_eq!(named_modules("\nuse super::super::run::run;\n", 2), [(2, "run")]);
    assert_eq!(module_of("sieve/mod.rs"), ("sieve", 1));
    assert_eq!(module_of("cluster.rs"), ("cluster", 1));
    let order =
        Order::of("pub mod value;\nmod patch;\npub use patch::{Patch, other};\npub use value::read;\n");
    assert_eq!(order.place("Patch"), Some((1, "patch")));
    assert_eq!(order.place("read"), Some((0, "value")));
    assert_eq!(order.place("elsewhere"), None);
}
