//! The types of Kubernetes' own kinds, as far as a merge has to know them: fields, list types and keys, what is atomic.
//!
//! In: `data/types.txt`, made of the OpenAPI that Kubernetes 1.32 publishes: `=v1 Pod core.v1.Pod` is a kind and its type (`=extensions/v1beta1` a version that has
//! the kinds alone that all have),
//! `:core.v1.PodSpec` begins a type, ` !` behind it says that it is replaced as a whole. `containers [name=#core.v1.Container]` is a field: `[…]` is a
//! list that is replaced as a whole, `[name=…]` one whose items are merged by this key, `[=…]` a set; `{…}` is a map, `{!…}` one that is replaced as a whole; `#…` is another
//! type; `s`, `n`, `b`, `u` are texts, numbers, truth values and any of them, `d` and `a` are values of any form. Behind a key may stand its default.
//! Out: types by kind. Mirrors: k8s.io/kube-openapi pkg/schemaconv, sigs.k8s.io/structured-merge-diff/v6 schema.

use crate::functions::gzip::unpacked;
use engine_json::ordered::OrderedMap;
use engine_json::{Value, parse};
use std::sync::OnceLock;

/// The rows, as `build.rs` packs them: a sixth of what they are, which every module carries.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/types.bin"));

/// The rows.
pub fn published_types() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let text = unpacked(PACKED).map(|(text, _)| text).unwrap_or_default();
        String::from_utf8(text).unwrap_or_default()
    })
}

/// The kinds that every API version has, with their types: no rows say so.
pub const EVERYWHERE: [(&str, &str); 2] =
    [("DeleteOptions", "meta.v1.DeleteOptions"), ("WatchEvent", "meta.v1.WatchEvent")];

/// A type as it is declared.
#[derive(Debug)]
pub(super) enum Shape<'s> {
    /// A plain value.
    Plain(Plain),
    /// Any form: maps are merged, lists replaced.
    Deduced,
    /// Any form, replaced as a whole.
    Untyped,
    /// A type with a name; whether it is replaced as a whole here.
    Named(&'s str, bool),
    /// A list: its items, and the keys by which they are merged (none for a set), where they are.
    List(Box<Shape<'s>>, Option<Vec<&'s str>>),
    /// A map of anything, and whether it is replaced as a whole.
    Map(Box<Shape<'s>>, bool),
    /// Fields, what all others hold where there are others, and whether all are replaced together.
    Struct(OrderedMap<&'s str, Field<'s>>, Option<Box<Shape<'s>>>, bool),
    /// A plain value, a list or a map, the latter two declared.
    Open(Box<Shape<'s>>, Box<Shape<'s>>),
}

/// What plain values may stand somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plain {
    Text,
    Number,
    Truth,
    Any,
}

/// A field.
#[derive(Debug)]
pub(super) struct Field<'s> {
    pub(super) shape: Shape<'s>,
    /// What it counts as where it is a key of a list and is not there.
    pub(super) default: Option<Value>,
}

/// A type looked at: which forms a value may have.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Atom<'t> {
    pub(super) plain: Option<Plain>,
    pub(super) list: Option<ListType<'t>>,
    pub(super) map: Option<MapType<'t>>,
}

/// A list.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListType<'t> {
    pub(super) element: &'t Shape<'t>,
    /// The keys of its items, none for a set; `None` where it is replaced as a whole.
    pub(super) keys: Option<&'t [&'t str]>,
}

/// A map or an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct MapType<'t> {
    pub(super) fields: Option<&'t OrderedMap<&'t str, Field<'t>>>,
    /// What all other fields hold; `None` where there are none.
    pub(super) element: Option<&'t Shape<'t>>,
    pub(super) is_atomic: bool,
}

/// All types.
#[derive(Debug, Default)]
pub(super) struct Types {
    kinds: OrderedMap<(&'static str, &'static str), &'static str>,
    shapes: OrderedMap<&'static str, Shape<'static>>,
}

static UNTYPED: Shape<'static> = Shape::Untyped;
static DEDUCED: Shape<'static> = Shape::Deduced;

impl<'t> MapType<'t> {
    /// The type of a field.
    pub(super) fn field(&self, name: &str) -> Option<&'t Shape<'t>> {
        self.fields.and_then(|fields| fields.get(name)).map(|field| &field.shape).or(self.element)
    }
}

