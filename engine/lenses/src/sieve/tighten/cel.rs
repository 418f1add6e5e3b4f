//! Tightenings of policies in CEL: narrower comparisons, and further conditions.
//!
//! What a condition says is decided here, how it is written by `sieve::cel`, where by the room that the exemption has.

use super::Proposal;
use super::exception::capabilities;
use super::patterns::{Exactness, patterns_for, taken};
use crate::sieve::cel;
use crate::sieve::edit::Edit;
use crate::sieve::families::{Attack, What};
use crate::sieve::find::{Exemption, ExemptionSelector, Kind, On};
use crate::sieve::found::{Element, FoundKind, Guard, Room, Site};
use crate::sieve::images::parts;
use crate::sieve::legit::Base;
use crate::sieve::pod::{containers, map, spec_of};
use crate::sieve::risky_fields::{FieldOwner, RiskyField};
use crate::sieve::runner::TrialRunner;
use engine::value::wildcard;
use engine_json::{Path, Value};

pub(super) fn propose(
    exemption: &Exemption,
    attack: &Attack,
    base: &Base,
    bases: &[Base],
    runner: &TrialRunner<'_>,
) -> Vec<Proposal> {
    let mut found = comparisons(exemption, attack, bases);
    let spec = match (exemption.kind, exemption.workload) {
        // A policy for Pods is rewritten for what makes them; an exception is not.
        (Kind::Cel(FoundKind::Exception), _) => spec_of(&base.case.object),
        (_, Some("Pod")) => Some(Path::from_keys(&["spec"])),
        _ => spec_of(&base.case.object),
    };
    let Some(spec) = spec else { return found };
    for element in elements(exemption) {
        let whose = if element.is_some() { Whose::Exempt } else { Whose::Pod };
        for (said, guard) in guards(attack, bases, whose) {
            let Some(text) = cel::guard(&guard, &spec, element) else { continue };
            found.extend(with_room(exemption, &said, &text, runner));
        }
    }
    found
}

/// What a condition may be about: the container or image that the exemption looks at, then the Pod as a whole.
fn elements(exemption: &Exemption) -> Vec<Option<&Element>> {
    let element = match &exemption.room {
        Some(Room::Part { element, .. }) => element.as_ref(),
        _ => None,
    };
    let whole = (element != Some(&Element::Reference)).then_some(None);
    element.map(Some).into_iter().chain(whole).collect()
}

/// Whose images a condition is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// Those of all containers.
    Pod,
    /// Those of the containers that are exempt.
    Exempt,
}

/// Conditions that hold for the legitimate Pods, each with what it says.
fn guards(attack: &Attack, bases: &[Base], whose: Whose) -> Vec<(String, Guard)> {
    match &attack.what {
        What::Image(_) | What::Bystander => images(bases, whose),
        What::Position => lists(bases).into_iter().chain(images(bases, whose)).collect(),
        What::Ask(risky) => vec![asks(risky, bases)],
        What::Name => is(&On::Name, "name", bases).into_iter().collect(),
        What::Namespace => is(&On::Namespace, "namespace", bases).into_iter().collect(),
        What::Label => {
            let own = is(&On::Name, "name", bases).into_iter().chain(is(&On::Namespace, "namespace", bases));
            own.chain(images(bases, whose)).collect()
        }
        What::User => users(bases).into_iter().collect(),
    }
}

fn images(bases: &[Base], whose: Whose) -> Vec<(String, Guard)> {
    let of = |base: &Base| match whose {
        Whose::Pod => containers(&base.case.object),
        Whose::Exempt => base.exempt.clone(),
    };
    let all: Vec<String> = bases.iter().flat_map(of).map(|container| container.image).collect();
    let what = match whose {
        Whose::Pod => "all images are among",
        Whose::Exempt => "its image is among",
    };
    let guard = |exactness| {
        let patterns = patterns_for(all.iter().map(String::as_str), exactness);
        (format!("{what} `{}`", patterns.join("`, `")), Guard::Images(patterns))
    };
    let (any, exact) = (guard(Exactness::AnyTag), guard(Exactness::Exact));
    if any == exact { vec![any] } else { vec![any, exact] }
}

fn asks(risky: &RiskyField, bases: &[Base]) -> (String, Guard) {
    if risky.is_capability() {
        let names = capabilities(bases);
        let said = match names.as_slice() {
            [] => "no capabilities are added".to_owned(),
            names => format!("no capabilities are added but `{}`", names.join("`, `")),
        };
        return (said, Guard::Capabilities(names));
    }
    let guard = match risky.place {
        FieldOwner::Container => Guard::NoContainer(risky.cel),
        FieldOwner::Pod => Guard::NoSpec(risky.cel),
    };
    (format!("{} is not requested", risky.text), guard)
}

