//! The test that shows a difference: a folder for `podsieve test` or `kyverno test` that passes with the old policies and fails with the new.
//!
//! In: both sides, and a request. Out: its files, or why there are none. `kyverno test` makes the object anew for each test, and asks no
//! cluster, so only creations that need nothing of a cluster have one; and no test is given that was not run with both sides.

mod check;

use crate::request::{Operation, Request, default_user};
use check::{Tested, run};
use engine::matching::UserInfo;
use engine::world::StaticWorld;
use engine::yaml::emit::to_yaml_ordered;
use engine::yaml::{Options, Source, SourceId, parse};
use engine_json::{Str, Value};
use engine_lenses::report::as_test;
use engine_lenses::report::object;
use engine_lenses::wire::{Input, TestFolder, Text};

/// Why no test shows a difference.
const UPDATE: &str = "a test makes each object anew, and this is an update";
const DELETION: &str = "a test makes each object anew, and this is a deletion";
const LABELS: &str = "it takes labels of the Namespace";
const CLUSTER: &str = "it takes objects of a cluster, which a test does not have";
const NOTHING_EXPECTED: &str =
    "no rule of the old side looks at the object as `kyverno test` runs it, so there is no verdict to expect";
const OLD_FAILS: &str = "the old side decides otherwise in `kyverno test` than in a cluster";
const NOT_FOUND: &str = "the new side has no policy of that name, so the test would fail whatever the object";
const EXCLUDED: &str =
    "no rule of that name on the new side looks at the object, which `kyverno test` counts as passed";
const SUBRESOURCE: &str = "the request is for a subresource";
const DRY_RUN: &str = "the request is a dry run";
const SAME_VERDICT: &str =
    "the rules of both sides have the same verdict: they differ in what a cluster does about it";

/// The files of the test, which passes with the old side and fails with the new.
///
/// # Errors
/// Why `kyverno test` could not show the difference.
pub fn test_folder(
    old: &[Text],
    new: &[Text],
    request: &Request,
    now: i64,
) -> Result<TestFolder, &'static str> {
    let attributes = &request.attributes;
    match attributes.operation {
        Operation::Create => {}
        Operation::Update => return Err(UPDATE),
        Operation::Delete => return Err(DELETION),
        Operation::Connect => return Err(SUBRESOURCE),
    }
    if attributes.of.is_some() {
        return Err(SUBRESOURCE);
    }
    if !attributes.labels.is_empty() {
        return Err(LABELS);
    }
    if attributes.is_dry_run {
        return Err(DRY_RUN);
    }
    if attributes.cluster.as_deref().is_some_and(|objects| !objects.is_empty()) {
        return Err(CLUSTER);
    }
    let resources = vec![named("resources.yaml", to_yaml_ordered(&request.object))];
    let user = (attributes.user != default_user()).then(|| user_info(&attributes.user));
    let user_info = user.into_iter().map(|text| named("user-info.yaml", text)).collect();
    let input = Input { resources, user_info, ..of_side(old) };
    let world = StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..StaticWorld::at(now) };
    let folder = as_test::run(&input, &world).map_err(|_| NOTHING_EXPECTED)?;
    let is_met = Tested { has_passed: true, ..Tested::default() };
    if run(&folder, of_side(old), &world) != is_met {
        return Err(OLD_FAILS);
    }
    let tested = run(&folder, of_side(new), &world);
    match tested {
        Tested { has_failed: true, .. } => Ok(folder),
        Tested { is_unknown: true, .. } => Err(NOT_FOUND),
        Tested { is_excluded: true, .. } => Err(EXCLUDED),
        Tested { .. } => Err(SAME_VERDICT),
    }
}

fn named(name: &str, text: String) -> Text {
    Text { name: name.to_owned(), text }
}

/// The policies of a side, and its exceptions apart from them: `kyverno test` looks at none that stand beside policies.
fn of_side(texts: &[Text]) -> Input {
    let (mut policies, mut exceptions) = (Vec::new(), Vec::new());
    for text in texts {
        let source = Source { id: SourceId(0), name: text.name.clone(), text: text.text.as_str().into() };
        let documents = parse(&source, &Options::default()).documents;
        let is_exception = |value: &Value| value.find_str(&["kind"]) == "PolicyException";
        if !documents.iter().any(|document| is_exception(&document.value)) {
            policies.push(text.clone());
            continue;
        }
        for document in &documents {
            let part = text.text.get(document.span.start as usize..document.span.end as usize);
            let part = Text { name: text.name.clone(), text: part.unwrap_or_default().to_owned() };
            if is_exception(&document.value) { exceptions.push(part) } else { policies.push(part) }
        }
    }
    Input { policies, exceptions, ..Input::default() }
}

/// Who asks, as a user info file.
fn user_info(user: &UserInfo) -> String {
    let texts = |list: &[Str]| Value::array(list.iter().map(|text| Value::String(text.clone())).collect());
    to_yaml_ordered(&object([
        ("apiVersion", Value::from("cli.kyverno.io/v1alpha1")),
        ("kind", Value::from("UserInfo")),
        ("metadata", object([("name", Value::from("user-info"))])),
        ("roles", texts(&user.roles)),
        ("clusterRoles", texts(&user.cluster_roles)),
        (
            "userInfo",
            object([("username", Value::String(user.username.clone())), ("groups", texts(&user.groups))]),
        ),
    ]))
}
