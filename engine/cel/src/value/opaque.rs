//! Values of types that the user of the language brings.

use super::{Equality, Value};
use std::any::Any;
use std::fmt::Debug;

/// A value whose type only its functions know: a quantity, an address, a version.
pub trait Opaque: Debug + Send + Sync {
    /// The name of the type at run time: `kubernetes.Quantity`.
    fn type_name(&self) -> &'static str;

    /// The value itself, for the functions that know it.
    fn as_any(&self) -> &dyn Any;

    /// Whether it is equal to another value; Kubernetes' types refuse other types with an error.
    fn equal(&self, other: &Value<'_>) -> Equality;

    /// How cel-go prints it in an error.
    fn show(&self) -> String {
        self.type_name().to_owned()
    }

    /// The size by which functions are charged; `None` counts as 1 and has no `size()`.
    fn size(&self) -> Option<u64> {
        None
    }

    /// The value of a field, where the type has fields.
    fn field(&self, name: &str) -> Option<Value<'static>> {
        let _ = name;
        None
    }
}
