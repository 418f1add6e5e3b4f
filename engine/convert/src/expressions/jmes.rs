//! Expressions in JMESPath as values of CEL.
//!
//! In: `request.object.spec.containers[?!contains(image, ':')].name || '[]'`. Out: a [`Expr`], which conditions ask.

use crate::expressions::access::Access;
use crate::expressions::expr::{Attribute, Elements, Expr};
use crate::expressions::formula::Formula;
use crate::expressions::functions::{account, call};
use crate::expressions::no_default::why_no_default;
use crate::expressions::scope::Scope;
use crate::expressions::template::end_of;
use crate::refusal::{Class, Converted, Refusal, refuse};
use engine_compare::schema::Shape;
use engine_jmespath::Node;
use engine_json::{Path, Value};
use std::cell::RefCell;
use std::fmt::Write as _;

/// The value of an expression.
pub(crate) fn value(text: &str, scope: &Scope<'_>, path: &Path) -> Converted<Expr> {
    value_within(text, None, scope, path)
}

/// The value of an expression, asked of another value where there is one.
pub(crate) fn value_within(
    text: &str,
    within: Option<&Expr>,
    scope: &Scope<'_>,
    path: &Path,
) -> Converted<Expr> {
    let (opened, inner) = opened(text);
    match engine_jmespath::parse(opened.trim()) {
        Ok(expression) => {
            let reading = Reading { scope, path, filter: None, is_key: false, text, inner: &inner };
            let refused = match reading.node(expression.ast(), within) {
                Err(refused) => refused,
                made => return made,
            };
            reading.written(&expression, within).map(Expr::Literal).ok_or(refused)
        }
        Err(_) => refuse(Class::Expression, path, format!("`{text}` is not JMESPath")),
    }
}

/// How the name of a variable begins that stands within another one.
const INNER: &str = "inner_variable_";
/// How many variables may stand within another one.
const MAX_INNER: usize = 20;

/// The expression with a name for each variable that stands in quotes within it, and these variables.
fn opened(text: &str) -> (String, Vec<String>) {
    let mut out = String::new();
    let mut inner = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{").filter(|_| inner.len() < MAX_INNER) {
        let quote = before.chars().next_back().filter(|c| matches!(c, '\'' | '`' | '"'));
        let Some((quote, end)) = quote.zip(end_of(after)) else { break };
        let (variable, behind) = (after.get(..end).unwrap_or(""), after.get(end + 2..).unwrap_or(""));
        let Some(behind) = behind.strip_prefix(quote) else { break };
        out.push_str(before.strip_suffix(quote).unwrap_or(before));
        let _ = write!(out, "{INNER}{}", inner.len());
        inner.push(variable.trim().to_owned());
        rest = behind;
    }
    (out + rest, inner)
}

fn is_call(node: &Node) -> bool {
    matches!(node, Node::FunctionExpression { .. })
}

/// An expression that is read.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'r, 's> {
    pub(crate) scope: &'r Scope<'s>,
    pub(crate) path: &'r Path,
    /// In the condition of a filter, what must be there in each element so that it does not err.
    pub(crate) filter: Option<&'r RefCell<Vec<Formula>>>,
    /// Whether a name is the key of a map.
    is_key: bool,
    text: &'r str,
    /// Variables that stand within it.
    inner: &'r [String],
}

impl Reading<'_, '_> {
    pub(crate) fn refuse<T>(&self, what: &str) -> Converted<T> {
        Err(Refusal {
            class: Class::Expression,
            path: self.path.clone(),
            text: format!("{what} in `{}`", self.text.trim()),
        })
    }

    /// The variable for which a name stands.
    pub(crate) fn inner(&self, name: &str) -> Option<&str> {
        let at: usize = name.strip_prefix(INNER)?.parse().ok()?;
        self.inner.get(at).map(String::as_str)
    }

