//! Decodes PolicyExceptions.

use super::check::lint_exclusions;
use super::check::schema::{self, Strictness, Version};
use super::decode::{Node, Problems};
use super::rules::decode_conditions;
use super::selectors::decode_match;
use super::{DocumentPath, ExtensionKind, Loader, Reading, Refused, Struct, Unsupported, Usable};
use crate::body::{PolicyBody, WithExceptions};
use crate::diag::{Code, Diagnostic, Severity};
use crate::policy::{Exception, ExceptionTarget};
use crate::resource::DocumentId;
use crate::value::Wildcard;
use engine_json::{Path, Str, Value};

/// Says, in the original's words, why it does not load an exception.
type Refuse = fn(&Value) -> Option<String>;

impl Loader {
    pub(super) fn exception_document(&mut self, id: DocumentId, value: &Value) {
        let root = Path::root();
        match (value.find_str(&["apiVersion"]), value.find_str(&["kind"])) {
            ("kyverno.io/v2" | "kyverno.io/v2beta1", "PolicyException") => self.exception(id, value, &root),
            (version, kind) if self.exception_row(version, kind).is_some() => {
                if let Some((schema, refuse)) = self.exception_row(version, kind) {
                    self.other_exception(id, value, schema, refuse);
                }
            }
            (version, "PolicyException") if version.starts_with("policies.kyverno.io/") => {
                let message = "exceptions for policies in CEL are not supported yet";
                self.say(id, &root.join("apiVersion"), Code::NotSupported, Severity::Error, message);
                let what = "PolicyException of policies.kyverno.io".to_owned();
                self.bundle.unsupported.push(Unsupported {
                    policy: String::new(),
                    rule: Str::default(),
                    what,
                });
            }
            (version, "PolicyException") => {
                // Kyverno: kubectl-validate has no schema of this version.
                let message = format!(
                    "failed to parse document (failed to retrieve validator: failed to locate OpenAPI spec for GV: {version})"
                );
                self.say(id, &root.join("apiVersion"), Code::UnknownKind, Severity::Error, message);
                if let Some(diagnostic) = self.diagnostics.pop() {
                    self.diagnostics.push(diagnostic.hint("write `apiVersion: kyverno.io/v2`"));
                }
            }
            ("", _) | (_, "") => {
                let message = "an exception needs `apiVersion` and `kind`";
                self.say(id, &root, Code::NoKind, Severity::Error, message);
            }
            (version, kind) => {
                let message = format!("`{version}` `{kind}` is not a PolicyException");
                self.say(id, &root, Code::UnknownKind, Severity::Error, message);
            }
        }
    }
}

impl Loader {
    /// An exception of Kyverno's own group, which stands at this path of its document.
    pub(super) fn exception(&mut self, id: DocumentId, value: &Value, path: &Path) {
        let mut problems = Problems::new();
        // Kyverno: kubectl-validate holds the exception against its schema before anything else.
        let strictness = Strictness::at(path, Version::V2Beta1);
        schema::validate(&Node::new(value, path), &schema::EXCEPTION, strictness, &mut problems);
        // The table has said all that the decoder could.
        let exception = decode_exception(value, id, &mut Problems::new());
        let path = path.join("spec").join("podSecurity");
        lint_exclusions(&exception.pod_security, &path, &mut problems);
        if self.report(id, problems) == Usable::Yes {
            self.bundle.exceptions.push(exception);
        }
    }

    /// The schema of exceptions for policies with a body.
    fn exception_row(&self, version: &str, kind: &str) -> Option<(&'static Struct, Refuse)> {
        let of = |row: &&ExtensionKind| row.kind == kind && row.api_versions.contains(&version);
        let row = self.extension.kinds.iter().find(of)?;
        let Reading::Exception(refuse) = row.reading else { return None };
        Some((row.schema, refuse))
    }

