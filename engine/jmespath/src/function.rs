//! Functions: a row says name, arguments, result and what it does, with examples that the tests evaluate.
//!
//! In: the row of `abs`, the arguments `(-1)`. Out: 1. A row is all that a new function takes.

use crate::EvalError;
use crate::argument::Argument;
use crate::call::Call;
use engine_json::Value;

/// What a function does. It may rely on the number and the kinds of the arguments that its row declares, except
/// for the kinds of variadic ones.
pub type Run = for<'c, 'a> fn(&mut Call<'c, 'a>, &[Argument<'a>]) -> Result<Value, EvalError>;

/// One function. The row is its documentation.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// The name.
    pub name: &'static str,
    /// The arguments; without any the original does not look at what it is given.
    pub args: &'static [Arg],
    /// What kinds of values it returns.
    pub returns: &'static [Kind],
    /// What it does, in a few words.
    pub note: &'static str,
    /// Expressions over `null` and their values as JSON.
    pub examples: &'static [(&'static str, &'static str)],
    /// Does it.
    pub run: Run,
}

/// One argument of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arg {
    /// The kinds it may have.
    pub kinds: &'static [Kind],
    /// Whether more arguments may follow; the kinds of all are then left to the function.
    pub variadic: bool,
}

impl Arg {
    /// A string.
    pub const STRING: Arg = Arg::of(&[Kind::String]);
    /// A number.
    pub const NUMBER: Arg = Arg::of(&[Kind::Number]);
    /// A list.
    pub const ARRAY: Arg = Arg::of(&[Kind::Array]);
    /// A map.
    pub const OBJECT: Arg = Arg::of(&[Kind::Object]);
    /// A list of numbers.
    pub const ARRAY_NUMBER: Arg = Arg::of(&[Kind::ArrayNumber]);
    /// A list of strings.
    pub const ARRAY_STRING: Arg = Arg::of(&[Kind::ArrayString]);
    /// An expression.
    pub const EXPREF: Arg = Arg::of(&[Kind::Expref]);
    /// Anything.
    pub const ANY: Arg = Arg::of(&[Kind::Any]);

    /// An argument of one of these kinds.
    pub const fn of(kinds: &'static [Kind]) -> Arg {
        Arg { kinds, variadic: false }
    }

    /// One or more arguments of these kinds.
    pub const fn variadic(kinds: &'static [Kind]) -> Arg {
        Arg { kinds, variadic: true }
    }

    fn check(self, argument: &Argument<'_>) -> Result<(), EvalError> {
        if self.kinds.iter().any(|kind| kind.accepts(argument)) {
            return Ok(());
        }
        let kinds: Vec<String> = self.kinds.iter().map(|kind| format!("\"{}\"", kind.name())).collect();
        let (value, kinds) = (argument.go_format(), kinds.join(", "));
        Err(EvalError::other(format!("Invalid type for: {value}, expected: []jmespath.JpType{{{kinds}}}")))
    }
}

/// The kinds of values that functions distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A `float64`; an `int64` is none.
    Number,
    /// A string.
    String,
    /// A boolean; only for results.
    Bool,
    /// A list.
    Array,
    /// A map.
    Object,
    /// A list of numbers.
    ArrayNumber,
    /// A list of strings.
    ArrayString,
    /// A list of maps with Go's own type for it; only for results, see [`Argument::Objects`].
    ArrayObject,
    /// An expression.
    Expref,
    /// Anything.
    Any,
}

impl Kind {
    /// The original's name for it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Bool => "bool",
            Kind::Array | Kind::ArrayObject => "array",
            Kind::Object => "object",
            Kind::ArrayNumber => "array[number]",
            Kind::ArrayString => "array[string]",
            Kind::Expref => "expref",
            Kind::Any => "any",
        }
    }

    /// Whether an argument is of this kind.
    pub fn accepts(self, argument: &Argument<'_>) -> bool {
        let is_float = |value: &Value| matches!(value, Value::Number(engine_json::Number::Float(_)));
        let is_string = |value: &Value| matches!(value, Value::String(_));
        match self {
            Kind::Number => argument.number().is_some(),
            Kind::String => argument.text().is_some(),
            Kind::Array => argument.list().is_some(),
            Kind::Object => argument.object().is_some(),
            Kind::ArrayNumber => argument.plain_list().is_some_and(|list| list.iter().all(is_float)),
            Kind::ArrayString => argument.plain_list().is_some_and(|list| list.iter().all(is_string)),
            Kind::Expref => argument.expression().is_some(),
            Kind::Any => true,
            // Go: functions.go typeCheck has no case for any other kind.
            Kind::Bool | Kind::ArrayObject => false,
        }
    }
}

impl Function {
    /// The row as the original's `jp function` lists it: `add(any, any) any`.
    pub fn signature(&self) -> String {
        let names = |kinds: &[Kind]| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join("|");
        let arguments: Vec<String> = self.args.iter().map(|arg| names(arg.kinds)).collect();
        format!("{}({}) {}", self.name, arguments.join(", "), names(self.returns))
    }

    /// Whether the arguments have the declared number and kinds.
    // Go: functions.go resolveArgs.
    pub(crate) fn check(&self, arguments: &[Argument<'_>]) -> Result<(), EvalError> {
        let Some(last) = self.args.last() else { return Ok(()) };
        if last.variadic {
            return if arguments.len() < self.args.len() {
                Err(EvalError::other("Invalid arity."))
            } else {
                Ok(())
            };
        }
        if arguments.len() != self.args.len() {
            return Err(EvalError::other("incorrect number of args"));
        }
        self.args.iter().zip(arguments).try_for_each(|(arg, argument)| arg.check(argument))
    }
}
