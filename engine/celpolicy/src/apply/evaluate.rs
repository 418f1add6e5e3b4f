//! One policy over one object.

use super::extract::pods;
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
use engine_cel::value::{Equality, Opaque, Value as Cel};
use engine_json::{Path, Str, Value};
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

impl<'a> Exceptions<'a> {
    /// Those that are looked at, as the policy or this variant of it sees them.
    fn of(self, variant: Option<usize>) -> Vec<(&'a Exception, &'a [Compiled])> {
        let present = self.all.iter().filter(|(one, _)| !self.now.is_some_and(|now| one.is_expired(now)));
        let seen = present.filter_map(|(exception, compiled)| {
            let conditions = match variant {
                None => &compiled.conditions,
                Some(at) => compiled.variants.get(at)?,
            };
            Some((exception, conditions.as_slice()))
        });
        seen.collect()
    }
}

/// How a verdict is explained.
#[derive(Clone, Copy, Debug)]
pub struct Explaining<'a> {
    /// What makes the steps to the verdict, and where the policy stands in its document.
    pub(crate) why: Option<(&'static Explainers, &'a Path)>,
}

/// What a policy says with, beside what it says it of.
#[derive(Clone, Copy)]
pub struct Beside<'a> {
    /// Its exceptions.
    pub exceptions: Exceptions<'a>,
    /// What functions ask.
    pub outside: &'a dyn Outside,
    /// How the verdict is explained.
    pub explaining: Explaining<'a>,
}

/// What the policy, or the variant of it that the object is for, says of it, and what it says of the templates of Pods in it where
/// it is for such objects.
pub fn evaluate(policy: &Policy, program: &Program, subject: &Subject, beside: Beside<'_>) -> Vec<Row> {
    let row = rows(policy, program, subject, beside).next();
    row.into_iter().chain(of_custom(policy, program, subject, beside)).collect()
}

/// What the policy and each of its variants say of it.
pub fn evaluate_each(policy: &Policy, program: &Program, subject: &Subject, beside: Beside<'_>) -> Vec<Row> {
    let mut rows: Vec<Row> = rows(policy, program, subject, beside).collect();
    // Kyverno: the copy for custom workloads is the policy itself, but for its constraints.
    rows.extend(policy.custom.as_ref().and_then(|_| rows.first().cloned()));
    rows
}

fn rows<'a>(
    policy: &'a Policy,
    program: &'a Program,
    subject: &'a Subject,
    beside: Beside<'a>,
) -> impl Iterator<Item = Row> + 'a {
    let whole = std::iter::once((None, policy, program));
    let variants = policy.variants.iter().zip(&program.variants).enumerate();
    let all = whole.chain(variants.map(|(at, (policy, program))| (Some(at), policy, program)));
    all.filter_map(move |(variant, policy, program)| {
        // Kyverno: a policy without constraints matches nothing.
        let is_for = policy.evaluation != Evaluation::Kubernetes
            || match is_for(policy.match_constraints.as_ref()?, subject) {
                Ok(is_for) => is_for,
                Err(row) => return Some(*row),
            };
        if !is_for {
            return None;
        }
        let exceptions = beside.exceptions.of(variant);
        let mut work = Work::new(policy, program, subject, beside.outside);
        let row = row(work.said(&exceptions));
        Some(work.explained(row, subject, beside.explaining))
    })
}

/// Whether constraints are for an object.
pub(super) fn is_for(constraints: &Value, subject: &Subject) -> Result<bool, Box<Row>> {
    matches(constraints, subject).map_err(|error| {
        let message = format!("failed to execute matching: Internal error occurred: {error}");
        Row::new("match", Status::Error, message).into()
    })
}

/// What the policy says of the templates of Pods in an object, if it is for such an object.
// Kyverno: evaluateExtracted in pkg/cel/policies/vpol/engine/engine.go.
fn of_custom(policy: &Policy, program: &Program, subject: &Subject, beside: Beside<'_>) -> Option<Row> {
    match is_for(policy.custom.as_ref()?.constraints.as_ref()?, subject) {
        Ok(true) => {}
        Ok(false) => return None,
        Err(row) => return Some(*row),
    }
    let pods = match pods(subject) {
        Ok(pods) => pods,
        Err(error) => {
            let mut row = Row::new("", Status::Error, format!("error: {error}"));
            row.properties.push((INDEX.to_owned(), "0".to_owned()));
            return Some(row);
        }
    };
    let exceptions = beside.exceptions.of(None);
    let mut exempting_all: Vec<&Exception> = Vec::new();
    let mut passed = None;
    for pod in &pods {
        let mut work = Work::new(policy, program, &pod.subject, beside.outside);
        work.frame.within = Some(&pod.within);
        let said = match work.said(&exceptions) {
            Ok(Said::Unmet) => continue,
            Ok(Said::Exempt(matched)) => {
                exempting_all.extend(matched);
                continue;
            }
            said => said.map_err(|error| pod.failed(&error)),
        };
        let has_failed = said.is_ok();
        let mut row = work.explained(row(said), &pod.subject, beside.explaining);
        if row.status == Status::Pass {
            passed = Some(row);
            continue;
        }
        if has_failed {
            row.message = pod.placed(&row.message);
        }
        return Some(row);
    }
    let said = if exempting_all.is_empty() { Said::Unmet } else { Said::Exempt(exempting_all) };
    Some(passed.unwrap_or_else(|| row(Ok(said))))
}

