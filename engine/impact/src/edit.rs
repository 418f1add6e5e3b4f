//! The smallest edit that makes an object pass.
//!
//! In: a row, and the new side. Out: the edit, which was tried, and the place in the object that decided.

use crate::rows::{Object, Row};
use crate::sides::Sides;
use engine::Bundle;
use engine::load::Host;
use engine::resource::Resource;
use engine::world::World;
use engine::yaml::Document;
use engine_lenses::explain::{Edits, ExplainOptions, explain};
use engine_lenses::wire::{Edit, ObjectRef, Range};

/// Looks edits up; what it copies of the new side it copies once.
pub struct Editor<'a> {
    sides: &'a Sides,
    /// The new side without policies and objects.
    bare: Bundle,
    world: &'a dyn World,
}

/// What is known of a row that is shown.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// The edit; nothing where none was found.
    pub edit: Option<Edit>,
    /// The lines of the object that decided.
    pub range: Option<Range>,
}

impl<'a> Editor<'a> {
    /// An editor for the rows of these sides.
    pub fn new(sides: &'a Sides, world: &'a dyn World) -> Self {
        let [_, new] = &sides.narrow;
        let mut bare = new.clone();
        bare.policies.clear();
        Editor { sides, bare, world }
    }

    /// What makes the object of a row pass; `again` reads the object again, with its document, where the new side does not have it.
    pub fn edit(
        &mut self,
        row: &Row,
        again: impl FnOnce() -> Option<(Resource, Document, engine::yaml::Source)>,
    ) -> Shown {
        let [_, new] = &self.sides.narrow;
        let [_, pairs] = &self.sides.narrow_pairs;
        let place = pairs.iter().position(|pair| *pair == Some(row.change.pair));
        let Some(policy) = place.and_then(|at| new.policies.get(at)) else { return Shown::default() };
        self.bare.policies = vec![policy.clone()];
        let (sources, documents) = (self.bare.sources.len(), self.bare.documents.len());
        let is_here = new.resources.iter().any(|resource| Object::of(resource) == row.object);
        if !is_here {
            let Some((mut resource, mut document, mut source)) = again() else { return Shown::default() };
            let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
            source.id = engine::yaml::SourceId(number(sources));
            (document.source, document.span.source) = (source.id, source.id);
            resource.document = engine::resource::DocumentId(number(documents));
            self.bare.sources.push((engine::load::Role::Opened, source));
            self.bare.documents.push(document);
            self.bare.resources = vec![resource];
        }
        let shown = self.explained(row);
        if !is_here {
            self.bare.sources.truncate(sources);
            self.bare.documents.truncate(documents);
            self.bare.resources.clear();
        }
        shown
    }

    fn explained(&self, row: &Row) -> Shown {
        let Object { api_version, kind, namespace, name } = row.object.clone();
        let resource = ObjectRef { api_version, kind, namespace, name, range: None };
        let asked = ExplainOptions {
            host: self.host(),
            resource: Some(resource),
            rule: Some(row.change.rule.clone()).filter(|rule| !rule.is_empty()),
            edits: Edits::Sought,
            ..ExplainOptions::default()
        };
        let explanations = explain(&self.bare, &asked, self.world);
        let failed =
            explanations.into_iter().find(|one| matches!(one.verdict.as_str(), "fail" | "error" | "warn"));
        let Some(failed) = failed else { return Shown::default() };
        // Several edits together make it pass: one of them alone would not.
        let edit = match failed.edits.as_slice() {
            [edit] => Some(edit.clone()),
            _ => None,
        };
        Shown { edit, range: failed.fields.into_iter().find_map(|field| field.range) }
    }

    fn host(&self) -> Host {
        self.bare.host
    }
}
