//! Kubernetes' and Kyverno's functions: rows over the language's table, a file for each library.
//!
//! In: nothing. Out: the rows of each library. Overloads stand in the order in which the originals declare them
//! (`k8s.io/apiserver/pkg/cel/library`, `github.com/kyverno/sdk/extensions/cel/libs`); the checker's answers depend on it.

#![expect(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    reason = "functions of rows have one shape: what takes its arguments and can fail, and what does not"
)]

pub mod authz;
pub mod cidr;
pub mod compat;
pub mod format;
pub mod generator;
pub mod gzip;
pub mod hash;
pub mod image;
pub mod imagedata;
pub mod imageverify;
pub mod ip;
pub mod json;
pub mod jsonpatch;
pub mod jwt;
pub mod lists;
pub mod math;
pub mod message;
pub mod names;
pub mod native;
pub mod outside;
pub mod quantity;
pub mod random;
pub mod regex;
pub mod request;
pub mod semver;
pub mod shapes;
pub mod time;
pub mod transform;
pub mod url;
pub mod user;
pub mod x509;
pub mod yaml;

use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Host, Overload, Run};
use engine_cel::value::{Opaque, Value};
use std::sync::Arc;

/// An overload of one argument.
const fn one(
    id: &'static str,
    signature: &'static str,
    run: for<'v> fn(&mut Host<'_>, Value<'v>) -> Outcome<'v>,
) -> Overload {
    Overload::new(id, signature).run(Run::One(run))
}

/// An overload of two.
const fn two(
    id: &'static str,
    signature: &'static str,
    run: for<'v> fn(&mut Host<'_>, Value<'v>, Value<'v>) -> Outcome<'v>,
) -> Overload {
    Overload::new(id, signature).run(Run::Two(run))
}

/// An overload of more.
const fn many(
    id: &'static str,
    signature: &'static str,
    run: for<'v> fn(&mut Host<'_>, &[Value<'v>]) -> Outcome<'v>,
) -> Overload {
    Overload::new(id, signature).run(Run::Many(run))
}

/// The text of an argument that is one.
fn text<'a>(value: &'a Value<'_>) -> &'a str {
    value.as_str().unwrap_or("")
}

/// A value of a library's own type.
fn opaque<'v>(value: impl Opaque + 'static) -> Value<'v> {
    Value::Opaque(Arc::new(value))
}

/// What a value of a library's own type holds.
fn held<'a, T: 'static>(value: &'a Value<'_>) -> Result<&'a T, Box<Error>> {
    let Value::Opaque(opaque) = value else { return Err(Error::no_overload()) };
    opaque.as_any().downcast_ref().ok_or_else(Error::no_overload)
}
