//! The types of Kubernetes' own kinds, read from `data/kinds.txt` once.
//!
//! In: an `apiVersion` and a `kind`, or a kind alone. Out: the fields of its type, each with what it holds.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The fields of a type by name, each with what it holds.
pub(crate) type Fields = BTreeMap<&'static str, &'static str>;

/// All that is known.
pub(crate) struct Schema {
    /// By `apiVersion` and `kind`.
    kinds: BTreeMap<(&'static str, &'static str), &'static str>,
    types: BTreeMap<&'static str, Fields>,
}

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::read(include_str!("../data/kinds.txt")));

/// What is known.
pub(crate) fn schema() -> &'static Schema {
    &SCHEMA
}

impl Schema {
    fn read(text: &'static str) -> Self {
        let mut schema = Schema { kinds: BTreeMap::new(), types: BTreeMap::new() };
        let mut open = "";
        for line in text.lines() {
            if let Some(row) = line.strip_prefix('=') {
                let mut words = row.split(' ');
                if let (Some(version), Some(kind), Some(of)) = (words.next(), words.next(), words.next()) {
                    schema.kinds.insert((version, kind), of);
                }
            } else if let Some(name) = line.strip_prefix(':') {
                open = name;
                schema.types.entry(name).or_default();
            } else if let (Some((field, holds)), Some(fields)) =
                (line.split_once(' '), schema.types.get_mut(open))
            {
                fields.insert(field, holds);
            }
        }
        schema
    }

    /// The fields of a kind of this version.
    pub(crate) fn of(&self, version: &str, kind: &str) -> Option<&Fields> {
        let found = self.kinds.iter().find(|((v, k), _)| *v == version && *k == kind);
        found.and_then(|(_, of)| self.types.get(of))
    }

    /// The fields of the kinds of this name, of whatever group and version.
    pub(crate) fn named(&self, kind: &str) -> Vec<&Fields> {
        let found = self.kinds.iter().filter(|((_, known), _)| *known == kind);
        found.filter_map(|(_, of)| self.types.get(of)).collect()
    }

    /// The names of the kinds.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.kinds.keys().map(|(_, kind)| *kind)
    }

    /// The fields of a type, where `holds` is one: `#core.v1.PodSpec`.
    pub(crate) fn held(&self, holds: &str) -> Option<&Fields> {
        self.types.get(holds.strip_prefix('#')?)
    }
}
