//! Expressions that Kyverno loads, and that are wrong whenever they are evaluated.
//!
//! In: a rule that Kyverno takes. Out: warnings with their places: a function that does not exist, a field that no request has, a variable that is never closed.

use crate::diag::{Code, Severity};
use crate::functions::registry;
use crate::load::decode::{Problem, Problems, nearest};
use crate::policy::Rule;
use crate::template::{replace_variables, variables};
use engine_jmespath::{Node, Registry, parse};
use engine_json::{Path, Value};

/// How deep variables stand in one another.
const MAX_NESTED: usize = 8;

/// Fields whose whole text is an expression.
const BARE: &[&str] = &["jmesPath", "list"];

/// What a request of the API server holds, with the roles that Kyverno adds.
const OF_REQUEST: &[&str] = &[
    "uid",
    "kind",
    "resource",
    "subResource",
    "requestKind",
    "requestResource",
    "requestSubResource",
    "name",
    "namespace",
    "operation",
    "userInfo",
    "object",
    "oldObject",
    "dryRun",
    "options",
    "roles",
    "clusterRoles",
];

/// The warnings about a rule.
pub(super) fn lint(rule: &Rule, problems: &mut Problems) {
    walk(&rule.raw, &rule.path, &Names { functions: registry() }, problems);
}

/// What expressions may name.
struct Names {
    functions: Registry,
}

fn walk(value: &Value, path: &Path, names: &Names, problems: &mut Problems) {
    match value {
        Value::String(text) => lint_text(text, path, names, problems),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                walk(item, &path.join(at), names, problems);
            }
        }
        Value::Object(map) => {
            for (key, below) in map.iter() {
                let path = path.join(key.clone());
                match below.as_str().filter(|_| BARE.contains(&key.as_str())) {
                    Some(expression) if !expression.contains("{{") => names.lint(expression, &path, problems),
                    _ => walk(below, &path, names, problems),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// All variables of a text, from the innermost outwards.
fn lint_text(text: &str, path: &Path, names: &Names, problems: &mut Problems) {
    let mut rest = text.to_owned();
    for _ in 0..MAX_NESTED {
        let found = variables(&rest);
        if found.is_empty() {
            break;
        }
        for variable in &found {
            let inner = variable.text().trim_start_matches('{').trim_end_matches('}');
            names.lint(inner, path, problems);
        }
        // A name in place of a variable can be read where a value, a text or a key is expected.
        rest = replace_variables(&rest, "x");
    }
    if let Some((_, behind)) = rest.replace("\\{{", "").split_once("{{") {
        let (message, hint) = if behind.contains("}}") { DEEP } else { OPEN };
        warn(problems, path, message.to_owned(), hint.to_owned());
    }
}

/// Braces without an end.
const OPEN: (&str, &str) =
    ("`{{` is never closed: this is no variable but a text", "write `}}` behind the expression");

// Go: the regular expression of variables knows one pair of braces within them.
const DEEP: (&str, &str) = (
    "within `{{ … }}` braces are nested: this is no variable but a text",
    "one pair of braces may be in an expression, not in another pair: take a part of it out into `context`",
);

impl Names {
    fn lint(&self, expression: &str, path: &Path, problems: &mut Problems) {
        let Ok(parsed) = parse(expression.trim()) else { return };
        for node in parsed.ast().walk() {
            match node {
                Node::FunctionExpression { name: Some(name), .. } if self.functions.get(name).is_none() => {
                    let known = self.functions.iter().map(|function| function.name);
                    let message = format!("no function is called `{name}`: the expression is an error");
                    warn(problems, path, message, meant(name, known));
                }
                Node::Subexpression(left, right) => {
                    let (Node::Field(of), Node::Field(name)) = (left.as_ref(), right.as_ref()) else {
                        continue;
                    };
                    if of == "request" && !OF_REQUEST.contains(&name.as_str()) {
                        let message = format!("no request of a cluster has a field `{name}`");
                        warn(problems, path, message, meant(name, OF_REQUEST.iter().copied()));
                    }
                }
                _ => {}
            }
        }
    }
}

fn meant<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> String {
    nearest(word, names).map_or_else(String::new, |name| format!("did you mean `{name}`?"))
}

fn warn(problems: &mut Problems, path: &Path, message: String, hint: String) {
    let path = path.clone();
    problems.push(Problem { path, code: Code::Suspicious, severity: Severity::Warning, message, hint });
}
