//! The cases of a kind: every object that is different for what policies ask, each as a number.
//!
//! In: what is asked, and what the schema says. Out: a plan from which each case is made by its number, and random members of its class.
//! The cases of an object are the product of those of its fields. Those of a list are the sets of classes of elements, up to as many elements
//! as there are formulas that say something of all elements or of one: for each of them one element can decide, and no formula in the
//! fragment depends on the order or on how often an element is there, unless elements are counted.

use crate::exact::asked::{Asked, Outside, Test};
use crate::exact::noise;
use crate::exact::scalars::{self, Classes, Scalar};
use crate::objects::defaults::is_written_as_null;
use crate::objects::kinds::EPHEMERAL_LIST;
use crate::objects::schema::{KEY, Schema, Shape};
use crate::objects::zeros;
use crate::reads::field_path::{FieldPath, Step};
use crate::search::random::Random;
use engine_json::{Map, Str, Value};

/// The cases of a place and below.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    /// A scalar.
    Scalar(Classes),
    /// An object with the fields of its type.
    Object {
        /// Whether it need not be there.
        may_miss: bool,
        /// The type.
        shape: Shape,
        /// The fields that are asked for.
        fields: Vec<(Str, Plan)>,
    },
    /// A map of the user's.
    Map {
        /// What stands under a key.
        shape: Shape,
        /// The keys that are asked for.
        fields: Vec<(Str, Plan)>,
    },
    /// A list.
    List {
        /// Whether it need not be there.
        may_miss: bool,
        /// What stands there then.
        missing: Option<Value>,
        /// What an element is.
        shape: Shape,
        /// The cases of an element.
        element: Box<Plan>,
        /// The elements of each case, by their numbers.
        rows: Vec<Vec<usize>>,
        /// Whether elements are counted.
        is_counted: bool,
    },
}

/// How many cases one list may have.
const MAX_ROWS: usize = 20_000;
/// How many elements of a list are told apart by what is asked of them.
const MAX_ELEMENT_CASES: usize = 2_000;
/// How many elements a case has at most.
const MAX_LENGTH: usize = 12;

/// Whether an API server takes no object without the field: of any other field, an object without it is a case as well.
// Kubernetes: validateContainerCommon, ValidateVolumes, ValidateEnv.
fn is_needed(path: &[Step], of: Option<&str>) -> bool {
    let Some(Step::Key(last)) = path.last() else { return false };
    match of {
        Some("core.v1.Container" | "core.v1.EphemeralContainer") => matches!(last.as_str(), "name" | "image"),
        Some("core.v1.Volume" | "core.v1.EnvVar" | "core.v1.VolumeMount") => last == "name",
        _ => false,
    }
}

/// What plans are made by.
pub(crate) struct Maker<'m> {
    /// The fields of Kubernetes' kinds.
    pub(crate) schema: &'m Schema,
    /// Whether a Pod may have containers that are added while it runs.
    pub(crate) has_ephemeral: bool,
}

/// A place, and what the schema says of it.
struct Here<'h> {
    shape: &'h Shape,
    is_quantity: bool,
    /// The type that it is a field of.
    of: Option<&'static str>,
    /// What the smallest object has there.
    base: Option<&'h Value>,
}

