//! A test file with today's verdicts, and the files with the objects that it expects.
//!
//! In: what was evaluated, and the names of the files in which policies, resources and the rest are. Out: [`Written`].

use super::evaluated::{Evaluated, Keyed};
use crate::report::object;
use engine::apply::Phase;
use engine::load::Bundle;
use engine::policy::Rule;
use engine::resource::Resource;
use engine_json::{Map, Value};
use engine_yaml::emit::{to_yaml, to_yaml_ordered};

/// The files beside the test file.
const PATCHED: &str = "patched.yaml";
const GENERATED: &str = "generated.yaml";

/// The files that a test names, seen from its folder; what is empty is left out.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// Policies.
    pub policies: Vec<String>,
    /// The resources that are evaluated.
    pub resources: Vec<String>,
    /// Objects that rules with targets change.
    pub target_resources: Vec<String>,
    /// PolicyExceptions.
    pub exceptions: Vec<String>,
    /// Context files with the objects of the cluster.
    pub cluster_resources: Vec<String>,
    /// Values.
    pub variables: String,
    /// Who asks.
    pub user_info: String,
    /// The objects that rules may clone.
    pub clone_source: String,
}

/// What is to be written.
#[derive(Clone, Debug)]
pub struct Written {
    /// The test file.
    pub test: String,
    /// Names and texts of the files with mutated and generated objects.
    pub beside: Vec<(&'static str, String)>,
}

/// The files of a test in which everything that was evaluated passes; `None` where no rule looked at any resource. The
/// test has this name, or that of its first policy.
pub fn write(bundle: &Bundle, evaluated: &[Keyed<'_>], named: &Named, name: Option<&str>) -> Option<Written> {
    let mut writer = Writer { bundle, entries: Vec::new(), patched: Vec::new(), generated: Vec::new() };
    for keyed in evaluated {
        writer.resource(keyed);
    }
    if writer.entries.is_empty() {
        return None;
    }
    let objects = [(PATCHED, &writer.patched), (GENERATED, &writer.generated)].into_iter();
    let beside = objects.filter(|(_, objects)| !objects.is_empty());
    let text = |objects: &[Value]| objects.iter().map(to_yaml).collect::<Vec<_>>().join("---\n");
    Some(Written {
        test: to_yaml_ordered(&writer.document(named, name)),
        beside: beside.map(|(name, objects)| (name, text(objects))).collect(),
    })
}

/// An entry of `results`.
#[derive(PartialEq)]
struct Entry {
    policy: String,
    rule: String,
    result: &'static str,
    kind: String,
    /// The field with expected objects, and its file.
    file: Option<(&'static str, &'static str)>,
    resources: Vec<String>,
}

struct Writer<'b> {
    bundle: &'b Bundle,
    entries: Vec<Entry>,
    patched: Vec<Value>,
    generated: Vec<Value>,
}

impl Writer<'_> {
    fn resource(&mut self, keyed: &Keyed<'_>) {
        for evaluated in &keyed.responses {
            self.response(keyed.resource, evaluated);
        }
    }

    fn response(&mut self, resource: &Resource, evaluated: &Evaluated<'_>) {
        let response = &evaluated.response;
        let mut is_patched = false;
        for rule in &response.rules {
            let result = response.described_status(rule).as_str();
            let mut entry = Entry {
                policy: response.policy.key(),
                rule: rule.written_name.to_string(),
                result,
                kind: resource.kind().to_owned(),
                file: None,
                resources: vec![self.name(resource)],
            };
            match response.phase {
                Phase::Mutate if rule.patched_target.is_none() => {
                    entry.file = Some(("patchedResources", PATCHED));
                    is_patched = true;
                }
                Phase::Generate if !rule.generated.is_empty() => {
                    entry.file = Some(("generatedResource", GENERATED));
                    self.generated.extend(rule.generated.iter().cloned());
                }
                Phase::Mutate | Phase::Generate | Phase::Validate | Phase::VerifyImages | Phase::Cleanup => {}
            }
            if let Some(target) = &rule.patched_target {
                self.patched.push(target.clone());
                let resources = vec![target.find_str(&["metadata", "name"]).to_owned()];
                let kind = target.find_str(&["kind"]).to_owned();
                let (policy, rule) = (entry.policy.clone(), entry.rule.clone());
                let file = Some(("patchedResources", PATCHED));
                self.add(Entry { policy, rule, result, kind, file, resources });
            }
            self.add(entry);
        }
        if is_patched && !evaluated.object.is_null() {
            self.patched.push(evaluated.object.clone());
        }
    }

