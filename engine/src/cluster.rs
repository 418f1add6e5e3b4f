//! A cluster in memory: objects that rules read, and that `generate` rules write.
//!
//! In: the objects that are at hand. Out: one object by its kind and name, or all of a kind; new objects are there for
//! every rule that asks later.
//! Mirrors: pkg/clients/dclient/fake.go. The original's stand-in mixes up kinds that it does not know; this one keeps
//! them apart, as a cluster does.

use crate::resource::{DocumentId, Gvk, Index, OfKind, Resource, Shelf};
use engine_json::arrange::Arrange as _;
use engine_json::ordered::{OrderedMap, OrderedSet};
use engine_json::{Excess, Str, Value, measure};
use std::cell::RefCell;
use std::rc::Rc;

/// How many objects rules may add to a cluster.
const MAX_MADE: usize = 10_000;
/// How many bytes all that rules write into a cluster may have: each object is printed, so it is bounded by what is printed.
const MAX_MADE_BYTES: usize = 64 << 20;

/// Which object is meant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Target {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl Target {
    /// What a value with these four fields means.
    pub(crate) fn of(value: &Value) -> Self {
        let text = |key: &str| value.find_str(&[key]).to_owned();
        Target {
            api_version: text("apiVersion"),
            kind: text("kind"),
            namespace: text("namespace"),
            name: text("name"),
        }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.namespace.as_str() {
            "" => write!(f, "{} {}", self.kind, self.name),
            namespace => write!(f, "{} {namespace}/{}", self.kind, self.name),
        }
    }
}

/// The objects: some that several clusters share and none of them changes, and what is different in this one.
#[derive(Debug, Default)]
pub(crate) struct Cluster {
    base: Rc<Shelf>,
    own: RefCell<Own>,
}

/// What is different from the base. An object's place is its rank among all: 0 for the one before the base, then those
/// of the base, then what came later; an object here stands in place of the base's.
#[derive(Debug, Default)]
struct Own {
    objects: OrderedMap<usize, Resource>,
    index: Index,
    /// The next free place.
    next: usize,
    made: usize,
    bytes: usize,
}

impl Own {
    fn set(&mut self, at: usize, object: Resource) {
        if let Some(before) = self.objects.get(&at) {
            self.index.remove(at, before);
        }
        self.index.insert(at, &object);
        self.objects.insert(at, object);
    }
}

/// The object as a cluster in memory keeps it.
// Kyverno: whatever goes into the stand-in goes through JSON text, which makes whole numbers int64.
fn kept(object: &Resource) -> Resource {
    Resource::new(object.value.with_int_numbers(), object.document)
}

/// Objects that clusters can share.
pub(crate) fn base<'a>(objects: impl IntoIterator<Item = &'a Resource>) -> Rc<Shelf> {
    Rc::new(objects.into_iter().map(kept).collect())
}