impl Maker<'_> {
    /// The plan of a kind whose smallest object is this.
    pub(crate) fn of_kind(&self, asked: &Asked, base: &Value) -> Result<Plan, Outside> {
        let shape = self.schema.of(base);
        let Some(shape) = shape else { return self.of_custom(asked, base) };
        let here = Here { shape: &shape, is_quantity: false, of: None, base: Some(base) };
        self.make(asked, &here, &mut Vec::new())
    }

    /// Of kinds that are not Kubernetes' own, the metadata are known.
    fn of_custom(&self, asked: &Asked, base: &Value) -> Result<Plan, Outside> {
        if !asked.tests.is_empty() || asked.each.is_some() {
            return Err("a kind whose fields are not known");
        }
        let mut fields = Vec::new();
        for (key, below) in &asked.fields {
            match key.as_str() {
                "apiVersion" | "kind" => {}
                "metadata" => {
                    let shape = Schema::metadata();
                    let base = base.get("metadata");
                    let here = Here { shape: &shape, is_quantity: false, of: None, base };
                    let mut path = vec![Step::Key(key.clone())];
                    fields.push((key.clone(), self.make(below, &here, &mut path)?));
                }
                _ => return Err("a kind whose fields are not known"),
            }
        }
        Ok(Plan::Object { may_miss: false, shape: Shape::Any, fields })
    }

    fn make(&self, asked: &Asked, here: &Here<'_>, path: &mut FieldPath) -> Result<Plan, Outside> {
        match here.shape {
            Shape::Object(name) => self.object(asked, here, name, path),
            Shape::Map(inner) => self.map(asked, here, inner, path),
            Shape::List(inner) => self.list(asked, here, inner, path),
            Shape::Any => Err("a field of any form"),
            Shape::Text | Shape::Number | Shape::Truth | Shape::Either => {
                if !asked.fields.is_empty() || asked.each.is_some() {
                    return Err("a scalar that is taken for an object or a list");
                }
                let is_needed = here.base.is_some() || is_needed(path, here.of);
                let leaves_out_zero = match (path.last(), here.of) {
                    (Some(Step::Key(field)), Some(of)) => zeros::leaves_out_zero(of, field),
                    _ => false,
                };
                let is_quantity = here.is_quantity;
                let scalar = Scalar { shape: here.shape, is_quantity, is_needed, leaves_out_zero };
                Ok(Plan::Scalar(scalars::of(&asked.tests, scalar)?))
            }
        }
    }

    /// The plan of a field.
    fn field(
        &self,
        asked: &Asked,
        (key, shape): (&Str, &Shape),
        here: &Here<'_>,
        of: Option<&'static str>,
        path: &mut FieldPath,
    ) -> Result<Plan, Outside> {
        let is_amount = here.is_quantity || self.schema.holds_quantities(here.shape, key);
        let base = here.base.and_then(|base| base.get(key));
        path.push(Step::Key(key.clone()));
        let made = self.make(asked, &Here { shape, is_quantity: is_amount, of, base }, path);
        path.pop();
        made
    }

    fn object(
        &self,
        asked: &Asked,
        here: &Here<'_>,
        name: &'static str,
        path: &mut FieldPath,
    ) -> Result<Plan, Outside> {
        if !self.schema.has_fields(here.shape) {
            return Err("an object whose fields are not known");
        }
        if asked.each.is_some() || asked.tests.iter().any(|test| !says_the_same_of_all(test)) {
            return Err("an object that is taken for a list, or as a whole");
        }
        let mut fields = Vec::new();
        for (key, below) in &asked.fields {
            // Fields that the kind does not have are dropped before policies are asked.
            let Some(shape) = self.schema.field(here.shape, key) else { continue };
            let is_fixed = path.is_empty() && matches!(key.as_str(), "apiVersion" | "kind");
            // Objects of the whole cluster have no namespace, and what no new Pod has comes with updates of Pods alone.
            let is_metadata = matches!(path.as_slice(), [Step::Key(key)] if key == "metadata");
            let is_of_cluster = is_metadata
                && key == "namespace"
                && here.base.is_some_and(|base| base.get("namespace").is_none());
            let is_ephemeral = key == EPHEMERAL_LIST && !(self.has_ephemeral && path.len() == 1);
            if is_fixed || is_of_cluster || is_ephemeral {
                continue;
            }
            fields.push((key.clone(), self.field(below, (key, &shape), here, Some(name), path)?));
        }
        let may_miss = here.base.is_none() && path.last() != Some(&Step::Each);
        Ok(Plan::Object { may_miss, shape: here.shape.clone(), fields })
    }

    fn map(
        &self,
        asked: &Asked,
        here: &Here<'_>,
        inner: &Shape,
        path: &mut FieldPath,
    ) -> Result<Plan, Outside> {
        let mut asked = asked.clone();
        for test in std::mem::take(&mut asked.tests) {
            match test {
                Test::Has(key) => drop(asked.fields.entry(key).or_default()),
                test if says_the_same_of_all(&test) => {}
                _ => return Err("a map that is taken as a whole"),
            }
        }
        if asked.each.is_some() || here.base.is_some() {
            return Err("all keys of a map");
        }
        let mut fields = Vec::new();
        for (key, below) in &asked.fields {
            fields.push((key.clone(), self.field(below, (key, inner), here, None, path)?));
        }
        Ok(Plan::Map { shape: inner.clone(), fields })
    }

    fn list(
        &self,
        asked: &Asked,
        here: &Here<'_>,
        inner: &Shape,
        path: &mut FieldPath,
    ) -> Result<Plan, Outside> {
        if !asked.fields.is_empty() {
            return Err("a list that is taken for an object");
        }
        let mut asked = asked.clone();
        let mut each = asked.each.take().map(|each| *each).unwrap_or_default();
        for test in std::mem::take(&mut asked.tests) {
            match test {
                // Kyverno: a scalar is held against each element.
                Test::Pattern(value) => {
                    asked.quantifiers.insert(engine_json::to_json(&value));
                    add(&mut each, Test::Pattern(value));
                }
                Test::Has(text) => {
                    asked.quantifiers.insert(format!("has {text}"));
                    add(&mut each, Test::Equals(Value::String(text)));
                }
                Test::Size(size) => {
                    asked.counted.insert(format!("size {size}"), size.saturating_add(1));
                }

                Test::Equals(_) | Test::Falsy => {}
                Test::Text(_) | Test::Order(_) | Test::Truth => {
                    return Err("a list that is taken as a whole");
                }
            }
        }
        path.push(Step::Each);
        let here_each = Here { shape: inner, is_quantity: false, of: here.of, base: None };
        let element = self.element(&each, &here_each, path);
        path.pop();
        let element = element?;
        let cases = element.count();
        // A list has to be longer than every number that it is held against, beside the elements that decide.
        let counted = asked.counted.values().fold(0_usize, |all, one| all.saturating_add(*one));
        let most = asked.quantifiers.len().saturating_add(counted).max(1);
        let is_counted = counted > 0;
        if cases > MAX_ELEMENT_CASES || (is_counted && most > MAX_LENGTH) {
            return Err("more kinds of elements than are told apart");
        }
        let rows = rows(cases, most, is_counted).ok_or("more lists than are tried")?;
        Ok(Plan::List {
            may_miss: here.base.is_none(),
            missing: is_written_as_null(path, here.of).then_some(Value::Null),
            shape: inner.clone(),
            element: Box::new(element),
            rows,
            is_counted,
        })
    }

    fn element(&self, each: &Asked, here: &Here<'_>, path: &mut FieldPath) -> Result<Plan, Outside> {
        match here.shape {
            Shape::Text | Shape::Number | Shape::Truth | Shape::Either => {
                if !each.fields.is_empty() || each.each.is_some() {
                    return Err("a scalar that is taken for an object or a list");
                }
                let scalar = Scalar {
                    shape: here.shape,
                    is_quantity: false,
                    is_needed: false,
                    leaves_out_zero: false,
                };
                let mut classes = scalars::of(&each.tests, scalar)?;
                classes.all.retain(|class| !matches!(class, scalars::Class::Absent));
                Ok(Plan::Scalar(classes))
            }
            Shape::List(_) | Shape::Map(_) | Shape::Any => Err("lists of lists, or of maps"),
            Shape::Object(_) => self.make(each, here, path),
        }
    }
}

