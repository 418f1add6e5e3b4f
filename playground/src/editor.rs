//! The one seam to JavaScript's editors: `www/js/editor.js`, CodeMirror behind eight functions; it loads when one is seen.
//!
//! In: a text, squiggles, marked lines. Out: the text after each edit. Positions are UTF-16 units, as the engine's
//! `wire` gives them.

use engine_lenses::wire::Range;
use serde::Serialize;
use wasm_bindgen::prelude::{Closure, JsValue, wasm_bindgen};
use web_sys::HtmlElement;

use crate::slot::Slot;

#[wasm_bindgen(raw_module = "./editor.js")]
extern "C" {
    fn mount(
        parent: &HtmlElement,
        label: &str,
        example: &str,
        text: &str,
        on_change: &Closure<dyn FnMut(String)>,
        on_line: &Closure<dyn FnMut(u32, bool)>,
    ) -> JsValue;
    #[wasm_bindgen(js_name = setText)]
    fn set_text(editor: &JsValue, text: &str);
    fn diagnose(editor: &JsValue, json: &str);
    fn mark(editor: &JsValue, json: &str, status: &str, scroll: bool);
    fn reveal(editor: &JsValue, from: u32);
    fn shown(editor: &JsValue);
    fn unmount(editor: &JsValue);
    fn rewrite(label: &str, text: &str) -> bool;
    #[wasm_bindgen(js_name = wrap)]
    fn turn_wrap() -> bool;
    #[wasm_bindgen(js_name = isWrapped)]
    fn has_wrap() -> bool;
    #[wasm_bindgen(js_name = askLine)]
    fn ask_about_line();
}

/// Asks about the line with the cursor, in the editor that had the keyboard last.
pub(crate) fn ask_line() {
    ask_about_line();
}

/// Writes another text into the editor with this label, as one step to undo; whether it is there by now.
pub(crate) fn rewrite_text(label: &str, text: &str) -> bool {
    rewrite(label, text)
}

/// Wraps long lines in all editors, or no longer.
pub(crate) fn wrap() {
    turn_wrap();
}

/// Whether long lines are wrapped.
pub(crate) fn is_wrapped() -> bool {
    has_wrap()
}

/// A mounted editor; it leaves the page when it is dropped.
pub(crate) struct Editor {
    mounted: JsValue,
    /// Keeps alive what JavaScript calls.
    _on_change: Closure<dyn FnMut(String)>,
    _on_line: Closure<dyn FnMut(u32, bool)>,
}

/// A squiggle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Squiggle {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) severity: String,
    pub(crate) message: String,
}

impl Editor {
    /// Puts the editor of a slot into an element. `on_line` hears the line of the cursor when it is another one, and when
    /// somebody asks about it.
    pub(crate) fn mount(
        parent: &HtmlElement,
        slot: Slot,
        text: &str,
        on_change: impl FnMut(String) + 'static,
        on_line: impl FnMut(u32, bool) + 'static,
    ) -> Self {
        let (on_change, on_line) = (Closure::new(on_change), Closure::new(on_line));
        let mounted = mount(parent, slot.title(), slot.example(), text, &on_change, &on_line);
        Self { mounted, _on_change: on_change, _on_line: on_line }
    }

    pub(crate) fn set_text(&self, text: &str) {
        set_text(&self.mounted, text);
    }

    pub(crate) fn diagnose(&self, squiggles: &[Squiggle]) {
        diagnose(&self.mounted, &json(&squiggles));
    }

    /// Marks the lines of these ranges in the colour of a status.
    pub(crate) fn mark(&self, ranges: &[Range], status: &str, scroll: bool) {
        let places: Vec<Place> =
            ranges.iter().map(|range| Place { from: range.from, to: range.to }).collect();
        mark(&self.mounted, &json(&places), status, scroll);
    }

    /// Moves cursor and keyboard to a place.
    pub(crate) fn reveal(&self, from: u32) {
        reveal(&self.mounted, from);
    }

    /// To be called after the editor was hidden.
    pub(crate) fn shown(&self) {
        shown(&self.mounted);
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        unmount(&self.mounted);
    }
}

#[derive(Serialize)]
struct Place {
    from: u32,
    to: u32,
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "[]".to_owned())
}
