//! Which policy lets a Pod in, and what is said when none does.
//!
//! In: a request, the policies, and who may use them. Out: a [`Decision`].
//!
//! A new Pod is admitted by the first policy, by name, that its account or its author may use and that needs to change
//! nothing; failing that by the first that changes it. Then, and on every update, some policy must accept it as it is.
//!
//! Mirrors: plugin/pkg/admission/security/podsecuritypolicy/admission.go

use super::pod::Pod;
use super::policy::{Policies, Policy, Unusable, unusable_hint};
use super::{Access, Operation, Refusal, Request, Use, User, check, defaults, write};
use engine_json::arrange::Arrange as _;
use engine_json::{Str, Value, quote};

/// The annotation in which the chosen policy is noted.
const CHOSEN: &str = "kubernetes.io/psp";

/// What the admission says to a request.
#[derive(Clone, Debug, Default)]
pub struct Decision {
    /// Whether the Pod passes.
    pub allowed: bool,
    /// The policy that lets it in; of an update the one that accepts it.
    pub policy: Option<String>,
    /// The policy that accepted the result; none when nobody was asked.
    pub validated_by: Option<String>,
    /// The Pod as the policy leaves it, with the note of the policy: of a new Pod that passes.
    pub pod: Option<Value>,
    /// The message of the refusal.
    pub message: Option<String>,
    /// Which of the two passes refused.
    pub refused_by: Option<Pass>,
    /// The reasons of the policies that account or author may use.
    pub refusals: Vec<Refusal>,
    /// The policies that cannot be used at all, and why.
    pub unusable: Vec<Unusable>,
}

/// A pass of the admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// The first, which may change the Pod.
    Admit,
    /// The second, which may not.
    Validate,
}

/// What the admission says.
pub fn review(request: &Request<'_>, policies: &Policies, access: &dyn Access) -> Decision {
    let base = Decision { unusable: policies.unusable.clone(), ..Decision::default() };
    if request.operation == Operation::Update
        && request.old_pod.is_some_and(|old| is_only_bookkeeping(request.pod, old))
    {
        return Decision { allowed: true, ..base };
    }
    let pod = match Pod::read(request.pod) {
        Ok(pod) => pod,
        Err(refusals) => return unreadable(request, refusals, base),
    };
    let mut decision = base;
    let mut pod = pod;
    if request.operation == Operation::Create {
        match compute(request, policies, access, &pod, Pass::Admit) {
            Outcome::Chosen(name, chosen) => {
                pod = *chosen;
                pod.annotations.insert(Str::new_static(CHOSEN), Str::new(&name));
                decision.pod = Some(write::write(request.pod, &pod));
                decision.policy = Some(name);
            }
            refused => return refuse(request, policies, Pass::Admit, refused, decision),
        }
    }
    match compute(request, policies, access, &pod, Pass::Validate) {
        Outcome::Chosen(name, _) => {
            decision.allowed = true;
            decision.policy.get_or_insert_with(|| name.clone());
            decision.validated_by = Some(name);
            decision
        }
        refused => refuse(request, policies, Pass::Validate, refused, decision),
    }
}

enum Outcome {
    Chosen(String, Box<Pod>),
    NoPolicy,
    Refused(Vec<Refusal>),
}

fn compute(
    request: &Request<'_>,
    policies: &Policies,
    access: &dyn Access,
    pod: &Pod,
    pass: Pass,
) -> Outcome {
    if policies.usable.is_empty() {
        return Outcome::NoPolicy;
    }
    let (mut refused, mut changing) = (Vec::new(), None);
    for policy in in_order(policies, pod, pass) {
        let mut tried = pod.clone();
        defaults::apply(policy, &mut tried);
        let refusals = check::check(policy, &tried);
        let changed = tried != *pod;
        if !refusals.is_empty() {
            if may_use(request, access, pod, policy) {
                refused.extend(refusals);
            }
        } else if (changed && pass == Pass::Validate) || !may_use(request, access, pod, policy) {
            // Not this one, and nothing is said of it.
        } else if changed {
            changing.get_or_insert_with(|| (policy.name.clone(), tried));
        } else {
            return Outcome::Chosen(policy.name.clone(), Box::new(tried));
        }
    }
    match changing {
        Some((name, pod)) => Outcome::Chosen(name, Box::new(pod)),
        None => Outcome::Refused(refused),
    }
}

