//! The table of Kubernetes' types by which patches are merged, held against the published OpenAPI.
//!
//! In: the folder `api/openapi-spec/v3` of Kubernetes 1.32 (or any folder with its files), named by `KUBERNETES_OPENAPI`. Out: the
//! rows of `engine/celpolicy/data/types.txt`, which `UPDATE=1` writes. Without the folder only the table itself is looked at.
//! Mirrors: k8s.io/kube-openapi pkg/schemaconv.

#![expect(clippy::unwrap_used, reason = "a test ends with the reason")]

use engine::json::{Map, Value, parse, to_json};
use engine_celpolicy::patch::EVERYWHERE;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The beginning of the file.
const HEAD: &str = "# Kubernetes 1.32, api/openapi-spec/v3: made by `UPDATE=1 KUBERNETES_OPENAPI=… cargo test -p tests --test all merge_types::`.\n";

/// The schemas of all files by name.
type Schemas = BTreeMap<String, Value>;

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, into);
        } else if path.extension().is_some_and(|ext| ext == "json") {
            into.push(path);
        }
    }
}

fn schemas(folder: &Path) -> Schemas {
    let mut paths = Vec::new();
    files(folder, &mut paths);
    let mut all = Schemas::new();
    for path in paths {
        let document = parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let found = document.find(&["components", "schemas"]).and_then(Value::as_object);
        for (name, schema) in found.into_iter().flat_map(Map::iter) {
            let known = all.insert(name.to_string(), schema.clone());
            assert!(known.is_none_or(|known| known == *schema), "{name} is declared twice");
        }
    }
    all
}

/// The name without what all names of a project begin with.
fn short(name: &str) -> &str {
    let begins = [
        "io.k8s.api.",
        "io.k8s.apimachinery.pkg.apis.",
        "io.k8s.apimachinery.pkg.",
        "io.k8s.apiextensions-apiserver.pkg.apis.",
        "io.k8s.kube-aggregator.pkg.apis.",
    ];
    begins.iter().find_map(|begin| name.strip_prefix(begin)).unwrap_or(name)
}

fn word<'a>(schema: &'a Value, field: &str) -> &'a str {
    schema.get(field).and_then(Value::as_str).unwrap_or("")
}

/// The name of the type that a schema refers to.
fn reference(schema: &Value) -> Option<&str> {
    let inner = || schema.get("allOf").and_then(Value::as_array).filter(|all| all.len() == 1)?.first();
    let target = match word(schema, "$ref") {
        "" => word(inner()?, "$ref"),
        target => target,
    };
    target.rsplit('/').next().filter(|name| !name.is_empty())
}

/// A type as the table writes it.
fn written(schema: &Value) -> String {
    let is_atomic = word(schema, "x-kubernetes-map-type") == "atomic";
    if let Some(name) = reference(schema) {
        return format!("#{}{}", short(name), if is_atomic { "!" } else { "" });
    }
    match word(schema, "type") {
        "integer" | "number" => "n".to_owned(),
        "boolean" => "b".to_owned(),
        "string" => if matches!(word(schema, "format"), "" | "byte") { "s" } else { "u" }.to_owned(),
        "array" => {
            let element = written(schema.get("items").unwrap());
            let keys = list_keys(schema);
            format!("[{}{element}]", keys.map(|keys| format!("{}=", keys.join(","))).unwrap_or_default())
        }
        "object" => {
            assert!(schema.get("properties").is_none(), "an object within an object: {}", to_json(schema));
            let element = schema.get("additionalProperties").filter(|of| of.as_object().is_some());
            let element = element.map_or_else(|| "d".to_owned(), written);
            format!("{{{}{element}}}", if is_atomic { "!" } else { "" })
        }
        _ => "d".to_owned(),
    }
}

