//! Evaluation: a program, values for its variables, and a limit; a value or an error.
//!
//! In: a [`Program`] and an [`Input`]. Out: what it gives and what it cost. Errors are values on the way: `&&`, `||`, `?:`,
//! `all` and `exists` absorb them as cel-go does; the cost limit and this engine's own bounds end the evaluation.

mod attribute;
mod calls;
mod folds;
mod locals;
mod logic;
mod make;
mod messages;
mod operate;

pub(crate) use operate::no_operation;

use crate::error::{Error, Kind, Outcome};
use crate::function::{Host, Outside};
use crate::program::{Constant, Node, Program, Question};
use crate::trace::Trace;
use crate::value::Value;
use locals::{Local, Locals};
use logic::Truth;

/// So many steps one evaluation may take.
pub const MAX_STEPS: u64 = 50_000_000;

/// What a variable is bound to.
#[derive(Clone, Debug)]
pub enum Binding<'v> {
    /// Nothing: `no such attribute(s)`.
    Missing,
    /// A value.
    Value(Value<'v>),
    /// A value or fields that are computed when they are asked for.
    Lazy,
}

/// Variables that are computed when they are asked for. Each is computed at most once, its error kept: that is for whoever
/// implements this to see to.
pub trait Lazy<'v> {
    /// The variable as a whole.
    fn variable(&self, slot: u16) -> Outcome<'v>;

    /// A field of it; `None` where it has no such field.
    fn field(&self, slot: u16, name: &str) -> Option<Outcome<'v>>;
}

/// What a program is evaluated with.
#[derive(Clone, Copy, Default)]
pub struct Input<'a, 'v> {
    /// The bindings, in the order of the names that the program was made with.
    pub variables: &'a [Binding<'v>],
    /// What lazy bindings stand for.
    pub lazy: Option<&'a dyn Lazy<'v>>,
    /// The cost limit; none where the environment has none.
    pub limit: Option<u64>,
    /// What functions find in [`Host::outside`].
    pub outside: Option<&'a dyn Outside>,
}

/// What an evaluation gives.
#[derive(Clone, Debug)]
pub struct Evaluated<'v> {
    /// The value, or what went wrong.
    pub outcome: Outcome<'v>,
    /// What it cost.
    pub cost: u64,
}

impl Program {
    /// Evaluates the program.
    pub fn evaluate<'v>(&'v self, input: &Input<'_, 'v>) -> Evaluated<'v> {
        self.run(input, None)
    }

    /// Evaluates the program and says each step.
    pub fn trace<'v>(&'v self, input: &Input<'_, 'v>, trace: &mut dyn Trace<'v>) -> Evaluated<'v> {
        self.run(input, Some(trace))
    }

    #[inline]
    fn run<'v>(&'v self, input: &Input<'_, 'v>, trace: Option<&mut dyn Trace<'v>>) -> Evaluated<'v> {
        let (mut few, mut many);
        let locals: &mut [Local<'v>] = match usize::from(self.locals) {
            0 => &mut [],
            1..=locals::INLINE => {
                few = [const { Local::Unset }; locals::INLINE];
                &mut few
            }
            count => {
                many = Vec::new();
                many.resize_with(count, || Local::Unset);
                &mut many
            }
        };
        #[expect(
            clippy::needless_match,
            reason = "who listens is lent for a shorter time, which an option alone cannot be"
        )]
        let trace: Option<&mut dyn Trace<'v>> = match trace {
            Some(trace) => Some(trace),
            None => None,
        };
        Evaluation::new(self, input, locals, trace).run()
    }
}

/// An evaluation at work.
pub(crate) struct Evaluation<'a, 'v> {
    program: &'v Program,
    input: &'a Input<'a, 'v>,
    locals: Locals<'a, 'v>,
    cost: u64,
    /// What it had cost where it ended before its end.
    ended_at: Option<u64>,
    limit: u64,
    steps: u64,
    host: Host<'a>,
    trace: Option<&'a mut dyn Trace<'v>>,
}

