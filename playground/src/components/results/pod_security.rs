//! Pod Security: each Pod and each maker of Pods against all levels as a table of checks, with the versions of
//! Kubernetes in which the verdict changes.
//!
//! In: the last answer of `psa`. Out: another version, another way to look, a finding's lines in the editor.

use engine_lenses::wire::{PsaCheck, PsaFinding, PsaObject, PsaOutput, PsaStretch};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::{Callback, Html, TargetCast as _, classes, component, html};

use crate::app::Handle;
use crate::components::{StoreProps, long, problems, status};
use crate::state::{Action, Pointed, full_name};
use crate::words::results::security as words;

/// Objects shown at once.
const MOST: usize = 100;
/// The first version with Pod Security Admission.
const OLDEST: u32 = 22;

/// The tab's content.
#[component]
pub(super) fn PodSecurity(props: &StoreProps) -> Html {
    let store = &props.store;
    let content = match &store.state.psa.output {
        None => html! { <p class="empty">{ words::ASKING }</p> },
        Some(output) if output.objects.is_empty() => {
            html! { <p class="empty">{ words::NO_POD }</p> }
        }
        Some(output) => objects(store, output),
    };
    html! { <div class="psa">{ controls(store) }{ content }</div> }
}

fn controls(store: &Handle) -> Html {
    let psa = &store.state.psa;
    let choose = {
        let store = store.clone();
        Callback::from(move |event: yew::Event| {
            let version = event.target_unchecked_into::<HtmlSelectElement>().value();
            store.dispatch(Action::ChosePsaVersion(version));
        })
    };
    let tick = {
        let store = store.clone();
        Callback::from(move |event: yew::Event| {
            let on = event.target_unchecked_into::<HtmlInputElement>().checked();
            store.dispatch(Action::SetPsaAsWritten(on));
        })
    };
    let option = |version: String| {
        let selected = psa.version == version;
        html! { <option value={version.clone()} {selected}>{ version }</option> }
    };
    // The newest that the checks know is the end of every strip.
    let newest = psa.output.as_ref().and_then(|output| output.objects.first()?.strip.last());
    let newest = newest.and_then(|part| part.to.strip_prefix("v1.")?.parse().ok()).unwrap_or(OLDEST);
    let versions = (OLDEST..=newest).rev().map(|minor| format!("v1.{minor}"));
    html! {
        <div class="controls">
            <label>{ words::VERSION }<select onchange={choose}>{ for std::iter::once("latest".to_owned()).chain(versions).map(option) }</select></label>
            <label title={words::ELSE_DEFAULTS}>
                <input type="checkbox" checked={psa.as_written} onchange={tick} />{ words::AS_WRITTEN }
            </label>
        </div>
    }
}

fn objects(store: &Handle, output: &PsaOutput) -> Html {
    let surplus = output.objects.len().saturating_sub(MOST);
    let worst = output.objects.iter().position(|object| object.reaches != "restricted").unwrap_or(0);
    html! {
        <>
            { for output.objects.iter().take(MOST).enumerate().map(|(at, found)| object(store, at, found, at == worst)) }
            if surplus > 0 { <p class="empty">{ words::surplus(surplus) }</p> }
        </>
    }
}

fn object(store: &Handle, at: usize, object: &PsaObject, is_open: bool) -> Html {
    let sign = match object.reaches.as_str() {
        "restricted" => "pass",
        "baseline" => "warn",
        _ => "fail",
    };
    let checks = |fails: bool| object.checks.iter().filter(move |check| is_failure(check) == fails);
    html! {
        <details class="object" key={format!("{at} {}", full_name(&object.resource))} open={is_open}>
            <summary>
                <h3>{ status::mark(sign) }{ full_name(&object.resource) }</h3>
                <span class={classes!("reaches", format!("is-{sign}"))}>{ &object.reaches }</span>
            </summary>
            { strip(&object.strip) }
            { admission(object) }
            <table>
                <thead><tr><th scope="col">{ words::CHECK }</th><th scope="col">{ words::BASELINE }</th><th scope="col">{ words::RESTRICTED }</th></tr></thead>
                <tbody>
                    { for checks(true).map(|check| row(store, at, check)) }
                    { for checks(false).map(|check| row(store, at, check)) }
                </tbody>
            </table>
        </details>
    }
}

fn is_failure(check: &PsaCheck) -> bool {
    check.baseline == "fail" || check.restricted == "fail"
}

