//! What mutate policies made of each resource, as a comparison: side by side where there is room, else one below the
//! other. Styles alone decide which, by the width of the column.
//!
//! In: the last output. Out: nothing but what is on screen; which policy's step is shown is the view's own matter.

use std::collections::BTreeMap;

use engine::wire::{Drift, DriftOf, ObjectRef, Output, Range};
use web_sys::HtmlSelectElement;
use yew::{Callback, Html, Properties, TargetCast as _, component, html, use_state};

use crate::components::copy::CopyButton;
use crate::components::{long, status};
use crate::diff::{self, Hunk, Line};
use crate::state::full_name;
use crate::words::results::mutated as words;

/// Resources shown at once.
const MOST: usize = 50;
/// Larger texts are not compared.
const MOST_BYTES: usize = 400_000;
/// Stretches of a comparison, and lines of each, that are drawn unasked.
const MOST_LINES: usize = 200;
/// Lines of a stretch that is folded.
const FOLDED: usize = 100;

/// One object and what each policy made of it, in their order.
#[derive(Clone, PartialEq)]
struct Changed {
    /// `Pod default/web`.
    name: String,
    /// Distinguishes objects of the same name.
    range: Option<Range>,
    steps: Vec<Step>,
}

/// One policy's change.
#[derive(Clone, PartialEq)]
struct Step {
    policy: String,
    original: Option<String>,
    patched: String,
}

/// The tab's content.
pub(super) fn mutated(output: &Output) -> Html {
    let changed = changed(output);
    let surplus = changed.len().saturating_sub(MOST);
    html! {
        <>
            { for changed.into_iter().take(MOST).map(comparison_of) }
            if surplus > 0 { <p class="empty">{ words::surplus(surplus) }</p> }
            { for output.drift.iter().map(drift) }
        </>
    }
}

/// What a GitOps tool will see as drift, and what makes Argo CD leave it alone.
fn drift(drift: &Drift) -> Html {
    let fields = |what: &'static str, paths: &[String]| {
        let described =
            if paths.is_empty() { String::new() } else { format!("{what} {}. ", paths.join(", ")) };
        long::said(&described)
    };
    let object = |object: &DriftOf| {
        html! {
            <p class="sub">
                <b>{ full_name(&object.resource) }</b>{ ": " }
                { fields(words::CHANGED, &object.changed) }
                { fields(words::ADDED, &object.added) }
                { fields(words::REMOVED, &object.removed) }
            </p>
        }
    };
    let ignore = &drift.ignore_differences;
    html! {
        <article class="group made drift">
            <h3>{ status::mark("none") }{ words::DRIFT }</h3>
            { for drift.objects.iter().take(MOST).map(object) }
            if !ignore.is_empty() {
                <p class="sub"><CopyButton text={ignore.clone()} what={words::COPIES_IGNORE} />{ words::IGNORE }</p>
                <div class="text"><pre tabindex="0">{ long::file(ignore) }</pre></div>
            }
        </article>
    }
}

fn comparison_of(changed: Changed) -> Html {
    let key = format!("{} {}", changed.name, changed.range.as_ref().map_or(0, |range| range.from));
    html! { <Comparison {key} {changed} /> }
}

/// All objects that changed, in the order of the results.
fn changed(output: &Output) -> Vec<Changed> {
    let mut all: Vec<Changed> = Vec::new();
    let mut places: BTreeMap<(String, Option<(u32, u32)>), usize> = BTreeMap::new();
    let mut add = |resource: &ObjectRef, step: Step| {
        let name = full_name(resource);
        let place = (name.clone(), resource.range.as_ref().map(|range| (range.index, range.from)));
        let at = *places.entry(place).or_insert_with(|| {
            all.push(Changed { name, range: resource.range.clone(), steps: Vec::new() });
            all.len() - 1
        });
        if let Some(changed) = all.get_mut(at) {
            changed.steps.push(step);
        }
    };
    for result in &output.results {
        let policy = &result.policy.name;
        if let Some(patched) = &result.patched {
            let (original, patched) = (result.original.clone(), patched.clone());
            add(&result.resource, Step { policy: policy.clone(), original, patched });
        }
        for (rule, target) in result.rules.iter().filter_map(|rule| Some((rule, rule.target.as_ref()?))) {
            let policy = format!("{policy} / {}", rule.rule);
            let (original, patched) = (target.original.clone(), target.patched.clone());
            add(&target.resource, Step { policy, original, patched });
        }
    }
    all
}

