//! Settings of policies that no comparison evaluates: those in which the sides differ are named beside the grade.
//!
//! In: the documents of both sides. Out: the paths of such settings. A further one is a row of the table.

use crate::difference::Criterion;
use crate::objects::kinds::unlike_groups;
use crate::objects::schema::Schema;
use crate::sides::side::Side;
use engine_json::{Value, parse, to_json};
use std::collections::BTreeSet;

/// A setting: what it is where it is not written, and the path of it by kinds.
type Setting = (&'static str, &'static [(&'static [&'static str], &'static str)]);

const CLASSIC: &[&str] = &["ClusterPolicy", "Policy"];
const CLEANUP: &[&str] = &["ClusterCleanupPolicy", "CleanupPolicy"];
const DELETING: &[&str] = &["DeletingPolicy", "NamespacedDeletingPolicy"];
const GENERATING: &[&str] = &["GeneratingPolicy", "NamespacedGeneratingPolicy"];
const VALIDATING: &[&str] = &["ValidatingPolicy", "NamespacedValidatingPolicy"];
const MUTATING: &[&str] = &["MutatingPolicy", "NamespacedMutatingPolicy", "MutatingAdmissionPolicy"];
const OF_KUBERNETES: &[&str] = &["ValidatingAdmissionPolicy"];
/// Policies in CEL that Kyverno asks on admission.
pub(crate) const IN_CEL: &[&str] = &[
    "ValidatingPolicy",
    "NamespacedValidatingPolicy",
    "MutatingPolicy",
    "NamespacedMutatingPolicy",
    "GeneratingPolicy",
    "NamespacedGeneratingPolicy",
];

/// Settings about when, how long and around what a policy is asked, and what is reported. `[]` stands for each element of a list, `[KEY]` for a
/// key with points in it.
// Kyverno: api/kyverno/v1/spec_types.go and rule_types.go, api/kyverno/v2/cleanup_policy_types.go, api/policies.kyverno.io/v1.
const SETTINGS: &[Setting] = &[
    ("null", &[(CLEANUP, "spec.schedule"), (DELETING, "spec.schedule")]),
    ("null", &[(CLEANUP, "spec.deletionPropagationPolicy"), (DELETING, "spec.deletionPropagationPolicy")]),
    ("true", &[(CLASSIC, "spec.background"), (VALIDATING, "spec.evaluation.background.enabled")]),
    ("true", &[(&["PolicyException"], "spec.background")]),
    (
        "false",
        &[
            (CLASSIC, "spec.rules[].generate.synchronize"),
            (GENERATING, "spec.evaluation.synchronize.enabled"),
        ],
    ),
    (
        "false",
        &[
            (CLASSIC, "spec.rules[].generate.generateExisting"),
            (GENERATING, "spec.evaluation.generateExisting.enabled"),
        ],
    ),
    (
        "false",
        &[
            (CLASSIC, "spec.rules[].generate.orphanDownstreamOnPolicyDelete"),
            (GENERATING, "spec.evaluation.orphanDownstreamOnPolicyDelete.enabled"),
        ],
    ),
    ("false", &[(CLASSIC, "spec.generateExisting")]),
    ("false", &[(CLASSIC, "spec.rules[].mutate.mutateExistingOnPolicyUpdate")]),
    ("false", &[(CLASSIC, "spec.mutateExistingOnPolicyUpdate")]),
    ("false", &[(CLASSIC, "spec.useServerSideApply")]),
    ("false", &[(MUTATING, "spec.evaluation.mutateExisting.enabled")]),
    ("null", &[(MUTATING, "spec.targetMatchConstraints")]),
    ("\"Never\"", &[(MUTATING, "spec.reinvocationPolicy")]),
    (
        "\"Equivalent\"",
        &[
            (IN_CEL, "spec.matchConstraints.matchPolicy"),
            (OF_KUBERNETES, "spec.matchConstraints.matchPolicy"),
            (&["MutatingAdmissionPolicy"], "spec.matchConstraints.matchPolicy"),
        ],
    ),
    ("10", &[(CLASSIC, "spec.webhookTimeoutSeconds")]),
    ("{}", &[(CLASSIC, "spec.webhookConfiguration"), (IN_CEL, "spec.webhookConfiguration")]),
    ("[]", &[(VALIDATING, "spec.auditAnnotations"), (OF_KUBERNETES, "spec.auditAnnotations")]),
    // Requests of Kyverno's own background controller (pkg/webhooks/resource/utils.go: processRule).
    ("true", &[(CLASSIC, "spec.rules[].skipBackgroundRequests")]),
    // Who decides: Kyverno, or a ValidatingAdmissionPolicy that it makes (pkg/controllers/validatingadmissionpolicy-generate).
    ("null", &[(CLASSIC, "spec.rules[].validate.cel.generate")]),
    ("false", &[(VALIDATING, "spec.autogen.validatingAdmissionPolicy.enabled")]),
    ("false", &[(MUTATING, "spec.autogen.mutatingAdmissionPolicy.enabled")]),
    // What fails counts as a warning in reports (pkg/utils/report/results.go: ToPolicyReportResult), or is in none (IsPolicyReportable).
    ("\"true\"", &[(CLASSIC, SCORED), (IN_CEL, SCORED)]),
    ("null", &[(CLASSIC, UNREPORTED), (IN_CEL, UNREPORTED)]),
];
const SCORED: &str = "metadata.annotations[policies.kyverno.io/scored]";
const UNREPORTED: &str = "metadata.labels[reports.kyverno.io/disabled]";

/// What becomes of a request that no webhook answers; of the errors of rules it is compared.
const FAILURE_POLICY: Setting = (
    "\"Fail\"",
    &[(CLASSIC, "spec.failurePolicy"), (IN_CEL, "spec.failurePolicy"), (OF_KUBERNETES, "spec.failurePolicy")],
);

/// What reports say of what an exception lets through: it decides nothing, and is compared where rules are.
// Kyverno: api/policies.kyverno.io/v1beta1/policy_exception.go `ReportResult`.
const REPORTED: Setting = ("\"skip\"", &[(&["PolicyException"], "spec.reportResult")]);

/// The settings in which two sides differ and that are not compared: what a grade leaves out.
pub(crate) fn not_compared(sides: [&[&Value]; 2], schema: &Schema, criterion: Criterion) -> Vec<String> {
    let mut all: Vec<String> = SETTINGS.iter().filter_map(|setting| differing(setting, sides)).collect();
    all.extend(differing(&REPORTED, sides).filter(|_| criterion == Criterion::Decision));
    all.extend(targets(sides));
    all.extend(unlike_groups(sides, schema));
    all.extend(differing(&FAILURE_POLICY, sides).map(|paths| format!("{paths} (where no webhook answers)")));
    all
}

/// What one side changes or generates, where the other is a level of Pod Security or PodSecurityPolicies, of which the decisions are compared.
pub(crate) fn unlike_actions([old, new]: &[Side<'_>; 2]) -> Option<String> {
    let side = match (old, new) {
        (old, new) if new.is_of_pods() && old.changes() => "old",
        (old, new) if old.is_of_pods() && new.changes() => "new",
        _ => return None,
    };
    Some(format!("what the {side} side changes and generates (the other one only allows and refuses)"))
}

/// The rules that change other objects than the one of the request, where the sides differ in them.
// Kyverno: they are applied in the background, once the request was let in (pkg/background/mutate).
fn targets([old, new]: [&[&Value]; 2]) -> Option<String> {
    let of = |documents: &[&Value]| {
        let rules = documents.iter().flat_map(|document| {
            document.find(&["spec", "rules"]).and_then(Value::as_array).unwrap_or_default()
        });
        let bodies = rules.filter_map(|rule| rule.get("mutate"));
        let bodies = bodies.filter(|body| body.get("targets").is_some());
        bodies.map(|body| to_json(&body.with_int_numbers())).collect::<BTreeSet<String>>()
    };
    (of(old) != of(new)).then(|| "spec.rules[].mutate with targets".to_owned())
}

/// Whether a policy is asked about requests at all.
// Kyverno: `AdmissionProcessingEnabled` of api/kyverno/v1/spec_types.go; `AdmissionEnabled` of api/policies.kyverno.io.
pub(crate) fn is_asked_on_admission(policy: &Value) -> bool {
    let setting = admission_setting(policy.find_str(&["kind"]));
    setting.is_empty() || policy.find(setting).and_then(Value::as_bool) != Some(false)
}

/// The path of what switches admission off in policies of a kind; empty where nothing does.
pub(crate) fn admission_setting(kind: &str) -> &'static [&'static str] {
    if CLASSIC.contains(&kind) {
        &["spec", "admission"]
    } else if IN_CEL.contains(&kind) {
        &["spec", "evaluation", "admission", "enabled"]
    } else {
        &[]
    }
}

/// The path of a setting on either side, where both have it and it differs.
fn differing((default, places): &Setting, [old, new]: [&[&Value]; 2]) -> Option<String> {
    let default = parse(default).unwrap_or_default();
    let on = |documents: &[&Value]| {
        let (mut path, mut values) = (None, BTreeSet::new());
        for document in documents {
            let kind = document.find_str(&["kind"]);
            let place = places.iter().find(|(kinds, _)| kinds.contains(&kind));
            let Some((_, written)) = place else { continue };
            collect(document, written, &default, &mut values);
            path = path.or(Some(*written));
        }
        path.filter(|_| !values.is_empty()).map(|path| (path, values))
    };
    let ((old_path, old), (new_path, new)) = (on(old)?, on(new)?);
    (old != new).then(|| {
        if old_path == new_path { old_path.to_owned() } else { format!("{old_path} (new: {new_path})") }
    })
}

/// The values at a path as JSON; an element of a list counts if it has the field that comes next, where that is not the setting itself.
fn collect(value: &Value, path: &str, default: &Value, values: &mut BTreeSet<String>) {
    if let Some((list, rest)) = path.split_once("[].") {
        let items = at(value, list).and_then(Value::as_array).unwrap_or_default();
        let (first, _) = rest.split_once('.').unwrap_or((rest, ""));
        let is_meant = |item: &&Value| first == rest || item.get(first).is_some();
        items.iter().filter(is_meant).for_each(|item| collect(item, rest, default, values));
        return;
    }
    let found = at(value, path).filter(|found| !found.is_null());
    values.insert(to_json(&found.unwrap_or(default).with_int_numbers()));
}

fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    if let Some((path, key)) = path.strip_suffix(']').and_then(|path| path.split_once('[')) {
        return at(value, path)?.get(key);
    }
    path.split('.').try_fold(value, |value, field| value.get(field))
}
