//! A written test, run with policies.
//!
//! In: the files of a test about one object, and a side. Out: what `podsieve test` would come to with that side in `policies.yaml` and
//! `exceptions.yaml`. A test in `tests/` holds it against the command.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/commands/test/output.go (printTestResult), command.go (checkResult).

use engine::apply::{RuleResult, RuleType};
use engine::world::World;
use engine::yaml::{Options, Source, SourceId, parse};
use engine_json::Value;
use engine_lenses::report::as_test::{Evaluated, evaluate, is_same, settle};
use engine_lenses::wire::{Input, TestFolder, Text};

/// What a test comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is something that rows of a test may come to, and any of them may go together"
)]
pub(super) struct Tested {
    /// A verdict, or an object, is the expected one.
    pub(super) has_passed: bool,
    /// A verdict, or an object, is another than the expected one.
    pub(super) has_failed: bool,
    /// There is no policy of an expected name, which fails whatever the object.
    pub(super) is_unknown: bool,
    /// A policy has nothing to say of the object by the rule that is named, which counts as passed.
    pub(super) is_excluded: bool,
}

/// Runs the test with the policies and exceptions of a side.
pub(super) fn run(folder: &TestFolder, side: Input, world: &dyn World) -> Tested {
    let texts =
        |name: &str| -> Vec<Text> { folder.files.iter().filter(|file| file.name == name).cloned().collect() };
    let input = Input {
        resources: texts("resources.yaml"),
        values: texts("values.yaml"),
        user_info: texts("user-info.yaml"),
        ..side
    };
    let (mut bundle, _) = engine_lenses::run::read(&input, world);
    settle(&mut bundle);
    let evaluated = evaluate(&bundle, world);
    let mut tested = Tested::default();
    for entry in documents(folder, "kyverno-test.yaml").iter().flat_map(entries) {
        let name = entry.find_str(&["policy"]).rsplit('/').next().unwrap_or("");
        if !bundle.policies.iter().any(|policy| policy.name == name) {
            tested.is_unknown = true;
            continue;
        }
        let responses = evaluated.iter().flat_map(|keyed| &keyed.responses);
        let mut of_policy = responses.filter(|evaluated| evaluated.response.policy.name == name).peekable();
        // Kyverno: a policy without any response is `Not found`, which fails.
        tested.has_failed |= of_policy.peek().is_none();
        let mut is_excluded = of_policy.peek().is_some();
        for evaluated in of_policy {
            is_excluded &= !take(folder, entry, evaluated, &mut tested);
        }
        tested.is_excluded |= is_excluded;
    }
    tested
}

fn entries(test: &Value) -> &[Value] {
    test.get("results").and_then(Value::as_array).unwrap_or_default()
}

/// Holds what a policy says against an entry; whether it says anything by the rule that is named.
fn take(folder: &TestFolder, entry: &Value, evaluated: &Evaluated<'_>, tested: &mut Tested) -> bool {
    let response = &evaluated.response;
    let is_asked = |rule: &&RuleResult| {
        response.policy.body.is_some() || is_named(entry.find_str(&["rule"]), &rule.rule)
    };
    let mut says_something = false;
    for rule in response.rules.iter().filter(is_asked) {
        let has_status = response.described_status(rule).as_str() == entry.find_str(&["result"]);
        let alone = [&evaluated.object];
        let objects: Vec<&Value> = match rule.rule_type {
            RuleType::Generation => rule.generated.iter().collect(),
            _ => alone.to_vec(),
        };
        // Kyverno: a changed object that no file holds is passed over.
        let is_other = objects.iter().any(|object| {
            let changed = is_expected(folder, entry, "patchedResources", object);
            let made = is_expected(folder, entry, "generatedResource", object);
            changed == Some(false) || made == Some(false)
        });
        says_something = true;
        tested.has_passed |= has_status && !is_other;
        tested.has_failed |= !has_status || is_other;
    }
    says_something
}

/// Whether an object is the one of its name in the file that a field of an entry names; `None` where there is none of that name.
fn is_expected(folder: &TestFolder, entry: &Value, field: &str, object: &Value) -> Option<bool> {
    let file = entry.get(field).and_then(Value::as_str)?;
    let same = |other: &&Value| {
        let fields: [&[&str]; 4] =
            [&["apiVersion"], &["kind"], &["metadata", "namespace"], &["metadata", "name"]];
        fields.iter().all(|field| other.find_str(field) == object.find_str(field))
    };
    let known = documents(folder, file);
    let found = known.iter().find(same);
    let is_made = field == "generatedResource";
    found.map_or_else(|| is_made.then_some(false), |expected| Some(is_same(object, expected)))
}

fn documents(folder: &TestFolder, name: &str) -> Vec<Value> {
    let Some(file) = folder.files.iter().find(|file| file.name == name) else { return Vec::new() };
    let source = Source { id: SourceId(0), name: String::new(), text: file.text.as_str().into() };
    parse(&source, &Options::default()).documents.into_iter().map(|document| document.value).collect()
}

/// Whether an entry is about a rule: itself, or what autogen makes of it.
fn is_named(wanted: &str, rule: &str) -> bool {
    let plain = rule.strip_prefix("autogen-cronjob-").or_else(|| rule.strip_prefix("autogen-"));
    wanted.is_empty()
        || rule == wanted
        || plain == Some(wanted)
        || rule.strip_prefix("autogen-") == Some(wanted)
}
