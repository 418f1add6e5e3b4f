//! The objects that a test expects: `patchedResources`, `generatedResource`, `generatedResources`.
//!
//! In: an entry, and the object that came about. Out: a [`Verdict`] where they differ. Each file is read once a test.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/commands/test/{command,compare}.go, resource/resource.go (GetResourceFromPath).

use super::compare::difference;
use super::file::Entry;
use super::find::join;
use crate::commands::inputs::{self, Input};
use crate::files::{Files, Unreadable};
use engine::diag::Severity;
use engine::json::Value;
use engine::load::Role;
use engine::resource::Resource;
use engine_lenses::report::as_test::is_same;
use std::collections::BTreeMap;

/// How something compares with what was expected.
pub(super) struct Verdict {
    pub(super) is_met: bool,
    /// A few words for the table.
    pub(super) reason: String,
    /// All that there is to say.
    pub(super) message: String,
    /// The lines in which an object differs.
    pub(super) difference: Option<String>,
}

/// The files with expected objects.
pub(super) struct Expected<'a> {
    folder: &'a str,
    files: &'a dyn Files,
    read: BTreeMap<String, Result<Vec<Resource>, String>>,
}

impl<'a> Expected<'a> {
    /// The files of a test in this folder.
    pub(super) fn new(folder: &'a str, files: &'a dyn Files) -> Self {
        Expected { folder, files, read: BTreeMap::new() }
    }

    /// How an object differs from those that an entry expects; `None` where it does not.
    pub(super) fn compare(&mut self, entry: &Entry, object: &Value) -> Option<Verdict> {
        if !entry.patched.is_empty() {
            let found = self.held(&entry.patched, "PatchedResources", object);
            let words = "Patched resource didn't match the patched resource in the test result";
            if let Some(verdict) = verdict(found, words) {
                return Some(verdict);
            }
        }
        let what = if entry.names_several { "GeneratedResources" } else { "GeneratedResource" };
        let words = if entry.names_several {
            "Generated resource didn't match any of the expected generated resources in the test result"
        } else {
            "Patched resource didn't match the generated resource in the test result"
        };
        // Kyverno: of several, the last difference is said; an error only where there is no difference.
        let mut last: Option<Verdict> = None;
        for path in &entry.generated {
            let found = self.held(path, what, object);
            let verdict = verdict(found, words)?;
            let tells_more =
                verdict.difference.is_some() || last.as_ref().is_none_or(|last| last.difference.is_none());
            if tells_more {
                last = Some(verdict);
            }
        }
        last
    }

    /// The difference between an object and the one of its name in a file; an empty text where there is none.
    fn held(&mut self, path: &str, what: &str, object: &Value) -> Result<String, String> {
        let path = join(self.folder, path);
        let resources = self.read.entry(path).or_insert_with_key(|path| read(path, self.files)).as_ref();
        let text = |keys: &[&str]| object.find_str(keys);
        let name = text(&["metadata", "name"]);
        let found = resources.map_err(Clone::clone).and_then(|resources| {
            let wanted = |resource: &&Resource| {
                resource.api_version() == text(&["apiVersion"])
                    && resource.kind() == text(&["kind"])
                    && resource.namespace() == text(&["metadata", "namespace"])
                    && resource.name() == name
            };
            let found = resources.iter().find(wanted);
            found.ok_or_else(|| format!("resource with name {name} not found in manifest"))
        });
        let found = found.map_err(|error| format!("error: failed to load {what} resource ({error})"))?;
        Ok(if is_same(object, &found.value) { String::new() } else { difference(object, &found.value) })
    }
}

fn verdict(found: Result<String, String>, words: &str) -> Option<Verdict> {
    match found {
        Ok(difference) if difference.is_empty() => None,
        Ok(difference) => Some(Verdict {
            is_met: false,
            reason: "Resource diff".to_owned(),
            message: format!("{words}\n(- only in expected, + only in actual)\n\n{difference}"),
            difference: Some(difference),
        }),
        Err(message) => {
            Some(Verdict { is_met: false, reason: "Resource error".to_owned(), message, difference: None })
        }
    }
}

/// The resources of a file, read as those that are evaluated are.
pub(super) fn read(path: &str, files: &dyn Files) -> Result<Vec<Resource>, String> {
    let text = files.read(path).map_err(|Unreadable { original, .. }| original)?;
    let (bundle, found) = inputs::load(vec![Input { role: Role::Resources, text }]);
    match found.into_iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
        Some(problem) => Err(problem.message),
        None => Ok(bundle.resources),
    }
}
