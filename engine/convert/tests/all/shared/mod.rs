//! What tests of converted rules share: policies of one rule, and what must hold of what is made of them.
//!
//! In: rules. Out: what they are converted to, or a failure where a comparison finds a difference or a refusal is missing.

pub(crate) mod objects;

use engine::world::StaticWorld;
use engine_compare::{Grade, Options};
use engine_convert::{Conversion, convert, grade};
use engine_lenses::wire::Text;

/// A policy of one rule for a kind.
pub(crate) fn policy(annotations: &str, kind: &str, rule: &str) -> String {
    let indented = rule.replace('\n', "\n    ");
    format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p, annotations: {{{annotations}}}}}\nspec:\n  rules:\n  - \
         name: r\n    match: {{any: [{{resources: {{kinds: [{kind}]}}}}]}}\n    {indented}\n"
    )
}

/// What the only policy of a text is converted to.
pub(crate) fn converted_of(text: String) -> Conversion {
    let mut all = convert(&Text { name: "policy.yaml".into(), text });
    assert_eq!(all.len(), 1);
    all.remove(0)
}

/// That no comparison finds a difference.
pub(crate) fn holds_within(conversion: &Conversion, rule: &str, max_requests: usize) {
    assert!(conversion.is_whole(), "{rule}: {:?}", conversion.refused);
    let world = StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..StaticWorld::default() };
    let options = Options { mutants: 0, max_requests, ..Options::default() };
    let answer = grade(conversion, &options, &world, &mut |_| true);
    assert!(
        matches!(answer.grade, Grade::Same | Grade::NoDifference),
        "{:?} {rule}\n{}",
        answer.findings,
        conversion.text()
    );
}

/// Why a policy is not converted.
pub(crate) fn why_refused(conversion: &Conversion) -> String {
    assert!(!conversion.is_whole(), "{}", conversion.text());
    conversion.refused.iter().map(|one| one.text.clone()).collect::<Vec<_>>().join("\n")
}

/// What a rule denies by one condition.
pub(crate) fn denied(key: &str, operator: &str, value: &str) -> String {
    format!(
        "validate: {{message: m, deny: {{conditions: {{any: [{{key: \"{{{{ {key} }}}}\", operator: {operator}, value: {value}}}]}}}}}}"
    )
}