/// The lists that the exempt images stand in.
fn lists(bases: &[Base]) -> Option<(String, Guard)> {
    let exempt: Vec<_> = bases.iter().flat_map(|base| &base.exempt).collect();
    let mut lists: Vec<&'static str> = exempt.iter().map(|container| container.list).collect();
    lists.sort_unstable();
    lists.dedup();
    let images = patterns_for(exempt.iter().map(|container| container.image.as_str()), Exactness::AnyTag);
    if lists.is_empty() || lists.len() == crate::sieve::pod::LISTS.len() {
        return None;
    }
    let said = format!("`{}` stands in {}[] alone", images.join("`, `"), lists.join("[] and "));
    Some((said, Guard::Lists(lists, images)))
}

fn is(on: &On, field: &str, bases: &[Base]) -> Option<(String, Guard)> {
    let own = own(field, bases);
    (!own.is_empty())
        .then(|| (format!("the {field} is `{}`", own.join("` or `")), Guard::Is(on.clone(), own)))
}

/// Names or namespaces of the legitimate Pods.
fn own(field: &str, bases: &[Base]) -> Vec<String> {
    let all = bases.iter().map(|base| base.case.object.find_str(&["metadata", field]).to_owned());
    let mut own: Vec<String> = all.filter(|name| !name.is_empty()).collect();
    own.sort_unstable();
    own.dedup();
    own
}

fn users(bases: &[Base]) -> Option<(String, Guard)> {
    let mut names: Vec<String> =
        bases.iter().filter_map(|base| Some(base.case.user.as_ref()?.username.to_string())).collect();
    names.sort_unstable();
    names.dedup();
    let said = format!("the user is `{}`", names.join("` or `"));
    let on = On::Subject("User".to_owned(), String::new());
    (!names.is_empty()).then_some((said, Guard::Is(on, names)))
}

/// The proposal that writes a condition where the exemption has room for it.
fn with_room(exemption: &Exemption, said: &str, text: &str, runner: &TrialRunner<'_>) -> Option<Proposal> {
    let document = runner.document(exemption.document)?;
    match exemption.room.as_ref()? {
        Room::Conditions(list) => {
            let edits = vec![Edit::Push(list.clone(), condition(document, list, text))];
            Some(Proposal::new(format!("add a condition: {said}"), edits))
        }
        Room::Part { path, from, to, when, .. } => {
            let whole = document.at_path(path.iter())?.as_str()?;
            let part = whole.get(*from..*to)?;
            let (begin, end) = (whole.get(..*from)?, whole.get(*to..)?);
            let new = joined(part, text, *when, is_grouped(begin, end));
            let changed = format!("{begin}{new}{end}");
            let edits = vec![Edit::Set(path.clone(), Value::from(changed.as_str()))];
            Some(Proposal::new(format!("leave out only where {said}"), edits))
        }
        Room::Instead(list, same) => {
            let text = format!("!({same} && {text})");
            let mut edits = vec![Edit::Push(list.clone(), condition(document, list, &text))];
            edits.extend(exemption.removal.iter().cloned());
            Some(Proposal::new(
                format!("write a match condition in its place, which leaves out only where {said}"),
                edits,
            ))
        }
        Room::Nowhere => None,
    }
}

/// A part and what is asked besides, in parentheses where it needs them.
fn joined(part: &str, text: &str, when: bool, is_grouped: bool) -> String {
    let is_chain = !part.contains("||") && !part.contains(" ? ");
    let new = match (when, is_chain) {
        (true, true) => format!("{part} && {text}"),
        (true, false) => format!("({part}) && {text}"),
        (false, _) => format!("({part}) || !({text})"),
    };
    if is_grouped { new } else { format!("({new})") }
}