impl Cluster {
    /// A cluster that holds these, in this order.
    pub(crate) fn new<'a>(
        first: Option<&Resource>,
        base: &Rc<Shelf>,
        others: impl IntoIterator<Item = &'a Resource>,
    ) -> Self {
        let mut own = Own { next: base.len() + 1, ..Own::default() };
        if let Some(first) = first {
            own.set(0, kept(first));
        }
        for object in others {
            own.set(own.next, kept(object));
            own.next += 1;
        }
        Cluster { base: Rc::clone(base), own: RefCell::new(own) }
    }

    /// The places that both lists name, without those of the base that have something else in them now.
    fn places(
        own: &Own,
        base: impl Iterator<Item = usize>,
        here: impl Iterator<Item = usize>,
    ) -> impl Iterator<Item = usize> {
        base.map(|at| at + 1).filter(|at| !own.objects.contains_key(at)).chain(here)
    }

    fn at<'c>(&'c self, own: &'c Own, at: usize) -> Option<&'c Resource> {
        own.objects.get(&at).or_else(|| self.base.get(at.checked_sub(1)?))
    }

    fn place(&self, own: &Own, target: &Target) -> Option<usize> {
        let group = Gvk::new(&target.api_version, &target.kind).group;
        let named = |index: &Index| -> Vec<usize> {
            let kinds = index.in_group(&target.kind, &group);
            kinds.flat_map(|of| of.named(&target.namespace, &target.name)).copied().collect()
        };
        Self::places(own, named(self.base.index()).into_iter(), named(&own.index).into_iter()).min()
    }

    /// The object, where it is there.
    pub(crate) fn get(&self, target: &Target) -> Option<Value> {
        let own = self.own.borrow();
        self.at(&own, self.place(&own, target)?).map(|object| object.value.clone())
    }

    /// All objects of a kind, of one namespace or of all.
    pub(crate) fn list(&self, api_version: &str, kind: &str, namespace: &str) -> Vec<Resource> {
        let own = self.own.borrow();
        let group = Gvk::new(api_version, kind).group;
        let of = |index: &Index| -> Vec<usize> {
            index.in_group(kind, &group).flat_map(|of| of.within(namespace)).collect()
        };
        self.objects(&own, Self::places(&own, of(self.base.index()).into_iter(), of(&own.index).into_iter()))
    }

    /// The objects at these places, in the order of the places.
    fn objects(&self, own: &Own, places: impl Iterator<Item = usize>) -> Vec<Resource> {
        let mut places: Vec<usize> = places.collect();
        places.arrange();
        places.into_iter().filter_map(|at| self.at(own, at).cloned()).collect()
    }

    /// All objects that go by a plural, of one namespace or of all, and of one name or of all.
    pub(crate) fn by_plural(
        &self,
        (group, version, plural): (&str, &str, &str),
        wanted: Wanted<'_>,
    ) -> Vec<Resource> {
        let own = self.own.borrow();
        let of = |index: &Index| -> Vec<usize> {
            index.by_plural(group, version, plural).flat_map(|(_, of)| wanted.places(of)).collect()
        };
        self.objects(&own, Self::places(&own, of(self.base.index()).into_iter(), of(&own.index).into_iter()))
    }

    /// The kind of the first object that goes by a plural.
    pub(crate) fn kind(&self, (group, version, plural): (&str, &str, &str)) -> Option<Gvk> {
        let own = self.own.borrow();
        let kinds: OrderedSet<Str> = engine_json::arrange::set(
            [self.base.index(), &own.index]
                .into_iter()
                .flat_map(|index| index.by_plural(group, version, plural).map(|(gvk, _)| gvk.kind)),
        );
        let first = |kind: Str| {
            let gvk = Gvk { group: Str::new(group), version: Str::new(version), kind };
            let base = self.base.index().of_kind(&gvk).into_iter().flat_map(OfKind::all);
            let here = own.index.of_kind(&gvk).into_iter().flat_map(OfKind::all);
            // Both come in order, so what stands first is first of one of them.
            let first_of_base = Self::places(&own, base, std::iter::empty()).next();
            Some((first_of_base.into_iter().chain(here.take(1)).min()?, gvk))
        };
        kinds.into_iter().filter_map(first).min_by_key(|(place, _)| *place).map(|(_, gvk)| gvk)
    }

    /// Whether an object of this kind and these names is there.
    pub(crate) fn holds(&self, gvk: &Gvk, namespace: &str, name: &str) -> bool {
        let own = self.own.borrow();
        let named = |index: &Index| index.named(gvk, namespace, name).to_vec();
        Self::places(&own, named(self.base.index()).into_iter(), named(&own.index).into_iter())
            .next()
            .is_some()
    }

    /// Puts an object in place of the one that this target means, or beside the others.
    pub(crate) fn put(&self, target: &Target, value: Value) -> Result<(), String> {
        let own = &mut *self.own.borrow_mut();
        let room = MAX_MADE_BYTES.saturating_sub(own.bytes);
        own.bytes += measure(&value, 0, room).map_err(|excess| match excess {
            Excess::Depth => excess.to_string(),
            Excess::Bytes(_) => {
                format!("the objects that are generated take more than {MAX_MADE_BYTES} bytes")
            }
        })?;
        if let Some(place) = self.place(own, target) {
            let document = self.at(own, place).map(|known| known.document);
            own.set(place, Resource::new(value, document.unwrap_or(DocumentId(0))));
            return Ok(());
        }
        if own.made >= MAX_MADE {
            return Err(format!("more than {MAX_MADE} objects are generated"));
        }
        own.made += 1;
        let first = self.at(own, 0).or_else(|| self.at(own, 1)).or_else(|| own.objects.values().next());
        let document = first.map_or(DocumentId(0), |object| object.document);
        own.set(own.next, Resource::new(value, document));
        own.next += 1;
        Ok(())
    }
}

/// Which objects of a kind are meant.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'a> {
    /// Those of a namespace, or of all.
    Of(&'a str),
    /// The one in this namespace with this name.
    One(&'a str, &'a str),
}

impl Wanted<'_> {
    /// Their places.
    pub(crate) fn places(self, of: &OfKind) -> Vec<usize> {
        match self {
            Wanted::Of(namespace) => of.within(namespace).collect(),
            Wanted::One(namespace, name) => of.named(namespace, name).to_vec(),
        }
    }
}
