//! Where a field belongs that stands at the wrong level: `message` beside `validate`, `kinds` in `match`.
//!
//! In: the problems of a policy, and its table. Out: the same, each unknown field with a hint where another level of the
//! table has one of its name: below a field that is written, else above, else up to two levels below.

use super::{Field, Kind, Struct, Version, Versions};
use crate::diag::Code;
use crate::load::decode::Problem;
use engine_json::{Segment, Value};

/// Adds the hints; the value is the policy's, and its path has so many steps.
pub(super) fn name(value: &Value, root: usize, of: &Struct, version: Version, problems: &mut [Problem]) {
    for problem in problems.iter_mut().filter(|problem| problem.code == Code::UnknownField) {
        if problem.hint.is_empty() {
            problem.hint = hint(value, root, of, version, problem).unwrap_or_default();
        }
    }
}

fn hint(value: &Value, root: usize, of: &Struct, version: Version, problem: &Problem) -> Option<String> {
    let (last, way) = problem.path.get(root..)?.split_last()?;
    let Segment::Key(key) = last else { return None };
    // The tables on the way, each with the key that leads on from it.
    let mut levels: Vec<(&Struct, &str)> = Vec::new();
    let (mut here, mut there) = (of, value);
    for segment in way {
        if let Segment::Key(step) = segment {
            levels.push((here, step.as_str()));
            here = within(here.fields.iter().find(|field| field.name == step.as_str())?)?;
        }
        there = there.at_path(std::iter::once(segment)).unwrap_or(&Value::Null);
    }
    let has = |of: &Struct| of.fields.iter().any(|field| version.has(field) && field.name == key.as_str());
    let below = best(here, there, &has);
    let above = levels.iter().rev().find(|(of, _)| has(of));
    match (below, above) {
        (Some(field), above) if above.is_none() || there.get(field.name).is_some() => {
            return Some(format!("`{key}` belongs below `{}`", named(field)));
        }
        (_, Some((_, step))) => return Some(format!("`{key}` belongs beside `{step}`")),
        _ => {}
    }
    let deep = |of: &Struct| best(of, &Value::Null, &has).is_some();
    let field = best(here, there, &deep)?;
    let inner = best(within(field)?, there.get(field.name).unwrap_or(&Value::Null), &has)?;
    Some(format!("`{key}` belongs below `{}.{}`", named(field), named(inner)))
}

/// The field that leads to what is sought: one that is written, or the first that is not old.
fn best<'s>(of: &'s Struct, value: &Value, has: &dyn Fn(&Struct) -> bool) -> Option<&'s Field> {
    let leads = |field: &&Field| field.versions == Versions::All && within(field).is_some_and(has);
    let found = || of.fields.iter().filter(leads);
    found().find(|field| value.get(field.name).is_some()).or_else(|| found().next())
}

/// The table of a field's value, or of the items of its list.
fn within(field: &Field) -> Option<&'static Struct> {
    match field.kind {
        Kind::Struct(of) | Kind::Pointer(of) | Kind::Structs(of) | Kind::Loops(of) => Some(of),
        _ => None,
    }
}

fn named(field: &Field) -> String {
    let items = if matches!(field.kind, Kind::Structs(_) | Kind::Loops(_)) { "[]" } else { "" };
    format!("{}{items}", field.name)
}
