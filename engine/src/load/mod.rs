//! Texts to a [`Bundle`]: documents are read, sorted by kind, decoded and checked.
//!
//! In: sources, each with the role it plays. Out: policies, resources and what stands around them, and a
//! diagnostic with a line for everything that could not be used. Loading never fails: the rest is always there.

/// Rows for the schema of a kind from elsewhere: one for each field.
pub mod table {
    pub use super::check::schema::{
        Field, Kind, METADATA, Struct, any, by_value, field, flag, one_of, plain, pointer, text, text_map,
        texts,
    };
}

mod answers;
mod bindings;
mod check;
mod cleanup;
mod config;
mod decode;
mod exceptions;
mod extension;
mod followed;
mod global_context;
mod hints;
mod layout;
mod policies;
mod resources;
mod rules;
mod schema;
mod selectors;
mod server;
mod settings;
mod subresources;
mod values;

pub use answers::{Answers, CallAnswer, CloneSource, Cluster};
pub(crate) use check::exclusion;
pub use check::schema::{Outline, OutlineField, label_key, label_value, outline};
pub(crate) use config::Config;
pub(crate) use decode::{Problem, Problems};
pub(crate) use extension::NO_EXTENSION;
pub use extension::{
    DecodeCelRule, DecodeExtensionKind, DocumentPath, Extension, ExtensionKind, NotStored, Reading, Unusable,
};
pub use followed::{Followed, Host, Kubernetes};
pub use global_context::GlobalEntry;
pub use hints::is_beside_policies;
pub use resources::resource;
pub(crate) use rules::{RuleProvenance, decode_rule};
pub use schema::fill as published_defaults;
pub use server::{ApiServer, Arrived, Fault, Filled};
pub use settings::{Settings, Values, variable};
pub use subresources::{as_sent, settle_subresources, usual_operation};
pub use table::Struct;

use crate::body::PhaseRunner;
use crate::diag::{Code, Diagnostic, Severity};
use crate::policy::{Exceptions, Policy};
use crate::resource::{DocumentId, Protocol, Resource, Shelf};
use engine_json::{Path, Str, Value};
use engine_yaml::{Document, Finding, FindingKind, Parsed, Reader, Source, SourceId, Span, Spans};
use std::sync::Arc;

/// An object as it is written, where nothing is filled in.
pub fn as_written(value: &Value) -> Value {
    value.clone()
}

/// What a source is given for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Policies.
    Policies,
    /// Resources that are evaluated.
    Resources,
    /// Resources of which a list is opened, as an API server or kubectl does it; Kyverno evaluates it as one object.
    Opened,
    /// The same resources before an update.
    OldResources,
    /// PolicyExceptions.
    Exceptions,
    /// Objects of the cluster.
    ClusterResources,
    /// Objects that policies take as parameters.
    Parameters,
    /// Documents of any form, for policies that ask for such.
    Payloads,
    /// Requests of HTTP or of Envoy, for policies that answer them.
    Requests(Protocol),
    /// A values file of the CLI.
    Values,
    /// A user info file of the CLI.
    UserInfo,
    /// The Playground's context.
    Context,
    /// Kyverno's ConfigMap.
    Config,
    /// Custom resource definitions.
    CustomResourceDefinitions,
    /// What is known of images, by their references; behind the policies.
    ImageData,
}

impl Role {
    /// The field of the input that holds such sources.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Policies => "policies",
            Role::Resources | Role::Opened => "resources",
            Role::OldResources => "oldResources",
            Role::Exceptions => "exceptions",
            Role::ClusterResources => "clusterResources",
            Role::Parameters => "parameters",
            Role::Payloads => "payloads",
            Role::Requests(Protocol::Http) => "httpPayloads",
            Role::Requests(Protocol::Envoy) => "envoyPayloads",
            Role::Values => "values",
            Role::UserInfo => "userInfo",
            Role::Context => "context",
            Role::Config => "config",
            Role::CustomResourceDefinitions => "customResourceDefinitions",
            Role::ImageData => "imageData",
        }
    }
}

/// A policy that Kyverno refuses.
#[derive(Clone, Debug)]
pub struct Refused {
    /// Its key: `name` or `namespace/name`.
    pub policy: String,
    /// Kyverno's words.
    pub reason: String,
    /// Its document.
    pub document: DocumentId,
    /// The field that is refused.
    pub path: Path,
    /// How many rules it has, for the header that counts them all the same.
    pub rules: usize,
}

