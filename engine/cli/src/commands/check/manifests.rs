//! Folders from which an API server reads policies and bindings when it starts.
//!
//! In: folders. Out: what becomes of each document, and what is wrong in the server's words; the first of it is what stops the server.
//! Mirrors: `apiserver/pkg/admission/plugin/manifest` and `plugin/policy/manifest/loader` of Kubernetes 0.37, and
//! `pkg/admission/plugin/policy/manifest/loader` of Kubernetes 1.37.

use super::{Checked, Finding, GROUP, Report, Verdict};
use crate::args::Check;
use crate::commands::inputs;
use crate::exit::Failure;
use crate::files;
use engine::Bundle;
use engine::json::{Path, Value, quote};
use engine::load::{Kubernetes, Role, options_of};
use engine::resource::DocumentId;
use engine::yaml::{self, FindingKind, Source, SourceId, parse};
use engine_celpolicy::policy::{STATIC, aggregated, faults_of};
use engine_lenses::run::Positions;
use engine_lenses::wire::{Diagnostic, Range};
use std::collections::{BTreeMap, BTreeSet};

/// The first release that reads such folders without a feature gate.
// Kubernetes: ManifestBasedAdmissionControlConfig in apiserver/pkg/features/kube_features.go.
const SINCE: Kubernetes = Kubernetes::minor(37);

/// The ends of the files that are read.
const ENDS: [&str; 3] = [".yaml", ".yml", ".json"];

/// Where the server's reader has its kinds from.
const SCHEME: &str = "k8s.io/kubernetes/pkg/admission/plugin/policy/manifest/loader/validating_loader.go:35";

/// The kinds of a folder: those of the plugin that reads it.
const PLUGINS: [&str; 2] = ["ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"];

/// The other kinds that the server's reader knows.
const OTHERS: [&str; 4] = [
    "ValidatingWebhookConfiguration",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfigurationList",
    "MutatingWebhookConfigurationList",
];

/// Checks each folder by itself.
pub(super) fn manifests(arguments: &Check) -> Result<Report, Failure> {
    let release = arguments.kubernetes;
    if release < SINCE {
        return Err(Failure(format!(
            "--static-manifests: an API server reads `staticManifestsDir` since Kubernetes {SINCE}, and --kubernetes is {release}"
        )));
    }
    let mut report = Report::default();
    for folder in &arguments.paths {
        let (bundle, unread) = read(folder)?;
        let mut set = Set::new(&bundle, release);
        set.say_unread(&unread);
        for (id, document) in (0..).map(DocumentId).zip(&bundle.documents) {
            set.document(id, &document.value);
        }
        set.check_references();
        report.documents.append(&mut set.report.documents);
        report.findings.append(&mut set.report.findings);
    }
    Ok(report)
}

/// The files of a folder in the order of their names.
// Kubernetes: manifest.LoadFiles.
fn read(folder: &str) -> Result<(Bundle, Vec<yaml::Finding>), Failure> {
    let is_read = |name: &str| ENDS.iter().any(|end| name.to_ascii_lowercase().ends_with(end));
    let entries = files::entries(folder).map_err(|lost| inputs::failure(&lost))?;
    let (mut bundle, mut unread) = (Bundle::default(), Vec::new());
    for (name, _) in entries.iter().filter(|(name, is_folder)| !is_folder && is_read(name)) {
        let path = format!("{}/{name}", folder.trim_end_matches('/'));
        let text = files::read(&path).map_err(|lost| inputs::failure(&lost))?;
        let id = SourceId(u32::try_from(bundle.sources.len()).unwrap_or(u32::MAX));
        let source = Source { id, name: text.name, text: text.text.into() };
        let parsed = parse(&source, &options_of(Role::Policies));
        unread.extend(parsed.findings);
        bundle.documents.extend(parsed.documents.into_iter().filter(|document| !document.value.is_null()));
        bundle.sources.push((Role::Policies, source));
    }
    Ok((bundle, unread))
}

/// A folder as the server reads it.
struct Set<'b> {
    bundle: &'b Bundle,
    positions: Positions<'b>,
    release: Kubernetes,
    /// The kind of its policies, once one is read.
    plugin: Option<&'static str>,
    /// The files of names, of policies and of bindings.
    seen: [BTreeMap<String, String>; 2],
    policies: BTreeSet<String>,
    /// Bindings: the document, its place there, the name, the policy.
    bindings: Vec<(DocumentId, Path, String, String)>,
    report: Report,
}

/// What is wrong: where, and the server's words.
type Wrong = (Path, String);

