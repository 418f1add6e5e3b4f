//! The table of Kubernetes' kinds, held against the sources of the release that it names.
//!
//! In: the folder with the modules of Go, named by `KUBERNETES_SOURCES`: `GOPATH/pkg/mod/k8s.io` after `go mod download` of k8s.io/api,
//! apimachinery, apiextensions-apiserver, kube-aggregator at v0.36.3 and of k8s.io/kubernetes at v1.36.3. Out: the rows of
//! `data/kubernetes.txt`, which `UPDATE=1` writes. Without the folder only the table itself is looked at.

use crate::go::{Declared, Field, Form};
use crate::setters;
use crate::sources::Sources;
use engine_json::{Value, parse};
use engine_kubernetes::is_filled_by_hand;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const HEAD: &str = "# Kubernetes 1.36.3: made by `UPDATE=1 KUBERNETES_SOURCES=… cargo test -p engine-kubernetes table`; what a row says is in `src/table.rs`.\n";

/// Types that are written as one word.
const WORDS: [(&str, &str); 14] = [
    ("api.resource.Quantity", "quantity"),
    ("util.intstr.IntOrString", "intstr"),
    ("runtime.RawExtension", "raw"),
    ("meta.v1.Time", "time"),
    ("meta.v1.MicroTime", "microtime"),
    ("meta.v1.Duration", "duration"),
    ("meta.v1.FieldsV1", "raw"),
    ("apiextensions.v1.JSON", "raw"),
    ("apiextensions.v1.JSONSchemaPropsOrBool", "raw"),
    ("apiextensions.v1.JSONSchemaPropsOrArray", "raw"),
    ("apiextensions.v1.JSONSchemaPropsOrStringArray", "raw"),
    ("types.UID", "string"),
    ("types.NodeName", "string"),
    ("util.intstr.Type", "int64"),
];

/// Types that are filled in with the time of the request, which `created` knows.
const NO_VALUE: [&str; 4] = [
    "resource.v1.DeviceTaint",
    "resource.v1alpha3.DeviceTaint",
    "resource.v1beta1.DeviceTaint",
    "resource.v1beta2.DeviceTaint",
];

struct Maker<'s> {
    sources: &'s Sources,
    /// The types that are to be written, and those that are.
    waiting: BTreeSet<(String, String)>,
    written: BTreeMap<String, String>,
    /// The rows of the functions that could be read, by type.
    defaults: BTreeMap<String, Vec<setters::Row>>,
}