/// The property that names the validation which decided.
const INDEX: &str = "cel.validationIndex";

/// What a policy says of an object that it is for.
enum Said<'w> {
    /// A match condition does not hold.
    Unmet,
    /// These exceptions match, and one of them exempts from the whole policy.
    Exempt(Vec<&'w Exception>),
    /// What its validations say.
    Row(Row),
}

fn row(said: Result<Said<'_>, String>) -> Row {
    match said {
        Ok(Said::Unmet) => Row::new("", Status::Skip, "skip"),
        Ok(Said::Exempt(matched)) => exempting(&matched),
        Ok(Said::Row(row)) => row,
        Err(error) => Row::new("evaluation", Status::Error, format!("failed to load context: {error}")),
    }
}

/// The steps to what a policy said.
pub(super) fn explained<W: Steps>(work: &Work<'_>, subject: &Subject, root: &Path, row: &Row) -> Vec<Step> {
    W::steps(&work.questions(subject, root), row.status, row.validation)
}

/// Exceptions with their conditions, as the policy at hand sees them.
type Compared<'w> = [(&'w Exception, &'w [Compiled])];

/// One policy over one object.
pub(crate) struct Work<'w> {
    policy: &'w Policy,
    program: &'w Program,
    frame: Frame<'w>,
}

impl<'w> Work<'w> {
    fn new(policy: &'w Policy, program: &'w Program, subject: &'w Subject, outside: &'w dyn Outside) -> Self {
        let frame = Frame::new(&program.environment, &program.variables, subject, outside);
        Work { policy, program, frame }
    }

    fn said(&mut self, exceptions: &Compared<'w>) -> Result<Said<'w>, String> {
        let exempting = self.exempted(exceptions)?;
        if !exempting.is_empty() {
            return Ok(Said::Exempt(exempting));
        }
        if !self.conditions(&self.program.match_conditions)? {
            return Ok(Said::Unmet);
        }
        self.asked().map(Said::Row)
    }

    /// A row with the steps to it, where they are wanted; an exception says itself why.
    fn explained(&self, mut row: Row, subject: &Subject, explaining: Explaining<'_>) -> Row {
        if let Some((explainers, root)) = explaining.why
            && row.exceptions.is_empty()
        {
            row.steps = (explainers.policy)(self, subject, root, &row);
        }
        row
    }

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

    /// The exceptions that match, where one exempts from the whole policy; else binds what they allow.
    fn exempted(&mut self, exceptions: &Compared<'w>) -> Result<Vec<&'w Exception>, String> {
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
            return Ok(matched);
        }
        let texts = |of: fn(&Exception) -> &[Str]| matched.iter().flat_map(|e| of(e)).cloned().collect();
        let allowed = Allowed {
            images: texts(|exception| &exception.images),
            values: texts(|exception| &exception.allowed_values),
        };
        self.frame.bind("exceptions", Binding::Value(Cel::Opaque(Arc::new(allowed))));
        Ok(Vec::new())
    }

    /// What its validations say.
    fn asked(&mut self) -> Result<Row, String> {
        self.frame.bind("variables", Binding::Lazy);
        for (at, validation) in self.program.validations.iter().enumerate() {
            let written = self.policy.validations.get(at).map_or("", |validation| &validation.message);
            let mut row = match self.frame.run(&validation.expression) {
                Ok(Cel::Bool(true)) => continue,
                Ok(Cel::Bool(false)) => {
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
            row.properties.push((INDEX.to_owned(), at.to_string()));
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
                Ok(Cel::Null) => {
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

fn list(texts: &[Str]) -> Cel<'static> {
    Cel::list(texts.iter().map(|text| Cel::text(text)).collect())
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

    fn equal(&self, other: &Cel<'_>) -> Equality {
        let Cel::Opaque(other) = other else { return Equality::Unequal };
        let other = other.as_any().downcast_ref::<Allowed>();
        other.is_some_and(|other| self.images == other.images && self.values == other.values).into()
    }

    fn show(&self) -> String {
        let joined = |texts: &[Str]| texts.iter().map(Str::as_str).collect::<Vec<_>>().join(" ");
        format!("{{[{}] [{}]}}", joined(&self.images), joined(&self.values))
    }

    fn field(&self, name: &str) -> Option<Cel<'static>> {
        match name {
            "allowedImages" => Some(list(&self.images)),
            "allowedValues" => Some(list(&self.values)),
            _ => None,
        }
    }
}
