//! What *Why* says of the chosen verdict when it has come: the line under the cursor, the smallest edits that would make the
//! rule pass, each to be put into the resource, all steps, and why no other rule of the policy is for it.
//!
//! In: the texts, the chosen verdict, a line. Out: changes of the resources. Asked of the chosen resource alone.

use engine_lenses::wire::{Edit, ExplainInput, ExplainOutput, Explanation, Range};
use std::rc::Rc;

use yew::{Callback, Html, component, hook, html, use_effect_with};

use crate::desk::Change;
use crate::engine::{question, use_answer};
use crate::given::Chosen;
use crate::line::{Asked, Line};
use crate::parts::{Changes, answered, full_name, place, prose, use_changes, yaml};
use crate::root::ViewProps;
use crate::steps;
use crate::words::{self, edits as w};

/// Rules listed at once.
const MOST: usize = 50;

/// The view.
#[component]
pub(crate) fn Edits(props: &ViewProps) -> Html {
    let rule = props.given.chosen.as_ref().map(|chosen| chosen.rule.clone()).filter(|rule| !rule.is_empty());
    let resource = props.given.chosen.as_ref().map(Chosen::object);
    let asked = ExplainInput { rule, resource: resource.clone(), ..ExplainInput::default() };
    let input = question(&props.given.input, |input| serde_json::to_string(&ExplainInput { input, ..asked }));
    let is_refused = props.given.view == "edits";
    let answer = use_answer::<ExplainOutput>("edits", "explain", input.filter(|_| is_refused));
    let changes = use_changes(&props.desk, &props.given.input);
    let content = if !is_refused {
        Html::default()
    } else if answer.last.is_none() {
        html! { <p class="sub">{ w::SEARCHING }</p> }
    } else {
        answered(&answer, |found| {
            let chosen = props.given.chosen.as_ref();
            let explanation =
                chosen.and_then(|chosen| found.explanations.iter().find(|one| is_of(one, chosen)));
            explanation.map(|one| described(props, &changes, one)).unwrap_or_default()
        })
    };
    let asked = ExplainInput { resource, no_edits: true, reads: true, ..ExplainInput::default() };
    let input = question(&props.given.input, |input| serde_json::to_string(&ExplainInput { input, ..asked }));
    let all =
        use_answer::<ExplainOutput>("others", "explain", input.filter(|_| props.given.chosen.is_some()));
    let found = all.last.as_ref().and_then(|last| last.as_ref().ok()).filter(|_| all.is_new);
    use_sentence(props, found.map(Rc::as_ref));
    // A line is that of the text which was explained.
    let line = found.and_then(|found| Asked::of(&props.given, &found.explanations));
    let has_steps = found.is_none_or(|found| found.explanations.iter().any(|one| !one.steps.is_empty()));
    html! {
        <div class="edits" aria-busy={(!answer.is_new && is_refused || !all.is_new).to_string()}>
            if let (Some(found), Some(asked)) = (found, line.clone()) {
                <Line desk={props.desk.clone()} found={Rc::clone(found)} {asked} />
            }
            { changes.bar() }
            { content }
            { found.map(|found| all_steps(props, found, line.as_ref())).unwrap_or_default() }
            { found.map(|found| why_not(props, found)).unwrap_or_default() }
            if line.is_none() && has_steps { <p class="sub">{ crate::words::line::HINT }</p> }
        </div>
    }
}

/// Gives the page the sentence about the chosen verdict, which stands above what decided.
#[hook]
fn use_sentence(props: &ViewProps, found: Option<&ExplainOutput>) {
    let chosen = props.given.chosen.as_ref();
    let sentence = chosen.zip(found).and_then(|(chosen, found)| {
        let one = found.explanations.iter().find(|one| is_of(one, chosen))?;
        Some([chosen.policy.as_str(), &chosen.rule, &chosen.resource, &one.sentence].join("\n"))
    });
    let desk = props.desk.clone();
    use_effect_with(sentence, move |sentence| {
        if let Some(sentence) = sentence {
            desk.because(sentence);
        }
    });
}

