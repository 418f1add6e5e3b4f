//! What lies outside the texts and is not a text itself, asked of the host: the engine reads no clock and throws no dice.
//!
//! In: a question. Out: an answer. What a cluster or a registry would answer comes as texts, in the bundle, or from a
//! [`World`] of the caller's own; a rule that needs an answer which is not there says that it could not be decided, never
//! that it passed.

use crate::load::{Extension, NO_EXTENSION};
use engine_json::Value;

/// The host's answers.
pub trait World {
    /// Now, in nanoseconds since 1970 (UTC).
    fn now(&self) -> i64;
    /// 64 random bits; the same sequence for the same run where the host wants runs to repeat.
    fn random(&self) -> u64;

    /// What a registry knows of an image, in the fields that an `imageRegistry` entry gives (`manifest`, `configData`, …);
    /// asked for what the texts do not say.
    fn image_data(&self, _reference: &str) -> Option<Value> {
        None
    }

    /// Whether an object is what the owner of an attestor's public key signed: the object, the rule's `validate.manifests`
    /// and the attestor (its `keys.publicKeys` is PEM). Nothing where the host cannot check signatures.
    fn manifest_signature(
        &self,
        _object: &Value,
        _manifests: &Value,
        _attestor: &Value,
    ) -> Option<SignatureAnswer> {
        None
    }

    /// What the Kubernetes API answers to a GET of this path, or why it answers nothing else. Nothing where there is no cluster to ask:
    /// then the objects at hand stand for one.
    fn kubernetes(&self, _path: &str) -> Option<Result<Value, String>> {
        None
    }

    /// The objects of a kind that a policy may take as its parameters: of a namespace where one is named and the kind has them, of a name
    /// where one is given. Nothing where there is no cluster to ask: then the objects at hand stand for one.
    fn parameters(
        &self,
        _api_version: &str,
        _kind: &str,
        _namespace: &str,
        _name: &str,
    ) -> Option<Result<Vec<Value>, String>> {
        None
    }

    /// What a GlobalContextEntry holds, or one of its projections where the second name is not empty; asked for what the
    /// texts do not say.
    fn global_context(&self, _entry: &str, _projection: &str) -> Option<Value> {
        None
    }

    /// What evaluates the policies and rules that the engine does not know itself, where texts are read for the caller.
    fn extension(&self) -> &'static Extension {
        NO_EXTENSION
    }
}

/// What a host says of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignatureAnswer {
    /// It is the key's, and of this object.
    Valid,
    /// There is none, or it is of something else; why.
    Invalid(String),
    /// It could not be decided; why.
    Undecided(String),
}

/// How a host checks a signature; see [`World::manifest_signature`].
pub type CheckSignature = fn(&Value, &Value, &Value) -> SignatureAnswer;

/// A world of fixed answers: nothing outside, a clock that stands still, and a repeatable sequence of numbers.
#[derive(Debug, Default)]
pub struct StaticWorld {
    /// What [`World::now`] says, in nanoseconds since 1970.
    pub now: i64,
    /// Where the sequence of [`World::random`] starts.
    pub seed: std::cell::Cell<u64>,
    /// What answers [`World::manifest_signature`], where something does.
    pub signatures: Option<CheckSignature>,
    /// What [`World::extension`] says; nothing for none.
    pub extension: Option<&'static Extension>,
}

impl StaticWorld {
    /// A world at this time, whose random numbers differ from those of every other time.
    pub fn at(now: i64) -> Self {
        StaticWorld { now, seed: std::cell::Cell::new(now.unsigned_abs()), ..StaticWorld::default() }
    }
}

impl World for StaticWorld {
    fn now(&self) -> i64 {
        self.now
    }

    /// SplitMix64: every seed gives a full sequence.
    fn random(&self) -> u64 {
        let state = self.seed.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.seed.set(state);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn manifest_signature(
        &self,
        object: &Value,
        manifests: &Value,
        attestor: &Value,
    ) -> Option<SignatureAnswer> {
        self.signatures.map(|check| check(object, manifests, attestor))
    }

    fn extension(&self) -> &'static Extension {
        self.extension.unwrap_or(NO_EXTENSION)
    }
}
