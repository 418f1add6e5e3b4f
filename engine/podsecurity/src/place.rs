//! How a check reads a Pod: by keys, null as unset, and a finding wherever a value has the wrong type.
//!
//! In: a place (the Pod, a container, a port) and keys below it. Out: the value with its Go type, or `None` where
//! it is not set. `containers: "x"` is not "no containers": it is a [`Fault::WrongType`] in [`Findings`].

use crate::{Fault, PodView, Subject, Violation};
use engine_json::arrange::Arrange as _;
use engine_json::ordered::OrderedSet;
use engine_json::{Map, Number, Path, Segment, Str, Value};

/// Keys that lead from one place to a value below it.
pub(crate) type Keys = [&'static str];

/// A value of the Pod, the way to it, and whose it is.
#[derive(Clone, Copy)]
pub(crate) struct Place<'p> {
    value: &'p Value,
    step: Step,
    up: Option<&'p Place<'p>>,
    owner: Owner<'p>,
}

#[derive(Clone, Copy)]
enum Step {
    Root(&'static str),
    Item(&'static Keys, usize),
}

#[derive(Clone, Copy)]
enum Owner<'p> {
    Pod,
    Container(&'p str),
    Volume(&'p str),
}

/// The Pod as the checks see it: its annotations and its spec.
pub(crate) struct Pod<'p> {
    metadata: Place<'p>,
    /// The spec.
    pub(crate) spec: Place<'p>,
}

/// What a check found.
#[derive(Default)]
pub(crate) struct Findings {
    /// The violations in the order in which they were found.
    pub(crate) violations: Vec<Violation>,
    /// The paths of values of the wrong type.
    unread: OrderedSet<Path>,
}

impl<'p> Pod<'p> {
    pub(crate) fn new(view: &PodView<'p>) -> Pod<'p> {
        Pod { metadata: Place::root(view.metadata, "metadata"), spec: Place::root(view.spec, "spec") }
    }

    /// Init containers, containers and ephemeral containers, in this order.
    pub(crate) fn containers(&self, findings: &mut Findings) -> Vec<Place<'_>> {
        let lists: [&'static Keys; 3] = [&["initContainers"], &["containers"], &["ephemeralContainers"]];
        let mut containers = Vec::new();
        for keys in lists {
            let mut items = self.spec.items(keys, findings);
            for item in &mut items {
                item.owner = Owner::Container(item.text(&["name"], findings).unwrap_or(""));
            }
            containers.append(&mut items);
        }
        containers
    }

    /// The volumes.
    pub(crate) fn volumes(&self, findings: &mut Findings) -> Vec<Place<'_>> {
        let mut volumes = self.spec.items(&["volumes"], findings);
        for volume in &mut volumes {
            volume.owner = Owner::Volume(volume.text(&["name"], findings).unwrap_or(""));
        }
        volumes
    }

    /// The annotations that `wanted` takes, in byte order of their keys; a null value is the empty text, as in Go.
    pub(crate) fn annotations(
        &self,
        wanted: impl Fn(&str) -> bool,
        findings: &mut Findings,
    ) -> Vec<(&'p Str, &'p str)> {
        let Some(map) = self.metadata.map(&["annotations"], findings) else { return Vec::new() };
        let mut taken: Vec<_> = map.iter().filter(|(key, _)| wanted(key)).collect();
        taken.arrange_by(|a, b| a.0.cmp(b.0));
        let mut read = Vec::with_capacity(taken.len());
        for (key, value) in taken {
            match value {
                Value::String(text) => read.push((key, text.as_str())),
                Value::Null => read.push((key, "")),
                Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                    findings.wrong_type(annotation_path(key), value, Subject::Annotation, "string");
                }
            }
        }
        read
    }

    /// Whether the Pod says that it runs on Windows.
    pub(crate) fn is_windows(&self, findings: &mut Findings) -> bool {
        self.spec.text(&["os", "name"], findings) == Some("windows")
    }

    /// Whether the Pod runs in a user namespace of its own, so that its root is not the node's.
    pub(crate) fn has_user_namespace(&self, findings: &mut Findings) -> bool {
        self.spec.bool(&["hostUsers"], findings) == Some(false)
    }
}

impl<'p> Place<'p> {
    /// A value that is the root of its paths, under that name.
    pub(crate) fn root(value: &'p Value, name: &'static str) -> Place<'p> {
        Place { value, step: Step::Root(name), up: None, owner: Owner::Pod }
    }

