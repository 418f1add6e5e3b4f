//! What mutate policies made of each resource, as a comparison: side by side where there is room, else one below the
//! other. Styles alone decide which, by the width of the column.
//!
//! In: each object and what each policy made of it (`components/results/mutated.rs`). Out: nothing but what is on screen; which
//! policy's step is shown is the view's own matter.

use web_sys::HtmlSelectElement;
use yew::{Callback, Html, Properties, TargetCast as _, component, html, use_state};

use crate::copy::CopyButton;
use crate::diff::{self, Hunk, Line};
use crate::given::{Drift, DriftOf, Mutated, MutatedObject};
use crate::words::mutated as words;
use crate::{long, status};

/// Larger texts are not compared.
const MOST_BYTES: usize = 400_000;
/// Stretches of a comparison, and lines of each, that are drawn unasked.
const MOST_LINES: usize = 200;
/// Lines of a stretch that is folded.
const FOLDED: usize = 100;

/// The tab's content.
pub(crate) fn mutated(mutated: &Mutated) -> Html {
    html! {
        <>
            { for mutated.objects.iter().map(comparison_of) }
            if mutated.surplus > 0 { <p class="empty">{ words::surplus(mutated.surplus) }</p> }
            { mutated.drift.as_ref().map(drift) }
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
                <b>{ &object.name }</b>{ ": " }
                { fields(words::CHANGED, &object.changed) }
                { fields(words::ADDED, &object.added) }
                { fields(words::REMOVED, &object.removed) }
            </p>
        }
    };
    let ignore = &drift.ignore;
    html! {
        <article class="group made drift">
            <h3>{ status::mark("none") }{ words::DRIFT }</h3>
            { for drift.objects.iter().map(object) }
            if !ignore.is_empty() {
                <p class="sub"><CopyButton text={ignore.clone()} what={words::COPIES_IGNORE} />{ words::IGNORE }</p>
                <div class="text"><pre tabindex="0">{ long::file(ignore) }</pre></div>
            }
        </article>
    }
}

fn comparison_of(object: &MutatedObject) -> Html {
    html! { <Comparison key={object.key.clone()} object={object.clone()} /> }
}

#[derive(PartialEq, Properties)]
struct ComparisonProps {
    object: MutatedObject,
}

#[component]
fn Comparison(props: &ComparisonProps) -> Html {
    let MutatedObject { name, steps, .. } = &props.object;
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
