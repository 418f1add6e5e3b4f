//! A context that knows names and no values, in which variables are tried out.
//!
//! In: a rule, or a part of one. Out: its first variable whose name nothing gives, or that is not an expression;
//! references are resolved first and every variable becomes null. Example: `{{ foo }}` is refused with
//! `variable foo must match regex "…" or patterns []`.
//! Mirrors: pkg/engine/context/mock_context.go, pkg/engine/variables/vars.go.

use super::{field, given, has_generate, has_image_validate, items, text};
use crate::references;
use crate::template::{self, Replacing};
use crate::value::wildcard;
use engine_json::Value;
use std::cell::Cell;

/// How often the variables of one text may give texts with variables again.
const MAX_ROUNDS: usize = 1_000;
/// How many bytes of text may be looked at for the variables of one document.
const MAX_WORK_BYTES: usize = 64 * 1024 * 1024;

/// What variables may be about, as an expression that is searched for anywhere in them.
pub(super) struct Allowed {
    /// As the refusals print it.
    expression: &'static str,
    /// What it looks for besides calls of functions.
    words: &'static [&'static str],
}

impl Allowed {
    // Kyverno: getAllowedVariables.
    pub(super) fn of(background: bool, target: bool) -> Self {
        match (target, background) {
            (false, false) => Allowed {
                expression: r"request|serviceAccountName|serviceAccountNamespace|element|elementIndex|@|images|image|([a-z_0-9]+\()[^{}]",
                words: &["request", "serviceAccountName", "serviceAccountNamespace", "element", "@", "image"],
            },
            (false, true) => Allowed {
                expression: r"request\.|element|elementIndex|@|images|images\.|image\.|([a-z_0-9]+\()[^{}]",
                words: &["request.", "element", "@", "images", "image."],
            },
            (true, false) => Allowed {
                expression: r"request\.|serviceAccountName|serviceAccountNamespace|element|elementIndex|@|images|images\.|image\.|target\.|([a-z_0-9]+\()[^{}]",
                words: &[
                    "request.",
                    "serviceAccountName",
                    "serviceAccountNamespace",
                    "element",
                    "@",
                    "images",
                    "image.",
                    "target.",
                ],
            },
            (true, true) => Allowed {
                expression: r"request\.|element|elementIndex|@|images|images\.|image\.|target\.|([a-z_0-9]+\()[^{}]",
                words: &["request.", "element", "@", "images", "image.", "target."],
            },
        }
    }

    fn takes(&self, query: &str) -> bool {
        self.words.iter().any(|word| query.contains(word)) || calls_function(query)
    }
}

// Go: `([a-z_0-9]+\()[^{}]`.
fn calls_function(query: &str) -> bool {
    query.match_indices('(').any(|(at, _)| {
        let name = query.get(..at).and_then(|before| before.chars().next_back());
        let next = query.get(at + 1..).and_then(|after| after.chars().next());
        name.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
            && next.is_some_and(|c| !matches!(c, '{' | '}'))
    })
}

/// What is wrong with a variable, and where: `/validate/message`.
pub(super) struct VariableProblem {
    pub(super) words: String,
    pub(super) path: String,
}

/// The context that knows names and no values.
pub(super) struct Mock {
    allowed: Allowed,
    /// Patterns with wildcards, from context entries.
    patterns: Vec<String>,
    /// How many bytes may still be looked at.
    left: Cell<usize>,
}

impl Mock {
    // Kyverno: buildContext.
    pub(super) fn new(rule: &Value, allowed: Allowed) -> Self {
        let mut mock = Mock { allowed, patterns: Vec::new(), left: Cell::new(MAX_WORK_BYTES) };
        mock.add(items(rule, "context"));
        if has_image_validate(rule) {
            for attestation in
                items(rule, "verifyImages").iter().flat_map(|image| items(image, "attestations"))
            {
                mock.patterns.push(format!("{}*", text(attestation, "name")));
            }
        }
        let mutate = field(rule, "mutate");
        let loops = items(field(rule, "validate"), "foreach").iter().chain(items(mutate, "foreach"));
        for each in loops.chain(items(mutate, "targets")) {
            mock.add(items(each, "context"));
        }
        if has_generate(rule) {
            for each in items(field(rule, "generate"), "foreach") {
                mock.add(items(each, "context"));
            }
        }
        mock
    }

