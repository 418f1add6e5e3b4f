//! Context entries: variables, ConfigMaps, objects and lists of the Kubernetes API, entries of the global context.
//!
//! In: an entry as it is written, and the scope before it. Out: what its name stands for. An entry is read where it is used, as Kyverno
//! loads it when it is asked for: one that is never used decides nothing.

use crate::expressions::access::Access;
use crate::expressions::expr::Expr;
use crate::expressions::formula::quoted;
use crate::expressions::jmes::value_within;
use crate::expressions::scope::Scope;
use crate::expressions::template::{Part, parts, whole};
use crate::refusal::{Class, Converted, Refusal, refuse};
use engine::resource::plural;
use engine_compare::schema::Shape;
use engine_json::{Path, Value};

/// What the name of an entry stands for.
pub(crate) fn entry(written: &Value, scope: &Scope<'_>, path: &Path) -> Converted<Expr> {
    if let Some(variable) = written.get("variable") {
        return self::variable(variable, scope, &path.join("variable"));
    }
    let name = written.find_str(&["name"]);
    if let Some(map) = written.get("configMap") {
        return config_map(name, map, scope, &path.join("configMap"));
    }
    if let Some(call) = written.get("apiCall") {
        return api_call(name, call, scope, &path.join("apiCall"));
    }
    if let Some(reference) = written.get("globalReference") {
        return global(name, reference, scope, &path.join("globalReference"));
    }
    let what = written.as_object().and_then(|map| map.keys().find(|key| *key != "name").cloned());
    refuse(Class::Context, path, format!("a context entry of `{}`", what.unwrap_or_default()))
}

fn variable(variable: &Value, scope: &Scope<'_>, path: &Path) -> Converted<Expr> {
    let written = variable.get("value").filter(|value| !value.is_null());
    if let Some(text) = variable.get("jmesPath").and_then(Value::as_str) {
        let text = text.trim();
        // A variable in it is replaced first, by text that is an expression then.
        let read = whole(&Value::from(text), scope, &path.join("jmesPath"));
        let replaced = match &read {
            Ok(Expr::Literal(Value::String(replaced))) => replaced.as_str(),
            _ => text,
        };
        let bare = replaced.strip_prefix("{{").and_then(|text| text.strip_suffix("}}")).unwrap_or(replaced);
        let within = written.map(|value| whole(value, scope, &path.join("value"))).transpose()?;
        let expr = value_within(bare, within.as_ref(), scope, &path.join("jmesPath"))?;
        return match variable.get("default") {
            None => Ok(expr),
            // What is empty stays: a default is for what is absent alone.
            Some(default) if has_variables(default) => {
                let made = whole(default, scope, &path.join("default"))?;
                expr.or_other(&made).ok_or_else(|| Refusal {
                    class: Class::Context,
                    path: path.join("default"),
                    text: "this default is not converted".into(),
                })
            }
            Some(default) if matches!(expr, Expr::Field(_)) => {
                let Expr::Field(access) = expr else { return Ok(expr) };
                Ok(Expr::Defaulted(access, default.clone()))
            }
            Some(default) => expr.or_else(Expr::literal(default)).ok_or_else(|| Refusal {
                class: Class::Context,
                path: path.join("default"),
                text: "this default is not converted".into(),
            }),
        };
    }
    Ok(match whole(written.unwrap_or(&Value::Null), scope, &path.join("value"))? {
        // Numbers in a variable are those of JSON.
        Expr::Literal(value @ (Value::Array(_) | Value::Object(_))) => {
            Expr::Literal(value.with_float_numbers())
        }
        expr => expr,
    })
}

fn has_variables(value: &Value) -> bool {
    engine_json::to_json(value).contains("{{")
}

/// Policies of a namespace ask with other functions, which take no namespace.
fn is_of_cluster(scope: &Scope<'_>, path: &Path) -> Converted<()> {
    if scope.owner.is_namespaced {
        return refuse(Class::Context, path, "a policy of a namespace that asks for objects of the cluster");
    }
    Ok(())
}

fn config_map(name: &str, map: &Value, scope: &Scope<'_>, path: &Path) -> Converted<Expr> {
    is_of_cluster(scope, path)?;
    let text = |field: &'static str| {
        let written = map.get(field).filter(|value| value.as_str() != Some(""));
        let written = written.cloned().unwrap_or_else(|| Value::from("default"));
        whole(&written, scope, &path.join(field))?.as_text(&path.join(field))
    };
    let (namespace, of) = (text("namespace")?, text("name")?);
    let call = format!("resource.Get('v1', 'configmaps', {namespace}, {of})");
    let shape = scope.schema.schema().kind("v1", "ConfigMap");
    Ok(Expr::Field(Access::answer(&scope.answer(name, &call), shape)))
}

/// The parts of a path of the Kubernetes API.
struct Called {
    version: String,
    resource: String,
    /// As texts of CEL.
    namespace: String,
    name: Option<String>,
}

