//! Formats of text, by name (Kubernetes: `library/format.go`).

use super::{held, names, one, opaque, text, two};
use engine_cel::cost::{Cost, size, traversal};
use engine_cel::error::Outcome;
use engine_cel::function::{Function, Overload, Run};
use engine_cel::value::{Equality, Opaque, Value};
use engine_values::network::url::Url;
use engine_values::time::Time;
use std::any::Any;

/// A function that gives a format.
macro_rules! named {
    ($name:literal, $note:literal, $example:expr) => {
        Function {
            name: concat!("format.", $name),
            overloads: &[Overload::new(concat!("format.", $name), "() -> kubernetes.NamedFormat")
                .run(Run::Zero(|_| given($name)))],
            note: $note,
            examples: &[$example],
        }
    };
}

/// The rows.
pub const ROWS: &[Function] = &[
    Function {
        name: "validate",
        overloads: &[two(
            "format-validate",
            "kubernetes.NamedFormat.(string) -> optional_type(list(string))",
            |_, format, value| validate(&format, &value),
        )
        .cost_by_name(VALIDATE)],
        note: "What is wrong with a text, as an optional list: none where it has the format.",
        examples: &[("format.dns1123Label().validate('my-label').hasValue()", "false")],
    },
    Function {
        name: "format.named",
        overloads: &[one("format-named", "(string) -> optional_type(kubernetes.NamedFormat)", |_, name| {
            Ok(find(text(&name)).map_or(Value::Optional(None), |format| Value::some(opaque(*format))))
        })],
        note: "The format of this name, as an optional value.",
        examples: &[("format.named('uuid').hasValue()", "true"), ("format.named('x').hasValue()", "false")],
    },
    named!(
        "dns1123Label",
        "The format of names of Namespaces.",
        ("format.dns1123Label().validate('a.b').value()", "[\"must not contain dots\"]")
    ),
    named!(
        "dns1123Subdomain",
        "The format of most names.",
        ("format.dns1123Subdomain().validate('a.b').hasValue()", "false")
    ),
    named!(
        "dns1035Label",
        "The format of names of Services: it begins with a letter.",
        ("format.dns1035Label().validate('1a').hasValue()", "true")
    ),
    named!(
        "qualifiedName",
        "The format of keys of labels.",
        ("format.qualifiedName().validate('example.com/app').hasValue()", "false")
    ),
    named!(
        "dns1123LabelPrefix",
        "The start of such a name: it may end with a dash.",
        ("format.dns1123LabelPrefix().validate('a-').hasValue()", "false")
    ),
    named!(
        "dns1123SubdomainPrefix",
        "The start of such a name: it may end with a dash.",
        ("format.dns1123SubdomainPrefix().validate('a.b-').hasValue()", "false")
    ),
    named!(
        "dns1035LabelPrefix",
        "The start of such a name: it may end with a dash.",
        ("format.dns1035LabelPrefix().validate('a-').hasValue()", "false")
    ),
    named!(
        "labelValue",
        "The format of values of labels.",
        ("format.labelValue().validate('').hasValue()", "false")
    ),
    named!(
        "uri",
        "A URL: absolute, or an absolute path.",
        ("format.uri().validate('/a').hasValue()", "false")
    ),
    named!(
        "uuid",
        "Eight, four, four, four and twelve hexadecimal digits.",
        ("format.uuid().validate('x').value()", "[\"does not match the UUID format\"]")
    ),
    named!("byte", "Base64.", ("format.byte().validate('!').value()", "[\"invalid base64\"]")),
    named!("date", "`2006-01-02`.", ("format.date().validate('2020-1-1').value()", "[\"invalid date\"]")),
    named!(
        "datetime",
        "`2006-01-02T15:04:05Z`.",
        ("format.datetime().validate('x').value()", "[\"invalid datetime\"]")
    ),
];

/// A format: its name, what is wrong with a text, and the length of the regular expression by which it is charged.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    name: &'static str,
    wrong: fn(&str) -> Vec<String>,
    weight: u64,
}

