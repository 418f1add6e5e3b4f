//! The objects that generate rules made, each as YAML under the rule that made it.

use engine_lenses::wire::{Output, PolicyResult, RuleResult};
use yew::{Html, html};

use crate::components::copy::CopyButton;
use crate::components::{long, status};
use crate::state::full_name;
use crate::words::results::made as words;

/// Rules, and objects of each, that are drawn unasked.
const MOST: usize = 50;

/// The tab's content.
pub(super) fn generated(output: &Output) -> Html {
    let made = output.results.iter().flat_map(|result| result.rules.iter().map(move |rule| (result, rule)));
    long::rows(
        made.filter(|(_, rule)| !rule.generated.is_empty()).map(|(result, rule)| by_rule(result, rule)),
        MOST,
    )
}

fn by_rule(result: &PolicyResult, rule: &RuleResult) -> Html {
    html! {
        <article class="group made">
            <h3>{ status::mark(&rule.status) }<span class="sr">{ &rule.status }{ ": " }</span>{ &result.policy.name }{ " / " }<wbr />{ &rule.rule }</h3>
            <p class="sub"><CopyButton text={rule.generated.join("---\n")} what={words::GENERATED} />{ words::FOR }{ full_name(&result.resource) }</p>
            { long::rows(rule.generated.iter().map(|yaml| html! { <div class="text"><pre tabindex="0">{ long::file(yaml) }</pre></div> }), MOST) }
        </article>
    }
}
