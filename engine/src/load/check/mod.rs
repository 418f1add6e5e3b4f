//! What Kyverno's own validation refuses.
//!
//! In: a policy that its schema takes. Out: nothing, or a [`Refusal`]: Kyverno's words and the field they are
//! about. The checks stand in Kyverno's order, for only the first refusal is printed. Example: a rule without a
//! body is refused with `spec.rules[0]: Invalid value: {…}: No operation defined in the rule 'r'. …`.
//! Mirrors: pkg/validation/policy, and the `Validate` methods of api/kyverno/v1, as the CLI calls them
//! (`mock`: nothing is asked of a cluster, and the table of cluster-scoped kinds is empty).

mod background;
mod conditions;
mod context;
mod empty_set;
mod expressions;
mod foreach;
mod generate;
mod images;
mod kinds;
mod labels;
pub(super) mod lint;
mod metadata_only;
mod mock;
mod mutate;
mod overrides;
mod patches;
mod reach;
mod refusal;
mod rule;
pub(super) mod schema;
mod selectors;
mod spec;
#[cfg(test)]
mod tests;
mod validate;
mod variables;
mod width;

pub(super) use refusal::Refusal;
pub(crate) use width::exclusion;
pub(super) use width::lint_exclusions;

use crate::policy::{Policy, PolicyKind, Rule};
use engine_json::{Path, Value};
use schema::is_zero;
use std::sync::Arc;

/// A policy under test.
struct Subject<'a> {
    policy: &'a Policy,
    /// Where it stands in its document.
    path: &'a Path,
    /// Its rules and those that autogen makes, which most checks look at.
    rules: Vec<&'a Arc<Rule>>,
}

impl Subject<'_> {
    fn spec(&self) -> &Value {
        field(&self.policy.raw, "spec")
    }

    fn namespaced(&self) -> bool {
        self.policy.kind == PolicyKind::Policy
    }

    fn at(&self, keys: &[&str]) -> Path {
        keys.iter().fold(self.path.clone(), |path, key| path.join(*key))
    }
}

/// The first thing that Kyverno refuses in a policy; `path` is where the policy stands in its document.
// Kyverno: Validate in pkg/validation/policy/validate.go.
pub(super) fn check(policy: &Policy, path: &Path) -> Result<(), Refusal> {
    let subject = Subject { policy, path, rules: policy.all_rules().collect() };
    spec::check_namespace(&subject)?;
    spec::check_match_conditions(&subject)?;
    variables::check(&subject)?;
    spec::check(&subject)?;
    overrides::check(&subject)?;
    spec::check_processing(&subject)?;
    for (at, rule) in subject.rules.iter().enumerate() {
        kinds::check(rule, at, policy.background)?;
    }
    for (at, rule) in subject.rules.iter().enumerate() {
        rule::check(&subject, rule, at)?;
    }
    Ok(())
}

/// What the Kyverno Playground refuses: errors about fields, and nothing else of the above.
// Kyverno: the Playground's backend calls the policy's own Validate alone.
pub(super) fn check_fields(policy: &Policy, path: &Path) -> Result<(), Refusal> {
    spec::check(&Subject { policy, path, rules: Vec::new() })
}

const NULL: &Value = &Value::Null;

/// A field, or null.
fn field<'a>(value: &'a Value, key: &str) -> &'a Value {
    value.get(key).unwrap_or(NULL)
}

/// A field that is there and not null.
fn given<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    value.get(key).filter(|value| !value.is_null())
}

/// The items of a list; none where it is absent.
fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    field(value, key).as_array().unwrap_or_default()
}

/// A text; empty where it is absent.
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.find_str(&[key])
}

/// The texts of a list.
fn texts<'a>(value: &'a Value, key: &str) -> Vec<&'a str> {
    items(value, key).iter().filter_map(Value::as_str).collect()
}

fn has_body(rule: &Value, key: &str, of: &schema::Struct) -> bool {
    given(rule, key).is_some_and(|body| !is_zero(body, of))
}

/// Whether it mutates.
// Kyverno: Rule.HasMutate; an empty body counts as none.
fn has_mutate(rule: &Value) -> bool {
    has_body(rule, "mutate", &schema::MUTATE)
}

fn has_validate(rule: &Value) -> bool {
    has_body(rule, "validate", &schema::VALIDATE)
}

fn has_generate(rule: &Value) -> bool {
    has_body(rule, "generate", &schema::GENERATE)
}

fn has_verify_images(rule: &Value) -> bool {
    items(rule, "verifyImages").iter().any(|image| !is_zero(image, &schema::IMAGE))
}

/// Whether it validates the result of verifying images.
// Kyverno: Rule.HasValidateImageVerification.
fn has_image_validate(rule: &Value) -> bool {
    let validates = |image: &Value| !is_zero(field(image, "validate"), &schema::IMAGE_VALIDATE);
    has_verify_images(rule) && items(rule, "verifyImages").iter().any(validates)
}