/// Something that Kyverno would evaluate and this engine does not yet.
#[derive(Clone, Debug)]
pub struct Unsupported {
    /// The policy's key: `name` or `namespace/name`; empty for what is not a policy.
    pub policy: String,
    /// The rule as written; empty where the whole policy is not evaluated.
    pub rule: Str,
    /// What is missing: a kind such as `ValidatingPolicy`, or a field such as `validate.cel`.
    pub what: String,
}

/// Everything that was read.
#[derive(Clone, Debug, Default)]
pub struct Bundle {
    /// Which of the originals was followed.
    pub host: Host,
    /// Which release of Kubernetes decides policies of its own.
    pub kubernetes: Kubernetes,
    /// The sources with their roles; a source's id is its place here.
    pub sources: Vec<(Role, Source)>,
    /// Every document that could be read.
    pub documents: Vec<Document>,
    /// The policies that can be evaluated.
    pub policies: Vec<Policy>,
    /// The policies that Kyverno refuses.
    pub refused: Vec<Refused>,
    /// What is not evaluated, although Kyverno would.
    pub unsupported: Vec<Unsupported>,
    /// The resources.
    pub resources: Vec<Resource>,
    /// The resources before an update.
    pub old_resources: Shelf,
    /// The objects of the cluster.
    pub cluster_resources: Vec<Resource>,
    /// The exceptions.
    pub exceptions: Exceptions,
    /// The exceptions of the group `policies.kyverno.io`, for policies with a body.
    pub other_exceptions: Vec<(DocumentId, Value)>,
    /// With what words the original does not load exceptions of that group, and ends.
    pub unread_exceptions: Vec<String>,
    /// What binds policies with a body to resources.
    pub bindings: Vec<(DocumentId, Value)>,
    /// Values, user, namespaces.
    pub settings: Settings,
    /// What brings resources to policies with a body that do not only validate.
    pub phases: Option<&'static dyn PhaseRunner>,
    /// What an API server makes of objects, where resources are given to policies as it does.
    pub server: Option<&'static ApiServer>,
    /// How much the server has filled into the resources.
    pub filled: Filled,
}

impl Bundle {
    /// The document of this id.
    pub fn document(&self, id: DocumentId) -> Option<&Document> {
        self.documents.get(id.0 as usize)
    }

    /// The source of this id.
    pub fn source(&self, id: SourceId) -> Option<&(Role, Source)> {
        self.sources.get(id.0 as usize)
    }

    /// The places of all values of a document; made anew on each call.
    pub fn spans(&self, id: DocumentId) -> Option<Spans> {
        let document = self.document(id)?;
        let (_, source) = self.source(document.source)?;
        Some(document.spans(&source.text))
    }
}

/// Reads all sources; the id of each is set to its place in the list.
pub fn load(sources: Vec<(Role, Source)>, host: Host) -> (Bundle, Vec<Diagnostic>) {
    load_with(sources, host, NO_EXTENSION)
}

/// The same with what other crates evaluate.
pub fn load_with(
    sources: Vec<(Role, Source)>,
    followed: impl Into<Followed>,
    extension: &'static Extension,
) -> (Bundle, Vec<Diagnostic>) {
    let mut loader = Loader::new(followed.into(), extension);
    loader.sources(sources);
    loader.settle()
}

/// Loading after some of the sources, from where it can go on more than once: the policies, say, under resources
/// that somebody is typing.
#[derive(Clone, Debug)]
pub struct LoadedPolicies {
    loader: Loader,
}

impl LoadedPolicies {
    /// Reads these sources; `extension` is what crates above evaluate.
    pub fn new(sources: Vec<(Role, Source)>, followed: Followed, extension: &'static Extension) -> Self {
        let mut loader = Loader::new(followed, extension);
        loader.sources(sources);
        LoadedPolicies { loader }
    }

    /// Whether it was loaded from just these sources, for these originals, and with these extension.
    pub fn is_with(
        &self,
        sources: &[(Role, Source)],
        followed: Followed,
        extension: &'static Extension,
    ) -> bool {
        let known = &self.loader.bundle.sources;
        let same = |((known_role, known), (role, source)): (&(Role, Source), &(Role, Source))| {
            known_role == role && known.name == source.name && known.text == source.text
        };
        let is_same = self.loader.followed() == followed && std::ptr::eq(self.loader.extension, extension);
        is_same && known.len() == sources.len() && known.iter().zip(sources).all(same)
    }

    /// How many diagnostics there are so far.
    pub fn diagnostic_count(&self) -> usize {
        self.loader.diagnostics.len()
    }

