//! The promises of workspaces: nothing is lost without a way back, bounds are said, names are kept apart.

use super::{CHARACTERS, MOST, NAME, SpaceAction};
use crate::slot::Slot;
use crate::state::{Action, Source, State, Work};
use crate::texts::Texts;

fn page(policy: &str) -> State {
    let work = Work { texts: Texts::of_sample(policy, "kind: Pod"), source: Source::Own };
    State::new(work, false, Vec::new())
}

fn after(state: State, actions: impl IntoIterator<Item = SpaceAction>) -> State {
    actions.into_iter().fold(state, |state, action| state.after(Action::Space(action)))
}

fn save(name: &str) -> SpaceAction {
    SpaceAction::Save(name.to_owned())
}

fn names(state: &State) -> Vec<&str> {
    state.spaces.all.iter().map(|space| space.name.as_str()).collect()
}

#[test]
fn what_is_saved_opens_again_and_own_work_is_put_aside() {
    let state = after(page("one"), [save(" b "), save("A"), save("c")]);
    assert_eq!(names(&state), ["A", "b", "c"]);
    let typed = state.after(Action::Edited(Slot::Policy, "two".to_owned()));
    let opened = after(typed, [SpaceAction::Open("A".to_owned())]);
    assert_eq!(opened.texts.get(Slot::Policy), "one");
    assert_eq!(opened.spaces.open.as_deref(), Some("A"));
    assert_eq!(opened.after(Action::WentBack).texts.get(Slot::Policy), "two");
}

#[test]
fn each_change_can_be_taken_back() {
    let state = after(page("one"), [save("a"), save("b")]);
    let deleted = after(state.clone(), [SpaceAction::Delete("a".to_owned())]);
    assert_eq!(names(&deleted), ["b"]);
    assert_eq!(names(&after(deleted, [SpaceAction::Undo])), ["a", "b"]);
    let renamed = after(state.clone(), [SpaceAction::Rename("b".to_owned(), "0".to_owned())]);
    assert_eq!((names(&renamed), renamed.spaces.open.as_deref()), (vec!["0", "a"], Some("0")));
    assert_eq!(names(&after(renamed, [SpaceAction::Undo])), ["a", "b"]);
    let over =
        after(state.after(Action::Edited(Slot::Policy, "two".to_owned())), [save("a"), SpaceAction::Undo]);
    assert_eq!(over.spaces.get("a").map(|space| space.work.texts.get(Slot::Policy)), Some("one"));
}

#[test]
fn a_name_is_needed_kept_short_and_given_once() {
    let state = after(page("one"), [save("a"), save("b")]);
    for (action, word) in [
        (save("  "), "needs a name"),
        (save(&"x".repeat(NAME + 1)), "60 characters"),
        (SpaceAction::Rename("a".to_owned(), "b".to_owned()), "already"),
        (SpaceAction::Rename("a".to_owned(), String::new()), "needs a name"),
    ] {
        let refused = after(state.clone(), [action]);
        assert_eq!(names(&refused), ["a", "b"]);
        assert!(refused.spaces.said.is_some_and(|said| said.contains(word)), "{word}");
    }
}

#[test]
fn number_and_size_have_bounds_that_are_described() {
    let state = after(page("one"), (0..=MOST).map(|n| save(&format!("space {n:02}"))));
    assert_eq!(state.spaces.all.len(), MOST);
    assert!(state.spaces.said.as_deref().is_some_and(|said| said.contains("delete one first")));
    // One that is there already may still be saved.
    let again = after(state, [save("space 00")]);
    assert!(again.spaces.said.is_some_and(|said| said.contains("saved as")));
    let large = after(page(&"ü".repeat(CHARACTERS)), [save("large")]);
    assert!(large.spaces.all.is_empty() && large.spaces.said.is_some_and(|said| said.contains("2000000")));
    let refused = after(page("one"), [save("a"), SpaceAction::Refused]);
    assert!(
        refused.spaces.all.is_empty()
            && refused.spaces.said.is_some_and(|said| said.contains("keeps no more"))
    );
}
