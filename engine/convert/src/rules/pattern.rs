//! Patterns as formulas.
//!
//! In: `validate.pattern`, and the value that it is held against. Out: when it is satisfied, and when it does not apply.
//!
//! A pattern has three outcomes: it holds, it does not apply (`skip`), it fails. Two formulas say which: [`Outcome::passes`] and
//! [`Outcome::skips`]; what is let in is either.

use crate::expressions::access::Access;
use crate::expressions::expr::Expr;
use crate::expressions::formula::{Formula, Quantifier, operand};
use crate::expressions::jmes::value;
use crate::expressions::scope::Scope;
use crate::expressions::template::{Part, parts, whole};
use crate::expressions::wildcard::like;
use crate::refusal::{Class, Converted, below, refuse};
use crate::rules::leaf::{Absent, leaf};
use engine::pattern::anchor::{Anchor, parse, plain_key};
use engine::pattern::leaf::Leaf;
use engine_compare::schema::Shape;
use engine_json::{Map, Path, Segment, Value};
use std::collections::VecDeque;

/// What a pattern comes to.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// When it holds.
    pub(crate) passes: Formula,
    /// When it does not apply.
    pub(crate) skips: Formula,
    /// When it holds or does not apply.
    pub(crate) admits: Formula,
}

impl Outcome {
    fn plain(passes: Formula) -> Self {
        Outcome { admits: passes.clone(), passes, skips: Formula::False }
    }

    /// What is let in, where the pattern stands alone.
    fn never_skips(&self) -> bool {
        self.skips == Formula::False
    }
}

/// How deep a pattern may be.
const MAX_DEPTH: usize = 64;

/// A pattern held against a value.
pub(crate) fn pattern(
    access: &Access,
    written: &Value,
    path: &Path,
    scope: &Scope<'_>,
) -> Converted<Outcome> {
    Walk { scope, depth: 0, decides: true }.element(access, written, path)
}

/// When a pattern lets a value in: its variables are read before it is held against anything.
pub(crate) fn admits(access: &Access, written: &Value, path: &Path, scope: &Scope<'_>) -> Converted<Formula> {
    scope.clear_needs();
    let admits = pattern(access, written, path, scope)?.admits;
    Ok(Formula::and(scope.clear_needs().0.into_iter().chain([admits])))
}

/// One of several patterns must hold.
pub(crate) fn any_pattern(
    access: &Access,
    written: &[Value],
    path: &Path,
    scope: &Scope<'_>,
) -> Converted<Formula> {
    scope.clear_needs();
    let walk = Walk { scope, depth: 0, decides: false };
    let all = written.iter().enumerate().map(|(at, one)| walk.element(access, one, &path.join(at)));
    let all: Vec<Outcome> = all.collect::<Converted<_>>()?;
    let needs = scope.clear_needs().0;
    let passes = Formula::or(all.iter().map(|one| one.passes.clone()));
    let skips = Formula::and(all.iter().map(|one| one.skips.clone()));
    Ok(Formula::and(needs.into_iter().chain([Formula::or([passes, skips])])))
}

#[derive(Clone, Copy)]
struct Walk<'s, 't> {
    scope: &'s Scope<'t>,
    depth: usize,
    /// Whether what does not hold here is refused, whatever else the pattern says.
    decides: bool,
}

impl Walk<'_, '_> {
    fn element(self, access: &Access, written: &Value, path: &Path) -> Converted<Outcome> {
        if self.depth > MAX_DEPTH {
            return refuse(Class::Pattern, path, "a pattern of such depth");
        }
        self.scope.schema.assume_like(access, written);
        let deeper = Walk { depth: self.depth + 1, ..self };
        let outcome = match written {
            Value::Object(map) => deeper.map(access, map, path)?,
            Value::Array(list) => deeper.list(access, list, path)?,
            scalar => return Ok(Outcome::plain(self.leaf(access, scalar, Absent::IsNull, path)?)),
        };
        if self.depth > 0 {
            self.scope.schema.traces.note(path, &outcome.admits);
        }
        Ok(outcome)
    }

    fn leaf(self, access: &Access, written: &Value, absent: Absent, path: &Path) -> Converted<Formula> {
        self.scope.schema.assume_like(access, written);
        if !(self.decides && absent == Absent::IsNull) {
            self.need_variables(written, path)?;
        }
        let made = leaf(access, written, absent, path, self.scope)?;
        let made = match self.known(written, path)? {
            None => made,
            Some(known) if is_of_names(path) => Formula::or([known.negated(), made]),
            Some(known) => {
                let null = leaf(access, &Value::Null, absent, path, self.scope)?;
                let null = Formula::and([known.clone().negated(), null]);
                Formula::or([null, Formula::and([known, made])])
            }
        };
        self.scope.schema.traces.note(path, &made);
        Ok(made)
    }

