//! PodSecurityPolicy over texts: which policy lets each Pod in, or the message of the refusal.
//!
//! In: a [`wire::PspInput`], or a [`Bundle`] and [`Options`]. Out: a [`wire::PspOutput`]. Pods of controllers are evaluated as
//! the controller makes them: with the template's metadata, a generated name and the controller's own account.

use crate::psa::{Object, View, objects, reference};
use crate::run::{self, Positions};
use crate::wire;
use engine::diag::{Code, Diagnostic};
use engine::load::{self, Bundle, Host, Role, as_written};
use engine_json::{Map, Path, Value};
use engine_podsecurity::pod_of;
use engine_podsecurity::psp::{
    Access, Everyone, Policies, Rbac, Refusal, Release, Request, User, path_of_error, review, validity,
};

/// What is asked.
#[derive(Clone, Debug)]
pub struct Options {
    /// The release that speaks.
    pub release: Release,
    /// How the objects are looked at.
    pub view: View,
    /// Who makes the Pods that no controller makes.
    pub user: User,
}

/// Evaluates everything in the input.
pub fn run(input: &wire::PspInput) -> wire::PspOutput {
    let sources = input.resources.iter().map(|text| (Role::Opened, text.into())).collect();
    let (bundle, mut diagnostics) = load::load(sources, Host::Cli);
    let asked = input.kubernetes_version.as_deref();
    let release = asked.map_or(Some(Release::default()), Release::parse).unwrap_or_else(|| {
        let asked = asked.unwrap_or_default();
        let message = format!("`{asked}` is not a release such as `1.24`; 1.24 is taken");
        diagnostics.push(Diagnostic::error(Code::WrongType, None, message));
        Release::default()
    });
    let release = release.refused().map_or(release, |why| {
        diagnostics.push(Diagnostic::error(Code::NotSupported, None, format!("{why}; 1.24 is taken")));
        Release::LAST
    });
    let view = if input.as_written { View::AsWritten } else { View::Defaulted };
    let user = User { name: input.user.clone(), groups: input.groups.clone() };
    let positions = Positions::new(&bundle);
    let mut output = report(&bundle, &positions, &Options { release, view, user });
    output.diagnostics = diagnostics.into_iter().map(|said| run::diagnostic(said, &positions)).collect();
    output.complete = run::is_complete(&output.diagnostics);
    output
}

/// The report on all objects of a bundle; its diagnostics are left to the caller.
pub fn report(bundle: &Bundle, positions: &Positions<'_>, options: &Options) -> wire::PspOutput {
    // The admission defaults Pods itself; what is filled in here is the service account alone.
    let objects = objects(bundle, as_written);
    let place = |object: &Object, path: &Path| positions.of_path(object.document, &object.base.concat(path));
    let written: Vec<&Object> = objects.iter().filter(|object| object.kind() == POLICY).collect();
    let values: Vec<Value> = written.iter().map(|object| object.value.clone()).collect();
    let policies = Policies::new(&values, options.release);
    let rbac: Vec<Value> =
        objects.iter().filter(|object| is_rbac(object)).map(|object| object.value.clone()).collect();
    let granted = Rbac(&rbac);
    let access: &dyn Access = if rbac.is_empty() { &Everyone } else { &granted };
    let described = |object: &&Object| wire::PspPolicy {
        name: object.name().to_owned(),
        unusable: policies
            .unusable
            .iter()
            .find(|unusable| unusable.name == object.name())
            .map(|unusable| unusable.reasons.clone())
            .unwrap_or_default(),
        errors: validity(&object.value)
            .into_iter()
            .map(|text| wire::PspRefusal { range: place(object, &path_of_error(&text)), text })
            .collect(),
        range: place(object, &Path::root()),
    };
    let pods = objects.iter().filter_map(|object| {
        evaluate(object, &policies, access, options, &|path: &Path| place(object, path))
    });
    wire::PspOutput {
        version: run::version(),
        complete: true,
        kubernetes_version: format!("1.{}", options.release.0),
        as_written: options.view == View::AsWritten,
        has_rbac: !rbac.is_empty(),
        pods: pods.collect(),
        policies: written.iter().map(described).collect(),
        diagnostics: Vec::new(),
    }
}

