//! What a GeneratingPolicy makes for an object.
//!
//! In: a policy, the exceptions for it, an object with its request. Out: a row and the objects made; nothing where the policy is not for it.
//! Mirrors: `pkg/cel/policies/gpol/engine/engine.go`, `gpol/compiler/policy.go`, `gpol/template` of Kyverno 1.19, and
//! `pkg/cel/libs/fake_context.go`.

use super::evaluate::{Explaining, annotate};
use super::frame::Frame;
use super::matching::matches;
use super::mutate::{Conditions, exempted};
use super::{Row, Subject};
use crate::compile::Compiled;
use crate::patch::to_value;
use crate::policy::{Generating, Generation, Part, Segment, Template};
use crate::why::{Making, Question, Steps};
use engine::apply::Status;
use engine::trace::Step;
use engine_cel::error::{Error, Outcome};
use engine_cel::eval::Binding;
use engine_cel::function::Outside;
use engine_cel::value::Value as Cel;
use engine_json::{Map, Path, Str, Value, quote};
use std::cell::RefCell;

/// How many objects a policy may make for one resource: more is a mistake, and a cluster would not bear them.
const MAX_OBJECTS: usize = 10_000;

/// What the policy says of the object, and what it makes; nothing where it is not for it, or its conditions do not hold. A row
/// without a name has the policy's.
pub fn generate(
    policy: &Generating,
    exceptions: Conditions<'_>,
    subject: &Subject,
    outside: &dyn Outside,
    explaining: Explaining<'_>,
) -> Option<(Row, Vec<Value>)> {
    match matches(policy.policy.match_constraints.as_ref()?, subject) {
        Ok(true) => {}
        Ok(false) => return None,
        Err(error) => {
            let message = format!("failed to execute matching: Internal error occurred: {error}");
            return Some((Row::new("", Status::Error, message), Vec::new()));
        }
    }
    let cluster = InMemory { outside, namespace: &policy.policy.namespace, made: RefCell::default() };
    let mut frame = Frame::new(&policy.environment, &policy.variables, subject, &cluster);
    let mut row = match run(policy, exceptions, &mut frame, &cluster) {
        Ok(row) => row?,
        Err(error) => Row::new("", Status::Error, format!("failed to evaluate policy: {error}")),
    };
    let passes = row.rule.is_empty() && row.status == Status::Pass;
    let made = if passes { cluster.made.take() } else { Vec::new() };
    if let Some((explainers, root)) = explaining.why
        && row.exceptions.is_empty()
    {
        row.steps = (explainers.generation)(policy, &frame, &subject.object, root);
    }
    Some((row, made))
}

/// The steps to what the policy at this place makes for an object.
pub(super) fn explained<'w, W: Steps>(
    policy: &'w Generating,
    frame: &'w Frame<'w>,
    object: &'w Value,
    root: &Path,
) -> Vec<Step> {
    let list = root.join("spec").join("generate");
    let mut made = Vec::new();
    for (at, generation) in policy.generations.iter().enumerate() {
        let place = list.join(at);
        match generation {
            Generation::Expression(source, compiled) => {
                made.push((source, &**compiled, place.join("expression")));
            }
            Generation::Template(template) => {
                let place = place.join("template").join("value");
                let mut expressions = Vec::new();
                template.documents.iter().for_each(|part| part.expressions(&mut expressions));
                made.extend(expressions.into_iter().map(|(source, made)| (source, made, place.clone())));
            }
        }
    }
    let asked = |(source, compiled, place): (&'w Str, &'w Compiled, Path)| Making {
        asked: Question { name: "", source, compiled: Some(compiled), place },
        object: None,
    };
    let questions = frame.questions((&policy.policy, root), object, ("matchConditions", &policy.conditions));
    W::steps_of_makings(&questions, made.into_iter().map(asked).collect())
}

