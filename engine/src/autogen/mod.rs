//! Makes rules for the controllers that hold a Pod template out of rules for Pods.
//!
//! In: the rules of a policy as written. Out: rules named `autogen-…` and `autogen-cronjob-…`, or why there are none.
//! Mirrors: pkg/autogen/v1.

mod hindrance;
mod shift;

pub use hindrance::{Hindrance, hindrances};

use crate::load::{RuleProvenance, decode_rule};
use crate::policy::{Origin, Rule};
use crate::resource::POD_CONTROLLERS;
use engine_json::arrange::Arrange as _;
use engine_json::{Map, Path, Str, Value};
use hindrance::{controllers, spared};
use shift::shift_references;
use std::sync::Arc;

/// The annotation that chooses controllers.
pub const ANNOTATION: &str = "pod-policies.kyverno.io/autogen-controllers";

/// The longest name of a rule, in bytes.
const MAX_NAME: usize = 63;

/// The generated rules of a policy, in Kyverno's order: for each rule the one for controllers, then the one for CronJob.
// Kyverno: ComputeRules with an empty kind.
pub fn expand(rules: &[Arc<Rule>], annotations: &Map) -> Vec<Arc<Rule>> {
    let Ok(controllers) = controllers(rules, annotations) else { return Vec::new() };
    let mut made = Vec::new();
    for rule in rules {
        let templates = for_controllers(rule, &controllers, WithCronJob::No);
        made.extend(
            templates.and_then(|(value, kinds)| finish(rule, &value, kinds, Origin::AutogenControllers)),
        );
        let cron_names = cron_names(&controllers);
        if !cron_names.is_empty() {
            let cron = for_controllers(rule, &controllers, WithCronJob::Yes)
                .and_then(|(value, _)| for_cron_job(rule, &value));
            made.extend(cron.and_then(|value| finish(rule, &value, cron_names, Origin::AutogenCronJob)));
        }
    }
    made
}

/// The names for which the rule for CronJob is made.
// Kyverno: generateCronJobRule looks for a part of the text, `all` included. A rule made of ` CronJob` or `all` is counted, but is
// for no resource, since computeRules looks for the kind itself.
fn cron_names(controllers: &[Str]) -> Vec<Str> {
    if controllers.iter().any(|name| name == "CronJob") {
        return vec![Str::new("CronJob")];
    }
    let is_cron = |name: &&Str| name.contains("CronJob") || name.contains("all");
    controllers.iter().filter(is_cron).cloned().collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WithCronJob {
    Yes,
    No,
}

/// The rule with each pattern wrapped once, and the kinds it is for.
// Kyverno: generateRuleForControllers.
fn for_controllers(rule: &Rule, controllers: &[Str], with: WithCronJob) -> Option<(Value, Vec<Str>)> {
    let wanted: Vec<&Str> =
        controllers.iter().filter(|name| with == WithCronJob::Yes || *name != "CronJob").collect();
    if wanted.iter().all(|name| name.is_empty()) || spared(rule).is_some() {
        return None;
    }
    let is_controller =
        |name: &Str| *name != "CronJob" && POD_CONTROLLERS.iter().any(|(known, _)| known == name);
    let mut kinds: Vec<Str> =
        wanted.iter().filter(|name| is_controller(name)).map(|name| Str::clone(name)).collect();
    if kinds.is_empty() {
        kinds = wanted.into_iter().cloned().collect();
    }
    kinds.arrange();
    let value =
        generate(&rule.raw, &rule.name, "autogen", "template", "spec/template", &kinds, Filters::WithPod)?;
    Some((value, kinds))
}

// Kyverno: generateCronJobRule wraps the rule for controllers once more.
fn for_cron_job(rule: &Rule, wrapped: &Value) -> Option<Value> {
    let kinds = [Str::new("CronJob")];
    generate(
        wrapped,
        &rule.name,
        "autogen-cronjob",
        "jobTemplate",
        "spec/jobTemplate/spec/template",
        &kinds,
        Filters::All,
    )
}

/// Which filters of a block get the new kinds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Filters {
    WithPod,
    All,
}