impl Maker<'_> {
    /// The rows of kinds, of all files that say what a version has.
    fn kinds(&mut self) -> String {
        let mut rows = BTreeSet::new();
        for entry in std::fs::read_dir(self.sources.module("kubernetes@v1.").join("api/discovery")).unwrap() {
            let document = parse(&std::fs::read_to_string(entry.unwrap().path()).unwrap()).unwrap();
            let version = document.find_str(&["groupVersion"]);
            let (group, name) = version.split_once('/').unwrap_or(("", version));
            let package = format!("{}.{name}", folder_of(group));
            let is_own = |resource: &&Value| !resource.find_str(&["name"]).contains('/');
            for resource in list(&document, "resources").iter().filter(is_own) {
                let kind = resource.find_str(&["kind"]);
                self.waiting.insert((package.clone(), kind.to_owned()));
                let short: Vec<_> = list(resource, "shortNames").iter().filter_map(Value::as_str).collect();
                let is_namespaced = resource.get("namespaced") == Some(&Value::Bool(true));
                rows.insert(format!(
                    "={version} {kind} {} {} {}{package}.{kind}{}\n",
                    resource.find_str(&["name"]),
                    if is_namespaced { "namespaced" } else { "cluster" },
                    if self.sources.fills_in(&package, kind) { "~" } else { "" },
                    if short.is_empty() { String::new() } else { format!(" {}", short.join(",")) },
                ));
            }
        }
        rows.into_iter().collect()
    }

    fn types(&mut self) {
        while let Some((package, name)) = self.waiting.pop_first() {
            let full = format!("{package}.{name}");
            if self.written.contains_key(&full) {
                continue;
            }
            let sources = self.sources;
            let declared = sources.package(&package).and_then(|package| package.types.get(&name));
            let declared = declared.unwrap_or_else(|| panic!("{full} is not declared"));
            let text = self.type_rows(&package, &name, declared);
            self.written.insert(full, text);
        }
    }

    fn type_rows(&mut self, package: &str, name: &str, declared: &Declared) -> String {
        let full = format!("{package}.{name}");
        match &declared.form {
            Form::Same(of) => {
                let of = self.written_type(of, package, declared, "");
                let texts = if declared.markers.iter().any(|marker| marker == "enum") {
                    self.texts(package, name)
                } else {
                    String::new()
                };
                format!(":{full} {of}{texts}\n")
            }
            Form::Struct(_) => {
                let is_atomic = declared.markers.iter().any(|marker| marker == "structType=atomic");
                let mut rows = BTreeMap::new();
                let mut filled = BTreeMap::new();
                self.struct_rows(package, name, "", &mut rows, &mut filled);
                let mut text = format!(":{full}{}\n", if is_atomic { " !" } else { "" });
                text.extend(rows.values().map(String::as_str));
                for (path, value) in filled {
                    let _ = writeln!(text, "~{path} {value}");
                }
                text
            }
        }
    }

    /// The texts that a type may hold.
    fn texts(&self, package: &str, name: &str) -> String {
        let home = self.sources.package(package).unwrap();
        let of = home.constants.values().filter(|constant| constant.of == name);
        let texts: BTreeSet<&str> = of.map(|constant| constant.value.trim_matches('"')).collect();
        texts.into_iter().flat_map(|text| [" ", if text.is_empty() { "\"\"" } else { text }]).collect()
    }

    /// The fields of a struct and of those that are embedded in it.
    fn struct_rows(
        &mut self,
        package: &str,
        name: &str,
        embedded: &str,
        rows: &mut BTreeMap<String, String>,
        filled: &mut BTreeMap<String, String>,
    ) {
        let sources = self.sources;
        let declared = sources.package(package).and_then(|package| package.types.get(name));
        let declared = declared.unwrap_or_else(|| panic!("{package}.{name} is not declared"));
        let fields = match &declared.form {
            Form::Struct(fields) => fields,
            Form::Same(of) => {
                let (package, name) = sources.resolve(of, package, &declared.imports);
                return self.struct_rows(&package, &name, embedded, rows, filled);
            }
        };
        filled.extend(self.defaults.get(&format!("{package}.{name}")).into_iter().flatten().cloned());
        for field in fields.iter().filter(|field| field.json != "-") {
            if field.go_name.is_empty() && field.json.is_empty() {
                let (package, name) =
                    sources.resolve(field.of.trim_start_matches('*'), package, &declared.imports);
                let embedded = format!("{}{}{name}", embedded, if embedded.is_empty() { " <" } else { "." });
                self.struct_rows(&package, &name, &embedded, rows, filled);
                continue;
            }
            if let Some(default) = field.marked("default=").first() {
                let named = default.strip_prefix("ref(").and_then(|rest| rest.strip_suffix(')'));
                let value = named.map_or_else(
                    || Some((*default).to_owned()),
                    |name| sources.constant(name, package, &declared.imports),
                );
                filled
                    .insert(field.json.clone(), value.unwrap_or_else(|| panic!("{}: {default}", field.json)));
            }
            let of = self.written_type(&field.of, package, declared, &listed(field));
            // Every kind embeds this one; nobody asks for the path to `kind`.
            let embedded = if embedded == " <TypeMeta" { "" } else { embedded };
            let row = format!("{} {of}{}{embedded}\n", field.json, flags(field));
            rows.insert(field.json.clone(), row);
        }
    }

    /// A type as the table writes it; `keys` are those of a list, with what is before them.
    fn written_type(&mut self, of: &str, package: &str, declared: &Declared, keys: &str) -> String {
        let of = of.trim_start_matches('*');
        if of == "[]byte" {
            return "bytes".to_owned();
        }
        if let Some(element) = of.strip_prefix("[]") {
            return format!("[{}{}]", keys, self.written_type(element, package, declared, ""));
        }
        if let Some((_, element)) = of.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
            return format!("{{{}{}}}", keys, self.written_type(element, package, declared, ""));
        }
        if matches!(
            of,
            "string"
                | "bool"
                | "int"
                | "int32"
                | "int64"
                | "uint16"
                | "uint32"
                | "uint64"
                | "float32"
                | "float64"
                | "int16"
                | "uint8"
        ) {
            return of.to_owned();
        }
        let (home, name) = self.sources.resolve(of, package, &declared.imports);
        let full = format!("{home}.{name}");
        if let Some((_, word)) = WORDS.iter().find(|(name, _)| *name == full) {
            return (*word).to_owned();
        }
        assert!(!home.is_empty(), "{of} in {package} is of no package");
        self.waiting.insert((home, name));
        format!("#{full}{keys}")
    }
}