fn run<'w>(
    policy: &'w Generating,
    exceptions: Conditions<'w>,
    frame: &mut Frame<'w>,
    cluster: &InMemory<'_>,
) -> Result<Option<Row>, String> {
    // Kyverno: conditions do not know the variables.
    if let Some(row) = exempted(frame, exceptions)? {
        return Ok(Some(row));
    }
    if !frame.conditions(&policy.conditions)? {
        return Ok(None);
    }
    frame.bind("variables", Binding::Lazy);
    for generation in &policy.generations {
        match generation {
            Generation::Expression(_, expression) => {
                frame.run(expression).map_err(|error| error.to_string())?;
            }
            Generation::Template(template) => apply_template(template, frame, cluster)?,
        }
    }
    let mut row = Row::new("", Status::Pass, "policy evaluated successfully");
    annotate(&mut row, annotations(policy, frame)?);
    Ok(Some(row))
}

fn annotations<'w>(policy: &'w Generating, frame: &Frame<'w>) -> Result<Vec<(String, String)>, String> {
    let mut all = Vec::new();
    for (key, compiled) in &policy.annotations {
        let named = quote(key);
        match frame.run(compiled) {
            Ok(Cel::Null) => {
                let why = "type conversion error from 'null_type' to 'string'";
                return Err(format!("failed to convert auditAnnotation {named} expression: {why}"));
            }
            Ok(value) => {
                let text = value.as_str().unwrap_or("");
                if !text.is_empty() {
                    all.push((key.to_string(), text.to_owned()));
                }
            }
            Err(error) => return Err(format!("failed to evaluate auditAnnotation {named}: {error}")),
        }
    }
    Ok(all)
}

/// The cluster that objects are made in: their list.
struct InMemory<'w> {
    outside: &'w dyn Outside,
    /// The policy's namespace; empty for a policy of the whole cluster.
    namespace: &'w str,
    made: RefCell<Vec<Value>>,
}

impl InMemory<'_> {
    fn add(&self, namespace: &str, objects: Vec<Value>) -> Result<(), String> {
        for object in objects {
            let object = within(object, namespace);
            let mut made = self.made.borrow_mut();
            match object.get("items").and_then(Value::as_array) {
                None => made.push(object),
                Some(items) => {
                    for item in items {
                        if item.as_object().is_none() {
                            return Err("items member is not an object".to_owned());
                        }
                        made.push(within(item.clone(), namespace));
                    }
                }
            }
            if made.len() > MAX_OBJECTS {
                return Err(format!("more than {MAX_OBJECTS} objects would be generated for one resource"));
            }
        }
        Ok(())
    }
}

/// The object in a namespace; in none where that is empty.
fn within(mut object: Value, namespace: &str) -> Value {
    let Some(map) = object.object_mut() else { return object };
    if namespace.is_empty() {
        if let Some(metadata) = map.get_mut("metadata").and_then(Value::object_mut) {
            metadata.remove("namespace");
        }
        return object;
    }
    if map.get("metadata").is_none_or(Value::is_null) {
        map.insert("metadata", Value::object(Map::new()));
    }
    if let Some(metadata) = map.get_mut("metadata").and_then(Value::object_mut) {
        metadata.insert("namespace", Value::from(namespace));
    }
    object
}

