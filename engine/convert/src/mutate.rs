//! Rules that mutate.
//!
//! In: `mutate.patchStrategicMerge` or `mutate.patchesJson6902`. Out: mutations of a MutatingPolicy: a configuration that is applied, or
//! JSON patches. What the two kinds of merge do differently is refused: places in lists, lists of maps without the names of what is
//! there, maps that are replaced whole.

use crate::access::Access;
use crate::configuration::configuration;
use crate::expr::Expr;
use crate::formula::quoted;
use crate::refusal::{Class, Converted, below, refuse};
use crate::scope::Scope;
use crate::select::{Owner, Selection, selection};
use crate::template::whole;
use crate::types::Types;
use crate::validate::{Parts, conditions};
use engine_json::{Map, Path, Value};

/// A mutation of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mutation {
    form: Form,
    expression: String,
}

/// How a mutation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
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

/// A rule that mutates.
pub(crate) fn rule(
    rule: &Value,
    path: &Path,
    (controllers, owner): (&[String], Owner),
    schema: &Types<'_>,
) -> Converted<Parts> {
    let selection = Selection { owner, ..selection(rule, path, schema)? };
    let mut scope = Scope::new(&selection, schema);
    scope.context(rule.get("context"), &below(path, ["context"]));
    let conditions = conditions(rule, path, &selection, &scope)?.plain();
    let (mutate, place) = (rule.get("mutate").cloned().unwrap_or_default(), below(path, ["mutate"]));
    let mutations = mutations(&mutate, &place, &scope)?;
    if selection.is_for_pods()
        && !controllers.is_empty()
        && mutate.find(&["patchStrategicMerge", "metadata"]).is_some()
    {
        let text =
            "metadata of Pods that are made of templates, to which Kyverno does not extend a configuration";
        return refuse(Class::Rule, &below(&place, ["patchStrategicMerge", "metadata"]), text);
    }
    let template_mutations = if selection.is_for_pods() {
        let mut of_template = scope.clone();
        of_template.shape = schema.schema().kind("v1", "ReplicationController");
        self::mutations(&in_template(&mutate), &place, &of_template)?
    } else {
        Vec::new()
    };
    let (variables, notes) = (scope.variables(), scope.notes());
    Ok(Parts { selection, conditions, variables, mutations, template_mutations, notes, ..Parts::default() })
}

/// The mutations of a rule.
fn mutations(mutate: &Value, path: &Path, scope: &Scope<'_>) -> Converted<Vec<Mutation>> {
    for field in ["targets", "mutateExistingOnPolicyUpdate"] {
        if mutate.get(field).is_some_and(|value| value.as_bool() != Some(false)) {
            return refuse(Class::Rule, &path.join(field), "changes of objects that exist already");
        }
    }
    if mutate.get("foreach").is_some() {
        return refuse(Class::Rule, &path.join("foreach"), "a loop that mutates");
    }
    if let Some(patch) = mutate.get("patchStrategicMerge") {
        let object = Access::root("object", scope.shape.clone());
        let expression = configuration(&object, patch, &path.join("patchStrategicMerge"), scope)?;
        return Ok(vec![Mutation { form: Form::Configuration, expression }]);
    }
    if let Some(patches) = mutate.get("patchesJson6902") {
        let expression = json_patches(patches, &path.join("patchesJson6902"), scope)?;
        return Ok(vec![Mutation { form: Form::JsonPatch, expression }]);
    }
    refuse(Class::Rule, path, "a rule that mutates nothing")
}

/// How many patches a rule may have.
const MAX_PATCHES: usize = 100;

fn json_patches(written: &Value, path: &Path, scope: &Scope<'_>) -> Converted<String> {
    let text = written.as_str().unwrap_or("");
    let Ok(patches) = engine_yaml::parse_one(text) else {
        return refuse(Class::Rule, path, "patches that are not YAML");
    };
    let mut all = Vec::new();
    for patch in patches.as_array().unwrap_or_default().iter().take(MAX_PATCHES) {
        let (op, place) = (patch.find_str(&["op"]), patch.find_str(&["path"]));
        if !matches!(op, "add" | "replace") {
            return refuse(
                Class::Rule,
                path,
                format!("the operation `{op}`, which errs elsewhere where nothing is there"),
            );
        }
        if place.contains("/-1") || place.contains("{{") {
            return refuse(Class::Rule, path, format!("the path `{place}`"));
        }
        if op == "add" && !has_parent(place, scope) {
            let text = format!("an addition to `{place}`, above which not all need be there");
            return refuse(Class::Rule, path, text);
        }
        let value = literal(patch.get("value").unwrap_or(&Value::Null), path, scope)?;
        all.push(format!("JSONPatch{{op: {}, path: {}, value: {value}}}", quoted(op), quoted(place)));
    }
    if all.is_empty() {
        return refuse(Class::Rule, path, "a list without patches");
    }
    Ok(format!("[\n  {}\n]", all.join(",\n  ")))
}

/// Whether all above the end of a path is there in every object.
fn has_parent(place: &str, scope: &Scope<'_>) -> bool {
    let mut access = Access::root("object", scope.shape.clone());
    let keys: Vec<&str> = place.split('/').skip(1).collect();
    for key in keys.iter().take(keys.len().saturating_sub(1)) {
        if key.parse::<usize>().is_ok() {
            return false;
        }
        access = access.field(key, scope.schema);
        if access.is_optional() {
            return false;
        }
    }
    true
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
        Value::Object(_) | Value::Array(_) if is_mixed(value) => {
            refuse(Class::Rule, path, "a map or a list with values of several types, which Kyverno refuses")
        }
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| {
                Ok(format!("{}: {}", quoted(key), literal_at(value, path, scope, depth + 1)?))
            });
            Ok(format!("{{{}}}", entries.collect::<Converted<Vec<_>>>()?.join(", ")))
        }
        Value::Array(list) => {
            let items = list.iter().map(|one| literal_at(one, path, scope, depth + 1));
            Ok(format!("[{}]", items.collect::<Converted<Vec<_>>>()?.join(", ")))
        }
        Value::Null => refuse(Class::Rule, path, "null, which takes a field away"),
        other => Ok(engine_json::to_json(other)),
    }
}

/// Whether the values of a map or list are of several types.
fn is_mixed(value: &Value) -> bool {
    let values: Vec<&Value> = match value {
        Value::Object(map) => map.values().collect(),
        Value::Array(list) => list.iter().collect(),
        _ => Vec::new(),
    };
    values.windows(2).any(|pair| match pair {
        [one, other] => std::mem::discriminant(*one) != std::mem::discriminant(*other),
        _ => false,
    })
}

/// The patch of a rule for Pods as it is for what holds a template of Pods.
fn in_template(mutate: &Value) -> Value {
    let Some(patch) = mutate.get("patchStrategicMerge") else { return mutate.clone() };
    let wrap = |key: &str, value: Value| Value::object(Map::from_entries(vec![(key.into(), value)]));
    wrap("patchStrategicMerge", wrap("spec", wrap("template", patch.clone())))
}
