//! Mistakes that no request reaches: in a policy that lets in all, in a kind that another one stands for, in a branch of an expression that is
//! never taken, in a comparison that never holds.
//!
//! In: a policy, an expression before and after. Out: whether one of a few rules proves that both decide the same.

use crate::mistakes::idle::list;
use crate::mistakes::patterns::{Held, holds, kinds, shapes};
use crate::objects::defaults::is_filled_in_kind;
use crate::objects::schema::{Schema, Shape};
use crate::reads::cel::parsed;
use engine::value::quantity::Quantity;
use engine_cel::ast::{Ast, Expr, ExprId, Literal};
use engine_cel::operators;
use engine_json::{Path, Segment, Value};

/// How deep an expression is followed.
const MAX_DEPTH: usize = 24;

/// Whether a policy in CEL lets in every request, and the mistake stands in what it is asked about.
pub(super) fn admits_all(policy: &Value, at: &Path) -> bool {
    let mut keys = at.iter();
    let is_key =
        |segment: Option<&Segment>, name: &str| matches!(segment, Some(Segment::Key(key)) if key == name);
    if !is_key(keys.next(), "spec") || !is_key(keys.next(), "matchConstraints") {
        return false;
    }
    let kind = policy.find_str(&["kind"]);
    let validations = list(policy.find(&["spec", "validations"]));
    matches!(kind, "ValidatingPolicy" | "NamespacedValidatingPolicy" | "ValidatingAdmissionPolicy")
        && !validations.is_empty()
        && validations.iter().all(|validation| always_holds(validation.find_str(&["expression"])))
        // A condition that fails may refuse.
        && list(policy.find(&["spec", "matchConditions"])).is_empty()
}

/// Whether an expression is true of every request: it asks whether there is a user, as there is in each.
// Kubernetes: a request without one is of `system:anonymous`.
fn always_holds(expression: &str) -> bool {
    let Some(ast) = parsed(expression) else { return false };
    match ast.expr(ast.root()) {
        Expr::Literal(Literal::Bool(truth)) => *truth,
        Expr::Select { test: true, .. } => {
            let Expr::Select { operand, field, .. } = ast.expr(ast.root()) else { return false };
            let of_user = matches!(ast.expr(*operand), Expr::Select { operand, field, test: false }
                if field == "userInfo" && matches!(ast.expr(*operand), Expr::Ident(name) if name == "request"));
            of_user && field == "username"
        }
        _ => false,
    }
}

/// Whether a kind is taken away for which another one of the list stands: `v1/Thing` is that of every group.
// Kyverno: kubeutils.ParseKindSelector.
pub(super) fn are_kinds_alike(before: &Value, after: &Value, at: &Path) -> bool {
    let mut keys: Vec<Segment> = at.iter().cloned().collect();
    let Some(Segment::Index(index)) = keys.pop() else { return false };
    let texts = |policy: &Value| -> Vec<String> {
        list(policy.at_path(keys.iter())).iter().filter_map(|kind| kind.as_str().map(str::to_owned)).collect()
    };
    let (old, new) = (texts(before), texts(after));
    let gone = usize::try_from(index).ok().and_then(|index| old.get(index)).map_or("", String::as_str);
    let parts: Vec<&str> = gone.split('/').collect();
    let [_, version, kind] = parts.as_slice() else { return false };
    let is_version = version.strip_prefix('v').is_some_and(|rest| rest.len() == 1);
    let is_plain = !gone.contains(['*', '?', '.']) || !kind.contains(['*', '?', '.']);
    let covers = |other: &String| other == kind || *other == format!("{version}/{kind}");
    is_version && is_plain && new.len() + 1 == old.len() && new.iter().any(covers)
}

