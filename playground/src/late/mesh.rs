//! The mesh lens: each Pod as it arrives after injection, what the mesh adds to it, and every verdict on it then.
//!
//! In: the texts, a mesh with its version and options. Out: changes of the resources.

use std::collections::BTreeSet;

use engine_lenses::wire::{
    Input, MeshAdded, MeshInput, MeshObject, MeshOutput, Output, Range, RuleResult, Text,
};
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::{Callback, Html, TargetCast as _, UseStateHandle, classes, component, html, use_state};

use crate::desk::Change;
use crate::engine::{question, use_answer};
use crate::long;
use crate::parts::{Changes, answered, full_name, place, prose, use_changes};
use crate::root::ViewProps;
use crate::status;
use crate::words::mesh as w;

/// Objects shown at once.
const MOST: usize = 50;

/// Lines of a Pod shown: a name of line breaks alone has hundreds of thousands, and each would be elements of the page.
const MOST_LINES: usize = 2_000;

/// What is chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Choice {
    /// `istio` or `linkerd`.
    mesh: String,
    /// The release; the newest where it is empty.
    version: String,
    has_cni: bool,
    /// An entry of the kinds of sidecars.
    sidecar: usize,
}

impl Choice {
    /// As `podsieve --mesh` has it: `istio@1.27,cni`.
    fn name(&self) -> String {
        let mesh = if self.mesh.is_empty() { "istio" } else { &self.mesh };
        let version = if self.version.is_empty() { String::new() } else { format!("@{}", self.version) };
        let cni = if self.has_cni { ",cni" } else { "" };
        let sidecar = w::SIDECARS.get(self.sidecar).map_or("", |(option, _)| option);
        let comma = if sidecar.is_empty() { "" } else { "," };
        format!("{mesh}{version}{cni}{comma}{sidecar}")
    }
}

/// The view.
#[component]
pub(crate) fn Mesh(props: &ViewProps) -> Html {
    let choice = use_state(Choice::default);
    let input = &props.given.input;
    let mesh = MeshInput {
        resources: input.resources.clone(),
        cluster_resources: input.cluster_resources.clone(),
        mesh: choice.name(),
    };
    let answer = use_answer::<MeshOutput>("mesh", "mesh", serde_json::to_string(&mesh).ok());
    let found = answer.last.as_ref().and_then(|last| last.as_ref().ok().cloned());
    // The Pods as they arrive, evaluated in the place of the resources; and the resources as they are written.
    let arrived = found.as_ref().map(|found| {
        let pods: Vec<&str> = found.objects.iter().map(|object| object.pod.as_str()).collect();
        pods.join("---\n")
    });
    let evaluated = arrived.filter(|pods| !pods.is_empty()).and_then(|text| {
        question(input, |input| {
            let resources = vec![Text { name: "pods.yaml".to_owned(), text }];
            serde_json::to_string(&Input { resources, ..input })
        })
    });
    let arriving = use_answer::<Output>("arriving", "apply", evaluated);
    let written =
        use_answer::<Output>("written", "apply", question(input, |input| serde_json::to_string(&input)));
    let changes = use_changes(&props.desk, input);
    let verdicts = Verdicts { arriving: last(&arriving), written: last(&written) };
    html! {
        <div class={classes!("mesh", (!answer.is_new).then_some("outdated"))} aria-busy={(!answer.is_new).to_string()}>
            { controls(&choice, found.as_deref()) }
            { changes.bar() }
            { answered(&answer, |found| described(props, &changes, found, &verdicts)) }
        </div>
    }
}

fn last(answer: &crate::engine::Answer<Output>) -> Option<std::rc::Rc<Output>> {
    answer.last.as_ref().and_then(|last| last.as_ref().ok().cloned())
}

/// What the policies say.
struct Verdicts {
    arriving: Option<std::rc::Rc<Output>>,
    written: Option<std::rc::Rc<Output>>,
}

impl Verdicts {
    /// The rules that are for the Pod that came as the object at this place.
    fn of_pod(&self, at: usize, found: &MeshOutput) -> Vec<(String, &RuleResult)> {
        // Which document of the joined text it is: the ranges say by their lines.
        let before: usize = found.objects.iter().take(at).map(|object| object.pod.lines().count() + 1).sum();
        let lines = found.objects.get(at).map_or(0, |object| object.pod.lines().count());
        let is_here = |range: &Option<Range>| {
            range.as_ref().is_some_and(|range| {
                let line = range.line as usize;
                line > before && line <= before + lines
            })
        };
        let output = self.arriving.iter();
        let results =
            output.flat_map(|output| &output.results).filter(|result| is_here(&result.resource.range));
        results
            .flat_map(|result| result.rules.iter().map(|rule| (result.policy.name.clone(), rule)))
            .collect()
    }

