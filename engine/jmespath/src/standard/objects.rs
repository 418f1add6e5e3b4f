//! Functions over maps: `keys`, `merge`, `values`.
//!
//! Example: ``keys(`{"b":1,"a":2}`)`` is `["b","a"]`: written order, where the original's is random.

use super::object;
use crate::EvalError;
use crate::argument::Argument;
use crate::call::Call;
use crate::function::{Arg, Function, Kind};
use engine_json::{Map, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "keys",
        args: &[Arg::OBJECT],
        returns: &[Kind::ArrayString],
        note: "the keys of the map, in the order of the names",
        examples: &[("keys(`{\"b\":1,\"a\":2}`)", "[\"a\",\"b\"]")],
        run: |call, arguments| {
            let map = object(arguments, 0)?;
            call.charge(map.len())?;
            // Go: in the order of a map, which is mostly the one in which it was filled: that of the names.
            let keys = map.sorted().into_iter().map(|(key, _)| Value::String(key.clone()));
            Ok(Value::array(keys.collect()))
        },
    },
    Function {
        name: "merge",
        args: &[Arg::variadic(&[Kind::Object])],
        returns: &[Kind::Object],
        note: "one map of all entries; of equal keys the last one's value",
        examples: &[("merge(`{\"a\":1,\"b\":2}`, `{\"a\":3}`)", "{\"a\":3,\"b\":2}")],
        run: merge,
    },
    Function {
        name: "values",
        args: &[Arg::OBJECT],
        returns: &[Kind::Array],
        note: "the values of the map, in the order of the names",
        examples: &[("values(`{\"b\":1,\"a\":2}`)", "[2,1]")],
        run: |call, arguments| {
            let map = object(arguments, 0)?;
            call.charge(map.len())?;
            Ok(Value::array(map.sorted().into_iter().map(|(_, value)| value.clone()).collect()))
        },
    },
];

fn merge(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let mut merged = Map::new();
    for at in 0..arguments.len() {
        let map = object(arguments, at)?;
        call.charge(map.len())?;
        for (key, value) in map.iter() {
            merged.insert(key.clone(), value.clone());
        }
    }
    Ok(Value::object(merged))
}
