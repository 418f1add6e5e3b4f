//! Whether what was made decides the same as its source.
//!
//! In: a conversion. Out: the comparison of both.

use crate::Conversion;
use crate::podsecurity::OF_JOBS;
use engine::world::World;
use engine::yaml::emit::to_yaml_ordered;
use engine_compare::{Comparison, KindGap, Operation, Options, compare};
use engine_json::Value;
use engine_lenses::wire::Text;

/// Compares what was made with its source.
///
/// Under Enforce a classic policy lets in updates of what failed before (`allowExistingViolations`), which no policy in CEL does: this does
/// not count, nor does where `podSecurity` reads annotations of a CronJob. One whose notes say that it alone evaluates deletions is compared by
/// creations and updates. The answer names no lines: both sides are written anew for it, and theirs are not those of the caller's files.
pub fn grade(
    conversion: &Conversion,
    options: &Options,
    world: &dyn World,
    goes_on: &mut dyn FnMut(usize) -> bool,
) -> Comparison {
    let [beside_old, beside_new] = &conversion.beside;
    let with = |first: String, more: &[Value]| {
        let texts = std::iter::once(first).chain(more.iter().map(to_yaml_ordered));
        texts.collect::<Vec<_>>().join("---\n")
    };
    let source = to_yaml_ordered(&conversion.source);
    let old = Text { name: "source.yaml".into(), text: with(source, beside_old) };
    let new = Text { name: "converted.yaml".into(), text: with(conversion.text(), beside_new) };
    let mut options = options.clone();
    options.field_types.extend(conversion.field_types.iter().cloned());
    options.has_readable_images |= conversion.has_readable_images;
    options.plain_values.extend(conversion.plain_values.iter().cloned());
    if options.operations.is_empty() && conversion.leaves_deletions {
        options.operations = vec![Operation::Create, Operation::Update];
    }
    if conversion.keeps_order {
        options.ignored_gaps.push(KindGap::ElementOrder);
    }
    if conversion.notes.iter().any(|note| note.ends_with(OF_JOBS)) {
        options.ignored_gaps.push(KindGap::JobAnnotations);
    }
    if conversion.allows_existing_violations {
        options.ignored_gaps.push(KindGap::ExistingViolations);
    }
    let mut comparison = compare(&[old], &[new], &options, world, goes_on);
    for finding in &mut comparison.findings {
        finding.verdicts.iter_mut().flatten().for_each(|verdict| verdict.range = None);
    }
    comparison.reasons.iter_mut().for_each(|reason| reason.range = None);
    comparison
}
