//! Every sample is whole, and the engine says of it what the file expects.

use std::collections::BTreeSet;

use super::{Sample, entries, files, first, read};
use crate::slot::Slot;

/// All samples with their ids, in the order of the menu.
fn all() -> Vec<(String, Sample)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let text = |id: &str| std::fs::read_to_string(folder.join(format!("{id}.md"))).unwrap();
    entries().iter().map(|entry| (entry.id(), read(&text(&entry.id())))).collect()
}

#[test]
fn every_sample_has_all_its_parts() {
    for (id, sample) in all() {
        let texts = sample.texts();
        let parts = [&sample.title, &sample.about, texts.get(Slot::Policy), texts.get(Slot::Resource)];
        assert!(parts.iter().all(|part| !part.is_empty()), "{id} lacks a part");
        assert!(!sample.expect.is_empty(), "{id} expects nothing");
    }
}

#[test]
fn the_newcomers_sample_exists() {
    let all = all();
    assert_eq!(all.first(), Some(&(files::FIRST.to_owned(), first())));
    assert!(all.len() >= 40, "{} samples", all.len());
    let titles: BTreeSet<&str> = all.iter().map(|(_, sample)| sample.title.as_str()).collect();
    assert_eq!(titles.len(), all.len(), "two samples have one title");
    assert!(
        entries().iter().all(|entry| entry.group() != crate::words::samples::OTHER_GROUP),
        "a folder has no heading"
    );
}

/// What the engine says, in the words of an `expect` block; verdicts that are not listed there are not asked for.
fn verdicts(id: &str, sample: &Sample) -> BTreeSet<String> {
    let world =
        engine::world::StaticWorld { extension: Some(engine_celpolicy::AS_WRITTEN), ..Default::default() };
    let output = engine_lenses::run(&sample.texts().input(), &world);
    // What is remarked, and in which words, is compared by the suite in `tests`, where samples are cases too.
    let remarks = sample.expect.iter().filter(|line| line.starts_with("warning["));
    assert_eq!(output.diagnostics.len(), remarks.count(), "{id}: {:?}", output.diagnostics);
    assert!(output.refused.is_empty(), "{id}: {:?}", output.refused);
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
    for (id, sample) in all() {
        // Status, rule and resource; then may come the message, and remarks in lines of their own.
        let lines = sample.expect.iter().filter(|line| !line.starts_with([' ', 'w']));
        let columns = |line: &String| line.split("  ").take(3).collect::<Vec<_>>().join("  ");
        let expected: BTreeSet<String> = lines.map(columns).collect();
        assert_eq!(verdicts(&id, &sample), expected, "{id}");
    }
}

#[test]
fn samples_are_found_by_words_of_title_sentence_and_heading() {
    let titles = |typed: &str| super::found(typed).iter().map(|entry| entry.title).collect::<Vec<_>>();
    assert_eq!(titles(" LATEST tag"), ["Disallow the latest tag"]);
    assert!(titles("meshes istio").contains(&"Istio init container"));
    assert_eq!(titles("").len(), entries().len());
    assert!(titles("no such sample").is_empty());
    // A sentence for each, and short enough for the menu.
    let long = entries().into_iter().filter(|entry| entry.line.is_empty() || entry.line.len() > 140);
    assert_eq!(long.map(|entry| entry.id()).collect::<Vec<_>>(), [""; 0]);
}