    /// The value under the keys, `None` where it or anything on the way is missing or null.
    pub(crate) fn find(&self, keys: &'static Keys, findings: &mut Findings) -> Option<&'p Value> {
        let mut value = self.value;
        for (depth, key) in keys.iter().enumerate() {
            match value {
                Value::Object(map) => value = map.get(key)?,
                Value::Null => return None,
                Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                    let path = self.path_of(keys.get(..depth).unwrap_or(&[]));
                    findings.wrong_type(path, value, self.subject(), "object");
                    return None;
                }
            }
        }
        Some(value).filter(|value| !value.is_null())
    }

    /// The truth value under the keys.
    pub(crate) fn bool(&self, keys: &'static Keys, findings: &mut Findings) -> Option<bool> {
        let value = self.find(keys, findings)?;
        value.as_bool().or_else(|| self.misread(keys, value, "boolean", findings))
    }

    /// The text under the keys.
    pub(crate) fn text(&self, keys: &'static Keys, findings: &mut Findings) -> Option<&'p str> {
        let value = self.find(keys, findings)?;
        value.as_str().or_else(|| self.misread(keys, value, "string", findings))
    }

    /// The map under the keys.
    pub(crate) fn map(&self, keys: &'static Keys, findings: &mut Findings) -> Option<&'p Map> {
        let value = self.find(keys, findings)?;
        value.as_object().or_else(|| self.misread(keys, value, "object", findings))
    }

    /// The whole number under the keys, between the two bounds; `1.0` is one, as it is in Kubernetes' YAML.
    pub(crate) fn integer(&self, keys: &'static Keys, bits: Bits, findings: &mut Findings) -> Option<i64> {
        let value = self.find(keys, findings)?;
        let number = value.as_number().and_then(whole).filter(|number| bits.hold(*number));
        number.or_else(|| self.misread(keys, value, bits.type_name(), findings))
    }

    /// The items of the list under the keys, as places.
    pub(crate) fn items<'s>(&'s self, keys: &'static Keys, findings: &mut Findings) -> Vec<Place<'s>> {
        let Some(value) = self.find(keys, findings) else { return Vec::new() };
        let list = value.as_array().or_else(|| self.misread(keys, value, "array", findings)).unwrap_or(&[]);
        let place =
            |(at, value)| Place { value, step: Step::Item(keys, at), up: Some(self), owner: self.owner };
        list.iter().enumerate().map(place).collect()
    }

    /// The texts of the list under the keys.
    pub(crate) fn texts(&self, keys: &'static Keys, findings: &mut Findings) -> Option<Vec<&'p str>> {
        let value = self.find(keys, findings)?;
        let list = value.as_array().or_else(|| self.misread(keys, value, "array", findings))?;
        let mut texts = Vec::with_capacity(list.len());
        for (at, item) in list.iter().enumerate() {
            match item {
                Value::String(text) => texts.push(text.as_str()),
                Value::Null => texts.push(""),
                Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                    findings.wrong_type(self.path_of(keys).join(at), item, self.subject(), "string");
                }
            }
        }
        Some(texts)
    }

    /// The whole numbers of the list under the keys.
    pub(crate) fn integers(&self, keys: &'static Keys, findings: &mut Findings) -> Option<Vec<i64>> {
        self.find(keys, findings)?;
        let items = self.items(keys, findings);
        Some(items.iter().map(|item| item.integer(&[], Bits::Int64, findings).unwrap_or(0)).collect())
    }

    /// The list that holds this item, and its place there.
    pub(crate) fn list_and_index(&self) -> (&'static str, usize) {
        match self.step {
            Step::Item(keys, at) => (keys.last().copied().unwrap_or(""), at),
            Step::Root(name) => (name, 0),
        }
    }

    /// The name of the container, and the empty text of anything else.
    pub(crate) fn container_name(&self) -> &'p str {
        match self.owner {
            Owner::Container(name) => name,
            Owner::Pod | Owner::Volume(_) => "",
        }
    }

    /// Notes that the value under the keys is not allowed.
    pub(crate) fn forbid(&self, keys: &Keys, value: impl Into<Value>, findings: &mut Findings) {
        self.note(keys, Some(value.into()), Fault::Forbidden, findings);
    }

    /// Notes a fault of the field under the keys.
    pub(crate) fn note(&self, keys: &Keys, value: Option<Value>, fault: Fault, findings: &mut Findings) {
        let (path, subject) = (self.path_of(keys), self.subject());
        findings.violations.push(Violation { path, value, subject, fault });
    }

    fn misread<T>(
        &self,
        keys: &Keys,
        value: &Value,
        expected: &'static str,
        findings: &mut Findings,
    ) -> Option<T> {
        findings.wrong_type(self.path_of(keys), value, self.subject(), expected);
        None
    }

    fn subject(&self) -> Subject {
        match self.owner {
            Owner::Pod => Subject::Pod,
            Owner::Container(name) => Subject::Container(Str::new(name)),
            Owner::Volume(name) => Subject::Volume(Str::new(name)),
        }
    }

    fn path_of(&self, keys: &Keys) -> Path {
        let mut steps: Vec<Segment> = keys.iter().rev().map(|key| Segment::from(*key)).collect();
        let mut place = Some(self);
        while let Some(here) = place {
            match here.step {
                Step::Root(name) => steps.push(Segment::from(name)),
                Step::Item(keys, at) => {
                    steps.push(Segment::from(at));
                    steps.extend(keys.iter().rev().map(|key| Segment::from(*key)));
                }
            }
            place = here.up;
        }
        steps.into_iter().rev().collect()
    }
}

impl Findings {
    /// Notes a value of the wrong type, once a place.
    fn wrong_type(&mut self, path: Path, value: &Value, subject: Subject, expected: &'static str) {
        if !self.unread.insert(path.clone()) {
            return;
        }
        let (value, fault) = (Some(value.clone()), Fault::WrongType(expected));
        self.violations.push(Violation { path, value, subject, fault });
    }

