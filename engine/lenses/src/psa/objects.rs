//! The objects of a bundle, those inside of lists included.
//!
//! In: a [`Bundle`]. Out: each object with its document and the way to it, as an API server sees it or as written.

use engine::load::{Bundle, Role};
use engine::resource::DocumentId;
use engine_json::{Path, Value};

/// How deep lists may lie in lists.
const MAX_LISTS: usize = 4;

/// One object.
pub struct Object {
    /// Its document.
    pub document: DocumentId,
    /// The way from the root of the document to it: of an item of a `List` that of the item.
    pub base: Path,
    /// The object, as it is evaluated.
    pub value: Value,
    /// The object, as it is written.
    pub written: Value,
}

impl Object {
    /// `kind`.
    pub fn kind(&self) -> &str {
        self.value.find_str(&["kind"])
    }

    /// `metadata.name`, or `metadata.generateName` where the name is empty.
    pub fn name(&self) -> &str {
        let name = |key| self.value.find_str(&["metadata", key]);
        if name("name").is_empty() { name("generateName") } else { name("name") }
    }

    /// The namespace; `default` where none is written, as kubectl has it.
    pub fn namespace(&self) -> &str {
        match self.value.find_str(&["metadata", "namespace"]) {
            "" => "default",
            namespace => namespace,
        }
    }

    /// Whether it is a Namespace.
    pub fn is_namespace(&self) -> bool {
        self.kind() == "Namespace" && self.value.find_str(&["apiVersion"]) == "v1"
    }
}

/// All objects among the resources, in the order of the texts, each as it is seen.
pub fn objects(bundle: &Bundle, seen: fn(&Value) -> Value) -> Vec<Object> {
    let mut found = Vec::new();
    for (at, document) in bundle.documents.iter().enumerate() {
        let role = bundle.source(document.source).map(|(role, _)| *role);
        if matches!(role, Some(Role::Resources | Role::Opened)) {
            let id = DocumentId(u32::try_from(at).unwrap_or(u32::MAX));
            collect(id, &Path::root(), &document.value, seen, 0, &mut found);
        }
    }
    found
}

fn collect(
    document: DocumentId,
    base: &Path,
    value: &Value,
    seen: fn(&Value) -> Value,
    depth: usize,
    found: &mut Vec<Object>,
) {
    let kind = value.find_str(&["kind"]);
    match value.get("items").and_then(Value::as_array) {
        Some(items) if kind.ends_with("List") && depth < MAX_LISTS => {
            for (at, item) in items.iter().enumerate() {
                collect(document, &base.join("items").join(at), item, seen, depth + 1, found);
            }
        }
        _ if kind.is_empty() => {}
        _ => {
            let written = value.clone();
            let value = seen(value);
            found.push(Object { document, base: base.clone(), value, written });
        }
    }
}