    fn other_exception(&mut self, id: DocumentId, value: &Value, schema: &Struct, refuse: Refuse) {
        let root = Path::root();
        let mut problems = Problems::new();
        let strictness = Strictness::Schema(Version::V1);
        schema::validate(&Node::new(value, &root), schema, strictness, &mut problems);
        let unknown = problems.iter().filter(|problem| problem.code == Code::UnknownField);
        let unknown: Vec<String> = unknown
            .map(|problem| format!("{}: Invalid value: value provided for unknown field", problem.path))
            .collect();
        // Kyverno: kubectl-validate looks for unknown fields before anything else.
        let words = match unknown.as_slice() {
            [] => refuse(value),
            [one] => Some(format!("failed to parse document ({one})")),
            many => Some(format!("failed to parse document ([{}])", many.join(", "))),
        };
        if self.report(id, problems) == Usable::Yes && words.is_none() {
            self.bundle.other_exceptions.push((id, value.clone()));
        } else if let Some(words) = words {
            self.say(id, &root.join("spec"), Code::Refused, Severity::Error, words.clone());
            self.bundle.unread_exceptions.push(words);
        }
    }

    /// Hands the exceptions of their group to policies with a body, once all are there.
    pub(super) fn settle_exceptions(&mut self) {
        let given = std::mem::take(&mut self.bundle.other_exceptions);
        if given.is_empty() {
            return;
        }
        let values: Vec<&Value> = given.iter().map(|(_, value)| value).collect();
        let mut kept = Vec::new();
        for mut policy in std::mem::take(&mut self.bundle.policies) {
            let body = policy.body.as_ref();
            match body.map_or(WithExceptions::Same, |body| body.with_exceptions(&values)) {
                WithExceptions::Same => {}
                WithExceptions::Changed(body) => policy.body = Some(body),
                WithExceptions::Erring { body, exception } => {
                    self.say_faults(body.as_ref(), given.get(exception), Severity::Warning);
                    policy.body = Some(body);
                }
                WithExceptions::Refused { exception, reason } => {
                    let (document, path) = (policy.document, Path::root());
                    let found = given.get(exception);
                    let is_said =
                        body.is_some_and(|body| self.say_faults(body.as_ref(), found, Severity::Error));
                    if !is_said {
                        let place = found.map_or(document, |(document, _)| *document);
                        let message = format!(
                            "policy `{}` cannot be evaluated with this exception: {reason}",
                            policy.key()
                        );
                        self.say(place, &path.join("spec"), Code::Refused, Severity::Error, message);
                    }
                    let rules = policy.rule_count();
                    self.bundle.refused.push(Refused { policy: policy.key(), reason, document, path, rules });
                    continue;
                }
            }
            kept.push(policy);
        }
        self.bundle.policies = kept;
        self.bundle.other_exceptions = given;
    }

    /// Says what is wrong with the expressions of an exception, once for all its policies; whether anything is.
    fn say_faults(
        &mut self,
        body: &dyn PolicyBody,
        exception: Option<&(DocumentId, Value)>,
        severity: Severity,
    ) -> bool {
        let Some((document, value)) = exception else { return false };
        let place = DocumentPath { document: *document, path: &Path::root() };
        let faults = body.faults_of_exception(&self.bundle, &place, value);
        let is_any = !faults.is_empty();
        for fault in faults {
            let fault = Diagnostic { severity, ..fault };
            let is_known = |said: &Diagnostic| said.span == fault.span && said.message == fault.message;
            if !self.diagnostics.iter().any(is_known) {
                self.diagnostics.push(fault);
            }
        }
        is_any
    }
}

fn decode_exception(value: &Value, document: DocumentId, problems: &mut Problems) -> Exception {
    let root = Path::root();
    let node = Node::new(value, &root);
    node.known_fields(&["apiVersion", "kind", "metadata", "spec"], problems);
    let (metadata, spec) = (node.field("metadata"), node.field("spec"));
    spec.known_fields(&["background", "match", "conditions", "exceptions", "podSecurity"], problems);
    Exception {
        name: metadata.field("name").text(problems),
        namespace: metadata.field("namespace").text(problems),
        document,
        matches: decode_match(&spec.field("match"), problems),
        conditions: decode_conditions(&spec.field("conditions"), problems),
        targets: spec.field("exceptions").items(problems, |item, problems| {
            item.known_fields(&["policyName", "ruleNames"], problems);
            ExceptionTarget {
                policy: item.field("policyName").text(problems),
                rules: item
                    .field("ruleNames")
                    .texts(problems)
                    .iter()
                    .map(|text| Wildcard::new(text))
                    .collect(),
            }
        }),
        pod_security: spec.field("podSecurity").items(problems, |item, _| item.value.clone()),
    }
}
