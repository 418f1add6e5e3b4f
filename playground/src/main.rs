//! The page: policies and resources in, verdicts beside them while one types.
//!
//! In: a link, a sample or what the reader types. Out: the DOM below `#app`. The engine runs in a worker (`worker`),
//! the text fields are CodeMirror (`editor`); everything else is a pure reducer (`state`) and views of it.

mod reader;
mod slot;
mod words;

mod texts;

mod samples;

mod state;

mod commands;

mod files;
mod link;
mod profile;
mod storage;

mod editor;
mod worker;

mod browser;
mod components;

mod address;
mod app;

fn main() {
    if let Some(place) = browser::document().and_then(|document| document.get_element_by_id("app")) {
        // The words that stand there while the page loads give way.
        place.set_text_content(None);
        yew::Renderer::<app::App>::with_root(place).render();
    }
}