    /// Whether a value at the place under the keys, or on the way to it, has been noted as of the wrong type.
    pub(crate) fn is_unread(&self, place: &Place<'_>, keys: &Keys) -> bool {
        if self.unread.is_empty() {
            return false;
        }
        let path = place.path_of(keys);
        let prefix = |length: usize| Path::from(path.get(..length).unwrap_or(&[]));
        (0..=path.len()).any(|length| self.unread.contains(&prefix(length)))
    }

    /// Notes an annotation whose value is not allowed.
    pub(crate) fn forbid_annotation(&mut self, key: &Str, value: &str) {
        let (path, value) = (annotation_path(key), Some(Value::from(value)));
        self.violations.push(Violation {
            path,
            value,
            subject: Subject::Annotation,
            fault: Fault::Forbidden,
        });
    }
}

/// How wide Go's integer is at a place.
#[derive(Clone, Copy)]
pub(crate) enum Bits {
    /// `int32`.
    Int32,
    /// `int64`.
    Int64,
}

impl Bits {
    fn hold(self, number: i64) -> bool {
        match self {
            Bits::Int32 => i32::try_from(number).is_ok(),
            Bits::Int64 => true,
        }
    }

    fn type_name(self) -> &'static str {
        match self {
            Bits::Int32 => "int32",
            Bits::Int64 => "int64",
        }
    }
}

fn annotation_path(key: &Str) -> Path {
    Path::from(vec![Segment::from("metadata"), Segment::from("annotations"), Segment::Key(key.clone())])
}

/// The whole number, if it is one: kubectl writes `80.0` as `80` before the server reads it.
fn whole(number: Number) -> Option<i64> {
    match number {
        Number::Int(int) => Some(int),
        Number::Uint(_) => None,
        Number::Float(_) => Value::from(number).with_int_numbers().as_i64(),
    }
}
