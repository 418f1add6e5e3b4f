//! What policies of HTTP and Envoy answer a request with, and how they read one.
//!
//! In: the request, reasons and codes. Out: a response, which `verdict` reads; what else a response carries (headers, a body,
//! metadata) decides nothing and is taken as it is.
//!
//! Mirrors: `pkg/cel/libs/authz/{http,envoy}/impl.go` and `libs/{json,mcp}` of kyverno-authz.

use super::message::Message;
use super::outside::ask;
use super::{held, json, many, one, text, two};
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host, Overload, Run};
use engine_cel::value::{ListRef, Map, Value};
use engine_json::Str;

/// A function without examples: its values are of a request.
macro_rules! row {
    ($name:literal, $note:literal, $($overload:expr),+ $(,)?) => {
        Function { name: $name, overloads: &[$($overload),+], note: $note, examples: &[] }
    };
}

/// An overload that gives what it was called on: what it adds decides nothing.
macro_rules! same {
    ($id:literal, $signature:literal) => {
        Overload::new($id, $signature)
            .run(Run::Many(|_, args| args.first().cloned().ok_or_else(Error::no_overload)))
    };
}

/// The rows of HTTP.
pub const HTTP: &[Function] = &[
    row!(
        "http.Allowed",
        "A request that is let through.",
        Overload::new("http_allowed", "() -> http.CheckResponseOk")
            .run(Run::Zero(|_| Ok(typed("http.CheckResponseOk", []))))
    ),
    row!(
        "http.Denied",
        "A request that is refused, with a reason.",
        one("http_denied_string", "(string) -> http.CheckResponseDenied", |_, reason| {
            Ok(typed("http.CheckResponseDenied", [("reason", reason)]))
        })
    ),
    row!(
        "Header",
        "The values of a header.",
        two(
            "http_get_header_string",
            "http.CheckRequestAttributes.(string) -> list(string)",
            |_, request, key| { values(&request, "header", &canonical(text(&key))) }
        )
    ),
    row!(
        "QueryParam",
        "The values of a parameter of the query.",
        two(
            "http_get_queryparam_string",
            "http.CheckRequestAttributes.(string) -> list(string)",
            |_, request, key| { values(&request, "query", text(&key)) }
        )
    ),
    row!(
        "Response",
        "The response.",
        one("http_response_ok", "http.CheckResponseOk.() -> http.CheckResponse", |_, ok| {
            Ok(typed("http.CheckResponse", [("ok", ok)]))
        }),
        one("http_response_denied", "http.CheckResponseDenied.() -> http.CheckResponse", |_, denied| {
            Ok(typed("http.CheckResponse", [("denied", denied)]))
        }),
    ),
];

