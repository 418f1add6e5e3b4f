//! `podsieve mcp`: the tools of podsieve for agents, by the Model Context Protocol.
//!
//! In: JSON-RPC 2.0 on standard input, a message a line. Out: answers on standard output, a line each; a message that is none gets an error, and
//! the next one is read. Both eras of the protocol are spoken: with a handshake (2025-11-25 and before), and without (2026-07-28), where each request
//! names its version and `server/discover` says what there is.

mod fitted;
mod fixes;
mod roots;
mod sources;
mod tools;

use super::lines::{self, Line};
use crate::args::Mcp;
use crate::exit::Failure;
use crate::terminal;
use roots::Roots;
use serde_json::{Value, json};
use tools::TOOLS;

/// Versions that are spoken, the newest first; all but the first have a handshake.
const VERSIONS: [&str; 5] = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// Where a request without handshake names its version.
const VERSION_FIELD: &str = "io.modelcontextprotocol/protocolVersion";
/// Bytes of a message. A policy set of Kyverno's library has 1 MB.
const MAX_MESSAGE: u64 = 4 << 20;

const PARSE: i32 = -32700;
const REQUEST: i32 = -32600;
const METHOD: i32 = -32601;
const PARAMS: i32 = -32602;
const VERSION: i32 = -32022;

const INSTRUCTIONS: &str = "Judges Kubernetes policies (Kyverno, CEL, Pod Security) exactly and offline. While writing a policy: `check`, then `evaluate` \
with a good and a bad object, then `explain` what surprises. After a rewrite: `compare` old and new. Before an exemption is merged: `narrow`.";

/// Why a message has no result.
struct Refusal {
    code: i32,
    message: String,
    data: Option<Value>,
}

impl Refusal {
    fn new(code: i32, message: impl Into<String>) -> Self {
        Refusal { code, message: message.into(), data: None }
    }
}

/// Runs the command until its input ends.
pub(crate) fn run(arguments: &Mcp) -> Result<u8, Failure> {
    let roots = Roots::new(&arguments.root)?;
    let mut input = std::io::stdin().lock();
    while let Some(line) = lines::next(&mut input, MAX_MESSAGE).map_err(|error| Failure(error.to_string()))? {
        let answer = match line {
            Line::Unusable(why) => Some(failed(&Value::Null, &Refusal::new(REQUEST, why))),
            Line::Text(line) => answer(&line, &roots),
        };
        if let Some(answer) = answer {
            terminal::document(&(answer.to_string() + "\n"));
        }
    }
    Ok(0)
}

/// The answer to a message; none to a notification.
fn answer(line: &str, roots: &Roots) -> Option<Value> {
    let message: Value = match serde_json::from_str(line) {
        Ok(message) => message,
        Err(error) => return Some(failed(&Value::Null, &Refusal::new(PARSE, error.to_string()))),
    };
    let id = message.get("id");
    let Some(method) = message.get("method").and_then(Value::as_str) else {
        // An answer to what was never asked needs no answer.
        let is_answer = message.get("result").is_some() || message.get("error").is_some();
        let wrong = Refusal::new(REQUEST, "a message has a `method`");
        return (!is_answer).then(|| failed(id.unwrap_or(&Value::Null), &wrong));
    };
    let id = id?;
    Some(match result(method, message.get("params").unwrap_or(&Value::Null), roots) {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(refusal) => failed(id, &refusal),
    })
}

fn failed(id: &Value, Refusal { code, message, data }: &Refusal) -> Value {
    let mut error = json!({"code": code, "message": message});
    if let (Some(data), Some(fields)) = (data, error.as_object_mut()) {
        fields.insert("data".to_owned(), data.clone());
    }
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}

fn result(method: &str, params: &Value, roots: &Roots) -> Result<Value, Refusal> {
    let version = params.get("_meta").and_then(|meta| meta.get(VERSION_FIELD)).and_then(Value::as_str);
    if let Some(version) = version.filter(|version| !VERSIONS.contains(version)) {
        let data = Some(json!({"supported": VERSIONS, "requested": version}));
        return Err(Refusal { code: VERSION, message: "Unsupported protocol version".to_owned(), data });
    }
    let mut result = match method {
        "initialize" => handshake(params),
        "server/discover" => json!({
            "supportedVersions": VERSIONS, "capabilities": capabilities(), "serverInfo": server(), "instructions": INSTRUCTIONS,
        }),
        "ping" => json!({}),
        "tools/list" => json!({"tools": TOOLS.iter().map(tools::Tool::described).collect::<Vec<_>>()}),
        "tools/call" => called(params, roots)?,
        _ => return Err(Refusal::new(METHOD, format!("there is no method `{method}`"))),
    };
    if method != "initialize"
        && let Some(fields) = result.as_object_mut()
    {
        fields.insert("resultType".to_owned(), json!("complete"));
        if matches!(method, "server/discover" | "tools/list") {
            // They change with the program alone.
            fields.insert("ttlMs".to_owned(), json!(3_600_000));
            fields.insert("cacheScope".to_owned(), json!("public"));
        }
    }
    Ok(result)
}

fn handshake(params: &Value) -> Value {
    let asked = params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
    let [_, newest, ..] = VERSIONS;
    let agreed = VERSIONS.iter().skip(1).find(|version| **version == asked).unwrap_or(&newest);
    json!({"protocolVersion": agreed, "capabilities": capabilities(), "serverInfo": server(), "instructions": INSTRUCTIONS})
}

fn capabilities() -> Value {
    json!({"tools": {"listChanged": false}})
}

fn server() -> Value {
    json!({"name": "podsieve", "title": "podsieve", "version": podsieve::version().podsieve})
}

/// A tool's answer. What is wrong with its arguments is for the agent to read, so it is an answer too.
fn called(params: &Value, roots: &Roots) -> Result<Value, Refusal> {
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let tool = TOOLS.iter().find(|tool| tool.name == name);
    let tool = tool.ok_or_else(|| Refusal::new(PARAMS, format!("Unknown tool: {name}")))?;
    let empty = json!({});
    let arguments = params.get("arguments").filter(|given| !given.is_null()).unwrap_or(&empty);
    Ok(match tool.answer(arguments, roots) {
        Ok(answer) => {
            json!({"content": [{"type": "text", "text": answer.to_string()}], "structuredContent": answer, "isError": false})
        }
        Err(why) => json!({"content": [{"type": "text", "text": why}], "isError": true}),
    })
}
