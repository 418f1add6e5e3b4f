//! A request on its way: objects are changed, then Pod Security is asked, then the policies that validate.
//!
//! In: policies and a request. Out: the answer.

use crate::Host;
use crate::answer::Answer;
use crate::loaded::Loaded;
use crate::numbers::restored;
use crate::pod_security;
use crate::request::{Operation, Request};
use crate::roles;
use crate::settings::FailurePolicy;
use crate::words::{self, Verdict};
use crate::world::Cluster;
use engine::Bundle;
use engine::apply::{Directory, Driver, Locations, Options, PolicyResult, Recording};
use engine::load::Host as Original;
use engine::matching::UserInfo;
use engine::resource::{Resource, Shelf};
use engine_json::{Map, Str, Value};

/// Decides a request.
pub(crate) fn decide(loaded: &mut Loaded, request: &Request, host: &dyn Host) -> Answer {
    let world = Cluster::new(host);
    let mut resource = request.resource.clone();
    let mut answer = Answer::default();
    if let Err(reason) = know_namespace(loaded, request, &world) {
        let text = format!("not decided: the labels of namespace {}: {reason}", request.namespace);
        if loaded.without_namespace == Some(FailurePolicy::Fail) {
            return Answer::refused(text);
        }
        answer.warnings.push(text);
    }
    let mut user = request.user.clone();
    if let Some(without) = loaded.without_roles {
        match roles::of_user(request.sent.get("userInfo").unwrap_or(&Value::Null), &world) {
            Ok((roles, cluster_roles)) => (user.roles, user.cluster_roles) = (roles, cluster_roles),
            Err(reason) => {
                let text = format!("not decided: the roles of user {}: {reason}", user.username);
                if without == FailurePolicy::Fail {
                    return Answer::refused(text);
                }
                answer.warnings.push(text);
            }
        }
    }
    // What goes, and what is only connected to, is not changed: there is nothing that Kubernetes would take instead.
    let is_written = matches!(request.operation, Operation::Create | Operation::Update);
    if let Some(bundle) = loaded.mutating.as_mut().filter(|_| is_written) {
        let results = run(bundle, request, &user, &resource, &world);
        let verdict = words::mutation(bundle, request, &results);
        if let Some(left) = left_by(results) {
            let came = request.sent.get("object").unwrap_or(&Value::Null);
            answer.mutated_object = Some(restored(came, &left));
            resource = Resource::new(left.with_int_numbers().with_float_numbers(), resource.document);
        }
        add(&mut answer, verdict);
    }
    if answer.refusal.is_some() {
        return answer;
    }
    if let Some(config) = &loaded.pod_security {
        let changed = answer.mutated_object.as_ref();
        let said = pod_security::review(config, request, changed, loaded, &world);
        answer.warnings.extend(said.warnings);
        answer.audit_annotations.extend(said.audit_annotations);
        answer.refusal = said.refusal;
    }
    if answer.refusal.is_some() {
        return answer;
    }
    if let Some(bundle) = &mut loaded.validating {
        let results = run(bundle, request, &user, &resource, &world);
        add(&mut answer, words::validation(bundle, request, &results));
    }
    answer
}

/// Looks up the Namespace of a request, where policies look at it and the settings do not say its labels.
fn know_namespace(loaded: &mut Loaded, request: &Request, world: &Cluster<'_>) -> Result<(), String> {
    let name = &request.namespace;
    let is_given = loaded.namespace_labels.iter().any(|(known, _)| known == name);
    let is_itself = request.resource.kind() == "Namespace" && request.resource.gvk.group.is_empty();
    if loaded.without_namespace.is_none() || name.is_empty() || is_given || is_itself {
        return Ok(());
    }
    let namespace = world.namespace(name)?;
    let labels = namespace.find(&["metadata", "labels"]).and_then(Value::as_object);
    let pairs = labels.into_iter().flat_map(Map::iter);
    let labels: Vec<(Str, Str)> =
        pairs.map(|(key, value)| (key.clone(), Str::from(value.as_str().unwrap_or("")))).collect();
    for bundle in [&mut loaded.mutating, &mut loaded.validating].into_iter().flatten() {
        // That of the last request goes: what is known of it grows old.
        bundle.settings.namespaces.clear();
        bundle.settings.namespace_labels.clear();
        for (given, labels) in &loaded.namespace_labels {
            bundle.settings.namespace_labels.insert(given.clone(), labels.clone());
        }
        bundle.settings.namespaces.insert(name.clone(), namespace.clone());
        bundle.settings.namespace_labels.insert(name.clone(), labels.clone());
    }
    Ok(())
}

/// What policies say of an object.
fn run(
    bundle: &mut Bundle,
    request: &Request,
    user: &UserInfo,
    resource: &Resource,
    world: &Cluster<'_>,
) -> Vec<PolicyResult> {
    let settings = &mut bundle.settings;
    settings.operation = Some(Str::new_static(request.operation.as_str()));
    settings.user = Some(user.clone());
    settings.dry_run = request.sent.get("dryRun").and_then(Value::as_bool).unwrap_or(false);
    settings.request = Some(request.sent.clone());
    settings.subresources = request.subresource.clone().into_iter().collect();
    bundle.old_resources = Shelf::default();
    if let Some(old) = &request.old {
        bundle.old_resources.push(old.clone());
    }
    let options = Options { host: Original::Cluster, trace: Recording::Off, places: Locations::Omit };
    let directory = Directory::of(bundle);
    let mut results = Vec::new();
    Driver::of_requests(bundle, &directory, world, &options)
        .each(std::slice::from_ref(resource), |result| results.push(result));
    results
}

/// The object as policies have left it, where they have changed it.
fn left_by(results: Vec<PolicyResult>) -> Option<Value> {
    let mutations = results.into_iter().filter_map(|result| result.mutation);
    mutations
        .filter(|mutation| mutation.changed && !mutation.resource.is_null())
        .last()
        .map(|last| last.resource)
}

fn add(answer: &mut Answer, verdict: Verdict) {
    let Verdict { denials, warnings, annotations } = verdict;
    answer.warnings.extend(warnings);
    answer.audit_annotations.extend(annotations);
    if let Some(first) = denials.first() {
        // An API server shows what the first says that refuses; here all of them are shown, with the code of the first.
        let texts: Vec<&str> = denials.iter().map(|denial| denial.text.as_str()).collect();
        answer.refusal = Some((texts.join("\n"), first.code));
    }
}
