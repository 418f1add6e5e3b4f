//! Whether a user may do something (Kubernetes: `library/authz.go`).
//!
//! In: `authorizer`, which only the rule `validate.cel` has, and calls on it. Out: a decision. There is no cluster to ask: the
//! original's CLI asks a stand-in that allows nothing and gives no reason, and so does this; where a cluster would be asked, a
//! check is an error that says so.
//!
//! Mirrors: `pkg/engine/internal/auth.go`, `pkg/auth/auth.go` and `checker/subject.go` of Kyverno 1.19.

use super::names::{label, subdomain};
use super::{held, many, one, opaque, text, two};
use engine_cel::cost::Cost;
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host};
use engine_cel::value::{Equality, Opaque, Value};
use engine_json::Str;
use std::any::Any;

/// A function with one overload.
macro_rules! row {
    ($name:literal, $note:literal, $overload:expr) => {
        Function { name: $name, overloads: &[$overload], note: $note, examples: &[] }
    };
}

/// The rows.
pub const ROWS: &[Function] = &[
    row!(
        "path",
        "Asks about a path that is not a resource.",
        two(
            "authorizer_path",
            "kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.PathCheck",
            path
        )
    ),
    row!(
        "group",
        "Asks about resources of an API group.",
        two(
            "authorizer_group",
            "kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.GroupCheck",
            group
        )
    ),
    row!(
        "serviceAccount",
        "Asks for a ServiceAccount instead of the user.",
        many(
            "authorizer_serviceaccount",
            "kubernetes.authorization.Authorizer.(string, string) -> kubernetes.authorization.Authorizer",
            service_account
        )
    ),
    row!(
        "resource",
        "Asks about a resource.",
        two(
            "groupcheck_resource",
            "kubernetes.authorization.GroupCheck.(string) -> kubernetes.authorization.ResourceCheck",
            resource
        )
    ),
    row!("subresource", "Asks about a subresource.", narrowed("resourcecheck_subresource")),
    row!("namespace", "Asks about a namespace.", narrowed("resourcecheck_namespace")),
    row!("name", "Asks about one object.", narrowed("resourcecheck_name")),
    row!("fieldSelector", "Asks about objects with these fields.", narrowed("authorizer_fieldselector")),
    row!("labelSelector", "Asks about objects with these labels.", narrowed("authorizer_labelselector")),
    Function {
        name: "check",
        overloads: &[
            two(
                "pathcheck_check",
                "kubernetes.authorization.PathCheck.(string) -> kubernetes.authorization.Decision",
                check,
            )
            .cost_by_name(CHECK),
            two(
                "resourcecheck_check",
                "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.Decision",
                check,
            )
            .cost_by_name(CHECK),
        ],
        note: "The decision about a verb.",
        examples: &[],
    },
    row!(
        "errored",
        "Whether there was no decision.",
        one("decision_errored", "kubernetes.authorization.Decision.() -> bool", errored)
    ),
    row!(
        "error",
        "Why there was none.",
        one("decision_error", "kubernetes.authorization.Decision.() -> string", error)
    ),
    row!(
        "allowed",
        "Whether it is allowed.",
        one("decision_allowed", "kubernetes.authorization.Decision.() -> bool", allowed)
    ),
    row!(
        "reason",
        "Why it was decided so.",
        one("decision_reason", "kubernetes.authorization.Decision.() -> string", reason)
    ),
];

/// Two checks may be made within the limit of an expression.
const CHECK: Cost = Cost::Fixed(350_000);

const fn narrowed(id: &'static str) -> engine_cel::function::Overload {
    two(
        id,
        "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck",
        |_, check, _| Ok(check),
    )
}

/// Who asks, and what is known of the answers.
#[derive(Clone, Debug, Default)]
pub struct Asker {
    /// The name of the user.
    pub user: Str,
    /// Why no check about this request is answered.
    pub refused: Str,
    /// Whether a cluster would have to be asked.
    pub is_open: bool,
}

/// A step on the way to a decision; the decision holds the reason for which there was none.
#[derive(Debug)]
struct Step {
    type_name: &'static str,
    asker: Asker,
}

