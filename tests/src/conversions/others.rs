//! Conversions of the other kinds, over all files below a folder.
//!
//! In: a folder. Out: for each policy that generates, verifies images or deletes, each exception, and each policy of the API server and of
//! Kyverno as the other one, what became of it. What the files of one folder hold is converted together, as exceptions name policies.

use engine::json::{Value, to_json};
use engine::world::StaticWorld;
use engine_compare::Options;
use engine_convert::{Conversion, Target, convert_all, grade};
use engine_lenses::wire::Text;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What became of a document.
#[derive(Debug)]
pub struct Other {
    /// What is converted, in words.
    pub class: &'static str,
    /// Its folder and name.
    pub name: String,
    /// The grade, or that it is refused.
    pub grade: &'static str,
    /// Why it is refused or not compared.
    pub why: String,
}

/// How deep folders are looked into.
const MAX_DEPTH: usize = 12;

/// All of them.
pub fn others(folder: &Path, max_requests: usize) -> Vec<Other> {
    let world = StaticWorld {
        extension: Some(engine_celpolicy::WITH_STEPS),
        ..StaticWorld::at(1_700_000_000_000_000_000)
    };
    let options = Options { max_requests, mutants: 0, ..Options::default() };
    let mut known: BTreeSet<(&str, String)> = BTreeSet::new();
    let mut all = Vec::new();
    for (place, texts) in folders(folder, MAX_DEPTH) {
        for target in [Target::Cel, Target::ValidatingAdmissionPolicy, Target::ValidatingPolicy] {
            for (_, conversion) in convert_all(&texts, target) {
                let Some(class) = class(&conversion, target) else { continue };
                if !known.insert((class, to_json(&conversion.source))) {
                    continue;
                }
                let compared =
                    conversion.is_whole().then(|| grade(&conversion, &options, &world, &mut |_| true));
                let reasons = compared.iter().flat_map(|compared| &compared.reasons);
                let why = conversion.refused.iter().map(|refused| refused.text.clone());
                let why = why.chain(reasons.map(|reason| reason.text.clone())).collect::<Vec<_>>().join("; ");
                all.push(Other {
                    class,
                    name: format!("{}/{}", place.display(), conversion.name),
                    grade: compared.as_ref().map_or("refused", |compared| compared.grade.as_str()),
                    why: why.replace('\n', " ").chars().take(200).collect(),
                });
            }
        }
    }
    all
}

/// What is converted, where it is one of these.
fn class(conversion: &Conversion, target: Target) -> Option<&'static str> {
    let rules = conversion.source.find(&["spec", "rules"]).and_then(Value::as_array).unwrap_or_default();
    let has = |body: &str| rules.iter().any(|rule| rule.get(body).is_some());
    match (target, conversion.kind.as_str()) {
        (Target::Cel, "PolicyException") => Some("exceptions"),
        (Target::Cel, "ClusterCleanupPolicy" | "CleanupPolicy") => Some("cleanup policies"),
        (Target::Cel, _) if has("generate") => Some("rules that generate"),
        (Target::Cel, _) if has("verifyImages") => Some("rules that verify images"),
        (Target::ValidatingAdmissionPolicy, "ValidatingPolicy" | "NamespacedValidatingPolicy") => {
            Some("ValidatingPolicies as ValidatingAdmissionPolicies")
        }
        (Target::ValidatingPolicy, _) => Some("ValidatingAdmissionPolicies as ValidatingPolicies"),
        _ => None,
    }
}

/// The texts of each folder below one.
pub fn folders(folder: &Path, depth: usize) -> Vec<(PathBuf, Vec<Text>)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    let (inner, files): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().partition(|path| path.is_dir());
    let is_yaml = |path: &&PathBuf| path.extension().is_some_and(|end| end == "yaml" || end == "yml");
    let text = |path: &PathBuf| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        std::fs::read_to_string(path).ok().map(|text| Text { name, text })
    };
    let texts: Vec<Text> = files.iter().filter(is_yaml).filter_map(text).collect();
    let below = inner.iter().filter(|_| depth > 0).flat_map(|path| folders(path, depth - 1));
    std::iter::once((folder.to_path_buf(), texts)).chain(below).collect()
}
