//! The fields of Kubernetes' own kinds, for completion and hovers in the editor.
//!
//! In: the source of the crate `k8s-openapi` at the version of the lock file, whose schemas are read as text: nothing of it
//! is compiled. Out: `kubernetes.json` with the type of each kind, and two files with the types of groups and versions, what most
//! people write in the first: `{"core.v1": {"Pod": {"": DOC, "spec": ["#core.v1.PodSpec", DOC], …}}}`, `!` before what is
//! required.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::choices::CHOICES;
use crate::project::Project;
use crate::say::{Done, Failure, at};

/// The crate that carries the schemas; the tests of the pod-security checks use it too.
const CRATE: &str = "k8s-openapi";
/// Groups and versions whose kinds most people write.
const COMMON: &[&str] =
    &["core.v1", "apps.v1", "batch.v1", "meta.v1", "networking.v1", "rbac.v1", "policy.v1", "autoscaling.v2"];
/// How deep a schema and the folders of the crate may nest.
const DEEPEST: usize = 40;
/// Types that say more by a word.
const WORDS: &[(&str, &str)] = &[
    ("resource.Quantity", "quantity"),
    ("intstr.IntOrString", "integer or string"),
    ("runtime.RawExtension", "any"),
    ("meta.v1.Time", "time"),
    ("meta.v1.MicroTime", "time"),
    ("meta.v1.FieldsV1", "any"),
];

/// What is written.
#[derive(Default)]
struct Schemas {
    /// `apiVersion kind`, and its type.
    kinds: BTreeMap<String, String>,
    /// Group and version, then the name of a type, then its fields.
    types: BTreeMap<String, BTreeMap<String, Value>>,
}

impl Schemas {
    /// Whether a row of the choices is about a field that there is.
    fn offers(&self, (type_name, field, texts): &(&str, &str, &str)) -> bool {
        let (group, name) = type_name.rsplit_once('.').unwrap_or_default();
        let row = self.types.get(group).and_then(|types| types.get(name)?.get(field)?.get(0)?.as_str());
        row.is_some_and(|held| held.ends_with(&format!("={texts}")))
    }
}

impl Schemas {
    /// The kinds and the fields of their types without words, as `engine/kinds` reads them.
    fn rows(&self) -> String {
        let mut rows: Vec<String> = self.kinds.iter().map(|(kind, of)| format!("={kind} {of}")).collect();
        let mut types: Vec<(String, &Value)> = Vec::new();
        for (group, of) in &self.types {
            types.extend(of.iter().map(|(name, fields)| (format!("{group}.{name}"), fields)));
        }
        types.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (name, fields) in types {
            rows.push(format!(":{name}"));
            let fields = fields.as_object().into_iter().flatten().filter(|(field, _)| !field.is_empty());
            let mut fields: Vec<String> = fields
                .map(|(field, row)| {
                    let held = row.get(0).and_then(Value::as_str).unwrap_or_default().trim_start_matches('!');
                    // A choice of texts is a text.
                    let held =
                        held.split_once('=').map_or_else(|| held.to_owned(), |(of, _)| format!("{of}string"));
                    format!("{field} {held}")
                })
                .collect();
            fields.sort();
            rows.extend(fields);
        }
        rows.join("\n") + "\n"
    }
}

/// Writes the files into a folder.
pub(crate) fn write(project: &Project, folder: &Path) -> Done {
    let mut schemas = Schemas::default();
    collect(&newest(&source(project)?)?, 0, &mut schemas)?;
    if !schemas.kinds.contains_key("v1 Pod") {
        return Err(Failure::new(format!("no Pod among the schemas of {CRATE}"), "their form has changed"));
    }
    if let Some((type_name, field, _)) = CHOICES.iter().find(|row| !schemas.offers(row)) {
        return Err(Failure::new(format!("{type_name} has no text {field}"), "fix xtask/src/choices.rs"));
    }
    hold_rows(project, &schemas)?;
    let index = folder.join("kubernetes.json");
    at(&index, fs::write(&index, json!(schemas.kinds).to_string()))?;
    let (common, other): (BTreeMap<_, _>, BTreeMap<_, _>) =
        schemas.types.into_iter().partition(|(group, _)| COMMON.contains(&group.as_str()));
    for (name, groups) in [("kubernetes-common", common), ("kubernetes-other", other)] {
        let path = folder.join(name).with_extension("json");
        at(&path, fs::write(&path, json!(groups).to_string()))?;
    }
    Ok(())
}

/// Holds the rows of `engine/kinds` against the schemas, or writes them where `UPDATE=1` asks for that.
fn hold_rows(project: &Project, schemas: &Schemas) -> Done {
    let path = project.path("engine/kinds/data/kinds.txt");
    let made = schemas.rows();
    if std::env::var_os("UPDATE").is_some() {
        return at(&path, fs::write(&path, made));
    }
    if at(&path, fs::read_to_string(&path))? == made {
        return Ok(());
    }
    let what = format!("{} is not what {CRATE} says", path.display());
    Err(Failure::new(what, "UPDATE=1 cargo xtask build --fast"))
}

