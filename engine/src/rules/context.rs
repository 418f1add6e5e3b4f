//! Adds the context entries of a rule or an element to the JSON context.
//! Mirrors: pkg/engine/factories/contextloaderfactory.go, cmd/cli/kubectl-kyverno/store/contextloader.go.

use super::{Loading, Subject};
use crate::context::{ApiCall, JsonContext, Loader, Objects};
use crate::load::Host;
use crate::policy::{ContextEntry, Source};
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
        let loader = match &entry.source {
            Source::Variable { .. } => Loader::Variable(entry),
            Source::ConfigMap { name, namespace } => match config_map(subject, namespace, name) {
                Some(answer) => Loader::Answer(answer),
                None => continue,
            },
            Source::ApiCall(call) => match api_objects(subject) {
                Some(given) => {
                    let objects = Objects { given, cluster: subject.memory };
                    let policy_namespace = subject.request.policy_namespace;
                    Loader::ApiCall(entry, ApiCall { call, objects, policy_namespace })
                }
                None => continue,
            },
            Source::ImageRegistry(_) | Source::GlobalReference(_) | Source::Unknown => continue,
        };
        match subject.loading {
            Loading::Deferred => context.add_loader(entry.name.clone(), loader),
            Loading::Eager => context.load_now(&entry.name, &loader)?,
        }
    }
    Ok(())
}

/// The objects from which calls of the API are answered: the CLI takes the resources it is given, the Playground drops
/// such entries.
fn api_objects<'a>(subject: &Subject<'a>) -> Option<&'a [Resource]> {
    (subject.host == Host::Cli).then_some(subject.resources)
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
