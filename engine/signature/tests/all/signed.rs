//! Objects that are signed here, changed, and evaluated.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as the test does")]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use engine::json::{MAX_DEPTH, Value, parse};
use engine::world::SignatureAnswer;
use engine_signature::check;
use flate2::Compression;
use flate2::write::GzEncoder;
use p256::ecdsa::signature::hazmat::PrehashSigner as _;
use p256::ecdsa::{Signature, SigningKey};
use p256::pkcs8::{EncodePublicKey as _, LineEnding};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::io::Write as _;

const SERVICE: &str =
    "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  ports:\n  - port: 80\n";

fn key(seed: u8) -> SigningKey {
    SigningKey::from_slice(&[seed; 32]).unwrap()
}

fn pem(key: &SigningKey) -> String {
    key.verifying_key().to_public_key_pem(LineEnding::LF).unwrap()
}

fn zip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn signature(key: &SigningKey, message: &[u8]) -> String {
    let signature: Signature = key.sign_prehash(&Sha256::digest(message)).unwrap();
    STANDARD.encode(signature.to_der())
}

/// A Service with this port whose annotations carry `message`, signed by each of `keys`.
fn service(port: u16, message: &[u8], keys: &[&SigningKey]) -> Value {
    let mut signatures = String::new();
    for (at, key) in keys.iter().enumerate() {
        let number = if at == 0 { String::new() } else { format!("_{at}") };
        let signature = signature(key, message);
        write!(signatures, r#","cosign.sigstore.dev/signature{number}":"{signature}""#).unwrap();
    }
    let message = STANDARD.encode(zip(message));
    parse(&format!(
        r#"{{"apiVersion":"v1","kind":"Service","metadata":{{"name":"web","namespace":"default",
          "annotations":{{"cosign.sigstore.dev/message":"{message}"{signatures}}}}},
          "spec":{{"ports":[{{"port":{port}}}],"clusterIP":"10.0.0.1"}}}}"#
    ))
    .unwrap()
}

fn evaluate(object: &Value, key: &SigningKey, manifests: &str) -> SignatureAnswer {
    let pem = pem(key).replace('\n', "\\n");
    let attestor = parse(&format!(r#"{{"keys":{{"publicKeys":"{pem}"}}}}"#)).unwrap();
    check(object, &parse(manifests).unwrap(), &attestor)
}

#[test]
fn what_was_signed_is_valid_with_what_a_cluster_adds() {
    let signed = service(80, SERVICE.as_bytes(), &[&key(1)]);
    assert_eq!(evaluate(&signed, &key(1), "{}"), SignatureAnswer::Valid);
}

#[test]
fn a_message_may_be_a_zipped_tar_file() {
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(SERVICE.len() as u64);
    header.set_mode(0o600);
    header.set_cksum();
    archive.append_data(&mut header, "manifests/service.yaml", SERVICE.as_bytes()).unwrap();
    let message = zip(&archive.into_inner().unwrap());
    assert_eq!(evaluate(&service(80, &message, &[&key(1)]), &key(1), "{}"), SignatureAnswer::Valid);
}

#[test]
fn any_of_several_signatures_will_do() {
    let signed = service(80, SERVICE.as_bytes(), &[&key(1), &key(2)]);
    assert_eq!(evaluate(&signed, &key(2), "{}"), SignatureAnswer::Valid);
}

#[test]
fn a_changed_field_is_named_with_both_values() {
    let changed = service(8080, SERVICE.as_bytes(), &[&key(1)]);
    let why = "failed to verify signature. diff found; \
               {\"items\":[{\"key\":\"spec.ports.0.port\",\"values\":{\"after\":8080,\"before\":80}}]}";
    assert_eq!(evaluate(&changed, &key(1), "{}"), SignatureAnswer::Invalid(why.to_owned()));
    let ignoring = r#"{"ignoreFields":[{"fields":["spec.ports[0].port"],"objects":[{"kind":"Serv*"}]}]}"#;
    assert_eq!(evaluate(&changed, &key(1), ignoring), SignatureAnswer::Valid);
    let for_others = r#"{"ignoreFields":[{"fields":["spec.ports[0].port"],"objects":[{"kind":"Pod"}]}]}"#;
    assert_eq!(evaluate(&changed, &key(1), for_others), SignatureAnswer::Invalid(why.to_owned()));
}

#[test]
fn what_nests_too_deep_to_be_compared_is_not_decided() {
    let message = SERVICE.to_owned() + "  deep: {}\n";
    let mut object = service(80, message.as_bytes(), &[&key(1)]);
    assert_eq!(evaluate(&object, &key(1), "{}"), SignatureAnswer::Valid);
    let deep = (0..MAX_DEPTH).fold(Value::from("changed"), |value, _| Value::array(vec![value]));
    object.make_object().get_mut("spec").unwrap().make_object().insert("deep", deep);
    let SignatureAnswer::Undecided(why) = evaluate(&object, &key(1), "{}") else { panic!("decided") };
    assert!(why.contains("nest deeper than 256 levels"), "{why}");
}

#[test]
fn another_key_is_no_pass() {
    let signed = service(80, SERVICE.as_bytes(), &[&key(1)]);
    let SignatureAnswer::Undecided(why) = evaluate(&signed, &key(2), "{}") else { panic!("decided") };
    assert!(why.ends_with(
        "error: cosign.VerifyBlobCmd.Exec() returned an error: invalid signature when validating ASN.1 encoded signature\"]"
    ), "{why}");
}

#[test]
fn what_is_not_signed_says_what_it_lacks() {
    let bare = parse(SERVICE_JSON).unwrap();
    let missing = "YAML manifest not found for this resource: message not found";
    assert_eq!(evaluate(&bare, &key(1), "{}"), SignatureAnswer::Invalid(missing.to_owned()));
    let unsigned = service(80, SERVICE.as_bytes(), &[]);
    let missing = "failed to verify signature: signature not found";
    assert_eq!(evaluate(&unsigned, &key(1), "{}"), SignatureAnswer::Invalid(missing.to_owned()));
    let other = service(80, SERVICE.replace("Service", "Pod").as_bytes(), &[&key(1)]);
    let missing =
        "YAML manifest not found for this resource: failed to find a YAML manifest in the gzipped message";
    assert_eq!(evaluate(&other, &key(1), "{}"), SignatureAnswer::Invalid(missing.to_owned()));
    let elsewhere = r#"{"repository":"example.com/signed"}"#;
    assert!(matches!(evaluate(&bare, &key(1), elsewhere), SignatureAnswer::Undecided(_)));
}

const SERVICE_JSON: &str = r#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"}}"#;

#[test]
fn messages_that_are_none_are_described() {
    for message in ["%", "AAAA", "H4sIAAAAAAAA/w==", ""] {
        let text = SERVICE_JSON.replace(
            r#""name":"web""#,
            &format!(r#""name":"web","annotations":{{"cosign.sigstore.dev/message":"{message}"}}"#),
        );
        let answer = evaluate(&parse(&text).unwrap(), &key(1), "{}");
        assert!(!matches!(answer, SignatureAnswer::Valid), "{message}: {answer:?}");
    }
}

/// An object with this data whose annotation carries a message that nobody signed.
fn config_map(data: Value, message: &str) -> Value {
    let message = STANDARD.encode(zip(message.as_bytes()));
    let mut object = parse(&format!(
        r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"web",
          "annotations":{{"cosign.sigstore.dev/message":"{message}","cosign.sigstore.dev/signature":"AAAA"}}}}}}"#
    ))
    .unwrap();
    object.make_object().insert("data", data);
    object
}

