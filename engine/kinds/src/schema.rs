//! The types of Kubernetes' own kinds, found in `data/kinds.txt` once; the fields of a type are read when they are first asked
//! for, for most runs ask for a few of several hundred types.
//!
//! In: an `apiVersion` and a `kind`, or a kind alone. Out: the fields of its type, each with what it holds.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

/// The fields of a type by name, each with what it holds.
pub(crate) type Fields = BTreeMap<&'static str, &'static str>;

/// All that is known.
pub(crate) struct Schema {
    /// By `apiVersion` and `kind`.
    kinds: BTreeMap<(&'static str, &'static str), &'static str>,
    types: BTreeMap<&'static str, Type>,
}

/// A type: the lines of its fields, and what they say once they were read.
struct Type {
    rows: &'static str,
    fields: OnceLock<Fields>,
}

impl Type {
    fn fields(&self) -> &Fields {
        self.fields.get_or_init(|| self.rows.lines().filter_map(|row| row.split_once(' ')).collect())
    }
}

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::read(include_str!("../data/kinds.txt")));

/// What is known.
pub(crate) fn schema() -> &'static Schema {
    &SCHEMA
}

impl Schema {
    fn read(text: &'static str) -> Self {
        // The kinds stand before the first type.
        let (kinds, types) = text.split_once("\n:").unwrap_or((text, ""));
        let kind = |row: &'static str| {
            let mut words = row.strip_prefix('=')?.split(' ');
            Some(((words.next()?, words.next()?), words.next()?))
        };
        let of = |written: &'static str| {
            let (name, rows) = written.split_once('\n').unwrap_or((written, ""));
            (name, Type { rows, fields: OnceLock::new() })
        };
        Schema {
            kinds: kinds.lines().filter_map(kind).collect(),
            types: types.split("\n:").map(of).collect(),
        }
    }

    /// The fields of a kind of this version.
    pub(crate) fn of(&self, version: &str, kind: &str) -> Option<&Fields> {
        let found = self.kinds.iter().find(|((v, k), _)| *v == version && *k == kind);
        found.and_then(|(_, of)| self.types.get(of)).map(Type::fields)
    }

    /// The fields of the kinds of this name, of whatever group and version.
    pub(crate) fn named(&self, kind: &str) -> Vec<&Fields> {
        let found = self.kinds.iter().filter(|((_, known), _)| *known == kind);
        found.filter_map(|(_, of)| self.types.get(of)).map(Type::fields).collect()
    }

    /// The names of the kinds.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.kinds.keys().map(|(_, kind)| *kind)
    }

    /// The fields of a type, where `holds` is one: `#core.v1.PodSpec`.
    pub(crate) fn held(&self, holds: &str) -> Option<&Fields> {
        self.types.get(holds.strip_prefix('#')?).map(Type::fields)
    }
}

#[cfg(test)]
mod tests {
    use super::{Schema, Type};

    #[test]
    fn a_table_holds_kinds_and_the_fields_of_types() {
        let table = "=v1 Pod core.Pod\n=v1 Secret core.Secret\n:core.Pod\nkind s\nspec #core.Spec\n:core.Empty\n:core.Spec\nnode s\n";
        let schema = Schema::read(table);
        assert_eq!(schema.names().collect::<Vec<_>>(), ["Pod", "Secret"]);
        let pod = schema
            .of("v1", "Pod")
            .map(|fields| fields.iter().map(|(name, holds)| (*name, *holds)).collect::<Vec<_>>());
        assert_eq!(pod, Some(vec![("kind", "s"), ("spec", "#core.Spec")]));
        assert!(schema.held("#core.Spec").is_some_and(|fields| fields.contains_key("node")));
        assert!(schema.of("v1", "Secret").is_none() && schema.held("s").is_none());
    }

    #[test]
    fn the_table_that_ships_is_read_whole() {
        let schema = super::schema();
        let fields =
            schema.types.values().map(Type::fields).map(std::collections::BTreeMap::len).sum::<usize>();
        let lines = include_str!("../data/kinds.txt").lines().count();
        assert_eq!(schema.kinds.len() + schema.types.len() + fields, lines);
    }
}
