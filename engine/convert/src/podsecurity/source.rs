//! What is compiled: a level in a small YAML.
//!
//! In: `{level: restricted, version: v1.32, exclude: […]}`. Out: a [`Source`], or what is wrong, with lines.

use engine_json::{Map, Path, Str, Value};
use engine_podsecurity::admission::{dns_label, dns_subdomain};
use engine_podsecurity::exclude::{CONTROLS, Exclusion, Images};
use engine_podsecurity::{Level, Version};
use engine_yaml::{LineIndex, Source as Text, SourceId};

/// Whose checks are meant: the two differ where a version is older than a check, and where one check replaces another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standard {
    /// Kubernetes' Pod Security Admission.
    Kubernetes,
    /// Kyverno's `podSecurity` rule.
    Kyverno,
}

/// What is compiled.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name of what is made.
    pub name: String,
    /// The level.
    pub level: Level,
    /// The version.
    pub version: Version,
    /// Whose checks.
    pub standard: Standard,
    /// What is excluded.
    pub exclusions: Vec<Exclusion>,
    /// `Deny`, `Warn`, `Audit`.
    pub actions: Vec<String>,
    /// Plurals of the controllers of which the templates are asked.
    pub controllers: Vec<String>,
    /// Names and expressions on which a request counts.
    pub conditions: Vec<(String, String)>,
    /// `namespaceSelector` and `objectSelector`.
    pub selectors: Map,
    /// Namespaces that are exempt.
    pub namespaces: Vec<String>,
    /// Users that are exempt.
    pub usernames: Vec<String>,
    /// Runtime classes that are exempt.
    pub runtime_classes: Vec<String>,
    /// What else is taken over of the policy that the rule is of.
    pub policy: OfPolicy,
}

/// What is taken over of a policy of Kyverno beside its rule.
#[derive(Clone, Debug, Default)]
pub struct OfPolicy {
    /// The namespace of a Policy; nothing of a ClusterPolicy and of a level.
    pub namespace: Option<String>,
    /// The operations that the rule is for; none where it names none.
    pub operations: Vec<String>,
    /// `match` and `exclude` as they are written.
    pub selected: Map,
    /// `spec` as it is written, but for its rules and actions.
    pub spec: Map,
    /// Whether updates of what failed before are let in.
    pub allows_existing_violations: bool,
}

/// Something that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1 on.
    pub line: u32,
    /// The field.
    pub field: String,
    /// What is wrong.
    pub text: String,
}

/// All controllers whose templates are asked, as plurals.
pub(super) const CONTROLLERS: [&str; 7] =
    ["cronjobs", "daemonsets", "deployments", "jobs", "replicasets", REPLICATION, "statefulsets"];
/// The one that autogen of policies in CEL does not know.
pub(super) const REPLICATION: &str = "replicationcontrollers";

impl Source {
    /// A level of a version, with nothing excluded.
    pub fn new(level: Level, version: Version) -> Source {
        Source {
            name: format!("pod-security-{level}"),
            level,
            version,
            standard: Standard::Kubernetes,
            exclusions: Vec::new(),
            actions: vec!["Deny".to_owned()],
            controllers: CONTROLLERS.map(str::to_owned).to_vec(),
            conditions: Vec::new(),
            selectors: Map::new(),
            namespaces: Vec::new(),
            usernames: Vec::new(),
            runtime_classes: Vec::new(),
            policy: OfPolicy::default(),
        }
    }
}

/// What is wrong, by fields.
pub(super) type Wrong = Vec<(Path, String)>;

/// Reads levels in YAML, one a document.
pub fn read_level(name: &str, text: &str) -> Result<Vec<Source>, Vec<Fault>> {
    let read = |document: &Value, wrong: &mut Wrong| vec![level(document, wrong)];
    sources(name, text, "there is no level", read)
}

/// What the documents of a text are read as; its faults where there are some, or where nothing is read.
pub(super) fn sources(
    name: &str,
    text: &str,
    if_none: &str,
    mut read: impl FnMut(&Value, &mut Wrong) -> Vec<Source>,
) -> Result<Vec<Source>, Vec<Fault>> {
    let source = Text { id: SourceId(0), name: name.to_owned(), text: text.into() };
    let parsed = engine_yaml::parse(&source, &engine_yaml::Options::default());
    let lines = LineIndex::new(text);
    let mut faults: Vec<Fault> = parsed
        .findings
        .iter()
        .map(|finding| Fault {
            line: lines.position(finding.span.start).0,
            field: String::new(),
            text: finding.message.clone(),
        })
        .collect();
    let mut sources = Vec::new();
    for document in parsed.documents.iter().filter(|document| !document.value.is_null()) {
        let mut wrong = Wrong::new();
        sources.extend(read(&document.value, &mut wrong));
        let spans = (!wrong.is_empty()).then(|| document.spans(text));
        for (path, text) in wrong {
            let at =
                spans.as_ref().map(|spans| spans.key_span(&path).unwrap_or_else(|| spans.deepest(&path).1));
            let line = at.map_or(1, |span| lines.position(span.start).0);
            faults.push(Fault { line, field: path.to_string(), text });
        }
    }
    if sources.is_empty() && faults.is_empty() {
        faults.push(Fault { line: 1, field: String::new(), text: if_none.to_owned() });
    }
    if faults.is_empty() { Ok(sources) } else { Err(faults) }
}

