//! The table of one object: every check, by level.
//!
//! In: an object that is or makes a Pod, and a version. Out: a [`wire::PsaObject`] with what each level says and with
//! the findings of each check at their lines.

use super::Object;
use crate::wire;
use engine_json::{Path, Value, to_json};
use engine_podsecurity::defaults::defaulted_object;
use engine_podsecurity::exclude::listed_text;
use engine_podsecurity::{
    CHECKS, Check, CheckResult, Fault, Level, NEWEST_MINOR, PodView, Version, Violation, aggregate,
    applicable, evaluate, field_text, pod_of,
};

/// What a cell of the table says.
const PASS: &str = "pass";
const FAIL: &str = "fail";
const NOT_APPLICABLE: &str = "notApplicable";

/// The table, without what depends on other versions and on the namespace; `place` finds the lines of a path.
pub(super) fn object(
    object: &Object,
    version: Version,
    place: &dyn Fn(&Path) -> Option<wire::Range>,
) -> wire::PsaObject {
    let resource = reference(object, place(&Path::root()));
    let Some(pod) = pod_of(&object.value) else {
        return wire::PsaObject { resource, ..wire::PsaObject::default() };
    };
    let baseline = evaluate(Level::Baseline, version, &pod);
    let restricted = evaluate(Level::Restricted, version, &pod);
    let level = |level: Level, results: &[CheckResult]| wire::PsaLevel {
        level: level.name().to_owned(),
        allowed: aggregate::is_allowed(results),
        detail: aggregate::detail(results),
    };
    let levels = vec![level(Level::Baseline, &baseline), level(Level::Restricted, &restricted)];
    let checks =
        CHECKS.iter().map(|check| row(check, version, &pod, &baseline, &restricted, place)).collect();
    wire::PsaObject {
        resource,
        reaches: reached(&baseline, &restricted).name().to_owned(),
        levels,
        checks,
        ..wire::PsaObject::default()
    }
}

/// The object by name, at its lines.
pub(crate) fn reference(object: &Object, range: Option<wire::Range>) -> wire::ObjectRef {
    wire::ObjectRef {
        api_version: object.value.find_str(&["apiVersion"]).to_owned(),
        kind: object.kind().to_owned(),
        namespace: object.namespace().to_owned(),
        name: object.name().to_owned(),
        range,
    }
}

/// The strictest level that an object satisfies today with an API server's defaults; `None` where it makes no Pod.
pub(crate) fn reached_by(object: &Value) -> Option<&'static str> {
    let object = defaulted_object(object);
    let pod = pod_of(&object)?;
    let results = |level| evaluate(level, Version::Latest, &pod);
    Some(reached(&results(Level::Baseline), &results(Level::Restricted)).name())
}

/// The strictest level that is satisfied; who fails baseline has privileged only, whatever restricted says.
fn reached(baseline: &[CheckResult], restricted: &[CheckResult]) -> Level {
    match (aggregate::is_allowed(baseline), aggregate::is_allowed(restricted)) {
        (true, true) => Level::Restricted,
        (true, false) => Level::Baseline,
        (false, _) => Level::Privileged,
    }
}

fn row(
    check: &'static Check,
    version: Version,
    pod: &PodView<'_>,
    baseline: &[CheckResult],
    restricted: &[CheckResult],
    place: &dyn Fn(&Path) -> Option<wire::Range>,
) -> wire::PsaCheck {
    let of = |results: &'_ [CheckResult]| results.iter().position(|result| result.check.id == check.id);
    let in_baseline = of(baseline).and_then(|at| baseline.get(at));
    let in_restricted = of(restricted).and_then(|at| restricted.get(at));
    let cell = |result: Option<&CheckResult>| match result {
        None => NOT_APPLICABLE,
        Some(result) if result.allowed => PASS,
        Some(_) => FAIL,
    };
    let failed = in_baseline.or(in_restricted).filter(|result| !result.allowed);
    let violations = failed.map(|result| result.violations.as_slice()).unwrap_or_default();
    wire::PsaCheck {
        id: check.id.to_owned(),
        section: check.section.to_owned(),
        level: check.level.name().to_owned(),
        baseline: cell(in_baseline).to_owned(),
        restricted: cell(in_restricted).to_owned(),
        note: note(check, version),
        fields: check.fields.iter().map(|field| (*field).to_owned()).collect(),
        reason: failed.map(|result| result.reason.to_owned()).unwrap_or_default(),
        detail: failed.map(|result| result.detail.clone()).unwrap_or_default(),
        findings: violations.iter().map(|violation| finding(violation, pod, place)).collect(),
    }
}

/// Why a check has no say in a level.
fn note(check: &Check, version: Version) -> String {
    let minor = version.minor(NEWEST_MINOR);
    if check.revision(minor).is_none() {
        let since = check.revisions.first().map_or(0, |first| first.since);
        return format!("asked from v1.{since} on");
    }
    if check.level == Level::Restricted {
        return "restricted only".to_owned();
    }
    let overriding = applicable(Level::Restricted, version)
        .find(|(_, revision)| revision.overrides.contains(&check.id))
        .map(|(other, _)| format!("under restricted {} asks for more", other.id));
    overriding.unwrap_or_default()
}

fn finding(
    violation: &Violation,
    pod: &PodView<'_>,
    place: &dyn Fn(&Path) -> Option<wire::Range>,
) -> wire::PsaFinding {
    let path = pod.resolve(&violation.path);
    let fault = match violation.fault {
        Fault::Forbidden => "forbidden",
        Fault::Required | Fault::Unset => "missing",
        Fault::WrongType(_) => "wrongType",
    };
    wire::PsaFinding {
        path: path.to_string(),
        fault: fault.to_owned(),
        value: violation.value.as_ref().map(to_json),
        container: violation.container().map(str::to_owned),
        message: words(violation, &field_text(&path)),
        range: place(&path),
    }
}

/// One line about a finding.
fn words(violation: &Violation, field: &str) -> String {
    match violation.fault {
        Fault::Required | Fault::Unset => format!("{field} is not set and must be"),
        Fault::Forbidden | Fault::WrongType(_) => listed_text(violation, field),
    }
}