impl Opaque for Format {
    fn type_name(&self) -> &'static str {
        "kubernetes.NamedFormat"
    }

    fn go_type(&self) -> &'static str {
        "cel.Format"
    }

    fn is_hashable(&self) -> bool {
        false
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equal(&self, other: &Value<'_>) -> Equality {
        held::<Format>(other).map_or(Equality::NoOverload, |other| (self.name == other.name).into())
    }
}

const UUID: &str = "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}";
const TIME: &str = "([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))";
const BASE64: &str = r"(?:[A-Za-z0-9+\/]{4})*(?:[A-Za-z0-9+\/]{2}==|[A-Za-z0-9+\/]{3}=|[A-Za-z0-9+\/]{4})";

/// The length of the pattern by which `datetime` and `date` are charged, with its anchors.
const TIME_WEIGHT: u64 = TIME.len() as u64 + 2;

/// All formats.
const FORMATS: &[Format] = &[
    Format { name: "dns1123Label", wrong: names::label, weight: 30 },
    Format { name: "dns1123Subdomain", wrong: names::subdomain, weight: 60 },
    Format { name: "dns1035Label", wrong: names::old_label, weight: 30 },
    Format { name: "qualifiedName", wrong: names::label_key, weight: 60 },
    Format {
        name: "dns1123LabelPrefix",
        wrong: |text| names::label(&names::before_suffix(text)),
        weight: 30,
    },
    Format {
        name: "dns1123SubdomainPrefix",
        wrong: |text| names::subdomain(&names::before_suffix(text)),
        weight: 60,
    },
    Format {
        name: "dns1035LabelPrefix",
        wrong: |text| names::old_label(&names::before_suffix(text)),
        weight: 30,
    },
    Format { name: "labelValue", wrong: names::label_value, weight: 40 },
    Format { name: "uri", wrong: |text| Url::parse_request(text).err().into_iter().collect(), weight: 1103 },
    Format {
        name: "uuid",
        wrong: |text| unless(names::fits(UUID, text), "does not match the UUID format"),
        weight: 69,
    },
    Format { name: "byte", wrong: |text| unless(names::fits(BASE64, text), "invalid base64"), weight: 84 },
    Format { name: "date", wrong: |text| unless(is_date(text), "invalid date"), weight: TIME_WEIGHT },
    Format {
        name: "datetime",
        wrong: |text| unless(is_datetime(text), "invalid datetime"),
        weight: TIME_WEIGHT,
    },
];

fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

fn given(name: &str) -> Outcome<'static> {
    Ok(find(name).map_or(Value::Null, |format| opaque(*format)))
}

fn unless(right: bool, wrong: &str) -> Vec<String> {
    if right { Vec::new() } else { vec![wrong.to_owned()] }
}

fn is_date(text: &str) -> bool {
    Time::parse("2006-01-02", text).is_ok()
}

// kube-openapi: strfmt.IsDateTime; what stands behind a second `t` is not looked at.
fn is_datetime(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut parts = text.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else { return false };
    let at_most = |start: usize, most: &str| time.get(start..start + 2).is_some_and(|digits| digits <= most);
    text.len() >= 4
        && is_date(date)
        && names::fits(TIME, time)
        && at_most(0, "23")
        && at_most(3, "59")
        && at_most(6, "59")
}

/// The text once for each four characters of the pattern.
const VALIDATE: Cost = Cost::Args(|args| {
    let weight = args.first().and_then(|format| held::<Format>(format).ok()).map(|format| format.weight);
    let text = args.get(1).map_or(1, size);
    weight.map_or(1, |weight| traversal(text + 1, 1) * weight.div_ceil(4))
});

fn validate<'v>(format: &Value<'_>, value: &Value<'_>) -> Outcome<'v> {
    let wrong = (held::<Format>(format)?.wrong)(text(value));
    if wrong.is_empty() {
        return Ok(Value::Optional(None));
    }
    Ok(Value::some(Value::list(wrong.iter().map(|reason| Value::text(reason)).collect())))
}
