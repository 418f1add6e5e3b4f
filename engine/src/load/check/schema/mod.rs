//! What a policy may hold, as tables: one row a field, in the order of Kyverno's Go types.
//!
//! In: a policy as a value. Out: what its schema refuses ([`validate`]), the same with the schema's defaults
//! ([`typed`]), and any part of it as Go prints the typed part ([`go_json`]), for Kyverno's refusals
//! quote rules that way. Example: `match: {}` prints as `{"resources":{}}`.
//! Mirrors: api/kyverno/v1, config/crds/kyverno/kyverno.io_clusterpolicies.yaml.

mod blocks;
mod bodies;
mod context;
mod defaults;
mod images;
mod metadata;
mod outline;
mod places;
mod policy;
mod print;
mod validate;

pub(super) use blocks::{FILTER, LABEL_SELECTOR, MATCH, RESOURCES};
pub(super) use bodies::{GENERATE, MUTATE, VALIDATE};
pub(in super::super) use defaults::{Defaults, typed};
pub(super) use images::{ATTESTOR, ATTESTOR_SET, CERTIFICATES, IMAGE, IMAGE_VALIDATE, KEYLESS, KEYS};
pub use metadata::{label_key, label_value};
pub use outline::{Outline, OutlineField, outline};
pub use policy::METADATA;
pub(super) use policy::RULE;
pub(in super::super) use policy::{CLEANUP, EXCEPTION, POLICY};
pub(super) use print::{go_json, is_equal, is_zero};
pub(in super::super) use validate::{Strictness, validate};

/// A Go struct.
pub struct Struct {
    /// Its fields in Go's order, those of embedded structs at their place.
    pub(super) fields: &'static [Field],
    /// What the schema says beyond the fields.
    pub(super) also: Also,
}

/// What a schema says about several fields at once.
pub(in super::super) enum Also {
    /// Nothing.
    Nothing,
    /// These two exclude each other.
    NotBoth(&'static str, &'static str),
    /// One of these must be there, and no other.
    ExactlyOne(&'static [&'static str]),
}

/// A field of a Go struct.
pub struct Field {
    /// Its key.
    pub(super) name: &'static str,
    /// What it holds.
    pub(super) kind: Kind,
    /// When Go prints it.
    pub(super) shown: Shown,
    /// Whether the schema demands it.
    pub(super) required: bool,
    /// What the schema fills in.
    pub(super) default: Scalar,
    /// Whether `v2beta1` has it.
    pub(super) versions: Versions,
}

/// The versions that have a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Versions {
    /// All of them.
    All,
    /// `kyverno.io/v1` alone.
    V1,
}

/// The version of the schema.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Version {
    /// `kyverno.io/v1`.
    V1,
    /// `kyverno.io/v2beta1`.
    V2Beta1,
}

impl Version {
    /// Whether it has the field.
    fn has(self, field: &Field) -> bool {
        self == Version::V1 || field.versions == Versions::All
    }
}

/// When Go prints a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Shown {
    /// When it is not empty (`omitempty`).
    Filled,
    /// When it is there, even empty (a pointer with `omitempty`).
    Present,
    /// Always.
    Always,
}

/// A default.
#[derive(Clone, Copy)]
pub(in super::super) enum Scalar {
    /// None.
    Nothing,
    /// A truth value.
    Flag(bool),
    /// A text.
    Text(&'static str),
}

/// What a field holds.
pub enum Kind {
    /// A text.
    Text,
    /// The name of a rule, which has a longest length.
    Name,
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// True or false.
    Flag,
    /// A whole number from here on.
    Integer(i64),
    /// A list.
    List(&'static Kind),
    /// A list of structs.
    Structs(&'static Struct),
    /// A map from texts.
    Map(&'static Kind),
    /// A struct by value: Go prints it even when it is empty.
    Struct(&'static Struct),
    /// A pointer to a struct: Go prints it when it is there.
    Pointer(&'static Struct),
    /// Any JSON.
    Any,
    /// Conditions in either form, which the schema takes as any JSON.
    Conditions,
    /// The same, of which the schema of `v2beta1` knows the form.
    RuleConditions,
    /// Loops within loops, which the schema takes as any JSON.
    Loops(&'static Struct),
}

/// A field that need not be there.
pub const fn field(name: &'static str, kind: Kind) -> Field {
    Field {
        name,
        kind,
        shown: Shown::Filled,
        required: false,
        default: Scalar::Nothing,
        versions: Versions::All,
    }
}

/// A text.
pub const fn text(name: &'static str) -> Field {
    field(name, Kind::Text)
}

/// True or false.
pub const fn flag(name: &'static str) -> Field {
    field(name, Kind::Flag)
}

/// A list of texts.
pub const fn texts(name: &'static str) -> Field {
    field(name, Kind::List(&Kind::Text))
}

/// A map of texts.
pub const fn text_map(name: &'static str) -> Field {
    field(name, Kind::Map(&Kind::Text))
}

/// Any JSON.
pub const fn any(name: &'static str) -> Field {
    field(name, Kind::Any)
}

/// A struct, printed when it is there.
pub const fn pointer(name: &'static str, of: &'static Struct) -> Field {
    field(name, Kind::Pointer(of))
}

/// A struct, printed even when it is empty.
pub const fn by_value(name: &'static str, of: &'static Struct) -> Field {
    field(name, Kind::Struct(of))
}

/// A struct about whose fields together nothing is said.
pub const fn plain(fields: &'static [Field]) -> Struct {
    Struct { fields, also: Also::Nothing }
}

/// A struct with exactly one of these fields, whatever others it has.
pub const fn one_of(names: &'static [&'static str], fields: &'static [Field]) -> Struct {
    Struct { fields, also: Also::ExactlyOne(names) }
}

impl Field {
    /// Demanded by the schema, and printed always.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self.shown = Shown::Always;
        self
    }

    /// Printed even when empty.
    const fn always(mut self) -> Self {
        self.shown = Shown::Always;
        self
    }

    /// A pointer: printed when it is there.
    const fn present(mut self) -> Self {
        self.shown = Shown::Present;
        self
    }

    const fn defaults_to(mut self, flag: bool) -> Self {
        self.default = Scalar::Flag(flag);
        self
    }

    const fn or(mut self, text: &'static str) -> Self {
        self.default = Scalar::Text(text);
        self
    }

    const fn only_v1(mut self) -> Self {
        self.versions = Versions::V1;
        self
    }
}
