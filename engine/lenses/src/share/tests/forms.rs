//! What people paste, and what is said about it.

use super::{link_of_json, sample, sample_payload};
use crate::share::state::{self, State};
use crate::share::{NoteCode, ShareError, decode, encode, link, link_with, parameter};

/// The text holds the sample whole, and these things are worth saying.
#[track_caller]
fn check(text: &str, codes: &[NoteCode]) {
    let decoded = decode(text).unwrap();
    assert!(decoded.complete && decoded.state == sample(), "{text}");
    assert_eq!(decoded.notes.iter().map(|note| note.code).collect::<Vec<_>>(), codes, "{text}");
}

#[test]
fn links_of_any_page_are_read() {
    let payload = sample_payload();
    let link = format!("https://playground.kyverno.io/#/?content={payload}");
    for text in [
        link.clone(),
        payload.clone(),
        format!("content={payload}"),
        format!("#/?content={payload}"),
        format!("http://127.0.0.1:8080/v1.12/#?content={payload}"),
        format!("https://a.example/?content={payload}#/"),
        format!("https://a.example/#/?view=why&content={payload}&line=3"),
        link.replace("%2B", "%2b"),
        link.replace('/', "%2F").replace('=', "%3D").replace("content%3D", "content="),
        link.trim_end_matches('=').to_owned(),
    ] {
        check(&text, &[]);
    }
}

#[test]
fn text_around_a_link_is_passed_over() {
    let link = link("https://playground.kyverno.io/", &sample());
    for text in [
        format!("[open it]({link}) and see."),
        format!("<{link}>"),
        format!("\"{link}\""),
        format!("`{link}`,"),
        format!("> look at {link}. It fails"),
        format!("  {link}\n"),
    ] {
        check(&text, &[]);
    }
}

#[test]
fn what_transport_does_to_a_link_is_undone() {
    let payload = sample_payload();
    let link = format!("https://playground.kyverno.io/#/?content={payload}");
    let broken = |separator: &str| {
        let chars: Vec<char> = payload.chars().collect();
        let lines: Vec<String> = chars.chunks(60).map(|line| line.iter().collect()).collect();
        format!("https://playground.kyverno.io/#/?content={}", lines.join(separator))
    };
    check(&link.replace("%2B", "+"), &[NoteCode::PlusNotEncoded]);
    check(&link.replace("%2B", " "), &[NoteCode::SpaceForPlus]);
    check(&link.replace("%2B", "%252B"), &[NoteCode::EncodedTwice]);
    check(&broken("\n"), &[NoteCode::WhiteSpace]);
    check(&broken("\r\n    "), &[NoteCode::WhiteSpace]);
    let plain = payload.replace("%2B", "+").replace('=', "");
    check(&plain, &[]);
    check(&plain.replace('+', "-").replace('/', "_"), &[NoteCode::UrlAlphabet]);
    // `compressToEncodedURIComponent` has `-` where base64 has `/`.
    check(&plain.replace('/', "-"), &[NoteCode::UrlAlphabet]);
}

#[test]
fn texts_without_a_state_say_what_to_do() {
    let error = |text: &str| decode(text).unwrap_err();
    assert_eq!(error(" \n"), ShareError::Empty);
    assert_eq!(error("https://playground.kyverno.io/"), ShareError::NoContent);
    assert_eq!(error("https://playground.kyverno.io/#/?content=&x=1"), ShareError::NoContent);
    assert_eq!(error("kind: Pod"), ShareError::NotAState);
    assert_eq!(error(&link_of_json("[1]")), ShareError::NotAState);
    let short: String = link("https://playground.kyverno.io/", &sample()).chars().take(55).collect();
    assert_eq!(error(&short), ShareError::CutTooEarly);
    let library = error("https://playground.kyverno.io/#/?policy=/a/b%20c/&resource=.test/r.yaml)");
    let resource = Some(".test/r.yaml".to_owned());
    assert_eq!(library, ShareError::LibraryLink { policy: "a/b c".into(), resource });
}

#[test]
fn unusual_fields_are_described() {
    let codes = |json: &str| {
        let decoded = decode(&link_of_json(json)).unwrap();
        let codes: Vec<&str> = decoded.notes.iter().map(|note| note.code.name()).collect();
        (decoded.state, codes.join(" "), decoded.complete)
    };
    let (state, notes, _) = codes(r#"{"policy":"p","mine":"x","name":"n"}"#);
    assert_eq!((state.get("mine"), notes.as_str()), (Some("x"), "unknown-field"));
    let (state, notes, complete) =
        codes(r#" { "policy" : "p" , "config" : {"a":["}\"",null]}, "resource":"r" } "#);
    assert_eq!(
        (state.iter().collect::<Vec<_>>(), notes.as_str()),
        (vec![("policy", "p"), ("resource", "r")], "not-text")
    );
    assert!(complete);
    let (state, notes, _) = codes(r#"{"policy":"\ud83d\ude00 \ud800\ud800 \u00e9\/"}"#);
    assert_eq!((state.get("policy"), notes.as_str()), (Some("😀 \u{fffd}\u{fffd} é/"), "lone-surrogates"));
    let (_, notes, _) = codes(r#"{"policy":"p","context":"{ \"username\": \"me\" }"}"#);
    assert_eq!(notes, "flat-context");
    let (_, notes, _) = codes(r#"{"policy":"p","context":"context:\n  username: me\n"}"#);
    assert_eq!(notes, "");
    let (state, notes, complete) = codes(r#"{"policy":"p","resource":x}"#);
    assert_eq!((state.get("policy"), notes.as_str(), complete), (Some("p"), "not-text", true));
    let (state, notes, complete) = codes(r#"{"policy":"p"} and more"#);
    assert_eq!((state.get("policy"), notes.as_str(), complete), (Some("p"), "link-damaged", false));
}

#[test]
fn fields_stand_where_the_original_writes_them() {
    let mut state = State::new();
    for name in ["mine", state::VAP_BINDINGS, state::CONFIG, state::CONTEXT, state::POLICY] {
        state.set(name, "x");
    }
    let names: Vec<&str> = state.iter().map(|(name, _)| name).collect();
    assert_eq!(names[..5], ["policy", "resource", "oldResource", "context", "config"]);
    assert_eq!(names[5..8], ["customResourceDefinitions", "clusterResources", "exceptions"]);
    assert_eq!(names[8..], ["vapBindings", "mine"]);
    assert_eq!(state.remove(state::CONFIG).as_deref(), Some("x"));
    assert_eq!(decode(&encode(&state)).unwrap().state, state);
}

#[test]
fn parameters_of_our_own_stand_behind_the_state() {
    let parameters = [("view", "why?"), ("line", "1 & 2 ü")];
    let link = link_with("https://a.example/#old", &sample(), &parameters);
    assert!(
        link.starts_with("https://a.example/#/?content=")
            && link.ends_with("&view=why%3F&line=1%20%26%202%20%C3%BC")
    );
    check(&link, &[]);
    assert_eq!(parameter(&link, "line").as_deref(), Some("1 & 2 ü"));
    assert_eq!(parameter(&link, "ine"), None);
}
