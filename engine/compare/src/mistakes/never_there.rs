//! Mistakes that no request reaches because a value is always the same: a part of an expression that decides nothing, and what is asked of
//! ephemeral containers where there are none.
//!
//! In: a policy, an expression or a pattern before and after. Out: whether both come to the same.
//! Source: ValidatePodTemplateSpec and ValidatePodCreate of k8s.io/kubernetes/pkg/apis/core/validation, which forbid ephemeral containers in
//! templates and in new Pods; of `&&` and `||` the specification of CEL, by which an error on one side does not count where the other decides.

use crate::mistakes::idle::list;
use crate::mistakes::patterns::kinds;
use crate::objects::kinds::{CONTROLLERS, EPHEMERAL_LIST, pod_spec_of};
use crate::reads::cel::parsed;
use engine::resource::plural;
use engine_cel::ast::{Ast, Expr, ExprId, Literal};
use engine_cel::operators;
use engine_json::{Path, Segment, Value};

/// How deep an expression is followed.
const MAX_DEPTH: usize = 64;
/// Groups of the kinds that are known.
const GROUPS: [&str; 3] = ["", "apps", "batch"];

/// What an expression comes to where nothing decides.
const NO_LIST: &str = "[]";
const TRUE: &str = "true";
const FALSE: &str = "false";

/// Whether an expression decides the same before and after, of the objects that a policy is for; `rule` is that of a ClusterPolicy.
pub(super) fn are_alike(policy: &Value, rule: Option<&Value>, before: &str, after: &str) -> bool {
    // Of what is deleted there is no object.
    let ways = match rule {
        Some(rule) if is_of_creations(rule) => ways_of_rule(rule),
        Some(_) => Vec::new(),
        None => ways_of_policy(policy),
    };
    let come_to = |text: &str| {
        let ast = parsed(text)?;
        let root = ast.root();
        Settled { ast: &ast, ways: &ways }.written(root, 0)
    };
    come_to(before).is_some_and(|before| come_to(after) == Some(before))
}

/// Whether a mistake stands in a policy in CEL where a validation that never holds has decided before.
pub(super) fn is_refused_before(policy: &Value, at: &Path) -> bool {
    let steps: Vec<&Segment> = at.iter().take(3).collect();
    let [Segment::Key(spec), Segment::Key(field), Segment::Index(index)] = steps.as_slice() else {
        return false;
    };
    let validations = list(policy.find(&["spec", "validations"]));
    let before = usize::try_from(*index).unwrap_or(0);
    spec == "spec"
        && field == "validations"
        && validations.iter().take(before).any(|one| comes_to(one, FALSE))
}

/// Whether a mistake stands in a variable that no validation reads, as each comes to the same whatever the object.
pub(super) fn is_read_by_none(policy: &Value, at: &Path) -> bool {
    let mut steps = at.iter();
    let is_key = |step: Option<&Segment>, name: &str| matches!(step, Some(Segment::Key(key)) if key == name);
    let validations = list(policy.find(&["spec", "validations"]));
    is_key(steps.next(), "spec")
        && is_key(steps.next(), "variables")
        && !validations.is_empty()
        && validations.iter().all(|one| comes_to(one, FALSE) || comes_to(one, TRUE))
        && policy.find_str(&["kind"]).contains("Validating")
}

fn comes_to(validation: &Value, wanted: &str) -> bool {
    let Some(ast) = parsed(validation.find_str(&["expression"])) else { return false };
    Settled { ast: &ast, ways: &[] }.written(ast.root(), 0).as_deref() == Some(wanted)
}

/// Whether a pattern is about the fields of ephemeral containers where there are none: what is asked of an element decides nothing then.
pub(super) fn is_in_pattern(rule: &Value, bare: &[&str]) -> bool {
    let Some(list) = bare.iter().position(|key| *key == EPHEMERAL_LIST) else { return false };
    let (way, below) = bare.split_at(list);
    !below.is_empty() && below.len() > 1 && ways_of_rule(rule).contains(&way)
}

type Way = &'static [&'static str];

