//! Documents of all kinds, as a cluster takes them.
//!
//! In: files. Out: what becomes of each document, and what is wrong. A file may hold policies beside their parameters and exceptions:
//! each document is read for what it is.

use super::{Checked, Finding, GROUP, Report, Verdict};
use crate::args::Check;
use crate::commands::inputs;
use crate::files;
use crate::report::problems::unread;
use engine::Bundle;
use engine::diag::{Code, Diagnostic, Severity};
use engine::json::{Path, Value};
use engine::load::{Followed, Host, Role, load_parsed, options_of};
use engine::resource::DocumentId;
use engine::yaml::{Document, Parsed, Source, SourceId, parse};
use engine_lenses::run::{self, Positions};

/// What a document can be, in the order in which they are read.
const ROLES: [Role; 4] = [Role::CustomResourceDefinitions, Role::Policies, Role::Exceptions, Role::Opened];

/// Groups of files that no cluster gets.
const NO_OBJECTS: [&str; 2] = ["cli.kyverno.io/", "kustomize.config.k8s.io/"];

/// Kinds of these groups that are no policies.
const NO_POLICIES: [&str; 4] =
    ["GlobalContextEntry", "UpdateRequest", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"];

fn field<'d>(document: &'d Value, name: &str) -> &'d str {
    document.find_str(&[name])
}

/// What a document is, or nothing where no cluster gets it.
fn role_of(document: &Value) -> Option<Role> {
    let (version, kind) = (field(document, "apiVersion"), field(document, "kind"));
    if NO_OBJECTS.iter().any(|group| version.starts_with(group)) {
        return None;
    }
    let is_of = |value: &Value| {
        let version = field(value, "apiVersion");
        ["kyverno.io/", "policies.kyverno.io/", GROUP].iter().any(|group| version.starts_with(group))
    };
    let is_list_of_policies = || {
        let items = document.get("items").and_then(Value::as_array).unwrap_or_default();
        kind == "List" && items.iter().any(is_of)
    };
    let is_policy = version.is_empty() || kind.is_empty() || is_of(document) || is_list_of_policies();
    Some(match kind {
        "CustomResourceDefinition" => Role::CustomResourceDefinitions,
        "PolicyException" if is_of(document) => Role::Exceptions,
        _ if is_policy && !NO_POLICIES.contains(&kind) => Role::Policies,
        _ => Role::Opened,
    })
}

/// Checks all documents of the files that the arguments name.
pub(super) fn documents(arguments: &Check) -> Report {
    let opened = files::opened(&arguments.paths);
    let (read, mut lost) = inputs::read(Role::Policies, &opened.paths);
    lost.extend(opened.lost);
    let mut report = Report::default();
    report
        .findings
        .extend(lost.iter().map(|lost| Finding { file: lost.path.clone(), said: unread(lost).said }));
    let sources = sorted(&inputs::sources(read));
    let followed = Followed { host: Host::Cluster, kubernetes: arguments.kubernetes };
    let (bundle, mut said) = load_parsed(sources, followed, engine_celpolicy::WITH_STEPS);
    add_refusals(&bundle, arguments, &mut said);
    let positions = Positions::new(&bundle);
    for (id, document) in (0..).map(DocumentId).zip(&bundle.documents) {
        report.documents.push(checked(document, id, &said, &positions));
    }
    report.findings.extend(said.into_iter().map(|said| {
        let mut said = run::diagnostic(said, &positions);
        if said.severity != "error" {
            "warning".clone_into(&mut said.severity);
        }
        Finding { file: String::new(), said }
    }));
    report
}

