//! What Kubernetes' admission policies and the rule `validate.cel` say of an object.
//!
//! In: the compiled expressions, the objects of the request, parameters. Out: admitted, denied, failed, or not for this object.
//! Mirrors: `apiserver/pkg/admission/plugin/policy/validating/validator.go`, `webhook/matchconditions/matcher.go` and
//! `plugin/cel/{condition,activation,composition}.go` of Kubernetes 0.36.

use super::subject::Subject;
use crate::environment::no_entries;
use crate::functions::authz::{self, Asker};
use crate::policy::{Admission, AdmissionProgram, Made};
use crate::why::{Question, Questions, Steps};
use engine::apply::Status;
use engine::trace::Step;
use engine_cel::error::{Error, Outcome};
use engine_cel::eval::{Binding, Input, Lazy};
use engine_cel::value::{Numbers, Value};
use engine_json::ordered::OrderedMap;
use engine_json::{Path, Str, Value as Json, quote};
use std::cell::{Cell, RefCell};

/// What all validations of a policy may cost, their messages included.
// Kubernetes: apiserver/pkg/apis/cel/config.go RuntimeCELCostBudget.
pub(super) const BUDGET: u64 = 10_000_000;
/// What all match conditions may cost.
// RuntimeCELCostBudgetMatchConditions.
const CONDITIONS_BUDGET: u64 = 2_500_000;
/// The longest message in bytes that an expression may give.
// MaxEvaluatedMessageExpressionSizeBytes.
const MAX_MESSAGE: usize = 5 * 1024;

/// What a policy is asked about.
#[derive(Clone, Copy)]
pub struct Objects<'w> {
    /// The object as it will be; null for one that goes.
    pub object: &'w Json,
    /// The object as it was; null for one that is new.
    pub old_object: &'w Json,
    /// The request.
    pub request: &'w Json,
    /// The Namespace; null where there is none.
    pub namespace: &'w Json,
    /// The parameters; null where there are none.
    pub params: &'w Json,
    /// How whole numbers of the parameters are read.
    pub params_numbers: Numbers,
    /// How those of the objects are read.
    pub numbers: Numbers,
    /// Who asks, where expressions may ask who may do what; those of messages never may.
    pub asker: Option<&'w Asker>,
}

impl<'w> Objects<'w> {
    /// What there is of a subject, and these parameters.
    pub fn of(subject: &'w Subject, params: &'w Json) -> Self {
        Objects {
            object: &subject.object,
            old_object: &subject.old_object,
            request: &subject.request,
            namespace: &subject.namespace,
            params,
            params_numbers: subject.numbers,
            numbers: subject.numbers,
            asker: None,
        }
    }
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The match conditions are not met.
    NotMatched,
    /// Every validation holds.
    Admitted,
    /// A validation does not hold.
    Denied {
        /// Its place.
        at: usize,
        /// Kubernetes' words, or the author's.
        message: String,
    },
    /// Something could not be decided, in Kubernetes' words.
    Failed {
        /// The place of the validation, where it is one.
        at: Option<usize>,
        /// What went wrong.
        message: String,
    },
}

/// The decision of a policy: the first that is not an admission.
// Kyverno: pkg/engine/handlers/validation/validate_cel.go and pkg/admissionpolicy/validate.go end there.
pub fn decide(written: &Admission, program: &AdmissionProgram, objects: &Objects<'_>) -> Decision {
    let decisions = decisions(written, program, objects);
    decisions.into_iter().find(|decision| *decision != Decision::Admitted).unwrap_or(Decision::Admitted)
}

