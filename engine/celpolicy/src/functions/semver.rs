//! Semantic versions: `1.2.3-rc.1` (Kubernetes: `library/semverlib.go`).

use super::{held, one, opaque, text, two};
use engine_cel::cost;
use engine_cel::error::{Error, Outcome};
use engine_cel::function::Function;
use engine_cel::value::{Equality, Opaque, Value};
use engine_values::semver::Version;
use std::any::Any;
use std::cmp::Ordering;

/// The rows.
pub const ROWS: &[Function] = &[
    Function {
        name: "semver",
        overloads: &[
            one("string_to_semver", "(string) -> kubernetes.Semver", |_, value| version(&value, false))
                .cost_by_name(cost::TEXT),
            two("string_bool_to_semver", "(string, bool) -> kubernetes.Semver", |_, value, loose| {
                version(&value, loose.as_bool() == Some(true))
            })
            .cost_by_name(cost::TEXT),
        ],
        note: "The version that a text is; with `true` also where it begins with `v` or is short.",
        examples: &[("semver('v1.2', true) == semver('1.2.0')", "true")],
    },
    Function {
        name: "isSemver",
        overloads: &[
            one("is_semver_string", "(string) -> bool", |_, value| Ok(is_version(&value, false)))
                .cost_by_name(cost::TEXT),
            two("is_semver_string_bool", "(string, bool) -> bool", |_, value, loose| {
                Ok(is_version(&value, loose.as_bool() == Some(true)))
            })
            .cost_by_name(cost::TEXT),
        ],
        note: "Whether a text is a version.",
        examples: &[("isSemver('1.2')", "false"), ("isSemver('1.2', true)", "true")],
    },
    Function {
        name: "isGreaterThan",
        overloads: &[two(
            "semver_is_greater_than",
            "kubernetes.Semver.(kubernetes.Semver) -> bool",
            |_, a, b| ordered(&a, &b, |order| Value::Bool(order == Ordering::Greater)),
        )],
        note: "Whether the version is the later one.",
        examples: &[("semver('1.10.0').isGreaterThan(semver('1.9.0'))", "true")],
    },
    Function {
        name: "isLessThan",
        overloads: &[two(
            "semver_is_less_than",
            "kubernetes.Semver.(kubernetes.Semver) -> bool",
            |_, a, b| ordered(&a, &b, |order| Value::Bool(order == Ordering::Less)),
        )],
        note: "Whether the version is the earlier one.",
        examples: &[("semver('1.0.0-rc.1').isLessThan(semver('1.0.0'))", "true")],
    },
    Function {
        name: "compareTo",
        overloads: &[two("semver_compare_to", "kubernetes.Semver.(kubernetes.Semver) -> int", |_, a, b| {
            ordered(&a, &b, |order| Value::Int(order as i64))
        })],
        note: "-1, 0 or 1: what the version is to the other one.",
        examples: &[("semver('1.0.0').compareTo(semver('1.0.0+build'))", "0")],
    },
    Function {
        name: "major",
        overloads: &[one("semver_major", "kubernetes.Semver.() -> int", |_, value| {
            Ok(number(read(&value)?.major))
        })],
        note: "The first number of the version.",
        examples: &[("semver('1.2.3').major()", "1")],
    },
    Function {
        name: "minor",
        overloads: &[one("semver_minor", "kubernetes.Semver.() -> int", |_, value| {
            Ok(number(read(&value)?.minor))
        })],
        note: "The second number of the version.",
        examples: &[("semver('1.2.3').minor()", "2")],
    },
    Function {
        name: "patch",
        overloads: &[one("semver_patch", "kubernetes.Semver.() -> int", |_, value| {
            Ok(number(read(&value)?.patch))
        })],
        note: "The third number of the version.",
        examples: &[("semver('1.2.3').patch()", "3")],
    },
];

/// A version as a value.
#[derive(Debug)]
pub struct VersionValue(pub Version);

impl Opaque for VersionValue {
    fn type_name(&self) -> &'static str {
        "kubernetes.Semver"
    }

    fn go_type(&self) -> &'static str {
        "cel.Semver"
    }

    fn is_hashable(&self) -> bool {
        false
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equal(&self, other: &Value<'_>) -> Equality {
        read(other).map_or(Equality::NoOverload, |other| (self.0 == *other).into())
    }

    fn show(&self) -> String {
        self.0.to_string()
    }
}

fn read<'a>(value: &'a Value<'_>) -> Result<&'a Version, Box<Error>> {
    held::<VersionValue>(value).map(|value| &value.0)
}

fn parsed(value: &Value<'_>, loose: bool) -> Result<Version, String> {
    let parse = if loose { Version::parse_loosely } else { Version::parse };
    parse(text(value)).map_err(|error| error.to_string())
}

fn version<'v>(value: &Value<'_>, loose: bool) -> Outcome<'v> {
    parsed(value, loose).map(|version| opaque(VersionValue(version))).map_err(Error::text)
}

fn is_version(value: &Value<'_>, loose: bool) -> Value<'static> {
    Value::Bool(parsed(value, loose).is_ok())
}

fn ordered<'v>(a: &Value<'_>, b: &Value<'_>, give: fn(Ordering) -> Value<'static>) -> Outcome<'v> {
    Ok(give(read(a)?.cmp(read(b)?)))
}

/// Go converts and lets what is too large wrap.
fn number(number: u64) -> Value<'static> {
    Value::Int(number.cast_signed())
}
