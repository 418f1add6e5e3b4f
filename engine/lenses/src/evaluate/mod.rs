//! The value of an expression where it stands: in the context of its rule, on a resource, with the values of its parts.
//!
//! In: a [`wire::EvaluateInput`]. Out: a [`wire::EvaluateOutput`], or why there is none. The engine itself evaluates: a rule
//! that matches as the one around the expression, with its context entries and loops, and whose one condition names a part of
//! the expression. The trace holds what it compared, so the value is what a verdict would be made of.

use crate::run::{self, Positions, resource_ref, version};
use crate::wire;
use engine::apply::{self, Locations, Recording, RuleResult};
use engine::resource::Resource;
use engine::trace::Detail;
use engine::value::wildcard;
use engine::world::World;
use engine_json::{Map, Path, Value, to_json};
use engine_yaml::emit::to_yaml_ordered;
use engine_yaml::{Document, LineIndex, Options, Source, SourceId, parse};

/// How long an expression may be.
const MAX_BYTES: usize = 4_000;
/// How many parts are evaluated.
const MAX_PARTS: usize = 12;
/// How many loops may stand in one another.
const MAX_LOOPS: usize = 8;

/// The name of the rules that are made.
const PROBE: &str = "probe-";

/// Evaluates.
pub fn run(input: &wire::EvaluateInput, world: &dyn World) -> Result<wire::EvaluateOutput, String> {
    let expression = bare(&input.expression);
    if expression.is_empty() || expression.len() > MAX_BYTES || expression.contains("}}") {
        return Err("this is not an expression that can be evaluated by itself".to_owned());
    }
    let first = |texts: &[wire::Text]| texts.first().map_or_else(String::new, |text| text.text.clone());
    let policies = first(&input.input.policies);
    let place = match input.place.as_str() {
        "exceptions" => Site::of_exception(&first(&input.input.exceptions), input.at, &policies)
            .ok_or("there is no condition of an exception around this place")?,
        _ => Site::of(&policies, input.at).ok_or("there is no rule around this place")?,
    };
    let parts = parts(expression);
    let rules = parts.iter().enumerate().map(|(at, part)| place.probe(at, part)).collect();
    let policy = wire::Text { name: "probe.yaml".to_owned(), text: to_yaml_ordered(&place.policy(rules)) };
    let input_of_probe =
        wire::Input { policies: vec![policy], exceptions: Vec::new(), trace: false, ..input.input.clone() };
    let (bundle, host, _) = run::bundle(&input_of_probe, world);
    if let Some(refused) = bundle.refused.first() {
        return Err(refused.reason.clone());
    }
    let options = apply::Options { host, trace: Recording::On, places: Locations::Omit };
    let outcome = apply::apply(&bundle, world, &options);
    let is_wanted = |(found, _): &(&Resource, &[RuleResult])| {
        input.resource.as_ref().is_some_and(|wanted| {
            (wanted.kind.as_str(), wanted.namespace.as_str(), wanted.name.as_str())
                == (found.kind(), found.namespace(), found.name_or_generate_name())
        })
    };
    let said = outcome.results.iter().filter(|result| !result.rules.is_empty());
    let said = said.filter_map(|result| Some((bundle.resources.get(result.resource)?, &*result.rules)));
    let found = said.clone().find(is_wanted).or_else(|| said.clone().next());
    let (resource, rules) = found.ok_or("the rule is for none of the resources")?;
    Ok(wire::EvaluateOutput {
        version: version(),
        rule: place.name.clone(),
        resource: resource_ref(resource, &Positions::new(&bundle)),
        loops: place.loops.iter().map(|list| list.find_str(&["list"]).to_owned()).collect(),
        values: parts.iter().enumerate().filter_map(|(at, part)| evaluated(rules, at, part)).collect(),
    })
}

/// An expression without the braces around it.
fn bare(text: &str) -> &str {
    let text = text.trim();
    let text = text.strip_prefix("{{").unwrap_or(text);
    text.strip_suffix("}}").unwrap_or(text).trim()
}

/// What the condition of the rule of this number compared; for want of a value, why the rule is in error.
fn evaluated(rules: &[RuleResult], at: usize, part: &str) -> Option<wire::Evaluated> {
    let name = format!("{PROBE}{at}");
    let rule = rules.iter().find(|rule| rule.rule.ends_with(&name))?;
    let list = rule.steps.iter().find_map(|step| match &step.detail {
        Some(Detail::Condition(compared)) => Some(&compared.resolved.0),
        _ => None,
    });
    let value = list.and_then(|list| list.at(0)).map(to_json);
    let error = value.is_none().then(|| rule.message.clone());
    Some(wire::Evaluated { expression: part.to_owned(), value, error })
}

