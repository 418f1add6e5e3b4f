//! One text field: CodeMirror, mounted once, then given what is new.
//!
//! In: the state and a slot. Out: `Action::Edited`. It stays mounted while its tab is closed, so that its history
//! of edits lives on.

use std::rc::Rc;

use engine_lenses::wire::{Diagnostic, Range, Refused};
use web_sys::HtmlElement;
use yew::{Html, Properties, component, html, use_effect_with, use_mut_ref, use_node_ref};

use super::long;
use crate::app::Handle;
use crate::editor::{Editor, Squiggle};
use crate::slot::Slot;
use crate::state::{Action, LINE, Line, State};

#[derive(PartialEq, Properties)]
pub(crate) struct TextFieldProps {
    pub(crate) store: Handle,
    pub(crate) slot: Slot,
}

/// The field.
#[component]
pub(crate) fn TextField(props: &TextFieldProps) -> Html {
    let slot = props.slot;
    let state = &props.store.state;
    let place = use_node_ref();
    let editor = use_mut_ref(|| None::<Rc<Editor>>);
    {
        let (place, editor, store) = (place.clone(), Rc::clone(&editor), props.store.clone());
        use_effect_with((), move |()| {
            if let Some(parent) = place.cast::<HtmlElement>() {
                let dispatcher = store.dispatcher();
                let on_change = {
                    let dispatcher = dispatcher.clone();
                    move |text| dispatcher.dispatch(Action::Edited(slot, text))
                };
                let on_line = move |line, is_asked| {
                    let line = Line { slot, line };
                    dispatcher.dispatch(if is_asked {
                        Action::AskedLine(line)
                    } else {
                        Action::AtLine(line)
                    });
                };
                let mounted = Editor::mount(&parent, slot, store.state.texts.get(slot), on_change, on_line);
                *editor.borrow_mut() = Some(Rc::new(mounted));
            }
            move || *editor.borrow_mut() = None
        });
    }
    let open = state.open_tab(slot.side()) == slot;
    {
        let text = state.texts.get(slot).to_owned();
        let editor = Rc::clone(&editor);
        use_effect_with(state.epoch, move |_| describe(&editor, |mounted| mounted.set_text(&text)));
    }
    {
        let editor = Rc::clone(&editor);
        use_effect_with((squiggles(state, slot), state.epoch), move |(list, _)| {
            describe(&editor, |mounted| mounted.diagnose(list));
        });
    }
    {
        let editor = Rc::clone(&editor);
        let ranges = state.marks(slot);
        let status = state.mark_status();
        let scrolled = use_mut_ref(|| 0);
        // Where somebody points at a line, the text under the pointer stays.
        let stays = state.line.is_some_and(|line| line.slot == slot)
            && state.pointed.as_ref().is_none_or(|pointed| pointed.key == LINE);
        use_effect_with(
            (ranges, status, state.scroll, state.view, open, state.epoch),
            move |(ranges, status, scroll, ..)| {
                let new = std::mem::replace(&mut *scrolled.borrow_mut(), *scroll) != *scroll;
                describe(&editor, |mounted| {
                    mounted.shown();
                    mounted.mark(ranges, status, new && !stays);
                });
            },
        );
    }
    {
        let editor = Rc::clone(&editor);
        use_effect_with(state.reveal.filter(|reveal| reveal.slot == slot), move |reveal| {
            if let Some(reveal) = reveal {
                describe(&editor, |mounted| mounted.reveal(reveal.from));
            }
        });
    }
    html! { <div class="field" ref={place} hidden={!open} role="tabpanel" id={format!("field-{}", slot.key())} aria-label={slot.title()} /> }
}

/// Does something with the editor if it is there; cloned, so that it may call back into the page meanwhile.
fn describe(editor: &Rc<std::cell::RefCell<Option<Rc<Editor>>>>, work: impl FnOnce(&Editor)) {
    let mounted = editor.borrow().clone();
    if let Some(mounted) = mounted {
        work(&mounted);
    }
}

/// More squiggles than this help nobody.
const MOST: usize = 500;
/// Hints of one of them.
const MOST_HINTS: usize = 10;

/// The squiggles of a slot: diagnostics and refused policies.
fn squiggles(state: &State, slot: Slot) -> Vec<Squiggle> {
    let Some(output) = &state.verdict.output else { return Vec::new() };
    let here = |input: &str| Slot::of_input(input) == Some(slot);
    let said = state.problems().filter_map(|diagnostic| {
        let range = diagnostic.range.as_ref().filter(|range| here(&range.input))?;
        Some(Squiggle {
            from: range.from,
            to: range.to,
            severity: diagnostic.severity.clone(),
            message: words(diagnostic),
        })
    });
    // Where a diagnostic says it already, it is not said twice.
    let is_said = |refused: &&Refused| {
        let within = |said: &Range, range: &Range| {
            (&said.input, said.index) == (&range.input, range.index)
                && range.from <= said.from
                && said.to <= range.to
        };
        let described = |said: &Diagnostic| {
            said.severity == "error"
                && said
                    .range
                    .as_ref()
                    .zip(refused.range.as_ref())
                    .is_some_and(|(said, range)| within(said, range))
        };
        output.diagnostics.iter().take(MOST).any(described)
    };
    let refused =
        output.refused.iter().take(MOST).filter(|refused| !is_said(refused)).filter_map(|refused| {
            let range = refused.range.as_ref().filter(|range| here(&range.input))?;
            Some(Squiggle {
                from: range.from,
                to: range.to,
                severity: "error".to_owned(),
                message: long::sentence(&refused.reason).into_owned(),
            })
        });
    said.chain(refused).take(MOST).collect()
}

/// The message with its hints.
fn words(diagnostic: &Diagnostic) -> String {
    let mut words = long::sentence(&diagnostic.message).into_owned();
    for hint in diagnostic.hints.iter().take(MOST_HINTS) {
        words.push('\n');
        words.push_str(&long::sentence(hint));
    }
    words
}