    /// The rules that refuse the object as it is written.
    fn refusing_as_written(&self, object: &MeshObject) -> usize {
        let results = self.written.iter().flat_map(|output| &output.results);
        let results = results.filter(|result| full_name(&result.resource) == full_name(&object.resource));
        results.flat_map(|result| &result.rules).filter(|rule| is_refusal(rule)).count()
    }
}

fn is_refusal(rule: &RuleResult) -> bool {
    matches!(rule.status.as_str(), "fail" | "error")
}

fn controls(choice: &UseStateHandle<Choice>, found: Option<&MeshOutput>) -> Html {
    let mesh = if choice.mesh.is_empty() { "istio" } else { &choice.mesh };
    let releases: Vec<String> = found
        .iter()
        .flat_map(|found| found.releases.iter().rev())
        .filter(|release| release.mesh == mesh)
        .map(|release| release.version.clone())
        .collect();
    let set = |change: fn(&mut Choice, usize, bool)| {
        let choice = choice.clone();
        Callback::from(move |event: yew::Event| {
            let mut next = Choice::clone(&choice);
            let element = event.target_unchecked_into::<web_sys::HtmlElement>();
            let at =
                element.clone().dyn_into::<HtmlSelectElement>().map_or(0, |select| select.selected_index());
            let on = element.dyn_into::<HtmlInputElement>().is_ok_and(|input| input.checked());
            change(&mut next, usize::try_from(at).unwrap_or(0), on);
            choice.set(next);
        })
    };
    let choose_version = {
        let (choice, releases) = (choice.clone(), releases.clone());
        Callback::from(move |event: yew::Event| {
            let at = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
            let version =
                usize::try_from(at).ok().and_then(|at| releases.get(at)).cloned().unwrap_or_default();
            choice.set(Choice { version, ..Choice::clone(&choice) });
        })
    };
    let choose_mesh = set(|next, at, _| {
        (if at == 1 { "linkerd" } else { "istio" }).clone_into(&mut next.mesh);
        next.version.clear();
    });
    let shown = found.map(|found| found.release.clone()).unwrap_or_default();
    html! {
        <div class="controls">
            <label>{ w::ARRIVES }
                <select onchange={choose_mesh}>
                    { for ["istio", "linkerd"].map(|name| html! { <option selected={name == mesh}>{ w::name(name) }</option> }) }
                </select>
            </label>
            <select aria-label={w::VERSION} onchange={choose_version}>
                { for releases.iter().map(|name| html! { <option selected={*name == choice.version || choice.version.is_empty() && *name == shown}>{ name.clone() }</option> }) }
            </select>
            <label><input type="checkbox" checked={choice.has_cni} onchange={set(|next, _, on| next.has_cni = on)} />{ " " }{ w::CNI }</label>
            <label>{ w::SIDECAR }
                <select onchange={set(|next, at, _| next.sidecar = at)}>
                    { for w::SIDECARS.iter().enumerate().map(|(at, (_, name))| html! { <option selected={at == choice.sidecar}>{ *name }</option> }) }
                </select>
            </label>
        </div>
    }
}

fn described(props: &ViewProps, changes: &Changes, found: &MeshOutput, verdicts: &Verdicts) -> Html {
    let said = found.diagnostics.iter().filter(|said| said.range.is_none());
    let objects = found.objects.iter().take(MOST).enumerate();
    html! {
        <>
            if !found.note.is_empty() { <p class="sub">{ found.note.clone() }</p> }
            { for said.map(|said| html! { <p class="sub">{ long::said(&said.message) }</p> }) }
            if found.objects.is_empty() { <p class="empty">{ w::NONE }</p> }
            { for objects.map(|(at, one)| object(props, changes, one, (at, &verdicts.of_pod(at, found)), verdicts.refusing_as_written(one))) }
        </>
    }
}