    /// How many sources and documents were read.
    pub fn len(&self) -> (usize, usize) {
        (self.loader.bundle.sources.len(), self.loader.bundle.documents.len())
    }

    /// Reads the other sources too; what came of all of them.
    pub fn finish(mut self, sources: Vec<(Role, Source)>) -> (Bundle, Vec<Diagnostic>) {
        self.loader.sources(sources);
        self.loader.settle()
    }
}

/// The same as [`load_with`] with texts that the caller has read, side by side if it likes; the id of each source must be its
/// place in the list.
pub fn load_parsed(
    sources: impl IntoIterator<Item = (Role, Source, Parsed)>,
    followed: impl Into<Followed>,
    extension: &'static Extension,
) -> (Bundle, Vec<Diagnostic>) {
    let mut loader = Loader::new(followed.into(), extension);
    for (role, source, parsed) in sources {
        loader.source(role, source, parsed);
    }
    loader.settle()
}

/// Loads documents that have been read, and changed since: nothing has a place.
pub fn load_values(
    documents: impl IntoIterator<Item = (Role, DocumentId, Value)>,
    followed: impl Into<Followed>,
    extension: &'static Extension,
) -> (Bundle, Vec<Diagnostic>) {
    let mut loader = Loader::new(followed.into(), extension);
    for (role, id, value) in documents {
        loader.document(role, id, &value);
    }
    loader.settle()
}

/// How a text of this role is read.
pub fn options_of(role: Role) -> engine_yaml::Options {
    // Kyverno: cmd/cli/kubectl-kyverno/payload/load.go reads with go-yaml v3.
    let reader = if role == Role::Payloads { Reader::Words } else { Reader::Fast };
    engine_yaml::Options { reader, ..engine_yaml::Options::default() }
}

#[derive(Clone, Debug)]
struct Loader {
    bundle: Bundle,
    diagnostics: Vec<Diagnostic>,
    host: Host,
    extension: &'static Extension,
}

impl Loader {
    fn new(Followed { host, kubernetes }: Followed, extension: &'static Extension) -> Self {
        let mut bundle = Bundle::default();
        if host == Host::Playground {
            bundle.settings.config = Arc::new(Config::of_playground());
        }
        (bundle.host, bundle.kubernetes, bundle.phases) = (host, kubernetes, extension.phases);
        bundle.server = extension.server.filter(|_| host == Host::Cluster);
        Loader { bundle, diagnostics: Vec::new(), host, extension }
    }

    fn followed(&self) -> Followed {
        Followed { host: self.host, kubernetes: self.bundle.kubernetes }
    }

    /// What is known only once all texts are read.
    fn settle(mut self) -> (Bundle, Vec<Diagnostic>) {
        self.settle_exceptions();
        self.settle_bindings();
        self.fill_global_context();
        self.name_missing_context();
        self.settle_subresources();
        (self.bundle, self.diagnostics)
    }

    fn sources(&mut self, sources: Vec<(Role, Source)>) {
        for (role, mut source) in sources {
            source.id = SourceId(u32::try_from(self.bundle.sources.len()).unwrap_or(u32::MAX));
            let parsed = engine_yaml::parse(&source, &options_of(role));
            self.source(role, source, parsed);
        }
    }

    fn source(&mut self, role: Role, source: Source, parsed: Parsed) {
        let diagnostics = parsed.findings.into_iter().map(|finding| {
            let start = finding.span.start;
            let hint = match finding.kind {
                FindingKind::Syntax | FindingKind::Unsupported => {
                    hints::of_syntax(&source.text, start as usize, &finding.message)
                }
                _ => None,
            };
            let mut diagnostic = of_finding(finding, role);
            if let Some((hint, place)) = hint {
                diagnostic.hints.push(hint);
                if let (Some(span), Some(place)) = (&mut diagnostic.span, place) {
                    span.start = u32::try_from(place.start).unwrap_or(span.start);
                    span.end = u32::try_from(place.end).unwrap_or(span.end);
                }
            }
            (start, diagnostic)
        });
        // Both stand in the order of the text, and so does what is said.
        let mut diagnostics = diagnostics.collect::<Vec<_>>().into_iter().peekable();
        self.bundle.sources.push((role, source));
        for document in parsed.documents {
            while let Some((_, diagnostic)) = diagnostics.next_if(|(start, _)| *start < document.span.end) {
                self.diagnostics.push(diagnostic);
            }
            for document in self.payloads_of(role, document) {
                let id = DocumentId(u32::try_from(self.bundle.documents.len()).unwrap_or(u32::MAX));
                let value = document.value.clone();
                self.bundle.documents.push(document);
                if !value.is_null() {
                    self.document(role, id, &value);
                } else if self.host != Host::Playground {
                    self.say_empty(role, id);
                }
            }
        }
        self.diagnostics.extend(diagnostics.map(|(_, diagnostic)| diagnostic));
    }