/// Where an expression stands.
struct Site {
    name: String,
    rule: Value,
    /// The elements of `foreach` around it, outermost first.
    loops: Vec<Value>,
    document: Value,
}

/// The documents of a text.
fn documents(text: &str) -> Vec<Document> {
    let source = Source { id: SourceId(0), name: String::new(), text: text.into() };
    parse(&source, &Options::default()).documents
}

/// The document around a place, and whether something of it holds the place.
fn around<'d>(
    documents: &'d [Document],
    text: &str,
    at: u32,
) -> Option<(&'d Document, impl Fn(&Path) -> bool + use<'d>)> {
    let lines = LineIndex::new(text);
    let begins_before = |document: &&Document| lines.utf16(document.span.start) <= at;
    let document = documents.iter().rev().find(begins_before)?;
    let spans = document.spans(text);
    let holds = move |path: &Path| {
        spans
            .value_span(path)
            .is_some_and(|span| lines.utf16(span.start) <= at && at <= lines.utf16(span.end))
    };
    Some((document, holds))
}

impl Site {
    /// The conditions of an exception are asked in the context of the rule that it is for; where that is not among the
    /// policies, in that of a rule without context.
    fn of_exception(text: &str, at: u32, policies: &str) -> Option<Self> {
        let exceptions = documents(text);
        let (exception, holds) = around(&exceptions, text, at)?;
        let spec = Path::from_keys(&["spec"]);
        holds(&spec.join("conditions")).then_some(())?;
        let given = documents(policies);
        let targets = exception.value.find(&["spec", "exceptions"]).and_then(Value::as_array);
        let found = targets.unwrap_or_default().iter().find_map(|target| {
            given.iter().find_map(|policy| Some((rule_of(&policy.value, target)?, policy.value.clone())))
        });
        let (rule, document) = found.unwrap_or_else(|| {
            let matches = exception.value.find(&["spec", "match"]).cloned().unwrap_or_default();
            (map([("name", "exception".into()), ("match", matches)]), policy_named("exception", ""))
        });
        Some(Site { name: rule.find_str(&["name"]).to_owned(), rule, loops: Vec::new(), document })
    }

    /// A cleanup policy as a rule: what it calls `target` is the object.
    fn of_cleanup(policy: &Value) -> Option<Self> {
        let metadata = |key| policy.find_str(&["metadata", key]);
        let target =
            map([("name", "target".into()), ("variable", map([("jmesPath", "request.object".into())]))]);
        let own = policy.find(&["spec", "context"]).and_then(Value::as_array).unwrap_or_default();
        let context = std::iter::once(target).chain(own.iter().cloned()).collect();
        let matches = policy.find(&["spec", "match"])?.clone();
        let name = metadata("name");
        Some(Site {
            name: name.to_owned(),
            rule: map([("name", name.into()), ("match", matches), ("context", Value::array(context))]),
            loops: Vec::new(),
            document: policy_named(name, metadata("namespace")),
        })
    }

    fn of(text: &str, at: u32) -> Option<Self> {
        let documents = documents(text);
        let (document, holds) = around(&documents, text, at)?;
        if matches!(document.value.find_str(&["kind"]), "CleanupPolicy" | "ClusterCleanupPolicy") {
            let is_inside = holds(&Path::from_keys(&["spec"]));
            return Site::of_cleanup(&document.value).filter(|_| is_inside);
        }
        let rules = Path::from_keys(&["spec", "rules"]);
        let count = document.value.at_path(rules.iter())?.as_array()?.len();
        let path = (0..count).map(|at| rules.join(at)).find(|path| holds(path))?;
        let rule = document.value.at_path(path.iter())?.clone();
        let mut place = Site {
            name: rule.find_str(&["name"]).to_owned(),
            rule,
            loops: Vec::new(),
            document: document.value.clone(),
        };
        for body in ["validate", "mutate", "generate"] {
            place.collect(&path.join(body), &holds);
        }
        Some(place)
    }

    /// The loops below a path that hold the place.
    fn collect(&mut self, below: &Path, holds: &dyn Fn(&Path) -> bool) {
        let mut path = below.join("foreach");
        for _ in 0..MAX_LOOPS {
            let Some(count) =
                self.document.at_path(path.iter()).and_then(Value::as_array).map(<[Value]>::len)
            else {
                return;
            };
            let Some(here) = (0..count).map(|at| path.join(at)).find(|path| holds(path)) else { return };
            // The list itself is read outside of its loop.
            if holds(&here.join("list")) {
                return;
            }
            self.loops.extend(self.document.at_path(here.iter()).cloned());
            path = here.join("foreach");
        }
    }

