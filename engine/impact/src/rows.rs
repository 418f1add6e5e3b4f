//! Rows: what is decided otherwise, with the object it is about.
//!
//! In: an object and what came of both sides. Out: [`Row`]s and their [`Counts`].

use crate::class::Class;
use crate::judge::Change;
use engine::resource::Resource;
use engine::yaml::Span;
use engine_json::Value;
use engine_lenses::origin::Origin;

/// What an object is called.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Object {
    /// Group and version, as written.
    pub api_version: String,
    /// Its kind.
    pub kind: String,
    /// Its namespace; empty for a cluster's own objects.
    pub namespace: String,
    /// Its name, or its `generateName`.
    pub name: String,
}

/// The controller that made an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Owner {
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
}

/// A rule that decides an object otherwise.
#[derive(Clone, Debug)]
pub struct Row {
    /// The object.
    pub object: Object,
    /// The controller that made it, where it names one.
    pub owner: Option<Owner>,
    /// Its document among the texts of the objects, where it has one.
    pub span: Option<Span>,
    /// Where it comes from.
    pub origin: Origin,
    /// How it is decided otherwise.
    pub change: Change,
}

impl Object {
    /// The names of a resource.
    pub fn of(resource: &Resource) -> Self {
        Object {
            api_version: resource.api_version().to_owned(),
            kind: resource.kind().to_owned(),
            namespace: resource.namespace().to_owned(),
            name: resource.name_or_generate_name().to_owned(),
        }
    }

    /// `Deployment shop/web`.
    pub fn words(&self) -> String {
        match self.namespace.as_str() {
            "" => format!("{} {}", self.kind, self.name),
            namespace => format!("{} {namespace}/{}", self.kind, self.name),
        }
    }
}

impl Owner {
    /// The controller that a resource names.
    pub fn of(resource: &Resource) -> Option<Self> {
        let owners = resource.value.find(&["metadata", "ownerReferences"]).and_then(Value::as_array)?;
        let is_controller = |owner: &&Value| owner.get("controller").and_then(Value::as_bool) == Some(true);
        let owner = owners.iter().find(is_controller)?;
        let [kind, name] = ["kind", "name"].map(|field| owner.find_str(&[field]).to_owned());
        Some(Owner { kind, name })
    }
}

/// How many rows there are of each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([usize; Class::ALL.len()]);

impl Counts {
    /// Counts a row.
    pub fn count(&mut self, class: Class) {
        if let Some(count) = self.0.get_mut(class as usize) {
            *count += 1;
        }
    }

    /// Counts the rows of others too.
    pub fn add(&mut self, others: &Counts) {
        self.0.iter_mut().zip(others.0).for_each(|(count, more)| *count += more);
    }

    /// How many there are.
    pub fn of(&self, class: Class) -> usize {
        self.0.get(class as usize).copied().unwrap_or_default()
    }

    /// The classes of which there are some, the worst first.
    pub fn some(&self) -> impl Iterator<Item = (Class, usize)> + '_ {
        Class::ALL.into_iter().map(|class| (class, self.of(class))).filter(|(_, count)| *count > 0)
    }

    /// Whether a cluster does anything otherwise.
    pub fn changes(&self) -> bool {
        self.some().any(|(class, _)| !class.is_quiet())
    }
}
