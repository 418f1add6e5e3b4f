//! The expressions of policies in files: what is wrong with them, and where in the YAML.

use crate::commands::inputs::{self, Input};
use crate::exit::Failure;
use crate::files::{self, Unreadable};
use crate::print::diagnostics::{render, renderer};
use crate::terminal;
use engine::Bundle;
use engine::diag::{Code, Diagnostic, Severity};
use engine::load::{Followed, Host, Kubernetes, Role};
use engine::policy::{Body, Check, Policy};

/// Checks all policies with expressions in CEL of these files; how many mistakes there are.
pub(super) fn check(paths: &[String], release: Option<Kubernetes>) -> Result<usize, Failure> {
    let mut read = Vec::new();
    for path in paths {
        let text = files::read(path)
            .map_err(|Unreadable { original, .. }| Failure(format!("`{path}` cannot be read: {original}")))?;
        read.push(Input { role: Role::Policies, text });
    }
    let followed = match release {
        Some(kubernetes) => Followed { host: Host::Cluster, kubernetes },
        None => Host::Cli.into(),
    };
    let (bundle, diagnostics) =
        inputs::load_sources(inputs::sources(read), followed, engine_celpolicy::AS_WRITTEN);
    let wrong: Vec<&Diagnostic> = diagnostics.iter().filter(|said| is_mistake(said)).collect();
    let checked: Vec<&Policy> = bundle.policies.iter().filter(|policy| has_expressions(policy)).collect();
    for policy in &checked {
        if !wrong.iter().any(|said| is_within(&bundle, policy, said)) {
            let (kind, key) = (policy.kind.as_str(), policy.key());
            terminal::print(&format!("{kind} {key}: all expressions compile\n"));
        }
    }
    if checked.is_empty() && wrong.is_empty() && !paths.is_empty() {
        terminal::say("warning: there is no expression in CEL in these files: nothing was checked\n");
    }
    for said in &wrong {
        let mistake = Diagnostic { severity: Severity::Error, ..(*said).clone() };
        terminal::say(&format!("{}\n", render(&bundle, &mistake, &renderer())));
    }
    Ok(wrong.len())
}

/// Whether this is wrong with a policy: Kyverno loads a rule or a policy of Kubernetes with an expression that does not
/// compile, which is a warning then.
fn is_mistake(said: &Diagnostic) -> bool {
    said.severity == Severity::Error || said.code == Code::BadExpression
}

/// Whether the policy is one in CEL, or has a rule in CEL.
fn has_expressions(policy: &Policy) -> bool {
    let is_in_cel = |body: &Body| matches!(body, Body::Validate(body) if matches!(body.check, Check::Cel(_)));
    policy.body.is_some() || policy.rules.iter().any(|rule| is_in_cel(&rule.body))
}

/// Whether this was said of the document of the policy.
fn is_within(bundle: &Bundle, policy: &Policy, said: &Diagnostic) -> bool {
    let (Some(document), Some(at)) = (bundle.document(policy.document), said.span) else { return false };
    let whole = document.span;
    at.source == document.source && whole.start <= at.start && at.start < whole.end
}