fn undecided(object: &Value) -> String {
    match evaluate(object, &key(1), "{}") {
        SignatureAnswer::Undecided(why) => why,
        decided => format!("decided: {decided:?}"),
    }
}

#[test]
fn many_manifests_and_many_fields_take_time_by_their_sum() {
    let many = 10_000;
    let data = (0..many).map(|n| (format!("k{n}"), Value::from("x"))).collect::<engine::json::Map>();
    let object = config_map(data.into(), &"kind: ConfigMap\n---\n".repeat(many));
    let begun = std::time::Instant::now();
    let why = undecided(&object);
    assert!(why.contains("verification failed for 1 signature"), "{why}");
    // Each field of the object looked up in each manifest takes minutes.
    assert!(begun.elapsed().as_secs() < 15, "{:?}", begun.elapsed());
}

#[test]
fn keys_that_repeat_long_paths_have_a_bound() {
    let leaves = Value::array(vec![Value::from(0_i64); 2_000]);
    let part = "k".repeat(500);
    let deep =
        (0..200).fold(leaves, |value, _| engine::json::Map::from_iter([(part.as_str(), value)]).into());
    let why = undecided(&config_map(deep, "kind: ConfigMap\nmetadata: {name: web}\n"));
    assert!(why.contains("are not compared: sign smaller objects"), "{why}");
}

#[test]
fn values_that_many_manifests_repeat_by_aliases_have_a_bound() {
    let list = format!("a: &a [{}]\nb: [{}]\n", vec!["0"; 2_000].join(","), vec!["*a"; 90].join(","));
    let message = format!("kind: ConfigMap\n{list}---\n").repeat(20);
    let why = undecided(&config_map(engine::json::Map::new().into(), &message));
    assert!(why.contains("are not compared: sign smaller objects"), "{why}");
}

#[test]
fn a_key_that_is_a_large_expression_is_no_work() {
    let hostile = |n: usize| (format!("(a{{900}}){{40}}{n}"), Value::array(vec![Value::from("x")]));
    let many = (0..240).map(hostile).collect::<engine::json::Map>();
    let nested = engine::json::Map::from_iter([("0", Value::from(many))]);
    let object = config_map(nested.into(), "kind: ConfigMap\nmetadata: {name: web}\n");
    let begun = std::time::Instant::now();
    let why = undecided(&object);
    assert!(why.contains("verification failed for 1 signature"), "{why}");
    assert!(begun.elapsed().as_secs() < 15, "{:?}", begun.elapsed());
}
