//! The sieve: each exemption with those who get in through it and the change that shuts them out; below it the funnel of what
//! is refused.
//!
//! In: the texts. Out: changes of them.

use engine_lenses::wire::{SieveAttack, SieveExemption, SieveInput, SieveOutput, SievePod};
use std::collections::BTreeMap;
use web_sys::HtmlInputElement;
use yew::{Callback, Event, Html, TargetCast, classes, component, html, use_state};

use crate::desk::{Change, Desk};
use crate::engine::{question, use_answer};
use crate::long;
use crate::parts::{self, Changes, comparison, full_name, place, prose, use_changes};
use crate::root::ViewProps;
use crate::words::{self, sieve as w};
use crate::{funnel, status};

/// Exemptions, and attackers of one change, shown at once.
const MOST: usize = 100;
const MOST_ATTACKS: usize = 40;

/// Which Pods somebody ticked, or unticked, by their keys.
type Ticks = BTreeMap<String, bool>;
/// What happens on a tick.
type Tick = Callback<(String, bool)>;

/// The view.
#[component]
pub(crate) fn Sieve(props: &ViewProps) -> Html {
    let ticks = use_state(Ticks::default);
    let input = question(&props.given.input, |input| {
        let named = |wanted: bool| {
            ticks.iter().filter(move |(_, is_meant)| **is_meant == wanted).map(|(key, _)| key.clone())
        };
        let (meant_for, not_meant_for) = (named(true).collect(), named(false).collect());
        serde_json::to_string(&SieveInput { input, meant_for, not_meant_for, ..SieveInput::default() })
    });
    let tick = {
        let ticks = ticks.clone();
        Callback::from(move |(key, is_meant): (String, bool)| {
            let mut next = (*ticks).clone();
            next.insert(key, is_meant);
            ticks.set(next);
        })
    };
    let answer = use_answer::<SieveOutput>("check", "sieve", input);
    let changes = use_changes(&props.desk, &props.given.input);
    let found = answer.last.as_ref().and_then(|last| last.as_ref().ok());
    let is_empty = found.is_some_and(|found| found.exemptions.is_empty());
    let class = classes!("sieve", (!answer.is_new).then_some("outdated"));
    html! {
        <div {class} aria-busy={(!answer.is_new).to_string()}>
            { changes.bar() }
            <section>
                <h3>{ w::TITLE }</h3>
                { parts::answered(&answer, |found| described(&props.desk, &changes, &tick, found)) }
            </section>
            if found.is_some() {
                // A funnel that is wanted from the first: where there is no exemption yet, it is the question.
                <funnel::Funnels ..funnel::FunnelsProps { view: props.clone(), changes: changes.clone(), is_open: is_empty } />
            }
        </div>
    }
}

fn described(desk: &Desk, changes: &Changes, tick: &Tick, found: &SieveOutput) -> Html {
    if found.exemptions.is_empty() {
        return html! { <p class="empty">{ w::NONE }</p> };
    }
    let wide = found.exemptions.iter().filter(|one| one.status == "wide").count();
    let first_wide = found.exemptions.iter().position(|one| one.status == "wide").unwrap_or(0);
    let shown = found.exemptions.iter().take(MOST).enumerate();
    html! {
        <>
            <p class="sub">{ w::summary(found.exemptions.len(), wide, found.tried) }</p>
            { for shown.map(|(at, one)| exemption(desk, changes, tick, one, at == first_wide)) }
            { for found.diagnostics.iter().filter(|said| said.code == "limit").map(|said| html! { <p class="sub">{ long::said(&said.message) }</p> }) }
        </>
    }
}

/// The status of a verdict that looks like that of an exemption.
fn looks(status: &str) -> &'static str {
    match status {
        "wide" => "fail",
        "narrow" => "pass",
        "idle" => "skip",
        _ => "none",
    }
}

fn exemption(desk: &Desk, changes: &Changes, tick: &Tick, one: &SieveExemption, is_open: bool) -> Html {
    let look = looks(&one.status);
    let mark = one.range.clone().map(|range| {
        let desk = desk.clone();
        Callback::from(move |_| desk.mark(std::slice::from_ref(&range)))
    });
    html! {
        <details class={classes!("object", format!("is-{look}"))} open={is_open}>
            <summary onclick={mark}>
                <h4>{ status::mark(look) }<span>{ prose(&one.text) }</span></h4>
                <span class="reaches">{ w::width(&one.status, one.width) }</span>
            </summary>
            <div class="inside">
                <p class="sub">{ w::kind(&one.kind) }{ " · " }{ full_name(&one.owner) }if !one.rule.is_empty() { { " · " }{ one.rule.clone() } }{ " " }{ place(desk, one.range.as_ref()) }</p>
                { meant_for(desk, tick, one) }
                { for one.notes.iter().map(|note| html! { <p class="sub">{ prose(note) }</p> }) }
                if one.attacks.is_empty() && matches!(one.status.as_str(), "narrow" | "wide") { <p>{ w::NOBODY }</p> }
                { for groups(&one.attacks).into_iter().map(|group| remedy(desk, changes, one, &group)) }
                { not_listed(one) }
                { kept_out(one) }
            </div>
        </details>
    }
}