/// The texts, each once for every role that a document of it has, with these documents alone.
fn sorted(sources: &[(Role, Source)]) -> Vec<(Role, Source, Parsed)> {
    let mut all = Vec::new();
    for (_, source) in sources {
        let mut whole = parse(source, &options_of(Role::Policies));
        for role in ROLES {
            let (of_role, rest): (Vec<Document>, Vec<Document>) =
                whole.documents.into_iter().partition(|document| role_of(&document.value) == Some(role));
            whole.documents = rest;
            let findings = std::mem::take(&mut whole.findings);
            if of_role.is_empty() && findings.is_empty() {
                continue;
            }
            let id = SourceId(u32::try_from(all.len()).unwrap_or(u32::MAX));
            let documents = of_role.into_iter().map(|mut document| {
                (document.source, document.span.source) = (id, id);
                document
            });
            let findings = findings.into_iter().map(|mut finding| {
                finding.span.source = id;
                finding
            });
            let parsed = Parsed { documents: documents.collect(), findings: findings.collect() };
            all.push((role, Source { id, ..source.clone() }, parsed));
        }
    }
    all
}

/// The objects of a document with their places: the items of a list, else the document.
fn objects(id: DocumentId, document: &Value) -> Vec<(DocumentId, Path, &Value)> {
    let items = document.get("items").and_then(Value::as_array);
    match items.filter(|_| field(document, "kind").ends_with("List")) {
        None => vec![(id, Path::root(), document)],
        Some(items) => {
            let place = |at: usize| Path::root().join("items").join(at);
            items.iter().enumerate().map(|(at, item)| (id, place(at), item)).collect()
        }
    }
}

/// Adds what loading does not say: what cannot be read as an object of its kind, what an API server refuses of the webhook of a
/// policy, and which versions it has behind a flag alone.
fn add_refusals(bundle: &Bundle, arguments: &Check, said: &mut Vec<Diagnostic>) {
    let all = (0..).map(DocumentId).zip(&bundle.documents);
    for (id, at, value) in all.flat_map(|(id, document)| objects(id, &document.value)) {
        let (version, kind, name) =
            (field(value, "apiVersion"), field(value, "kind"), value.find_str(&["metadata", "name"]));
        let Some(spans) = bundle.spans(id) else { continue };
        let mut add = |path: &Path, severity, words: &str| {
            let span = Some(engine::load::place(&spans, &at.concat(path)));
            let message = format!("{kind} `{name}`: {words}");
            let code = if severity == Severity::Error { Code::Refused } else { Code::Suspicious };
            said.push(Diagnostic { code, severity, message, span, hints: Vec::new() });
        };
        let read = engine_kubernetes::stored(value);
        if let Some(words) = read.refusal() {
            let path = read.first().map_or_else(Path::root, |refused| refused.path.clone());
            add(&path, Severity::Error, &format!("an API server refuses it: {words}"));
        }
        if !version.starts_with(GROUP) {
            for (path, words) in engine_compare::refused(value, arguments.kubernetes) {
                add(&path, Severity::Error, &format!("an API server refuses the webhook of it: {words}"));
            }
        } else if version.contains("alpha") || version.contains("beta") {
            let words = format!(
                "an API server has `{version}` only where `--runtime-config` and the feature gate ask for it"
            );
            add(&Path::from_keys(&["apiVersion"]), Severity::Warning, &words);
        }
    }
}

fn checked(document: &Document, id: DocumentId, said: &[Diagnostic], positions: &Positions<'_>) -> Checked {
    let value = &document.value;
    let is_within = |said: &&Diagnostic| {
        said.span.is_some_and(|at| {
            let whole = document.span;
            at.source == whole.source && whole.start <= at.start && at.start <= whole.end
        })
    };
    let is_wrong = said.iter().filter(is_within).any(|said| said.severity == Severity::Error);
    let is_known = |(_, _, object): &(DocumentId, Path, &Value)| {
        engine_kinds::is_known(field(object, "apiVersion"), field(object, "kind"))
    };
    let is_known = role_of(value) != Some(Role::Opened) || objects(id, value).iter().all(is_known);
    let verdict = match (is_wrong, is_known) {
        (true, _) => Verdict::Refused,
        (false, true) => Verdict::Taken,
        (false, false) => Verdict::Unchecked,
    };
    Checked {
        range: positions.of_path(id, &Path::from_keys(&["kind"])),
        kind: field(value, "kind").to_owned(),
        name: value.find_str(&["metadata", "name"]).to_owned(),
        verdict,
    }
}
