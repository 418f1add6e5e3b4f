//! Rules that mutate.
//!
//! In: `mutate.patchStrategicMerge` or `mutate.patchesJson6902`. Out: mutations of a MutatingPolicy: a configuration that is applied, or
//! JSON patches. What the two kinds of merge do differently is refused: places in lists, lists of maps without the names of what is
//! there, maps that are replaced whole.

use crate::expressions::access::Access;
use crate::expressions::expr::Expr;
use crate::expressions::formula::quoted;
use crate::expressions::scope::Scope;
use crate::expressions::template::whole;
use crate::expressions::types::Types;
use crate::refusal::{Class, Converted, below, refuse};
use crate::rules::apart;
use crate::rules::configuration::configuration;
use crate::rules::directives;
use crate::rules::json_patches;
use crate::rules::mutate_foreach;
use crate::rules::validate::{Parts, conditions};
use crate::select::{Owner, Selection, selection};
use engine_compare::schema::Shape;
use engine_json::{Map, Path, Value};

/// A mutation of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mutation {
    pub(crate) form: Form,
    pub(crate) expression: String,
}

/// How a mutation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Configuration,
    JsonPatch,
}

impl Mutation {
    /// The mutation as it stands in a policy.
    pub(crate) fn document(&self) -> Value {
        let (name, field) = match self.form {
            Form::Configuration => ("ApplyConfiguration", "applyConfiguration"),
            Form::JsonPatch => ("JSONPatch", "jsonPatch"),
        };
        let expression = Value::from(self.expression.as_str());
        let body = Value::object(Map::from_entries(vec![("expression".into(), expression)]));
        Value::object(Map::from_entries(vec![("patchType".into(), Value::from(name)), (field.into(), body)]))
    }
}

/// A rule that mutates: as a configuration that is applied, or where that leaves another object as JSON patches.
pub(crate) fn rule(
    rule: &Value,
    path: &Path,
    (controllers, owner): (&[String], Owner),
    schema: &Types<'_>,
) -> Converted<Parts> {
    directives::none(rule, path)?;
    let is_merged = rule.find(&["mutate", "patchStrategicMerge"]).is_some();
    match configured(rule, path, (controllers, owner), schema) {
        Err(refusal) if is_merged && refusal.class == Class::Rule => {
            apart::patched(rule, path, (controllers, owner), schema)
        }
        made => made,
    }
}

/// What a rule is for, what its expressions know, and its conditions by name.
type Opened<'s> = (Selection, Scope<'s>, Vec<(String, String)>);

/// Reads what every rule that mutates begins with.
pub(super) fn opened<'s>(
    rule: &Value,
    path: &Path,
    owner: Owner,
    schema: &'s Types<'s>,
) -> Converted<Opened<'s>> {
    let selection = Selection { owner, ..selection(rule, path, schema)? };
    let mut scope = Scope::of_rule(&selection, schema);
    scope.context(rule.get("context"), &below(path, ["context"]));
    let conditions = conditions(rule, path, &selection, &scope)?.plain();
    Ok((selection, scope, conditions))
}

fn configured(
    rule: &Value,
    path: &Path,
    (controllers, owner): (&[String], Owner),
    schema: &Types<'_>,
) -> Converted<Parts> {
    let (selection, scope, conditions) = opened(rule, path, owner, schema)?;
    let (mutate, place) = (rule.get("mutate").cloned().unwrap_or_default(), below(path, ["mutate"]));
    let mut mutations = mutations(&mutate, &place, &scope)?;
    if selection.is_for_pods()
        && !controllers.is_empty()
        && mutate.find(&["patchStrategicMerge", "metadata"]).is_some()
    {
        let text =
            "metadata of Pods that are made of templates, to which Kyverno does not extend a configuration";
        return refuse(Class::Rule, &below(&place, ["patchStrategicMerge", "metadata"]), text);
    }
    let loops = mutate.get("foreach").and_then(Value::as_array).unwrap_or_default();
    let is_patched = loops.iter().any(|one| one.get("patchStrategicMerge").is_none());
    let is_extended = selection.is_for_pods() && !is_patched;
    let of_holder = |holder: &str, of_template: &Scope<'_>| {
        self::mutations(&in_template(&mutate, holder), &place, of_template)
    };
    let texts: Vec<&str> = mutations.iter().map(|one| one.expression.as_str()).collect();
    let mut variables = scope.variables(&texts);
    let read: Vec<&str> = conditions.iter().map(|(_, text)| text.as_str()).chain(texts).collect();
    let apart = if is_extended {
        apart::configured((controllers, owner), &scope, (&read, &variables), of_holder)?
    } else {
        Vec::new()
    };
    let is_apart = !apart.is_empty();
    if is_apart {
        let of_pods = scope.of_pods_alone();
        mutations = self::mutations(&mutate, &place, &of_pods)?;
        let texts: Vec<&str> = mutations.iter().map(|one| one.expression.as_str()).collect();
        variables = of_pods.variables(&texts);
    }
    let template_mutations = if is_extended && !is_apart {
        of_holder(TEMPLATE, &scope.of_template("v1", "ReplicationController"))?
    } else {
        Vec::new()
    };
    let notes = scope.notes();
    Ok(Parts {
        selection,
        conditions,
        variables,
        mutations,
        template_mutations,
        apart,
        is_apart,
        notes,
        ..Parts::default()
    })
}

