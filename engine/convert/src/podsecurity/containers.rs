//! Checks of containers alone.
//!
//! In: a check and its revision. Out: its unit; `None` where all of it is excluded.

use super::exempt::Values;
use super::unit::{Fault, Maker, Unit};
use super::words::{in_quotes, list, named};
use crate::expressions::formula::quoted;

/// Capabilities that the baseline lets a container add.
const DEFAULT: &[&str] = &[
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
];
const BIND: &[&str] = &["NET_BIND_SERVICE"];
const ADDED: &str = "container.?securityContext.?capabilities.?add.orValue([])";
const DROPPED: &str = "container.?securityContext.?capabilities.?drop.orValue([])";

/// A check of one field: a variable with the containers at fault, and a sentence behind their names.
fn simple(maker: &Maker<'_>, unit: &mut Unit, name: &str, faults: &[Fault], sentence: &str) -> Option<()> {
    let faulty = maker.faulty(unit, faults)?;
    unit.variable(name, faulty);
    unit.expression = format!("variables.{name}.size() == 0");
    unit.detail = format!("{} +\n  {}", named("container", name), sentence);
    Some(())
}

pub(super) fn privileged(maker: &Maker<'_>, unit: &mut Unit) -> Option<()> {
    let bad = "container.?securityContext.?privileged.orValue(false) == true";
    let fault = Fault::new("securityContext.privileged", bad, Values::Constant("true"));
    simple(maker, unit, "privileged", &[fault], &quoted(" must not set securityContext.privileged=true"))
}

pub(super) fn escalation(maker: &Maker<'_>, unit: &mut Unit) -> Option<()> {
    let field = "securityContext.allowPrivilegeEscalation";
    let value = "container.?securityContext.?allowPrivilegeEscalation";
    let no_values = maker.exclusions.iter().all(|exclusion| exclusion.values.is_empty());
    let faults = if no_values {
        vec![Fault::new(field, format!("{value}.orValue(true) != false"), Values::Missing)]
    } else {
        let context = "container.?securityContext.hasValue()";
        let unset = Fault {
            field,
            bad: vec![context.to_owned(), format!("!{value}.hasValue()")],
            values: Values::Constant("nil"),
            within: None,
        };
        vec![
            Fault::new(field, format!("{value}.orValue(false) != false"), Values::Constant("true")),
            unset,
            Fault::new(field, format!("!{context}"), Values::Missing),
        ]
    };
    let sentence = " must set securityContext.allowPrivilegeEscalation=false";
    simple(maker, unit, "mayEscalate", &faults, &quoted(sentence))
}

