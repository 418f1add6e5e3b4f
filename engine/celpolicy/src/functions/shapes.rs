//! What requests are made of: that of an HTTP server in Kyverno's words, that of Envoy in Envoy's.
//!
//! Mirrors: `pkg/cel/libs/authz/{http,envoy}` and `libs/{mcp,jwt}` of kyverno-authz; `envoy.service.auth.v3` and what it holds.

use super::message::{Holds, Reader, Shape};
use Holds::{Bytes, Document, Documents, Flag, Is, Lists, Many, Moment, Names, Text, Texts, Unsigned, Whole};

/// A shape that Go's own reader reads.
macro_rules! go {
    ($name:literal, $($field:literal $holds:expr),*) => {
        Shape { name: $name, fields: &[$(($field, $holds)),*], reader: Reader::Go }
    };
}

/// One of protobuf.
macro_rules! proto {
    ($name:literal, $($field:literal $holds:expr),*) => {
        Shape { name: $name, fields: &[$(($field, $holds)),*], reader: Reader::Protobuf }
    };
}

/// A request of HTTP.
pub static HTTP_REQUEST: Shape =
    go!("http.CheckRequest", "attributes" Is(&HTTP_ATTRIBUTES), "mcp" Is(&MCP_DATA));

static HTTP_ATTRIBUTES: Shape = go!(
    "http.CheckRequestAttributes",
    "method" Text, "header" Lists, "host" Text, "protocol" Text, "contentLength" Whole, "body" Bytes, "scheme" Text,
    "path" Text, "query" Lists, "fragment" Text
);

static MCP_DATA: Shape = go!("http.MCPCheckData", "request" Is(&MCP_REQUEST));

static MCP_REQUEST: Shape = go!("mcp.MCPRequest", "Method" Text);

static HTTP_RESPONSE: Shape = go!("http.CheckResponse", "ok" Is(&HTTP_OK), "denied" Is(&HTTP_DENIED));

static HTTP_OK: Shape = go!("http.CheckResponseOk",);

static HTTP_DENIED: Shape = go!("http.CheckResponseDenied", "reason" Text);

/// A token that was read.
pub static TOKEN: Shape = go!("jwt.Token", "Claims" Document, "Valid" Flag);

/// What policies of HTTP speak of.
pub static OF_HTTP: &[&Shape] = &[
    &HTTP_REQUEST,
    &HTTP_ATTRIBUTES,
    &MCP_DATA,
    &MCP_REQUEST,
    &HTTP_RESPONSE,
    &HTTP_OK,
    &HTTP_DENIED,
    &TOKEN,
];

/// A request of Envoy.
pub static ENVOY_REQUEST: Shape = proto!("envoy.service.auth.v3.CheckRequest", "attributes" Is(&ATTRIBUTES));

static ATTRIBUTES: Shape = proto!(
    "envoy.service.auth.v3.AttributeContext",
    "source" Is(&PEER), "destination" Is(&PEER), "request" Is(&REQUEST), "context_extensions" Texts,
    "metadata_context" Is(&METADATA), "route_metadata_context" Is(&METADATA), "tls_session" Is(&TLS_SESSION)
);

static PEER: Shape = proto!(
    "envoy.service.auth.v3.AttributeContext.Peer",
    "address" Is(&ADDRESS), "service" Text, "labels" Texts, "principal" Text, "certificate" Text
);

static REQUEST: Shape = proto!(
    "envoy.service.auth.v3.AttributeContext.Request",
    "time" Moment, "http" Is(&ENVOY_HTTP)
);

static ENVOY_HTTP: Shape = proto!(
    "envoy.service.auth.v3.AttributeContext.HttpRequest",
    "id" Text, "method" Text, "headers" Texts, "header_map" Is(&HEADER_MAP), "path" Text, "host" Text, "scheme" Text,
    "query" Text, "fragment" Text, "size" Whole, "protocol" Text, "body" Text, "raw_body" Bytes
);

static TLS_SESSION: Shape = proto!("envoy.service.auth.v3.AttributeContext.TLSSession", "sni" Text);

static ADDRESS: Shape = proto!(
    "envoy.config.core.v3.Address",
    "socket_address" Is(&SOCKET_ADDRESS), "pipe" Is(&PIPE), "envoy_internal_address" Is(&INTERNAL_ADDRESS)
);

static SOCKET_ADDRESS: Shape = proto!(
    "envoy.config.core.v3.SocketAddress",
    "protocol" Whole, "address" Text, "port_value" Unsigned, "named_port" Text, "resolver_name" Text, "ipv4_compat" Flag,
    "network_namespace_filepath" Text
);

static PIPE: Shape = proto!("envoy.config.core.v3.Pipe", "path" Text, "mode" Unsigned);

static INTERNAL_ADDRESS: Shape =
    proto!("envoy.config.core.v3.EnvoyInternalAddress", "server_listener_name" Text, "endpoint_id" Text);

static METADATA: Shape =
    proto!("envoy.config.core.v3.Metadata", "filter_metadata" Documents, "typed_filter_metadata" Documents);

static HEADER_MAP: Shape = proto!("envoy.config.core.v3.HeaderMap", "headers" Many(&HEADER_VALUE));

static HEADER_VALUE: Shape =
    proto!("envoy.config.core.v3.HeaderValue", "key" Text, "value" Text, "raw_value" Bytes);

static HEADER_OPTION: Shape = proto!(
    "envoy.config.core.v3.HeaderValueOption",
    "header" Is(&HEADER_VALUE), "append_action" Whole, "keep_empty_value" Flag
);

static QUERY_PARAMETER: Shape = proto!("envoy.config.core.v3.QueryParameter", "key" Text, "value" Text);

static STATUS: Shape = proto!("google.rpc.Status", "code" Whole, "message" Text);

static HTTP_STATUS: Shape = proto!("envoy.type.v3.HttpStatus", "code" Whole);

static ENVOY_RESPONSE: Shape = proto!(
    "envoy.service.auth.v3.CheckResponse",
    "status" Is(&STATUS), "denied_response" Is(&ENVOY_DENIED), "ok_response" Is(&ENVOY_OK), "dynamic_metadata" Document
);

static ENVOY_DENIED: Shape = proto!(
    "envoy.service.auth.v3.DeniedHttpResponse",
    "status" Is(&HTTP_STATUS), "headers" Many(&HEADER_OPTION), "body" Text
);

static ENVOY_OK: Shape = proto!(
    "envoy.service.auth.v3.OkHttpResponse",
    "headers" Many(&HEADER_OPTION), "headers_to_remove" Names, "dynamic_metadata" Document,
    "response_headers_to_add" Many(&HEADER_OPTION), "query_parameters_to_set" Many(&QUERY_PARAMETER),
    "query_parameters_to_remove" Names
);

/// What policies of Envoy speak of.
pub static OF_ENVOY: &[&Shape] = &[
    &ENVOY_REQUEST,
    &ATTRIBUTES,
    &PEER,
    &REQUEST,
    &ENVOY_HTTP,
    &TLS_SESSION,
    &ADDRESS,
    &SOCKET_ADDRESS,
    &PIPE,
    &INTERNAL_ADDRESS,
    &METADATA,
    &HEADER_MAP,
    &HEADER_VALUE,
    &HEADER_OPTION,
    &QUERY_PARAMETER,
    &STATUS,
    &HTTP_STATUS,
    &ENVOY_RESPONSE,
    &ENVOY_DENIED,
    &ENVOY_OK,
    &MCP_REQUEST,
    &TOKEN,
];