impl<'b> Set<'b> {
    fn new(bundle: &'b Bundle, release: Kubernetes) -> Self {
        let positions = Positions::new(bundle);
        let (report, policies, bindings) = Default::default();
        Set { bundle, positions, release, plugin: None, seen: Default::default(), policies, bindings, report }
    }

    /// Says what is no YAML, or holds a key twice.
    // The server counts lines by documents; the place says the line of the file.
    fn say_unread(&mut self, unread: &[yaml::Finding]) {
        for finding in unread {
            let begin = match finding.kind {
                FindingKind::DuplicateKey => "strict decoding error: yaml: unmarshal errors",
                _ => "yaml",
            };
            let range = self.positions.of_span(finding.span);
            let file = range.as_ref().map_or_else(String::new, |range| range.name.to_string());
            let message = format!("error loading {file}: {begin}: {}", finding.message);
            self.report.findings.push(refused(file, range, message));
        }
    }

    fn document(&mut self, id: DocumentId, value: &Value) {
        let wrong = self.accepted(id, value, &Path::root()).err();
        self.report.documents.push(Checked {
            range: self.positions.of_path(id, &Path::from_keys(&["kind"])),
            kind: value.find_str(&["kind"]).to_owned(),
            name: value.find_str(&["metadata", "name"]).to_owned(),
            verdict: if wrong.is_some() { Verdict::Refused } else { Verdict::Taken },
        });
        if let Some((path, words)) = wrong {
            let words = format!("error loading {}: {words}", self.file(id));
            self.say(id, &path, words);
        }
    }

    fn say(&mut self, id: DocumentId, path: &Path, message: String) {
        let range = self.positions.of_path(id, path);
        self.report.findings.push(refused(self.file(id).to_owned(), range, message));
    }