/// The folder of the crate.
fn source(project: &Project) -> Done<PathBuf> {
    let metadata = project.metadata(&[])?;
    let packages = metadata.get("packages").and_then(Value::as_array).into_iter().flatten();
    let manifest =
        packages.filter(|package| word(package, "name") == CRATE).map(|p| word(p, "manifest_path")).next();
    let folder = manifest.and_then(|path| Path::new(path).parent());
    folder.map(Path::to_path_buf).ok_or_else(|| {
        Failure::new(format!("{CRATE} is not a dependency any more"), "the editor's schemas are read from it")
    })
}

/// Its newest release of Kubernetes: `src/v1_36`.
fn newest(root: &Path) -> Done<PathBuf> {
    let folder = root.join("src");
    let entries = at(&folder, fs::read_dir(&folder))?;
    let minor = |path: &Path| path.file_name()?.to_str()?.strip_prefix("v1_")?.parse::<u32>().ok();
    let found = entries.flatten().filter_map(|entry| Some((minor(&entry.path())?, entry.path()))).max();
    found
        .map(|(_, path)| path)
        .ok_or_else(|| Failure::new(format!("no release in {CRATE}"), "look into its `src`"))
}

fn collect(folder: &Path, depth: usize, schemas: &mut Schemas) -> Done {
    for entry in at(folder, fs::read_dir(folder))? {
        let path = at(folder, entry)?.path();
        if path.is_dir() && depth < DEEPEST {
            collect(&path, depth + 1, schemas)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            read(&at(&path, fs::read_to_string(&path))?, schemas);
        }
    }
    Ok(())
}

/// Reads one file of the crate: one type.
fn read(text: &str, schemas: &mut Schemas) {
    let between = |start: &str, end: &str| Some(text.split_once(start)?.1.split_once(end)?.0);
    let Some(full) = between("fn schema_name() -> std::borrow::Cow<'static, str> {\n        \"io.k8s.", "\"")
    else {
        return;
    };
    let Some((_, body)) = text.split_once("crate::schemars::json_schema!(") else { return };
    let (group, name) = split(full);
    let schema = Reader { rest: body }.value(0);
    if is_passed_over(group, name) || schema.get("properties").is_none() {
        return;
    }
    let constant = |name: &str| between(&format!("const {name}: &'static str = \""), "\"");
    if let (Some(version), Some(kind)) = (constant("API_VERSION"), constant("KIND")) {
        schemas.kinds.insert(format!("{version} {kind}"), format!("{group}.{name}"));
    }
    let mut fields = Map::new();
    fields.insert(String::new(), json!(word(&schema, "description")));
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    for (field, of) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let mark = if required.iter().any(|name| name == field) { "!" } else { "" };
        let known = CHOICES
            .iter()
            .find(|(type_name, key, _)| *key == field && *type_name == format!("{group}.{name}"));
        let held = known
            .map_or_else(|| holds(of), |(_, _, texts)| holds(of).replace("string", &format!("={texts}")));
        let row = json!([format!("{mark}{held}"), word(of, "description")]);
        fields.insert(field.clone(), row);
    }
    schemas.types.entry(group.to_owned()).or_default().insert(name.to_owned(), Value::Object(fields));
}

/// Nobody writes what the cluster says of an object, and hardly anybody has kinds that are off unless one asks for them.
fn is_passed_over(group: &str, name: &str) -> bool {
    name.ends_with("Status") || group.contains("alpha")
}

/// `api.core.v1.Pod` is the type `Pod` of `core.v1`.
fn split(full: &str) -> (&str, &str) {
    let (path, name) = full.rsplit_once('.').unwrap_or(("", full));
    let dots: Vec<usize> = path.rmatch_indices('.').map(|(at, _)| at + 1).collect();
    (path.get(dots.get(1).copied().unwrap_or(0)..).unwrap_or(path), name)
}

/// What a field holds, in a few letters: `[]` a list, `{}` a map, `#GROUP.VERSION.TYPE` a type.
fn holds(schema: &Value) -> String {
    if schema.get("$ref").is_some() {
        let (group, name) = split(word(schema, "$ref"));
        let full = format!("{group}.{name}");
        let plain = WORDS.iter().find(|(end, _)| full.ends_with(end)).map(|(_, plain)| *plain);
        let known = if is_passed_over(group, name) { Some("any") } else { plain };
        return known.map_or_else(|| format!("#{full}"), str::to_owned);
    }
    let inner = |key: &str| schema.get(key).filter(|of| of.is_object()).map(holds);
    match word(schema, "type") {
        "array" => format!("[]{}", inner("items").unwrap_or_default()),
        "object" => inner("additionalProperties").map_or_else(|| "any".to_owned(), |of| format!("{{}}{of}")),
        "string" if word(schema, "format") == "byte" => "base64".to_owned(),
        plain @ ("string" | "integer" | "boolean" | "number") => plain.to_owned(),
        _ => "any".to_owned(),
    }
}

/// A text of a map; empty where there is none.
fn word<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

