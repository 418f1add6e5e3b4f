//! The texts that `create` writes.
//!
//! In: the arguments of one thing. Out: its text, with the layout of the original's templates; arguments that do not
//! have the right form are passed over, as the original does.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/commands/create/templates.

use crate::args::{
    CreateClusterRole, CreateException, CreateMetricsConfig, CreateTest, CreateUserInfo, CreateValues,
};
use engine::json::{Map, Value, to_json_indent};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A PolicyException.
pub(super) fn exception(arguments: &CreateException) -> String {
    let CreateException { name, namespace, background, .. } = arguments;
    let namespace = if namespace.is_empty() { "default" } else { namespace };
    let mut out = format!(
        "apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata:\n  name: {name}\n  namespace: {namespace}\nspec:\n  background: {background}\n  match:\n"
    );
    for (how, filters) in [("any", &arguments.any), ("all", &arguments.all)] {
        let filters: Vec<Filter> = filters.iter().filter_map(|text| Filter::parse(text)).collect();
        if !filters.is_empty() {
            let _ = writeln!(out, "    {how}:");
            for filter in &filters {
                filter.write(&mut out);
            }
        }
    }
    let rules: Vec<(&str, Vec<&str>)> = arguments
        .policy_rules
        .iter()
        .filter_map(|text| {
            let (policy, rules) = text.split_once(',')?;
            Some((policy, rules.split(',').collect()))
        })
        .collect();
    if !rules.is_empty() {
        out.push_str("  exceptions:\n");
    }
    for (policy, rules) in rules {
        let _ = writeln!(out, "    - policyName: {policy}\n      ruleNames:");
        list(&mut out, 8, &rules);
    }
    out
}

/// `kind=Pod,name=web-*`.
#[derive(Default)]
struct Filter<'a> {
    kinds: Vec<&'a str>,
    names: Vec<&'a str>,
    namespaces: Vec<&'a str>,
    operations: Vec<&'a str>,
}

impl<'a> Filter<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut filter = Filter::default();
        for part in text.split(',') {
            let (key, value) = pair(part)?;
            match key {
                "kind" => filter.kinds.push(value),
                "name" => filter.names.push(value),
                "namespace" => filter.namespaces.push(value),
                "operation" => filter.operations.push(value),
                _ => {}
            }
        }
        Some(filter)
    }

    // Kyverno: only kinds begin an entry of the list.
    fn write(&self, out: &mut String) {
        let parts = [
            ("    - kinds", &self.kinds),
            ("      names", &self.names),
            ("      namespaces", &self.namespaces),
            ("      operations", &self.operations),
        ];
        for (title, values) in parts.into_iter().filter(|(_, values)| !values.is_empty()) {
            let _ = writeln!(out, "{title}:");
            list(out, 8, values);
        }
    }
}

/// Two sides of exactly one `=`.
fn pair(text: &str) -> Option<(&str, &str)> {
    text.split_once('=').filter(|(_, value)| !value.contains('='))
}

fn list<T: AsRef<str>>(out: &mut String, indent: usize, items: &[T]) {
    for item in items {
        let _ = writeln!(out, "{}- {}", " ".repeat(indent), item.as_ref());
    }
}

/// The ConfigMap of metrics.
pub(super) fn metrics_config(arguments: &CreateMetricsConfig) -> String {
    let mut namespaces = Map::new();
    for (key, names) in [("include", &arguments.include), ("exclude", &arguments.exclude)] {
        if !names.is_empty() {
            namespaces
                .insert(key, Value::array(names.iter().map(|name| Value::from(name.as_str())).collect()));
        }
    }
    let CreateMetricsConfig { name, namespace, .. } = arguments;
    let mut out = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  namespace: {namespace}\ndata:\n  namespaces: |\n"
    );
    // Go: a struct keeps the order of its fields.
    let text = match (namespaces.get("include"), namespaces.get("exclude")) {
        (Some(include), Some(exclude)) => {
            let inner = |value: &Value| to_json_indent(value, "  ").replace('\n', "\n  ");
            format!("{{\n  \"include\": {},\n  \"exclude\": {}\n}}", inner(include), inner(exclude))
        }
        _ => to_json_indent(&Value::object(namespaces), "  "),
    };
    for line in text.lines() {
        let _ = writeln!(out, "    {line}");
    }
    out
}

