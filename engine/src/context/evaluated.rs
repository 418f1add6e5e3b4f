//! Texts of the data that were evaluated as expressions: who may write them can steer the policy.
//!
//! In: what variables have yielded, where it holds variables of its own. Out: each such text once, with the expression that
//! yielded it and its place in the resource: the annotation `note: "{{ x }}"` under a condition whose key is
//! `{{ request.object.metadata.annotations }}`.

use super::Evaluator;
use crate::resource::{place_of, place_of_text};
use crate::template;
use engine_json::{Path, Segment, Str, Value};

/// How many such texts are said of one policy and resource.
const MAX_TOLD: usize = 10;
/// How many bytes of such a text are kept.
const MAX_TEXT: usize = 200;

/// A text of the data that was evaluated as an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluated {
    /// The text; of a long one the beginning.
    pub text: String,
    /// The expression of the policy that yielded it.
    pub expression: String,
    /// Where it stands in the resource; `None` where it came from elsewhere.
    pub path: Option<Path>,
}

/// What is kept until the resource is at hand.
pub(super) struct Note {
    text: Str,
    expression: String,
    /// The map or list that holds it, and where in it.
    within: Option<(Value, Segment)>,
}

impl Evaluator<'_> {
    /// Notes the texts of a value that is put amid other text.
    pub(super) fn note_text(&self, value: &Value, expression: &str) {
        match value {
            Value::String(text) => self.note(text, expression, None),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
            Value::Array(_) | Value::Object(_) => self.note_within(value, expression),
        }
    }

    /// Notes the texts of a map or list that is substituted again.
    pub(super) fn note_within(&self, value: &Value, expression: &str) {
        let one = |text: Option<&Str>, segment: &dyn Fn() -> Segment| {
            if let Some(text) = text.filter(|text| template::may_hold_variables(text)) {
                self.note(text, expression, Some((value.clone(), segment())));
            }
        };
        let text = |value: &Value| if let Value::String(text) = value { Some(text.clone()) } else { None };
        match value {
            Value::Object(map) => {
                for (key, item) in map.iter().take_while(|_| !self.has_noted_enough()) {
                    one(Some(key), &|| Segment::Key(key.clone()));
                    one(text(item).as_ref(), &|| Segment::Key(key.clone()));
                    self.note_within(item, expression);
                }
            }
            Value::Array(list) => {
                for (at, item) in list.iter().enumerate().take_while(|_| !self.has_noted_enough()) {
                    one(text(item).as_ref(), &|| Segment::from(at));
                    self.note_within(item, expression);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn has_noted_enough(&self) -> bool {
        self.notes.borrow().len() >= MAX_TOLD
    }

    fn note(&self, text: &Str, expression: &str, within: Option<(Value, Segment)>) {
        if self.has_noted_enough() || template::variables(text).is_empty() {
            return;
        }
        let mut notes = self.notes.borrow_mut();
        if !notes.iter().any(|note| note.text == *text && note.expression == expression) {
            notes.push(Note { text: text.clone(), expression: expression.to_owned(), within });
        }
    }

    /// What was noted since this was asked last, with its places in a resource.
    pub(crate) fn take_evaluated(&self, resource: &Value) -> Vec<Evaluated> {
        let notes = std::mem::take(&mut *self.notes.borrow_mut());
        let place = |note: &Note| {
            let node = note.within.as_ref().and_then(|(holder, segment)| {
                place_of(resource, holder).map(|path| path.join(segment.clone()))
            });
            node.or_else(|| place_of_text(resource, &note.text))
        };
        let evaluated = notes.iter().map(|note| Evaluated {
            path: place(note),
            text: clipped(&note.text),
            expression: clipped(&note.expression),
        });
        evaluated.collect()
    }
}

/// The beginning of a text.
fn clipped(text: &str) -> String {
    let end = (0..=MAX_TEXT).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    match text.get(..end) {
        Some(start) if text.len() > MAX_TEXT => format!("{start}…"),
        _ => text.to_owned(),
    }
}