/// Whether a rule is for creations alone.
fn is_of_creations(rule: &Value) -> bool {
    let blocks = |field: &str| list(rule.find(&["match", field])).iter();
    let all = blocks("any").chain(blocks("all")).chain(rule.get("match"));
    let mut all = all.filter_map(|block| block.get("resources")).peekable();
    all.peek().is_some() && all.all(|resources| are_creations(list(resources.get("operations"))))
}

/// Where objects of a rule have specifications of Pods without ephemeral containers.
fn ways_of_rule(rule: &Value) -> Vec<Way> {
    let named = kinds(rule);
    ways(named.iter().map(|kind| kind.rsplit('/').next().unwrap_or(kind)), is_of_creations(rule))
}

/// The same of a policy in CEL.
fn ways_of_policy(policy: &Value) -> Vec<Way> {
    let rules = list(policy.find(&["spec", "matchConstraints", "resourceRules"]));
    let is_known = |rule: &Value| {
        let groups = list(rule.get("apiGroups"));
        !groups.is_empty()
            && groups.iter().all(|group| group.as_str().is_some_and(|group| GROUPS.contains(&group)))
    };
    let are_changes = |rule: &Value| {
        let mut operations = list(rule.get("operations")).iter();
        operations.all(|operation| matches!(operation.as_str(), Some("CREATE" | "UPDATE")))
    };
    if !rules.iter().all(|rule| is_known(rule) && are_changes(rule)) {
        return Vec::new();
    }
    let is_creation = rules.iter().all(|rule| are_creations(list(rule.get("operations"))));
    let kind_of = |resource: &str| {
        let mut all = CONTROLLERS.iter().map(|(_, kind)| *kind).chain(["Pod"]);
        all.find(|kind| plural(kind) == resource).unwrap_or("")
    };
    let resources = rules.iter().flat_map(|rule| list(rule.get("resources")));
    ways(resources.map(|resource| kind_of(resource.as_str().unwrap_or(""))), is_creation)
}

fn are_creations(operations: &[Value]) -> bool {
    !operations.is_empty() && operations.iter().all(|operation| operation.as_str() == Some("CREATE"))
}

/// The ways of all kinds, where each of them has no ephemeral containers there.
fn ways<'k>(kinds: impl Iterator<Item = &'k str>, is_creation: bool) -> Vec<Way> {
    let way = |kind: &str| pod_spec_of(kind).filter(|_| kind != "Pod" || is_creation);
    let mut ways: Vec<Way> = kinds.map(way).collect::<Option<_>>().unwrap_or_default();
    ways.sort_unstable();
    ways.dedup();
    // Of kinds with other ways one may read what the other does not have.
    if ways.len() == 1 { ways } else { Vec::new() }
}

/// An expression in which what is always the same stands as a constant.
struct Settled<'a> {
    ast: &'a Ast,
    ways: &'a [Way],
}

