//! What the schema refuses; such a policy is not loaded at all.
//!
//! In: a policy as written. Out: problems with their places.

use super::blocks::{LOOSE_ANY_ALL, LOOSE_CONDITION, NEW_ANY_ALL};
use super::{Also, Kind, Struct, Version, metadata, places};
use crate::diag::{Code, Severity};
use crate::load::decode::{Node, Problems};
use engine_json::{Path, Value};

/// The longest name of a rule.
const MAX_RULE_NAME: usize = 63;

/// How much of the schema holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super::super) enum Strictness {
    /// All of it.
    Schema(Version),
    /// Fields and their types alone: an item of a `List`.
    Types,
    /// The types of known fields alone: a part that the schema takes as any JSON.
    Loose,
}

impl Strictness {
    /// How the object at this path of its document is looked at: an item of a `List` has no schema in the original.
    pub(in super::super::super) fn at(path: &Path, version: Version) -> Self {
        if path.iter().next().is_none() { Strictness::Schema(version) } else { Strictness::Types }
    }

    fn version(self) -> Version {
        match self {
            Strictness::Schema(version) => version,
            Strictness::Types | Strictness::Loose => Version::V1,
        }
    }
}

/// Notes what is wrong with a policy.
pub(in super::super::super) fn validate(
    node: &Node<'_>,
    of: &Struct,
    strictness: Strictness,
    problems: &mut Problems,
) {
    if let Strictness::Schema(_) = strictness {
        metadata::validate(&node.field("metadata"), problems);
    }
    check_struct(node, of, strictness, problems);
    places::name(node.value, node.path().len(), of, strictness.version(), problems);
}

fn check_struct(node: &Node<'_>, of: &Struct, strictness: Strictness, problems: &mut Problems) {
    if node.map(problems).is_none() {
        return;
    }
    let version = strictness.version();
    let fields = || of.fields.iter().filter(|field| version.has(field));
    let known: Vec<&str> = fields().map(|field| field.name).collect();
    let before = problems.len();
    node.known_fields(&known, problems);
    if strictness == Strictness::Loose {
        // Go's reader of JSON passes over what it does not know.
        for problem in problems.iter_mut().skip(before) {
            problem.severity = Severity::Warning;
        }
    }
    for field in fields() {
        let inner = node.field(field.name);
        match (&field.kind, inner.is_absent()) {
            (_, true) if field.required && matches!(strictness, Strictness::Schema(_)) => {
                let message = format!("`{}` is required", field.name);
                node.problem(Code::MissingField, Severity::Error, message, problems);
            }
            (_, true) => {}
            (kind, false) => check_kind(&inner, kind, strictness, problems),
        }
    }
    if matches!(strictness, Strictness::Schema(_)) {
        check_also(node, &of.also, problems);
    }
}

fn check_also(node: &Node<'_>, also: &Also, problems: &mut Problems) {
    match also {
        Also::Nothing => {}
        Also::NotBoth(one, other) => {
            if node.has(one) && node.has(other) {
                let message = format!("`{one}` and `{other}` exclude each other");
                node.problem(Code::WrongType, Severity::Error, message, problems);
            }
        }
        Also::ExactlyOne(names) => {
            let found = names.iter().filter(|name| node.has(name)).count();
            if found != 1 {
                let list = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                let message = format!("exactly one of {list} must be given, here are {found}");
                node.problem(Code::WrongType, Severity::Error, message, problems);
            }
        }
    }
}

fn check_kind(node: &Node<'_>, kind: &Kind, strictness: Strictness, problems: &mut Problems) {
    match kind {
        Kind::Text => {
            node.text(problems);
        }
        Kind::Name => {
            let length = node.text(problems).chars().count();
            if length > MAX_RULE_NAME && matches!(strictness, Strictness::Schema(_)) {
                let message = format!("must have at most {MAX_RULE_NAME} characters, here are {length}");
                node.problem(Code::WrongType, Severity::Error, message, problems);
            }
        }
        Kind::OneOf(texts) => check_one_of(node, texts, strictness, problems),
        Kind::Flag => {
            node.flag(problems);
        }
        Kind::Integer(least) => check_integer(node, *least, strictness, problems),
        Kind::List(of) => {
            check_items(node, problems, |item, problems| check_kind(item, of, strictness, problems));
        }
        Kind::Structs(of) => check_structs(node, of, strictness, problems),
        Kind::Map(of) => {
            for key in node.map(problems).into_iter().flat_map(engine_json::Map::keys) {
                let item = node.field(key);
                if !item.is_absent() {
                    check_kind(&item, of, strictness, problems);
                }
            }
        }
        Kind::Struct(of) | Kind::Pointer(of) => check_struct(node, of, strictness, problems),
        Kind::Any => {}
        Kind::RuleConditions if strictness == Strictness::Schema(Version::V2Beta1) => {
            check_struct(node, &NEW_ANY_ALL, strictness, problems);
        }
        Kind::Conditions | Kind::RuleConditions => check_conditions(node, problems),
        Kind::Loops(of) => check_structs(node, of, Strictness::Loose, problems),
    }
}

fn check_structs(node: &Node<'_>, of: &Struct, strictness: Strictness, problems: &mut Problems) {
    if !matches!(strictness, Strictness::Schema(_)) {
        // Go's readers make an empty struct of null.
        node.items(problems, |item, problems| check_struct(item, of, strictness, problems));
        return;
    }
    check_items(node, problems, |item, problems| check_struct(item, of, strictness, problems));
}

fn check_items(node: &Node<'_>, problems: &mut Problems, check: impl Fn(&Node<'_>, &mut Problems)) {
    node.items(problems, |item, problems| {
        if item.is_absent() {
            item.problem(Code::WrongType, Severity::Error, "an item of this list must not be null", problems);
        } else {
            check(item, problems);
        }
    });
}

fn check_conditions(node: &Node<'_>, problems: &mut Problems) {
    match node.value {
        Value::Array(_) => check_structs(node, &LOOSE_CONDITION, Strictness::Loose, problems),
        Value::Object(_) => check_struct(node, &LOOSE_ANY_ALL, Strictness::Loose, problems),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            let message = "conditions must be a list, or a map with `any` and `all`";
            node.problem(Code::WrongType, Severity::Error, message, problems);
        }
    }
}

fn check_one_of(node: &Node<'_>, texts: &[&str], strictness: Strictness, problems: &mut Problems) {
    let before = problems.len();
    let text = node.text(problems);
    if problems.len() > before
        || !matches!(strictness, Strictness::Schema(_))
        || texts.contains(&text.as_str())
    {
        return;
    }
    let list = texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", ");
    let message = format!("`{text}` is not one of {list}");
    node.problem(Code::WrongType, Severity::Error, message, problems);
    let alike = texts.iter().find(|known| known.eq_ignore_ascii_case(&text));
    if let (Some(known), Some(problem)) = (alike, problems.last_mut()) {
        problem.hint = format!("write `{known}`");
    }
}

fn check_integer(node: &Node<'_>, least: i64, strictness: Strictness, problems: &mut Problems) {
    let number = node.value.as_i64().filter(|number| i32::try_from(*number).is_ok());
    match number {
        Some(number) if number >= least || strictness == Strictness::Types => {}
        Some(number) => {
            let message = format!("must be {least} or more, this is {number}");
            node.problem(Code::WrongType, Severity::Error, message, problems);
        }
        None => node.problem(Code::WrongType, Severity::Error, "must be a whole number", problems),
    }
}
