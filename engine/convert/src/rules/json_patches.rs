//! JSON patches.
//!
//! In: `patchesJson6902`, and the loops that it stands in. Out: a list of `JSONPatch` in CEL.
//!
//! Kyverno makes what is missing above an added place, and takes nothing away where nothing is (`EnsurePathExistsOnAdd`,
//! `AllowMissingPathOnRemove` in pkg/engine/mutate/patch/patchJSON6902.go). The patches of CEL err there, so the expression asks first.

use crate::expressions::access::Access;
use crate::expressions::expr::Expr;
use crate::expressions::formula::quoted;
use crate::expressions::jmes::value;
use crate::expressions::scope::Scope;
use crate::expressions::template::{Part, parts};
use crate::refusal::{Class, Converted, refuse};
use crate::rules::mutate::literal;
use engine_compare::schema::Shape;
use engine_json::{Path, Value};

/// How many patches a rule may have.
const MAX_PATCHES: usize = 100;
/// How wide a line may be before it is broken.
const WIDTH: usize = 110;
/// How many parts a path may have.
const MAX_PARTS: usize = 32;

/// A loop around patches.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    /// The keys on the way to the list.
    pub(crate) list: Vec<String>,
    /// An element.
    pub(crate) element: Access,
    /// The name of its place.
    pub(crate) index: String,
}

/// A list of patches in CEL.
#[derive(Clone, Debug)]
pub(crate) enum Patches {
    /// These patches.
    Always(Vec<String>),
    /// A text that gives a list.
    List(String),
}

impl Patches {
    /// The text of a list.
    pub(crate) fn text(&self) -> String {
        match self {
            Patches::Always(patches) => listed(patches),
            Patches::List(text) => text.clone(),
        }
    }
}

fn listed(patches: &[String]) -> String {
    match patches {
        [one] => format!("[{one}]"),
        all => format!("[\n  {}\n]", all.join(",\n  ")),
    }
}

/// The patches of a text.
pub(crate) fn patches(written: &Value, path: &Path, scope: &Scope<'_>, loops: &[Loop]) -> Converted<Patches> {
    let text = written.as_str().unwrap_or("");
    // Kyverno: patchJSON6902.go ConvertPatchesToJSON.
    if text.starts_with('[') && engine_json::parse(text).is_err() {
        return refuse(
            Class::Rule,
            path,
            "patches that begin with `[` and are not JSON, which Kyverno cannot decode",
        );
    }
    let Ok(patches) = engine_yaml::parse_one(written.as_str().unwrap_or("")) else {
        return refuse(Class::Rule, path, "patches that are not YAML");
    };
    let all = patches.as_array().unwrap_or_default();
    if all.is_empty() || all.len() > MAX_PATCHES {
        return refuse(Class::Rule, path, "a list without patches, or with very many");
    }
    let mut writer = Writer { path, scope, loops, groups: Vec::new(), made: Vec::new(), gone: Vec::new() };
    for patch in all {
        writer.patch(patch)?;
    }
    Ok(writer.finish())
}

/// Patches that stand together, or one on a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// These patches.
    Always(Vec<String>),
    /// The condition, and the patches where it holds and where it does not.
    If(String, Vec<String>, Vec<String>),
}

struct Writer<'w, 's> {
    path: &'w Path,
    scope: &'w Scope<'s>,
    loops: &'w [Loop],
    groups: Vec<Group>,
    /// Places that are there after a patch.
    made: Vec<String>,
    /// Places that are not.
    gone: Vec<String>,
}

/// A place that a patch names.
struct Place {
    /// The path as text of CEL.
    text: String,
    /// What stands there.
    access: Access,
    /// What stands above it and need not be there: the path, what must be there, and what is made.
    missing: Vec<(String, Access, &'static str)>,
}

impl Writer<'_, '_> {
    fn refuse<T>(&self, text: impl Into<String>) -> Converted<T> {
        refuse(Class::Rule, self.path, text)
    }

    fn always(&mut self, patch: String) {
        match self.groups.last_mut() {
            Some(Group::Always(patches)) => patches.push(patch),
            _ => self.groups.push(Group::Always(vec![patch])),
        }
    }

    /// Takes fields of unknown form for strings: patches are a text, in which Kyverno writes what variables give between the quotes.
    fn assume_texts(&self, written: &Value, depth: usize) -> Converted<()> {
        match written {
            Value::String(text) => {
                for part in parts(text).iter().take(MAX_PATCHES) {
                    let Part::Variable(expression) = part else { continue };
                    if let Expr::Field(access) = value(expression, self.scope, self.path)? {
                        self.scope.schema.assume(&access, Shape::Text);
                    }
                }
                Ok(())
            }
            Value::Object(map) if depth < MAX_PARTS => {
                map.values().try_for_each(|value| self.assume_texts(value, depth + 1))
            }
            Value::Array(list) if depth < MAX_PARTS => {
                list.iter().try_for_each(|value| self.assume_texts(value, depth + 1))
            }
            _ => Ok(()),
        }
    }

