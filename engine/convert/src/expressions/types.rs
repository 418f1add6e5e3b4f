//! What is known of the fields of kinds, and what is taken for granted where nothing is.
//!
//! In: Kubernetes' schema; how a source reads a field of a custom kind. Out: shapes, and the types that the output relies on.

use crate::comments::Traces;
use crate::expressions::access::Access;
use engine::value::quantity::Quantity;
use engine_compare::schema::{Schema, Shape};
use engine_compare::{FieldType, PlainValue};
use engine_json::{Path, Value};
use std::cell::{Cell, RefCell};

/// The schema, and the types that are taken for granted.
#[derive(Debug)]
pub(crate) struct Types<'s> {
    schema: &'s Schema,
    assumed: RefCell<Vec<FieldType>>,
    /// Whether images are taken to be such as can be pulled.
    readable_images: Cell<bool>,
    /// Whether the source changes the order of containers or volumes.
    kept_order: Cell<bool>,
    /// Conditions that take what objects have for wildcards, and strings that are taken to have none.
    plain: RefCell<Vec<(Option<Path>, PlainValue)>>,
    /// What was said of places of the source.
    pub(crate) traces: Traces,
}

impl<'s> Types<'s> {
    pub(crate) fn new(schema: &'s Schema) -> Self {
        Types {
            schema,
            assumed: RefCell::default(),
            readable_images: Cell::default(),
            kept_order: Cell::default(),
            plain: RefCell::default(),
            traces: Traces::default(),
        }
    }

    /// The schema of Kubernetes' own kinds.
    pub(crate) fn schema(&self) -> &'s Schema {
        self.schema
    }

    /// The shape of a field.
    pub(crate) fn field(&self, shape: &Shape, key: &str) -> Option<Shape> {
        self.schema.tried(shape, key)
    }

    /// What was taken for granted.
    pub(crate) fn assumed(&self) -> Vec<FieldType> {
        self.assumed.borrow().clone()
    }

    /// Takes it for granted that images can be pulled.
    pub(crate) fn assume_readable_images(&self) {
        self.readable_images.set(true);
    }

    /// Whether that was taken for granted.
    pub(crate) fn has_readable_images(&self) -> bool {
        self.readable_images.get()
    }

    /// The source changes the order of containers or volumes, which decides nothing.
    pub(crate) fn note_kept_order(&self) {
        self.kept_order.set(true);
    }

    /// Whether it does.
    pub(crate) fn keeps_order(&self) -> bool {
        self.kept_order.get()
    }

    /// Takes it for granted that no wildcards stand in strings that a condition reads.
    ///
    /// Those of the cluster, for which there is a note of its own, have no place.
    pub(crate) fn assume_plain(&self, place: Option<&Path>, value: PlainValue) {
        let mut plain = self.plain.borrow_mut();
        if !plain.iter().any(|(known, of)| known.as_ref() == place && *of == value) {
            plain.push((place.cloned(), value));
        }
    }

    /// Where that was taken for granted.
    pub(crate) fn plain(&self) -> Vec<(Option<Path>, PlainValue)> {
        self.plain.borrow().clone()
    }

    /// Takes it for granted that a field holds this, where nothing is known of it.
    pub(crate) fn assume(&self, access: &Access, shape: Shape) {
        self.assume_one(access, shape, false);
    }

    fn assume_one(&self, access: &Access, shape: Shape, is_quantity: bool) {
        let (None, Some(path @ [_, ..])) = (&access.shape, access.path_of_some()) else { return };
        let mut assumed = self.assumed.borrow_mut();
        match assumed.iter_mut().find(|one| one.path == path) {
            // Compared with both, it may be both.
            Some(one) => {
                one.is_quantity &= is_quantity;
                if one.has_parts && matches!(shape, Shape::Text | Shape::List(_)) {
                    one.has_parts = false;
                    one.shape = shape;
                } else if one.shape != shape {
                    one.shape = wider(&one.shape, &shape);
                }
            }
            None => {
                assumed.push(FieldType { path: path.to_vec(), shape, is_quantity, has_parts: false });
            }
        }
    }

    /// What a field of unknown form is taken to hold until now.
    pub(crate) fn taken_for(&self, access: &Access) -> Option<Shape> {
        let path = access.path_of_some()?;
        self.assumed.borrow().iter().find(|one| one.path == path).map(|one| one.shape.clone())
    }

    /// Takes it for granted that a field holds a string or a list, where nothing is known of it.
    pub(crate) fn assume_parts(&self, access: &Access) {
        let (None, Some(path @ [_, ..])) = (&access.shape, access.path_of_some()) else { return };
        let mut assumed = self.assumed.borrow_mut();
        if !assumed.iter().any(|one| one.path == path) {
            let path = path.to_vec();
            assumed.push(FieldType { path, shape: Shape::Any, is_quantity: false, has_parts: true });
        }
    }

    /// The same, by what it is held against.
    pub(crate) fn assume_like(&self, access: &Access, written: &Value) {
        match written {
            Value::Object(_) => self.assume(access, Shape::Map(Box::new(Shape::Any))),
            Value::Array(_) => self.assume(access, Shape::List(Box::new(Shape::Any))),
            Value::String(text) if matches!(&**text, "true" | "false" | "null" | "*") => {}
            Value::String(text) => {
                let is_number = text.contains(|c: char| c.is_ascii_digit());
                // `<10` compares quantities.
                let bound = text.trim_start_matches(['<', '>', '=']);
                let is_quantity = bound.len() < text.len() && Quantity::parse(bound.trim()).is_ok();
                self.assume_one(access, if is_number { Shape::Either } else { Shape::Text }, is_quantity);
            }
            Value::Number(_) => self.assume(access, Shape::Number),
            Value::Bool(_) => self.assume(access, Shape::Truth),
            Value::Null => {}
        }
    }
}

fn wider(one: &Shape, other: &Shape) -> Shape {
    let is_scalar = |shape: &Shape| matches!(shape, Shape::Text | Shape::Number | Shape::Either);
    if is_scalar(one) && is_scalar(other) { Shape::Either } else { Shape::Any }
}
