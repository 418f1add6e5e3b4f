//! ImageValidatingPolicy: as it is written, and compiled.
//!
//! In: a document that its schema takes. Out: an [`Images`] with its variants for controllers of Pods. What does not compile is kept with
//! it: the original says so of each resource, and goes on.
//! Mirrors: `pkg/image/verification/evaluator/compiler.go`, `pkg/cel/compiler/images.go` of Kyverno 1.19.

use super::attestors::{CompiledAttestor, attestors};
use super::autogen::variants;
use super::compiling::{Compiling, listed};
use super::decode::{decode_one, items, pairs};
use super::{CompiledValidation, Policy, Refused, Validation};
use crate::compile::{Compiled, Fault, Wanted, compile};
use crate::environment::{Environment, of_images, of_references};
use engine_cel::types::Type;
use engine_json::{Str, Value, quote};
use engine_values::glob::Glob;
use std::sync::OnceLock;

/// A policy that looks at images.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own")]
pub struct Images {
    /// Its name, its constraints, its conditions.
    pub policy: Policy,
    /// Whether it is asked about payloads.
    pub is_of_payloads: bool,
    /// Whether its expressions know the object alone, and nothing of a request.
    is_bare: bool,
    /// Its attestations by name.
    pub attestations: Vec<(Str, Value)>,
    /// Whether each image must have a digest.
    pub verifies_digest: bool,
    /// Whether each image must have been verified, by this policy or by another one.
    pub requires: bool,
    /// Its expressions as programs.
    pub compiled: Result<ImageProgram, NotCompiled>,
    /// The same policy for controllers of Pods.
    pub variants: Vec<Images>,
}

/// The expressions of a policy.
#[derive(Debug)]
pub struct ImageProgram {
    /// What its expressions may use.
    pub environment: Environment,
    /// Its match conditions.
    pub conditions: Vec<Compiled>,
    /// Which images it is for.
    pub references: Vec<Reference>,
    /// Where it finds images, by the names of what is found, beside the places that Kubernetes' kinds have.
    pub extractors: Vec<(Str, Compiled)>,
    /// Its variables by name, in their order.
    pub variables: Vec<(Str, Compiled)>,
    /// Who signs.
    pub attestors: Vec<CompiledAttestor>,
    /// What it asks.
    pub validations: Vec<CompiledValidation>,
    /// Its audit annotations by key.
    pub annotations: Vec<(Str, Compiled)>,
}

/// What selects images.
#[derive(Debug)]
pub enum Reference {
    /// A pattern.
    Glob(Glob),
    /// An expression over `ref`.
    Expression(Box<Compiled>),
}

/// A policy whose expressions do not compile.
#[derive(Debug)]
pub struct NotCompiled {
    /// What the original says where it stops, and all that is wrong.
    pub refused: Refused,
    /// The place of an expression for images that stopped it; before such expressions, or after them.
    stopped: Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stopped {
    Before,
    AtImage(usize),
    After,
}

/// Where the images of a kind of resource stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// In its spec: a Pod.
    Pod,
    /// In its template.
    Template,
    /// In the template of its template: a CronJob.
    JobTemplate,
    /// Nowhere that is known.
    Nowhere,
}

const NAMES: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];

impl Placed {
    /// For a group, a version and a plural.
    pub fn of([group, version, plural]: &[Str; 3]) -> Self {
        match (group.as_str(), version.as_str(), plural.as_str()) {
            ("", "v1", "pods") => Placed::Pod,
            ("batch", "v1", "jobs")
            | ("apps", "v1", "deployments" | "statefulsets" | "daemonsets" | "replicasets") => {
                Placed::Template
            }
            ("batch", "v1", "cronjobs") => Placed::JobTemplate,
            _ => Placed::Nowhere,
        }
    }

    fn expression(self, name: &str) -> String {
        let path = match self {
            Placed::Template => "template.spec.",
            Placed::JobTemplate => "jobTemplate.spec.template.spec.",
            Placed::Pod | Placed::Nowhere => "",
        };
        format!("(object != null ? object : oldObject).spec.{path}?{name}.orValue([]).map(e, e.image)")
    }

    fn count(self) -> usize {
        if self == Placed::Nowhere { 0 } else { NAMES.len() }
    }

    /// What finds these images, by names.
    pub fn extractors(self) -> &'static [(Str, Compiled)] {
        static MADE: OnceLock<[Vec<(Str, Compiled)>; 3]> = OnceLock::new();
        let all = MADE.get_or_init(|| {
            [Placed::Pod, Placed::Template, Placed::JobTemplate].map(|placed| {
                let Ok(environment) = of_images(false, false) else { return Vec::new() };
                let one = |name: &'static str| {
                    let made = compile(&placed.expression(name), &environment, Wanted::Texts).ok()?;
                    Some((Str::new_static(name), made))
                };
                NAMES.into_iter().filter_map(one).collect()
            })
        });
        let [pod, template, job] = all;
        match self {
            Placed::Pod => pod,
            Placed::Template => template,
            Placed::JobTemplate => job,
            Placed::Nowhere => &[],
        }
    }
}

