//! Why a side cannot be compared.
//!
//! In: what was read of it. Out: what Kyverno refuses, what is not evaluated here, and what decides no request, each with its lines; and
//! what Kyverno takes and never evaluates.

use crate::lists::is_list;
use crate::settings::{IN_CEL, is_asked_on_admission};
use crate::sides::deletion::deletes;
use crate::sides::side::{Side, SideKind};
use engine::body::Phase;
use engine::diag::{Code, Diagnostic, Severity};
use engine::load::Kubernetes;
use engine::policy::Body;
use engine::resource::DocumentId;
use engine_celpolicy::policy::{refusal_of_webhook, refusal_to_store};
use engine_json::{Path, Value};
use engine_lenses::run::Positions;
use engine_lenses::wire::Range;

/// How many refused places of one document are named.
const MAX_REFUSED: usize = 4;
/// The group of the API server's own policies.
const OF_KUBERNETES: &str = "admissionregistration.k8s.io/";
/// How Go shows an error of a field that has no name.
const NO_FIELD: &str = "<nil>: Internal error: ";

impl Side<'_> {
    /// What cannot be compared, with its lines.
    pub(crate) fn why_not_compared(&self) -> Vec<(String, Option<Range>)> {
        let positions = Positions::new(&self.bundle);
        let mut found = Vec::new();
        // What an API server refuses is named below.
        let is_of_kubernetes = |refused: &&engine::load::Refused| {
            let document = self.bundle.document(refused.document);
            document.is_some_and(|of| of.value.find_str(&["apiVersion"]).starts_with(OF_KUBERNETES))
        };
        for refused in self.bundle.refused.iter().filter(|refused| !is_of_kubernetes(refused)) {
            let range = positions.of_path(refused.document, &refused.path);
            let reason = refused.reason.strip_prefix(NO_FIELD).unwrap_or(&refused.reason);
            found.push((format!("Kyverno refuses `{}`: {reason}", refused.policy), range));
        }
        for unsupported in &self.bundle.unsupported {
            found.push((format!("`{}` is not evaluated", unsupported.what), None));
        }
        let is_listed = |error: &Diagnostic| {
            let mut refused = self.bundle.refused.iter();
            let is_it = |refused: &engine::load::Refused| {
                is_of_kubernetes(&refused) || error.message.ends_with(&refused.reason)
            };
            error.code == Code::Refused && refused.any(is_it)
        };
        let errors = self.diagnostics.iter().filter(|error| error.severity == Severity::Error);
        for error in errors.filter(|error| !is_listed(error)) {
            let range = error.span.and_then(|span| positions.of_span(span));
            found.push((with_suggestion(error), range));
        }
        let is_empty = self.bundle.policies.is_empty() && self.unasked.is_empty();
        if found.is_empty() && is_empty && matches!(self.kind, SideKind::Policies) {
            found.push(("there is no policy that decides anything".to_owned(), None));
        }
        for policy in &self.bundle.policies {
            let body = policy.body.as_ref();
            let is_other = body.is_some_and(|body| body.protocol().is_some());
            let is_among = deletes(policy) && !self.deletes();
            let is_of_images = body.is_some_and(|body| matches!(body.phase(), Phase::VerifyImages));
            let text = match (is_among || is_other, is_of_images) {
                (true, _) => format!("`{}` decides no admission request", policy.name),
                (false, true) => {
                    format!("`{}` decides by images alone, which is not compared", policy.name)
                }
                (false, false) => continue,
            };
            found.push((text, positions.of_path(policy.document, &Path::from_keys(&["kind"]))));
        }
        let images = self
            .bundle
            .policies
            .iter()
            .flat_map(|policy| policy.rules.iter().map(move |rule| (policy, rule)));
        for (policy, rule) in images.filter(|(_, rule)| matches!(rule.body, Body::VerifyImages(_))) {
            let range = positions.of_path(policy.document, &rule.path);
            found.push((format!("rule `{}` verifies images, which needs a registry", rule.name), range));
        }
        self.refused_by_kubernetes(&positions, &mut found);
        // What is left of Lists could not be opened, and nothing would be read of what they hold.
        for (at, document) in self.bundle.documents.iter().enumerate() {
            if is_list(&document.value) {
                let id = DocumentId(u32::try_from(at).unwrap_or(u32::MAX));
                let range = positions.of_path(id, &Path::from_keys(&["kind"]));
                found.push(("a List that cannot be opened into its documents".to_owned(), range));
            }
        }
        found.into_iter().map(|(text, range)| (text, range.map(|range| self.place(range)))).collect()
    }

    /// What an API server refuses: the first places of each document.
    fn refused_by_kubernetes(&self, positions: &Positions<'_>, found: &mut Vec<(String, Option<Range>)>) {
        for (at, document) in self.bundle.documents.iter().enumerate() {
            let id = DocumentId(u32::try_from(at).unwrap_or(u32::MAX));
            let name = document.value.find_str(&["metadata", "name"]);
            for (path, text) in refused(&document.value, Kubernetes::RELEASED).into_iter().take(MAX_REFUSED) {
                let first = text.lines().next().unwrap_or_default();
                found.push((format!("Kubernetes refuses `{name}`: {first}"), positions.of_path(id, &path)));
            }
        }
    }

    /// The expressions of rules that do not compile. Kyverno takes such a rule, and it fails for each object that it matches.
    pub(crate) fn expressions_in_error(&self) -> Vec<String> {
        let positions = Positions::new(&self.bundle);
        let of_expression = self
            .diagnostics
            .iter()
            .filter(|said| said.code == Code::BadExpression && said.severity == Severity::Warning)
            // In a cluster it compiles.
            .filter(|said| !is_about_authorizer(said));
        let line = |said: &Diagnostic| {
            let range = said.span.and_then(|span| positions.of_span(span)).map(|range| self.place(range));
            let place = range.map(|range| format!("{}:{}: ", range.name, range.line)).unwrap_or_default();
            format!("{place}does not compile, so its rule fails for each object: {}", said.message)
        };
        of_expression.map(line).collect()
    }
}

/// The places of a document that an API server of a release refuses, or that it refuses of the webhook which Kyverno makes of it.
pub fn refused(document: &Value, release: Kubernetes) -> Vec<(Path, String)> {
    let (version, kind) = (document.find_str(&["apiVersion"]), document.find_str(&["kind"]));
    if version.starts_with(OF_KUBERNETES) {
        return refusal_to_store(document, release).map(|refusal| refusal.faults).unwrap_or_default();
    }
    let has_webhook = version.starts_with("policies.kyverno.io/") && IN_CEL.contains(&kind);
    if has_webhook && is_asked_on_admission(document) { refusal_of_webhook(document) } else { Vec::new() }
}

/// Whether an expression does not compile here alone: who may do what is known to an API server.
fn is_about_authorizer(said: &Diagnostic) -> bool {
    said.message.contains("reference to 'authorizer")
}

/// The message of a diagnostic, with the name that was meant where its hints suggest one.
fn with_suggestion(error: &Diagnostic) -> String {
    let is_suggestion =
        |hint: &&String| ["did you mean", "write `apiVersion"].iter().any(|begin| hint.starts_with(begin));
    let suggestion = error.hints.iter().find(is_suggestion);
    suggestion.map_or_else(|| error.message.clone(), |hint| format!("{} ({hint})", error.message))
}