/// The decision of each validation, in their order; one alone where the policy does not come to its validations, or may cost no more.
pub(crate) fn decisions(
    written: &Admission,
    program: &AdmissionProgram,
    objects: &Objects<'_>,
) -> Vec<Decision> {
    let failed = |message: String| vec![Decision::Failed { at: None, message }];
    // Kubernetes: match conditions do not know the namespace.
    let unnamed = Objects { namespace: &Json::Null, ..*objects };
    match conditions(written, program, &unnamed) {
        Ok(true) => {}
        Ok(false) => return vec![Decision::NotMatched],
        Err(message) => return failed(message),
    }
    let mut left = BUDGET;
    let validations = List::new(program, objects);
    let mut outcomes = Vec::new();
    for made in &program.validations {
        match validations.evaluate(made, &mut left) {
            Ok(outcome) => outcomes.push(outcome),
            Err(OutOfBudget) => return failed(OutOfBudget.to_string()),
        }
    }
    let messages = List::new(program, &Objects { asker: None, ..*objects });
    let messages = Messages::new(messages, &mut left);
    if let Err(OutOfBudget) = annotations(program, objects) {
        return failed(OutOfBudget.to_string());
    }
    let decided = |(at, outcome): (usize, Result<Value<'_>, String>)| match (outcome, &messages) {
        (Err(message), _) => Decision::Failed { at: Some(at), message },
        // Be it one that holds.
        (Ok(_), Err(OutOfBudget)) => {
            Decision::Failed { at: Some(at), message: format!("failed messageExpression: {OutOfBudget}") }
        }
        (Ok(Value::Bool(true)), Ok(_)) => Decision::Admitted,
        (Ok(_), Ok(messages)) => {
            Decision::Denied { at, message: denial(written, at, messages.of(at).as_ref()) }
        }
    };
    outcomes.into_iter().enumerate().map(decided).collect()
}

/// What is wrong with the values of audit annotations, in Kubernetes' words; nothing where they may cost no more, which is a decision by
/// itself.
// Kubernetes: evaluated with a budget of their own, whatever was decided.
pub(crate) fn broken_annotations(program: &AdmissionProgram, objects: &Objects<'_>) -> Vec<String> {
    let list = List::new(program, &Objects { asker: None, ..*objects });
    let mut left = BUDGET;
    let outcomes = program.audit_annotations.iter().map(|made| list.evaluate(made, &mut left));
    outcomes.map_while(Result::ok).filter_map(Result::err).collect()
}

/// Who asks, and where it stands in its document.
#[derive(Clone, Copy)]
pub(crate) enum Asking<'w> {
    /// A policy, by its root.
    Policy(&'w Admission, &'w AdmissionProgram, &'w Path),
    /// A rule; places are within it.
    Rule(&'w Admission, &'w AdmissionProgram),
}

impl Asking<'_> {
    /// Where an expression of a list stands.
    fn place(&self, list: &str, at: usize) -> Path {
        let list = match (self, list) {
            (Asking::Policy(_, _, root), list) => root.join("spec").join(list),
            (Asking::Rule(..), "matchConditions") => Path::from_keys(&["celPreconditions"]),
            (Asking::Rule(..), "validations") => Path::from_keys(&["validate", "cel", "expressions"]),
            (Asking::Rule(..), list) => Path::from_keys(&["validate", "cel", list]),
        };
        list.join(at).join("expression")
    }
}

/// The steps to a decision.
pub(super) fn explained<W: Steps>(
    asking: Asking<'_>,
    objects: &Objects<'_>,
    decision: &Decision,
) -> Vec<Step> {
    let (Asking::Policy(written, program, _) | Asking::Rule(written, program)) = asking;
    let (status, at) = match decision {
        Decision::NotMatched => (Status::Skip, None),
        Decision::Admitted => (Status::Pass, None),
        Decision::Denied { at, .. } => (Status::Fail, Some(*at)),
        Decision::Failed { at, .. } => (Status::Error, *at),
    };
    let question = |list: &str, at: usize, name, made| Question::of_made(name, made, asking.place(list, at));
    let conditions = written.match_conditions.iter().zip(&program.match_conditions).enumerate();
    let variables = program.variables.iter().enumerate();
    let validations = program.validations.iter().enumerate();
    let questions = Questions {
        environment: &program.environment,
        bindings: &List::new(program, objects).bindings,
        document: if objects.object.is_null() { objects.old_object } else { objects.object },
        place: Path::root(),
        outside: None,
        conditions: conditions
            .map(|(at, ((name, _), made))| question("matchConditions", at, name.as_str(), made))
            .collect(),
        variables: variables
            .map(|(at, (name, made))| question("variables", at, name.as_str(), made))
            .collect(),
        validations: validations.map(|(at, made)| question("validations", at, "", made)).collect(),
    };
    W::steps(&questions, status, at)
}

