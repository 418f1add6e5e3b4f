//! Hostile policies in CEL: long, many, deep. Each ends soon, with an error that is named or with the right verdict.
//!
//! In: policies made here. Out: a failure where one passes that is not decided, where nothing is said, or where it takes long.

use engine::apply::{Locations, Options, Recording, Status, apply};
use engine::load::{Host, Role, load_with};
use engine::world::StaticWorld;
use engine::yaml::{Source, SourceId};
use engine_celpolicy::WITHOUT_STEPS;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// What one policy may take, in a build without optimization on a busy machine.
const LONG: Duration = Duration::from_mins(1);

const POD: &str =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: a, image: b}]}\n";

fn policy(spec: &str) -> String {
    format!(
        "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {{name: p}}\nspec:\n  matchConstraints:\n    \
         resourceRules:\n    - {{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}}\n{spec}"
    )
}

fn asking(expression: &str) -> String {
    policy(&format!("  validations:\n  - expression: \"{expression}\"\n"))
}

/// The verdicts, and how many errors were named while loading.
fn said(policy: &str, exceptions: &str) -> (Vec<Status>, usize) {
    let source = |text: &str| Source { id: SourceId(0), name: "text.yaml".into(), text: text.into() };
    let begun = Instant::now();
    let sources = vec![
        (Role::Policies, source(policy)),
        (Role::Exceptions, source(exceptions)),
        (Role::Resources, source(POD)),
    ];
    let (bundle, named) = load_with(sources, Host::Cli, WITHOUT_STEPS);
    let options = Options { host: Host::Cli, trace: Recording::Off, places: Locations::Omit };
    let results = apply(&bundle, &StaticWorld::default(), &options).results;
    let statuses = results.iter().flat_map(|result| &result.rules).map(|rule| rule.status).collect();
    assert!(begun.elapsed() < LONG, "{:?}", begun.elapsed());
    let errors = named.iter().filter(|named| named.severity == engine::diag::Severity::Error);
    (statuses, errors.count() + bundle.refused.len())
}

#[test]
fn an_expression_that_is_too_long_or_too_deep_is_refused() {
    let long = vec!["object.metadata.name == 'n'"; 33_000].join(" || ");
    let text = format!("object.metadata.name != '{}'", "a".repeat(1_000_000));
    let brackets = format!("{}true{}", "(".repeat(100_000), ")".repeat(100_000));
    let signs = format!("{}true", "!".repeat(200_001));
    let fields = format!("object{} == 1", ".a".repeat(100_000));
    let lists = format!("{}1{} == []", "[".repeat(50_000), "]".repeat(50_000));
    for hostile in [long, text, brackets, signs, fields, lists] {
        let (statuses, named) = said(&asking(&hostile), "");
        let start: String = hostile.chars().take(40).collect();
        assert_eq!(statuses, [], "{start}");
        assert!(named > 0, "{start}");
    }
}

#[test]
fn what_grows_while_it_is_evaluated_is_an_error() {
    let mut spec = "  variables:\n  - {name: v0, expression: object.metadata.name}\n".to_owned();
    for at in 1..60 {
        let before = at - 1;
        let _ = writeln!(spec, "  - {{name: v{at}, expression: variables.v{before} + variables.v{before}}}");
    }
    spec.push_str("  validations:\n  - expression: variables.v59 != ''\n");
    assert_eq!(said(&policy(&spec), ""), (vec![Status::Error], 0));
    let inner = "[1,2,3,4,5,6,7,8,9,10].all(c, c > 0)";
    let loops =
        (0..12).fold(inner.to_owned(), |inner, at| format!("[1,2,3,4,5,6,7,8,9,10].all(c{at}, {inner})"));
    assert_eq!(said(&asking(&loops), ""), (vec![Status::Error], 0));
}

#[test]
fn ten_thousand_validations_and_exceptions_are_evaluated() {
    let many: String = (0..10_000).fold("  validations:\n".to_owned(), |spec, at| {
        spec + "  - expression: object.metadata.name != 'n" + &at.to_string() + "'\n"
    });
    assert_eq!(said(&policy(&many), ""), (vec![Status::Pass], 0));
    let last = many.replace("!= 'n9999'", "== 'n9999'");
    assert_eq!(said(&policy(&last), ""), (vec![Status::Fail], 0));
    let exceptions: Vec<String> = (0..2_000)
        .map(|at| {
            format!(
                "apiVersion: policies.kyverno.io/v1\nkind: PolicyException\nmetadata: {{name: e{at}, namespace: x}}\nspec: \
                 {{policyRefs: [{{name: p, kind: ValidatingPolicy}}], matchConditions: [{{name: c, expression: \
                 \"object.metadata.name == 'n{at}'\"}}]}}\n"
            )
        })
        .collect();
    assert_eq!(
        said(&asking("object.metadata.name == 'x'"), &exceptions.join("---\n")),
        (vec![Status::Fail], 0)
    );
    let exempting = exceptions.join("---\n").replace("== 'n1999'", "== 'web'");
    assert_eq!(said(&asking("object.metadata.name == 'x'"), &exempting), (vec![Status::Skip], 0));
}
