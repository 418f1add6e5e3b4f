//! `apply --cluster` over a server that behaves as an API server does, well and badly.
//!
//! In: the built `podsieve`, a server on a socket in a folder. Out: a failure where an object is lost, what cannot be read is no error, or
//! the proxy outlives the program.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tests::program;
use tests::program::Scratch;
use tests::terminal::{POLICY, Run, run_in};

/// What the server answers to a path: the whole answer, headers and all; nothing breaks the connection.
type Answers = fn(path: &str, count: usize) -> Option<String>;

const GROUPS: &str =
    r#"{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[]}"#;
const CORE: &str = r#"{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[
  {"metadata":{"name":""},"versions":[{"version":"v1","freshness":"Current","resources":[
    {"resource":"pods","responseKind":{"group":"","version":"v1","kind":"Pod"},"scope":"Namespaced","verbs":["get","list"]},
    {"resource":"namespaces","responseKind":{"group":"","version":"v1","kind":"Namespace"},"scope":"Cluster","verbs":["get","list"]}]}]}]}"#;

#[expect(clippy::unnecessary_wraps, reason = "what answers may break the connection instead")]
fn answer(status: &str, headers: &str, body: &str) -> Option<String> {
    Some(format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len()))
}

fn ok(body: &str) -> Option<String> {
    answer("200 OK", "", body)
}

fn pod(name: &str, image: &str) -> String {
    format!(
        r#"{{"metadata":{{"name":"{name}","namespace":"a","uid":"u-{name}"}},"spec":{{"containers":[{{"name":"c","image":"{image}"}}]}}}}"#
    )
}

fn page(token: &str, pods: &[String]) -> String {
    let pods = pods.join(",");
    format!(
        r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"1","continue":"{token}"}},"items":[{pods}]}}"#
    )
}

fn discovery(path: &str) -> Option<String> {
    match path {
        "/api" => ok(CORE),
        "/apis" => ok(GROUPS),
        _ => None,
    }
}

/// Three pages of one Pod, of which the second is bad.
fn pages(path: &str, _: usize) -> Option<String> {
    discovery(path).or_else(|| match path {
        "/api/v1/pods?limit=500" => ok(&page("t/1", &[pod("one", "a:1")])),
        "/api/v1/pods?limit=500&continue=t%2F1" => ok(&page("t2", &[pod("two", "a:latest")])),
        "/api/v1/pods?limit=500&continue=t2" => {
            let text = page("", &[pod("three", "a:1")]);
            let (first, second) = text.split_at(20);
            Some(format!(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{first}\r\n{:x};x=y\r\n{second}\r\n0\r\n\r\n",
                first.len(),
                second.len()
            ))
        }
        _ => answer("404 Not Found", "", r#"{"kind":"Status","message":"no such path"}"#),
    })
}

/// What was asked.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Vec<String>>>);

/// Listens until the test program ends.
#[expect(clippy::unwrap_used, reason = "a test ends with the reason")]
fn serve(socket: &Path, answers: Answers) -> Asked {
    let (listener, asked) = (UnixListener::bind(socket).unwrap(), Asked::default());
    let heard = asked.clone();
    let count = Arc::new(AtomicUsize::new(0));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (heard, count) = (heard.clone(), Arc::clone(&count));
            std::thread::spawn(move || talk(&stream, answers, &heard, &count));
        }
    });
    asked
}

#[expect(clippy::unwrap_used, reason = "a test ends with the reason")]
fn talk(stream: &UnixStream, answers: Answers, heard: &Asked, count: &AtomicUsize) {
    let mut lines = BufReader::new(stream);
    loop {
        let mut request = String::new();
        if lines.read_line(&mut request).unwrap_or(0) == 0 {
            return;
        }
        let mut header = String::new();
        while lines.read_line(&mut header).unwrap_or(0) > 2 {
            header.clear();
        }
        let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
        heard.0.lock().unwrap().push(request.trim_end().to_owned());
        let said = answers(&path, count.fetch_add(1, Ordering::SeqCst));
        let mut stream = stream;
        let is_whole = said.as_ref().is_some_and(|said| !said.contains("X-Cut"));
        if said.is_none_or(|said| stream.write_all(said.as_bytes()).is_err()) || !is_whole {
            let _ = stream.shutdown(std::net::Shutdown::Both);
            return;
        }
    }
}