// Kyverno: generateRule.
fn generate(
    raw: &Value,
    name: &str,
    prefix: &str,
    template_key: &str,
    shift: &str,
    kinds: &[Str],
    which: Filters,
) -> Option<Value> {
    let mut rule = raw.clone();
    let map = rule.object_mut()?;
    let full = format!("{prefix}-{name}");
    let cut = (0..=MAX_NAME.min(full.len())).rev().find(|at| full.is_char_boundary(*at)).unwrap_or_default();
    map.insert("name", Value::from(full.get(..cut).unwrap_or("")));
    map.remove("imageExtractors");
    let gvks = Value::array(kinds.iter().map(|kind| Value::from(gvk(kind))).collect());
    replace_kinds(map.get_mut("match")?, &gvks, which, Direct::Always);
    if let Some(exclude) = map.get_mut("exclude").filter(|exclude| !exclude.is_null()) {
        replace_kinds(exclude, &gvks, which, Direct::WhereWritten);
    }
    let body = convert_body(map, template_key, shift)?;
    map.insert(body.0, body.1);
    Some(rule)
}

fn gvk(kind: &str) -> &str {
    POD_CONTROLLERS.iter().find(|(name, _)| *name == kind).map_or(kind, |(_, gvk)| gvk)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direct {
    Always,
    WhereWritten,
}

fn replace_kinds(block: &mut Value, gvks: &Value, which: Filters, direct: Direct) {
    let block = block.make_object();
    for key in ["any", "all"] {
        let Some(filters) = block.get_mut(key).and_then(Value::array_mut).filter(|list| !list.is_empty())
        else {
            continue;
        };
        for filter in filters {
            let kinds = filter.find(&["resources", "kinds"]).and_then(Value::as_array).unwrap_or_default();
            let is_pod = |kind: &Value| {
                kind.as_str()
                    .is_some_and(|text| crate::policy::KindSelector::parse(text).kind.pattern() == "Pod")
            };
            if which == Filters::All || kinds.iter().any(is_pod) {
                set_kinds(filter.make_object(), gvks);
            }
        }
        return;
    }
    let written = block
        .get("resources")
        .and_then(|resources| resources.get("kinds"))
        .is_some_and(|kinds| !kinds.is_null());
    if direct == Direct::Always || written {
        set_kinds(block, gvks);
    }
}

fn set_kinds(filter: &mut Map, gvks: &Value) {
    if filter.get("resources").is_none_or(Value::is_null) {
        filter.insert("resources", Value::object(Map::new()));
    }
    if let Some(resources) = filter.get_mut("resources") {
        resources.make_object().insert("kinds", gvks.clone());
    }
}

/// What the rule does, on the Pod template; `None` for what cannot be carried over.
fn convert_body(rule: &Map, template_key: &str, shift: &str) -> Option<(&'static str, Value)> {
    let wrap = |value: &Value| nested(&["spec", template_key], value.clone());
    if let Some(mutate) = rule.get("mutate").filter(|mutate| !mutate.is_null()) {
        if let Some(patch) = mutate.get("patchStrategicMerge").filter(|patch| !patch.is_null()) {
            return Some(("mutate", nested(&["patchStrategicMerge"], wrap(patch))));
        }
        let loops = mutate.get("foreach").and_then(Value::as_array).filter(|loops| !loops.is_empty());
        if let Some(loops) = loops {
            let each = |each: &Value| {
                let kept = ["list", "context", "preconditions"];
                let mut new: Map =
                    kept.iter().filter_map(|key| each.get(key).map(|value| (*key, value.clone()))).collect();
                new.insert(
                    "patchStrategicMerge",
                    wrap(each.get("patchStrategicMerge").unwrap_or(&Value::Null)),
                );
                Value::object(new)
            };
            return Some(("mutate", nested(&["foreach"], Value::array(loops.iter().map(each).collect()))));
        }
    }
    if let Some(validate) = rule.get("validate").filter(|validate| !validate.is_null())
        && let Some(validate) = convert_validate(validate, shift, wrap)
    {
        return Some(("validate", validate));
    }
    let images = rule.get("verifyImages").filter(|images| !images.is_null())?;
    Some(("verifyImages", images.clone()))
}

fn convert_validate(validate: &Value, shift: &str, wrap: impl Fn(&Value) -> Value) -> Option<Value> {
    let field = |key: &str| validate.get(key).filter(|value| !value.is_null());
    let kept = ["failureAction", "failureActionOverrides", "allowExistingViolations"];
    let (key, pivot, body) = if let Some(pattern) = field("pattern") {
        ("pattern", "pattern", wrap(pattern))
    } else if let Some(deny) = field("deny") {
        ("deny", "deny", deny.clone())
    } else if let Some(pod_security) = field("podSecurity") {
        ("podSecurity", "podSecurity", pod_security.clone())
    } else if let Some(patterns) = field("anyPattern") {
        let wrapped: Vec<Value> = patterns.as_array()?.iter().map(wrap).collect();
        // Kyverno: an empty list is nil in Go and gone after the way through JSON.
        ("anyPattern", "anyPattern", if wrapped.is_empty() { Value::Null } else { Value::array(wrapped) })
    } else if let Some(loops) =
        field("foreach").filter(|loops| loops.as_array().is_some_and(|list| !list.is_empty()))
    {
        ("foreach", "pattern", loops.clone())
    } else {
        field("cel")?;
        return Some(validate.clone());
    };
    let mut new: Map = kept.iter().filter_map(|key| field(key).map(|value| (*key, value.clone()))).collect();
    let message = field("message").and_then(Value::as_str).unwrap_or("");
    if !message.is_empty() {
        new.insert("message", Value::from(shift_references(message, shift, pivot)));
    }
    new.insert(key, body);
    Some(Value::object(new))
}

fn nested(keys: &[&str], value: Value) -> Value {
    keys.iter().rev().fold(value, |value, key| {
        let mut map = Map::new();
        map.insert(*key, value);
        Value::object(map)
    })
}

// Kyverno: convertRule replaces text in the JSON of the whole rule, names and messages included.
fn finish(rule: &Rule, value: &Value, controllers: Vec<Str>, origin: Origin) -> Option<Arc<Rule>> {
    let (template, added_levels) = match origin {
        Origin::Written => return None,
        Origin::AutogenControllers => ("spec.template", 2),
        Origin::AutogenCronJob => ("spec.jobTemplate.spec.template", 4),
    };
    let is_cel = value.find(&["validate", "cel"]).is_some_and(|cel| !cel.is_null());
    let request = if is_cel { "" } else { "request." };
    let pairs: Vec<(String, String)> =
        [("object", "spec"), ("oldObject", "spec"), ("object", "metadata"), ("oldObject", "metadata")]
            .iter()
            .map(|(object, field)| {
                (format!("{request}{object}.{field}"), format!("{request}{object}.{template}.{field}"))
            })
            .collect();
    let converted = drop_empty_conditions(&replace_text(value, &pairs));
    let provenance = RuleProvenance { origin, written_name: &rule.name, controllers, added_levels };
    Some(Arc::new(decode_rule(&converted, &Path::clone(&rule.path), provenance, &mut Vec::new())))
}

fn replace_text(value: &Value, pairs: &[(String, String)]) -> Value {
    let replaced = |text: &Str| -> Str {
        // What is replaced holds `object.` or `oldObject.`, which nearly no key and few texts do.
        if !text.contains("bject.") {
            return text.clone();
        }
        let change = |text: String, (from, to): &(String, String)| text.replace(from.as_str(), to);
        pairs.iter().fold(text.to_string(), change).into()
    };
    match value {
        Value::String(text) => Value::String(replaced(text)),
        Value::Array(list) => Value::array(list.iter().map(|item| replace_text(item, pairs)).collect()),
        Value::Object(map) => {
            map.iter().map(|(key, item)| (replaced(key), replace_text(item, pairs))).collect::<Map>().into()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// An `any` or `all` without conditions is gone after the way through JSON; an empty `any` no longer forbids.
fn drop_empty_conditions(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let clean = |(key, item): (&Str, &Value)| {
                let mut item = drop_empty_conditions(item);
                if matches!(key.as_str(), "preconditions" | "conditions")
                    && let Some(block) = item.object_mut()
                {
                    block.retain(|key, list| {
                        !matches!(key, "any" | "all") || list.as_array().is_none_or(|list| !list.is_empty())
                    });
                }
                (key.clone(), item)
            };
            map.iter().map(clean).collect::<Map>().into()
        }
        Value::Array(list) => Value::array(list.iter().map(drop_empty_conditions).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}
