//! Whether two policies decide the same.
//!
//! In: two sides, each a text or several: ClusterPolicy, Policy, policies in CEL of Kyverno and of Kubernetes, a level of Pod Security
//! (`level: restricted`), PodSecurityPolicies. Out: a [`Comparison`]: a grade that claims no more than was shown, the smallest
//! requests on which the sides differ with the words and lines of both, and how far the search came.
//!
//! ```
//! use engine_lenses::wire::Text;
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
//! Reading order: `request`, `sides`, `difference`, `cause`; `begun`; `reads` (what policies read) and what fills it; `objects` (what a cluster can hold);
//! `exact` (every case); `constraints`, `search` with its cells, `sweep`; `mistakes` (mutants that measure the search); `answer`.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod answer;
mod assumptions;
mod begun;
mod cause;
mod compare;
mod constraints;
mod deletions;
mod difference;
mod exact;
mod finding;
mod folder;
mod gap;
mod hardened;
mod lists;
mod mistakes;
mod objects;
mod odd;
mod plain_values;
mod reads;
mod request;
mod same;
mod search;
mod sent;
mod settings;
mod shown;
mod sides;
mod sweep;

pub use answer::{Comparison, Counts, Finding, Grade, MissedMutant, Reason, RuleVerdict};
pub use compare::{Options, compare, draw_members};
pub use difference::{Criterion, Direction};
pub use exact::Members;
pub use folder::test_folder;
pub use gap::KindGap;
pub use lists::{Unfolded, unfolded};
pub use mistakes::mutants;
pub use objects::field_types::FieldType;
pub use objects::null_lists;
pub use objects::plurals;
pub use objects::schema;
pub use objects::subresources::Subresource;
pub use plain_values::{PlainValue, Taken};
pub use request::{Attributes, Operation, Request};
pub use sides::side::Actions;
pub use sides::unable::refused;