    fn patch(&mut self, patch: &Value) -> Converted<()> {
        let (op, written) = (patch.find_str(&["op"]), patch.find_str(&["path"]));
        let is_below = |gone: &String| {
            written.strip_prefix(gone.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if self.gone.iter().any(is_below) {
            return self.refuse(format!("the path `{written}`, which a patch before it takes away"));
        }
        let place = self.place(written)?;
        let text = &place.text;
        match op {
            "remove" => {
                let patch = format!("JSONPatch{{op: 'remove', path: {text}}}");
                self.gone.push(written.to_owned());
                match place.access.is_there() {
                    crate::expressions::formula::Formula::True => self.always(patch),
                    there => self.groups.push(Group::If(there.text(), vec![patch], Vec::new())),
                }
            }
            "add" | "replace" => {
                if op == "add" {
                    self.make_missing(&place)?;
                    self.made.push(written.to_owned());
                }
                let written = patch.get("value").unwrap_or(&Value::Null);
                self.assume_texts(written, 0)?;
                let value = literal(written, self.path, self.scope)?;
                // In CEL `replace` adds what is not there, in Kyverno it errs, as `remove` does in CEL.
                let op = if op == "replace" && place.access.is_optional() && !self.made.contains(&place.text)
                {
                    self.always(format!("JSONPatch{{op: 'remove', path: {text}}}"));
                    "add"
                } else {
                    op
                };
                self.always(format!("JSONPatch{{op: {}, path: {text}, value: {value}}}", quoted(op)));
            }
            _ => return self.refuse(format!("the operation `{op}`")),
        }
        Ok(())
    }

    /// What stands above a place that is added is made where it is missing.
    fn make_missing(&mut self, place: &Place) -> Converted<()> {
        for (text, access, empty) in &place.missing {
            if self.made.contains(text) {
                continue;
            }
            if empty.is_empty() {
                return self.refuse(format!("an addition below {text}, an element that need not be there"));
            }
            self.made.push(text.clone());
            let patch = format!("JSONPatch{{op: 'add', path: {text}, value: {empty}}}");
            self.groups.push(Group::If(access.is_there().text(), Vec::new(), vec![patch]));
        }
        Ok(())
    }

    fn place(&self, written: &str) -> Converted<Place> {
        let parts: Vec<&str> = written.split('/').skip(1).collect();
        if parts.is_empty() || parts.len() > MAX_PARTS {
            return self.refuse(format!("the path `{written}`"));
        }
        let mut access = Access::root("object", self.scope.shape.clone());
        let (mut keys, mut missing, mut text) = (Vec::new(), Vec::new(), Text::default());
        for (at, part) in parts.iter().enumerate() {
            let is_last = at + 1 == parts.len();
            text.push("/");
            if let Some(name) = part.strip_prefix("{{").and_then(|part| part.strip_suffix("}}")) {
                let Some(each) = self.loop_of(name.trim()).filter(|each| each.list == keys) else {
                    return self.refuse(format!("the variable in the path `{written}`"));
                };
                text.index(&each.index);
                access = each.element.clone();
                keys.push("[]".to_owned());
                continue;
            }
            if part.contains("{{") || *part == "-1" {
                return self.refuse(format!("the path `{written}`"));
            }
            text.push(part);
            let key = part.replace("~1", "/").replace("~0", "~");
            match (key.parse::<i64>(), key.as_str()) {
                (_, "-") if is_last => break,
                (Ok(index), _) => access = access.index(index),
                (Err(_), _) => access = access.field(&key, self.scope.schema),
            }
            keys.push(key.clone());
            if !is_last && access.is_optional() {
                let next = parts.get(at + 1).copied().unwrap_or("");
                let is_list = next == "-" || next.parse::<usize>().is_ok();
                let empty = match key.parse::<i64>() {
                    Ok(_) => "",
                    Err(_) if is_list => "[]",
                    Err(_) => "{}",
                };
                missing.push((text.finished(), access.clone(), empty));
            }
        }
        Ok(Place { text: text.finished(), access, missing })
    }

    fn loop_of(&self, name: &str) -> Option<&Loop> {
        match name.strip_prefix("elementIndex")? {
            "" => self.loops.last(),
            at => self.loops.get(at.parse::<usize>().ok()?),
        }
    }

    fn finish(self) -> Patches {
        if let [Group::Always(patches)] = self.groups.as_slice() {
            return Patches::Always(patches.clone());
        }
        Patches::List(written_groups(&self.groups))
    }
}

/// Groups as one list.
pub(crate) fn written_groups(groups: &[Group]) -> String {
    let of_group = |group: &Group| match group {
        Group::Always(patches) => listed(patches),
        Group::If(condition, first, second) => {
            let (first, second) = (list_or_empty(first), list_or_empty(second));
            let flat = format!("({condition} ? {first} : {second})");
            if flat.len() <= WIDTH { flat } else { format!("({condition} ?\n  {first} :\n  {second})") }
        }
    };
    groups.iter().map(of_group).collect::<Vec<_>>().join(" +\n")
}

fn list_or_empty(patches: &[String]) -> String {
    if patches.is_empty() { "[]".into() } else { listed(patches) }
}

/// A path in which places of loops stand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    done: Vec<String>,
    open: String,
}

impl Text {
    /// More of the path.
    pub(crate) fn push(&mut self, text: &str) {
        self.open.push_str(text);
    }

    /// A place that an expression gives.
    pub(crate) fn index(&mut self, name: &str) {
        self.done.push(quoted(&std::mem::take(&mut self.open)));
        self.done.push(format!("string({name})"));
    }

    /// The text of CEL.
    pub(crate) fn finished(&self) -> String {
        let rest = (!self.open.is_empty()).then(|| quoted(&self.open));
        self.done.iter().cloned().chain(rest).collect::<Vec<_>>().join(" + ")
    }
}
