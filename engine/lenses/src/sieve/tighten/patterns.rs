//! Narrower patterns: the registry and repository of the real image for a glob, exact names for wildcards.

use super::Proposal;
use crate::sieve::edit::Edit;
use crate::sieve::families::{Attack, What};
use crate::sieve::find::{Exemption, ExemptionSelector, Kind, On};
use crate::sieve::images::parts;
use crate::sieve::legit::Base;
use engine::value::wildcard;
use engine_json::{Path, Segment, Value};

pub(super) fn propose(exemption: &Exemption, attack: &Attack, bases: &[Base]) -> Vec<Proposal> {
    match &attack.what {
        What::Image(image) => images(exemption, image, bases),
        What::Name => names(exemption, &On::Name, "name", "names", bases),
        What::Namespace => names(exemption, &On::Namespace, "namespace", "namespaces", bases),
        What::Label => {
            let mut both = names(exemption, &On::Name, "name", "names", bases);
            both.extend(names(exemption, &On::Namespace, "namespace", "namespaces", bases));
            both
        }
        What::Position | What::Ask(_) | What::Bystander | What::User => Vec::new(),
    }
}

/// Whether any tag is taken, or the image exactly as it is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::sieve) enum Exactness {
    AnyTag,
    Exact,
}

/// The patterns for images, each once.
pub(in crate::sieve) fn patterns_for<'i>(
    images: impl IntoIterator<Item = &'i str>,
    exactness: Exactness,
) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for image in images {
        let parts = parts(image);
        let sign = if parts.tag.starts_with('@') { "@" } else { ":" };
        let pattern = match exactness {
            Exactness::AnyTag if !parts.tag.is_empty() => format!("{}{sign}*", parts.repository()),
            Exactness::AnyTag | Exactness::Exact => image.to_owned(),
        };
        if !found.contains(&pattern) {
            found.push(pattern);
        }
    }
    found
}

/// Any tag of these images, as a list.
pub(in crate::sieve) fn patterns_of(images: &[&str]) -> Value {
    let patterns = patterns_for(images.iter().copied(), Exactness::AnyTag);
    Value::array(patterns.into_iter().map(Value::from).collect())
}

/// The exempt images that a pattern lets in.
pub(super) fn taken<'b>(pattern: &str, bases: &'b [Base]) -> Vec<&'b str> {
    let all = bases.iter().flat_map(|base| &base.exempt).map(|container| container.image.as_str());
    all.filter(|image| wildcard::matches(pattern, image)).collect()
}

fn images(exemption: &Exemption, image: &str, bases: &[Base]) -> Vec<Proposal> {
    let mut found = Vec::new();
    let hit: Vec<&ExemptionSelector> =
        exemption.image_selectors().filter(|selector| wildcard::matches(&selector.pattern, image)).collect();
    let repository = |image: &str| parts(image).repository();
    let all = bases.iter().flat_map(|base| &base.exempt);
    // Another tag of the same repository is shut out by the exact image alone.
    let is_variant = all.clone().any(|container| repository(&container.image) == repository(image));
    for exactness in [Exactness::AnyTag, Exactness::Exact] {
        if is_variant && exactness == Exactness::AnyTag {
            continue;
        }
        let mut edits = Vec::new();
        let mut said = Vec::new();
        for selector in &hit {
            let patterns = patterns_for(taken(&selector.pattern, bases), exactness);
            if patterns.is_empty() || patterns == [selector.pattern.clone()] {
                continue;
            }
            said.push(format!("write `{}` for `{}`", patterns.join("`, `"), selector.pattern));
            edits.extend(replace(selector, &patterns));
        }
        if !edits.is_empty() {
            found.push(Proposal::new(said.join("; "), edits));
        }
    }
    found
}

/// The edits that put patterns in the place of one.
fn replace(selector: &ExemptionSelector, patterns: &[String]) -> Vec<Edit> {
    let Some((first, others)) = patterns.split_first() else { return Vec::new() };
    if selector.whole != selector.pattern {
        // An anchor holds all its patterns in one text.
        let all = patterns.join(" & !");
        return vec![Edit::Set(
            selector.path.clone(),
            Value::from(selector.whole.replacen(&selector.pattern, &all, 1)),
        )];
    }
    let text = |text: &String| Value::from(text.as_str());
    if let (Some(Segment::Key(_)), false) = (selector.path.last(), others.is_empty()) {
        return vec![Edit::Set(selector.path.clone(), Value::array(patterns.iter().map(text).collect()))];
    }
    let list = selector.path.parent();
    let mut edits = vec![Edit::Set(selector.path.clone(), text(first))];
    edits.extend(others.iter().map(|other| Edit::Push(list.clone(), text(other))));
    edits
}

/// Exact names or namespaces in the place of wildcards, or where none are named.
fn names(exemption: &Exemption, on: &On, field: &str, key: &str, bases: &[Base]) -> Vec<Proposal> {
    let mut own: Vec<&str> =
        bases.iter().map(|base| base.case.object.find_str(&["metadata", field])).collect();
    own.sort_unstable();
    own.dedup();
    own.retain(|name| !name.is_empty());
    if own.is_empty() {
        return Vec::new();
    }
    let said = format!("name the {field}: `{}`", own.join("`, `"));
    let mut found = Vec::new();
    let open: Vec<&ExemptionSelector> = exemption
        .selectors
        .iter()
        .filter(|selector| selector.on == *on && selector.pattern.contains(['*', '?']))
        .collect();
    let mut edits = Vec::new();
    for selector in &open {
        let fits: Vec<String> = own
            .iter()
            .filter(|name| wildcard::matches(&selector.pattern, name))
            .map(|name| (*name).to_owned())
            .collect();
        edits.extend(replace(selector, &fits));
    }
    if !edits.is_empty() {
        found.push(Proposal::new(said.clone(), edits));
    }
    if matches!(exemption.kind, Kind::Exclude | Kind::Exception) {
        let list = Value::array(own.iter().map(|name| Value::from(*name)).collect());
        let set = |filter: &Path| Edit::Set(filter.join("resources").join(key), list.clone());
        found.push(Proposal::new(said, exemption.filters.iter().map(set).collect()));
    }
    found
}
