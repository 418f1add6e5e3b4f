//! Whether a user may do something (Kubernetes: `library/authz.go`).
//!
//! In: `authorizer`, which the rule `validate.cel` has and policies of an API server, and calls on it. Out: a decision. There is no
//! cluster to ask: the original's CLI asks a stand-in that allows nothing and gives no reason, and so does this; where a cluster would
//! be asked, Roles and their bindings answer where some are given, else a check is an error that says so.
//!
//! Mirrors: `pkg/engine/internal/auth.go`, `pkg/auth/auth.go` and `checker/subject.go` of Kyverno 1.19.

use super::names::{label, subdomain};
use super::{held, many, one, opaque, text, two};
use engine_cel::cost::Cost;
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host};
use engine_cel::value::{Equality, Opaque, Value};
use engine_json::{Str, Value as Json};
use engine_podsecurity::rbac::{Rbac, User, What};
use std::any::Any;
use std::sync::Arc;

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
    row!(
        "subresource",
        "Asks about a subresource.",
        narrowed("resourcecheck_subresource", |_, check, text| {
            with(&check, |what| what.subresource = held_text(&text))
        })
    ),
    row!(
        "namespace",
        "Asks about a namespace.",
        narrowed("resourcecheck_namespace", |_, check, text| {
            with(&check, |what| what.namespace = held_text(&text))
        })
    ),
    row!(
        "name",
        "Asks about one object.",
        narrowed("resourcecheck_name", |_, check, text| {
            with(&check, |what| what.name = held_text(&text))
        })
    ),
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
        one("decision_allowed", "kubernetes.authorization.Decision.() -> bool", is_allowed)
    ),
    row!(
        "reason",
        "Why it was decided so.",
        one("decision_reason", "kubernetes.authorization.Decision.() -> string", reason)
    ),
];

/// What asks about objects with some fields or labels.
// Roles do not look at them.
pub const SELECTORS: &[Function] = &[
    row!(
        "fieldSelector",
        "Asks about objects with these fields.",
        narrowed("authorizer_fieldselector", |_, check, _| Ok(check))
    ),
    row!(
        "labelSelector",
        "Asks about objects with these labels.",
        narrowed("authorizer_labelselector", |_, check, _| Ok(check))
    ),
];

/// Two checks may be made within the limit of an expression.
const CHECK: Cost = Cost::Fixed(350_000);

const fn narrowed(
    id: &'static str,
    narrow: for<'v> fn(&mut Host<'_>, Value<'v>, Value<'v>) -> Outcome<'v>,
) -> engine_cel::function::Overload {
    two(
        id,
        "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck",
        narrow,
    )
}

/// Who asks, and what is known of the answers.
#[derive(Clone, Debug, Default)]
pub struct Asker {
    /// The name of the user.
    pub user: Str,
    /// The groups of the user.
    pub groups: Vec<Str>,
    /// Why no check about this request is answered.
    pub refused: Str,
    /// What answers.
    pub rights: Rights,
    /// The resource of the request.
    pub request: Wanted,
}

/// What answers checks.
#[derive(Clone, Debug, Default)]
pub enum Rights {
    /// Nobody may do anything.
    #[default]
    Nobody,
    /// A cluster would have to be asked.
    Unknown,
    /// Roles and their bindings.
    Given(Arc<Vec<Json>>),
}

/// What a check is about.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// A path that is no resource.
    pub path: Str,
    /// The API group of a resource.
    pub group: Str,
    /// Its plural.
    pub resource: Str,
    /// A part of it.
    pub subresource: Str,
    /// Its namespace.
    pub namespace: Str,
    /// One object.
    pub name: Str,
}

/// A step on the way to a decision; the decision holds the reason for which there was none.
#[derive(Debug)]
struct Step {
    type_name: &'static str,
    asker: Asker,
    what: Wanted,
    /// Why it is allowed, where it was decided so.
    allowed: Option<Str>,
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
    step(AUTHORIZER, asker.clone(), Wanted::default())
}

/// The variable `authorizer.requestResource`.
pub fn request_resource<'v>(asker: &Asker) -> Value<'v> {
    step(RESOURCE, asker.clone(), asker.request.clone())
}

