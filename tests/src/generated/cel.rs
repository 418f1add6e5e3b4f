//! Random questions about CEL: expressions by themselves, and policies that hold them.
//!
//! In: a seed. Out: the text of a question, as the npm package hands it to its module. Half of the expressions are well typed,
//! the others nearly so; each kind of policy has its turn.

#[path = "../../../engine/cel/tests/all/generate/mod.rs"]
#[expect(
    dead_code,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "made for tests"
)]
mod expressions;

use engine::json::{Map, Value, parse, to_json};
use engine_celpolicy::environment::Kind;
use engine_lenses::wire::{Input, Text};
use expressions::{DOCUMENT, Random, mutated, well_typed};

/// The variables of the expressions, as expressions.
const VARIABLES: &[(&str, &str)] = &[
    ("i", "7"),
    ("u", "3u"),
    ("d", "1.5"),
    ("s", "'abc'"),
    ("y", "b'xyz'"),
    ("b", "true"),
    ("t", "timestamp(1709209845)"),
    ("p", "duration('90s')"),
    ("li", "[3, 1, 2]"),
    ("ls", "['a', 'bb', '']"),
    ("m", "{'a': 1, 'bb': -2}"),
    ("o", "optional.of('there')"),
];

/// Expressions over a document; seeds give the same ones each time.
#[expect(missing_debug_implementations, reason = "a source of numbers")]
pub struct Questions {
    random: Random,
}

impl Questions {
    /// The questions of a seed.
    pub fn new(seed: u64) -> Self {
        Questions { random: Random::new(seed) }
    }

    /// An expression whose variables stand before it, in the place of `_`; one of so many is nearly one.
    fn expression(&mut self, place: &str, nearly: usize) -> Value {
        let depth = 1 + self.random.below(4);
        let inner = match self.random.below(nearly) {
            0 => mutated(&mut self.random),
            _ => well_typed(&mut self.random, depth),
        };
        let bound: Vec<String> =
            VARIABLES.iter().map(|(name, value)| format!("cel.bind({name}, {value}, ")).collect();
        let bound = bound.concat();
        let inner = place.replacen('_', &inner, 1);
        Value::from(format!("{bound}{inner}{}", ")".repeat(VARIABLES.len())))
    }

    /// What `cel` is asked.
    pub fn question(&mut self) -> String {
        let kinds: Vec<&str> = Kind::ALL.iter().map(|(name, _)| *name).collect();
        let mut fields = Map::new();
        fields.insert("expression", self.expression("_", 2));
        fields.insert("kind", Value::from(self.random.one(&kinds)));
        fields.insert("object", parse(DOCUMENT).unwrap_or_default());
        to_json(&Value::object(fields))
    }

    /// What `apply` is asked: a policy whose validations are such expressions.
    pub fn input(&mut self) -> Input {
        let value = self.expression("_", 10);
        let message = self.expression("string(dyn(_))", 10);
        let other = self.expression("dyn(_) == 'abc'", 10);
        let version = self.random.one(&["policies.kyverno.io/v1\nkind: ValidatingPolicy", ADMISSION]);
        let policy = format!(
            "apiVersion: {version}\nmetadata: {{name: p}}\nspec:\n  matchConstraints:\n    resourceRules:\n    - {{apiGroups: ['*'], \
             apiVersions: ['*'], operations: ['*'], resources: ['*']}}\n  variables:\n  - {{name: v, expression: {}}}\n  \
             validations:\n  - expression: {}\n    messageExpression: {}\n  - expression: {}\n",
            to_json(&value),
            to_json(&Value::from("string(variables.v) != string(object.spec.replicas)")),
            to_json(&message),
            to_json(&other),
        );
        let text = |name: &str, text: String| vec![Text { name: name.into(), text }];
        let resource = DOCUMENT.replacen('{', "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",", 1);
        Input {
            policies: text("policy.yaml", policy),
            resources: text("pod.yaml", resource),
            trace: self.random.below(2) == 0,
            ..Input::default()
        }
    }
}

const ADMISSION: &str = "admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy";
