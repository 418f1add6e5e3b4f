//! What a view may do on the page: change a text in its editor, take that back, mark lines, go to a place.
//!
//! In: texts and ranges. Out: the editors of `www/js/editor.js` changed, so that each change can be undone there as well.

use engine_lenses::wire::{Input, Range, RewriteInput, Text};
use gloo_timers::callback::Timeout;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use web_sys::js_sys::Function;
use yew::Callback;

use crate::line::Answer;
use crate::slot::Slot;
use crate::{engine, words};

/// How often, and after how many milliseconds, an editor is looked for that has only just been asked for.
const TRIES: u32 = 40;
const MILLIS: u32 = 50;

#[wasm_bindgen(raw_module = "../editor.js")]
extern "C" {
    fn rewrite(label: &str, text: &str) -> bool;
    #[wasm_bindgen(js_name = takeBack)]
    fn take_back(label: &str);
}

/// The way to the page.
#[derive(Clone)]
pub(crate) struct Desk {
    on_ask: Function,
}

/// A change of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    /// A stretch in UTF-16 units, and what stands there instead.
    Stretch(Range, String),
    /// What the document at this place says afterwards, as YAML.
    Object(Range, String),
    /// Fields of the document at this place.
    Fields(Range, Vec<engine_lenses::wire::Edit>),
    /// A further document, in this input.
    Added(&'static str, String),
    /// All of this input.
    Whole(&'static str, String),
}

impl Change {
    /// Whether the worker has cut what would be written (`engine/wasm/src/answer.rs`), so that it is not whole.
    fn is_cut(&self) -> bool {
        let is_cut = |text: &str| text.contains(words::CUT.0) && text.trim_end().ends_with(words::CUT.1);
        match self {
            Self::Stretch(_, text) | Self::Object(_, text) | Self::Added(_, text) | Self::Whole(_, text) => {
                is_cut(text)
            }
            Self::Fields(_, edits) => edits.iter().any(|edit| edit.after.as_deref().is_some_and(is_cut)),
        }
    }

    /// The input that changes.
    fn slot(&self) -> Option<Slot> {
        let (Self::Stretch(range, _) | Self::Object(range, _) | Self::Fields(range, _)) = self else {
            let (Self::Added(input, _) | Self::Whole(input, _)) = self else { return None };
            return Slot::of_input(input);
        };
        Slot::of_input(&range.input)
    }
}

impl Desk {
    pub(crate) fn new(on_ask: Function) -> Self {
        Self { on_ask }
    }

    fn ask(&self, ask: &str, text: &str) {
        // The page's answer is what it draws; there is nothing to hear here.
        drop(self.on_ask.call2(&JsValue::NULL, &ask.into(), &text.into()));
    }

    /// Marks lines in the editors.
    pub(crate) fn mark(&self, ranges: &[Range]) {
        self.ask("mark", &serde_json::to_string(ranges).unwrap_or_default());
    }

    /// Marks the lines that belong to the one that is asked about.
    pub(crate) fn show_line(&self, ranges: &[Range]) {
        self.ask("line", &serde_json::to_string(ranges).unwrap_or_default());
    }

    /// Says in short what a line is about; the page looks at its rule from then on.
    pub(crate) fn answer(&self, answer: &Answer<'_>) {
        self.ask("answer", &serde_json::to_string(answer).unwrap_or_default());
    }

    /// Says why a verdict is what it is: policy, rule, resource and the sentence, each in a line of its own.
    pub(crate) fn because(&self, described: &str) {
        self.ask("because", described);
    }

    /// Puts the cursor into a text field.
    pub(crate) fn open(&self, slot: Slot) {
        self.ask("open", slot.input());
        self.go(&Range { input: slot.input().into(), ..Range::default() });
    }

    /// Puts the cursor at a place.
    pub(crate) fn go(&self, range: &Range) {
        self.ask("go", &serde_json::to_string(&[range]).unwrap_or_default());
    }

    /// Makes a change; `done` hears the title of the text field that has changed, or why nothing has.
    pub(crate) fn change(&self, input: &Input, change: Change, done: Callback<Result<&'static str, String>>) {
        let Some(slot) = change.slot() else { return };
        if change.is_cut() {
            return done.emit(Err(words::NOT_WHOLE.to_owned()));
        }
        let text = text_of(input, slot).to_owned();
        let desk = self.clone();
        match change {
            Change::Stretch(range, new) => desk.write(slot, spliced(&text, &range, &new), done),
            Change::Whole(_, text) => desk.write(slot, text, done),
            Change::Added(_, object) => desk.write(slot, appended(&text, &object), done),
            Change::Object(range, object) => {
                let input =
                    RewriteInput { text, at: range.from, object: Some(object), ..RewriteInput::default() };
                desk.rewritten(slot, &input, done);
            }
            Change::Fields(range, edits) => {
                let input = RewriteInput { text, at: range.from, edits, ..RewriteInput::default() };
                desk.rewritten(slot, &input, done);
            }
        }
    }

    /// Asks the engine for the text, then writes it.
    fn rewritten(&self, slot: Slot, input: &RewriteInput, done: Callback<Result<&'static str, String>>) {
        let desk = self.clone();
        let on_reply = Callback::from(move |reply: Result<String, String>| {
            let read = |text: String| {
                serde_json::from_str::<engine_lenses::wire::RewriteOutput>(&text)
                    .map_err(|error| error.to_string())
            };
            match reply.and_then(read) {
                Ok(output) => desk.write(slot, output.text, done.clone()),
                Err(why) => done.emit(Err(why)),
            }
        });
        engine::ask("rewrite", "rewrite", input, on_reply);
    }

    fn write(&self, slot: Slot, text: String, done: Callback<Result<&'static str, String>>) {
        self.ask("open", slot.input());
        write_soon(slot, text, TRIES, done);
    }
}

/// Writes as soon as the editor is there.
fn write_soon(slot: Slot, text: String, tries: u32, done: Callback<Result<&'static str, String>>) {
    if rewrite(slot.title(), &text) {
        done.emit(Ok(slot.title()));
    } else if tries == 0 {
        done.emit(Err(words::NO_EDITOR.to_owned()));
    } else {
        Timeout::new(MILLIS, move || write_soon(slot, text, tries - 1, done)).forget();
    }
}

/// Scrolls to an element that is out of sight.
pub(crate) fn bring_into_view(element: &web_sys::Element) {
    let how = web_sys::ScrollIntoViewOptions::new();
    how.set_block(web_sys::ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&how);
}

/// Takes the last change of the text field with this title back.
pub(crate) fn undo(title: &str) {
    take_back(title);
}

/// The text of an input.
pub(crate) fn text_of(input: &Input, slot: Slot) -> &str {
    let texts: &[Text] = match slot {
        Slot::Policy => &input.policies,
        Slot::Exceptions => &input.exceptions,
        Slot::Resource => &input.resources,
        Slot::OldResource => &input.old_resources,
        Slot::Cluster => &input.cluster_resources,
        Slot::Context | Slot::Config | Slot::Definitions | Slot::ImageData | Slot::NewPolicy => &[],
    };
    texts.first().map_or("", |text| &text.text)
}

/// A text with a stretch replaced; its places are UTF-16 units.
fn spliced(text: &str, range: &Range, new: &str) -> String {
    let units: Vec<u16> = text.encode_utf16().collect();
    let (from, to) = (range.from as usize, range.to as usize);
    let part = |units: Option<&[u16]>| String::from_utf16_lossy(units.unwrap_or_default());
    format!("{}{new}{}", part(units.get(..from)), part(units.get(to..)))
}

/// A text with a further document.
pub(crate) fn appended(text: &str, object: &str) -> String {
    let text = text.trim_end();
    if text.is_empty() { object.to_owned() } else { format!("{text}\n---\n{object}") }
}

#[cfg(test)]
mod tests {
    use super::{appended, spliced};
    use engine_lenses::wire::Range;

    #[test]
    fn places_are_utf_16_units() {
        let range = Range { from: 4, to: 5, ..Range::default() };
        assert_eq!(spliced("😀: a\n", &range, "b"), "😀: b\n");
    }

    #[test]
    fn a_further_document_is_separated() {
        assert_eq!(appended(" \n", "a: 1\n"), "a: 1\n");
        assert_eq!(appended("b: 1\n\n", "a: 1\n"), "b: 1\n---\na: 1\n");
    }
}