fn step<'v>(type_name: &'static str, asker: Asker, what: Wanted) -> Value<'v> {
    opaque(Step { type_name, asker, what, allowed: None })
}

fn asker(value: &Value<'_>) -> Result<Asker, Box<Error>> {
    held::<Step>(value).map(|step| step.asker.clone())
}

fn held_text(value: &Value<'_>) -> Str {
    Str::from(text(value))
}

/// The same check about something narrower.
fn with<'v>(check: &Value<'_>, narrow: impl FnOnce(&mut Wanted)) -> Outcome<'v> {
    let held = held::<Step>(check)?;
    let mut what = held.what.clone();
    narrow(&mut what);
    Ok(step(held.type_name, held.asker.clone(), what))
}

fn path<'v>(_: &mut Host<'_>, authorizer: Value<'v>, path: Value<'v>) -> Outcome<'v> {
    if text(&path).trim().is_empty() {
        return Err(Error::text("path must not be empty"));
    }
    Ok(step(PATH, asker(&authorizer)?, Wanted { path: held_text(&path), ..Wanted::default() }))
}

fn group<'v>(_: &mut Host<'_>, authorizer: Value<'v>, group: Value<'v>) -> Outcome<'v> {
    Ok(step(GROUP, asker(&authorizer)?, Wanted { group: held_text(&group), ..Wanted::default() }))
}

fn resource<'v>(_: &mut Host<'_>, group: Value<'v>, resource: Value<'v>) -> Outcome<'v> {
    if text(&resource).trim().is_empty() {
        return Err(Error::text("resource must not be empty"));
    }
    let held = held::<Step>(&group)?;
    Ok(step(RESOURCE, held.asker.clone(), Wanted { resource: held_text(&resource), ..held.what.clone() }))
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
    let User { name, groups } = User::service_account(namespace, name);
    let groups = groups.into_iter().map(Str::from).collect();
    Ok(step(AUTHORIZER, Asker { user: Str::from(name), groups, ..asker(authorizer)? }, Wanted::default()))
}

fn check<'v>(_: &mut Host<'_>, asked: Value<'v>, verb: Value<'v>) -> Outcome<'v> {
    let held = held::<Step>(&asked)?;
    let (mut asker, what) = (held.asker.clone(), held.what.clone());
    let allowed = match &asker.rights {
        Rights::Unknown => {
            return Err(Error::text("authorizer: not decided, permissions are not known here"));
        }
        Rights::Nobody => {
            if asker.refused.is_empty() && asker.user.is_empty() {
                asker.refused = Str::new_static("no service account provided");
            }
            None
        }
        Rights::Given(objects) => allowed(objects, &asker, text(&verb), &what),
    };
    Ok(opaque(Step { type_name: DECISION, asker, what, allowed }))
}

/// Why Roles and their bindings allow something.
fn allowed(objects: &[Json], asker: &Asker, verb: &str, what: &Wanted) -> Option<Str> {
    let groups = asker.groups.iter().map(ToString::to_string).collect();
    let user = User { name: asker.user.to_string(), groups };
    let Wanted { path, group, resource, subresource, namespace, name } = what;
    let what = if path.is_empty() {
        What::Resource { group, resource, subresource, name, namespace }
    } else {
        What::Path(path)
    };
    Rbac(objects).allows(&user, verb, &what).map(Str::from)
}

fn errored<'v>(_: &mut Host<'_>, decision: Value<'v>) -> Outcome<'v> {
    Ok(Value::Bool(!asker(&decision)?.refused.is_empty()))
}

fn error<'v>(_: &mut Host<'_>, decision: Value<'v>) -> Outcome<'v> {
    Ok(Value::text(&asker(&decision)?.refused))
}

fn is_allowed<'v>(_: &mut Host<'_>, decision: Value<'v>) -> Outcome<'v> {
    Ok(Value::Bool(held::<Step>(&decision)?.allowed.is_some()))
}

fn reason<'v>(_: &mut Host<'_>, decision: Value<'v>) -> Outcome<'v> {
    Ok(Value::text(held::<Step>(&decision)?.allowed.as_deref().unwrap_or("")))
}
