//! Ways to values as they are written in expressions, and what is asked of them.
//!
//! In: the text of a test. Out: the way that it reads, the value that stands for an absent one, and what is asked; the same as text.

use crate::expressions::formula::{Formula, end_of_quote, quoted};

/// A way to a value: a variable, and its steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    root: String,
    steps: Vec<Step>,
}

/// A step of a way: `.name`, `['key']` or `[0]`, and whether it is taken only where there is something.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    text: String,
    is_optional: bool,
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The name with which a text begins.
fn name(text: &str) -> Option<&str> {
    let end = text.find(|c| !is_of_name(c)).unwrap_or(text.len());
    text.get(..end).filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
}

impl Way {
    /// The way with which a text begins, and what stands behind it.
    pub(crate) fn begin(text: &str) -> Option<(Way, &str)> {
        let root = name(text)?.to_owned();
        let mut rest = text.get(root.len()..)?;
        let mut steps = Vec::new();
        while let Some((step, behind)) = step(rest) {
            steps.push(step);
            rest = behind;
        }
        Some((Way { root, steps }, rest))
    }

    /// The way that a text is.
    fn whole(text: &str) -> Option<Way> {
        Way::begin(text).filter(|(_, rest)| rest.is_empty()).map(|(way, _)| way)
    }

    /// Its text.
    pub(crate) fn text(&self) -> String {
        let steps = self.steps.iter().map(|step| match (step.is_optional, step.text.split_at_checked(1)) {
            (true, Some((sign, rest))) => format!("{sign}?{rest}"),
            _ => step.text.clone(),
        });
        std::iter::once(self.root.clone()).chain(steps).collect()
    }

    /// Its text, as where all is there.
    pub(crate) fn plain(&self) -> String {
        self.first(self.steps.len())
    }

    fn first(&self, steps: usize) -> String {
        let steps = self.steps.iter().take(steps).map(|step| step.text.as_str());
        std::iter::once(self.root.as_str()).chain(steps).collect()
    }

    fn is_plain(&self) -> bool {
        self.steps.iter().all(|step| !step.is_optional)
    }

    /// The same where what these ways lead to is there.
    fn known(mut self, there: &[String]) -> Way {
        let is_there = |steps: &usize| there.contains(&self.first(*steps));
        if let Some(steps) = (1..=self.steps.len()).rev().find(is_there) {
            self.steps.iter_mut().take(steps).for_each(|step| step.is_optional = false);
        }
        self
    }

    /// The test that something is there, where it is certain up to the last step.
    fn has(&self) -> Option<String> {
        let (last, before) = self.steps.split_last()?;
        let is_certain = before.iter().all(|step| !step.is_optional);
        let parent = self.first(before.len());
        match last.text.strip_prefix("['").and_then(|key| key.strip_suffix("']")) {
            _ if !is_certain => None,
            Some(key) => Some(format!("'{key}' in {parent}")),
            None if last.text.starts_with('.') => Some(format!("has({})", self.plain())),
            None => None,
        }
    }
}

fn step(text: &str) -> Option<(Step, &str)> {
    let (sign, behind) = text.split_at_checked(1)?;
    let inner = behind.strip_prefix('?');
    let is_optional = inner.is_some();
    let inner = inner.unwrap_or(behind);
    let (key, rest) = match sign {
        "." => {
            let key = name(inner)?;
            (key, inner.get(key.len()..)?)
        }
        "[" => {
            let end = if inner.starts_with(['\'', '"']) {
                end_of_quote(inner)?
            } else {
                inner.find(|c: char| !is_of_name(c) && c != '.')?
            };
            let rest = inner.get(end..)?.strip_prefix(']')?;
            (inner.get(..end)?, rest)
        }
        _ => return None,
    };
    // A call is not a step.
    if key.is_empty() || rest.starts_with(['(', '{']) {
        return None;
    }
    let text = if sign == "." { format!(".{key}") } else { format!("[{key}]") };
    Some((Step { text, is_optional }, rest))
}

