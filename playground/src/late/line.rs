//! *Why this line?*: what the steps that know the line under the cursor said of the chosen resource.
//!
//! In: the explanations of the resource, and the line. Out: its answer in short, which chooses its rule; the lines that belong to
//! it marked.

use std::rc::Rc;

use engine_lenses::wire::{ExplainOutput, Explanation, Range, Step};
use serde::Serialize;
use web_sys::Element;
use yew::{Html, Properties, component, html, use_effect_with, use_node_ref};

use crate::desk::{self, Desk};
use crate::given::Given;
use crate::parts::{full_name, place, prose};
use crate::slot::Slot;
use crate::status::ORDER;
use crate::steps;
use crate::touch::{self, Touch, Why};
use crate::words::line as w;

/// Steps said of each rule.
const MOST: usize = 12;
/// Rules said of one line of a resource.
const MOST_RULES: usize = 20;
/// Characters of the line that are shown.
const LONGEST: usize = 80;

/// What a line is about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    pub(crate) slot: Slot,
    pub(crate) line: u32,
    /// What stands there.
    pub(crate) text: String,
    pub(crate) touches: Vec<Touch>,
}

impl Asked {
    /// What the page asks about, answered from the explanations of one resource.
    pub(crate) fn of(described: &Given, all: &[Explanation]) -> Option<Self> {
        let (input, line) = described.line.as_ref()?;
        let slot = Slot::of_input(input)?;
        let text = desk::text_of(&described.input, slot);
        let at = usize::try_from(*line).ok()?.checked_sub(1)?;
        let touches = match slot {
            Slot::Resource => touch::of_resource(all, text, *line),
            _ => touch::of_policy(all, input, text, *line).into_iter().collect(),
        };
        let shown: String = text.lines().nth(at).unwrap_or_default().trim().chars().take(LONGEST).collect();
        Some(Self { slot, line: *line, text: shown, touches })
    }

    /// The steps of a rule that know the line.
    pub(crate) fn steps_of(&self, rule: usize) -> &[usize] {
        self.touches.iter().find(|touch| touch.rule == rule).map_or(&[], |touch| &touch.steps)
    }
}

#[derive(Clone, Properties)]
pub(crate) struct LineProps {
    pub(crate) desk: Desk,
    pub(crate) found: Rc<ExplainOutput>,
    pub(crate) asked: Asked,
}

impl PartialEq for LineProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.found, &other.found) && self.asked == other.asked
    }
}

/// The section.
#[component]
pub(crate) fn Line(props: &LineProps) -> Html {
    let LineProps { desk, found, asked } = props;
    let place_of_it = use_node_ref();
    {
        let (desk, found, place_of_it) = (desk.clone(), Rc::clone(found), place_of_it.clone());
        use_effect_with(asked.clone(), move |asked| {
            desk.answer(&answer(asked, &found));
            desk.show_line(&ranges(asked, &found));
            if let Some(element) = place_of_it.cast::<Element>() {
                desk::bring_into_view(&element);
            }
        });
    }
    let rules = asked.touches.iter().take(MOST_RULES);
    html! {
        <section class="line-asked" id="line-asked" tabindex="-1" ref={place_of_it} role="status">
            <h3>{ w::title(asked.slot.title(), asked.line) }{ " " }<code>{ asked.text.clone() }</code></h3>
            if asked.touches.is_empty() { <p>{ w::nobody(asked.slot) }</p> }
            { for rules.filter_map(|touch| Some(of_rule(desk, touch, found.explanations.get(touch.rule)?))) }
            if asked.touches.len() > MOST_RULES { <p class="sub">{ w::more_rules(asked.touches.len() - MOST_RULES) }</p> }
        </section>
    }
}

/// What a line is about, in short; `Answer` of the page's state reads it.
#[derive(Serialize)]
pub(crate) struct Answer<'f> {
    policy: String,
    rule: &'f str,
    verdict: &'f str,
    head: String,
    sentence: String,
    deciding: Vec<&'f Step>,
}