impl<'a, 'v: 'a> Evaluation<'a, 'v> {
    // Inline, so that it is made where it stays.
    #[inline]
    fn new(
        program: &'v Program,
        input: &'a Input<'a, 'v>,
        locals: &'a mut [Local<'v>],
        trace: Option<&'a mut (dyn Trace<'v> + 'a)>,
    ) -> Self {
        Evaluation {
            program,
            input,
            locals: Locals(locals),
            cost: 0,
            ended_at: None,
            limit: input.limit.unwrap_or(u64::MAX),
            steps: 0,
            host: Host::new(input.outside, &program.regexes),
            trace,
        }
    }

    fn run(&mut self) -> Evaluated<'v> {
        let mut outcome = self.eval(self.program.root);
        let final_error = outcome.as_ref().is_err_and(|error| error.is_final());
        if self.cost > self.limit && !final_error {
            outcome = Err(Error::new(Kind::CostLimit));
        }
        Evaluated { outcome, cost: self.ended_at.unwrap_or(self.cost) }
    }

    /// The error; one that ends the evaluation is the last that is charged.
    // cel-go: what panics is observed by no cost tracker, and neither are the calls around it.
    #[cold]
    fn ended(&mut self, error: Box<Error>) -> Box<Error> {
        if error.is_final() {
            self.ended_at.get_or_insert(self.cost);
        }
        error
    }

    /// Adds to the cost. The limit is looked at where evaluation repeats itself, and at the end.
    fn charge(&mut self, units: u64) {
        // cel-go adds without a check for overflow (runtimecost.go Observe).
        self.cost = self.cost.wrapping_add(units);
    }

    /// The constant at a step, where nobody listens: it costs nothing to evaluate and cannot fail.
    fn written(&self, at: u32) -> Option<&'v Constant> {
        let program = self.program;
        match program.nodes.get(at as usize) {
            Some(Node::Const(constant)) if self.trace.is_none() => program.constants.get(*constant as usize),
            _ => None,
        }
    }

    /// Whether the limit and the bounds still allow to go on.
    fn check_limits(&self) -> Result<(), Box<Error>> {
        if self.cost > self.limit {
            return Err(Error::new(Kind::CostLimit));
        }
        if self.steps > MAX_STEPS {
            return Err(Error::new(Kind::Bound("MAX_STEPS")));
        }
        Ok(())
    }

    /// What a step says where a bool is asked for; a value that is none is an error without a place.
    fn truth(&mut self, at: u32) -> Truth {
        let program = self.program;
        let Some(Node::Ask(question)) = program.nodes.get(at as usize) else {
            return Truth::of(self.eval(at));
        };
        self.steps = self.steps.wrapping_add(1);
        let mut truth = self.answer(at, question);
        if let Truth::Failed(error) = truth {
            truth = Truth::Failed(self.placed(at, error));
        }
        if self.trace.is_some() {
            self.describe_truth(at, &truth);
        }
        truth
    }

    #[cold]
    fn describe_truth(&mut self, at: u32, truth: &Truth) {
        if let (Some(trace), Some(place)) = (&mut self.trace, self.program.places.get(at as usize)) {
            match truth {
                Truth::No => trace.value(*place, Ok(&Value::Bool(false))),
                Truth::Yes => trace.value(*place, Ok(&Value::Bool(true))),
                Truth::Failed(error) => trace.value(*place, Err(error)),
            }
        }
    }

    fn answer(&mut self, at: u32, question: &Question) -> Truth {
        match question {
            Question::And(a, b) => self.either(at, *a, *b, false),
            Question::Or(a, b) => self.either(at, *a, *b, true),
            Question::AndMany(first, count) => self.many(at, *first, *count, false),
            Question::OrMany(first, count) => self.many(at, *first, *count, true),
            Question::Not(a) => self.not(*a),
            Question::Equal(a, b) => self.equal(*a, *b, true),
            Question::NotEqual(a, b) => self.equal(*a, *b, false),
            Question::Ordered(relation, by_text, a, b) => self.ordered(*relation, *by_text, *a, *b),
            Question::In(a, b, by_size) => self.within(*a, *b, *by_size),
            Question::InSet(a, set) => self.in_set(*a, *set),
            Question::Matches { text, pattern, regex, callee } => {
                self.matches(*text, *pattern, *regex, *callee)
            }
            Question::Within(side, text, part) => self.has_part(*side, *text, *part),
            Question::Has(attribute) => self.has(*attribute),
            Question::Quantified(fold) => self.quantified(at, *fold),
        }
    }

    /// The value of a step. Each level of the tree takes a few hundred bytes of the stack.
    // Outcomes of the commonest steps are not moved on their way: that would take longer than the steps.
    fn eval(&mut self, at: u32) -> Outcome<'v> {
        self.steps = self.steps.wrapping_add(1);
        let program = self.program;
        if self.trace.is_some() {
            return self.settled(at);
        }
        match program.nodes.get(at as usize) {
            Some(Node::Const(constant)) => match program.constants.get(*constant as usize) {
                Some(Constant::Text(text)) => Ok(Value::Str(text)),
                Some(constant) => Ok(constant.value()),
                None => Ok(Value::Null),
            },
            Some(Node::Attribute(attribute)) => self.attribute(at, *attribute),
            Some(Node::Local(slot, charged)) => {
                self.charge(u64::from(*charged));
                self.local(*slot).map_err(|error| self.placed(at, error))
            }
            Some(Node::Ask(_)) => self.truth(at).into(),
            Some(Node::OrValue(a, b)) => {
                self.optional_or(*a, *b, true).map_err(|error| self.placed(at, error))
            }
            Some(Node::Size(a)) => self.size(*a).map_err(|error| self.placed(at, error)),
            Some(Node::Call(callee, first, count)) => self.call(at, *callee, *first, *count),
            _ => self.settled(at),
        }
    }

    fn settled(&mut self, at: u32) -> Outcome<'v> {
        if let Some(Node::Ask(_)) = self.program.nodes.get(at as usize) {
            return self.truth(at).into();
        }
        let mut outcome = self.step(at);
        if outcome.is_err() || self.trace.is_some() {
            self.settle(at, &mut outcome);
        }
        outcome
    }

    /// Gives an error its place, and notifies who listens.
    #[cold]
    fn settle(&mut self, at: u32, outcome: &mut Outcome<'v>) {
        if let Err(error) = outcome
            && error.at.is_none()
        {
            error.at = self.program.places.get(at as usize).copied();
        }
        if let (Some(trace), Some(place)) = (&mut self.trace, self.program.places.get(at as usize)) {
            trace.value(*place, outcome.as_ref().map_err(|error| &**error));
        }
    }

    /// The error with this place, if it has none yet.
    #[cold]
    fn placed(&self, at: u32, mut error: Box<Error>) -> Box<Error> {
        error.at = error.at.or_else(|| self.program.places.get(at as usize).copied());
        error
    }

    /// Says which part decided.
    fn decided(&mut self, at: u32, by: usize) {
        if let Some(trace) = &mut self.trace
            && let Some(place) = self.program.places.get(at as usize)
        {
            trace.decided(*place, by);
        }
    }

    fn step(&mut self, at: u32) -> Outcome<'v> {
        let program = self.program;
        let Some(node) = program.nodes.get(at as usize) else { return Err(Error::no_overload()) };
        match *node {
            Node::Const(constant) => {
                Ok(program.constants.get(constant as usize).map_or(Value::Null, Constant::value))
            }
            Node::Var(slot, charged) => {
                self.charge(u64::from(charged));
                self.variable(slot)
            }
            Node::Local(slot, charged) => {
                self.charge(u64::from(charged));
                self.local(slot)
            }
            Node::Attribute(attribute) => self.attribute(at, attribute),
            Node::Ask(_) => self.truth(at).into(),
            Node::Conditional(condition, yes, no) => self.conditional(at, condition, yes, no),
            Node::Binary(operation, by_text, a, b) => self.binary(operation, by_text, a, b),
            Node::Size(a) => self.size(a),
            Node::Negate(a) => self.negate(a),
            Node::Call(callee, first, count) => self.call(at, callee, first, count),
            Node::Unknown(name, first, count) => self.unknown(name, first, count),
            Node::Or2(a, b) => self.optional_or(a, b, false),
            Node::OrValue(a, b) => self.optional_or(a, b, true),
            Node::List(first, count) => self.list(first, count),
            Node::OptionalList(first, count) => self.optional_list(first, count),
            Node::Map(first, count) => self.map(first, count),
            Node::Struct(name, first, count) => self.object(name, first, count),
            Node::Fold(fold) => self.fold(at, fold),
            Node::Bind(slot, value, body) => self.bind(slot, value, body),
        }
    }

    fn argument(&self, at: u32) -> u32 {
        self.program.args.get(at as usize).copied().unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests;