#[expect(clippy::unwrap_used, reason = "a test ends with the reason")]
fn apply(answers: Answers, policy: &str, further: &[&str]) -> Option<(Run, Vec<String>)> {
    let program = program::find_or_skip()?;
    let scratch = Scratch::new().unwrap();
    std::fs::write(scratch.path().join("policy.yaml"), policy).unwrap();
    let asked = serve(&scratch.path().join("api.sock"), answers);
    let mut arguments = vec!["apply", "policy.yaml", "--cluster", "--api", "unix:api.sock"];
    arguments.extend_from_slice(further);
    let run = run_in(&program, scratch.path(), &arguments, "");
    let asked = asked.0.lock().unwrap().clone();
    Some((run, asked))
}

#[test]
fn all_pages_are_read_and_nothing_but_get_is_asked() {
    let Some((Run { code, out, err, .. }, asked)) = apply(pages, POLICY, &[]) else { return };
    assert!(out.contains("policy no-latest -> resource a/Pod/two failed:"), "{out}{err}");
    assert!(out.contains("pass: 2, fail: 1, warn: 0, error: 0, skip: 0"), "{out}{err}");
    assert!(asked.iter().all(|line| line.starts_with("GET ")), "{asked:?}");
    assert_eq!((code, asked.len()), (1, 5), "{asked:?}");
}

#[test]
fn files_and_a_cluster_do_not_go_together() {
    let Some((Run { code, err, .. }, asked)) = apply(pages, POLICY, &["-r", "policy.yaml"]) else { return };
    assert!(err.starts_with("Error: --cluster reads resources from a cluster"), "{err}");
    assert_eq!((code, asked.len()), (1, 0));
    let Some((Run { code, err, .. }, _)) = apply(pages, POLICY, &["--table"]) else { return };
    assert!(err.starts_with("Error: --cluster prints text or"), "{err}");
    assert_eq!(code, 1);
}

#[test]
fn who_may_not_list_is_told_so() {
    let answers: Answers = |path, _| {
        discovery(path).or_else(|| {
            answer(
                "403 Forbidden",
                "",
                r#"{"message":"pods is forbidden: User \"x\" cannot list\nresource \"pods\""}"#,
            )
        })
    };
    let Some((Run { code, out, err, .. }, _)) = apply(answers, POLICY, &[]) else { return };
    assert!(
        err.contains(
            "error: pods:1: the list cannot be read: 403: pods is forbidden: User \"x\" cannot list resource"
        ),
        "{err}"
    );
    assert!(err.contains("is not a pass") && out.contains("pass: 0, fail: 0"), "{out}{err}");
    assert_eq!(code, 1);
}

