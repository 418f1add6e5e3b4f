//! By which plural a cluster knows a custom kind.
//!
//! In: a kind, or a plural. Out: the plural that its definition most likely has. Kyverno's own guess (`engine::resource::plural`) ignores vowels:
//! it makes `gatewaies` of `Gateway`, which every definition calls `gateways`.

use engine::resource::plural as guessed;

/// The plural as it is written in English, and in definitions of custom kinds.
// sigs.k8s.io/controller-tools/pkg/crd: `flect.Pluralize`.
pub fn plural(kind: &str) -> String {
    let name = kind.to_lowercase();
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    if ends(&["ay", "ey", "oy", "uy"]) {
        format!("{name}s")
    } else if ends(&["x", "ch", "sh"]) {
        format!("{name}es")
    } else {
        guessed(kind)
    }
}

/// Whether it is the plural of the kind, as it is guessed or as it is written.
pub(crate) fn is_plural_of(name: &str, kind: &str) -> bool {
    guessed(kind) == name || plural(kind) == name
}

/// A kind that has this plural.
pub(crate) fn singular(plural: &str) -> String {
    let before = |end: &str| plural.strip_suffix(end);
    let of_sound = before("es").filter(|stem| ["x", "ch", "sh"].iter().any(|end| stem.ends_with(end)));
    let stem = before("ies").map(|stem| format!("{stem}y"));
    let stem = stem.or_else(|| of_sound.or_else(|| before("s")).map(str::to_owned));
    let stem = stem.unwrap_or_else(|| plural.to_owned());
    let mut letters = stem.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::{is_plural_of, plural, singular};

    #[test]
    fn plurals_are_those_of_definitions() {
        for (kind, name) in [
            ("Gateway", "gateways"),
            ("ServiceEntry", "serviceentries"),
            ("ImageProxy", "imageproxies"),
            ("Mesh", "meshes"),
            ("Switch", "switches"),
            ("Sandbox", "sandboxes"),
            ("Ingress", "ingresses"),
            ("Certificate", "certificates"),
        ] {
            assert_eq!(plural(kind), name);
            assert!(
                is_plural_of(name, kind) && is_plural_of(name, &singular(name)),
                "{name} {}",
                singular(name)
            );
        }
    }
}
