//! Decodes cleanup policies.
//!
//! In: a `CleanupPolicy` or `ClusterCleanupPolicy`. Out: a [`Policy`] with one rule of its own name, as the original
//! reports it; and a warning for what a cluster refuses, for the command line evaluates it all the same.
//! Mirrors: api/kyverno/v2/cleanup_policy_types.go, pkg/validation/cleanuppolicy/validate.go.

use super::check::schema::{self, Defaults, Strictness, Version};
use super::decode::{Node, Problems};
use super::rules::{decode_conditions, decode_context};
use super::selectors::decode_match;
use super::{Loader, Usable};
use crate::diag::{Code, Severity};
use crate::policy::{
    Action, Body, Cleanup, Filter, Match, Origin, Policy, PolicyKind, Rule, Sentence, Source,
};
use crate::resource::DocumentId;
use crate::value::cron::Cron;
use engine_json::{Map, Path, Str, Value};
use std::sync::Arc;

impl Loader {
    pub(super) fn cleanup_document(&mut self, id: DocumentId, value: &Value, path: &Path) {
        let mut problems = Problems::new();
        let strictness = Strictness::at(path, Version::V2Beta1);
        schema::validate(&Node::new(value, path), &schema::CLEANUP, strictness, &mut problems);
        // The tables of the schema have said all that the decoders could.
        let mut said = Problems::new();
        let typed = schema::typed(value, &schema::CLEANUP, Defaults::of(strictness));
        let policy = decode(&typed.with_int_numbers(), path, id, &mut said);
        if self.report_of_policy(id, problems, &policy.key()) == Usable::No {
            return;
        }
        for (place, reason) in refusals(&policy, value) {
            let message = format!("a cluster refuses this policy: {reason}");
            self.say(id, &path.join("spec").join(place), Code::Refused, Severity::Warning, message);
        }
        self.bundle.policies.push(policy);
    }
}

fn decode(value: &Value, path: &Path, document: DocumentId, problems: &mut Problems) -> Policy {
    let node = Node::new(value, path);
    let (metadata, spec) = (node.field("metadata"), node.field("spec"));
    let name = metadata.field("name").text(problems);
    let exclude = spec.field("exclude");
    let kind = if value.find_str(&["kind"]) == "CleanupPolicy" {
        PolicyKind::CleanupPolicy
    } else {
        PolicyKind::ClusterCleanupPolicy
    };
    let cleanup = Cleanup {
        schedule: spec.field("schedule").text(problems),
        propagation: spec.field("deletionPropagationPolicy").text(problems),
    };
    let rule = Rule {
        name: name.clone(),
        written_name: name.clone(),
        path: spec.path(),
        raw: spec.value.clone(),
        origin: Origin::Written,
        controllers: Vec::new(),
        matches: decode_match(&spec.field("match"), problems),
        exclude: (!exclude.is_absent()).then(|| decode_match(&exclude, problems)),
        context: decode_context(&spec.field("context"), problems),
        preconditions: decode_conditions(&spec.field("conditions"), problems),
        report_properties: Value::Null,
        body: Body::Cleanup(Box::new(cleanup)),
        taken_up: Sentence::default(),
    };
    Policy {
        api_version: Str::new(value.find_str(&["apiVersion"])),
        namespace: if kind == PolicyKind::CleanupPolicy {
            metadata.field("namespace").text(problems)
        } else {
            Str::default()
        },
        name,
        annotations: metadata.field("annotations").map(problems).cloned().unwrap_or_else(Map::new),
        raw: value.clone(),
        rules: vec![Arc::new(rule)],
        ..Policy::without_rules(kind, document, Action::Audit)
    }
}

/// What the webhook of a cluster refuses: the field and why.
fn refusals(policy: &Policy, value: &Value) -> Vec<(&'static str, String)> {
    let Some(rule) = policy.rules.first() else { return Vec::new() };
    let Body::Cleanup(cleanup) = &rule.body else { return Vec::new() };
    let mut found = Vec::new();
    if let Err(error) = Cron::parse(&cleanup.schedule) {
        let reason = format!("schedule spec in the cleanupPolicy is not in proper cron format ({error})");
        found.push(("schedule", reason));
    }
    for entry in &rule.context {
        let what = match &entry.source {
            Source::ImageRegistry(_) => "ImageRegistry",
            Source::ConfigMap { .. } => "ConfigMap",
            Source::ApiCall(_) | Source::GlobalReference(_) | Source::Variable { .. } | Source::Unknown => {
                continue;
            }
        };
        found.push(("context", format!("{what} is not allowed in CleanUp Policy")));
    }
    let about_users = |block: &Match| block.filters().any(Filter::has_user_info);
    for (place, block) in [("match", Some(&rule.matches)), ("exclude", rule.exclude.as_ref())] {
        if block.is_some_and(about_users) {
            found.push((
                place,
                "user info is not allowed here: no user makes a request when a schedule is due".to_owned(),
            ));
        }
    }
    let any = |key: &str| value.find(&["spec", key, "any"]).and_then(Value::as_array).unwrap_or_default();
    if any("match").iter().any(|filter| any("exclude").contains(filter)) {
        found.push(("exclude", "CleanupPolicy is matching an empty set".to_owned()));
    }
    found
}
