//! Holds answers against the recorded ones.
//!
//! In: the original's answers and ours. Out: how many verdicts and words agree, and the differences. The verdict is
//! what was decided (status, rule names, patched and generated objects); words are counted apart, where the verdict
//! agrees. Numbers compare by value, lists in order, objects without order.

use engine::json::{Map, Number, Value, to_json};
use std::collections::{BTreeMap, BTreeSet};

/// Which case a row belongs to.
pub fn key(row: &Value) -> String {
    let part = |name: &&str| match row.get(name) {
        Some(Value::String(text)) => Some(text.to_string()),
        Some(value) => Some(to_json(value)),
        None => None,
    };
    ["id", "level", "version", "exclude"].iter().filter_map(part).collect::<Vec<_>>().join("|")
}

/// What a case was held against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Cases that the original answered.
    pub cases: usize,
    /// Cases in which every verdict agrees.
    pub agree: usize,
    /// Verdicts on either side.
    pub verdicts: usize,
    /// Verdicts that agree.
    pub verdicts_agree: usize,
    /// Words that agree, of those verdicts.
    pub words_agree: usize,
    /// Cases without an answer of ours.
    pub lost: usize,
    /// Cases that the original did not answer.
    pub unanswered: usize,
}

impl Tally {
    /// Adds another part.
    pub fn add(&mut self, other: Tally) {
        self.cases += other.cases;
        self.agree += other.agree;
        self.verdicts += other.verdicts;
        self.verdicts_agree += other.verdicts_agree;
        self.words_agree += other.words_agree;
        self.lost += other.lost;
        self.unanswered += other.unanswered;
    }

    /// Whether every verdict is the original's.
    pub fn is_whole(&self) -> bool {
        self.cases > 0 && self.lost == 0 && self.verdicts == self.verdicts_agree
    }
}

/// One difference.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The case.
    pub case: String,
    /// What differs.
    pub what: String,
    /// The original's.
    pub expected: String,
    /// Ours.
    pub got: String,
}

/// A row: the verdict, and the words where they count.
type Rows = BTreeMap<String, (Value, Value)>;

/// Holds one answer against the recorded one; `None` where we gave none.
pub fn case(want: &Value, got: Option<&Value>, tally: &mut Tally, differences: &mut Vec<Difference>) {
    if is_unanswered(want) {
        tally.unanswered += 1;
        return;
    }
    let key = key(want);
    tally.cases += 1;
    let is_lost = got
        .is_none_or(|got| want.get("results").is_some() && ended(want).is_none() && truthy(got.get("error")));
    if is_lost {
        tally.lost += 1;
        let got = got.map(to_json).unwrap_or_default();
        differences.push(Difference {
            case: key.clone(),
            what: "no answer".into(),
            expected: String::new(),
            got,
        });
    }
    let ours = got.filter(|_| !is_lost).map(rows).unwrap_or_default();
    let theirs = rows(want);
    let names: BTreeSet<&String> = theirs.keys().chain(ours.keys()).collect();
    let mut whole = !is_lost;
    for name in names {
        tally.verdicts += 1;
        let shown = |row: Option<&(Value, Value)>| {
            row.map(|(verdict, words)| to_json(&Value::array(vec![verdict.clone(), words.clone()])))
        };
        let mut differ = |what: &str, a: Option<&(Value, Value)>, b: Option<&(Value, Value)>| {
            let text = |row| shown(row).unwrap_or_else(|| "nothing".into());
            let what = format!("{what} of {name}");
            differences.push(Difference { case: key.clone(), what, expected: text(a), got: text(b) });
        };
        match (theirs.get(name), ours.get(name)) {
            (Some(a), Some(b)) if a.0 == b.0 => {
                tally.verdicts_agree += 1;
                if same_words(&a.1, &b.1) {
                    tally.words_agree += 1;
                } else {
                    differ("words", Some(a), Some(b));
                }
            }
            (a, b) => {
                whole = false;
                differ("verdict", a, b);
            }
        }
    }
    tally.agree += usize::from(whole);
}