/// Capabilities that are added beyond the allowed ones.
fn added(maker: &Maker<'_>, unit: &mut Unit, name: &str, allowed: &'static [&'static str]) -> Option<()> {
    let bad = match allowed {
        [one] => format!("{ADDED}.exists(added, added != {})", quoted(one)),
        several => {
            unit.variable(
                "defaultCapabilities",
                list(several).replace("\n  ]", "\n]").replace("\n    ", "\n  "),
            );
            format!("{ADDED}.exists(added, !(added in variables.defaultCapabilities))")
        }
    };
    let fault = Fault::new("securityContext.capabilities.add", bad, Values::Each(ADDED.to_owned(), allowed));
    let faulty = maker.faulty(unit, &[fault])?;
    unit.variable(name, faulty);
    let which = match allowed {
        [one] => format!("added != {}", quoted(one)),
        _ => "!(added in variables.defaultCapabilities)".to_owned(),
    };
    let texts = format!(
        "variables.{name}.map(container,\n    container.securityContext.capabilities.add.filter(added, {which}).join('\", \"'))"
    );
    unit.expression = format!("variables.{name}.size() == 0");
    unit.detail = format!(
        "{} +\n  ' must not include ' + {} + ' in securityContext.capabilities.add'",
        named("container", name),
        in_quotes(&texts)
    );
    Some(())
}

pub(super) fn capabilities_baseline(maker: &Maker<'_>, unit: &mut Unit) -> Option<()> {
    added(maker, unit, "addingCapabilities", DEFAULT)
}

pub(super) fn capabilities_restricted(maker: &Maker<'_>, unit: &mut Unit) -> Option<()> {
    let dropping = Fault {
        field: "securityContext.capabilities.drop",
        bad: vec![format!("!('ALL' in {DROPPED})")],
        values: Values::Each(DROPPED.to_owned(), &[]),
        within: None,
    };
    let keeping = maker.faulty(unit, &[dropping]);
    if let Some(keeping) = &keeping {
        unit.variable("keepingCapabilities", keeping.clone());
    }
    let sentence = format!(
        "{} +\n  {}",
        named("container", "keepingCapabilities"),
        quoted(" must set securityContext.capabilities.drop=[\"ALL\"]")
    );
    let is_added = added(maker, unit, "addingRestricted", BIND).is_some();
    match (keeping.is_some(), is_added) {
        (false, false) => return None,
        (false, true) => {}
        (true, false) => {
            unit.expression = String::from("variables.keepingCapabilities.size() == 0");
            unit.detail = sentence;
        }
        (true, true) => {
            unit.expression = String::from(
                "variables.keepingCapabilities.size() == 0 &&\nvariables.addingRestricted.size() == 0",
            );
            unit.detail = format!(
                "((variables.keepingCapabilities.size() == 0 ? [] : [\n  {sentence}]) +\n (variables.addingRestricted.size() == 0 ? [] : [\n  {}])).join('; ')",
                unit.detail
            );
        }
    }
    Some(())
}

pub(super) fn host_ports(maker: &Maker<'_>, unit: &mut Unit) -> Option<()> {
    let fault = Fault {
        field: "ports[*].hostPort",
        bad: vec!["port.?hostPort.orValue(0) != 0".to_owned()],
        values: Values::Number("port.hostPort".to_owned()),
        within: Some(("container.?ports.orValue([])", "port")),
    };
    let faulty = maker.faulty(unit, &[fault])?;
    unit.variable("onHostPorts", faulty);
    unit.variable(
        "hostPorts",
        "variables.onHostPorts.map(container,\n  container.ports.filter(port, port.?hostPort.orValue(0) != 0)\n    .map(port, string(port.hostPort)).join(', '))"
            .to_owned(),
    );
    unit.expression = String::from("variables.onHostPorts.size() == 0");
    let uses = "(variables.onHostPorts.size() == 1 ? ' uses ' : ' use ')";
    let noun = "(variables.hostPorts.join(', ').contains(',') ? 'hostPorts ' : 'hostPort ')";
    unit.detail = format!(
        "{} +\n  {uses} + {noun} +\n  variables.hostPorts.join(', ')",
        named("container", "onHostPorts")
    );
    Some(())
}

pub(super) fn host_probes(maker: &Maker<'_>, unit: &mut Unit) -> Option<()> {
    let handlers = "[container.?livenessProbe, container.?readinessProbe, container.?startupProbe,\n    container.?lifecycle.?postStart, container.?lifecycle.?preStop]";
    let fault = Fault {
        field: "*",
        bad: vec![
            "(handler.?httpGet.?host.orValue('') != '' || handler.?tcpSocket.?host.orValue('') != '')"
                .to_owned(),
        ],
        values: Values::Missing,
        within: Some((handlers, "handler")),
    };
    let faulty = maker.faulty(unit, &[fault])?;
    unit.variable("probingHosts", faulty);
    unit.expression = String::from("variables.probingHosts.size() == 0");
    unit.detail = format!(
        "{} +\n  (variables.probingHosts.size() == 1 ? ' uses' : ' use') + ' probe or lifecycle hosts'",
        named("container", "probingHosts")
    );
    Some(())
}

pub(super) fn proc_mount(maker: &Maker<'_>, unit: &mut Unit) -> Option<()> {
    let value = "container.?securityContext.?procMount.orValue('Default')";
    let fault = Fault::new(
        "securityContext.procMount",
        format!("{value} != 'Default'"),
        Values::Text(value.to_owned()),
    );
    let texts = "variables.withProcMount.map(container, container.securityContext.procMount)";
    let sentence = format!("' must not set securityContext.procMount to ' +\n  {}", in_quotes(texts));
    simple(maker, unit, "withProcMount", &[fault], &sentence)
}