fn api_call(name: &str, call: &Value, scope: &Scope<'_>, path: &Path) -> Converted<Expr> {
    if call.get("service").is_some() {
        return refuse(Class::Context, &path.join("service"), "a call of a server outside the cluster");
    }
    for field in ["default", "data"] {
        if call.get(field).is_some() {
            return refuse(Class::Context, &path.join(field), format!("`{field}` of a call"));
        }
    }
    if !matches!(call.find_str(&["method"]), "" | "GET") {
        return refuse(Class::Context, &path.join("method"), "a call that is not GET");
    }
    is_of_cluster(scope, path)?;
    let called = called(call.find_str(&["urlPath"]), scope, &path.join("urlPath"))?;
    let Called { version, resource, namespace, name: of } = &called;
    let kind =
        scope.schema.schema().kinds().find(|(known, kind)| known == version && plural(kind) == *resource);
    let shape = kind.and_then(|(version, kind)| scope.schema.schema().kind(version, kind));
    let answer = if let Some(of) = of {
        let call = format!("resource.Get({}, {}, {namespace}, {of})", quoted(version), quoted(resource));
        Expr::Field(Access::answer(&scope.answer(name, &call), shape))
    } else {
        let call =
            format!("dyn(resource.List({}, {}, {namespace}).items)", quoted(version), quoted(resource));
        // `pods` stands for the resource itself.
        let is_name = resource.chars().all(|c| c.is_ascii_lowercase()) && resource != "pods";
        let name = if is_name { resource } else { name };
        let shape = Shape::List(Box::new(shape.unwrap_or(Shape::Any)));
        Expr::Listed(Access::answer(&scope.answer(name, &call), Some(shape)))
    };
    match call.find_str(&["jmesPath"]) {
        "" => Ok(answer),
        text => value_within(text, Some(&answer), scope, &path.join("jmesPath")),
    }
}

/// The parts of a path.
fn called(text: &str, scope: &Scope<'_>, path: &Path) -> Converted<Called> {
    if text.contains('?') {
        return refuse(Class::Context, path, "a path with a query");
    }
    // The segments: of each the parts that are written and those that are variables.
    let mut segments: Vec<Vec<Part>> = vec![Vec::new()];
    for part in parts(text.trim_matches('/')) {
        let Part::Text(text) = &part else {
            segments.last_mut().into_iter().for_each(|last| last.push(part.clone()));
            continue;
        };
        for (at, piece) in text.split('/').enumerate() {
            if at > 0 {
                segments.push(Vec::new());
            }
            if let Some(last) = segments.last_mut().filter(|_| !piece.is_empty()) {
                last.push(Part::Text(piece.to_owned()));
            }
        }
    }
    let plain = |segment: &[Part]| match segment {
        [Part::Text(text)] => Some(text.clone()),
        _ => None,
    };
    let written = |segment: &[Part]| {
        let text: String = segment
            .iter()
            .map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Variable(inner) => format!("{{{{{inner}}}}}"),
            })
            .collect();
        whole(&Value::from(text.as_str()), scope, path)?.as_text(path)
    };
    let (version, rest) = match segments.as_slice() {
        [root, version, rest @ ..] if plain(root).as_deref() == Some("api") => (plain(version), rest),
        [root, group, version, rest @ ..] if plain(root).as_deref() == Some("apis") => {
            (plain(group).zip(plain(version)).map(|(group, version)| format!("{group}/{version}")), rest)
        }
        _ => (None, segments.as_slice()),
    };
    let is_namespaces = |segment: &[Part]| plain(segment).as_deref() == Some("namespaces");
    let (namespace, resource, name) = match rest {
        [of, namespace, resource, name @ ..] if is_namespaces(of) && name.len() < 2 => {
            (written(namespace)?, plain(resource), name.first())
        }
        [resource, name @ ..] if name.len() < 2 => ("''".to_owned(), plain(resource), name.first()),
        _ => (String::new(), None, None),
    };
    let (Some(version), Some(resource)) = (version, resource) else {
        return refuse(Class::Context, path, "a path that names no resource of the Kubernetes API");
    };
    let name = name.map(|name| written(name)).transpose()?;
    Ok(Called { version, resource, namespace, name })
}

fn global(name: &str, reference: &Value, scope: &Scope<'_>, path: &Path) -> Converted<Expr> {
    let of = reference.find_str(&["name"]);
    if of.contains("{{") {
        return refuse(Class::Context, &path.join("name"), "an entry whose name has variables");
    }
    let (of, projection) = of.split_once('.').unwrap_or((of, ""));
    let call = format!("globalContext.Get({}, {})", quoted(of), quoted(projection));
    let answer = Expr::Field(Access::answer(&scope.answer(name, &call), Some(Shape::Any)));
    match reference.find_str(&["jmesPath"]) {
        "" => Ok(answer),
        text => value_within(text, Some(&answer), scope, &path.join("jmesPath")),
    }
}
