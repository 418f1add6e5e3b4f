//! A Pod as it arrives after injection by a service mesh.
//!
//! In: a Pod, or an object that makes Pods, as a value; the mesh with its version and options; the namespace, where it is
//! known; and the [`Data`] that says what each release injects. Out: an [`Arrival`]: the Pod with the containers, volumes,
//! security contexts, labels and annotations of the mesh, the place of each, and why it is injected or not.
//!
//! ```
//! use engine_mesh::{Data, Outcome, Setup, arrive};
//! let data = Data::read(engine_mesh::RECORDED).unwrap();
//! let setup = Setup::read(&data, "istio@1.24").unwrap();
//! let pod = engine_json::parse(r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web"},
//!     "spec":{"containers":[{"name":"web","image":"web"}]}}"#).unwrap();
//! let arrival = arrive(&data, &setup, &pod, None).unwrap();
//! assert_eq!(arrival.outcome, Outcome::Injected);
//! let init = arrival.pod.find(&["spec", "initContainers"]).and_then(|list| list.at(0)).unwrap();
//! assert_eq!(init.find_str(&["name"]), "istio-init");
//! assert_eq!(arrival.added[0].path.to_string(), "spec.initContainers[0]");
//! ```
//!
//! What is known: which containers a release adds, where, with which image, head of the command, security context, ports,
//! probes, mounts and resources; the volumes; the Pod's security context; labels and annotations. Environment variables and
//! the timing of probes are left out. An administrator's own templates and values make any table a default, not a truth.
//!
//! Reading order: `version`, `data` (what the file holds), `setup` (what is asked), `object` (where the Pod is), `decide`
//! (on or off), `switches` (what annotations ask), `shape` (which pieces), `fill` (their last details), `inject`.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod version;
mod data;
mod setup;
mod object;
mod decide;
mod switches;
mod fill;
mod shape;
mod probes;
mod inject;

pub use data::{Data, Release};
pub use inject::{Added, Arrival, Outcome, arrive};
pub use setup::Setup;

/// The text of the data; who does not name it does not carry it.
pub const RECORDED: &str = include_str!("../data/mesh.json");