/// The rule that has to do with the line; of several the one that needs attention most.
fn answer<'f>(asked: &Asked, found: &'f ExplainOutput) -> Answer<'f> {
    let rules = asked.touches.iter().filter_map(|touch| Some((touch, found.explanations.get(touch.rule)?)));
    let place =
        |one: &Explanation| ORDER.iter().position(|status| *status == one.verdict).unwrap_or(ORDER.len());
    let Some((touch, one)) = rules.min_by_key(|(_, one)| place(one)) else {
        let (policy, head) = (String::new(), w::title(asked.slot.title(), asked.line));
        let sentence = w::nobody(asked.slot).to_owned();
        return Answer { policy, rule: "", verdict: "", head, sentence, deciding: Vec::new() };
    };
    let others = asked.touches.len() - 1;
    let head = w::of_rule(&one.policy.name, &one.rule, &one.verdict);
    Answer {
        policy: full_name(&one.policy),
        rule: &one.rule,
        verdict: &one.verdict,
        head: if others == 0 { head } else { w::and_more(&head, others) },
        sentence: said(touch, one).unwrap_or_else(|| described(touch, one)),
        deciding: deciding(one).collect(),
    }
}

fn deciding(one: &Explanation) -> impl Iterator<Item = &Step> {
    one.deciding.iter().filter_map(|at| one.steps.get(*at as usize))
}

/// The sentence of the verdict where a step of the line decided; else what the first of them said.
fn described(touch: &Touch, one: &Explanation) -> String {
    let decided = touch.steps.iter().any(|at| one.deciding.iter().any(|place| *place as usize == *at));
    let first = touch.steps.first().and_then(|at| one.steps.get(*at)).filter(|_| !decided);
    first.map_or_else(
        || w::decided(&one.sentence),
        |step| w::step(&crate::words::steps::kind(&step.kind), &step.outcome, &step.text),
    )
}

/// The lines that the steps know, in all texts; of a line that was never reached those of the step that ended the rule.
fn ranges(asked: &Asked, found: &ExplainOutput) -> Vec<Range> {
    let mut all: Vec<Range> = Vec::new();
    for touch in asked.touches.iter().take(MOST_RULES) {
        let Some(one) = found.explanations.get(touch.rule) else { continue };
        let ending = one.deciding.first().map(|at| *at as usize).filter(|_| touch.why == Why::NeverReached);
        let steps = touch.steps.iter().take(MOST).copied().chain(ending);
        let read = |at: usize| {
            let reads =
                one.reads.iter().filter(move |read| read.step.is_some_and(|step| step as usize == at));
            reads.filter(|read| !read.absent).filter_map(|read| read.range.clone())
        };
        let of_step = |at: usize| one.steps.get(at).into_iter().flat_map(steps::ranges).chain(read(at));
        for range in steps.flat_map(of_step) {
            if !all.contains(&range) {
                all.push(range);
            }
        }
    }
    all
}

/// What is to be said of the line beside its steps.
fn said(touch: &Touch, one: &Explanation) -> Option<String> {
    match touch.why {
        Why::Steps => None,
        Why::Said => Some(w::SAID.to_owned()),
        Why::NeverReached => Some(w::never(&one.sentence)),
        Why::Untouched => Some(w::UNTOUCHED.to_owned()),
        Why::PassingCheck => Some(w::PASSING_CHECK.to_owned()),
    }
}

fn of_rule(desk: &Desk, touch: &Touch, one: &Explanation) -> Html {
    let rows = touch.steps.iter().take(MOST).filter_map(|at| one.steps.get(*at));
    let ending = deciding(one).next().and_then(|step| step.policy_range.as_ref());
    let words = said(touch, one);
    let where_ = ending.filter(|_| touch.why == Why::NeverReached);
    html! {
        <>
            <p class="sub">{ w::of_rule(&one.policy.name, &one.rule, &one.verdict) }</p>
            if let Some(words) = words { <p>{ prose(&words) }{ " " }{ place(desk, where_) }</p> }
            <ul>{ for rows.map(|step| steps::row(desk, step, 0, false)) }</ul>
            if touch.steps.len() > MOST { <p class="sub">{ w::more(touch.steps.len() - MOST) }</p> }
        </>
    }
}
