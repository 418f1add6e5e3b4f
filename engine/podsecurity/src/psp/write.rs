//! A changed Pod as a value again.
//!
//! In: the Pod as it came, and as a policy leaves it. Out: the first with what the policy set, and nothing else touched.

use super::pod::{Container, Pod, SeLinux, Shared, container_path};
use engine_json::{Map, Segment, Str, Value};

/// The Pod with everything that differs from it put in.
pub(super) fn write(value: &Value, pod: &Pod) -> Value {
    let mut out = value.clone();
    // What cannot be read has been refused before, and a Pod that can be read again compares field by field.
    let Ok(before) = Pod::read(value) else { return out };
    for (key, text) in &pod.annotations {
        if before.annotations.get(key) != Some(text) {
            set(
                &mut out,
                &["metadata".into(), "annotations".into(), Segment::Key(key.clone())],
                Value::from(text.clone()),
            );
        }
    }
    let spec = |keys: &[&str]| -> Vec<Segment> {
        std::iter::once("spec").chain(keys.iter().copied()).map(Segment::from).collect()
    };
    if let (Some(groups), None) = (&pod.supplemental_groups, &before.supplemental_groups) {
        let groups = groups.iter().map(|group| Value::from(*group)).collect();
        set(&mut out, &spec(&["securityContext", "supplementalGroups"]), Value::array(groups));
    }
    if let (Some(group), None) = (pod.fs_group, before.fs_group) {
        set(&mut out, &spec(&["securityContext", "fsGroup"]), Value::from(group));
    }
    if let (Some(name), None) = (&pod.runtime_class, &before.runtime_class) {
        set(&mut out, &spec(&["runtimeClassName"]), Value::from(name.clone()));
    }
    write_shared(&mut out, &spec(&["securityContext"]), &before.shared, &pod.shared);
    for (before, after) in before.containers.iter().zip(&pod.containers) {
        write_container(&mut out, before, after);
    }
    out
}

fn write_container(out: &mut Value, before: &Container, after: &Container) {
    let context = container_path(after).join("securityContext");
    write_shared(out, &context, &before.shared, &after.shared);
    let at = |key: &str| -> Vec<Segment> { context.iter().cloned().chain([Segment::from(key)]).collect() };
    if before.capabilities != after.capabilities
        && let Some(capabilities) = &after.capabilities
    {
        let list = |names: &[Str]| Value::array(names.iter().cloned().map(Value::from).collect());
        let parts = [("add", &capabilities.add), ("drop", &capabilities.drop)];
        let set_parts = parts.into_iter().filter(|(_, names)| !names.is_empty());
        let map: Map = set_parts.map(|(key, names)| (key, list(names))).collect();
        set(out, &at("capabilities"), Value::object(map));
    }
    let flags = [
        ("readOnlyRootFilesystem", before.read_only_root, after.read_only_root),
        ("allowPrivilegeEscalation", before.allow_escalation, after.allow_escalation),
    ];
    for (key, before, after) in flags {
        if let (None, Some(flag)) = (before, after) {
            set(out, &at(key), Value::from(flag));
        }
    }
}

fn write_shared(out: &mut Value, context: &[Segment], before: &Shared, after: &Shared) {
    let at = |key: &str| -> Vec<Segment> { context.iter().cloned().chain([Segment::from(key)]).collect() };
    if let (None, Some(user)) = (before.run_as_user, after.run_as_user) {
        set(out, &at("runAsUser"), Value::from(user));
    }
    if let (None, Some(group)) = (before.run_as_group, after.run_as_group) {
        set(out, &at("runAsGroup"), Value::from(group));
    }
    if let (None, Some(flag)) = (before.run_as_non_root, after.run_as_non_root) {
        set(out, &at("runAsNonRoot"), Value::from(flag));
    }
    if let (None, Some(options)) = (&before.se_linux, &after.se_linux) {
        set(out, &at("seLinuxOptions"), se_linux_value(options));
    }
}

fn se_linux_value(options: &SeLinux) -> Value {
    let parts = [
        ("user", &options.user),
        ("role", &options.role),
        ("type", &options.kind),
        ("level", &options.level),
    ];
    let set = parts.into_iter().filter(|(_, text)| !text.is_empty());
    Value::object(set.map(|(key, text)| (key, Value::from(text.clone()))).collect())
}

/// Sets a value at the end of a path, making maps on the way; a path into a missing item of a list sets nothing.
fn set(value: &mut Value, path: &[Segment], new: Value) {
    let mut here = value;
    for segment in path {
        let next = match segment {
            Segment::Index(at) => here.array_mut().and_then(|list| list.get_mut(*at as usize)),
            Segment::Key(key) => {
                let map = here.make_object();
                if !map.contains_key(key) {
                    map.insert(key.clone(), Value::Null);
                }
                map.get_mut(key)
            }
        };
        match next {
            Some(next) => here = next,
            None => return,
        }
    }
    *here = new;
}
