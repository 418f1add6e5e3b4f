//! Strategic merge patches as configurations that are applied.
//!
//! In: `patchStrategicMerge`. Out: `Object{spec: Object.spec{runtimeClassName: 'prodclass'}}`, where both merges leave the same object.

use crate::expressions::access::{Access, is_identifier};
use crate::expressions::scope::Scope;
use crate::refusal::{Class, Converted, refuse};
use crate::rules::mutate::literal;
use engine::pattern::anchor::{Anchor, parse};
use engine_compare::schema::Shape;
use engine_json::{Map, Path, Value};

/// How wide a line may be before it is broken.
const WIDTH: usize = 90;
/// How deep a patch may be.
const MAX_DEPTH: usize = 32;

/// A patch of a whole object.
pub(crate) fn configuration(
    object: &Access,
    patch: &Value,
    path: &Path,
    scope: &Scope<'_>,
) -> Converted<String> {
    let Some(map) = patch.as_object() else { return refuse(Class::Rule, path, "a patch that is not a map") };
    Writer { scope, depth: 0 }.object(object, map, "Object", path)
}

/// A patch of the elements of one list, each by its name: the keys on the way to the list and the list in CEL, the name of an element and
/// the element.
pub(crate) fn of_elements(
    (keys, list): (&[String], &str),
    (item, element): (&str, &Access),
    patch: &Value,
    path: &Path,
    scope: &Scope<'_>,
) -> Converted<String> {
    let (mut below, mut place, mut name) = (patch, path.clone(), "Object".to_owned());
    let mut names = Vec::new();
    for key in keys {
        let one = below.as_object().filter(|map| map.len() == 1).and_then(|map| map.get(key));
        let Some(value) = one else {
            return refuse(
                Class::Rule,
                &place,
                "a loop whose patch is for more than the elements of its list",
            );
        };
        names.push(name.clone());
        (below, place, name) = (value, place.join(key.as_str()), format!("{name}.{key}"));
    }
    let Some([Value::Object(map)]) = below.as_array() else {
        return refuse(Class::Rule, &place, "a loop whose patch is not for the elements of its list");
    };
    let here = place.join(0);
    let is_name = |(key, value): &(&engine_json::Str, &Value)| {
        let text = value.as_str().unwrap_or("").replace(' ', "");
        matches!(key.as_str(), "(name)" | "name") && text == "{{element.name}}"
    };
    if !map.iter().any(|entry| is_name(&entry)) {
        return refuse(Class::Rule, &here, "a loop whose patch does not name its element");
    }
    let rest = map.iter().filter(|entry| !is_name(entry)).map(|(key, value)| (key.clone(), value.clone()));
    let rest = Map::from_entries(rest.collect());
    let mut entries = vec![format!("name: {item}.name")];
    entries.extend(Writer { scope, depth: keys.len() }.entries(element, &rest, &name, &here)?);
    let inner = braced(&name, &entries).replace('\n', "\n  ");
    let mapped = format!("{list}.map({item},\n  {inner})");
    Ok(names
        .iter()
        .zip(keys)
        .rev()
        .fold(mapped, |inner, (name, key)| braced(name, &[format!("{key}: {inner}")])))
}

#[derive(Clone, Copy)]
struct Writer<'w, 's> {
    scope: &'w Scope<'s>,
    depth: usize,
}

impl Writer<'_, '_> {
    fn object(self, access: &Access, map: &Map, name: &str, path: &Path) -> Converted<String> {
        let entries = self.entries(access, map, name, path)?;
        let is_map = matches!(access.shape, Some(Shape::Map(_)));
        Ok(braced(if is_map { "" } else { name }, &entries))
    }