    fn document(&mut self, role: Role, id: DocumentId, value: &Value) {
        match role {
            Role::Policies => self.policy_document(id, value),
            Role::Resources
            | Role::Opened
            | Role::OldResources
            | Role::ClusterResources
            | Role::Parameters => self.resource_document(role, id, value),
            Role::Payloads => self.payload_document(id, value, None),
            Role::Requests(protocol) => self.payload_document(id, value, Some(protocol)),
            Role::Exceptions => self.exception_document(id, value),
            Role::Values => self.values_document(id, value),
            Role::UserInfo => self.user_info_document(id, value),
            Role::Context => self.context_document(id, value),
            Role::Config => self.config_document(value),
            Role::ImageData => self.image_data_document(id, value),
            Role::CustomResourceDefinitions => self.definition_document(value),
        }
    }

    /// A diagnostic at a place in a document; the nearest place that is there where the path itself is not.
    fn say(
        &mut self,
        id: DocumentId,
        path: &Path,
        code: Code,
        severity: Severity,
        message: impl Into<String>,
    ) {
        let span = self.span(id, path);
        self.diagnostics.push(Diagnostic {
            code,
            severity,
            message: message.into(),
            span,
            hints: Vec::new(),
        });
    }

    fn span(&self, id: DocumentId, path: &Path) -> Option<Span> {
        let spans = self.bundle.spans(id)?;
        Some(place(&spans, path))
    }

    /// Turns problems into diagnostics; whether any of them makes the object unusable.
    fn report(&mut self, id: DocumentId, problems: Problems) -> Usable {
        if problems.is_empty() {
            return Usable::Yes;
        }
        // What was not read from a text has no places.
        let spans = self.bundle.spans(id);
        let mut usable = Usable::Yes;
        for Problem { path, code, severity, message, hint } in problems {
            if severity == Severity::Error {
                usable = Usable::No;
            }
            let span = spans.as_ref().map(|spans| match code {
                Code::UnknownField => spans.key_span(&path).unwrap_or_else(|| place(spans, &path)),
                _ => place(spans, &path),
            });
            let hints = if hint.is_empty() { Vec::new() } else { vec![hint] };
            self.diagnostics.push(Diagnostic { code, severity, message, span, hints });
        }
        usable
    }
}

/// What is said of what the reader found.
fn of_finding(finding: Finding, role: Role) -> Diagnostic {
    // Kyverno: a file of policies, exceptions, values or users is read as YAML, where nothing looks behind the end
    // of a document; what is evaluated is read as JSON where it begins like it.
    let is_evaluated =
        matches!(role, Role::Resources | Role::Opened | Role::OldResources | Role::ClusterResources);
    let (code, severity, hint) = match finding.kind {
        FindingKind::DuplicateKey => {
            let ends_all = matches!(role, Role::Policies | Role::Values | Role::UserInfo);
            let severity = if ends_all { Severity::Error } else { Severity::Warning };
            (Code::DuplicateKey, severity, "remove one of the two; the later one counts")
        }
        FindingKind::Limit => (Code::Limit, Severity::Error, ""),
        FindingKind::Syntax | FindingKind::Unsupported => (Code::YamlSyntax, Severity::Error, ""),
        FindingKind::BehindJson | FindingKind::Behind => {
            let is_refused = finding.kind == FindingKind::BehindJson && is_evaluated;
            let severity = if is_refused { Severity::Error } else { Severity::Warning };
            (Code::UnreadText, severity, "write a line `---` before each further document")
        }
    };
    let hints = if hint.is_empty() { Vec::new() } else { vec![hint.to_owned()] };
    Diagnostic { code, severity, message: finding.message, span: Some(finding.span), hints }
}

/// Whether an object can be used with the problems it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Usable {
    Yes,
    No,
}

/// The span of the key at the end of a path where it has one, else of the value, else of what is nearest.
pub fn place(spans: &Spans, path: &Path) -> Span {
    let value = spans.value_span(path);
    match (spans.key_span(path), value) {
        (Some(key), Some(value)) => {
            Span { source: key.source, start: key.start, end: value.end.max(key.end) }
        }
        (None, Some(value)) => value,
        (_, None) => spans.deepest(path).1,
    }
}
