//! What `getImageData` gives: structures of Go, whose fields have the names that Go has for them (`ConfigData.Config.User`).
//!
//! In: the JSON of an image, a manifest or a configuration. Out: a value with fields; what is not there is empty.
//! Mirrors: `ImageDescriptor` of `imagedataloader` in Kyverno's sdk, `pkg/v1` of go-containerregistry.

use super::native::from_json;
use super::opaque;
use engine_cel::value::{Equality, Numbers, Opaque, Timestamp, Value};
use engine_json::{Map, Str, Value as Json};
use engine_values::time::Time;
use std::any::Any;

/// A structure: its name, and its fields.
#[derive(Debug)]
struct Shape {
    name: &'static str,
    fields: &'static [(&'static str, &'static str, Holds)],
}

/// What a field holds.
#[derive(Debug)]
enum Holds {
    Text,
    Int,
    Flag,
    Texts,
    Map,
    /// Anything; null where it is not there.
    Any,
    Struct(&'static Shape),
    Structs(&'static Shape),
    /// `sha256:…`.
    Hash,
    Hashes,
    Moment,
    /// A point in time within a structure of its own.
    Time,
}

use Holds::{Any as Anything, Flag, Hash, Hashes, Int, Moment, Struct, Structs, Text, Texts};

static HASH: Shape =
    Shape { name: "v1.Hash", fields: &[("Algorithm", "algorithm", Text), ("Hex", "hex", Text)] };

static TIME: Shape = Shape { name: "v1.Time", fields: &[("Time", "time", Moment)] };

static PLATFORM: Shape = Shape {
    name: "v1.Platform",
    fields: &[
        ("Architecture", "architecture", Text),
        ("OS", "os", Text),
        ("OSVersion", "os.version", Text),
        ("OSFeatures", "os.features", Texts),
        ("Variant", "variant", Text),
        ("Features", "features", Texts),
    ],
};

static DESCRIPTOR: Shape = Shape {
    name: "v1.Descriptor",
    fields: &[
        ("MediaType", "mediaType", Text),
        ("Size", "size", Int),
        ("Digest", "digest", Hash),
        ("URLs", "urls", Texts),
        ("Annotations", "annotations", Holds::Map),
        ("Platform", "platform", Struct(&PLATFORM)),
        ("ArtifactType", "artifactType", Text),
    ],
};

static MANIFEST: Shape = Shape {
    name: "v1.Manifest",
    fields: &[
        ("SchemaVersion", "schemaVersion", Int),
        ("MediaType", "mediaType", Text),
        ("Config", "config", Struct(&DESCRIPTOR)),
        ("Layers", "layers", Structs(&DESCRIPTOR)),
        ("Annotations", "annotations", Holds::Map),
        ("Subject", "subject", Struct(&DESCRIPTOR)),
        ("ArtifactType", "artifactType", Text),
    ],
};

static HISTORY: Shape = Shape {
    name: "v1.History",
    fields: &[
        ("Author", "author", Text),
        ("Created", "created", Holds::Time),
        ("CreatedBy", "created_by", Text),
        ("Comment", "comment", Text),
        ("EmptyLayer", "empty_layer", Flag),
    ],
};

static ROOT: Shape =
    Shape { name: "v1.RootFS", fields: &[("Type", "type", Text), ("DiffIDs", "diff_ids", Hashes)] };

static HEALTH: Shape =
    Shape { name: "v1.HealthConfig", fields: &[("Test", "Test", Texts), ("Retries", "Retries", Int)] };

static CONFIG: Shape = Shape {
    name: "v1.Config",
    fields: &[
        ("AttachStderr", "AttachStderr", Flag),
        ("AttachStdin", "AttachStdin", Flag),
        ("AttachStdout", "AttachStdout", Flag),
        ("Cmd", "Cmd", Texts),
        ("Healthcheck", "Healthcheck", Struct(&HEALTH)),
        ("Domainname", "Domainname", Text),
        ("Entrypoint", "Entrypoint", Texts),
        ("Env", "Env", Texts),
        ("Hostname", "Hostname", Text),
        ("Image", "Image", Text),
        ("Labels", "Labels", Holds::Map),
        ("OnBuild", "OnBuild", Texts),
        ("OpenStdin", "OpenStdin", Flag),
        ("StdinOnce", "StdinOnce", Flag),
        ("Tty", "Tty", Flag),
        ("User", "User", Text),
        ("Volumes", "Volumes", Holds::Map),
        ("WorkingDir", "WorkingDir", Text),
        ("ExposedPorts", "ExposedPorts", Holds::Map),
        ("ArgsEscaped", "ArgsEscaped", Flag),
        ("NetworkDisabled", "NetworkDisabled", Flag),
        ("MacAddress", "MacAddress", Text),
        ("StopSignal", "StopSignal", Text),
        ("Shell", "Shell", Texts),
    ],
};

static CONFIG_FILE: Shape = Shape {
    name: "v1.ConfigFile",
    fields: &[
        ("Architecture", "architecture", Text),
        ("Author", "author", Text),
        ("Container", "container", Text),
        ("Created", "created", Holds::Time),
        ("DockerVersion", "docker_version", Text),
        ("History", "history", Structs(&HISTORY)),
        ("OS", "os", Text),
        ("RootFS", "rootfs", Struct(&ROOT)),
        ("Config", "config", Struct(&CONFIG)),
        ("OSVersion", "os.version", Text),
        ("Variant", "variant", Text),
        ("OSFeatures", "os.features", Texts),
    ],
};

static IMAGE: Shape = Shape {
    name: "imagedataloader.ImageData",
    fields: &[
        ("Image", "image", Text),
        ("ResolvedImage", "resolvedImage", Text),
        ("Registry", "registry", Text),
        ("Repository", "repository", Text),
        ("Identifier", "identifier", Text),
        ("Tag", "tag", Text),
        ("Digest", "digest", Text),
        ("ImageIndex", "imageIndex", Anything),
        ("Manifest", "manifest", Struct(&MANIFEST)),
        ("ConfigData", "config", Struct(&CONFIG_FILE)),
    ],
};

/// What a registry holds of an image, of its JSON.
pub fn image(json: Json) -> Value<'static> {
    opaque(GoStruct { shape: &IMAGE, json })
}

/// A structure of Go.
#[derive(Debug)]
pub struct GoStruct {
    shape: &'static Shape,
    /// What Go's JSON writes of it.
    pub json: Json,
}

impl GoStruct {
    fn held(&self, name: &str) -> Option<(&Json, &'static Holds)> {
        let (_, written, holds) = self.shape.fields.iter().find(|(known, _, _)| *known == name)?;
        Some((self.json.get(written).unwrap_or(&Json::Null), holds))
    }
}

fn structure(shape: &'static Shape, json: &Json) -> Value<'static> {
    opaque(GoStruct { shape, json: json.clone() })
}

fn one_field(shape: &'static Shape, fields: &[(&'static str, Json)]) -> Value<'static> {
    let fields: Map = fields.iter().map(|(name, value)| (Str::new_static(name), value.clone())).collect();
    structure(shape, &Json::object(fields))
}