fn object(
    props: &ViewProps,
    changes: &Changes,
    one: &MeshObject,
    (at, rules): (usize, &[(String, &RuleResult)]),
    refused_before: usize,
) -> Html {
    let refusing = rules.iter().filter(|(_, rule)| is_refusal(rule)).count();
    let look = if refusing > 0 || one.outcome == "refused" || !one.gap.is_empty() { "fail" } else { "pass" };
    let is_pod = one.resource.kind == "Pod";
    let warning = (refusing > 0 && refused_before == 0).then(|| {
        if is_pod { w::pod_passes(refusing) } else { w::controller_passes(&one.resource.kind, refusing) }
    });
    html! {
        <details class={classes!("object", format!("is-{look}"))} open={at == 0}>
            <summary>
                <h3>{ status::mark(look) }<span>{ full_name(&one.resource) }</span></h3>
                <span class="reaches">{ w::levels(&one.before, &one.after) }</span>
            </summary>
            <div class="inside">
                if let Some(warning) = warning { <p class="caution warning">{ status::mark("fail") }<span>{ warning }</span></p> }
                if !one.gap.is_empty() { <p class="caution">{ status::mark("warn") }<span>{ prose(&one.gap) }</span></p> }
                <p class="sub">{ w::outcome(&one.outcome) }{ ": " }{ prose(&one.reason) }{ " " }{ place(&props.desk, one.resource.range.as_ref()) }</p>
                { verdicts_of(rules) }
                { added(one) }
                if one.outcome == "injected" {
                    { put(changes, one, is_pod) }
                    <details><summary>{ w::POD }</summary>{ marked(one) }</details>
                }
            </div>
        </details>
    }
}

fn verdicts_of(rules: &[(String, &RuleResult)]) -> Html {
    if rules.is_empty() {
        return html! { <p class="sub">{ w::SILENT }</p> };
    }
    let row = |(policy, rule): &(String, &RuleResult)| {
        html! {
            <li class={format!("is-{}", rule.status)}>
                { status::mark(&rule.status) }
                <span><b>{ rule.status.as_str() }</b>{ " " }{ policy.clone() }{ " / " }{ rule.rule.as_str() }if !rule.message.is_empty() && is_refusal(rule) { <span class="message">{ long::said(&rule.message) }</span> }</span>
            </li>
        }
    };
    html! { <><p>{ w::VERDICTS }</p><ul class="verdicts">{ for rules.iter().map(row) }</ul></> }
}

/// What the mesh adds or changes: its containers, and the rest on demand.
fn added(one: &MeshObject) -> Html {
    if one.added.is_empty() {
        return Html::default();
    }
    let row = |added: &&MeshAdded| html! { <li>{ prose(&added.what) }{ " " }<code class="quiet">{ added.path.clone() }</code></li> };
    let (containers, rest): (Vec<_>, Vec<_>) =
        one.added.iter().partition(|added| added.what.starts_with("container"));
    html! {
        <>
            <p>{ w::ADDED }</p>
            <ul class="names">{ for containers.iter().map(row) }</ul>
            if !rest.is_empty() {
                <details><summary>{ w::rest(rest.len()) }</summary><ul class="names">{ for rest.iter().map(row) }</ul></details>
            }
        </>
    }
}

/// The button that puts the Pod among the resources: in the place of the Pod that it was, or after the others.
fn put(changes: &Changes, one: &MeshObject, is_pod: bool) -> Html {
    let button = match (&one.resource.range, is_pod) {
        (Some(range), true) => changes.button(w::REPLACE, "", Change::Object(range.clone(), one.pod.clone())),
        _ => changes.button(w::PUT, &full_name(&one.resource), Change::Added("resources", one.pod.clone())),
    };
    html! { <p>{ button }</p> }
}

/// The Pod's YAML, with the lines of the mesh marked.
fn marked(one: &MeshObject) -> Html {
    let ranges = one.added.iter().filter_map(|added| added.range.as_ref());
    let added: BTreeSet<u32> = ranges.flat_map(|range| range.line..=range.end_line).collect();
    let line = |(at, line): (usize, &str)| {
        let is_added = u32::try_from(at + 1).is_ok_and(|number| added.contains(&number));
        let sign = if is_added { "+" } else { " " };
        html! { <div class={classes!("line", is_added.then_some("added"))}><span class="sign">{ sign }</span><code>{ long::sentence(line).into_owned() }</code></div> }
    };
    let hidden = one.pod.lines().count().saturating_sub(MOST_LINES);
    html! {
        <>
            <div class="diff" role="group">{ for one.pod.lines().take(MOST_LINES).enumerate().map(line) }</div>
            if hidden > 0 { <p class="sub">{ w::hidden_lines(hidden) }</p> }
        </>
    }
}

#[cfg(test)]
mod tests {
    use super::Choice;

    #[test]
    fn a_choice_is_named_as_in_the_terminal() {
        assert_eq!(Choice::default().name(), "istio");
        let choice =
            Choice { mesh: "linkerd".to_owned(), version: "2.16".to_owned(), has_cni: true, sidecar: 1 };
        assert_eq!(choice.name(), "linkerd@2.16,cni,native");
    }
}