/// A text in which what these ways lead to is there.
pub(crate) fn known(text: &str, there: &[String]) -> String {
    let is_hidden = |root: &str| text.contains(&format!("({root},"));
    let there: Vec<String> =
        there.iter().filter(|way| name(way).is_some_and(|root| !is_hidden(root))).cloned().collect();
    let (mut made, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        if let Some(end) = Some(rest).filter(|rest| rest.starts_with(['\'', '"'])).and_then(end_of_quote) {
            made.push_str(rest.get(..end).unwrap_or(""));
            rest = rest.get(end..).unwrap_or("");
            continue;
        }
        let is_begin = !made.ends_with(|c| is_of_name(c) || c == '.' || c == '?');
        let found = Way::begin(rest).filter(|(way, _)| is_begin && !way.is_plain());
        let Some((way, behind)) = found else {
            made.push(first);
            rest = rest.get(first.len_utf8()..).unwrap_or("");
            continue;
        };
        let certain = way.clone().known(&there);
        let default = behind.strip_prefix(".orValue").and_then(bracket);
        match default {
            Some((_, behind)) if certain.is_plain() => {
                made.push_str(&certain.plain());
                rest = behind;
            }
            _ => {
                made.push_str(&if certain.is_plain() { way } else { certain }.text());
                rest = behind;
            }
        }
    }
    made
}

