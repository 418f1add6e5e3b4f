//! Where in the resource a part of an expression has its value from.
//!
//! In: a part, what was said about it, and the document behind `object`. Out: the way to the field, be it there or not. It is found by
//! the form of the part, `object.spec.containers[0]`; else by the value: what lies in the document is that very node of it.

use super::log::{Round, Scope};
use engine_cel::ast::{Ast, Comprehension, Expr, ExprId, Literal, Origin};
use engine_cel::function::Outside;
use engine_cel::operators;
use engine_cel::value::Value;
use engine_json::{Path, Segment, Str, Value as Json};

/// How many nodes of the document are looked at for a value.
const MAX_NODES: usize = 50_000;
/// How deep variables may be made of one another.
const MAX_DEPTH: usize = 8;

/// An expression that was listened to.
#[derive(Debug)]
pub(super) struct Heard<'v> {
    /// Its text.
    pub(super) source: &'v str,
    /// Its tree.
    pub(super) ast: Ast,
    /// What was said.
    pub(super) scope: Scope<'v>,
}

/// The variables of the policy, as far as they were evaluated, and what else its expressions can ask.
pub(super) trait Variables<'v> {
    /// The expression of a variable.
    fn heard(&self, name: &str) -> Option<&Heard<'v>>;
    /// What lies outside of the expressions.
    fn outside(&self) -> Option<&'v dyn Outside>;
}

/// What all expressions of a policy are read beside.
#[derive(Clone, Copy)]
pub(super) struct Ground<'g, 'v> {
    /// The resource's document.
    pub(super) document: &'v Json,
    /// Where `object` stands in it.
    pub(super) place: &'g Path,
    /// The variables.
    pub(super) variables: &'g dyn Variables<'v>,
}

/// A place in an evaluation: the whole expression, or an element of a macro in it.
#[derive(Clone, Copy)]
pub(super) struct View<'a, 'v> {
    /// What is read beside.
    pub(super) ground: Ground<'a, 'v>,
    /// The expression.
    pub(super) heard: &'a Heard<'v>,
    scope: &'a Scope<'v>,
    outer: Option<&'a View<'a, 'v>>,
    bound: Option<&'a Bound<'v>>,
}

/// What a macro binds at an element.
#[derive(Debug)]
pub(super) struct Bound<'v> {
    /// The names and where their values lie.
    names: [(Str, Option<Path>); 2],
    /// The element.
    pub(super) value: Option<Value<'v>>,
    /// Where the element lies.
    pub(super) path: Option<Path>,
}

/// What a name stands for.
enum Name {
    /// What a macro binds, which may lie in the document.
    Bound(Option<Path>),
    /// A variable of the environment.
    Free,
}

impl<'a, 'v> View<'a, 'v> {
    /// The whole expression.
    pub(super) fn whole(ground: Ground<'a, 'v>, heard: &'a Heard<'v>) -> Self {
        View { ground, heard, scope: &heard.scope, outer: None, bound: None }
    }

