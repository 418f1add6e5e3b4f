//! Loops of rules that mutate.
//!
//! In: entries of `mutate.foreach`. Out: for each a mutation: the patches of all elements, or a configuration with an entry for each.

use crate::conditions::Conditions;
use crate::conditions::block::Block;
use crate::expressions::access::Access;
use crate::expressions::expr::Expr;
use crate::expressions::formula::{Formula, operand};
use crate::expressions::jmes::value;
use crate::expressions::scope::Scope;
use crate::refusal::{Class, Converted, refuse};
use crate::rules::configuration::of_elements;
use crate::rules::json_patches::{Loop, Patches, patches};
use crate::rules::mutate::{Form, Mutation};
use engine_compare::schema::Shape;
use engine_json::{Path, Value};

/// How deep loops may stand in one another.
const MAX_DEPTH: usize = 2;
/// Names of places, by the depth of the loop.
const INDICES: [&str; MAX_DEPTH] = ["i", "j"];

/// The mutation of a loop.
pub(crate) fn mutation(written: &Value, path: &Path, scope: &Scope<'_>) -> Converted<Mutation> {
    if let Some(patch) = written.get("patchStrategicMerge") {
        let place = path.join("patchStrategicMerge");
        let list = list(written, path, scope, Some(patch))?;
        let inner = list.inner(written, path, scope);
        let test = preconditions(written, path, &inner)?;
        let source = match test {
            Formula::True => operand(&list.text),
            test => format!("{}.filter({}, {})", operand(&list.text), list.name, test.text()),
        };
        scope.schema.note_kept_order();
        scope.note(
            "the source puts elements that a patch changes before those that it leaves as they are, the new policy keeps their order",
        );
        let expression =
            of_elements((&list.keys, &source), (&list.name, &list.element), patch, &place, &inner)?;
        return Ok(Mutation { form: Form::Configuration, expression });
    }
    let made = patched(written, path, scope, &[])?;
    Ok(Mutation { form: Form::JsonPatch, expression: made })
}

/// The patches of all elements as a list.
fn patched(written: &Value, path: &Path, scope: &Scope<'_>, loops: &[Loop]) -> Converted<String> {
    let Some(index) = INDICES.get(loops.len()) else {
        return refuse(Class::Rule, path, "loops within loops within loops");
    };
    let list = list(written, path, scope, None)?;
    let inner = list.inner(written, path, scope);
    let test = preconditions(written, path, &inner)?;
    let mut within = loops.to_vec();
    within.push(Loop { list: list.keys.clone(), element: list.element.clone(), index: (*index).to_owned() });
    let made = if let Some(text) = written.get("patchesJson6902") {
        patches(text, &path.join("patchesJson6902"), &inner, &within)?
    } else if let Some([one]) = written.get("foreach").and_then(Value::as_array) {
        Patches::List(patched(one, &path.join("foreach").join(0), &inner, &within)?)
    } else {
        return refuse(
            Class::Rule,
            path,
            "a loop needs `patchStrategicMerge`, `patchesJson6902` or one `foreach`",
        );
    };
    let (body, is_flat) = match &made {
        Patches::Always(all) if all.len() == 1 => (all.concat(), true),
        other => (other.text(), false),
    };
    let filter = match test {
        Formula::True => String::new(),
        test => format!("\n  {},", test.text().replace('\n', "\n  ")),
    };
    let (text, name) = (operand(&list.text), &list.name);
    let body = body.replace('\n', "\n  ");
    let order = if written.find_str(&["order"]) == "Descending" { ".reverse()" } else { "" };
    let flat = if is_flat { "" } else { ".flatten()" };
    Ok(format!("{text}.transformList({index}, {name},{filter}\n  {body}){order}{flat}"))
}

fn preconditions(written: &Value, path: &Path, scope: &Scope<'_>) -> Converted<Formula> {
    let block = match written.get("preconditions").filter(|written| !written.is_null()) {
        Some(written) => Conditions::new(scope).block(written, &path.join("preconditions"))?,
        None => Block::default(),
    };
    Ok(block.holds())
}

/// The list of a loop.
struct List {
    /// As text; it errs where the source does.
    text: String,
    /// The keys on the way to it.
    keys: Vec<String>,
    /// An element, and its name.
    element: Access,
    name: String,
}

impl List {
    fn inner<'s>(&self, written: &Value, path: &Path, scope: &Scope<'s>) -> Scope<'s> {
        let mut inner = scope.within(Expr::Field(self.element.clone()));
        inner.context(written.get("context"), &path.join("context"));
        inner
    }
}

fn list(written: &Value, path: &Path, scope: &Scope<'_>, patch: Option<&Value>) -> Converted<List> {
    let place = path.join("list");
    let text = written.find_str(&["list"]);
    // A patch that asks for the name of an element of one list passes over those of others.
    let one = patch.and_then(|patch| one_of_several(text, patch));
    let of = |access: &Access, text: String| {
        let keys = access.path().map(<[String]>::to_vec);
        let Some(keys) = keys else {
            return refuse(Class::Rule, &place, "a list that is not a field of the object");
        };
        let name = access.element_name();
        Ok(List { text, keys, element: access.element(&name), name })
    };
    let value = value(one.as_deref().unwrap_or(text), scope, &place)?;
    // Over the values of a map nothing in CEL goes by their place.
    if let Expr::Field(access) | Expr::Defaulted(access, _) = &value {
        scope.schema.assume(access, Shape::List(Box::new(Shape::Any)));
    }
    match value {
        Expr::Field(access) => of(&access, access.plain().to_owned()),
        Expr::Nullable(access) if access.may_be_null() => of(&access, access.or("[]")),
        Expr::Defaulted(access, default) if default.as_array().is_some_and(<[Value]>::is_empty) => {
            of(&access, access.or("[]"))
        }
        Expr::Elements(elements) if elements.filter == Formula::True => match &*elements.item {
            Expr::Field(item) if item.plain() == elements.name => {
                let Some(keys) =
                    item.path().and_then(|keys| keys.split_last()).map(|(_, keys)| keys.to_vec())
                else {
                    return refuse(Class::Rule, &place, "a list that is not a field of the object");
                };
                Ok(List {
                    text: elements.list.clone(),
                    keys,
                    element: item.clone(),
                    name: elements.name.clone(),
                })
            }
            _ => refuse(Class::Rule, &place, "a loop over parts of elements"),
        },
        _ => refuse(Class::Rule, &place, "a loop over a list that is filtered or put together"),
    }
}

/// Of `request.object.spec.[a, b][]` the list that the patch is for, where that asks for names of elements with `(name)`.
fn one_of_several(text: &str, patch: &Value) -> Option<String> {
    let (before, lists) = text.trim().strip_suffix("[]")?.strip_suffix(']')?.split_once(".[")?;
    let mut below = patch;
    let mut last = None;
    for _ in 0..MAX_PARTS {
        let Some(map) = below.as_object() else { break };
        let (key, value) = map.iter().next().filter(|_| map.len() == 1)?;
        (last, below) = (Some(key.clone()), value);
    }
    let is_asked = below.as_array().is_some_and(|list| list.iter().all(|one| one.get("(name)").is_some()));
    let last = last.filter(|last| is_asked && lists.split(',').any(|list| list.trim() == last.as_str()))?;
    Some(format!("{before}.{last}"))
}

/// How deep the list of a patch may stand.
const MAX_PARTS: usize = 16;
