//! The steps of a program.

use crate::cost::Cost;
use crate::function::Run;
use crate::types::Type;
use crate::value::{ListRef, Value, contains};
use engine_json::Str;
use engine_json::arrange::Arrange as _;
use std::sync::atomic::AtomicU16;

/// One step. Numbers are places in the lists of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node {
    Const(u32),
    /// A variable without a selection; whether it is charged.
    Var(u16, bool),
    Local(u16, bool),
    Attribute(u32),
    Ask(Question),
    Conditional(u32, u32, u32),
    Binary(Operation, bool, u32, u32),
    Negate(u32),
    /// The size of a value.
    Size(u32),
    /// Function, first argument, how many.
    Call(u32, u32, u16),
    /// A function that is not declared: its name, first argument, how many.
    Unknown(u32, u32, u16),
    Or2(u32, u32),
    OrValue(u32, u32),
    /// First element, how many, whether some are optional.
    List(u32, u32),
    OptionalList(u32, u32),
    /// Keys and values in turn; with each, a third number says whether it is optional.
    Map(u32, u32),
    /// The name, and fields as in a map.
    Struct(u32, u32, u32),
    Fold(u32),
    /// Variable, value, what is evaluated with it.
    Bind(u16, u32, u32),
}

/// A step that gives a bool or an error, and nothing else.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Question {
    And(u32, u32),
    Or(u32, u32),
    /// More operands than two: first argument and how many.
    AndMany(u32, u32),
    OrMany(u32, u32),
    Not(u32),
    Equal(u32, u32),
    NotEqual(u32, u32),
    Ordered(Relation, bool, u32, u32),
    In(u32, u32, bool),
    /// Among constants.
    InSet(u32, u32),
    /// A regular expression that was read when the program was made; the callee says what it costs.
    Matches {
        text: u32,
        pattern: u32,
        regex: u32,
        callee: u32,
    },
    /// Whether one text stands within another.
    Within(Side, u32, u32),
    /// Whether an attribute is there.
    Has(u32),
    /// `all`, `exists`, `exists_one`.
    Quantified(u32),
}

/// An operation on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

/// Where in a text another is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Start,
    End,
    Anywhere,
}

/// What is asked of the order of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Less,
    LessEquals,
    Greater,
    GreaterEquals,
}

/// A value that was written.
#[derive(Debug)]
pub(crate) enum Constant {
    Text(Box<str>),
    Bytes(Box<[u8]>),
    Type(Str),
    Value(Value<'static>),
}

impl Constant {
    pub(crate) fn value(&self) -> Value<'_> {
        match self {
            Constant::Text(text) => Value::Str(text),
            Constant::Bytes(bytes) => Value::Bytes(bytes),
            Constant::Type(name) => Value::Type(name),
            Constant::Value(value) => value.clone(),
        }
    }
}

/// A value and what is selected from it, one after the other.
#[derive(Debug)]
pub(crate) struct Attribute {
    pub(crate) root: Root,
    pub(crate) qualifiers: Vec<Qualifier>,
    /// Whether the whole is charged beside its selections.
    pub(crate) charged: bool,
    /// Whether only the presence of the last is asked for.
    pub(crate) test: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Root {
    Var(u16),
    Local(u16),
    Node(u32),
    /// A condition, which is not charged.
    Conditional(u32),
}

/// Two places, a byte each, where a field stood in maps that had it: only guesses, which change no answer.
pub(crate) type Near = AtomicU16;

#[derive(Debug)]
pub(crate) struct Qualifier {
    pub(crate) key: Key,
    pub(crate) optional: bool,
    pub(crate) near: Near,
    /// The node of the tree.
    pub(crate) place: crate::ast::ExprId,
}

#[derive(Debug)]
pub(crate) enum Key {
    Field(Box<str>),
    Constant(u32),
    Node(u32),
}

/// A function as it is called at one place.
#[derive(Debug)]
pub(crate) struct Callee {
    pub(crate) name: &'static str,
    /// The overloads that may be meant, in the order of their declaration.
    pub(crate) candidates: Box<[Candidate]>,
    /// Whether the first is the one, as the checker found.
    pub(crate) is_known: bool,
    /// Whether the error for arguments that do not fit names the function.
    pub(crate) is_named: bool,
    pub(crate) cost: Cost,
}

#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) run: Run,
    pub(crate) guarded: bool,
    pub(crate) params: Box<[KindOf]>,
}

