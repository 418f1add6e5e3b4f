//! Rules that validate.
//!
//! In: a rule. Out: what it selects, on which conditions, and the expressions that must be true.

use crate::conditions::Conditions;
use crate::conditions::block::Block;
use crate::expressions::access::Access;
use crate::expressions::formula::Formula;
use crate::expressions::scope::{Facts, Scope};
use crate::expressions::types::Types;
use crate::podsecurity;
use crate::refusal::{Class, Converted, below, refuse};
use crate::rules::apart::Apart;
use crate::rules::foreach;
use crate::rules::message;
use crate::rules::mutate::Mutation;
use crate::rules::pattern::{admits, any_pattern, place};
use crate::select::{Owner, Selection, selection};
use engine_json::{Path, Value};

/// An expression that must be true.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Validation {
    /// The expression.
    pub(crate) expression: String,
    /// The message.
    pub(crate) message: Option<String>,
    /// The message as an expression.
    pub(crate) message_expression: Option<String>,
}

impl Validation {
    /// Its expressions.
    fn texts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.expression.as_str()).chain(self.message_expression.as_deref())
    }
}

/// What a rule becomes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    pub(crate) selection: Selection,
    /// Names and expressions of `matchConditions`.
    pub(crate) conditions: Vec<(String, String)>,
    /// Names and expressions of `variables`.
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) validations: Vec<Validation>,
    /// Changes, where the rule mutates.
    pub(crate) mutations: Vec<Mutation>,
    /// The same for what holds a template of Pods.
    pub(crate) template_mutations: Vec<Mutation>,
    /// Policies of their own for templates of Pods.
    pub(crate) apart: Vec<Apart>,
    /// Whether autogen must not extend it.
    pub(crate) is_apart: bool,
    /// What a reader should know.
    pub(crate) notes: Vec<String>,
    /// Whether the source evaluates deletions too.
    pub(crate) leaves_deletions: bool,
}

/// The conditions on which a rule is asked.
pub(crate) struct Asked {
    /// Names and formulas of those of `match` and `exclude`.
    conditions: Vec<(String, Formula)>,
    /// What is known of all requests that reach the policy.
    known: Vec<(&'static str, Vec<String>)>,
    /// Preconditions.
    preconditions: Block,
    /// What must be there so that no precondition errs.
    pub(crate) needs: Formula,
}

impl Asked {
    /// Names and expressions, where the body says that what is needed is there.
    fn checked(&self) -> Vec<(String, String)> {
        self.with(self.preconditions.asked().checked)
    }

    /// Whether preconditions ask for objects of the cluster, which `matchConditions` would ask for once for each use.
    fn asks_cluster(&self) -> bool {
        let text = self.preconditions.holds().text();
        ["resource.Get(", "resource.List(", "globalContext.Get("].iter().any(|call| text.contains(call))
    }

    /// Names and expressions.
    pub(crate) fn plain(&self) -> Vec<(String, String)> {
        self.with(self.preconditions.holds())
    }

    fn with(&self, preconditions: Formula) -> Vec<(String, String)> {
        let own = ("preconditions".to_owned(), preconditions);
        let all = self.conditions.iter().chain(std::iter::once(&own));
        let all = all.map(|(name, formula)| (name.clone(), self.seen(formula.clone())));
        all.filter(|(_, formula)| *formula != Formula::True)
            .map(|(name, formula)| (name, formula.whole_text()))
            .collect()
    }

    /// A formula as the requests decide it that reach the policy.
    fn seen(&self, formula: Formula) -> Formula {
        let known = self.known.iter();
        known.fold(formula, |formula, (way, values)| formula.where_one_of(way, values)).simplified()
    }

