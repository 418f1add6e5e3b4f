//! What functions make of a value before it is held against a constant, walked backwards.
//!
//! In: the functions that a value has gone through, with their constant arguments, and the constants that the result is held against. Out:
//! values that become these constants, or nearly so. Example: `x.trim() == 'a'` leads to ` a`, `x.substring(2) == 'a'` to `xxa`,
//! `x.split('-')[1] == 'a'` to `x-a`. They are tries and no more: the engines say what becomes of them.
//! The functions are those of CEL (cel-go, Kubernetes, Kyverno) and of Kyverno's JMESPath; the names do not collide.

mod numbers;
mod objects;
mod samples;
mod texts;
mod times;

use engine_json::{Str, Value};

/// A function that a value has gone through.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Form {
    /// Its name; functions of a library with the library's.
    function: Str,
    /// The constants among its arguments, the receiver first.
    arguments: Vec<Value>,
}

/// How many functions one value goes through.
pub(crate) const MAX_FORMS: usize = 8;
/// How many values are made of the constants of one place.
const MAX_MADE: usize = 96;
/// How long a text is that is made.
const MAX_LENGTH: usize = 1_000;

/// The functions that leave a value as it is, or that have no way back.
const NEUTRAL: [&str; 19] = [
    "_==_",
    "_!=_",
    "_<_",
    "_<=_",
    "_>_",
    "_>=_",
    "@in",
    "_?_:_",
    "-_",
    "orValue",
    "or",
    "hasValue",
    "value",
    "optional.of",
    "optional.ofNonZeroValue",
    "dyn",
    "type",
    "not_null",
    "contains",
];

impl Form {
    /// What a function does; `None` where it leaves the value as it is.
    pub(crate) fn of(function: &str, arguments: Vec<Value>) -> Option<Self> {
        (!NEUTRAL.contains(&function)).then(|| Form { function: Str::new(function), arguments })
    }

    /// Adds a step into the object that a text is read as; whether it is read as one.
    pub(crate) fn step_into(&mut self, key: Option<&str>) -> bool {
        // Elements of `items()` hold the key and the value of an entry under these names.
        if self.function == "items" {
            return self
                .arguments
                .iter()
                .take(2)
                .any(|name| name.as_str().is_some_and(|name| key == Some(name)));
        }
        let is_read = objects::is_reader(&self.function);
        if is_read && self.arguments.len() < MAX_FORMS {
            self.arguments.push(key.map_or(Value::Null, Value::from));
        }
        is_read
    }

    /// A text among the arguments.
    fn text(&self, at: usize) -> Option<&str> {
        self.arguments.iter().filter_map(Value::as_str).nth(at)
    }

    /// A whole number among the arguments.
    fn number(&self, at: usize) -> Option<i64> {
        self.arguments.iter().filter_map(whole).nth(at)
    }

    /// The same as a count.
    fn count(&self, at: usize) -> Option<usize> {
        usize::try_from(self.number(at)?).ok().filter(|count| *count < MAX_LENGTH)
    }

    /// Values of which the function makes the result, or nearly.
    fn before(&self, result: &Value) -> Vec<Value> {
        let mut found = objects::before(self, result);
        found.extend(numbers::before(self, result));
        found.extend(times::before(self, result));
        found.extend(texts::before(self, result));
        found
    }
}

/// A number that is whole, however it is written.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| format!("{}", value.as_f64()?).parse().ok())
}

/// The constants, and before them in the chain of functions what becomes one of them.
pub(crate) fn walked_back(forms: &[Form], constants: &[Value]) -> Vec<Value> {
    let mut all = constants.to_vec();
    let add = |all: &mut Vec<Value>, value: Value| {
        let is_short = value.as_str().is_none_or(|text| text.len() <= MAX_LENGTH);
        if is_short && all.len() < constants.len() + MAX_MADE && !all.contains(&value) {
            all.push(value);
        }
    };
    for form in forms.iter().rev() {
        for sample in samples::of(&form.function) {
            add(&mut all, Value::from(*sample));
        }
        let made: Vec<Value> = all.iter().flat_map(|constant| form.before(constant)).collect();
        for value in made {
            add(&mut all, value);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(function: &str, arguments: &[&str], constant: &str) -> Vec<String> {
        let read = |text: &&str| engine::yaml::parse_one(text).unwrap_or_default().with_int_numbers();
        let form = Form::of(function, arguments.iter().map(read).collect());
        let all = walked_back(form.as_slice(), &[read(&constant)]);
        let shown = |value: &Value| value.as_str().map_or_else(|| engine_json::to_json(value), str::to_owned);
        all.iter().map(shown).collect()
    }

    #[test]
    fn constants_are_walked_back() {
        let rows: [(&str, &[&str], &str, &[&str]); 24] = [
            ("trim", &[], "a", &[" a"]),
            ("trim", &["'-'"], "a", &["-a", "a-"]),
            ("reverse", &[], "abc", &["cba"]),
            ("base64.decode", &[], "x", &["eA=="]),
            ("base64.encode", &[], "eA==", &["x"]),
            ("substring", &["2"], "ab", &["xxab"]),
            ("charAt", &["1"], "b", &["xb"]),
            ("indexOf", &["'.'"], "1", &["x.", "x.x."]),
            ("split", &["'-'"], "a", &["a-x", "x-a"]),
            ("split", &["'-'"], "2", &["x-x", "x-x-x"]),
            ("join", &["'-'"], "a-b", &["[\"a\",\"b\"]"]),
            ("replace", &["a", "b"], "bc", &["ac"]),
            ("_+_", &["a"], "abc", &["bc"]),
            ("_%_", &["3"], "1", &["4"]),
            ("math.abs", &[], "3", &["-3"]),
            ("math.ceil", &[], "3", &["2.5"]),
            ("getFullYear", &[], "2026", &["2026-01-01T00:00:00Z"]),
            ("getDayOfWeek", &[], "1", &["2026-01-05T00:00:00Z"]),
            ("getHost", &[], "a.b", &["https://a.b/x"]),
            ("minor", &[], "2", &["1.2.0"]),
            ("add", &["'1'"], "10Gi", &["10737418239"]),
            ("prefixLength", &[], "9", &["10.0.0.0/9"]),
            ("isIP", &[], "x", &["::1"]),
            ("format", &["'a-%s-b'"], "a-x-b", &["x"]),
        ];
        for (function, arguments, constant, wanted) in rows {
            let found = found(function, arguments, constant);
            for text in wanted {
                assert!(
                    found.iter().any(|known| known == text),
                    "{function} {constant} -> {text}: {found:?}"
                );
            }
        }
    }

    #[test]
    fn a_text_read_as_an_object_is_written_with_the_keys_on_the_way() {
        let mut form = Form::of("parse_json", Vec::new()).into_iter().collect::<Vec<_>>();
        assert!(form.iter_mut().all(|form| form.step_into(Some("a"))));
        let all = walked_back(&form, &[Value::from("b")]);
        assert!(all.contains(&Value::from("{\"a\":\"b\"}")), "{all:?}");
    }
}