impl Types {
    /// The types of Kubernetes' own kinds.
    pub(super) fn known() -> &'static Types {
        static KNOWN: OnceLock<Types> = OnceLock::new();
        KNOWN.get_or_init(|| Types::read(published_types()))
    }

    fn read(text: &'static str) -> Types {
        let mut types = Types::default();
        let mut current = None;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split(' ');
            let (first, second) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
            if let Some(version) = first.strip_prefix('=') {
                types.kinds.insert((version, second), words.next().unwrap_or(""));
            } else if let Some(name) = first.strip_prefix(':') {
                let shape = match second {
                    "" | "!" => Shape::Struct(OrderedMap::new(), None, second == "!"),
                    plain => shape(plain),
                };
                types.shapes.insert(name, shape);
                current = Some(name);
            } else if let Some(Shape::Struct(fields, ..)) =
                current.and_then(|name| types.shapes.get_mut(name))
            {
                let default = words.next().and_then(|text| parse(text).ok());
                fields.insert(first, Field { shape: shape(second), default });
            }
        }
        types
    }

    /// Whether anything is known of an API version.
    pub(super) fn has_version(&self, version: &str) -> bool {
        self.kinds.keys().any(|(known, _)| *known == version)
    }

    /// The type of a kind.
    pub(super) fn of_kind(&self, version: &str, kind: &str) -> Option<&Shape<'static>> {
        let everywhere = EVERYWHERE.into_iter().find(|(name, _)| *name == kind && self.has_version(version));
        let known = || self.kinds.iter().find(|((of, name), _)| *of == version && *name == kind);
        let name = everywhere.map(|(_, name)| name).or_else(|| known().map(|(_, name)| *name));
        name.and_then(|name| self.shapes.get(name))
    }

    /// The forms that a value of this type may have.
    // structured-merge-diff: Schema.Resolve; schemaconv's types of values that nobody declares.
    pub(super) fn atom<'t>(&'t self, shape: &'t Shape<'t>) -> Atom<'t> {
        let plain = |plain: Plain| Atom { plain: Some(plain), ..Atom::default() };
        match shape {
            Shape::Plain(of) => plain(*of),
            Shape::Deduced => Atom {
                plain: Some(Plain::Any),
                list: Some(ListType { element: &UNTYPED, keys: None }),
                map: Some(MapType { fields: None, element: Some(&DEDUCED), is_atomic: false }),
            },
            Shape::Untyped => Atom {
                plain: Some(Plain::Any),
                list: Some(ListType { element: &UNTYPED, keys: None }),
                map: Some(MapType { fields: None, element: Some(&UNTYPED), is_atomic: true }),
            },
            Shape::Named(name, is_atomic) => {
                let mut atom = self.shapes.get(name).map(|shape| self.named(shape)).unwrap_or_default();
                if let (Some(map), true) = (&mut atom.map, is_atomic) {
                    map.is_atomic = true;
                }
                atom
            }
            Shape::List(..) | Shape::Map(..) | Shape::Struct(..) | Shape::Open(..) => self.named(shape),
        }
    }

    /// The same for what is not a name.
    fn named<'t>(&'t self, shape: &'t Shape<'t>) -> Atom<'t> {
        match shape {
            Shape::List(element, keys) => {
                let list = ListType { element, keys: keys.as_deref() };
                Atom { list: Some(list), ..Atom::default() }
            }
            Shape::Map(element, is_atomic) => {
                let map = MapType { fields: None, element: Some(element), is_atomic: *is_atomic };
                Atom { map: Some(map), ..Atom::default() }
            }
            Shape::Struct(fields, others, is_atomic) => {
                let element = others.as_deref();
                let map = MapType { fields: Some(fields), element, is_atomic: *is_atomic };
                Atom { map: Some(map), ..Atom::default() }
            }
            Shape::Open(list, map) => {
                Atom { plain: Some(Plain::Any), list: self.named(list).list, map: self.named(map).map }
            }
            // Names do not stand for names.
            Shape::Named(..) => Atom::default(),
            Shape::Plain(_) | Shape::Deduced | Shape::Untyped => self.atom(shape),
        }
    }
}

fn shape(text: &'static str) -> Shape<'static> {
    if let Some(name) = text.strip_prefix('#') {
        return match name.strip_suffix('!') {
            Some(name) => Shape::Named(name, true),
            None => Shape::Named(name, false),
        };
    }
    if let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        return match inner.split_once('=') {
            Some((keys, element)) if !keys.contains(['[', '{', '#']) => {
                let keys = keys.split(',').filter(|key| !key.is_empty()).collect();
                Shape::List(Box::new(shape(element)), Some(keys))
            }
            _ => Shape::List(Box::new(shape(inner)), None),
        };
    }
    if let Some(inner) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
        return match inner.strip_prefix('!') {
            Some(inner) => Shape::Map(Box::new(shape(inner)), true),
            None => Shape::Map(Box::new(shape(inner)), false),
        };
    }
    match text {
        "s" => Shape::Plain(Plain::Text),
        "n" => Shape::Plain(Plain::Number),
        "b" => Shape::Plain(Plain::Truth),
        "u" => Shape::Plain(Plain::Any),
        "a" => Shape::Untyped,
        _ => Shape::Deduced,
    }
}

/// The type of which everything is deduced from the values.
// Kubernetes: managedfields.NewDeducedTypeConverter: lists are replaced, maps merged.
pub(super) fn deduced() -> &'static Shape<'static> {
    &DEDUCED
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names<'s>(shape: &'s Shape<'s>, into: &mut Vec<&'s str>) {
        match shape {
            Shape::Named(name, _) => into.push(name),
            Shape::List(inner, _) | Shape::Map(inner, _) => names(inner, into),
            Shape::Struct(fields, ..) => fields.values().for_each(|field| names(&field.shape, into)),
            Shape::Plain(_) | Shape::Deduced | Shape::Untyped | Shape::Open(..) => {}
        }
    }

    #[test]
    fn the_rows_are_those_of_the_file() {
        assert_eq!(published_types(), include_str!("../../data/types.txt"));
    }

    #[test]
    fn every_name_in_the_table_is_declared() {
        let types = Types::known();
        assert!(types.kinds.len() > 150 && types.shapes.len() > 400);
        let everywhere = EVERYWHERE.into_iter().map(|(_, name)| name);
        let of_rows = types.kinds.values().copied().filter(|name| !name.is_empty());
        let mut all: Vec<&str> = of_rows.chain(everywhere).collect();
        types.shapes.values().for_each(|shape| names(shape, &mut all));
        for name in all {
            assert!(types.shapes.get(name).is_some_and(|shape| !matches!(shape, Shape::Named(..))), "{name}");
        }
    }
}
