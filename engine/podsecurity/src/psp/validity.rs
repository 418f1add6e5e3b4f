//! Whether the API server would have stored a policy.
//!
//! In: a PodSecurityPolicy object. Out: its errors, in the order and the words of the original; admission does not ask.
//!
//! Mirrors: pkg/apis/policy/validation/validation.go ValidatePodSecurityPolicy