/// Whether the match conditions are met: one that is not wins over errors.
pub(super) fn conditions(
    written: &Admission,
    program: &AdmissionProgram,
    objects: &Objects<'_>,
) -> Result<bool, String> {
    let list = List::new(program, objects);
    let mut left = CONDITIONS_BUDGET;
    let outcomes: Result<Vec<_>, OutOfBudget> =
        program.match_conditions.iter().map(|made| list.evaluate(made, &mut left)).collect();
    let outcomes = match outcomes {
        Ok(outcomes) => outcomes,
        Err(OutOfBudget) if written.ignores_failures => return Ok(false),
        Err(OutOfBudget) => return Err(OutOfBudget.to_string()),
    };
    let mut errors: Vec<&str> = Vec::new();
    let mut count = 0;
    for outcome in &outcomes {
        match outcome {
            Ok(Value::Bool(false)) => return Ok(false),
            Ok(_) => {}
            Err(error) => {
                count += 1;
                if !errors.contains(&error.as_str()) {
                    errors.push(error);
                }
            }
        }
    }
    match (errors.as_slice(), written.ignores_failures) {
        ([], _) => Ok(true),
        (_, true) => Ok(false),
        // Go: an aggregate of several errors prints a text that repeats once.
        ([one], false) if count > 0 => Err((*one).to_owned()),
        (many, false) => Err(format!("[{}]", many.join(", "))),
    }
}

/// What is said of a validation that does not hold.
fn denial(written: &Admission, at: usize, said: Option<&Value<'_>>) -> String {
    let validation = written.validations.get(at);
    let said = said.and_then(Value::as_str).unwrap_or("").trim();
    if !said.is_empty() && said.len() <= MAX_MESSAGE && !said.contains('\n') {
        return said.to_owned();
    }
    let message = validation.map_or("", |validation| validation.message.trim());
    if !message.is_empty() {
        return message.to_owned();
    }
    let expression = validation.map_or("", |validation| validation.expression.trim());
    format!("failed expression: {expression}")
}

/// Evaluates audit annotations where they could cost too much: else nothing is seen of them here.
fn annotations(program: &AdmissionProgram, objects: &Objects<'_>) -> Result<(), OutOfBudget> {
    let list = List::new(program, &Objects { asker: None, ..*objects });
    let mut left = BUDGET;
    if list.fits(program.audit_annotations.len(), left) {
        return Ok(());
    }
    program.audit_annotations.iter().try_for_each(|made| list.evaluate(made, &mut left).map(|_| ()))
}

/// The messages of a policy: each evaluated when it is asked for, if all together cannot cost too much.
struct Messages<'w> {
    list: List<'w>,
    known: Option<Vec<Option<Value<'w>>>>,
}

impl<'w> Messages<'w> {
    fn new(list: List<'w>, left: &mut u64) -> Result<Self, OutOfBudget> {
        let all = list.program.messages.iter();
        if list.fits(all.clone().flatten().count(), *left) {
            return Ok(Messages { list, known: None });
        }
        let one = |made: &'w Option<Made>| {
            made.as_ref().map_or(Ok(None), |made| list.evaluate(made, left).map(Result::ok))
        };
        let known = all.map(one).collect::<Result<Vec<_>, _>>()?;
        Ok(Messages { list, known: Some(known) })
    }

    /// What the message of a validation says; nothing where it has none, or it fails.
    fn of(&self, at: usize) -> Option<Value<'w>> {
        if let Some(known) = &self.known {
            return known.get(at)?.clone();
        }
        let made = self.list.program.messages.get(at)?.as_ref()?;
        self.list.evaluate(made, &mut u64::MAX.clone()).ok()?.ok()
    }
}

/// The budget is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutOfBudget;

impl std::fmt::Display for OutOfBudget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "validation failed due to running out of cost budget, no further validation rules will be run",
        )
    }
}

