//! Pod Security as Kubernetes decides it: the Pod Security Standards, their admission, and the old PodSecurityPolicy.
//!
//! In: a Pod (or an object that makes Pods) as a value, a level and a version. Out: one result a check, with the
//! words of `k8s.io/pod-security-admission` v0.37 and, for each finding, the path of the field, its value and the
//! container that set it.
//!
//! ```
//! use engine_podsecurity::{Level, Version, aggregate, evaluate, pod_of};
//! let pod = engine_json::parse(r#"{"kind":"Pod","apiVersion":"v1","spec":{"hostNetwork":true,
//!     "containers":[{"name":"app","ports":[{"hostPort":80}]}]}}"#).unwrap();
//! let results = evaluate(Level::Baseline, Version::Latest, &pod_of(&pod).unwrap());
//! assert_eq!(
//!     aggregate::detail(&results),
//!     r#"host namespaces (hostNetwork=true), hostPort (container "app" uses hostPort 80)"#
//! );
//! let ports = results.iter().find(|result| result.check.id == "hostPorts").unwrap();
//! assert_eq!(ports.violations[0].path.to_string(), "spec.containers[0].ports[0].hostPort");
//! ```
//!
//! The checks see what is written, as in the original; [`defaults`] fills in what an API server would. A field of a type
//! that Kubernetes would not read is a finding of every check that looks at it.
//!
//! Reading order: `level`, `pod`, `violation`, `place` (how a check reads), `words`, `check`, `checks` (one file a
//! check), `evaluate`, `aggregate`, `advise`, `defaults`; then `exclude` (the fork that Kyverno runs, with its exclusions), `admission`
//! (namespace labels, exemptions, responses), `rbac` (who may do what) and `psp` (PodSecurityPolicy).
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod level;
mod pod;
mod violation;
mod place;
mod words;
mod check;
mod checks;
mod evaluate;
pub mod aggregate;
pub mod advise;
pub mod defaults;
pub mod admission;
pub mod exclude;
pub mod rbac;
pub mod psp;

pub use check::{Check, CheckResult, Reason, Revision};
pub use checks::CHECKS;
pub use evaluate::{applicable, evaluate};
pub use level::{Level, NEWEST_MINOR, Version};
pub use pod::{PodView, pod_of};
pub use violation::{Fault, Subject, Violation, field_text};
