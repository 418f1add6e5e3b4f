//! Rules that generate.
//!
//! In: a rule with `generate`. Out: the `spec` of a GeneratingPolicy: `data` as a template with expressions in it, `clone` and `cloneList`
//! as objects that are asked for and applied, a loop as an expression over its list; or what has no faithful form.
//! Sources: Kyverno's `pkg/background/generate` and `pkg/cel/policies/gpol`.

use crate::conditions::Conditions;
use crate::emit;
use crate::expressions::expr::Expr;
use crate::expressions::formula::{Formula, operand, quoted};
use crate::expressions::jmes::value;
use crate::expressions::scope::Scope;
use crate::expressions::template::{Part, parts, whole};
use crate::expressions::types::Types;
use crate::kinds::{copied, is_nothing, list, map};
use crate::refusal::{Class, Converted, below, refuse};
use crate::rules::validate::conditions;
use crate::select::{Owner, Selection, labels, selection};
use engine::resource::{is_cluster_scoped, plural};
use engine_json::{Map, Path, Value};

/// A rule as the `spec` of a policy of its own, and what a reader should know.
#[derive(Debug)]
pub(crate) struct Generated {
    pub(crate) spec: Map,
    pub(crate) notes: Vec<String>,
}

/// A rule.
pub(crate) fn rule(document: &Value, rule: &Value, path: &Path, types: &Types<'_>) -> Converted<Generated> {
    let is_namespaced = document.find_str(&["kind"]) == "Policy";
    let owner = Owner { is_namespaced, ..Owner::default() };
    let mut selection = Selection { owner, ..selection(rule, path, types)? };
    // A selector of the new policy is met by the object as it was, too.
    let selector = selection.object_selector.take();
    let mut scope = Scope::new(&selection, types);
    scope.is_for_pods = false;
    scope.context(rule.get("context"), &below(path, ["context"]));
    let asked = conditions(rule, path, &selection, &scope)?;
    let mut met = asked.plain();
    if let Some(selector) = selector {
        let fits = labels("object.metadata", &selector, &below(path, ["match"]), types)?;
        met.insert(0, ("labels".into(), fits.text()));
    }
    if asked.needs != Formula::True {
        met.push(("can-be-read".into(), asked.needs.text()));
    }
    let body = rule.get("generate").cloned().unwrap_or_default();
    let place = below(path, ["generate"]);
    let home = document.find_str(&["metadata", "namespace"]);
    let mut writer = Writer { scope: &scope, home: is_namespaced.then_some(home), conditions: Vec::new() };
    let generate = writer.body(&body, &place)?;
    met.extend(writer.conditions);
    let given: Vec<&str> = selection.operations.iter().map(String::as_str).collect();
    if given.contains(&"DELETE") {
        return refuse(
            Class::Match,
            &below(path, ["match"]),
            "a rule for deletions, at which Kyverno generates nothing",
        );
    }
    let operations = if given.is_empty() { vec!["CREATE", "UPDATE"] } else { given };
    let source = document.get("spec").cloned().unwrap_or_default();
    let mut spec = Map::new();
    if let Some(evaluation) = evaluation(&source, rule, &body) {
        spec.insert("evaluation", evaluation);
    }
    copied(&mut spec, &source, &["useServerSideApply"]);
    spec.insert("matchConstraints", selection.constraints(&operations));
    let entry = |(name, expression): &(String, String)| {
        map([("name", Value::from(name.as_str())), ("expression", Value::from(expression.as_str()))])
    };
    let written: Vec<String> = generate.iter().map(engine_json::to_json).collect();
    let variables = scope.variables(&written.iter().map(String::as_str).collect::<Vec<_>>());
    for (field, entries) in [("matchConditions", met), ("variables", variables)] {
        if !entries.is_empty() {
            spec.insert(field, Value::array(entries.iter().map(entry).collect()));
        }
    }
    spec.insert("generate", Value::array(generate));
    Ok(Generated { spec, notes: scope.notes() })
}

/// The switches of the rule.
fn evaluation(source: &Value, rule: &Value, body: &Value) -> Option<Value> {
    let on = |value: &Value, field: &str| value.get(field).and_then(Value::as_bool);
    let existing = on(body, "generateExisting")
        .or_else(|| on(source, "generateExisting"))
        .or_else(|| on(source, "generateExistingOnPolicyUpdate"));
    let mut made = Map::new();
    for (field, is_on) in [
        ("generateExisting", existing),
        ("synchronize", on(body, "synchronize")),
        ("orphanDownstreamOnPolicyDelete", on(body, "orphanDownstreamOnPolicyDelete")),
    ] {
        if is_on == Some(true) {
            made.insert(field, map([("enabled", Value::Bool(true))]));
        }
    }
    if on(rule, "skipBackgroundRequests") == Some(false) {
        made.insert("skipBackgroundRequests", Value::Bool(false));
    }
    (!made.is_empty()).then(|| Value::object(made))
}

