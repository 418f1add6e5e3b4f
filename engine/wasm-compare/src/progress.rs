//! How long a search goes on, and who hears how far it has come.
//!
//! In: a function of the caller and a limit. Out: whether to go on. The function is called at most ten times a second: a call costs more than
//! a request.

use js_sys::{Date, Function};
use podsieve::Search;
use wasm_bindgen::prelude::JsValue;

/// Milliseconds between two calls.
const APART: f64 = 100.0;

/// One search after the other.
pub(crate) struct Progress {
    hears: Option<Function>,
    /// When the search ends, in milliseconds since 1970.
    end: f64,
    /// When the function was called last.
    said: f64,
    /// Requests of the searches before, and of this one.
    before: usize,
    tried: usize,
    is_late: bool,
    /// Whether the caller wants no more: then no later search goes on either.
    is_ended: bool,
}

impl Progress {
    /// Before the first search.
    pub(crate) fn new(hears: Option<Function>) -> Self {
        Progress { hears, end: 0.0, said: Date::now(), before: 0, tried: 0, is_late: false, is_ended: false }
    }
}

impl Search for Progress {
    fn begin(&mut self, seconds: f64) {
        self.before = self.before.saturating_add(self.tried);
        self.tried = 0;
        self.is_late = false;
        self.end = Date::now() + seconds * 1_000.0;
    }

    fn goes_on(&mut self, tried: usize) -> bool {
        self.tried = tried;
        let now = Date::now();
        self.is_late |= now >= self.end;
        if now - self.said >= APART
            && let Some(hears) = &self.hears
        {
            self.said = now;
            let tried = u32::try_from(self.before.saturating_add(tried)).unwrap_or(u32::MAX);
            // A function that throws has no use for an answer either; `npm/api.js` throws its error on.
            let heard = hears.call1(&JsValue::NULL, &JsValue::from(tried));
            self.is_ended |= heard.map_or(true, |answer| answer == JsValue::FALSE);
        }
        !self.was_stopped()
    }

    fn was_stopped(&self) -> bool {
        self.is_late || self.is_ended
    }
}
