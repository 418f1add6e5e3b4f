//! What fields of Kubernetes' own kinds hold, read from the rows that patches are merged by.
//!
//! In: a kind, or a shape and a field. Out: shapes; `None` where nothing is known, as of kinds that are not Kubernetes' own.

use crate::objects::field_types::FieldType;
use crate::objects::format::Format;
use crate::objects::subresources::OPTIONS;
use crate::plain_values::PlainValue;
use engine_celpolicy::patch::published_types;
use engine_json::{Map, Str, Value};
use std::collections::BTreeMap;

/// What a value may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A text.
    Text,
    /// A number.
    Number,
    /// True or false.
    Truth,
    /// A number or a text, such as a port or an amount.
    Either,
    /// Of any form.
    Any,
    /// A list.
    List(Box<Shape>),
    /// A map with keys of the user.
    Map(Box<Shape>),
    /// An object of a type with this name.
    Object(&'static str),
}

/// All types.
#[derive(Debug)]
pub struct Schema {
    /// Version and kind, and the name of the type.
    kinds: Vec<(&'static str, &'static str, &'static str)>,
    /// The fields of a type.
    types: BTreeMap<&'static str, BTreeMap<&'static str, &'static str>>,
    /// Types that are no objects.
    plain: BTreeMap<&'static str, &'static str>,
    /// What fields of custom kinds are taken to hold.
    pub(crate) field_types: Vec<FieldType>,
    /// Whether images are taken to be such as can be pulled.
    pub(crate) has_readable_images: bool,
    /// Strings in which no wildcards are taken to stand.
    pub(crate) plain_values: Vec<PlainValue>,
}

impl Default for Schema {
    fn default() -> Self {
        Schema::new()
    }
}

impl Schema {
    /// Reads the rows.
    pub fn new() -> Self {
        let mut schema = Schema {
            kinds: Vec::new(),
            types: BTreeMap::new(),
            plain: BTreeMap::new(),
            field_types: Vec::new(),
            has_readable_images: false,
            plain_values: Vec::new(),
        };
        let mut current = "";
        for line in published_types().lines().chain(OPTIONS.lines()).filter(|line| !line.starts_with('#')) {
            let mut words = line.split(' ');
            let (first, second) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
            if let Some(version) = first.strip_prefix('=') {
                schema.kinds.push((version, second, words.next().unwrap_or("")));
            } else if let Some(name) = first.strip_prefix(':') {
                current = name;
                if !matches!(second, "" | "!") {
                    schema.plain.insert(name, second);
                }
            } else {
                schema.types.entry(current).or_default().insert(first, second);
            }
        }
        schema
    }

    /// The same with what fields of custom kinds are taken to hold.
    #[must_use]
    pub fn with_field_types(self, field_types: Vec<FieldType>) -> Self {
        Schema { field_types, ..self }
    }

    /// The same where images are taken to be such as can be pulled.
    #[must_use]
    pub fn with_readable_images(self, has_readable_images: bool) -> Self {
        Schema { has_readable_images, ..self }
    }

    /// The same where no wildcards are taken to stand in these strings.
    #[must_use]
    pub fn with_plain_values(self, plain_values: Vec<PlainValue>) -> Self {
        Schema { plain_values, ..self }
    }

    /// The shape of the metadata that objects of all kinds have.
    pub fn metadata() -> Shape {
        Shape::Object("meta.v1.ObjectMeta")
    }

    /// The shape of an object, by its kind.
    pub fn of(&self, object: &Value) -> Option<Shape> {
        self.kind(object.find_str(&["apiVersion"]), object.find_str(&["kind"]))
    }

    /// The shape of a kind.
    pub fn kind(&self, version: &str, kind: &str) -> Option<Shape> {
        let known = self.kinds.iter().find(|(of, name, _)| *of == version && *name == kind);
        known.map(|(_, _, name)| Shape::Object(name))
    }

    /// Version and kind of everything that is known.
    pub fn kinds(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let all = self.kinds.iter().map(|(version, kind, _)| (*version, *kind));
        // The object of a CONNECT request is not stored in a cluster.
        all.filter(|(_, kind)| !kind.is_empty() && !kind.ends_with("List") && !kind.ends_with("Options"))
    }

    /// The shape of a field.
    pub fn field(&self, shape: &Shape, key: &str) -> Option<Shape> {
        match shape {
            Shape::Object(name) => {
                let fields = self.types.get(name)?;
                fields.get(key).map(|text| self.shape(text))
            }
            Shape::Map(inner) => Some((**inner).clone()),
            Shape::Any => Some(Shape::Any),
            Shape::Text | Shape::Number | Shape::Truth | Shape::Either | Shape::List(_) => None,
        }
    }

    /// Whether a field is a quantity, or a map of them.
    pub(crate) fn holds_quantities(&self, shape: &Shape, key: &str) -> bool {
        let fields = match shape {
            Shape::Object(name) => self.types.get(name),
            _ => None,
        };
        let text = fields.and_then(|fields| fields.get(key)).copied().unwrap_or_default();
        text.trim_matches(['{', '}', '#', '!']) == QUANTITY
    }

    /// The form of the texts of a field, or of those of a map in it.
    pub(crate) fn format(&self, shape: &Shape, key: &str) -> Format {
        let Shape::Object(name) = shape else { return Format::Any };
        let text = self.types.get(name).and_then(|fields| fields.get(key)).copied().unwrap_or_default();
        match text.trim_matches(['{', '}', '#', '!']) {
            QUANTITY => Format::Quantity,
            "meta.v1.Time" | "meta.v1.MicroTime" => Format::Time,
            _ if key == "caBundle" || BYTES.contains(&(*name, key)) => Format::Bytes,
            _ => Format::Any,
        }
    }

