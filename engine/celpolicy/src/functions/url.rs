//! URLs taken apart (Kubernetes: `library/urls.go`).

#![expect(
    clippy::redundant_closure_for_method_calls,
    reason = "a method of a type with a lifetime is not general enough to be handed on"
)]

use super::{held, one, opaque, text};
use engine_cel::cost;
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host};
use engine_cel::value::{Equality, Map, Opaque, Value};
use engine_json::ordered::OrderedMap;
use engine_values::network::url::Url;
use std::any::Any;

/// The rows.
pub const ROWS: &[Function] = &[
    Function {
        name: "url",
        overloads: &[one("string_to_url", "(string) -> kubernetes.URL", url).cost_by_name(cost::TEXT)],
        note: "The URL that a text is: absolute, or an absolute path.",
        examples: &[("url('/a/b').getEscapedPath()", "\"/a/b\"")],
    },
    Function {
        name: "isURL",
        overloads: &[one("is_url_string", "(string) -> bool", |_, value| {
            Ok(Value::Bool(Url::parse_request(text(&value)).is_ok()))
        })],
        note: "Whether a text is a URL: absolute, or an absolute path.",
        examples: &[("isURL('https://example.com')", "true"), ("isURL('a')", "false")],
    },
    Function {
        name: "getScheme",
        overloads: &[one("url_get_scheme", "kubernetes.URL.() -> string", |_, value| {
            part(&value, |url| url.scheme().to_owned())
        })],
        note: "The scheme in small letters.",
        examples: &[("url('HTTPS://example.com').getScheme()", "\"https\"")],
    },
    Function {
        name: "getHost",
        overloads: &[one("url_get_host", "kubernetes.URL.() -> string", |_, value| {
            part(&value, |url| url.host_text())
        })],
        note: "The host with its port.",
        examples: &[("url('https://example.com:80/').getHost()", "\"example.com:80\"")],
    },
    Function {
        name: "getHostname",
        overloads: &[one("url_get_hostname", "kubernetes.URL.() -> string", |_, value| {
            part(&value, |url| url.host_name())
        })],
        note: "The host without its port.",
        examples: &[("url('https://[::1]:80/').getHostname()", "\"::1\"")],
    },
    Function {
        name: "getPort",
        overloads: &[one("url_get_port", "kubernetes.URL.() -> string", |_, value| {
            part(&value, |url| url.port())
        })],
        note: "The port, empty where there is none.",
        examples: &[("url('https://example.com:80/').getPort()", "\"80\"")],
    },
    Function {
        name: "getEscapedPath",
        overloads: &[one("url_get_escaped_path", "kubernetes.URL.() -> string", |_, value| {
            part(&value, |url| url.escaped_path())
        })],
        note: "The path, escaped.",
        examples: &[("url('https://example.com/a b').getEscapedPath()", "\"/a%20b\"")],
    },
    Function {
        name: "getQuery",
        overloads: &[one("url_get_query", "kubernetes.URL.() -> map(string, list(string))", query)],
        note: "The values of the query by their names.",
        examples: &[("url('/?a=1&a=2').getQuery()", "{\"a\":[\"1\",\"2\"]}")],
    },
];

/// A URL as a value: its text, which has been read once.
#[derive(Debug)]
pub struct UrlValue(pub String);

impl UrlValue {
    /// The parts.
    pub fn parts(&self) -> Url<'_> {
        Url::parse(&self.0).unwrap_or_default()
    }
}

impl Opaque for UrlValue {
    fn type_name(&self) -> &'static str {
        "kubernetes.URL"
    }

    fn go_type(&self) -> &'static str {
        "cel.URL"
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equal(&self, other: &Value<'_>) -> Equality {
        let Ok(other) = held::<UrlValue>(other) else { return Equality::NoOverload };
        let (a, b) = (self.parts(), other.parts());
        (a.to_value() == b.to_value() && a.user() == b.user()).into()
    }

    fn show(&self) -> String {
        self.0.clone()
    }
}

const PREFIX: &str = "URL parse error during conversion from string";

// Kubernetes: read twice, since only a request's URL has to be absolute and only the other one has a fragment.
fn url<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    let text = text(&value);
    let wrong = |reason: String| Error::text(format!("{PREFIX}: {reason}"));
    Url::parse_request(text).map_err(wrong)?;
    Url::parse(text).map_err(wrong)?;
    Ok(opaque(UrlValue(text.to_owned())))
}

fn part<'v>(value: &Value<'_>, part: impl Fn(&Url<'_>) -> String) -> Outcome<'v> {
    Ok(Value::text(&part(&held::<UrlValue>(value)?.parts())))
}

fn query<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    let mut lists: OrderedMap<String, Vec<Value<'v>>> = OrderedMap::new();
    for (name, value) in held::<UrlValue>(&value)?.parts().query() {
        lists.entry(name).or_default().push(Value::text(&value));
    }
    let entries = lists.into_iter().map(|(name, values)| (Value::text(&name), Value::list(values)));
    Ok(Value::map(entries.collect::<Map<'v>>()))
}
