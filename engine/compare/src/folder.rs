//! The test that shows a difference: a folder for `podsieve test` or `kyverno test` that passes with the old policies and fails with the new.
//!
//! In: the old policies, and a request. Out: its files. `kyverno test` makes the object anew for each test, and asks no cluster, so only creations
//! that need nothing of a cluster have one.

use crate::request::{Operation, Request};
use engine::report::as_test;
use engine::wire::{Input, TestFolder, Text};
use engine::world::StaticWorld;

/// The files of the test; `None` where `kyverno test` could not show the difference.
pub fn test_folder(old: &[Text], request: &Request, now: i64) -> Option<TestFolder> {
    let attributes = &request.attributes;
    let holds_objects = attributes.cluster.as_deref().is_some_and(|objects| !objects.is_empty());
    if attributes.operation != Operation::Create || !attributes.labels.is_empty() || holds_objects {
        return None;
    }
    let resource = engine::yaml::emit::to_yaml_ordered(&request.object);
    let input = Input {
        policies: old.to_vec(),
        resources: vec![Text { name: "resource.yaml".to_owned(), text: resource }],
        ..Input::default()
    };
    let world = StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..StaticWorld::at(now) };
    as_test::run(&input, &world).ok()
}
