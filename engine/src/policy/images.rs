//! What a `verifyImages` rule demands of images.

use super::Conditions;

/// `verifyImages`; all but conditions is read from the rule once variables have been put into it.
#[derive(Clone, Debug)]
pub struct VerifyImages {
    /// What is said of each group of images.
    pub images: Vec<ImageConditions>,
    /// Whether the rule takes part in validation: some digest or verification is required.
    pub has_checks: bool,
}

/// The conditions of one entry of `verifyImages`.
#[derive(Clone, Debug)]
pub struct ImageConditions {
    /// The conditions of each of `attestations`, all of which must hold.
    pub attestations: Vec<Vec<Conditions>>,
    /// Whether there is a `validate`.
    pub has_validate: bool,
    /// The conditions of `validate.deny`.
    pub deny: Option<Conditions>,
}
