//! Sorts documents of the policy input and decodes policies.

use super::check::schema::{self, Defaults, Strictness, Version};
use super::check::{self, Refusal};
use super::decode::{Node, Problem, Problems};
use super::hints;
use super::rules::{RuleProvenance, decode_overrides, decode_rule};
use super::{
    DocumentPath, ExtensionKind, Host, Kubernetes, Loader, NotStored, Reading, Refused, Unsupported,
    Unusable, Usable,
};
use crate::autogen;
use crate::diag::{Code, Diagnostic, Severity};
use crate::policy::{Action, Body, Check, Origin, Policy, PolicyKind, Rule};
use crate::resource::DocumentId;
use engine_json::{Map, Path, Str, Value};
use engine_yaml::Span;
use engine_yaml::places::character;
use std::sync::Arc;

/// Kinds that Kyverno evaluates and this crate by itself does not: what is said of them where no table of further kinds is given.
const EXTENSION_KINDS: &[&str] = &[
    "ValidatingPolicy",
    "NamespacedValidatingPolicy",
    "MutatingPolicy",
    "NamespacedMutatingPolicy",
    "GeneratingPolicy",
    "NamespacedGeneratingPolicy",
    "DeletingPolicy",
    "NamespacedDeletingPolicy",
    "ImageValidatingPolicy",
    "NamespacedImageValidatingPolicy",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "GlobalContextEntry",
];

const SPEC_FIELDS: &[&str] = &[
    "rules",
    "applyRules",
    "failurePolicy",
    "validationFailureAction",
    "validationFailureActionOverrides",
    "emitWarning",
    "admission",
    "background",
    "schemaValidation",
    "webhookTimeoutSeconds",
    "mutateExistingOnPolicyUpdate",
    "generateExistingOnPolicyUpdate",
    "generateExisting",
    "useServerSideApply",
    "webhookConfiguration",
];

impl Loader {
    pub(super) fn policy_document(&mut self, id: DocumentId, value: &Value) {
        let (api_version, kind) = (value.find_str(&["apiVersion"]), value.find_str(&["kind"]));
        let root = Path::root();
        if let Some(row) = self.other_kind(api_version, kind, self.host == Host::Cluster) {
            return self.other_policy(row, id, value, &root);
        }
        match (api_version, kind) {
            (_, "") | ("", _) => {
                let message = "a policy needs `apiVersion` and `kind`";
                self.say(id, &root, Code::NoKind, Severity::Error, message);
                if let (Some(hint), Some(said)) = (hints::of_nothing(value), self.diagnostics.last_mut()) {
                    said.hints.push(hint.to_owned());
                }
            }
            ("kyverno.io/v1", "ClusterPolicy" | "Policy") => {
                self.policy(id, value, &root, Strictness::Schema(Version::V1));
            }
            ("kyverno.io/v2beta1", "ClusterPolicy" | "Policy") => {
                self.policy(id, value, &root, Strictness::Schema(Version::V2Beta1));
            }
            ("kyverno.io/v2" | "kyverno.io/v2beta1", "CleanupPolicy" | "ClusterCleanupPolicy") => {
                self.cleanup_document(id, value, &root);
            }
            ("v1", "List") => {
                let items = value.get("items").and_then(Value::as_array).unwrap_or_default();
                for (at, item) in items.iter().enumerate() {
                    self.list_item(id, item, &root.join("items").join(at));
                }
            }
            (version, "PolicyException") if version.starts_with("kyverno.io/") => {
                self.exception_document(id, value);
            }
            (_, kind)
                if EXTENSION_KINDS.contains(&kind)
                    && !self.extension.kinds.iter().any(|row| row.kind == kind) =>
            {
                let message =
                    format!("policies of kind `{kind}` are not supported yet: this one decides nothing here");
                self.say(id, &root.join("kind"), Code::NotSupported, Severity::Error, message);
                self.bundle.unsupported.push(unsupported_policy(value, kind));
            }
            (version, kind) => self.not_a_policy(id, version, kind),
        }
    }