fn add(asked: &mut Asked, test: Test) {
    if !asked.tests.contains(&test) {
        asked.tests.push(test);
    }
}

/// Whether a test on a scalar says the same of every object.
fn says_the_same_of_all(test: &Test) -> bool {
    match test {
        Test::Pattern(_) | Test::Equals(_) | Test::Falsy => true,
        Test::Text(_) | Test::Order(_) | Test::Truth | Test::Size(_) | Test::Has(_) => false,
    }
}

/// The lists of up to so many of these elements: as sets, or, where elements are counted, with how often each is there.
fn rows(cases: usize, most: usize, is_counted: bool) -> Option<Vec<Vec<usize>>> {
    let mut all = Vec::new();
    let mut level: Vec<Vec<usize>> = vec![Vec::new()];
    let most = if is_counted { most } else { most.min(cases) };
    for _ in 0..most {
        let mut next = Vec::new();
        for row in &level {
            let from = match row.last() {
                None => 0,
                Some(last) if is_counted => *last,
                Some(last) => last + 1,
            };
            for case in from..cases {
                next.push([row.as_slice(), &[case]].concat());
            }
            if all.len() + next.len() > MAX_ROWS {
                return None;
            }
        }
        all.extend(next.iter().cloned());
        level = next;
    }
    Some(all)
}