const FIELDS: &[&str] = &["name", "level", "version", "action", "controllers", "exclude", "exemptions"];
const EXEMPTIONS: &[&str] = &["namespaces", "usernames", "runtimeClasses"];

fn level(value: &Value, wrong: &mut Wrong) -> Source {
    let root = Path::root();
    if value.get("level").is_none() && value.get("kind").is_some() {
        let words = "neither a level (`level: restricted`) nor a ClusterPolicy".to_owned();
        wrong.push((root.join("kind"), words));
        return Source::new(Level::Restricted, Version::Latest);
    }
    known(value, &root, FIELDS, wrong);
    let text = |key: &'static str, wrong: &mut Wrong| match value.get(key) {
        None => None,
        Some(Value::String(text)) => Some(text.to_string()),
        Some(_) => {
            wrong.push((root.join(key), "must be a string".to_owned()));
            None
        }
    };
    let written = text("level", wrong);
    let level = written.as_deref().and_then(Level::parse);
    if level.is_none_or(|level| level == Level::Privileged) {
        let begin = if value.get("level").is_none() { "is required: " } else { "" };
        wrong.push((root.join("level"), format!("{begin}must be one of baseline, restricted")));
    }
    let version = match value.get("version") {
        Some(number @ Value::Number(_)) => Some(engine_json::to_json(number)),
        _ => text("version", wrong),
    };
    let read = version.as_deref().map_or(Some(Version::Latest), Version::parse);
    if read.is_none() {
        let written = version.as_deref().unwrap_or_default();
        wrong.push((root.join("version"), format!("{}{}", Version::MUST_BE, without_v(written))));
    }
    let mut source = Source::new(level.unwrap_or(Level::Restricted), read.unwrap_or(Version::Latest));
    if let Some(name) = text("name", wrong) {
        wrong.extend(dns_subdomain(&name).into_iter().map(|words| (root.join("name"), words)));
        source.name = name;
    }
    if let Some(action) = text("action", wrong) {
        if !["Deny", "Warn", "Audit"].contains(&action.as_str()) {
            wrong.push((root.join("action"), "must be one of Deny, Warn, Audit".to_owned()));
        }
        source.actions = vec![action];
    }
    if value.get("controllers").is_some() {
        source.controllers = texts(value, "controllers", &root, wrong);
        let all = CONTROLLERS.join(", ");
        for (at, one) in source.controllers.iter().enumerate() {
            if !CONTROLLERS.contains(&one.as_str()) {
                let place = root.join("controllers").join(at);
                wrong.push((place, format!("must be one of {all}")));
            }
        }
    }
    if let Some(exemptions) = value.get("exemptions") {
        let place = root.join("exemptions");
        known(exemptions, &place, EXEMPTIONS, wrong);
        source.namespaces = names((exemptions, "namespaces"), dns_label, &place, wrong);
        source.usernames = texts(exemptions, "usernames", &place, wrong);
        source.runtime_classes = names((exemptions, "runtimeClasses"), dns_subdomain, &place, wrong);
        for (at, name) in source.usernames.iter().enumerate() {
            if name.contains(['*', '?']) || name.contains("{{") {
                let words =
                    "must be a whole name: `*`, `?` and `{{` mean something else to Kyverno".to_owned();
                wrong.push((place.join("usernames").join(at), words));
            }
        }
    }
    source.exclusions = exclusions(value, source.level, &root, wrong);
    source
}

/// Notes fields that are not among these.
fn known(value: &Value, place: &Path, fields: &[&str], wrong: &mut Wrong) {
    let Some(map) = value.as_object() else {
        wrong.push((place.clone(), "must be a map".to_owned()));
        return;
    };
    for key in map.keys().filter(|key| !fields.contains(&key.as_str())) {
        wrong.push((place.join(key.clone()), format!("unknown field: must be one of {}", fields.join(", "))));
    }
}