impl Settled<'_> {
    /// The expression in one form of its own; nothing where it is too deep.
    fn written(&self, id: ExprId, depth: usize) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        let part = |id: &ExprId| self.written(*id, depth + 1);
        let all = |ids: &[ExprId]| ids.iter().map(part).collect::<Option<Vec<String>>>();
        Some(match self.ast.expr(id) {
            Expr::Literal(Literal::Bool(truth)) => if *truth { TRUE } else { FALSE }.to_owned(),
            Expr::Literal(literal) => format!("{literal:?}"),
            Expr::Ident(name) => format!("name {name}"),
            Expr::Select { operand, field, test: true } if self.is_missing(*operand, field) => {
                FALSE.to_owned()
            }
            Expr::Select { operand, field, test } => format!("({} {test} {field})", part(operand)?),
            Expr::Call { function, target: None, args } => {
                let args_text = all(args)?;
                operator(function, &args_text)
                    .unwrap_or_else(|| format!("({function} {})", args_text.join(" ")))
            }
            Expr::Call { function, target: Some(of), args } => match &**args {
                [default] if function == "orValue" && self.is_optional(*of) => part(default)?,
                [_] if function == "orValue" && self.has_containers(*of) => {
                    let Expr::Call { args, .. } = self.ast.expr(*of) else { return None };
                    format!("({} false containers)", part(args.first()?)?)
                }
                args => format!("({} .{function} {})", part(of)?, all(args)?.join(" ")),
            },
            Expr::List { elements, optional } if optional.is_empty() => {
                format!("[{}]", all(elements)?.join(" "))
            }
            Expr::Comprehension(fold) => {
                let is_plain = matches!(self.ast.expr(fold.result), Expr::Ident(name) if *name == fold.accu);
                let range = match self.ast.expr(fold.init) {
                    // Of `all` and `exists` it is of no matter how often an element is there.
                    Expr::Literal(Literal::Bool(_)) => {
                        let mut parts = Vec::new();
                        self.parts(fold.range, depth, &mut parts)?;
                        if parts.is_empty() { NO_LIST.to_owned() } else { parts.join(" + ") }
                    }
                    _ => part(&fold.range)?,
                };
                if range == NO_LIST && is_plain {
                    return part(&fold.init);
                }
                let parts = all(&[fold.init, fold.condition, fold.step, fold.result])?;
                let names = (&fold.var, &fold.var2, &fold.accu);
                format!("(fold {names:?} {range} {})", parts.join(" "))
            }
            Expr::List { .. } | Expr::Map(_) | Expr::Struct { .. } => return None,
        })
    }

    /// The lists that are put together, each once and none that is empty.
    fn parts(&self, id: ExprId, depth: usize, parts: &mut Vec<String>) -> Option<()> {
        match self.ast.expr(id) {
            Expr::Call { function, target: None, args }
                if function == operators::ADD && depth <= MAX_DEPTH =>
            {
                args.iter().try_for_each(|arg| self.parts(*arg, depth + 1, parts))
            }
            _ => {
                let text = self.written(id, depth + 1)?;
                if text != NO_LIST && !parts.contains(&text) {
                    parts.push(text);
                }
                Some(())
            }
        }
    }

    /// Whether a field is one that objects never have.
    fn is_missing(&self, operand: ExprId, field: &str) -> bool {
        let way = (field == EPHEMERAL_LIST).then(|| self.way(operand, 0)).flatten();
        way.is_some_and(|way| self.ways.contains(&way.as_slice()))
    }

    /// Whether an optional value is one of such a field.
    fn is_optional(&self, id: ExprId) -> bool {
        self.optional(id).is_some_and(|(operand, key)| self.is_missing(operand, key))
    }

    /// Whether an optional value is the containers of a Pod, which are there.
    fn has_containers(&self, id: ExprId) -> bool {
        let Some((operand, "containers")) = self.optional(id) else { return false };
        let way = self.way(operand, 0);
        way.is_some_and(|way| self.ways.contains(&way.as_slice()))
    }

    /// The operand and the key of `operand.?key`.
    fn optional(&self, id: ExprId) -> Option<(ExprId, &str)> {
        let Expr::Call { function, target: None, args } = self.ast.expr(id) else { return None };
        let [operand, key] = &**args else { return None };
        let Expr::Literal(Literal::String(key)) = self.ast.expr(*key) else { return None };
        (function == operators::OPTIONAL_SELECT).then_some((*operand, key.as_str()))
    }

    /// The keys from the object to a part.
    fn way(&self, id: ExprId, depth: usize) -> Option<Vec<&str>> {
        match self.ast.expr(id) {
            Expr::Ident(name) if name == "object" => Some(Vec::new()),
            Expr::Select { operand, field, test: false } if depth < MAX_DEPTH => {
                let mut way = self.way(*operand, depth + 1)?;
                way.push(field.as_str());
                Some(way)
            }
            _ => None,
        }
    }
}

/// What an operator comes to, where one side decides or adds nothing.
fn operator(function: &str, args: &[String]) -> Option<String> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let text = match (function, args.as_slice()) {
        (operators::LOGICAL_AND, [FALSE, _] | [_, FALSE]) | (operators::LOGICAL_NOT, [TRUE]) => FALSE,
        (operators::LOGICAL_OR, [TRUE, _] | [_, TRUE]) | (operators::LOGICAL_NOT, [FALSE]) => TRUE,
        (operators::CONDITIONAL, [TRUE, yes, _]) => yes,
        (operators::CONDITIONAL, [FALSE, _, no]) => no,
        (operators::ADD, [other, NO_LIST] | [NO_LIST, other]) => other,
        _ => return None,
    };
    Some(text.to_owned())
}
