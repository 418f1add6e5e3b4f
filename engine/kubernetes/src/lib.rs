//! What Kubernetes' own kinds are, in one table of one release: their names, plurals and scopes, the fields of their types with what they
//! hold, how lists are merged, what is left out where it is empty, and what an API server fills in.
//!
//! In: an object as somebody wrote it. Out: the object as policies see it in a cluster, with how much was filled in and what the server refuses.
//!
//! ```
//! use engine_json::parse;
//! let pod = parse(r#"{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "nginx"}], "hostNetwrok": true}}"#).unwrap();
//! let stored = engine_kubernetes::stored(&pod);
//! assert_eq!(stored.object.find_str(&["spec", "restartPolicy"]), "Always");
//! assert_eq!(stored.refused[0].to_string(), "unknown field \"spec.hostNetwrok\"");
//! ```
//!
//! Three steps, as a request takes them: [`stored`] is what mutating policies see, [`created`] what validating ones see, and [`read_back`]
//! what somebody reads afterwards. Of custom kinds only the metadata are known. Nothing here knows Kyverno.
//! Mirrors: k8s.io/api, k8s.io/apimachinery, k8s.io/kubernetes pkg/apis, pkg/registry and plugin/pkg/admission at 1.36.3.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod table;

mod scalar;

mod decode;

mod encode;

mod tree;

mod conversion;

mod defaults;

mod admission;

mod creation;

mod stored;

mod valid;

pub use creation::{Creation, created, updated};
pub use decode::{Reason, Refusal};
pub use defaults::is_filled_by_hand;
pub use stored::{Stored, patched, read_back, stored};
pub use table::{Field, Kind, Shape, Table, Type, TypeId, table};
pub use valid::invalid;
