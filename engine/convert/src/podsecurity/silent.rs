//! Checks of what must be said by each container or by the Pod for all.
//!
//! In: a check and its revision. Out: its unit; `None` where all of it is excluded.

use super::exempt::Values;
use super::settings::{Field, FieldValue, SECCOMP, Setting, seccomp_field, seccomp_sentence, setting};
use super::unit::{Fault, Maker, Unit};
use super::words::named;
use crate::expressions::formula::quoted;

/// What is wrong with those who say something, and with those who do not.
struct Both<'n> {
    names: &'n Setting,
    can: (bool, bool),
    /// The sentence about those who say something.
    said: String,
    /// The variable with the containers that say nothing; none where all are excluded.
    silent: Option<&'static str>,
    /// The sentence about them.
    unsaid: String,
}

/// Finishes a check: who says something is named first.
fn finish(unit: &mut Unit, both: &Both<'_>) -> Option<()> {
    let is_said = both.can != (false, false);
    let setters = both.names.setters;
    let said = format!("variables.{setters}.join(' and ') +\n  {}", both.said);
    match (is_said, both.silent) {
        (false, None) => return None,
        (true, None) => {
            unit.expression = format!("variables.{setters}.size() == 0");
            unit.detail = said;
        }
        (false, Some(silent)) => {
            unit.expression = format!("variables.{silent}.size() == 0");
            unit.detail = format!("'pod or ' + {} +\n  {}", named("container", silent), both.unsaid);
        }
        (true, Some(silent)) => {
            unit.expression = format!("variables.{setters}.size() == 0 &&\nvariables.{silent}.size() == 0");
            unit.detail = format!(
                "(variables.{setters}.size() > 0 ?\n  {said} :\n  'pod or ' + {} +\n  {})",
                named("container", silent),
                both.unsaid
            );
        }
    }
    Some(())
}

pub(super) fn run_as_non_root(maker: &Maker<'_>, unit: &mut Unit) -> Option<()> {
    let names =
        Setting { of_pod: "podDeniesNonRoot", of_containers: "denyingNonRoot", setters: "nonRootDeniers" };
    let field = Field {
        of_pod: "spec.securityContext.runAsNonRoot",
        of_container: "securityContext.runAsNonRoot",
        bad: vec!["@.?securityContext.?runAsNonRoot.orValue(true) == false".to_owned()],
        value: FieldValue::Constant("false"),
    };
    let can = setting(maker, unit, &names, &[field]);
    let spec = maker.place.spec();
    let unset = Fault {
        field: "securityContext.runAsNonRoot",
        bad: vec![
            "!variables.podRunsAsNonRoot".to_owned(),
            "!container.?securityContext.?runAsNonRoot.hasValue()".to_owned(),
        ],
        values: Values::Missing,
        within: None,
    };
    let silent = maker.faulty(unit, &[unset]);
    let has_silent = silent.is_some();
    if let Some(silent) = silent {
        unit.variable(
            "podRunsAsNonRoot",
            format!("{spec}.?securityContext.?runAsNonRoot.orValue(false) == true"),
        );
        unit.variable("silentOnNonRoot", silent);
    }
    finish(
        unit,
        &Both {
            names: &names,
            can,
            said: quoted(" must not set securityContext.runAsNonRoot=false"),
            silent: has_silent.then_some("silentOnNonRoot"),
            unsaid: quoted(" must set securityContext.runAsNonRoot=true"),
        },
    )
}

pub(super) fn seccomp_restricted(maker: &Maker<'_>, unit: &mut Unit) -> Option<()> {
    let (field, value) = seccomp_field();
    let can = setting(maker, unit, &SECCOMP, &[field]);
    let spec = maker.place.spec();
    let unset = Fault {
        field: "securityContext.seccompProfile.type",
        bad: vec![
            "!variables.podHasGoodSeccomp".to_owned(),
            "!container.?securityContext.?seccompProfile.hasValue()".to_owned(),
        ],
        values: Values::Missing,
        within: None,
    };
    let silent = maker.faulty(unit, &[unset]);
    let has_silent = silent.is_some();
    if let Some(silent) = silent {
        unit.variable(
            "podHasGoodSeccomp",
            format!(
                "{spec}.?securityContext.?seccompProfile.?type.orValue('')\n  in ['RuntimeDefault', 'Localhost']"
            ),
        );
        unit.variable("silentOnSeccomp", silent);
    }
    let said = seccomp_sentence(maker, can, &value);
    let allowed = " must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\"";
    finish(
        unit,
        &Both {
            names: &SECCOMP,
            can,
            said,
            silent: has_silent.then_some("silentOnSeccomp"),
            unsaid: quoted(allowed),
        },
    )
}
