//! What expressions give, as conditions ask of it.
//!
//! In: ways to values, lists, written values. Out: tests of them, and of all or one of the elements of a list.

use crate::expressions::access::Access;
use crate::expressions::formula::{Formula, Quantifier, operand, quoted};
use crate::refusal::{Class, Converted, refuse};
use engine_compare::schema::{Schema, Shape};
use engine_json::{Map, Path, Value};

/// What an expression gives.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    /// `request`, or a part of it that is not of the object.
    Request(&'static str),
    /// A value of an object; where it is absent the expression errs.
    Field(Access),
    /// The same, and what stands for it where it is absent.
    Defaulted(Access, Value),
    /// An attribute of the request that is a text.
    Attribute(Attribute),
    /// An element of a list by its place; null where there are not that many.
    Nullable(Access),
    /// The answer to a list of the cluster: a map whose `items` these are.
    Listed(Access),
    /// A value below an element that need not be there: only a default makes something of it.
    Uncertain(Access),
    /// A map that is written, some of whose values are variables.
    Fields(Vec<(String, Expr)>),
    /// The images of a list of containers.
    Images(Access),
    /// A value that is null where it is absent or empty.
    OrNull(Access),
    /// A number with a fraction, as text of CEL.
    Double(String),
    /// A map with these keys set to these values.
    Merged(Access, Map),
    /// Values in a list that is written with variables.
    Items(Vec<Expr>),
    /// A value that is there, as text of CEL, with its form.
    Cel(String, Shape),
    /// A value that is written.
    Literal(Value),
    /// Elements of a list.
    Elements(Elements),
    /// A truth value.
    Bool(Formula),
    /// A value where a formula holds; elsewhere this one, or where there is none something that is false in JMESPath.
    Where(Formula, Box<Expr>, Option<Value>),
    /// How many elements there are.
    Count(Elements),
}

/// An attribute of the request that is a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attribute {
    Operation,
    Namespace,
    Name,
    Username,
    Uid,
}

impl Attribute {
    /// Its text in CEL.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Attribute::Operation => "request.operation",
            Attribute::Namespace => "request.namespace",
            Attribute::Name => "request.name",
            Attribute::Username => "request.userInfo.username",
            Attribute::Uid => "request.userInfo.uid",
        }
    }

    /// Whether no request leaves it empty: objects need not have a namespace, names may be generated.
    fn is_never_empty(self) -> bool {
        matches!(self, Attribute::Operation | Attribute::Username)
    }
}

/// Elements of a list, or values of a map.
#[derive(Clone, Debug)]
pub(crate) struct Elements {
    /// The list.
    pub(crate) list: String,
    /// The name of an element.
    pub(crate) name: String,
    /// Which elements count.
    pub(crate) filter: Formula,
    /// What is taken of each.
    pub(crate) item: Box<Expr>,
    /// The list where it is there; elsewhere it errs.
    plain: String,
    /// That the list is there: an absent one is null.
    pub(crate) there: Formula,
    /// Whether an empty text stands for an empty list.
    pub(crate) is_text_if_empty: bool,
    /// Whether it is an error where there is none, and not null.
    pub(crate) errs_if_absent: bool,
}

impl Expr {
    /// A written value.
    pub(crate) fn literal(value: &Value) -> Self {
        Expr::Literal(value.clone())
    }

    /// A text of CEL that gives a text.
    pub(crate) fn text(text: String) -> Self {
        Expr::Cel(text, Shape::Text)
    }

    /// The value, or this one where it is absent.
    pub(crate) fn or_else(self, other: Expr) -> Option<Expr> {
        let Expr::Literal(default) = other else { return None };
        match self {
            // What is empty gives way as well: to what is empty too, nothing changes.
            Expr::Field(access) if is_falsy(&default) || default.is_null() => {
                Some(Expr::Defaulted(access, default))
            }
            // A number is never empty.
            Expr::Field(access) if access.shape == Some(Shape::Number) && default.as_f64().is_some() => {
                Some(Expr::Defaulted(access, default))
            }
            Expr::Nullable(access) | Expr::Uncertain(access) => {
                Expr::Field(access).or_else(Expr::Literal(default))
            }
            // What is a number or a text is never empty where the schema is known.
            Expr::Field(access)
                if access.shape == Some(Shape::Either)
                    && (default.as_f64().is_some() || default.as_str().is_some()) =>
            {
                Some(Expr::Defaulted(access, default))
            }
            Expr::Elements(elements) if default.as_array().is_some_and(<[Value]>::is_empty) => {
                Some(Expr::Elements(elements.defaulted(false)))
            }
            Expr::Literal(value) => {
                Some(if is_falsy(&value) { Expr::Literal(default) } else { Expr::Literal(value) })
            }
            Expr::Elements(elements) if matches!(&default, Value::String(text) if text.is_empty()) => {
                Some(Expr::Elements(elements.defaulted(true)))
            }
            Expr::Attribute(attribute) if attribute.is_never_empty() || is_falsy(&default) => {
                Some(Expr::Attribute(attribute))
            }
            Expr::Attribute(attribute) if default.as_str().is_some() => {
                let (text, default) = (attribute.text(), quoted(default.as_str().unwrap_or("")));
                Some(Expr::text(format!("({text} != '' ? {text} : {default})")))
            }
            Expr::Cel(text, shape) if is_falsy(&default) => Some(Expr::Cel(text, shape)),
            Expr::Field(access) if access.shape == Some(Shape::Text) && default.as_str().is_some() => {
                let default = quoted(default.as_str().unwrap_or(""));
                let (held, plain) = (access.or("''"), access.plain());
                Some(Expr::text(format!("({held} != '' ? {plain} : {default})")))
            }
            _ => None,
        }
    }