    /// When a variable is not null, if it may be: a ConfigMap need not have `data`.
    fn known(self, written: &Value, path: &Path) -> Converted<Option<Formula>> {
        match written.as_str().filter(|text| text.contains("{{")) {
            Some(text) => match whole(&Value::from(text), self.scope, path)? {
                Expr::Field(access) => Ok(access.null_unless),
                _ => Ok(None),
            },
            None => Ok(None),
        }
    }

    /// A variable that is not there is an error of the whole pattern, also where what it is held against is not asked.
    fn need_variables(self, written: &Value, path: &Path) -> Converted<()> {
        for part in parts(written.as_str().filter(|text| text.contains("{{")).unwrap_or("")) {
            if let Part::Variable(expression) = part
                && let Expr::Field(access) = value(&expression, self.scope, path)?
            {
                self.scope.need(&access);
            }
        }
        Ok(())
    }

    fn map(self, access: &Access, map: &Map, path: &Path) -> Converted<Outcome> {
        let has_anchor = map.keys().any(|key| parse(key).is_some());
        Walk { decides: self.decides && !has_anchor, ..self }.fields(access, map, path)
    }

    fn fields(self, access: &Access, map: &Map, path: &Path) -> Converted<Outcome> {
        let last = path.last();
        let is_labels = matches!(last, Some(engine_json::Segment::Key(key)) if key.contains("labels") || key.contains("annotations"));
        let mut conditions = Vec::new();
        let mut anchored = Vec::new();
        let mut rest = VecDeque::new();
        let (mut implies, mut has_wildcard) = (false, false);
        for (written, value) in map.sorted() {
            let here = path.join(written.clone());
            let (anchor, key) =
                parse(written).map_or((None, written.as_str()), |(anchor, key)| (Some(anchor), key));
            if key.contains("{{") {
                return refuse(Class::Pattern, &here, "a variable in a key of a pattern");
            }
            if is_labels && key.contains(['*', '?']) {
                has_wildcard = true;
                anchored.push(Outcome::plain(self.first_key(access, (anchor, key), value, &here)?));
                continue;
            }
            let field = self.scope.field(access, key);
            match anchor {
                Some(Anchor::Condition) => conditions.push(self.demanded(&field, value, &here)?.passes),
                Some(Anchor::Equality) => anchored.push(self.if_there(&field, value, &here)?),
                Some(Anchor::Existence) => anchored.push(self.existence(&field, value, &here)?),
                Some(Anchor::Negation) => anchored.push(Outcome::plain(field.has_key().negated())),
                Some(Anchor::Global) => rest.push_front(self.global(&field, value, &here)?),
                Some(Anchor::AddIfNotPresent) => {
                    return refuse(Class::Pattern, &here, "`+()` is for mutation alone");
                }
                None if has_anchors(value) => rest.push_front(self.demanded(&field, value, &here)?),
                None => {
                    // An absent amount may be one of 0.
                    let is_amount = field.shape == Some(Shape::Either)
                        && value.as_str().is_some_and(|text| text.contains("{{"));
                    let may_be_null = self.known(value, &here)?.is_some();
                    implies |= !is_amount && !may_be_null && !Leaf::new(value).accepts(&Value::Null);
                    rest.push_back(self.demanded(&field, value, &here)?);
                }
            }
        }
        // What must be there below it says that it is there itself; the keys of what is not there cannot be asked.
        let there =
            if conditions.is_empty() && implies && !has_wildcard { Formula::True } else { access.is_there() };
        Ok(together(there, &conditions, &anchored, rest.make_contiguous()))
    }

