//! The settings of a policy: policies, exceptions, a level of Pod Security, and what is decided otherwise than they say.
//!
//! In: the settings as a JSON object. Out: [`Settings`], or the one reason why they cannot be used.

use engine::policy::Action;
use engine::wire::Text;
use engine_json::{Map, Str, Value, to_json_indent};
use engine_podsecurity::admission::Config;

const FIELDS: [&str; 6] =
    ["policies", "exceptions", "podSecurity", "namespaceLabels", "action", "failurePolicy"];

/// Labels by the name of what has them.
pub(crate) type LabelsByName = Vec<(Str, Vec<(Str, Str)>)>;

/// What a request that cannot be decided comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailurePolicy {
    /// It is refused.
    Fail,
    /// It is let in, with a warning.
    Ignore,
}

/// Settings.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// The policies.
    pub(crate) policies: Vec<Text>,
    /// Exceptions from them.
    pub(crate) exceptions: Vec<Text>,
    /// Pod Security Admission, where it is asked for.
    pub(crate) pod_security: Option<Config>,
    /// The labels of namespaces, by name; the host is asked for all others.
    pub(crate) namespace_labels: LabelsByName,
    /// What a policy that fails comes to, whatever the policies say.
    pub(crate) action: Option<Action>,
    /// What an error comes to, whatever the policies say.
    pub(crate) failure_policy: Option<FailurePolicy>,
}

impl Settings {
    /// Reads settings.
    pub(crate) fn read(value: &Value) -> Result<Self, String> {
        let empty = Map::new();
        let fields = match value {
            Value::Null => &empty,
            Value::Object(fields) => fields,
            _ => return Err("the settings must be an object".to_owned()),
        };
        if let Some((name, _)) = fields.iter().find(|(name, _)| !FIELDS.contains(&name.as_str())) {
            return Err(format!("`{name}` is not a setting; there are `{}`", FIELDS.join("`, `")));
        }
        let field = |name: &str| fields.get(name).filter(|value| !value.is_null());
        let settings = Settings {
            policies: field("policies").map_or(Ok(Vec::new()), |value| texts("policies", value))?,
            exceptions: field("exceptions").map_or(Ok(Vec::new()), |value| texts("exceptions", value))?,
            pod_security: field("podSecurity").map(pod_security).transpose()?,
            namespace_labels: field("namespaceLabels").map_or(Ok(Vec::new()), labels)?,
            action: field("action").map(action).transpose()?,
            failure_policy: field("failurePolicy").map(failure_policy).transpose()?,
        };
        if settings.policies.is_empty() && settings.pod_security.is_none() {
            return Err("nothing decides: there are neither `policies` nor `podSecurity`".to_owned());
        }
        Ok(settings)
    }
}

/// A YAML text, an object, or a list of both.
fn texts(name: &str, value: &Value) -> Result<Vec<Text>, String> {
    let list = match value {
        Value::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    };
    let is_one = !matches!(value, Value::Array(_));
    let read = list.iter().enumerate().map(|(at, item)| {
        let name = if is_one { name.to_owned() } else { format!("{name}[{at}]") };
        match item {
            Value::String(text) => Ok(Text { name, text: text.to_string() }),
            // JSON is YAML; one field a line, so that a place in it says something.
            Value::Object(_) => Ok(Text { name, text: to_json_indent(item, "  ") }),
            _ => Err(format!("`{name}` must be a YAML text or an object")),
        }
    });
    read.collect()
}

/// `defaults` and `exemptions` of a `PodSecurityConfiguration`.
fn pod_security(value: &Value) -> Result<Config, String> {
    let Value::Object(fields) = value else { return Err("`podSecurity` must be an object".to_owned()) };
    let mut document = (**fields).clone();
    if document.get("apiVersion").is_none() {
        document.insert("apiVersion", Value::from("pod-security.admission.config.k8s.io/v1"));
        document.insert("kind", Value::from("PodSecurityConfiguration"));
    }
    let text = engine_json::to_json(&Value::object(document));
    Config::read(&text).map_err(|error| format!("`podSecurity`: {}", error.message))
}

fn labels(value: &Value) -> Result<LabelsByName, String> {
    let wrong =
        || "`namespaceLabels` must be an object of objects: names of namespaces, and their labels".to_owned();
    let of_one = |(name, labels): (&Str, &Value)| {
        let pairs = labels.as_object().ok_or_else(wrong)?.iter();
        let pairs = pairs.map(|(key, value)| Ok((key.clone(), Str::from(value.as_str().ok_or_else(wrong)?))));
        Ok((name.clone(), pairs.collect::<Result<_, String>>()?))
    };
    value.as_object().ok_or_else(wrong)?.iter().map(of_one).collect()
}

fn action(value: &Value) -> Result<Action, String> {
    match value.as_str() {
        Some("Enforce") => Ok(Action::Enforce),
        Some("Audit") => Ok(Action::Audit),
        _ => Err("`action` must be `Enforce` or `Audit`".to_owned()),
    }
}

fn failure_policy(value: &Value) -> Result<FailurePolicy, String> {
    match value.as_str() {
        Some("Fail") => Ok(FailurePolicy::Fail),
        Some("Ignore") => Ok(FailurePolicy::Ignore),
        _ => Err("`failurePolicy` must be `Fail` or `Ignore`".to_owned()),
    }
}