    /// The tree.
    pub(super) fn expr(&self, id: ExprId) -> &'a Expr {
        self.heard.ast.expr(id)
    }

    /// The text of a part, on one line.
    pub(super) fn text(&self, id: ExprId) -> String {
        let node = self.heard.ast.node(id);
        let text = self.heard.source.get(node.start as usize..node.end as usize).unwrap_or("");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The value of a part, or the words of its error; nothing where it was not evaluated.
    pub(super) fn value(&self, id: ExprId) -> Option<&'a Result<Value<'v>, String>> {
        self.scope.value(id).or_else(|| self.outer.and_then(|outer| outer.value(id)))
    }

    /// The elements that a macro turned to.
    pub(super) fn rounds(&self, id: ExprId) -> &'a [Round<'v>] {
        self.scope.rounds(id)
    }

    /// What a macro binds at an element of it.
    pub(super) fn bound(&self, fold: &Comprehension, round: &Round<'v>) -> Bound<'v> {
        let range = self.value(fold.range).and_then(|value| value.as_ref().ok());
        let whole = self.path(fold.range, 0);
        let list = range.and_then(Value::as_list);
        let map = range.and_then(Value::as_map);
        let entry = map.and_then(|map| map.iter().nth(round.at));
        let value = match (&list, &entry) {
            (Some(list), _) => list.get(round.at),
            (None, Some((_, value))) => Some(value.clone()),
            (None, None) => None,
        };
        let within = match (range, &entry) {
            (Some(Value::JsonList(..)), _) => whole.map(|path| path.join(round.at)),
            (_, Some((key, _))) => key.as_str().and_then(|key| Some(whole?.join(key))),
            _ => None,
        };
        let path = value.as_ref().and_then(|value| self.lies_at(value)).or(within);
        let path = path.or_else(|| self.image_at(fold.range, value.as_ref()?.as_str()?));
        let second = fold.var2.clone().unwrap_or_default();
        let names = [(fold.var.clone(), path.clone()), (second, path.clone())];
        Bound { names, value, path }
    }

    /// What `cel.bind` binds.
    pub(super) fn bound_value(&self, name: &Str, value: ExprId) -> Bound<'v> {
        let path = self.path(value, 0);
        Bound { names: [(name.clone(), path.clone()), (Str::default(), None)], value: None, path }
    }

    /// An element of a macro.
    pub(super) fn within<'b>(&'b self, scope: Option<&'b Scope<'v>>, bound: &'b Bound<'v>) -> View<'b, 'v> {
        View {
            ground: self.ground,
            heard: self.heard,
            scope: scope.unwrap_or(self.scope),
            outer: Some(self),
            bound: Some(bound),
        }
    }

    fn name(&self, name: &str) -> Name {
        let own = self.bound.and_then(|bound| bound.names.iter().find(|(known, _)| known == name));
        match (own, self.outer) {
            (Some((_, path)), _) => Name::Bound(path.clone()),
            (None, Some(outer)) => outer.name(name),
            (None, None) => Name::Free,
        }
    }

    /// The way to the field that a part stands for.
    pub(super) fn path(&self, id: ExprId, depth: usize) -> Option<Path> {
        let by_form = match self.expr(id) {
            Expr::Ident(name) => match self.name(name) {
                Name::Bound(path) => path,
                Name::Free => (name == "object").then(|| self.ground.place.clone()),
            },
            Expr::Select { operand, field, .. } => self.selected(*operand, field, depth),
            Expr::Call { function, target, args } => self.called(function, *target, args, depth),
            Expr::Comprehension(fold) => match fold.origin {
                Origin::Bind { value, body } => {
                    let bound = self.bound_value(&fold.accu, value);
                    self.within(None, &bound).path(body, depth)
                }
                _ => None,
            },
            Expr::Literal(_) | Expr::List { .. } | Expr::Map(_) | Expr::Struct { .. } => None,
        };
        by_form.or_else(|| self.lies_at(self.value(id)?.as_ref().ok()?))
    }

    fn selected(&self, operand: ExprId, field: &Str, depth: usize) -> Option<Path> {
        if let Expr::Ident(name) = self.expr(operand) {
            match (name.as_str(), field.as_str()) {
                ("request", "object") => return Some(self.ground.place.clone()),
                ("request", "name" | "namespace") => {
                    return self.placed(self.ground.place.join("metadata").join(field.clone()));
                }
                ("variables", name) if depth < MAX_DEPTH => {
                    let heard = self.ground.variables.heard(name)?;
                    return View::whole(self.ground, heard).path(heard.ast.root(), depth + 1);
                }
                _ => {}
            }
        }
        self.placed(self.path(operand, depth)?.join(field.clone()))
    }

    /// The place of a field; what the Pod of a template has and the template has not is that of the whole resource, or of nothing.
    fn placed(&self, path: Path) -> Option<Path> {
        let Ground { document, place, .. } = self.ground;
        let is_there = || document.at_path(path.iter()).is_some_and(|found| found.as_str() != Some(""));
        if place.is_empty() || path.len() > place.len() + 2 || !path.starts_with(place) || is_there() {
            return Some(path);
        }
        let own = path.iter().skip(place.len()).map(|segment| match segment {
            Segment::Key(key) => key.as_str(),
            Segment::Index(_) => "",
        });
        let own: Vec<&str> = own.collect();
        match own.as_slice() {
            ["kind" | "apiVersion"] => None,
            ["metadata", "name" | "namespace"] => Some(Path::from_keys(&own)),
            _ => Some(path),
        }
    }

    fn called(&self, name: &str, target: Option<ExprId>, args: &[ExprId], depth: usize) -> Option<Path> {
        match (name, target, args) {
            (operators::INDEX | operators::OPTIONAL_INDEX | operators::OPTIONAL_SELECT, None, [of, key]) => {
                Some(self.path(*of, depth)?.join(self.key(*key)?))
            }
            ("orValue" | "value" | "or", Some(of), _) | ("__orValueCompat__" | "dyn", None, &[of, ..]) => {
                self.path(of, depth)
            }
            (operators::CONDITIONAL, None, [condition, yes, no]) => {
                let taken = match self.value(*condition)? {
                    Ok(Value::Bool(true)) => yes,
                    _ => no,
                };
                self.path(*taken, depth)
            }
            _ => None,
        }
    }

    /// The key or the place that an index names.
    fn key(&self, id: ExprId) -> Option<Segment> {
        match (self.expr(id), self.value(id)) {
            (Expr::Literal(Literal::String(key)), _) => Some(Segment::Key(key.clone())),
            (Expr::Literal(Literal::Int(at)), _) | (_, Some(Ok(Value::Int(at)))) => {
                usize::try_from(*at).ok().map(Segment::from)
            }
            (_, Some(Ok(value))) => value.as_str().map(Segment::from),
            _ => None,
        }
    }

    /// Where the image of a container stands that is an element of `images.containers`.
    fn image_at(&self, list: ExprId, image: &str) -> Option<Path> {
        let Expr::Select { operand, .. } = self.expr(list) else { return None };
        let is_images = matches!(self.expr(*operand), Expr::Ident(name) if name == "images");
        let holder = self.find(&|node| is_images && node.find_str(&["image"]) == image)?;
        Some(holder.join("image"))
    }

    /// Where a value lies in the document, if it does.
    fn lies_at(&self, value: &Value<'v>) -> Option<Path> {
        match value {
            Value::Optional(Some(inner)) => self.lies_at(inner),
            Value::JsonMap(map, _) => self.find(&|node| match node {
                Json::Object(known) => std::ptr::eq(std::ptr::from_ref::<engine_json::Map>(known), *map),
                _ => false,
            }),
            Value::JsonList(list, _) => self.find(&|node| match node {
                Json::Array(known) => std::ptr::eq(std::ptr::from_ref::<Vec<Json>>(known), *list),
                _ => false,
            }),
            Value::Str(text) if !text.is_empty() => self.find(&|node| match node {
                Json::String(known) => std::ptr::eq(known.as_str(), *text),
                _ => false,
            }),
            _ => None,
        }
    }

    fn find(&self, is_it: &dyn Fn(&Json) -> bool) -> Option<Path> {
        let mut open = vec![(Path::root(), self.ground.document)];
        let mut left = MAX_NODES;
        while let Some((path, value)) = open.pop() {
            left = left.checked_sub(1)?;
            if is_it(value) {
                return Some(path);
            }
            match value {
                Json::Object(map) => {
                    let below = map.iter().rev();
                    open.extend(below.map(|(key, item)| (path.join(key.clone()), item)));
                }
                Json::Array(list) => {
                    let below = list.iter().enumerate().rev();
                    open.extend(below.map(|(at, item)| (path.join(at), item)));
                }
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
            }
        }
        None
    }
}