/// The original crashed, gave no answer, or another one each time: nothing to hold against.
fn is_unanswered(want: &Value) -> bool {
    let error = want.find_str(&["error"]);
    truthy(want.get("unstable"))
        || matches!(error, "panic" | "unserialisable")
        || (want.get("results").is_some() && truthy(want.get("error")) && ended(want).is_none())
}

/// The words with which the original ended its run, where they are its answer.
fn ended(answer: &Value) -> Option<&str> {
    let error = answer.find_str(&["error"]);
    let starts = ["failed to apply ", "failed to compile policy", "Error: failed to load exceptions"];
    starts.iter().any(|start| error.starts_with(start)).then_some(error)
}

fn truthy(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Bool(true) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => true,
    }
}

/// Stands where the recorded text changes from run to run. No recorded text is this one, and nothing that is missing.
pub const ANY: &str = "\0any text";

/// Whether texts agree. [`ANY`] agrees with all, and the failed checks of a pod-security message have no defined order.
pub fn same_words(want: &Value, got: &Value) -> bool {
    match (want, got) {
        (Value::String(any), _) if any.as_str() == ANY => true,
        // A request is told one of the denials, which one follows no order.
        (Value::String(_), Value::Array(all)) => all.contains(want),
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b.iter()).all(|(a, b)| same_words(a, b))
        }
        (Value::String(a), Value::String(b)) if a.contains("It violates PodSecurity") => {
            checks(a) == checks(b)
        }
        _ => want == got,
    }
}

fn checks(text: &str) -> Vec<String> {
    let text = text.replace(")(Forbidden", ")\n(Forbidden").replace(": (Forbidden", ":\n(Forbidden");
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    lines.sort();
    lines
}

/// A value in which a whole number is an integer, however it was written.
pub fn norm(value: &Value) -> Value {
    match value {
        Value::Number(Number::Float(f)) if f.fract() == 0.0 && f.abs() < 9.2e18 =>
        {
            #[expect(clippy::cast_possible_truncation, reason = "the line above holds it within range")]
            Value::from(*f as i64)
        }
        // Read from a text, a float of this size looks like a whole number.
        Value::Number(Number::Uint(whole)) => {
            let float = float(*whole);
            if to_json(&float) == whole.to_string() { float } else { value.clone() }
        }
        Value::Array(list) => Value::array(list.iter().map(norm).collect()),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (key.clone(), norm(value))).collect::<Map>().into()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "whoever asks holds its text against the number's")]
fn float(whole: u64) -> Value {
    Value::Number(Number::Float(whole as f64))
}

fn field(value: &Value, name: &str) -> Value {
    value.get(name).map(norm).unwrap_or_default()
}

fn list(values: impl IntoIterator<Item = Value>) -> Value {
    Value::array(values.into_iter().collect())
}

fn items(value: &Value, name: &str) -> Vec<Value> {
    value.get(name).and_then(Value::as_array).map(<[Value]>::to_vec).unwrap_or_default()
}

/// The errors of a check with those about annotations sorted: the original takes them out of a Go map.
fn in_order(errors: Value) -> Value {
    let Value::Array(errors) = errors else { return errors };
    let is_annotation = |error: &&Value| error.find_str(&["field"]).starts_with("metadata.annotations");
    let mut of_maps: Vec<Value> = errors.iter().filter(is_annotation).cloned().collect();
    of_maps.sort_by_key(to_json);
    let others = errors.iter().filter(|error| !is_annotation(error)).cloned();
    Value::array(others.chain(of_maps).collect())
}

