//! Exclusions of `podSecurity` rules, compiled, and asked about the same Pods as the rule: those of the recorded answers of Kyverno, and the
//! sieve's attackers.
//!
//! In: a ClusterPolicy, a target. Out: Pods on which what is compiled decides otherwise than the rule.

use super::{Verdict, as_admitted, verdicts};
use crate::exemptions::{Texts, sieve};
use crate::recorded::Recorded;
use crate::suites::{EXCLUDED, EXCLUSIONS, FUZZ_PODS, PODS};
use engine::json::{Map, Value, to_json};
use engine::yaml::parse_one;
use engine_convert::podsecurity::{Target, compile, read_rules};
use std::collections::BTreeMap;

/// How Pods compare.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// How many Pods.
    pub pods: usize,
    /// How many the rule lets in.
    pub admitted: usize,
    /// What is let in that the rule refuses.
    pub wider: Vec<String>,
    /// What is refused that the rule lets in.
    pub stricter: Vec<String>,
}

impl Asked {
    fn note(&mut self, name: &str, rule: bool, compiled: &Verdict) {
        self.pods += 1;
        self.admitted += usize::from(rule);
        match (rule, compiled.allowed) {
            (false, true) => self.wider.push(name.to_owned()),
            (true, false) => self.stricter.push(format!("{name}: {:?}", compiled.messages)),
            _ => {}
        }
    }
}

/// A policy with this level, version and exclusions.
pub fn policy(level: &str, version: &str, exclude: &Value) -> String {
    format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec:\n  rules:\n  - name: r\n    match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}\n    validate:\n      failureAction: Enforce\n      podSecurity:\n        level: {level}\n        version: {version}\n        exclude: {}\n",
        to_json(exclude)
    )
}

/// What is compiled of a policy; the faults where it cannot be.
pub fn compiled(policy: &str, target: Target) -> Result<String, String> {
    let sources = read_rules("policy.yaml", policy).map_err(|faults| format!("{faults:?}"))?;
    Ok(sources.iter().map(|source| compile(source, target).text()).collect::<Vec<_>>().join("---\n"))
}

/// The sieve's attackers of a policy and those for whom its exclusions are meant, under the rule and under what is compiled.
pub fn attacked(policy: &str, pods: &[String], target: Target) -> Result<Asked, String> {
    let texts = Texts { policies: vec![policy.to_owned()], exceptions: Vec::new(), pods: pods.to_vec() };
    let output = sieve(&texts, "check");
    let mut objects = Vec::new();
    for exemption in &output.exemptions {
        let attackers = exemption.attacks.iter().map(|attack| &attack.resource);
        for text in attackers.chain(exemption.legitimate.iter().map(|pod| &pod.text)) {
            objects.push(parse_one(text).map_err(|error| format!("{error:?}"))?);
        }
    }
    let objects: Vec<Value> = objects.iter().map(as_admitted).collect();
    let (rule, made) = (verdicts(policy, &objects), verdicts(&compiled(policy, target)?, &objects));
    let mut asked = Asked::default();
    for ((object, rule), made) in objects.iter().zip(rule).zip(made) {
        asked.note(&to_json(object), rule.allowed, &made);
    }
    Ok(asked)
}

/// Kyverno's recorded answers with exclusions, against what is compiled of the same rules; by the name of the exclusions, which are
/// left out where Kyverno refuses a policy with them.
pub fn recorded_exclusions(
    recorded: &Recorded,
    target: Target,
    every: usize,
) -> Result<BTreeMap<String, Asked>, String> {
    let mut pods: BTreeMap<String, Value> = BTreeMap::new();
    for file in [PODS, FUZZ_PODS] {
        for row in recorded.rows(file)? {
            let pod = as_admitted(&row.get("pod").cloned().unwrap_or_default());
            pods.insert(row.find_str(&["id"]).to_owned(), pod);
        }
    }
    let lists = parse_one(&recorded.text(EXCLUSIONS)?).map_err(|error| format!("{error:?}"))?;
    let mut groups: BTreeMap<[String; 3], Vec<(String, bool)>> = BTreeMap::new();
    for (at, row) in recorded.rows(EXCLUDED)?.iter().enumerate() {
        let key = ["exclude", "level", "version"].map(|key| row.find_str(&[key]).to_owned());
        if at % every == 0 {
            let allowed = row.get("allowed").and_then(Value::as_bool) == Some(true);
            groups.entry(key).or_default().push((row.find_str(&["id"]).to_owned(), allowed));
        }
    }
    let mut all: BTreeMap<String, Asked> = BTreeMap::new();
    for ([exclude, level, version], rows) in groups {
        let none = Value::array(Vec::new());
        let list = lists.get(&exclude).unwrap_or(&none);
        let Ok(text) = compiled(&policy(&level, &version, list), target) else { continue };
        let objects: Vec<Value> = rows.iter().filter_map(|(id, _)| pods.get(id).cloned()).collect();
        let asked = all.entry(exclude).or_default();
        for ((id, allowed), made) in rows.iter().zip(verdicts(&text, &objects)) {
            asked.note(&format!("{level} {version} {id}"), *allowed, &made);
        }
    }
    Ok(all)
}

/// An entry of `exclude`.
pub fn entry(control: &str, images: &[&str], field: &str, values: &[&str]) -> Value {
    let list = |texts: &[&str]| Value::array(texts.iter().map(|text| Value::from(*text)).collect());
    let mut map = Map::new();
    map.insert("controlName", Value::from(control));
    for (key, texts) in [("images", images), ("values", values)] {
        if !texts.is_empty() {
            map.insert(key, list(texts));
        }
    }
    if !field.is_empty() {
        map.insert("restrictedField", Value::from(field));
    }
    Value::object(map)
}
