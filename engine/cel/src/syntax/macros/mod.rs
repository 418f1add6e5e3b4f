//! Macros: calls that are replaced while parsing. A macro is one row; those of one library are one list.
//!
//! In: a call with its parts. Out: what it expands to, with all new nodes at the call, or what is wrong with its arguments
//! (`parser/macro.go`, `ext`, `cel/library.go`).

mod bindings;
mod math;
mod optional;
mod protos;
mod sort;
mod standard;
mod two_variables;

pub use bindings::BINDINGS;
pub use math::MATH;
pub use optional::OPTIONAL;
pub use protos::PROTOS;
pub(super) use sort::INPUT as SORT_INPUT;
pub use sort::LISTS;
pub use standard::STANDARD;
pub use two_variables::TWO_VARIABLES;

use super::build::{Builder, Span};
use crate::ast::{Comprehension, Expr, ExprId, Literal, Origin};
use crate::issue::Issue;
use crate::operators;
use engine_json::Str;

/// How the accumulator of a fold is called; no expression can write this name (`HiddenAccumulatorName`).
pub(super) const ACCUMULATOR: &str = "@result";

/// How it was called before; an iteration variable may still not have this name (`AccumulatorName`).
const OLD_ACCUMULATOR: &str = "__result__";

/// The iteration variable of a fold that iterates nothing.
pub(super) const UNUSED: &str = "#unused";

/// One macro.
#[derive(Clone, Copy, Debug)]
pub struct Macro {
    name: &'static str,
    form: Form,
    /// The number of arguments; `None` takes any.
    args: Option<usize>,
    expansion: Expansion,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Function,
    Method,
}

type Expand = fn(&mut Builder<'_>, &Call<'_>) -> Result<Option<ExprId>, Issue>;

#[derive(Clone, Copy, Debug)]
enum Expansion {
    Code(Expand),
    Function(&'static str),
}

impl Macro {
    /// A method that is written instead of a function: `x.name(args)` becomes `function(x, args)`.
    pub const fn method_to_function(name: &'static str, args: usize, function: &'static str) -> Self {
        Macro { name, form: Form::Method, args: Some(args), expansion: Expansion::Function(function) }
    }

    const fn function(name: &'static str, args: usize, expand: Expand) -> Self {
        Macro { name, form: Form::Function, args: Some(args), expansion: Expansion::Code(expand) }
    }

    const fn method(name: &'static str, args: usize, expand: Expand) -> Self {
        Macro { name, form: Form::Method, args: Some(args), expansion: Expansion::Code(expand) }
    }

    const fn method_of_any(name: &'static str, expand: Expand) -> Self {
        Macro { name, form: Form::Method, args: None, expansion: Expansion::Code(expand) }
    }

    /// The name that is called.
    pub fn name(&self) -> &'static str {
        self.name
    }

    fn fits(&self, call: &Call<'_>) -> bool {
        let form = if call.target.is_some() { Form::Method } else { Form::Function };
        self.name == call.name && self.form == form && self.args.is_none_or(|args| args == call.args.len())
    }
}

/// A call that may be a macro.
#[derive(Clone, Copy)]
pub(super) struct Call<'c> {
    pub(super) name: &'c str,
    pub(super) target: Option<ExprId>,
    pub(super) args: &'c [ExprId],
    pub(super) span: Span,
}

/// The macro that a call is.
pub(super) fn find<'m>(sets: &'m [&'m [Macro]], call: &Call<'_>) -> Option<&'m Macro> {
    sets.iter().flat_map(|set| set.iter()).find(|row| row.fits(call))
}

/// The method that stands for a function, where a row says so.
pub(super) fn written_as_method(sets: &[&[Macro]], function: &str, args: usize) -> Option<&'static str> {
    let rows = sets.iter().flat_map(|set| set.iter());
    let mut names = rows.filter_map(|row| match row.expansion {
        Expansion::Function(name) if name == function && row.args.is_some_and(|own| own + 1 == args) => {
            Some(row.name)
        }
        _ => None,
    });
    names.next()
}

impl Macro {
    /// What the call becomes; `None` where it is no call of this macro after all.
    pub(super) fn expand(&self, b: &mut Builder<'_>, call: &Call<'_>) -> Result<Option<ExprId>, Issue> {
        match self.expansion {
            Expansion::Code(expand) => expand(b, call),
            Expansion::Function(function) => {
                let args: Vec<_> = call.target.into_iter().chain(call.args.iter().copied()).collect();
                Ok(Some(b.operator(function, &args, call.span)))
            }
        }
    }
}