    /// The value of a node, within another value where there is one.
    pub(crate) fn node(&self, node: &Node, within: Option<&Expr>) -> Converted<Expr> {
        match node {
            Node::Field(name) => match (self.inner(name), within) {
                // As the key of a map it is a name that is made.
                (Some(inner), Some(Expr::Field(access) | Expr::Defaulted(access, _))) if self.is_key => {
                    let key = value(inner, self.scope, self.path)?.as_text(self.path)?;
                    Ok(Expr::Field(access.at_key(&key)))
                }
                (Some(_), Some(_)) if self.is_key => {
                    self.refuse("a variable as a key of what is not a field")
                }
                (Some(inner), _) => value(inner, self.scope, self.path),
                (None, None) => self.root(name),
                (None, Some(expr)) => self.field(expr, name),
            },
            Node::Identity | Node::CurrentNode => match within {
                Some(expr) => Ok(expr.clone()),
                None => self.refuse("`@`"),
            },
            Node::Subexpression(left, right) => {
                let left = self.node(left, within)?;
                if let (Expr::Field(access), Node::FunctionExpression { name, .. }) = (&left, &**right)
                    && access.is_optional()
                    && self.is_in_filter()
                {
                    return self.asked_of(access, name.as_deref().unwrap_or(""), right);
                }
                let is_key = matches!(**right, Node::Field(_));
                Reading { is_key, ..*self }.node(right, Some(&left))
            }
            Node::Pipe(left, right) => {
                let left = self.node(left, within)?;
                // Go: interpreter.go ASTPipe; behind it a missing key is null.
                Ok(match self.node(right, Some(&left))? {
                    Expr::Field(access) if access.is_optional() && !is_call(right) => Expr::Nullable(access),
                    other => other,
                })
            }
            Node::IndexExpression(left, right) => self.index(left, right, within),
            Node::Projection(source, right) => {
                Ok(Expr::Elements(self.each_of(self.source(source, within)?, right)?))
            }
            Node::FilterProjection { source, right, condition } => {
                let list = self.scope.null_if_absent(|| self.node(source, within))?;
                let mut elements = self.elements(list)?;
                if !matches!(*elements.item, Expr::Field(_) | Expr::Cel(..)) {
                    return self.refuse("a filter of a list of lists");
                }
                let needs = RefCell::default();
                let filter = Reading { filter: Some(&needs), ..*self };
                let test = filter.truth(condition, Some(&elements.item))?;
                self.need_of_each(&elements, needs.into_inner());
                elements.filter = Formula::and([elements.filter, test]);
                Ok(Expr::Elements(self.each_of(elements, right)?))
            }
            Node::ValueProjection(source, right) => self.values(source, right, within),
            Node::MultiSelectList(_) | Node::MultiSelectHash(_) => self.several(node, within),
            Node::OrExpression(left, right) => self.either(left, right, within),
            Node::Literal(value) => Ok(Expr::Literal(value.clone())),
            Node::FunctionExpression { name, arguments } => {
                call(self, name.as_deref().unwrap_or(""), arguments, within)
            }
            Node::AndExpression(left, right) => self.both(left, right, within),
            Node::Comparator { .. } | Node::NotExpression(_) => Ok(Expr::Bool(self.truth(node, within)?)),
            other => self.refuse(&format!("`{}`", other.kind().trim_start_matches("AST"))),
        }
    }

    /// What a function gives of a field in a filter, `tags.contains(@, 'a')`; of null it is not asked.
    // Go: interpreter.go ASTSubexpression.
    fn asked_of(&self, access: &Access, function: &str, call: &Node) -> Converted<Expr> {
        if function == "contains" && matches!(access.shape, Some(Shape::List(_))) {
            // An empty list stands for one that is not there: it has nothing in it.
            let needs = RefCell::default();
            return Reading { filter: Some(&needs), ..*self }.node(call, Some(&Expr::Field(access.clone())));
        }
        let value = self.node(call, Some(&Expr::Field(access.known())))?;
        Ok(Expr::Where(access.is_there(), Box::new(value), None))
    }

    /// Each value of a map.
    fn values(&self, source: &Node, right: &Node, within: Option<&Expr>) -> Converted<Expr> {
        let access = match self.node(source, within)? {
            Expr::Images(list) => return self.images(&list, right),
            Expr::Field(access) => access,
            _ => return self.refuse("`*`"),
        };
        let shape = match &access.shape {
            Some(Shape::Map(inner)) => Some((**inner).clone()),
            _ => None,
        };
        let item = Expr::Field(Access::of(&format!("{}[key]", access.plain()), shape));
        let item = Box::new(self.node(right, Some(&item))?);
        Ok(Expr::Elements(Elements::new(access.or("{}"), "key".into(), item)))
    }

    fn root(&self, name: &str) -> Converted<Expr> {
        if let Some(expr) = self.scope.entry(name) {
            return expr;
        }
        let element = match name {
            "element" => self.scope.elements.last(),
            _ => name
                .strip_prefix("element")
                .and_then(|at| at.parse().ok())
                .and_then(|at: usize| self.scope.elements.get(at)),
        };
        match (name, element) {
            ("images", None) if self.scope.is_for_pods => Ok(Expr::Request("images")),
            (_, Some(element)) => Ok(element.clone()),
            ("request", None) => Ok(Expr::Request("request")),
            ("serviceAccountName" | "serviceAccountNamespace", None) => {
                let part = name.strip_prefix("serviceAccount").unwrap_or("");
                Ok(Expr::text(account(part)))
            }
            _ => self.refuse(&format!("`{name}`, which expressions do not know,")),
        }
    }

