//! `podsieve test --init`: a test file with today's verdicts.
//!
//! In: policies, resources and what stands around them. Out: a `kyverno-test.yaml` that passes now, and files with the
//! mutated and generated objects that it expects. Nothing that is there is overwritten.

use super::file::TestFile;
use super::find::join;
use super::judge::{self, Judged, Keyed};
use super::prepare::{Printed, prepare};
use crate::args::Test;
use crate::exit::Failure;
use crate::files;
use crate::terminal;
use engine::Bundle;
use engine::apply::Phase;
use engine::json::{Map, Value};
use engine::resource::Resource;
use engine::yaml::emit::{to_yaml, to_yaml_ordered};

/// The files beside the test file.
const PATCHED: &str = "patched.yaml";
const GENERATED: &str = "generated.yaml";

/// Writes the test file.
pub(super) fn run(arguments: &Test) -> Result<u8, Failure> {
    let folder = arguments.paths.first().map_or(".", String::as_str);
    if let Some(more) = arguments.paths.get(1) {
        return Err(Failure(format!("--init writes into one folder: `{more}` is one too many")));
    }
    if arguments.init.policy.is_empty() || arguments.init.resource.is_empty() {
        return Err(Failure("--init needs --policy and --resource".to_owned()));
    }
    let test = test_file(arguments, folder)?;
    let mut printed = Printed::default();
    let bundle = prepare(&test, &arguments.image_data, &mut printed)?;
    terminal::say(&printed.notes);
    for refused in &bundle.refused {
        terminal::say(&format!(
            "warning: policy `{}` is refused, and not tested: {}\n",
            refused.policy,
            refused.reason.trim_end()
        ));
    }
    for what in &bundle.unsupported {
        let name =
            if what.rule.is_empty() { what.policy.clone() } else { format!("{}/{}", what.policy, what.rule) };
        terminal::say(&format!("warning: `{name}` is not tested: `{}` is not supported yet\n", what.what));
    }
    let bundles = judge::by_operation(bundle, &[])?;
    let runs = judge::judge(&bundles);
    let Some((_, bundle)) = bundles.first() else { return Ok(1) };
    let mut writer = Writer { bundle, entries: Vec::new(), patched: Vec::new(), generated: Vec::new() };
    for keyed in runs.run("") {
        writer.resource(keyed);
    }
    if writer.entries.is_empty() {
        return Err(Failure("no rule looks at any resource, so there is nothing to test".to_owned()));
    }
    let mut written = vec![(arguments.file_name.as_str(), to_yaml_ordered(&writer.document(&test, folder)))];
    for (name, objects) in [(PATCHED, &writer.patched), (GENERATED, &writer.generated)] {
        if !objects.is_empty() {
            let texts: Vec<String> = objects.iter().map(to_yaml).collect();
            written.push((name, texts.join("---\n")));
        }
    }
    for (name, text) in written {
        let path = files::create(folder, name, &text)?;
        terminal::print(&format!("{path}\n"));
    }
    Ok(0)
}

/// The test without results, its paths seen from the folder.
fn test_file(arguments: &Test, folder: &str) -> Result<TestFile, Failure> {
    let init = &arguments.init;
    let path = |path: &String| files::relative(folder, path).map_err(Failure);
    let paths = |list: &[String]| list.iter().map(path).collect::<Result<Vec<_>, _>>();
    Ok(TestFile {
        path: join(folder, &arguments.file_name),
        policies: paths(&init.policy)?,
        resources: paths(&init.resource)?,
        target_resources: paths(&init.target_resource)?,
        exceptions: paths(&init.exception)?,
        variables: init.values.as_ref().map(path).transpose()?.unwrap_or_default(),
        user_info: init.userinfo.as_ref().map(path).transpose()?.unwrap_or_default(),
        ..TestFile::default()
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
        for judged in &keyed.responses {
            self.response(keyed.resource, judged);
        }
    }

    fn response(&mut self, resource: &Resource, judged: &Judged<'_>) {
        let response = &judged.response;
        let mut is_patched = false;
        for rule in &response.rules {
            let result = response.told_status(rule).as_str();
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
        if is_patched {
            self.patched.push(judged.object.clone());
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
    fn document(&self, test: &TestFile, folder: &str) -> Value {
        let texts =
            |list: &[String]| Value::array(list.iter().map(|text| Value::from(text.as_str())).collect());
        let name =
            folder.trim_end_matches('/').rsplit('/').next().filter(|name| !matches!(*name, "" | "." | ".."));
        let name = name.or_else(|| self.bundle.policies.first().map(|policy| policy.name.as_str()));
        let mut map = Map::new();
        map.insert("apiVersion", Value::from("cli.kyverno.io/v1alpha1"));
        map.insert("kind", Value::from("Test"));
        let metadata: Map = [("name", Value::from(name.unwrap_or("test")))].into_iter().collect();
        map.insert("metadata", Value::object(metadata));
        let lists = [
            ("policies", &test.policies),
            ("resources", &test.resources),
            ("targetResources", &test.target_resources),
            ("exceptions", &test.exceptions),
        ];
        for (field, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            map.insert(field, texts(list));
        }
        for (field, path) in [("variables", &test.variables), ("userinfo", &test.user_info)] {
            if !path.is_empty() {
                map.insert(field, Value::from(path.as_str()));
            }
        }
        let result = |entry: &Entry| {
            let mut map = Map::new();
            map.insert("policy", Value::from(entry.policy.as_str()));
            map.insert("rule", Value::from(entry.rule.as_str()));
            map.insert("kind", Value::from(entry.kind.as_str()));
            map.insert("resources", texts(&entry.resources));
            if let Some((field, file)) = entry.file {
                map.insert(field, Value::from(file));
            }
            map.insert("result", Value::from(entry.result));
            Value::object(map)
        };
        map.insert("results", Value::array(self.entries.iter().map(result).collect()));
        Value::object(map)
    }
}
