//! The funnel of what is refused: six widths, four systems, each way with those who get in by it.
//!
//! In: the texts. Out: the change of the way that is chosen; `narrow` writes the narrowest.

use engine_lenses::wire::{SieveForm, SieveFunnel, SieveInput, SieveOutput};
use yew::{Callback, Html, Properties, classes, component, html, use_state};

use crate::engine::{question, use_answer};
use crate::long;
use crate::narrow::{Narrow, NarrowProps};
use crate::parts::{self, Changes, full_name, place, prose, yaml};
use crate::root::ViewProps;
use crate::words::funnel as w;

/// Funnels shown at once.
const MOST: usize = 20;

#[derive(Clone, Properties)]
pub(crate) struct FunnelsProps {
    pub(crate) view: ViewProps,
    pub(crate) changes: Changes,
    /// Whether it is shown before anybody asks.
    pub(crate) is_open: bool,
}

impl PartialEq for FunnelsProps {
    fn eq(&self, other: &Self) -> bool {
        // Changes follow from the view.
        self.view == other.view && self.is_open == other.is_open
    }
}

/// The funnels of all that is refused.
#[component]
pub(crate) fn Funnels(props: &FunnelsProps) -> Html {
    let wanted = use_state(|| false);
    let is_open = *wanted || props.is_open;
    let input = question(&props.view.given.input, |input| {
        serde_json::to_string(&SieveInput { ask: Some("funnel".to_owned()), input, ..SieveInput::default() })
    });
    let answer = use_answer::<SieveOutput>("funnel", "sieve", input.filter(|_| is_open));
    if !is_open {
        let show = {
            let wanted = wanted.clone();
            Callback::from(move |_| wanted.set(true))
        };
        return html! {
            <section class="funnels">
                <h3>{ w::TITLE }</h3>
                <p class="inside"><button type="button" class="apply" onclick={show}>{ w::SHOW }</button></p>
            </section>
        };
    }
    let class = classes!("funnels", (!answer.is_new).then_some("outdated"));
    html! {
        <section {class}>
            <h3>{ w::TITLE }</h3>
            { parts::answered(&answer, |found| described(props, found)) }
        </section>
    }
}

fn described(props: &FunnelsProps, found: &SieveOutput) -> Html {
    if found.funnels.is_empty() {
        return html! { <p class="empty">{ w::NONE }</p> };
    }
    let one = |funnel: &SieveFunnel| {
        let key = format!("{} {} {}", full_name(&funnel.resource), funnel.policy, funnel.rule);
        html! { <Funnel {key} ..FunnelProps { funnels: props.clone(), funnel: funnel.clone() } /> }
    };
    html! { <><p class="sub">{ w::ABOUT }</p>{ for found.funnels.iter().take(MOST).map(one) }</> }
}

#[derive(Clone, Properties)]
struct FunnelProps {
    funnels: FunnelsProps,
    funnel: SieveFunnel,
}

impl PartialEq for FunnelProps {
    fn eq(&self, _: &Self) -> bool {
        false
    }
}

/// The funnel of one workload: a table of ways, and the one that is chosen below it.
#[component]
fn Funnel(props: &FunnelProps) -> Html {
    let funnel = &props.funnel;
    let chosen = use_state(|| None::<(usize, usize)>);
    let (row, column) = chosen.unwrap_or_else(|| narrowest(funnel));
    let cell = |at: (usize, usize), form: Option<&SieveForm>, width: &str| {
        let Some(form) = form else { return html! { <td /> } };
        let choose = {
            let chosen = chosen.clone();
            Callback::from(move |_| chosen.set(Some(at)))
        };
        let (class, text) = said(form);
        let pressed = at == (row, column);
        let label = format!("{width}, {}: {text}", w::SYSTEMS.get(at.1).map_or("", |(_, _, name)| name));
        html! { <td><button type="button" {class} aria-pressed={pressed.to_string()} aria-label={label} onclick={choose}>{ text }</button></td> }
    };
    let step = |(at, step): (usize, &engine_lenses::wire::SieveStep)| {
        let form = |system: &str| step.forms.iter().find(|form| form.system == system);
        let cells = w::SYSTEMS.iter().enumerate();
        html! {
            <tr>
                <th scope="row">{ step.title.clone() }</th>
                { for cells.map(|(column, (system, _, _))| cell((at, column), form(system), &step.title)) }
            </tr>
        }
    };
    let shown = funnel.steps.get(row).and_then(|step| {
        let (system, _, name) = w::SYSTEMS.get(column)?;
        Some((step, *name, step.forms.iter().find(|form| form.system == *system)?))
    });
    let view = &props.funnels.view;
    html! {
        <div class="funnel">
            <h4>{ full_name(&funnel.resource) }<span class="quiet">{ ", " }{ w::refused_by(&funnel.policy, &funnel.rule) }{ " " }{ place(&view.desk, funnel.resource.range.as_ref()) }</span></h4>
            <p class="message">{ long::said(&funnel.refusal) }</p>
            <Narrow ..NarrowProps { view: view.clone(), changes: props.funnels.changes.clone(), funnel: funnel.clone() } />
            <table>
                <thead><tr><th scope="col">{ w::WIDTH }</th>{ for w::SYSTEMS.iter().map(|(_, short, long)| html! { <th scope="col"><abbr title={*long}>{ *short }</abbr></th> }) }</tr></thead>
                <tbody>{ for funnel.steps.iter().enumerate().map(step) }</tbody>
            </table>
            if let Some((step, name, form)) = shown {
                <div class="chosen-way" aria-live="polite">
                    <p><b>{ name }</b>{ ", " }{ step.title.clone() }{ ": " }{ detail(form) }</p>
                    if !form.text.is_empty() { { yaml(&form.text) } }
                    if !form.names.is_empty() {
                        <details><summary>{ w::detail(form.let_in, form.tried) }</summary><ul class="names">{ for form.names.iter().map(|name| html! { <li>{ prose(name) }</li> }) }</ul></details>
                    }
                </div>
            }
        </div>
    }
}

/// How a way looks, and what is said of it in its cell.
fn said(form: &SieveForm) -> (&'static str, String) {
    if !form.can {
        return ("way cannot", w::CANNOT.to_owned());
    }
    if !form.admits {
        return ("way cannot", w::STAYS_OUT.to_owned());
    }
    let class = match form.let_in * 4 {
        0 => "way width-0",
        part if part <= form.tried => "way width-1",
        part if part <= form.tried * 2 => "way width-2",
        part if part <= form.tried * 3 => "way width-3",
        _ => "way width-4",
    };
    (class, w::let_in(form.let_in, form.tried))
}

fn detail(form: &SieveForm) -> Html {
    let words = if !form.can {
        w::CANNOT.to_owned()
    } else if form.admits {
        w::detail(form.let_in, form.tried)
    } else {
        w::STAYS_OUT.to_owned()
    };
    html! { <>{ words }if !form.note.is_empty() { { ": " }{ prose(&form.note) } }</> }
}

/// The way through which the fewest get in, by row and column.
fn narrowest(funnel: &SieveFunnel) -> (usize, usize) {
    let mut best = ((0, 0), u32::MAX);
    for (row, step) in funnel.steps.iter().enumerate() {
        for (column, (system, _, _)) in w::SYSTEMS.iter().enumerate() {
            let form = step.forms.iter().find(|form| form.system == *system && form.can && form.admits);
            if let Some(form) = form.filter(|form| form.let_in <= best.1) {
                best = ((row, column), form.let_in);
            }
        }
    }
    best.0
}
