//! Kinds that Kyverno will remove, among the policies and exceptions of a run.
//!
//! In: what was loaded, and what was said of it. Out: the documents that the original counts, and a line for each kind of a
//! file. The original prints a line for each document, on standard output.
//! Mirrors: pkg/deprecations, cmd/cli/kubectl-kyverno/{policy,exception}/load.go.

use super::{Input, load};
use crate::exit::Failure;
use engine::Bundle;
use engine::diag::{Code, Diagnostic, Severity};
use engine::json::Value;
use engine::load::Role;
use engine::yaml::{Document, SourceId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;

/// The kinds of the group `kyverno.io`, and what takes their place in `policies.kyverno.io`.
const KINDS: &[(&str, &str)] = &[
    ("ClusterPolicy", "ValidatingPolicy, MutatingPolicy, GeneratingPolicy or ImageValidatingPolicy"),
    ("Policy", "NamespacedValidatingPolicy and the other namespaced policy types"),
    ("ClusterCleanupPolicy", "DeletingPolicy"),
    ("CleanupPolicy", "NamespacedDeletingPolicy"),
    ("PolicyException", "PolicyException"),
];

/// Kinds that the original has schemas for and does not read among policies, beside Kubernetes' own.
const NOT_READ: &[(&str, &str)] = &[
    ("admissionregistration.k8s.io/v1alpha1", "ValidatingAdmissionPolicy"),
    ("admissionregistration.k8s.io/v1beta1", "ValidatingAdmissionPolicy"),
    ("policies.kyverno.io/v1", "PolicyException"),
    ("policies.kyverno.io/v1alpha1", "PolicyException"),
    ("cli.kyverno.io/v1alpha1", "ClusterResource"),
    ("cli.kyverno.io/v1alpha1", "Context"),
    ("cli.kyverno.io/v1alpha1", "Test"),
    ("cli.kyverno.io/v1alpha1", "UserInfo"),
    ("cli.kyverno.io/v1alpha1", "Values"),
];

/// What is said of a document that its schema does not hold.
const UNLOADED: &[Code] = &[
    Code::DuplicateKey,
    Code::NoKind,
    Code::UnknownKind,
    Code::UnknownField,
    Code::WrongType,
    Code::UnknownValue,
    Code::MissingField,
];

/// So many files of a kind have a line of their own; the others are listed.
const MAX_LINES: usize = 3;
/// So many of those are named.
const MAX_NAMED: usize = 20;

/// A document, or an item of a `List`, of such a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Deprecated {
    role: Role,
    path: String,
    /// `kyverno.io/v1 ClusterPolicy`
    what: String,
    targets: &'static str,
}

impl Deprecated {
    /// Whether it was given as a policy, an exception among policies included.
    pub(crate) fn is_policy(&self) -> bool {
        self.role == Role::Policies
    }
}

/// The policies and exceptions of such kinds, in the order of loading. Of texts that one argument named together (a
/// folder) none counts where one is refused as a whole.
pub(crate) fn find(bundle: &Bundle, said: &[Diagnostic], together: &[Range<usize>]) -> Vec<Deprecated> {
    let (unloaded, unknown) = (places(said, UNLOADED), places(said, &[Code::UnknownField]));
    let role = |document: &Document| bundle.source(document.source).map(|(role, _)| *role);
    let refuses = |document: &&Document| {
        let is_refused = || holds(&unknown, document) || is_not_read(&document.value);
        role(document) == Some(Role::Policies) && !is_list(document) && is_refused()
    };
    let refused: BTreeSet<SourceId> =
        bundle.documents.iter().filter(refuses).map(|document| document.source).collect();
    let is_lost = |SourceId(at): SourceId| {
        let group = together.iter().find(|group| group.contains(&(at as usize)));
        let bound = |at: usize| SourceId(u32::try_from(at).unwrap_or(u32::MAX));
        let (first, end) = group.map_or((SourceId(at), SourceId(at.saturating_add(1))), |group| {
            (bound(group.start), bound(group.end))
        });
        refused.range(first..end).next().is_some()
    };
    let mut found = Vec::new();
    for document in &bundle.documents {
        let Some((role, source)) = bundle.source(document.source) else { continue };
        let is_counted = match role {
            Role::Policies => !is_lost(document.source),
            Role::Exceptions => true,
            _ => false,
        };
        if !is_counted {
            continue;
        }
        // Kyverno: handleListItems counts each item, whatever it holds.
        let objects = match document.value.get("items").and_then(Value::as_array) {
            Some(items) if is_list(document) && *role == Role::Policies => items,
            _ if holds(&unloaded, document) => &[],
            _ => std::slice::from_ref(&document.value),
        };
        found.extend(objects.iter().filter_map(|object| {
            let (version, kind) = (object.find_str(&["apiVersion"]), object.find_str(&["kind"]));
            let (_, targets) = KINDS.iter().find(|(known, _)| *known == kind)?;
            let is_own = version.strip_prefix("kyverno.io/").is_some_and(|version| !version.contains('/'));
            is_own.then(|| Deprecated {
                role: *role,
                path: source.name.clone(),
                what: format!("{version} {kind}"),
                targets,
            })
        }));
    }
    found
}

