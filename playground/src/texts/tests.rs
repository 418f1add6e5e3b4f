//! What of the texts goes to the engine.

use engine::share;

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

#[test]
fn a_link_leaves_out_what_is_not_wanted_as_the_original_does() {
    let mut base = share::State::new();
    base.set("vapBindings", "kind: Secret\ndata: {}");
    let mut texts = Texts::of_link(base);
    texts.set(Slot::Policy, "p");
    texts.set(Slot::Context, "c");
    texts.set(Slot::Exceptions, "e");
    let keys =
        |state: &share::State| state.iter().map(|(key, text)| format!("{key}={text}")).collect::<Vec<_>>();
    let whole = keys(&texts.to_link());
    assert!(
        whole.contains(&"context=c".to_owned()) && whole.iter().any(|part| part.starts_with("vapBindings="))
    );
    let left_out = ["context", "exceptions", "vapBindings"].map(str::to_owned);
    let part = keys(&texts.to_link_without(&left_out));
    assert!(part.contains(&"exceptions=".to_owned()) && part.contains(&"policy=p".to_owned()));
    assert!(!part.iter().any(|part| part.starts_with("context") || part.starts_with("vapBindings")));
    assert_eq!(keys(&texts.to_link_without(&[])), whole);
}
