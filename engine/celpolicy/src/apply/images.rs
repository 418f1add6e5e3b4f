//! What an ImageValidatingPolicy says of an object.
//!
//! In: a policy, the exceptions for it, an object with its request, image data. Out: a row; nothing where the policy is not for the object.
//! Mirrors: `pkg/cel/policies/ivpol/engine/engine.go`, `pkg/image/verification/evaluator/policy.go` of Kyverno 1.19.

use super::evaluate::{Explaining, annotate, is_for};
use super::extract::{Within, pods};
use super::frame::Frame;
use super::registry::Image;
use super::verified::Verified;
use super::verifying::Verifying;
use super::{Conditions, Row, Subject};
use crate::compile::Compiled;
use crate::functions::native;
use crate::policy::{Exception, ImageProgram, Images, Placed};
use crate::why::{Question, Questions, Steps};
use engine::apply::Status;
use engine::trace::Step;
use engine_cel::error::Error;
use engine_cel::eval::Binding;
use engine_cel::function::Outside;
use engine_cel::value::{Map, Value as Cel};
use engine_json::ordered::OrderedSet;
use engine_json::{Path, Str, Value};
use engine_values::image::registry::RegistryImage;
use std::cell::Cell;

/// What is there beside the object.
#[derive(Clone, Copy)]
pub(crate) struct Around<'w> {
    /// What functions ask.
    pub(crate) outside: &'w dyn Outside,
    /// What registries say of images.
    pub(crate) data: &'w [(Str, Value)],
    /// What was verified of this object.
    pub(crate) verified: &'w Verified,
    /// How the verdict is explained.
    pub(crate) explaining: Explaining<'w>,
    /// Where the template of the Pod stands that is asked about, if it is that of a template.
    pub(super) within: Option<&'w Within>,
}

impl<'w> Around<'w> {
    /// What is there beside a resource as it was given.
    pub(crate) fn new(
        outside: &'w dyn Outside,
        data: &'w [(Str, Value)],
        verified: &'w Verified,
        explaining: Explaining<'w>,
    ) -> Self {
        Around { outside, data, verified, explaining, within: None }
    }
}

/// What the policy says of a resource.
pub(crate) fn look(
    policy: &Images,
    exceptions: Result<Conditions<'_>, &str>,
    subject: &Subject,
    around: Around<'_>,
) -> Option<Row> {
    let placed = Placed::of(&subject.resource);
    // Kyverno: a policy without constraints is for everything.
    let constraints = policy.policy.match_constraints.as_ref();
    let (program, exceptions) = match program_for(policy, (constraints, placed), exceptions, subject) {
        Ok(found) => found?,
        Err(row) => return Some(*row),
    };
    let answer = said(policy, (program, placed), exceptions, subject, around);
    if let Ok(Looked::Said { wanted, .. }) = &answer.looked {
        around.verified.want(wanted);
    }
    answer.row(failed)
}

/// What the policy says of the templates of Pods in a resource, if it is for such a resource.
// Kyverno: evaluateExtractedIv in pkg/cel/policies/ivpol/engine/engine.go.
pub(crate) fn look_at_templates(
    policy: &Images,
    exceptions: Result<Conditions<'_>, &str>,
    subject: &Subject,
    around: Around<'_>,
) -> Option<Row> {
    let constraints = policy.policy.custom.as_ref()?.constraints.as_ref();
    let (program, exceptions) = match program_for(policy, (constraints, Placed::Pod), exceptions, subject) {
        Ok(found) => found?,
        Err(row) => return Some(*row),
    };
    let pods = match pods(subject) {
        Ok(pods) => pods,
        Err(error) => return Some(Row::new("", Status::Error, format!("error: {error}"))),
    };
    let (mut exempting, mut images, mut passed) = (Vec::new(), Vec::new(), None);
    for pod in &pods {
        let around = Around { within: Some(&pod.within), ..around };
        let answer = said(policy, (program, Placed::Pod), exceptions, &pod.subject, around);
        match &answer.looked {
            Ok(Looked::Unmet) => continue,
            Ok(Looked::Exempt(matched)) => {
                exempting.extend(matched.iter().copied());
                continue;
            }
            Ok(Looked::Said { wanted, .. }) => images.extend(wanted.iter().cloned()),
            Err(_) => {}
        }
        let has_failed = answer.looked.is_ok();
        let mut row = answer.row(|error| failed(&pod.failed(error)))?;
        if row.status == Status::Pass {
            passed = Some(row);
            continue;
        }
        if has_failed {
            row.message = pod.placed(&row.message);
        }
        return Some(row);
    }
    match passed {
        Some(row) => {
            around.verified.want(&images);
            Some(row)
        }
        None if exempting.is_empty() => None,
        None => Some(exempted(&exempting)),
    }
}

