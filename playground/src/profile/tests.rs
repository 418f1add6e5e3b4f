//! A file comes back as it was written, and the original's misspelt key is read too.

use super::{read, write};
use crate::slot::Slot;
use crate::texts::Texts;

/// A file as the worker reads it.
fn profiles(file: &str) -> Vec<super::Written> {
    let source =
        engine::yaml::Source { id: engine::yaml::SourceId(0), name: String::new(), text: file.into() };
    let parsed = engine::yaml::parse(&source, &engine::yaml::Options::default());
    let found = parsed.documents.first().unwrap().value.get("profiles").unwrap().as_array().unwrap().to_vec();
    let texts = |profile: &engine::json::Value| {
        let texts = profile.as_object().unwrap().iter();
        texts.filter_map(|(key, value)| Some((key.to_string(), value.as_str()?.to_owned()))).collect()
    };
    found.iter().map(texts).collect()
}

#[test]
fn what_is_written_is_read_again() {
    let mut texts = Texts::default();
    texts.set(Slot::Policy, "kind: ClusterPolicy\nspec:\n  message: \"ü: #1\\n\"\n\n");
    texts.set(Slot::Cluster, "  kind: Namespace\n\t# tab");
    texts.set(Slot::Context, "context:\n  username: jane\n\n  roles: [a]");
    texts.set(Slot::Resource, "kind: Pod\nmetadata:\n  name: \u{1F600} x\n\n  # ü: `a` --- {b}\n");
    let file = write(&texts, "2026-01-31");
    assert!(file.starts_with("date: \"2026-01-31\"\nversion: "), "{file}");
    let profiles = read(&profiles(&file));
    let (name, again) = profiles.first().unwrap();
    assert_eq!(name, "current-state");
    for slot in Slot::ALL {
        assert_eq!(again.get(slot), texts.get(slot), "{}", slot.title());
    }
}

#[test]
fn the_current_profile_is_first_and_both_spellings_are_read() {
    let file = "date: 2026-01-01\nprofiles:\n- name: other\n  policies: a\n- name: current-state\n  policies: b\n  clutserResources: c\n";
    let profiles = read(&profiles(file));
    let described: Vec<&str> = profiles.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(described, ["current-state", "other"]);
    let (_, texts) = profiles.first().unwrap();
    assert_eq!((texts.get(Slot::Policy), texts.get(Slot::Cluster)), ("b", "c"));
}