/// The Pods that get in, each with a box that says whether the exemption is meant for it.
fn meant_for(desk: &Desk, tick: &Tick, one: &SieveExemption) -> Html {
    if one.legitimate.is_empty() && one.strangers.is_empty() {
        return Html::default();
    }
    let row = |pod: &SievePod| {
        let name =
            html! { <>{ full_name(&pod.resource) }{ " " }{ place(desk, pod.resource.range.as_ref()) }</> };
        if pod.made {
            return html! { <li>{ name }{ w::MADE }</li> };
        }
        let onchange = {
            let (tick, key) = (tick.clone(), pod.key.clone());
            Callback::from(move |event: Event| {
                let is_meant = event.target_unchecked_into::<HtmlInputElement>().checked();
                tick.emit((key.clone(), is_meant));
            })
        };
        html! {
            <li>
                <label><input type="checkbox" checked={pod.doubt.is_empty()} {onchange} />{ " " }{ name }</label>
                if !pod.doubt.is_empty() { <span class="quiet">{ " — " }{ prose(&pod.doubt) }</span> }
            </li>
        }
    };
    html! {
        <>
            <p>{ w::MEANT_FOR }</p>
            <ul class="meant">{ for one.legitimate.iter().chain(&one.strangers).map(row) }</ul>
        </>
    }
}

/// The attackers by the change that shuts them out, in the order in which they come.
fn groups(attacks: &[SieveAttack]) -> Vec<Vec<&SieveAttack>> {
    let mut groups: Vec<Vec<&SieveAttack>> = Vec::new();
    let remedy = |attack: &SieveAttack| attack.tightening.as_ref().map(|found| found.text.clone());
    for attack in attacks {
        let same = |group: &&mut Vec<&SieveAttack>| {
            group.first().is_some_and(|first| remedy(first) == remedy(attack))
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(attack),
            None => groups.push(vec![attack]),
        }
    }
    // What a single change cannot shut out comes last.
    groups.sort_by_key(|group| group.first().is_none_or(|first| first.tightening.is_none()));
    groups
}

/// Attackers and the change that shuts them out.
fn remedy(desk: &Desk, changes: &Changes, one: &SieveExemption, group: &[&SieveAttack]) -> Html {
    let Some(first) = group.first() else { return Html::default() };
    let head = first.tightening.as_ref().map_or_else(
        || html! { <p class="remedy">{ w::NO_REMEDY }</p> },
        |found| {
            let change = match (&found.edit, &one.owner.range) {
                (Some(edit), _) => Some(Change::Stretch(edit.range.clone(), edit.text.clone())),
                (None, Some(range)) => Some(Change::Object(range.clone(), found.object.clone())),
                (None, None) => None,
            };
            html! {
                <>
                    { for found.notes.iter().map(|note| html! { <p class="sub">{ status::mark("warn") }{ " " }{ prose(note) }</p> }) }
                    <p class="remedy">
                        <span>{ w::shuts_out(group.len()) }{ prose(&found.text) }{ " " }{ place(desk, found.range.as_ref()) }</span>
                        { change.map(|change| changes.button(words::APPLY, &found.text, change)).unwrap_or_default() }
                    </p>
                </>
            }
        },
    );
    html! {
        <div class="group-of">
            { head }
            <ul class="attacks">{ for group.iter().take(MOST_ATTACKS).map(|attack| attacker(attack)) }</ul>
            if group.len() > MOST_ATTACKS { <p class="sub">{ w::more(group.len() - MOST_ATTACKS) }</p> }
        </div>
    }
}

fn attacker(attack: &SieveAttack) -> Html {
    let is_anyone = attack.who == "anyone";
    html! {
        <li>
            <details class="attack">
                <summary>
                    { status::mark(if is_anyone { "fail" } else { "warn" }) }
                    <span class="family">{ attack.family.clone() }</span>
                    <span class="what">{ prose(&attack.text) }if !is_anyone { <span class="quiet">{ " — " }{ w::PUBLISHER }</span> }</span>
                </summary>
                { comparison(&attack.diff) }
                if let Some(user) = &attack.user { <p class="sub">{ user.clone() }{ for attack.groups.iter().map(|group| format!(", {group}")) }</p> }
                if !attack.refusal.is_empty() { <p class="message"><span class="quiet">{ w::WITHOUT }</span>{ long::said(&attack.refusal) }</p> }
            </details>
        </li>
    }
}

/// Attackers that get in and have no row: the engine lists some of each family.
fn not_listed(one: &SieveExemption) -> Html {
    let more = one.families.iter().filter_map(|family| {
        let listed = one.attacks.iter().filter(|attack| attack.family == family.name).count();
        let more = (family.admitted as usize).saturating_sub(listed);
        (more > 0).then_some((more, family.name.as_str()))
    });
    let more: Vec<(usize, &str)> = more.collect();
    let counted = one.attacks.iter().filter(|attack| attack.who == "anyone").count();
    if more.is_empty() {
        Html::default()
    } else {
        html! { <p class="sub">{ w::not_listed(&more, (one.width as usize).saturating_sub(counted)) }</p> }
    }
}

/// The families of which nobody got in.
fn kept_out(one: &SieveExemption) -> Html {
    let kept: Vec<String> = one
        .families
        .iter()
        .filter(|family| family.tried > family.admitted)
        .map(|family| format!("{} ({})", family.title, family.tried - family.admitted))
        .collect();
    if kept.is_empty() {
        Html::default()
    } else {
        html! { <p class="sub">{ w::KEPT_OUT }{ kept.join(", ") }</p> }
    }
}
