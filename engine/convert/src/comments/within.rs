//! Comments between the lines of what was made.
//!
//! In: what a comment is about, and the text that was made of that and more. Out: the line that alone says it, if there is one.

use crate::comments::origins::Origin;
use crate::emit;
use crate::expressions::formula::Formula;
use engine_json::{Path, Segment, Value};
use engine_yaml::{Comment, Options, Side, Source, SourceId};
use std::cell::RefCell;

/// What was said of places of the source: how the texts of their formulas begin.
#[derive(Debug, Default)]
pub(crate) struct Traces(RefCell<Vec<(Path, Vec<String>)>>);

impl Traces {
    /// This formula says what stands there.
    pub(crate) fn note(&self, path: &Path, formula: &Formula) {
        let mut begins = formula.begins();
        let simplified = formula.clone().simplified().begins();
        begins.extend(simplified.into_iter().filter(|one| !formula.begins().contains(one)));
        let mut all = self.0.borrow_mut();
        if !begins.is_empty() && !all.iter().any(|(known, of)| known == path && *of == begins) {
            all.push((path.clone(), begins));
        }
    }

    /// The lines that say what stands there; of several the one in the order of the source.
    fn line(&self, path: &[Segment], lines: &[&str]) -> Option<usize> {
        let all = self.0.borrow();
        all.iter().filter(|(known, _)| **known == *path).find_map(|(_, begins)| {
            // A line may end where a list begins that is too long for it.
            let begun =
                |line: &str, begin: &str| line.ends_with(['[', '{']) && begin.starts_with(line.trim_start());
            let says =
                |line: &&str| begins.iter().any(|begin| line.contains(begin.as_str()) || begun(line, begin));
            let found: Vec<usize> =
                lines.iter().enumerate().filter(|(_, line)| says(line)).map(|(at, _)| at).collect();
            if let [one] = found.as_slice() {
                return Some(*one);
            }
            let mut same: Vec<&Path> =
                all.iter().filter(|(_, of)| of == begins).map(|(known, _)| known).collect();
            same.dedup();
            let at = same.iter().position(|known| ***known == *path)?;
            (same.len() == found.len()).then(|| found.get(at).copied()).flatten()
        })
    }
}

/// Where the texts of a part of a policy stand.
const TEXTS: [&[&str]; 3] =
    [&["expression"], &["applyConfiguration", "expression"], &["jsonPatch", "expression"]];

/// The text, the line and the sign of a comment within a text.
pub(crate) fn line(
    document: &Value,
    origin: &Origin,
    comment: &Comment,
    traces: &Traces,
) -> Option<(Path, usize, &'static str)> {
    let below = comment.path.get(origin.source_len..).filter(|below| !below.is_empty())?;
    if let Some(text) = document.at_path(origin.path.iter()).and_then(Value::as_str) {
        // Two brackets begin an expression there.
        let is_template = origin.path.last() == Some(&Segment::from("value")) && !comment.text.contains("((");
        let line = Some(text).filter(|text| is_template && emit::has_lines(text));
        return line.and_then(|text| of_template(text, below)).map(|line| (origin.path.clone(), line, "#"));
    }
    for keys in TEXTS {
        let keys: Vec<Segment> = keys.iter().map(|key| Segment::from(*key)).collect();
        let path = origin.path.concat(&keys);
        let Some(text) = document.at_path(path.iter()).and_then(Value::as_str) else { continue };
        if !emit::has_lines(text) {
            return None;
        }
        let lines: Vec<&str> = text.lines().collect();
        let prefixes = (origin.source_len + 1..=comment.path.len()).rev();
        let mut traced = prefixes.filter_map(|len| comment.path.get(..len));
        let line = traced.find_map(|prefix| traces.line(prefix, &lines));
        let line = line.or_else(|| if keys.len() > 1 { of_patch(&lines, below) } else { None });
        let line =
            if comment.side == Side::Below { line.and_then(|line| behind(&lines, line)) } else { line };
        return line.map(|line| (path, line, "//"));
    }
    None
}

/// The line behind what begins on a line; nothing at the end, as a comment there would hide what is put behind the expression.
fn behind(lines: &[&str], line: usize) -> Option<usize> {
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let own = indent(lines.get(line)?);
    let later = lines.iter().enumerate().skip(line + 1);
    later.filter(|(_, line)| indent(line) <= own).map(|(at, _)| at).next()
}

/// The line of a patch: that of the patch by its number, or the only one that names the field.
fn of_patch(lines: &[&str], below: &[Segment]) -> Option<usize> {
    let at = below.iter().position(|segment| *segment == Segment::from("patchesJson6902"));
    if let Some(Segment::Index(number)) = at.and_then(|at| below.get(at + 1)) {
        let patches: Vec<usize> = (0..lines.len())
            .filter(|at| lines.get(*at).is_some_and(|line| line.trim_start().starts_with("JSONPatch{")))
            .collect();
        // In brackets of their own stand those that make what is missing above a place.
        let written = |line: &str| line.matches("JSONPatch{").count() - line.matches("[JSONPatch{").count();
        let is_each = patches.len() == lines.iter().map(|line| written(line)).sum::<usize>();
        return patches.get(usize::try_from(*number).ok()?).copied().filter(|_| is_each);
    }
    below.iter().rev().find_map(|segment| {
        let Segment::Key(key) = segment else { return None };
        let key = key.trim_matches(['+', '(', ')']);
        let names = |line: &str| {
            let line = line.trim_start();
            [format!("{key}: "), format!("'{key}': ")].iter().any(|name| line.starts_with(name.as_str()))
        };
        let mut found = (0..lines.len()).filter(|at| lines.get(*at).is_some_and(|line| names(line)));
        found.next().filter(|_| found.next().is_none())
    })
}

/// The line of a template on which a value begins.
fn of_template(text: &str, below: &[Segment]) -> Option<usize> {
    let source = Source { id: SourceId(0), name: String::new(), text: text.into() };
    let parsed = engine_yaml::parse(&source, &Options::default());
    let spans = parsed.documents.first()?.spans(text);
    (1..=below.len()).rev().find_map(|len| {
        let path = Path::from(below.get(..len)?);
        let span = spans.key_span(&path).or_else(|| spans.value_span(&path))?;
        let before = text.get(..usize::try_from(span.start).ok()?)?;
        Some(before.matches('\n').count())
    })
}
