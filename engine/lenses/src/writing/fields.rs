//! Which fields of a document hold an expression, what each may use, and what its value has to be.
//!
//! In: a document. Out: its [`Field`]s, in the order in which they are compiled, and the environment of each.

use engine::resource::Protocol;
use engine_cel::types::Type;
use engine_celpolicy::compile::{Compiled, Wanted, compile};
use engine_celpolicy::environment::{Environment, Kind, of_images, of_references, of_requests};
use engine_celpolicy::policy::{Within, expressions_in_template, is_bare};
use engine_json::{Path, Segment, Str, Value};
use std::sync::Arc;

/// So many expressions of one document are looked at.
const MAX_FIELDS: usize = 2_000;
/// So many rules of one document.
const MAX_RULES: usize = 500;

/// A field that holds an expression.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// Where it stands in its document.
    pub(super) path: Path,
    /// What its value has to be.
    pub(super) wanted: Wanted,
    /// The list of variables that it may use, and how many of them.
    variables: (Path, usize),
    /// What lies around the expressions: the spec, or the rule's `validate.cel`.
    root: Path,
    /// The part of the scalar that the expression is, where it is not the whole: in a template.
    pub(super) within: Option<Arc<Within>>,
}

/// How many of the variables an expression sees.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sees {
    Nothing,
    Everything,
}

/// A list of a policy: its name, the field of an item that holds the expression, what that has to be.
type List = (&'static str, &'static [&'static str], Wanted);

const CONDITIONS: List = ("matchConditions", &["expression"], Wanted::Bool);
const ANNOTATIONS: List = ("auditAnnotations", &["valueExpression"], Wanted::TextOrNull);

/// The lists of all kinds, but for the variables and the conditions.
const LISTS: [List; 8] = [
    ("conditions", &["expression"], Wanted::Bool),
    ("targetMatchConditions", &["expression"], Wanted::Bool),
    ("validations", &["expression"], Wanted::Bool),
    ("validations", &["messageExpression"], Wanted::Text),
    ("mutations", &["applyConfiguration", "expression"], Wanted::Configuration),
    ("mutations", &["jsonPatch", "expression"], Wanted::JsonPatches),
    ("generate", &["expression"], Wanted::Any),
    ANNOTATIONS,
];

/// The same of a rule with `validate.cel`.
const LISTS_OF_RULE: [List; 3] = [
    ("expressions", &["expression"], Wanted::Bool),
    ("expressions", &["messageExpression"], Wanted::Text),
    ANNOTATIONS,
];

/// Where an attestor of an `ImageValidatingPolicy` holds expressions.
const OF_ATTESTORS: [&[&str]; 6] = [
    &["cosign", "key", "expression"],
    &["cosign", "certificate", "cert", "expression"],
    &["cosign", "certificate", "certChain", "expression"],
    &["cosign", "trustedRoot", "expression"],
    &["notary", "certs", "expression"],
    &["notary", "tsaCerts", "expression"],
];

/// The list of expressions that select images by their references, in an environment of their own.
const REFERENCES: &str = "matchImageReferences";

/// What a document is, by what stands at its head.
fn is_of(document: &Value, group: &str) -> bool {
    document.find_str(&["apiVersion"]).split_once('/').is_some_and(|(known, _)| known == group)
}

/// The fields of a document.
pub(super) fn of(document: &Value) -> Vec<Field> {
    let mut found = Vec::new();
    let spec = Path::from_keys(&["spec"]);
    if is_of(document, "kyverno.io") {
        let rules = document.find(&["spec", "rules"]).and_then(Value::as_array).map_or(0, <[Value]>::len);
        for at in 0..rules.min(MAX_RULES) {
            let rule = spec.join("rules").join(at);
            let root = rule.join("validate").join("cel");
            let mut lists = Lists { document, root: root.clone(), found: &mut found };
            lists.list(&rule, ("celPreconditions", &["expression"], Wanted::Bool), Sees::Everything);
            lists.variables();
            for list in LISTS_OF_RULE {
                lists.list(&root, list, Sees::Everything);
            }
        }
        return found;
    }
    let is_admission = is_of(document, "admissionregistration.k8s.io");
    if !is_admission && !is_of(document, "policies.kyverno.io") {
        return found;
    }
    let mut lists = Lists { document, root: spec.clone(), found: &mut found };
    // Kyverno: conditions are compiled before there are variables, but for those of policies that mutate.
    let kind = document.find_str(&["kind"]);
    let sees = is_admission || kind.ends_with("MutatingPolicy");
    let is_of_images = kind.ends_with("ImageValidatingPolicy");
    if is_of_images {
        lists.list(&spec, (REFERENCES, &["expression"], Wanted::Bool), Sees::Nothing);
    }
    lists.list(&spec, CONDITIONS, if sees { Sees::Everything } else { Sees::Nothing });
    if is_of_images {
        lists.list(&spec, ("images", &["expression"], Wanted::Texts), Sees::Nothing);
    }
    lists.variables();
    if is_of_images {
        for below in OF_ATTESTORS {
            lists.list(&spec, ("attestors", below, Wanted::Any), Sees::Everything);
        }
    }
    lists.one(spec.join("targetMatchConstraints").join("expression"), Wanted::Entries);
    for list in LISTS {
        lists.list(&spec, list, Sees::Everything);
    }
    lists.templates(&spec.join("generate"));
    found
}

struct Lists<'a> {
    document: &'a Value,
    root: Path,
    found: &'a mut Vec<Field>,
}

impl Lists<'_> {
    fn length(&self, list: &Path) -> usize {
        self.document.at_path(list.iter()).and_then(Value::as_array).map_or(0, <[Value]>::len)
    }

    fn push(&mut self, path: Path, wanted: Wanted, seen: usize) {
        if self.found.len() < MAX_FIELDS && self.document.at_path(path.iter()).is_some() {
            let variables = (self.root.join("variables"), seen);
            self.found.push(Field { path, wanted, variables, root: self.root.clone(), within: None });
        }
    }

    fn one(&mut self, path: Path, wanted: Wanted) {
        self.push(path, wanted, usize::MAX);
    }

    fn list(&mut self, root: &Path, (name, below, wanted): List, sees: Sees) {
        let list = root.join(name);
        for at in 0..self.length(&list).min(MAX_FIELDS) {
            let path = below.iter().fold(list.join(at), |path, key| path.join(*key));
            self.push(path, wanted, if sees == Sees::Nothing { 0 } else { usize::MAX });
        }
    }

    /// The expressions in the templates of objects that are generated.
    fn templates(&mut self, list: &Path) {
        for at in 0..self.length(list).min(MAX_FIELDS) {
            let template = list.join(at).join("template");
            let Some(written) = self.document.at_path(template.iter()) else { continue };
            if written.find_str(&["interpolate"]) != "cel" {
                continue;
            }
            for within in expressions_in_template(written.find_str(&["value"])) {
                if self.found.len() < MAX_FIELDS {
                    self.found.push(Field {
                        path: template.join("value"),
                        wanted: Wanted::Any,
                        variables: (self.root.join("variables"), usize::MAX),
                        root: self.root.clone(),
                        within: Some(Arc::new(within)),
                    });
                }
            }
        }
    }

    /// The variables: each sees those before it.
    fn variables(&mut self) {
        let list = self.root.join("variables");
        for at in 0..self.length(&list).min(MAX_FIELDS) {
            self.push(list.join(at).join("expression"), Wanted::Any, at);
        }
    }
}