/// The rows of Envoy.
pub const ENVOY: &[Function] = &[
    row!(
        "envoy.Allowed",
        "A request that is let through.",
        Overload::new("allowed", "() -> envoy.service.auth.v3.OkHttpResponse")
            .run(Run::Zero(|_| Ok(typed("envoy.service.auth.v3.OkHttpResponse", []))))
    ),
    row!(
        "envoy.Denied",
        "A request that is refused, with a status code.",
        one("denied", "(int) -> envoy.service.auth.v3.DeniedHttpResponse", denied)
    ),
    row!(
        "envoy.Header",
        "A header.",
        two(
            "header_key_value",
            "(string, string) -> envoy.config.core.v3.HeaderValueOption",
            |_, key, value| {
                let header = typed("envoy.config.core.v3.HeaderValue", [("key", key), ("value", value)]);
                Ok(typed("envoy.config.core.v3.HeaderValueOption", [("header", header)]))
            }
        )
    ),
    row!(
        "envoy.QueryParam",
        "A parameter of the query.",
        two(
            "queryparam_key_value",
            "(string, string) -> envoy.config.core.v3.QueryParameter",
            |_, key, value| {
                Ok(typed("envoy.config.core.v3.QueryParameter", [("key", key), ("value", value)]))
            }
        )
    ),
    row!(
        "WithBody",
        "The same with a body.",
        same!(
            "denied_with_body",
            "envoy.service.auth.v3.DeniedHttpResponse.(string) -> envoy.service.auth.v3.DeniedHttpResponse"
        )
    ),
    row!(
        "WithHeader",
        "The same with a header.",
        same!(
            "ok_with_header_header",
            "envoy.service.auth.v3.OkHttpResponse.(envoy.config.core.v3.HeaderValueOption) -> envoy.service.auth.v3.OkHttpResponse"
        ),
        same!(
            "ok_with_header_string_string",
            "envoy.service.auth.v3.OkHttpResponse.(string, string) -> envoy.service.auth.v3.OkHttpResponse"
        ),
        same!(
            "denied_with_header_header",
            "envoy.service.auth.v3.DeniedHttpResponse.(envoy.config.core.v3.HeaderValueOption) -> envoy.service.auth.v3.DeniedHttpResponse"
        ),
        same!(
            "denied_with_header_string_string",
            "envoy.service.auth.v3.DeniedHttpResponse.(string, string) -> envoy.service.auth.v3.DeniedHttpResponse"
        ),
    ),
    row!(
        "WithoutHeader",
        "The same with a header taken away.",
        same!(
            "ok_without_header",
            "envoy.service.auth.v3.OkHttpResponse.(string) -> envoy.service.auth.v3.OkHttpResponse"
        )
    ),
    row!(
        "WithResponseHeader",
        "The same with a header of the answer.",
        same!(
            "ok_with_response_header_header",
            "envoy.service.auth.v3.OkHttpResponse.(envoy.config.core.v3.HeaderValueOption) -> envoy.service.auth.v3.OkHttpResponse"
        ),
        same!(
            "ok_with_response_header_string_string",
            "envoy.service.auth.v3.OkHttpResponse.(string, string) -> envoy.service.auth.v3.OkHttpResponse"
        ),
    ),
    row!(
        "WithQueryParam",
        "The same with a parameter of the query.",
        same!(
            "ok_with_queryparam_param",
            "envoy.service.auth.v3.OkHttpResponse.(envoy.config.core.v3.QueryParameter) -> envoy.service.auth.v3.OkHttpResponse"
        ),
        same!(
            "ok_with_queryparam_string_string",
            "envoy.service.auth.v3.OkHttpResponse.(string, string) -> envoy.service.auth.v3.OkHttpResponse"
        ),
    ),
    row!(
        "WithoutQueryParam",
        "The same with a parameter of the query taken away.",
        same!(
            "ok_without_queryparam_string",
            "envoy.service.auth.v3.OkHttpResponse.(string) -> envoy.service.auth.v3.OkHttpResponse"
        )
    ),
    row!(
        "KeepEmptyValue",
        "The same, kept where it is empty.",
        same!(
            "header_keep_empty_value",
            "envoy.config.core.v3.HeaderValueOption.() -> envoy.config.core.v3.HeaderValueOption"
        ),
        same!(
            "header_keep_empty_value_bool",
            "envoy.config.core.v3.HeaderValueOption.(bool) -> envoy.config.core.v3.HeaderValueOption"
        ),
    ),
    row!(
        "Response",
        "The response.",
        one(
            "ok_response",
            "envoy.service.auth.v3.OkHttpResponse.() -> envoy.service.auth.v3.CheckResponse",
            |_, ok| Ok(typed("envoy.service.auth.v3.CheckResponse", [("ok_response", ok)]))
        ),
        one(
            "denied_response",
            "envoy.service.auth.v3.DeniedHttpResponse.() -> envoy.service.auth.v3.CheckResponse",
            |_, denied| Ok(typed("envoy.service.auth.v3.CheckResponse", [("denied_response", denied)]))
        ),
    ),
    row!(
        "WithMessage",
        "The same with a message.",
        same!(
            "response_ok_with_message",
            "envoy.service.auth.v3.CheckResponse.(string) -> envoy.service.auth.v3.CheckResponse"
        )
    ),
    row!(
        "WithMetadata",
        "The same with metadata.",
        same!(
            "response_ok_with_metadata",
            "envoy.service.auth.v3.CheckResponse.(map(string, dyn)) -> envoy.service.auth.v3.CheckResponse"
        )
    ),
];

/// An overload that gives the default: nothing of a call is known here.
macro_rules! default {
    ($id:literal, $signature:literal) => {
        many($id, $signature, |_, args| args.get(2).cloned().ok_or_else(Error::no_overload))
    };
}