/// How deep an object may be.
const MAX_DEPTH: usize = 32;

struct Writer<'w, 's> {
    scope: &'w Scope<'s>,
    /// The namespace of a policy that has one.
    home: Option<&'w str>,
    /// Names and expressions of further conditions.
    conditions: Vec<(String, String)>,
}

impl Writer<'_, '_> {
    fn body(&mut self, body: &Value, path: &Path) -> Converted<Vec<Value>> {
        let loops = list(body, "foreach");
        if !loops.is_empty() {
            let place = path.join("foreach");
            return loops.iter().enumerate().map(|(at, one)| self.each(one, &place.join(at))).collect();
        }
        if !list(&body.get("cloneList").cloned().unwrap_or_default(), "kinds").is_empty() {
            return self.clone_list(body, path).map(|made| expressions(&made));
        }
        if !body.find_str(&["clone", "name"]).is_empty() {
            return self.clone(body, path).map(|made| expressions(&[made]));
        }
        let object = self.object(body, path)?;
        let text = self.template(&object, path, 0)?;
        let has_expressions = text != object;
        let mut template = Map::new();
        template.insert("value", Value::from(emit::document(&[], &text)));
        if has_expressions {
            template.insert("interpolate", Value::from("cel"));
        }
        Ok(vec![map([("template", Value::object(template))])])
    }

    /// The object that `data` makes, as it is written, with its names.
    fn object(&self, body: &Value, path: &Path) -> Converted<Value> {
        let data = body.get("data").cloned().unwrap_or_default();
        if !matches!(data, Value::Null | Value::Object(_)) {
            return refuse(Class::Rule, &path.join("data"), "data that are not a map");
        }
        let version = body.find_str(&["apiVersion"]);
        let kind = match data.find_str(&["kind"]) {
            "" => body.find_str(&["kind"]),
            own => own,
        };
        self.of_home(body, path)?;
        let mut metadata = Map::new();
        metadata.insert("name", Value::from(body.find_str(&["name"])));
        let namespace = body.find_str(&["namespace"]);
        if !namespace.is_empty() && !is_cluster_scoped(version, kind) {
            metadata.insert("namespace", Value::from(namespace));
        }
        for (key, value) in data.get("metadata").and_then(Value::as_object).into_iter().flat_map(Map::iter) {
            if !matches!(key.as_str(), "name" | "namespace" | "resourceVersion") {
                metadata.insert(key.clone(), value.clone());
            }
        }
        let mut object = Map::new();
        object.insert("apiVersion", Value::from(version));
        object.insert("kind", Value::from(kind));
        object.insert("metadata", Value::object(metadata));
        for (key, value) in data.as_object().into_iter().flat_map(Map::iter) {
            if !matches!(key.as_str(), "apiVersion" | "kind" | "metadata") {
                object.insert(key.clone(), value.clone());
            }
        }
        Ok(Value::object(object))
    }

    /// A policy of a namespace makes objects there.
    fn of_home(&self, body: &Value, path: &Path) -> Converted<()> {
        match self.home {
            Some(home) if body.find_str(&["namespace"]) != home => refuse(
                Class::Rule,
                &path.join("namespace"),
                "a policy of a namespace that makes objects of another one, or where that is not known",
            ),
            _ => Ok(()),
        }
    }

    /// A value with placeholders in place of its variables.
    fn template(&self, value: &Value, path: &Path, depth: usize) -> Converted<Value> {
        match value {
            _ if depth > MAX_DEPTH => refuse(Class::Rule, path, "an object of such depth"),
            Value::String(text) if text.contains("((") => {
                refuse(Class::Rule, path, format!("`{text}`: two brackets begin an expression of a template"))
            }
            Value::String(text) if text.contains("{{") => {
                let all = parts(text);
                if let [Part::Variable(_)] = all.as_slice() {
                    return Ok(Value::from(format!("(( {} ))", self.native(value, path)?)));
                }
                let texts = all.iter().map(|part| match part {
                    Part::Text(text) => Ok(text.clone()),
                    Part::Variable(inner) => {
                        Ok(format!("(( {} ))", self::value(inner, self.scope, path)?.as_text(path)?))
                    }
                });
                Ok(Value::from(texts.collect::<Converted<String>>()?))
            }
            Value::Object(map) => {
                let fields = map.iter().map(|(key, value)| {
                    if key.contains("{{") {
                        return refuse(Class::Rule, path, format!("a variable in the key `{key}`"));
                    }
                    Ok((key.clone(), self.template(value, path, depth + 1)?))
                });
                Ok(Value::object(Map::from_entries(fields.collect::<Converted<Vec<_>>>()?)))
            }
            Value::Array(list) => {
                let items = list.iter().map(|one| self.template(one, path, depth + 1));
                Ok(Value::array(items.collect::<Converted<Vec<_>>>()?))
            }
            other => Ok(other.clone()),
        }
    }

