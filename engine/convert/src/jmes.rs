//! Expressions in JMESPath as values of CEL.
//!
//! In: `request.object.spec.containers[?!contains(image, ':')].name || '[]'`. Out: a [`Expr`], which conditions ask.

use crate::access::Access;
use crate::expr::{Attribute, Elements, Expr, is_falsy};
use crate::formula::{Formula, quoted};
use crate::functions::call;
use crate::refusal::{Class, Converted, Refusal, refuse};
use crate::scope::Scope;
use engine_compare::schema::Shape;
use engine_jmespath::Node;
use engine_jmespath::ast::Comparison;
use engine_json::{Path, Value};
use std::fmt::Write as _;

/// The value of an expression.
pub(crate) fn value(text: &str, scope: &Scope<'_>, path: &Path) -> Converted<Expr> {
    let text = &opened(text);
    match engine_jmespath::parse(text.trim()) {
        Ok(expression) => Reading { scope, path, is_in_filter: false, text }.node(expression.ast(), None),
        Err(_) => refuse(Class::Expression, path, format!("`{text}` is not JMESPath")),
    }
}

/// The expression with what stands in quoted variables within it as parts of its own.
fn opened(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("'{{") {
        let Some((inner, behind)) = after.split_once("}}'") else { break };
        out.push_str(before);
        let _ = write!(out, "({})", inner.trim());
        rest = behind;
    }
    out + rest
}

/// An expression that is read.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'r, 's> {
    pub(crate) scope: &'r Scope<'s>,
    pub(crate) path: &'r Path,
    /// Whether it is the condition of a filter.
    pub(crate) is_in_filter: bool,
    text: &'r str,
}

impl Reading<'_, '_> {
    pub(crate) fn refuse<T>(&self, what: &str) -> Converted<T> {
        Err(Refusal {
            class: Class::Expression,
            path: self.path.clone(),
            text: format!("{what} in `{}`", self.text.trim()),
        })
    }

    /// The value of a node, within another value where there is one.
    pub(crate) fn node(&self, node: &Node, within: Option<&Expr>) -> Converted<Expr> {
        match node {
            Node::Field(name) => match within {
                None => self.root(name),
                Some(expr) => self.field(expr, name),
            },
            Node::Identity | Node::CurrentNode => match within {
                Some(expr) => Ok(expr.clone()),
                None => self.refuse("`@`"),
            },
            Node::Subexpression(left, right) | Node::Pipe(left, right) => {
                let left = self.node(left, within)?;
                self.node(right, Some(&left))
            }
            Node::IndexExpression(left, right) => self.index(left, right, within),
            Node::Projection(source, right) => {
                let elements = self.source(source, within)?;
                Ok(Expr::Elements(elements.then(&mut |item| self.node(right, Some(&item)))?))
            }
            Node::FilterProjection { source, right, condition } => {
                let mut elements = self.elements(self.node(source, within)?)?;
                if !matches!(*elements.item, Expr::Field(_) | Expr::Cel(..)) {
                    return self.refuse("a filter of a list of lists");
                }
                let filter = Reading { is_in_filter: true, ..*self };
                let test = filter.truth(condition, Some(&elements.item))?;
                elements.filter = Formula::and([elements.filter, test]);
                Ok(Expr::Elements(elements.then(&mut |item| self.node(right, Some(&item)))?))
            }
            Node::ValueProjection(source, right) => {
                let Expr::Field(access) = self.node(source, within)? else { return self.refuse("`*`") };
                let shape = match &access.shape {
                    Some(Shape::Map(inner)) => Some((**inner).clone()),
                    _ => None,
                };
                let item = Expr::Field(Access::of(&format!("{}[key]", access.plain()), shape));
                let item = Box::new(self.node(right, Some(&item))?);
                Ok(Expr::Elements(Elements::new(access.or("{}"), "key".into(), item)))
            }
            Node::OrExpression(left, right) => self.either(left, right, within),
            Node::Literal(value) => Ok(Expr::Literal(value.clone())),
            Node::FunctionExpression { name, arguments } => {
                call(self, name.as_deref().unwrap_or(""), arguments, within)
            }
            Node::Comparator { .. } | Node::AndExpression(..) | Node::NotExpression(_) => {
                Ok(Expr::Bool(self.truth(node, within)?))
            }
            other => self.refuse(&format!("`{}`", other.kind().trim_start_matches("AST"))),
        }
    }

