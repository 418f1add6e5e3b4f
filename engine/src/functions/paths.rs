//! `path_canonicalize`: a path without what is superfluous in it.
//!
//! In: `/a/../b//c/.`. Out: `/b/c`. Mirrors: Go's `path/filepath` (`Join` of one element, `Clean`).

use super::arguments::text;
use engine_jmespath::{Arg, Function, Kind};
use engine_json::Value;

pub(super) const FUNCTIONS: &[Function] = &[Function {
    name: "path_canonicalize",
    args: &[Arg::STRING],
    returns: &[Kind::String],
    note: "the path without empty parts, `.` and `..`, as far as they can go",
    examples: &[
        ("path_canonicalize('/a/../b//c/.')", "\"/b/c\""),
        ("path_canonicalize('a/../../b')", "\"../b\""),
        ("path_canonicalize('')", "\"\""),
    ],
    run: |call, arguments| {
        let path = text("path_canonicalize", arguments, 0)?;
        call.charge(path.len() / 16)?;
        Ok(Value::from(canonical(path)))
    },
}];

fn canonical(path: &str) -> String {
    if path.is_empty() { String::new() } else { clean(path) }
}

/// The path without `.`, `..` and double slashes, as far as its text alone says; nothing becomes `.`.
///
/// Go: `path.Clean`, and `filepath.Clean` where paths have slashes.
pub fn clean(path: &str) -> String {
    let is_rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if is_rooted => {}
            part => parts.push(part),
        }
    }
    match (is_rooted, parts.is_empty()) {
        (true, _) => format!("/{}", parts.join("/")),
        (false, true) => ".".into(),
        (false, false) => parts.join("/"),
    }
}
