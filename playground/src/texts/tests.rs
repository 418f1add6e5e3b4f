//! What of the texts goes to the engine.

use super::Texts;
use crate::slot::Slot;

#[test]
fn empty_texts_are_not_sent() {
    let mut texts = Texts::of_sample("kind: ClusterPolicy", "kind: Pod");
    texts.set(Slot::Context, "  \n");
    let input = texts.input();
    assert_eq!(input.policies.len(), 1);
    assert_eq!(input.resources.first().map(|text| text.name.as_str()), Some("resources.yaml"));
    assert!(input.context.is_empty());
    assert_eq!(input.host.as_deref(), Some("playground"));
}
