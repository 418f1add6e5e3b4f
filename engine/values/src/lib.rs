//! How Kubernetes and Go read the texts and numbers of a JSON document.
//!
//! In: a string or a number of a resource or a policy. Out: what Go's standard library, apimachinery and the
//! packages that Kyverno uses make of it, with their error texts; and text again, as they print it.
//!
//! ```
//! use engine_values::{Duration, Quantity, wildcard};
//! assert!(wildcard::matches("*:latest", "nginx:latest"));
//! assert_eq!(Duration::parse("90m").unwrap().to_string(), "1h30m0s");
//! assert!(Quantity::parse("1Gi").unwrap() > Quantity::parse("1G").unwrap());
//! ```

pub mod base64;
mod decimal;
pub mod glob;
pub mod go_text;
pub mod duration;
pub mod letters;
pub mod network;
pub mod image;
pub mod quantity;
pub mod re2;
pub mod semver;
pub mod compare;
pub mod time;
pub mod cron;
pub mod wildcard;
pub mod x509;

pub use duration::Duration;
pub use image::ImageRef;
pub use quantity::Quantity;
pub use wildcard::Wildcard;

#[cfg(test)]
mod tests;
