//! Objects found by kind, namespace and name, however many there are.
//!
//! In: objects with the places at which they stand. Out: the places of those that are asked for; where several objects
//! go by one name, the first place comes first.

use super::{Gvk, Resource, plural};
use engine_json::Str;
use std::collections::BTreeMap;

/// Kind, group and version.
type Key = (Str, Str, Str);

/// The places of the objects of a kind, by namespace and name.
pub(crate) type Names = BTreeMap<Str, BTreeMap<Str, Vec<usize>>>;

/// The places of objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    kinds: BTreeMap<Key, Names>,
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
        let names = self.kinds.entry(key).or_default();
        let places = names
            .entry(Str::new(object.namespace()))
            .or_default()
            .entry(Str::new(object.name()))
            .or_default();
        places.insert(places.partition_point(|known| *known < at), at);
    }

    /// Takes out an object that stands at this place.
    pub(crate) fn remove(&mut self, at: usize, object: &Resource) {
        let names = self.kinds.get_mut(&key(&object.gvk));
        let places = names.and_then(|names| names.get_mut(object.namespace())?.get_mut(object.name()));
        if let Some(places) = places {
            places.retain(|known| *known != at);
        }
    }

    /// The places of the objects that go by these names.
    pub(crate) fn named(&self, gvk: &Gvk, namespace: &str, name: &str) -> &[usize] {
        self.kinds.get(&key(gvk)).map_or(&[], |names| at(names, namespace, name))
    }

    /// The names of a kind in all versions of its group.
    pub(crate) fn in_group(&self, kind: &str, group: &str) -> impl Iterator<Item = &Names> {
        let (kind, group) = (Str::new(kind), Str::new(group));
        let from = (kind.clone(), group.clone(), Str::default());
        let all = self.kinds.range(from..).take_while(move |(key, _)| key.0 == kind && key.1 == group);
        all.map(|(_, names)| names)
    }

    /// The kinds that go by a plural, with their names.
    pub(crate) fn by_plural(
        &self,
        group: &str,
        version: &str,
        plural: &str,
    ) -> impl Iterator<Item = (Gvk, &Names)> {
        let kinds = self.plurals.get(&(Str::new(group), Str::new(version), Str::new(plural)));
        kinds.into_iter().flatten().filter_map(|key| {
            let (kind, group, version) = key.clone();
            Some((Gvk { group, version, kind }, self.kinds.get(key)?))
        })
    }
}

/// The places under a namespace and a name.
pub(crate) fn at<'n>(names: &'n Names, namespace: &str, name: &str) -> &'n [usize] {
    names.get(namespace).and_then(|names| names.get(name)).map_or(&[], Vec::as_slice)
}

/// The places in a namespace, or in all of them where none is named.
pub(crate) fn within(names: &Names, namespace: &str) -> impl Iterator<Item = usize> {
    let one = names.get(namespace).filter(|_| !namespace.is_empty());
    let all = namespace.is_empty().then(|| names.values()).into_iter().flatten();
    one.into_iter().chain(all).flat_map(BTreeMap::values).flatten().copied()
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