/// How the values of a case are chosen.
pub(crate) enum Choice<'c> {
    /// The member that stands for its class.
    Witness,
    /// A random member, with fields around it that nothing asks for.
    Member(&'c mut Random),
}

impl Plan {
    /// How many cases there are.
    pub(crate) fn count(&self) -> usize {
        match self {
            Plan::Scalar(classes) => classes.all.len(),
            Plan::Object { may_miss, fields, .. } => product(fields).saturating_add(usize::from(*may_miss)),
            // One without any of the keys has another key, or is not there.
            Plan::Map { fields, .. } => product(fields).saturating_add(1),
            Plan::List { may_miss, rows, .. } => rows.len().saturating_add(usize::from(*may_miss)),
        }
    }

    /// The value of a case over what the smallest object has there; nothing where the field is not there.
    pub(crate) fn value(
        &self,
        at: usize,
        base: Option<&Value>,
        schema: &Schema,
        choice: &mut Choice<'_>,
    ) -> Option<Value> {
        match self {
            Plan::Scalar(classes) => match choice {
                Choice::Witness => classes.witness(at),
                Choice::Member(random) => classes.member(at, random),
            },
            Plan::Object { may_miss, shape, fields } => {
                let at = if *may_miss { at.checked_sub(1)? } else { at };
                let mut map = base.and_then(Value::as_object).cloned().unwrap_or_default();
                write(fields, at, &mut map, schema, choice);
                if let Choice::Member(random) = choice {
                    noise::add(&mut map, shape, fields, schema, random);
                }
                Some(Value::object(map))
            }
            Plan::Map { shape, fields } => {
                let at = at.checked_sub(1)?;
                let mut map = Map::new();
                write(fields, at, &mut map, schema, choice);
                let mut key = KEY;
                while fields.iter().any(|(known, _)| *known == key) {
                    key = Str::from(format!("{key}x"));
                }
                let is_noisy = match choice {
                    Choice::Witness => false,
                    Choice::Member(random) => random.below(3) == 0,
                };
                if map.is_empty() || is_noisy {
                    let value = if *shape == Shape::Either { "1" } else { "x" };
                    map.insert(key, Value::from(value));
                }
                Some(Value::object(map))
            }
            Plan::List { may_miss, missing, shape, element, rows, is_counted } => {
                let at = if *may_miss { at.checked_sub(1) } else { Some(at) };
                let Some(at) = at else { return missing.clone() };
                let mut row = rows.get(at)?.clone();
                if let Choice::Member(random) = choice {
                    noise::mix(&mut row, *is_counted, random);
                }
                let one = |(number, case): (usize, &usize)| {
                    let new = schema.new_element(Some(shape), || format!("n{number}"));
                    element.value(*case, Some(&new), schema, choice).unwrap_or_default()
                };
                Some(Value::array(row.iter().enumerate().map(one).collect()))
            }
        }
    }
}

fn product(fields: &[(Str, Plan)]) -> usize {
    fields.iter().fold(1, |all, (_, plan)| all.saturating_mul(plan.count()))
}

fn write(fields: &[(Str, Plan)], mut at: usize, map: &mut Map, schema: &Schema, choice: &mut Choice<'_>) {
    for (key, plan) in fields {
        let count = plan.count().max(1);
        let base = map.get(key).cloned();
        match plan.value(at % count, base.as_ref(), schema, choice) {
            Some(value) => drop(map.insert(key.clone(), value)),
            None => drop(map.remove(key)),
        }
        at /= count;
    }
}
