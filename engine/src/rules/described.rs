//! What the trace says of variables and patterns.
//!
//! In: what was compared. Out: steps, such as one that says ``spec.hostNetwork is `true`, the pattern wants
//! `false` ``; nothing is made where no trace is asked for.

use crate::context::{JsonContext, Lookup};
use crate::pattern::anchor::{self, Anchor};
use crate::pattern::{Observation, Pattern, What};
use crate::trace::{Detail, Kind, Part, Step, StepOutcome, Trace, Variable, Walk, short};
use crate::value::wildcard;
use engine_json::{Path, Segment, Str, Value};

/// Has the context keep what it is asked from here on.
pub(super) fn listen(context: &mut JsonContext<'_>, trace: &Trace) {
    if trace.is_on() {
        context.listen();
    }
}

/// Records what the context was asked since it listens, as steps within the one before.
pub(super) fn variables(context: &mut JsonContext<'_>, trace: &mut Trace, path: &Path) {
    if !trace.is_on() {
        return;
    }
    trace.enter();
    for asked in context.asked() {
        trace.record(|| match asked {
            Lookup::Variable { expression, value } => {
                let origin = origin(context, &expression);
                let variable = Variable { expression, value, origin };
                Step::of(Kind::Variable, StepOutcome::Note, Detail::Variable(Box::new(variable)))
                    .in_policy(path)
            }
            Lookup::Entry { name, value } => {
                let text = format!("entry `{name}` is loaded: {}", short(&value));
                let step = Step::new(Kind::Context, StepOutcome::Note, text);
                match context.entry_path(&name) {
                    Some(path) => step.in_policy(path),
                    None => step,
                }
            }
        });
    }
    trace.leave();
}

/// Where a variable takes its value from.
fn origin(context: &JsonContext<'_>, expression: &str) -> &'static str {
    let name = expression.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
    if context.entry_path(name).is_some() {
        return ", from the rule's context";
    }
    match name {
        "request" if expression.starts_with("request.object") => ", from the resource",
        "request" if expression.starts_with("request.oldObject") => ", from the resource before the update",
        "request" => ", from the request",
        "images" => ", from the images of the resource",
        "serviceAccountName" | "serviceAccountNamespace" => ", from the user",
        "target" => ", from the target",
        _ if name.starts_with("element") => ", from the element of the loop",
        _ => "",
    }
}

/// The steps with those of each pattern field by field, which are not made before somebody asks.
pub fn every_step(steps: &[Step]) -> Vec<Step> {
    let mut all = Vec::with_capacity(steps.len());
    for step in steps {
        match &step.detail {
            Some(Detail::Walk(walk)) => {
                let (_, seen) = Pattern::new(&walk.pattern).describe(&walk.resource);
                all.extend(seen.iter().map(|seen| walk.seen(seen).at_depth(step.depth + 1)));
            }
            _ => all.push(step.clone()),
        }
    }
    all
}

impl Walk {
    /// The place in the policy's document of a place in the pattern.
    fn place(&self, pattern: &[Segment]) -> Path {
        self.place.iter().chain(pattern.iter().skip(self.added_levels)).cloned().collect()
    }

    /// A step about these places.
    pub(super) fn step(&self, kind: Kind, outcome: StepOutcome, text: String, at: (&Path, &Path)) -> Step {
        let (resource, pattern) = at;
        let (pattern, wanted) = self.written(pattern);
        let step = Step::new(kind, outcome, text)
            .in_policy(&self.place(&pattern))
            .in_resource(&self.base.concat(resource));
        let Some(wanted) = wanted else { return step };
        step.with(Detail::Pattern(Box::new(Part { wanted: wanted.clone(), found: self.found(resource) })))
    }

    /// The place as it is written, and what stands there: a key with wildcards was replaced by one of the resource.
    fn written(&self, pattern: &Path) -> (Vec<Segment>, Option<&Value>) {
        let mut written = Vec::with_capacity(pattern.len());
        let mut here = Some(&self.pattern);
        for segment in pattern.iter() {
            let next = match (segment, here) {
                (Segment::Key(key), Some(Value::Object(map))) if !map.contains_key(key) => {
                    let (anchor, plain) =
                        (anchor::parse(key).map(|(anchor, _)| anchor), anchor::plain_key(key));
                    let stands_for = |written: &&Str| {
                        anchor::parse(written).map(|(anchor, _)| anchor) == anchor
                            && wildcard::matches(anchor::plain_key(written), plain)
                    };
                    map.keys()
                        .find(stands_for)
                        .map_or_else(|| segment.clone(), |key| Segment::Key(key.clone()))
                }
                _ => segment.clone(),
            };
            here = here.and_then(|value| value.at_path(std::iter::once(&next)));
            written.push(next);
        }
        (written, here)
    }

    fn found(&self, path: &Path) -> Value {
        self.resource.at_path(path.iter()).cloned().unwrap_or_default()
    }

    /// `spec.hostNetwork is `true`, the pattern wants `false``; the whole where the place is none of the pattern.
    fn compared(&self, resource: &Path, pattern: &Path) -> Option<String> {
        let wanted = self.written(pattern).1?;
        let path = self.base.concat(resource);
        let found = match self.resource.at_path(resource.iter()) {
            None => "absent".to_owned(),
            Some(found) => format!("`{}`", short(found)),
        };
        Some(format!("{path} is {found}, the pattern wants `{}`", short(wanted)))
    }

    /// The step about something that the walk came by.
    fn seen(&self, seen: &Observation) -> Step {
        let at = (&seen.resource, &seen.pattern);
        match seen.what {
            What::Field { fits } => {
                let text = self.compared(at.0, at.1);
                let text = text.unwrap_or_else(|| self.base.concat(at.0).to_string());
                self.step(Kind::Field, fits.into(), text, at)
            }
            What::Anchor { anchor, is_there, holds } => {
                let text = format!("{}: {}", self.base.concat(at.0), effect(anchor, is_there, holds));
                self.step(Kind::Anchor, holds.into(), text, at)
            }
        }
    }
}

/// What an anchor does to the rest of the pattern.
fn effect(anchor: Anchor, is_there: bool, holds: bool) -> &'static str {
    match (anchor, is_there, holds) {
        (Anchor::Condition, _, true) => "the condition `()` holds, so what stands beside it is asked for",
        (Anchor::Condition, false, false) => {
            "the key of the condition `()` is absent: nothing beside it counts"
        }
        (Anchor::Condition, true, false) => "the condition `()` does not hold: nothing beside it counts",
        (Anchor::Global, false, _) => "absent, so the global condition `<()` asks for nothing",
        (Anchor::Global, true, true) => "the global condition `<()` holds: the rule goes on",
        (Anchor::Global, true, false) => "the global condition `<()` does not hold: the rule does not apply",
        (Anchor::Equality, false, _) => "absent, so `=()` asks for nothing",
        (Anchor::Equality, true, true) => "there, and as `=()` wants it",
        (Anchor::Equality, true, false) => "there, and not as `=()` wants it",
        (Anchor::Existence, false, _) => "absent, so `^()` asks for nothing",
        (Anchor::Existence, true, true) => "one item is as `^()` wants it",
        (Anchor::Existence, true, false) => "no item is as `^()` wants it",
        (Anchor::Negation, true, _) => "there, and `X()` forbids it",
        (Anchor::Negation, false, _) => "absent, as `X()` wants it",
        (Anchor::AddIfNotPresent, _, _) => "`+()` is for mutation alone",
    }
}
