//! Versions of meshes.
//!
//! In: `1.27`, `1.31.0-rc.0`, `stable-2.14.10`, `edge-26.8.3`. Out: something that can be compared.

/// A version: of the numbered releases, or of Linkerd's edge releases, which count years and months.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    pub(crate) is_edge: bool,
    pub(crate) numbers: Vec<u32>,
}

/// More numbers than any version has.
const MAX_NUMBERS: usize = 6;

impl Version {
    /// Reads a version; `None` where there are no two numbers in it.
    pub(crate) fn read(text: &str) -> Option<Version> {
        let digits = |c: char| !c.is_ascii_digit();
        let parts = text.split(digits).filter(|part| !part.is_empty()).take(MAX_NUMBERS);
        let numbers: Vec<u32> = parts.map_while(|part| part.parse().ok()).collect();
        (numbers.len() > 1).then(|| Version { is_edge: text.contains("edge"), numbers })
    }

    /// Whether this is the other or comes after it, in the same series.
    pub(crate) fn is_from(&self, first: &Version) -> bool {
        self.is_edge == first.is_edge && self.numbers >= first.numbers
    }

    /// Whether the first two numbers agree.
    pub(crate) fn is_same_minor(&self, other: &Version) -> bool {
        self.is_edge == other.is_edge && self.numbers.get(..2) == other.numbers.get(..2)
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn versions_are_ordered_within_their_series() {
        let read = |text| Version::read(text).unwrap();
        assert!(read("1.27").is_from(&read("1.26.8")));
        assert!(!read("1.9").is_from(&read("1.18")));
        assert!(!read("edge-26.8.3").is_from(&read("2.10")));
        assert!(read("stable-2.14.10").is_same_minor(&read("2.14")));
        assert_eq!(Version::read("latest"), None);
    }
}
