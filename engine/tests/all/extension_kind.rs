//! A kind of policy that a crate above the engine brings: loaded by its row, asked in its turn, refused with a count.

use engine::apply::{
    Host, Locations, Options, Recording, RuleResult, RuleType, Status, apply, is_independent,
};
use engine::body::{Asked, PolicyBody, Turn};
use engine::diag::{Code, Diagnostic};
use engine::json::{Path, Value};
use engine::load::table::{METADATA, Struct, by_value, flag, plain, text};
use engine::load::{
    Bundle, DocumentPath, Extension, ExtensionKind, Reading, Refused, Role, Unusable, load, load_with,
};
use engine::policy::{Action, Policy, PolicyKind};
use engine::world::StaticWorld;
use engine::yaml::{Source, SourceId};
use std::sync::Arc;

#[derive(Debug)]
struct Named {
    turn: Turn,
}

impl PolicyBody for Named {
    fn evaluate(&self, asked: &Asked<'_>) -> Option<Vec<RuleResult>> {
        let seen = asked.made.get().is_some();
        asked.made.get_or_init(|| Box::new(()));
        let message = format!("{} {seen}", asked.resource.name());
        Some(vec![RuleResult::of_policy("", RuleType::Validation, Status::Fail, message)])
    }

    fn is_independent(&self) -> bool {
        self.turn == Turn::Resources
    }

    fn turn(&self) -> Turn {
        self.turn
    }

    fn source(&self) -> &'static str {
        "Named"
    }
}

fn decode(
    _: &Bundle,
    place: &DocumentPath<'_>,
    value: &Value,
    kind: &'static str,
) -> Result<(Policy, Vec<Diagnostic>), Box<Unusable>> {
    let name = value.find_str(&["metadata", "name"]);
    if name == "bad" {
        let refused = Refused {
            policy: String::new(),
            reason: "a bad name".to_owned(),
            document: place.document,
            path: Path::root(),
            rules: 1,
        };
        let said = Diagnostic::error(Code::Refused, None, "a bad name");
        return Err(Box::new(Unusable {
            diagnostics: vec![said],
            refused: Some(refused),
            unsupported: None,
        }));
    }
    let turn = if name == "late" { Turn::Payloads } else { Turn::Resources };
    let policy = Policy {
        name: name.into(),
        body: Some(Arc::new(Named { turn })),
        ..Policy::without_rules(PolicyKind::Extension(kind), place.document, Action::Audit)
    };
    Ok((policy, Vec::new()))
}

static SCHEMA: Struct =
    plain(&[text("apiVersion"), text("kind"), by_value("metadata", &METADATA), flag("isOn")]);

const EXTENSION: &Extension = &Extension {
    kinds: &[ExtensionKind {
        kind: "Named",
        api_versions: &["example.com/v1"],
        more_versions: &[],
        schema: &SCHEMA,
        reading: Reading::Policy(decode),
        not_stored: None,
    }],
    cel_rule: None,
    phases: None,
    defaults: engine::load::as_written,
    server: None,
    requests: engine::load::as_sent,
};

fn sources(policies: &str) -> Vec<(Role, Source)> {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: web}}";
    let source = |text: &str| Source { id: SourceId(0), name: "a.yaml".into(), text: text.into() };
    vec![(Role::Policies, source(policies)), (Role::Resources, source(pod))]
}

fn named(name: &str) -> String {
    format!("---\n{{apiVersion: example.com/v1, kind: Named, metadata: {{name: {name}}}}}\n")
}

#[test]
fn a_policy_with_a_body_is_asked_in_its_turn() {
    let (bundle, said) = load_with(sources(&(named("late") + &named("early"))), Host::Cli, EXTENSION);
    assert!(said.is_empty(), "{said:?}");
    assert_eq!(bundle.policies.iter().map(Policy::rule_count).sum::<usize>(), 2);
    let options = Options { host: Host::Cli, trace: Recording::Off, places: Locations::Omit };
    let outcome = apply(&bundle, &StaticWorld::default(), &options);
    let rows: Vec<_> = outcome.results.iter().map(|of| (of.policy, of.rules[0].message.as_str())).collect();
    assert_eq!(rows, [(1, "web false"), (0, "web true")]);
    assert!(!is_independent(&bundle));
    assert!(is_independent(&load_with(sources(&named("early")), Host::Cli, EXTENSION).0));
}

#[test]
fn a_policy_that_its_row_refuses_counts_as_refused() {
    let (bundle, said) = load_with(sources(&(named("bad") + &named("early"))), Host::Cli, EXTENSION);
    assert_eq!((bundle.policies.len(), bundle.refused.len(), said.len()), (1, 1, 1));
}

#[test]
fn what_breaks_the_schema_of_the_row_is_named_and_not_read() {
    let wrong = "{apiVersion: example.com/v1, kind: Named, metadata: {name: a}, isOn: 3, other: 1}";
    let (bundle, said) = load_with(sources(wrong), Host::Cli, EXTENSION);
    assert_eq!((bundle.policies.len(), bundle.refused.len()), (0, 0));
    let codes: Vec<_> = said.iter().map(|said| said.code).collect();
    assert_eq!(codes, [Code::UnknownField, Code::WrongType]);
    assert!(said.iter().all(|said| said.span.is_some()));
}

#[test]
fn without_the_row_the_kind_is_not_a_policy() {
    let (bundle, said) = load(sources(&named("early")), Host::Cli);
    assert_eq!((bundle.policies.len(), said.len()), (0, 1));
}
