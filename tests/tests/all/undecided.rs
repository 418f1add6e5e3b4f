//! What cannot be decided is never a pass: generated policies in CEL with functions that nobody knows, fields that cannot be read,
//! questions that nobody answers and parameters that are missing.
//!
//! In: `CASES=1000000 cargo test --release -p tests --test all undecided::` for a long run. Out: how often each verdict came; or the
//! smallest policy found that passes although what it asks is not known to be true. What is true is known by how an expression
//! is made: each part is true, false or open, and `&&`, `||`, `!`, `? :`, `all` and `exists` say what they make of that.

use engine::apply::{Locations, Options, Recording, Status, apply};
use engine::load::{Host, Role, load_with};
use engine::world::StaticWorld;
use engine::yaml::{Source, SourceId};
use engine_celpolicy::WITHOUT_STEPS;
use std::fmt::Write;
use tests::random::{Choices, shrunk};
use tests::recorded::say;

fn cases() -> usize {
    std::env::var("CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(400)
}

/// What is known of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    True,
    False,
    Open,
}

use Known::{False, Open, True};

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop, labels: {app: web}}\nspec:\n  replicas: 3\n  \
                   containers:\n  - {name: app, image: 'nginx:1'}\n  - {name: side, image: 'envoy:2'}\n";

/// Which kind of policy asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    Kyverno,
    Kubernetes,
    Rule,
}

const TRUE: &[&str] = &[
    "true",
    "object.metadata.name == 'web'",
    "has(object.spec.containers)",
    "object.spec.containers.size() == 2",
    "object.spec.?none.orValue('a') == 'a'",
    "'app' in object.metadata.labels",
];

const FALSE: &[&str] = &[
    "false",
    "object.metadata.name == 'db'",
    "has(object.spec.none)",
    "object.spec.containers.exists(c, c.name == 'none')",
];

/// Open for every kind of policy.
const OPEN: &[&str] = &[
    "object.spec.none == 1",
    "object.spec.none.more == 'a'",
    "object.metadata.name + 1 == 2",
    "object.spec.containers[7].name == 'app'",
    "int(object.metadata.name) == 1",
    "object.spec.containers.all(c, c.none == 'a')",
    "variables.broken == 1",
    "object.metadata.labels['none'] == 'a'",
    "timestamp(object.metadata.name) < timestamp('2020-01-01T00:00:00Z')",
];

/// Open where Kyverno's functions are.
const OPEN_BY_KYVERNO: &[&str] = &[
    "http.get('http://a.example').body == 'a'",
    "http.post('http://a.example', {'a': 1}).ok == true",
    "resource.get('v1', 'configmaps', 'shop', 'none').data.a == 'b'",
    "resource.list('v1', 'configmaps', 'shop').items.size() == 0",
    "image.getMetadata('nginx:1').config.user == 'a'",
    "globalContext.get('none', '').a == 'b'",
];

/// What only a cluster could say.
const ALLOWED: &str = "authorizer.group('').resource('pods').check('get').allowed()";

/// Not even compiled.
const UNKNOWN: &[&str] =
    &["nobodyKnows(object)", "object.nobodyKnows()", "nowhere == 1", "variables.nowhere == 1"];

/// An expression, and what is known of it; whether anything in it does not compile.
struct Made {
    text: String,
    known: Known,
    is_unknown: bool,
}

fn atom(choices: &mut Choices, (asks, host): (Asks, Host)) -> Made {
    let (list, known, is_unknown): (&[&str], _, _) = match choices.below(20) {
        0..=8 => (TRUE, True, false),
        9..=12 => (FALSE, False, false),
        13..=16 => (OPEN, Open, false),
        17..=18 => match asks {
            Asks::Kyverno => (OPEN_BY_KYVERNO, Open, false),
            Asks::Kubernetes => (&["params.data.a == 'b'"], Open, false),
            // The original's CLI allows nobody anything; what a cluster would say is not known.
            Asks::Rule => (&[ALLOWED], if host == Host::Cluster { Open } else { False }, false),
        },
        _ => (UNKNOWN, Open, true),
    };
    Made { text: choices.pick(list).to_owned(), known, is_unknown }
}

