//! What a Secret holds is not said.
//!
//! In: what a policy said of a Secret. Out: the same without messages that quote its data, and without the object itself.

use engine::json::{Map, Value};
use engine::resource::Resource;
use engine::value::base64::decode;
use engine_lenses::report::Response;

/// What stands in place of a message.
const WITHHELD: &str = "(the message quotes the data of the Secret and is withheld)";
/// So many bytes of a value in a row are a quotation; of a shorter value all of it.
const QUOTED: usize = 6;

/// Whether the data of a resource are nobody's to read.
pub(crate) fn is_secret(resource: &Resource) -> bool {
    resource.kind() == "Secret" && resource.gvk.group.is_empty()
}

/// Takes out of a response what quotes a Secret.
pub(crate) fn withhold(response: &mut Response<'_>) {
    if !is_secret(response.resource) {
        return;
    }
    let values = values(response.resource);
    for rule in &mut response.rules {
        if values.iter().any(|value| quotes(&rule.message, value)) {
            WITHHELD.clone_into(&mut rule.message);
        }
        for text in [&mut rule.note].into_iter().chain(&mut rule.warnings) {
            if values.iter().any(|value| quotes(text, value)) {
                WITHHELD.clone_into(text);
            }
        }
        rule.properties.retain(|(_, text)| !values.iter().any(|value| quotes(text, value)));
        rule.report_properties.retain(|(_, text)| !values.iter().any(|value| quotes(text, value)));
    }
}

/// The values of a Secret: as they are written, and as they are meant.
fn values(resource: &Resource) -> Vec<Vec<u8>> {
    let mut values = Vec::new();
    for field in ["data", "stringData"] {
        let entries = resource.value.get(field).and_then(Value::as_object);
        for text in entries.into_iter().flat_map(Map::values).filter_map(Value::as_str) {
            values.push(text.as_bytes().to_vec());
            if field == "data" {
                values.extend(decoded(text));
            }
        }
    }
    values.retain(|value| !value.is_empty());
    values
}

fn quotes(text: &str, value: &[u8]) -> bool {
    let (text, length) = (text.as_bytes(), QUOTED.min(value.len()));
    let finder = |part: &[u8]| memchr::memmem::find(value, part).is_some();
    text.windows(length).any(finder)
}

/// The bytes of a text in base64, as the most lenient of the functions that policies have reads it: blanks and padding are not looked at.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut plain: Vec<u8> =
        text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=').collect();
    if plain.len() % 4 == 1 {
        plain.pop();
    }
    plain.resize(plain.len().next_multiple_of(4), b'=');
    decode(&plain).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_in_base64_is_decoded() {
        assert_eq!(decoded("aHVudGVyMg==").as_deref(), Some(&b"hunter2"[..]));
        assert_eq!(decoded("a b*"), None);
    }

    #[test]
    fn six_letters_in_a_row_are_a_quotation() {
        assert!(quotes("the password hunter2 is short", b"hunter2"));
        assert!(quotes("it ends in unter2", b"hunter2"));
        assert!(!quotes("the hunt is on", b"hunter2"));
        assert!(quotes("a key ab", b"ab") && !quotes("a key", b"ab"));
    }
}
