//! Pod Security Admission: what the API server says to a request, given the labels of its namespace.
//!
//! In: a [`Request`], a [`Config`] and a [`Cluster`] that knows namespaces and their Pods. Out: a [`Response`]: allowed
//! or not, with status, warnings and audit annotations in the words of `k8s.io/pod-security-admission` v0.37.
//!
//! ```
//! use engine_podsecurity::admission::{Config, Objects, Operation, Request, review};
//! let read = |text| engine_json::parse(text).unwrap();
//! let objects = [read(r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"team",
//!     "labels":{"pod-security.kubernetes.io/enforce":"baseline"}}}"#)];
//! let pod = read(r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"hostPID":true}}"#);
//! let request = Request { object: Ok(Some(pod)), ..Request::new("pods", "p", "team", Operation::Create) };
//! let response = review(&request, &Config::default(), &Objects(&objects));
//! assert_eq!(
//!     response.status.unwrap().message,
//!     r#"pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostPID=true)"#
//! );
//! ```
//!
//! Mirrors: k8s.io/pod-security-admission/admission/admission.go

mod config;
mod controllers;
mod evaluation;
mod names;
mod namespaces;
mod pods;
mod policy;
mod request;
mod response;
mod strict;

use engine_json::Value;

pub use config::{Config, ConfigError, Exemptions, Source, Stage};
pub use names::{dns_label, dns_subdomain};
pub use policy::{LabelError, LevelVersion, Mode, Policy};
pub use request::{Operation, Request, Resource};
pub use response::{Cause, Details, Response, Status};

/// What lies outside of a request.
pub trait Cluster {
    /// The Namespace of that name, or why it cannot be had.
    fn namespace(&self, name: &str) -> Result<Value, String>;

    /// The Pods that run in a namespace, or why they cannot be listed.
    fn pods(&self, namespace: &str) -> Result<Vec<Value>, String>;

    /// Whether the time for looking at Pods is over; asked after each of them.
    fn is_time_up(&self) -> bool {
        false
    }
}

/// A cluster of exactly these objects.
pub struct Objects<'o>(pub &'o [Value]);

impl Cluster for Objects<'_> {
    fn namespace(&self, name: &str) -> Result<Value, String> {
        let is_it = |object: &&Value| {
            is_kind(object, "", "Namespace") && object.find_str(&["metadata", "name"]) == name
        };
        self.0.iter().find(is_it).cloned().ok_or_else(|| format!("namespaces \"{name}\" not found"))
    }

    fn pods(&self, namespace: &str) -> Result<Vec<Value>, String> {
        let is_one = |object: &&Value| {
            is_kind(object, "", "Pod") && object.find_str(&["metadata", "namespace"]) == namespace
        };
        Ok(self.0.iter().filter(is_one).cloned().collect())
    }
}

/// What the admission says to a request.
pub fn review(request: &Request, config: &Config, cluster: &dyn Cluster) -> Response {
    match (&*request.resource.group, &*request.resource.resource) {
        ("", "namespaces") => namespaces::review(request, config, cluster),
        ("", "pods") => pods::review(request, config, cluster),
        _ => controllers::review(request, config, cluster),
    }
}

/// Whether an object is of this group and kind.
fn is_kind(object: &Value, group: &str, kind: &str) -> bool {
    let of = object.find_str(&["apiVersion"]).rsplit_once('/').map_or("", |(group, _)| group);
    of == group && object.find_str(&["kind"]) == kind
}
