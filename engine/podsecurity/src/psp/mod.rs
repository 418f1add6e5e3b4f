//! PodSecurityPolicy (`policy/v1beta1`, gone since Kubernetes 1.25): what its admission said to a Pod.
//!
//! In: policies, who may use them, and a request. Out: a [`Decision`]: which policy lets the Pod in and what it sets in
//! it, or the message of the refusal. The words are those of Kubernetes 1.24, or of an older [`Release`].
//!
//! ```
//! use engine_podsecurity::psp::{self, Everyone, Operation, Policies, Release, Request, User};
//! let read = |text: &str| engine_json::parse(text).unwrap();
//! let any = r#"{"rule":"RunAsAny"}"#;
//! let policy = read(&format!(r#"{{"metadata":{{"name":"p"}},"spec":{{"runAsUser":{any},"seLinux":{any},"fsGroup":{any},
//!     "supplementalGroups":{any},"volumes":["*"]}}}}"#));
//! let pod = read(r#"{"metadata":{"name":"web"},"spec":{"hostPID":true}}"#);
//! let policies = Policies::new(&[policy], Release::default());
//! let request = Request::create(&pod, "team", User::named("alice"));
//! let decision = psp::review(&request, &policies, &Everyone);
//! assert_eq!(
//!     decision.message.unwrap(),
//!     "pods \"web\" is forbidden: PodSecurityPolicy: unable to admit pod: \
//!      [spec.securityContext.hostPID: Invalid value: true: Host PID is not allowed to be used]"
//! );
//! ```
//!
//! The Pod is read as the API server hands it on: a volume without a known source is an emptyDir.
//!
//! Mirrors: plugin/pkg/admission/security/podsecuritypolicy, pkg/security/podsecuritypolicy (v1.24.17)

mod access;
mod check;
mod choose;
mod containers;
mod defaults;
mod pod;
mod policy;
mod profiles;
mod ranges;
mod refusal;
mod request;
mod rules;
mod validity;
mod volumes;
mod write;

pub use access::{Access, Everyone, Rbac, Use, User};
pub use choose::{Decision, Pass, review};
pub use policy::{Policies, Policy, Unusable};
pub use refusal::{Refusal, path_of_error};
pub use request::{Operation, Release, Request};
pub use validity::{aggregate, validity};