/// An aggregated ClusterRole; the text has no last line end.
pub(super) fn cluster_role(arguments: &CreateClusterRole) -> Result<String, String> {
    let CreateClusterRole { name, api_groups, resources, controllers, .. } = arguments;
    let required =
        [(name, "name argument is required"), (api_groups, "required flag(s) \"api-groups\" not set")];
    if let Some((_, reason)) = required.iter().find(|(text, _)| text.is_empty()) {
        return Err((*reason).to_owned());
    }
    if controllers.iter().all(String::is_empty) && controllers.len() <= 1 {
        return Err("invalid controller provided".to_owned());
    }
    let all = ["create", "get", "update", "delete", "list", "watch"].map(str::to_owned);
    let verbs =
        if arguments.verbs.first().is_some_and(|verb| verb == "all") { &all[..] } else { &arguments.verbs };
    let mut out = format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: kyverno-{name}-permission\n  labels:\n"
    );
    for controller in controllers {
        let _ = writeln!(out, "      rbac.kyverno.io/aggregate-to-{controller}: \"true\"");
    }
    let verbs: Vec<String> = verbs.iter().map(|verb| format!("\"{verb}\"")).collect();
    let (resources, verbs) = (resources.join(","), verbs.join(", "));
    let _ = write!(
        out,
        "rules:\n  - apiGroups: [\"{api_groups}\"]\n    resources: [\"{resources}\"]\n    verbs: [{verbs}]"
    );
    Ok(out)
}

/// A test file of the old form.
pub(super) fn test(arguments: &CreateTest) -> String {
    let mut out = format!("# test name\nname: {}\n\n# list of policy files\npolicies:\n", arguments.name);
    list(&mut out, 2, &arguments.policy);
    out.push_str("\n# list of resource files\nresources:\n");
    list(&mut out, 2, &arguments.resource);
    let values = &arguments.values;
    let _ = write!(
        out,
        "\n# variables file (optional)\nvariables: {values}\n\n# list of expected results\nresults:\n"
    );
    for (result, entries) in [("pass", &arguments.pass), ("fail", &arguments.fail), ("skip", &arguments.skip)]
    {
        for entry in entries {
            let parts: Vec<&str> = entry.split(',').collect();
            // Kyverno: a sixth part, the patched resource, is taken and not written.
            let [policy, rule, resource, namespace, kind, ..] = parts.as_slice() else { continue };
            if parts.len() <= 6 {
                let _ = writeln!(
                    out,
                    "  - policy: {policy}\n    rule: {rule}\n    resource: {resource}\n    namespace: {namespace}\n    kind: {kind}\n    result: {result}"
                );
            }
        }
    }
    out
}

/// A user info file.
pub(super) fn user_info(arguments: &CreateUserInfo) -> String {
    let mut out = String::from("# list of roles\nroles:\n");
    list(&mut out, 2, &arguments.role);
    out.push_str("\n# list of cluster roles\nclusterRoles:\n");
    list(&mut out, 2, &arguments.cluster_role);
    let user = &arguments.username;
    let _ = write!(out, "\nuserInfo:\n  # user name\n  username: {user}\n\n  # list of groups\n  groups:\n");
    list(&mut out, 4, &arguments.group);
    out
}

/// A values file of the old form.
pub(super) fn values(arguments: &CreateValues) -> String {
    let mut out = String::from("# list of policy values\npolicies:\n");
    for (what, entries) in [("rules", &arguments.rule), ("resources", &arguments.resource)] {
        for entry in entries {
            let parts: Vec<&str> = entry.split(',').collect();
            let [policy, name, values @ ..] = parts.as_slice() else { continue };
            let _ = writeln!(out, "  - name: {policy}\n    {what}:\n      - name: {name}\n        values:");
            pairs(&mut out, 10, values);
        }
    }
    out.push_str("\n# list of global values\nglobalValues:\n");
    let global: Vec<&str> = arguments.global.iter().map(String::as_str).collect();
    pairs(&mut out, 2, &global);
    out.push_str("\n# list of namespace selectors\nnamespaceSelector:\n");
    for entry in &arguments.ns_selector {
        let parts: Vec<&str> = entry.split(',').collect();
        if let [name, labels @ ..] = parts.as_slice()
            && !labels.is_empty()
        {
            let _ = writeln!(out, "  - name: {name}\n    labels:");
            pairs(&mut out, 6, labels);
        }
    }
    out
}

/// `name=value` texts as a map, in the order of the names.
fn pairs(out: &mut String, indent: usize, texts: &[&str]) {
    let known = texts.iter().filter_map(|text| pair(text)).filter(|(k, v)| !k.is_empty() && !v.is_empty());
    for (name, value) in known.collect::<BTreeMap<_, _>>() {
        let _ = writeln!(out, "{}{name}: {value}", " ".repeat(indent));
    }
}
