//! Whether two policies decide the same.
//!
//! In: two sides, each a text or several: ClusterPolicy, Policy, policies in CEL of Kyverno and of Kubernetes, a level of Pod Security
//! (`level: restricted`), PodSecurityPolicies. Out: a [`Comparison`]: a grade that claims no more than was shown, the smallest
//! requests on which the sides differ with the words and lines of both, and how far the search came.
//!
//! ```
//! use engine::wire::Text;
//! use engine_compare::{Grade, Options, compare};
//! let policy = |pattern: &str| {
//!     let text = format!("{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, \
//!         match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}, validate: {{failureAction: Enforce, message: refused, \
//!         pattern: {{metadata: {{labels: {{team: '{pattern}'}}}}}}}}}}]}}}}");
//!     vec![Text { name: "policy.yaml".into(), text }]
//! };
//! let world = engine::world::StaticWorld::default();
//! let answer = compare(&policy("?*"), &policy("*"), &Options::default(), &world, &mut |_| true);
//! assert_eq!(answer.grade, Grade::Different);
//! assert_eq!(answer.findings[0].direction.as_str(), "wider");
//! ```
//!
//! The engines are the semantics: each request that the search makes is put to both of them, as a cluster would put it, and nothing is
//! decided by a second model. What is read of the policies beforehand (`reads`) only says where to look.
//!
//! Reading order: `request`, `side`, `difference`; `reads` and what fills it; `exact`; `constraints`, `cells`, `cluster`, `search`, `shrink`; `answer`.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod schema;

mod constraints;

mod field_types;

mod plain_values;

mod field_path;

mod tree;

mod random;

mod regex;

mod texts;

mod reads;

mod jmespath;

mod cel;

mod pod_security;

mod cel_policies;

mod classic;

mod kinds;

mod cells;

mod defaults;

mod request;

mod admissible;

mod sources;

mod generated;

mod bindings;

mod enforced;
mod valid;

mod side;

mod deletion;

mod standards;

mod subresource;

mod difference;

mod gap;

mod hardened;

mod links;

mod covering;

mod cluster;

mod search;

mod templates;

mod rows;

mod attributes;

mod exact;

mod sent;

mod shrink;

mod sweep;

mod cel_mutants;

mod idle;

pub mod mutants;

mod same;

mod settings;

mod answer;

mod folder;

mod compare;

pub use answer::{Comparison, Counts, Finding, Grade, MissedMutant, Reason, RuleVerdict};
pub use compare::{Options, compare, draw_members};
pub use difference::{Criterion, Direction};
pub use exact::Members;
pub use field_types::FieldType;
pub use folder::test_folder;
pub use gap::KindGap;
pub use plain_values::PlainValue;
pub use request::{Attributes, Operation, Request};
pub use side::Actions;
