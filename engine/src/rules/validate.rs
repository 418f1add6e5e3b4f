//! `validate` rules: deny, pattern, anyPattern and foreach.
//!
//! In: what the rule demands, and its context. Out: the verdict in Kyverno's words.
//! Mirrors: pkg/engine/handlers/validation/validate_resource.go.

use super::{
    Locations, RuleResult, Status, Subject, conditions, described, evaluate_conditions, existing, gate,
    join_non_empty, places,
};
use crate::context::{JsonContext, variables};
use crate::pattern::{MAX_WORK, Mismatch, Pattern, Verdict};
use crate::policy::{Check, Conditions, Foreach, PatternSource, Validate};
use crate::trace::{Detail, Kind, Step, StepOutcome, Trace, Walk};
use engine_jmespath::go_format::go_format;
use engine_json::{Path, Str, Value};

/// How deep `foreach` may nest.
const MAX_NESTING: usize = 8;
/// How many elements one rule may visit for one resource.
const MAX_ELEMENTS: usize = 100_000;

/// Runs the body of a rule whose preconditions hold.
pub(super) fn run<'a>(
    subject: &Subject<'a>,
    body: &'a Validate,
    context: &mut JsonContext<'a>,
    trace: &mut Trace,
) -> Option<RuleResult> {
    let mut validator = Validator { subject, body, context, trace, elements: 0, left: MAX_WORK };
    let result = validator.check(&body.check, &Scope { element: None, nesting: 0 })?;
    let again = |subject: &Subject<'a>, context: &mut JsonContext<'a>, trace: &mut Trace| {
        let mut validator = Validator { subject, body, context, trace, elements: 0, left: MAX_WORK };
        validator.check(&body.check, &Scope { element: None, nesting: 0 })
    };
    Some(existing::allow_existing(result, subject, body, context, trace, again))
}

struct Validator<'v, 'a> {
    subject: &'v Subject<'a>,
    body: &'a Validate,
    context: &'v mut JsonContext<'a>,
    trace: &'v mut Trace,
    elements: usize,
    /// What is left of the work that patterns may take.
    left: u64,
}

/// Where in nested loops a demand stands.
struct Scope {
    /// The element that patterns apply to; `None` for the resource itself.
    element: Option<Value>,
    nesting: usize,
}

/// A pattern and what is held against it.
struct Held<'h> {
    source: &'h PatternSource,
    /// As written, variables put in.
    pattern: &'h Value,
    resource: &'h Value,
    /// Where it stands in the whole resource; known only where a trace is asked for.
    base: Path,
}

