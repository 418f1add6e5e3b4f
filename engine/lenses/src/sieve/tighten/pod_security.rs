//! Exclusions of pod security with a field and values, as they stand in the legitimate Pods.

use super::Proposal;
use super::patterns::{Exactness, patterns_for};
use crate::sieve::edit::Edit;
use crate::sieve::find::{Exemption, Kind};
use crate::sieve::legit::Base;
use crate::sieve::pod::map;
use crate::sieve::runner::TrialRunner;
use engine::value::wildcard;
use engine_json::{Path, Str, Value};
use engine_podsecurity::exclude::{self, Exclusion, Wildcard};
use engine_podsecurity::{Level, Version};
use std::fmt::Write;

/// The field and values for the entries of an exemption, then the narrowest entries in their place.
pub(super) fn propose(exemption: &Exemption, bases: &[Base], runner: &TrialRunner<'_>) -> Vec<Proposal> {
    let Some(document) = runner.document(exemption.document) else { return Vec::new() };
    let list = match exemption.kind {
        Kind::Exception => Path::from_keys(&["spec", "podSecurity"]),
        _ => exemption.path.parent(),
    };
    let written = document.at_path(list.iter()).and_then(Value::as_array).unwrap_or_default();
    let entries: Vec<(Path, &Value)> = if exemption.kind == Kind::Exception {
        written.iter().enumerate().map(|(at, entry)| (list.join(at), entry)).collect()
    } else {
        let entry = document.at_path(exemption.path.iter());
        entry.map(|entry| (exemption.path.clone(), entry)).into_iter().collect()
    };
    let needed = needed(exemption, bases, runner);
    let mut found = Vec::new();
    let (mut edits, mut said) = (Vec::new(), Vec::new());
    for (path, entry) in &entries {
        let control = entry.find_str(&["controlName"]);
        let mine: Vec<&Exclusion> = needed.iter().filter(|needed| needed.control == control).collect();
        let Some(first) = mine.first() else { continue };
        if mine.iter().any(|other| other.restricted_field != first.restricted_field) {
            continue;
        }
        let mut values: Vec<Str> = mine.iter().flat_map(|needed| needed.values.clone()).collect();
        values.sort();
        values.dedup();
        said.push(format!(
            "add `restrictedField: {}` and `values: [{}]`",
            first.restricted_field,
            values.join(", ")
        ));
        edits.push(Edit::Set(path.join("restrictedField"), Value::String(first.restricted_field.clone())));
        edits.push(Edit::Set(path.join("values"), texts(&values)));
    }
    if !edits.is_empty() {
        found.push(Proposal::new(said.join("; "), edits));
    }
    if !needed.is_empty() && (exemption.kind == Kind::Exception || !entries.is_empty()) {
        let new = needed.iter().map(entry);
        let kept = written
            .iter()
            .filter(|entry| exemption.kind != Kind::Exception && entries.iter().all(|(_, own)| own != entry));
        let all = Value::array(kept.cloned().chain(new).collect());
        let text = format!("write in its place {}", count(&needed));
        found.push(Proposal::new(text, vec![Edit::Set(list, all)]));
    }
    found
}

/// Exclusions of a podSecurity rule in the place of its `exclude` block.
pub(super) fn instead_of_exclude(
    exemption: &Exemption,
    bases: &[Base],
    runner: &TrialRunner<'_>,
) -> Vec<Proposal> {
    let needed = needed(exemption, bases, runner);
    if needed.is_empty() {
        return Vec::new();
    }
    let rule = exemption.path.iter().take(3).cloned().collect::<Path>();
    let list = rule.join("validate").join("podSecurity").join("exclude");
    let mut edits: Vec<Edit> = needed.iter().map(|needed| Edit::Push(list.clone(), entry(needed))).collect();
    edits.insert(0, Edit::Remove(exemption.path.clone()));
    let text = format!("write under `podSecurity`, in the place of this `exclude`, {}", count(&needed));
    vec![Proposal::new(text, edits)]
}