    fn entries(self, access: &Access, map: &Map, name: &str, path: &Path) -> Converted<Vec<String>> {
        if self.depth > MAX_DEPTH {
            return refuse(Class::Rule, path, "a patch of such depth");
        }
        let is_map = matches!(access.shape, Some(Shape::Map(_)));
        let deeper = Writer { depth: self.depth + 1, ..self };
        let mut entries = Vec::new();
        let is_mixed = map.len() > 1 && map.keys().any(|written| parse(written).is_some());
        for (written, value) in map.iter() {
            let here = path.join(written.clone());
            let (anchor, key) =
                parse(written).map_or((None, written.as_str()), |(anchor, key)| (Some(anchor), key));
            let field = access.field(key, self.scope.schema);
            if !is_map && !is_identifier(key) {
                return refuse(
                    Class::Rule,
                    &here,
                    "a key that is not a name, in what is not known to be a map",
                );
            }
            if let Some(shape) = &access.shape
                && self.scope.schema.schema().is_atomic(shape, key)
                && matches!(value, Value::Object(_))
            {
                return refuse(Class::Rule, &here, format!("a configuration replaces `{key}` as a whole"));
            }
            let text = match anchor {
                // What is read of the object has another type than a written value, and a map in CEL has one for all.
                None if is_map && is_mixed => format!("dyn({})", literal(value, &here, self.scope)?),
                None => deeper.value(&field, value, &format!("{name}.{key}"), &here)?,
                Some(Anchor::AddIfNotPresent) if !matches!(value, Value::Object(_) | Value::Array(_)) => {
                    field.or(&literal(value, &here, self.scope)?)
                }
                Some(_) => return refuse(Class::Rule, &here, format!("`{written}` in a patch")),
            };
            entries.push(if is_map {
                format!("{}: {text}", crate::expressions::formula::quoted(key))
            } else {
                format!("{key}: {text}")
            });
        }
        Ok(entries)
    }

    fn value(self, access: &Access, value: &Value, name: &str, path: &Path) -> Converted<String> {
        match value {
            Value::Object(map) => self.object(access, map, name, path),
            Value::Array(list) => self.list(access, list, name, path),
            scalar => literal(scalar, path, self.scope),
        }
    }

    /// A list of maps whose pattern is for each that is there.
    fn list(self, access: &Access, list: &[Value], name: &str, path: &Path) -> Converted<String> {
        let [Value::Object(map)] = list else {
            return refuse(
                Class::Rule,
                path,
                "a list, which a configuration may not set, or puts elements at another place into",
            );
        };
        let here = path.join(0);
        let is_every = |(key, value): (&engine_json::Str, &Value)| {
            key.as_str() == "(name)" && matches!(value.as_str(), Some("*" | "?*"))
        };
        if !map.iter().any(is_every) {
            return refuse(Class::Rule, &here, "elements, which both merges put at other places");
        }
        if access.is_optional() {
            return refuse(Class::Rule, &here, "elements of a list that need not be there");
        }
        if adds_if_absent(map) {
            return refuse(
                Class::Rule,
                &here,
                "`+()` in elements of a list, of which the source adds to all what the first one has not",
            );
        }
        let rest: Vec<_> = map
            .iter()
            .filter(|entry| !is_every(*entry))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let item = access.element_name();
        let element = access.element(&item);
        let mut entries = vec![format!("name: {item}.name")];
        entries.extend(self.entries(&element, &Map::from_entries(rest), name, &here)?);
        let (list, inner) = (access.plain(), braced(name, &entries).replace('\n', "\n  "));
        Ok(format!("{list}.map({item},\n  {inner})"))
    }
}

/// Whether `+()` stands in a value.
// Kyverno: strategicPreprocessing.go processListOfMaps works off one copy of the element for all that are there.
fn adds_if_absent(map: &Map) -> bool {
    map.iter().any(|(key, value)| {
        matches!(parse(key), Some((Anchor::AddIfNotPresent, _)))
            || value.as_object().is_some_and(adds_if_absent)
    })
}

/// Entries in braces, on one line or several.
fn braced(name: &str, entries: &[String]) -> String {
    let flat = format!("{name}{{{}}}", entries.join(", "));
    if flat.len() <= WIDTH && !flat.contains('\n') {
        return flat;
    }
    let lines: Vec<String> =
        entries.iter().map(|entry| format!("  {}", entry.replace('\n', "\n  "))).collect();
    format!("{name}{{\n{}\n}}", lines.join(",\n"))
}
