//! One policy over one object.

use super::frame::Frame;
use super::matching::matches;
use super::{Explainers, Row, Subject};
use crate::compile::Compiled;
use crate::policy::{Evaluation, Exception, ExceptionProgram, Policy, Program};
use crate::why::{Question, Questions, Steps};
use engine::apply::Status;
use engine::trace::Step;
use engine_cel::error::Error;
use engine_cel::eval::Binding;
use engine_cel::function::Outside;
use engine_cel::value::{Equality, Opaque, Value};
use engine_json::{Path, Str};
use std::any::Any;
use std::sync::Arc;

/// The exceptions of a policy.
#[derive(Clone, Copy, Debug)]
pub struct Exceptions<'a> {
    /// All of them, in their order.
    pub all: &'a [(Exception, ExceptionProgram)],
    /// The time, in nanoseconds since 1970 (UTC), where those that have ended are not looked at.
    pub now: Option<i64>,
}

/// How a verdict is explained.
#[derive(Clone, Copy, Debug)]
pub struct Explaining<'a> {
    /// What makes the steps to the verdict, and where the policy stands in its document.
    pub(crate) why: Option<(&'static Explainers, &'a Path)>,
}

/// What the policy, or the variant of it that the object is for, says of it; `None` where none is.
pub fn evaluate(
    policy: &Policy,
    program: &Program,
    exceptions: Exceptions<'_>,
    subject: &Subject,
    outside: &dyn Outside,
    explaining: Explaining<'_>,
) -> Option<Row> {
    rows(policy, program, exceptions, subject, outside, explaining).next()
}

/// What the policy and each of its variants say of it.
pub fn evaluate_each(
    policy: &Policy,
    program: &Program,
    exceptions: Exceptions<'_>,
    subject: &Subject,
    outside: &dyn Outside,
    explaining: Explaining<'_>,
) -> Vec<Row> {
    rows(policy, program, exceptions, subject, outside, explaining).collect()
}

fn rows<'a>(
    policy: &'a Policy,
    program: &'a Program,
    exceptions: Exceptions<'a>,
    subject: &'a Subject,
    outside: &'a dyn Outside,
    explaining: Explaining<'a>,
) -> impl Iterator<Item = Row> + 'a {
    let whole = std::iter::once((None, policy, program));
    let variants = policy.variants.iter().zip(&program.variants).enumerate();
    let all = whole.chain(variants.map(|(at, (policy, program))| (Some(at), policy, program)));
    all.filter_map(move |(variant, policy, program)| {
        let own = exceptions.all.iter().filter_map(|(exception, compiled)| {
            if exceptions.now.is_some_and(|now| exception.is_expired(now)) {
                return None;
            }
            let conditions = match variant {
                None => &compiled.conditions,
                Some(at) => compiled.variants.get(at)?,
            };
            Some((exception, conditions.as_slice()))
        });
        evaluate_one(policy, program, &own.collect::<Vec<_>>(), subject, outside, explaining)
    })
}

/// Exceptions with their conditions, as the policy at hand sees them.
type Compared<'w> = [(&'w Exception, &'w [Compiled])];

fn evaluate_one(
    policy: &Policy,
    program: &Program,
    exceptions: &Compared<'_>,
    subject: &Subject,
    outside: &dyn Outside,
    explaining: Explaining<'_>,
) -> Option<Row> {
    if policy.evaluation == Evaluation::Kubernetes {
        // Kyverno: a policy without constraints matches nothing.
        match matches(policy.match_constraints.as_ref()?, subject) {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => {
                let message = format!("failed to execute matching: Internal error occurred: {error}");
                return Some(Row::new("match", Status::Error, message));
            }
        }
    }
    let frame = Frame::new(&program.environment, &program.variables, subject, outside);
    let mut work = Work { policy, program, frame };
    let row = work.exempted(exceptions).and_then(|exempted| match exempted {
        Some(row) => Ok(row),
        None => work.asked(),
    });
    let mut row = row.unwrap_or_else(|error| {
        Row::new("evaluation", Status::Error, format!("failed to load context: {error}"))
    });
    if let Some((explainers, root)) = explaining.why
        && row.exceptions.is_empty()
    {
        row.steps = (explainers.policy)(&work, subject, root, &row);
    }
    Some(row)
}

