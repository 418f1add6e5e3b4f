//! The deciding step as one sentence.
//!
//! In: the steps that decided, and the fields they looked at. Out: for example ``fails because
//! spec.containers[0].image is `nginx:latest`, the pattern wants `!*:latest` ``.

use super::deciding::{Verdict, anchor_of};
use super::reads::Field;
use engine::apply::Status;
use engine::condition;
use engine::pattern::anchor::Anchor;
use engine::trace::{Compared, Detail, Kind, Step, StepOutcome};
use engine_json::{Path, Value, to_json};

/// A value takes so many characters at most.
const MOST: usize = 100;

/// Why, in one sentence.
pub(super) fn of(
    verdict: Verdict,
    message: &str,
    steps: &[Step],
    deciding: &[usize],
    fields: &[Field],
) -> String {
    let decided: Vec<&Step> = deciding.iter().filter_map(|at| steps.get(*at)).collect();
    let Some(first) = decided.first() else {
        return match verdict {
            Verdict::NoMatch => "does not match".to_owned(),
            Verdict::Decided(Status::Error) => format!("cannot be decided: {message}"),
            Verdict::Decided(status) if message.is_empty() => verb(status).to_owned(),
            Verdict::Decided(status) => format!("{}: {message}", verb(status)),
        };
    };
    let others = decided.iter().skip(1).filter(|step| step.kind == first.kind).count();
    match verdict {
        Verdict::NoMatch if first.kind == Kind::Exclude => format!("does not apply: {}", first.text()),
        Verdict::NoMatch if others > 0 => format!("does not match any block: {}", first.text()),
        Verdict::NoMatch => format!("does not match: {}", first.text()),
        Verdict::Decided(Status::Error) if first.outcome == StepOutcome::Error => {
            format!("cannot be decided: {}", first.text())
        }
        Verdict::Decided(Status::Error) => format!("cannot be decided: {message}"),
        Verdict::Decided(status) => {
            let more = match (status, first.kind) {
                (Status::Fail | Status::Warn, Kind::Pattern) if others > 0 => {
                    format!(" (and {others} other pattern(s) do not fit either)")
                }
                (Status::Fail | Status::Warn, Kind::Check | Kind::Expression) if others > 0 => {
                    format!(" (and {others} more)")
                }
                _ => String::new(),
            };
            format!("{} because {}{more}", verb(status), why(status, first, fields))
        }
    }
}

fn verb(status: Status) -> &'static str {
    match status {
        Status::Pass => "passes",
        Status::Fail => "fails",
        Status::Warn => "warns",
        Status::Error => "cannot be decided",
        Status::Skip => "is skipped",
    }
}

fn why(status: Status, step: &Step, fields: &[Field]) -> String {
    match (&step.detail, step.kind) {
        (Some(Detail::Pattern(part)), _) => pattern(step, &part.wanted, &part.found),
        (Some(Detail::Condition(compared)), kind) => {
            let held = match (kind, step.outcome) {
                (Kind::Precondition, StepOutcome::No) => "the precondition does not hold",
                (Kind::Precondition, _) => "the precondition holds",
                (_, StepOutcome::No) if status == Status::Pass => "no condition of deny holds",
                (_, StepOutcome::No) => "the condition of deny does not hold",
                _ => HOLDS,
            };
            let (key, value) = &compared.resolved;
            let named = if held == HOLDS { offending(compared) } else { Vec::new() };
            if !named.is_empty() {
                return offended(&named, &compared.operator, fields);
            }
            let names = match fields {
                [] => String::new(),
                [field] => format!("{} is {}: ", field.path, shown(field.value.as_ref())),
                many => {
                    let names: Vec<String> =
                        many.iter().take(3).map(|field| field.path.to_string()).collect();
                    format!("of {}: ", names.join(", "))
                }
            };
            format!("{names}{held}, {} {} {}", short(key), compared.operator, short(value))
        }
        (
            Some(
                Detail::PodSecurity { .. }
                | Detail::Rule(_)
                | Detail::Walk(_)
                | Detail::Expression(_)
                | Detail::Branches(_)
                | Detail::Variable(_)
                | Detail::List { .. }
                | Detail::Element { .. },
            )
            | None,
            _,
        ) => step.text().into_owned(),
    }
}

const HOLDS: &str = "the condition of deny holds";

/// More elements than this are not looked at one by one.
const ELEMENTS: usize = 200;
/// More of them than this are not named.
const NAMED: usize = 5;

/// The elements of a list for which the condition holds by themselves: `SYS_ADMIN` of three.
fn offending(compared: &Compared) -> Vec<&Value> {
    let (key, value) = &compared.resolved;
    let elements = key.as_array().filter(|elements| (2..=ELEMENTS).contains(&elements.len()));
    let (Some(elements), Some(operator)) = (elements, condition::operator(&compared.operator)) else {
        return Vec::new();
    };
    let offends = |element: &&Value| condition::holds(operator, element, value) == Ok(true);
    elements.iter().filter(offends).take(NAMED).collect()
}

/// Which fields hold what offends; where it was made by an expression, the elements alone.
fn offended(named: &[&Value], operator: &str, fields: &[Field]) -> String {
    let holds = |field: &&Field| field.value.as_ref().is_some_and(|value| named.contains(&value));
    let places: Vec<String> = fields
        .iter()
        .filter(holds)
        .take(NAMED)
        .map(|field| format!("{} is {}", field.path, shown(field.value.as_ref())))
        .collect();
    let words = if places.is_empty() { named.iter().copied().map(short).collect() } else { places };
    format!("{}: this makes the condition of deny hold ({operator})", words.join(" and "))
}

fn pattern(step: &Step, wanted: &Value, found: &Value) -> String {
    let root = Path::root();
    let path = step.resource_path.as_ref().unwrap_or(&root);
    let is = if found.is_null() { "absent".to_owned() } else { short(found) };
    match anchor_of(step) {
        Some(Anchor::Negation) if found.is_null() => format!("{path} is absent, as the pattern wants it"),
        Some(Anchor::Negation) => format!("{path} is there, and the pattern forbids it"),
        Some(Anchor::Equality) if found.is_null() => {
            format!("{path} is absent, and the pattern asks nothing of it then")
        }
        Some(Anchor::Existence) if step.outcome != StepOutcome::Yes => {
            format!("no item of {path} is what the pattern wants, {}", short(wanted))
        }
        Some(Anchor::Condition | Anchor::Global) if step.outcome != StepOutcome::Yes => {
            format!("{path} is {is}, and the rule is only for {}", short(wanted))
        }
        _ => format!("{path} is {is}, the pattern wants {}", short(wanted)),
    }
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "absent".to_owned(), short)
}

/// A value in back-ticks, cut where it is long.
fn short(value: &Value) -> String {
    let value = value.with_int_numbers();
    let text = value.as_str().map_or_else(|| to_json(&value), str::to_owned);
    let text = text.replace(['\n', '\r'], " ");
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("`{}…`", text.get(..at).unwrap_or("")),
        None => format!("`{text}`"),
    }
}