/// How the items of a list are merged, or whether a map is replaced as a whole, as the table writes it before the items.
fn listed(field: &Field) -> String {
    if field.of.starts_with("map[") || field.of.contains("ResourceList") {
        let is_atomic = field.marked("mapType=").contains(&"atomic");
        return if is_atomic { "!".to_owned() } else { String::new() };
    }
    if !field.of.starts_with("[]") {
        return if field.marked("structType=").contains(&"atomic") { "!".to_owned() } else { String::new() };
    }
    match field.marked("listType=").first() {
        Some(&"atomic") => String::new(),
        Some(&"set") => "=".to_owned(),
        Some(&"map") => format!("{}=", field.marked("listMapKey=").join(",")),
        _ => match field.tagged("patchStrategy") {
            Some("merge" | "merge,retainKeys") => format!("{}=", field.tagged("patchMergeKey").unwrap_or("")),
            _ => String::new(),
        },
    }
}

fn flags(field: &Field) -> String {
    let is_optional = field.has("omitempty") || field.markers.iter().any(|marker| marker == "optional");
    let is_required = field.markers.iter().any(|marker| marker == "required") || !is_optional;
    let flags: String = [
        (field.has("omitempty"), '?'),
        (field.has("omitzero"), '0'),
        (field.of.starts_with('*'), '*'),
        (is_required, '!'),
    ]
    .into_iter()
    .filter_map(|(is_so, flag)| is_so.then_some(flag))
    .collect();
    if flags.is_empty() { flags } else { format!(" {flags}") }
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).unwrap_or_default()
}

/// The folder of k8s.io/api with the types of a group.
fn folder_of(group: &str) -> &str {
    match group.split('.').next().unwrap_or("") {
        "" => "core",
        "internal" => "apiserverinternal",
        first => first,
    }
}

/// The rows that functions say, by type, and the types of the functions that say more.
fn defaults(sources: &Sources) -> (BTreeMap<String, Vec<setters::Row>>, BTreeSet<String>) {
    let (mut read, mut by_hand) = (BTreeMap::new(), BTreeSet::new());
    for package in sources.of_server() {
        for (name, function) in &package.functions {
            let Some(of) =
                name.strip_prefix("SetDefaults_").and_then(|_| setters::subject(function, sources))
            else {
                continue;
            };
            let full = format!("{}.{}", of.0, of.1);
            match setters::rows(function, (&of.0, &of.1), package, sources) {
                Some(rows) => {
                    read.insert(full, rows);
                }
                None => {
                    by_hand.insert(full);
                }
            }
        }
    }
    (read, by_hand)
}

fn made(folder: &Path) -> (String, BTreeSet<String>) {
    let sources = Sources::read(folder);
    let (defaults, by_hand) = defaults(&sources);
    let mut maker = Maker { sources: &sources, waiting: BTreeSet::new(), written: BTreeMap::new(), defaults };
    let kinds = maker.kinds();
    maker.types();
    let by_hand = by_hand.into_iter().filter(|name| maker.written.contains_key(name)).collect();
    (HEAD.to_owned() + &kinds + &maker.written.into_values().collect::<String>(), by_hand)
}

#[test]
fn table_is_what_the_sources_say() {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/kubernetes.txt");
    if let Some(folder) = std::env::var_os("KUBERNETES_SOURCES") {
        let (made, by_hand) = made(Path::new(&folder));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &made).unwrap();
        }
        let known = |name: &&String| !NO_VALUE.contains(&name.as_str()) && !is_filled_by_hand(name);
        let missing: Vec<&String> = by_hand.iter().filter(known).collect();
        assert!(missing.is_empty(), "no function fills in {missing:?}");
        let kept = std::fs::read_to_string(&path).unwrap();
        for (line, (made, kept)) in made.lines().zip(kept.lines()).enumerate() {
            assert_eq!(made, kept, "line {}", line + 1);
        }
        assert_eq!(made.lines().count(), kept.lines().count());
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    for row in [
        "=v1 Pod pods namespaced ~core.v1.Pod po",
        "containers [name=#core.v1.Container] !",
        "nodeSelector {!string} ?",
    ] {
        assert!(kept.lines().any(|line| line == row), "{row}");
    }
}
