//! The kinds that rules name: `Deploymnet` is probably `Deployment`.
//!
//! In: a rule, and the kinds that the input itself has. Out: each kind with a slip, which Kubernetes has under another name.
//! Kinds that are not alike to one of Kubernetes' own are left alone: custom resources may have any name.

use crate::near::distance;
use crate::schema::schema;
use crate::{Finding, MAX_FINDINGS};
use engine::Bundle;
use engine::diag::Code;
use engine::json::ordered::OrderedSet;
use engine::policy::Rule;

/// Names of fewer letters are alike by chance when two letters differ; of fewer than `SHORT` already when one does.
const LONG: usize = 8;
const SHORT: usize = 5;

/// The kinds of the objects that are given, and of custom resource definitions.
pub(crate) fn given(bundle: &Bundle) -> OrderedSet<&str> {
    let kinds = bundle.documents.iter().flat_map(|document| {
        [&["kind"][..], &["spec", "names", "kind"]].map(|way| document.value.find_str(way))
    });
    engine::json::arrange::set(kinds)
}

/// The kinds of `match` and `exclude` that are written with a slip.
pub(crate) fn findings(rule: &Rule, given: &OrderedSet<&str>) -> Vec<Finding> {
    let filters = rule.matches.filters().chain(rule.exclude.iter().flat_map(engine::policy::Match::filters));
    let kinds = filters.flat_map(|filter| {
        let path = filter.path.join("resources").join("kinds");
        filter.kinds.iter().enumerate().map(move |(at, kind)| (path.join(at), kind))
    });
    let finding = |(path, kind): (_, &engine::policy::KindSelector)| {
        let (name, group) = (kind.kind.pattern(), kind.group.pattern());
        // Other groups have kinds of their own, and a pattern is not a name.
        let is_own = kind.kind.is_literal() && (!group.contains('.') || group.ends_with(".k8s.io"));
        let meant = meant(name).filter(|_| is_own && !given.contains(name))?;
        Some(Finding {
            path,
            code: Code::UnknownValue,
            message: format!("Kubernetes has no kind `{name}`, and no definition of one is given"),
            hint: Some(format!("did you mean `{meant}`?")),
        })
    };
    kinds.filter_map(finding).take(MAX_FINDINGS).collect()
}

/// The kind that is alike; nothing for one that is known.
fn meant(name: &str) -> Option<&'static str> {
    if schema().names().any(|kind| kind == name) {
        return None;
    }
    let most = match name.chars().count() {
        0 => return None,
        length if length < SHORT => usize::from(name.ends_with('s')),
        length => 1 + usize::from(length >= LONG),
    };
    let (slips, kind) = schema().names().map(|kind| (distance(name, kind), kind)).min()?;
    (slips <= most).then_some(kind)
}
