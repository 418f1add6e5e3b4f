//! Every sample is whole, and the engine says of it what the file expects.

use std::collections::BTreeSet;

use super::{Sample, all, first};
use crate::slot::Slot;

#[test]
fn every_sample_has_all_its_parts() {
    for sample in all() {
        let texts = sample.texts();
        let parts = [&sample.title, &sample.about, texts.get(Slot::Policy), texts.get(Slot::Resource)];
        assert!(parts.iter().all(|part| !part.is_empty()), "{} lacks a part", sample.id);
        assert!(!sample.expect.is_empty(), "{} expects nothing", sample.id);
    }
}

#[test]
fn the_newcomers_sample_exists() {
    assert_eq!(first().map(|sample| sample.id).as_deref(), Some(super::FIRST));
}

/// What the engine says, in the words of an `expect` block; verdicts that are not listed there are not asked for.
fn verdicts(sample: &Sample) -> BTreeSet<String> {
    let output = engine::run(&sample.texts().input(), &engine::world::StaticWorld::default());
    // What is remarked, and in which words, is compared by the suite in `tests`, where samples are cases too.
    let remarks = sample.expect.iter().filter(|line| line.starts_with("warning["));
    assert_eq!(output.diagnostics.len(), remarks.count(), "{}: {:?}", sample.id, output.diagnostics);
    assert!(output.refused.is_empty(), "{}: {:?}", sample.id, output.refused);
    let results = output.results.iter();
    results
        .flat_map(|result| result.rules.iter().map(move |rule| (result, rule)))
        .map(|(result, rule)| {
            let resource = &result.resource;
            let namespace = if resource.namespace.is_empty() { "-" } else { &resource.namespace };
            let place = format!("{namespace}/{}/{}", resource.kind, resource.name);
            format!("{}  {}/{}  {place}", rule.status, result.policy.name, rule.rule)
        })
        .collect()
}

#[test]
fn the_engine_says_what_the_samples_expect() {
    for sample in all() {
        // Status, rule and resource; then may come the message, and remarks in lines of their own.
        let lines = sample.expect.iter().filter(|line| !line.starts_with([' ', 'w']));
        let columns = |line: &String| line.split("  ").take(3).collect::<Vec<_>>().join("  ");
        let expected: BTreeSet<String> = lines.map(columns).collect();
        assert_eq!(verdicts(&sample), expected, "{}", sample.id);
    }
}