/// Expressions that are evaluated together: each variable once for all of them.
pub(super) struct List<'w> {
    program: &'w AdmissionProgram,
    pub(super) bindings: Vec<Binding<'w>>,
    known: RefCell<OrderedMap<usize, Outcome<'w>>>,
    /// What variables have cost since the last expression.
    spent: Cell<u64>,
}

impl<'w> List<'w> {
    pub(super) fn new(program: &'w AdmissionProgram, objects: &Objects<'w>) -> Self {
        let document = |value: &'w Json| Binding::Value(Value::json(value, objects.numbers));
        let asks = |value: fn(&Asker) -> Value<'w>| {
            objects.asker.map_or(Binding::Missing, |asker| Binding::Value(value(asker)))
        };
        let bind = |name: &Str| match name.as_str() {
            "object" => document(objects.object),
            "oldObject" => document(objects.old_object),
            "request" => document(objects.request),
            "namespaceObject" => document(objects.namespace),
            "params" => Binding::Value(Value::json(objects.params, objects.params_numbers)),
            "variables" => Binding::Lazy,
            "authorizer" => asks(authz::authorizer),
            "authorizer.requestResource" => asks(authz::request_resource),
            _ => Binding::Missing,
        };
        let bindings = program.environment.variables.iter().map(bind).collect();
        List { program, bindings, known: RefCell::default(), spent: Cell::default() }
    }

    /// Leaves out the variables of the policy.
    pub(super) fn forget_variables(&mut self) {
        let named = self.program.environment.variables.iter().zip(&mut self.bindings);
        named.filter(|(name, _)| *name == "variables").for_each(|(_, binding)| *binding = Binding::Missing);
    }

    /// Whether this many expressions and all variables cannot cost more than this.
    fn fits(&self, expressions: usize, left: u64) -> bool {
        let each = self.program.environment.limit.unwrap_or(u64::MAX).saturating_mul(2);
        let count = u64::try_from(expressions + self.program.variables.len()).unwrap_or(u64::MAX);
        expressions == 0 || each.saturating_mul(count) <= left
    }

    fn run(&self, made: &'w engine_cel::program::Program) -> engine_cel::eval::Evaluated<'w> {
        let limit = self.program.environment.limit;
        made.evaluate(&Input { variables: &self.bindings, lazy: Some(self), limit, outside: None })
    }

    /// The value of an expression, or Kubernetes' words.
    pub(super) fn evaluate(
        &self,
        made: &'w Made,
        left: &mut u64,
    ) -> Result<Result<Value<'w>, String>, OutOfBudget> {
        let compiled = match &made.program {
            Ok(compiled) => compiled,
            Err(words) => return Ok(Err(format!("compilation error: {words}"))),
        };
        let evaluated = self.run(&compiled.program);
        for cost in [self.spent.take(), evaluated.cost] {
            *left = left.checked_sub(cost).ok_or(OutOfBudget)?;
        }
        Ok(evaluated
            .outcome
            .map_err(|error| format!("expression '{}' resulted in error: {error}", made.expression)))
    }
}

impl<'w> Lazy<'w> for List<'w> {
    fn variable(&self, _: u16) -> Outcome<'w> {
        Ok(no_entries())
    }

    fn field(&self, _: u16, name: &str) -> Option<Outcome<'w>> {
        let mut variables = self.program.variables.iter().enumerate();
        let (place, (_, made)) = variables.rfind(|(_, (known, _))| known == name)?;
        if let Some(known) = self.known.borrow().get(&place) {
            return Some(known.clone());
        }
        let name = quote(name);
        let outcome = match &made.program {
            Err(words) => Err(Error::text(format!("composited variable {name} fails to compile: {words}"))),
            Ok(compiled) => {
                let evaluated = self.run(&compiled.program);
                self.spent.set(self.spent.get().saturating_add(evaluated.cost));
                evaluated.outcome.map_err(|error| {
                    Error::text(format!("composited variable {name} fails to evaluate: {error}"))
                })
            }
        };
        self.known.borrow_mut().insert(place, outcome.clone());
        Some(outcome)
    }
}
