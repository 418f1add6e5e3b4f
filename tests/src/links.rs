//! Links of the Kyverno Playground through `engine_lenses::share`.
//!
//! In: recorded links, what they hold, and vectors of the packing. Out: whether decoding gives the recorded texts,
//! encoding the same link byte for byte, and a cut link what is left of it, with a word about the cut.

use crate::compare::{Difference, Tally};
use crate::recorded;
use engine::json::{Value, parse, to_json};
use engine_lenses::share::{self, lz};
use std::path::Path;

/// Checks all links and vectors.
pub fn check(folder: &Path) -> Result<(Tally, Vec<Difference>), String> {
    let mut tally = Tally::default();
    let mut differences = Vec::new();
    let mut hold = |case: String, what: &str, expected: String, got: String| {
        tally.cases += 1;
        tally.verdicts += 1;
        if expected == got {
            tally.agree += 1;
            tally.verdicts_agree += 1;
            tally.words_agree += 1;
        } else {
            differences.push(Difference { case, what: what.to_owned(), expected, got });
        }
    };
    let links = recorded::text(&folder.join("links/links.txt"))?;
    for (at, link) in links.lines().filter(|line| !line.trim().is_empty()).enumerate() {
        let number = format!("{:02}", at + 1);
        let path = folder.join(format!("links/decoded/{number}.json"));
        let wanted = parse(&recorded::text(&path)?).map_err(|error| error.to_string())?;
        let was_cut = wanted.get("_recovered_prefix").is_some();
        let wanted = if was_cut { recovered(&wanted) } else { wanted };
        let is_cut = ["09", "10", "12"].contains(&number.as_str());
        match share::decode(link) {
            Err(error) => hold(format!("link {number}"), "decoded", to_json(&wanted), error.to_string()),
            Ok(decoded) => {
                let cut_is_described = decoded.notes.iter().any(|note| note.code.is_damage());
                let said = format!("complete: {}, cut is named: {cut_is_described}", decoded.complete);
                let must = format!("complete: {}, cut is named: {is_cut}", !is_cut);
                hold(format!("link {number}"), "whole", must, said);
                let got: Value = decoded
                    .state
                    .iter()
                    .map(|(name, text)| (name, Value::from(text)))
                    .collect::<engine::json::Map>()
                    .into();
                // A last phrase that the missing bits could still change is not said, and was recorded.
                let wanted = if was_cut && is_beginning(&got, &wanted) { got.clone() } else { wanted };
                hold(format!("link {number}"), "decoded", to_json(&wanted), to_json(&got));
                let written = link.split("content=").nth(1).unwrap_or("");
                if !is_cut && !written.contains("%2F") && !written.contains("%3D") {
                    hold(
                        format!("link {number}"),
                        "encoded",
                        written.to_owned(),
                        share::encode(&decoded.state),
                    );
                }
            }
        }
    }
    let vectors =
        parse(&recorded::text(&folder.join("links/lz_vectors.json"))?).map_err(|error| error.to_string())?;
    for (at, vector) in vectors.as_array().unwrap_or_default().iter().enumerate() {
        let packed = vector.find_str(&["base64"]);
        let units = lz::decompress(symbols(packed)).units;
        // Halves of characters are U+FFFD in the text of the file and in this text alike.
        let text = vector.find_str(&["input"]).to_owned();
        hold(format!("vector {at}"), "unpacked", text, String::from_utf16_lossy(&units));
        hold(format!("vector {at}"), "packed", packed.to_owned(), lz::compress_to_base64(&units));
    }
    Ok((tally, differences))
}

/// The six bits of each letter of base64.
fn symbols(packed: &str) -> Vec<u8> {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    packed.chars().filter_map(|c| ALPHABET.find(c).and_then(|at| u8::try_from(at).ok())).collect()
}

/// What is left of a cut link: a JSON text without its end, closed where it breaks off.
fn recovered(cut: &Value) -> Value {
    let mut text = cut.find_str(&["_recovered_prefix"]).to_owned();
    // At most one escape is cut in two.
    for _ in 0..8 {
        if let Ok(value) = parse(&format!("{text}\"}}")) {
            return value;
        }
        text.pop();
    }
    Value::Null
}

/// Whether every text is what was recorded, but for the last few characters of one.
fn is_beginning(got: &Value, wanted: &Value) -> bool {
    let (Some(got), Some(wanted)) = (got.as_object(), wanted.as_object()) else { return false };
    let is_same = |(key, text): (&engine::json::Str, &Value)| {
        let (text, wanted) =
            (text.as_str().unwrap_or(""), wanted.get(key).and_then(Value::as_str).unwrap_or(""));
        wanted.strip_prefix(text).is_some_and(|lost| lost.chars().count() <= 8)
    };
    got.len() == wanted.len() && got.iter().all(is_same)
}
