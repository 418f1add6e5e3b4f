//! Checks of what the Pod and its containers set alike.
//!
//! In: a check and its revision. Out: its unit; `None` where all of it is excluded.

use super::exempt::Values;
use super::unit::{Fault, Maker, Unit};
use super::words::{in_quotes, list, named};

/// The names of variables and the fields of one setting.
pub(super) struct Setting {
    /// The variable that says that the Pod is at fault.
    pub(super) of_pod: &'static str,
    /// The variable with the containers at fault.
    pub(super) of_containers: &'static str,
    /// The variable with those who set it, in words.
    pub(super) setters: &'static str,
}

/// A field below a security context: of the Pod, of containers, and when it is at fault, with `@` for the place.
pub(super) struct Field {
    pub(super) of_pod: &'static str,
    pub(super) of_container: &'static str,
    pub(super) bad: Vec<String>,
    pub(super) value: FieldValue,
}

/// What exclusions are held against.
pub(super) enum FieldValue {
    Constant(&'static str),
    /// An expression with `@` for the place.
    Text(String),
}

impl Field {
    fn fault(&self, at: &str, field: &'static str) -> Fault {
        let values = match &self.value {
            FieldValue::Constant(text) => Values::Constant(text),
            FieldValue::Text(text) => Values::Text(text.replace('@', at)),
        };
        let bad = self.bad.iter().map(|part| part.replace('@', at)).collect();
        Fault { field, bad, values, within: None }
    }
}

/// Notes the variables of a setting; whether the Pod and the containers can be at fault.
pub(super) fn setting(maker: &Maker<'_>, unit: &mut Unit, names: &Setting, fields: &[Field]) -> (bool, bool) {
    let of_pod: Vec<String> = fields
        .iter()
        .filter_map(|field| maker.of_pod(&field.fault(maker.place.spec(), field.of_pod)))
        .collect();
    if !of_pod.is_empty() {
        unit.variable(names.of_pod, of_pod.join(" ||\n"));
    }
    let faults: Vec<Fault> =
        fields.iter().map(|field| field.fault("container", field.of_container)).collect();
    let of_containers = maker.faulty(unit, &faults);
    let has_containers = of_containers.is_some();
    if let Some(of_containers) = of_containers {
        unit.variable(names.of_containers, of_containers);
    }
    let who = setters(names, !of_pod.is_empty(), has_containers);
    if let Some(who) = who {
        unit.variable(names.setters, who);
    }
    (!of_pod.is_empty(), has_containers)
}

/// `pod`, `container "a"`: those at fault, as a list of texts.
fn setters(names: &Setting, of_pod: bool, of_containers: bool) -> Option<String> {
    let mut parts = Vec::new();
    if of_pod {
        parts.push(format!("(variables.{} ? ['pod'] : [])", names.of_pod));
    }
    if of_containers {
        let name = names.of_containers;
        parts.push(format!("(variables.{name}.size() == 0 ? [] : [\n  {}])", named("container", name)));
    }
    (!parts.is_empty()).then(|| parts.join(" +\n"))
}

/// Finishes a check of which every fault has one sentence.
fn finish(unit: &mut Unit, names: &Setting, can: (bool, bool), sentence: &str) -> Option<()> {
    if can == (false, false) {
        return None;
    }
    unit.expression = format!("variables.{}.size() == 0", names.setters);
    unit.detail = format!("variables.{}.join(' and ') +\n  {sentence}", names.setters);
    Some(())
}

/// The values at fault of the Pod and of containers, as a list of texts; `@` stands for the place.
pub(super) fn texts(maker: &Maker<'_>, names: &Setting, can: (bool, bool), value: &str) -> String {
    let mut parts = Vec::new();
    if can.0 {
        let of_pod = value.replace('@', maker.place.spec());
        parts.push(format!("(variables.{} ? [{of_pod}] : [])", names.of_pod));
    }
    if can.1 {
        let of_container = value.replace('@', "container");
        parts.push(format!("variables.{}.map(container,\n    {of_container})", names.of_containers));
    }
    format!("({})", parts.join(" +\n   "))
}

pub(super) fn host_process(maker: &Maker<'_>, unit: &mut Unit) -> Option<()> {
    let names =
        Setting { of_pod: "podIsHostProcess", of_containers: "hostProcesses", setters: "hostProcessSetters" };
    let field = Field {
        of_pod: "spec.securityContext.windowsOptions.hostProcess",
        of_container: "securityContext.windowsOptions.hostProcess",
        bad: vec!["@.?securityContext.?windowsOptions.?hostProcess.orValue(false) == true".to_owned()],
        value: FieldValue::Constant("true"),
    };
    let can = setting(maker, unit, &names, &[field]);
    finish(unit, &names, can, "' must not set securityContext.windowsOptions.hostProcess=true'")
}

pub(super) fn run_as_user(maker: &Maker<'_>, unit: &mut Unit) -> Option<()> {
    let names = Setting { of_pod: "podRunsAsRoot", of_containers: "runningAsRoot", setters: "rootSetters" };
    let field = Field {
        of_pod: "spec.securityContext.runAsUser",
        of_container: "securityContext.runAsUser",
        bad: vec!["@.?securityContext.?runAsUser.orValue(1) == 0".to_owned()],
        value: FieldValue::Constant("0"),
    };
    let can = setting(maker, unit, &names, &[field]);
    finish(unit, &names, can, "' must not set runAsUser=0'")
}

pub(super) fn se_linux(maker: &Maker<'_>, unit: &mut Unit, since: u64) -> Option<()> {
    let names =
        Setting { of_pod: "podSetsSELinux", of_containers: "settingSELinux", setters: "seLinuxSetters" };
    let types: &[&str] = if since < 31 {
        &["", "container_t", "container_init_t", "container_kvm_t"]
    } else {
        &["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"]
    };
    unit.variable("allowedSELinuxTypes", list(types));
    let of = |key: &str| format!("@.?securityContext.?seLinuxOptions.?{key}.orValue('')");
    let field = |of_pod, of_container, key: &str, bad: String| Field {
        of_pod,
        of_container,
        bad: vec![bad],
        value: FieldValue::Text(of(key)),
    };
    let fields = [
        field(
            "spec.securityContext.seLinuxOptions.type",
            "securityContext.seLinuxOptions.type",
            "type",
            format!("!({} in variables.allowedSELinuxTypes)", of("type")),
        ),
        field(
            "spec.securityContext.seLinuxOptions.user",
            "securityContext.seLinuxOptions.user",
            "user",
            format!("{} != ''", of("user")),
        ),
        field(
            "spec.securityContext.seLinuxOptions.role",
            "securityContext.seLinuxOptions.role",
            "role",
            format!("{} != ''", of("role")),
        ),
    ];
    let can = setting(maker, unit, &names, &fields);
    finish(unit, &names, can, "' set forbidden securityContext.seLinuxOptions'")
}

/// When a profile is there and is not allowed, with `@` for the place.
pub(super) fn bad_profile(key: &str) -> (Vec<String>, String) {
    let profile = format!("@.?securityContext.?{key}");
    let value = format!("{profile}.?type.orValue('')");
    (vec![format!("{profile}.hasValue()"), format!("!({value} in ['RuntimeDefault', 'Localhost'])")], value)
}

pub(super) const SECCOMP: Setting =
    Setting { of_pod: "podHasSeccomp", of_containers: "withSeccomp", setters: "seccompSetters" };

/// The field of seccomp profiles.
pub(super) fn seccomp_field() -> (Field, String) {
    let (bad, value) = bad_profile("seccompProfile");
    let field = Field {
        of_pod: "spec.securityContext.seccompProfile.type",
        of_container: "securityContext.seccompProfile.type",
        bad,
        value: FieldValue::Text(value.clone()),
    };
    (field, value)
}

/// The sentence about forbidden seccomp profiles.
pub(super) fn seccomp_sentence(maker: &Maker<'_>, can: (bool, bool), value: &str) -> String {
    format!(
        "' must not set securityContext.seccompProfile.type to ' +\n  {}",
        in_quotes(&texts(maker, &SECCOMP, can, value))
    )
}

pub(super) fn seccomp_baseline(maker: &Maker<'_>, unit: &mut Unit) -> Option<()> {
    let (field, value) = seccomp_field();
    let can = setting(maker, unit, &SECCOMP, &[field]);
    let sentence = seccomp_sentence(maker, can, &value);
    finish(unit, &SECCOMP, can, &sentence)
}
