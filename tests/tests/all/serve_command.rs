//! `podsieve serve`: verdicts over HTTP, who gets none, and what a hostile client can do.
//!
//! In: the built `podsieve` on a free port of loopback, policies in a folder. Out: a failure where an answer differs or the server ends.

#![expect(clippy::unwrap_used, reason = "a test ends with the reason")]

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tests::program::{self, Scratch};
use tests::terminal::{POD, POLICY};

/// A server that ends with its test.
struct Served {
    child: Child,
    address: String,
    scratch: Scratch,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn served() -> Option<Served> {
    let program = program::find_or_skip()?;
    let scratch = Scratch::new().unwrap();
    scratch.write("policies/policy.yaml", POLICY).unwrap();
    let mut serve = Command::new(program);
    serve.args(["serve", "policies", "--address", "127.0.0.1:0"]).current_dir(scratch.path());
    let mut child = serve.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("http://").unwrap().to_owned();
    Some(Served { child, address, scratch })
}

impl Served {
    /// What the server writes until it closes the connection.
    fn raw(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        // A refused client may find the connection closed before all is written.
        let _ = stream.write_all(request);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// The status and the body of an answer.
    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let length = body.len();
        let answer = self.raw(
            format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}", self.address)
                .as_bytes(),
        );
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        (status, body.to_owned())
    }

    fn evaluate(&self, body: &str) -> Value {
        let (status, body) = self.ask("POST", "/v1alpha1/evaluate/Kubernetes", "", body);
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }

    /// Whether `/readyz` says this within ten seconds.
    fn becomes(&self, status: u16) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(10) {
            if self.ask("GET", "/readyz", "", "").0 == status {
                return true;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        false
    }
}

#[test]
fn a_verdict_is_that_of_the_library() {
    let Some(server) = served() else { return };
    let good = POD.replace("latest", "1.2");
    for (body, allowed) in
        [(POD, false), (good.as_str(), true), ("", false), ("{", false), ("{kind: Moon}", false)]
    {
        let answer = server.evaluate(body);
        assert_eq!(answer["allowed"], allowed, "{body}: {answer}");
        assert!(answer["digest"].as_str().unwrap_or_default().starts_with("sha256:"));
        let text =
            |name: &str, text: &str| vec![podsieve::wire::Text { name: name.into(), text: text.into() }];
        let input = podsieve::wire::Input {
            policies: text("policies/policy.yaml", POLICY),
            resources: text("request", body),
            ..podsieve::wire::Input::default()
        };
        let own = serde_json::to_value(podsieve::decide(&input, &podsieve::world())).unwrap();
        assert_eq!(answer["output"], own, "{body}");
    }
}

#[test]
fn questions_are_answered_as_ask_answers_them() {
    let Some(server) = served() else { return };
    let asked = json!({"input": {"policies": [{"name": "p", "text": POLICY}], "resources": [{"name": "r", "text": POD}]}});
    let (status, answer) = server.ask("POST", "/explain", "", &asked.to_string());
    assert_eq!(status, 200, "{answer}");
    assert!(answer.contains("\"path\":\"spec.containers[0].image\""), "{answer}");
    assert_eq!(server.ask("POST", "/explain", "", "{\"inputs\":1}").0, 400);
    assert_eq!(server.ask("POST", "/nothing", "", "{}").0, 404);
    assert_eq!(server.ask("GET", "/explain", "", "").0, 405);
    assert_eq!(server.ask("POST", "/v1alpha1/evaluate/Moon", "", POD).0, 404);
    let (status, loaded) = server.ask("GET", "/v1alpha1/policies", "", "");
    assert!(status == 200 && loaded.contains("\"ClusterPolicy no-latest\""), "{loaded}");
}

#[test]
fn other_origins_and_names_are_refused() {
    let Some(server) = served() else { return };
    let asks = |headers: &str| server.ask("POST", "/v1alpha1/evaluate/Kubernetes", headers, POD).0;
    assert_eq!(asks("Origin: http://evil.example\r\n"), 403);
    assert_eq!(asks("Origin: null\r\n"), 403);
    assert_eq!(asks("Sec-Fetch-Site: cross-site\r\n"), 403);
    assert_eq!(asks(&format!("Origin: http://{}\r\n", server.address)), 200);
    let rebound = server.raw(b"GET /v1alpha1/policies HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    assert!(rebound.starts_with("HTTP/1.1 403 "), "{rebound}");
    let nameless = server.raw(b"GET /v1alpha1/policies HTTP/1.1\r\n\r\n");
    assert!(nameless.starts_with("HTTP/1.1 403 "), "{nameless}");
}

#[test]
fn a_broken_set_never_replaces_one_that_loads() {
    let Some(server) = served() else { return };
    let before = server.evaluate(POD)["digest"].clone();
    server.scratch.write("policies/broken.yaml", "a: [").unwrap();
    assert!(server.becomes(503));
    assert_eq!(server.evaluate(POD)["digest"], before);
    server.scratch.write("policies/broken.yaml", POLICY.replace("no-latest", "another")).unwrap();
    assert!(server.becomes(200));
    let after = server.evaluate(POD);
    assert_ne!(after["digest"], before);
    assert_eq!(after["output"]["counts"]["fail"], 2);
}

#[test]
fn a_malformed_request_gets_an_error_and_ends() {
    let Some(server) = served() else { return };
    let long = format!("GET / HTTP/1.1\r\nHost: localhost\r\nA: {}\r\n\r\n", "x".repeat(40_000));
    let many = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "A: b\r\n".repeat(200));
    let rows: [(&[u8], &str); 11] = [
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "400"),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\nab", "501"),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", "411"),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", "400"),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\nshort", "400"),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1073741824\r\n\r\nx", "413"),
        (b"GET / HTTP/2\r\n\r\n", "400"),
        (b"nonsense\r\n\r\n", "400"),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", "400"),
        (long.as_bytes(), "431"),
        (many.as_bytes(), "431"),
    ];
    for (request, status) in rows {
        let answer = server.raw(request);
        let shown = String::from_utf8_lossy(request.get(..60).unwrap_or(request)).into_owned();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{shown}: {answer}");
        assert_eq!(answer.matches("X-Podsieve-Contract").count(), 1, "{shown}: {answer}");
    }
    assert_eq!(server.evaluate(POD)["allowed"], false);
}

