//! Documents of any form where a policy of mode `JSON` is asked about them.

use engine::load::{Host, Role, load_with};
use engine::world::StaticWorld;
use engine_celpolicy::{WITH_STEPS, WITHOUT_STEPS};
use engine_lenses::explain::run;
use engine_lenses::wire::{ExplainInput, Input, ObjectRef, Range, Text};
use engine_yaml::{Source, SourceId};

const POLICY: &str = "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {name: p}\nspec:\n  \
     evaluation: {mode: JSON}\n  validations: [{expression: object.a == 1}]\n";

/// The payloads of a text on the page: as JSON, and the line of each.
fn payloads(policies: &str, text: &str) -> Vec<(String, u32)> {
    let source = |text: &str| Source { id: SourceId(0), name: String::new(), text: text.into() };
    let sources = vec![(Role::Policies, source(policies)), (Role::Resources, source(text))];
    let (bundle, said) = load_with(sources, Host::Playground, WITHOUT_STEPS);
    let of_payloads = bundle.resources.iter().filter(|resource| resource.is_payload);
    let found: Vec<_> = of_payloads
        .map(|resource| {
            let start = bundle.document(resource.document).map_or(0, |document| document.span.start as usize);
            let lines = text.get(..start).unwrap_or_default().lines().count().max(1);
            (engine_json::to_json(&resource.value), u32::try_from(lines).unwrap_or(0))
        })
        .collect();
    assert!(!found.is_empty() || !said.is_empty(), "{text}: nothing is read and nothing is said");
    found
}

// The Playground: one object or an array.
#[test]
fn each_element_of_a_list_in_json_is_a_payload() {
    let texts = |text: &str| payloads(POLICY, text).into_iter().map(|(text, _)| text).collect::<Vec<_>>();
    assert_eq!(texts("{\"a\": 1}"), ["{\"a\":1}"]);
    assert_eq!(
        payloads(POLICY, "[{\"a\": 1},\n {\"a\": 2}]"),
        [("{\"a\":1}".to_owned(), 1), ("{\"a\":2}".to_owned(), 2)]
    );
    assert_eq!(texts("[]"), Vec::<String>::new());
    // A list as YAML has it is one document, which is not a map.
    assert_eq!(texts("- a: 1\n- a: 2\n"), Vec::<String>::new());
    assert_eq!(texts("a: 1\n---\na: 2\n"), ["{\"a\":1}", "{\"a\":2}"]);
}

#[test]
fn without_such_a_policy_a_list_is_named_as_no_resource() {
    assert_eq!(payloads("", "[{\"a\": 1}]"), Vec::new());
}

// Payloads have no names: what tells one from another is where it begins.
#[test]
fn each_of_many_payloads_on_one_line_is_explained() {
    let all: Vec<String> = (0..25).map(|at| format!("{{\"a\": {at}}}")).collect();
    let text = |name: &str, text: &str| vec![Text { name: name.into(), text: text.into() }];
    let explained = |range: Option<Range>| {
        let resources = text("", &format!("[{}]", all.join(", ")));
        let input = Input {
            policies: text("", POLICY),
            resources,
            host: Some("playground".into()),
            ..Input::default()
        };
        let resource = Some(ObjectRef { range, ..ObjectRef::default() });
        let world = StaticWorld { extension: Some(WITH_STEPS), ..StaticWorld::default() };
        let said = run(&ExplainInput { input, resource, ..ExplainInput::default() }, &world).explanations;
        said.into_iter().filter_map(|one| one.resource.range).collect::<Vec<_>>()
    };
    let last = Range { line: 1, column: 2 + 24 * 10 + 14, ..Range::default() };
    assert_eq!(explained(None).len(), 20);
    assert_eq!(explained(Some(Range { line: 1, ..Range::default() })).len(), 20);
    let found: Vec<_> =
        explained(Some(last.clone())).iter().map(|range| (range.line, range.column)).collect();
    assert_eq!(found, [(last.line, last.column)]);
    assert_eq!(explained(Some(Range { line: 2, ..Range::default() })).len(), 0);
}
