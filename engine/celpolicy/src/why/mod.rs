//! Why a policy in CEL decided as it did: each expression with the values of its parts.
//!
//! In: what the policy asks, what its names are bound to, and the verdict. Out: steps of the trace. The expressions are evaluated once
//! more, by the same programs over the same values, with somebody who listens: who does not ask why pays nothing.

mod branches;
mod log;
mod parts;
mod reads;
mod sample;
mod value;
mod view;

use crate::compile::Compiled;
use crate::environment::{Environment, no_entries};
use crate::policy::Made;
pub(crate) use branches::Branches;
use engine::apply::Status;
use engine::trace::{Kind, Step};
use engine_cel::ast::{Comprehension, ExprId};
use engine_cel::error::{Error, Outcome};
use engine_cel::eval::{Binding, Input, Lazy};
use engine_cel::function::Outside;
use engine_cel::syntax;
use engine_cel::value::{Numbers, Value};
use engine_json::{Path, Value as Json};
use log::Log;
use parts::{Decides, StepWriter};
use std::cell::OnceCell;
pub use value::Found;
use view::{Ground, Heard, Variables, View};

/// An expression of a policy.
#[derive(Debug)]
pub struct Question<'w> {
    /// The name of a variable; else empty.
    pub name: &'w str,
    /// Its text.
    pub source: &'w str,
    /// Its program; nothing where it does not compile.
    pub compiled: Option<&'w Compiled>,
    /// Where it stands in the policy's document.
    pub place: Path,
}

impl<'w> Question<'w> {
    /// One that may not compile.
    pub(crate) fn of_made(name: &'w str, made: &'w Made, place: Path) -> Self {
        Question { name, source: &made.expression, compiled: made.program.as_ref().ok(), place }
    }
}

/// What a policy asks.
pub struct Questions<'w> {
    /// What its expressions may use.
    pub environment: &'w Environment,
    /// What its names are bound to.
    pub bindings: &'w [Binding<'w>],
    /// The resource's document.
    pub document: &'w Json,
    /// Where `object` stands in it.
    pub place: Path,
    /// What lies outside.
    pub outside: Option<&'w dyn Outside>,
    /// The match conditions.
    pub conditions: Vec<Question<'w>>,
    /// The variables.
    pub variables: Vec<Question<'w>>,
    /// The validations.
    pub validations: Vec<Question<'w>>,
}

/// An expression that makes something.
pub(crate) struct Making<'w> {
    /// The expression.
    pub(crate) asked: Question<'w>,
    /// What `object` is for it, where that is not what the policy was asked about.
    pub(crate) object: Option<&'w Json>,
}

/// The value of a part of an expression, which stands in these macros; see [`value`].
pub fn value_of(
    questions: &Questions<'_>,
    asked: &Question<'_>,
    part: ExprId,
    folds: &[(ExprId, &Comprehension)],
) -> Option<Found> {
    let listener = Listener::new(questions);
    let heard = listener.hear(asked)?;
    value::of(&View::whole(listener.ground(), &heard), part, folds)
}

/// Which steps are made.
pub(crate) trait Steps {
    /// The steps to a verdict; `at` is the validation that decided, where one did.
    fn steps(questions: &Questions<'_>, status: Status, at: Option<usize>) -> Vec<Step>;

    /// The steps to what a policy makes, in this order, if its conditions hold.
    fn steps_of_makings<'w>(questions: &Questions<'w>, makings: Vec<Making<'w>>) -> Vec<Step>;
}

/// A sentence about each part that says something of the verdict.
pub(crate) struct Sentences;

impl Steps for Sentences {
    fn steps(questions: &Questions<'_>, status: Status, at: Option<usize>) -> Vec<Step> {
        let listener = Listener::new(questions);
        let mut writer = StepWriter::new();
        let ends_early = status == Status::Skip || (status == Status::Error && at.is_none());
        for condition in &questions.conditions {
            let Some(heard) = listener.hear(condition) else { continue };
            let ends = ends_early && !holds(&heard);
            listener.explain(&mut writer, condition, &heard, Kind::Precondition, Decides::when(ends));
        }
        if ends_early {
            return writer.steps;
        }
        let asked = at.map_or(questions.validations.len(), |at| at + 1);
        let heard: Vec<_> =
            questions.validations.iter().take(asked).map(|one| (one, listener.hear(one))).collect();
        for (variable, heard) in questions.variables.iter().zip(&listener.heard) {
            if let Some(heard) = heard.get() {
                writer.place = variable.place.clone();
                writer.variable(variable.name, &View::whole(listener.ground(), heard));
            }
        }
        for (place, (validation, heard)) in heard.iter().enumerate() {
            if let Some(heard) = heard {
                let decides = Decides::when(at.is_none_or(|at| at == place));
                listener.explain(&mut writer, validation, heard, Kind::Expression, decides);
            }
        }
        writer.steps
    }

