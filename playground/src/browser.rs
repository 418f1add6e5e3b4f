//! Small questions to the browser, each with a quiet answer where it has none.
//!
//! Example: `browser::page_url()` is the page's address without query and fragment.

use wasm_bindgen::JsCast as _;
use web_sys::{Document, Element, HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition, Window};

/// A text in small letters. The browser has the tables for those beyond ASCII: of our own they would weigh 5 kB.
pub(crate) fn lowercase(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    #[cfg(target_arch = "wasm32")]
    return web_sys::js_sys::JsString::from(text).to_lower_case().into();
    #[cfg(not(target_arch = "wasm32"))]
    text.to_lowercase()
}

pub(crate) fn window() -> Option<Window> {
    web_sys::window()
}

pub(crate) fn document() -> Option<Document> {
    window()?.document()
}

/// The root element, which carries the theme.
pub(crate) fn root() -> Option<Element> {
    document()?.document_element()
}

/// The element with this id.
pub(crate) fn by_id(id: &str) -> Option<HtmlElement> {
    document()?.get_element_by_id(id)?.dyn_into().ok()
}

/// Puts the keyboard into the element with this id.
pub(crate) fn focus(id: &str) {
    if let Some(element) = by_id(id) {
        // An element that cannot take the keyboard leaves it where it is.
        drop(element.focus());
    }
}

/// The page's address without query and fragment.
pub(crate) fn page_url() -> String {
    let parts = || {
        let location = window()?.location();
        Some(location.origin().ok()? + &location.pathname().ok()?)
    };
    parts().unwrap_or_default()
}

/// The fragment, with its `#`.
pub(crate) fn fragment() -> String {
    window().and_then(|window| window.location().hash().ok()).unwrap_or_default()
}

/// The query before the fragment, with its `?`.
pub(crate) fn query() -> String {
    window().and_then(|window| window.location().search().ok()).unwrap_or_default()
}

/// Tells the styles that the page stands inside another one.
pub(crate) fn mark_embedded() {
    if let Some(root) = root() {
        // An attribute of ours on our own element: the browser has no reason to refuse.
        drop(root.set_attribute("data-embed", ""));
    }
}

/// Shows `light` or `dark`, or what the system has.
pub(crate) fn show_theme(theme: Option<&str>) {
    if let Some(root) = root() {
        // An attribute of ours on our own element: the browser has no reason to refuse.
        drop(match theme {
            Some(theme) => root.set_attribute("data-theme", theme),
            None => root.remove_attribute("data-theme"),
        });
    }
}

/// Brings an element of a list into view.
pub(crate) fn scroll_to(id: &str) {
    if let Some(element) = by_id(id) {
        let options = ScrollIntoViewOptions::new();
        options.set_block(ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// Brings a tab into its strip, which a phone may have to move sideways.
pub(crate) fn scroll_along(id: &str) {
    if let Some(element) = by_id(id) {
        let options = ScrollIntoViewOptions::new();
        options.set_block(ScrollLogicalPosition::Nearest);
        options.set_inline(ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// What has the keyboard.
pub(crate) fn focused() -> Option<HtmlElement> {
    document()?.active_element()?.dyn_into().ok()
}

/// The milliseconds of this month: a number that no other tab begins with.
pub(crate) fn moment() -> u32 {
    let now = web_sys::js_sys::Date::new_0();
    let seconds = ((now.get_date() * 24 + now.get_hours()) * 60 + now.get_minutes()) * 60 + now.get_seconds();
    seconds.saturating_mul(1_000).saturating_add(now.get_milliseconds())
}

/// Whether the screen is too narrow for three columns; the same width as in layout.css.
pub(crate) fn is_narrow() -> bool {
    let query = || window()?.match_media("(max-width: 899px)").ok()?;
    query().is_some_and(|list| list.matches())
}

/// The height of the screen in pixels, which no window exceeds; that of a large one where the browser does not say. To be asked for
/// the window's, a browser lays the page out at once.
pub(crate) fn height() -> usize {
    let screen = window().and_then(|window| window.screen().ok());
    let height = screen.and_then(|screen| usize::try_from(screen.height().ok()?).ok());
    height.filter(|height| *height > 0).unwrap_or(1_440)
}

/// The same for an element that the next drawing brings.
pub(crate) fn focus_later(id: &str) {
    let id = id.to_owned();
    gloo_timers::callback::Timeout::new(0, move || focus(&id)).forget();
}

/// Whether the keyboard is in something that takes text.
pub(crate) fn is_typing() -> bool {
    let focused = document().and_then(|document| document.active_element());
    focused.is_some_and(|element| {
        matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
            || element.get_attribute("contenteditable").is_some_and(|value| value == "true")
    })
}
