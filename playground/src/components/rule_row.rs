//! One verdict: status, rule, message, where it was made; a click marks its lines in both editors.

use engine::wire::{PolicyResult, RuleResult};
use yew::{Callback, Html, classes, html};

use super::{problems, status};
use crate::app::Handle;
use crate::state::{Action, Chosen};

/// The row.
pub(crate) fn row(store: &Handle, result: &PolicyResult, rule: &RuleResult) -> Html {
    let chosen = store.state.chosen.as_ref().is_some_and(|chosen| chosen.is(result, rule));
    let choose = {
        let store = store.clone();
        let choice = Chosen::of(result, rule, true);
        Callback::from(move |_| store.dispatch(Action::Chose(choice.clone())))
    };
    let first = |ranges: &[engine::wire::Range]| ranges.first().map(|range| problems::place(store, range));
    html! {
        <div class={classes!("rule", format!("is-{}", rule.status), chosen.then_some("chosen"))}>
            <button type="button" class="choose" aria-pressed={chosen.to_string()} onclick={choose}>
                { status::mark(&rule.status) }
                <span class="word">{ rule.status.clone() }</span>
                <span class="name">{ result.policy.name.clone() }{ " / " }<wbr />{ rule.rule.clone() }</span>
            </button>
            if !rule.message.is_empty() { <p class="message">{ rule.message.clone() }</p> }
            <p class="where">
                if let Some(original) = &rule.autogen {
                    <span class="chip" title={format!("Kyverno made this rule of “{original}” for controllers of Pods")}>{ "autogen" }</span>
                }
                { for rule.exceptions.iter().map(|name| html! { <span class="chip">{ "exception " }{ name.clone() }</span> }) }
                { first(&rule.policy_ranges) }
                if !rule.policy_ranges.is_empty() && !rule.resource_ranges.is_empty() { <span aria-hidden="true">{ "↔" }</span> }
                { first(&rule.resource_ranges) }
            </p>
            { for rule.generated.iter().map(|yaml| html! {
                <details class="more"><summary>{ "generated" }</summary><pre tabindex="0">{ yaml.clone() }</pre></details>
            }) }
        </div>
    }
}
