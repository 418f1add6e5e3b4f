//! What each release injects, as data.
//!
//! In: the text of `data/mesh.json`, which `cargo run -p tests --bin mesh` makes of what was recorded. Out: [`Data`].
//!
//! The file holds a list `pool` of pieces that many rows share, which rows name by their place, and for each mesh its rows:
//! one a release that was read, oldest first, each standing for the versions up to the next row's. A row has `bases`, whole
//! shapes by mode (`init`, `cni`, `native+init`, …), and `options`, each a change of whatever shape is chosen.

use crate::version::Version;
use engine_json::{ReadError, Value, parse};

/// What is known of all meshes.
#[derive(Clone, Debug)]
pub struct Data(Value);

/// A release that was read, and the options it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// `istio` or `linkerd`.
    pub mesh: String,
    /// The release: `1.26.8`.
    pub version: String,
    /// The first version that it stands for: `1.26`.
    pub from: String,
    /// The repository and the tag that were read.
    pub source: String,
    /// Whether the proxy is a native sidecar unless something else is said.
    pub is_native: bool,
    /// The options, by name.
    pub options: Vec<String>,
}

impl Data {
    /// Reads the file.
    pub fn read(text: &str) -> Result<Data, ReadError> {
        parse(text).map(Data)
    }

    /// The releases, mesh by mesh, oldest first.
    pub fn releases(&self) -> Vec<Release> {
        let meshes = self.0.get("meshes").and_then(Value::as_object);
        let rows = meshes.into_iter().flat_map(engine_json::Map::iter).flat_map(|(mesh, rows)| {
            let rows = rows.as_array().unwrap_or_default().iter();
            rows.map(move |row| Row(row).release(mesh))
        });
        rows.collect()
    }

    /// The rows of a mesh, oldest first.
    pub(crate) fn rows(&self, mesh: &str) -> &[Value] {
        self.0.find(&["meshes", mesh]).and_then(Value::as_array).unwrap_or_default()
    }

    /// A piece of the pool, named by its place.
    pub(crate) fn piece(&self, place: &Value) -> Option<&Value> {
        let at = usize::try_from(place.as_i64()?).ok()?;
        self.0.get("pool")?.at(at)
    }
}

/// One row of the file.
#[derive(Clone, Copy)]
pub(crate) struct Row<'d>(pub(crate) &'d Value);

impl<'d> Row<'d> {
    fn release(self, mesh: &str) -> Release {
        let text = |key| self.text(key).to_owned();
        let modes = ["cni", "native", "classic"].iter().filter(|mode| self.has_mode(mode));
        let named = self.bases().chain(self.options()).filter(|name| !is_mode(name));
        Release {
            mesh: mesh.to_owned(),
            version: text("version"),
            from: text("from"),
            source: text("source"),
            is_native: self.is_native(),
            options: modes.copied().chain(named).map(str::to_owned).collect(),
        }
    }

    pub(crate) fn text(self, key: &str) -> &'d str {
        self.0.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn is(self, key: &str) -> bool {
        self.0.get(key).and_then(Value::as_bool).unwrap_or_default()
    }

    /// Whether the release is only a preview: a candidate, or one of Linkerd's edge releases.
    pub(crate) fn is_preview(self) -> bool {
        let version = self.text("version");
        version.contains('-') && ["edge", "rc", "alpha", "beta"].iter().any(|kind| version.contains(kind))
    }

    pub(crate) fn is_native(self) -> bool {
        self.is("native")
    }

    /// Whether the row stands for a version, as far as its beginning says.
    pub(crate) fn begins_by(self, asked: &Version) -> bool {
        let is_from = |key| Version::read(self.text(key)).is_some_and(|first| asked.is_from(&first));
        is_from("from") || is_from("edge")
    }

    fn bases(self) -> impl Iterator<Item = &'d str> {
        keys(self.0.get("bases"))
    }

    pub(crate) fn options(self) -> impl Iterator<Item = &'d str> {
        keys(self.0.get("options"))
    }

    fn has_mode(self, mode: &str) -> bool {
        let is_native = |base: &str| base.starts_with("native");
        self.bases().any(|base| match mode {
            "cni" => base == "cni",
            "native" => is_native(base),
            "classic" => !is_native(base) && self.bases().any(is_native),
            _ => false,
        })
    }

    /// Whether an option may be asked for.
    pub(crate) fn knows(self, option: &str) -> bool {
        self.has_base(option) || self.options().any(|known| known == option) || self.has_mode(option)
    }

    pub(crate) fn has_base(self, name: &str) -> bool {
        self.base(name).is_some() && !is_mode(name)
    }

    pub(crate) fn base(self, name: &str) -> Option<&'d Value> {
        self.0.find(&["bases", name])
    }

    pub(crate) fn option(self, name: &str) -> Option<&'d Value> {
        self.0.find(&["options", name])
    }
}

/// Whether a base is chosen by the modes and has no name that is asked for.
fn is_mode(base: &str) -> bool {
    matches!(base, "init" | "cni" | "native+init" | "native+cni")
}

fn keys(map: Option<&Value>) -> impl Iterator<Item = &str> {
    map.and_then(Value::as_object).into_iter().flat_map(|map| map.keys().map(engine_json::Str::as_str))
}
