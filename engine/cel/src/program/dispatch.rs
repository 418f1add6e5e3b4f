//! Which overload of a function fits its arguments.

use super::{Callee, Candidate};
use crate::error::{Error, Kind, Outcome};
use crate::function::{Host, Run};
use crate::value::Value;
use engine_json::Str;

/// Calls a function with these arguments, which are taken.
// cel-go: decls.go; one known overload is guarded by its types, several are tried in their order.
pub(crate) fn invoke<'v>(host: &mut Host<'_>, callee: &Callee, args: &mut [Value<'v>]) -> Outcome<'v> {
    let fits = |candidate: &&Candidate| {
        !candidate.guarded && callee.is_known
            || candidate.params.len() == args.len()
                && candidate.params.iter().zip(args.iter()).all(|(param, arg)| param.takes(arg))
    };
    match callee.candidates.iter().find(fits) {
        Some(candidate) => run(host, callee, candidate.run, args),
        // Functions without guards are singletons in cel-go: they look at the values themselves.
        None => match callee.candidates.first().filter(|candidate| !candidate.guarded) {
            Some(candidate) => run(host, callee, candidate.run, args),
            None if callee.is_named => Err(no_overload_of(callee.name, args)),
            None => Err(Error::no_overload()),
        },
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
