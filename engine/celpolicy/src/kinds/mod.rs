//! The kinds as rows of the engine's table: read, checked, compiled, and bound to what evaluates them.
//!
//! In: documents. Out: policies of the engine's bundle, or what is wrong with them, each problem at its place in the YAML.

mod admission;
mod deleting;
mod difference;
mod generating;
mod home;
mod images;
mod mutating;
mod mutating_admission;
mod requests;
mod rule;
mod table;

use crate::apply::{
    CliWorld, ClusterWorld, Exceptions, Explainers, Explaining, Row, Subject, evaluate, evaluate_each,
    explainers,
};
use crate::compile::Fault;
use crate::hosts::Depends;
use crate::lint::{Remark, remarks};
use crate::place::in_scalar;
use crate::policy::{
    Evaluation, Exception, ExceptionProgram, Policy, Program, Refused, decode, is_simple, repeated_name,
};
use crate::stages::Parts;
use engine::apply::{RuleResult, RuleType};
use engine::body::{Asked, Body, Difference, WithExceptions};
use engine::diag::{Code, Diagnostic};
use engine::load::{Bundle, Host, Others, Place, Unsupported, Unusable};
use engine::policy::{Action, Policy as EnginePolicy, PolicyKind};
use engine_cel::function::Outside;
use engine_json::{Map, Path, Str, Value};
use engine_yaml::Span;
pub use requests::request_fault;
use std::cell::OnceCell;
use std::sync::Arc;

// Statics are compiled here, and not with the settings of the crate that names them.
static SILENT: Others =
    Others { kinds: table::rows::<false>(), cel_rule: Some(rule::read::<false>), stages: Some(&Parts) };
static EXPLAINED: Others =
    Others { kinds: table::rows::<true>(), cel_rule: Some(rule::read::<true>), stages: Some(&Parts) };

/// Every kind that is evaluated here, without the steps to a verdict: a module that names this table alone carries nothing of them.
pub const OTHERS: &Others = &SILENT;

/// The same kinds, and the steps to each verdict where they are asked for.
pub const ALL: &Others = &EXPLAINED;

/// Reads a ValidatingPolicy that is asked about resources or payloads.
fn read<const WITH_STEPS: bool>(
    bundle: &Bundle,
    place: &Place<'_>,
    value: &Value,
    kind: &'static str,
) -> Result<(EnginePolicy, Vec<Diagnostic>), Box<Unusable>> {
    if let Some(unusable) = wrong_owner(bundle, place, value) {
        return Err(unusable);
    }
    let policy = decode(value);
    if let Some((field, name)) = repeated_name(&policy) {
        return Err(repeated(bundle, place, &policy, &field, name).into());
    }
    if policy.evaluation == Evaluation::Requests {
        let mut unusable = unusable(
            bundle,
            place,
            "spec.evaluation.mode",
            format!(
                "requests of HTTP and Envoy are not supported yet: policy `{}` decides nothing here",
                policy.key()
            ),
        );
        unusable.diagnostics.iter_mut().for_each(|said| said.code = Code::NotSupported);
        let what = format!("{kind} for HTTP and Envoy");
        unusable.unsupported = Some(Unsupported { policy: policy.key(), rule: Str::default(), what });
        return Err(unusable.into());
    }
    let program =
        Program::new(&policy).map_err(|fault| refused(bundle, place, value, policy.key(), &fault))?;
    let said = remarked(bundle, place, remarks(&policy, &program));
    let body = Validating {
        root: place.path.clone(),
        depends: program.depends(),
        policy: Arc::new(policy),
        program: Arc::new(program),
        exceptions: Arc::default(),
        why: explainers::<WITH_STEPS>(),
    };
    Ok((made(place, value, PolicyKind::Other(kind), body), said))
}

/// A policy that is not read, for what stands in a field.
fn unusable(bundle: &Bundle, place: &Place<'_>, field: &str, message: String) -> Unusable {
    let spans = bundle.spans(place.document);
    let span = spans.map(|spans| engine::load::place(&spans, &path_of(place.path, field)));
    let diagnostics = vec![Diagnostic::error(Code::WrongType, span, message)];
    Unusable { diagnostics, ..Unusable::default() }
}