/// Reads a schema as the crate's source writes it: JSON with commas at the end, and Rust in round brackets where another
/// type is meant.
struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn value(&mut self, depth: usize) -> Value {
        self.skip();
        if depth > DEEPEST {
            return Value::Null;
        }
        if self.take("{") {
            let mut map = Map::new();
            while !self.ends("}") {
                let key = self.text();
                self.skip();
                self.take(":");
                map.insert(key, self.value(depth + 1));
            }
            return Value::Object(map);
        }
        if self.take("[") {
            let mut list = Vec::new();
            while !self.ends("]") {
                list.push(self.value(depth + 1));
            }
            return Value::Array(list);
        }
        if self.rest.starts_with('"') {
            return Value::String(self.text());
        }
        if self.take("(") {
            return self.reference();
        }
        let end = self.rest.find([',', '}', ']', ')']).unwrap_or(self.rest.len());
        self.rest = self.rest.get(end..).unwrap_or("");
        Value::Null
    }

    /// `__gen.subschema_for::<crate::api::core::v1::PodSpec>()`, perhaps with a description of its own.
    fn reference(&mut self) -> Value {
        let is_block = self.take("{");
        let path = self.after("subschema_for::<crate::").split('>').next().unwrap_or("").replace("::", ".");
        let mut found = Map::new();
        found.insert("$ref".to_owned(), Value::String(path));
        if is_block {
            self.after("\"description\".into(), ");
            found.insert("description".to_owned(), Value::String(self.text()));
        }
        self.after(if is_block { "})" } else { ">())" });
        Value::Object(found)
    }

    /// A text in quotes; the empty one where there is none.
    fn text(&mut self) -> String {
        self.skip();
        let mut text = String::new();
        let mut letters = self.rest.char_indices();
        if letters.next().is_none_or(|(_, quote)| quote != '"') {
            // What cannot be read ends the file.
            self.rest = "";
            return text;
        }
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.rest = self.rest.get(at + 1..).unwrap_or("");
                    break;
                }
                '\\' => match letters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, other)) => text.push(other),
                    None => {}
                },
                other => text.push(other),
            }
        }
        text
    }

    /// Goes behind a word and returns what follows; to the end where there is none.
    fn after(&mut self, word: &str) -> &'t str {
        self.rest = self.rest.split_once(word).map_or("", |(_, rest)| rest);
        self.rest
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\n', ',']);
    }

    fn take(&mut self, word: &str) -> bool {
        let rest = self.rest.strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Whether a list or map ends here; at the end of the text all do.
    fn ends(&mut self, word: &str) -> bool {
        self.skip();
        self.take(word) || self.rest.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
impl crate::Resource for Thing {
    const API_VERSION: &'static str = "example/v1";
    const KIND: &'static str = "Thing";
}
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "io.k8s.api.example.v1.Thing".into()
    }
        crate::schemars::json_schema!({
            "description": "A thing (with \"brackets\").",
            "type": "object",
            "properties": {
                "names": {"description": "All names.\nEach once.", "type": "array", "items": {"type": "string"},},
                "parts": {
                    "type": "object",
                    "additionalProperties": (__gen.subschema_for::<crate::api::core::v1::Part>()),
                },
                "size": (__gen.subschema_for::<crate::apimachinery::pkg::api::resource::Quantity>()),
                "spec": ({
                    let mut schema_obj = __gen.subschema_for::<crate::api::example::v1::ThingSpec>();
                    schema_obj.ensure_object().insert("description".into(), "What it is (wanted to be).".into());
                    schema_obj
                }),
                "status": (__gen.subschema_for::<crate::api::example::v1::ThingStatus>()),
            },
            "required": [
                "spec",
            ],
        })
"#;

    #[test]
    fn a_type_is_read_from_the_source() {
        let mut schemas = Schemas::default();
        read(FILE, &mut schemas);
        let kind = schemas.kinds.get("example/v1 Thing").map(String::as_str);
        assert_eq!(kind, Some("example.v1.Thing"));
        let wanted = json!({
            "": "A thing (with \"brackets\").",
            "names": ["[]string", "All names.\nEach once."],
            "parts": ["{}#core.v1.Part", ""],
            "size": ["quantity", ""],
            "spec": ["!#example.v1.ThingSpec", "What it is (wanted to be)."],
            "status": ["any", ""],
        });
        let thing = schemas.types.get("example.v1").and_then(|types| types.get("Thing"));
        assert_eq!(thing, Some(&wanted));
    }

    #[test]
    fn the_rows_of_the_crate_of_kinds_are_those_of_the_schemas() {
        let project = Project::find().unwrap();
        let mut schemas = Schemas::default();
        collect(&newest(&source(&project).unwrap()).unwrap(), 0, &mut schemas).unwrap();
        let written = fs::read_to_string(project.path("engine/kinds/data/kinds.txt")).unwrap();
        let made = schemas.rows();
        let other = made.lines().zip(written.lines()).find(|(made, written)| made != written);
        assert_eq!(other, None, "UPDATE=1 cargo xtask build --fast");
        assert_eq!(made.len(), written.len());
    }
}
