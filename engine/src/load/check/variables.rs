//! Variables: the names they may begin with, and where they must not stand.
//!
//! In: a policy. Out: its first variable that has no meaning, found by putting null in place of each, references
//! first. Mirrors: ValidateVariables in pkg/validation/policy/validate.go, pkg/engine/context/mock_context.go,
//! pkg/engine/variables/vars.go.

use super::refusal::Refusal;
use super::schema::{RULE, go_json};
use super::{Subject, background, field, given, has_generate, has_image_validate, items, patches, text};
use crate::policy::Rule;
use crate::references;
use crate::template;
use crate::value::wildcard;
use engine_json::{Map, Path, Segment, Value, parse, to_json};

/// How often the variables of one text may give texts with variables again.
const MAX_ROUNDS: usize = 1_000;

/// The checks before admission.
pub(super) fn check(subject: &Subject<'_>) -> Result<(), Refusal> {
    if subject.policy.background {
        background::check(subject).map_err(|refusal| {
            refusal.reworded(|words| {
                format!("only select variables are allowed in background mode. Set spec.background=false to disable background mode for this policy rule: {words} ")
            })
        })?;
    }
    check_rules(subject, subject.policy.background)
        .map_err(|refusal| refusal.reworded(|words| format!("policy contains invalid variables: {words}")))
}

/// The same once more for rules that run when the policy changes.
// Kyverno: ValidateOnPolicyUpdate.
pub(super) fn check_on_update(subject: &Subject<'_>) -> Result<(), Refusal> {
    if !background::has_variables(subject) {
        return Ok(());
    }
    check_rules(subject, true).map_err(|refusal| {
        refusal.reworded(|words| format!("update event, policy contains invalid variables: {words}"))
    })?;
    background::check(subject).map_err(|refusal| {
        refusal.reworded(|words| {
            format!("only select variables are allowed in on policy update. Set spec.mutateExistingOnPolicyUpdate=false to disable update policy mode for this policy rule: {words} ")
        })
    })
}

// Kyverno: hasInvalidVariables.
fn check_rules(subject: &Subject<'_>, background: bool) -> Result<(), Refusal> {
    for rule in &subject.rules {
        if !template::has_markers(&rule.raw) {
            continue;
        }
        check_forbidden(rule)?;
        let has_targets = given(field(&rule.raw, "mutate"), "targets").is_some();
        if has_targets {
            check_targets(rule, background)?;
        }
        // References lead through the rule as Go writes it, without what is empty.
        let document = without_attestation_conditions(&written(&rule.raw));
        let mock = Mock::new(&rule.raw, Allowed::of(background, has_targets));
        mock.check(&document).map_err(|fault| {
            let reason = format!("variable substitution failed for rule {}: {}", rule.name, fault.words);
            Refusal::new(reason, document_path(rule, &fault.path))
        })?;
    }
    Ok(())
}

/// Parts of a rule in which no variable may stand.
// Kyverno: ruleForbiddenSectionsHaveVariables.
fn check_forbidden(rule: &Rule) -> Result<(), Refusal> {
    let name = &rule.name;
    if patches::has_variable_path(rule) {
        let reason = format!("rule \"{name}\" should not have variables in patchesJSON6902 path section");
        return Err(Refusal::new(reason, patches::patch_of(rule).1));
    }
    for side in ["exclude", "match"] {
        if has_plain_variable(&to_json(field(&rule.raw, side))) {
            let reason = format!("rule \"{name}\" should not have variables in {side} section");
            return Err(Refusal::new(reason, rule.path.join(side)));
        }
    }
    for (at, image) in items(&rule.raw, "verifyImages").iter().enumerate() {
        let references = items(image, "imageReferences").iter().filter_map(Value::as_str);
        let mut all = references.chain([text(image, "image")]);
        if all.any(|reference| !template::variables(reference).is_empty()) {
            let reason = format!("rule \"{name}\" should not have variables in image reference section");
            return Err(Refusal::new(reason, rule.path.join("verifyImages").join(at)));
        }
    }
    Ok(())
}

// Go: `\{\{[^{}]*\}\}`, a backslash before it does not count.
fn has_plain_variable(text: &str) -> bool {
    // Three braces in a row hold two beginnings.
    text.match_indices('{').any(|(at, _)| {
        let Some(inner) = text.get(at..).and_then(|rest| rest.strip_prefix("{{")) else { return false };
        let end = inner.find(['{', '}']).unwrap_or(inner.len());
        inner.get(end..).is_some_and(|rest| rest.starts_with("}}"))
    })
}