/// Whether a mistake in an expression changes nothing for the objects that a policy is for.
pub(super) fn is_idle(policy: &Value, before: &str, after: &str) -> bool {
    let (Some(old), Some(new)) = (parsed(before), parsed(after)) else { return false };
    if old.nodes().len() != new.nodes().len() || old.root() != new.root() {
        return false;
    }
    let pairs = || old.nodes().iter().zip(new.nodes()).enumerate();
    let mut changed = pairs().filter(|(_, (one, other))| one.expr != other.expr);
    let (Some((at, (one, other))), None) = (changed.next(), changed.next()) else { return false };
    let at = ExprId::from_index(at);
    let tree = Tree { ast: &old, kinds: kinds_of(policy) };
    tree.is_never_taken(at)
        || tree.is_empty_join(at, &one.expr, &other.expr, before)
        || match (&one.expr, &other.expr) {
            (Expr::Literal(Literal::String(one)), Expr::Literal(Literal::String(other))) => {
                tree.is_no_text(at)
                    || ([one, other].iter().all(|text| is_no_amount(text)) && tree.is_amount(at))
            }
            _ => false,
        }
}

/// Whether a text is not an amount that an API server takes in a container.
fn is_no_amount(text: &str) -> bool {
    text.starts_with('-') || Quantity::parse(text).is_err()
}

/// The kinds that a policy names.
fn kinds_of(policy: &Value) -> Vec<String> {
    let rules = list(policy.find(&["spec", "rules"]));
    if !rules.is_empty() {
        return rules.iter().flat_map(kinds).map(str::to_owned).collect();
    }
    let schema = Schema::new();
    let rules = list(policy.find(&["spec", "matchConstraints", "resourceRules"]));
    let names = rules.iter().flat_map(|rule| list(rule.get("resources"))).filter_map(Value::as_str);
    let kind_of = |plural: &str| {
        let mut kinds = schema.kinds().map(|(_, kind)| kind);
        let is_it = |kind: &&str| engine::resource::plural(kind) == plural;
        kinds.find(is_it).map_or_else(|| "?".to_owned(), str::to_owned)
    };
    names.map(kind_of).collect()
}

/// An expression, and the kinds whose objects it is about.
struct Tree<'a> {
    ast: &'a Ast,
    kinds: Vec<String>,
}

