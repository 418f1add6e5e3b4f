//! What flags change about what was loaded, and what of it ends the run.

use super::inputs::has_no_kind;
use crate::args::Apply;
use crate::exit::Failure;
use crate::print::diagnostics;
use crate::terminal;
use engine::Bundle;
use engine::diag::{Diagnostic, Severity};
use engine::load::{Role, variable};
use engine::policy::Exception;
use engine::yaml::Source;
use std::collections::HashSet;

/// Says which files were given for exceptions and hold none: the original says nothing.
pub(super) fn say_without_exceptions(bundle: &Bundle) {
    for (_, source) in bundle.sources.iter().filter(|(role, _)| *role == Role::Exceptions) {
        if !bundle.documents.iter().any(|document| document.source == source.id) {
            terminal::say(&format!("warning: `{}` holds no PolicyException\n", source.name));
        }
    }
}

/// Exceptions that were found among resources are resources first: they lie in the namespace `default` where they name
/// none, and one that cannot be used is passed over.
// Kyverno: exception.SelectFrom. It says nothing of those it passes over.
pub(super) fn settle_exceptions_within(bundle: &mut Bundle, diagnostics: &mut [Diagnostic]) {
    let is_within =
        |source: Option<&(Role, Source)>| source.is_some_and(|(role, _)| *role == Role::Exceptions);
    for diagnostic in diagnostics {
        let source = diagnostic.span.and_then(|span| bundle.source(span.source));
        if diagnostic.severity == Severity::Error && is_within(source) {
            diagnostic.severity = Severity::Warning;
            diagnostic
                .hints
                .push("everything is evaluated without this exception, as by `kyverno apply`".to_owned());
        }
    }
    let placed = |exception: &Exception| {
        let source = bundle.document(exception.document).and_then(|document| bundle.source(document.source));
        let mut placed = exception.clone();
        if placed.namespace.is_empty() && is_within(source) {
            placed.namespace = "default".into();
        }
        placed
    };
    bundle.exceptions = bundle.exceptions.iter().map(placed).collect();
}

/// Takes the PolicyExceptions among the policies away, and says so where none of the same name is given elsewhere.
// Kyverno: without the flag they are read and not used, without a word.
fn leave_out_exceptions(bundle: &mut Bundle) {
    let role = |exception: &Exception| {
        let document = bundle.document(exception.document)?;
        bundle.source(document.source).map(|(role, _)| *role)
    };
    let is_among_policies = |exception: &Exception| role(exception) == Some(Role::Policies);
    let name = |exception: &Exception| (exception.namespace.clone(), exception.name.clone());
    let (among, kept): (Vec<_>, Vec<_>) =
        bundle.exceptions.iter().cloned().partition(|exception| is_among_policies(exception));
    let given: HashSet<_> = kept.iter().map(name).collect();
    let unused: Vec<_> = among.iter().map(name).filter(|name| !given.contains(name)).collect();
    if let Some((namespace, name)) = unused.first() {
        let first = if namespace.is_empty() { name.to_string() } else { format!("{namespace}/{name}") };
        let are = match unused.len() - 1 {
            0 => "among the policies is".to_owned(),
            more => format!("and {more} more among the policies are"),
        };
        terminal::say(&format!(
            "warning: PolicyException `{first}` {are} not used: give the file with --exception, or add \
             --exceptions-within-policies\n"
        ));
    }
    bundle.exceptions = kept.into_iter().collect();
}

/// Said where a flag names the operation and a policy in CEL would not hear of it.
const OPERATION_IN_VALUES: &str = "warning: `--set request.operation` does not count for policies in CEL, as in `kyverno apply`: \
     set it under globalValues in a values file\n";

/// Said where failures of policies in CEL are called warnings and counted as failures.
// Kyverno: cmd/cli/kubectl-kyverno/commands/apply/print.go; the counts are made elsewhere.
const AUDIT_WARN: &str = "warning: --audit-warn changes the words for policies in CEL, and neither counts nor exit code, as in \
     `kyverno apply`\n";

/// What the flags change about what was loaded.
pub(super) fn settle(arguments: &Apply, bundle: &mut Bundle) {
    if !arguments.exceptions_within_policies {
        leave_out_exceptions(bundle);
    }
    let has_cel = bundle.policies.iter().any(|policy| policy.body.is_some());
    if arguments.audit_warn && has_cel {
        terminal::say(AUDIT_WARN);
    }
    // Kyverno: variables/parse.go. What is not a plain `name=value` is passed over.
    for entry in &arguments.set {
        let mut parts = entry.trim().split('=').map(str::trim);
        if let (Some(name), Some(value), None) = (parts.next(), parts.next(), parts.next()) {
            let values = &mut bundle.settings.global_values;
            let is_known = values.iter().any(|(known, _)| known == name);
            if name.is_empty() || value.is_empty() || name.contains("request.object.") || is_known {
                terminal::say(&format!("warning: `--set {entry}` is ignored, as by `kyverno apply`\n"));
            } else {
                match variable(name, &value.into()) {
                    Ok(entry) => {
                        bundle.settings.flag_values.push(entry.0.clone());
                        values.push(entry);
                        if name == "request.operation" && has_cel {
                            terminal::say(OPERATION_IN_VALUES);
                        }
                    }
                    Err(why) => terminal::say(&format!("warning: `--set` is ignored: {why}\n")),
                }
            }
        } else {
            terminal::say(&format!("warning: `--set {entry}` is ignored: write name=value\n"));
        }
    }
}

/// Values, user info and exceptions that cannot be used end the run: what would be evaluated is something else.
pub(super) fn refuse_broken_settings(
    arguments: &Apply,
    bundle: &Bundle,
    found: &[Diagnostic],
    unknown_operation: Option<String>,
) -> Result<(), Failure> {
    let is_broken = |role: Role| {
        found.iter().any(|diagnostic| {
            let source = diagnostic.span.and_then(|span| bundle.source(span.source));
            diagnostic.severity == Severity::Error && source.is_some_and(|(of, _)| *of == role)
        })
    };
    let deprecated = |what: &str, path: &str| {
        format!("\nWARNING: {what} file ({path}) uses a deprecated schema that will be removed in 1.15\n")
    };
    let (values, user) =
        (arguments.values_file.as_deref().unwrap_or(""), arguments.userinfo.as_deref().unwrap_or(""));
    if !is_broken(Role::UserInfo) && has_no_kind(bundle, Role::UserInfo) {
        terminal::print(&deprecated("user infos", user));
    }
    let refusal = if is_broken(Role::UserInfo) {
        format!("failed to load request info (unable to use {user})")
    } else if let Some(words) = unknown_operation {
        words
    } else if is_broken(Role::Values) {
        format!("failed to decode yaml (unable to load variable file: {values})")
    } else if has_no_kind(bundle, Role::Values) {
        terminal::print(&deprecated("values", values));
        format!(
            "failed to decode yaml (values file {values} uses a deprecated schema — please migrate to the latest format)"
        )
    } else if is_broken(Role::Exceptions) {
        let words =
            found.iter().map(|said| &said.message).find(|text| text.starts_with("failed to parse document"));
        let words = words.map(|words| format!(" ({words})")).unwrap_or_default();
        format!("Error: failed to load exceptions (unable to load exceptions{words})")
    } else {
        return Ok(());
    };
    diagnostics::print(bundle, found);
    Err(Failure(refusal))
}
