//! The answer for people.
//!
//! In: a [`Report`]. Out: what changed, counts, and for each policy the objects that are decided otherwise.

use super::report::{Report, changed, count, number, others};
use crate::commands::compare::describe_finding;
use crate::print::paint::Paint;
use crate::terminal::one_line;
use engine_impact::{Direction, Group, Row};
use engine_lenses::wire::{Edit, Range};
use std::fmt::Write;

/// The whole text.
pub(super) fn text(report: &Report, paint: Paint) -> String {
    let mut out = report.headline(|name| one_line(name).into_owned()) + "\n";
    let counted = report.counted();
    for (direction, classes) in &counted {
        let counts: Vec<String> =
            classes.iter().map(|(class, n)| format!("{} {}", number(*n), class.words())).collect();
        let line = format!("{}: {}", direction.as_str(), counts.join(", "));
        let painted = match direction {
            Direction::Stricter => paint.bad(&line),
            Direction::Wider => paint.doubtful(&line),
            Direction::Otherwise => line,
        };
        let _ = writeln!(out, "{painted}");
    }
    if counted.is_empty() {
        let _ = writeln!(out, "{}", nothing(report, paint));
    }
    for (pair, groups) in report.shown() {
        policy(&mut out, report, pair, &groups, paint);
    }
    if report.lost > 0 {
        let _ = writeln!(out, "\n{} are counted and not listed", count(report.lost, "change", "changes"));
    }
    constructed(&mut out, report, paint);
    let silent = report.silent();
    let names: Vec<_> = silent.iter().take(report.limit).map(|pair| one_line(&pair.name)).collect();
    let more = match silent.len().saturating_sub(names.len()) {
        0 => String::new(),
        more => format!(" and {} more", number(more)),
    };
    if !names.is_empty() {
        let _ = writeln!(out, "\nnote: none of the objects is matched by {}{more}", names.join(", "));
    }
    out
}

fn nothing(report: &Report, paint: Paint) -> String {
    let words = "no object is decided otherwise";
    let quiet: usize = report.counts.some().map(|(_, n)| n).sum();
    let quiet = if quiet > 0 {
        format!(" ({} that a cluster does not notice: --all-changes)", count(quiet, "change", "changes"))
    } else {
        String::new()
    };
    if report.is_complete { paint.good(words) + &quiet } else { paint.doubtful(words) + &quiet }
}

fn policy(out: &mut String, report: &Report, at: usize, groups: &[&Group], paint: Paint) {
    let Some(pair) = report.pair(at) else { return };
    let place =
        report.policy_place(at).map(|range| format!("{}:{}", range.name, range.line)).unwrap_or_default();
    let _ =
        writeln!(out, "\n{}  {}  {}", one_line(&pair.name), paint.faint(&one_line(&place)), changed(pair));
    for group in groups.iter().take(report.limit) {
        let Some(first) = group.rows.first().copied() else { continue };
        let Some(row) = report.rows.get(first) else { continue };
        let rule =
            if group.rule.is_empty() { String::new() } else { format!("  [{}]", one_line(&group.rule)) };
        let class = group.class.words();
        let class = match group.class.direction() {
            Direction::Stricter => paint.bad(class),
            Direction::Wider => paint.doubtful(class),
            Direction::Otherwise => class.to_owned(),
        };
        let _ = writeln!(
            out,
            "  {class}  {}{rule}{}",
            one_line(&row.object.words()),
            from(row, report.place(first).as_ref(), paint)
        );
        describe(out, report, row);
        if let Some(edit) = report.details.get(&first).and_then(|shown| shown.edit.as_ref()) {
            let _ = writeln!(out, "      passes with: {}", one_line(&edited(edit)));
        }
        let others = others(group);
        if !others.is_empty() {
            let _ = writeln!(out, "      {others}");
        }
    }
    let more = groups.len().saturating_sub(report.limit);
    if more > 0 {
        let _ = writeln!(out, "  {} more like these (--limit 0)", number(more));
    }
}

/// Where an object comes from, and its line.
fn from(row: &Row, place: Option<&Range>, paint: Paint) -> String {
    let origin = row.origin.words();
    let place = place.map(|range| format!("{}:{}", range.name, range.line)).unwrap_or_default();
    let words = match (origin.is_empty(), place.is_empty()) {
        (true, true) => return String::new(),
        (true, false) => place,
        (false, true) => origin,
        (false, false) => format!("{origin}, {place}"),
    };
    format!("  {}", paint.faint(&one_line(&words)))
}

fn describe(out: &mut String, report: &Report, row: &Row) {
    let [old, new] = report.message(row);
    match (old, new) {
        (Some(old), Some(new)) if old != new && row.change.class.is_quiet() => {
            let _ = writeln!(out, "      {} → {}", one_line(old), one_line(new));
        }
        (_, Some(new)) if !new.is_empty() => {
            let _ = writeln!(out, "      {}", one_line(new));
        }
        (Some(old), None) if !old.is_empty() => {
            let _ = writeln!(out, "      it said: {}", one_line(old));
        }
        _ => {}
    }
    for line in row.change.diff.lines() {
        let _ = writeln!(out, "      {line}");
    }
}

/// `spec.replicas: 2`
pub(super) fn edited(edit: &Edit) -> String {
    match &edit.after {
        Some(after) => format!("{}: {after}", edit.path),
        None => format!("without {}", edit.path),
    }
}

fn constructed(out: &mut String, report: &Report, paint: Paint) {
    let compared = report.constructed.iter().filter(|one| one.grade != engine_compare::Grade::Same);
    let (found, without): (Vec<_>, Vec<_>) = compared.partition(|one| one.finding.is_some());
    if !found.is_empty() {
        let _ = writeln!(out, "\n{}", paint.doubtful("constructed: none of your objects is like these"));
    }
    for one in found {
        let _ = writeln!(out, "\n{}", one_line(report.name(one.pair)));
        one.finding.iter().for_each(|finding| describe_finding(out, finding, paint));
    }
    for one in without {
        let why = if one.reason.is_empty() { String::new() } else { format!(": {}", one_line(&one.reason)) };
        let name = one_line(report.name(one.pair));
        let _ = writeln!(out, "\nnote: {name}, old against new: {}{why}", one.grade.as_str());
    }
}