/// Where errors of these kinds are, by source and byte, in order.
fn places(said: &[Diagnostic], codes: &[Code]) -> Vec<(SourceId, u32)> {
    let errors = said.iter().filter(|said| said.severity == Severity::Error && codes.contains(&said.code));
    let mut places: Vec<_> =
        errors.filter_map(|said| said.span.map(|span| (span.source, span.start))).collect();
    places.sort_unstable();
    places
}

fn holds(places: &[(SourceId, u32)], document: &Document) -> bool {
    let (start, end) = (document.span.start, document.span.end);
    let first = places.partition_point(|place| *place < (document.source, start));
    places.get(first).is_some_and(|(source, at)| *source == document.source && *at < end)
}

fn is_list(document: &Document) -> bool {
    document.value.find_str(&["kind"]) == "List" && document.value.find_str(&["apiVersion"]) == "v1"
}

/// Whether the original ends reading a file of policies at this object, for it knows the kind.
fn is_not_read(object: &Value) -> bool {
    let (version, kind) = (object.find_str(&["apiVersion"]), object.find_str(&["kind"]));
    let is_policy = version == "admissionregistration.k8s.io/v1" && kind.contains("AdmissionPolicy");
    NOT_READ.contains(&(version, kind)) || !is_policy && engine_kinds::is_known(version, kind)
}

/// Ends the run, where it was asked to, for documents that were given in this role.
pub(crate) fn refuse(found: &[Deprecated], role: Role) -> Result<(), Failure> {
    match found.iter().filter(|deprecated| deprecated.role == role).count() {
        0 => Ok(()),
        count => {
            Err(Failure(format!("found {count} deprecation warning(s) and --warnings-as-errors is set")))
        }
    }
}

/// The policies of such kinds among texts that are read before all others are.
pub(crate) fn among_policies(inputs: &[Input], together: &[Range<usize>]) -> Vec<Deprecated> {
    let (bundle, said) = load(inputs.to_vec());
    let mut found = find(&bundle, &said, together);
    found.retain(Deprecated::is_policy);
    found
}

/// What is said of them: a line for each kind of a file, and the way out.
pub(crate) fn lines(found: &[Deprecated]) -> String {
    let mut files: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    // By kind, the files of each in the order in which they were found.
    let mut kinds: Vec<(&Deprecated, Vec<&str>)> = Vec::new();
    for deprecated in found {
        let count = files.entry((&deprecated.what, &deprecated.path)).or_default();
        *count += 1;
        if *count > 1 {
            continue;
        }
        match kinds.iter_mut().find(|(known, _)| known.what == deprecated.what) {
            Some((_, paths)) => paths.push(&deprecated.path),
            None => kinds.push((deprecated, vec![&deprecated.path])),
        }
    }
    let times = |what: &str, path: &str| match files.get(&(what, path)) {
        Some(count) if *count > 1 => format!(" ({count} documents)"),
        _ => String::new(),
    };
    let mut out = String::new();
    for (Deprecated { what, targets, .. }, paths) in &kinds {
        for path in paths.iter().take(MAX_LINES) {
            let _ = writeln!(
                out,
                "Warning: {path}: {what} is deprecated and will be removed in a future release; migrate to {targets} (policies.kyverno.io), see https://kyverno.io/docs/guides/migration-to-cel/{}",
                times(what, path)
            );
        }
        let more: Vec<String> =
            paths.iter().skip(MAX_LINES).map(|path| format!("{path}{}", times(what, path))).collect();
        if !more.is_empty() {
            let named = more.get(..MAX_NAMED).unwrap_or(&more).join(", ");
            let unnamed = more.len().saturating_sub(MAX_NAMED);
            let unnamed = if unnamed > 0 { format!(" and {unnamed} more") } else { String::new() };
            let _ =
                writeln!(out, "Warning: {what} is deprecated in {} more files: {named}{unnamed}", more.len());
        }
    }
    if !out.is_empty() {
        out.push_str(
            "note: `podsieve convert` writes such policies in CEL and compares each with its source\n",
        );
    }
    out
}
