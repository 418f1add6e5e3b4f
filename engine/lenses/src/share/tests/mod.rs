//! Share links: the recorded ones, pasted forms, and hostile ones.

mod forms;
mod hostile;
mod recorded;
mod secret;

use super::{State, encode, state};

/// A state of the size of a small policy, with symbols of every kind in its link.
fn sample() -> State {
    let mut state = State::new();
    let rule = "  - name: no-latest\n    match: {any: [{resources: {kinds: [Pod]}}]}\n";
    state.set(
        state::POLICY,
        format!("kind: ClusterPolicy\nspec:\n  rules:\n{rule}# über alles: 漢字 😀 \"<&>\" \\ \u{2028}\n"),
    );
    state.set(state::RESOURCE, "apiVersion: v1\nkind: Pod\nmetadata: {name: website}\n");
    state
}

/// The payload of the sample, percent-encoded.
fn sample_payload() -> String {
    let payload = encode(&sample());
    // Only these distinguish the forms below.
    assert!(payload.contains("%2B") && payload.contains('/') && payload.ends_with('='), "{payload}");
    payload
}

/// The link of a JSON text that the original would not write.
fn link_of_json(json: &str) -> String {
    let units: Vec<u16> = json.encode_utf16().collect();
    format!(
        "https://playground.example/#/?content={}",
        super::lz::compress_to_base64(&units).replace('+', "%2B")
    )
}
