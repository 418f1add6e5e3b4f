//! The environments of policies that answer requests of HTTP and of Envoy.
//!
//! In: whose requests. Out: an [`Environment`]: cel-go with its extensions and some libraries, without a limit of cost.
//! Mirrors: `pkg/cel/env.go` and `pkg/engine/compiler/compiler.go` of kyverno-authz.

use super::{Environment, VARIABLES, types};
use crate::functions as own;
use engine::resource::Protocol;
use engine_cel::ast::Literal;
use engine_cel::env::{Env, Identifier, TypeKind};
use engine_cel::function::Function;
use engine_cel::standard;
use engine_cel::syntax::{self, Macro};
use engine_cel::types::Type;
use engine_json::Str;

/// The macros of cel-go and its extensions, without Kyverno's own.
const MACROS: &[&[Macro]] =
    &[syntax::STANDARD, syntax::OPTIONAL, syntax::BINDINGS, syntax::MATH, syntax::LISTS, syntax::PROTOS];

/// Names of methods of the Model Context Protocol.
const METHODS: &[(&str, &str)] = &[
    ("mcp.InitializeMethod", "initialize"),
    ("mcp.PingMethod", "ping"),
    ("mcp.ResourcesListMethod", "resources/list"),
    ("mcp.ResourcesTemplatesListMethod", "resources/templates/list"),
    ("mcp.ResourcesReadMethod", "resources/read"),
    ("mcp.PromptsListMethod", "prompts/list"),
    ("mcp.PromptsGetMethod", "prompts/get"),
    ("mcp.ToolsListMethod", "tools/list"),
    ("mcp.ToolsCallMethod", "tools/call"),
    ("mcp.SetLogLevelMethod", "logging/setLevel"),
    ("mcp.ElicitationCreateMethod", "elicitation/create"),
];

/// The names of `envoy.type.v3.StatusCode`.
const STATUS_CODES: &[(&str, i64)] = &[
    ("Empty", 0),
    ("Continue", 100),
    ("OK", 200),
    ("Created", 201),
    ("Accepted", 202),
    ("NonAuthoritativeInformation", 203),
    ("NoContent", 204),
    ("ResetContent", 205),
    ("PartialContent", 206),
    ("MultiStatus", 207),
    ("AlreadyReported", 208),
    ("IMUsed", 226),
    ("MultipleChoices", 300),
    ("MovedPermanently", 301),
    ("Found", 302),
    ("SeeOther", 303),
    ("NotModified", 304),
    ("UseProxy", 305),
    ("TemporaryRedirect", 307),
    ("PermanentRedirect", 308),
    ("BadRequest", 400),
    ("Unauthorized", 401),
    ("PaymentRequired", 402),
    ("Forbidden", 403),
    ("NotFound", 404),
    ("MethodNotAllowed", 405),
    ("NotAcceptable", 406),
    ("ProxyAuthenticationRequired", 407),
    ("RequestTimeout", 408),
    ("Conflict", 409),
    ("Gone", 410),
    ("LengthRequired", 411),
    ("PreconditionFailed", 412),
    ("PayloadTooLarge", 413),
    ("URITooLong", 414),
    ("UnsupportedMediaType", 415),
    ("RangeNotSatisfiable", 416),
    ("ExpectationFailed", 417),
    ("MisdirectedRequest", 421),
    ("UnprocessableEntity", 422),
    ("Locked", 423),
    ("FailedDependency", 424),
    ("UpgradeRequired", 426),
    ("PreconditionRequired", 428),
    ("TooManyRequests", 429),
    ("RequestHeaderFieldsTooLarge", 431),
    ("InternalServerError", 500),
    ("NotImplemented", 501),
    ("BadGateway", 502),
    ("ServiceUnavailable", 503),
    ("GatewayTimeout", 504),
    ("HTTPVersionNotSupported", 505),
    ("VariantAlsoNegotiates", 506),
    ("InsufficientStorage", 507),
    ("LoopDetected", 508),
    ("NotExtended", 510),
    ("NetworkAuthenticationRequired", 511),
];

fn rows(protocol: Protocol) -> impl Iterator<Item = &'static Function> {
    let language =
        [standard::OPTIONAL, standard::STRINGS, standard::LISTS, standard::SETS, standard::ENCODERS];
    let kubernetes = [
        own::cidr::ROWS,
        own::format::ROWS,
        own::ip::ROWS,
        own::lists::ROWS,
        own::regex::ROWS,
        own::url::ROWS,
        own::quantity::ROWS,
        own::semver::ROWS,
    ];
    let answers = match protocol {
        Protocol::Http => own::request::HTTP,
        Protocol::Envoy => own::request::ENVOY,
    };
    let kyverno = [answers, own::request::BOTH, own::jwt::ROWS, own::image::ROWS];
    let outside = own::outside::HTTP.into_iter().chain(own::outside::RESOURCE);
    let language = standard::CORE.iter().chain(standard::MATH).copied().chain(language);
    language.chain(kubernetes).chain(kyverno).chain(outside).flatten()
}

/// The environment of policies that answer such requests.
///
/// # Errors
/// A row of the engine itself whose signature cannot be read.
pub fn of_requests(protocol: Protocol) -> Result<Environment, String> {
    let shapes = match protocol {
        Protocol::Http => own::shapes::OF_HTTP,
        Protocol::Envoy => own::shapes::OF_ENVOY,
    };
    let mut env = types::declare(standard::with_messages(standard::with_types(Env::new(rows(protocol))?)))?;
    for shape in shapes {
        let fields = shape.fields.iter();
        let fields = fields.map(|(name, holds)| Ok((Str::from(*name), Type::parse(&holds.signature())?)));
        env = env.with_type(shape.name, TypeKind::Struct(fields.collect::<Result<_, String>>()?));
    }
    for name in ["mcp.MCP", "jwk.Set"] {
        env = env.with_type(name, TypeKind::Opaque);
    }
    let request = match protocol {
        Protocol::Http => own::shapes::HTTP_REQUEST.name,
        Protocol::Envoy => own::shapes::ENVOY_REQUEST.name,
    };
    let declared = [
        ("object", request),
        ("variables", VARIABLES),
        ("resource", "resource.Context"),
        ("http", "http.Context"),
        ("image", "imagedata.Context"),
        ("json", "json.Json"),
        ("mcp", "mcp.MCP"),
    ];
    for (name, of) in declared {
        env = env.with_variable(name, Type::parse(of)?);
    }
    for (name, method) in METHODS {
        let text = Literal::String(Str::new_static(method));
        env = env.with_identifier(name, Identifier::Constant(Type::String, text));
    }
    if protocol == Protocol::Envoy {
        for (name, code) in STATUS_CODES {
            let name = format!("envoy.type.v3.StatusCode.{name}");
            env = env.with_identifier(&name, Identifier::Constant(Type::Int, Literal::Int(*code)));
        }
    }
    Ok(Environment {
        env,
        macros: MACROS,
        variables: declared.iter().map(|(name, _)| Str::from(*name)).collect(),
        limit: None,
        mixed_literals: false,
        is_of_kubernetes: false,
        looks_at_formats: true,
        of_variables: VARIABLES,
    })
}
