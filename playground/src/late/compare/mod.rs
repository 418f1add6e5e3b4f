//! *Compare*: whether the new policies decide as the old ones do, and the old ones converted to policies in CEL.
//!
//! In: the policies and the new policies. Out: what a search found, in a worker of its own; the new policies written anew.

pub(crate) mod answer;
mod converted;
mod found;
mod search;
mod target;

use std::cell::RefCell;
use std::rc::Rc;

use engine_lenses::wire::Text;
use gloo_timers::callback::Timeout;
use serde::Serialize;
use serde::de::DeserializeOwned;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::{
    Callback, Html, TargetCast as _, UseStateHandle, component, hook, html, use_effect_with, use_state,
};

use crate::desk::{Change, Desk, text_of};
use crate::long;
use crate::parts::{Changes, use_changes};
use crate::root::ViewProps;
use crate::slot::Slot;
use crate::words::compare as w;
use answer::{Compared, Converted};
use search::Heard;
use target::To;

/// How many seconds a search takes at most, and how many requests, as the terminal has it.
const SECONDS: u32 = 10;
const REQUESTS: u32 = 8_000;

/// The texts of both sides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sides {
    old: String,
    new: String,
}

/// What came of the last question.
#[derive(Clone)]
enum Found {
    Compared(Rc<Compared>),
    Converted(Rc<Converted>),
    Failed(String),
    Stopped(&'static str),
}

/// The same, and of which texts.
#[derive(Clone)]
struct Shown {
    of: Sides,
    found: Found,
}

impl Shown {
    /// Whether it was asked of these texts; a conversion has changed the new ones itself.
    fn is_of(&self, sides: &Sides) -> bool {
        match self.found {
            Found::Converted(_) => self.of.old == sides.old,
            _ => self.of == *sides,
        }
    }

    /// Whether the texts have changed since.
    fn is_outdated(&self, sides: &Sides) -> bool {
        match self.found {
            Found::Compared(_) | Found::Converted(_) => !self.is_of(sides),
            Found::Failed(_) | Found::Stopped(_) => false,
        }
    }
}

thread_local! {
    /// What was found last: who looks at another tab and comes back finds it.
    static LAST: RefCell<Option<Shown>> = const { RefCell::new(None) };
}

/// What is being done, and how many requests were tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    Nothing,
    Loading,
    Comparing(u32),
}

/// What the view holds on to.
#[derive(Clone)]
struct Table {
    desk: Desk,
    changes: Changes,
    resources: Rc<[Text]>,
    sides: Sides,
    doing: UseStateHandle<Doing>,
    shown: UseStateHandle<Option<Shown>>,
    /// Whether only creations are compared, and whether both sides are taken to enforce.
    is_of_creations: UseStateHandle<bool>,
    is_enforced: UseStateHandle<bool>,
    /// What policies are converted to, where it was chosen.
    to: UseStateHandle<Option<To>>,
}

#[hook]
fn use_table(props: &ViewProps) -> Table {
    let input = &props.given.input;
    let old = text_of(input, Slot::Policy).to_owned();
    let sides = Sides { old, new: props.given.new_policies.clone() };
    // Of other texts than these, opened meanwhile, it would say nothing.
    let shown =
        use_state(|| LAST.with_borrow(|last| last.as_ref().filter(|shown| shown.is_of(&sides)).cloned()));
    Table {
        desk: props.desk.clone(),
        changes: use_changes(&props.desk, input),
        resources: input.resources.as_slice().into(),
        sides,
        doing: use_state(|| Doing::Nothing),
        shown,
        is_of_creations: use_state(|| false),
        is_enforced: use_state(|| false),
        to: use_state(|| None),
    }
}

/// Two sides as the module wants them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CompareQuestion<'a> {
    old: [Text; 1],
    new: [Text; 1],
    resources: &'a [Text],
    operations: &'a [&'a str],
    enforced: bool,
    max_seconds: u32,
}

/// Policies to convert.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConvertQuestion {
    policies: [Text; 1],
    max_seconds: u32,
    no_compare: bool,
    to: To,
}

fn text(slot: Slot, text: &str) -> [Text; 1] {
    [Text { name: slot.file().to_owned(), text: text.to_owned() }]
}