/// The steps to what a policy said.
pub(super) fn explained<W: Steps>(work: &Work<'_>, subject: &Subject, root: &Path, row: &Row) -> Vec<Step> {
    W::steps(&work.questions(subject, root), row.status, row.validation)
}

/// One policy over one object.
pub(crate) struct Work<'w> {
    policy: &'w Policy,
    program: &'w Program,
    frame: Frame<'w>,
}

impl<'w> Work<'w> {
    /// What the policy asks, for those who want to know why it decided as it did.
    fn questions<'q>(&'q self, subject: &'q Subject, root: &Path) -> Questions<'q> {
        let (policy, program) = (self.policy, self.program);
        let validations = program.validations.iter().zip(&policy.validations).enumerate();
        let list = root.join("spec").join("validations");
        let conditions = ("matchConditions", program.match_conditions.as_slice());
        Questions {
            validations: validations
                .map(|(at, (made, written))| Question {
                    name: "",
                    source: &written.expression,
                    compiled: Some(&made.expression),
                    place: list.join(at).join("expression"),
                })
                .collect(),
            ..self.frame.questions((policy, root), &subject.object, conditions)
        }
    }

    /// Whether all conditions hold; those that err do not, where the policy ignores failures.
    fn conditions(&self, conditions: &'w [Compiled]) -> Result<bool, String> {
        match self.frame.conditions(conditions) {
            Err(_) if self.policy.ignores_failures => Ok(false),
            said => said,
        }
    }

    /// The row of an exception that exempts from the whole policy; else binds what the others allow.
    fn exempted(&mut self, exceptions: &Compared<'w>) -> Result<Option<Row>, String> {
        let mut matched: Vec<&Exception> = Vec::new();
        for (exception, conditions) in exceptions {
            let has_full = matched.iter().any(|exception| exception.is_full());
            match self.conditions(conditions) {
                Ok(true) => matched.push(exception),
                Ok(false) => {}
                Err(_) if has_full => {}
                Err(error) => return Err(error),
            }
        }
        if matched.iter().any(|exception| exception.is_full()) {
            return Ok(Some(exempting(&matched)));
        }
        let texts = |of: fn(&Exception) -> &[Str]| matched.iter().flat_map(|e| of(e)).cloned().collect();
        let allowed = Allowed {
            images: texts(|exception| &exception.images),
            values: texts(|exception| &exception.allowed_values),
        };
        self.frame.bind("exceptions", Binding::Value(Value::Opaque(Arc::new(allowed))));
        Ok(None)
    }

    /// What the policy itself says.
    fn asked(&mut self) -> Result<Row, String> {
        if !self.conditions(&self.program.match_conditions)? {
            return Ok(Row::new("", Status::Skip, "skip"));
        }
        self.frame.bind("variables", Binding::Lazy);
        for (at, validation) in self.program.validations.iter().enumerate() {
            let written = self.policy.validations.get(at).map_or("", |validation| &validation.message);
            let mut row = match self.frame.run(&validation.expression) {
                Ok(Value::Bool(true)) => continue,
                Ok(Value::Bool(false)) => {
                    let said = validation.message.as_ref().map(|message| self.frame.run(message));
                    let message = match said {
                        None => written.to_owned(),
                        Some(Ok(said)) => said.as_str().unwrap_or("").to_owned(),
                        Some(Err(error)) => format!("failed to evaluate message expression: {error}"),
                    };
                    let none = format!("CEL expression validation failed at index {at}");
                    Row::new("", Status::Fail, if message.is_empty() { none } else { message })
                }
                Ok(_) => Row::new("", Status::Error, format!("error: {}", Error::no_overload())),
                Err(error) => Row::new("", Status::Error, format!("error: {error}")),
            };
            row.properties.push(("cel.validationIndex".to_owned(), at.to_string()));
            row.validation = Some(at);
            if row.status == Status::Fail {
                match self.annotations() {
                    Ok(annotations) => annotate(&mut row, annotations),
                    Err(error) => (row.status, row.message) = (Status::Error, format!("error: {error}")),
                }
            }
            return Ok(row);
        }
        let mut row = Row::new("", Status::Pass, "success");
        annotate(&mut row, self.annotations()?);
        Ok(row)
    }

