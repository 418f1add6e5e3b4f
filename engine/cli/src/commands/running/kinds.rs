//! Which resources of a cluster policies are about.
//!
//! In: policies, and what the cluster has. Out: the resources to read, in order, and notes about kinds that are not read. More is read
//! rather than less: what no rule matches costs time alone.

use engine::Bundle;
use engine::json::Value;
use engine::policy::KindSelector;
use engine::resource::POD_CONTROLLERS;
use engine::value::wildcard::Wildcard;
use engine_cluster::ApiResource;
use std::collections::BTreeSet;

/// What is read.
pub(crate) struct Wanted<'a> {
    pub(crate) resources: Vec<&'a ApiResource>,
    pub(crate) notes: Vec<String>,
}

/// Kinds that only a policy reads which names them: they come and go by the minute.
const PASSED_BY_WILDCARDS: &[&str] = &["Event", "Lease"];

/// A kind, or a resource, that a policy names.
struct Named {
    group: Wildcard,
    version: Wildcard,
    /// A kind of a classic policy, else the plural.
    kind: Option<Wildcard>,
    plural: Option<Wildcard>,
    /// As written.
    text: String,
    /// Whether it is about objects at all.
    is_whole: bool,
    /// Whether a cluster without it is worth a note.
    is_written: bool,
}

impl Named {
    fn of_selector(selector: &KindSelector, is_written: bool) -> Self {
        Named {
            group: selector.group.clone(),
            version: selector.version.clone(),
            kind: Some(selector.kind.clone()),
            plural: None,
            text: selector.text.to_string(),
            is_whole: matches!(selector.subresource.pattern(), "" | "*"),
            is_written,
        }
    }

    fn of_plural(group: &str, version: &str, plural: &str, is_written: bool) -> Self {
        Named {
            group: Wildcard::new(group),
            version: Wildcard::new(version),
            kind: None,
            plural: Some(Wildcard::new(plural)),
            text: plural.to_owned(),
            is_whole: !plural.contains('/') || plural == "*/*",
            is_written,
        }
    }

    fn fits(&self, resource: &ApiResource) -> bool {
        let name = self.kind.as_ref().map(|kind| (kind, &resource.kind));
        let name = name.or_else(|| self.plural.as_ref().map(|plural| (plural, &resource.plural)));
        let is_it = |(pattern, name): (&Wildcard, &String)| {
            let is_named = pattern.is_literal() || !PASSED_BY_WILDCARDS.contains(&resource.kind.as_str());
            is_named && (pattern.matches(name) || pattern.pattern() == "*/*")
        };
        name.is_some_and(is_it)
            && self.group.matches(&resource.group)
            && self.version.matches(&resource.version)
    }
}

/// What all policies name.
fn named(bundle: &Bundle) -> Vec<Named> {
    let mut found = Vec::new();
    for policy in &bundle.policies {
        let rules = policy
            .rules
            .iter()
            .map(|rule| (rule, true))
            .chain(policy.autogen.iter().map(|rule| (rule, false)));
        for (rule, is_written) in rules {
            let kinds = rule.matches.filters().flat_map(|filter| &filter.kinds);
            found.extend(kinds.map(|selector| Named::of_selector(selector, is_written)));
        }
        if policy.body.is_some() {
            of_constraints(&policy.raw, &mut found);
        }
    }
    found
}

/// What the `resourceRules` of a policy in CEL name; with Pods their controllers, for which Kyverno makes rules of its own.
fn of_constraints(policy: &Value, found: &mut Vec<Named>) {
    let rules = policy.find(&["spec", "matchConstraints", "resourceRules"]).and_then(Value::as_array);
    for rule in rules.unwrap_or_default() {
        let texts = |name: &str| {
            let list = rule.get(name).and_then(Value::as_array).unwrap_or_default();
            list.iter().filter_map(Value::as_str)
        };
        for plural in texts("resources") {
            for group in texts("apiGroups") {
                // Equivalent versions count, and one of them is read.
                found.push(Named::of_plural(group, "*", plural, true));
            }
            if plural == "pods" {
                for (kind, _) in POD_CONTROLLERS {
                    found.push(Named::of_selector(&KindSelector::parse(kind), false));
                }
            }
        }
    }
}

/// The resources that the policies are about.
pub(crate) fn wanted<'a>(
    bundle: &Bundle,
    known: &'a [ApiResource],
    namespace: Option<&str>,
    with_cluster_wide: bool,
) -> Wanted<'a> {
    let (mut resources, mut notes): (Vec<&ApiResource>, BTreeSet<String>) = (Vec::new(), BTreeSet::new());
    for name in named(bundle) {
        if !name.is_whole {
            notes.insert(format!(
                "note: `{}` is a part of an object: requests for it are not in a cluster",
                name.text
            ));
            continue;
        }
        let mut fitting: Vec<&ApiResource> =
            known.iter().filter(|resource| resource.is_listed && name.fits(resource)).collect();
        if fitting.is_empty() && name.is_written {
            notes.insert(format!("note: the cluster has nothing that is called `{}`", name.text));
        }
        // Of the versions of a resource one is read.
        fitting.sort_by_key(|resource| !resource.is_preferred);
        for resource in fitting {
            if namespace.is_some() && !resource.is_namespaced && !with_cluster_wide {
                notes.insert(format!(
                    "note: `{}` are in no namespace and not read: add --cluster-wide-resources, or leave --namespace out",
                    resource.name()
                ));
                continue;
            }
            let is_same =
                |other: &&ApiResource| other.group == resource.group && other.plural == resource.plural;
            let is_any = name.version.pattern() == "*";
            let is_known =
                resources.iter().any(|other| is_same(other) && (is_any || other.version == resource.version));
            if !is_known {
                resources.push(resource);
            }
        }
    }
    resources.sort_by(|a, b| (&a.group, &a.plural, &a.version).cmp(&(&b.group, &b.plural, &b.version)));
    resources.dedup();
    Wanted { resources, notes: notes.into_iter().collect() }
}
