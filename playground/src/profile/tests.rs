//! A file comes back as it was written, and the original's misspelt key is read too.

use super::{read, write};
use crate::slot::Slot;
use crate::texts::Texts;

#[test]
fn what_is_written_is_read_again() {
    let mut texts = Texts::default();
    texts.set(Slot::Policy, "kind: ClusterPolicy\nspec:\n  message: \"ü: #1\\n\"\n\n");
    texts.set(Slot::Cluster, "  kind: Namespace\n\t# tab");
    texts.set(Slot::Context, "context:\n  username: jane\n");
    let file = write(&texts, "2026-01-31");
    assert!(file.starts_with("date: \"2026-01-31\"\nversion: "), "{file}");
    let profiles = read(&file).unwrap();
    let (name, again) = profiles.first().unwrap();
    assert_eq!(name, "current-state");
    for slot in Slot::ALL {
        assert_eq!(again.get(slot), texts.get(slot), "{}", slot.title());
    }
}

#[test]
fn the_current_profile_is_first_and_both_spellings_are_read() {
    let file = "date: 2026-01-01\nprofiles:\n- name: other\n  policies: a\n- name: current-state\n  policies: b\n  clutserResources: c\n";
    let profiles = read(file).unwrap();
    let told: Vec<&str> = profiles.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(told, ["current-state", "other"]);
    let (_, texts) = profiles.first().unwrap();
    assert_eq!((texts.get(Slot::Policy), texts.get(Slot::Cluster)), ("b", "c"));
    assert!(read("kind: Pod").is_none());
}