/// Refuses changes of objects that exist already.
pub(crate) fn of_the_request(mutate: &Value, path: &Path) -> Converted<()> {
    for field in ["targets", "mutateExistingOnPolicyUpdate"] {
        if mutate.get(field).is_some_and(|value| value.as_bool() != Some(false)) {
            return refuse(Class::Rule, &path.join(field), "changes of objects that exist already");
        }
    }
    Ok(())
}

/// The mutations of a rule.
fn mutations(mutate: &Value, path: &Path, scope: &Scope<'_>) -> Converted<Vec<Mutation>> {
    of_the_request(mutate, path)?;
    if let Some(loops) = mutate.get("foreach").and_then(Value::as_array) {
        let place = path.join("foreach");
        return loops
            .iter()
            .enumerate()
            .map(|(at, one)| {
                let scope = scope.behind(at);
                mutate_foreach::mutation(one, &place.join(at), &scope)
            })
            .collect();
    }
    if let Some(patch) = mutate.get("patchStrategicMerge") {
        let object = Access::root("object", scope.shape.clone());
        let expression = configuration(&object, patch, &path.join("patchStrategicMerge"), scope)?;
        return Ok(vec![Mutation { form: Form::Configuration, expression }]);
    }
    if let Some(patches) = mutate.get("patchesJson6902") {
        let expression = json_patches::patches(patches, &path.join("patchesJson6902"), scope, &[])?.text();
        return Ok(vec![Mutation { form: Form::JsonPatch, expression }]);
    }
    refuse(Class::Rule, path, "a rule that mutates nothing")
}

/// How deep a value may be.
const MAX_DEPTH: usize = 32;

/// A written value in CEL.
pub(crate) fn literal(value: &Value, path: &Path, scope: &Scope<'_>) -> Converted<String> {
    literal_at(value, path, scope, 0)
}

fn literal_at(value: &Value, path: &Path, scope: &Scope<'_>, depth: usize) -> Converted<String> {
    if depth > MAX_DEPTH {
        return refuse(Class::Rule, path, "a value of such depth");
    }
    match value {
        Value::String(text) if text.contains("{{") => match whole(value, scope, path)? {
            expr @ (Expr::Attribute(_) | Expr::Cel(..) | Expr::Defaulted(..)) => expr.as_text(path),
            Expr::Field(access) => Ok(access.plain().to_owned()),
            _ => refuse(Class::Expression, path, "a value of this form in a patch"),
        },
        Value::String(text) => Ok(quoted(text)),
        Value::Object(map) => {
            let values = of_one_type(value, &mut map.values(), path, scope, depth)?;
            let entries = map.keys().zip(values).map(|(key, value)| format!("{}: {value}", quoted(key)));
            Ok(format!("{{{}}}", entries.collect::<Vec<_>>().join(", ")))
        }
        Value::Array(list) => {
            Ok(format!("[{}]", of_one_type(value, &mut list.iter(), path, scope, depth)?.join(", ")))
        }
        Value::Null => refuse(Class::Rule, path, "null, which takes a field away"),
        other => Ok(engine_json::to_json(other)),
    }
}