    fn field(&self, expr: &Expr, name: &str) -> Converted<Expr> {
        let texts = || Shape::List(Box::new(Shape::Text));
        match expr {
            Expr::Request("request") => Ok(match name {
                "object" | "oldObject" => {
                    self.scope.note_object();
                    let text = if self.scope.reads_original { format!("request.{name}") } else { name.into() };
                    let mut object = Access::root(&text, self.scope.shape.clone());
                    // Kyverno: pkg/autogen/v1/rule.go replaces `request.object.metadata` as it is written.
                    object.is_written_apart =
                        self.scope.is_for_pods && self.text.contains(&format!("request.\"{name}\""));
                    Expr::Field(object)
                }
                "operation" => Expr::Attribute(Attribute::Operation),
                "namespace" => Expr::Attribute(Attribute::Namespace),
                "name" => Expr::Attribute(Attribute::Name),
                "userInfo" => Expr::Request("userInfo"),
                _ => return self.refuse(&format!("`request.{name}`")),
            }),
            Expr::Request("images") => {
                self.scope.note_object();
                let pod = Access::root("object", self.scope.shape.clone()).field("spec", self.scope.schema);
                Ok(Expr::Images(pod.field(name, self.scope.schema)))
            }
            Expr::Request(_) => Ok(match name {
                "username" => Expr::Attribute(Attribute::Username),
                "uid" => Expr::Attribute(Attribute::Uid),
                "groups" => Expr::Cel("request.userInfo.groups".into(), texts()),
                _ => return self.refuse(&format!("`request.userInfo.{name}`")),
            }),
            Expr::Field(access)
                if name == "namespace"
                    && access.plain() == "object.metadata"
                    && self.scope.owner.is_extended
                    && self.scope.is_of_rule =>
            {
                self.refuse("the namespace of a Pod, which the templates of controllers do not have and which errs there (`request.namespace` does not),")
            }
            Expr::Field(access) if let Some(held) = self.scope.held(access, name) => {
                Ok(Expr::Field(held.field(name, self.scope.schema)))
            }
            Expr::Listed(access) if name == "items" => Ok(Expr::Field(access.clone())),
            Expr::Nullable(access) | Expr::Uncertain(access) => {
                Ok(Expr::Uncertain(access.field(name, self.scope.schema)))
            }
            Expr::Fields(fields) => match fields.iter().find(|(key, _)| key == name) {
                Some((_, expr)) => Ok(expr.clone()),
                None => self.refuse(&format!("`{name}` of a map that has no such key")),
            },
            Expr::Literal(map @ Value::Object(_)) if map.get(name).is_some() => {
                Ok(Expr::Literal(map.get(name).cloned().unwrap_or_default()))
            }
            Expr::Field(access) | Expr::Defaulted(access, _) => {
                self.scope.schema.assume(access, Shape::Map(Box::new(Shape::Any)));
                let field = self.scope.field(access, name);
                Ok(if field.may_be_null() { Expr::Nullable(field) } else { Expr::Field(field) })
            }
            _ => self.refuse(&format!("`{name}` of a value that is made")),
        }
    }

    /// A part of each image of a list of containers.
    fn images(&self, list: &Access, right: &Node) -> Converted<Expr> {
        let Node::Field(part) = right else { return self.refuse("images other than by one of their parts") };
        let name = list.element_name();
        self.scope.schema.assume_readable_images();
        // Kyverno names Docker's registry otherwise than clients of registries do.
        let text = match part.as_str() {
            "registry" => format!("image({name}.image).registry().replace('index.docker.io', 'docker.io')"),
            _ => return self.refuse(&format!("`{part}` of an image")),
        };
        let elements =
            Expr::Field(list.clone()).elements(self.path)?.then(&mut |_| Ok(Expr::text(text.clone())))?;
        Ok(Expr::Elements(elements))
    }

