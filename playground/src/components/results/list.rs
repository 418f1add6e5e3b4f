//! The results: by resource, then policy and rule; refused policies first; why nothing matched.
//!
//! In: the last output. Out: a chosen verdict, whose lines the editors mark.

use engine::wire::{ObjectRef, Output, PolicyResult, Refused, Schedule};
use yew::{Callback, Html, classes, html};

use super::rule_row;
use crate::app::Handle;
use crate::components::{problems, status};
use crate::state::{Action, Chosen, Tab, full_name};

/// Resources shown at once; the engine's counts above are of all.
const MOST: usize = 300;

/// The tab's content.
pub(super) fn list(store: &Handle, output: &Output) -> Html {
    let groups = by_resource(&output.results);
    let surplus = groups.len().saturating_sub(MOST);
    html! {
        <>
            { for output.refused.iter().map(|refused| refusal(store, refused)) }
            { for output.schedules.iter().map(|schedule| due(store, schedule)) }
            { for groups.into_iter().take(MOST).map(|(resource, results)| group(store, resource, &results)) }
            if surplus > 0 { <p class="empty">{ format!("{surplus} more resources are not shown") }</p> }
            if output.results.is_empty() && output.refused.is_empty() { <p class="empty">{ empty(output) }</p> }
        </>
    }
}

/// Results of the same resource together, in the order in which resources first appear.
fn by_resource(results: &[PolicyResult]) -> Vec<(&ObjectRef, Vec<&PolicyResult>)> {
    let mut groups: Vec<(&ObjectRef, Vec<&PolicyResult>)> = Vec::new();
    for result in results {
        let same = |other: &ObjectRef| {
            full_name(other) == full_name(&result.resource) && other.range == result.resource.range
        };
        match groups.iter_mut().find(|(resource, _)| same(resource)) {
            Some((_, members)) => members.push(result),
            None => groups.push((&result.resource, vec![result])),
        }
    }
    groups
}

fn group(store: &Handle, resource: &ObjectRef, results: &[&PolicyResult]) -> Html {
    let rules = results.iter().flat_map(|result| &result.rules).map(|rule| rule.status.as_str());
    let worst = status::worst(&rules);
    html! {
        <article class="group">
            <h3>{ status::mark(worst) }<span class="sr">{ worst }{ ": " }</span>{ full_name(resource) }</h3>
            { for results.iter().map(|result| html! {
                <>
                    { for result.rules.iter().map(|rule| rule_row::row(store, result, rule)) }
                    { effect(result) }
                    { unmatched(store, result) }
                    { patched(store, result) }
                </>
            }) }
        </article>
    }
}

/// What the verdict means for a request, where it is not simply admitted.
fn effect(result: &PolicyResult) -> Html {
    let words = match result.effect.as_str() {
        "deny" => "In a cluster: refused.",
        "warn" => "In a cluster: admitted with a warning.",
        "report" => "In a cluster: admitted, and the failure reported.",
        _ => return Html::default(),
    };
    html! { <p class="effect">{ words }</p> }
}

/// Why a policy said nothing; a click marks the lines that refused.
fn unmatched(store: &Handle, result: &PolicyResult) -> Html {
    if !result.rules.is_empty() || result.patched.is_some() {
        return Html::default();
    }
    let why = result.no_match.as_ref().map(|why| format!(": {why}"));
    let chosen = store.state.chosen.as_ref().is_some_and(|chosen| chosen.is(result, None));
    let choose = {
        let store = store.clone();
        let choice = Chosen::of(result, None, true);
        Callback::from(move |_| store.dispatch(Action::Chose(choice.clone())))
    };
    html! {
        <div class={classes!("rule", "unmatched", "is-none", chosen.then_some("chosen"))}>
            <button type="button" class="choose" aria-pressed={chosen.to_string()} onclick={choose}>
                { status::mark("none") }
                <span class="name">{ &result.policy.name }{ ": no rule matched" }{ why }</span>
            </button>
            if !result.steps.is_empty() { <p class="where">{ rule_row::why(store, result, None) }</p> }
        </div>
    }
}

/// That a policy changed the resource, and the way to what it made of it.
fn patched(store: &Handle, result: &PolicyResult) -> Html {
    if result.patched.is_none() {
        return Html::default();
    }
    let show = {
        let store = store.clone();
        Callback::from(move |_| store.dispatch(Action::ShowedResultTab(Tab::Mutated)))
    };
    html! {
        <p class="effect">{ &result.policy.name }{ " changes the resource. " }<button type="button" class="plain" onclick={show}>{ "Show the change" }</button></p>
    }
}

fn refusal(store: &Handle, refused: &Refused) -> Html {
    html! {
        <article class="group">
            <h3>{ status::mark("error") }{ refused.policy.clone() }{ ": refused" }</h3>
            <div class="refused">
                <p class="message">{ refused.reason.clone() }</p>
                { refused.range.as_ref().map(|range| problems::place(store, range)) }
            </div>
        </article>
    }
}

/// When a cleanup policy is due.
fn due(store: &Handle, schedule: &Schedule) -> Html {
    let next: Vec<String> =
        schedule.next.iter().map(|moment| moment.replace('T', " ").replace('Z', " UTC")).collect();
    let when = if next.is_empty() { "never: this is no schedule".to_owned() } else { next.join(", then ") };
    html! {
        <article class="group">
            <h3>{ status::mark("none") }{ &schedule.policy.name }{ ": cleans up at " }<code>{ &schedule.schedule }</code></h3>
            <p class="effect">
                { "Next: " }{ when }{ ". " }
                if !schedule.propagation.is_empty() { { "Dependents: " }{ &schedule.propagation }{ ". " } }
                { schedule.policy.range.as_ref().map(|range| problems::place(store, range)) }
            </p>
        </article>
    }
}

fn empty(output: &Output) -> &'static str {
    if output.loaded.policies == 0 {
        "No policy to evaluate: put a Kyverno policy into Policies, or open a sample."
    } else if output.loaded.resources == 0 {
        "No resource to judge: put a Kubernetes resource into Resources."
    } else {
        "No rule matched any of the resources."
    }
}
