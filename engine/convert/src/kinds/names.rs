//! Names of new policies.
//!
//! In: documents. Out: the same with names that Kyverno can put into a label of its reports, which holds 63 letters
//! (k8s.io/apimachinery/pkg/util/validation, `LabelValueMaxLength`).

use engine_json::Value;

/// The longest name.
const MAX_NAME: usize = 63;
/// How many letters of a longer one are kept before its number.
const KEPT: usize = 54;

/// Shortens longer names, each to the same one whenever it is made, and says which.
pub(crate) fn shorten(documents: &mut [Value]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut names: Vec<String> =
        documents.iter().map(|document| document.find_str(&["metadata", "name"]).to_owned()).collect();
    for (at, document) in documents.iter_mut().enumerate() {
        let Some(name) = names.get(at).filter(|name| name.len() > MAX_NAME).cloned() else { continue };
        let short = (0..=names.len()).map(|salt| shortened(&name, salt)).find(|short| !names.contains(short));
        let Some(short) = short else { continue };
        let metadata =
            document.object_mut().and_then(|map| map.get_mut("metadata")).and_then(Value::object_mut);
        if let Some(metadata) = metadata {
            metadata.insert("name", Value::from(short.as_str()));
        }
        notes.push(format!(
            "a policy is named `{short}` instead of `{name}`: Kyverno puts the name into a label of its reports, which holds {MAX_NAME} letters"
        ));
        if let Some(known) = names.get_mut(at) {
            *known = short;
        }
    }
    notes
}

/// The beginning of a name, and a number that is made of all of it.
fn shortened(name: &str, salt: usize) -> String {
    let kept: String = name.chars().take(KEPT).collect();
    // FNV-1a.
    let bytes = name.bytes().chain(std::iter::repeat_n(b'-', salt));
    let number = bytes.fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{}-{number:08x}", kept.trim_end_matches(['-', '.']))
}

#[cfg(test)]
mod tests {
    use super::shorten;
    use engine::yaml::parse_one;

    #[test]
    fn long_names_become_short_ones_that_differ() {
        let long = "a-policy-with-quite-a-long-name-for-what-it-does-to-pods-of-teams";
        let named = |name: &str| parse_one(&format!("{{metadata: {{name: {name}}}}}")).unwrap();
        let mut all = [named("short"), named(&format!("{long}-one")), named(&format!("{long}-two"))];
        let notes = shorten(&mut all);
        let names = all.each_ref().map(|one| one.find_str(&["metadata", "name"]).to_owned());
        assert_eq!(names[0], "short");
        assert!(names.iter().all(|name| name.len() <= 63), "{names:?}");
        assert_ne!(names[1], names[2]);
        assert_eq!(notes.len(), 2);
        let mut again = [named(&format!("{long}-two"))];
        shorten(&mut again);
        assert_eq!(again[0].find_str(&["metadata", "name"]), names[2]);
    }
}
