//! What of the texts goes to the engine.

use engine_lenses::share;

use super::{Texts, document_at, moved};
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

#[test]
fn a_document_moves_from_one_text_to_the_end_of_another() {
    let policies = "kind: ClusterPolicy\n---\nkind: Pod\nspec: {}\n--- \nkind: Policy\n";
    assert_eq!(document_at(policies, 3), "kind: Pod\nspec: {}\n");
    let (left, there) = moved(policies, "kind: Service", 3);
    assert_eq!(left, "kind: ClusterPolicy\n---\nkind: Policy\n");
    assert_eq!(there, "kind: Service\n---\nkind: Pod\nspec: {}\n");
    assert_eq!(moved("kind: Pod", "", 1), (String::new(), "kind: Pod\n".to_owned()));
}

#[test]
fn a_text_is_replaced_once_less_than_half_of_it_is_left() {
    let before = Texts::of_sample("kind: ClusterPolicy\nname: a\n", "kind: Pod");
    let with = |policy: &str| Texts::of_sample(policy, "kind: Pod").is_replaced(Slot::Policy, &before);
    assert!(!with("kind: ClusterPolicy\nname: b\n") && !with("kind: ClusterPolicy\n# more\nname: a\n"));
    assert!(with("") && with("apiVersion: v1\n"));
    assert!(!Texts::default().is_replaced(Slot::Resource, &Texts::default()));
}

#[test]
fn the_host_is_the_usual_one_until_another_is_chosen() {
    let mut texts = Texts::of_sample("kind: ClusterPolicy", "kind: Pod");
    assert_eq!(texts.host(), "playground");
    let before = texts.clone();
    texts.choose_host("cluster");
    assert!(!texts.are_evaluated_alike(&before));
    assert_eq!(Texts::of_link(texts.to_link()).host(), "cluster");
    texts.choose_host("playground");
    assert_eq!(texts.to_link().get("host"), None);
    assert_eq!(Texts::of_sample("apiVersion: policies.kyverno.io/v1", "").host(), "cluster");
}