impl Table {
    fn show(&self, of: &Sides, found: Found) {
        let shown = Some(Shown { of: of.clone(), found });
        LAST.set(shown.clone());
        self.shown.set(shown);
    }

    /// Hears of a question; `then` gets its answer.
    fn hears<T: DeserializeOwned>(
        &self,
        stopped: &'static str,
        then: impl Fn(&Self, T) + 'static,
    ) -> Callback<Heard> {
        let table = self.clone();
        Callback::from(move |heard| {
            let failed = match heard {
                Heard::Tried(requests) => return table.doing.set(Doing::Comparing(requests)),
                Heard::Output(text) => match serde_json::from_str::<T>(&text) {
                    Ok(found) => {
                        table.doing.set(Doing::Nothing);
                        return then(&table, found);
                    }
                    Err(error) => Found::Failed(crate::words::unreadable(&error)),
                },
                Heard::Failed(why) => Found::Failed(why),
                Heard::Stopped => Found::Stopped(stopped),
            };
            table.doing.set(Doing::Nothing);
            table.show(&table.sides, failed);
        })
    }

    fn compare(&self) {
        self.doing.set(Doing::Loading);
        let question = CompareQuestion {
            old: text(Slot::Policy, &self.sides.old),
            new: text(Slot::NewPolicy, &self.sides.new),
            resources: &self.resources,
            operations: if *self.is_of_creations { &["CREATE"] } else { &[] },
            enforced: *self.is_enforced,
            max_seconds: SECONDS,
        };
        let hears = self.hears(w::STOPPED, |table, found: Compared| {
            let found = found.on_page();
            let lines = found.deciding();
            table.show(&table.sides, Found::Compared(Rc::new(found)));
            table.desk.mark(&lines);
        });
        search::ask("compare", &question, hears);
    }

    /// Writes the new policies at once, and compares them afterwards.
    fn convert(&self) {
        self.doing.set(Doing::Loading);
        // Lines that an earlier comparison marked say nothing about what is written now.
        self.desk.mark(&[]);
        let hears = self.hears(w::STOPPED_CONVERTING, |table, found: Converted| {
            let text = found.text();
            // What is converted admits no update that the source admits for what failed before: every comparison would show that.
            if found.policies.iter().any(|one| one.converted && one.allows_existing_violations) {
                table.is_of_creations.set(true);
            }
            table.show(&table.sides, Found::Converted(Rc::new(found)));
            if text.is_empty() {
                return;
            }
            table.changes.make(Change::Whole(Slot::NewPolicy.input(), text));
            table.doing.set(Doing::Comparing(0));
            let table = table.clone();
            // Not from within the answer to the question before.
            Timeout::new(0, move || table.grade()).forget();
        });
        search::ask("convert", &self.conversion(true), hears);
    }

    fn grade(&self) {
        let hears = self.hears(w::STOPPED_CONVERTING, |table, found: Converted| {
            table.show(&table.sides, Found::Converted(Rc::new(found)));
        });
        search::ask("convert", &self.conversion(false), hears);
    }

    fn conversion(&self, no_compare: bool) -> ConvertQuestion {
        ConvertQuestion {
            policies: text(Slot::Policy, &self.sides.old),
            max_seconds: SECONDS,
            no_compare,
            to: self.to(),
        }
    }

    /// What policies are converted to: as chosen, or what their kinds can become.
    fn to(&self) -> To {
        self.to.unwrap_or_else(|| To::of(&self.sides.old))
    }
}

/// The view.
#[component]
pub(crate) fn Compare(props: &ViewProps) -> Html {
    let table = use_table(props);
    // Who leaves does not wait any more.
    use_effect_with((), |()| search::stop);
    let doing = *table.doing;
    let is_busy = doing != Doing::Nothing;
    html! {
        <div class="compare" aria-busy={is_busy.to_string()}>
            { table.changes.bar() }
            <section class="ask">
                <p class="sub">{ w::ABOUT }</p>
                { buttons(&table) }
                <div class="choices">
                    { choice(w::CREATIONS, &table.is_of_creations) }
                    { choice(w::ENFORCED, &table.is_enforced) }
                    { targets(&table) }
                </div>
                { progress(doing) }
                if !is_busy { { empty(&table) } }
            </section>
            <div role="status">{ outcome(&table) }</div>
        </div>
    }
}

