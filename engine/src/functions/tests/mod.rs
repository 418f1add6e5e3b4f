//! What holds for every row, and the bounds: single answers are held by the recorded suite in `tests/functions.rs`.

use super::{FAMILIES, WorldHost, registry};
use crate::world::StaticWorld;
use engine_jmespath::{EvalError, FixedHost, Function, Registry, Runtime, parse};
use engine_json::{Value, to_json};

fn search(registry: &Registry, text: &str, input: &Value) -> Result<Value, EvalError> {
    parse(text).unwrap().search(input, &Runtime::new(registry))
}

fn error(text: &str) -> String {
    search(&registry(), text, &Value::Null).unwrap_err().to_string()
}

#[test]
fn rows_are_those_of_the_original() {
    let mut rows: Vec<String> = FAMILIES.concat().iter().map(Function::signature).collect();
    rows.sort();
    assert_eq!(rows.join("\n"), include_str!("signatures.txt").trim_end());
}

#[test]
fn examples_hold() {
    let registry = registry();
    for row in FAMILIES.concat() {
        assert!(!row.note.is_empty() && !row.examples.is_empty(), "{}", row.name);
        for (text, wanted) in row.examples {
            let value =
                search(&registry, text, &Value::Null).unwrap_or_else(|error| panic!("{text}: {error}"));
            let wanted = engine_json::parse(wanted).unwrap();
            assert_eq!(to_json(&value), to_json(&wanted), "{text}");
        }
    }
}

#[test]
fn certificates_are_read() {
    let pem = Value::from(include_str!("web.pem"));
    let wanted = r#"["web",["shop"],["web.shop.svc"],"/ns/shop/sa/web",65537,42,3,"2023-11-14T22:13:20Z"]"#;
    let fields = "[Subject.CommonName, Issuer.Organization, DNSNames, URIs[0].Path, PublicKey.E, SerialNumber, \
                  Version, NotBefore]";
    let value = search(&registry(), &format!("x509_decode(@) | {fields}"), &pem).unwrap();
    assert_eq!(to_json(&value), wanted);
    // Any byte may be another one: an error or a value, never a crash.
    let block = include_str!("web.pem");
    for at in 0..block.len() {
        let mut broken = block.to_owned().into_bytes();
        broken[at] = if broken[at] == b'A' { b'/' } else { b'A' };
        let _ = search(&registry(), "x509_decode(@)", &Value::from(String::from_utf8(broken).unwrap()));
    }
}

#[test]
fn hostile_patterns_end() {
    let many = Value::from("a".repeat(200_000));
    let registry = registry();
    // Each match looks at the whole rest of the text.
    let slow = search(&registry, "regex_replace_all('a.*b|a', @, 'x')", &many);
    assert!(matches!(slow, Err(EvalError::Limit { .. })), "{slow:?}");
    let groups = Value::from("(".repeat(240) + &")".repeat(240));
    assert!(search(&registry, "regex_match(@, 'a')", &groups).is_ok());
    let deep = Value::from("(".repeat(40_000) + &")".repeat(40_000));
    assert!(
        search(&registry, "regex_match(@, 'a')", &deep).unwrap_err().to_string().contains("nests too deeply")
    );
    assert!(error("regex_match('((a{100}){100}){100}', '')").contains("invalid repeat count"));
    let large = "(.{20}){50}".repeat(200);
    assert!(error(&format!("regex_match('{large}', '')")).contains("expression too large"));
}

#[test]
fn what_is_made_is_bounded() {
    let most = FixedHost { now: 0, random: u64::MAX };
    let endless = parse("random('((a*)*)*')").unwrap();
    let endless = endless.search(&Value::Null, &Runtime { registry: &registry(), host: &most });
    assert!(endless.unwrap_err().to_string().contains("bytes"));
    assert!(error("random('[^\\x00-\\x{10FFFF}]')").contains("matches no text"));
    let long = Value::from("x".repeat(3_000_000));
    assert!(search(&registry(), "split(@, '')", &long).unwrap_err().to_string().contains("entries"));
    assert!(
        search(&registry(), "replace_all(@, 'x', 'yyyy')", &long).unwrap_err().to_string().contains("bytes")
    );
}

#[test]
fn names_are_not_looked_up() {
    assert_eq!(
        error("is_external_url('https://example.com')"),
        "lookup example.com: names are not looked up here"
    );
    assert_eq!(error("is_external_url('nothing')"), "lookup : no such host");
}

#[test]
fn random_texts_match_their_pattern() {
    let (registry, world) = (registry(), StaticWorld::default());
    let runtime = Runtime { registry: &registry, host: &WorldHost { world: &world } };
    for pattern in
        ["[a-z0-9]{8}", "a|bc|d{3}", "(x[^y]?z){1,9}", "[[:alpha:]]{2,4}-[0-9]+", "é.*$", "[^\\x00-\\x7f]?"]
    {
        let whole = format!("^(?s:{pattern})$");
        let input =
            Value::object([("p", Value::from(pattern)), ("w", Value::from(whole))].into_iter().collect());
        let check = parse("regex_match(w, random(p))").unwrap();
        for _ in 0..50 {
            assert_eq!(check.search(&input, &runtime), Ok(Value::Bool(true)), "{pattern}");
        }
    }
    let two = parse("random('[a-z]{20}') == random('[a-z]{20}')").unwrap();
    assert_eq!(two.search(&Value::Null, &runtime), Ok(Value::Bool(false)));
}

#[test]
fn bytes_that_were_lost_are_neither_hashed_nor_encoded() {
    for text in ["base64_encode(base64_decode('/w=='))", "base64_decode('/w==') | sha256(@)"] {
        assert!(error(text).contains("bytes that are not UTF-8"), "{text}: {}", error(text));
    }
    // The sign itself is a text like others, and so is what has nothing of them.
    let value = search(&registry(), "[base64_decode('/w=='), md5('a')] | [1]", &Value::Bool(true));
    assert_eq!(value.unwrap(), Value::from("0cc175b9c0f1b6a831c399e269772661"));
    let kept = search(&registry(), "base64_encode(base64_decode('77+9'))", &Value::Null).unwrap();
    assert_eq!(kept, Value::from("77+9"));
}
