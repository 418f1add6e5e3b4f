//! *Why* in two lines below an editor, on a screen that has no room for the results beside it.
//!
//! In: the line that is asked about, or else the chosen verdict. Out: the results, on a tap. Wide screens hide this.

use yew::{Callback, Html, component, html};

use super::steps::{self, deciding};
use crate::browser;
use crate::components::{StoreProps, long, status};
use crate::state::{Action, State, Subject, Tab, View};
use crate::words::results::why as words;

/// Verdict, rule and sentence.
struct Line {
    status: String,
    head: String,
    sentence: String,
}

/// The bar; it stands there as long as *Why* is open, so that no line moves under the finger.
#[component]
pub(crate) fn Brief(props: &StoreProps) -> Html {
    let store = props.store.clone();
    if store.state.view == View::Results || store.state.open_result_tab() != Tab::Why {
        return Html::default();
    }
    let Line { status, head, sentence } = described(&store.state);
    let place = if store.state.line.is_some() { "line-asked" } else { "result-view" };
    let open = Callback::from(move |_| {
        store.dispatch(Action::Viewed(View::Results));
        browser::focus_later(place);
    });
    html! {
        <div class="answer" role="status">
            <button type="button" onclick={open}>
                { status::mark(&status) }
                <span class="words"><b>{ long::short(&head).into_owned() }</b>{ " " }<span class="sentence">{ long::short(&sentence).into_owned() }</span></span>
                <span class="sr">{ words::WHOLE }</span>
            </button>
        </div>
    }
}

fn described(state: &State) -> Line {
    if let Some(answer) = state.answer() {
        let (status, head) = (answer.verdict.clone(), answer.head.clone());
        return Line { status, head, sentence: answer.sentence.replace('`', "") };
    }
    match (state.line, state.subject()) {
        (Some(line), Some(_)) => Line {
            status: String::new(),
            head: crate::words::place(line.slot.title(), line.line),
            sentence: words::ASKING.to_owned(),
        },
        (None, Some(subject)) => of_verdict(subject),
        (_, None) => {
            Line { status: String::new(), head: words::CHOOSE.to_owned(), sentence: words::TAP.to_owned() }
        }
    }
}

fn of_verdict(subject: Subject<'_>) -> Line {
    let decisive = deciding(subject);
    let step = decisive.first().and_then(|at| subject.steps().get(*at));
    let message = || subject.rule.map_or("", |rule| rule.message.as_str());
    let rule = subject.rule.map(|rule| rule.rule.as_str());
    let verdict = if rule.is_some() { subject.status() } else { words::NO_MATCH };
    Line {
        status: subject.status().to_owned(),
        head: words::of_rule(&subject.result.policy.name, rule, verdict),
        sentence: words::in_short(
            &steps::headline(subject, &decisive),
            step.map_or_else(message, |step| &step.text),
        ),
    }
}