/// Verdicts and words of an answer, each under a name.
fn rows(answer: &Value) -> Rows {
    let one = |name: &str, verdict: Value, words: Value| Rows::from([(name.to_owned(), (verdict, words))]);
    let none = || Value::from("");
    if let Some(words) = ended(answer) {
        return one("the run", Value::from("ended"), Value::from(words));
    }
    if answer.get("results").is_some() {
        return apply_rows(answer);
    }
    if answer.get("decisions").is_some() {
        let decision =
            |of: &Value| (of.find_str(&["name"]).to_owned(), (field(of, "verdict"), field(of, "words")));
        return items(answer, "decisions").iter().map(decision).collect();
    }
    let checks = items(answer, "checks");
    if checks.first().is_some_and(|check| check.as_str().is_some()) {
        return one("order", field(answer, "checks"), none());
    }
    if answer.get("ok").is_some() {
        let verdict = list([field(answer, "ok"), field(answer, "config")]);
        return one("config", verdict, list([field(answer, "stage"), field(answer, "error")]));
    }
    if answer.get("checks").is_some() {
        let each = |names: &[&str]| -> Vec<Value> {
            checks.iter().map(|check| list(names.iter().map(|name| field(check, name)))).collect()
        };
        let verdict = list([field(answer, "allowed"), list(each(&["id", "allowed"]))]);
        let mut words: Vec<Value> = ["forbiddenReason", "forbiddenDetail", "message"]
            .iter()
            .map(|name| field(answer, name))
            .collect();
        words.extend(each(&["reason", "detail", "control"]));
        words.extend(checks.iter().map(|check| in_order(field(check, "errors"))));
        return one("pod", verdict, Value::array(words));
    }
    if let Some(response) = answer.get("response") {
        return one("admission", field(response, "allowed"), norm(response));
    }
    if let Some(out) = answer.get("out") {
        return one("psp", list(["allowed", "policy", "mutated"].map(|name| field(out, name))), norm(out));
    }
    if let Some(error) = answer.get("error") {
        // With a message only where kind and words count.
        return match answer.get("message") {
            Some(message) => one("value", list([Value::from("error"), norm(error)]), message.clone()),
            None => one("value", list([Value::from("error"), Value::Null]), none()),
        };
    }
    let words = match answer.get("emitted") {
        Some(emitted) => {
            list([Value::Bool(truthy(answer.get("strictError"))), emitted.clone(), field(answer, "emitted4")])
        }
        None => none(),
    };
    one("value", list([field(answer, "result")]), words)
}

/// One row for each rule answer, patched object and refused policy.
fn apply_rows(answer: &Value) -> Rows {
    let mut rows = Rows::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut put = |name: String, verdict: Value, words: Value| {
        let n = seen.entry(name.clone()).or_default();
        *n += 1;
        rows.insert(format!("{name} #{n}"), (verdict, words));
    };
    for result in items(answer, "results") {
        let text = |name: &str| result.find_str(&[name]).to_owned();
        let (kind, namespace) = (text("policyKind"), text("policyNamespace"));
        let place = format!("{kind} {namespace}/{} {}", text("policy"), text("resource"));
        for rule in items(&result, "rules") {
            let mut made: Vec<Value> = items(&rule, "generated").iter().map(norm).collect();
            made.sort_by_cached_key(to_json);
            let mut exceptions = items(&rule, "exceptions");
            exceptions.sort_by_cached_key(to_json);
            let words = if truthy(rule.get("unstable")) {
                Value::from(ANY)
            } else {
                list([field(&rule, "message"), field(&rule, "properties"), list(exceptions)])
            };
            let verdict = list([
                field(&rule, "status"),
                field(&rule, "type"),
                list(made),
                field(&rule, "patchedTarget"),
            ]);
            put(format!("{place} {}", rule.find_str(&["rule"])), verdict, words);
        }
        if let Some(patched) = result.get("patched").filter(|patched| !patched.is_null()) {
            put(format!("{place} (patched)"), norm(patched), Value::from(""));
        }
    }
    for refused in items(answer, "refusedPolicies") {
        let words =
            if truthy(refused.get("unstable")) { Value::from(ANY) } else { field(&refused, "reason") };
        put(format!("(refused) {}", refused.find_str(&["policy"])), Value::from("refused"), words);
    }
    if let Some(counts) = answer.get("counts") {
        put("(counts)".to_owned(), norm(counts), Value::from(""));
    }
    rows
}
