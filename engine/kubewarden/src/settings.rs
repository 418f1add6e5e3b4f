//! The settings of a policy: policies, exceptions, a level of Pod Security, and what is decided otherwise than they say.
//!
//! In: the settings as a JSON object. Out: [`Settings`], or the one reason why they cannot be used.

use engine::load::{label_key, label_value};
use engine::policy::Action;
use engine_json::{Map, Str, Value, to_json_indent};
use engine_lenses::wire::Text;
use engine_podsecurity::admission::{Config, dns_label};

/// Why settings are refused that hold nothing to decide with.
pub(crate) const NOTHING_DECIDES: &str =
    "nothing decides: there is neither a policy in `policies` nor `podSecurity`";

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
    pub(crate) namespace_labels: Option<LabelsByName>,
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
            other => return Err(format!("the settings must be an object; this is {}", form(other))),
        };
        if let Some((name, _)) = fields.iter().find(|(name, _)| !FIELDS.contains(&name.as_str())) {
            return Err(format!("`{name}` is not a setting; there are `{}`", FIELDS.join("`, `")));
        }
        let field = |name: &str| fields.get(name).filter(|value| !value.is_null());
        Ok(Settings {
            policies: field("policies").map_or(Ok(Vec::new()), |value| texts("policies", value))?,
            exceptions: field("exceptions").map_or(Ok(Vec::new()), |value| texts("exceptions", value))?,
            pod_security: field("podSecurity").map(pod_security).transpose()?,
            namespace_labels: field("namespaceLabels").map(labels).transpose()?,
            action: field("action").map(action).transpose()?,
            failure_policy: field("failurePolicy").map(failure_policy).transpose()?,
        })
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
        let (name, or_list) =
            if is_one { (name.to_owned(), ", or a list of both") } else { (format!("{name}[{at}]"), "") };
        match item {
            Value::String(text) if is_blank(text) => Err(format!("`{name}` holds nothing but comments")),
            Value::String(text) => Ok(Text { name, text: text.to_string() }),
            // JSON is YAML; one field a line, so that a place in it says something.
            Value::Object(_) => Ok(Text { name, text: to_json_indent(item, "  ") }),
            other => {
                Err(format!("`{name}` must be a YAML text or an object{or_list}; this is {}", form(other)))
            }
        }
    });
    read.collect()
}

/// Whether a YAML text has no line but comments and borders of documents.
fn is_blank(text: &str) -> bool {
    text.lines().map(str::trim).all(|line| line.is_empty() || line.starts_with('#') || line == "---")
}

/// What a value is, as a sentence has it.
fn form(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The fields of an object, each of which must be known where `known` says which are.
fn fields<'v>(name: &str, value: &'v Value, known: &[&str]) -> Result<&'v Map, String> {
    let fields =
        value.as_object().ok_or_else(|| format!("`{name}` must be an object; this is {}", form(value)))?;
    match fields.iter().find(|(field, _)| !known.is_empty() && !known.contains(&field.as_str())) {
        Some((field, _)) => {
            Err(format!("`{name}.{field}` is not a field; there are `{}`", known.join("`, `")))
        }
        None => Ok(fields),
    }
}

/// A string at a place.
fn string<'v>(name: &str, value: &'v Value) -> Result<&'v str, String> {
    value.as_str().ok_or_else(|| format!("`{name}` must be a string; this is {}", form(value)))
}

/// `defaults` and `exemptions` of a `PodSecurityConfiguration`.
fn pod_security(value: &Value) -> Result<Config, String> {
    const NAME: &str = "podSecurity";
    const GROUP: &str = "pod-security.admission.config.k8s.io/v1";
    const MODES: [&str; 6] = ["enforce", "enforce-version", "audit", "audit-version", "warn", "warn-version"];
    let given = fields(NAME, value, &["defaults", "exemptions", "apiVersion", "kind"])?;
    let is_version = |version: &Value| version.as_str().is_some_and(|text| text.starts_with(GROUP));
    if given.get("apiVersion").is_some_and(|version| !is_version(version)) {
        return Err(format!("`{NAME}.apiVersion` must be `{GROUP}`, or not be there"));
    }
    if given.get("kind").is_some_and(|kind| kind.as_str() != Some("PodSecurityConfiguration")) {
        return Err(format!("`{NAME}.kind` must be `PodSecurityConfiguration`, or not be there"));
    }
    let part = |field: &str| given.get(field).filter(|value| !value.is_null());
    if let Some(defaults) = part("defaults") {
        let name = format!("{NAME}.defaults");
        for (mode, level) in fields(&name, defaults, &MODES)?.iter() {
            string(&format!("{name}.{mode}"), level)?;
        }
    }
    if let Some(exemptions) = part("exemptions") {
        let name = format!("{NAME}.exemptions");
        for (field, list) in fields(&name, exemptions, &["usernames", "runtimeClasses", "namespaces"])?.iter()
        {
            let name = format!("{name}.{field}");
            let items =
                list.as_array().ok_or_else(|| format!("`{name}` must be a list; this is {}", form(list)))?;
            for (at, item) in items.iter().enumerate() {
                string(&format!("{name}[{at}]"), item)?;
            }
        }
    }
    Config::of_value(value).map_err(|error| format!("`{NAME}`: {}", error.message))
}

fn labels(value: &Value) -> Result<LabelsByName, String> {
    const NAME: &str = "namespaceLabels";
    let of_one = |(namespace, labels): (&Str, &Value)| {
        let name = format!("{NAME}.{namespace}");
        wrong(&name, "is not the name of a Namespace", &dns_label(namespace))?;
        let pairs = fields(&name, labels, &[])?.iter().map(|(key, value)| {
            let name = format!("{name}.{key}");
            let text = string(&name, value)?;
            wrong(&name, "is not the name of a label", &label_key(key))?;
            wrong(&name, "is not a value of a label", &label_value(text))?;
            Ok((key.clone(), Str::from(text)))
        });
        Ok((namespace.clone(), pairs.collect::<Result<_, String>>()?))
    };
    fields(NAME, value, &[])?.iter().map(of_one).collect()
}

fn wrong(name: &str, what: &str, why: &[String]) -> Result<(), String> {
    if why.is_empty() { Ok(()) } else { Err(format!("`{name}` {what}: {}", why.join(", "))) }
}

fn action(value: &Value) -> Result<Action, String> {
    match value.as_str() {
        Some("Enforce") => Ok(Action::Enforce),
        Some("Audit") => Ok(Action::Audit),
        _ => Err(not_one_of("action", value, "`Enforce` or `Audit`")),
    }
}

fn failure_policy(value: &Value) -> Result<FailurePolicy, String> {
    match value.as_str() {
        Some("Fail") => Ok(FailurePolicy::Fail),
        Some("Ignore") => Ok(FailurePolicy::Ignore),
        _ => Err(not_one_of("failurePolicy", value, "`Fail` or `Ignore`")),
    }
}

fn not_one_of(name: &str, value: &Value, wanted: &str) -> String {
    match value.as_str() {
        Some(text) => format!("`{name}` must be {wanted}; this is `{text}`"),
        None => format!("`{name}` must be {wanted}; this is {}", form(value)),
    }
}
