//! Puts values in place of variables `{{ … }}`.
//!
//! In: a value with variables in its texts and keys. Out: the value without them; or Kyverno's words for why not.
//! Mirrors: pkg/engine/variables/vars.go, pkg/engine/jsonutils/traverse.go.

use super::{JsonContext, Lookup};
use crate::references;
use crate::template;
use crate::template::Replacing;
use engine_json::ordered::OrderedSet;
use engine_json::{Excess, MAX_DEPTH, Map, Str, Value, measure, to_json};
use std::borrow::Cow;

/// How often the variables of one text may give texts with variables again.
const MAX_ROUNDS: usize = 1_000;
/// How deep values may lie in one another whose own texts hold variables.
const MAX_YIELDS: usize = 40;
/// How many levels of a document take as much stack as a value that is substituted again.
const LEVELS_OF_A_YIELD: usize = 2;
/// How many keys a map of the original has at most in which a renamed key is visited again.
// Go: a small map has eight slots, and a new key takes the first free one.
const MAX_REVISITED_KEYS: usize = 7;
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
    let mut walk = Walk { context, path: String::new(), depth: 0, yields: 0, left: MAX_DOCUMENT_BYTES };
    walk.value(&document)
}

/// The way through a document.
struct Walk<'c, 'a> {
    context: &'c mut JsonContext<'a>,
    path: String,
    depth: usize,
    /// How many values of variables lie around, each of which is substituted again.
    yields: usize,
    /// How many bytes variables may still bring.
    left: usize,
}

impl Walk<'_, '_> {
    fn value(&mut self, value: &Value) -> Result<Value, String> {
        match value {
            Value::Object(map) => self.map(map),
            Value::Array(list) => {
                let items = list.iter().enumerate().map(|(at, item)| self.beneath(&at.to_string(), item));
                Ok(Value::array(items.collect::<Result<_, _>>()?))
            }
            Value::String(text) => self.text(text),
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(value.clone()),
        }
    }

    // Kyverno: traverseObject goes in random order; the order of the names decides which mistake is said.
    fn map(&mut self, map: &Map) -> Result<Value, String> {
        let mut result = Map::new();
        let mut renamed: OrderedSet<Str> = OrderedSet::new();
        let mut revisited = None;
        for (key, item) in map.sorted() {
            let new_key = self.key(key)?;
            let item = self.beneath(key, item)?;
            if new_key != *key {
                // Go: a key that is put into a map while it is walked through takes a slot that mostly comes later; the
                // next one takes the slot that the first has left, which has been.
                if renamed.is_empty() && !map.contains_key(&new_key) && map.len() <= MAX_REVISITED_KEYS {
                    revisited = Some(new_key.clone());
                }
                renamed.insert(new_key.clone());
            } else if renamed.contains(key) {
                continue;
            }
            result.insert(new_key, item);
        }
        if let Some(key) = revisited {
            self.again(&key, &mut result)?;
        }
        Ok(Value::object(result))
    }

    /// Visits a renamed key once more.
    fn again(&mut self, key: &Str, result: &mut Map) -> Result<(), String> {
        let Some(item) = result.get(key).cloned() else { return Ok(()) };
        if !template::may_hold_variables(key) && !template::has_variables(&item) {
            return Ok(());
        }
        let new_key = self.key(key)?;
        let item = self.beneath(key, &item)?;
        if new_key != *key {
            result.remove(key);
        }
        result.insert(new_key, item);
        Ok(())
    }

    fn key(&mut self, key: &Str) -> Result<Str, String> {
        match self.text(key)? {
            Value::String(text) => Ok(text),
            Value::Null => Ok(key.clone()),
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                Err(format!("expected string after substituting variables in key \"{key}\""))
            }
        }
    }

    fn beneath(&mut self, part: &str, item: &Value) -> Result<Value, String> {
        self.context.enter(1)?;
        let length = self.path.len();
        self.path.push('/');
        self.path.push_str(&part.replace('/', "\\/"));
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
        if !template::may_hold_variables(text) {
            return Ok(Value::String(text.clone()));
        }
        let Resolved { value, expression } = self.substituted(text)?;
        let is_yield = expression.is_some() && template::has_variables(&value);
        // A document that is one variable is what the variable has: nothing has grown.
        if self.depth > 0 || is_yield {
            let length = measure(&value, self.depth, self.left).map_err(|_| {
                format!(
                    "failed to resolve {text} at path {}: with its variables the document would nest deeper than \
                     {MAX_DEPTH} levels or take more than {MAX_DOCUMENT_BYTES} bytes: put a smaller value in",
                    self.path
                )
            })?;
            self.left -= length;
        }
        match expression.filter(|_| is_yield) {
            Some(expression) => self.yielded(text, &value, &expression),
            None => Ok(value),
        }
    }

    /// A map or list that a variable has, its own texts substituted.
    // Kyverno: traverseJSON goes on inside of what the action has returned.
    fn yielded(&mut self, text: &Str, value: &Value, expression: &str) -> Result<Value, String> {
        if self.yields >= MAX_YIELDS {
            return Err(format!(
                "failed to resolve {text} at path {}: values of variables hold variables more than {MAX_YIELDS} levels \
                 deep: a value must not name itself",
                self.path
            ));
        }
        self.context.evaluator.note_within(value, expression);
        self.context.enter(LEVELS_OF_A_YIELD)?;
        self.yields += 1;
        let value = self.value(value);
        self.yields -= 1;
        self.context.leave(LEVELS_OF_A_YIELD);
        value
    }

    fn substituted(&mut self, text: &Str) -> Result<Resolved, String> {
        let mut round = text.to_string();
        for _ in 0..MAX_ROUNDS {
            self.context.spend(round.len())?;
            let found = template::variables(&round);
            if found.is_empty() {
                return Ok(Resolved::text(&round));
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
                    .keep(|_| Lookup::Variable { expression: expression.clone(), value: resolved.clone() });
                if round == variable.text() {
                    let is_walked = matches!(resolved, Value::Array(_) | Value::Object(_));
                    return Ok(Resolved { value: resolved, expression: is_walked.then_some(expression) });
                }
                let room = MAX_TEXT_BYTES.saturating_sub(replacing.len());
                let text = replacement(&resolved, is_shallow, room).map_err(failed)?;
                if !is_shallow {
                    self.context.evaluator.note_text(&resolved, &expression);
                }
                let looked_at = replacing.put(&variable, &text);
                self.context.spend(looked_at).map_err(failed)?;
            }
            let next = replacing.finish();
            if shallow {
                return Ok(Resolved::text(&next));
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

/// What a text has become.
struct Resolved {
    value: Value,
    /// The expression whose value it is, where that is a map or a list.
    expression: Option<String>,
}

impl Resolved {
    fn text(text: &str) -> Self {
        Resolved { value: Value::String(text.replace("\\{{", "{{").into()), expression: None }
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
    let inner = match variable.strip_prefix("{{").and_then(|text| text.strip_suffix("}}")) {
        // Nearly all variables hold no other braces.
        Some(inner) if !inner.contains(['{', '}']) => Cow::Borrowed(inner),
        _ => Cow::Owned(variable.replace("{{", "").replace("}}", "")),
    };
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
