//! Fields that Kubernetes' schema lets be absent, read as if they were there.
//!
//! In: the expressions of a policy for Pods or what makes Pods. Out: a remark for each expression, with the first such field.
//! A field that any expression of the policy asks for with `has` or `?` counts as asked for.

use super::{Expressions, Remark};
use engine_cel::ast::{Ast, Expr, ExprId, Literal};
use engine_cel::operators as op;
use engine_cel::syntax;
use engine_json::ordered::OrderedSet;
use engine_json::{Str, Value};

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    Pod,
    Controller,
    CronJob,
    Meta,
    PodSpec,
    ControllerSpec,
    CronJobSpec,
    JobTemplate,
    Template,
    Container,
    Security,
    Capabilities,
    Resources,
    Port,
    Volume,
    /// Something of which nothing is said.
    Other,
    Containers,
    Ports,
    Volumes,
}

/// A name, what it holds, and whether it may be absent.
type Field = (&'static str, Of, bool);

/// Fields by what they are of: what they hold, and whether they may be absent.
// Kubernetes: k8s.io/api core/v1, apps/v1, batch/v1: what is `optional` and has no default.
const FIELDS: &[(Of, &[Field])] = &[
    (Of::Pod, &[("metadata", Of::Meta, false), ("spec", Of::PodSpec, false)]),
    (Of::Controller, &[("metadata", Of::Meta, false), ("spec", Of::ControllerSpec, false)]),
    (Of::CronJob, &[("metadata", Of::Meta, false), ("spec", Of::CronJobSpec, false)]),
    (Of::CronJobSpec, &[("jobTemplate", Of::JobTemplate, false)]),
    (Of::JobTemplate, &[("spec", Of::ControllerSpec, false), ("metadata", Of::Meta, true)]),
    (Of::ControllerSpec, &[("template", Of::Template, false)]),
    (Of::Template, &[("metadata", Of::Meta, true), ("spec", Of::PodSpec, false)]),
    (
        Of::Meta,
        &[
            ("labels", Of::Other, true),
            ("annotations", Of::Other, true),
            ("ownerReferences", Of::Other, true),
            ("finalizers", Of::Other, true),
        ],
    ),
    (
        Of::PodSpec,
        &[
            ("containers", Of::Containers, false),
            ("initContainers", Of::Containers, true),
            ("ephemeralContainers", Of::Containers, true),
            ("volumes", Of::Volumes, true),
            ("securityContext", Of::Security, true),
            ("hostNetwork", Of::Other, true),
            ("hostPID", Of::Other, true),
            ("hostIPC", Of::Other, true),
            ("hostUsers", Of::Other, true),
            ("nodeSelector", Of::Other, true),
            ("affinity", Of::Other, true),
            ("tolerations", Of::Other, true),
            ("imagePullSecrets", Of::Other, true),
            ("automountServiceAccountToken", Of::Other, true),
            ("runtimeClassName", Of::Other, true),
        ],
    ),
    (
        Of::Container,
        &[
            ("securityContext", Of::Security, true),
            ("resources", Of::Resources, true),
            ("ports", Of::Ports, true),
            ("env", Of::Other, true),
            ("envFrom", Of::Other, true),
            ("volumeMounts", Of::Other, true),
            ("command", Of::Other, true),
            ("args", Of::Other, true),
            ("lifecycle", Of::Other, true),
            ("livenessProbe", Of::Other, true),
            ("readinessProbe", Of::Other, true),
            ("startupProbe", Of::Other, true),
        ],
    ),
    (
        Of::Security,
        &[
            ("runAsNonRoot", Of::Other, true),
            ("runAsUser", Of::Other, true),
            ("runAsGroup", Of::Other, true),
            ("privileged", Of::Other, true),
            ("allowPrivilegeEscalation", Of::Other, true),
            ("readOnlyRootFilesystem", Of::Other, true),
            ("capabilities", Of::Capabilities, true),
            ("seccompProfile", Of::Other, true),
            ("seLinuxOptions", Of::Other, true),
            ("appArmorProfile", Of::Other, true),
            ("windowsOptions", Of::Other, true),
            ("procMount", Of::Other, true),
            ("sysctls", Of::Other, true),
            ("fsGroup", Of::Other, true),
            ("supplementalGroups", Of::Other, true),
        ],
    ),
    (Of::Capabilities, &[("add", Of::Other, true), ("drop", Of::Other, true)]),
    (Of::Resources, &[("limits", Of::Other, true), ("requests", Of::Other, true)]),
    (Of::Port, &[("hostPort", Of::Other, true), ("name", Of::Other, true)]),
    (
        Of::Volume,
        &[
            ("hostPath", Of::Other, true),
            ("configMap", Of::Other, true),
            ("secret", Of::Other, true),
            ("emptyDir", Of::Other, true),
            ("projected", Of::Other, true),
        ],
    ),
];

/// The elements of a list.
fn element(of: Of) -> Option<Of> {
    match of {
        Of::Containers => Some(Of::Container),
        Of::Ports => Some(Of::Port),
        Of::Volumes => Some(Of::Volume),
        _ => None,
    }
}

/// What `object` is, where all of what is matched is the same.
fn alike<'a>(mut matched: impl Iterator<Item = Option<&'a str>>) -> Option<Of> {
    let of = |name: Option<&str>| match name {
        Some("pods" | "Pod") => Some(Of::Pod),
        Some(
            "deployments" | "statefulsets" | "daemonsets" | "replicasets" | "jobs" | "Deployment"
            | "StatefulSet" | "DaemonSet" | "ReplicaSet" | "Job",
        ) => Some(Of::Controller),
        Some("cronjobs" | "CronJob") => Some(Of::CronJob),
        _ => None,
    };
    let first = of(matched.next()?)?;
    matched.all(|name| of(name) == Some(first)).then_some(first)
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).unwrap_or_default()
}