    /// A text, or this one where it is absent.
    pub(crate) fn or_other(self, other: &Expr) -> Option<Expr> {
        let Expr::Field(access) = self else { return None };
        let other = match other {
            Expr::Attribute(attribute) => attribute.text(),
            Expr::Cel(text, Shape::Text) => text,
            Expr::Field(other) if other.shape == Some(Shape::Text) => other.plain(),
            _ => return None,
        };
        (access.shape == Some(Shape::Text)).then(|| Expr::text(access.or(other)))
    }

    /// Whether it is this written text, or a list that has it.
    pub(crate) fn is_text(&self, wanted: &str) -> bool {
        let Expr::Literal(value) = self else { return false };
        let all = value.as_array().unwrap_or(std::slice::from_ref(value));
        all.iter().any(|one| one.as_str() == Some(wanted))
    }

    /// As a text within a text.
    pub(crate) fn as_text(&self, path: &Path) -> Converted<String> {
        match self {
            Expr::Attribute(attribute) => Ok(attribute.text().to_owned()),
            Expr::Cel(text, Shape::Text) => Ok(text.clone()),
            Expr::Cel(text, Shape::Number | Shape::Either) => Ok(format!("string({})", unwrapped(text))),
            Expr::Count(elements) => Ok(format!("string({})", elements.size(path)?)),
            Expr::Field(access) if access.shape == Some(Shape::Text) => Ok(access.plain().to_owned()),
            Expr::Field(access) => Ok(format!("string({})", access.plain())),
            Expr::Defaulted(access, Value::String(text)) => {
                let text = access.or(&quoted(text));
                let is_text = !matches!(access.shape, Some(Shape::Number | Shape::Either));
                Ok(if is_text { text } else { format!("string({text})") })
            }
            Expr::Defaulted(access, number @ Value::Number(_)) => {
                Ok(format!("string({})", access.or(&engine_json::to_json(number))))
            }
            Expr::Literal(Value::String(text)) => Ok(quoted(text)),
            Expr::Elements(elements) if elements.filter == Formula::True => {
                let inner = match &*elements.item {
                    Expr::Field(access) if !access.is_optional() => access.plain().to_owned(),
                    Expr::Cel(text, _) => text.clone(),
                    _ => return refuse(Class::Expression, path, "a list within a string"),
                };
                Ok(format!("{}.map({}, {inner}).join(', ')", operand(&elements.list), elements.name))
            }
            _ => refuse(
                Class::Expression,
                path,
                "a value that is neither a string nor a number within a string",
            ),
        }
    }

    /// As elements.
    pub(crate) fn elements(self, path: &Path) -> Converted<Elements> {
        let is_defaulted = matches!(self, Expr::Defaulted(..));
        match self {
            Expr::Elements(elements) => Ok(elements),
            Expr::Field(access) | Expr::Defaulted(access, _) => {
                let name = access.element_name();
                let item = Box::new(Expr::Field(access.element(&name)));
                let there = if is_defaulted { Formula::True } else { access.is_there() };
                let plain = if is_defaulted { access.or("[]") } else { access.plain().to_owned() };
                Ok(Elements { plain, there, ..Elements::new(access.or("[]"), name, item) })
            }
            Expr::Nullable(access) if access.may_be_null() => Expr::Field(access).elements(path),
            Expr::Cel(text, shape) => {
                let item = Expr::Field(Access::of("item", Schema::element(&shape)));
                Ok(Elements::new(text, "item".into(), Box::new(item)))
            }
            _ => refuse(Class::Expression, path, "a value that is not a list in place of a list"),
        }
    }
}

impl Elements {
    /// All elements of a list.
    pub(crate) fn new(list: String, name: String, item: Box<Expr>) -> Self {
        let plain = list.clone();
        Elements {
            list,
            name,
            filter: Formula::True,
            item,
            plain,
            there: Formula::True,
            is_text_if_empty: false,
            errs_if_absent: false,
        }
    }

