//! The narrowest exemption for a refused workload, in every form that can be had, written into its text on demand.
//!
//! In: the texts and the workload. Out: changes of the exceptions or the policies.

use engine_lenses::wire::{Range, SieveFunnel, SieveInput, SieveNarrow, SieveOutput};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::{Callback, Html, Properties, TargetCast as _, component, html, use_state};

use crate::desk::Change;
use crate::engine::{question, use_answer};
use crate::parts::{self, Changes, prose, yaml};
use crate::root::ViewProps;
use crate::status;
use crate::words::funnel as w;

#[derive(Clone, Properties)]
pub(crate) struct NarrowProps {
    pub(crate) view: ViewProps,
    pub(crate) changes: Changes,
    pub(crate) funnel: SieveFunnel,
}

impl PartialEq for NarrowProps {
    fn eq(&self, _: &Self) -> bool {
        false
    }
}

/// The button, and what came of it.
#[component]
pub(crate) fn Narrow(props: &NarrowProps) -> Html {
    let wanted = use_state(|| false);
    let exact = use_state(|| false);
    let ends = use_state(|| 0);
    let expires = w::ENDS.get(*ends).map(|(value, _)| (*value).to_owned()).filter(|value| !value.is_empty());
    let exact_images = *exact;
    let input = question(&props.view.given.input, |input| {
        let ask = Some("narrow".to_owned());
        serde_json::to_string(&SieveInput { ask, input, expires, exact_images, ..SieveInput::default() })
    });
    let answer = use_answer::<SieveOutput>("narrow", "sieve", input.filter(|_| *wanted));
    if !*wanted {
        let show = Callback::from(move |_| wanted.set(true));
        return html! { <p><button type="button" class="apply main" onclick={show}>{ w::NARROW }</button></p> };
    }
    let tick = {
        let exact = exact.clone();
        Callback::from(move |event: yew::Event| {
            exact.set(event.target_unchecked_into::<HtmlInputElement>().checked());
        })
    };
    let choose = {
        let ends = ends.clone();
        Callback::from(move |event: yew::Event| {
            let at = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
            ends.set(usize::try_from(at).unwrap_or(0));
        })
    };
    let options = w::ENDS.iter().enumerate();
    html! {
        <div class="narrow">
            <div class="choices">
                <label><input type="checkbox" checked={*exact} onchange={tick} />{ " " }{ w::EXACT }</label>
                <label>{ w::EXPIRES }<select onchange={choose}>{ for options.map(|(at, (_, name))| html! { <option selected={at == *ends}>{ *name }</option> }) }</select></label>
            </div>
            { parts::answered(&answer, |found| described(props, found)) }
        </div>
    }
}

fn described(props: &NarrowProps, found: &SieveOutput) -> Html {
    let funnel = &props.funnel;
    let is_of = |one: &&SieveNarrow| {
        one.policy == funnel.policy
            && one.rule == funnel.rule
            && parts::full_name(&one.resource) == parts::full_name(&funnel.resource)
    };
    let mut forms: Vec<&SieveNarrow> = found.narrowest.iter().filter(is_of).collect();
    forms.sort_by_key(|one| one.admits.len());
    let forms: Vec<Html> = forms.into_iter().enumerate().map(|(at, one)| form(props, one, at == 0)).collect();
    if forms.is_empty() {
        html! { <p class="empty">{ w::NO_NARROW }</p> }
    } else {
        html! { <>{ for forms }</> }
    }
}

fn form(props: &NarrowProps, one: &SieveNarrow, is_first: bool) -> Html {
    let change = if one.form == "exception" {
        Some(Change::Added("exceptions", one.object.clone()))
    } else {
        // The policy as the texts have it: the narrowest changes it.
        policy_range(props, &one.policy).map(|range| Change::Object(range, one.object.clone()))
    };
    let look = if one.admits.is_empty() { "pass" } else { "warn" };
    html! {
        <details class="object form" open={is_first}>
            <summary><h5>{ status::mark(look) }{ w::form(&one.form) }</h5></summary>
            <div class="inside">
                { yaml(&one.change) }
                <p class="remedy">
                    <span>{ w::shuts_out(one.refuses.len(), one.admits.len()) }</span>
                    { change.map(|change| props.changes.button(w::write(&one.form), "", change)).unwrap_or_default() }
                </p>
                if !one.admits.is_empty() { <ul class="names">{ for one.admits.iter().map(|name| html! { <li>{ prose(name) }</li> }) }</ul> }
                { for one.notes.iter().map(|note| html! { <p class="sub">{ prose(note) }</p> }) }
            </div>
        </details>
    }
}

/// Where the policy of this name stands: the text of the policies is looked through for it.
fn policy_range(props: &NarrowProps, name: &str) -> Option<Range> {
    let text = props.view.given.input.policies.first()?;
    let mut from = 0;
    for line in text.text.split_inclusive('\n') {
        let value = line.trim().strip_prefix("name:").map(|value| value.trim().trim_matches(['"', '\'']));
        if value == Some(name) {
            let input = "policies".to_owned();
            return Some(Range { input: input.into(), from, ..Range::default() });
        }
        from += u32::try_from(line.encode_utf16().count()).ok()?;
    }
    None
}