#[test]
fn random_bytes_never_end_the_server() {
    let Some(server) = served() else { return };
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let whole = format!(
        "POST /v1alpha1/evaluate/Kubernetes HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{POD}",
        POD.len()
    );
    for _ in 0..1_000 {
        let mut bytes = whole.clone().into_bytes();
        for _ in 0..next() % 6 {
            let at = usize::try_from(next()).unwrap_or(0) % bytes.len();
            bytes.splice(at..=at, next().to_le_bytes().into_iter().take(1));
        }
        bytes.truncate(usize::try_from(next()).unwrap_or(0) % (bytes.len() + 1));
        let answer = server.raw(&bytes);
        assert!(!answer.contains("\"allowed\":true"), "{answer}");
    }
    assert_eq!(server.evaluate(POD)["output"]["counts"]["fail"], 1);
}

#[test]
fn only_an_address_of_this_machine_is_taken() {
    let Some(program) = program::find_or_skip() else { return };
    let refused = tests::terminal::run(
        &program,
        &[("p.yaml", POLICY)],
        &["serve", "p.yaml", "--address", "0.0.0.0:0"],
        "",
    );
    assert_eq!((refused.code, refused.out.as_str()), (1, ""));
    assert!(refused.err.contains("is not of this machine alone"), "{}", refused.err);
    let broken = tests::terminal::run(&program, &[("p.yaml", "a: [")], &["serve", "p.yaml"], "");
    assert!(broken.code == 1 && broken.err.contains("p.yaml:"), "{}", broken.err);
}