    fn root(&self, name: &str) -> Converted<Expr> {
        if let Some(expr) = self.scope.entry(name) {
            return Ok(expr.clone());
        }
        let element = match name {
            "element" => self.scope.elements.last(),
            _ => name
                .strip_prefix("element")
                .and_then(|at| at.parse().ok())
                .and_then(|at: usize| self.scope.elements.get(at)),
        };
        match (name, element) {
            (_, Some(element)) => Ok(element.clone()),
            ("request", None) => Ok(Expr::Request("request")),
            _ => self.refuse(&format!("`{name}`, which expressions do not know,")),
        }
    }

    fn field(&self, expr: &Expr, name: &str) -> Converted<Expr> {
        let texts = || Shape::List(Box::new(Shape::Text));
        match expr {
            Expr::Request("request") => Ok(match name {
                "object" | "oldObject" => {
                    self.scope.note_object();
                    Expr::Field(Access::root(name, self.scope.shape.clone()))
                }
                "operation" => Expr::Attribute(Attribute::Operation),
                "namespace" => Expr::Attribute(Attribute::Namespace),
                "name" => Expr::Attribute(Attribute::Name),
                "userInfo" => Expr::Request("userInfo"),
                _ => return self.refuse(&format!("`request.{name}`")),
            }),
            Expr::Request(_) => Ok(match name {
                "username" => Expr::Attribute(Attribute::Username),
                "uid" => Expr::Attribute(Attribute::Uid),
                "groups" => Expr::Cel("request.userInfo.groups".into(), texts()),
                _ => return self.refuse(&format!("`request.userInfo.{name}`")),
            }),
            Expr::Field(access)
                if self.scope.is_for_pods && access.plain() == "object.metadata" && name != "namespace" =>
            {
                // The template of a controller need not have any metadata.
                let text = self.scope.variable_of("metadata", "has(object.metadata) ? object.metadata : {}");
                let metadata = Access::of(&text, access.shape.clone());
                Ok(Expr::Field(metadata.field(name, self.scope.schema)))
            }
            Expr::Field(access) | Expr::Defaulted(access, _) => {
                self.scope.schema.assume(access, Shape::Map(Box::new(Shape::Any)));
                Ok(Expr::Field(access.field(name, self.scope.schema)))
            }
            _ => self.refuse(&format!("`{name}` of a value that is made")),
        }
    }

    fn index(&self, left: &Node, right: &Node, within: Option<&Expr>) -> Converted<Expr> {
        let left = self.node(left, within)?;
        match (right, left) {
            (Node::Index(at), Expr::Field(access)) if *at >= 0 => Ok(Expr::Field(access.index(*at))),
            (Node::Index(at), Expr::Cel(text, shape @ Shape::List(_))) if *at >= 0 => {
                Ok(Expr::Nullable(Access::of(&text, Some(shape)).index(*at)))
            }
            _ => self.refuse("an index that is negative, or of a list that is made,"),
        }
    }

    /// The list of a projection.
    fn source(&self, node: &Node, within: Option<&Expr>) -> Converted<Elements> {
        let Node::Flatten(inner) = node else { return self.elements(self.node(node, within)?) };
        if let Node::Subexpression(left, right) = &**inner
            && let Node::MultiSelectList(nodes) = &**right
        {
            let left = self.node(left, within)?;
            return self.joined(nodes, Some(&left));
        }
        if let Node::MultiSelectList(nodes) = &**inner {
            return self.joined(nodes, within);
        }
        // What is no list stays as it is, lists are opened.
        match self.node(inner, within)? {
            Expr::Elements(elements) => elements.then(&mut |item| match &item {
                Expr::Field(access) if matches!(access.shape, Some(Shape::List(_))) => {
                    Ok(Expr::Elements(item.elements(self.path)?))
                }
                Expr::Field(access) if matches!(access.shape, None | Some(Shape::Any)) => {
                    self.refuse("`[]` of a list whose elements may be lists")
                }
                _ => Ok(item),
            }),
            other => self.elements(other),
        }
    }

    /// The elements of a list.
    fn elements(&self, expr: Expr) -> Converted<Elements> {
        if let Expr::Field(access) | Expr::Defaulted(access, _) = &expr {
            self.scope.schema.assume(access, Shape::List(Box::new(Shape::Any)));
        }
        expr.elements(self.path)
    }

    /// Several lists as one.
    fn joined(&self, nodes: &[Node], within: Option<&Expr>) -> Converted<Elements> {
        let mut lists = Vec::new();
        let mut first: Option<Elements> = None;
        for node in nodes {
            let elements = self.elements(self.node(node, within)?)?;
            if elements.filter != Formula::True || matches!(*elements.item, Expr::Elements(_)) {
                return self.refuse("a filtered or nested list within `[a, b][]`");
            }
            lists.push(elements.list.clone());
            first = first.or(Some(elements));
        }
        let Some(first) = first else { return self.refuse("an empty list") };
        let is_of_containers = lists.iter().all(|list| list.to_lowercase().contains("containers"));
        let name = if is_of_containers { "container" } else { "item" };
        let shape = match &*first.item {
            Expr::Field(access) => access.shape.clone(),
            _ => None,
        };
        let list =
            self.scope.list(if is_of_containers { "allContainers" } else { "allItems" }, &lists.join(" + "));
        let item = Box::new(Expr::Field(Access::of(name, shape)));
        Ok(Elements::new(list, name.into(), item))
    }