    /// The same where deletions reach the policy too.
    fn for_deletions(mut self) -> Self {
        self.known.retain(|(way, _)| *way != OPERATION);
        self
    }
}

const OPERATION: &str = "request.operation";

/// The conditions on which a rule is asked.
pub(crate) fn conditions(
    rule: &Value,
    path: &Path,
    selection: &Selection,
    scope: &Scope<'_>,
) -> Converted<Asked> {
    let operations = match selection.operations.as_slice() {
        [] => ["CREATE", "UPDATE"].map(str::to_owned).to_vec(),
        named => named.to_vec(),
    };
    let mut known = vec![(OPERATION, operations)];
    let names: Vec<String> = selection.kinds.iter().map(|kind| kind.name.clone()).collect();
    // Autogen asks the same of other kinds.
    if !selection.owner.is_extended && !names.iter().any(|name| name.contains(['*', '?'])) {
        known.push(("request.kind.kind", names));
    }
    let preconditions = match rule.get("preconditions").filter(|written| !written.is_null()) {
        Some(written) => Conditions::new(&scope.inline()).block(written, &below(path, ["preconditions"]))?,
        None => Block::default(),
    };
    Ok(Asked { conditions: selection.conditions.clone(), known, needs: preconditions.needs(), preconditions })
}

/// Preconditions that validations ask, as variables of the policy are seen by them alone.
fn within(rule: &Value, path: &Path, asked: &Asked, scope: &Scope<'_>) -> Converted<Option<Block>> {
    let written = rule.get("preconditions").filter(|_| asked.asks_cluster());
    written.map(|written| Conditions::new(scope).block(written, &below(path, ["preconditions"]))).transpose()
}

/// What a rule asks that has a pattern, conditions or loops: a formula that must be true for each part.
fn asked_of(body: &Value, path: &Path, scope: &Scope<'_>) -> Converted<Option<Vec<Formula>>> {
    let object = Access::root("object", scope.shape.clone());
    Ok(Some(if let Some(written) = body.get("pattern") {
        vec![admits(&object, written, &place(path, "pattern"), scope)?]
    } else if let Some(written) = body.get("anyPattern").and_then(Value::as_array) {
        vec![any_pattern(&object, written, &place(path, "anyPattern"), scope)?]
    } else if let Some(deny) = body.get("deny") {
        vec![denied(deny, path, scope)?]
    } else if let Some(loops) = body.get("foreach").and_then(Value::as_array) {
        let loops = loops.iter().enumerate().map(|(at, written)| {
            foreach::validate(written, &below(path, ["validate", "foreach"]).join(at), scope)
        });
        loops.collect::<Converted<_>>()?
    } else {
        return Ok(None);
    }))
}

/// A rule that validates.
pub(crate) fn rule(rule: &Value, path: &Path, owner: Owner, schema: &Types<'_>) -> Converted<Parts> {
    let selection = Selection { owner, ..selection(rule, path, schema)? };
    let body = rule.get("validate").cloned().unwrap_or_default();
    if body.get("manifests").is_some() {
        return refuse(Class::Rule, &below(path, ["validate", "manifests"]), "`validate.manifests`");
    }
    let mut scope = Scope::of_rule(&selection, schema);
    scope.context(rule.get("context"), &below(path, ["context"]));
    let asked = conditions(rule, path, &selection, &scope)?;
    let said = message::message(body.find_str(&["message"]), &scope.for_message());
    let mut notes: Vec<String> = said.note.iter().cloned().collect();
    let needs = asked.preconditions.asked().needs;
    let within = within(rule, path, &asked, &scope)?;
    let Some(formulas) = asked_of(&body, path, &scope)? else {
        if let Some(level) = body.get("podSecurity") {
            let place = below(path, ["validate", "podSecurity"]);
            return podsecurity::rule(
                level,
                &place,
                Parts {
                    selection,
                    conditions: asked.plain(),
                    variables: scope.variables(&[]),
                    notes,
                    ..Parts::default()
                },
            );
        }
        if let Some(cel) = body.get("cel") {
            return crate::rules::native::rule(
                rule,
                cel,
                path,
                Parts { selection, conditions: asked.plain(), notes, ..Parts::default() },
            );
        }
        return refuse(
            Class::Rule,
            &below(path, ["validate"]),
            "a rule without `pattern`, `anyPattern`, `deny`, `foreach`, `podSecurity` and `cel`",
        );
    };
    let deletes = selection.operations.is_empty() && asks_deny(&body) && scope.facts().asks_for_deletions;
    let asked = if deletes { asked.for_deletions() } else { asked };
    let validation = |formula: Formula| Validation {
        expression: asked
            .seen(within.as_ref().map_or_else(
                || Formula::and([needs.clone(), formula.clone()]),
                |block| block.guards(formula.clone()),
            ))
            .whole_text(),
        message: said.text.clone(),
        message_expression: said.expression.clone(),
    };
    let validations: Vec<Validation> = formulas.into_iter().map(validation).collect();
    let variables = scope.variables(&validations.iter().flat_map(Validation::texts).collect::<Vec<_>>());
    refuses_something(&variables, &validations, path)?;
    notes.extend(scope.notes());
    let conditions = if within.is_some() { asked.with(Formula::True) } else { asked.checked() };
    let mut parts = Parts { selection, conditions, variables, validations, notes, ..Parts::default() };
    deletions(&mut parts, scope.facts(), &body, path)?;
    Ok(parts)
}

/// Refuses a rule that lets all in but requests for which its context cannot be read.
fn refuses_something(
    variables: &[(String, String)],
    validations: &[Validation],
    path: &Path,
) -> Converted<()> {
    if !variables.is_empty() && validations.iter().all(|one| one.expression == "true") {
        let text = "a rule that refuses nothing, unless its context cannot be read";
        return refuse(Class::Rule, &below(path, ["validate"]), text);
    }
    Ok(())
}

/// When `deny` does not refuse: never where it has no conditions.
fn denied(deny: &Value, path: &Path, scope: &Scope<'_>) -> Converted<Formula> {
    match deny.get("conditions").filter(|written| !written.is_null()) {
        Some(written) => {
            let place = below(path, ["validate", "deny", "conditions"]);
            Ok(Conditions::new(scope).block(written, &place)?.denies())
        }
        None => Ok(Formula::False),
    }
}

/// Whether a body has conditions to refuse, which Kyverno evaluates for deletions too.
fn asks_deny(body: &Value) -> bool {
    let has_deny = |one: &Value| one.get("deny").is_some() || one.get("foreach").is_some();
    let loops = body.get("foreach").and_then(Value::as_array).unwrap_or_default();
    body.get("deny").is_some() || loops.iter().any(has_deny)
}

/// A rule that names deletions is for them too, where it reads nothing of the object, which is the old one then.
fn deletions(parts: &mut Parts, facts: Facts, body: &Value, path: &Path) -> Converted<()> {
    if !asks_deny(body) || !parts.selection.operations.is_empty() {
        return Ok(());
    }
    if !facts.asks_for_deletions {
        let text = "the source evaluates `deny` for DELETE too, the new policy only for CREATE and UPDATE";
        parts.notes.push(text.into());
        parts.leaves_deletions = true;
        return Ok(());
    }
    if facts.reads_object {
        return refuse(
            Class::Condition,
            &path.join("validate"),
            "a rule for deletions too, for which `request.object` is the old object",
        );
    }
    parts.selection.operations = ["CREATE", "UPDATE", "DELETE"].map(str::to_owned).to_vec();
    Ok(())
}