/// What stands within the bracket with which a text begins, and what stands behind it.
fn bracket(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    let mut skipped = 0;
    for (at, c) in text.char_indices() {
        match c {
            _ if at < skipped => {}
            '\'' | '"' => skipped = at + end_of_quote(text.get(at..)?)?,
            '(' => depth += 1,
            ')' if depth == 1 => return Some((text.get(1..at)?, text.get(at + 1..)?)),
            ')' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The way that a test asks to be there, as where all of it is.
pub(crate) fn presence(test: &str) -> Option<Way> {
    if let Some(inner) = test.strip_prefix("has(").and_then(|rest| rest.strip_suffix(')')) {
        return Way::whole(inner).filter(Way::is_plain);
    }
    if let Some(way) = test.strip_suffix(".hasValue()") {
        return Way::whole(way);
    }
    let end = end_of_quote(test)?;
    let mut way = Way::whole(test.get(end..)?.strip_prefix(" in ")?)?;
    way.steps.push(Step { text: format!("[{}]", test.get(..end)?), is_optional: false });
    Some(way)
}

/// A test where what these ways lead to is there.
pub(crate) fn tested(text: &str, contrary: Option<&str>, there: &[String]) -> Formula {
    let Some(way) = presence(text) else {
        return Formula::Test(known(text, there), contrary.map(|text| known(text, there)));
    };
    let plain = way.plain();
    let is_within = |one: &String| one.strip_prefix(&plain).is_some_and(|rest| rest.starts_with(['.', '[']));
    if there.iter().any(|one| *one == plain || is_within(one)) {
        return Formula::True;
    }
    match way.known(there).has().filter(|_| text.ends_with(".hasValue()")) {
        Some(has) => Formula::test(has),
        None => Formula::Test(known(text, there), contrary.map(str::to_owned)),
    }
}

/// A value compared with what is written.
#[derive(Clone, Debug)]
pub(crate) struct Compared {
    pub(crate) way: Way,
    default: Option<String>,
    asked: Asked,
    is_negated: bool,
}

/// What is asked of a value.
#[derive(Clone, Debug)]
enum Asked {
    /// That it is true.
    Truth,
    Equal(String),
    Other(String),
    In(Vec<String>),
    /// A function of texts that is false for an empty one, as it is written.
    Call(String),
}

/// The written values of a list in brackets.
pub(crate) fn items(list: &str) -> Option<Vec<String>> {
    let mut rest = list.strip_prefix('[')?.strip_suffix(']')?;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let end = end_of_quote(rest)?;
        found.push(rest.get(..end)?.to_owned());
        rest = rest.get(end..)?;
        rest = if rest.is_empty() { rest } else { rest.strip_prefix(", ")? };
    }
    Some(found)
}

/// Whether a text is a value that is written.
fn is_literal(text: &str) -> bool {
    matches!(text, "true" | "false") || text.parse::<i64>().is_ok() || is_quoted(text)
}

/// Whether a text is one written text.
pub(crate) fn is_quoted(text: &str) -> bool {
    end_of_quote(text) == Some(text.len())
}

const CALLS: [&str; 3] = [".startsWith(", ".endsWith(", ".contains("];

/// How a formula compares a value with what is written.
pub(crate) fn compared(formula: &Formula) -> Option<Compared> {
    let (text, is_negated) = match formula {
        Formula::Test(text, _) => match text.strip_prefix("!(").and_then(|rest| rest.strip_suffix(')')) {
            Some(inner) => (inner, true),
            None => (text.as_str(), false),
        },
        Formula::Not(inner) => match &**inner {
            Formula::Test(text, _) => (text.as_str(), true),
            _ => return None,
        },
        _ => return None,
    };
    let (way, mut rest) = Way::begin(text)?;
    let mut default = None;
    if let Some((value, behind)) = rest.strip_prefix(".orValue").and_then(bracket) {
        default = Some(value.to_owned());
        rest = behind;
    }
    let of_call = |call: &str| {
        let inner = rest.strip_prefix(call).and_then(|rest| rest.strip_suffix(')'));
        inner.is_some_and(|inner| is_quoted(inner) && inner.len() > 2)
    };
    let literal = |sign: &str| rest.strip_prefix(sign).filter(|text| is_literal(text)).map(str::to_owned);
    let asked = if rest.is_empty() && !way.steps.is_empty() {
        Asked::Truth
    } else if let Some(wanted) = literal(" == ") {
        Asked::Equal(wanted)
    } else if let Some(wanted) = literal(" != ") {
        Asked::Other(wanted)
    } else if let Some(list) = rest.strip_prefix(" in ").and_then(items) {
        Asked::In(list)
    } else if CALLS.iter().any(|call| of_call(call)) {
        Asked::Call(rest.to_owned())
    } else {
        return None;
    };
    Some(Compared { way, default, asked, is_negated })
}

impl Compared {
    /// What is answered for this value.
    fn answer(&self, value: &str) -> Option<bool> {
        let answer = match &self.asked {
            Asked::Truth if matches!(value, "true" | "false") => value == "true",
            Asked::Equal(wanted) if is_literal(value) => value == wanted,
            Asked::Other(wanted) if is_literal(value) => value != wanted,
            Asked::In(list) => list.iter().any(|one| one == value),
            Asked::Call(_) if value == "''" => false,
            _ => return None,
        };
        Some(answer != self.is_negated)
    }

    /// What is answered where this is the value and one of these texts, if that is always the same.
    pub(crate) fn among(&self, way: &str, values: &[String]) -> Option<bool> {
        if self.way.plain() != way || !self.way.is_plain() || self.default.is_some() {
            return None;
        }
        let mut answers = values.iter().map(|value| self.answer(&quoted(value)));
        let first = answers.next()??;
        answers.all(|answer| answer == Some(first)).then_some(first)
    }

    /// A value for which this is answered, as a person would write it for an absent one.
    fn value_for(&self, wanted: bool) -> Option<String> {
        let values: Vec<&str> = match &self.asked {
            Asked::Truth => vec!["false", "true"],
            Asked::Equal(one) if matches!(one.as_str(), "true" | "false") => vec!["false", "true"],
            Asked::Equal(one) if is_quoted(one) => vec!["''", one],
            Asked::Equal(one) => vec![one, "0"],
            Asked::Other(one) if is_quoted(one) => vec!["''"],
            Asked::Other(_) => Vec::new(),
            Asked::In(list) if self.is_negated || !wanted => {
                vec!["''"].into_iter().filter(|_| !list.is_empty()).collect()
            }
            Asked::In(list) => list.first().map(String::as_str).into_iter().collect(),
            Asked::Call(_) => vec!["''"],
        };
        let default = self.default.as_deref();
        let values = default.map_or(values, |default| vec![default]);
        values.into_iter().find(|value| self.answer(value) == Some(wanted)).map(str::to_owned)
    }

    /// The same where an absent value, from the last step of the first guard on, is answered so.
    pub(crate) fn guarded(&self, guards: &[Way], answer: bool) -> Option<Formula> {
        let (first, last) = (guards.first()?, guards.last()?);
        let behind = self.way.steps.get(last.steps.len()..)?;
        if self.way.is_plain() == self.default.is_some() || behind.iter().any(|step| !step.is_optional) {
            return None;
        }
        let mut way = first.clone();
        way.steps.extend(self.way.steps.get(first.steps.len()..)?.iter().cloned());
        let from = first.steps.len().checked_sub(1)?;
        way.steps.iter_mut().skip(from).for_each(|step| step.is_optional = true);
        let value = format!("{}.orValue({})", way.text(), self.value_for(answer)?);
        let made = match &self.asked {
            Asked::Truth => Formula::test(value),
            Asked::Equal(wanted) => Formula::equal(&value, wanted),
            Asked::Other(wanted) => Formula::equal(&value, wanted).negated(),
            Asked::In(list) => Formula::test(format!("{value} in [{}]", list.join(", "))),
            Asked::Call(call) => Formula::test(format!("{value}{call}")),
        };
        Some(if self.is_negated { made.negated() } else { made })
    }
}
