//! One verdict: status, rule, message, where it was made; a click marks its lines in both editors.

use engine_lenses::wire::{PolicyResult, RuleResult};
use yew::{Callback, Html, classes, html};

use crate::app::Handle;
use crate::components::{long, problems, status};
use crate::state::{Action, Chosen, Tab};
use crate::words::results::verdicts as words;

/// Warnings and exceptions of one rule that are drawn unasked.
const FEW: usize = 20;

/// The row.
pub(crate) fn row(store: &Handle, result: &PolicyResult, rule: &RuleResult) -> Html {
    let chosen = store.state.chosen.as_ref().is_some_and(|chosen| chosen.is(result, Some(rule)));
    let choose = {
        let store = store.clone();
        let choice = Chosen::of(result, Some(rule), true);
        Callback::from(move |_| store.dispatch(Action::Chose(choice.clone())))
    };
    // A policy in CEL has no rules: the original gives its name for one.
    let is_whole = rule.rule.is_empty()
        || rule.rule.as_str() == result.policy.name
            && !matches!(result.policy.kind.as_str(), "ClusterPolicy" | "Policy");
    let first =
        |ranges: &[engine_lenses::wire::Range]| ranges.first().map(|range| problems::place(store, range));
    html! {
        <div class={classes!("rule", format!("is-{}", rule.status), chosen.then_some("chosen"))}>
            <button type="button" class="choose" aria-pressed={chosen.to_string()} onclick={choose}>
                { status::mark(&rule.status) }
                <span class="word">{ rule.status.as_str() }</span>
                <span class="name">{ result.policy.name.clone() }if !is_whole { { " / " }<wbr />{ rule.rule.as_str() } }</span>
            </button>
            if !rule.message.is_empty() { <p class="message">{ long::said(&rule.message) }</p> }
            { for rule.note.iter().map(|note| html! { <p class="note">{ words::fate(rule) }{ long::said(note) }</p> }) }
            { long::rows(rule.warnings.iter().map(|warning| html! {
                <p class="caution is-warn">{ status::mark("warn") }<span><span class="sr">{ words::CAUTION }</span>{ long::said(warning) }</span></p>
            }), FEW) }
            <p class="where">
                if let Some(original) = &rule.autogen {
                    <span class="chip" title={words::made_of(original)}>{ words::AUTOGEN }</span>
                }
                { long::rows(rule.exceptions.iter().map(|name| html! { <span class="chip">{ words::EXCEPTION }{ name.clone() }</span> }), FEW) }
                { first(&rule.policy_ranges) }
                if !rule.policy_ranges.is_empty() && !rule.resource_ranges.is_empty() { <span aria-hidden="true">{ "↔" }</span> }
                { first(&rule.resource_ranges) }
                { why(store, result, Some(rule)) }
                if !rule.generated.is_empty() { { generated(store, rule.generated.len()) } }
            </p>
        </div>
    }
}

/// The way to the steps.
pub(super) fn why(store: &Handle, result: &PolicyResult, rule: Option<&RuleResult>) -> Html {
    let ask = {
        let (store, choice) = (store.clone(), Chosen::of(result, rule, true));
        Callback::from(move |event: yew::MouseEvent| {
            event.stop_propagation();
            store.dispatch(Action::AskedWhy(choice.clone()));
        })
    };
    html! { <button type="button" class="plain" onclick={ask}>{ words::WHY }</button> }
}

/// The way to what the rule made.
fn generated(store: &Handle, count: usize) -> Html {
    let show = {
        let store = store.clone();
        Callback::from(move |_| store.dispatch(Action::ShowedResultTab(Tab::Generated)))
    };
    html! { <button type="button" class="plain" onclick={show}>{ words::generated(count) }</button> }
}
