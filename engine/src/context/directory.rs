//! The objects of a bundle, found by kind and names however many there are.
//!
//! In: a bundle. Out: its lists of objects, and where in them an object stands. That is found out when somebody first
//! asks for it, once for all threads that evaluate the bundle: most policies never ask.

use crate::load::{Bundle, Cluster, Host};
use crate::resource::{Gvk, Index, OfKind, Resource};
use std::sync::OnceLock;

/// Which list of a bundle is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    /// The resources that are evaluated.
    Given,
    /// The objects of the cluster.
    Cluster,
    /// The objects that answer calls in place of a cluster.
    Answers,
}

/// A list of objects, and where each of them stands.
#[derive(Debug)]
pub(crate) struct Listed<'a> {
    pub(crate) objects: &'a [Resource],
    index: OnceLock<Index>,
}

impl<'a> Listed<'a> {
    fn new(objects: &'a [Resource]) -> Self {
        Listed { objects, index: OnceLock::new() }
    }

    /// The places of the objects.
    pub(crate) fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::of(self.objects))
    }
}

/// The objects of a bundle.
#[derive(Debug)]
pub struct Directory<'a> {
    given: Listed<'a>,
    cluster: Listed<'a>,
    answers: Listed<'a>,
    parameters: Listed<'a>,
}

impl<'a> Directory<'a> {
    /// The directory of a bundle.
    pub fn of(bundle: &'a Bundle) -> Self {
        let answers = match &bundle.settings.answers.cluster {
            Cluster::Objects(objects) => objects.as_slice(),
            Cluster::Resources | Cluster::Nobody => &[],
        };
        Directory {
            given: Listed::new(&bundle.resources),
            cluster: Listed::new(&bundle.cluster_resources),
            answers: Listed::new(answers),
            parameters: Listed::new(&bundle.settings.parameters),
        }
    }

    /// The first object of this kind and these names among the resources, or else among the objects of the cluster.
    pub fn find(&self, gvk: &Gvk, namespace: &str, name: &str) -> Option<&'a Resource> {
        [&self.given, &self.cluster]
            .into_iter()
            .find_map(|list| list.objects.get(*list.index().named(gvk, namespace, name).first()?))
    }

    /// The first object of this kind and these names among those of the cluster.
    pub fn find_in_cluster(&self, gvk: &Gvk, namespace: &str, name: &str) -> Option<&'a Resource> {
        let list = &self.cluster;
        list.objects.get(*list.index().named(gvk, namespace, name).first()?)
    }

    /// All resources, and the objects of the cluster.
    pub fn all(&self) -> impl Iterator<Item = &'a Resource> + use<'a> {
        self.given.objects.iter().chain(self.cluster.objects)
    }

    /// The objects of a host's cluster: in the Playground those that are given as such, else the resources too.
    pub fn in_cluster_of(&self, host: Host) -> impl Iterator<Item = &'a Resource> + use<'a> {
        let given: &[Resource] = if host == Host::Playground { &[] } else { self.given.objects };
        given.iter().chain(self.cluster.objects)
    }

    /// All objects of this kind: parameters, resources, objects of the cluster.
    pub fn of_kind(&self, gvk: &Gvk) -> Vec<&'a Resource> {
        let lists = [&self.given, &self.cluster, &self.parameters].into_iter();
        let of = |list: &'_ Listed<'a>| {
            let places = list.index().of_kind(gvk).into_iter().flat_map(OfKind::all);
            places.filter_map(|at| list.objects.get(at)).collect::<Vec<_>>()
        };
        lists.flat_map(of).collect()
    }

    /// Whether there is an object of a kind of this name.
    pub fn has_kind(&self, kind: &str) -> bool {
        let lists = [&self.given, &self.cluster, &self.parameters];
        lists.iter().any(|list| list.index().in_groups(kind).next().is_some())
    }

    pub(crate) fn list(&self, list: List) -> &Listed<'a> {
        match list {
            List::Given => &self.given,
            List::Cluster => &self.cluster,
            List::Answers => &self.answers,
        }
    }
}