    fn index(&self, left: &Node, right: &Node, within: Option<&Expr>) -> Converted<Expr> {
        let left = self.node(left, within)?;
        match (right, left) {
            (Node::Index(at), Expr::Field(access)) if *at >= 0 => Ok(Expr::Field(access.index(*at))),
            // An element of null is null.
            (Node::Index(at), Expr::Nullable(access)) if *at >= 0 && access.may_be_null() => {
                Ok(Expr::Nullable(access.index(*at)))
            }
            (Node::Index(at), Expr::Uncertain(access)) if *at >= 0 => Ok(Expr::Uncertain(access.index(*at))),
            // `split` gives one part at least.
            (Node::Index(-1), Expr::Cel(text, Shape::List(inner))) if text.contains(".split(") => {
                Ok(Expr::Cel(format!("{text}[size({text}) - 1]"), *inner))
            }
            (Node::Index(at), Expr::Cel(text, shape @ Shape::List(_))) if *at >= 0 => {
                Ok(Expr::Nullable(Access::of(&text, Some(shape)).index(*at)))
            }
            (Node::Index(at), Expr::Elements(elements)) if *at >= 0 => {
                let (list, shape) = elements.listed(self.path)?;
                Ok(Expr::Nullable(Access::of(&list, Some(Shape::List(Box::new(shape)))).index(*at)))
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
        match self.scope.null_if_absent(|| self.node(inner, within))? {
            Expr::Elements(elements) => elements.then(&mut |item| match &item {
                Expr::Field(access) if matches!(access.shape, Some(Shape::List(_))) => {
                    Ok(Expr::Elements(item.elements(self.path)?))
                }
                Expr::Nullable(access) if access.may_be_null() => {
                    Ok(Expr::Elements(item.elements(self.path)?))
                }
                // Of a custom kind it is taken for a list, as it is opened.
                Expr::Field(access) if access.shape.is_none() && access.path().is_some() => {
                    self.scope.schema.assume(access, Shape::List(Box::new(Shape::Any)));
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

    /// Several lists as one; what is not a list stands in it as it is, and what is null drops out.
    // Go: interpreter.go ASTMultiSelectList and ASTFlatten.
    fn joined(&self, nodes: &[Node], within: Option<&Expr>) -> Converted<Elements> {
        let is_object = |shape: &Shape| matches!(shape, Shape::Object(_));
        let (mut lists, mut first) = (Vec::new(), None);
        for node in nodes {
            let (text, shape) = self.part(self.node(node, within)?, &mut lists)?;
            lists.push(text);
            let known: &Shape = first.get_or_insert_with(|| shape.clone());
            if *known != shape && !(is_object(known) && is_object(&shape)) {
                return self.refuse("values of several types within `[a, b][]`");
            }
        }
        let Some(shape) = first else { return self.refuse("an empty list") };
        let is_of_containers =
            lists.iter().all(|list| list.to_lowercase().contains("containers")) && is_object(&shape);
        let name = if is_of_containers { "container" } else { "item" };
        let all = if is_of_containers { "allContainers" } else { "allItems" };
        let list = self.scope.list(all, &lists.join(" + "));
        let shape = (shape != Shape::Any).then_some(shape);
        let item = Box::new(Expr::Field(Access::of(name, shape)));
        let elements = Elements::new(list, name.into(), item);
        // Of null there is no list.
        Ok(match within {
            Some(Expr::Field(access)) => elements.where_there(access.is_there()),
            _ => elements,
        })
    }

    /// A part of a list that is put together: a list, or a single value as one of at most one element, which takes up the one before it.
    fn part(&self, expr: Expr, before: &mut Vec<String>) -> Converted<(String, Shape)> {
        if let Expr::Field(access) = &expr
            && let Some(shape) = &access.shape
            && !matches!(shape, Shape::List(_) | Shape::Any)
        {
            let is_open = |last: &mut String| last.starts_with('[');
            let last = before.pop_if(is_open).and_then(|last| last.strip_suffix(']').map(str::to_owned));
            let open = last.map_or_else(|| "[".to_owned(), |last| format!("{last}, "));
            return Ok((format!("{open}{}]", access.entry()), shape.clone()));
        }
        let elements = self.elements(expr)?;
        if elements.filter != Formula::True || matches!(*elements.item, Expr::Elements(_)) {
            return self.refuse("a filtered or nested list within `[a, b][]`");
        }
        elements.listed(self.path)
    }

    fn either(&self, left: &Node, right: &Node, within: Option<&Expr>) -> Converted<Expr> {
        let expr = self.node(left, within)?;
        if let Expr::Bool(_) | Expr::Where(..) = expr {
            return self.or_behind(expr, right, within);
        }
        // In double quotes stands a name, here that of nothing, which is null.
        if let (Node::Field(name), Expr::Field(access)) = (right, &expr)
            && name.is_empty()
        {
            return Ok(Expr::OrNull(access.clone()));
        }
        // `[]` opens what is there, and the whole context is not a list: null.
        if let (Node::Projection(list, rest), Expr::Field(access), None) = (right, &expr, within)
            && matches!(**rest, Node::Identity)
            && matches!(&**list, Node::Flatten(inner) if matches!(**inner, Node::Identity))
        {
            return Ok(Expr::OrNull(access.clone()));
        }
        let other = self.node(right, within)?;
        let why = why_no_default(&expr, &other);
        match expr.or_else(other) {
            Some(expr) => Ok(expr),
            None => self.refuse(&why),
        }
    }
}