/// What the API server says when the object is created, where it says something.
fn admission(object: &PsaObject) -> Html {
    let Some(admission) = &object.admission else { return Html::default() };
    if admission.allowed && admission.warnings.is_empty() {
        return Html::default();
    }
    html! {
        <div class="admission">
            if !admission.allowed { <p>{ status::mark("fail") }<span>{ words::REFUSES }{ long::said(&admission.message) }</span></p> }
            { long::rows(admission.warnings.iter().map(|warning| html! { <p>{ status::mark("warn") }<span>{ words::WARNING }{ long::said(warning) }</span></p> }), MOST) }
        </div>
    }
}

fn row(store: &Handle, at: usize, check: &PsaCheck) -> Html {
    let fails = is_failure(check);
    html! {
        <>
            <tr class={fails.then_some("fails")}>
                <th scope="row" title={check.fields.join("\n")}>{ &check.section }</th>
                { cell(&check.baseline, &check.note) }
                { cell(&check.restricted, &check.note) }
            </tr>
            if fails {
                <tr class="reason"><td colspan="3">
                    <p>{ &check.reason }if !check.detail.is_empty() { { ": " }{ long::said(&check.detail) } }</p>
                    <ul>{ long::rows(check.findings.iter().enumerate().map(|(n, found)| finding(store, &format!("psa/{at}/{}/{n}", check.id), found)), MOST) }</ul>
                </td></tr>
            }
        </>
    }
}

/// One verdict of the table.
fn cell(outcome: &str, note: &str) -> Html {
    match outcome {
        "notApplicable" => {
            let note = if note.is_empty() { words::APART } else { note };
            html! { <td class="apart" title={note.to_owned()}><span aria-hidden="true">{ "–" }</span><span class="sr">{ words::APART_BECAUSE }{ note }</span></td> }
        }
        outcome => {
            html! { <td class={format!("is-{outcome}")}>{ status::mark(outcome) }<span class="word">{ outcome }</span></td> }
        }
    }
}

/// A field at fault; a click marks its lines.
fn finding(store: &Handle, key: &str, finding: &PsaFinding) -> Html {
    let chosen = store.state.pointed.as_ref().is_some_and(|pointed| pointed.key == key);
    let point = {
        let (store, key) = (store.clone(), key.to_owned());
        let ranges: Vec<_> = finding.range.iter().cloned().collect();
        Callback::from(move |_| {
            let pointed = Pointed { key: key.clone(), ranges: ranges.clone(), status: "fail" };
            store.dispatch(Action::Pointed(pointed));
        })
    };
    html! {
        <li class={classes!("step", chosen.then_some("chosen"))}>
            <button type="button" class="content" aria-pressed={chosen.to_string()} onclick={point}>
                <code>{ for long::short(&finding.path).split_inclusive('.').map(|part| html! { <>{ part.to_owned() }<wbr /></> }) }</code>
                if let Some(value) = &finding.value { <code class="value">{ long::short(value).into_owned() }</code> }
                if finding.fault == "missing" { <span class="quiet">{ words::NOT_SET }</span> }
            </button>
            <span class="where">{ finding.range.as_ref().map(|range| problems::place(store, range)) }</span>
        </li>
    }
}

/// The versions from the oldest to the newest, cut where a verdict changes.
fn strip(stretches: &[PsaStretch]) -> Html {
    let [only] = stretches else {
        return html! {
            <div class="strip">
                <p class="quiet">{ words::BY_VERSION }</p>
                <ol>{ for stretches.iter().map(stretch) }</ol>
            </div>
        };
    };
    html! { <p class="sub">{ words::same(&only.from, &only.to) }</p> }
}

fn stretch(part: &PsaStretch) -> Html {
    let level = |name: &'static str, holds: bool| {
        let word = if holds { "pass" } else { "fail" };
        html! { <span class={format!("is-{word}")}>{ status::mark(word) }{ name }<span class="sr">{ ": " }{ word }</span></span> }
    };
    let versions =
        if part.from == part.to { part.from.clone() } else { format!("{} – {}", part.from, part.to) };
    let changes = |what: &str, checks: &[String]| -> Option<String> {
        (!checks.is_empty()).then(|| format!("{what} {}", checks.join(", ")))
    };
    let why: Vec<String> = [changes(words::STARTS, &part.starts), changes(words::STOPS, &part.stops)]
        .into_iter()
        .flatten()
        .collect();
    html! {
        <li>
            <b>{ versions }</b>
            { level("baseline", part.baseline) }
            { level("restricted", part.restricted) }
            if !why.is_empty() { <span class="why-changed">{ why.join("; ") }</span> }
        </li>
    }
}