    /// Says that a document is not a policy, or of a kind of the extension in which versions it is read.
    fn not_a_policy(&mut self, id: DocumentId, version: &str, kind: &str) {
        let row = self.extension.kinds.iter().find(|row| row.kind == kind);
        let (field, message, (code, hint)) = match row {
            None => {
                let message = format!("`{version}` `{kind}` is not a policy");
                ("kind", message, hints::of_kind(version, kind))
            }
            Some(row) if row.api_versions.contains(&version) => {
                let hint =
                    "Kyverno's CLI reads it among exceptions: `--exceptions`, or `exceptions` in a test";
                let message = format!("`{kind}` of `{version}` is not read among policies");
                ("kind", message, (Code::UnknownKind, hint.to_owned()))
            }
            Some(row) => {
                let mut hint = match row.api_versions {
                    [one] if row.more_versions.is_empty() => format!("write `apiVersion: {one}`"),
                    some => format!("Kyverno's CLI reads it in `{}`", some.join("`, `")),
                };
                if row.more_versions.contains(&version) {
                    hint.push_str(", a cluster also in this: `podsieve apply --as-cluster`");
                }
                ("apiVersion", format!("`{kind}` is not read in `{version}`"), (Code::UnknownKind, hint))
            }
        };
        self.say(id, &Path::root().join(field), code, Severity::Error, message);
        if let Some(said) = self.diagnostics.last_mut() {
            said.hints.push(hint);
        }
    }

    /// An item of a `List`; Kyverno checks these against no schema.
    fn list_item(&mut self, id: DocumentId, item: &Value, path: &Path) {
        let (version, kind) = (item.find_str(&["apiVersion"]), item.find_str(&["kind"]));
        if let Some(row) = self.other_kind(version, kind, true) {
            return self.other_policy(row, id, item, path);
        }
        match (version, kind) {
            ("kyverno.io/v1" | "kyverno.io/v2beta1", "ClusterPolicy" | "Policy") => {
                self.policy(id, item, path, Strictness::Types);
            }
            ("kyverno.io/v2" | "kyverno.io/v2beta1", "CleanupPolicy" | "ClusterCleanupPolicy") => {
                self.cleanup_document(id, item, path);
            }
            ("kyverno.io/v2" | "kyverno.io/v2beta1", "PolicyException") => {
                self.exception(id, item, path);
            }
            (version, kind) => {
                let message = format!("`{version}` `{kind}` is not a policy");
                self.say(id, path, Code::UnknownKind, Severity::Error, message);
            }
        }
    }

