//! The state that a share link carries: named texts in a fixed order.
//!
//! In: texts under names such as `policy` and `resource`. Out: the same, in the order in which the original
//! writes them. `State::new().set("context", …)` puts the context behind `oldResource`.
//!
//! Mirrors: the Kyverno Playground's frontend (`share.ts`, `state.ts`).

/// The policies, as YAML.
pub const POLICY: &str = "policy";
/// The resources, as YAML.
pub const RESOURCE: &str = "resource";
/// The resources as they were before an update; empty for none.
pub const OLD_RESOURCE: &str = "oldResource";
/// The request: user, operation, variables; absent for the default.
pub const CONTEXT: &str = "context";
/// Kyverno's configuration, as a ConfigMap; absent for the default.
pub const CONFIG: &str = "config";
/// Definitions of custom kinds.
pub const CUSTOM_RESOURCE_DEFINITIONS: &str = "customResourceDefinitions";
/// Objects that the policies may look up.
pub const CLUSTER_RESOURCES: &str = "clusterResources";
/// Policy exceptions.
pub const EXCEPTIONS: &str = "exceptions";
/// Bindings of validating admission policies; absent for none.
pub const VAP_BINDINGS: &str = "vapBindings";
/// Image data; the original reads it and never writes it.
pub const IMAGE_DATA: &str = "imageData";
/// A name for the state; the original reads it and never writes it.
pub const NAME: &str = "name";

/// All names that mean something, in the order in which the original writes them.
pub const KNOWN_FIELDS: [&str; 11] = [
    POLICY,
    RESOURCE,
    OLD_RESOURCE,
    CONTEXT,
    CONFIG,
    CUSTOM_RESOURCE_DEFINITIONS,
    CLUSTER_RESOURCES,
    EXCEPTIONS,
    VAP_BINDINGS,
    IMAGE_DATA,
    NAME,
];

/// The names that the original writes even when their text is empty.
const ALWAYS_WRITTEN: [&str; 6] =
    [POLICY, RESOURCE, OLD_RESOURCE, CUSTOM_RESOURCE_DEFINITIONS, CLUSTER_RESOURCES, EXCEPTIONS];

/// Texts under names, each name once.
///
/// A state that was read keeps the order it had, whatever generation of the original wrote it, so that it is
/// written again byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    // INVARIANT: no name stands twice.
    fields: Vec<(String, String)>,
}

impl State {
    /// The state of empty editors, with the fields that the original always writes.
    pub fn new() -> Self {
        let field = |name: &str| (name.to_owned(), String::new());
        State { fields: ALWAYS_WRITTEN.into_iter().map(field).collect() }
    }

    /// A state without any field, to be filled in the order of reading.
    pub fn without_fields() -> Self {
        State { fields: Vec::new() }
    }

    /// The text under `name`, `None` where the state does not have it.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }

    /// Sets the text under `name`: in its place if it is there, where the original writes it if it is a known
    /// name, and at the end if not.
    pub fn set(&mut self, name: &str, text: impl Into<String>) {
        if let Some(field) = self.fields.iter_mut().find(|(known, _)| known == name) {
            field.1 = text.into();
            return;
        }
        let behind = |other: &str| rank(name).is_some_and(|own| rank(other).is_none_or(|rank| rank > own));
        let at = self.fields.iter().position(|(other, _)| behind(other)).unwrap_or(self.fields.len());
        self.fields.insert(at, (name.to_owned(), text.into()));
    }

    /// Sets the text under `name`, at the end if it is not there yet.
    pub fn push(&mut self, name: &str, text: impl Into<String>) {
        match self.fields.iter_mut().find(|(known, _)| known == name) {
            Some(field) => field.1 = text.into(),
            None => self.fields.push((name.to_owned(), text.into())),
        }
    }

    /// Takes the text under `name` out.
    pub fn remove(&mut self, name: &str) -> Option<String> {
        let at = self.fields.iter().position(|(known, _)| known == name)?;
        Some(self.fields.remove(at).1)
    }

    /// Names and texts in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.fields.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// Whether no field is there.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
}

impl Default for State {
    fn default() -> Self {
        State::new()
    }
}

fn rank(name: &str) -> Option<usize> {
    KNOWN_FIELDS.iter().position(|known| *known == name)
}
