//! Decodes `match` and `exclude` blocks and label selectors.

use super::decode::{Node, Problems};
use crate::policy::{Filter, KindSelector, LabelSelector, Match, Requirement, Sentence, Subject};
use crate::value::Wildcard;
use engine_json::{Str, Value};

/// A `match` or `exclude`.
pub(super) fn decode_match(node: &Node<'_>, problems: &mut Problems) -> Match {
    node.known_fields(&["any", "all", "resources", "subjects", "roles", "clusterRoles"], problems);
    Match {
        any: node.field("any").items(problems, decode_filter),
        all: node.field("all").items(problems, decode_filter),
        direct: decode_attributes(node, problems),
    }
}

fn decode_filter(node: &Node<'_>, problems: &mut Problems) -> Filter {
    node.known_fields(&["resources", "subjects", "roles", "clusterRoles"], problems);
    decode_attributes(node, problems)
}

fn decode_attributes(node: &Node<'_>, problems: &mut Problems) -> Filter {
    let resources = node.field("resources");
    resources.known_fields(
        &[
            "kinds",
            "name",
            "names",
            "namespaces",
            "annotations",
            "selector",
            "namespaceSelector",
            "operations",
        ],
        problems,
    );
    let wildcards = |key, problems: &mut Problems| -> Vec<Wildcard> {
        resources.field(key).texts(problems).iter().map(|text| Wildcard::new(text)).collect()
    };
    let name = resources.field("name").text(problems);
    let annotations = resources.field("annotations");
    let mut filter = Filter {
        path: node.path(),
        has_resources: false,
        kinds: resources
            .field("kinds")
            .texts(problems)
            .iter()
            .map(|text| KindSelector::parse(text))
            .collect(),
        name: (!name.is_empty()).then(|| Wildcard::new(&name)),
        names: wildcards("names", problems),
        namespaces: wildcards("namespaces", problems),
        annotations: pairs(&annotations, problems)
            .iter()
            .map(|(key, value)| (Wildcard::new(key), Wildcard::new(value)))
            .collect(),
        has_annotations: !annotations.is_absent(),
        selector: decode_selector(&resources.field("selector"), problems),
        namespace_selector: decode_selector(&resources.field("namespaceSelector"), problems),
        operations: resources.field("operations").texts(problems),
        subjects: node.field("subjects").items(problems, decode_subject),
        roles: node.field("roles").texts(problems),
        cluster_roles: node.field("clusterRoles").texts(problems),
        fits: Sentence::default(),
    };
    // Kyverno: ResourceDescription.IsEmpty compares with the zero value, so an empty map of annotations counts.
    filter.has_resources = !filter.kinds.is_empty()
        || filter.name.is_some()
        || !filter.names.is_empty()
        || !filter.namespaces.is_empty()
        || filter.has_annotations
        || filter.selector.is_some()
        || filter.namespace_selector.is_some()
        || !filter.operations.is_empty();
    filter
}

/// A label selector; `None` where absent.
pub(super) fn decode_selector(node: &Node<'_>, problems: &mut Problems) -> Option<LabelSelector> {
    node.map(problems)?;
    node.known_fields(&["matchLabels", "matchExpressions"], problems);
    Some(LabelSelector {
        match_labels: pairs(&node.field("matchLabels"), problems),
        match_expressions: node.field("matchExpressions").items(problems, |item, problems| Requirement {
            key: item.field("key").text(problems),
            operator: item.field("operator").text(problems),
            values: item.field("values").texts(problems),
        }),
    })
}

fn decode_subject(node: &Node<'_>, problems: &mut Problems) -> Subject {
    node.known_fields(&["kind", "name", "namespace", "apiGroup"], problems);
    let name = node.field("name").text(problems);
    Subject {
        kind: node.field("kind").text(problems),
        name: Wildcard::new(&name),
        name_text: name,
        namespace: node.field("namespace").text(problems),
    }
}

/// A map of texts.
fn pairs(node: &Node<'_>, problems: &mut Problems) -> Vec<(Str, Str)> {
    let Some(map) = node.map(problems) else { return Vec::new() };
    let mut pairs = Vec::with_capacity(map.len());
    for (key, value) in map.iter() {
        match value {
            Value::String(text) => pairs.push((key.clone(), text.clone())),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                pairs.push((key.clone(), node.field(key).text(problems)));
            }
        }
    }
    pairs
}