    /// A kind from elsewhere; whether versions count that the CLI's schemas do not have.
    fn other_kind(&self, version: &str, kind: &str, with_more: bool) -> Option<&'static ExtensionKind> {
        let is_it = |row: &&ExtensionKind| {
            let is_read = |versions: &[&str]| versions.contains(&version);
            row.kind == kind && (is_read(row.api_versions) || (with_more && is_read(row.more_versions)))
        };
        let row = self.extension.kinds.iter().find(is_it)?;
        // An exception among policies is read as one among exceptions.
        (!matches!(row.reading, Reading::Exception(_))).then_some(row)
    }

    /// A policy of a kind that a crate above the engine evaluates.
    fn other_policy(&mut self, row: &'static ExtensionKind, id: DocumentId, value: &Value, path: &Path) {
        let mut problems = Problems::new();
        schema::validate(
            &Node::new(value, path),
            row.schema,
            Strictness::at(path, Version::V1),
            &mut problems,
        );
        if self.host == Host::Cluster && row.not_stored.is_some() {
            // The server says it in its own words.
            let metadata = path.join("metadata");
            let name = metadata.join("name");
            let is_missing =
                |problem: &Problem| problem.code == Code::MissingField && problem.path == metadata;
            problems.retain(|problem| problem.path != name && !is_missing(problem));
        }
        if self.report_of_policy(id, problems, value.find_str(&["metadata", "name"])) == Usable::No {
            return;
        }
        if self.host == Host::Cluster
            && let Some(refusal) = row.not_stored.and_then(|why| why(value, self.bundle.kubernetes))
        {
            return self.name_not_stored(row, (id, path), value, refusal);
        }
        let decode = match row.reading {
            Reading::Policy(decode) => decode,
            Reading::Binding => return self.bundle.bindings.push((id, value.clone())),
            Reading::Exception(_) => return,
        };
        match decode(&self.bundle, &DocumentPath { document: id, path }, value, row.kind) {
            Ok((policy, said)) => {
                self.bundle.policies.push(policy);
                self.diagnostics.extend(said);
            }
            Err(unusable) => {
                let Unusable { diagnostics, refused, unsupported } = *unusable;
                self.diagnostics.extend(diagnostics);
                self.bundle.refused.extend(refused);
                self.bundle.unsupported.extend(unsupported);
            }
        }
    }

    /// Names what an API server does not store: in a cluster it decides nothing.
    fn name_not_stored(
        &mut self,
        row: &ExtensionKind,
        (id, root): (DocumentId, &Path),
        value: &Value,
        NotStored { reason, faults }: NotStored,
    ) {
        let name = value.find_str(&["metadata", "name"]);
        let release = match self.bundle.kubernetes {
            Kubernetes::RELEASED => String::new(),
            other => format!(" {other}"),
        };
        for (path, text) in &faults {
            let first = text.lines().next().unwrap_or_default();
            let message = format!("an API server{release} refuses {} `{name}`: {first}", row.kind);
            let place = root.concat(path);
            let span = self.named_place(id, &place, value.at_path(path.iter()), first);
            let span = span.or_else(|| self.span(id, &place));
            self.diagnostics.push(Diagnostic::error(Code::Refused, span, message));
        }
        let path = faults.first().map_or_else(|| root.clone(), |(path, _)| root.concat(path));
        let rules = usize::from(matches!(row.reading, Reading::Policy(_)));
        self.bundle.refused.push(Refused { policy: name.to_owned(), reason, document: id, path, rules });
    }

    /// The character of an expression that a server's words name: `<input>:LINE:COLUMN:`.
    fn named_place(&self, id: DocumentId, path: &Path, value: Option<&Value>, words: &str) -> Option<Span> {
        let (_, place) = words.split_once("<input>:")?;
        let mut numbers = place.split(':').map(|number| number.parse::<usize>().ok());
        let (line, column) = (numbers.next()??, numbers.next()??);
        let value = value?.as_str()?;
        let before: usize = value.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
        let in_line: usize =
            value.get(before..)?.chars().take(column.checked_sub(1)?).map(char::len_utf8).sum();
        let span = self.bundle.spans(id)?.value_span(path)?;
        let (_, source) = self.bundle.source(span.source)?;
        let written = source.text.get(span.start as usize..span.end as usize)?;
        Some(character(span, written, value, before + in_line))
    }

    fn policy(&mut self, id: DocumentId, value: &Value, path: &Path, strictness: Strictness) {
        let mut problems = Problems::new();
        schema::validate(&Node::new(value, path), &schema::POLICY, strictness, &mut problems);
        // The tables of the schema have said all that the decoders could.
        let mut said = Problems::new();
        let value = schema::typed(value, &schema::POLICY, Defaults::of(strictness)).with_int_numbers();
        let mut policy = decode_policy(&value, path, id, &mut said);
        if self.report_of_policy(id, problems, &policy.key()) == Usable::No
            || self.refuse(id, &policy, path) == Usable::No
        {
            return;
        }
        let suspicious = check::lint::lint(&policy);
        self.report(id, suspicious);
        self.read_cel_rules(id, &mut policy);
        for rule in &policy.rules {
            self.name_unsupported(id, &policy.key(), rule);
        }
        self.bundle.policies.push(policy);
    }

    /// Hands the rules in CEL to what evaluates them.
    fn read_cel_rules(&mut self, id: DocumentId, policy: &mut Policy) {
        let Some(read) = self.extension.cel_rule else { return };
        let written = policy.rules.len();
        for (at, rule) in policy.rules.iter_mut().chain(&mut policy.autogen).enumerate() {
            let is_cel =
                matches!(&rule.body, Body::Validate(validate) if matches!(validate.check, Check::Cel(None)));
            if !is_cel {
                continue;
            }
            let Some((body, said)) = read(&self.bundle, id, rule) else { continue };
            if let Body::Validate(validate) = &mut Arc::make_mut(rule).body {
                validate.check = Check::Cel(Some(body));
            }
            // What is wrong with a written rule is wrong with those that autogen makes of it.
            if at < written {
                self.diagnostics.extend(said);
            }
        }
    }

    /// Says what the schema refuses; the first of it, that the policy is not evaluated: one mistake is one problem.
    pub(super) fn report_of_policy(&mut self, id: DocumentId, problems: Problems, policy: &str) -> Usable {
        let before = self.diagnostics.len();
        let usable = self.report(id, problems);
        let first = self.diagnostics.iter_mut().skip(before).find(|said| said.severity == Severity::Error);
        if let Some(first) = first {
            let which =
                if policy.is_empty() { "this policy".to_owned() } else { format!("policy `{policy}`") };
            first.hints.push(format!("{which} is not evaluated: Kyverno would not load it"));
        }
        usable
    }

    /// Names what Kyverno's own validation refuses; such a policy counts as an error and is not evaluated.
    fn refuse(&mut self, id: DocumentId, policy: &Policy, path: &Path) -> Usable {
        let (refused, warned) = match self.host {
            Host::Cli | Host::Cluster => (check::check(policy, path).err(), None),
            Host::Playground => match check::check_fields(policy, path) {
                Err(refusal) => (Some(refusal), None),
                Ok(()) => (None, check::check(policy, path).err()),
            },
        };
        if let Some(refusal) = warned {
            let message = "a cluster refuses this policy itself, only the Playground evaluates it";
            self.say_refusal(id, &refusal, Severity::Warning, message);
        }
        let Some(refusal) = refused else { return Usable::Yes };
        self.say_refusal(
            id,
            &refusal,
            Severity::Error,
            &format!("Kyverno refuses policy `{}`", policy.key()),
        );
        let rules = policy.rule_count();
        let Refusal { reason, path, .. } = refusal;
        self.bundle.refused.push(Refused { policy: policy.key(), reason, document: id, path, rules });
        Usable::No
    }

    fn say_refusal(&mut self, id: DocumentId, refusal: &Refusal, severity: Severity, what: &str) {
        let message = format!("{what}: {}", without_json(refusal.reason.trim_end()));
        let span = self.span(id, &refusal.path);
        let hints =
            if refusal.hint.is_empty() { Vec::new() } else { vec![refusal.hint.clone().into_owned()] };
        self.diagnostics.push(Diagnostic { code: Code::Refused, severity, message, span, hints });
        if !refusal.note.is_empty() {
            self.say(id, &refusal.path, Code::Refused, Severity::Info, refusal.note);
        }
    }

    /// What a rule holds that is not evaluated yet: named, never passed over.
    fn name_unsupported(&mut self, id: DocumentId, policy: &str, rule: &Rule) {
        let name = &rule.name;
        if let Some((key, inner)) = rule.unsupported() {
            let path = rule.path.join(key).join(inner);
            let what = format!("{key}.{inner}");
            let message = format!("`{what}` rules are not supported yet: rule `{name}` decides nothing here");
            self.say(id, &path, Code::NotSupported, Severity::Error, message);
            self.bundle.unsupported.push(Unsupported { policy: policy.to_owned(), rule: name.clone(), what });
        }
    }
}