/// The programs of a policy, and its exceptions; nothing where these constraints are not for the resource.
///
/// # Errors
/// What the policy says instead.
fn program_for<'w>(
    policy: &'w Images,
    (constraints, placed): (Option<&Value>, Placed),
    exceptions: Result<Conditions<'w>, &str>,
    subject: &Subject,
) -> Result<Option<(&'w ImageProgram, Conditions<'w>)>, Box<Row>> {
    if let Some(constraints) = constraints
        && !is_for(constraints, subject)?
    {
        return Ok(None);
    }
    let compiled =
        policy.program(placed).and_then(|program| Ok((program, exceptions.map_err(str::to_owned)?)));
    compiled.map(Some).map_err(|error| {
        Row::new("evaluation", Status::Error, format!("failed to compile policy: {error}")).into()
    })
}

/// What the policy says of a payload.
// Kyverno: eval.go; an error ends the run there.
pub(crate) fn look_at_payload(policy: &Images, subject: &Subject, around: Around<'_>) -> Option<Row> {
    let none = Conditions { all: &[], now: None, of: None };
    let failed = |error: &str| Row::new("evaluation", Status::Error, error);
    match policy.program(Placed::Nowhere) {
        Ok(program) => {
            let answer = said(policy, (program, Placed::Nowhere), none, subject, around);
            if let Ok(Looked::Said { wanted, .. }) = &answer.looked {
                around.verified.want(wanted);
            }
            answer.row(failed)
        }
        Err(error) => {
            // Go: a list prints in brackets, its entries apart by blanks.
            let inner = error.strip_prefix('[').and_then(|error| error.strip_suffix(']')).unwrap_or(&error);
            Some(failed(&format!("failed to compile policy [{inner}]")))
        }
    }
}

/// What a policy says of an object that it is for.
enum Looked<'w> {
    /// A match condition does not hold.
    Unmet,
    /// These exceptions exempt from the whole policy.
    Exempt(Vec<&'w Exception>),
    /// What its validations say, and which images must have been verified for that.
    Said { row: Row, wanted: Vec<Str> },
}

/// The same with the steps to it.
struct Answer<'w> {
    looked: Result<Looked<'w>, String>,
    steps: Vec<Step>,
}

impl Answer<'_> {
    /// The row, if there is one; `failed` makes that of an error.
    fn row(self, failed: impl Fn(&str) -> Row) -> Option<Row> {
        let row = match self.looked {
            Ok(Looked::Unmet) => return None,
            Ok(Looked::Exempt(matched)) => return Some(exempted(&matched)),
            Ok(Looked::Said { row, .. }) => row,
            Err(error) => failed(&error),
        };
        Some(Row { steps: self.steps, ..row })
    }
}

fn said<'w>(
    policy: &'w Images,
    (program, placed): (&'w ImageProgram, Placed),
    exceptions: Conditions<'w>,
    subject: &Subject,
    around: Around<'_>,
) -> Answer<'w> {
    let verifying = Verifying { policy, program, around };
    let mut frame = Frame::new(&program.environment, &program.variables, subject, &verifying);
    frame.within = around.within;
    let work = Work { policy, program, placed, around, at: Cell::new(None) };
    let looked = work.run(&mut frame, exceptions);
    let no_steps = |looked| Answer { looked, steps: Vec::new() };
    let Some((explainers, root)) = around.explaining.why else { return no_steps(looked) };
    let at = work.at.get();
    let status = match &looked {
        Ok(Looked::Unmet | Looked::Exempt(_)) => Status::Skip,
        Ok(Looked::Said { row, .. }) => row.status,
        Err(_) => Status::Error,
    };
    // What failed before its expressions were asked has no steps.
    if at.is_none() && status == Status::Fail || !frame.bind_known_attestors() {
        return no_steps(looked);
    }
    let steps = (explainers.images)(Said { policy, program, status, at }, &frame, &subject.object, root);
    Answer { looked, steps }
}

/// The row of an evaluation that ended with an error.
fn failed(error: &str) -> Row {
    Row::new("evaluation", Status::Error, format!("failed to evaluate policy: {error}"))
}