impl Tree<'_> {
    fn parent(&self, of: ExprId) -> Option<(ExprId, &Expr)> {
        let nodes = self.ast.nodes().iter().enumerate();
        let is_part = |expr: &Expr| match expr {
            Expr::Call { target, args, .. } => target.iter().chain(args).any(|part| *part == of),
            Expr::Select { operand, .. } => *operand == of,
            Expr::List { elements, .. } => elements.contains(&of),
            _ => false,
        };
        nodes.map(|(at, node)| (ExprId::from_index(at), &node.expr)).find(|(_, expr)| is_part(expr))
    }

    /// Whether a part stands where an expression goes only if a field is missing that an API server fills in.
    fn is_never_taken(&self, at: ExprId) -> bool {
        let mut at = at;
        for _ in 0..MAX_DEPTH {
            let Some((parent, expr)) = self.parent(at) else { return false };
            if let Expr::Call { function, args, .. } = expr
                && function == operators::CONDITIONAL
                && let [condition, _, no] = &**args
                && *no == at
                && let Expr::Select { operand, field, test: true } = self.ast.expr(*condition)
                && let Some(way) = self.way(*operand, 0)
            {
                let way: Vec<&str> = way.iter().map(String::as_str).collect();
                let is_there = |kind: &String| is_filled_in_kind(kind, &way, field);
                if !self.kinds.is_empty() && self.kinds.iter().all(is_there) {
                    return true;
                }
            }
            at = parent;
        }
        false
    }

    /// Whether `size(x) > 0 ? x.join(…) : ''` asks for 0 as well: nothing joined is an empty text.
    fn is_empty_join(&self, at: ExprId, one: &Expr, other: &Expr, text: &str) -> bool {
        let compared = |expr: &Expr| match expr {
            Expr::Call { function, args, .. } => match &**args {
                [size, zero] if *self.ast.expr(*zero) == Expr::Literal(Literal::Int(0)) => {
                    Some((function.to_string(), *size))
                }
                _ => None,
            },
            _ => None,
        };
        let (Some((one, size)), Some((other, _))) = (compared(one), compared(other)) else { return false };
        let mut signs = [one.as_str(), other.as_str()];
        signs.sort_unstable();
        let Some((_, Expr::Call { function, args, .. })) = self.parent(at) else { return false };
        let [condition, joined, empty] = &**args else { return false };
        let Expr::Call { function: of_size, target, args: of } = self.ast.expr(size) else { return false };
        let Some(sized) = target.or_else(|| of.first().copied()) else { return false };
        let Expr::Call { function: of_join, target: Some(list), .. } = self.ast.expr(*joined) else {
            return false;
        };
        let written = |id: ExprId| {
            let node = self.ast.node(id);
            text.get(node.start as usize..node.end as usize)
        };
        signs == [operators::GREATER_EQUALS, operators::GREATER]
            && function == operators::CONDITIONAL
            && *condition == at
            && of_size == "size"
            && of_join == "join"
            && *self.ast.expr(*empty) == Expr::Literal(Literal::String("".into()))
            && written(sized).is_some()
            && written(sized) == written(*list)
    }

    /// Whether a text is compared with an element of a list of objects, which no text is equal to.
    fn is_no_text(&self, at: ExprId) -> bool {
        let Some(other) = self.compared(at) else { return false };
        let Some(way) = self.way(other, 0).filter(|way| !way.is_empty()) else { return false };
        let is_object = |kind: &String| {
            shapes(kind, &way).is_some_and(|all| all.iter().all(|shape| matches!(shape, Shape::Object(_))))
        };
        !self.kinds.is_empty() && self.kinds.iter().all(is_object)
    }

    /// Whether a text stands for an amount that is not there, and is compared with an amount of the object.
    fn is_amount(&self, at: ExprId) -> bool {
        let Some((default, Expr::Call { function, target: Some(_), .. })) = self.parent(at) else {
            return false;
        };
        let Some(other) = self.compared(default).filter(|_| function == "orValue") else { return false };
        let Some(way) = self.way(other, 0) else { return false };
        let way: Vec<&str> = way.iter().map(String::as_str).collect();
        let Some((last, before)) = way.split_last() else { return false };
        !self.kinds.is_empty() && self.kinds.iter().all(|kind| holds(kind, before, last, Held::Quantity))
    }

    /// What a part is compared with.
    fn compared(&self, at: ExprId) -> Option<ExprId> {
        let Some((_, Expr::Call { function, args, .. })) = self.parent(at) else { return None };
        let [left, right] = &**args else { return None };
        let is_equality = function == operators::EQUALS || function == operators::NOT_EQUALS;
        is_equality.then_some(if *left == at { *right } else { *left })
    }

    /// The way into the object that a part stands for; `[]` is an element of a list.
    fn way(&self, id: ExprId, depth: usize) -> Option<Vec<String>> {
        let further = |of: ExprId, key: &str| {
            let mut way = self.way(of, depth + 1)?;
            way.push(key.to_owned());
            Some(way)
        };
        if depth > MAX_DEPTH {
            return None;
        }
        match self.ast.expr(id) {
            Expr::Ident(name) if name == "object" => Some(Vec::new()),
            Expr::Ident(name) => {
                let folds = self.ast.nodes().iter().filter_map(|node| match &node.expr {
                    Expr::Comprehension(fold) if fold.var == *name && fold.var2.is_none() => Some(fold.range),
                    _ => None,
                });
                let mut ranges: Vec<ExprId> = folds.collect();
                // Of several macros with one name the inner one is meant, and which that is is not looked into.
                let range = ranges.pop().filter(|_| ranges.is_empty())?;
                further(range, "[]")
            }
            Expr::Select { operand, field, test: false } => further(*operand, field),
            Expr::Call { function, target: None, args } if function == operators::OPTIONAL_SELECT => {
                match (&**args, args.get(1).map(|key| self.ast.expr(*key))) {
                    ([of, _], Some(Expr::Literal(Literal::String(key)))) => further(*of, key),
                    _ => None,
                }
            }
            Expr::Call { function, target: Some(of), args } if function == "orValue" => {
                let is_empty = |id: &ExprId| matches!(self.ast.expr(*id), Expr::List { elements, .. } if elements.is_empty());
                self.way(*of, depth + 1).filter(|_| args.iter().all(is_empty))
            }
            _ => None,
        }
    }
}
