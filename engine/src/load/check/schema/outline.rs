//! The tables as data: which kinds of policies there are, and which fields each may hold.
//!
//! In: nothing. Out: kinds, and types by number. For completion in an editor; nothing is decided by it.

use super::blocks::{ANY_ALL, CONDITION, NEW_ANY_ALL};
use super::{CLEANUP, EXCEPTION, Field, Kind, POLICY, Struct, Version};

/// What policies and their exceptions may hold.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// `apiVersion`, `kind` and the number of its type.
    pub kinds: Vec<(&'static str, &'static str, usize)>,
    /// The fields of each type.
    pub types: Vec<Vec<OutlineField>>,
}

/// A field of a type.
#[derive(Clone, Debug)]
pub struct OutlineField {
    /// Its key.
    pub name: &'static str,
    /// What it holds: `string`, `boolean`, `integer`, `any`; `=A,B` one of these; `#N` a type; `[]` a list and `{}` a map of
    /// what follows; `|` between two forms.
    pub holds: String,
    /// Whether the schema demands it.
    pub is_required: bool,
}

/// The tables that were met so far; each has the number of its place.
type Found = Vec<(&'static Struct, Version)>;

/// All kinds that have a table.
const KINDS: &[(&str, &str, &Struct, Version)] = &[
    ("kyverno.io/v1", "ClusterPolicy", &POLICY, Version::V1),
    ("kyverno.io/v1", "Policy", &POLICY, Version::V1),
    ("kyverno.io/v2beta1", "ClusterPolicy", &POLICY, Version::V2Beta1),
    ("kyverno.io/v2beta1", "Policy", &POLICY, Version::V2Beta1),
    ("kyverno.io/v2", "ClusterCleanupPolicy", &CLEANUP, Version::V2Beta1),
    ("kyverno.io/v2", "CleanupPolicy", &CLEANUP, Version::V2Beta1),
    ("kyverno.io/v2beta1", "ClusterCleanupPolicy", &CLEANUP, Version::V2Beta1),
    ("kyverno.io/v2beta1", "CleanupPolicy", &CLEANUP, Version::V2Beta1),
    ("kyverno.io/v2", "PolicyException", &EXCEPTION, Version::V2Beta1),
    ("kyverno.io/v2beta1", "PolicyException", &EXCEPTION, Version::V2Beta1),
];

/// The tables of all kinds.
pub fn outline() -> Outline {
    let mut found = Found::new();
    let kinds = KINDS
        .iter()
        .map(|(version, kind, of, schema)| (*version, *kind, number(&mut found, of, *schema)))
        .collect();
    let mut types = Vec::new();
    // There are as many types as tables, though they refer to each other.
    while let Some((of, version)) = found.get(types.len()).copied() {
        let fields = of.fields.iter().filter(|field| version.has(field));
        types.push(fields.map(|field| row(&mut found, field, version)).collect());
    }
    Outline { kinds, types }
}

fn row(found: &mut Found, field: &Field, version: Version) -> OutlineField {
    OutlineField { name: field.name, holds: holds(found, &field.kind, version), is_required: field.required }
}

/// The number of a table, the next one where it is new.
fn number(found: &mut Found, of: &'static Struct, version: Version) -> usize {
    let known = found.iter().position(|(other, schema)| std::ptr::eq(*other, of) && *schema == version);
    known.unwrap_or_else(|| {
        found.push((of, version));
        found.len() - 1
    })
}

fn holds(found: &mut Found, kind: &Kind, version: Version) -> String {
    match kind {
        Kind::Text | Kind::Name => "string".to_owned(),
        Kind::OneOf(texts) => format!("={}", texts.join(",")),
        Kind::Flag => "boolean".to_owned(),
        Kind::Integer(_) => "integer".to_owned(),
        Kind::List(of) => format!("[]{}", holds(found, of, version)),
        Kind::Map(of) => format!("{{}}{}", holds(found, of, version)),
        Kind::Structs(of) | Kind::Loops(of) => format!("[]#{}", number(found, of, version)),
        Kind::Struct(of) | Kind::Pointer(of) => format!("#{}", number(found, of, version)),
        Kind::Any => "any".to_owned(),
        Kind::RuleConditions if version == Version::V2Beta1 => {
            format!("#{}", number(found, &NEW_ANY_ALL, version))
        }
        Kind::Conditions | Kind::RuleConditions => {
            let block = number(found, &ANY_ALL, version);
            format!("#{block}|[]#{}", number(found, &CONDITION, version))
        }
    }
}
