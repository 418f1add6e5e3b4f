//! The results: by resource, then policy and rule; refused policies first; why nothing matched.
//!
//! In: the last output. Out: a chosen verdict, whose lines the editors mark.

use engine_lenses::wire::{Output, PolicyResult, Refused, RuleResult, Schedule};
use yew::{Callback, Html, classes, html};

use super::rule_row;
use crate::app::Handle;
use crate::components::{long, problems, status};
use crate::slot::Slot;
use crate::state::{Action, Chosen, Filter, Tab, by_resource, full_name};
use crate::words::results::verdicts as words;

/// Resources shown at once; the engine's counts above are of all.
const MOST: usize = 100;
/// Rules shown at once.
const MOST_RULES: usize = 400;

/// The verdicts that the filter takes.
pub(super) fn list(store: &Handle, output: &Output, filter: &Filter) -> Html {
    let wanted = |at: &usize| {
        let result = output.results.get(*at)?;
        let rules: Vec<&RuleResult> = result.rules.iter().filter(|rule| filter.takes(result, rule)).collect();
        let is_wanted = !rules.is_empty() || result.rules.is_empty() && filter.takes_silence(result);
        is_wanted.then_some((result, rules))
    };
    let groups = by_resource(&output.results).into_iter();
    let mut groups: Vec<Vec<(&PolicyResult, Vec<&RuleResult>)>> =
        groups.map(|group| group.iter().filter_map(wanted).collect()).collect();
    let is_silent = |group: &[(&PolicyResult, Vec<&RuleResult>)]| {
        group.iter().all(|(result, rules)| rules.is_empty() && result.patched.is_none())
    };
    groups.retain(|group: &Vec<_>| !group.is_empty() && (!filter.is_unmatched() || is_silent(group)));
    let groups = pressing_first(groups, |group| {
        group.iter().flat_map(|(_, rules)| rules).map(|rule| weight(rule)).min().unwrap_or(2)
    });
    // Rules of the groups before, so that a few resources under very many rules are no more than many resources.
    let rules = |group: &[(&PolicyResult, Vec<&RuleResult>)]| -> usize {
        group.iter().map(|(_, rules)| rules.len()).sum()
    };
    let before =
        groups.iter().scan(0_usize, |before, group| Some(std::mem::replace(before, *before + rules(group))));
    let shown = before.take(MOST).take_while(|before| *before < MOST_RULES).count();
    let surplus = groups.len().saturating_sub(shown);
    let is_empty = groups.is_empty() && !output.results.is_empty();
    html! {
        <>
            { long::rows(output.refused.iter().map(|refused| refusal(store, refused)), MOST) }
            { long::rows(output.schedules.iter().map(|schedule| due(store, schedule)), MOST) }
            { for groups.iter().take(shown).map(|results| group(store, results)) }
            if surplus > 0 { <p class="empty">{ words::surplus(surplus) }</p> }
            if is_empty { <p class="empty">{ words::NONE }</p> }
            if output.results.is_empty() && output.refused.is_empty() { <p class="empty">{ empty(store, output) }</p> }
        </>
    }
}

/// Failures first, then warnings, then the rest, each in the order in which they came.
fn pressing_first<T>(all: Vec<T>, weight: impl Fn(&T) -> u8) -> Vec<T> {
    let (mut first, rest): (Vec<T>, Vec<T>) = all.into_iter().partition(|one| weight(one) == 0);
    let (warned, rest): (Vec<T>, Vec<T>) = rest.into_iter().partition(|one| weight(one) == 1);
    first.extend(warned);
    first.extend(rest);
    first
}

fn weight(rule: &RuleResult) -> u8 {
    match rule.status.as_str() {
        "fail" | "error" => 0,
        "warn" => 1,
        _ => 2,
    }
}

fn group(store: &Handle, results: &[(&PolicyResult, Vec<&RuleResult>)]) -> Html {
    let rules = results.iter().flat_map(|(_, rules)| rules).map(|rule| rule.status.as_str());
    let name = results.first().map(|(result, _)| full_name(&result.resource));
    let worst = status::worst(&rules);
    html! {
        <article class="group">
            <h3>{ status::mark(worst) }<span class="sr">{ worst }{ ": " }</span>{ name }</h3>
            { long::rows(results.iter().map(|(result, rules)| html! {
                <>
                    { long::rows(rules.iter().map(|rule| rule_row::row(store, result, rule)), MOST) }
                    { effect(result) }
                    { unmatched(store, result) }
                    { in_cluster(store, result) }
                    { patched(store, result) }
                </>
            }), MOST) }
        </article>
    }
}

