//! Formulas of CEL, put together and written as text.
//!
//! In: tests, joined by *and*, *or*, *not* and quantifiers. Out: the shortest text of them, on several lines where one is too long.

use crate::expressions::lines::{ALONE, WIDTH};

/// A truth value of CEL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Formula {
    /// Always.
    True,
    /// Never.
    False,
    /// A test that binds stronger than *and*, and the same negated where that has a text of its own.
    Test(String, Option<String>),
    /// The contrary.
    Not(Box<Formula>),
    /// All of them.
    And(Vec<Formula>),
    /// One of them.
    Or(Vec<Formula>),
    /// A macro over a list: the list, the macro, the variable, what is asked of an element.
    Each(String, Quantifier, String, Box<Formula>),
}

/// A macro that asks something of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantifier {
    /// `all`
    All,
    /// `exists`
    Exists,
}

use Formula::{And, Each, False, Not, Or, Test, True};

impl Formula {
    /// A test without a contrary of its own.
    pub(crate) fn test(text: impl Into<String>) -> Self {
        Test(text.into(), None)
    }

    /// Two values compared: `==` or `!=`.
    pub(crate) fn equal(left: &str, right: &str) -> Self {
        Test(format!("{left} == {right}"), Some(format!("{left} != {right}")))
    }

    /// All of these.
    pub(crate) fn and(all: impl IntoIterator<Item = Formula>) -> Self {
        let mut kept: Vec<Formula> = Vec::new();
        for one in all {
            match one {
                True => {}
                False => return False,
                And(inner) => inner.into_iter().for_each(|one| push(&mut kept, one)),
                one => push(&mut kept, one),
            }
        }
        if kept.len() > 1 { And(kept) } else { kept.pop().unwrap_or(True) }
    }

    /// One of these.
    pub(crate) fn or(all: impl IntoIterator<Item = Formula>) -> Self {
        let mut kept: Vec<Formula> = Vec::new();
        for one in all {
            match one {
                False => {}
                True => return True,
                Or(inner) => inner.into_iter().for_each(|one| push(&mut kept, one)),
                one => push(&mut kept, one),
            }
        }
        if kept.len() > 1 { Or(kept) } else { kept.pop().unwrap_or(False) }
    }

    /// The contrary.
    pub(crate) fn negated(self) -> Self {
        match self {
            True => False,
            False => True,
            Not(inner) => *inner,
            Test(text, Some(contrary)) => Test(contrary, Some(text)),
            And(all) => Formula::or(all.into_iter().map(Formula::negated)),
            Or(all) => Formula::and(all.into_iter().map(Formula::negated)),
            Each(list, Quantifier::All, name, body) => {
                Formula::each(list, Quantifier::Exists, name, body.negated())
            }
            Each(list, Quantifier::Exists, name, body) => {
                Formula::each(list, Quantifier::All, name, body.negated())
            }
            test @ Test(_, None) => Not(Box::new(test)),
        }
    }

    /// All or one of the elements of a list.
    pub(crate) fn each(list: String, quantifier: Quantifier, name: String, body: Formula) -> Self {
        match (quantifier, &body) {
            (Quantifier::All, True) => True,
            (Quantifier::Exists, False) => False,
            (Quantifier::Exists, Test(text, _)) if let Some(wanted) = compared(text, &name, "==") => {
                contained(wanted, &list)
            }
            (Quantifier::All, Test(text, _)) if let Some(wanted) = compared(text, &name, "!=") => {
                contained(wanted, &list).negated()
            }
            _ => Each(list, quantifier, name, Box::new(body)),
        }
    }

    /// The one where a test holds, else the other.
    pub(crate) fn choice(test: Self, one: Self, other: Self) -> Self {
        if one == other {
            return one;
        }
        Formula::or([Formula::and([test.clone(), one]), Formula::and([test.negated(), other])])
    }

    /// How the text of its first test may begin, as it stands and negated.
    pub(crate) fn begins(&self) -> Vec<String> {
        match self {
            True | False => Vec::new(),
            Test(text, contrary) => std::iter::once(text).chain(contrary).cloned().collect(),
            Not(inner) => inner.begins(),
            And(all) | Or(all) => all.first().map(Formula::begins).unwrap_or_default(),
            Each(list, _, name, _) => [Quantifier::All, Quantifier::Exists]
                .map(|quantifier| format!("{}.{}({name},", operand(list), quantifier.as_str()))
                .to_vec(),
        }
    }

    /// The text, with nothing in it that says nothing.
    pub(crate) fn text(&self) -> String {
        self.clone().simplified().at(0, 0)
    }

    /// The text as an expression of its own, which must give what is known to be a truth: of a field alone that is not known.
    // Kyverno: policies are refused whose expressions have another type than `bool`.
    pub(crate) fn whole_text(&self) -> String {
        match self.clone().simplified() {
            Test(text, _) if is_field(&text) => format!("{text} == true"),
            other => other.at(0, 0),
        }
    }

    /// The text as it was put together.
    pub(crate) fn text_as_is(&self) -> String {
        self.flat()
    }