#[test]
fn a_page_that_is_gone_begins_the_list_anew() {
    static GONE: AtomicUsize = AtomicUsize::new(0);
    let answers: Answers = |path, count| {
        if path.ends_with("t2") && GONE.fetch_add(1, Ordering::SeqCst) == 0 {
            return answer("410 Gone", "", r#"{"reason":"Expired"}"#);
        }
        pages(path, count)
    };
    let Some((Run { out, err, .. }, _)) = apply(answers, POLICY, &[]) else { return };
    assert!(out.contains("pass: 2, fail: 1, warn: 0, error: 0, skip: 0"), "{out}{err}");
}

#[test]
fn a_busy_server_is_asked_again() {
    static BUSY: AtomicUsize = AtomicUsize::new(0);
    let answers: Answers = |path, count| {
        if path.starts_with("/api/v1/pods") && BUSY.fetch_add(1, Ordering::SeqCst) == 0 {
            return answer("429 Too Many Requests", "Retry-After: 1\r\n", "{}");
        }
        pages(path, count)
    };
    let Some((Run { out, err, .. }, _)) = apply(answers, POLICY, &[]) else { return };
    assert!(out.contains("pass: 2, fail: 1, warn: 0, error: 0, skip: 0"), "{out}{err}");
}

#[test]
fn an_answer_that_is_cut_is_no_pass() {
    let cut: Answers = |path, _| {
        discovery(path).or_else(|| {
            let body = page("", &[pod("one", "a:1"), pod("two", "a:1")]);
            Some(format!(
                "HTTP/1.1 200 OK\r\nX-Cut: 1\r\nContent-Length: {}\r\n\r\n{}",
                body.len(),
                body.get(..body.len() - 60).unwrap_or_default()
            ))
        })
    };
    let unknown: Answers =
        |path, _| discovery(path).or_else(|| Some("HTTP/1.1 200 OK\r\nX-Cut: 1\r\n\r\n{}".to_owned()));
    let no_list: Answers = |path, _| discovery(path).or_else(|| ok("{\"kind\":\"PodList\",\"items\":[]"));
    for (answers, words) in [
        (cut, "the text ends on line 1"),
        (unknown, "a body of which nobody says how long it is"),
        (no_list, "the text ends on line 1"),
    ] {
        let Some((Run { code, err, .. }, _)) = apply(answers, POLICY, &[]) else { return };
        assert!(err.contains(words) && err.contains("is not a pass"), "{words}\n{err}");
        assert_eq!(code, 1);
    }
}

#[test]
fn rules_ask_the_cluster() {
    let policy = "
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: asks}
spec:
  rules:
  - name: allowed
    match: {any: [{resources: {kinds: [Pod], namespaceSelector: {matchLabels: {team: red}}}}]}
    context:
    - {name: allowed, configMap: {name: images, namespace: shared}}
    validate:
      message: not allowed
      deny: {conditions: {any: [{key: \"{{ request.object.spec.containers[0].image }}\", operator: NotEquals, value: \"{{ allowed.data.image }}\"}]}}
";
    let answers: Answers = |path, count| match path {
        "/api/v1/namespaces?limit=500" => ok(
            r#"{"kind":"NamespaceList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a","labels":{"team":"red"}}}]}"#,
        ),
        "/api/v1/namespaces/shared/configmaps/images" => {
            ok(r#"{"kind":"ConfigMap","apiVersion":"v1","data":{"image":"a:1"}}"#)
        }
        path => pages(path, count),
    };
    let Some((Run { out, err, .. }, asked)) = apply(answers, policy, &[]) else { return };
    assert!(out.contains("policy asks -> resource a/Pod/two failed:"), "{out}{err}");
    assert!(out.contains("pass: 2, fail: 1, warn: 0, error: 0, skip: 0"), "{out}{err}");
    let maps = asked.iter().filter(|line| line.contains("configmaps")).count();
    assert!((1..=2).contains(&maps), "{asked:?}");
}

#[test]
fn a_dry_run_counts_and_evaluates_nothing() {
    let answers: Answers = |path, count| match path {
        "/api/v1/pods?limit=1" => ok(
            r#"{"kind":"PodList","apiVersion":"v1","metadata":{"continue":"x","remainingItemCount":41},"items":[{}]}"#,
        ),
        path => pages(path, count),
    };
    let Some((Run { code, out, .. }, _)) = apply(answers, POLICY, &["--dry-run"]) else { return };
    assert_eq!(
        (code, out.as_str()),
        (0, "GET /api/v1/pods  42\n42 objects of 1 resource; nothing was evaluated\n")
    );
}

#[test]
fn the_proxy_is_private_and_ends_with_the_program() {
    let Some(program) = program::find_or_skip() else { return };
    let scratch = Scratch::new().unwrap();
    let folder = scratch.path();
    std::fs::write(folder.join("policy.yaml"), POLICY).unwrap();
    serve(&folder.join("real.sock"), pages);
    // What kubectl does: it listens where it is told, until it is ended.
    let kubectl = format!(
        "#!/bin/sh\nfor a in \"$@\"; do case $a in --unix-socket=*) s=${{a#--unix-socket=}};; esac; done\necho \"$@\" > {0}/arguments\n\
         ls -ld \"${{s%/api}}\" > {0}/mode\necho $$ > {0}/pid\nln -s {0}/real.sock \"$s\"\nexec sleep 60\n",
        folder.display()
    );
    std::fs::write(folder.join("kubectl"), kubectl).unwrap();
    std::process::Command::new("chmod").args(["755", "kubectl"]).current_dir(folder).status().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let output = std::process::Command::new(&program)
        .args(["apply", "policy.yaml", "--cluster", "--context", "east"])
        .env("PATH", path)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(out.contains("pass: 2, fail: 1"), "{out}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text("mode").starts_with("drwx------"), "{}", text("mode"));
    let arguments = text("arguments");
    assert!(
        arguments.contains("--reject-methods=^(POST|PUT|PATCH|DELETE|")
            && arguments.contains("--context=east"),
        "{arguments}"
    );
    let alive = std::process::Command::new("kill").args(["-0", text("pid").trim()]).output().unwrap();
    assert!(!alive.status.success(), "the proxy is still there");
    let socket =
        arguments.split_whitespace().find_map(|word| word.strip_prefix("--unix-socket=")).unwrap_or_default();
    assert!(!socket.is_empty() && !Path::new(socket).parent().unwrap().exists(), "{socket}");
}
