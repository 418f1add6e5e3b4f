//! The data of `engine/mesh`, made of the records.
//!
//! In: the records. Out: the text of `engine/mesh/data/mesh.json`. For each release the shapes of its modes are kept whole,
//! every other option as the change that it makes; what several releases share stands once, in the pool. Two records that
//! contradict each other end the run.

use super::change::{between, together};
use super::releases::{RELEASES, Release};
use super::{is_injection, list, map, parts, piece, strings, text};
use engine::json::{Map, Value, to_json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Pieces that rows share.
#[derive(Default)]
pub(super) struct Pool {
    pieces: Vec<Value>,
    places: BTreeMap<String, usize>,
}

impl Pool {
    /// The place of a piece.
    pub(super) fn place(&mut self, piece: &Value) -> Value {
        let at = *self.places.entry(to_json(piece)).or_insert_with(|| {
            self.pieces.push(piece.clone());
            self.pieces.len() - 1
        });
        Value::from(i64::try_from(at).unwrap_or_default())
    }
}

/// One injected container and where it stands.
#[derive(Clone)]
pub(super) struct One {
    pub(super) name: String,
    pub(super) list: &'static str,
    pub(super) side: &'static str,
    pub(super) container: Value,
}

/// What one record adds, and where.
#[derive(Clone)]
pub(super) struct Placed {
    pub(super) containers: Vec<One>,
    pub(super) volumes: Vec<Value>,
    pub(super) security: Value,
    pub(super) drops_init: bool,
    labels: Value,
    annotations: Value,
}

/// The names of the application's own containers in the records.
const OWN: [&str; 2] = ["setup", "shop"];

impl Placed {
    fn of(release: &Release, tag: &str, record: &Value) -> Placed {
        let mut containers = Vec::new();
        for (key, short) in [("initContainers", "init"), ("containers", "containers")] {
            let order = record.get("resultingOrder").map(|order| strings(order, key)).unwrap_or_default();
            let own = order.iter().position(|name| OWN.contains(name));
            for (at, name) in order.iter().enumerate() {
                let injected = list(record, "injected").iter().filter_map(|one| one.get("container"));
                let Some(found) = injected.into_iter().find(|one| one.find_str(&["name"]) == *name) else {
                    continue;
                };
                let side = if own.is_some_and(|own| at < own) { "before" } else { "after" };
                let container = piece::container(release, tag, found);
                containers.push(One { name: (*name).to_owned(), list: short, side, container });
            }
        }
        let options = record.find_str(&["options"]);
        let has_setup = record
            .get("resultingOrder")
            .is_some_and(|order| strings(order, "initContainers").contains(&"setup"));
        Placed {
            containers,
            volumes: piece::volumes(record),
            security: security(record),
            drops_init: !has_setup && options != "template:gateway",
            labels: labels(record, tag),
            annotations: annotations(record, tag),
        }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.containers.iter().map(|one| one.name.as_str())
    }

    pub(super) fn get(&self, name: &str) -> Option<&One> {
        self.containers.iter().find(|one| one.name == name)
    }

    /// The name of the container right after this one, on the same side.
    pub(super) fn following(&self, one: &One) -> Option<&str> {
        let at = self.containers.iter().position(|other| other.name == one.name)?;
        let next = self.containers.get(at + 1)?;
        ((next.list, next.side) == (one.list, one.side)).then_some(next.name.as_str())
    }

    fn base(&self, pool: &mut Pool) -> Value {
        let mut fields = Vec::new();
        for key in ["init", "containers"] {
            let mut side = |side: &str| {
                let of_side = self.containers.iter().filter(|one| one.list == key && one.side == side);
                Value::array(of_side.map(|one| pool.place(&one.container)).collect())
            };
            fields.push((key, Value::array(vec![side("before"), side("after")])));
        }
        fields.push(("volumes", Value::array(self.volumes.iter().map(|one| pool.place(one)).collect())));
        fields.push(("labels", pool.place(&self.labels)));
        fields.push(("annotations", pool.place(&self.annotations)));
        if !self.security.is_null() {
            fields.push(("security", pool.place(&self.security)));
        }
        map(fields)
    }
}

/// What is merged into the Pod's security context, which in the records held two fields before.
fn security(record: &Value) -> Value {
    let Some(after) = record.get("podSecurityContextAfter").and_then(Value::as_object) else {
        return Value::Null;
    };
    let own = ["runAsNonRoot", "seccompProfile"];
    let fresh: Map = after
        .iter()
        .filter(|(key, _)| !own.contains(&key.as_str()))
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect();
    Value::object(fresh)
}

fn labels(record: &Value, tag: &str) -> Value {
    // Of 1.6 the records name the labels, and what they say follows from the code.
    let of_code = strings(record, "labelsAddedByInjectorCode");
    let known = [
        ("security.istio.io/tlsMode=istio", ("security.istio.io/tlsMode", "istio")),
        ("istio.io/rev", ("istio.io/rev", "default")),
        ("service.istio.io/canonical-name", ("service.istio.io/canonical-name", "{app}")),
        ("service.istio.io/canonical-revision", ("service.istio.io/canonical-revision", "{revision}")),
    ];
    let more: Vec<(&str, &str)> =
        known.into_iter().filter(|(name, _)| of_code.contains(name)).map(|(_, pair)| pair).collect();
    piece::names(record.get("labelsAdded"), &more, tag)
}

fn annotations(record: &Value, tag: &str) -> Value {
    let mut all = piece::names(record.get("annotationsAdded"), &[], tag);
    let of_code = piece::names(record.get("annotationsAddedByInjectorCode"), &[], tag);
    for (key, value) in of_code.as_object().into_iter().flat_map(Map::iter) {
        all.make_object().insert(key.clone(), value.clone());
    }
    all
}

/// The tag of the images of a release.
fn tag_of(records: &[&Value]) -> String {
    let containers = records.iter().flat_map(|record| list(record, "injected"));
    let image = containers
        .filter(|one| one.find_str(&["container", "name"]).ends_with("-proxy"))
        .map(|one| one.find_str(&["container", "image"]));
    image.filter_map(|image| image.rsplit_once(':')).map(|(_, tag)| tag.to_owned()).next().unwrap_or_default()
}

/// Bases that are chosen whole.
const BASES: [&str; 6] =
    ["init", "cni", "native+init", "native+cni", "template:gateway", "template:grpc-agent"];

fn row(pool: &mut Pool, release: &Release, records: &[&Value]) -> Result<Value, String> {
    let tag = tag_of(records);
    let placed: Vec<(&str, Placed)> = records
        .iter()
        .map(|record| (record.find_str(&["options"]), Placed::of(release, &tag, record)))
        .collect();
    let of = |options: &str| placed.iter().find(|(name, _)| *name == options).map(|(_, placed)| placed);
    let bases = BASES.iter().filter_map(|name| Some((*name, of(name)?.base(pool)))).collect::<Vec<_>>();
    let mut options: Vec<(String, Value)> = Vec::new();
    for (name, with) in &placed {
        let (mode, others) = parts(name);
        // Recorded with a root init container, which is an option of its own where it exists.
        let from = match others.as_slice() {
            ["closeWait"] => of(&format!("{mode}+runAsRoot")).or_else(|| of(&mode)),
            // What the author's annotation adds is not an option.
            [other] if other.starts_with("userVolume") => None,
            [_] => of(&mode),
            _ => None,
        };
        let ([option], Some(from)) = (others.as_slice(), from) else { continue };
        let change =
            between(pool, from, with).map_err(|error| format!("{} {name}: {error}", release.version))?;
        match options.iter_mut().find(|(known, _)| known == option) {
            Some((_, known)) => {
                *known = together(known, &change)
                    .map_err(|error| format!("{} {name}: {error}", release.version))?;
            }
            None => options.push(((*option).to_owned(), change)),
        }
    }
    let source = records
        .first()
        .map(|one| format!("{}@{}", one.find_str(&["source", "repo"]), one.find_str(&["source", "tag"])));
    let mut fields = vec![
        ("version", text(release.version)),
        ("from", text(release.from)),
        ("tag", text(if release.like.is_some() { release.version } else { &tag })),
        ("source", text(&source.unwrap_or_default())),
        ("native", Value::Bool(release.is_native)),
        ("never", Value::array(release.never.iter().map(|name| text(name)).collect())),
    ];
    if !release.edge.is_empty() {
        fields.push(("edge", text(release.edge)));
    }
    facts(release, records, &mut fields);
    fields.push(("bases", map(bases)));
    let options = options.iter().map(|(name, change)| (name.as_str(), pool.place(change))).collect();
    fields.push(("options", map(options)));
    Ok(map(fields))
}

fn facts(release: &Release, records: &[&Value], fields: &mut Vec<(&str, Value)>) {
    let has = |fact: &str| release.facts.contains(&fact);
    if records.iter().all(|record| record.find_str(&["mesh"]) == "istio") {
        let kinds =
            ["httpGet", "tcpSocket", "grpc"].into_iter().filter(|kind| *kind == "httpGet" || has(kind));
        fields.push(("probes", Value::array(kinds.map(text).collect())));
    }
    for fact in ["labels", "probesOfInit", "probesOfLifecycle", "needsToken", "keepsNet"] {
        if has(fact) {
            fields.push((fact, Value::Bool(true)));
        }
    }
    if has("closeWaitNeedsRoot") {
        fields.push(("needs", map(vec![("closeWait", text("runAsRoot"))])));
    }
}

/// The text of the file.
pub fn text_of(records: &[Value]) -> Result<String, String> {
    let mut pool = Pool::default();
    let mut rows: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for release in RELEASES {
        let version = release.like.unwrap_or(release.version);
        let of_release: Vec<&Value> =
            records.iter().filter(|one| is_injection(one) && one.find_str(&["version"]) == version).collect();
        let mesh = of_release
            .first()
            .map(|one| one.find_str(&["mesh"]))
            .ok_or_else(|| format!("no record of {version}"))?;
        rows.entry(mesh).or_default().push(row(&mut pool, release, &of_release)?);
    }
    Ok(written(&pool, &rows))
}

const ABOUT: &str = "What Istio and Linkerd inject: facts recorded from their release tags. Made by \
                     `cargo run -p tests --bin mesh`; engine/mesh/src/data.rs tells the form.";

/// One piece and one row a line, so that a change of the records shows as a change of lines.
fn written(pool: &Pool, rows: &BTreeMap<&str, Vec<Value>>) -> String {
    let lines = |values: &[Value]| values.iter().map(to_json).collect::<Vec<_>>().join(",\n");
    let mut out = format!(
        "{{\"about\":{},\n\"pool\":[\n{}\n],\n\"meshes\":{{\n",
        to_json(&text(ABOUT)),
        lines(&pool.pieces)
    );
    for (at, (mesh, rows)) in rows.iter().enumerate() {
        let comma = if at == 0 { "" } else { ",\n" };
        let _ = write!(out, "{comma}\"{mesh}\":[\n{}\n]", lines(rows));
    }
    out.push_str("\n}}\n");
    out
}
