//! What a comparison must keep: every line of both texts, in order, with its number.

use super::{Hunk, diff, shared};

fn text(lines: impl Iterator<Item = usize>) -> String {
    lines.fold(String::new(), |text, line| text + "line " + &line.to_string() + "\n")
}

/// The texts that the hunks were made of.
fn both(hunks: &[Hunk]) -> (String, String) {
    let (mut old_text, mut new_text) = (String::new(), String::new());
    for hunk in hunks {
        match hunk {
            Hunk::Same(lines) | Hunk::Folded(lines) => {
                for (_, (_, line)) in lines {
                    old_text.extend([line, "\n"]);
                    new_text.extend([line, "\n"]);
                }
            }
            Hunk::Changed { old, new } => {
                old_text.extend(old.iter().flat_map(|(_, line)| [line, "\n"]));
                new_text.extend(new.iter().flat_map(|(_, line)| [line, "\n"]));
            }
        }
    }
    (old_text, new_text)
}

#[test]
fn nothing_is_lost_and_long_stretches_are_folded() {
    let old = text(0..40);
    let new = text((0..20).chain([100]).chain(21..40));
    let hunks = diff(&old, &new);
    assert_eq!(both(&hunks), (old, new));
    let shape: Vec<String> = hunks
        .iter()
        .map(|hunk| match hunk {
            Hunk::Same(lines) => format!("same {}", lines.len()),
            Hunk::Folded(lines) => format!("folded {}", lines.len()),
            Hunk::Changed { old, new } => format!("-{} +{}", old.len(), new.len()),
        })
        .collect();
    assert_eq!(shape, ["folded 17", "same 3", "-1 +1", "same 3", "folded 16"]);
}

#[test]
fn numbers_are_those_of_each_text() {
    let hunks = diff("a\nb\nc\n", "a\nc\n");
    let removed = Hunk::Changed { old: vec![(2, "b".to_owned())], new: Vec::new() };
    assert_eq!(hunks.get(1), Some(&removed));
    assert_eq!(hunks.get(2), Some(&Hunk::Same(vec![(3, (2, "c".to_owned()))])));
}

#[test]
fn what_two_lines_share_never_overlaps() {
    assert_eq!(shared("name: a", "name: ab"), (7, 0));
    assert_eq!(shared("aa", "aaa"), (2, 0));
    assert_eq!(shared("x: 1 # ü", "x: 2 # ü"), (3, 4));
}
