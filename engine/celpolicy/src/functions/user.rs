//! Who asks (Kyverno: `libs/user`).

use super::native::string;
use super::{held, one, opaque};
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host};
use engine_cel::value::{Equality, Opaque, Value};
use std::any::Any;

/// The rows.
pub const ROWS: &[Function] = &[
    Function {
        name: "parseServiceAccount",
        overloads: &[one(
            "parse_service_account_string_non_prefixed",
            "(string) -> user.ServiceAccount",
            service_account,
        )],
        note: "The ServiceAccount that a user's name is of; empty for another user.",
        examples: &[("parseServiceAccount('system:serviceaccount:ns:sa').Name", "\"sa\"")],
    },
    Function {
        name: "user.parseServiceAccount",
        overloads: &[one(
            "parse_service_account_string_prefixed",
            "(string) -> user.ServiceAccount",
            service_account,
        )],
        note: "The ServiceAccount that a user's name is of; empty for another user.",
        examples: &[("user.parseServiceAccount('system:serviceaccount:ns:sa').Namespace", "\"ns\"")],
    },
];

/// A ServiceAccount as a value.
#[derive(Debug, PartialEq, Eq)]
pub struct ServiceAccount {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
}

impl Opaque for ServiceAccount {
    fn type_name(&self) -> &'static str {
        "user.ServiceAccount"
    }

    fn go_type(&self) -> &'static str {
        "*ext.nativeObj"
    }

    fn is_struct(&self) -> bool {
        true
    }

    fn is_zero(&self) -> bool {
        self.name.is_empty() && self.namespace.is_empty()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equal(&self, other: &Value<'_>) -> Equality {
        held::<ServiceAccount>(other).is_ok_and(|other| self == other).into()
    }

    fn show(&self) -> String {
        format!("{{{} {}}}", self.name, self.namespace)
    }

    fn field(&self, name: &str) -> Option<Value<'static>> {
        match name {
            "Name" => Some(Value::text(&self.name)),
            "Namespace" => Some(Value::text(&self.namespace)),
            _ => None,
        }
    }
}

fn service_account<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    let user = string(&value).map_err(Error::text)?;
    let (namespace, name) =
        user.strip_prefix("system:serviceaccount:").and_then(|rest| rest.split_once(':')).unwrap_or(("", ""));
    Ok(opaque(ServiceAccount { name: name.to_owned(), namespace: namespace.to_owned() }))
}