    /// The audit annotations that are not empty.
    fn annotations(&self) -> Result<Vec<(String, String)>, String> {
        let mut annotations = Vec::new();
        for (key, compiled) in &self.program.audit_annotations {
            match self.frame.run(compiled) {
                Ok(Value::Null) => {
                    let why = "type conversion error from 'null_type' to 'string'";
                    return Err(format!("failed to convert auditAnnotation '{key}' expression: {why}"));
                }
                Ok(value) => {
                    let text = value.as_str().unwrap_or("");
                    if !text.is_empty() {
                        annotations.push((key.to_string(), text.to_owned()));
                    }
                }
                Err(error) => return Err(format!("failed to evaluate auditAnnotation '{key}': {error}")),
            }
        }
        Ok(annotations)
    }
}

/// Adds annotations; one of the user's wins over what is there.
pub(super) fn annotate(row: &mut Row, annotations: Vec<(String, String)>) {
    for (key, value) in annotations {
        row.properties.retain(|(known, _)| *known != key);
        row.properties.push((key, value));
    }
}

pub(super) fn exempting(matched: &[&Exception]) -> Row {
    let keys: Vec<String> = matched.iter().map(|exception| exception.key()).collect();
    // The highest priority above zero decides, the first of several.
    let mut deciding = matched.first();
    for exception in matched {
        if exception.priority > 0 && deciding.is_none_or(|best| exception.priority > best.priority.max(0)) {
            deciding = Some(exception);
        }
    }
    // Kyverno: the result names each with its namespace, be it empty.
    let named = matched.iter().map(|exception| format!("{}/{}", exception.namespace, exception.name));
    let named = named.collect();
    let passes = deciding.is_some_and(|exception| exception.passes);
    let (status, done) = if passes { (Status::Pass, "passed") } else { (Status::Skip, "skipped") };
    let message = format!("rule is {done} due to policy exception: {}", keys.join(", "));
    Row { exceptions: named, ..Row::new("exception", status, message) }
}

/// `exceptions`: what the exceptions that match allow.
#[derive(Debug)]
pub(super) struct Allowed {
    pub(super) images: Vec<Str>,
    pub(super) values: Vec<Str>,
}

fn list(texts: &[Str]) -> Value<'static> {
    Value::list(texts.iter().map(|text| Value::text(text)).collect())
}

impl Opaque for Allowed {
    fn type_name(&self) -> &'static str {
        "libs.Exception"
    }

    fn go_type(&self) -> &'static str {
        "*ext.nativeObj"
    }

    fn is_struct(&self) -> bool {
        true
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equal(&self, other: &Value<'_>) -> Equality {
        let Value::Opaque(other) = other else { return Equality::Unequal };
        let other = other.as_any().downcast_ref::<Allowed>();
        other.is_some_and(|other| self.images == other.images && self.values == other.values).into()
    }

    fn show(&self) -> String {
        let joined = |texts: &[Str]| texts.iter().map(Str::as_str).collect::<Vec<_>>().join(" ");
        format!("{{[{}] [{}]}}", joined(&self.images), joined(&self.values))
    }

    fn field(&self, name: &str) -> Option<Value<'static>> {
        match name {
            "allowedImages" => Some(list(&self.images)),
            "allowedValues" => Some(list(&self.values)),
            _ => None,
        }
    }
}
