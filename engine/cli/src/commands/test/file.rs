//! The test file: `apiVersion: cli.kyverno.io/v1alpha1`, `kind: Test`.
//!
//! In: the text of a `kyverno-test.yaml`. Out: a [`TestFile`] for each document, or why it is none: unknown fields are
//! errors, names of fields count whatever their case.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/apis/v1alpha1/test{,_result}.go, test/load.go.

use engine::json::{Map, Path, Value};
use engine::yaml::{LineIndex, Options, Source, SourceId, parse};

/// A file that cannot be read as tests.
#[derive(Clone, Debug)]
pub(super) struct Broken {
    /// The line of the field that is wrong, where the error does not name it itself.
    pub(super) line: Option<u32>,
    /// In the original's words.
    pub(super) error: String,
}

/// One test.
#[derive(Clone, Debug, Default)]
pub(super) struct TestFile {
    /// Its file.
    pub(super) path: String,
    /// `apiVersion`, `kind` and `name`: a file without the first two, or with the last, is of an old form.
    pub(super) is_deprecated: bool,
    pub(super) policies: Vec<String>,
    pub(super) resources: Vec<String>,
    pub(super) target_resources: Vec<String>,
    pub(super) param_resources: Vec<String>,
    pub(super) exceptions: Vec<String>,
    pub(super) cluster_resources: Vec<String>,
    pub(super) variables: String,
    pub(super) user_info: String,
    /// The context file, for policies in CEL.
    pub(super) context: String,
    /// Documents of any form.
    pub(super) json_payloads: Vec<String>,
    /// Requests of HTTP and of Envoy.
    pub(super) http_payloads: Vec<String>,
    pub(super) envoy_payloads: Vec<String>,
    pub(super) values: Option<Value>,
    pub(super) api_call_responses: Vec<Value>,
    pub(super) global_context_entries: Vec<Value>,
    pub(super) results: Vec<Entry>,
}

/// One entry of `results`.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    /// Its line in the file.
    pub(super) line: u32,
    pub(super) policy: String,
    pub(super) rule: String,
    /// The kind of its resources, which the original does not look at.
    pub(super) kind: String,
    /// The verdict that is expected.
    pub(super) result: String,
    pub(super) operation: String,
    /// Whether it says that it is about a policy that deletes.
    pub(super) deletes: bool,
    /// `None` where the field is absent: then `resourceSpecs` are not read.
    pub(super) resources: Option<Vec<String>>,
    pub(super) specs: Vec<Spec>,
    pub(super) patched: String,
    pub(super) generated: Vec<String>,
    /// Whether several generated objects are named, of which any may be met.
    pub(super) names_several: bool,
    pub(super) clone_source: String,
    pub(super) fails_on_missing: bool,
}

/// An entry of `resourceSpecs`.
#[derive(Clone, Debug, Default)]
pub(super) struct Spec {
    pub(super) api_version: String,
    /// Which the original does not look at either.
    pub(super) kind: String,
    pub(super) namespace: String,
    pub(super) name: String,
}

/// The tests of a file.
pub(super) fn read(path: &str, text: &str) -> Vec<Result<TestFile, Broken>> {
    let source = Source { id: SourceId(0), name: path.to_owned(), text: text.into() };
    let parsed = parse(&source, &Options::default());
    // Kyverno: what is wrong with one document ends the file.
    if let Some(finding) = parsed.findings.first() {
        let (line, _) = LineIndex::new(text).position(finding.span.start);
        return vec![Err(Broken { line: None, error: format!("line {line}: {}", finding.message) })];
    }
    let mut tests = Vec::new();
    for document in parsed.documents.iter().filter(|document| !document.value.is_null()) {
        let mut decoder = Decoder { at: Path::root(), problem: None };
        let mut test = decoder.test(&document.value);
        path.clone_into(&mut test.path);
        let spans = document.spans(text);
        let lines = LineIndex::new(text);
        let line_of = |path: &Path| spans.value_span(path).map_or(0, |span| lines.position(span.start).0);
        let results = Path::root().join("results");
        for (at, entry) in test.results.iter_mut().enumerate() {
            entry.line = line_of(&results.join(at));
        }
        if let Some((problem, place)) = decoder.problem {
            let span = spans.key_span(&place).unwrap_or_else(|| spans.deepest(&place).1);
            let line = Some(lines.position(span.start).0);
            let error = format!("error unmarshaling JSON: while decoding JSON: {problem}");
            tests.push(Err(Broken { line, error }));
            break;
        }
        tests.push(Ok(test));
    }
    tests
}

