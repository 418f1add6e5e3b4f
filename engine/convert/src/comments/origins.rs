//! What was made of which value.
//!
//! In: a source and its policies. Out: for a path of the source the place of what was made of the nearest value around it.

use crate::kinds::policy::Policies;
use engine_json::{Path, Segment, Value};
use engine_yaml::Side;

/// What was made of a value.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// How many steps of the path in the source lead to it.
    pub(crate) source_len: usize,
    pub(crate) document: usize,
    pub(crate) path: Path,
}

/// Places of a source, and what they became.
pub(crate) struct Origins<'o> {
    documents: &'o [Value],
    /// Later ones stand behind earlier ones.
    all: Vec<(Path, usize, Path)>,
}

/// Fields of `spec` that have another name.
const SETTINGS: [(&str, &str); 16] = [
    ("validationFailureAction", "validationActions"),
    ("emitWarning", "validationActions"),
    ("background", "evaluation"),
    ("admission", "evaluation"),
    ("generateExisting", "evaluation"),
    ("generateExistingOnPolicyUpdate", "evaluation"),
    ("webhookTimeoutSeconds", "webhookConfiguration"),
    ("rules", "validations"),
    ("rules", "mutations"),
    ("rules", "generate"),
    ("exceptions", "policyRefs"),
    ("match", "matchConstraints"),
    ("match", "matchConditions"),
    ("exclude", "matchConditions"),
    ("exclude", "matchConstraints"),
    ("context", "variables"),
];

/// Fields of a rule, and what they become in `spec`.
const OF_RULE: [(&[&str], &str); 12] = [
    (&["match"], "matchConstraints"),
    (&["exclude"], "matchConditions"),
    (&["exclude"], "matchConstraints"),
    (&["context"], "variables"),
    (&["preconditions"], "matchConditions"),
    (&["celPreconditions"], "matchConditions"),
    (&["validate", "failureAction"], "validationActions"),
    (&["generate", "synchronize"], "evaluation"),
    (&["generate", "generateExisting"], "evaluation"),
    (&["generate", "orphanDownstreamOnPolicyDelete"], "evaluation"),
    (&["skipBackgroundRequests"], "evaluation"),
    (&["validate", "cel", "variables"], "variables"),
];

/// Fields of the only entry of `verifyImages`.
const OF_IMAGES: [(&str, &str); 8] = [
    ("imageReferences", "matchImageReferences"),
    ("attestors", "attestors"),
    ("attestations", "attestations"),
    ("mutateDigest", "validationConfigurations"),
    ("verifyDigest", "validationConfigurations"),
    ("required", "validationConfigurations"),
    ("failureAction", "validationActions"),
    ("imageRegistryCredentials", "credentials"),
];

impl<'o> Origins<'o> {
    pub(crate) fn new(source: &Value, policies: &'o Policies) -> Self {
        let mut origins = Origins { documents: &policies.documents, all: Vec::new() };
        let rules = source.find(&["spec", "rules"]).and_then(Value::as_array).unwrap_or_default();
        for (document, (names, counts)) in policies.rules.iter().zip(&policies.counts).enumerate() {
            let mut part = 0;
            for (name, count) in names.iter().zip(counts) {
                let at = rules.iter().position(|rule| rule.find_str(&["name"]) == name);
                if let Some((at, rule)) = at.and_then(|at| Some((at, rules.get(at)?))) {
                    let path = Path::from_keys(&["spec", "rules"]).join(at);
                    origins.rule(rule, &path, document, (part, *count));
                }
                part += count;
            }
        }
        for (field, name) in SETTINGS {
            origins.add(Path::from_keys(&["spec", field]), 0, Path::from_keys(&["spec", name]));
        }
        origins
    }

    /// Something became this, if it is there.
    fn add(&mut self, source: Path, document: usize, path: Path) {
        if self.documents.get(document).is_some_and(|value| value.at_path(path.iter()).is_some()) {
            self.all.push((source, document, path));
        }
    }

    /// A rule, and which parts of `validations` or the like were made of it.
    fn rule(&mut self, rule: &Value, path: &Path, document: usize, (first, count): (usize, usize)) {
        let spec = Path::from_keys(&["spec"]);
        let lists = ["validations", "mutations", "generate"];
        let spec_of = self.documents.get(document).and_then(|document| document.get("spec"));
        let list = lists.into_iter().find(|list| spec_of.is_some_and(|spec| spec.get(list).is_some()));
        let Some(list) = list else { return };
        let part = |at: usize| spec.join(list).join(first + at);
        for (keys, field) in OF_RULE {
            let (from, to) = (join(path, keys), spec.join(field));
            let named =
                spec_of.and_then(|spec| spec.get(field)).and_then(Value::as_array).unwrap_or_default();
            let entries = rule.find(keys).and_then(Value::as_array).unwrap_or_default();
            for (at, entry) in entries.iter().enumerate() {
                let name = entry.find_str(&["name"]);
                let found = named.iter().position(|one| !name.is_empty() && one.find_str(&["name"]) == name);
                if let Some(found) = found {
                    self.add(from.join(at), document, to.join(found));
                }
            }
            let own = match keys {
                ["preconditions"] => named.iter().position(|one| one.find_str(&["name"]) == "preconditions"),
                ["exclude"] => named.iter().position(|one| one.find_str(&["name"]) == "not-excluded"),
                _ => None,
            };
            match (keys, own) {
                (_, Some(own)) => self.add(from, document, to.join(own)),
                // What stands among validations is about them.
                (["preconditions" | "celPreconditions"], None) => {}
                (["exclude"], None) if field == "matchConditions" => {}
                _ => self.add(from, document, to),
            }
        }
        if rule.get("verifyImages").is_some() {
            for (field, name) in OF_IMAGES {
                let from = join(&path.join("verifyImages").join(0), &[field]);
                self.add(from, document, spec.join(name));
            }
        }
        for loops in [
            &["validate", "foreach"][..],
            &["mutate", "foreach"],
            &["generate", "foreach"],
            &["validate", "cel", "expressions"],
        ] {
            let length = rule.find(loops).and_then(Value::as_array).map_or(0, <[Value]>::len);
            for at in (0..length).filter(|_| length == count) {
                self.add(join(path, loops).join(at), document, part(at));
            }
        }
        let message = join(path, &["validate", "message"]);
        for field in ["message", "messageExpression"] {
            self.add(message.clone(), document, part(0).join(field));
        }
        let data = join(path, &["generate", "data"]);
        self.add(data, document, part(0).join("template").join("value"));
        // What stands behind the last value of a rule is behind the last part.
        for at in 0..count.max(1) {
            self.add(path.clone(), document, part(at));
        }
    }

    /// What was made of the nearest value around a place.
    pub(crate) fn of(&self, path: &Path, side: Side) -> Origin {
        for source_len in (1..=path.len()).rev() {
            let prefix: Path = Path::from(path.get(..source_len).unwrap_or_default());
            let mut same = self.all.iter().filter(|(source, _, _)| *source == prefix);
            let found = if side == Side::Below { same.next_back() } else { same.next() };
            if let Some((_, document, path)) = found {
                return Origin { source_len, document: *document, path: path.clone() };
            }
            let same = self.documents.iter().position(|one| one.at_path(prefix.iter()).is_some());
            if let Some(document) = same {
                return Origin { source_len, document, path: prefix };
            }
        }
        Origin { source_len: 0, document: 0, path: Path::root() }
    }
}

fn join(path: &Path, keys: &[&str]) -> Path {
    let keys: Vec<Segment> = keys.iter().map(|key| Segment::from(*key)).collect();
    path.concat(&keys)
}
