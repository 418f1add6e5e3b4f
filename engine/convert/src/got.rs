//! What expressions give, as conditions ask of it.
//!
//! In: ways to values, lists, written values. Out: tests of them, and of all or one of the elements of a list.

use crate::formula::{Formula, Quantifier, operand, quoted};
use crate::reach::Reach;
use crate::refusal::{Class, Made, refuse};
use engine_compare::schema::{Schema, Shape};
use engine_json::{Path, Value};

/// What an expression gives.
#[derive(Clone, Debug)]
pub(crate) enum Got {
    /// `request`, or a part of it that is not of the object.
    Request(&'static str),
    /// A value of an object; where it is absent the expression errs.
    Field(Reach),
    /// The same, and what stands for it where it is absent.
    Defaulted(Reach, Value),
    /// A value that is there, as text of CEL, with its form.
    Given(String, Shape),
    /// A value that is written.
    Written(Value),
    /// Elements of a list.
    Many(Many),
    /// A truth value.
    Truth(Formula),
    /// How many elements there are.
    Count(Many),
}

/// Elements of a list, or values of a map.
#[derive(Clone, Debug)]
pub(crate) struct Many {
    /// The list.
    pub(crate) list: String,
    /// The name of an element.
    pub(crate) name: String,
    /// Which elements count.
    pub(crate) filter: Formula,
    /// What is taken of each.
    pub(crate) item: Box<Got>,
    /// The list where it is there; elsewhere it errs.
    plain: String,
    /// That the list is there: an absent one is null.
    pub(crate) there: Formula,
    /// Whether an empty text stands for an empty list.
    pub(crate) is_text_if_empty: bool,
}

impl Got {
    /// A written value.
    pub(crate) fn literal(value: &Value) -> Self {
        Got::Written(value.clone())
    }

    /// A text of CEL that gives a text.
    pub(crate) fn text(text: String) -> Self {
        Got::Given(text, Shape::Text)
    }

    /// The value, or this one where it is absent.
    pub(crate) fn or_else(self, other: Got) -> Option<Got> {
        let Got::Written(default) = other else { return None };
        match self {
            // What is empty gives way as well: to what is empty too, nothing changes.
            Got::Field(reach) if is_falsy(&default) || default.is_null() => {
                Some(Got::Defaulted(reach, default))
            }
            Got::Many(many) if default.as_array().is_some_and(<[Value]>::is_empty) => {
                Some(Got::Many(many.defaulted(false)))
            }
            Got::Written(value) => {
                Some(if is_falsy(&value) { Got::Written(default) } else { Got::Written(value) })
            }
            Got::Many(many) if matches!(&default, Value::String(text) if text.is_empty()) => {
                Some(Got::Many(many.defaulted(true)))
            }
            // What a request says of itself is never empty at admission.
            Got::Given(text, shape) if text.starts_with("request.") || is_falsy(&default) => {
                Some(Got::Given(text, shape))
            }
            Got::Field(reach) if reach.shape == Some(Shape::Text) && default.as_str().is_some() => {
                let default = quoted(default.as_str().unwrap_or(""));
                let (held, plain) = (reach.or("''"), reach.plain());
                Some(Got::text(format!("({held} != '' ? {plain} : {default})")))
            }
            _ => None,
        }
    }

    /// As a text within a text.
    pub(crate) fn as_text(&self, path: &Path) -> Made<String> {
        match self {
            Got::Given(text, Shape::Text) => Ok(text.clone()),
            Got::Given(text, Shape::Number) => Ok(format!("string({text})")),
            Got::Count(many) => Ok(format!("string({})", many.size(path)?)),
            Got::Field(reach) if reach.shape == Some(Shape::Text) => Ok(reach.plain().to_owned()),
            Got::Field(reach) => Ok(format!("string({})", reach.plain())),
            Got::Defaulted(reach, Value::String(text)) => Ok(reach.or(&quoted(text))),
            Got::Written(Value::String(text)) => Ok(quoted(text)),
            Got::Many(many) if many.filter == Formula::True => {
                let inner = match &*many.item {
                    Got::Field(reach) if !reach.is_optional() => reach.plain().to_owned(),
                    Got::Given(text, _) => text.clone(),
                    _ => return refuse(Class::Expression, path, "a list within a text"),
                };
                Ok(format!("{}.map({}, {inner}).join(', ')", operand(&many.list), many.name))
            }
            _ => refuse(Class::Expression, path, "a value of this form within a text"),
        }
    }