/// The values of a map or list, which CEL wants to be of one type: what is read of an object has none that is known.
fn of_one_type(
    all: &Value,
    values: &mut dyn Iterator<Item = &Value>,
    path: &Path,
    scope: &Scope<'_>,
    depth: usize,
) -> Converted<Vec<String>> {
    let made = values.map(|one| {
        // Of a field whether it holds a text; nothing for what is written.
        let field = match one.as_str().filter(|text| text.contains("{{")) {
            Some(_) => match whole(one, scope, path)? {
                Expr::Field(access) => Some(access.shape == Some(Shape::Text)),
                _ => None,
            },
            None => None,
        };
        Ok((literal_at(one, path, scope, depth + 1)?, field))
    });
    let made = made.collect::<Converted<Vec<_>>>()?;
    let is_of_both =
        made.iter().any(|(_, field)| field.is_some()) && made.iter().any(|(_, field)| field.is_none());
    let is_mixed = is_mixed(all) || (is_of_both && made.iter().any(|(_, field)| *field == Some(false)));
    let typed = made.into_iter().map(|(text, field)| match field {
        _ if is_mixed => format!("dyn({text})"),
        Some(_) if is_of_both => format!("string({text})"),
        _ => text,
    });
    Ok(typed.collect())
}

/// Whether the values of a map or list are of several types, which CEL wants to be told.
fn is_mixed(value: &Value) -> bool {
    let values: Vec<&Value> = match value {
        Value::Object(map) => map.values().collect(),
        Value::Array(list) => list.iter().collect(),
        _ => Vec::new(),
    };
    let kind = |value: &Value| match value {
        // A map of lists is another type than a map of strings.
        Value::Object(map) => map.values().next().map_or(4, |one| 10 + one.go_type().len()),
        Value::Array(list) => list.first().map_or(5, |one| 100 + one.go_type().len()),
        Value::String(_) => 1,
        Value::Number(_) => 2,
        Value::Bool(_) | Value::Null => 3,
    };
    values.windows(2).any(|pair| matches!(pair, [one, other] if kind(one) != kind(other)))
}

/// What a rule for Pods does as it is for what holds a template of Pods there. Kyverno rewrites variables as text.
// Kyverno: pkg/autogen/v1/rule.go updateGenRuleByte.
fn in_template(mutate: &Value, holder: &str) -> Value {
    let with_patch = |value: &Value| {
        let mut made = in_template_words(value, 0, holder);
        if let (Some(patch), Some(map)) = (value.get("patchStrategicMerge"), made.object_mut()) {
            map.insert("patchStrategicMerge", in_template_of(patch, holder));
        }
        made
    };
    let Some(loops) = mutate.get("foreach").and_then(Value::as_array) else {
        return if mutate.get("patchStrategicMerge").is_some() { with_patch(mutate) } else { mutate.clone() };
    };
    let loops = Value::array(loops.iter().map(with_patch).collect());
    Value::object(Map::from_entries(vec![("foreach".into(), loops)]))
}

/// A patch of a Pod as one of what holds a template of Pods there.
pub(crate) fn in_template_of(patch: &Value, holder: &str) -> Value {
    holder.rsplit('.').fold(in_template_words(patch, 0, holder), |inner, key| {
        Value::object(Map::from_entries(vec![(key.into(), inner)]))
    })
}

/// Where the template of a Pod stands.
const TEMPLATE: &str = "spec.template";

/// The variables of strings as they are for templates.
pub(crate) fn in_template_words(value: &Value, depth: usize, holder: &str) -> Value {
    match value {
        Value::String(text) => {
            let moved = ["spec", "metadata"].iter().fold(text.to_string(), |text, key| {
                text.replace(&format!("request.object.{key}"), &format!("request.object.{holder}.{key}"))
            });
            Value::from(moved)
        }
        Value::Array(list) if depth < MAX_DEPTH => {
            Value::array(list.iter().map(|one| in_template_words(one, depth + 1, holder)).collect())
        }
        Value::Object(map) if depth < MAX_DEPTH => {
            let entries =
                map.iter().map(|(key, one)| (key.clone(), in_template_words(one, depth + 1, holder)));
            Value::object(Map::from_entries(entries.collect()))
        }
        other => other.clone(),
    }
}
