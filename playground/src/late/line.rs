//! *Why this line?*: what the steps that know the line under the cursor said of the chosen resource.
//!
//! In: the explanations of the resource, and the line. Out: its rule chosen, the lines that belong to it marked.

use std::rc::Rc;

use ::engine::wire::{ExplainOutput, Explanation, Range};
use web_sys::Element;
use yew::{Html, Properties, component, html, use_effect_with, use_node_ref};

use crate::desk::{self, Desk};
use crate::parts::{full_name, place, prose};
use crate::slot::Slot;
use crate::steps;
use crate::told::Told;
use crate::touch::{self, Touch, Why};
use crate::words::line as w;

/// Steps told of each rule.
const MOST: usize = 12;
/// Rules told of one line of a resource.
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
    pub(crate) fn of(told: &Told, all: &[Explanation]) -> Option<Self> {
        let (input, line) = told.line.as_ref()?;
        let slot = Slot::of_input(input)?;
        let text = desk::text_of(&told.input, slot);
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
            if let (Some(one), true) = (rule_of(asked, &found), asked.slot != Slot::Resource) {
                desk.choose(&full_name(&one.policy), &one.rule);
            }
            desk.show_line(&ranges(asked, &found));
            if let Some(element) = place_of_it.cast::<Element>() {
                desk::bring_into_view(&element);
            }
        });
    }
    let rules = asked.touches.iter().take(MOST_RULES);
    html! {
        <section class="line-asked" ref={place_of_it} role="status">
            <h3>{ w::title(asked.slot.title(), asked.line) }{ " " }<code>{ asked.text.clone() }</code></h3>
            if asked.touches.is_empty() { <p>{ w::nobody(asked.slot) }</p> }
            { for rules.filter_map(|touch| Some(of_rule(desk, touch, found.explanations.get(touch.rule)?))) }
            if asked.touches.len() > MOST_RULES { <p class="sub">{ w::more_rules(asked.touches.len() - MOST_RULES) }</p> }
        </section>
    }
}

/// The first rule that has to do with the line.
fn rule_of<'f>(asked: &Asked, found: &'f ExplainOutput) -> Option<&'f Explanation> {
    asked.touches.first().and_then(|touch| found.explanations.get(touch.rule))
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

fn of_rule(desk: &Desk, touch: &Touch, one: &Explanation) -> Html {
    let rows = touch.steps.iter().take(MOST).filter_map(|at| one.steps.get(*at));
    let ending = one.deciding.first().and_then(|at| one.steps.get(*at as usize));
    let words = match touch.why {
        Why::Steps => None,
        Why::Said => Some(w::SAID.to_owned()),
        Why::NeverReached => Some(w::never(&one.sentence)),
        Why::Untouched => Some(w::UNTOUCHED.to_owned()),
        Why::PassingCheck => Some(w::PASSING_CHECK.to_owned()),
    };
    let where_ =
        ending.and_then(|step| step.policy_range.as_ref()).filter(|_| touch.why == Why::NeverReached);
    html! {
        <>
            <p class="sub">{ w::of_rule(&one.policy.name, &one.rule, &one.verdict) }</p>
            if let Some(words) = words { <p>{ prose(&words) }{ " " }{ place(desk, where_) }</p> }
            <ul>{ for rows.map(|step| steps::row(desk, step, 0, false)) }</ul>
            if touch.steps.len() > MOST { <p class="sub">{ w::more(touch.steps.len() - MOST) }</p> }
        </>
    }
}