    /// One entry for all resources of a kind of which a rule says the same.
    fn add(&mut self, entry: Entry) {
        let is_same = |known: &&mut Entry| {
            known.policy == entry.policy
                && known.rule == entry.rule
                && known.result == entry.result
                && known.kind == entry.kind
                && known.file == entry.file
        };
        match self.entries.iter_mut().find(is_same) {
            Some(known) => {
                for name in entry
                    .resources
                    .into_iter()
                    .filter(|name| !known.resources.contains(name))
                    .collect::<Vec<_>>()
                {
                    known.resources.push(name);
                }
            }
            None => self.entries.push(entry),
        }
    }

    /// The name of a resource, behind its namespace where another one has the same name.
    fn name(&self, resource: &Resource) -> String {
        let name = resource.name();
        let same = self.bundle.resources.iter().filter(|other| other.name() == name).count();
        if same > 1 { format!("{}/{name}", resource.namespace()) } else { name.to_owned() }
    }

    /// The whole test file.
    fn document(&self, named: &Named, name: Option<&str>) -> Value {
        let name = name.or_else(|| self.bundle.policies.first().map(|policy| policy.name.as_str()));
        let mut map = Map::new();
        map.insert("apiVersion", Value::from("cli.kyverno.io/v1alpha1"));
        map.insert("kind", Value::from("Test"));
        map.insert("metadata", object([("name", Value::from(name.unwrap_or("test")))]));
        let lists = [
            ("policies", &named.policies),
            ("resources", &named.resources),
            ("targetResources", &named.target_resources),
            ("exceptions", &named.exceptions),
            ("clusterResources", &named.cluster_resources),
        ];
        for (field, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            map.insert(field, texts(list));
        }
        for (field, path) in [("variables", &named.variables), ("userinfo", &named.user_info)] {
            if !path.is_empty() {
                map.insert(field, Value::from(path.as_str()));
            }
        }
        let result = |entry: &Entry| self.result(entry, named);
        map.insert("results", Value::array(self.entries.iter().map(result).collect()));
        Value::object(map)
    }

    fn result(&self, entry: &Entry, named: &Named) -> Value {
        let mut map = Map::new();
        map.insert("policy", Value::from(entry.policy.as_str()));
        map.insert("rule", Value::from(entry.rule.as_str()));
        map.insert("kind", Value::from(entry.kind.as_str()));
        map.insert("resources", texts(&entry.resources));
        if let Some((field, file)) = entry.file {
            map.insert(field, Value::from(file));
        }
        if !named.clone_source.is_empty() && clones(self.bundle, &entry.policy, &entry.rule) {
            map.insert("cloneSourceResource", Value::from(named.clone_source.as_str()));
        }
        map.insert("result", Value::from(entry.result));
        Value::object(map)
    }
}

fn texts(list: &[String]) -> Value {
    Value::array(list.iter().map(|text| Value::from(text.as_str())).collect())
}

/// Whether a rule of that name makes objects of others.
fn clones(bundle: &Bundle, policy: &str, rule: &str) -> bool {
    let policies = bundle.policies.iter().filter(|known| known.key() == policy);
    let mut rules = policies.flat_map(|policy| &policy.rules).filter(|known| known.name == rule);
    rules.any(|rule| clones_objects(rule))
}

/// Whether a rule makes objects of others.
pub(super) fn clones_objects(rule: &Rule) -> bool {
    let generate = rule.raw.get("generate");
    generate.is_some_and(|generate| generate.get("clone").is_some() || generate.get("cloneList").is_some())
}
