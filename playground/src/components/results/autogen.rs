//! The rules that Kyverno makes of a policy for the controllers of Pods, or why it makes none.
//!
//! In: the last output. Out: the lines of the rule that one was made of.

use engine_lenses::wire::{Autogen, AutogenRule, Output, Range};
use yew::{Callback, Html, html};

use crate::app::Handle;
use crate::components::copy::CopyButton;
use crate::components::{long, problems, status};
use crate::state::{Action, Pointed};
use crate::words::results::made as words;

/// Policies, and rules of each, that are drawn unasked.
const MOST: usize = 50;

/// The tab's content.
pub(super) fn autogen(store: &Handle, output: &Output) -> Html {
    long::rows(output.autogen.iter().map(|made| of_policy(store, made)), MOST)
}

fn of_policy(store: &Handle, made: &Autogen) -> Html {
    html! {
        <article class="group made">
            <h3>{ &made.policy.name }</h3>
            { long::rows(made.hindrances.iter().map(|hindrance| html! {
                <div class="hindrance">
                    { status::mark("none") }
                    <p>
                        if let Some(rule) = &hindrance.rule { <b>{ rule }</b>{ ": " } }
                        { long::said(&hindrance.reason) }{ " " }
                        { hindrance.range.as_ref().map(|range| problems::place(store, range)) }
                    </p>
                </div>
            }), MOST) }
            { long::rows(made.rules.iter().map(|rule| of_rule(store, &made.policy.name, rule)), MOST) }
        </article>
    }
}

fn of_rule(store: &Handle, policy: &str, rule: &AutogenRule) -> Html {
    let key = format!("autogen/{policy}/{}", rule.rule);
    let chosen = store.state.pointed.as_ref().is_some_and(|pointed| pointed.key == key);
    let point = {
        let (store, ranges) = (store.clone(), rule.range.iter().cloned().collect::<Vec<Range>>());
        Callback::from(move |_| {
            let pointed = Pointed { key: key.clone(), ranges: ranges.clone(), status: "skip" };
            store.dispatch(Action::Pointed(pointed));
        })
    };
    html! {
        <>
            <h4>
                <button type="button" class="plain" aria-pressed={chosen.to_string()} onclick={point}
                    title={words::MARK_RULE}>{ &rule.rule }</button>
            </h4>
            <p class="sub"><CopyButton text={rule.text.clone()} what={words::COPIES_RULE} />{ words::MADE_OF }{ &rule.from }{ words::MADE_FOR }{ long::said(&rule.kinds.join(", ")) }</p>
            <div class="text"><pre tabindex="0">{ long::file(&rule.text) }</pre></div>
        </>
    }
}
