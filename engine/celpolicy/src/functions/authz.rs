//! Whether somebody may do something (Kubernetes: `library/authz.go`).
//!
//! No variable of these types is there where Kyverno's own kinds are evaluated, so nothing of this can be called with a
//! value; the rows say which calls compile.

use super::{many, one, two};
use engine_cel::cost::Cost;
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host};
use engine_cel::value::Value;

/// A function with one overload that nobody can call.
macro_rules! row {
    ($name:literal, $note:literal, $overload:expr) => {
        Function { name: $name, overloads: &[$overload], note: $note, examples: &[] }
    };
}

/// The rows.
pub const ROWS: &[Function] = &[
    row!(
        "path",
        "Asks about a path that is no resource.",
        two(
            "authorizer_path",
            "kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.PathCheck",
            nobody2
        )
    ),
    row!(
        "group",
        "Asks about resources of an API group.",
        two(
            "authorizer_group",
            "kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.GroupCheck",
            nobody2
        )
    ),
    row!(
        "serviceAccount",
        "Asks for a ServiceAccount instead of the user.",
        many(
            "authorizer_serviceaccount",
            "kubernetes.authorization.Authorizer.(string, string) -> kubernetes.authorization.Authorizer",
            nobody
        )
    ),
    row!(
        "resource",
        "Asks about a resource.",
        two(
            "groupcheck_resource",
            "kubernetes.authorization.GroupCheck.(string) -> kubernetes.authorization.ResourceCheck",
            nobody2
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
                nobody2,
            )
            .cost_by_name(CHECK),
            two(
                "resourcecheck_check",
                "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.Decision",
                nobody2,
            )
            .cost_by_name(CHECK),
        ],
        note: "The decision about a verb.",
        examples: &[],
    },
    row!(
        "errored",
        "Whether there was no decision.",
        one("decision_errored", "kubernetes.authorization.Decision.() -> bool", nobody1)
    ),
    row!(
        "error",
        "Why there was none.",
        one("decision_error", "kubernetes.authorization.Decision.() -> string", nobody1)
    ),
    row!(
        "allowed",
        "Whether it is allowed.",
        one("decision_allowed", "kubernetes.authorization.Decision.() -> bool", nobody1)
    ),
    row!(
        "reason",
        "Why it was decided so.",
        one("decision_reason", "kubernetes.authorization.Decision.() -> string", nobody1)
    ),
];

/// Two checks may be made within the limit of an expression.
const CHECK: Cost = Cost::Fixed(350_000);

const fn narrowed(id: &'static str) -> engine_cel::function::Overload {
    two(
        id,
        "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck",
        nobody2,
    )
}

fn nobody1<'v>(_: &mut Host<'_>, _: Value<'v>) -> Outcome<'v> {
    Err(Error::no_overload())
}

fn nobody2<'v>(_: &mut Host<'_>, _: Value<'v>, _: Value<'v>) -> Outcome<'v> {
    Err(Error::no_overload())
}

fn nobody<'v>(_: &mut Host<'_>, _: &[Value<'v>]) -> Outcome<'v> {
    Err(Error::no_overload())
}