/// A list of whole names, of which each is as it must be.
fn names(
    (value, key): (&Value, &'static str),
    faults: fn(&str) -> Vec<String>,
    place: &Path,
    wrong: &mut Wrong,
) -> Vec<String> {
    let names = texts(value, key, place, wrong);
    for (at, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        let faults = faults(name);
        wrong.extend(faults.into_iter().map(|words| (place.join(key).join(at), words)));
    }
    names
}

fn texts(value: &Value, key: &'static str, place: &Path, wrong: &mut Wrong) -> Vec<String> {
    let place = place.join(key);
    let list = match value.get(key) {
        None => return Vec::new(),
        Some(Value::Array(list)) => list,
        Some(_) => {
            wrong.push((place, "must be a list of strings".to_owned()));
            return Vec::new();
        }
    };
    let mut all = Vec::new();
    for (at, one) in list.iter().enumerate() {
        match one.as_str() {
            Some(text) => {
                if text.is_empty() {
                    wrong.push((place.join(at), "must not be empty".to_owned()));
                }
                all.push(text.to_owned());
            }
            None => wrong.push((place.join(at), "must be a string".to_owned())),
        }
    }
    all
}

/// The entries of `exclude`, in the form in which Kyverno's rule has them.
pub(crate) fn exclusions(value: &Value, level: Level, place: &Path, wrong: &mut Wrong) -> Vec<Exclusion> {
    let place = place.join("exclude");
    let list = match value.get("exclude") {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(list)) => list,
        Some(_) => {
            wrong.push((place, "must be a list".to_owned()));
            return Vec::new();
        }
    };
    let entries = list.iter().enumerate();
    entries.map(|(at, entry)| exclusion(entry, level, &place.join(at), wrong)).collect()
}

fn exclusion(entry: &Value, level: Level, place: &Path, wrong: &mut Wrong) -> Exclusion {
    known(entry, place, &["controlName", "images", "restrictedField", "values"], wrong);
    let texts = |key: &'static str, wrong: &mut Wrong| -> Vec<Str> {
        texts(entry, key, place, wrong).iter().map(Str::new).collect()
    };
    let made = Exclusion {
        control: Str::new(entry.find_str(&["controlName"])),
        images: texts("images", wrong),
        restricted_field: Str::new(entry.find_str(&["restrictedField"])),
        values: texts("values", wrong),
    };
    let Some(control) = CONTROLS.iter().find(|control| control.name == made.control) else {
        let names: Vec<&str> = CONTROLS.iter().map(|control| control.name).collect();
        wrong.push((place.join("controlName"), format!("must be one of {}", names.join(", "))));
        return made;
    };
    if control.level > level {
        let words = format!("{level} does not ask for `{}`", control.name);
        wrong.push((place.join("controlName"), words));
    }
    let about_images = match (control.images, made.images.is_empty()) {
        (Images::Required, true) => Some("is about containers: `images` must say of which"),
        (Images::Forbidden, false) => Some("is about the Pod: `images` must not be there"),
        _ => None,
    };
    if let Some(words) = about_images {
        wrong.push((place.join("controlName"), format!("`{}` {words}", control.name)));
    }
    match (made.restricted_field.is_empty(), made.values.is_empty()) {
        (false, true) => wrong.push((place.join("restrictedField"), "needs `values`".to_owned())),
        (true, false) => wrong.push((place.join("values"), "need `restrictedField`".to_owned())),
        _ => {}
    }
    if !made.restricted_field.is_empty() && !fields(control.checks).any(|field| fits(field, &made)) {
        let mut all: Vec<&str> = fields(control.checks).collect();
        all.sort_unstable();
        all.dedup();
        let words = format!("`{}` has {}", control.name, all.join(", "));
        wrong.push((place.join("restrictedField"), words));
    }
    made
}

fn fields(checks: &'static [&'static str]) -> impl Iterator<Item = &'static str> {
    let checks = engine_podsecurity::CHECKS.iter().filter(|check| checks.contains(&check.id));
    checks.flat_map(|check| check.fields.iter().copied())
}

/// Whether a field of a check is what an exclusion names: whole, or below it where the field is open.
fn fits(field: &str, exclusion: &Exclusion) -> bool {
    let named = exclusion.restricted_field.as_str();
    let is_open = field == "spec.volumes[*]" && named.starts_with("spec.volumes[*].");
    let is_annotation = field.strip_suffix("*]").is_some_and(|begin| named.starts_with(begin));
    field == named || is_open || is_annotation
}

/// What to write in place of a version without its `v`. The number 1.30 is read as 1.3, so that of one digit nothing can be told.
fn without_v(written: &str) -> String {
    let right = format!("v{written}");
    match Version::parse(&right) {
        Some(_) if written.len() > "1.x".len() => format!(": write `{right}`"),
        Some(_) => ": write it with a `v`, as in `v1.30`".to_owned(),
        None => String::new(),
    }
}

/// The level, version and exclusions of a `podSecurity` body.
pub(super) fn of_rule(body: &Value, place: &Path, wrong: &mut Wrong) -> Option<Source> {
    let level = Level::parse(body.find_str(&["level"]));
    let written = body.find_str(&["version"]);
    let version = if written.is_empty() { Some(Version::Latest) } else { Version::parse(written) };
    if level.is_none() {
        wrong.push((place.join("level"), Level::MUST_BE.to_owned()));
    }
    if version.is_none() {
        wrong.push((place.join("version"), format!("{}{}", Version::MUST_BE, without_v(written))));
    }
    let mut source = Source::new(level?, version?);
    source.standard = Standard::Kyverno;
    source.exclusions = exclusions(body, Level::Restricted, place, wrong);
    Some(source)
}
