//! Why a policy in CEL is not evaluated, and what in it is hardly meant: each problem at its place in the YAML.

use super::DocumentPath;
use crate::compile::Fault;
use crate::environment::Environment;
use crate::lint::Remark;
pub(super) use crate::place::path_of;
use crate::policy::{Exception, Policy, Refused, exception_conditions};
use engine::diag::{Code, Diagnostic};
use engine::load::{Bundle, Unusable};
use engine_json::{Path, Str, Value};
use engine_yaml::Span;
use engine_yaml::places::character;

/// A policy that is not read, for what stands in a field.
pub(super) fn unusable(
    bundle: &Bundle,
    place: &DocumentPath<'_>,
    code: Code,
    field: &str,
    message: String,
) -> Unusable {
    let spans = bundle.spans(place.document);
    let span = spans.map(|spans| engine::load::place(&spans, &path_of(place.path, field)));
    let diagnostics = vec![Diagnostic::error(code, span, message)];
    Unusable { diagnostics, ..Unusable::default() }
}

/// A policy in which a name stands twice where each may stand once.
pub(super) fn repeated(
    bundle: &Bundle,
    place: &DocumentPath<'_>,
    policy: &Policy,
    field: &str,
    name: &Str,
) -> Unusable {
    let key = policy.key();
    let message = format!(
        "the name `{name}` is there twice: policy `{key}` is not evaluated, as Kyverno would not load it"
    );
    unusable(bundle, place, Code::WrongType, field, message)
}

/// A policy whose expressions do not compile.
pub(super) fn refused(
    bundle: &Bundle,
    place: &DocumentPath<'_>,
    value: &Value,
    policy: String,
    fault: &Refused,
) -> Unusable {
    let first = fault.faults.first().map(|(field, _)| path_of(place.path, field));
    let refused = engine::load::Refused {
        policy,
        reason: fault.text.clone(),
        document: place.document,
        path: first.unwrap_or_else(|| place.path.clone()),
        rules: 1,
    };
    let diagnostics = diagnostics(bundle, place, value, fault);
    Unusable { diagnostics, refused: Some(refused), unsupported: None }
}

/// Whether the original loads a policy with these owners; else what is wrong with them.
// apimachinery: ValidateOwnerReferences, which kubectl-validate asks of every object.
pub(super) fn check_owners(
    bundle: &Bundle,
    place: &DocumentPath<'_>,
    value: &Value,
) -> Result<(), Box<Unusable>> {
    const NEEDED: [&str; 4] = ["apiVersion", "kind", "name", "uid"];
    let owners = value.find(&["metadata", "ownerReferences"]).and_then(Value::as_array).unwrap_or_default();
    let missing = |owner: &Value| NEEDED.into_iter().find(|field| owner.find_str(&[field]).is_empty());
    let Some((at, missing)) = owners.iter().enumerate().find_map(|(at, owner)| Some((at, missing(owner)?)))
    else {
        return Ok(());
    };
    let field = format!("metadata.ownerReferences[{at}]");
    let name = value.find_str(&["metadata", "name"]);
    let message = format!(
        "`{field}.{missing}` is required: policy `{name}` is not evaluated, as Kyverno would not load it"
    );
    Err(unusable(bundle, place, Code::MissingField, &field, message).into())
}

/// What can be evaluated and is hardly meant.
pub(super) fn remarked(bundle: &Bundle, place: &DocumentPath<'_>, remarks: Vec<Remark>) -> Vec<Diagnostic> {
    if remarks.is_empty() {
        return Vec::new();
    }
    let spans = bundle.spans(place.document);
    let said = remarks.into_iter().map(|remark| {
        let path = path_of(place.path, &remark.field);
        let span = spans
            .as_ref()
            .map(|spans| spans.value_span(&path).unwrap_or_else(|| engine::load::place(spans, &path)));
        let said = Diagnostic::warning(Code::Suspicious, span, remark.message);
        if remark.hint.is_empty() { said } else { said.hint(remark.hint) }
    });
    said.collect()
}

/// The problems of the expressions of a policy, each at its place in the file.
pub(super) fn diagnostics(
    bundle: &Bundle,
    place: &DocumentPath<'_>,
    value: &Value,
    refused: &Refused,
) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    for (field, fault) in &refused.faults {
        all.extend(of_fault(bundle, place, value, field, fault));
    }
    if all.is_empty() {
        all.push(Diagnostic::error(Code::BadExpression, None, refused.text.clone()));
    }
    all
}

/// The problems of the conditions of an exception, each at its place in the file.
pub(super) fn of_exception(
    bundle: &Bundle,
    place: &DocumentPath<'_>,
    value: &Value,
    environment: &Environment,
) -> Vec<Diagnostic> {
    match exception_conditions(environment, None, &Exception::read(value)) {
        Err(fault) if !fault.faults.is_empty() => diagnostics(bundle, place, value, &fault),
        Ok(_) | Err(_) => Vec::new(),
    }
}

/// The problems of one expression.
fn of_fault(
    bundle: &Bundle,
    place: &DocumentPath<'_>,
    value: &Value,
    field: &str,
    fault: &Fault,
) -> Vec<Diagnostic> {
    let scalar = scalar(bundle, place, value, field);
    let at = |problem: &(Option<u32>, String)| {
        let (place, message) = problem;
        let span = scalar.as_ref().map(|(span, written, value)| match place {
            None => *span,
            Some(place) => character(*span, written, value, *place as usize),
        });
        Diagnostic::error(Code::BadExpression, span, format!("{field}: {message}"))
    };
    fault.problems.iter().map(at).collect()
}

/// The scalar of a field: its place, how it is written, and its value.
fn scalar(
    bundle: &Bundle,
    place: &DocumentPath<'_>,
    value: &Value,
    field: &str,
) -> Option<(Span, String, String)> {
    let value = value.at_path(path_of(&Path::root(), field).iter())?.as_str()?.to_owned();
    let span = bundle.spans(place.document)?.value_span(&path_of(place.path, field))?;
    let (_, source) = bundle.source(bundle.document(place.document)?.source)?;
    let written = source.text.get(span.start as usize..span.end as usize)?.to_owned();
    Some((span, written, value))
}