fn count(needed: &[Exclusion]) -> String {
    let one = |needed: &Exclusion| {
        let mut text = format!("`{}`", needed.control);
        if !needed.images.is_empty() {
            let _ = write!(text, " for `{}`", needed.images.join("`, `"));
        }
        text + &format!(" at `{}`", needed.restricted_field)
    };
    needed.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn texts(texts: &[Str]) -> Value {
    Value::array(texts.iter().cloned().map(Value::String).collect())
}

/// An exclusion as it is written.
pub(in crate::sieve) fn entry(exclusion: &Exclusion) -> Value {
    let mut value = map([("controlName", Value::String(exclusion.control.clone()))]);
    let fields = [
        ("images", (!exclusion.images.is_empty()).then(|| texts(&exclusion.images))),
        ("restrictedField", Some(Value::String(exclusion.restricted_field.clone()))),
        ("values", Some(texts(&exclusion.values))),
    ];
    let object = value.make_object();
    for (key, field) in fields {
        if let Some(field) = field {
            object.insert(key, field);
        }
    }
    value
}

/// The narrowest exclusions for the legitimate Pods under the podSecurity rules of the exemption.
fn needed(exemption: &Exemption, bases: &[Base], runner: &TrialRunner<'_>) -> Vec<Exclusion> {
    let mut found: Vec<Exclusion> = Vec::new();
    for (level, version) in standards(exemption, runner) {
        for base in bases {
            let images: Vec<&str> = base.exempt.iter().map(|container| container.image.as_str()).collect();
            for exclusion in exclusions(&base.case.object, (level, version), &images) {
                if !found.contains(&exclusion) {
                    found.push(exclusion);
                }
            }
        }
    }
    let controls = &exemption.controls;
    found.retain(|needed| {
        controls.is_empty() || controls.iter().any(|(control, _)| needed.control == *control)
    });
    found
}

/// The narrowest exclusions that let an object through, the registry and repository of each image exact and its tag open.
pub(in crate::sieve) fn exclusions(
    object: &Value,
    standard: (Level, Version),
    exempt: &[&str],
) -> Vec<Exclusion> {
    let mut found = exact_exclusions(object, standard);
    let is_ours = |image: &Str| exempt.is_empty() || exempt.contains(&image.as_str());
    found.retain(|exclusion| exclusion.images.iter().all(is_ours));
    for exclusion in &mut found {
        let patterns = patterns_for(exclusion.images.iter().map(Str::as_str), Exactness::AnyTag);
        exclusion.images = patterns.into_iter().map(Str::from).collect();
    }
    found
}

/// The same with the images as they are written.
pub(in crate::sieve) fn exact_exclusions(object: &Value, standard: (Level, Version)) -> Vec<Exclusion> {
    let Some(pod) = exclude::pod_of(object) else { return Vec::new() };
    let wildcard = Wildcard(wildcard::matches);
    let failed = exclude::evaluate(standard, &pod);
    failed
        .iter()
        .flat_map(|failed| exclude::narrowest(standard, failed, &pod, &wildcard).unwrap_or_default())
        .collect()
}

/// Level and version of the podSecurity rules that an exemption weakens.
pub(in crate::sieve) fn standards(exemption: &Exemption, runner: &TrialRunner<'_>) -> Vec<(Level, Version)> {
    let policies = runner.bundle.policies.iter().filter(|policy| exemption.policies.contains(&policy.key()));
    let rules = policies.flat_map(|policy| policy.rules.iter());
    let is_meant = |rule: &str| match exemption.kind {
        Kind::Exception => exemption.rule.split(", ").any(|wanted| wildcard::matches(wanted, rule)),
        _ => exemption.rule == rule,
    };
    rules.filter(|rule| is_meant(&rule.name)).filter_map(|rule| standard(&rule.raw)).collect()
}

/// Level and version of a podSecurity rule.
pub(in crate::sieve) fn standard(rule: &Value) -> Option<(Level, Version)> {
    let written = rule.find(&["validate", "podSecurity"])?;
    let level = match written.find_str(&["level"]) {
        "baseline" => Level::Baseline,
        _ => Level::Restricted,
    };
    let version = Version::parse(written.find_str(&["version"])).unwrap_or(Version::Latest);
    Some((level, version))
}
