//! A cluster in memory: objects that rules read, and that `generate` rules write.
//!
//! In: the objects that are at hand. Out: one object by its kind and name, or all of a kind; new objects are there for
//! every rule that asks later.
//! Mirrors: pkg/clients/dclient/fake.go. The original's stand-in mixes up kinds that it does not know; this one keeps
//! them apart, as a cluster does.

use crate::resource::{Gvk, Resource};
use engine_json::Value;
use std::cell::RefCell;

/// How many objects rules may add to a cluster.
const MAX_MADE: usize = 10_000;

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

    fn is(&self, object: &Resource) -> bool {
        is_kind(object, &self.api_version, &self.kind)
            && object.namespace() == self.namespace
            && object.name() == self.name
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

/// The objects.
#[derive(Debug, Default)]
pub(crate) struct Cluster {
    objects: RefCell<Vec<Resource>>,
    made: RefCell<usize>,
}

impl Cluster {
    /// A cluster that holds these.
    pub(crate) fn new<'a>(objects: impl IntoIterator<Item = &'a Resource>) -> Self {
        // Kyverno: whatever goes into the stand-in goes through JSON text, which makes whole numbers int64.
        let kept = |object: &Resource| Resource::new(object.value.with_int_numbers(), object.document);
        Cluster { objects: RefCell::new(objects.into_iter().map(kept).collect()), made: RefCell::default() }
    }

    /// The object, where it is there.
    pub(crate) fn get(&self, target: &Target) -> Option<Value> {
        self.objects.borrow().iter().find(|object| target.is(object)).map(|object| object.value.clone())
    }

    /// All objects of a kind, of one namespace or of all.
    pub(crate) fn list(&self, api_version: &str, kind: &str, namespace: &str) -> Vec<Resource> {
        let objects = self.objects.borrow();
        let wanted = |object: &&Resource| {
            is_kind(object, api_version, kind) && (namespace.is_empty() || object.namespace() == namespace)
        };
        objects.iter().filter(wanted).cloned().collect()
    }

    /// Everything there is.
    pub(crate) fn all(&self) -> Vec<Resource> {
        self.objects.borrow().clone()
    }

    /// Puts an object in place of the one that this target means, or beside the others.
    pub(crate) fn put(&self, target: &Target, value: Value) -> Result<(), String> {
        let mut objects = self.objects.borrow_mut();
        if let Some(known) = objects.iter_mut().find(|object| target.is(object)) {
            *known = Resource::new(value, known.document);
            return Ok(());
        }
        let mut made = self.made.borrow_mut();
        if *made >= MAX_MADE {
            return Err(format!("more than {MAX_MADE} objects are generated"));
        }
        *made += 1;
        let document = objects.first().map_or(crate::resource::DocumentId(0), |object| object.document);
        objects.push(Resource::new(value, document));
        Ok(())
    }
}

/// Whether an object is of this kind, whatever the version of its group.
fn is_kind(object: &Resource, api_version: &str, kind: &str) -> bool {
    let wanted = Gvk::new(api_version, kind);
    object.gvk.kind == wanted.kind && object.gvk.group == wanted.group
}