const POLICY: &str = "PodSecurityPolicy";

fn is_rbac(object: &Object) -> bool {
    matches!(object.kind(), "Role" | "ClusterRole" | "RoleBinding" | "ClusterRoleBinding")
}

fn evaluate(
    object: &Object,
    policies: &Policies,
    access: &dyn Access,
    options: &Options,
    place: &dyn Fn(&Path) -> Option<wire::Range>,
) -> Option<wire::PspPod> {
    let view = pod_of(&object.value)?;
    let maker = controller(object.kind());
    let user = maker.map_or_else(|| options.user.clone(), |name| User::service_account("kube-system", name));
    let mut pod = match maker {
        None => object.value.clone(),
        Some(_) => made(object, view.metadata, view.spec),
    };
    if options.view == View::Defaulted
        && let Some(spec) = pod.object_mut().and_then(|pod| pod.get_mut("spec")).and_then(Value::object_mut)
        && spec.get("serviceAccountName").is_none_or(|name| name.is_null() || name.as_str() == Some(""))
    {
        spec.insert("serviceAccountName", Value::from("default"));
    }
    let request = Request::create(&pod, object.namespace(), user.clone());
    let decision = review(&request, policies, access);
    let event =
        |message: String| if maker.is_some() { format!("Error creating: {message}") } else { message };
    let refusal = |refusal: &Refusal| wire::PspRefusal {
        text: refusal.text.clone(),
        range: place(&view.resolve(&refusal.path)),
    };
    Some(wire::PspPod {
        resource: reference(object, place(&Path::root())),
        account: pod.find_str(&["spec", "serviceAccountName"]).to_owned(),
        user: user.name,
        allowed: decision.allowed,
        policy: decision.policy.unwrap_or_default(),
        message: decision.message.map(event).unwrap_or_default(),
        refusals: decision.refusals.iter().map(refusal).collect(),
        admitted: decision.pod.map(|pod| engine_yaml::emit::to_yaml_ordered(&pod)).unwrap_or_default(),
    })
}

/// The account of the controller that makes the Pods of a kind; none for a Pod itself and for what only holds a template.
fn controller(kind: &str) -> Option<&'static str> {
    match kind {
        // A Deployment makes ReplicaSets, and those make the Pods.
        "Deployment" | "ReplicaSet" => Some("replicaset-controller"),
        "DaemonSet" => Some("daemon-set-controller"),
        "StatefulSet" => Some("statefulset-controller"),
        "ReplicationController" => Some("replication-controller"),
        "Job" | "CronJob" => Some("job-controller"),
        _ => None,
    }
}

/// The Pod that a controller makes of a template: its name is generated, but for a StatefulSet's first.
fn made(object: &Object, metadata: &Value, spec: &Value) -> Value {
    let mut metadata = metadata.as_object().cloned().unwrap_or_default();
    let name = object.name();
    match object.kind() {
        "StatefulSet" => metadata.insert("name", Value::from(format!("{name}-0"))),
        // The hash of the template and the time of a run stand in these names; nobody knows them beforehand.
        "Deployment" => metadata.insert("generateName", Value::from(format!("{name}-<hash>-"))),
        "CronJob" => metadata.insert("generateName", Value::from(format!("{name}-<time>-"))),
        _ => metadata.insert("generateName", Value::from(format!("{name}-"))),
    };
    metadata.insert("namespace", Value::from(object.namespace()));
    let entries = [
        ("apiVersion", Value::from("v1")),
        ("kind", Value::from("Pod")),
        ("metadata", Value::object(metadata)),
        ("spec", spec.clone()),
    ];
    Value::object(entries.into_iter().collect::<Map>())
}
