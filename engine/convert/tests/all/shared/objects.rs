//! Rules, and what they become, for objects that are given.
//!
//! In: kinds, a rule, objects. Out: the text of what the rule becomes, or a failure where one side alone refuses an object.

use engine::world::StaticWorld;
use engine_convert::convert;
use engine_lenses::run::run;
use engine_lenses::wire::{Input, Text};

fn text(name: &str, text: String) -> Text {
    Text { name: name.into(), text }
}

/// Whether an object is refused, or an error stands for that.
fn is_refused(policy: &str, object: &str) -> bool {
    let input = Input {
        policies: vec![text("policy.yaml", policy.into())],
        resources: vec![text("object.yaml", object.into())],
        ..Input::default()
    };
    let world = StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..StaticWorld::default() };
    let output = run(&input, &world);
    let rows: Vec<_> = output.results.iter().flat_map(|result| &result.rules).collect();
    assert!(
        output.refused.is_empty() && !output.results.is_empty(),
        "{policy}\n{object}\n{:?}",
        output.diagnostics
    );
    rows.iter().any(|row| matches!(row.status.as_str(), "fail" | "error"))
}

/// The policy of a rule, and the text of what it becomes.
pub(crate) fn converted(kinds: &str, rule: &str) -> (String, String) {
    let source = format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec:\n  rules:\n  - name: r\n    match: {{any: \
         [{{resources: {{kinds: [{kinds}]}}}}]}}\n    {}\n",
        rule.replace('\n', "\n    ")
    );
    let mut all = convert(&text("policy.yaml", source.clone()));
    assert_eq!(all.len(), 1);
    let one = all.remove(0);
    assert!(one.is_whole(), "{rule}: {:?}", one.refused);
    (source, one.text())
}

/// That a rule and what it becomes refuse the same of these objects; out is what it becomes.
pub(crate) fn holds(kinds: &str, rule: &str, objects: &[String]) -> String {
    let (source, made) = converted(kinds, rule);
    for object in objects {
        assert_eq!(is_refused(&source, object), is_refused(&made, object), "{rule}\n{object}\n{made}");
    }
    made
}
