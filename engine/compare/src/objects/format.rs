//! What texts of Kubernetes' types must be so that an object with them can be read at all.
//!
//! In: a text at a field. Out: whether it can be decoded, and texts that can for one that a policy names.
//! Mirrors: k8s.io/apimachinery/pkg/apis/meta/v1/time.go (`Time.UnmarshalJSON`), k8s.io/apimachinery/pkg/api/resource/quantity.go,
//! encoding/json (`[]byte` is base64 in JSON).

use engine::value::base64::{decode, encode};
use engine::value::quantity::Quantity;
use engine::value::time::Time;

/// A time for fields of which no policy names one.
pub(crate) const SOME_TIME: &str = "2024-01-01T00:00:00Z";

/// The form of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    /// Any text.
    #[default]
    Any,
    /// A quantity.
    Quantity,
    /// A time of RFC 3339.
    Time,
    /// Bytes in base64.
    Bytes,
}

impl Format {
    /// Whether an object with this text can be decoded.
    pub(crate) fn takes(self, text: &str) -> bool {
        match self {
            Format::Any => true,
            Format::Quantity => Quantity::parse(text).is_ok(),
            Format::Time => Time::parse_rfc3339(text).is_ok(),
            Format::Bytes => decode(text.as_bytes()).is_ok(),
        }
    }

    /// The texts to try for one that a policy names: as it is where it can be decoded, and what it is written as.
    pub(crate) fn written(self, text: &str) -> Vec<String> {
        match self {
            Format::Any => vec![text.to_owned()],
            // An API server writes quantities in one way.
            Format::Quantity => {
                Quantity::parse(text).ok().map(|quantity| quantity.to_string()).into_iter().collect()
            }
            Format::Time => vec![if self.takes(text) { text.to_owned() } else { SOME_TIME.to_owned() }],
            Format::Bytes => {
                let own = Some(text.to_owned()).filter(|text| self.takes(text));
                own.into_iter().chain([encode(text.as_bytes())]).collect()
            }
        }
    }
}
