//! What the sieve asks of policies in CEL (`cel`).
//!
//! In: policies, exceptions and bindings as documents. Out: the exemptions in them, and texts in the language for what a
//! tightening wants to say. Whether somebody gets in is decided by running, as for all exemptions; nothing here decides it.

pub(super) use super::edit::Edit;
use engine::resource::DocumentId;
use engine_json::{Path, Value};

/// The documents of the language.
#[derive(Debug)]
pub(super) struct Documents<'a> {
    /// Policies, each with its key: `name` or `namespace/name`; those with rules as well.
    pub(super) policies: Vec<(DocumentId, String, &'a Value)>,
    /// Exceptions.
    pub(super) exceptions: Vec<(DocumentId, &'a Value)>,
    /// What binds policies to resources.
    pub(super) bindings: Vec<(DocumentId, &'a Value)>,
    /// Now, in nanoseconds since 1970 (UTC).
    pub(super) now: i64,
}

/// What kind of exemption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FoundKind {
    /// A PolicyException for policies of the language.
    Exception,
    /// A match condition that leaves something out.
    MatchCondition,
    /// A part of what selects images that leaves some out.
    Reference,
    /// A part of a validation that lets something through.
    Validation,
    /// An excluded resource rule.
    ExcludeRule,
    /// A requirement of a selector that leaves something out.
    Selector,
}

/// What a pattern looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum On {
    /// The image of a container.
    Image,
    /// The name of a container.
    Container,
    /// The name of the object.
    Name,
    /// The namespace of the object.
    Namespace,
    /// A label of the object.
    Label(String),
    /// An annotation of the object.
    Annotation(String),
    /// A label of the namespace.
    NamespaceLabel(String),
    /// A field of the object.
    Field(Path),
    /// A user, group or service account; its namespace.
    Subject(String, String),
}

/// How a text is compared with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compares {
    /// They are the same.
    Whole,
    /// One begins with the other.
    Start,
    /// One ends with the other.
    End,
    /// One is somewhere in the other.
    Part,
    /// One fits the other, a regular expression.
    Regex,
}

/// Where a pattern stands, beside the path of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Site {
    /// It is a comparison within an expression.
    Part {
        /// Its first byte.
        from: usize,
        /// The first byte behind it.
        to: usize,
        /// The text of what is compared.
        operand: String,
        /// Its value for whom it is an exemption.
        when: bool,
    },
    /// The whole text is compared in this way somewhere else.
    Argument(Compares),
    /// The text is the pattern.
    Whole,
}

/// A pattern by which an exemption knows whom it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundSelector {
    /// What it looks at.
    pub(super) on: On,
    /// The path of the text that holds it.
    pub(super) path: Path,
    /// The pattern: `*` and `?` as in Kyverno's wildcards.
    pub(super) pattern: String,
    /// Where it stands in the text.
    pub(super) site: Site,
}

/// Where a condition more can be written that an exemption asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// In a list of conditions that must all hold.
    Conditions(Path),
    /// Beside a part of an expression.
    Part {
        /// The path of the expression.
        path: Path,
        /// The first byte of the part.
        from: usize,
        /// The first byte behind it.
        to: usize,
        /// Its value for whom it is an exemption.
        when: bool,
        /// What the part looks at, where it looks at one after the other.
        element: Option<Element>,
    },
    /// Nowhere; but a match condition of the policy can stand in its place, in this list, with this text for what it said.
    Instead(Path, String),
    /// Nowhere.
    Nowhere,
}

/// What a part of an expression looks at, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// A container, by its name in the expression.
    Container(String),
    /// An image, by its name in the expression.
    Image(String),
    /// An image, in an expression that sees nothing else.
    Reference,
}

/// An exemption.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// What kind.
    pub(super) kind: FoundKind,
    /// One line that says what is exempt.
    pub(super) text: String,
    /// Its document.
    pub(super) document: DocumentId,
    /// Where it stands in that document.
    pub(super) path: Path,
    /// The rule it stands in; empty for a policy without rules.
    pub(super) rule: String,
    /// The keys of the policies that it weakens.
    pub(super) policies: Vec<String>,
    /// How to take it away; nothing for the whole document.
    pub(super) removal: Vec<Edit>,
    /// The patterns.
    pub(super) selectors: Vec<FoundSelector>,
    /// Capabilities that it names.
    pub(super) capabilities: Vec<String>,
    /// Where a condition more can stand.
    pub(super) room: Room,
    /// The kind of Pods, or of what makes them, that the policy is for; nothing for a policy of something else.
    pub(super) workload: Option<&'static str>,
    /// Why it can have no effect.
    pub(super) idle: Option<String>,
    /// What else is worth knowing.
    pub(super) notes: Vec<String>,
}

/// What a further condition says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Guard {
    /// All images are among these patterns.
    Images(Vec<String>),
    /// No capabilities are added but these.
    Capabilities(Vec<String>),
    /// No container asks for what an expression in the language finds; `$` stands for the container in it.
    NoContainer(&'static str),
    /// The spec of the Pod does not ask for it; `$` stands for the spec.
    NoSpec(&'static str),
    /// Images of these patterns stand in these lists of containers alone.
    Lists(Vec<&'static str>, Vec<String>),
    /// What a pattern can look at is one of these; `*` stands for anything at an end.
    Is(On, Vec<String>),
}