/// The rows that both have.
pub const BOTH: &[Function] = &[
    row!(
        "Unmarshal",
        "The value that a JSON text is; its numbers are doubles.",
        two("unmarshal_string_dyn", "json.Json.(dyn) -> dyn", json::unmarshal)
    ),
    row!(
        "Parse",
        "A request of the Model Context Protocol.",
        two("mcp_parse_bytes_dyn", "mcp.MCP.(dyn) -> mcp.MCPRequest", |host, _, body| {
            ask(host.outside, "mcp.Parse", &[body])
        })
    ),
    row!(
        "GetStringArgument",
        "An argument of a call, or a default.",
        default!("mcp_get_string", "mcp.MCPRequest.(string, string) -> string")
    ),
    row!(
        "GetIntArgument",
        "An argument of a call, or a default.",
        default!("mcp_get_int", "mcp.MCPRequest.(string, int) -> int")
    ),
    row!(
        "GetFloatArgument",
        "An argument of a call, or a default.",
        default!("mcp_get_float", "mcp.MCPRequest.(string, double) -> double")
    ),
    row!(
        "GetBoolArgument",
        "An argument of a call, or a default.",
        default!("mcp_get_bool", "mcp.MCPRequest.(string, bool) -> bool")
    ),
    row!(
        "GetStringSliceArgument",
        "An argument of a call, or a default.",
        default!("mcp_get_string_slice", "mcp.MCPRequest.(string, list(string)) -> list(string)")
    ),
    row!(
        "GetIntSliceArgument",
        "An argument of a call, or a default.",
        default!("mcp_get_int_slice", "mcp.MCPRequest.(string, list(int)) -> list(int)")
    ),
    row!(
        "GetFloatSliceArgument",
        "An argument of a call, or a default.",
        default!("mcp_get_float_slice", "mcp.MCPRequest.(string, list(double)) -> list(double)")
    ),
    row!(
        "GetBoolSliceArgument",
        "An argument of a call, or a default.",
        default!("mcp_get_bool_slice", "mcp.MCPRequest.(string, list(bool)) -> list(bool)")
    ),
];

/// A map of a type, as a function makes it and no expression.
fn typed<'v, const N: usize>(name: &'static str, entries: [(&'static str, Value<'v>); N]) -> Value<'v> {
    let entries = entries.into_iter().map(|(name, value)| (Value::Str(name), value));
    let mut map: Map<'v> = entries.collect();
    map.type_name = Some(Str::new_static(name));
    map.is_document = true;
    Value::map(map)
}

// cel-go: Int.ConvertToNative of an enumeration.
fn denied<'v>(_: &mut Host<'_>, code: Value<'v>) -> Outcome<'v> {
    if !matches!(code, Value::Int(code) if i32::try_from(code).is_ok()) {
        return Err(Error::text("integer overflow"));
    }
    let status = typed("envoy.type.v3.HttpStatus", [("code", code)]);
    Ok(typed("envoy.service.auth.v3.DeniedHttpResponse", [("status", status)]))
}

/// The values of a name in a field of the request that holds lists.
fn values<'v>(request: &Value<'_>, field: &str, name: &str) -> Outcome<'v> {
    let found = engine_cel::value::Opaque::field(held::<Message>(request)?, field);
    let values = found.as_ref().and_then(Value::as_map).and_then(|lists| lists.get(&Value::text(name)));
    let values = values.as_ref().and_then(Value::as_list);
    let texts = values.into_iter().flat_map(ListRef::iter).map(|value| Value::text(text(&value)));
    Ok(Value::list(texts.collect()))
}

/// A name of a header as Go writes it: `x-token` is `X-Token`; one with characters that none has stays.
// Go: textproto.CanonicalMIMEHeaderKey.
fn canonical(name: &str) -> String {
    let is_of_names = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if !name.chars().all(is_of_names) {
        return name.to_owned();
    }
    let mut is_first = true;
    let change = |c: char| {
        let changed = if is_first { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
        is_first = c == '-';
        changed
    };
    name.chars().map(change).collect()
}

/// What a response says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The request is let through.
    Allowed,
    /// It is refused, with a reason or a code.
    Denied(String),
    /// Neither stands there.
    Neither,
    /// It is of a kind that nobody takes.
    Foreign,
}

/// What a response says; `None` for one that is null.
pub fn verdict(response: &Value<'_>) -> Option<Verdict> {
    fn field<'v>(of: &Value<'v>, name: &'static str) -> Option<Value<'v>> {
        of.as_map()?.get(&Value::Str(name))
    }
    if matches!(response, Value::Null) {
        return None;
    }
    if field(response, "ok").is_some() {
        return Some(Verdict::Allowed);
    }
    if let Some(denied) = field(response, "denied") {
        let reason = field(&denied, "reason");
        return Some(Verdict::Denied(reason.as_ref().map_or("", text).to_owned()));
    }
    // cel-go: what an expression makes of a message of protobuf is not what the server takes.
    if matches!(response, Value::Map(map) if !map.is_document
        && map.type_name.as_ref().is_some_and(|name| name.starts_with("envoy.")))
    {
        return Some(Verdict::Foreign);
    }
    if field(response, "ok_response").is_some() {
        return Some(Verdict::Allowed);
    }
    let Some(denied) = field(response, "denied_response") else { return Some(Verdict::Neither) };
    let code = field(&denied, "status").and_then(|status| field(&status, "code"));
    Some(Verdict::Denied(code.unwrap_or(Value::Int(0)).to_string()))
}
