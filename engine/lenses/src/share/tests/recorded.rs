//! The recorded links and LZ-string vectors, read where they lie; skipped where they are not.

use crate::share::lz::{End, compress_to_base64, decompress};
use crate::share::{NoteCode, decode, link, state};
use engine_json::{Value, parse};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The text of a recorded file, or `None` with a word on it.
#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
fn recorded(name: &str) -> Option<String> {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut paths = folders.map(|folder| folder.join("shared/conformance/links").join(name));
    let mut text = String::new();
    let found = paths.find_map(|path| File::open(path).ok()).map(|mut file| file.read_to_string(&mut text));
    if found.is_none() {
        println!("skipped: no recorded {name}");
    }
    found.map(|_| text)
}

/// The six-bit symbols of base64.
fn symbols(text: &str) -> Vec<u8> {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    text.chars().filter_map(|c| alphabet.find(c)).map(|at| u8::try_from(at).unwrap()).collect()
}

#[test]
fn whole_links_are_read_and_written_byte_for_byte() {
    let Some(links) = recorded("links.txt") else { return };
    let mut whole = 0;
    for (n, text) in (1..).zip(links.lines()) {
        let expected = parse(&recorded(&format!("decoded/{n:02}.json")).unwrap()).unwrap();
        if expected.get("_truncated").is_some() {
            continue;
        }
        whole += 1;
        let decoded = decode(text).unwrap();
        let fields = expected.as_object().unwrap().iter();
        let fields: Vec<(&str, &str)> = fields.map(|(k, v)| (k.as_str(), v.as_str().unwrap())).collect();
        assert_eq!(decoded.state.iter().collect::<Vec<_>>(), fields, "link {n}");
        assert!(decoded.complete && decoded.notes.is_empty(), "link {n}: {:?}", decoded.notes);
        assert_eq!(link("https://playground.kyverno.io/", &decoded.state), text, "link {n}");
    }
    assert_eq!(whole, 9);
}

#[test]
fn cut_links_give_what_their_beginning_says() {
    let Some(links) = recorded("links.txt") else { return };
    // The units that an lz-string without its final check gives; the last of them may rest on missing bits.
    for (n, length, policy) in [(9, 1181, 632), (10, 1611, 1386), (12, 1689, 1592)] {
        let text = links.lines().nth(n - 1).unwrap();
        let expected = parse(&recorded(&format!("decoded/{n:02}.json")).unwrap()).unwrap();
        let payload = text.split_once("content=").unwrap().1.replace("%2B", "+");
        let unpacked = decompress(symbols(&payload));
        assert_eq!((unpacked.units.len(), unpacked.end), (length, End::Cut), "link {n}");
        assert!(length - unpacked.certain <= 3, "link {n}");
        let recovered = expected.get("_recovered_prefix").and_then(Value::as_str).unwrap();
        assert_eq!(String::from_utf16(&unpacked.units).unwrap(), recovered, "link {n}");
        let decoded = decode(text).unwrap();
        assert!(!decoded.complete && decoded.notes[0].code == NoteCode::LinkCut, "link {n}");
        // All three were cut within the resource.
        assert_eq!(decoded.state.get(state::POLICY).map(str::len), Some(policy), "link {n}");
        assert!(decoded.notes[0].message.contains("of `resource` were saved"), "{:?}", decoded.notes);
    }
}

#[test]
fn the_vectors_of_lz_string_hold_in_both_directions() {
    let Some(vectors) = recorded("lz_vectors.json") else { return };
    let vectors = parse(&vectors).unwrap();
    assert_eq!(vectors.as_array().unwrap().len(), 14);
    for vector in vectors.as_array().unwrap() {
        let packed = vector.find_str(&["base64"]);
        let unpacked = decompress(symbols(packed));
        assert_eq!(unpacked.end, End::Mark);
        assert_eq!(i64::try_from(unpacked.units.len()).ok(), vector.get("units").and_then(Value::as_i64));
        // The reader of JSON has replaced the lone surrogate of one vector.
        assert_eq!(String::from_utf16_lossy(&unpacked.units), vector.find_str(&["input"]));
        assert_eq!(compress_to_base64(&unpacked.units), packed);
    }
}