fn buttons(table: &Table) -> Html {
    let is_busy = *table.doing != Doing::Nothing;
    let has_old = !table.sides.old.trim().is_empty();
    let has_both = has_old && !table.sides.new.trim().is_empty();
    let compare = {
        let table = table.clone();
        Callback::from(move |_| if is_busy { search::stop() } else { table.compare() })
    };
    let convert = {
        let table = table.clone();
        Callback::from(move |_| table.convert())
    };
    html! {
        <p class="buttons">
            // One button, so that the keyboard stays where it was.
            <button type="button" class="apply first" disabled={!is_busy && !has_both} onclick={compare}>{ if is_busy { w::STOP } else { w::COMPARE } }</button>
            <button type="button" class="apply" disabled={is_busy || !has_old} onclick={convert}>{ w::convert(table.to().name()) }</button>
        </p>
    }
}

fn choice(label: &'static str, is_chosen: &UseStateHandle<bool>) -> Html {
    let tick = {
        let is_chosen = is_chosen.clone();
        Callback::from(move |event: yew::Event| {
            is_chosen.set(event.target_unchecked_into::<HtmlInputElement>().checked());
        })
    };
    html! { <label><input type="checkbox" checked={**is_chosen} onchange={tick} />{ " " }{ label }</label> }
}

/// What policies are converted to.
fn targets(table: &Table) -> Html {
    let chosen = table.to();
    let choose = {
        let to = table.to.clone();
        Callback::from(move |event: yew::Event| {
            let at = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
            to.set(usize::try_from(at).ok().and_then(|at| To::ALL.get(at).copied()));
        })
    };
    let options = To::ALL.into_iter().map(|to| {
        let label = if to == To::Cel { w::KINDS_IN_CEL } else { to.name() };
        html! { <option selected={to == chosen}>{ label }</option> }
    });
    html! { <label>{ w::CONVERT_TO }{ " " }<select onchange={choose}>{ for options }</select></label> }
}

fn progress(doing: Doing) -> Html {
    match doing {
        Doing::Nothing => Html::default(),
        Doing::Loading => html! { <p class="sub">{ w::LOADING }</p> },
        Doing::Comparing(tried) => html! {
            <p class="sub running">
                <progress max={REQUESTS.to_string()} value={tried.to_string()} aria-label={w::SEARCHED} />
                <span>{ w::tried(tried) }</span>
            </p>
        },
    }
}

/// What to do where there is nothing to compare.
fn empty(table: &Table) -> Html {
    let (said, slot) = if table.sides.old.trim().is_empty() {
        (w::NO_OLD, Slot::Policy)
    } else if table.sides.new.trim().is_empty() && table.shown.is_none() {
        (w::NO_NEW, Slot::NewPolicy)
    } else {
        return Html::default();
    };
    let go = {
        let desk = table.desk.clone();
        Callback::from(move |_| desk.open(slot))
    };
    let label = if slot == Slot::Policy { w::WRITE_OLD } else { w::WRITE_NEW };
    html! { <p class="hint">{ said }{ " " }<button type="button" class="plain place" onclick={go}>{ label }</button></p> }
}

fn outcome(table: &Table) -> Html {
    let Some(shown) = &*table.shown else { return Html::default() };
    let is_outdated = shown.is_outdated(&table.sides);
    let found = match &shown.found {
        Found::Compared(found) => found::compared(&table.desk, &table.changes, found),
        Found::Converted(found) => {
            let is_busy = *table.doing != Doing::Nothing;
            converted::converted(&table.desk, &table.changes, found, table.to(), is_busy)
        }
        Found::Failed(why) => html! { <p class="hint" role="alert">{ long::said(why) }</p> },
        Found::Stopped(said) => html! { <p class="hint">{ *said }</p> },
    };
    let class = yew::classes!("outcome", is_outdated.then_some("outdated"));
    html! {
        <div {class}>
            if is_outdated { <p class="hint">{ w::OUTDATED }</p> }
            { found }
        </div>
    }
}