/// Whether what stands between these texts is a group of its own: in parentheses, or the whole.
fn is_grouped(begin: &str, end: &str) -> bool {
    let (begin, end) = (begin.trim_end(), end.trim_start());
    let is_group = begin
        .strip_suffix('(')
        .is_some_and(|before| !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
    begin.is_empty() && end.is_empty() || is_group && end.starts_with(')')
}

/// A condition with a name that the list does not have yet.
fn condition(document: &Value, list: &Path, text: &str) -> Value {
    let known = document.at_path(list.iter()).and_then(Value::as_array).unwrap_or_default();
    let is_free = |name: &String| known.iter().all(|one| one.find_str(&["name"]) != name);
    let name = (1..=known.len() + 1).map(|at| format!("narrowed-{at}")).find(is_free).unwrap_or_default();
    map([("name", name.into()), ("expression", text.into())])
}

/// Narrower comparisons in the place of those that let the attacker in.
fn comparisons(exemption: &Exemption, attack: &Attack, bases: &[Base]) -> Vec<Proposal> {
    match &attack.what {
        What::Image(image) => {
            let repository = |image: &str| parts(image).repository();
            let mut exempt = bases.iter().flat_map(|base| &base.exempt);
            // Another tag of the same repository is shut out by the exact image alone.
            let is_variant = exempt.any(|container| repository(&container.image) == repository(image));
            let all = [Exactness::AnyTag, Exactness::Exact].into_iter();
            let all = all.filter(|exactness| !is_variant || *exactness == Exactness::Exact);
            let of = |exactness| {
                let narrow = |pattern: &str| patterns_for(taken(pattern, bases), exactness);
                narrower(exemption, &On::Image, &narrow)
            };
            all.filter_map(of).collect()
        }
        What::Name => names(exemption, &On::Name, "name", bases),
        What::Namespace => names(exemption, &On::Namespace, "namespace", bases),
        What::Position | What::Ask(_) | What::Bystander | What::Label | What::User => Vec::new(),
    }
}

fn names(exemption: &Exemption, on: &On, field: &str, bases: &[Base]) -> Vec<Proposal> {
    let own = own(field, bases);
    let narrow =
        |pattern: &str| own.iter().filter(|name| wildcard::matches(pattern, name)).cloned().collect();
    narrower(exemption, on, &narrow).into_iter().collect()
}

/// The proposal that writes, for each pattern on such a thing, those that `narrow` has for it.
fn narrower(exemption: &Exemption, on: &On, narrow: &dyn Fn(&str) -> Vec<String>) -> Option<Proposal> {
    let ours: Vec<&ExemptionSelector> =
        exemption.selectors.iter().filter(|selector| selector.on == *on).collect();
    let (mut edits, mut said): (Vec<Edit>, Vec<String>) = (Vec::new(), Vec::new());
    let mut paths: Vec<&Path> = Vec::new();
    for selector in &ours {
        if !paths.contains(&&selector.path) {
            paths.push(&selector.path);
        }
    }
    for path in paths {
        let here: Vec<&ExemptionSelector> =
            ours.iter().filter(|selector| selector.path == *path).copied().collect();
        edits.extend(rewritten(path, &here, narrow, &mut said)?);
    }
    (!edits.is_empty()).then(|| Proposal::new(format!("write {}", said.join("; ")), edits))
}

/// The edits of one text; `None` where nothing narrower can be written for a pattern in it.
fn rewritten(
    path: &Path,
    selectors: &[&ExemptionSelector],
    narrow: &dyn Fn(&str) -> Vec<String>,
    said: &mut Vec<String>,
) -> Option<Vec<Edit>> {
    let first = selectors.first()?;
    let mut text = first.whole.clone();
    // The last part first, so that the places of those before it stay.
    let mut sites: Vec<&Site> = selectors.iter().map(|selector| &selector.site).collect();
    sites.sort_by_key(|site| match site {
        Site::Part { from, .. } => std::cmp::Reverse(*from),
        Site::Argument(_) | Site::Whole => std::cmp::Reverse(0),
    });
    sites.dedup();
    for site in sites {
        let of = selectors.iter().filter(|selector| selector.site == *site);
        let old: Vec<&str> = of.map(|selector| selector.pattern.as_str()).collect();
        let mut new: Vec<String> = Vec::new();
        for pattern in old.iter().flat_map(|pattern| narrow(pattern)) {
            if !new.contains(&pattern) {
                new.push(pattern);
            }
        }
        if new.is_empty() || old == new {
            continue;
        }
        match site {
            Site::Part { from, to, operand, when } => {
                let is = cel::is_among(operand, &new);
                let part = text.get(*from..*to)?;
                said.push(format!("`{is}` for `{part}`"));
                let is = if *when { is } else { format!("!({is})") };
                text = format!("{}{is}{}", text.get(..*from)?, text.get(*to..)?);
            }
            Site::Argument(compares) => {
                let new: Vec<String> =
                    new.iter().map(|pattern| cel::argument(*compares, pattern)).collect::<Option<_>>()?;
                let (first_new, others) = new.split_first()?;
                said.push(format!("`{}` for `{text}`", new.join("`, `")));
                let mut edits = vec![Edit::Set(path.clone(), Value::from(first_new.as_str()))];
                edits.extend(
                    others.iter().map(|other| Edit::Push(path.parent(), Value::from(other.as_str()))),
                );
                return Some(edits);
            }
            Site::Whole => return Some(Vec::new()),
        }
    }
    if text == first.whole {
        return Some(Vec::new());
    }
    Some(vec![Edit::Set(path.clone(), Value::from(text.as_str()))])
}