/// Each target alone, with context and preconditions of the rule, in which `target` is not known yet.
fn check_targets(rule: &Rule, background: bool) -> Result<(), Refusal> {
    let keys = ["apiVersion", "kind", "namespace", "name", "uid"];
    for (at, target) in items(field(&rule.raw, "mutate"), "targets").iter().enumerate() {
        let filled = |key: &str| given(target, key).filter(|value| value.as_str() != Some(""));
        let kept = keys.iter().filter_map(|key| Some((*key, filled(key)?.clone())));
        let mut targets = vec![Value::object(Map::new()); at];
        targets.push(Value::object(kept.collect()));
        let mutate: Map = [("targets", Value::array(targets))].into_iter().collect();
        let outer = ["context", "preconditions"];
        let mut document: Map =
            outer.iter().filter_map(|key| Some((*key, given(&rule.raw, key)?.clone()))).collect();
        document.insert("mutate", Value::object(mutate));
        let document = Value::object(document);
        let mock = Mock::new(&document, Allowed::of(background, false));
        mock.check(&document).map_err(|fault| {
            let reason = format!("invalid variables defined at mutate.targets[{at}]: {}", fault.words);
            Refusal::new(reason, document_path(rule, &fault.path))
        })?;
    }
    Ok(())
}

fn written(rule: &Value) -> Value {
    parse(&go_json(rule, &RULE)).unwrap_or_else(|_| rule.clone())
}

/// Variables in conditions of attestations are those of the attestation.
fn without_attestation_conditions(rule: &Value) -> Value {
    let mut rule = rule.clone();
    let images = rule.object_mut().and_then(|map| map.get_mut("verifyImages")).and_then(Value::array_mut);
    for image in images.into_iter().flatten() {
        let attestations =
            image.object_mut().and_then(|map| map.get_mut("attestations")).and_then(Value::array_mut);
        for map in attestations.into_iter().flatten().filter_map(Value::object_mut) {
            map.remove("conditions");
        }
    }
    rule
}

/// What variables may be about, as an expression that is searched for anywhere in them.
struct Allowed {
    /// As the refusals print it.
    expression: &'static str,
    /// What it looks for besides calls of functions.
    words: &'static [&'static str],
}

impl Allowed {
    // Kyverno: getAllowedVariables.
    fn of(background: bool, target: bool) -> Self {
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
struct Fault {
    words: String,
    path: String,
}

/// The context that knows names and no values.
struct Mock {
    allowed: Allowed,
    /// Patterns with wildcards, from context entries.
    patterns: Vec<String>,
}

impl Mock {
    // Kyverno: buildContext.
    fn new(rule: &Value, allowed: Allowed) -> Self {
        let mut mock = Mock { allowed, patterns: Vec::new() };
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

    fn check(&self, document: &Value) -> Result<(), Fault> {
        let document = references::resolve(document)
            .map_err(|error| Fault { words: error.message, path: error.path })?;
        self.walk(&document, &mut String::new())
    }

    fn walk(&self, value: &Value, path: &mut String) -> Result<(), Fault> {
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
    fn substitute(&self, text: &str, path: &str) -> Result<(), Fault> {
        let mut value = text.to_owned();
        for _ in 0..MAX_ROUNDS {
            let round = value.clone();
            let found = template::variables(&round);
            if found.is_empty() {
                return Ok(());
            }
            let mut shallow = false;
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
                    Fault { words, path: path.to_owned() }
                })?;
                if round == variable.text() {
                    return Ok(());
                }
                value = value.replacen(variable.whole, &format!("{}null", variable.prefix()), 1);
            }
            if shallow {
                return Ok(());
            }
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

/// The place in the document of a place in a rule, as far as the rule as written has it.
pub(super) fn document_path(rule: &Rule, path: &str) -> Path {
    let mut value = &rule.raw;
    let mut steps = rule.path.clone();
    for part in references::split_path(path) {
        let (step, inner) = match (value, part.parse::<usize>()) {
            (Value::Array(list), Ok(at)) => (Segment::from(at), list.get(at)),
            _ => (Segment::from(part.as_str()), value.get(&part)),
        };
        let Some(inner) = inner else { break };
        value = inner;
        steps.0.push(step);
    }
    steps
}