    /// The keys of a map; where there is none that is an error.
    pub(crate) fn keys_of(map: &Access) -> Self {
        Elements {
            plain: map.plain().to_owned(),
            there: map.is_there(),
            errs_if_absent: true,
            ..Elements::new(map.or("{}"), "key".into(), Box::new(Expr::text("key".into())))
        }
    }

    /// The same, which is null where this does not hold.
    pub(crate) fn where_there(self, there: Formula) -> Self {
        Elements { there, ..self }
    }

    /// The same, with an empty list or an empty text where there is none.
    pub(crate) fn defaulted(self, is_text_if_empty: bool) -> Self {
        Elements {
            there: Formula::True,
            plain: self.list.clone(),
            is_text_if_empty,
            errs_if_absent: false,
            ..self
        }
    }

    /// The same, which errs where there is none.
    pub(crate) fn strict(&self) -> Self {
        Elements { there: Formula::True, list: self.plain.clone(), ..self.clone() }
    }

    /// All or one of the elements.
    pub(crate) fn each(
        &self,
        quantifier: Quantifier,
        test: &mut dyn FnMut(&Expr) -> Converted<Formula>,
    ) -> Converted<Formula> {
        let inner = match &*self.item {
            Expr::Elements(inner) => inner.each(quantifier, test)?,
            Expr::Field(access) if access.is_optional() => {
                let known = test(&Expr::Field(access.known()))?;
                join(quantifier, access.is_there(), known)
            }
            other => test(other)?,
        };
        let body = join(quantifier, self.filter.clone(), inner);
        Ok(Formula::each(self.list.clone(), quantifier, self.name.clone(), body))
    }

    /// The number of elements.
    pub(crate) fn size(&self, path: &Path) -> Converted<String> {
        let filter = match &*self.item {
            // What is absent in an element is null, and drops out.
            Expr::Field(access) => Formula::and([self.filter.clone(), access.is_there()]),
            Expr::Cel(..) => self.filter.clone(),
            _ => return refuse(Class::Expression, path, "the length of a list of lists"),
        };
        Ok(match filter {
            Formula::True => format!("size({})", self.list),
            filter => format!("size({})", self.filtered(&filter)),
        })
    }

    /// The list with those elements alone for which this holds.
    fn filtered(&self, filter: &Formula) -> String {
        let (list, name, filter) = (operand(&self.list), &self.name, filter.text());
        if filter.contains('\n') {
            format!("{list}.filter({name},\n  {})", filter.replace('\n', "\n  "))
        } else {
            format!("{list}.filter({name}, {filter})")
        }
    }

    /// Whether they are parts of an answer of the cluster.
    pub(crate) fn is_outside(&self) -> bool {
        match &*self.item {
            Expr::Field(access) => access.is_outside,
            Expr::Elements(inner) => inner.is_outside(),
            _ => false,
        }
    }

    /// The elements themselves as a list, and what is known of each.
    pub(crate) fn listed(&self, path: &Path) -> Converted<(String, Shape)> {
        let refused = || refuse(Class::Expression, path, "an element of a list of this form");
        let (item, shape, there) = match &*self.item {
            Expr::Field(access) => (access.plain(), access.shape.clone(), access.is_there()),
            Expr::Cel(text, shape) => (text.as_str(), Some(shape.clone()), Formula::True),
            _ => return refused(),
        };
        let filter = Formula::and([self.filter.clone(), there]);
        let list = match filter {
            Formula::True => operand(&self.list),
            filter => self.filtered(&filter),
        };
        let list = if item == self.name { list } else { format!("{list}.map({}, {item})", self.name) };
        Ok((list, shape.unwrap_or(Shape::Any)))
    }

    /// The innermost elements changed, without those for which something is missing.
    pub(crate) fn kept(
        self,
        change: &mut dyn FnMut(Expr) -> Converted<(Formula, Expr)>,
    ) -> Converted<Elements> {
        match *self.item {
            Expr::Elements(inner) => {
                let item = Box::new(Expr::Elements(inner.kept(change)?));
                Ok(Elements { item, ..self })
            }
            other => {
                let (there, item) = change(other)?;
                Ok(Elements { item: Box::new(item), filter: Formula::and([self.filter, there]), ..self })
            }
        }
    }

    /// The innermost elements changed.
    pub(crate) fn then(self, change: &mut dyn FnMut(Expr) -> Converted<Expr>) -> Converted<Elements> {
        let item = match *self.item {
            Expr::Elements(inner) => Expr::Elements(inner.then(change)?),
            other => change(other)?,
        };
        Ok(Elements { item: Box::new(item), ..self })
    }
}

/// A choice without the brackets around it.
fn unwrapped(text: &str) -> &str {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    inner.filter(|inner| inner.contains(" ? ")).unwrap_or(text)
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
