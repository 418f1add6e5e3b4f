//! The reports that Kyverno would write of what is on screen, as YAML.
//!
//! In: the last answer. Out: another form.

use web_sys::HtmlSelectElement;
use yew::{Callback, Html, TargetCast as _, html};

use crate::app::Handle;
use crate::components::copy::CopyButton;
use crate::components::long;
use crate::state::{Action, Form};
use crate::words::results::made as words;

/// The tab's content.
pub(super) fn report(store: &Handle) -> Html {
    let report = &store.state.report;
    let choose = {
        let store = store.clone();
        Callback::from(move |event: yew::Event| {
            let at = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
            if let Some(form) = usize::try_from(at).ok().and_then(|at| Form::ALL.get(at)) {
                store.dispatch(Action::ChoseForm(*form));
            }
        })
    };
    let option = |form: Form| html! { <option selected={form == report.form}>{ form.title() }</option> };
    let content = match &report.answer {
        None => {
            html! { <p class="empty">{ words::REPORTS_LOAD }</p> }
        }
        Some(Err(why)) => html! { <p class="empty">{ long::said(why) }</p> },
        Some(Ok(text)) => html! {
            <>
                <p class="sub"><CopyButton text={text.to_string()} what={words::COPIES_REPORTS} />{ words::WRITTEN_HERE }</p>
                <div class="text"><pre tabindex="0">{ long::file(text) }</pre></div>
            </>
        },
    };
    html! {
        <div class="made report">
            <div class="controls"><label class="chosen-form">{ words::REPORTS }<select onchange={choose}>{ for Form::ALL.into_iter().map(option) }</select></label></div>
            { content }
        </div>
    }
}
