//! Context entries of a rule.
//! Mirrors: validateRuleContext in pkg/validation/policy/validate.go. Those of loops are not looked at.

use super::refusal::Refusal;
use super::schema::{VALIDATE, is_zero};
use super::{Subject, field, given, items, text};
use crate::policy::Rule;
use crate::template;
use crate::value::image::reference::Reference;
use engine_json::{Path, Value};

/// Names that the context has already.
const RESERVED: &[&str] =
    &["images", "request", "serviceAccountName", "serviceAccountNamespace", "element", "elementIndex"];

/// `at` is the place of the rule among written and generated ones.
pub(super) fn check(subject: &Subject<'_>, rule: &Rule, at: usize) -> Result<(), Refusal> {
    let entries = items(&rule.raw, "context");
    let refuse =
        |words: String, path: Path| Err(Refusal::new(format!("path: spec.rules[{at}]: {words}"), path));
    let path = rule.path.join("context");
    let validate = field(&rule.raw, "validate");
    if !entries.is_empty() && given(validate, "cel").is_some() && !is_zero(validate, &VALIDATE) {
        let words = "context variables are not supported for CEL expressions in validate rules";
        return refuse(words.to_owned(), path);
    }
    for (at, entry) in entries.iter().enumerate() {
        if let Err(words) = check_entry(subject, entry) {
            return refuse(words, path.join(at));
        }
    }
    Ok(())
}

fn check_entry(subject: &Subject<'_>, entry: &Value) -> Result<(), String> {
    let name = text(entry, "name");
    if name.is_empty() {
        return Err("a name is required for context entries".to_owned());
    }
    let taken = |reserved: &&&str| {
        name.strip_prefix(**reserved).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    if let Some(reserved) = RESERVED.iter().find(taken) {
        return Err(format!(
            "entry name {name} is invalid as it conflicts with a pre-defined variable {reserved}"
        ));
    }
    let sources = ["configMap", "apiCall", "globalReference", "imageRegistry", "variable"];
    let mut given = sources.iter().filter_map(|key| Some((*key, given(entry, key)?)));
    let (Some((key, source)), None) = (given.next(), given.next()) else {
        return Err(
            "exactly one of configMap or apiCall or imageRegistry or variable is required for context entries".to_owned()
        );
    };
    match key {
        "configMap" => check_config_map(source),
        "apiCall" => check_api_call(source),
        "globalReference" if subject.namespaced() => {
            Err("globalReference is not allowed in namespaced policies".to_owned())
        }
        "globalReference" => {
            require(source, "name", "a name is required for globalReference context entry")?;
            check_expression(text(source, "jmesPath"))
        }
        "imageRegistry" => check_image_registry(source),
        _ => check_variable(source),
    }
}

fn require(source: &Value, key: &str, words: &str) -> Result<(), String> {
    if text(source, key).is_empty() { Err(words.to_owned()) } else { Ok(()) }
}

fn check_config_map(source: &Value) -> Result<(), String> {
    require(source, "name", "a name is required for configMap context entry")?;
    require(source, "namespace", "a namespace is required for configMap context entry")
}

fn check_api_call(source: &Value) -> Result<(), String> {
    if !text(source, "urlPath").is_empty() && given(source, "service").is_some() {
        return Err("a URLPath cannot be used for service API calls".to_owned());
    }
    check_expression(text(source, "jmesPath"))
}

fn check_image_registry(source: &Value) -> Result<(), String> {
    require(source, "reference", "a ref is required for imageRegistry context entry")?;
    let reference = text(source, "reference");
    if template::variables(reference).is_empty()
        && let Err(error) = Reference::parse(reference)
    {
        return Err(format!("bad image: {reference}: {error}"));
    }
    check_expression(text(source, "jmesPath"))
}

fn check_variable(source: &Value) -> Result<(), String> {
    let expression = text(source, "jmesPath");
    check_expression(expression)?;
    if given(source, "value").is_none() && expression.is_empty() {
        return Err("a variable must define a value or a jmesPath expression".to_owned());
    }
    if given(source, "default").is_some() && expression.is_empty() {
        return Err(
            "a variable must define a default value only when a jmesPath expression is defined".to_owned()
        );
    }
    Ok(())
}

/// An expression with variables in it is not looked at.
fn check_expression(expression: &str) -> Result<(), String> {
    if expression.is_empty() || !template::variables(expression).is_empty() {
        return Ok(());
    }
    match engine_jmespath::parse(expression) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("failed to parse JMESPath {expression}: {error}")),
    }
}