/// The row of exceptions from the whole policy.
fn exempted(matched: &[&Exception]) -> Row {
    let keys: Vec<String> = matched.iter().map(|exception| exception.key()).collect();
    let message = format!("rule is skipped due to policy exception: {}", keys.join(", "));
    let named = matched.iter().map(|exception| format!("{}/{}", exception.namespace, exception.name));
    Row { exceptions: named.collect(), ..Row::new("exception", Status::Skip, message) }
}

/// What a policy said.
#[derive(Clone, Copy)]
pub(crate) struct Said<'w> {
    policy: &'w Images,
    program: &'w ImageProgram,
    status: Status,
    /// The validation that decided, or the last one that was asked.
    at: Option<usize>,
}

/// The steps to what a policy said.
pub(super) fn explained<'w, W: Steps>(
    said: Said<'w>,
    frame: &'w Frame<'w>,
    document: &'w Value,
    root: &Path,
) -> Vec<Step> {
    let Said { policy, program, status, at } = said;
    let list = root.join("spec").join("validations");
    let validations = program.validations.iter().zip(&policy.policy.validations).enumerate();
    let questions = Questions {
        validations: validations
            .map(|(at, (made, written))| Question {
                name: "",
                source: &written.expression,
                compiled: Some(&made.expression),
                place: list.join(at).join("expression"),
            })
            .collect(),
        ..frame.questions(
            (&policy.policy, root),
            document,
            ("matchConditions", program.conditions.as_slice()),
        )
    };
    W::steps(&questions, status, at.filter(|_| status != Status::Pass))
}

struct Work<'w> {
    policy: &'w Images,
    program: &'w ImageProgram,
    placed: Placed,
    around: Around<'w>,
    /// The last validation that was asked.
    at: Cell<Option<usize>>,
}

/// Images by the names under which they were found.
type Found<'w> = Vec<(&'w Str, Vec<Str>)>;

impl<'w> Work<'w> {
    fn run<'e>(&self, frame: &mut Frame<'w>, exceptions: Conditions<'e>) -> Result<Looked<'e>, String>
    where
        'e: 'w,
    {
        if !self.conditions(frame, &self.program.conditions)? {
            return Ok(Looked::Unmet);
        }
        let exempting = self.exempting(frame, exceptions)?;
        if !exempting.is_empty() {
            return Ok(Looked::Exempt(exempting));
        }
        frame.bind("variables", Binding::Lazy);
        let found = self.found(frame)?;
        let images: Vec<&Str> = found.iter().flat_map(|(_, images)| images).collect();
        if let Some(row) = self.without_digest(&images)? {
            return Ok(Looked::Said { row, wanted: Vec::new() });
        }
        // What is no reference is found before anybody is asked.
        for image in &images {
            RegistryImage::parse(image)?;
        }
        for image in &images {
            Image::find(self.around.data, image)?;
        }
        let wanted: Vec<Str> = images.into_iter().cloned().collect();
        let texts = |images: &[Str]| Cel::list(images.iter().map(|image| Cel::text(image)).collect());
        let found: Map<'w> = found.iter().map(|(name, images)| (Cel::text(name), texts(images))).collect();
        frame.bind("images", Binding::Value(Cel::map(found)));
        // Of several attestations of a name one entry is there.
        let names: OrderedSet<&Str> = self.policy.attestations.iter().map(|(name, _)| name).collect();
        let names: Map<'w> = names.into_iter().map(|name| (Cel::text(name), Cel::text(name))).collect();
        frame.bind("attestations", Binding::Value(Cel::map(names)));
        frame.bind_attestors(&self.program.attestors);
        let row = self.asked(frame)?;
        let is_wanted = row.status == Status::Pass && self.policy.requires;
        Ok(Looked::Said { row, wanted: if is_wanted { wanted } else { Vec::new() } })
    }

    // Kyverno: the failure policy speaks here alone.
    fn conditions(&self, frame: &Frame<'w>, conditions: &'w [Compiled]) -> Result<bool, String> {
        match frame.conditions(conditions) {
            Err(_) if self.policy.policy.ignores_failures => Ok(false),
            said => said,
        }
    }