    fn either(&self, left: &Node, right: &Node, within: Option<&Expr>) -> Converted<Expr> {
        let expr = self.node(left, within)?;
        if let Expr::Bool(left) = expr {
            return Ok(Expr::Bool(Formula::or([left, self.truth(right, within)?])));
        }
        let other = self.node(right, within)?;
        match expr.or_else(other) {
            Some(expr) => Ok(expr),
            None => self.refuse("`||` other than between a field and a default"),
        }
    }

    /// Whether a node gives something true.
    pub(crate) fn truth(&self, node: &Node, within: Option<&Expr>) -> Converted<Formula> {
        match node {
            Node::AndExpression(left, right) => {
                Ok(Formula::and([self.truth(left, within)?, self.truth(right, within)?]))
            }
            Node::OrExpression(left, right) => {
                Ok(Formula::or([self.truth(left, within)?, self.truth(right, within)?]))
            }
            Node::NotExpression(inner) => Ok(self.truth(inner, within)?.negated()),
            Node::Comparator { operator, left, right } => {
                let (left, right) = (self.node(left, within)?, self.node(right, within)?);
                self.compared(*operator, &left, &right)
            }
            other => match self.node(other, within)? {
                Expr::Bool(formula) => Ok(formula),
                Expr::Literal(value) => Ok(if is_falsy(&value) { Formula::False } else { Formula::True }),
                Expr::Field(access) | Expr::Defaulted(access, _) => match &access.shape {
                    Some(Shape::Text) => Ok(Formula::equal(&access.or("''"), "''").negated()),
                    Some(Shape::Truth) => Ok(Formula::equal(&access.or("false"), "true")),
                    Some(Shape::List(_)) => {
                        Ok(Formula::equal(&format!("size({})", access.or("[]")), "0").negated())
                    }
                    Some(Shape::Map(_) | Shape::Object(_)) => {
                        Ok(Formula::equal(&format!("size({})", access.or("{}")), "0").negated())
                    }
                    Some(Shape::Number) => Ok(access.is_there()),
                    _ => self.refuse("a value of unknown type as a truth value"),
                },
                _ => self.refuse("a value other than a field as a truth value"),
            },
        }
    }

    fn compared(&self, operator: Comparison, left: &Expr, right: &Expr) -> Converted<Formula> {
        let sign = match operator {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        };
        let is_deletion = |one: &Expr, other: &Expr| {
            matches!(one, Expr::Attribute(Attribute::Operation)) && other.is_text("DELETE")
        };
        if operator == Comparison::Equal && (is_deletion(left, right) || is_deletion(right, left)) {
            self.scope.note_deletions();
        }
        let side = |expr: &Expr| match expr {
            Expr::Attribute(attribute) => Some((attribute.text().to_owned(), Formula::True)),
            Expr::Cel(text, _) => Some((text.clone(), Formula::True)),
            Expr::Literal(Value::String(text)) => Some((quoted(text), Formula::True)),
            Expr::Literal(value @ (Value::Bool(_) | Value::Number(_))) => {
                Some((engine_json::to_json(value), Formula::True))
            }
            Expr::Field(access) => Some((access.plain().to_owned(), access.is_there())),
            _ => None,
        };
        let (Some((left, is_left)), Some((right, is_right))) = (side(left), side(right)) else {
            return self.refuse("a comparison of lists, maps or results");
        };
        let contrary = crate::leaf::opposite(sign).map(|sign| format!("{left} {sign} {right}"));
        let test = Formula::Test(format!("{left} {sign} {right}"), contrary);
        // An absent value is null, which is different from all that is written.
        let are_absent = Formula::and([is_left.clone().negated(), is_right.clone().negated()]);
        let is_of_two = is_left != Formula::True && is_right != Formula::True;
        Ok(match operator {
            Comparison::Equal if is_of_two => {
                Formula::or([are_absent, Formula::and([is_left, is_right, test])])
            }
            Comparison::NotEqual if is_of_two => {
                let same = Formula::and([is_left, is_right, test.negated()]);
                Formula::or([are_absent, same]).negated()
            }
            Comparison::NotEqual => Formula::or([is_left.negated(), is_right.negated(), test]),
            _ => Formula::and([is_left, is_right, test]),
        })
    }
}
