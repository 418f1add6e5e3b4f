//! PolicyExceptions for classic policies as PolicyExceptions for the policies that those become.
//!
//! In: an exception, and the policies beside it, converted. Out: exceptions for the new policies: what `match` and `conditions` say as
//! `matchConditions`; or what has no faithful form. Policies are converted so that one policy holds only rules that the same
//! exceptions lift, as an exception in CEL is for a policy as a whole.
//! Sources: Kyverno's `pkg/engine/exceptions`, `pkg/cel/policies/*/compiler` for the new ones.

use crate::conditions::Conditions;
use crate::expressions::formula::Formula;
use crate::expressions::scope::Scope;
use crate::expressions::types::Types;
use crate::kinds::policy::Policies;
use crate::kinds::{Made, map, metadata};
use crate::refusal::{Class, Converted, Refusal, below, refuse};
use crate::select::{Owner, Selection, excluded, selection};
use engine::policy::Policy;
use engine_json::{Map, Path, Segment, Value};

/// A classic policy that an exception may name.
pub(crate) struct Known<'k> {
    /// `name` or `namespace/name`.
    pub(crate) key: String,
    /// The document.
    pub(crate) source: &'k Value,
    /// The policy as it is loaded.
    pub(crate) loaded: Option<&'k Policy>,
    /// What it becomes.
    pub(crate) made: Policies,
}

/// The key by which exceptions name a policy.
pub(crate) fn key_of(document: &Value) -> String {
    let name = document.find_str(&["metadata", "name"]);
    match (document.find_str(&["kind"]), document.find_str(&["metadata", "namespace"])) {
        ("Policy", namespace) if !namespace.is_empty() => format!("{namespace}/{name}"),
        _ => name.to_owned(),
    }
}

/// Whether an exception names a policy.
pub(crate) fn names(exception: &Value, key: &str) -> bool {
    let entries = exception.find(&["spec", "exceptions"]).and_then(Value::as_array).unwrap_or_default();
    entries.iter().any(|entry| entry.find_str(&["policyName"]) == key)
}

/// The names under which a written rule is evaluated, and for which kinds; no kinds for the rule as it is written.
fn variants(policy: Option<&Policy>, rule: &str) -> Vec<(String, Vec<String>)> {
    let mut all = vec![(rule.to_owned(), Vec::new())];
    for made in policy.into_iter().flat_map(|policy| &policy.autogen) {
        if *made.written_name == *rule && *made.name != *rule {
            all.push((made.name.to_string(), made.controllers.iter().map(ToString::to_string).collect()));
        }
    }
    all
}

/// The patterns of rule names by which an exception names a policy.
fn patterns<'e>(exception: &'e Value, key: &str) -> Vec<&'e str> {
    let entries = exception.find(&["spec", "exceptions"]).and_then(Value::as_array).unwrap_or_default();
    let own = entries.iter().filter(|entry| entry.find_str(&["policyName"]) == key);
    own.flat_map(|entry| crate::kinds::written(entry, "ruleNames")).collect()
}

fn is_named(patterns: &[&str], name: &str) -> bool {
    patterns.iter().any(|pattern| engine::value::wildcard::matches(pattern, name))
}

/// Which of these exceptions lift a rule, by their places; twice the place, and one more where it is not lifted for all that autogen makes.
pub(crate) fn lifts(exceptions: &[&Value], key: &str, policy: Option<&Policy>, rule: &str) -> Vec<usize> {
    let mut all = Vec::new();
    for (at, exception) in exceptions.iter().enumerate() {
        let patterns = patterns(exception, key);
        let variants = variants(policy, rule);
        for (place, (name, _)) in variants.iter().enumerate() {
            if is_named(&patterns, name) {
                all.push(at * 8 + place.min(7));
            }
        }
    }
    all
}

