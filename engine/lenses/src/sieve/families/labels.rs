//! A Pod of a stranger that carries the labels or annotations by which the exemption knows whom it is for.

use super::{Attack, What, changed};
use crate::sieve::edit::Edit;
use crate::sieve::find::{Exemption, On};
use crate::sieve::legit::Base;
use crate::sieve::pod::{STRANGER, containers};
use engine_json::{Path, Value};

pub(super) fn make(exemption: &Exemption, base: &Base) -> Vec<Attack> {
    let carried: Vec<String> = exemption
        .selectors
        .iter()
        .filter_map(|selector| match &selector.on {
            On::Label(key) => Some(format!("label `{key}: {}`", selector.pattern)),
            On::Annotation(key) => Some(format!("`{key}: {}`", selector.pattern)),
            On::Field(path) => Some(format!("`{path}: {}`", selector.pattern)),
            On::Image
            | On::Container
            | On::Name
            | On::Namespace
            | On::NamespaceLabel(_)
            | On::Subject(..) => None,
        })
        .collect();
    if carried.is_empty() {
        return Vec::new();
    }
    let mut edits = vec![Edit::Set(Path::from_keys(&["metadata", "name"]), Value::from("stranger"))];
    for container in containers(&base.case.object) {
        edits.push(Edit::Set(container.path.join("image"), Value::from(STRANGER)));
    }
    let text = format!("another Pod that carries {}", carried.join(", "));
    changed(base, &edits).map(|case| Attack::new(text, case, What::Label)).into_iter().collect()
}