    /// A value that is one variable, with its type.
    fn native(&self, written: &Value, path: &Path) -> Converted<String> {
        match whole(written, self.scope, path)? {
            Expr::Field(access) => Ok(access.plain().to_owned()),
            Expr::Cel(text, _) => Ok(text),
            Expr::Literal(value) if !matches!(value, Value::Object(_) | Value::Array(_)) => {
                Ok(match &value {
                    Value::String(text) => quoted(text),
                    other => engine_json::to_json(other),
                })
            }
            Expr::Elements(elements) => Ok(elements.listed(path)?.0),
            other => other.as_text(path),
        }
    }

    /// A text in CEL.
    fn text(&self, written: &str, path: &Path) -> Converted<String> {
        whole(&Value::from(written), self.scope, path)?.as_text(path)
    }

    /// A call that generates these objects.
    fn apply(&self, namespace: &str, objects: &str) -> String {
        match self.home {
            Some(_) => format!("generator.Apply({objects})"),
            None => format!("generator.Apply({namespace}, {objects})"),
        }
    }

    /// A copy of one object.
    fn clone(&mut self, body: &Value, path: &Path) -> Converted<String> {
        let place = path.join("clone");
        let of = |keys: &[&str]| body.find_str(keys).to_owned();
        let (name, from) = (of(&["name"]), of(&["clone", "name"]));
        self.of_home(body, path)?;
        if name != from {
            let text = format!("a copy under another name than `{from}`: no function there changes a map");
            return refuse(Class::Rule, &path.join("name"), text);
        }
        let (from, of_source) = (self.text(&from, &place)?, self.text(&of(&["clone", "namespace"]), &place)?);
        let namespace = self.text(&of(&["namespace"]), &path.join("namespace"))?;
        self.not_onto_itself(&namespace, &of_source, &place)?;
        let (version, kind) = (of(&["apiVersion"]), of(&["kind"]));
        let (version, resource) = (quoted(&version), quoted(&plural(&kind)));
        let call = match self.home {
            Some(_) => return refuse(Class::Rule, &place, "a copy within the namespace of the policy"),
            None => format!("resource.Get({version}, {resource}, {of_source}, {from})"),
        };
        let source = self.scope.variable_of("source", &call);
        Ok(self.apply(&namespace, &format!("[{source}]")))
    }

    /// Kyverno copies nothing onto itself.
    fn not_onto_itself(&mut self, namespace: &str, source: &str, path: &Path) -> Converted<()> {
        if namespace == source {
            return refuse(Class::Rule, path, "a copy within one namespace");
        }
        let are_written = namespace.starts_with('\'') && source.starts_with('\'');
        if !are_written && self.scope.elements.is_empty() {
            self.conditions.push(("not-the-source".into(), format!("{namespace} != {source}")));
        }
        Ok(())
    }

    /// Copies of all objects of some kinds that have these labels.
    fn clone_list(&mut self, body: &Value, path: &Path) -> Converted<Vec<String>> {
        let place = path.join("cloneList");
        let of = body.get("cloneList").cloned().unwrap_or_default();
        if of.get("selector").is_some_and(|selector| engine_json::to_json(selector).contains("{{")) {
            return refuse(Class::Rule, &place.join("selector"), "variables in a selector");
        }
        if self.home.is_some() {
            return refuse(Class::Rule, &place, "copies by a policy of a namespace");
        }
        let source = self.text(of.find_str(&["namespace"]), &place.join("namespace"))?;
        let namespace = self.text(body.find_str(&["namespace"]), &path.join("namespace"))?;
        self.not_onto_itself(&namespace, &source, &place)?;
        let mut all = Vec::new();
        for kind in crate::kinds::written(&of, "kinds") {
            let (version, kind) = kind.rsplit_once('/').unwrap_or(("", kind));
            let plural = plural(kind);
            let call =
                format!("dyn(resource.List({}, {}, {source}).items)", quoted(version), quoted(&plural));
            let mut item = kind.to_owned();
            if let Some(first) = item.get_mut(..1) {
                first.make_ascii_lowercase();
            }
            let listed = match of.get("selector").filter(|selector| !is_nothing(selector)) {
                None => call,
                Some(selector) => {
                    let fits = labels(
                        &format!("{item}.metadata"),
                        selector,
                        &place.join("selector"),
                        self.scope.schema,
                    )?;
                    format!("{call}.filter({item},\n  {})", fits.text().replace('\n', "\n  "))
                }
            };
            let variable = self.scope.variable_of(&plural, &listed);
            all.push(self.apply(&namespace, &variable));
        }
        Ok(all)
    }

