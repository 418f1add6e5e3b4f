//! How many mistakes in the new side its requests notice: how far a search that found no difference can be trusted.
//!
//! In: the requests that a search remembered, and the new side. Out: how many mistakes were put in, and which of them no request tells from it.

use crate::answer::{Comparison, MissedMutant};
use crate::begun::documents_of;
use crate::compare::Options;
use crate::difference::{Basis, difference};
use crate::mistakes::mutants::{Class, Mutant, mutants};
use crate::request::{Operation, Request};
use crate::search::random::Random;
use crate::sides::side::{Depth, Response, Side};
use engine::world::World;
use engine::yaml::emit::to_yaml_ordered;
use engine_lenses::wire::Text;

/// Tries mutants of the new side on the requests that were remembered.
pub(crate) fn count(
    answer: &mut Comparison,
    remembered: &[Request],
    new: &Side<'_>,
    (options, basis, world): (&Options, Basis<'_>, &dyn World),
    should_continue: &mut dyn FnMut(usize) -> bool,
) {
    let documents = documents_of(new);
    let mut all: Vec<(usize, Mutant)> = Vec::new();
    for (at, document) in documents.iter().enumerate() {
        all.extend(mutants(document).into_iter().map(|mutant| (at, mutant)));
    }
    // What is not tried is said, and no mistake is looked for there.
    let is_tried = |operation| options.operations.contains(&operation);
    all.retain(|(_, mutant)| mutant.class != Class::Operations || is_tried(Operation::Update));
    let mut random = Random(options.seed);
    let responses: Vec<Response> =
        remembered.iter().map(|request| new.evaluate(request, Depth::Decision)).collect();
    while answer.counts.mutants < options.mutants && !all.is_empty() {
        if !should_continue(answer.counts.requests) {
            return;
        }
        let (at, mutant) = all.swap_remove(random.below(all.len()));
        let texts = documents.iter().enumerate().map(|(place, document)| Text {
            name: format!("{place}.yaml"),
            text: to_yaml_ordered(if place == at { &mutant.policy } else { document }),
        });
        let side = Side::read(&texts.collect::<Vec<_>>(), new.on_other, options.actions, world);
        // A mistake that keeps a policy from being loaded needs no request to be noticed.
        if !side.why_not_compared().is_empty() {
            continue;
        }
        answer.counts.mutants += 1;
        let is_noticed = remembered.iter().zip(&responses).any(|(request, response)| {
            let other = side.evaluate(request, Depth::Decision);
            difference(response, &other, basis, &request.object).is_some()
        });
        if is_noticed {
            answer.counts.noticed += 1;
        } else {
            answer.missed.push(MissedMutant { class: mutant.class.as_str().to_owned(), text: mutant.text });
        }
    }
}