/// The keys of a list by which its items are merged, none for a set; `None` for one that is replaced as a whole.
fn list_keys(schema: &Value) -> Option<Vec<String>> {
    match word(schema, "x-kubernetes-list-type") {
        "atomic" => None,
        "set" => Some(Vec::new()),
        "map" => {
            let keys = schema.get("x-kubernetes-list-map-keys").and_then(Value::as_array).unwrap();
            Some(keys.iter().map(|key| key.as_str().unwrap().to_owned()).collect())
        }
        _ => match word(schema, "x-kubernetes-patch-strategy") {
            "merge" | "merge,retainKeys" => {
                let key = word(schema, "x-kubernetes-patch-merge-key");
                Some(if key.is_empty() { Vec::new() } else { vec![key.to_owned()] })
            }
            _ => None,
        },
    }
}

/// The fields that are keys of lists, by type.
fn keys(schemas: &Schemas) -> BTreeSet<(String, String)> {
    let mut keys = BTreeSet::new();
    for schema in schemas.values() {
        let fields = schema.get("properties").and_then(Value::as_object);
        for (_, field) in fields.into_iter().flat_map(Map::iter) {
            let Some(element) = field.get("items").and_then(reference) else { continue };
            for key in list_keys(field).into_iter().flatten() {
                keys.insert((element.to_owned(), key));
            }
        }
    }
    keys
}

fn table(schemas: &Schemas) -> String {
    let keys = keys(schemas);
    let mut versions: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
    let mut types = String::new();
    for (name, schema) in schemas {
        let of = schema.get("x-kubernetes-group-version-kind").and_then(Value::as_array).unwrap_or_default();
        for kind in of {
            let (group, version) = (word(kind, "group"), word(kind, "version"));
            let version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
            versions
                .entry(version)
                .or_default()
                .insert((word(kind, "kind").to_owned(), short(name).to_owned()));
        }
        let fields = schema.get("properties").and_then(Value::as_object);
        // Kubernetes: schemaconv knows these two by their names.
        let plain = match short(name) {
            "api.resource.Quantity" => Some("u".to_owned()),
            "runtime.RawExtension" => Some("a".to_owned()),
            _ if fields.is_none() => Some(written(schema)),
            _ => None,
        };
        if let Some(plain) = plain {
            let _ = writeln!(types, ":{} {plain}", short(name));
            continue;
        }
        let is_atomic = word(schema, "x-kubernetes-map-type") == "atomic";
        let _ = writeln!(types, ":{}{}", short(name), if is_atomic { " !" } else { "" });
        let mut rows: Vec<_> = fields.unwrap().iter().collect();
        rows.sort_by_key(|(field, _)| (*field).clone());
        for (field, of) in rows {
            let default = of.get("default").filter(|_| keys.contains(&(name.clone(), field.to_string())));
            let default = default.map(|value| format!(" {}", to_json(value))).unwrap_or_default();
            let _ = writeln!(types, "{field} {}{default}", written(of));
        }
    }
    rows_of(versions).into_iter().fold(HEAD.to_owned(), |text, row| text + &row) + &types
}

/// The rows of kinds: without those that every version has, and a version that has no others alone.
fn rows_of(versions: BTreeMap<String, BTreeSet<(String, String)>>) -> BTreeSet<String> {
    let mut rows = BTreeSet::new();
    for (version, mut kinds) in versions {
        for (kind, of) in EVERYWHERE {
            assert!(kinds.remove(&(kind.to_owned(), of.to_owned())), "{version} has no {kind}");
        }
        if kinds.is_empty() {
            rows.insert(format!("={version}\n"));
        }
        rows.extend(kinds.into_iter().map(|(kind, of)| format!("={version} {kind} {of}\n")));
    }
    rows
}

#[test]
fn the_table_is_what_the_published_openapi_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/celpolicy/data/types.txt");
    if let Some(folder) = std::env::var_os("KUBERNETES_OPENAPI") {
        let made = table(&schemas(Path::new(&folder)));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &made).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap();
        for (line, (made, kept)) in made.lines().zip(kept.lines()).enumerate() {
            assert_eq!(made, kept, "line {}", line + 1);
        }
        assert_eq!(made.lines().count(), kept.lines().count());
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    for row in [
        "containers [name=#core.v1.Container]",
        "nodeSelector {!s}",
        "ports [containerPort,protocol=#core.v1.ContainerPort]",
    ] {
        assert!(kept.lines().any(|line| line == row), "{row}");
    }
}
