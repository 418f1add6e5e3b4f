//! What is offered, and what a typed text means.

use super::{Command, Does, all, matching};
use crate::state::{Action, SpaceAction, State, Work};
use crate::texts::Texts;
use crate::{samples, state};

fn page() -> State {
    let work = Work { texts: Texts::of_sample("a", "kind: Pod"), source: state::Source::Own };
    State::new(work, true, Vec::new())
}

fn titles(found: &[Command]) -> Vec<&str> {
    found.iter().map(|command| command.title.as_str()).collect()
}

#[test]
fn every_sample_input_and_workspace_has_a_command_and_no_two_are_the_same() {
    let state = page().after(Action::Space(SpaceAction::Save("mine".to_owned())));
    let found = all(&state);
    for entry in samples::entries() {
        assert!(found.iter().any(|command| command.does == Does::Sample(entry)));
    }
    assert!(found.iter().any(|command| command.does == Does::Space("mine".to_owned())));
    assert!(!found.iter().any(|command| command.does == Does::Back));
    for (at, command) in found.iter().enumerate() {
        assert!(
            found
                .iter()
                .skip(at + 1)
                .all(|other| (&other.title, other.group) != (&command.title, command.group))
        );
    }
}

#[test]
fn typed_words_find_titles_that_begin_so_first() {
    let found = matching(all(&page()), " Re ");
    assert_eq!(titles(&found).first(), Some(&"Results"));
    let found = matching(all(&page()), "theme da");
    assert_eq!(titles(&found), ["Theme: dark"]);
    // The kind of thing counts as well.
    let inputs = matching(all(&page()), "input");
    assert_eq!(inputs.len(), crate::slot::Slot::ALL.len());
    assert!(matching(all(&page()), "no such thing").is_empty());
    assert_eq!(matching(all(&page()), "").len(), all(&page()).len());
}
