//! What holds of every row of the table of kinds, whichever it is.
#![expect(clippy::string_slice, reason = "spans are those of characters")]

use engine::apply::{Locations, Options, Recording, apply};
use engine::diag::{Code, Diagnostic};
use engine::load::{Bundle, ExtensionKind, Host, Reading, Role, load, load_with};
use engine::world::StaticWorld;
use engine_celpolicy::{WITH_STEPS, WITHOUT_STEPS};
use engine_yaml::{Source, SourceId};
use std::collections::BTreeSet;

const POD: &str =
    "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: c, image: nginx}]}}";

fn sources(row: &ExtensionKind, text: &str) -> Vec<(Role, Source)> {
    let role = if matches!(row.reading, Reading::Exception(_)) { Role::Exceptions } else { Role::Policies };
    let source = |text: &str| Source { id: SourceId(0), name: "a.yaml".into(), text: text.into() };
    vec![(role, source(text)), (Role::Resources, source(POD))]
}

fn read(row: &ExtensionKind, text: &str) -> (Bundle, Vec<Diagnostic>) {
    load_with(sources(row, text), Host::Cluster, WITHOUT_STEPS)
}

fn versions(row: &ExtensionKind) -> impl Iterator<Item = &'static str> {
    row.api_versions.iter().chain(row.more_versions).copied()
}

#[test]
fn both_tables_have_the_same_rows_and_each_version_of_a_kind_once() {
    let names = |rows: &[ExtensionKind]| rows.iter().map(|row| row.kind).collect::<Vec<_>>();
    assert_eq!(names(WITHOUT_STEPS.kinds), names(WITH_STEPS.kinds));
    let mut met = BTreeSet::new();
    for row in WITHOUT_STEPS.kinds {
        for version in versions(row) {
            assert!(met.insert((row.kind, version)), "{version} {}", row.kind);
        }
        let twin = row.kind.strip_prefix("Namespaced").unwrap_or(row.kind);
        assert!(WITHOUT_STEPS.kinds.iter().any(|other| other.kind == twin), "{} has no twin", row.kind);
    }
}

#[test]
fn without_the_table_each_kind_is_named_and_decides_nothing() {
    for row in WITHOUT_STEPS.kinds {
        let text =
            format!("{{apiVersion: {}, kind: {}, metadata: {{name: a}}}}", row.api_versions[0], row.kind);
        let (bundle, said) = load(sources(row, &text), Host::Cli);
        assert!(bundle.policies.is_empty() && !said.is_empty(), "{}: {said:?}", row.kind);
        if matches!(row.reading, Reading::Policy(_)) {
            assert_eq!((bundle.unsupported.len(), said[0].code), (1, Code::NotSupported), "{}", row.kind);
        }
    }
}

#[test]
fn in_another_version_a_kind_is_not_read_and_those_it_has_are_named() {
    for row in WITHOUT_STEPS.kinds.iter().filter(|row| matches!(row.reading, Reading::Policy(_))) {
        let text = format!("{{apiVersion: example.com/v1, kind: {}, metadata: {{name: a}}}}", row.kind);
        let (bundle, said) = read(row, &text);
        assert!(bundle.policies.is_empty(), "{}", row.kind);
        let hints = said[0].hints.concat();
        assert!(row.api_versions.iter().all(|version| hints.contains(version)), "{}: {hints}", row.kind);
    }
}

#[test]
fn what_a_kind_does_not_have_is_named_at_its_place() {
    for row in WITHOUT_STEPS.kinds {
        for version in versions(row) {
            let kind = row.kind;
            let text =
                format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\nspecc: {{}}\nspec: 3\n");
            let (bundle, said) = read(row, &text);
            assert!(bundle.policies.is_empty(), "{version} {kind}");
            for (code, written) in [(Code::UnknownField, "specc"), (Code::WrongType, "spec: 3")] {
                let found = said.iter().find(|said| said.code == code);
                let span =
                    found.and_then(|said| said.span).unwrap_or_else(|| panic!("{version} {kind}: {said:?}"));
                let at = &text[span.start as usize..span.end as usize];
                assert_eq!(at, written, "{version} {kind}: {said:?}");
            }
        }
    }
}

#[test]
fn a_document_that_says_nothing_more_is_evaluated_or_refused_with_its_place() {
    let options = Options { host: Host::Cluster, trace: Recording::On, places: Locations::Include };
    for row in WITHOUT_STEPS.kinds {
        for rest in [
            "",
            ", spec: null",
            ", spec: {}",
            ", metadata: null",
            ", metadata: {name: a, namespace: n}, spec: {}",
        ] {
            for version in versions(row) {
                let text = format!("{{apiVersion: {version}, kind: {}{rest}}}", row.kind);
                let (bundle, said) = read(row, &text);
                assert!(said.iter().all(|said| said.span.is_some()), "{text}: {said:?}");
                let outcome = apply(&bundle, &StaticWorld::default(), &options);
                let rows = outcome.results.iter().flat_map(|of| &of.rules);
                // Nothing is asked, so nothing can refuse.
                assert!(rows.clone().all(|rule| !rule.status.as_str().contains("error")), "{text}");
            }
        }
    }
}
