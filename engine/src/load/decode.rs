//! Reading typed fields out of a value, noting what does not fit instead of failing.
//!
//! In: a [`Node`], a value with its path. Out: its fields, and [`Problem`]s that the loader turns into
//! diagnostics with lines.

use crate::diag::{Code, Severity};
use engine_json::{Map, Path, Segment, Str, Value};

/// Something wrong with a field.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// The field.
    pub path: Path,
    /// What kind of problem.
    pub code: Code,
    /// Whether the object can be used all the same.
    pub severity: Severity,
    /// One line.
    pub message: String,
    /// What to do; empty for nothing.
    pub hint: String,
}

/// The problems found so far.
pub(crate) type Problems = Vec<Problem>;

/// A value and the way to it.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    /// The value; null where the field is absent.
    pub value: &'a Value,
    parent: Option<&'a Node<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root(&'a Path),
    Key(&'a str),
    Index(usize),
}

const NULL: &Value = &Value::Null;

impl<'a> Node<'a> {
    /// The value at this path of its document.
    pub(super) fn new(value: &'a Value, path: &'a Path) -> Self {
        Node { value, parent: None, step: Step::Root(path) }
    }

    /// Its path in the document.
    pub(super) fn path(&self) -> Path {
        if let Step::Root(root) = self.step {
            return root.clone();
        }
        let mut steps = Vec::new();
        self.add_steps(&mut steps);
        steps.into()
    }

    fn add_steps(&self, steps: &mut Vec<Segment>) {
        if let Some(parent) = self.parent {
            parent.add_steps(steps);
        }
        match self.step {
            Step::Root(root) => steps.extend(root.iter().cloned()),
            Step::Key(key) => steps.push(Segment::from(key)),
            Step::Index(at) => steps.push(Segment::from(at)),
        }
    }

    /// The field; null where it is absent.
    pub(super) fn field(&'a self, key: &'a str) -> Node<'a> {
        Node { value: self.value.get(key).unwrap_or(NULL), parent: Some(self), step: Step::Key(key) }
    }

    /// Whether the field is there and not null.
    pub(super) fn has(&self, key: &str) -> bool {
        self.value.get(key).is_some_and(|value| !value.is_null())
    }

    /// Whether it is the field of this name.
    pub(super) fn is_named(&self, key: &str) -> bool {
        matches!(self.step, Step::Key(name) if name == key)
    }

    /// Whether it is absent or null.
    pub(super) fn is_absent(&self) -> bool {
        self.value.is_null()
    }

    /// The text; empty where absent.
    pub(super) fn text(&self, problems: &mut Problems) -> Str {
        match self.value {
            Value::String(text) => text.clone(),
            Value::Null => Str::default(),
            other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                self.wrong_type("a string", other, problems);
                Str::default()
            }
        }
    }

    /// The truth value; `None` where absent.
    pub(super) fn flag(&self, problems: &mut Problems) -> Option<bool> {
        match self.value {
            Value::Bool(b) => Some(*b),
            Value::Null => None,
            other @ (Value::String(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                self.wrong_type("true or false", other, problems);
                None
            }
        }
    }

    /// The map; `None` where absent.
    pub(super) fn map(&self, problems: &mut Problems) -> Option<&'a Map> {
        match self.value {
            Value::Object(map) => Some(map),
            Value::Null => None,
            other @ (Value::Bool(_) | Value::String(_) | Value::Number(_) | Value::Array(_)) => {
                self.wrong_type("a map", other, problems);
                None
            }
        }
    }

    /// What `read` makes of each item of the list; empty where absent.
    pub(super) fn items<T>(
        &self,
        problems: &mut Problems,
        mut read: impl FnMut(&Node<'_>, &mut Problems) -> T,
    ) -> Vec<T> {
        match self.value {
            Value::Array(list) => {
                let node = |(at, value)| Node { value, parent: Some(self), step: Step::Index(at) };
                list.iter().enumerate().map(node).map(|item| read(&item, problems)).collect()
            }
            Value::Null => Vec::new(),
            other @ (Value::Bool(_) | Value::String(_) | Value::Number(_) | Value::Object(_)) => {
                self.wrong_type("a list", other, problems);
                Vec::new()
            }
        }
    }

    /// The texts of a list; empty where absent.
    pub(super) fn texts(&self, problems: &mut Problems) -> Vec<Str> {
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method is not general enough in its lifetimes"
        )]
        self.items(problems, |item, problems| item.text(problems))
    }

    /// Notes each key that the kind does not have.
    pub(super) fn known_fields(&self, known: &[&str], problems: &mut Problems) {
        let Value::Object(map) = self.value else { return };
        for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
            let near = nearest(key, known.iter().copied());
            problems.push(Problem {
                path: self.path().join(key.clone()),
                code: Code::UnknownField,
                severity: Severity::Error,
                message: format!("unknown field `{key}`"),
                hint: near.map_or_else(String::new, |name| format!("did you mean `{name}`?")),
            });
        }
    }

    /// Notes a problem with this field.
    pub(super) fn problem(
        &self,
        code: Code,
        severity: Severity,
        message: impl Into<String>,
        problems: &mut Problems,
    ) {
        problems.push(Problem {
            path: self.path(),
            code,
            severity,
            message: message.into(),
            hint: String::new(),
        });
    }

    fn wrong_type(&self, wanted: &str, found: &Value, problems: &mut Problems) {
        let found = match found {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "a list",
            Value::Object(_) => "a map",
        };
        let name = match self.step {
            Step::Key(key) => format!("`{key}` "),
            Step::Index(_) | Step::Root(_) => String::new(),
        };
        let hint = if wanted == "a string" && self.value.as_bool().is_some() {
            "a bare `y`, `n`, `yes`, `no`, `on` or `off` is true or false in YAML: write it in quotes"
        } else {
            ""
        };
        problems.push(Problem {
            path: self.path(),
            code: Code::WrongType,
            severity: Severity::Error,
            message: format!("{name}must be {wanted}, this is {found}"),
            hint: hint.to_owned(),
        });
    }
}

/// The name that differs from a word by what a typing error changes.
pub(super) fn nearest<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let near = names.map(|name| (distance(word, name), name)).min_by_key(|(distance, _)| *distance);
    near.filter(|(distance, name)| *distance <= 2.min(name.len() / 2)).map(|(_, name)| name)
}

/// How many letters must be changed, added or taken away; exact up to what a typing error needs.
pub(super) fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (y, above) in b.iter().zip(row.iter().skip(1)) {
            left = if x.eq_ignore_ascii_case(y) { diagonal } else { 1 + diagonal.min(left).min(*above) };
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}
