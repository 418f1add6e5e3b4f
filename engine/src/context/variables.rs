//! Puts values in place of variables `{{ … }}`.
//!
//! In: a value with variables in its texts and keys. Out: the value without them; or Kyverno's words for why not.
//! Mirrors: pkg/engine/variables/vars.go, pkg/engine/jsonutils/traverse.go.

use super::{Asked, JsonContext};
use crate::references;
use crate::template;
use crate::template::Replacing;
use engine_json::{Excess, MAX_DEPTH, Map, Str, Value, measure, to_json};

/// How often the variables of one text may give texts with variables again.
const MAX_ROUNDS: usize = 1_000;
/// How long a text may grow.
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;
/// How many bytes variables may bring into one document, written as JSON.
pub(super) const MAX_DOCUMENT_BYTES: usize = 16 * 1024 * 1024;

/// The value with all references and variables resolved.
// Kyverno: SubstituteAll.
pub(crate) fn substitute(context: &mut JsonContext<'_>, document: &Value) -> Result<Value, String> {
    if !template::has_markers(document) {
        return Ok(document.clone());
    }
    let document = references::resolve(document)?;
    let mut walk = Walk { context, path: String::new(), depth: 0, left: MAX_DOCUMENT_BYTES };
    walk.value(&document)
}

/// The way through a document.
struct Walk<'c, 'a> {
    context: &'c mut JsonContext<'a>,
    path: String,
    depth: usize,
    /// How many bytes variables may still bring.
    left: usize,
}

impl Walk<'_, '_> {
    fn value(&mut self, value: &Value) -> Result<Value, String> {
        match value {
            Value::Object(map) => {
                let mut result = Map::new();
                // The original goes in random order; the order of the names decides which mistake is told.
                for (key, item) in map.sorted() {
                    let new_key = match self.text(key)? {
                        Value::String(text) => text,
                        Value::Null => key.clone(),
                        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                            return Err(format!(
                                "expected string after substituting variables in key \"{key}\""
                            ));
                        }
                    };
                    result.insert(new_key, self.beneath(&key.replace('/', "\\/"), item)?);
                }
                Ok(Value::object(result))
            }
            Value::Array(list) => {
                let items = list.iter().enumerate().map(|(at, item)| self.beneath(&at.to_string(), item));
                Ok(Value::array(items.collect::<Result<_, _>>()?))
            }
            Value::String(text) => self.text(text),
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(value.clone()),
        }
    }

    fn beneath(&mut self, part: &str, item: &Value) -> Result<Value, String> {
        self.context.enter(1)?;
        let length = self.path.len();
        self.path.push('/');
        self.path.push_str(part);
        self.depth += 1;
        let new_item = self.value(item);
        self.depth -= 1;
        self.path.truncate(length);
        self.context.leave(1);
        new_item
    }

    /// One text: a value of any type where the text is one variable, else a text.
    // Kyverno: substituteVariablesIfAny.
    fn text(&mut self, text: &Str) -> Result<Value, String> {
        if !text.contains("{{") {
            return Ok(Value::String(text.clone()));
        }
        let value = self.substituted(text)?;
        // A document that is one variable is what the variable has: nothing has grown.
        if self.depth > 0 {
            let length = measure(&value, self.depth, self.left).map_err(|_| {
                format!(
                    "failed to resolve {text} at path {}: with its variables the document would nest deeper than \
                     {MAX_DEPTH} levels or take more than {MAX_DOCUMENT_BYTES} bytes: put a smaller value in",
                    self.path
                )
            })?;
            self.left -= length;
        }
        Ok(value)
    }

    fn substituted(&mut self, text: &Str) -> Result<Value, String> {
        let mut round = text.to_string();
        for _ in 0..MAX_ROUNDS {
            self.context.spend(round.len())?;
            let found = template::variables(&round);
            if found.is_empty() {
                return Ok(Value::String(round.replace("\\{{", "{{").into()));
            }
            let mut replacing = Replacing::new(&round);
            let mut shallow = false;
            for variable in found {
                let (expression, is_shallow) = strip_braces(variable.text());
                shallow = is_shallow;
                let expression = complete(self.context, expression, &self.path);
                let failed =
                    |why: String| format!("failed to resolve {expression} at path {}: {why}", self.path);
                let resolved = self.context.query(&expression).map_err(failed)?;
                self.context
                    .keep(|_| Asked::Variable { expression: expression.clone(), value: resolved.clone() });
                if round == variable.text() {
                    return Ok(resolved);
                }
                let room = MAX_TEXT_BYTES.saturating_sub(replacing.len());
                let text = replacement(&resolved, is_shallow, room).map_err(failed)?;
                let looked_at = replacing.put(&variable, &text);
                self.context.spend(looked_at).map_err(failed)?;
            }
            let next = replacing.finish();
            if shallow {
                return Ok(Value::String(next.replace("\\{{", "{{").into()));
            }
            round = next;
        }
        Err(format!(
            "failed to resolve {text} at path {}: variables give variables more than {MAX_ROUNDS} times: a value \
             must not name itself",
            self.path
        ))
    }
}