    /// A label or annotation whose key is a wildcard: the first key that fits, by name, stands for it.
    fn first_key(
        self,
        access: &Access,
        (anchor, key): (Option<Anchor>, &str),
        value: &Value,
        path: &Path,
    ) -> Converted<Formula> {
        let map = access.plain().to_owned();
        let fits = like("key", key);
        let is_there = Formula::each(map.clone(), Quantifier::Exists, "key".into(), fits.clone());
        match anchor {
            Some(Anchor::Negation) => Ok(is_there.negated()),
            None if value.as_str() == Some("*") => Ok(is_there),
            None | Some(Anchor::Equality) if value.as_str().is_some() => {
                self.scope.note(
                    "of several keys that fit a wildcard the first by name counts, where the source takes any",
                );
                let first = format!("{}.filter(key, {}).min()", operand(&map), fits.text());
                let of_first = |first: &str| {
                    let first = Access::of(&format!("{map}[{first}]"), Some(Shape::Text));
                    self.leaf(&first, value, Absent::IsNull, path)
                };
                let is_seen = self.scope.elements.is_empty() && map.starts_with("object.");
                let holds = if is_seen {
                    // A variable is evaluated where it is read, which is only where there is such a key.
                    let name = if map.ends_with("annotations") { "annotationKey" } else { "labelKey" };
                    of_first(&self.scope.variable_of(name, &first))?
                } else {
                    of_first(&first)?
                };
                Ok(match anchor {
                    None => Formula::and([is_there, holds]),
                    Some(_) => Formula::or([is_there.negated(), holds]),
                })
            }
            _ => refuse(Class::Pattern, path, "a wildcard in a key behind this anchor"),
        }
    }

    /// A key without anchor, or behind `()`: it must be there, unless the pattern takes null.
    fn demanded(self, field: &Access, value: &Value, path: &Path) -> Converted<Outcome> {
        match value {
            Value::String(text) if &**text == "*" => Ok(Outcome::plain(field.is_there())),
            Value::Object(_) | Value::Array(_) => self.element(field, value, path),
            scalar => Ok(Outcome::plain(self.leaf(field, scalar, Absent::IsNull, path)?)),
        }
    }

    fn if_there(self, field: &Access, value: &Value, path: &Path) -> Converted<Outcome> {
        if !matches!(value, Value::Object(_) | Value::Array(_)) {
            return Ok(Outcome::plain(self.leaf(field, value, Absent::Holds, path)?));
        }
        if let (Value::Array(list), Some(body)) = (value, self.only_item(field, value, path)?)
            && list.len() == 1
            && field.is_optional()
            && !field.may_be_null()
        {
            let admits = Formula::each(field.or("[]"), Quantifier::All, field.element_name(), body);
            return Ok(Outcome::plain(admits));
        }
        let known = field.known();
        let inner = self.element(&known, value, path)?;
        let absent = field.has_key().negated();
        // Null satisfies no list.
        let here = |inner: Formula| {
            if field.may_be_null() { Formula::and([field.is_there(), inner]) } else { inner }
        };
        Ok(Outcome {
            passes: Formula::or([absent.clone(), here(inner.passes)]),
            admits: Formula::or([absent, here(inner.admits)]),
            skips: Formula::and([field.is_there(), inner.skips]),
        })
    }

    /// What is asked of each item, where a list's pattern never skips.
    fn only_item(self, field: &Access, value: &Value, path: &Path) -> Converted<Option<Formula>> {
        let Some([first @ Value::Object(_)]) = value.as_array() else { return Ok(None) };
        let item = self.element(&field.element(&field.element_name()), first, &path.join(0))?;
        Ok(item.never_skips().then_some(item.passes))
    }

    fn global(self, field: &Access, value: &Value, path: &Path) -> Converted<Outcome> {
        let inner = if matches!(value, Value::Object(_) | Value::Array(_)) {
            let known = self.element(&field.known(), value, path)?.passes;
            let there = if field.may_be_null() { field.is_there() } else { Formula::True };
            Formula::or([field.has_key().negated(), Formula::and([there, known])])
        } else {
            self.leaf(field, value, Absent::Holds, path)?
        };
        Ok(Outcome { skips: inner.clone().negated(), passes: inner, admits: Formula::True })
    }

    fn existence(self, field: &Access, value: &Value, path: &Path) -> Converted<Outcome> {
        let Some(patterns) = value.as_array() else {
            return refuse(Class::Pattern, path, "`^()` without a list");
        };
        let name = field.element_name();
        let mut all = Vec::new();
        for (at, one) in patterns.iter().enumerate() {
            let item = self.element(&field.element(&name), one, &path.join(at))?;
            all.push(Formula::each(field.plain().to_owned(), Quantifier::Exists, name.clone(), item.passes));
        }
        let there = if field.may_be_null() { field.is_there() } else { Formula::True };
        Ok(Outcome::plain(Formula::or([
            field.has_key().negated(),
            Formula::and(std::iter::once(there).chain(all)),
        ])))
    }