/// Reads fields; the first thing that is wrong is kept.
struct Decoder {
    /// Where the map stands that is being read.
    at: Path,
    problem: Option<(String, Path)>,
}

impl Decoder {
    /// The fields of a map under their proper names; any other field is a problem.
    // Go: encoding/json takes a field of another case where there is none of the very name.
    fn fields(&mut self, value: &Value, what: &str, known: &[&str]) -> Map {
        let mut fields = Map::new();
        let Some(map) = self.typed(value, what, "an object", Value::as_object) else { return fields };
        for (key, item) in map.iter() {
            match known.iter().find(|name| name.eq_ignore_ascii_case(key)) {
                Some(name) if item.is_null() || (fields.contains_key(name) && key != name) => {}
                Some(name) => {
                    fields.insert(*name, item.clone());
                }
                None => self.say(key, format!("json: unknown field \"{key}\"")),
            }
        }
        fields
    }

    /// That something is wrong with a field of the map that is being read.
    fn say(&mut self, field: &str, problem: String) {
        self.problem.get_or_insert_with(|| (problem, self.at.join(field)));
    }

    /// Reads the items of a list, each at its place.
    fn each<T>(
        &mut self,
        name: &str,
        items: &[Value],
        mut read: impl FnMut(&mut Self, &Value) -> T,
    ) -> Vec<T> {
        let outside = self.at.clone();
        let list = outside.join(name);
        let read_one = |(at, item)| {
            self.at = list.join(at);
            read(self, item)
        };
        let all = items.iter().enumerate().map(read_one).collect();
        self.at = outside;
        all
    }

    fn typed<'v, T>(
        &mut self,
        value: &'v Value,
        what: &str,
        wanted: &str,
        read: impl Fn(&'v Value) -> Option<T>,
    ) -> Option<T> {
        let found = read(value);
        if found.is_none() && !value.is_null() {
            self.say(what, format!("`{what}` is not {wanted}"));
        }
        found
    }

    fn text(&mut self, fields: &Map, name: &str) -> String {
        let read = |value| self.typed(value, name, "a text", Value::as_str).unwrap_or("").to_owned();
        fields.get(name).map(read).unwrap_or_default()
    }

    fn flag(&mut self, fields: &Map, name: &str) -> bool {
        let read = |value| self.typed(value, name, "true or false", Value::as_bool).unwrap_or_default();
        fields.get(name).is_some_and(read)
    }

    fn list(&mut self, fields: &Map, name: &str) -> Vec<Value> {
        let read = |value| self.typed(value, name, "a list", Value::as_array).unwrap_or_default().to_vec();
        fields.get(name).map(read).unwrap_or_default()
    }

    fn texts(&mut self, fields: &Map, name: &str) -> Vec<String> {
        let items = self.list(fields, name);
        let text = |item| self.typed(item, name, "a list of texts", Value::as_str).unwrap_or("").to_owned();
        items.iter().map(text).collect()
    }