/// Converts an exception.
pub(crate) fn convert(exception: &Value, known: &[Known<'_>], types: &Types<'_>) -> Made {
    let mut made = Made::default();
    let spec = Path::from_keys(&["spec"]);
    made.refusals(settings(exception, &spec).err());
    let condition = match condition(exception, &spec, types, &mut made.policies.notes) {
        Ok(condition) => condition,
        Err(refusal) => {
            made.refusals(Some(refusal));
            Formula::True
        }
    };
    let mut references: Vec<(Vec<String>, Vec<Value>)> = Vec::new();
    let entries = exception.find(&["spec", "exceptions"]).and_then(Value::as_array).unwrap_or_default();
    for (at, entry) in entries.iter().enumerate() {
        let place = spec.join("exceptions").join(at);
        match target(entry, exception, known, &place) {
            Ok((of, found)) => {
                let [sources, converted] = &mut made.beside;
                if !sources.contains(of.source) {
                    sources.push(of.source.clone());
                    converted.extend(of.made.documents.iter().cloned());
                    made.policies.allows_existing_violations |= of.made.allows_existing_violations;
                }
                for (kinds, reference) in found {
                    match references.iter_mut().find(|(known, _)| *known == kinds) {
                        Some((_, list)) if list.contains(&reference) => {}
                        Some((_, list)) => list.push(reference),
                        None => references.push((kinds, vec![reference])),
                    }
                }
            }
            Err(refusal) => made.refusals(Some(refusal)),
        }
    }
    let count = references.len();
    for (at, (kinds, references)) in references.into_iter().enumerate() {
        let end = if count > 1 { format!("-{}", at + 1) } else { String::new() };
        made.policies.documents.push(document(exception, &end, &kinds, references, &condition));
    }
    made
}

/// What exceptions in CEL do not have.
fn settings(exception: &Value, spec: &Path) -> Converted<()> {
    if exception.find(&["spec", "background"]).and_then(Value::as_bool) == Some(false) {
        let text = "an exception that does not count for background scans";
        return refuse(Class::Setting, &spec.join("background"), text);
    }
    let controls = exception.find(&["spec", "podSecurity"]).and_then(Value::as_array).unwrap_or_default();
    if !controls.is_empty() {
        let text = "controls are lifted one by one, an exception in CEL lifts the policy: write them as \
                    `podSecurity.exclude` of the rule, which is converted, and which \
                    `podsieve psa compile` makes one policy for each check of";
        return refuse(Class::Setting, &spec.join("podSecurity"), text);
    }
    Ok(())
}

/// When an exception lifts its rules.
fn condition(
    exception: &Value,
    spec: &Path,
    types: &Types<'_>,
    notes: &mut Vec<String>,
) -> Converted<Formula> {
    let of = |key: &str| exception.find(&["spec", "match"]).cloned().map(|block| map([(key, block)]));
    let Some(block) = of("exclude") else {
        return refuse(Class::Match, spec, "there is no `match`");
    };
    let matched = excluded(&block, spec, ("object.metadata", &[]), types).map_err(in_match)?;
    let matched = matched.map_or(Formula::True, |(formula, _)| formula);
    let Some(written) = exception.find(&["spec", "conditions"]).filter(|written| !written.is_null()) else {
        return Ok(matched);
    };
    let selected = of("match").map_or_else(|| Ok(Selection::default()), |rule| selection(&rule, spec, types));
    // It may be for a policy that autogen extends.
    let owner = Owner { is_extended: true, ..Owner::default() };
    let scope = Scope::new(&Selection { owner, ..selected.unwrap_or_default() }, types);
    let (needs, conditions) =
        Conditions::new(&scope.inline()).needing(written, &below(spec, ["conditions"]))?;
    notes.extend(scope.notes());
    Ok(Formula::and([matched, needs, conditions]))
}

/// The reading of what is excluded is that of what an exception matches.
fn in_match(refusal: Refusal) -> Refusal {
    let segments = refusal.path.iter().map(|segment| match segment {
        Segment::Key(key) if *key == "exclude" => Segment::from("match"),
        other => other.clone(),
    });
    Refusal { path: Path::root().concat(&segments.collect::<Vec<_>>()), ..refusal }
}

/// The policies for which an entry is, each with the kinds for which it is lifted; no kinds for all.
#[expect(clippy::type_complexity, reason = "a policy, and what refers to what it became")]
fn target<'k, 'l>(
    entry: &Value,
    exception: &Value,
    known: &'l [Known<'k>],
    path: &Path,
) -> Converted<(&'l Known<'k>, Vec<(Vec<String>, Value)>)> {
    let key = entry.find_str(&["policyName"]);
    let place = path.join("policyName");
    let Some(of) = known.iter().find(|known| known.key == key) else {
        let text = format!("policy `{key}` was not given: what it becomes is not known");
        return refuse(Class::Setting, &place, text);
    };
    if !of.made.refusals.is_empty() || of.made.documents.is_empty() {
        return refuse(Class::Setting, &place, format!("policy `{key}` is not converted"));
    }
    let patterns = patterns(exception, key);
    let mut found = Vec::new();
    for (document, rules) in of.made.documents.iter().zip(&of.made.rules) {
        let Some(rule) = rules.first() else { continue };
        let all = variants(of.loaded, rule);
        let lifted: Vec<&(String, Vec<String>)> =
            all.iter().filter(|(name, _)| is_named(&patterns, name)).collect();
        if lifted.is_empty() {
            continue;
        }
        let kinds: Vec<String> = if lifted.len() == all.len() {
            Vec::new()
        } else {
            let of_variant = |(_, kinds): &&(String, Vec<String>)| {
                if kinds.is_empty() { vec!["Pod".to_owned()] } else { kinds.clone() }
            };
            lifted.iter().flat_map(of_variant).collect()
        };
        let reference = map([
            ("name", Value::from(document.find_str(&["metadata", "name"]))),
            ("kind", Value::from(document.find_str(&["kind"]))),
        ]);
        found.push((kinds, reference));
    }
    if found.is_empty() {
        let names = patterns.join("`, `");
        return refuse(
            Class::Setting,
            &path.join("ruleNames"),
            format!("policy `{key}` has no rule `{names}`"),
        );
    }
    Ok((of, found))
}

/// The exception.
fn document(
    exception: &Value,
    end: &str,
    kinds: &[String],
    references: Vec<Value>,
    condition: &Formula,
) -> Value {
    let mut spec = Map::new();
    spec.insert("policyRefs", Value::array(references));
    let of_kinds = match kinds {
        [] => Formula::True,
        [one] => Formula::equal("request.kind.kind", &crate::expressions::formula::quoted(one)),
        all => {
            let names: Vec<String> =
                all.iter().map(|kind| crate::expressions::formula::quoted(kind)).collect();
            Formula::test(format!("request.kind.kind in [{}]", names.join(", ")))
        }
    };
    let whole = Formula::and([of_kinds, condition.clone()]);
    if whole != Formula::True {
        let entry = map([("name", Value::from("exempt")), ("expression", Value::from(whole.text()))]);
        spec.insert("matchConditions", Value::array(vec![entry]));
    }
    let name = format!("{}{end}", exception.find_str(&["metadata", "name"]));
    map([
        ("apiVersion", Value::from("policies.kyverno.io/v1")),
        ("kind", Value::from("PolicyException")),
        ("metadata", Value::object(metadata(exception, &name))),
        ("spec", Value::object(spec)),
    ])
}