impl Images {
    /// Reads and compiles a policy with its variants.
    pub fn new(document: &Value) -> Self {
        let mut policy = Self::one(document);
        policy.variants = variants(document).iter().map(Self::one).collect();
        policy
    }

    fn one(document: &Value) -> Self {
        let policy = decode_one(document);
        let spec = document.get("spec").cloned().unwrap_or_default();
        let is_on = |name: &str| {
            spec.find(&["validationConfigurations", name]).and_then(Value::as_bool).unwrap_or(true)
        };
        let attestations = items(spec.get("attestations"));
        Images {
            is_of_payloads: mode(&spec) == "JSON",
            is_bare: is_bare(&spec),
            attestations: attestations.map(|one| (Str::from(one.find_str(&["name"])), one.clone())).collect(),
            verifies_digest: is_on("verifyDigest"),
            requires: is_on("required"),
            compiled: program(&policy, &spec),
            variants: Vec::new(),
            policy,
        }
    }

    /// The programs for a resource whose images stand at these places.
    ///
    /// # Errors
    /// What the original says of the policy where it does not compile.
    pub fn program(&self, placed: Placed) -> Result<&ImageProgram, String> {
        if let Err(NotCompiled { refused, stopped: Stopped::Before }) = &self.compiled {
            return Err(refused.text.clone());
        }
        if self.is_bare
            && let Some(text) = self.fault_of(placed)
        {
            return Err(text);
        }
        self.compiled.as_ref().map_err(|NotCompiled { refused, stopped }| match stopped {
            // Kyverno: the own expressions stand behind those of the kind.
            Stopped::AtImage(at) => {
                let (own, here) = (format!("spec.images[{at}]"), at + placed.count());
                refused.text.replacen(&own, &format!("spec.images[{here}]"), 1)
            }
            Stopped::Before | Stopped::After => refused.text.clone(),
        })
    }

    /// What is wrong with the expressions of a kind.
    // Kyverno: they are compiled with the policy, and in other modes than that of Kubernetes they name an object that is not declared.
    fn fault_of(&self, placed: Placed) -> Option<String> {
        let environment = of_images(self.is_bare, !self.policy.namespace.is_empty()).ok()?;
        NAMES.into_iter().take(placed.count()).enumerate().find_map(|(at, name)| {
            let expression = Str::from(placed.expression(name));
            let fault = compile(&expression, &environment, Wanted::Texts).err()?;
            Some(listed(None, vec![(format!("spec.images[{at}].expression"), expression, fault)]).text)
        })
    }
}

fn mode(spec: &Value) -> &str {
    spec.find_str(&["evaluation", "mode"])
}

/// Whether expressions know the object alone, and nothing of a request, by the spec.
// Kyverno: any text but that of Kubernetes is taken for another mode.
pub fn is_bare(spec: &Value) -> bool {
    !matches!(mode(spec), "" | "Kubernetes")
}

/// A policy that is being compiled: where it stops, the rest is still looked at, for those who correct it.
#[derive(Default)]
struct Stops {
    first: Option<(Stopped, String)>,
    faults: Vec<(String, Fault)>,
}

impl Stops {
    fn keep<T: Default>(&mut self, at: Stopped, made: Result<T, Refused>) -> T {
        made.unwrap_or_else(|refused| {
            self.first.get_or_insert((at, refused.text));
            self.faults.extend(refused.faults);
            T::default()
        })
    }
}