/// A fold whose parts are made; the accumulator and the element have the usual names.
struct Fold<'f> {
    var: &'f str,
    var2: Option<&'f str>,
    init: ExprId,
    condition: ExprId,
    step: ExprId,
    result: ExprId,
}

impl Builder<'_> {
    fn constant(&mut self, value: Literal, call: &Call<'_>) -> ExprId {
        self.add(Expr::Literal(value), call.span)
    }

    fn name(&mut self, name: &str, call: &Call<'_>) -> ExprId {
        self.add(Expr::Ident(Str::from(name)), call.span)
    }

    fn accumulator(&mut self, call: &Call<'_>) -> ExprId {
        self.add(Expr::Ident(Str::new_static(ACCUMULATOR)), call.span)
    }

    fn fold(&mut self, fold: &Fold<'_>, origin: Origin, call: &Call<'_>) -> Result<Option<ExprId>, Issue> {
        let range = target(call)?;
        let comprehension = Comprehension {
            range,
            var: Str::from(fold.var),
            var2: fold.var2.map(Str::from),
            accu: Str::new_static(ACCUMULATOR),
            init: fold.init,
            condition: fold.condition,
            step: fold.step,
            result: fold.result,
            origin,
        };
        Ok(Some(self.add(Expr::Comprehension(Box::new(comprehension)), call.span)))
    }

    /// A variable with a value, for the whole of `body`: a fold over nothing, whose accumulator is the variable.
    fn bind(&mut self, name: &str, value: ExprId, body: ExprId, call: &Call<'_>) -> ExprId {
        let range = self.list(&[], &[], call.span);
        let condition = self.constant(Literal::Bool(false), call);
        let step = self.name(name, call);
        let comprehension = Comprehension {
            range,
            var: Str::new_static(UNUSED),
            var2: None,
            accu: Str::from(name),
            init: value,
            condition,
            step,
            result: body,
            origin: Origin::Bind { value, body },
        };
        self.add(Expr::Comprehension(Box::new(comprehension)), call.span)
    }

    /// The name that an argument is, if it is one.
    fn name_of(&self, id: ExprId) -> Option<Str> {
        match self.known(id)? {
            Expr::Ident(name) => Some(name.clone()),
            _ => None,
        }
    }

    fn wrong(&self, id: ExprId, message: impl Into<String>) -> Issue {
        Issue { at: self.node(id).map(|node| node.at), message: message.into() }
    }

    /// The variable of an iteration; `otherwise` says what is wrong with anything but a name.
    fn variable(&self, id: ExprId, otherwise: &str) -> Result<Str, Issue> {
        let name = self.name_of(id).ok_or_else(|| self.wrong(id, otherwise))?;
        self.not_the_accumulator(id, &name)?;
        Ok(name)
    }

    fn not_the_accumulator(&self, id: ExprId, name: &str) -> Result<(), Issue> {
        if name == ACCUMULATOR || name == OLD_ACCUMULATOR {
            return Err(self.wrong(id, "iteration variable overwrites accumulator variable"));
        }
        Ok(())
    }

    /// `accumulator + [element]`, under a condition if there is one.
    fn appended(&mut self, element: ExprId, predicate: Option<ExprId>, call: &Call<'_>) -> ExprId {
        let accumulator = self.accumulator(call);
        let list = self.list(&[element], &[], call.span);
        let step = self.operator(operators::ADD, &[accumulator, list], call.span);
        self.under(predicate, step, call)
    }

    /// The step, or the accumulator as it is where the condition is false.
    fn under(&mut self, predicate: Option<ExprId>, step: ExprId, call: &Call<'_>) -> ExprId {
        let Some(predicate) = predicate else { return step };
        let unchanged = self.accumulator(call);
        self.operator(operators::CONDITIONAL, &[predicate, step, unchanged], call.span)
    }
}

/// The receiver of a method; there is none only where a row calls itself a function and is written for methods.
fn target(call: &Call<'_>) -> Result<ExprId, Issue> {
    call.target.ok_or_else(|| Issue::at(call.span.at, format!("{} is a method", call.name)))
}

/// The argument at `at`; a row's number of arguments is checked before it is expanded.
fn argument(call: &Call<'_>, at: usize) -> Result<ExprId, Issue> {
    let missing = || Issue::at(call.span.at, format!("{} needs {} arguments", call.name, at + 1));
    call.args.get(at).copied().ok_or_else(missing)
}

/// The condition and the new element of `map` and macros like it, behind `variables` names: the condition may be left out.
fn transform(call: &Call<'_>, variables: usize) -> Result<(Option<ExprId>, ExprId), Issue> {
    let first = argument(call, variables)?;
    Ok(match call.args.get(variables + 1) {
        Some(&second) => (Some(first), second),
        None => (None, first),
    })
}
