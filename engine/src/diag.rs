//! What is to be said about the user's text: never a verdict, always with a place where there is one.
//!
//! In: what a stage of loading noticed. Out: a [`Diagnostic`] that terminal and page render each in its way.

use engine_yaml::Span;

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Something could not be read or decided.
    Error,
    /// It was decided, but probably not as meant.
    Warning,
    /// Worth knowing.
    Info,
}

impl Severity {
    /// `error`, `warning` or `info`.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        }
    }
}

/// What kind of thing is said; its name on screen is stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The text is not YAML.
    YamlSyntax,
    /// A key stands twice in one map.
    DuplicateKey,
    /// Text behind the end of its document, which nothing reads.
    UnreadText,
    /// A limit against hostile input was passed.
    Limit,
    /// A document has no `kind` or no `apiVersion`.
    NoKind,
    /// A kind that this input does not take.
    UnknownKind,
    /// A kind, rule or field that the engine does not evaluate yet.
    NotSupported,
    /// A field that the kind does not have.
    UnknownField,
    /// A field of the wrong type.
    WrongType,
    /// A value that the field does not know.
    UnknownValue,
    /// A field that must be there is not.
    MissingField,
    /// An expression that does not parse.
    BadExpression,
    /// A policy that Kyverno refuses.
    Refused,
    /// The context of the rule asks for something that is not there.
    MissingContext,
    /// An exclusion that lets more through than it names.
    WideExclusion,
    /// A list of objects that is evaluated as one object; what looks into lists drops it.
    UnopenedList,
    /// Text of a resource that was evaluated as an expression.
    EvaluatedText,
    /// The verdict stands, but it is probably not what the author meant.
    Suspicious,
}

impl Code {
    /// The name on screen.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::YamlSyntax => "yaml-syntax",
            Code::DuplicateKey => "duplicate-key",
            Code::UnreadText => "unread-text",
            Code::Limit => "limit",
            Code::NoKind => "no-kind",
            Code::UnknownKind => "unknown-kind",
            Code::NotSupported => "not-supported",
            Code::UnknownField => "unknown-field",
            Code::WrongType => "wrong-type",
            Code::UnknownValue => "unknown-value",
            Code::MissingField => "missing-field",
            Code::BadExpression => "bad-expression",
            Code::Refused => "refused",
            Code::MissingContext => "missing-context",
            Code::WideExclusion => "wide-exclusion",
            Code::UnopenedList => "unopened-list",
            Code::EvaluatedText => "evaluated-text",
            Code::Suspicious => "suspicious",
        }
    }
}

/// One thing to say.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// What kind of thing.
    pub code: Code,
    /// How much it matters.
    pub severity: Severity,
    /// One line: lower case, no full stop, the user's text in back-ticks.
    pub message: String,
    /// Where; `None` for what has no place.
    pub span: Option<Span>,
    /// What to do about it, and what follows from it.
    pub hints: Vec<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: Code, span: Option<Span>, message: impl Into<String>) -> Self {
        Diagnostic { code, severity: Severity::Error, message: message.into(), span, hints: Vec::new() }
    }

    /// A warning at a place.
    pub fn warning(code: Code, span: Option<Span>, message: impl Into<String>) -> Self {
        Diagnostic { code, severity: Severity::Warning, message: message.into(), span, hints: Vec::new() }
    }

    /// The same with a hint more.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}
