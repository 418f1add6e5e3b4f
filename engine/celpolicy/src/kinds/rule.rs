//! The rule `validate.cel` of ClusterPolicy and Policy.
//!
//! In: a rule as written, or as autogen made it. Out: what evaluates it.
//! Mirrors: `pkg/engine/handlers/validation/validate_cel.go` of Kyverno 1.19.

use super::{DocumentPath, diagnostics, path_of, remarked};
use crate::apply::{Asking, Decision, Explainers, Objects, Subject, Wanted, Why, decide, parameters, select};
use crate::functions::authz::{Asker, Rights};
use crate::lint::of_rule;
use crate::policy::{Admission, AdmissionProgram, Refused};
use engine::apply::Status;
use engine::body::{AskedRule, RuleCheck, SaidByRule};
use engine::diag::{Diagnostic, Severity};
use engine::load::{Bundle, Host};
use engine::policy::Rule;
use engine::resource::{DocumentId, Gvk, Resource, plural};
use engine::trace::Step;
use engine_cel::value::Numbers;
use engine_json::{Path, Str, Value};
use std::sync::Arc;

/// What evaluates a rule, and what is wrong with its expressions, each at its place.
pub(super) fn read<W: Why>(
    bundle: &Bundle,
    document: DocumentId,
    rule: &Rule,
) -> Option<(Arc<dyn RuleCheck>, Vec<Diagnostic>)> {
    let cel = rule.raw.find(&["validate", "cel"]).unwrap_or(&Value::Null);
    let mut written = Admission::read(cel, rule.raw.get("celPreconditions"), "expressions");
    written.has_authorizer = true;
    let message = Str::from(rule.raw.find_str(&["validate", "message"]));
    for validation in &mut written.validations {
        if validation.message.is_empty() {
            validation.message = message.clone();
        }
    }
    let program = AdmissionProgram::new(&written).ok()?;
    let faults = program.faults.iter().map(|(field, fault)| {
        let field = match field.strip_prefix("matchConditions") {
            Some(rest) => format!("celPreconditions{rest}"),
            None => format!("validate.cel.{}", field.replacen("validations[", "expressions[", 1)),
        };
        (field, fault.clone())
    });
    let refused = Refused { text: String::new(), faults: faults.collect() };
    let mut said = Vec::new();
    if !refused.faults.is_empty() {
        said = diagnostics(bundle, &DocumentPath { document, path: &rule.path }, &rule.raw, &refused);
        // The rule is evaluated all the same, and says so of each resource.
        for said in &mut said {
            said.severity = Severity::Warning;
        }
    }
    // What autogen made says the same once more.
    if rule.name == rule.written_name {
        let remarks = of_rule(&written, &program, &rule.raw);
        said.extend(remarked(bundle, &DocumentPath { document, path: &rule.path }, remarks));
    }
    let why = W::EXPLAINERS;
    let params = written.has_params.then(|| Params {
        api_version: Str::from(cel.find_str(&["paramKind", "apiVersion"])),
        kind: Str::from(cel.find_str(&["paramKind", "kind"])),
        reference: cel.get("paramRef").cloned().unwrap_or_default(),
    });
    Some((Arc::new(CelRule { name: rule.name.clone(), written, program, params, why }), said))
}

#[derive(Debug)]
struct CelRule {
    name: Str,
    written: Admission,
    program: AdmissionProgram,
    params: Option<Params>,
    why: Option<&'static Explainers>,
}

impl CelRule {
    /// What the rule says by the CLI's way, or by a cluster's.
    fn said(&self, asked: &AskedRule<'_>, host: Host) -> SaidByRule {
        let is_cluster = host == Host::Cluster;
        let subject = if is_cluster { Subject::of_rule_in_cluster(asked) } else { Subject::of_rule(asked) };
        let said = |status: Status, message: String, at: Option<usize>| SaidByRule {
            status,
            message,
            place: at.map(|at| path_of(&Path::root(), &format!("validate.cel.expressions[{at}].expression"))),
            note: String::new(),
            steps: Vec::new(),
        };
        let params = match &self.params {
            None => Ok(vec![Value::Null]),
            Some(params) if is_cluster => params.in_cluster(asked, &subject),
            Some(params) => params.collect(asked),
        };
        let params = match params {
            Ok(found) => found,
            Err(error) => {
                return said(Status::Error, format!("error in parameterized resource: {error}"), None);
            }
        };
        let asker = asker(asked, is_cluster);
        let mut steps = Vec::new();
        for params in &params {
            let objects = Objects {
                params_numbers: Numbers::AsWritten,
                asker: Some(&asker),
                ..Objects::of(&subject, params)
            };
            let decision = decide(&self.written, &self.program, &objects);
            steps = self.steps(asked, &objects, &decision);
            let said = match decision {
                Decision::Admitted => continue,
                Decision::NotMatched => said(Status::Skip, "cel preconditions not met".to_owned(), None),
                Decision::Denied { at, message } => said(Status::Fail, message, Some(at)),
                // Kyverno: such a rule has no failure policy, and what cannot be decided is denied.
                Decision::Failed { at, message } => said(Status::Fail, message, at),
            };
            return SaidByRule { steps, ..said };
        }
        let said = said(Status::Pass, format!("Validation rule '{}' passed.", self.name), None);
        SaidByRule { steps, ..said }
    }

