//! Adds the context entries of a rule or an element to the JSON context.
//! Mirrors: pkg/engine/factories/contextloaderfactory.go, cmd/cli/kubectl-kyverno/store/contextloader.go.

use crate::context::{JsonContext, Loader};
use crate::policy::{ContextEntry, Source};
use engine_json::{Str, Value};

/// Adds a loader for each entry that can be answered here, and the values that the user gives for the rule.
///
/// What only a cluster or a registry can answer is left out, as the CLI leaves it out: an expression that names it
/// then fails with `Unknown key`.
pub(crate) fn add_entries<'a>(
    context: &mut JsonContext<'a>,
    entries: &'a [ContextEntry],
    values: &[(Str, Value)],
) {
    for (name, value) in values {
        context.add_variable(name, value.clone());
    }
    for entry in entries {
        match &entry.source {
            Source::Variable { .. } => context.add_loader(entry.name.clone(), Loader::Variable(entry)),
            Source::ConfigMap { .. }
            | Source::ApiCall(_)
            | Source::ImageRegistry(_)
            | Source::GlobalReference(_)
            | Source::Unknown => {}
        }
    }
}
