//! Policies do not differ from themselves, whatever was recorded of them.
//!
//! In: policies, exceptions and resources of all recorded suites. Out: a failure where the same policies with a note in their annotations, all of which are
//! evaluated by both sides, decide anything otherwise.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails as it does")]

use engine::Bundle;
use engine::json::Value;
use engine::load::{Host, Role, load_parsed};
use engine::world::StaticWorld;
use engine::yaml::{Options, Parsed, Source, SourceId, parse};
use engine_impact::{Change, Judge, Rules, Sides, Tables, Twice, afterwards};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use tests::recorded::Recorded;
use tests::suites::SUITES;

/// What a case is made of.
const PARTS: [(&str, Role); 3] =
    [("policies", Role::Policies), ("exceptions", Role::Exceptions), ("resources", Role::Resources)];

fn sources(row: &Value) -> Vec<(Role, Source)> {
    let mut found = Vec::new();
    for (part, role) in PARTS {
        let texts = row.get(part).and_then(Value::as_array).unwrap_or_default();
        for text in texts.iter().filter_map(Value::as_str) {
            let name = format!("{part}-{}.yaml", found.len());
            found.push((role, Source { id: SourceId(0), name, text: text.into() }));
        }
    }
    found
}

/// The documents of a text.
fn parsed(source: &Source) -> Parsed {
    parse(source, &Options::default())
}

/// A policy with an annotation more, which nobody reads.
fn noted(policy: &mut Value) {
    let metadata = policy.make_object().get_mut("metadata");
    if let Some(metadata) = metadata.filter(|metadata| metadata.as_object().is_some()) {
        let mut annotations = metadata.get("annotations").cloned().unwrap_or_default();
        annotations.make_object().insert("example.com/note", Value::from("other"));
        metadata.make_object().insert("annotations", annotations);
    }
}

fn loaded(row: &Value, change: fn(&mut Value)) -> Bundle {
    let all = sources(row).into_iter().enumerate().map(|(at, (role, source))| {
        let source = Source { id: SourceId(u32::try_from(at).unwrap()), ..source };
        let mut parsed = parsed(&source);
        if role == Role::Policies {
            parsed.documents.iter_mut().for_each(|document| change(&mut document.value));
        }
        (role, source, parsed)
    });
    load_parsed(all.collect::<Vec<_>>(), Host::Cluster, engine_celpolicy::AS_WRITTEN).0
}

/// The rows of a case held against itself, and how often a policy spoke.
fn rows(row: &Value) -> (Vec<String>, usize) {
    let same = |_: &mut Value| {};
    assert_eq!(Sides::new([loaded(row, same), loaded(row, same)], Twice::Changed).changed().count(), 0);
    let world = StaticWorld {
        extension: Some(engine_celpolicy::AS_WRITTEN),
        ..StaticWorld::at(1_700_000_000_000_000_000)
    };
    let sides = Sides::new([loaded(row, same), loaded(row, noted)], Twice::Changed);
    let (tables, rules) = (Tables::of(&sides), Rules::of(&sides));
    let judge = Judge::new(&sides, &tables, &world, &rules);
    let [_, new] = sides.bundles();
    let own = judge.judge(&new.resources).map(|(_, judged)| judged);
    let (mut found, mut spoke) = (Vec::new(), 0);
    for judged in own.chain(afterwards(&sides, &world).into_iter().map(|(_, judged)| judged)) {
        spoke += judged.spoke.len();
        let of = |change: Change| format!("{:?} {}", change.class, sides.pairs[change.pair].name);
        found.extend(judged.changes.into_iter().map(of));
    }
    (found, spoke)
}

#[test]
fn nothing_differs_from_itself() {
    let recorded = Recorded::all();
    let inputs: BTreeSet<&str> =
        SUITES.iter().map(|suite| suite.input).filter(|input| input.ends_with(".jsonl.gz")).collect();
    let (mut files, mut cases, spoke) = (0, 0, AtomicUsize::new(0));
    for input in inputs.into_iter().filter(|input| recorded.home(input).is_some()) {
        let all = recorded.rows(input).unwrap();
        let of_policies: Vec<&Value> =
            all.iter().filter(|row| row.get("policies").and_then(Value::as_array).is_some()).collect();
        files += usize::from(!of_policies.is_empty());
        cases += of_policies.len();
        let parts = of_policies.chunks(of_policies.len().div_ceil(4).max(1));
        std::thread::scope(|scope| {
            for part in parts {
                let spoke = &spoke;
                scope.spawn(move || {
                    for row in part {
                        let (found, more) = rows(row);
                        spoke.fetch_add(more, Ordering::Relaxed);
                        assert!(found.is_empty(), "{input} {}: {found:?}", row.find_str(&["id"]));
                    }
                });
            }
        });
    }
    let spoke = spoke.into_inner();
    assert!(
        files >= 20 && cases >= 10_000 && spoke >= cases,
        "{files} files, {cases} cases, {spoke} answers"
    );
}
