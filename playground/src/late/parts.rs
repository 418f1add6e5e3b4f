//! What all views are made of: words with code in them, places, YAML, comparisons, and the line that says what was written.

use std::rc::Rc;

use engine_lenses::wire::{Input, ObjectRef, Range, SieveLine};
use yew::{Callback, Html, UseStateHandle, hook, html, use_state};

use crate::desk::{self, Change, Desk};
use crate::engine::Answer;
use crate::long;
use crate::slot::Slot;
use crate::words;

/// `Pod default/web`; without a namespace `Pod web`; a document of any form has no names but its line.
pub(crate) fn full_name(object: &ObjectRef) -> String {
    if object.kind.is_empty() && object.name.is_empty() {
        return words::payload(object.range.as_ref());
    }
    if object.namespace.is_empty() {
        return format!("{} {}", object.kind, object.name);
    }
    format!("{} {}/{}", object.kind, object.namespace, object.name)
}

/// Text with `code` between backticks.
pub(crate) fn prose(text: &str) -> Html {
    let piece = |(at, piece): (usize, &str)| {
        let piece = piece.to_owned();
        if at % 2 == 1 {
            html! { <code>{ piece }</code> }
        } else {
            html! { piece }
        }
    };
    long::sentence(text).split('`').enumerate().map(piece).collect()
}

/// A button that goes to a line.
pub(crate) fn place(desk: &Desk, range: Option<&Range>) -> Html {
    let Some((range, slot)) = range.and_then(|range| Some((range, Slot::of_input(&range.input)?))) else {
        return Html::default();
    };
    let go = {
        let (desk, range) = (desk.clone(), range.clone());
        Callback::from(move |_| desk.go(&range))
    };
    html! { <button type="button" class="plain place" onclick={go}>{ words::place(slot.title(), range.line) }</button> }
}

/// A text as it stands in a file.
pub(crate) fn yaml(text: &str) -> Html {
    html! { <div class="text"><pre tabindex="0">{ long::file(text.trim_end()) }</pre></div> }
}

/// Lines of a comparison that are drawn unasked.
const MOST_LINES: usize = 200;

/// Lines of two texts.
pub(crate) fn comparison(lines: &[SieveLine]) -> Html {
    let line = |line: &SieveLine| {
        let class = match line.sign.as_str() {
            "+" => "line added",
            "-" => "line removed",
            _ => "line",
        };
        html! { <div {class}><span class="sign">{ line.sign.clone() }</span><code>{ long::sentence(&line.text).into_owned() }</code></div> }
    };
    html! { <div class="diff" role="group">{ long::rows(lines.iter().map(line), MOST_LINES) }</div> }
}

/// What stands there until there is an answer, or in place of one.
pub(crate) fn answered<T>(answer: &Answer<T>, draw: impl FnOnce(&T) -> Html) -> Html {
    match &answer.last {
        None => html! { <p class="empty">{ words::LOADING }</p> },
        Some(Err(why)) => html! { <p class="empty" role="alert">{ long::said(why) }</p> },
        Some(Ok(found)) => draw(found),
    }
}

/// Changes of texts, and the line that says what was written, with the way back.
#[derive(Clone)]
pub(crate) struct Changes {
    desk: Desk,
    input: Rc<Input>,
    said: UseStateHandle<Option<Result<&'static str, String>>>,
}

/// Changes of the texts of this input.
#[hook]
pub(crate) fn use_changes(desk: &Desk, input: &Input) -> Changes {
    Changes { desk: desk.clone(), input: Rc::new(input.clone()), said: use_state(|| None) }
}

impl Changes {
    /// Makes a change.
    pub(crate) fn make(&self, change: Change) {
        let said = self.said.clone();
        self.desk.change(&self.input, change, Callback::from(move |outcome| said.set(Some(outcome))));
    }

    /// A button that makes a change.
    pub(crate) fn button(&self, label: &str, about: &str, change: Change) -> Html {
        let changes = self.clone();
        let apply = Callback::from(move |_| changes.make(change.clone()));
        let name =
            if about.is_empty() { label.to_owned() } else { format!("{label}: {}", about.replace('`', "")) };
        html! { <button type="button" class="apply" aria-label={name} onclick={apply}>{ label.to_owned() }</button> }
    }

    /// What was written last.
    pub(crate) fn bar(&self) -> Html {
        let content = match &*self.said {
            None => Html::default(),
            Some(Err(why)) => html! { <span>{ long::said(why) }</span> },
            Some(Ok(title)) => {
                let (said, title) = (self.said.clone(), *title);
                let undo = Callback::from(move |_| {
                    desk::undo(title);
                    said.set(None);
                });
                html! {
                    <>
                        <span>{ words::written(title) }</span>
                        <button type="button" class="plain" onclick={undo}>{ words::UNDO }</button>
                    </>
                }
            }
        };
        html! { <div class="written" role="status">{ content }</div> }
    }
}
