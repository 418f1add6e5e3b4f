//! Expressions in JMESPath as values of CEL.
//!
//! In: `request.object.spec.containers[?!contains(image, ':')].name || '[]'`. Out: a [`Got`], which conditions ask.

use crate::formula::{Formula, quoted};
use crate::functions::call;
use crate::got::{Got, Many, is_falsy};
use crate::reach::Reach;
use crate::refusal::{Class, Made, Refusal, refuse};
use crate::scope::Scope;
use engine_compare::schema::Shape;
use engine_jmespath::Node;
use engine_jmespath::ast::Comparison;
use engine_json::{Path, Value};
use std::fmt::Write as _;

/// The value of an expression.
pub(crate) fn value(text: &str, scope: &Scope<'_>, path: &Path) -> Made<Got> {
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
    pub(crate) fn refuse<T>(&self, what: &str) -> Made<T> {
        Err(Refusal {
            class: Class::Expression,
            path: self.path.clone(),
            text: format!("{what} in `{}`", self.text.trim()),
        })
    }

    /// The value of a node, within another value where there is one.
    pub(crate) fn node(&self, node: &Node, within: Option<&Got>) -> Made<Got> {
        match node {
            Node::Field(name) => match within {
                None => self.root(name),
                Some(got) => self.field(got, name),
            },
            Node::Identity | Node::CurrentNode => match within {
                Some(got) => Ok(got.clone()),
                None => self.refuse("`@`"),
            },
            Node::Subexpression(left, right) | Node::Pipe(left, right) => {
                let left = self.node(left, within)?;
                self.node(right, Some(&left))
            }
            Node::IndexExpression(left, right) => self.index(left, right, within),
            Node::Projection(source, right) => {
                let many = self.source(source, within)?;
                Ok(Got::Many(many.then(&mut |item| self.node(right, Some(&item)))?))
            }
            Node::FilterProjection { source, right, condition } => {
                let mut many = self.node(source, within)?.many(self.path)?;
                if !matches!(*many.item, Got::Field(_) | Got::Given(..)) {
                    return self.refuse("a filter of a list of lists");
                }
                let filter = Reading { is_in_filter: true, ..*self };
                let test = filter.truth(condition, Some(&many.item))?;
                many.filter = Formula::and([many.filter, test]);
                Ok(Got::Many(many.then(&mut |item| self.node(right, Some(&item)))?))
            }
            Node::ValueProjection(source, right) => {
                let Got::Field(reach) = self.node(source, within)? else { return self.refuse("`*`") };
                let shape = match &reach.shape {
                    Some(Shape::Map(inner)) => Some((**inner).clone()),
                    _ => None,
                };
                let item = Got::Field(Reach::of(&format!("{}[key]", reach.plain()), shape));
                let item = Box::new(self.node(right, Some(&item))?);
                Ok(Got::Many(Many::new(reach.or("{}"), "key".into(), item)))
            }
            Node::OrExpression(left, right) => self.either(left, right, within),
            Node::Literal(value) => Ok(Got::Written(value.clone())),
            Node::FunctionExpression { name, arguments } => {
                call(self, name.as_deref().unwrap_or(""), arguments, within)
            }
            Node::Comparator { .. } | Node::AndExpression(..) | Node::NotExpression(_) => {
                Ok(Got::Truth(self.truth(node, within)?))
            }
            other => self.refuse(&format!("`{}`", other.kind().trim_start_matches("AST"))),
        }
    }

    fn root(&self, name: &str) -> Made<Got> {
        if let Some(got) = self.scope.entry(name) {
            return Ok(got.clone());
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
            ("request", None) => Ok(Got::Request("request")),
            _ => self.refuse(&format!("`{name}`, which expressions do not know,")),
        }
    }

    fn field(&self, got: &Got, name: &str) -> Made<Got> {
        let texts = || Shape::List(Box::new(Shape::Text));
        match got {
            Got::Request("request") => Ok(match name {
                "object" => Got::Field(Reach::of("object", self.scope.shape.clone())),
                "oldObject" => Got::Field(Reach::of("oldObject", self.scope.shape.clone())),
                "operation" | "namespace" | "name" => Got::text(format!("request.{name}")),
                "userInfo" => Got::Request("userInfo"),
                _ => return self.refuse(&format!("`request.{name}`")),
            }),
            Got::Request(_) => Ok(match name {
                "username" | "uid" => Got::text(format!("request.userInfo.{name}")),
                "groups" => Got::Given("request.userInfo.groups".into(), texts()),
                _ => return self.refuse(&format!("`request.userInfo.{name}`")),
            }),
            Got::Field(reach)
                if self.scope.is_for_pods && reach.plain() == "object.metadata" && name != "namespace" =>
            {
                // The template of a controller need not have any metadata.
                let text = self.scope.variable_of("metadata", "has(object.metadata) ? object.metadata : {}");
                let metadata = Reach::of(&text, reach.shape.clone());
                Ok(Got::Field(metadata.field(name, self.scope.schema)))
            }
            Got::Field(reach) | Got::Defaulted(reach, _) => {
                Ok(Got::Field(reach.field(name, self.scope.schema)))
            }
            _ => self.refuse(&format!("`{name}` of a value that is made")),
        }
    }

    fn index(&self, left: &Node, right: &Node, within: Option<&Got>) -> Made<Got> {
        let left = self.node(left, within)?;
        match (right, left) {
            (Node::Index(at), Got::Field(reach)) if *at >= 0 => Ok(Got::Field(reach.index(*at))),
            _ => self.refuse("an index of this form"),
        }
    }

    /// The list of a projection.
    fn source(&self, node: &Node, within: Option<&Got>) -> Made<Many> {
        let Node::Flatten(inner) = node else { return self.node(node, within)?.many(self.path) };
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
            Got::Many(many) => many.then(&mut |item| match &item {
                Got::Field(reach) if matches!(reach.shape, Some(Shape::List(_))) => {
                    Ok(Got::Many(item.many(self.path)?))
                }
                Got::Field(reach) if matches!(reach.shape, None | Some(Shape::Any)) => {
                    self.refuse("a list of which is not known whether it holds lists,")
                }
                _ => Ok(item),
            }),
            other => other.many(self.path),
        }
    }

    /// Several lists as one.
    fn joined(&self, nodes: &[Node], within: Option<&Got>) -> Made<Many> {
        let mut lists = Vec::new();
        let mut first: Option<Many> = None;
        for node in nodes {
            let many = self.node(node, within)?.many(self.path)?;
            if many.filter != Formula::True || matches!(*many.item, Got::Many(_)) {
                return self.refuse("lists of this form as one");
            }
            lists.push(many.list.clone());
            first = first.or(Some(many));
        }
        let Some(first) = first else { return self.refuse("an empty list") };
        let is_of_containers = lists.iter().all(|list| list.to_lowercase().contains("containers"));
        let name = if is_of_containers { "container" } else { "item" };
        let shape = match &*first.item {
            Got::Field(reach) => reach.shape.clone(),
            _ => None,
        };
        let list =
            self.scope.list(if is_of_containers { "allContainers" } else { "allItems" }, &lists.join(" + "));
        let item = Box::new(Got::Field(Reach::of(name, shape)));
        Ok(Many::new(list, name.into(), item))
    }

    fn either(&self, left: &Node, right: &Node, within: Option<&Got>) -> Made<Got> {
        let got = self.node(left, within)?;
        if let Got::Truth(left) = got {
            return Ok(Got::Truth(Formula::or([left, self.truth(right, within)?])));
        }
        let other = self.node(right, within)?;
        match got.or_else(other) {
            Some(got) => Ok(got),
            None => self.refuse("`||` of this form"),
        }
    }

    /// Whether a node gives something true.
    pub(crate) fn truth(&self, node: &Node, within: Option<&Got>) -> Made<Formula> {
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
                Got::Truth(formula) => Ok(formula),
                Got::Written(value) => Ok(if is_falsy(&value) { Formula::False } else { Formula::True }),
                Got::Field(reach) | Got::Defaulted(reach, _) => match &reach.shape {
                    Some(Shape::Text) => Ok(Formula::equal(&reach.or("''"), "''").negated()),
                    Some(Shape::Truth) => Ok(Formula::equal(&reach.or("false"), "true")),
                    Some(Shape::List(_)) => {
                        Ok(Formula::equal(&format!("size({})", reach.or("[]")), "0").negated())
                    }
                    Some(Shape::Map(_) | Shape::Object(_)) => {
                        Ok(Formula::equal(&format!("size({})", reach.or("{}")), "0").negated())
                    }
                    Some(Shape::Number) => Ok(reach.is_there()),
                    _ => self.refuse("a value of unknown form as a truth value"),
                },
                _ => self.refuse("a value of this form as a truth value"),
            },
        }
    }

    fn compared(&self, operator: Comparison, left: &Got, right: &Got) -> Made<Formula> {
        let sign = match operator {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        };
        let side = |got: &Got| match got {
            Got::Given(text, _) => Some((text.clone(), Formula::True)),
            Got::Written(Value::String(text)) => Some((quoted(text), Formula::True)),
            Got::Written(value @ (Value::Bool(_) | Value::Number(_))) => {
                Some((engine_json::to_json(value), Formula::True))
            }
            Got::Field(reach) => Some((reach.plain().to_owned(), reach.is_there())),
            _ => None,
        };
        let (Some((left, is_left)), Some((right, is_right))) = (side(left), side(right)) else {
            return self.refuse("a comparison of this form");
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