impl<'a> Validator<'_, 'a> {
    fn result(&self, status: Status, message: impl Into<String>) -> RuleResult {
        RuleResult::new(self.subject.rule, status, message)
    }

    fn name(&self) -> &'a Str {
        &self.subject.rule.name
    }

    fn passed(&self) -> String {
        format!("validation rule '{}' passed.", self.name())
    }

    fn check(&mut self, check: &'a Check, scope: &Scope) -> Option<RuleResult> {
        match check {
            Check::Deny(conditions) => Some(self.deny(conditions.as_ref())),
            Check::Pattern(source) => self.patterns(source, scope, Patterns::One),
            Check::AnyPattern(source) => self.patterns(source, scope, Patterns::Any),
            Check::Foreach(loops) => self.foreach(loops, scope),
            Check::PodSecurity(_) | Check::Cel(_) | Check::Manifests(_) | Check::Empty => None,
        }
    }

    fn deny(&mut self, conditions: Option<&Conditions>) -> RuleResult {
        let evaluated = evaluate_conditions(self.context, conditions, self.trace, conditions::Role::Deny);
        let mut result = match evaluated {
            Err(error) => self.result(Status::Error, format!("failed to check deny conditions: {error}")),
            Ok(outcome) if outcome.holds => {
                let message = self.deny_message(&outcome.message);
                self.result(Status::Fail, message)
            }
            Ok(_) => self.result(Status::Pass, self.passed()),
        };
        if result.status != Status::Pass {
            places::of_conditions(&mut result, conditions, self.context, self.subject);
        }
        result
    }

    // Kyverno: getDenyMessage.
    fn deny_message(&mut self, of_conditions: &str) -> String {
        if self.body.message.is_empty() && of_conditions.is_empty() {
            return format!("validation error: rule {} failed", self.name());
        }
        let message = join_non_empty(&[&self.body.message, of_conditions], "; ");
        match variables::substitute(self.context, &Value::from(message)) {
            Ok(Value::String(text)) => text.to_string(),
            Ok(_) => {
                "the produced message didn't resolve to a string, check your policy definition.".to_owned()
            }
            Err(_) => of_conditions.to_owned(),
        }
    }

    fn patterns(&mut self, source: &PatternSource, scope: &Scope, which: Patterns) -> Option<RuleResult> {
        let (substituted, written);
        let (compiled, pattern) = if source.compiled.is_empty() {
            described::listen(self.context, self.trace);
            let resolved = variables::substitute(self.context, &source.value);
            described::variables(self.context, self.trace, &source.path);
            match resolved {
                Ok(value) => {
                    substituted = compile(&value, which);
                    written = value;
                    (&substituted, &written)
                }
                Err(error) => {
                    self.trace.record(|| {
                        Step::new(Kind::Pattern, StepOutcome::Error, error.clone()).in_policy(&source.path)
                    });
                    let mut result =
                        self.result(Status::Error, format!("variable substitution failed: {error}"));
                    result.policy_paths = vec![source.path.clone()];
                    return Some(result);
                }
            }
        } else {
            (&source.compiled, &source.value)
        };
        if scope.element.is_none() && self.subject.operation == "DELETE" {
            return None;
        }
        let resource = scope.element.as_ref().unwrap_or(&self.subject.resource.typed);
        let base = match &scope.element {
            Some(element) if self.trace.is_on() => places::of(element, self.subject),
            Some(_) | None => None,
        };
        let held = Held { source, pattern, resource, base: base.unwrap_or_default() };
        let mut result = match which {
            Patterns::One => {
                let pattern = compiled.first()?;
                self.one_pattern(pattern, &held)
            }
            Patterns::Any => self.any_pattern(compiled, &held),
        };
        if let Some(element) = &scope.element {
            places::within_element(&mut result, element, self.subject);
        }
        Some(result)
    }

    /// Holds the resource against a pattern, which is number `which` of a list.
    fn hold(&mut self, pattern: &Pattern, held: &Held<'_>, which: Option<usize>) -> Verdict {
        let verdict = pattern.check_within(held.resource, &mut self.left);
        if !self.trace.is_on() {
            return verdict;
        }
        let source = held.source;
        let written = which.map_or(Some(held.pattern), |at| held.pattern.at(at)).cloned();
        let walk = Walk {
            pattern: written.unwrap_or_default(),
            resource: held.resource.clone(),
            base: held.base.clone(),
            place: which.map_or_else(|| source.path.clone(), |at| source.path.join(at)),
            added_levels: source.added_levels,
        };
        let step = match &verdict {
            Verdict::Pass => Step::new(Kind::Pattern, true, "the pattern fits").in_policy(&walk.place),
            Verdict::Skip(mismatch) | Verdict::Fail(mismatch) | Verdict::Error(mismatch) => {
                let is_error = matches!(verdict, Verdict::Error(_));
                let outcome = if is_error { StepOutcome::Error } else { StepOutcome::No };
                let at = (&mismatch.resource_path, &mismatch.pattern_path);
                walk.step(Kind::Pattern, outcome, mismatch.text.clone(), at)
            }
        };
        // A detail is said by walking again: what had no end is not.
        if self.left > 0 {
            let detail = Detail::Walk(Box::new(walk));
            self.trace.record(|| Step::new(Kind::Field, StepOutcome::Note, "").with(detail));
        }
        self.trace.record(|| step);
        verdict
    }

    // Kyverno: validatePatterns with a pattern.
    fn one_pattern(&mut self, pattern: &Pattern, held: &Held<'_>) -> RuleResult {
        let source = held.source;
        let verdict = self.hold(pattern, held, None);
        let (status, message, mismatch) = match verdict {
            Verdict::Pass => return self.result(Status::Pass, self.passed()),
            Verdict::Skip(mismatch) => (Status::Skip, mismatch.text.clone(), mismatch),
            Verdict::Fail(mismatch) => match self.error_message(&mismatch.text, Some(&mismatch.path)) {
                Ok(message) => (Status::Fail, message, mismatch),
                Err(message) => (Status::Error, message, mismatch),
            },
            Verdict::Error(mismatch) => {
                let message = self.error_message(&mismatch.text, None).unwrap_or_else(|message| message);
                (Status::Error, message, mismatch)
            }
        };
        let mut result = self.result(status, message);
        self.point_at(&mut result, &mismatch, source, None);
        result
    }

    // Kyverno: validatePatterns with anyPattern.
    fn any_pattern(&mut self, patterns: &[Pattern], held: &Held<'_>) -> RuleResult {
        let source = held.source;
        let name = self.name();
        let (mut failed, mut skipped): (Vec<String>, Vec<String>) = Default::default();
        let mut mismatches = Vec::new();
        for (at, pattern) in patterns.iter().enumerate() {
            let verdict = self.hold(pattern, held, Some(at));
            let mismatch = match verdict {
                Verdict::Pass => {
                    let message = format!("validation rule '{name}' anyPattern[{at}] passed.");
                    let mut result = self.result(Status::Pass, message);
                    result.policy_paths = vec![source.document_path(Some(at), &Path::root())];
                    return result;
                }
                Verdict::Skip(mismatch) => {
                    skipped.push(format!("rule {name}[{at}] skipped: {}", mismatch.text));
                    mismatch
                }
                Verdict::Fail(mismatch) => {
                    failed.push(format!("rule {name}[{at}] failed at path {}", mismatch.path));
                    mismatch
                }
                Verdict::Error(mismatch) => {
                    failed.push(format!("rule {name}[{at}] failed: {}", mismatch.text));
                    mismatch
                }
            };
            mismatches.push((at, mismatch));
        }
        let mut result = if !failed.is_empty() {
            match self.any_pattern_message(&failed.join(" ")) {
                // What was not looked at to its end is not refused.
                Ok(message) if self.left == 0 => self.result(Status::Error, message),
                Ok(message) => self.result(Status::Fail, message),
                Err(message) => self.result(Status::Error, message),
            }
        } else if skipped.is_empty() {
            // An empty list of patterns.
            self.result(Status::Pass, self.body.message.as_str())
        } else {
            self.result(Status::Skip, skipped.join(" "))
        };
        for (at, mismatch) in &mismatches {
            self.point_at(&mut result, mismatch, source, Some(*at));
        }
        result
    }

    fn point_at(
        &self,
        result: &mut RuleResult,
        mismatch: &Mismatch,
        source: &PatternSource,
        which: Option<usize>,
    ) {
        if self.subject.places == Locations::Include {
            result.policy_paths.push(source.document_path(which, &mismatch.pattern_path));
            result.resource_paths.push(mismatch.resource_path.clone());
        }
    }

    // Kyverno: buildErrorMessage.
    fn error_message(&mut self, error: &str, path: Option<&str>) -> Result<String, String> {
        let name = self.name();
        let mut message = match self.message_text()? {
            Message::Text(message) => message,
            Message::None => {
                return Ok(match path {
                    Some(path) => format!("validation error: rule {name} failed at path {path}"),
                    None => format!("validation error: rule {name} execution error: {error}"),
                });
            }
            Message::Failed => {
                return Ok(format!(
                    "validation error: variables substitution error in rule {name} execution error: {error}"
                ));
            }
        };
        if !message.ends_with('.') {
            message.push('.');
        }
        Ok(match path {
            Some(path) => format!("validation error: {message} rule {name} failed at path {path}"),
            None => format!("validation error: {message} rule {name} execution error: {error}"),
        })
    }

    // Kyverno: buildAnyPatternErrorMessage.
    fn any_pattern_message(&mut self, errors: &str) -> Result<String, String> {
        let name = self.name();
        Ok(match self.message_text()? {
            Message::None => format!("validation error: {errors}"),
            Message::Failed => {
                format!(
                    "validation error: variables substitution error in rule {name} execution error: {errors}"
                )
            }
            Message::Text(message) if message.ends_with('.') => {
                format!("validation error: {message} {errors}")
            }
            Message::Text(message) => format!("validation error: {message}. {errors}"),
        })
    }

    /// The rule's message with its variables put in; an error for one that becomes no text, on which the original
    /// crashes.
    fn message_text(&mut self) -> Result<Message, String> {
        if self.body.message.is_empty() {
            return Ok(Message::None);
        }
        match variables::substitute(self.context, &Value::String(self.body.message.clone())) {
            Ok(Value::String(text)) => Ok(Message::Text(text.to_string())),
            Ok(other) => {
                let (name, value) = (self.name(), go_format(&other));
                Err(format!("the message of rule {name} must be a string, its variable gives {value}"))
            }
            Err(_) => Ok(Message::Failed),
        }
    }

    // Kyverno: validateForEach.
    fn foreach(&mut self, loops: &'a [Foreach], scope: &Scope) -> Option<RuleResult> {
        if scope.nesting >= MAX_NESTING {
            return Some(self.result(
                Status::Error,
                format!("failed to process foreach: nested deeper than {MAX_NESTING} loops: split the rule"),
            ));
        }
        let mut applied = 0;
        let mut list_error = None;
        for each in loops {
            let elements = match self.context.query(&each.list) {
                Ok(Value::Array(list)) => list.to_vec(),
                Ok(other) => vec![other],
                Err(error) => {
                    self.trace.record(|| {
                        Step::new(Kind::Foreach, StepOutcome::Error, error.clone()).in_policy(&each.path)
                    });
                    if !error.contains("Unknown key") {
                        list_error = Some(error);
                    }
                    continue;
                }
            };
            self.trace.record(|| {
                let detail = Detail::List { list: each.list.clone(), count: elements.len() };
                Step::of(Kind::Foreach, StepOutcome::Note, detail).in_policy(&each.path.join("list"))
            });
            self.context.checkpoint();
            let outcome = self.elements(each, &elements, scope);
            self.context.restore();
            match outcome {
                Ok(count) => applied += count,
                Err(result) => return Some(*result),
            }
        }
        if applied > 0 {
            return Some(self.result(Status::Pass, "rule passed"));
        }
        list_error.map(|error| self.result(Status::Error, format!("failed to evaluate list: {error}")))
    }

    /// How many elements the loop applied to; the result of the first that does not pass.
    // Kyverno: validateElements.
    fn elements(
        &mut self,
        each: &'a Foreach,
        elements: &[Value],
        scope: &Scope,
    ) -> Result<usize, Box<RuleResult>> {
        let mut applied = 0;
        for (index, element) in elements.iter().enumerate().filter(|(_, element)| !element.is_null()) {
            self.elements += 1;
            if self.elements > MAX_ELEMENTS {
                let message = format!(
                    "failed to process foreach: more than {MAX_ELEMENTS} elements: split the list over several rules"
                );
                return Err(Box::new(self.result(Status::Error, message)));
            }
            self.context.reset();
            self.context.add_element(element, index, scope.nesting);
            let is_map = element.as_object().is_some();
            if each.element_scope == Some(true) && !is_map {
                let found = element.go_type();
                let message = format!(
                    "failed to process foreach: cannot use elementScope=true foreach rules for elements that are not maps, expected type=map got type={found}"
                );
                return Err(Box::new(self.result(Status::Error, message)));
            }
            let scoped = each.element_scope.unwrap_or(is_map);
            let inner = Scope {
                element: if scoped { Some(element.clone()) } else { scope.element.clone() },
                nesting: scope.nesting + 1,
            };
            self.trace.record(|| {
                let detail = Detail::Element { index, element: element.clone() };
                let step = Step::of(Kind::Foreach, StepOutcome::Note, detail).in_policy(&each.path);
                match places::of(element, self.subject) {
                    Some(path) => step.in_resource(&path),
                    None => step,
                }
            });
            self.trace.enter();
            let result = self.element(each, &inner);
            self.trace.leave();
            let Some(mut result) = result else { continue };
            match result.status {
                Status::Pass => applied += 1,
                Status::Skip => {}
                Status::Error if result.message.contains("failed to evaluate preconditions") => {}
                Status::Fail | Status::Warn | Status::Error => {
                    result.message = format!("validation failure: {}", result.message);
                    places::of_element(&mut result, element, self.subject);
                    return Err(Box::new(result));
                }
            }
        }
        Ok(applied)
    }

    // Kyverno: validate, called for an element.
    fn element(&mut self, each: &'a Foreach, scope: &Scope) -> Option<RuleResult> {
        let preconditions = each.preconditions.as_ref();
        match gate::open(self.subject, &each.context, preconditions, self.context, self.trace) {
            Err((status, message)) => Some(self.result(status, message)),
            Ok(()) => self.check(&each.check, scope),
        }
    }
}

/// What became of a rule's message.
enum Message {
    /// There is none.
    None,
    /// Its variables could not be put in.
    Failed,
    Text(String),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Patterns {
    One,
    Any,
}

fn compile(value: &Value, which: Patterns) -> Vec<Pattern> {
    match which {
        Patterns::One => vec![Pattern::new(value)],
        Patterns::Any => value.as_array().unwrap_or_default().iter().map(Pattern::new).collect(),
    }
}