    /// The steps to a decision, where they are asked for, by their places in the rule.
    fn steps(&self, asked: &AskedRule<'_>, objects: &Objects<'_>, decision: &Decision) -> Vec<Step> {
        let Some(explainers) = self.why.filter(|_| asked.is_traced) else { return Vec::new() };
        (explainers.admission)(Asking::Rule(&self.written, &self.program), objects, decision)
    }

    /// What a cluster would say instead, and why, where that is something else.
    fn difference(&self, asked: &AskedRule<'_>, here: Status) -> Option<String> {
        if asked.host == Host::Cluster {
            return None;
        }
        let depends = self.program.depends();
        if depends.on_rights {
            return Some(format!(
                "in a cluster the verdict may be another than {}: who may do what is known there alone",
                here.as_str()
            ));
        }
        if !(depends.on_numbers || depends.on_request || self.params.is_some()) {
            return None;
        }
        let there = self.said(asked, Host::Cluster);
        let why = if self.params.is_some() {
            "parameters are looked up by the kind and namespace that are meant"
        } else {
            "whole numbers are integers and the request is filled there"
        };
        let (there, here_word) = (there.status, here.as_str());
        (there != here)
            .then(|| format!("in a cluster the verdict is {}, not {here_word}: {why}", there.as_str()))
    }
}

/// Who asks, for expressions that ask who may do what.
// Kyverno: pkg/auth/auth.go asks for the resource of the request's own kind first, whatever the expression names.
fn asker(asked: &AskedRule<'_>, is_cluster: bool) -> Asker {
    let kind = &asked.gvk.kind;
    let refused = if is_known(asked, kind) {
        Str::default()
    } else {
        Str::from(format!("failed to get GVR for kind {kind}"))
    };
    let rights = if is_cluster { Rights::Unknown } else { Rights::Nobody };
    Asker { user: asked.user.username.clone(), refused, rights, ..Asker::default() }
}

/// Whether the original's stand-in for a cluster knows a kind: it looks for it in small letters and with an `s`.
fn is_known(asked: &AskedRule<'_>, kind: &str) -> bool {
    KNOWN.iter().any(|known| known.eq_ignore_ascii_case(kind))
        || (asked.objects.has_kind(kind) && !kind.ends_with(['s', 'y', 'S', 'Y']))
}

impl RuleCheck for CelRule {
    fn evaluate(&self, asked: &AskedRule<'_>) -> SaidByRule {
        let said = self.said(asked, asked.host);
        let note = self.difference(asked, said.status).unwrap_or_default();
        SaidByRule { note, ..said }
    }

    fn is_independent(&self) -> bool {
        self.params.is_none()
    }
}

/// Which parameters a rule takes.
#[derive(Debug)]
struct Params {
    api_version: Str,
    kind: Str,
    reference: Value,
}

/// What the original's stand-in for a cluster knows beside the kinds of the objects in it.
// Kyverno: dclient.NewFakeDiscoveryClient; plurals are the kind in small letters and an `s`.
const KNOWN: &[&str] = &[
    "ConfigMap",
    "Endpoint",
    "Namespace",
    "ResourceQuota",
    "Secret",
    "ServiceAccount",
    "DaemonSet",
    "Deployment",
    "StatefulSet",
];

impl Params {
    /// The parameters of a cluster.
    fn in_cluster(&self, asked: &AskedRule<'_>, subject: &Subject) -> Result<Vec<Value>, String> {
        let wanted = Wanted {
            api_version: &self.api_version,
            kind: &self.kind,
            reference: &self.reference,
            namespace: subject.request_namespace(),
            settings: None,
        };
        parameters(&wanted, asked.objects, asked.world).map(|found| found.objects)
    }

    /// The parameters: one by its name, or all that a selector selects.
    // Kyverno: admissionpolicy.CollectParams over a stand-in that takes every kind for one of the whole cluster.
    fn collect(&self, asked: &AskedRule<'_>) -> Result<Vec<Value>, String> {
        let gvk = Gvk::new(&self.api_version, &self.kind);
        let of_kind = asked.objects.of_kind(&gvk);
        let is_known = KNOWN.iter().any(|kind| kind.eq_ignore_ascii_case(&self.kind));
        if !is_known && !asked.objects.has_kind(&self.kind) {
            return Err("failed to check if resource is namespaced or not (not found)".to_owned());
        }
        if !self.reference.find_str(&["namespace"]).is_empty() {
            let why = "paramRef.namespace must not be provided for a cluster-scoped `paramKind`";
            return Err(why.to_owned());
        }
        let int = |param: &Resource| param.value.with_int_numbers();
        let name = self.reference.find_str(&["name"]);
        if !name.is_empty() {
            let found = of_kind.iter().find(|param| param.namespace().is_empty() && param.name() == name);
            let plural = plural(&self.kind);
            let plural = if gvk.group.is_empty() { plural } else { format!("{plural}.{}", gvk.group) };
            return found
                .map(|param| vec![int(param)])
                .ok_or_else(|| format!("{plural} {} not found", engine_json::quote(name)));
        }
        let selector = self.reference.get("selector").filter(|selector| !selector.is_null());
        let selected: Vec<Value> = selector.map_or_else(Vec::new, |selector| {
            let selected = of_kind.iter().filter(|param| select(selector, &param.value));
            selected.map(|param| int(param)).collect()
        });
        if selected.is_empty() && self.reference.find_str(&["parameterNotFoundAction"]) == "Deny" {
            return Err("no params found".to_owned());
        }
        Ok(selected)
    }
}