/// The words without the rules that they quote as JSON, for the line stands beside them; the whole of them is in [`Refused`].
fn without_json(reason: &str) -> String {
    const BEGIN: &str = "Invalid value: {";
    let mut parts = reason.split(BEGIN);
    let mut words = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let behind = part.split_once("}: ").map(|(_, behind)| ["…}: ", behind]);
        words.push_str(BEGIN);
        words.extend(behind.unwrap_or([part, ""]));
    }
    words
}

/// A document of a kind that is not evaluated.
fn unsupported_policy(value: &Value, kind: &str) -> Unsupported {
    let name = value.find_str(&["metadata", "name"]);
    let policy = match value.find_str(&["metadata", "namespace"]) {
        "" => name.to_owned(),
        namespace => format!("{namespace}/{name}"),
    };
    Unsupported { policy, rule: Str::default(), what: kind.to_owned() }
}

fn decode_policy(value: &Value, path: &Path, document: DocumentId, problems: &mut Problems) -> Policy {
    let node = Node::new(value, path);
    node.known_fields(&["apiVersion", "kind", "metadata", "spec", "status"], problems);
    let (metadata, spec) = (node.field("metadata"), node.field("spec"));
    spec.known_fields(SPEC_FIELDS, problems);
    let name = metadata.field("name").text(problems);
    let annotations = metadata.field("annotations").map(problems).cloned().unwrap_or_else(Map::new);
    let kind =
        if value.find_str(&["kind"]) == "Policy" { PolicyKind::Policy } else { PolicyKind::ClusterPolicy };
    let namespace = metadata.field("namespace").text(problems);
    let rules: Vec<Arc<Rule>> = spec.field("rules").items(problems, |item, problems| {
        let written_name = item.value.find_str(&["name"]);
        let provenance = RuleProvenance {
            origin: Origin::Written,
            written_name,
            controllers: Vec::new(),
            added_levels: 0,
        };
        Arc::new(decode_rule(item.value, &item.path(), provenance, problems))
    });
    Policy {
        kind,
        api_version: Str::new(value.find_str(&["apiVersion"])),
        namespace,
        name,
        document,
        raw: value.clone(),
        failure_action: Action::from_text(&spec.field("validationFailureAction").text(problems)),
        failure_action_overrides: decode_overrides(&spec.field("validationFailureActionOverrides"), problems),
        background: spec.field("background").flag(problems).unwrap_or(true),
        admission: spec.field("admission").flag(problems).unwrap_or(true),
        emit_warning: spec.field("emitWarning").flag(problems).unwrap_or(false),
        ignores_errors: spec.field("failurePolicy").text(problems) == "Ignore",
        apply_one: spec.field("applyRules").text(problems) == "One",
        autogen: autogen::expand(&rules, &annotations),
        rules,
        annotations,
        body: None,
    }
}
