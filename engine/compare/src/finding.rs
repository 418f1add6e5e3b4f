//! What a request shows of two sides, with the words and lines of both.
//!
//! In: a request on which they differ. Out: a [`Finding`].

use crate::answer::{Finding, RuleVerdict};
use crate::difference::{Basis, Direction, difference};
use crate::gap::{KindGap, gap};
use crate::request::Request;
use crate::sides::side::{Depth, Response, Side};
use engine::yaml::emit::to_yaml_ordered;
use engine_json::Value;
use engine_lenses::run::Positions;

/// The difference that a request shows; nothing where it does not show it when it is evaluated once more.
pub(crate) fn finding(
    old: &Side<'_>,
    new: &Side<'_>,
    request: Request,
    (direction, of_texts): (Direction, Option<KindGap>),
    basis: Basis<'_>,
) -> Option<Finding> {
    let responses = [old.evaluate(&request, Depth::Messages), new.evaluate(&request, Depth::Messages)];
    let [first, second] = &responses;
    // Nothing is claimed that is not so when it is evaluated once more.
    if difference(first, second, basis, &request.object) != Some(direction) {
        return None;
    }
    let yaml = |value: &Value| to_yaml_ordered(value);
    Some(Finding {
        direction,
        gap: gap(&request, [first, second], [old, new], basis.schema).or(of_texts),
        effects: [first.effect, second.effect],
        verdicts: [verdicts(old, first), verdicts(new, second)],
        left: responses.each_ref().map(|response| response.object.as_ref().map(yaml)),
        generated: responses.each_ref().map(|response| response.generated.iter().map(yaml).collect()),
        deletes: responses.each_ref().map(|response| response.is_deleted),
        request,
    })
}

fn verdicts(side: &Side<'_>, response: &Response) -> Vec<RuleVerdict> {
    let positions = Positions::new(&side.bundle);
    let one = |words: &crate::sides::side::RuleMessage| RuleVerdict {
        policy: words.policy.clone(),
        rule: words.rule.clone(),
        status: words.status.as_str().to_owned(),
        message: words.message.clone(),
        range: words
            .place
            .as_ref()
            .and_then(|(document, path)| positions.of_path(*document, path))
            .map(|range| side.place(range)),
    };
    response.messages.iter().map(one).collect()
}
