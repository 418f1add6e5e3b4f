//! Match and exclude blocks.
//! Mirrors: api/kyverno/v1/match_resources_types.go, resource_description_types.go, pkg/utils/kube/kind.go.

use super::Sentence;
use crate::value::wildcard::Wildcard;
use engine_json::{Path, Str};

/// A `match` or `exclude`.
#[derive(Clone, Debug, Default)]
pub struct Match {
    /// `any`.
    pub any: Vec<Filter>,
    /// `all`.
    pub all: Vec<Filter>,
    /// The old form: the attributes directly under `match`.
    pub direct: Filter,
}

/// Attributes that must all fit.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Where it stands in the policy's document.
    pub path: Path,
    /// Whether it has a `resources` block with anything in it.
    pub has_resources: bool,
    /// Kinds.
    pub kinds: Vec<KindSelector>,
    /// `name`, the old form of `names`.
    pub name: Option<Wildcard>,
    /// Names.
    pub names: Vec<Wildcard>,
    /// Namespaces.
    pub namespaces: Vec<Wildcard>,
    /// Annotations: key and value.
    pub annotations: Vec<(Wildcard, Wildcard)>,
    /// Whether `annotations` is there at all, even empty.
    pub has_annotations: bool,
    /// Labels of the resource.
    pub selector: Option<LabelSelector>,
    /// Labels of its namespace.
    pub namespace_selector: Option<LabelSelector>,
    /// Operations.
    pub operations: Vec<Str>,
    /// Users, groups and service accounts.
    pub subjects: Vec<Subject>,
    /// Roles as `namespace:name`.
    pub roles: Vec<Str>,
    /// Cluster roles.
    pub cluster_roles: Vec<Str>,
    /// That it fits; a block is asked about in one way alone, by rules, exceptions or cleanup.
    pub fits: Sentence,
}

impl Filter {
    /// Whether it says anything about users.
    pub fn has_user_info(&self) -> bool {
        !(self.subjects.is_empty() && self.roles.is_empty() && self.cluster_roles.is_empty())
    }
}

impl Match {
    /// Whether nothing is said at all.
    // Kyverno: MatchResources.IsEmpty.
    pub fn is_empty(&self) -> bool {
        self.any.is_empty()
            && self.all.is_empty()
            && !self.direct.has_resources
            && !self.direct.has_user_info()
    }

    /// All filters, those that decide and those that do not.
    pub fn filters(&self) -> impl Iterator<Item = &Filter> {
        std::iter::once(&self.direct).chain(&self.any).chain(&self.all)
    }
}

/// A kind as a policy names it.
#[derive(Clone, Debug)]
pub struct KindSelector {
    /// As written.
    pub text: Str,
    /// Group pattern.
    pub group: Wildcard,
    /// Version pattern.
    pub version: Wildcard,
    /// Kind pattern.
    pub kind: Wildcard,
    /// Subresource pattern.
    pub subresource: Wildcard,
}

impl KindSelector {
    /// Reads `Kind`, `version/Kind`, `group/version/Kind`, each with `/subresource` or `.subresource`.
    // Kyverno: kubeutils.ParseKindSelector.
    pub fn parse(text: &str) -> Self {
        let (group, version, kind, subresource) = split(text);
        KindSelector {
            text: Str::new(text),
            group: Wildcard::new(&group),
            version: Wildcard::new(&version),
            kind: Wildcard::new(&kind),
            subresource: Wildcard::new(&subresource),
        }
    }
}

/// Group, version, kind and subresource of a selector.
fn split(text: &str) -> (String, String, String, String) {
    let mut parts: Vec<&str> = text.split('/').collect();
    if let Some(last) = parts.pop() {
        parts.extend(last.split('.'));
    }
    let owned = |a: &str, b: &str, c: &str, d: &str| (a.to_owned(), b.to_owned(), c.to_owned(), d.to_owned());
    match parts.as_slice() {
        [kind] => owned("*", "*", kind, ""),
        ["*", "*"] => owned("*", "*", "*", "*"),
        ["*", sub] if sub.to_lowercase() == *sub => owned("*", "*", "*", sub),
        [version, kind] if is_version(version) => owned("*", version, kind, ""),
        [kind, sub] => owned("*", "*", kind, sub),
        [version, kind, sub] if is_version(version) => owned("*", version, kind, sub),
        [group, version, kind] => owned(group, version, kind, ""),
        [group, version, kind, sub] => owned(group, version, kind, sub),
        _ => owned("", "", "", ""),
    }
}

/// `v1`, `v1beta1`, `v2alpha3`, `*`: single digits only.
// Kyverno: versionRegex `^(v\d((alpha|beta)\d)?|\*)$`.
fn is_version(text: &str) -> bool {
    if text == "*" {
        return true;
    }
    let digit = |text: &str| text.len() == 1 && text.bytes().all(|b| b.is_ascii_digit());
    let Some(rest) = text.strip_prefix('v') else { return false };
    digit(rest)
        || rest
            .split_once("alpha")
            .or_else(|| rest.split_once("beta"))
            .is_some_and(|(a, b)| digit(a) && digit(b))
}

/// A label selector.
#[derive(Clone, Debug, Default)]
pub struct LabelSelector {
    /// `matchLabels`, with wildcards in keys and values.
    pub match_labels: Vec<(Str, Str)>,
    /// `matchExpressions`.
    pub match_expressions: Vec<Requirement>,
}

/// One of `matchExpressions`.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// The label.
    pub key: Str,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`, as written.
    pub operator: Str,
    /// Its values.
    pub values: Vec<Str>,
}

/// A user, group or service account.
#[derive(Clone, Debug)]
pub struct Subject {
    /// `User`, `Group` or `ServiceAccount`.
    pub kind: Str,
    /// Its name, with wildcards.
    pub name: Wildcard,
    /// Its name as written.
    pub name_text: Str,
    /// The namespace of a service account.
    pub namespace: Str,
}
