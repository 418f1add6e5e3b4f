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
use crate::rules::pattern::{any_pattern, pattern, place};
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
    /// Names and expressions of those of `match` and `exclude`.
    conditions: Vec<(String, String)>,
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
        let own = Some(preconditions).filter(|made| *made != Formula::True);
        let own = own.map(|made| ("preconditions".to_owned(), made.text()));
        self.conditions.iter().cloned().chain(own).collect()
    }
}

/// The conditions on which a rule is asked.
pub(crate) fn conditions(
    rule: &Value,
    path: &Path,
    selection: &Selection,
    scope: &Scope<'_>,
) -> Converted<Asked> {
    let conditions = selection.conditions.iter().map(|(name, formula)| (name.clone(), formula.text()));
    let conditions: Vec<(String, String)> = conditions.collect();
    let preconditions = match rule.get("preconditions").filter(|written| !written.is_null()) {
        Some(written) => Conditions::new(&scope.inline()).block(written, &below(path, ["preconditions"]))?,
        None => Block::default(),
    };
    Ok(Asked { conditions, needs: preconditions.needs(), preconditions })
}

/// Preconditions that validations ask, as variables of the policy are seen by them alone.
fn within(rule: &Value, path: &Path, asked: &Asked, scope: &Scope<'_>) -> Converted<Option<Block>> {
    let written = rule.get("preconditions").filter(|_| asked.asks_cluster());
    written.map(|written| Conditions::new(scope).block(written, &below(path, ["preconditions"]))).transpose()
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
    let object = Access::root("object", scope.shape.clone());
    let said = message::message(body.find_str(&["message"]), &scope.for_message());
    let mut notes: Vec<String> = said.note.iter().cloned().collect();
    let needs = asked.preconditions.asked().needs;
    let within = within(rule, path, &asked, &scope)?;
    let one = |formula: Formula| Validation {
        expression: match &within {
            Some(block) => block.guards(formula).text(),
            None => Formula::and([needs.clone(), formula]).text(),
        },
        message: said.text.clone(),
        message_expression: said.expression.clone(),
    };
    let mut validations = Vec::new();
    if let Some(written) = body.get("pattern") {
        validations.push(one(pattern(&object, written, &place(path, "pattern"), &scope)?.admits));
    } else if let Some(written) = body.get("anyPattern").and_then(Value::as_array) {
        validations.push(one(any_pattern(&object, written, &place(path, "anyPattern"), &scope)?));
    } else if let Some(deny) = body.get("deny") {
        validations.push(one(denied(deny, path, &scope)?));
    } else if let Some(loops) = body.get("foreach").and_then(Value::as_array) {
        for (at, written) in loops.iter().enumerate() {
            let place = below(path, ["validate", "foreach"]).join(at);
            validations.push(one(foreach::validate(written, &place, &scope)?));
        }
    } else if let Some(level) = body.get("podSecurity") {
        let place = below(path, ["validate", "podSecurity"]);
        return podsecurity::rule(
            level,
            &place,
            Parts {
                selection,
                conditions: asked.plain(),
                variables: scope.variables(&[]),
                validations,
                notes,
                ..Parts::default()
            },
        );
    } else if let Some(cel) = body.get("cel") {
        return crate::rules::native::rule(
            rule,
            cel,
            path,
            Parts { selection, conditions: asked.plain(), validations, notes, ..Parts::default() },
        );
    } else {
        return refuse(
            Class::Rule,
            &below(path, ["validate"]),
            "a rule without `pattern`, `anyPattern`, `deny`, `foreach`, `podSecurity` and `cel`",
        );
    }
    let variables = scope.variables(&validations.iter().flat_map(Validation::texts).collect::<Vec<_>>());
    refuses_something(&variables, &validations, path)?;
    notes.extend(scope.notes());
    let conditions = if within.is_some() { asked.conditions.clone() } else { asked.checked() };
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

/// A rule that names deletions is for them too, where it reads nothing of the object, which is the old one then.
fn deletions(parts: &mut Parts, facts: Facts, body: &Value, path: &Path) -> Converted<()> {
    let has_deny = |one: &Value| one.get("deny").is_some() || one.get("foreach").is_some();
    let loops = body.get("foreach").and_then(Value::as_array).unwrap_or_default();
    let asks = body.get("deny").is_some() || loops.iter().any(has_deny);
    if !asks || !parts.selection.operations.is_empty() {
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
