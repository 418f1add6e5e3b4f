//! Objects found by kind, namespace and name, however many there are.
//!
//! In: objects with the places at which they stand. Out: the places of those that are asked for; where several objects
//! go by one name, the first place comes first.

use super::{Gvk, Resource, plural};
use engine_json::Str;
use std::collections::BTreeMap;

/// Kind, group and version.
type Key = (Str, Str, Str);

/// The places of the objects of a kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfKind {
    /// In order.
    all: Vec<usize>,
    /// By namespace and name.
    names: BTreeMap<Str, BTreeMap<Str, Vec<usize>>>,
}

impl OfKind {
    /// All places.
    pub(crate) fn all(&self) -> impl Iterator<Item = usize> {
        self.all.iter().copied()
    }

    /// The places under a namespace and a name.
    pub(crate) fn named(&self, namespace: &str, name: &str) -> &[usize] {
        self.names.get(namespace).and_then(|names| names.get(name)).map_or(&[], Vec::as_slice)
    }

    /// The places in a namespace, or in all of them where none is named.
    pub(crate) fn within(&self, namespace: &str) -> impl Iterator<Item = usize> {
        let one = self.names.get(namespace).filter(|_| !namespace.is_empty());
        let all = namespace.is_empty().then(|| self.all()).into_iter().flatten();
        all.chain(one.into_iter().flat_map(BTreeMap::values).flatten().copied())
    }
}

/// The places of objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    kinds: BTreeMap<Key, OfKind>,
    /// Kinds by group, version and plural.
    plurals: BTreeMap<Key, Vec<Key>>,
}

fn key(gvk: &Gvk) -> Key {
    (gvk.kind.clone(), gvk.group.clone(), gvk.version.clone())
}

impl Index {
    /// The places of these objects in their list.
    pub(crate) fn of(objects: &[Resource]) -> Self {
        let mut index = Index::default();
        objects.iter().enumerate().for_each(|(at, object)| index.insert(at, object));
        index
    }

    /// Adds an object that stands at this place.
    pub(crate) fn insert(&mut self, at: usize, object: &Resource) {
        let key = key(&object.gvk);
        if !self.kinds.contains_key(&key) {
            let plural = (key.1.clone(), key.2.clone(), Str::from(plural(&key.0)));
            self.plurals.entry(plural).or_default().push(key.clone());
        }
        let OfKind { all, names } = self.kinds.entry(key).or_default();
        if let Err(place) = all.binary_search(&at) {
            all.insert(place, at);
        }
        let places = names
            .entry(Str::new(object.namespace()))
            .or_default()
            .entry(Str::new(object.name()))
            .or_default();
        places.insert(places.partition_point(|known| *known < at), at);
    }

    /// Takes out an object that stands at this place.
    pub(crate) fn remove(&mut self, at: usize, object: &Resource) {
        let Some(OfKind { all, names }) = self.kinds.get_mut(&key(&object.gvk)) else { return };
        if let Ok(place) = all.binary_search(&at) {
            all.remove(place);
        }
        let places = names.get_mut(object.namespace()).and_then(|names| names.get_mut(object.name()));
        if let Some(places) = places {
            places.retain(|known| *known != at);
        }
    }

    /// The places of the objects that go by these names.
    pub(crate) fn named(&self, gvk: &Gvk, namespace: &str, name: &str) -> &[usize] {
        self.of_kind(gvk).map_or(&[], |of| of.named(namespace, name))
    }

    /// The objects of this kind.
    pub(crate) fn of_kind(&self, gvk: &Gvk) -> Option<&OfKind> {
        self.kinds.get(&key(gvk))
    }

    /// The objects of a kind in all versions of its group.
    pub(crate) fn in_group(&self, kind: &str, group: &str) -> impl Iterator<Item = &OfKind> {
        let (kind, group) = (Str::new(kind), Str::new(group));
        let from = (kind.clone(), group.clone(), Str::default());
        let all = self.kinds.range(from..).take_while(move |(key, _)| key.0 == kind && key.1 == group);
        all.map(|(_, of)| of)
    }

    /// The objects of a kind in all groups.
    pub(crate) fn in_groups(&self, kind: &str) -> impl Iterator<Item = &OfKind> {
        let kind = Str::new(kind);
        let from = (kind.clone(), Str::default(), Str::default());
        self.kinds.range(from..).take_while(move |(key, _)| key.0 == kind).map(|(_, of)| of)
    }

    /// All kinds, with their objects.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (Gvk, &OfKind)> {
        self.kinds.iter().map(|((kind, group, version), of)| {
            (Gvk { group: group.clone(), version: version.clone(), kind: kind.clone() }, of)
        })
    }

    /// The kinds that go by a plural, with their objects.
    pub(crate) fn by_plural(
        &self,
        group: &str,
        version: &str,
        plural: &str,
    ) -> impl Iterator<Item = (Gvk, &OfKind)> {
        let kinds = self.plurals.get(&(Str::new(group), Str::new(version), Str::new(plural)));
        kinds.into_iter().flatten().filter_map(|key| {
            let (kind, group, version) = key.clone();
            Some((Gvk { group, version, kind }, self.kinds.get(key)?))
        })
    }
}

/// Objects in the order in which they were given, found by kind, namespace and name.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    objects: Vec<Resource>,
    index: Index,
}

impl Shelf {
    /// Adds an object behind the others.
    pub fn push(&mut self, object: Resource) {
        self.index.insert(self.objects.len(), &object);
        self.objects.push(object);
    }

    /// The first object that is of this kind and goes by these names.
    pub fn first(&self, gvk: &Gvk, namespace: &str, name: &str) -> Option<&Resource> {
        self.objects.get(*self.index.named(gvk, namespace, name).first()?)
    }

    /// Their places.
    pub(crate) fn index(&self) -> &Index {
        &self.index
    }
}

impl std::ops::Deref for Shelf {
    type Target = [Resource];

    fn deref(&self) -> &[Resource] {
        &self.objects
    }
}

impl FromIterator<Resource> for Shelf {
    fn from_iter<I: IntoIterator<Item = Resource>>(objects: I) -> Self {
        let mut shelf = Shelf::default();
        objects.into_iter().for_each(|object| shelf.push(object));
        shelf
    }
}
