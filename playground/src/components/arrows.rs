//! Tabs by keyboard: where the arrow keys lead from the open one.

use web_sys::KeyboardEvent;

/// The tab beside the open one in the direction of the key; `None` for other keys and beyond the ends.
pub(crate) fn beside<'a, T: PartialEq>(event: &KeyboardEvent, tabs: &'a [T], open: &T) -> Option<&'a T> {
    let at = tabs.iter().position(|tab| tab == open).unwrap_or(0);
    match event.key().as_str() {
        "ArrowRight" => tabs.get(at + 1),
        "ArrowLeft" => tabs.get(at.wrapping_sub(1)),
        _ => None,
    }
}