    /// The exceptions that exempt from the whole policy.
    // Kyverno: one for some images or values alone does nothing here, for expressions do not see it.
    fn exempting<'e>(
        &self,
        frame: &Frame<'w>,
        exceptions: Conditions<'e>,
    ) -> Result<Vec<&'e Exception>, String>
    where
        'e: 'w,
    {
        let mut matched = Vec::new();
        for (exception, conditions) in exceptions.present() {
            match self.conditions(frame, conditions) {
                Ok(true) if exception.is_full() => matched.push(exception),
                Err(error) if matched.is_empty() => return Err(error),
                Ok(_) | Err(_) => {}
            }
        }
        Ok(matched)
    }

    /// The images that the policy is for.
    fn found(&self, frame: &Frame<'w>) -> Result<Found<'w>, String> {
        let own = &self.program.extractors;
        let is_own = |name: &Str| own.iter().any(|(known, _)| known == name);
        let of_kind = self.placed.extractors().iter().filter(|(name, _)| !is_own(name));
        // All images are found before the first of them is looked at.
        let mut found = Vec::new();
        for (name, expression) in of_kind.chain(own) {
            found.push((name, texts(&frame.run(expression).map_err(|error| error.to_string())?)?));
        }
        for (_, images) in &mut found {
            let mut meant = Vec::new();
            for image in std::mem::take(images) {
                if Verifying::is_meant(self.program, &image)? {
                    meant.push(image);
                }
            }
            *images = meant;
        }
        Ok(found)
    }

    /// The row that an image without a digest gives.
    fn without_digest(&self, images: &[&Str]) -> Result<Option<Row>, String> {
        if !self.policy.verifies_digest {
            return Ok(None);
        }
        for image in images {
            let read = RegistryImage::parse(image)
                .map_err(|error| format!("failed to parse image reference {image}: {error}"))?;
            if read.digest.is_empty() {
                let message = format!("image {image} does not have a digest");
                return Ok(Some(Row::new("", Status::Fail, message)));
            }
        }
        Ok(None)
    }

    fn asked(&self, frame: &Frame<'w>) -> Result<Row, String> {
        for (at, validation) in self.program.validations.iter().enumerate() {
            self.at.set(Some(at));
            match frame.run(&validation.expression).map_err(|error| error.to_string())? {
                Cel::Bool(true) => continue,
                Cel::Bool(false) => {}
                _ => return Err(Error::no_overload().to_string()),
            }
            let written = self.policy.policy.validations.get(at).map_or("", |validation| &validation.message);
            let message = match validation.message.as_ref().map(|message| frame.run(message)) {
                None => written.to_owned(),
                Some(Ok(said)) => said.as_str().unwrap_or("").to_owned(),
                Some(Err(error)) => format!("failed to evaluate message expression: {error}"),
            };
            let none = || format!("CEL expression validation failed at index {at}");
            let mut row = Row::new("", Status::Fail, if message.is_empty() { none() } else { message });
            row.validation = Some(at);
            annotate(&mut row, self.annotations(frame)?);
            return Ok(row);
        }
        let mut row = Row::new("", Status::Pass, "success");
        annotate(&mut row, self.annotations(frame)?);
        Ok(row)
    }

    fn annotations(&self, frame: &Frame<'w>) -> Result<Vec<(String, String)>, String> {
        let mut all = Vec::new();
        for (key, compiled) in &self.program.annotations {
            let said = frame.run(compiled);
            let said =
                said.map_err(|error| format!("failed to evaluate auditAnnotation '{key}': {error}"))?;
            let text = native::string(&said)
                .map_err(|why| format!("failed to convert auditAnnotation '{key}' expression: {why}"))?;
            if !text.is_empty() {
                all.push((key.to_string(), text));
            }
        }
        Ok(all)
    }
}

/// A list of texts, as Go gets it.
fn texts(value: &Cel<'_>) -> Result<Vec<Str>, String> {
    if let Some(list) = value.as_list() {
        return list.iter().map(|element| native::string(&element).map(Str::from)).collect();
    }
    Err(match value {
        Cel::Str(_) | Cel::Text(_) => "unsupported native conversion from string to '[]string'".to_owned(),
        Cel::Int(_) => "unsupported type conversion from 'int' to []string".to_owned(),
        Cel::Uint(_) => "unsupported type conversion from 'uint' to []string".to_owned(),
        Cel::JsonMap(..) | Cel::Map(_) => "type conversion error from map to '[]string'".to_owned(),
        other => match native::string(other) {
            Ok(_) => "type conversion error to '[]string'".to_owned(),
            Err(error) => error.replace("'string'", "'[]string'"),
        },
    })
}
