//! Values of types that the user of the language brings.

use super::{Equality, Value};
use std::any::Any;
use std::fmt;

/// A value whose type only its functions know: a quantity, an address, a version.
pub trait Opaque: Send + Sync {
    /// The name of the type at run time: `kubernetes.Quantity`.
    fn type_name(&self) -> &'static str;

    /// The name of the type in Go, as `%T` prints it: `cel.Quantity`.
    fn go_type(&self) -> &'static str;

    /// Whether it is a structure of Go's: asking for a field that it does not have is an error, even in `has`.
    fn is_struct(&self) -> bool {
        false
    }

    /// What `type()` says: the name of the type, or the error of a type that refuses to be asked.
    ///
    /// # Errors
    /// The words of that type.
    fn asked_type(&self) -> Result<&'static str, &'static str> {
        Ok(self.type_name())
    }

    /// Whether it can be a key of a map; what holds a function or a list in Go cannot.
    fn is_hashable(&self) -> bool {
        true
    }

    /// Whether it is the zero value of its type.
    fn is_zero(&self) -> bool {
        false
    }

    /// The value itself, for the functions that know it.
    fn as_any(&self) -> &dyn Any;

    /// Whether it is equal to another value; Kubernetes' types refuse other types with an error.
    fn equal(&self, other: &Value<'_>) -> Equality;

    /// How cel-go prints it in an error.
    fn show(&self) -> String {
        self.type_name().to_owned()
    }

    /// The size by which functions are charged; `None` counts as 1. No such value has a `size()`.
    fn size(&self) -> Option<u64> {
        None
    }

    /// Whether a field of this name holds something, where the type itself knows; else one with a size of zero does not.
    fn is_set(&self, name: &str) -> Option<bool> {
        let _ = name;
        None
    }

    /// The value of a field, where the type has fields.
    fn field(&self, name: &str) -> Option<Value<'static>> {
        let _ = name;
        None
    }
}

// A trait that asks for `Debug` would keep the fields of all types, and what these hold, in every module.
impl fmt::Debug for dyn Opaque {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.type_name())
    }
}
