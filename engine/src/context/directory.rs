//! The objects of a bundle, found by kind and names however many there are.
//!
//! In: a bundle. Out: its lists of objects, and where in them an object stands. That is found out when somebody first
//! asks for it, once for all threads that evaluate the bundle: most policies never ask.

use crate::load::{Bundle, Cluster};
use crate::resource::{Gvk, Index, Resource};
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
        }
    }

    /// The first object of this kind and these names among the resources, or else among the objects of the cluster.
    pub fn find(&self, gvk: &Gvk, namespace: &str, name: &str) -> Option<&'a Resource> {
        [&self.given, &self.cluster]
            .into_iter()
            .find_map(|list| list.objects.get(*list.index().named(gvk, namespace, name).first()?))
    }

    pub(crate) fn list(&self, list: List) -> &Listed<'a> {
        match list {
            List::Given => &self.given,
            List::Cluster => &self.cluster,
            List::Answers => &self.answers,
        }
    }
}