/// A variable of a policy that an expression may use.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) name: Str,
    pub(super) source: Str,
    /// Its program; nothing where it does not compile.
    pub(super) compiled: Option<Compiled>,
}

/// What an expression may use.
#[derive(Debug)]
pub(super) struct Around {
    pub(super) environment: Environment,
    pub(super) variables: Vec<Variable>,
    /// Whether Kubernetes itself evaluates it.
    pub(super) is_admission: bool,
}

impl Field {
    /// What the field may use; nothing where the kind is not known.
    pub(super) fn around(&self, document: &Value) -> Option<Around> {
        let (mut environment, is_admission) = self.environment(document)?;
        let list = document.at_path(self.variables.0.iter()).and_then(Value::as_array).unwrap_or_default();
        let mut variables = Vec::new();
        for written in list.iter().take(self.variables.1.min(MAX_FIELDS)) {
            let (name, source) = (written.find_str(&["name"]), written.find_str(&["expression"]));
            let compiled = compile(source, &environment, Wanted::Any).ok();
            let of = compiled.as_ref().map_or(Type::Dyn, |compiled| compiled.of.clone());
            environment = environment.with_policy_variable(name, of);
            variables.push(Variable { name: Str::from(name), source: Str::from(source), compiled });
        }
        Some(Around { environment, variables, is_admission })
    }

    fn environment(&self, document: &Value) -> Option<(Environment, bool)> {
        let params = || {
            let kind = self.root.join("paramKind");
            document.at_path(kind.iter()).is_some_and(|kind| !kind.is_null())
        };
        let is_message = matches!(self.path.last(), Some(Segment::Key(key)) if key == "messageExpression");
        let is_namespaced = !document.find_str(&["metadata", "namespace"]).is_empty();
        let kind = match document.find_str(&["kind"]) {
            "ValidatingAdmissionPolicy" => Kind::Admission { params: params(), authorizer: false },
            "MutatingAdmissionPolicy" => Kind::MutatingAdmission { params: params() },
            "ClusterPolicy" | "Policy" => Kind::Admission { params: params(), authorizer: !is_message },
            "PolicyException" => Kind::Validating,
            "ImageValidatingPolicy" | "NamespacedImageValidatingPolicy" => {
                if self.path.iter().any(|step| matches!(step, Segment::Key(key) if key == REFERENCES)) {
                    return Some((of_references().ok()?, false));
                }
                let is_json = document.get("spec").is_some_and(is_bare);
                return Some((of_images(is_json, is_namespaced).ok()?, false));
            }
            other => {
                let mode = document.find_str(&["spec", "evaluation", "mode"]);
                let protocol = [("HTTP", Protocol::Http), ("Envoy", Protocol::Envoy)];
                if let Some((_, protocol)) = protocol.into_iter().find(|(name, _)| *name == mode) {
                    return Some((of_requests(protocol).ok()?, false));
                }
                Kind::named(other.strip_prefix("Namespaced").unwrap_or(other))?
            }
        };
        let is_admission = matches!(kind, Kind::Admission { .. } | Kind::MutatingAdmission { .. });
        let environment = Environment::new(kind, is_namespaced && !is_admission).ok()?;
        Some((environment, is_admission))
    }
}
