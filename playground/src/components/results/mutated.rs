//! What mutate policies made of each resource, as the view that compares it gets it (`src/late/mutated.rs`).
//!
//! In: the last output. Out: the first objects that changed with each policy's step, how many changes are left out, and what a
//! GitOps tool will see as drift; `src/late/given.rs` reads it.

use engine_lenses::wire::{ObjectRef, Output, Range};
use serde::Serialize;

use crate::state::full_name;

/// Objects shown at once.
const MOST: usize = 50;

/// All that changed.
#[derive(Default, Serialize)]
pub(crate) struct Mutated<'a> {
    objects: Vec<Object<'a>>,
    surplus: usize,
    drift: Option<Drift<'a>>,
}

/// One object and what each policy made of it, in their order.
#[derive(Serialize)]
struct Object<'a> {
    name: String,
    /// Distinguishes objects of the same name: the text it stands in, and where.
    key: String,
    steps: Vec<Step<'a>>,
}

/// One policy's change.
#[derive(Serialize)]
struct Step<'a> {
    policy: String,
    original: Option<&'a str>,
    patched: &'a str,
}

#[derive(Serialize)]
struct Drift<'a> {
    objects: Vec<DriftOf<'a>>,
    ignore: &'a str,
}

#[derive(Serialize)]
struct DriftOf<'a> {
    name: String,
    changed: &'a [String],
    added: &'a [String],
    removed: &'a [String],
}

impl<'a> Mutated<'a> {
    /// What an output says of it.
    pub(crate) fn of(output: &'a Output) -> Self {
        let mut all = Self::default();
        for result in &output.results {
            let policy = &result.policy.name;
            // What a variant for controllers answers without a verdict is said by the policy itself already.
            if let Some(patched) = result.patched.as_ref().filter(|_| !result.rules.is_empty()) {
                let original = result.original.as_deref();
                all.add(&result.resource, Step { policy: policy.clone(), original, patched });
            }
            for rule in &result.rules {
                if let Some(target) = &rule.target {
                    let policy = format!("{policy} / {}", rule.rule);
                    let (original, patched) = (target.original.as_deref(), target.patched.as_str());
                    all.add(&target.resource, Step { policy, original, patched });
                }
            }
        }
        all.drift = output.drift.as_ref().map(|drift| Drift {
            objects: drift
                .objects
                .iter()
                .take(MOST)
                .map(|object| DriftOf {
                    name: full_name(&object.resource),
                    changed: &object.changed,
                    added: &object.added,
                    removed: &object.removed,
                })
                .collect(),
            ignore: &drift.ignore_differences,
        });
        all
    }

    /// A further change, beside those of the same object.
    fn add(&mut self, resource: &ObjectRef, step: Step<'a>) {
        let name = full_name(resource);
        let place = |range: &Range| format!("{name} {} {}", range.index, range.from);
        let key = resource.range.as_ref().map_or_else(|| name.clone(), place);
        // Objects come one after another, so the last ones are looked at first.
        if let Some(known) = self.objects.iter_mut().rev().find(|object| object.key == key) {
            known.steps.push(step);
        } else if self.objects.len() < MOST {
            self.objects.push(Object { name, key, steps: vec![step] });
        } else {
            self.surplus += 1;
        }
    }
}