    // Kyverno: addContextVariables.
    fn add(&mut self, entries: &[Value]) {
        for entry in entries {
            let name = text(entry, "name");
            let others = ["apiCall", "globalReference", "imageRegistry", "variable"];
            if others.iter().any(|key| given(entry, key).is_some()) {
                self.patterns.push(format!("{name}*"));
            }
            if given(entry, "configMap").is_some() {
                for end in ["data", "metadata", "data.*", "metadata.*"] {
                    self.patterns.push(format!("{name}.{end}"));
                }
            }
        }
    }

    pub(super) fn check(&self, document: &Value) -> Result<(), VariableProblem> {
        let document = references::resolve(document)
            .map_err(|error| VariableProblem { words: error.message, path: error.path })?;
        self.walk(&document, &mut String::new())
    }

    fn walk(&self, value: &Value, path: &mut String) -> Result<(), VariableProblem> {
        match value {
            Value::Object(map) => {
                for (key, item) in map.iter() {
                    self.substitute(key, path)?;
                    descend(path, &key.replace('/', "\\/"), |path| self.walk(item, path))?;
                }
                Ok(())
            }
            Value::Array(list) => {
                for (at, item) in list.iter().enumerate() {
                    descend(path, &at.to_string(), |path| self.walk(item, path))?;
                }
                Ok(())
            }
            Value::String(text) => self.substitute(text, path),
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
        }
    }

    // Kyverno: substituteVariablesIfAny over a context in which every name that is allowed is null.
    fn substitute(&self, text: &str, path: &str) -> Result<(), VariableProblem> {
        if !template::may_hold_variables(text) {
            return Ok(());
        }
        let mut round = text.to_owned();
        for _ in 0..MAX_ROUNDS {
            let found = template::variables(&round);
            if found.is_empty() {
                return Ok(());
            }
            let mut shallow = false;
            let mut value = Replacing::new(&round);
            for variable in found {
                shallow = stripped(variable.text()).starts_with('-');
                let mut expression = expression(variable.text());
                if expression == "@" {
                    let target = self.query("target").is_ok();
                    expression =
                        references::here(path, if target { &["target"] } else { &["request", "object"] });
                }
                self.query(&expression).map_err(|error| {
                    let words = match error {
                        QueryFault::Unknown(words) => words,
                        QueryFault::Bad(words) => {
                            format!("failed to resolve {expression} at path {path}: {words}")
                        }
                    };
                    VariableProblem { words, path: path.to_owned() }
                })?;
                if round == variable.text() {
                    return Ok(());
                }
                let looked_at = value.put(&variable, "null");
                let left = self.left.get().checked_sub(looked_at).ok_or_else(|| VariableProblem {
                    words: format!(
                        "its variables come to more than {MAX_WORK_BYTES} bytes of text: split it"
                    ),
                    path: path.to_owned(),
                })?;
                self.left.set(left);
            }
            let next = value.finish();
            if shallow {
                return Ok(());
            }
            round = next;
        }
        Ok(())
    }

    // Kyverno: MockContext.Query.
    fn query(&self, query: &str) -> Result<(), QueryFault> {
        let query = query.trim();
        if query.is_empty() {
            return Err(QueryFault::Bad("invalid query (nil)".to_owned()));
        }
        if let Err(error) = engine_jmespath::parse(query) {
            return Err(QueryFault::Bad(format!("invalid JMESPath query {query}: {error}")));
        }
        let query = query.replace('"', "");
        if self.allowed.takes(&query)
            || self.patterns.iter().any(|pattern| wildcard::matches(pattern, &query))
        {
            return Ok(());
        }
        let (expression, patterns) = (self.allowed.expression, self.patterns.join(" "));
        Err(QueryFault::Unknown(format!(
            "variable {query} must match regex \"{expression}\" or patterns [{patterns}]"
        )))
    }
}

enum QueryFault {
    /// A name that nothing gives.
    Unknown(String),
    /// No expression at all.
    Bad(String),
}

/// Goes one step down.
pub(super) fn descend<T>(path: &mut String, step: &str, go: impl FnOnce(&mut String) -> T) -> T {
    let length = path.len();
    path.push('/');
    path.push_str(step);
    let result = go(path);
    path.truncate(length);
    result
}

fn stripped(variable: &str) -> String {
    variable.replace("{{", "").replace("}}", "").trim().to_owned()
}

/// What stands between the braces of a variable.
// Kyverno: replaceBracesAndTrimSpaces.
pub(super) fn expression(variable: &str) -> String {
    let inner = stripped(variable);
    match inner.strip_prefix('-') {
        Some(rest) => rest.trim().to_owned(),
        None => inner,
    }
}