// Kyverno: the order is observable.
fn program(policy: &Policy, spec: &Value) -> Result<ImageProgram, NotCompiled> {
    let fail = |text: String| NotCompiled {
        refused: Refused { text, faults: Vec::new() },
        stopped: Stopped::Before,
    };
    let environment = of_images(is_bare(spec), !policy.namespace.is_empty()).map_err(fail)?;
    let of_references = of_references().map_err(fail)?;
    let mut stops = Stops::default();
    let references =
        stops.keep(Stopped::Before, references(&of_references, spec.get("matchImageReferences")));
    let mut compiling = Compiling { environment, compiler: None };
    let conditions = compiling.conditions("spec.matchConditions", &policy.match_conditions);
    let conditions = stops.keep(Stopped::Before, conditions);
    let extractors = extractors(&mut stops, &compiling, spec.get("images"));
    let variables = compiling.variables(&policy.variables);
    if variables.is_err() {
        // Of a variable that does not compile nothing is known: what uses it is not wrong for that.
        for (name, _) in &policy.variables {
            compiling.environment = compiling.environment.with_policy_variable(name, Type::Dyn);
        }
    }
    let variables = stops.keep(Stopped::After, variables);
    let attestors = attestors(&compiling.environment, spec.get("attestors"))
        .map_err(|fault| Refused { text: fault.entry, faults: vec![(fault.field, fault.fault)] });
    let attestors = stops.keep(Stopped::After, attestors);
    let validations = validations(&mut stops, &compiling, &policy.validations);
    let annotations = stops.keep(Stopped::After, annotations(&compiling, &policy.audit_annotations));
    let Stops { first, faults } = stops;
    if let Some((stopped, text)) = first {
        return Err(NotCompiled { refused: Refused { text, faults }, stopped });
    }
    Ok(ImageProgram {
        environment: compiling.environment,
        conditions,
        references,
        extractors,
        variables,
        attestors,
        validations,
        annotations,
    })
}

/// What selects images, compiled with the functions that ask for it.
// Kyverno: ImageVerifyCELFuncs; so it fails before anything else, with a path of its own.
fn references(environment: &Environment, list: Option<&Value>) -> Result<Vec<Reference>, Refused> {
    let (mut made, mut entries, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    for (at, written) in items(list).enumerate() {
        let [glob, expression] = ["glob", "expression"].map(|name| written.find_str(&[name]));
        let (field, text) = if glob.is_empty() { ("expression", expression) } else { ("glob", glob) };
        let fault = if text.is_empty() {
            Err(Fault::whole("either glob or expression must be set".to_owned()))
        } else if field == "glob" {
            Glob::parse(text).map(Reference::Glob).map_err(Fault::whole)
        } else {
            compile(text, environment, Wanted::Bool).map(|made| Reference::Expression(Box::new(made)))
        };
        match fault {
            Ok(one) => made.push(one),
            Err(fault) => {
                let path = format!("spec.MatchImageReferences[{at}]");
                entries.push(if text.is_empty() {
                    format!("{path}: Invalid value: {{}}: {}", fault.text)
                } else {
                    format!("{path}.{field}: Invalid value: {}: {}", quote(text), fault.text)
                });
                let place = if text.is_empty() { String::new() } else { format!(".{field}") };
                faults.push((format!("spec.matchImageReferences[{at}]{place}"), fault));
            }
        }
    }
    let list = match entries.as_slice() {
        [] => return Ok(made),
        [one] => one.clone(),
        many => format!("[{}]", many.join(", ")),
    };
    Err(Refused { text: format!("<nil>: Internal error: failed to compile matches: {list}"), faults })
}

/// The places of images that the policy names; a later one of a name is meant.
fn extractors(stops: &mut Stops, compiling: &Compiling, list: Option<&Value>) -> Vec<(Str, Compiled)> {
    let mut made: Vec<(Str, Compiled)> = Vec::new();
    for (at, (name, expression)) in pairs(list, "name", "expression").into_iter().enumerate() {
        let path = format!("spec.images[{at}].expression");
        let one = compiling.one(&path, &expression, Wanted::Texts).map(Some);
        let Some(one) = stops.keep(Stopped::AtImage(at), one) else { continue };
        made.retain(|(known, _)| *known != name);
        made.push((name, one));
    }
    made
}

fn validations(stops: &mut Stops, compiling: &Compiling, written: &[Validation]) -> Vec<CompiledValidation> {
    let mut made = Vec::new();
    for (at, validation) in written.iter().enumerate() {
        let path = |field: &str| format!("spec.validations[{at}].{field}");
        let expression = compiling.one(&path("expression"), &validation.expression, Wanted::Bool).map(Some);
        let expression = stops.keep(Stopped::After, expression);
        let message = if validation.message_expression.is_empty() {
            None
        } else {
            let text = &validation.message_expression;
            stops
                .keep(Stopped::After, compiling.one(&path("messageExpression"), text, Wanted::Text).map(Some))
        };
        made.extend(expression.map(|expression| CompiledValidation { expression, message }));
    }
    made
}

/// The audit annotations; the first that does not compile ends it, and a later one of a key is meant.
fn annotations(compiling: &Compiling, written: &[(Str, Str)]) -> Result<Vec<(Str, Compiled)>, Refused> {
    let mut made: Vec<(Str, Compiled)> = Vec::new();
    for (at, (key, expression)) in written.iter().enumerate() {
        let path = format!("spec.auditAnnotations[{at}].valueExpression");
        let one = compiling.one(&path, expression, Wanted::TextOrNull)?;
        made.retain(|(known, _)| known != key);
        made.push((key.clone(), one));
    }
    Ok(made)
}
