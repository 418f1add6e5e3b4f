//! What an editor says to somebody who writes an expression in a policy: what stands at a place, what may stand there, what to
//! do about what is wrong.
//!
//! In: JSON, `{"input": {texts}, "place": "policies", "at": …, "to"?: …, "resource"?: {…}}`, places in UTF-16 units. Out: JSON. The policy
//! itself says what its expressions may use, by the same environments and the same checker as for a verdict.

mod absent;
mod complete;
mod describe;
mod fields;
mod fixes;
mod names;
pub mod near;
mod repairs;
mod rows;
mod site;
mod tree;
mod values;

use crate::wire::{EvaluateInput, Input};
use engine::world::World;
use engine_cel::syntax::{self, Options};
use engine_json::{Map, Str, Value, to_json};
use fields::Around;
pub use names::{MACROS, Macro};
pub use repairs::{Repair, repairs};
use site::{Site, Sites};
use values::Objects;

/// How deep variables may be made of one another.
const MAX_DEPTH: usize = 8;

/// What is said of a place, as JSON; `null` where no expression stands there, or it cannot be read. What stands between `at`
/// and `to` is asked about.
pub fn describe(input: &EvaluateInput, to: u32, world: &dyn World) -> String {
    let objects = Objects::new(&input.input, input.resource.clone(), world);
    let site = site(input);
    let said = site.and_then(|site| describe::of(&site, (input.at, to.max(input.at)), &objects));
    to_json(&said.unwrap_or_default())
}

/// What may stand at a place, as JSON: `{from, to, path?, kinds?, options: [{label, kind, detail, doc, example?}]}`; `null` where no
/// expression stands there, or nothing is to be completed in it.
pub fn complete(input: &EvaluateInput, world: &dyn World) -> String {
    let objects = Objects::new(&input.input, input.resource.clone(), world);
    let said = site(input).and_then(|site| complete::at(&site, input.at, &objects));
    to_json(&said.unwrap_or_default())
}

/// What may be done about what is wrong with the expressions of a text, and which fields of objects they read, as JSON: `{fixes: [{from,
/// to, message, edits: [{label, from, to, insert}]}], reads: [{from, to, path, kinds}]}`.
pub fn fixes(input: &Input, place: &str) -> String {
    to_json(&fixes::of(&Sites::new(&text(input, place))))
}

fn text(input: &Input, place: &str) -> String {
    let texts = if place == "exceptions" { &input.exceptions } else { &input.policies };
    texts.first().map_or_else(String::new, |text| text.text.clone())
}

fn site(input: &EvaluateInput) -> Option<Site> {
    Sites::at(&text(&input.input, &input.place), input.at)
}

/// How expressions of an environment are read.
fn options(around: &Around) -> Options<'static> {
    Options { macros: around.environment.macros, optional_syntax: true }
}

/// Which field of the object a variable of the policy stands for.
fn variable_path(around: &Around, name: &str, depth: usize) -> Option<Vec<Str>> {
    let variable = around.variables.iter().rfind(|variable| variable.name == name)?;
    let ast = syntax::parse(&variable.source, &options(around)).ok()?;
    let inner = |name: &str| if depth < MAX_DEPTH { variable_path(around, name, depth + 1) } else { None };
    tree::field_path(&ast, ast.root(), &[], &inner)
}

/// What the policy is for: of each resource of its rules the group, the version and the plural.
fn kinds(document: &Value) -> Value {
    let rules = document.find(&["spec", "matchConstraints", "resourceRules"]);
    let list = |rule: &Value, field: &str| {
        let list = rule.get(field).and_then(Value::as_array).unwrap_or_default();
        list.iter().filter_map(Value::as_str).map(Str::from).collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for rule in rules.and_then(Value::as_array).unwrap_or_default().iter().take(MAX_RULES) {
        for resource in list(rule, "resources").iter().take(MAX_RULES) {
            let group = list(rule, "apiGroups").into_iter().next().unwrap_or_default();
            let version = list(rule, "apiVersions").into_iter().next().unwrap_or_default();
            let kind = [group, version, resource.clone()].map(Value::from);
            found.push(Value::array(kind.to_vec()));
        }
    }
    Value::array(found)
}

/// So many rules, and resources of one, are looked at for kinds.
const MAX_RULES: usize = 8;

/// An answer being written.
struct Answer(Map);

impl Answer {
    fn new() -> Self {
        Answer(Map::new())
    }

    fn set(&mut self, name: &str, value: Value) -> &mut Self {
        self.0.insert(name, value);
        self
    }

    fn text(&mut self, name: &str, text: &str) -> &mut Self {
        self.set(name, Value::from(text))
    }

    fn place(&mut self, from: u32, to: u32) -> &mut Self {
        self.set("from", Value::from(i64::from(from))).set("to", Value::from(i64::from(to)))
    }

    fn list(&mut self, name: &str, values: impl Iterator<Item = Value>) -> &mut Self {
        self.set(name, Value::array(values.collect()))
    }

    fn end(self) -> Value {
        Value::object(self.0)
    }
}