fn hash(json: &Json) -> Value<'static> {
    let (algorithm, hex) = json.as_str().unwrap_or("").split_once(':').unwrap_or_default();
    one_field(&HASH, &[("algorithm", Json::from(algorithm)), ("hex", Json::from(hex))])
}

/// The start of the year 1, where nothing is given.
const NEVER: i64 = -62_135_596_800;

fn moment(json: &Json) -> Value<'static> {
    let time = Time::parse_rfc3339(json.as_str().unwrap_or("")).ok();
    let (seconds, nanoseconds) = time.map_or((NEVER, 0), |time| (time.unix, time.nanoseconds));
    Value::Timestamp(Timestamp { seconds, nanoseconds, offset: 0 })
}

fn value(json: &Json, holds: &'static Holds) -> Value<'static> {
    let items = || json.as_array().unwrap_or_default().iter();
    match holds {
        Text => Value::text(json.as_str().unwrap_or("")),
        Int => Value::Int(json.as_i64().unwrap_or(0)),
        Flag => Value::Bool(json.as_bool().unwrap_or(false)),
        Texts => Value::list(items().map(|item| Value::text(item.as_str().unwrap_or(""))).collect()),
        Holds::Map if json.is_null() => Value::map(engine_cel::value::Map::default()),
        Holds::Map | Anything => from_json(json, Numbers::Doubles),
        Struct(shape) => structure(shape, json),
        Structs(shape) => Value::list(items().map(|item| structure(shape, item)).collect()),
        Hash => hash(json),
        Hashes => Value::list(items().map(hash).collect()),
        Moment => moment(json),
        Holds::Time => one_field(&TIME, &[("time", json.clone())]),
    }
}

/// Whether Go takes a value for the one that nobody set.
fn is_unset(json: &Json) -> bool {
    match json {
        Json::Null | Json::Bool(false) => true,
        Json::String(text) => text.is_empty(),
        Json::Number(number) => number.as_f64() == 0.0,
        Json::Bool(true) | Json::Array(_) | Json::Object(_) => false,
    }
}

impl Opaque for GoStruct {
    fn type_name(&self) -> &'static str {
        self.shape.name
    }

    fn go_type(&self) -> &'static str {
        "*ext.nativeObj"
    }

    fn is_struct(&self) -> bool {
        true
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equal(&self, other: &Value<'_>) -> Equality {
        let Value::Opaque(other) = other else { return Equality::Unequal };
        let other = other.as_any().downcast_ref::<GoStruct>();
        let is_one = |other: &GoStruct| other.shape.name == self.shape.name && other.json == self.json;
        other.is_some_and(is_one).into()
    }

    fn is_set(&self, name: &str) -> Option<bool> {
        self.held(name).map(|(json, _)| !is_unset(json))
    }

    fn field(&self, name: &str) -> Option<Value<'static>> {
        self.held(name).map(|(json, holds)| value(json, holds))
    }
}