const AUTHORIZER: &str = "kubernetes.authorization.Authorizer";
const PATH: &str = "kubernetes.authorization.PathCheck";
const GROUP: &str = "kubernetes.authorization.GroupCheck";
const RESOURCE: &str = "kubernetes.authorization.ResourceCheck";
const DECISION: &str = "kubernetes.authorization.Decision";

impl Opaque for Step {
    fn type_name(&self) -> &'static str {
        self.type_name
    }

    fn go_type(&self) -> &'static str {
        match self.type_name {
            AUTHORIZER => "library.authorizerVal",
            PATH => "library.pathCheckVal",
            GROUP => "library.groupCheckVal",
            RESOURCE => "library.resourceCheckVal",
            _ => "library.decisionVal",
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    // Kubernetes: Equal looks for another type than the one that values have.
    fn equal(&self, _: &Value<'_>) -> Equality {
        Equality::NoOverload
    }
}

/// The variable `authorizer`.
pub fn authorizer<'v>(asker: &Asker) -> Value<'v> {
    step(AUTHORIZER, asker.clone())
}

/// The variable `authorizer.requestResource`.
pub fn request_resource<'v>(asker: &Asker) -> Value<'v> {
    step(RESOURCE, asker.clone())
}

fn step<'v>(type_name: &'static str, asker: Asker) -> Value<'v> {
    opaque(Step { type_name, asker })
}

fn asker(value: &Value<'_>) -> Result<Asker, Box<Error>> {
    held::<Step>(value).map(|step| step.asker.clone())
}

fn path<'v>(_: &mut Host<'_>, authorizer: Value<'v>, path: Value<'v>) -> Outcome<'v> {
    if text(&path).trim().is_empty() {
        return Err(Error::text("path must not be empty"));
    }
    Ok(step(PATH, asker(&authorizer)?))
}

fn group<'v>(_: &mut Host<'_>, authorizer: Value<'v>, _: Value<'v>) -> Outcome<'v> {
    Ok(step(GROUP, asker(&authorizer)?))
}

fn resource<'v>(_: &mut Host<'_>, group: Value<'v>, resource: Value<'v>) -> Outcome<'v> {
    if text(&resource).trim().is_empty() {
        return Err(Error::text("resource must not be empty"));
    }
    Ok(step(RESOURCE, asker(&group)?))
}

fn service_account<'v>(_: &mut Host<'_>, args: &[Value<'v>]) -> Outcome<'v> {
    let [authorizer, namespace, name] = args else { return Err(Error::no_overload()) };
    let (namespace, name) = (text(namespace), text(name));
    if !subdomain(name).is_empty() {
        return Err(Error::text("Invalid service account name"));
    }
    if !label(namespace).is_empty() {
        return Err(Error::text("Invalid service account namespace"));
    }
    let user = Str::from(format!("system:serviceaccount:{namespace}:{name}"));
    Ok(step(AUTHORIZER, Asker { user, ..asker(authorizer)? }))
}

fn check<'v>(_: &mut Host<'_>, asked: Value<'v>, _: Value<'v>) -> Outcome<'v> {
    let mut asker = asker(&asked)?;
    if asker.is_open {
        return Err(Error::text("authorizer: not decided, permissions are not known here"));
    }
    if asker.refused.is_empty() && asker.user.is_empty() {
        asker.refused = Str::new_static("no service account provided");
    }
    Ok(step(DECISION, asker))
}

fn errored<'v>(_: &mut Host<'_>, decision: Value<'v>) -> Outcome<'v> {
    Ok(Value::Bool(!asker(&decision)?.refused.is_empty()))
}

fn error<'v>(_: &mut Host<'_>, decision: Value<'v>) -> Outcome<'v> {
    Ok(Value::text(&asker(&decision)?.refused))
}

fn allowed<'v>(_: &mut Host<'_>, decision: Value<'v>) -> Outcome<'v> {
    asker(&decision).map(|_| Value::Bool(false))
}

fn reason<'v>(_: &mut Host<'_>, decision: Value<'v>) -> Outcome<'v> {
    asker(&decision).map(|_| Value::text(""))
}
