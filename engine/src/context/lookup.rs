//! Context entries that look something up by a name with variables: ConfigMaps and GlobalContextEntries.
//!
//! In: the entry, and what there is. Out: its value, or Kyverno's words for what is not there.
//! Mirrors: pkg/engine/context/loaders/{configmap,globalcontext}.go.

use super::{Evaluator, JsonContext, List, variables};
use crate::load::{Answers, GlobalEntry};
use crate::policy::{ContextEntry, Source};
use crate::value::go_text;
use engine_json::{Map, Str, Value};

impl JsonContext<'_> {
    /// Data and metadata of the ConfigMap that an entry names.
    // Kyverno: configMapLoader.fetchConfigMap.
    pub(super) fn config_map(
        &mut self,
        entry: &ContextEntry,
        policy_namespace: &str,
    ) -> Result<Value, String> {
        let Source::ConfigMap { name, namespace } = &entry.source else { return Err(String::new()) };
        let name = self.text_of(entry, "name", name)?;
        let mut namespace = self.text_of(entry, "namespace", namespace)?;
        if namespace.is_empty() {
            namespace = Str::new(if policy_namespace.is_empty() { "default" } else { policy_namespace });
        }
        if !policy_namespace.is_empty() && namespace != policy_namespace {
            return Err(format!(
                "context entry {}: configMap namespace \"{namespace}\" is different from policy namespace \"{policy_namespace}\"",
                entry.name
            ));
        }
        let listed = self.evaluator.directory().list(List::Answers);
        let maps = listed.index().in_groups("ConfigMap");
        let places = maps.filter_map(|of| of.named(&namespace, &name).first());
        let path = format!("/api/v1/namespaces/{namespace}/configmaps/{name}");
        let found = match self.evaluator.world().kubernetes(&path) {
            Some(answer) => answer.map(|answer| answer.with_float_numbers()),
            None => places
                .min()
                .and_then(|place| listed.objects.get(*place))
                .map(|object| object.value.clone())
                .ok_or_else(|| format!("configmaps \"{name}\" not found")),
        };
        let found = found.map_err(|error| format!("failed to get configmap {namespace}/{name} : {error}"))?;
        let field = |key: &str| found.get(key).cloned().unwrap_or_default();
        let entries = [("data", field("data")), ("metadata", field("metadata"))];
        Ok(entries.into_iter().collect::<Map>().into())
    }

    fn text_of(&mut self, entry: &ContextEntry, field: &str, written: &Str) -> Result<Str, String> {
        let name = &entry.name;
        let failed = |error: String| {
            format!("failed to substitute variables in context {name} configMap.{field} {written}: {error}")
        };
        match variables::substitute(self, &Value::String(written.clone())) {
            Ok(Value::String(text)) => Ok(text),
            Ok(other) => Err(failed(format!("expected string, got {}", other.go_type()))),
            Err(error) => Err(failed(error)),
        }
    }

    /// What a GlobalContextEntry holds, or one of its projections.
    // Kyverno: gctxLoader.loadGctxData over delegatingGCtxStore.
    pub(super) fn global_entry(
        &mut self,
        entry: &str,
        reference: &Value,
        answers: &Answers,
    ) -> Result<Value, String> {
        let resolved = variables::substitute(self, reference)?;
        let mut names = resolved.find_str(&["name"]).split('.');
        let (name, projection) = (names.next().unwrap_or(""), names.next().unwrap_or(""));
        let value = if let Some((_, held)) = answers.global.iter().find(|(known, _)| known == name) {
            mocked_value(held.clone()?, projection)?
        } else if let Some(given) = answers.entries.iter().rfind(|known| known.name == name) {
            if given.is_assumed {
                self.evaluator.assume_none(given.plural());
            }
            global_value(given, projection, self.evaluator)?
        } else {
            let known = self.evaluator.world().global_context(name, projection);
            known.ok_or_else(|| format!("failed to fetch entry key={name}"))?
        };
        match resolved.find_str(&["jmesPath"]) {
            "" => Ok(value),
            path => self.evaluator.search_text(path, &value.with_float_numbers()).map_err(|error| {
                format!("failed to apply JMESPath {path} for context entry {entry}: {error}")
            }),
        }
    }
}

/// What becomes of an entry whose answer nobody has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absent {
    /// It is an error.
    Fails,
    /// Its name stays unknown, as where the CLI does not load it.
    Unknown,
}

// Kyverno: mockEntry.Get.
fn mocked_value(value: Value, projection: &str) -> Result<Value, String> {
    if projection.is_empty() {
        return Ok(value);
    }
    let Value::Object(map) = &value else {
        return Err(format!(
            "global context mock: projection \"{projection}\" requested but value is not an object"
        ));
    };
    let found = map.get(projection).cloned();
    found.ok_or_else(|| format!("global context mock: projection \"{projection}\" not found"))
}

/// What a given GlobalContextEntry holds, or one of its projections.
// Kyverno: staticEntry.Get, buildGlobalContextStore.
pub(crate) fn global_value(
    entry: &GlobalEntry,
    projection: &str,
    evaluator: &Evaluator<'_>,
) -> Result<Value, String> {
    if projection.is_empty() {
        return Ok(entry.objects.clone());
    }
    let found = entry.projections.iter().rfind(|(name, _)| name == projection);
    let (_, path) = found.ok_or_else(|| format!("projection {} not found", go_text::quote(projection)))?;
    let failed = |verb: &str, error: &dyn std::fmt::Display| {
        let (projection, entry) = (go_text::quote(projection), &entry.name);
        format!("failed to {verb} projection {projection} for GlobalContextEntry {entry}: {error}")
    };
    let compiled = evaluator.compile(path);
    let expression = compiled.as_ref().as_ref().map_err(|error| failed("parse", error))?;
    evaluator.search(expression, &entry.objects).map_err(|error| failed("apply", &error))
}