    fn flat(&self) -> String {
        let part = |part: &Formula, inside_or: bool| match part {
            And(_) if inside_or => format!("({})", part.flat()),
            Or(_) => format!("({})", part.flat()),
            other => other.flat(),
        };
        match self {
            True => "true".into(),
            False => "false".into(),
            Test(text, _) => text.clone(),
            Not(inner) => match &**inner {
                Test(text, _) if is_call(text) => format!("!{text}"),
                other => format!("!({})", other.flat()),
            },
            And(all) => all.iter().map(|one| part(one, false)).collect::<Vec<_>>().join(" && "),
            Or(all) => all.iter().map(|one| part(one, true)).collect::<Vec<_>>().join(" || "),
            Each(list, quantifier, name, body) => {
                format!("{}.{}({name}, {})", operand(list), quantifier.as_str(), body.flat())
            }
        }
    }

    /// The text from this column on, with so many letters behind it.
    fn at(&self, indent: usize, behind: usize) -> String {
        let flat = self.flat();
        let width = if indent + behind == 0 { ALONE } else { WIDTH };
        if flat.chars().count() + indent + behind <= width {
            return flat;
        }
        self.broken(indent, behind)
    }

    /// The same on several lines, where it has parts.
    fn broken(&self, indent: usize, behind: usize) -> String {
        let pad = " ".repeat(indent);
        match self {
            And(all) | Or(all) => {
                let is_or = matches!(self, Or(_));
                let behind = behind.max(SIGN.len());
                let parts = all.iter().map(|one| match one {
                    And(_) if is_or => bracket(one, indent, behind),
                    Or(_) => bracket(one, indent, behind),
                    other => other.at(indent, behind),
                });
                let sign = if is_or { " ||" } else { SIGN };
                parts.collect::<Vec<_>>().join(&format!("{sign}\n{pad}"))
            }
            Each(list, quantifier, name, body) => {
                let is_long = matches!(**body, And(_) | Or(_)) && body.flat().len() > MAX_TOGETHER;
                let inner = if is_long {
                    body.broken(indent + 2, behind + 1)
                } else {
                    body.at(indent + 2, behind + 1)
                };
                let list = operand(list);
                format!("{list}.{}({name},\n{pad}  {inner})", quantifier.as_str())
            }
            Not(inner) if !matches!(**inner, Test(..)) => format!("!({})", inner.at(indent + 2, behind + 1)),
            Not(_) | True | False | Test(..) => self.flat(),
        }
    }
}

/// How long conditions on an element may be that share a line.
const MAX_TOGETHER: usize = 60;
const SIGN: &str = " &&";

impl Quantifier {
    fn as_str(self) -> &'static str {
        match self {
            Quantifier::All => "all",
            Quantifier::Exists => "exists",
        }
    }
}

/// The written text with which an element is compared in this way.
fn compared<'t>(test: &'t str, name: &str, sign: &str) -> Option<&'t str> {
    let wanted = test.strip_prefix(name)?.strip_prefix(' ')?.strip_prefix(sign)?.strip_prefix(' ')?;
    let inner = wanted.strip_prefix('\'')?.strip_suffix('\'')?;
    (!inner.contains(['\'', '\\'])).then_some(wanted)
}

/// A written text is among the elements of a list, or the keys of a map.
fn contained(wanted: &str, list: &str) -> Formula {
    let list = operand(list);
    Test(format!("{wanted} in {list}"), Some(format!("!({wanted} in {list})")))
}

fn push(kept: &mut Vec<Formula>, one: Formula) {
    if !kept.contains(&one) {
        kept.push(one);
    }
}

fn bracket(one: &Formula, indent: usize, behind: usize) -> String {
    format!("({})", one.at(indent + 1, behind + 1))
}

/// Whether a text is a field, or that with a truth in its place where it is not there.
fn is_field(text: &str) -> bool {
    let defaults = [".orValue(false)", ".orValue(true)"];
    let path = defaults.iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text);
    !path.contains(['(', ' ']) && !matches!(path, "true" | "false")
}

/// Whether a text is one call or one path, so that `!` may stand before it.
fn is_call(text: &str) -> bool {
    let mut depth = 0_usize;
    let mut quoted = None;
    let mut escaped = false;
    for c in text.chars() {
        match (quoted, c) {
            (Some(_), '\\') if !escaped => escaped = true,
            (Some(quote), c) => {
                if c == quote && !escaped {
                    quoted = None;
                }
                escaped = false;
            }
            (None, '\'' | '"') => quoted = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ' ') if depth == 0 => return false,
            (None, _) => {}
        }
    }
    true
}

/// Where the written text ends with which a text begins.
pub(crate) fn end_of_quote(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// A text as the receiver of a call.
pub(crate) fn operand(text: &str) -> String {
    if is_call(text) { text.to_owned() } else { format!("({text})") }
}

/// A text of CEL; one with an apostrophe in double quotes.
pub(crate) fn quoted(text: &str) -> String {
    if text.contains('\'') && !text.contains(['"', '\\']) && !text.contains(char::is_control) {
        return format!("\"{text}\"");
    }
    let mut out = String::from("'");
    for c in text.chars() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
    out.push('\'');
    out
}