/// All steps of the chosen rule; of a policy without a rule for the resource, of all that was tried.
fn all_steps(props: &ViewProps, found: &ExplainOutput, line: Option<&Asked>) -> Html {
    let Some(chosen) = &props.given.chosen else { return Html::default() };
    let is_chosen = |(_, one): &(usize, &Explanation)| {
        is_of(one, chosen) || (chosen.rule.is_empty() && full_name(&one.policy) == chosen.policy)
    };
    let tree = |(at, one): (usize, &Explanation)| {
        if one.steps.is_empty() {
            return Html::default();
        }
        let known = line.map_or(&[][..], |line| line.steps_of(at));
        let deciding = one.deciding.iter().filter_map(|at| one.steps.get(*at as usize));
        html! {
            <>
                if props.given.is_large { <ul class="deciding">{ for deciding.map(|step| steps::row(&props.desk, step, 0, false)) }</ul> }
                { steps::tree(&props.desk, one, known) }
            </>
        }
    };
    found.explanations.iter().enumerate().filter(is_chosen).take(MOST).map(tree).collect()
}

/// The rules of the policy that are not for the resource, each with what keeps it from it.
fn why_not(props: &ViewProps, found: &ExplainOutput) -> Html {
    let Some(chosen) = &props.given.chosen else { return Html::default() };
    let is_other = |one: &&Explanation| {
        one.verdict == "noMatch"
            && !one.rule.is_empty()
            && one.rule != chosen.rule
            && full_name(&one.policy) == chosen.policy
            && full_name(&one.resource) == chosen.resource
    };
    let row = |one: &Explanation| {
        let step = one.deciding.first().and_then(|at| one.steps.get(*at as usize));
        let ranges: Vec<Range> = step
            .iter()
            .flat_map(|step| step.policy_range.iter().chain(&step.resource_range))
            .cloned()
            .collect();
        let mark = (!ranges.is_empty()).then(|| {
            let (desk, ranges) = (props.desk.clone(), ranges.clone());
            Callback::from(move |_| desk.mark(&ranges))
        });
        html! {
            <details>
                <summary onclick={mark}>{ one.rule.clone() }</summary>
                <p class="sub">{ prose(&one.sentence) }{ for ranges.iter().map(|range| html! { <>{ " " }{ place(&props.desk, Some(range)) }</> }) }</p>
            </details>
        }
    };
    let rows: Vec<Html> = found.explanations.iter().filter(is_other).take(MOST).map(row).collect();
    if rows.is_empty() {
        Html::default()
    } else {
        html! { <><h3>{ w::WHY_NOT }</h3>{ for rows }</> }
    }
}

fn is_of(one: &Explanation, chosen: &Chosen) -> bool {
    let rule = if one.rule == chosen.rule { Some(&one.rule) } else { one.autogen.as_ref() };
    rule.is_some_and(|rule| *rule == chosen.rule)
        && full_name(&one.policy) == chosen.policy
        && full_name(&one.resource) == chosen.resource
}

fn described(props: &ViewProps, changes: &Changes, one: &Explanation) -> Html {
    // What fails with an error may lie in the rule alone: then there is nothing to say.
    let may_pass = matches!(one.verdict.as_str(), "fail" | "warn") || !one.edits.is_empty();
    if !may_pass {
        return Html::default();
    }
    let Some(range) = one.resource.range.as_ref().filter(|_| !one.edits.is_empty()) else {
        return html! { <p class="sub">{ if one.steps.is_empty() { w::NO_STEPS } else { w::NONE } }</p> };
    };
    let is_many = one.edits.len() > 1;
    let row = |edit: &Edit| {
        let after = edit.after.as_ref().map_or_else(|| w::GOES.to_owned(), Clone::clone);
        let change = Change::Fields(range.clone(), vec![edit.clone()]);
        html! {
            <li>
                <p class="remedy">
                    <span><code>{ edit.path.clone() }</code>{ ": " }<b>{ after }</b>{ edit.before.as_ref().map(|before| format!(" {}", w::before(before))) }{ " " }{ place(&props.desk, edit.range.as_ref()) }</span>
                    { changes.button(words::APPLY, &edit.path, change) }
                </p>
                if !edit.yaml.is_empty() { { yaml(&edit.yaml) } }
            </li>
        }
    };
    html! {
        <>
            <h3>{ if is_many { w::TITLE_MANY } else { w::TITLE } }</h3>
            <p class="sub">{ w::TRIED }</p>
            <ul>{ for one.edits.iter().map(row) }</ul>
            if is_many { <p class="inside">{ changes.button(w::APPLY_ALL, "", Change::Fields(range.clone(), one.edits.clone())) }</p> }
        </>
    }
}