    fn file(&self, id: DocumentId) -> &'b str {
        let source = self.bundle.document(id).and_then(|document| self.bundle.source(document.source));
        source.map_or("", |(_, source)| &source.name)
    }

    // Kubernetes: acceptFileObject.
    fn accepted(&mut self, id: DocumentId, value: &Value, at: &Path) -> Result<(), Wrong> {
        let (version, kind) = (value.find_str(&["apiVersion"]), value.find_str(&["kind"]));
        if PLUGINS.contains(&kind) {
            self.policies.insert(value.find_str(&["metadata", "name"]).to_owned());
        }
        self.decoded(id, value, at)?;
        let items = value.get("items").and_then(Value::as_array).unwrap_or_default();
        let item_path = |place: usize| at.join("items").join(place);
        if (version, kind) == ("v1", "List") {
            for (place, item) in items.iter().enumerate() {
                let path = item_path(place);
                self.decoded(id, item, &path)
                    .map_err(|(path, words)| (path, format!("failed to decode list item: {words}")))?;
                self.accepted(id, item, &path)?;
            }
            return Ok(());
        }
        let of = kind.strip_suffix("List").unwrap_or(kind);
        let of_plugin =
            PLUGINS.into_iter().find(|plugin| of.strip_suffix("Binding").unwrap_or(of) == *plugin);
        let is_read = version == format!("{GROUP}v1")
            && of_plugin.is_some_and(|plugin| *self.plugin.get_or_insert(plugin) == plugin);
        if !is_read {
            let version = version.rsplit('/').next().unwrap_or_default();
            return Err((at.join("kind"), format!("unsupported resource type *{version}.{kind}")));
        }
        if of == kind {
            return self.object(id, value, kind, at);
        }
        items.iter().enumerate().try_for_each(|(place, item)| self.object(id, item, of, &item_path(place)))
    }

    /// Reads an object as strictly as the server does.
    fn decoded(&self, id: DocumentId, value: &Value, at: &Path) -> Result<(), Wrong> {
        let (version, kind) = (value.find_str(&["apiVersion"]), value.find_str(&["kind"]));
        if kind.is_empty() || version.is_empty() {
            let what = if kind.is_empty() { "Kind" } else { "apiVersion" };
            return Err((at.clone(), format!("Object '{what}' is missing in '{}'", self.text(id))));
        }
        let is_policy = PLUGINS.iter().any(|plugin| {
            let rest = kind.strip_prefix(plugin);
            rest.is_some_and(|rest| ["", "Binding", "List", "BindingList"].contains(&rest))
        });
        let is_known = version.starts_with(GROUP) && (is_policy || OTHERS.contains(&kind));
        if !is_known && (version, kind) != ("v1", "List") {
            let words = format!(
                "no kind {} is registered for version {} in scheme {}",
                quote(kind),
                quote(version),
                quote(SCHEME)
            );
            return Err((at.join("kind"), words));
        }
        let read = engine_kubernetes::stored(value);
        let fault = read.first().zip(read.fault());
        fault.map_or(Ok(()), |(first, words)| Err((at.concat(&first.path), words)))
    }

    /// The document as it is written.
    fn text(&self, id: DocumentId) -> &'b str {
        let Some(document) = self.bundle.document(id) else { return "" };
        let text = self.bundle.source(document.source).map_or("", |(_, source)| &source.text);
        text.get(document.span.start as usize..document.span.end as usize).unwrap_or("").trim()
    }

    // Kubernetes: defaultAndValidateVAP, validateAcceptedItem.
    fn object(&mut self, id: DocumentId, value: &Value, kind: &str, at: &Path) -> Result<(), Wrong> {
        let name = value.find_str(&["metadata", "name"]);
        let faults = faults_of(&typed(value, kind), self.release);
        let texts: Vec<&str> = faults.iter().map(|(_, text)| text.as_str()).collect();
        if let (Some(all), Some((path, _))) = (aggregated(&texts), faults.first()) {
            return Err((at.concat(path), format!("{kind} {}: {all}", quote(name))));
        }
        let is_binding = kind.ends_with("Binding");
        self.named(id, name, usize::from(is_binding))
            .map_err(|words| (at.concat(&Path::from_keys(&["metadata", "name"])), words))?;
        let spec = |field: &str| at.concat(&Path::from_keys(&["spec", field]));
        let has = |field: &str| value.find(&["spec", field]).is_some_and(|value| !value.is_null());
        let shown = quote(name);
        if !is_binding {
            if has("paramKind") {
                let words = format!("{kind} {shown}: spec.paramKind is not supported for static manifests");
                return Err((spec("paramKind"), words));
            }
            // Those of lists are met here alone.
            self.policies.insert(name.to_owned());
            return Ok(());
        }
        let policy = value.find_str(&["spec", "policyName"]);
        if !policy.ends_with(STATIC) {
            let words =
                format!("binding {shown}: spec.policyName {} must end with {}", quote(policy), quote(STATIC));
            return Err((spec("policyName"), words));
        }
        if has("paramRef") {
            let words = format!("binding {shown}: spec.paramRef is not supported for static manifests");
            return Err((spec("paramRef"), words));
        }
        self.bindings.push((id, spec("policyName"), name.to_owned(), policy.to_owned()));
        Ok(())
    }

    // Kubernetes: manifest.ValidateManifestName.
    fn named(&mut self, id: DocumentId, name: &str, group: usize) -> Result<(), String> {
        let file = self.file(id);
        let (shown, quoted) = (quote(name), quote(file));
        if !name.ends_with(STATIC) {
            return Err(format!("{shown} in file {quoted} must have a name ending with {}", quote(STATIC)));
        }
        let Some(seen) = self.seen.get_mut(group) else { return Ok(()) };
        if let Some(before) = seen.get(name) {
            let before = quote(before);
            return Err(format!(
                "duplicate name {shown} found in file {quoted} (previously seen in {before})"
            ));
        }
        seen.insert(name.to_owned(), file.to_owned());
        Ok(())
    }

    // Kubernetes: validateBindingReferences.
    fn check_references(&mut self) {
        for (id, path, binding, policy) in std::mem::take(&mut self.bindings) {
            if !self.policies.contains(&policy) {
                let document = usize::try_from(id.0).ok().and_then(|at| self.report.documents.get_mut(at));
                if let Some(document) = document {
                    document.verdict = Verdict::Refused;
                }
                let (binding, policy) = (quote(&binding), quote(&policy));
                let words = format!(
                    "binding {binding} references policy {policy} which does not exist in the manifest directory"
                );
                self.say(id, &path, words);
            }
        }
    }
}

/// What the server says, with its place.
fn refused(file: String, range: Option<Range>, message: String) -> Finding {
    let (severity, code) = ("error".to_owned(), "refused".to_owned());
    Finding { file, said: Diagnostic { severity, code, message, range, hints: Vec::new() } }
}

/// An item of a list with the kind that the list gives it.
fn typed(value: &Value, kind: &str) -> Value {
    let mut typed = value.clone();
    let object = typed.make_object();
    object.insert("apiVersion", Value::from(format!("{GROUP}v1")));
    object.insert("kind", Value::from(kind));
    typed
}