fn expression(choices: &mut Choices, asks: (Asks, Host), depth: usize) -> Made {
    if depth == 0 || choices.below(3) == 0 {
        return atom(choices, asks);
    }
    let kind = choices.below(6);
    let left = expression(choices, asks, depth - 1);
    let (text, known, is_unknown) = match kind {
        0 | 1 => {
            let right = expression(choices, asks, depth - 1);
            let (operator, deciding) = if kind == 0 { ("&&", False) } else { ("||", True) };
            let known = match (left.known, right.known) {
                (one, other) if one == deciding || other == deciding => deciding,
                (Open, _) | (_, Open) => Open,
                _ => not(deciding),
            };
            (format!("({} {operator} {})", left.text, right.text), known, left.is_unknown || right.is_unknown)
        }
        2 => (format!("!({})", left.text), not(left.known), left.is_unknown),
        3 => {
            let (yes, no) = (expression(choices, asks, depth - 1), expression(choices, asks, depth - 1));
            let known = match left.known {
                True => yes.known,
                False => no.known,
                Open => Open,
            };
            let is_unknown = left.is_unknown || yes.is_unknown || no.is_unknown;
            (format!("(({}) ? ({}) : ({}))", left.text, yes.text, no.text), known, is_unknown)
        }
        // There are two containers: what holds for one holds for all of them.
        4 => (format!("object.spec.containers.all(c, {})", left.text), left.known, left.is_unknown),
        _ => (format!("object.spec.containers.exists(c, {})", left.text), left.known, left.is_unknown),
    };
    Made { text, known, is_unknown }
}

fn not(known: Known) -> Known {
    match known {
        True => False,
        False => True,
        Open => Open,
    }
}