/// A policy in which a name stands twice where each may stand once.
fn repeated(bundle: &Bundle, place: &Place<'_>, policy: &Policy, field: &str, name: &Str) -> Unusable {
    let key = policy.key();
    let message = format!(
        "the name `{name}` stands twice: policy `{key}` is not evaluated, as Kyverno would not load it"
    );
    unusable(bundle, place, field, message)
}

/// A policy whose expressions do not compile.
fn refused(bundle: &Bundle, place: &Place<'_>, value: &Value, policy: String, fault: &Refused) -> Unusable {
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

/// The policy as the engine knows it.
fn made(place: &Place<'_>, value: &Value, kind: PolicyKind, body: Validating) -> EnginePolicy {
    let actions = value.find(&["spec", "validationActions"]).and_then(Value::as_array).unwrap_or_default();
    let has = |action: &str| actions.iter().any(|known| known.as_str() == Some(action));
    let is_on = |field: &str| {
        value.find(&["spec", "evaluation", field, "enabled"]).and_then(Value::as_bool).unwrap_or(true)
    };
    let action = if actions.is_empty() || has("Deny") { Action::Enforce } else { Action::Audit };
    EnginePolicy {
        api_version: Str::from(value.find_str(&["apiVersion"])),
        namespace: body.policy.namespace.clone(),
        name: body.policy.name.clone(),
        annotations: annotations(value),
        raw: value.clone(),
        background: is_on("background"),
        admission: is_on("admission"),
        emit_warning: has("Warn"),
        body: Some(Arc::new(body)),
        ..EnginePolicy::without_rules(kind, place.document, action)
    }
}

fn annotations(value: &Value) -> Map {
    value.find(&["metadata", "annotations"]).and_then(Value::as_object).cloned().unwrap_or_else(Map::new)
}

/// Why the original does not load a policy with these owners.
// apimachinery: ValidateOwnerReferences, which kubectl-validate asks of every object.
fn wrong_owner(bundle: &Bundle, place: &Place<'_>, value: &Value) -> Option<Box<Unusable>> {
    const NEEDED: [&str; 4] = ["apiVersion", "kind", "name", "uid"];
    let owners = value.find(&["metadata", "ownerReferences"]).and_then(Value::as_array)?;
    let fault = |owner: &Value| NEEDED.into_iter().find(|field| owner.find_str(&[field]).is_empty());
    let (at, missing) = owners.iter().enumerate().find_map(|(at, owner)| Some((at, fault(owner)?)))?;
    let field = format!("metadata.ownerReferences[{at}]");
    let spans = bundle.spans(place.document);
    let span = spans.map(|spans| engine::load::place(&spans, &path_of(place.path, &field)));
    let name = value.find_str(&["metadata", "name"]);
    let message = format!(
        "`{field}.{missing}` is required: policy `{name}` is not evaluated, as Kyverno would not load it"
    );
    let diagnostics = vec![Diagnostic::error(Code::MissingField, span, message)];
    Some(Box::new(Unusable { diagnostics, ..Unusable::default() }))
}

/// What can be evaluated and is hardly meant.
fn remarked(bundle: &Bundle, place: &Place<'_>, remarks: Vec<Remark>) -> Vec<Diagnostic> {
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
fn diagnostics(bundle: &Bundle, place: &Place<'_>, value: &Value, refused: &Refused) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    for (field, fault) in &refused.faults {
        all.extend(of_fault(bundle, place, value, field, fault));
    }
    if all.is_empty() {
        all.push(Diagnostic::error(Code::BadExpression, None, refused.text.clone()));
    }
    all
}

/// The problems of one expression.
fn of_fault(
    bundle: &Bundle,
    place: &Place<'_>,
    value: &Value,
    field: &str,
    fault: &Fault,
) -> Vec<Diagnostic> {
    let scalar = scalar(bundle, place, value, field);
    let at = |problem: &(Option<u32>, String)| {
        let (place, message) = problem;
        let span = scalar.as_ref().map(|(span, written, value)| match place {
            None => *span,
            Some(place) => {
                let at = in_scalar(written, value, *place as usize);
                let length = written.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
                let of_text = |at: usize| u32::try_from(at).unwrap_or(0);
                let start = span.start.saturating_add(of_text(at)).min(span.end);
                Span { start, end: start.saturating_add(of_text(length)).min(span.end.max(start)), ..*span }
            }
        });
        Diagnostic::error(Code::BadExpression, span, format!("{field}: {message}"))
    };
    fault.problems.iter().map(at).collect()
}

/// The scalar of a field: its place, how it is written, and its value.
fn scalar(bundle: &Bundle, place: &Place<'_>, value: &Value, field: &str) -> Option<(Span, String, String)> {
    let value = value.at_path(path_of(&Path::root(), field).iter())?.as_str()?.to_owned();
    let span = bundle.spans(place.document)?.value_span(&path_of(place.path, field))?;
    let (_, source) = bundle.source(bundle.document(place.document)?.source)?;
    let written = source.text.get(span.start as usize..span.end as usize)?.to_owned();
    Some((span, written, value))
}

/// `spec.validations[0].expression` as a path, behind another.
fn path_of(root: &Path, field: &str) -> Path {
    let segments = field.split('.').flat_map(|part| part.split('['));
    segments.fold(root.clone(), |path, segment| {
        let place = segment.strip_suffix(']').and_then(|place| place.parse::<usize>().ok());
        place.map_or_else(|| path.join(segment), |place| path.join(place))
    })
}

/// A resource as the policies of a kind see it, made when the first of them asks.
#[derive(Default)]
struct Seen {
    by_kyverno: OnceCell<Subject>,
    by_kubernetes: OnceCell<Subject>,
}

impl Seen {
    fn of_kyverno(&self, asked: &Asked<'_>) -> &Subject {
        self.by_kyverno.get_or_init(|| match asked.host {
            Host::Cluster => Subject::of_webhook(asked),
            Host::Cli | Host::Playground => {
                Subject::of(asked.resource, asked.settings).read_by(asked.host, asked.resource).beside(asked)
            }
        })
    }

    fn of_kubernetes(&self, asked: &Asked<'_>) -> &Subject {
        self.by_kubernetes.get_or_init(|| match asked.host {
            Host::Cluster => Subject::of_api_server(asked),
            Host::Cli | Host::Playground => {
                Subject::of_admission(asked.resource, asked.settings).read_by(asked.host, asked.resource)
            }
        })
    }

    /// Tells the resource to what asks for it.
    fn with<T>(
        asked: &Asked<'_>,
        of: for<'s> fn(&'s Seen, &Asked<'_>) -> &'s Subject,
        say: impl FnOnce(&Subject) -> T,
    ) -> T {
        let made = asked.made.get_or_init(|| Box::new(Seen::default()));
        match made.downcast_ref::<Seen>() {
            Some(seen) => say(of(seen, asked)),
            None => say(of(&Seen::default(), asked)),
        }
    }
}

/// What evaluates a ValidatingPolicy.
#[derive(Debug)]
struct Validating {
    /// Where the policy stands in its document.
    root: Path,
    policy: Arc<Policy>,
    program: Arc<Program>,
    exceptions: Arc<Vec<(Exception, ExceptionProgram)>>,
    /// On what its verdict can depend.
    depends: Depends,
    why: Option<&'static Explainers>,
}

impl Validating {
    /// The exceptions that the host looks at.
    fn exceptions(&self, asked: &Asked<'_>) -> Exceptions<'_> {
        let now = (asked.host == Host::Cluster).then(|| asked.world.now());
        Exceptions { all: &self.exceptions, now }
    }

    fn result(&self, row: Row, host: Host) -> RuleResult {
        // The Playground: a row without a name has the policy's.
        let rule = match (row.rule, host) {
            ("", Host::Playground) => self.policy.name.clone(),
            (rule, _) => Str::from(rule),
        };
        let mut result = RuleResult::of_policy(rule, RuleType::Validation, row.status, row.message);
        if let Some(at) = row.validation {
            let field = format!("spec.validations[{at}].expression");
            result.policy_paths.push(path_of(&self.root, &field));
        }
        result.properties = row.properties;
        result.steps = row.steps;
        result.exceptions = row.exceptions;
        result
    }
}

impl Body for Validating {
    fn evaluate(&self, asked: &Asked<'_>) -> Option<Vec<RuleResult>> {
        let namespace = &self.policy.namespace;
        let cli = CliWorld { world: asked.world, settings: asked.settings, namespace, also: &[] };
        let outside = ClusterWorld { cli, objects: asked.objects, host: asked.host };
        let outside: &dyn Outside = if asked.host == Host::Cli { &outside.cli } else { &outside };
        let (policy, program) = (&self.policy, &self.program);
        let exceptions = self.exceptions(asked);
        let explaining = Explaining {
            why: self.why.filter(|_| asked.is_traced).map(|explainers| (explainers, &self.root)),
        };
        if policy.evaluation == Evaluation::Json {
            // Kyverno: no webhook asks it.
            if asked.host == Host::Cluster && !asked.resource.is_payload {
                return None;
            }
            let subject = Subject::of_payload(asked.resource);
            // Kyverno: each variant for controllers is asked as well, for none looks at what it is for.
            let rows = evaluate_each(policy, program, exceptions, &subject, outside, explaining);
            return Some(rows.into_iter().map(|row| self.result(row, asked.host)).collect());
        }
        // The Playground: a policy of a namespace is for that namespace alone.
        let is_elsewhere = asked.host == Host::Playground
            && !namespace.is_empty()
            && asked.resource.namespace() != namespace.as_str();
        if asked.resource.is_payload || is_elsewhere {
            return None;
        }
        let say = |subject: &Subject| {
            let is_elsewhere = asked.host == Host::Cluster
                && !namespace.is_empty()
                && subject.request_namespace() != namespace.as_str();
            if is_elsewhere {
                None
            } else {
                evaluate(policy, program, exceptions, subject, outside, explaining)
            }
        };
        let row = Seen::with(asked, Seen::of_kyverno, say);
        // Kyverno: a policy that autogen knows, or that has more than one rule for resources, answers for each, if with nothing.
        let is_answered =
            row.is_some() || !policy.variants.is_empty() || !is_simple(policy.match_constraints.as_ref());
        is_answered.then(|| row.into_iter().map(|row| self.result(row, asked.host)).collect())
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn takes_payloads(&self) -> bool {
        self.policy.evaluation == Evaluation::Json
    }

    fn turn(&self) -> u8 {
        u8::from(self.policy.evaluation == Evaluation::Json)
    }

    fn difference(&self, here: &Asked<'_>, there: &Asked<'_>) -> Option<Difference> {
        difference::of_kyverno(self, here, there)
    }

    fn source(&self) -> &'static str {
        "KyvernoValidatingPolicy"
    }

    fn with_exceptions(&self, given: &[&Value]) -> WithExceptions {
        let exceptions = given.iter().map(|value| Exception::read(value));
        let mut all = Vec::new();
        for (at, exception) in exceptions.enumerate() {
            for _ in 0..exception.times_for(&self.policy) {
                match ExceptionProgram::new(&self.policy, &self.program, &exception) {
                    Ok(program) => all.push((exception.clone(), program)),
                    Err(refused) => return WithExceptions::Refused { exception: at, reason: refused.text },
                }
            }
        }
        if all.is_empty() {
            return WithExceptions::Same;
        }
        WithExceptions::Changed(Arc::new(Validating {
            root: self.root.clone(),
            why: self.why,
            depends: self.depends,
            policy: Arc::clone(&self.policy),
            program: Arc::clone(&self.program),
            exceptions: Arc::new(all),
        }))
    }
}
