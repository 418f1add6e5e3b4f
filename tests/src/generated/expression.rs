//! Expressions: paths into the request, calls of every function with arguments of about the right kind, and the
//! examples of the functions.

use crate::random::Choices;
use engine_lenses::wire::FunctionDoc;

/// Functions that ask for the time or for random numbers.
const UNSTEADY: &[&str] = &["random", "time_now", "time_now_utc", "time_since"];

const PATHS: &[&str] = &[
    "request.object.metadata.name",
    "request.object.metadata.namespace",
    "request.object.metadata.labels.app",
    "request.object.metadata.labels",
    "request.object.metadata.annotations || `{}`",
    "request.object.metadata.labels.app || 'none'",
    "request.object.spec.containers[].image",
    "request.object.spec.containers[*].name",
    "request.object.spec.[containers, initContainers][]",
    "request.object.spec.containers[?securityContext.privileged].name",
    "request.object.spec.containers[0].resources.limits.memory",
    "request.object.spec.containers[].resources.limits.cpu",
    "request.object.spec.template.spec.containers[].image",
    "request.object.spec.a",
    "request.object.spec.b[0].c",
    "request.object.data.*",
    "request.oldObject.metadata.labels",
    "request.operation",
    "request.namespace",
    "request.userInfo.username",
    "serviceAccountName",
    "images.containers.*.registry",
    "images.*.*.tag | []",
    "length(request.object.spec.containers)",
    "@",
];

const ELEMENT_PATHS: &[&str] =
    &["element", "element.name", "element.image", "elementIndex", "element0.name", "element.securityContext"];

const STRINGS: &[&str] = &[
    "web",
    "",
    "1Gi",
    "500m",
    "1h30m",
    "10",
    "-5",
    "a,b",
    "[a-z]+(",
    "^(?i)web$",
    "*",
    "2026-11-21T09:00:00Z",
    "v1.2.3",
    ">1.0.0",
    "nginx:1.2",
    "a/../b",
    "ü😀",
    "{}",
    "aGVsbG8=",
    "2006-01-02",
    "https://10.0.0.1/x",
    "app: web",
];

const LITERALS: &[&str] = &[
    "`1`",
    "`-3`",
    "`2.5`",
    "`0`",
    "`true`",
    "`null`",
    "`[]`",
    "`{}`",
    "`[1,2,3]`",
    "`[\"1Gi\",\"2\"]`",
    "`[\"b\",\"a\"]`",
    "`{\"a\":{\"b\":1}}`",
    "`[{\"a\":1},{\"a\":2}]`",
    "`9223372036854775807`",
    "`1e300`",
    "`\"x\"`",
];

/// What an expression may speak of beside the request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    /// How many variables the rule has: `v0`, `v1` and so on.
    pub(super) variables: usize,
    pub(super) place: Place,
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the rule itself.
    Rule,
    /// In a loop, which has an element.
    Loop,
}

impl Scope {
    /// The same rule within a loop.
    pub(super) fn within_loop(self) -> Self {
        Scope { place: Place::Loop, ..self }
    }
}

/// What expressions are made of.
pub(super) struct Expressions {
    /// Names of functions, and the kinds of their arguments.
    functions: Vec<(String, Vec<String>)>,
    examples: Vec<String>,
}

impl Expressions {
    pub(super) fn new(rows: &[FunctionDoc]) -> Self {
        let steady = rows.iter().filter(|row| !UNSTEADY.contains(&row.name.as_str()));
        let function = |row: &FunctionDoc| {
            let inner = row.signature.split(['(', ')']).nth(1).unwrap_or("");
            let kinds = inner.split(", ").filter(|kind| !kind.is_empty()).map(str::to_owned);
            (row.name.clone(), kinds.collect::<Vec<_>>())
        };
        Expressions {
            functions: steady.clone().map(function).collect(),
            examples: steady
                .flat_map(|row| row.examples.iter().map(|example| example.expression.clone()))
                .collect(),
        }
    }

    /// An expression.
    pub(super) fn expression(&self, choices: &mut Choices, scope: Scope, depth: usize) -> String {
        match choices.below(if depth == 0 { 4 } else { 9 }) {
            0 | 1 if scope.place == Place::Loop => choices.pick(ELEMENT_PATHS).to_owned(),
            3 if scope.variables > 0 => format!("v{}", choices.below(scope.variables)),
            0..=3 if choices.once_in(80) => {
                choices.pick(&["v9", "nothing.here", "element", "request.object.spec.none"]).to_owned()
            }
            0..=3 => choices.pick(PATHS).to_owned(),
            4 => self.examples.get(choices.below(self.examples.len())).cloned().unwrap_or_default(),
            5 => {
                let operator = choices.pick(&["||", "&&", "==", "!=", "<", ">=", "|"]);
                let [left, right] = [(); 2].map(|()| self.expression(choices, scope, depth - 1));
                format!("{left} {operator} {right}")
            }
            6 => format!(
                "({})[{}]",
                self.expression(choices, scope, depth - 1),
                choices.pick(&["0", "-1", "*", "", "1:", "?a", "::-1"])
            ),
            _ => self.call(choices, scope, depth - 1),
        }
    }

    fn call(&self, choices: &mut Choices, scope: Scope, depth: usize) -> String {
        let Some((name, kinds)) = self.functions.get(choices.below(self.functions.len())) else {
            return "@".to_owned();
        };
        let arguments: Vec<String> = kinds
            .iter()
            .map(|kind| match (choices.below(6), kind.as_str()) {
                (_, "expref") => format!("&{}", choices.pick(&["a", "name", "@", "a.b", "length(@)"])),
                (0, _) => self.expression(choices, scope, depth),
                (1, _) => choices.pick(LITERALS).to_owned(),
                (_, kind) if kind.contains("string") => format!("'{}'", choices.pick(STRINGS)),
                (_, "number") => choices.pick(&["`1`", "`-3`", "`2.5`", "`0`", "`1e300`"]).to_owned(),
                _ => choices.pick(LITERALS).to_owned(),
            })
            .collect();
        format!("{name}({})", arguments.join(", "))
    }

    /// A text with a variable in it, or without one. Most variables have something to fall back on.
    pub(super) fn text(&self, choices: &mut Choices, scope: Scope) -> String {
        let variable = |choices: &mut Choices, depth: usize| {
            let expression = self.expression(choices, scope, depth);
            match choices.below(4) {
                0 | 1 => format!("{{{{ {expression} || 'web' }}}}"),
                2 => format!("{{{{ to_string({expression} || `[]`) }}}}"),
                _ => format!("{{{{ {expression} }}}}"),
            }
        };
        match choices.below(5) {
            0 => choices.pick(STRINGS).to_owned(),
            1 => format!("x-{}-y", variable(choices, 1)),
            2 if choices.once_in(6) => {
                "{{ request.object.metadata.{{ request.object.metadata.labels.app || 'name' }} }}".to_owned()
            }
            _ => variable(choices, 2),
        }
    }
}