    /// As elements.
    pub(crate) fn many(self, path: &Path) -> Made<Many> {
        let is_defaulted = matches!(self, Got::Defaulted(..));
        match self {
            Got::Many(many) => Ok(many),
            Got::Field(reach) | Got::Defaulted(reach, _) => {
                let name = reach.element_name();
                let item = Box::new(Got::Field(reach.element(&name)));
                let there = if is_defaulted { Formula::True } else { reach.is_there() };
                let plain = if is_defaulted { reach.or("[]") } else { reach.plain().to_owned() };
                Ok(Many { plain, there, ..Many::new(reach.or("[]"), name, item) })
            }
            Got::Given(text, shape) => {
                let item = Got::Field(Reach::of("item", Schema::element(&shape)));
                Ok(Many::new(text, "item".into(), Box::new(item)))
            }
            _ => refuse(Class::Expression, path, "something else in place of a list"),
        }
    }
}

impl Many {
    /// All elements of a list.
    pub(crate) fn new(list: String, name: String, item: Box<Got>) -> Self {
        let plain = list.clone();
        Many { list, name, filter: Formula::True, item, plain, there: Formula::True, is_text_if_empty: false }
    }

    /// The same, with an empty list or an empty text where there is none.
    pub(crate) fn defaulted(self, is_text_if_empty: bool) -> Self {
        Many { there: Formula::True, plain: self.list.clone(), is_text_if_empty, ..self }
    }

    /// The same, which errs where there is none.
    pub(crate) fn strict(&self) -> Self {
        Many { there: Formula::True, list: self.plain.clone(), ..self.clone() }
    }

    /// All or one of the elements.
    pub(crate) fn each(
        &self,
        quantifier: Quantifier,
        test: &mut dyn FnMut(&Got) -> Made<Formula>,
    ) -> Made<Formula> {
        let inner = match &*self.item {
            Got::Many(inner) => inner.each(quantifier, test)?,
            Got::Field(reach) if reach.is_optional() => {
                let known = test(&Got::Field(reach.known()))?;
                join(quantifier, reach.is_there(), known)
            }
            other => test(other)?,
        };
        let body = join(quantifier, self.filter.clone(), inner);
        Ok(Formula::each(self.list.clone(), quantifier, self.name.clone(), body))
    }

    /// The number of elements.
    pub(crate) fn size(&self, path: &Path) -> Made<String> {
        let filter = match &*self.item {
            // What is absent in an element is null, and drops out.
            Got::Field(reach) => Formula::and([self.filter.clone(), reach.is_there()]),
            Got::Given(..) => self.filter.clone(),
            _ => return refuse(Class::Expression, path, "the length of a list of lists"),
        };
        Ok(match filter {
            Formula::True => format!("size({})", self.list),
            filter => format!("size({}.filter({}, {}))", operand(&self.list), self.name, filter.text()),
        })
    }

    /// The innermost elements changed.
    pub(crate) fn then(self, change: &mut dyn FnMut(Got) -> Made<Got>) -> Made<Many> {
        let item = match *self.item {
            Got::Many(inner) => Got::Many(inner.then(change)?),
            other => change(other)?,
        };
        Ok(Many { item: Box::new(item), ..self })
    }
}

fn join(quantifier: Quantifier, counts: Formula, test: Formula) -> Formula {
    match quantifier {
        Quantifier::All => Formula::or([counts.negated(), test]),
        Quantifier::Exists => Formula::and([counts, test]),
    }
}

/// Whether JMESPath takes a value as false.
pub(crate) fn is_falsy(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    }
}