impl Outside for InMemory<'_> {
    fn ask(&self, function: &str, args: &[Cel<'_>]) -> Outcome<'static> {
        let (namespace, list) = match (function, args) {
            ("generator.apply", [namespace, list]) => (namespace.as_str().unwrap_or(""), list),
            ("generator.applyHere", [list]) => (self.namespace, list),
            _ => return self.outside.ask(function, args),
        };
        let elements = list.as_list().map(|list| list.iter().collect::<Vec<_>>()).unwrap_or_default();
        let objects = elements.iter().map(to_value).collect::<Result<Vec<_>, _>>().map_err(Error::text)?;
        self.add(namespace, objects)
            .map_err(|error| Error::text(format!("failed to generate resources: {error}")))?;
        Ok(Cel::Bool(true))
    }
}

/// Makes the objects of a template.
fn apply_template<'w>(
    template: &'w Template,
    frame: &Frame<'w>,
    cluster: &InMemory<'_>,
) -> Result<(), String> {
    let mut grouped: Vec<(Str, Vec<Value>)> = Vec::new();
    for (at, document) in template.documents.iter().enumerate() {
        let document = rendered(document, frame)
            .map_err(|error| format!("failed to render generation template: document {}: {error}", at + 1))?;
        if document.as_object().is_none() {
            let found = go_type(&document);
            return Err(format!(
                "failed to render generation template: document {}: expected a mapping describing a resource, got {found}",
                at + 1
            ));
        }
        let mut namespace = Str::from(document.find_str(&["metadata", "namespace"]));
        let own = cluster.namespace;
        if !own.is_empty() && namespace.is_empty() {
            namespace = Str::from(own);
        } else if !own.is_empty() && namespace != own {
            return Err(format!(
                "cross-namespace generation denied: a policy in namespace {} cannot generate resources into namespace {}",
                quote(own),
                quote(&namespace)
            ));
        }
        match grouped.iter_mut().find(|(known, _)| *known == namespace) {
            Some((_, objects)) => objects.push(document),
            None => grouped.push((namespace, vec![document])),
        }
    }
    for (namespace, objects) in grouped {
        cluster.add(&namespace, objects).map_err(|error| format!("failed to generate resources: {error}"))?;
    }
    Ok(())
}

fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
        Value::Bool(_) => "bool",
        Value::String(_) => "string",
        Value::Number(engine_json::Number::Float(_)) => "float64",
        Value::Number(_) => "int64",
    }
}

fn rendered<'w>(part: &'w Part, frame: &Frame<'w>) -> Result<Value, String> {
    match part {
        Part::Literal(value) => Ok(value.clone()),
        Part::Mapping(entries) => {
            let mut map = Map::new();
            for (key, part) in entries {
                let value =
                    rendered(part, frame).map_err(|error| format!("field {}: {error}", quote(key)))?;
                map.insert(key.clone(), value);
            }
            Ok(Value::object(map))
        }
        Part::Sequence(items) => {
            let one = |(at, part): (usize, &'w Part)| {
                rendered(part, frame).map_err(|error| format!("item {at}: {error}"))
            };
            Ok(Value::array(items.iter().enumerate().map(one).collect::<Result<_, _>>()?))
        }
        Part::Splice(text, compiled) => placed(text, compiled, frame),
        Part::Text(segments) => {
            let mut out = String::new();
            for segment in segments {
                match segment {
                    Segment::Literal(text) => out.push_str(text),
                    Segment::Expression(text, compiled) => match placed(text, compiled, frame)? {
                        Value::String(value) => out.push_str(&value),
                        Value::Bool(value) => out.push_str(if value { "true" } else { "false" }),
                        Value::Number(engine_json::Number::Float(f)) => {
                            out.push_str(&Cel::Double(f).to_string());
                        }
                        Value::Number(number) => out.push_str(&engine_json::to_json(&Value::Number(number))),
                        other => {
                            let (text, found) = (quote(text), go_type(&other));
                            return Err(format!(
                                "placeholder {text} embedded in a string must evaluate to a scalar, got {found}; use a whole-value placeholder for structured results"
                            ));
                        }
                    },
                }
            }
            Ok(Value::from(out))
        }
    }
}

/// The value of a placeholder.
fn placed<'w>(text: &str, compiled: &'w Compiled, frame: &Frame<'w>) -> Result<Value, String> {
    let value = frame
        .run(compiled)
        .map_err(|error| format!("failed to evaluate placeholder {}: {error}", quote(text)))?;
    match &value {
        Cel::Int(i) => Ok(Value::from(*i)),
        Cel::Uint(u) => i64::try_from(*u).map(Value::from).map_err(|_| {
            let text = quote(text);
            format!("failed to convert placeholder {text} result: uint value {u} overflows the supported integer range")
        }),
        other => to_value(other)
            .map_err(|error| format!("failed to convert placeholder {} result: {error}", quote(text))),
    }
}