    /// A rule whose condition compares the value of an expression, in a list: `null` by itself would be an error. It stands in a call,
    /// as policies are refused that name other variables than those of a request.
    fn probe(&self, at: usize, expression: &str) -> Value {
        let mut condition = Map::new();
        condition.insert("key", Value::from(format!("{{{{ to_array([{expression}]) }}}}").as_str()));
        condition.insert("operator", Value::from("NotEquals"));
        condition.insert("value", Value::from(""));
        let conditions = map([("all", Value::array(vec![Value::object(condition)]))]);
        let mut body = map([("deny", map([("conditions", conditions)]))]);
        for around in self.loops.iter().rev() {
            let mut one = Map::new();
            for key in ["list", "elementScope", "context"] {
                if let Some(value) = around.get(key) {
                    one.insert(key, value.clone());
                }
            }
            let inner = body.as_object().into_iter().flat_map(Map::iter);
            inner.for_each(|(key, value)| drop(one.insert(key.clone(), value.clone())));
            body = map([("foreach", Value::array(vec![Value::object(one)]))]);
        }
        let mut rule = Map::new();
        rule.insert("name", Value::from(format!("{PROBE}{at}").as_str()));
        for key in ["match", "context"] {
            if let Some(value) = self.rule.get(key) {
                rule.insert(key, value.clone());
            }
        }
        rule.insert("validate", body);
        Value::object(rule)
    }

    /// The policy with these rules, of the kind and the name that it has.
    fn policy(&self, rules: Vec<Value>) -> Value {
        let mut policy = Map::new();
        for key in ["apiVersion", "kind", "metadata"] {
            if let Some(value) = self.document.get(key) {
                policy.insert(key, value.clone());
            }
        }
        policy.insert("spec", map([("background", Value::Bool(false)), ("rules", Value::array(rules))]));
        Value::object(policy)
    }
}

/// The rule of a policy that an exception is for.
fn rule_of(policy: &Value, target: &Value) -> Option<Value> {
    let name = policy.find_str(&["metadata", "name"]);
    let namespace = policy.find_str(&["metadata", "namespace"]);
    let wanted = target.find_str(&["policyName"]);
    let is_it = wanted == name || wanted.split_once('/') == Some((namespace, name));
    let names = target.find(&["ruleNames"]).and_then(Value::as_array).unwrap_or_default();
    let is_meant = |rule: &&Value| {
        let own = rule.find_str(&["name"]);
        let plain = |name: &Value| {
            let name = name.as_str().unwrap_or_default();
            wildcard::matches(name.trim_start_matches("autogen-cronjob-").trim_start_matches("autogen-"), own)
        };
        names.iter().any(plain)
    };
    let rules = policy.find(&["spec", "rules"]).and_then(Value::as_array).filter(|_| is_it)?;
    rules.iter().find(is_meant).cloned()
}

/// The head of a policy of this name.
fn policy_named(name: &str, namespace: &str) -> Value {
    let kind = if namespace.is_empty() { "ClusterPolicy" } else { "Policy" };
    let metadata = map([("name", name.into()), ("namespace", namespace.into())]);
    map([("apiVersion", "kyverno.io/v1".into()), ("kind", kind.into()), ("metadata", metadata)])
}

fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::object(entries.into_iter().collect())
}

/// What stands in the expression and is one itself, from the beginning of it: `a`, `a.b`, `a.b | c`; the whole last.
fn parts(expression: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut quote = None;
    let mut depth = 0_usize;
    for (at, c) in expression.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '(' | '{') => depth += 1,
            (None, ')' | '}') => depth = depth.saturating_sub(1),
            (None, '.' | '|' | '&' | '[' | '=' | '!' | '<' | '>') if depth == 0 => {
                let part = expression.get(..at).unwrap_or_default().trim();
                let is_whole = engine_jmespath::parse(part).is_ok() && !part.is_empty();
                if is_whole && found.last().map(String::as_str) != Some(part) {
                    found.push(part.to_owned());
                }
            }
            (Some(_) | None, _) => {}
        }
    }
    // The last ones are nearest to the value; what comes before says little: `request`, `request.object`.
    found.retain(|part| !matches!(part.as_str(), "request" | "request.object"));
    let surplus = found.len().saturating_sub(MAX_PARTS - 1);
    found.drain(..surplus);
    found.push(expression.to_owned());
    found
}

#[cfg(test)]
mod tests;
