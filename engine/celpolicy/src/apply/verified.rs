//! What all policies of images together have verified of one resource.
//!
//! In: what each of them verified, and which images it wants verified. Out: whether one is left that was not verified: that is known
//! once all policies were asked. Mirrors: `pkg/cel/libs/imageverify/results.go`, `EnforceRequired` of Kyverno 1.19.

use engine_json::ordered::OrderedMap;
use engine_json::{Str, Value};
use std::cell::RefCell;

/// What was verified so far.
#[derive(Debug, Default)]
pub(crate) struct Verified {
    /// By images, whether one of the checks succeeded.
    images: RefCell<OrderedMap<Str, bool>>,
    /// What verified attestations say, by image and type.
    payloads: RefCell<OrderedMap<(Str, Str), Value>>,
    /// The images of the policy that was asked last, if it passes only where they are verified.
    wanted: RefCell<Vec<Str>>,
}

impl Verified {
    /// Notes a check: one that succeeded counts, whatever others said.
    pub(super) fn record(&self, image: &str, is_verified: bool) {
        let mut images = self.images.borrow_mut();
        *images.entry(Str::from(image)).or_default() |= is_verified;
    }

    /// Notes what a verified attestation says.
    pub(super) fn keep(&self, image: &str, of: &str, payload: Value) {
        self.payloads.borrow_mut().insert((Str::from(image), Str::from(of)), payload);
    }

    /// What an attestation says that was verified.
    pub(super) fn payload(&self, image: &str, of: &str) -> Option<Value> {
        self.payloads.borrow().get(&(Str::from(image), Str::from(of))).cloned()
    }

    /// Notes that the policy that is asked passes only if these images are verified.
    pub(crate) fn want(&self, images: &[Str]) {
        self.wanted.borrow_mut().extend_from_slice(images);
    }

    /// The images that the policy wants verified that was asked last.
    pub(crate) fn take_wanted(&self) -> Vec<Str> {
        self.wanted.take()
    }

    /// Why not all of these images are verified; nothing where they are.
    pub(crate) fn missing(&self, images: &[Str]) -> Option<String> {
        let known = self.images.borrow();
        images.iter().find_map(|image| match known.get(image) {
            Some(true) => None,
            Some(false) => Some(format!("image {image} failed signature or attestation verification")),
            None => Some(format!(
                "image {image} is not verified: no policy performed a signature or attestation check on it"
            )),
        })
    }
}
