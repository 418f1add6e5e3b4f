//! Which overload of a function fits its arguments.

use super::{Callee, Candidate};
use crate::error::{Error, Kind, Outcome};
use crate::function::{Host, Run};
use crate::value::Value;
use engine_json::Str;

/// Calls a function with these arguments, which are taken.
// cel-go: decls.go; one known overload is guarded by its types, several are tried in their order.
pub(crate) fn invoke<'v>(host: &mut Host<'_>, callee: &Callee, args: &mut [Value<'v>]) -> Outcome<'v> {
    match fitting(callee, args) {
        Some(candidate) => run(host, callee, candidate.run, args),
        // Functions without guards are singletons in cel-go: they look at the values themselves.
        None => match callee.candidates.first().filter(|candidate| !candidate.guarded) {
            Some(candidate) => run(host, callee, candidate.run, args),
            None if callee.is_named => Err(no_overload_of(callee.name, args)),
            None => {
                // Kubernetes: library/regex.go; behind a pattern that is read ahead the function asks Go for the values.
                args.iter_mut().for_each(as_go_has_it);
                let candidate = fitting(callee, args).ok_or_else(Error::no_overload)?;
                run(host, callee, candidate.run, args)
            }
        },
    }
}

fn fitting<'c>(callee: &'c Callee, args: &[Value<'_>]) -> Option<&'c Candidate> {
    callee.candidates.iter().find(|candidate| {
        !candidate.guarded && callee.is_known
            || candidate.params.len() == args.len()
                && candidate.params.iter().zip(args.iter()).all(|(param, arg)| param.takes(arg))
    })
}

/// What Go gets of a value: of an optional one what it holds, of a type its name.
fn as_go_has_it(value: &mut Value<'_>) {
    while let Value::Optional(Some(held)) = value {
        *value = Value::clone(held);
    }
    if let Value::Type(name) = value {
        *value = Value::Str(name);
    }
}

fn run<'v>(host: &mut Host<'_>, callee: &Callee, run: Run, args: &mut [Value<'v>]) -> Outcome<'v> {
    let mut take =
        |at: usize| args.get_mut(at).map_or(Value::Null, |arg| std::mem::replace(arg, Value::Null));
    match run {
        Run::Zero(run) => run(host),
        Run::Held => {
            let (value, other) = (take(0), take(1));
            Ok(match value {
                Value::Optional(Some(value)) => Value::clone(&value),
                Value::Optional(None) => other,
                value => value,
            })
        }
        Run::One(run) => run(host, take(0)),
        Run::Two(run) => {
            let (a, b) = (take(0), take(1));
            run(host, a, b)
        }
        Run::Many(run) => run(host, args),
        Run::Builtin => Err(no_overload_of(callee.name, args)),
    }
}

/// The error for arguments that fit no overload.
pub(crate) fn no_overload_of(name: &'static str, args: &[Value<'_>]) -> Box<Error> {
    let types = args.iter().map(|arg| Str::from(arg.type_name())).collect();
    Error::new(Kind::NoOverloadOf { name, types })
}