/// The policies by name; when nothing may change, the one that was noted in the Pod first.
fn in_order<'p>(policies: &'p Policies, pod: &Pod, pass: Pass) -> Vec<&'p Policy> {
    let mut order: Vec<&Policy> = policies.usable.iter().collect();
    if let (Pass::Validate, Some(noted)) = (pass, pod.annotations.get(CHOSEN)) {
        order.arrange_by_key(|policy| policy.name != noted.as_str());
    }
    order
}

/// Whether the account of the Pod or the author of the request may use a policy.
fn may_use(request: &Request<'_>, access: &dyn Access, pod: &Pod, policy: &Policy) -> bool {
    let account = (!pod.service_account.is_empty())
        .then(|| User::service_account(&request.namespace, &pod.service_account));
    let users = account.iter().chain([&request.user]);
    users.into_iter().any(|user| {
        ["policy", "extensions"].iter().any(|group| {
            access.may(&Use { user, group, policy: &policy.name, namespace: &request.namespace })
        })
    })
}

fn refuse(
    request: &Request<'_>,
    policies: &Policies,
    pass: Pass,
    outcome: Outcome,
    decision: Decision,
) -> Decision {
    let plugin = if policies.release.names_plugin() { "PodSecurityPolicy: " } else { "" };
    let (why, refusals) = match outcome {
        Outcome::Refused(refusals) => {
            let texts: Vec<&str> = refusals.iter().map(|refusal| refusal.text.as_str()).collect();
            let what = match pass {
                _ if !policies.release.names_plugin() => "unable to validate against any pod security policy",
                Pass::Admit => "unable to admit pod",
                Pass::Validate => "unable to validate pod",
            };
            (format!("{what}: [{}]", texts.join(" ")), refusals)
        }
        Outcome::NoPolicy | Outcome::Chosen(..) => {
            let hint = unusable_hint(&policies.unusable).into_iter().collect();
            ("no providers available to validate pod request".to_owned(), hint)
        }
    };
    let message = format!("pods {} is forbidden: {plugin}{why}", quote(name_of(request)));
    Decision {
        allowed: false,
        policy: None,
        pod: None,
        message: Some(message),
        refused_by: Some(pass),
        refusals,
        ..decision
    }
}

/// A Pod that Kubernetes could not read never reaches the admission.
fn unreadable(request: &Request<'_>, refusals: Vec<Refusal>, decision: Decision) -> Decision {
    let texts: Vec<&str> = refusals.iter().map(|refusal| refusal.text.as_str()).collect();
    let message = format!("pods {} cannot be read: [{}]", quote(name_of(request)), texts.join(" "));
    Decision { message: Some(message), refusals, ..decision }
}

fn name_of<'r>(request: &'r Request<'_>) -> &'r str {
    let metadata = |key| request.pod.find_str(&["metadata", key]);
    let names = [request.name.as_str(), metadata("name"), metadata("generateName")];
    names.into_iter().find(|name| !name.is_empty()).unwrap_or("Unknown")
}

/// Whether an update touches only what the garbage collector keeps.
fn is_only_bookkeeping(pod: &Value, old: &Value) -> bool {
    let rest = |pod: &Value| {
        let mut pod = pod.clone();
        if let Some(metadata) =
            pod.object_mut().and_then(|pod| pod.get_mut("metadata")).and_then(Value::object_mut)
        {
            metadata.retain(|key, _| {
                !matches!(key, "ownerReferences" | "finalizers" | "selfLink" | "managedFields")
            });
        }
        pod
    };
    rest(pod) == rest(old)
}
