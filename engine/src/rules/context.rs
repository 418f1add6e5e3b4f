//! Adds the context entries of a rule or an element to the JSON context.
//! Mirrors: pkg/engine/factories/contextloaderfactory.go, cmd/cli/kubectl-kyverno/store/contextloader.go.

use super::{Loading, Subject};
use crate::context::{Absent, ApiCall, ImageCall, JsonContext, List, Loader, Objects, variables};
use crate::load::{Cluster, Host};
use crate::policy::{ContextEntry, PolicyKind, Source};
use crate::resource::Resource;
use engine_json::{Map, Value};

/// Adds a loader for each entry that can be answered here, and the values that the user gives for the rule.
///
/// What only a cluster or a registry can answer is left out, as the CLI leaves it out: an expression that names it
/// then fails with `Unknown key`. Errors are those of entries that are loaded at once.
pub(crate) fn add_entries<'a>(
    context: &mut JsonContext<'a>,
    entries: &'a [ContextEntry],
    subject: &Subject<'a>,
) -> Result<(), String> {
    for (name, value) in subject.values() {
        context.add_variable(name, value.clone());
    }
    for entry in entries {
        if add_mocked(context, entry, subject)? {
            continue;
        }
        let Some(loader) = loader(entry, subject) else { continue };
        match subject.loading {
            Loading::Deferred => context.add_loader(entry.name.clone(), loader),
            Loading::Eager => context.load_now(&entry.name, &loader)?,
        }
    }
    Ok(())
}

/// What loads an entry; `None` where nobody can answer it.
fn loader<'a>(entry: &'a ContextEntry, subject: &Subject<'a>) -> Option<Loader<'a>> {
    // As it is written: without a namespace nothing is held against it.
    let policy_namespace =
        if subject.policy.kind == PolicyKind::Policy { subject.policy.namespace.as_str() } else { "" };
    Some(match &entry.source {
        Source::Variable { .. } => Loader::Variable(entry),
        Source::ConfigMap { name, namespace } => match &subject.answers.cluster {
            Cluster::Objects(_) => Loader::ConfigMap { entry, policy_namespace },
            Cluster::Resources | Cluster::Nobody => Loader::Answer(config_map(subject, namespace, name)?),
        },
        Source::ApiCall(call) => {
            let objects = Objects { given: api_objects(subject)?, cluster: subject.memory };
            Loader::ApiCall(entry, ApiCall { call, objects, policy_namespace })
        }
        Source::GlobalReference(reference) => {
            let answers = subject.answers;
            let absent = absent(answers.has_entries || !answers.global.is_empty());
            Loader::Global { reference, answers, absent, policy_namespace }
        }
        // Kyverno: the CLI leaves such entries out, the Playground asks.
        Source::ImageRegistry(call) => {
            let absent = absent(subject.host == Host::Playground || !subject.image_data.is_empty());
            Loader::ImageData(entry, ImageCall { call, data: subject.image_data, absent })
        }
        Source::Unknown => return None,
    })
}

/// Without any answers given, the entry is not loaded in the original.
fn absent(is_asked: bool) -> Absent {
    if is_asked { Absent::Fails } else { Absent::Unknown }
}

/// Adds the answer that stands ready for a call; whether there is one.
// Kyverno: contextloader.go, wrapper.Load: such answers are loaded at once, not when they are asked for.
fn add_mocked(
    context: &mut JsonContext<'_>,
    entry: &ContextEntry,
    subject: &Subject<'_>,
) -> Result<bool, String> {
    let Source::ApiCall(call) = &entry.source else { return Ok(false) };
    if subject.answers.calls.is_empty() {
        return Ok(false);
    }
    let name = &entry.name;
    let call = variables::substitute(context, call).map_err(|error| {
        format!("failed to substitute variables in apiCall context entry \"{name}\": {error}")
    })?;
    let url = match call.find_str(&["service", "url"]) {
        "" => call.find_str(&["urlPath"]),
        url => url,
    };
    let method = match call.find_str(&["method"]) {
        "" => "GET",
        method => method,
    };
    let Some(answer) = subject.answers.call(method, url).filter(|_| !url.is_empty()) else {
        return Ok(false);
    };
    if !(200..300).contains(&answer.status) {
        let status = answer.status;
        return Err(format!(
            "HTTP {status} from apiCall mock for context entry \"{name}\" (v1 apiCall treats non-2xx as failure)"
        ));
    }
    let body = answer.body.with_float_numbers();
    let value = match call.find_str(&["jmesPath"]) {
        "" => body,
        path => context.evaluator.apply(path, &body).map_err(|error| {
            format!("failed to apply JMESPath \"{path}\" for context entry \"{name}\": {error}")
        })?,
    };
    context.add_entry(name, &value)?;
    Ok(true)
}

/// The objects from which calls of the API are answered beside those of a `generate` rule's own cluster; the Playground
/// drops such entries.
// Kyverno: commands/apply/command.go, createFakeClientFromResources: what is mutated later stands there too;
// processor/generate.go, initializeMockController: what makes objects sees its own cluster alone.
fn api_objects(subject: &Subject<'_>) -> Option<&'static [List]> {
    match (subject.host, &subject.answers.cluster) {
        (Host::Playground, _) | (_, Cluster::Nobody) => None,
        _ if subject.memory.is_some() => Some(&[]),
        (_, Cluster::Resources) => Some(&[List::Given, List::Cluster]),
        (_, Cluster::Objects(_)) => Some(&[List::Answers]),
    }
}

/// Data and metadata of a ConfigMap of the cluster.
fn config_map(subject: &Subject<'_>, namespace: &str, name: &str) -> Option<Value> {
    let wanted = |object: &&Resource| {
        object.kind() == "ConfigMap" && object.namespace() == namespace && object.name() == name
    };
    let found = &subject.cluster.iter().find(wanted)?.value;
    let field = |key: &str| found.get(key).cloned().unwrap_or_default();
    let entries = [("data", field("data")), ("metadata", field("metadata"))];
    Some(entries.into_iter().collect::<Map>().into())
}
