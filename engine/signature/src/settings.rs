//! What a rule says about signed manifests.
//!
//! In: `validate.manifests` and one attestor. Out: [`Settings`].

use engine::json::Value;

/// The annotations' domain unless the rule names another.
const DOMAIN: &str = "cosign.sigstore.dev";

/// What a rule says.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The domain of the annotations; empty for `cosign.sigstore.dev`.
    pub domain: String,
    /// The image that holds the manifests; empty where they stand in the annotations.
    pub repository: String,
    /// Fields that may differ, with the objects for which they may.
    pub ignored: Vec<Ignored>,
}

/// Fields that may differ for certain objects.
#[derive(Clone, Debug, Default)]
pub struct Ignored {
    /// Their keys joined with `.`, with `*` for anything.
    pub fields: Vec<String>,
    /// For which objects: for all where there is none.
    pub objects: Vec<ObjectPattern>,
}

/// Which objects; what is empty fits all.
#[derive(Clone, Debug, Default)]
pub struct ObjectPattern {
    /// The API group.
    pub group: String,
    /// The API version.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// `metadata.name`.
    pub name: String,
    /// `metadata.namespace`.
    pub namespace: String,
}

impl Settings {
    /// Reads `validate.manifests` and the attestor that is asked for.
    pub fn read(manifests: &Value, attestor: &Value) -> Self {
        let repository = match attestor.find_str(&["repository"]) {
            "" => manifests.find_str(&["repository"]),
            of_attestor => of_attestor,
        };
        let ignored = manifests.get("ignoreFields").and_then(Value::as_array).unwrap_or_default();
        Settings {
            domain: manifests.find_str(&["annotationDomain"]).to_owned(),
            repository: repository.to_owned(),
            ignored: ignored.iter().map(read_ignored).collect(),
        }
    }

    /// The annotation of this name in the domain.
    pub(crate) fn annotation(&self, name: &str) -> String {
        let domain = if self.domain.is_empty() { DOMAIN } else { &self.domain };
        format!("{domain}/{name}")
    }

    /// The annotation of this name and number: the first has none.
    pub(crate) fn numbered(&self, name: &str, at: usize) -> String {
        let first = self.annotation(name);
        if at == 0 { first } else { format!("{first}_{at}") }
    }
}

fn read_ignored(value: &Value) -> Ignored {
    let texts = value.get("fields").and_then(Value::as_array).unwrap_or_default();
    let objects = value.get("objects").and_then(Value::as_array).unwrap_or_default();
    let pattern = |object: &Value| {
        let text = |key: &str| object.find_str(&[key]).to_owned();
        ObjectPattern {
            group: text("group"),
            version: text("version"),
            kind: text("kind"),
            name: text("name"),
            namespace: text("namespace"),
        }
    };
    Ignored {
        fields: texts.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        objects: objects.iter().map(pattern).collect(),
    }
}