    /// The shape of a field as it is tried: what is a number or a text is of any form in the rows.
    pub fn tried(&self, shape: &Shape, key: &str) -> Option<Shape> {
        let fields = match shape {
            Shape::Object(name) => self.types.get(name),
            _ => None,
        };
        match fields.and_then(|fields| fields.get(key)) {
            Some(text) if text.trim_matches(['#', '!']) == INT_OR_STRING => Some(Shape::Either),
            _ => self.field(shape, key),
        }
    }

    /// The names of the fields of an object.
    pub(crate) fn fields(&self, shape: &Shape) -> impl Iterator<Item = &'static str> {
        let fields = match shape {
            Shape::Object(name) => self.types.get(name),
            _ => None,
        };
        fields.into_iter().flat_map(|fields| fields.keys().copied())
    }

    /// Whether a field is replaced as a whole by a configuration that is applied.
    pub fn is_atomic(&self, shape: &Shape, key: &str) -> bool {
        let Shape::Object(name) = shape else { return false };
        let text = self.types.get(name).and_then(|fields| fields.get(key));
        text.is_some_and(|text| text.starts_with("{!") || text.ends_with('!'))
    }

    /// Whether the fields of an object are known.
    pub(crate) fn has_fields(&self, shape: &Shape) -> bool {
        matches!(shape, Shape::Object(name) if self.types.get(name).is_some_and(|fields| !fields.is_empty()))
    }

    /// The types with this name in any version of a group.
    #[cfg(test)]
    pub(crate) fn types_named(&self, group: &str, name: &str) -> Vec<&'static str> {
        let is_it = |of: &&str| of.split('.').next() == Some(group) && of.rsplit('.').next() == Some(name);
        self.types.keys().copied().filter(is_it).collect()
    }

    /// Whether a field of a type is a list.
    #[cfg(test)]
    pub(crate) fn is_list(&self, of: &'static str, field: &str) -> bool {
        matches!(self.field(&Shape::Object(of), field), Some(Shape::List(_)))
    }

    /// The shape of an element of a list.
    pub fn element(shape: &Shape) -> Option<Shape> {
        match shape {
            Shape::List(inner) => Some((**inner).clone()),
            Shape::Any => Some(Shape::Any),
            _ => None,
        }
    }

    fn shape(&self, text: &'static str) -> Shape {
        if let Some(name) = text.strip_prefix('#') {
            let name = name.trim_end_matches('!');
            return match self.plain.get(name) {
                // Names do not stand for names.
                Some(plain) if !plain.starts_with('#') => self.shape(plain),
                _ => Shape::Object(name),
            };
        }
        if let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            let element = match inner.split_once('=') {
                Some((keys, element)) if !keys.contains(['[', '{', '#']) => element,
                _ => inner,
            };
            return Shape::List(Box::new(self.shape(element)));
        }
        if let Some(inner) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
            return Shape::Map(Box::new(self.shape(inner.trim_start_matches('!'))));
        }
        match text {
            "s" => Shape::Text,
            "n" => Shape::Number,
            "b" => Shape::Truth,
            "u" => Shape::Either,
            _ => Shape::Any,
        }
    }

    /// An object of this type with a field of its own, where one is a number, a truth or a text.
    pub(crate) fn some_object(&self, shape: &Shape) -> Option<Value> {
        let plain = |name: &'static str| match self.field(shape, name)? {
            Shape::Number => Some((name, Value::from(1_i64))),
            Shape::Truth => Some((name, Value::Bool(true))),
            Shape::Text => Some((name, Value::from("x"))),
            _ => None,
        };
        let (name, value) = self.fields(shape).find_map(plain)?;
        Some(Value::object([(Str::new_static(name), value)].into_iter().collect::<Map>()))
    }

    /// An element that an API server would take, as far as that is known: names and images are needed.
    pub(crate) fn new_element(&self, shape: Option<&Shape>, name_of: impl FnOnce() -> String) -> Value {
        match shape {
            Some(Shape::Text) => Value::from("x"),
            Some(Shape::Number) => Value::from(1_i64),
            Some(Shape::Object(name)) => {
                let mut map = Map::new();
                let has = |field: &str| self.types.get(name).is_some_and(|fields| fields.contains_key(field));
                if has("name") {
                    map.insert("name", Value::from(name_of()));
                }
                // A container's; that of a volume is a map.
                if matches!(*name, "core.v1.Container" | "core.v1.EphemeralContainer") {
                    map.insert("image", Value::from(IMAGE));
                }
                Value::object(map)
            }
            _ => Value::object(Map::new()),
        }
    }
}

/// The type of ports and of shares.
const INT_OR_STRING: &str = "util.intstr.IntOrString";

/// The type of amounts of memory and of processor time.
const QUANTITY: &str = "api.resource.Quantity";

/// Maps whose values are bytes, beside each `caBundle`.
// k8s.io/api/core/v1: ConfigMap, Secret.
const BYTES: [(&str, &str); 2] = [("core.v1.ConfigMap", "binaryData"), ("core.v1.Secret", "data")];

/// The image of a container whose image no policy reads.
pub(crate) const IMAGE: &str = "registry.example/app:1.0";

/// The key of an entry that the search makes in a map of the user's.
pub(crate) const KEY: Str = Str::new_static("x");

/// The key of a second one.
pub(crate) const FURTHER_KEY: Str = Str::new_static("y");
