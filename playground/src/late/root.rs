//! The roots of the views: one a place, drawn anew when the page gives something new.
//!
//! In: `draw` and `erase` of the page. Out: the view by its name.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Element;
use web_sys::js_sys::Function;
use yew::{AppHandle, Html, Properties, Renderer, component, html};

use crate::desk::Desk;
use crate::given::Given;
use crate::{compare, edits, mesh, mutated, sieve};

/// What a view gets.
#[derive(Clone, Properties)]
pub(crate) struct ViewProps {
    pub(crate) given: Rc<Given>,
    pub(crate) desk: Desk,
}

impl PartialEq for ViewProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.given, &other.given)
    }
}

thread_local! {
    /// The places that are drawn, each with its root.
    static ROOTS: RefCell<Vec<(Element, AppHandle<View>)>> = const { RefCell::new(Vec::new()) };
}

/// Draws a view, or gives it something new.
#[wasm_bindgen]
#[expect(unreachable_pub, reason = "JavaScript reaches it")]
pub fn draw(place: Element, json: &str, on_ask: Function) {
    let Ok(described) = serde_json::from_str::<Given>(json) else { return };
    let props = ViewProps { given: Rc::new(described), desk: Desk::new(on_ask) };
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
    match props.given.view.as_str() {
        "sieve" => html! { <sieve::Sieve ..props /> },
        "compare" => html! { <compare::Compare ..props /> },
        "mesh" => html! { <mesh::Mesh ..props /> },
        "mutated" => props.given.mutated.as_ref().map_or_else(Html::default, mutated::mutated),
        "edits" | "others" => html! { <edits::Edits ..props /> },
        _ => Html::default(),
    }
}