/// What a parameter takes at run time.
#[derive(Clone, Debug)]
pub(crate) enum KindOf {
    Any,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Timestamp,
    Duration,
    /// With what the first element is.
    List(Box<KindOf>),
    /// With what the first key and value are.
    Map(Box<(KindOf, KindOf)>),
    Optional,
    Type,
    Named(Str),
}

impl KindOf {
    // cel-go: types.go defaultIsAssignableRuntimeType; of a list or a map the first entry is looked at.
    pub(crate) fn of(param: &Type) -> Self {
        match param {
            Type::Null => KindOf::Null,
            Type::Bool => KindOf::Bool,
            Type::Int => KindOf::Int,
            Type::Uint => KindOf::Uint,
            Type::Double => KindOf::Double,
            Type::String => KindOf::String,
            Type::Bytes => KindOf::Bytes,
            Type::Timestamp => KindOf::Timestamp,
            Type::Duration => KindOf::Duration,
            Type::List(element) => KindOf::List(Box::new(KindOf::of(element))),
            Type::Map(entry) => KindOf::Map(Box::new((KindOf::of(&entry.0), KindOf::of(&entry.1)))),
            Type::Optional(_) => KindOf::Optional,
            Type::Type(_) => KindOf::Type,
            Type::Named(name) => KindOf::Named(name.clone()),
            Type::Dyn | Type::Any | Type::Wrapper(_) | Type::Param(_) | Type::Var(_) | Type::Error => {
                KindOf::Any
            }
        }
    }

    pub(crate) fn takes(&self, value: &Value<'_>) -> bool {
        match self {
            KindOf::Any => true,
            KindOf::Null => matches!(value, Value::Null),
            KindOf::Bool => matches!(value, Value::Bool(_)),
            KindOf::Int => matches!(value, Value::Int(_)),
            KindOf::Uint => matches!(value, Value::Uint(_)),
            KindOf::Double => matches!(value, Value::Double(_)),
            KindOf::String => matches!(value, Value::Str(_) | Value::Text(_)),
            KindOf::Bytes => matches!(value, Value::Bytes(_) | Value::Octets(_)),
            KindOf::Timestamp => matches!(value, Value::Timestamp(_)),
            KindOf::Duration => matches!(value, Value::Duration(_)),
            KindOf::List(element) => value.as_list().is_some_and(|list| {
                matches!(**element, KindOf::Any) || list.get(0).is_none_or(|first| element.takes(&first))
            }),
            KindOf::Map(entry) => value.as_map().is_some_and(|map| {
                matches!(**entry, (KindOf::Any, KindOf::Any))
                    || map.at(0).is_none_or(|(key, value)| entry.0.takes(&key) && entry.1.takes(&value))
            }),
            KindOf::Optional => matches!(value, Value::Optional(_)),
            KindOf::Type => matches!(value, Value::Type(_)),
            KindOf::Named(name) => value.type_name() == name.as_str(),
        }
    }
}

/// An iteration, or what a macro with two variables makes.
#[derive(Debug)]
pub(crate) struct Fold {
    pub(crate) kind: FoldKind,
    pub(crate) range: u32,
    pub(crate) var: u16,
    /// The second variable, where there is one.
    pub(crate) var2: Option<u16>,
    pub(crate) predicate: Option<u32>,
    pub(crate) transform: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FoldKind {
    All,
    Exists,
    ExistsOne,
    Filter,
    Map,
    TransformMap,
    TransformMapEntry,
}

/// The constants of a list behind `in`.
#[derive(Debug)]
pub(crate) struct Set {
    /// The strings, sorted.
    texts: Vec<Box<str>>,
    /// All that are not strings.
    others: Vec<Value<'static>>,
}

impl Set {
    pub(crate) fn new(list: ListRef<'_, 'static>) -> Self {
        let mut set = Set { texts: Vec::new(), others: Vec::new() };
        for element in list.iter() {
            match element.as_str() {
                Some(text) => set.texts.push(text.into()),
                None => set.others.push(element),
            }
        }
        set.texts.arrange();
        set
    }

    pub(crate) fn contains(&self, value: &Value<'_>) -> bool {
        match value.as_str() {
            Some(text) if self.texts.len() <= 8 => self.texts.iter().any(|known| **known == *text),
            Some(text) => self.texts.binary_search_by(|known| (**known).cmp(text)).is_ok(),
            None => contains(ListRef::Made(&self.others), value),
        }
    }
}