    /// One loop: of every element of a list an object.
    fn each(&mut self, written: &Value, path: &Path) -> Converted<Value> {
        let place = path.join("list");
        let elements = value(written.find_str(&["list"]), self.scope, &place)?.elements(&place)?;
        if matches!(&*elements.item, Expr::Elements(_)) {
            return refuse(Class::Rule, &place, "a list of lists");
        }
        let mut inner = self.scope.within((*elements.item).clone());
        inner.context(written.get("context"), &path.join("context"));
        let mut counts = elements.filter.clone();
        if let Some(conditions) = written.get("preconditions").filter(|written| !written.is_null()) {
            let (needs, holds) = Conditions::new(&inner).needing(conditions, &path.join("preconditions"))?;
            counts = Formula::and([counts, needs, holds]);
        }
        let mut of_element = Writer { scope: &inner, home: self.home, conditions: Vec::new() };
        let made = if written.find_str(&["clone", "name"]).is_empty() {
            if written.get("cloneList").is_some_and(|list| !is_nothing(list)) {
                return refuse(Class::Rule, &path.join("cloneList"), "copies within a loop");
            }
            let mut object = of_element.object(written, path)?;
            let namespace = of_element.text(written.find_str(&["namespace"]), &path.join("namespace"))?;
            let metadata = object.object_mut().and_then(|object| object.get_mut("metadata"));
            if let Some(metadata) = metadata.and_then(Value::object_mut) {
                metadata.remove("namespace");
            }
            let object = of_element.literal(&object, path, 0)?;
            of_element.apply(&namespace, &format!("[{object}]"))
        } else {
            of_element.clone(written, path)?
        };
        let list = match counts {
            Formula::True => operand(&elements.list),
            counts => format!("{}.filter({}, {})", operand(&elements.list), elements.name, counts.text()),
        };
        let text = format!("{list}.all({},\n  {})", elements.name, made.replace('\n', "\n  "));
        Ok(map([("expression", Value::from(text))]))
    }

    /// An object in CEL, in which all values of a map have one type.
    fn literal(&self, written: &Value, path: &Path, depth: usize) -> Converted<String> {
        let pad = "  ".repeat(depth + 1);
        match written {
            _ if depth > MAX_DEPTH => refuse(Class::Rule, path, "an object of such depth"),
            Value::String(text) if text.contains("{{") => match parts(text).as_slice() {
                [Part::Variable(_)] => self.native(written, path),
                _ => self.text(text, path),
            },
            Value::String(text) => Ok(quoted(text)),
            Value::Object(map) => {
                let fields = map.iter().map(|(key, value)| {
                    if key.contains("{{") {
                        return refuse(Class::Rule, path, format!("a variable in the key `{key}`"));
                    }
                    let text = self.literal(value, path, depth + 1)?;
                    // Values of one type need no more.
                    let text = if map.len() == 1 { text } else { format!("dyn({text})") };
                    Ok(format!("{pad}{}: {text}", quoted(key)))
                });
                let fields = fields.collect::<Converted<Vec<_>>>()?;
                let end = "  ".repeat(depth);
                Ok(if fields.is_empty() {
                    "{}".into()
                } else {
                    format!("{{\n{}\n{end}}}", fields.join(",\n"))
                })
            }
            Value::Array(list) => {
                let items =
                    list.iter().map(|one| Ok(format!("dyn({})", self.literal(one, path, depth + 1)?)));
                Ok(format!("[{}]", items.collect::<Converted<Vec<_>>>()?.join(", ")))
            }
            other => Ok(engine_json::to_json(other)),
        }
    }
}

/// Entries of `generate` that are expressions.
fn expressions(all: &[String]) -> Vec<Value> {
    all.iter().map(|text| map([("expression", Value::from(text.as_str()))])).collect()
}
