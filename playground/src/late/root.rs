//! The roots of the views: one a place, drawn anew when the page tells something new.
//!
//! In: `draw` and `erase` of the page. Out: the view by its name.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Element;
use web_sys::js_sys::Function;
use yew::{AppHandle, Html, Properties, Renderer, component, html};

use crate::desk::Desk;
use crate::told::Told;
use crate::{edits, mesh, sieve};

/// What a view gets.
#[derive(Clone, Properties)]
pub(crate) struct ViewProps {
    pub(crate) told: Rc<Told>,
    pub(crate) desk: Desk,
}

impl PartialEq for ViewProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.told, &other.told)
    }
}

thread_local! {
    /// The places that are drawn, each with its root.
    static ROOTS: RefCell<Vec<(Element, AppHandle<View>)>> = const { RefCell::new(Vec::new()) };
}

/// Draws a view, or tells it something new.
#[wasm_bindgen]
#[expect(unreachable_pub, reason = "JavaScript reaches it")]
pub fn draw(place: Element, json: &str, on_ask: Function) {
    let Ok(told) = serde_json::from_str::<Told>(json) else { return };
    let props = ViewProps { told: Rc::new(told), desk: Desk::new(on_ask) };
    ROOTS.with_borrow_mut(|roots| {
        if let Some((_, root)) = roots.iter_mut().find(|(known, _)| *known == place) {
            root.update(props);
        } else {
            place.set_text_content(None);
            roots.push((place.clone(), Renderer::<View>::with_root_and_props(place, props).render()));
        }
    });
}

/// To be called when a place has gone.
#[wasm_bindgen]
#[expect(unreachable_pub, reason = "JavaScript reaches it")]
pub fn erase(place: &Element) {
    let gone: Vec<_> =
        ROOTS.with_borrow_mut(|roots| roots.extract_if(.., |(known, _)| known == place).collect());
    for (_, root) in gone {
        root.destroy();
    }
}

/// The view of this name.
#[component]
fn View(props: &ViewProps) -> Html {
    let props = props.clone();
    match props.told.view.as_str() {
        "sieve" => html! { <sieve::Sieve ..props /> },
        "mesh" => html! { <mesh::Mesh ..props /> },
        "edits" | "others" => html! { <edits::Edits ..props /> },
        _ => Html::default(),
    }
}
