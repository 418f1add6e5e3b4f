//! A small static server for one machine: what `cargo xtask play` and the browser tests look at.
//!
//! In: a folder. Out: its files over HTTP/1.1 on 127.0.0.1, with the types that browsers insist on (a wasm module is
//! compiled while it loads only as `application/wasm`). It reads nothing outside the folder and writes nothing.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::say::{Done, Failure, line};

/// Requests of more bytes than this are refused.
const HEAD_LIMIT: u64 = 16 * 1024;
/// What a deployment sends with each file; docs/hosting.md says why. What else the page may do stands in `www/index.html`.
const HEADERS: &str =
    "X-Content-Type-Options: nosniff\r\nContent-Security-Policy: frame-ancestors 'self'\r\n";
/// Requests over one connection, at most.
const REQUESTS: usize = 1000;

/// Takes the port on this machine alone; 0 takes any.
pub(crate) fn bind(port: u16) -> Done<TcpListener> {
    TcpListener::bind(("127.0.0.1", port)).map_err(|error| {
        let next = port.checked_add(1).unwrap_or(8081);
        Failure::new(
            format!("port {port} of 127.0.0.1 cannot be taken: {error}"),
            format!(
                "is it in use by another program, or by an earlier `cargo xtask play`? Try --port {next}"
            ),
        )
    })
}

/// The address of a listener.
pub(crate) fn url(listener: &TcpListener) -> Done<String> {
    let address: SocketAddr = listener
        .local_addr()
        .map_err(|error| Failure::new(format!("the server has no address: {error}"), ""))?;
    Ok(format!("http://{address}"))
}

/// Says where the page is.
pub(crate) fn announce(listener: &TcpListener) -> Done {
    line(format!("\nThe playground is at {}   (Ctrl+C ends it)", url(listener)?));
    Ok(())
}

/// Serves until the program ends.
pub(crate) fn forever(listener: &TcpListener, root: PathBuf) {
    let root = Arc::new(root);
    for stream in listener.incoming().flatten() {
        let root = Arc::clone(&root);
        std::thread::spawn(move || {
            // A visitor who goes away is not an error of ours.
            drop(converse(&stream, &root));
        });
    }
}

/// Answers the requests of one connection.
fn converse(stream: &TcpStream, root: &Path) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    for _ in 0..REQUESTS {
        let Some((method, target)) = read_head(&mut reader)? else { break };
        let reply = reply_to(root, &method, &target);
        let mut head = format!(
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: {}\r\n",
            reply.status,
            reply.kind,
            reply.body.len(),
            reply.cache
        );
        head.push_str(HEADERS);
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        if method != "HEAD" {
            bytes.extend_from_slice(&reply.body);
        }
        let mut out = stream;
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// Reads one request's head; `None` where the visitor has hung up.
fn read_head(reader: &mut BufReader<&TcpStream>) -> std::io::Result<Option<(String, String)>> {
    let mut limited = reader.take(HEAD_LIMIT);
    let mut first = String::new();
    if limited.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    loop {
        let mut header = String::new();
        if limited.read_line(&mut header)? == 0 {
            return Ok(None);
        }
        if header == "\r\n" || header == "\n" {
            break;
        }
    }
    let mut words = first.split_whitespace();
    let method = words.next().unwrap_or_default().to_owned();
    Ok(words.next().map(|target| (method, target.to_owned())))
}

struct Reply {
    status: &'static str,
    kind: &'static str,
    cache: &'static str,
    body: Vec<u8>,
}

fn reply_to(root: &Path, method: &str, target: &str) -> Reply {
    let plain = |status: &'static str| Reply {
        status,
        kind: "text/plain; charset=utf-8",
        cache: "no-store",
        body: status.as_bytes().to_vec(),
    };
    if method != "GET" && method != "HEAD" {
        return plain("405 Method Not Allowed");
    }
    let Some(path) = file_for(root, target) else { return plain("404 Not Found") };
    let Ok(body) = fs::read(&path) else { return plain("404 Not Found") };
    let cache = if target.contains("/assets-") { "public, max-age=31536000, immutable" } else { "no-cache" };
    Reply { status: "200 OK", kind: kind_of(&path), cache, body }
}

/// The file that a request names, never one outside the folder.
fn file_for(root: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.trim_start_matches('/');
    let relative = Path::new(if path.is_empty() { "index.html" } else { path });
    let inside = relative.components().all(|part| matches!(part, Component::Normal(_)));
    inside.then(|| root.join(relative))
}

fn kind_of(path: &Path) -> &'static str {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("md" | "txt") => "text/plain; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    }
}