#[derive(PartialEq, Properties)]
struct ComparisonProps {
    changed: Changed,
}

#[component]
fn Comparison(props: &ComparisonProps) -> Html {
    let Changed { name, steps, .. } = &props.changed;
    let shown = use_state(|| 0_usize);
    let choose = {
        let shown = shown.clone();
        Callback::from(move |event: yew::Event| {
            let chosen = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
            shown.set(usize::try_from(chosen).unwrap_or_default());
        })
    };
    // 0 is all of them together, n the n-th alone.
    let one = shown.checked_sub(1).and_then(|at| steps.get(at));
    let original = one.or(steps.first()).and_then(|step| step.original.as_deref());
    let patched = one.or(steps.last()).map_or("", |step| &step.patched);
    html! {
        <article class="group made">
            <h3>{ name }</h3>
            <p class="sub">
                <CopyButton text={patched.to_owned()} what={words::COPIES} />
                { words::BY }
                if let [only] = steps.as_slice() {
                    { &only.policy }
                } else {
                    <select onchange={choose} aria-label={words::whose(name)}>
                        <option>{ words::together(steps.len()) }</option>
                        { for steps.iter().map(|step| html! { <option>{ words::alone(&step.policy) }</option> }) }
                    </select>
                }
            </p>
            <div class="text">
                { original.filter(|original| original.len() + patched.len() <= MOST_BYTES).map_or_else(
                    || html! { <pre tabindex="0">{ long::file(patched) }</pre> },
                    |original| comparison(original, patched),
                ) }
            </div>
        </article>
    }
}

/// Rows of two cells each; narrow columns show them one below the other.
fn comparison(original: &str, patched: &str) -> Html {
    let hunks = diff::diff(original, patched);
    html! {
        <div class="diff" tabindex="0" role="group" aria-label={words::COMPARED}>
            { long::rows(hunks.iter().map(hunk), MOST_LINES) }
        </div>
    }
}

fn hunk(hunk: &Hunk) -> Html {
    match hunk {
        Hunk::Same(lines) => long::rows(lines.iter().map(same), MOST_LINES),
        Hunk::Folded(lines) => html! {
            <details class="fold"><summary>{ words::unchanged(lines.len()) }</summary>{ long::rows(lines.iter().map(same), FOLDED) }</details>
        },
        Hunk::Changed { old, new } => {
            // Lines that were put in the place of others are compared with them, sign by sign.
            let pairs = old.len() == new.len();
            let other =
                |lines: &[Line], at: usize| lines.get(at).filter(|_| pairs).map(|(_, line)| line.clone());
            html! {
                <div class="change">
                    <div class="old">{ long::rows(old.iter().enumerate().map(|(at, line)| differs(line, other(new, at), "removed")), MOST_LINES) }</div>
                    <div class="new">{ long::rows(new.iter().enumerate().map(|(at, line)| differs(line, other(old, at), "added")), MOST_LINES) }</div>
                </div>
            }
        }
    }
}

fn same((before, (after, line)): &(usize, Line)) -> Html {
    let line = long::sentence(line).into_owned();
    html! {
        <div class="same">
            <p class="line before" aria-hidden="true"><span class="no">{ before }</span><span class="sign" /><code>{ line.clone() }</code></p>
            <p class="line"><span class="no">{ after }</span><span class="sign" /><code>{ line }</code></p>
        </div>
    }
}

/// A line of one side, with what the other side has in its place.
fn differs((number, line): &Line, other: Option<String>, what: &'static str) -> Html {
    let line = &*long::sentence(line);
    let (sign, label) = if what == "added" { ("+", words::ADDED) } else { ("−", words::REMOVED) };
    let text = other.map_or_else(
        || html! { line },
        |other| {
            let (start, end) = diff::shared(line, &long::sentence(&other));
            let count = line.chars().count();
            let part =
                |from: usize, to: usize| -> String { line.chars().skip(from).take(to - from).collect() };
            html! { <>{ part(0, start) }<b>{ part(start, count - end) }</b>{ part(count - end, count) }</> }
        },
    );
    html! {
        <p class={yew::classes!("line", what)}><span class="no">{ number }</span><span class="sign" aria-label={label} role="img">{ sign }</span><code>{ text }</code></p>
    }
}