/// What the verdict means for a request, where it is not simply admitted; what a cluster would say instead has its own line.
fn effect(result: &PolicyResult) -> Html {
    words::effect(&result.effect)
        .filter(|_| result.in_cluster.is_none())
        .map_or_else(Html::default, |effect| html! { <p class="effect">{ effect }</p> })
}

/// That a cluster decides otherwise, and the way to its verdicts.
fn in_cluster(store: &Handle, result: &PolicyResult) -> Html {
    let Some(said) = &result.in_cluster else { return Html::default() };
    let show = {
        let store = store.clone();
        Callback::from(move |_| store.dispatch(Action::ChoseHost("cluster")))
    };
    html! {
        <p class="effect in-cluster">{ long::said(said) }{ " " }<button type="button" class="plain" onclick={show}>{ words::SHOW_CLUSTER }</button></p>
    }
}

/// Why a policy said nothing; a click marks the lines that refused.
fn unmatched(store: &Handle, result: &PolicyResult) -> Html {
    if !result.rules.is_empty() || result.patched.is_some() {
        return Html::default();
    }
    let is_unknown = result.effect == words::UNKNOWN;
    let silence = if is_unknown { words::UNDECIDED } else { words::SILENT };
    let why = result.no_match.as_ref().map(|why| html! { <>{ ": " }{ problems::described(why) }</> });
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
                <span class="name">{ &result.policy.name }{ silence }{ why }</span>
            </button>
            if !is_unknown {
                <p class="where">{ rule_row::why(store, result, None) }</p>
            }
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
        <p class="effect">{ &result.policy.name }{ words::CHANGES }<button type="button" class="plain" onclick={show}>{ words::SHOW_CHANGE }</button></p>
    }
}

fn refusal(store: &Handle, refused: &Refused) -> Html {
    html! {
        <article class="group">
            <h3>{ status::mark("error") }{ refused.policy.clone() }{ words::REFUSED }</h3>
            <div class="refused">
                <p class="message">{ long::said(&refused.reason) }</p>
                { refused.range.as_ref().map(|range| problems::place(store, range)) }
            </div>
        </article>
    }
}

/// When a cleanup policy is due.
fn due(store: &Handle, schedule: &Schedule) -> Html {
    let next: Vec<String> =
        schedule.next.iter().map(|moment| moment.replace('T', " ").replace('Z', words::UTC)).collect();
    let when = if next.is_empty() { words::NEVER.to_owned() } else { next.join(words::THEN) };
    html! {
        <article class="group">
            <h3>{ status::mark("none") }{ &schedule.policy.name }{ words::CLEANS_UP }<code>{ &schedule.schedule }</code></h3>
            <p class="effect">
                { words::NEXT }{ when }{ ". " }
                if !schedule.propagation.is_empty() { { words::DEPENDENTS }{ &schedule.propagation }{ ". " } }
                { schedule.policy.range.as_ref().map(|range| problems::place(store, range)) }
            </p>
        </article>
    }
}

/// Why there is no verdict at all: a text is missing, or cannot be used and the first problem in it says why.
fn empty(store: &Handle, output: &Output) -> Html {
    let unusable = |slot: Slot, words: &'static str| {
        store.state.verdict.first_error(slot).map(|said| {
            let place = said.range.as_ref().map(|range| problems::place(store, range));
            html! { <>{ words }{ problems::said(said) }{ " " }{ place }</> }
        })
    };
    if output.loaded.policies == 0 {
        unusable(Slot::Policy, words::UNUSABLE_POLICY).unwrap_or_else(|| html! { words::NO_POLICY })
    } else if output.loaded.resources == 0 {
        unusable(Slot::Resource, words::UNUSABLE_RESOURCE).unwrap_or_else(|| html! { words::NO_RESOURCE })
    } else {
        html! { words::NO_MATCH }
    }
}