    fn list(self, access: &Access, list: &[Value], path: &Path) -> Converted<Outcome> {
        let Some(first) = list.first() else {
            return refuse(Class::Pattern, path, "an empty list, which never holds");
        };
        let name = access.element_name();
        let there = access.is_there();
        let each = Walk { decides: false, ..self };
        match first {
            Value::Array(_) => refuse(Class::Pattern, path, "a list of lists"),
            Value::Object(_) => {
                let item = each.element(&access.element(&name), first, &path.join(0))?;
                let list = access.plain().to_owned();
                let quantified = |quantifier, body: &Formula| {
                    Formula::each(list.clone(), quantifier, name.clone(), body.clone())
                };
                let admits = Formula::and([there.clone(), quantified(Quantifier::All, &item.admits)]);
                if item.never_skips() {
                    return Ok(Outcome::plain(admits));
                }
                let is_empty = Formula::equal(&format!("size({list})"), "0");
                let applies = Formula::or([is_empty.clone(), quantified(Quantifier::Exists, &item.passes)]);
                let passes = Formula::and([admits.clone(), applies]);
                let skips =
                    Formula::and([there, is_empty.negated(), quantified(Quantifier::All, &item.skips)]);
                Ok(Outcome { passes, skips, admits })
            }
            scalar => {
                let body = each.leaf(&access.element(&name), scalar, Absent::IsNull, &path.join(0))?;
                let all = Formula::each(access.plain().to_owned(), Quantifier::All, name, body);
                Ok(Outcome::plain(Formula::and([there, all])))
            }
        }
    }
}

/// A map: conditions on siblings, other anchors, then what is left, of which the first that does not hold decides.
// Kyverno: validateMap.
fn together(there: Formula, conditions: &[Formula], anchored: &[Outcome], rest: &[Outcome]) -> Outcome {
    let condition = Formula::and(conditions.iter().cloned());
    let all = || anchored.iter().chain(rest);
    let mut admits = Formula::True;
    let mut passes = Formula::True;
    let mut skips = Formula::False;
    for one in rest.iter().rev() {
        passes = Formula::and([one.passes.clone(), passes]);
        if one.never_skips() {
            admits = Formula::and([one.passes.clone(), admits]);
            skips = Formula::and([one.passes.clone(), skips]);
        } else if admits == Formula::True {
            admits = one.admits.clone();
            skips = Formula::or([one.skips.clone(), Formula::and([one.passes.clone(), skips])]);
        } else {
            admits = Formula::or([one.skips.clone(), Formula::and([one.passes.clone(), admits])]);
            skips = Formula::or([one.skips.clone(), Formula::and([one.passes.clone(), skips])]);
        }
    }
    let anchors_let = Formula::and(anchored.iter().map(|one| one.admits.clone()));
    // Where every anchor skips, the map does; a condition that holds has applied.
    let all_skip = if conditions.is_empty() && !anchored.is_empty() {
        Formula::and(anchored.iter().map(|one| one.skips.clone()))
    } else {
        Formula::False
    };
    let anchored_pass = Formula::and([anchors_let.clone(), all_skip.clone().negated()]);
    let passes = Formula::and([there.clone(), condition.clone(), anchored_pass, passes]);
    let admits = Formula::and([anchors_let.clone(), Formula::or([all_skip.clone(), admits])]);
    let admits = if all().all(Outcome::never_skips) && conditions.is_empty() {
        passes.clone()
    } else {
        Formula::and([there.clone(), Formula::or([condition.clone().negated(), admits])])
    };
    let inner = Formula::and([anchors_let, Formula::or([all_skip, skips])]);
    let skips = Formula::or([condition.clone().negated(), Formula::and([condition, inner])]);
    let skips = Formula::and([there, skips]);
    Outcome { passes, skips, admits }
}

/// Whether it is a label or an annotation of an object: where both have such, the source takes what is null out of the pattern.
// Kyverno: pkg/engine/wildcards ExpandInMetadata.
fn is_of_names(path: &Path) -> bool {
    let mut keys = path.iter().rev().skip(1).map(|segment| match segment {
        Segment::Key(key) => plain_key(key),
        Segment::Index(_) => "",
    });
    matches!(keys.next(), Some("labels" | "annotations")) && keys.next() == Some("metadata")
}

fn has_anchors(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(key, value)| {
            parse(key).is_some_and(|(anchor, _)| anchor != Anchor::AddIfNotPresent) || has_anchors(value)
        }),
        Value::Array(list) => list.iter().any(has_anchors),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The path of a pattern.
pub(crate) fn place(rule: &Path, field: &str) -> Path {
    below(rule, ["validate", field])
}
