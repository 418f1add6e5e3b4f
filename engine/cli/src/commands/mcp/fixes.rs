//! Lines that would mend a policy.
//!
//! In: texts of policies. Out: for each problem with a known way out: `{at, message, old, new}`, whole lines of the text as they are and as they would be.
//! Every one was tried.

use crate::world::as_written as world;
use engine_lenses::wire::{Input, Text};
use engine_lenses::writing::{self, Repair};
use serde_json::{Value, json};

/// What would mend the policies of an input.
pub(super) fn fixes(input: &Input) -> Vec<Value> {
    let lines = writing::repairs(input, &world()).into_iter().filter_map(|repair| {
        let Repair { index, line, old, new, message } = repair;
        let name = &input.policies.get(index)?.name;
        Some(json!({"at": format!("{name}:{line}"), "message": message, "old": old, "new": new}))
    });
    lines.chain(input.policies.iter().flat_map(of_expressions)).collect()
}

/// What would mend the expressions of a text.
fn of_expressions(text: &Text) -> Vec<Value> {
    let alone = Input { policies: vec![text.clone()], ..Input::default() };
    let found: Value = serde_json::from_str(&writing::fixes(&alone, "policies")).unwrap_or_default();
    let list =
        |value: &Value, name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let units: Vec<u16> = text.text.encode_utf16().collect();
    let of_edit = |fix: &Value, edit: &Value| {
        let changes: Vec<Change> = list(edit, "changes").iter().filter_map(Change::read).collect();
        let (from, to) =
            (changes.iter().map(|change| change.from).min()?, changes.iter().map(|change| change.to).max()?);
        let is_end = |unit: &u16| *unit == u16::from(b'\n');
        let begin = units.get(..from)?.iter().rposition(is_end).map_or(0, |at| at + 1);
        let end = units.get(to..)?.iter().position(is_end).map_or(units.len(), |at| to + at);
        let mut new = Vec::new();
        let mut at = begin;
        for change in &changes {
            new.extend_from_slice(units.get(at..change.from)?);
            new.extend(change.insert.encode_utf16());
            at = change.to;
        }
        new.extend_from_slice(units.get(at..end)?);
        let line = units.get(..begin)?.iter().filter(|unit| is_end(unit)).count() + 1;
        let [old, new] = [units.get(begin..end)?, &new].map(String::from_utf16_lossy);
        Some(
            json!({"at": format!("{}:{line}", text.name), "message": fix.get("message"), "old": old, "new": new}),
        )
    };
    let fixes = list(&found, "fixes");
    fixes.iter().filter_map(|fix| list(fix, "edits").iter().find_map(|edit| of_edit(fix, edit))).collect()
}

/// A stretch in UTF-16 units, and what takes its place.
struct Change {
    from: usize,
    to: usize,
    insert: String,
}

impl Change {
    fn read(change: &Value) -> Option<Change> {
        let unit = |name: &str| change.get(name)?.as_u64().and_then(|unit| usize::try_from(unit).ok());
        Some(Change {
            from: unit("from")?,
            to: unit("to")?,
            insert: change.get("insert")?.as_str()?.to_owned(),
        })
    }
}
