//! The policies for controllers that a policy which changes Pods stands for as well.
//!
//! In: the document of a policy. Out: its variants. Unlike those of policies that validate, only conditions and configurations are rewritten,
//! and the configuration as a whole is put into the template. Mirrors: `pkg/cel/policies/mpol/autogen/autogen.go` of Kyverno 1.19.

use super::autogen::{CONTROLLERS, CRON_JOBS, constraints, controllers, is_for_pods, rule};
use engine_json::{Str, Value};

/// Where the template of a Pod stands in a controller, and what a configuration is put into.
struct Template {
    path: &'static str,
    begin: &'static str,
    end: &'static str,
}

const DEFAULTS: Template = Template {
    path: "spec.template",
    begin: "Object{spec: Object.spec{template: Object.spec.template{",
    end: "}}}",
};

const OF_CRON_JOBS: Template = Template {
    path: "spec.jobTemplate.spec.template",
    begin: "Object{spec: Object.spec{jobTemplate: Object.spec.jobTemplate{spec: Object.spec.jobTemplate.spec{template: Object.spec.jobTemplate.spec.template{",
    end: "}}}}}",
};

/// The documents of the variants.
pub(super) fn variants(document: &Value) -> Vec<Value> {
    let Some(spec) = document.get("spec").filter(|spec| is_for_pods(spec)) else { return Vec::new() };
    let asked = controllers(spec);
    let is_asked = |name: &str| asked.as_ref().is_none_or(|asked| asked.iter().any(|known| known == name));
    let rules = ["apps", "batch"].into_iter().filter_map(|group| {
        let plurals = CONTROLLERS.iter().filter(|(of, plural)| *of == group && is_asked(plural));
        rule(spec, (group, "v1"), &plurals.map(|(_, plural)| *plural).collect::<Vec<_>>())
    });
    let mut variants = Vec::new();
    variants.extend(variant(document, spec, rules.collect(), &DEFAULTS));
    if is_asked(CRON_JOBS) {
        let rules = rule(spec, ("batch", "v1"), &[CRON_JOBS]).into_iter().collect();
        variants.extend(variant(document, spec, rules, &OF_CRON_JOBS));
    }
    variants
}

/// A document with these rules, whose expressions look into a template; none without rules.
fn variant(document: &Value, spec: &Value, rules: Vec<Value>, template: &Template) -> Option<Value> {
    let constraints = constraints(spec, rules)?;
    let mut fields = spec.as_object()?.clone();
    fields.insert("matchConstraints", constraints);
    for (list, way) in [("matchConditions", &[][..]), ("mutations", &["applyConfiguration"][..])] {
        let entries = fields.get_mut(list).and_then(Value::array_mut);
        for entry in entries.into_iter().flatten() {
            let inner = way.iter().try_fold(entry, |entry, key| entry.object_mut()?.get_mut(key));
            let written = inner.and_then(|inner| inner.object_mut()?.get_mut("expression"));
            let Some(written) = written else { continue };
            if let Some(text) = written.as_str().filter(|text| !text.is_empty()) {
                *written = Value::String(Str::from(rewritten(text, template)));
            }
        }
    }
    let mut whole = document.as_object()?.clone();
    whole.insert("spec", Value::object(fields));
    Some(Value::object(whole))
}

/// An expression about a Pod as one about the template of a controller.
fn rewritten(text: &str, template: &Template) -> String {
    let path = template.path;
    let mut text = moved(text, ".spec", &format!(".{path}.spec"));
    for part in [".metadata.labels", ".metadata.annotations"] {
        text = moved(&text, part, &format!(".{path}{part}"));
    }
    let Some(rest) = text.trim().strip_prefix("Object") else { return text };
    let Some(content) = rest.trim_start_matches([' ', '\t', '\r', '\n']).strip_prefix('{') else {
        return text;
    };
    let mut depth = 1_usize;
    let end = content.char_indices().find_map(|(at, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    });
    match end.filter(|end| *end > 0).and_then(|end| Some((content.get(..end)?, content.get(end + 1..)?))) {
        Some((inner, behind)) => [template.begin, inner, template.end, behind].concat(),
        None => text,
    }
}

/// The text with a part of `object`, `oldObject` or `Object` moved wherever one of these words begins.
fn moved(text: &str, part: &str, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = None;
    while let Some(c) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let begins = !before.is_some_and(is_word);
        let name = ["object", "oldObject", "Object"]
            .into_iter()
            .find(|name| begins && rest.strip_prefix(name).is_some_and(|behind| behind.starts_with(part)));
        let length = if let Some(name) = name {
            out.push_str(name);
            out.push_str(to);
            name.len() + part.len()
        } else {
            out.push(c);
            c.len_utf8()
        };
        before = rest.get(..length).and_then(|passed| passed.chars().next_back());
        rest = rest.get(length..).unwrap_or("");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_are_put_into_the_template() {
        let of = |text: &str| rewritten(text, &DEFAULTS);
        assert_eq!(
            of("Object {spec: Object.spec{hostNetwork: object.spec.x}}"),
            "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{hostNetwork: object.spec.template.spec.x}}}}"
        );
        assert_eq!(of("Object{}"), "Object{}");
        assert_eq!(
            of("has(object.spec) ? Object{} : Object{}"),
            "has(object.spec.template.spec) ? Object{} : Object{}"
        );
        assert_eq!(of("myobject.spec + object.metadata.name"), "myobject.spec + object.metadata.name");
        assert_eq!(of("request.object.metadata.labels"), "request.object.spec.template.metadata.labels");
    }
}