/// The text of a value amid other text, no longer than there is room.
// Kyverno: substituteVarInPattern.
fn replacement(resolved: &Value, is_shallow: bool, room: usize) -> Result<String, String> {
    let too_long =
        || format!("the text grows beyond {MAX_TEXT_BYTES} bytes: put a smaller value in, or split the text");
    match resolved {
        Value::String(text) if text.len() > room => Err(too_long()),
        Value::String(text) if is_shallow => Ok(text.replace("{{", "\\{{")),
        Value::String(text) => Ok(text.to_string()),
        // The original crashes on these.
        other if is_shallow && !other.is_null() => {
            Err("a variable that starts with `-` must give a string".to_owned())
        }
        other => match measure(other, 0, room) {
            Ok(_) => Ok(with_wide_exponents(to_json(other))),
            Err(Excess::Bytes(_)) => Err(too_long()),
            Err(depth @ Excess::Depth) => Err(depth.to_string()),
        },
    }
}

/// The JSON with two digits at least in the exponents of its numbers.
// jsoniter: WriteFloat64 leaves `1e-07` as strconv prints it, where encoding/json makes `1e-7` of it.
fn with_wide_exponents(json: String) -> String {
    if !json.contains("e-") {
        return json;
    }
    let mut wide = String::with_capacity(json.len() + 8);
    let (mut is_text, mut is_escaped) = (false, false);
    let mut rest = json.chars().peekable();
    while let Some(c) = rest.next() {
        is_text ^= c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        wide.push(c);
        // Outside of texts a dash stands in front of a number or of an exponent.
        if c == '-' && !is_text && wide.ends_with("e-") {
            let digit = rest.next();
            if !rest.peek().is_some_and(char::is_ascii_digit) {
                wide.push('0');
            }
            wide.extend(digit);
        }
    }
    wide
}

/// What stands between the braces, all braces taken out, and whether it starts with `-`.
// Kyverno: replaceBracesAndTrimSpaces.
fn strip_braces(variable: &str) -> (String, bool) {
    let inner = variable.replace("{{", "").replace("}}", "");
    let inner = inner.trim();
    match inner.strip_prefix('-') {
        Some(rest) => (rest.trim().to_owned(), true),
        None => (inner.to_owned(), false),
    }
}

/// `@` stands for the field at the same place; a deletion looks at the old object.
fn complete(context: &mut JsonContext<'_>, mut expression: String, path: &str) -> String {
    if expression == "@" {
        let target = context.query("target").is_ok();
        expression = references::here(path, if target { &["target"] } else { &["request", "object"] });
    }
    if context.operation() == "DELETE" {
        expression = expression.replace("request.object", "request.oldObject");
    }
    expression
}