    fn test(&mut self, value: &Value) -> TestFile {
        let fields = self.fields(value, "the test", TEST_FIELDS);
        let old_name = self.text(&fields, "name");
        let results = self.list(&fields, "results");
        TestFile {
            path: String::new(),
            is_deprecated: self.text(&fields, "apiVersion").is_empty()
                || self.text(&fields, "kind").is_empty()
                || !old_name.is_empty(),
            policies: distinct(self.texts(&fields, "policies")),
            resources: distinct(self.texts(&fields, "resources")),
            target_resources: self.texts(&fields, "targetResources"),
            param_resources: self.texts(&fields, "paramResources"),
            exceptions: self.texts(&fields, "exceptions"),
            cluster_resources: self.texts(&fields, "clusterResources"),
            variables: self.text(&fields, "variables"),
            user_info: self.text(&fields, "userinfo"),
            context: self.text(&fields, "context"),
            json_payloads: self.texts(&fields, "jsonPayloads"),
            http_payloads: self.texts(&fields, "httpPayloads"),
            envoy_payloads: self.texts(&fields, "envoyPayloads"),
            values: fields.get("values").cloned(),
            api_call_responses: self.list(&fields, "apiCallResponses"),
            global_context_entries: self.list(&fields, "globalContextEntries"),
            results: self.each("results", &results, Self::entry),
        }
    }

    fn entry(&mut self, value: &Value) -> Entry {
        let fields = self.fields(value, "results", ENTRY_FIELDS);
        for name in ENTRY_FIELDS.iter().filter(|name| name.starts_with("is")) {
            self.flag(&fields, name);
        }
        let specs = self.list(&fields, "resourceSpecs");
        let several = self.texts(&fields, "generatedResources");
        let one = self.text(&fields, "generatedResource");
        let names_several = !several.is_empty();
        let generated = if names_several || one.is_empty() { several } else { vec![one] };
        Entry {
            line: 0,
            policy: self.text(&fields, "policy"),
            rule: self.text(&fields, "rule"),
            kind: self.text(&fields, "kind"),
            result: self.text(&fields, "result"),
            operation: self.text(&fields, "operation"),
            deletes: self.flag(&fields, "isDeletingPolicy"),
            resources: fields.contains_key("resources").then(|| self.texts(&fields, "resources")),
            specs: self.each("resourceSpecs", &specs, Self::spec),
            patched: self.text(&fields, "patchedResources"),
            generated,
            names_several,
            clone_source: self.text(&fields, "cloneSourceResource"),
            fails_on_missing: self.flag(&fields, "failOnMissingResources"),
        }
    }

    fn spec(&mut self, value: &Value) -> Spec {
        let known = &["group", "version", "kind", "namespace", "subresource", "name"];
        let fields = self.fields(value, "resourceSpecs", known);
        let version = self.text(&fields, "version");
        Spec {
            api_version: match self.text(&fields, "group") {
                group if group.is_empty() => version,
                group => format!("{group}/{version}"),
            },
            kind: self.text(&fields, "kind"),
            namespace: self.text(&fields, "namespace"),
            name: self.text(&fields, "name"),
        }
    }
}

const TEST_FIELDS: &[&str] = &[
    "apiVersion",
    "kind",
    "metadata",
    "name",
    "policies",
    "resources",
    "jsonPayload",
    "jsonPayloads",
    "httpPayloads",
    "envoyPayloads",
    "targetResources",
    "variables",
    "paramResources",
    "userinfo",
    "results",
    "values",
    "exceptions",
    "context",
    "clusterResources",
    "apiCallResponses",
    "globalContextEntries",
];

const ENTRY_FIELDS: &[&str] = &[
    "policy",
    "rule",
    "isValidatingAdmissionPolicy",
    "isMutatingAdmissionPolicy",
    "isValidatingPolicy",
    "isDeletingPolicy",
    "isImageValidatingPolicy",
    "isGeneratingPolicy",
    "isMutatingPolicy",
    "result",
    "kind",
    "operation",
    "patchedResources",
    "generatedResource",
    "cloneSourceResource",
    "failOnMissingResources",
    "resources",
    "resourceSpecs",
    "generatedResources",
];

/// The texts without those that stand there already.
fn distinct(texts: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::with_capacity(texts.len());
    for text in texts {
        if !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept
}
