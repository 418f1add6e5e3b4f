//! Which branches an evaluation of expressions took: for each part that is true or false, which of them it was.
//!
//! In: what a policy asks. Out: one step for each expression, with its branches in numbers. Nothing is read, nothing is put into words: a
//! search evaluates many thousand objects. Of the elements of a list the first is distinguished from the others.

use super::{Making, Question, Questions, Steps, no_entries};
use engine::apply::Status;
use engine::trace::{Detail, Kind, Step, StepOutcome};
use engine_cel::ast::ExprId;
use engine_cel::error::{Error, Outcome};
use engine_cel::eval::{Binding, Input, Lazy};
use engine_cel::trace::Trace;
use engine_cel::value::{Numbers, Value};
use engine_json::Value as Json;
use std::cell::{OnceCell, RefCell};

/// How many branches of one expression are kept.
const MAX_BRANCHES: usize = 4_096;

/// The branches that were taken, as steps.
pub(crate) struct Branches;

impl Steps for Branches {
    fn steps(questions: &Questions<'_>, status: Status, at: Option<usize>) -> Vec<Step> {
        let listener = Listener::new(questions);
        for condition in &questions.conditions {
            listener.hear(condition);
        }
        let ends_early = status == Status::Skip || (status == Status::Error && at.is_none());
        if !ends_early {
            let asked = at.map_or(questions.validations.len(), |at| at + 1);
            for validation in questions.validations.iter().take(asked) {
                listener.hear(validation);
            }
        }
        listener.taken.into_inner()
    }

    fn steps_of_makings<'w>(questions: &Questions<'w>, makings: Vec<Making<'w>>) -> Vec<Step> {
        let mut listener = Listener::new(questions);
        let mut is_met = true;
        for condition in &questions.conditions {
            is_met &= listener.hear(condition).is_none_or(|found| matches!(found, Ok(Value::Bool(true))));
        }
        for making in makings.into_iter().take_while(|_| is_met) {
            if let Some(object) = making.object {
                listener.bind_object(object);
            }
            listener.hear(&making.asked);
        }
        listener.taken.into_inner()
    }
}

/// Evaluates expressions and notes their branches.
struct Listener<'q, 'w> {
    questions: &'q Questions<'w>,
    /// What names are bound to, where that is no longer what the questions say.
    rebound: Option<Vec<Binding<'w>>>,
    /// What variables are.
    outcomes: Vec<OnceCell<Outcome<'w>>>,
    taken: RefCell<Vec<Step>>,
}

impl<'q, 'w> Listener<'q, 'w> {
    fn new(questions: &'q Questions<'w>) -> Self {
        let outcomes = std::iter::repeat_with(OnceCell::new).take(questions.variables.len()).collect();
        Listener { questions, rebound: None, outcomes, taken: RefCell::default() }
    }

    fn bind_object(&mut self, object: &'w Json) {
        let names = &self.questions.environment.variables;
        let bindings = self.rebound.get_or_insert_with(|| self.questions.bindings.to_vec());
        let place = names.iter().position(|name| name == "object");
        if let Some(bound) = place.and_then(|place| bindings.get_mut(place)) {
            *bound = Binding::Value(Value::json(object, Numbers::AsWritten));
        }
    }

    fn hear(&self, asked: &Question<'w>) -> Option<Outcome<'w>> {
        let input = Input {
            variables: self.rebound.as_deref().unwrap_or(self.questions.bindings),
            lazy: Some(self),
            limit: self.questions.environment.limit,
            outside: self.questions.outside,
        };
        let mut log = Log::default();
        let evaluated = asked.compiled?.program.trace(&input, &mut log);
        log.taken.sort_unstable();
        log.taken.dedup();
        let detail = Detail::Branches(log.taken.into_boxed_slice());
        let step = Step::of(Kind::Expression, StepOutcome::Note, detail).in_policy(&asked.place);
        self.taken.borrow_mut().push(step);
        Some(evaluated.outcome)
    }
}

impl<'w> Lazy<'w> for Listener<'_, 'w> {
    fn variable(&self, _: u16) -> Outcome<'w> {
        Ok(no_entries())
    }

    fn field(&self, _: u16, name: &str) -> Option<Outcome<'w>> {
        let place = self.questions.variables.iter().rposition(|variable| variable.name == name)?;
        let outcome = self.outcomes.get(place)?;
        if let Some(known) = outcome.get() {
            return Some(known.clone());
        }
        let found = self.hear(self.questions.variables.get(place)?)?.map_err(Error::outside);
        Some(outcome.get_or_init(|| found).clone())
    }
}

/// Notes what parts of an expression are.
#[derive(Default)]
struct Log {
    /// The macros that are at an element, each with what tells its element from others.
    open: Vec<(ExprId, u64)>,
    taken: Vec<u64>,
}

/// Fowler, Noll and Vo's hash.
fn mix(hash: u64, number: u64) -> u64 {
    number
        .to_le_bytes()
        .iter()
        .fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

fn number(node: ExprId) -> u64 {
    u64::try_from(node.index()).unwrap_or(u64::MAX)
}

impl Log {
    fn close(&mut self, node: ExprId) {
        if self.open.last().is_some_and(|(open, _)| *open == node) {
            self.open.pop();
        }
    }

    fn within(&self) -> u64 {
        self.open.last().map_or(0xcbf2_9ce4_8422_2325, |(_, within)| *within)
    }
}

impl<'v> Trace<'v> for Log {
    fn value(&mut self, node: ExprId, value: Result<&Value<'v>, &Error>) {
        self.close(node);
        let outcome = match value {
            Ok(Value::Bool(true)) => 1,
            Ok(Value::Bool(false)) => 2,
            Err(_) => 3,
            Ok(Value::Optional(Some(_))) => 4,
            Ok(Value::Optional(None)) => 5,
            Ok(_) => return,
        };
        if self.taken.len() < MAX_BRANCHES {
            self.taken.push(mix(mix(self.within(), number(node)), outcome));
        }
    }

    fn decided(&mut self, _: ExprId, _: usize) {}

    fn element(&mut self, node: ExprId, at: usize) {
        self.close(node);
        let within = mix(mix(self.within(), number(node)), u64::from(at > 0));
        self.open.push((node, within));
    }
}
