//! What `compare` claims, held against policies of which the truth is known: mistakes put in on purpose, and rewrites that keep the meaning.
//!
//! In: the recorded library. Out: mutants and rewrites of its policies, and what the comparison says of them.

pub mod pairs;
pub mod rewrites;

use crate::random::Choices;
use crate::recorded;
use engine::json::{Value, to_json};
use engine::world::StaticWorld;
use engine::yaml::emit::to_yaml_ordered;
use engine_compare::mutants::{Mutant, mutants};
use engine_compare::{Comparison, Members, Operation, Options, compare, draw_members};
use engine_lenses::wire::Text;
use std::path::Path;

/// A policy of the library.
#[derive(Clone, Debug)]
pub struct Known {
    /// The case it is from.
    pub id: String,
    /// The document.
    pub policy: Value,
}

/// The classes of the library whose verdicts hang on nothing outside.
const CLASSES: [&str; 4] = ["validate", "podsecurity", "cel", "mutate"];

/// What asks something outside: a cluster, a registry, a file, the time.
const OUTSIDE: [&str; 17] = [
    "apiCall",
    "configMap",
    "imageRegistry",
    "globalReference",
    "verifyImages",
    "resource.Get(",
    "resource.List(",
    "http.Get(",
    "http.Post(",
    "resource.get(",
    "resource.list(",
    "http.get(",
    "http.post(",
    "globalContext.",
    "image.GetMetadata(",
    "time_now",
    "random(",
];

/// The policies of the library, by their cases; cases with several policies are left out.
pub fn library(folder: &Path) -> Result<Vec<Known>, String> {
    let mut found = Vec::new();
    for case in recorded::rows(&folder.join("library/in.jsonl.gz"))? {
        if !CLASSES.contains(&case.find_str(&["class"])) {
            continue;
        }
        let texts = case.get("policies").and_then(Value::as_array).unwrap_or_default();
        let documents: Vec<Value> = texts
            .iter()
            .filter_map(|text| engine::yaml::parse_one(text.as_str()?).ok())
            .filter(|document| !document.is_null())
            .filter(|document| !OUTSIDE.iter().any(|asks| to_json(document).contains(asks)))
            .collect();
        if let [policy] = documents.as_slice() {
            found.push(Known { id: case.find_str(&["id"]).to_owned(), policy: policy.clone() });
        }
    }
    Ok(found)
}

/// The text of a policy.
pub fn text(name: &str, policy: &Value) -> Vec<Text> {
    vec![Text { name: name.to_owned(), text: to_yaml_ordered(policy) }]
}

/// Compares two policies.
pub fn answer(old: &Value, new: &Value, options: &Options) -> Comparison {
    let world = StaticWorld {
        extension: Some(engine_celpolicy::WITH_STEPS),
        ..StaticWorld::at(1_700_000_000_000_000_000)
    };
    compare(&text("old.yaml", old), &text("new.yaml", new), options, &world, &mut |_| true)
}

/// Random members of the classes of a policy; nothing where its classes cannot be told.
pub fn draw(known: &Known, count: usize, seed: u64) -> Option<Members> {
    let world = StaticWorld {
        extension: Some(engine_celpolicy::WITH_STEPS),
        ..StaticWorld::at(1_700_000_000_000_000_000)
    };
    let side = text("policy.yaml", &known.policy);
    draw_members(
        &side,
        &side,
        &Options { seed, operations: vec![Operation::Create], ..Options::default() },
        &world,
        count,
    )
    .ok()
}

/// One mutant of one policy, drawn by these choices; nothing where the policy has none.
pub fn drawn<'k>(library: &'k [Known], choices: &mut Choices) -> Option<(&'k Known, Mutant)> {
    let known = library.get(choices.below(library.len()))?;
    let mut all = mutants(&known.policy);
    if all.is_empty() {
        return None;
    }
    let at = choices.below(all.len());
    Some((known, all.swap_remove(at)))
}