/// What a policy may say at all.
struct Case {
    texts: Vec<(Role, String)>,
    host: Host,
    /// Whether it may pass.
    may_pass: bool,
    /// Whether it has to: nothing is in its way.
    must_pass: bool,
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The text of a policy of this kind.
fn policy(asks: Asks, ignores: bool, validations: &[Made], conditions: &[Made]) -> String {
    let pairs = conditions.iter().enumerate().fold(String::new(), |mut out, (at, made)| {
        let _ = write!(out, "{{name: c{at}, expression: {}}}, ", quoted(&made.text));
        out
    });
    let asked = validations.iter().fold(String::new(), |mut out, made| {
        let _ = write!(out, "{{expression: {}}}, ", quoted(&made.text));
        out
    });
    let variables = "variables: [{name: broken, expression: object.spec.none}]";
    match asks {
        Asks::Kyverno | Asks::Kubernetes => {
            let (group, kind) = if asks == Asks::Kyverno {
                ("policies.kyverno.io/v1", "ValidatingPolicy")
            } else {
                ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy")
            };
            let failure = if ignores { "Ignore" } else { "Fail" };
            format!(
                "apiVersion: {group}\nkind: {kind}\nmetadata: {{name: p}}\nspec:\n  {}failurePolicy: {failure}\n  matchConstraints: \
                 {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}}]}}\n  \
                 matchConditions: [{pairs}]\n  {variables}\n  validations: [{asked}]\n",
                if asks == Asks::Kubernetes {
                    "paramKind: {apiVersion: v1, kind: ConfigMap}\n  "
                } else {
                    ""
                }
            )
        }
        Asks::Rule => format!(
            "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec:\n  rules:\n  - name: r\n    match: {{any: \
             [{{resources: {{kinds: [Pod]}}}}]}}\n    celPreconditions: [{pairs}]\n    validate: {{cel: {{{variables}, expressions: \
             [{asked}]}}}}
"
        ),
    }
}

fn case(choices: &mut Choices) -> Case {
    let asks = match choices.below(3) {
        0 => Asks::Kyverno,
        1 => Asks::Kubernetes,
        _ => Asks::Rule,
    };
    let host = if choices.below(2) == 0 { Host::Cli } else { Host::Cluster };
    let ignores = choices.once_in(4);
    let validations: Vec<Made> =
        (0..=choices.below(2)).map(|_| expression(choices, (asks, host), 3)).collect();
    let conditions: Vec<Made> = if choices.once_in(3) {
        // Conditions of Kyverno's own policies see no variables.
        (0..=choices.below(2))
            .map(|_| expression(choices, (asks, host), 2))
            .filter(|made| !made.text.contains("variables."))
            .collect()
    } else {
        Vec::new()
    };
    let exception = (asks == Asks::Kyverno && choices.once_in(4))
        .then(|| expression(choices, (asks, host), 2))
        .filter(|made| !made.text.contains("variables.") && !made.is_unknown);
    let all = || validations.iter().chain(&conditions);
    let is_met = all().all(|made| made.known == True);
    let compiles = all().all(|made| !made.is_unknown);
    // An exception that exempts passes, where it is said to.
    let exempts = exception.as_ref().is_some_and(|made| made.known == True);
    let breaks = exception.as_ref().is_some_and(|made| made.known == Open) && !ignores;
    let mut texts = Vec::new();
    texts.push((Role::Policies, policy(asks, ignores, &validations, &conditions)));
    if asks == Asks::Kubernetes {
        let params = [
            "",
            ", paramRef: {name: none, parameterNotFoundAction: Deny}",
            ", paramRef: {selector: {}, parameterNotFoundAction: Allow}",
        ];
        let params = choices.pick(&params);
        texts.push((
            Role::Policies,
            format!(
                "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {{name: b}}\nspec: \
                 {{policyName: p, validationActions: [Deny]{params}}}\n"
            ),
        ));
    }
    if let Some(made) = &exception {
        texts.push((
            Role::Exceptions,
            format!(
                "apiVersion: policies.kyverno.io/v1\nkind: PolicyException\nmetadata: {{name: e, namespace: x}}\nspec: {{reportResult: pass, \
                 policyRefs: [{{name: p, kind: ValidatingPolicy}}], matchConditions: [{{name: c, expression: {}}}]}}\n",
                quoted(&made.text)
            ),
        ));
    }
    texts.push((Role::Resources, POD.to_owned()));
    let may_pass = compiles && ((is_met && !breaks) || exempts);
    Case { texts, host, may_pass, must_pass: may_pass && asks == Asks::Kyverno }
}

/// What is said, each row with whether it rests on something that was assumed.
fn said(case: &Case) -> Vec<(Status, bool)> {
    let source = |text: &str| Source { id: SourceId(0), name: "text.yaml".into(), text: text.into() };
    let sources = case.texts.iter().map(|(role, text)| (*role, source(text))).collect();
    let (bundle, diagnostics) = load_with(sources, case.host, WITHOUT_STEPS);
    let options = Options { host: case.host, trace: Recording::Off, places: Locations::Omit };
    let results = apply(&bundle, &StaticWorld::default(), &options).results;
    let rows = results.iter().flat_map(|result| &result.rules);
    let rows = rows.map(|row| (row.status, !row.assumed.is_empty())).collect();
    // A policy that is not there is named as an error.
    let is_named = bundle.policies.len() + bundle.refused.len() > 0;
    assert!(is_named, "{diagnostics:?}");
    rows
}

fn wrong(case: &Case) -> Option<String> {
    let rows = said(case);
    if rows.contains(&(Status::Pass, false)) && !case.may_pass {
        return Some("it passes, and nothing says that it holds".to_owned());
    }
    (case.must_pass && !rows.iter().any(|(status, _)| *status == Status::Pass))
        .then(|| format!("everything holds, and it says {rows:?}"))
}

#[test]
fn what_is_open_never_passes() {
    const SEED: u64 = 20_261_123_210_000;
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    for at in 0..cases() {
        let mut choices = Choices::new(SEED + at as u64);
        let made = case(&mut choices);
        if let Some(why) = wrong(&made) {
            let fails = |numbers: &[u64]| wrong(&case(&mut Choices::again(numbers))).is_some();
            let small = case(&mut Choices::again(&shrunk(&choices.taken, fails)));
            let why = wrong(&small).unwrap_or(why);
            let texts: Vec<_> = small.texts.iter().map(|(_, text)| text.as_str()).collect();
            panic!("case {at} ({:?}): {why}\n{}", small.host, texts.join("---\n"));
        }
        let rows = said(&made);
        *counts.entry(rows.first().map_or("none", |(status, _)| status.as_str()).to_owned()).or_default() +=
            1;
    }
    say(&format!("{} cases: {counts:?}", cases()));
    // A generator that makes no verdict of one kind would prove nothing of it.
    for verdict in ["pass", "fail", "error", "skip", "none"] {
        assert!(counts.get(verdict).copied().unwrap_or_default() * 50 > cases(), "{verdict}: {counts:?}");
    }
}