    fn steps_of_makings<'w>(questions: &Questions<'w>, makings: Vec<Making<'w>>) -> Vec<Step> {
        let mut listener = Listener::new(questions);
        let mut writer = StepWriter::new();
        let mut is_met = true;
        for condition in &questions.conditions {
            let Some(heard) = listener.hear(condition) else { continue };
            is_met &= holds(&heard);
            listener.explain(
                &mut writer,
                condition,
                &heard,
                Kind::Precondition,
                Decides::when(!holds(&heard)),
            );
        }
        if !is_met {
            return writer.steps;
        }
        let mut are_said = vec![false; questions.variables.len()];
        for making in makings {
            if let Some(object) = making.object {
                listener.bind_object(object);
            }
            let Some(heard) = listener.hear(&making.asked) else { continue };
            for ((variable, is_said), heard) in
                questions.variables.iter().zip(&mut are_said).zip(&listener.heard)
            {
                if let (Some(heard), false) = (heard.get(), *is_said) {
                    *is_said = true;
                    writer.place = variable.place.clone();
                    writer.variable(variable.name, &View::whole(listener.ground(), heard));
                }
            }
            writer.place = making.asked.place.clone();
            writer.made(&View::whole(listener.ground(), &heard));
        }
        writer.steps
    }
}

fn holds(heard: &Heard<'_>) -> bool {
    matches!(heard.scope.value(heard.ast.root()), Some(Ok(Value::Bool(true))))
}

/// Evaluates expressions and listens.
struct Listener<'q, 'w> {
    questions: &'q Questions<'w>,
    /// What `object` is.
    document: &'w Json,
    /// What names are bound to, where that is no longer what the questions say.
    rebound: Option<Vec<Binding<'w>>>,
    heard: Vec<OnceCell<Heard<'w>>>,
    outcomes: Vec<OnceCell<Outcome<'w>>>,
}

impl<'q, 'w> Listener<'q, 'w> {
    fn new(questions: &'q Questions<'w>) -> Self {
        let count = questions.variables.len();
        Listener {
            questions,
            document: questions.document,
            rebound: None,
            heard: std::iter::repeat_with(OnceCell::new).take(count).collect(),
            outcomes: std::iter::repeat_with(OnceCell::new).take(count).collect(),
        }
    }

    fn ground(&self) -> Ground<'_, 'w> {
        Ground { document: self.document, place: &self.questions.place, variables: self }
    }

    fn bind_object(&mut self, object: &'w Json) {
        self.document = object;
        let names = &self.questions.environment.variables;
        let bindings = self.rebound.get_or_insert_with(|| self.questions.bindings.to_vec());
        let place = names.iter().position(|name| name == "object");
        if let Some(bound) = place.and_then(|place| bindings.get_mut(place)) {
            *bound = Binding::Value(Value::json(object, Numbers::AsWritten));
        }
    }

    fn hear(&self, asked: &Question<'w>) -> Option<Heard<'w>> {
        Some(self.evaluate(asked)?.0)
    }

    fn evaluate(&self, asked: &Question<'w>) -> Option<(Heard<'w>, Outcome<'w>)> {
        let questions = self.questions;
        let options = syntax::Options { macros: questions.environment.macros, optional_syntax: true };
        let ast = syntax::parse(asked.source, &options).ok()?;
        let input = Input {
            variables: self.rebound.as_deref().unwrap_or(questions.bindings),
            lazy: Some(self),
            limit: questions.environment.limit,
            outside: questions.outside,
        };
        let mut log = Log::default();
        let evaluated = asked.compiled?.program.trace(&input, &mut log);
        Some((Heard { source: asked.source, ast, scope: log.end() }, evaluated.outcome))
    }

    fn explain(
        &self,
        writer: &mut StepWriter,
        asked: &Question<'w>,
        heard: &Heard<'w>,
        kind: Kind,
        decides: Decides,
    ) {
        writer.place = asked.place.clone();
        writer.whole(&View::whole(self.ground(), heard), kind, decides);
    }
}

impl<'w> Variables<'w> for Listener<'_, 'w> {
    fn heard(&self, name: &str) -> Option<&Heard<'w>> {
        let place = self.questions.variables.iter().rposition(|variable| variable.name == name)?;
        self.heard.get(place)?.get()
    }

    fn outside(&self) -> Option<&'w dyn Outside> {
        self.questions.outside
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
        let (heard, found) = self.evaluate(self.questions.variables.get(place)?)?;
        let found = found.map_err(Error::outside);
        let _ = self.heard.get(place)?.set(heard);
        Some(outcome.get_or_init(|| found).clone())
    }
}