/// What `object` is under `matchConstraints`.
pub fn root_of(matching: Option<&Value>) -> Option<Of> {
    let rules = list(matching?, "resourceRules").iter();
    alike(rules.flat_map(|rule| list(rule, "resources").iter().map(Value::as_str)))
}

/// What `object` is in a rule: kinds are named with or without their version.
pub(super) fn of_kinds(rule: &Value) -> Option<Of> {
    let matching = rule.get("match")?;
    let filters = [matching].into_iter().chain(list(matching, "any")).chain(list(matching, "all"));
    let resources = filters.filter_map(|filter| filter.get("resources"));
    alike(
        resources.flat_map(|resources| {
            list(resources, "kinds").iter().map(|kind| kind.as_str()?.rsplit('/').next())
        }),
    )
}

/// More nodes than these are not looked at: nobody reads such an expression.
const MAX_NODES: usize = 5_000;

/// What is to be said of the expressions of a policy for such objects.
pub(super) fn remarks(root: Option<Of>, expressions: &Expressions<'_>, all: &mut Vec<Remark>) {
    let Some(root) = root else { return };
    let Expressions { conditions, variables, validations, .. } = expressions;
    let texts = conditions.iter().chain(variables).chain(validations);
    let options = syntax::Options {
        macros: &[syntax::STANDARD, syntax::OPTIONAL, syntax::TWO_VARIABLES],
        optional_syntax: true,
    };
    let parsed = texts.filter_map(|looked| Some((&looked.field, syntax::parse(looked.text, &options).ok()?)));
    let parsed: Vec<_> = parsed.filter(|(_, ast)| ast.nodes().len() <= MAX_NODES).collect();
    let asked: OrderedSet<&str> = parsed.iter().flat_map(|(_, ast)| asked_for(ast)).collect();
    for (field, ast) in &parsed {
        if let Some(Expr::Select { operand, field: name, .. }) =
            absent_fields(ast, root, &asked).first().map(|id| ast.expr(*id))
        {
            let operand = text(ast, *operand);
            let message = format!("`{operand}.{name}` may be absent: then the expression is an error");
            let hint =
                format!("ask `has({operand}.{name})` first, or write `{operand}.?{name}` with `orValue`");
            all.push(Remark::new(*field, message, hint));
        }
    }
}

/// The names of fields that are asked for with `has` or `?`.
pub fn asked_for(ast: &Ast) -> impl Iterator<Item = &str> {
    ast.nodes().iter().filter_map(|node| match &node.expr {
        Expr::Select { field, test: true, .. } => Some(field.as_str()),
        Expr::Call { function, args, .. } if function == op::OPTIONAL_SELECT => {
            match args.last().map(|name| ast.expr(*name)) {
                Some(Expr::Literal(Literal::String(name))) => Some(name.as_str()),
                _ => None,
            }
        }
        _ => None,
    })
}

/// The selections of fields that may be absent, in the order in which they are read.
pub fn absent_fields(ast: &Ast, root: Of, asked: &OrderedSet<&str>) -> Vec<ExprId> {
    let bound = vec![(Str::new_static("object"), root)];
    let mut reader = Reader { ast, asked, bound, found: Vec::new() };
    reader.of(ast.root());
    reader.found
}

struct Reader<'a> {
    ast: &'a Ast,
    asked: &'a OrderedSet<&'a str>,
    /// What names hold, the innermost last.
    bound: Vec<(Str, Of)>,
    /// What was read and may be absent.
    found: Vec<ExprId>,
}

impl Reader<'_> {
    /// What an expression holds, where that is known.
    fn of(&mut self, id: ExprId) -> Option<Of> {
        match self.ast.expr(id) {
            Expr::Ident(name) => self.bound.iter().rfind(|(known, _)| known == name).map(|(_, of)| *of),
            Expr::Select { operand, field, test } => {
                let of = self.of(*operand)?;
                let (_, fields) = FIELDS.iter().find(|(known, _)| *known == of)?;
                let (name, holds, may_be_absent) = fields.iter().find(|(name, _, _)| field == name)?;
                if *may_be_absent && !test && !self.asked.contains(name) {
                    self.found.push(id);
                }
                Some(*holds)
            }
            Expr::Call { target, args, .. } => {
                target.iter().chain(args.iter()).for_each(|part| {
                    self.of(*part);
                });
                None
            }
            Expr::List { elements, .. } => {
                elements.iter().for_each(|element| {
                    self.of(*element);
                });
                None
            }
            Expr::Comprehension(fold) => {
                let range = self.of(fold.range).and_then(element);
                self.bound.push((fold.var.clone(), range.unwrap_or(Of::Other)));
                if let Some(second) = &fold.var2 {
                    self.bound.push((second.clone(), range.unwrap_or(Of::Other)));
                }
                for part in [fold.init, fold.condition, fold.step, fold.result] {
                    self.of(part);
                }
                self.bound.truncate(self.bound.len() - 1 - usize::from(fold.var2.is_some()));
                None
            }
            Expr::Literal(_) | Expr::Map(_) | Expr::Struct { .. } => None,
        }
    }
}

/// A chain of names as it is written.
fn text(ast: &Ast, id: ExprId) -> String {
    match ast.expr(id) {
        Expr::Ident(name) => name.to_string(),
        Expr::Select { operand, field, .. } => format!("{}.{field}", text(ast, *operand)),
        _ => "…".to_owned(),
    }
}
