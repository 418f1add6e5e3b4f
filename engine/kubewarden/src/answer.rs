//! The answer to a request, as Kubewarden wants it.
//!
//! In: what was decided. Out: JSON such as `{"accepted":false,"message":"…","code":400}`; what is empty is left out.

use engine_json::{Map, Value, to_json};

/// The code of a refusal by a webhook that names none.
// Kubernetes: ToStatusErr of apiserver/pkg/admission/plugin/webhook/errors.
pub(crate) const BAD_REQUEST: u16 = 400;
/// The code of what is forbidden.
pub(crate) const FORBIDDEN: u16 = 403;

/// What was decided.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// Why the request is refused, and with which code; nothing where it is accepted.
    pub(crate) refusal: Option<(String, u16)>,
    /// What the user is warned of.
    pub(crate) warnings: Vec<String>,
    /// What goes into the audit log.
    pub(crate) audit_annotations: Vec<(String, String)>,
    /// The object, where policies have changed it.
    pub(crate) mutated_object: Option<Value>,
}

impl Answer {
    /// A refusal for this reason.
    pub(crate) fn refused(message: String) -> Self {
        Answer { refusal: Some((message, BAD_REQUEST)), ..Answer::default() }
    }

    /// The answer as JSON.
    pub(crate) fn json(self) -> String {
        let Answer { refusal, warnings, audit_annotations, mutated_object } = self;
        let mut answer = Map::new();
        answer.insert("accepted", Value::Bool(refusal.is_none()));
        // A request that is refused has no object.
        if let Some(object) = mutated_object.filter(|_| refusal.is_none()) {
            answer.insert("mutated_object", object);
        }
        if let Some((message, code)) = refusal {
            answer.insert("message", Value::from(message));
            answer.insert("code", Value::from(i64::from(code)));
        }
        if !warnings.is_empty() {
            answer.insert("warnings", Value::array(warnings.into_iter().map(Value::from).collect()));
        }
        let mut annotations = Map::new();
        for (name, text) in audit_annotations {
            let key = qualified(&name);
            let text = if key == name { text } else { format!("{name}: {text}") };
            // Two of one name are two lines.
            let text = match annotations.get(&key).and_then(Value::as_str) {
                Some(before) => format!("{before}\n{text}"),
                None => text,
            };
            annotations.insert(key, Value::from(text));
        }
        if !annotations.is_empty() {
            answer.insert("audit_annotations", Value::object(annotations));
        }
        to_json(&Value::object(answer))
    }
}

/// A name as the key of an annotation: an API server drops what has another one.
// Kubernetes: checkKeyFormat of apiserver/pkg/audit, IsQualifiedName of apimachinery/pkg/util/validation.
fn qualified(name: &str) -> String {
    const MOST: usize = 63;
    let is_inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let key: String = name.chars().map(|c| if is_inside(c) { c } else { '-' }).collect();
    let is_end = |c: char| !c.is_ascii_alphanumeric();
    let key: String = key.trim_start_matches(is_end).chars().take(MOST).collect();
    match key.trim_end_matches(is_end) {
        "" => "policy".to_owned(),
        key => key.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::Answer;
    use engine_json::parse;

    #[test]
    fn keys_of_annotations_are_those_that_an_api_server_takes() {
        let long = "disallow-everything-that-is-not-allowed.every-container-says-who-runs-it";
        let cut = "disallow-everything-that-is-not-allowed.every-container-says-wh";
        let audit_annotations = [
            ("labels.team", "fail: a", "labels.team", "fail: a"),
            ("labels.two words!", "fail: b", "labels.two-words", "labels.two words!: fail: b"),
            (
                long,
                "fail: c",
                cut,
                "disallow-everything-that-is-not-allowed.every-container-says-who-runs-it: fail: c",
            ),
            ("über", "fail: d", "ber", "über: fail: d"),
            ("!", "fail: e", "policy", "!: fail: e"),
            ("cel", "fail: f", "cel", "fail: f\nfail: g"),
            ("cel", "fail: g", "cel", "fail: f\nfail: g"),
        ];
        let given = audit_annotations.map(|(name, text, ..)| (name.to_owned(), text.to_owned()));
        let answer = Answer { audit_annotations: given.to_vec(), ..Answer::default() };
        let answer = parse(&answer.json()).unwrap();
        for (_, _, key, text) in audit_annotations {
            assert!(key.len() <= 63);
            assert_eq!(answer.find_str(&["audit_annotations", key]), text);
        }
    }
}
