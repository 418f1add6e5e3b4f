//! Whether two sides decide the same in every case: for policies inside the fragment of which all cases can be told.
//!
//! In: two sides, the kinds, the operations. Out: [`Proof`]: that they do, and how many cases there were; a request on which they differ; or why
//! it cannot be said. A case is an object that stands for all that are the same to every test of both sides, together with an operation. Both
//! engines evaluate each of them, and nothing is decided here. What may be in a policy is named in `classic`, `cel` and `expression`:
//! whatever is not is outside of the fragment.
//!
//! Two things are held against what was found out about the policies beforehand: what the engines really read of the cases, and what they say
//! of a random member of each class. Where either does not agree, nothing is claimed.
//!
//! Reading order: `asked`, `conditions`, `classic`, `reader`, `expression`, `cel`; `language`, `scalars`; `plan`, `noise`; `cases`, `updates`.

mod asked;
mod cases;
mod cel;
mod classic;
mod conditions;
mod expression;
mod language;
mod noise;
mod outside;
mod plan;
mod reader;
mod scalars;
mod updates;

use crate::difference::Criterion;
use crate::objects::kinds::{CONTROLLERS, Target, smallest};
use crate::objects::schema::Schema;
use crate::reads::Reads;
use crate::request::{Operation, Request};
use crate::search::random::Random;
use crate::sides::side::Side;
use asked::{Asked, Outside};
use cases::Cases;
pub use cases::Members;
use engine_json::{Str, Value};
use plan::Maker;

/// What was shown.
pub(crate) enum Proof {
    /// Every case is decided the same on both sides; how many there were.
    Same(usize),
    /// A case is not.
    Differs(Box<Request>),
    /// Nothing, for this reason.
    Outside(Outside),
    /// The caller has ended it.
    Stopped,
}

/// What is to be shown of.
pub(crate) struct Prover<'p, 'w> {
    /// The sides.
    pub(crate) sides: &'p [Side<'w>; 2],
    /// The fields of Kubernetes' kinds.
    pub(crate) schema: &'p Schema,
    /// The kinds.
    pub(crate) kinds: &'p [Target],
    /// The operations.
    pub(crate) operations: &'p [Operation],
    /// What is compared.
    pub(crate) criterion: Criterion,
    /// How many cases are tried at most.
    pub(crate) max_cases: usize,
    /// What random members begin with.
    pub(crate) seed: u64,
}

impl Prover<'_, '_> {
    /// Tries every case, where they can be told. `reads` is what the sides read beyond objects.
    pub(crate) fn prove(&self, reads: &Reads, should_continue: &mut dyn FnMut(usize) -> bool) -> Proof {
        match self.begin(reads) {
            Ok(mut cases) => cases.try_all(&self.kinds_with_controllers(), should_continue),
            Err(outside) => Proof::Outside(outside),
        }
    }

    /// Holds random members of classes against the cases that stand for them.
    pub(crate) fn draw(&self, reads: &Reads, count: usize) -> Result<Members, Outside> {
        self.begin(reads)?.draw(&self.kinds_with_controllers(), count)
    }

    fn begin(&self, reads: &Reads) -> Result<Cases<'_, '_>, Outside> {
        if self.sides.iter().any(Side::is_of_pods) {
            return Err("a level of Pod Security, or PodSecurityPolicies");
        }
        if !reads.outside.is_empty() || !reads.cluster.is_empty() {
            return Err("answers of a cluster or of others");
        }
        if !self.schema.field_types.is_empty() {
            return Err("types that are given for fields of custom kinds");
        }
        if let Some(why) = self.sides.iter().find_map(outside::why_outside) {
            return Err(why);
        }
        let mut selects_objects = false;
        if self.schema.has_readable_images {
            return Err("images that are taken to be readable");
        }
        if !self.schema.plain_values.is_empty() {
            return Err("strings that are taken to be without wildcards");
        }
        for side in self.sides {
            let bundle = &side.bundle;
            let is_plain = bundle.other_exceptions.is_empty() && bundle.resources.is_empty();
            let words = ["Mutating", "Generating", "Deleting", "Cleanup"];
            let changes = |kind: &str| words.iter().any(|word| kind.contains(word));
            if bundle.documents.iter().any(|document| changes(document.value.find_str(&["kind"]))) {
                return Err("policies that change, generate or delete objects");
            }
            if !is_plain || bundle.documents.iter().any(|document| !is_known(&document.value)) {
                return Err("documents that are not policies or bindings");
            }
            selects_objects |= bundle.documents.iter().any(|document| cel::selects_objects(&document.value));
        }
        let random = Random(self.seed);
        Ok(Cases { prover: self, asked: Asked::default(), selects_objects, tried: 0, shown: 0, random })
    }

    /// The kinds, and the controllers where Pods are among them.
    fn kinds_with_controllers(&self) -> Vec<Target> {
        let mut all = self.kinds.to_vec();
        if all.iter().any(|target| target.kind == "Pod") {
            for (version, kind) in CONTROLLERS {
                let target = Target { version: Str::new_static(version), kind: Str::new_static(kind) };
                if !all.contains(&target) {
                    all.push(target);
                }
            }
        }
        all
    }

    /// What both sides ask of objects of a kind.
    fn asked(&self, kind: &str) -> Result<Asked, Outside> {
        let mut asked = Asked::default();
        for side in self.sides {
            for policy in &side.bundle.policies {
                if policy.body.is_some() {
                    cel::read(&policy.raw, kind, &mut asked)?;
                } else {
                    classic::read(policy, kind, &mut asked)?;
                }
            }
            for (_, binding) in &side.bundle.bindings {
                cel::read_binding(binding, &mut asked)?;
            }
        }
        Ok(asked)
    }

    /// The plan of a kind, and its smallest object.
    fn plan(&self, target: &Target, asked: &Asked) -> Result<(plan::Plan, Value), Outside> {
        let changes = self.operations.iter().any(|operation| *operation != Operation::Create);
        let maker = Maker { schema: self.schema, has_ephemeral: changes && target.kind == "Pod" };
        let base = smallest(target, self.schema);
        let plan = maker.of_kind(asked, &base)?;
        Ok((plan, base))
    }
}

/// Whether a document is of a kind that is looked at.
fn is_known(document: &Value) -> bool {
    let kinds = [
        "ClusterPolicy",
        "Policy",
        "ValidatingPolicy",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
    ];
    document.is_null() || kinds.contains(&document.find_str(&["kind"]))
}
