//! What can be seen of a decision.
//!
//! In: texts of policies, resources and what stands around them. Out: answers as plain data ([`wire`]): verdicts with the lines
//! that decided, why, who gets in through an exemption, reports, what Pod Security says, links. Nothing here decides: that is
//! `engine`, and `engine_celpolicy` for policies in CEL. Nothing is read but the texts; what lies outside is asked of a
//! [`engine::world::World`].
//!
//! ```
//! use engine_lenses::wire::{Input, Text};
//! use engine::world::StaticWorld;
//!
//! let policy = "
//! apiVersion: kyverno.io/v1
//! kind: ClusterPolicy
//! metadata: {name: labels}
//! spec:
//!   rules:
//!   - name: team
//!     match: {any: [{resources: {kinds: [Pod]}}]}
//!     validate: {message: The label team is required., pattern: {metadata: {labels: {team: '?*'}}}}
//! ";
//! let pod = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: []}}";
//! let text = |name: &str, text: &str| Text { name: name.into(), text: text.into() };
//! let input = Input {
//!     policies: vec![text("policy.yaml", policy)],
//!     resources: vec![text("pod.yaml", pod)],
//!     ..Input::default()
//! };
//! let output = engine_lenses::run(&input, &StaticWorld::default());
//! let rule = &output.results[0].rules[0];
//! assert_eq!(rule.status, "fail");
//! assert_eq!(
//!     rule.message,
//!     "validation error: The label team is required. rule team failed at path /metadata/labels/"
//! );
//! assert_eq!((rule.policy_ranges[0].line, rule.resource_ranges[0].line), (9, 1));
//! ```
//!
//! The modules below stand in the order of their dependence: each uses only those above it.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod drift;

pub mod share;
pub mod wire;

pub mod run;

pub mod explain;

pub mod psa;
pub mod psp;

pub mod origin;
pub mod report;

pub mod mesh;

#[cfg(feature = "cel")]
pub mod sieve;

pub mod evaluate;
pub mod rewrite;
pub mod written;

#[cfg(feature = "cel")]
pub mod writing;

pub use engine_mesh as injection;
pub use run::run;
