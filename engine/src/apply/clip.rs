//! How long what a rule says may be.
//!
//! In: results as the rules gave them. Out: the same with long texts cut, and the cut said. A message is made of what a
//! stranger writes, and is kept once for each resource: a megabyte of it times a thousand Pods is a gigabyte.

use super::PolicyResult;

/// How many bytes of a message, a note or a property are kept. What Kubernetes itself says of a refusal is shorter.
const MAX_TEXT: usize = 64 << 10;

/// Cuts a text that is longer than so many bytes, and says in it how long it was.
pub fn clip(text: &mut String, most: usize) {
    let length = text.len();
    if length <= most {
        return;
    }
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.truncate(end);
    *text += &[" … (", &length.to_string(), " bytes, the rest is not shown)"].concat();
}

/// Cuts all texts of a result that are too long.
pub(super) fn clipped(mut result: PolicyResult) -> PolicyResult {
    for rule in &mut result.rules {
        let properties = rule.properties.iter_mut().chain(&mut rule.report_properties);
        let texts = properties.map(|(_, value)| value).chain(&mut rule.warnings);
        texts.chain([&mut rule.message, &mut rule.note]).for_each(|text| clip(text, MAX_TEXT));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::clip;

    #[test]
    fn a_long_text_is_cut_between_characters_and_says_so() {
        let mut text = "aüb".to_owned();
        clip(&mut text, 4);
        assert_eq!(text, "aüb");
        clip(&mut text, 2);
        assert_eq!(text, "a … (4 bytes, the rest is not shown)");
    }
}
